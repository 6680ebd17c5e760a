/* GROUP BY the true and the predicted labels of an item, from matrices of 0 and 1.
 *
 * What a label is to an item takes two bits, so that up to 32 labels are one word and items with the
 * same labels have the same words. Kinds of items are found in a hash table, then put in order.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum { IN_WORD = 32, START = 64 };

typedef struct {
    uint64_t *words; /* of all kinds */
    int64_t *count;
    size_t kinds, room, width; /* words of a kind */
    uint32_t *slots;           /* a kind + 1; 0: the slot is free */
    size_t mask;
} table;

/* The labels that an item has, as bits: 01 is in both sets, 10 only predicted, 11 only true. */
static int read_words(const wf_cells *true_, const wf_cells *predicted, size_t item,
                      uint64_t *words)
{
    uint64_t t[IN_WORD], p[IN_WORD], other = 0;
    for (size_t at = 0; at < true_->columns; at += IN_WORD) {
        size_t n = true_->columns - at < IN_WORD ? true_->columns - at : IN_WORD;
        uint64_t word = 0;
        wf_gather_cells(true_, item, at, n, t);
        wf_gather_cells(predicted, item, at, n, p);
        for (size_t j = 0; j < n; j++) {
            other |= t[j] | p[j];
            word = word << 2 | (2 * ((t[j] ^ p[j]) & 1) + (t[j] & 1));
        }
        words[at / IN_WORD] = word << 2 * (IN_WORD - n);
    }
    return other <= 1;
}

static uint64_t mixed(const uint64_t *words, size_t width)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < width; i++) {
        hash ^= words[i];
        hash ^= hash >> 32; /* of few labels only the leading bits are set */
        hash *= 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash ^ hash >> 32;
}

static int grow(table *t)
{
    size_t room = t->room ? 2 * t->room : START;
    if (room > UINT32_MAX / 2) return -1;
    uint64_t *words = realloc(t->words, room * t->width * sizeof *words);
    if (words) t->words = words;
    int64_t *count = words ? realloc(t->count, room * sizeof *count) : NULL;
    if (count) t->count = count;
    uint32_t *slots = count ? calloc(2 * room, sizeof *slots) : NULL;
    if (!slots) return -1;
    free(t->slots);
    t->slots = slots;
    t->room = room;
    t->mask = 2 * room - 1;
    for (size_t kind = 0; kind < t->kinds; kind++) {
        size_t at = mixed(t->words + kind * t->width, t->width) & t->mask;
        while (slots[at]) at = (at + 1) & t->mask;
        slots[at] = (uint32_t)kind + 1;
    }
    return 0;
}

/* Count an item, whose words stand after those of the kinds so far. */
static int add(table *t)
{
    const uint64_t *own = t->words + t->kinds * t->width;
    size_t at = mixed(own, t->width) & t->mask;
    for (; t->slots[at]; at = (at + 1) & t->mask) {
        size_t kind = t->slots[at] - 1;
        if (memcmp(t->words + kind * t->width, own, t->width * sizeof *own)) continue;
        t->count[kind]++;
        return 0;
    }
    t->count[t->kinds] = 1;
    t->slots[at] = (uint32_t)++t->kinds;
    return t->kinds < t->room ? 0 : grow(t);
}

/* Whether kind a comes first: lists of labels in order, each in both sets, predicted or true. */
static int before(const table *t, size_t a, size_t b)
{
    const uint64_t *x = t->words + a * t->width, *y = t->words + b * t->width;
    size_t i = 0;
    while (i + 1 < t->width && x[i] == y[i]) i++;
    unsigned shift = 62;
    while (shift && (x[i] ^ y[i]) >> shift == 0) shift -= 2;
    uint64_t one = x[i] >> shift & 3, other = y[i] >> shift & 3;
    if (one && other) return one < other;
    /* the list without this label comes first if it ends here */
    const uint64_t *list = one ? y : x;
    uint64_t rest = list[i] & (((uint64_t)1 << shift) - 1);
    while (!rest && ++i < t->width) rest = list[i];
    return one ? rest != 0 : rest == 0;
}

/* A merge sort of the kinds; the scratch has the same length. */
static void sort_kinds(const table *t, uint32_t *kinds, uint32_t *scratch, size_t n)
{
    if (n < 2) return;
    size_t half = n / 2, i = 0, j = half;
    sort_kinds(t, kinds, scratch, half);
    sort_kinds(t, kinds + half, scratch, n - half);
    memcpy(scratch, kinds, n * sizeof *kinds);
    for (size_t to = 0; to < n; to++) {
        int second = i == half || (j < n && before(t, scratch[j], scratch[i]));
        kinds[to] = second ? scratch[j++] : scratch[i++];
    }
}

static size_t lines_of(const table *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->kinds * t->width; i++)
        for (uint64_t word = t->words[i]; word; word <<= 2) lines += word >> 62 != 0;
    return lines;
}

static wf_status write_sets(const table *t, wf_label_sets *out)
{
    uint32_t *order = malloc(2 * t->kinds * sizeof *order);
    out->lines = lines_of(t);
    out->kinds = t->kinds;
    out->item = malloc(3 * out->lines * sizeof *out->item + 1);
    out->count = malloc(t->kinds * sizeof *out->count);
    wf_status status = order && out->item && out->count ? WF_OK : WF_NO_MEMORY;
    if (!status) {
        int64_t *item = out->item, *label = item + out->lines, *outcome = label + out->lines;
        for (size_t i = 0; i < t->kinds; i++) order[i] = (uint32_t)i;
        sort_kinds(t, order, order + t->kinds, t->kinds);
        size_t line = 0;
        for (size_t i = 0; i < t->kinds; i++) {
            out->count[i] = t->count[order[i]];
            for (size_t j = 0; j < t->width; j++) {
                uint64_t word = t->words[order[i] * t->width + j];
                for (size_t at = j * IN_WORD; word; word <<= 2, at++) {
                    if (!(word >> 62)) continue;
                    item[line] = (int64_t)i;
                    label[line] = (int64_t)at;
                    outcome[line++] = (int64_t)(word >> 62) - 1;
                }
            }
        }
    }
    free(order);
    return status;
}

wf_status wf_group_labels(const wf_cells *true_, const wf_cells *predicted, wf_label_sets *out)
{
    table t = {.width = (true_->columns + IN_WORD - 1) / IN_WORD};
    memset(out, 0, sizeof *out);
    wf_status status = grow(&t) < 0 ? WF_NO_MEMORY : WF_OK;
    for (size_t i = 0; i < true_->rows && !status; i++) {
        if (!read_words(true_, predicted, i, t.words + t.kinds * t.width)) status = WF_BAD_CODE;
        else if (add(&t) < 0) status = WF_NO_MEMORY;
    }
    if (!status) status = write_sets(&t, out);
    if (status) wf_label_sets_free(out);
    free(t.words);
    free(t.count);
    free(t.slots);
    return status;
}

wf_status wf_item_labels(const wf_cells *true_, const wf_cells *predicted, double *sums)
{
    uint64_t t[IN_WORD], p[IN_WORD], other = 0;
    double *fp = sums + true_->rows, *fn = fp + true_->rows;
    for (size_t i = 0; i < true_->rows; i++) {
        uint64_t both = 0, has = 0, guessed = 0;
        for (size_t at = 0; at < true_->columns; at += IN_WORD) {
            size_t n = true_->columns - at < IN_WORD ? true_->columns - at : IN_WORD;
            wf_gather_cells(true_, i, at, n, t);
            wf_gather_cells(predicted, i, at, n, p);
            for (size_t j = 0; j < n; j++) {
                other |= t[j] | p[j];
                both += t[j] & p[j];
                has += t[j];
                guessed += p[j];
            }
        }
        sums[i] = (double)both;
        fp[i] = (double)(guessed - both);
        fn[i] = (double)(has - both);
    }
    return other <= 1 ? WF_OK : WF_BAD_CODE;
}

wf_status wf_label_flags(const wf_cells *true_, unsigned char *flags)
{
    uint64_t block[IN_WORD], other = 0;
    for (size_t i = 0; i < true_->rows; i++)
        for (size_t at = 0; at < true_->columns; at += IN_WORD) {
            size_t n = true_->columns - at < IN_WORD ? true_->columns - at : IN_WORD;
            wf_gather_cells(true_, i, at, n, block);
            for (size_t j = 0; j < n; j++) {
                other |= block[j];
                *flags++ = (unsigned char)(block[j] & 1);
            }
        }
    return other <= 1 ? WF_OK : WF_BAD_CODE;
}

void wf_label_sets_free(wf_label_sets *sets)
{
    free(sets->item);
    free(sets->count);
    memset(sets, 0, sizeof *sets);
}
