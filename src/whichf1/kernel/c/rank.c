/* GROUP BY score: positives and negatives are sorted apart, by a radix sort of order-preserving
 * keys, and merged into one line for each distinct score. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, SHORT = 32, SMALL = 4096, RELEASE = 1 << 20 };

typedef struct {
    uint64_t key;
    double weight;
} item;

/* Keys ascend as scores descend; −0.0 has the key of 0.0. */
static uint64_t key_of(double score)
{
    uint64_t bits;
    score += 0.0;
    memcpy(&bits, &score, 8);
    return bits >> 63 ? bits : ~(bits | (uint64_t)1 << 63);
}

static double score_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key : ~key & ~((uint64_t)1 << 63);
    double score;
    memcpy(&score, &bits, 8);
    return score;
}

/* A stable sort of items by key; the scratch has the same length, the result is in items.
 *
 * The 32 or 33 leading bits in which the keys differ at all are sorted, digit by digit from the
 * last; what they leave equal is nearly always a tie or a short run, and sorted by itself. */
#define SORT(NAME, T, KEY)                                                                         \
    static wf_status NAME(T *items, T *scratch, size_t n)                                          \
    {                                                                                              \
        uint64_t low = UINT64_MAX, high = 0;                                                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            low = KEY(items[i]) < low ? KEY(items[i]) : low;                                       \
            high = KEY(items[i]) > high ? KEY(items[i]) : high;                                    \
        }                                                                                          \
        if (n < 2 || low == high) return WF_OK;                                                    \
        if (n <= SHORT) {                                                                          \
            for (size_t i = 1; i < n; i++) {                                                       \
                T one = items[i];                                                                  \
                size_t j = i;                                                                      \
                for (; j && KEY(items[j - 1]) > KEY(one); j--) items[j] = items[j - 1];            \
                items[j] = one;                                                                    \
            }                                                                                      \
            return WF_OK;                                                                          \
        }                                                                                          \
        unsigned width = n < SMALL ? 8 : 11, digits = n < SMALL ? 4 : 3, size = 1u << width;       \
        unsigned rest = 64 - width * digits, shift = 0;                                            \
        while (!((high - low) << shift >> 63)) shift++;                                            \
        size_t *counts = calloc((size_t)digits * size, sizeof *counts);                            \
        if (!counts) return WF_NO_MEMORY;                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            uint64_t top = (KEY(items[i]) - low) << shift >> rest;                                 \
            for (unsigned d = 0; d < digits; d++) counts[d * size + (top >> d * width & (size - 1))]++; \
        }                                                                                          \
        T *from = items, *to = scratch;                                                            \
        for (unsigned d = 0; d < digits; d++) {                                                    \
            size_t *count = counts + d * size, place = 0;                                          \
            for (unsigned j = 0; j < size; j++) {                                                  \
                size_t here = count[j];                                                            \
                count[j] = place;                                                                  \
                place += here;                                                                     \
            }                                                                                      \
            for (size_t i = 0; i < n; i++) {                                                       \
                uint64_t top = (KEY(from[i]) - low) << shift >> rest;                              \
                to[count[top >> d * width & (size - 1)]++] = from[i];                              \
            }                                                                                      \
            T *other = from;                                                                       \
            from = to;                                                                             \
            to = other;                                                                            \
        }                                                                                          \
        free(counts);                                                                              \
        if (from != items) memcpy(items, from, n * sizeof *items);                                 \
        for (size_t i = 0, j; i < n; i = j) {                                                      \
            uint64_t top = (KEY(items[i]) - low) << shift >> rest;                                 \
            for (j = i + 1; j < n && (KEY(items[j]) - low) << shift >> rest == top;) j++;          \
            if (j - i > 1 && shift < rest) {                                                       \
                wf_status status = NAME(items + i, scratch + i, j - i);                            \
                if (status) return status;                                                         \
            }                                                                                      \
        }                                                                                          \
        return WF_OK;                                                                              \
    }

#define PLAIN(x) (x)
#define KEY_IN(x) ((x).key)
SORT(sort_keys, uint64_t, PLAIN)
SORT(sort_items, item, KEY_IN)

typedef struct {
    void *items, *scratch;
    size_t n;
    int weighted;
    wf_status status;
} side;

static void sort_side(void *context, int index)
{
    side *own = (side *)context + index;
    if (own->weighted) {
        own->status = sort_items(own->items, own->scratch, own->n);
    } else {
        own->status = sort_keys(own->items, own->scratch, own->n);
    }
}

static void sort_both(void *context, int index)
{
    (void)index;
    sort_side(context, 0);
    sort_side(context, 1);
}

/* Keys to the side that they belong to: written to both, kept on one. Each side has room for one
 * more than it holds. */
#define SPLIT(NAME, T, MADE)                                                                       \
    static void NAME(const double *block, const unsigned char *label, const double *weight,        \
                     size_t count, side sides[2], size_t used[2])                                  \
    {                                                                                              \
        T *positives = sides[0].items, *negatives = sides[1].items;                                \
        size_t p = used[0], n = used[1];                                                           \
        (void)weight;                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            T made = MADE;                                                                         \
            positives[p] = made;                                                                   \
            negatives[n] = made;                                                                   \
            p += label[i] != 0;                                                                    \
            n += label[i] == 0;                                                                    \
        }                                                                                          \
        used[0] = p;                                                                               \
        used[1] = n;                                                                               \
    }
SPLIT(split_keys, uint64_t, key_of(block[i]))
SPLIT(split_items, item, ((item){key_of(block[i]), weight[i]}))

static wf_status split(const wf_column *scores, const wf_column *positive, const double *weights,
                       size_t n, side sides[2])
{
    double block[BLOCK];
    unsigned char label[BLOCK];
    size_t used[2] = {0, 0};
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t count = n - start < BLOCK ? n - start : BLOCK;
        int nan = 0;
        wf_gather_double(scores, start, count, block);
        wf_gather(positive, start, count, 1, label);
        for (size_t i = 0; i < count; i++) nan |= block[i] != block[i];
        if (nan) return WF_NAN;
        if (weights) split_items(block, label, weights + start, count, sides, used);
        else split_keys(block, label, NULL, count, sides, used);
    }
    return WF_OK;
}

/* Without branches on the data: which side comes next cannot be foreseen. */
#define MERGE(NAME, T)                                                                             \
    static size_t NAME(const side sides[2], wf_ranking *out)                                       \
    {                                                                                              \
        const uint64_t *a = sides[0].items, *b = sides[1].items;                                   \
        size_t i = 0, j = 0, n = sides[0].n, m = sides[1].n, distinct = 0;                         \
        uint64_t last = 0;                                                                         \
        T *positives = out->positives, *negatives = out->negatives, pos = 0, neg = 0;              \
        for (size_t pause = RELEASE; i < n || j < m; pause += RELEASE) {                           \
            for (; (i < n || j < m) && i + j < pause;) {                                           \
                int both = i < n && j < m;                                                         \
                int from_a = both ? a[i] <= b[j] : i < n, from_b = both ? b[j] <= a[i] : j < m;    \
                uint64_t key = from_a ? a[i] : b[j];                                               \
                int fresh = key != last || !distinct;                                              \
                pos = (T)((fresh ? 0 : pos) + from_a);                                             \
                neg = (T)((fresh ? 0 : neg) + from_b);                                             \
                distinct += (size_t)fresh;                                                         \
                out->score[distinct - 1] = score_of(key);                                          \
                positives[distinct - 1] = pos;                                                     \
                negatives[distinct - 1] = neg;                                                     \
                i += (size_t)from_a;                                                               \
                j += (size_t)from_b;                                                               \
                last = key;                                                                        \
            }                                                                                      \
            wf_release(a, a + i); /* keys that were read make room for what is written */          \
            wf_release(b, b + j);                                                                  \
        }                                                                                          \
        return distinct;                                                                           \
    }
MERGE(merge_counts, int32_t)
MERGE(merge_large_counts, int64_t)

static size_t merge_weights(const side sides[2], wf_ranking *out)
{
    const item *a = sides[0].items, *b = sides[1].items;
    size_t i = 0, j = 0, n = sides[0].n, m = sides[1].n, distinct = 0;
    for (; i < n || j < m; distinct++) {
        uint64_t key = j == m || (i < n && a[i].key <= b[j].key) ? a[i].key : b[j].key;
        double pos = 0, neg = 0;
        for (; i < n && a[i].key == key; i++) pos += a[i].weight;
        for (; j < m && b[j].key == key; j++) neg += b[j].weight;
        out->score[distinct] = score_of(key);
        ((double *)out->positives)[distinct] = pos;
        ((double *)out->negatives)[distinct] = neg;
    }
    return distinct;
}

wf_status wf_rank(const wf_column *scores, const wf_column *positive, const double *weights,
                  size_t n, int threads, wf_ranking *out)
{
    size_t size = weights ? sizeof(item) : sizeof(uint64_t), positives = 0;
    const unsigned char *label = positive->data;
    for (size_t i = 0; i < n; i++, label += positive->stride) positives += *label != 0;
    /* keys are sorted in the room for the scores, which come last; weighted ones are too wide */
    char *memory = wf_allocate((weights ? 2 : 1) * (n + 2) * size);
    if (!memory) return WF_NO_MEMORY;
    char *negatives = memory + (positives + 1) * size;
    char *other = weights ? memory + (n + 2) * size : (char *)out->score;
    side sides[2] = {
        {memory, other, positives, weights != NULL, WF_OK},
        {negatives, other + positives * size, n - positives, weights != NULL, WF_OK},
    };
    wf_status status = split(scores, positive, weights, n, sides);
    if (!status) {
        if (threads > 1 && n > SMALL * 4) wf_parallel(2, sort_side, sides);
        else wf_parallel(1, sort_both, sides);
        status = sides[0].status ? sides[0].status : sides[1].status;
    }
    if (!status) out->distinct = (weights         ? merge_weights
                                 : n < INT32_MAX ? merge_counts
                                                 : merge_large_counts)(sides, out);
    free(memory);
    return status;
}
