"""Score: a number that says what it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import FrozenInstanceError, replace
from functools import cached_property
from math import isfinite, isnan
from typing import Any, SupportsFloat, overload

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.definitions.signature import with_data
from whichf1.errors import DefinitionError, OtherDataWarning, numbered, warn
from whichf1.statistics.scales import Interval
from whichf1.tables.cells import Array
from whichf1.tables.display import Displayed, Drawable
from whichf1.tables.labels import Label, Labels
from whichf1.tables.records import dataclass
from whichf1.tables.units import some


class Score(Displayed, float):
    """A number that says what it is: its definition, the size of the data, and an interval.

    It can be used wherever a float can, and arithmetic with it gives a plain float. Two scores
    can only be ordered if they have the same definition and are averaged over the same classes.

    value: The plain float; NaN if the score is undefined: with undefined='nan', or if nothing is
        left to average.
    definition: The metric with every choice that changes its value.
    n: The number of items, or the sum of their weights.
    classes: The classes averaged over; all classes for a measure of agreement.
    interval: None if none was requested or the method gives none, for example for a perfect score
        or for weighted counts that were saved without the sums of squared weights.
    made: Where the data come from, as fields of the signature: decision rules, clusters.
    effective_n: (Σw)² / Σw², the number of equally weighted items with the same precision; None
        without weights, or if only their sums are known.

    >>> import whichf1 as wf
    >>> score = wf.accuracy([0, 1, 1, 1], [0, 1, 1, 0], interval="wilson")
    >>> score.value, score.n, f"{score.interval:.2f}", 1 - score
    (0.75, 4, '[0.30, 0.95]', 0.25)
    >>> wf.Definition.parse(score.signature)([0, 1, 1, 1], [0, 1, 1, 0]) == score
    True
    """

    definition: Definition
    n: int | float
    classes: Labels
    interval: Interval | None = None
    made: tuple[tuple[str, Any], ...] = ()
    effective_n: float | None = None

    @overload
    def __new__(cls, value: SupportsFloat) -> float: ...  # type: ignore[misc]

    @overload
    def __new__(
        cls,
        value: float,
        definition: Definition,
        n: int | float,
        classes: Labels,
        interval: Interval | None = None,
        made: tuple[tuple[str, Any], ...] = (),
        effective_n: float | None = None,
    ) -> Score: ...

    def __new__(  # type: ignore[misc]
        cls,
        value: Any,
        definition: Definition | None = None,
        n: int | float = 0,
        classes: Labels | None = None,
        interval: Interval | None = None,
        made: tuple[tuple[str, Any], ...] = (),
        effective_n: float | None = None,
    ) -> float:
        """A score; a plain float if only a value is passed, as ``statistics.mean`` does."""
        if definition is None:
            return float(value)
        self = float.__new__(cls, value)
        fields = self.__dict__
        fields["definition"], fields["n"], fields["classes"] = definition, n, classes
        if interval is not None or made or effective_n is not None:
            interval = _attainable(definition, interval, classes)
            fields.update(interval=interval, made=made, effective_n=effective_n)
        if definition.data:
            warn_of_other_data(definition, [self])
        return self

    @property
    def value(self) -> float:
        """The plain float."""
        return float(self)

    @cached_property
    def signature(self) -> str:
        """The definition and the data that it was computed on; enough to run it again."""
        return described(self.definition, self.n, self.classes, self.made)

    def to_dict(self) -> dict[str, Any]:
        """The score for JSON; 'why' is present if the value is not finite."""
        fields = value_fields(self.value, self.interval)
        fields["n"] = self.n
        if self.effective_n is not None:
            fields["effective_n"] = self.effective_n
        return {**fields, "signature": self.signature}

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"a Score cannot be changed: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"a Score cannot be changed: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy it as it is, without another warning about its data."""
        return float.__new__, (Score, self.value), self.__dict__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Score) and self.signature != other.signature:
            return False
        return float.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        if isinstance(other, Score) and self.signature != other.signature:
            return True
        return float.__ne__(self, other)

    __hash__ = float.__hash__

    def __lt__(self, other: float) -> bool:
        return float.__lt__(self, _comparable(self, other))

    def __le__(self, other: float) -> bool:
        return float.__le__(self, _comparable(self, other))

    def __gt__(self, other: float) -> bool:
        return float.__gt__(self, _comparable(self, other))

    def __ge__(self, other: float) -> bool:
        return float.__ge__(self, _comparable(self, other))

    def __format__(self, spec: str) -> str:
        return float.__format__(self, spec) if spec else str(self)

    def __str__(self) -> str:
        return f"{self._shown} ({self.signature}){self._aside}"

    def __repr__(self) -> str:
        return f"<Score {self}>"

    @property
    def _aside(self) -> str:
        """What follows the signature: the effective n and the caution of the interval."""
        worth = "" if self.effective_n is None else f"; effective n {self.effective_n:.6g}"
        caution = f"; {self.interval.caution}" if self.interval and self.interval.caution else ""
        return worth + caution

    @property
    def _shown(self) -> str:
        shown = "undefined" if isnan(self) else f"{self:.4f}"
        return f"{shown} {self.interval:.4f}" if self.interval else shown


_new_float = float.__new__


def plain_score(
    value: float, definition: Definition, n: int, classes: Labels, interval: Interval | None = None
) -> Score:
    """A score of items without weights: as ``Score``, and faster."""
    if definition.data:
        return Score(value, definition, n, classes, interval)
    self = _new_float(Score, value)
    fields = self.__dict__
    fields["definition"], fields["n"], fields["classes"] = definition, n, classes
    if interval is not None:
        fields["interval"] = _attainable(definition, interval, classes)
    return self


def _attainable(
    definition: Definition, interval: Interval | None, classes: Labels | None
) -> Interval | None:
    """The interval without values that the score cannot have with so many classes."""
    bounds = definition.declaration.attainable
    if bounds is None or interval is None or classes is None:
        return interval
    least, most = bounds(len(classes), **definition.arguments)
    if least <= interval.low and interval.high <= most:
        return interval
    return replace(interval, low=max(interval.low, least), high=min(interval.high, most))


def value_fields(value: float, interval: Interval | None) -> dict[str, Any]:
    """A value and its interval for JSON; 'why' is present if the value is not finite."""
    fields: dict[str, Any] = {"value": value}
    if not isfinite(value):
        fields["why"] = "undefined" if isnan(value) else "infinite"
    if interval is not None:
        names = ("low", "high", "level", "method")
        fields["interval"] = {name: getattr(interval, name) for name in names}
        if interval.caution is not None:
            fields["interval"]["caution"] = interval.caution
    return fields


def _comparable(a: Score, b: Any) -> Any:
    """The value that a score is compared with; another score must have the same definition."""
    if not isinstance(b, Score):
        return b
    mean = "classes" in a.definition.applicable or a.definition.average is not None
    same = {*a.classes} == {*b.classes}
    mine, theirs = a.definition, b.definition
    if mean and same:  # however the class set was chosen
        mine, theirs = mine.settled(classes=None), theirs.settled(classes=None)
    if mine != theirs:
        raise DefinitionError(
            f"these scores have different definitions: {difference(mine, theirs)}"
        )
    if mean and not same:
        raise DefinitionError(
            f"these scores are means over different classes: {some(a.classes)} and "
            f"{some(b.classes)}. Declare the same labels= for both."
        )
    return b


_NO_MEAN: dict[str, Any] = {"classes": None, "exclude": (), "two_classes": "both", "data": ()}


@dataclass(frozen=True, eq=False)
class PerClass(Drawable, Mapping[Label, Score]):
    """The score of each class, as a mapping from classes to scores.

    >>> import whichf1 as wf
    >>> recall = wf.recall.per_class(["a", "b", "b"], ["a", "b", "a"])
    >>> {label: score.value for label, score in recall.items()}
    {'a': 1.0, 'b': 0.5}
    """

    array: Array
    definition: Definition
    n: int | float
    labels: Labels
    intervals: tuple[Interval | None, ...]
    made: tuple[tuple[str, Any], ...] = ()
    effective_n: float | None = None

    def __post_init__(self) -> None:
        if self.definition.data:
            warn_of_other_data(self.definition, [self])

    @cached_property
    def signature(self) -> str:
        """The definition of all of them, and what they were computed on."""
        return described(self.definition, self.n, self.labels, self.made)

    @classmethod
    def of(cls, definition: Definition, labels: Labels, each: Sequence[Score]) -> PerClass:
        """The scores of single classes as one result."""
        values, intervals = np.array([x.value for x in each]), tuple(x.interval for x in each)
        first = each[0]
        facts = (first.n, labels, intervals, first.made, first.effective_n)
        return cls(values, definition, *facts)

    def __getitem__(self, label: Label) -> Score:
        at = self.labels.code(label)
        one = replace(self.definition, positive=self.labels[at], **_NO_MEAN)
        value = float(self.array[at])
        facts = (self.intervals[at], self.made, self.effective_n)
        return Score(value, one, self.n, self.labels, *facts)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The values, in the order of the classes; ``iter`` gives the classes themselves."""
        return np.array(self.array, dtype)

    def __repr__(self) -> str:
        shown = ", ".join(f"{x!r}: {self[x].value:.4f}" for x in self.labels[:6])
        return f"<PerClass {{{shown}{', …' if len(self) > 6 else ''}}} ({self.signature})>"


def effective_n(data: Any) -> float | None:
    """The effective number of items of a weighted table; None without weights."""
    return data.effective_n if data.weighted and isfinite(data.effective_n) else None


NO_SQUARES = (
    "no interval, because only the sums of these weights are known, not the sums of their squares. "
    "Count the data again to keep both."
)


def warn_of_other_data(definition: Definition, scores: Iterable[Score | PerClass]) -> None:
    """Warn, once for all scores, if a signature described other classes, weights or clusters."""
    differences: dict[str, str] = {}
    for score in scores if definition.data else ():
        differences = dict(_other_data(definition, score)) | differences
    for what in differences.values():
        warn(OtherDataWarning(f"the signature was {what}"))


def _other_data(definition: Definition, score: Score | PerClass) -> Iterator[tuple[str, str]]:
    said, made = dict(definition.data), dict(score.made)
    classes = score.classes if isinstance(score, Score) else score.labels
    facts = {"k": len(classes), "labels": classes.digest}
    if any(str(said.get(key, value)) != str(value) for key, value in facts.items()):
        k = str(said.get("k", ""))
        of_classes = numbered(int(k), "class") if k.isdecimal() else "other classes"
        yield (
            "classes",
            f"of {of_classes} (labels:{said.get('labels', '–')}), but these "
            f"are {facts['k']} (labels:{facts['labels']}). Declare labels= to score the same ones.",
        )
    if said.get("weighted") and "weighted" not in made:
        yield "weights", "of weighted items, but these have no weights. Pass weights=."
    if "clusters" in said and "clusters" not in made and definition.interval is not None:
        yield (
            "clusters",
            f"of items in {said['clusters']} clusters, but these are treated as independent. "
            "Pass cluster=.",
        )


def difference(a: Definition, b: Definition) -> str:
    """Where two definitions differ, spelled out: 'classes declared / observed'."""
    mine, theirs = ({"metric": x.metric, **dict(x.parameters), **x.fields} for x in (a, b))
    keys = [*mine, *(key for key in theirs if key not in mine)]
    return ", ".join(
        f"{key} {mine.get(key, '–')} / {theirs.get(key, '–')}"
        for key in keys
        if mine.get(key) != theirs.get(key)
    )


def described(
    definition: Definition, n: int | float, labels: Labels, made: tuple[tuple[str, Any], ...] = ()
) -> str:
    """The signature of a definition and of the data that it was computed on."""
    return f"{definition.signature}|{data_signature(n, labels, made)}"


def data_signature(n: int | float, labels: Labels, made: tuple[tuple[str, Any], ...] = ()) -> str:
    """The data alone: how many items, which classes, and their origin."""
    items = str(n) if isinstance(n, int) else f"{n:.12g}"
    return with_data(f"n:{items}|k:{len(labels)}|labels:{labels.digest}", dict(made))
