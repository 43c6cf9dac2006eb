/* Which variables matter at a stop: ranking, and what changed since the last stop in the same function. */
#pragma once

#include "session/model.h"

#include <stdbool.h>
#include <stddef.h>

struct source_excerpt;

/* What the locals were at a stop. */
struct locals_memory {
    char *function, *path; /* of the frame; NULL: nothing remembered */
    struct locals_memory_entry *entries;
    size_t count;
};
void locals_memory_take(struct locals_memory *memory, const struct frame *frame, const struct scope *scopes, size_t scope_count);
void locals_memory_done(struct locals_memory *memory);

enum local_rank { LOCAL_NAMED, LOCAL_CHANGED, LOCAL_REST };
struct ranked_local {
    const struct variable *variable;
    const struct scope *scope;
    enum local_rank rank;
    bool changed;
};
/* Ranks the variables of the scopes that were expanded (registers and globals never): named on the stop's line or the line before, then
 * changed, then the rest; within a rank the adapter's order. Arguments and locals of inner scopes shadow outer ones of the same name.
 * Groups that the adapter made up come last. Returns how many; *ret is heap memory of the caller's. */
size_t locals_rank(const struct scope *scopes, size_t scope_count, const struct source_excerpt *excerpt, int64_t line,
                   const struct locals_memory *before, const struct frame *frame, struct ranked_local **ret);
