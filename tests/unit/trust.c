#include "config/trust.h"

#include "base/error.h"
#include "config/digest.h"
#include "config/settings.h"
#include "config/settings_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#define RECORD "state/dapple/trusted.json"
#define FILE_NAME "project/.dapple/settings.json"

static int make_scratch(void **state)
{
    char *scratch = scratch_new();
    AUTO_FREE char *home = scratch_path(scratch, "state");
    scratch_folder(scratch, "home");
    setenv("HOME", scratch, 1);
    setenv("XDG_STATE_HOME", home, 1);
    unsetenv("XDG_CONFIG_HOME");
    free(scratch_file(scratch, FILE_NAME, "{\"adapters\": {\"a\": {\"command\": \"x\"}}}"));
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_free(*state);
    return 0;
}

static enum trust_state state_at(const struct trust *trust, const char *folder)
{
    struct settings_file files[SETTINGS_FILES];
    size_t count = settings_files_of_project(folder, files);
    assert_int_equal(count, 1);
    enum trust_state result = trust_of(trust, &files[0]);
    settings_files_done(files, count);
    return result;
}

/* As the record on disk has it. */
static enum trust_state recorded(const char *scratch, const char *name)
{
    AUTO_FREE char *folder = scratch_path(scratch, name);
    AUTO_TRUST struct trust trust;
    assert_int_equal(trust_read(&trust, NULL), 0);
    return state_at(&trust, folder);
}

static void give(const char *scratch, const char *name)
{
    AUTO_FREE char *folder = scratch_path(scratch, name);
    AUTO_TRUST struct trust trust;
    struct settings_file files[SETTINGS_FILES];
    assert_int_equal(trust_read(&trust, NULL), 0);
    size_t count = settings_files_of_project(folder, files);
    assert_int_equal(count, 1);
    trust_give(&trust, &files[0]);
    settings_files_done(files, count);
    assert_int_equal(trust_write(&trust, NULL), 0);
}

/* The digests of the standard's examples: nothing, a short text, and one whose length needs a block of its own. */
static void digests(void **state)
{
    (void)state;
    char digest[DIGEST_SIZE];
    digest_of("", 0, digest);
    assert_string_equal(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest_of("abc", 3, digest);
    assert_string_equal(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, digest);
    assert_string_equal(digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    AUTO_FREE char *million = xmalloc(1000000);
    memset(million, 'a', 1000000);
    digest_of(million, 1000000, digest);
    assert_string_equal(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void given_and_kept(void **state)
{
    const char *scratch = *state;
    assert_int_equal(recorded(scratch, "project"), TRUST_NONE);
    give(scratch, "project");
    assert_int_equal(recorded(scratch, "project"), TRUST_GIVEN);
    AUTO_FREE char *record = scratch_path(scratch, RECORD);
    AUTO_FREE char *folder = path_folder(record);
    struct stat about;
    assert_int_equal(stat(record, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(stat(folder, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
}

/* One byte more, and somebody has to look again; the old content is still the one that was trusted. */
static void changed_file(void **state)
{
    const char *scratch = *state;
    give(scratch, "project");
    free(scratch_file(scratch, FILE_NAME, "{\"adapters\": {\"a\": {\"command\": \"y\"}}}"));
    assert_int_equal(recorded(scratch, "project"), TRUST_CHANGED);
    free(scratch_file(scratch, FILE_NAME, "{\"adapters\": {\"a\": {\"command\": \"x\"}}}"));
    assert_int_equal(recorded(scratch, "project"), TRUST_GIVEN);
}

/* The same content in another folder is another project: its relative commands are other programs. */
static void other_folder(void **state)
{
    const char *scratch = *state;
    give(scratch, "project");
    free(scratch_file(scratch, "copy/.dapple/settings.json", "{\"adapters\": {\"a\": {\"command\": \"x\"}}}"));
    assert_int_equal(recorded(scratch, "copy"), TRUST_NONE);
}

/* A project is reached by a link one day and by its own path the next; a folder below it belongs to it. */
static void real_path(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *project = scratch_path(scratch, "project");
    scratch_link(scratch, project, "link");
    scratch_folder(scratch, "project/src");
    give(scratch, "link");
    assert_int_equal(recorded(scratch, "project"), TRUST_GIVEN);
    assert_int_equal(recorded(scratch, "project/src"), TRUST_GIVEN);
}

/* Trusting a second project must keep the first. */
static void several_folders(void **state)
{
    const char *scratch = *state;
    free(scratch_file(scratch, "b/.pi/settings.json", "{}"));
    give(scratch, "project");
    give(scratch, "b");
    assert_int_equal(recorded(scratch, "project"), TRUST_GIVEN);
    assert_int_equal(recorded(scratch, "b"), TRUST_GIVEN);
    AUTO_FREE char *project = scratch_path(scratch, "project");
    AUTO_TRUST struct trust trust;
    assert_int_equal(trust_read(&trust, NULL), 0);
    assert_true(trust_take(&trust, project));
    assert_false(trust_take(&trust, project));
    assert_int_equal(trust_write(&trust, NULL), 0);
    assert_int_equal(recorded(scratch, "project"), TRUST_NONE);
    assert_int_equal(recorded(scratch, "b"), TRUST_GIVEN);
}

static void check_refused(const char *scratch, const char *why)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_TRUST struct trust trust;
    assert_int_equal(trust_read(&trust, &error), -1);
    assert_non_null(strstr(error.message, why));
    AUTO_FREE char *project = scratch_path(scratch, "project");
    assert_int_equal(state_at(&trust, project), TRUST_NONE);
}

/* A damaged record, or one that somebody else could have written, trusts nothing, and says so. */
static void bad_records(void **state)
{
    const char *scratch = *state;
    give(scratch, "project");
    AUTO_FREE char *record = scratch_path(scratch, RECORD);
    assert_int_equal(chmod(record, 0620), 0);
    check_refused(scratch, "could have been written by others");
    free(scratch_bytes(scratch, RECORD, "{", 1, 0600));
    check_refused(scratch, "invalid JSON");
    free(scratch_bytes(scratch, RECORD, "[]", 2, 0600));
    check_refused(scratch, "is no record of trust");
    free(scratch_bytes(scratch, RECORD, "{\"folders\": {\"/x\": 3}}", 22, 0600));
    assert_int_equal(recorded(scratch, "project"), TRUST_NONE);
}

/* A record that cannot be written is an error with the path, and the old one stays. */
static void record_not_written(void **state)
{
    const char *scratch = *state;
    free(scratch_file(scratch, "state", "a file where the folder should be"));
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_TRUST struct trust trust;
    assert_int_equal(trust_read(&trust, &error), 0);
    assert_int_equal(trust_write(&trust, &error), -1);
    assert_non_null(strstr(error.message, "trusted.json cannot be written: "));
}

/* An untrusted project: none of its commands, all of the user's; and what is wrong in its commands is nobody's business yet. */
static void untrusted_project(void **state)
{
    const char *scratch = *state;
    free(scratch_file(scratch, ".config/dapple/settings.json",
                      "{\"profiles\": {\"p\": {\"adapter\": \"gdb\", \"arguments\": {}}}}"));
    free(scratch_file(scratch, FILE_NAME,
                      "{\"adapters\": {\"gdb\": null, \"a\": {\"comand\": 1}}, \"profiles\": {\"p\": null}, \"idleMs\": 8}"));
    AUTO_FREE char *project = scratch_path(scratch, "project");
    struct settings *settings = settings_read(project);
    AUTO_FREE char *expected = xasprintf(
        "project settings: not trusted, so its adapters (gdb, a) and profiles (p) are ignored; the user can look at it and "
        "run: dapple trust %s (%s/.dapple/settings.json)\n",
        project, project);
    assert_string_equal(settings_warnings(settings), expected);
    const struct launch_profile *profile;
    assert_int_equal(settings_profile(settings, "p", &profile, NULL), 0);
    assert_string_equal(profile->adapter, "gdb");
    assert_int_equal(settings_values(settings)->idle_ms, 8);
    settings_free(settings);
    give(scratch, "project");
    settings = settings_read(project);
    assert_int_equal(settings_profile(settings, "p", &profile, NULL), -1);
    assert_non_null(strstr(settings_warnings(settings), "project dap.adapters.a.comand: is not allowed"));
    assert_null(strstr(settings_warnings(settings), "trust"));
    settings_free(settings);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests), TEST(given_and_kept), TEST(changed_file),       TEST(other_folder),      TEST(real_path),
        TEST(several_folders),     TEST(bad_records),    TEST(record_not_written), TEST(untrusted_project),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
