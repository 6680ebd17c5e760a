/* Codes of fixed-width items (NumPy strings): one pass and a hash table, nothing is sorted. */
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
    int32_t *slots; /* a code, or -1 */
    uint64_t *hashes; /* of each code */
    size_t mask, capacity;
} table;

static int grow(table *own, int64_t **first, size_t distinct)
{
    size_t slots = (own->mask + 1) * 4;
    int32_t *fresh = malloc(slots * sizeof *fresh);
    int64_t *positions = realloc(*first, slots / 2 * sizeof *positions);
    if (positions) *first = positions;
    uint64_t *hashes = realloc(own->hashes, slots / 2 * sizeof *hashes);
    if (hashes) own->hashes = hashes;
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
    free(own->slots);
    own->slots = fresh;
    own->mask = slots - 1;
    own->capacity = slots / 2;
    return 1;
}

wf_status wf_encode(const wf_column *items, size_t n, int32_t *codes, int64_t **first,
                    size_t *distinct)
{
    table own = {NULL, NULL, 255, 0};
    size_t width = (size_t)items->width, found = 0;
    const unsigned char *at = items->data;
    *first = NULL;
    int fine = grow(&own, first, 0);
    for (size_t i = 0; fine && i < n; i++, at += items->stride) {
        uint64_t h = hash(at, width);
        size_t slot = h & own.mask;
        int32_t code;
        while ((code = own.slots[slot]) >= 0) {
            const unsigned char *known = items->data + (ptrdiff_t)(*first)[code] * items->stride;
            if (own.hashes[code] == h && memcmp(known, at, width) == 0) break;
            slot = (slot + 1) & own.mask;
        }
        if (code < 0) {
            code = (int32_t)found++;
            own.slots[slot] = code;
            own.hashes[code] = h;
            (*first)[code] = (int64_t)i;
            if (found == own.capacity) fine = found < INT32_MAX / 4 && grow(&own, first, found);
        }
        codes[i] = code;
    }
    free(own.slots);
    free(own.hashes);
    if (!fine) {
        free(*first);
        *first = NULL;
    }
    *distinct = found;
    return fine ? WF_OK : WF_NO_MEMORY;
}
