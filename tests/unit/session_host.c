/* A real session over a real process: the glue between the two. What the process does is tested in adapter_process.c. */
#include "io/session_host.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/loop.h"
#include "io/supervisor.h"
#include "session/session.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT_MS 20000

static char self_path[4096];
static struct loop loop;
static struct session_host *host;

/* ---- roles ---- */

static _Noreturn void role_silent(void)
{
    signal(SIGTERM, SIG_IGN);
    fprintf(stderr, "pid %d\n", (int)getpid());
    for (;;)
        pause();
}

static int role_failing(void)
{
    fputs("cannot load the debugger\n", stderr);
    return 6;
}

/* ---- launching ---- */

struct launched {
    int times;
    enum launch_outcome outcome;
    char *message;
};

static void on_launched(void *user, enum launch_outcome outcome, const struct error *error)
{
    struct launched *launched = user;
    launched->times++;
    launched->outcome = outcome;
    xreplace(&launched->message, error ? error->message : NULL);
}

static void on_ended(void *user, const struct error *error)
{
    (void)error;
    *(bool *)user = true;
}

static struct launch_plan *plan_of(const char *program, const char *role)
{
    struct launch_plan *plan = xcalloc(1, sizeof(*plan));
    plan->adapter_id = xstrdup("test");
    plan->adapter_type = xstrdup("test");
    plan->command.argv = xcalloc(4, sizeof(char *));
    plan->command.argv[0] = xstrdup(program);
    plan->command.argv[1] = xstrdup("role");
    plan->command.argv[2] = xstrdup(role);
    plan->command.env = xcalloc(1, sizeof(char *));
    plan->command.cwd = xstrdup("/");
    plan->arguments = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(plan->arguments, yyjson_mut_obj(plan->arguments));
    return plan;
}

static void launch(struct session *session, const char *program, const char *role, struct launched *launched)
{
    *launched = (struct launched){ 0 };
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(session_launch(session, plan_of(program, role), on_launched, launched, &error), 0);
}

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    fail_msg("nothing within %d ms", LIMIT_MS);
}

static int begin(void **state)
{
    (void)state;
    static uv_timer_t limit;
    if (loop_init(&loop) != 0)
        return -1;
    uv_timer_init(&loop.uv, &limit);
    uv_timer_start(&limit, on_limit, LIMIT_MS, 0);
    host = session_host_new(&loop, self_path);
    return 0;
}

static int end(void **state)
{
    (void)state;
    session_host_free(host);
    loop_done(&loop);
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static void run_until_launched(struct launched *launched)
{
    while (launched->times == 0)
        uv_run(&loop.uv, UV_RUN_ONCE);
    assert_int_equal(launched->times, 1);
}

static void run_until_silent_runs(struct session *session, int *ret_pidfd)
{
    int pid = 0;
    while (pid == 0) {
        AUTO_FREE char *text = session_stderr_tail(session, 100, NULL);
        if (!text || strchr(text, '\n') == NULL || sscanf(text, "pid %d", &pid) != 1)
            uv_run(&loop.uv, UV_RUN_ONCE);
    }
    *ret_pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(*ret_pidfd >= 0);
}

static bool has_ended(int pidfd, int limit)
{
    struct pollfd ended = { .fd = pidfd, .events = POLLIN };
    return poll(&ended, 1, limit) == 1;
}

/* ---- tests ---- */

static void a_missing_adapter_fails_the_launch(void **state)
{
    (void)state;
    struct launched launched;
    struct session *session = session_host_open(host, "main");
    launch(session, "/nonexistent/adapter", "silent", &launched);
    run_until_launched(&launched);
    assert_int_equal(launched.outcome, LAUNCH_FAILED);
    assert_non_null(strstr(launched.message, "cannot execute /nonexistent/adapter: No such file or directory"));
    assert_int_equal(session_state(session), SESSION_IDLE);
    free(launched.message);
}

/* From the callback that tells the end, the session may go on with the next launch. */
static void launches_again_after_a_failure(void **state)
{
    (void)state;
    struct launched launched;
    struct session *session = session_host_open(host, "main");
    for (int i = 0; i < 3; i++) {
        launch(session, self_path, "failing", &launched);
        run_until_launched(&launched);
        assert_int_equal(launched.outcome, LAUNCH_FAILED);
        free(launched.message);
        AUTO_FREE char *text = session_stderr_tail(session, 100, NULL);
        assert_string_equal(text, "cannot load the debugger\n");
        assert_false(session_process_alive(session));
    }
}

/* The time-outs of the session must wake the loop though nothing else happens. */
static void a_silent_adapter_ends_by_the_time_out_of_the_session(void **state)
{
    (void)state;
    struct launched launched;
    int adapter;
    struct session *session = session_host_open(host, "main");
    session_set_timeouts(session, &(struct session_timeouts){ 100, 100, 200, 100, 300 });
    launch(session, self_path, "silent", &launched);
    run_until_silent_runs(session, &adapter);
    run_until_launched(&launched);
    assert_int_equal(launched.outcome, LAUNCH_FAILED);
    while (session_process_alive(session))
        uv_run(&loop.uv, UV_RUN_ONCE);
    assert_true(has_ended(adapter, 0));
    close(adapter);
    free(launched.message);
}

static void ends_a_session_on_demand(void **state)
{
    (void)state;
    struct launched launched;
    int adapter;
    bool ended = false;
    struct session *session = session_host_open(host, "main");
    session_set_timeouts(session, &(struct session_timeouts){ 10000, 10000, 10000, 10000, 300 });
    launch(session, self_path, "silent", &launched);
    run_until_silent_runs(session, &adapter);
    session_end(session, "stopped", on_ended, &ended);
    while (!ended)
        uv_run(&loop.uv, UV_RUN_ONCE);
    assert_true(has_ended(adapter, 0));
    assert_int_equal(launched.times, 1);
    assert_int_equal(launched.outcome, LAUNCH_CANCELLED);
    close(adapter);
    free(launched.message);
}

/* The end of Dapple: several adapters that would not go, gone when kill_all returns, without the loop running. */
static void kill_all_ends_every_tree(void **state)
{
    (void)state;
    struct launched launched[3];
    int adapters[3];
    const char *names[3] = { "main", "second", "third" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct session *session = session_host_open(host, names[i]);
        launch(session, self_path, "silent", &launched[i]);
        run_until_silent_runs(session, &adapters[i]);
    }
    session_host_kill_all(host);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_true(has_ended(adapters[i], 0));
        close(adapters[i]);
        while (launched[i].times == 0)
            uv_run(&loop.uv, UV_RUN_ONCE);
        free(launched[i].message);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
    ssize_t len = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
    if (len < 0)
        return 1;
    self_path[len] = '\0';
    if (argc > 1 && strcmp(argv[1], SUPERVISOR_ROLE) == 0)
        return supervisor_main(argc, argv);
    if (argc > 2 && strcmp(argv[2], "silent") == 0)
        role_silent();
    if (argc > 2 && strcmp(argv[2], "failing") == 0)
        return role_failing();
    const struct CMUnitTest tests[] = {
        TEST(a_missing_adapter_fails_the_launch),
        TEST(launches_again_after_a_failure),
        TEST(a_silent_adapter_ends_by_the_time_out_of_the_session),
        TEST(ends_a_session_on_demand),
        TEST(kill_all_ends_every_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
