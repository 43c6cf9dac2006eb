/* Every way to go on from a stop, in every order in which an adapter may tell of it; a chosen thread; the temporary breakpoint. */
#include "session_rig.h"

#include "base/error.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES "{'stackFrames':[{'id':7,'name':'main','line':3,'column':1,'source':{'path':'/w/a.py'}}]}"
#define ALL                                                                                                   \
    "{'supportsConfigurationDoneRequest':true,'supportsConditionalBreakpoints':true,'supportsStepBack':true," \
    "'supportsGotoTargetsRequest':true,'supportsRestartFrame':true,'supportsSteppingGranularity':true,"       \
    "'supportsStepInTargetsRequest':true,'supportsSingleThreadExecutionRequests':true,'supportsFunctionBreakpoints':true}"

static const struct kind {
    enum resume_kind kind;
    const char *command, *capability;
} kinds[] = {
    { RESUME_CONTINUE, "continue", NULL },
    { RESUME_NEXT, "next", NULL },
    { RESUME_STEP_IN, "stepIn", NULL },
    { RESUME_STEP_OUT, "stepOut", NULL },
    { RESUME_STEP_BACK, "stepBack", "supportsStepBack" },
    { RESUME_REVERSE_CONTINUE, "reverseContinue", "supportsStepBack" },
    { RESUME_GOTO, "goto", "supportsGotoTargetsRequest" },
    { RESUME_RESTART_FRAME, "restartFrame", "supportsRestartFrame" },
};

static void stopped(struct rig *rig, const char *capabilities)
{
    rig_open(rig);
    rig->capabilities = capabilities;
    rig_run(rig);
    rig_stop(rig, "breakpoint", 1);
    assert_int_equal(session_state(rig->session), SESSION_STOPPED);
}

static int resume(struct rig *rig, struct resume resume, struct error *error)
{
    return session_resume(rig->session, &resume, rig_on_done, rig, error);
}

static int64_t argument(struct rig *rig, const char *command, const char *name)
{
    struct sent *sent = rig_find(rig, command);
    assert_non_null(sent);
    return json_int_or(sent->arguments, name, -1);
}

/* ---- orderings ---- */

/* The stop comes before the answer to the request: it stands, whatever the kind, and the answer changes nothing. */
static void a_stop_overtakes_every_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct rig rig;
        stopped(&rig, ALL);
        assert_int_equal(resume(&rig, (struct resume){ .kind = kinds[i].kind, .has_target = true, .target = 7 }, NULL), 0);
        assert_int_equal(session_state(rig.session), SESSION_RUNNING);
        rig_stop(&rig, "breakpoint", 1);
        assert_int_equal(session_stop(rig.session)->number, 2);
        rig_answer(&rig, kinds[i].command, NULL);
        assert_int_equal(rig.dones, 1);
        assert_false(rig.done_failed);
        assert_int_equal(session_stop(rig.session)->number, 2);
        rig_close(&rig);
    }
}

/* A refusal of any kind puts the stop back, with its frames. */
static void every_refusal_puts_the_stop_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct rig rig;
        stopped(&rig, ALL);
        int64_t frame = session_stop(rig.session)->frames[0].handle, id;
        assert_int_equal(resume(&rig, (struct resume){ .kind = kinds[i].kind, .has_target = true, .target = 7 }, NULL), 0);
        assert_null(session_stop(rig.session));
        rig_refuse(&rig, kinds[i].command, "not here");
        assert_true(rig.done_failed);
        assert_non_null(strstr(rig.done_error, "not here"));
        assert_int_equal(session_stop(rig.session)->number, 1);
        assert_int_equal(session_resolve_frame(rig.session, frame, &id, NULL), 0);
        rig_close(&rig);
    }
}

/* What is not claimed is not sent, and the program stays where it is. */
static void nothing_unclaimed_is_sent(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig, NULL);
    size_t sent = rig.sent_count;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        AUTO_ERROR struct error error = ERROR_INIT;
        if (kinds[i].capability == NULL)
            continue;
        assert_int_equal(resume(&rig, (struct resume){ .kind = kinds[i].kind, .target = 7 }, &error), -1);
        assert_non_null(strstr(error.message, kinds[i].capability));
        assert_int_equal(error.kind, ERROR_REQUEST);
    }
    static const struct {
        struct resume resume;
        const char *capability;
    } options[] = {
        { { .kind = RESUME_NEXT, .granularity = STEP_INSTRUCTION }, "supportsSteppingGranularity" },
        { { .kind = RESUME_STEP_IN, .has_target = true }, "supportsStepInTargetsRequest" },
        { { .kind = RESUME_CONTINUE, .single_thread = true }, "supportsSingleThreadExecutionRequests" },
    };
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        AUTO_ERROR struct error error = ERROR_INIT;
        assert_int_equal(resume(&rig, options[i].resume, &error), -1);
        assert_non_null(strstr(error.message, options[i].capability));
    }
    assert_int_equal(rig.sent_count, sent);
    assert_int_equal(session_stop(rig.session)->number, 1);
    rig_close(&rig);
}

/* codelldb names no reason after a goto; a stop that has a reason keeps it, and so does the next stop of a plain step. */
static void the_reason_of_a_jump(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig, ALL);
    resume(&rig, (struct resume){ .kind = RESUME_GOTO, .target = 1 }, NULL);
    rig_stop(&rig, "", 1);
    assert_string_equal(session_stop(rig.session)->reason, "goto");
    resume(&rig, (struct resume){ .kind = RESUME_GOTO, .target = 1 }, NULL);
    rig_stop(&rig, "breakpoint", 1);
    assert_string_equal(session_stop(rig.session)->reason, "breakpoint");
    resume(&rig, (struct resume){ .kind = RESUME_NEXT }, NULL);
    rig_stop(&rig, "", 1);
    assert_string_equal(session_stop(rig.session)->reason, "unknown");
    rig_close(&rig);
}

/* rdbg never answers a step back that it makes: ten seconds later a warning came about a stop that was long known. */
static void a_missing_answer_after_the_stop_is_no_news(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig, ALL);
    resume(&rig, (struct resume){ .kind = RESUME_STEP_BACK }, NULL);
    rig_stop(&rig, "step", 1);
    rig_pass(&rig, 20000);
    assert_int_equal(rig.dones, 1);
    assert_null(session_take_notice(rig.session));
    assert_int_equal(session_stop(rig.session)->number, 2);
    rig_close(&rig);
}

/* ---- one thread alone ---- */

static void one_thread_goes_on_alone(void **state)
{
    (void)state;
    int64_t thread = 0;
    struct rig rig;
    stopped(&rig, ALL);
    struct resume alone = { .kind = RESUME_CONTINUE, .has_thread = true, .thread_id = 4, .single_thread = true };
    resume(&rig, alone, NULL);
    assert_int_equal(argument(&rig, "continue", "threadId"), 4);
    assert_true(session_single_thread(rig.session, &thread));
    assert_int_equal(thread, 4);
    rig_answer(&rig, "continue", "{'allThreadsContinued':false}");
    assert_true(session_single_thread(rig.session, &thread));
    rig_stop(&rig, "breakpoint", 4);
    assert_false(session_single_thread(rig.session, &thread)); /* nothing runs */

    /* The adapter lets all go on, or does not say what it did, which means the same. */
    for (int told = 0; told < 2; told++) {
        resume(&rig, alone, NULL);
        rig_answer(&rig, "continue", told ? "{'allThreadsContinued':true}" : "{}");
        assert_false(session_single_thread(rig.session, &thread));
        AUTO_FREE char *notice = session_take_notice(rig.session);
        assert_non_null(strstr(notice, "let all threads go on"));
        rig_stop(&rig, "breakpoint", 4);
    }

    /* Refused: nothing runs, and the thread that had stopped is shown again. */
    resume(&rig, alone, NULL);
    rig_refuse(&rig, "continue", "no");
    assert_false(session_single_thread(rig.session, &thread));
    assert_int_equal(session_stop(rig.session)->thread_id, 4);
    rig_close(&rig);
}

/* ---- which thread ---- */

/* codelldb tells of the thread that was stepped before, whichever was stepped now. */
static void the_stepped_thread_of_codelldb(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.quirks = QUIRK_STEPS_ANOTHER_THREAD;
    rig_run(&rig);
    rig_stop(&rig, "breakpoint", 1);
    resume(&rig, (struct resume){ .kind = RESUME_NEXT, .has_thread = true, .thread_id = 2 }, NULL);
    rig_stop(&rig, "step", 1);
    assert_int_equal(session_stop(rig.session)->thread_id, 2);
    assert_int_equal(argument(&rig, "stackTrace", "threadId"), 2);
    assert_false(session_stop(rig.session)->step_interrupted);
    resume(&rig, (struct resume){ .kind = RESUME_NEXT }, NULL);
    rig_stop(&rig, "breakpoint", 1); /* that is no end of a step */
    assert_int_equal(session_stop(rig.session)->thread_id, 1);
    rig_close(&rig);
}

/* rdbg answers for the thread that stopped, whichever is named: its frames would pass for another thread's. */
static void one_thread_at_a_time(void **state)
{
    (void)state;
    struct rig rig;
    int64_t id;
    rig_open(&rig);
    rig.quirks = QUIRK_LOOKS_AT_ONE_THREAD;
    rig_run(&rig);
    rig_stop(&rig, "breakpoint", 1);
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(session_resolve_thread(rig.session, 1, &id, NULL), 0);
    assert_int_equal(session_resolve_thread(rig.session, 2, &id, &error), -1);
    assert_int_equal(resume(&rig, (struct resume){ .kind = RESUME_NEXT, .has_thread = true, .thread_id = 2 }, NULL), -1);
    assert_int_equal(session_stop(rig.session)->number, 1);
    rig_resume(&rig, RESUME_CONTINUE);
    int64_t thread = 2;
    assert_int_equal(session_pause(rig.session, &thread, rig_on_done, &rig, NULL), -1);
    rig_close(&rig);
}

static void paused(struct rig *rig, int64_t thread, const char *threads, const char *stop)
{
    rig_resume(rig, RESUME_CONTINUE);
    rig_answer(rig, "continue", NULL);
    assert_int_equal(session_pause(rig->session, &thread, rig_on_done, rig, NULL), 0);
    rig_answer(rig, "threads", threads);
    if (stop == NULL)
        return;
    assert_int_equal(argument(rig, "pause", "threadId"), thread);
    rig_answer(rig, "pause", NULL);
    rig_event(rig, "stopped", stop);
}

/* All threads stand, and the one that was asked for is shown, whichever the adapter names. */
static void a_chosen_thread_is_paused(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig, NULL);
    paused(&rig, 3, "{'threads':[{'id':1},{'id':3}]}", "{'reason':'pause','threadId':1,'allThreadsStopped':true}");
    assert_int_equal(argument(&rig, "stackTrace", "threadId"), 3);
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(session_stop(rig.session)->thread_id, 3);

    /* Something else stopped the program first: that is what is told. */
    paused(&rig, 3, "{'threads':[{'id':1},{'id':3}]}", "{'reason':'exception','threadId':1,'allThreadsStopped':true}");
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(session_stop(rig.session)->thread_id, 1);

    /* Only one thread stands: no other one is shown. */
    paused(&rig, 3, "{'threads':[{'id':1},{'id':3}]}", "{'reason':'pause','threadId':1,'allThreadsStopped':false}");
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(session_stop(rig.session)->thread_id, 1);

    /* Debuggers that use LLDB pause by a signal, and call it an exception. */
    paused(&rig, 3, "{'threads':[{'id':1},{'id':3}]}",
           "{'reason':'exception','description':'signal SIGSTOP','threadId':1,'allThreadsStopped':true}");
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_string_equal(session_stop(rig.session)->reason, "pause");
    assert_int_equal(session_stop(rig.session)->thread_id, 3);
    rig_close(&rig);
}

/* Some adapters pause everything for any number; the list tells, and where there is none, the frames do. */
static void a_thread_that_does_not_exist(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig, NULL);
    int pauses = rig_count(&rig, "pause");
    paused(&rig, 99, "{'threads':[{'id':1},{'id':3}]}", NULL);
    assert_true(rig.done_failed);
    assert_non_null(strstr(rig.done_error, "no thread 99"));
    assert_int_equal(rig_count(&rig, "pause"), pauses);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_stop(&rig, "breakpoint", 1);

    paused(&rig, 99, "{'threads':[{'id':-1}]}",
           "{'reason':'pause','threadId':1,'allThreadsStopped':true}"); /* dlv's list of none */
    rig_refuse(&rig, "stackTrace", "unknown goroutine 99");
    assert_int_equal(argument(&rig, "stackTrace", "threadId"), 1);
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_int_equal(session_stop(rig.session)->thread_id, 1);
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_non_null(strstr(notice, "thread 99 has no frames"));
    rig_close(&rig);
}

/* ---- the temporary breakpoint ---- */

static struct desired_breakpoint line(int64_t number)
{
    return (struct desired_breakpoint){ .line = number };
}

static size_t lines_sent(struct rig *rig, int64_t *ret_lines)
{
    struct sent *sent = rig_find(rig, "setBreakpoints");
    assert_non_null(sent);
    size_t index, most, count = 0;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(sent->arguments, "breakpoints"), index, most, item) {
        ret_lines[count++] = json_int_or(item, "line", -1);
    }
    return count;
}

static void on_set(void *user, const struct error *error)
{
    assert_null(error);
    (void)user;
}

/* It goes with the user's own of that file, is no part of what is desired, and is gone when it is cleared. */
static void a_temporary_breakpoint(void **state)
{
    (void)state;
    struct rig rig;
    int64_t lines[4];
    stopped(&rig, ALL);
    struct desired_breakpoint own = { .line = 5, .condition = (char *)"x > 1" };
    assert_int_equal(session_set_breakpoints(rig.session, "/w/a.py", &own, 1, on_set, NULL, NULL), 0);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'id':1,'verified':true,'line':5}]}");

    struct desired_breakpoint there = line(9);
    assert_int_equal(session_set_temporary(rig.session, "/w/a.py", &there, rig_on_done, &rig, NULL), 0);
    assert_int_equal(lines_sent(&rig, lines), 2);
    assert_int_equal(lines[0], 5);
    assert_int_equal(lines[1], 9);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'id':1,'verified':true,'line':5},{'id':2,'verified':true,'line':10}]}");
    assert_int_equal(rig.dones, 1);
    assert_int_equal(session_temporary(rig.session)->state, BREAKPOINT_BOUND);
    assert_int_equal(session_temporary(rig.session)->line, 10);
    assert_int_equal(session_find_breakpoint_file(rig.session, "/w/a.py")->count, 1);

    /* The user's own list changes meanwhile: it stays in what is sent. */
    own.line = 6;
    assert_int_equal(session_set_breakpoints(rig.session, "/w/a.py", &own, 1, on_set, NULL, NULL), 0);
    assert_int_equal(lines_sent(&rig, lines), 2);
    assert_int_equal(lines[0], 6);
    assert_int_equal(lines[1], 9);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'id':3,'verified':true,'line':6},{'id':2,'verified':true,'line':10}]}");

    /* It is hit: by its own id, which is none of a desired one. */
    rig_resume(&rig, RESUME_CONTINUE);
    rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':1,'hitBreakpointIds':[2],'allThreadsStopped':true}");
    rig_answer(&rig, "stackTrace", FRAMES);
    assert_true(session_temporary(rig.session)->hit);
    assert_int_equal(session_stop(rig.session)->number_count, 0);
    assert_int_equal(session_stop(rig.session)->hit_count, 0); /* "hit breakpoint ids: 2" was taken for the user's number 2 */

    session_clear_temporary(rig.session, rig_on_done, &rig);
    assert_null(session_temporary(rig.session));
    assert_int_equal(lines_sent(&rig, lines), 1);
    assert_int_equal(lines[0], 6);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'id':3,'verified':true,'line':6}]}");
    assert_int_equal(rig.dones, 2);
    rig_close(&rig);
}

/* What the user has just set is not stored before the adapter has accepted it: the temporary one must not take it back. */
static void a_list_that_is_under_way_is_kept(void **state)
{
    (void)state;
    struct rig rig;
    int64_t lines[4];
    stopped(&rig, ALL);
    struct desired_breakpoint own = line(5), there = line(9);
    assert_int_equal(session_set_breakpoints(rig.session, "/w/a.py", &own, 1, rig_on_done, &rig, NULL), 0);
    assert_int_equal(session_set_temporary(rig.session, "/w/a.py", &there, rig_on_done, &rig, NULL), 0);
    assert_int_equal(lines_sent(&rig, lines), 2);
    assert_int_equal(lines[0], 5);
    rig_close(&rig);
}

/* The user's own at that line has a condition that does not hold: it is left out meanwhile, and comes back with it. */
static void it_stands_in_the_place_of_a_condition(void **state)
{
    (void)state;
    struct rig rig;
    int64_t lines[4];
    stopped(&rig, ALL);
    struct desired_breakpoint own = { .line = 5, .condition = (char *)"False" }, there = line(5);
    assert_int_equal(session_set_breakpoints(rig.session, "/w/a.py", &own, 1, on_set, NULL, NULL), 0);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'id':1,'verified':true,'line':5}]}");
    assert_int_equal(session_set_temporary(rig.session, "/w/a.py", &there, rig_on_done, &rig, NULL), 0);
    assert_int_equal(lines_sent(&rig, lines), 1);
    assert_null(
        json_string(yyjson_arr_get_first(json_array(rig_find(&rig, "setBreakpoints")->arguments, "breakpoints")), "condition"));
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'id':2,'verified':true,'line':5}]}");
    session_clear_temporary(rig.session, rig_on_done, &rig);
    assert_string_equal(
        json_string(yyjson_arr_get_first(json_array(rig_find(&rig, "setBreakpoints")->arguments, "breakpoints")), "condition"),
        "False");
    rig_close(&rig);
}

/* It ends with its program: the next one knows nothing of it. */
static void it_does_not_outlive_the_program(void **state)
{
    (void)state;
    struct rig rig;
    stopped(&rig, ALL);
    struct desired_breakpoint there = { .kind = BREAKPOINT_FUNCTION, .name = (char *)"main" };
    assert_int_equal(session_set_temporary(rig.session, NULL, &there, rig_on_done, &rig, NULL), 0);
    assert_non_null(rig_find(&rig, "setFunctionBreakpoints"));
    rig_exit(&rig, 0, 0);
    assert_true(rig.done_failed);
    session_clear_temporary(rig.session, rig_on_done, &rig);
    assert_int_equal(rig.dones, 2);
    assert_null(session_temporary(rig.session));
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_overtakes_every_answer),
        cmocka_unit_test(every_refusal_puts_the_stop_back),
        cmocka_unit_test(nothing_unclaimed_is_sent),
        cmocka_unit_test(the_reason_of_a_jump),
        cmocka_unit_test(a_missing_answer_after_the_stop_is_no_news),
        cmocka_unit_test(one_thread_goes_on_alone),
        cmocka_unit_test(the_stepped_thread_of_codelldb),
        cmocka_unit_test(one_thread_at_a_time),
        cmocka_unit_test(a_chosen_thread_is_paused),
        cmocka_unit_test(a_thread_that_does_not_exist),
        cmocka_unit_test(a_temporary_breakpoint),
        cmocka_unit_test(a_list_that_is_under_way_is_kept),
        cmocka_unit_test(it_stands_in_the_place_of_a_condition),
        cmocka_unit_test(it_does_not_outlive_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
