/* Splits work over threads: those of Windows, or POSIX threads. */
#include "kernel.h"

typedef struct {
    void (*part)(void *, int);
    void *context;
    int index;
} job;

/* start() returns 0 if no thread is available; join() waits for one that was started. */
#ifdef _WIN32
#include <process.h>
#include <windows.h>

typedef HANDLE thread;

static unsigned __stdcall run(void *argument)
{
    job *j = argument;
    j->part(j->context, j->index);
    return 0;
}

static int start(thread *t, job *j)
{
    *t = (HANDLE)_beginthreadex(NULL, 0, run, j, 0, NULL);
    return *t != NULL;
}

static void join(thread t)
{
    WaitForSingleObject(t, INFINITE);
    CloseHandle(t);
}
#else
#include <pthread.h>

typedef pthread_t thread;

static void *run(void *argument)
{
    job *j = argument;
    j->part(j->context, j->index);
    return NULL;
}

static int start(thread *t, job *j) { return pthread_create(t, NULL, run, j) == 0; }

static void join(thread t) { pthread_join(t, NULL); }
#endif

void wf_parallel(int parts, void (*part)(void *, int), void *context)
{
    thread threads[WF_MOST_THREADS];
    job jobs[WF_MOST_THREADS];
    int started[WF_MOST_THREADS] = {0};
    for (int i = 1; i < parts; i++) {
        jobs[i] = (job){part, context, i};
        started[i] = start(&threads[i], &jobs[i]);
    }
    part(context, 0);
    for (int i = 1; i < parts; i++) {
        if (started[i]) join(threads[i]);
        else part(context, i); /* no thread was available */
    }
}
