#include "verb/frame_scopes.h"

#include "verb/asking.h"
#include "verb/internal.h"
#include "verb/summary.h"

struct reader {
    struct session *session;
    struct frame_scopes_wish wish;
    int64_t stop_number; /* at which it was begun */
    struct scope *scopes;
    size_t count;
    char *failure;
    int awaited;
    frame_scopes_fn done;
    void *user;
};

struct scope_request {
    struct reader *reader;
    size_t index;
};

static bool stop_is_still(const struct reader *reader)
{
    const struct stop *stop = session_stop(reader->session);
    return stop != NULL && stop->number == reader->stop_number;
}

static void release(void *user)
{
    struct reader *reader = user;
    if (--reader->awaited > 0)
        return;
    struct reader last = *reader;
    free(reader);
    last.done(last.user, last.scopes, last.count, last.failure);
    free(last.failure);
}

static void on_variables(void *user, const struct dap_answer *answer)
{
    struct scope_request *request = user;
    struct reader *reader = request->reader;
    struct scope *scope = &reader->scopes[request->index];
    free(request);
    if (answer->outcome == DAP_OK && stop_is_still(reader)) {
        scope->variables =
            read_variables(reader->session, answer->body, reader->wish.start, reader->wish.count, &scope->count, &scope->total);
        scope->expanded = true;
        summaries_read(reader->session, &reader->wish.adapter_frame, scope->variables, scope->count, reader->wish.hex, release, reader);
        return;
    }
    scope->failure = session_answer_text(answer);
    release(reader);
}

static void ask_variables(struct reader *reader, size_t index)
{
    struct scope_request *request = xcalloc(1, sizeof(*request));
    *request = (struct scope_request){ reader, index };
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(reader->scopes[index].adapter_reference, &arguments);
    add_value_format(doc, arguments, reader->wish.hex);
    reader->awaited++;
    session_request(reader->session, "variables", doc, 0, on_variables, request);
}

static void on_scopes(void *user, const struct dap_answer *answer)
{
    struct reader *reader = user;
    if (answer->outcome != DAP_OK)
        reader->failure = session_answer_text(answer);
    else if (stop_is_still(reader))
        reader->scopes = read_scopes(reader->session, answer->body, &reader->count);
    for (size_t i = 0; i < reader->count && !reader->wish.scopes_only; i++)
        if (scope_is_cheap(&reader->scopes[i]))
            ask_variables(reader, i);
    release(reader);
}

void frame_scopes_read(struct session *session, const struct frame_scopes_wish *wish, frame_scopes_fn done, void *user)
{
    const struct stop *stop = session_stop(session);
    struct reader *reader = xcalloc(1, sizeof(*reader));
    *reader = (struct reader){ .session = session,
                               .wish = *wish,
                               .stop_number = stop == NULL ? 0 : stop->number,
                               .awaited = 1, /* held while requests are being added */
                               .done = done,
                               .user = user };
    session_ask(session, "scopes", scopes_arguments(wish->adapter_frame), 0, on_scopes, reader, wish->request);
}
