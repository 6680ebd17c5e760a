/* GROUP BY the leading bits of a score, without a sort: enough to know between which items the point
 * of a curve is, which are then ranked alone.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, SMALL = 1 << 14, SHIFT = 47, MOST = WF_MOST_THREADS };
enum { BUCKETS = WF_BUCKETS, INFINITE = BUCKETS >> 12 }; /* those at either end are not finite */

typedef struct {
    const wf_column *scores, *positive;
    size_t n, parts;
    uint32_t (*tallies[MOST])[2]; /* negatives and positives of each bucket */
    uint64_t labels[MOST];        /* the bits of all labels */
    const unsigned char *chosen;  /* whether each bucket is */
    double *score;                /* of the items in these, from the first item of each part on */
    unsigned char *flags;         /* their labels */
    size_t taken[MOST];
} work;

static size_t first_item(const work *w, size_t part) { return w->n / w->parts * part; }

static size_t last_item(const work *w, size_t part)
{
    return part + 1 == w->parts ? w->n : first_item(w, part + 1);
}

static size_t parts_for(size_t n, int threads)
{
    return n < SMALL || threads < 2 ? 1 : threads > MOST ? MOST : (size_t)threads;
}

/* Buckets ascend as scores descend, and −0.0 is in that of 0.0. */
VECTORISED static void to_buckets(const double *scores, size_t n, uint32_t *buckets)
{
    const uint64_t sign = (uint64_t)1 << 63;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        double score = scores[i] + 0.0;
        memcpy(&bits, &score, 8);
        buckets[i] = (uint32_t)((bits & sign ? bits : ~(bits | sign)) >> SHIFT);
    }
}

VECTORISED static uint64_t every_bit(const uint64_t *labels, size_t n)
{
    uint64_t every = 0;
    for (size_t i = 0; i < n; i++) every |= labels[i];
    return every;
}

static void tally(void *context, int index)
{
    work *w = context;
    uint32_t (*count)[2] = w->tallies[index], buckets[BLOCK];
    uint64_t block[BLOCK];
    double scores[BLOCK];
    for (size_t i = first_item(w, (size_t)index), end = last_item(w, (size_t)index), n; i < end;
         i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        const uint64_t *labels = wf_integers(w->positive, i, n, block);
        w->labels[index] |= every_bit(labels, n);
        to_buckets(wf_doubles(w->scores, i, n, scores), n, buckets);
        for (size_t j = 0; j < n; j++) count[buckets[j]][labels[j] & 1]++;
    }
}

wf_status wf_tally_buckets(const wf_column *scores, const wf_column *positive, size_t n,
                           int threads, wf_buckets *out)
{
    work w = {.scores = scores, .positive = positive, .n = n, .parts = parts_for(n, threads)};
    wf_status status = n > UINT32_MAX ? WF_NO_MEMORY : WF_OK;
    for (size_t i = 0; i < w.parts && !status; i++)
        if (!(w.tallies[i] = calloc(BUCKETS, sizeof *w.tallies[i]))) status = WF_NO_MEMORY;
    if (!status) wf_parallel((int)w.parts, tally, &w);
    for (size_t i = 0; i < w.parts && !status; i++)
        if (w.labels[i] > 1) status = WF_BAD_CODE;
    out->count = 0;
    for (size_t b = 0; b < BUCKETS && !status; b++) {
        int64_t sums[2] = {0, 0};
        for (size_t i = 0; i < w.parts; i++)
            for (int side = 0; side < 2; side++) sums[side] += w.tallies[i][b][side];
        if (!sums[0] && !sums[1]) continue;
        if (b < INFINITE || b >= BUCKETS - INFINITE) status = WF_NAN;
        out->bucket[out->count] = (int64_t)b;
        out->positives[out->count] = sums[1];
        out->negatives[out->count++] = sums[0];
    }
    for (size_t i = 0; i < w.parts; i++) free(w.tallies[i]);
    return status;
}

static void take(void *context, int index)
{
    work *w = context;
    size_t first = first_item(w, (size_t)index), at = first, end = last_item(w, (size_t)index);
    uint32_t buckets[BLOCK];
    uint64_t block[BLOCK];
    double scores[BLOCK]; /* a copy: other threads may write to the caller's array */
    for (size_t i = first, n; i < end; i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        const uint64_t *labels = wf_integers(w->positive, i, n, block);
        wf_gather_double(w->scores, i, n, scores);
        to_buckets(scores, n, buckets);
        for (size_t j = 0; j < n; j++) {
            uint64_t label = labels[j];
            if (!w->chosen[buckets[j]]) continue;
            w->score[at] = scores[j];
            w->flags[at++] = (unsigned char)(label > 1 ? 2 : label);
        }
    }
    w->taken[index] = at - first;
}

wf_status wf_rank_buckets(const wf_column *scores, const wf_column *positive, size_t n,
                          const unsigned char *chosen, int threads, size_t room, wf_ranking *out)
{
    work w = {.scores = scores, .positive = positive, .n = n, .parts = parts_for(n, threads)};
    size_t taken = 0;
    wf_status status = WF_NO_MEMORY;
    w.chosen = chosen;
    w.score = malloc(n * sizeof *w.score + 1); /* of which the system provides what is used */
    w.flags = malloc(n + 1);
    if (w.score && w.flags) {
        wf_parallel((int)w.parts, take, &w);
        for (size_t i = 0; i < w.parts; i++) {
            memmove(w.score + taken, w.score + first_item(&w, i), w.taken[i] * sizeof *w.score);
            memmove(w.flags + taken, w.flags + first_item(&w, i), w.taken[i]);
            taken += w.taken[i];
        }
        wf_column s = {(void *)w.score, 8, 8, 0, 0}, y = {w.flags, 1, 1, 0, 0};
        status = taken == room ? wf_rank(&s, &y, NULL, taken, threads, out) : WF_BAD_CODE;
    }
    free(w.score);
    free(w.flags);
    return status;
}
