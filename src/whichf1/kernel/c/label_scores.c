/* Scores of items by their labels, added up in one pass over two matrices.
 *
 * Rows are summed in chunks of a fixed size, and chunks are added in order, so that the sums do not
 * depend on the number of threads.
 */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1024,
    BLOCK = 768,
    SMALL = 1 << 14,
    WORD = 8,    /* bytes of a word; labels of a cache line */
    AHEAD = 512, /* labels between those that are read and those that are asked for */
};

typedef struct {
    double sums[3]; /* of the values, their squares and their cubes */
    wf_status status;
} chunk;

typedef struct {
    const wf_cells *true_, *other;
    wf_label_score what;
    int parts;
    size_t chunks, at_a_time; /* chunks, and rows of a block */
    chunk *by_chunk;
} work;

/* Rows of whole numbers, in place if possible; whatever is neither 0 nor 1 is above 1. */
static const uint64_t *gather_labels(const wf_cells *m, size_t row, size_t rows, uint64_t *block)
{
    size_t columns = m->columns;
    if (!m->floats && m->column_stride == m->width &&
        m->row_stride == m->column_stride * (ptrdiff_t)columns) {
        wf_column flat = {m->data, m->width, m->width, m->sign, m->swapped};
        return wf_integers(&flat, row * columns, rows * columns, block);
    }
    for (size_t i = 0; i < rows; i++) wf_gather_cells(m, row + i, 0, columns, block + i * columns);
    return block;
}

/* Rows of doubles: in place if possible. */
static const double *gather_scores(const wf_cells *m, size_t row, size_t rows, double *block)
{
    const unsigned char *at = m->data + (ptrdiff_t)row * m->row_stride;
    if (m->width == 8 && !m->swapped && m->column_stride == 8 &&
        m->row_stride == 8 * (ptrdiff_t)m->columns && (uintptr_t)at % 8 == 0)
        return (const double *)(const void *)at;
    for (size_t i = 0; i < rows; i++, at += m->row_stride) {
        wf_column one = {at, m->column_stride, m->width, 0, m->swapped};
        wf_gather_double(&one, 0, m->columns, block + i * m->columns);
    }
    return block;
}

/* Labels scored at least as high as the lowest true one; 0 without true labels. Whether a label is
 * true must not be a branch, which no processor could predict: the bits of a score are kept, or those
 * of infinity. */
static double coverage(const uint64_t *has, const double *score, size_t n)
{
    const uint64_t infinite = (uint64_t)2047 << 52;
    double lowest = INFINITY, own;
    size_t covered = 0;
    for (size_t j = 0; j < n; j++) {
        uint64_t bits;
        memcpy(&bits, score + j, 8);
        bits = (bits & -has[j]) | (infinite & (has[j] - 1));
        memcpy(&own, &bits, 8);
        lowest = own < lowest ? own : lowest;
    }
    for (size_t j = 0; j < n; j++) covered += score[j] >= lowest;
    return (double)covered;
}

/* The share of pairs of a true and another label in which the true one is not ahead. */
static double disorder(const uint64_t *has, const double *score, size_t n)
{
    size_t size = 0, wrong = 0;
    for (size_t j = 0; j < n; j++) {
        size += has[j];
        for (size_t i = 0; has[j] && i < n; i++) wrong += !has[i] & (score[j] <= score[i]);
    }
    return size && size < n ? (double)wrong / (double)(size * (n - size)) : 0;
}

/* The mean share of true labels among those scored at least as high as each true one. */
static double precision(const uint64_t *has, const double *score, size_t n)
{
    size_t size = 0;
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        if (!has[j]) continue;
        size_t hits = 0, place = 0;
        for (size_t i = 0; i < n; i++) {
            place += score[i] >= score[j];
            hits += has[i] & (score[i] >= score[j]);
        }
        sum += (double)hits / (double)place;
        size++;
    }
    return size && size < n ? sum / (double)size : 1;
}

/* The share of the top-scored labels that are not true. */
static double top_error(const uint64_t *has, const double *score, size_t n)
{
    double most = score[0];
    size_t top = 0, wrong = 0;
    for (size_t j = 1; j < n; j++) most = score[j] > most ? score[j] : most;
    for (size_t j = 0; j < n; j++) {
        top += score[j] == most;
        wrong += (score[j] == most) & !has[j];
    }
    return (double)wrong / (double)top;
}

/* Whether all labels are 0 or 1, and all scores finite. */
VECTORISED static int all_usable(const uint64_t *labels, const double *scores, size_t n)
{
    const uint64_t infinite = (uint64_t)2047 << 52;
    uint64_t any = 0, wrong = 0, bits;
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, scores + i, 8);
        any |= labels[i];
        wrong |= (bits & infinite) == infinite;
    }
    return any <= 1 && !wrong;
}

static void add_scores(const work *w, size_t rows, const uint64_t *labels, const double *scores,
                       chunk *out)
{
    size_t n = w->true_->columns;
    double (*score)(const uint64_t *, const double *, size_t) = w->what == WF_COVERAGE   ? coverage
                                                                : w->what == WF_DISORDER ? disorder
                                                                : w->what == WF_PRECISION
                                                                    ? precision
                                                                    : top_error;
    if (!all_usable(labels, scores, rows * n)) {
        out->status = WF_BAD_CODE;
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        double value = score(labels + i * n, scores + i * n, n);
        out->sums[0] += value;
        out->sums[1] += value * value;
        out->sums[2] += value * value * value;
    }
}

static inline uint64_t mark(const uint64_t *restrict labels, const uint64_t *restrict guessed,
                            size_t n, unsigned char *restrict differ)
{
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) {
        any |= labels[i] | guessed[i];
        differ[i] = (unsigned char)(labels[i] ^ guessed[i]);
    }
    return any;
}

/* Which labels differ, as bytes. Returns whether all are 0 or 1. Labels that follow are asked for, as
 * two columns in place are read faster than they come. */
VECTORISED static int compare(const uint64_t *labels, const uint64_t *guessed, size_t n,
                              unsigned char *differ)
{
    uint64_t any = 0;
    size_t i = 0;
    for (; i + WORD <= n; i += WORD) {
        PREFETCH(labels + i + AHEAD);
        PREFETCH(guessed + i + AHEAD);
        any |= mark(labels + i, guessed + i, WORD, differ + i);
    }
    return (any | mark(labels + i, guessed + i, n - i, differ + i)) <= 1;
}

/* A word of which the first bytes are kept, up to eight, and the others dropped. */
static uint64_t keep_first(size_t n)
{
    static const unsigned char mask[2 * WORD] = {255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t word;
    memcpy(&word, mask + WORD - n, WORD);
    return word;
}

/* The sum of n > 0 bytes of 0 and 1, of which eight are added by one product: its highest byte. The
 * last word may reach beyond them; ``keep`` says what is kept of it. */
static size_t add_bytes(const unsigned char *bytes, size_t n, uint64_t keep)
{
    uint64_t word, sum = 0;
    for (; n > WORD; n -= WORD, bytes += WORD) {
        memcpy(&word, bytes, WORD);
        sum += word * 0x0101010101010101 >> 56;
    }
    memcpy(&word, bytes, WORD);
    return sum + ((word & keep) * 0x0101010101010101 >> 56);
}

/* Sums of whole numbers: how many sets are the same, or how many labels differ. */
static void add_sets(const work *w, size_t rows, const uint64_t *labels, const uint64_t *guessed,
                     chunk *out)
{
    size_t n = w->true_->columns, same = 0, sums[3] = {0};
    unsigned char few[BLOCK + WORD], *differ = rows * n <= BLOCK ? few : malloc(rows * n + WORD);
    uint64_t keep = keep_first((n - 1) % WORD + 1);
    if (!differ || !compare(labels, guessed, rows * n, differ)) {
        out->status = differ ? WF_BAD_CODE : WF_NO_MEMORY;
        if (differ != few) free(differ);
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        size_t here = add_bytes(differ + i * n, n, keep);
        same += !here;
        sums[0] += here;
        sums[1] += here * here;
        sums[2] += here * here * here;
    }
    if (differ != few) free(differ);
    for (int i = 0; i < 3; i++) out->sums[i] += (double)(w->what == WF_EXACT ? same : sums[i]);
}

static int of_sets(wf_label_score what) { return what == WF_EXACT || what == WF_WRONG; }

static void sum_chunk(const work *w, size_t index, uint64_t *labels, void *others, chunk *out)
{
    size_t start = index * CHUNK, end = start + CHUNK;
    if (end > w->true_->rows) end = w->true_->rows;
    for (size_t i = start; i < end && !out->status; i += w->at_a_time) {
        size_t rows = end - i < w->at_a_time ? end - i : w->at_a_time;
        const uint64_t *here = gather_labels(w->true_, i, rows, labels);
        if (of_sets(w->what))
            add_sets(w, rows, here, gather_labels(w->other, i, rows, others), out);
        else add_scores(w, rows, here, gather_scores(w->other, i, rows, others), out);
    }
}

static void sum_part(void *context, int index)
{
    work *w = context;
    size_t cells = w->at_a_time * w->true_->columns;
    uint64_t few[2 * BLOCK], *room = cells <= BLOCK ? few : malloc(2 * cells * sizeof *room);
    size_t from = w->chunks * (size_t)index / (size_t)w->parts;
    size_t to = w->chunks * ((size_t)index + 1) / (size_t)w->parts;
    for (size_t i = from; i < to; i++) {
        if (room) sum_chunk(w, i, room, room + cells, &w->by_chunk[i]);
        else w->by_chunk[i].status = WF_NO_MEMORY;
    }
    if (room != few) free(room);
}

wf_status wf_label_scores(const wf_cells *true_, const wf_cells *other, wf_label_score what,
                          int threads, double *sums)
{
    chunk one = {{0}, WF_OK};
    work w = {.true_ = true_, .other = other, .what = what, .by_chunk = &one};
    for (int i = 0; i < 3; i++) sums[i] = 0;
    if (!of_sets(what) && !other->floats) return WF_BAD_CODE;
    w.chunks = (true_->rows + CHUNK - 1) / CHUNK;
    w.at_a_time = true_->columns < BLOCK ? BLOCK / true_->columns : 1;
    w.parts = true_->rows * true_->columns < SMALL || threads < 1 ? 1 : threads;
    if ((size_t)w.parts > w.chunks) w.parts = w.chunks ? (int)w.chunks : 1;
    if (w.chunks > 1 && !(w.by_chunk = calloc(w.chunks, sizeof *w.by_chunk))) return WF_NO_MEMORY;
    wf_parallel(w.parts, sum_part, &w);
    wf_status status = WF_OK;
    for (size_t i = 0; i < w.chunks; i++) {
        if (!status) status = w.by_chunk[i].status;
        for (int power = 0; power < 3; power++) sums[power] += w.by_chunk[i].sums[power];
    }
    double labels = what == WF_WRONG ? (double)true_->columns : 1; /* shares of the labels */
    sums[0] /= labels, sums[1] /= labels * labels, sums[2] /= labels * labels * labels;
    if (w.by_chunk != &one) free(w.by_chunk);
    return status;
}
