/* A real adapter process under a real supervisor, with everything that it reports kept. The test program is its own supervisor and its own
 * adapter, in roles that the test names. */
#pragma once

#include "base/buffer.h"
#include "io/adapter_process.h"
#include "io/loop.h"
#include "session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIMIT_MS 20000

/* ---- the roles ---- */

struct rig_role {
    const char *name;
    int (*run)(char **args);
};

extern char rig_path[4096]; /* of the test program */

/* For main: runs as supervisor, or in a role, and exits then. Otherwise this is the test. */
void rig_begin(int argc, char **argv, const struct rig_role *roles, size_t count);

void rig_write(int fd, const char *bytes, size_t len);
void rig_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void rig_stay(void);
int rig_echo(int in, int out); /* until the end of file */

/* ---- the process under test, recorded ---- */

enum event { CONNECTED = 1, FAILED = 2, BYTES = 4, STREAM_END = 8, ERR = 16, OUT = 32, EXIT = 64, CHILD = 128 };

struct child {
    struct buffer order, bytes;
};

#define CHILDREN 4

struct record {
    struct adapter_process *process;
    struct child children[CHILDREN]; /* by channel; 0 is not used */
    struct adapter_command command;
    char *argv[8];
    char *env[4];
    unsigned seen;
    struct buffer order; /* one letter per event; of equal ones in a row the first */
    struct buffer bytes, err, out;
    char *why; /* of the start failure or the stream's end */
    int code, signal;
    unsigned free_at; /* frees the process in that callback */
};

extern struct loop rig_loop;

extern const struct adapter_process_events rig_events; /* for a record as `user` */

int rig_setup(void **state);
/* After each test: no child is left, not even as a zombie. */
int rig_teardown(void **state);
#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

/* Prepare a record, change its command if need be, start it. */
void rig_use_role(struct record *record, const char *role, const char *first, const char *second);
void rig_use_tcp(struct record *record, const char *host, uint16_t port);
void rig_start(struct record *record);
void rig_start_role(struct record *record, const char *role, const char *first);
void rig_end(struct record *record);

/* The conditions are looked at after each turn of the loop; each wait has a limit, and shows what was seen when it fails. */
typedef bool (*rig_condition_fn)(const struct record *record, size_t number);
void rig_run_until(struct record *record, rig_condition_fn condition, size_t number, const char *what);
bool rig_has_seen(const struct record *record, size_t number);
bool rig_has_bytes(const struct record *record, size_t number);
void rig_run_until_seen(struct record *record, unsigned wanted);
void rig_expect_exit(struct record *record, int code, int signal);
void rig_send(struct record *record, const char *text); /* on the root */

int rig_open_pid(const char *text); /* a pidfd for "pid N" */
bool rig_has_ended(int pidfd, int limit);

/* The role "dapple" of the test program says two pids and is killed with SIGKILL: both are gone within a second. */
void rig_check_sudden_death(void);
