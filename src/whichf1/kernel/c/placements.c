/* What the variance of a score of a ranking is computed from: of the area under a ROC curve, in one
 * pass over the ranking, and of scores of the precision at each score. */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 512 };

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

/* The same sum for counts that change by a fraction of these parts of themselves. */
static double moved_sum(const double *p, const double *q, const double *up, const double *down,
                        size_t n, int every, double step, double *sizes)
{
    double t = 0, tp = 0, fp = 0;
    for (size_t i = 0; i < n; i++) {
        double a = p[i] * (1 + step * up[i]), b = q[i] * (1 + step * down[i]);
        tp += a, fp += b;
        if (tp + fp > 0) t += (every ? a + b : a) * (tp / (tp + fp));
    }
    sizes[0] = tp, sizes[1] = fp;
    return t;
}

wf_status wf_place_precisions(const wf_column *positives, const wf_column *negatives,
                              const int *floats, size_t n, wf_precisions what, wf_moments *out)
{
    double *room = wf_allocate((n ? n : 1) * 6 * sizeof *room);
    if (!room) return WF_NO_MEMORY;
    double *p = room, *q = p + n, *tp = q + n, *fp = tp + n, *up = fp + n, *down = up + n;
    double t = 0, by[3], mean = 0, most = 0, after[2] = {0, 0};
    int every = what != WF_MEAN_PRECISION;
    *out = (wf_moments){0};
    wf_running(positives, floats[0], n, 0, p, tp);
    wf_running(negatives, floats[1], n, 0, q, fp);
    double sizes[2] = {n ? tp[n - 1] : 0, n ? fp[n - 1] : 0};
    for (size_t i = 0; i < n; i++)
        if (tp[i] + fp[i] > 0) t += (every ? p[i] + q[i] : p[i]) * (tp[i] / (tp[i] + fp[i]));
    out->value = of_precisions(what, t, sizes[0], sizes[1], by);
    for (size_t i = n; i-- > 0;) { /* an item moves the precision at its own score and below it */
        double size = tp[i] + fp[i], here = size > 0 ? tp[i] / size : 0;
        double weight = size > 0 ? (every ? p[i] + q[i] : p[i]) / (size * size) : 0;
        after[0] += weight * fp[i], after[1] += weight * tp[i];
        up[i] = by[0] * (here + after[0]) + by[1];
        down[i] = by[0] * ((every ? here : 0) - after[1]) + by[2];
        mean += p[i] * up[i] + q[i] * down[i];
    }
    mean /= sizes[0] + sizes[1];
    for (size_t i = 0; i < n; i++) {
        double u = up[i] -= mean, d = down[i] -= mean;
        double ups = p[i] * u * u, downs = q[i] * d * d;
        out->squares[0] += ups, out->squares[1] += downs;
        out->cubes += ups * u + downs * d;
        out->fourths += ups * (u * u) + downs * (d * d);
        if (p[i] > 0 && fabs(u) > most) most = fabs(u);
        if (q[i] > 0 && fabs(d) > most) most = fabs(d);
    }
    if (most > 0) {
        double step = WF_STEP / most, moved[2], at[2];
        for (int side = 0; side < 2; side++) {
            double sum = moved_sum(p, q, up, down, n, every, side ? step : -step, moved);
            at[side] = of_precisions(what, sum, moved[0], moved[1], NULL);
        }
        out->second = (at[0] - 2 * out->value + at[1]) / (step * step);
    }
    free(room);
    return WF_OK;
}
