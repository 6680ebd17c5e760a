/* Items and probabilities in bins, in one pass and without a sort.
 *
 * A probability is the sum of a multiple of 2^-31, one of 2^-62 and, if it is small, a rest. Multiples
 * are added as integers, each in one word with a number of items; rests, and then chunks of a fixed
 * size, by compensated sums. So sums are rounded about once and do not depend on the number of
 * threads. Each chunk has several sums of each bin, which items take in turns: a sum need not wait for
 * the one before it.
 */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-9

enum { BLOCK = 512, CHUNK = 1 << 15, LANES = 4, MOST = WF_MOST_THREADS };

/* Multiples are of these powers of two, and numbers of items are above this bit. */
enum { HIGH_BITS = 31, LOW_BITS = 62, NUMBER = 46, MOST_ITEMS = CHUNK / LANES };

typedef struct {
    int64_t high, low;        /* multiples, with the positives and the items of up to MOST_ITEMS */
    double mass, rest;        /* the sum of the others, and what was rounded away */
    int64_t items, positives; /* of the others */
} bin;

typedef struct {
    const wf_column *scores, *positive;
    const double *edges; /* from below all probabilities to above all of them */
    int even;            /* whether they have the same distance */
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

/* The number in a word, which then holds only multiples. */
static int64_t number_in(int64_t *word)
{
    int64_t number = (*word + ((int64_t)1 << (NUMBER - 1))) >> NUMBER;
    *word -= number * ((int64_t)1 << NUMBER);
    return number;
}

/* Move what the words hold. */
static void settle(bin *b)
{
    b->positives += number_in(&b->high);
    b->items += number_in(&b->low);
    add(b, (double)b->low / (double)((uint64_t)1 << LOW_BITS));
    add(b, (double)b->high / (double)((uint64_t)1 << HIGH_BITS));
    b->high = b->low = 0;
}

/* The bin with edges[k] < p <= edges[k + 1]; bins of equal width are guessed right but for rounding. */
static size_t bin_of(const work *w, double p, int32_t guess)
{
    size_t k = (size_t)guess;
    while (p <= w->edges[k]) k--;
    while (p > w->edges[k + 1]) k++;
    return k;
}

/* A block of items: the words that each adds to its bin, and what remains of its probability. */
typedef struct {
    double p[BLOCK], rest[BLOCK];
    int64_t high[BLOCK], low[BLOCK];
    int32_t guess[BLOCK]; /* the bin, if all have the same width */
    int valid, rests; /* whether all are probabilities, and labels 0 or 1; whether rests remain */
    int clear;        /* whether none is so near to an edge that the guess may be rounded */
} block;

/* A number that is added and subtracted again leaves a multiple of the unit in its last place, by which
 * its bits have grown. */
VECTORISED static void split(const double *scores, const uint64_t *labels, size_t n, size_t bins,
                             block *b)
{
    const double high = 1.5 * (double)((uint64_t)1 << (52 - HIGH_BITS)),
                 low = 1.5 / (double)((uint64_t)1 << (LOW_BITS - 52));
    const double whole = 0x1.8p52; /* adding and subtracting it rounds */
    double most = (double)bins - 0.5, scale = (double)bins;
    uint64_t wrong = 0, every = 0, rests = 0, near = 0;
    int64_t none_high, none_low;
    memcpy(&none_high, &high, 8);
    memcpy(&none_low, &low, 8);
    for (size_t i = 0; i < n; i++) {
        double p = scores[i], sum = p + high, left = p - (sum - high), less = left + low;
        double rest = left - (less - low), place = p * scale, edge = (place + whole) - whole;
        uint64_t label = labels[i];
        int64_t sum_bits, less_bits;
        memcpy(&sum_bits, &sum, 8);
        memcpy(&less_bits, &less, 8);
        wrong |= (p >= 0) & (p <= 1) ? 0 : 1;
        every |= label;
        rests |= rest != 0;
        near |= (fabs(place - edge) < NEAR) & (place > 0.5) & (place < most);
        b->p[i] = p; /* a copy: other threads may write to the caller's arrays */
        b->rest[i] = rest;
        b->high[i] = sum_bits - none_high + (int64_t)(label << NUMBER);
        b->low[i] = less_bits - none_low + ((int64_t)1 << NUMBER);
        b->guess[i] = (int32_t)(place < most ? place : most);
    }
    b->valid = !wrong && every <= 1;
    b->rests = rests != 0;
    b->clear = !near;
}

/* Whether bins have the same width, up to far less than what is near. */
static int even_bins(const double *edges, size_t bins)
{
    for (size_t k = 1; k < bins; k++)
        if (!(fabs(edges[k] * (double)bins - (double)k) < NEAR / 1024)) return 0;
    return bins < (size_t)1 << 20;
}

static void add_to_guesses(const block *b, size_t n, size_t bins, bin *to)
{
    for (size_t j = 0; j < n; j++) {
        bin *here = &to[j % LANES * bins + (size_t)b->guess[j]];
        here->high += b->high[j];
        here->low += b->low[j];
    }
}

static wf_status add_items(const work *w, size_t start, size_t end, bin *bins)
{
    double scores[BLOCK];
    uint64_t labels[BLOCK];
    block b;
    int wide = w->chunk > CHUNK;
    for (size_t i = start; i < end; i += BLOCK) {
        size_t n = end - i < BLOCK ? end - i : BLOCK;
        split(wf_doubles(w->scores, i, n, scores), wf_integers(w->positive, i, n, labels), n,
              w->bins, &b);
        if (!b.valid) return WF_BAD_CODE;
        if (b.clear && w->even && !wide && !b.rests) {
            add_to_guesses(&b, n, w->bins, bins);
            continue;
        }
        for (size_t j = 0; j < n; j++) {
            bin *here = &bins[j % LANES * w->bins + bin_of(w, b.p[j], b.guess[j])];
            if (wide && here->low >> NUMBER >= MOST_ITEMS - 1) settle(here);
            here->high += b.high[j];
            here->low += b.low[j];
            if (b.rests && b.rest[j] != 0) add(here, b.rest[j]);
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
        bin all = {0};
        for (size_t c = 0; c < w->chunks * LANES; c++) {
            bin *b = &w->by_chunk[c * bins + k];
            settle(b);
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
        w.even = even_bins(edges, bins);
        wf_parallel((int)w.parts, add_part, &w);
        for (size_t i = 0; i < w.parts && !status; i++) status = w.status[i];
        if (!status) add_chunks(&w, sums);
    } else status = WF_NO_MEMORY;
    free(w.by_chunk);
    free(edges);
    return status;
}
