/* dap_modules: executable and libraries, or what a language calls modules, with what is known of their symbols. */
#include "verb/internal.h"
#include "verb/listing.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <string.h>

static const char *const filtered[] = { "name", "path", NULL };

/* An id may be a number or a text. */
static char *id_text(yyjson_val *module)
{
    int64_t number;
    const char *text = json_string(module, "id");
    if (text == NULL && json_int(module, "id", &number))
        return xasprintf("%" PRId64, number);
    return xstrdup(text == NULL ? "" : text);
}

static void add_part(struct buffer *text, const char *part, size_t most)
{
    if (part == NULL || part[0] == '\0')
        return;
    buffer_add(text, " · ");
    line_text(text, part, most);
}

/* What an adapter tells beyond the usual, by its own names for it. */
static void add_columns(struct call *call, yyjson_val *module)
{
    yyjson_mut_val *columns = session_capability_value(call_session(call), "additionalModuleColumns");
    size_t index, most;
    yyjson_mut_val *column;
    yyjson_mut_arr_foreach(columns, index, most, column) {
        const char *attribute = yyjson_mut_get_str(yyjson_mut_obj_get(column, "attributeName"));
        const char *label = yyjson_mut_get_str(yyjson_mut_obj_get(column, "label"));
        const char *value = attribute == NULL ? NULL : json_string(module, attribute);
        if (value == NULL || strcmp(attribute, "name") == 0 || strcmp(attribute, "path") == 0)
            continue;
        add_part(&call->result.text, label == NULL ? attribute : label, LIMIT_NAME_BYTES);
        buffer_add(&call->result.text, ": ");
        line_text(&call->result.text, value, LIMIT_NAME_BYTES);
    }
}

static void add_row(struct call *call, yyjson_val *module)
{
    struct buffer *text = &call->result.text;
    const char *name = json_string(module, "name");
    const char *path = json_string(module, "path");
    const char *symbols = json_string(module, "symbolFilePath");
    buffer_add(text, "  ");
    line_text(text, name == NULL ? "?" : name, LIMIT_PATH_BYTES);
    if (path != NULL && (name == NULL || strcmp(path, name) != 0))
        add_part(text, path, LIMIT_PATH_BYTES);
    add_part(text, json_string(module, "version"), LIMIT_NAME_BYTES);
    add_part(text, json_string(module, "symbolStatus"), LIMIT_NAME_BYTES);
    if (symbols != NULL && (path == NULL || strcmp(symbols, path) != 0))
        add_part(text, symbols, LIMIT_PATH_BYTES);
    if (json_bool(module, "isOptimized", false))
        buffer_add(text, " · optimized");
    add_columns(call, module);
    buffer_addc(text, '\n');
}

static void add_structured(struct call *call, const struct listing *listing)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    static const char *const texts[][2] = { { "path", "path" },
                                            { "version", "version" },
                                            { "symbol_status", "symbolStatus" },
                                            { "symbol_file", "symbolFilePath" },
                                            { "address_range", "addressRange" } };
    for (size_t i = 0; i < listing->count; i++) {
        yyjson_val *module = listing->items[i];
        yyjson_mut_val *row = yyjson_mut_obj(doc);
        AUTO_FREE char *id = id_text(module);
        const char *name = json_string(module, "name");
        json_add_string(doc, row, "id", id);
        json_add_string(doc, row, "name", name == NULL ? "" : name);
        for (size_t k = 0; k < COUNT_OF(texts); k++)
            json_add_string(doc, row, texts[k][0], json_string(module, texts[k][1]));
        if (json_member(module, "isUserCode") != NULL)
            json_add_bool(doc, row, "user_code", json_bool(module, "isUserCode", false));
        if (json_member(module, "isOptimized") != NULL)
            json_add_bool(doc, row, "optimized", json_bool(module, "isOptimized", false));
        yyjson_mut_arr_append(list, row);
    }
    json_add_value(doc, root, "modules", list);
    json_add_int(doc, root, "total_modules", (int64_t)listing->total);
}

static void report(struct call *call, struct listing *listing)
{
    listing_add_title(call, listing, "Modules");
    for (size_t i = 0; i < listing->count; i++)
        add_row(call, listing->items[i]);
    listing_add_rest(call, listing);
    add_structured(call, listing);
    listing_done(listing);
    call_end_turn(call);
    call_succeed(call);
}

/* Some adapters tell of modules in events and cannot be asked, or claim that they can (Perl's). */
static bool report_told(struct call *call)
{
    struct listing listing;
    yyjson_doc *doc;
    if (!listing_read_told(call, LISTING_MODULES, filtered, &listing, &doc))
        return false;
    report(call, &listing);
    yyjson_doc_free(doc);
    return true;
}

static void on_modules(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (answer->outcome == DAP_REFUSED && report_told(call))
        return;
    if (!call_answered(call, answer))
        return;
    struct listing listing;
    listing_read(call, json_array(answer->body, "modules"), filtered, &listing);
    report(call, &listing);
}

/* All are asked for, since the filter needs all; by leaving moduleCount out, since codelldb takes a 0 for none. */
static void on_turn(void *user)
{
    struct call *call = user;
    if (session_capability(call_session(call), "supportsModulesRequest"))
        call_request(call, "modules", json_new_object(NULL), on_modules);
    else if (!report_told(call))
        call_requires(call, "supportsModulesRequest", "dap_loaded_sources lists sources where the adapter can");
}

void verb_modules(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
