#include "cli/exchange.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SILENCE_MS 15000 /* the daemon says each second that it is there */

static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
    (void)number;
    interrupts = interrupts + 1;
}

struct talk {
    int fd;
    struct buffer in;
    struct timespec began;
    bool waits;          /* for a result */
    bool shows_progress; /* there is a line of ours on the terminal */
    bool asked_to_cancel;
};

/* ---- progress on a terminal ---- */

static void show_progress(struct talk *talk, const char *doing)
{
    if (isatty(STDERR_FILENO) != 1)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    AUTO_BUFFER struct buffer words;
    buffer_init(&words, LIMIT_MESSAGE_BYTES);
    utf8_one_line(&words, doing, strlen(doing), 100);
    fprintf(stderr, "\r%s (%lld s; Ctrl-C ends the wait, not the program)\033[K", words.data,
            (long long)(now.tv_sec - talk->began.tv_sec));
    fflush(stderr);
    talk->shows_progress = true;
}

static void hide_progress(struct talk *talk)
{
    if (talk->shows_progress)
        fputs("\r\033[K", stderr);
    talk->shows_progress = false;
}

/* ---- the wire ---- */

static int send_all(int fd, const char *bytes, size_t len, struct error *ret_error)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return error_set(ret_error, ERROR_TRANSPORT, "the daemon does not take the request: %s", strerror(errno));
        bytes += sent;
        len -= (size_t)sent;
    }
    return 0;
}

static int send_request(int fd, const struct request *request, struct error *ret_error)
{
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_CLI_LINE);
    request_write(&line, request);
    if (line.len < 2 || line.data[0] != '{')
        return error_set(ret_error, ERROR_LIMIT, "arguments and environment are too long: over %u bytes", LIMIT_CLI_LINE);
    return send_all(fd, line.data, line.len, ret_error);
}

/* Returns 1 when something can be read, 0 after an interrupt. */
static int wait_for_bytes(struct talk *talk, const sigset_t *mask, struct error *ret_error)
{
    struct pollfd readable = { .fd = talk->fd, .events = POLLIN };
    struct timespec most = { .tv_sec = SILENCE_MS / 1000 };
    int ready = interrupts > (talk->asked_to_cancel ? 1 : 0) ? 0 : ppoll(&readable, 1, &most, mask);
    if (ready > 0)
        return 1;
    if (ready < 0 && errno != EINTR)
        return error_set(ret_error, ERROR_TRANSPORT, "cannot wait for the daemon: %s", strerror(errno));
    if (interrupts == 0 && ready == 0)
        return error_set(ret_error, ERROR_TIMEOUT,
                         "the daemon has not been heard of for %d s; it may hang (dapple log shows its log)", SILENCE_MS / 1000);
    return 0;
}

/* The second Ctrl-C does not wait any longer: the daemon sees that we are gone. */
static int after_interrupt(struct talk *talk, struct error *ret_error)
{
    if (talk->asked_to_cancel && interrupts > 1)
        return error_set(ret_error, ERROR_CANCELLED, "interrupted; the program goes on (dapple status)");
    if (talk->asked_to_cancel || interrupts == 0)
        return 0;
    talk->asked_to_cancel = true;
    return send_request(talk->fd, &(struct request){ .kind = REQUEST_CANCEL }, ret_error);
}

/* The bytes of what is no message of ours are the daemon's plain words; of another version's, too. */
static int plain_words(const char *line, size_t len, struct error *ret_error)
{
    static const char head[] = "dapple: ";
    bool ours = len > sizeof(head) && strncmp(line, head, sizeof(head) - 1) == 0;
    AUTO_BUFFER struct buffer words;
    buffer_init(&words, LIMIT_MESSAGE_BYTES + 1);
    utf8_one_line(&words, ours ? line + sizeof(head) - 1 : line, ours ? len - (sizeof(head) - 1) : len, LIMIT_MESSAGE_BYTES);
    bool of_versions = strstr(words.data, "protocol") != NULL;
    return error_set(ret_error, ERROR_PROTOCOL, "%s%s", words.data,
                     of_versions ? "; dapple daemon stop ends the daemon and its sessions" : "");
}

/* Returns 1 when the result has come. */
static int take_lines(struct talk *talk, struct exchange *ret, struct error *ret_error)
{
    char *end;
    while ((end = memchr(talk->in.data, '\n', talk->in.len)) != NULL) {
        size_t len = (size_t)(end - talk->in.data);
        if (talk->in.data[0] != '{')
            return plain_words(talk->in.data, len, ret_error);
        json_free(&ret->json);
        if (json_parse_copy(talk->in.data, len, &ret->json, ret_error) < 0 || answer_read(&ret->answer, &ret->json, ret_error) < 0)
            return -1;
        buffer_consume(&talk->in, len + 1);
        if (ret->answer.is_result)
            return 1;
        if (talk->waits)
            show_progress(talk, ret->answer.doing);
    }
    return 0;
}

static int read_some(struct talk *talk, struct error *ret_error)
{
    char bytes[64 * 1024];
    ssize_t got = read(talk->fd, bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR)
        return 0;
    if (got > 0 && buffer_append(&talk->in, bytes, (size_t)got) == 0)
        return 0;
    return error_set(ret_error, ERROR_TRANSPORT,
                     got > 0 ? "the daemon's answer is too long"
                             : "the daemon has ended before it answered, and its sessions with it (dapple log)");
}

static int wait_for_answer(struct talk *talk, const sigset_t *mask, struct exchange *ret, struct error *ret_error)
{
    for (;;) {
        int ready = wait_for_bytes(talk, mask, ret_error);
        if (ready < 0 || (ready == 0 && after_interrupt(talk, ret_error) < 0))
            return -1;
        if (ready == 0)
            continue;
        int taken = read_some(talk, ret_error) < 0 ? -1 : take_lines(talk, ret, ret_error);
        if (taken != 0)
            return taken;
    }
}

int exchange(int fd, const struct request *request, struct exchange *ret, struct error *ret_error)
{
    *ret = (struct exchange){ 0 };
    struct talk talk = { .fd = fd, .waits = true };
    buffer_init(&talk.in, LIMIT_CLI_ANSWER);
    clock_gettime(CLOCK_MONOTONIC, &talk.began);
    /* Only while we wait can it interrupt: nothing is lost in between. */
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    struct sigaction action = { .sa_handler = on_interrupt }, former;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &former);
    if (former.sa_handler == SIG_IGN)
        sigaction(SIGINT, &former, NULL); /* of a command in the background */
    interrupts = 0;
    int result = send_request(fd, request, ret_error);
    if (result == 0)
        result = wait_for_answer(&talk, &before, ret, ret_error) == 1 ? 0 : -1;
    hide_progress(&talk);
    ret->interrupted = talk.asked_to_cancel;
    sigaction(SIGINT, &former, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    buffer_done(&talk.in);
    close(fd);
    return result;
}

char *exchange_begin(int fd, const struct request *request, struct error *ret_error)
{
    struct talk talk = { .fd = fd };
    struct exchange first = { 0 };
    buffer_init(&talk.in, LIMIT_CLI_LINE);
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    interrupts = 0;
    int result = send_request(fd, request, ret_error);
    while (result == 0 && first.answer.doing == NULL) {
        int ready = wait_for_bytes(&talk, &mask, ret_error);
        result = ready < 0 ? -1 : ready == 0 ? 0 : read_some(&talk, ret_error);
        if (result == 0 && ready > 0 && take_lines(&talk, &first, ret_error) != 0)
            result = -1;
    }
    char *word = result == 0 ? xstrdup(first.answer.doing) : NULL;
    exchange_done(&first);
    buffer_done(&talk.in);
    return word;
}

void exchange_done(struct exchange *exchange)
{
    json_free(&exchange->json);
    *exchange = (struct exchange){ 0 };
}
