/* Recursion 2000 deep. */
#include <stdio.h>

static int down(int level)
{
    if (level == 0) {
        return 0; /* mark: bottom */
    }
    return down(level - 1) + 1;
}

int main(void)
{
    printf("%d\n", down(2000));
    return 0;
}
