/* Which frame of a stop is shown. */
#include "verb/shown_frame.h"

#include "base/memory.h"
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A project with one file, and a library beside it. */
struct place {
    char folder[64];
    char *project, *own, *library;
};

static void touch(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static int set_up(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));
    snprintf(place->folder, sizeof(place->folder), "/tmp/dapple-shown-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    place->project = path_join(place->folder, "project");
    assert_int_equal(mkdir(place->project, 0700), 0);
    place->own = path_join(place->project, "app.c");
    place->library = path_join(place->folder, "library.c");
    touch(place->own);
    touch(place->library);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    unlink(place->own);
    unlink(place->library);
    rmdir(place->project);
    rmdir(place->folder);
    free(place->own);
    free(place->library);
    free(place->project);
    free(place);
    return 0;
}

static size_t shown(const struct place *place, const char *reason, const char *const *paths, size_t count)
{
    struct frame frames[8] = { 0 };
    for (size_t i = 0; i < count; i++)
        frames[i] = (struct frame){ .name = (char *)"f", .source_path = (char *)paths[i], .line = 1 };
    struct stop stop = { .reason = (char *)reason, .frames = frames, .frame_count = count };
    return shown_frame(&stop, place->project);
}

/* An assertion that fails stands in the C library, six frames above the function that it is about: its variables were a second and a
 * third call away. */
static void a_failure_is_shown_in_the_projects_code(void **state)
{
    const struct place *place = *state;
    const char *paths[] = { "./nptl/pthread_kill.c", place->library, place->own, place->own };
    assert_int_equal(shown(place, "signal", paths, 4), 2);
    assert_int_equal(shown(place, "exception", paths, 4), 2);
    assert_int_equal(shown(place, "pause", paths, 4), 2);
}

/* Whoever steps into a library, or sets a breakpoint there, wants to see that. */
static void a_place_that_was_asked_for_is_shown(void **state)
{
    const struct place *place = *state;
    const char *paths[] = { place->library, place->own };
    assert_int_equal(shown(place, "step", paths, 2), 0);
    assert_int_equal(shown(place, "breakpoint", paths, 2), 0);
}

/* A frame without a source says nothing: the nearest that has one. Without any, the top. */
static void a_frame_without_a_source(void **state)
{
    const struct place *place = *state;
    const char *paths[] = { NULL, "/nowhere/x.c", place->library };
    assert_int_equal(shown(place, "breakpoint", paths, 3), 2);
    assert_int_equal(shown(place, "signal", paths, 3), 2);
    assert_int_equal(shown(place, "signal", paths, 2), 0);
    assert_int_equal(shown(place, "signal", paths, 0), 0);
}

/* Where the program does not lie in the folder that one is in, what delve calls a runtime's frame ("subtle") is not the user's own. */
static void a_runtime_is_not_the_users_code(void **state)
{
    const struct place *place = *state;
    struct frame frames[] = {
        { .name = (char *)"runtime.gopark", .source_path = place->library, .line = 1, .hint = (char *)"subtle" },
        { .name = (char *)"main.recv", .source_path = place->own, .line = 1 },
    };
    assert_int_equal(own_frame(frames, 2, place->project), 1);
    assert_int_equal(own_frame(frames, 2, "/nowhere"), 1);
    assert_int_equal(own_frame(frames, 1, "/nowhere"), 0);
    assert_int_equal(own_frame(frames, 0, "/nowhere"), 0);
    struct stop pause = { .reason = (char *)"pause", .frames = frames, .frame_count = 2 };
    assert_int_equal(shown_frame(&pause, "/nowhere"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_failure_is_shown_in_the_projects_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_that_was_asked_for_is_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_frame_without_a_source, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_runtime_is_not_the_users_code, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
