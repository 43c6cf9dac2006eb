/* A file of settings, of anybody's making: it is read without harm, each warning is one line, and what counts in the end is within bounds. */
#include "config/settings.h"

#include "adapter/catalog.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/fuzz-settings-XXXXXX";

static void remove_home(void)
{
    static const char *const names[] = { "/.config/dapple/settings.json", "/.config/dapple", "/.config", "" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        AUTO_FREE char *path = xasprintf("%s%s", home, names[i]);
        remove(path);
    }
}

static void make_home(void)
{
    static const char *const folders[] = { ".config", ".config/dapple" };
    if (mkdtemp(home) == NULL)
        abort();
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        AUTO_FREE char *path = path_join(home, folders[i]);
        if (mkdir(path, 0700) < 0)
            abort();
    }
    setenv("HOME", home, 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    atexit(remove_home);
}

static void write_settings(const uint8_t *bytes, size_t len)
{
    AUTO_FREE char *path = path_join(home, ".config/dapple/settings.json");
    FILE *file = fopen(path, "we");
    if (file == NULL || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
        abort();
}

static void check(const struct settings *settings)
{
    const struct settings_values *values = settings_values(settings);
    const char *warnings = settings_warnings(settings);
    size_t len = strlen(warnings);
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(settings, &count);
    if (values->request_ms < 1 || values->execution_ms < 1 || values->result_bytes < LIMIT_TEXT_BYTES_LEAST ||
        values->result_bytes > LIMIT_TEXT_BYTES || values->result_lines < LIMIT_TEXT_LINES_LEAST ||
        values->result_lines > LIMIT_TEXT_LINES || values->stop_context == NULL)
        abort();
    if ((len > 0 && warnings[len - 1] != '\n') || !utf8_valid(warnings, len) || strpbrk(warnings, "\r\t\x1b") != NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (*adapter_entry_id(adapters[i]) == '\0')
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (strstr(home, "XXXXXX") != NULL)
        make_home();
    write_settings(bytes, len);
    struct settings *settings = settings_read("/");
    check(settings);
    settings_free(settings);
    return 0;
}
