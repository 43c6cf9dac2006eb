/* How a session ends: by itself, by request, or because something broke; what stays readable, and that it always ends in time. */
#include "session_rig.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "dap/connection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define POLITE                                                                                                  \
    "{'supportsConfigurationDoneRequest':true,'supportsTerminateRequest':true,'supportTerminateDebuggee':true," \
    "'supportsConditionalBreakpoints':true}"

static void running(struct rig *rig)
{
    rig_open(rig);
    rig_run(rig);
    rig_wait(rig, 600000);
}

/* The adapter's process is the program: its output comes as bytes as they come, not bound to events. */
static void carrying(struct rig *rig)
{
    rig_open(rig);
    rig->quirks = QUIRK_IS_THE_PROGRAM;
    rig_run(rig);
}

static void running_with(struct rig *rig, const char *capabilities, bool attach)
{
    rig_open(rig);
    rig->capabilities = capabilities;
    rig->attach = attach;
    rig_run(rig);
    rig_wait(rig, 600000);
}

static void stop(struct rig *rig)
{
    session_end(rig->session, "stopped by request", rig_on_end, rig);
}

static void expect_exit_code(struct rig *rig, int64_t wanted)
{
    int64_t code = -77;
    assert_true(session_exit_code(rig->session, &code));
    assert_int_equal(code, wanted);
}

static void expect_no_exit_code(struct rig *rig)
{
    int64_t code;
    assert_false(session_exit_code(rig->session, &code));
}

static void expect_ended(struct rig *rig, const char *reason)
{
    assert_int_equal(session_state(rig->session), SESSION_TERMINATED);
    assert_string_equal(session_termination_reason(rig->session), reason);
    assert_int_equal(rig->waits, 1);
    assert_int_equal(rig->wait_outcome, WAIT_ENDED);
    assert_null(session_stop(rig->session));
}

static void expect_output(struct rig *rig, const char *wanted)
{
    struct output output;
    session_drain_output(rig->session, &output);
    assert_string_equal(output.bytes, wanted);
    output_done(&output);
}

/* ---- by itself ---- */

/* `exited` and `terminated` come in either order; the code counts, and the adapter is let go behind it. */
static void both_events_in_any_order(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct rig rig;
        running(&rig);
        rig_event(&rig, order == 0 ? "exited" : "terminated", order == 0 ? "{'exitCode':3}" : NULL);
        assert_int_equal(rig.waits, 0);
        rig_event(&rig, order == 0 ? "terminated" : "exited", order == 0 ? NULL : "{'exitCode':3}");
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        assert_int_equal(rig_count(&rig, "terminate"), 0);
        rig_answer(&rig, "disconnect", NULL);
        expect_ended(&rig, "Debuggee exited");
        expect_exit_code(&rig, 3);
        assert_true(rig.closed);
        assert_true(session_process_alive(rig.session));
        rig_exit(&rig, 0, 0);
        assert_false(session_process_alive(rig.session));
        assert_false(rig.term || rig.kill);
        expect_ended(&rig, "Debuggee exited");
        rig_close(&rig);
    }
}

/* LLDB tells SIGKILL, which nothing stops for first, by its number: a program that left with 9 looks alike, and neither is claimed. */
static void killed_or_exited(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.quirks = QUIRK_SIGNAL_AS_EXIT_CODE;
    rig_run(&rig);
    rig_event(&rig, "exited", "{'exitCode':9}");
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    expect_exit_code(&rig, 9);
    assert_string_equal(session_termination_reason(rig.session),
                        "Debuggee exited, or was killed by SIGKILL: test tells both alike");
    rig_close(&rig);
}

/* `exited` alone: the code is known, and after a while without `terminated` the session ends all the same. */
static void exited_alone(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "exited", "{'exitCode':'0'}");
    rig_pass(&rig, 499);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    rig_pass(&rig, 1);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_answer(&rig, "disconnect", NULL);
    expect_ended(&rig, "Debuggee exited");
    expect_exit_code(&rig, 0);
    rig_close(&rig);
}

/* `exited` and then the end of the stream, as rdbg does: no crash, a clean end. */
static void exited_then_the_stream_ends(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "exited", "{'exitCode':4}");
    rig_exit(&rig, 1, 0);
    expect_ended(&rig, "Debuggee exited");
    expect_exit_code(&rig, 4);
    rig_close(&rig);
}

/* `terminated` alone: the code is not known, and is not invented. Bodies that have none say nothing either. */
static void terminated_alone(void **state)
{
    (void)state;
    static const char *const exited[] = { NULL, "{}", "null", "{'exitCode':null}", "{'exitCode':{}}" };
    for (size_t i = 0; i <= COUNT_OF(exited); i++) {
        struct rig rig;
        running(&rig);
        if (i < COUNT_OF(exited))
            rig_event(&rig, "exited", exited[i]);
        rig_event(&rig, "terminated", "{'restart':true}");
        rig_answer(&rig, "disconnect", NULL);
        assert_int_equal(rig.waits, 0);
        rig_pass(&rig, 200);
        expect_ended(&rig, "Debug Session terminated");
        expect_no_exit_code(&rig);
        rig_close(&rig);
    }
}

/* dlv and others send the last output and the exit code after `terminated`: it begins a drain, it closes nothing. */
static void late_output_and_exit_code(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "output", "{'category':'stdout','output':'a'}");
    rig_event(&rig, "terminated", NULL);
    rig_event(&rig, "output", "{'category':'stdout','output':'b'}");
    rig_answer(&rig, "disconnect", NULL);
    rig_event(&rig, "output", "{'category':'stdout','output':'c'}");
    assert_int_equal(rig.waits, 0);
    rig_event(&rig, "exited", "{'exitCode':-9}");
    expect_ended(&rig, "Debuggee exited");
    expect_exit_code(&rig, -9);
    rig_event(&rig, "output", "{'category':'stdout','output':'d'}");
    expect_output(&rig, "abcd");
    rig_close(&rig);
}

/* The drain is bounded: what comes after it was made known changes nothing any more. */
static void an_exit_code_that_is_too_late(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    rig_pass(&rig, 200);
    expect_ended(&rig, "Debug Session terminated");
    rig_event(&rig, "exited", "{'exitCode':1}");
    expect_no_exit_code(&rig);
    expect_ended(&rig, "Debug Session terminated");
    rig_close(&rig);
}

/* The stream ends during the drain: nothing more can come. */
static void the_drain_ends_with_the_stream(void **state)
{
    (void)state;
    for (int answered = 0; answered < 2; answered++) {
        struct rig rig;
        running(&rig);
        rig_event(&rig, "terminated", NULL);
        if (answered)
            rig_answer(&rig, "disconnect", NULL);
        session_on_stream_end(rig.session, 0, answered ? NULL : "Connection reset by peer");
        expect_ended(&rig, "Debug Session terminated");
        session_on_exit(rig.session, 0, 6); /* lldb-dap aborts in free() after disconnect: no news */
        expect_ended(&rig, "Debug Session terminated");
        rig_close(&rig);
    }
}

/* dlv sends `terminated` twice; a second disconnect hangs some adapters. */
static void duplicates(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "exited", "{'exitCode':7}");
    rig_event(&rig, "exited", "{}");
    for (int i = 0; i < 3; i++)
        rig_event(&rig, "terminated", NULL);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_answer(&rig, "disconnect", NULL);
    rig_event(&rig, "terminated", NULL);
    rig_event(&rig, "exited", "{'exitCode':8}");
    rig_pass(&rig, 50);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    expect_ended(&rig, "Debuggee exited");
    expect_exit_code(&rig, 7);
    rig_close(&rig);
}

/* The adapter stays silent after the program has ended: it is told so in bounded time, and the adapter gets the signals. */
static void disconnect_is_not_answered_at_the_end(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "terminated", NULL);
    rig_pass(&rig, 1000);
    assert_false(rig.term);
    rig_pass(&rig, 200);
    expect_ended(&rig, "Debug Session terminated");
    assert_true(rig.closed);
    rig_pass(&rig, 100);
    assert_true(rig.term);
    rig_pass(&rig, 500);
    assert_true(rig.kill);
    rig_exit(&rig, 0, 9);
    expect_ended(&rig, "Debug Session terminated");
    rig_close(&rig);
}

/* Stops and resumes that come while the end is under way are no news. */
static void events_after_the_end(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "terminated", NULL);
    rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':1}");
    rig_event(&rig, "continued", NULL);
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "stackTrace"), 0);
    assert_int_equal(rig_count(&rig, "configurationDone"), 1);
    rig_answer(&rig, "disconnect", NULL);
    rig_pass(&rig, 200);
    rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':1}");
    expect_ended(&rig, "Debug Session terminated");
    rig_close(&rig);
}

/* A program that was waited for has ended under a gdb with this quirk. */
static void end_under_gdb(struct rig *rig, uint64_t quirk, const char *exited)
{
    rig_open(rig);
    rig->quirks = quirk;
    rig_run(rig);
    rig_wait(rig, 600000);
    rig_event(rig, "exited", exited);
    rig_event(rig, "terminated", NULL);
}

/* gdb reports exit code 0 for a program that a signal ended, and tells the signal only when it is asked. */
static void a_signal_that_gdb_knows(void **state)
{
    (void)state;
    static const struct {
        const char *answer; /* NULL: refused */
        const char *reason;
    } cases[] = {
        { "{'result':'11'}", "Debuggee ended by signal 11, SIGSEGV" },
        { "{'result':'void'}", "Debuggee exited" },
        { "{'result':'0'}", "Debuggee exited" },
        { NULL, "Debuggee exited" },
    };
    for (size_t i = 0; i <= COUNT_OF(cases); i++) {
        struct rig rig;
        end_under_gdb(&rig, QUIRK_GDB_SIGNALS, "{'exitCode':0}");
        assert_int_equal(rig_count(&rig, "evaluate"), 1);
        assert_int_equal(rig_count(&rig, "disconnect"), 0);
        if (i == COUNT_OF(cases))
            rig_pass(&rig, 500);
        else if (cases[i].answer == NULL)
            rig_refuse(&rig, "evaluate", "no");
        else
            rig_answer(&rig, "evaluate", cases[i].answer);
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        rig_answer(&rig, "disconnect", NULL);
        rig_pass(&rig, 200);
        expect_ended(&rig, i == COUNT_OF(cases) ? "Debug Session terminated" : cases[i].reason);
        assert_int_equal(session_exit_signal(rig.session), i == 0 ? 11 : 0);
        if (i == 0 || i == COUNT_OF(cases)) /* no answer: nobody knows whether it was an exit */
            expect_no_exit_code(&rig);
        else
            expect_exit_code(&rig, 0);
        rig_close(&rig);
    }
}

/* A machine with much to do: gdb answers what it is asked, but behind the time. A program that died of a signal was said to have exited with 0. */
static void a_signal_that_is_told_late(void **state)
{
    (void)state;
    for (int crashed = 0; crashed < 2; crashed++) {
        struct rig rig;
        end_under_gdb(&rig, QUIRK_GDB_SIGNALS, "{'exitCode':0}");
        rig_pass(&rig, 500);
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        rig_answer(&rig, "evaluate", crashed ? "{'result':'11'}" : "{'result':'void'}");
        rig_answer(&rig, "disconnect", NULL);
        rig_pass(&rig, 200);
        expect_ended(&rig, crashed ? "Debuggee ended by signal 11, SIGSEGV" : "Debuggee exited");
        if (crashed)
            expect_no_exit_code(&rig);
        else
            expect_exit_code(&rig, 0);
        rig_close(&rig);
    }
}

/* gdb reads the program's output by lines in a thread of its own, and loses what it has not read when it is told to leave: a short program
 * had printed nothing, a prompt without a line end never came. A mark is written behind the output, and waited for. */
static void output_is_read_to_its_mark(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct rig rig;
        end_under_gdb(&rig, QUIRK_READS_OUTPUT_LATE, "{'exitCode':3}");
        assert_int_equal(rig_count(&rig, "evaluate"), 1);
        assert_int_equal(rig_count(&rig, "disconnect"), 0);
        if (i == 0) {
            rig_answer(&rig, "evaluate", "{'result':''}");
            assert_int_equal(rig_count(&rig, "disconnect"), 0);
            rig_event(&rig, "output", "{'category':'stdout','output':'late\\nname? \\u001edapple: all read\\u001e\\n'}");
        } else if (i == 1) {
            rig_refuse(&rig, "evaluate", "no");
        } else {
            rig_answer(&rig, "evaluate", "{'result':''}");
            rig_pass(&rig, 500); /* its reader is dead */
        }
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        rig_answer(&rig, "disconnect", NULL);
        rig_pass(&rig, 200);
        expect_exit_code(&rig, 3);
        struct output output;
        session_drain_output(rig.session, &output);
        assert_string_equal(output.bytes, i == 0 ? "late\nname? " : "");
        output_done(&output);
        rig_close(&rig);
    }
}

/* The question is still open when the user stops the session: what was said of the end then stays said. */
static void a_signal_that_comes_too_late(void **state)
{
    (void)state;
    struct rig rig;
    end_under_gdb(&rig, QUIRK_GDB_SIGNALS, "{'exitCode':0}");
    stop(&rig);
    expect_ended(&rig, "Debug Session terminated");
    rig_answer(&rig, "evaluate", "{'result':'11'}");
    expect_no_exit_code(&rig);
    assert_int_equal(session_exit_signal(rig.session), 0);
    rig_close(&rig);
}

/* ---- because something broke ---- */

/* The stream ends and nothing told of an end: what the adapter died of is the reason, and it is never taken for the program's code. */
static void the_adapter_dies(void **state)
{
    (void)state;
    static const struct {
        int code, signal;
        const char *why, *reason;
    } cases[] = {
        { 0, 0, NULL, "Debug Adapter exited unexpectedly (code 0)" },
        { 3, 0, NULL, "Debug Adapter exited unexpectedly (code 3)" },
        { 0, 11, NULL, "Debug Adapter exited unexpectedly (signal 11)" },
        { 1, 0, "Connection reset by peer", "Debug Adapter transport failed: Connection reset by peer" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig rig;
        running(&rig);
        rig_stop(&rig, "breakpoint", 1);
        rig.waits = 0;
        rig_wait(&rig, 600000);
        session_on_stream_end(rig.session, 0, cases[i].why);
        session_on_stream_end(rig.session, 0, "again");
        assert_int_equal(rig.waits, 0);
        session_on_exit(rig.session, cases[i].code, cases[i].signal);
        session_on_exit(rig.session, 99, 0);
        expect_ended(&rig, cases[i].reason);
        expect_no_exit_code(&rig);
        rig_close(&rig);
    }
}

/* The exit is reported, and the stream's end never was. */
static void only_the_exit_is_reported(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    session_on_exit(rig.session, 0, 15);
    expect_ended(&rig, "Debug Adapter exited unexpectedly (signal 15)");
    assert_true(session_adapter_failed(rig.session));
    rig_launch(&rig, NULL);
    assert_false(session_adapter_failed(rig.session));
    rig_close(&rig);

    running(&rig);
    rig_event(&rig, "exited", "{'exitCode':1}");
    session_on_exit(rig.session, 0, 15);
    expect_ended(&rig, "Debuggee exited");
    assert_false(session_adapter_failed(rig.session));
    rig_close(&rig);
}

/* The stream ends and the adapter stays: it gets the signals, and the reason is the stream. */
static void the_stream_ends_and_the_adapter_stays(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    session_on_stream_end(rig.session, 0, NULL);
    assert_true(rig.closed);
    rig_pass(&rig, 100);
    assert_true(rig.term);
    rig_pass(&rig, 500);
    assert_true(rig.kill);
    rig_exit(&rig, 0, 9);
    expect_ended(&rig, "Debug Adapter transport ended unexpectedly");
    rig_close(&rig);
}

static void count_closed(void *user, const struct dap_answer *answer)
{
    assert_int_equal(answer->outcome, DAP_CLOSED);
    ++*(int *)user;
}

static void on_stored(void *user, const struct error *error)
{
    assert_non_null(error);
    ++*(int *)user;
}

/* Everything that waits for an answer is told, once, before the end is. */
static void a_crash_with_pending_requests(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_stop(&rig, "breakpoint", 1);
    rig.waits = 0;
    rig_wait(&rig, 600000);
    int closed = 0, stored = 0;
    struct desired_breakpoint desired = { 3, NULL };
    for (int i = 0; i < 5; i++)
        session_request(rig.session, "evaluate", NULL, 0, count_closed, &closed);
    session_set_breakpoints(rig.session, "/w/a.py", &desired, 1, on_stored, &stored, NULL);
    rig_resume(&rig, RESUME_NEXT);
    assert_int_equal(session_pause(rig.session, NULL, rig_on_done, &rig, NULL), 0);
    rig_exit(&rig, 0, 11);
    assert_int_equal(closed, 5);
    assert_int_equal(stored, 1);
    assert_int_equal(rig.dones, 2);
    expect_ended(&rig, "Debug Adapter exited unexpectedly (signal 11)");
    assert_int_equal(session_deadline(rig.session), UINT64_MAX);
    session_request(rig.session, "evaluate", NULL, 0, count_closed, &closed); /* and whoever asks later */
    assert_int_equal(closed, 6);
    rig_close(&rig);
}

/* ---- by request ---- */

/* A running program is asked politely first; it obeys. Its exit code is ours then, and is not shown as the program's. */
static void terminate_is_obeyed(void **state)
{
    (void)state;
    struct rig rig;
    running_with(&rig, POLITE, false);
    stop(&rig);
    expect_ended(&rig, "stopped by request");
    assert_int_equal(rig_count(&rig, "terminate"), 1);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    rig_answer(&rig, "terminate", NULL);
    rig_event(&rig, "exited", "{'exitCode':143}");
    rig_event(&rig, "terminated", NULL);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    assert_true(json_bool(rig_find(&rig, "disconnect")->arguments, "terminateDebuggee", false));
    rig_answer(&rig, "disconnect", NULL);
    assert_true(rig.closed);
    assert_int_equal(rig.ends, 0);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.ends, 1);
    assert_false(rig.term || rig.kill);
    expect_no_exit_code(&rig);
    expect_ended(&rig, "stopped by request");
    rig_close(&rig);
}

/* A program may ignore the polite request, and an adapter may not answer it: then disconnect, in bounded time. */
static void terminate_is_ignored(void **state)
{
    (void)state;
    for (int answered = 0; answered < 2; answered++) {
        struct rig rig;
        running_with(&rig, POLITE, false);
        stop(&rig);
        if (answered)
            rig_answer(&rig, "terminate", NULL);
        assert_int_equal(rig_count(&rig, "disconnect"), 0);
        rig_pass(&rig, 1250);
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        rig_close(&rig);
    }
}

/* A refused `terminate` was waited out like one that is under way. */
static void terminate_is_refused(void **state)
{
    (void)state;
    struct rig rig;
    running_with(&rig, POLITE, false);
    stop(&rig);
    rig_refuse(&rig, "terminate", "vetoed");
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_pass(&rig, 1250);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_close(&rig);
}

/* A stopped program cannot obey; one without the capability is not asked; one that we attached to is left alive. */
static void straight_to_disconnect(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct rig rig;
        running_with(&rig, how == 1 ? NULL : POLITE, how == 2);
        if (how == 0)
            rig_stop(&rig, "breakpoint", 1);
        stop(&rig);
        assert_int_equal(rig_count(&rig, "terminate"), 0);
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        yyjson_val *kill = json_member(rig_find(&rig, "disconnect")->arguments, "terminateDebuggee");
        if (how == 1)
            assert_null(kill); /* it would not be understood */
        else
            assert_int_equal(yyjson_get_bool(kill), how == 0);
        rig_close(&rig);
    }
}

/* A process that we attached to is ended when that is asked for: by `disconnect` where it can say so, else by `terminate`, running or not.
 * Where the adapter has neither, nothing is begun. */
static void kills_what_it_attached_to(void **state)
{
    (void)state;
    static const char *const capabilities[] = {
        "{'supportsConfigurationDoneRequest':true,'supportTerminateDebuggee':true,'supportsTerminateRequest':true}",
        "{'supportsConfigurationDoneRequest':true,'supportsTerminateRequest':true}", "{'supportsConfigurationDoneRequest':true}"
    };
    for (size_t i = 0; i < COUNT_OF(capabilities); i++) {
        struct rig rig;
        AUTO_ERROR struct error error = ERROR_INIT;
        running_with(&rig, capabilities[i], true);
        rig_stop(&rig, "breakpoint", 1);
        assert_int_equal(session_set_fate(rig.session, FATE_KILL, &error), i == 2 ? -1 : 0);
        if (i == 2) {
            assert_non_null(strstr(error.message, "supportTerminateDebuggee"));
            assert_int_equal(session_state(rig.session), SESSION_STOPPED);
            rig_close(&rig);
            continue;
        }
        stop(&rig);
        assert_int_equal(rig_count(&rig, "terminate"), i);
        if (i == 0)
            assert_true(json_bool(rig_find(&rig, "disconnect")->arguments, "terminateDebuggee", false));
        rig_close(&rig);
    }
}

/* dlv's server for several clients left a program that stood at a breakpoint standing there, and the breakpoints in it. */
static void lets_go_of_what_would_stay_halted(void **state)
{
    (void)state;
    for (int stopped = 0; stopped < 2; stopped++) {
        struct rig rig;
        rig_open(&rig);
        rig.attach = true;
        rig.quirks = QUIRK_LEAVES_HALTED;
        struct desired_breakpoint desired = { .line = 3 };
        rig_run(&rig);
        rig_wait(&rig, 600000);
        assert_int_equal(session_set_breakpoints(rig.session, "/w/a.go", &desired, 1, rig_on_done, &rig, NULL), 0);
        rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true,'line':3}]}");
        if (stopped)
            rig_stop(&rig, "breakpoint", 1);
        int before = rig_count(&rig, "setBreakpoints");
        stop(&rig);
        assert_int_equal(rig_count(&rig, "setBreakpoints"), before + 1);
        assert_int_equal(yyjson_arr_size(json_array(rig_find(&rig, "setBreakpoints")->arguments, "breakpoints")), 0);
        assert_int_equal(rig_count(&rig, "continue"), stopped);
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        assert_int_equal(session_breakpoint_file_count(rig.session), 1); /* it is desired all the same */
        rig_close(&rig);
    }
}

/* Whatever the adapter leaves out, and however short the time-out is: SIGKILL comes within it, and again until the tree is gone. */
static void the_whole_end_is_bounded(void **state)
{
    (void)state;
    static const uint64_t bounds[] = { 1, 10, 100, 1000, 5000, 60000 };
    for (size_t i = 0; i < COUNT_OF(bounds); i++) {
        for (int how = 0; how < 10; how++) {
            struct rig rig;
            rig_open(&rig);
            rig.capabilities = POLITE;
            rig.quirks = QUIRK_GDB_SIGNALS;
            rig.attach = how > 4;
            rig_run(&rig);
            struct session_timeouts timeouts = *session_timeouts(rig.session);
            timeouts.shutdown = bounds[i];
            session_set_timeouts(rig.session, &timeouts);
            if (how % 5 == 1)
                rig_stop(&rig, "breakpoint", 1);
            if (how % 5 > 2)
                rig_event(&rig, "exited", "{'exitCode':0}");
            if (how % 5 > 3)
                rig_event(&rig, "terminated", NULL);
            uint64_t begin = rig.now;
            stop(&rig);
            if (how % 5 == 2)
                session_on_stream_end(rig.session, 0, NULL);
            while (!rig.kill) {
                uint64_t at = session_deadline(rig.session);
                assert_true(at <= begin + bounds[i]);
                rig_pass(&rig, at - rig.now);
            }
            assert_true(rig.term && rig.closed);
            assert_int_equal(rig.ends, 0);
            rig.kill = false;
            rig_pass(&rig, 2000);
            assert_true(rig.kill);
            rig_exit(&rig, 0, 9);
            assert_int_equal(rig.ends, 1);
            rig_close(&rig);
        }
    }
}

/* Each step of the escalation ends as soon as the adapter has gone. */
static void gone_at_any_step(void **state)
{
    (void)state;
    for (int step = 0; step < 6; step++) {
        struct rig rig;
        running_with(&rig, POLITE, false);
        stop(&rig);
        for (int i = 0; i < step; i++)
            rig_pass(&rig, session_deadline(rig.session) - rig.now);
        rig_exit(&rig, 0, 0);
        assert_int_equal(rig.ends, 1);
        assert_false(session_process_alive(rig.session));
        assert_int_equal(session_deadline(rig.session), UINT64_MAX);
        expect_ended(&rig, "stopped by request");
        rig_close(&rig);
    }
}

/* Twice, and once more when all is over: each caller is told once, the adapter is asked once. */
static void stopped_twice(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    stop(&rig);
    stop(&rig);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_answer(&rig, "disconnect", NULL);
    stop(&rig);
    assert_int_equal(rig.ends, 0);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.ends, 3);
    stop(&rig);
    assert_int_equal(rig.ends, 4);
    expect_ended(&rig, "stopped by request");
    rig_close(&rig);
}

/* Nothing runs: there is nothing to wait for. */
static void stopped_when_idle(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    stop(&rig);
    assert_int_equal(rig.ends, 1);
    assert_int_equal(session_state(rig.session), SESSION_IDLE);
    assert_null(session_termination_reason(rig.session));
    rig_close(&rig);
}

/* Before it is connected there is nobody to be polite to. Nothing was launched: the session is idle again. */
static void stopped_while_starting(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, NULL);
    stop(&rig);
    assert_true(rig.kill);
    assert_int_equal(rig.launches, 0);
    session_on_connected(rig.session, 0); /* it was on its way */
    assert_int_equal(rig.sent_count, 0);
    session_on_exit(rig.session, 0, 9);
    assert_int_equal(rig.ends, 1);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(rig.launch_outcome, LAUNCH_CANCELLED);
    assert_int_equal(session_state(rig.session), SESSION_IDLE);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_close(&rig);
}

/* The reason that the caller of the end gave was lost when a launch was under way: it said "launch cancelled". */
static void stopped_while_launching(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", POLITE);
    stop(&rig);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "launch", NULL);
    rig_answer(&rig, "disconnect", NULL);
    assert_int_equal(rig.launches + rig.ends, 0);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.launch_outcome, LAUNCH_CANCELLED);
    assert_int_equal(rig.launches, 1);
    assert_int_equal(rig.ends, 1);
    assert_string_equal(session_termination_reason(rig.session), "stopped by request");
    rig_close(&rig);
}

/* The program had ended by itself, and the end was still being read: that is the reason, with its code. */
static void stopped_while_it_ends(void **state)
{
    (void)state;
    for (int event = 0; event < 3; event++) {
        struct rig rig;
        running_with(&rig, POLITE, false);
        if (event != 1)
            rig_event(&rig, "exited", "{'exitCode':6}");
        if (event != 0)
            rig_event(&rig, "terminated", NULL);
        stop(&rig);
        assert_int_equal(rig_count(&rig, "terminate"), 0);
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        expect_ended(&rig, event == 1 ? "Debug Session terminated" : "Debuggee exited");
        rig_answer(&rig, "disconnect", NULL);
        rig_exit(&rig, 0, 0);
        assert_int_equal(rig.ends, 1);
        rig_close(&rig);
    }
}

/* Stopped while a crash is being found out. */
static void stopped_after_the_stream_ended(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    session_on_stream_end(rig.session, 0, NULL);
    stop(&rig);
    expect_ended(&rig, "stopped by request");
    session_on_exit(rig.session, 0, 11);
    assert_int_equal(rig.ends, 1);
    expect_ended(&rig, "stopped by request");
    rig_close(&rig);
}

static void on_done_end(void *user, const struct error *error)
{
    (void)error;
    stop(user);
}

/* The exit is reported, and a callback that hears of it ends the session: no process is left that a signal could be sent to. */
static void stopped_from_within_the_exit(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    session_pause(rig.session, NULL, on_done_end, &rig, NULL);
    session_on_exit(rig.session, 1, 0);
    assert_false(rig.closed || rig.term || rig.kill);
    assert_int_equal(rig.ends, 1);
    expect_ended(&rig, "stopped by request");
    rig_close(&rig);
}

/* An operation that asks something when our side was closed already: bytes were sent after `close`. It is told at once. */
static void asked_after_the_side_was_closed(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    stop(&rig);
    rig_answer(&rig, "disconnect", NULL);
    assert_true(rig.closed);
    size_t sent = rig.sent_count;
    int closed = 0;
    session_request(rig.session, "evaluate", NULL, 0, count_closed, &closed);
    rig_say(&rig, "{'seq':4,'type':'request','command':'runInTerminal'}");
    assert_int_equal(closed, 1);
    assert_int_equal(rig.sent_count, sent);
    rig_close(&rig);
}

/* Ended with callers still waiting: a session that is freed leaves nobody without an answer. */
static void freed_at_any_time(void **state)
{
    (void)state;
    for (int phase = 0; phase < 6; phase++) {
        struct rig rig;
        rig_open(&rig);
        rig_launch(&rig, NULL);
        rig_wait(&rig, 1000);
        int closed = 0;
        if (phase > 0)
            rig_connect(&rig);
        if (phase > 1)
            rig_answer(&rig, "initialize", POLITE);
        if (phase > 2)
            rig_event(&rig, "initialized", NULL);
        if (phase > 3)
            rig_event(&rig, "stopped", "{'reason':'entry'}");
        if (phase > 4)
            stop(&rig);
        if (phase > 0)
            session_request(rig.session, "evaluate", NULL, 0, count_closed, &closed);
        session_free(rig.session);
        assert_int_equal(rig.launches, 1);
        assert_int_equal(rig.launch_outcome, LAUNCH_CANCELLED);
        assert_int_equal(rig.waits, 1);
        assert_int_equal(rig.ends, phase > 4);
        assert_int_equal(closed, phase > 0);
        rig.session = session_new("other", NULL, NULL);
        rig_close(&rig);
    }
}

/* ---- what stays readable ---- */

static void everything_stays_until_the_next_launch(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "output", "{'category':'stderr','output':'last words'}");
    session_on_stderr(rig.session, "adapter", 7);
    rig_event(&rig, "exited", "{'exitCode':2}");
    rig_exit(&rig, 0, 0);
    rig_pass(&rig, 3600000);
    expect_ended(&rig, "Debuggee exited");
    expect_exit_code(&rig, 2);
    assert_string_equal(session_adapter_id(rig.session), "test");
    assert_int_equal(session_output_waiting(rig.session), 10);
    AUTO_FREE char *tail = session_stderr_tail(rig.session, 4, NULL);
    assert_string_equal(tail, "pter");

    rig.launches = 0;
    rig_launch(&rig, NULL);
    assert_int_equal(session_output_waiting(rig.session), 0);
    expect_no_exit_code(&rig);
    assert_null(session_termination_reason(rig.session));
    AUTO_FREE char *empty = session_stderr_tail(rig.session, 4, NULL);
    assert_string_equal(empty, "");
    rig_close(&rig);
}

/* Telemetry is dropped, what the debugger says is kept apart, and runs of one stream are one part (debugpy sends "\n" for itself). */
static void output_is_kept_by_stream(void **state)
{
    (void)state;
    struct rig rig;
    carrying(&rig);
    rig_event(&rig, "output", "{'category':'stdout','output':'one'}");
    rig_event(&rig, "output", "{'category':'stdout','output':'\\n'}");
    rig_event(&rig, "output", "{'category':'telemetry','output':'secret'}");
    rig_event(&rig, "output", "{'category':'stderr','output':''}");
    rig_event(&rig, "output", "{'category':'stderr','output':'two'}");
    rig_event(&rig, "output", "{'output':'three'}");
    rig_event(&rig, "output", "{'category':'important','output':'!'}");
    rig_event(&rig, "output", "{'category':'stdout'}");
    rig_event(&rig, "output", "{'category':'stdout','output':'a\\u0000b'}");
    session_on_adapter_stdout(rig.session, "c", 1);
    struct output output;
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len, 17);
    assert_memory_equal(output.bytes, "one\ntwothree!a\0bc", 17);
    assert_int_equal(output.part_count, 4);
    static const struct output_part parts[] = {
        { OUTPUT_STDOUT, 4 }, { OUTPUT_STDERR, 3 }, { OUTPUT_DEBUGGER, 6 }, { OUTPUT_STDOUT, 4 }
    };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(output.parts[i].stream, parts[i].stream);
        assert_int_equal(output.parts[i].len, parts[i].len);
    }
    assert_int_equal(output.discarded, 0);
    output_done(&output);
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len + output.part_count + output.discarded, 0);
    assert_string_equal(output.bytes, "");
    output_done(&output);
    rig_close(&rig);
}

static void expect_whole_parts(const struct output *output)
{
    size_t sum = 0;
    for (size_t i = 0; i < output->part_count; i++) {
        assert_true(output->parts[i].len > 0);
        assert_true(i == 0 || output->parts[i].stream != output->parts[i - 1].stream);
        sum += output->parts[i].len;
    }
    assert_int_equal(sum, output->len);
}

/* More than the ring holds: the newest is kept, the loss is counted to the byte, and the parts are those of what is left. */
static void output_that_is_too_much(void **state)
{
    (void)state;
    static const size_t over[] = { 0, 1, 5, 70000, LIMIT_OUTPUT, 3u * LIMIT_OUTPUT };
    for (size_t i = 0; i < COUNT_OF(over); i++) {
        struct rig rig;
        carrying(&rig);
        size_t len = LIMIT_OUTPUT + over[i];
        char *bytes = xmalloc(len);
        for (size_t k = 0; k < len; k++)
            bytes[k] = (char)('a' + k % 23);
        rig_event(&rig, "output", "{'category':'stderr','output':'first'}");
        session_on_adapter_stdout(rig.session, bytes, len);
        struct output output;
        session_drain_output(rig.session, &output);
        assert_int_equal(output.len, LIMIT_OUTPUT);
        assert_int_equal(output.discarded, over[i] + 5);
        assert_memory_equal(output.bytes, bytes + over[i], LIMIT_OUTPUT);
        assert_int_equal(output.part_count, 1);
        expect_whole_parts(&output);
        output_done(&output);
        free(bytes);
        rig_close(&rig);
    }
}

/* In pieces, from both streams: parts are cut where the bytes were. */
static void output_is_cut_inside_a_part(void **state)
{
    (void)state;
    struct rig rig;
    carrying(&rig);
    char bytes[1000];
    memset(bytes, 'x', sizeof(bytes));
    for (int i = 0; i < 2100; i++) {
        if (i % 2 == 0)
            rig_event(&rig, "output", "{'category':'stderr','output':'12345'}");
        session_on_adapter_stdout(rig.session, bytes, sizeof(bytes));
    }
    struct output output;
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len, LIMIT_OUTPUT);
    assert_int_equal(output.discarded, 2100 * 1000 + 1050 * 5 - LIMIT_OUTPUT);
    expect_whole_parts(&output);
    output_done(&output);
    rig_close(&rig);
}

/* A program that changes the stream with every byte costs no more than the ring: the oldest runs are read as one. */
static void output_that_changes_its_stream_all_the_time(void **state)
{
    (void)state;
    struct rig rig;
    carrying(&rig);
    size_t sum = 0;
    for (int i = 0; i < 40000; i++, sum++) {
        if (i % 2 == 0)
            session_on_adapter_stdout(rig.session, "x", 1);
        else
            rig_event(&rig, "output", "{'category':'stderr','output':'y'}");
    }
    struct output output;
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len, sum);
    assert_true(output.part_count < 20000);
    size_t parts = 0;
    for (size_t i = 0; i < output.part_count; i++)
        parts += output.parts[i].len;
    assert_int_equal(parts, sum);
    assert_int_equal(output.parts[output.part_count - 1].stream, OUTPUT_STDERR);
    output_done(&output);
    rig_close(&rig);
}

/* The oldest character may have lost its beginning: its rest goes, too. Bytes that never were UTF-8 stay. */
static void output_is_cut_inside_a_character(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len, skipped;
    } cases[] = {
        { "\xe2\x82\xac", 3, 2 },
        { "\xf0\x9f\x98\x80", 4, 3 },
        { "\xc3\xa9", 2, 1 },
        { "\x80\x80\x80\x80\x80", 5, 3 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig rig;
        carrying(&rig);
        session_on_adapter_stdout(rig.session, cases[i].bytes, cases[i].len);
        char *rest = xmalloc(LIMIT_OUTPUT);
        memset(rest, 'z', LIMIT_OUTPUT);
        session_on_adapter_stdout(rig.session, rest, LIMIT_OUTPUT - cases[i].len + 1);
        free(rest);
        struct output output;
        session_drain_output(rig.session, &output);
        assert_int_equal(output.discarded, 1 + cases[i].skipped);
        assert_int_equal(output.len, LIMIT_OUTPUT - cases[i].skipped);
        assert_int_equal(output.bytes[0], cases[i].len > 4 ? '\x80' : 'z');
        assert_int_equal(strlen(output.bytes), output.len);
        expect_whole_parts(&output);
        output_done(&output);
        rig_close(&rig);
    }
}

/* Nothing was lost: then nothing is cut, though the program begins with the rest of a character. */
static void output_that_begins_inside_a_character(void **state)
{
    (void)state;
    struct rig rig;
    carrying(&rig);
    session_on_adapter_stdout(rig.session, "\x80z", 2);
    struct output output;
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len, 2);
    assert_int_equal(output.discarded, 0);
    output_done(&output);
    rig_close(&rig);
}

/* After the end: a launch under the same name begins with nothing of the former one, whatever state it was left in. */
static void a_relaunch_is_clean(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct rig rig;
        carrying(&rig);
        rig_event(&rig, "thread", "{'reason':'started','threadId':44}");
        rig_say(&rig, "junk");
        rig_stop(&rig, "breakpoint", 44);
        if (how == 0)
            rig_resume(&rig, RESUME_NEXT);
        else if (how == 1)
            rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':44}"); /* unread */
        rig_exit(&rig, 0, 0);
        rig.launches = 0;
        rig_run(&rig);
        assert_int_equal(session_state(rig.session), SESSION_RUNNING);
        assert_null(session_stop(rig.session));
        AUTO_FREE char *notice = session_take_notice(rig.session);
        assert_null(notice);
        session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
        rig_refuse(&rig, "threads", "no");
        assert_int_equal(json_int_or(rig_find(&rig, "pause")->arguments, "threadId", -1), 1);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_events_in_any_order),
        cmocka_unit_test(killed_or_exited),
        cmocka_unit_test(exited_alone),
        cmocka_unit_test(exited_then_the_stream_ends),
        cmocka_unit_test(terminated_alone),
        cmocka_unit_test(late_output_and_exit_code),
        cmocka_unit_test(an_exit_code_that_is_too_late),
        cmocka_unit_test(the_drain_ends_with_the_stream),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(disconnect_is_not_answered_at_the_end),
        cmocka_unit_test(events_after_the_end),
        cmocka_unit_test(a_signal_that_gdb_knows),
        cmocka_unit_test(output_is_read_to_its_mark),
        cmocka_unit_test(a_signal_that_comes_too_late),
        cmocka_unit_test(a_signal_that_is_told_late),
        cmocka_unit_test(the_adapter_dies),
        cmocka_unit_test(only_the_exit_is_reported),
        cmocka_unit_test(the_stream_ends_and_the_adapter_stays),
        cmocka_unit_test(a_crash_with_pending_requests),
        cmocka_unit_test(terminate_is_obeyed),
        cmocka_unit_test(terminate_is_ignored),
        cmocka_unit_test(terminate_is_refused),
        cmocka_unit_test(straight_to_disconnect),
        cmocka_unit_test(kills_what_it_attached_to),
        cmocka_unit_test(lets_go_of_what_would_stay_halted),
        cmocka_unit_test(the_whole_end_is_bounded),
        cmocka_unit_test(gone_at_any_step),
        cmocka_unit_test(stopped_twice),
        cmocka_unit_test(stopped_when_idle),
        cmocka_unit_test(stopped_while_starting),
        cmocka_unit_test(stopped_while_launching),
        cmocka_unit_test(stopped_while_it_ends),
        cmocka_unit_test(stopped_after_the_stream_ended),
        cmocka_unit_test(stopped_from_within_the_exit),
        cmocka_unit_test(asked_after_the_side_was_closed),
        cmocka_unit_test(freed_at_any_time),
        cmocka_unit_test(everything_stays_until_the_next_launch),
        cmocka_unit_test(output_is_kept_by_stream),
        cmocka_unit_test(output_that_is_too_much),
        cmocka_unit_test(output_is_cut_inside_a_part),
        cmocka_unit_test(output_that_changes_its_stream_all_the_time),
        cmocka_unit_test(output_is_cut_inside_a_character),
        cmocka_unit_test(output_that_begins_inside_a_character),
        cmocka_unit_test(a_relaunch_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
