/* Splits work over threads, of Windows or POSIX, and keeps them for the next call: starting one can
 * take as long as counting 10^5 items.
 *
 * A task is a call of wf_parallel. Any thread without work takes the next part of the first task, and
 * so does the caller, who only waits for parts that others have begun: a task ends even if no thread
 * can be started, and callers in several threads share the same ones. As the next task often follows
 * at once, a thread looks out for it for a moment before it sleeps. Before the process is forked all
 * threads end, so that the child misses none.
 */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "kernel.h"

enum {
    PATIENCE = 100, /* microseconds to look out for work, or for the end of a task */
    STACK = 1 << 20 /* bytes for each thread */
};

#ifdef _WIN32
#include <process.h>
#include <windows.h>

typedef volatile LONG number; /* that is read without the lock, too */
typedef HANDLE thread;

static SRWLOCK lock = SRWLOCK_INIT;
static CONDITION_VARIABLE task_came = CONDITION_VARIABLE_INIT, task_ended = CONDITION_VARIABLE_INIT;

static int value(number *x) { return (int)InterlockedCompareExchange(x, 0, 0); }
static int add(number *x, int change) { return (int)InterlockedExchangeAdd(x, change) + change; }
static void acquire(void) { AcquireSRWLockExclusive(&lock); }
static void release(void) { ReleaseSRWLockExclusive(&lock); }
static void await(CONDITION_VARIABLE *event)
{
    SleepConditionVariableSRW(event, &lock, INFINITE, 0);
}
static void wake_one(CONDITION_VARIABLE *event) { WakeConditionVariable(event); }
static void wake_all(CONDITION_VARIABLE *event) { WakeAllConditionVariable(event); }
static void let_others_run(void) { SwitchToThread(); }

static double microseconds(void)
{
    LARGE_INTEGER now, frequency;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    return 1e6 * (double)now.QuadPart / (double)frequency.QuadPart;
}
#else
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

typedef atomic_int number;
typedef pthread_t thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t task_came = PTHREAD_COND_INITIALIZER, task_ended = PTHREAD_COND_INITIALIZER;

static int value(number *x) { return atomic_load_explicit(x, memory_order_acquire); }
static int add(number *x, int change) { return atomic_fetch_add(x, change) + change; }
static void acquire(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }
static void await(pthread_cond_t *event) { pthread_cond_wait(event, &lock); }
static void wake_one(pthread_cond_t *event) { pthread_cond_signal(event); }
static void wake_all(pthread_cond_t *event) { pthread_cond_broadcast(event); }
static void let_others_run(void) { sched_yield(); }

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}
#endif

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define RELAX() __builtin_ia32_pause()
#elif defined(__GNUC__) && defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

typedef struct task {
    void (*part)(void *, int);
    void *context;
    int parts, taken;
    number unfinished; /* parts */
    struct task *next;
} task;

/* All are guarded by the lock. */
static task *first;       /* of the tasks with parts that nobody has taken, the oldest first */
static number open_tasks; /* how many they are */
static thread threads[WF_MOST_THREADS];
static int started, asleep;
static int leaving; /* whether threads are to end, as the process is about to be forked */

/* Wait a moment until a number is zero, or until it is not; returns whether that happened. */
static int soon(number *x, int zero)
{
    double until = 0;
    while ((value(x) == 0) != zero) {
        for (int i = 0; i < 16; i++) RELAX();
        let_others_run();
        double now = microseconds();
        if (until == 0) until = now + PATIENCE;
        if (now > until) return 0;
    }
    return 1;
}

/* Do the next part of a task, with the lock before and afterwards. The task is gone as soon as its
 * last part is finished. */
static void do_part(task *t)
{
    int index = t->taken++;
    if (t->taken == t->parts) {
        task **at = &first;
        while (*at != t) at = &(*at)->next;
        *at = t->next;
        add(&open_tasks, -1);
    }
    release();
    t->part(t->context, index);
    acquire();
    if (!add(&t->unfinished, -1)) wake_all(&task_ended);
}

static void work(void)
{
    acquire();
    while (!leaving) {
        if (first) {
            do_part(first);
            continue;
        }
        release();
        int came = soon(&open_tasks, 0);
        acquire();
        if (came || first || leaving) continue;
        asleep++;
        await(&task_came);
        asleep--;
    }
    release();
}

#ifdef _WIN32
static unsigned __stdcall run(void *unused)
{
    (void)unused;
    work();
    return 0;
}

static int start(thread *t)
{
    *t = (HANDLE)_beginthreadex(NULL, 0, run, NULL, 0, NULL);
    return *t != NULL;
}
#else
static void *run(void *unused)
{
    work();
    return unused;
}

/* One thread forks at a time: only one can wait until the others end. */
static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    pthread_mutex_lock(&forking);
    acquire();
    leaving = 1;
    wake_all(&task_came);
    release();
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    acquire();
    started = 0;
}

static void after_fork(void)
{
    leaving = 0;
    release();
    pthread_mutex_unlock(&forking);
}

/* The child has no callers but this one, and nobody who waits. */
static void in_child(void)
{
    first = NULL;
    atomic_store(&open_tasks, 0);
    task_came = task_ended = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    after_fork();
}

/* Signals are handled by the threads of the program; only faults are those of the thread itself. Some
 * systems give a thread less room than the loops need: musl, 128 KiB. */
static int start(thread *t)
{
    static int prepared;
    sigset_t all, before;
    pthread_attr_t room;
    if (pthread_attr_init(&room)) return 0;
    pthread_attr_setstacksize(&room, STACK);
    if (!prepared) prepared = !pthread_atfork(before_fork, after_fork, in_child);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = !prepared || pthread_create(t, &room, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&room);
    return !failed;
}
#endif

void wf_parallel(int parts, void (*part)(void *, int), void *context)
{
    task t = {part, context, parts, 0, parts, NULL}, **last = &first;
    if (parts == 1) {
        part(context, 0);
        return;
    }
    acquire();
    while (*last) last = &(*last)->next;
    *last = &t;
    add(&open_tasks, 1);
    while (!leaving && started < parts - 1 && start(&threads[started])) started++;
    for (int i = 1; i < parts && i <= asleep; i++) wake_one(&task_came);
    while (t.taken < parts) do_part(&t);
    release();
    if (soon(&t.unfinished, 1)) return;
    acquire();
    while (value(&t.unfinished)) await(&task_ended);
    release();
}
