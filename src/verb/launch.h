/* What dap_launch, dap_attach and dap_restart share: the state of a call that begins a session, and its steps. */
#pragma once

#include "verb/internal.h"
#include "verb/interpreter.h"

struct adapter_choice;
struct adapter_request;

/* Parts of the arguments as the adapter layer wants them. */
struct launch_state {
    const struct launch_profile *profile; /* NULL; of the settings as they are now */
    yyjson_doc *merged;                   /* the profile's arguments with the call's launch_arguments over them; NULL: neither */
    struct interpreted interpreted;       /* what the call's program and args mean, when they begin with an interpreter */
    char *program;                        /* NULL: the launch arguments say what is run */
    char *cwd;
    char **args, **env;
    const char *word; /* for messages: "launch" */
    bool launched;
    bool wait_over;
    bool wait_bounded; /* the call gave its own time-out: it counts from the beginning */
    bool returns;      /* it does not wait for the first stop */
    void *more;        /* of the operation's own; freed by free_more */
    void (*free_more)(void *more);
};

/* Puts a new state into the call. */
struct launch_state *launch_state_new(struct call *call, const char *word);
/* Finds the profile that is named (`required`: or the only one there is), which must have this request. */
int launch_find_profile(struct call *call, struct launch_state *state, const char *request, bool required, struct error *ret_error);
void launch_read_arguments(struct call *call, struct launch_state *state);
yyjson_val *launch_arguments(const struct launch_state *state);                               /* NULL: none */
const char *launch_wanted_adapter(const struct call *call, const struct launch_state *state); /* NULL: none is named */
struct launch_plan *launch_make_plan(struct call *call, const struct adapter_choice *choice, const struct adapter_request *request,
                                     struct error *ret_error);
/* stop_on_exceptions was given: it is not used where exceptions were chosen for the session. */
void launch_warn_exceptions(struct call *call);
/* The breakpoints of the call: checked, or kept. */
int launch_read_breakpoints(struct call *call, bool store, struct error *ret_error);
/* Starts the plan, which it takes, and ends the call when that is done. */
void launch_begin(struct call *call, struct launch_plan *plan);

/* Remembers how the session was started ("launch" or "attach"), for dap_restart. */
void started_remember(struct named *named, const char *by, yyjson_val *arguments);
/* The same with the arguments that dap_restart put into its call: settings, profile and files are looked at anew. */
void launch_again(struct call *call);
void attach_again(struct call *call);

/* A dap_attach that still waits for its process ends. */
void attach_abandon(struct named *named);
