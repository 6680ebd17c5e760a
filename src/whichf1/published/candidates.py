"""Every definition that 'macro F1' has been known to mean, with its value on some counts.

The values of all of them are computed together, as arrays over variants and classes; what a
definition gives by itself is the specification (and the tests compare the two).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition, define
from whichf1.metrics import METRICS, Metric
from whichf1.metrics.averaging import ZeroRule, of_averages, per_class, pooled
from whichf1.tables.cells import Array, OneVsRest
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Label, Labels

EACH_CLASS = 120
"""Up to so many classes, leaving out or dropping each one is tried; beyond, the likely ones."""
LIKELY = 12
BACKGROUND = ("o", "other", "none", "background", "no_relation", "neutral", "unknown", "na")
"""What classes are called that programs leave out."""

AVERAGED = (
    ZeroRule(0),
    *(ZeroRule(1, scope) for scope in ("empty", "no-hits")),
    *(ZeroRule("skip", scope) for scope in ("empty", "one-sided", "no-hits")),
    *(ZeroRule("nan", scope) for scope in ("empty", "one-sided", "no-hits")),
)
"""Every rule for 0/0 that makes a difference to averaged F1."""
ONCE = (ZeroRule(0), ZeroRule(1), ZeroRule("skip"), ZeroRule("nan"))
"""… to precision, recall, and what is computed of their averages."""


_COSTS: dict[Any, int] = {
    ("metric", "f1"): 0,
    ("metric", "precision"): 3,
    ("metric", "recall"): 3,
    ("metric", "one_vs_rest_accuracy"): 3,
    ("metric", "f_beta"): 2,
    ("average", "macro"): 0,
    ("formula", "averaged"): 0,
    ("classes", "observed"): 0,
    ("classes", "declared"): 0,
    ("undefined", 0): 0,
    "exclude": 3,
    "ignore": 3,
}
"""What a choice costs; every other one costs 1."""


@dataclass(frozen=True)
class Variants:
    """Choices of classes and items: what is averaged over, and of which counts."""

    options: list[dict[str, Any]]
    table: Array
    """Which one-vs-rest table each variant uses (variants)."""
    mask: Array
    """The classes averaged over (variants, classes)."""


@dataclass(frozen=True)
class Block:
    """One formula under every variant."""

    metric: str
    parameters: dict[str, Any]
    options: dict[str, Any]
    values: Array
    """One for each variant."""
    variants: Variants

    def definition(self, at: int) -> Definition:
        """The definition of one variant."""
        return define(self.metric, self.parameters, self._said(at))

    def cost(self, at: int) -> int:
        """How much has to be said beyond 'macro F1': the simplest explanation has the least."""
        said = {"metric": self.metric, **self._said(at)}
        return sum(_COSTS.get(key, _COSTS.get((key, said[key]), 1)) for key in said)

    def _said(self, at: int) -> dict[str, Any]:
        return {**self.variants.options[at], **self.options}


def search(counts: Counts) -> Iterator[Block]:
    """Every formula under every variant."""
    labels, dense = _wide(counts)
    tried = _tried(labels, dense)
    c = _tables(dense, tried)
    space = _Space(_variants(counts, labels, tried, c), c)
    f1, f_beta = METRICS["f1"], METRICS["f_beta"]
    for rule in AVERAGED:
        yield from space.means(f1, rule)
    for rule in ONCE:
        yield from space.of_averages(f1, rule)
        for name in ("precision", "recall"):
            yield from space.means(METRICS[name], rule)
    yield from space.means(METRICS["one_vs_rest_accuracy"], ZeroRule(0))
    yield space.micro(f1)
    for beta in (0.5, 2):
        yield from space.means(f_beta, ZeroRule(0), beta=beta)
        yield from space.of_averages(f_beta, ZeroRule(0), beta=beta)


class _Space:
    """The counts of every variant, ready for formulas."""

    def __init__(self, variants: Variants, c: OneVsRest) -> None:
        self.variants, self.mask = variants, variants.mask
        self.parts = [x[variants.table] for x in (c.tp, c.fp, c.fn, c.tn)]
        support = self.parts[0] + self.parts[2]
        self.weights = {
            "macro": self.mask.astype(np.float64),
            "weighted": np.where(self.mask, support, 0),
        }

    def _inside(self, filler: float) -> OneVsRest:
        """The counts of the classes averaged over, the other classes filled in."""
        return OneVsRest(*(np.where(self.mask, x, filler) for x in self.parts))

    def means(self, metric: Metric, rule: ZeroRule, **parameters: Any) -> Iterator[Block]:
        values = per_class(metric, parameters, rule, self._inside(1))  # 1: never 0/0
        options: dict[str, Any] = {"formula": "averaged"} if metric.harmonic else {}
        options |= {} if metric.total else {"undefined": rule.undefined}
        options |= {"scope": rule.scope} if rule.scope != "empty" else {}
        for average, weight in self.weights.items():
            mean = rule.mean(values, weight)
            yield self._block(metric, parameters, {"average": average, **options}, mean)

    def of_averages(self, metric: Metric, rule: ZeroRule, **parameters: Any) -> Iterator[Block]:
        options = {"formula": "of-averages", "undefined": rule.undefined}
        for average, weight in self.weights.items():
            values = of_averages(metric, parameters, rule, self._inside(1), weight)
            yield self._block(metric, parameters, {"average": average, **options}, values)

    def micro(self, metric: Metric) -> Block:
        values = per_class(metric, {}, ZeroRule(0), pooled(self._inside(0)))[..., 0]
        alone = np.array(["two_classes" in said for said in self.variants.options])
        return self._block(metric, {}, {"average": "micro"}, np.where(alone, np.nan, values))

    def _block(
        self, metric: Metric, parameters: dict[str, Any], options: dict[str, Any], values: Array
    ) -> Block:
        return Block(metric.name, parameters, options, values, self.variants)


def _wide(counts: Counts) -> tuple[Labels, Array]:
    """The classes, and those between 0 and the largest that 'range' adds; the dense matrix."""
    whole = _integers(counts.labels)
    if whole is not None and whole.max() < 4 * len(whole) + 100:
        missing = np.setdiff1d(np.arange(whole.max()), whole).tolist()
        counts = counts.declare([*counts.labels, *missing]) if missing else counts
    return counts.labels, counts.matrix.astype(np.float64)


def _integers(labels: Labels) -> Array | None:
    """The classes as numbers if they are integers of at least 0, as 'range' needs them."""
    whole = np.array(labels) if labels.kind == "int" else np.array([-1])
    return whole if whole.min() >= 0 else None


def _tried(labels: Labels, dense: Array) -> Array:
    """The classes whose exclusion is tried."""
    if len(labels) <= EACH_CLASS:
        return np.arange(len(labels))
    named = [at for at, label in enumerate(labels) if str(label).lower() in BACKGROUND]
    largest = np.argsort(-dense.sum(1), kind="stable")[:LIKELY]
    return np.unique([*named, *largest, 0, len(labels) - 1])


def _tables(dense: Array, tried: Array) -> OneVsRest:
    """All items, then without the items of each class that is tried (1 + tried, classes)."""
    dropped = np.zeros((len(tried) + 1, len(dense)), bool)
    dropped[np.arange(1, len(tried) + 1), tried] = True
    removed = np.vstack([np.zeros(len(dense)), dense[tried]])
    tp = np.where(dropped, 0, np.diag(dense))
    rows = np.where(dropped, 0, dense.sum(1))
    columns = dense.sum(0) - removed
    fn, fp = rows - tp, columns - tp
    return OneVsRest(tp, fp, fn, rows.sum(-1, keepdims=True) - tp - fp - fn)


def _variants(counts: Counts, labels: Labels, tried: Array, c: OneVsRest) -> Variants:
    options: list[dict[str, Any]] = []
    tables: list[int] = []
    masks: list[Array] = []
    for name, sets in _class_sets(counts, labels, c).items():
        for chosen, at, mask in _around(labels, tried, sets, c):
            options.append({"classes": name, **chosen})
            tables.append(at)
            masks.append(mask)
    return Variants(options, np.array(tables), np.array(masks))


def _class_sets(counts: Counts, labels: Labels, c: OneVsRest) -> dict[str, Array]:
    """Each way to choose classes as masks (tables, classes)."""
    true, predicted = c.tp + c.fn > 0, c.tp + c.fp > 0
    observed = true | predicted
    declared = np.broadcast_to(np.arange(len(labels)) < len(counts.labels), observed.shape)
    sets = {"observed": observed, "declared": declared, "true": true}
    whole = _integers(labels)
    if whole is not None:
        largest = np.where(observed, whole, -1).max(-1, keepdims=True)
        if len(np.setdiff1d(np.arange(largest.max()), whole)) == 0:
            sets["range"] = whole <= largest
    return sets


def _around(
    labels: Labels, tried: Array, sets: Array, c: OneVsRest
) -> Iterator[tuple[dict[str, Any], int, Array]]:
    """The class set itself, with one class left out or its items dropped, and one of two."""
    whole = sets[0]
    yield {}, 0, whole
    for number, at in enumerate(tried, 1):
        label: tuple[Label, ...] = (labels[at],)
        if whole[at] and whole.sum() > 1:
            rest = whole.copy()
            rest[at] = False
            yield {"exclude": label}, 0, rest
        if c.tp[0, at] + c.fn[0, at] > 0 and (c.tp[number] + c.fn[number]).any():
            yield {"ignore": label}, number, sets[number]
    if whole.sum() == 2:
        for which, at in zip(("first", "last"), np.flatnonzero(whole), strict=True):
            yield {"two_classes": which}, 0, np.arange(len(whole)) == at
