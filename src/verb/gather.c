/* Reads what a stop's packet shows: exception, source lines, scopes and the cheap ones' variables.
 *
 * One reading per stop, whoever asks for it: calls that report the same stop share it. The steps are in reading order below. */
#include "session/signals.h"
#include "verb/frame_scopes.h"
#include "verb/internal.h"
#include "verb/shown_frame.h"

#include <signal.h>
#include <string.h>

#define LOCALS_READ \
    4000                /* variables kept of one scope: one that the line names may be far down; handles are left for later calls */
#define LINES_AROUND 10 /* for context full; brief shows fewer of them */

struct waiting {
    struct waiting *next;
    gather_fn done;
    void *user;
};

struct gather {
    struct named *named;
    int64_t stop_number;
    struct session_turn *turn;
    uint64_t view; /* session_view when reading began */
    bool again;    /* it is read for the second time */
    bool given_up; /* its requests were cancelled: what was read is no packet */
    struct packet packet;
    int awaited;
    int signal; /* that stopped the program, as gdb's variables tell it */
    bool has_signal_code;
    int64_t signal_code; /* why it was sent: si_code */
    struct waiting *waiting;
};

void packet_done(struct packet *packet)
{
    scopes_free(packet->scopes, packet->scope_count);
    exception_info_done(&packet->exception);
    source_excerpt_done(&packet->excerpt);
    *packet = (struct packet){ 0 };
}

const struct packet *named_packet(const struct named *named)
{
    const struct stop *stop = session_stop(named->session);
    bool is_true = stop != NULL && named->packet.stop_number == stop->number && named->packet.view == session_view(named->session);
    return is_true ? &named->packet : NULL;
}

static bool stop_is_still(const struct gather *gather)
{
    const struct stop *stop = session_stop(gather->named->session);
    return stop != NULL && stop->number == gather->stop_number && stop->settled;
}

/* ---- the end ---- */

static void on_turn(void *user);

static void finish(struct gather *gather)
{
    struct named *named = gather->named;
    session_inspect_end(named->session, gather->turn);
    /* What was read may be untrue by now. Twice is enough: some adapters change something by being looked at. */
    if (stop_is_still(gather) && gather->view != session_view(named->session) && !gather->again && !gather->given_up) {
        packet_done(&gather->packet);
        gather->again = true;
        session_inspect_begin(named->session, &gather->turn, on_turn, gather);
        return;
    }
    if (stop_is_still(gather) && !gather->given_up) {
        packet_done(&named->packet);
        named->packet = gather->packet;
        named->packet.stop_number = gather->stop_number;
        named->packet.view = session_view(named->session);
    } else {
        packet_done(&gather->packet);
    }
    if (named->gather == gather)
        named->gather = NULL;
    struct waiting *list = gather->waiting;
    free(gather);
    while (list != NULL) {
        struct waiting *waiting = list;
        list = list->next;
        gather_fn done = waiting->done;
        void *user = waiting->user;
        free(waiting);
        if (done != NULL)
            done(user);
    }
}

static void release(struct gather *gather)
{
    if (--gather->awaited == 0)
        finish(gather);
}

/* ---- scopes and variables ---- */

static void on_scopes(void *user, struct scope *scopes, size_t count, const char *failure)
{
    struct gather *gather = user;
    (void)failure; /* a packet without variables says so */
    gather->packet.scopes = scopes;
    gather->packet.scope_count = count;
    release(gather);
}

static void ask_scopes(struct gather *gather, const struct frame *top)
{
    gather->awaited++;
    frame_scopes_read(gather->named->session, &(struct frame_scopes_wish){ .adapter_frame = top->adapter_id, .count = LOCALS_READ },
                      on_scopes, gather);
}

/* ---- exception ---- */

static void on_exception_info(void *user, const struct dap_answer *answer)
{
    struct gather *gather = user;
    if (answer->outcome == DAP_OK && answer->body != NULL) {
        exception_info_read(answer->body, &gather->packet.exception);
        gather->packet.has_exception = true;
    }
    release(gather);
}

static void set_exception(struct gather *gather, const char *id, const char *description)
{
    exception_info_done(&gather->packet.exception);
    gather->packet.exception = (struct exception_info){ .id = xstrdup(id), .description = xstrdup(description) };
    gather->packet.has_exception = true;
}

static void ask_exception_info(struct gather *gather, const struct stop *stop)
{
    if (stop->panic) { /* what the stop tells is all that there is */
        set_exception(gather, "Rust panic", stop->text);
        return;
    }
    bool exception = strcmp(stop->reason, "exception") == 0 || strcmp(stop->reason, "signal") == 0;
    if (!exception || !stop->has_thread || !session_capability(gather->named->session, "supportsExceptionInfoRequest"))
        return;
    yyjson_mut_doc *arguments = session_thread_arguments(stop->adapter_thread_id, NULL);
    gather->awaited++;
    session_request(gather->named->session, "exceptionInfo", arguments, 0, on_exception_info, gather);
}

/* ---- signals, where only gdb's variables know them ---- */

static void on_signal_number(void *user, const struct dap_answer *answer)
{
    struct gather *gather = user;
    int64_t number;
    if (answer->outcome == DAP_OK && json_int(answer->body, "result", &number) && number > 0 && number < 128) {
        gather->signal = (int)number;
        const char *name = signal_name(gather->signal);
        AUTO_FREE char *unnamed = name == NULL ? xasprintf("signal %d", gather->signal) : NULL;
        set_exception(gather, name == NULL ? unnamed : name, strsignal(gather->signal));
    }
    release(gather);
}

static void on_signal_code(void *user, const struct dap_answer *answer)
{
    struct gather *gather = user;
    gather->has_signal_code = answer->outcome == DAP_OK && json_int(answer->body, "result", &gather->signal_code);
    release(gather);
}

/* Asked together with number and code: it means something for these signals only, and not when a process sent one. The kernel has no
 * address for a pointer that cannot be one, and leaves 0 there, which would read as a null pointer. */
static char *fault_description(const struct gather *gather, const char *address)
{
    const char *name = strsignal(gather->signal);
    if (gather->has_signal_code && gather->signal_code <= 0)
        return xasprintf("%s, sent by a process", name);
    if (gather->has_signal_code && gather->signal_code == SI_KERNEL)
        return xasprintf("%s, " FAULT_WITHOUT_ADDRESS, name);
    return xasprintf("%s at address %s", name, address);
}

static void on_fault_address(void *user, const struct dap_answer *answer)
{
    struct gather *gather = user;
    const char *address = answer->outcome == DAP_OK ? json_string(answer->body, "result") : NULL;
    bool has_one = gather->signal == SIGSEGV || gather->signal == SIGBUS;
    if (has_one && address != NULL && address[0] != '\0') {
        AUTO_FREE char *id = xstrdup(gather->packet.exception.id);
        AUTO_FREE char *description = fault_description(gather, address);
        set_exception(gather, id, description);
    }
    release(gather);
}

static void ask_value(struct gather *gather, const struct frame *top, const char *expression, session_answer_fn answer)
{
    gather->awaited++;
    session_request(gather->named->session, "evaluate", evaluate_arguments(expression, top->adapter_id), 0, answer, gather);
}

static void ask_signal(struct gather *gather)
{
    const struct stop *stop = session_stop(gather->named->session);
    if (strcmp(stop->reason, "signal") != 0 || stop->frame_count == 0 || !session_quirk(gather->named->session, QUIRK_GDB_SIGNALS))
        return;
    struct frame top = { .adapter_id = stop->frames[0].adapter_id };
    ask_value(gather, &top, "$_siginfo.si_signo", on_signal_number);
    ask_value(gather, &top, "$_siginfo.si_code", on_signal_code);
    ask_value(gather, &top, "$_siginfo._sifields._sigfault.si_addr", on_fault_address);
}

/* ---- source that has no file ---- */

static void on_source(void *user, const struct dap_answer *answer)
{
    struct gather *gather = user;
    const struct stop *stop = session_stop(gather->named->session);
    size_t len = 0;
    const char *content = answer->outcome == DAP_OK ? json_text(answer->body, "content", &len) : NULL;
    if (content != NULL && stop_is_still(gather) && gather->packet.frame_index < stop->frame_count) {
        source_excerpt_done(&gather->packet.excerpt);
        source_excerpt_take(content, len, stop->frames[gather->packet.frame_index].line, LINES_AROUND, &gather->packet.excerpt);
    }
    release(gather);
}

static void ask_source(struct gather *gather, const struct frame *frame)
{
    gather->awaited++;
    session_request(gather->named->session, "source", source_arguments(frame->source_path, frame->source_reference), 0, on_source,
                    gather);
}

/* ---- the beginning ---- */

static void on_turn(void *user)
{
    struct gather *gather = user;
    gather->awaited = 1; /* held while requests are being added */
    gather->view = session_view(gather->named->session);
    if (stop_is_still(gather)) {
        const struct stop *stop = session_stop(gather->named->session);
        ask_exception_info(gather, stop);
        ask_signal(gather);
        stop = session_stop(gather->named->session);
        if (stop_is_still(gather) && stop->frame_count > 0 && !stop->idle) {
            /* A frame's source is read here, while the adapter works. */
            size_t shown = shown_frame(stop, gather->named->world->project);
            gather->packet.frame_index = shown;
            ask_scopes(gather, &stop->frames[shown]);
            stop = session_stop(gather->named->session);
            if (stop_is_still(gather))
                source_excerpt_read(stop->frames[shown].source_reference > 0 ? NULL : stop->frames[shown].source_path,
                                    stop->frames[shown].line, LINES_AROUND, &gather->packet.excerpt);
            if (stop_is_still(gather) && stop->frames[shown].source_reference > 0 && stop->frames[shown].line > 0)
                ask_source(gather, &stop->frames[shown]);
        }
    }
    release(gather);
}

void gather_packet(struct named *named, gather_fn done, void *user)
{
    const struct stop *stop = session_stop(named->session);
    if (stop == NULL || !stop->settled || named_packet(named) != NULL) {
        done(user);
        return;
    }
    struct waiting *waiting = xcalloc(1, sizeof(*waiting));
    *waiting = (struct waiting){ NULL, done, user };
    if (named->gather != NULL && named->gather->stop_number == stop->number && !named->gather->given_up) {
        waiting->next = named->gather->waiting;
        named->gather->waiting = waiting;
        return;
    }
    struct gather *gather = xcalloc(1, sizeof(*gather));
    gather->named = named;
    gather->stop_number = stop->number;
    gather->waiting = waiting;
    named->gather = gather;
    session_inspect_begin(named->session, &gather->turn, on_turn, gather);
}

static bool is_awaited(const struct gather *gather)
{
    for (const struct waiting *waiting = gather->waiting; waiting != NULL; waiting = waiting->next)
        if (waiting->done != NULL)
            return true;
    return false;
}

bool gather_forget(struct named *named, void *user)
{
    bool waited = false;
    for (struct waiting *waiting = named->gather == NULL ? NULL : named->gather->waiting; waiting != NULL;
         waiting = waiting->next) {
        if (waiting->user != user || waiting->done == NULL)
            continue;
        waiting->done = NULL;
        waited = true;
    }
    return waited;
}

bool gather_cancel(struct named *named, void *user)
{
    if (!gather_forget(named, user))
        return false;
    if (is_awaited(named->gather))
        return true;
    /* What cannot be read quickly must not hold up the next call: that reads it again, if it needs it. */
    named->gather->given_up = true;
    if (!session_inspect_cancel(named->session, named->gather->turn))
        named->gather->given_up = false;
    return true;
}
