/* What the settings say, for the calls. Nothing is read before a call needs it; a launch and a look at the status see a change of the
 * files, everything else goes by what the launch saw. */
#include "verb/internal.h"

#include <string.h>

/* ---- warnings: each is told once ---- */

static bool has_line(const char *lines, const char *line, size_t len)
{
    for (const char *at = lines; *at != '\0'; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, len) == 0)
            return true;
    return false;
}

/* Appends the lines of `from` that are (or are not) among those of `among`. */
static void add_lines(struct buffer *out, const char *from, const char *among, bool wanted)
{
    for (const char *line = from; *line != '\0';) {
        size_t len = (size_t)(strchr(line, '\n') + 1 - line);
        if (has_line(among, line, len) == wanted)
            (void)buffer_append(out, line, len);
        line += len;
    }
}

/* What was told and is wrong no more is news when it comes back. */
static void forget_what_is_right_now(struct world *world)
{
    AUTO_FREE char *told = buffer_take(&world->told, NULL);
    add_lines(&world->told, told, settings_warnings(world->settings), true);
}

void configured_warn(struct call *call)
{
    struct world *world = call->world;
    if (world->settings == NULL)
        return;
    AUTO_BUFFER struct buffer news;
    buffer_init(&news, LIMIT_RENDERED_BYTES);
    add_lines(&news, settings_warnings(world->settings), world->told.data, false);
    for (const char *line = news.data; *line != '\0'; line = strchr(line, '\n') + 1)
        call_warn(call, "%.*s", (int)(strchr(line, '\n') - line), line);
    (void)buffer_append(&world->told, news.data, news.len);
}

/* ---- reading ---- */

const struct settings *configured_read(struct world *world)
{
    if (world->settings != NULL && !settings_changed(world->settings))
        return world->settings;
    settings_free(world->settings);
    world->settings = settings_read(world->project);
    forget_what_is_right_now(world);
    return world->settings;
}

void configured_set_timeouts(struct call *call)
{
    const struct settings_values *values = settings_values(call->world->settings);
    struct session_timeouts timeouts = {
        .startup = values->startup_ms,
        .request = values->request_ms,
        .launch = values->launch_ms,
        .execution = values->execution_ms,
        .shutdown = values->shutdown_ms,
    };
    session_set_timeouts(call_session(call), &timeouts);
}

/* ---- single values, as long as nothing was read the defaults ---- */

const char *configured_context(const struct world *world)
{
    return world->settings == NULL ? "brief" : settings_values(world->settings)->stop_context;
}

size_t configured_bytes(const struct world *world)
{
    return world->settings == NULL ? LIMIT_TEXT_BYTES : settings_values(world->settings)->result_bytes;
}

size_t configured_lines(const struct world *world)
{
    return world->settings == NULL ? LIMIT_TEXT_LINES : settings_values(world->settings)->result_lines;
}

uint64_t configured_idle_ms(const struct world *world)
{
    return world->settings == NULL ? 0 : settings_values(world->settings)->idle_ms;
}
