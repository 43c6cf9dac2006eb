#include "adapter/nearest_name.h"

#include "base/memory.h"
#include "base/path.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define LONGEST_NAME 128  /* longer names are not compared */
#define MOST_ENTRIES 5000 /* of a folder, so that a huge one costs little */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* How many letters must be added, dropped, replaced or swapped with their neighbour to make `b` out of `a`; case does not count. */
static size_t distance(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b);
    if (a_len > LONGEST_NAME || b_len > LONGEST_NAME)
        return SIZE_MAX;
    size_t rows[3][LONGEST_NAME + 1]; /* for two letters of `a` ago, one ago, and the present one */
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            now[j] = least(before[j - 1] + !same_letter(a[i - 1], b[j - 1]), least(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

/* "app" and "app.py", or "app.pyc" and "app.py": same name, other extension. */
static bool same_stem(const char *a, const char *b)
{
    size_t a_stem = strlen(a) - strlen(path_extension(a)), b_stem = strlen(b) - strlen(path_extension(b));
    return a_stem == b_stem && a_stem > 0 && strncasecmp(a, b, a_stem) == 0;
}

char *nearest_path(const char *path)
{
    AUTO_FREE char *folder = path_folder(path);
    const char *wanted = path_name(path);
    size_t limit = strlen(wanted) < 4 ? 1 : least(strlen(wanted) / 4 + 1, 3);
    size_t best = limit + 1;
    AUTO_FREE char *name = NULL;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return NULL;
    const struct dirent *entry;
    for (size_t seen = 0; seen < MOST_ENTRIES && (entry = readdir(entries)) != NULL; seen++) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        size_t far = same_stem(wanted, entry->d_name) ? 1 : distance(wanted, entry->d_name);
        if (far < best || (far == best && name != NULL && strcmp(entry->d_name, name) < 0)) {
            best = far;
            xreplace(&name, entry->d_name);
        }
    }
    closedir(entries);
    return name != NULL ? path_join(folder, name) : NULL;
}
