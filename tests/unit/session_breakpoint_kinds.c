/* Breakpoints of other kinds than lines, their numbers, and those that are switched off: what is sent when, and whose answer is whose. */
#include "session_rig.h"

#include "base/error.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CAPABILITIES                                                                                                     \
    "{'supportsConfigurationDoneRequest':true,'supportsConditionalBreakpoints':true,'supportsFunctionBreakpoints':true," \
    "'supportsHitConditionalBreakpoints':true,'supportsLogPoints':true,'supportsDataBreakpoints':true,"                  \
    "'supportsInstructionBreakpoints':true,'supportsExceptionFilterOptions':true,'supportsExceptionOptions':true,"       \
    "'breakpointModes':[{'mode':'hardware','label':'H','appliesTo':['source','instruction']}],"                          \
    "'exceptionBreakpointFilters':[{'filter':'raised','label':'Raised','supportsCondition':true},"                       \
    "{'filter':'uncaught','label':'Uncaught'}]}"

static char NAME[] = "total", OTHER[] = "cost", ID[] = "d1", CONDITION[] = "x > 1", HITS[] = "3", MODE[] = "hardware";
static char RAISED[] = "raised", UNCAUGHT[] = "uncaught", NONSENSE[] = "nonsense", ADDRESS[] = "0x40", ALWAYS[] = "always";

/* To the configuration of a launch. */
static void configuring(struct rig *rig, const char *const *filters)
{
    rig_launch(rig, filters);
    rig_connect(rig);
    rig_answer(rig, "initialize", CAPABILITIES);
    rig_event(rig, "initialized", NULL);
}

static int set(struct rig *rig, enum breakpoint_kind kind, struct desired_breakpoint *list, size_t count, struct error *ret_error)
{
    for (size_t i = 0; i < count; i++)
        list[i].kind = kind;
    struct breakpoint_list wanted = { .kind = kind, .desired = list, .count = count };
    if (kind == BREAKPOINT_SOURCE)
        return session_set_breakpoints(rig->session, "/w/a.py", list, count, rig_on_done, rig, ret_error);
    return session_set_breakpoint_list(rig->session, &wanted, rig_on_done, rig, ret_error);
}

static void set_one(struct rig *rig, enum breakpoint_kind kind, struct desired_breakpoint one)
{
    assert_int_equal(set(rig, kind, &one, 1, NULL), 0);
}

static const struct breakpoint_list *list_of(struct rig *rig, enum breakpoint_kind kind)
{
    return session_find_breakpoint_list(rig->session, kind, kind == BREAKPOINT_SOURCE ? "/w/a.py" : NULL);
}

static yyjson_val *sent_item(struct rig *rig, const char *command, size_t index)
{
    struct sent *sent = rig_find(rig, command);
    assert_non_null(sent);
    return yyjson_arr_get(json_array(sent->arguments, "breakpoints"), index);
}

/* One of each kind, none sent yet. */
static void one_of_each(struct rig *rig)
{
    rig_open(rig);
    set_one(rig, BREAKPOINT_EXCEPTION, (struct desired_breakpoint){ .name = RAISED });
    set_one(rig, BREAKPOINT_INSTRUCTION, (struct desired_breakpoint){ .name = ADDRESS, .offset = -4 });
    set_one(rig, BREAKPOINT_FUNCTION, (struct desired_breakpoint){ .name = NAME, .condition = CONDITION });
    set_one(rig, BREAKPOINT_DATA, (struct desired_breakpoint){ .name = OTHER, .data_id = ID, .persists = true });
    set_one(rig, BREAKPOINT_SOURCE, (struct desired_breakpoint){ .line = 3, .column = 7 });
}

/* ---- what is sent ---- */

/* Specification, "Launching and attaching": lines, functions, data, instructions, exceptions, whatever the order they were set in; then
 * configurationDone, when all are answered. */
static void the_order_of_the_configuration(void **state)
{
    (void)state;
    struct rig rig;
    one_of_each(&rig);
    configuring(&rig, NULL);
    static const char *const order[] = { "setBreakpoints", "setFunctionBreakpoints", "setDataBreakpoints",
                                         "setInstructionBreakpoints", "setExceptionBreakpoints" };
    int64_t before = 0;
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        struct sent *sent = rig_find(&rig, order[i]);
        assert_non_null(sent);
        assert_true(sent->seq > before);
        before = sent->seq;
    }
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        assert_int_equal(rig_count(&rig, "configurationDone"), 0);
        rig_answer(&rig, order[COUNT_OF(order) - 1 - i], NULL);
    }
    assert_int_equal(rig_count(&rig, "configurationDone"), 1);
    rig_close(&rig);
}

/* What was not asked for is left out; what was asked for is there. */
static void the_items_of_each_kind(void **state)
{
    (void)state;
    struct rig rig;
    one_of_each(&rig);
    configuring(&rig, NULL);
    yyjson_val *item = sent_item(&rig, "setBreakpoints", 0);
    assert_int_equal(json_int_or(item, "column", 0), 7);
    assert_int_equal(yyjson_obj_size(item), 2);
    item = sent_item(&rig, "setFunctionBreakpoints", 0);
    assert_string_equal(json_string(item, "name"), "total");
    assert_string_equal(json_string(item, "condition"), "x > 1");
    assert_int_equal(yyjson_obj_size(item), 2);
    item = sent_item(&rig, "setDataBreakpoints", 0);
    assert_string_equal(json_string(item, "dataId"), "d1");
    assert_int_equal(yyjson_obj_size(item), 1);
    item = sent_item(&rig, "setInstructionBreakpoints", 0);
    assert_string_equal(json_string(item, "instructionReference"), "0x40");
    assert_int_equal(json_int_or(item, "offset", 0), -4);
    rig_close(&rig);
}

/* An adapter that does not claim a kind is not sent the request: some never answer one that they do not know. The row says why. */
static void a_kind_that_is_not_claimed(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    set_one(&rig, BREAKPOINT_DATA, (struct desired_breakpoint){ .name = NAME, .data_id = ID, .persists = true });
    rig_launch(&rig, NULL);
    rig_connect(&rig);
    rig_answer(&rig, "initialize", "{'supportsConfigurationDoneRequest':true}");
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_count(&rig, "setDataBreakpoints"), 0);
    const struct breakpoint_list *list = list_of(&rig, BREAKPOINT_DATA);
    assert_int_equal(list->bound[0].state, BREAKPOINT_FAILED);
    assert_non_null(strstr(list->bound[0].message, "supportsDataBreakpoints"));
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_non_null(strstr(notice, "breakpoint 1, data total"));
    /* And it is cleared without a word to the adapter. */
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    assert_int_equal(set(&rig, BREAKPOINT_DATA, NULL, 0, NULL), 0);
    assert_int_equal(rig_count(&rig, "setDataBreakpoints"), 0);
    assert_null(list_of(&rig, BREAKPOINT_DATA));
    rig_close(&rig);
}

/* ---- switched off ---- */

/* A row that is off is not sent, and the answer's rows belong to the others. The row behind it once got the answer of the one before. */
static void answers_belong_to_those_that_were_sent(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct desired_breakpoint list[] = {
        { .line = 3, .disabled = true }, { .line = 5 }, { .line = 7, .disabled = true }, { .line = 9 }
    };
    assert_int_equal(set(&rig, BREAKPOINT_SOURCE, list, 4, NULL), 0);
    configuring(&rig, NULL);
    struct sent *sent = rig_find(&rig, "setBreakpoints");
    assert_int_equal(yyjson_arr_size(json_array(sent->arguments, "breakpoints")), 2);
    assert_int_equal(yyjson_arr_size(json_array(sent->arguments, "lines")), 2);
    rig_answer(
        &rig, "setBreakpoints",
        "{'breakpoints':[{'verified':true,'id':1,'line':6},{'verified':false,'id':2,'message':'no'},{'verified':true,'id':3}]}");
    const struct breakpoint_list *file = list_of(&rig, BREAKPOINT_SOURCE);
    assert_false(file->bound[0].has_id || file->bound[2].has_id);
    assert_int_equal(file->bound[1].line, 6);
    assert_int_equal(file->bound[3].id, 2);
    rig_event(&rig, "breakpoint", "{'reason':'changed','breakpoint':{'id':2,'verified':true}}");
    assert_int_equal(list_of(&rig, BREAKPOINT_SOURCE)->bound[3].state, BREAKPOINT_BOUND);
    rig_close(&rig);
}

/* Switching the last one off sends the empty list, and keeps it with its number and that it was hit; on again, it is sent as before. */
static void off_and_on(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    set_one(&rig, BREAKPOINT_SOURCE, (struct desired_breakpoint){ .line = 3, .hit_condition = HITS });
    configuring(&rig, NULL);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true,'id':4,'line':3}]}");
    rig_answer(&rig, "setExceptionBreakpoints", NULL);
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    for (int on = 0; on < 2; on++) {
        set_one(&rig, BREAKPOINT_SOURCE,
                (struct desired_breakpoint){ .line = 3, .hit_condition = HITS, .disabled = on == 0, .number = 1 });
        assert_int_equal(yyjson_arr_size(json_array(rig_find(&rig, "setBreakpoints")->arguments, "breakpoints")), (size_t)on);
        rig_answer(&rig, "setBreakpoints", on == 0 ? "{'breakpoints':[]}" : "{'breakpoints':[{'verified':true,'id':5}]}");
        const struct breakpoint_list *file = list_of(&rig, BREAKPOINT_SOURCE);
        assert_int_equal(file->desired[0].number, 1);
        assert_int_equal(file->bound[0].has_id, on == 1);
    }
    rig_close(&rig);
}

/* A file that has nothing to set is not sent at the launch. */
static void a_file_with_all_switched_off(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    set_one(&rig, BREAKPOINT_SOURCE, (struct desired_breakpoint){ .line = 3, .disabled = true });
    configuring(&rig, NULL);
    assert_int_equal(rig_count(&rig, "setBreakpoints"), 0);
    rig_close(&rig);
}

/* ---- numbers ---- */

/* A number is one breakpoint's for as long as it is desired: it stays with its place when the list is replaced, and is not given again. */
static void numbers(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct desired_breakpoint first[] = { { .line = 3 }, { .line = 5 }, { .line = 5, .condition = CONDITION } };
    assert_int_equal(set(&rig, BREAKPOINT_SOURCE, first, 3, NULL), 0);
    set_one(&rig, BREAKPOINT_FUNCTION, (struct desired_breakpoint){ .name = NAME });
    assert_int_equal(list_of(&rig, BREAKPOINT_FUNCTION)->desired[0].number, 4);
    /* Another order, another condition, one gone, one new; the second of a line is the one with the condition. */
    struct desired_breakpoint second[] = { { .line = 8 },
                                           { .line = 5, .condition = CONDITION },
                                           { .line = 3, .condition = CONDITION } };
    assert_int_equal(set(&rig, BREAKPOINT_SOURCE, second, 3, NULL), 0);
    const struct breakpoint_list *file = list_of(&rig, BREAKPOINT_SOURCE);
    assert_int_equal(file->desired[0].number, 5);
    assert_int_equal(file->desired[1].number, 3);
    assert_int_equal(file->desired[2].number, 1);
    /* Cleared and set again it is a new one. */
    assert_int_equal(set(&rig, BREAKPOINT_SOURCE, NULL, 0, NULL), 0);
    set_one(&rig, BREAKPOINT_SOURCE, (struct desired_breakpoint){ .line = 3 });
    const struct breakpoint_list *found;
    size_t index;
    assert_false(session_find_breakpoint_number(rig.session, 1, &found, &index));
    assert_true(session_find_breakpoint_number(rig.session, 6, &found, &index));
    assert_true(found == list_of(&rig, BREAKPOINT_SOURCE) && index == 0);
    assert_true(session_find_breakpoint_number(rig.session, 4, &found, &index));
    assert_int_equal(found->kind, BREAKPOINT_FUNCTION);
    rig_close(&rig);
}

/* ---- events and hits ---- */

/* The event about a function comes before the answer that names it, and the same id is nobody's in the other lists. */
static void an_event_of_another_kind_comes_early(void **state)
{
    (void)state;
    struct rig rig;
    one_of_each(&rig);
    configuring(&rig, NULL);
    rig_event(&rig, "breakpoint",
              "{'reason':'changed','breakpoint':{'id':9,'verified':true,'line':20,'source':{'path':'/w/b.py'}}}");
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[{'verified':false,'id':9,'message':'not loaded'}]}");
    assert_int_equal(list_of(&rig, BREAKPOINT_FUNCTION)->bound[0].state, BREAKPOINT_PENDING);
    rig_answer(&rig, "setBreakpoints", "{'breakpoints':[{'verified':true,'id':8}]}");
    rig_answer(&rig, "setDataBreakpoints", "{'breakpoints':[{'verified':true,'id':7}]}");
    rig_answer(&rig, "setInstructionBreakpoints", "{'breakpoints':[{'verified':true,'id':6}]}");
    rig_answer(&rig, "setExceptionBreakpoints", NULL);
    const struct bound_breakpoint *bound = &list_of(&rig, BREAKPOINT_FUNCTION)->bound[0];
    assert_int_equal(bound->state, BREAKPOINT_BOUND);
    assert_int_equal(bound->line, 20);
    assert_null(bound->message);
    /* No list of exception rows in the answer: accepted. */
    assert_int_equal(list_of(&rig, BREAKPOINT_EXCEPTION)->bound[0].state, BREAKPOINT_BOUND);
    rig_close(&rig);
}

static void stop_with(struct rig *rig, const char *body, const char *frame)
{
    rig_event(rig, "stopped", body);
    AUTO_FREE char *frames = xasprintf("{'stackFrames':[%s]}", frame);
    rig_answer(rig, "stackTrace", frames);
}

static void expect_hits(struct rig *rig, size_t count, int64_t number)
{
    const struct stop *stop = session_stop(rig->session);
    assert_non_null(stop);
    assert_int_equal(stop->number_count, count);
    if (count > 0)
        assert_int_equal(stop->hit_numbers[0], number);
}

static void running_with(struct rig *rig, enum breakpoint_kind kind, struct desired_breakpoint one, const char *answer)
{
    rig_open(rig);
    set_one(rig, kind, one);
    configuring(rig, NULL);
    static const char *const commands[] = { "setBreakpoints", "setFunctionBreakpoints", "setDataBreakpoints",
                                            "setInstructionBreakpoints", "setExceptionBreakpoints" };
    rig_answer(rig, commands[kind], answer);
    if (kind != BREAKPOINT_EXCEPTION)
        rig_answer(rig, "setExceptionBreakpoints", NULL);
    rig_answer(rig, "configurationDone", NULL);
    rig_answer(rig, "launch", NULL);
    assert_int_equal(session_state(rig->session), SESSION_RUNNING);
}

/* A stop names ours by number, whatever the kind, by the adapter's id. */
static void a_hit_of_any_kind_by_id(void **state)
{
    (void)state;
    struct rig rig;
    running_with(&rig, BREAKPOINT_INSTRUCTION, (struct desired_breakpoint){ .name = ADDRESS }, "{'breakpoints':[{'id':6}]}");
    stop_with(&rig, "{'reason':'instruction breakpoint','threadId':1,'hitBreakpointIds':[6]}", "{'id':1,'name':'f','line':2}");
    expect_hits(&rig, 1, 1);
    assert_int_equal(list_of(&rig, BREAKPOINT_INSTRUCTION)->bound[0].state, BREAKPOINT_BOUND);
    assert_true(list_of(&rig, BREAKPOINT_INSTRUCTION)->bound[0].hit);
    rig_close(&rig);
}

/* debugpy says "function breakpoint", and neither an id nor where it is bound: the name of the frame tells. */
static void a_hit_of_a_function_by_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *frame;
        bool hit;
    } cases[] = {
        { "total", true },   { "main.total", true }, { "Cart::total(int)", true }, { "Cart#total", true }, { "subtotal", false },
        { "totals", false }, { "", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig rig;
        running_with(&rig, BREAKPOINT_FUNCTION, (struct desired_breakpoint){ .name = NAME }, "{'breakpoints':[{'verified':true}]}");
        AUTO_FREE char *frame = xasprintf("{'id':1,'name':'%s','line':2}", cases[i].frame);
        stop_with(&rig, "{'reason':'function breakpoint','threadId':1}", frame);
        expect_hits(&rig, cases[i].hit, 1);
        rig_close(&rig);
    }
}

/* A stop at a line is no proof for the function that the line is in. */
static void a_line_is_no_function(void **state)
{
    (void)state;
    struct rig rig;
    running_with(&rig, BREAKPOINT_FUNCTION, (struct desired_breakpoint){ .name = NAME }, "{'breakpoints':[{'verified':true}]}");
    stop_with(&rig, "{'reason':'breakpoint','threadId':1}", "{'id':1,'name':'total','line':2,'source':{'path':'/w/a.py'}}");
    expect_hits(&rig, 0, 0);
    rig_close(&rig);
}

/* lldb-dap calls a watchpoint a breakpoint without an id: it is known which one it was while there is one only. */
static void a_hit_of_data_without_an_id(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 2; count++) {
        struct rig rig;
        rig_open(&rig);
        struct desired_breakpoint list[] = { { .name = NAME, .data_id = ID, .persists = true },
                                             { .name = OTHER, .data_id = NAME, .persists = true } };
        assert_int_equal(set(&rig, BREAKPOINT_DATA, list, count, NULL), 0);
        configuring(&rig, NULL);
        rig_answer(&rig, "setDataBreakpoints", "{'breakpoints':[{'verified':true},{'verified':true}]}");
        rig_answer(&rig, "setExceptionBreakpoints", NULL);
        rig_answer(&rig, "configurationDone", NULL);
        rig_answer(&rig, "launch", NULL);
        stop_with(&rig, "{'reason':'breakpoint','description':'watchpoint 1','threadId':1}", "{'id':1,'name':'f','line':2}");
        expect_hits(&rig, count == 1, 1);
        rig_close(&rig);
    }
}

/* ---- a quirk ---- */

/* debugpy calls every name verified: "bound" for a function that does not exist was a lie. A hit tells. */
static void a_claim_about_a_function(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.quirks = QUIRK_TAKES_ANY_FUNCTION;
    set_one(&rig, BREAKPOINT_FUNCTION, (struct desired_breakpoint){ .name = NAME });
    configuring(&rig, NULL);
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[{'verified':true,'id':2}]}");
    assert_int_equal(list_of(&rig, BREAKPOINT_FUNCTION)->bound[0].state, BREAKPOINT_PENDING);
    rig_answer(&rig, "setExceptionBreakpoints", NULL);
    rig_answer(&rig, "configurationDone", NULL);
    rig_answer(&rig, "launch", NULL);
    stop_with(&rig, "{'reason':'function breakpoint','threadId':1,'hitBreakpointIds':[2]}", "{'id':1,'name':'total','line':2}");
    assert_int_equal(list_of(&rig, BREAKPOINT_FUNCTION)->bound[0].state, BREAKPOINT_BOUND);
    assert_null(list_of(&rig, BREAKPOINT_FUNCTION)->bound[0].message);
    rig_close(&rig);
}

/* ---- over launches ---- */

static void launched_again(struct rig *rig, const char *const *filters)
{
    rig_exit(rig, 0, 0);
    rig->launches = 0;
    configuring(rig, filters);
}

/* What belongs to a program goes with it, and is kept to be shown; the others are sent again, with their numbers. */
static void data_of_a_program_that_ended(void **state)
{
    (void)state;
    struct rig rig;
    running_with(&rig, BREAKPOINT_FUNCTION, (struct desired_breakpoint){ .name = NAME }, "{'breakpoints':[{'verified':true}]}");
    struct desired_breakpoint list[] = { { .name = OTHER, .data_id = ID }, { .name = NAME, .data_id = NAME, .persists = true } };
    assert_int_equal(set(&rig, BREAKPOINT_DATA, list, 2, NULL), 0);
    rig_answer(&rig, "setDataBreakpoints", "{'breakpoints':[{'verified':true},{'verified':true}]}");
    launched_again(&rig, NULL);
    assert_int_equal(yyjson_arr_size(json_array(rig_find(&rig, "setDataBreakpoints")->arguments, "breakpoints")), 1);
    assert_string_equal(json_string(sent_item(&rig, "setDataBreakpoints", 0), "dataId"), "total");
    rig_answer(&rig, "setDataBreakpoints", "{'breakpoints':[{'verified':true,'id':3}]}");
    const struct breakpoint_list *data = list_of(&rig, BREAKPOINT_DATA);
    assert_true(data->desired[0].expired && !data->desired[1].expired);
    assert_int_equal(data->bound[0].state, BREAKPOINT_PENDING);
    assert_int_equal(data->bound[1].id, 3);
    assert_int_equal(list_of(&rig, BREAKPOINT_FUNCTION)->desired[0].number, 1);
    rig_close(&rig);
}

/* ---- exceptions ---- */

static void expect_filters(struct rig *rig, const char *const *names, size_t count)
{
    yyjson_val *filters = json_array(rig_find(rig, "setExceptionBreakpoints")->arguments, "filters");
    assert_int_equal(yyjson_arr_size(filters), count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(yyjson_get_str(yyjson_arr_get(filters, i)), names[i]);
}

/* A launch adds its own beside what the user added, afresh each time; a complete choice of the user's leaves no room for them. */
static void filters_of_a_launch_and_of_the_user(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    set_one(&rig, BREAKPOINT_EXCEPTION, (struct desired_breakpoint){ .name = RAISED });
    configuring(&rig, (const char *const[]){ "uncaught", "raised", NULL });
    expect_filters(&rig, (const char *const[]){ "raised", "uncaught" }, 2);
    const struct breakpoint_list *list = list_of(&rig, BREAKPOINT_EXCEPTION);
    assert_int_equal(list->count, 2);
    assert_false(list->desired[0].of_launch);
    assert_true(list->desired[1].of_launch);
    launched_again(&rig, NULL);
    expect_filters(&rig, (const char *const[]){ "raised" }, 1);
    rig_exit(&rig, 0, 0);
    assert_false(session_exceptions_set(rig.session));
    struct desired_breakpoint choice = { .kind = BREAKPOINT_EXCEPTION, .name = UNCAUGHT };
    assert_int_equal(session_set_exception_breakpoints(rig.session, &choice, 1, rig_on_done, &rig, NULL), 0);
    assert_true(session_exceptions_set(rig.session));
    rig.launches = 0;
    configuring(&rig, (const char *const[]){ "raised", NULL });
    expect_filters(&rig, (const char *const[]){ "uncaught" }, 1);
    rig_close(&rig);
}

/* Specification, SetExceptionBreakpointsResponse: filters first, then those with options, then those by name; so are the answer's rows. */
static void the_rows_of_exceptions_have_an_order_of_their_own(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct desired_breakpoint list[] = {
        { .name = NAME, .break_mode = ALWAYS },
        { .name = RAISED, .condition = CONDITION },
        { .name = UNCAUGHT },
    };
    assert_int_equal(set(&rig, BREAKPOINT_EXCEPTION, list, 3, NULL), 0);
    configuring(&rig, NULL);
    yyjson_val *arguments = rig_find(&rig, "setExceptionBreakpoints")->arguments;
    expect_filters(&rig, (const char *const[]){ "uncaught" }, 1);
    yyjson_val *options = yyjson_arr_get_first(json_array(arguments, "filterOptions"));
    assert_string_equal(json_string(options, "filterId"), "raised");
    assert_string_equal(json_string(options, "condition"), "x > 1");
    yyjson_val *by_name = yyjson_arr_get_first(json_array(arguments, "exceptionOptions"));
    assert_string_equal(json_string(by_name, "breakMode"), "always");
    rig_answer(&rig, "setExceptionBreakpoints",
               "{'breakpoints':[{'verified':true,'id':1},{'verified':true,'id':2},{'verified':false,'message':'no'}]}");
    const struct breakpoint_list *rows = list_of(&rig, BREAKPOINT_EXCEPTION);
    assert_int_equal(rows->bound[2].id, 1);
    assert_int_equal(rows->bound[1].id, 2);
    assert_string_equal(rows->bound[0].message, "no");
    rig_close(&rig);
}

/* Set before the launch: kept, checked when the adapter is known, and named to the user with what there is. Set later: refused at once. */
static void an_unknown_filter(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    set_one(&rig, BREAKPOINT_EXCEPTION, (struct desired_breakpoint){ .name = NONSENSE });
    configuring(&rig, NULL);
    expect_filters(&rig, NULL, 0);
    rig_answer(&rig, "setExceptionBreakpoints", NULL);
    assert_int_equal(list_of(&rig, BREAKPOINT_EXCEPTION)->bound[0].state, BREAKPOINT_FAILED);
    AUTO_FREE char *notice = session_take_notice(rig.session);
    assert_non_null(strstr(notice, "no exception filter \"nonsense\" (it offers: raised, uncaught)"));
    struct desired_breakpoint conditioned = { .name = UNCAUGHT, .condition = CONDITION };
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(set(&rig, BREAKPOINT_EXCEPTION, &conditioned, 1, &error), -1);
    assert_non_null(strstr(error.message, "\"uncaught\" takes no condition"));
    /* The one that was refused before is no reason to refuse another. */
    struct desired_breakpoint both[] = { { .name = NONSENSE }, { .name = RAISED } };
    assert_int_equal(set(&rig, BREAKPOINT_EXCEPTION, both, 2, &error), 0);
    expect_filters(&rig, (const char *const[]){ "raised" }, 1);
    rig_close(&rig);
}

/* A mode is one of the adapter's, and for that kind. */
static void modes(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.capabilities = CAPABILITIES;
    set_one(&rig, BREAKPOINT_SOURCE, (struct desired_breakpoint){ .line = 3, .mode = MODE });
    configuring(&rig, NULL);
    assert_string_equal(json_string(sent_item(&rig, "setBreakpoints", 0), "mode"), "hardware");
    struct desired_breakpoint wrong = { .name = NAME, .mode = MODE };
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(set(&rig, BREAKPOINT_FUNCTION, &wrong, 1, &error), -1);
    assert_non_null(strstr(error.message, "no breakpoint mode \"hardware\" for function breakpoints (it has: hardware)"));
    rig_close(&rig);
}

/* ---- two targets ---- */

/* A child gets all kinds, in its own configuration, and what it binds is its own; a change while it runs goes to both. */
static void a_child_gets_all_kinds(void **state)
{
    (void)state;
    struct rig rig;
    running_with(&rig, BREAKPOINT_FUNCTION, (struct desired_breakpoint){ .name = NAME },
                 "{'breakpoints':[{'verified':false,'id':1}]}");
    rig_say(
        &rig,
        "{'type':'request','seq':70,'command':'startDebugging','arguments':{'request':'launch','configuration':{'name':'one'}}}");
    rig_open_child(&rig);
    rig_answer(&rig, "initialize", CAPABILITIES);
    rig_event(&rig, "initialized", NULL);
    assert_int_equal(rig_find(&rig, "setFunctionBreakpoints")->channel, rig.channel);
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[{'verified':true,'id':7,'line':2}]}");
    assert_int_equal(list_of(&rig, BREAKPOINT_FUNCTION)->bound[0].id, 7);
    rig_answer(&rig, "setExceptionBreakpoints", NULL);
    rig_answer(&rig, "configurationDone", NULL);

    struct desired_breakpoint two[] = { { .name = NAME }, { .name = OTHER, .disabled = true } };
    rig.dones = 0;
    assert_int_equal(set(&rig, BREAKPOINT_FUNCTION, two, 2, NULL), 0);
    uint32_t child = rig.channel;
    rig.channel = 0;
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[{'verified':false,'id':1}]}");
    assert_int_equal(rig.dones, 0); /* the child has not answered */
    rig.channel = child;
    assert_int_equal(yyjson_arr_size(json_array(rig_find(&rig, "setFunctionBreakpoints")->arguments, "breakpoints")), 1);
    rig_answer(&rig, "setFunctionBreakpoints", "{'breakpoints':[{'verified':true,'id':7}]}");
    assert_int_equal(rig.dones, 1);
    assert_int_equal(list_of(&rig, BREAKPOINT_FUNCTION)->bound[0].state, BREAKPOINT_BOUND);
    assert_false(list_of(&rig, BREAKPOINT_FUNCTION)->bound[1].has_id);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_the_configuration),
        cmocka_unit_test(the_items_of_each_kind),
        cmocka_unit_test(a_kind_that_is_not_claimed),
        cmocka_unit_test(answers_belong_to_those_that_were_sent),
        cmocka_unit_test(off_and_on),
        cmocka_unit_test(a_file_with_all_switched_off),
        cmocka_unit_test(numbers),
        cmocka_unit_test(an_event_of_another_kind_comes_early),
        cmocka_unit_test(a_hit_of_any_kind_by_id),
        cmocka_unit_test(a_hit_of_a_function_by_its_name),
        cmocka_unit_test(a_line_is_no_function),
        cmocka_unit_test(a_hit_of_data_without_an_id),
        cmocka_unit_test(a_claim_about_a_function),
        cmocka_unit_test(data_of_a_program_that_ended),
        cmocka_unit_test(filters_of_a_launch_and_of_the_user),
        cmocka_unit_test(the_rows_of_exceptions_have_an_order_of_their_own),
        cmocka_unit_test(an_unknown_filter),
        cmocka_unit_test(modes),
        cmocka_unit_test(a_child_gets_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
