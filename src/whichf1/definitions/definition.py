"""Definition: everything that decides what a score is, as one object that can be run.

A signature is the text of a Definition, derived from its fields alone; parsing it gives the
Definition back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, fields, replace
from functools import cached_property, lru_cache, partial
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from whichf1.definitions import signature
from whichf1.definitions.methods import Auto, Method, find_method
from whichf1.definitions.names import look_up
from whichf1.definitions.options import CHECKS, Average, ClassSet, EpsilonIn, Formula, TwoClasses
from whichf1.definitions.signature import KEYS, VERSION, Word
from whichf1.errors import (
    DefinitionError,
    LabelError,
    ShapeError,
    TooLargeError,
    did_you_mean,
    numbered,
)
from whichf1.metrics import COUNTED, EVERY, Metric, find
from whichf1.metrics.averaging import (
    Scope,
    Undefined,
    ZeroRule,
    micro,
    of_averages,
    per_class,
    quotient_of,
    rate_of,
)
from whichf1.metrics.registry import Kind, Ratio
from whichf1.tables.annotations import Ratings
from whichf1.tables.cells import (
    Array,
    Margins,
    OneVsRest,
    every_class,
    exactly,
    one_class,
    rounded,
    scaled_rows,
)
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Label, Labels
from whichf1.tables.records import dataclass

if TYPE_CHECKING:
    from whichf1.scoring.score import Score


AnyCounts: TypeAlias = Counts | MultiLabelCounts | Ratings


class Frozen(NamedTuple):
    """Counts prepared for a definition: the class set stays the same when they are resampled."""

    table: Any
    """The cells of class counts, or the lines of label sets."""
    classes: Any
    """The codes of the classes to average over, as an array."""
    labels: Labels
    """Those classes."""
    units: Any = None
    """The counts themselves, with weights and clusters; None for a bare table."""


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A metric with every choice that changes its value.

    >>> Definition(metric="f1", average="macro").signature
    'f1|avg:macro|formula:averaged|undef:0|v:1'
    """

    metric: str
    parameters: tuple[tuple[str, Any], ...] = ()
    average: Average | None = None
    """None: a rate per class, or of the ``positive`` class."""
    formula: Formula | None = None
    """Whether F is averaged, or computed from averaged precision and recall; None if there is
    only one way."""
    positive: Label | None = None
    classes: ClassSet | tuple[Label, ...] | None = None
    """The classes averaged over; None until the data show whether any are declared."""
    exclude: tuple[Label, ...] = ()
    """Classes left out of the average; their items still count as errors of other classes."""
    ignore: tuple[Label, ...] = ()
    """Items of these true classes are dropped."""
    class_shares: Any = None
    """'uniform', or pairs of a class and its share: the true classes are scaled to these shares."""
    undefined: Undefined | None = None
    """What 0/0 gives: 0 by default, and an error for a mean of rankings."""
    scope: Scope = "empty"
    two_classes: TwoClasses = "both"
    """Which of two classes are averaged over: some programs score the positive class alone."""
    epsilon: float = 0
    """What a program adds to its denominators to avoid dividing by 0."""
    epsilon_in: EpsilonIn = "all"
    """In every denominator, or only where precision and recall are combined."""
    batch: int | None = None
    """The score is the mean over consecutive batches of this many items; None: all at once."""
    interval: Method | None = None
    data: tuple[tuple[str, Any], ...] = field(default=(), compare=False, repr=False)
    """What the signature that it was parsed from says about its data."""

    def __post_init__(self) -> None:
        metric = find(self.metric)
        self._set("metric", metric.name)
        self._set("parameters", tuple(metric.check(dict(self.parameters)).items()))
        for name, check in CHECKS.items():
            value = getattr(self, name)
            usual = name == "undefined" and type(value) is int and value == 0
            if value is not type(self).__dataclass_fields__[name].default and not usual:
                self._set(name, check(name, value))
        if metric.harmonic and self.average in ("macro", "weighted") and self.formula is None:
            self._set("formula", "averaged")
        if self.undefined is None and metric.kind not in SCORED:
            self._set("undefined", 0)
        number = not isinstance(self.undefined, str)
        if self.undefined == 0 or (number and self.scope == "one-sided"):
            self._set("scope", "empty")  # a harmonic mean with 0 is 0: no scope makes a difference
        if self.epsilon and self.epsilon_in == "all" and self.undefined not in (None, 0):
            raise DefinitionError(
                f"undefined={self.undefined!r} does not apply: with an epsilon in every "
                "denominator nothing is divided by 0"
            )
        if self.positive is not None and self.average is not None:
            raise DefinitionError(
                f"positive= selects one class, and average={self.average!r} covers all. Choose one."
            )
        for name, applies, why in self._conditions():
            default = type(self).__dataclass_fields__[name].default
            if not applies and name == "classes" and self.classes == "declared":
                self._set(name, None)  # all of them, as if not set
            elif not applies and name == "undefined" and self.undefined in (None, 0):
                self._set(name, None if metric.kind in SCORED else 0)
            elif not applies and getattr(self, name) != default:
                raise DefinitionError(f"{name}= does not apply to {metric.name}: {why}")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def settled(self, **fields: Any) -> Definition:
        """A copy with fields that the data determine, which need no check."""
        other = object.__new__(Definition)
        other.__dict__.update({name: getattr(self, name) for name in _FIELDS}, **fields)
        other.__dict__["declaration"] = self.declaration
        if self.declaration.bounds_of is None:
            other.__dict__["bounds"] = self.declaration.bounds
        return other

    def of_scores(self, labels: Labels, *, one: bool = True) -> Definition | None:
        """The same definition, settled for scores of these classes; cached.

        ``one``: each item has one score, that of the second of two classes. None if the definition
        is for another class.
        """
        key, known = (labels[1], type(labels[1]), one, len(labels) == 2), self._of_scores
        if key not in known:
            settled = self.scaled(len(labels))
            same = self.positive is None or type(self.positive) is key[1]
            if one:
                settled = settled.settled(positive=labels[1])
            known[key] = settled if (same if one else self.positive is None) else None
        return known[key]

    @cached_property
    def _of_scores(self) -> dict[object, Definition | None]:
        return {}

    def with_parameters(self, **parameters: Any) -> Definition:
        """The same definition with these parameters of its metric, which need no check."""
        merged = {**self.arguments, **parameters}
        return self.settled(parameters=tuple(merged.items()))

    def scaled(self, classes: int) -> Definition:
        """The same definition with its scale, which by default depends on the number of classes."""
        if self.arguments.get("scale", "no such") is not None:
            return self
        return self.with_parameters(scale="half" if classes == 2 else "sum")

    def _conditions(self) -> list[tuple[str, bool, str]]:
        """Each option, whether it can change the value given the others, and if not, why."""
        metric = self.declaration
        rate, counted = metric.kind == "rate", metric.kind in COUNTED
        several = metric.kind in ("rate", "items") and self.positive is None
        mean = several and self.average in ("macro", "weighted")
        whole, twin = "it is computed from the whole table", f"one_vs_rest_{metric.name}"
        whole += f"; {twin} is that of each class" if twin in EVERY else ""
        scored = metric.kind in ("ranking", "loss")
        averaged = metric.over_labels and not (self.average == "samples" and metric.by_score)
        mean_of_rankings = self.average in ("macro", "weighted", "samples")
        ranked = metric.kind == "ranking" and (mean_of_rankings or not metric.probabilities)
        one = whole if not rate else "it scores the positive class alone"
        smooth = metric.smooth or fits(self.interval, metric, self.average)
        uncovered = metric.of_top is None or self.average is not None
        divisions = metric.harmonic and self.formula != "of-averages"
        shares = "it is not computed from predicted classes, or it counts whole items or batches"
        batched = "intervals need items, not batches. Drop interval= or batch="
        return [
            ("average", rate or averaged, _BY_SCORE if metric.over_labels else whole),
            ("positive", rate or scored, whole),
            ("ignore", counted, "remove those items from the data instead"),
            ("class_shares", counted and not metric.whole and not self.batch, shares),
            ("classes", several, one),
            ("exclude", several, one),
            ("formula", mean and metric.harmonic, "it has only one formula"),
            ("undefined", ranked or not metric.total, "it is never undefined"),
            ("interval", smooth, _NO_INTERVAL if uncovered else _AT_TOP),
            ("scope", divisions, "it has only one division"),
            ("two_classes", mean, "it is not a mean over classes"),
            ("epsilon", rate, whole),
            ("epsilon_in", bool(self.epsilon) and metric.harmonic, "there is only one denominator"),
            ("batch", counted and self.interval is None, batched),
        ]

    @cached_property
    def declaration(self) -> Metric:
        """The metric itself."""
        return find(self.metric)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """What the score is at least and at most."""
        metric = self.declaration
        if metric.bounds_of is None:
            return metric.bounds
        return metric.bounds_of(**self.arguments)

    @property
    def unlimited(self) -> bool:
        """Whether a single item may have any loss, so that a few rare ones can decide the mean."""
        return self.declaration.unlimited and not all(map(isfinite, self.bounds))

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """Every parameter of the metric with its value."""
        return dict(self.parameters)

    @cached_property
    def ratio_of_areas(self) -> Callable[[Any], Ratio] | None:
        """For a ranking: its score as a function of ``RankAreas``; None if it needs the table."""
        declared = self.declaration.of_areas
        return None if declared is None else declared(**self.arguments)

    @cached_property
    def applicable(self) -> frozenset[str]:
        """The options that can make a difference."""
        return frozenset([name for name, applies, _ in self._conditions() if applies])

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that matter, as they stand in the signature."""
        applies = self.applicable - {"interval"}
        always = set() if self.undefined is None else {"undefined"}
        if self.declaration.kind == "rate" and self.positive is None:
            always.add("average")
        shown: dict[str, Any] = {}
        for each in fields(self):
            name, value = each.name, getattr(self, each.name)
            if name in applies and (name in always or value != each.default):
                word = isinstance(value, str) and name != "positive"
                shown[KEYS.get(name, name)] = Word(value) if word else value
        if "avg" in shown:
            shown["avg"] = Word(self.average or "none")
        if self.interval is not None:
            shown.update(signature.words(self.interval.fields()))
        return {**shown, "v": VERSION}

    @cached_property
    def signature(self) -> str:
        """The text of this definition: ``Definition.parse`` gives it back."""
        parameters = {name: value for name, value in self.parameters if value is not None}
        return signature.write(self.metric, signature.words(parameters), self.fields)

    def __str__(self) -> str:
        return self.signature

    @classmethod
    def parse(cls, text: str) -> Definition:
        """The definition that a signature describes; it warns if it is run on other data."""
        name, parameters, options, data = signature.read_definition(text, OPTIONS)
        shared = signature.shared_options(text)
        settled = {key: value for key, value in options.items() if key not in shared}
        further = {key: options[key] for key in options if key in shared}
        definition = _fitted(name, parameters, settled, further) if further else None
        return replace(definition or define(name, parameters, settled), data=data)

    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        *,
        labels: Any = None,
        weights: Any = None,
        cluster: Any = None,
        **columns: Any,
    ) -> Score:
        """Run the definition on Counts, on y_true and y_pred, or on columns of a frame or file."""
        from whichf1.scoring.evaluate import run  # a way back: a score holds its definition

        return run(self, y_true, y_pred, labels, weights, cluster, **columns)

    @cached_property
    def quick(self) -> Kind | None:
        """The kind of its metric if sums over all items suffice for its value and its interval.

        Otherwise None.
        """
        kind, method = self.declaration.kind, self.interval
        if method is not None and method.word not in ("delta", "delong"):
            return None
        if self.ignore or self.batch or self.classes == "range" or self.class_shares is not None:
            return None
        if kind == "items" or (kind == "rate" and self.average == "samples"):
            return "items" if self._every_class else None
        if kind == "rate":
            return kind if (self.average or self.positive) is not None else None
        if self.declaration.confidence:  # it does not rank by the score that is passed
            return None
        of_one = self.average is None and self.arguments.get("multi_class") is None
        return kind if of_one and self.positive in (None, 1) else None

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What other modules find out about it, under their own names."""
        return {}

    @cached_property
    def _every_class(self) -> bool:
        """Whether it covers all existing classes."""
        every = self.classes in (None, "declared") and self.two_classes == "both"
        return every and not self.exclude

    @cached_property
    def over_observed(self) -> Definition:
        """The same definition over the observed classes, unless it names its classes."""
        settles = self.classes is None and "classes" in self.applicable
        return self.settled(classes="observed") if settles else self

    @cached_property
    def over_declared(self) -> Definition:
        """The same definition over the declared classes, unless it names its classes."""
        settles = self.classes is None and "classes" in self.applicable
        return self.settled(classes="declared") if settles else self

    def on(self, *frozen: Frozen) -> Definition:
        """The definition with its class set settled by the counts of one or more systems.

        If none are declared, the classes are those that occur. A slice or one of several systems
        may lack some classes of the whole; for it, they count as declared.
        """
        if self.classes is not None or "classes" not in self.applicable:
            return self
        for each in frozen:
            if not self._over_those_that_occur(each):
                return self.over_declared
        return self.over_observed

    def _over_those_that_occur(self, frozen: Frozen) -> bool:
        units = frozen.units
        if units.declared:
            return False
        if not self.exclude and self.two_classes == "both":  # so it has all classes
            return bool(units.occurring == len(frozen.classes))
        with suppress(DefinitionError):  # raised if none are left
            known = (units.labels, units.table, "observed")
            observed = fix_classes(*known, self.exclude, self.two_classes)
            return np.array_equal(observed.classes, frozen.classes)
        return False

    @cached_property
    def rule(self) -> ZeroRule:
        """What a division by 0 gives."""
        alone = self.epsilon if self.epsilon_in == "all" else 0
        return ZeroRule(self.undefined, self.scope, alone, self.epsilon)

    def freeze(self, counts: AnyCounts) -> Frozen:
        """Fix the class set on these counts."""
        if self.batch is not None:
            raise DefinitionError(
                f"a mean over batches of {numbered(self.batch, 'item')} needs the items' order, "
                f"which counts and files do not keep.{PASS_ARRAYS}"
            )
        counts = counts.without(self.ignore)
        if self.declaration.whole and counts.weighted:
            raise DefinitionError(
                f"{self.metric} counts whole items, which cannot have weights. Drop weights=, or "
                "use frequencies= if each row stands for several equal items."
            )
        if not len(counts.count):
            raise ShapeError(
                "there are no items to score" + (": all are ignored" if self.ignore else "")
            )
        fixed = self
        if self.classes == "range":
            counts, classes = over_range(counts)
            fixed = self.settled(classes=classes)
        table: Any = counts.table
        if self.class_shares is not None:
            table = scaled_rows(table, self.shares_of(counts))
        return fixed.fix(counts.labels, table, counts)

    def fix(self, labels: Labels, table: Any, units: AnyCounts | None = None) -> Frozen:
        """Fix the class set on a table of these classes."""
        if self.positive is not None:
            return Frozen(table, one_class(labels.code(self.positive)), labels, units)
        if self._every_class and labels:
            return Frozen(table, every_class(len(labels)), labels, units)
        frozen = fix_classes(labels, table, self.classes, self.exclude, self.two_classes)
        return frozen._replace(units=units)

    def of_table(self, margins: Margins, labels: Labels) -> Array:
        """The agreement in each table of a batch (…)."""
        if self.declaration.named:
            ratio = self.declaration.formula(margins, **self.arguments, labels=labels)
            return self.rule.settle(ratio)
        return self._table_formula(margins)

    @cached_property
    def _table_formula(self) -> Callable[[Margins], Array]:
        """The agreement of margins alone; passing defaults takes time in small calls."""
        formula, declared = self.declaration.formula, self.declaration.parameters
        unusual = {k: v for k, v in self.parameters if v is not declared[k].default}
        return quotient_of(partial(formula, **unusual) if unusual else formula, self.rule)

    def of_class(self, c: OneVsRest) -> Array:
        """The rate of a class against the rest."""
        return self.class_formula(c)

    @cached_property
    def class_formula(self) -> Callable[[OneVsRest], Array]:
        """The rate of a class against the rest, as a function of its counts."""
        return rate_of(self.declaration, self.arguments, self.rule)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone, without what was computed from them."""
        return {name: self.__dict__[name] for name in _FIELDS}

    def shares_of(self, counts: AnyCounts) -> Array:
        """The share that each class of these counts is scaled to."""
        if not isinstance(counts, Counts):
            raise DefinitionError(
                f"class_shares= is for items of one true class each, but these are {counts.kind}"
            )
        rows, labels = counts.table.rows, counts.labels
        present = rows > 0
        if self.class_shares == "uniform":
            equal: Array = present / present.sum()
            return equal
        share = np.full(len(labels), np.nan)
        for label, each in self.class_shares:
            if label not in labels:
                raise LabelError(
                    f"class_shares: there is no class {label!r}. "
                    f"{did_you_mean(str(label), [str(x) for x in labels[:50]])}"
                )
            code = labels.code(label)
            share[code] = each
            if each > 0 and not present[code]:
                raise DefinitionError(
                    f"class_shares: class {label!r} has a share of {each:g}, but no items from "
                    "which to estimate how it is predicted"
                )
        lacking = [labels[code] for code in np.flatnonzero(np.isnan(share) & present)]
        if lacking:
            raise DefinitionError(
                f"class_shares: no share for {', '.join(map(repr, lacking[:5]))}. Give every "
                "class that has items a share; 0 leaves its items out."
            )
        return np.where(np.isnan(share), 0.0, share)

    def values(self, frozen: Frozen, table: Any = None) -> Array:
        """The score of each table of a batch (…); per class (…, classes) if nothing is averaged.

        ``table`` replaces the frozen counts with others of the same classes, such as replicates or
        the Margins of a table.
        """
        if table is not None and self.class_shares is not None:
            raise DefinitionError(
                f"class_shares= applies to the counts of predictions, not to a threshold, a curve "
                f"or a property of {self.metric}. Omit it."
            )
        counted: Any = frozen.table if table is None else table
        weighted = table is None and frozen.units is not None and frozen.units.weighted
        if weighted and not self.epsilon and counted.in_range is not counted:
            counted = counted.in_range
            exact = self.settled(parameters=exactly(self.parameters, counted.count))
            return rounded(exact.values(frozen, counted))
        metric, parameters = self.declaration, self.arguments
        if metric.kind == "agreement":
            return self.of_table(counted.margins, frozen.labels)
        rule = self.rule
        if metric.kind == "items" or self.average == "samples":
            items = per_class(metric, parameters, rule, counted.per_item(frozen.classes))
            return rule.mean(items, counted.count)
        c = counted.one_vs_rest(frozen.classes)
        if self.average == "micro":
            return micro(metric, parameters, rule, c)
        support = c.tp + c.fn if self.average == "weighted" else None
        if self.formula == "of-averages":
            return of_averages(metric, parameters, rule, c, support)
        rates = per_class(metric, parameters, rule, c)
        return rates if self.average is None else rule.mean(rates, support)


SCORED = ("ranking", "loss", "label ranking", "value")
"""Kinds that are computed from scores."""
_BY_SCORE = "it needs more than the order of each item's labels: use 'macro', 'weighted' or 'micro'"
_AT_TOP = "it depends on individual items. Use 'auto' or 'bootstrap'"
_NO_INTERVAL = (
    "it depends on individual items or is biased, so no interval is known to have the "
    "nominal coverage. Omit interval=, or use 'bootstrap' to see how much it varies"
)


def fits(method: Method | None, metric: Metric, average: str | None = None) -> bool:
    """Whether a method also gives intervals for a metric that is not smooth."""
    known = average is None and (metric.squared or metric.of_top) is not None
    auto = isinstance(method, Auto) and known
    return auto or (method is not None and method.drawn)


def fix_classes(
    labels: Labels, table: Any, classes: Any, exclude: tuple[Label, ...], two_classes: str
) -> Frozen:
    """Determine the classes to average over."""
    excluded = labels.codes(exclude) if exclude else None
    chosen = codes_of(labels, table, classes, two_classes, excluded)
    if not len(chosen):
        why = "exclude= names all of them" if exclude else "declare classes with labels="
        raise DefinitionError(f"there are no classes to average over: {why}")
    if len(chosen) < len(labels):
        labels = Labels.trusted(labels[code] for code in chosen)
    return Frozen(table, chosen, labels)


def codes_of(
    labels: Labels,
    table: Any,
    classes: Any,
    two_classes: str = "both",
    excluded: Array | None = None,
) -> Array:
    """Codes of the classes of a class set, without those that are excluded."""
    if classes in (None, "declared"):
        chosen = every_class(len(labels))
    elif classes == "observed":
        chosen = np.flatnonzero(table.tp + table.fp + table.fn)
    elif classes == "true":
        chosen = np.flatnonzero(table.tp + table.fn)
    else:
        chosen = labels.codes(classes)
    if two_classes != "both" and len(chosen) == 2:
        chosen = chosen[:1] if two_classes == "first" else chosen[1:]
    if excluded is None:
        return chosen
    return np.setdiff1d(chosen, excluded, assume_unique=True)


MOST_CLASSES = 1 << 20
"""The largest number of classes that classes='range' averages over."""


def over_range(counts: AnyCounts) -> tuple[AnyCounts, range]:
    """Every integer from 0 to the largest observed label, whether it occurs or not."""
    observed = [counts.labels[code] for code in codes_of(counts.labels, counts.table, "observed")]
    if counts.labels.kind != "int" or min(observed) < 0:
        raise LabelError("classes='range' needs labels that are integers of at least 0")
    highest = max(observed)
    if highest >= MOST_CLASSES:
        raise TooLargeError(
            f"classes='range' would average over {numbered(highest + 1, 'class')}, because "
            f"{highest} "
            "occurs. Choose classes='observed', or renumber the classes."
        )
    wanted = range(highest + 1)
    missing = [label for label in wanted if label not in counts.labels]
    wider = counts.declare([*counts.labels, *missing]) if missing else counts
    return wider, wanted


PASS_ARRAYS = " Pass y_true and y_pred."
"""The advice where the order of items is needed, which a table of many definitions leaves out."""
NAMING = ("average", "formula", "positive")
_FIELDS = tuple(Definition.__dataclass_fields__)
OPTIONS = tuple(
    name for name in Definition.__dataclass_fields__ if name not in ("metric", "parameters", "data")
)
"""The options of a metric besides its parameters."""


def define(
    name: str, parameters: Mapping[str, Any] | None = None, options: Mapping[str, Any] | None = None
) -> Definition:
    """The definition of a metric, an alias or a shorthand with these parameters and options."""
    metric, preset = look_up(name)
    settings = {**preset, **(options or {})}
    for option in settings:
        if option not in OPTIONS:
            hint = did_you_mean(option, [*OPTIONS, *find(metric).parameters])
            raise DefinitionError(f"{name} has no option {option!r}. {hint}")
    return Definition(metric=metric, parameters=tuple((parameters or {}).items()), **settings)


def define_fitting(text: str, options: Mapping[str, Any], *, sets: bool = False) -> Definition:
    """A name or signature with the options that apply and that it does not set itself.

    For tables of many metrics, each of which takes some of the options. ``sets``: they are of
    scores of sets of labels, of which losses are averaged, too.
    """
    if all(isinstance(value, _HASHABLE) for value in options.values()):
        typed = tuple([(key, type(value), value) for key, value in options.items()])
        return _known_fitting(text, typed, sets)
    return _fitting(text, options, sets)


_HASHABLE = (str, int, float, type(None), Method)
"""Definitions whose options have these types are cached."""


@lru_cache(maxsize=1024)
def _known_fitting(text: str, typed: tuple[tuple[str, type, Any], ...], sets: bool) -> Definition:
    return _fitting(text, {key: value for key, _, value in typed}, sets)


def _fitting(text: str, options: Mapping[str, Any], sets: bool) -> Definition:
    name, parameters, settled = signature.read(text)
    return Definition.parse(text) if settled else _fitted(name, parameters, {}, options, sets)


def _fitted(
    name: str,
    parameters: Mapping[str, Any],
    settled: Mapping[str, Any],
    options: Mapping[str, Any],
    sets: bool = False,
) -> Definition:
    """The metric with the options that are set and the other options that apply."""
    plain = define(name, parameters, settled)
    if sets and plain.declaration.over_labels and options.get("average") is not None:
        plain = define(name, parameters, {**settled, "average": options["average"]})
    applicable = plain.applicable - {*look_up(name)[1], *settled, "interval"}
    if plain.declaration.over_labels and not plain.declaration.over_classes and not sets:
        applicable -= {"average"}  # a class set is not passed on unless it was requested
    fitting = {k: v for k, v in options.items() if k in applicable}
    chosen = define(name, parameters, {**settled, **fitting}) if fitting else plain
    method = find_method(options.get("interval", settled.get("interval")))
    if "interval" not in chosen.applicable and not fits(method, chosen.declaration, chosen.average):
        return chosen
    return replace(chosen, interval=method)


def shorten(signatures: Sequence[str]) -> tuple[list[str], str]:
    """The distinct part of each signature, with a ``*`` for what all share, and the shared part.

    Replacing the ``*`` by another ``*`` and the shared part makes each one whole again: fields
    after a ``*`` that do not apply to a metric are ignored. If all have the same definition, that
    is the shared part, and the ``*`` comes first.

    >>> shorten(["f1|avg:macro|classes:declared|undef:0|v:1", "accuracy|v:1"])
    (['f1|avg:macro|*', 'accuracy|*'], 'classes:declared|undef:0|v:1')
    """
    if len({*signatures}) < 2:
        return list(signatures), ""
    rows = [text.split("|") for text in signatures]
    definitions = [_parsed(text) for text in signatures]
    one = definitions.count(definitions[0]) == len(definitions)
    methods = {each.interval for each in definitions}
    parts = rows[0] if one else [*dict.fromkeys([part for _, *row in rows for part in row])]
    option = {part: signature.option_of(part) for part in {*parts, *[row[0] for row in rows]}}
    shared = list(parts)
    for row, definition in zip(rows, definitions, strict=True):
        said = {option.get(part) for part in row}
        passed = {*OPTIONS} - definition.applicable - said  # what it would ignore
        if any(fits(method, definition.declaration, definition.average) for method in methods):
            passed -= {"interval"}
        shared = [part for part in shared if part in row or option[part] in passed]
    if not one:  # part of the name of a score, so it stays there
        shared = [part for part in shared if option[part] not in NAMING]
    method = {part for part in parts if option[part] == "interval"}
    if not method <= {*shared}:  # a method is shared with all of its parameters, or not at all
        shared = [part for part in shared if part not in method]
    if not shared:
        return list(signatures), ""
    left = [[part for part in row if part not in shared] for row in rows]
    shorts = [["*", *row] if one else [*row, "*"] for row in left]
    return ["|".join(row) for row in shorts], "|".join(shared)


_parsed = lru_cache(maxsize=1024)(Definition.parse)
