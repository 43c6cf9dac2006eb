/* The text of results. Pure: values in, lines out. Line forms follow docs/results.md.
 *
 * Every string of an adapter's or a program's goes through utf8_one_line, so that nothing a debuggee prints or names can imitate our
 * lines; program output is shown with "|" before each line. Every list says how many there are; every cut says what was cut and names
 * the call that shows it. Each function appends whole lines, each ended by LF. `out` should have room for LIMIT_RENDERED_BYTES; the
 * whole result then goes through render_limit. */
#pragma once

#include "session/model.h"
#include "session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct locals_memory;
struct source_excerpt;
struct spill;

/* Of a memory fault; where debuggers show a 0. */
#define FAULT_WITHOUT_ADDRESS "the processor tells no address: a pointer that cannot be one (not canonical), or misaligned data"

enum render_context { CONTEXT_NONE, CONTEXT_BRIEF, CONTEXT_FULL };
enum wait_note { WAIT_NOTE_NONE, WAIT_NOTE_TIMED_OUT, WAIT_NOTE_CANCELLED };

struct head_view {
    enum session_state state;
    const struct stop *stop;                /* SESSION_STOPPED */
    const struct session *of;               /* whose breakpoints it hit; NULL: they are not named */
    const struct exception_info *exception; /* of the packet that follows, which says what the description would; NULL */
    bool has_exit_code;
    int64_t exit_code;
    const char *termination_reason; /* NULL */
    enum wait_note note;
    uint64_t waited_ms; /* with WAIT_NOTE_TIMED_OUT */
    bool pausing;       /* it was waited for a pause */
    bool tells_running; /* dap_threads shows where running threads are */
    bool single_thread; /* running, but of this thread alone: */
    int64_t running_thread;
    const char *project; /* paths inside are shown relative to it */
    const char *session; /* its name when it is not "main" (calls that are named get session=…); NULL */
};
/* "stopped (breakpoint) at lib/cart.py:88:9 in total · thread 4", "running (wait timed out)", "terminated (exit code 0; Debuggee exited)",
 * …, then for a stop "description: …", "hit breakpoint 3, lib/cart.py:88", "step interrupted: …", "no stack frames: …" where they apply; after a
 * wait that ended without a stop, a line that names the calls that are possible now. */
void render_head(struct buffer *out, const struct head_view *view);

/* What comes after the head of a stop. */
struct packet_view {
    const struct stop *stop;
    const struct scope *scopes; /* of that frame; expanded ones hold variables */
    size_t scope_count;
    const struct exception_info *exception; /* NULL */
    const struct source_excerpt *excerpt;   /* NULL */
    const struct locals_memory *before;     /* NULL */
    enum render_context context;
    const char *project;
    const char *session;  /* its name when it is not "main" (calls that are named get session=…); NULL */
    const char *ends;     /* what an exception that nobody catches ends here; NULL: the program */
    bool keeps_exception; /* what was thrown is `__exception__[1]` of the frame */
    const char *input;    /* how the program can be given input, for one that found none; NULL: not said */
    bool offers_source;   /* the caller has dap_source, which reads what only the debugger has */
    size_t frame_index;   /* the frame of the stop that the packet is about; 0: the top frame */
};
/* Exception (with a warning when the next continue ends the program), source lines with an arrow, ranked locals, callers.
 * CONTEXT_NONE: the exception only. CONTEXT_BRIEF: within LIMIT_PACKET_LINES and LIMIT_PACKET_BYTES; two lines of source around; locals
 * that are named on the line or changed by value, others filled up to LIMIT_PACKET_VALUES, the rest by name; the next two callers
 * (those in the project where there are any).
 * CONTEXT_FULL: up to ten lines of source around, all locals with values, other scopes, the next ten callers; bounded so that the
 * program's output still fits into the result. */
void render_packet(struct buffer *out, const struct packet_view *view);

/* "Desired Breakpoints:" and a row per breakpoint of every kind; nothing when there are none, or with `say_none` "Desired Breakpoints:
 * none". While the session is active, a breakpoint that is not bound, or bound to another line, says so. */
void render_desired(struct buffer *out, const struct session *session, const char *project, bool say_none);
/* Result of set_breakpoints for one file. Active session: "Breakpoints: 1 of 2 verified" and rows with bound / pending / failed, the
 * reason, and "requested line 9, bound to line 11" when they differ. `file` NULL: the file has none now. */
void render_breakpoints(struct buffer *out, const struct breakpoint_list *file);
/* The line in its place while no session is active: "Saved; breakpoints apply to the next launch (no active Debug Session)." */
void render_breakpoints_saved(struct buffer *out);

/* "saved" (no active session), "bound", "pending", "failed", "disabled", "expired" (data whose program has ended). */
const char *breakpoint_state_word(const struct session *session, const struct breakpoint_list *list, size_t index);
/* "breakpoint 3, cart.py:42 if x > 1 · bound to line 43, hit". */
void render_breakpoint(struct buffer *out, const struct session *session, const struct breakpoint_list *list, size_t index,
                       const char *project);

/* "breakpoint 3, cart.py:42 if x > 1". */
void render_breakpoint_name(struct buffer *out, const struct breakpoint_list *list, size_t index, const char *project);

struct stack_view {
    const struct frame *frames;
    size_t count;
    int64_t start; /* number of the first */
    int64_t total; /* -1: not known */
    bool more;     /* there are (or may be) more after these */
    const char *project, *session;
};
/* "Stack: 3 of 41 frames" and a row per frame; runs of two or more frames that the adapter marks as unimportant become one row. */
void render_stack(struct buffer *out, const struct stack_view *view);

/* "Scope Locals [variables_reference 30002]: 2 variables" and a row per variable; scopes that were not read say how to read them.
 * `start`: the number of the first variable in each scope. */
void render_scopes(struct buffer *out, const struct scope *scopes, size_t count, int64_t start, const char *session);

struct variables_view {
    const struct variable *variables;
    size_t count;
    int64_t start;
    int64_t total; /* -1: not known */
    bool more;
    uint64_t length;    /* of a container of which total are listed only; 0 */
    int64_t named_left; /* members that are no elements, and not among these */
    int64_t handle;     /* of the parent */
    const char *session;
};
/* "Variables: 2" or "Variables: 100 of 1,234" and a row per variable. */
void render_variables(struct buffer *out, const struct variables_view *view);

/* One of several places to go to; the label is the adapter's. */
struct choice {
    const char *label;
    int64_t adapter_id;
    int64_t handle;       /* the target_id that we give out; 0: none is left */
    int64_t line, column; /* 0: not told */
};
/* "Step-in targets: 2" and a row per target; `call` is the one that takes its target_id. */
void render_choices(struct buffer *out, const char *heading, const struct choice *choices, size_t count, const char *call,
                    const char *session);

/* "Scopes: 2" and a row per scope: its reference, counts and lines, as far as told. */
void render_scope_list(struct buffer *out, const struct scope *scopes, size_t count);

struct threads_view {
    const struct session_threads *threads;
    bool running; /* the program is not stopped */
    const char *project, *session;
};
/* "Threads: 3" and a row per thread, "->" before the one that stopped; more than ten are put together where they stand at the same place. */
void render_threads(struct buffer *out, const struct threads_view *view);

struct set_outcome;
/* "item.qty: int = 4  (was 3)", as it was read back. */
void render_set_variable(struct buffer *out, const struct set_outcome *outcome);

struct exception_details;
/* "exception: ValueError (nobody catches it)", then description, type, message and stack trace, and the same of each cause, indented. */
void render_exception(struct buffer *out, const struct exception_details *details);

struct completion;
/* "Completions: 2 of 40" and a row per completion. */
void render_completions(struct buffer *out, const struct completion *items, size_t count, size_t total);

struct value_tree;
/* A row per value, its members below it and indented by two: "order: Order = … [variables_reference 30005]". One whose members are not shown
 * names the path that shows them. */
void render_tree(struct buffer *out, const struct value_tree *tree, const char *session);

/* `<result>[ (<type>)][ [variables_reference N]]` in one line, cut at LIMIT_EVALUATION_BYTES with its whole length told. */
void render_evaluation(struct buffer *out, const struct variable *evaluation);

struct evaluation;
/* "EXPRESSION: not evaluated: <why>" */
void render_not_evaluated(struct buffer *out, const struct evaluation *row);
/* "EXPRESSION = <result> …" for each; what is not evaluated says why. */
void render_evaluations(struct buffer *out, const struct evaluation *rows, size_t count);

/* An empty line, "Debuggee output:" and the newest lines: "| " before each line of stdout, "|! " of stderr, "|# " of the debugger's own
 * words (the heading explains the marks that occur). A line that came in pieces is whole, whatever other streams printed in between.
 * When cut: "Debuggee output (last 60 of 1,234 lines; all of it: <path>):"; when
 * bytes were lost before: "(N older bytes discarded)". Nothing when there is no output and nothing was lost. */
void render_output(struct buffer *out, const struct output *output, struct spill *spill);
/* "Adapter's stderr (last N lines):" and lines with "| " before each; nothing when empty. */
void render_stderr(struct buffer *out, const char *bytes, size_t len);

/* Keeps the whole result within `bytes` (LIMIT_TEXT_BYTES_LEAST to LIMIT_TEXT_BYTES) and `lines` (LIMIT_TEXT_LINES_LEAST to
 * LIMIT_TEXT_LINES): cuts at a line, before the debuggee's output where there is some (and it does not take more than half), and says
 * so with the spill's path. */
void render_limit(struct buffer *text, size_t bytes, size_t lines, struct spill *spill);
