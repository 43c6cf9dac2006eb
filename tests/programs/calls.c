/* Functions for expressions to call: one with a line to stop at, one that prints, one that never ends, one that ends the program. */
#include <stdio.h>
#include <stdlib.h>

static int inner(int number)
{
    int twice = number * 2; /* mark: inner */
    return twice;
}

static int talk(void)
{
    puts("hello from here");
    fflush(stdout);
    return 5;
}

static int forever(void)
{
    for (volatile int number = 0;; number++) {
    }
}

static int leave(void)
{
    exit(3);
}

int main(int argc, char **argv)
{
    const int fixed = 7;
    int number = 4;
    int value = inner(number);
    (void)argv;
    printf("calls %d %d %d\n", value, fixed, number); /* mark: here */
    return argc > 99 ? talk() + forever() + leave() : 0;
}
