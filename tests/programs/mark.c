/* Leaves a file behind as soon as it runs on from its stop: whoever ends it there must not find one. */
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "mark"; /* mark: stop */
    FILE *file = fopen(path, "w");
    return file == NULL || fclose(file) != 0;
}
