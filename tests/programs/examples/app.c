/* What the examples for machine code are tried on. */
#include <stdio.h>

static char buffer[64] = "some bytes";
static int total;

static int add(int n)
{
    total += n;
    return total;
}

int main(void)
{
    for (int n = 1; n < 4; n++)
        printf("%d %s\n", add(n), buffer);
    return 0;
}
