/* A bounded random driver for the loops in C, run under AddressSanitizer and UBSan.
 *
 * Buffers are exactly as long as the data, so that any access beyond them is caught. Results are
 * compared with plain loops, and a digest of their bits is printed, which must be the same on every
 * platform. Arguments: a seed and a number of rounds.
 */
#include "random.h"

#include "buckets.h"

static void check_count(size_t n)
{
    wf_column t, p;
    unsigned char *a = random_column(&t, n), *b = random_column(&p, n);
    if (below(2)) { /* in practice both columns mostly have one type and the same labels */
        p = t;
    }
    if (t.sign != p.sign) p.sign = t.sign;
    double *weights = below(3) ? NULL : malloc(n * sizeof *weights);
    for (size_t i = 0; weights && i < n; i++) weights[i] = (double)below(4);
    wf_pairs out;
    wf_count_options options = {1 + (int)below(4), below(2) ? 1 + below(3000) : 0};
    CHECK(wf_count(&t, &p, weights, n, options, &out) == WF_OK);
    double total = 0, expected = 0;
    for (size_t i = 0; i < out.cells; i++) {
        CHECK(out.sum || out.count[i] > 0);
        total += out.sum ? out.sum[i] : (double)out.count[i];
        CHECK(out.true_[i] >= 0 && out.true_[i] < (int64_t)out.classes);
        CHECK(out.predicted[i] >= 0 && out.predicted[i] < (int64_t)out.classes);
        CHECK(!i || out.true_[i - 1] < out.true_[i] ||
              (out.true_[i - 1] == out.true_[i] && out.predicted[i - 1] < out.predicted[i]));
    }
    for (size_t i = 0; i < n; i++) expected += weights ? weights[i] : 1;
    CHECK(total == expected);
    note(out.true_, 8 * out.cells);
    note(out.predicted, 8 * out.cells);
    note(out.sum ? (void *)out.sum : out.count, 8 * out.cells);
    for (int probe = 0; probe < 3; probe++) { /* one cell, counted by hand */
        uint64_t *left = malloc(n * 8), *right = malloc(n * 8);
        wf_gather(&t, 0, n, 8, left);
        wf_gather(&p, 0, n, 8, right);
        size_t at = below(n);
        double expected_count = 0, count = -1;
        for (size_t i = 0; i < n; i++)
            if (left[i] == left[at] && right[i] == right[at])
                expected_count += weights ? weights[i] : 1;
        for (size_t i = 0; i < out.cells; i++) {
            int64_t x = out.values[out.true_[i]], y = out.values[out.predicted[i]];
            if ((uint64_t)x == left[at] && (uint64_t)y == right[at])
                count = out.sum ? out.sum[i] : (double)out.count[i];
        }
        CHECK(count == expected_count);
        free(left);
        free(right);
    }
    wf_pairs_free(&out);
    free(weights);
    free(a);
    free(b);
}

static void check_margins(size_t n)
{
    wf_column t, p;
    unsigned char *a = random_column(&t, n), *b = random_column(&p, n);
    double *count = malloc(n * sizeof *count), sums[300] = {0};
    for (size_t i = 0; i < n; i++) count[i] = 1;
    wf_status status = wf_margins(&t, &p, count, n, 100, sums);
    CHECK(status == WF_OK || status == WF_BAD_CODE);
    note(sums, sizeof sums);
    wf_pairs pairs;
    p.sign = t.sign;
    CHECK(wf_count(&t, &p, NULL, n, (wf_count_options){1, 0}, &pairs) == WF_OK);
    size_t k = pairs.classes;
    double *table = malloc(24 * k), *filled = malloc(8 * pairs.cells), out[3];
    wf_table_sums whole;
    wf_table(&pairs, table, &whole);
    CHECK(whole.right + whole.wrong == (double)n);
    note(table, 24 * k);
    note(&whole, sizeof whole);
    for (size_t i = 0; i < pairs.cells; i++) {
        filled[i] = (double)pairs.count[i];
        pairs.true_[i] = pairs.true_[i] * (int64_t)k + pairs.predicted[i];
    }
    CHECK(wf_information(table, k, pairs.true_, filled, pairs.cells, out) == WF_OK);
    CHECK(out[0] <= out[1] * (1 + 1e-9) + 1e-9 && out[0] <= out[2] * (1 + 1e-9) + 1e-9);
    CHECK(wf_contingency(table, k, pairs.true_, filled, pairs.cells, out) == WF_OK);
    CHECK(out[0] >= 0 && out[0] <= (double)n * (double)n * out[1] * (1 + 1e-9));
    free(filled);
    free(table);
    wf_pairs_free(&pairs);
    free(count);
    free(a);
    free(b);
}

static void check_add(size_t n)
{
    wf_column t, p;
    unsigned char *a = random_column(&t, n), *b = random_column(&p, n);
    int32_t codes[300];
    int64_t counts[100] = {0}, margins[30] = {0}, total = 0, right = 0, wrong = 0;
    size_t span = below(300);
    for (size_t i = 0; i < span; i++)
        codes[i] = (int32_t)below(13) - 2; /* some beyond the classes */
    wf_classes classes = {(int64_t)below(200) - 100, span, codes, 10};
    wf_status status = wf_add(&t, &p, n, &classes, counts, below(2) ? margins : NULL);
    CHECK(status == WF_OK || status == WF_BAD_CODE);
    for (int i = 0; i < 100; i++) total += counts[i];
    CHECK(status ? total == 0 : total <= (int64_t)n);
    for (int i = 0; i < 10; i++) right += margins[i], wrong += margins[10 + i];
    CHECK(right + wrong == 0 || right + wrong == total);
    note(counts, sizeof counts);
    free(a);
    free(b);
}

static void check_encode(size_t n)
{
    int width = 1 + (int)below(40);
    unsigned char *memory = malloc(n * (size_t)width), kinds = (unsigned char)(1 + below(200));
    for (size_t i = 0; i < n * (size_t)width; i++) memory[i] = 'a';
    for (size_t i = 0; i < n; i++)
        memory[i * (size_t)width + below((size_t)width)] = (unsigned char)below(kinds);
    wf_column items = {memory, width, width, 0, 0};
    int32_t *codes = malloc(n * sizeof *codes);
    int64_t *first;
    size_t distinct;
    CHECK(wf_encode(&items, n, codes, &first, &distinct) == WF_OK);
    for (size_t i = 0; i < n; i++) {
        CHECK(codes[i] >= 0 && (size_t)codes[i] < distinct && (size_t)first[codes[i]] <= i);
        CHECK(!memcmp(memory + i * (size_t)width, memory + (size_t)first[codes[i]] * (size_t)width,
                      (size_t)width));
    }
    note(codes, n * sizeof *codes);
    free(first);
    free(codes);
    free(memory);
}

/* Points go on from one to the next, and end with all items; more threads give the same. */
static void check_curve(const wf_ranking *r, int weighted)
{
    size_t n = r->distinct, most = n + 1, width = weighted ? 8 : 4;
    if (!n) return;
    wf_steps steps = {{(void *)r->score, 8, 8, 0, 0},
                      {r->positives, (ptrdiff_t)width, (int)width, 1, 0},
                      {r->negatives, (ptrdiff_t)width, (int)width, 1, 0},
                      weighted,
                      n};
    double *rows[2] = {malloc(40 * most), malloc(40 * most)};
    for (int kind = WF_COUNTS; kind <= WF_MATRICES; kind++)
        for (int kept = WF_EVERY; kept <= WF_RISES; kept++) {
            wf_points out[2];
            for (int i = 0; i < 2; i++) {
                out[i] = (wf_points){.x = rows[i], .y = rows[i] + most};
                out[i].threshold = rows[i] + 2 * most;
                out[i].tn = rows[i] + 3 * most;
                out[i].fn = rows[i] + 4 * most;
                wf_curve(&steps, (wf_curve_kind)kind, (wf_kept)kept, 1 + 2 * i, &out[i]);
            }
            size_t points = out[0].points;
            CHECK(points == out[1].points && points > 1 && points <= most);
            CHECK(kept != WF_EVERY || points == most);
            for (int i = 0; i < (kind == WF_MATRICES ? 5 : 3); i++)
                CHECK(!memcmp(rows[0] + (size_t)i * most, rows[1] + (size_t)i * most, 8 * points));
            const double *x = out[0].x, *y = out[0].y, *threshold = out[0].threshold;
            for (size_t i = 1; i < points; i++)
                CHECK(threshold[i] < threshold[i - 1] && !(x[i] < x[i - 1]));
            CHECK(threshold[points - 1] == r->score[n - 1]);
            for (size_t i = 0; kind == WF_MATRICES && i < points; i++)
                CHECK(x[i] + out[0].tn[i] == out[0].negatives &&
                      y[i] + out[0].fn[i] == out[0].positives);
            if (kind == WF_COUNTS)
                CHECK(x[points - 1] == out[0].negatives && y[points - 1] == out[0].positives);
            if (out[0].positives > 0 && out[0].negatives > 0) {
                note(x, 8 * points);
                note(y, 8 * points);
            }
        }
    free(rows[0]);
    free(rows[1]);
}

/* Every place once, by falling scores, and equal scores in their order. */
static void check_order(const wf_column *scores, size_t n)
{
    int64_t *order = malloc(8 * n);
    double *sorted = malloc(8 * n), *plain = malloc(8 * n);
    unsigned char *seen = calloc(n, 1);
    wf_status status = wf_order(scores, n, 1 + (int)below(3), order, sorted);
    CHECK(status == WF_OK || status == WF_NAN);
    wf_gather_double(scores, 0, n, plain);
    for (size_t i = 0; i < n && !status; i++) {
        CHECK(order[i] >= 0 && (size_t)order[i] < n && !seen[order[i]]++);
        CHECK(plain[order[i]] == sorted[i]);
        CHECK(!i || sorted[i] < sorted[i - 1] ||
              (sorted[i] == sorted[i - 1] && order[i] > order[i - 1]));
    }
    if (!status) note(order, 8 * n);
    free(order), free(sorted), free(plain), free(seen);
}

static void check_rank(size_t n)
{
    static const int widths[] = {2, 4, 8};
    int width = widths[below(3)];
    unsigned char *memory = malloc(n * (size_t)width), *labels = malloc(n);
    double *weights = below(2) ? NULL : malloc(n * sizeof *weights), total = 0, expected = 0;
    size_t coarse = below(2);
    for (size_t i = 0; i < n * (size_t)width; i++)
        memory[i] = (unsigned char)(coarse ? below(3) : next());
    for (size_t i = 0; width == 8 && !coarse && i < n; i++) { /* any size and sign, but not NaN */
        int exponent = (int)below(40) - 90; /* drawn first: arguments have no order */
        double value = ldexp((double)(int64_t)next(), exponent);
        memcpy(memory + 8 * i, &value, 8);
    }
    for (size_t i = 0; i < n; i++) labels[i] = (unsigned char)(below(3) == 0);
    for (size_t i = 0; weights && i < n; i++) weights[i] = (double)below(5);
    wf_column scores = {memory, width, width, 0, (int)below(2)}, positive = {labels, 1, 1, 0, 0};
    double *score = malloc(n * 8);
    void *pos = malloc(n * 8), *neg = malloc(n * 8);
    wf_ranking out = {score, pos, neg, 0, 0};
    wf_status status = wf_rank(&scores, &positive, weights, n, 1 + (int)below(2), &out);
    CHECK(status == WF_OK || status == WF_NAN);
    for (size_t i = 0; status == WF_OK && i < out.distinct; i++) {
        CHECK(i == 0 || score[i] < score[i - 1]);
        total += weights ? ((double *)pos)[i] + ((double *)neg)[i]
                         : ((int32_t *)pos)[i] + ((int32_t *)neg)[i];
    }
    for (size_t i = 0; i < n; i++) expected += weights ? weights[i] : 1;
    CHECK(status == WF_NAN || total == expected);
    if (status == WF_OK) note(score, 8 * out.distinct);
    for (int side = 0; status == WF_OK && side < 2;
         side++) { /* running sums end with all of them */
        wf_column counts = {side ? neg : pos, weights ? 8 : 4, weights ? 8 : 4, 1, 0};
        double *plain = malloc(16 * out.distinct + 1), *sums = plain + out.distinct;
        wf_running(&counts, weights != NULL, out.distinct, 0.5, plain, sums);
        total -= out.distinct ? sums[out.distinct - 1] - 0.5 : 0;
        free(plain);
    }
    CHECK(status == WF_NAN || total == 0);
    if (status == WF_OK) check_curve(&out, weights != NULL);
    check_order(&scores, n);
    if (status == WF_OK && !weights) check_buckets(&scores, &positive, n, &out);
    wf_areas areas;
    wf_status same = wf_rank_areas(&scores, &positive, n, 1 + (int)below(2), &areas);
    CHECK(same == status && (same || areas.positives + areas.negatives == (double)n));
    CHECK(same || areas.pairs <= areas.positives * areas.negatives);
    if (!same) note(&areas, sizeof areas);
    wf_trapezoids under;
    CHECK(wf_trapezoid(score, score, out.distinct, 2, &under) == WF_OK);
    CHECK(status || out.distinct < 2 || (under.falls && !under.rises));
    free(score);
    free(pos);
    free(neg);
    free(weights);
    free(labels);
    free(memory);
}

/* Bins hold all items, and are the same in any number of threads. */
static void check_bins(size_t n)
{
    size_t bins = below(20) ? 1 + below(40) : 5000;
    double *scores = malloc(8 * n), *inner = malloc(8 * bins),
           *rows[2] = {malloc(24 * bins), malloc(24 * bins)};
    unsigned char *labels = malloc(n);
    int odd = below(5) == 0;
    double items = 0, positives = 0, expected = 0;
    for (size_t i = 0; i < n; i++) {
        scores[i] = (double)below(1001) / (below(9) ? 1000 : 1e9);
        expected += labels[i] = (unsigned char)below(2);
    }
    if (odd) scores[below(n)] = below(2) ? NAN : 1.5;
    for (size_t i = 0; i + 1 < bins; i++) inner[i] = (double)(i + 1) / (double)bins;
    wf_column p = {(void *)scores, 8, 8, 0, 0}, y = {labels, 1, 1, 0, 0};
    for (int i = 0; i < 2; i++) {
        wf_status status = wf_bin(&p, &y, n, inner, bins, 1 + 2 * i, rows[i]);
        CHECK(status == (odd ? WF_BAD_CODE : WF_OK));
    }
    for (size_t i = 0; i < bins && !odd; i++) {
        items += rows[0][i];
        positives += rows[0][bins + i];
    }
    if (!odd) {
        CHECK(items == (double)n && positives == expected);
        CHECK(!memcmp(rows[0], rows[1], 24 * bins));
        note(rows[0], 24 * bins);
    }
    free(scores), free(inner), free(rows[0]), free(rows[1]), free(labels);
}

/* Against plain loops; rows are scores of any kind but NaN and infinity. */
static double hinge_sum(const double *rows, const unsigned char *codes, size_t n, size_t columns)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double other = -INFINITY;
        for (size_t j = 0; j < columns; j++)
            if (j != codes[i] && rows[i * columns + j] > other) other = rows[i * columns + j];
        double loss = 1 - (rows[i * columns + codes[i]] - other);
        sum += loss > 0 ? loss : 0;
    }
    return sum;
}

static void check_loss(size_t n)
{
    enum { MOST = 90 };
    size_t columns = 1 + below(below(3) ? 9 : MOST), width = below(2) ? 4 : 8,
           bytes = n * columns * width;
    unsigned char *memory = malloc(bytes), *codes = malloc(n);
    for (size_t i = 0; i < bytes; i++) memory[i] = (unsigned char)next();
    int fair = width == 8 && below(2);
    for (size_t i = 0; fair && i < n; i++) { /* distributions, with a rare exception */
        double row[MOST], sum = 0;
        for (size_t j = 0; j < columns; j++) sum += row[j] = 1e-9 + (double)below(1000);
        for (size_t j = 0; j < columns; j++) row[j] /= below(20 * n) ? sum : sum / 2;
        memcpy(memory + i * columns * 8, row, columns * 8);
    }
    for (size_t i = 0; i < n; i++)
        codes[i] = (unsigned char)below(columns + (!fair && below(50) == 0));
    wf_matrix p = {memory,
                   (ptrdiff_t)(columns * width),
                   (ptrdiff_t)width,
                   (int)width,
                   !fair && below(2),
                   n,
                   columns,
                   0};
    if (!fair && below(2)) { /* the same buffer in column order */
        p.row_stride = (ptrdiff_t)width;
        p.column_stride = (ptrdiff_t)(n * width);
    }
    wf_column code = {codes, 1, 1, 0, 0};
    wf_losses one, several;
    wf_loss_options options = {WF_LOG | WF_BRIER | WF_CHECK, 1e-9, 1e-3, 1 + below(3), 0, NULL};
    options.ties = (int)below(4);
    CHECK(wf_loss(&code, &p, options, 1, &one) == WF_OK);
    CHECK(wf_loss(&code, &p, options, 4, &several) == WF_OK);
    int number = !isnan(one.log_sum) && !isnan(one.brier_sum);
    CHECK(memcmp(&one, &several, sizeof one) == 0 || !number);
    if (number) note(&one, sizeof one);
    options.wanted = WF_TOP | WF_HINGE;
    CHECK(wf_loss(&code, &p, options, 1, &one) == WF_OK);
    CHECK(wf_loss(&code, &p, options, 4, &several) == WF_OK);
    CHECK(one.hits <= n && one.hits == several.hits && one.bad_row == several.bad_row);
    CHECK(one.bad_row < n || (one.hinge_sum >= 0 && one.hinge_sum == several.hinge_sum));
    note(&one.hits, sizeof one.hits);
    if (fair) { /* in rows, of doubles */
        double plain = hinge_sum((const double *)(void *)memory, codes, n, columns);
        CHECK(fabs(one.hinge_sum - plain) <= 1e-12 * plain);
    }
    for (size_t i = 0; i < n; i++) codes[i] %= 2;
    p = (wf_matrix){memory, (ptrdiff_t)width, 0, (int)width, p.swapped, n, 2, 1};
    options.wanted = WF_LOG | WF_BRIER | WF_CHECK;
    options.each = malloc(n * sizeof *options.each);
    CHECK(options.each);
    CHECK(wf_loss(&code, &p, options, 1, &one) == WF_OK && one.bad_code == n && one.least < 2);
    free(options.each);
    free(memory);
    free(codes);
}

/* Two matrices of 0 and 1, with a rare exception. */
static void check_labels(size_t n)
{
    size_t columns = 1 + below(70), cells = n * columns, kinds = 0, sure = below(4);
    unsigned char *memory = malloc(2 * cells), *flags = malloc(cells);
    for (size_t i = 0; i < 2 * cells; i++) memory[i] = (unsigned char)(below(1 + 3 * sure) == 0);
    if (below(5) == 0) memory[below(2 * cells)] = 2;
    wf_cells true_ = {memory, (ptrdiff_t)columns, 1, 1, 0, 0, 0, n, columns}, other = true_;
    other.data += cells;
    if (below(2)) { /* in column order */
        true_.row_stride = other.row_stride = 1;
        true_.column_stride = other.column_stride = (ptrdiff_t)n;
    }
    wf_label_sets sets;
    double *sums = malloc(3 * n * sizeof *sums), found[3] = {0, 0, 0};
    wf_status status = wf_group_labels(&true_, &other, &sets);
    CHECK(status == WF_OK || status == WF_BAD_CODE);
    CHECK(wf_item_labels(&true_, &other, sums) == status);
    double totals[6], *marks = malloc(cells * sizeof *marks);
    CHECK(wf_label_scores(&true_, &other, WF_EXACT, 2, totals) == status);
    CHECK(wf_label_scores(&true_, &other, WF_WRONG, 1, totals + 3) == status);
    if (status == WF_OK) note(totals, sizeof totals);
    for (size_t i = 0; i < cells; i++) marks[i] = (double)below(5);
    wf_cells scored = {(unsigned char *)marks, 8 * (ptrdiff_t)columns, 8, 8, 0, 0, 1, n, columns};
    for (int what = WF_COVERAGE; status == WF_OK && what <= WF_TOP_ERROR; what++) {
        CHECK(wf_label_scores(&true_, &scored, (wf_label_score)what, 2, totals) == WF_OK);
        note(totals, 24);
    }
    free(marks);
    if (status == WF_OK) {
        CHECK(wf_label_flags(&true_, flags) == WF_OK);
        for (size_t i = 0; i < sets.kinds; i++) kinds += (size_t)sets.count[i];
        CHECK(kinds == n);
        for (size_t i = 0; i < sets.lines; i++) {
            CHECK(sets.item[i] >= 0 && (size_t)sets.item[i] < sets.kinds);
            found[sets.item[2 * sets.lines + i]] += (double)sets.count[sets.item[i]];
        }
        for (size_t i = 0; i < 3 * n; i++) found[i / n] -= sums[i];
        CHECK(found[0] == 0 && found[1] == 0 && found[2] == 0);
        note(sets.item, 24 * sets.lines);
        note(flags, cells);
        wf_label_sets_free(&sets);
    }
    free(sums);
    free(flags);
    free(memory);
}

/* Draws and sums of whole numbers: the same for any number of threads, and every item is drawn. */
static void check_resample(size_t n)
{
    size_t units = 1 + n % 200, replicates = 1 + below(700), groups = 1 + below(9);
    int64_t *count = malloc(units * 8), *order = malloc(units * 8), starts[11] = {0}, items = 0;
    double *share = malloc(units * 8), *sums = malloc((groups + 1) * replicates * 8);
    unsigned char *bytes = malloc(units * replicates);
    int32_t *wide = malloc(units * replicates * 4), *again = malloc(units * replicates * 4);
    for (size_t u = 0; u < units; u++) {
        count[u] = (int64_t)below(below(20) ? 4 : 400);
        order[u] = (int64_t)below(units);
        items += count[u];
    }
    count[0]++, items++;
    for (size_t u = 0; u < units; u++) share[u] = (double)count[u] / (double)items;
    wf_generator g = {next(), next(), next(), next() | 1}, h = g;
    wf_rows small = {bytes, 1, units, replicates}, large = {wide, 4, units, replicates};
    CHECK(wf_multinomial(&g, items, share, &large) == WF_OK);
    for (size_t r = 0; r < replicates; r++) {
        int64_t total = 0;
        for (size_t u = 0; u < units; u++) total += wide[u * replicates + r];
        CHECK(total == items);
    }
    note(wide, units * replicates * 4);
    if (wf_multinomial(&h, items, share, &small) == WF_OK) {
        CHECK(memcmp(&g, &h, sizeof g) == 0);
        for (size_t i = 0; i < units * replicates; i++) CHECK(bytes[i] == wide[i]);
    }
    wf_rows other = {again, 4, units, replicates};
    uint64_t seed = next();
    size_t first = below(1000);
    wf_flips(count, seed, first, 1, &large);
    wf_flips(count, seed, first, 3, &other);
    CHECK(memcmp(wide, again, units * replicates * 4) == 0);
    for (size_t i = 0; i < units * replicates; i++)
        CHECK(wide[i] >= 0 && wide[i] <= count[i / replicates]);
    note(wide, units * replicates * 4);
    for (size_t i = 1; i <= groups; i++) starts[i] = (int64_t)(i * units / groups);
    starts[groups + 1] = (int64_t)(units + below(2)); /* maybe beyond the end */
    wf_groups every = {order, starts, units, groups}, beyond = every;
    CHECK(wf_sum_rows(&large, &every, 3, sums) == WF_OK);
    note(sums, groups * replicates * 8);
    beyond.groups++;
    wf_status expected = (size_t)starts[groups + 1] > units ? WF_BAD_CODE : WF_OK;
    CHECK(wf_sum_rows(&large, &beyond, 2, sums) == expected);
    order[below(units)] = (int64_t)units;
    CHECK(wf_sum_rows(&large, &every, 2, sums) == WF_BAD_CODE);
    free(count), free(order), free(share), free(sums), free(bytes), free(wide), free(again);
}

static double chance(void) { return (double)(1 + below(9999)) / 10000; }

#include "spreads.h"

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 2654435761u + 1 : 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 100;
    for (int round = 0; round < rounds; round++) {
        size_t n = below(20) ? 1 + below(3000) : 1 + below(600000);
        check_count(n);
        n = 1 + below(6000);
        check_margins(n);
        check_add(n);
        check_encode(n);
        check_rank(below(10) ? n : below(5) ? 8 * n : ((size_t)1 << 18) + n);
        check_bins(below(10) ? n : 20 * n);
        check_loss(n);
        check_labels(1 + n / 8);
        check_resample(n);
        check_quantile();
        check_formula(n);
        check_rank_value(n);
        check_spread(n);
        check_precisions(1 + n / 4);
    }
    printf("%d rounds\n%08x%08x\n", rounds, (unsigned)(digest >> 32), (unsigned)digest);
    return 0;
}
