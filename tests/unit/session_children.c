/* Child sessions: several DAP connections of one session, one stop looked at at a time. */
#include "session_rig.h"

#include "base/error.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CAPABILITIES "{'supportsConfigurationDoneRequest':true,'supportsConditionalBreakpoints':true}"

/* js-debug's order: the root's launch is answered, and only then does it ask for the program's own session. */
static void ask_child(struct rig *rig, const char *name, const char *target)
{
    AUTO_FREE char *json =
        xasprintf("{'seq':7,'type':'request','command':'startDebugging','arguments':{'request':'launch','configuration':"
                  "{'type':'pwa-node','name':'%s','__pendingTargetId':'%s'}}}",
                  name, target);
    rig_say(rig, json);
}

static void configure_child(struct rig *rig, const char *breakpoints)
{
    rig_open_child(rig);
    rig_answer(rig, "initialize", CAPABILITIES);
    rig_event(rig, "initialized", NULL);
    if (breakpoints != NULL)
        rig_answer(rig, "setBreakpoints", breakpoints);
    rig_answer(rig, "configurationDone", NULL);
    rig_answer(rig, "launch", NULL);
}

static void stop_child(struct rig *rig, const char *reason, int64_t thread, const char *more)
{
    AUTO_FREE char *body = xasprintf("{'reason':'%s','threadId':%lld%s}", reason, (long long)thread, more);
    rig_event(rig, "stopped", body);
}

static void give_frames(struct rig *rig, int64_t line)
{
    AUTO_FREE char *body =
        xasprintf("{'stackFrames':[{'id':0,'name':'f','line':%lld,'column':1,'source':{'path':'/w/a.js'}}]}", (long long)line);
    rig_answer(rig, "stackTrace", body);
}

/* The adapter holds its program until the reverse request is answered: an answer that waits for the child's handshake is a deadlock. */
static void the_request_is_answered_before_the_connection(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "app.js", "t1");
    struct sent *answer = &rig.sent[rig.sent_count - 1];
    assert_string_equal(json_string(answer->json.root, "type"), "response");
    assert_true(json_bool(answer->json.root, "success", false));
    assert_int_equal(json_int_or(answer->json.root, "request_seq", 0), 7);
    assert_int_equal(rig.opened_count, 1);
    assert_string_equal(rig.opened_address, "");
    rig_open_child(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    struct sent *launch = rig_find(&rig, "launch");
    assert_string_equal(json_string(launch->arguments, "__pendingTargetId"), "t1");
    rig_close(&rig);
}

/* In js-debug the root answers breakpoints with places only; the child binds them. "0 of 1 verified" for a working program was the fault. */
static void the_child_binds_what_the_root_only_holds(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_break(&rig, "/w/a.js", 3, NULL);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':false,'id':1,'message':'provisional'}]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    ask_child(&rig, "app.js", "t1");
    configure_child(&rig, "{'breakpoints':[{'verified':true,'id':9,'line':3}]}");
    const struct bound_breakpoint *bound = &session_breakpoint_file(rig.session, 0)->bound[0];
    assert_int_equal(bound->state, BREAKPOINT_BOUND);
    assert_null(bound->message);
    /* The root's later word does not take it back, nor is its number mistaken for another's. */
    rig.channel = 0;
    rig_event(&rig, "breakpoint", "{'reason':'changed','breakpoint':{'id':1,'verified':false,'message':'provisional'}}");
    assert_int_equal(session_breakpoint_file(rig.session, 0)->bound[0].state, BREAKPOINT_BOUND);
    rig.channel = rig.opened[0];
    stop_child(&rig, "breakpoint", 0, ",'hitBreakpointIds':[9]");
    give_frames(&rig, 3);
    const struct stop *stop = session_stop(rig.session);
    assert_string_equal(stop->child, "app.js");
    assert_int_equal(stop->hit_ids[0], session_breakpoint_file(rig.session, 0)->bound[0].id);
    rig_close(&rig);
}

static void on_list_set(void *user, const struct error *error)
{
    (void)user;
    assert_null(error);
}

/* A worker's hit that is not to stop it: it goes on, and nobody sees it. One that comes while another's stop is looked at waits its turn only
 * when it is a stop. */
static void hits_in_children_are_decided_there(void **state)
{
    (void)state;
    struct rig rig;
    char hit[] = "2";
    struct desired_breakpoint one = { .line = 3, .hit_condition = hit };
    rig_open(&rig);
    assert_int_equal(session_set_breakpoints(rig.session, "/w/a.js", &one, 1, on_list_set, NULL, NULL), 0);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':false,'id':1}]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, "{'breakpoints':[{'verified':true,'id':5,'line':3}]}");
    rig.channel = 0;
    ask_child(&rig, "two", "t2");
    configure_child(&rig, "{'breakpoints':[{'verified':true,'id':7,'line':3}]}");
    stop_child(&rig, "breakpoint", 1, ",'hitBreakpointIds':[7]");
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    assert_int_equal(rig_find(&rig, "continue")->channel, rig.opened[1]);
    rig_answer(&rig, "continue", "{}");
    rig.channel = rig.opened[0];
    stop_child(&rig, "pause", 1, "");
    give_frames(&rig, 9);
    assert_string_equal(session_stop(rig.session)->child, "one");
    rig.channel = rig.opened[1];
    stop_child(&rig, "breakpoint", 1, ",'hitBreakpointIds':[7]");
    assert_int_equal(session_stop(rig.session)->number, 1);
    rig.channel = rig.opened[0];
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), 0);
    rig_answer(&rig, "continue", "{}");
    assert_string_equal(session_stop(rig.session)->child, "two");
    assert_int_equal(session_breakpoint_file(rig.session, 0)->bound[0].counts.arrivals, 2);
    rig_close(&rig);
}

/* Two workers stop together. The first is looked at; the second waits, and is reported as soon as the first goes on. */
static void stops_of_two_children_come_one_after_the_other(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    rig.channel = 0;
    ask_child(&rig, "two", "t2");
    configure_child(&rig, NULL);
    rig_wait(&rig, 1000);
    rig.channel = rig.opened[0];
    stop_child(&rig, "breakpoint", 0, "");
    rig.channel = rig.opened[1];
    stop_child(&rig, "breakpoint", 0, "");
    assert_int_equal(rig_count(&rig, "stackTrace"), 0);
    rig.channel = rig.opened[0];
    give_frames(&rig, 3);
    assert_int_equal(rig.waits, 1);
    const struct stop *stop = session_stop(rig.session);
    assert_string_equal(stop->child, "one");
    int64_t first_thread = stop->thread_id;

    rig_wait(&rig, 1000);
    assert_int_equal(rig_resume(&rig, RESUME_CONTINUE), 0);
    assert_int_equal(json_int_or(rig_find(&rig, "continue")->arguments, "threadId", -1), 0);
    rig_answer(&rig, "continue", "{}");
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig.channel = rig.opened[1];
    give_frames(&rig, 5);
    assert_int_equal(rig.waits, 2);
    stop = session_stop(rig.session);
    assert_string_equal(stop->child, "two");
    assert_int_not_equal(stop->thread_id, first_thread);
    assert_int_equal(stop->adapter_thread_id, 0);

    /* A thread that is not the stopped target's is refused, its own is found. */
    int64_t adapter_thread;
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(session_resolve_thread(rig.session, first_thread, &adapter_thread, &error), -1);
    assert_int_equal(session_resolve_thread(rig.session, stop->thread_id, &adapter_thread, NULL), 0);
    assert_int_equal(adapter_thread, 0);
    rig_close(&rig);
}

/* A resume that its child refuses while another child's stop has come: the refused stop is not lost, it waits its turn. */
static void a_refused_resume_behind_another_stop(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    rig.channel = 0;
    ask_child(&rig, "two", "t2");
    configure_child(&rig, NULL);
    rig.channel = rig.opened[0];
    stop_child(&rig, "breakpoint", 1, "");
    give_frames(&rig, 3);
    rig_resume(&rig, RESUME_NEXT);
    rig.channel = rig.opened[1];
    stop_child(&rig, "breakpoint", 1, "");
    rig.channel = rig.opened[0];
    rig_refuse(&rig, "next", "no");
    rig.channel = rig.opened[1];
    give_frames(&rig, 5);
    assert_string_equal(session_stop(rig.session)->child, "two");
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", "{}");
    rig.channel = rig.opened[0];
    give_frames(&rig, 3);
    assert_string_equal(session_stop(rig.session)->child, "one");
    rig_close(&rig);
}

/* A worker that ends takes only itself away; what waited behind its stop is next. */
static void the_end_of_a_child_is_not_the_programs(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    rig.channel = 0;
    ask_child(&rig, "two", "t2");
    configure_child(&rig, NULL);
    rig.channel = rig.opened[0];
    stop_child(&rig, "breakpoint", 1, "");
    give_frames(&rig, 3);
    rig.channel = rig.opened[1];
    stop_child(&rig, "breakpoint", 1, "");
    rig.channel = rig.opened[0];
    rig_event(&rig, "exited", "{'exitCode':4}");
    rig_event(&rig, "terminated", NULL);
    assert_int_equal(rig.closed_count, 1);
    rig.channel = rig.opened[1];
    give_frames(&rig, 5);
    assert_string_equal(session_stop(rig.session)->child, "two");
    int64_t code;
    assert_false(session_exit_code(rig.session, &code));
    session_on_stream_end(rig.session, rig.opened[1], NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* Children ask for children: a worker of a worker is asked for on the worker's own connection. */
static void children_of_children(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    ask_child(&rig, "inner", "t2");
    assert_int_equal(rig.opened_count, 2);
    configure_child(&rig, NULL);
    stop_child(&rig, "pause", 1, "");
    give_frames(&rig, 1);
    assert_string_equal(session_stop(rig.session)->child, "inner");
    rig_close(&rig);
}

/* A child that cannot be reached, or refuses, is named with the reason, and the session goes on. */
static void a_child_that_fails_is_named(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_TRANSPORT, "connection refused");
    session_on_open_failed(rig.session, rig.opened[0], &error);
    ask_child(&rig, "two", "t2");
    rig_open_child(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_refuse(&rig, "launch", "no such target");
    struct rejected_child *children;
    size_t count = session_take_rejected_children(rig.session, &children);
    assert_int_equal(count, 2);
    assert_string_equal(children[0].message,
                        "Dapple could not debug child session pwa-node \"one\" (target t1): connection refused. "
                        "Breakpoints in it will not bind.");
    assert_string_equal(children[1].target_id, "t2");
    assert_non_null(strstr(children[1].message, "no such target"));
    rejected_children_free(children, count);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_close(&rig);
}

/* A child that was being opened when the session was ended goes with it: that it failed is no news to whoever ended it. */
static void a_child_that_goes_with_its_session(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    session_end(rig.session, "stopped by request", rig_on_end, &rig);
    session_on_stream_end(rig.session, rig.opened[0], NULL);
    rig_exit(&rig, 0, 0);
    struct rejected_child *children;
    assert_int_equal(session_take_rejected_children(rig.session, &children), 0);
    rig_close(&rig);
}

/* debugpy announces a subprocess by an event; the connection goes to the host and port in it, and the request is attach. */
static void debugpy_announces_a_subprocess(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    rig_event(
        &rig, "debugpyAttach",
        "{'name':'Subprocess 17','type':'python','request':'attach','connect':{'host':'127.0.0.1','port':4711},'subProcessId':17}");
    assert_int_equal(rig.opened_count, 1);
    assert_string_equal(rig.opened_address, "127.0.0.1");
    assert_int_equal(rig.opened_port, 4711);
    rig_open_child(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    assert_int_equal(json_int_or(rig_find(&rig, "attach")->arguments, "subProcessId", 0), 17);
    /* Its threads are numbered apart from the parent's. */
    rig.channel = 0;
    rig_stop(&rig, "breakpoint", 1);
    assert_int_equal(session_stop(rig.session)->thread_id, 1);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", "{}");
    rig.channel = rig.opened[0];
    stop_child(&rig, "breakpoint", 1, "");
    give_frames(&rig, 1);
    assert_int_equal(session_stop(rig.session)->thread_id, 2);
    rig_close(&rig);
}

/* Breakpoints set while the program runs reach every child before the call is answered. */
static void breakpoints_reach_the_children(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    struct desired_breakpoint desired = { 4, NULL };
    rig.channel = 0;
    assert_int_equal(session_set_breakpoints(rig.session, "/w/a.js", &desired, 1, rig_on_done, &rig, NULL), 0);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':false,'id':1}]}");
    assert_int_equal(rig.dones, 0);
    rig.channel = rig.opened[0];
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true,'id':5,'line':4}]}");
    assert_int_equal(rig.dones, 1);
    assert_int_equal(session_breakpoint_file(rig.session, 0)->bound[0].state, BREAKPOINT_BOUND);
    rig_close(&rig);
}

/* pause goes to every target that runs; the root that only holds children gets none. */
static void pause_reaches_the_children(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    rig.channel = 0;
    ask_child(&rig, "two", "t2");
    configure_child(&rig, NULL);
    assert_int_equal(session_pause(rig.session, NULL, rig_on_done, &rig, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        rig.channel = rig.opened[i];
        rig_answer(&rig, "threads", "{'threads':[{'id':0,'name':'main'}]}");
    }
    rig.channel = rig.opened[0];
    rig_refuse(&rig, "pause", "not now");
    rig.channel = rig.opened[1];
    rig_answer(&rig, "pause", NULL);
    assert_int_equal(rig.dones, 1);
    assert_false(rig.done_failed);
    rig.channel = 0;
    assert_int_equal(rig_count(&rig, "pause"), 0);
    rig_close(&rig);
}

/* js-debug answers the root's disconnect only when its children's sessions were disconnected. */
static void the_children_are_disconnected_first(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    session_end(rig.session, "stopped by request", rig_on_end, &rig);
    size_t child = 0, root = 0;
    for (size_t i = 0; i < rig.sent_count; i++)
        if (strcmp(rig.sent[i].command, "disconnect") == 0)
            *(rig.sent[i].channel == 0 ? &root : &child) = i;
    assert_true(child > 0 && child < root);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.ends, 1);
    rig_close(&rig);
}

/* A child says `terminated` when our side is closed already: its farewell could not be sent, and nobody waits for the answer. */
static void a_child_that_ends_behind_the_end(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    session_end(rig.session, "stopped by request", rig_on_end, &rig);
    rig.channel = 0;
    rig_answer(&rig, "disconnect", NULL);
    assert_true(rig.closed);
    rig.channel = rig.opened[0];
    rig_event(&rig, "terminated", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.ends, 1);
    rig_close(&rig);
}

/* A child says `terminated` when it has been told to disconnect. It was told once more for that: js-debug has nobody to answer it then. */
static void a_child_is_disconnected_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_child(&rig, "one", "t1");
    configure_child(&rig, NULL);
    session_end(rig.session, "stopped by request", rig_on_end, &rig);
    rig.channel = rig.opened[0];
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_event(&rig, "terminated", NULL);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_exit(&rig, 0, 0);
    rig_close(&rig);
}

/* ---- terminals ---- */

static void ask_terminal(struct rig *rig)
{
    rig_say(rig, "{'seq':8,'type':'request','command':'runInTerminal','arguments':{'args':['/bin/app','a "
                 "b'],'cwd':'','env':{'A':'1','B':null}}}");
}

static void check_ended_with(const struct rig *rig, int64_t wanted)
{
    int64_t code;
    assert_true(session_exit_code(rig->session, &code));
    assert_int_equal(code, wanted);
    assert_int_equal(session_state(rig->session), SESSION_TERMINATED);
}

/* The program runs in a terminal. */
static void run_in_terminal(struct rig *rig)
{
    rig_open(rig);
    rig_run(rig);
    ask_terminal(rig);
    session_on_terminal_started(rig->session, rig->terminal, 4711);
}

/* The session is ended while the program stands in its terminal. */
static void end_in_terminal(struct rig *rig)
{
    run_in_terminal(rig);
    rig_stop(rig, "breakpoint", 3);
    session_end(rig->session, "stopped by request", rig_on_end, rig);
}

/* A program in a terminal: its true process id is answered, its output is the program's, its input can be typed, and its exit status is
 * the exit code of an adapter that sends none. */
static void a_program_in_a_terminal(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_terminal(&rig);
    assert_string_equal(rig.terminal_command, "/bin/app a b");
    assert_string_equal(rig.terminal_env, "ADAPTERS=1 A=1 B"); /* what any child of the adapter would get, and then its own words */
    session_on_terminal_started(rig.session, rig.terminal, 4711);
    struct sent *answer = &rig.sent[rig.sent_count - 1];
    assert_true(json_bool(answer->json.root, "success", false));
    assert_int_equal(json_int_or(json_object(answer->json.root, "body"), "processId", 0), 4711);
    session_on_terminal_output(rig.session, rig.terminal, "hi\r\n", 4);
    assert_int_equal(session_send_input(rig.session, "yes\n", 4, NULL), 0);
    assert_string_equal(rig.typed, "yes\n");
    AUTO_ERROR struct error error = ERROR_INIT;
    rig.input_full = true; /* a program that never reads: what is typed must not vanish without a word */
    assert_int_equal(session_send_input(rig.session, "more\n", 5, &error), -1);
    assert_string_equal(error.message, "too much is unread");
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    session_on_terminal_exit(rig.session, rig.terminal, 3, 0);
    check_ended_with(&rig, 3);
    assert_int_equal(session_send_input(rig.session, "x", 1, &error), -1);
    assert_non_null(strstr(error.message, "not running"));
    rig_close(&rig);
    rig_open(&rig);
    rig_run(&rig);
    assert_int_equal(session_send_input(rig.session, "x", 1, &error), -1);
    assert_non_null(strstr(error.message, "terminal=true"));
    rig_close(&rig);
}

/* Node's inspector writes whole lines of its own among the program's output: those are the debugger's; a part of a line, or a line with
 * more in it, is the program's, and so is all with an adapter that has no inspector. */
static void lines_of_an_inspector_in_a_terminal(void **state)
{
    (void)state;
    static const char first[] = "Debugger attached.\r\nhi\nsaid: ", second[] = "Debugger attached.\nDebugger attached.!\n",
                      third[] = "Waiting for the debugger to disconnect...\n";
    for (int has = 0; has < 2; has++) {
        struct rig rig;
        rig_open(&rig);
        rig.quirks = has ? QUIRK_INSPECTOR_TALKS : 0;
        rig_run(&rig);
        ask_terminal(&rig);
        session_on_terminal_started(rig.session, rig.terminal, 4711);
        session_on_terminal_output(rig.session, rig.terminal, first, sizeof(first) - 1);
        session_on_terminal_output(rig.session, rig.terminal, second, sizeof(second) - 1);
        session_on_terminal_output(rig.session, rig.terminal, third, sizeof(third) - 1);
        struct output output;
        session_drain_output(rig.session, &output);
        assert_int_equal(output.len, sizeof(first) + sizeof(second) + sizeof(third) - 3);
        assert_int_equal(output.part_count, has ? 3 : 1);
        assert_int_equal(output.parts[0].stream, has ? OUTPUT_DEBUGGER : OUTPUT_STDOUT);
        if (has) {
            assert_int_equal(output.parts[0].len, strlen("Debugger attached.\r\n"));
            assert_int_equal(output.parts[1].stream, OUTPUT_STDOUT);
            assert_int_equal(output.parts[2].stream, OUTPUT_DEBUGGER);
            assert_int_equal(output.parts[2].len, sizeof(third) - 1);
        }
        output_done(&output);
        rig_close(&rig);
    }
}

enum last_words { ANSWERS, ANSWERS_AND_CLOSES, CLOSES, STAYS_SILENT };

/* js-debug says that it is over when it has lost its program, and that may need its time to end, on a machine with much to do: how it ended is
 * waited for, longer than what is only perhaps still to come. The exit code was missing where js-debug closed its connection meanwhile (Node.js
 * ends only when the debugger has left), or was slow to answer. */
static void a_terminal_that_ends_late(void **state)
{
    (void)state;
    for (enum last_words last = ANSWERS; last <= STAYS_SILENT; last++) {
        struct rig rig;
        run_in_terminal(&rig);
        rig_event(&rig, "terminated", NULL);
        if (last == ANSWERS || last == ANSWERS_AND_CLOSES)
            rig_answer(&rig, "disconnect", NULL);
        if (last == STAYS_SILENT)
            rig_pass(&rig, 1001);
        rig_pass(&rig, 1000);
        if (last == CLOSES || last == ANSWERS_AND_CLOSES)
            session_on_stream_end(rig.session, 0, NULL);
        rig_pass(&rig, 1399);
        assert_int_equal(session_state(rig.session), SESSION_RUNNING);
        session_on_terminal_exit(rig.session, rig.terminal, 3, 0);
        check_ended_with(&rig, 3);
        rig_close(&rig);
    }
}

/* Not for ever: a program that went on without its debugger has no exit code yet. */
static void a_terminal_that_does_not_end(void **state)
{
    (void)state;
    struct rig rig;
    run_in_terminal(&rig);
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    session_on_stream_end(rig.session, 0, NULL);
    rig_pass(&rig, 2501);
    int64_t code;
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    assert_false(session_exit_code(rig.session, &code));
    rig_close(&rig);
}

/* What the adapter says of the exit code counts before the terminal's status. */
static void the_adapters_exit_code_counts_first(void **state)
{
    (void)state;
    struct rig rig;
    run_in_terminal(&rig);
    session_on_terminal_exit(rig.session, rig.terminal, 1, 0);
    rig_event(&rig, "exited", "{'exitCode':7}");
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    int64_t code;
    assert_true(session_exit_code(rig.session, &code));
    assert_int_equal(code, 7);
    rig_close(&rig);
}

/* A terminal that cannot be opened is answered with the reason; an adapter that gets silence waits for ever. */
static void a_terminal_that_fails(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_terminal(&rig);
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_SPAWN, "cannot execute /bin/app: No such file or directory");
    session_on_terminal_failed(rig.session, rig.terminal, &error);
    struct sent *answer = &rig.sent[rig.sent_count - 1];
    assert_false(json_bool(answer->json.root, "success", true));
    assert_non_null(strstr(json_string(answer->json.root, "message"), "No such file"));
    rig_say(&rig, "{'seq':9,'type':'request','command':'runInTerminal','arguments':{'args':[]}}");
    answer = &rig.sent[rig.sent_count - 1];
    assert_string_equal(json_string(answer->json.root, "message"), "Dapple: runInTerminal arguments are invalid");
    rig_close(&rig);
}

/* The program dies in its terminal before the adapter reached it: the launch ends with that, not with a time-out. */
static void a_terminal_that_dies_during_the_launch(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    ask_terminal(&rig);
    session_on_terminal_started(rig.session, rig.terminal, 4711);
    session_on_terminal_exit(rig.session, rig.terminal, 127, 0);
    rig_answer(&rig, "disconnect", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.launch_outcome, LAUNCH_FAILED);
    assert_non_null(strstr(rig.launch_error, "exited with code 127"));
    rig_close(&rig);
}

/* A program that stands still and must go: js-debug answers `disconnect` by letting Node go on, and kills it only then. So what runs in a
 * terminal is killed first, and the adapter hears of the end when it is gone; how it died is our doing, no exit of the program's. */
static void a_stopped_program_in_a_terminal_is_killed_first(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    ask_terminal(&rig);
    uint32_t first = rig.terminal;
    ask_terminal(&rig);
    session_on_terminal_started(rig.session, first, 4711);
    session_on_terminal_started(rig.session, rig.terminal, 4712);
    rig_stop(&rig, "breakpoint", 3);
    session_end(rig.session, "stopped by request", rig_on_end, &rig);
    assert_int_equal(rig.terminals_killed, 1);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    session_on_terminal_exit(rig.session, first, 0, 9);
    rig_event(&rig, "exited", "{'exitCode':137}");
    rig_event(&rig, "terminated", NULL);
    assert_int_equal(rig_count(&rig, "disconnect"), 0); /* the other one lives */
    session_on_terminal_exit(rig.session, rig.terminal, 0, 9);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_answer(&rig, "disconnect", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.ends, 1);
    assert_int_equal(rig.terminals_killed, 1);
    assert_false(rig.term || rig.kill);
    int64_t code;
    assert_false(session_exit_code(rig.session, &code));
    assert_int_equal(session_exit_signal(rig.session), 0);
    assert_string_equal(session_termination_reason(rig.session), "stopped by request");
    rig_close(&rig);
}

/* A killed program whose exit never comes holds nobody up for ever: `disconnect` goes out in its time, and only once. */
static void a_killed_terminal_that_never_ends(void **state)
{
    (void)state;
    struct rig rig;
    end_in_terminal(&rig);
    rig_pass(&rig, session_timeouts(rig.session)->shutdown / 4 - 1);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    rig_pass(&rig, 1);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    session_on_terminal_exit(rig.session, rig.terminal, 0, 9);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_close(&rig);
}

/* The adapter does not outlive its program: then there is nobody left to hear of the end. */
static void an_adapter_that_leaves_with_the_killed_terminal(void **state)
{
    (void)state;
    struct rig rig;
    end_in_terminal(&rig);
    session_on_stream_end(rig.session, 0, NULL);
    session_on_terminal_exit(rig.session, rig.terminal, 0, 9);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    assert_int_equal(rig.ends, 1);
    assert_string_equal(session_termination_reason(rig.session), "stopped by request");
    rig_close(&rig);
}

/* What has not begun must not begin: Node waits for its debugger in the terminal while the launch is given up. */
static void a_launch_given_up_kills_the_terminal_first(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    ask_terminal(&rig);
    session_on_terminal_started(rig.session, rig.terminal, 4711);
    session_launch_cancel(rig.session);
    assert_int_equal(rig.terminals_killed, 1);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    session_on_terminal_exit(rig.session, rig.terminal, 0, 9);
    assert_int_equal(rig_count(&rig, "disconnect"), 1);
    rig_answer(&rig, "disconnect", NULL);
    rig_exit(&rig, 0, 0);
    assert_int_equal(rig.launch_outcome, LAUNCH_CANCELLED);
    rig_close(&rig);
}

/* A program that runs is ended as ever: it may have an end of its own to make. And what is not ours to end is not killed. */
static void other_programs_in_terminals_are_not_killed(void **state)
{
    (void)state;
    for (int attached = 0; attached < 2; attached++) {
        struct rig rig;
        rig_open(&rig);
        rig.attach = attached == 1;
        rig_run(&rig);
        ask_terminal(&rig);
        session_on_terminal_started(rig.session, rig.terminal, 4711);
        if (rig.attach)
            rig_stop(&rig, "breakpoint", 3);
        session_end(rig.session, "stopped by request", rig_on_end, &rig);
        assert_int_equal(rig.terminals_killed, 0);
        assert_int_equal(rig_count(&rig, "disconnect"), 1);
        rig_close(&rig);
    }
}

/* ---- quirks of adapters that need more than the protocol ---- */

static void open_with(struct rig *rig, uint64_t quirks)
{
    rig_open(rig);
    rig->quirks = quirks;
}

/* js-debug's program is a child. Its exit code is a line of text on the root, there only when it is not 0; the same text from the program,
 * on the child's connection, must not count. */
static void the_exit_code_of_js_debug(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct rig rig;
        open_with(&rig, QUIRK_JS_EXIT_TEXT);
        rig_run(&rig);
        ask_child(&rig, "app.js", "t1");
        configure_child(&rig, NULL);
        rig_event(&rig, "output", "{'category':'stderr','output':'Process exited with code 9\\n'}");
        rig_event(&rig, "terminated", NULL);
        rig.channel = 0;
        if (told)
            rig_event(&rig, "output", "{'category':'stderr','output':'Process exited with code 3\\r\\n'}");
        rig_event(&rig, "terminated", NULL);
        rig_answer(&rig, "disconnect", NULL);
        int64_t code = -1;
        assert_true(session_exit_code(rig.session, &code));
        assert_int_equal(code, told ? 3 : 0);
        rig_close(&rig);
    }
}

/* The root never says `terminated`: the end of its last child is the end, after the shutdown time-out, and no exit code is made up. */
static void a_root_that_stays_silent(void **state)
{
    (void)state;
    struct rig rig;
    open_with(&rig, QUIRK_JS_EXIT_TEXT);
    rig_run(&rig);
    ask_child(&rig, "app.js", "t1");
    configure_child(&rig, NULL);
    rig_event(&rig, "terminated", NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_pass(&rig, 5001);
    rig.channel = 0;
    rig_answer(&rig, "disconnect", NULL);
    rig_pass(&rig, 500);
    assert_int_equal(session_state(rig.session), SESSION_TERMINATED);
    rig_close(&rig);
}

/* dlv tells the exit code in words, after `terminated`. */
static void the_exit_code_of_dlv(void **state)
{
    (void)state;
    struct rig rig;
    open_with(&rig, QUIRK_DLV_EXIT_TEXT);
    rig_run(&rig);
    rig_event(&rig, "terminated", NULL);
    rig_answer(&rig, "disconnect", NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_event(&rig, "output", "{'category':'console','output':'Process 4711 has exited with status 3\\n'}");
    check_ended_with(&rig, 3);
    rig_close(&rig);
}

/* rdbg is the program: it closes its socket when the program ends, what it writes is the program's, and so is its exit status. */
static void a_program_that_is_its_own_adapter(void **state)
{
    (void)state;
    struct rig rig;
    open_with(&rig, QUIRK_IS_THE_PROGRAM);
    rig_run(&rig);
    session_on_adapter_stdout(rig.session, "out\n", 4);
    session_on_stderr(rig.session, "err\n", 4);
    session_on_stream_end(rig.session, 0, NULL);
    rig_pass(&rig, 1000);
    assert_false(rig.term); /* it may have something to do before it ends */
    session_on_exit(rig.session, 4, 0);
    int64_t code;
    assert_true(session_exit_code(rig.session, &code));
    assert_int_equal(code, 4);
    assert_string_equal(session_termination_reason(rig.session), "Debuggee exited");
    struct output output;
    session_drain_output(rig.session, &output);
    assert_string_equal(output.bytes, "out\nerr\n");
    assert_int_equal(output.part_count, 2);
    output_done(&output);
    rig_close(&rig);
}

/* rdbg says `terminated` while the program is on its way out. A `disconnect` then is an order to kill what ends anyway, and the
 * program hangs in it. */
static void a_program_that_is_its_own_adapter_is_let_end(void **state)
{
    (void)state;
    struct rig rig;
    open_with(&rig, QUIRK_IS_THE_PROGRAM);
    rig_run(&rig);
    rig_event(&rig, "terminated", NULL);
    assert_int_equal(rig_count(&rig, "disconnect"), 0);
    session_on_stream_end(rig.session, 0, NULL);
    session_on_exit(rig.session, 3, 0);
    int64_t code;
    assert_true(session_exit_code(rig.session, &code));
    assert_int_equal(code, 3);
    rig_close(&rig);
}

/* Until rdbg has read what its client speaks it prints its prompt into the socket. That is no fault of anybody's, and nothing to be told
 * at every launch; the same thing later, or from others, is. */
static void words_before_the_protocol(void **state)
{
    (void)state;
    enum { EARLY, LATE, OTHER, CASES };
    static const char junk[] = "out [1, 10] in a.rb\nout => 1| x\n";
    for (int i = 0; i < CASES; i++) {
        struct rig rig;
        open_with(&rig, i == OTHER ? QUIRK_STAYS : QUIRK_IS_THE_PROGRAM);
        rig_launch(&rig, NULL);
        rig_connect(&rig);
        if (i != LATE)
            session_on_bytes(rig.session, 0, junk, sizeof(junk) - 1);
        rig_answer(&rig, "initialize", CAPABILITIES);
        if (i == LATE)
            session_on_bytes(rig.session, 0, junk, sizeof(junk) - 1);
        rig_event(&rig, "initialized", NULL);
        AUTO_FREE char *notice = session_take_notice(rig.session);
        assert_int_equal(notice == NULL, i == EARLY);
        rig_close(&rig);
    }
}

/* The step out of Perl's adapter fails within itself and takes the program along. It is refused, and the stop stays as it is. */
static void a_step_out_that_would_end_the_program(void **state)
{
    (void)state;
    struct rig rig;
    open_with(&rig, QUIRK_DIES_OF_STEP_OUT);
    rig_run(&rig);
    rig_stop(&rig, "breakpoint", 1);
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(session_resume(rig.session, &(struct resume){ .kind = RESUME_STEP_OUT }, NULL, NULL, &error), -1);
    assert_non_null(strstr(error.message, "set a breakpoint in the caller"));
    assert_int_equal(rig_count(&rig, "stepOut"), 0);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_close(&rig);
}

/* js-debug's root accepts a pause before the program's own session is there, and nothing comes of it: the newcomer is paused then. */
static void a_pause_before_the_child(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_run(&rig);
    assert_int_equal(session_pause(rig.session, NULL, rig_on_done, &rig, NULL), 0);
    rig_answer(&rig, "threads", "{'threads':[]}");
    rig_answer(&rig, "pause", "{}");
    ask_child(&rig, "app.js", "t1");
    configure_child(&rig, NULL);
    assert_int_equal(rig_count(&rig, "pause"), 1); /* of this session */
    stop_child(&rig, "pause", 1, "");
    give_frames(&rig, 3);
    assert_int_equal(session_state(rig.session), SESSION_STOPPED);
    rig_close(&rig);
}

#define FIRST_LINE "{'stackFrames':[{'id':7,'name':'main','line':3,'column':1,'source':{'path':'/w/a.py'}}]}"

/* Some adapters stop before the first line although nobody asked, and before they can be configured. It is decided when they are: the stop is
 * passed in silence, unless it was asked for or a breakpoint stands there. The adapter goes on from there by that line, so what a breakpoint
 * in it asks for is done here, also what the adapter does itself elsewhere. (A program's first line could not be stopped in with Perl.) */
static void the_stop_at_the_start(void **state)
{
    (void)state;
    enum { STOPS, ENTERS, PASSES };
    static const struct {
        const char *name;
        bool asked, breakpoint;
        struct desired_breakpoint at;
        const char *value; /* of the condition */
        int end;
        uint64_t hits;
    } cases[] = {
        { .name = "unasked", .end = PASSES },
        { .name = "asked", .asked = true, .end = ENTERS },
        { .name = "breakpoint", .breakpoint = true, .end = STOPS, .hits = 1 },
        { .name = "elsewhere", .breakpoint = true, .at = { .line = 4 }, .end = PASSES },
        { .name = "condition", .breakpoint = true, .at = { .condition = (char *)"a" }, .value = "true", .end = STOPS, .hits = 1 },
        { .name = "false", .breakpoint = true, .at = { .condition = (char *)"a" }, .value = "false", .end = PASSES },
        { .name = "count", .breakpoint = true, .at = { .hit_condition = (char *)"2" }, .end = PASSES, .hits = 1 },
        { .name = "log", .breakpoint = true, .at = { .log_message = (char *)"here" }, .end = PASSES, .hits = 1 },
        { .name = "both", .asked = true, .breakpoint = true, .end = ENTERS, .hits = 1 },
        { .name = "asked, false",
          .asked = true,
          .breakpoint = true,
          .at = { .condition = (char *)"a" },
          .value = "0",
          .end = ENTERS },
        { .name = "asked, log",
          .asked = true,
          .breakpoint = true,
          .at = { .log_message = (char *)"here" },
          .end = ENTERS,
          .hits = 1 },
    };
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
        size_t at = i / 2;
        bool early = i % 2 == 0;
        struct rig rig;
        open_with(&rig, QUIRK_STOPS_AT_START);
        rig.stop_on_entry = cases[at].asked;
        struct desired_breakpoint wanted = cases[at].at;
        wanted.line = wanted.line == 0 ? 3 : wanted.line;
        if (cases[at].breakpoint)
            assert_int_equal(session_set_breakpoints(rig.session, "/w/a.py", &wanted, 1, on_list_set, NULL, NULL), 0);
        rig_launch(&rig, NULL);
        rig_connect(&rig);
        rig_answer(&rig, "initialize", CAPABILITIES);
        rig_wait(&rig, 30000);
        if (early)
            rig_event(&rig, "stopped", "{'reason':'break','threadId':1,'allThreadsStopped':true}");
        rig_event(&rig, "initialized", NULL);
        assert_int_equal(rig_count(&rig, "continue") + rig_count(&rig, "stackTrace"), 0); /* not before the breakpoints are set */
        if (cases[at].breakpoint)
            rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
        rig_answer(&rig, "configurationDone", NULL);
        rig_answer(&rig, "launch", NULL);
        free(session_take_notice(rig.session));
        if (!early)
            rig_event(&rig, "stopped", "{'reason':'break','threadId':1,'allThreadsStopped':true}");
        if (cases[at].breakpoint)
            rig_answer(&rig, "stackTrace", FIRST_LINE);
        if (cases[at].value != NULL) {
            AUTO_FREE char *value = xasprintf("{'result':'%s','variablesReference':0}", cases[at].value);
            rig_answer(&rig, "evaluate", value);
        }
        if (cases[at].end != PASSES)
            rig_answer(&rig, "stackTrace", FIRST_LINE);
        const struct stop *stop = session_stop(rig.session);
        if (rig_count(&rig, "continue") != (cases[at].end == PASSES) || (stop != NULL) != (cases[at].end != PASSES))
            fail_msg("%s", cases[at].name);
        assert_int_equal(session_state(rig.session), cases[at].end == PASSES ? SESSION_RUNNING : SESSION_STOPPED);
        assert_int_equal(rig.waits, cases[at].end == PASSES ? 0 : 1);
        if (stop != NULL)
            assert_string_equal(stop->reason, cases[at].end == ENTERS ? "entry" : "breakpoint");
        if (cases[at].breakpoint)
            if (session_breakpoint_file(rig.session, 0)->bound[0].counts.hits != cases[at].hits)
                fail_msg("hits: %s", cases[at].name);
        if ((session_output_waiting(rig.session) > 0) != (wanted.log_message != NULL))
            fail_msg("output: %s", cases[at].name);
        if (cases[at].end == PASSES) {
            rig_answer(&rig, "continue", "{}");
            rig_stop(&rig, "step", 1);
            assert_string_equal(session_stop(rig.session)->reason, "step"); /* the next one is no start */
            assert_int_equal(rig.waits, 1);
        }
        rig_close(&rig);
    }
}

/* rdbg waits for its configuration in a stop of its own, which it sometimes tells of: nobody may see it, and nobody need leave it. Line 0 is its
 * word for the first line with code: a breakpoint there, which is no breakpoint of the user's and is taken away at once, is its stop on entry. */
static void an_entry_at_line_zero(void **state)
{
    (void)state;
    struct rig rig;
    open_with(&rig, QUIRK_WAITS_UNTOLD | QUIRK_ENTERS_AT_LINE_ZERO);
    rig.stop_on_entry = true;
    rig.program = "/w/a.py";
    rig_break(&rig, "/w/a.py", 3, "a");
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':1,'allThreadsStopped':true,'text':'temporary bp'}");
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "stackTrace"), 0);
    yyjson_val *sent = json_array(rig_find(&rig, "setBreakpoints")->arguments, "breakpoints");
    assert_int_equal(yyjson_arr_size(sent), 2);
    assert_int_equal(json_int_or(yyjson_arr_get(sent, 1), "line", -1), 0);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true},{'verified':true}]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    rig_wait(&rig, 30000);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_event(&rig, "stopped", "{'reason':'breakpoint','threadId':1,'allThreadsStopped':true}");
    rig_answer(&rig, "stackTrace", FIRST_LINE);
    rig_answer(&rig, "evaluate", "{'result':'false','variablesReference':0}");
    sent = json_array(rig_find(&rig, "setBreakpoints")->arguments, "breakpoints");
    assert_int_equal(yyjson_arr_size(sent), 1); /* the user's own is left */
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true}]}");
    rig_answer(&rig, "stackTrace", FIRST_LINE);
    assert_string_equal(session_stop(rig.session)->reason, "entry");
    assert_int_equal(session_stop(rig.session)->number_count, 0); /* its condition does not hold */
    assert_int_equal(rig.waits, 1);
    session_resume(rig.session, &(struct resume){ .kind = RESUME_CONTINUE }, on_list_set, NULL, NULL);
    rig_answer(&rig, "continue", "{}");
    rig_stop(&rig, "breakpoint", 1);
    assert_string_equal(session_stop(rig.session)->reason, "breakpoint");
    assert_int_equal(session_stop(rig.session)->number_count, 1);
    rig_close(&rig);
}

/* codelldb calls a breakpoint verified although it found no place for it. */
static void a_claim_without_a_location(void **state)
{
    (void)state;
    struct rig rig;
    open_with(&rig, QUIRK_CLAIMS_UNRESOLVED);
    rig_break(&rig, "/w/a.c", 3, NULL);
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true,'id':1,'message':'Resolved locations: 0'}]}");
    assert_int_equal(session_breakpoint_file(rig.session, 0)->bound[0].state, BREAKPOINT_PENDING);
    rig_event(&rig, "breakpoint", "{'reason':'changed','breakpoint':{'id':1,'verified':true,'message':'Resolved locations: 1'}}");
    assert_int_equal(session_breakpoint_file(rig.session, 0)->bound[0].state, BREAKPOINT_BOUND);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_in_children_are_decided_there),
        cmocka_unit_test(the_exit_code_of_js_debug),
        cmocka_unit_test(a_root_that_stays_silent),
        cmocka_unit_test(the_exit_code_of_dlv),
        cmocka_unit_test(a_program_that_is_its_own_adapter),
        cmocka_unit_test(a_program_that_is_its_own_adapter_is_let_end),
        cmocka_unit_test(words_before_the_protocol),
        cmocka_unit_test(a_step_out_that_would_end_the_program),
        cmocka_unit_test(a_pause_before_the_child),
        cmocka_unit_test(the_stop_at_the_start),
        cmocka_unit_test(an_entry_at_line_zero),
        cmocka_unit_test(an_entry_at_line_zero),
        cmocka_unit_test(a_claim_without_a_location),
        cmocka_unit_test(the_request_is_answered_before_the_connection),
        cmocka_unit_test(the_child_binds_what_the_root_only_holds),
        cmocka_unit_test(stops_of_two_children_come_one_after_the_other),
        cmocka_unit_test(a_refused_resume_behind_another_stop),
        cmocka_unit_test(the_end_of_a_child_is_not_the_programs),
        cmocka_unit_test(children_of_children),
        cmocka_unit_test(a_child_that_fails_is_named),
        cmocka_unit_test(a_child_that_goes_with_its_session),
        cmocka_unit_test(debugpy_announces_a_subprocess),
        cmocka_unit_test(breakpoints_reach_the_children),
        cmocka_unit_test(pause_reaches_the_children),
        cmocka_unit_test(the_children_are_disconnected_first),
        cmocka_unit_test(a_child_is_disconnected_once),
        cmocka_unit_test(a_child_that_ends_behind_the_end),
        cmocka_unit_test(a_program_in_a_terminal),
        cmocka_unit_test(a_terminal_that_ends_late),
        cmocka_unit_test(a_terminal_that_does_not_end),
        cmocka_unit_test(lines_of_an_inspector_in_a_terminal),
        cmocka_unit_test(the_adapters_exit_code_counts_first),
        cmocka_unit_test(a_terminal_that_fails),
        cmocka_unit_test(a_terminal_that_dies_during_the_launch),
        cmocka_unit_test(a_stopped_program_in_a_terminal_is_killed_first),
        cmocka_unit_test(a_killed_terminal_that_never_ends),
        cmocka_unit_test(an_adapter_that_leaves_with_the_killed_terminal),
        cmocka_unit_test(a_launch_given_up_kills_the_terminal_first),
        cmocka_unit_test(other_programs_in_terminals_are_not_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
