/* A debug adapter over stdio that answers at once, so that a measurement shows the client's own cost. The program it "debugs" stands
 * still after launch and after each step, one line further.
 *
 *   --source PATH        where the frames lie (default: no source)
 *   --variables-bytes N  the members of the local `big` are an answer of about N bytes (default: twelve small ones)
 *   --passes N           `continue` runs a loop of N passes with the first breakpoint in it, and ends; expressions are about it: `pass`, `pass == 7`
 *   --output-bytes N     on `continue`, N bytes of numbered output lines come before the stop, as fast as they can be written
 *
 * What the program prints ends with the line "last line". */
#include "base/buffer.h"
#include "base/memory.h"
#include "dap/framing.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOCALS = 1000, BIG = 1001, SMALL_COUNT = 12, SOURCE_LINES = 20, LINES_PER_EVENT = 80, LINE_DIGITS = 12 };

struct adapter {
    struct dap_framing *framing;
    struct buffer out; /* whole frames */
    int64_t seq;
    int64_t steps;
    uint64_t passes, passed; /* 0: none */
    char *source;            /* as a JSON string; NULL: none */
    char *big;               /* the body of the large answer, made before it is asked for; NULL: none */
    uint64_t output_bytes;
    bool done;
};

/* ---- writing ---- */

static void write_all(struct adapter *adapter, const char *bytes, size_t len)
{
    while (len > 0 && !adapter->done) {
        ssize_t written = write(STDOUT_FILENO, bytes, len);

        if (written < 0) {
            adapter->done = true;
            return;
        }
        bytes += written;
        len -= (size_t)written;
    }
}

static void flush(struct adapter *adapter)
{
    write_all(adapter, adapter->out.data, adapter->out.len);
    buffer_clear(&adapter->out);
}

static void add_frame(struct adapter *adapter, const struct buffer *message)
{
    char header[64];

    buffer_append(&adapter->out, header, dap_framing_header(header, message->len));
    buffer_append(&adapter->out, message->data, message->len);
}

static void begin_response(struct adapter *adapter, yyjson_val *request, struct buffer *message)
{
    buffer_addf(message,
                "{\"seq\":%" PRId64 ",\"type\":\"response\",\"request_seq\":%" PRId64 ",\"success\":true,\"command\":\"%s\"",
                ++adapter->seq, json_int_or(request, "seq", 0), json_string(request, "command"));
}

/* `body`: JSON text, or NULL. */
static void respond(struct adapter *adapter, yyjson_val *request, const char *body)
{
    AUTO_BUFFER struct buffer message;

    buffer_init(&message, SIZE_MAX);
    begin_response(adapter, request, &message);
    if (body)
        buffer_addf(&message, ",\"body\":%s", body);
    buffer_addc(&message, '}');
    add_frame(adapter, &message);
}

/* The same for a body that is not to be copied. */
static void respond_big(struct adapter *adapter, yyjson_val *request)
{
    AUTO_BUFFER struct buffer head;
    char header[64];
    size_t len = strlen(adapter->big);

    buffer_init(&head, SIZE_MAX);
    begin_response(adapter, request, &head);
    buffer_add(&head, ",\"body\":");
    buffer_append(&adapter->out, header, dap_framing_header(header, head.len + len + 1));
    buffer_append(&adapter->out, head.data, head.len);
    flush(adapter);
    write_all(adapter, adapter->big, len);
    buffer_addc(&adapter->out, '}');
}

static void refuse(struct adapter *adapter, yyjson_val *request)
{
    AUTO_BUFFER struct buffer message;

    buffer_init(&message, SIZE_MAX);
    buffer_addf(&message,
                "{\"seq\":%" PRId64 ",\"type\":\"response\",\"request_seq\":%" PRId64 ",\"success\":false,\"command\":\"unknown\","
                "\"message\":\"this adapter does not know that request\"}",
                ++adapter->seq, json_int_or(request, "seq", 0));
    add_frame(adapter, &message);
}

static void send_event(struct adapter *adapter, const char *event, const char *body)
{
    AUTO_BUFFER struct buffer message;

    buffer_init(&message, SIZE_MAX);
    buffer_addf(&message, "{\"seq\":%" PRId64 ",\"type\":\"event\",\"event\":\"%s\"", ++adapter->seq, event);
    if (body) {
        buffer_add(&message, ",\"body\":");
        buffer_add(&message, body);
    }
    buffer_addc(&message, '}');
    add_frame(adapter, &message);
}

static void send_stopped(struct adapter *adapter, const char *reason)
{
    AUTO_FREE char *body = xasprintf("{\"reason\":\"%s\",\"threadId\":1,\"allThreadsStopped\":true}", reason);

    send_event(adapter, "stopped", body);
}

static void send_output(struct adapter *adapter, const char *lines)
{
    AUTO_BUFFER struct buffer body;

    buffer_init(&body, SIZE_MAX);
    buffer_add(&body, "{\"category\":\"stdout\",\"output\":\"");
    buffer_add(&body, lines);
    buffer_add(&body, "\"}");
    send_event(adapter, "output", body.data);
}

/* ---- requests ---- */

static void set_breakpoints(struct adapter *adapter, yyjson_val *request)
{
    AUTO_BUFFER struct buffer body;
    yyjson_val *wanted = json_array(json_object(request, "arguments"), "breakpoints");
    size_t index, count;
    yyjson_val *breakpoint;

    buffer_init(&body, SIZE_MAX);
    buffer_add(&body, "{\"breakpoints\":[");
    yyjson_arr_foreach(wanted, index, count, breakpoint) {
        buffer_addf(&body, "%s{\"id\":%zu,\"verified\":true,\"line\":%" PRId64 "}", index > 0 ? "," : "", index + 1,
                    json_int_or(breakpoint, "line", 1));
    }
    buffer_add(&body, "]}");
    respond(adapter, request, body.data);
}

static void stack_trace(struct adapter *adapter, yyjson_val *request)
{
    static const char *const names[] = { "step", "run", "main" };
    AUTO_BUFFER struct buffer body;

    buffer_init(&body, SIZE_MAX);
    buffer_add(&body, "{\"stackFrames\":[");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        int64_t line = i == 0 ? 1 + adapter->steps % SOURCE_LINES : (int64_t)i;

        buffer_addf(&body, "%s{\"id\":%zu,\"name\":\"%s\",\"line\":%" PRId64 ",\"column\":1", i > 0 ? "," : "", i + 1, names[i],
                    line);
        if (adapter->source)
            buffer_addf(&body, ",\"source\":{\"name\":\"source\",\"path\":%s}", adapter->source);
        buffer_add(&body, "}");
    }
    buffer_addf(&body, "],\"totalFrames\":%zu}", COUNT_OF(names));
    respond(adapter, request, body.data);
}

static void add_small_variables(struct adapter *adapter, struct buffer *body)
{
    buffer_addf(body, "{\"name\":\"big\",\"value\":\"list\",\"type\":\"list\",\"variablesReference\":%d}", BIG);
    for (int i = 1; i < SMALL_COUNT; i++) {
        buffer_addf(body, ",{\"name\":\"value%d\",\"value\":\"%" PRId64 "\",\"type\":\"int\",\"evaluateName\":\"value%d\",", i,
                    adapter->steps + i, i);
        buffer_add(body, "\"variablesReference\":0}");
    }
}

static void small_variables(struct adapter *adapter, yyjson_val *request)
{
    AUTO_BUFFER struct buffer body;

    buffer_init(&body, SIZE_MAX);
    buffer_add(&body, "{\"variables\":[");
    add_small_variables(adapter, &body);
    buffer_add(&body, "]}");
    respond(adapter, request, body.data);
}

static void variables(struct adapter *adapter, yyjson_val *request)
{
    if (adapter->big && json_int_or(json_object(request, "arguments"), "variablesReference", 0) == BIG)
        respond_big(adapter, request);
    else
        small_variables(adapter, request);
}

static void write_number(char *digits, uint64_t number)
{
    for (int i = LINE_DIGITS - 1; i >= 0; i--) {
        digits[i] = (char)('0' + number % 10);
        number /= 10;
    }
}

/* One event is made and sent over and over, with other numbers in its lines: making it must not be what is measured. */
static void print_output(struct adapter *adapter)
{
    static const char line[] =
        "line 000000000000 is followed by some text, so that it is about a hundred bytes long, as many are\\n";
    AUTO_BUFFER struct buffer lines;
    uint64_t next = 0;

    buffer_init(&lines, SIZE_MAX);
    for (int i = 0; i < LINES_PER_EVENT; i++)
        buffer_add(&lines, line);
    /* a line end is two bytes here and one for the reader */
    for (uint64_t printed = 0; printed < adapter->output_bytes && !adapter->done; printed += lines.len - LINES_PER_EVENT) {
        for (size_t i = 0; i < LINES_PER_EVENT; i++)
            write_number(lines.data + i * strlen(line) + strlen("line "), next++);
        send_output(adapter, lines.data);
        flush(adapter);
    }
    send_output(adapter, "last line\\n");
}

/* A pause has nothing to do: when it is read, the loop stands at the breakpoint. */
static void next_pass(struct adapter *adapter)
{
    if (adapter->passed++ < adapter->passes) {
        send_event(adapter, "stopped",
                   "{\"reason\":\"breakpoint\",\"threadId\":1,\"allThreadsStopped\":true,\"hitBreakpointIds\":[1]}");
        return;
    }
    send_event(adapter, "exited", "{\"exitCode\":0}");
    send_event(adapter, "terminated", NULL);
}

static void resume(struct adapter *adapter, yyjson_val *request)
{
    bool is_continue = strcmp(json_string(request, "command"), "continue") == 0;

    adapter->steps++;
    respond(adapter, request, is_continue ? "{\"allThreadsContinued\":true}" : NULL);
    if (is_continue && adapter->output_bytes > 0)
        print_output(adapter);
    if (is_continue && adapter->passes > 0) {
        next_pass(adapter);
        return;
    }
    send_stopped(adapter, "step");
}

static void initialize(struct adapter *adapter, yyjson_val *request)
{
    respond(adapter, request, "{\"supportsConfigurationDoneRequest\":true,\"supportsTerminateRequest\":true}");
    send_event(adapter, "initialized", NULL);
}

static void configuration_done(struct adapter *adapter, yyjson_val *request)
{
    respond(adapter, request, NULL);
    send_stopped(adapter, "entry");
}

static void terminate(struct adapter *adapter, yyjson_val *request)
{
    respond(adapter, request, NULL);
    send_event(adapter, "exited", "{\"exitCode\":0}");
    send_event(adapter, "terminated", NULL);
}

static void disconnect(struct adapter *adapter, yyjson_val *request)
{
    respond(adapter, request, NULL);
    flush(adapter);
    adapter->done = true;
}

static void acknowledge(struct adapter *adapter, yyjson_val *request)
{
    respond(adapter, request, NULL);
}

static void threads(struct adapter *adapter, yyjson_val *request)
{
    respond(adapter, request, "{\"threads\":[{\"id\":1,\"name\":\"main\"}]}");
}

static void scopes(struct adapter *adapter, yyjson_val *request)
{
    AUTO_FREE char *body = xasprintf("{\"scopes\":[{\"name\":\"Locals\",\"presentationHint\":\"locals\",\"variablesReference\":%d,"
                                     "\"expensive\":false}]}",
                                     LOCALS);

    respond(adapter, request, body);
}

/* "pass == 7" is compared; anything else is the pass. */
static void evaluate_pass(struct adapter *adapter, yyjson_val *request)
{
    const char *expression = json_string(json_object(request, "arguments"), "expression");
    const char *compared = expression ? strstr(expression, "== ") : NULL;
    uint64_t value = compared ? strtoull(compared + 3, NULL, 10) == adapter->passed : adapter->passed;
    AUTO_FREE char *body = xasprintf("{\"result\":\"%" PRIu64 "\",\"variablesReference\":0}", value);

    respond(adapter, request, body);
}

static void evaluate(struct adapter *adapter, yyjson_val *request)
{
    if (adapter->passes > 0) {
        evaluate_pass(adapter, request);
        return;
    }
    respond(adapter, request, "{\"result\":\"42\",\"type\":\"int\",\"variablesReference\":0}");
}

static const struct {
    const char *command;
    void (*serve)(struct adapter *adapter, yyjson_val *request);
} requests[] = {
    { "initialize", initialize },
    { "launch", acknowledge },
    { "attach", acknowledge },
    { "setBreakpoints", set_breakpoints },
    { "setExceptionBreakpoints", acknowledge },
    { "configurationDone", configuration_done },
    { "threads", threads },
    { "stackTrace", stack_trace },
    { "scopes", scopes },
    { "variables", variables },
    { "next", resume },
    { "stepIn", resume },
    { "stepOut", resume },
    { "continue", resume },
    { "pause", acknowledge },
    { "evaluate", evaluate },
    { "terminate", terminate },
    { "disconnect", disconnect },
};

static void on_body(void *user, char *body, size_t len)
{
    struct adapter *adapter = user;
    AUTO_JSON struct json json = { 0 };
    const char *command;

    if (json_parse(body, len, &json, NULL) < 0)
        return;
    command = json_string(json.root, "command");
    for (size_t i = 0; command && i < COUNT_OF(requests); i++) {
        if (strcmp(requests[i].command, command) == 0) {
            requests[i].serve(adapter, json.root);
            return;
        }
    }
    refuse(adapter, json.root);
}

static void on_fault(void *user, const char *sentence)
{
    (void)user;
    fprintf(stderr, "fast-adapter: %s\n", sentence);
}

/* ---- start ---- */

static char *many_variables(uint64_t bytes)
{
    AUTO_BUFFER struct buffer body;

    buffer_init(&body, SIZE_MAX);
    buffer_add(&body, "{\"variables\":[");
    for (uint64_t i = 0; body.len < bytes; i++) {
        buffer_addf(&body,
                    "%s{\"name\":\"[%" PRIu64 "]\",\"value\":\"'a value of the usual length, number %" PRIu64
                    "'\",\"type\":\"str\",",
                    i > 0 ? "," : "", i, i);
        buffer_add(&body, "\"variablesReference\":0}");
    }
    buffer_add(&body, "]}");
    return buffer_take(&body, NULL);
}

static char *json_quoted(const char *text)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    char *quoted;

    yyjson_mut_doc_set_root(doc, json_new_string(doc, text, strlen(text)));
    quoted = json_write(doc, NULL);
    yyjson_mut_doc_free(doc);
    return quoted;
}

static void read_arguments(struct adapter *adapter, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--source") == 0)
            adapter->source = json_quoted(argv[i + 1]);
        else if (strcmp(argv[i], "--variables-bytes") == 0)
            adapter->big = many_variables(strtoull(argv[i + 1], NULL, 10));
        else if (strcmp(argv[i], "--passes") == 0)
            adapter->passes = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--output-bytes") == 0)
            adapter->output_bytes = strtoull(argv[i + 1], NULL, 10);
    }
}

int main(int argc, char **argv)
{
    static const struct dap_framing_ops ops = { .on_body = on_body, .on_fault = on_fault };
    static char bytes[64 * 1024];
    struct adapter adapter = { 0 };
    ssize_t len;

    read_arguments(&adapter, argc, argv);
    buffer_init(&adapter.out, SIZE_MAX);
    adapter.framing = dap_framing_new(&ops, &adapter);
    while (!adapter.done && (len = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
        dap_framing_feed(adapter.framing, bytes, (size_t)len);
        flush(&adapter);
    }
    dap_framing_free(adapter.framing);
    buffer_done(&adapter.out);
    free(adapter.source);
    free(adapter.big);
    return 0;
}
