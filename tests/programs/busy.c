/* Spins until it is stopped; ends by itself after a minute so that a broken test leaves no heater behind. */
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long counter;

int main(void)
{
    alarm(60);
    puts("busy");
    fflush(stdout);
    for (;;) {
        counter++; /* mark: spin */
    }
}
