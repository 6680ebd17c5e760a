/* Copies items of any layout to small native blocks; memory in large pages. */
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define PAST_CACHES
#endif

void *wf_allocate(size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const size_t page = (size_t)1 << 21;
    if (size >= 2 * page) {
        void *memory = aligned_alloc(page, (size + page - 1) / page * page);
        if (memory) madvise(memory, size, MADV_HUGEPAGE); /* best effort */
        return memory;
    }
#endif
    return malloc(size);
}

void wf_release(const void *from, const void *to)
{
#if defined(__linux__) && defined(MADV_DONTNEED)
    const uintptr_t page = (uintptr_t)1 << 21;
    uintptr_t first = ((uintptr_t)from + page - 1) / page * page,
              last = (uintptr_t)to / page * page;
    if (last > first) madvise((void *)first, last - first, MADV_DONTNEED);
#else
    (void)from;
    (void)to;
#endif
}

#ifdef PAST_CACHES
void wf_copy_past(double *to, const double *from, size_t n)
{
    size_t i = 0;
    for (; i < n && (uintptr_t)(to + i) % 64; i++) to[i] = from[i];
    for (; i + 8 <= n; i += 8)
        for (size_t j = i; j < i + 8; j += 2) _mm_stream_pd(to + j, _mm_loadu_pd(from + j));
    for (; i < n; i++) to[i] = from[i];
}

void wf_copied(void) { _mm_sfence(); }
#else
void wf_copy_past(double *to, const double *from, size_t n) { memcpy(to, from, n * sizeof *to); }

void wf_copied(void) {}
#endif

static uint64_t load(const unsigned char *at, int width, int sign, int swapped)
{
    unsigned char bytes[8] = {0};
    for (int i = 0; i < width; i++) bytes[i] = at[swapped ? width - 1 - i : i];
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t q;
    switch (width) {
    case 1: memcpy(&b, bytes, 1); return sign ? (uint64_t)(int64_t)(int8_t)b : b;
    case 2: memcpy(&h, bytes, 2); return sign ? (uint64_t)(int64_t)(int16_t)h : h;
    case 4: memcpy(&w, bytes, 4); return sign ? (uint64_t)(int64_t)(int32_t)w : w;
    default: memcpy(&q, bytes, 8); return q;
    }
}

#define GATHER(T)                                                                                  \
    for (size_t i = 0; i < n; i++, at += column->stride) memcpy((T *)block + i, at, sizeof(T))

/* Items without gaps take a loop of their own, which the compiler vectorises. */
#define WIDEN(T)                                                                                   \
    VECTORISED static void widen_##T(const unsigned char *at, ptrdiff_t stride, size_t n,          \
                                     uint64_t *block)                                              \
    {                                                                                              \
        T value;                                                                                   \
        if (stride == sizeof value)                                                                \
            for (size_t i = 0; i < n; i++) {                                                       \
                memcpy(&value, at + i * sizeof value, sizeof value);                               \
                block[i] = (uint64_t)(int64_t)value;                                               \
            }                                                                                      \
        else                                                                                       \
            for (size_t i = 0; i < n; i++, at += stride) {                                         \
                memcpy(&value, at, sizeof value);                                                  \
                block[i] = (uint64_t)(int64_t)value;                                               \
            }                                                                                      \
    }
WIDEN(uint8_t)
WIDEN(int8_t)
WIDEN(uint16_t)
WIDEN(int16_t)
WIDEN(uint32_t)
WIDEN(int32_t)

void wf_gather(const wf_column *column, size_t start, size_t n, int to_width, void *block)
{
    const unsigned char *at = column->data + (ptrdiff_t)start * column->stride;
    if (column->width == to_width && !column->swapped) {
        if (column->stride == to_width) {
            memcpy(block, at, n * (size_t)to_width);
            return;
        }
        switch (to_width) {
        case 1: GATHER(uint8_t); return;
        case 2: GATHER(uint16_t); return;
        case 4: GATHER(uint32_t); return;
        default: GATHER(uint64_t); return;
        }
    }
    if (to_width == 8 && !column->swapped) {
        switch (column->width << 1 | column->sign) {
        case 2: widen_uint8_t(at, column->stride, n, block); return;
        case 3: widen_int8_t(at, column->stride, n, block); return;
        case 4: widen_uint16_t(at, column->stride, n, block); return;
        case 5: widen_int16_t(at, column->stride, n, block); return;
        case 8: widen_uint32_t(at, column->stride, n, block); return;
        case 9: widen_int32_t(at, column->stride, n, block); return;
        default: break;
        }
    }
    for (size_t i = 0; i < n; i++, at += column->stride) {
        uint64_t value = load(at, column->width, column->sign, column->swapped);
        switch (to_width) {
        case 1: ((uint8_t *)block)[i] = (uint8_t)value; break;
        case 2: ((uint16_t *)block)[i] = (uint16_t)value; break;
        case 4: ((uint32_t *)block)[i] = (uint32_t)value; break;
        default: ((uint64_t *)block)[i] = value;
        }
    }
}

static double half(uint16_t bits)
{
    uint64_t sign = (uint64_t)(bits >> 15) << 63, fraction = bits & 1023,
             exponent = bits >> 10 & 31;
    uint64_t wide;
    if (exponent == 0) {
        double value = (double)fraction / 16777216.0; /* subnormal: fraction × 2^−24 */
        return sign ? -value : value;
    }
    wide = sign | (exponent == 31 ? (uint64_t)2047 : exponent + 1008) << 52 | fraction << 42;
    double value;
    memcpy(&value, &wide, 8);
    return value;
}

void wf_gather_double(const wf_column *column, size_t start, size_t n, double *block)
{
    const unsigned char *at = column->data + (ptrdiff_t)start * column->stride;
    if (column->width == 8 && column->stride == 8 && !column->swapped) {
        memcpy(block, at, n * sizeof *block);
        return;
    }
    if (column->width == 8 && !column->swapped) {
        for (size_t i = 0; i < n; i++, at += column->stride) memcpy(block + i, at, 8);
        return;
    }
    if (column->width == 4 && !column->swapped) {
        for (size_t i = 0; i < n; i++, at += column->stride) {
            float value;
            memcpy(&value, at, 4);
            block[i] = value;
        }
        return;
    }
    for (size_t i = 0; i < n; i++, at += column->stride) {
        uint64_t bits = load(at, column->width, 0, column->swapped);
        if (column->width == 4) {
            uint32_t narrow = (uint32_t)bits;
            float value;
            memcpy(&value, &narrow, 4);
            block[i] = value;
        } else if (column->width == 2) {
            block[i] = half((uint16_t)bits);
        } else {
            memcpy(block + i, &bits, 8);
        }
    }
}

const void *wf_in_place(const wf_column *column, int width, size_t start)
{
    const unsigned char *at = column->data + (ptrdiff_t)start * column->stride;
    int plain = column->width == width && column->stride == width && !column->swapped;
    return plain && (uintptr_t)at % (uintptr_t)width == 0 ? at : NULL;
}

const uint64_t *wf_integers(const wf_column *column, size_t start, size_t n, uint64_t *block)
{
    const void *here = wf_in_place(column, 8, start);
    if (here) return here;
    wf_gather(column, start, n, 8, block);
    return block;
}

const double *wf_doubles(const wf_column *column, size_t start, size_t n, double *block)
{
    const void *here = wf_in_place(column, 8, start);
    if (here) return here;
    wf_gather_double(column, start, n, block);
    return block;
}

void wf_gather_cells(const wf_cells *cells, size_t row, size_t start, size_t n, uint64_t *block)
{
    const unsigned char *first = cells->data + (ptrdiff_t)row * cells->row_stride;
    wf_column column = {first, cells->column_stride, cells->width, cells->sign, cells->swapped};
    double values[32];
    if (!cells->floats) {
        wf_gather(&column, start, n, 8, block);
        return;
    }
    for (size_t at = 0; at < n; at += 32) {
        size_t some = n - at < 32 ? n - at : 32;
        wf_gather_double(&column, start + at, some, values);
        for (size_t i = 0; i < some; i++)
            block[at + i] = values[i] == 0 ? 0 : values[i] == 1 ? 1 : 2; /* NaN is 2, too */
    }
}
