/* dap_continue with `until`: runs to a line or into a function. A temporary breakpoint is set, the program goes on, and whatever ends the
 * wait (that place, another stop, the end, a refusal, the time), the breakpoint is removed before the result is given. */
#include "verb/run_until.h"

#include "base/path.h"
#include "verb/breakpoint_lines.h"
#include "verb/internal.h"
#include "verb/shown_frame.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct until {
    struct resume resume;
    char *place; /* as it is shown: "cart.py:42", "function total" */
    char *path;  /* absolute; NULL: a function */
    struct desired_breakpoint breakpoint;
    bool stands_already; /* the user's own breakpoint is there: none is added */
    enum wait_outcome outcome;
    bool reached;
    char *never_bound; /* why; NULL: it was bound */
    char *failure;     /* of the resume; NULL */
    enum error_kind failure_kind;
};

void until_free(struct until *until)
{
    if (until == NULL)
        return;
    free(until->place);
    free(until->path);
    free(until->breakpoint.name);
    free(until->never_bound);
    free(until->failure);
    free(until);
}

/* ---- what is meant ---- */

static bool all_digits(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int read_line(const char *digits, int64_t *ret, struct error *ret_error)
{
    *ret = strlen(digits) > 9 ? 0 : atoll(digits);
    return *ret > 0 ? 0 : error_set(ret_error, ERROR_ARGUMENT, "/until: %s is no line of a file", digits);
}

/* Names of functions have spaces in them only beside signs: "get(int, int)", "<impl Shape for Square>::area", "-[Cart total]". Some
 * adapters would take a sentence for a name, and the program would run to its end. */
static bool is_sentence(const char *text)
{
    return strchr(text, ' ') != NULL && strpbrk(text, "(<[:") == NULL && strncmp(text, "operator ", 9) != 0;
}

/* "cart.py:42"; "42" or "line 42", in the file that the stop shows; else a function's name. */
static int read_place(struct call *call, struct until *until, struct error *ret_error)
{
    const char *text = json_string(call->arguments, "until");
    if (strncasecmp(text, "line ", 5) == 0 && all_digits(text + 5))
        text += 5;
    const char *colon = strrchr(text, ':');
    const char *digits = colon == NULL ? text : colon + 1;
    if (!all_digits(digits)) {
        AUTO_FREE char *file = path_absolute(text, call->world->project);
        if (path_is_file(file))
            return error_set(ret_error, ERROR_ARGUMENT, "/until: %s is a file: say which line of it, as in %s:42", text, text);
        if (is_sentence(text))
            return error_set(ret_error, ERROR_ARGUMENT,
                             "/until: \"%s\" is no place: give a line (42), FILE:LINE or a function's name", text);
        until->breakpoint = (struct desired_breakpoint){ .kind = BREAKPOINT_FUNCTION, .name = xstrdup(text) };
        until->place = xasprintf("function %s", text);
        return 0;
    }
    if (read_line(digits, &until->breakpoint.line, ret_error) < 0)
        return -1;
    const struct stop *stop = session_stop(call_session(call));
    if (colon != NULL) {
        AUTO_FREE char *file = xstrndup(text, (size_t)(colon - text));
        until->path = path_absolute(file, call->world->project);
    } else if (stop != NULL && stop->frame_count > 0) {
        until->path = xstrdup(stop->frames[shown_frame(stop, call->world->project)].source_path);
    }
    if (until->path == NULL)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "/until: the program stands in no source file; give the file, too, as in cart.py:%s", digits);
    if (!path_is_file(until->path))
        return error_set(ret_error, ERROR_ARGUMENT, "/until: there is no file %s", until->path);
    AUTO_FREE char *shown = path_shown(until->path, call->world->project);
    until->place = xasprintf("%s:%lld", shown, (long long)until->breakpoint.line);
    return 0;
}

/* A breakpoint of the user's that stops there whenever the program comes by. */
static const struct bound_breakpoint *find_own(const struct call *call, const struct until *until)
{
    const struct session *session = call_session(call);
    const struct breakpoint_list *list = session_find_breakpoint_list(session, until->breakpoint.kind, until->path);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct desired_breakpoint *own = &list->desired[i];
        bool plain = !own->disabled && own->condition == NULL && own->hit_condition == NULL && own->log_message == NULL;
        if (plain && desired_breakpoint_same_place(own, &until->breakpoint))
            return &list->bound[i];
    }
    return NULL;
}

static const struct bound_breakpoint *find_bound(const struct call *call, const struct until *until)
{
    return until->stands_already ? find_own(call, until) : session_temporary(call_session(call));
}

/* ---- the way there ---- */

static void on_removed_after_failure(void *user, const struct error *error)
{
    struct call *call = user;
    struct until *until = call_until(call);
    AUTO_ERROR struct error failure = ERROR_INIT;
    error_set(&failure, until->failure_kind, "%s%s", until->failure,
              error == NULL ? ""
                            : "; the temporary breakpoint could not be taken back, the next change of breakpoints there does it");
    call_give_up(call, &failure);
}

void until_fail(struct call *call, struct until *until, const struct error *error)
{
    until->failure_kind = error->kind;
    xreplace(&until->failure, error->message);
    session_clear_temporary(call_session(call), on_removed_after_failure, call);
}

static void go(struct call *call, struct until *until)
{
    const struct bound_breakpoint *bound = find_bound(call, until);
    if (bound != NULL && bound->has_line && until->path != NULL && bound->line != until->breakpoint.line) {
        AUTO_FREE char *shown = path_shown(until->path, call->world->project);
        call_warn(call, "%s has no code of its own: it runs to line %lld", until->place, (long long)bound->line);
        free(until->place);
        until->place = xasprintf("%s:%lld", shown, (long long)bound->line);
    }
    call_resume_until(call, &until->resume, until);
}

/* The program would run past, maybe to its end: that is not done unasked. */
static void refuse_unbound(const struct until *until, const struct bound_breakpoint *bound, struct error *ret_error)
{
    error_set(ret_error, ERROR_REQUEST,
              "/until: the adapter set no breakpoint at %s (%s), and nothing was run; where one of yours is there already, or the "
              "code is loaded later, use dap_continue without until, with a breakpoint there",
              until->place, bound == NULL || bound->message == NULL ? "it does not say why" : bound->message);
}

static void on_set(void *user, const struct error *error)
{
    struct call *call = user;
    struct until *until = call_until(call);
    AUTO_ERROR struct error failure = ERROR_INIT;
    const struct bound_breakpoint *bound = find_bound(call, until);
    if (error != NULL)
        error_set(&failure, error->kind, "/until: %s", error->message);
    else if (bound == NULL || bound->state != BREAKPOINT_BOUND)
        refuse_unbound(until, bound, &failure);
    if (failure.kind != ERROR_NONE)
        until_fail(call, until, &failure);
    else
        go(call, until);
}

void until_begin(struct call *call, const struct resume *resume)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct until *until = xcalloc(1, sizeof(*until));
    until->resume = *resume;
    call_keep_until(call, until);
    if (read_place(call, until, &error) < 0) {
        call_fail(call, &error);
        return;
    }
    if (until->path != NULL)
        breakpoint_lines_check(call, until->path, &until->breakpoint, 1);
    until->stands_already = find_own(call, until) != NULL;
    if (until->stands_already) {
        go(call, until);
        return;
    }
    if (session_set_temporary(call_session(call), until->path, &until->breakpoint, on_set, call, &error) < 0) {
        AUTO_ERROR struct error refusal = ERROR_INIT;
        bool function = until->path == NULL;
        error_set(&refusal, error.kind, "/until: %s%s", error.message, function ? "; give a line, as in cart.py:42" : "");
        call_fail(call, &refusal);
    }
}

/* ---- the end of it ---- */

static bool is_there(const struct call *call, const struct until *until, const struct bound_breakpoint *bound)
{
    const struct stop *stop = session_stop(call_session(call));
    if (stop == NULL || bound == NULL)
        return false;
    if (!until->stands_already)
        return bound->hit;
    int64_t line = bound->has_line ? bound->line : until->breakpoint.line;
    bool in_function = until->path == NULL && stop->frame_count > 0 && strstr(stop->frames[0].name, until->breakpoint.name) != NULL;
    return in_function || (stop->frame_count > 0 && stop->frames[0].source_path != NULL && stop->frames[0].line == line &&
                           path_same_file(until->path == NULL ? "" : until->path, stop->frames[0].source_path));
}

static void say(struct call *call, const struct until *until, const char *removal)
{
    struct session *session = call_session(call);
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_TEXT_BYTES);
    if (until->reached)
        (void)buffer_addf(&line, "ran to %s", until->place);
    else if (session_stop(session) != NULL)
        (void)buffer_addf(&line, "stopped before it came to %s", until->place);
    else if (!session_active(session))
        (void)buffer_addf(&line, "ended before it came to %s", until->place);
    else
        (void)buffer_addf(&line, "has not come to %s", until->place);
    if (!until->reached && until->never_bound != NULL)
        (void)buffer_addf(&line, " (%s)", until->never_bound);
    if (until->stands_already && session_active(session))
        (void)buffer_add(&line, "; your own breakpoint there stays");
    (void)buffer_add(&line, removal);
    call_note(call, line.data);
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    json_add_string(call->result.structured, root, "until", until->place);
    json_add_bool(call->result.structured, root, "until_reached", until->reached);
}

static void on_removed(void *user, const struct error *error)
{
    struct call *call = user;
    struct until *until = call_until(call);
    bool tells = !until->stands_already && !until->reached && session_active(call_session(call));
    if (error != NULL)
        say(call, until, "; the temporary breakpoint could not be taken back: the next change of breakpoints there does it");
    else
        say(call, until, tells ? "; the temporary breakpoint was removed" : "");
    report_wait_outcome(call, until->outcome);
}

void until_end(struct call *call, struct until *until, enum wait_outcome outcome)
{
    const struct bound_breakpoint *bound = find_bound(call, until);
    until->outcome = outcome;
    until->reached = is_there(call, until, bound);
    if (until->breakpoint.kind == BREAKPOINT_FUNCTION && session_quirk(call_session(call), QUIRK_TAKES_ANY_FUNCTION))
        until->never_bound = xstrdup("the debugger takes any name, and this one may be no function's");
    else if (bound != NULL && bound->state != BREAKPOINT_BOUND)
        until->never_bound = xstrdup(bound->message == NULL ? "no code was found for it" : bound->message);
    session_clear_temporary(call_session(call), on_removed, call);
}
