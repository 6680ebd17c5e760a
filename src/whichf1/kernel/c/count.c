/* GROUP BY true, predicted.
 *
 * Labels are counted in a dense table (dense.c). If they are too far apart for it, they are numbered
 * (numbers.c), and their numbers are counted; if there are too many classes, too, pairs are sorted
 * (sorted.c). Each thread fills its own table, and the tables are added at the end.
 */
#include "count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items per block: more for a large table, where counting waits for memory anyway. */
static size_t block_of(const worker *w)
{
    size_t items = (w->bytes ? 4 : 1) * BLOCK / (size_t)w->width;
    return items < BLOCK ? items : BLOCK;
}

/* Labels, or their numbers. */
static void gather_labels(worker *w, const wf_column *side, size_t at, size_t n, void *block)
{
    wf_gather(side, at, n, w->numbers ? 8 : w->width, w->numbers ? w->blocks->wide : block);
    if (w->numbers) wf_numbers_of(w->numbers, w->blocks->wide, n, block);
}

/* Each thread works on a copy, as neighbours share a cache line. */
static void count_slice(void *context, int index)
{
    worker *result = (worker *)context + index, own = *result, *w = &own;
    scratch blocks;
    w->blocks = &blocks;
    int in_place =
        !w->numbers && wf_in_place(w->true_, w->width, 0) && wf_in_place(w->predicted, w->width, 0);
    for (size_t at = w->start, n; !w->status && at < w->stop; at += n) {
        size_t block = block_of(w), skip = at * (size_t)w->width;
        n = w->stop - at < block ? w->stop - at : block;
        const double *weights = w->weights ? w->weights + at : NULL;
        if (in_place) {
            const unsigned char *t = w->true_->data + skip, *p = w->predicted->data + skip;
            size_t ahead = w->stop - at >= 3 * n ? n * 3 / 2 * (size_t)w->width : 0;
            columns_ahead next = {t + ahead, p + ahead, (size_t)w->width};
            w->status = wf_count_block(w, t, p, n, weights, next);
            continue;
        }
        gather_labels(w, w->true_, at, n, blocks.true_block);
        gather_labels(w, w->predicted, at, n, blocks.predicted_block);
        columns_ahead none = {(unsigned char *)blocks.true_block,
                              (unsigned char *)blocks.predicted_block, 0};
        w->status = wf_count_block(w, blocks.true_block, blocks.predicted_block, n, weights, none);
    }
    wf_part_groups(w);
    free(w->groups);
    w->groups = NULL;
    *result = own;
}

/* Merging ------------------------------------------------------------------------------------- */

static wf_status merge_dense(worker *into, worker *from)
{
    size_t cells = cells_of(from);
    uint64_t shift = from->low - into->low;
    if (!counting(from)) return WF_OK;        /* its slice was empty */
    if (!shift && into->bits == from->bits) { /* the usual case: the same labels */
        wf_status status = wf_flush(from);
        for (size_t at = 0; !status && at < cells; at++) into->totals[at] += from->totals[at];
        return status;
    }
    for (size_t at = 0; at < cells; at++) {
        uint64_t count = wf_cell(from, at);
        if (!count) continue;
        uint64_t t = (at >> from->bits) + shift, p = (at & (((size_t)1 << from->bits) - 1)) + shift;
        into->totals[t << into->bits | p] += count;
    }
    return WF_OK;
}

/* Give the first worker a window that holds the labels of all; usually all have the same already. */
static wf_status common_window(worker *workers, int parts)
{
    uint64_t low = UINT64_MAX, high = 0;
    int same = 1;
    for (int i = 1; i < parts; i++)
        same &= !counting(&workers[i]) ||
                (workers[i].low == workers[0].low && workers[i].bits == workers[0].bits);
    if (same) return wf_flush(&workers[0]);
    for (int i = 0; i < parts; i++) {
        uint64_t from = 0, to = 0;
        if (!wf_range_of_cells(&workers[i], &from, &to)) continue;
        if (from < low) low = from;
        if (to > high) high = to;
    }
    unsigned bits = wf_bits_for(low, high);
    return bits > workers[0].most_bits ? WF_WIDE : wf_rewindow(&workers[0], low, bits);
}

static wf_status merge(worker *workers, int parts, int sorted)
{
    wf_status status = WF_OK;
    for (int i = 0; i < parts; i++)
        if (workers[i].status) return workers[i].status;
    if (parts > 1 && !sorted) status = common_window(workers, parts);
    for (int i = 1; !status && i < parts; i++)
        status = sorted ? wf_merge_runs(&workers[0].run, &workers[i].run)
                        : merge_dense(&workers[0], &workers[i]);
    return status;
}

/* Results ------------------------------------------------------------------------------------- */

static wf_status allocate(wf_pairs *out, size_t cells, size_t classes, int weighted)
{
    out->cells = cells;
    out->classes = classes;
    out->true_ = malloc((cells + 1) * sizeof *out->true_);
    out->predicted = malloc((cells + 1) * sizeof *out->predicted);
    out->values = malloc((classes + 1) * sizeof *out->values);
    if (weighted) out->sum = malloc((cells + 1) * sizeof *out->sum);
    else out->count = malloc((cells + 1) * sizeof *out->count);
    int ok = out->true_ && out->predicted && out->values && (weighted ? !!out->sum : !!out->count);
    return ok ? WF_OK : WF_NO_MEMORY;
}

/* The values of numbered labels. */
static void copy_values(const worker *w, wf_pairs *out)
{
    for (size_t i = 0; i < out->classes; i++)
        out->values[i] = (int64_t)ordered(w->numbers->values[i], w->numbers->sign);
}

/* A run becomes the result, with no copy of its counts. */
static wf_status emit_sorted(worker *w, wf_pairs *out)
{
    cell_run *run = &w->run;
    out->cells = run->cells;
    out->classes = w->numbers->classes;
    out->values = malloc((out->classes + 1) * sizeof *out->values);
    out->predicted = wf_allocate((run->cells + 1) * sizeof *out->predicted);
    if (!out->values || !out->predicted) return WF_NO_MEMORY;
    copy_values(w, out);
    for (size_t i = 0; i < run->cells; i++) {
        out->predicted[i] = (int64_t)(run->key[i] & (((uint64_t)1 << w->bits) - 1));
        run->key[i] >>= w->bits;
    }
    out->true_ = (int64_t *)(void *)run->key;
    out->count = run->count;
    out->sum = run->sum;
    memset(run, 0, sizeof *run);
    return WF_OK;
}

/* The filled cells of a table, in order; without branches, which would be mispredicted. There is
 * room for one place more than there are. */
static size_t find_filled(const worker *w, uint32_t *places)
{
    size_t filled = 0;
    for (size_t at = 0; at < cells_of(w); at++) {
        places[filled] = (uint32_t)at;
        filled += w->totals[at] != 0;
    }
    return filled;
}

static wf_status emit_filled(worker *w, const uint32_t *places, size_t filled, wf_pairs *out)
{
    size_t span = (size_t)1 << w->bits, classes = 0;
    int16_t codes[1 << MOST_BITS];
    memset(codes, 0, span * sizeof *codes);
    for (size_t i = 0; i < filled; i++)
        codes[places[i] >> w->bits] = codes[places[i] & (span - 1)] = 1;
    for (size_t offset = 0; offset < span; offset++) classes += (size_t)codes[offset];
    wf_status status = allocate(out, filled, classes, w->weights != NULL);
    if (status) return status;
    classes = 0;
    for (size_t offset = 0; offset < span; offset++) {
        if (!codes[offset]) continue;
        out->values[classes] = (int64_t)ordered(w->low + offset, w->sign);
        codes[offset] = (int16_t)classes++;
    }
    for (size_t i = 0; i < filled; i++) {
        out->true_[i] = codes[places[i] >> w->bits];
        out->predicted[i] = codes[places[i] & (span - 1)];
        if (out->sum) out->sum[i] = w->sums[places[i]];
        else out->count[i] = (int64_t)w->totals[places[i]];
    }
    if (w->numbers) copy_values(w, out);
    return WF_OK;
}

static wf_status emit_dense(worker *w, wf_pairs *out)
{
    uint32_t few[FEW_CELLS + 1], *places = few;
    size_t cells = cells_of(w), filled = 0;
    wf_status status = wf_flush(w);
    if (status) return status;
    if (cells > FEW_CELLS) {
        for (size_t at = 0; at < cells; at++) filled += w->totals[at] != 0;
        if (!(places = malloc((filled + 1) * sizeof *places))) return WF_NO_MEMORY;
    }
    filled = find_filled(w, places);
    status = emit_filled(w, places, filled, out);
    if (places != few) free(places);
    return status;
}

static void prepare(worker *w, const wf_column *true_, const wf_column *predicted,
                    const double *weights, const numbers *numbered, size_t n, uint64_t flush_after)
{
    memset(w, 0, sizeof *w);
    w->true_ = true_;
    w->predicted = predicted;
    w->weights = weights;
    w->numbers = numbered;
    w->sign = !numbered && (true_->sign | predicted->sign);
    int alike = true_->width == predicted->width && true_->sign == predicted->sign;
    w->width = numbered ? 4 : alike ? true_->width : 8;
    while (w->most_bits < MOST_BITS && (int)w->most_bits < 8 * w->width) {
        size_t cells = (size_t)1 << 2 * (w->most_bits + 1);
        if (cells > (size_t)1 << 16 && cells / 4 > n) break;
        w->most_bits++;
    }
    w->flush = flush_after ? flush_after : (uint64_t)1 << 31;
}

/* Count labels, or their numbers; WF_WIDE if labels are too far apart. */
static wf_status count_once(const wf_column *true_, const wf_column *predicted,
                            const double *weights, const numbers *numbered, size_t n, size_t parts,
                            uint64_t flush_after, wf_pairs *out)
{
    worker workers[WF_MOST_THREADS];
    size_t each = (n / parts / BLOCK + 1) * BLOCK;
    for (size_t i = 0; i < parts; i++) {
        worker *w = &workers[i];
        prepare(w, true_, predicted, weights, numbered, n, flush_after);
        w->start = i * each < n ? i * each : n;
        w->stop = i + 1 == parts || (i + 1) * each > n ? n : (i + 1) * each;
    }
    unsigned bits = numbered ? wf_bits_for(0, numbered->classes - 1) : 0;
    int sorted = bits > workers[0].most_bits;
    for (size_t i = 0; sorted && i < parts; i++) workers[i].bits = bits;
    wf_parallel((int)parts, sorted ? wf_sort_slice : count_slice, workers);
    wf_status status = merge(workers, (int)parts, sorted);
    if (!status) status = (sorted ? emit_sorted : emit_dense)(&workers[0], out);
    for (size_t i = 0; i < parts; i++) {
        wf_free_dense(&workers[i]);
        wf_free_run(&workers[i].run);
    }
    return status;
}

wf_status wf_count(const wf_column *true_, const wf_column *predicted, const double *weights,
                   size_t n, wf_count_options options, wf_pairs *out)
{
    numbers numbered = {0};
    size_t most = n / SLICE, parts;
    if (most > (size_t)options.threads) most = (size_t)options.threads;
    if (most > WF_MOST_THREADS) most = WF_MOST_THREADS;
    if (most < 1) most = 1;
    parts = weights ? 1 : most; /* weights are always added in the same order */
    memset(out, 0, sizeof *out);
    wf_status status = count_once(true_, predicted, weights, NULL, n, parts, options.flush, out);
    if (status == WF_WIDE) {
        status = wf_number(true_, predicted, n, (int)most, &numbered);
        if (!status)
            status = count_once(true_, predicted, weights, &numbered, n, parts, options.flush, out);
        wf_free_numbers(&numbered);
    }
    if (status) wf_pairs_free(out);
    return status;
}

void wf_pairs_free(wf_pairs *pairs)
{
    free(pairs->true_);
    free(pairs->predicted);
    free(pairs->count);
    free(pairs->sum);
    free(pairs->values);
    memset(pairs, 0, sizeof *pairs);
}

wf_status wf_margins(const wf_column *true_, const wf_column *predicted, const double *count,
                     size_t n, size_t classes, double *sums)
{
    uint64_t t[BLOCK], p[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t some = n - start < BLOCK ? n - start : BLOCK;
        wf_gather(true_, start, some, 8, t);
        wf_gather(predicted, start, some, 8, p);
        for (size_t i = 0; i < some; i++) {
            if (t[i] >= classes || p[i] >= classes) return WF_BAD_CODE;
            double value = count[start + i];
            if (t[i] == p[i]) {
                sums[t[i]] += value;
            } else {
                sums[classes + p[i]] += value;
                sums[2 * classes + t[i]] += value;
            }
        }
    }
    return WF_OK;
}

void wf_table(const wf_pairs *pairs, double *margins, wf_table_sums *sums)
{
    size_t k = pairs->classes;
    double *tp = margins, *fp = tp + k, *fn = fp + k, n = 0;
    memset(margins, 0, 3 * k * sizeof *margins);
    for (size_t i = 0; i < pairs->cells; i++) {
        double count = (double)pairs->count[i];
        n += count;
        if (pairs->true_[i] == pairs->predicted[i]) {
            tp[pairs->true_[i]] = count;
        } else {
            fp[pairs->predicted[i]] += count;
            fn[pairs->true_[i]] += count;
        }
    }
    if (!sums) return;
    memset(sums, 0, sizeof *sums);
    for (size_t i = 0; i < k; i++) {
        double row = tp[i] + fn[i], column = tp[i] + fp[i];
        sums->right += tp[i];
        sums->wrong += fn[i];
        sums->apart += row * (n - column);
        sums->rows_apart += row * (n - row);
        sums->columns_apart += column * (n - column);
        sums->together += tp[i] * (n - row - fp[i]) - fp[i] * fn[i];
    }
    for (size_t i = 0; i < pairs->cells; i++) {
        double count = (double)pairs->count[i];
        size_t t = (size_t)pairs->true_[i], p = (size_t)pairs->predicted[i];
        sums->same += count * (count - 1);
        sums->only_true += count * (tp[t] + fn[t] - count);
        sums->only_predicted += count * (tp[p] + fp[p] - count);
    }
}

wf_status wf_information(const double *margins, size_t classes, const int64_t *cells,
                         const double *counts, size_t n, double *out)
{
    const double *tp = margins, *fp = tp + classes, *fn = fp + classes;
    double total = 0, shared = 0, entropy[2] = {0, 0};
    double *surprise = malloc((2 * classes + 1) * sizeof *surprise); /* of rows, then of columns */
    if (!surprise) return WF_NO_MEMORY;
    for (size_t i = 0; i < classes; i++) total += tp[i] + fn[i];
    for (size_t i = 0; i < classes; i++) {
        double sides[2] = {tp[i] + fn[i], tp[i] + fp[i]};
        for (size_t j = 0; j < 2; j++) {
            double each = sides[j] > 0 ? log1p((total - sides[j]) / sides[j]) : 0;
            surprise[j * classes + i] = each;
            entropy[j] += sides[j] * each;
        }
    }
    int across = entropy[1] < entropy[0];
    for (size_t i = 0; i < n; i++) {
        uint64_t cell = (uint64_t)cells[i], t = classes ? cell / classes : 0;
        if (t >= classes) {
            free(surprise);
            return WF_BAD_CODE;
        }
        size_t p = (size_t)(cell % classes);
        double count = counts[i], other = across ? tp[t] + fn[t] : tp[p] + fp[p];
        /* what is left of the smaller entropy, which information cannot exceed */
        double left = surprise[across ? classes + p : t];
        if (count > 0) /* whole numbers, so that differences are exact */
            shared += count * (left - log1p((other - count) / count));
    }
    free(surprise);
    out[0] = shared > 0 ? shared : 0;
    out[1] = entropy[0];
    out[2] = entropy[1];
    return WF_OK;
}

wf_status wf_contingency(const double *margins, size_t classes, const int64_t *cells,
                         const double *counts, size_t n, double *out)
{
    const double *tp = margins, *fp = tp + classes, *fn = fp + classes;
    double total = 0, sum = 0, rows = 0, columns = 0, row = 0, empty = 0;
    for (size_t i = 0; i < classes; i++) {
        total += tp[i] + fn[i];
        rows += tp[i] + fn[i] > 0;
        columns += tp[i] + fp[i] > 0;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t cell = (uint64_t)cells[i], t = classes ? cell / classes : 0;
        if (t >= classes) return WF_BAD_CODE;
        size_t p = (size_t)(cell % classes);
        double chance = (tp[t] + fn[t]) * (tp[p] + fp[p]), off = counts[i] * total - chance;
        if (!i || t != (uint64_t)cells[i - 1] / classes) { /* the next row */
            sum += row * empty;
            row = tp[t] + fn[t], empty = total;
        }
        empty -= tp[p] + fp[p]; /* items in the other columns: an empty cell adds its own chance */
        if (chance > 0) sum += off * off / chance;
    }
    out[0] = sum + row * empty;
    double fewer = rows < columns ? rows : columns;
    out[1] = fewer > 1 ? fewer - 1 : 0;
    return WF_OK;
}

static int32_t code_of(const wf_classes *classes, uint64_t label, const wf_column *column)
{
    uint64_t at = label - (uint64_t)classes->low;
    int beyond = !column->sign && label >> 63; /* no int64 */
    if (beyond || at >= classes->span) return WF_UNKNOWN;
    int32_t code = classes->codes[at];
    return code < 0 || (size_t)code < classes->classes ? code : WF_UNKNOWN;
}

/* The cell of each pair; the number of classes squared for a pair that is dropped. */
static wf_status cells_of_pairs(const wf_column *true_, const wf_column *predicted, size_t n,
                                const wf_classes *classes, uint32_t *cells)
{
    uint64_t t[BLOCK], p[BLOCK];
    size_t k = classes->classes;
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t some = n - start < BLOCK ? n - start : BLOCK;
        wf_gather(true_, start, some, 8, t);
        wf_gather(predicted, start, some, 8, p);
        for (size_t i = 0; i < some; i++) {
            int32_t row = code_of(classes, t[i], true_), column = code_of(classes, p[i], predicted);
            if (row == WF_UNKNOWN || column == WF_UNKNOWN) return WF_BAD_CODE;
            if (row >= 0 && column < 0) return WF_BAD_CODE;
            cells[start + i] = (uint32_t)(row < 0 ? k * k : (size_t)row * k + (size_t)column);
        }
    }
    return WF_OK;
}

/* The margins of cells that are not dropped: the diagonal, and what is off it by column and row. */
static void add_margins(const uint32_t *cells, size_t n, size_t classes, int64_t *margins)
{
    for (size_t i = 0; i < n; i++) {
        size_t row = cells[i] / classes, column = cells[i] % classes;
        if (row >= classes) continue;
        if (row == column) {
            margins[row]++;
        } else {
            margins[classes + column]++;
            margins[2 * classes + row]++;
        }
    }
}

wf_status wf_add(const wf_column *true_, const wf_column *predicted, size_t n,
                 const wf_classes *classes, int64_t *counts, int64_t *margins)
{
    uint32_t few[BLOCK], *cells = n <= BLOCK ? few : malloc(n * sizeof *cells);
    size_t all = classes->classes * classes->classes;
    if (!cells) return WF_NO_MEMORY;
    wf_status status = cells_of_pairs(true_, predicted, n, classes, cells);
    for (size_t i = 0; !status && i < n; i++)
        if (cells[i] < all) counts[cells[i]]++;
    if (!status && margins) add_margins(cells, n, classes->classes, margins);
    if (cells != few) free(cells);
    return status;
}
