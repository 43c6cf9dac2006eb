/* What the program sees of its arguments, folder and environment. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char folder[4096];
    const char *added = getenv("DAPPLE_ADDED"), *removed = getenv("DAPPLE_REMOVED");
    for (int index = 1; index < argc; index++) {
        printf("[%s]", argv[index]);
    }
    printf("\n%s\n%s %s\n", getcwd(folder, sizeof folder), added ? added : "None", removed ? removed : "None");
    return 0;
}
