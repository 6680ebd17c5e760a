/* Counts of numbered pairs by sorting, for more classes than a dense table should hold.
 *
 * Each thread sorts its items in chunks, adds up equal pairs, and merges them with those of its
 * former chunks. A chunk is at least as long as what it is merged with, so the time is in
 * proportion to the items, and memory to the cells.
 */
#include "count.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 21, DIGIT = 11 };

/* Least digits first, which keeps equal keys in order. The result is in keys. */
void wf_sort_keys(wf_keys keys, wf_keys spare, size_t n, unsigned bits)
{
    enum { MOST_PASSES = (64 + DIGIT - 1) / DIGIT };
    size_t counts[MOST_PASSES][1 << DIGIT];
    unsigned passes = bits ? (bits + DIGIT - 1) / DIGIT : 1;
    unsigned width = bits ? (bits + passes - 1) / passes : 1;
    uint64_t mask = ((uint64_t)1 << width) - 1;
    memset(counts, 0, passes * sizeof *counts);
    for (size_t i = 0; i < n; i++)
        for (unsigned pass = 0; pass < passes; pass++)
            counts[pass][keys.key[i] >> pass * width & mask]++;
    wf_keys from = keys, to = spare;
    for (unsigned pass = 0; pass < passes; pass++) {
        size_t *places = counts[pass], place = 0,
               first = n ? from.key[0] >> pass * width & mask : 0;
        if (places[first] == n) continue; /* all alike in this digit */
        for (size_t digit = 0; digit <= mask; digit++) {
            size_t here = places[digit];
            places[digit] = place;
            place += here;
        }
        for (size_t i = 0; i < n; i++) {
            size_t at = places[from.key[i] >> pass * width & mask]++;
            to.key[at] = from.key[i];
            if (from.weight) to.weight[at] = from.weight[i];
        }
        wf_keys swapped = from;
        from = to;
        to = swapped;
    }
    if (from.key == keys.key) return;
    memcpy(keys.key, from.key, n * sizeof *keys.key);
    if (from.weight) memcpy(keys.weight, from.weight, n * sizeof *keys.weight);
}

/* Cells with the items in each, or with the sums of their weights. */
static wf_status allocate_run(cell_run *run, size_t most, int weighted)
{
    memset(run, 0, sizeof *run);
    run->key = wf_allocate(most * sizeof *run->key + 1);
    if (weighted) run->sum = wf_allocate(most * sizeof *run->sum + 1);
    else run->count = wf_allocate(most * sizeof *run->count + 1);
    return run->key && (weighted ? !!run->sum : !!run->count) ? WF_OK : WF_NO_MEMORY;
}

void wf_free_run(cell_run *run)
{
    free(run->key);
    free(run->count);
    free(run->sum);
    memset(run, 0, sizeof *run);
}

/* Add sorted items to a run: each of these sums goes on in the order of the items. */
static wf_status add_items(cell_run *run, wf_keys items, size_t n)
{
    cell_run both;
    size_t distinct = n > 0, at = 0;
    for (size_t i = 1; i < n; i++) distinct += items.key[i] != items.key[i - 1];
    wf_status status = allocate_run(&both, run->cells + distinct, items.weight != NULL);
    for (size_t i = 0; !status && (i < n || at < run->cells);) {
        size_t to = both.cells++;
        int known = at < run->cells && (i == n || run->key[at] <= items.key[i]);
        uint64_t key = both.key[to] = known ? run->key[at] : items.key[i];
        if (both.sum) {
            double sum = known ? run->sum[at] : 0;
            for (; i < n && items.key[i] == key; i++) sum += items.weight[i];
            both.sum[to] = sum;
        } else {
            int64_t count = known ? run->count[at] : 0;
            for (; i < n && items.key[i] == key; i++) count++;
            both.count[to] = count;
        }
        at += (size_t)known;
    }
    wf_free_run(run);
    if (status) wf_free_run(&both);
    *run = both;
    return status;
}

wf_status wf_merge_runs(cell_run *into, cell_run *from)
{
    cell_run both;
    size_t a = 0, b = 0;
    wf_status status = allocate_run(&both, into->cells + from->cells, 0);
    while (!status && (a < into->cells || b < from->cells)) {
        int left = b == from->cells || (a < into->cells && into->key[a] <= from->key[b]);
        int right = a == into->cells || (b < from->cells && from->key[b] <= into->key[a]);
        size_t to = both.cells++;
        both.key[to] = left ? into->key[a] : from->key[b];
        both.count[to] = (left ? into->count[a] : 0) + (right ? from->count[b] : 0);
        a += (size_t)left;
        b += (size_t)right;
    }
    wf_free_run(into);
    wf_free_run(from);
    if (status) wf_free_run(&both);
    *into = both;
    return status;
}

static void keys_of_pairs(const worker *w, size_t start, size_t n, uint64_t *keys)
{
    uint64_t *wide = w->blocks->wide;
    uint32_t true_[BLOCK], predicted[BLOCK];
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < BLOCK ? n - at : BLOCK;
        wf_gather(w->true_, start + at, some, 8, wide);
        wf_numbers_of(w->numbers, wide, some, true_);
        wf_gather(w->predicted, start + at, some, 8, wide);
        wf_numbers_of(w->numbers, wide, some, predicted);
        for (size_t i = 0; i < some; i++)
            keys[at + i] = (uint64_t)true_[i] << w->bits | predicted[i];
    }
}

void wf_sort_slice(void *context, int index)
{
    worker *w = (worker *)context + index;
    scratch blocks;
    wf_keys items = {0}, spare = {0};
    size_t room = 0, least = w->flush < CHUNK ? (size_t)w->flush : CHUNK;
    w->blocks = &blocks;
    for (size_t at = w->start, n; !w->status && at < w->stop; at += n) {
        n = w->run.cells > least ? w->run.cells : least;
        if (n > w->stop - at) n = w->stop - at;
        if (n > room) {
            free(items.key);
            free(spare.key);
            room = n;
            items.key = wf_allocate(n * sizeof *items.key);
            spare.key = wf_allocate((w->weights ? 3 : 1) * n * sizeof *spare.key);
            if (!items.key || !spare.key) {
                w->status = WF_NO_MEMORY;
                break;
            }
        }
        keys_of_pairs(w, at, n, items.key);
        if (w->weights) { /* of the same width as keys */
            items.weight = (double *)(void *)(spare.key + n);
            spare.weight = (double *)(void *)(spare.key + 2 * n);
            memcpy(items.weight, w->weights + at, n * sizeof *items.weight);
        }
        wf_sort_keys(items, spare, n, 2 * w->bits);
        w->status = add_items(&w->run, items, n);
    }
    free(items.key);
    free(spare.key);
}
