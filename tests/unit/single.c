/* The one tool of the set `single`: every action, the names that it gives to arguments, and what a model gets wrong. */
#include "verb/single.h"

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

/* "dap_next {…}", or the error's sentence. */
static char *translated(const char *arguments)
{
    AUTO_JSON struct json given = { 0 };
    assert_int_equal(json_parse_copy(arguments, strlen(arguments), &given, NULL), 0);
    const struct verb *verb = NULL;
    yyjson_doc *doc = NULL;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (single_translate(given.root, &verb, &doc, &error) < 0) {
        assert_null(doc);
        assert_int_equal(error.kind, ERROR_ARGUMENT);
        assert_null(strchr(error.message, '\n'));
        return xstrdup(error.message);
    }
    json_free(&given); /* the result must not lean on it */
    AUTO_FREE char *text = json_write_value(yyjson_doc_get_root(doc), NULL);
    yyjson_doc_free(doc);
    return xasprintf("%s %s", verb->tool, text);
}

static void expect(const char *arguments, const char *wanted)
{
    AUTO_FREE char *got = translated(arguments);
    assert_string_equal(got, wanted);
}

static void expect_start(const char *arguments, const char *wanted)
{
    AUTO_FREE char *got = translated(arguments);
    if (strncmp(got, wanted, strlen(wanted)) != 0)
        fail_msg("wanted: %s…\ngot:    %s", wanted, got);
}

/* Every operation is an action by its own name, and by its tool's name, which results use. */
static void test_every_operation_is_an_action(void **state)
{
    (void)state;
    for (size_t i = 0; i < verb_count; i++) {
        size_t found = 0;
        for (size_t j = 0; j < single_action_count; j++)
            found += strcmp(single_actions[j].name, verb_table[i].name) == 0 && single_actions[j].verb == &verb_table[i];
        assert_int_equal(found, 1);
    }
    expect("{\"action\":\"status\"}", "dap_status {}");
    expect("{\"action\":\"dap_status\"}", "dap_status {}");
    expect("{\"action\":\" status\\n\"}", "dap_status {}");
}

/* All that is shown in the schema is taken, and each action stands in it. */
static void test_the_schema_is_true(void **state)
{
    (void)state;
    const char *text = verb_tools(TOOL_SET_SINGLE, false);
    AUTO_JSON struct json tools = { 0 };
    assert_int_equal(json_parse_copy(text, strlen(text), &tools, NULL), 0);
    yyjson_val *tool = yyjson_arr_get_first(tools.root);
    assert_string_equal(json_string(tool, "name"), single_tool);
    yyjson_val *properties = json_object(json_object(tool, "inputSchema"), "properties");
    yyjson_val *actions = json_array(json_object(properties, "action"), "enum");
    assert_int_equal(yyjson_arr_size(actions), single_action_count);
    for (size_t i = 0; i < single_action_count; i++)
        assert_string_equal(yyjson_get_str(yyjson_arr_get(actions, i)), single_actions[i].name);
    for (size_t i = 0; i < single_action_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(single_actions[i].name, single_actions[j].name);
}

static void test_other_names_of_arguments(void **state)
{
    (void)state;
    expect("{\"action\":\"stack_trace\",\"levels\":\"3\"}", "dap_stack {\"count\":3}");
    expect("{\"action\":\"stack_trace\",\"count\":3}", "dap_stack {\"count\":3}");
    expect("{\"action\":\"variables\",\"variable_ref\":7}", "dap_variables {\"variables_reference\":7}");
    expect("{\"action\":\"variables\",\"scope_id\":7,\"variable_ref\":null}", "dap_variables {\"variables_reference\":7}");
    expect("{\"action\":\"variables\",\"frame_id\":7}", "dap_variables {\"frame_id\":7}");
    expect("{\"action\":\"terminate\",\"session\":\"b\"}", "dap_stop {\"session\":\"b\"}");
}

static void test_seconds(void **state)
{
    (void)state;
    expect("{\"action\":\"continue\",\"timeout\":2}", "dap_continue {\"timeout_ms\":2000}");
    expect("{\"action\":\"continue\",\"timeout\":0.25}", "dap_continue {\"timeout_ms\":250}");
    expect("{\"action\":\"continue\",\"timeout\":\"1.5\"}", "dap_continue {\"timeout_ms\":1500}");
    expect("{\"action\":\"continue\",\"timeout\":0}", "dap_continue {\"timeout_ms\":0}");
    expect("{\"action\":\"continue\",\"timeout_ms\":5}", "dap_continue {\"timeout_ms\":5}");
    static const char *const wrong[] = { "-1", "\"soon\"", "\"\"", "true", "[]", "1e300", "\"nan\"", "\"1 s\"" };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        AUTO_FREE char *arguments = xasprintf("{\"action\":\"continue\",\"timeout\":%s}", wrong[i]);
        expect(arguments, "invalid arguments: /timeout must be a number of seconds, 0 or more");
    }
}

static void test_unknown_actions(void **state)
{
    (void)state;
    expect("{\"action\":\"step_ovr\"}", "invalid arguments: /action: there is no \"step_ovr\"; did you mean step_over?");
    expect("{\"action\":\"StackTrace\"}", "dap_stack {}");
    expect_start("{\"action\":\"fly\\n\\u0007\"}", "invalid arguments: /action: there is no \"fly");
    expect_start("{\"action\":\"xyzzy\"}", "invalid arguments: /action: there is no \"xyzzy\"; there are: launch, ");
    expect_start("{}", "invalid arguments: /action is required");
    expect_start("{\"action\":7}", "invalid arguments: /action is required");
    expect_start("{\"action\":null}", "invalid arguments: /action is required");
}

/* The schema of one tool cannot say which parameter goes with which action; the refusal does. */
static void test_arguments_of_other_actions(void **state)
{
    (void)state;
    expect_start("{\"action\":\"stack_trace\",\"expression\":\"x\"}",
                 "invalid arguments: /expression is no argument of stack_trace; it goes with "
                 "evaluate");
    expect_start("{\"action\":\"status\",\"levels\":3}",
                 "invalid arguments: /levels is no argument of status; it goes with stack_trace, stack. status takes: session");
    expect_start("{\"action\":\"status\",\"timeout\":3}",
                 "invalid arguments: /timeout is no argument of status; it goes with launch");
    expect_start("{\"action\":\"evaluate\",\"expresion\":\"x\"}",
                 "invalid arguments: /expresion is not allowed; did you mean expression?");
    expect("{\"action\":\"status\",\"levels\":null}", "dap_status {}");
}

static void test_faults_name_arguments_as_they_were_given(void **state)
{
    (void)state;
    expect("{\"action\":\"stack_trace\",\"levels\":0}", "invalid arguments: /levels must be >= 1");
    expect("{\"action\":\"stack_trace\",\"count\":0}", "invalid arguments: /count must be >= 1");
    expect("{\"action\":\"variables\",\"scope_id\":{}}", "invalid arguments: /scope_id must be an integer");
    expect("{\"action\":\"stack_trace\",\"levels\":2,\"count\":3}", "invalid arguments: /count means the same as levels; give one");
    expect("{\"action\":\"variables\",\"variable_ref\":2,\"scope_id\":3}",
           "invalid arguments: /scope_id means the same as variable_ref; give one");
    expect("{\"action\":\"evaluate\"}", "invalid arguments: /expression is required, or expressions");
    expect("{\"action\":\"read_memory\"}", "invalid arguments: /memory_reference is required");
    expect("{\"action\":\"variables\",\"variableRef\":2,\"frameId\":3}",
           "dap_variables {\"variables_reference\":2,\"frame_id\":3}");
    expect("{\"action\":\"set_breakpoint\",\"path\":\"a\",\"lineNumber\":3}", "dap_add_breakpoint {\"file\":\"a\",\"line\":3}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation_is_an_action),
        cmocka_unit_test(test_the_schema_is_true),
        cmocka_unit_test(test_other_names_of_arguments),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_unknown_actions),
        cmocka_unit_test(test_arguments_of_other_actions),
        cmocka_unit_test(test_faults_name_arguments_as_they_were_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
