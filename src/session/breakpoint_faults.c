/* What is wrong with a condition, where that shows only when the program comes to its breakpoint. Most adapters stop the program then and
 * say why in words of their own, some only stop it: neither is a plain hit, an exception of the program's or its output. */
#include "session/breakpoints.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

#define CHECKED_BREAKPOINTS 16

void breakpoint_say_failed(struct session *session, const struct breakpoint_list *list, size_t index)
{
    const struct desired_breakpoint *desired = &list->desired[index];
    AUTO_FREE char *place = breakpoint_place(list->path, desired);
    session_notice(session, "breakpoint %" PRId64 ", %s%s%s, was not set: %s", desired->number, place,
                   desired->condition != NULL ? " if " : "", desired->condition != NULL ? desired->condition : "",
                   list->bound[index].message);
}

/* ---- what was told ---- */

static void say(struct session *session, struct breakpoint_list *list, size_t index)
{
    struct breakpoint_counts *counts = &list->bound[index].counts;
    const struct desired_breakpoint *desired = &list->desired[index];
    AUTO_FREE char *place = breakpoint_place(list->path, desired);
    counts->fault_told = false;
    counts->faulty_stop = session->stop.number;
    session_notice(session,
                   "stopped at breakpoint %" PRId64 " (%s) since its condition %s could not be evaluated: %s; another condition at "
                   "the same place replaces it",
                   desired->number, place, desired->condition, counts->fault);
}

static bool is_hit(const struct session *session, int64_t number)
{
    const struct stop *stop = &session->stop;
    for (size_t i = 0; session->has_stop && stop->settled && i < stop->number_count; i++)
        if (stop->hit_numbers[i] == number)
            return true;
    return false;
}

static void fault(struct session *session, struct breakpoint_list *list, size_t index, const char *why, size_t len)
{
    struct breakpoint_counts *counts = &list->bound[index].counts;
    if (session->has_stop && session->stop.settled && counts->faulty_stop == session->stop.number)
        return; /* told in another way, too */
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, sizeof(counts->fault));
    len -= len > 1 && why[len - 1] == '.' && why[len - 2] != '.' ? 1 : 0; /* a sentence; ours goes on */
    utf8_one_line(&line, why, len, sizeof(counts->fault) - 1);
    memcpy(counts->fault, line.data, line.len + 1);
    counts->faults += counts->fault_told ? 0 : 1; /* the same one may be told in words and found at the stop */
    counts->fault_told = true;
    if (is_hit(session, list->desired[index].number)) /* the words came behind the stop */
        say(session, list, index);
}

void breakpoint_row_fault(struct session *session, const struct breakpoint_row *row, const char *why)
{
    fault(session, row->list, (size_t)(row->desired - row->list->desired), why, strlen(why));
}

static bool fault_of_stop(struct target *target, const char *why, size_t len);

void breakpoint_faults_on_stop(struct session *session)
{
    const struct stop *stop = &session->stop;
    char *words = session->focus->condition_words;
    session->focus->condition_words = NULL;
    if (words != NULL)
        fault_of_stop(session->focus, words, strlen(words));
    free(words);
    for (size_t i = 0; i < session->list_count; i++)
        for (size_t k = 0; k < session->lists[i].count; k++)
            for (size_t n = 0; n < stop->number_count; n++)
                if (session->lists[i].bound[k].counts.fault_told && session->lists[i].desired[k].number == stop->hit_numbers[n])
                    say(session, &session->lists[i], k);
}

/* ---- in the words of adapters ---- */

static bool is_asked(const struct desired_breakpoint *desired)
{
    return desired->condition != NULL && !desired->disabled;
}

/* All that have this condition: what the adapter says of one is true of the others in the same frame. True: there is one. */
static bool fault_by_condition(struct session *session, const char *condition, size_t condition_len, const char *why, size_t len)
{
    bool found = false;
    for (size_t i = 0; i < session->list_count; i++) {
        struct breakpoint_list *list = &session->lists[i];
        for (size_t k = 0; k < list->count; k++) {
            if (!is_asked(&list->desired[k]) || strlen(list->desired[k].condition) != condition_len ||
                memcmp(list->desired[k].condition, condition, condition_len) != 0)
                continue;
            fault(session, list, k, why, len);
            found = true;
        }
    }
    return found;
}

/* "Traceback …\n  …\nNameError: name 'n' is not defined\n\n" */
static bool python_words(struct session *session, const char *text)
{
    static const char words[] = "pydevd: Error while evaluating expression in conditional breakpoint: ";
    if (strncmp(text, words, sizeof(words) - 1) != 0)
        return false;
    const char *condition = text + sizeof(words) - 1;
    const char *trace = strstr(condition, "\nTraceback (most recent call last):");
    const char *file = strstr(condition, "\n  File \"<string>\"");
    if (trace == NULL || (file != NULL && file < trace)) /* of a syntax error */
        trace = file;
    if (trace == NULL)
        return false;
    size_t len = strlen(trace);
    while (len > 0 && strchr(" \n", trace[len - 1]) != NULL)
        len--;
    const char *last = trace + len;
    while (last > trace && last[-1] != '\n')
        last--;
    return fault_by_condition(session, condition, (size_t)(trace - condition), last, (size_t)(trace + len - last));
}

/* "error: <user expression 0>:1:1: use of undeclared identifier 'n'\n    1 | n\n" */
static const char *lldb_reason(const char *text, size_t *ret_len)
{
    static const char error[] = "error: ", where[] = "<user expression ";
    const char *found = strstr(text, error);
    text = found != NULL ? found + sizeof(error) - 1 : text;
    if (strncmp(text, where, sizeof(where) - 1) == 0) {
        const char *colon = strstr(text, ": ");
        text = colon != NULL ? colon + 2 : text;
    }
    *ret_len = strcspn(text, "\n");
    return text;
}

static bool lldb_words(struct session *session, const char *text)
{
    static const char words[] = "error: stopped due to an error evaluating condition of breakpoint ";
    if (strncmp(text, words, sizeof(words) - 1) != 0)
        return false;
    const char *quote = strchr(text, '"'), *end = quote == NULL ? NULL : strstr(quote + 1, "\"\n");
    if (end == NULL)
        return false;
    size_t len;
    const char *why = lldb_reason(end + 2, &len);
    return fault_by_condition(session, quote + 1, (size_t)(end - quote - 1), why, len);
}

/* Of those that stopped the program. */
static bool fault_of_stop(struct target *target, const char *why, size_t len)
{
    struct session *session = target->session;
    bool found = false;
    if (!session->has_stop || session->focus != target)
        return false;
    for (size_t i = 0; i < session->list_count; i++) {
        struct breakpoint_list *list = &session->lists[i];
        for (size_t k = 0; k < list->count; k++) {
            bool hit = is_hit(session, list->desired[k].number);
            for (size_t n = 0; n < session->stop.hit_count && !hit; n++)
                hit = breakpoint_find_bound(target, session->stop.hit_ids[n]) == &list->bound[k];
            if (!hit || !is_asked(&list->desired[k]))
                continue;
            fault(session, list, k, why, len);
            found = true;
        }
    }
    return found;
}

/* js-debug says what is wrong, and neither of which nor where, and says it behind the stop or before. */
static bool js_words(struct target *target, const char *text, yyjson_val *body)
{
    static const char words[] = "Breakpoint condition error: ", code[] = "<eval>/";
    const char *path = json_string(json_object(body, "source"), "path");
    if (strncmp(text, words, sizeof(words) - 1) != 0 || path == NULL || strncmp(path, code, sizeof(code) - 1) != 0)
        return false;
    const char *why = text + sizeof(words) - 1;
    size_t len = strcspn(why, "\n");
    if (!fault_of_stop(target, why, len)) {
        free(target->condition_words);
        target->condition_words = xstrndup(why, len);
    }
    return true;
}

/* js-debug's, of a condition or log message that is no JavaScript: "with condition {0} on line 30: Unexpected token", where a log message has
 * no words of its own. Nothing else tells why this one is never bound. */
static bool js_syntax_words(struct session *session, const char *text)
{
    static const char words[] = "Syntax error setting breakpoint with condition ";
    if (strncmp(text, words, sizeof(words) - 1) != 0)
        return false;
    for (size_t i = 0; i < session->list_count; i++) {
        struct breakpoint_list *list = &session->lists[i];
        for (size_t k = 0; k < list->count; k++) {
            const struct desired_breakpoint *desired = &list->desired[k];
            bool log = desired->condition == NULL && desired->log_message != NULL;
            AUTO_FREE char *line =
                xasprintf(" on line %" PRId64 ": ", desired->kind == BREAKPOINT_FUNCTION ? desired->place_line : desired->line);
            const char *why = strstr(text, line);
            if (why == NULL || desired->disabled || (!log && !is_asked(desired)) ||
                (!log && strstr(text, desired->condition) == NULL))
                continue;
            why += strlen(line);
            bool again = list->bound[k].state == BREAKPOINT_FAILED;
            AUTO_FREE char *reason =
                xasprintf("its %s is no JavaScript: %.*s", log ? "log message" : "condition", (int)strcspn(why, "\n"), why);
            breakpoint_fail(&list->bound[k], reason);
            if (!again)
                breakpoint_say_failed(session, list, k);
            return true;
        }
    }
    return false;
}

bool breakpoint_fault_in_words(struct target *target, const char *category, const char *text, yyjson_val *body)
{
    struct session *session = target->session;
    if (category != NULL && strcmp(category, "stdout") == 0)
        return false;
    if (category != NULL && strcmp(category, "stderr") == 0) {
        if (session_quirk(session, QUIRK_TELLS_BAD_CONDITIONS))
            return js_words(target, text, body) || js_syntax_words(session, text);
        return session_quirk(session, QUIRK_TALKS_ON_STDERR) && lldb_words(session, text);
    }
    return python_words(session, text) || lldb_words(session, text);
}

/* ---- dlv stops for an exception then ---- */

/* Those that stand where the program stands. */
static bool fault_at_place(struct session *session, const char *why)
{
    struct stop *stop = &session->stop;
    bool found = false;
    for (size_t i = 0; i < session->list_count && stop->frame_count > 0; i++) {
        struct breakpoint_list *list = &session->lists[i];
        for (size_t k = 0; k < list->count; k++) {
            if (!is_asked(&list->desired[k]) || !breakpoint_stands_at(list, k, &stop->frames[0]))
                continue;
            fault(session, list, k, why, strlen(why));
            found = true;
        }
    }
    return found;
}

static void name_undecided(struct session *session)
{
    static const char one[] = "error evaluating expression: ", more[] = "multiple errors evaluating conditions";
    struct stop *stop = &session->stop;
    bool is_one = stop->text != NULL && strncmp(stop->text, one, sizeof(one) - 1) == 0;
    bool is_more = stop->text != NULL && strcmp(stop->text, more) == 0;
    if (strcmp(stop->reason, "exception") != 0 || (!is_one && !is_more) ||
        !fault_at_place(session, is_one ? stop->text + sizeof(one) - 1 : "several threads came to it, and it failed in each"))
        return;
    xreplace(&stop->reason, "breakpoint");
    xreplace(&stop->description, NULL);
    xreplace(&stop->text, NULL);
}

/* ---- gdb only stops: the condition is evaluated once more, in the context that changes nothing ---- */

/* The context keeps to itself what might change something, and says so; that is no fault of the condition's. */
static bool is_kept_back(const char *message)
{
    return strstr(message, "may-call-functions") != NULL || strstr(message, "is not allowed") != NULL ||
           strstr(message, "ide-effect") != NULL;
}

/* The number-th of those that were hit and have a condition that the adapter decides about. */
static bool find_decided(struct session *session, size_t number, struct breakpoint_row *ret)
{
    struct breakpoint_row rows[CHECKED_BREAKPOINTS];
    size_t count = breakpoints_hit(session->focus, &session->stop, rows, CHECKED_BREAKPOINTS);
    if (count == 0 && strcmp(session->stop.reason, "breakpoint") == 0) /* it names none */
        count = breakpoints_at(session->focus, &session->stop.frames[0], rows, CHECKED_BREAKPOINTS);
    for (size_t i = 0; i < count; i++) {
        bool decided = rows[i].desired->condition != NULL && (rows[i].emulated & EMULATED_CONDITION) == 0;
        if (!decided || number-- > 0)
            continue;
        *ret = rows[i];
        return true;
    }
    return false;
}

static void take_kept(struct session *session, const struct breakpoint_row *row, const char *value)
{
    AUTO_FREE char *why = condition_kept_text(value);
    if (why != NULL)
        breakpoint_row_fault(session, row, why);
}

static void on_checked(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    if (session->frames_request == 0 || answer->outcome == DAP_CANCELLED ||
        (answer->outcome == DAP_CLOSED && dap_connection_ended(session->focus->connection)))
        return; /* nobody waits for this stop any more */
    struct breakpoint_row row;
    bool found = find_decided(session, session->stop.conditions_checked++, &row);
    if (found && condition_kept_failure(session) != NULL && answer->outcome == DAP_OK)
        take_kept(session, &row, json_string(answer->body, "result"));
    else if (found && answer->outcome == DAP_REFUSED && !is_kept_back(answer->message))
        breakpoint_row_fault(session, &row, answer->message);
    stop_settle(session);
}

bool breakpoint_faults_hold(struct session *session)
{
    struct breakpoint_row row;
    if (session_quirk(session, QUIRK_CONDITION_AS_EXCEPTION))
        name_undecided(session);
    const char *kept = condition_kept_failure(session);
    if ((!session_quirk(session, QUIRK_STOPS_UNDECIDED) && kept == NULL) || session->stop.frame_count == 0 ||
        !find_decided(session, session->stop.conditions_checked, &row))
        return false;
    while (row.bound->counts.fault_told) /* the adapter has said so itself */
        if (!find_decided(session, ++session->stop.conditions_checked, &row))
            return false;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "expression", kept != NULL ? kept : row.desired->condition);
    json_add_int(doc, arguments, "frameId", session->stop.frames[0].adapter_id);
    json_add_string(doc, arguments, "context", kept != NULL ? "watch" : "hover");
    session->frames_request = -1;
    int64_t request = target_request(session->focus, "evaluate", doc, session->timeouts.request, on_checked, session);
    if (session->frames_request == -1)
        session->frames_request = request;
    return true;
}
