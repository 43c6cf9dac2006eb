/* Two workers and the main thread, which waits for them. */
#include <pthread.h>
#include <stdio.h>

static void *work(void *argument)
{
    int number = *(int *)argument;
    int square = number * number; /* mark: worker */
    *(int *)argument = square;
    return NULL;
}

int main(void)
{
    pthread_t workers[2];
    int numbers[2] = {3, 4};
    for (int index = 0; index < 2; index++) {
        pthread_create(&workers[index], NULL, work, &numbers[index]);
    }
    for (int index = 0; index < 2; index++) {
        pthread_join(workers[index], NULL);
    }
    puts("joined");
    return 0;
}
