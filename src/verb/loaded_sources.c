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

static void fill_row(yyjson_mut_doc *doc, yyjson_mut_val *row, yyjson_val *source)
{
    int64_t reference = json_int_or(source, "sourceReference", 0);
    json_add_string(doc, row, "name", json_string(source, "name"));
    json_add_string(doc, row, "path", json_string(source, "path"));
    if (reference > 0)
        json_add_int(doc, row, "source_reference", reference);
    json_add_string(doc, row, "origin", json_string(source, "origin"));
}

static const char *const filtered[] = { "path", "name", NULL };
static const struct listing_form form = { LISTING_SOURCES, "Sources", "sources", "total_sources", filtered, add_row, fill_row };

static void on_sources(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    listing_report(call, &form, json_array(answer->body, "sources"));
}

static void on_turn(void *user)
{
    struct call *call = user;
    if (session_capability(call_session(call), "supportsLoadedSourcesRequest"))
        call_request(call, "loadedSources", json_new_object(NULL), on_sources);
    else if (!listing_report_told(call, &form))
        call_requires(call, "supportsLoadedSourcesRequest", "dap_stack shows the sources of the present frames");
}

void verb_loaded_sources(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
