/* JSON-RPC 2.0 in lines: cutting a stream of bytes into messages, and the envelopes of what we send.
 *
 * (MCP specification, "Transports", stdio: one message per line, UTF-8, no newline inside. JSON-RPC 2.0, sections 4 and 5.) */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <yyjson.h>

enum jsonrpc_error {
    JSONRPC_PARSE_ERROR = -32700,
    JSONRPC_INVALID_REQUEST = -32600,
    JSONRPC_METHOD_NOT_FOUND = -32601,
    JSONRPC_INVALID_PARAMS = -32602,
    MCP_UNSUPPORTED_VERSION = -32022,
};

/* ---- lines in ---- */

struct jsonrpc_lines {
    struct buffer line; /* private: the line that is not complete yet */
    bool too_long;      /* private: the rest of an endless line is being skipped */
};

/* One line without its end: heap memory of the callee's, with BUFFER_PADDING bytes after it for parsing in place. `line` NULL: it was
 * longer than LIMIT_MCP_LINE and has been dropped; said once per such line, as soon as it is known. */
typedef void (*jsonrpc_line_fn)(void *user, char *line, size_t len);

void jsonrpc_lines_init(struct jsonrpc_lines *lines);
void jsonrpc_lines_done(struct jsonrpc_lines *lines);

/* Lines end with LF or CRLF; those of nothing but white space are skipped. */
void jsonrpc_lines_feed(struct jsonrpc_lines *lines, const char *bytes, size_t len, jsonrpc_line_fn on_line, void *user);
/* The stream has ended: a last line without an end counts. */
void jsonrpc_lines_end(struct jsonrpc_lines *lines, jsonrpc_line_fn on_line, void *user);

/* ---- envelopes out ---- */

/* An id or a token as JSON text, to be sent back exactly as it came: a string or an integer of any size. Heap memory; NULL: neither. */
char *jsonrpc_id(yyjson_val *value);

/* Each makes a message; *ret gets the member to be filled: "result" and "params" are objects, "error" has its code and message.
 * `id` is JSON text of jsonrpc_id and copied; for an error NULL leaves it out, since the request's could not be read. */
yyjson_mut_doc *jsonrpc_result(const char *id, yyjson_mut_val **ret_result);
yyjson_mut_doc *jsonrpc_error(const char *id, enum jsonrpc_error code, const char *message, yyjson_mut_val **ret_error);
yyjson_mut_doc *jsonrpc_notification(const char *method, yyjson_mut_val **ret_params);
