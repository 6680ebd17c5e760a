/* A formula and its slopes, from recorded steps: forwards for the value, backwards for the slopes.
 *
 * A register holds one number for each class, or a single one. The first registers are the inputs,
 * then come the constants, and then what each step computes.
 */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sum as NumPy adds it up, to the bit. */
static double sum_of(const double *x, size_t n)
{
    double sum = 0;
    if (n < 8) {
        for (size_t i = 0; i < n; i++) sum += x[i];
        return sum;
    }
    if (n > 128) {
        size_t half = n / 2 - n / 2 % 8;
        return sum_of(x, half) + sum_of(x + half, n - half);
    }
    double part[8];
    size_t i = 8;
    memcpy(part, x, sizeof part);
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) part[j] += x[i + (size_t)j];
    sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; i < n; i++) sum += x[i];
    return sum;
}

typedef struct {
    double *value, *slope;
    size_t width;
} register_;

static int is_binary(int64_t op) { return op <= WF_HIGHER || op >= WF_AT_LEAST; }
static int is_reduction(int64_t op) { return op == WF_SUM || op == WF_LARGEST || op == WF_FIRST; }

/* The width of each result; 0 if a step is not one. */
static int lay_out(const wf_formula *f, int sloped, register_ *r, double *room)
{
    size_t held = 0, first = f->inputs + f->constants;
    int64_t last = sloped ? WF_NO_ZERO : WF_FIRST;
    for (size_t i = 0; i < first + f->steps; i++) {
        if (i < f->inputs) r[i].width = f->classes;
        else if (i < first) r[i].width = 1;
        else {
            const int64_t *step = f->step + 3 * (i - first);
            if (step[0] < 0 || step[0] > last) return 0;
            if (step[1] < 0 || (size_t)step[1] >= i) return 0;
            r[i].width = is_reduction(step[0]) ? 1 : r[step[1]].width;
            if (is_binary(step[0])) {
                if (step[2] < 0 || (size_t)step[2] >= i) return 0;
                if (!is_reduction(step[0]) && r[step[2]].width > r[i].width)
                    r[i].width = r[step[2]].width;
            }
        }
        r[i].value = room + held, r[i].slope = r[i].value + (sloped ? r[i].width : 0);
        held += (sloped ? 2 : 1) * r[i].width;
    }
    return f->result < first + f->steps && r[f->result].width == 1;
}

/* One step forwards; 0 if a number that must not be 0 is. */
static int forwards(int64_t op, const register_ *x, const register_ *y, register_ *out)
{
    size_t a = x->width > 1, b = y->width > 1, n = out->width;
    const double *p = x->value, *q = y->value;
    double *to = out->value;
    switch (op) {
    case WF_ADD:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] + q[b * i];
        break;
    case WF_SUBTRACT:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] - q[b * i];
        break;
    case WF_MULTIPLY:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] * q[b * i];
        break;
    case WF_DIVIDE:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] / q[b * i];
        break;
    case WF_LOWER:
        for (size_t i = 0; i < n; i++) /* NaN stays, as in NumPy, also below */
            to[i] = p[a * i] <= q[b * i] || isnan(p[a * i]) ? p[a * i] : q[b * i];
        break;
    case WF_HIGHER:
        for (size_t i = 0; i < n; i++)
            to[i] = p[a * i] >= q[b * i] || isnan(p[a * i]) ? p[a * i] : q[b * i];
        break;
    case WF_NEGATIVE:
        for (size_t i = 0; i < n; i++) to[i] = -p[i];
        break;
    case WF_ROOT:
        for (size_t i = 0; i < n; i++) to[i] = sqrt(p[i]);
        break;
    case WF_SUM: to[0] = sum_of(p, x->width); break;
    case WF_NO_ZERO:
        for (size_t i = 0; i < n; i++) {
            if (p[i] == 0) return 0;
            to[i] = p[i];
        }
        break;
    case WF_SIZE:
        for (size_t i = 0; i < n; i++) to[i] = fabs(p[i]);
        break;
    case WF_OR_ONE:
        for (size_t i = 0; i < n; i++) to[i] = p[i] == 0 ? 1 : p[i];
        break;
    case WF_LARGEST:
        to[0] = p[0];
        for (size_t i = 1; i < x->width; i++) to[0] = p[i] > to[0] || isnan(p[i]) ? p[i] : to[0];
        break;
    case WF_AT_LEAST:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] >= q[b * i];
        break;
    case WF_AT_MOST:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] <= q[b * i];
        break;
    case WF_ABOVE:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] > q[b * i];
        break;
    case WF_KEPT:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] != 0 ? q[b * i] : 0;
        break;
    default: {
        size_t at = 0;
        while (at < x->width && p[at] == 0) at++;
        to[0] = q[at < y->width ? at : 0]; /* nowhere: as NumPy's argmax */
    }
    }
    return 1;
}

/* One step backwards: what flows to its arguments. */
static void backwards(int64_t op, register_ *x, register_ *y, const register_ *out)
{
    size_t a = x->width > 1, b = y->width > 1, n = op == WF_SUM ? x->width : out->width;
    const double *p = x->value, *q = y->value, *r = out->value, *g = out->slope;
    for (size_t i = 0; i < n; i++) {
        double to_x = 0, to_y = 0;
        switch (op) {
        case WF_ADD: to_x = to_y = g[i]; break;
        case WF_SUBTRACT: to_x = g[i], to_y = -g[i]; break;
        case WF_MULTIPLY: to_x = g[i] * q[b * i], to_y = g[i] * p[a * i]; break;
        case WF_DIVIDE: to_x = g[i] / q[b * i], to_y = g[i] * (-r[i] / q[b * i]); break;
        case WF_LOWER: *(p[a * i] <= q[b * i] ? &to_x : &to_y) = g[i]; break;
        case WF_HIGHER: *(p[a * i] >= q[b * i] ? &to_x : &to_y) = g[i]; break;
        case WF_NEGATIVE: to_x = -g[i]; break;
        case WF_ROOT: to_x = r[i] != 0 ? g[i] / (2 * r[i]) : 0; break;
        default: to_x = g[0];
        }
        x->slope[a * i] += to_x;
        if (is_binary(op)) y->slope[b * i] += to_y;
    }
}

/* The registers of a formula, in one block of memory. */
typedef struct {
    const wf_formula *formula;
    register_ *r;
    double *room;
    size_t size; /* of the room for slopes and values; 0 if there are no slopes */
} work;

static wf_status begin(work *w, const wf_formula *f, int sloped)
{
    size_t registers = f->inputs + f->constants + f->steps;
    size_t size = (sloped ? 2 : 1) * registers * (f->classes ? f->classes : 1);
    w->formula = f;
    w->size = sloped ? size : 0;
    w->r = malloc((registers ? registers : 1) * sizeof *w->r);
    w->room = malloc((size ? size : 1) * sizeof *w->room);
    if (!w->r || !w->room) return WF_NO_MEMORY;
    return lay_out(f, sloped, w->r, w->room) ? WF_OK : WF_BAD_CODE;
}

static wf_status start(work *w, const wf_formula *f) { return begin(w, f, 1); }

static void end(work *w)
{
    free(w->r);
    free(w->room);
}

/* The value for these inputs (inputs, classes). */
static wf_status evaluate(work *w, const double *inputs, double *value)
{
    const wf_formula *f = w->formula;
    register_ *r = w->r;
    size_t first = f->inputs + f->constants;
    memset(w->room, 0, w->size * sizeof *w->room);
    for (size_t i = 0; i < f->inputs; i++)
        memcpy(r[i].value, inputs + i * f->classes, f->classes * sizeof *inputs);
    for (size_t i = 0; i < f->constants; i++) r[f->inputs + i].value[0] = f->constant[i];
    for (size_t i = 0; i < f->steps; i++) {
        const int64_t *s = f->step + 3 * i;
        if (!forwards(s[0], r + s[1], r + (is_binary(s[0]) ? s[2] : s[1]), r + first + i))
            return WF_ZERO;
    }
    *value = r[f->result].value[0];
    return WF_OK;
}

/* After that, the slopes: they are in the registers of the inputs. */
static void differentiate(work *w)
{
    const wf_formula *f = w->formula;
    register_ *r = w->r;
    r[f->result].slope[0] = 1;
    for (size_t i = f->steps; i-- > 0;) {
        const int64_t *s = f->step + 3 * i;
        if (s[0] != WF_NO_ZERO)
            backwards(s[0], r + s[1], r + (is_binary(s[0]) ? s[2] : s[1]),
                      r + f->inputs + f->constants + i);
    }
}

wf_status wf_evaluate(const wf_formula *f, const double *inputs, double *value)
{
    work w;
    wf_status status = begin(&w, f, 0);
    if (!status) status = evaluate(&w, inputs, value);
    end(&w);
    return status;
}

wf_status wf_differentiate(const wf_formula *f, const double *inputs, size_t tables, double *values,
                           double *slopes)
{
    work w;
    size_t size = f->inputs * f->classes;
    wf_status status = start(&w, f);
    for (size_t t = 0; t < tables && !status; t++) {
        status = evaluate(&w, inputs + t * size, values + t);
        if (status) break;
        differentiate(&w);
        for (size_t i = 0; i < f->inputs; i++)
            memcpy(slopes + t * size + i * f->classes, w.r[i].slope, f->classes * sizeof *slopes);
    }
    end(&w);
    return status;
}

/* The slope of a cell that is wrong is that of its true class plus that of its predicted one; a cell
 * is a true negative of all classes but its own. */
static void slopes_of_cells(work *w)
{
    register_ *r = w->r;
    size_t k = w->formula->classes;
    double *tp = r[0].slope, *fp = r[1].slope, *fn = r[2].slope, *tn = r[3].slope;
    double total = sum_of(tn, k);
    for (size_t i = 0; i < k; i++) {
        double others = total - tn[i];
        tp[i] += others, fn[i] += others, fp[i] -= tn[i];
    }
}

/* tp, fp, fn and tn of all classes from the first three; NULL without memory. */
static double *inputs_of(const double *margins, size_t k)
{
    const double *tp = margins, *fp = margins + k, *fn = margins + 2 * k;
    double *inputs = malloc(4 * (k ? k : 1) * sizeof *inputs), n = 0;
    if (!inputs) return NULL;
    memcpy(inputs, margins, 3 * k * sizeof *inputs);
    for (size_t i = 0; i < k; i++) n += tp[i] + fn[i];
    for (size_t i = 0; i < k; i++) inputs[3 * k + i] = n - tp[i] - fp[i] - fn[i];
    return inputs;
}

wf_status wf_table_value(const wf_formula *f, const double *margins, double *value)
{
    double *inputs = inputs_of(margins, f->classes);
    wf_status status = !inputs ? WF_NO_MEMORY : f->inputs != 4 ? WF_BAD_CODE : WF_OK;
    if (!status) status = wf_evaluate(f, inputs, value);
    free(inputs);
    return status;
}

wf_status wf_table_spread(const wf_formula *f, const double *margins, const wf_table_cells *cells,
                          int every, wf_spread *out)
{
    size_t k = f->classes;
    const double *tp = margins, *fp = margins + k, *fn = margins + 2 * k;
    double *inputs = inputs_of(margins, k);
    work w = {0};
    wf_status status = inputs ? start(&w, f) : WF_NO_MEMORY;
    if (!status && f->inputs != 4) status = WF_BAD_CODE;
    *out = (wf_spread){.least = {INFINITY, INFINITY, INFINITY, INFINITY}};
    if (!status) {
        for (size_t i = 0; i < k; i++) {
            double sizes[4] = {tp[i] + fn[i], tp[i], fp[i], fn[i]};
            for (int j = 0; j < 4 && (every || sizes[0] + fp[i] > 0); j++)
                if (sizes[j] < out->least[j]) out->least[j] = sizes[j];
        }
        status = evaluate(&w, inputs, &out->value);
    }
    for (size_t i = 0; i < cells->cells && !status && !cells->predicted; i++)
        if (cells->true_[i] < 0 || (uint64_t)cells->true_[i] >= (uint64_t)k * k)
            status = WF_BAD_CODE;
    for (size_t i = 0; i < cells->cells && !status && cells->predicted; i++)
        if (cells->true_[i] < 0 || (uint64_t)cells->true_[i] >= k || cells->predicted[i] < 0 ||
            (uint64_t)cells->predicted[i] >= k)
            status = WF_BAD_CODE;
    if (!status) {
        differentiate(&w);
        slopes_of_cells(&w);
        const double *right = w.r[0].slope, *columns = w.r[1].slope, *rows = w.r[2].slope;
        double square = 0, cube = 0;
        for (size_t i = 0; i < cells->cells; i++) {
            size_t row = (size_t)cells->true_[i], column;
            if (cells->predicted) column = (size_t)cells->predicted[i];
            else column = row % k, row /= k;
            double slope = row == column ? right[row] : rows[row] + columns[column];
            double part = cells->count[i] * slope;
            square += part * slope, cube += part * slope * slope;
        }
        out->square = square, out->cube = cube;
    }
    end(&w);
    free(inputs);
    return status;
}

wf_status wf_class_spread(const wf_formula *f, const double *kinds, int bent, wf_spread *out)
{
    work w = {0};
    double slope[4], total = 0, mean = 0, along = 0, moved[2] = {0}, inputs[4];
    wf_status status = start(&w, f);
    *out = (wf_spread){0};
    if (!status && (f->inputs != 4 || f->classes != 1)) status = WF_BAD_CODE;
    if (!status) status = evaluate(&w, kinds, &out->value);
    if (!status) {
        differentiate(&w);
        for (int i = 0; i < 4; i++) slope[i] = w.r[i].slope[0], mean += kinds[i] * slope[i];
        for (int i = 0; i < 4; i++) total += kinds[i];
        for (int i = 0; i < 4; i++) {
            slope[i] -= mean / total;
            double part = kinds[i] * slope[i];
            out->square += part * slope[i], out->cube += part * slope[i] * slope[i];
            if (kinds[i] > 0 && fabs(slope[i]) > along) along = fabs(slope[i]);
        }
    }
    if (!status && bent && along > 0) { /* when each count changes by these fractions of itself */
        double step = WF_STEP / along;
        for (int side = 0; side < 2 && !status; side++) {
            for (int i = 0; i < 4; i++)
                inputs[i] = kinds[i] * (1 + (side ? step : -step) * slope[i]);
            status = evaluate(&w, inputs, &moved[side]);
        }
        out->second = (moved[0] - 2 * out->value + moved[1]) / (step * step);
    }
    end(&w);
    return status;
}

wf_status wf_rank_value(const wf_formula *of_steps, const wf_column *scores,
                        const wf_column *positive, size_t n, wf_rank_score *out)
{
    enum { SCORE, POSITIVES, NEGATIVES, ABOVE, BELOW, INPUTS };
    if (!n || n >= INT32_MAX || of_steps->inputs != INPUTS) return WF_BAD_CODE;
    double *room = malloc((INPUTS + 1) * n * sizeof *room);
    if (!room) return WF_NO_MEMORY;
    int32_t *counts = (int32_t *)(void *)(room + INPUTS * n);
    wf_ranking ranks = {room, counts, counts + n, 0, 0};
    wf_status status = wf_rank(scores, positive, NULL, n, 1, &ranks);
    if (!status) {
        size_t k = ranks.distinct;
        for (size_t side = 0; side < 2; side++) {
            double *plain = room + (POSITIVES + side) * k, *running = room + (ABOVE + side) * k;
            double sum = 0;
            for (size_t i = 0; i < k; i++) {
                plain[i] = counts[side * n + i];
                running[i] = sum += plain[i];
            }
        }
        wf_formula formula = *of_steps;
        formula.classes = k;
        *out = (wf_rank_score){.positives = room[ABOVE * k + k - 1],
                               .negatives = room[BELOW * k + k - 1],
                               .highest = room[SCORE],
                               .lowest = room[SCORE + k - 1]};
        status = wf_evaluate(&formula, room, &out->value);
    }
    free(room);
    return status;
}
