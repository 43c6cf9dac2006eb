/* Prints much: numbered lines of 100 bytes, then a last word. The argument is the number of lines. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 1;
    for (long number = 0; number < count; number++) {
        printf("%08ld %.90s\n", number,
               "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    }
    fflush(stdout);
    puts("the last word"); /* mark: end */
    return 0;
}
