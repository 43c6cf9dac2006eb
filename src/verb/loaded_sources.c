/* dap_loaded_sources: what the debugger knows of the program's sources. */
#include "base/path.h"
#include "verb/internal.h"
#include "verb/listing.h"
#include "verb/render_line.h"

#include <inttypes.h>

static void add_row(struct call *call, yyjson_val *source)
{
    struct buffer *text = &call->result.text;
    const char *path = json_string(source, "path");
    const char *name = json_string(source, "name");
    int64_t reference = json_int_or(source, "sourceReference", 0);
    buffer_add(text, "  ");
    if (path != NULL) {
        AUTO_FREE char *decoded = path_of_uri(path);
        AUTO_FREE char *shown = path_shown(decoded, call->world->project);
        line_text(text, shown, LIMIT_PATH_BYTES);
    } else {
        line_text(text, name == NULL ? "?" : name, LIMIT_PATH_BYTES);
    }
    if (reference > 0)
        buffer_addf(text, " [source_reference %" PRId64 "]", reference);
    buffer_addc(text, '\n');
}

static void add_structured(struct call *call, const struct listing *listing)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    for (size_t i = 0; i < listing->count; i++) {
        yyjson_mut_val *row = yyjson_mut_obj(doc);
        int64_t reference = json_int_or(listing->items[i], "sourceReference", 0);
        json_add_string(doc, row, "name", json_string(listing->items[i], "name"));
        json_add_string(doc, row, "path", json_string(listing->items[i], "path"));
        if (reference > 0)
            json_add_int(doc, row, "source_reference", reference);
        json_add_string(doc, row, "origin", json_string(listing->items[i], "origin"));
        yyjson_mut_arr_append(list, row);
    }
    json_add_value(doc, root, "sources", list);
    json_add_int(doc, root, "total_sources", (int64_t)listing->total);
}

static const char *const filtered[] = { "path", "name", NULL };

static void report(struct call *call, struct listing *listing)
{
    listing_add_title(call, listing, "Sources");
    for (size_t i = 0; i < listing->count; i++)
        add_row(call, listing->items[i]);
    listing_add_rest(call, listing);
    add_structured(call, listing);
    listing_done(listing);
    call_end_turn(call);
    call_succeed(call);
}

/* Some adapters tell of sources in events and cannot be asked. */
static bool report_told(struct call *call)
{
    struct listing listing;
    yyjson_doc *doc;
    if (!listing_read_told(call, LISTING_SOURCES, filtered, &listing, &doc))
        return false;
    report(call, &listing);
    yyjson_doc_free(doc);
    return true;
}

static void on_sources(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    struct listing listing;
    listing_read(call, json_array(answer->body, "sources"), filtered, &listing);
    report(call, &listing);
}

static void on_turn(void *user)
{
    struct call *call = user;
    if (session_capability(call_session(call), "supportsLoadedSourcesRequest"))
        call_request(call, "loadedSources", json_new_object(NULL), on_sources);
    else if (!report_told(call))
        call_requires(call, "supportsLoadedSourcesRequest", "dap_stack shows the sources of the present frames");
}

void verb_loaded_sources(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
