/* Pages of long lists with a filter on our side: adapters give them whole, gdb thousands of entries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yyjson.h>

struct call;

/* One kind of list: how its items are found, shown and told in the structured result. */
struct listing_form {
    enum listing_kind { LISTING_MODULES, LISTING_SOURCES } kind;
    const char *title;
    const char *key, *total_key; /* of the structured result */
    const char *const *members;  /* the filter looks into these; NULL-terminated */
    void (*add_row)(struct call *call, yyjson_val *item);
    void (*fill_row)(yyjson_mut_doc *doc, yyjson_mut_val *row, yyjson_val *item);
};

/* Ends the call with the page that its start, count and filter name of the list. */
void listing_report(struct call *call, const struct listing_form *form, yyjson_val *list);
/* The same of what events told: some adapters cannot be asked. False: they told nothing, and the call goes on. */
bool listing_report_told(struct call *call, const struct listing_form *form);
