/* Checks of quantiles, recorded formulas and sums of influences; part of driver.c. */
/* Quantiles rise, and are those of the other side; their last bits are the mathematical library's. */
static void check_quantile(void)
{
    double a = exp(20 * chance() - 6), b = exp(20 * chance() - 6), p = chance();
    double z = wf_beta_logit(a, b, p), more = wf_beta_logit(a, b, p + (1 - p) / 2);
    CHECK(isfinite(z) && isfinite(more) && more > z);
    if (p > 0.01) CHECK(fabs(z + wf_beta_logit(b, a, 1 - p)) < 1e-9 * (1 + fabs(z)));
}

/* Any steps give a number, or are refused. */
static void check_formula(size_t n)
{
    enum { MOST = 12, INPUTS = 3, CONSTANTS = 2 };
    size_t classes = 1 + n % 200, steps = 1 + below(MOST), tables = 1 + below(3);
    size_t size = tables * INPUTS * classes;
    int64_t step[3 * MOST];
    double constants[CONSTANTS] = {2, chance()}, values[3] = {0};
    double *inputs = malloc(2 * size * sizeof *inputs), *slopes = inputs + size;
    CHECK(inputs);
    for (size_t i = 0; i < 2 * size; i++) inputs[i] = (double)below(9);
    for (size_t i = 0; i < steps; i++) {
        step[3 * i] = (int64_t)below(below(2) ? WF_NO_ZERO + 1 : WF_FIRST + 2) - (below(50) == 0);
        for (size_t j = 1; j < 3; j++)
            step[3 * i + j] = (int64_t)below(INPUTS + CONSTANTS + i + (below(50) == 0));
    }
    step[3 * (steps - 1)] = WF_SUM;
    wf_formula formula = {
        step, steps, constants, CONSTANTS, INPUTS, classes, INPUTS + CONSTANTS + steps - 1};
    wf_status status = wf_differentiate(&formula, inputs, tables, values, slopes);
    CHECK(status == WF_OK || status == WF_ZERO || status == WF_BAD_CODE);
    double value = 0;
    wf_status alone = wf_evaluate(&formula, inputs, &value);
    if (!status) CHECK(!alone && (value == values[0] || isnan(value)));
    if (!alone) note(&value, isnan(value) ? 0 : sizeof value);
    free(inputs);
}

/* The sum of each column of a ranking, and the running sums at its first score above the mean. */
static void check_rank_value(size_t n)
{
    wf_column labels, scores;
    unsigned char *bits = malloc(n);
    double *score = malloc(n * sizeof *score), constant = .5;
    for (size_t i = 0; i < n; i++) bits[i] = (unsigned char)below(2);
    for (size_t i = 0; i < n; i++) score[i] = (double)below(1 + n / 2) / (double)n;
    labels = (wf_column){bits, 1, 1, 0, 0};
    scores = (wf_column){(unsigned char *)score, 8, 8, 1, 0};
    double positives = 0, above = 0, highest = -1, lowest = 2;
    for (size_t i = 0; i < n; i++) {
        positives += bits[i];
        if (score[i] > highest) highest = score[i];
        if (score[i] < lowest) lowest = score[i];
        if (score[i] > constant) above += bits[i];
    }
    /* tp at the first score that is not above the constant, less the positives there */
    int64_t steps[] = {WF_AT_MOST,  0, 5, WF_FIRST,   6, 3, WF_FIRST,    6, 1,
                       WF_SUBTRACT, 7, 8, WF_LARGEST, 6, 6, WF_MULTIPLY, 9, 10};
    wf_formula formula = {steps, 6, &constant, 1, 5, 0, 11};
    wf_rank_score found;
    CHECK(wf_rank_value(&formula, &scores, &labels, n, &found) == WF_OK);
    CHECK(found.positives == positives && found.negatives == (double)n - positives);
    CHECK(found.highest == highest && found.lowest == lowest);
    CHECK(found.value == (lowest <= constant ? above : 0));
    note(&found, sizeof found);
    bits[below(n)] = 2;
    CHECK(wf_rank_value(&formula, &scores, &labels, n, &found) == WF_BAD_CODE);
    free(bits);
    free(score);
}

/* The spread of the accuracy and of a recall is that of a proportion; cells outside are refused. */
static void check_spread(size_t n)
{
    size_t classes = 2 + below(20), cells = 1 + n % 300;
    int64_t of_all[] = {WF_SUM, 0,          0, WF_ADD, 0,         2, WF_SUM, 5,
                        5,      WF_NO_ZERO, 6, 6,      WF_DIVIDE, 4, 6};
    int64_t of_one[] = {WF_ADD, 0, 2, WF_NO_ZERO, 4, 4, WF_DIVIDE, 0, 4};
    wf_formula accuracy = {of_all, 5, NULL, 0, 4, classes, 8};
    wf_formula recall = {of_one, 3, NULL, 0, 4, 1, 6};
    int64_t *true_ = malloc(2 * cells * sizeof *true_), *predicted = true_ + cells;
    double *count = malloc(cells * sizeof *count), kinds[4];
    double *margins = calloc(3 * classes, sizeof *margins), right = 0, total = 0;
    CHECK(true_ && count && margins);
    for (size_t i = 0; i < cells; i++) {
        true_[i] = (int64_t)below(classes), predicted[i] = (int64_t)below(classes);
        count[i] = (double)(1 + below(99));
        total += count[i];
        if (true_[i] == predicted[i]) right += count[i], margins[true_[i]] += count[i];
        else {
            margins[classes + (size_t)predicted[i]] += count[i];
            margins[2 * classes + (size_t)true_[i]] += count[i];
        }
    }
    wf_table_cells table = {true_, predicted, count, cells};
    wf_spread spread;
    double share = right / total;
    CHECK(wf_table_spread(&accuracy, margins, &table, (int)below(2), &spread) == WF_OK);
    CHECK(fabs(spread.value - share) < 1e-12);
    CHECK(fabs(spread.square - share * (1 - share) / total) < 1e-12);
    true_[below(cells)] = below(2) ? (int64_t)(classes * classes) : -1;
    CHECK(wf_table_spread(&accuracy, margins, &table, 1, &spread) == WF_BAD_CODE);
    table.predicted = NULL;
    CHECK(wf_table_spread(&accuracy, margins, &table, 1, &spread) == WF_BAD_CODE);
    for (int i = 0; i < 4; i++) kinds[i] = (double)below(9);
    wf_status status = wf_class_spread(&recall, kinds, 1, &spread);
    CHECK(status == (kinds[0] + kinds[2] > 0 ? WF_OK : WF_ZERO));
    if (!status) {
        share = kinds[0] / (kinds[0] + kinds[2]);
        CHECK(fabs(spread.square - share * (1 - share) / (kinds[0] + kinds[2])) < 1e-12);
    }
    free(true_), free(count), free(margins);
}

/* Scores of precisions are in [0, 1], and nothing varies if all items are of one score. */
static void check_precisions(size_t n)
{
    int64_t *counts = malloc(2 * n * sizeof *counts);
    CHECK(counts);
    for (size_t i = 0; i < 2 * n; i++) counts[i] = (int64_t)below(4);
    counts[0] = counts[n] = 1;
    wf_column sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] = (wf_column){(unsigned char *)(counts + (size_t)i * n), 8, 8, 1, 0};
    int floats[2] = {0, 0};
    for (int what = WF_MEAN_PRECISION; what <= WF_EXCESS; what++) {
        wf_moments m;
        CHECK(wf_place_precisions(&sides[0], &sides[1], floats, n, (wf_precisions)what, &m) ==
              WF_OK);
        CHECK(m.value > -1e-9 && m.value <= 1 && m.squares[0] >= 0 && m.squares[1] >= 0);
        CHECK(isfinite(m.second) && isfinite(m.cubes));
    }
    free(counts);
}
