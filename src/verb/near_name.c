#include "verb/near_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAME_MOST 40 /* bytes of a name that are compared */

/* Lower case and without separators, so that frameId and frame-id are near frame_id. Returns the length. */
static size_t plain_name(const char *name, size_t len, char plain[NAME_MOST + 1])
{
    size_t used = 0;
    for (size_t i = 0; i < len && used < NAME_MOST; i++) {
        if (name[i] != '_' && name[i] != '-' && name[i] != '\0')
            plain[used++] = (char)tolower((unsigned char)name[i]);
    }
    plain[used] = '\0';
    return used;
}

/* How many letters must be put in, taken out or exchanged to come from one to the other. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t row[NAME_MOST + 1];
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b_len];
}

size_t name_distance(const char *given, size_t given_len, const char *known, size_t known_len)
{
    char a[NAME_MOST + 1], b[NAME_MOST + 1];
    size_t a_len = plain_name(given, given_len, a);
    size_t b_len = plain_name(known, known_len, b);
    size_t distance = edit_distance(a, a_len, b, b_len);
    if (distance <= 2 && distance * 2 < a_len)
        return distance;
    bool part = (a_len >= 4 && strstr(b, a)) || (b_len >= 4 && strstr(a, b));
    return part ? distance + 2 : SIZE_MAX; /* a likely misspelling comes before a part */
}

bool name_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    char plain_a[NAME_MOST + 1], plain_b[NAME_MOST + 1];
    size_t len = plain_name(a, a_len, plain_a);
    return len > 0 && a_len <= NAME_MOST && len == plain_name(b, b_len, plain_b) && memcmp(plain_a, plain_b, len) == 0;
}
