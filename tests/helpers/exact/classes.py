"""Scores of predicted classes: rates, agreement, averages, hierarchies."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

from tests.helpers import raters
from tests.helpers.exact.numbers import (
    UNDEFINED,
    f_of,
    log_of,
    over,
    plus_minus_one,
    ratio_of,
    root_of,
)
from whichf1.definitions.definition import Definition

Pairs = list[tuple[Any, Any]]


Cells = dict[tuple[Any, Any], Fraction]
"""The sum of the weights of all items with a true and a predicted class."""


def cells_of(pairs: Pairs, weights: Any = None) -> Cells:
    cells: Cells = {}
    for pair, w in zip(pairs, weights or [1] * len(pairs), strict=True):
        cells[pair] = cells.get(pair, Fraction(0)) + Fraction(w)
    return {pair: w for pair, w in cells.items() if w}


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
