/* dap_modules: executable and libraries, or what a language calls modules, with what is known of their symbols. */
#include "verb/internal.h"
#include "verb/listing.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <string.h>

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

static void fill_row(yyjson_mut_doc *doc, yyjson_mut_val *row, yyjson_val *module)
{
    static const char *const texts[][2] = { { "path", "path" },
                                            { "version", "version" },
                                            { "symbol_status", "symbolStatus" },
                                            { "symbol_file", "symbolFilePath" },
                                            { "address_range", "addressRange" } };
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
}

static const char *const filtered[] = { "name", "path", NULL };
static const struct listing_form form = { LISTING_MODULES, "Modules", "modules", "total_modules", filtered, add_row, fill_row };

/* Perl's adapter claims the request and does not know it. */
static void on_modules(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (answer->outcome == DAP_REFUSED && listing_report_told(call, &form))
        return;
    if (!call_answered(call, answer))
        return;
    listing_report(call, &form, json_array(answer->body, "modules"));
}

/* All are asked for, since the filter needs all; by leaving moduleCount out, since codelldb takes a 0 for none. */
static void on_turn(void *user)
{
    struct call *call = user;
    if (session_capability(call_session(call), "supportsModulesRequest"))
        call_request(call, "modules", json_new_object(NULL), on_modules);
    else if (!listing_report_told(call, &form))
        call_requires(call, "supportsModulesRequest", "dap_loaded_sources lists sources where the adapter can");
}

void verb_modules(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
