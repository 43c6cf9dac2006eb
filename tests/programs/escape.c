/* Starts a grandchild in a session of its own (double fork, setsid), without our environment, and writes the two pids into the file
 * that is named by the argument. Then both wait, at most a minute. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void grandchild(int report)
{
    char *const argv[] = {"sleep", "60", NULL};
    char *const env[] = {NULL};
    dprintf(report, "%d", (int)getpid());
    execve("/bin/sleep", argv, env);
    _exit(127);
}

static void report_pids(const char *path, const char *pid)
{
    char draft[4096];
    snprintf(draft, sizeof draft, "%s.new", path);
    FILE *file = fopen(draft, "w");
    if (file == NULL) {
        _exit(2);
    }
    fprintf(file, "%d %s\n", (int)getpid(), pid);
    fclose(file);
    rename(draft, path);
}

int main(int argc, char **argv)
{
    int ends[2];
    char pid[32] = "";
    if (argc < 2 || pipe(ends) != 0) {
        return 2;
    }
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            grandchild(ends[1]);
        }
        _exit(0);
    }
    wait(NULL);
    if (read(ends[0], pid, sizeof pid - 1) <= 0) {
        return 2;
    }
    report_pids(argv[1], pid);
    sleep(60); /* mark: wait */
    return 0;
}
