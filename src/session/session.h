/* The debug session: one name, and under it at most one running adapter with its debuggee.
 *
 * Free of I/O and of clocks. The host (src/io) starts processes and moves bytes; it reports what happened through session_on_*, and
 * the session asks for more through session_host_ops. Time enters through session_on_time only: call it before any other entry point
 * whenever time has passed. Everything here runs on one thread; callbacks may call back into the session.
 *
 * The rules that it keeps are listed in ARCHITECTURE.md ("Rules of the session"); specification: "Debug session", "Launching and
 * attaching", "Debug session end". */
#pragma once

#include "session/model.h"
#include "session/quirks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

struct session;
struct dap_answer;
struct error;

enum session_state {
    SESSION_IDLE,
    SESSION_LAUNCHING,
    SESSION_RUNNING,
    SESSION_STOPPED,
    SESSION_TERMINATED,
};
const char *session_state_name(enum session_state state);

/* ---- the host ---- */

enum session_transport {
    SESSION_STDIO,
    SESSION_TCP,        /* the adapter listens on host and port */
    SESSION_TCP_ACCEPT, /* we listen on host and a free port, and the adapter connects to it */
    SESSION_UNIX,       /* the adapter listens on a Unix socket in a private folder of ours; "$SOCKET" in argv is its path */
    SESSION_CONNECT,    /* an adapter that runs already, at host and port: nothing is started, argv is NULL */
};

/* How to start an adapter. Owned by the session's plan; valid until the next launch. */
struct adapter_command {
    char **argv; /* NULL-terminated; argv[0] absolute */
    char *cwd;
    char **env; /* NULL-terminated "NAME=value" to set, "NAME" to remove, over the inherited environment */
    enum session_transport transport;
    char *host;    /* the TCP ones; NULL: 127.0.0.1 */
    uint16_t port; /* SESSION_TCP: 0 takes what the adapter announces, or else a free one that replaces "$PORT" in argv */
    char *
        announcement; /* SESSION_TCP, SESSION_UNIX: what the adapter prints on stdout or stderr when it listens, with "${port}" where a
                           chosen port stands: "DAP server listening at: 127.0.0.1:${port}"; NULL: it prints nothing of the kind */
    bool gentle;      /* it holds a process that is not ours: when Dapple goes away it gets time to let go before it is ended */
};

/* How to start a program in a terminal (the reverse request runInTerminal). Valid during the call. */
struct terminal_command {
    char **argv; /* NULL-terminated */
    char *cwd;   /* NULL or "": ours */
    char **env;  /* as in adapter_command */
    bool shell;  /* the arguments are for a shell to interpret */
};

enum session_force { SESSION_SIGTERM, SESSION_SIGKILL };

/* A channel is one DAP connection to the adapter: 0 is the root's. Terminals are numbered from 1. */
struct session_host_ops {
    /* Start the adapter and connect. Report session_on_connected or session_on_start_failed, later or at once. */
    void (*start)(void *host, struct session *session, const struct adapter_command *command);
    /* One more connection, to the same server or (address not NULL) to another. Report session_on_connected or session_on_open_failed. */
    void (*open)(void *host, struct session *session, uint32_t channel, const char *address, uint16_t port);
    void (*send)(void *host, struct session *session, uint32_t channel, const char *bytes,
                 size_t len); /* bytes valid during the call */
    void (*close)(void *host, struct session *session,
                  uint32_t channel); /* no more bytes will be sent: close stdin or the socket */
    /* End the adapter and every process below it. With SESSION_SIGKILL the tree is gone soon after. session_on_exit follows. */
    void (*force)(void *host, struct session *session, enum session_force how);
    /* End what runs in the terminals, with SIGKILL. The exit of each follows. */
    void (*kill_terminals)(void *host, struct session *session);
    /* Run a program in a terminal. Report session_on_terminal_started or _failed, then its output, then its exit. */
    void (*run)(void *host, struct session *session, uint32_t terminal, const struct terminal_command *command);
    /* Its input. -1: too much is unread there, or it has ended; nothing of this is typed then. */
    int (*type)(void *host, struct session *session, uint32_t terminal, const char *bytes, size_t len, struct error *ret_error);
    /* While the adapter is not connected: what it has not done yet, and what it does instead, as heap memory of the caller's. NULL: nothing
     * to say. */
    char *(*explain_wait)(void *host, struct session *session);
};

struct session *session_new(const char *name, const struct session_host_ops *ops, void *host);
/* The host must have ended the adapter before; waits and pending calls are completed as cancelled. */
void session_free(struct session *session);

void session_on_connected(struct session *session, uint32_t channel);
void session_on_open_failed(struct session *session, uint32_t channel, const struct error *why);
void session_on_start_failed(struct session *session, const struct error *why);
void session_on_bytes(struct session *session, uint32_t channel, const char *bytes, size_t len);
void session_on_stream_end(struct session *session, uint32_t channel, const char *why); /* `why` NULL: plain end of stream */
void session_on_stderr(struct session *session, const char *bytes, size_t len);
/* What the adapter's process wrote to stdout when its DAP goes elsewhere: kept with stderr, and the program's output where a quirk says so. */
void session_on_adapter_stdout(struct session *session, const char *bytes, size_t len);
void session_on_terminal_started(struct session *session, uint32_t terminal, int64_t pid);
void session_on_terminal_failed(struct session *session, uint32_t terminal, const struct error *why);
void session_on_terminal_output(struct session *session, uint32_t terminal, const char *bytes, size_t len);
void session_on_terminal_exit(struct session *session, uint32_t terminal, int code, int signal); /* after its last output */
/* The adapter, its whole tree and all terminals are gone. signal 0: it exited with `code`. */
void session_on_exit(struct session *session, int code, int signal);
void session_on_time(struct session *session, uint64_t now);
uint64_t session_deadline(const struct session *session); /* when session_on_time is needed at the latest; UINT64_MAX never */

/* ---- settings of one session ---- */

struct session_timeouts {
    uint64_t startup, request, launch, execution, shutdown; /* milliseconds */
};
void session_set_timeouts(struct session *session, const struct session_timeouts *timeouts);
const struct session_timeouts *session_timeouts(const struct session *session);

/* ---- launching ---- */

/* Exception filters of ours, for the panics of a Rust program: all, or without those that the program's own code catches. */
#define PANIC_FILTER "rust_panic"
#define PANIC_UNCAUGHT_FILTER "rust_panic_uncaught"

/* Everything that a launch needs; the adapter layer makes it, the session owns it from session_launch on. */
struct launch_plan {
    char *adapter_id;   /* catalog id; reported as adapter_id */
    char *adapter_type; /* sent as adapterID in `initialize` */
    struct adapter_command command;
    yyjson_mut_doc *arguments; /* arguments of `launch` or `attach`, complete */
    bool attach;               /* to what was there before: stop detaches */
    bool launch_request;       /* the request is `launch`, also where that attaches (to a core file) */
    uint64_t quirks;           /* of enum adapter_quirk */
    char **claims_wrongly;     /* NULL-terminated names of capabilities that are not to be believed; NULL: none */
    bool stop_on_entry;        /* the stop at the start was asked for */
    char **exception_filters;  /* NULL-terminated wanted filter ids, checked against what the adapter announces */
    char *panic_function;      /* of a Rust program: the symbol that every panic goes through (panics.c); NULL */
    char *program;             /* absolute, for messages; may be NULL */
    char *attached_to;         /* "pid 123 (app)", "127.0.0.1:5678", "core file /tmp/core"; NULL: launched */
    int64_t pid;               /* of the process that was attached to; 0: not known */
};
void launch_plan_free(struct launch_plan *plan);
/* What `initialize` says of us; heap memory of the caller's. */
yyjson_mut_doc *session_initialize_arguments(const char *adapter_type);

enum launch_outcome {
    LAUNCH_STARTED,   /* running, stopped or already ended: see the state */
    LAUNCH_PENDING,   /* the launch time-out passed; the session stays in "launching" and goes on */
    LAUNCH_FAILED,    /* error says why; the adapter is gone; state idle (never connected) or terminated */
    LAUNCH_CANCELLED, /* session_launch_cancel; cleaned up */
};
typedef void (*launch_fn)(void *user, enum launch_outcome outcome, const struct error *error);

/* Starts; `done` is called once. Fails at once (-1) in states launching, running and stopped. Takes the plan in any case. */
int session_launch(struct session *session, struct launch_plan *plan, launch_fn done, void *user, struct error *ret_error);
/* Ends a launch that has not completed: full clean-up, then `done` with LAUNCH_CANCELLED. Otherwise nothing. */
void session_launch_cancel(struct session *session);

/* ---- execution ---- */

enum resume_kind {
    RESUME_CONTINUE,
    RESUME_NEXT,
    RESUME_STEP_IN,
    RESUME_STEP_OUT,
    RESUME_STEP_BACK,
    RESUME_REVERSE_CONTINUE,
    RESUME_GOTO,
    RESUME_RESTART_FRAME,
};
enum step_granularity { STEP_STATEMENT, STEP_LINE, STEP_INSTRUCTION };

/* One way to go on from a stop. */
struct resume {
    enum resume_kind kind;
    bool has_thread;                   /* otherwise the thread of the stop */
    int64_t thread_id;                 /* as we show it: another thread of the stopped target */
    enum step_granularity granularity; /* STEP_STATEMENT: the adapter's own measure */
    bool single_thread;                /* the other threads stay as they are */
    bool has_target;                   /* a target of goto is always needed, and a frame of restartFrame */
    int64_t target;                    /* the adapter's own number: of a step-in or a goto target, or of a frame */
    yyjson_mut_doc *raw; /* sent as they are in the place of the arguments that the above would make; taken when it is sent; NULL */
    bool forced;         /* whatever the adapter claims */
};
/* False: the command of that name does not let the program go on. */
bool session_find_resume(const char *command, enum resume_kind *ret);

/* Sends the resume. The state is running from the sending on; a refused resume puts the stop back.
 * `done` is called once with the answer: error NULL on success. Fails at once when not stopped, and when the adapter does not claim what
 * is asked for. */
typedef void (*session_done_fn)(void *user, const struct error *error);
int session_resume(struct session *session, const struct resume *resume, session_done_fn done, void *user, struct error *ret_error);
/* While the program runs: whether one thread was let go on alone; the others stand where they stood. */
bool session_single_thread(const struct session *session, int64_t *ret_thread);
/* Asks what runs to stand still: all of it, or the target of one thread. That thread is the one that the stop is told of, where all of its
 * target's stand. */
int session_pause(struct session *session, const int64_t *thread_id, session_done_fn done, void *user, struct error *ret_error);

/* The adapter's own restart of a program that was launched: where it claims it, and the launch is over. The state is running from here on;
 * `done` is called once with the answer. Refused: what is left of the program is not known, and the session is to be ended. */
bool session_can_restart(const struct session *session);
void session_restart(struct session *session, session_done_fn done, void *user);

/* Waits until the program stands still with its frames read, or the session ends, or `timeout_ms` passed (0: at once), or it is
 * cancelled. Register it before the resume is sent. Waits are told in the order of their registration; one that was told of a stop may
 * resume the program, and then the others wait on. What a callback registers is for the next event. */
enum wait_outcome { WAIT_STOPPED, WAIT_ENDED, WAIT_TIMED_OUT, WAIT_CANCELLED };
typedef void (*wait_fn)(void *user, enum wait_outcome outcome);
struct session_wait;
struct session_wait *session_wait(struct session *session, uint64_t timeout_ms, wait_fn done, void *user);
void session_wait_cancel(struct session *session, struct session_wait *wait); /* done is called with WAIT_CANCELLED */
void session_wait_forget(struct session *session, struct session_wait *wait); /* done is not called */
bool session_is_awaited(const struct session *session);                       /* by somebody who was not told yet */
uint64_t session_time(const struct session *session); /* when the last event was, as session_on_time counts */

/* What becomes of the program at the end of the session. By default one that was launched is ended, and one that was attached to goes on. */
enum debuggee_fate { FATE_DEFAULT, FATE_KILL };
/* For the session_end that follows. -1: the adapter has no way to do it; the error says which capability it lacks. */
int session_set_fate(struct session *session, enum debuggee_fate fate, struct error *ret_error);

/* Ends the session within the shutdown time-out: terminate, disconnect, SIGTERM, SIGKILL. `done` when the tree is gone (at once when
 * there is nothing to end). Safe to repeat. `reason` becomes the termination reason. */
void session_end(struct session *session, const char *reason, session_done_fn done, void *user);
bool session_process_alive(const struct session *session); /* the adapter's tree has not been reported gone */

/* ---- state ---- */

const char *session_name(const struct session *session);
enum session_state session_state(const struct session *session);
bool session_active(const struct session *session);                  /* launching, running or stopped */
bool session_is_ending(const struct session *session);               /* still active, but the end is on its way */
const char *session_adapter_id(const struct session *session);       /* NULL when idle */
bool session_exit_code(const struct session *session, int64_t *ret); /* false: not known */
int session_exit_signal(const struct session *session);              /* the signal that ended the debuggee; 0: none, or not known */
bool session_quirk(const struct session *session, enum adapter_quirk quirk); /* of the adapter of the last launch */
const char *session_termination_reason(const struct session *session);       /* NULL unless terminated */
bool session_adapter_failed(const struct session *session); /* terminated because the adapter went away: its stderr may say why */
bool session_capability(const struct session *session, const char *name);
yyjson_mut_val *session_capability_value(const struct session *session, const char *name); /* NULL */
/* An error unless the adapter claims the capability: "gdb cannot do WHAT: it does not claim NAME; INSTEAD". */
int session_require(const struct session *session, const char *name, const char *what, const char *instead,
                    struct error *ret_error);
const char *session_program(const struct session *session); /* of the last launch; NULL */

/* What the newest `process` event of the root told. */
struct process_facts {
    char *name;           /* NULL: no such event */
    int64_t pid;          /* 0: not told */
    char *start_method;   /* launch, attach, attachForSuspendedLaunch; NULL */
    bool elsewhere;       /* isLocalProcess: false */
    int64_t pointer_size; /* bits; 0: not told */
};
const struct process_facts *session_process(const struct session *session);
/* What was attached to: "pid 123 (app)", "127.0.0.1:5678", "core file /tmp/core"; NULL: the program was launched. */
const char *session_attached_to(const struct session *session);
size_t session_child_count(const struct session *session); /* child sessions that live */
const char *session_child_name(const struct session *session, size_t index);
int64_t session_pid(const struct session *session); /* told by the event, or named by the plan; 0: not known */

/* The present stop; NULL unless the state is stopped. Valid until the next resume or stop. */
struct stop {
    int64_t number;    /* counts from 1 within the session, over launches */
    char *reason;      /* "unknown" when the adapter gave none */
    char *description; /* NULL */
    char *text;        /* NULL */
    bool has_thread;
    int64_t thread_id;         /* as we show it: unique over all targets */
    int64_t adapter_thread_id; /* as the stopped target numbers it */
    bool pause_asked;          /* a pause was asked for when it came */
    bool nameless_pause;       /* and the adapter named no reason */
    bool chosen_thread;        /* the one that a pause was asked for, and not what the adapter told: */
    bool has_told_thread;
    int64_t told_thread;
    char *child;           /* the name of the child session that stopped; NULL: the debuggee itself */
    bool step_interrupted; /* a step was under way and another thread stopped */
    int64_t step_thread;   /* the thread that was being stepped */
    bool step_late;        /* the end of a step that was interrupted before, while none was under way */
    bool step_kept;        /* and the adapter takes no other step before that one is over */
    bool has_hit_ids;
    int64_t *hit_ids;
    size_t hit_count;
    int64_t *hit_numbers; /* our numbers of the breakpoints that were hit, once the frames are read */
    size_t number_count;
    struct frame *frames; /* top frames, with handles; empty until they were read or when that failed */
    size_t frame_count;
    int64_t total_frames;                    /* -1: not told */
    bool more_frames;                        /* there may be more than frame_count */
    char *frames_failure;                    /* why there are none; NULL */
    bool idle;                               /* it ran nothing: it stands in the empty expression that a pause evaluated */
    bool settled;                            /* frames were asked for and answered */
    bool panic;                              /* of a Rust program: the reason is "exception", and the text its message */
    bool awaits_message, waited_for_message; /* of a panic */
    bool interrupts_step;                    /* it came while a step was under way */
    size_t conditions_checked;               /* of the breakpoints that were hit */
};
const struct stop *session_stop(const struct session *session);

/* The stopped target's own number of a thread that we showed; an error: it is none of the stopped target's. */
int session_resolve_thread(struct session *session, int64_t thread_id, int64_t *ret_adapter_id, struct error *ret_error);

/* The threads of all targets. */
enum thread_state { THREAD_RUNNING, THREAD_STOPPED, THREAD_UNKNOWN };
struct session_thread {
    int64_t id; /* as we show it */
    int64_t adapter_id;
    char *name;   /* NULL: not told */
    char *child;  /* the name of the child session that it belongs to; NULL: the program's own */
    bool focused; /* the one that stopped */
    enum thread_state state;
    struct frame *frames; /* the top ones; the first of the stopped target's has a handle */
    size_t frame_count;
    size_t own;    /* index of the frame of the user's own code, for who knows the project to set; 0: the top one, or none */
    char *failure; /* why there are none; NULL */
};
struct session_threads {
    struct session_thread *list;
    size_t count, total;
    char *failure; /* why an adapter could not list them: then those are listed that it has told of; NULL */
};
void session_threads_done(struct session_threads *threads);
/* `done` is called once, maybe before this returns; the list is the callee's only during the call, unless it zeroes it. */
typedef void (*session_threads_fn)(void *user, struct session_threads *threads);
void session_read_threads(struct session *session, session_threads_fn done, void *user);

/* Types into the newest terminal that is alive; an error: the program has none. */
int session_send_input(struct session *session, const char *bytes, size_t len, struct error *ret_error);

/* ---- handles ---- */

/* A handle is stop number * 10000 + n. 0 when LIMIT_HANDLES_PER_STOP is used up, and within the callback of a session_request that was
 * made at a stop which is over. */
int64_t session_frame_handle(struct session *session, int64_t adapter_frame_id);
int64_t session_value_handle(struct session *session, int64_t adapter_reference, int64_t named, int64_t indexed);
/* Keeps what was told of a frame under its handle, as long as that is good. */
void session_keep_frame(struct session *session, const struct frame *frame);
const struct frame *session_kept_frame(const struct session *session, int64_t handle); /* NULL */
int64_t session_location_handle(struct session *session, int64_t adapter_reference);
/* Refused with a sentence: not stopped, stale (names the stop it belongs to and the call that gives fresh ones), unknown, wrong kind. */
int session_resolve_frame(struct session *session, int64_t handle, int64_t *ret_adapter_id, struct error *ret_error);
struct value_place {
    int64_t adapter_reference;
    int64_t named, indexed; /* children as told by the adapter; -1 not told */
};
bool value_place_pages(
    const struct value_place *place); /* its elements are read by pages: there is nothing else, or too many of them */
/* The value was replaced: its handles are refused from now on. */
void session_forget_value(struct session *session, int64_t adapter_reference);
int session_resolve_value(struct session *session, int64_t handle, struct value_place *ret, struct error *ret_error);
/* Of a step-in or a goto target: they have a kind each, and are passed as target_id. */
int64_t session_step_target_handle(struct session *session, int64_t adapter_target);
int64_t session_goto_target_handle(struct session *session, int64_t adapter_target);
int session_resolve_step_target(struct session *session, int64_t handle, int64_t *ret_adapter_target, struct error *ret_error);
int session_resolve_goto_target(struct session *session, int64_t handle, int64_t *ret_adapter_target, struct error *ret_error);
int session_resolve_location(struct session *session, int64_t handle, int64_t *ret_adapter_reference, struct error *ret_error);

/* ---- inspection ---- */

/* One inspection at a time per session: `turn` is called when it is yours (maybe before this returns; *ret_turn is set by then). Give it
 * back with session_inspect_end. */
typedef void (*turn_fn)(void *user);
struct session_turn;
void session_inspect_begin(struct session *session, struct session_turn **ret_turn, turn_fn turn, void *user);
void session_inspect_end(struct session *session, struct session_turn *turn); /* also for a turn that has not come yet */
/* Answers every request of this turn DAP_CANCELLED, and those that it would still make; whose it is ends it, as ever. False: it has not come
 * yet, and nothing is called. */
bool session_inspect_cancel(struct session *session, struct session_turn *turn);

/* One request to the focused target, in the turn that was given. Answered once; request time-out of the session unless timeout_ms is given.
 * `arguments` consumed. Returns its id for session_request_cancel (0: answered already). */
typedef void (*session_answer_fn)(void *user, const struct dap_answer *answer);
int64_t session_request(struct session *session, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                        session_answer_fn answer, void *user);
/* The same for what is asked while somebody else may have the turn: it does not belong to that. */
int64_t session_request_apart(struct session *session, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                              session_answer_fn answer, void *user);
void session_request_cancel(struct session *session, int64_t id);
/* Tells the adapter to give up a request that was answered here already, by its time-out; false: it does not claim supportsCancelRequest. */
bool session_request_tell_cancel(struct session *session, int64_t id);
/* Arguments that begin with the thread's id, as its target numbers it; `ret_arguments`, for more of them, may be NULL. */
yyjson_mut_doc *session_thread_arguments(int64_t adapter_thread, yyjson_mut_val **ret_arguments);
/* Why a request did not succeed, as heap memory of the caller's: "evaluate request failed: …". */
char *session_answer_text(const struct dap_answer *answer);
char *session_without_pictures(const char *text); /* the same of other words of an adapter: without drawings of the expression */

/* ---- what adapters tell by themselves ---- */

/* Modules and sources as events told of them, in the form of the protocol: a list for the caller to free. Returns how many were left out. */
enum told_kind { TOLD_MODULES, TOLD_SOURCES };
size_t session_told(const struct session *session, enum told_kind kind, yyjson_doc **ret_list);

/* The newest long operation of the adapter's, "Loading symbols: libc.so (40%)", as heap memory of the caller's; NULL: none. */
char *session_progress(const struct session *session);
uint64_t session_progress_started(const struct session *session); /* how many have ever begun */
/* Asks the adapter to cancel those of the request, and those of no request that began after the first `since`. */
void session_progress_cancel(struct session *session, int64_t request, uint64_t since);

/* Counts what makes earlier answers about this stop untrue: `invalidated` and `memory` events, and what we write. */
uint64_t session_view(const struct session *session);
void session_view_changed(struct session *session);
/* The variables of scopes cannot be read as they are, but as they were when the program stopped. */
bool session_scopes_are_old(const struct session *session);
bool session_reads_again(
    const struct session *session); /* the frames of the stop are on their way; waits are told when they are there */

/* ---- breakpoints ---- */

/* Why the adapter cannot set such a breakpoint, heap memory; NULL: it can, or nothing is being debugged. */
char *session_breakpoint_refusal(const struct session *session, const struct desired_breakpoint *breakpoint);

/* What was there with an earlier launch is so called from now on; before a launch stores its own. */
void session_mark_earlier_breakpoints(struct session *session);

/* Replaces a list of desired breakpoints: all of a file, or all of another kind. Not active: stored, `done` at once. Active: sent, and
 * stored only when the adapter accepts. `wanted` is copied; of it, `bound` is not read. An error at once: over a limit, or something that
 * the adapter does not claim. A breakpoint keeps its number when it stands in the list with that number, or with none at the same place. */
int session_set_breakpoint_list(struct session *session, const struct breakpoint_list *wanted, session_done_fn done, void *user,
                                struct error *ret_error);
/* The same for one file. */
int session_set_breakpoints(struct session *session, const char *path, const struct desired_breakpoint *list, size_t count,
                            session_done_fn done, void *user, struct error *ret_error);
/* Finds where a function of the program begins, for adapters that set no breakpoints by a name: heap memory of the session's. -1: not found, the
 * error says why. Without a finder such breakpoints are refused. */
typedef int (*session_function_finder)(const char *program, const char *name, char **ret_path, int64_t *ret_line,
                                       struct error *ret_error);
void session_set_function_finder(struct session *session, session_function_finder finder);
/* What of a breakpoint Dapple does itself, since the adapter of the session does not: of enum emulated_part. */
unsigned session_breakpoint_emulated(const struct session *session, const struct desired_breakpoint *breakpoint);
/* The user's whole choice of exceptions: from then on a launch adds no filters of its own. */
int session_set_exception_breakpoints(struct session *session, const struct desired_breakpoint *list, size_t count,
                                      session_done_fn done, void *user, struct error *ret_error);
bool session_exceptions_set(const struct session *session);  /* that choice was made */
void session_forget_exceptions_set(struct session *session); /* it is taken back with all breakpoints: launches choose again */
/* What the adapter offers, as "uncaught (Uncaught Exceptions), …"; heap memory of the caller's; NULL: none, or there is no adapter. */
char *session_exception_filters(const struct session *session);
/* One temporary breakpoint, of a line (`path`) or a function, in no list of what is desired. `done` when the adapter has answered; an error:
 * it was not set. It stays until it is cleared, or the session has ended. */
int session_set_temporary(struct session *session, const char *path, const struct desired_breakpoint *breakpoint,
                          session_done_fn done, void *user, struct error *ret_error);
void session_clear_temporary(struct session *session, session_done_fn done, void *user); /* `done` at once when there is none */
const struct bound_breakpoint *session_temporary(const struct session *session);         /* NULL: there is none */
/* By file, sorted by path, then the other kinds. Valid until the next change. */
size_t session_breakpoint_list_count(const struct session *session);
const struct breakpoint_list *session_breakpoint_list(const struct session *session, size_t index);
const struct breakpoint_list *session_find_breakpoint_list(const struct session *session, enum breakpoint_kind kind,
                                                           const char *path);
size_t session_breakpoint_file_count(const struct session *session);
const struct breakpoint_list *session_breakpoint_file(const struct session *session, size_t index); /* sorted by path */
const struct breakpoint_list *session_find_breakpoint_file(const struct session *session, const char *path);
/* The desired breakpoint behind an id of the adapter's, or behind our own number; false: unknown. */
bool session_find_breakpoint(const struct session *session, int64_t id, const struct breakpoint_list **ret_list, size_t *ret_index);
bool session_find_breakpoint_number(const struct session *session, int64_t number, const struct breakpoint_list **ret_list,
                                    size_t *ret_index);

/* ---- output ---- */

/* Where output came from: the program's own streams, or the debugger itself (categories console, important and unknown ones). */
enum output_stream { OUTPUT_STDOUT, OUTPUT_STDERR, OUTPUT_DEBUGGER };
struct output_part {
    enum output_stream stream;
    size_t len; /* bytes */
};
/* What the program printed since the last drain, in order of arrival, telemetry left out. */
struct output {
    char *bytes; /* NUL-terminated */
    size_t len;
    uint64_t discarded;        /* older bytes that were lost since the last drain */
    struct output_part *parts; /* their lengths add up to len */
    size_t part_count;
    bool has_debuggers; /* lines of the debugger's own may be among those of the program */
};
void session_drain_output(struct session *session, struct output *ret);
/* All that is kept, drained before or not; drains nothing. */
void session_recent_output(struct session *session, struct output *ret);
void output_done(struct output *output);
/* How much is waiting to be drained. */
size_t session_output_waiting(const struct session *session);
/* The adapter's stderr: its newest bytes as heap memory of the caller's. */
char *session_stderr_tail(const struct session *session, size_t most, size_t *ret_len);
/* Sentences that the user should read once (protocol faults, filters that the adapter lacks, …): heap memory, NULL when none. */
char *session_take_notice(struct session *session);

/* A child session that the adapter asked for and that was refused. */
struct rejected_child {
    char *message;
    char *type, *name, *target_id; /* NULL when not told */
};
/* Each is reported once: gives the list away. */
size_t session_take_rejected_children(struct session *session, struct rejected_child **ret_children);
void rejected_children_free(struct rejected_child *children, size_t count);
