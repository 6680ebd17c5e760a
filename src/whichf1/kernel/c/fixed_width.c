/* Codes of fixed-width strings (NumPy's): one pass with a hash table, no sorting. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static uint64_t hash(const unsigned char *at, size_t width)
{
    uint64_t h = width, word;
    for (; width >= 8; at += 8, width -= 8) {
        memcpy(&word, at, 8);
        h = mix(h ^ word) + 0x9e3779b97f4a7c15u;
    }
    word = 0;
    memcpy(&word, at, width);
    return mix(h ^ word);
}

typedef struct {
    int32_t *slots;   /* a code, or -1 */
    uint64_t *hashes; /* of each code */
    size_t mask, capacity;
} table;

static int grow(table *t, int64_t **first, size_t distinct)
{
    size_t slots = (t->mask + 1) * 4;
    int32_t *fresh = malloc(slots * sizeof *fresh);
    int64_t *positions = realloc(*first, slots / 2 * sizeof *positions);
    if (positions) *first = positions;
    uint64_t *hashes = realloc(t->hashes, slots / 2 * sizeof *hashes);
    if (hashes) t->hashes = hashes;
    if (!fresh || !positions || !hashes) {
        free(fresh);
        return 0;
    }
    memset(fresh, 0xff, slots * sizeof *fresh);
    for (size_t code = 0; code < distinct; code++) {
        size_t at = hashes[code] & (slots - 1);
        while (fresh[at] >= 0) at = (at + 1) & (slots - 1);
        fresh[at] = (int32_t)code;
    }
    free(t->slots);
    t->slots = fresh;
    t->mask = slots - 1;
    t->capacity = slots / 2;
    return 1;
}

wf_status wf_encode(const wf_column *items, size_t n, int32_t *codes, int64_t **first,
                    size_t *distinct)
{
    table t = {NULL, NULL, 255, 0};
    size_t width = (size_t)items->width, count = 0;
    const unsigned char *at = items->data;
    *first = NULL;
    int ok = grow(&t, first, 0);
    for (size_t i = 0; ok && i < n; i++, at += items->stride) {
        uint64_t h = hash(at, width);
        size_t slot = h & t.mask;
        int32_t code;
        while ((code = t.slots[slot]) >= 0) {
            const unsigned char *known = items->data + (ptrdiff_t)(*first)[code] * items->stride;
            if (t.hashes[code] == h && memcmp(known, at, width) == 0) break;
            slot = (slot + 1) & t.mask;
        }
        if (code < 0) {
            code = (int32_t)count++;
            t.slots[slot] = code;
            t.hashes[code] = h;
            (*first)[code] = (int64_t)i;
            if (count == t.capacity) ok = count < INT32_MAX / 4 && grow(&t, first, count);
        }
        codes[i] = code;
    }
    free(t.slots);
    free(t.hashes);
    if (!ok) {
        free(*first);
        *first = NULL;
    }
    *distinct = count;
    return ok ? WF_OK : WF_NO_MEMORY;
}
