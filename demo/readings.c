/* Prints sensor readings, newest first. It prints all of them, and then crashes: why? */
#include <stdio.h>
#include <stdlib.h>

struct readings {
    size_t count;
    int *values;
};

static struct readings measure(size_t count)
{
    struct readings readings = {count, malloc(count * sizeof(int))};
    for (size_t i = 0; i < count; i++)
        readings.values[i] = (int)(20 + i * i % 7);
    return readings;
}

static long newest_first(const struct readings *readings)
{
    long sum = 0;
    for (size_t i = readings->count - 1; i >= 0; i--) {
        int value = readings->values[i];
        if (i < readings->count)
            printf("reading %zu: %d\n", i, value);
        sum += value;
    }
    return sum;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct readings readings = measure(4);
    printf("sum %ld\n", newest_first(&readings));
    free(readings.values);
    return 0;
}
