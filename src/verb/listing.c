#include "verb/listing.h"

#include "verb/internal.h"
#include "verb/render_line.h"

#include <string.h>

#define COUNT_DEFAULT 100

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

void listing_read(const struct call *call, yyjson_val *list, const char *const *members, struct listing *ret)
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

bool listing_read_told(const struct call *call, enum listing_kind kind, const char *const *members, struct listing *ret,
                       yyjson_doc **ret_doc)
{
    size_t left_out = session_told(call_session(call), kind == LISTING_MODULES ? TOLD_MODULES : TOLD_SOURCES, ret_doc);
    yyjson_val *list = yyjson_doc_get_root(*ret_doc);
    if (yyjson_arr_size(list) == 0) {
        yyjson_doc_free(*ret_doc);
        return false;
    }
    listing_read(call, list, members, ret);
    ret->told = true;
    ret->left_out = left_out;
    return true;
}

void listing_done(struct listing *listing)
{
    free(listing->items);
}

void listing_add_title(struct call *call, const struct listing *listing, const char *title)
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

void listing_add_rest(struct call *call, const struct listing *listing)
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
