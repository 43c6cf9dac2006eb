/* A session with a host and an adapter that live in the test: what the session sends is parsed and kept, what the adapter says is fed in.
 * Time stands still unless a test moves it. */
#pragma once

#include "base/error.h"
#include "session/session.h"
#include "json/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sent {
    struct json json;
    uint32_t channel;
    int64_t seq;
    const char *command; /* "" for answers to reverse requests */
    yyjson_val *arguments;
};

struct rig {
    struct session *session;
    uint64_t now;
    bool starting, closed, term, kill; /* what the host was asked for */
    int terminals_killed;              /* how often it was asked for that */
    bool stdio;                        /* the adapter speaks over stdin and stdout */
    bool stop_on_entry;
    const char *program; /* NULL: not known */
    uint32_t channel;    /* whom the adapter's side below speaks for */
    uint32_t opened[16]; /* channels that the host was asked to open */
    size_t opened_count;
    char opened_address[64]; /* of the newest; "" for the same server */
    uint16_t opened_port;
    uint32_t closed_channels[16];
    size_t closed_count;
    uint32_t terminal;          /* the newest that the host was asked to run */
    char terminal_command[512]; /* its argv, joined by blanks */
    char terminal_env[256];
    char typed[256];
    bool input_full;            /* typing is refused */
    const char *wait_explained; /* what the host says of an adapter that has not connected; NULL: nothing */
    struct sent sent[4096];
    size_t sent_count;
    size_t looked_at; /* rig_expect looks from here on */

    /* set by a test before rig_launch and rig_run */
    bool attach;
    uint64_t quirks;            /* of enum adapter_quirk */
    const char *capabilities;   /* NULL: the usual ones */
    const char *panic_function; /* of a Rust program; NULL */

    /* outcomes of the callbacks below */
    int launches, waits, dones, ends;
    enum launch_outcome launch_outcome;
    char launch_error[512];
    enum wait_outcome wait_outcome;
    bool done_failed;
    char done_error[512];
    enum error_kind done_kind;
};

void rig_open(struct rig *rig);
void rig_close(struct rig *rig); /* ends what lives, checks that nothing is left waiting */

/* The host's side. */
void rig_connect(struct rig *rig);
void rig_exit(struct rig *rig, int code, int signal); /* stream end, then exit */
void rig_pass(struct rig *rig, uint64_t ms);

/* The host's side of a child: opens the newest channel and makes the adapter speak for it. */
void rig_open_child(struct rig *rig);

/* The adapter's side, on rig->channel. JSON uses ' in place of ". */
void rig_event(struct rig *rig, const char *event, const char *body);
void rig_answer(struct rig *rig, const char *command, const char *body); /* success to the newest such request */
void rig_refuse(struct rig *rig, const char *command, const char *message);
/* Success to one of several requests. */
void rig_answer_to(struct rig *rig, int64_t seq, const char *body);
void rig_say(struct rig *rig, const char *json);

/* What the session sent. */
struct sent *rig_find(struct rig *rig, const char *command); /* the newest request of that name; NULL */
int rig_count(struct rig *rig, const char *command);
struct sent *rig_expect(struct rig *rig, const char *command); /* the next request must be this one */

/* The operations' side: callbacks count and keep their outcome. */
void rig_launch(struct rig *rig, const char *const *filters);
void rig_wait(struct rig *rig, uint64_t timeout_ms);
int rig_resume(struct rig *rig, enum resume_kind kind);
void rig_on_done(void *user, const struct error *error);
void rig_on_end(void *user, const struct error *error);
void rig_break(struct rig *rig, const char *path, int64_t line, const char *condition);

/* The usual way to a running program, and to a stop. */
void rig_run(struct rig *rig);
void rig_stop(struct rig *rig, const char *reason, int64_t thread);
