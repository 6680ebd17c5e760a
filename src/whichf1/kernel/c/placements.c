/* What the variance of the area under a ROC curve is computed from, in one pass over the ranking. */
#include "kernel.h"

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

/* With s and t the parts of a positive and of a negative in the area, Σs², Σt², Σs³ + Σt³, Σs⁴ + Σt⁴,
 * and Σ s t over the pairs in order, of which those of equal scores count half. */
wf_placements wf_place(const wf_column *positives, const wf_column *negatives, const int *floats,
                       size_t n, const double *sizes, double area)
{
    double p[BLOCK], q[BLOCK], tp[BLOCK], fp[BLOCK], above[2] = {0, 0}, passed = 0;
    double pairs = sizes[0] * sizes[1];
    double slope = 1 / pairs, first = (1 - area) / sizes[0], other = -area / sizes[1];
    wf_placements out = {{0, 0}, 0, 0, 0};
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t size = n - at < BLOCK ? n - at : BLOCK;
        wf_placements sums = {{0, 0}, 0, 0, 0};
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
