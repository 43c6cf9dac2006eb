#include "io/terminal.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "io/argument_list.h"
#include "io/loop.h"
#include "io/stream.h"
#include "io/supervised.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define COLUMNS 80
#define ROWS 24
/* How long the terminal may stay open after the tree is gone (somebody outside it holds it). */
#define LINGER_MS 200

enum farewell { FAREWELL_NONE, FAREWELL_WAITING, FAREWELL_TERMINATED };

struct terminal {
    struct loop *loop;
    const struct terminal_events *events;
    void *user;
    struct supervised *supervised;
    struct stream *stream; /* the master side */
    int master;            /* its descriptor, the stream's */
    int slave;             /* held until the tree is gone: a program may close its terminal and open it again. -1 */
    uv_timer_t timer;      /* to report `failure` from the loop, for a farewell, or for what lingers */
    struct error failure;
    enum farewell farewell;
    bool gone, ended, freed;
    int code, signal;
};

/* ---- the pty ---- */

static void set_modes(int slave)
{
    struct termios modes;
    if (tcgetattr(slave, &modes) != 0)
        return;
    modes.c_oflag &= ~(tcflag_t)ONLCR;
    modes.c_iflag |= IUTF8;
    tcsetattr(slave, TCSANOW, &modes);
}

static int open_slave(int master)
{
    char name[64];
    if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof(name)) != 0)
        return -1;
    return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static void resize(int master, unsigned short columns, unsigned short rows)
{
    const struct winsize size = { .ws_col = columns, .ws_row = rows };
    ioctl(master, TIOCSWINSZ, &size);
}

static int open_pty(struct terminal *terminal, struct error *ret_error)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    int slave = master < 0 ? -1 : open_slave(master);
    if (slave < 0) {
        error_set(ret_error, ERROR_SPAWN, "cannot open a terminal: %s", strerror(errno));
        if (master >= 0)
            close(master);
        return -1;
    }
    resize(master, COLUMNS, ROWS);
    set_modes(slave);
    terminal->master = master;
    terminal->slave = slave;
    return 0;
}

/* ---- the end ---- */

static void close_slave(struct terminal *terminal)
{
    if (terminal->slave >= 0)
        close(terminal->slave);
    terminal->slave = -1;
}

static void close_all(struct terminal *terminal)
{
    close_slave(terminal);
    stream_free(terminal->stream);
    terminal->stream = NULL;
    supervised_free(terminal->supervised);
    terminal->supervised = NULL;
}

static void finish(struct terminal *terminal)
{
    terminal->ended = true;
    uv_timer_stop(&terminal->timer);
    close_all(terminal);
    if (terminal->failure.kind != ERROR_NONE)
        terminal->events->on_failed(terminal->user, &terminal->failure);
    else
        terminal->events->on_exit(terminal->user, terminal->code, terminal->signal);
}

static void on_timer(uv_timer_t *timer)
{
    struct terminal *terminal = timer->data;
    if (terminal->gone || terminal->failure.kind != ERROR_NONE) {
        finish(terminal);
    } else if (terminal->farewell == FAREWELL_WAITING) {
        terminal->farewell = FAREWELL_TERMINATED;
        terminal_terminate(terminal);
        uv_timer_start(timer, on_timer, TERMINAL_FAREWELL_MS, 0);
    } else {
        terminal_kill(terminal);
    }
}

/* The tree is gone: what it printed last is still to be read. */
static void on_gone(void *user, int code, int signal)
{
    struct terminal *terminal = user;
    terminal->gone = true;
    terminal->code = code;
    terminal->signal = signal;
    close_slave(terminal);
    uv_timer_start(&terminal->timer, on_timer, LINGER_MS, 0);
}

/* A terminal gives what it holds in small pieces, and libuv takes one that comes together with the hang-up for the last. */
static void read_rest(struct terminal *terminal)
{
    char bytes[4096];
    ssize_t got;
    while (!terminal->freed && ((got = read(terminal->master, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            terminal->events->on_output(terminal->user, bytes, (size_t)got);
}

/* With nobody left on its other side, a terminal reads EIO: the tree is gone, and so is our own hold. */
static void on_output_end(void *user, const char *why)
{
    (void)why;
    struct terminal *terminal = user;
    read_rest(terminal);
    if (!terminal->freed && terminal->gone)
        finish(terminal);
}

static void on_output(void *user, const char *bytes, size_t len)
{
    struct terminal *terminal = user;
    terminal->events->on_output(terminal->user, bytes, len);
}

static const struct stream_events stream_events = { on_output, on_output_end, NULL };

/* ---- starting ---- */

static void on_started(void *user, pid_t pid)
{
    struct terminal *terminal = user;
    terminal->events->on_started(terminal->user, pid);
    if (!terminal->freed)
        stream_read(terminal->stream);
}

static void on_failed(void *user, const struct error *why)
{
    struct terminal *terminal = user;
    error_set(&terminal->failure, why->kind, "%s", why->message);
    finish(terminal);
}

static const struct supervised_events supervised_events = { on_started, on_failed, on_gone };

/* The arguments as one line for a shell; they are not quoted, since they are meant to be read by it. */
static char **shell_arguments(char *const *argv)
{
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, SIZE_MAX);
    for (size_t i = 0; argv[i]; i++) {
        buffer_add(&line, i > 0 ? " " : "");
        buffer_add(&line, argv[i]);
    }
    char **list = xcalloc(4, sizeof(*list));
    list[0] = xstrdup("/bin/sh");
    list[1] = xstrdup("-c");
    list[2] = buffer_take(&line, NULL);
    return list;
}

/* Later entries win, so the command may set TERM otherwise. */
static char **terminal_environment(char *const *env)
{
    size_t count = argument_list_count(env);
    char **list = xcalloc(count + 2, sizeof(*list));
    list[0] = xstrdup("TERM=dumb");
    for (size_t i = 0; i < count; i++)
        list[i + 1] = xstrdup(env[i]);
    return list;
}

static int spawn(struct terminal *terminal, const char *executable, const struct terminal_command *command, int latch,
                 struct error *ret_error)
{
    if (open_pty(terminal, ret_error) != 0)
        return -1;
    terminal->stream = stream_of_pipe(terminal->loop, terminal->master);
    stream_listen(terminal->stream, &stream_events, terminal);
    char **argv = command->shell ? shell_arguments(command->argv) : argument_list_copy(command->argv, 0, NULL, NULL);
    char **env = terminal_environment(command->env);
    const struct supervised_command supervised = { .argv = argv,
                                                   .cwd = command->cwd && *command->cwd ? command->cwd : NULL,
                                                   .env = env,
                                                   .latch = latch,
                                                   .in = terminal->slave,
                                                   .out = terminal->slave,
                                                   .err = terminal->slave };
    terminal->supervised = supervised_start(terminal->loop, executable, &supervised, &supervised_events, terminal, ret_error);
    argument_list_free(argv);
    argument_list_free(env);
    return terminal->supervised ? 0 : -1;
}

struct terminal *terminal_start(struct loop *loop, const char *executable, const struct terminal_command *command, int latch,
                                const struct terminal_events *events, void *user)
{
    struct terminal *terminal = xcalloc(1, sizeof(*terminal));
    terminal->loop = loop;
    terminal->slave = -1;
    terminal->events = events;
    terminal->user = user;
    uv_timer_init(&loop->uv, &terminal->timer);
    terminal->timer.data = terminal;
    if (spawn(terminal, executable, command, latch, &terminal->failure) != 0)
        uv_timer_start(&terminal->timer, on_timer, 0, 0);
    return terminal;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct terminal *terminal = handle->data;
    error_clear(&terminal->failure);
    free(terminal);
}

void terminal_free(struct terminal *terminal)
{
    if (!terminal || terminal->freed)
        return;
    terminal->freed = true;
    close_all(terminal);
    uv_close((uv_handle_t *)&terminal->timer, on_timer_closed);
}

/* ---- use ---- */

int terminal_type(struct terminal *terminal, const char *bytes, size_t len, struct error *ret_error)
{
    if (!terminal->stream)
        return error_set(ret_error, ERROR_STATE, "nobody reads in this terminal any more");
    size_t unread = stream_unwritten(terminal->stream);
    if (len > LIMIT_TERMINAL_INPUT || unread > LIMIT_TERMINAL_INPUT - len)
        return error_set(ret_error, ERROR_LIMIT, "the program has not read %zu bytes of its input yet; there is room for %u in all",
                         unread, LIMIT_TERMINAL_INPUT);
    stream_write(terminal->stream, bytes, len);
    return 0;
}

void terminal_resize(struct terminal *terminal, unsigned short columns, unsigned short rows)
{
    if (terminal->stream)
        resize(terminal->master, columns, rows);
}

void terminal_terminate(struct terminal *terminal)
{
    if (terminal->supervised)
        supervised_terminate(terminal->supervised);
}

void terminal_kill(struct terminal *terminal)
{
    if (terminal->supervised)
        supervised_kill(terminal->supervised);
}

void terminal_wind_up(struct terminal *terminal)
{
    if (terminal->gone || terminal->ended || terminal->farewell != FAREWELL_NONE || terminal->failure.kind != ERROR_NONE)
        return;
    terminal->farewell = FAREWELL_WAITING;
    uv_timer_start(&terminal->timer, on_timer, TERMINAL_FAREWELL_MS, 0);
}

int terminal_descriptor(const struct terminal *terminal)
{
    return terminal->supervised ? supervised_descriptor(terminal->supervised) : -1;
}
