/* GROUP BY score.
 *
 * Scores become integer keys that ascend as scores descend. The leading bits in which keys differ
 * determine the bucket, which frees the last bit of the rest for the label. Each thread scatters its
 * share of the items into the buckets, then sorts and writes out its share of the buckets.
 * Everything is stable, so that weights are added in the order of the items.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 1024,
    SHORT = 24,
    SMALL = 1 << 14,
    LARGE = 1 << 18,
    RELEASE = 1 << 20,
    MOST = WF_MOST_THREADS
};

typedef struct {
    uint64_t key;
    double weight;
} item;

/* A thread's share of the items and of the buckets, and what it learns about them. */
typedef struct {
    wf_status status;
    uint64_t low, high;           /* keys */
    size_t bucket, end, distinct; /* first bucket, end of buckets, and lines written */
    size_t positive;              /* items */
} share;

typedef struct {
    const wf_column *scores, *positive;
    const double *weights;
    size_t n, parts;
    wf_ranking *out;
    uint64_t *keys; /* of all items; stored where the scores go in the end */
    void *items, *scratch;
    uint64_t low;         /* the smallest key */
    unsigned shift, bits; /* the leading bits of (key − low) << shift are the bucket */
    size_t *starts;       /* of the buckets, and the end */
    size_t *places;       /* parts × buckets: where the next item of a bucket goes */
    int64_t *order;       /* where places of items go, if these are wanted */
    share shares[MOST];
} work;

static size_t buckets(const work *w) { return (size_t)1 << w->bits; }

static size_t first_item(const work *w, size_t part) { return w->n / w->parts * part; }

static size_t last_item(const work *w, size_t part)
{
    return part + 1 == w->parts ? w->n : first_item(w, part + 1);
}

/* Keys ---------------------------------------------------------------------------------------- */

/* −0.0 has the key of 0.0. Returns whether a score is NaN. */
VECTORISED static int to_keys(const double *scores, size_t n, uint64_t *keys)
{
    const uint64_t sign = (uint64_t)1 << 63;
    int nan = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        double score = scores[i] + 0.0;
        memcpy(&bits, &score, 8);
        nan |= score != score;
        keys[i] = bits & sign ? bits : ~(bits | sign);
    }
    return nan;
}

static double score_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key : ~key & ~((uint64_t)1 << 63);
    double score;
    memcpy(&score, &bits, 8);
    return score;
}

VECTORISED static void widen(const uint64_t *keys, size_t n, uint64_t *low, uint64_t *high)
{
    uint64_t least = *low, most = *high;
    for (size_t i = 0; i < n; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
    }
    *low = least;
    *high = most;
}

static void make_keys(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    double block[BLOCK];
    s->low = UINT64_MAX;
    for (size_t i = first_item(w, (size_t)index), end = last_item(w, (size_t)index); i < end;) {
        size_t n = end - i < BLOCK ? end - i : BLOCK;
        wf_gather_double(w->scores, i, n, block);
        if (to_keys(block, n, w->keys + i)) s->status = WF_NAN;
        widen(w->keys + i, n, &s->low, &s->high);
        i += n;
    }
}

/* Buckets ------------------------------------------------------------------------------------- */

static void find_range(work *w)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < w->parts; i++) {
        low = w->shares[i].low < low ? w->shares[i].low : low;
        high = w->shares[i].high > high ? w->shares[i].high : high;
    }
    w->low = low;
    while (w->shift < 63 && !((high - low) << w->shift >> 63)) w->shift++;
}

static void tally(void *context, int index)
{
    work *w = context;
    size_t *count = w->places + (size_t)index * buckets(w);
    unsigned shift = w->shift, rest = 64 - w->bits;
    uint64_t low = w->low;
    for (size_t i = first_item(w, (size_t)index); i < last_item(w, (size_t)index); i++)
        count[(w->keys[i] - low) << shift >> rest]++;
}

/* Turn counts into positions, and give each part a range of buckets. */
static void find_places(work *w)
{
    size_t place = 0, part = 0;
    for (size_t b = 0; b < buckets(w); b++) {
        w->starts[b] = place;
        for (; part < w->parts && place >= first_item(w, part); part++) w->shares[part].bucket = b;
        for (size_t i = 0; i < w->parts; i++) {
            size_t *at = &w->places[i * buckets(w) + b], here = *at;
            *at = place;
            place += here;
        }
    }
    w->starts[buckets(w)] = place;
    for (; part < w->parts; part++) w->shares[part].bucket = buckets(w);
    for (size_t i = 0; i < w->parts; i++)
        w->shares[i].end = i + 1 < w->parts ? w->shares[i + 1].bucket : buckets(w);
}

/* Sorted items, of keys or of keys and weights ------------------------------------------------ */

#define PLAIN(x) (x)
#define KEY_IN(x) ((x).key)
#define ONE(x) 1
#define WEIGHT_IN(x) ((x).weight)

#define NAME keys
#define ITEM uint64_t
#define KEY PLAIN
#define MAKE(key, index) (key)
#include "sort.inc"

#define NAME weighted
#define ITEM item
#define KEY KEY_IN
#define MAKE(key, index) ((item){key, w->weights[index]})
#include "sort.inc"

/* Whether items are positive, as 0 or 1. Returns 0 if a label is neither 0 nor 1. */
VECTORISED static int to_flags(const uint64_t *labels, size_t n, unsigned char *flags,
                               size_t *positive)
{
    uint64_t every = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        every |= labels[i];
        sum += labels[i];
        flags[i] = (unsigned char)(labels[i] & 1);
    }
    *positive += sum;
    return every <= 1;
}

static void scatter(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    size_t *place = w->places + (size_t)index * buckets(w), end = last_item(w, (size_t)index);
    uint64_t labels[BLOCK];
    unsigned char flags[BLOCK];
    for (size_t i = first_item(w, (size_t)index); i < end; i += BLOCK) {
        size_t n = end - i < BLOCK ? end - i : BLOCK;
        wf_gather(w->positive, i, n, 8, labels);
        if (!to_flags(labels, n, flags, &s->positive)) s->status = WF_BAD_CODE;
        (w->weights ? scatter_weighted_block : scatter_keys_block)(w, i, n, flags, place);
    }
}

/* Lines of the result ------------------------------------------------------------------------- */

#define NAME count
#define ITEM uint64_t
#define KEY PLAIN
#define NUMBER int32_t
#define WEIGHT ONE
#include "write_lines.inc"

#define NAME large_count
#define ITEM uint64_t
#define KEY PLAIN
#define NUMBER int64_t
#define WEIGHT ONE
#include "write_lines.inc"

#define NAME weighted
#define ITEM item
#define KEY KEY_IN
#define NUMBER double
#define WEIGHT WEIGHT_IN
#include "write_lines.inc"

static void sort_bucket(const work *w, size_t bucket)
{
    size_t start = w->starts[bucket], n = w->starts[bucket + 1] - start;
    if (w->weights) radix_sort_weighted((item *)w->items + start, (item *)w->scratch + start, n);
    else radix_sort_keys((uint64_t *)w->items + start, (uint64_t *)w->scratch + start, n);
}

static void write_out(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    size_t first = w->starts[s->bucket], line = first, released = first;
    size_t size = w->weights ? sizeof(item) : sizeof(uint64_t);
    for (size_t b = s->bucket; b < s->end; b++) {
        sort_bucket(w, b);
        line = (w->weights         ? write_weighted_lines
                : w->n < INT32_MAX ? write_count_lines
                                   : write_large_count_lines)(w, b, line);
        if (w->starts[b + 1] - released < RELEASE) continue;
        wf_release((char *)w->items + first * size, (char *)w->items + w->starts[b + 1] * size);
        released = w->starts[b + 1];
    }
    s->distinct = line - first;
}

/* Ties leave gaps between the lines of the parts. */
static void close_gaps(work *w)
{
    wf_ranking *out = w->out;
    size_t size = !w->weights && w->n < INT32_MAX ? 4 : 8;
    out->distinct = out->items = 0;
    for (size_t i = 0; i < w->parts; i++) {
        out->items += w->shares[i].positive;
        size_t from = w->starts[w->shares[i].bucket], n = w->shares[i].distinct, to = out->distinct;
        out->distinct += n;
        if (from == to) continue;
        memmove(out->score + to, out->score + from, n * sizeof *out->score);
        memmove((char *)out->positives + to * size, (char *)out->positives + from * size, n * size);
        memmove((char *)out->negatives + to * size, (char *)out->negatives + from * size, n * size);
    }
}

typedef void (*on_part)(void *context, int index);

/* Distribute the items of a size over buckets, and then sort and write the buckets. */
static wf_status distribute(work *w, int threads, size_t size, on_part scatter_items, on_part write)
{
    wf_status status;
    w->parts = w->n < SMALL || threads < 2 ? 1 : threads > MOST ? MOST : (size_t)threads;
    w->bits = w->n < SMALL ? 4 : w->n < LARGE ? 11 : 16;
    w->keys = (uint64_t *)(void *)w->out->score;
    /* items that are no larger than their keys are sorted in the place of these */
    w->items = wf_allocate((size > sizeof *w->keys ? 2 : 1) * w->n * size + 1);
    w->scratch = size > sizeof *w->keys ? (char *)w->items + w->n * size : (void *)w->keys;
    w->starts = malloc((buckets(w) + 1) * sizeof *w->starts);
    w->places = calloc(w->parts * buckets(w), sizeof *w->places);
    status = w->items && w->starts && w->places ? WF_OK : WF_NO_MEMORY;
    if (!status) wf_parallel((int)w->parts, make_keys, w);
    for (size_t i = 0; i < w->parts && !status; i++) status = w->shares[i].status;
    if (!status) {
        find_range(w);
        wf_parallel((int)w->parts, tally, w);
        find_places(w);
        wf_parallel((int)w->parts, scatter_items, w);
    }
    for (size_t i = 0; i < w->parts && !status; i++) status = w->shares[i].status;
    if (!status) wf_parallel((int)w->parts, write, w);
    return status;
}

static void release(work *w)
{
    free(w->places);
    free(w->starts);
    free(w->items);
}

wf_status wf_rank(const wf_column *scores, const wf_column *positive, const double *weights,
                  size_t n, int threads, wf_ranking *out)
{
    work w = {.scores = scores, .positive = positive, .weights = weights, .n = n, .out = out};
    size_t size = weights ? sizeof(item) : sizeof(uint64_t);
    wf_status status = distribute(&w, threads, size, scatter, write_out);
    if (!status) close_gaps(&w);
    release(&w);
    return status;
}

/* The order of scores ----------------------------------------------------------------------------- */

typedef struct {
    uint64_t key;
    int64_t place;
} placed;

#define NAME placed
#define ITEM placed
#define KEY KEY_IN
#define MAKE(key, index) ((placed){key, (int64_t)(index)})
#include "sort.inc"

static void scatter_places(void *context, int index)
{
    work *w = context;
    size_t *place = w->places + (size_t)index * buckets(w), end = last_item(w, (size_t)index);
    const unsigned char none[BLOCK] = {0};
    for (size_t i = first_item(w, (size_t)index); i < end; i += BLOCK)
        scatter_placed_block(w, i, end - i < BLOCK ? end - i : BLOCK, none, place);
}

static void write_places(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    placed *items = w->items, *scratch = w->scratch;
    for (size_t b = s->bucket; b < s->end; b++) {
        size_t start = w->starts[b], end = w->starts[b + 1];
        uint64_t head = (uint64_t)b << (64 - w->bits);
        radix_sort_placed(items + start, scratch + start, end - start);
        for (size_t i = start; i < end; i++) {
            w->order[i] = items[i].place;
            w->out->score[i] = score_of(((head | items[i].key >> w->bits) >> w->shift) + w->low);
        }
    }
}

wf_status wf_order(const wf_column *scores, size_t n, int threads, int64_t *order, double *sorted)
{
    wf_ranking out = {.score = sorted};
    work w = {.scores = scores, .n = n, .out = &out, .order = order};
    wf_status status = distribute(&w, threads, sizeof(placed), scatter_places, write_places);
    release(&w);
    return status;
}

/* Areas ---------------------------------------------------------------------------------------- */

/* Lines are added up in chunks of a fixed size, and chunks in order, so that the sums do not depend
 * on the number of threads. */
enum { LINES = 8192 };

typedef struct {
    double positives, negatives, pairs, precision;
} part_of_area;

typedef struct {
    const wf_ranking *ranking;
    int wide; /* whether counts have 8 bytes */
    size_t chunks;
    int parts;
    part_of_area *by_chunk;
} areas;

static int64_t count_in(const areas *a, const void *counts, size_t line)
{
    return a->wide ? ((const int64_t *)counts)[line] : ((const int32_t *)counts)[line];
}

static size_t last_line(const areas *a, size_t chunk)
{
    size_t end = (chunk + 1) * LINES;
    return end < a->ranking->distinct ? end : a->ranking->distinct;
}

static void count_lines(void *context, int index)
{
    areas *a = context;
    size_t to = a->chunks * ((size_t)index + 1) / (size_t)a->parts;
    for (size_t c = a->chunks * (size_t)index / (size_t)a->parts; c < to; c++) {
        int64_t positives = 0, negatives = 0;
        for (size_t i = c * LINES; i < last_line(a, c); i++) {
            positives += count_in(a, a->ranking->positives, i);
            negatives += count_in(a, a->ranking->negatives, i);
        }
        a->by_chunk[c].positives = (double)positives;
        a->by_chunk[c].negatives = (double)negatives;
    }
}

/* The counts of a chunk are those above it by now. */
static void add_lines(void *context, int index)
{
    areas *a = context;
    size_t to = a->chunks * ((size_t)index + 1) / (size_t)a->parts;
    for (size_t c = a->chunks * (size_t)index / (size_t)a->parts; c < to; c++) {
        part_of_area *part = &a->by_chunk[c];
        double tp = part->positives, fp = part->negatives, pairs = 0, precision = 0;
        for (size_t i = c * LINES; i < last_line(a, c); i++) {
            double p = (double)count_in(a, a->ranking->positives, i);
            double n = (double)count_in(a, a->ranking->negatives, i);
            pairs += n * (tp + p / 2);
            tp += p;
            fp += n;
            precision += p * tp / (tp + fp);
        }
        part->pairs = pairs;
        part->precision = precision;
    }
}

static void add_up(areas *a, wf_areas *out)
{
    wf_parallel(a->parts, count_lines, a);
    for (size_t c = 0; c < a->chunks; c++) {
        double positives = a->by_chunk[c].positives, negatives = a->by_chunk[c].negatives;
        a->by_chunk[c].positives = out->positives;
        a->by_chunk[c].negatives = out->negatives;
        out->positives += positives;
        out->negatives += negatives;
    }
    wf_parallel(a->parts, add_lines, a);
    for (size_t c = 0; c < a->chunks; c++) {
        out->pairs += a->by_chunk[c].pairs;
        out->precision += a->by_chunk[c].precision;
    }
}

wf_status wf_rank_areas(const wf_column *scores, const wf_column *positive, size_t n, int threads,
                        wf_areas *out)
{
    size_t width = n < INT32_MAX ? 4 : 8;
    double few[2 * BLOCK];
    part_of_area one = {0, 0, 0, 0};
    char *room = n <= BLOCK ? (char *)few : wf_allocate((8 + 2 * width) * n);
    if (!room) return WF_NO_MEMORY;
    wf_ranking ranking = {(double *)(void *)room, room + 8 * n, room + (8 + width) * n, 0, 0};
    wf_status status = wf_rank(scores, positive, NULL, n, threads, &ranking);
    areas a = {&ranking, width == 8, (ranking.distinct + LINES - 1) / LINES, 1, &one};
    memset(out, 0, sizeof *out);
    if (!status && a.chunks > 1) {
        a.parts = threads < 1 ? 1 : threads > MOST ? MOST : threads;
        a.by_chunk = calloc(a.chunks, sizeof *a.by_chunk);
        if (!a.by_chunk) status = WF_NO_MEMORY;
    }
    if (!status && n) {
        add_up(&a, out);
        out->highest = ranking.score[0];
        out->lowest = ranking.score[ranking.distinct - 1];
    }
    if (a.by_chunk != &one) free(a.by_chunk);
    if (room != (char *)few) free(room);
    return status;
}
