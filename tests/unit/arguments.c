/* The argument check against the real declarations: what models send, what they get nearly right, and what must be refused. */
#include "verb/arguments.h"

#include "base/error.h"
#include "base/memory.h"
#include "verb/verb.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The cleaned arguments as JSON text, or the error's sentence. */
static char *checked(const char *tool, const char *arguments)
{
    const struct verb *verb = verb_find_tool(tool);
    assert_non_null(verb);
    AUTO_JSON struct json given = { 0 };
    if (arguments)
        assert_int_equal(json_parse_copy(arguments, strlen(arguments), &given, NULL), 0);
    yyjson_doc *doc = NULL;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (arguments_check(verb, given.root, &doc, &error) < 0) {
        assert_null(doc);
        assert_int_equal(error.kind, ERROR_ARGUMENT);
        assert_null(strchr(error.message, '\n'));
        return xstrdup(error.message);
    }
    json_free(&given); /* the result must not lean on it */
    char *text = json_write_value(yyjson_doc_get_root(doc), NULL);
    yyjson_doc_free(doc);
    return text;
}

static void expect(const char *tool, const char *arguments, const char *wanted)
{
    AUTO_FREE char *got = checked(tool, arguments);
    assert_string_equal(got, wanted);
}

/* ---- the table ---- */

static size_t parse_tools(enum tool_set tools, bool structured, struct json *ret_json)
{
    const char *text = verb_tools(tools, structured);
    assert_int_equal(json_parse_copy(text, strlen(text), ret_json, NULL), 0);
    assert_null(strchr(text, '\n'));
    assert_null(strstr(text, "\"shape\""));
    assert_null(strstr(text, "\"shared\""));
    assert_null(strstr(text, "\"sets\":["));
    assert_null(strstr(text, "\"core\":\""));
    if (!structured)
        assert_null(strstr(text, "outputSchema"));
    return yyjson_arr_size(ret_json->root);
}

/* The order is what hosts show, and must stay stable between versions for the sake of prompt caches. */
static void test_order_of_the_core_set(void **state)
{
    (void)state;
    static const char *const tools[] = {
        "dap_launch",   "dap_attach", "dap_set_breakpoints", "dap_add_breakpoint", "dap_remove_breakpoint",
        "dap_continue", "dap_next",   "dap_step_in",         "dap_step_out",       "dap_pause",
        "dap_threads",  "dap_stack",  "dap_variables",       "dap_evaluate",       "dap_send_input",
        "dap_status",   "dap_stop",
    };
    AUTO_JSON struct json core = { 0 };
    assert_int_equal(parse_tools(TOOL_SET_CORE, false, &core), COUNT_OF(tools));
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_string_equal(json_string(yyjson_arr_get(core.root, i), "name"), tools[i]);
}

static void test_every_operation_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < verb_count; i++)
        assert_ptr_equal(verb_find_tool(verb_table[i].tool), &verb_table[i]);
    assert_null(verb_find_tool("dap_nothing"));
    assert_null(verb_find_tool(""));
}

/* A table that a host cannot parse would make the whole server useless; the C literal once was a way to break it. */
static void test_every_set_is_json(void **state)
{
    (void)state;
    for (enum tool_set tools = TOOL_SET_CORE; tools <= TOOL_SET_SINGLE; tools++) {
        AUTO_JSON struct json text = { 0 }, structured = { 0 };
        size_t count = parse_tools(tools, false, &text);
        assert_int_equal(parse_tools(tools, true, &structured), count);
        for (size_t i = 0; i < count; i++) {
            assert_non_null(json_object(yyjson_arr_get(text.root, i), "inputSchema"));
            assert_non_null(json_object(yyjson_arr_get(structured.root, i), "outputSchema"));
        }
    }
}

/* What is also taken for a name is not told. */
static char *without_other_names(const char *schema)
{
    static const char start[] = ",\"also\":[";
    char *copy = xstrdup(schema);
    for (char *also = strstr(copy, start); also; also = strstr(also, start)) {
        char *rest = strchr(also, ']') + 1;
        memmove(also, rest, strlen(rest) + 1);
    }
    return copy;
}

/* What a model is told in the full set is what is enforced. */
static void test_the_full_set_is_the_table(void **state)
{
    (void)state;
    AUTO_JSON struct json full = { 0 };
    assert_int_equal(parse_tools(TOOL_SET_FULL, false, &full), verb_count);
    for (size_t i = 0; i < verb_count; i++) {
        yyjson_val *tool = yyjson_arr_get(full.root, i);
        assert_string_equal(json_string(tool, "name"), verb_table[i].tool);
        AUTO_FREE char *schema = json_write_value(json_object(tool, "inputSchema"), NULL);
        AUTO_FREE char *enforced = without_other_names(verb_table[i].arguments_schema);
        assert_string_equal(schema, enforced);
        assert_null(strstr(schema, "\"also\":"));
    }
}

/* The smaller sets show nothing that is not taken, and they are small: hosts send all of it with every request. */
static void test_the_core_set_is_part_of_the_table(void **state)
{
    (void)state;
    assert_true(strlen(verb_tools(TOOL_SET_CORE, false)) <= 12000);
    assert_true(strlen(verb_tools(TOOL_SET_SINGLE, false)) <= 4800);
    AUTO_JSON struct json core = { 0 };
    size_t count = parse_tools(TOOL_SET_CORE, false, &core);
    for (size_t i = 0; i < count; i++) {
        yyjson_val *tool = yyjson_arr_get(core.root, i);
        const struct verb *verb = verb_find_tool(json_string(tool, "name"));
        assert_non_null(verb);
        AUTO_JSON struct json schema = { 0 };
        assert_int_equal(json_parse_copy(verb->arguments_schema, strlen(verb->arguments_schema), &schema, NULL), 0);
        size_t index, most;
        yyjson_val *key, *value;
        yyjson_obj_foreach(json_object(json_object(tool, "inputSchema"), "properties"), index, most, key, value)
            assert_non_null(json_object(json_object(schema.root, "properties"), yyjson_get_str(key)));
    }
}

static void test_instructions_first_paragraph_stands_alone(void **state)
{
    (void)state;
    for (enum tool_set tools = TOOL_SET_CORE; tools <= TOOL_SET_SINGLE; tools++) {
        const char *text = verb_instructions(tools);
        assert_true(strlen(text) <= 1536);
        const char *end = strstr(text, "\n\n");
        assert_non_null(end);
        assert_true(end - text <= 512);
    }
}

/* ---- what is omitted ---- */

static void test_no_arguments_is_an_empty_object(void **state)
{
    (void)state;
    expect("dap_continue", NULL, "{}");
    expect("dap_continue", "{}", "{}");
    expect("dap_evaluate", NULL, "invalid arguments: /expression is required, or expressions");
}

/* Strict function-calling models fill every optional parameter with null. */
static void test_null_is_omitted(void **state)
{
    (void)state;
    expect(
        "dap_launch",
        "{\"program\":\"a\",\"args\":null,\"cwd\":null,\"env\":null,\"adapter\":null,\"breakpoints\":null,\"stop_on_entry\":null,"
        "\"stop_on_exceptions\":null,\"launch_arguments\":null,\"timeout_ms\":null,\"context\":null,\"session\":null}",
        "{\"program\":\"a\"}");
    expect("dap_stack", "{\"thread_id\":null,\"start\":null,\"count\":null}", "{}");
    expect("dap_variables", "{\"frame_id\":0,\"variables_reference\":null,\"start\":null,\"count\":null}", "{\"frame_id\":0}");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":2,\"condition\":null}]}",
           "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":2}]}");
}

static void test_null_for_a_required_one_is_missing(void **state)
{
    (void)state;
    expect("dap_evaluate", "{\"expression\":null}", "invalid arguments: /expression is required, or expressions");
    expect("dap_launch", "{\"breakpoints\":[{\"file\":null,\"line\":1}]}", "invalid arguments: /breakpoints/0/file is required");
}

/* null inside a free object is a value: it removes a variable, or is what the adapter wants. */
static void test_free_objects_are_not_touched(void **state)
{
    (void)state;
    expect("dap_launch",
           "{\"program\":\"a\",\"env\":{\"A\":null,\"B\":\"\"},\"launch_arguments\":{\"x\":null,\"n\":\"20\",\"t\":[null,{}]}}",
           "{\"program\":\"a\",\"env\":{\"A\":null,\"B\":\"\"},\"launch_arguments\":{\"x\":null,\"n\":\"20\",\"t\":[null,{}]}}");
    expect("dap_launch", "{\"program\":\"a\",\"env\":{\"A\":1,\"B\":null}}",
           "{\"program\":\"a\",\"env\":{\"A\":\"1\",\"B\":null}}");
    expect("dap_launch", "{\"program\":\"a\",\"env\":{\"A\":true}}", "invalid arguments: /env/A must be a string or null");
}

/* ---- what is nearly right ---- */

static void test_numbers_and_booleans_as_text(void **state)
{
    (void)state;
    expect("dap_stack", "{\"start\":\"20\",\"count\":3.0}", "{\"start\":20,\"count\":3}");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_entry\":\"true\"}", "{\"program\":\"a\",\"stop_on_entry\":true}");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_entry\":\"false\"}", "{\"program\":\"a\",\"stop_on_entry\":false}");
    expect("dap_stack", "{\"start\":\"2x\"}", "invalid arguments: /start must be an integer");
    expect("dap_stack", "{\"start\":1.5}", "invalid arguments: /start must be an integer");
    expect("dap_stack", "{\"start\":true}", "invalid arguments: /start must be an integer");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_entry\":\"True\"}", "{\"program\":\"a\",\"stop_on_entry\":true}");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_entry\":1}", "{\"program\":\"a\",\"stop_on_entry\":true}");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_entry\":0}", "{\"program\":\"a\",\"stop_on_entry\":false}");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_entry\":2}", "invalid arguments: /stop_on_entry must be true or false");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_entry\":\"yes\"}",
           "invalid arguments: /stop_on_entry must be true or false");
}

/* Command-line arguments are often written as numbers. */
static void test_a_number_for_a_string(void **state)
{
    (void)state;
    expect("dap_launch", "{\"program\":\"a\",\"args\":[\"--port\",8080,1.5]}",
           "{\"program\":\"a\",\"args\":[\"--port\",\"8080\",\"1.5\"]}");
    expect("dap_evaluate", "{\"expression\":42}", "{\"expression\":\"42\"}");
    expect("dap_evaluate", "{\"expression\":123456789012345678901234567890}",
           "{\"expression\":\"123456789012345678901234567890\"}");
    expect("dap_evaluate", "{\"expression\":NaN}", "invalid arguments: /expression is required, or expressions");
    expect("dap_evaluate", "{\"expression\":{}}", "invalid arguments: /expression must be a string");
}

static void test_json_text_for_an_object_or_an_array(void **state)
{
    (void)state;
    expect("dap_launch", "{\"program\":\"a\",\"env\":\"{\\\"A\\\":\\\"1\\\"}\"}", "{\"program\":\"a\",\"env\":{\"A\":\"1\"}}");
    expect("dap_launch", "{\"program\":\"a\",\"args\":\"[\\\"x\\\",\\\"y\\\"]\"}", "{\"program\":\"a\",\"args\":[\"x\",\"y\"]}");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":\"[{\\\"line\\\":\\\"3\\\"}]\"}",
           "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":3}]}");
    expect("dap_launch", "{\"program\":\"a\",\"launch_arguments\":\"justMyCode\"}",
           "invalid arguments: /launch_arguments must be an object");
    expect("dap_launch", "{\"program\":\"a\",\"launch_arguments\":\"[]\"}",
           "invalid arguments: /launch_arguments must be an object");
}

static void test_one_item_for_an_array(void **state)
{
    (void)state;
    expect("dap_launch", "{\"program\":\"a\",\"args\":\"-v\"}", "{\"program\":\"a\",\"args\":[\"-v\"]}");
    expect("dap_launch", "{\"program\":\"a\",\"args\":\"[half\"}", "{\"program\":\"a\",\"args\":[\"[half\"]}");
    expect("dap_launch", "{\"program\":\"a\",\"args\":\"{\\\"json\\\":1}\"}",
           "{\"program\":\"a\",\"args\":[\"{\\\"json\\\":1}\"]}");
    expect("dap_launch", "{\"program\":\"a\",\"args\":\"\"}", "{\"program\":\"a\",\"args\":[]}");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":{\"line\":3}}",
           "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":3}]}");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":true}", "invalid arguments: /breakpoints must be an array");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":\"main\"}",
           "invalid arguments: /breakpoints must be an array");
    expect("dap_terminate_threads", "{\"thread_ids\":3}", "{\"thread_ids\":[3]}");
    expect("dap_evaluate", "{\"expressions\":\"a\"}", "{\"expressions\":[\"a\"]}");
    expect("dap_launch", "{\"program\":\"a\",\"args\":{}}", "invalid arguments: /args must be an array");
}

/* A list of lines is what comes to mind first; a launch names the file, too, as the command line and compilers write it. */
static void test_lines_and_places_for_breakpoints(void **state)
{
    (void)state;
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":[3,\"5\",{\"line\":7}]}",
           "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":3},{\"line\":5},{\"line\":7}]}");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"lines\":3}", "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":3}]}");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":\"[3]\"}",
           "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":3}]}");
    expect("dap_launch", "{\"program\":\"a\",\"breakpoints\":[\"src/a:b.py:42\"]}",
           "{\"program\":\"a\",\"breakpoints\":[{\"file\":\"src/a:b.py\",\"line\":42}]}");
    expect("dap_launch", "{\"program\":\"a\",\"breakpoints\":\"a.py:42\"}",
           "{\"program\":\"a\",\"breakpoints\":[{\"file\":\"a.py\",\"line\":42}]}");
    expect("dap_launch", "{\"program\":\"a\",\"breakpoints\":[42]}", "invalid arguments: /breakpoints/0/file is required");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":[0]}",
           "invalid arguments: /breakpoints/0/line must be >= 1");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":[\"a.py:42\"]}",
           "invalid arguments: /breakpoints/0 must be an object with a line, or the number of a line");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":[true]}",
           "invalid arguments: /breakpoints/0 must be an object with a line, or the number of a line");
    static const char *const no_places[] = { ":42", "42:", "a.py:", "a.py:99999999999", "a.py 42", "" };
    for (size_t i = 0; i < COUNT_OF(no_places); i++) {
        AUTO_FREE char *arguments = xasprintf("{\"program\":\"a\",\"breakpoints\":[\"%s\"]}", no_places[i]);
        expect("dap_launch", arguments, "invalid arguments: /breakpoints/0 must be an object with a line, or the number of a line");
    }
}

/* Callers mix up file_path and file, which operations name differently, and write names as DAP or other debuggers do. */
static void test_other_names(void **state)
{
    (void)state;
    static const char *const files[] = { "file", "path", "source", "filePath", "file-path", "sourcePath", "filename" };
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        AUTO_FREE char *arguments = xasprintf("{\"%s\":\"a\",\"breakpoints\":[]}", files[i]);
        expect("dap_set_breakpoints", arguments, "{\"file_path\":\"a\",\"breakpoints\":[]}");
    }
    expect("dap_add_breakpoint", "{\"file_path\":\"a\",\"lineNumber\":3,\"logMessage\":\"x\",\"hitCondition\":3}",
           "{\"file\":\"a\",\"line\":3,\"log_message\":\"x\",\"hit_condition\":\"3\"}");
    expect("dap_launch", "{\"program\":\"a\",\"breakpoints\":[{\"path\":\"a\",\"line\":3}]}",
           "{\"program\":\"a\",\"breakpoints\":[{\"file\":\"a\",\"line\":3}]}");
    expect("dap_launch", "{\"path\":\"a\",\"stopOnEntry\":true}", "{\"program\":\"a\",\"stop_on_entry\":true}");
    expect("dap_variables", "{\"variablesReference\":5}", "{\"variables_reference\":5}");
    expect("dap_variables", "{\"path\":\"a\",\"frameId\":5}", "{\"path\":\"a\",\"frame_id\":5}");
    expect("dap_source", "{\"file_path\":\"a\"}", "{\"path\":\"a\"}");
    expect("dap_stack", "{\"threadId\":5,\"levels\":2}", "{\"thread_id\":5,\"count\":2}");
    expect("dap_evaluate", "{\"expr\":\"x\",\"frame\":5}", "{\"expression\":\"x\",\"frame_id\":5}");
    expect("dap_evaluate", "{\"expression\":[\"x\",\"y\"]}", "{\"expressions\":[\"x\",\"y\"]}");
    expect("dap_continue", "{\"context\":\"FULL\"}", "{\"context\":\"full\"}");
    expect("dap_add_breakpoint", "{\"data\":\"x\",\"access_type\":\"readwrite\"}",
           "{\"data\":\"x\",\"access_type\":\"readWrite\"}");
}

/* What is one argument cannot be given two values; a fault is told by the name that was given. */
static void test_other_names_are_as_strict(void **state)
{
    (void)state;
    expect("dap_set_breakpoints", "{\"file\":\"a\",\"file_path\":\"a\",\"breakpoints\":[]}",
           "{\"file_path\":\"a\",\"breakpoints\":[]}");
    expect("dap_set_breakpoints", "{\"file\":\"b\",\"file_path\":\"a\",\"breakpoints\":[]}",
           "invalid arguments: /file_path is given as file, too, with another value; give one");
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"file\":\"b\",\"breakpoints\":[]}",
           "invalid arguments: /file is given as file_path, too, with another value; give one");
    expect("dap_stack", "{\"threadId\":\"main\"}", "invalid arguments: /threadId must be an integer");
    expect("dap_set_breakpoints", "{\"file\":null,\"breakpoints\":[]}", "invalid arguments: /file_path is required");
    expect("dap_set_breakpoints", "{\"file\":\"a\"}", "invalid arguments: /breakpoints is required");
}

/* ---- what is refused ---- */

static void test_unknown_members_are_answered_with_the_name_that_was_meant(void **state)
{
    (void)state;
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":[{\"linee\":3}]}",
           "invalid arguments: /breakpoints/0/linee is not allowed; did you mean line?");
    expect("dap_continue", "{\"timeout\":5}", "invalid arguments: /timeout is not allowed; did you mean timeout_ms?");
    expect("dap_status", "{\"verbose\":null}", "invalid arguments: /verbose is not allowed; there are: session");
    expect("dap_stack", "{\"zzz\":1}", "invalid arguments: /zzz is not allowed; there are: thread_id, start, count, session");
}

/* The name comes from outside: it must not add lines to the message, nor make it endless. */
static void test_unknown_names_are_made_safe(void **state)
{
    (void)state;
    expect("dap_status", "{\"a\\nb\\u001b\":1}", "invalid arguments: /a\\nb\\x1b is not allowed; there are: session");
    expect("dap_status", "{\"\":1}", "invalid arguments: / is not allowed; there are: session");
    char arguments[3000];
    memset(arguments, 'q', sizeof(arguments));
    memcpy(arguments, "{\"", 2);
    memcpy(arguments + sizeof(arguments) - 5, "\":1}", 5);
    AUTO_FREE char *got = checked("dap_status", arguments);
    assert_true(strlen(got) < 120);
}

static void test_limits_of_numbers(void **state)
{
    (void)state;
    expect("dap_set_breakpoints", "{\"file_path\":\"a\",\"breakpoints\":[{\"line\":0}]}",
           "invalid arguments: /breakpoints/0/line must be >= 1");
    expect("dap_stack", "{\"count\":0}", "invalid arguments: /count must be >= 1");
    expect("dap_stack", "{\"count\":1000}", "{\"count\":1000}");
    expect("dap_stack", "{\"count\":1001}", "invalid arguments: /count must be <= 1000");
    expect("dap_variables", "{\"frame_id\":1,\"count\":10001}", "invalid arguments: /count must be <= 10000");
    expect("dap_continue", "{\"timeout_ms\":0}", "{\"timeout_ms\":0}");
    expect("dap_continue", "{\"timeout_ms\":-1}", "invalid arguments: /timeout_ms must be >= 0");
    expect("dap_continue", "{\"timeout_ms\":18446744073709551615}", "invalid arguments: /timeout_ms must be an integer");
    expect("dap_continue", "{\"timeout_ms\":99999999999999999999999}", "invalid arguments: /timeout_ms must be an integer");
    expect("dap_continue", "{\"timeout_ms\":9223372036854775807}", "{\"timeout_ms\":9223372036854775807}");
}

static void test_limits_of_strings(void **state)
{
    (void)state;
    expect("dap_launch", "{\"program\":\"\"}", "invalid arguments: /program must not be empty");
    expect("dap_status", "{\"session\":\"\"}", "invalid arguments: /session must not be empty");
    char arguments[400] = "{\"session\":\"";
    for (int i = 0; i < 64; i++)
        strcat(arguments, "\xc3\xa4"); /* characters count, not bytes */
    strcat(arguments, "\"}");
    expect("dap_status", arguments, arguments);
    strcpy(arguments + strlen(arguments) - 2, "x\"}");
    expect("dap_status", arguments, "invalid arguments: /session must have at most 64 characters");
    expect("dap_continue", "{\"context\":\"all\"}", "invalid arguments: /context must be one of none, brief, full");
    expect("dap_launch", "{\"program\":\"a\",\"stop_on_exceptions\":\"\"}",
           "invalid arguments: /stop_on_exceptions must be one of uncaught, all, none");
}

/* A path or an expression would silently be another one, cut at the NUL. */
static void test_a_nul_is_refused(void **state)
{
    (void)state;
    expect("dap_evaluate", "{\"expression\":\"a\\u0000b\"}", "invalid arguments: /expression must not contain a NUL character");
    expect("dap_launch", "{\"program\":\"a\",\"args\":[\"\\u0000\"]}",
           "invalid arguments: /args/0 must not contain a NUL character");
}

static void test_the_root_must_be_an_object(void **state)
{
    (void)state;
    expect("dap_status", "[]", "invalid arguments: arguments must be an object");
    expect("dap_status", "\"{}\"", "invalid arguments: arguments must be an object");
    expect("dap_status", "null", "invalid arguments: arguments must be an object");
}

/* Which of the selectors go together is the handler's to say: no schema that strict providers take can. Frame 0 is a real frame. */
static void test_variables_takes_its_selectors(void **state)
{
    (void)state;
    expect("dap_variables", "{\"frame_id\":0}", "{\"frame_id\":0}");
    expect("dap_variables", "{\"variables_reference\":0}", "{\"variables_reference\":0}");
    expect("dap_variables", "{\"path\":\"a.b\",\"depth\":5}", "{\"path\":\"a.b\",\"depth\":5}");
    expect("dap_variables", "{\"path\":\"a.b\",\"depth\":6}", "invalid arguments: /depth must be <= 5");
    expect("dap_variables", "{\"path\":\"\"}", "invalid arguments: /path must not be empty");
}

/* JSON allows a name twice; two values of one argument must not both reach a handler. */
static void test_a_name_given_twice_counts_once(void **state)
{
    (void)state;
    expect("dap_stack", "{\"start\":1,\"start\":2}", "{\"start\":2}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_the_core_set),
        cmocka_unit_test(test_every_operation_is_found),
        cmocka_unit_test(test_every_set_is_json),
        cmocka_unit_test(test_the_full_set_is_the_table),
        cmocka_unit_test(test_the_core_set_is_part_of_the_table),
        cmocka_unit_test(test_instructions_first_paragraph_stands_alone),
        cmocka_unit_test(test_no_arguments_is_an_empty_object),
        cmocka_unit_test(test_null_is_omitted),
        cmocka_unit_test(test_null_for_a_required_one_is_missing),
        cmocka_unit_test(test_free_objects_are_not_touched),
        cmocka_unit_test(test_numbers_and_booleans_as_text),
        cmocka_unit_test(test_a_number_for_a_string),
        cmocka_unit_test(test_json_text_for_an_object_or_an_array),
        cmocka_unit_test(test_one_item_for_an_array),
        cmocka_unit_test(test_lines_and_places_for_breakpoints),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_other_names_are_as_strict),
        cmocka_unit_test(test_unknown_members_are_answered_with_the_name_that_was_meant),
        cmocka_unit_test(test_unknown_names_are_made_safe),
        cmocka_unit_test(test_limits_of_numbers),
        cmocka_unit_test(test_limits_of_strings),
        cmocka_unit_test(test_a_nul_is_refused),
        cmocka_unit_test(test_the_root_must_be_an_object),
        cmocka_unit_test(test_variables_takes_its_selectors),
        cmocka_unit_test(test_a_name_given_twice_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
