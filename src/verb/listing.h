/* Pages of long lists with a filter on our side: adapters give them whole, gdb thousands of entries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yyjson.h>

struct call;

struct listing {
    yyjson_val **items; /* of the page */
    size_t count;
    size_t start; /* number of the first among those that the filter lets through */
    size_t total; /* of those */
    size_t all;   /* without the filter */
    bool told;    /* by events, and these are left out: */
    size_t left_out;
};

/* The page that the call's start, count and filter name, of a list whose items have one of the texts in a member. */
void listing_read(const struct call *call, yyjson_val *list, const char *const *members, struct listing *ret);
/* The same of what events told; false: they told nothing, and nothing was read. *ret_doc is to be freed after the listing. */
enum listing_kind { LISTING_MODULES, LISTING_SOURCES };
bool listing_read_told(const struct call *call, enum listing_kind kind, const char *const *members, struct listing *ret,
                       yyjson_doc **ret_doc);
void listing_done(struct listing *listing);
/* "Modules: 100 of 7,395, from number 200, with \"libc\" in the name or path" */
void listing_add_title(struct call *call, const struct listing *listing, const char *title);
/* "  … more: dap_modules start=300 filter=libc" when there are more. */
void listing_add_rest(struct call *call, const struct listing *listing);
