/* What adapters tell and ask of their own accord, beside stops and ends: nothing stays unanswered, and nothing unknown does harm. */
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

static void running(struct rig *rig)
{
    rig_open(rig);
    rig->stdio = true; /* where no second connection is possible */
    rig_run(rig);
}

static void expect_refusal(struct rig *rig, int64_t seq, const char *words)
{
    const struct sent *sent = &rig->sent[rig->sent_count - 1];
    assert_string_equal(json_string(sent->json.root, "type"), "response");
    assert_int_equal(json_int_or(sent->json.root, "request_seq", -1), seq);
    assert_false(json_bool(sent->json.root, "success", true));
    const char *message = json_string(sent->json.root, "message");
    if (message == NULL || strstr(message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", message == NULL ? "" : message, words);
}

/* An adapter that gets no answer to its request waits for ever. */
static void every_reverse_request_is_answered(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    size_t sent = rig.sent_count;
    rig_say(&rig, "{'seq':41,'type':'request','command':'runInTerminal','arguments':{'args':[]}}");
    expect_refusal(&rig, 41, "runInTerminal arguments are invalid");
    rig_say(&rig, "{'seq':42,'type':'request','command':'nonsense'}");
    expect_refusal(&rig, 42, "unsupported reverse request nonsense");
    rig_say(&rig, "{'type':'request'}");
    expect_refusal(&rig, 0, "unsupported");
    assert_int_equal(rig.sent_count, sent + 3);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* A child that cannot be debugged is refused at once (its parent holds it until then), and the user hears of it once, by name. */
static void a_child_is_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *configuration, *words;
    } cases[] = {
        { "{'type':'pwa-node','name':'worker','__pendingTargetId':'7'}", "pwa-node \"worker\" (target 7)" },
        { "{'name':'worker'}", "session \"worker\":" },
        { "{'type':'pwa-node'}", "session pwa-node:" },
        { "{'__pendingTargetId':'7'}", "session (target 7):" },
        { "{}", "(unnamed)" },
        { "null", "(unnamed)" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig rig;
        running(&rig);
        AUTO_FREE char *json = xasprintf("{'seq':5,'type':'request','command':'startDebugging','arguments':{'configuration':%s}}",
                                         cases[i].configuration);
        rig_say(&rig, json);
        expect_refusal(&rig, 5, cases[i].words);
        struct rejected_child *children;
        assert_int_equal(session_take_rejected_children(rig.session, &children), 1);
        assert_non_null(strstr(children[0].message, cases[i].words));
        assert_true((children[0].type != NULL) == (i == 0 || i == 2));
        rejected_children_free(children, 1);
        assert_int_equal(session_take_rejected_children(rig.session, &children), 0);
        rig_close(&rig);
    }
}

/* An adapter that asks for children without end: all are answered, the list stays short. */
static void children_without_end(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    size_t sent = rig.sent_count;
    for (int i = 0; i < 150; i++)
        rig_say(&rig, "{'seq':5,'type':'request','command':'startDebugging','arguments':{'configuration':{'name':'w'}}}");
    assert_int_equal(rig.sent_count, sent + 150);
    struct rejected_child *children;
    size_t count = session_take_rejected_children(rig.session, &children);
    assert_int_equal(count, 100);
    rejected_children_free(children, count);
    rig_close(&rig);
}

/* Unknown events, and known ones without a body, are ignored (an unknown one once confused a client so that it missed `initialized`). */
static void events_of_which_nothing_is_made(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    static const char *const events[] = {
        "custom",  "",       "output",       "thread",        "capabilities",   "continued",   "breakpoint",  "process",
        "Stopped", "module", "loadedSource", "progressStart", "progressUpdate", "progressEnd", "invalidated", "memory"
    };
    for (size_t i = 0; i < COUNT_OF(events); i++) {
        rig_event(&rig, events[i], NULL);
        rig_event(&rig, events[i], "[1]");
    }
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    assert_int_equal(session_output_waiting(rig.session), 0);
    assert_null(session_stop(rig.session));
    rig_close(&rig);
}

/* Capabilities may change while the program runs: a member that is not told keeps its value, one that is told gets the new one. */
static void capabilities_change(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "capabilities", "{'capabilities':{'supportsTerminateRequest':true,'supportsConfigurationDoneRequest':null}}");
    assert_true(session_capability(rig.session, "supportsTerminateRequest"));
    assert_true(session_capability(rig.session, "supportsConfigurationDoneRequest"));
    rig_event(&rig, "capabilities", "{'capabilities':{'supportsTerminateRequest':false}}");
    assert_false(session_capability(rig.session, "supportsTerminateRequest"));
    assert_false(session_capability(rig.session, "supportsNothing"));
    rig_close(&rig);
}

/* An adapter that floods us with junk is named in a few sentences, each once; the session lives. */
static void faults_are_told_and_survived(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    for (int i = 0; i < 50; i++) {
        char junk[40];
        snprintf(junk, sizeof(junk), "{'broken %d", i);
        rig_say(&rig, junk);
    }
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_non_null(notice);
    assert_non_null(strstr(notice, "the adapter broke the protocol"));
    int lines = 1;
    for (const char *at = notice; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 3);
    AUTO_FREE char *again = session_take_notice(rig.session);
    assert_null(again);
    rig_stop(&rig, "pause", 1);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_close(&rig);
}

/* An adapter that announces a thread with every event keeps no more than a list of bounded length, without doubles. */
static void threads_come_and_go(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    for (int i = 1; i <= 3000; i++) {
        char body[60];
        snprintf(body, sizeof(body), "{'reason':'started','threadId':%d}", i);
        rig_event(&rig, "thread", body);
        if (i > 1) {
            snprintf(body, sizeof(body), "{'reason':'exited','threadId':%d}", i - 1);
            rig_event(&rig, "thread", body);
        }
    }
    rig_event(&rig, "thread", "{'reason':'started','threadId':3000}");
    rig_event(&rig, "thread", "{'reason':'exited','threadId':77}");
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_refuse(&rig, "threads", "no");
    assert_int_equal(json_int_or(rig_find(&rig, "pause")->arguments, "threadId", -1), 3000);
    rig_event(&rig, "thread", "{'reason':'exited','threadId':3000}");
    session_pause(rig.session, NULL, rig_on_done, &rig, NULL);
    rig_refuse(&rig, "threads", "no");
    assert_int_equal(json_int_or(rig_find(&rig, "pause")->arguments, "threadId", -1), 1);
    rig_close(&rig);
}

/* gdb and others talk of themselves as stdout until the program runs: that is not the program's output. */
static void talk_before_the_process(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.quirks = QUIRK_TALKS_BEFORE_PROCESS;
    rig_run(&rig);
    rig_event(&rig, "output", "{'category':'stdout','output':'banner'}");
    /* Of every breakpoint, gdb says two lines that are no news: a launch's result was half full of them. */
    rig_event(&rig, "output", "{'category':'stdout','output':'No source file named /w/a.c.\\n'}");
    rig_event(&rig, "output", "{'category':'stdout','output':'Breakpoint 1 (-source /w/a.c -line 3) pending.\\n'}");
    rig_event(&rig, "process", "{'name':'a'}");
    rig_event(&rig, "output", "{'category':'stdout','output':'hello'}");
    struct output output;
    session_drain_output(rig.session, &output);
    assert_int_equal(output.part_count, 2);
    assert_int_equal(output.parts[0].stream, OUTPUT_DEBUGGER);
    assert_int_equal(output.parts[1].stream, OUTPUT_STDOUT);
    assert_string_equal(output.bytes, "bannerhello");
    output_done(&output);
    rig_close(&rig);
}

static void count_answer(void *user, const struct dap_answer *answer)
{
    assert_int_equal(answer->outcome, DAP_CLOSED);
    ++*(int *)user;
}

/* There is no adapter to ask: told at once, and there is nothing to cancel. */
static void asked_without_an_adapter(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    int closed = 0;
    assert_int_equal(session_request(rig.session, "evaluate", NULL, 0, count_answer, &closed), 0);
    assert_int_equal(closed, 1);
    session_request_cancel(rig.session, 3);
    assert_false(session_capability(rig.session, "supportsCancelRequest"));
    rig_close(&rig);
}

/* ---- what was read and is not true any more ---- */

static void answer_frames(struct rig *rig, int64_t seq, int line)
{
    AUTO_FREE char *body = xasprintf("{'stackFrames':[{'id':7,'name':'work','line':%d,'column':1}]}", line);
    rig_answer_to(rig, seq, body);
}

/* An adapter that says at every breath that something changed is not asked for each: one look is under way, and one follows it. */
static void frames_are_read_again_once_for_many_events(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_stop(&rig, "breakpoint", 1);
    int before = rig_count(&rig, "stackTrace");
    uint64_t view = session_view(rig.session);
    for (int i = 0; i < 1000; i++)
        rig_event(&rig, "invalidated", "{'areas':['stacks']}");
    assert_true(session_view(rig.session) >= view + 1000);
    assert_int_equal(rig_count(&rig, "stackTrace"), before + 1);
    assert_true(session_reads_again(rig.session));
    answer_frames(&rig, rig_find(&rig, "stackTrace")->seq, 50);
    assert_int_equal(rig_count(&rig, "stackTrace"), before + 2); /* what came meanwhile may have changed it again */
    answer_frames(&rig, rig_find(&rig, "stackTrace")->seq, 51);
    assert_int_equal(rig_count(&rig, "stackTrace"), before + 2);
    assert_false(session_reads_again(rig.session));
    assert_int_equal(session_stop(rig.session)->frames[0].line, 51);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_close(&rig);
}

/* The frames come when the program has run on: they are nobody's. */
static void frames_that_come_too_late_are_dropped(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_stop(&rig, "breakpoint", 1);
    rig_event(&rig, "invalidated", "{}");
    int64_t late = rig_find(&rig, "stackTrace")->seq;
    assert_int_equal(rig_resume(&rig, RESUME_NEXT), 0);
    rig_answer(&rig, "next", "{}");
    answer_frames(&rig, late, 50);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_stop(&rig, "step", 1);
    assert_int_not_equal(session_stop(rig.session)->frames[0].line, 50);
    assert_false(session_reads_again(rig.session));
    rig_close(&rig);
}

/* While it runs there are no frames, and another thread's are not shown. */
static void frames_of_others_are_not_read(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    int before = rig_count(&rig, "stackTrace");
    rig_event(&rig, "invalidated", "{'areas':['all']}");
    assert_int_equal(rig_count(&rig, "stackTrace"), before);
    rig_stop(&rig, "breakpoint", 1);
    before = rig_count(&rig, "stackTrace");
    rig_event(&rig, "invalidated", "{'areas':['stacks'],'threadId':2}");
    rig_event(&rig, "invalidated", "{'areas':['variables']}");
    rig_event(&rig, "memory", "{'memoryReference':'0x1','offset':0,'count':1}");
    rig_event(&rig, "invalidated", "null");
    assert_int_equal(rig_count(&rig, "stackTrace"), before + 1); /* for the last: everything */
    rig_close(&rig);
}

/* ---- what events tell ---- */

/* A flood of modules costs a bounded memory, and what is over it is counted. */
static void told_lists_are_bounded(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    for (int i = 0; i < LIMIT_TOLD + 100; i++) {
        AUTO_FREE char *body = xasprintf("{'reason':'new','module':{'id':%d,'name':'m'}}", i);
        rig_event(&rig, "module", body);
    }
    for (int i = 0; i < 1000; i++)
        rig_event(&rig, "module", "{'reason':'changed','module':{'id':3,'name':'changed'}}");
    yyjson_doc *list;
    assert_int_equal(session_told(rig.session, TOLD_MODULES, &list), 100);
    assert_int_equal(yyjson_arr_size(yyjson_doc_get_root(list)), LIMIT_TOLD);
    assert_string_equal(json_string(yyjson_arr_get(yyjson_doc_get_root(list), 3), "name"), "changed");
    yyjson_doc_free(list);
    assert_int_equal(session_told(rig.session, TOLD_SOURCES, &list), 0);
    assert_int_equal(yyjson_arr_size(yyjson_doc_get_root(list)), 0);
    yyjson_doc_free(list);
    rig_close(&rig);
}

static void check_progress(const struct rig *rig, const char *wanted)
{
    AUTO_FREE char *text = session_progress(rig->session);
    if (wanted == NULL)
        assert_null(text);
    else
        assert_string_equal(text, wanted);
}

/* The newest is told; a message that is left out stays; ends without a beginning and beginnings without an end do no harm. */
static void progress_is_kept(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    check_progress(&rig, NULL);
    rig_event(&rig, "progressUpdate", "{'progressId':'a','message':'early'}");
    rig_event(&rig, "progressStart", "{'progressId':'a','title':'A','message':'one','percentage':5}");
    check_progress(&rig, "A: one (5%)");
    rig_event(&rig, "progressUpdate", "{'progressId':'a','percentage':50.7}");
    check_progress(&rig, "A: one (50%)");
    rig_event(&rig, "progressStart", "{'progressId':'b','title':'B'}");
    check_progress(&rig, "B");
    rig_event(&rig, "progressEnd", "{'progressId':'b'}");
    rig_event(&rig, "progressEnd", "{'progressId':'b'}");
    check_progress(&rig, "A: one (50%)");
    for (int i = 0; i < 10 * LIMIT_PROGRESS; i++) {
        AUTO_FREE char *body = xasprintf("{'progressId':'x%d','title':'X%d'}", i, i);
        rig_event(&rig, "progressStart", body);
    }
    check_progress(&rig, "X319");
    assert_int_equal(session_progress_started(rig.session), 10 * LIMIT_PROGRESS + 2);
    rig_close(&rig);
}

/* `cancel` goes to those that belong to the request, or began after it; once; and to no adapter that does not claim it. */
static void progress_is_cancelled(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    rig_event(&rig, "progressStart", "{'progressId':'old','title':'Old','cancellable':true}");
    uint64_t since = session_progress_started(rig.session);
    rig_event(&rig, "progressStart", "{'progressId':'own','title':'Own','cancellable':true,'requestId':9}");
    rig_event(&rig, "progressStart", "{'progressId':'other','title':'Other','cancellable':true,'requestId':8}");
    rig_event(&rig, "progressStart", "{'progressId':'fixed','title':'Fixed'}");
    session_progress_cancel(rig.session, 9, since);
    assert_int_equal(rig_count(&rig, "cancel"), 0);
    rig_event(&rig, "capabilities", "{'capabilities':{'supportsCancelRequest':true}}");
    session_progress_cancel(rig.session, 9, since);
    session_progress_cancel(rig.session, 9, since);
    assert_int_equal(rig_count(&rig, "cancel"), 1);
    assert_string_equal(json_string(rig_find(&rig, "cancel")->arguments, "progressId"), "own");
    rig_event(&rig, "progressStart", "{'progressId':'new','title':'New','cancellable':true}");
    session_progress_cancel(rig.session, 0, since);
    assert_string_equal(json_string(rig_find(&rig, "cancel")->arguments, "progressId"), "new");
    rig_close(&rig);
}

/* ---- output that was told already ---- */

static void check_recent(const struct rig *rig, const char *wanted, size_t parts, uint64_t discarded)
{
    struct output output;
    session_recent_output(rig->session, &output);
    assert_string_equal(output.bytes, wanted);
    assert_int_equal(output.part_count, parts);
    assert_int_equal(output.discarded, discarded);
    output_done(&output);
}

static void output_can_be_read_again(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    struct output output;
    rig_event(&rig, "output", "{'category':'stdout','output':'one '}");
    rig_event(&rig, "output", "{'category':'stderr','output':'two '}");
    session_drain_output(rig.session, &output);
    assert_string_equal(output.bytes, "one two ");
    assert_int_equal(output.part_count, 2);
    output_done(&output);
    rig_event(&rig, "output", "{'category':'stderr','output':'three'}");
    assert_int_equal(session_output_waiting(rig.session), 5);
    check_recent(&rig, "one two three", 2, 0);
    session_drain_output(rig.session, &output); /* the part began before what is new */
    assert_string_equal(output.bytes, "three");
    assert_int_equal(output.part_count, 1);
    assert_int_equal(output.parts[0].stream, OUTPUT_STDERR);
    assert_int_equal(output.parts[0].len, 5);
    output_done(&output);
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len + output.part_count + output.discarded, 0);
    output_done(&output);
    check_recent(&rig, "one two three", 2, 0);
    rig_close(&rig);
}

/* What was read makes room first: nothing new is lost as long as the old can go. */
static void old_output_makes_room(void **state)
{
    (void)state;
    struct rig rig;
    running(&rig);
    AUTO_FREE char *kilobyte = xcalloc(1, 1025);
    memset(kilobyte, 'x', 1024);
    AUTO_FREE char *body = xasprintf("{'category':'stdout','output':'%s'}", kilobyte);
    struct output output;
    for (int i = 0; i < 1024; i++)
        rig_event(&rig, "output", body);
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len, LIMIT_OUTPUT);
    assert_int_equal(output.discarded, 0);
    output_done(&output);
    for (int i = 0; i < 1026; i++)
        rig_event(&rig, "output", body);
    session_drain_output(rig.session, &output);
    assert_int_equal(output.len, LIMIT_OUTPUT);
    assert_int_equal(output.discarded, 2 * 1024);
    output_done(&output);
    session_recent_output(rig.session, &output);
    assert_int_equal(output.len, LIMIT_OUTPUT);
    assert_int_equal(output.discarded, 1026 * 1024);
    output_done(&output);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reverse_request_is_answered),
        cmocka_unit_test(a_child_is_refused_and_named),
        cmocka_unit_test(children_without_end),
        cmocka_unit_test(events_of_which_nothing_is_made),
        cmocka_unit_test(capabilities_change),
        cmocka_unit_test(faults_are_told_and_survived),
        cmocka_unit_test(threads_come_and_go),
        cmocka_unit_test(talk_before_the_process),
        cmocka_unit_test(asked_without_an_adapter),
        cmocka_unit_test(old_output_makes_room),
        cmocka_unit_test(output_can_be_read_again),
        cmocka_unit_test(progress_is_cancelled),
        cmocka_unit_test(progress_is_kept),
        cmocka_unit_test(told_lists_are_bounded),
        cmocka_unit_test(frames_of_others_are_not_read),
        cmocka_unit_test(frames_that_come_too_late_are_dropped),
        cmocka_unit_test(frames_are_read_again_once_for_many_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
