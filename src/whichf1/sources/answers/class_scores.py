"""A column of scores for each class, which stay where they are: only groups and sums leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.sources.answers.rows import (
    Origin,
    Row,
    cluster_name,
    is_missing,
    labels_of,
    merged,
    one_kind,
)
from whichf1.sources.answers.scores import Scored, joined, report_lacking, slices_of
from whichf1.sources.engines.gather import gather
from whichf1.sources.questions.classes import UNFAIR, Added, Classes
from whichf1.sources.questions.derived import (
    Chosen,
    Decisions,
    Derived,
    Place,
    TopLabels,
    Values,
    complete,
)
from whichf1.sources.questions.lines import (
    KEY,
    Scoring,
)
from whichf1.sources.request import Columns
from whichf1.sources.scores import column_classes
from whichf1.sources.sequences import column
from whichf1.sources.sought import Sought, classes_of_columns
from whichf1.tables.cells import Array
from whichf1.tables.labels import Label, Labels
from whichf1.tables.slices import Key

TOGETHER = 1 << 22
"""Up to so many scores are read at once where they could be read class by class."""


class Sums(NamedTuple):
    """Sums over items of a value v and a weight w, in a line for each cluster, or in one."""

    cluster: Array
    table: Array
    """(lines, sums): n, Σw, Σw², Σwv, Σw²v and Σw²v²."""
    keys: tuple[Key, ...]
    """The slices, in order."""
    slices: Array
    """The place of each line's slice among them."""

    def of_slice(self, at: int) -> Sums:
        """The lines of one slice."""
        places = np.flatnonzero(self.slices == at)
        return Sums(self.cluster[places], self.table[places], (), self.slices[places])


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
        kept = (row for row in rows if not is_missing(row[0]))
        last = complete(columns) if origin.skip else complete(columns) - 1
        values = [row[0] for row in kept if row[1] >= last]
        self.labels, self._places = self._classes(values, columns, origin)
        _refuse_unfair(rows, columns, origin)
        self.columns = columns
        self._filtered = distributions if origin.skip else None
        self._answers: dict[Any, Any] = {}

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
                f"{origin.name}: column {columns.true!r} holds class {outside!r}, which has no "
                f"column of scores: they are of {', '.join(map(repr, declared or ()))}. Name a "
                "column for each class."
            )
        names = column_classes(column(observed, "y_true"), declared, width)
        places = {value: names.code(label) for (_, value), label in meaning.items()}
        return names, [*places.items()]

    def slices(self) -> dict[Key, ClassScores]:
        """Each slice, on the classes of the whole."""
        keys = self.decisions(1, "first").keys
        return {key: _Slice(self, at) for at, key in enumerate(keys)}

    def sums(self, metric: str, parameters: Mapping[str, Any]) -> Sums:
        """The sums of a number of each item, of which a metric is the mean."""
        values = Values(self._places, metric, parameters, 1, self._filtered)
        asked = ("sums", metric, *parameters.items())
        return self._answer(asked, lambda: self._sums(values))  # type: ignore[no-any-return]

    def values(self, metric: str, parameters: Mapping[str, Any]) -> Scored:
        """That number of each item for each system, what is alike as one line."""
        values = Values(self._places, metric, parameters, self._systems, self._filtered)
        asked = ("values", metric, *parameters.items())
        return self._answer(asked, lambda: self._lines(values, apart=True))  # type: ignore[no-any-return]

    def decisions(self, k: int, ties: str) -> Scored:
        """The place of the true class (from 1 on) and that of the predicted one, grouped."""
        decided = Decisions(self._places, k, ties, self._filtered)
        return self._answer(("decisions", k, ties), lambda: self._lines(decided))  # type: ignore[no-any-return]

    def top_labels(self, *, apart: bool) -> Scored:
        """Whether each system's best class is right, and its score, grouped."""
        top = TopLabels(self._places, self._systems, self._filtered)
        return self._answer(("top labels", apart), lambda: self._lines(top, apart))  # type: ignore[no-any-return]

    def joint(self) -> Scored:
        """The scores of each item as they are, what is alike as one line."""
        every = Chosen(self._places, range(len(self.columns.preds)), self._filtered)
        return self._named(self._answer(("joint",), lambda: self._lines(every, apart=True)))

    def column(self, label: Label, *, apart: bool) -> Scored:
        """The scores of one class."""
        return self._named(self._column(self.labels.code(label), apart))

    def of_class(self, at: int) -> tuple[Array, Array, Array | None, Array | None]:
        """The place of the true class, the score, the number and the weight of each line."""
        few = self.n * len(self.labels) <= TOGETHER
        lines, own = (self._together(), at) if few else (self._column(at, False), 0)
        scores = np.ascontiguousarray(lines.scores[:, own])
        return lines.true - 1, scores, lines.items, lines.weights

    def _together(self) -> Scored:
        """All scores, of few items: one pass is quicker than one for each class."""
        every = Chosen(self._places, range(len(self.labels)), self._filtered)
        return self._answer(("together",), lambda: self._lines(every))  # type: ignore[no-any-return]

    def _column(self, at: int, apart: bool) -> Scored:
        if self._filtered is None:
            alone = replace(self.sought, columns=(self.columns.preds[at],))
            asked = (Chosen(self._places, [0]), apart, alone)
        else:  # then the other columns matter, too
            asked = (Chosen(self._places, [at], self._filtered), apart, self.sought)
        return self._answer(("column", at, apart), lambda: self._lines(*asked))  # type: ignore[no-any-return]

    def _answer(self, asked: Any, ask: Callable[[], Any]) -> Any:
        """What was asked; it is kept but for single columns, unless slices will ask again."""
        if asked[0] == "column" and not self.sought.by:
            return ask()
        if asked not in self._answers:
            self._answers[asked] = ask()
        return self._answers[asked]

    def _sums(self, values: Values) -> Sums:
        own = self.sought
        found, _, origin = gather(*self._source, own.wanted, Added(values), **own.reading)
        rows, width = found[KEY], len(own.by)
        if own.cluster is not None:  # 1 and 1.0 are one cluster
            named = ((row, cluster_name(row[width], origin.reading)) for row in rows)
            rows = [(*row[:width], name, *row[width + 1 :]) for row, name in named]
        rows = merged(rows, measures=7)
        cells = np.array([row[width + 1 :] for row in rows], np.float64)
        self._refuse_changed(int(cells[:, 0].sum()), bool(cells[:, 1].any()), origin)
        cluster = np.array([row[width] for row in rows])
        keys, slices = slices_of([row[:width] for row in rows], origin)
        return Sums(cluster, np.delete(cells, 1, 1), keys, slices)

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


class _Slice(ClassScores):
    """One slice: what was asked of the whole, once for all slices."""

    def __init__(self, whole: ClassScores, at: int) -> None:
        self.__dict__.update(whole.__dict__)
        self._whole, self._at = whole, at

    def _answer(self, asked: Any, ask: Callable[[], Any]) -> Any:
        return self._whole._answer(asked, ask).of_slice(self._at)


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
    if not origin.skip:
        lacking.pop(UNFAIR)  # a class without a column is worse, and looked for first
    report_lacking(lacking, total, columns, origin, unlabelled)
    if not n and origin.skip:
        raise ShapeError(f"{origin.name}: no items are left to count")
    return n


def _refuse_unfair(rows: Sequence[Row], columns: Columns, origin: Origin) -> None:
    total = int(sum(row[2] for row in rows))
    unfair = int(sum(row[2] for row in rows if row[1] == complete(columns) - 1))
    if unfair and not origin.skip:
        raise InputError(
            f"{origin.name}: the probabilities are no distribution in {unfair:,} of its {total:,} "
            f"items{origin.where(UNFAIR)}. Each lies in [0, 1], and those of an item add up to 1. "
            "Mend the items."
        )
