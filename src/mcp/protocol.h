/* The MCP server's side of the conversation, free of I/O and clocks: lines in, lines out, calls through operations given by the host.
 *
 * It serves both eras of the protocol in one process. Legacy (2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25): `initialize` opens the
 * session and fixes the version. Modern (2026-07-28): each request names its version in params._meta and stands for itself.
 * Tools only: no resources, prompts, sampling, tasks; nothing is asked of the client. (MCP specification, "Lifecycle", "Versioning",
 * "Tools", "Progress", "Cancellation".)
 *
 * What the client gets wrong in the protocol is a JSON-RPC error; what goes wrong in a tool is a result with isError, which models see.
 *
 * Structured results: most hosts that know `structuredContent` show it to the model instead of the text, which costs tokens and loses
 * the layout. So AUTO sends it (and declares output schemas) only to clients that are known to show the text all the same; they are
 * listed in protocol.c. It is decided by the name in `initialize`; modern requests never get it with AUTO, since their tool list must
 * not depend on who asks. */
#pragma once

#include "verb/call.h"
#include "verb/verb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

struct protocol;

struct protocol_ops {
    /* One whole message with its LF; valid during the call. */
    void (*send)(void *host, const char *message, size_t len);
    /* As call_start, call_cancel and call_doing of verb/call.h. */
    struct call *(*start)(void *host, const struct verb *verb, yyjson_val *arguments, call_done_fn done, void *user);
    void (*cancel)(void *host, struct call *call);
    const char *(*doing)(void *host, const struct call *call);
    /* The client does not read: progress is left out meanwhile. */
    bool (*congested)(void *host);
};

enum structured_mode { STRUCTURED_AUTO, STRUCTURED_ON, STRUCTURED_OFF };

struct protocol *protocol_new(const struct protocol_ops *ops, void *host, enum structured_mode mode, enum tool_set tools);
/* Nothing is sent from here on; what calls end in is dropped. For the time when the client has gone and calls are being ended. */
void protocol_close(struct protocol *protocol);
/* No call may end in it afterwards: all have been, or never will be. */
void protocol_free(struct protocol *protocol);

/* One line, heap memory, taken over (see jsonrpc_line_fn; NULL: it was too long). `now` in milliseconds, never going back. */
void protocol_on_line(struct protocol *protocol, uint64_t now, char *line, size_t len);

/* Progress is due at the deadline; UINT64_MAX: none is. */
uint64_t protocol_deadline(const struct protocol *protocol);
void protocol_on_time(struct protocol *protocol, uint64_t now);
