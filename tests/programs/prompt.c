/* Prints in order, partly without newlines, with a stop in the middle of a line. */
#include <stdio.h>

int main(void)
{
    int value = 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    fputs("one ", stdout);
    fputs("two ", stdout); /* mark: middle */
    fputs("three\nname? ", stdout);
    value = 2; /* mark: end */
    return value - 2;
}
