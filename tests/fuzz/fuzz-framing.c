/* A stream fed whole and the same stream fed in small pieces must give the same bodies and the same sentences. */
#include "dap/framing.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdint.h>
#include <string.h>

struct recorder {
    struct buffer log;
};

static void on_body(void *user, char *body, size_t len)
{
    struct recorder *recorder = user;

    memset(body + len, 'x', JSON_PADDING);
    buffer_addf(&recorder->log, "body %zu ", len);
    buffer_append(&recorder->log, body, len);
    free(body);
}

static void on_fault(void *user, const char *sentence)
{
    struct recorder *recorder = user;

    if (!*sentence || strlen(sentence) > 1200 || !utf8_valid(sentence, strlen(sentence)) || strpbrk(sentence, "\r\n\x1b"))
        abort();
    buffer_addf(&recorder->log, "fault %s ", sentence);
}

/* Sizes follow from the state, so that every finding can be repeated. */
static size_t next_piece(uint64_t *state, size_t left)
{
    size_t piece;

    *state = *state * 6364136223846793005u + 1442695040888963407u;
    piece = (size_t)(*state >> 33) % ((*state >> 60) < 8 ? 4 : 40);
    return piece < left ? piece : left;
}

static void feed_in_pieces(struct dap_framing *framing, const char *bytes, size_t len)
{
    uint64_t state = len;
    size_t done = 0;

    while (done < len) {
        size_t piece = next_piece(&state, len - done);
        char *copy = xmalloc(piece + 1);

        memcpy(copy, bytes + done, piece);
        dap_framing_feed(framing, copy, piece);
        free(copy);
        done += piece;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct dap_framing_ops ops = { .on_body = on_body, .on_fault = on_fault };
    struct recorder recorders[2];

    for (int i = 0; i < 2; i++) {
        struct dap_framing *framing = dap_framing_new(&ops, &recorders[i]);

        buffer_init(&recorders[i].log, SIZE_MAX);
        if (i == 0)
            dap_framing_feed(framing, (const char *)data, len);
        else
            feed_in_pieces(framing, (const char *)data, len);
        dap_framing_end(framing);
        dap_framing_free(framing);
    }
    if (recorders[0].log.len != recorders[1].log.len ||
        memcmp(recorders[0].log.data, recorders[1].log.data, recorders[0].log.len) != 0)
        abort();
    buffer_done(&recorders[0].log);
    buffer_done(&recorders[1].log);
    return 0;
}
