#include "verb/frame_scopes.h"

#include "verb/asking.h"
#include "verb/internal.h"
#include "verb/summary.h"

#include <string.h>

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

/* ---- one by one ---- */

#define MOST_ONE_BY_ONE 64

/* gdb refuses all variables of a scope for one that was optimized out, or that holds what its printer cannot follow: one that is not
 * initialised yet, a library's inside after a crash. The others are read alone. */
struct one_by_one {
    struct reader *reader;
    size_t scope;
    struct variable *rows; /* in order; without a name: refused */
    size_t count, awaited;
    char *why; /* the last refusal; NULL */
};

struct row_request {
    struct one_by_one *all;
    size_t index;
};

static struct variable others(size_t count, const char *why)
{
    struct variable row = { .named = -1, .indexed = -1 };
    row.name.data = xstrdup("(others)");
    row.name.len = strlen(row.name.data);
    row.value.data = xasprintf("%zu that cannot be shown: %s", count, why);
    row.value.len = strlen(row.value.data);
    return row;
}

static void take_rows(struct one_by_one *all)
{
    struct reader *reader = all->reader;
    struct scope *scope = &reader->scopes[all->scope];
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->rows[i].name.data != NULL)
            all->rows[kept++] = all->rows[i];
    if (kept == 0 || !stop_is_still(reader)) {
        scope->failure = xstrdup(all->why != NULL ? all->why : "the program went on");
        variables_free(all->rows, kept);
    } else {
        if (kept < all->count) {
            all->rows[kept] = others(all->count - kept, all->why);
            kept++;
        }
        scope->variables = all->rows;
        scope->count = scope->total = kept;
        scope->expanded = true;
        reader->awaited++;
        summaries_read(reader->session, &reader->wish.adapter_frame, scope->variables, kept, reader->wish.hex, release, reader);
    }
    free(all->why);
    free(all);
    release(reader);
}

static void on_row(void *user, const struct dap_answer *answer)
{
    struct row_request *request = user;
    struct one_by_one *all = request->all;
    yyjson_val *item = answer->outcome == DAP_OK ? yyjson_arr_get_first(json_array(answer->body, "variables")) : NULL;
    if (item != NULL) {
        variable_read(item, &all->rows[request->index]);
        variable_give_handles(all->reader->session, &all->rows[request->index]);
    } else {
        free(all->why);
        all->why = session_answer_text(answer);
    }
    free(request);
    if (--all->awaited == 0)
        take_rows(all);
}

/* True: they are asked for, and the reader waits. */
static bool ask_one_by_one(struct reader *reader, size_t index)
{
    const struct scope *scope = &reader->scopes[index];
    bool helps = scope->named > 1 && scope->named <= MOST_ONE_BY_ONE;
    if (!helps || !stop_is_still(reader))
        return false;
    struct one_by_one *all = xcalloc(1, sizeof(*all));
    *all = (struct one_by_one){ .reader = reader, .scope = index, .count = (size_t)scope->named, .awaited = 1 };
    all->rows = xcalloc(all->count + 1, sizeof(*all->rows));
    int64_t reference = scope->adapter_reference;
    for (size_t i = 0; i < all->count; i++) {
        struct row_request *request = xcalloc(1, sizeof(*request));
        *request = (struct row_request){ all, i };
        yyjson_mut_val *arguments;
        yyjson_mut_doc *doc = variables_arguments(reference, &arguments);
        json_add_int(doc, arguments, "start", (int64_t)i);
        json_add_int(doc, arguments, "count", 1);
        add_value_format(doc, arguments, reader->wish.hex);
        all->awaited++;
        session_request(reader->session, "variables", doc, 0, on_row, request);
    }
    if (--all->awaited == 0)
        take_rows(all);
    return true;
}

/* ---- all of a scope ---- */

static void on_variables(void *user, const struct dap_answer *answer)
{
    struct scope_request *request = user;
    struct reader *reader = request->reader;
    size_t index = request->index;
    struct scope *scope = &reader->scopes[index];
    free(request);
    if (answer->outcome == DAP_OK && stop_is_still(reader)) {
        scope->variables =
            read_variables(reader->session, answer->body, reader->wish.start, reader->wish.count, &scope->count, &scope->total);
        scope->expanded = true;
        summaries_read(reader->session, &reader->wish.adapter_frame, scope->variables, scope->count, reader->wish.hex, release,
                       reader);
        return;
    }
    if (answer->outcome == DAP_REFUSED && ask_one_by_one(reader, index))
        return;
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
