#include "adapter/catalog.h"
#include "base/buffer.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/exchange.h"
#include "cli/help.h"
#include "cli/reach.h"
#include "config/settings.h"
#include "verb/verb.h"
#include "json/json.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SECONDS 2 /* a shell waits for us */

struct completing {
    const char *lead;    /* "--adapter=" before a value that is being typed; "" */
    const char *begins;  /* what there is of the word, or of the value */
    const char *session; /* whose breakpoints and threads it is about; NULL: main */
    bool files;
    struct buffer out;
};

/* ---- what is offered ---- */

/* Profiles and sessions have names that others gave: those that a line cannot carry are left out. */
static bool is_plain(const char *word)
{
    for (; *word != '\0'; word++)
        if ((unsigned char)*word < ' ' || *word == 0x7f)
            return false;
    return true;
}

static void offer(struct completing *completing, const char *word, const char *meaning)
{
    if (strncmp(word, completing->begins, strlen(completing->begins)) != 0 || !is_plain(word))
        return;
    buffer_addf(&completing->out, "%s%s\t", completing->lead, word);
    for (const char *at = meaning; *at != '\0'; at++)
        buffer_addc(&completing->out, *at == '\n' || *at == '\t' ? ' ' : *at);
    buffer_addc(&completing->out, '\n');
}

static void offer_commands(struct completing *completing)
{
    for (const struct help_command *command = help_commands; command->name != NULL; command++)
        offer(completing, command->name, command->summary);
    for (size_t i = 0; i < verb_count; i++)
        offer(completing, verb_table[i].cli.verb, verb_table[i].cli.summary);
}

/* "auto on off": words without a meaning of their own. */
static void offer_each(struct completing *completing, const char *words)
{
    while (*words != '\0') {
        size_t len = strcspn(words, " ");
        AUTO_FREE char *word = xstrndup(words, len);
        offer(completing, word, "");
        words += len + (words[len] == ' ' ? 1 : 0);
    }
}

static void offer_adapters(struct completing *completing, const struct settings *settings)
{
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(settings, &count);
    for (size_t i = 0; i < count; i++)
        offer(completing, adapter_entry_id(adapters[i]), adapter_entry_debugs(adapters[i]));
}

static void offer_profiles(struct completing *completing, const struct settings *settings)
{
    const struct launch_profile *profile;
    for (size_t i = 0; (profile = settings_profile_at(settings, i)) != NULL; i++) {
        AUTO_FREE char *meaning = xasprintf("launch profile, %s", profile->adapter);
        offer(completing, profile->id, meaning);
    }
}

/* ---- what the daemon knows, if there is one ---- */

/* The structured result of an operation that changes nothing; the program's new output waits for whoever reads it. */
static void ask(const struct completing *completing, const char *operation, struct json *ret)
{
    static char who[] = "dapple __complete";
    AUTO_FREE char *folder = getcwd(NULL, 0);
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    if (completing->session != NULL && strcmp(operation, "sessions") != 0)
        json_add_string(doc, root, "session", completing->session);
    yyjson_doc *arguments = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
    struct request request = {
        .kind = REQUEST_CALL,
        .operation = operation,
        .arguments = yyjson_doc_get_root(arguments),
        .structured = true,
        .peeks = true,
        .who = who,
        .folder = folder,
        .environment = environment_in_use(),
    };
    AUTO_ERROR struct error error = ERROR_INIT;
    struct exchange result = { 0 };
    int fd = -1;
    if (folder != NULL && reach_daemon(REACH_ONLY, &fd, &error) == 0 && fd >= 0 && exchange(fd, &request, &result, &error) == 0 &&
        result.answer.structured != NULL)
        json_parse_copy(result.answer.structured, strlen(result.answer.structured), ret, NULL);
    exchange_done(&result);
    yyjson_doc_free(arguments);
}

static void offer_number(struct completing *completing, yyjson_val *row, const char *member, const char *meaning)
{
    AUTO_FREE char *word = xasprintf("%lld", (long long)json_int_or(row, member, 0));
    offer(completing, word, meaning);
}

static const char *text_or(yyjson_val *row, const char *member, const char *otherwise)
{
    const char *text = json_string(row, member);
    return text != NULL ? text : otherwise;
}

static void offer_session(struct completing *completing, yyjson_val *row)
{
    offer(completing, text_or(row, "name", ""), text_or(row, "state", ""));
}

static void offer_breakpoint(struct completing *completing, yyjson_val *row)
{
    const char *path = json_string(row, "file_path"), *condition = json_string(row, "condition");
    AUTO_FREE char *place =
        path != NULL ? xasprintf("%s:%lld", path_name(path), (long long)json_int_or(row, "line", 0))
                     : xasprintf("%s %s", text_or(row, "kind", ""), text_or(row, "function", text_or(row, "exception", "")));
    AUTO_FREE char *meaning = xasprintf("%s%s%s, %s", place, condition != NULL ? " if " : "", condition != NULL ? condition : "",
                                        text_or(row, "state", ""));
    offer_number(completing, row, "number", meaning);
}

static void offer_thread(struct completing *completing, yyjson_val *row)
{
    AUTO_FREE char *meaning = xasprintf("%s, %s", text_or(row, "name", ""), text_or(row, "state", ""));
    offer_number(completing, row, "thread_id", meaning);
}

static void offer_frame(struct completing *completing, yyjson_val *row)
{
    const char *path = text_or(row, "source_path", "");
    AUTO_FREE char *meaning =
        xasprintf("%s at %s:%lld", text_or(row, "name", ""), path_name(path), (long long)json_int_or(row, "line", 0));
    offer_number(completing, row, "id", meaning);
}

static const struct asked {
    const char *argument, *operation, *rows;
    void (*offer)(struct completing *completing, yyjson_val *row);
} asked[] = {
    { "session", "sessions", "sessions", offer_session }, { "number", "breakpoints", "breakpoints", offer_breakpoint },
    { "thread_id", "threads", "threads", offer_thread },  { "thread_ids", "threads", "threads", offer_thread },
    { "frame_id", "stack", "stack_frames", offer_frame },
};

/* False: the daemon knows nothing of such an argument. */
static bool offer_asked(struct completing *completing, const char *argument)
{
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        if (strcmp(asked[i].argument, argument) != 0)
            continue;
        AUTO_JSON struct json answer = { 0 };
        ask(completing, asked[i].operation, &answer);
        size_t index, count;
        yyjson_val *row;
        yyjson_arr_foreach(json_array(answer.root, asked[i].rows), index, count, row)
            asked[i].offer(completing, row);
        return true;
    }
    return false;
}

/* ---- processes ---- */

static bool is_own_process(const char *pid)
{
    AUTO_FREE char *folder = xasprintf("/proc/%s", pid);
    struct stat info;
    return pid[strspn(pid, "0123456789")] == '\0' && stat(folder, &info) == 0 && (info.st_uid == geteuid() || geteuid() == 0);
}

/* Its command line; false for what has none, such as the kernel's own. */
static bool read_command(const char *pid, char *ret, size_t size)
{
    AUTO_FREE char *path = xasprintf("/proc/%s/cmdline", pid);
    FILE *file = fopen(path, "re");
    size_t len = file != NULL ? fread(ret, 1, size - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    while (len > 0 && ret[len - 1] == '\0')
        len--;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)ret[i] < ' ' || ret[i] == 0x7f)
            ret[i] = ' ';
    ret[utf8_cut(ret, len, len < size - 4 ? len : size - 4)] = '\0';
    return len > 0;
}

static void offer_processes(struct completing *completing)
{
    DIR *processes = opendir("/proc");
    char command[80];
    for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;)
        if (isdigit((unsigned char)entry->d_name[0]) && is_own_process(entry->d_name) && atoi(entry->d_name) != getpid() &&
            read_command(entry->d_name, command, sizeof(command)))
            offer(completing, entry->d_name, command);
    if (processes != NULL)
        closedir(processes);
}

/* ---- the value of an argument ---- */

static bool is_file(const struct verb *verb, const char *argument)
{
    const char *const *name = verb->cli.files;
    while (*name != NULL && strcmp(*name, argument) != 0)
        name++;
    return *name != NULL;
}

static void offer_choices(struct completing *completing, yyjson_val *choices)
{
    size_t index, count;
    yyjson_val *choice;
    yyjson_arr_foreach(choices, index, count, choice) {
        if (yyjson_is_str(choice))
            offer(completing, yyjson_get_str(choice), "");
    }
}

static void offer_value(struct completing *completing, const struct verb *verb, const char *argument, yyjson_val *schema)
{
    AUTO_FREE char *folder = getcwd(NULL, 0);
    bool profile = strcmp(argument, "profile") == 0;
    if (offer_asked(completing, argument)) {
        /* that is all that it can be */
    } else if (strcmp(argument, "pid") == 0) {
        offer_processes(completing);
    } else if (profile || strcmp(argument, "adapter") == 0) {
        struct settings *settings = settings_read(folder != NULL ? folder : "/");
        if (profile)
            offer_profiles(completing, settings);
        else
            offer_adapters(completing, settings);
        settings_free(settings);
    } else if (json_array(schema, "enum") != NULL) {
        offer_choices(completing, json_array(schema, "enum"));
    } else if (strcmp(json_string(schema, "type"), "boolean") == 0) {
        offer_each(completing, "true false");
    }
    completing->files = completing->files || is_file(verb, argument);
}

/* ---- the words of an operation ---- */

static void offer_flags(struct completing *completing, const struct verb *verb, yyjson_val *properties)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(properties, index, count, key, value) {
        AUTO_FREE char *flag = command_line_flag(verb, yyjson_get_str(key));
        AUTO_FREE char *meaning = help_flag_meaning(verb, yyjson_get_str(key), value);
        offer(completing, flag, meaning);
    }
    offer(completing, "--json", "the result as JSON");
    offer(completing, "--help", "its flags and examples");
}

/* The argument whose flag is `word`, of `len` bytes, and that takes a value. */
static const char *argument_of(const struct verb *verb, yyjson_val *properties, const char *word, size_t len)
{
    AUTO_FREE char *given = xstrndup(word, len);
    size_t index, count;
    yyjson_val *key, *value;
    if (!command_line_takes_value(verb, given))
        return NULL;
    json_obj_foreach(properties, index, count, key, value) {
        AUTO_FREE char *flag = command_line_flag(verb, yyjson_get_str(key));
        if (strcmp(flag, given) == 0)
            return yyjson_get_str(key);
    }
    return NULL;
}

/* The positional argument that the last of the words is. */
static const char *positional_of(const struct verb *verb, char *const *words, size_t last)
{
    size_t at = 0, count = 0;
    bool flags = true;
    for (size_t i = 0; i < last; i++) {
        if (flags && strcmp(words[i], "--") == 0)
            flags = false;
        else if (flags && strncmp(words[i], "--", 2) == 0)
            i += command_line_takes_value(verb, words[i]) ? 1 : 0;
        else
            at++;
    }
    while (verb->cli.positional[count] != NULL)
        count++;
    return count == 0 ? NULL : verb->cli.positional[at < count ? at : count - 1];
}

static bool ends_flags(char *const *words, size_t last)
{
    for (size_t i = 0; i < last; i++)
        if (strcmp(words[i], "--") == 0)
            return true;
    return false;
}

/* words[last] is the one that is being typed. */
static void complete_operation(struct completing *completing, const struct verb *verb, char **words, size_t last)
{
    yyjson_doc *doc = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    yyjson_val *properties = json_object(yyjson_doc_get_root(doc), "properties");
    char *word = words[last], *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    bool flags = !ends_flags(words, last);
    const char *argument = NULL;
    if (flags && equals != NULL)
        argument = argument_of(verb, properties, word, (size_t)(equals - word));
    else if (flags && last > 0)
        argument = argument_of(verb, properties, words[last - 1], strlen(words[last - 1]));
    AUTO_FREE char *lead = equals != NULL ? xstrndup(word, (size_t)(equals - word) + 1) : xstrdup("");
    if (argument != NULL) {
        completing->lead = lead;
        completing->begins = equals != NULL ? equals + 1 : word;
    } else if (flags && *word == '-') {
        offer_flags(completing, verb, properties);
    } else {
        argument = positional_of(verb, words, last);
    }
    if (argument != NULL)
        offer_value(completing, verb, argument, yyjson_obj_get(properties, argument));
    completing->lead = "";
    yyjson_doc_free(doc);
}

/* ---- the other commands ---- */

static const struct {
    const char *command;
    const char *operation; /* whose flags it takes; NULL */
    const char *flags;     /* its own */
    const char *words;     /* what its first word can be */
    bool files;
} others[] = {
    { "run", "launch", "--each --stops", "", true },
    { "break", "add_breakpoint", "", "list remove clear enable disable", true },
    { "b", "add_breakpoint", "", "list remove clear enable disable", true },
    { "daemon", NULL, "", "status stop", false },
    { "completion", NULL, "", "bash zsh fish", false },
    { "doctor", NULL, "--json --adapter", "", true },
    { "trust", NULL, "--list --remove", "", true },
    { "mcp", NULL, "--tools --structured", "", false },
    { "skill", NULL, "--install --user --force", "", true },
};

static const struct {
    const char *command, *flag, *values;
} other_values[] = {
    { "mcp", "--tools", "core full single" },
    { "mcp", "--structured", "auto on off" },
};

static const struct verb *operation(const char *name)
{
    for (size_t i = 0; name != NULL && i < verb_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

/* Values of the flags that are not an operation's. */
static bool complete_other_value(struct completing *completing, const char *command, const char *flag)
{
    for (size_t i = 0; i < COUNT_OF(other_values); i++) {
        if (strcmp(other_values[i].command, command) != 0 || strcmp(other_values[i].flag, flag) != 0)
            continue;
        offer_each(completing, other_values[i].values);
        return true;
    }
    if (strcmp(command, "doctor") != 0 || strcmp(flag, "--adapter") != 0)
        return false;
    const struct verb *launch = operation("launch");
    offer_value(completing, launch, "adapter", NULL);
    return true;
}

/* "dapple break remove 3": the numbers of those that there are. */
static bool complete_numbers(struct completing *completing, char *const *words, size_t last)
{
    static const char *const forms[] = { "remove", "delete", "enable", "disable" };
    size_t at = 1;
    if (strcmp(words[0], "break") != 0 && strcmp(words[0], "b") != 0)
        return false;
    while (at < last && strncmp(words[at], "--", 2) == 0)
        at += command_line_takes_value(operation("add_breakpoint"), words[at]) ? 2 : 1;
    for (size_t i = 0; at < last && *words[last] != '-' && i < COUNT_OF(forms); i++)
        if (strcmp(words[at], forms[i]) == 0)
            return offer_asked(completing, "number");
    return false;
}

static void complete_other(struct completing *completing, char **words, size_t last)
{
    if (complete_numbers(completing, words, last))
        return;
    if (strcmp(words[0], "help") == 0 && last == 1)
        offer_commands(completing);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (strcmp(others[i].command, words[0]) != 0 || complete_other_value(completing, words[0], words[last - 1]))
            continue;
        const struct verb *verb = operation(others[i].operation);
        if (*words[last] == '-')
            offer_each(completing, others[i].flags);
        else if (last == 1)
            offer_each(completing, others[i].words);
        if (verb != NULL)
            complete_operation(completing, verb, words + 1, last - 1);
        completing->files = completing->files || (others[i].files && *words[last] != '-');
    }
}

/* ---- the whole ---- */

/* bash takes "--adapter=gdb" apart at its sign: "--adapter", "=", "gdb". Returns the new number of the last word. */
static size_t join_equals(char **words, size_t last)
{
    static char nothing[] = "";
    if (last >= 1 && strcmp(words[last], "=") == 0) {
        words[last] = nothing;
    } else if (last >= 2 && strcmp(words[last - 1], "=") == 0) {
        words[last - 1] = words[last];
        last--;
    }
    return last;
}

/* Flags may stand before the command, as in "dapple --session x next". Returns the number of the last word from there on. */
static size_t skip_leading(char ***words, size_t last)
{
    size_t at = 0;
    while (at < last && strncmp((*words)[at], "--", 2) == 0)
        at += strcmp((*words)[at], "--session") == 0 && at + 1 < last ? 2 : 1;
    *words += at;
    return last - at;
}

static const char *session_of(char *const *words, size_t last)
{
    const char *session = getenv("DAPPLE_SESSION");
    for (size_t i = 0; i < last; i++) {
        if (strncmp(words[i], "--session=", 10) == 0)
            session = words[i] + 10;
        else if (strcmp(words[i], "--session") == 0 && i + 1 < last)
            session = words[i + 1 + (i + 2 < last && strcmp(words[i + 1], "=") == 0)];
    }
    return session != NULL && *session != '\0' ? session : NULL;
}

static void leave(int number)
{
    (void)number;
    _exit(1);
}

int complete_main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    signal(SIGALRM, leave);
    alarm(MOST_SECONDS);
    char **words = argv + 1;
    size_t last = join_equals(words, (size_t)argc - 2);
    struct completing completing = { .lead = "", .begins = words[last] };
    buffer_init(&completing.out, LIMIT_RENDERED_BYTES);
    last = skip_leading(&words, last);
    completing.session = session_of(argv + 1, (size_t)argc - 2);
    const struct verb *verb = last > 0 ? command_line_verb(words[0]) : NULL;
    const struct verb_alias *alias = verb != NULL ? command_line_alias(verb, words[0]) : NULL;
    char *flag = alias != NULL ? (char *)alias->flag : NULL;
    if (last == 1 && flag != NULL) /* "dapple until PLACE" */
        words[0] = flag;
    if (last == 0 && words > argv + 1 && strcmp(words[-1], "--session") == 0)
        offer_asked(&completing, "session");
    else if (last == 0 && *words[0] == '-')
        offer_each(&completing, "--session --json --help --version");
    else if (last == 0)
        offer_commands(&completing);
    else if (verb != NULL)
        complete_operation(&completing, verb, words + (words[0] == flag ? 0 : 1), last - (words[0] == flag ? 0 : 1));
    else
        complete_other(&completing, words, last);
    fputs(completing.out.len > 0 ? completing.out.data : "", stdout);
    if (completing.files)
        puts(":files");
    buffer_done(&completing.out);
    return 0;
}
