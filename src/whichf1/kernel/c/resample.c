/* Replicates of how often units are drawn, and their sums: what resampling spends its time on.
 *
 * A row belongs to a unit and holds its replicates side by side, so that a sum over units adds whole
 * rows. Draws do not depend on the number of threads or on how replicates are split into calls.
 */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of rows ------------------------------------------------------------------------------- */

enum { BLOCK = 512, SHORT_SUMS = 257 }; /* 257 · 255 still fits 16 bits */

VECTORISED static void add_bytes(uint16_t *sums, const uint8_t *row, size_t n)
{
    for (size_t i = 0; i < n; i++) sums[i] = (uint16_t)(sums[i] + row[i]);
}

VECTORISED static void add_shorts(double *sums, const uint16_t *row, size_t n)
{
    for (size_t i = 0; i < n; i++) sums[i] += row[i];
}

VECTORISED static void add_integers(double *sums, const int32_t *row, size_t n)
{
    for (size_t i = 0; i < n; i++) sums[i] += row[i];
}

typedef struct {
    const wf_rows *rows;
    const wf_groups *groups;
    double *sums;
    int parts;
    wf_status status[WF_MOST_THREADS];
} sum_work;

/* The sums of one group over a block of replicates; the numbers of rows are checked as they are read,
 * once, since other threads may write to them. */
static wf_status sum_group(const sum_work *w, size_t group, size_t at, size_t n, double *sums)
{
    const wf_rows *rows = w->rows;
    uint16_t small[BLOCK];
    size_t held = 0, from = (size_t)w->groups->starts[group],
           to = (size_t)w->groups->starts[group + 1];
    if (from > to || to > w->groups->entries) return WF_BAD_CODE;
    memset(sums, 0, n * sizeof *sums);
    memset(small, 0, sizeof small);
    for (size_t i = from; i < to; i++) {
        size_t row = (size_t)w->groups->order[i];
        if (row >= rows->units) return WF_BAD_CODE;
        if (rows->width == 4) {
            add_integers(sums, (const int32_t *)rows->data + row * rows->replicates + at, n);
            continue;
        }
        add_bytes(small, (const uint8_t *)rows->data + row * rows->replicates + at, n);
        if (++held < SHORT_SUMS && i + 1 < to) continue;
        add_shorts(sums, small, n);
        memset(small, 0, sizeof small);
        held = 0;
    }
    return WF_OK;
}

static void sum_part(void *context, int index)
{
    sum_work *w = context;
    size_t replicates = w->rows->replicates, blocks = (replicates + BLOCK - 1) / BLOCK;
    size_t part = (size_t)index, parts = (size_t)w->parts;
    wf_status status = WF_OK;
    for (size_t b = part * blocks / parts; b < (part + 1) * blocks / parts && !status; b++) {
        size_t at = b * BLOCK, n = replicates - at < BLOCK ? replicates - at : BLOCK;
        for (size_t g = 0; g < w->groups->groups && !status; g++)
            status = sum_group(w, g, at, n, w->sums + g * replicates + at);
    }
    w->status[index] = status;
}

wf_status wf_sum_rows(const wf_rows *rows, const wf_groups *groups, int threads, double *sums)
{
    size_t blocks = (rows->replicates + BLOCK - 1) / BLOCK;
    int parts = (size_t)threads < blocks ? threads : (int)blocks;
    if (parts < 1) return WF_OK;
    sum_work w = {rows, groups, sums, parts, {WF_OK}};
    wf_parallel(parts, sum_part, &w);
    for (int i = 0; i < parts; i++)
        if (w.status[i]) return w.status[i];
    return WF_OK;
}

/* Coin flips --------------------------------------------------------------------------------- */

/* Word i of an endless stream of random bits: SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t random_word(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* How many of the bits from one to another are set. */
static unsigned set_bits(uint64_t seed, uint64_t stream, uint64_t from, uint64_t to)
{
    unsigned count = 0;
    while (from < to) {
        uint64_t word = random_word(seed, stream + from / 64) >> from % 64, left = 64 - from % 64;
        if (to - from < left) {
            left = to - from;
            word &= (UINT64_C(1) << left) - 1;
        }
        count += ones(word);
        from += left;
    }
    return count;
}

VECTORISED static void spread_bits(uint64_t word, uint8_t *bits)
{
    for (int i = 0; i < 64; i++) bits[i] = (uint8_t)(word >> i & 1);
}

typedef struct {
    const int64_t *count;
    uint64_t seed;
    size_t first; /* replicate */
    int parts;
    wf_rows *out;
} flip_work;

/* One coin for each replicate: the bits themselves. */
static void flip_singles(const flip_work *w, uint64_t stream, uint8_t *row)
{
    size_t at = w->first, end = w->first + w->out->replicates;
    while (at < end) {
        uint8_t bits[64];
        size_t skip = at % 64, n = 64 - skip < end - at ? 64 - skip : end - at;
        spread_bits(random_word(w->seed, stream + at / 64), bits);
        memcpy(row + (at - w->first), bits + skip, n);
        at += n;
    }
}

/* Replicate r of a unit of m items counts the bits from r·m on of the unit's stream. */
static void flip_part(void *context, int index)
{
    const flip_work *w = context;
    size_t part = (size_t)index, parts = (size_t)w->parts, units = w->out->units;
    for (size_t u = part * units / parts; u < (part + 1) * units / parts; u++) {
        uint64_t stream = (uint64_t)u << 32, items = (uint64_t)w->count[u];
        size_t at = u * w->out->replicates;
        uint8_t *bytes = (uint8_t *)w->out->data + at;
        if (w->out->width == 1 && items == 1) {
            flip_singles(w, stream, bytes);
            continue;
        }
        for (size_t r = 0; r < w->out->replicates; r++) {
            uint64_t from = (w->first + r) * items;
            unsigned heads = set_bits(w->seed, stream, from, from + items);
            if (w->out->width == 1) bytes[r] = (uint8_t)heads;
            else ((int32_t *)w->out->data)[at + r] = (int32_t)heads;
        }
    }
}

void wf_flips(const int64_t *count, uint64_t seed, size_t first, int threads, wf_rows *out)
{
    flip_work w = {count, seed, first, threads, out};
    if ((size_t)threads > out->units) w.parts = out->units ? (int)out->units : 1;
    wf_parallel(w.parts, flip_part, &w);
}

/* The multinomial distribution, number for number as NumPy's Generator(PCG64) draws it ---------- */

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static void step(wf_generator *g)
{
    const wide by = (wide)UINT64_C(0x2360ed051fc65da4) << 64 | UINT64_C(0x4385df649fccf645);
    wide state = ((wide)g->high << 64 | g->low) * by;
    state += (wide)g->more_high << 64 | g->more_low;
    g->high = (uint64_t)(state >> 64), g->low = (uint64_t)state;
}
#else
static uint64_t high_product(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static void step(wf_generator *g)
{
    const uint64_t high = UINT64_C(0x2360ed051fc65da4), low = UINT64_C(0x4385df649fccf645);
    uint64_t top = g->high * low + g->low * high + high_product(g->low, low);
    uint64_t bottom = g->low * low + g->more_low;
    g->high = top + g->more_high + (bottom < g->more_low);
    g->low = bottom;
}
#endif

/* PCG XSL RR 128/64 (O'Neill 2014), as a number in [0, 1) with 53 bits. */
static double uniform(wf_generator *g)
{
    step(g);
    uint64_t x = g->high ^ g->low;
    unsigned turn = (unsigned)(g->high >> 58);
    x = x >> turn | x << (-turn & 63);
    return (double)(x >> 11) * 0x1p-53;
}

/* A binomial number by adding up its probabilities, with the first of them, (1 − p)ⁿ. */
static int64_t invert(wf_generator *g, double u, int64_t n, double p)
{
    double q = 1.0 - p, first = exp((double)n * log1p(-p)), mean = (double)n * p;
    double limit = mean + 10.0 * sqrt(mean * q + 1);
    int64_t most = (double)n < limit ? n : (int64_t)limit, x = 0;
    double here = first;
    while (u > here) {
        if (++x > most) {
            x = 0, here = first, u = uniform(g);
            continue;
        }
        u -= here;
        here = (double)(n - x + 1) * p * here / ((double)x * q);
    }
    return x;
}

/* What Stirling's formula leaves out of a factorial, as BTPE has it. */
static double stirling(double x)
{
    double y = x * x;
    return (13680. - (462. - (132. - (99. - 140. / y) / y) / y) / y) / x / 166320.;
}

/* A binomial number of mean above 30 with p up to ½: algorithm BTPE of Kachitvichyanukul and
 * Schmeiser (1988). A parallelogram and two exponential tails cover the distribution. */
static int64_t btpe(wf_generator *g, int64_t n, double p)
{
    double r = p < 1.0 - p ? p : 1.0 - p, q = 1.0 - r, fm = (double)n * r + r;
    int64_t m = (int64_t)floor(fm), y;
    double p1 = floor(2.195 * sqrt((double)n * r * q) - 4.6 * q) + 0.5, xm = (double)m + 0.5;
    double xl = xm - p1, xr = xm + p1, c = 0.134 + 20.5 / (15.3 + (double)m);
    double a = (fm - xl) / (fm - xl * r), left = a * (1.0 + a / 2.0);
    a = (xr - fm) / (xr * q);
    double right = a * (1.0 + a / 2.0);
    double p2 = p1 * (1.0 + 2.0 * c), p3 = p2 + c / left, p4 = p3 + c / right;
    double variance = (double)n * r * q;
    for (;;) {
        double u = uniform(g) * p4, v = uniform(g);
        if (u <= p1) return (int64_t)floor(xm - p1 * v + u);
        if (u <= p2) {
            double x = xl + (u - p1) / c;
            v = v * c + 1.0 - fabs((double)m - x + 0.5) / p1;
            if (v > 1.0) continue;
            y = (int64_t)floor(x);
        } else if (u <= p3) {
            y = (int64_t)floor(xl + log(v) / left);
            if (y < 0 || v == 0.0) continue;
            v = v * (u - p2) * left;
        } else {
            y = (int64_t)floor(xr - log(v) / right);
            if (y > n || v == 0.0) continue;
            v = v * (u - p3) * right;
        }
        int64_t k = y > m ? y - m : m - y;
        if (k <= 20 || (double)k >= variance / 2.0 - 1) { /* the ratio to the mode, by recursion */
            double s = r / q, f = 1.0;
            a = s * (double)(n + 1);
            for (int64_t i = m + 1; i <= y; i++) f *= a / (double)i - s;
            for (int64_t i = y + 1; i <= m; i++) f /= a / (double)i - s;
            if (v > f) continue;
            return y;
        }
        double d = (double)k;
        double rho =
            (d / variance) * ((d * (d / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5);
        double t = -d * d / (2 * variance), log_v = log(v);
        if (log_v < t - rho) return y;
        if (log_v > t + rho) continue;
        double x1 = (double)(y + 1), f1 = (double)(m + 1), z = (double)(n + 1 - m);
        double w = (double)(n - y + 1);
        double bound = xm * log(f1 / x1) + ((double)(n - m) + 0.5) * log(z / w) +
                       (double)(y - m) * log(w * r / (x1 * q)) + stirling(f1) + stirling(z) +
                       stirling(x1) + stirling(w);
        if (log_v <= bound) return y;
    }
}

/* A unit, given all units before it. */
typedef struct {
    double p;      /* of the smaller side */
    double odds;   /* p / (1 − p) */
    double log_q;  /* ln(1 − p) */
    double first;  /* (1 − p)^about */
    int64_t about; /* as many items as are likely left */
    int larger;    /* whether p is that of all other units */
} conditional;

static const double CLOSE = 1e-9; /* more than the error of all that is approximated here */
enum { INVERSES = 64 };           /* numbers whose inverse is known, beyond which few are drawn */

/* The number after the first four, from the probabilities up to the last of these: as invert(), but a
 * step is one product that waits for the one before. The number itself, or -1 if it is not certain. */
static int64_t search(double u, double here, double upto, int64_t n, double odds,
                      const double *inverse)
{
    double all = (double)(n + 1) * odds, before;
    int64_t x = 3;
    do {
        if (++x == INVERSES) return -1;
        before = upto;
        here *= all * inverse[x] - odds;
        upto += here;
    } while (u > upto);
    return u - before < CLOSE || upto - u < CLOSE ? -1 : x;
}

/* The same as invert(), a few times as fast, without a branch that is hard to predict: (1 − p)ⁿ comes
 * from (1 − p)^about by a series, and the first numbers are compared at once. Where that could decide
 * otherwise, or the number is very large, it is found exactly. */
static int64_t invert_quickly(wf_generator *g, const conditional *c, int64_t n,
                              const double *inverse)
{
    double u = uniform(g), items = (double)n, z = (double)(n - c->about) * c->log_q, first;
    double one = items * c->odds, two = one * (items - 1) * c->odds * 0.5;
    double three = two * (items - 2) * c->odds * (1. / 3);
    double upto[] = {1, 1 + one, 1 + one + two, 1 + one + two + three};
    if (fabs(z) < 0.1) {
        double zz = z * z;
        double low = 1 + z + zz * (0.5 + z * (1. / 6)), high = 1. / 24 + z * (1. / 120);
        first = c->first * (low + zz * zz * (high + zz * (1. / 720)));
    } else {
        first = exp(items * c->log_q);
    }
    int64_t x = 0;
    int close = 0;
    for (int i = 0; i < 4; i++) {
        double off = u - first * upto[i];
        x += off > 0;
        close |= fabs(off) < CLOSE;
    }
    if (x == 4 && !close) x = search(u, first * three, first * upto[3], n, c->odds, inverse);
    return close || x < 0 ? invert(g, u, n, c->p) : x;
}

static int64_t binomial(wf_generator *g, const conditional *c, int64_t n, const double *inverse)
{
    if (n == 0 || (c->p == 0.0 && !c->larger)) return 0; /* one that is certain takes a number */
    int64_t x = c->p * (double)n <= 30.0 ? invert_quickly(g, c, n, inverse) : btpe(g, n, c->p);
    return c->larger ? n - x : x;
}

/* Replicates of all units, one after the other. */
static void draw(wf_generator *g, const conditional *every, size_t units, int64_t items,
                 const double *inverse, int32_t *row)
{
    int64_t rest = items;
    memset(row, 0, units * sizeof *row);
    for (size_t u = 0; u + 1 < units && rest > 0; u++) {
        int64_t x = binomial(g, every + u, rest, inverse);
        row[u] = (int32_t)x;
        rest -= x;
    }
    if (rest > 0) row[units - 1] = (int32_t)rest;
}

/* Rows of replicates become rows of units; returns bits that no byte has. */
static int32_t transpose(const int32_t *drawn, size_t n, size_t at, wf_rows *out)
{
    int32_t every = 0;
    for (size_t u = 0; u < out->units; u++) {
        const int32_t *from = drawn + u;
        size_t to = u * out->replicates + at;
        for (size_t r = 0; r < n; r++, from += out->units) {
            every |= *from;
            if (out->width == 1) ((uint8_t *)out->data)[to + r] = (uint8_t)*from;
            else ((int32_t *)out->data)[to + r] = *from;
        }
    }
    return every & ~255;
}

wf_status wf_multinomial(wf_generator *g, int64_t items, const double *share, wf_rows *out)
{
    enum { AT_ONCE = 64 };
    size_t units = out->units;
    conditional *every = malloc(units * sizeof *every);
    int32_t *drawn = malloc(AT_ONCE * units * sizeof *drawn), beyond = 0;
    double left = 1.0, inverse[INVERSES];
    for (int x = 1; x < INVERSES; x++) inverse[x] = 1.0 / x;
    wf_status status = every && drawn ? WF_OK : WF_NO_MEMORY;
    for (size_t u = 0; u < units && !status; u++) {
        double p = share[u] / left;
        conditional *c = every + u;
        c->larger = p > 0.5;
        c->p = c->larger ? 1.0 - p : p;
        c->odds = c->p / (1 - c->p);
        c->log_q = log1p(-c->p);
        c->about = (int64_t)((double)items * left);
        c->first = exp((double)c->about * c->log_q);
        left -= share[u];
    }
    for (size_t at = 0; at < out->replicates && !status; at += AT_ONCE) {
        size_t n = out->replicates - at < AT_ONCE ? out->replicates - at : AT_ONCE;
        for (size_t r = 0; r < n; r++) draw(g, every, units, items, inverse, drawn + r * units);
        beyond |= transpose(drawn, n, at, out);
        if (beyond && out->width == 1) status = WF_BAD_CODE;
    }
    free(every);
    free(drawn);
    return status;
}
