/* GROUP BY score.
 *
 * Scores become integer keys that ascend as scores descend. The leading bits in which keys differ
 * say the bucket, which leaves room for the label in the last bit of the rest. Threads scatter their
 * share of the items into the buckets, then sort and write out their share of the buckets.
 * Everything is stable, so that weights are added up in the order of the items.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, SHORT = 24, SMALL = 1 << 14, LARGE = 1 << 18, RELEASE = 1 << 20, MOST = WF_MOST_THREADS };

typedef struct {
    uint64_t key;
    double weight;
} item;

/* What a thread finds out about its share of the items, or of the buckets. */
typedef struct {
    wf_status status;
    uint64_t low, high;           /* keys */
    size_t bucket, end, distinct; /* the first and the last but one, and lines written */
} share;

typedef struct {
    const wf_column *scores, *positive;
    const double *weights;
    size_t n, parts;
    wf_ranking *out;
    uint64_t *keys; /* of all items; in the room for the scores, which come last */
    void *items, *scratch;
    uint64_t low;         /* the smallest key */
    unsigned shift, bits; /* (key − low) << shift has its bucket in the leading bits */
    size_t *starts;       /* of the buckets, and the end */
    size_t *places;       /* parts × buckets: where the next item of a bucket goes */
    share shares[MOST];
} work;

static size_t buckets(const work *w) { return (size_t)1 << w->bits; }

static size_t first_item(const work *w, size_t part) { return w->n / w->parts * part; }

static size_t last_item(const work *w, size_t part)
{
    return part + 1 == w->parts ? w->n : first_item(w, part + 1);
}

/* Keys ---------------------------------------------------------------------------------------- */

/* −0.0 has the key of 0.0. Returns whether one of them is NaN. */
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
    share *own = &w->shares[index];
    double block[BLOCK];
    own->low = UINT64_MAX;
    for (size_t i = first_item(w, (size_t)index), end = last_item(w, (size_t)index); i < end;) {
        size_t n = end - i < BLOCK ? end - i : BLOCK;
        wf_gather_double(w->scores, i, n, block);
        if (to_keys(block, n, w->keys + i)) own->status = WF_NAN;
        widen(w->keys + i, n, &own->low, &own->high);
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

/* From how many to where, and a range of buckets for each part. */
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

#define SCATTER(NAME, T, MADE)                                                                     \
    static void NAME(work *w, size_t i, size_t n, size_t *place)                                   \
    {                                                                                              \
        T *to = w->items;                                                                          \
        unsigned char label[BLOCK];                                                                \
        unsigned shift = w->shift, bits = w->bits;                                                 \
        uint64_t low = w->low;                                                                     \
        wf_gather(w->positive, i, n, 1, label);                                                    \
        for (size_t j = 0; j < n; j++) {                                                           \
            uint64_t whole = (w->keys[i + j] - low) << shift;                                      \
            uint64_t key = whole << bits | (label[j] != 0);                                        \
            to[place[whole >> (64 - bits)]++] = MADE;                                              \
        }                                                                                          \
    }
SCATTER(scatter_keys, uint64_t, key)
SCATTER(scatter_items, item, ((item){key, w->weights[i + j]}))

static void scatter(void *context, int index)
{
    work *w = context;
    size_t *place = w->places + (size_t)index * buckets(w), end = last_item(w, (size_t)index);
    for (size_t i = first_item(w, (size_t)index); i < end; i += BLOCK)
        (w->weights ? scatter_items : scatter_keys)(w, i, end - i < BLOCK ? end - i : BLOCK, place);
}

/* Sorted lines -------------------------------------------------------------------------------- */

/* A stable sort, by the leading bits in which the keys differ and then by the rest; the scratch has
 * the same length. */
#define SORT(NAME, T, KEY)                                                                         \
    static void insert_##NAME(T *items, size_t n)                                                  \
    {                                                                                              \
        for (size_t i = 1; i < n; i++) {                                                           \
            T one = items[i];                                                                      \
            size_t j = i;                                                                          \
            for (; j && KEY(items[j - 1]) > KEY(one); j--) items[j] = items[j - 1];                \
            items[j] = one;                                                                        \
        }                                                                                          \
    }                                                                                              \
    static void NAME(T *items, T *scratch, size_t n)                                               \
    {                                                                                              \
        uint64_t low = UINT64_MAX, high = 0;                                                       \
        unsigned width = 6, shift = 0;                                                             \
        size_t place[1 << 11], from = 0, most = 0;                                                 \
        for (size_t i = 0; i < n; i++) {                                                           \
            low = KEY(items[i]) < low ? KEY(items[i]) : low;                                       \
            high = KEY(items[i]) > high ? KEY(items[i]) : high;                                    \
        }                                                                                          \
        if (low >= high) return;                                                                   \
        while (width < 11 && n >> (width - 1)) width++;                                            \
        while (!((high - low) << shift >> 63)) shift++;                                            \
        memset(place, 0, sizeof *place << width);                                                  \
        for (size_t i = 0; i < n; i++) place[(KEY(items[i]) - low) << shift >> (64 - width)]++;    \
        for (size_t j = 0; j < (size_t)1 << width; j++) {                                          \
            size_t here = place[j];                                                                \
            place[j] = from;                                                                       \
            from += here;                                                                          \
            most = here > most ? here : most;                                                      \
        }                                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            scratch[place[(KEY(items[i]) - low) << shift >> (64 - width)]++] = items[i];           \
        from = 0;                                                                                  \
        for (size_t j = 0; most > SHORT && j < (size_t)1 << width; from = place[j++])              \
            if (place[j] - from > SHORT) NAME(scratch + from, items + from, place[j] - from);      \
        memcpy(items, scratch, n * sizeof *items);                                                 \
        insert_##NAME(items, n); /* nothing has far to go */                                       \
    }

#define PLAIN(x) (x)
#define KEY_IN(x) ((x).key)
SORT(sort_keys, uint64_t, PLAIN)
SORT(sort_items, item, KEY_IN)

/* One line for each run of equal keys, without branches on the data; items that were read make room
 * for what is written. Returns where the next line goes. */
#define WRITE(NAME, T, N, KEY, WEIGHT)                                                             \
    static size_t NAME(const work *w, size_t bucket, size_t line)                                  \
    {                                                                                              \
        const T *items = w->items;                                                                 \
        N *positives = w->out->positives, *negatives = w->out->negatives, sums[2] = {0, 0};        \
        uint64_t last = 0, head = bucket << (64 - w->bits);                                        \
        size_t start = w->starts[bucket], end = w->starts[bucket + 1];                             \
        for (size_t i = start; i < end; i++) {                                                     \
            uint64_t key = KEY(items[i]) >> 1;                                                     \
            int fresh = i == start || key != last, positive = KEY(items[i]) & 1;                   \
            N weight = WEIGHT(items[i]);                                                           \
            sums[1] = (fresh ? 0 : sums[1]) + (positive ? weight : 0);                             \
            sums[0] = (fresh ? 0 : sums[0]) + (positive ? 0 : weight);                             \
            line += (size_t)fresh;                                                                 \
            last = key;                                                                            \
            w->out->score[line - 1] =                                                              \
                score_of(((head | KEY(items[i]) >> w->bits) >> w->shift) + w->low);                \
            positives[line - 1] = sums[1];                                                         \
            negatives[line - 1] = sums[0];                                                         \
            if (i % RELEASE == RELEASE - 1) wf_release(items + start, items + i);                  \
        }                                                                                          \
        return line;                                                                               \
    }

#define ONE(x) 1
#define WEIGHT_IN(x) ((x).weight)
WRITE(write_counts, uint64_t, int32_t, PLAIN, ONE)
WRITE(write_large_counts, uint64_t, int64_t, PLAIN, ONE)
WRITE(write_weights, item, double, KEY_IN, WEIGHT_IN)

static void sort_bucket(const work *w, size_t bucket)
{
    size_t start = w->starts[bucket], n = w->starts[bucket + 1] - start;
    if (w->weights) sort_items((item *)w->items + start, (item *)w->scratch + start, n);
    else sort_keys((uint64_t *)w->items + start, (uint64_t *)w->scratch + start, n);
}

static void write_out(void *context, int index)
{
    work *w = context;
    share *own = &w->shares[index];
    size_t first = w->starts[own->bucket], line = first, released = first;
    size_t size = w->weights ? sizeof(item) : sizeof(uint64_t);
    for (size_t b = own->bucket; b < own->end; b++) {
        sort_bucket(w, b);
        line = (w->weights          ? write_weights
                : w->n < INT32_MAX ? write_counts
                                    : write_large_counts)(w, b, line);
        if (w->starts[b + 1] - released < RELEASE) continue;
        wf_release((char *)w->items + first * size, (char *)w->items + w->starts[b + 1] * size);
        released = w->starts[b + 1];
    }
    own->distinct = line - first;
}

/* Ties leave gaps between the lines of two parts. */
static void close_gaps(work *w)
{
    wf_ranking *out = w->out;
    size_t size = !w->weights && w->n < INT32_MAX ? 4 : 8;
    out->distinct = 0;
    for (size_t i = 0; i < w->parts; i++) {
        size_t from = w->starts[w->shares[i].bucket], n = w->shares[i].distinct, to = out->distinct;
        out->distinct += n;
        if (from == to) continue;
        memmove(out->score + to, out->score + from, n * sizeof *out->score);
        memmove((char *)out->positives + to * size, (char *)out->positives + from * size, n * size);
        memmove((char *)out->negatives + to * size, (char *)out->negatives + from * size, n * size);
    }
}

wf_status wf_rank(const wf_column *scores, const wf_column *positive, const double *weights,
                  size_t n, int threads, wf_ranking *out)
{
    work w = {.scores = scores, .positive = positive, .weights = weights, .n = n, .out = out};
    size_t size = weights ? sizeof(item) : sizeof(uint64_t);
    w.parts = n < SMALL || threads < 2 ? 1 : threads > MOST ? MOST : (size_t)threads;
    w.bits = n < SMALL ? 4 : n < LARGE ? 11 : 16;
    w.keys = (uint64_t *)(void *)out->score;
    w.items = wf_allocate((weights ? 2 : 1) * n * size + 1);
    w.scratch = weights ? (void *)((item *)w.items + n) : w.keys;
    w.starts = malloc((buckets(&w) + 1) * sizeof *w.starts);
    w.places = calloc(w.parts * buckets(&w), sizeof *w.places);
    wf_status status = w.items && w.starts && w.places ? WF_OK : WF_NO_MEMORY;
    if (!status) wf_parallel((int)w.parts, make_keys, &w);
    for (size_t i = 0; i < w.parts && !status; i++) status = w.shares[i].status;
    if (!status) {
        find_range(&w);
        wf_parallel((int)w.parts, tally, &w);
        find_places(&w);
        wf_parallel((int)w.parts, scatter, &w);
        wf_parallel((int)w.parts, write_out, &w);
        close_gaps(&w);
    }
    free(w.places);
    free(w.starts);
    free(w.items);
    return status;
}
