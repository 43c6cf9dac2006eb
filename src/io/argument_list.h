/* NULL-terminated lists of strings: arguments, changes of the environment. */
#pragma once

#include <stddef.h>

size_t argument_list_count(char *const *list); /* NULL: none */
/* A copy of the caller's, with room for `spare` more strings at its end (NULL by then); wherever `mark` stands in one, `value` stands
 * in the copy. `mark` NULL: copied as they are. */
char **argument_list_copy(char *const *list, size_t spare, const char *mark, const char *value);
void argument_list_free(char **list);
