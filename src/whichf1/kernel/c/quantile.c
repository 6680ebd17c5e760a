/* Quantiles of the beta distribution, and so of Student's t.
 *
 * They are sought on the logit scale, z = ln(x / (1 - x)), where both tails keep all their digits and
 * the derivative of I_x(a, b) is x^a (1 - x)^b / B(a, b): what stands before the continued fraction.
 * The logarithm of either tail is concave in z, so that Newton's steps end from any start. */
#include <math.h>

#include "kernel.h"

#define MOST_TERMS 1e7 /* few for most items; about the root of their number near the mean */
#define MOST_STEPS 200
#define SETTLED 1e-7 /* of a step: what it leaves is about its cube */
#define MOST_STEP 20.0
#define SMALLEST 1e-300

/* ln z! less Stirling's formula for it (Loader 2000). */
static double stirling_error(double z)
{
    const double half_log_2pi = 0.91893853320467274178;
    if (z <= 15) return lgamma(z + 1) - (z + 0.5) * log(z) + z - half_log_2pi;
    double s = 1 / (z * z);
    return (1.0 / 12 -
            (1.0 / 360 -
             (1.0 / 1260 - (1.0 / 1680 - (1.0 / 1188 - 691.0 / 360360 * s) * s) * s) * s) *
                s) /
           z;
}

/* k ln(k / m) + m - k, without cancellation where k is close to m (Loader 2000). */
static double deviance(double k, double m)
{
    if (fabs(k - m) > 0.1 * (k + m)) return k * log(k / m) + m - k;
    double v = (k - m) / (k + m), sum = (k - m) * v, term = 2 * k * v;
    for (int j = 1; j < 1000; j++) {
        term *= v * v;
        double next = sum + term / (2 * j + 1);
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

/* x^a y^b / B(a, b), where y = 1 - x. */
static double density(double a, double b, double x, double y)
{
    const double two_pi = 6.28318530717958647693;
    double n = a + b;
    double exponent = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                      deviance(a, n * x) - deviance(b, n * y);
    return sqrt(a / n * b / two_pi) * exp(exponent);
}

/* I_x(a, b) over x^a y^b / B(a, b), for x up to about the mean (DiDonato and Morris 1992). */
static double fraction(double a, double b, double x, double y)
{
    double value = a * (a * y - b * x + 1) / (a + 1), c = value, d = 0;
    for (double m = 1; m < MOST_TERMS; m++) {
        double e = a + 2 * m;
        double over = (a + m - 1) * (a + b + m - 1) * m * (b - m) * x * x / ((e - 1) * (e - 1));
        double under =
            m + m * (b - m) * x / (e - 1) + (a + m) * (a * y - b * x + 1 + m * (2 - x)) / (e + 1);
        d = 1 / (under + over * d);
        c = under + over / c;
        value *= c * d;
        if (fabs(c * d - 1) < 1e-16) break;
    }
    return 1 / value;
}

/* A first guess (Abramowitz and Stegun 26.5.22; of a pole at an end, from the power law there). */
static double guess(double a, double b, double p, double q)
{
    if (a > 1 && b > 1) {
        double t = sqrt(-2 * log(p < q ? p : q));
        double normal = t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t));
        if (p < q) normal = -normal;
        double r = 1 / (2 * a - 1), s = 1 / (2 * b - 1), h = 2 / (r + s);
        double l = (normal * normal - 3) / 6;
        double w = normal * sqrt(l + h) / h + (r - s) * (l + 5.0 / 6 - 2 / (3 * h));
        return log(a / b) + 2 * w;
    }
    double left = exp(a * log(a / (a + b))) / a, right = exp(b * log(b / (a + b))) / b;
    double both = left + right;
    int lower = p < left / both;
    double at = lower ? log(a * both * p) / a : log(b * both * q) / b; /* ln x, or ln (1 - x) */
    double z = at < 0 ? at - log(-expm1(at)) : 0;
    return lower ? z : -z;
}

double wf_beta_logit(double a, double b, double p)
{
    double q = 1 - p, z = guess(a, b, p, q), from = -INFINITY, to = INFINITY;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        double x = 1 / (1 + exp(-z)), y = 1 / (1 + exp(z));
        if (x < SMALLEST || y < SMALLEST) break; /* an end of the scale, but for the last digits */
        double slope = density(a, b, x, y), turn = a * y - b * x;
        int lower = turn + 1 > 2 * x; /* x < (a + 1) / (a + b + 2) */
        double tail = slope * (lower ? fraction(a, b, x, y) : fraction(b, a, y, x));
        double other = 1 - tail;
        /* Halley's step towards the logarithm of the smaller tail */
        double off, first, second;
        if (p < q) {
            double below = lower ? tail : other;
            off = log(below / p), first = slope / below, second = first * (turn - first);
        } else {
            double above = lower ? other : tail;
            off = log(q / above), first = slope / above, second = first * (turn + first);
        }
        double bend = 1 - off * second / (2 * first * first);
        double move = off / first / (bend > 0.5 ? bend : 0.5);
        if (off < 0) from = z;
        else to = z;
        if (!(fabs(move) < MOST_STEP)) move = copysign(MOST_STEP, off); /* or where a tail is 0 */
        double next = z - move;
        z = next >= from && next <= to ? next : (from + to) / 2;
        if (fabs(move) < SETTLED) break;
    }
    return z;
}
