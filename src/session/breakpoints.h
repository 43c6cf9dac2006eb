/* The inside of breakpoints, shared by the files breakpoint*.c only: lists of what the user asked for and of what targets made of it, and
 * the requests that carry them. */
#pragma once

#include "session/internal.h"

/* ---- breakpoint_lists.c: what is desired ---- */

/* NULL when there is none. */
struct breakpoint_list *breakpoint_list_find(const struct session *session, enum breakpoint_kind kind, const char *path);
/* Which of them stand at one place. Adapters keep one of them, the first or the last, or take the parts of one for those of all. */
void breakpoints_mark_shared(struct desired_breakpoint *desired, size_t count);
bool breakpoints_share(const struct desired_breakpoint *a, const struct desired_breakpoint *b); /* of one list */
/* Stores a copy; an empty list is dropped. Returns the stored one, or NULL. What is known of breakpoints that stay stays known. */
struct breakpoint_list *breakpoint_list_store(struct session *session, enum breakpoint_kind kind, const char *path,
                                              const struct desired_breakpoint *desired, size_t count);

/* ---- breakpoint_native.c: what a target can do ---- */

/* Which parts of a breakpoint its target does itself; what was not asked for counts as done. This is the one place that decides. */
struct native_parts {
    bool kind; /* it sets breakpoints of this kind at all */
    bool condition, hit_condition, log_message;
    bool mode;
};
struct native_parts breakpoint_native(const struct target *target, const struct desired_breakpoint *breakpoint);
/* Tells the user once which of them are emulated. */
void breakpoint_say_emulated(const struct target *target, struct breakpoint_list *list);
/* Why it cannot be set there, as heap memory of the caller's; NULL: it can. */
char *breakpoint_refusal(const struct target *target, const struct desired_breakpoint *breakpoint);
/* The same for a row of a list, which others of the list may stand against; NULL also for one that is off. */
char *breakpoint_row_refusal(const struct target *target, const struct breakpoint_list *list, size_t index);
/* The capability without which a kind cannot be set; NULL: none is needed. */
const char *breakpoint_kind_capability(enum breakpoint_kind kind);
/* The exception filter that the target offers by that id; NULL. */
yyjson_mut_val *breakpoint_filter(const struct target *target, const char *id);

/* A function whose entry is a line to this target, which does not take its name. */
bool breakpoint_by_place(const struct target *target, const struct desired_breakpoint *breakpoint);

/* ---- breakpoint_functions.c: functions by their place ---- */

/* Looks where the functions of the list begin, if the target does not take their names. */
void breakpoint_locate(const struct target *target, struct desired_breakpoint *desired, size_t count);
/* Those that begin in the file: the number of them, and copies as breakpoints of their lines behind the `count` of `*desired`. */
size_t breakpoint_add_functions(const struct target *target, const char *path, struct desired_breakpoint **desired, size_t count);
/* The files in which functions of the lists begin: a NULL-terminated list, heap memory of the caller's. */
char **breakpoint_function_files(const struct target *target, const struct breakpoint_list *a, const struct breakpoint_list *b);

/* ---- breakpoint_requests.c: the five requests ---- */

const char *breakpoint_command(enum breakpoint_kind kind);
/* The arguments for those of the list that `rows` names. They may be put into another order: the answer's items belong to `rows` then. */
yyjson_mut_doc *breakpoint_arguments(const struct target *target, const struct breakpoint_list *list, size_t *rows,
                                     size_t row_count);

/* ---- breakpoint_answers.c: what targets tell ---- */

struct bound_breakpoint *breakpoint_find_bound(struct target *target, int64_t id); /* NULL */
void breakpoint_read_row(const struct session *session, yyjson_val *object, struct bound_breakpoint *ret);
/* Item i of the answer belongs to row rows[i] of the list. */
void breakpoint_take_answer(struct target *target, struct breakpoint_list *list, const size_t *rows, size_t row_count,
                            yyjson_val *body);
/* The item belongs to that row. */
void breakpoint_take_row(struct target *target, struct breakpoint_list *list, size_t row, yyjson_val *item);
/* The item belongs to the function breakpoint of that number. */
void breakpoint_take_function(struct target *target, int64_t number, yyjson_val *item);
void breakpoint_fail(struct bound_breakpoint *bound, const char *why);
void breakpoint_replay_early(struct session *session); /* all answers are in: events that came before them count now */

/* ---- condition_guard.c: conditions whose failure an adapter hides ---- */

/* What goes into a request that sets it, and into one that evaluates it: heap memory of the caller's, NULL without a condition. */
char *condition_to_send(const struct session *session, const struct desired_breakpoint *desired);
char *condition_to_evaluate(const struct session *session, const struct desired_breakpoint *desired);
/* Why it failed, of the value that was answered: heap memory of the caller's; NULL: it has a value. */
char *condition_failure(const struct session *session, const char *value);
/* The expression that has the reason at a stop; NULL: there is none. And the reason in its value, as above; NULL: it did not fail. */
const char *condition_kept_failure(const struct session *session);
char *condition_kept_text(const char *value);

/* ---- breakpoint_faults.c: conditions that fail ---- */

void breakpoint_row_fault(struct session *session, const struct breakpoint_row *row, const char *why);
/* The notice of one that the adapter has refused. */
void breakpoint_say_failed(struct session *session, const struct breakpoint_list *list, size_t index);
void breakpoint_faults_on_stop(struct session *session); /* which were hit is known */
bool breakpoint_stands_at(const struct breakpoint_list *list, size_t index, const struct frame *frame); /* breakpoint_hits.c */

/* ---- breakpoint_temporary.c: the one that the program runs to ---- */

/* The temporary one, when it belongs to this list; NULL. */
const struct desired_breakpoint *temporary_of(const struct session *session, enum breakpoint_kind kind, const char *path);
bool temporary_masks(const struct session *session, const struct breakpoint_list *list, size_t index); /* it stands in its place */
void temporary_take_answer(struct target *target, yyjson_val *item);                                   /* NULL: none */
bool temporary_stands_at(const struct session *session, const struct frame *frame);
void temporary_on_stop(struct session *session);
void temporary_forget(struct session *session);

/* ---- panics.c: those of Rust programs ---- */

bool panic_filter_is(const struct target *target, const char *filter); /* one of ours, that this target takes */
bool panic_wanted(const struct target *target);
struct desired_breakpoint panic_breakpoint(const struct target *target); /* what stands for it; to be freed */
void panic_take_answer(struct target *target, yyjson_val *item);         /* NULL: none */

/* ---- breakpoints.c ---- */

/* The list as it is desired, once more: what goes with it has changed. */
int breakpoint_send_again(struct session *session, enum breakpoint_kind kind, const char *path, session_done_fn done, void *user,
                          struct error *ret_error);
