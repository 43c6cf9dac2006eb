#include "config/settings.h"

#include "adapter/catalog.h"
#include "adapter/entry.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "config/settings_file.h"
#include "config/trust.h"
#include "session/session.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

/* A world of its own: an empty home, a project folder, and a PATH with one adapter in it. */
static int make_scratch(void **state)
{
    char *scratch = scratch_new();
    AUTO_FREE char *home = scratch_path(scratch, "home");
    AUTO_FREE char *bin = scratch_path(scratch, "bin");
    scratch_folder(scratch, "home");
    scratch_folder(scratch, "project");
    free(scratch_program(scratch, "bin/adapter", ""));
    setenv("HOME", home, 1);
    setenv("PATH", bin, 1);
    setenv("DAPPLE_ADAPTERS", home, 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_free(*state);
    return 0;
}

#define GLOBAL "home/.config/dapple/settings.json"
#define PROJECT "project/.dapple/settings.json"

static void put(const char *scratch, const char *name, const char *text)
{
    free(scratch_file(scratch, name, text));
}

static void trust_project(const char *scratch)
{
    AUTO_FREE char *project = scratch_path(scratch, "project");
    AUTO_TRUST struct trust trust;
    AUTO_ERROR struct error error = ERROR_INIT;
    struct settings_file files[SETTINGS_FILES];
    size_t count = settings_files_of_project(project, files);
    assert_int_equal(trust_read(&trust, &error), 0);
    for (size_t i = 0; i < count; i++)
        trust_give(&trust, &files[i]);
    settings_files_done(files, count);
    assert_int_equal(trust_write(&trust, &error), 0);
}

static struct settings *read_all(const char *scratch)
{
    AUTO_FREE char *project = scratch_path(scratch, "project");
    return settings_read(project);
}

/* The settings with these files, the project's being trusted; NULL: no such file. */
static struct settings *read_with(const char *scratch, const char *global, const char *project)
{
    if (global != NULL)
        put(scratch, GLOBAL, global);
    if (project != NULL) {
        put(scratch, PROJECT, project);
        trust_project(scratch);
    }
    return read_all(scratch);
}

/* The warnings with "@" for the scratch folder, and without the files' names that end each of them. */
static char *short_warnings(const char *scratch, const struct settings *settings)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 1024 * 1024);
    size_t len = strlen(scratch);
    for (const char *at = settings_warnings(settings); *at != '\0';) {
        const char *file = strncmp(at, " (", 2) == 0 ? at + 2 : "";
        if (strncmp(file, scratch, len) == 0) {
            at = strchr(at, '\n');
            continue;
        }
        bool here = strncmp(at, scratch, len) == 0;
        buffer_addc(&out, here ? '@' : *at);
        at += here ? len : 1;
    }
    return buffer_take(&out, NULL);
}

static void check_warnings(const char *scratch, const struct settings *settings, const char *expected)
{
    AUTO_FREE char *seen = short_warnings(scratch, settings);
    assert_string_equal(seen, expected);
}

static const struct adapter_entry *find(const struct settings *settings, const char *id)
{
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(settings, &count);
    for (size_t i = 0; i < count; i++) {
        if (adapter_entry_is(adapters[i], id))
            return adapters[i];
    }
    return NULL;
}

/* Of the user's making, and not the catalog's. */
static bool defines(const struct settings *settings, const char *id)
{
    const struct adapter_entry *entry = find(settings, id);
    return entry != NULL && entry != catalog_find(id);
}

static bool has_profile(const struct settings *settings, const char *id)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    const struct launch_profile *profile;
    return settings_profile(settings, id, &profile, &error) == 0;
}

static const struct launch_profile *profile(const struct settings *settings, const char *id)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    const struct launch_profile *found = NULL;
    if (settings_profile(settings, id, &found, &error) < 0)
        fail_msg("%s", error.message);
    return found;
}

/* What an adapter of the settings is started with. The caller frees it. */
static struct launch_plan *plan(const char *scratch, const struct settings *settings, const char *id)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    AUTO_FREE char *cwd = scratch_path(scratch, "project");
    struct adapter_request request = { .cwd = cwd, .surroundings = settings_surroundings(settings) };
    struct launch_plan *made = NULL;
    if (adapter_plan(find(settings, id), &request, &made, &warnings, &error) < 0)
        fail_msg("%s", error.message);
    return made;
}

static void check_list(char *const *list, const char *expected)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, 64 * 1024);
    for (size_t i = 0; list[i] != NULL; i++)
        buffer_addf(&text, "%s%s", i > 0 ? "|" : "", list[i]);
    assert_string_equal(text.data, expected);
}

/* ---- what is there without any file ---- */

static void defaults(void **state)
{
    struct settings *settings = read_all(*state);
    const struct settings_values *values = settings_values(settings);
    assert_int_equal(values->startup_ms, 10000);
    assert_int_equal(values->request_ms, 10000);
    assert_int_equal(values->execution_ms, 30000);
    assert_int_equal(values->shutdown_ms, 5000);
    assert_int_equal(values->launch_ms, TIMEOUT_LAUNCH);
    assert_int_equal(values->idle_ms, 0);
    assert_string_equal(values->stop_context, "brief");
    assert_int_equal(values->result_bytes, LIMIT_TEXT_BYTES);
    assert_int_equal(values->result_lines, LIMIT_TEXT_LINES);
    size_t count;
    settings_adapters(settings, &count);
    assert_int_equal(count, catalog_count());
    check_warnings(*state, settings, "");
    settings_free(settings);
}

/* Pi's file is full of other things; without `dap` there is nothing of ours in it. */
static void pi_file_without_dap(void **state)
{
    put(*state, "home/.pi/agent/settings.json", "{\"theme\": \"dark\", \"timeouts\": 3}");
    put(*state, "project/.pi/settings.json", "{\"adapters\": 1}");
    struct settings *settings = read_all(*state);
    check_warnings(*state, settings, "");
    settings_free(settings);
}

/* ---- layers ---- */

/* A project that sets one time-out must not reset the user's others. */
static void timeouts_merge_field_by_field(void **state)
{
    struct settings *settings = read_with(*state, "{\"timeouts\": {\"startupMs\": 1, \"requestMs\": 2}}",
                                          "{\"timeouts\": {\"requestMs\": 3, \"launchMs\": 4}}");
    const struct settings_values *values = settings_values(settings);
    assert_int_equal(values->startup_ms, 1);
    assert_int_equal(values->request_ms, 3);
    assert_int_equal(values->launch_ms, 4);
    assert_int_equal(values->execution_ms, 30000);
    check_warnings(*state, settings, "");
    settings_free(settings);
}

/* All four files: the later one wins. */
static void four_files(void **state)
{
    put(*state, "home/.pi/agent/settings.json",
        "{\"dap\": {\"timeouts\": {\"startupMs\": 1, \"requestMs\": 1, \"executionMs\": 1, \"shutdownMs\": 1}}}");
    put(*state, GLOBAL, "{\"timeouts\": {\"requestMs\": 2, \"executionMs\": 2, \"shutdownMs\": 2}}");
    put(*state, "project/.pi/settings.json", "{\"dap\": {\"timeouts\": {\"executionMs\": 3, \"shutdownMs\": 3}}}");
    put(*state, PROJECT, "{\"dap\": {\"timeouts\": {\"shutdownMs\": 4}}}");
    struct settings *settings = read_all(*state);
    const struct settings_values *values = settings_values(settings);
    assert_int_equal(values->startup_ms, 1);
    assert_int_equal(values->request_ms, 2);
    assert_int_equal(values->execution_ms, 3);
    assert_int_equal(values->shutdown_ms, 4);
    check_warnings(*state, settings, "");
    settings_free(settings);
}

/* Dapple is started in some folder of the project; another project above it must not add to the nearest. */
static void nearest_project_file(void **state)
{
    const char *scratch = *state;
    put(scratch, PROJECT, "{\"timeouts\": {\"requestMs\": 1, \"launchMs\": 1}}");
    put(scratch, "project/a/.dapple/settings.json", "{\"timeouts\": {\"requestMs\": 2}}");
    scratch_folder(scratch, "project/a/b");
    AUTO_FREE char *deep = scratch_path(scratch, "project/a/b");
    struct settings *settings = settings_read(deep);
    assert_int_equal(settings_values(settings)->request_ms, 2);
    assert_int_equal(settings_values(settings)->launch_ms, TIMEOUT_LAUNCH);
    settings_free(settings);
}

/* $XDG_CONFIG_HOME counts when it is absolute. */
static void config_home(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *config = scratch_path(scratch, "config");
    put(scratch, "config/dapple/settings.json", "{\"idleMs\": 7}");
    setenv("XDG_CONFIG_HOME", config, 1);
    struct settings *settings = read_all(scratch);
    assert_int_equal(settings_values(settings)->idle_ms, 7);
    settings_free(settings);
    setenv("XDG_CONFIG_HOME", "config", 1);
    settings = read_all(scratch);
    assert_int_equal(settings_values(settings)->idle_ms, 0);
    settings_free(settings);
}

/* Entries are replaced as a whole: args of the weaker one must not leak into the stronger; null takes away. */
static void entries_are_replaced_whole(void **state)
{
    struct settings *settings =
        read_with(*state,
                  "{\"adapters\": {\"a\": {\"command\": \"adapter\", \"args\": [\"old\"]}, \"gone\": {\"command\": \"adapter\"}},"
                  "\"profiles\": {\"p\": {\"adapter\": \"a\", \"arguments\": {\"x\": 1, \"y\": 2}},"
                  "\"q\": {\"adapter\": \"a\", \"arguments\": {}}}}",
                  "{\"adapters\": {\"a\": {\"command\": \"adapter\", \"transport\": {\"type\": \"tcp\"}}, \"gone\": null},"
                  "\"profiles\": {\"p\": {\"adapter\": \"a\", \"arguments\": {\"y\": 3}}, \"q\": null}}");
    check_warnings(*state, settings, "");
    assert_true(defines(settings, "a"));
    assert_null(find(settings, "gone"));
    struct launch_plan *made = plan(*state, settings, "a");
    assert_null(made->command.argv[1]);
    assert_int_equal(made->command.transport, SESSION_TCP);
    assert_string_equal(made->command.host, "127.0.0.1");
    assert_int_equal(made->command.port, 0);
    launch_plan_free(made);
    AUTO_FREE char *arguments = json_write_value(profile(settings, "p")->arguments, NULL);
    assert_string_equal(arguments, "{\"y\":3}");
    assert_false(has_profile(settings, "q"));
    settings_free(settings);
}

/* What the file says is kept as it is: environment, host, port, and text that only looks like a placeholder. */
static void definition_is_kept(void **state)
{
    struct settings *settings = read_with(*state,
                                          "{\"nonInteractive\": false, \"adapters\": {\"a\": {\"command\": \"adapter\", \"args\": "
                                          "[\"${other}\", \"$${program}\", \"$PORT\", \"\", \"${cwd}/x\"],"
                                          "\"environment\": {\"A\": \"1\", \"B\": null, \"C\": \"\"}, \"transport\": {\"type\": "
                                          "\"tcp\", \"host\": \"::1\", \"port\": 65535}}}}",
                                          NULL);
    check_warnings(*state, settings, "");
    struct launch_plan *made = plan(*state, settings, "a");
    AUTO_FREE char *expected = xasprintf("${other}|${program}|$PORT||%s/project/x", (const char *)*state);
    check_list(made->command.argv + 1, expected);
    check_list(made->command.env, "A=1|B|C=");
    assert_string_equal(made->command.host, "::1");
    assert_int_equal(made->command.port, 65535);
    assert_string_equal(made->adapter_id, "a");
    assert_string_equal(made->adapter_type, "a");
    launch_plan_free(made);
    settings_free(settings);
}

/* ---- what is wrong ---- */

/* A typo in the project's entry: the user's weaker one must not be started unseen in its place. */
static void invalid_entry_hides_the_weaker_one(void **state)
{
    struct settings *settings =
        read_with(*state,
                  "{\"adapters\": {\"a\": {\"command\": \"adapter\"}, \"b\": {\"command\": \"adapter\"}},"
                  "\"profiles\": {\"p\": {\"adapter\": \"b\", \"arguments\": {}}, \"q\": {\"adapter\": \"b\", \"arguments\": {}}}}",
                  "{\"adapters\": {\"a\": {\"command\": \"adapter\", \"arg\": []}},"
                  "\"profiles\": {\"p\": {\"adapter\": \"b\", \"arguments\": {}, \"more\": 1}}}");
    check_warnings(*state, settings, "project dap.adapters.a.arg: is not allowed\nproject dap.profiles.p.more: is not allowed\n");
    assert_null(find(settings, "a"));
    assert_true(defines(settings, "b"));
    assert_false(has_profile(settings, "p"));
    assert_true(has_profile(settings, "q"));
    settings_free(settings);
}

/* Each wrong definition has its own sentence; the right one beside them stands. */
static void quarantine(void **state)
{
    struct settings *settings = read_with(
        *state,
        "{\"adapters\": {"
        "\"a\": {\"command\": \"x\", \"transport\": {\"type\": \"tcp\", \"port\": 65536}}, \"b\": {\"args\": []},"
        "\"c\": {\"command\": \"x\", \"args\": [\"--port=$PORT\"]}, \"d\": {\"command\": \"adapter\", \"args\": [\"$PORT\"],"
        "\"transport\": {\"type\": \"tcp\"}}, \"e\": {\"command\": \"\"}, \"f\": 3, \"g\": {\"command\": \"x\", \"args\": [1]},"
        "\"h\": {\"command\": \"x\", \"environment\": {\"A\": 1}}, \"i\": {\"command\": \"x\", \"environment\": {\"A=\": \"\"}},"
        "\"j\": {\"command\": \"x\", \"transport\": \"udp\"}, \"k\": {\"command\": \"x\", \"transport\": {\"port\": 1}},"
        "\"l\": {\"command\": \"x\\u0000y\"}, \"m\": {\"command\": \"x\", \"extensions\": [\"py\"]},"
        "\"n\": {\"command\": \"x\", \"transport\": {\"type\": \"tcp\", \"port\": 1.5}}, \"\": {\"command\": \"x\"}},"
        "\"profiles\": {\"\": {}}}",
        NULL);
    check_warnings(*state, settings,
                   "global dap.adapters.a.transport.port: must be <= 65535\n"
                   "global dap.adapters.b.command: is required\n"
                   "global dap.adapters.c.args: $PORT requires TCP transport\n"
                   "global dap.adapters.e.command: must be a non-empty string\n"
                   "global dap.adapters.f: must be an object or null\n"
                   "global dap.adapters.g.args.0: must be a string\n"
                   "global dap.adapters.h.environment.A: must be a string or null\n"
                   "global dap.adapters.i.environment.A=: is no name of a variable\n"
                   "global dap.adapters.j.transport: must be \"stdio\", or an object with type \"tcp\"\n"
                   "global dap.adapters.k.transport.type: is required\n"
                   "global dap.adapters.l.command: must not contain a NUL character\n"
                   "global dap.adapters.m.extensions.0: must be an extension in lower case, like \".py\"\n"
                   "global dap.adapters.n.transport.port: must be an integer\n"
                   "global dap.adapters: Adapter Definition ID must be a non-empty string\n"
                   "global dap.profiles: Launch Profile ID must be a non-empty string\n");
    assert_true(defines(settings, "d"));
    struct launch_plan *made = plan(*state, settings, "d");
    check_list(made->command.argv + 1, "$PORT");
    launch_plan_free(made);
    settings_free(settings);
}

/* A profile without its adapter cannot be launched: told after everything else, in the order of the ids. */
static void references(void **state)
{
    struct settings *settings =
        read_with(*state,
                  "{\"adapters\": {\"gone\": {\"command\": \"adapter\"}, \"bad\": {}}, \"profiles\": {"
                  "\"d\": {\"adapter\": \"debugpy\", \"arguments\": {}}, \"c\": {\"adapter\": \"gone\", \"arguments\": {}},"
                  "\"b\": {\"adapter\": \"missing\", \"arguments\": {}}, \"a\": {\"adapter\": \"bad\", \"arguments\": {}}}}",
                  "{\"adapters\": {\"gone\": null}, \"unknown\": 1}");
    check_warnings(*state, settings,
                   "global dap.adapters.bad.command: is required\n"
                   "project dap.unknown: unknown field\n"
                   "global dap.profiles.a.adapter: adapter \"bad\" is not configured\n"
                   "global dap.profiles.b.adapter: adapter \"missing\" is not configured\n"
                   "global dap.profiles.c.adapter: adapter \"gone\" is not configured\n");
    assert_string_equal(profile(settings, NULL)->id, "d"); /* the only valid one, of a catalog adapter */
    settings_free(settings);
}

/* The order of warnings within a file, and the valid neighbours of what is wrong. */
static void order_of_warnings(void **state)
{
    struct settings *settings = read_with(*state,
                                          "{\"timeouts\": {\"later\": 1, \"requestMs\": -1, \"startupMs\": 5}, \"profiles\": {"
                                          "\"bad\": {\"adapter\": \"gdb\", \"arguments\": []}, \"good\": {\"adapter\": \"gdb\", "
                                          "\"arguments\": {\"a\": {\"b\": [1]}}}},"
                                          "\"other\": 1}",
                                          NULL);
    check_warnings(*state, settings,
                   "global dap.other: unknown field\n"
                   "global dap.profiles.bad.arguments: must be an object\n"
                   "global dap.timeouts.requestMs: must be >= 1\n"
                   "global dap.timeouts.later: unknown field\n");
    assert_int_equal(settings_values(settings)->request_ms, 10000);
    assert_int_equal(settings_values(settings)->startup_ms, 5);
    AUTO_FREE char *arguments = json_write_value(profile(settings, "good")->arguments, NULL);
    assert_string_equal(arguments, "{\"a\":{\"b\":[1]}}");
    settings_free(settings);
}

/* Parts of a wrong type are one warning each, and shadow nothing. */
static void wrong_types(void **state)
{
    put(*state, "home/.pi/agent/settings.json", "{\"dap\": {\"adapters\": {\"a\": {\"command\": \"adapter\"}}}}");
    struct settings *settings = read_with(
        *state,
        "{\"adapters\": [], \"profiles\": 1, \"timeouts\": \"x\", \"idleMs\": -1, \"stopContext\": \"long\", \"nonInteractive\": 1,"
        "\"resultLimits\": {\"bytes\": 100000, \"lines\": 3, \"x\": 1}}",
        "[]");
    check_warnings(*state, settings,
                   "global dap.adapters: expected a JSON object\n"
                   "global dap.profiles: expected a JSON object\n"
                   "global dap.timeouts: expected a JSON object\n"
                   "global dap.nonInteractive: must be true, false, or a list of the further variables CI and NO_COLOR\n"
                   "global dap.idleMs: must be >= 0\n"
                   "global dap.stopContext: must be one of none, brief, full\n"
                   "global dap.resultLimits.bytes: must be <= 16384\n"
                   "global dap.resultLimits.lines: must be >= 20\n"
                   "global dap.resultLimits.x: unknown field\n"
                   "project settings: expected a JSON object\n");
    assert_true(defines(settings, "a"));
    settings_free(settings);
}

/* A member beside `dap` in our own file would be overlooked without a word; `dap` itself may be wrong too. */
static void dap_in_our_own_file(void **state)
{
    struct settings *settings = read_with(*state, "{\"dap\": {\"idleMs\": 5}, \"idleMs\": 6, \"$schema\": \"x\"}", "{\"dap\": 3}");
    check_warnings(*state, settings, "global settings.idleMs: unknown field beside dap\nproject dap: expected a JSON object\n");
    assert_int_equal(settings_values(settings)->idle_ms, 5);
    settings_free(settings);
}

/* Files that cannot be read are warnings, never a reason not to start or to wait. */
static void unreadable_files(void **state)
{
    const char *scratch = *state;
    scratch_folder(scratch, "home/.pi/agent/settings.json");
    scratch_folder(scratch, "project/.dapple");
    AUTO_FREE char *pipe = scratch_path(scratch, PROJECT);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    struct settings *settings = read_with(scratch, "{\"idleMs\": }", NULL);
    AUTO_FREE char *seen = short_warnings(scratch, settings);
    assert_non_null(strstr(seen, "global settings: is no regular file\n"));
    assert_non_null(strstr(seen, "global settings: invalid JSON at byte 11"));
    assert_non_null(strstr(seen, "project settings: is no regular file\n"));
    settings_free(settings);
    AUTO_FREE char *huge = xmalloc(LIMIT_SETTINGS_BYTES + 2);
    memset(huge, ' ', LIMIT_SETTINGS_BYTES + 1);
    huge[LIMIT_SETTINGS_BYTES + 1] = '\0';
    settings = read_with(scratch, huge, NULL);
    AUTO_FREE char *again = short_warnings(scratch, settings);
    assert_non_null(strstr(again, "global settings: is longer than 1048576 bytes\n"));
    settings_free(settings);
}

/* People write comments, and commas where the list goes on next week. */
static void comments_and_commas(void **state)
{
    struct settings *settings = read_with(*state, "\xef\xbb\xbf// mine\n{ /* here */ \"idleMs\": 9, }\n", NULL);
    check_warnings(*state, settings, "");
    assert_int_equal(settings_values(settings)->idle_ms, 9);
    settings_free(settings);
}

/* ---- together with the catalog ---- */

/* The user's own gdb: started as he says, with the catalog's launch arguments and exception filters. */
static void catalog_adapter_is_overridden(void **state)
{
    struct settings *settings =
        read_with(*state, "{\"adapters\": {\"gdb\": {\"command\": \"adapter\", \"args\": [\"-x\"]}}}", NULL);
    assert_true(defines(settings, "gdb"));
    size_t count;
    settings_adapters(settings, &count);
    assert_int_equal(count, catalog_count());
    struct launch_plan *made = plan(*state, settings, "gdb");
    check_list(made->command.argv + 1, "-x");
    assert_true(made->quirks & QUIRK_GDB_SIGNALS);
    assert_string_equal(made->adapter_type, "gdb");
    launch_plan_free(made);
    settings_free(settings);
}

/* Another name of a catalog adapter means the same one, and both names lead to the user's. */
static void alias_is_the_same_adapter(void **state)
{
    struct settings *settings = read_with(*state, "{\"adapters\": {\"python\": {\"command\": \"adapter\"}}}", NULL);
    assert_true(defines(settings, "python"));
    assert_ptr_equal(find(settings, "debugpy"), find(settings, "python"));
    settings_free(settings);
}

/* What an adapter claims and does not do: it is started as ever, and what the catalog says of it stays. */
static void catalog_adapter_is_not_believed(void **state)
{
    struct settings *settings =
        read_with(*state,
                  "{\"adapters\": {\"gdb\": {\"claimsWrongly\": [\"supportsLogPoints\"]}, \"mine\": {\"claimsWrongly\": []},"
                  "\"perl\": {\"claimsWrongly\": [\"logs\"]}, \"dlv\": {\"claimsWrongly\": 1}, \"rdbg\": {\"claimsWrongly\": [], "
                  "\"args\": []}}}",
                  NULL);
    check_warnings(*state, settings,
                   "global dap.adapters.mine.command: is required\n"
                   "global dap.adapters.perl.claimsWrongly.0: must be the name of a capability, like \"supportsLogPoints\"\n"
                   "global dap.adapters.dlv.claimsWrongly: must be a list of strings\n"
                   "global dap.adapters.rdbg.command: is required\n");
    const struct adapter_entry *made = find(settings, "gdb"), *known = catalog_find("gdb");
    assert_non_null(made);
    assert_int_equal(yyjson_arr_size(made->claims_wrongly), yyjson_arr_size(known->claims_wrongly) + 1);
    assert_true(adapter_list_names(made->claims_wrongly, "supportsLogPoints"));
    assert_null(made->defined);
    assert_true(yyjson_equals(made->start, known->start));
    settings_free(settings);
}

/* null, and a fault, take the catalog's adapter away as well: it is what the user did not want to run. */
static void catalog_adapter_is_taken_away(void **state)
{
    struct settings *settings = read_with(*state, "{\"adapters\": {\"gdb\": null, \"debugpy\": {\"command\": 1}}}", NULL);
    assert_null(find(settings, "gdb"));
    assert_null(find(settings, "debugpy"));
    assert_non_null(find(settings, "lldb-dap"));
    settings_free(settings);
}

/* A command from the home folder, from the project, and one that is not there. */
static void where_commands_are(void **state)
{
    const char *scratch = *state;
    free(scratch_program(scratch, "home/own", ""));
    free(scratch_program(scratch, "project/tools/adapter", ""));
    struct settings *settings =
        read_with(scratch, "{\"adapters\": {\"home\": {\"command\": \"~/own\"}, \"none\": {\"command\": \"~/none\"}}}",
                  "{\"adapters\": {\"tool\": {\"command\": \"tools/adapter\"}}}");
    struct launch_plan *made = plan(scratch, settings, "home");
    AUTO_FREE char *own = scratch_path(scratch, "home/own");
    assert_string_equal(made->command.argv[0], own);
    launch_plan_free(made);
    made = plan(scratch, settings, "tool");
    AUTO_FREE char *tool = scratch_path(scratch, "project/tools/adapter");
    assert_string_equal(made->command.argv[0], tool);
    launch_plan_free(made);
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    struct adapter_request request = { .cwd = scratch };
    assert_int_equal(adapter_plan(find(settings, "none"), &request, &made, &warnings, &error), -1);
    assert_string_equal(error.message, "the settings start adapter none with ~/none, which is no executable file");
    settings_free(settings);
}

/* ---- surroundings ---- */

static bool surrounds(const struct settings *settings, const char *variable)
{
    char *const *list = settings_surroundings(settings);
    while (*list != NULL && strcmp(*list, variable) != 0)
        list++;
    return *list != NULL;
}

/* The user's own environment is his word; CI and NO_COLOR are for those who ask. */
static void non_interactive(void **state)
{
    setenv("PAGER", "mine", 1);
    unsetenv("GIT_PAGER");
    unsetenv("CI");
    unsetenv("NO_COLOR");
    struct settings *settings = read_all(*state);
    assert_true(surrounds(settings, "GIT_PAGER=cat"));
    assert_true(surrounds(settings, "AWS_PAGER="));
    assert_false(surrounds(settings, "PAGER=cat"));
    assert_false(surrounds(settings, "CI=1"));
    settings_free(settings);
    settings = read_with(*state, "{\"nonInteractive\": [\"NO_COLOR\", \"X\"]}", NULL);
    assert_true(surrounds(settings, "GIT_PAGER=cat"));
    assert_true(surrounds(settings, "NO_COLOR=1"));
    assert_false(surrounds(settings, "CI=1"));
    check_warnings(*state, settings, "global dap.nonInteractive: a list may name CI and NO_COLOR only\n");
    settings_free(settings);
    settings = read_with(*state, "{\"nonInteractive\": false}", NULL);
    assert_null(settings_surroundings(settings)[0]);
    settings_free(settings);
    unsetenv("PAGER");
}

/* What the adapter's own definition says of a variable comes after, and wins. */
static void definition_wins_over_surroundings(void **state)
{
    unsetenv("PAGER");
    struct settings *settings =
        read_with(*state, "{\"adapters\": {\"a\": {\"command\": \"adapter\", \"environment\": {\"PAGER\": \"less\"}}}}", NULL);
    struct launch_plan *made = plan(*state, settings, "a");
    char *const *env = made->command.env;
    assert_string_equal(env[0], "PAGER=cat");
    while (env[1] != NULL)
        env++;
    assert_string_equal(env[0], "PAGER=less");
    launch_plan_free(made);
    settings_free(settings);
}

/* ---- change ---- */

/* A later launch sees what was edited meanwhile, also a file of the same length, a nearer one, and trust. */
static void changes_are_seen(void **state)
{
    const char *scratch = *state;
    struct settings *settings = read_with(scratch, "{\"idleMs\": 1}", NULL);
    assert_false(settings_changed(settings));
    AUTO_FREE char *new = scratch_file(scratch, "new", "{\"idleMs\": 2}");
    AUTO_FREE char *old = scratch_path(scratch, GLOBAL);
    assert_int_equal(rename(new, old), 0);
    assert_true(settings_changed(settings));
    settings_free(settings);
    settings = read_all(scratch);
    assert_int_equal(settings_values(settings)->idle_ms, 2);
    put(scratch, "project/.pi/settings.json", "{}");
    assert_true(settings_changed(settings));
    settings_free(settings);
    settings = read_all(scratch);
    trust_project(scratch);
    assert_true(settings_changed(settings));
    settings_free(settings);
    settings = read_all(scratch);
    assert_int_equal(unlink(old), 0);
    assert_true(settings_changed(settings));
    settings_free(settings);
}

/* ---- the documentation ---- */

/* Every example in docs/settings.md is a whole file: it must load without a warning. */
static void examples(void **state)
{
    AUTO_FREE char *path = path_join(getenv("DAPPLE_SOURCE"), "docs/settings.md");
    static char text[256 * 1024];
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    int count = 0;
    for (char *at = text; (at = strstr(at, "```jsonc\n")) != NULL; count++) {
        at += strlen("```jsonc\n");
        char *end = strstr(at, "```");
        assert_non_null(end);
        AUTO_FREE char *example = xstrndup(at, (size_t)(end - at));
        struct settings *settings = read_with(*state, example, NULL);
        check_warnings(*state, settings, "");
        settings_free(settings);
        at = end + 3;
    }
    assert_true(count >= 4);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(defaults),
        TEST(pi_file_without_dap),
        TEST(timeouts_merge_field_by_field),
        TEST(four_files),
        TEST(nearest_project_file),
        TEST(config_home),
        TEST(entries_are_replaced_whole),
        TEST(definition_is_kept),
        TEST(invalid_entry_hides_the_weaker_one),
        TEST(quarantine),
        TEST(references),
        TEST(order_of_warnings),
        TEST(wrong_types),
        TEST(dap_in_our_own_file),
        TEST(unreadable_files),
        TEST(comments_and_commas),
        TEST(catalog_adapter_is_overridden),
        TEST(catalog_adapter_is_not_believed),
        TEST(alias_is_the_same_adapter),
        TEST(catalog_adapter_is_taken_away),
        TEST(where_commands_are),
        TEST(non_interactive),
        TEST(definition_wins_over_surroundings),
        TEST(changes_are_seen),
        TEST(examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
