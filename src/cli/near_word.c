#include "cli/near_word.h"

#include "base/memory.h"
#include "verb/near_name.h"

#include <string.h>

void near_word_init(struct near_word *near, const char *given, size_t given_len)
{
    *near = (struct near_word){ .given = given, .given_len = given_len, .distance = given_len < 5 ? 2 : 3 };
}

void near_word_consider(struct near_word *near, const char *known)
{
    size_t len = strlen(known);
    size_t far = name_distance(near->given, near->given_len, known, len);
    /* "variables" for "vars", "continue" for "cont": one begins with the other */
    size_t common = len < near->given_len ? len : near->given_len;
    if (common >= 3 && strncmp(near->given, known, common) == 0 && far > 1)
        far = 1;
    if (far >= near->distance)
        return;
    near->distance = far;
    xreplace(&near->word, known);
}

void near_word_done(struct near_word *near)
{
    free(near->word);
}
