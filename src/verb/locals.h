/* Which variables matter at a stop: ranking, and what changed since the last stop in the same function. */
#pragma once

#include "session/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_excerpt;
struct locals_record;

/* What the locals were at the last stop in each of the functions visited most recently, so that stepping into a call and back does
 * not forget the caller's. Zeroed: nothing remembered. Values are kept as a short text and a checksum, never whole. */
struct locals_memory {
    struct locals_record *records; /* newest first */
    size_t count;
};
/* Remembers; call it after the stop was ranked and rendered. */
void locals_memory_take(struct locals_memory *memory, const struct frame *frame, const struct scope *scopes, size_t scope_count);
void locals_memory_done(struct locals_memory *memory); /* zeroed again */

enum local_rank { LOCAL_NAMED, LOCAL_CHANGED, LOCAL_REST, LOCAL_DEFINED };
struct ranked_local {
    const struct variable *variable;
    const struct scope *scope;
    enum local_rank rank;
    bool changed;                   /* its value differs from the one at the last stop in this function, or it is new there */
    bool is_new;                    /* it was not there at the last stop */
    const struct adapter_text *was; /* the earlier value when it is short enough to be told; NULL; lives as long as the memory */
};
/* Ranks the variables of the scopes that were expanded (locals_scope_counts): named on the stop's line or the line before (or
 * returned by the call just left), then changed, then the rest, then functions and classes (their code can be
 * read, and Node.js has those of the whole module among the locals); within a rank the adapter's order. Locals of inner scopes and
 * arguments shadow outer ones of the same name, which are left out. Groups that the adapter made up come last. `excerpt`, `before`
 * and `frame` may be NULL. Returns how many; *ret is heap memory of the caller's. */
size_t locals_rank(const struct scope *scopes, size_t scope_count, const struct source_excerpt *excerpt, int64_t line,
                   const struct locals_memory *before, const struct frame *frame, struct ranked_local **ret);

/* Whether the scope holds variables of the function: not registers, globals, statics and constants. */
bool locals_scope_counts(const struct scope *scope);
