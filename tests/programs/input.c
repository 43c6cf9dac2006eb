/* Reads a line of standard input. */
#include <stdio.h>

int main(void)
{
    char line[100];
    puts(fgets(line, sizeof line, stdin) ? "a line" : "end of input"); /* mark: after */
    return 0;
}
