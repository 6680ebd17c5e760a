/* What the variance of a score of a ranking is computed from: of the area under a ROC curve, in one
 * pass over the ranking, and of scores of the precision at each score. */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 512, LANES = 4 };

/* The counts of a block, and their running sums from start on; returns the last of these. */
static double run(const wf_column *counts, int floats, size_t at, size_t n, double start,
                  double *plain, double *sums)
{
    wf_column part = *counts;
    part.data += (ptrdiff_t)at * part.stride;
    wf_running(&part, floats, n, start, plain, sums);
    return sums[n - 1];
}

/* Pairs of a positive and a lower negative; those of equal scores count half. */
static double pairs_in_order(const wf_column *positives, const wf_column *negatives,
                             const int *floats, size_t n)
{
    double p[BLOCK], q[BLOCK], tp[BLOCK], fp[BLOCK], above = 0, pairs = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t size = n - at < BLOCK ? n - at : BLOCK;
        double sum = 0;
        above = run(positives, floats[0], at, size, above, p, tp);
        run(negatives, floats[1], at, size, 0, q, fp);
        for (size_t i = 0; i < size; i++) sum += q[i] * (tp[i] - p[i] / 2);
        pairs += sum;
    }
    return pairs;
}

/* With s and t the parts of a positive and of a negative in the area, Σs², Σt², Σs³ + Σt³, Σs⁴ + Σt⁴,
 * and Σ s t over the pairs in order, of which those of equal scores count half. */
wf_placements wf_place(const wf_column *positives, const wf_column *negatives, const int *floats,
                       size_t n, const double *sizes)
{
    double p[BLOCK], q[BLOCK], tp[BLOCK], fp[BLOCK], above[2] = {0, 0}, passed = 0;
    double pairs = sizes[0] * sizes[1], slope = 1 / pairs;
    double area = pairs_in_order(positives, negatives, floats, n) / pairs;
    double first = (1 - area) / sizes[0], other = -area / sizes[1];
    wf_placements out = {.area = area};
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t size = n - at < BLOCK ? n - at : BLOCK;
        wf_placements sums = {.area = area};
        above[0] = run(positives, floats[0], at, size, above[0], p, tp);
        above[1] = run(negatives, floats[1], at, size, above[1], q, fp);
        double before = 0;
        for (size_t i = 0; i < size; i++) {
            double up = (q[i] * -0.5 + fp[i]) * -slope + first;
            double down = (p[i] * -0.5 + tp[i]) * slope + other;
            double ups = p[i] * up, downs = q[i] * down;
            sums.bend -= ups * (downs * 0.5 + before + passed);
            before += downs;
            sums.squares[0] += ups * up, sums.squares[1] += downs * down;
            double up_square = up * up, down_square = down * down;
            sums.cubes += ups * up_square + downs * down_square;
            sums.fourths += ups * up * up_square + downs * down * down_square;
        }
        passed += before;
        out.squares[0] += sums.squares[0], out.squares[1] += sums.squares[1];
        out.cubes += sums.cubes, out.fourths += sums.fourths, out.bend += sums.bend;
    }
    return out;
}

/* A function of T, the sum of the precisions at the score of each positive or of each item, and of the
 * sizes of both classes; with its derivatives by the three, unless NULL. */
static double of_precisions(wf_precisions what, double t, double p, double q, double *slopes)
{
    double n = p + q, value = t / p, by[3] = {1 / p, -t / (p * p), 0};
    if (what != WF_MEAN_PRECISION) {
        double rest = what == WF_RISK ? n - t : p - t - p * log(p / n), share = p / n;
        value = rest / n;
        by[0] = -1 / n;
        by[1] = ((what == WF_RISK ? 1 : share - log(share)) - value) / n;
        by[2] = ((what == WF_RISK ? 1 : share) - value) / n;
    }
    for (int i = 0; i < 3 && slopes; i++) slopes[i] = by[i];
    return value;
}

/* The same sum for counts that change by a fraction of these parts of themselves, to either side. */
static void moved_sums(const double *p, const double *q, const double *up, const double *down,
                       size_t n, int every, double step, double *sums, double sizes[2][2])
{
    double t[2] = {0, 0}, tp[2] = {0, 0}, fp[2] = {0, 0}, steps[2] = {-step, step};
    for (size_t i = 0; i < n; i++) {
        for (int side = 0; side < 2; side++) {
            double a = p[i] * (1 + steps[side] * up[i]), b = q[i] * (1 + steps[side] * down[i]);
            tp[side] += a, fp[side] += b;
            double size = tp[side] + fp[side];
            if (size > 0) t[side] += (every ? a + b : a) * (tp[side] / size);
        }
    }
    for (int side = 0; side < 2; side++)
        sums[side] = t[side], sizes[side][0] = tp[side], sizes[side][1] = fp[side];
}

/* The terms of a few parts, less their mean, which are kept; without branches, which would be
 * mispredicted. */
static inline void terms_of(const double *p, const double *q, double *restrict up,
                            double *restrict down, size_t n, double mean,
                            double (*restrict terms)[BLOCK])
{
    for (size_t i = 0; i < n; i++) {
        double u = up[i] - mean, d = down[i] - mean, ups = p[i] * u * u, downs = q[i] * d * d;
        double a = p[i] > 0 ? fabs(u) : 0, b = q[i] > 0 ? fabs(d) : 0;
        up[i] = u, down[i] = d;
        terms[0][i] = ups, terms[1][i] = downs;
        terms[2][i] = ups * u + downs * d;
        terms[3][i] = ups * (u * u) + downs * (d * d);
        terms[4][i] = a > b ? a : b;
    }
}

static double sum_of(const double *terms, size_t n)
{
    double lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) lanes[lane] += terms[i + lane];
    for (; i < n; i++) lanes[0] += terms[i];
    return lanes[0] + lanes[1] + (lanes[2] + lanes[3]);
}

static double largest_of(const double *terms, size_t n, double most)
{
    for (size_t i = 0; i < n; i++) most = terms[i] > most ? terms[i] : most;
    return most;
}

/* The sums of the powers of parts less their mean, which are kept; returns the largest. */
VECTORISED static double sum_powers(const double *p, const double *q, double *up, double *down,
                                    size_t n, double mean, wf_moments *out)
{
    double terms[5][BLOCK], most = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t size = n - at < BLOCK ? n - at : BLOCK;
        terms_of(p + at, q + at, up + at, down + at, size, mean, terms);
        out->squares[0] += sum_of(terms[0], size), out->squares[1] += sum_of(terms[1], size);
        out->cubes += sum_of(terms[2], size), out->fourths += sum_of(terms[3], size);
        most = largest_of(terms[4], size, most);
    }
    return most;
}

/* Of each score, what is added up at it, and the positives and negatives down to it: as fractions of
 * all items down to it, or 0 if there are none. */
VECTORISED static void share(const double *p, const double *q, const double *tp, const double *fp,
                             size_t n, int every, double *restrict part,
                             double (*restrict above)[BLOCK])
{
    for (size_t i = 0; i < n; i++) {
        double size = tp[i] + fp[i], some = size > 0 ? size : 1;
        part[i] = (every ? p[i] + q[i] : p[i]) / some;
        above[0][i] = tp[i] / some, above[1][i] = fp[i] / some;
    }
}

wf_status wf_place_precisions(const wf_column *positives, const wf_column *negatives,
                              const int *floats, size_t n, wf_precisions what, wf_moments *out)
{
    double *room = wf_allocate((n ? n : 1) * 4 * sizeof *room);
    if (!room) return WF_NO_MEMORY;
    double *p = room, *q = p + n, *up = q + n, *down = up + n;
    const double *tp = up, *fp = down; /* until the parts take their place */
    double t = 0, by[3], mean = 0, after[2] = {0, 0};
    int every = what != WF_MEAN_PRECISION;
    *out = (wf_moments){0};
    wf_running(positives, floats[0], n, 0, p, up);
    wf_running(negatives, floats[1], n, 0, q, down);
    double sizes[2] = {n ? tp[n - 1] : 0, n ? fp[n - 1] : 0};
    for (size_t i = 0; i < n; i++)
        if (tp[i] + fp[i] > 0) t += (every ? p[i] + q[i] : p[i]) * (tp[i] / (tp[i] + fp[i]));
    out->value = of_precisions(what, t, sizes[0], sizes[1], by);
    for (size_t end = n, start; end; end = start) {
        double part[BLOCK], above[2][BLOCK];
        start = (end - 1) / BLOCK * BLOCK;
        share(p + start, q + start, tp + start, fp + start, end - start, every, part, above);
        for (size_t i = end; i-- > start;) { /* an item moves its own precision and those below */
            double here = above[0][i - start], weight = part[i - start];
            after[0] += weight * above[1][i - start], after[1] += weight * here;
            up[i] = by[0] * (here + after[0]) + by[1];
            down[i] = by[0] * ((every ? here : 0) - after[1]) + by[2];
            mean += p[i] * up[i] + q[i] * down[i];
        }
    }
    double most = sum_powers(p, q, up, down, n, mean / (sizes[0] + sizes[1]), out);
    if (most > 0) {
        double step = WF_STEP / most, moved[2][2], sums[2], at[2];
        moved_sums(p, q, up, down, n, every, step, sums, moved);
        for (int side = 0; side < 2; side++)
            at[side] = of_precisions(what, sums[side], moved[side][0], moved[side][1], NULL);
        out->second = (at[0] - 2 * out->value + at[1]) / (step * step);
    }
    free(room);
    return WF_OK;
}
