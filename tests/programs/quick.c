/* Ends at once. */
#include <stdio.h>

int main(void)
{
    int answer = 42;
    puts("quick"); /* mark: puts */
    return answer - 42;
}
