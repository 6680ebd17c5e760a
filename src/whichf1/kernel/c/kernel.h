/* The loops of whichf1 in plain C. Only module.c and string_memo.c know of Python.
 *
 * Functions return WF_OK or an error, and leave nothing allocated on error. The NumPy functions in
 * reference.py specify what they compute. Long loops over several types are templates: files *.inc,
 * included once per type after their parameters are defined.
 *
 * The loops run without the GIL, and other threads may write to the caller's arrays. A value that is
 * checked and then used as an index must therefore be read from the array only once.
 */
#ifndef WHICHF1_KERNEL_H
#define WHICHF1_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* Loops that gain from wide registers are compiled for several instruction sets; one of them is
 * chosen when the library is loaded. */
#if !defined(__GNUC__) || defined(__clang__) || !defined(__x86_64__) || !defined(__linux__) ||     \
    defined(__SANITIZE_ADDRESS__)
#define VECTORISED
#elif __GNUC__ < 12
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif

/* Ask for memory that is soon needed. */
#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* The name of an instance of a template. */
#define NAMED(a, b, c) NAMED_(a, b, c)
#define NAMED_(a, b, c) a##_##b##_##c

/* WF_WIDE never leaves the files that count: labels are too far apart for a dense table. */
typedef enum { WF_OK, WF_NO_MEMORY, WF_NAN, WF_BAD_CODE, WF_ZERO, WF_WIDE } wf_status;

/* A column in memory: any stride (also 0 or negative), any alignment and byte order. */
typedef struct {
    const unsigned char *data;
    ptrdiff_t stride;
    int width;   /* bytes of an item */
    int sign;    /* whether integers are signed */
    int swapped; /* whether the byte order is not the machine's */
} wf_column;

/* Split work over threads: part(context, i) is called once for each i in [0, parts). */
#define WF_MOST_THREADS 64
void wf_parallel(int parts, void (*part)(void *context, int index), void *context);

/* Memory for long arrays, in large pages if the system has them; release it with free(). */
void *wf_allocate(size_t size);

/* Give whole pages between two addresses of such memory back to the system; loses their contents. */
void wf_release(const void *from, const void *to);

/* Copy doubles to memory that is not read soon, past the caches where the processor can; wf_copied()
 * comes before other threads may read them. */
void wf_copy_past(double *to, const double *from, size_t n);
void wf_copied(void);

/* Copy items of a column to a block of native integers of 1, 2, 4 or 8 bytes. */
void wf_gather(const wf_column *column, size_t start, size_t n, int to_width, void *block);
/* Copy items of a column of floats of 2, 4 or 8 bytes to a block of doubles. */
void wf_gather_double(const wf_column *column, size_t start, size_t n, double *block);
/* Where an item is, if it and those after it are native ones of this width, without gaps; else NULL. */
const void *wf_in_place(const wf_column *column, int width, size_t start);
/* The same where the items are, if they are native integers of 8 bytes, or doubles, without gaps; else
 * in the block. */
const uint64_t *wf_integers(const wf_column *column, size_t start, size_t n, uint64_t *block);
const double *wf_doubles(const wf_column *column, size_t start, size_t n, double *block);

/* count.c: GROUP BY true, predicted ------------------------------------------------------------ */

typedef struct {
    size_t cells;
    int64_t *true_, *predicted; /* codes into values; cells are in order */
    int64_t *count;             /* without weights */
    double *sum;                /* with weights */
    size_t classes;
    int64_t *values; /* the distinct labels in order; uint64 in the same bits if unsigned */
} wf_pairs;

typedef struct {
    int threads;
    uint64_t flush; /* items counted before counters are flushed, or sorted at a time; 0: many */
} wf_count_options;

/* Columns of integers; the caller refuses a signed column next to an unsigned one of 8 bytes.
 * Weights are contiguous doubles, or NULL. */
wf_status wf_count(const wf_column *true_, const wf_column *predicted, const double *weights,
                   size_t n, wf_count_options options, wf_pairs *out);
void wf_pairs_free(wf_pairs *pairs);

/* The diagonal of coded cells, and the sums off it by column and by row (3 × classes, zeroed by the
 * caller). */
wf_status wf_margins(const wf_column *true_, const wf_column *predicted, const double *count,
                     size_t n, size_t classes, double *sums);

/* Sums over a table of whole counts C of n items, exact up to 2^53. */
typedef struct {
    double right, wrong;                    /* items on the diagonal, and off it */
    double apart;                           /* Σ_i C_i· (n − C_·i) */
    double rows_apart, columns_apart;       /* Σ_i C_i· (n − C_i·); the same of the columns */
    double together;                        /* n Σ_i C_ii − Σ_i C_i· C_·i */
    double same, only_true, only_predicted; /* ordered pairs of items: in one cell; only in one row;
                                             * only in one column */
} wf_table_sums;

/* The margins of sorted pairs without weights (3 × classes, as above), and sums unless NULL. */
void wf_table(const wf_pairs *pairs, double *margins, wf_table_sums *sums);

/* n times the information that rows and columns share, and n times the entropy of each, in nats:
 * (3). Cells are row · classes + column; WF_BAD_CODE if one is outside the table. */
wf_status wf_information(const double *margins, size_t classes, const int64_t *cells,
                         const double *counts, size_t n, double *out);
/* Of the same: Σ (n C − R S)² / (R S) over all cells, for rows of R and columns of S items, which is n
 * times χ²; and the fewer of the rows and columns that have items, less one. Cells ascend. */
wf_status wf_contingency(const double *margins, size_t classes, const int64_t *cells,
                         const double *counts, size_t n, double *out);

/* The classes of labels from low on: the code of a class, or one of these. */
enum { WF_UNKNOWN = -1, WF_DROPPED = -2 };
typedef struct {
    int64_t low;
    size_t span; /* labels */
    const int32_t *codes;
    size_t classes;
} wf_classes;

/* Add each pair to its cell of counts (classes × classes), unless its true label is dropped, and to
 * the margins (3 × classes, as above; may be NULL). If any label has no class, none is added, and
 * the status is WF_BAD_CODE. */
wf_status wf_add(const wf_column *true_, const wf_column *predicted, size_t n,
                 const wf_classes *classes, int64_t *counts, int64_t *margins);

/* label_sets.c: GROUP BY true labels, predicted labels ------------------------------------------ */

/* A matrix in memory, of integers or of floats of 4 or 8 bytes. */
typedef struct {
    const unsigned char *data;
    ptrdiff_t row_stride, column_stride;
    int width, sign, swapped, floats;
    size_t rows, columns;
} wf_cells;

/* Cells of a row as integers; a float that is neither 0 nor 1 gives 2. */
void wf_gather_cells(const wf_cells *cells, size_t row, size_t start, size_t n, uint64_t *block);

/* Kinds of items in order, and lines that say what a label is to them: 0 is in both sets, 1 only
 * predicted, 2 only true. */
typedef struct {
    size_t kinds, lines;
    int64_t *count; /* of each kind */
    int64_t *item;  /* the kind of each line; then its label; then what it is */
} wf_label_sets;

/* Both matrices have the same shape, at least one column, and hold 0 and 1: else WF_BAD_CODE. */
wf_status wf_group_labels(const wf_cells *true_, const wf_cells *predicted, wf_label_sets *out);
void wf_label_sets_free(wf_label_sets *sets);
/* Of each item, how many labels are in both sets, only predicted, and only true: (3, rows). */
wf_status wf_item_labels(const wf_cells *true_, const wf_cells *predicted, double *sums);
/* Whether each item has each label, as bytes of 0 and 1. */
wf_status wf_label_flags(const wf_cells *true_, unsigned char *flags);

/* label_scores.c: scores of items by their labels, added up -------------------------------------- */

/* Whether both sets are the same; the share of labels in only one of them. Of scores: labels scored
 * at least as high as the lowest true one; the share of pairs of a true and another label in which
 * the true one is not ahead; the mean share of true labels among those scored at least as high as
 * each true one; the share of the top-scored labels that are not true. */
typedef enum {
    WF_EXACT,
    WF_WRONG,
    WF_COVERAGE,
    WF_DISORDER,
    WF_PRECISION,
    WF_TOP_ERROR
} wf_label_score;

/* Matrices of the same shape with columns: of 0 and 1, and another such or one of finite floats;
 * else WF_BAD_CODE. */
wf_status wf_label_scores(const wf_cells *true_, const wf_cells *other, wf_label_score what,
                          int threads, double *sums);

/* fixed_width.c: codes of fixed-width strings --------------------------------------------------- */

/* codes (n): numbered in order of first appearance; first: index of each distinct item. */
wf_status wf_encode(const wf_column *items, size_t n, int32_t *codes, int64_t **first,
                    size_t *distinct);

/* rank.c: GROUP BY score ----------------------------------------------------------------------- */

/* Output arrays, each with space for n values: scores, descending, and counts (int32_t, or int64_t
 * from 2^31 − 1 items on) or, with weights, their sums (double). */
typedef struct {
    double *score;
    void *positives, *negatives;
    size_t distinct, items; /* lines, and positive items */
} wf_ranking;

/* scores: floats of 2, 4 or 8 bytes; positive: integers, of which any but 0 and 1 gives WF_BAD_CODE;
 * weights: contiguous doubles or NULL. */
wf_status wf_rank(const wf_column *scores, const wf_column *positive, const double *weights,
                  size_t n, int threads, wf_ranking *out);

/* The places of scores, highest first and equal ones in their order, and the scores so; both have
 * space for n values. */
wf_status wf_order(const wf_column *scores, size_t n, int threads, int64_t *order, double *sorted);

/* What a ranking without weights adds up to. */
typedef struct {
    double positives, negatives;
    double pairs;     /* of a positive and a negative in this order; ties count half */
    double precision; /* at the score of each positive, added up */
    double highest, lowest;
} wf_areas;

wf_status wf_rank_areas(const wf_column *scores, const wf_column *positive, size_t n, int threads,
                        wf_areas *out);

/* buckets.c: GROUP BY the leading bits of a score ------------------------------------------------- */

/* Output arrays, with space for as many buckets as there may be: numbers, which ascend as scores
 * descend, and the items in each. */
#define WF_BUCKETS (1 << 17)
typedef struct {
    int64_t *bucket, *positives, *negatives;
    size_t count;
} wf_buckets;

/* At most 2^32 − 1 items, as in wf_rank; WF_NAN if a score is not finite. */
wf_status wf_tally_buckets(const wf_column *scores, const wf_column *positive, size_t n,
                           int threads, wf_buckets *out);

/* The ranking of the items in chosen buckets (WF_BUCKETS flags), which must be as many as there is
 * space for: else WF_BAD_CODE. */
wf_status wf_rank_buckets(const wf_column *scores, const wf_column *positive, size_t n,
                          const unsigned char *chosen, int threads, size_t room, wf_ranking *out);

/* curve.c: curves of a ranking -------------------------------------------------------------------- */

/* Counts of the steps of a ranking as doubles, unless NULL, and their running sums from start on. The
 * counts are doubles, or integers, which are added as such. */
void wf_running(const wf_column *counts, int floats, size_t n, double start, double *plain,
                double *sums);

/* The lines of a ranking, with counts in integers or, if floats, in doubles. */
typedef struct {
    wf_column score, positives, negatives;
    int floats;
    size_t n;
} wf_steps;

/* x and y of a point: false and true positives; their rates; recall and precision; false positive
 * and false negative rate; false and true positives beside true and false negatives. */
typedef enum { WF_COUNTS, WF_ROC, WF_PR, WF_DET, WF_MATRICES } wf_curve_kind;

/* Lines that have a point: every one; those that are followed by another kind of step; or those that
 * add positives or are followed by some. The last line always has one, and the first one too, except
 * on a DET curve. */
typedef enum { WF_EVERY, WF_CORNERS, WF_RISES } wf_kept;

/* Points, of which the first is above all scores; each array has space for n + 1. */
typedef struct {
    double *x, *y, *threshold;
    double *tn, *fn; /* of WF_MATRICES */
    size_t points;
    double positives, negatives; /* of all lines */
} wf_points;

void wf_curve(const wf_steps *steps, wf_curve_kind kind, wf_kept kept, int threads, wf_points *out);

/* The area under a curve of contiguous points, by the trapezoidal rule; and whether x ever rises or
 * falls. The area is not finite if a point is not. */
typedef struct {
    double area;
    int rises, falls;
} wf_trapezoids;

wf_status wf_trapezoid(const double *x, const double *y, size_t n, int threads, wf_trapezoids *out);

/* bins.c: probabilities in bins -------------------------------------------------------------------- */

/* Items, positives and the sum of probabilities in each bin: sums (3 × bins), of at least one bin.
 * inner: the rising edges between bins; a probability that equals one is in the lower bin. A score
 * outside [0, 1], or a label that is neither 0 nor 1, gives WF_BAD_CODE. */
wf_status wf_bin(const wf_column *scores, const wf_column *positive, size_t n, const double *inner,
                 size_t bins, int threads, double *sums);

/* loss.c: sums of losses over rows of probabilities -------------------------------------------- */

typedef struct {
    const unsigned char *data;
    ptrdiff_t row_stride, column_stride;
    int width; /* floats of 4 or 8 bytes */
    int swapped;
    size_t rows, columns;
    int of_second; /* whether only the second of two columns is there: the first is 1 − it */
} wf_matrix;

typedef struct {
    double log_sum, log_squares;     /* of −ln max(p of the true class, floor) */
    double brier_sum, brier_squares; /* of Σ_j (p_j − [j is the true class])² */
    double hinge_sum, hinge_squares; /* of max(0, 1 − own score + highest other score) */
    size_t hits;                     /* rows with fewer than k columns ahead of the true class */
    size_t bad_row;                  /* first row with p outside [0, 1] or Σp ≠ 1; rows if none */
    size_t bad_code;                 /* first row whose code is not a column; rows if none */
    uint64_t least;                  /* the smallest code */
} wf_losses;

/* WF_TOP (hits) and WF_HINGE are of any scores: a bad row, or one soon after it, is not finite. */
enum { WF_LOG = 1, WF_BRIER = 2, WF_CHECK = 4, WF_TOP = 8, WF_HINGE = 16 };
/* Which of equal columns are ahead of the true class: those before it, those after it. */
enum { WF_BEFORE = 1, WF_AFTER = 2 };

typedef struct {
    int wanted;
    double floor, tolerance;
    size_t k;
    int ties;
    double *each; /* where the log loss or Brier score of each row is written, or NULL */
} wf_loss_options;

wf_status wf_loss(const wf_column *codes, const wf_matrix *probabilities, wf_loss_options options,
                  int threads, wf_losses *out);

/* resample.c: replicates of counts, and their sums ----------------------------------------------- */

/* How often each unit is drawn: units × replicates, bytes or int32_t. */
typedef struct {
    void *data;
    int width; /* 1 or 4 */
    size_t units, replicates;
} wf_rows;

/* Group g has the rows order[starts[g]] to order[starts[g + 1] − 1]. */
typedef struct {
    const int64_t *order, *starts;
    size_t entries, groups;
} wf_groups;

/* The sum of the rows of each group (groups × replicates); WF_BAD_CODE if there is no such row. */
wf_status wf_sum_rows(const wf_rows *rows, const wf_groups *groups, int threads, double *sums);

/* How many of each unit's coins show heads: replicates from the first one on, as wf_rows. */
void wf_flips(const int64_t *count, uint64_t seed, size_t first, int threads, wf_rows *out);

/* The state of NumPy's PCG64, and what is added to it at each step. */
typedef struct {
    uint64_t high, low, more_high, more_low;
} wf_generator;

/* How items are spread over units with these shares; the generator moves on. WF_BAD_CODE, and
 * garbage, if a number does not fit a byte that is to hold it. */
wf_status wf_multinomial(wf_generator *g, int64_t items, const double *share, wf_rows *out);

/* quantile.c ------------------------------------------------------------------------------------- */

/* The quantile x of the beta distribution with a, b > 0 as ln(x / (1 - x)), for 0 < p < 1. */
double wf_beta_logit(double a, double b, double p);

/* placements.c ----------------------------------------------------------------------------------- */

/* The area under the ROC curve, and sums over the items of a ranking of their parts in it: squares of
 * each class, cubes, fourth powers, and products of the pairs in order. */
typedef struct {
    double area, squares[2], cubes, fourths, bend;
} wf_placements;

/* Counts of each score, highest first, as integers or as doubles; sizes of the two classes. */
wf_placements wf_place(const wf_column *positives, const wf_column *negatives, const int *floats,
                       size_t n, const double *sizes);

/* Scores of the precision at the score of each item: its mean over positives; the mean risk, which is
 * 1 minus it, over all items; and how far that exceeds the risk of the best order. */
typedef enum { WF_MEAN_PRECISION, WF_RISK, WF_EXCESS } wf_precisions;

/* Such a score, sums over the items of powers of their influence, as above, and its second derivative
 * along the influences. */
typedef struct {
    double value, squares[2], cubes, fourths, second;
} wf_moments;

#define WF_STEP 1e-2 /* the largest relative change of a count, for a second derivative */

wf_status wf_place_precisions(const wf_column *positives, const wf_column *negatives,
                              const int *floats, size_t n, wf_precisions what, wf_moments *out);

/* formula.c -------------------------------------------------------------------------------------- */

/* What a step does with its first argument, and up to WF_HIGHER and from WF_AT_LEAST on with its
 * second. WF_NO_ZERO checks that no number is 0; the steps after it have no slopes. */
typedef enum {
    WF_ADD,
    WF_SUBTRACT,
    WF_MULTIPLY,
    WF_DIVIDE,
    WF_LOWER,
    WF_HIGHER,
    WF_NEGATIVE,
    WF_ROOT,
    WF_SUM,
    WF_NO_ZERO,
    WF_SIZE,    /* its absolute value */
    WF_OR_ONE,  /* 1 in place of 0 */
    WF_LARGEST, /* of all its numbers */
    WF_AT_LEAST,
    WF_AT_MOST,
    WF_ABOVE,
    WF_KEPT, /* the second where the first is not 0, and 0 elsewhere */
    WF_FIRST /* the number of the second at the place where the first is not 0 for the first time */
} wf_operation;

/* A formula in steps: an operation and the registers of two arguments. Registers are the inputs, with
 * a number for each class, the constants, and the results of the steps. */
typedef struct {
    const int64_t *step;
    size_t steps;
    const double *constant;
    size_t constants, inputs, classes, result;
} wf_formula;

/* The value of a formula alone. */
wf_status wf_evaluate(const wf_formula *formula, const double *inputs, double *value);

/* The value of a formula for each table, and its slopes by the inputs (tables, inputs, classes).
 * WF_ZERO if a number is 0 that must not be; WF_BAD_CODE if it is not a formula of one number. */
wf_status wf_differentiate(const wf_formula *formula, const double *inputs, size_t tables,
                           double *values, double *slopes);

/* The cells of a table: the true class of each and the predicted one, or true · classes + predicted
 * alone; and how many items it has. */
typedef struct {
    const int64_t *true_, *predicted;
    const double *count;
    size_t cells;
} wf_table_cells;

/* The value of a score of whole counts, and sums over the items of powers of their influence. */
typedef struct {
    double value, square, cube;
    double second;   /* the second derivative along the influences */
    double least[4]; /* the fewest items, hits, false positives and misses of a class */
} wf_spread;

/* The value of a formula of tp, fp, fn and tn of all classes; margins are the first three. */
wf_status wf_table_value(const wf_formula *formula, const double *margins, double *value);

/* Of such a formula. The sizes are of every class, or of those with true or predicted items. */
wf_status wf_table_spread(const wf_formula *formula, const double *margins,
                          const wf_table_cells *cells, int every, wf_spread *out);

/* Of a formula of one class, whose tp, fp, fn and tn are the kinds of items; the second derivative
 * only if it is requested, as one that is bent. */
wf_status wf_class_spread(const wf_formula *formula, const double *kinds, int bent, wf_spread *out);

/* A formula of a ranking: the value, and what shows whether it has one. */
typedef struct {
    double value, positives, negatives, highest, lowest;
} wf_rank_score;

/* Of a formula of the scores, of their positives and negatives, and of the running sums of both. */
wf_status wf_rank_value(const wf_formula *formula, const wf_column *scores,
                        const wf_column *positive, size_t n, wf_rank_score *out);

#endif
