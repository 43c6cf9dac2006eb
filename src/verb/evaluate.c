/* dap_evaluate: expressions in a frame, one after the other. The context is "watch" unless the call says otherwise: in several adapters
 * "repl" is a debugger's command line.
 *
 * An evaluation runs code of the program: it may stop the program again (a breakpoint in a function that it calls), end it, or never
 * come to an end. Each ends the call with what happened, and the expressions behind it are not tried. */
#include "verb/asking.h"
#include "verb/evaluation.h"
#include "verb/internal.h"
#include "verb/python_statement.h"
#include "verb/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AFTER_MS 1000        /* for the end of the program, behind an evaluation that failed */
#define END_AFTER_MS 2000         /* for the end, when the program's thread is gone */
#define FOR_EVER (UINT64_MAX / 8) /* of a wait that something else ends */

/* What holds the call's place in an answer that may come after the call. */
struct question {
    struct call *call; /* NULL: it is over */
};

enum interruption { NOT_INTERRUPTED, STOPPED_AGAIN, PROGRAM_ENDED, WENT_ON, TIMED_OUT, CANCELLED };

struct evaluate_state {
    struct evaluation *rows;
    size_t count, next;
    int64_t frame, stop_number;
    const char *context;
    bool hex, several;
    bool has_decimals;   /* in spite of hex */
    bool as_statement;   /* the one being asked was no expression: it is being run as a statement */
    char *no_expression; /* what was said of it then; NULL */
    uint64_t timeout_ms;
    int64_t request;
    struct question *question; /* being asked */
    enum interruption interruption;
};

static void forget_question(struct evaluate_state *state)
{
    if (state->question != NULL)
        state->question->call = NULL;
    state->question = NULL;
}

static void free_state(void *user)
{
    struct evaluate_state *state = user;
    forget_question(state);
    for (size_t i = 0; i < state->count; i++)
        evaluation_done(&state->rows[i]);
    free(state->rows);
    free(state->no_expression);
    free(state);
}

/* ---- the result ---- */

static const char *interruption_text(enum interruption interruption)
{
    static const char *const texts[] = {
        [NOT_INTERRUPTED] = "",
        [STOPPED_AGAIN] =
            ("the expression stopped the program before it had a value: this is a stop inside of it, and it goes on with "
             "dap_continue; its value is not told any more"),
        [PROGRAM_ENDED] = "the expression ended the program",
        [WENT_ON] = "the program runs on: the expression was a command for the debugger, or the program was resumed meanwhile",
        [TIMED_OUT] = "",
        [CANCELLED] = "the evaluation was cancelled; it may still be running",
    };
    return texts[interruption];
}

/* The state is what a reader has to know then. */
static void report_with_state(struct call *call)
{
    call->reports_stop = true;
    report_state(call);
}

static void add_rows(struct call *call)
{
    struct evaluate_state *state = call->state;
    if (!state->several && state->rows[0].failure == NULL) {
        if (state->rows[0].statement)
            buffer_add(&call->result.text, "done (a statement, it has no value)\n");
        else
            render_evaluation(&call->result.text, &state->rows[0].value);
        structured_evaluation(call, &state->rows[0].value);
    } else if (!state->several) {
        render_not_evaluated(&call->result.text, &state->rows[0]);
    } else {
        render_evaluations(&call->result.text, state->rows, state->count);
        structured_evaluations(call, state->rows, state->count);
    }
}

static void fail_single(struct call *call)
{
    struct evaluate_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, state->interruption == TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST, "%s", state->rows[0].failure);
    call_fail(call, &error);
}

static void finish(struct call *call);

static void on_end(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    (void)outcome;
    call->wait = NULL;
    finish(call);
}

static void finish(struct call *call)
{
    struct evaluate_state *state = call->state;
    struct session *session = call_session(call);
    if (call->wait != NULL)
        session_wait_forget(session, call->wait);
    call->wait = NULL;
    if (session_is_ending(session) && session_active(session) && !call->cancelled) {
        call->wait = session_wait(session, FOR_EVER, on_end, call); /* its end is bounded */
        return;
    }
    const struct stop *stop = session_stop(session);
    bool same_stop = stop != NULL && stop->number == state->stop_number;
    if (state->has_decimals)
        call_warn(call, "%s formats no members here: dap_variables with path and hex shows them", session_adapter_id(session));
    call_end_turn(call);
    session_view_changed(session); /* it may have changed variables */
    if (state->interruption == NOT_INTERRUPTED && !same_stop)
        state->interruption = stop != NULL ? STOPPED_AGAIN : session_active(session) ? WENT_ON : PROGRAM_ENDED;
    for (size_t i = state->next; i < state->count; i++)
        if (state->rows[i].failure == NULL && !state->rows[i].evaluated)
            state->rows[i].failure = xstrdup("not tried, after what happened before");
    if (same_stop && !state->several && state->rows[0].failure != NULL) {
        fail_single(call);
        return;
    }
    add_rows(call);
    bool any = false;
    for (size_t i = 0; i < state->count; i++) {
        any = any || state->rows[i].evaluated;
        call->result.is_partial = call->result.is_partial || state->rows[i].failure != NULL;
    }
    call->result.is_error = !any && (same_stop || session_adapter_failed(session));
    if (same_stop)
        call_succeed(call);
    else
        report_with_state(call);
}

/* ---- one expression ---- */

static void ask_next(struct call *call);
static void look_after(struct call *call);

static void stop_waiting(struct call *call)
{
    if (call->wait != NULL)
        session_wait_forget(call_session(call), call->wait);
    call->wait = NULL;
}

static void interrupt(struct call *call, enum interruption interruption)
{
    struct evaluate_state *state = call->state;
    stop_waiting(call);
    forget_question(state); /* its answer may still come: nobody waits for it */
    state->interruption = interruption;
    bool failed = interruption == PROGRAM_ENDED && session_adapter_failed(call_session(call));
    if (state->next < state->count && !state->rows[state->next].evaluated && state->rows[state->next].failure == NULL)
        state->rows[state->next].failure = xstrdup(failed ? "the adapter has ended" : interruption_text(interruption));
    finish(call);
}

/* What comes in the meantime: a stop inside of the expression, the end of the program, the host's cancellation. */
static void on_wait(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    struct evaluate_state *state = call->state;
    call->wait = NULL;
    if (outcome == WAIT_CANCELLED && state->question != NULL) {
        state->interruption = CANCELLED;
        session_request_cancel(call_session(call), state->request); /* answers it */
        return;
    }
    if (outcome == WAIT_TIMED_OUT)
        finish(call); /* no end came: what the adapter said of the expression is all */
    else
        interrupt(call, outcome == WAIT_STOPPED ? STOPPED_AGAIN : outcome == WAIT_ENDED ? PROGRAM_ENDED : CANCELLED);
}

static void on_summary(void *user)
{
    struct call *call = user;
    struct evaluate_state *state = call->state;
    struct evaluation *row = &state->rows[state->next++];
    row->evaluated = true;
    variable_give_handles(call_session(call), &row->value);
    ask_next(call);
}

static void keep_time_out(struct call *call, const char *message)
{
    struct evaluate_state *state = call->state;
    bool told = session_request_tell_cancel(call_session(call), state->request);
    state->rows[state->next].failure =
        xasprintf("%s (timeout_ms); the expression may still be running%s: until it ends, the program does not go on and other "
                  "evaluations may wait for it; dap_status shows the state, dap_stop ends the session",
                  message, told ? ", and the debugger was asked to cancel it" : "");
}

static bool names_syntax(const char *text)
{
    return strstr(text, "SyntaxError: ") != NULL || strstr(text, "IndentationError: ") != NULL;
}

/* debugpy: "SyntaxError: invalid syntax (<string>, line 1)" is said of text that is no expression, and nothing of it was run. A
 * SyntaxError that the program itself raised names another place, or comes again. */
static bool is_no_expression(const struct call *call, const struct dap_answer *answer)
{
    const struct evaluate_state *state = call->state;
    if (answer->outcome != DAP_REFUSED || !session_quirk(call_session(call), QUIRK_STATEMENTS_IN_REPL) || state->as_statement ||
        strcmp(state->context, "watch") != 0)
        return false;
    AUTO_FREE char *text = session_answer_text(answer);
    return strstr(text, "(<string>, line ") != NULL && names_syntax(text);
}

static void ask(struct call *call);

static char *failure_of_statement(const struct evaluate_state *state, const struct dap_answer *answer)
{
    AUTO_FREE char *text = session_answer_text(answer);
    return names_syntax(text) ? xstrdup(state->no_expression) : statement_failure(answer);
}

/* A number that the adapter left in decimal (lldb-dap heeds the format for variables alone). */
static void write_hex(struct adapter_text *value)
{
    if (value->data == NULL)
        return;
    const char *digits = value->data + (value->data[0] == '-' ? 1 : 0);
    size_t len = strspn(digits, "0123456789");
    if (len == 0 || digits[len] != '\0' || len > 20)
        return;
    errno = 0;
    unsigned long long number = strtoull(digits, NULL, 10);
    if (errno != 0)
        return;
    char *hex = xasprintf("%s0x%llx", value->data[0] == '-' ? "-" : "", number);
    free(value->data);
    value->data = hex;
    value->len = strlen(hex);
}

/* A summary that the adapter has made as it likes. */
static bool has_decimals(const struct adapter_text *value)
{
    return value->data != NULL && value->data[0] == '{' && strstr(value->data, "0x") == NULL &&
           strpbrk(value->data, "0123456789") != NULL;
}

/* js-debug takes a text of 1,000 letters, and the middle out of a longer one. */
static bool lacks_its_middle(const struct call *call, const struct variable *value)
{
    return session_quirk(call_session(call), QUIRK_CUTS_INSIDE) && value->type.data != NULL && value->value.len >= 1000 &&
           strcmp(value->type.data, "string") == 0 && strstr(value->value.data, "…") != NULL &&
           json_string(call->arguments, "eval_context") == NULL;
}

static bool has_capture(const char *expression)
{
    for (const char *at = strchr(expression, '$'); at != NULL; at = strchr(at + 1, '$'))
        if (at[1] >= '1' && at[1] <= '9')
            return true;
    return false;
}

/* What Perl's adapter gets wrong without a word. */
static void warn_of_silence(struct call *call, const struct evaluation *row)
{
    const struct session *session = call_session(call);
    if (session_quirk(session, QUIRK_PERL_EVALUATION) && row->value.value.len == 0)
        call_warn(
            call,
            "%s answers an expression that failed, and a reference to code, with nothing: eval { EXPRESSION } // $@ shows the "
            "reason of a failure",
            session_adapter_id(session));
    if (session_quirk(session, QUIRK_PERL_EVALUATION) && has_capture(row->expression))
        call_warn(
            call,
            "$1, $2 and so on are those of a match of the debugger's own; the program's are in %%+ by their names, and in $& with "
            "@- and @+");
}

static void take_value(struct call *call, struct evaluation *row, const struct dap_answer *answer)
{
    struct evaluate_state *state = call->state;
    evaluation_read(answer->body, &row->value);
    warn_of_silence(call, row);
    if (lacks_its_middle(call, &row->value))
        call_warn(call,
                  "the debugger left out the middle of this text (…): evaluate a part of it, such as TEXT.slice(0, 900), or pass "
                  "eval_context=clipboard");
    if (state->hex)
        write_hex(&row->value.value);
    if (state->hex && row->value.adapter_reference > 0 && has_decimals(&row->value.value))
        state->has_decimals = true;
    row->statement = state->as_statement && row->value.value.len == 0;
    summaries_read(call_session(call), &state->frame, &row->value, 1, state->hex, on_summary, call);
}

/* What an agent would have to know of the language's debugger to go on. */
static char *with_advice(char *failure)
{
    static const char *const advice[][2] = {
        { "await can not be used when evaluating code while paused",
          "no promise goes on while the program stands: what one has become is in its [[PromiseResult]] (dap_variables with "
          "depth), or "
          "behind the await in the program" },
        { "ReferenceError: require is not defined",
          "it is in scope only where the code uses it; process.mainModule.require is the same in CommonJS" },
        { "ReferenceError: ",
          "a variable of a function further out is in scope only if this one uses it; the frame that declares it has it "
          "(frame_id=ID; dap_stack lists the frames)" },
    };
    for (size_t i = 0; i < COUNT_OF(advice); i++) {
        if (strstr(failure, advice[i][0]) == NULL || (i == 2 && strstr(failure, " is not defined") == NULL))
            continue;
        char *advised = xasprintf("%s; %s", failure, advice[i][1]);
        free(failure);
        return advised;
    }
    return failure;
}

static void on_result(void *user, const struct dap_answer *answer)
{
    struct question *question = user;
    struct call *call = question->call;
    free(question);
    if (call == NULL)
        return;
    struct evaluate_state *state = call->state;
    struct session *session = call_session(call);
    state->question = NULL;
    if (answer->outcome == DAP_CLOSED && call->wait != NULL && session_active(session))
        return; /* the wait tells of the end */
    stop_waiting(call);
    struct evaluation *row = &state->rows[state->next];
    if (answer->outcome == DAP_OK) {
        take_value(call, row, answer);
        return;
    }
    if (answer->outcome == DAP_TIMED_OUT) {
        keep_time_out(call, answer->message);
        state->interruption = TIMED_OUT;
        finish(call);
        return;
    }
    if (is_no_expression(call, answer)) {
        state->as_statement = true;
        free(state->no_expression);
        state->no_expression = session_answer_text(answer);
        ask(call);
        return;
    }
    row->failure = with_advice(state->as_statement ? failure_of_statement(state, answer) : session_answer_text(answer));
    state->next++;
    if (answer->outcome != DAP_REFUSED)
        finish(call);
    else if (state->next == state->count)
        look_after(call);
    else
        ask_next(call);
}

static bool has_thread(const struct call *call, const struct dap_answer *answer)
{
    const struct stop *stop = session_stop(call_session(call));
    if (answer->outcome != DAP_OK || stop == NULL)
        return false;
    yyjson_val *threads = json_array(answer->body, "threads");
    return stop->has_thread ? threads_list(threads, stop->adapter_thread_id) : yyjson_arr_size(threads) > 0;
}

/* LLDB says this where the program exited within the expression, and now and then lists its threads a moment longer. */
static bool tells_of_an_end(const struct evaluate_state *state)
{
    const char *failure = state->next == 0 ? NULL : state->rows[state->next - 1].failure;
    return failure != NULL && strstr(failure, "execution stopped with unexpected state") != NULL;
}

/* An expression that fails may have ended the program: what tells of the end comes after the answer. One more question shows which it is. */
static void on_looked(void *user, const struct dap_answer *answer)
{
    struct question *question = user;
    struct call *call = question->call;
    free(question);
    if (call == NULL)
        return;
    struct evaluate_state *state = call->state;
    state->question = NULL;
    if (answer->outcome == DAP_CLOSED && call->wait != NULL && session_active(call_session(call)))
        return; /* the wait tells of the end */
    if (has_thread(call, answer) && !tells_of_an_end(state)) {
        finish(call);
        return;
    }
    stop_waiting(call);
    call->wait =
        session_wait(call_session(call), END_AFTER_MS, on_wait, call); /* it seems to be gone: what tells so is on its way */
}

static void look_after(struct call *call)
{
    struct evaluate_state *state = call->state;
    state->question = xcalloc(1, sizeof(*state->question));
    state->question->call = call;
    state->request = 0;
    if (call->wait == NULL)
        call->wait = session_wait(call_session(call), FOR_EVER, on_wait, call);
    session_ask(call_session(call), "threads", NULL, LOOK_AFTER_MS, on_looked, state->question, NULL);
}

static bool is_still_there(const struct call *call)
{
    const struct evaluate_state *state = call->state;
    const struct stop *stop = session_stop(call_session(call));
    return stop != NULL && stop->number == state->stop_number;
}

static void ask(struct call *call)
{
    struct evaluate_state *state = call->state;
    const char *context = state->as_statement ? "repl" : state->context;
    const char *expression = state->rows[state->next].expression;
    AUTO_FREE char *statement = state->as_statement ? python_statement(expression) : NULL;
    yyjson_mut_doc *doc = evaluate_arguments_in(statement != NULL ? statement : expression, state->frame, context);
    add_value_format(doc, yyjson_mut_doc_get_root(doc), state->hex);
    struct question *question = xcalloc(1, sizeof(*question));
    question->call = call;
    state->question = question;
    call->wait = session_wait(call_session(call), FOR_EVER, on_wait, call);
    int64_t request = session_ask(call_session(call), "evaluate", doc, state->timeout_ms, on_result, question, NULL);
    if (request != 0) /* else the answer has come, and the call may be over */
        state->request = request;
}

static void ask_next(struct call *call)
{
    struct evaluate_state *state = call->state;
    state->as_statement = false;
    if (state->next == state->count || !is_still_there(call))
        finish(call);
    else
        ask(call);
}

/* ---- the beginning ---- */

static void on_turn(void *user)
{
    struct call *call = user;
    struct evaluate_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (call_frame(call, &state->frame, NULL, &error) < 0) {
        call_give_up(call, &error);
        return;
    }
    state->stop_number = session_stop(call_session(call))->number;
    ask_next(call);
}

static void read_expressions(struct call *call, struct evaluate_state *state)
{
    yyjson_val *list = json_array(call->arguments, "expressions");
    const char *first = json_string(call->arguments, "expression");
    state->several = list != NULL;
    state->rows = xcalloc(1 + yyjson_arr_size(list), sizeof(*state->rows));
    if (first != NULL)
        state->rows[state->count++].expression = first;
    for (size_t i = 0; i < yyjson_arr_size(list); i++)
        state->rows[state->count++].expression = yyjson_get_str(yyjson_arr_get(list, i));
}

static int check_expressions(const struct evaluate_state *state, struct error *ret_error)
{
    if (state->count == 0)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /expressions must have one at least");
    if (state->count > LIMIT_EVALUATIONS)
        return error_set(ret_error, ERROR_LIMIT, "invalid arguments: /expressions: one call takes %d expressions at most",
                         LIMIT_EVALUATIONS);
    return 0;
}

/* Whether the adapter takes what the call asks for; if not, the call has ended. */
static bool is_possible(struct call *call, const struct evaluate_state *state)
{
    if (strcmp(state->context, "hover") == 0 && !call_requires(call, "supportsEvaluateForHovers", "leave eval_context out"))
        return false;
    if (strcmp(state->context, "clipboard") == 0 && !call_requires(call, "supportsClipboardContext", "leave eval_context out"))
        return false;
    return !state->hex ||
           call_requires(call, "supportsValueFormattingOptions", "an expression of the language can format the value");
}

void verb_evaluate(struct call *call)
{
    struct evaluate_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_state;
    read_expressions(call, state);
    const char *context = json_string(call->arguments, "eval_context");
    state->context = context == NULL ? "watch" : context;
    state->hex = json_bool(call->arguments, "hex", false);
    state->timeout_ms =
        (uint64_t)json_int_or(call->arguments, "timeout_ms", (int64_t)session_timeouts(call_session(call))->request);
    AUTO_ERROR struct error error = ERROR_INIT;
    if (check_expressions(state, &error) < 0)
        call_fail(call, &error);
    else if (is_possible(call, state))
        session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
