#include "io/meeting.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/announcement.h"
#include "io/argument_list.h"
#include "io/port.h"
#include "io/private_socket.h"
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PORT_MARK "$PORT"
#define SOCKET_MARK "$SOCKET"

static const char *server_host(const struct meeting *meeting)
{
    return meeting->command->host ? meeting->command->host : "localhost";
}

static bool is_server(const struct meeting *meeting)
{
    enum session_transport transport = meeting->command->transport;
    return transport == SESSION_TCP || transport == SESSION_UNIX || transport == SESSION_CONNECT;
}

/* ---- arranging ---- */

static bool adapter_chooses_port(const struct adapter_command *command)
{
    if (!command->announcement || !strstr(command->announcement, ANNOUNCEMENT_PORT))
        return false;
    for (char *const *argument = command->argv; *argument; argument++)
        if (strstr(*argument, PORT_MARK))
            return false;
    return true;
}

static int check_port(const struct meeting *meeting, struct error *ret_error)
{
    if (!port_is_taken(meeting->command->host, meeting->port))
        return 0;
    return error_set(ret_error, ERROR_CONFIG,
                     "another program listens on port %u of %s already: end it, or use another port for %s",
                     (unsigned)meeting->port, server_host(meeting), meeting->command->argv[0]);
}

static int choose_port(struct meeting *meeting, struct error *ret_error)
{
    meeting->port = meeting->command->port;
    if (meeting->port)
        return check_port(meeting, ret_error);
    if (adapter_chooses_port(meeting->command))
        return 0;
    meeting->port = port_find_free();
    return meeting->port ? 0 : error_set(ret_error, ERROR_SPAWN, "no TCP port is free for the adapter: %s", strerror(errno));
}

static int listen_for_adapter(struct meeting *meeting, struct loop *loop, listener_fn accepted, void *user, struct error *ret_error)
{
    meeting->listener = listener_start(loop, meeting->command->host, accepted, user, ret_error);
    if (!meeting->listener)
        return -1;
    meeting->port = listener_port(meeting->listener);
    return 0;
}

static int choose_socket(struct meeting *meeting, struct error *ret_error)
{
    meeting->socket_path = private_socket_new(ret_error);
    return meeting->socket_path ? 0 : -1;
}

static void expect_announcement(struct meeting *meeting)
{
    const char *words = meeting->command->announcement;
    if (!is_server(meeting) || meeting->command->transport == SESSION_CONNECT || !words || *words == '\0')
        return;
    meeting->out_words = announcement_new(words);
    meeting->err_words = announcement_new(words);
}

int meeting_arrange(struct meeting *meeting, struct loop *loop, const struct adapter_command *command, listener_fn accepted,
                    void *user, struct error *ret_error)
{
    *meeting = (struct meeting){ .command = command };
    expect_announcement(meeting);
    switch (command->transport) {
    case SESSION_TCP:
        return choose_port(meeting, ret_error);
    case SESSION_TCP_ACCEPT:
        return listen_for_adapter(meeting, loop, accepted, user, ret_error);
    case SESSION_UNIX:
        return choose_socket(meeting, ret_error);
    case SESSION_CONNECT:
        meeting->port = command->port;
        return meeting->port ? 0 : error_set(ret_error, ERROR_CONFIG, "no port is given for an adapter that runs already");
    case SESSION_STDIO:
        break;
    }
    return 0;
}

static void forget_announcement(struct meeting *meeting)
{
    announcement_free(meeting->out_words);
    announcement_free(meeting->err_words);
    meeting->out_words = meeting->err_words = NULL;
}

void meeting_done(struct meeting *meeting)
{
    forget_announcement(meeting);
    listener_free(meeting->listener);
    meeting->listener = NULL;
    private_socket_free(meeting->socket_path);
    meeting->socket_path = NULL;
}

/* ---- telling the adapter ---- */

char **meeting_arguments(const struct meeting *meeting)
{
    if (meeting->socket_path)
        return argument_list_copy(meeting->command->argv, 0, SOCKET_MARK, meeting->socket_path);
    AUTO_FREE char *port = xasprintf("%u", (unsigned)meeting->port);
    return argument_list_copy(meeting->command->argv, 0, meeting->port ? PORT_MARK : NULL, port);
}

char **meeting_environment(const struct meeting *meeting)
{
    char **env = argument_list_copy(meeting->command->env, 1, NULL, NULL);
    if (meeting->port)
        env[argument_list_count(env)] = xasprintf("PORT=%u", (unsigned)meeting->port);
    return env;
}

/* ---- finding the adapter ---- */

bool meeting_place(const struct meeting *meeting, struct dial_place *ret_place)
{
    if (!is_server(meeting) || (meeting->port == 0 && !meeting->socket_path))
        return false;
    *ret_place = (struct dial_place){ .path = meeting->socket_path, .host = server_host(meeting), .port = meeting->port };
    return true;
}

/* Where it says that it listens is where it does, whatever it was told. */
static void take_announced_port(struct meeting *meeting, uint16_t port)
{
    if (port == 0)
        return;
    if (meeting->port != 0 && port != meeting->port)
        log_info("%s listens on port %u, not on %u", meeting->command->argv[0], (unsigned)port, (unsigned)meeting->port);
    meeting->port = port;
}

bool meeting_hear(struct meeting *meeting, enum meeting_stream stream, const char *bytes, size_t len)
{
    struct announcement *words = stream == MEETING_OUT ? meeting->out_words : meeting->err_words;
    if (!words || !announcement_hear(words, bytes, len))
        return false;
    take_announced_port(meeting, announcement_port(words));
    forget_announcement(meeting);
    return true;
}

bool meeting_may_dial(const struct meeting *meeting)
{
    return is_server(meeting) && !meeting->out_words;
}

bool meeting_port_was_chosen(const struct meeting *meeting)
{
    return meeting->command->transport == SESSION_TCP && meeting->command->port == 0;
}

char *meeting_next_step(const struct meeting *meeting)
{
    if (meeting->out_words)
        return xasprintf("said \"%s\"", meeting->command->announcement);
    switch (meeting->command->transport) {
    case SESSION_TCP:
        return xasprintf("accepted a connection on port %u", (unsigned)meeting->port);
    case SESSION_TCP_ACCEPT:
        return xasprintf("connected to port %u", (unsigned)meeting->port);
    case SESSION_UNIX:
        return xstrdup("accepted a connection on its socket");
    case SESSION_STDIO:
    case SESSION_CONNECT:
        break;
    }
    return xstrdup("ran");
}
