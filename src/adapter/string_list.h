/* A growing list of strings that it owns, always NULL-terminated after its last item. Zeroed memory is an empty list. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct string_list {
    char **items; /* NULL when nothing was ever added */
    size_t count;
    size_t cap; /* private */
};

void string_list_take(struct string_list *list, char *text); /* owned by the list from now on */
void string_list_add(struct string_list *list, const char *text);
bool string_list_has(const struct string_list *list, const char *text);
void string_list_done(struct string_list *list);

/* The items as a NULL-terminated array of the caller's, never NULL; the list is empty afterwards. */
char **string_list_give(struct string_list *list);

#define AUTO_STRING_LIST __attribute__((cleanup(string_list_done)))
