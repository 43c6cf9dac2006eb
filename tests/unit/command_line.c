/* The words of a command as an operation's arguments. The declarations are the real ones. */
#include "cli/command_line.h"
#include "cli/debugger_words.h"

#include "base/error.h"
#include "base/memory.h"
#include "verb/verb.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_WORDS 16

/* The arguments as JSON, or the error. The words stand in one text, separated by "\1". */
static char *read_words(const char *verb, const char *text)
{
    AUTO_FREE char *copy = xstrdup(text);
    char *words[MOST_WORDS + 1] = { NULL }, *rest = copy;
    for (size_t count = 0; *text != '\0' && count < MOST_WORDS && rest != NULL; count++)
        words[count] = strsep(&rest, "\1");
    AUTO_ERROR struct error error = ERROR_INIT;
    struct command_line line;
    char *result;
    if (command_line_read(&line, command_line_verb(verb), words, &error) < 0)
        result = xasprintf("error: %s", error.message);
    else if (line.help)
        result = xstrdup("help");
    else
        result = json_write_value(yyjson_doc_get_root(line.arguments), NULL);
    command_line_done(&line);
    return result;
}

static void is(const char *verb, const char *words, const char *wanted)
{
    AUTO_FREE char *seen = read_words(verb, words);
    assert_string_equal(seen, wanted);
}

static void assignments(void **state)
{
    (void)state;
    is("set", "n\1-5", "{\"path\":\"n\",\"value\":\"-5\"}");
    is("set", "n=5", "{\"path\":\"n\",\"value\":\"5\"}");
    is("set", "n\1=\1x == 5", "{\"path\":\"n\",\"value\":\"x == 5\"}");
    is("set", "m[\"a=b\"] = '='", "{\"path\":\"m[\\\"a=b\\\"]\",\"value\":\"'='\"}");
    is("set", "f(a=1)\1x", "{\"path\":\"f(a=1)\",\"value\":\"x\"}");
    is("set", "n == 8", "error: VALUE is required");
    is("set", "n >= 8", "error: VALUE is required");
    is("set", "=5", "error: VALUE is required");
    is("goto", "app.py:42", "{\"file_path\":\"app.py\",\"line\":42}");
    is("breakpoint-locations", "app.c:7\1--end-line=9", "{\"file\":\"app.c\",\"line\":7,\"end_line\":9}");
    is("breakpoint-locations",
       "app.c:7\1"
       "9",
       "{\"file\":\"app.c\",\"line\":7,\"end_line\":9}");
    is("breakpoint-locations",
       "app.c\1"
       "7",
       "{\"file\":\"app.c\",\"line\":7}");
    is("goto", "42", "{\"line\":42}");
    is("goto", "app.py", "error: LINE must be an integer");
    is("eval", "n=5", "{\"expression\":\"n=5\"}");
}

static void flags(void **state)
{
    (void)state;
    is("next", "", "{}");
    is("stack",
       "--count\1"
       "5",
       "{\"count\":5}");
    is("stack", "--count=5\1--session=a b", "{\"count\":5,\"session\":\"a b\"}");
    is("launch", "--stop-on-entry\1x", "{\"stop_on_entry\":true,\"program\":\"x\"}");
    is("launch", "--no-stop-on-entry\1x", "{\"stop_on_entry\":false,\"program\":\"x\"}");
    is("launch", "--stop-on-entry=true\1x", "{\"stop_on_entry\":true,\"program\":\"x\"}");
    is("eval",
       "x\1--frame\1"
       "10001",
       "{\"expression\":\"x\",\"frame_id\":10001}");
    is("eval",
       "x\1--frame-id\1"
       "10001",
       "{\"expression\":\"x\",\"frame_id\":10001}");
    is("eval", "x\1--frame_id=10001", "{\"expression\":\"x\",\"frame_id\":10001}");
    is("next", "--help\1--nonsense", "help");
    is("next", "-h", "help");
}

static void times(void **state)
{
    (void)state;
    is("next",
       "--timeout\1"
       "30s",
       "{\"timeout_ms\":30000}");
    is("next", "--timeout=500ms", "{\"timeout_ms\":500}");
    is("next", "--timeout=2m", "{\"timeout_ms\":120000}");
    is("next", "--timeout=1.5", "{\"timeout_ms\":1500}");
    is("next", "--timeout=0", "{\"timeout_ms\":0}");
    is("next", "--timeout-ms=250", "{\"timeout_ms\":250}");
    is("next", "--timeout=soon", "error: --timeout must be a time such as 30s, 500ms or 2m, not \"soon\"");
    is("next", "--timeout=-1s", "error: --timeout must be a time such as 30s, 500ms or 2m, not \"-1s\"");
    is("next", "--timeout=nan", "error: --timeout must be a time such as 30s, 500ms or 2m, not \"nan\"");
    is("next", "--timeout=1e300s", "error: --timeout must be a time such as 30s, 500ms or 2m, not \"1e300s\"");
}

static void words_without_flags(void **state)
{
    (void)state;
    is("launch",
       "x\1"
       "1\1"
       "2",
       "{\"program\":\"x\",\"args\":[\"1\",\"2\"]}");
    is("launch", "x\1--session\1s\1--\1--session\1-x\1",
       "{\"program\":\"x\",\"session\":\"s\",\"args\":[\"--session\",\"-x\",\"\"]}");
    is("eval", "-x", "{\"expression\":\"-x\"}");
    is("eval", "--\1--x", "{\"expression\":\"--x\"}");
    is("eval", "x\1y\1z", "{\"expression\":\"x\",\"expressions\":[\"y\",\"z\"]}");
    is("status", "x", "error: there is one word too many: \"x\"; dapple status takes flags only");
    is("next", "5", "{\"count\":5}");
    is("next", "x", "error: COUNT must be an integer");
}

static void lists_and_objects(void **state)
{
    (void)state;
    is("launch",
       "x\1--break\1"
       "a.py:1\1--break\1"
       "a.py:2 if n",
       "{\"program\":\"x\",\"breakpoints\":[{\"file\":\"a.py\",\"line\":1},"
       "{\"file\":\"a.py\",\"line\":2,\"condition\":\"n\"}]}");
    is("launch", "x\1--break\1{\"file\":\"a\",\"line\":1}", "{\"program\":\"x\",\"breakpoints\":[{\"file\":\"a\",\"line\":1}]}");
    is("launch", "x\1--break=[]", "{\"program\":\"x\",\"breakpoints\":[]}");
    is("launch",
       "x\1--env\1A=1\1--env\1"
       "B=x=y",
       "{\"program\":\"x\",\"env\":{\"A\":\"1\",\"B\":\"x=y\"}}");
    is("launch", "x\1--env\1{\"A\":null}", "{\"program\":\"x\",\"env\":{\"A\":null}}");
    is("launch", "x\1--launch-arguments\1justMyCode=false\1--launch-arguments\1python=/usr/bin/python3",
       "{\"program\":\"x\",\"launch_arguments\":{\"justMyCode\":false,\"python\":\"/usr/bin/python3\"}}");
    is("set-breakpoints",
       "a.py\1"
       "42\1"
       "50 if n",
       "{\"file_path\":\"a.py\",\"breakpoints\":[{\"line\":42},{\"line\":50,\"condition\":\"n\"}]}");
}

static void faults(void **state)
{
    (void)state;
    is("next",
       "--timeuot\1"
       "3",
       "error: there is no flag --timeuot; did you mean --timeout?");
    is("next", "--zzzzzzz", "error: there is no flag --zzzzzzz");
    is("next", "--no-session", "error: there is no flag --no-session; did you mean --session?");
    is("stack", "--count", "error: --count needs a value");
    is("stack", "--count=many", "error: --count must be an integer");
    is("stack", "--count=1\1--count=2", "error: --count is given twice");
    is("eval", "", "error: EXPRESSION is required, or expressions");
    is("eval", "\xff", "error: EXPRESSION is not UTF-8, and the Debug Adapter Protocol can carry nothing else");
    is("launch", "x\1--env\1=1", "error: --env takes NAME=VALUE, or JSON ('{\"NAME\": null}' removes one); not \"=1\"");
    is("launch", "x\1--env\1{", "error: --env must be JSON, not \"{\"");
    is("launch",
       "x\1--break\1"
       "12",
       "error: --break: line 12 of which file? FILE:12");
    is("launch", "x\1--break\1/a b/ if c", "error: --break: /a b/ if c of which file? FILE:/a b/ if c");
}

/* "run crash.js -b crash.js:2" gave the program two words, and nobody a breakpoint. */
static void short_flags(void **state)
{
    (void)state;
    static const char tail[] = "what the program itself is to get stands behind --";
    AUTO_FREE char *near = xasprintf("error: there is no flag -b; did you mean --break?; %s", tail);
    AUTO_FREE char *none = xasprintf("error: there is no flag -x; %s", tail);
    is("launch", "crash.js\1-b\1crash.js:2", near);
    is("launch", "crash.js\1-x=1", none);
    is("launch", "-x\1crash.js", none);
    is("launch", "x\1-5\1-\1--\1-b", "{\"program\":\"x\",\"args\":[\"-5\",\"-\",\"-b\"]}");
    is("launch", "/usr/bin/python3\1-m\1pytest\1-x", "{\"program\":\"/usr/bin/python3\",\"args\":[\"-m\",\"pytest\",\"-x\"]}");
    is("eval", "-b", "{\"expression\":\"-b\"}");
}

static bool has_flag(const char *command, const char *flag)
{
    const struct verb *verb = command_line_verb(command);
    yyjson_doc *schema = verb == NULL ? NULL : yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    size_t index, count;
    yyjson_val *key, *value;
    bool has = strcmp(flag, "--each") == 0 && strcmp(command, "run") == 0;
    json_obj_foreach(json_object(yyjson_doc_get_root(schema), "properties"), index, count, key, value) {
        AUTO_FREE char *known = command_line_flag(verb, yyjson_get_str(key));
        has = has || strcmp(known, flag) == 0;
    }
    yyjson_doc_free(schema);
    return has;
}

/* The commands and flags of "dapple stack lists …; dapple vars --frame 1" exist. */
static void check_commands(const char *text)
{
    static const char *const made_of_others[] = { "run", "break", "help", "trust" };
    char command[64] = "";
    AUTO_FREE char *copy = xstrdup(text);
    for (char *word = strtok(copy, " ,;()'"); word != NULL; word = strtok(NULL, " ,;()'")) {
        if (strncmp(word, "--", 2) == 0 && !has_flag(command, word))
            fail_msg("dapple %s has no flag %s: %s", command, word, text);
        if (strcmp(word, "dapple") != 0 || (word = strtok(NULL, " ,;()'")) == NULL)
            continue;
        bool is_known = command_line_verb(word) != NULL;
        for (size_t i = 0; i < COUNT_OF(made_of_others); i++)
            is_known = is_known || strcmp(word, made_of_others[i]) == 0;
        if (!is_known)
            fail_msg("there is no dapple %s: %s", word, text);
        snprintf(command, sizeof(command), "%s", word);
    }
}

/* "kill: did you mean skill?", "detach: did you mean attach?": what another debugger calls so has its own sentence. */
static void words_of_other_debuggers(void **state)
{
    (void)state;
    const char *word, *here;
    for (size_t i = 0; (here = debugger_word_row(i, &word)) != NULL; i++) {
        assert_null(command_line_verb(word)); /* else the sentence is never shown */
        for (size_t before = 0; before < i; before++) {
            const char *other;
            debugger_word_row(before, &other);
            assert_string_not_equal(other, word);
        }
        check_commands(here);
    }
    assert_string_equal(debugger_word("kill", NULL), "dapple stop");
    assert_string_equal(debugger_word("info", "locals"), "dapple vars");
    assert_string_equal(debugger_word("i", "lo"), "dapple vars");
    assert_string_equal(debugger_word("info", "b"), "dapple break");
    assert_string_equal(debugger_word("frame", "variable"), debugger_word("v", NULL));
    assert_string_equal(debugger_word("frame", "2"), debugger_word("up", NULL));
    assert_non_null(strstr(debugger_word("info", NULL), "dapple threads"));
    assert_null(debugger_word("zzz", "locals"));
    assert_null(debugger_word("lauch", NULL));
}

/* Each operation has a word of its own, and each of its arguments a flag of its own. */
static void declarations(void **state)
{
    (void)state;
    for (size_t i = 0; i < verb_count; i++) {
        const struct verb *verb = &verb_table[i];
        assert_ptr_equal(command_line_verb(verb->cli.verb), verb);
        yyjson_doc *schema = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
        size_t a_index, b_index, count, other_count;
        yyjson_val *a, *b, *value, *other_value, *properties = json_object(yyjson_doc_get_root(schema), "properties");
        json_obj_foreach(properties, a_index, count, a, value) {
            AUTO_FREE char *flag = command_line_flag(verb, yyjson_get_str(a));
            json_obj_foreach(properties, b_index, other_count, b, other_value) {
                AUTO_FREE char *other = command_line_flag(verb, yyjson_get_str(b));
                assert_true(a_index == b_index || strcmp(flag, other) != 0);
            }
        }
        yyjson_doc_free(schema);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags),
        cmocka_unit_test(assignments),
        cmocka_unit_test(times),
        cmocka_unit_test(words_without_flags),
        cmocka_unit_test(lists_and_objects),
        cmocka_unit_test(faults),
        cmocka_unit_test(short_flags),
        cmocka_unit_test(words_of_other_debuggers),
        cmocka_unit_test(declarations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
