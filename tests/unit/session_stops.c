/* Stops, resumes and waits: every order in which an adapter may tell that the program stands still or goes on. */
#include "session_rig.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES "{'stackFrames':[{'id':7,'name':'main','line':3,'column':1,'source':{'path':'/w/a.py'}}]}"
#define NO_FRAMES "{'stackFrames':[]}"

static void running(struct rig *rig)
{
    rig_open(rig);
    rig_run(rig);
}

static void stopped(struct rig *rig)
{
    running(rig);
    rig_stop(rig, "breakpoint", 1);
    assert_int_equal(session_state(rig->session), SESSION_STOPPED);
}

static int64_t asked_thread(struct rig *rig)
{
    struct sent *sent = rig_find(rig, "stackTrace");
    assert_non_null(sent);
    return json_int_or(sent->arguments, "threadId", -1);
}

static void expect_stop(struct rig *rig, int64_t number, int64_t thread)
{
    const struct stop *stop = session_stop(rig->session);
    assert_non_null(stop);
    assert_true(stop->settled);
    assert_int_equal(stop->number, number);
    assert_true(stop->has_thread);
    assert_int_equal(stop->thread_id, thread);
}

/* ---- settling ---- */

/* A stop that is reported before its frames are read would cost the agent a second call: the wait ends with the frames. */
static void a_wait_ends_when_the_frames_were_read(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped",
              "{'reason':'breakpoint','threadId':5,'description':'Paused','text':'at a','hitBreakpointIds':[0,9]}");
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    assert_int_equal(rig.waits, 0);
    assert_int_equal(asked_thread(&rig), 5);
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    expect_stop(&rig, 1, 5);
    const struct stop *stop = session_stop(rig.session);
    assert_string_equal(stop->reason, "breakpoint");
    assert_string_equal(stop->description, "Paused");
    assert_string_equal(stop->text, "at a");
    assert_int_equal(stop->hit_count, 2);
    assert_int_equal(stop->hit_ids[0], 0);
    assert_int_equal(stop->frame_count, 1);
    assert_int_equal(stop->frames[0].adapter_id, 7);
    rig_close(&rig);
}

/* A stop without frames is a stop all the same, with the reason why none are shown. */
static void frames_that_cannot_be_read(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped", "{'reason':'pause','threadId':1}");
    rig_refuse(&rig, "stackTrace", "no stack for you");
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    assert_string_equal(session_stop(rig.session)->frames_failure, "stackTrace request failed: no stack for you");

    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped", "{'reason':'pause','threadId':1}");
    rig_answer(&rig, "stackTrace", NO_FRAMES);
    assert_int_equal(rig.waits, 2);
    assert_non_null(session_stop(rig.session)->frames_failure);

    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped", "{'reason':'pause','threadId':1}");
    assert_null(session_stop(rig.session)->frames_failure);
    rig_pass(&rig, 10001);
    assert_int_equal(rig.waits, 3);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    assert_non_null(strstr(session_stop(rig.session)->frames_failure, "stackTrace"));
    rig_close(&rig);
}

/* Bodies that leave things out or write numbers as strings (a Ruby thread id has 47 bits). */
static void odd_bodies(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "stopped", "{'threadId':'70268739693720','hitBreakpointIds':[null,'4',[],-1]}");
    rig_answer(&rig, "stackTrace", "{'stackFrames':[{},null,{'id':'3'}],'totalFrames':1}");
    expect_stop(&rig, 1, 70268739693720);
    const struct stop *stop = session_stop(rig.session);
    assert_string_equal(stop->reason, "unknown");
    assert_int_equal(stop->hit_count, 2);
    assert_int_equal(stop->hit_ids[0], 4);
    assert_int_equal(stop->hit_ids[1], -1);
    assert_int_equal(stop->frame_count, 3);
    assert_int_equal(stop->total_frames, -1); /* fewer than were sent: wrong */
    assert_false(stop->more_frames);
    rig_event(&rig, "stopped", NULL);
    assert_int_equal(session_stop(rig.session)->number, 2);
    rig_close(&rig);
}

/* An adapter that ignores `levels` sends the whole stack; only the top of it is kept, and it is said that there is more. */
static void a_long_stack_is_cut(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "stopped", "{'reason':'pause','threadId':1}");
    char body[8192] = "{'stackFrames':[";
    for (int i = 0; i < 60; i++)
        snprintf(body + strlen(body), sizeof(body) - strlen(body), "%s{'id':%d,'name':'f'}", i > 0 ? "," : "", i);
    strcat(body, "],'totalFrames':60}");
    rig_answer(&rig, "stackTrace", body);
    const struct stop *stop = session_stop(rig.session);
    assert_int_equal(stop->frame_count, 20);
    assert_true(stop->more_frames);
    assert_int_equal(stop->total_frames, 60);
    rig_close(&rig);
}

/* The adapter dies while the frames are read. It was once reported as a stop whose frames could not be read: the program was gone. */
static void the_stream_ends_while_frames_are_read(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped", "{'reason':'pause','threadId':1}");
    session_on_stream_end(rig.session, 0, NULL);
    assert_int_equal(rig.waits, 0);
    session_on_exit(rig.session, 0, 11);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_ENDED);
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    rig_close(&rig);
}

/* ---- several events, one stop ---- */

/* lldb-dap and dlv send one event per thread. The stepped thread speaks for the stop, whether it comes first, in the middle or last. */
static void the_stepped_thread_speaks(void **state)
{
    (void)state;
    static const char *const events[] = {
        "{'reason':'breakpoint','threadId':2,'hitBreakpointIds':[4]}",
        "{'reason':'step','threadId':1}",
        "{'reason':'none','threadId':3,'allThreadsStopped':true}",
    };
    static const int orders[][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 2, 0, 1 }, { 1, 2, 0 } };
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        struct rig rig;
        stopped(&rig);
        rig_resume(&rig, RESUME_NEXT);
        rig_answer(&rig, "next", NULL);
        rig_wait(&rig, 30000);
        for (size_t k = 0; k < 3; k++)
            rig_event(&rig, "stopped", events[orders[i][k]]);
        assert_int_equal(asked_thread(&rig), 1);
        rig_answer(&rig, "stackTrace", FRAMES);
        assert_int_equal(rig.waits, 1);
        expect_stop(&rig, 2, 1);
        assert_false(session_stop(rig.session)->step_interrupted);
        rig_close(&rig);
    }
}

/* Without a step: hit ids or an exception, else the one that says that all threads stopped, else the last. */
static void the_thread_with_a_cause_speaks(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        int64_t thread;
    } cases[] = {
        { "{'reason':'breakpoint','threadId':1,'hitBreakpointIds':[4]}", "{'reason':'pause','threadId':2,'allThreadsStopped':true}",
          1 },
        { "{'reason':'pause','threadId':2,'allThreadsStopped':true}", "{'reason':'breakpoint','threadId':1,'hitBreakpointIds':[4]}",
          1 },
        { "{'reason':'exception','threadId':1}", "{'reason':'pause','threadId':2}", 1 },
        { "{'reason':'pause','threadId':2}", "{'reason':'signal','threadId':1}", 1 },
        { "{'reason':'pause','threadId':1,'allThreadsStopped':true}", "{'reason':'pause','threadId':2}", 1 },
        { "{'reason':'pause','threadId':2}", "{'reason':'pause','threadId':1,'allThreadsStopped':true}", 1 },
        { "{'reason':'pause','threadId':2}", "{'reason':'pause','threadId':1}", 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig rig;
        running(&rig);
        rig_event(&rig, "stopped", cases[i].first);
        rig_event(&rig, "stopped", cases[i].second);
        rig_answer(&rig, "stackTrace", FRAMES);
        expect_stop(&rig, 1, cases[i].thread);
        assert_int_equal(asked_thread(&rig), cases[i].thread);
        rig_close(&rig);
    }
}

/* The frames of a thread that no longer speaks for the stop come late: they must not be shown as the other thread's. */
static void frames_of_the_thread_that_lost(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "stopped", "{'reason':'pause','threadId':2}");
    int64_t former = rig_find(&rig, "stackTrace")->seq;
    rig_event(&rig, "stopped", "{'reason':'exception','threadId':1}");
    rig_answer_to(&rig, former, "{'stackFrames':[{'id':99,'name':'other'}]}");
    assert_false(session_stop(rig.session)->settled);
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_string_equal(session_stop(rig.session)->frames[0].name, "main");
    rig_close(&rig);
}

/* After the frames were read, a further `stopped` is a stop of its own (a debugger command typed through evaluate resumed it). */
static void a_stop_after_a_stop_is_new(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int64_t handle = session_stop(rig.session)->frames[0].handle;
    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped", "{'reason':'step','threadId':1}");
    rig_answer(&rig, "stackTrace", FRAMES);
    expect_stop(&rig, 2, 1);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    int64_t id;
    assert_int_equal(session_resolve_frame(rig.session, handle, &id, NULL), -1);
    assert_int_equal(rig_count(&rig, "continue"), 0);
    rig_close(&rig);
}

/* ---- no thread id ---- */

/* codelldb stops without naming a thread: the first one with frames is taken. */
static void the_first_thread_with_frames(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped", "{'reason':'unknown','allThreadsStopped':true}");
    rig_answer(&rig, "threads", "{'threads':[{'id':11,'name':'a'},{'name':'no id'},{'id':12,'name':'b'},{'id':13,'name':'c'}]}");
    assert_int_equal(asked_thread(&rig), 11);
    rig_answer(&rig, "stackTrace", NO_FRAMES);
    assert_int_equal(asked_thread(&rig), 12);
    assert_int_equal(rig.waits, 0);
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(rig.waits, 1);
    expect_stop(&rig, 1, 12);
    assert_int_equal(session_stop(rig.session)->frame_count, 1);
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), 0);
    assert_int_equal(json_int_or(rig_find(&rig, "continue")->arguments, "threadId", -1), 12);
    rig_close(&rig);
}

/* Two such stops in a row: each looks at the threads from the first one on. */
static void the_next_stop_without_a_thread(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    for (int i = 1; i < 4; i++) {
        rig_event(&rig, "stopped", "{'reason':'pause'}");
        rig_answer(&rig, "threads", "{'threads':[{'id':11},{'id':12}]}");
        assert_int_equal(asked_thread(&rig), 11);
        rig_answer(&rig, "stackTrace", NO_FRAMES);
        rig_answer(&rig, "stackTrace", FRAMES);
        expect_stop(&rig, i, 12);
    }
    rig_close(&rig);
}

/* No thread to show: the stop is real, says so, and a resume is refused with a reason instead of naming a made-up thread. */
static void no_thread_at_all(void **state)
{
    (void)state;
    static const char *const answers[] = { "{'threads':[]}", "{}", NULL, "{'threads':{}}", "{'threads':[{}]}" };
    for (size_t i = 0; i <= COUNT_OF(answers); i++) {
        struct rig rig;
        running(&rig);
        rig_wait(&rig, 30000);
        rig_event(&rig, "stopped", "{'reason':'pause'}");
        if (i < COUNT_OF(answers))
            rig_answer(&rig, "threads", answers[i]);
        else
            rig_refuse(&rig, "threads", "no");
        assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
        const struct stop *stop = session_stop(rig.session);
        assert_false(stop->has_thread);
        assert_non_null(stop->frames_failure);
        AUTO_ERROR struct error error = ERROR_INIT;
        assert_int_equal(session_resume(rig.session, &(struct resume){ .kind = RESUME_NEXT }, rig_on_done, &rig, &error), -1);
        assert_string_equal(error.message, "Debuggee has no thread available for this operation");
        assert_int_equal(session_state(rig.session), SESSION_STOPPED);
        rig_close(&rig);
    }
}

/* dlv, paused before the program's first goroutine: no thread to show. All go on, whichever is named; it could only be ended. */
static void no_thread_and_on(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "stopped", "{'reason':'pause'}");
    rig_answer(&rig, "threads", "{'threads':[]}");
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), 0);
    rig_answer(&rig, "continue", "{}");
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* A pause is a pause, whatever the adapter calls it: a step, where it has left code that is skipped; a breakpoint of its own, where it loads
 * libraries; nothing at all, on a busy machine. The signal that was sent for it may come later, and is no signal of the program's; the program's own is. */
static void a_pause_by_another_name(void **state)
{
    (void)state;
    static const char *const bodies[] = { "{'reason':'step','threadId':1}", "{'reason':'breakpoint','threadId':1}",
                                          "{'threadId':1}" };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct rig rig;
        running(&rig);
        assert_int_equal(session_pause(rig.session, NULL, rig_on_done, &rig, NULL), 0);
        rig_answer(&rig, "threads", "{'threads':[{'id':1,'name':'main'}]}");
        rig_answer(&rig, "pause", "{}");
        rig_event(&rig, "stopped", bodies[i]);
        rig_answer(&rig, "stackTrace", "{'stackFrames':[{'id':7,'name':'dl_main','line':0,'column':0}]}");
        assert_string_equal(session_stop(rig.session)->reason, "pause");
        for (int late = 0; late < 2; late++) {
            assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), 0);
            rig_answer(&rig, "continue", "{}");
            rig_event(&rig, "stopped", "{'reason':'exception','description':'signal SIGSTOP','threadId':1}");
            rig_answer(&rig, "stackTrace", "{'stackFrames':[{'id':7,'name':'dl_main','line':0,'column':0}]}");
            assert_string_equal(session_stop(rig.session)->reason, late == 0 ? "pause" : "exception");
        }
        rig_close(&rig);
    }
}

/* Twenty threads that were each asked for ten seconds would keep a stop from being told for minutes: silence ends the search. */
static void a_silent_adapter_does_not_delay_the_stop(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 300000);
    rig_event(&rig, "stopped", "{'reason':'pause'}");
    rig_answer(&rig, "threads", "{'threads':[{'id':1},{'id':2},{'id':3},{'id':4}]}");
    rig_pass(&rig, 10001);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    assert_non_null(session_stop(rig.session)->frames_failure);
    rig_close(&rig);
}

/* ---- continued ---- */

/* Dart's attach stops and resumes isolates by itself while the frames are read: that was no stop, and the wait goes on. */
static void a_stop_that_is_taken_back(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 30000);
    rig_event(&rig, "stopped", "{'reason':'entry','threadId':1}");
    int64_t former = rig_find(&rig, "stackTrace")->seq;
    rig_event(&rig, "continued", "{'threadId':1}");
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    assert_null(session_stop(rig.session));
    char *late = xasprintf("{'type':'response','request_seq':%lld,'success':false,'command':'stackTrace','message':'notStopped'}",
                           (long long)former);
    rig_say(&rig, late);
    free(late);
    assert_int_equal(rig.waits, 0);
    rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':2}");
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(rig.waits, 1);
    expect_stop(&rig, 2, 2);
    rig_close(&rig);
}

/* lldb-dap sends `continued` before or after the answer, several times, or not at all: none of it ends a wait. */
static void continued_around_the_answer(void **state)
{
    (void)state;
    for (int order = 0; order < 4; order++) {
        struct rig rig;
        stopped(&rig);
        rig_wait(&rig, 30000);
        rig_resume(&rig, RESUME_CONTINUE);
        assert_int_equal(session_state(rig.session), SESSION_RUNNING);
        if (order & 1)
            rig_event(&rig, "continued", "{'threadId':1,'allThreadsContinued':true}");
        rig_answer(&rig, "continue", "{'allThreadsContinued':true}");
        if (order & 2) {
            rig_event(&rig, "continued", "{'threadId':1}");
            rig_event(&rig, "continued", "{'threadId':1}");
        }
        assert_int_equal(session_state(rig.session), SESSION_RUNNING);
        assert_int_equal(rig.dones, 1);
        assert_int_equal(rig.waits, 0);
        rig_stop(&rig, "breakpoint", 1);
        assert_int_equal(rig.waits, 1);
        expect_stop(&rig, 2, 1);
        rig_close(&rig);
    }
}

/* java-debug: the stop overtakes the answer. The answer, and the `continued` of that same resume, must not wipe it out. */
static void a_stop_overtakes_the_answer(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_wait(&rig, 30000);
    rig_resume(&rig, RESUME_NEXT);
    rig_stop(&rig, "step", 1);
    assert_int_equal(rig.waits, 1);
    rig_event(&rig, "continued", "{'threadId':1}");
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    assert_int_equal(rig.dones, 0);
    rig_answer(&rig, "next", NULL);
    assert_int_equal(rig.dones, 1);
    assert_false(rig.done_failed);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    expect_stop(&rig, 2, 1);
    rig_close(&rig);
}

/* A `continued` without any resume of ours means that the program runs: a debugger command resumed it. Its ids are worth nothing then. */
static void continued_by_somebody_else(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int64_t handle = session_stop(rig.session)->frames[0].handle;
    rig_event(&rig, "continued", "{'threadId':99}"); /* debugpy names an arbitrary thread; all of them went on */
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t id;
    assert_int_equal(session_resolve_frame(rig.session, handle, &id, &error), -1);
    assert_int_equal(error.kind, ERROR_STATE);
    rig_close(&rig);
}

/* Only another thread went on: the one that we show stands still. */
static void continued_of_another_thread(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_event(&rig, "continued", "{'threadId':2,'allThreadsContinued':false}");
    expect_stop(&rig, 1, 1);
    rig_event(&rig, "continued", "{'threadId':1,'allThreadsContinued':false}");
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* ---- resumes that fail ---- */

/* MIEngine: a continue that fails leaves the program stopped, and nobody tells. The stop comes back, and its ids still count. */
static void a_refused_resume_puts_the_stop_back(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int64_t frame = session_stop(rig.session)->frames[0].handle;
    int64_t value = session_value_handle(rig.session, 42, 3, -1);
    rig_resume(&rig, RESUME_STEP_IN);
    assert_null(session_stop(rig.session));
    int64_t id;
    assert_int_equal(session_resolve_frame(rig.session, frame, &id, NULL), -1);
    rig_refuse(&rig, "stepIn", "hardware breakpoints exhausted");
    assert_int_equal(rig.dones, 1);
    assert_true(rig.done_failed);
    assert_string_equal(rig.done_error, "stepIn request failed: hardware breakpoints exhausted");
    expect_stop(&rig, 1, 1);
    assert_int_equal(session_resolve_frame(rig.session, frame, &id, NULL), 0);
    assert_int_equal(id, 7);
    struct value_place place;
    assert_int_equal(session_resolve_value(rig.session, value, &place, NULL), 0);
    assert_int_equal(place.adapter_reference, 42);
    assert_int_equal(place.named, 3);
    rig_close(&rig);
}

/* A resume sent while the frames were still being read, and refused: the stop came back unread, and no wait on it ever ended. */
static void a_refused_resume_reads_the_frames_again(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        struct rig rig;
        running(&rig);
        rig_event(&rig, "stopped", named ? "{'reason':'pause','threadId':1}" : "{'reason':'pause'}");
        if (!named) {
            rig_answer(&rig, "threads", "{'threads':[{'id':1}]}");
            rig_answer(&rig, "stackTrace", FRAMES);
            rig_event(&rig, "stopped", "{'reason':'pause','threadId':1}");
        }
        int asked = rig_count(&rig, "stackTrace");
        rig_wait(&rig, 30000);
        assert_int_equal(rig_resume(&rig, RESUME_NEXT), 0);
        rig_refuse(&rig, "next", "not now");
        assert_int_equal(session_state(rig.session), SESSION_STOPPED);
        assert_int_equal(rig_count(&rig, "stackTrace"), asked + 1);
        rig_answer(&rig, "stackTrace", FRAMES);
        assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
        assert_true(session_stop(rig.session)->settled);
        rig_close(&rig);
    }
}

/* The refusal comes after a stop: the new stop stands, not the one that the resume left. */
static void a_refusal_after_a_stop(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_resume(&rig, RESUME_NEXT);
    rig_stop(&rig, "exception", 2);
    rig_refuse(&rig, "next", "interrupted");
    assert_true(rig.done_failed);
    expect_stop(&rig, 2, 2);
    rig_close(&rig);
}

/* The refusal of an older resume comes while a newer one is under way: it must not bring back the stop that the newer one left, nor let
 * a `continued` of the newer one pass for somebody else's. */
static void an_older_refusal_leaves_the_newer_resume_alone(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_resume(&rig, RESUME_NEXT);
    rig_stop(&rig, "step", 1);
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), 0);
    rig_refuse(&rig, "next", "cancelled");
    assert_int_equal(rig.dones, 1);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    assert_null(session_stop(rig.session));
    rig_stop(&rig, "breakpoint", 1);
    rig_event(&rig, "continued", "{'threadId':1}");
    expect_stop(&rig, 3, 1);
    rig_answer(&rig, "continue", NULL);
    assert_int_equal(rig.dones, 2);
    expect_stop(&rig, 3, 1);
    rig_close(&rig);
}

/* Silence is no refusal: a retry would step twice. The program counts as running, and the user is told. */
static void a_resume_that_is_not_answered(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_wait(&rig, 30000);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_pass(&rig, 10001);
    assert_int_equal(rig.dones, 1);
    assert_false(rig.done_failed);
    assert_int_equal(rig.waits, 0);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_non_null(notice);
    assert_non_null(strstr(notice, "continue"));
    rig_refuse(&rig, "continue", "late");
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_stop(&rig, "breakpoint", 1);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    rig_close(&rig);
}

static void on_ignored(void *user, const struct dap_answer *answer)
{
    (void)user;
    (void)answer;
}

/* An adapter that answers nothing fills the table of requests. A resume that could not even be sent was called a success, and the
 * program "running"; a pause likewise. */
static void a_resume_that_cannot_be_sent(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    for (int i = 0; i < LIMIT_DAP_IN_FLIGHT; i++)
        session_request(rig.session, "evaluate", NULL, 0, on_ignored, NULL);
    rig_resume(&rig, RESUME_NEXT);
    assert_int_equal(rig_count(&rig, "next"), 0);
    assert_int_equal(rig.dones, 1);
    assert_true(rig.done_failed);
    expect_stop(&rig, 1, 1);
    rig_event(&rig, "continued", NULL);
    assert_int_equal(session_pause(rig.session, NULL, rig_on_done, &rig, NULL), 0);
    assert_int_equal(rig.dones, 2);
    assert_true(rig.done_failed);
    rig_close(&rig);
}

/* The stream ends under a resume: it is not refused, and the stop must not come back; the end tells. */
static void the_stream_ends_under_a_resume(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_wait(&rig, 30000);
    rig_resume(&rig, RESUME_NEXT);
    session_on_stream_end(rig.session, 0, "read error");
    assert_int_equal(rig.dones, 1);
    assert_null(session_stop(rig.session));
    assert_int_equal(rig.waits, 0);
    session_on_exit(rig.session, 1, 0);
    assert_int_equal(rig.wait_outcome, WAIT_ENDED);
    rig_close(&rig);
}

/* Each resume is refused at once where it cannot be done, and nothing is sent. */
static void resumes_need_a_stop(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(session_resume(rig.session, &(struct resume){ .kind = RESUME_STEP_OUT }, rig_on_done, &rig, &error), -1);
    assert_string_equal(error.message, "stepOut requires a stopped Debuggee");
    rig_run(&rig);
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), -1);
    rig_stop(&rig, "breakpoint", 1);
    assert_int_equal(session_pause(rig.session, NULL, rig_on_done, &rig, &error), -1);
    assert_string_equal(error.message, "pause requires a running Debuggee");
    rig_resume(&rig, RESUME_CONTINUE);
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), -1); /* two at once */
    assert_int_equal(rig_count(&rig, "continue"), 1);
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), -1);
    assert_int_equal(rig.dones, 1);
    rig_close(&rig);
}

/* ---- steps ---- */

/* All threads run during a step; another one's breakpoint wins. The agent must hear that its step did not end. */
static void a_step_is_interrupted(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_resume(&rig, RESUME_STEP_OUT);
    rig_answer(&rig, "stepOut", NULL);
    rig_stop(&rig, "breakpoint", 2);
    expect_stop(&rig, 2, 2);
    assert_true(session_stop(rig.session)->step_interrupted);
    assert_int_equal(session_stop(rig.session)->step_thread, 1);
    assert_int_equal(rig_count(&rig, "stepOut"), 1);
    rig_close(&rig);
}

/* LLDB told of the thread that had been stepped before, "trace", as if that had been stepped again, and of the end of the step that it had
 * interrupted when the program went on: the first was no word of an interruption, the second none of what that stop was. */
static void an_interrupted_step_ends_late(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_resume(&rig, RESUME_NEXT);
    rig_answer(&rig, "next", NULL);
    rig_stop(&rig, "step", 2);
    expect_stop(&rig, 2, 2);
    assert_true(session_stop(rig.session)->step_interrupted);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    rig_stop(&rig, "step", 1);
    expect_stop(&rig, 3, 1);
    assert_false(session_stop(rig.session)->step_interrupted);
    assert_true(session_stop(rig.session)->step_late);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    rig_stop(&rig, "step", 1);
    assert_false(session_stop(rig.session)->step_late); /* whatever that is */
    rig_close(&rig);
}

/* lldb-dap tells each thread's stop, and which of them it would look at. When the first had been told before the second came, the second
 * replaced it: the step of one thread was answered with another one's place. */
static void a_stop_aside_changes_nothing(void **state)
{
    (void)state;
    static const char aside[] =
        "{'reason':'step','description':'trace','threadId':2,'allThreadsStopped':true,'preserveFocusHint':true}";
    static const char focus[] = "{'reason':'step','threadId':1,'allThreadsStopped':true,'preserveFocusHint':false}";
    struct rig rig;
    stopped(&rig);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    rig_event(&rig, "stopped", focus); /* both at once, in either order */
    rig_event(&rig, "stopped", aside);
    rig_answer(&rig, "stackTrace", FRAMES);
    expect_stop(&rig, 2, 1);
    rig_event(&rig, "stopped", aside); /* and late */
    expect_stop(&rig, 2, 1);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    rig_event(&rig, "stopped", aside); /* alone it is the stop */
    rig_answer(&rig, "stackTrace", FRAMES);
    expect_stop(&rig, 3, 2);
    rig_close(&rig);
}

/* The step had ended; what another thread does afterwards interrupts nothing. */
static void a_stop_after_the_step_interrupts_nothing(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_resume(&rig, RESUME_NEXT);
    rig_answer(&rig, "next", NULL);
    rig_stop(&rig, "step", 1);
    rig_stop(&rig, "breakpoint", 2);
    expect_stop(&rig, 3, 2);
    assert_false(session_stop(rig.session)->step_interrupted);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    rig_stop(&rig, "breakpoint", 1);
    assert_false(session_stop(rig.session)->step_interrupted);
    rig_close(&rig);
}

/* A step that never ended because the program did: the first stop of the next launch was called an interrupted step. */
static void a_step_does_not_outlive_its_launch(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_resume(&rig, RESUME_NEXT);
    rig_answer(&rig, "next", NULL);
    rig_exit(&rig, 0, 0);
    rig.launches = 0;
    rig_run(&rig);
    rig_stop(&rig, "breakpoint", 2);
    expect_stop(&rig, 2, 2); /* stops are counted over launches */
    assert_false(session_stop(rig.session)->step_interrupted);
    rig_close(&rig);
}

/* ---- pause ---- */

static int64_t paused_thread(struct rig *rig)
{
    struct sent *sent = rig_find(rig, "pause");
    assert_non_null(sent);
    return json_int_or(sent->arguments, "threadId", -1);
}

/* `pause` names a thread that exists: the one that was shown last if it still lives, else the first. */
static void pause_asks_for_threads(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    assert_int_equal(rig_count(&rig, "pause"), 0);
    rig_answer(&rig, "threads", "{'threads':[{'id':0,'name':'main'},{'id':8}]}");
    assert_int_equal(paused_thread(&rig), 0);
    rig_answer(&rig, "pause", NULL);
    assert_int_equal(rig.dones, 1);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING); /* until it is told */
    rig_stop(&rig, "pause", 8);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_answer(&rig, "threads", "{'threads':[{'id':0},{'id':8}]}");
    assert_int_equal(paused_thread(&rig), 8);
    rig_close(&rig);
}

/* Adapters that cannot list threads while running refuse or stay silent: the ones that events told of do, else 1. */
static void pause_without_a_list_of_threads(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_refuse(&rig, "threads", "running");
    assert_int_equal(paused_thread(&rig), 1);
    rig_event(&rig, "thread", "{'reason':'started','threadId':6}");
    rig_event(&rig, "thread", "{'reason':'started','threadId':7}");
    rig_event(&rig, "thread", "{'reason':'exited','threadId':6}");
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_pass(&rig, 1001);
    assert_int_equal(rig_count(&rig, "pause"), 2);
    assert_int_equal(paused_thread(&rig), 7);
    rig_refuse(&rig, "pause", "cannot");
    assert_true(rig.done_failed);
    assert_string_equal(rig.done_error, "pause request failed: cannot");
    assert_int_equal(rig.done_kind, ERROR_REQUEST);
    /* The thread that stood last, as long as it lives. */
    rig_event(&rig, "thread", "{'reason':'started','threadId':8}");
    rig_stop(&rig, "breakpoint", 8);
    rig_event(&rig, "continued", NULL);
    for (int i = 0; i < 2; i++) {
        session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
        rig_refuse(&rig, "threads", "running");
        assert_int_equal(paused_thread(&rig), i == 0 ? 8 : 7);
        rig_event(&rig, "thread", "{'reason':'exited','threadId':8}");
    }
    rig_close(&rig);
}

/* An adapter that does not answer `pause`, but stops: the wait ends with the stop; the answer's time-out is told for itself. */
static void pause_is_not_answered(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 30000);
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_answer(&rig, "threads", "{'threads':[{'id':1}]}");
    rig_stop(&rig, "signal", 1);
    assert_int_equal(rig.waits, 1);
    rig_pass(&rig, 10001);
    assert_int_equal(rig.dones, 1);
    assert_int_equal(rig.done_kind, ERROR_TIMEOUT);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_close(&rig);
}

/* gdb 16 forgets a pause that comes right after a resume, and a request for threads at that moment blocks it for good: the known thread
 * is paused without asking, and again until it stands. */
static void an_early_pause_is_repeated(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.quirks = QUIRK_LOSES_EARLY_PAUSE;
    rig_run(&rig);
    rig_stop(&rig, "breakpoint", 5);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    int threads = rig_count(&rig, "threads");
    assert_int_equal(paused_thread(&rig), 5);
    rig_answer(&rig, "pause", NULL);
    rig_pass(&rig, 301);
    assert_int_equal(rig_count(&rig, "pause"), 2);
    rig_stop(&rig, "pause", 5);
    rig_pass(&rig, 5000);
    assert_int_equal(rig_count(&rig, "pause"), 2);
    assert_int_equal(rig_count(&rig, "threads"), threads);
    rig_close(&rig);
}

/* On a busy machine codelldb answered a pause that came right behind a resume with the stop that the program had just left: no reason, no such
 * thread, `continued` a moment later. Dapple said "stopped" of a program that ran, and nothing could be asked of it any more. */
static void a_pause_that_met_the_former_stop_is_repeated(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct rig rig;
        running(&rig);
        rig_wait(&rig, 30000);
        session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
        rig_answer(&rig, "threads", "{'threads':[{'id':1,'name':'main'}]}");
        rig_event(&rig, "stopped", "{'reason':'unknown','threadId':1,'allThreadsStopped':true}");
        rig_answer(&rig, "pause", NULL);
        if (told == 0)
            rig_refuse(&rig, "stackTrace", "Invalid thread_id.");
        else
            rig_event(&rig, "continued", "{'threadId':1,'allThreadsContinued':true}");
        assert_int_equal(session_state(rig.session), SESSION_RUNNING);
        assert_int_equal(rig.waits, 0);
        rig_event(&rig, "continued", "{'threadId':1,'allThreadsContinued':true}");
        rig_pass(&rig, 301);
        assert_int_equal(rig_count(&rig, "pause"), 2);
        rig_event(&rig, "stopped", "{'reason':'exception','description':'signal SIGSTOP','threadId':1}");
        rig_answer(&rig, "stackTrace", FRAMES);
        assert_int_equal(rig.waits, 1);
        assert_string_equal(session_stop(rig.session)->reason, "pause");
        rig_pass(&rig, 5000);
        assert_int_equal(rig_count(&rig, "pause"), 2);
        rig_close(&rig);
    }
}

/* It runs, and is to pause. */
static void pausing(struct rig *rig, uint64_t quirks)
{
    rig_open(rig);
    rig->quirks = quirks;
    rig_run(rig);
    session_pause(rig->session, NULL, rig_on_done, rig, NULL);
}

/* The program stopped and the user went on: a pause that was being repeated, or still looked for its thread, stopped it once more. */
static void a_pause_does_not_outlive_its_stop(void **state)
{
    (void)state;
    for (uint64_t quirks = 0; quirks <= QUIRK_LOSES_EARLY_PAUSE; quirks += QUIRK_LOSES_EARLY_PAUSE) {
        struct rig rig;
        pausing(&rig, quirks);
        int pauses = rig_count(&rig, "pause");
        rig_stop(&rig, "breakpoint", 5);
        rig_resume(&rig, RESUME_CONTINUE);
        rig_answer(&rig, "continue", NULL);
        if (quirks == 0)
            rig_answer(&rig, "threads", "{'threads':[{'id':5}]}");
        rig_pass(&rig, 5000);
        assert_int_equal(rig_count(&rig, "pause"), pauses);
        assert_int_equal(session_state(rig.session), SESSION_RUNNING);
        rig_close(&rig);
    }
}

/* A pause that was refused, and told so, is not tried again behind the user's back; nor does it keep a session that has ended awake. */
static void a_refused_pause_is_not_repeated(void **state)
{
    (void)state;
    struct rig rig;
    pausing(&rig, QUIRK_LOSES_EARLY_PAUSE);
    rig_refuse(&rig, "pause", "cannot");
    assert_true(rig.done_failed);
    rig_pass(&rig, 5000);
    assert_int_equal(rig_count(&rig, "pause"), 1);
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(session_deadline(rig.session), UINT64_MAX);
    rig_close(&rig);
}

/* CI found it: Node.js was idle and the pause never stopped it. It had come while Node ran code of its own, which js-debug steps through
 * (`continued` after each step), and the expression that is to stop was evaluated between two steps; nothing asked again. */
static void a_pause_that_is_spent_is_sent_again(void **state)
{
    (void)state;
    struct rig rig;
    pausing(&rig, QUIRK_STOPS_IN_CODE);
    rig_answer(&rig, "threads", "{'threads':[{'id':1}]}");
    rig_answer(&rig, "pause", NULL);
    for (int step = 0; step < 5; step++) {
        rig_pass(&rig, 200);
        rig_event(&rig, "continued", "{'threadId':1}");
    }
    assert_int_equal(rig_count(&rig, "evaluate"), 0);
    for (int time = 1; time <= 3; time++) {
        rig_pass(&rig, 301);
        assert_int_equal(rig_count(&rig, "pause"), time);
        assert_int_equal(rig_count(&rig, "evaluate"), time);
        rig_answer(&rig, "evaluate", "{'result':'undefined','variablesReference':0}");
    }
    rig_pass(&rig, 301);
    rig_stop(&rig, "pause", 1);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    rig_answer(&rig, "evaluate",
               "{'result':'undefined','variablesReference':0}"); /* of the pause that stopped: nobody wants one now */
    rig_pass(&rig, 60000);
    assert_int_equal(rig_count(&rig, "pause"), 4);
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_answer(&rig, "threads", "{'threads':[{'id':1}]}");
    for (int time = 0; time < 100; time++) {
        rig_pass(&rig, 301);
        if (rig_count(&rig, "evaluate") > 4 + time)
            rig_answer(&rig, "evaluate", "{'result':'undefined','variablesReference':0}");
    }
    assert_int_equal(rig_count(&rig, "pause"), 4 + 1 + 10); /* not for ever */
    rig_close(&rig);
}

/* It stops by itself, or ends, while threads are asked for: no `pause` is sent to a program that does not run. */
static void pause_is_overtaken(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        struct rig rig;
        running(&rig);
        session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
        if (ends)
            rig_event(&rig, "terminated", NULL);
        else
            rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':1}");
        rig_answer(&rig, "threads", "{'threads':[{'id':1}]}");
        assert_int_equal(rig_count(&rig, "pause"), 0);
        assert_int_equal(rig.dones, 1);
        assert_false(rig.done_failed);
        rig_close(&rig);
    }
}

/* ---- waits ---- */

/* 0 means: do not wait. Never: no time-out. */
static void waits_end_in_time(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_wait(&rig, 0);
    assert_int_equal(rig.waits, 0);
    assert_true(session_deadline(rig.session) <= rig.now);
    rig_pass(&rig, 0);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_TIMED_OUT);
    rig_wait(&rig, UINT64_MAX);
    rig_wait(&rig, 50);
    rig_wait(&rig, 20);
    assert_int_equal(session_deadline(rig.session), rig.now + 20);
    rig_pass(&rig, 19);
    assert_int_equal(rig.waits, 1);
    rig_pass(&rig, 1);
    assert_int_equal(rig.waits, 2);
    assert_int_equal(session_deadline(rig.session), rig.now + 30);
    rig_pass(&rig, 1000000);
    assert_int_equal(rig.waits, 3);
    assert_int_equal(session_deadline(rig.session), UINT64_MAX);
    rig_stop(&rig, "pause", 1);
    assert_int_equal(rig.waits, 4);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    rig_close(&rig);
}

/* A wait registered while the program stands still is for the next stop: it is there before the resume is sent. */
static void a_wait_is_for_the_next_stop(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    rig_wait(&rig, 30000);
    rig_pass(&rig, 10);
    assert_int_equal(rig.waits, 0);
    rig_resume(&rig, RESUME_NEXT);
    rig_answer(&rig, "next", NULL);
    assert_int_equal(rig.waits, 0);
    rig_stop(&rig, "step", 1);
    assert_int_equal(rig.waits, 1);
    rig_close(&rig);
}

/* Callbacks that touch the list that they are called from. */
struct meddler {
    struct rig *rig;
    struct session_wait *own, *other;
    enum { MEDDLE_NOT, MEDDLE_FORGET, MEDDLE_CANCEL, MEDDLE_WAIT, MEDDLE_RESUME, MEDDLE_END, MEDDLE_LAUNCH } what;
    int calls;
    enum wait_outcome outcome;
};

static void on_meddling_wait(void *user, enum wait_outcome outcome)
{
    struct meddler *meddler = user;
    meddler->calls++;
    meddler->outcome = outcome;
    switch (meddler->what) {
    case MEDDLE_NOT:
        break;
    case MEDDLE_FORGET:
        session_wait_forget(meddler->rig->session, meddler->other);
        break;
    case MEDDLE_CANCEL:
        session_wait_cancel(meddler->rig->session, meddler->other);
        break;
    case MEDDLE_WAIT:
        rig_wait(meddler->rig, 0);
        break;
    case MEDDLE_RESUME:
        rig_resume(meddler->rig, RESUME_NEXT);
        break;
    case MEDDLE_END:
        session_end(meddler->rig->session, "stopped by request", rig_on_end, meddler->rig);
        break;
    case MEDDLE_LAUNCH:
        rig_launch(meddler->rig, NULL);
        rig_wait(meddler->rig, 30000);
        break;
    }
}

static void meddle(struct meddler *meddler, struct rig *rig, uint64_t timeout_ms)
{
    meddler->rig = rig;
    meddler->own = session_wait(rig->session, timeout_ms, on_meddling_wait, meddler);
}

static void cancelled_and_forgotten(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    struct meddler a = { 0 }, b = { 0 };
    meddle(&a, &rig, 100);
    meddle(&b, &rig, 100);
    session_wait_cancel(rig.session, a.own);
    session_wait_forget(rig.session, b.own);
    assert_int_equal(a.calls, 1);
    assert_int_equal(a.outcome, WAIT_CANCELLED);
    rig_pass(&rig, 200);
    rig_stop(&rig, "pause", 1);
    assert_int_equal(a.calls, 1);
    assert_int_equal(b.calls, 0);
    rig_close(&rig);
}

/* One wait's callback forgets another one that is due to the same event: its owner is freed by then, and was called all the same. */
static void a_callback_forgets_the_next_wait(void **state)
{
    (void)state;
    for (int event = 0; event < 3; event++) {
        for (int cancel = 0; cancel < 2; cancel++) {
            struct rig rig;
            running(&rig);
            struct meddler a = { .what = cancel ? MEDDLE_CANCEL : MEDDLE_FORGET }, b = { 0 };
            meddle(&a, &rig, 100);
            meddle(&b, &rig, 100);
            a.other = b.own;
            if (event == 0)
                rig_stop(&rig, "pause", 1);
            else if (event == 1)
                rig_pass(&rig, 100);
            else
                rig_exit(&rig, 0, 0);
            assert_int_equal(a.calls, 1);
            assert_int_equal(b.calls, cancel);
            if (cancel)
                assert_int_equal(b.outcome, WAIT_CANCELLED);
            rig_close(&rig);
        }
    }
}

/* A wait that is registered in a callback waits for what comes next. */
static void a_callback_waits_again(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    struct meddler a = { .what = MEDDLE_WAIT };
    meddle(&a, &rig, 1000);
    rig_stop(&rig, "pause", 1);
    assert_int_equal(a.calls, 1);
    assert_int_equal(rig.waits, 0);
    rig_pass(&rig, 0);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_TIMED_OUT);
    rig_close(&rig);
}

/* The first one told of a stop resumes at once: there is no stop any more that the second could be told of. */
static void a_callback_resumes(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    struct meddler a = { .what = MEDDLE_RESUME };
    meddle(&a, &rig, 1000);
    rig_wait(&rig, 1000);
    rig_stop(&rig, "pause", 1);
    assert_int_equal(a.calls, 1);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    assert_int_equal(rig.waits, 0);
    rig_stop(&rig, "step", 1);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    rig_close(&rig);
}

/* The first one told of a stop ends the session: the second hears of the end. */
static void a_callback_ends_the_session(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    struct meddler a = { .what = MEDDLE_END };
    meddle(&a, &rig, 1000);
    rig_wait(&rig, 1000);
    rig_stop(&rig, "pause", 1);
    assert_int_equal(a.calls, 1);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_ENDED);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.ends, 1);
    rig_close(&rig);
}

/* One told of the end launches again and waits: the end of the former run must not answer that wait. */
static void a_callback_launches_again(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    struct meddler a = { .what = MEDDLE_LAUNCH };
    meddle(&a, &rig, 1000);
    rig_exit(&rig, 0, 0);
    assert_int_equal(a.outcome, WAIT_ENDED);
    assert_int_equal(rig.waits, 0);
    assert_int_equal(session_state(rig.session), SESSION_LAUNCHING);
    rig_connect(&rig);
    rig_close(&rig);
}

static void on_launched_wait(void *user, enum launch_outcome outcome, const struct error *error)
{
    (void)error;
    struct rig *rig = user;
    assert_int_equal(outcome, LAUNCH_STARTED);
    rig_wait(rig, 30000);
}

static void launch_and_wait(struct rig *rig)
{
    struct launch_plan *plan = xcalloc(1, sizeof(*plan));
    plan->adapter_type = xstrdup("test");
    assert_int_equal(session_launch(rig->session, plan, on_launched_wait, rig, NULL), 0);
    rig_connect(rig);
    rig_answer(rig, "initialize", "{'supportsConfigurationDoneRequest':true}");
    rig_event(rig, "initialized", NULL);
}

/* A wait registered by the callback of the launch was answered by the very stop or end that completed the launch. */
static void a_wait_of_the_launch_callback(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    launch_and_wait(&rig);
    rig_stop(&rig, "entry", 1);
    assert_int_equal(rig.waits, 0);
    rig_stop(&rig, "breakpoint", 1);
    assert_int_equal(rig.waits, 1);
    rig_exit(&rig, 0, 0);
    launch_and_wait(&rig);
    rig_event(&rig, "terminated", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.waits, 1);
    rig_pass(&rig, 30000);
    assert_int_equal(rig.wait_outcome, WAIT_TIMED_OUT);
    rig_close(&rig);
}

/* ---- handles ---- */

static void refused(struct session *session, int64_t handle, const char *words)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t id = -77;
    assert_int_equal(session_resolve_frame(session, handle, &id, &error), -1);
    assert_int_equal(id, -77);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* debugpy and lldb-dap use the same frame ids at every stop, and answered an old one with another frame's data. */
static void a_stale_handle_is_recognised(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int64_t former = session_stop(rig.session)->frames[0].handle;
    rig_resume(&rig, RESUME_NEXT);
    rig_answer(&rig, "next", NULL);
    refused(rig.session, former, "not stopped");
    rig_stop(&rig, "step", 1);
    int64_t present = session_stop(rig.session)->frames[0].handle;
    assert_int_not_equal(former, present);
    refused(rig.session, former, "belongs to stop 1, but the program is at stop 2");
    refused(rig.session, former, "dap_stack");
    int64_t id;
    assert_int_equal(session_resolve_frame(rig.session, present, &id, NULL), 0);
    assert_int_equal(id, 7);
    assert_int_equal(session_frame_handle(rig.session, 7), present);
    rig_close(&rig);
}

static void on_value(void *user, const struct dap_answer *answer)
{
    (void)answer;
    struct rig *rig = user;
    rig->dones = (int)session_value_handle(rig->session, 42, -1, -1);
}

/* evaluate is answered after the user went on and the program stopped again: its reference got an id of the new stop, and would have
 * been answered with whatever the adapter keeps under that number now. */
static void a_late_answer_gives_no_handles(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    session_request(rig.session, "evaluate", NULL, 0, on_value, &rig);
    rig_answer(&rig, "evaluate", "{}");
    assert_true(rig.dones > 10000);
    session_request(rig.session, "evaluate", NULL, 0, on_value, &rig);
    rig_resume(&rig, RESUME_NEXT);
    rig_answer(&rig, "next", NULL);
    rig_stop(&rig, "step", 1);
    rig.dones = -1;
    rig_answer(&rig, "evaluate", "{}");
    assert_int_equal(rig.dones, 0);
    assert_true(session_value_handle(rig.session, 42, -1, -1) > 20000);
    rig_close(&rig);
}

static void handles_that_were_never_given(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int64_t present = session_stop(rig.session)->frames[0].handle;
    const int64_t wrong[] = { 0, 1, 7, -1, -10001, present + 1, present + 10000, present - 1, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        refused(rig.session, wrong[i], "never given out");
    rig_close(&rig);
}

static void handles_of_the_wrong_kind(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int64_t value = session_value_handle(rig.session, 7, -1, -1);
    refused(rig.session, value, "pass it as variables_reference");
    AUTO_ERROR struct error error = ERROR_INIT;
    struct value_place place;
    assert_int_equal(session_resolve_value(rig.session, session_stop(rig.session)->frames[0].handle, &place, &error), -1);
    assert_non_null(strstr(error.message, "pass it as frame_id"));
    assert_int_equal(session_value_handle(rig.session, 0, -1, -1), 0); /* a leaf has none */
    rig_close(&rig);
}

/* A stop gives out so many and no more; what it gave stays good, and the user is told once. */
static void handles_are_limited(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int64_t last = 0;
    for (int i = 1; i < LIMIT_HANDLES_PER_STOP; i++)
        last = session_value_handle(rig.session, i, -1, -1);
    assert_true(last > 0);
    assert_int_equal(session_value_handle(rig.session, 5, -1, -1), 0);
    assert_int_equal(session_frame_handle(rig.session, 8), 0);
    struct value_place place;
    assert_int_equal(session_resolve_value(rig.session, last, &place, NULL), 0);
    assert_int_equal(place.adapter_reference, LIMIT_HANDLES_PER_STOP - 1);
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_non_null(strstr(notice, "9999"));
    assert_null(strchr(notice, '\n'));
    rig_stop(&rig, "step", 1);
    assert_true(session_value_handle(rig.session, 5, -1, -1) > last);
    rig_close(&rig);
}

/* ---- turns ---- */

static void on_turn(void *user)
{
    ++*(int *)user;
}

/* lldb-dap shares references between frames: one inspection at a time, in order, and a turn that is given up is passed on. */
static void inspections_take_turns(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    int given[3] = { 0 };
    struct session_turn *turns[3];
    for (size_t i = 0; i < 3; i++)
        session_inspect_begin(rig.session, &turns[i], on_turn, &given[i]);
    assert_int_equal(given[0] + given[1] + given[2], 1);
    session_inspect_end(rig.session, turns[1]); /* has not come yet */
    assert_int_equal(given[2], 0);
    session_inspect_end(rig.session, turns[0]);
    assert_int_equal(given[1], 0);
    assert_int_equal(given[2], 1);
    session_inspect_end(rig.session, turns[2]);
    session_inspect_begin(rig.session, &turns[0], on_turn, &given[0]);
    assert_int_equal(given[0], 2);
    rig_close(&rig);
}

/* ---- evaluations that call functions ---- */

static void count_answer(void *user, const struct dap_answer *answer)
{
    (void)answer;
    ++*(int *)user;
}

static void stopped_with(struct rig *rig, uint64_t quirks)
{
    rig_open(rig);
    rig->quirks = quirks;
    rig_run(rig);
    rig_stop(rig, "breakpoint", 1);
}

/* gdb told the call of a function as `continued` and did not tell its end: Dapple said "running" of a program that stood still. */
static void a_call_of_an_evaluation_is_no_resume(void **state)
{
    (void)state;
    struct rig rig;
    int answered = 0;
    stopped_with(&rig, QUIRK_CALLS_AS_RESUMES);
    session_request(rig.session, "evaluate", NULL, 0, count_answer, &answered);
    rig_event(&rig, "continued", "{'threadId':1,'allThreadsContinued':true}");
    expect_stop(&rig, 1, 1);
    rig_event(&rig, "stopped", "{'reason':'function call','threadId':1,'allThreadsStopped':true}");
    expect_stop(&rig, 1, 1);
    rig_answer(&rig, "evaluate", "{'result':'6','variablesReference':0}");
    assert_int_equal(answered, 1);
    expect_stop(&rig, 1, 1);
    rig_event(&rig, "continued", "{'threadId':1,'allThreadsContinued':true}"); /* nothing of ours is under way: it runs */
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* What stops inside of the call is a stop. */
static void a_breakpoint_inside_of_an_evaluation(void **state)
{
    (void)state;
    struct rig rig;
    int answered = 0;
    stopped_with(&rig, QUIRK_CALLS_AS_RESUMES);
    rig_wait(&rig, 30000);
    session_request(rig.session, "evaluate", NULL, 0, count_answer, &answered);
    rig_event(&rig, "continued", "{'threadId':1,'allThreadsContinued':true}");
    rig_stop(&rig, "breakpoint", 1);
    expect_stop(&rig, 2, 1);
    assert_int_equal(rig.waits, 1);
    assert_int_equal(rig.wait_outcome, WAIT_STOPPED);
    rig_refuse(&rig, "evaluate", "stopped while in a function");
    expect_stop(&rig, 2, 1);
    rig_close(&rig);
}

/* Ruby's debugger does not tell that it is back where the expression was evaluated: only the late answer does. */
static void an_evaluation_returns_to_its_stop(void **state)
{
    (void)state;
    struct rig rig;
    int answered = 0;
    stopped_with(&rig, QUIRK_RETURNS_UNTOLD);
    session_request(rig.session, "evaluate", NULL, 0, count_answer, &answered);
    struct sent *evaluate = rig_find(&rig, "evaluate");
    int64_t seq = evaluate->seq;
    rig_stop(&rig, "breakpoint", 1);
    expect_stop(&rig, 2, 1);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_answer_to(&rig, seq, "{'result':'6','variablesReference':0}");
    rig_answer(&rig, "stackTrace", FRAMES);
    expect_stop(&rig, 3, 1);
    assert_string_equal(session_stop(rig.session)->reason, "evaluation ended");
    assert_int_equal(answered, 1);
    rig_close(&rig);
}

/* A value that was replaced: its handles are refused, those of others are not. */
static void handles_of_a_replaced_value(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig);
    AUTO_ERROR struct error error = ERROR_INIT;
    struct value_place place;
    int64_t old = session_value_handle(rig.session, 70, -1, -1), other = session_value_handle(rig.session, 71, -1, -1);
    session_forget_value(rig.session, 70);
    assert_int_equal(session_resolve_value(rig.session, old, &place, &error), -1);
    assert_non_null(strstr(error.message, "of a value that is replaced"));
    assert_int_equal(session_resolve_value(rig.session, other, &place, &error), 0);
    session_forget_value(rig.session, 0);
    assert_int_equal(session_resolve_value(rig.session, other, &place, &error), 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_ends_when_the_frames_were_read),
        cmocka_unit_test(no_thread_and_on),
        cmocka_unit_test(a_pause_by_another_name),
        cmocka_unit_test(frames_that_cannot_be_read),
        cmocka_unit_test(odd_bodies),
        cmocka_unit_test(a_long_stack_is_cut),
        cmocka_unit_test(the_stream_ends_while_frames_are_read),
        cmocka_unit_test(the_stepped_thread_speaks),
        cmocka_unit_test(the_thread_with_a_cause_speaks),
        cmocka_unit_test(frames_of_the_thread_that_lost),
        cmocka_unit_test(a_stop_after_a_stop_is_new),
        cmocka_unit_test(the_first_thread_with_frames),
        cmocka_unit_test(the_next_stop_without_a_thread),
        cmocka_unit_test(no_thread_at_all),
        cmocka_unit_test(a_silent_adapter_does_not_delay_the_stop),
        cmocka_unit_test(a_stop_that_is_taken_back),
        cmocka_unit_test(continued_around_the_answer),
        cmocka_unit_test(a_stop_overtakes_the_answer),
        cmocka_unit_test(continued_by_somebody_else),
        cmocka_unit_test(continued_of_another_thread),
        cmocka_unit_test(a_refused_resume_puts_the_stop_back),
        cmocka_unit_test(a_refused_resume_reads_the_frames_again),
        cmocka_unit_test(a_refusal_after_a_stop),
        cmocka_unit_test(an_older_refusal_leaves_the_newer_resume_alone),
        cmocka_unit_test(a_resume_that_is_not_answered),
        cmocka_unit_test(a_resume_that_cannot_be_sent),
        cmocka_unit_test(the_stream_ends_under_a_resume),
        cmocka_unit_test(resumes_need_a_stop),
        cmocka_unit_test(a_step_is_interrupted),
        cmocka_unit_test(an_interrupted_step_ends_late),
        cmocka_unit_test(a_stop_aside_changes_nothing),
        cmocka_unit_test(a_stop_after_the_step_interrupts_nothing),
        cmocka_unit_test(a_step_does_not_outlive_its_launch),
        cmocka_unit_test(pause_asks_for_threads),
        cmocka_unit_test(pause_without_a_list_of_threads),
        cmocka_unit_test(pause_is_not_answered),
        cmocka_unit_test(a_pause_that_is_spent_is_sent_again),
        cmocka_unit_test(pause_is_overtaken),
        cmocka_unit_test(an_early_pause_is_repeated),
        cmocka_unit_test(a_pause_that_met_the_former_stop_is_repeated),
        cmocka_unit_test(a_pause_does_not_outlive_its_stop),
        cmocka_unit_test(a_refused_pause_is_not_repeated),
        cmocka_unit_test(a_call_of_an_evaluation_is_no_resume),
        cmocka_unit_test(a_breakpoint_inside_of_an_evaluation),
        cmocka_unit_test(an_evaluation_returns_to_its_stop),
        cmocka_unit_test(handles_of_a_replaced_value),
        cmocka_unit_test(waits_end_in_time),
        cmocka_unit_test(a_wait_is_for_the_next_stop),
        cmocka_unit_test(cancelled_and_forgotten),
        cmocka_unit_test(a_callback_forgets_the_next_wait),
        cmocka_unit_test(a_callback_waits_again),
        cmocka_unit_test(a_callback_resumes),
        cmocka_unit_test(a_callback_ends_the_session),
        cmocka_unit_test(a_callback_launches_again),
        cmocka_unit_test(a_wait_of_the_launch_callback),
        cmocka_unit_test(a_stale_handle_is_recognised),
        cmocka_unit_test(a_late_answer_gives_no_handles),
        cmocka_unit_test(handles_that_were_never_given),
        cmocka_unit_test(handles_of_the_wrong_kind),
        cmocka_unit_test(handles_are_limited),
        cmocka_unit_test(inspections_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
