/* dapple run: launches, reports each stop with the values that were asked for, goes on, and ends the session; in one command. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/reach.h"
#include "cli/words.h"
#include "verb/verb.h"
#include "json/json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct run {
    const struct verb *launch, *go_on, *evaluate, *pause, *stop;
    char **words; /* of the launch: the strings are argv's */
    char **each;  /* expressions, the same */
    size_t word_count, each_count;
    int64_t stops; /* after so many it ends; 0: never */
    enum json_mode json;
    char *session;
    const struct command_line *line;
    yyjson_doc *launch_arguments;  /* in it */
    const char *timeout, *context; /* NULL */
    int tie;                       /* the connection that the session lives as long as; -1 */
};

static const struct verb *operation(const char *name)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

/* ---- words ---- */

static const char *own_value(char ***words, const char *flag)
{
    size_t len = strlen(flag);
    if (strncmp(**words, flag, len) != 0 || ((**words)[len] != '=' && (**words)[len] != '\0'))
        return NULL;
    if ((**words)[len] == '=')
        return **words + len + 1;
    return (*words)[1] != NULL ? *++*words : "";
}

/* Flags of our own. Returns 1 when it was one, 0 when not, -1 when its value is wrong. */
static int take_own(struct run *run, char ***words, struct error *ret_error)
{
    const char *value;
    if ((value = own_value(words, "--each")) != NULL) {
        run->each[run->each_count++] = (char *)value;
        return 1;
    }
    if ((value = own_value(words, "--stops")) != NULL) {
        char *end;
        run->stops = strtoll(value, &end, 10);
        if (*end != '\0' || run->stops < 1)
            return error_set(ret_error, ERROR_ARGUMENT, "--stops must be a number from 1, not \"%s\"", value);
        return 1;
    }
    enum json_mode json = command_line_json(**words);
    run->json = json != JSON_NONE ? json : run->json;
    return json != JSON_NONE;
}

/* The launch's, which holds for what follows, too. */
static void take_common(struct run *run, char **words)
{
    char **at = words;
    const char *value;
    if ((value = own_value(&at, "--timeout")) != NULL)
        run->timeout = value;
    at = words;
    if ((value = own_value(&at, "--context")) != NULL)
        run->context = value;
}

static int read_words(struct run *run, char **words, struct error *ret_error)
{
    for (; *words != NULL && strcmp(*words, "--") != 0; words++) {
        int own = take_own(run, &words, ret_error);
        if (own < 0)
            return -1;
        if (own > 0)
            continue;
        take_common(run, words);
        bool takes = strncmp(*words, "--", 2) == 0 && command_line_takes_value(run->launch, *words);
        run->words[run->word_count++] = *words;
        if (takes && words[1] != NULL)
            run->words[run->word_count++] = *++words;
    }
    for (; *words != NULL; words++)
        run->words[run->word_count++] = *words;
    return 0;
}

/* ---- calls ---- */

static yyjson_doc *arguments_of(const struct run *run, const struct verb *verb, const char *expression)
{
    char session[] = "--session", timeout[] = "--timeout", context[] = "--context", separator[] = "--";
    char *words[10] = { session, run->session };
    size_t count = 2;
    if (run->timeout != NULL && verb == run->go_on) {
        words[count++] = timeout;
        words[count++] = (char *)run->timeout;
    }
    if (run->context != NULL && (verb == run->go_on || verb == run->pause)) {
        words[count++] = context;
        words[count++] = (char *)run->context;
    }
    if (expression != NULL) {
        words[count++] = separator;
        words[count++] = (char *)expression;
    }
    struct command_line line;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (command_line_read(&line, verb, words, &error) < 0)
        command_complain(&error);
    return line.arguments;
}

static int call(const struct run *run, const struct verb *verb, const char *expression, struct exchange *ret,
                struct error *ret_error)
{
    yyjson_doc *arguments = arguments_of(run, verb, expression);
    int result = command_call(verb, yyjson_doc_get_root(arguments), true, ret, ret_error);
    yyjson_doc_free(arguments);
    return result;
}

static const char *state_of(const struct exchange *result, struct json *ret_json)
{
    if (result->answer.structured == NULL ||
        json_parse_copy(result->answer.structured, strlen(result->answer.structured), ret_json, NULL) < 0)
        return "";
    const char *state = json_string(ret_json->root, "state");
    return state != NULL ? state : "";
}

/* ---- what is shown ---- */

/* The text of a result without its hints: the session ends with the command, so nobody can follow them. */
static char *without_hints(const char *text)
{
    struct buffer plain;
    buffer_init(&plain, SIZE_MAX / 2);
    words_hints(&plain, text, false);
    return buffer_take(&plain, NULL);
}

/* In the words of the command line, without its head. */
static char *without_head(const struct verb *verb, const char *text)
{
    static const char head[] = "dapple: ";
    AUTO_BUFFER struct buffer own;
    buffer_init(&own, LIMIT_RENDERED_BYTES);
    words_write(&own, verb, text);
    const char *words = own.len > 0 ? own.data : "";
    return xstrdup(strncmp(words, head, sizeof(head) - 1) == 0 ? words + sizeof(head) - 1 : words);
}

/* What the operation's own JSON has of a value; the ids are of no use when the session is gone. */
static void add_value(yyjson_mut_doc *doc, yyjson_mut_val *row, const struct exchange *result)
{
    static const char *const members[] = { "result", "type" };
    AUTO_JSON struct json json = { 0 };
    state_of(result, &json);
    yyjson_val *value = yyjson_obj_get(json.root, "evaluation");
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (yyjson_obj_get(value, members[i]) != NULL)
            json_add_copy(doc, row, members[i], yyjson_obj_get(value, members[i]));
}

static void print_each(const struct run *run, yyjson_mut_doc *doc)
{
    yyjson_mut_val *list = run->json != JSON_NONE ? yyjson_mut_arr(doc) : NULL;
    for (size_t i = 0; i < run->each_count; i++) {
        AUTO_ERROR struct error error = ERROR_INIT;
        struct exchange result;
        bool done = call(run, run->evaluate, run->each[i], &result, &error) == 0, failed = !done || result.answer.failed;
        AUTO_FREE char *plain = without_hints(done ? result.answer.text : error.message);
        AUTO_FREE char *text = failed ? without_head(run->evaluate, plain) : xstrdup(plain);
        size_t len = strcspn(text, "\n");
        if (list != NULL) {
            yyjson_mut_val *row = yyjson_mut_obj(doc);
            json_add_string(doc, row, "expression", run->each[i]);
            if (failed)
                json_add_text(doc, row, "error", text, len);
            else
                add_value(doc, row, &result);
            yyjson_mut_arr_append(list, row);
        } else {
            AUTO_FREE char *line = xasprintf("each %s: %s%.*s\n", run->each[i], failed ? "not evaluated: " : "", (int)len, text);
            command_print(stdout, NULL, line);
        }
        exchange_done(&result);
    }
    if (list != NULL)
        json_add_value(doc, yyjson_mut_doc_get_root(doc), "each", list);
}

/* Without the line that says what the next continue does to the program: it is the run that goes on, not the reader. */
static char *without_warning(const char *text)
{
    static const char *const warnings[] = { "uncaught: the next ", "not caught in the program's own code: the next " };
    AUTO_BUFFER struct buffer kept;
    buffer_init(&kept, SIZE_MAX / 2);
    for (size_t len; *text != '\0'; text += len) {
        len = strcspn(text, "\n");
        len += text[len] == '\n';
        bool warns = false;
        for (size_t i = 0; i < COUNT_OF(warnings); i++)
            warns = warns || strncmp(text, warnings[i], strlen(warnings[i])) == 0;
        if (!warns)
            buffer_append(&kept, text, len);
    }
    return buffer_take(&kept, NULL);
}

static void print_stop(const struct run *run, const struct exchange *result, bool stopped)
{
    AUTO_FREE char *plain = without_hints(result->answer.text);
    AUTO_FREE char *text = without_warning(plain);
    struct answer answer = result->answer;
    answer.text = text;
    answer.text_len = strlen(text);
    yyjson_mut_doc *doc = command_json(run->launch, &answer, run->json == JSON_BOTH);
    if (run->json == JSON_NONE)
        command_print(answer.failed ? stderr : stdout, run->launch, text);
    if (stopped)
        print_each(run, doc);
    AUTO_FREE char *line = json_write(doc, NULL);
    if (run->json != JSON_NONE)
        puts(line);
    yyjson_mut_doc_free(doc);
    fflush(stdout); /* whoever reads a pipe sees each stop when it is there */
}

/* ---- the run ---- */

/* A session that no other run has; however this process ends, it ends with it. */
static int tie(struct run *run, struct error *ret_error)
{
    if (reach_daemon(REACH_START, &run->tie, ret_error) < 0)
        return -1;
    run->session = exchange_begin(run->tie, &(struct request){ .kind = REQUEST_TIE, .session = "run" }, ret_error);
    return run->session != NULL ? 0 : -1;
}

static int launch(struct run *run, struct exchange *ret, struct error *ret_error)
{
    *ret = (struct exchange){ 0 };
    if (tie(run, ret_error) < 0)
        return -1;
    int set = command_functions(run->line, run->session, ret, ret_error);
    if (set != 0)
        return set < 0 ? -1 : 0; /* the refusal is what is shown */
    yyjson_mut_doc *doc = yyjson_doc_mut_copy(run->launch_arguments, NULL);
    json_add_string(doc, yyjson_mut_doc_get_root(doc), "session", run->session);
    yyjson_doc *arguments = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
    int result = command_call(run->launch, yyjson_doc_get_root(arguments), true, ret, ret_error);
    yyjson_doc_free(arguments);
    return result;
}

/* Did the program end well? One that a signal or an exception ended without a status of its own did not. */
static bool ended_well(const struct json *json, bool crashed)
{
    int64_t code = json_int_or(json->root, "exit_code", crashed ? 1 : 0);
    return code == 0;
}

static bool is_crash(const struct json *json)
{
    const char *reason = json_string(json->root, "stop_reason");
    return reason != NULL && (strcmp(reason, "exception") == 0 || strcmp(reason, "signal") == 0);
}

static enum status complain(const struct run *run, const struct error *error)
{
    return command_complain_in(error, run->json);
}

/* Its time is over: where it is, and with which values, says what it was waiting for. */
static void show_where(struct run *run)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_JSON struct json json = { 0 };
    struct exchange result;
    if (call(run, run->pause, NULL, &result, &error) == 0 && !result.answer.failed &&
        strcmp(state_of(&result, &json), "stopped") == 0)
        print_stop(run, &result, true);
    exchange_done(&result);
}

static enum status run_to_the_end(struct run *run)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct exchange result;
    int done = launch(run, &result, &error);
    enum status status = STATUS_DONE;
    bool active = false, enough = false, crashed = false, runs = false;
    for (int64_t stops = 0; done == 0 && !enough;) {
        AUTO_JSON struct json json = { 0 };
        const char *state = state_of(&result, &json);
        bool stopped = strcmp(state, "stopped") == 0 && !result.answer.failed;
        runs = strcmp(state, "running") == 0 && !result.interrupted && !result.answer.failed;
        active = stopped || strcmp(state, "running") == 0 || strcmp(state, "launching") == 0;
        status = result.interrupted ? STATUS_INTERRUPTED : command_status(result.answer.failed, result.answer.kind);
        if (status == STATUS_DONE && !stopped && (active || !ended_well(&json, crashed)))
            status = STATUS_FAILED; /* its time was over, or it failed itself */
        crashed = stopped && is_crash(&json);
        print_stop(run, &result, stopped);
        enough = !stopped || result.interrupted || ++stops == run->stops;
        if (enough)
            break;
        exchange_done(&result);
        done = call(run, run->go_on, NULL, &result, &error);
    }
    exchange_done(&result);
    if (done < 0)
        return complain(run, &error);
    if (runs)
        show_where(run);
    if (active) {
        done = call(run, run->stop, NULL, &result, &error);
        if (done == 0 && run->json == JSON_NONE)
            command_print(stdout, NULL, result.answer.text);
        exchange_done(&result);
    }
    return done < 0 ? complain(run, &error) : status;
}

int run_main(int argc, char **argv)
{
    struct run run = {
        .tie = -1,
        .launch = operation("launch"),
        .go_on = operation("continue"),
        .evaluate = operation("evaluate"),
        .pause = operation("pause"),
        .stop = operation("stop"),
    };
    run.words = xcalloc((size_t)argc + 1, sizeof(*run.words));
    run.each = xcalloc((size_t)argc + 1, sizeof(*run.each));
    AUTO_ERROR struct error error = ERROR_INIT;
    struct command_line line = { 0 };
    enum status status;
    for (char **word = argv + 1; *word != NULL && strcmp(*word, "--") != 0; word++)
        run.json = command_line_json(*word) != JSON_NONE ? command_line_json(*word) : run.json;
    if (read_words(&run, argv + 1, &error) < 0 || command_line_read(&line, run.launch, run.words, &error) < 0) {
        status = complain(&run, &error);
        if (run.json == JSON_NONE)
            fputs("dapple help run shows its words and flags\n", stderr);
    } else if (line.help) {
        char name[] = "help", word[] = "run";
        status = help_main(2, (char *[]){ name, word, NULL }) == 0 ? STATUS_DONE : STATUS_USAGE;
    } else {
        run.line = &line;
        run.launch_arguments = line.arguments;
        status = run_to_the_end(&run);
    }
    command_line_done(&line);
    if (run.tie >= 0)
        close(run.tie);
    free(run.session);
    free(run.words);
    free(run.each);
    return (int)status;
}
