"""Columns of true classes and scores → scored lines, grouped where the data is.

A single column is read as it is. With a column for each class, only groups and sums leave the
engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, LabelError, ShapeError, numbered
from whichf1.sources.answers.label_sets import keys_of_cells
from whichf1.sources.answers.rows import (
    cluster_name,
    labels_of,
    one_kind,
    report_lacking,
    slice_key,
)
from whichf1.sources.engines.remote import copied_once
from whichf1.sources.lines import BY_LINE, ScoredLines, column_classes, positive_class
from whichf1.sources.questions import derived
from whichf1.sources.questions.grouped import KEY, Scoring, merged
from whichf1.sources.request import Origin, Request, Row, classes_of_columns
from whichf1.sources.sequences import column, is_missing
from whichf1.tables.cells import Array
from whichf1.tables.labels import Label, Labels
from whichf1.tables.slices import Key, order
from whichf1.tables.units import refuse_sum

UNFAIR = ("distribution", "")
"""What is wrong with an item whose probabilities are not a distribution over the classes."""
TOGETHER = 1 << 22
"""Up to this many scores are read at once, even if they could be read class by class."""
LISTED = 1 << 25
"""Up to this many scores of a file are read item by item; of more, only what is different."""


def read_scores(
    data: Any, predictions: Any, request: Request, *, apart: bool = False, fair: bool = False
) -> ScoredLines:
    """The true classes and the scores in the columns of a frame or file.

    They are grouped where the data is: items that are alike come as one line, except from a frame
    in memory. Weights are summed unless items are kept ``apart``. ``fair``: each item must
    have a distribution over the classes.
    """
    if request.bits or request.sep is not None:
        return _read_labels(data, predictions, request, apart)
    parts, columns, origin = Scoring(apart).gather(data, predictions, request)
    lines = _scored(parts[KEY], columns, origin)
    if fair:
        _refuse_unfair_rows(lines.scores, origin)
    if request.several and request.labels is None:
        lines = lines._replace(labels=classes_of_columns(columns.preds, lines.true))
    return lines if len(columns.preds) > 1 else lines._replace(scores=lines.scores[:, 0])


def _read_labels(data: Any, predictions: Any, request: Request, apart: bool) -> ScoredLines:
    """The labels and scores of items with sets of labels."""
    if request.sep is not None:
        parts, columns, origin = Scoring(apart).gather(data, predictions, request)
        lines = _together(parts[KEY])
        if origin.reading_of(columns.true) == "text":  # an empty cell is one without labels
            lines = lines._replace(true=["" if x is None else x for x in lines.true])
        lines = _named(_complete(lines, columns, origin), columns, origin)
        (keys,), names = keys_of_cells(
            [lines.true], [columns.true], origin, request.labels, request.sep
        )
        true = np.zeros((len(lines.scores), len(names)), np.bool_)
        true.ravel()[keys] = True
        return lines._replace(true=true, labels=names, sets=True)
    if predictions is not None:
        raise InputError("columns of 0 and 1 for each label must be in one file or frame")
    alone = replace(request, labels=None)  # the names of the columns, not their values
    parts, columns, origin = Scoring(apart).gather(data, None, alone)
    lines, width = _complete(_together(parts[KEY]), columns, origin), len(request.bits)
    lines = _named(lines, columns, origin)
    bits = lines.scores[:, :width]
    wrong = np.argwhere((bits != 0) & (bits != 1))
    if len(wrong):
        row, at = wrong[0].tolist()
        raise InputError(
            f"{origin.name}: column {request.bits[at]!r} holds {bits[row, at]:g}: a column for "
            "each label holds 0 and 1."
        )
    scores = np.ascontiguousarray(lines.scores[:, width:])
    return lines._replace(true=bits == 1, scores=scores, labels=request.labels, sets=True)


def _refuse_unfair_rows(scores: Array, origin: Origin) -> None:
    at = kernel.first_bad_row(scores)
    if at < len(scores):
        shown = ", ".join(f"{x:g}" for x in scores[at, :8])
        raise InputError(
            f"{origin.name}, item {at + 1:,}: the probabilities {shown} are not a distribution. "
            f"Each must be in [0, 1], and they must sum to 1; these sum to {scores[at].sum():g}."
        )


def _scored(parts: Sequence[ScoredLines], columns: Request, origin: Origin) -> ScoredLines:
    lines = _complete(_together(parts), columns, origin)
    lines = lines._replace(true=_labels(lines.true, columns, origin), labels=columns.labels)
    return _named(lines, columns, origin)


def _together(parts: Sequence[ScoredLines]) -> ScoredLines:
    """The lines of several parts as one."""
    if len(parts) == 1:
        return parts[0]
    by = [_chained(values) for values in zip(*(lines.by for lines in parts), strict=True)]
    fields = {name: _chained([getattr(x, name) for x in parts]) for name in (*BY_LINE, "bad")}
    return ScoredLines(**fields, by=by, ordered=all(lines.ordered for lines in parts))


def _chained(parts: Sequence[Any]) -> Any:
    if parts[0] is None:
        return None
    kinds = {x.dtype.kind if isinstance(x, np.ndarray) else None for x in parts}
    if len(kinds) == 1 and None not in kinds:
        return np.concatenate(parts)
    return [value for part in parts for value in part]


def _named(lines: ScoredLines, columns: Request, origin: Origin) -> ScoredLines:
    """The lines with the names of their clusters and slices."""
    if columns.cluster is not None:
        cluster = [cluster_name(cell, origin.reading) for cell in lines.cluster]
        lines = lines._replace(cluster=cluster)
    if not columns.by:
        return lines
    keys, slices = slices_of([*zip(*lines.by, strict=True)], origin)
    return lines._replace(keys=keys, slices=slices, by=())


def slices_of(values: Sequence[Sequence[Any]], origin: Origin) -> tuple[tuple[Key, ...], Array]:
    """The slices in order, and the index of each line's slice."""
    key_of_line = [slice_key(each, origin.reading) for each in values]
    keys = tuple(key for key, _ in sorted(dict.fromkeys(key_of_line).items(), key=order))
    place = {key: at for at, key in enumerate(keys)}
    return keys, np.array([place[key] for key in key_of_line], np.intp)


def _complete(lines: ScoredLines, columns: Request, origin: Origin) -> ScoredLines:
    """The complete lines; the others are refused or skipped."""
    n = np.ones(len(lines.scores), np.int64) if lines.items is None else lines.items
    keep = np.ones(len(n), np.bool_)
    lacking = {}
    for gap, bad in _gaps(lines, columns).items():
        lacking[gap] = int(n[keep & bad].sum())  # an item that lacks several values counts once
        keep &= ~bad
    if columns.weights is not None:
        wrong = _bad_weights(lines, n, columns.whole)
        lacking["weight", columns.weights] = int(wrong[keep].sum())
        keep &= wrong < n
    total = int(n.sum())
    if origin.skip or any(lacking.values()):
        report_lacking(lacking, total, origin, _first(lines, columns))
    kept = np.flatnonzero(keep)
    origin.refuse_empty(total, len(kept))
    lines = lines if len(kept) == len(keep) else lines.at(kept)
    return lines.frequent(lines.weights) if columns.whole else lines


def _gaps(lines: ScoredLines, columns: Request) -> dict[tuple[str, str], Array]:
    """What lines may lack, and which lines lack it."""
    gaps = {} if columns.alone else {("label", columns.true): _missing(lines.true)}
    for name, bad in zip(columns.preds, ~np.isfinite(lines.scores).T, strict=True):
        gaps["finite number", name] = bad
    if columns.cluster is not None:
        gaps["cluster", columns.cluster] = _missing(lines.cluster)
    return gaps


def _missing(values: Any) -> Array:
    """Where a value is missing."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind in "iub"
    if whole or (set(map(type, values)) == {str}):
        return np.zeros(len(values), np.bool_)
    return np.fromiter((is_missing(value) for value in values), np.bool_, len(values))


def _bad_weights(lines: ScoredLines, n: Array, whole: bool) -> Array:
    """How many items of each line lack a valid weight."""
    if lines.bad is not None:
        return lines.bad.astype(np.int64)
    with np.errstate(invalid="ignore"):
        good = np.isfinite(lines.weights) & (lines.weights >= 0)
        if whole:
            good &= np.rint(lines.weights) == lines.weights
        bad: Array = n * ~good
    return bad


def _first(lines: ScoredLines, columns: Request) -> Callable[[str], str]:
    """The position of the first bad score of a column, for items in order."""

    def first(name: str) -> str:
        if not lines.ordered:
            return ""
        scores = lines.scores[:, columns.preds.index(name)]
        at = int(np.argmin(np.isfinite(scores)))
        return f"; the first is row {at} ({scores[at]})"

    return first


def _labels(values: Any, columns: Request, origin: Origin) -> Any:
    """The class of each line."""
    if columns.alone:
        return values
    how = origin.reading_of(columns.true)
    if how == "typed" and isinstance(values, np.ndarray) and values.dtype.kind in "iub":
        return values
    texts = set(map(type, values)) == {str}
    distinct = set(values) if texts else values  # 1, 1.0 and True are equal to a set
    (meaning,) = labels_of([(columns.true, how, distinct)], origin, columns.labels)
    one_kind([meaning], [columns.true], origin)
    if texts:
        label = {value: label for (_, value), label in meaning.items()}
        return [label[value] for value in values]
    return [meaning[type(value), value] for value in values]


class EngineSums(NamedTuple):
    """Sums over items of a value v and a weight w, in a line for each cluster, or in one."""

    cluster: Array
    table: Array
    """(lines, sums): n, Σw, Σw², Σwv, Σw²v and Σw²v²."""
    keys: tuple[Key, ...]
    """The slices, in order."""
    slices: Array
    """The index of each line's slice."""
    unit: int
    """The exponent of the unit of the weights."""

    def of_slice(self, at: int) -> EngineSums:
        """The lines of one slice."""
        places = np.flatnonzero(self.slices == at)
        return self._replace(
            cluster=self.cluster[places],
            table=self.table[places],
            keys=(),
            slices=self.slices[places],
        )

    def weight(self, sums: Any, power: int = 1) -> Any:
        """Sums of weights, or of powers of them, in their original unit."""
        return np.ldexp(sums, power * self.unit)


class ClassScores:
    """The scores of one system or of several, each with a column for each class."""

    sets = False  # items have one class each

    def __init__(self, data: Any, predictions: Any, request: Request, *, fair: bool) -> None:
        """``fair``: the scores of an item must be a distribution over the classes."""
        self._source = (
            copied_once(data, request.reading),
            copied_once(predictions, request.reading),
        )
        self.request = request
        self.weights, self.cluster = None if request.whole else request.weights, request.cluster
        self._systems = max(1, request.systems)
        distributions = self._systems if fair else 0
        parts, columns, origin = derived.Classes(distributions).gather(*self._source, request)
        rows = merged(parts[KEY], measures=2)
        self._rows = _report(rows, columns, origin)
        last = derived.complete(columns) if origin.skip else derived.complete(columns) - 1
        kept = [row for row in rows if not is_missing(row[0]) and row[1] >= last]
        self.n = int(sum(row[4] for row in kept))
        self._unit = max((int(row[2]) for row in kept), default=0)
        values = [row[0] for row in kept if row[4] > 0]
        self.labels, self._places = self._classes(values, columns, origin)
        _refuse_unfair(rows, columns, origin)
        self.columns = columns
        self._filtered = distributions if origin.skip else None
        self._answers: dict[Any, Any] = {}

    def _classes(
        self, values: list[Any], columns: Request, origin: Origin
    ) -> tuple[Labels, list[derived.Place]]:
        """The classes in the order of the columns, and the index of each value."""
        width, rest = divmod(len(columns.preds), self._systems)
        if rest:
            raise ShapeError(
                "every system needs the same number of columns of scores, one for each class"
            )
        declared = None if self.request.labels is None else Labels(self.request.labels)
        side = (columns.true, origin.reading_of(columns.true), values)
        (meaning,) = labels_of([side], origin, declared)
        one_kind([meaning], [columns.true], origin)
        observed = [*dict.fromkeys(meaning.values())]
        if declared is None and not self.request.systems:
            declared = Labels(classes_of_columns(columns.preds, observed))
        outside = next((x for x in observed if declared is not None and x not in declared), None)
        if outside is not None:
            raise LabelError(
                f"{origin.name}: column {columns.true!r} holds class {outside!r}, which has no "
                f"column of scores; the columns are for {', '.join(map(repr, declared or ()))}. "
                f"Name the column of each class: score={{{outside!r}: COLUMN, …}} "
                f"(--probs {outside}=COLUMN,…)."
            )
        names = column_classes(column(observed, "y_true"), declared, width)
        places = {value: names.code(label) for (_, value), label in meaning.items()}
        return names, [*places.items()]

    @property
    def width(self) -> int:
        """How many columns of scores a system has."""
        return len(self.labels)

    def slices(self) -> dict[Key, ClassScores]:
        """Each slice, on the classes of the whole."""
        keys = self.decisions(1, "first").keys
        return {key: _Slice(self, at) for at, key in enumerate(keys)}

    def sums(self, each: Callable[[Any], Any], name: str) -> EngineSums:
        """The sums of a number of each item; the metric of that name is its mean."""
        values = derived.Values(self._places, 1, self._filtered, each=each)
        return self._answer(("sums", name), lambda: self._sums(values))  # type: ignore[no-any-return]

    def values(
        self, each: Callable[[Any], Any], name: str, *, by_class: bool = False
    ) -> ScoredLines:
        """That number of each item for each system, grouped; on request, with the true class."""
        kind = derived.ClassValues if by_class else derived.Values
        values = kind(self._places, self._systems, self._filtered, each=each)
        lines = self._lines(("values", name, by_class), values, apart=True)
        return self._coded(lines) if by_class else lines

    def decisions(self, k: int, ties: str) -> ScoredLines:
        """The code of the true class, and that of the predicted one as the score, grouped."""
        decided = derived.Decisions(self._places, 1, self._filtered, k=k, ties=ties)
        lines = self._coded(self._lines(("decisions", k, ties), decided))
        return lines._replace(scores=_one(lines))

    def top_labels(self, apart: bool = False) -> ScoredLines:
        """Whether the best class is right, with its score, grouped; for systems side by side."""
        top = derived.TopLabels(self._places, self._systems, self._filtered)
        lines = self._lines(("top labels", apart), top, apart)
        if self._systems > 1:
            return lines
        return lines._replace(true=lines.scores[:, 0] > 0, scores=_one(lines, 1))

    def coded(self, *, fair: bool) -> ScoredLines:
        """The code of the true class with all scores, grouped."""
        every = self._chosen(range(len(self.columns.preds)))
        return self._coded(self._lines(("joint",), every, apart=True))

    def against_rest(self, positive: Any, apart: bool = False) -> tuple[ScoredLines, Label]:
        """Whether each line is of the positive class, with its score; and that class."""
        label = positive_class(self.labels, positive)
        at = self.labels.code(label)
        lines = self._coded(self._column(at, apart))
        return lines._replace(true=lines.true == at, scores=_one(lines)), label

    def by_class(self) -> tuple[Callable[[int], ScoredLines], Labels]:
        """The lines as each class ranks them, by its code; and the classes."""

        def of_class(at: int) -> ScoredLines:
            few = self.n * len(self.labels) <= TOGETHER
            lines, place = (self._together(), at) if few else (self._column(at, False), 0)
            return self._coded(lines)._replace(scores=_one(lines, place))

        return of_class, self.labels

    def _together(self) -> ScoredLines:
        """All scores, for few items: one pass is faster than one for each class."""
        every = self._chosen(range(len(self.labels)))
        return self._lines(("together",), every)

    def _column(self, at: int, apart: bool) -> ScoredLines:
        if self._filtered is None:
            alone = replace(self.request, preds=(self.columns.preds[at],))
            return self._lines(("column", at, apart), self._chosen([0]), apart, alone)
        # the other columns matter too
        return self._lines(("column", at, apart), self._chosen([at]), apart)

    def _chosen(self, chosen: Sequence[int]) -> derived.Chosen:
        return derived.Chosen(self._places, filtered=self._filtered, chosen=chosen)

    def _coded(self, lines: ScoredLines) -> ScoredLines:
        """Positions from 1 on as codes from 0 on."""
        return lines._replace(true=lines.true - 1)

    def _answer(self, asked: Any, ask: Callable[[], Any]) -> Any:
        """The answer; single columns are not kept, unless slices will ask again."""
        if asked[0] == "column" and not self.request.by:
            return ask()
        if asked not in self._answers:
            self._answers[asked] = ask()
        return self._answers[asked]

    def _lines(
        self, asked: Any, of: derived.Systems, apart: bool = False, request: Request | None = None
    ) -> ScoredLines:
        """The lines of derived columns, asked for once."""
        plain = not (self.request.weights or self.request.by or self.request.cluster)
        few = isinstance(of, derived.Chosen) and self.n * len(of.chosen) <= LISTED
        question = Scoring(apart, of, listed=plain and few)
        return self._answer(asked, lambda: self._read(question, request or self.request))  # type: ignore[no-any-return]

    def _read(self, question: Scoring, request: Request) -> ScoredLines:
        parts, columns, origin = question.gather(*self._source, request)
        lines = _named(_together(parts[KEY])._replace(labels=self.labels), columns, origin)
        place = np.asarray(lines.true, np.intp)
        n = len(place) if lines.items is None else int(lines.items.sum())
        self._refuse_changed(n, not place.all(), origin)
        lines = lines._replace(true=place)
        return lines.frequent(lines.weights) if request.whole else lines

    def _sums(self, values: derived.Values) -> EngineSums:
        parts, _, origin = derived.Added(values, self._unit).gather(*self._source, self.request)
        rows, width = parts[KEY], len(self.request.by)
        if self.request.cluster is not None:  # 1 and 1.0 are one cluster
            named = ((row, cluster_name(row[width], origin.reading)) for row in rows)
            rows = [(*row[:width], name, *row[width + 1 :]) for row, name in named]
        rows = merged(rows, measures=7)
        cells = np.array([row[width + 1 :] for row in rows], np.float64)
        self._refuse_changed(int(cells[:, 0].sum()), bool(cells[:, 1].any()), origin)
        if self.request.whole:
            cells[:, 0] = cells[:, 2]
        cluster = np.array([row[width] for row in rows])
        keys, slices = slices_of([row[:width] for row in rows], origin)
        sums = EngineSums(cluster, np.delete(cells, 1, 1), keys, slices, self._unit)
        with np.errstate(over="ignore"):
            refuse_sum(sums.weight(sums.table[:, 1]))
        return sums

    def _refuse_changed(self, n: int, unknown: bool, origin: Origin) -> None:
        if n != self._rows or unknown:
            raise InputError(
                f"{origin.name} changed while it was read: it had "
                f"{numbered(self._rows, 'item')}, now {n:,}"
                f"{', some of other classes' if unknown else ''}. Score it when it is finished."
            )


class _Slice(ClassScores):
    """One slice; the whole is asked once, for all slices."""

    def __init__(self, whole: ClassScores, at: int) -> None:
        self.__dict__.update(whole.__dict__)
        self._whole, self._at = whole, at

    def _answer(self, asked: Any, ask: Callable[[], Any]) -> Any:
        return self._whole._answer(asked, ask).of_slice(self._at)


def _one(lines: ScoredLines, at: int = 0) -> Array:
    return np.ascontiguousarray(lines.scores[:, at])


def _report(rows: Sequence[Row], columns: Request, origin: Origin) -> int:
    """The number of complete items; the others are refused, or skipped with a warning.

    Items without a distribution are not refused yet: a class without a column is worse.
    """
    gaps = [(_kind(name, columns), name) for name in columns.used]
    lacking = dict.fromkeys([("label", columns.true), *gaps, UNFAIR], 0)
    n = 0
    for value, gap, _, items, _ in rows:
        if is_missing(value):
            lacking["label", columns.true] += int(items)
        elif gap < derived.complete(columns):
            lacking[[*gaps, UNFAIR][int(gap)]] += int(items)
        else:
            n += int(items)
    total = n + sum(lacking.values())
    report_lacking(lacking if origin.skip else lacking | {UNFAIR: 0}, total, origin)
    origin.refuse_empty(total, n if origin.skip else total)
    return n


def _kind(name: str, columns: Request) -> str:
    """The kind of a column that does not hold the true class."""
    if name == columns.weights:
        return "weight"
    return "cluster" if name == columns.cluster and name not in columns.preds else "finite number"


def _refuse_unfair(rows: Sequence[Row], columns: Request, origin: Origin) -> None:
    unfair = sum(row[3] for row in rows if row[1] == derived.complete(columns) - 1)
    if not origin.skip:
        report_lacking({UNFAIR: unfair}, int(sum(row[3] for row in rows)), origin)
