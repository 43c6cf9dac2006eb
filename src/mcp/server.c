#include "mcp/server.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/loop.h"
#include "io/session_host.h"
#include "mcp/channel.h"
#include "mcp/jsonrpc.h"
#include "mcp/protocol.h"
#include "verb/call.h"
#include "verb/verb.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define GOODBYE_MS 200 /* for adapters to disconnect */

static const int ending_signals[] = { SIGTERM, SIGINT, SIGHUP };

struct server {
    struct loop loop;
    struct channel *channel;
    struct jsonrpc_lines lines;
    struct protocol *protocol;
    struct session_host *host;
    struct roster *roster;
    struct world *world;
    struct loop_timed timed;
    struct loop_timed world_timed;
    uv_signal_t signals[COUNT_OF(ending_signals)];
    bool ending;
    uv_check_t after_events;
    uv_timer_t goodbye;
};

/* ---- the end ---- */

static void leave_when_quiet(struct server *server)
{
    if (roster_quiet(server->roster) && channel_flushed(server->channel))
        loop_stop(&server->loop);
}

static void on_events(uv_check_t *check)
{
    leave_when_quiet(check->data);
}

static void on_goodbye_over(uv_timer_t *timer)
{
    struct server *server = timer->data;
    loop_stop(&server->loop);
}

static void begin_end(struct server *server)
{
    if (server->ending)
        return;
    server->ending = true;
    protocol_close(server->protocol);
    uv_check_init(&server->loop.uv, &server->after_events);
    server->after_events.data = server;
    uv_check_start(&server->after_events, on_events);
    uv_timer_init(&server->loop.uv, &server->goodbye);
    server->goodbye.data = server;
    uv_timer_start(&server->goodbye, on_goodbye_over, GOODBYE_MS, 0);
    roster_end_all(server->roster);
    leave_when_quiet(server);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct server *server = handle->data;
    (void)number;
    if (server->ending) /* asked twice: no more waiting */
        loop_stop(&server->loop);
    begin_end(server);
}

static void catch_signals(struct server *server)
{
    for (size_t i = 0; i < COUNT_OF(ending_signals); i++) {
        uv_signal_init(&server->loop.uv, &server->signals[i]);
        server->signals[i].data = server;
        uv_signal_start(&server->signals[i], on_signal, ending_signals[i]);
    }
}

/* ---- between the channel and the protocol ---- */

static void on_line(void *user, char *line, size_t len)
{
    struct server *server = user;
    if (server->ending) {
        free(line);
        return;
    }
    protocol_on_line(server->protocol, loop_now(&server->loop), line, len);
}

static void on_bytes(void *user, const char *bytes, size_t len)
{
    struct server *server = user;
    jsonrpc_lines_feed(&server->lines, bytes, len, on_line, server);
}

static void on_channel_end(void *user)
{
    struct server *server = user;
    jsonrpc_lines_end(&server->lines, on_line, server);
    begin_end(server);
}

static const struct channel_events channel_events = { on_bytes, on_channel_end };

/* ---- what the protocol needs ---- */

static void protocol_send(void *user, const char *message, size_t len)
{
    struct server *server = user;
    channel_write(server->channel, message, len);
}

static struct call *protocol_start(void *user, const struct verb *verb, yyjson_val *arguments, call_done_fn done, void *call_user)
{
    struct server *server = user;
    return call_start(server->world, verb, arguments, done, call_user);
}

static void protocol_cancel(void *user, struct call *call)
{
    (void)user;
    call_cancel(call);
}

static const char *protocol_doing(void *user, const struct call *call)
{
    (void)user;
    return call_doing(call);
}

static bool protocol_congested(void *user)
{
    struct server *server = user;
    return channel_congested(server->channel);
}

static const struct protocol_ops protocol_ops = { protocol_send, protocol_start, protocol_cancel, protocol_doing,
                                                  protocol_congested };

static uint64_t timed_deadline(void *user)
{
    struct server *server = user;
    return protocol_deadline(server->protocol);
}

static void timed_on_time(void *user, uint64_t now)
{
    struct server *server = user;
    protocol_on_time(server->protocol, now);
}

static uint64_t unused_deadline(void *user)
{
    struct server *server = user;
    return server->ending ? UINT64_MAX : roster_deadline(server->roster);
}

static void unused_on_time(void *user, uint64_t now)
{
    struct server *server = user;
    roster_on_time(server->roster, now);
}

/* ---- starting ---- */

static const char usage[] =
    "Usage: dapple mcp [OPTION]...\n"
    "\n"
    "Serves the debugger to an agent over stdin and stdout (Model Context Protocol). Agents start it themselves: enter\n"
    "\"dapple\" with the argument \"mcp\" as a stdio server in the agent's configuration.\n"
    "\n"
    "  --tools core|full|single   which tools are offered: what is needed daily (the default), everything, or one tool\n"
    "                             with an argument \"action\"\n"
    "  --structured auto|on|off   send results also as JSON, and declare their schemas; auto (the default) does so\n"
    "                             only for agents that are known to show the model the text all the same\n"
    "  --help                     show this\n";

struct options {
    enum structured_mode mode;
    enum tool_set tools;
};

enum start { START_SERVE, START_HELP, START_WRONG };

/* The value of an option given as "--name value" or "--name=value"; NULL when this is another option or the value is missing. */
static const char *option_value(const char *name, char **argv, int *at)
{
    size_t len = strlen(name);
    if (strncmp(argv[*at], name, len) != 0)
        return NULL;
    if (argv[*at][len] == '=')
        return argv[*at] + len + 1;
    return argv[*at][len] == '\0' && argv[*at + 1] ? argv[++*at] : NULL;
}

static bool read_mode(const char *word, enum structured_mode *ret_mode)
{
    static const char *const words[] = { [STRUCTURED_AUTO] = "auto", [STRUCTURED_ON] = "on", [STRUCTURED_OFF] = "off" };
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (strcmp(words[i], word) == 0) {
            *ret_mode = (enum structured_mode)i;
            return true;
        }
    }
    return false;
}

static bool read_set(const char *word, enum tool_set *ret_tools)
{
    static const char *const words[] = { [TOOL_SET_CORE] = "core", [TOOL_SET_FULL] = "full", [TOOL_SET_SINGLE] = "single" };
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (strcmp(words[i], word) == 0) {
            *ret_tools = (enum tool_set)i;
            return true;
        }
    }
    return false;
}

static enum start read_options(int argc, char **argv, struct options *ret)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return START_HELP;
        int given = i;
        const char *tools = option_value("--tools", argv, &i);
        const char *structured = tools ? NULL : option_value("--structured", argv, &i);
        if (tools && read_set(tools, &ret->tools))
            continue;
        if (structured && read_mode(structured, &ret->mode))
            continue;
        if (tools)
            fprintf(stderr, "dapple mcp: --tools must be core, full or single, not \"%s\"\n", tools);
        else if (structured)
            fprintf(stderr, "dapple mcp: --structured must be auto, on or off, not \"%s\"\n", structured);
        else if (strcmp(argv[given], "--tools") == 0 || strcmp(argv[given], "--structured") == 0)
            fprintf(stderr, "dapple mcp: %s needs a value\n", argv[given]);
        else
            fprintf(stderr, "dapple mcp: unknown option \"%s\" (dapple mcp --help lists them)\n", argv[given]);
        return START_WRONG;
    }
    return START_SERVE;
}

/* Nothing is looked for or read here: hosts start us more often than they use us. */
static int start(struct server *server, const struct options *options, struct error *ret_error)
{
    AUTO_FREE char *folder = getcwd(NULL, 0);
    if (channel_fill_descriptors() < 0 || loop_init(&server->loop) < 0)
        return error_set(ret_error, ERROR_SPAWN, "no event loop: out of descriptors or memory");
    jsonrpc_lines_init(&server->lines);
    server->host = session_host_new(&server->loop, "/proc/self/exe");
    server->roster = roster_new(server->host);
    server->world = world_new(server->roster, folder ? folder : "/", NULL, options->mode != STRUCTURED_OFF);
    world_offer(server->world, options->tools);
    server->protocol = protocol_new(&protocol_ops, server, options->mode, options->tools);
    server->timed = (struct loop_timed){ .deadline = timed_deadline, .on_time = timed_on_time, .user = server };
    loop_add_timed(&server->loop, &server->timed);
    server->world_timed = (struct loop_timed){ .deadline = unused_deadline, .on_time = unused_on_time, .user = server };
    loop_add_timed(&server->loop, &server->world_timed);
    catch_signals(server);
    server->channel = channel_open(&server->loop, &channel_events, server, ret_error);
    if (!server->channel)
        return -1;
    channel_read(server->channel);
    return 0;
}

int mcp_main(int argc, char **argv)
{
    struct options options = { STRUCTURED_AUTO, TOOL_SET_CORE };
    switch (read_options(argc, argv, &options)) {
    case START_HELP:
        fputs(usage, stdout);
        return 0;
    case START_WRONG:
        return 2;
    case START_SERVE:
        break;
    }
    /* Static, and never taken apart: calls may still wait when the host has gone, and what they hold ends with the process. */
    static struct server server;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (start(&server, &options, &error) < 0) {
        fprintf(stderr, "dapple mcp: %s\n", error.message);
        return 1;
    }
    loop_run(&server.loop);
    session_host_kill_all(server.host);
    world_free(server.world);
    roster_free(server.roster); /* removes the files of long results */
    return 0;
}
