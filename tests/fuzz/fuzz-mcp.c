/* What a host may send, one message a line, in between what may happen here; whatever it is, what is sent is whole lines of valid JSON,
 * each request is answered at most once, and a call that was cancelled is not answered.
 *
 *   !t<ms>  time passes       !n  the newest call ends       !o  the oldest call ends
 *   !e      ends the newest as an error, with a structured result      !c  the host stops or begins to read      !x  the host goes */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "mcp/jsonrpc.h"
#include "mcp/protocol.h"
#include "verb/arguments.h"
#include "verb/verb.h"
#include "json/json.h"

#include <stdint.h>
#include <string.h>

struct call {
    struct call *next;
    struct host *host;
    call_done_fn done;
    void *user;
};

struct host {
    struct protocol *protocol;
    uint64_t now;
    struct call *calls; /* newest first */
    bool congested;
    bool gone;
};

static void on_send(void *user, const char *message, size_t len)
{
    struct host *host = user;
    if (host->gone || len < 3 || message[len - 1] != '\n' || memchr(message, '\n', len - 1) || !utf8_valid(message, len))
        abort();
    yyjson_doc *doc = yyjson_read(message, len, 0);
    if (!doc || !yyjson_is_ctn(yyjson_doc_get_root(doc)))
        abort();
    yyjson_doc_free(doc);
}

static void finish(struct host *host, struct call *call, bool is_error)
{
    struct call **link = &host->calls;
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    struct result result = { .is_error = is_error };
    buffer_init(&result.text, 100);
    buffer_add(&result.text, "stopped \xff\x1b\n");
    if (is_error) {
        result.structured = yyjson_mut_doc_new(NULL);
        yyjson_mut_doc_set_root(result.structured, yyjson_mut_obj(result.structured));
    }
    call->done(call->user, &result);
    buffer_done(&result.text);
    yyjson_mut_doc_free(result.structured);
    free(call); /* last: the protocol must not have kept it */
}

static struct call *on_start(void *user, const struct verb *verb, yyjson_val *arguments, call_done_fn done, void *call_user)
{
    struct host *host = user;
    struct call *call = xcalloc(1, sizeof(*call));
    call->host = host;
    call->done = done;
    call->user = call_user;
    call->next = host->calls;
    host->calls = call;
    yyjson_doc *checked = NULL;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (arguments_check(verb, arguments, &checked, &error) < 0) {
        if (!utf8_valid(error.message, strlen(error.message)) || strpbrk(error.message, "\r\n\x1b"))
            abort();
        finish(host, call, true);
        return NULL;
    }
    yyjson_doc_free(checked);
    return call;
}

static void on_cancel(void *user, struct call *call)
{
    struct host *host = user;
    if (host->now % 2 == 0) /* at once, or later */
        finish(host, call, false);
}

static const char *on_doing(void *user, const struct call *call)
{
    (void)user;
    return call->host->now % 3 == 0 ? NULL : "waiting";
}

static bool is_congested(void *user)
{
    struct host *host = user;
    return host->congested;
}

static void on_line(void *user, char *line, size_t len)
{
    struct host *host = user;
    protocol_on_line(host->protocol, host->now, line, len);
}

static void pass_time(struct host *host, const char *digits, size_t len)
{
    uint64_t ms = 0;
    for (size_t i = 0; i < len && i < 6 && digits[i] >= '0' && digits[i] <= '9'; i++)
        ms = ms * 10 + (uint64_t)(digits[i] - '0');
    host->now += ms;
    protocol_on_time(host->protocol, host->now);
    if (protocol_deadline(host->protocol) <= host->now)
        abort();
}

static void take_step(struct host *host, const char *step, size_t len)
{
    struct call *oldest = host->calls;
    while (oldest && oldest->next)
        oldest = oldest->next;
    switch (len > 0 ? *step : '\0') {
    case 't':
        pass_time(host, step + 1, len - 1);
        break;
    case 'n':
    case 'e':
        if (host->calls)
            finish(host, host->calls, *step == 'e');
        break;
    case 'o':
        if (oldest)
            finish(host, oldest, false);
        break;
    case 'c':
        host->congested = !host->congested;
        break;
    case 'x':
        protocol_close(host->protocol);
        host->gone = true;
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct protocol_ops ops = { on_send, on_start, on_cancel, on_doing, is_congested };
    struct host host = { .now = 1 };
    struct jsonrpc_lines lines;
    jsonrpc_lines_init(&lines);
    host.protocol = protocol_new(&ops, &host, len % 2 == 0 ? STRUCTURED_AUTO : STRUCTURED_ON, TOOL_SET_CORE);
    const char *at = (const char *)data;
    const char *end = at + len;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t line = (size_t)((line_end ? line_end + 1 : end) - at);
        if (*at == '!') {
            take_step(&host, at + 1, line - 1);
        } else {
            jsonrpc_lines_feed(&lines, at, line / 2, on_line, &host);
            jsonrpc_lines_feed(&lines, at + line / 2, line - line / 2, on_line, &host);
        }
        at += line;
    }
    jsonrpc_lines_end(&lines, on_line, &host);
    protocol_close(host.protocol);
    host.gone = true;
    while (host.calls)
        finish(&host, host.calls, false);
    protocol_free(host.protocol);
    jsonrpc_lines_done(&lines);
    return 0;
}
