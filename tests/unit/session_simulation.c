/* Thousands of random plays against the session (session_simulator.h).
 *
 *   unit-session_simulation          the usual seeds
 *   unit-session_simulation SEED     one play, told step by step
 *   unit-session_simulation SEED N   so many plays from that seed on */
#include "session_simulator.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PLAYS 10000

static char label[64];

struct generator {
    uint64_t state;
    unsigned steps;
};

/* splitmix64 */
static uint64_t next(struct generator *generator)
{
    uint64_t z = generator->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static unsigned choose(void *user, unsigned below)
{
    return (unsigned)(next(user) % below);
}

static bool over(void *user)
{
    struct generator *generator = user;
    return generator->steps-- == 0;
}

static void play(uint64_t seed, bool trace)
{
    struct generator generator = { .state = seed };
    generator.steps = (unsigned)(next(&generator) % 300);
    snprintf(label, sizeof(label), "seed %" PRIu64, seed);
    struct choices choices = { .choose = choose, .over = over, .user = &generator, .label = label, .trace = trace };
    simulate_session(&choices);
}

/* Whatever ends the process, the seed is told. */
static void tell_seed(void)
{
    (void)!write(STDERR_FILENO, label, strlen(label));
    (void)!write(STDERR_FILENO, "\n", 1);
}

static void on_crash(int number)
{
    tell_seed();
    signal(number, SIG_DFL);
    raise(number);
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Faults that it found: a resume refused before its frames were read left waits hanging; a wait forgotten by another one's callback was
 * called; bytes were sent after the adapter's side was closed. */
static void random_plays(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= PLAYS; seed++)
        play(seed, false);
}

int main(int argc, char **argv)
{
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(tell_seed);
    signal(SIGABRT, on_crash);
    signal(SIGSEGV, on_crash);
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t i = 0; argc > 1 && i < count; i++)
        play(seed + i, argc == 2);
    if (argc > 1)
        return 0;
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_plays) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
