#include "session/signals.h"

#include "base/memory.h"

#include <ctype.h>
#include <signal.h>
#include <string.h>

static const struct {
    int number;
    const char *name;
} signals[] = {
    { SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },     { SIGQUIT, "SIGQUIT" }, { SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" },
    { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },     { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" }, { SIGUSR1, "SIGUSR1" },
    { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },   { SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
    { SIGCHLD, "SIGCHLD" }, { SIGCONT, "SIGCONT" },   { SIGSTOP, "SIGSTOP" }, { SIGTSTP, "SIGTSTP" }, { SIGTTIN, "SIGTTIN" },
    { SIGTTOU, "SIGTTOU" }, { SIGURG, "SIGURG" },     { SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGVTALRM, "SIGVTALRM" },
    { SIGPROF, "SIGPROF" }, { SIGWINCH, "SIGWINCH" }, { SIGIO, "SIGIO" },     { SIGSYS, "SIGSYS" },
};

const char *signal_name(int number)
{
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        if (signals[i].number == number)
            return signals[i].name;
    return NULL;
}

int signal_in_text(const char *text)
{
    const char *at = strstr(text, "SIG");
    for (size_t i = 0; at != NULL && i < COUNT_OF(signals); i++) {
        size_t len = strlen(signals[i].name);
        if (strncmp(at, signals[i].name, len) == 0 && !isalnum((unsigned char)at[len]))
            return signals[i].number;
    }
    return 0;
}
