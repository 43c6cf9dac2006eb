/* A sign of life of one adapter: it is started as for a launch, asked `initialize`, and ended. Nothing is launched in it.
 *
 * Several can be under way in one loop. The result comes within PROBE_TIMEOUT and what ending takes (about a second), when nothing of the
 * adapter runs any more. */
#pragma once

#include <stdint.h>
#include <yyjson.h>

struct launch_plan;
struct loop;
struct probe;

#define PROBE_TIMEOUT 10000 /* milliseconds, from the start to the answer */

/* Points to memory of the probe's. */
struct probe_result {
    char *failure;      /* why it does not work, as one sentence; NULL: it works */
    char *said;         /* what it lately wrote to stderr, or to a stdout that is not for messages; "" nothing */
    yyjson_doc *answer; /* the body of its answer to `initialize`; NULL: none */
    uint64_t answer_ms; /* from the start to that */
};
typedef void (*probe_fn)(void *user, const struct probe_result *result);

/* `plan` stays the caller's and must live as long as the probe. `done` is called once, from the loop. */
struct probe *probe_start(struct loop *loop, const struct launch_plan *plan, probe_fn done, void *user);
void probe_free(struct probe *probe); /* takes NULL; what still runs is killed */
