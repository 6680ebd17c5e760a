"""Averaging: from the rate of each class to one number. Only this module decides what 0/0 is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from whichf1.metrics.rates import precision, recall
from whichf1.metrics.registry import Metric, Ratio, Value
from whichf1.tables.cells import ENDLESS, Array, OneVsRest, is_exact
from whichf1.tables.records import dataclass

Undefined: TypeAlias = float | Literal["skip", "nan"]
Scope: TypeAlias = Literal["empty", "one-sided", "no-hits"]


@dataclass(frozen=True, slots=True)
class ZeroRule:
    """What a division by 0 gives, and which divisions an F score consists of.

    An F score takes one division or three. 'empty' computes 2TP / (2TP+FP+FN), which is undefined
    for a class that is neither true nor predicted. 'one-sided' computes the harmonic mean of
    precision and recall, each undefined if its own denominator is 0. 'no-hits' also treats the
    harmonic mean as undefined if both are 0, so every class without a hit is undefined.
    """

    undefined: Undefined | None = 0
    """None means that the caller raises an error."""
    scope: Scope = "empty"
    epsilon: float = 0
    """Added to the denominator of every ratio of counts."""
    harmonic_epsilon: float = 0
    """Added to the denominator of the harmonic mean of precision and recall."""

    @property
    def filler(self) -> float:
        """The value of 0/0; for 'skip' and 'nan' it is NaN until classes are averaged."""
        undefined = self.undefined
        return np.nan if undefined is None or isinstance(undefined, str) else undefined

    def settle(self, ratio: Ratio, unbounded: bool = False) -> Array:
        """The quotient; x/0 is infinite for unbounded metrics (likelihood ratios)."""
        top, bottom = ratio[0], ratio[1] + self.epsilon if self.epsilon else ratio[1]
        if isinstance(bottom, float):  # a single table: the common case, and faster
            if bottom:
                return top / bottom
            top, bottom = np.float64(top), np.float64(bottom)
        real = bottom.real
        if np.count_nonzero(real) == real.size:  # the common case, and faster
            return top / bottom
        nothing = real == 0
        value = np.where(nothing, self.filler, top / np.where(nothing, 1, bottom))
        if not unbounded:
            return value
        endless = ENDLESS if is_exact(value) else np.inf
        return np.where(nothing & (top.real > 0), endless, value)

    def mean(self, values: Array, weights: Array | None = None) -> Array:
        """The mean over the last axis; 'skip' drops undefined classes and their weight.

        A mean over no classes is itself 0/0.
        """
        if self.undefined == "nan" and is_exact(values):  # a fraction plus NaN may be too large
            nan = values != values
            rest = ZeroRule(0).mean(np.where(nan, 0, values), weights)
            return np.where(nan.any(-1), np.nan, rest)
        if weights is None and self.undefined != "skip" and values.shape[-1:] != (0,):
            plain = type(values) is np.ndarray  # whose sum method is slower
            total = np.add.reduce(values, -1) if plain else values.sum(-1)
            return total / values.shape[-1]  # type: ignore[no-any-return]
        weight = np.ones_like(values.real) if weights is None else weights
        if self.undefined == "skip":
            skipped = values != values  # NaN, also among fractions
            weight = np.where(skipped, 0, weight)
            values = np.where(skipped, 0, values)
        total = weight.sum(-1)
        nothing = total.real == 0
        quotient = (values * weight).sum(-1) / np.where(nothing, 1, total)
        return np.where(nothing, self.filler, quotient) if nothing.any() else quotient


def per_class(metric: Metric, parameters: dict[str, Value], rule: ZeroRule, c: OneVsRest) -> Array:
    """The rate of each class (…, classes)."""
    if metric.harmonic and (rule.scope != "empty" or rule.harmonic_epsilon):
        return _of_parts(metric, parameters, rule, c)
    return rule.settle(metric.formula(c, **parameters), metric.bounds[1] == np.inf)


def rate_of(
    metric: Metric, parameters: dict[str, Value], rule: ZeroRule
) -> Callable[[OneVsRest], Array]:
    """``per_class`` as a function of the counts alone, faster for those of a single table."""
    if parameters or (metric.harmonic and (rule.scope != "empty" or rule.harmonic_epsilon)):
        return partial(per_class, metric, parameters, rule)
    return quotient_of(metric.formula, rule, metric.bounds[1] == np.inf)


def quotient_of(
    formula: Callable[[Any], Ratio], rule: ZeroRule, unbounded: bool = False
) -> Callable[[Any], Array]:
    """A formula followed by ``rule.settle``, in one call for a single table."""
    settle = rule.settle
    if rule.epsilon:
        return lambda counts: settle(formula(counts), unbounded)

    def quotient(counts: Any) -> Any:
        ratio: Any = formula(counts)
        top, bottom = ratio
        if type(bottom) is float and bottom:  # as there
            return top / bottom
        return settle(ratio, unbounded)

    return quotient


def _of_parts(metric: Metric, parameters: dict[str, Value], rule: ZeroRule, c: OneVsRest) -> Array:
    """A harmonic mean of precision and recall that are settled one by one."""
    p, r = [rule.settle(part.formula(c)) for part in (precision, recall)]
    value = combine(metric, parameters, p, r, rule.harmonic_epsilon)
    if rule.scope == "no-hits":
        return np.where((p.real == 0) & (r.real == 0), rule.filler, value)
    return value


def micro(metric: Metric, parameters: dict[str, Value], rule: ZeroRule, c: OneVsRest) -> Array:
    """The rate of the counts summed over classes (…)."""
    return per_class(metric, parameters, rule, pooled(c))[..., 0]


def pooled(c: OneVsRest) -> OneVsRest:
    """The counts summed over classes, as one class (…, 1)."""
    tp, fp, fn = (x.sum(-1, keepdims=True) for x in (c.tp, c.fp, c.fn))
    return OneVsRest(tp, fp, fn, lambda: c.tn.sum(-1, keepdims=True))


def of_averages(
    metric: Metric, parameters: dict[str, Value], rule: ZeroRule, c: OneVsRest, weight: Array | None
) -> Array:
    """The rate at mean precision and mean recall (…): 'F1 of averages' if the rate is F1."""
    p, r = [rule.mean(per_class(part, {}, rule, c), weight) for part in (precision, recall)]
    return combine(metric, parameters, p, r, rule.harmonic_epsilon)


def combine(
    metric: Metric, parameters: dict[str, Value], p: Array, r: Array, epsilon: float = 0
) -> Array:
    """The metric at precision p and recall r; 0 at (0, 0), where it is continuous.

    It uses counts that have this precision and recall: tp = pr, fp = (1 − p)r, fn = p(1 − r).
    """
    tp = p * r
    c = OneVsRest(tp, r - tp, p - tp, np.zeros(getattr(p, "shape", ())))
    return ZeroRule(0, epsilon=epsilon).settle(metric.formula(c, **parameters))
