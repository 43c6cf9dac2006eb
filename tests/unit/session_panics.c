/* Panics of Rust programs: told as exceptions by a breakpoint that nobody sees, with the message that the program prints. */
#include "session_rig.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CAPABILITIES "{'supportsConfigurationDoneRequest':true,'supportsFunctionBreakpoints':true}"
#define SYMBOL "_RNvCs1_7___rustc10rust_panic"
#define STOPPED "{'reason':'function breakpoint','threadId':1,'allThreadsStopped':true,'hitBreakpointIds':[5]}"
#define RUNTIME "{'id':1,'name':'__rustc::rust_panic','line':9,'source':{'path':'/rustc/1/library/std/src/panicking.rs'}}"
#define OWN "{'id':2,'name':'app::work','line':3,'source':{'path':'/w/src/main.rs'}}"
#define CATCH                                                                                                \
    "{'id':3,'name':'std::panicking::catch_unwind::do_call','source':{'path':'/rustc/1/library/std/a.rs'}}," \
    "{'id':4,'name':'__rust_try'},"                                                                          \
    "{'id':5,'name':'std::panic::catch_unwind<f>','line':2,'source':{'path':'/rustc/1/library/std/panic.rs'}}"

static void begin(struct rig *rig, const char *filter)
{
    rig_open(rig);
    rig->panic_function = SYMBOL;
    rig_launch(rig, (const char *const[]){ filter, NULL });
    rig_connect(rig);
    rig_answer(rig, "initialize", CAPABILITIES);
    rig_event(rig, "initialized", NULL);
    yyjson_val *functions = json_array(rig_find(rig, "setFunctionBreakpoints")->arguments, "breakpoints");
    assert_int_equal(yyjson_arr_size(functions), 1);
    assert_string_equal(json_string(yyjson_arr_get_first(functions), "name"), SYMBOL);
    assert_int_equal(rig_count(rig, "setExceptionBreakpoints"), 0); /* no filter of the adapter's was asked for, and it has none */
    rig_answer(rig, "setFunctionBreakpoints", "{'breakpoints':[{'id':5,'verified':true}]}");
    rig_answer(rig, "configurationDone", NULL);
    rig_answer(rig, "launch", NULL);
    assert_int_equal(session_state(rig->session), SESSION_RUNNING);
}

static const struct stop *told(struct rig *rig, const char *text)
{
    const struct stop *stop = session_stop(rig->session);
    assert_non_null(stop);
    assert_true(stop->settled);
    assert_true(stop->panic);
    assert_string_equal(stop->reason, "exception");
    assert_string_equal(stop->text, text);
    assert_int_equal(stop->number_count, 0);
    return stop;
}

/* The message may be on its way while the program stands: the stop waits for it, and no other call sees it before. */
static void its_message_is_waited_for(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig, PANIC_UNCAUGHT_FILTER);
    rig_wait(&rig, 60000);
    rig_event(&rig, "output", "{'category':'stderr','output':'\\nthread panicked at src/main.rs:3:5:\\r\\n'}");
    rig_event(&rig, "stopped", STOPPED);
    rig_answer(&rig, "stackTrace", "{'stackFrames':[" RUNTIME "," OWN "]}");
    rig_pass(&rig, 1);
    assert_int_equal(rig.waits, 0);
    rig_event(&rig, "output", "{'category':'stderr','output':'two\\r\\nlines\\nnote: run with `RUST_BACKTRACE=1`\\n'}");
    rig_pass(&rig, 1);
    assert_int_equal(rig.waits, 1);
    told(&rig, "panicked at src/main.rs:3:5: two lines");
    rig_close(&rig);
}

/* Tests print nothing before they have failed. */
static void a_message_that_is_not_printed(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig, PANIC_UNCAUGHT_FILTER);
    rig_event(&rig, "output", "{'category':'stderr','output':'thread panicked at an earlier one.rs:1:1:\\nold\\n'}");
    rig_stop(&rig, "breakpoint", 1);
    rig_resume(&rig, RESUME_CONTINUE);
    rig_answer(&rig, "continue", NULL);
    rig_wait(&rig, 60000);
    rig_event(&rig, "stopped", STOPPED);
    rig_answer(&rig, "stackTrace", "{'stackFrames':[" RUNTIME "," OWN "]}");
    rig_pass(&rig, 250);
    assert_int_equal(rig.waits, 0);
    rig_pass(&rig, 100);
    assert_int_equal(rig.waits, 1);
    assert_non_null(strstr(session_stop(rig.session)->text, "was not printed"));
    rig_close(&rig);
}

/* What the program's own code catches is no news; what its runtime does (a thread, a test), is. */
static void caught_by_the_program(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig, PANIC_UNCAUGHT_FILTER);
    rig_event(&rig, "output", "{'category':'stderr','output':'thread panicked at src/main.rs:3:5:\\nfirst\\n'}");
    rig_event(&rig, "stopped", STOPPED);
    rig_answer(&rig, "stackTrace", "{'stackFrames':[" RUNTIME "," OWN "," CATCH "," OWN "]}");
    assert_int_equal(rig_count(&rig, "continue"), 1);
    rig_answer(&rig, "continue", NULL);
    assert_int_equal(session_state(rig.session), SESSION_RUNNING);
    rig_event(&rig, "output", "{'category':'stderr','output':'thread panicked at src/main.rs:4:5:\\nsecond\\n'}");
    rig_event(&rig, "stopped", STOPPED);
    rig_answer(&rig, "stackTrace", "{'stackFrames':[" RUNTIME "," OWN "," CATCH "," RUNTIME "," OWN "]}");
    told(&rig, "panicked at src/main.rs:4:5: second");
    rig_close(&rig);
}

/* All of them, when all are asked for. */
static void caught_and_wanted(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig, PANIC_FILTER);
    rig_event(&rig, "output", "{'category':'stderr','output':'thread panicked at \\'old form\\', src/main.rs:3:5\\n'}");
    rig_event(&rig, "stopped", STOPPED);
    rig_answer(&rig, "stackTrace", "{'stackFrames':[" RUNTIME "," OWN "," CATCH "," OWN "]}");
    assert_int_equal(rig_count(&rig, "continue"), 0);
    told(&rig, "panicked at \"old form\", src/main.rs:3:5");
    rig_close(&rig);
}

/* Chosen anew at a stop: the breakpoint goes, and comes again. */
static void chosen_anew(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig, PANIC_FILTER);
    rig_stop(&rig, "step", 1);
    assert_int_equal(session_set_exception_breakpoints(rig.session, NULL, 0, rig_on_done, &rig, NULL), 0);
    assert_int_equal(rig.dones, 0);
    assert_int_equal(yyjson_arr_size(json_array(rig_find(&rig, "setFunctionBreakpoints")->arguments, "breakpoints")), 0);
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[]}");
    assert_int_equal(rig.dones, 1);
    struct desired_breakpoint again = { .kind = BREAKPOINT_EXCEPTION, .name = (char[]){ PANIC_UNCAUGHT_FILTER } };
    assert_int_equal(session_set_exception_breakpoints(rig.session, &again, 1, rig_on_done, &rig, NULL), 0);
    assert_int_equal(yyjson_arr_size(json_array(rig_find(&rig, "setFunctionBreakpoints")->arguments, "breakpoints")), 1);
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[{'id':6,'verified':true}]}");
    assert_int_equal(rig.dones, 2);
    const struct breakpoint_list *list = session_find_breakpoint_list(rig.session, BREAKPOINT_EXCEPTION, NULL);
    assert_int_equal(list->bound[0].state, BREAKPOINT_BOUND);
    rig_close(&rig);
}

/* Beside a function of the user's: each stops as what it is. */
static void beside_the_users_functions(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.panic_function = SYMBOL;
    struct breakpoint_list functions = { .kind = BREAKPOINT_FUNCTION,
                                         .desired = (struct desired_breakpoint[]){ { .kind = BREAKPOINT_FUNCTION,
                                                                                     .name = (char[]){ "work" } } },
                                         .count = 1 };
    assert_int_equal(session_set_breakpoint_list(rig.session, &functions, rig_on_done, &rig, NULL), 0);
    rig_launch(&rig, (const char *const[]){ PANIC_FILTER, NULL });
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "setFunctionBreakpoints"), 1);
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[{'id':4,'verified':true},{'id':5,'verified':true}]}");
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    rig_event(&rig, "stopped", "{'reason':'function breakpoint','threadId':1,'hitBreakpointIds':[4]}");
    rig_answer(&rig, "stackTrace", "{'stackFrames':[" OWN "]}");
    const struct stop *stop = session_stop(rig.session);
    assert_false(stop->panic);
    assert_int_equal(stop->number_count, 1);
    assert_string_equal(stop->reason, "function breakpoint");
    rig_close(&rig);
}

/* Of another program there are no such filters. */
static void no_program_of_rust(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_launch(&rig, (const char *const[]){ PANIC_FILTER, NULL });
    rig_connect(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "setFunctionBreakpoints"), 0);
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_null(notice); /* nor is one of the adapter's asked for: it takes none */
    assert_null(session_exception_filters(rig.session));
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_message_is_waited_for),
        cmocka_unit_test(a_message_that_is_not_printed),
        cmocka_unit_test(caught_by_the_program),
        cmocka_unit_test(caught_and_wanted),
        cmocka_unit_test(chosen_anew),
        cmocka_unit_test(beside_the_users_functions),
        cmocka_unit_test(no_program_of_rust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
