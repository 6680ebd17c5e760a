/* Counts over a window of 2^bits labels, which grows as labels appear.
 *
 * A block of items becomes small keys in a vectorised loop, which also finds out whether a label is
 * outside the window. If so, the window is widened and the block is read again.
 */
#include "count.h"

#include <stdlib.h>
#include <string.h>

static uint64_t lowest(const worker *w)
{
    return w->sign && w->width < 8 ? ((uint64_t)1 << 63) - ((uint64_t)1 << (8 * w->width - 1)) : 0;
}

static uint64_t highest(const worker *w)
{
    return w->width < 8 ? lowest(w) + (((uint64_t)1 << 8 * w->width) - 1) : UINT64_MAX;
}

/* Blocks → keys ------------------------------------------------------------------------------- */

#define LABEL uint8_t
#define SIGNED_LABEL int8_t
#include "labels.inc"
#define LABEL uint16_t
#define SIGNED_LABEL int16_t
#include "labels.inc"
#define LABEL uint32_t
#define SIGNED_LABEL int32_t
#include "labels.inc"
#define LABEL uint64_t
#define SIGNED_LABEL int64_t
#include "labels.inc"

/* Keys of a block; anything but 0 means that a label is outside the window. */
static uint64_t stage(worker *w, const void *t, const void *p, size_t n)
{
    switch (w->width) {
    case 1: return stage_uint8_t_block(w, t, p, n);
    case 2: return stage_uint16_t_block(w, t, p, n);
    case 4: return stage_uint32_t_block(w, t, p, n);
    default: return stage_uint64_t_block(w, t, p, n);
    }
}

/* Keys → counts ------------------------------------------------------------------------------- */

/* Ask for eight labels of each column that are soon needed: stripes are too many streams for the
 * processor to guess. */
static inline void fetch(columns_ahead next, size_t i)
{
    PREFETCH(next.true_ + i * next.width);
    PREFETCH(next.predicted + i * next.width);
}

#define KEY uint8_t
#include "count_keys.inc"
#define KEY uint16_t
#include "count_keys.inc"
#define KEY uint32_t
#include "count_keys.inc"

/* One-byte keys are counted in groups, four of two classes or two of more: less work, and equal
 * neighbours are rarer. A group is a number that has the bits of its keys, the first ones lowest; for
 * more than eight classes, whose tables must fit in the caches, it has digits to the base of the span
 * of labels that occur. */
enum { DIGITS = 4, FIRST_SPAN = 9 }; /* bits of labels whose groups have digits; the first span */

static unsigned keys_in_group(const worker *w) { return w->bits == 1 ? 4 : 2; }

static size_t groups_of(const worker *w)
{
    size_t squared = (size_t)w->span * w->span;
    return w->bits == DIGITS ? squared * squared : (size_t)1 << 2 * w->bits * keys_in_group(w);
}

/* Keys of so many bits. */
static inline void group(const uint8_t *key, size_t n, unsigned bits, uint32_t *groups,
                         columns_ahead next)
{
    const uint64_t even = 0x00ff00ff00ff00ff;
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t pairs;
        fetch(next, i);
        memcpy(&pairs, key + i, 8);
        if (bits < 8) pairs = (pairs & even) | (pairs & ~even) >> (8 - bits);
        if (bits > 2) {
            groups[pairs & 0xffff]++;
            groups[pairs >> 16 & 0xffff]++;
            groups[pairs >> 32 & 0xffff]++;
            groups[pairs >> 48]++;
        } else {
            pairs |= pairs >> 12;
            groups[pairs & 0xff]++;
            groups[pairs >> 32 & 0xff]++;
        }
    }
}

/* Pairs of keys as numbers below span⁴. Returns 0 unless a label is not among the first ones. */
VECTORISED static int pair_up(const uint8_t *key, size_t n, unsigned span, uint16_t *pairs)
{
    const uint16_t digits = 0x0f0f, over = 0x8080;
    uint16_t outside = 0, limit = (uint16_t)((0x80 - span) * 0x0101);
    uint16_t one = (uint16_t)span, squared = (uint16_t)(span * span);
    for (size_t i = 0; i < n / 2; i++) {
        uint16_t two;
        memcpy(&two, key + 2 * i, 2);
        uint16_t p = two & digits, t = (uint16_t)(two >> 4) & digits;
        outside |= (uint16_t)((p + limit) | (t + limit));
        uint16_t cells = (uint16_t)(p + t * one);
        pairs[i] = (uint16_t)((cells & 0xff) + (cells >> 8) * squared);
    }
    return (outside & over) != 0;
}

static void count_pairs(const uint16_t *pairs, size_t n, uint32_t *groups, columns_ahead next)
{
    for (size_t i = 0; i + 4 <= n; i += 4) {
        fetch(next, 2 * i);
        groups[pairs[i]]++;
        groups[pairs[i + 1]]++;
        groups[pairs[i + 2]]++;
        groups[pairs[i + 3]]++;
    }
}

/* Make groups if they are worth it; NULL will do. Words must have been allocated. */
static void start_groups(worker *w)
{
    unsigned most = w->width == 1 ? 16 : MOST_SPAN;
    int few = w->bits && (w->bits < DIGITS || (w->bits == DIGITS && w->span <= most));
    int groups = few && (w->stop - w->start) / GROUPS_FROM >= groups_of(w);
    w->groups = groups ? calloc(groups_of(w), sizeof *w->groups) : NULL;
}

/* Make room for all labels of the keys. */
static void widen_groups(worker *w, const uint8_t *key, size_t n)
{
    wf_part_groups(w);
    free(w->groups);
    for (size_t i = 0; i < n; i++) {
        unsigned t = key[i] >> 4, p = key[i] & 15;
        if (t >= w->span) w->span = t + 1;
        if (p >= w->span) w->span = p + 1;
    }
    start_groups(w);
}

/* Returns how many keys were counted: all but the last few, or none. */
static size_t count_groups(worker *w, const uint8_t *key, size_t n, columns_ahead next)
{
    uint16_t pairs[BLOCK / 2];
    n = n / 8 * 8;
    switch (w->bits) {
    case 1: group(key, n, 2, w->groups, next); return n;
    case 2: group(key, n, 4, w->groups, next); return n;
    case 3: group(key, n, 6, w->groups, next); return n;
    default:
        while (w->groups && pair_up(key, n, w->span, pairs)) widen_groups(w, key, n);
        if (!w->groups) return 0;
        count_pairs(pairs, n / 2, w->groups, next);
        return n;
    }
}

/* Add up pairs by their first and by their second key. */
VECTORISED static void part_pairs(const uint32_t *groups, size_t keys, uint32_t *sums)
{
    for (size_t second = 0; second < keys; second++) {
        const uint32_t *row = groups + second * keys;
        uint32_t total = 0;
        for (size_t first = 0; first < keys; first++) {
            total += row[first];
            sums[first] += row[first];
        }
        sums[second] += total;
    }
}

void wf_part_groups(worker *w)
{
    size_t groups = w->groups ? groups_of(w) : 0, cells = cells_of(w), span = w->span;
    if (groups && w->bits == DIGITS) {
        uint32_t sums[1 << 2 * DIGITS] = {0};
        part_pairs(w->groups, span * span, sums);
        for (size_t at = 0; at < span * span; at++)
            w->words[at / span << DIGITS | at % span] += sums[at];
        memset(w->groups, 0, groups * sizeof *w->groups);
        return;
    }
    for (size_t at = 0; at < groups; at++) {
        uint32_t count = w->groups[at];
        if (!count) continue;
        for (size_t keys = at, i = 0; i < keys_in_group(w); i++, keys >>= 2 * w->bits)
            w->words[keys & (cells - 1)] += count;
        w->groups[at] = 0;
    }
}

static void count_keys(worker *w, size_t n, const double *weights, columns_ahead next)
{
    size_t cells = cells_of(w), lanes = w->lane_count;
    const uint8_t *bytes = (uint8_t *)w->blocks->keys;
    size_t grouped = w->groups ? count_groups(w, bytes, n, next) : 0;
    if (w->bits <= 4)
        count_words_uint8_t(bytes + grouped, n - grouped, w->words, cells, lanes, next);
    else if (w->words)
        count_words_uint16_t((uint16_t *)w->blocks->keys, n, w->words, cells, lanes, next);
    else if (w->bits <= 8)
        count_bytes_uint16_t((uint16_t *)w->blocks->keys, n, w->bytes, w->totals);
    else count_bytes_uint32_t(w->blocks->keys, n, w->bytes, w->totals);
    if (!weights) return;
    for (size_t i = 0; i < n; i++) {
        size_t key = w->bits <= 4   ? ((uint8_t *)w->blocks->keys)[i]
                     : w->bits <= 8 ? ((uint16_t *)w->blocks->keys)[i]
                                    : w->blocks->keys[i];
        w->sums[key] += weights[i]; /* in the order of the items, as NumPy adds */
    }
}

/* The dense table ----------------------------------------------------------------------------- */

uint64_t wf_cell(const worker *w, size_t at)
{
    uint64_t total = w->totals ? w->totals[at] : 0;
    if (w->bytes) return total + w->bytes[at];
    for (size_t lane = 0; lane < w->lane_count; lane++) total += w->words[lane * cells_of(w) + at];
    return total;
}

wf_status wf_flush(worker *w)
{
    size_t cells = cells_of(w);
    wf_part_groups(w);
    if (!w->totals && !(w->totals = calloc(cells, sizeof *w->totals))) return WF_NO_MEMORY;
    for (size_t at = 0; w->bytes && at < cells; at++) w->totals[at] += w->bytes[at];
    for (size_t lane = 0; lane < w->lane_count; lane++)
        for (size_t at = 0; at < cells; at++) w->totals[at] += w->words[lane * cells + at];
    if (w->bytes) memset(w->bytes, 0, cells);
    else memset(w->words, 0, w->lane_count * cells * sizeof *w->words);
    w->pending = 0;
    return WF_OK;
}

void wf_free_dense(worker *w)
{
    free(w->words);
    free(w->groups);
    free(w->bytes);
    free(w->totals);
    free(w->sums);
    w->words = NULL;
    w->groups = NULL;
    w->bytes = NULL;
    w->totals = NULL;
    w->sums = NULL;
}

static int allocate_table(worker *w, int with_totals)
{
    size_t cells = cells_of(w);
    int words = w->bits <= WORD_BITS;
    /* in a few cells, most neighbours are equal */
    int few = w->stop - w->start <= LANES_FROM && w->bits > 2;
    w->lane_count = !words ? 0 : few ? 1 : w->bits <= 5 ? 4 : 2;
    w->words = words ? calloc(w->lane_count * cells, sizeof *w->words) : NULL;
    start_groups(w);
    w->bytes = words ? NULL : calloc(cells, 1);
    w->totals = with_totals || !words ? calloc(cells, sizeof *w->totals) : NULL;
    w->sums = w->weights ? calloc(cells, sizeof *w->sums) : NULL;
    w->pending = 0;
    return counting(w) && (w->totals || (words && !with_totals)) && (w->sums || !w->weights);
}

wf_status wf_rewindow(worker *w, uint64_t low, unsigned bits)
{
    worker old = {.bits = w->bits,
                  .low = w->low,
                  .words = w->words,
                  .groups = w->groups,
                  .span = w->span,
                  .bytes = w->bytes,
                  .totals = w->totals,
                  .sums = w->sums,
                  .lane_count = w->lane_count};
    w->bits = bits;
    w->low = low;
    w->span = FIRST_SPAN;
    int ok = allocate_table(w, counting(&old));
    if (ok && counting(&old)) {
        uint64_t shift = old.low - low; /* modulo 2^64: the old window may start lower */
        for (size_t at = 0; at < cells_of(&old); at++) {
            uint64_t count = wf_cell(&old, at);
            if (!count) continue;
            uint64_t t = (at >> old.bits) + shift, p = (at & (((size_t)1 << old.bits) - 1)) + shift;
            w->totals[t << bits | p] = count;
            if (w->sums) w->sums[t << bits | p] = old.sums[at];
        }
    }
    wf_free_dense(&old);
    return ok ? WF_OK : WF_NO_MEMORY;
}

int wf_range_of_cells(const worker *w, uint64_t *low, uint64_t *high)
{
    int any = 0;
    for (size_t at = 0; counting(w) && at < cells_of(w); at++) {
        if (!wf_cell(w, at)) continue;
        uint64_t pair[2] = {w->low + (at >> w->bits), w->low + (at & (((size_t)1 << w->bits) - 1))};
        for (int i = 0; i < 2; i++) {
            if (!any || pair[i] < *low) *low = pair[i];
            if (!any || pair[i] > *high) *high = pair[i];
            any = 1;
        }
    }
    return any;
}

unsigned wf_bits_for(uint64_t low, uint64_t high)
{
    unsigned bits = 0;
    while (bits < 64 && (high - low) >> bits) bits++;
    return bits;
}

/* Widening ------------------------------------------------------------------------------------ */

static void range_of_block(const worker *w, const void *items, size_t n, uint64_t *low,
                           uint64_t *high)
{
    switch (w->width | w->sign << 4) {
    case 1: range_uint8_t_items(items, n, low, high); return;
    case 2: range_uint16_t_items(items, n, low, high); return;
    case 4: range_uint32_t_items(items, n, low, high); return;
    case 8: range_uint64_t_items(items, n, low, high); return;
    case 17: range_int8_t_items(items, n, low, high); return;
    case 18: range_int16_t_items(items, n, low, high); return;
    case 20: range_int32_t_items(items, n, low, high); return;
    default: range_int64_t_items(items, n, low, high);
    }
}

/* Where the first window starts: at 0 if possible, since most labels start there and the windows of
 * all threads then agree; else with room on either side for the labels of later blocks. */
static uint64_t first_low(const worker *w, uint64_t low, uint64_t high, uint64_t rest)
{
    uint64_t zero = ordered(0, w->sign), room = (rest - (high - low)) / 2;
    if (low >= zero && high - zero <= rest) return zero;
    return low - lowest(w) < room ? lowest(w) : low - room;
}

/* A window that holds all labels so far and those of this block. It is at least twice as wide, since
 * more new labels may follow. */
static wf_status widen(worker *w, const void *t, const void *p, size_t n)
{
    uint64_t low = UINT64_MAX, high = 0, block_low, block_high;
    wf_part_groups(w);
    range_of_block(w, t, n, &low, &high);
    range_of_block(w, p, n, &low, &high);
    block_low = low;
    block_high = high;
    int downwards = 0;
    if (w->started && wf_range_of_cells(w, &low, &high)) {
        downwards = block_low < low;
        if (block_low < low) low = block_low;
        if (block_high > high) high = block_high;
    }
    unsigned bits = wf_bits_for(low, high), most = w->most_bits;
    if (bits > most) return WF_WIDE;
    if (w->started && bits <= w->bits && w->bits < most) bits = w->bits + 1;
    uint64_t rest = ((uint64_t)1 << bits) - 1;
    if (!w->started) low = first_low(w, low, high, rest);
    if (downwards) low = high - lowest(w) < rest ? lowest(w) : high - rest;
    else if (highest(w) - low < rest) low = highest(w) - rest;
    w->started = 1;
    return wf_rewindow(w, low, bits);
}

wf_status wf_count_block(worker *w, const void *t, const void *p, size_t n, const double *weights,
                         columns_ahead next)
{
    while (!w->started || stage(w, t, p, n)) {
        wf_status status = widen(w, t, p, n);
        if (status) return status;
    }
    if (w->words && w->pending + n > w->flush) {
        wf_status status = wf_flush(w);
        if (status) return status;
    }
    w->pending += n;
    count_keys(w, n, weights, next);
    return WF_OK;
}
