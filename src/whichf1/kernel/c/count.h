/* A thread's tables, shared by the files that count pairs: count.c, dense.c, numbers.c and
 * sorted.c. */
#ifndef WHICHF1_COUNT_H
#define WHICHF1_COUNT_H

#include "kernel.h"

enum {
    BLOCK = 4096,  /* bytes of a column: small enough that prefetching goes on while counting */
    WORD_BITS = 7, /* up to here counters are words; beyond, they are bytes that carry over */
    MOST_BITS = 12,
    LANES_FROM = 1024, /* items */
    FEW_CELLS = 1024,  /* whose places are on the stack */
    GROUPS_FROM = 4,   /* items for each group that is possible */
    MOST_SPAN = 12,    /* beyond, groups of labels of several bytes are too many */
    SLICE = 1 << 17
};

typedef struct {
    uint64_t label;  /* in ordered form */
    uint32_t number; /* 0: the slot is free; then the number of the label, plus one */
} label_slot;

/* The labels of two columns, numbered in their order. */
typedef struct {
    int sign;
    size_t classes;
    uint64_t *values; /* each label, in ordered form */
    uint64_t low;     /* the first label of the bitmap */
    size_t words;     /* of the bitmap; 0: there is a hash table */
    uint64_t *marks;
    uint32_t *before; /* labels marked before each word */
    label_slot *slots;
    size_t mask;
} numbers;

/* Cells in order, with the items in each, or with the sums of their weights. */
typedef struct {
    size_t cells;
    uint64_t *key;
    int64_t *count;
    double *sum;
} cell_run;

/* A thread's blocks, on its stack: a call with few items should allocate next to nothing. */
typedef struct {
    uint32_t keys[BLOCK];
    uint64_t true_block[BLOCK / 2], predicted_block[BLOCK / 2];
    uint64_t wide[BLOCK]; /* labels that are numbered */
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
    uint64_t low;     /* the window's first label, in ordered form */
    uint32_t *words;  /* counters: lane_count tables of words, or one of bytes */
    uint32_t *groups; /* counters of groups of keys, if there are many items */
    unsigned span;    /* of a window of 4 bits, the first labels, which groups have room for */
    uint8_t *bytes;
    size_t lane_count;
    uint64_t pending;       /* items in the words */
    uint64_t *totals;       /* counts flushed from the counters; NULL if there are none */
    double *sums;           /* of weights */
    const numbers *numbers; /* NULL: labels stand for themselves */
    cell_run run;
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

/* Labels that are counted soon, of so many bytes. */
typedef struct {
    const unsigned char *true_, *predicted;
    size_t width;
} columns_ahead;

/* Count a block, in a wider window if its labels do not fit; WF_WIDE if they fit in none. */
wf_status wf_count_block(worker *w, const void *t, const void *p, size_t n, const double *weights,
                         columns_ahead next);
/* Add the counts of groups of keys to the words. */
void wf_part_groups(worker *w);
/* The count of a cell, not including groups. */
uint64_t wf_cell(const worker *w, size_t at);
/* Add the counters to the totals and reset them. */
wf_status wf_flush(worker *w);
void wf_free_dense(worker *w);
/* Move the counts to another window, which must hold every label counted so far. */
wf_status wf_rewindow(worker *w, uint64_t low, unsigned bits);
/* The lowest and highest label counted so far, in ordered form; returns 0 if there is none. */
int wf_range_of_cells(const worker *w, uint64_t *low, uint64_t *high);
unsigned wf_bits_for(uint64_t low, uint64_t high);

/* numbers.c: labels → 0, 1, 2, … in their order ------------------------------------------------ */

wf_status wf_number(const wf_column *true_, const wf_column *predicted, size_t n, int parts,
                    numbers *out);
void wf_numbers_of(const numbers *x, const uint64_t *labels, size_t n, uint32_t *out);
void wf_free_numbers(numbers *x);

/* sorted.c: cells by sorting, for any number of labels ------------------------------------------ */

/* Keys, and a weight for each unless NULL. */
typedef struct {
    uint64_t *key;
    double *weight;
} wf_keys;

/* Sort keys of this many bits, equal ones in order; spare has as much room. */
void wf_sort_keys(wf_keys keys, wf_keys spare, size_t n, unsigned bits);
/* Count the numbered pairs of a worker's slice: a part of wf_parallel. */
void wf_sort_slice(void *context, int index);
/* Merge runs without weights. */
wf_status wf_merge_runs(cell_run *into, cell_run *from);
void wf_free_run(cell_run *run);

#endif
