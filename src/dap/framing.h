/* The base protocol of DAP (specification, "Base protocol"): Content-Length frames out of a byte stream.
 *
 * Lenient in reading: header names in any case, blanks around the colon, bare LF, unknown headers, blank lines and junk lines between
 * frames, junk glued before a header or between its lines (a program that shares the adapter's stdout). Of two lengths in one header the
 * second counts. A frame of length 0 is passed over. Junk and broken headers are reported once per run and skipped; reading resumes at
 * the next Content-Length. A frame whose length is over LIMIT_DAP_BODY is reported, and its bytes are skipped like junk.
 *
 * Junk is reported when the frame after it begins or the stream ends; a broken or oversized frame is reported at once. No buffering of
 * more than one header and one body; each body byte is copied once. Cost is linear in the bytes fed, and the callbacks are the same,
 * whatever their chunking. Callbacks may end the framing, but neither feed nor free it. */
#pragma once

#include <stddef.h>

struct dap_framing;

struct dap_framing_ops {
    /* One body. `body` is heap memory of `len` bytes plus JSON_PADDING writable ones, and now belongs to the receiver. */
    void (*on_body)(void *user, char *body, size_t len);
    /* What was not part of a frame, or why a frame was skipped; one readable sentence, already safe for one line. */
    void (*on_fault)(void *user, const char *sentence);
};

struct dap_framing *dap_framing_new(const struct dap_framing_ops *ops, void *user);
void dap_framing_free(struct dap_framing *framing);
void dap_framing_feed(struct dap_framing *framing, const char *bytes, size_t len);
/* The stream ended: reports a frame or junk that is not complete. Whatever is fed later is ignored. Idempotent. */
void dap_framing_end(struct dap_framing *framing);

/* The header of a body of `len` bytes, written into `ret` (at least 64 bytes); returns its length. */
size_t dap_framing_header(char *ret, size_t len);
