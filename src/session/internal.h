/* The inside of a session, shared by the files of this folder only. */
#pragma once

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/ring.h"
#include "dap/connection.h"
#include "session/session.h"
#include "json/json.h"

/* One DAP connection with threads of its own: the root, or a child session. */
struct target {
    struct session *session;
    uint32_t channel;    /* 0: the root */
    char *name;          /* NULL: the debuggee itself */
    struct child *child; /* how it was asked for; NULL for the root */
    bool open;           /* connected, and not ended */
    bool ready;          /* configured once */
    bool gone;           /* a child that ended */
    bool farewell;       /* a child that was sent `disconnect` */
    struct dap_connection *connection;
    yyjson_mut_doc *capabilities; /* merged from `initialize` and every `capabilities` event */
    bool initialize_answered;
    bool initialized_waiting; /* `initialized` came before the answer to `initialize` */

    int64_t *threads; /* told by `thread` events and not ended */
    size_t thread_count, thread_cap;
    bool has_last_thread; /* the one that stood still last */
    int64_t last_thread;

    struct held_stop *held; /* stops that are no stops yet: emulation.c */
    bool has_left;          /* the emulation let it go on, at: */
    uint64_t left_at;
    size_t leaving; /* resumes of the emulation's without an answer */

    bool pause_asked;  /* and it may be idle: pause.c */
    bool woken;        /* by an expression that is being evaluated, since: */
    uint64_t woken_in; /* a resume */
    bool pause_spent;  /* with nothing stopped: the next expression needs one of its own */

    char *condition_words; /* why a condition failed, of the stop that is about to be told; NULL */

    int evaluating; /* evaluations of the operations' under way */
    int inspecting; /* requests that read or evaluate, under way: some call functions of the program */

    struct stop queued; /* it stopped while another target's stop was being looked at */
    bool has_queued;
    int queued_score;
    uint64_t queued_at; /* order of arrival */

    struct bound_alias *aliases; /* its ids for breakpoints whose row another target speaks for */
    size_t alias_count, alias_cap;
};

/* Another target's number for a breakpoint. */
struct bound_alias {
    int64_t id;
    enum breakpoint_kind kind;
    char *path; /* NULL unless of a file */
    size_t index;
};

/* A thread of a child session, under the number that we show. */
struct shown_thread {
    uint32_t channel;
    int64_t adapter_id;
    int64_t shown;
};

/* How the program was resumed last, for what interrupts it without being a stop. */
struct resume_start {
    struct target *target; /* NULL: not resumed yet, or its target is gone */
    struct resume resume;
    bool is_step;
    int64_t thread;       /* as the target numbers it */
    struct frame *frames; /* of a step: the name, path and line of those at its start */
    size_t count;
    bool complete;  /* there are no others */
    bool continued; /* it was interrupted and goes on: its end is to be looked at */
    int rounds;
};

/* A timer of the session's own: runs once. */
struct timer {
    uint64_t at; /* UINT64_MAX: off */
    void (*fire)(struct session *session);
};

enum handle_kind { HANDLE_FRAME, HANDLE_VALUE, HANDLE_LOCATION, HANDLE_STEP_TARGET, HANDLE_GOTO_TARGET };

struct handle {
    int64_t adapter_id;
    int64_t named, indexed; /* of a value: its children as told; -1 not told */
    enum handle_kind kind;
    struct frame *frame; /* of a frame: what was told of it, where it was kept; owned */
};

struct session_wait {
    struct session_wait *next;
    uint64_t number; /* in order of registration */
    uint64_t deadline;
    wait_fn done;
    void *user;
};

struct session_turn {
    struct session_turn *next;
    turn_fn turn;
    void *user;
    uint64_t number;
    bool given, cancelled;
};

struct end_waiter {
    struct end_waiter *next;
    session_done_fn done;
    void *user;
};

/* A `breakpoint` event whose id is not known yet. */
struct early_breakpoint {
    struct target *target;
    yyjson_mut_doc *body;
};

/* Where the program runs to: beside the desired ones, and gone with the stop. */
struct temporary_breakpoint {
    bool set, of_entry; /* where the program is to stop on entry */
    char *path;         /* of a line; NULL: of a function */
    struct desired_breakpoint *desired;
    struct bound_breakpoint bound;
};

/* A program in a terminal, and the reverse request that asked for it. */
struct terminal {
    uint32_t number;
    struct target *target;
    int64_t request_seq;
    bool answered;
    bool alive;
    bool within_line; /* its output ended within a line */
};

enum process_state {
    PROCESS_NONE,     /* never started, or gone */
    PROCESS_STARTING, /* start asked for, not connected */
    PROCESS_LIVE,     /* connected */
};

/* How far the end of the session has come. */
enum end_phase {
    END_NONE,
    END_ASKING,        /* the program has ended; one more question to the adapter */
    END_KILLING,       /* the program must not run on: what is in the terminals is killed before the adapter hears of the end */
    END_TERMINATING,   /* `terminate` sent: the program may end politely */
    END_DISCONNECTING, /* `disconnect` sent */
    END_DRAINING,      /* answered; reading on for a late exit code */
    END_CLOSING,       /* our side is closed: the adapter should leave by itself */
    END_SIGTERM,
    END_SIGKILL,
    END_DONE, /* the tree is gone */
};

/* A module or source that an event told of. */
struct told_item {
    char *key;  /* whose it is, and its id */
    char *text; /* JSON */
};

#define TOLD_KINDS 2
struct told {
    struct told_item *items;
    size_t count, cap;
    size_t left_out; /* over a limit */
};

/* A long operation of the adapter's. */
struct progress {
    uint32_t channel;
    char *id, *title, *message; /* message NULL: none */
    int percentage;             /* -1: not told */
    bool cancellable;
    int64_t request; /* that it belongs to; 0: none */
    uint64_t number; /* in order of their beginning */
};

struct launch_progress {
    bool under_way;    /* `done` has not been called */
    bool request_sent; /* `launch` */
    bool answered;     /* with success */
    bool configured;   /* the first configuration is complete */
    bool initialized;  /* seen at least once */
    bool cancelled;
    bool failed; /* clean-up runs, `error` says why */
    struct error error;
    launch_fn done;
    void *user;
};

struct session {
    char *name;
    const struct session_host_ops *ops;
    void *host;
    uint64_t now;
    struct session_timeouts timeouts;

    enum session_state state;
    enum process_state process;
    struct launch_plan *plan;      /* of the last launch */
    struct launch_plan *next_plan; /* waits until the former adapter is gone */
    char *termination_reason;
    bool has_exit_code;
    int64_t exit_code;
    int exit_signal;       /* 0: none, or not known */
    int stopped_by_signal; /* of the newest stop; 0: it was none */
    bool process_seen;     /* `process` event, and what it told: */
    struct process_facts process_facts;
    enum debuggee_fate fate;
    bool was_stopped;     /* when its end began */
    bool first_stop_seen; /* of this launch */
    bool has_open_step;   /* a step was interrupted: */
    int64_t open_step;    /* its thread */
    bool has_kept_step;   /* a step that was interrupted is not over for the adapter: */
    int64_t kept_step;    /* its thread */
    bool start_passed;    /* it is decided about the stop at the start that some adapters make unasked */

    struct target **targets; /* [0] is the root */
    size_t target_count;
    struct target *focus;
    struct target **dead; /* of former launches, and children that ended: freed when no callback of theirs can be under way */
    size_t dead_count, dead_cap;
    uint32_t last_channel, last_terminal;
    bool had_children;
    struct shown_thread *shown_threads;
    size_t shown_thread_count, shown_thread_cap;
    uint64_t stop_arrivals;

    struct terminal *terminals;
    size_t terminal_count, terminal_cap;
    bool has_terminal_exit; /* how the newest terminal's program ended */
    int terminal_code, terminal_signal;
    bool js_tells_exit; /* js-debug owns the program's streams, and so prints its exit code */

    struct launch_progress launch;
    enum session_state state_before_launch;
    struct timer startup_timer, launch_timer, pause_timer;
    struct timer deferred_pause_timer;
    struct timer panic_timer;
    struct target_pause *deferred_pauses;
    bool pause_wanted;     /* a pause was asked for since the last resume, and no stop has come */
    int pauses_sent;       /* and not told: some tell one as a stop of another kind, and its signal may still come */
    bool has_pause_thread; /* it asked for this thread: */
    struct target *pause_target;
    int64_t pause_thread; /* as its target numbers it */
    int pauses_left;      /* how often a pause that had no effect is still sent again */

    /* the present stop, and the one that a refused resume puts back */
    int64_t stop_number;
    struct stop stop;
    bool has_stop;
    struct stop former_stop;
    bool has_former_stop;
    struct target *former_target; /* whose it is */
    int stop_score;
    int64_t frames_request;
    bool resume_pending; /* a resume was sent and is not answered, number: */
    uint64_t resume_number;
    bool stepping;       /* the last resume was a step, of: */
    int64_t step_thread; /* as we show it; of every resume */
    bool single_thread;  /* the last resume let it go on alone */
    struct resume_start resumed;
    const char *jumps;    /* the last resume was a jump: the reason of its stop; NULL */
    int64_t *thread_scan; /* threads whose frames are tried, when a stop names none */
    size_t thread_scan_count, thread_scan_next;

    struct handle *handles; /* of stop number `handles_stop` */
    size_t handle_count, handle_cap;
    int64_t handles_stop;
    bool answering;        /* a callback of session_request is under way; its request was made at stop: */
    int64_t answered_stop; /* 0: at none */

    struct session_wait *waits;
    uint64_t wait_count; /* ever registered */
    struct session_turn *turns;
    uint64_t turn_count;    /* ever begun */
    struct asked_at *asked; /* requests of session_request without an answer */

    struct breakpoint_list *lists; /* of what is desired: by file, then the other kinds */
    size_t list_count, list_cap;
    int64_t last_breakpoint;               /* the number given last */
    bool exceptions_set;                   /* the user chose all exception breakpoints: a launch adds none */
    struct sent_list *sent_lists;          /* requests that set breakpoints, without an answer, oldest first */
    session_function_finder find_function; /* NULL */
    struct temporary_breakpoint temporary;
    struct early_breakpoint *early;
    size_t early_count, early_cap;

    struct ring output; /* what was read already, too, as long as there is room */
    size_t unread;      /* bytes at its end */
    uint64_t unread_lost;
    uint64_t output_total, output_at_resume; /* bytes ever; when the program went on last */
    int output_depth;                        /* groups that are open */
    bool output_within_line;
    int printed_values; /* that are being read */
    struct output_part *parts;
    size_t part_start, part_count, part_cap;
    struct ring stderr_tail;
    struct buffer notices;
    uint64_t fault_count;
    struct rejected_child *rejected;
    size_t rejected_count, rejected_cap;

    struct told told[TOLD_KINDS];
    struct progress progress[LIMIT_PROGRESS]; /* newest last */
    size_t progress_count;
    uint64_t progress_started; /* ever */
    uint64_t view;             /* counts what makes earlier answers untrue */
    int64_t viewed_stop;       /* at which it changed last */
    int64_t read_again_stop;   /* whose frames are being read again; 0: none */
    bool read_again_twice;     /* what is being read is untrue already */

    enum end_phase end_phase;
    bool adapter_failed; /* the end came from the adapter's own */
    bool finalised;      /* the end was made known: state terminated, waits answered */
    bool debuggee_ended; /* `terminated` or `exited` was seen */
    bool stream_ended;
    char *stream_failure;
    bool mark_awaited; /* the mark behind the program's output was asked for and has not come */
    bool natural_end;  /* the program ended by itself; we only read what is left */
    struct timer end_timer;
    struct end_waiter *end_waiters;
};

/* session.c */
void session_bury_targets(struct session *session);
void session_set_state(struct session *session, enum session_state state);
void session_notice(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
void timer_set(struct session *session, struct timer *timer, uint64_t ms, void (*fire)(struct session *session));
void timer_stop(struct timer *timer);

/* target.c */
struct target *target_new(struct session *session, uint32_t channel, const char *name);
struct target *target_find(const struct session *session, uint32_t channel); /* NULL */
void target_bury(struct target *target);
void target_initialize(struct target *target, const char *adapter_type, dap_answer_fn answer);
void target_free(struct target *target);
struct target *session_root(const struct session *session);
bool target_capability(const struct target *target, const char *name);
bool target_takes_cancel(const struct target *target);
yyjson_mut_val *target_capability_value(const struct target *target, const char *name);
void target_merge_capabilities(struct target *target, yyjson_val *body);
int64_t target_request(struct target *target, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                       dap_answer_fn answer, void *user);
/* The adapter refused it, or it could not be sent although the connection lives. */
bool target_refused(const struct target *target, const struct dap_answer *answer);

/* launch.c */
void launch_on_initialized(struct target *target);
void launch_check(struct session *session); /* something it may have waited for has happened */
void launch_fail(struct session *session, enum error_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
void launch_finish_failed(struct session *session); /* the clean-up is done */
void launch_cancel(struct session *session, const char *reason);
void launch_start_next(struct session *session);

/* children.c */
struct child;
void child_free(struct child *child);
void child_requested(struct target *parent, int64_t seq, yyjson_val *arguments); /* startDebugging */
void child_announced(struct target *parent, yyjson_val *configuration);          /* debugpyAttach */
void child_on_connected(struct target *target);
void child_fail(struct target *target, const char *why);
void child_end(struct target *target);

/* threads.c */
int64_t thread_shown(struct target *target, int64_t adapter_id);
/* Whose thread it is, and its number there. What no child has is taken for the root's. */
struct target *thread_target(const struct session *session, int64_t thread_id, int64_t *ret_adapter_id);
void threads_forget(struct session *session, uint32_t channel);

/* terminal.c */
void terminal_requested(struct target *target, int64_t seq, yyjson_val *arguments);
void terminals_forget(struct session *session);
bool terminals_alive(const struct session *session);
void terminals_forget_target(struct session *session, const struct target *target);

/* events.c */
void process_facts_done(struct process_facts *facts);
void target_on_event(struct target *target, const char *event, yyjson_val *body);
void target_on_reverse_request(struct target *target, int64_t seq, const char *command, yyjson_val *arguments);

/* output_event.c */
void on_output(struct target *target, yyjson_val *body);

/* told.c */
void told_forget(struct session *session);
void progress_forget(struct session *session);
void on_module(struct target *target, yyjson_val *body);
void on_loaded_source(struct target *target, yyjson_val *body);
void on_progress_start(struct target *target, yyjson_val *body);
void on_progress_update(struct target *target, yyjson_val *body);
void on_progress_end(struct target *target, yyjson_val *body);
void on_invalidated(struct target *target, yyjson_val *body);
void on_memory(struct target *target, yyjson_val *body);

/* stops.c */
void stop_settle(struct session *session);     /* its frames are read */
void stop_read_again(struct session *session); /* the frames of the present stop are not true any more */
void stop_returned(struct target *target,
                   int64_t thread_id); /* the program stands again where it stood, and nothing else tells it */
void stop_on_event(struct target *target, yyjson_val *body);
void stop_on_continued(struct target *target, yyjson_val *body);
void stop_drop(struct session *session);
void stop_keep_for_refusal(struct session *session);
void stop_put_back(struct session *session);
void stop_promote(struct session *session); /* nothing is looked at: the stop that waited longest is next */
void stop_done(struct stop *stop);
void stop_deliver(struct target *target, struct stop *stop, int score); /* it is one; `stop` is given away */
void stop_forget_former(struct target *target);                         /* the resume from it has had an effect */
void stop_add_number(struct stop *stop, int64_t number);

/* panics.c */
void panic_on_output(struct session *session);
/* A stop at a panic becomes one for an exception. True: its message is on its way, and the stop waits for it. */
bool panic_holds(struct session *session);
bool panic_passes(struct session *session); /* the program catches it, and goes on */

/* emulation.c */
/* It is to be decided whether this is a stop: then `stop` is given away. */
bool emulation_takes(struct target *target, struct stop *stop, int score);
void emulation_forget(struct target *target); /* it has ended, or goes on by itself */
void emulation_forget_all(struct session *session);
void emulation_configured(struct target *target); /* now it can be decided about a stop at the start */

/* breakpoint_temporary.c */
void entry_prepare(struct session *session); /* the program is to stop at its first line, which the adapter knows as line 0 */
bool entry_awaited(const struct session *session);
bool entry_hit(const struct session *session, const struct stop *stop);
void entry_done(struct session *session);

/* execution.c */
const char *resume_command_name(enum resume_kind kind);

/* interrupted_step.c */
#define STEP_FRAMES 20
enum step_progress {
    STEP_ENDED,
    STEP_LEAVES,  /* it stands in a call, which is to be left first */
    STEP_REPEATS, /* it has not left its line */
    STEP_LOST,    /* not to be told */
};
void resume_begin(struct session *session, const struct resume *resume, bool is_step, int64_t adapter_thread);
void resume_forget(struct session *session);
bool step_is_of(const struct target *target); /* a step is under way, and its */
enum step_progress step_look(struct session *session, const struct frame *frames, size_t count, bool complete);

/* waits.c */
/* Those that were registered up to number `last`: what callbacks register meanwhile is for the next event. */
void waits_finish(struct session *session, enum wait_outcome outcome, uint64_t last);
void waits_on_time(struct session *session);
uint64_t waits_deadline(const struct session *session);

/* pause.c */
void pauses_forget(struct session *session);
void pause_newcomer(struct target *target); /* it is ready, and a pause was asked for before */
void pauses_forget_target(struct target *target);
void pause_on_continued(struct target *target);
void pause_repeat(struct session *session);                            /* the one that was asked for was spent: it runs on */
bool pause_woke(const struct target *target, const struct stop *stop); /* it stands in the expression that a pause evaluated */
bool target_pick_thread(const struct target *target, int64_t *ret);

/* inspection.c */
void handles_reset(struct session *session);
void inspection_free(struct session *session);
/* As session_request, of any target: in the turn that is given, and given up with it. */
int64_t target_ask(struct target *target, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                   session_answer_fn answer, void *user);

/* breakpoints.c, and breakpoint_*.c; breakpoints.h is between these */
void breakpoints_begin_launch(struct session *session, char *const *exception_filters);
void breakpoints_begin_run(struct session *session); /* the same adapter runs the program again: nothing was hit yet */
/* All but exceptions; `ret_count` grows by the requests sent. */
void breakpoints_send_all(struct target *target, dap_answer_fn answered, void *user, int *ret_count);
/* `always`: also when there is nothing to set, since the request ends the configuration of adapters without configurationDone. */
void breakpoints_send_exceptions(struct target *target, bool always, dap_answer_fn answered, void *user, int *ret_count);
void breakpoints_take_away(struct target *target); /* all, from this target; the desired ones stay */
void breakpoints_on_event(struct target *target, yyjson_val *body);
void breakpoints_forget_target(struct target *target);
void breakpoints_on_stop(struct session *session);
/* Whether the conditions of those that were hit could be evaluated is to be found out first: the stop waits for it. */
bool breakpoint_faults_hold(struct session *session);
/* Output that tells of a condition that failed is taken, and said in other words. */
bool breakpoint_fault_in_words(struct target *target, const char *category, const char *text, yyjson_val *body);

/* One desired breakpoint with what is known of it; valid until the lists change. */
struct breakpoint_row {
    struct breakpoint_list *list;
    struct desired_breakpoint *desired;
    struct bound_breakpoint *bound;
    unsigned emulated; /* of enum emulated_part, when this target hits it, without EMULATED_FUNCTION */
};
unsigned breakpoint_emulated(const struct target *target, const struct desired_breakpoint *breakpoint); /* breakpoint_native.c */
bool breakpoints_any_emulated(struct target *target);
bool breakpoints_any_placed(const struct session *session); /* of those that can stand where the program stands */
bool breakpoint_of_number(struct target *target, int64_t number, struct breakpoint_row *ret); /* false: none that is enabled */
size_t breakpoints_hit(struct target *target, const struct stop *stop, struct breakpoint_row *ret_rows, size_t most); /* by ids */
size_t breakpoints_at(struct target *target, const struct frame *frame, struct breakpoint_row *ret_rows,
                      size_t most); /* by place */
void breakpoints_free(struct session *session);

/* output.c */
void output_append(struct session *session, enum output_stream stream, const char *bytes, size_t len);
void output_clear(struct session *session);

/* ending.c */
void ending_finish_waiters(struct session *session);
void end_on_terminal_ended(struct session *session);
void end_on_child_ended(struct session *session);
void end_on_exit_code(struct session *session, int64_t code); /* the adapter's words told it */
void end_on_exited(struct session *session, yyjson_val *body);
/* How much of an output comes before the mark that was asked for; all of it when the mark is not in it. */
size_t end_before_mark(const struct session *session, const char *text, size_t len);
void end_on_mark(struct session *session);
void end_on_terminated(struct session *session);
void end_begin(struct session *session, const char *reason);
void end_finalise(struct session *session, const char *reason);
