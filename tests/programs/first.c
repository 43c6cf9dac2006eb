#include <stdio.h>

int main(void)
{
    int first = 1; /* mark: first */
    printf("first %d\n", first);
    return 0; /* mark: last */
}
