"""Score: a number that says what it is; and the functions that give one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from whichf1.class_sets import Frozen
from whichf1.counts import Counts
from whichf1.definition import Definition
from whichf1.errors import DefinitionError, OtherDataWarning
from whichf1.fitting import refuse_other_data
from whichf1.intervals import Interval
from whichf1.joint import ClusteredCounts, Joint
from whichf1.labels import Label, Labels
from whichf1.metrics import COUNTED, find
from whichf1.signature import with_data
from whichf1.sources import as_counts, has_columns, is_path
from whichf1.sources.arrays import count_margins
from whichf1.table import Array, Margins, every_class
from whichf1.uncertainty import estimate


@dataclass(frozen=True, eq=False, init=False)
class Score:
    """A value with its definition, the size of the data, and an interval if one was asked for."""

    value: float
    """NaN where the score is undefined: with 'nan', or with nothing left to average."""
    definition: Definition
    n: int | float
    """Items scored, or the sum of their weights."""
    classes: Labels
    """The classes averaged over; for a measure of agreement, all."""
    interval: Interval | None = None
    """None where none was asked for, or where the method has none (a perfect score, say)."""
    made: tuple[tuple[str, Any], ...] = ()
    """How the data were made, as fields of the signature: the decision rule, clusters of items."""

    def __init__(
        self,
        value: float,
        definition: Definition,
        n: int | float,
        classes: Labels,
        interval: Interval | None = None,
        made: tuple[tuple[str, Any], ...] = (),
    ) -> None:
        self.__dict__.update(  # at once, which is quicker than field by field
            value=value, definition=definition, n=n, classes=classes, interval=interval, made=made
        )
        if definition.data:
            warn_of_other_data(definition, classes, dict(made))

    @cached_property
    def signature(self) -> str:
        """The definition and what it was computed on: enough to run it again."""
        return described(self.definition, self.n, self.classes, self.made)

    def __float__(self) -> float:
        return self.value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Score):
            return (self.value, self.signature) == (other.value, other.signature)
        return self.value == other if isinstance(other, (int, float, np.number)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: object) -> bool:
        return self.value < self._comparable(other)

    def __le__(self, other: object) -> bool:
        return self.value <= self._comparable(other)

    def __gt__(self, other: object) -> bool:
        return self.value > self._comparable(other)

    def __ge__(self, other: object) -> bool:
        return self.value >= self._comparable(other)

    def _comparable(self, other: Any) -> float:
        if isinstance(other, Score) and other.definition != self.definition:
            raise DefinitionError(
                "these scores are not the same thing: "
                f"{difference(self.definition, other.definition)}. Compare like with like."
            )
        return float(other)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __str__(self) -> str:
        shown = "undefined" if np.isnan(self.value) else f"{self.value:.4f}"
        interval = f" {self.interval:.4f}" if self.interval else ""
        return f"{shown}{interval} ({self.signature})"

    def __repr__(self) -> str:
        return f"<Score {self}>"


@dataclass(frozen=True, eq=False)
class PerClass(Mapping[Label, Score]):
    """The score of each class."""

    array: Array
    definition: Definition
    n: int | float
    labels: Labels
    intervals: tuple[Interval | None, ...]
    made: tuple[tuple[str, Any], ...] = ()

    @cached_property
    def signature(self) -> str:
        """What all of them are."""
        return described(self.definition, self.n, self.labels, self.made)

    def __getitem__(self, label: Label) -> Score:
        at = self.labels.code(label)
        one = Definition(
            metric=self.definition.metric,
            parameters=self.definition.parameters,
            positive=self.labels[at],
            ignore=self.definition.ignore,
            undefined=self.definition.undefined,
            scope=self.definition.scope,
            epsilon=self.definition.epsilon,
            epsilon_in=self.definition.epsilon_in,
            interval=self.definition.interval,
        )
        value = float(self.array[at])
        return Score(value, one, self.n, self.labels, self.intervals[at], self.made)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        shown = ", ".join(f"{x!r}: {self[x].value:.4f}" for x in self.labels[:6])
        return f"<PerClass {{{shown}{', …' if len(self) > 6 else ''}}} ({self.signature})>"


def warn_of_other_data(definition: Definition, classes: Labels, made: dict[str, Any]) -> None:
    """Warn where a signature was of other classes, or of weights or clusters that are not given."""
    said = dict(definition.data)
    own = {"k": len(classes), "labels": classes.digest}
    if any(str(said.get(key, value)) != str(value) for key, value in own.items()):
        _warn(
            f"of {said.get('k', 'other')} classes (labels:{said.get('labels', '–')}), and these "
            f"are {own['k']} (labels:{own['labels']}). Declare labels= to score the same ones."
        )
    if said.get("weighted") and "weighted" not in made:
        _warn("of weighted items, and these have no weights. Give weights=.")
    if "clusters" in said and "clusters" not in made and definition.interval is not None:
        _warn(
            f"of items in {said['clusters']} clusters, and these are taken for independent. "
            "Give cluster=."
        )


def _warn(what: str) -> None:
    warnings.warn(f"the signature was {what}", OtherDataWarning, stacklevel=4)


def difference(a: Definition, b: Definition) -> str:
    """Where two definitions differ, spelled out: 'classes declared / observed'."""
    mine, theirs = ({"metric": x.metric, **dict(x.parameters), **x.fields} for x in (a, b))
    keys = [*mine, *(key for key in theirs if key not in mine)]
    return ", ".join(
        f"{key} {mine.get(key, '–')} / {theirs.get(key, '–')}"
        for key in keys
        if mine.get(key) != theirs.get(key)
    )


def run(
    definition: Definition,
    y_true: Any,
    y_pred: Any = None,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    **named: Any,
) -> Score:
    """Run a definition on what it is computed from: counts or predictions, scores, labels.

    ``named`` are the columns of a dataframe or file, and how it is read.
    """
    alone = labels is None and weights is None and cluster is None and not named
    if alone and definition.needs_margins_only:
        found = count_margins(y_true, y_pred)
        if found is not None:
            return _of_margins(definition, len(y_true), *found)
    kind = find(definition.metric).kind
    sets = y_pred is not None and (kind == "items" or definition.average == "samples")
    scored = kind not in COUNTED and kind != "items"
    if scored:
        from whichf1.scoring import evaluate_scores

        if named or (has_columns(y_true) and (y_pred is None or is_path(y_true))):
            from whichf1.column_scoring import evaluate_columns

            own = {"labels": labels, "weights": weights, "cluster": cluster, **named}
            return evaluate_columns(definition, y_true, y_pred, **own)
        return evaluate_scores(definition, y_true, y_pred, labels, weights, cluster)
    if "score" in named:
        raise DefinitionError(
            f"{definition.metric} is computed from predictions: name their column with pred=, or "
            "decide with at_threshold(rank(...), threshold=...)"
        )
    if sets and not named and not is_path(y_true):
        from whichf1.sources.multilabel import count_multilabel

        data = {"labels": labels, "weights": weights, "cluster": cluster}
        counted: Any = count_multilabel(y_true, y_pred, **data)
        return evaluate(definition, counted)
    if definition.batch is None or isinstance(y_true, Counts):
        counts = as_counts(y_true, y_pred, labels, weights, cluster, **named)
        return evaluate(definition, counts)
    from whichf1.batches import evaluate_batches

    if weights is not None or cluster is not None or named:
        raise DefinitionError(
            "a mean over batches takes no weights, no clusters and no columns: give arrays"
        )
    return evaluate_batches(definition, y_true, y_pred, labels)


def _of_margins(definition: Definition, n: int, labels: Labels, margins: Margins) -> Score:
    table: Any = margins  # all that the formula of a rate looks at
    frozen = Frozen(table, every_class(len(labels)), labels)
    return Score(float(definition.values(frozen)), definition, n, labels)


def evaluate(definition: Definition, counts: Counts) -> Score:
    """Run a definition on counts."""
    metric = find(definition.metric)
    refuse_other_data(definition, counts)
    if metric.kind == "rate" and definition.average is None and definition.positive is None:
        raise DefinitionError(
            f"{metric.name} of which class? Pass positive=CLASS, average='macro', 'weighted' or "
            f"'micro', or call {metric.name}.per_class for all of them."
        )
    frozen = frozen_on(definition, counts)
    values, intervals = _estimate(definition, frozen, counts)
    value, n = float(values[0]), _items(frozen, counts)
    return Score(value, definition, n, frozen.labels, intervals[0], _made(counts))


def evaluate_per_class(definition: Definition, counts: Counts) -> PerClass:
    """Run a definition on every class of its class set."""
    frozen = frozen_on(definition, counts)
    values, intervals = _estimate(definition, frozen, counts)
    n, made = _items(frozen, counts), _made(counts)
    return PerClass(values, definition, n, frozen.labels, tuple(intervals), made)


def _estimate(
    definition: Definition, frozen: Frozen, counts: Counts
) -> tuple[Array, list[Interval | None]]:
    """Values and intervals; none where weights were added up without their squares."""
    if counts.weighted and getattr(counts, "squares", None) is None:
        definition = replace(definition, interval=None)
    return estimate(definition, frozen)


def frozen_on(definition: Definition, counts: Counts, joint: Joint | None = None) -> Frozen:
    """The class set is fixed on the counts; the cells are those of the clusters or of ``joint``."""
    frozen = definition.freeze(counts)
    if joint is None and isinstance(counts, ClusteredCounts):
        joint = counts.joint
    if joint is not None:
        fine = joint.without(definition.ignore).table(0, frozen.table.classes)
        frozen = frozen._replace(table=fine)
    if definition.positive is not None:
        frozen = frozen._replace(classes=counts.labels.codes([definition.positive]))
    return frozen


def _items(frozen: Frozen, counts: Counts) -> int | float:
    if frozen.table is counts.table:
        return counts.n  # exact, also beyond 2⁵³
    n = float(frozen.table.total)
    return n if counts.weighted else int(n)


def described(
    definition: Definition, n: int | float, labels: Labels, made: tuple[tuple[str, Any], ...] = ()
) -> str:
    """The signature of a definition and of the data that it was computed on."""
    data = f"n:{_number(n)}|k:{len(labels)}|labels:{labels.digest}"
    return with_data(f"{definition.signature}|{data}", dict(made))


def _number(n: int | float) -> str:
    return str(n) if isinstance(n, int) else f"{n:.12g}"


def _made(counts: Counts) -> tuple[tuple[str, Any], ...]:
    known = counts.joint if isinstance(counts, ClusteredCounts) else counts
    clusters = getattr(known, "clusters", None)
    if clusters is None and counts.decision is None and not counts.weighted:
        return ()
    weighted = counts.weighted or None
    made = {"decision": counts.decision, "weighted": weighted, "clusters": clusters}
    return tuple((key, value) for key, value in made.items() if value is not None)
