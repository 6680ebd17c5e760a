/* A thread's tables, shared by the files that count pairs: count.c, dense.c and hashed.c. */
#ifndef WHICHF1_COUNT_H
#define WHICHF1_COUNT_H

#include "kernel.h"

enum {
    BLOCK = 2048,  /* bytes of a column: small enough that prefetching goes on while counting */
    WORD_BITS = 7, /* up to here counters are words; beyond, they are bytes that carry over */
    MOST_BITS = 12,
    LANES_FROM = 1024, /* items */
    FEW_CELLS = 1024,  /* whose places are on the stack */
    COUPLES = 1 << 16,
    SLICE = 1 << 17
};

typedef struct {
    uint64_t true_, predicted;
    uint64_t count; /* 0: the slot is free */
    double sum;
} entry;

typedef struct {
    entry *entries;
    size_t mask, used;
} hash_table;

/* A thread's blocks, on its stack: a call with few items should allocate next to nothing. */
typedef struct {
    uint32_t keys[BLOCK];
    uint64_t true_block[BLOCK / 2], predicted_block[BLOCK / 2];
    uint64_t wide[2][BLOCK]; /* for the hash table */
} scratch;

typedef struct {
    const wf_column *true_, *predicted;
    const double *weights;
    size_t start, stop;
    int width; /* of the items in a block */
    int sign;
    unsigned most_bits;
    uint64_t flush;

    int started;
    unsigned bits;
    uint64_t low;      /* the window's first label, in ordered form */
    uint32_t *words;   /* counters: lane_count tables of words, or one of bytes */
    uint32_t *couples; /* counters of pairs of keys, if there are many items */
    uint8_t *bytes;
    size_t lane_count;
    uint64_t pending; /* items in the words */
    uint64_t *totals; /* counts flushed from the counters; NULL if there are none */
    double *sums;     /* of weights */
    int hashed;
    hash_table hash;
    wf_status status;
    scratch *blocks;
} worker;

/* Map integers of any type to uint64 so that their order is kept. */
static inline uint64_t ordered(uint64_t value, int sign)
{
    return sign ? value ^ (uint64_t)1 << 63 : value;
}

static inline size_t cells_of(const worker *w) { return (size_t)1 << 2 * w->bits; }

static inline int counting(const worker *w) { return w->words || w->bytes; }

/* dense.c: a table over a window of labels ----------------------------------------------------- */

/* Count a block; if its labels do not fit, in a wider window or in the hash table. */
wf_status wf_count_block(worker *w, const void *t, const void *p, size_t n, const double *weights);
/* Add the counts of pairs of keys to the words. */
void wf_part_couples(worker *w);
/* The count of a cell, not including couples. */
uint64_t wf_cell(const worker *w, size_t at);
/* Add the counters to the totals and reset them. */
wf_status wf_flush(worker *w);
void wf_free_dense(worker *w);
/* Move the counts to another window, which must hold every label counted so far. */
wf_status wf_rewindow(worker *w, uint64_t low, unsigned bits);
/* The lowest and highest label counted so far, in ordered form; returns 0 if there is none. */
int wf_range_of_cells(const worker *w, uint64_t *low, uint64_t *high);
unsigned wf_bits_for(uint64_t low, uint64_t high);

/* hashed.c: a table of pairs, for any number of labels ----------------------------------------- */

wf_status wf_hash_add(hash_table *h, uint64_t t, uint64_t p, uint64_t count, double sum);
wf_status wf_hash_block(worker *w, const void *t, const void *p, size_t n, const double *weights);
/* Move the counts to a hash table and continue with it. */
wf_status wf_to_hash(worker *w);

#endif
