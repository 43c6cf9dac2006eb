#include "adapter/function_place.h"

#include "adapter/file_text.h"
#include "adapter/string_list.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <regex.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST_SOURCE (1024u * 1024)
#define LONGEST_NAME 200
#define MOST_FILES 1000
#define MOST_FOLDERS 200
#define MOST_BYTES (16u * 1024 * 1024)
#define CANDIDATES_SHOWN 5

/* ---- languages ---- */

enum body_begins { BEHIND_COLON, BEHIND_BRACE, ON_NEXT_LINE };

struct grammar {
    const char *extensions; /* each between blanks */
    const char *definition; /* extended regular expression; NAME stands for the function's */
    const char *container;  /* what holds methods; its name is the last group */
    enum body_begins begins;
    const char *comments; /* beginnings of lines that are none of code, each between blanks */
    bool docstrings;
};

#define BLANKS "[[:blank:]]*"
#define BLANK "[[:blank:]]+"

static const struct grammar grammars[] = {
    { " .py .pyw ", "^" BLANKS "(async" BLANK ")?def" BLANK "NAME" BLANKS "[[(]", "^" BLANKS "class" BLANK "([A-Za-z0-9_]+)",
      BEHIND_COLON, " # ", true },
    { " .js .mjs .cjs .jsx .ts .mts .cts .tsx ",
      "^" BLANKS "(export" BLANK ")?(default" BLANK ")?(async" BLANK ")?function" BLANKS "[*]?" BLANKS "NAME" BLANKS "[<(]|"
      "^" BLANKS "(export" BLANK ")?(const|let|var)" BLANK "NAME" BLANKS "(:[^=]*)?=" BLANKS "(async" BLANKS
      ")?(function|[(]|[A-Za-z_$][A-Za-z0-9_$]*" BLANKS "=>)|"
      "^" BLANKS "([A-Za-z0-9_$.]+[.])?NAME" BLANKS "[:=]" BLANKS "(async" BLANKS ")?(function|[(][^)]*[)]" BLANKS "=>)|"
      "^" BLANKS "((public|private|protected|static|async|override|get|set)" BLANK ")*[*]?" BLANKS "NAME" BLANKS
      "(<[^>]*>)?[(][^;]*[{]" BLANKS "$",
      "^" BLANKS "(export" BLANK ")?(default" BLANK ")?(abstract" BLANK ")?class" BLANK "([A-Za-z0-9_$]+)", BEHIND_BRACE,
      " // /* * ", false },
    { " .rb ",
      "^" BLANKS "((private|public|protected|memoize)" BLANK ")?def" BLANK "(self[.]|[A-Z][A-Za-z0-9_]*[.])?NAME([[:blank:](;=]|$)",
      "^" BLANKS "(class|module)" BLANK "([A-Za-z0-9_:]+)", ON_NEXT_LINE, " # ", false },
    { " .pl .pm .t ", "^" BLANKS "sub" BLANK "([A-Za-z0-9_]+::)*NAME([[:blank:]({]|$)",
      "^" BLANKS "package" BLANK "([A-Za-z0-9_:]+)", BEHIND_BRACE, " # = ", false },
    { " .php ", "^" BLANKS "((public|private|protected|static|final|abstract)" BLANK ")*function" BLANK "&?NAME" BLANKS "[(]",
      "^" BLANKS "((final|abstract)" BLANK ")*(class|trait)" BLANK "([A-Za-z0-9_]+)", BEHIND_BRACE, " // # /* * ", false },
    { " .go ", "^func" BLANK "([(][^)]*[)]" BLANKS ")?NAME" BLANKS "[[(]", NULL, BEHIND_BRACE, " // /* * ", false },
    { " .lua ", "^" BLANKS "(local" BLANK ")?function" BLANK "([A-Za-z0-9_]+[.:])*NAME" BLANKS "[(]", NULL, ON_NEXT_LINE, " -- ",
      false },
    { " .sh .bash ", "^" BLANKS "(function" BLANK "NAME([[:blank:](]|$)|NAME" BLANKS "[(]" BLANKS "[)])", NULL, BEHIND_BRACE, " # ",
      false },
};

static const struct grammar *grammar_of(const char *path)
{
    AUTO_FREE char *word = xasprintf(" %s ", path_extension(path));
    for (size_t i = 0; i < COUNT_OF(grammars) && word[2] != ' '; i++)
        if (strstr(grammars[i].extensions, word) != NULL)
            return &grammars[i];
    return NULL;
}

/* ---- what is looked for ---- */

struct wanted {
    const struct grammar *grammar;
    const char *name;
    char *holder; /* the class, module or package that is named before it; NULL */
    regex_t definition, container;
    struct string_list paths; /* of what was found, in order */
    int64_t lines[CANDIDATES_SHOWN];
    size_t count; /* all that there are */
    size_t files, folders, bytes;
    bool cut;
};

/* "A::B.method" is `method` of A::B. */
static const char *last_part(const char *name)
{
    const char *last = name;
    for (const char *at = name; *at != '\0'; at++)
        if (strchr(".#:", *at) != NULL && at[1] != '\0' && strchr(".#:", at[1]) == NULL)
            last = at + 1;
    return last;
}

static int name_fault(const char *name, struct error *ret_error)
{
    size_t len = strlen(name);
    bool plain = len > 0 && len <= LONGEST_NAME &&
                 strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.#:?!-") == len;
    return plain ? 0 : error_set(ret_error, ERROR_REQUEST, "\"%.100s\" is no name of a function", name);
}

static void add_escaped(struct buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (!isalnum((unsigned char)*text) && *text != '_')
            buffer_addc(out, '\\');
        buffer_addc(out, *text);
    }
}

static bool compile(regex_t *regex, const char *pattern, const char *name)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, 64u * 1024);
    for (const char *at = pattern; *at != '\0';) {
        const char *hole = strstr(at, "NAME");
        buffer_append(&text, at, hole == NULL ? strlen(at) : (size_t)(hole - at));
        if (hole == NULL)
            break;
        add_escaped(&text, name);
        at = hole + 4;
    }
    return regcomp(regex, text.data, REG_EXTENDED) == 0;
}

static bool wanted_begin(struct wanted *wanted, const struct grammar *grammar, const char *name)
{
    const char *last = last_part(name);
    *wanted = (struct wanted){ .grammar = grammar, .name = name };
    if (!compile(&wanted->definition, grammar->definition, last))
        return false;
    if (!compile(&wanted->container, grammar->container != NULL ? grammar->container : "^$", last)) {
        regfree(&wanted->definition);
        return false;
    }
    if (last > name) {
        size_t len = (size_t)(last - name);
        while (len > 0 && strchr(".#:", name[len - 1]) != NULL)
            len--;
        wanted->holder = xstrndup(name, len);
    }
    return true;
}

static void wanted_done(struct wanted *wanted)
{
    regfree(&wanted->definition);
    regfree(&wanted->container);
    free(wanted->holder);
    string_list_done(&wanted->paths);
}

/* ---- one file ---- */

struct lines {
    char **items; /* without their ends */
    size_t count, cap;
};

static struct lines split(char *text)
{
    struct lines lines = { 0 };
    for (char *at = text; at != NULL;) {
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end = '\0';
        size_t len = strlen(at);
        if (len > 0 && at[len - 1] == '\r')
            at[len - 1] = '\0';
        lines.items = xgrow(lines.items, &lines.cap, lines.count + 1, sizeof(*lines.items));
        lines.items[lines.count++] = at;
        at = end == NULL ? NULL : end + 1;
    }
    return lines;
}

static const char *skip_blanks(const char *line)
{
    return line + strspn(line, " \t");
}

static bool is_comment(const struct grammar *grammar, const char *line)
{
    for (const char *at = grammar->comments; *at != '\0';) {
        size_t len = strcspn(at + 1, " ");
        if (len > 0 && strncmp(line, at + 1, len) == 0)
            return true;
        at += 1 + len;
        if (at[1] == '\0')
            break;
    }
    return false;
}

/* Behind the text of a string that begins here; `at` moves over its lines. NULL: the file ends in it. */
static const char *behind_string(const struct lines *lines, size_t *at, const char *text)
{
    char mark[4] = { text[0], '\0' };
    if (text[1] == text[0] && text[2] == text[0])
        mark[1] = mark[2] = text[0];
    text += strlen(mark);
    const char *end;
    while ((end = strstr(text, mark)) == NULL && mark[1] != '\0' && *at + 1 < lines->count)
        text = lines->items[++*at];
    return end == NULL ? NULL : end + strlen(mark);
}

/* The signature may go over several lines. Returns what stands behind its end; `at` is the line of that. */
static const char *behind_signature(const struct grammar *grammar, const struct lines *lines, size_t *at)
{
    char opener = grammar->begins == BEHIND_COLON ? ':' : '{';
    int depth = 0;
    if (grammar->begins == ON_NEXT_LINE) {
        for (; *at < lines->count; ++*at) {
            for (const char *text = lines->items[*at]; *text != '\0'; text++)
                depth += (*text == '(') - (*text == ')');
            if (depth <= 0)
                return "";
        }
        return NULL;
    }
    for (; *at < lines->count; ++*at) {
        for (const char *text = lines->items[*at]; *text != '\0'; text++) {
            depth += strchr("([", *text) != NULL;
            depth -= strchr(")]", *text) != NULL;
            if (depth == 0 && *text == opener)
                return text + 1;
        }
    }
    return NULL;
}

/* An arrow function may have its body in the line, without a brace, and a method of Ruby without an `end` of its own line. */
static bool is_one_line(const struct grammar *grammar, const char *line)
{
    if (grammar->begins == ON_NEXT_LINE)
        return strchr(line, ';') != NULL || strstr(line, ") = ") != NULL;
    const char *arrow = grammar->begins == BEHIND_BRACE ? strstr(line, "=>") : NULL;
    arrow = arrow == NULL ? NULL : skip_blanks(arrow + 2);
    return arrow != NULL && *arrow != '\0' && *arrow != '{';
}

/* The first line of code of the function that is defined in line `at`; 0: it has none. */
static int64_t body_line(const struct grammar *grammar, const struct lines *lines, size_t at)
{
    if (is_one_line(grammar, lines->items[at]))
        return (int64_t)at + 1;
    const char *rest = behind_signature(grammar, lines, &at);
    bool documented = false;
    while (rest != NULL) {
        const char *text = skip_blanks(rest);
        bool quoted = grammar->docstrings && !documented && (*text == '"' || *text == '\'');
        if (quoted) {
            documented = true;
            rest = behind_string(lines, &at, text);
            continue;
        }
        if (*text != '\0' && *text != ';' && !is_comment(grammar, text))
            return (int64_t)at + 1;
        rest = at + 1 < lines->count ? lines->items[++at] : NULL;
    }
    return 0;
}

static bool is_holder(const struct wanted *wanted, const char *line)
{
    regmatch_t groups[8];
    if (regexec(&wanted->container, line, COUNT_OF(groups), groups, 0) != 0)
        return false;
    size_t last = COUNT_OF(groups) - 1;
    while (last > 0 && groups[last].rm_so < 0)
        last--;
    const char *name = line + groups[last].rm_so;
    size_t len = (size_t)(groups[last].rm_eo - groups[last].rm_so), holder = strlen(wanted->holder);
    /* Nested ones may be named in full or by the last name alone. */
    return holder >= len && memcmp(wanted->holder + holder - len, name, len) == 0;
}

static size_t depth_of(const char *line)
{
    return (size_t)(skip_blanks(line) - line);
}

/* Is the nearest holder around line `at` the one that was named? */
static bool is_held(const struct wanted *wanted, const struct lines *lines, size_t at)
{
    bool indented = wanted->grammar->begins != BEHIND_BRACE || strstr(wanted->grammar->extensions, ".pl ") == NULL;
    if (wanted->holder == NULL)
        return true;
    for (size_t i = at; i-- > 0;) {
        if (regexec(&wanted->container, lines->items[i], 0, NULL, 0) != 0)
            continue;
        if (!indented || depth_of(lines->items[i]) < depth_of(lines->items[at]))
            return is_holder(wanted, lines->items[i]);
    }
    return false;
}

/* "X.prototype.name = function", "sub Package::name": the holder stands in the line. */
static bool names_holder(const struct wanted *wanted, const char *line)
{
    return wanted->holder != NULL && strstr(line, wanted->holder) != NULL;
}

static void search_file(struct wanted *wanted, const char *path)
{
    AUTO_FREE char *text = file_beginning(path, LONGEST_SOURCE);
    if (text == NULL)
        return;
    wanted->files++;
    wanted->bytes += strlen(text);
    struct lines lines = split(text);
    for (size_t i = 0; i < lines.count; i++) {
        if (regexec(&wanted->definition, lines.items[i], 0, NULL, 0) != 0)
            continue;
        int64_t line =
            is_held(wanted, &lines, i) || names_holder(wanted, lines.items[i]) ? body_line(wanted->grammar, &lines, i) : 0;
        if (line == 0)
            continue;
        if (wanted->count < CANDIDATES_SHOWN) {
            string_list_add(&wanted->paths, path);
            wanted->lines[wanted->count] = line;
        }
        wanted->count++;
    }
    free(lines.items);
}

/* ---- the others ---- */

static bool is_left_out(const char *name)
{
    static const char *const folders[] = { "node_modules", "vendor", "__pycache__", "site-packages", "venv", "dist", "build" };
    bool out = name[0] == '.';
    for (size_t i = 0; i < COUNT_OF(folders) && !out; i++)
        out = strcmp(folders[i], name) == 0;
    return out;
}

static bool is_full(struct wanted *wanted)
{
    bool full = wanted->files >= MOST_FILES || wanted->folders >= MOST_FOLDERS || wanted->bytes >= MOST_BYTES;
    wanted->cut = wanted->cut || full;
    return full;
}

static void search_folder(struct wanted *wanted, const char *folder, const char *but, int depth)
{
    struct dirent **entries = NULL;
    int count = depth > 6 || is_full(wanted) ? 0 : scandir(folder, &entries, NULL, alphasort);
    wanted->folders++;
    for (int i = 0; i < count; i++) {
        AUTO_FREE char *path = path_join(folder, entries[i]->d_name);
        if (!is_left_out(entries[i]->d_name) && !is_full(wanted)) {
            if (path_is_folder(path) && entries[i]->d_type != DT_LNK)
                search_folder(wanted, path, but, depth + 1);
            else if (grammar_of(path) == wanted->grammar && strcmp(path, but) != 0)
                search_file(wanted, path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* ---- the answer ---- */

static const char advice[] = "give the file and the line of it instead";

static int several(const struct wanted *wanted, struct error *ret_error)
{
    AUTO_BUFFER struct buffer list;
    buffer_init(&list, 4096);
    for (size_t i = 0; i < wanted->paths.count; i++)
        buffer_addf(&list, "%s%s:%" PRId64, i > 0 ? ", " : "", wanted->paths.items[i], wanted->lines[i]);
    return error_set(ret_error, ERROR_REQUEST, "%zu functions are named %s (%s%s): give one's file and line instead", wanted->count,
                     wanted->name, list.data, wanted->count > wanted->paths.count ? ", …" : "");
}

static int answer(const struct wanted *wanted, const char *program, char **ret_path, int64_t *ret_line, struct error *ret_error)
{
    if (wanted->count > 1)
        return several(wanted, ret_error);
    if (wanted->count == 0)
        return error_set(ret_error, ERROR_REQUEST, "no function %s is in %s or in the %zu files looked at around it: %s",
                         wanted->name, program, wanted->files, advice);
    *ret_path = xstrdup(wanted->paths.items[0]);
    *ret_line = wanted->lines[0];
    return 0;
}

int function_place_find(const char *program, const char *name, char **ret_path, int64_t *ret_line, struct error *ret_error)
{
    struct wanted wanted;
    if (name_fault(name, ret_error) < 0)
        return -1;
    const struct grammar *grammar = program == NULL ? NULL : grammar_of(program);
    if (grammar == NULL || !wanted_begin(&wanted, grammar, name))
        return error_set(ret_error, ERROR_REQUEST, "where %s begins cannot be found out for such a program: %s", name, advice);
    AUTO_FREE char *folder = path_folder(program);
    search_file(&wanted, program);
    if (wanted.count == 0)
        search_folder(&wanted, folder, program, 0);
    int result = answer(&wanted, program, ret_path, ret_line, ret_error);
    wanted_done(&wanted);
    return result;
}
