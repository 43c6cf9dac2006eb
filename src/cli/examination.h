/* What `dapple doctor` finds out about adapters: whether each is here, which version, and whether it works. */
#pragma once

#include "adapter/discover.h"

#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

struct adapter_entry;
struct error;
struct launch_plan;
struct probe;

enum finding {
    FINDING_WORKS,    /* it answered `initialize` */
    FINDING_FAILS,    /* it is here, and did not */
    FINDING_UNUSABLE, /* something of its name is here that cannot serve: too old, not executable, another program */
    FINDING_MISSING,
};

struct examination {
    const struct adapter_entry *entry;
    enum finding finding;
    struct adapter_found found; /* empty unless it works or fails */
    struct launch_plan *plan;   /* how it is started; NULL unless it works or fails */
    char *version;              /* NULL: not known */
    char *fault;                /* why it does not work, in short; NULL: it works, or is missing */
    char *error;                /* the whole message of a launch that cannot find it; NULL */
    char *said;                 /* its last words on stderr; NULL unless it works or fails */
    uint64_t answer_ms;         /* FINDING_WORKS: from its start to its answer */
    struct probe *probe;        /* private */
    yyjson_val *answer;         /* private */
};

struct examination_place {
    const char *cwd;           /* absolute */
    const char *program;       /* absolute; NULL: none, the adapters are looked for from `cwd` */
    char *const *surroundings; /* as in struct adapter_request */
};

/* Examines the adapters of the list, whose `entry` is set; those that are here are all started side by side, and nothing of them is left
 * when this returns. An adapter that is the program's own process is given an empty program in place of the user's. An error is of ours,
 * not of an adapter. */
int examine(struct examination *list, size_t count, const struct examination_place *place, struct error *ret_error);
void examination_done(struct examination *examination);
