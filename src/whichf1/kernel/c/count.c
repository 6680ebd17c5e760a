/* GROUP BY true, predicted.
 *
 * Labels are counted optimistically into a dense table over a window of 2^bits labels. A block of
 * items becomes small keys (vectorised), and the same loop finds out whether a label fell outside;
 * if so, the window is widened and the block is read again. More classes than a dense table should
 * hold go to a hash table. Threads fill their own tables, which are added up at the end.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 2048, /* bytes of a column: small enough that fetching ahead goes on while counting */
    WORD_BITS = 7, /* up to here counters are words, beyond bytes that carry over */
    MOST_BITS = 12,
    LANES_FROM = 1024, /* items */
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

/* A thread's blocks; on its stack, since a call on few items should allocate next to nothing. */
typedef struct {
    uint32_t keys[BLOCK];
    uint64_t true_block[BLOCK / 8], predicted_block[BLOCK / 8];
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
    uint64_t low;         /* the window's first label, in ordered form */
    uint32_t *words; /* counters: lane_count tables of words, or one of bytes */
    uint32_t *couples; /* counters of two keys at a time, where there are many items */
    uint8_t *bytes;
    size_t lane_count;
    uint64_t pending; /* items in the words */
    uint64_t *totals; /* what was in the counters before; NULL if nothing was */
    double *sums;     /* of weights */
    int hashed;
    hash_table hash;
    wf_status status;
    scratch *own;
} worker;

/* The order of integers of any type as that of uint64. */
static uint64_t ordered(uint64_t value, int sign) { return sign ? value ^ (uint64_t)1 << 63 : value; }

static uint64_t lowest(const worker *w)
{
    return w->sign && w->width < 8 ? ((uint64_t)1 << 63) - ((uint64_t)1 << (8 * w->width - 1)) : 0;
}

static uint64_t highest(const worker *w)
{
    return w->width < 8 ? lowest(w) + (((uint64_t)1 << 8 * w->width) - 1) : UINT64_MAX;
}

static size_t cells_of(const worker *w) { return (size_t)1 << 2 * w->bits; }

/* Blocks → keys ------------------------------------------------------------------------------- */

/* Keys of a block; anything but 0 says that a label is outside the window. Offsets are taken
 * modulo the width of the type, which the window never exceeds. */
#define STAGE(T, K)                                                                                \
    VECTORISED static uint64_t stage_##T##_##K(const T *t, const T *p, size_t n, uint64_t from,    \
                                               unsigned bits, K *key)                              \
    {                                                                                              \
        T low = (T)from, bad = 0;                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            T a = (T)(t[i] - low), b = (T)(p[i] - low);                                            \
            bad |= (T)(a | b);                                                                     \
            key[i] = (K)((K)a << bits | (K)b);                                                     \
        }                                                                                          \
        return (uint64_t)bad >> bits;                                                              \
    }

#define STAGES(T) STAGE(T, uint8_t) STAGE(T, uint16_t) STAGE(T, uint32_t)
STAGES(uint8_t)
STAGES(uint16_t)
STAGES(uint32_t)
STAGES(uint64_t)

#define STAGE_BY_BITS(T)                                                                           \
    (w->bits <= 4   ? stage_##T##_uint8_t(t, p, n, low, w->bits, (uint8_t *)w->own->keys)               \
     : w->bits <= 8 ? stage_##T##_uint16_t(t, p, n, low, w->bits, (uint16_t *)w->own->keys)             \
                    : stage_##T##_uint32_t(t, p, n, low, w->bits, w->own->keys))

static uint64_t stage(worker *w, const void *t, const void *p, size_t n)
{
    uint64_t low = ordered(w->low, w->sign); /* its own inverse */
    switch (w->width) {
    case 1: return STAGE_BY_BITS(uint8_t);
    case 2: return STAGE_BY_BITS(uint16_t);
    case 4: return STAGE_BY_BITS(uint32_t);
    default: return STAGE_BY_BITS(uint64_t);
    }
}

/* Keys → counts ------------------------------------------------------------------------------- */

/* Several tables of words, so that equal neighbours do not wait for each other. */
#define COUNT_WORDS(K)                                                                             \
    static void count_words_##K(const K *key, size_t n, uint32_t *lanes, size_t cells,             \
                                size_t count)                                                      \
    {                                                                                              \
        uint32_t *a = lanes, *b = lanes + 1 % count * cells, *c = lanes + 2 % count * cells,       \
                 *d = lanes + 3 % count * cells;                                                   \
        size_t i = 0;                                                                              \
        for (; i + 4 <= n; i += 4) {                                                               \
            a[key[i]]++;                                                                           \
            b[key[i + 1]]++;                                                                       \
            c[key[i + 2]]++;                                                                       \
            d[key[i + 3]]++;                                                                       \
        }                                                                                          \
        for (; i < n; i++) a[key[i]]++;                                                            \
    }
COUNT_WORDS(uint8_t)
COUNT_WORDS(uint16_t)

/* Keys of a byte are counted two by two: half the work, and equal neighbours are rarer. */
static void count_couples(const uint8_t *key, size_t n, uint32_t *couples)
{
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, key + i, 8);
        couples[eight & 0xffff]++;
        couples[eight >> 16 & 0xffff]++;
        couples[eight >> 32 & 0xffff]++;
        couples[eight >> 48]++;
    }
}

/* Couples as the two keys that they are: into the words. */
static void part_couples(worker *w)
{
    for (size_t at = 0; w->couples && at < COUPLES; at++) {
        uint32_t count = w->couples[at];
        if (!count) continue;
        w->words[at & 255] += count;
        w->words[at >> 8] += count;
        w->couples[at] = 0;
    }
}

/* A large table of bytes stays in the cache where one of words would not. */
#define COUNT_BYTES(K)                                                                             \
    static void count_bytes_##K(const K *key, size_t n, uint8_t *table, uint64_t *totals)          \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            if (!++table[key[i]]) totals[key[i]] += 256;                                           \
    }
COUNT_BYTES(uint16_t)
COUNT_BYTES(uint32_t)

static void count_keys(worker *w, size_t n, const double *weights)
{
    size_t cells = cells_of(w), lanes = w->lane_count;
    const uint8_t *bytes = (uint8_t *)w->own->keys;
    size_t coupled = w->couples ? n / 8 * 8 : 0;
    if (coupled) count_couples(bytes, n, w->couples);
    if (w->bits <= 4) count_words_uint8_t(bytes + coupled, n - coupled, w->words, cells, lanes);
    else if (w->words) count_words_uint16_t((uint16_t *)w->own->keys, n, w->words, cells, lanes);
    else if (w->bits <= 8) count_bytes_uint16_t((uint16_t *)w->own->keys, n, w->bytes, w->totals);
    else count_bytes_uint32_t(w->own->keys, n, w->bytes, w->totals);
    if (!weights) return;
    for (size_t i = 0; i < n; i++) {
        size_t key = w->bits <= 4   ? ((uint8_t *)w->own->keys)[i]
                     : w->bits <= 8 ? ((uint16_t *)w->own->keys)[i]
                                    : w->own->keys[i];
        w->sums[key] += weights[i]; /* in the order of the items, as the twin adds */
    }
}

/* The dense table ----------------------------------------------------------------------------- */

static uint64_t cell(const worker *w, size_t at)
{
    uint64_t total = w->totals ? w->totals[at] : 0;
    if (w->bytes) return total + w->bytes[at];
    for (size_t lane = 0; lane < w->lane_count; lane++) total += w->words[lane * cells_of(w) + at];
    return total;
}

static wf_status flush(worker *w)
{
    size_t cells = cells_of(w);
    part_couples(w);
    if (!w->totals && !(w->totals = calloc(cells, sizeof *w->totals))) return WF_NO_MEMORY;
    for (size_t at = 0; w->bytes && at < cells; at++) w->totals[at] += w->bytes[at];
    for (size_t lane = 0; lane < w->lane_count; lane++)
        for (size_t at = 0; at < cells; at++) w->totals[at] += w->words[lane * cells + at];
    if (w->bytes) memset(w->bytes, 0, cells);
    else memset(w->words, 0, w->lane_count * cells * sizeof *w->words);
    w->pending = 0;
    return WF_OK;
}

static int counting(const worker *w) { return w->words || w->bytes; }

static void free_dense(worker *w)
{
    free(w->words);
    free(w->couples);
    free(w->bytes);
    free(w->totals);
    free(w->sums);
    w->words = NULL;
    w->couples = NULL;
    w->bytes = NULL;
    w->totals = NULL;
    w->sums = NULL;
}

static int allocate_table(worker *w, int with_totals)
{
    size_t cells = cells_of(w);
    int words = w->bits <= WORD_BITS, few = w->stop - w->start <= LANES_FROM;
    w->lane_count = !words ? 0 : few ? 1 : w->bits <= 5 ? 4 : 2;
    w->words = words ? calloc(w->lane_count * cells, sizeof *w->words) : NULL;
    int many = w->width == 1 && w->bits > 2 && w->bits <= 4 && w->stop - w->start > COUPLES;
    w->couples = many ? calloc(COUPLES, sizeof *w->couples) : NULL; /* it is done without, too */
    w->bytes = words ? NULL : calloc(cells, 1);
    w->totals = with_totals || !words ? calloc(cells, sizeof *w->totals) : NULL;
    w->sums = w->weights ? calloc(cells, sizeof *w->sums) : NULL;
    w->pending = 0;
    return counting(w) && (w->totals || (words && !with_totals)) && (w->sums || !w->weights);
}

/* The same counts over another window, which must hold every label counted so far. */
static wf_status rewindow(worker *w, uint64_t low, unsigned bits)
{
    worker old = {.bits = w->bits, .low = w->low, .words = w->words, .couples = w->couples,
                  .bytes = w->bytes, .totals = w->totals, .sums = w->sums,
                  .lane_count = w->lane_count};
    w->bits = bits;
    w->low = low;
    int fine = allocate_table(w, counting(&old));
    if (fine && counting(&old)) {
        uint64_t shift = old.low - low; /* modulo 2^64: the old window may begin further down */
        for (size_t at = 0; at < cells_of(&old); at++) {
            uint64_t count = cell(&old, at);
            if (!count) continue;
            uint64_t t = (at >> old.bits) + shift, p = (at & (((size_t)1 << old.bits) - 1)) + shift;
            w->totals[t << bits | p] = count;
            if (w->sums) w->sums[t << bits | p] = old.sums[at];
        }
    }
    free_dense(&old);
    return fine ? WF_OK : WF_NO_MEMORY;
}

/* The lowest and highest label of the cells counted so far, in ordered form. */
static int range_of_cells(const worker *w, uint64_t *low, uint64_t *high)
{
    int any = 0;
    for (size_t at = 0; counting(w) && at < cells_of(w); at++) {
        if (!cell(w, at)) continue;
        uint64_t pair[2] = {w->low + (at >> w->bits),
                            w->low + (at & (((size_t)1 << w->bits) - 1))};
        for (int i = 0; i < 2; i++) {
            if (!any || pair[i] < *low) *low = pair[i];
            if (!any || pair[i] > *high) *high = pair[i];
            any = 1;
        }
    }
    return any;
}

static unsigned bits_for(uint64_t low, uint64_t high)
{
    unsigned bits = 0;
    while (bits < 64 && (high - low) >> bits) bits++;
    return bits;
}

/* The hash table ------------------------------------------------------------------------------ */

static entry *find(const hash_table *h, uint64_t t, uint64_t p)
{
    uint64_t x = t * 0x9e3779b97f4a7c15u + p;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    size_t at = x & h->mask;
    while (h->entries[at].count && (h->entries[at].true_ != t || h->entries[at].predicted != p))
        at = (at + 1) & h->mask;
    return &h->entries[at];
}

static wf_status grow(hash_table *h)
{
    hash_table wider = {NULL, h->entries ? 4 * (h->mask + 1) - 1 : 4095, h->used};
    wider.entries = calloc(wider.mask + 1, sizeof *wider.entries);
    if (!wider.entries) return WF_NO_MEMORY;
    for (size_t at = 0; h->entries && at <= h->mask; at++) {
        const entry *e = &h->entries[at];
        if (e->count) *find(&wider, e->true_, e->predicted) = *e;
    }
    free(h->entries);
    *h = wider;
    return WF_OK;
}

static wf_status add(hash_table *h, uint64_t t, uint64_t p, uint64_t count, double sum)
{
    entry *e = find(h, t, p);
    if (!e->count) {
        if (2 * h->used > h->mask) {
            if (grow(h)) return WF_NO_MEMORY;
            e = find(h, t, p);
        }
        h->used++;
        e->true_ = t;
        e->predicted = p;
    }
    e->count += count;
    e->sum += sum;
    return WF_OK;
}

static wf_status to_hash(worker *w)
{
    wf_status status = grow(&w->hash);
    for (size_t at = 0; !status && counting(w) && at < cells_of(w); at++) {
        uint64_t count = cell(w, at);
        uint64_t t = w->low + (at >> w->bits), p = w->low + (at & (((size_t)1 << w->bits) - 1));
        if (count)
            status = add(&w->hash, ordered(t, w->sign), ordered(p, w->sign), count,
                         w->sums ? w->sums[at] : 0);
    }
    free_dense(w);
    w->hashed = 1;
    return status;
}

static wf_status hash_block(worker *w, const void *t, const void *p, size_t n, const double *weights)
{
    wf_column left = {t, w->width, w->width, w->sign, 0}, right = {p, w->width, w->width, w->sign, 0};
    wf_status status = WF_OK;
    wf_gather(&left, 0, n, 8, w->own->wide[0]);
    wf_gather(&right, 0, n, 8, w->own->wide[1]);
    for (size_t i = 0; !status && i < n; i++)
        status = add(&w->hash, w->own->wide[0][i], w->own->wide[1][i], 1, weights ? weights[i] : 0);
    return status;
}

/* Widening ------------------------------------------------------------------------------------ */

#define RANGE(T, SIGN)                                                                             \
    static void range_##T(const T *items, size_t n, uint64_t *low, uint64_t *high)                 \
    {                                                                                              \
        T least = items[0], most = items[0];                                                       \
        for (size_t i = 1; i < n; i++) {                                                           \
            least = items[i] < least ? items[i] : least;                                           \
            most = items[i] > most ? items[i] : most;                                              \
        }                                                                                          \
        uint64_t pair[2] = {(uint64_t)least, (uint64_t)most};                                      \
        for (int i = 0; i < 2; i++) pair[i] = ordered(pair[i], SIGN);                              \
        if (pair[0] < *low) *low = pair[0];                                                        \
        if (pair[1] > *high) *high = pair[1];                                                      \
    }
RANGE(int8_t, 1)
RANGE(int16_t, 1)
RANGE(int32_t, 1)
RANGE(int64_t, 1)
RANGE(uint8_t, 0)
RANGE(uint16_t, 0)
RANGE(uint32_t, 0)
RANGE(uint64_t, 0)

static void range_of_block(const worker *w, const void *items, size_t n, uint64_t *low,
                           uint64_t *high)
{
    switch (w->width | w->sign << 4) {
    case 1: range_uint8_t(items, n, low, high); return;
    case 2: range_uint16_t(items, n, low, high); return;
    case 4: range_uint32_t(items, n, low, high); return;
    case 8: range_uint64_t(items, n, low, high); return;
    case 17: range_int8_t(items, n, low, high); return;
    case 18: range_int16_t(items, n, low, high); return;
    case 20: range_int32_t(items, n, low, high); return;
    default: range_int64_t(items, n, low, high);
    }
}

/* A window for what was counted and this block: twice as wide at least, for more of the kind. */
static wf_status widen(worker *w, const void *t, const void *p, size_t n)
{
    uint64_t low = UINT64_MAX, high = 0, block_low, block_high;
    part_couples(w);
    range_of_block(w, t, n, &low, &high);
    range_of_block(w, p, n, &low, &high);
    block_low = low;
    block_high = high;
    int downwards = 0;
    if (w->started && range_of_cells(w, &low, &high)) {
        downwards = block_low < low;
        if (block_low < low) low = block_low;
        if (block_high > high) high = block_high;
    }
    unsigned bits = bits_for(low, high), most = w->most_bits;
    if (bits > most) return to_hash(w);
    if (w->started && bits <= w->bits && w->bits < most) bits = w->bits + 1;
    uint64_t rest = ((uint64_t)1 << bits) - 1;
    if (downwards) low = high - lowest(w) < rest ? lowest(w) : high - rest;
    else if (highest(w) - low < rest) low = highest(w) - rest;
    w->started = 1;
    return rewindow(w, low, bits);
}

static wf_status count_block(worker *w, const void *t, const void *p, size_t n,
                             const double *weights)
{
    while (!w->hashed && (!w->started || stage(w, t, p, n))) {
        wf_status status = widen(w, t, p, n);
        if (status) return status;
    }
    if (w->hashed) return hash_block(w, t, p, n, weights);
    if (w->words && w->pending + n > w->flush) {
        wf_status status = flush(w);
        if (status) return status;
    }
    w->pending += n;
    count_keys(w, n, weights);
    return WF_OK;
}

static int usable_in_place(const wf_column *c, int width)
{
    return c->stride == width && c->width == width && !c->swapped &&
           (uintptr_t)c->data % (uintptr_t)width == 0;
}

static void count_slice(void *context, int index)
{
    worker *w = (worker *)context + index;
    scratch blocks;
    w->own = &blocks;
    int in_place = usable_in_place(w->true_, w->width) && usable_in_place(w->predicted, w->width);
    size_t block = BLOCK / (size_t)w->width;
    for (size_t at = w->start; !w->status && at < w->stop; at += block) {
        size_t n = w->stop - at < block ? w->stop - at : block, skip = at * (size_t)w->width;
        const double *weights = w->weights ? w->weights + at : NULL;
        if (in_place) {
            w->status = count_block(w, w->true_->data + skip, w->predicted->data + skip, n, weights);
            continue;
        }
        wf_gather(w->true_, at, n, w->width, blocks.true_block);
        wf_gather(w->predicted, at, n, w->width, blocks.predicted_block);
        w->status = count_block(w, blocks.true_block, blocks.predicted_block, n, weights);
    }
    part_couples(w);
    free(w->couples);
    w->couples = NULL;
}

/* Merging ------------------------------------------------------------------------------------- */

static wf_status merge_dense(worker *into, worker *from)
{
    size_t cells = cells_of(from);
    uint64_t shift = from->low - into->low;
    if (!counting(from)) return WF_OK; /* its slice was empty */
    if (!shift && into->bits == from->bits) { /* the usual: both saw the same labels */
        wf_status status = flush(from);
        for (size_t at = 0; !status && at < cells; at++) into->totals[at] += from->totals[at];
        return status;
    }
    for (size_t at = 0; at < cells; at++) {
        uint64_t count = cell(from, at);
        if (!count) continue;
        uint64_t t = (at >> from->bits) + shift, p = (at & (((size_t)1 << from->bits) - 1)) + shift;
        into->totals[t << into->bits | p] += count;
    }
    return WF_OK;
}

static wf_status merge_hashed(worker *into, worker *from)
{
    wf_status status = WF_OK;
    for (size_t at = 0; !status && at <= from->hash.mask; at++) {
        const entry *e = &from->hash.entries[at];
        if (e->count) status = add(&into->hash, e->true_, e->predicted, e->count, e->sum);
    }
    return status;
}

/* A window that holds the labels of all; the first one's own where the others have the same. */
static wf_status common_window(worker *workers, int parts, int *hashed)
{
    uint64_t low = UINT64_MAX, high = 0;
    int same = 1;
    for (int i = 1; i < parts; i++)
        same &= !counting(&workers[i]) ||
                (workers[i].low == workers[0].low && workers[i].bits == workers[0].bits);
    if (same) return flush(&workers[0]);
    for (int i = 0; i < parts; i++) {
        uint64_t from = 0, to = 0;
        if (!range_of_cells(&workers[i], &from, &to)) continue;
        if (from < low) low = from;
        if (to > high) high = to;
    }
    unsigned bits = bits_for(low, high);
    *hashed = bits > workers[0].most_bits;
    return *hashed ? WF_OK : rewindow(&workers[0], low, bits);
}

static wf_status merge(worker *workers, int parts)
{
    int hashed = 0;
    wf_status status = WF_OK;
    for (int i = 0; i < parts; i++) {
        if (workers[i].status) return workers[i].status;
        hashed |= workers[i].hashed;
    }
    if (parts > 1 && !hashed) status = common_window(workers, parts, &hashed);
    for (int i = 0; parts > 1 && !status && i < parts; i++) {
        if (hashed && !workers[i].hashed) status = to_hash(&workers[i]);
        if (i && !status)
            status = (hashed ? merge_hashed : merge_dense)(&workers[0], &workers[i]);
    }
    return status;
}

/* Results ------------------------------------------------------------------------------------- */

static wf_status allocate(wf_pairs *out, size_t cells, size_t classes, int weighted)
{
    out->cells = cells;
    out->classes = classes;
    out->true_ = malloc((cells + 1) * sizeof *out->true_);
    out->predicted = malloc((cells + 1) * sizeof *out->predicted);
    out->values = malloc((classes + 1) * sizeof *out->values);
    if (weighted) out->sum = malloc((cells + 1) * sizeof *out->sum);
    else out->count = malloc((cells + 1) * sizeof *out->count);
    int fine = out->true_ && out->predicted && out->values && (weighted ? !!out->sum : !!out->count);
    return fine ? WF_OK : WF_NO_MEMORY;
}

static wf_status emit_hashed(worker *w, wf_pairs *out)
{
    wf_status status = allocate(out, w->hash.used, 0, w->weights != NULL);
    if (status) return status;
    size_t to = 0;
    for (size_t at = 0; at <= w->hash.mask; at++) {
        const entry *e = &w->hash.entries[at];
        if (!e->count) continue;
        out->true_[to] = (int64_t)e->true_;
        out->predicted[to] = (int64_t)e->predicted;
        if (out->sum) out->sum[to] = e->sum;
        else out->count[to] = (int64_t)e->count;
        to++;
    }
    return WF_OK;
}

static wf_status emit_dense(worker *w, wf_pairs *out)
{
    wf_status status = flush(w);
    if (status) return status;
    size_t span = (size_t)1 << w->bits, cells = 0, classes = 0, to = 0;
    int16_t codes[1 << MOST_BITS] = {0};
    for (size_t at = 0; at < span * span; at++) {
        if (!w->totals[at]) continue;
        codes[at >> w->bits] = codes[at & (span - 1)] = 1;
        cells++;
    }
    for (size_t offset = 0; offset < span; offset++) classes += (size_t)codes[offset];
    status = allocate(out, cells, classes, w->weights != NULL);
    if (status) return status;
    classes = 0;
    for (size_t offset = 0; offset < span; offset++) {
        if (!codes[offset]) continue;
        out->values[classes] = (int64_t)ordered(w->low + offset, w->sign);
        codes[offset] = (int16_t)classes++;
    }
    for (size_t at = 0; at < span * span; at++) {
        if (!w->totals[at]) continue;
        out->true_[to] = codes[at >> w->bits];
        out->predicted[to] = codes[at & (span - 1)];
        if (out->sum) out->sum[to] = w->sums[at];
        else out->count[to] = (int64_t)w->totals[at];
        to++;
    }
    out->sorted = 1;
    return WF_OK;
}

static void prepare(worker *w, const wf_column *true_, const wf_column *predicted,
                    const double *weights, size_t n, uint64_t flush_after)
{
    memset(w, 0, sizeof *w);
    w->true_ = true_;
    w->predicted = predicted;
    w->weights = weights;
    w->sign = true_->sign | predicted->sign;
    int alike = true_->width == predicted->width && true_->sign == predicted->sign;
    w->width = alike ? true_->width : 8;
    while (w->most_bits < MOST_BITS && (int)w->most_bits < 8 * w->width) {
        size_t cells = (size_t)1 << 2 * (w->most_bits + 1);
        if (cells > (size_t)1 << 16 && cells / 4 > n) break;
        w->most_bits++;
    }
    w->flush = flush_after ? flush_after : (uint64_t)1 << 31;
}

wf_status wf_count(const wf_column *true_, const wf_column *predicted, const double *weights,
                   size_t n, wf_count_options options, wf_pairs *out)
{
    worker workers[WF_MOST_THREADS];
    size_t parts = weights ? 1 : n / SLICE; /* sums of weights are added in one order */
    if (parts > (size_t)options.threads) parts = (size_t)options.threads;
    if (parts > WF_MOST_THREADS) parts = WF_MOST_THREADS;
    if (parts < 1) parts = 1;
    memset(out, 0, sizeof *out);
    size_t each = (n / parts / BLOCK + 1) * BLOCK;
    for (size_t i = 0; i < parts; i++) {
        worker *w = &workers[i];
        prepare(w, true_, predicted, weights, n, options.flush);
        w->start = i * each < n ? i * each : n;
        w->stop = i + 1 == parts || (i + 1) * each > n ? n : (i + 1) * each;
    }
    wf_parallel((int)parts, count_slice, workers);
    wf_status status = merge(workers, (int)parts);
    if (!status) status = (workers[0].hashed ? emit_hashed : emit_dense)(&workers[0], out);
    for (size_t i = 0; i < parts; i++) {
        free_dense(&workers[i]);
        free(workers[i].hash.entries);
    }
    if (status) wf_pairs_free(out);
    return status;
}

void wf_pairs_free(wf_pairs *pairs)
{
    free(pairs->true_);
    free(pairs->predicted);
    free(pairs->count);
    free(pairs->sum);
    free(pairs->values);
    memset(pairs, 0, sizeof *pairs);
}

wf_status wf_margins(const wf_column *true_, const wf_column *predicted, const double *count,
                     size_t n, size_t classes, double *sums)
{
    uint64_t t[BLOCK], p[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t some = n - start < BLOCK ? n - start : BLOCK;
        wf_gather(true_, start, some, 8, t);
        wf_gather(predicted, start, some, 8, p);
        for (size_t i = 0; i < some; i++) {
            if (t[i] >= classes || p[i] >= classes) return WF_BAD_CODE;
            double value = count[start + i];
            sums[t[i]] += value;
            sums[classes + p[i]] += value;
            if (t[i] == p[i]) sums[2 * classes + t[i]] += value;
        }
    }
    return WF_OK;
}
