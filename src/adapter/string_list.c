#include "adapter/string_list.h"

#include "base/memory.h"

#include <string.h>

void string_list_take(struct string_list *list, char *text)
{
    list->items = xgrow(list->items, &list->cap, list->count + 2, sizeof *list->items);
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
}

void string_list_add(struct string_list *list, const char *text)
{
    string_list_take(list, xstrdup(text));
}

bool string_list_has(const struct string_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0)
            return true;
    }
    return false;
}

void string_list_done(struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct string_list){ 0 };
}

char **string_list_give(struct string_list *list)
{
    char **items = list->items != NULL ? list->items : xcalloc(1, sizeof *items);
    *list = (struct string_list){ 0 };
    return items;
}
