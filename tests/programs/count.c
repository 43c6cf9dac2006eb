/* Counts into the file that it is given, 50 times a second, so that others see that it goes on; ends by itself after two minutes. */
#include <stdio.h>
#include <unistd.h>

static int count(const char *path, int number)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "%d\n", number); /* mark: count */
    fclose(file);
    return number + 1;
}

int main(int argc, char **argv)
{
    alarm(120);
    for (int number = 0; argc > 1;) {
        number = count(argv[1], number);
        usleep(20000);
    }
    return 0;
}
