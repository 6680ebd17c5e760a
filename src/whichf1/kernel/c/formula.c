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

static int is_binary(int64_t op) { return op <= WF_HIGHER; }

/* The width of each result; 0 if a step is not one. */
static int lay_out(const wf_formula *f, register_ *r, double *room)
{
    size_t held = 0, first = f->inputs + f->constants;
    for (size_t i = 0; i < first + f->steps; i++) {
        if (i < f->inputs) r[i].width = f->classes;
        else if (i < first) r[i].width = 1;
        else {
            const int64_t *step = f->step + 3 * (i - first);
            if (step[0] < 0 || step[0] > WF_NO_ZERO) return 0;
            if (step[1] < 0 || (size_t)step[1] >= i) return 0;
            r[i].width = step[0] == WF_SUM ? 1 : r[step[1]].width;
            if (is_binary(step[0])) {
                if (step[2] < 0 || (size_t)step[2] >= i) return 0;
                if (r[step[2]].width > r[i].width) r[i].width = r[step[2]].width;
            }
        }
        r[i].value = room + held, r[i].slope = room + held + r[i].width;
        held += 2 * r[i].width;
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
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] <= q[b * i] ? p[a * i] : q[b * i];
        break;
    case WF_HIGHER:
        for (size_t i = 0; i < n; i++) to[i] = p[a * i] >= q[b * i] ? p[a * i] : q[b * i];
        break;
    case WF_NEGATIVE:
        for (size_t i = 0; i < n; i++) to[i] = -p[i];
        break;
    case WF_ROOT:
        for (size_t i = 0; i < n; i++) to[i] = sqrt(p[i]);
        break;
    case WF_SUM: to[0] = sum_of(p, x->width); break;
    default:
        for (size_t i = 0; i < n; i++)
            if (p[i] == 0) return 0;
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

wf_status wf_differentiate(const wf_formula *f, const double *inputs, size_t tables, double *values,
                           double *slopes)
{
    size_t first = f->inputs + f->constants, registers = first + f->steps;
    size_t size = f->inputs * f->classes, most = 2 * registers * (f->classes ? f->classes : 1);
    register_ *r = malloc((registers ? registers : 1) * sizeof *r);
    double *room = malloc(most * sizeof *room);
    wf_status status = r && room ? WF_OK : WF_NO_MEMORY;
    if (!status && !lay_out(f, r, room)) status = WF_BAD_CODE;
    for (size_t t = 0; t < tables && !status; t++) {
        memset(room, 0, most * sizeof *room);
        for (size_t i = 0; i < f->inputs; i++)
            memcpy(r[i].value, inputs + t * size + i * f->classes, f->classes * sizeof *room);
        for (size_t i = 0; i < f->constants; i++) r[f->inputs + i].value[0] = f->constant[i];
        for (size_t i = 0; i < f->steps && !status; i++) {
            const int64_t *s = f->step + 3 * i;
            if (!forwards(s[0], r + s[1], r + (is_binary(s[0]) ? s[2] : s[1]), r + first + i))
                status = WF_ZERO;
        }
        if (status) break;
        r[f->result].slope[0] = 1;
        for (size_t i = f->steps; i-- > 0;) {
            const int64_t *s = f->step + 3 * i;
            if (s[0] != WF_NO_ZERO)
                backwards(s[0], r + s[1], r + (is_binary(s[0]) ? s[2] : s[1]), r + first + i);
        }
        values[t] = r[f->result].value[0];
        for (size_t i = 0; i < f->inputs; i++)
            memcpy(slopes + t * size + i * f->classes, r[i].slope, f->classes * sizeof *room);
    }
    free(r);
    free(room);
    return status;
}
