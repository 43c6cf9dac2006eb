/* Twelve threads that wait at the same place, and the main thread. */
#include <pthread.h>
#include <stdio.h>

#define CROWD 12

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, leave = PTHREAD_COND_INITIALIZER;
static int waiting, open_door;

static void *wait_here(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&mutex);
    waiting++;
    pthread_cond_signal(&arrived);
    while (!open_door) {
        pthread_cond_wait(&leave, &mutex); /* mark: wait */
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t crowd[CROWD];
    for (int index = 0; index < CROWD; index++) {
        pthread_create(&crowd[index], NULL, wait_here, NULL);
    }
    pthread_mutex_lock(&mutex);
    while (waiting < CROWD) {
        pthread_cond_wait(&arrived, &mutex);
    }
    open_door = 1; /* mark: here */
    pthread_cond_broadcast(&leave);
    pthread_mutex_unlock(&mutex);
    for (int index = 0; index < CROWD; index++) {
        pthread_join(crowd[index], NULL);
    }
    puts("all gone");
    return 0;
}
