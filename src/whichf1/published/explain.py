"""Explain: the definitions that reproduce a published number on given predictions.

The search covers every choice known to hide behind 'macro F1'. All candidates are computed
together, as arrays over variants and classes; a Definition is built only for those reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.words import because, departures
from whichf1.errors import DefinitionError, InputError, WhichF1Error
from whichf1.metrics import METRICS, Metric
from whichf1.metrics.averaging import ZeroRule, of_averages, per_class, pooled
from whichf1.published.dialects import SAME, dialects
from whichf1.published.numbers import Published, Scale, read_published
from whichf1.scoring.evaluate import run
from whichf1.scoring.score import Score
from whichf1.sources.counts import as_counts
from whichf1.sources.sequences import to_numpy
from whichf1.tables.cells import Array, OneVsRest, Table
from whichf1.tables.counts import Counts
from whichf1.tables.display import Displayed
from whichf1.tables.labels import Label, Labels
from whichf1.tables.records import dataclass

NEAREST = 5
"""How many values to report when nothing matches."""
MOST_OTHERS = 300
"""At most this many definitions are listed for one value."""
BATCHES = tuple(2**power for power in range(1, 11))
"""Batch sizes tried when the order of the items is known."""
MOST_ITEMS = 50_000
MOST_CELLS = 2_000_000
"""Batch means are tried up to this many items, and up to this many batches times classes."""
EACH_CLASS = 120
"""Up to this many classes, excluding or ignoring each one is tried; beyond, only likely ones."""
LIKELY = 12
"""How many of the largest classes count as likely."""
TOGETHER = 1 << 17
"""Variants times classes that are computed at a time."""
SIDES = ("tp", "fp", "fn", "tn")
BACKGROUND = ("o", "other", "none", "background", "no_relation", "neutral", "unknown", "na")
"""Names of classes that programs often leave out."""

AVERAGED = (
    ZeroRule(0),
    *(ZeroRule(1, scope) for scope in ("empty", "no-hits")),
    *(ZeroRule("skip", scope) for scope in ("empty", "one-sided", "no-hits")),
    *(ZeroRule("nan", scope) for scope in ("empty", "one-sided", "no-hits")),
)
"""Every 0/0 rule that can change averaged F1."""
ONCE = (ZeroRule(0), ZeroRule(1), ZeroRule("skip"), ZeroRule("nan"))
"""Every 0/0 rule that can change precision, recall, or an F score of their averages."""

_COSTS: dict[str, dict[Any, int]] = {
    "metric": {"f1": 0, "f_beta": 2, "precision": 3, "recall": 3, "one_vs_rest_accuracy": 3},
    "average": {"macro": 0},
    "formula": {"averaged": 0},
    "classes": {"observed": 0, "declared": 0},
    "undefined": {0: 0},
}
"""The cost of each choice; excluding or ignoring a class costs 3, any other choice 1.

The simplest explanation costs least.
"""


@dataclass(frozen=True)
class Match:
    """A value near the published one, with the simplest definition that gives it."""

    score: Score
    others: tuple[Definition, ...]
    """Other definitions with the same value on these predictions, simplest first."""
    dialects: tuple[str, ...]
    """The libraries that would print it."""

    @property
    def value(self) -> float:
        """The unrounded value."""
        return self.score.value

    @property
    def signature(self) -> str:
        """The signature of the simplest definition on these data."""
        return self.score.signature

    @property
    def definition(self) -> Definition:
        """The simplest definition."""
        return self.score.definition

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """All definitions that give the value, simplest first."""
        return (self.definition, *self.others)

    @property
    def why(self) -> str:
        """How the simplest definition differs from the usual macro F1, in a sentence."""
        return because(self.definition)


@dataclass(frozen=True)
class Explanation(Displayed):
    """What a published number can be."""

    published: Published
    matches: tuple[Match, ...]
    """Values that round to the published number, simplest first; empty if there are none."""
    nearest: tuple[Match, ...]
    """The nearest values, if nothing matches."""
    searched: int
    """How many definitions were tried."""
    n: int | float

    def __bool__(self) -> bool:
        return bool(self.matches)


class _Candidate(NamedTuple):
    """A value and how to build its definition, which happens only if it is reported."""

    cost: int
    value: float
    build: Callable[[], Definition]


def explain(
    y_true: Any,
    *rest: Any,
    decimals: int | None = None,
    scale: Scale | None = None,
    labels: Any = None,
) -> Explanation:
    """Find definitions that reproduce a reported number: ``explain(counts, 0.354, decimals=3)``.

    y_true (Counts or array): The counts, or the true class of each item.
    *rest (array, number or str): The predicted class of each item, unless ``y_true`` are Counts,
        then the reported number. With predictions, means over batches are tried too, because the
        order of items is known.
    Returns: The definitions that match, each with its value and its signature.
    InputError: If the number or the data are malformed.

    >>> import whichf1 as wf
    >>> counts = wf.Counts.from_matrix([[5, 10], [5, 10]], rows="predicted")
    >>> explain(counts, 0.5, decimals=2).matches[0].score.definition.formula
    'of-averages'
    """
    if not 1 <= len(rest) <= 2:
        raise DefinitionError("call explain(counts, value) or explain(y_true, y_pred, value)")
    *pred, value = rest
    published = read_published(value, decimals, scale)
    y_pred = pred[0] if pred else None
    counts = as_counts(y_true, y_pred, labels=labels)
    if not isinstance(counts, Counts):
        raise InputError("explain needs one class per item; these items have sets of labels")
    families = list(search(counts))
    names, others = _dialect_values(counts)
    others += _batch_values(y_true, y_pred, counts)

    def between(low: float, high: float) -> tuple[Match, ...]:
        chosen = [each for each in others if low <= each.value <= high]
        chosen += [
            family.candidate(at)
            for family in families
            for at in np.flatnonzero((family.values >= low) & (family.values <= high)).tolist()
        ]
        return _matches(sorted(chosen, key=lambda each: each.cost), counts, names, published)

    values = np.concatenate([family.values for family in families])
    searched = int(np.isfinite(values).sum()) + len(others)
    values = np.append(values, [x.value for x in others])
    matches = between(published.low, published.high)
    near = () if matches else _nearest(values, published.value, between)
    return Explanation(published, matches, near, searched, counts.n)


def _matches(
    chosen: list[_Candidate],
    counts: Counts,
    names: dict[Definition, list[str]],
    published: Published,
) -> tuple[Match, ...]:
    """One match for each distinct value, in the order of their simplest candidates."""
    same = min(SAME, (published.high - published.low) / 20)
    groups: list[list[int]] = []
    for at in sorted(range(len(chosen)), key=lambda at: chosen[at].value):
        if not groups or chosen[at].value - chosen[groups[-1][0]].value > same:
            groups.append([])
        groups[-1].append(at)
    ordered = sorted(sorted(group) for group in groups)
    return tuple(_match([chosen[at] for at in group], counts, names) for group in ordered)


def _match(group: list[_Candidate], counts: Counts, names: dict[Definition, list[str]]) -> Match:
    definitions = list(dict.fromkeys(each.build() for each in group[:MOST_OTHERS]))
    simplest, *others = definitions
    if simplest.batch is None:
        score = run(simplest, counts)
    else:
        score = Score(group[0].value, simplest, counts.n, counts.labels)
    printed_by = [name for each in definitions for name in names.get(each, [])]
    return Match(score, tuple(others), tuple(printed_by))


def _nearest(
    values: Array, target: float, between: Callable[[float, float], tuple[Match, ...]]
) -> tuple[Match, ...]:
    """The nearest distinct values, nearest first."""
    distance = np.unique(np.abs(values[np.isfinite(values)] - target).round(9))
    if not len(distance):
        return ()
    reach = distance[min(NEAREST, len(distance)) - 1] + 1e-9
    matches = between(target - reach, target + reach)
    return tuple(sorted(matches, key=lambda match: abs(match.value - target)))[:NEAREST]


# candidates outside the families: the dialects themselves, and means over batches


def _dialect_values(counts: Counts) -> tuple[dict[Definition, list[str]], list[_Candidate]]:
    """The dialects by definition, and a candidate for each that applies to these data.

    Some add an epsilon, which no family does.
    """
    names: dict[Definition, list[str]] = {}
    candidates = []
    for name, dialect in dialects.items():
        with suppress(WhichF1Error):  # it only takes two classes, or does not apply to these data
            definition = dialect.definition_for(counts.labels)
            names.setdefault(definition, []).append(name)
            value = float(definition.values(definition.freeze(counts)))
            candidates.append(_Candidate(len(departures(definition)), value, definition.settled))
    return names, candidates


def _batch_values(y_true: Any, y_pred: Any, counts: Counts) -> Iterator[_Candidate]:
    """Means over batches, if the order of the items is known."""
    if y_pred is None or counts.n > MOST_ITEMS:
        return
    k = len(counts.labels)
    true, pred = (counts.labels.codes(to_numpy(side).tolist()) for side in (y_true, y_pred))
    for size in BATCHES:
        if size < counts.n and counts.n / size * k <= MOST_CELLS:
            for cost, choices, value in _batch_means(true, pred, size, k):
                options = {"average": "macro", "batch": size, **choices}
                yield _Candidate(cost, value, partial(define, "f1", None, options))


def _batch_means(
    true: Array, pred: Array, size: int, k: int
) -> Iterator[tuple[int, dict[str, Any], float]]:
    """The mean of the batches' averaged F1, for each choice of classes, with its cost."""
    batch = np.arange(len(true)) // size * k
    correct = true == pred
    cells = (batch[-1] // k + 1) * k
    tp, rows, columns = (
        np.bincount(keys, minlength=cells).reshape(-1, k).astype(np.float64)
        for keys in ((batch + true)[correct], batch + true, batch + pred)
    )
    rule = ZeroRule(0)
    f1 = per_class(METRICS["f1"], {}, rule, OneVsRest(tp, columns - tp, rows - tp, 0 * tp))
    observed = (rows + columns > 0).astype(np.float64)
    yield 1, {"classes": "observed"}, float(rule.mean(f1, observed).mean())
    yield 2, {"classes": "declared"}, float(rule.mean(f1).mean())
    if k == 2:
        for at, which in enumerate(("first", "last")):
            yield 3, {"classes": "declared", "two_classes": which}, float(f1[:, at].mean())


# the families: every formula under every choice of classes and items


class Variant(NamedTuple):
    """A choice of items to count and of classes to average over."""

    options: dict[str, Any]
    table: int
    """Which one-vs-rest table it uses."""
    mask: Array
    """The classes averaged over."""


@dataclass(frozen=True)
class Family:
    """One formula under every variant."""

    metric: str
    parameters: dict[str, Any]
    options: dict[str, Any]
    values: Array
    """One value per variant."""
    variants: list[Variant]

    def candidate(self, at: int) -> _Candidate:
        """One variant; its cost is how much must be stated beyond 'macro F1'."""
        options = {**self.variants[at].options, **self.options}
        other = {"exclude": 3, "ignore": 3}
        choices = {"metric": self.metric, **options}.items()
        cost = sum(_COSTS.get(key, {}).get(x, other.get(key, 1)) for key, x in choices)
        build = partial(define, self.metric, self.parameters, options)
        return _Candidate(cost, float(self.values[at]), build)


def search(counts: Counts) -> Iterator[Family]:
    """Every formula under every variant."""
    wide = _widen(counts)
    tried = _tried(wide.labels, wide.table)
    c = _tables(wide.table, tried)
    sets = _class_sets(wide.labels, len(counts.labels), c)
    if not counts.declared:  # a class whose items are ignored no longer counts
        sets["declared"] = sets["declared"] & sets["observed"]
    variants = [*_variants(wide.labels, tried, sets, c)]
    some = max(1, TOGETHER // len(wide.labels))
    parts = (variants[at : at + some] for at in range(0, len(variants), some))
    for same in zip(*[[*_values(_Space(part, c))] for part in parts], strict=True):
        metric, parameters, options, values = zip(*same, strict=True)
        first = metric[0], parameters[0], options[0]  # the same for all
        yield Family(*first, np.concatenate(values), variants)


_Values: TypeAlias = tuple[str, dict[str, Any], dict[str, Any], Array]
"""A formula, its parameters and options, and its value for each of some variants."""


def _values(space: _Space) -> Iterator[_Values]:
    """Every formula under some of the variants."""
    f1, f_beta, zero = METRICS["f1"], METRICS["f_beta"], ZeroRule(0)
    for rule in AVERAGED:
        yield from space.means(f1, rule)
    for rule in ONCE:
        yield from space.means(f1, rule, "of-averages")
        for name in ("precision", "recall"):
            yield from space.means(METRICS[name], rule)
    yield from space.means(METRICS["one_vs_rest_accuracy"], zero)
    one_class = np.array(["two_classes" in each.options for each in space.variants])
    micro = np.where(one_class, np.nan, per_class(f1, {}, zero, space.pooled)[..., 0])
    yield "f1", {}, {"average": "micro"}, micro
    for beta in (0.5, 2):
        yield from space.means(f_beta, zero, beta=beta)
        yield from space.means(f_beta, zero, "of-averages", beta=beta)


class _Space:
    """The counts of some variants, ready for any formula."""

    def __init__(self, variants: list[Variant], c: OneVsRest) -> None:
        self.variants = variants
        mask = np.array([each.mask for each in variants])
        tables = [each.table for each in variants]
        parts = [x[tables] for x in (c.tp, c.fp, c.fn, c.tn)]
        # a class outside the mask has 1 in every cell, which is never 0/0
        self.counts = OneVsRest(*[np.where(mask, x, 1) for x in parts])
        self.pooled = pooled(OneVsRest(*[np.where(mask, x, 0) for x in parts]))
        support = np.where(mask, parts[0] + parts[2], 0)
        self.weights = {"macro": mask.astype(np.float64), "weighted": support}

    def means(
        self, metric: Metric, rule: ZeroRule, formula: str = "averaged", **parameters: Any
    ) -> Iterator[_Values]:
        options: dict[str, Any] = {"formula": formula} if metric.harmonic else {}
        options |= {} if metric.total else {"undefined": rule.undefined}
        options |= {"scope": rule.scope} if rule.scope != "empty" else {}
        rates = per_class(metric, parameters, rule, self.counts)
        for average, weight in self.weights.items():
            if formula == "averaged":
                values = rule.mean(rates, weight)
            else:
                values = of_averages(metric, parameters, rule, self.counts, weight)
            yield metric.name, parameters, {"average": average, **options}, values


def _widen(counts: Counts) -> Counts:
    """The counts with the classes that classes='range' would add, if they are not too many."""
    integers = _integers(counts.labels)
    if integers is None or integers.max() >= 4 * len(integers) + 100:
        return counts
    missing = np.setdiff1d(np.arange(integers.max()), integers).tolist()
    return counts.declare([*counts.labels, *missing]) if missing else counts


def _integers(labels: Labels) -> Array | None:
    """The labels as an array if they are non-negative integers, which 'range' requires."""
    integers = np.array(labels) if labels.kind == "int" else np.array([-1])
    return integers if integers.min() >= 0 else None


def _tried(labels: Labels, table: Table) -> Array:
    """The classes that are excluded or ignored, one at a time."""
    if len(labels) <= EACH_CLASS:
        return np.arange(len(labels))
    background = [at for at, label in enumerate(labels) if str(label).lower() in BACKGROUND]
    largest = np.argsort(-table.rows, kind="stable")[:LIKELY]
    return np.unique([*background, *largest, 0, len(labels) - 1])


def _tables(table: Table, tried: Array) -> OneVsRest:
    """The counts of all items, then without the items of each tried class (1 + tried, classes)."""
    kept = [np.flatnonzero(table.true != at) for at in (-1, *tried.tolist())]
    rest = [
        Table(table.true[cells], table.predicted[cells], table.count[cells], table.classes)
        for cells in kept
    ]
    return OneVsRest(*(np.stack([getattr(x, side) for x in rest]) for side in SIDES))


def _class_sets(labels: Labels, declared: int, c: OneVsRest) -> dict[str, Array]:
    """The classes of each class set, as masks (tables, classes)."""
    true, predicted = c.tp + c.fn > 0, c.tp + c.fp > 0
    observed = true | predicted
    first = np.broadcast_to(np.arange(len(labels)) < declared, observed.shape)
    sets = {"observed": observed, "declared": first, "true": true}
    integers = _integers(labels)
    if integers is not None:
        largest = np.where(observed, integers, -1).max(-1, keepdims=True)
        if len(np.setdiff1d(np.arange(largest.max()), integers)) == 0:
            sets["range"] = integers <= largest
    return sets


def _variants(
    labels: Labels, tried: Array, sets: dict[str, Array], c: OneVsRest
) -> Iterator[Variant]:
    """Each class set as it is, with one class excluded or ignored, and with one class of two."""
    for name, masks in sets.items():
        every = masks[0]
        yield Variant({"classes": name}, 0, every)
        for number, at in enumerate(tried, 1):
            label: tuple[Label, ...] = (labels[at],)
            if every[at] and every.sum() > 1:
                rest = every.copy()
                rest[at] = False
                yield Variant({"classes": name, "exclude": label}, 0, rest)
            if c.tp[0, at] + c.fn[0, at] > 0 and (c.tp[number] + c.fn[number]).any():
                yield Variant({"classes": name, "ignore": label}, number, masks[number])
        if every.sum() == 2:
            for which, at in zip(("first", "last"), np.flatnonzero(every), strict=True):
                alone = np.arange(len(every)) == at
                yield Variant({"classes": name, "two_classes": which}, 0, alone)
