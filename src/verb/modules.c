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

/* All are asked for, since the filter needs all; by leaving moduleCount out, since codelldb takes a 0 for none. */
static void on_modules(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    struct listing listing;
    listing_read(call, json_array(answer->body, "modules"), filtered, &listing);
    report(call, &listing);
}

static void on_turn(void *user)
{
    struct call *call = user;
    call_request(call, "modules", json_new_object(NULL), on_modules);
}

void verb_modules(struct call *call)
{
    if (call_requires(call, "supportsModulesRequest", "dap_loaded_sources lists sources where the adapter can"))
        session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
