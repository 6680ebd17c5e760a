/* Log loss and Brier score, and the check of the probabilities, in one pass over the rows.
 *
 * Rows are summed in chunks of a fixed size and the chunks in their order, so that the sums do not
 * depend on the number of threads. */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 };

typedef struct {
    const wf_column *codes;
    const wf_matrix *p;
    double floor, tolerance;
    int wanted, parts;
    size_t chunks;
    wf_losses *by_chunk;
} work;

static double at(const wf_matrix *m, const unsigned char *row, size_t j)
{
    wf_column one = {row + (ptrdiff_t)j * m->column_stride, 0, m->width, 0, m->swapped};
    double value;
    wf_gather_double(&one, 0, 1, &value);
    return value;
}

/* The row as doubles: where it lies, if it lies so, else in the scratch. */
static const double *row_of(const wf_matrix *m, size_t i, double *scratch)
{
    const unsigned char *row = m->data + (ptrdiff_t)i * m->row_stride;
    if (m->width == 8 && !m->swapped && m->column_stride == 8 && (uintptr_t)row % 8 == 0)
        return (const double *)(const void *)row;
    if (m->width == 4 && !m->swapped && m->column_stride == 4 && (uintptr_t)row % 4 == 0) {
        const float *narrow = (const float *)(const void *)row;
        for (size_t j = 0; j < m->columns; j++) scratch[j] = narrow[j];
        return scratch;
    }
    for (size_t j = 0; j < m->columns; j++) scratch[j] = at(m, row, j);
    return scratch;
}

static int fair(const double *row, size_t columns, double tolerance)
{
    double sums[2] = {0, 0};
    int outside = 0;
    size_t j = 0;
    for (; j + 2 <= columns; j += 2) { /* two sums, that need not wait for each other */
        outside |= (row[j] < 0) | (row[j] > 1) | (row[j + 1] < 0) | (row[j + 1] > 1);
        sums[0] += row[j];
        sums[1] += row[j + 1];
    }
    if (j < columns) {
        outside |= (row[j] < 0) | (row[j] > 1);
        sums[0] += row[j];
    }
    return !outside && fabs(sums[0] + sums[1] - 1) <= tolerance; /* false for NaN */
}

static void chunk(const work *w, size_t index, double *scratch, wf_losses *out)
{
    const wf_matrix *m = w->p;
    size_t start = index * CHUNK, stop = start + CHUNK < m->rows ? start + CHUNK : m->rows;
    uint64_t codes[CHUNK];
    wf_gather(w->codes, start, stop - start, 8, codes);
    *out = (wf_losses){0, 0, 0, 0, m->rows, m->rows};
    for (size_t i = start; i < stop; i++) {
        const double *row = row_of(m, i, scratch);
        if (w->wanted & WF_CHECK && out->bad_row == m->rows && !fair(row, m->columns, w->tolerance))
            out->bad_row = i;
        uint64_t code = codes[i - start];
        if (code >= m->columns) {
            if (out->bad_code == m->rows) out->bad_code = i;
            continue;
        }
        if (w->wanted & WF_LOG) {
            double p = row[code], loss = -log(p > w->floor || p != p ? p : w->floor);
            out->log_sum += loss;
            out->log_squares += loss * loss;
        }
        if (w->wanted & WF_BRIER) {
            double loss = 0;
            for (size_t j = 0; j < m->columns; j++) {
                double off = row[j] - (j == code);
                loss += off * off;
            }
            out->brier_sum += loss;
            out->brier_squares += loss * loss;
        }
    }
}

static void part(void *context, int index)
{
    const work *w = context;
    double *scratch = malloc((w->p->columns + 1) * sizeof *scratch);
    size_t own = (size_t)index, parts = (size_t)w->parts;
    for (size_t i = own * w->chunks / parts; i < (own + 1) * w->chunks / parts; i++) {
        if (scratch) chunk(w, i, scratch, &w->by_chunk[i]);
        else w->by_chunk[i].bad_row = SIZE_MAX; /* no memory */
    }
    free(scratch);
}

/* Compensated (Neumaier): the order of the chunks is fixed, the error that of one rounding. */
static void add(double *sum, double *rest, double x)
{
    double next = *sum + x;
    *rest += fabs(*sum) >= fabs(x) ? (*sum - next) + x : (x - next) + *sum;
    *sum = next;
}

wf_status wf_loss(const wf_column *codes, const wf_matrix *probabilities, double floor,
                  double tolerance, int wanted, int threads, wf_losses *out)
{
    work w = {codes, probabilities, floor, tolerance, wanted, 1, 0, NULL};
    w.chunks = (probabilities->rows + CHUNK - 1) / CHUNK;
    w.by_chunk = calloc(w.chunks + 1, sizeof *w.by_chunk);
    if (!w.by_chunk) return WF_NO_MEMORY;
    size_t parts = w.chunks / 16 + 1;
    if (parts > (size_t)threads) parts = (size_t)threads;
    if (parts > WF_MOST_THREADS) parts = WF_MOST_THREADS;
    w.parts = parts < 1 ? 1 : (int)parts;
    wf_parallel(w.parts, part, &w);
    double rest[4] = {0, 0, 0, 0};
    wf_status status = WF_OK;
    *out = (wf_losses){0, 0, 0, 0, probabilities->rows, probabilities->rows};
    for (size_t i = 0; i < w.chunks; i++) {
        const wf_losses *c = &w.by_chunk[i];
        if (c->bad_row == SIZE_MAX) status = WF_NO_MEMORY;
        add(&out->log_sum, &rest[0], c->log_sum);
        add(&out->log_squares, &rest[1], c->log_squares);
        add(&out->brier_sum, &rest[2], c->brier_sum);
        add(&out->brier_squares, &rest[3], c->brier_squares);
        if (c->bad_row < out->bad_row) out->bad_row = c->bad_row;
        if (c->bad_code < out->bad_code) out->bad_code = c->bad_code;
    }
    double *sums[4] = {&out->log_sum, &out->log_squares, &out->brier_sum, &out->brier_squares};
    for (int i = 0; i < 4; i++)
        if (isfinite(*sums[i])) *sums[i] += rest[i]; /* an infinite loss has no rest */
    free(w.by_chunk);
    return status;
}
