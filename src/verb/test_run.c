#include "verb/test_run.h"

#include "base/path.h"
#include "verb/internal.h"

#include <string.h>

#define FILTER "userUnhandled"
#define TESTS_FAILED 1 /* the exit code of pytest and of unittest then */

/* The runner that a word of a command line names ("/x/bin/pytest", "unittest"); NULL: none. `len` of it are looked at. */
static const char *runner_of_word(const char *word, size_t len)
{
    static const char *const runners[] = { "pytest", "py.test", "unittest" };
    AUTO_FREE char *text = xstrndup(word, len);
    for (size_t i = 0; i < COUNT_OF(runners); i++)
        if (strcmp(path_name(text), runners[i]) == 0)
            return runners[i];
    return NULL;
}

/* Of `pytest -x`, `python3 -m pytest`, ["-m", "pytest"] and {"module": "pytest"}: the first word, or the one behind -m. */
static const char *runner_of(yyjson_val *arguments)
{
    const char *program = json_string(arguments, "program");
    const char *module = json_string(json_object(arguments, "launch_arguments"), "module");
    yyjson_val *args = json_array(arguments, "args");
    const char *found = module != NULL ? runner_of_word(module, strlen(module)) : NULL;
    const char *behind = program != NULL ? strstr(program, " -m ") : NULL;
    if (found == NULL && program != NULL)
        found = runner_of_word(program, strcspn(program, " "));
    if (found == NULL && behind != NULL)
        found = runner_of_word(behind + 4, strcspn(behind + 4, " "));
    const char *first = yyjson_get_str(yyjson_arr_get(args, 0)), *second = yyjson_get_str(yyjson_arr_get(args, 1));
    if (found == NULL && first != NULL && second != NULL && strcmp(first, "-m") == 0)
        found = runner_of_word(second, strlen(second));
    return found;
}

static bool has_filter(const struct session *session)
{
    const struct breakpoint_list *list = session_find_breakpoint_list(session, BREAKPOINT_EXCEPTION, NULL);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (!list->desired[i].disabled && list->desired[i].name != NULL && strcmp(list->desired[i].name, FILTER) == 0)
            return true;
    return false;
}

/* pytest's own command leaves by sys.exit(1), which the program stops at. */
static bool leaves(const struct call *call)
{
    const struct stop *stop = session_stop(call_session(call));
    const struct packet *packet = named_packet(call->named);
    if (stop == NULL || packet == NULL || !packet->has_exception)
        return false;
    const struct exception_info *thrown = &packet->exception;
    const char *code = thrown->description;
    return thrown->id != NULL && strcmp(thrown->id, "SystemExit") == 0 && code != NULL &&
           (strcmp(code, "1") == 0 || strstr(code, "TESTS_FAILED") != NULL);
}

static bool failed(const struct call *call)
{
    const struct session *session = call_session(call);
    int64_t code;
    if (session_state(session) == SESSION_TERMINATED)
        return session_exit_code(session, &code) && code == TESTS_FAILED;
    return session_state(session) == SESSION_STOPPED && leaves(call);
}

void test_run_describe(struct buffer *out, const struct call *call)
{
    const struct session *session = call_session(call);
    struct named *named = call->named;
    if (named->started == NULL || named->told_test_run || !session_quirk(session, QUIRK_TEST_RUNNERS_CATCH) || !failed(call) ||
        has_filter(session))
        return;
    const char *runner = runner_of(yyjson_doc_get_root(named->started));
    if (runner == NULL)
        return;
    named->told_test_run = true;
    buffer_addf(out, "tests that fail stop nothing, since %s catches what they raise", runner);
    if (call_offers(call, "dap_add_breakpoint"))
        buffer_add(out, ": after dap_add_breakpoint exception=" FILTER
                        " a launch stops where one fails (and where one skips, or catches "
                        "what it expects)");
    buffer_addc(out, '\n');
}
