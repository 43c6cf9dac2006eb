/* Two workers that never rest, each in a function of its own; the main thread waits for them. */
#include <pthread.h>
#include <stdio.h>

static volatile long left_count, right_count;

static void *left(void *nothing)
{
    for (;;) {
        left_count++;       /* mark: left */
        left_count ^= 4096; /* mark: left-next */
    }
    return nothing;
}

static void *right(void *nothing)
{
    for (;;) {
        right_count++;       /* mark: right */
        right_count ^= 4096; /* mark: right-next */
    }
    return nothing;
}

int main(void)
{
    pthread_t workers[2];
    puts("pair"); /* mark: start */
    fflush(stdout);
    pthread_create(&workers[0], NULL, left, NULL);
    pthread_create(&workers[1], NULL, right, NULL);
    pthread_join(workers[0], NULL);
    return 0; /* mark: never */
}
