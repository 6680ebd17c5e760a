/* Items and probabilities in bins, in one pass and without a sort.
 *
 * Sums are compensated, item by item in chunks of a fixed size and then chunk by chunk, so that they
 * are rounded about once and do not depend on the number of threads. Each chunk has several sums of
 * each bin, which items take in turns: a sum need not wait for the one before it.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, CHUNK = 1 << 15, LANES = 4, MOST = WF_MOST_THREADS };

typedef struct {
    uint64_t items, positives;
    double mass, rest; /* the sum of probabilities, and what was rounded away */
} bin;

typedef struct {
    const wf_column *scores, *positive;
    const double *edges; /* from below all probabilities to above all of them */
    size_t n, bins, chunk, chunks, parts;
    bin *by_chunk; /* chunks × LANES × bins */
    wf_status status[MOST];
} work;

/* Knuth's exact sum of two numbers: the rest is what the rounded sum leaves. */
static void add(bin *b, double x)
{
    double sum = b->mass + x, part = sum - b->mass;
    b->rest += (b->mass - (sum - part)) + (x - part);
    b->mass = sum;
}

/* The bin with edges[k] < p <= edges[k + 1]; bins of equal width are guessed right but for rounding. */
static size_t bin_of(const work *w, double p)
{
    size_t k = (size_t)(p * (double)w->bins);
    k = k < w->bins ? k : w->bins - 1;
    while (p <= w->edges[k]) k--;
    while (p > w->edges[k + 1]) k++;
    return k;
}

VECTORISED static int all_probabilities(const double *p, size_t n)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong |= !(p[i] >= 0 && p[i] <= 1);
    return !wrong;
}

VECTORISED static int all_flags(const uint64_t *labels, size_t n)
{
    uint64_t every = 0;
    for (size_t i = 0; i < n; i++) every |= labels[i];
    return every <= 1;
}

static wf_status add_items(const work *w, size_t start, size_t end, bin *bins)
{
    double p[BLOCK];
    uint64_t labels[BLOCK]; /* copies: other threads may write to the caller's arrays */
    for (size_t i = start; i < end; i += BLOCK) {
        size_t n = end - i < BLOCK ? end - i : BLOCK;
        wf_gather_double(w->scores, i, n, p);
        wf_gather(w->positive, i, n, 8, labels);
        if (!all_probabilities(p, n) || !all_flags(labels, n)) return WF_BAD_CODE;
        for (size_t j = 0; j < n; j++) {
            bin *b = &bins[j % LANES * w->bins + bin_of(w, p[j])];
            b->items++;
            b->positives += labels[j];
            add(b, p[j]);
        }
    }
    return WF_OK;
}

static void add_part(void *context, int index)
{
    work *w = context;
    size_t at = (size_t)index, to = w->chunks * (at + 1) / w->parts;
    for (size_t c = w->chunks * at / w->parts; c < to && !w->status[index]; c++) {
        size_t start = c * w->chunk, end = start + w->chunk < w->n ? start + w->chunk : w->n;
        w->status[index] = add_items(w, start, end, w->by_chunk + c * LANES * w->bins);
    }
}

/* Add up the chunks: items, positives and mass of each bin (3 × bins). */
static void add_chunks(const work *w, double *sums)
{
    size_t bins = w->bins;
    for (size_t k = 0; k < bins; k++) {
        bin all = {0, 0, 0, 0};
        for (size_t c = 0; c < w->chunks * LANES; c++) {
            const bin *b = &w->by_chunk[c * bins + k];
            all.items += b->items;
            all.positives += b->positives;
            all.rest += b->rest;
            add(&all, b->mass);
        }
        sums[k] = (double)all.items;
        sums[bins + k] = (double)all.positives;
        sums[2 * bins + k] = all.mass + all.rest;
    }
}

wf_status wf_bin(const wf_column *scores, const wf_column *positive, size_t n, const double *inner,
                 size_t bins, int threads, double *sums)
{
    work w = {.scores = scores, .positive = positive, .n = n, .bins = bins};
    wf_status status = WF_OK;
    w.chunk = w.bins < CHUNK / 8 ? CHUNK : 8 * w.bins;
    w.chunks = (n + w.chunk - 1) / w.chunk;
    w.parts = threads < 1 ? 1 : threads > MOST ? MOST : (size_t)threads;
    w.parts = w.chunks < w.parts ? w.chunks + !w.chunks : w.parts;
    double *edges = malloc((w.bins + 1) * sizeof *edges);
    w.by_chunk = calloc(w.chunks * LANES * w.bins + 1, sizeof *w.by_chunk);
    if (edges && w.by_chunk) {
        edges[0] = -1;
        memcpy(edges + 1, inner, (w.bins - 1) * sizeof *edges);
        edges[w.bins] = 2;
        w.edges = edges;
        wf_parallel((int)w.parts, add_part, &w);
        for (size_t i = 0; i < w.parts && !status; i++) status = w.status[i];
        if (!status) add_chunks(&w, sums);
    } else status = WF_NO_MEMORY;
    free(w.by_chunk);
    free(edges);
    return status;
}
