"""A column of scores for each class, which stay where they are: only groups and sums leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.labels import Label, Labels
from whichf1.sources.cells import (
    Origin,
    Row,
    cluster_name,
    is_missing,
    labels_of,
    merged,
    one_kind,
)
from whichf1.sources.class_questions import UNFAIR, Added, Classes
from whichf1.sources.columns import Columns
from whichf1.sources.derived import (
    Chosen,
    Decisions,
    Derived,
    Place,
    TopLabels,
    Values,
    complete,
)
from whichf1.sources.gathering import gather
from whichf1.sources.lines import (
    KEY,
    Scoring,
)
from whichf1.sources.score_columns import Scored, joined, report_lacking
from whichf1.sources.scored import column_classes
from whichf1.sources.sequences import column
from whichf1.sources.sought import Sought, classes_of_columns
from whichf1.table import Array

TOGETHER = 1 << 22
"""Up to so many scores are read at once where they could be read class by class."""


class Sums(NamedTuple):
    """Sums over items of a value v and a weight w, in a line for each cluster, or in one."""

    cluster: list[Any]
    w: Array
    ww: Array
    wv: Array
    wwv: Array
    wwvv: Array


class ClassScores:
    """The scores of one system or of several, each with a column for each class."""

    def __init__(self, data: Any, predictions: Any, sought: Sought, *, fair: bool) -> None:
        """``fair``: the scores of an item are a distribution over the classes."""
        self._source, self.sought = (data, predictions), sought
        self._systems = max(1, sought.systems)
        distributions = self._systems if fair else 0
        question = Classes(distributions)
        found, columns, origin = gather(*self._source, sought.wanted, question, **sought.reading)
        rows = merged(found[KEY], measures=1)
        self.n = _report(rows, columns, origin)
        values = [row[0] for row in rows if row[1] == complete(columns) and not is_missing(row[0])]
        self.labels, self._places = self._classes(values, columns, origin)
        self.columns = columns
        self._filtered = distributions if origin.skip else None

    def _classes(
        self, values: list[Any], columns: Columns, origin: Origin
    ) -> tuple[Labels, list[Place]]:
        """The classes in the order of the columns, and where each value stands among them."""
        width, rest = divmod(len(columns.preds), self._systems)
        if rest:
            raise ShapeError("give each system as many columns of scores, one for each class")
        declared = None if self.sought.labels is None else Labels(self.sought.labels)
        (meaning,) = labels_of([(columns.true, values)], origin, declared)
        one_kind([meaning], [columns.true], origin)
        observed = [*dict.fromkeys(meaning.values())]
        if declared is None and not self.sought.systems:
            declared = Labels(classes_of_columns(columns.preds, observed))
        outside = next((x for x in observed if declared is not None and x not in declared), None)
        if outside is not None:
            raise LabelError(
                f"{origin.name}: class {outside!r} has no column of scores among "
                f"{', '.join(columns.preds)}. Name a column for each class."
            )
        names = column_classes(column(observed, "y_true"), declared, width)
        places = {value: names.code(label) for (_, value), label in meaning.items()}
        return names, [*places.items()]

    def sums(self, metric: str, parameters: Mapping[str, Any]) -> Sums:
        """The sums of a number of each item, of which a metric is the mean."""
        values = Values(self._places, metric, parameters, 1, self._filtered)
        own = self.sought
        found, _, origin = gather(*self._source, own.wanted, Added(values), **own.reading)
        rows = found[KEY]
        if own.cluster is not None:  # 1 and 1.0 are one cluster
            rows = [(cluster_name(row[0], origin.reading), *row[1:]) for row in rows]
        rows = merged(rows, measures=len(Sums._fields) + 1)
        clusters, n, lost, *sums = zip(*rows, strict=True)
        self._refuse_changed(sum(map(int, n)), any(lost), origin)
        return Sums([*clusters], *(np.array(each, np.float64) for each in sums))

    def values(self, metric: str, parameters: Mapping[str, Any]) -> Scored:
        """That number of each item for each system, what is alike as one line."""
        own = (metric, parameters, self._systems, self._filtered)
        return self._lines(Values(self._places, *own), apart=True)

    def decisions(self, k: int, ties: str) -> Scored:
        """The place of the true class (from 1 on) and that of the predicted one, grouped."""
        return self._lines(Decisions(self._places, k, ties, self._filtered))

    def top_labels(self, *, apart: bool) -> Scored:
        """Whether each system's best class is right, and its score, grouped."""
        return self._lines(TopLabels(self._places, self._systems, self._filtered), apart)

    def joint(self) -> Scored:
        """The scores of each item as they are, what is alike as one line."""
        every = range(len(self.columns.preds))
        return self._named(self._lines(Chosen(self._places, every, self._filtered), apart=True))

    def column(self, label: Label, *, apart: bool) -> Scored:
        """The scores of one class."""
        return self._named(self._column(self.labels.code(label), apart))

    def of_class(self, at: int) -> tuple[Array, Array, Array | None, Array | None]:
        """The place of the true class, the score, the number and the weight of each line."""
        few = self.n * len(self.labels) <= TOGETHER
        lines, own = (self._together, at) if few else (self._column(at, False), 0)
        scores = np.ascontiguousarray(lines.scores[:, own])
        return lines.true - 1, scores, lines.items, lines.weights

    @cached_property
    def _together(self) -> Scored:
        """All scores, of few items: one pass is quicker than one for each class."""
        return self._lines(Chosen(self._places, range(len(self.labels)), self._filtered))

    def _column(self, at: int, apart: bool) -> Scored:
        if self._filtered is not None:  # then the other columns matter, too
            return self._lines(Chosen(self._places, [at], self._filtered), apart)
        alone = replace(self.sought, columns=(self.columns.preds[at],))
        return self._lines(Chosen(self._places, [0]), apart, alone)

    def _named(self, lines: Scored) -> Scored:
        """With true classes by their labels."""
        at = lines.true - 1
        if self.labels.kind == "str":
            return lines._replace(true=[self.labels[x] for x in at.tolist()])
        return lines._replace(true=np.array(self.labels)[at])

    def _lines(self, derived: Derived, apart: bool = False, sought: Sought | None = None) -> Scored:
        own, question = sought or self.sought, Scoring(apart, derived)
        found, columns, origin = gather(*self._source, own.wanted, question, **own.reading)
        place = np.concatenate([np.asarray(x.true, np.intp) for x in found[KEY]])
        kept = [(x, slice(None)) for x in found[KEY]]
        lines = joined(place, kept, columns, origin, self.labels)
        self._refuse_changed(int(lines.items.sum()), not place.all(), origin)  # type: ignore[union-attr]
        return lines

    def _refuse_changed(self, n: int, unknown: bool, origin: Origin) -> None:
        if n != self.n or unknown:
            raise InputError(
                f"{origin.name} changed while it was read: it had {self.n:,} items, now {n:,}"
                f"{', some of other classes' if unknown else ''}. Score it when it is finished."
            )


def _report(rows: Sequence[Row], columns: Columns, origin: Origin) -> int:
    """How many items lack nothing; the others are refused, or left out with a word."""
    lacking = dict.fromkeys([*columns.used, UNFAIR], 0)
    names, n = [*lacking], 0
    for value, gap, items in rows:
        if is_missing(value):
            lacking[columns.true] += int(items)
        elif gap < complete(columns):
            lacking[names[int(gap)]] += int(items)
        else:
            n += int(items)
    total = n + sum(lacking.values())
    if not total and not origin.skipped:
        raise ShapeError(f"{origin.name} has a header and no items")
    unlabelled = any(is_missing(row[0]) for row in rows)
    unfair = lacking[UNFAIR]
    if unfair and not origin.skip and sum(lacking.values()) == unfair:
        raise InputError(
            f"{origin.name}: the probabilities are no distribution in {unfair:,} of its {total:,} "
            f"items{origin.where(UNFAIR)}. Each lies in [0, 1], and those of an item add up to 1. "
            "Mend the items."
        )
    report_lacking(lacking, total, columns, origin, unlabelled)
    if not n:
        raise ShapeError(f"{origin.name}: no items are left to count")
    return n
