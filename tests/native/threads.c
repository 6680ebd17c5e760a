/* Calls of wf_parallel from several threads at once, some of which fork: every part is done exactly
 * once, by caller or by helper, and the child has helpers of its own.
 *
 * Arguments: a seed, the number of callers, of rounds, and of rounds between forks (0 for none).
 */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "random.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PARTS = 40 };

typedef struct {
    int parts, rounds, forks;
    uint64_t random;
    unsigned done[MOST_PARTS], work[MOST_PARTS]; /* not atomic: two threads at a part race */
} caller;

static uint64_t following(uint64_t *x) /* each caller has a state of its own */
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static void part(void *context, int index)
{
    caller *c = context;
    CHECK(index >= 0 && index < c->parts);
    volatile unsigned spins = c->work[index];
    while (spins) spins--;
    c->done[index]++;
}

static void do_task(caller *c)
{
    c->parts = 1 + (int)(following(&c->random) % MOST_PARTS);
    memset(c->done, 0, sizeof c->done);
    for (int i = 0; i < c->parts; i++) c->work[i] = (unsigned)(following(&c->random) % 3000);
    wf_parallel(c->parts, part, c);
    for (int i = 0; i < MOST_PARTS; i++) CHECK(c->done[i] == (i < c->parts));
}

static void do_tasks_in_child(caller *c)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        for (int i = 0; i < 3; i++) do_task(c);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && !status);
}

static void *call(void *argument)
{
    caller *c = argument;
    for (int round = 1; round <= c->rounds; round++) {
        do_task(c);
        if (c->forks && round % c->forks == 0) do_tasks_in_child(c);
        if (following(&c->random) % 50 == 0) { /* until all sleep */
            struct timespec pause = {0, 300000};
            nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 5);
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    int callers = atoi(argv[2]);
    caller all[16];
    pthread_t threads[16];
    CHECK(callers > 0 && callers <= 16);
    for (int i = 0; i < callers; i++) {
        all[i] = (caller){.rounds = atoi(argv[3]), .forks = atoi(argv[4]), .random = next() | 1};
        CHECK(!pthread_create(&threads[i], NULL, call, &all[i]));
    }
    for (int i = 0; i < callers; i++) CHECK(!pthread_join(threads[i], NULL));
    printf("%d callers\n", callers);
    return 0;
}
