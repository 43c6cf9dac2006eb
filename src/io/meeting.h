/* Where Dapple and an adapter meet: arranged before the adapter starts, told to it in its arguments and environment, and perhaps announced
 * by it. What each transport means stands in adapter_process.h. */
#pragma once

#include "io/dial.h"
#include "io/listener.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct error;
struct announcement;
struct adapter_command;

struct meeting {
    const struct adapter_command *command;
    uint16_t port; /* 0: not known yet, or none */
    char *socket_path;
    struct listener *listener;
    struct announcement *out_words, *err_words; /* what is waited for on stdout and on stderr; NULL: nothing */
};

/* Fills *meeting, also when it fails. `accepted` is told of the connection that the adapter makes, if that is the way. */
int meeting_arrange(struct meeting *meeting, struct loop *loop, const struct adapter_command *command, listener_fn accepted,
                    void *user, struct error *ret_error);
/* Safe to repeat, and on zeroed memory. The port stays, for messages. */
void meeting_done(struct meeting *meeting);

/* The command's, with the marks filled in; NULL-terminated heap memory of the caller's (argument_list.h). */
char **meeting_arguments(const struct meeting *meeting);
char **meeting_environment(const struct meeting *meeting);

/* The adapter's server: what to dial, valid as long as the meeting. false: it has none, or it is not known yet. */
bool meeting_place(const struct meeting *meeting, struct dial_place *ret_place);
/* Takes what the adapter printed next. True, once: with these bytes it has announced that it listens. */
enum meeting_stream { MEETING_OUT, MEETING_ERR };
bool meeting_hear(struct meeting *meeting, enum meeting_stream stream, const char *bytes, size_t len);
/* Whether it is to be dialled now: it is a server, and has nothing to announce any more. */
bool meeting_may_dial(const struct meeting *meeting);
/* The port was our choice, so another one is as good. */
bool meeting_port_was_chosen(const struct meeting *meeting);

/* What the adapter has to do next, in the past tense: "accepted a connection on port 4711". Heap memory of the caller's. */
char *meeting_next_step(const struct meeting *meeting);
