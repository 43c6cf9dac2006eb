#include "cli/command.h"

#include "base/buffer.h"
#include "base/environment.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/command_line.h"
#include "cli/debugger_words.h"
#include "cli/exchange.h"
#include "cli/help.h"
#include "cli/near_word.h"
#include "cli/reach.h"
#include "cli/words.h"
#include "daemon/home.h"
#include "verb/verb.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- what is said ---- */

enum status command_status(bool failed, enum error_kind kind)
{
    if (!failed)
        return STATUS_DONE;
    switch (kind) {
    case ERROR_ARGUMENT:
        return STATUS_USAGE;
    case ERROR_STATE:
        return STATUS_STATE;
    case ERROR_CONFIG:
    case ERROR_PROTOCOL:
    case ERROR_SPAWN:
    case ERROR_TRANSPORT:
    case ERROR_EXIT:
    case ERROR_TIMEOUT:
        return STATUS_BROKEN;
    case ERROR_NONE:
    case ERROR_REQUEST:
    case ERROR_CANCELLED:
    case ERROR_LIMIT:
        return STATUS_FAILED;
    }
    return STATUS_FAILED;
}

enum status command_complain(const struct error *error)
{
    AUTO_BUFFER struct buffer line, words;
    buffer_init(&line, LIMIT_TEXT_BYTES);
    buffer_init(&words, 2 * LIMIT_TEXT_BYTES);
    utf8_one_line(&line, error->message, strlen(error->message), LIMIT_TEXT_BYTES);
    words_write(&words, NULL, line.data);
    fprintf(stderr, "dapple: %s\n", words.data);
    return error->kind == ERROR_CANCELLED ? STATUS_INTERRUPTED : command_status(true, error->kind);
}

static bool wants_colour(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(out)) == 1 && (no_colour == NULL || *no_colour == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

/* A refusal of the state has the session as JSON behind it, for agents without structured results; here --json gives it. */
static void hide_snapshot(struct buffer *text)
{
    static const char line[] = "\nDebug Session: {";
    const char *found = text->len > 0 ? strstr(text->data, line) : NULL;
    if (found != NULL && strchr(found + 1, '\n') == text->data + text->len - 1)
        buffer_truncate(text, (size_t)(found - text->data) + 1);
}

void command_print(FILE *out, const struct verb *verb, const char *text)
{
    AUTO_BUFFER struct buffer own, coloured;
    buffer_init(&own, LIMIT_RENDERED_BYTES);
    buffer_init(&coloured, LIMIT_RENDERED_BYTES);
    words_write(&own, verb, text);
    hide_snapshot(&own);
    if (wants_colour(out))
        words_colour(&coloured, own.data);
    fputs(coloured.len > 0 ? coloured.data : own.data, out);
}

static yyjson_mut_val *own_words(yyjson_mut_doc *doc, const struct verb *verb, const char *text)
{
    AUTO_BUFFER struct buffer words;
    buffer_init(&words, LIMIT_RENDERED_BYTES);
    words_write(&words, verb, text);
    return json_new_string(doc, words.data, words.len);
}

/* The same of a sentence that stands by itself there, and behind `head` in text: what it names is known by that. */
static yyjson_mut_val *own_sentence(yyjson_mut_doc *doc, const struct verb *verb, const char *head, const char *text)
{
    AUTO_FREE char *line = xasprintf("%s%s", head, text);
    AUTO_BUFFER struct buffer words;
    buffer_init(&words, LIMIT_RENDERED_BYTES);
    words_write(&words, verb, line);
    size_t len = strlen(head); /* in the words of the command line it is as long */
    return words.len < len ? json_new_string(doc, "", 0) : json_new_string(doc, words.data + len, words.len - len);
}

/* What Dapple itself says in a structured result, in the words of the command line. */
static void translate(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct verb *verb)
{
    yyjson_mut_val *error = yyjson_mut_obj_get(root, "error"), *warnings = yyjson_mut_obj_get(root, "warnings");
    if (yyjson_mut_is_str(error))
        yyjson_mut_obj_put(root, yyjson_mut_str(doc, "error"), own_sentence(doc, verb, "Dapple: ", yyjson_mut_get_str(error)));
    for (size_t i = 0; i < yyjson_mut_arr_size(warnings); i++) {
        const char *warning = yyjson_mut_get_str(yyjson_mut_arr_get(warnings, i));
        if (warning != NULL)
            yyjson_mut_arr_replace(warnings, i, own_sentence(doc, verb, "Warning: ", warning));
    }
}

yyjson_mut_doc *command_json(const struct verb *verb, const struct answer *answer, bool with_text)
{
    AUTO_JSON struct json given = { 0 };
    if (answer->structured != NULL)
        json_parse_copy(answer->structured, strlen(answer->structured), &given, NULL);
    yyjson_mut_doc *doc = given.doc != NULL ? yyjson_doc_mut_copy(given.doc, NULL) : json_new_object(NULL);
    yyjson_mut_val *root = yyjson_mut_doc_get_root(doc);
    translate(doc, root, verb);
    if (given.doc == NULL && answer->failed)
        json_add_value(doc, root, "error", own_words(doc, verb, answer->text));
    if (with_text || (given.doc == NULL && !answer->failed))
        json_add_value(doc, root, "text", own_words(doc, verb, answer->text));
    return doc;
}

/* One line, whatever came. */
static void print_json(const struct verb *verb, const struct answer *answer, bool with_text)
{
    yyjson_mut_doc *doc = command_json(verb, answer, with_text);
    AUTO_FREE char *line = json_write(doc, NULL);
    yyjson_mut_doc_free(doc);
    puts(line);
}

static enum status print_answer(const struct verb *verb, const struct exchange *exchange, enum json_mode json)
{
    const struct answer *answer = &exchange->answer;
    if (json != JSON_NONE)
        print_json(verb, answer, json == JSON_BOTH);
    else
        command_print(answer->failed ? stderr : stdout, verb, answer->text);
    bool failed = answer->failed || answer->partial;
    return exchange->interrupted ? STATUS_INTERRUPTED : command_status(failed, answer->failed ? answer->kind : ERROR_NONE);
}

/* ---- operations ---- */

/* A folder that is not UTF-8 cannot be told to an adapter; everything else works there. */
static int check_folder(const struct verb *verb, const char *folder, struct error *ret_error)
{
    if (verb->needs != VERB_NEEDS_INACTIVE || utf8_valid(folder, strlen(folder)))
        return 0;
    return error_set(
        ret_error, ERROR_ARGUMENT,
        "the name of the present folder is not UTF-8, and the Debug Adapter Protocol can carry nothing else: give --cwd, or go "
        "to another folder");
}

int command_call(const struct verb *verb, yyjson_val *arguments, bool structured, struct exchange *ret, struct error *ret_error)
{
    *ret = (struct exchange){ 0 };
    AUTO_FREE char *folder = getcwd(NULL, 0);
    AUTO_FREE char *who = xasprintf("dapple %s", verb->cli.verb);
    if (folder == NULL || *folder != '/')
        return error_set(ret_error, ERROR_ARGUMENT, "the present folder does not exist any more; go to another one");
    struct request request = {
        .kind = REQUEST_CALL,
        .operation = verb->name,
        .arguments = arguments,
        .structured = structured,
        .who = who,
        .folder = folder,
        .environment = environment_in_use(),
    };
    int fd;
    if (check_folder(verb, folder, ret_error) < 0 || reach_daemon(REACH_START, &fd, ret_error) < 0)
        return -1;
    if (exchange(fd, &request, ret, ret_error) < 0)
        return -1;
    if (ret->answer.notice != NULL)
        fprintf(stderr, "dapple: %s\n", ret->answer.notice);
    return 0;
}

/* What has no answer of the daemon's behind it; a script that reads JSON gets it so, too. */
enum status command_complain_in(const struct error *error, enum json_mode json)
{
    if (json == JSON_NONE)
        return command_complain(error);
    print_json(NULL, &(struct answer){ .failed = true, .text = error->message, .text_len = strlen(error->message) },
               json == JSON_BOTH);
    return error->kind == ERROR_CANCELLED ? STATUS_INTERRUPTED : command_status(true, error->kind);
}

enum status command_complain_as(const struct error *error, char *const *flags)
{
    enum json_mode json = JSON_NONE;
    for (; *flags != NULL; flags++)
        json = command_line_json(*flags) != JSON_NONE ? command_line_json(*flags) : json;
    return command_complain_in(error, json);
}

static const struct verb *operation(const char *name)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

static int is_debugging(const char *session, bool *ret, struct error *ret_error)
{
    struct exchange result;
    AUTO_JSON struct json sessions = { 0 };
    if (command_call(operation("sessions"), NULL, true, &result, ret_error) < 0)
        return -1;
    if (result.answer.structured != NULL)
        json_parse_copy(result.answer.structured, strlen(result.answer.structured), &sessions, NULL);
    size_t index, count;
    yyjson_val *row;
    *ret = false;
    yyjson_arr_foreach(json_array(sessions.root, "sessions"), index, count, row) {
        const char *name = json_string(row, "name"), *state = json_string(row, "state");
        *ret = *ret || (name != NULL && state != NULL && strcmp(name, session) == 0 && strcmp(state, "idle") != 0 &&
                        strcmp(state, "terminated") != 0);
    }
    exchange_done(&result);
    return 0;
}

int command_functions(const struct command_line *line, const char *session, struct exchange *ret, struct error *ret_error)
{
    bool debugging = false;
    *ret = (struct exchange){ 0 };
    if (line->functions == NULL)
        return 0;
    if (is_debugging(session, &debugging, ret_error) < 0)
        return -1;
    yyjson_doc *list = yyjson_mut_doc_imut_copy(line->functions, NULL);
    size_t index, count;
    yyjson_val *item;
    int result = 0;
    yyjson_arr_foreach(yyjson_doc_get_root(list), index, count, item) {
        if (debugging || result != 0)
            break;
        yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
        yyjson_mut_val *root = yyjson_val_mut_copy(doc, item);
        yyjson_mut_doc_set_root(doc, root);
        json_add_string(doc, root, "session", session);
        yyjson_doc *arguments = yyjson_mut_doc_imut_copy(doc, NULL);
        result = command_call(operation("add_breakpoint"), yyjson_doc_get_root(arguments), true, ret, ret_error);
        if (result == 0 && ret->answer.failed)
            result = 1;
        else
            exchange_done(ret);
        yyjson_doc_free(arguments);
        yyjson_mut_doc_free(doc);
    }
    yyjson_doc_free(list);
    return result;
}

static enum status call_and_print(const struct verb *verb, const struct command_line *line)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct exchange result;
    enum status status;
    const char *session = json_string(yyjson_doc_get_root(line->arguments), "session");
    int done = command_functions(line, session != NULL ? session : "main", &result, &error);
    if (done == 0)
        done = command_call(verb, yyjson_doc_get_root(line->arguments), line->json != JSON_NONE, &result, &error);
    if (done >= 0)
        status = print_answer(verb, &result, line->json);
    else
        status = command_complain_in(&error, line->json);
    exchange_done(&result);
    return status;
}

/* $DAPPLE_SESSION stands for a --session that is not given: the words with it, heap memory of the caller's. */
static char **with_session(char *const *words)
{
    static char flag[] = "--session";
    char *session = getenv("DAPPLE_SESSION");
    size_t count = 0;
    bool given = session == NULL || *session == '\0';
    for (bool flags = true; words[count] != NULL; count++) {
        flags = flags && strcmp(words[count], "--") != 0;
        given = given || (flags && strncmp(words[count], flag, sizeof(flag) - 1) == 0);
    }
    char **all = xcalloc(count + 3, sizeof(*all));
    size_t used = 0;
    if (!given) {
        all[used++] = flag;
        all[used++] = session;
    }
    memcpy(all + used, words, count * sizeof(*all));
    return all;
}

enum status command_perform(const struct verb *verb, char *const *words)
{
    AUTO_FREE char **all = with_session(words);
    AUTO_ERROR struct error error = ERROR_INIT;
    struct command_line line = { 0 };
    enum status status = STATUS_DONE;
    if (command_line_read(&line, verb, all, &error) < 0) {
        command_complain_in(&error, line.json);
        if (line.json == JSON_NONE)
            fprintf(stderr, "dapple help %s shows its words and flags\n", verb->cli.verb);
        status = STATUS_USAGE;
    } else if (line.help) {
        help_write_verb(stdout, verb);
    } else {
        status = call_and_print(verb, &line);
    }
    command_line_done(&line);
    return status;
}

/* The whole sentence, without "dapple: "; the caller's. */
static char *refusal(const char *word, const char *next)
{
    AUTO_BUFFER struct buffer shown;
    buffer_init(&shown, LIMIT_MESSAGE_BYTES);
    utf8_one_line(&shown, word, strlen(word), LIMIT_NAME_BYTES);
    const char *here = debugger_word(word, next);
    if (here != NULL)
        return xasprintf("there is no command \"%s\"; instead: %s", shown.data, here);
    AUTO_NEAR_WORD struct near_word near;
    near_word_init(&near, word, strlen(word));
    for (size_t i = 0; i < verb_count; i++) {
        near_word_consider(&near, verb_table[i].cli.verb);
        for (const struct verb_alias *alias = verb_table[i].cli.aliases; alias->word != NULL; alias++)
            near_word_consider(&near, alias->word);
    }
    for (const struct help_command *command = help_commands; command->name != NULL; command++)
        near_word_consider(&near, command->name);
    return near.word != NULL
               ? xasprintf("there is no command \"%s\"; did you mean %s? (dapple --help lists them)", shown.data, near.word)
               : xasprintf("there is no command \"%s\" (dapple --help lists them)", shown.data);
}

enum status command_refuse(const char *word, const char *next)
{
    AUTO_FREE char *text = refusal(word, next);
    fprintf(stderr, "dapple: %s\n", text);
    return STATUS_USAGE;
}

/* As JSON where that is asked for. */
static enum status refuse_words(char *const *words)
{
    const char *next = NULL;
    for (char *const *word = words + 1; *word != NULL && next == NULL; word++)
        next = **word != '-' ? *word : NULL;
    AUTO_FREE char *text = refusal(words[0], next);
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_ARGUMENT, "%s", text);
    return command_complain_as(&error, words + 1);
}

int command_main(int argc, char **argv)
{
    const struct verb *verb = command_line_verb(argv[0]);
    if (verb == NULL)
        return (int)refuse_words(argv);
    const struct verb_alias *alias = command_line_alias(verb, argv[0]);
    if (alias == NULL || alias->flag == NULL)
        return (int)command_perform(verb, argv + 1);
    AUTO_FREE char **words = xcalloc((size_t)argc + 2, sizeof(*words));
    AUTO_FREE char *flag = xstrdup(alias->flag);
    size_t before = 0; /* flags that stood before the command: they stay in front */
    memcpy(words, argv + 1, (size_t)argc * sizeof(*words));
    while (words[before] != NULL && strncmp(words[before], "--", 2) == 0 && strcmp(words[before], "--help") != 0)
        before += command_line_takes_value(verb, words[before]) && words[before + 1] != NULL ? 2 : 1;
    if (words[before] == NULL || strcmp(words[before], "--help") != 0) {
        memmove(words + before + 1, words + before, ((size_t)argc - before) * sizeof(*words));
        words[before] = flag;
    }
    return (int)command_perform(verb, words);
}

/* ---- the daemon ---- */

static enum status ask_daemon(enum request_kind kind)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    int fd;
    struct exchange result = { 0 };
    if (reach_daemon(REACH_ONLY, &fd, &error) < 0)
        return command_complain(&error);
    if (fd < 0) {
        puts("There is no daemon.");
        return STATUS_DONE;
    }
    int failed = exchange(fd, &(struct request){ .kind = kind }, &result, &error);
    enum status status = failed < 0 ? command_complain(&error) : print_answer(NULL, &result, JSON_NONE);
    exchange_done(&result);
    return status;
}

int daemon_command_main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "stop") == 0)
        return (int)ask_daemon(REQUEST_STOP);
    if (argc == 2 && strcmp(argv[1], "status") == 0)
        return (int)ask_daemon(REQUEST_LOOK);
    fputs("usage: dapple daemon status | stop\n", stderr);
    return STATUS_USAGE;
}

int log_main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fputs("usage: dapple log\n", stderr);
        return STATUS_USAGE;
    }
    char *folders[DAEMON_HOMES];
    size_t count = daemon_home_candidates(folders), shown = 0;
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *folder = folders[i];
        struct daemon_home home = { 0 };
        FILE *log = daemon_home_open(&home, folder, NULL) == 0 ? fopen(home.log, "re") : NULL;
        char bytes[4096];
        for (size_t got; log != NULL && (got = fread(bytes, 1, sizeof(bytes), log)) > 0; shown++)
            fwrite(bytes, 1, got, stdout);
        if (log != NULL)
            fclose(log);
        daemon_home_done(&home);
    }
    if (shown == 0)
        puts("There is no log: no daemon has run.");
    return STATUS_DONE;
}
