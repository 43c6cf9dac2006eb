/* SIGSEGV, or abort() with the argument "abort". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_through(const int *pointer)
{
    return *pointer; /* mark: segv */
}

int main(int argc, char **argv)
{
    const int *volatile nothing = NULL;
    puts("about to crash");
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "abort") == 0) {
        abort(); /* mark: abort */
    }
    return read_through(nothing);
}
