/* A change of desired breakpoints, list by list. Changes of one session are made one after another, since each begins with what the
 * former left; they wait for no other call. */
#pragma once

#include "base/buffer.h"
#include "base/error.h"
#include "session/model.h"

struct call;

struct edited_list {
    enum breakpoint_kind kind;
    char *path; /* NULL unless of a file */
};

/* The beginning of a handler's own state, which the call owns. */
struct breakpoint_edit {
    /* When it is this change's turn: which lists it is about. */
    int (*choose)(struct call *call, struct error *ret_error);
    /* What a list is to be, as heap memory of the edit's; `former` NULL: there is none yet. Names what it changes with
     * breakpoint_edit_touch. */
    struct desired_breakpoint *(*rewrite)(struct call *call, const struct breakpoint_list *former, size_t *ret_count);
    void (*done)(struct call *call); /* all were accepted; otherwise the call ends with the adapter's words */
    bool complete;                   /* of exceptions: the user's whole choice */

    struct edited_list *lists;
    size_t count, at;
    int64_t *numbers; /* of the breakpoints that were changed; those of lists that were accepted: */
    size_t number_count, accepted_count;
};

void breakpoint_edit_run(struct call *call);
void breakpoint_edit_done(struct breakpoint_edit *edit); /* frees what is inside */

void breakpoint_edit_add_list(struct breakpoint_edit *edit, enum breakpoint_kind kind, const char *path);
/* By number; an error: there is none. */
int breakpoint_edit_add_number(struct call *call, int64_t number, struct error *ret_error);
void breakpoint_edit_add_all(struct call *call, const char *kind); /* NULL: of every kind */
void breakpoint_edit_touch(struct breakpoint_edit *edit, int64_t number);

/* Each breakpoint that was changed, as it is now: a line of text, and a row of `breakpoints`. */
void breakpoint_edit_report(struct call *call);
/* "Applies to the next launch (no active Debug Session)." where that is so. */
void breakpoint_say_saved(struct call *call);
