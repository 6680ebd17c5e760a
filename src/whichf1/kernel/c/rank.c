/* GROUP BY score.
 *
 * Scores become integer keys that ascend as scores descend. The leading bits in which keys differ
 * determine the bucket, which frees the last bit of the rest for the label. Each thread scatters its
 * share of the items into the buckets, then sorts its share of the buckets, which fit its caches, and
 * uses each one while it is there. Everything is stable, so that weights are added in the order of
 * the items.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 1024,
    SHORT = 24,
    SMALL = 1 << 14,
    FEWEST_BITS = 4,
    MOST_BITS = 12,
    RELEASE = 1 << 20,
    MOST = WF_MOST_THREADS
};

typedef struct {
    uint64_t key;
    double weight;
} item;

/* A thread's share of the items and of the buckets, and what it learns about them. In loops each
 * works on a copy, as neighbours share a cache line. */
typedef struct {
    wf_status status;
    uint64_t low, high;           /* keys */
    size_t bucket, end, distinct; /* first bucket, end of buckets, and lines written */
    size_t scratch;               /* its place: room for its largest bucket */
    size_t positive;              /* items */
    uint64_t pairs;               /* twice those of a positive and a lower negative */
} share;

typedef struct {
    const wf_column *scores, *positive;
    const double *weights;
    size_t n, parts;
    wf_ranking *out;
    void *given;    /* memory for the items, or NULL */
    uint64_t *keys; /* of all items if they are few, which are then found only once; else NULL */
    void *items, *scratch;
    size_t largest;       /* items in a bucket */
    uint64_t low, high;   /* the smallest key, and the largest */
    unsigned shift, bits; /* the leading bits of (key − low) << shift are the bucket */
    size_t *starts;       /* of the buckets, and the end */
    size_t *places;       /* parts × buckets: where the next item of a bucket goes */
    int64_t *order;       /* where places of items go, if these are wanted */
    double *precision;    /* of each bucket, if areas are wanted */
    share shares[MOST];
} work;

typedef void (*on_part)(void *context, int index);

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

static inline uint64_t bits_of_score(uint64_t key)
{
    return key >> 63 ? key : ~key & ~((uint64_t)1 << 63);
}

static double score_of(uint64_t key)
{
    uint64_t bits = bits_of_score(key);
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

/* Returns whether a score is NaN. */
static int read_keys(const work *w, size_t start, size_t n, uint64_t *keys)
{
    double block[BLOCK];
    return to_keys(wf_doubles(w->scores, start, n, block), n, keys);
}

/* The keys where they are, or in the block. */
static const uint64_t *known_keys(const work *w, size_t start, size_t n, uint64_t *block)
{
    if (w->keys) return w->keys + start;
    read_keys(w, start, n, block);
    return block;
}

static void read_range(void *context, int index)
{
    work *w = context;
    share own = w->shares[index], *s = &own;
    uint64_t block[BLOCK];
    s->low = UINT64_MAX;
    for (size_t i = first_item(w, (size_t)index), end = last_item(w, (size_t)index), n; i < end;
         i += n) {
        uint64_t *keys = w->keys ? w->keys + i : block;
        n = end - i < BLOCK ? end - i : BLOCK;
        if (read_keys(w, i, n, keys)) s->status = WF_NAN;
        widen(keys, n, &s->low, &s->high);
    }
    w->shares[index] = own;
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
    w->high = high;
    while (w->shift < 63 && !((high - low) << w->shift >> 63)) w->shift++;
}

static void tally(void *context, int index)
{
    work *w = context;
    size_t *count = w->places + (size_t)index * buckets(w);
    unsigned shift = w->shift, rest = 64 - w->bits;
    uint64_t low = w->low, block[BLOCK];
    for (size_t i = first_item(w, (size_t)index), end = last_item(w, (size_t)index), n; i < end;
         i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        const uint64_t *keys = known_keys(w, i, n, block);
        for (size_t j = 0; j < n; j++) count[(keys[j] - low) << shift >> rest]++;
    }
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
        w->largest = place - w->starts[b] > w->largest ? place - w->starts[b] : w->largest;
    }
    w->starts[buckets(w)] = place;
    for (; part < w->parts; part++) w->shares[part].bucket = buckets(w);
    for (size_t i = 0; i < w->parts; i++)
        w->shares[i].end = i + 1 < w->parts ? w->shares[i + 1].bucket : buckets(w);
    for (size_t i = 0; i < w->parts; i++) {
        size_t start = w->starts[w->shares[i].bucket];
        w->shares[i].scratch = i * w->largest < start ? i * w->largest : start;
    }
}

/* Sorted items, of keys or of keys and weights ------------------------------------------------ */

#define PLAIN(x) (x)
#define KEY_IN(x) ((x).key)
#define ONE(x) 1
#define WEIGHT_IN(x) ((x).weight)

#define NAME keys
#define ITEM uint64_t
#define KEY PLAIN
#define MAKE(key, index) ((void)(index), (key))
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
    share own = w->shares[index], *s = &own;
    size_t *place = w->places + (size_t)index * buckets(w), end = last_item(w, (size_t)index);
    uint64_t labels[BLOCK], block[BLOCK];
    unsigned char flags[BLOCK];
    for (size_t i = first_item(w, (size_t)index); i < end; i += BLOCK) {
        size_t n = end - i < BLOCK ? end - i : BLOCK;
        const uint64_t *label = wf_integers(w->positive, i, n, labels);
        if (!to_flags(label, n, flags, &s->positive)) s->status = WF_BAD_CODE;
        const uint64_t *keys = known_keys(w, i, n, block);
        (w->weights ? scatter_weighted_block : scatter_keys_block)(w, keys, i, n, flags, place);
    }
    w->shares[index] = own;
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

/* Whether two neighbours of sorted items have equal scores. */
VECTORISED static int has_ties(const uint64_t *items, size_t n)
{
    uint64_t ties = 0;
    for (size_t i = 1; i < n; i++) ties |= items[i] >> 1 == items[i - 1] >> 1;
    return ties != 0;
}

/* A line for each item of a part of a bucket. */
VECTORISED static void write_each(const uint64_t *restrict items, size_t n, const work *w,
                                  uint64_t head, uint64_t *restrict score,
                                  int32_t *restrict positives, int32_t *restrict negatives)
{
    unsigned bits = w->bits, shift = w->shift;
    uint64_t low = w->low;
    for (size_t i = 0; i < n; i++) {
        score[i] = bits_of_score(((head | items[i] >> bits) >> shift) + low);
        positives[i] = (int32_t)(items[i] & 1);
        negatives[i] = (int32_t)(~items[i] & 1);
    }
}

/* The same as write_count_lines, and faster, if no scores are tied. Items are copied first, since
 * lines may go where they are. */
static size_t write_distinct_lines(const work *w, size_t bucket, size_t line)
{
    uint64_t block[BLOCK / 8], *score = (uint64_t *)(void *)w->out->score;
    int32_t *positives = w->out->positives, *negatives = w->out->negatives;
    const uint64_t *items = w->items;
    for (size_t i = w->starts[bucket], end = w->starts[bucket + 1], n; i < end; i += n, line += n) {
        n = end - i < BLOCK / 8 ? end - i : BLOCK / 8;
        memcpy(block, items + i, n * sizeof *block);
        write_each(block, n, w, (uint64_t)bucket << (64 - w->bits), score + line, positives + line,
                   negatives + line);
    }
    return line;
}

static size_t write_lines(const work *w, size_t bucket, size_t line)
{
    if (w->weights) return write_weighted_lines(w, bucket, line);
    if (w->n >= INT32_MAX) return write_large_count_lines(w, bucket, line);
    size_t start = w->starts[bucket], n = w->starts[bucket + 1] - start;
    int ties = has_ties((const uint64_t *)w->items + start, n);
    return (ties ? write_count_lines : write_distinct_lines)(w, bucket, line);
}

/* Buckets of a part have the same scratch, which stays in the caches. */
static void sort_bucket(const work *w, size_t bucket, int part)
{
    size_t start = w->starts[bucket], n = w->starts[bucket + 1] - start;
    size_t scratch = w->shares[part].scratch;
    if (w->weights)
        radix_sort_weighted((item *)w->items + start, (item *)w->scratch + scratch, n, 0,
                            UINT64_MAX);
    else
        radix_sort_keys((uint64_t *)w->items + start, (uint64_t *)w->scratch + scratch, n, 0,
                        UINT64_MAX);
}

static void write_out(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    size_t first = w->starts[s->bucket], line = first, released = first;
    const item *items = w->weights ? w->items : NULL;
    for (size_t b = s->bucket; b < s->end; b++) {
        sort_bucket(w, b, index);
        line = write_lines(w, b, line);
        if (!items || w->starts[b + 1] - released < RELEASE) continue;
        wf_release(items + first, items + w->starts[b + 1]);
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

static wf_status in_parts(work *w, on_part part)
{
    wf_status status = WF_OK;
    wf_parallel((int)w->parts, part, w);
    for (size_t i = 0; i < w->parts && !status; i++) status = w->shares[i].status;
    return status;
}

/* Buckets of about 256 items, as long as there are not too many for the caches. */
static unsigned bits_for(size_t n)
{
    unsigned bits = FEWEST_BITS;
    while (bits < MOST_BITS && n >> (bits + 8)) bits++;
    return bits;
}

/* Scatter the items of a size into buckets, in memory that is given or allocated. */
static wf_status distribute(work *w, int threads, size_t size, on_part scatter_items)
{
    wf_status status;
    w->parts = w->n < SMALL || threads < 2 ? 1 : threads > MOST ? MOST : (size_t)threads;
    w->bits = bits_for(w->n);
    w->items = w->given ? w->given : wf_allocate(w->n * size + 1);
    w->starts = malloc((buckets(w) + 1) * sizeof *w->starts);
    w->places = calloc(w->parts * buckets(w), sizeof *w->places);
    if (w->n < SMALL) w->keys = malloc(w->n * sizeof *w->keys + 1); /* NULL will do */
    if (!w->items || !w->starts || !w->places) return WF_NO_MEMORY;
    if ((status = in_parts(w, read_range))) return status;
    find_range(w);
    in_parts(w, tally);
    find_places(w);
    size_t scratch = w->parts * w->largest < w->n ? w->parts * w->largest : w->n;
    w->scratch = malloc(scratch * size + 1);
    return w->scratch ? in_parts(w, scatter_items) : WF_NO_MEMORY;
}

static void release(work *w)
{
    free(w->scratch);
    free(w->keys);
    free(w->places);
    free(w->starts);
    if (!w->given) free(w->items);
}

wf_status wf_rank(const wf_column *scores, const wf_column *positive, const double *weights,
                  size_t n, int threads, wf_ranking *out)
{
    work w = {.scores = scores, .positive = positive, .weights = weights, .n = n, .out = out};
    size_t size = weights ? sizeof(item) : sizeof(uint64_t);
    if (!weights) w.given = out->score; /* no line is written before its items are read */
    wf_status status = distribute(&w, threads, size, scatter);
    if (!status) {
        in_parts(&w, write_out);
        close_gaps(&w);
    }
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
    uint64_t block[BLOCK];
    for (size_t i = first_item(w, (size_t)index); i < end; i += BLOCK) {
        size_t n = end - i < BLOCK ? end - i : BLOCK;
        scatter_placed_block(w, known_keys(w, i, n, block), i, n, none, place);
    }
}

static void write_places(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    placed *items = w->items, *scratch = (placed *)w->scratch + s->scratch;
    for (size_t b = s->bucket; b < s->end; b++) {
        size_t start = w->starts[b], end = w->starts[b + 1];
        uint64_t head = (uint64_t)b << (64 - w->bits);
        radix_sort_placed(items + start, scratch, end - start, 0, UINT64_MAX);
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
    wf_status status = distribute(&w, threads, sizeof(placed), scatter_places);
    if (!status) in_parts(&w, write_places);
    release(&w);
    return status;
}

/* Areas ---------------------------------------------------------------------------------------- */

VECTORISED static size_t count_odd(const uint64_t *items, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += items[i] & 1;
    return sum;
}

/* Turn the positive items that a part scattered into those of its buckets. */
static void count_positives(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    size_t start = w->starts[s->bucket], end = w->starts[s->end];
    s->positive = count_odd((const uint64_t *)w->items + start, end - start);
}

/* Add up the lines of a bucket: pairs are whole numbers, and precisions are kept by bucket, so that
 * the sums do not depend on the number of threads. */
static void add_bucket(const work *w, size_t bucket, uint64_t *tp, uint64_t *fp, uint64_t *pairs)
{
    const uint64_t *items = w->items;
    double precision = 0;
    for (size_t i = w->starts[bucket], end = w->starts[bucket + 1]; i < end;) {
        uint64_t key = items[i] >> 1, first = i, positives = 0;
        do positives += items[i++] & 1;
        while (i < end && items[i] >> 1 == key);
        uint64_t negatives = i - first - positives;
        *pairs += negatives * (2 * *tp + positives);
        *tp += positives;
        *fp += negatives;
        precision += (double)positives * (double)*tp / (double)(*tp + *fp);
    }
    w->precision[bucket] = precision;
}

static void add_buckets(void *context, int index)
{
    work *w = context;
    share *s = &w->shares[index];
    uint64_t tp = 0, fp, pairs = 0;
    for (int i = 0; i < index; i++) tp += w->shares[i].positive;
    fp = w->starts[s->bucket] - tp;
    for (size_t b = s->bucket; b < s->end; b++) {
        sort_bucket(w, b, index);
        add_bucket(w, b, &tp, &fp, &pairs);
    }
    s->pairs = pairs;
}

wf_status wf_rank_areas(const wf_column *scores, const wf_column *positive, size_t n, int threads,
                        wf_areas *out)
{
    work w = {.scores = scores, .positive = positive, .n = n};
    wf_status status = distribute(&w, threads, sizeof(uint64_t), scatter);
    memset(out, 0, sizeof *out);
    if (!status && n) {
        w.precision = (double *)(void *)w.places; /* of no further use */
        in_parts(&w, count_positives);
        in_parts(&w, add_buckets);
        for (size_t i = 0; i < w.parts; i++) {
            out->positives += (double)w.shares[i].positive;
            out->pairs += (double)w.shares[i].pairs / 2;
        }
        out->negatives = (double)n - out->positives;
        for (size_t b = 0; b < buckets(&w); b++) out->precision += w.precision[b];
        out->highest = score_of(w.low);
        out->lowest = score_of(w.high);
    }
    release(&w);
    return status;
}
