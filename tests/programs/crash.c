/* SIGSEGV, or abort() with the argument "abort"; through a pointer that is none with "wild". */
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
    if (argc > 1 && strcmp(argv[1], "wild") == 0)
        memset((void *)&nothing, 0xa5, sizeof nothing);
    return read_through(nothing);
}
