#include "verb/listing.h"

#include "verb/internal.h"
#include "verb/render_line.h"

#include <string.h>

#define COUNT_DEFAULT 100

struct listing {
    yyjson_val **items; /* of the page */
    size_t count;
    size_t start; /* number of the first among those that the filter lets through */
    size_t total; /* of those */
    size_t all;   /* without the filter */
    bool told;    /* by events, and these are left out: */
    size_t left_out;
};

static bool is_wanted(yyjson_val *item, const char *const *members, const char *filter)
{
    if (filter == NULL)
        return true;
    for (; *members != NULL; members++) {
        const char *text = json_string(item, *members);
        if (text != NULL && strcasestr(text, filter) != NULL)
            return true;
    }
    return false;
}

static void read_page(const struct call *call, yyjson_val *list, const char *const *members, struct listing *ret)
{
    const char *filter = json_string(call->arguments, "filter");
    size_t most = (size_t)json_int_or(call->arguments, "count", COUNT_DEFAULT);
    *ret = (struct listing){ .start = (size_t)json_int_or(call->arguments, "start", 0), .all = yyjson_arr_size(list) };
    ret->items = xcalloc(most + 1, sizeof(yyjson_val *));
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, count, item) {
        if (!is_wanted(item, members, filter))
            continue;
        if (ret->total++ >= ret->start && ret->count < most)
            ret->items[ret->count++] = item;
    }
}

/* "Modules: 100 of 7,395, from number 200, with \"libc\" in the name or path" */
static void add_title(struct call *call, const struct listing *listing, const char *title)
{
    struct buffer *text = &call->result.text;
    const char *filter = json_string(call->arguments, "filter");
    buffer_addf(text, "%s: ", title);
    line_count(text, listing->count);
    if (listing->total > listing->count) {
        buffer_add(text, " of ");
        line_count(text, listing->total);
    }
    if (listing->start > 0)
        buffer_addf(text, ", from number %zu", listing->start);
    if (filter != NULL) {
        buffer_add(text, ", with \"");
        line_text(text, filter, LIMIT_NAME_BYTES);
        buffer_add(text, "\" in the name or path (of ");
        line_count(text, listing->all);
        buffer_addc(text, ')');
    }
    buffer_addc(text, '\n');
}

/* "  … more: dap_modules start=300 filter=libc" when there are more. */
static void add_rest(struct call *call, const struct listing *listing)
{
    struct buffer *text = &call->result.text;
    const char *filter = json_string(call->arguments, "filter");
    if (listing->told) {
        buffer_add(text, "  (as its events told: the adapter cannot be asked for a list");
        if (listing->left_out > 0)
            buffer_addf(text, "; %zu more were not kept", listing->left_out);
        buffer_add(text, ")\n");
    }
    if (listing->count == 0 || listing->start + listing->count >= listing->total)
        return;
    buffer_addf(text, "  … more: %s start=%zu", call->verb->tool, listing->start + listing->count);
    if (filter != NULL) {
        buffer_add(text, " filter=");
        line_text(text, filter, LIMIT_NAME_BYTES);
    }
    line_session(text, call_session_name(call));
    buffer_addc(text, '\n');
}

static void add_structured(struct call *call, const struct listing_form *form, const struct listing *listing)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_val *list = structured_list(call, form->key);
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; i < listing->count; i++)
        form->fill_row(doc, yyjson_mut_arr_add_obj(doc, list), listing->items[i]);
    json_add_int(doc, root, form->total_key, (int64_t)listing->total);
}

static void report(struct call *call, const struct listing_form *form, struct listing *listing)
{
    add_title(call, listing, form->title);
    for (size_t i = 0; i < listing->count; i++)
        form->add_row(call, listing->items[i]);
    add_rest(call, listing);
    add_structured(call, form, listing);
    free(listing->items);
    call_end_turn(call);
    call_succeed(call);
}

void listing_report(struct call *call, const struct listing_form *form, yyjson_val *list)
{
    struct listing listing;
    read_page(call, list, form->members, &listing);
    report(call, form, &listing);
}

bool listing_report_told(struct call *call, const struct listing_form *form)
{
    yyjson_doc *doc;
    size_t left_out = session_told(call_session(call), form->kind == LISTING_MODULES ? TOLD_MODULES : TOLD_SOURCES, &doc);
    yyjson_val *list = yyjson_doc_get_root(doc);
    bool any = yyjson_arr_size(list) > 0;
    if (any) {
        struct listing listing;
        read_page(call, list, form->members, &listing);
        listing.told = true;
        listing.left_out = left_out;
        report(call, form, &listing);
    }
    yyjson_doc_free(doc);
    return any;
}
