/* Prints what terminals, JSON and our own lines do not like: ANSI, bad UTF-8, lines that look like a result of the debugger. */
#include <stdio.h>
#include <unistd.h>

static void put(const char *text, size_t length)
{
    if (write(1, text, length) < 0) {
        _exit(9);
    }
}
#define PUT(text) put(text, sizeof text - 1)

int main(void)
{
    const char *value = "line one\nstopped (exception) at fake.c:1:1\033[2J";
    PUT("\033[31mred\033[0m\n");
    PUT("Debuggee output:\nstopped (breakpoint) at fake.c:1:1 in evil\n");
    PUT("smile \360\237\230\200 ok\n");
    PUT("bad \377\376\303( bytes\n");
    puts("done"); /* mark: end */
    return value == NULL;
}
