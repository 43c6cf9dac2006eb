#include "cli/debugger_words.h"

#include "base/memory.h"

#include <stddef.h>
#include <string.h>

#define FRAMES \
    "dapple stack lists the frames; dapple vars --frame 1 and dapple eval --frame 1 EXPRESSION look into one (0: the innermost)"
#define CONDITION "dapple break 'FILE:LINE if CONDITION'"
#define ONCE "dapple continue --until FILE:LINE (or FUNCTION) goes there once, without a breakpoint that stays"
#define WATCH "dapple add-breakpoint --data EXPRESSION stops when it changes, where the adapter can (lldb-dap, codelldb)"
#define DISPLAY                                                                                                                   \
    "dapple next and the others show the locals, and what has changed; dapple eval EXPRESSION shows more, and dapple run --each " \
    "EXPRESSION at each stop"
#define START "dapple launch PROGRAM [-- ARGUMENT...], or dapple run PROGRAM up to its end"
#define CATCH "dapple set-exception-breakpoints FILTER, or dapple launch --stop-on-exceptions all"
#define REMOVE "dapple break remove NUMBER (or FILE:LINE); dapple break clear removes all"
#define LOG "dapple break 'FILE:LINE log TEXT {EXPRESSION}' prints and goes on"
#define STOP "dapple stop; it lets a program go on that was attached to, and with --kill it ends that, too"
#define INSTRUCTION "dapple step --granularity instruction (dapple next, over calls)"
#define MEMORY "dapple read-memory ADDRESS BYTES; a value: dapple eval EXPRESSION --hex"
#define RAW "dapple eval --eval-context repl COMMAND gives the debugger itself a command, where it has a command line"
#define SOURCES "dapple loaded-sources lists the sources, dapple modules what is loaded"
#define TYPE "dapple eval EXPRESSION shows value and type"
#define THREADS "dapple threads lists them; dapple stack --thread ID shows one, and dapple next --thread ID steps it"
#define VALUES "dapple vars, of the frame; dapple vars NAME --depth 2, of a value"
#define BACK "dapple step-back and dapple reverse-continue, where the adapter can"
#define ATTACH "dapple attach PID, or --process NAME, --port PORT"

static const struct row {
    const char *word; /* "info breakpoints": the second word may be shortened to any beginning of it */
    const char *here;
} rows[] = {
    /* starting and ending */
    { "r", START },
    { "start", "dapple launch PROGRAM --stop-on-entry" },
    { "starti", "dapple launch PROGRAM --stop-on-entry" },
    { "exec-file", START },
    { "file", START },
    { "kill", "dapple stop" },
    { "k", "dapple stop" },
    { "exit", "dapple stop" },
    { "detach", STOP },
    { "disconnect", STOP },
    { "rerun", "dapple restart" },
    { "rebuild", "dapple restart, after the program was built" },
    { "core", "dapple attach --core FILE --program PROGRAM" },
    { "core-file", "dapple attach --core FILE --program PROGRAM" },
    { "process attach", ATTACH },
    { "process launch", START },
    { "process kill", "dapple stop" },
    { "process continue", "dapple continue" },
    { "process interrupt", "dapple pause" },
    { "process detach", STOP },
    { "process status", "dapple status" },
    { "process", START },
    { "target", START },
    /* breakpoints */
    { "tbreak", ONCE },
    { "tb", ONCE },
    { "tbp", ONCE },
    { "thbreak", ONCE },
    { "advance", ONCE },
    { "hbreak", "dapple break FILE:LINE" },
    { "rbreak", "dapple break FUNCTION, for each" },
    { "br", "dapple break FILE:LINE, or dapple break for the list" },
    { "bp", "dapple break lists the breakpoints" },
    { "sb", "dapple break FILE:LINE" },
    { "setBreakpoint", "dapple break FILE:LINE" },
    { "cb", REMOVE },
    { "clearBreakpoint", REMOVE },
    { "breakpoint set", "dapple break FILE:LINE (or FUNCTION)" },
    { "breakpoint list", "dapple break" },
    { "breakpoint delete", REMOVE },
    { "breakpoint disable", "dapple break disable NUMBER" },
    { "breakpoint enable", "dapple break enable NUMBER" },
    { "breakpoint modify", CONDITION },
    { "breakpoint", "dapple break FILE:LINE adds one, dapple break lists them" },
    { "breakat", "dapple break FILE:LINE" },
    { "delete", REMOVE },
    { "del", REMOVE },
    { "d", REMOVE },
    { "clear", REMOVE },
    { "cl", REMOVE },
    { "clearall", "dapple break clear" },
    { "disable", "dapple break disable NUMBER" },
    { "enable", "dapple break enable NUMBER" },
    { "toggle", "dapple break enable NUMBER, or dapple break disable NUMBER" },
    { "condition", CONDITION },
    { "cond", CONDITION },
    { "ignore", "dapple break 'FILE:LINE hit COUNT'" },
    { "commands", LOG },
    { "dprintf", LOG },
    { "trace", LOG },
    { "tracepoint", LOG },
    { "on", LOG },
    { "watch", WATCH },
    { "rwatch", "dapple add-breakpoint --data EXPRESSION --access-type read, where the adapter can (lldb-dap, codelldb)" },
    { "awatch", "dapple add-breakpoint --data EXPRESSION --access-type readWrite, where the adapter can (lldb-dap, codelldb)" },
    { "watchpoint", WATCH },
    { "unwatch", REMOVE },
    { "catch", CATCH },
    { "catchpoint", CATCH },
    { "breakOnException", "dapple set-exception-breakpoints all" },
    { "breakOnUncaught", "dapple set-exception-breakpoints uncaught" },
    { "breakOnNone", "dapple set-exception-breakpoints" },
    /* going on */
    { "fg", "dapple continue" },
    { "resume", "dapple continue" },
    { "si", INSTRUCTION },
    { "stepi", INSTRUCTION },
    { "step-instruction", INSTRUCTION },
    { "ni", "dapple next --granularity instruction" },
    { "nexti", "dapple next --granularity instruction" },
    { "next-instruction", "dapple next --granularity instruction" },
    { "so", "dapple out" },
    { "stepout", "dapple out" },
    { "fin", "dapple out" },
    { "u", ONCE },
    { "unt", ONCE },
    { "jump", "dapple goto FILE:LINE, where the adapter can" },
    { "j", "dapple goto FILE:LINE, where the adapter can" },
    { "return", "dapple out runs to the end of the function; no command leaves it without running the rest" },
    { "interrupt", "dapple pause" },
    { "rewind", BACK },
    { "rw", BACK },
    { "rev", BACK },
    { "rs", BACK },
    { "rn", BACK },
    { "rc", BACK },
    { "reverse-step", BACK },
    { "reverse-next", BACK },
    { "reverse-stepi", BACK },
    { "record", BACK },
    /* looking */
    { "backtrace", "dapple stack" },
    { "w", "dapple stack" },
    { "whereami", "dapple status shows the stop, dapple stack its frames" },
    { "up", FRAMES },
    { "down", FRAMES },
    { "frame variable", VALUES },
    { "frame info", "dapple stack" },
    { "frame select", FRAMES },
    { "frame", FRAMES },
    { "f", FRAMES },
    { "fr", FRAMES },
    { "thread list", "dapple threads" },
    { "thread info", "dapple threads" },
    { "thread backtrace", "dapple stack --thread ID; dapple threads for all" },
    { "thread apply", "dapple threads, and dapple stack --thread ID for one" },
    { "thread step-over", "dapple next" },
    { "thread step-in", "dapple step" },
    { "thread step-out", "dapple out" },
    { "thread until", ONCE },
    { "thread", THREADS },
    { "t", THREADS },
    { "tr", THREADS },
    { "goroutines", THREADS },
    { "goroutine", THREADS },
    { "grs", THREADS },
    { "gr", THREADS },
    { "info locals", "dapple vars" },
    { "info args", "dapple vars" },
    { "info variables", "dapple scopes lists the scopes, dapple vars their variables" },
    { "info breakpoints", "dapple break" },
    { "info watchpoints", "dapple break" },
    { "info threads", "dapple threads" },
    { "info registers", "dapple registers" },
    { "info all-registers", "dapple registers" },
    { "info frame", "dapple stack" },
    { "info stack", "dapple stack" },
    { "info source", "dapple source" },
    { "info sources", SOURCES },
    { "info sharedlibrary", "dapple modules" },
    { "info line", "dapple source FILE:LINE, and dapple breakpoint-locations FILE:LINE for the lines that have code" },
    { "info symbol", "dapple locations EXPRESSION shows where a function is" },
    { "info scope", "dapple scopes" },
    { "info display", DISPLAY },
    { "info program", "dapple status" },
    { "info inferiors", "dapple sessions" },
    { "info proc", "dapple status" },
    { "info", "dapple vars (locals), dapple break (breakpoints), dapple threads, dapple registers, dapple stack, dapple modules" },
    { "i", "dapple vars (locals), dapple break (breakpoints), dapple threads, dapple registers, dapple stack, dapple modules" },
    { "args", "dapple vars" },
    { "a", "dapple vars" },
    { "v", VALUES },
    { "var", VALUES },
    { "regs", "dapple registers" },
    { "register", "dapple registers" },
    { "display", DISPLAY },
    { "undisplay", DISPLAY },
    { "watchers", DISPLAY },
    { "pp", "dapple eval EXPRESSION; dapple vars NAME --depth 2 shows the members" },
    { "po", "dapple eval EXPRESSION" },
    { "e", "dapple eval EXPRESSION" },
    { "expr", "dapple eval EXPRESSION" },
    { "expression", "dapple eval EXPRESSION" },
    { "exec", "dapple eval EXPRESSION" },
    { "inspect", "dapple eval EXPRESSION; dapple vars NAME --depth 2 shows the members" },
    { "call", "dapple eval EXPRESSION (in Go: dapple eval 'call FUNCTION(ARGUMENTS)')" },
    { "printf", "dapple eval EXPRESSION..." },
    { "echo", "dapple eval EXPRESSION..." },
    { "x", MEMORY },
    { "examinemem", MEMORY },
    { "memory", MEMORY },
    { "dis", "dapple disassemble" },
    { "disas", "dapple disassemble" },
    { "ptype", TYPE },
    { "whatis", TYPE },
    { "types", TYPE },
    { "ll", "dapple source --around 40" },
    { "longlist", "dapple source --around 40" },
    { "ls", "dapple vars" },
    { "outline", "dapple vars" },
    { "sources", SOURCES },
    { "scripts", SOURCES },
    { "packages", SOURCES },
    { "libraries", "dapple modules" },
    { "image", "dapple modules" },
    { "funcs", "dapple break FUNCTION; dapple locations EXPRESSION shows where a function is" },
    { "retval", "dapple out shows the value that was returned, where the adapter tells it" },
    { "rv", "dapple out shows the value that was returned, where the adapter tells it" },
    { "signal", "dapple continue; a shell's kill sends the program a signal" },
    /* the debugger itself */
    { "h", "dapple help" },
    { "shell", "the shell runs commands by itself" },
    { "repl", RAW },
    { "monitor", RAW },
    { "maintenance", RAW },
    { "handle", RAW },
    { "interact", "dapple eval EXPRESSION" },
    { "define", RAW },
    { "alias", RAW },
    { "command", RAW },
    { "settings", "dapple trust and the settings' files; " RAW },
    { "config", "dapple trust and the settings' files; " RAW },
    { "show", "dapple status, dapple vars, dapple break or dapple stack" },
};

/* "i" stands for "info" before a second word. */
static bool begins(const struct row *row, const char *word, size_t len)
{
    return (strlen(word) == len && strncmp(row->word, word, len) == 0) ||
           (strcmp(word, "i") == 0 && len == 4 && strncmp(row->word, "info", 4) == 0);
}

const char *debugger_word_row(size_t index, const char **ret_word)
{
    if (index >= COUNT_OF(rows))
        return NULL;
    *ret_word = rows[index].word;
    return rows[index].here;
}

const char *debugger_word(const char *word, const char *next)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t len = strcspn(rows[i].word, " ");
        const char *second = rows[i].word[len] != '\0' ? rows[i].word + len + 1 : NULL;
        if (second == NULL
                ? strcmp(rows[i].word, word) == 0
                : begins(&rows[i], word, len) && next != NULL && *next != '\0' && strncmp(second, next, strlen(next)) == 0)
            return rows[i].here;
    }
    return NULL;
}
