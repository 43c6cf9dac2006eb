/* Paths to values, and the names that they are compared with: whatever is taken for a path can be written, and leads to the same again. */
#include "verb/value_path.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "session/model.h"

#include <stdint.h>
#include <string.h>

/* A name that is shown in a path is found by it. */
static void check_name(const char *name)
{
    struct adapter_text text = { (char *)name, strlen(name) };
    struct value_path path;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer written;
    buffer_init(&written, LIMIT_PATH_TEXT);
    if (text.len == 0 || text.len > 1000)
        return;
    buffer_add(&written, "root");
    value_path_add(&written, &text);
    if (value_path_parse(written.data, &path, &error) < 0)
        abort();
    if (path.count != 2 || value_path_match(&path.segments[1], &text) == 0)
        abort();
    value_path_done(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    AUTO_FREE char *text = xmalloc(len + 1);
    struct value_path path;
    AUTO_ERROR struct error error = ERROR_INIT;
    memcpy(text, data, len);
    text[len] = '\0';
    if (value_path_parse(text, &path, &error) == 0) {
        size_t before = 0;
        for (size_t i = 0; i < path.count; i++) {
            if (path.segments[i].end <= before || path.segments[i].end > strlen(path.text))
                abort();
            before = path.segments[i].end;
        }
        if (path.count == 0 || path.count > LIMIT_PATH_SEGMENTS)
            abort();
        value_path_done(&path);
    } else if (error.message == NULL) {
        abort();
    }
    check_name(text);
    return 0;
}
