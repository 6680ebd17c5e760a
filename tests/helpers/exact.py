"""An independent twin: every score from the items themselves, in exact fractions.

Written from the definitions, class by class and item by item; it shares no code with the library.
"""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np

from tests.helpers import raters
from whichf1.definitions.definition import Definition

getcontext().prec = 60

UNDEFINED = None
Pairs = list[tuple[Any, Any]]
Cells = dict[tuple[Any, Any], Fraction]
"""The sum of the weights of all items with a true and a predicted class."""


def cells_of(pairs: Pairs, weights: Any = None) -> Cells:
    cells: Cells = {}
    for pair, w in zip(pairs, weights or [1] * len(pairs), strict=True):
        cells[pair] = cells.get(pair, Fraction(0)) + Fraction(w)
    return {pair: w for pair, w in cells.items() if w}


def over(top: Any, bottom: Any) -> Any:
    return Fraction(top) / Fraction(bottom) if bottom else UNDEFINED


def plus_minus_one(a: Any, b: Any) -> Any:
    return UNDEFINED if a is UNDEFINED or b is UNDEFINED else a + b - 1


def ratio_of(a: Any, b: Any) -> Any:
    if a is UNDEFINED or b is UNDEFINED or (a == 0 and b == 0):
        return UNDEFINED
    return inf if b == 0 else a / b


def f_of(p: Any, r: Any, beta: Any) -> Any:
    """F at a precision and a recall; 0 at (0, 0)."""
    if beta == inf:
        return r if p else Fraction(0)
    b = Fraction(beta) ** 2
    bottom = b * p + r
    return (1 + b) * p * r / bottom if bottom else Fraction(0)


def root_of(square: Any) -> Any:
    """The root of a fraction to sixty digits, as a fraction."""
    if square is UNDEFINED:
        return UNDEFINED
    return Fraction((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


def log_of(x: Any) -> Fraction:
    return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).ln())


def phi(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    together = tp * tn - fp * fn
    square = over(together**2, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return UNDEFINED if square is UNDEFINED else root_of(square) * (-1 if together < 0 else 1)


def optimized_precision(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    a, b = over(tp, tp + fn), over(tn, tn + fp)
    if a is UNDEFINED or b is UNDEFINED or a + b == 0:
        return UNDEFINED
    return Fraction(tp + tn) / (tp + fp + fn + tn) - abs(a - b) / (a + b)


def index_of_balanced_accuracy(tp: Any, fp: Any, fn: Any, tn: Any, alpha: Any) -> Any:
    a, b = over(tp, tp + fn), over(tn, tn + fp)
    if a is UNDEFINED or b is UNDEFINED:
        return UNDEFINED
    return (1 + Fraction(alpha) * (a - b)) * a * b


def f_beta(tp: Any, fp: Any, fn: Any, tn: Any, beta: Any) -> Any:
    if beta == inf:
        return over(tp, tp + fn)
    b = Fraction(beta) ** 2
    return over((1 + b) * tp, (1 + b) * tp + b * fn + fp)


RATES: dict[str, Any] = {
    "precision": lambda tp, fp, fn, tn: over(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: over(tp, tp + fn),
    "specificity": lambda tp, fp, fn, tn: over(tn, tn + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: over(tn, tn + fn),
    "f_beta": f_beta,
    "f1": lambda tp, fp, fn, tn: over(2 * tp, 2 * tp + fp + fn),
    "jaccard": lambda tp, fp, fn, tn: over(tp, tp + fp + fn),
    "false_positive_rate": lambda tp, fp, fn, tn: over(fp, fp + tn),
    "false_negative_rate": lambda tp, fp, fn, tn: over(fn, fn + tp),
    "false_discovery_rate": lambda tp, fp, fn, tn: over(fp, fp + tp),
    "false_omission_rate": lambda tp, fp, fn, tn: over(fn, fn + tn),
    "prevalence": lambda tp, fp, fn, tn: over(tp + fn, tp + fp + fn + tn),
    "selection_rate": lambda tp, fp, fn, tn: over(tp + fp, tp + fp + fn + tn),
    "informedness": lambda tp, fp, fn, tn: plus_minus_one(over(tp, tp + fn), over(tn, tn + fp)),
    "markedness": lambda tp, fp, fn, tn: plus_minus_one(over(tp, tp + fp), over(tn, tn + fn)),
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: ratio_of(
        over(tp, tp + fn), over(fp, fp + tn)
    ),
    "negative_likelihood_ratio": lambda tp, fp, fn, tn: ratio_of(
        over(fn, tp + fn), over(tn, fp + tn)
    ),
    "one_vs_rest_accuracy": lambda tp, fp, fn, tn: over(tp + tn, tp + fp + fn + tn),
    "g_mean": lambda tp, fp, fn, tn: root_of(over(tp * tn, (tp + fn) * (tn + fp))),
    "fowlkes_mallows": lambda tp, fp, fn, tn: root_of(over(tp * tp, (tp + fp) * (tp + fn))),
    "one_vs_rest_mcc": phi,
    "diagnostic_odds_ratio": lambda tp, fp, fn, tn: ratio_of(Fraction(tp * tn), Fraction(fp * fn)),
    "yule_q": lambda tp, fp, fn, tn: over(tp * tn - fp * fn, tp * tn + fp * fn),
    "optimized_precision": optimized_precision,
    "index_of_balanced_accuracy": index_of_balanced_accuracy,
}


def accuracy(cells: Cells, labels: Any) -> Any:
    return over(sum(w for (t, p), w in cells.items() if t == p), sum(cells.values()))


def error_rate(cells: Cells, labels: Any) -> Any:
    return over(sum(w for (t, p), w in cells.items() if t != p), sum(cells.values()))


def distance(labels: Any, weighting: Any) -> Any:
    """What it counts to mistake one class for another."""
    place = {label: at for at, label in enumerate(labels)}

    def cost(a: Any, b: Any) -> Any:
        if weighting == "none":
            return int(a != b)
        if not isinstance(weighting, str):
            return Fraction(weighting[place[a]][place[b]])
        return abs(place[a] - place[b]) ** (1 if weighting == "linear" else 2)

    return cost


def sides(cells: Cells, labels: Any) -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
    """The items of each class, and those predicted as it."""
    true = {x: sum((w for (t, _), w in cells.items() if t == x), Fraction(0)) for x in labels}
    predicted = {x: sum((w for (_, p), w in cells.items() if p == x), Fraction(0)) for x in labels}
    return true, predicted


def chance_corrected(cells: Cells, labels: Any, weighting: Any, guesses: Any) -> Any:
    """1 − observed / expected disagreement, by the shares of two guessing raters."""
    cost, n = distance(labels, weighting), sum(cells.values())
    observed = sum(w * cost(t, p) for (t, p), w in cells.items()) / n
    a, b = guesses
    ratio = over(observed, sum(a[t] * b[p] * cost(t, p) for t in labels for p in labels))
    return UNDEFINED if ratio is UNDEFINED else 1 - ratio


def cohen_kappa(cells: Cells, labels: Any, weighting: Any) -> Any:
    n = sum(cells.values())
    both = [{x: w / n for x, w in side.items()} for side in sides(cells, labels)]
    return chance_corrected(cells, labels, weighting, both)


def pooled(cells: Cells, labels: Any) -> dict[Any, Fraction]:
    true, predicted = sides(cells, labels)
    return {x: (true[x] + predicted[x]) / (2 * sum(cells.values())) for x in labels}


def scott_pi(cells: Cells, labels: Any, weighting: Any) -> Any:
    return chance_corrected(cells, labels, weighting, [pooled(cells, labels)] * 2)


def brennan_prediger(cells: Cells, labels: Any, weighting: Any) -> Any:
    return chance_corrected(
        cells, labels, weighting, [{x: Fraction(1, len(labels)) for x in labels}] * 2
    )


def fleiss_kappa(cells: Cells, labels: Any, weighting: Any) -> Any:
    return raters.fleiss_kappa(raters.of_cells(cells), labels, distance(labels, weighting))


def krippendorff_alpha(cells: Cells, labels: Any, level: Any) -> Any:
    return raters.krippendorff_alpha(raters.of_cells(cells), labels, level)


def gwet_ac1(cells: Cells, labels: Any, weighting: Any) -> Any:
    k, cost = len(labels), distance(labels, weighting)
    most = max((cost(a, b) for a in labels for b in labels), default=0)
    if k < 2:
        return UNDEFINED
    agrees = {(a, b): 1 - Fraction(cost(a, b)) / most for a in labels for b in labels}
    observed = sum(w * agrees[pair] for pair, w in cells.items()) / sum(cells.values())
    spread = sum(x * (1 - x) for x in pooled(cells, labels).values())
    expected = sum(agrees.values()) * spread / (k * (k - 1))
    ratio = over(1 - observed, 1 - expected)
    return UNDEFINED if ratio is UNDEFINED else 1 - ratio


def adjusted_balanced_accuracy(cells: Cells, labels: Any) -> Any:
    true, _ = sides(cells, labels)
    recalls = [cells.get((x, x), Fraction(0)) / true[x] for x in labels if true[x]]
    chance = Fraction(1, len(recalls))
    return over(sum(recalls) / len(recalls) - chance, 1 - chance)


def no_information_rate(cells: Cells, labels: Any) -> Any:
    return max(sides(cells, labels)[0].values()) / sum(cells.values())


def no_information_p_value(cells: Cells, labels: Any) -> Any:
    p, n = no_information_rate(cells, labels), int(sum(cells.values()))
    hits = int(sum(w for (t, q), w in cells.items() if t == q))
    return sum(math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(hits, n + 1))


def mutual_information(cells: Cells, labels: Any) -> Any:
    (true, predicted), n = sides(cells, labels), sum(cells.values())
    return sum(w / n * log_of(w * n / (true[t] * predicted[p])) for (t, p), w in cells.items())


def normalized_mutual_information(cells: Cells, labels: Any, mean: str) -> Any:
    n = sum(cells.values())
    a, b = (
        sum((w / n * log_of(n / w) for w in side.values() if w), Fraction(0))
        for side in sides(cells, labels)
    )
    means = {"arithmetic": (a + b) / 2, "geometric": root_of(a * b), "min": min(a, b)}
    return over(mutual_information(cells, labels), means.get(mean, max(a, b)))


def cramer_v(cells: Cells, labels: Any) -> Any:
    (true, predicted), n = sides(cells, labels), sum(cells.values())
    filled = [[x for x in labels if side[x]] for side in (true, predicted)]
    squares = Fraction(0)
    for t in filled[0]:
        for p in filled[1]:
            chance = true[t] * predicted[p] / n
            squares += (cells.get((t, p), Fraction(0)) - chance) ** 2 / chance
    return root_of(over(squares, n * (min(map(len, filled)) - 1)))


def goodman_kruskal_lambda(cells: Cells, labels: Any, of: str) -> Any:
    top = bottom = Fraction(0)
    for side, at in (("true", 1), ("predicted", 0)):
        if of in (side, "both"):
            guessed = max(sides(cells, labels)[1 - at].values())
            each = [[w for pair, w in cells.items() if pair[at] == x] for x in labels]
            top += sum(max(x, default=Fraction(0)) for x in each) - guessed
            bottom += sum(cells.values()) - guessed
    return over(top, bottom)


def adjusted_rand_index(cells: Cells, labels: Any) -> Any:
    def pairs(counts: Any) -> Fraction:
        return sum((Fraction(x) * (x - 1) / 2 for x in counts), Fraction(0))

    a, b = (pairs(side.values()) for side in sides(cells, labels))
    every = pairs([sum(cells.values())])
    if not every:
        return UNDEFINED
    expected = a * b / every
    return over(pairs(cells.values()) - expected, (a + b) / 2 - expected)


def confusion_entropy(cells: Cells, labels: Any) -> Any:
    true, predicted = sides(cells, labels)
    if len(labels) < 2:
        return UNDEFINED
    base, total = log_of(Fraction(2 * (len(labels) - 1))), Fraction(0)
    for k in labels:
        size = true[k] + predicted[k]
        shares = [w / size for pair, w in cells.items() if k in pair and pair[0] != pair[1]]
        total -= size / (2 * sum(cells.values())) * sum(x * log_of(x) / base for x in shares)
    return total


def expected_cost(cells: Cells, labels: Any, costs: Any) -> Any:
    cost = distance(labels, "none" if costs is None else costs)
    return over(sum(w * cost(t, p) for (t, p), w in cells.items()), sum(cells.values()))


def normalized_expected_cost(cells: Cells, labels: Any, costs: Any) -> Any:
    cost, true = distance(labels, "none" if costs is None else costs), sides(cells, labels)[0]
    constant = min(sum(true[t] * cost(t, p) for t in labels) for p in labels)
    return over(sum(w * cost(t, p) for (t, p), w in cells.items()), constant)


def macro_mae(cells: Cells, labels: Any) -> Any:
    cost, true = distance(labels, "linear"), sides(cells, labels)[0]
    each = [
        sum(w * cost(t, p) for (t, p), w in cells.items() if t == x) / true[x]
        for x in labels
        if true[x]
    ]
    return sum(each) / len(each)


def mcc(cells: Cells, labels: Any) -> Any:
    """Gorodkin's R_K as a correlation: covariances of the class indicators."""
    n = Fraction(sum(cells.values()))
    xy = xx = yy = Fraction(0)
    for label in labels:
        xm = sum(w for (_, p), w in cells.items() if p == label) / n
        ym = sum(w for (t, _), w in cells.items() if t == label) / n
        for (t, p), w in cells.items():
            x, y = (p == label) - xm, (t == label) - ym
            xy, xx, yy = xy + w * x * y, xx + w * x * x, yy + w * y * y
    if xx * yy == 0:
        return UNDEFINED
    square = xy * xy / (xx * yy)
    root = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
    return float(root) if xy >= 0 else -float(root)


def with_ancestors(label: Any, parents: Any) -> set[Any]:
    """A class and its ancestors, without the only class at the top if there is one."""
    if parents is None:
        return {label}
    above = dict(parents)
    found = {label}.union(*(with_ancestors(x, [*parents, (None, ())]) for x in above[label]))
    tops = [x for x, own in parents if not own]
    return found - {*tops} if len(tops) == 1 else found


def hierarchical(cells: Cells, parents: Any, *sides: int) -> Any:
    """What the sets of true and predicted classes with their ancestors share, over their sizes."""
    shared = whole = Fraction(0)
    for pair, w in cells.items():
        sets = [with_ancestors(label, parents) for label in pair]
        shared += w * len(sets[0] & sets[1])
        whole += w * sum(len(sets[side]) for side in sides) / len(sides)
    return over(shared, whole)


def hierarchical_precision(cells: Cells, labels: Any, parents: Any) -> Any:
    return hierarchical(cells, parents, 1)


def hierarchical_recall(cells: Cells, labels: Any, parents: Any) -> Any:
    return hierarchical(cells, parents, 0)


def hierarchical_f1(cells: Cells, labels: Any, parents: Any) -> Any:
    return hierarchical(cells, parents, 0, 1)


AGREEMENT: dict[str, Any] = {
    "hierarchical_precision": hierarchical_precision,
    "hierarchical_recall": hierarchical_recall,
    "hierarchical_f1": hierarchical_f1,
    "accuracy": accuracy,
    "error_rate": error_rate,
    "cohen_kappa": cohen_kappa,
    "mcc": mcc,
    "scott_pi": scott_pi,
    "brennan_prediger": brennan_prediger,
    "gwet_ac1": gwet_ac1,
    "fleiss_kappa": fleiss_kappa,
    "krippendorff_alpha": krippendorff_alpha,
    "adjusted_balanced_accuracy": adjusted_balanced_accuracy,
    "no_information_rate": no_information_rate,
    "no_information_p_value": no_information_p_value,
    "mutual_information": mutual_information,
    "normalized_mutual_information": normalized_mutual_information,
    "cramer_v": cramer_v,
    "goodman_kruskal_lambda": goodman_kruskal_lambda,
    "adjusted_rand_index": adjusted_rand_index,
    "confusion_entropy": confusion_entropy,
    "expected_cost": expected_cost,
    "normalized_expected_cost": normalized_expected_cost,
    "macro_mae": macro_mae,
}


def class_set(cells: Any, labels: Any, classes: Any, exclude: Any) -> Any:
    true = {t for t, _ in cells}
    predicted = {p for _, p in cells}
    if classes in (None, "declared"):
        chosen = list(labels)
    elif classes == "observed":
        chosen = [x for x in labels if x in true | predicted]
    elif classes == "true":
        chosen = [x for x in labels if x in true]
    elif classes == "range":
        chosen = list(range(max(true | predicted) + 1))
    else:
        chosen = list(classes)
    return [x for x in chosen if x not in exclude]


def quadrant(cells: Cells, label: Any) -> Any:
    tp = cells.get((label, label), Fraction(0))
    fp = sum(w for (t, p), w in cells.items() if t != label and p == label)
    fn = sum(w for (t, p), w in cells.items() if t == label and p != label)
    return tp, fp, fn, sum(cells.values()) - tp - fp - fn


def settled(value: float, undefined: Any) -> Any:
    """0, 1, or the word itself for 'skip' and 'nan'."""
    return undefined if value is UNDEFINED else value


def rate(name: str, quad: Any, parameters: Any, undefined: Any, scope: Any) -> Any:
    if name not in ("f1", "f_beta") or scope == "empty":
        return settled(RATES[name](*quad, **parameters), undefined)
    p, r = (settled(RATES[part](*quad), undefined) for part in ("precision", "recall"))
    if isinstance(p, str) or isinstance(r, str):
        return undefined
    if scope == "no-hits" and p == 0 and r == 0:
        return undefined
    return f_of(p, r, parameters.get("beta", 1))


def mean(values: Any, weights: Any, undefined: Any) -> Any:
    if "nan" in values:
        return nan
    kept = [(v, w) for v, w in zip(values, weights, strict=True) if v != "skip"]
    total = sum(w for _, w in kept)
    if total == 0:
        return nan if isinstance(undefined, str) else undefined
    if any(v == inf and w for v, w in kept):
        return inf
    return sum(v * w for v, w in kept) / Fraction(total)


def scaled(cells: Cells, shares: Any) -> Cells:
    """The cells with each true class scaled to its share of all items."""
    rows: dict[Any, Fraction] = {}
    for (true, _), w in cells.items():
        rows[true] = rows.get(true, Fraction(0)) + w
    equal = {true: Fraction(1, len(rows)) for true in rows}
    share = equal if shares == "uniform" else {x: Fraction(s) for x, s in shares}
    total = sum(rows.values())
    every = {(t, p): w * share[t] * total / rows[t] for (t, p), w in cells.items()}
    return {pair: w for pair, w in every.items() if w}


def score(pairs: Pairs, labels: Any, definition: Definition, weights: Any = None) -> Any:
    """The value of a definition, a Fraction or (for MCC, NaN and infinity) a float."""
    d = definition
    parameters = dict(d.parameters)
    cells = {x: w for x, w in cells_of(pairs, weights).items() if x[0] not in d.ignore}
    cells = cells if d.class_shares is None else scaled(cells, d.class_shares)
    if d.metric in AGREEMENT:
        value = settled(AGREEMENT[d.metric](cells, labels, **parameters), d.undefined)
        return nan if isinstance(value, str) else value
    if d.positive is not None:
        value = rate(d.metric, quadrant(cells, d.positive), parameters, d.undefined, d.scope)
        return nan if isinstance(value, str) else value
    chosen = class_set(cells, labels, d.classes, d.exclude)
    quads = [quadrant(cells, label) for label in chosen]
    if d.average == "micro":
        total = tuple(sum(each) for each in zip(*quads, strict=True))
        value = rate(d.metric, total, parameters, d.undefined, d.scope)
        return nan if isinstance(value, str) else value
    support = [q[0] + q[2] if d.average == "weighted" else 1 for q in quads]
    if d.formula == "of-averages":
        p, r = (
            mean([rate(part, q, {}, d.undefined, "empty") for q in quads], support, d.undefined)
            for part in ("precision", "recall")
        )
        return nan if p != p or r != r else f_of(p, r, parameters.get("beta", 1))
    values = [rate(d.metric, q, parameters, d.undefined, d.scope) for q in quads]
    return mean(values, support, d.undefined)


Scored = list[tuple[Any, Any, Any]]
"""Whether each item is positive, its score, and its weight above 0."""


def steps(items: Scored) -> list[tuple[float, Fraction, Fraction]]:
    """Each distinct score, highest first, with the weight of its positives and negatives."""
    table: dict[float, list[Fraction]] = {}
    for positive, score_, w in items:
        sides = table.setdefault(score_, [Fraction(0), Fraction(0)])
        sides[0 if positive else 1] += Fraction(w)
    return [(s, *table[s]) for s in sorted(table, reverse=True)]  # type: ignore[misc]


def sums(items: Scored) -> tuple[Fraction, Fraction]:
    p, n = (sum((Fraction(w) for y, _, w in items if y == side), Fraction(0)) for side in (1, 0))
    return p, n


def roc_auc(items: Scored, max_fpr: Any, multi_class: Any) -> Fraction:
    p, n = sums(items)
    limit = Fraction(1 if max_fpr is None else max_fpr)
    x = y = area = Fraction(0)
    for _, positives, negatives in steps(items):
        right, up = x + negatives / n, y + positives / p
        end = min(right, limit)
        if end > x:
            area += (end - x) * (y + (up - y) * (end - x) / (right - x) / 2)
        x, y = right, up
    if max_fpr is None:
        return area
    low, high = limit**2 / 2, limit
    return (1 + (area - low) / (high - low)) / 2


def average_precision(items: Scored, multi_class: Any) -> Fraction:
    tp = fp = total = Fraction(0)
    for _, positives, negatives in steps(items):
        tp, fp = tp + positives, fp + negatives
        total += positives * tp / (tp + fp)
    return total / tp


def ks(items: Scored) -> Fraction:
    p, n = sums(items)
    largest = tp = fp = Fraction(0)
    for _, positives, negatives in steps(items):
        tp, fp = tp + positives, fp + negatives
        largest = max(largest, abs(tp / p - fp / n))
    return largest


def gain(items: Scored, top: Any) -> Fraction:
    p, n = sums(items)
    left, found = Fraction(top) * (p + n), Fraction(0)
    for _, positives, negatives in steps(items):
        share = min(Fraction(1), left / (positives + negatives))
        found, left = found + share * positives, left - share * (positives + negatives)
    return found / p


def expected_calibration_error(
    items: Scored, bins: int, binning: str, multi_class: Any
) -> Fraction:
    off: dict[int, Fraction] = {}
    for y, s, w in items:
        at = bin_at(s, bins)
        off[at] = off.get(at, Fraction(0)) + Fraction(w) * (y - Fraction(s))
    return sum(map(abs, off.values()), Fraction(0)) / sum(sums(items))


def bin_at(score: float, bins: int) -> int:
    """The bin of equal width that a score is in."""
    edges = np.linspace(0, 1, bins + 1)
    return next((b for b in range(bins - 1) if score <= edges[b + 1]), bins - 1)


def debiased_calibration_error(
    items: Scored, bins: int, binning: str, multi_class: Any
) -> Fraction:
    """Of items without weights; a root is a fraction only to the digits of a float."""
    square = Fraction(0)
    for at in range(bins):
        here = [(y, Fraction(s)) for y, s, _ in items if bin_at(s, bins) == at]
        n = len(here)
        if n > 1:
            frequency = Fraction(sum(y for y, _ in here), n)
            gap = frequency - sum((s for _, s in here), Fraction(0)) / n
            chance = frequency * (1 - frequency) / (n - 1)
            square += Fraction(n, len(items)) * (gap**2 - chance)
    return Fraction(math.sqrt(max(square, Fraction(0))))


def thresholds(items: Scored) -> list[tuple[Fraction, Fraction]]:
    """True and false positives from each score on, highest first."""
    found, tp, fp = [], Fraction(0), Fraction(0)
    for _, positives, negatives in steps(items):
        tp, fp = tp + positives, fp + negatives
        found.append((tp, fp))
    return found


def best(items: Scored, at: Any, rate: Any, other: Any) -> Fraction:
    """The largest rate where another is at least so large, or as good as."""
    sizes, limit = sums(items), Fraction(at) - Fraction(1, 10**12)
    points = thresholds(items)
    return max((rate(x, *sizes) for x in points if other(x, *sizes) >= limit), default=Fraction(0))


def tpr(x: Any, p: Any, n: Any) -> Fraction:
    return x[0] / p  # type: ignore[no-any-return]


def tnr(x: Any, p: Any, n: Any) -> Fraction:
    return (n - x[1]) / n  # type: ignore[no-any-return]


def ppv(x: Any, p: Any, n: Any) -> Fraction:
    return x[0] / (x[0] + x[1])  # type: ignore[no-any-return]


def f_max(items: Scored, beta: Any) -> Fraction:
    p, _ = sums(items)
    return Fraction(max(f_beta(tp, fp, p - tp, 0, beta) for tp, fp in thresholds(items)))


def equal_error_rate(items: Scored) -> Fraction:
    p, n = sums(items)
    x, y = Fraction(0), Fraction(1)
    for tp, fp in thresholds(items):
        right, down = fp / n, 1 - tp / p
        if right >= down:
            share = (y - x) / ((y - x) + (right - down))
            return x + share * (right - x)
        x, y = right, down
    raise ArithmeticError("the curve ends at (1, 0)")


def partial_average_precision(items: Scored, min_recall: Any) -> Fraction:
    (p, _), least, area, before = sums(items), Fraction(min_recall), Fraction(0), Fraction(0)
    for tp, fp in thresholds(items):
        after = tp / p
        if after > least:
            area += (after - max(before, least)) * tp / (tp + fp)
        before = after
    return area / (1 - least)


def log_auc(items: Scored, min_fpr: Any) -> Fraction:
    (p, n), least = sums(items), Fraction(min_fpr)
    x = y = area = Fraction(0)
    for tp, fp in thresholds(items):
        right, up = fp / n, tp / p
        low = max(x, least)
        if low < right < low * (1 + Fraction(1, 10**40)):  # closer than a logarithm can tell
            area += (y + up) / 2 * (right - low) / low
        elif right > low:
            slope = (up - y) / (right - x)
            area += (y - slope * x) * log_of(right / low) + slope * (right - low)
        x, y = right, up
    return area / -log_of(least)


def net_benefit(items: Scored, threshold: Any) -> Fraction:
    odds = Fraction(threshold / (1 - threshold))
    chosen = [(y, Fraction(w)) for y, s, w in items if s >= threshold]
    return sum((w if y else -w * odds for y, w in chosen), Fraction(0)) / sum(sums(items))


def pr_gain_auc(items: Scored) -> Fraction:
    """The area between points of the curve, and where it crosses a recall gain of 0."""
    p, n = sums(items)
    area, before = Fraction(0), (Fraction(0), Fraction(0))
    for tp, fp in thresholds(items):
        if tp > before[0] and tp * (p + n) > p * p:
            start = max(before[0], p * p / (p + n))
            false = before[1] + (fp - before[1]) * (start - before[0]) / (tp - before[0])
            points = [
                (1 - p / n * (p - t) / t, 1 - p / n * f / t) for t, f in ((start, false), (tp, fp))
            ]
            (x0, y0), (x1, y1) = points
            area += (x1 - x0) * (y0 + y1) / 2
        before = tp, fp
    return area


def cost_curve_area(items: Scored) -> Fraction:
    """The integral of the lowest of all cost lines, from crossing to crossing."""
    p, n = sums(items)
    points = [(Fraction(1), Fraction(0)), *((1 - tp / p, fp / n) for tp, fp in thresholds(items))]
    turns = {Fraction(0), Fraction(1)}
    for a, b in points:
        for c, d in points:
            if (a - b) != (c - d):
                turns.add((d - b) / ((a - b) - (c - d)))
    places = sorted(x for x in turns if 0 <= x <= 1)
    lowest = [min(a * x + b * (1 - x) for a, b in points) for x in places]
    pairs = zip(places, lowest, places[1:], lowest[1:], strict=False)
    return sum(((x1 - x0) * (y0 + y1) / 2 for x0, y0, x1, y1 in pairs), Fraction(0))


def folded(items: Scored) -> Scored:
    """Whether the more likely class is right, and its probability."""
    return [(int((s > 0.5) == bool(y)), max(s, 1 - s), w) for y, s, w in items]


def aurc(items: Scored) -> Fraction:
    right = wrong = total = Fraction(0)
    for _, hits, misses in steps(folded(items)):
        right, wrong = right + hits, wrong + misses
        total += (hits + misses) * wrong / (right + wrong)
    return total / (right + wrong)


def excess_aurc(items: Scored) -> Fraction:
    right, wrong = sums(folded(items))
    error = wrong / (right + wrong)
    best = error + (1 - error) * log_of(1 - error) if right else Fraction(1)
    return aurc(items) - best


def selective_accuracy(items: Scored, coverage: Any) -> Fraction:
    every = folded(items)
    right, wrong = sums(every)
    if not right:
        return Fraction(0)
    return gain(every, coverage) * right / (Fraction(coverage) * (right + wrong))


def gaps(items: Scored, bins: int) -> list[tuple[Fraction, Fraction]]:
    """The items of each bin, and how far they are off on average."""
    found = []
    for at in range(bins):
        here = [(Fraction(w), y - Fraction(s)) for y, s, w in items if bin_at(s, bins) == at]
        n = sum((w for w, _ in here), Fraction(0))
        if n:
            found.append((n, abs(sum((w * off for w, off in here), Fraction(0))) / n))
    return found


def max_calibration_error(items: Scored, bins: int, binning: str, multi_class: Any) -> Fraction:
    return max(gap for _, gap in gaps(items, bins))


def rms_calibration_error(items: Scored, bins: int, binning: str, multi_class: Any) -> Fraction:
    parts = gaps(items, bins)
    square = sum((n * gap**2 for n, gap in parts), Fraction(0)) / sum(n for n, _ in parts)
    return Fraction(math.sqrt(square))


def smooth_calibration_error(items: Scored, multi_class: Any) -> Fraction:
    """Cosine by cosine; where a kernel as wide as the error meets it, by halving."""
    total = sum(sums(items))
    mass = np.zeros(1024)
    for y, s, w in items:
        off, place = float(Fraction(w) / total) * (y - s), s * 1024 - 0.5
        low = min(max(math.floor(place), 0), 1023)
        part = min(max(place - low, 0.0), 1.0)
        mass[low] += off * (1 - part)
        mass[min(low + 1, 1023)] += off * part
    k = np.arange(1024)
    cosines = np.cos(np.pi * np.outer(k, k + 0.5) / 1024)
    waves = cosines @ mass * np.where(k == 0, 1, 2) / 1024
    low_end, high_end = 0.0, 1.0
    for _ in range(40):
        middle = (low_end + high_end) / 2
        error = np.abs((waves * np.exp(-((np.pi * k * middle) ** 2) / 2)) @ cosines).sum()
        low_end, high_end = (middle, high_end) if error > middle else (low_end, middle)
    return Fraction((low_end + high_end) / 2)


def loss_of(loss: str, y: int, p: Fraction) -> Fraction:
    own = p if y else 1 - p
    if loss == "brier":
        return (1 - own) ** 2
    return -log_of(max(own, Fraction(1, 2**52)))


def parts_of_loss(items: Scored, loss: str) -> tuple[Fraction, Fraction, Fraction]:
    """The loss, that of the best falling frequencies (min-max formula), and of the constant."""
    table, n = steps(items), sum(sums(items))
    share = sums(items)[0] / n

    def pooled(a: int, b: int) -> Fraction:
        hits = sum((x[1] for x in table[a : b + 1]), Fraction(0))
        misses = sum((x[2] for x in table[a : b + 1]), Fraction(0))
        return hits / (hits + misses)

    last = len(table)
    fitted = [
        max(min(pooled(a, b) for a in range(at + 1)) for b in range(at, last)) for at in range(last)
    ]
    sums_of = [
        sum(
            (hits * loss_of(loss, 1, p) + misses * loss_of(loss, 0, p))
            for (_, hits, misses), p in zip(table, chosen, strict=True)
        )
        / n
        for chosen in ([Fraction(s) for s, _, _ in table], fitted, [share] * last)
    ]
    own, calibrated, constant = (Fraction(each) for each in sums_of)
    return own, calibrated, constant


def miscalibration(items: Scored, loss: str) -> Fraction:
    own, calibrated, _ = parts_of_loss(items, loss)
    return own - calibrated


def discrimination(items: Scored, loss: str) -> Fraction:
    _, calibrated, constant = parts_of_loss(items, loss)
    return constant - calibrated


RANKINGS: dict[str, Any] = {
    "pr_gain_auc": pr_gain_auc,
    "cost_curve_area": cost_curve_area,
    "aurc": aurc,
    "excess_aurc": excess_aurc,
    "selective_accuracy": selective_accuracy,
    "max_calibration_error": max_calibration_error,
    "rms_calibration_error": rms_calibration_error,
    "smooth_calibration_error": smooth_calibration_error,
    "miscalibration": miscalibration,
    "discrimination": discrimination,
    "uncertainty": lambda items, loss: parts_of_loss(items, loss)[2],
    "recall_at_precision": lambda items, at: best(items, at, tpr, ppv),
    "precision_at_recall": lambda items, at: best(items, at, ppv, tpr),
    "sensitivity_at_specificity": lambda items, at: best(items, at, tpr, tnr),
    "specificity_at_sensitivity": lambda items, at: best(items, at, tnr, tpr),
    "tpr_at_fpr": lambda items, at: best(items, 1 - Fraction(at), tpr, tnr),
    "f_max": f_max,
    "equal_error_rate": equal_error_rate,
    "partial_average_precision": partial_average_precision,
    "log_auc": log_auc,
    "net_benefit": net_benefit,
    "roc_auc": roc_auc,
    "average_precision": average_precision,
    "ks": ks,
    "gain": gain,
    "lift": lambda items, top: gain(items, top) / Fraction(top),
    "expected_calibration_error": expected_calibration_error,
    "debiased_calibration_error": debiased_calibration_error,
}


def log_loss(code: int, p: list[float], floor: float) -> Any:
    largest = max(Decimal(p[code]), Decimal(floor))
    return Fraction(-largest.ln())


def brier(code: int, p: list[float], scale: str) -> Fraction:
    total = sum((Fraction(x) - (at == code)) ** 2 for at, x in enumerate(p))
    return Fraction(total) / (2 if scale == "half" else 1)


def top_k_accuracy(code: int, p: list[float], k: int, ties: str) -> int:
    def ahead(at: int) -> bool:
        wins = {"first": at < code, "last": at > code, "best": False, "worst": at != code}[ties]
        return p[at] > p[code] or (p[at] == p[code] and wins)

    return int(sum(ahead(at) for at in range(len(p))) < k)


def hinge_loss(code: int, p: list[float]) -> Fraction:
    margin = Fraction(p[code]) - max(Fraction(x) for at, x in enumerate(p) if at != code)
    return max(Fraction(0), 1 - margin)


def ranked_probability_score(code: int, p: list[float]) -> Fraction:
    total = Fraction(0)
    for at in range(len(p) - 1):
        total += (sum(map(Fraction, p[: at + 1]), Fraction(0)) - (code <= at)) ** 2
    return total / (len(p) - 1)


def spherical_score(code: int, p: list[float]) -> Fraction:
    return Fraction(Fraction(p[code]) / root_of(sum((Fraction(x) ** 2 for x in p), Fraction(0))))


def bayes_cost(code: int, p: list[float], costs: Any) -> Fraction:
    """Decisions whose expected costs differ by rounding are equally good: the first is taken."""
    classes = range(len(p))
    known = [[int(i != j) for j in classes] for i in classes] if costs is None else costs
    cost = [[Fraction(x) for x in row] for row in known]
    expected = [sum(Fraction(p[i]) * cost[i][j] for i in classes) for j in classes]
    within = min(expected) + Fraction(1, 10**12) * max(map(max, cost))
    return cost[code][next(j for j in classes if expected[j] <= within)]


LOSSES: dict[str, Any] = {
    "log_loss": log_loss,
    "brier": brier,
    "top_k_accuracy": top_k_accuracy,
    "hinge_loss": hinge_loss,
    "ranked_probability_score": ranked_probability_score,
    "spherical_score": spherical_score,
    "bayes_cost": bayes_cost,
    "normalized_bayes_cost": bayes_cost,
    "log_loss_skill": log_loss,
    "brier_skill": lambda code, p: brier(code, p, "sum"),
}
"""The value of an item; of a score that is divided by that of a constant, before it is."""


def relative(name: str, rows: Any, weights: Any, skill: bool, parameters: Any) -> Any:
    """A mean loss divided by that of the class frequencies; None if that is 0."""
    loss = LOSSES[name]
    sizes = [
        sum(Fraction(w) for (y, _), w in zip(rows, weights, strict=True) if y == k)
        for k in range(3)
    ]
    shares = [size / sum(sizes) for size in sizes]
    mean = weighted_mean([loss(y, p, **parameters) for y, p in rows], weights)
    constant = weighted_mean(
        [loss(y, [*map(float, shares)], **parameters) for y, _ in rows], weights
    )
    ratio = None if constant == 0 else mean / constant
    return ratio if ratio is None or not skill else 1 - ratio


def subset_accuracy(true: set[Any], predicted: set[Any], labels: Any) -> int:
    return int(true == predicted)


def hamming_loss(true: set[Any], predicted: set[Any], labels: Any) -> Fraction:
    return Fraction(len(true ^ predicted), len(labels))


def label_ranking_average_precision(true: set[Any], scores: list[float]) -> Any:
    every = range(len(scores))
    if len(true) in (0, len(scores)):
        return 1
    return sum(
        Fraction(
            sum(scores[k] >= scores[j] for k in true), sum(scores[k] >= scores[j] for k in every)
        )
        for j in true
    ) / len(true)


def coverage_error(true: set[Any], scores: list[float]) -> int:
    return max((sum(s >= scores[j] for s in scores) for j in true), default=0)


def label_ranking_loss(true: set[Any], scores: list[float]) -> Any:
    others = {*range(len(scores))} - true
    if not true or not others:
        return 0
    wrong = sum(scores[j] <= scores[k] for j in true for k in others)
    return Fraction(wrong, len(true) * len(others))


def discounts(k: Any, size: int) -> list[Fraction]:
    base = Decimal(2).ln()
    each = (Fraction(base / Decimal(at + 2).ln()) for at in range(size))
    return [x if k is None or at < k else Fraction(0) for at, x in enumerate(each)]


def dcg(true: set[Any], scores: list[float], k: Any = None) -> Fraction:
    """Of labels with equal scores, each gets the mean discount of their places."""
    total, every = Fraction(0), discounts(k, len(scores))
    for j in true:
        before = sum(s > scores[j] for s in scores)
        ties = sum(s == scores[j] for s in scores)
        total += sum(every[before : before + ties], Fraction(0)) / ties
    return total


def ndcg(true: set[Any], scores: list[float], k: Any = None) -> Any:
    best = sum(discounts(k, len(scores))[: len(true)], Fraction(0))
    return dcg(true, scores, k) / best if best else 0


def one_error(true: set[Any], scores: list[float]) -> Fraction:
    top = [j for j, s in enumerate(scores) if s == max(scores)]
    return Fraction(sum(j not in true for j in top), len(top))


ITEMS: dict[str, Any] = {"subset_accuracy": subset_accuracy, "hamming_loss": hamming_loss}
LABEL_RANKINGS: dict[str, Any] = {
    "label_ranking_average_precision": label_ranking_average_precision,
    "coverage_error": coverage_error,
    "label_ranking_loss": label_ranking_loss,
    "dcg": dcg,
    "ndcg": ndcg,
    "one_error": one_error,
}


def weighted_mean(values: Any, weights: Any) -> Any:
    pairs = [(v, Fraction(w)) for v, w in zip(values, weights, strict=True) if w]
    return sum(v * w for v, w in pairs) / sum(w for _, w in pairs)
