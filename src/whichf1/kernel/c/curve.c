/* Curves of a ranking: running sums of its steps, points, and the area under them.
 *
 * Lines of a ranking are processed in blocks that stay in the first-level cache. Counts are whole
 * numbers, so that several threads give the same sums; sums of weights are added one by one.
 */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, LINES = 8192, MANY = 1 << 17, MOST = WF_MOST_THREADS };

static int threads_for(size_t lines, int threads)
{
    return lines < 4 * LINES || threads < 2 ? 1 : threads > MOST ? MOST : threads;
}

/* Steps of a ranking ---------------------------------------------------------------------------- */

/* Numbers below 2^52 become the last bits of doubles from 2^52 on, which every processor does in
 * vectors; larger ones are converted one by one. */
VECTORISED static void to_doubles(const uint64_t *whole, size_t n, double start, double *out)
{
    uint64_t every = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = whole[i] | (uint64_t)0x433 << 52;
        double shifted;
        memcpy(&shifted, &bits, sizeof shifted);
        out[i] = start + (shifted - 0x1p52);
        every |= whole[i];
    }
    if (every >> 52)
        for (size_t i = 0; i < n; i++) out[i] = start + (double)(int64_t)whole[i];
}

/* Running sums of whole numbers, most of which are 4 bytes wide; returns the last one. */
static uint64_t add_up(const wf_column *counts, size_t from, size_t n, uint64_t start,
                       uint64_t *sums)
{
    const int32_t *narrow = counts->sign ? wf_in_place(counts, 4, from) : NULL;
    if (narrow) {
        for (size_t i = 0; i < n; i++) sums[i] = start += (uint64_t)narrow[i];
    } else {
        wf_gather(counts, from, n, 8, sums);
        for (size_t i = 0; i < n; i++) sums[i] = start += sums[i];
    }
    return start;
}

void wf_running(const wf_column *counts, int floats, size_t n, double start, double *plain,
                double *sums)
{
    if (floats) {
        wf_gather_double(counts, 0, n, sums);
        if (plain) memcpy(plain, sums, n * sizeof *plain);
        for (size_t i = 0; i < n; i++) sums[i] = start += sums[i];
        return;
    }
    uint64_t whole = 0, block[BLOCK];
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t some = n - from < BLOCK ? n - from : BLOCK;
        if (plain) {
            wf_gather(counts, from, some, 8, block);
            to_doubles(block, some, 0, plain + from);
        }
        whole = add_up(counts, from, some, whole, block);
        to_doubles(block, some, start, sums + from);
    }
}

/* Points of a curve ------------------------------------------------------------------------------ */

/* A part of the lines: its sums and points; then the sums and points before it, and the last end. */
typedef struct {
    double tp, fp;
    size_t points, end;
} share;

typedef struct {
    const wf_steps *steps;
    wf_curve_kind kind;
    wf_kept kept;
    wf_points *out;
    size_t parts;
    share shares[MOST];
} curve;

/* Some lines: what each of them adds, and that of the line after them, if there is one; running sums,
 * from those above them on; and which lines have a point. */
typedef struct {
    size_t n, points;
    uint64_t up[BLOCK + 1], along[BLOCK + 1];
    double tp[BLOCK + 2], fp[BLOCK + 2];
    unsigned char kept[BLOCK];
} block;

static size_t first_line(const curve *c, size_t part) { return c->steps->n / c->parts * part; }

static size_t end_of_lines(const curve *c, size_t part)
{
    return part + 1 == c->parts ? c->steps->n : first_line(c, part + 1);
}

/* What lines add, unless it is not wanted, and the running sums. Counts add what they are; a sum of
 * weights may not change by a small one, and the bits of what it changes by are taken. */
static void add_counts(const wf_steps *s, const wf_column *counts, size_t start, size_t n,
                       uint64_t *step, double *sums)
{
    wf_column here = *counts;
    here.data += (ptrdiff_t)start * here.stride;
    wf_running(&here, s->floats, n, sums[0], NULL, sums + 1);
    if (step && !s->floats) wf_gather(&here, 0, n, 8, step);
    for (size_t i = 0; step && s->floats && i < n; i++) {
        double change = sums[i + 1] - sums[i];
        memcpy(step + i, &change, sizeof change);
    }
}

/* A step like the next one leaves its point on the line between the points beside it. */
VECTORISED static void find_corners(const uint64_t *up, const uint64_t *along, size_t n,
                                    unsigned char *kept)
{
    for (size_t i = 0; i < n; i++) kept[i] = (up[i] != up[i + 1]) | (along[i] != along[i + 1]);
}

VECTORISED static void find_rises(const uint64_t *up, size_t n, unsigned char *kept)
{
    for (size_t i = 0; i < n; i++) kept[i] = (up[i] != 0) | (up[i + 1] != 0);
}

VECTORISED static size_t count_kept(const unsigned char *kept, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += kept[i];
    return sum;
}

/* Which lines have a point. */
static void choose(const curve *c, size_t start, block *b)
{
    size_t end = start + b->n == c->steps->n ? b->n - 1 : b->n;
    if (c->kept == WF_RISES) find_rises(b->up, end, b->kept);
    else find_corners(b->up, b->along, end, b->kept);
    if (end < b->n) b->kept[end] = 1;
    if (!start && c->kind != WF_DET) b->kept[0] = 1; /* the second point of other curves */
    b->points = count_kept(b->kept, b->n);
}

/* The sums of lines from start on, after those in the share. */
static void read_block(const curve *c, size_t start, size_t end, const share *s, block *b)
{
    int every = c->kept == WF_EVERY;
    b->n = b->points = end - start < BLOCK ? end - start : BLOCK;
    size_t n = !every && start + b->n < c->steps->n ? b->n + 1 : b->n;
    b->tp[0] = s->tp;
    b->fp[0] = s->fp;
    add_counts(c->steps, &c->steps->positives, start, n, every ? NULL : b->up, b->tp);
    add_counts(c->steps, &c->steps->negatives, start, n, every ? NULL : b->along, b->fp);
    if (!every) choose(c, start, b);
}

VECTORISED static int64_t add_whole(const uint64_t *counts, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += counts[i];
    return (int64_t)sum;
}

static double whole_sum(const wf_column *counts, size_t start, size_t end)
{
    int64_t sum = 0;
    uint64_t some[BLOCK];
    for (size_t i = start, n; i < end; i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        sum += add_whole(wf_integers(counts, i, n, some), n);
    }
    return (double)sum;
}

/* Of a single part, and of all lines, the points need not be counted. */
static void count_points(void *context, int index)
{
    curve *c = context;
    share *s = &c->shares[index];
    size_t start = first_line(c, (size_t)index), end = end_of_lines(c, (size_t)index);
    block b;
    *s = (share){0, 0, end - start, 0};
    if (!c->steps->floats && (c->parts == 1 || c->kept == WF_EVERY)) {
        s->tp = whole_sum(&c->steps->positives, start, end);
        s->fp = whole_sum(&c->steps->negatives, start, end);
        return;
    }
    s->points = 0;
    for (size_t i = start; i < end; i += b.n) {
        read_block(c, i, end, s, &b);
        s->tp = b.tp[b.n];
        s->fp = b.fp[b.n];
        s->points += b.points;
    }
}

/* Points of true and false positives; a rate of no items is 0 in a DET curve, and recall is 1. */
VECTORISED static void find_points(wf_curve_kind kind, const double *tp, const double *fp, size_t n,
                                   const wf_points *out)
{
    double p = out->positives, q = out->negatives, *x = out->x, *y = out->y;
    switch (kind) {
    case WF_MATRICES:
        for (size_t i = 0; i < n; i++) out->tn[i] = q - fp[i], out->fn[i] = p - tp[i];
        break;
    case WF_ROC:
        for (size_t i = 0; i < n; i++) x[i] = fp[i] / q, y[i] = tp[i] / p;
        return;
    case WF_PR:
        for (size_t i = 0; i < n; i++) {
            double taken = tp[i] + fp[i], one;
            uint64_t bits =
                taken == 0 ? (uint64_t)1023 << 52 : 0; /* a choice of doubles branches */
            memcpy(&one, &bits, sizeof one);
            y[i] = tp[i] / (taken + one);
        }
        for (size_t i = 0; i < n; i++) x[i] = tp[i] / p;
        for (size_t i = 0; p == 0 && i < n; i++) x[i] = 1;
        return;
    case WF_DET:
        q = q == 0 ? 1 : q;
        for (size_t i = 0; i < n; i++) x[i] = fp[i] / q, y[i] = (p - tp[i]) / (p == 0 ? 1 : p);
        return;
    default: break;
    }
    memcpy(x, fp, n * sizeof *x);
    memcpy(y, tp, n * sizeof *y);
}

/* Leave only the sums and thresholds of the lines that have a point. */
static void compress(block *b, double *threshold)
{
    size_t at = 0;
    for (size_t i = 0; i < b->n; i++) {
        b->tp[at + 1] = b->tp[i + 1];
        b->fp[at + 1] = b->fp[i + 1];
        threshold[at] = threshold[i];
        at += b->kept[i];
    }
}

/* Write points from a place on. Of many, the first are out of the caches before the last are there. */
static void write_points(const curve *c, const wf_points *points, size_t n, size_t at)
{
    const wf_points *out = c->out;
    const double *from[] = {points->x, points->y, points->threshold, points->tn, points->fn};
    double *to[] = {out->x, out->y, out->threshold, out->tn, out->fn};
    for (int i = 0; i < (c->kind == WF_MATRICES ? 5 : 3); i++) {
        if (c->steps->n >= MANY) wf_copy_past(to[i] + at, from[i], n);
        else memcpy(to[i] + at, from[i], n * sizeof *from[i]);
    }
}

static void draw_points(void *context, int index)
{
    curve *c = context;
    wf_points *out = c->out;
    share s = c->shares[index];
    size_t end = end_of_lines(c, (size_t)index);
    block b;
    double x[BLOCK], y[BLOCK], threshold[BLOCK], tn[BLOCK], fn[BLOCK];
    wf_points here = {x, y, threshold, tn, fn, 0, out->positives, out->negatives};
    for (size_t i = first_line(c, (size_t)index); i < end; i += b.n) {
        read_block(c, i, end, &s, &b);
        s.tp = b.tp[b.n];
        s.fp = b.fp[b.n];
        wf_gather_double(&c->steps->score, i, b.n, threshold);
        if (c->kept != WF_EVERY) compress(&b, threshold);
        find_points(c->kind, b.tp + 1, b.fp + 1, b.points, &here);
        write_points(c, &here, b.points, s.points);
        s.points += b.points;
    }
    wf_copied();
    c->shares[index].end = s.points;
}

void wf_curve(const wf_steps *steps, wf_curve_kind kind, wf_kept kept, int threads, wf_points *out)
{
    curve c = {.steps = steps, .kind = kind, .kept = kept, .out = out};
    const double none = 0;
    c.parts = steps->floats ? 1 : (size_t)threads_for(steps->n, threads);
    wf_parallel((int)c.parts, count_points, &c);
    out->positives = out->negatives = 0;
    out->points = 1;
    for (size_t i = 0; i < c.parts; i++) {
        share here = c.shares[i];
        c.shares[i] = (share){out->positives, out->negatives, out->points, 0};
        out->positives += here.tp;
        out->negatives += here.fp;
        out->points += here.points;
    }
    find_points(kind, &none, &none, 1, out);
    if (kind == WF_PR) out->x[0] = 0, out->y[0] = 1;
    out->threshold[0] = INFINITY;
    wf_parallel((int)c.parts, draw_points, &c);
    out->points = c.shares[c.parts - 1].end;
}

/* The area under a curve ------------------------------------------------------------------------- */

typedef struct {
    const double *x, *y;
    size_t n, chunks;
    int parts;
    wf_trapezoids *by_chunk;
} areas;

VECTORISED static void add_trapezoids(const double *x, const double *y, size_t n,
                                      wf_trapezoids *out)
{
    enum { LANES = 8 };
    double sums[LANES] = {0}, area = 0;
    uint64_t rises = 0, falls = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++) {
            double step = x[i + j + 1] - x[i + j];
            rises |= step > 0;
            falls |= step < 0;
            sums[j] += step * (y[i + j + 1] + y[i + j]);
        }
    for (; i < n; i++) {
        double step = x[i + 1] - x[i];
        rises |= step > 0;
        falls |= step < 0;
        area += step * (y[i + 1] + y[i]);
    }
    for (size_t j = 0; j < LANES; j++) area += sums[j];
    *out = (wf_trapezoids){area / 2, (int)rises, (int)falls};
}

static void add_part_of_area(void *context, int index)
{
    areas *c = context;
    size_t to = c->chunks * ((size_t)index + 1) / (size_t)c->parts;
    for (size_t i = c->chunks * (size_t)index / (size_t)c->parts; i < to; i++) {
        size_t from = i * LINES, left = c->n - 1 - from;
        add_trapezoids(c->x + from, c->y + from, left < LINES ? left : LINES, &c->by_chunk[i]);
    }
}

wf_status wf_trapezoid(const double *x, const double *y, size_t n, int threads, wf_trapezoids *out)
{
    wf_trapezoids one;
    areas c = {x, y, n, n > 1 ? (n - 1 + LINES - 1) / LINES : 0, 1, &one};
    *out = (wf_trapezoids){0, 0, 0};
    if (c.chunks > 1) {
        c.parts = threads_for(n, threads);
        c.by_chunk = malloc(c.chunks * sizeof *c.by_chunk);
        if (!c.by_chunk) return WF_NO_MEMORY;
    }
    wf_parallel(c.parts, add_part_of_area, &c);
    for (size_t i = 0; i < c.chunks; i++) {
        out->area += c.by_chunk[i].area;
        out->rises |= c.by_chunk[i].rises;
        out->falls |= c.by_chunk[i].falls;
    }
    if (c.by_chunk != &one) free(c.by_chunk);
    return WF_OK;
}
