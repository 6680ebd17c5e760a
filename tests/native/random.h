/* Random numbers and columns, a digest of what was computed, and a check that ends the program. */
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t below(size_t n) { return (size_t)(next() % n); }

static uint64_t digest = 0xcbf29ce484222325u; /* FNV-1a */

static void note(const void *data, size_t size)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < size; i++) digest = (digest ^ at[i]) * 0x100000001b3u;
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A column of n items in a buffer of exactly their size: random bytes, or clustered labels. */
static unsigned char *random_column(wf_column *c, size_t n)
{
    static const int widths[] = {1, 2, 4, 8};
    size_t gap = below(3), modes = below(4);
    int width = widths[below(4)], back = below(4) == 0;
    size_t step = (size_t)width + gap, size = n ? (n - 1) * step + (size_t)width : 0;
    unsigned char *memory = malloc(size + 1);
    uint64_t base = next(), span = (uint64_t)1 << below(20);
    for (size_t i = 0; i < size; i++) memory[i] = (unsigned char)next();
    for (size_t i = 0; i < n && modes; i++) {
        uint64_t value = base + next() % span + (modes == 3 && below(2000) == 0 ? next() : 0);
        memcpy(memory + i * step, &value, (size_t)width);
    }
    *c = (wf_column){memory, (ptrdiff_t)step, width, (int)below(2), (int)below(3) == 0};
    if (back && n) {
        c->data = memory + (n - 1) * step;
        c->stride = -c->stride;
    }
    return memory;
}
