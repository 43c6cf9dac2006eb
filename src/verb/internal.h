/* What the operations of this folder share: the world, the named sessions, and a call under way. */
#pragma once

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "config/settings.h"
#include "dap/connection.h"
#include "session/session.h"
#include "verb/call.h"
#include "verb/handlers.h"
#include "verb/locals.h"
#include "verb/render.h"
#include "verb/source_excerpt.h"
#include "verb/verb.h"
#include "json/json.h"

struct advice;

/* What was read about a stop: shared by all calls that report it. */
struct packet {
    int64_t stop_number; /* 0: nothing read */
    uint64_t view;       /* session_view: true as long as it is the same */
    size_t frame_index;  /* the frame of the stop that it is about */
    struct scope *scopes;
    size_t scope_count;
    bool has_exception;
    struct exception_info exception;
    struct source_excerpt excerpt;
};

/* What is behind a port that was attached to, as far as this machine shows it. */
struct behind_port {
    bool used;               /* a port was attached to */
    uint16_t port;           /* 0: of another machine */
    uint64_t server_started; /* when what listens there was; 0: it is out of sight, and so are the numbers that it tells */
    int64_t pid;             /* the program's; 0: not known */
    uint64_t started;
    char *name;
};

/* A name and what lives under it. */
struct named {
    struct named *next;
    struct roster *roster;
    struct world *world; /* where it was launched, or else first named */
    struct session *session;
    struct packet packet;
    struct gather *gather;       /* reads the packet of the present stop */
    struct locals_memory before; /* the locals of former stops */
    int64_t remembered_stop;     /* the newest of them */
    int64_t remembered_thread;   /* its thread, and how deep its frame was (-1: not told) */
    int64_t remembered_depth;
    char *launch_warnings; /* what was told about the last launch */
    struct call *queue;    /* in_order calls; the first is being served */
    struct call *editors;  /* calls that change breakpoints; the first is at it */
    char *profile;         /* of the present or last launch; NULL */
    yyjson_doc *started;   /* the arguments that started it, for dap_restart; NULL: nothing was */
    bool started_by_attach;
    bool told_test_run;       /* that a test runner catches what tests raise */
    int64_t process_pid;      /* that was attached to by number; 0: none */
    uint64_t process_started; /* and when it was started, which tells it from a later one */
    struct behind_port behind;
    size_t calls;         /* under way */
    uint64_t quiet_since; /* when the last of them ended */
    bool ended_idle;      /* for want of calls: the next one says so */
    struct buffer doing;  /* what call_doing has said */
};

/* The named sessions, and what they share. */
struct roster {
    struct session_host *host;
    struct spill *spill;
    struct named *names;
    size_t name_count;
};

/* Where a client stands: its folder and its environment. */
struct world {
    struct roster *roster;
    struct session_host *host; /* the roster's */
    struct spill *spill;       /* the roster's */
    char *project;
    char **environment; /* NULL: Dapple's own */
    bool structured;
    enum tool_set tools;       /* what callers from here are offered: hints name no other (call_offers) */
    struct settings *settings; /* NULL: no call has needed them yet */
    struct buffer told;        /* their warnings that were told */
    size_t users;              /* calls under way, and sessions that were launched from here */
};

struct call_link {
    struct call *call; /* NULL: it is over */
    struct call_link *next;
};

struct call {
    struct call *next; /* in the queue */
    struct world *world;
    struct named *named;
    const struct verb *verb;
    yyjson_doc *arguments_doc;
    yyjson_val *arguments;
    call_done_fn done;
    void *user;
    struct result result;
    bool structured; /* wants its result as JSON, too */
    bool in_queue;
    struct call *next_editor; /* among the editors */
    bool edits;
    void (*begin_edit)(struct call *call);
    struct advice *advice;   /* about breakpoints, being gathered */
    bool serving;            /* its handler was started */
    bool peeks;              /* what can be told only once is for the next result */
    bool leaves_output;      /* the program's new output is for the next result */
    bool reports_stop;       /* it shows the stop's packet, although it is none of those that run the program */
    bool cancelled;          /* the host does not want the result: nothing is drained for it */
    bool *ended;             /* set when the call ends while call_start is still in it */
    struct call_link *links; /* what callbacks that may outlive the call hold in its place */

    /* state of the handler */
    struct session_wait *wait;
    enum wait_note note;
    uint64_t wait_ms;
    int64_t request;          /* a session_request under way */
    uint64_t progress_before; /* how many long operations of the adapter's had begun when it was served */
    struct session_turn *turn;
    struct buffer warnings; /* lines that come before everything else */
    char *head_note;        /* a line right after the head; NULL */
    void *state;            /* the handler's own; freed by free_state */
    void (*free_state)(void *state);
};

/* ---- call.c ---- */
struct session *call_session(const struct call *call);
const char *call_session_name(const struct call *call); /* NULL when it is "main": how render functions want it */
void call_warn(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void call_note(struct call *call, const char *line); /* a line right after the head of the result */
void call_warn_notices(struct call *call);           /* what the session has to say once */

/* At most one per call: the user pointer of a callback that may come after the call is over. Taking it back frees it. */
struct call_link *call_link_new(struct call *call);
struct call *call_link_take(struct call_link *link); /* NULL: the call is over */

void call_link_drop(struct call_link *link); /* the callback is still to come, and finds the call over */

/* A request to the adapter that call_cancel can cancel; the handler clears call->request in its answer. */
void call_request(struct call *call, const char *command, yyjson_mut_doc *arguments, session_answer_fn answer);

/* Begins when all earlier calls that change the session's breakpoints are over; the turn ends with the call. */
void call_edit(struct call *call, void (*begin)(struct call *call));

/* Each ends the call. */
void call_fail(struct call *call, const struct error *error);   /* "Dapple: <message>" */
void call_refuse_state(struct call *call, const char *message); /* state failure: message and snapshot */
void call_succeed(struct call *call); /* result.text holds the lines; output, notices and structured facts are added */

/* ---- inspecting.c: what the operations that look at a stopped program share ---- */
/* Whether the adapter claims it. If not, the call has ended: refused by the capability's name, with what to use instead. */
bool call_offers(const struct call *call, const char *tool); /* may a hint name it? Some are not in every tool set */
bool call_requires(struct call *call, const char *capability, const char *instead);
/* The frame that the call names as frame_id, else the one that the stop shows. *ret_frame (may be NULL): what was read of it with the
 * stop; NULL: it is further up. */
int call_frame(struct call *call, int64_t *ret_adapter_id, const struct frame **ret_frame, struct error *ret_error);
/* The frame that the call names as frame_id, else the innermost one. */
int call_top_frame(struct call *call, int64_t *ret_adapter_id, const struct frame **ret_frame, struct error *ret_error);
void call_give_up(struct call *call, const struct error *error); /* ends the turn, where there is one, and the call */
void call_end_turn(struct call *call);
/* For the answer to call_request. False: it was no success, and the call has ended with the adapter's words. */
bool call_answered(struct call *call, const struct dap_answer *answer);

/* ---- report.c: the result of everything that runs the program ---- */
enum render_context call_context(const struct call *call);
uint64_t call_wait_ms(const struct call *call); /* its `timeout_ms`, else the session's execution time-out */
void report_wait_outcome(struct call *call, enum wait_outcome outcome);
/* Reports the present state; at a stop, reads the packet first (unless the call wants none). */
void report_state(struct call *call);

/* ---- resume.c: going on from a stop ---- */
/* What the call says of thread_id, granularity and single_thread. */
struct resume call_resume_arguments(const struct call *call, enum resume_kind kind);
/* Sends it, waits for the stop and reports it. Takes the place of the handler's state. */
void call_resume(struct call *call, const struct resume *resume);
/* The same on the way to a place (run_until.c), which is kept in the handler's state from call_keep_until on. */
struct until;
void call_keep_until(struct call *call, struct until *until);
struct until *call_until(const struct call *call);
void call_resume_until(struct call *call, const struct resume *resume, struct until *until);

/* ---- gather.c: reading the packet of a stop ---- */
typedef void (*gather_fn)(void *user);
/* Reads exception, source, scopes and locals of the present stop once, whoever asks; `done` when it is complete or the stop is gone. */
void gather_packet(struct named *named, gather_fn done, void *user);
/* `done` is not called any more for this user. False: it was not to be. */
bool gather_forget(struct named *named, void *user);
bool gather_cancel(struct named *named, void *user);          /* the same; where nobody else waits, nothing more is read */
const struct packet *named_packet(const struct named *named); /* of the present stop; NULL */
void packet_done(struct packet *packet);

/* ---- reading.c: the requests that read, and scopes and variables out of their answers ---- */
yyjson_mut_doc *scopes_arguments(int64_t adapter_frame);
yyjson_mut_doc *variables_arguments(int64_t adapter_reference, yyjson_mut_val **ret_arguments); /* NULL when nothing is added */
yyjson_mut_doc *evaluate_arguments(const char *expression, int64_t adapter_frame);              /* in context "watch" */
yyjson_mut_doc *evaluate_arguments_in(const char *expression, int64_t adapter_frame, const char *context);
void add_value_format(yyjson_mut_doc *doc, yyjson_mut_val *arguments, bool hex); /* nothing when it is the usual one */
yyjson_mut_doc *source_arguments(const char *path, int64_t reference);           /* path may be NULL */
/* Reads a page out of a list of variables; gives handles; groups that the adapter made up come last. */
struct variable *read_variables(struct session *session, yyjson_val *body, size_t start, size_t count, size_t *ret_count,
                                size_t *ret_total);
/* All that were told, up to LIMIT_VARIABLES_READ, in the adapter's order and without handles, of which there are few: for a choice among them. */
struct variable *read_all_variables(yyjson_val *body, size_t *ret_count);
/* Of a statement that was evaluated and failed, a traceback through the debugger's own code is told: its last line is what an expression
 * would say. Heap memory of the caller's. */
char *statement_failure(const struct dap_answer *answer);
/* debugpy lists the first elements of a long container, and says so by two members of its own: how many there are. 0: all are listed. */
uint64_t read_true_length(yyjson_val *body);
void variable_give_handles(struct session *session, struct variable *variable);
struct scope *read_scopes(struct session *session, yyjson_val *body, size_t *ret_count);
/* The targets of an answer, at most so many; their labels are the answer's, and they have no handles yet. */
size_t read_choices(yyjson_val *body, struct choice *ret, size_t most);
bool scope_is_cheap(const struct scope *scope); /* expanded without being asked by reference */

/* ---- configured.c: what the settings say ---- */
const struct settings *configured_read(struct world *world); /* reads them when they were not yet, or have changed */
void configured_warn(struct call *call);                     /* what is wrong in them and was not told yet */
void configured_set_timeouts(struct call *call);
const char *configured_context(const struct world *world);
size_t configured_bytes(const struct world *world);
size_t configured_lines(const struct world *world);
uint64_t configured_idle_ms(const struct world *world); /* 0: never */

/* ---- structured.c ---- */
/* Snapshot fields of pi-compatible results: session, state, adapter_id, profile_id, stop_reason, … */
void structured_snapshot(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct named *named);
yyjson_mut_val *structured_frame(yyjson_mut_doc *doc, const struct frame *frame);
void structured_process(struct call *call); /* which process is debugged */
void structured_stop(struct call *call);    /* stop fields of the present stop, into call->result.structured */
void structured_desired(struct call *call);
void structured_breakpoints(struct call *call, const struct breakpoint_list *file);
void structured_hits(struct call *call, const struct stop *stop);
yyjson_mut_val *breakpoint_value(yyjson_mut_doc *doc, const struct session *session, const struct breakpoint_list *list,
                                 size_t index);
void structured_frames(struct call *call, const struct frame *frames, size_t count);
void structured_scopes(struct call *call, const struct scope *scopes, size_t count);
void structured_variables(struct call *call, const char *key, const struct variable *variables, size_t count);
void structured_threads(struct call *call, const struct session_threads *threads);
struct set_outcome;
void structured_set_variable(struct call *call, const struct set_outcome *outcome);
struct completion;
struct exception_details;
void structured_exception(struct call *call, const struct exception_details *details);
void structured_completions(struct call *call, const struct completion *items, size_t count, size_t total);
struct value_tree;
void structured_tree(struct call *call, const struct value_tree *tree);
struct evaluation;
void structured_evaluations(struct call *call, const struct evaluation *rows, size_t count);
void structured_evaluation(struct call *call, const struct variable *evaluation);
void structured_choices(struct call *call, const char *key, const struct choice *choices, size_t count);
void structured_strings(struct call *call, const char *key, const struct buffer *lines);
void structured_rejected_children(struct call *call, const struct rejected_child *children, size_t count);
void structured_note(struct call *call);
void structured_output(struct call *call, const struct output *output);
yyjson_mut_val *structured_root(struct call *call); /* NULL when it is not wanted */
/* A new list under a key of it, to be filled; NULL when it is not wanted. */
yyjson_mut_val *structured_list(struct call *call, const char *key);
