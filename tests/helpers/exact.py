"""An independent twin: every score from the items themselves, in exact fractions.

Written from the definitions, class by class and item by item; it shares no code with the library.
"""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction
from math import inf, nan
from typing import Any

from whichf1.definitions.definition import Definition

getcontext().prec = 60

UNDEFINED = None
Pairs = list[tuple[Any, Any]]


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
    b = Fraction(beta) ** 2
    bottom = b * p + r
    return (1 + b) * p * r / bottom if bottom else Fraction(0)


RATES: dict[str, Any] = {
    "precision": lambda tp, fp, fn, tn: over(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: over(tp, tp + fn),
    "specificity": lambda tp, fp, fn, tn: over(tn, tn + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: over(tn, tn + fn),
    "f_beta": lambda tp, fp, fn, tn, beta: over(
        (1 + Fraction(beta) ** 2) * tp,
        (1 + Fraction(beta) ** 2) * tp + Fraction(beta) ** 2 * fn + fp,
    ),
    "f1": lambda tp, fp, fn, tn: over(2 * tp, 2 * tp + fp + fn),
    "jaccard": lambda tp, fp, fn, tn: over(tp, tp + fp + fn),
    "false_positive_rate": lambda tp, fp, fn, tn: over(fp, fp + tn),
    "false_negative_rate": lambda tp, fp, fn, tn: over(fn, fn + tp),
    "false_discovery_rate": lambda tp, fp, fn, tn: over(fp, fp + tp),
    "false_omission_rate": lambda tp, fp, fn, tn: over(fn, fn + tn),
    "prevalence": lambda tp, fp, fn, tn: over(tp + fn, tp + fp + fn + tn),
    "informedness": lambda tp, fp, fn, tn: plus_minus_one(over(tp, tp + fn), over(tn, tn + fp)),
    "markedness": lambda tp, fp, fn, tn: plus_minus_one(over(tp, tp + fp), over(tn, tn + fn)),
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: ratio_of(
        over(tp, tp + fn), over(fp, fp + tn)
    ),
    "negative_likelihood_ratio": lambda tp, fp, fn, tn: ratio_of(
        over(fn, tp + fn), over(tn, fp + tn)
    ),
    "one_vs_rest_accuracy": lambda tp, fp, fn, tn: over(tp + tn, tp + fp + fn + tn),
}


def accuracy(pairs: Pairs, labels: Any) -> Any:
    return over(sum(t == p for t, p in pairs), len(pairs))


def error_rate(pairs: Pairs, labels: Any) -> Any:
    return over(sum(t != p for t, p in pairs), len(pairs))


def cohen_kappa(pairs: Pairs, labels: Any, weighting: Any) -> Any:
    n = len(pairs)
    place = {label: at for at, label in enumerate(labels)}

    def cost(a: Any, b: Any) -> Any:
        if weighting == "none":
            return int(a != b)
        return abs(place[a] - place[b]) ** (1 if weighting == "linear" else 2)

    observed = sum(cost(t, p) for t, p in pairs)
    expected = sum(cost(t, p) for t, _ in pairs for _, p in pairs)
    ratio = over(observed * n, expected)
    return UNDEFINED if ratio is UNDEFINED else 1 - ratio


def mcc(pairs: Pairs, labels: Any) -> Any:
    """Gorodkin's R_K as a correlation: covariances of the class indicators."""
    n = len(pairs)
    xy = xx = yy = Fraction(0)
    for label in labels:
        x = [int(p == label) for _, p in pairs]
        y = [int(t == label) for t, _ in pairs]
        xm, ym = Fraction(sum(x), n), Fraction(sum(y), n)
        xy += sum((a - xm) * (b - ym) for a, b in zip(x, y, strict=True))
        xx += sum((a - xm) ** 2 for a in x)
        yy += sum((b - ym) ** 2 for b in y)
    if xx * yy == 0:
        return UNDEFINED
    square = Decimal((xx * yy).numerator) / Decimal((xx * yy).denominator)
    return float(Decimal(xy.numerator) / Decimal(xy.denominator) / square.sqrt())


AGREEMENT: dict[str, Any] = {
    "accuracy": accuracy,
    "error_rate": error_rate,
    "cohen_kappa": cohen_kappa,
    "mcc": mcc,
}


def class_set(pairs: Pairs, labels: Any, classes: Any, exclude: Any) -> Any:
    true = {t for t, _ in pairs}
    predicted = {p for _, p in pairs}
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


def quadrant(pairs: Pairs, label: Any) -> Any:
    tp = sum(t == label and p == label for t, p in pairs)
    fp = sum(t != label and p == label for t, p in pairs)
    fn = sum(t == label and p != label for t, p in pairs)
    return tp, fp, fn, len(pairs) - tp - fp - fn


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


def mean(values: Any, weights: Any) -> Any:
    if "nan" in values:
        return nan
    kept = [(v, w) for v, w in zip(values, weights, strict=True) if v != "skip"]
    total = sum(w for _, w in kept)
    if total == 0:
        return nan
    if any(v == inf and w for v, w in kept):
        return inf
    return sum(v * w for v, w in kept) / Fraction(total)


def score(pairs: Pairs, labels: Any, definition: Definition) -> Any:
    """The value of a definition, a Fraction or (for MCC, NaN and infinity) a float."""
    d = definition
    parameters = dict(d.parameters)
    pairs = [(t, p) for t, p in pairs if t not in d.ignore]
    if d.metric in AGREEMENT:
        value = settled(AGREEMENT[d.metric](pairs, labels, **parameters), d.undefined)
        return nan if isinstance(value, str) else value
    if d.positive is not None:
        value = rate(d.metric, quadrant(pairs, d.positive), parameters, d.undefined, d.scope)
        return nan if isinstance(value, str) else value
    chosen = class_set(pairs, labels, d.classes, d.exclude)
    quads = [quadrant(pairs, label) for label in chosen]
    if d.average == "micro":
        total = tuple(sum(each) for each in zip(*quads, strict=True))
        value = rate(d.metric, total, parameters, d.undefined, d.scope)
        return nan if isinstance(value, str) else value
    weights = [q[0] + q[2] if d.average == "weighted" else 1 for q in quads]
    if d.formula == "of-averages":
        p, r = (
            mean([rate(part, q, {}, d.undefined, "empty") for q in quads], weights)
            for part in ("precision", "recall")
        )
        return nan if p != p or r != r else f_of(p, r, parameters.get("beta", 1))
    return mean([rate(d.metric, q, parameters, d.undefined, d.scope) for q in quads], weights)
