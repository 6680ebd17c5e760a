"""Dialects: what each library means by 'macro F1', as definitions that can be run.

A dialect is data: a line of ``dialects.csv`` holds its signature and the source file that it was
read from. A bare name is what the current version of the library does by default.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from math import inf, isnan, nan
from typing import Any

from whichf1.definitions.definition import PASS_ARRAYS, Definition
from whichf1.definitions.words import because, departures
from whichf1.errors import DefinitionError, WhichF1Error, did_you_mean
from whichf1.scoring.evaluate import run
from whichf1.scoring.score import Score, difference
from whichf1.sources.counts import as_counts
from whichf1.tables.display import Displayed, Drawable
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass

SAME = 1e-5
"""Values this close count as equal: float32 and small epsilons stay within it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one library prints as macro F1."""

    name: str
    library: str
    versions: str
    """The versions that compute it this way."""
    file: str
    """The file in the library's source that computes it."""
    note: str
    """What to know about it."""
    definition: Definition
    two_only: bool = False
    """Whether the library accepts exactly two classes."""

    @property
    def signature(self) -> str:
        """The signature of its definition."""
        return self.definition.signature

    @property
    def citation(self) -> str:
        """Library, versions and file, to cite."""
        return f"{self.library} {self.versions} ({self.file})"

    def definition_for(self, labels: Labels, **changes: Any) -> Definition:
        """The definition for data with these classes, with further options such as batch=64.

        A class that the library excludes by name, such as 'O', is excluded only if it exists.
        """
        if self.two_only and len(labels) != 2:
            raise DefinitionError(f"{self.library} needs two classes; the data have {len(labels)}")
        for option in changes:
            if option not in Definition.__dataclass_fields__:
                hint = did_you_mean(option, Definition.__dataclass_fields__)
                raise DefinitionError(f"{self.name} has no option {option!r}. {hint}")
        if not changes and not self.definition.exclude:
            return self.definition
        existing = tuple(label for label in self.definition.exclude if label in labels)
        return replace(self.definition, **{"exclude": existing, **changes})

    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        *,
        labels: Any = None,
        weights: Any = None,
        frequencies: Any = None,
        **changes: Any,
    ) -> Score:
        """The Score that the library would print for Counts, or for y_true and y_pred."""
        times = {} if frequencies is None else {"frequencies": frequencies}
        counts = as_counts(y_true, y_pred, labels=labels, weights=weights, **times)
        definition = self.definition_for(counts.labels, **changes)
        if definition.batch is None:
            return run(definition, counts)
        return run(definition, y_true, y_pred, labels, weights, **times)


@dataclass(frozen=True)
class Group:
    """Dialects that give the same value on the same predictions."""

    scores: Mapping[str, Score]
    """The Score of each dialect, by name."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the dialects."""
        return tuple(self.scores)

    @property
    def plainest(self) -> Score:
        """The score whose definition differs least from the usual macro F1."""
        return min(self.scores.values(), key=lambda score: len(departures(score.definition)))

    @property
    def value(self) -> float:
        """The value of the plainest; NaN if the libraries print none."""
        return self.plainest.value

    @property
    def why(self) -> str:
        """How their definition differs from the usual macro F1; that of the plainest, with its
        name, if they have several.
        """
        reason = because(self.plainest.definition)
        if len({because(score.definition) for score in self.scores.values()}) == 1:
            return reason
        name = next(name for name, score in self.scores.items() if score is self.plainest)
        return f"For example, {name}: {reason[0].lower()}{reason[1:]}"


@dataclass(frozen=True)
class DialectTable(Drawable):
    """What every library would print for the same predictions."""

    groups: tuple[Group, ...]
    """From the largest value to the smallest; undefined last."""
    absent: Mapping[str, str]
    """Dialects that do not apply to these data, with the reason."""

    @property
    def distinct(self) -> int:
        """How many different numbers the libraries print."""
        return sum(not isnan(group.value) for group in self.groups)

    @property
    def spread(self) -> float:
        """The largest value minus the smallest."""
        values = [group.value for group in self.groups if not isnan(group.value)]
        return max(values) - min(values) if values else nan


@dataclass(frozen=True)
class Conversion(Displayed):
    """The same predictions scored in two dialects."""

    source: Score
    target: Score

    @property
    def difference(self) -> str:
        """Where the two definitions differ."""
        fields = difference(self.source.definition, self.target.definition)
        return fields or "nothing: both are the same definition"


class Dialects(dict[str, Dialect]):
    """All known dialects by name: ``dialects["keras"](counts)``."""

    def __missing__(self, name: str) -> Dialect:
        raise DefinitionError(
            f"there is no dialect {name!r}. {did_you_mean(str(name).lower(), self)}"
        )

    def __repr__(self) -> str:
        return f"<whichf1 dialects: {', '.join(self)}>"

    def table(self, y_true: Any, y_pred: Any = None, *, labels: Any = None) -> DialectTable:
        """The value of every dialect on the same predictions, grouped by equal value."""
        counts = as_counts(y_true, y_pred, labels=labels)
        scores, absent = {}, {}
        for name, dialect in self.items():
            try:
                data = (counts,) if dialect.definition.batch is None else (y_true, y_pred)
                scores[name] = dialect(*data, labels=labels)
            except WhichF1Error as error:
                absent[name] = str(error).removesuffix(PASS_ARRAYS)
        return DialectTable(_grouped(scores), absent)

    def convert(
        self, y_true: Any, y_pred: Any = None, *, source: str, target: str, labels: Any = None
    ) -> Conversion:
        """Score the same predictions in two dialects, each given by name or by signature."""
        for each in (source, target):
            if not isinstance(each, str):
                raise DefinitionError(f"a dialect must be a name or a signature; got {each!r}")
        chosen = [Definition.parse(x) if "|" in x else self[x] for x in (source, target)]
        return Conversion(*(each(y_true, y_pred, labels=labels) for each in chosen))


def _grouped(scores: Mapping[str, Score]) -> tuple[Group, ...]:
    ordered = sorted(scores.items(), key=lambda pair: (isnan(pair[1].value), -pair[1].value))
    groups: list[dict[str, Score]] = []
    first = inf
    for name, score in ordered:
        if not (abs(first - score.value) <= SAME or (isnan(first) and isnan(score.value))):
            groups.append({})
            first = score.value
        groups[-1][name] = score
    return tuple(map(Group, groups))


def _read() -> Iterator[Dialect]:
    text = files("whichf1.published").joinpath("dialects.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        definition, two_only = Definition.parse(row.pop("signature")), row.pop("two_only") == "yes"
        yield Dialect(**row, definition=definition, two_only=two_only)


dialects = Dialects((dialect.name, dialect) for dialect in _read())
"""Every known dialect by name."""
