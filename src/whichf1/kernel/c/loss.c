/* Losses of rows of scores, and the check of the rows, in one pass.
 *
 * Where all columns of a row count, LANES rows are processed side by side, so that wide registers
 * hold a column of several rows; some loops hold several of MANY columns of one row. Losses are summed
 * in chunks of a fixed size, and chunks are added in order, so that the sums do not depend on the
 * number of threads.
 */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024, BLOCK = 768, LANES = 8, MANY = 2 * LANES, OF_SCORES = WF_TOP | WF_HINGE };

typedef struct {
    const wf_column *codes;
    const wf_matrix *p;
    wf_loss_options options;
    int parts;
    size_t chunks;
    wf_losses *by_chunk;
} work;

static int direct(const wf_matrix *m, const unsigned char *row)
{
    return m->width == 8 && !m->swapped && m->column_stride == 8 && (uintptr_t)row % 8 == 0;
}

/* Blocks of rows fit in the first-level cache, unless there are many columns. */
static size_t rows_at_a_time(const wf_matrix *m)
{
    size_t rows = BLOCK / m->columns;
    return rows < LANES ? LANES : rows > CHUNK ? CHUNK : rows;
}

/* Rows as contiguous doubles: in place if possible, else copied to the scratch. */
static const double *rows_of(const wf_matrix *m, size_t start, size_t n, double *scratch)
{
    const unsigned char *row = m->data + (ptrdiff_t)start * m->row_stride;
    if (m->of_second) {
        wf_column second = {m->data, m->row_stride, m->width, 0, m->swapped};
        wf_gather_double(&second, start, n, scratch + n);
        for (size_t i = 0; i < n; i++) { /* the values that are not yet read are never written to */
            double p = scratch[n + i];
            scratch[2 * i] = 1 - p;
            scratch[2 * i + 1] = p;
        }
        return scratch;
    }
    if (m->row_stride == (ptrdiff_t)m->columns * 8 && direct(m, row))
        return (const double *)(const void *)row;
    if (m->row_stride == (ptrdiff_t)m->columns * m->column_stride) {
        wf_column every = {row, m->column_stride, m->width, 0, m->swapped};
        wf_gather_double(&every, 0, n * m->columns, scratch);
        return scratch;
    }
    for (size_t i = 0; i < n; i++, row += m->row_stride) {
        wf_column one = {row, m->column_stride, m->width, 0, m->swapped};
        wf_gather_double(&one, 0, m->columns, scratch + i * m->columns);
    }
    return scratch;
}

static int fair(const double *row, size_t columns, double tolerance)
{
    double sum = 0;
    int outside = 0;
    for (size_t j = 0; j < columns; j++) {
        outside |= (row[j] < 0) | (row[j] > 1);
        sum += row[j];
    }
    return !outside && fabs(sum - 1) <= tolerance; /* false for NaN */
}

/* Whether the masked bits of all values are below a limit. It is the first to read a block, and asks for
 * the next one. */
VECTORISED static int bits_below(const double *values, size_t n, uint64_t mask, uint64_t limit)
{
    uint64_t wrong = 0, bits;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        PREFETCH(values + i + BLOCK);
        for (size_t k = 0; k < LANES; k++) {
            memcpy(&bits, values + i + k, 8);
            wrong |= (bits & mask) >= limit;
        }
    }
    for (; i < n; i++) {
        memcpy(&bits, values + i, 8);
        wrong |= (bits & mask) >= limit;
    }
    return !wrong;
}

/* Whether all values are in [0, 1]; −0 is not, and is left to fair(). */
static int shares(const double *values, size_t n)
{
    const uint64_t one = (uint64_t)1023 << 52;
    return bits_below(values, n, UINT64_MAX, one + 1);
}

static int all_finite(const double *values, size_t n)
{
    const uint64_t infinite = (uint64_t)2047 << 52;
    return bits_below(values, n, infinite, infinite);
}

/* Whether all rows add up to 1. */
VECTORISED static int all_add_up(const double *rows, size_t n, size_t columns, double tolerance)
{
    uint64_t off = 0;
    size_t i = 0;
    for (; columns >= MANY && i < n; i++, rows += columns) { /* one by one */
        double sums[LANES] = {0}, sum = 0;
        size_t j = 0;
        for (; j + LANES <= columns; j += LANES)
            for (size_t k = 0; k < LANES; k++) sums[k] += rows[j + k];
        for (; j < columns; j++) sum += rows[j];
        for (size_t k = 0; k < LANES; k++) sum += sums[k];
        off |= !(fabs(sum - 1) <= tolerance);
    }
    for (; i + LANES <= n; i += LANES, rows += LANES * columns) { /* side by side */
        double sums[LANES] = {0};
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < LANES; k++) sums[k] += rows[k * columns + j];
        for (size_t k = 0; k < LANES; k++) off |= !(fabs(sums[k] - 1) <= tolerance);
    }
    for (; i < n; i++, rows += columns) off |= !fair(rows, columns, tolerance);
    return !off;
}

/* Find the first row that is not a distribution. */
static void check(const work *w, const double *rows, size_t start, size_t n, wf_losses *out)
{
    size_t width = w->p->columns;
    double tolerance = w->options.tolerance;
    if (out->bad_row < w->p->rows ||
        (shares(rows, n * width) && all_add_up(rows, n, width, tolerance)))
        return;
    for (size_t i = 0; i < n; i++) {
        if (fair(rows + i * width, width, tolerance)) continue;
        out->bad_row = start + i;
        return;
    }
}

/* −ln of each value, in place: x = 2^k m with m near 1, and ln m = 2 artanh((m − 1) / (m + 1)), by a
 * Chebyshev fit with an error of at most 5e-18. Returns 0, and leaves garbage, if a value is not a
 * positive normal number. */
VECTORISED static int negative_logarithms(double *x, size_t n)
{
    const uint64_t half_root = 0x3fe6a09e667f3bcd, bias = (uint64_t)1024 << 52; /* √½ */
    const uint64_t least = (uint64_t)1 << 52, most = (uint64_t)2047 << 52;
    const double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
    uint64_t special = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits, exponent, whole;
        double m, k;
        memcpy(&bits, x + i, 8);
        special |= bits - least >= most - least;
        exponent = (bits - half_root + bias) >> 52;
        bits -= (exponent - 1024) << 52;
        whole = exponent | (uint64_t)0x433 << 52; /* 2^52 + exponent */
        memcpy(&m, &bits, 8);
        memcpy(&k, &whole, 8);
        k = (0x1p52 + 1024) - k;
        double s = (1 - m) / (1 + m), z = s * s, fit = 0x1.2b584add1c619p-4;
        fit = fit * z + 0x1.39fe60617ce73p-4;
        fit = fit * z + 0x1.7462b4ab4c062p-4;
        fit = fit * z + 0x1.c71c62e57fa3fp-4;
        fit = fit * z + 0x1.2492492df1492p-3;
        fit = fit * z + 0x1.99999999952e2p-3;
        fit = fit * z + 0x1.5555555555558p-2;
        x[i] = k * ln2_high + (2 * s + (2 * s * (z * fit) + k * ln2_low));
    }
    return !special;
}

/* −ln max(p, floor); 0, subnormal numbers and NaN are left to the library. */
static void log_losses(const double *rows, const uint64_t *codes, size_t n, size_t columns,
                       double floor, double *losses)
{
    for (size_t i = 0; i < n; i++) {
        double p = rows[i * columns + codes[i]];
        losses[i] = p < floor ? floor : p; /* NaN stays */
    }
    if (negative_logarithms(losses, n)) return;
    for (size_t i = 0; i < n; i++) {
        double p = rows[i * columns + codes[i]];
        losses[i] = -log(p < floor ? floor : p);
    }
}

/* Σ and Σ² of a block, in a fixed number and order of lanes. */
VECTORISED static void sum_up(const double *losses, size_t n, double *total, double *squares)
{
    double sums[LANES] = {0}, powers[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            sums[k] += losses[i + k];
            powers[k] += losses[i + k] * losses[i + k];
        }
    for (size_t k = 0; i < n; i++, k++) {
        sums[k] += losses[i];
        powers[k] += losses[i] * losses[i];
    }
    for (size_t k = 0; k < LANES; k++) {
        *total += sums[k];
        *squares += powers[k];
    }
}

/* Losses of a few rows: as many as a loop over columns has lanes, or the last one by one. */
static inline void brier_of(const double *rows, const uint64_t *codes, size_t lanes, size_t columns,
                            double *losses)
{
    const uint64_t one = (uint64_t)1023 << 52;
    double sums[LANES] = {0};
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < lanes; k++) {
            uint64_t bits = codes[k] == j ? one : 0; /* a choice of doubles becomes a branch */
            double right;
            memcpy(&right, &bits, sizeof right);
            double off = rows[k * columns + j] - right;
            sums[k] += off * off;
        }
    for (size_t k = 0; k < lanes; k++) losses[k] = sums[k];
}

VECTORISED static void brier_losses(const double *rows, const uint64_t *codes, size_t n,
                                    size_t columns, double *losses)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        brier_of(rows + i * columns, codes + i, LANES, columns, losses + i);
    for (; i < n; i++) brier_of(rows + i * columns, codes + i, 1, columns, losses + i);
}

/* max(0, 1 − the score of the true class + the highest other score). */
static inline void hinge_of(const double *rows, const uint64_t *codes, size_t lanes, size_t columns,
                            double *losses)
{
    const uint64_t lowest = (uint64_t)4095 << 52; /* −infinity */
    double highest[LANES];
    for (size_t k = 0; k < lanes; k++) highest[k] = -INFINITY;
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < lanes; k++) {
            uint64_t bits, own = codes[k] == j ? UINT64_MAX : 0; /* as above */
            double other;
            memcpy(&bits, rows + k * columns + j, sizeof bits);
            bits = (bits & ~own) | (lowest & own);
            memcpy(&other, &bits, sizeof other);
            highest[k] = other > highest[k] ? other : highest[k];
        }
    for (size_t k = 0; k < lanes; k++) {
        double loss = 1 - (rows[k * columns + codes[k]] - highest[k]);
        losses[k] = loss > 0 ? loss : 0;
    }
}

static inline double highest_of(const double *x, size_t n)
{
    double highest[LANES];
    size_t i = 0;
    for (size_t k = 0; k < LANES; k++) highest[k] = -INFINITY;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            highest[k] = x[i + k] > highest[k] ? x[i + k] : highest[k];
    for (; i < n; i++) highest[0] = x[i] > highest[0] ? x[i] : highest[0];
    for (size_t k = 1; k < LANES; k++)
        highest[0] = highest[k] > highest[0] ? highest[k] : highest[0];
    return highest[0];
}

/* The same of one row with many columns, of which several are compared at once. */
static inline double hinge_of_row(const double *row, uint64_t code, size_t columns)
{
    double before = highest_of(row, code), after = highest_of(row + code + 1, columns - code - 1);
    double loss = 1 - (row[code] - (before > after ? before : after));
    return loss > 0 ? loss : 0;
}

VECTORISED static void hinge_losses(const double *rows, const uint64_t *codes, size_t n,
                                    size_t columns, double *losses)
{
    size_t i = 0;
    for (; columns >= 4 * MANY && i < n; i++)
        losses[i] = hinge_of_row(rows + i * columns, codes[i], columns);
    for (; i + LANES <= n; i += LANES)
        hinge_of(rows + i * columns, codes + i, LANES, columns, losses + i);
    for (; i < n; i++) hinge_of(rows + i * columns, codes + i, 1, columns, losses + i);
}

/* Rows with fewer than k columns ahead of the true class. */
static inline size_t hits_of(const double *rows, const uint64_t *codes, size_t lanes,
                             size_t columns, size_t k, int ties)
{
    uint64_t ahead[LANES] = {0}, before = ties & WF_BEFORE ? 1 : 0, after = ties & WF_AFTER ? 1 : 0;
    double own[LANES];
    size_t hits = 0;
    for (size_t i = 0; i < lanes; i++) own[i] = rows[i * columns + codes[i]];
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < lanes; i++) {
            double score = rows[i * columns + j];
            uint64_t wins = (before & (j < codes[i])) | (after & (j > codes[i]));
            ahead[i] += (score > own[i]) | ((score == own[i]) & wins);
        }
    for (size_t i = 0; i < lanes; i++) hits += ahead[i] < k;
    return hits;
}

VECTORISED static size_t count_hits(const double *rows, const uint64_t *codes, size_t n,
                                    size_t columns, size_t k, int ties)
{
    size_t hits = 0, i = 0;
    for (; i + LANES <= n; i += LANES)
        hits += hits_of(rows + i * columns, codes + i, LANES, columns, k, ties);
    for (; i < n; i++) hits += hits_of(rows + i * columns, codes + i, 1, columns, k, ties);
    return hits;
}

/* Add the losses of rows whose codes have been checked. */
static void add_losses(const work *w, const double *rows, const uint64_t *codes, size_t start,
                       size_t n, wf_losses *out)
{
    double losses[CHUNK];
    size_t columns = w->p->columns;
    int wanted = w->options.wanted;
    if (wanted & WF_LOG) {
        log_losses(rows, codes, n, columns, w->options.floor, losses);
        sum_up(losses, n, &out->log_sum, &out->log_squares);
    }
    if (wanted & WF_BRIER) {
        brier_losses(rows, codes, n, columns, losses);
        sum_up(losses, n, &out->brier_sum, &out->brier_squares);
    }
    if (w->options.each && wanted & (WF_LOG | WF_BRIER))
        memcpy(w->options.each + start, losses, n * sizeof *losses);
    if (wanted & WF_HINGE) {
        hinge_losses(rows, codes, n, columns, losses);
        sum_up(losses, n, &out->hinge_sum, &out->hinge_squares);
    }
    if (wanted & WF_TOP)
        out->hits += count_hits(rows, codes, n, columns, w->options.k, w->options.ties);
}

VECTORISED static uint64_t least_of(const uint64_t *codes, size_t n)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < n; i++) least = codes[i] < least ? codes[i] : least;
    return least;
}

VECTORISED static int all_below(const uint64_t *codes, size_t n, uint64_t limit)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong |= codes[i] >= limit;
    return !wrong;
}

static void chunk(const work *w, size_t index, double *scratch, wf_losses *out)
{
    const wf_matrix *m = w->p;
    size_t start = index * CHUNK, stop = start + CHUNK < m->rows ? start + CHUNK : m->rows;
    size_t step = rows_at_a_time(m);
    int wanted = w->options.wanted;
    uint64_t codes[CHUNK]; /* a copy: other threads may write to the caller's array */
    wf_gather(w->codes, start, stop - start, 8, codes);
    *out = (wf_losses){.bad_row = m->rows, .bad_code = m->rows};
    out->least = least_of(codes, stop - start);
    if (!all_below(codes, stop - start, m->columns))
        for (size_t i = stop; i-- > start;)
            if (codes[i - start] >= m->columns) out->bad_code = i;
    for (size_t i = start; i < stop; i += step) {
        size_t n = stop - i < step ? stop - i : step;
        const double *rows = rows_of(m, i, n, scratch);
        if (wanted & WF_CHECK) check(w, rows, i, n, out);
        if (wanted & OF_SCORES && out->bad_row == m->rows && !all_finite(rows, n * m->columns))
            out->bad_row = i;
        if (out->bad_code == m->rows) add_losses(w, rows, codes + (i - start), i, n, out);
    }
}

static void part(void *context, int index)
{
    const work *w = context;
    double *scratch = malloc(rows_at_a_time(w->p) * w->p->columns * sizeof *scratch);
    size_t at = (size_t)index, parts = (size_t)w->parts;
    for (size_t i = at * w->chunks / parts; i < (at + 1) * w->chunks / parts; i++) {
        if (scratch) chunk(w, i, scratch, &w->by_chunk[i]);
        else w->by_chunk[i].bad_row = SIZE_MAX; /* no memory */
    }
    free(scratch);
}

/* Neumaier's compensated sum: its error is that of one rounding. */
static void add(double *sum, double *rest, double x)
{
    double next = *sum + x;
    *rest += fabs(*sum) >= fabs(x) ? (*sum - next) + x : (x - next) + *sum;
    *sum = next;
}

wf_status wf_loss(const wf_column *codes, const wf_matrix *probabilities, wf_loss_options options,
                  int threads, wf_losses *out)
{
    work w = {codes, probabilities, options, 1, 0, NULL};
    w.chunks = (probabilities->rows + CHUNK - 1) / CHUNK;
    w.by_chunk = calloc(w.chunks + 1, sizeof *w.by_chunk);
    if (!w.by_chunk) return WF_NO_MEMORY;
    size_t parts = w.chunks / 16 + 1;
    if (parts > (size_t)threads) parts = (size_t)threads;
    if (parts > WF_MOST_THREADS) parts = WF_MOST_THREADS;
    w.parts = parts < 1 ? 1 : (int)parts;
    wf_parallel(w.parts, part, &w);
    enum { SUMS = 6 };
    double rest[SUMS] = {0};
    wf_status status = WF_OK;
    size_t rows = probabilities->rows;
    *out = (wf_losses){.bad_row = rows, .bad_code = rows, .least = UINT64_MAX};
    for (size_t i = 0; i < w.chunks; i++) {
        const wf_losses *c = &w.by_chunk[i];
        if (c->bad_row == SIZE_MAX) status = WF_NO_MEMORY;
        add(&out->log_sum, &rest[0], c->log_sum);
        add(&out->log_squares, &rest[1], c->log_squares);
        add(&out->brier_sum, &rest[2], c->brier_sum);
        add(&out->brier_squares, &rest[3], c->brier_squares);
        add(&out->hinge_sum, &rest[4], c->hinge_sum);
        add(&out->hinge_squares, &rest[5], c->hinge_squares);
        out->hits += c->hits;
        if (c->least < out->least) out->least = c->least;
        if (c->bad_row < out->bad_row) out->bad_row = c->bad_row;
        if (c->bad_code < out->bad_code) out->bad_code = c->bad_code;
    }
    double *sums[SUMS] = {&out->log_sum,       &out->log_squares, &out->brier_sum,
                          &out->brier_squares, &out->hinge_sum,   &out->hinge_squares};
    for (int i = 0; i < SUMS; i++)
        if (isfinite(*sums[i])) *sums[i] += rest[i]; /* infinite losses have no rest */
    free(w.by_chunk);
    return status;
}
