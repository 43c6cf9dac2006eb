#include "verb/nearest_names.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "session/model.h"
#include "verb/near_name.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

void nearest_names_init(struct nearest_names *names, const char *wanted)
{
    *names = (struct nearest_names){ .wanted = wanted };
}

static void insert(struct nearest_names *names, char *text, size_t far)
{
    size_t at = names->near_count;
    while (at > 0 && names->near[at - 1].distance > far)
        at--;
    if (at == NEAREST_NAMES) {
        free(text);
        return;
    }
    if (names->near_count == NEAREST_NAMES)
        free(names->near[--names->near_count].text);
    memmove(&names->near[at + 1], &names->near[at], (names->near_count - at) * sizeof(names->near[0]));
    names->near[at] = (struct near_name){ text, far };
    names->near_count++;
}

/* Quotes, brackets and sigils around a name are no difference. */
static void trim(const char **data, size_t *len)
{
    static const char marks[] = "[]'\"$@%:#";
    while (*len > 0 && (*data)[0] != '\0' && strchr(marks, (*data)[0]) != NULL) {
        (*data)++;
        (*len)--;
    }
    while (*len > 0 && (*data)[*len - 1] != '\0' && strchr(marks, (*data)[*len - 1]) != NULL)
        (*len)--;
}

static char *copy(const struct adapter_text *name)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, 4096);
    utf8_one_line(&text, name->data, name->len, LIMIT_NAME_BYTES);
    return xstrdup(text.data == NULL ? "" : text.data);
}

void nearest_names_add(struct nearest_names *names, const struct adapter_text *name)
{
    if (name->data == NULL || name->len == 0)
        return;
    names->total++;
    if (names->first_count < NEAREST_NAMES)
        names->first[names->first_count++] = copy(name);
    const char *wanted = names->wanted, *data = name->data;
    size_t wanted_len = strlen(wanted), len = name->len;
    trim(&wanted, &wanted_len);
    trim(&data, &len);
    size_t far = name_distance(wanted, wanted_len, data, len);
    if (far != SIZE_MAX)
        insert(names, copy(name), far);
}

void nearest_names_write(struct buffer *text, const struct nearest_names *names)
{
    if (names->total == 0) {
        buffer_add(text, "; it has no members");
        return;
    }
    buffer_add(text, names->near_count > 0 ? "; near it: " : "; there is ");
    size_t count = names->near_count > 0 ? names->near_count : names->first_count;
    for (size_t i = 0; i < count; i++)
        buffer_addf(text, "%s%s", i > 0 ? ", " : "", names->near_count > 0 ? names->near[i].text : names->first[i]);
    if (names->near_count == 0 && names->total > count)
        buffer_addf(text, " and %zu more", names->total - count);
}

void nearest_names_done(struct nearest_names *names)
{
    for (size_t i = 0; i < names->near_count; i++)
        free(names->near[i].text);
    for (size_t i = 0; i < names->first_count; i++)
        free(names->first[i]);
    *names = (struct nearest_names){ 0 };
}
