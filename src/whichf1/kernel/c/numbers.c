/* Labels → 0, 1, 2, … in their order, for labels that are too far apart for a dense table.
 *
 * Labels that lie close enough are marked in a bitmap, and the number of a label is how many are
 * marked before it. Others are collected in a hash table, then put in order. Each thread collects
 * the labels of its own items.
 */
#include "count.h"

#include <stdlib.h>
#include <string.h>

/* Labels in the range of a bitmap for each item: it takes at most four bytes an item. */
enum { SPARSE = 32 };

static unsigned ones(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (unsigned)(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* The hash table ------------------------------------------------------------------------------ */

static label_slot *find(const numbers *x, uint64_t label)
{
    uint64_t h = label * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
    size_t at = (h * 0xd6e8feb86659fd93u >> 32) & x->mask;
    while (x->slots[at].number && x->slots[at].label != label) at = (at + 1) & x->mask;
    return &x->slots[at];
}

static wf_status grow(numbers *x)
{
    numbers wider = {.mask = x->slots ? 4 * (x->mask + 1) - 1 : 1023};
    wider.slots = calloc(wider.mask + 1, sizeof *wider.slots);
    if (!wider.slots) return WF_NO_MEMORY;
    for (size_t at = 0; x->slots && at <= x->mask; at++)
        if (x->slots[at].number) *find(&wider, x->slots[at].label) = x->slots[at];
    free(x->slots);
    x->slots = wider.slots;
    x->mask = wider.mask;
    return WF_OK;
}

static wf_status add(numbers *x, uint64_t label)
{
    label_slot *slot = find(x, label);
    if (slot->number) return WF_OK;
    if (2 * x->classes > x->mask) {
        if (x->classes >= UINT32_MAX / 4 || grow(x)) return WF_NO_MEMORY;
        slot = find(x, label);
    }
    *slot = (label_slot){label, 1};
    x->classes++;
    return WF_OK;
}

/* Collecting ---------------------------------------------------------------------------------- */

typedef struct {
    const wf_column *sides[2];
    size_t start, stop;
    uint64_t low, high; /* of this part, then of all */
    numbers own;
    wf_status status;
} collector;

static size_t next_block(const collector *c, const wf_column *side, size_t at, uint64_t *block)
{
    size_t n = c->stop - at < BLOCK ? c->stop - at : BLOCK;
    wf_gather(side, at, n, 8, block);
    for (size_t i = 0; i < n; i++) block[i] = ordered(block[i], c->own.sign);
    return n;
}

static void find_range(void *context, int index)
{
    collector *c = (collector *)context + index;
    uint64_t block[BLOCK], low = UINT64_MAX, high = 0;
    for (int side = 0; side < 2; side++)
        for (size_t at = c->start, n; at < c->stop; at += n) {
            n = next_block(c, c->sides[side], at, block);
            for (size_t i = 0; i < n; i++) {
                low = block[i] < low ? block[i] : low;
                high = block[i] > high ? block[i] : high;
            }
        }
    c->low = low;
    c->high = high;
}

static void collect(void *context, int index)
{
    collector *c = (collector *)context + index;
    uint64_t block[BLOCK];
    numbers *own = &c->own;
    if (own->words) own->marks = calloc(own->words, sizeof *own->marks);
    c->status = own->words ? (own->marks ? WF_OK : WF_NO_MEMORY) : grow(own);
    for (int side = 0; side < 2; side++)
        for (size_t at = c->start, n; !c->status && at < c->stop; at += n) {
            n = next_block(c, c->sides[side], at, block);
            for (size_t i = 0; own->words && i < n; i++) {
                uint64_t place = block[i] - own->low;
                if (place >> 6 < own->words) own->marks[place >> 6] |= (uint64_t)1 << (place & 63);
            }
            for (size_t i = 0; !own->words && !c->status && i < n; i++)
                c->status = add(own, block[i]);
        }
}

static wf_status join(numbers *into, const numbers *from)
{
    wf_status status = WF_OK;
    for (size_t at = 0; at < into->words; at++) into->marks[at] |= from->marks[at];
    for (size_t at = 0; !status && from->slots && at <= from->mask; at++)
        if (from->slots[at].number) status = add(into, from->slots[at].label);
    return status;
}

/* Ordering ------------------------------------------------------------------------------------ */

static wf_status number_marks(numbers *x)
{
    x->before = malloc(x->words * sizeof *x->before);
    if (!x->before) return WF_NO_MEMORY;
    for (size_t at = 0; at < x->words; at++) {
        if (x->classes > UINT32_MAX - 64) return WF_NO_MEMORY;
        x->before[at] = (uint32_t)x->classes;
        x->classes += ones(x->marks[at]);
    }
    x->values = malloc(x->classes * sizeof *x->values);
    if (!x->values) return WF_NO_MEMORY;
    uint64_t *value = x->values;
    for (size_t at = 0; at < x->words; at++)
        for (uint64_t rest = x->marks[at]; rest; rest &= rest - 1)
            *value++ = x->low + (at << 6 | ones((rest & -rest) - 1));
    return WF_OK;
}

static wf_status number_slots(numbers *x)
{
    uint64_t *spare = malloc(x->classes * sizeof *spare), *value;
    x->values = value = malloc(x->classes * sizeof *x->values);
    if (!spare || !value) {
        free(spare);
        return WF_NO_MEMORY;
    }
    for (size_t at = 0; at <= x->mask; at++)
        if (x->slots[at].number) *value++ = x->slots[at].label;
    wf_sort_keys((wf_keys){x->values, NULL}, (wf_keys){spare, NULL}, x->classes, 64);
    for (size_t i = 0; i < x->classes; i++) find(x, x->values[i])->number = (uint32_t)i + 1;
    free(spare);
    return WF_OK;
}

wf_status wf_number(const wf_column *true_, const wf_column *predicted, size_t n, int parts,
                    numbers *out)
{
    collector collectors[WF_MOST_THREADS];
    wf_status status = WF_OK;
    uint64_t low = UINT64_MAX, high = 0;
    for (int i = 0; i < parts; i++) {
        size_t each = n / (size_t)parts, start = (size_t)i * each;
        collectors[i] = (collector){.sides = {true_, predicted},
                                    .start = start,
                                    .stop = i + 1 == parts ? n : start + each,
                                    .own = {.sign = true_->sign | predicted->sign}};
    }
    wf_parallel(parts, find_range, collectors);
    for (int i = 0; i < parts; i++) {
        if (collectors[i].low < low) low = collectors[i].low;
        if (collectors[i].high > high) high = collectors[i].high;
    }
    for (int i = 0; i < parts; i++) {
        collectors[i].own.low = low;
        if (high - low < SPARSE * (uint64_t)n)
            collectors[i].own.words = (size_t)((high - low) >> 6) + 1;
    }
    wf_parallel(parts, collect, collectors);
    numbers *all = &collectors[0].own;
    for (int i = 0; i < parts; i++) {
        if (!status) status = collectors[i].status;
        if (!status && i) status = join(all, &collectors[i].own);
        if (i) wf_free_numbers(&collectors[i].own);
    }
    if (!status) status = all->words ? number_marks(all) : number_slots(all);
    if (status) wf_free_numbers(all);
    *out = *all;
    return status;
}

void wf_free_numbers(numbers *x)
{
    free(x->marks);
    free(x->before);
    free(x->slots);
    free(x->values);
    memset(x, 0, sizeof *x);
}

/* A label that was written after its column was read has the number 0: any will do. */
void wf_numbers_of(const numbers *x, const uint64_t *labels, size_t n, uint32_t *out)
{
    for (size_t i = 0; x->words && i < n; i++) {
        uint64_t place = ordered(labels[i], x->sign) - x->low, at = place >> 6;
        uint64_t word = at < x->words ? x->marks[at] : 0, bit = (uint64_t)1 << (place & 63);
        out[i] = word & bit ? x->before[at] + ones(word & (bit - 1)) : 0;
    }
    for (size_t i = 0; !x->words && i < n; i++) {
        uint32_t number = find(x, ordered(labels[i], x->sign))->number;
        out[i] = number ? number - 1 : 0;
    }
}
