"""Definition: everything that decides what a score is, as one object that can be run.

A signature is the text of a Definition, derived from its fields alone; parsing it gives the
Definition back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from whichf1 import signature
from whichf1.choices import (
    ClassSet,
    EpsilonIn,
    TwoClasses,
    check_batch,
    check_class_set,
    check_epsilon,
    check_undefined,
    one_of,
)
from whichf1.class_sets import Frozen, codes_of, over_range, pick, without
from whichf1.counts import Counts
from whichf1.errors import DefinitionError, ShapeError, did_you_mean
from whichf1.intervals import Bootstrap, Method, find_method, parameter_names
from whichf1.labels import Label
from whichf1.metrics import COUNTED, Metric, find
from whichf1.metrics.averaging import (
    Average,
    Formula,
    Scope,
    Undefined,
    ZeroRule,
    averaged,
    micro,
    of_averages,
    per_class,
)
from whichf1.signature import Word
from whichf1.table import Array

if TYPE_CHECKING:
    from whichf1.scores import Score

VERSION = 1
"""The version of what the fields mean; a program that changed a meaning would count it up."""
DATA_FIELDS = ("n", "k", "labels", "weighted", "clusters", "decision", "resolution")
"""Fields of a score's signature that describe the data and not the definition."""
KEYS = {
    "average": "avg",
    "undefined": "undef",
    "two_classes": "two",
    "epsilon": "eps",
    "epsilon_in": "eps-in",
}
"""Fields that are written shorter in a signature."""


_MEANS = ("macro", "weighted")
_BATCHED = "the batches are no items: leave interval= out, and use counts"


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A metric with every choice that changes its value.

    >>> Definition(metric="f1", average="macro").signature
    'f1|avg:macro|formula:averaged|classes:declared|undef:0|v:1'
    """

    metric: str
    parameters: tuple[tuple[str, Any], ...] = ()
    average: Average | None = None
    """None: a rate per class, or of the ``positive`` class."""
    formula: Formula | None = None
    """Whether F is averaged or computed of averaged precision and recall; None where there is
    only one way."""
    positive: Label | None = None
    classes: ClassSet | tuple[Label, ...] = "declared"
    """The classes averaged over."""
    exclude: tuple[Label, ...] = ()
    """Classes left out of the average; their items still make errors of other classes."""
    ignore: tuple[Label, ...] = ()
    """Items of these true classes are dropped."""
    undefined: Undefined = 0
    scope: Scope = "empty"
    two_classes: TwoClasses = "both"
    """Which of two classes are averaged over: some programs then score the positive one alone."""
    epsilon: float = 0
    """What a program adds to its denominators so as not to divide by 0."""
    epsilon_in: EpsilonIn = "all"
    """In every denominator, or only where precision and recall are combined."""
    batch: int | None = None
    """The mean of the scores of batches of so many items, in their order; None: all at once."""
    interval: Method | None = None
    data: tuple[tuple[str, Any], ...] = field(default=(), compare=False, repr=False)
    """What the signature that it was parsed from says of its data."""

    def __post_init__(self) -> None:
        metric = find(self.metric)
        self._set("metric", metric.name)
        self._set("parameters", tuple(metric.check(dict(self.parameters)).items()))
        self._set("interval", find_method(self.interval))
        for name in ("classes", "exclude", "ignore"):
            self._set(name, check_class_set(name, getattr(self, name)))
        self._set("undefined", check_undefined(self.undefined))
        one_of("average", self.average, (None, *get_args(Average)))
        one_of("formula", self.formula, (None, *get_args(Formula)))
        one_of("scope", self.scope, get_args(Scope))
        one_of("two_classes", self.two_classes, get_args(TwoClasses))
        one_of("epsilon_in", self.epsilon_in, get_args(EpsilonIn))
        check_epsilon(self.epsilon)
        check_batch(self.batch)
        if metric.harmonic and self.average in ("macro", "weighted") and self.formula is None:
            self._set("formula", "averaged")
        if self.undefined == 0 or (self.undefined == 1 and self.scope == "one-sided"):
            self._set("scope", "empty")  # a harmonic mean with 0 is 0: no scope makes a difference
        if self.epsilon and self.epsilon_in == "all" and self.undefined != 0:
            raise DefinitionError(
                f"undefined={self.undefined!r} does not apply: with an epsilon in every "
                "denominator nothing is divided by 0"
            )
        self._refuse_what_does_not_apply(metric)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _refuse_what_does_not_apply(self, metric: Metric) -> None:
        if self.positive is not None and self.average is not None:
            raise DefinitionError(
                f"positive= asks for one class, average={self.average!r} for all. Choose one."
            )
        for name, applies, why in self._conditions(metric):
            default = type(self).__dataclass_fields__[name].default
            if not applies and getattr(self, name) != default:
                raise DefinitionError(f"{name}= does not apply to {metric.name}: {why}")

    def _conditions(self, metric: Metric) -> list[tuple[str, bool, str]]:
        rate = metric.kind == "rate"
        several = metric.kind in ("rate", "items") and self.positive is None
        mean = several and self.average in ("macro", "weighted")
        whole = "it is computed from the whole table"
        scored = metric.kind in ("ranking", "loss")
        ways = (
            metric.parameters["multi_class"].choices if "multi_class" in metric.parameters else ()
        )
        over_classes = "ovr" in ways  # else it is that of the best class, with nothing to average
        averaged = over_classes and self.average in (None, *_MEANS)
        one = whole if not rate else "there is one positive class"
        return [
            ("average", rate or averaged, "take macro or weighted" if over_classes else whole),
            ("positive", rate or scored, whole),
            ("ignore", metric.kind in COUNTED, "drop those items from the data"),
            ("classes", several, one),
            ("exclude", several, one),
            ("formula", mean and metric.harmonic, "it has one formula"),
            ("undefined", not metric.total, "it is never undefined"),
            ("interval", self._has_interval(metric), "it hangs on single items: use 'bootstrap'"),
            ("scope", metric.harmonic and self.formula != "of-averages", "it divides once"),
            ("two_classes", mean, "it is no mean over classes"),
            ("epsilon", rate, whole),
            ("epsilon_in", bool(self.epsilon) and metric.harmonic, "there is one denominator"),
            ("batch", metric.kind in COUNTED and self.interval is None, _BATCHED),
        ]

    def _has_interval(self, metric: Metric) -> bool:
        return metric.smooth or isinstance(self.interval, Bootstrap)

    @property
    def applicable(self) -> frozenset[str]:
        """The options that can make a difference."""
        conditions = self._conditions(find(self.metric))
        return frozenset(name for name, yes, _ in conditions if yes)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that matter, as they stand in the signature."""
        applies = self.applicable - {"interval"}
        shown: dict[str, Any] = {}
        for each in fields(self):
            name, value = each.name, getattr(self, each.name)
            rate = name == "average" and find(self.metric).kind == "rate"
            always = name in ("classes", "undefined") or (rate and not self._one)
            if name in applies and (always or value != each.default):
                word = isinstance(value, str) and name != "positive"
                shown[KEYS.get(name, name)] = Word(value) if word else value
        if "avg" in shown:
            shown["avg"] = Word(self.average or "none")
        if self.interval is not None:
            shown.update(self.interval.fields())
        return {**shown, "v": VERSION}

    @property
    def _one(self) -> bool:
        return self.positive is not None

    @property
    def signature(self) -> str:
        """The text of this definition: ``Definition.parse`` gives it back."""
        parameters = {
            name: Word(value) if isinstance(value, str) else value
            for name, value in self.parameters
            if value is not None
        }
        return signature.write(self.metric, parameters, self.fields)

    def __str__(self) -> str:
        return self.signature

    @classmethod
    def parse(cls, text: str) -> Definition:
        """The definition that a signature describes; it warns on data of another kind."""
        name, parameters, found = signature.read(text)
        if "compare" in found:
            raise DefinitionError(
                f"{text!r} is the signature of a comparison: give it to compare, with the systems"
            )
        if found.pop("v", VERSION) != VERSION:
            raise DefinitionError(
                f"the signature {text!r} has another version than v:{VERSION}, the one known here"
            )
        options = {key: value for key, value in found.items() if key not in DATA_FIELDS}
        data = tuple((key, value) for key, value in found.items() if key in DATA_FIELDS)
        return replace(define(name, parameters, _from_fields(options, text)), data=data)

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
        from whichf1.scores import run  # a score holds its definition, and a definition runs

        return run(self, y_true, y_pred, labels, weights, cluster, **columns)

    @cached_property
    def needs_margins_only(self) -> bool:
        """Whether the margins of all classes say enough: a plain mean, without an interval."""
        special = (self.exclude, self.ignore, self.batch, self.interval)
        means = find(self.metric).kind == "rate" and self.average in ("macro", "weighted", "micro")
        return (
            means and not any(special) and self.classes == "declared" and self.two_classes == "both"
        )

    @cached_property
    def rule(self) -> ZeroRule:
        """What a division by 0 gives."""
        alone = self.epsilon if self.epsilon_in == "all" else 0
        return ZeroRule(self.undefined, self.scope, alone, self.epsilon)

    def freeze(self, counts: Counts) -> Frozen:
        """Fix the class set on these counts."""
        if self.batch is not None:
            raise DefinitionError(
                f"{self.signature} is a mean over batches of {self.batch} items in their order, "
                "which counts do not know. Give y_true and y_pred."
            )
        counts = without(counts, self.ignore)
        if not len(counts.count):
            raise ShapeError(
                "there are no items to score" + (", all ignored" if self.ignore else "")
            )
        if self.classes == "range":
            counts, chosen = over_range(counts)
        else:
            chosen = codes_of(counts, self.classes)
        if self.two_classes != "both" and len(chosen) == 2:
            chosen = chosen[:1] if self.two_classes == "first" else chosen[1:]
        if self.exclude:
            chosen = np.setdiff1d(chosen, counts.labels.codes(self.exclude), assume_unique=True)
        if not len(chosen):
            raise DefinitionError("no class is left to average over: all are excluded")
        everything = len(chosen) == len(counts.labels)
        labels = counts.labels if everything else pick(counts.labels, chosen)
        return Frozen(counts.table, chosen, labels)

    def values(self, frozen: Frozen, table: Any = None) -> Array:
        """The score on each table of a batch (…); per class (…, classes) where nothing is averaged.

        ``table`` replaces the counts that were frozen, with the same classes: replicates, say, or
        the Margins of a table.
        """
        counted: Any = frozen.table if table is None else table
        metric, parameters = find(self.metric), dict(self.parameters)
        if metric.kind == "agreement":
            return ZeroRule(self.undefined).settle(metric.formula(counted.margins, **parameters))
        rule = self.rule
        c = counted.one_vs_rest(frozen.classes)
        if metric.kind == "items" or self.average == "samples":
            return rule.mean(
                per_class(metric, parameters, rule, counted.per_item(frozen.classes)),
                counted.count,
            )
        if self.average is None:
            return per_class(metric, parameters, rule, c)
        if self.average == "micro":
            return micro(metric, parameters, rule, c)
        support = c.tp + c.fn if self.average == "weighted" else None
        operator = of_averages if self.formula == "of-averages" else averaged
        return operator(metric, parameters, rule, c, support)


SHORTHANDS: dict[str, tuple[str, dict[str, Any]]] = {
    "averaged_f1": ("f1", {"average": "macro", "formula": "averaged"}),
    "f1_of_averages": ("f1", {"average": "macro", "formula": "of-averages"}),
    "averaged_f_beta": ("f_beta", {"average": "macro", "formula": "averaged"}),
    "f_beta_of_averages": ("f_beta", {"average": "macro", "formula": "of-averages"}),
    "micro_f1": ("f1", {"average": "micro"}),
    "weighted_f1": ("f1", {"average": "weighted", "formula": "averaged"}),
    "macro_precision": ("precision", {"average": "macro"}),
    "macro_recall": ("recall", {"average": "macro"}),
    "balanced_accuracy": ("recall", {"average": "macro", "classes": "true"}),
}
"""Names for a metric with some of its options: never a second formula."""
BOTH = ("macro_f1", "f1_macro", "macro_averaged_f1")
"""What could be either of the two formulas, and is no name of one."""


_NO_OPTIONS = ("metric", "parameters", "data")


def define(
    name: str, parameters: Mapping[str, Any] | None = None, options: Mapping[str, Any] | None = None
) -> Definition:
    """The definition of a metric, an alias or a shorthand with these parameters and options."""
    metric, preset = SHORTHANDS.get(plain_name(name), (name, {}))
    if metric == name:
        known = find_or_shorthand(name)
        metric = known.name
    given = {**preset, **(options or {})}
    for option in given:
        takes = [x for x in Definition.__dataclass_fields__ if x not in _NO_OPTIONS]
        if option not in takes:
            hint = did_you_mean(option, [*takes, *find(metric).parameters])
            raise DefinitionError(f"{name} has no option {option!r}. {hint}")
    return Definition(metric=metric, parameters=tuple((parameters or {}).items()), **given)


def define_fitting(text: str, options: Mapping[str, Any]) -> Definition:
    """A name or signature with those of the options that apply and that it does not settle itself.

    For tables of many metrics, of which each takes some of the options.
    """
    name, parameters, settled = signature.read(text)
    if settled:
        return Definition.parse(text)
    plain = define(name, parameters)
    preset = SHORTHANDS.get(plain_name(name), ("", {}))[1]
    fitting = plain.applicable - {*preset, "interval"}
    chosen = define(name, parameters, {k: v for k, v in options.items() if k in fitting})
    method = find_method(options.get("interval"))
    if "interval" not in chosen.applicable and not isinstance(method, Bootstrap):
        return chosen
    return replace(chosen, interval=method)


def plain_name(name: str) -> str:
    """A name as it is looked up: 'Miss-rate' is 'miss_rate'."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def find_or_shorthand(name: str) -> Metric:
    """The metric of a name; the error names the nearest of all names, shorthands too."""
    from whichf1.metrics import names

    if plain_name(name) in BOTH:
        raise DefinitionError(
            f"{name!r} names two formulas: averaged_f1, the mean of the classes' F1, and "
            "f1_of_averages, the F1 of macro precision and macro recall. Choose one."
        )
    try:
        return find(name)
    except DefinitionError:
        hint = did_you_mean(name.lower(), [*names(), *SHORTHANDS])
        raise DefinitionError(f"there is no metric {name!r}. {hint}") from None


def _from_fields(found: dict[str, Any], text: str) -> dict[str, Any]:
    """Signature fields as options of a Definition."""
    long = {short: name for name, short in KEYS.items()}
    options = {long.get(key, key): value for key, value in found.items()}
    method = {key: options.pop(key) for key in parameter_names() & set(options)}
    if "interval" in options:
        options["interval"] = find_method(options["interval"], **method)
    elif method:
        raise DefinitionError(f"{', '.join(method)} without an interval in the signature {text!r}")
    for key in options:
        if key not in Definition.__dataclass_fields__ or key == "data":
            known = [*KEYS.values(), *Definition.__dataclass_fields__, *DATA_FIELDS, "v"]
            raise DefinitionError(
                f"unknown field {key!r} in the signature {text!r}. {did_you_mean(key, known)}"
            )
    if options.get("classes") is True:
        options["classes"] = "true"  # the class set of that name, which JSON reads as a boolean
    if options.get("average") == "none":
        options["average"] = None
    if isinstance(options.get("positive"), Word):
        raise DefinitionError(
            f'a label that is text stands in quotes: positive:"{options["positive"]}"'
        )
    return {key: str(x) if isinstance(x, Word) else x for key, x in options.items()}
