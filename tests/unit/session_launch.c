/* Orderings of a launch: everything that an adapter may send before, between and after what the specification draws. */
#include "session_rig.h"

#include "base/error.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CAPABILITIES "{'supportsConfigurationDoneRequest':true,'supportsConditionalBreakpoints':true}"
#define FRAMES "{'stackFrames':[{'id':7,'name':'main','line':3,'column':1}]}"

static void started(struct rig *rig)
{
    rig_open(rig);
    rig_break(rig, "/w/a.py", 3, NULL);
    rig_launch(rig, NULL);
    rig_connect(rig);
}

/* gdb, debugpy, js-debug: `launch` is answered only after configurationDone; waiting for it first would wait for ever. */
static void launch_is_answered_last(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_expect(&rig, "initialize");
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_expect(&rig, "launch");
    rig_event(&rig, "initialized", NULL);
    rig_expect(&rig, "setBreakpoints");
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true,'id':1,'line':3}]}");
    rig_expect(&rig, "configurationDone");
    rig_answer(&rig, "configurationDone", NULL);
    assert_int_equal(rig.launches, 0);
    assert_int_equal(session_state(rig.session), SESSION_LAUNCHING);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(rig.launch_outcome, LAUNCH_STARTED);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* lldb-dap 19, dlv: the launch answer comes first, `initialized` after it. */
static void initialized_after_the_launch_answer(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(rig.launches, 0);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
    rig_answer(&rig, "configurationDone", NULL);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* netcoredbg raises `initialized` before it has answered `initialize`: nothing may be sent before the capabilities are known. */
static void initialized_before_the_initialize_answer(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig.sent_count, 1);
    rig_answer(&rig, "initialize", CAPABILITIES);
    assert_int_equal(rig_count(&rig, "setBreakpoints"), 1);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(rig.launches, 1);
    rig_close(&rig);
}

/* php-debug raises `initialized` for each connection of Xdebug: each time the complete configuration is due. */
static void initialized_twice(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "setBreakpoints"), 2);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
    assert_int_equal(rig_count(&rig, "configurationDone"), 2);
    rig_answer(&rig, "configurationDone", NULL);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* An adapter that answers launch and never sends `initialized`: the launch fails in bounded time with the reason, and the adapter is ended. */
static void initialized_never(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_answer(&rig, "launch", NULL);
    rig_pass(&rig, 10001);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_answer(&rig, "disconnect", NULL);
    assert_true(rig.closed);
    assert_int_equal(rig.launches, 0);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
    assert_non_null(strstr(rig.launch_error, "initialized"));
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    rig_close(&rig);
}

/* The same, but the program stopped: the session was torn down under the user's hands. There is a stop, so it works. */
static void initialized_never_but_a_stop(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_answer(&rig, "launch", NULL);
    rig_event(&rig, "stopped", "{'reason':'entry','threadId':1}");
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(rig.launches, 1);
    rig_pass(&rig, 10001);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_close(&rig);
}

/* A program that ends within milliseconds: `exited` and `terminated` overtake the answers to launch and configurationDone, which never come. */
static void the_end_comes_during_the_launch(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
    rig_event(&rig, "output", "{'category':'stdout','output':'hi'}");
    rig_event(&rig, "exited", "{'exitCode':3}");
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(rig.launch_outcome, LAUNCH_STARTED);
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    int64_t code;
    assert_true(session_exit_code(rig.session, &code));
    assert_int_equal(code, 3);
    assert_string_equal(session_termination_reason(rig.session), "Debuggee exited");
    struct output output;
    session_drain_output(rig.session, &output);
    assert_string_equal(output.bytes, "hi");
    output_done(&output);
    rig_close(&rig);
}

/* gdb answers launch with its error after the whole configuration: the error ends the launch. */
static void launch_is_refused_after_the_configuration(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':false}]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_refuse(&rig, "launch", "no such file");
    rig_answer(&rig, "disconnect", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
    assert_string_equal(rig.launch_error, "launch request failed: no such file");
    assert_string_equal(session_termination_reason(rig.session), "launch failed: launch request failed: no such file");
    rig_close(&rig);
}

/* lldb-dap 19 refuses launch, never sends `initialized`, and stays even when its stdin is closed: it gets the signals. */
static void a_refused_launch_ends_an_adapter_that_stays(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_refuse(&rig, "launch", "no");
    rig_answer(&rig, "disconnect", NULL);
    assert_true(rig.closed);
    rig_pass(&rig, 150);
    assert_true(rig.term);
    rig_pass(&rig, 600);
    assert_true(rig.kill);
    assert_int_equal(rig.launches, 0);
    session_on_exit(rig.session, 0, 9);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
    rig_close(&rig);
}

/* Adapters compile inside launch. When its time-out passes, the session stays, says so, and becomes running when the answer comes. */
static void a_slow_launch_stays(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_pass(&rig, 119000);
    assert_int_equal(rig.launches, 0);
    rig_pass(&rig, 2000);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(rig.launch_outcome, LAUNCH_PENDING);
    assert_int_equal(session_state(rig.session), SESSION_LAUNCHING);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    assert_int_equal(rig.launches, 1);
    rig_close(&rig);
}

/* A launch that fails after its time-out has nobody waiting for it: the reason is in the state. */
static void a_slow_launch_that_fails_says_why(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_pass(&rig, 121000);
    rig_refuse(&rig, "launch", "Build error");
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    assert_string_equal(session_termination_reason(rig.session), "launch failed: launch request failed: Build error");
    assert_int_equal(rig.launches, 1);
    rig_close(&rig);
}

/* The first stop may come before the launch answer; the launch is over when its frames were read. */
static void a_stop_before_the_launch_answer(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true,'id':4}]}");
    rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':1,'hitBreakpointIds':[4]}");
    assert_int_equal(rig.launches, 0);
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_close(&rig);
}

/* bash-debug does not claim configurationDone: setExceptionBreakpoints comes last, even without filters. */
static void without_configuration_done(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", "{}");
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "setExceptionBreakpoints"), 0);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
    assert_int_equal(rig_count(&rig, "setExceptionBreakpoints"), 1);
    assert_int_equal(rig_count(&rig, "configurationDone"), 0);
    rig_answer(&rig, "setExceptionBreakpoints", NULL);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* An empty initialize body must not clear what a `capabilities` event told before it (netcoredbg). */
static void capabilities_are_merged(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_event(&rig, "capabilities", "{'capabilities':{'supportsConfigurationDoneRequest':true}}");
    rig_answer(&rig, "initialize", "{}");
    assert_true(session_capability(rig.session, "supportsConfigurationDoneRequest"));
    rig_close(&rig);
}

/* Only filters that the adapter offers are sent; a missing one is named to the user. */
static void exception_filters_are_checked(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, (const char *const[]){ "uncaught", "nonsense", NULL });
    rig_connect(&rig);
    rig_answer(
        &rig, "initialize",
        "{'supportsConfigurationDoneRequest':true,'exceptionBreakpointFilters':[{'filter':'raised'},{'filter':'uncaught'}]}");
    rig_event(&rig, "initialized", NULL);
    yyjson_val *filters = json_array(rig_find(&rig, "setExceptionBreakpoints")->arguments, "filters");
    assert_int_equal(yyjson_arr_size(filters), 1);
    assert_string_equal(yyjson_get_str(yyjson_arr_get_first(filters)), "uncaught");
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_non_null(strstr(notice, "nonsense"));
    assert_non_null(strstr(notice, "raised, uncaught"));
    rig_close(&rig);
}

/* An adapter without conditions must not get them: it would ignore them, or break. The breakpoint is set without, and decided about here. */
static void conditions_need_the_capability(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_break(&rig, "/w/a.py", 3, "x > 1");
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", "{'supportsConfigurationDoneRequest':true}");
    rig_event(&rig, "initialized", NULL);
    yyjson_val *sent = json_array(rig_find(&rig, "setBreakpoints")->arguments, "breakpoints");
    assert_int_equal(yyjson_arr_size(sent), 1);
    assert_null(json_member(yyjson_arr_get_first(sent), "condition"));
    rig_close(&rig);
}

/* The adapter crashes while it is being launched: the launch fails at once with its exit status, and says so when not even `initialize` was
 * answered: that may be no adapter at all. */
static void the_adapter_dies_during_the_launch(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        struct rig rig;
        started(&rig);
        if (!early)
            rig_answer(&rig, "initialize", CAPABILITIES);
        session_on_stderr(rig.session, "boom\n", 5);
        rig_exit(&rig, 127, 0);
        assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
        assert_string_equal(rig.launch_error,
                            early ? "Debug Adapter exited unexpectedly (code 127), before it answered \"initialize\""
                                  : "Debug Adapter exited unexpectedly (code 127)");
        size_t len;
        AUTO_FREE char *tail = session_stderr_tail(rig.session, 100, &len);
        assert_string_equal(tail, "boom\n");
        rig_close(&rig);
    }
}

/* A host that cannot start the adapter: the session was never connected, so it is idle again, and can launch. */
static void the_adapter_does_not_start(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, NULL);
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_SPAWN, "cannot execute /x: No such file or directory");
    session_on_start_failed(rig.session, &error);
    assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
    assert_string_equal(rig.launch_error, error.message);
    assert_int_equal(session_state(rig.session), SESSION_IDLE);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    assert_int_equal(session_state(rig.session), SESSION_LAUNCHING);
    rig_close(&rig);
}

/* Nothing accepts the connection: the start-up time-out ends it. An adapter that listens on another port than it was told looked the same
 * as one that does nothing; what the host knows of it is said. */
static void the_adapter_never_connects(void **state)
{
    (void)state;
    static const char *const explained[] = { NULL, "the adapter has not accepted a connection on port 1, but listens on port 2" };
    for (size_t i = 0; i < COUNT_OF(explained); i++) {
        struct rig rig;
        rig_open(&rig);
        rig.wait_explained = explained[i];
        rig_launch(&rig, NULL);
        rig_pass(&rig, 10001);
        assert_true(rig.kill);
        session_on_exit(rig.session, 0, 9);
        assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
        assert_string_equal(rig.launch_error,
                            i == 0
                                ? "the adapter has not accepted a connection (waited 10000 ms)"
                                : "the adapter has not accepted a connection on port 1, but listens on port 2 (waited 10000 ms)");
        assert_int_equal(session_state(rig.session), SESSION_IDLE);
        rig_close(&rig);
    }
}

/* Cancelling a launch cleans up completely before it is reported. */
static void a_cancelled_launch(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    session_launch_cancel(rig.session);
    assert_int_equal(rig.launches, 0);
    rig_answer(&rig, "disconnect", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.launch_outcome, LAUNCH_CANCELLED);
    rig_close(&rig);
}

/* gdb before 16 wants `launch` after configurationDone: once, however often it is configured. */
static void launch_comes_last(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.quirks = QUIRK_LAUNCH_LAST;
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "configurationDone"), 1);
    assert_int_equal(rig_count(&rig, "launch"), 0);
    rig_answer(&rig, "configurationDone", NULL);
    assert_int_equal(rig_count(&rig, "launch"), 1);
    assert_int_equal(rig.launches, 0);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(rig.launch_outcome, LAUNCH_STARTED);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "configurationDone", NULL);
    assert_int_equal(rig_count(&rig, "launch"), 1);
    rig_close(&rig);
}

/* Stopped by the user while breakpoints are being set: their answer must not let configurationDone go out, which starts the program. */
static void no_configuration_after_the_end(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct rig rig;
        started(&rig);
        rig_answer(&rig, "initialize", CAPABILITIES);
        rig_event(&rig, "initialized", NULL);
        if (how == 0)
            session_end(rig.session, "stopped by request", rig_on_end, &rig);
        else if (how == 1)
            session_launch_cancel(rig.session);
        else
            rig_event(&rig, "terminated", NULL);
        rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
        rig_event(&rig, "initialized", NULL);
        assert_int_equal(rig_count(&rig, "configurationDone"), 0);
        assert_int_equal(rig_count(&rig, "setBreakpoints"), 1);
        rig_close(&rig);
    }
}

/* What we say of ourselves is all that an adapter knows: lines and columns from 1, paths, types, pages; and nothing that we cannot do. */
static void what_initialize_says(void **state)
{
    (void)state;
    struct rig rig;
    started(&rig);
    yyjson_val *arguments = rig_expect(&rig, "initialize")->arguments;
    assert_string_equal(json_string(arguments, "adapterID"), "test");
    assert_string_equal(json_string(arguments, "clientID"), "dapple");
    assert_string_equal(json_string(arguments, "locale"), "en-US");
    assert_string_equal(json_string(arguments, "pathFormat"), "path");
    static const char *const claims[] = { "linesStartAt1",
                                          "columnsStartAt1",
                                          "supportsVariableType",
                                          "supportsVariablePaging",
                                          "supportsMemoryReferences",
                                          "supportsProgressReporting",
                                          "supportsInvalidatedEvent",
                                          "supportsMemoryEvent",
                                          "supportsRunInTerminalRequest",
                                          "supportsStartDebuggingRequest" };
    for (size_t i = 0; i < COUNT_OF(claims); i++)
        assert_true(json_bool(arguments, claims[i], false));
    assert_false(json_bool(arguments, "supportsANSIStyling", false));
    rig_close(&rig);
}

/* `initialize` refused, or not answered: the launch fails with that, and nothing else was asked. */
static void initialize_fails(void **state)
{
    (void)state;
    for (int silent = 0; silent < 2; silent++) {
        struct rig rig;
        started(&rig);
        if (silent)
            rig_pass(&rig, 10000);
        else
            rig_refuse(&rig, "initialize", "wrong version");
        assert_int_equal(rig_count(&rig, "launch"), 0);
        rig_exit(&rig, 0, 0);
        assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
        assert_string_equal(rig.launch_error,
                            silent ? "no answer to \"initialize\" within 10 s" : "initialize request failed: wrong version");
        rig_close(&rig);
    }
}

/* A host sleeps until the deadline that it is told: each of the launch's time-outs must be in it. */
static void the_host_sleeps_until_the_deadline(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    assert_int_equal(session_deadline(rig.session), UINT64_MAX);
    rig_launch(&rig, NULL);
    assert_int_equal(session_deadline(rig.session), rig.now + 10000);
    rig_pass(&rig, 7);
    rig_connect(&rig);
    assert_int_equal(session_deadline(rig.session), rig.now + 10000);
    rig_answer(&rig, "initialize", CAPABILITIES);
    assert_int_equal(session_deadline(rig.session), rig.now + 120000);
    rig_pass(&rig, 7);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(session_deadline(rig.session), rig.now + 10000);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "configurationDone", NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    assert_int_equal(session_deadline(rig.session), UINT64_MAX);
    rig_close(&rig);
}

/* Two launches race: the second is refused while the first has not even connected. */
static void a_launch_is_reserved_at_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, NULL);
    struct launch_plan *plan = xcalloc(1, sizeof(*plan));
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(session_launch(rig.session, plan, NULL, NULL, &error), -1);
    assert_int_equal(error.kind, ERROR_STATE);
    rig_close(&rig);
}

/* A new launch while the former adapter is still being ended waits for it, and then starts clean. */
static void a_relaunch_waits_for_the_former_adapter(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    rig_pass(&rig, 250);
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    assert_true(session_process_alive(rig.session));
    rig_launch(&rig, NULL);
    assert_false(rig.starting);
    rig_exit(&rig, 0, 0);
    assert_true(rig.starting);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    assert_int_equal(rig_count(&rig, "launch"), 2);
    rig_close(&rig);
}

/* Cancelled before the former adapter is gone: nothing of the new launch ever began, and the former end stays readable. */
static void a_relaunch_cancelled_while_it_waits(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    rig_event(&rig, "exited", "{'exitCode':5}");
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    rig_launch(&rig, NULL);
    session_launch_cancel(rig.session);
    assert_int_equal(rig.launch_outcome, LAUNCH_CANCELLED);
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    rig_exit(&rig, 0, 0);
    assert_false(rig.starting);
    int64_t code;
    assert_true(session_exit_code(rig.session, &code));
    assert_int_equal(code, 5);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launch_is_answered_last),
        cmocka_unit_test(initialized_after_the_launch_answer),
        cmocka_unit_test(initialized_before_the_initialize_answer),
        cmocka_unit_test(initialized_twice),
        cmocka_unit_test(initialized_never),
        cmocka_unit_test(initialized_never_but_a_stop),
        cmocka_unit_test(the_end_comes_during_the_launch),
        cmocka_unit_test(launch_is_refused_after_the_configuration),
        cmocka_unit_test(a_refused_launch_ends_an_adapter_that_stays),
        cmocka_unit_test(a_slow_launch_stays),
        cmocka_unit_test(a_slow_launch_that_fails_says_why),
        cmocka_unit_test(a_stop_before_the_launch_answer),
        cmocka_unit_test(without_configuration_done),
        cmocka_unit_test(capabilities_are_merged),
        cmocka_unit_test(exception_filters_are_checked),
        cmocka_unit_test(conditions_need_the_capability),
        cmocka_unit_test(the_adapter_dies_during_the_launch),
        cmocka_unit_test(the_adapter_does_not_start),
        cmocka_unit_test(the_adapter_never_connects),
        cmocka_unit_test(a_cancelled_launch),
        cmocka_unit_test(what_initialize_says),
        cmocka_unit_test(initialize_fails),
        cmocka_unit_test(the_host_sleeps_until_the_deadline),
        cmocka_unit_test(launch_comes_last),
        cmocka_unit_test(no_configuration_after_the_end),
        cmocka_unit_test(a_launch_is_reserved_at_once),
        cmocka_unit_test(a_relaunch_waits_for_the_former_adapter),
        cmocka_unit_test(a_relaunch_cancelled_while_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
