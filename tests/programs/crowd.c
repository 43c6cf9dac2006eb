/* Twelve threads that wait at the same place, and the main thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define CROWD 12

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, leave = PTHREAD_COND_INITIALIZER;
static int waiting, open_door;
static pid_t ids[CROWD];

static void *wait_here(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&mutex);
    ids[waiting++] = gettid();
    pthread_cond_signal(&arrived);
    while (!open_door) {
        pthread_cond_wait(&leave, &mutex); /* mark: wait */
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* The last to arrive may still be on its way into pthread_cond_wait when the main thread goes on. */
static int sleeps(pid_t id)
{
    char path[64], state = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)id);
    FILE *file = fopen(path, "r");
    int known = file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    if (file != NULL)
        fclose(file);
    return known && state == 'S';
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
    for (int index = 0; index < CROWD; index++) {
        while (!sleeps(ids[index])) {
            usleep(1000);
        }
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
