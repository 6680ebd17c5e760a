/* Counts of pairs in a hash table, for more classes than a dense table should hold. */
#include "count.h"

#include <stdlib.h>

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

wf_status wf_hash_add(hash_table *h, uint64_t t, uint64_t p, uint64_t count, double sum)
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

wf_status wf_to_hash(worker *w)
{
    wf_status status = grow(&w->hash);
    for (size_t at = 0; !status && counting(w) && at < cells_of(w); at++) {
        uint64_t count = wf_cell(w, at);
        uint64_t t = w->low + (at >> w->bits), p = w->low + (at & (((size_t)1 << w->bits) - 1));
        if (count)
            status = wf_hash_add(&w->hash, ordered(t, w->sign), ordered(p, w->sign), count,
                                 w->sums ? w->sums[at] : 0);
    }
    wf_free_dense(w);
    w->hashed = 1;
    return status;
}

wf_status wf_hash_block(worker *w, const void *t, const void *p, size_t n, const double *weights)
{
    wf_column left = {t, w->width, w->width, w->sign, 0},
              right = {p, w->width, w->width, w->sign, 0};
    wf_status status = WF_OK;
    wf_gather(&left, 0, n, 8, w->blocks->wide[0]);
    wf_gather(&right, 0, n, 8, w->blocks->wide[1]);
    for (size_t i = 0; !status && i < n; i++)
        status = wf_hash_add(&w->hash, w->blocks->wide[0][i], w->blocks->wide[1][i], 1,
                             weights ? weights[i] : 0);
    return status;
}
