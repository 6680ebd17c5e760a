"""Ratings by several raters → Ratings: from matrices, dataframes and files, wide or long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple, NoReturn, Unpack

import numpy as np

from whichf1 import kernel
from whichf1.errors import FileError, InputError, LabelError, ShapeError, numbered, verb
from whichf1.sources.answers.lines import slices_of
from whichf1.sources.answers.rows import cluster_name, clusters_in, from_json, sizes_of
from whichf1.sources.counts import Reading
from whichf1.sources.engines.frames import column_names
from whichf1.sources.questions.grouped import MEASURES, Grouped
from whichf1.sources.request import (
    Origin,
    Request,
    Row,
    has_columns,
    in_memory,
    is_frame,
    known_frame,
    one_name,
    one_or_several,
)
from whichf1.sources.sequences import (
    clusters_of,
    frequencies_column,
    is_missing,
    slices_of_arrays,
    squared,
    to_numpy,
    weights_column,
)
from whichf1.tables.annotations import Ratings, in_order
from whichf1.tables.cells import Array, sum_by
from whichf1.tables.labels import Labels, as_number, from_text, kind_of, shortened
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Key, Slices

USUAL: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "unit", "subject", "id"),
    "rater": ("rater", "annotator", "coder", "worker", "judge"),
    "rating": ("rating", "label", "category", "annotation", "code"),
}
"""Names of columns of long data that are recognized by default."""
_PACKED = 1 << 62
_DENSE = 1 << 22
"""Up to this many kinds of items are counted in a table of all possible ones."""
_NEAR = 1 << 16
"""Numbers that differ by less have a table of all between them."""
_BLOCK = 1 << 15
"""Rows of a matrix that are read at once."""


def ratings(
    data: Any,
    *,
    raters: Sequence[str] | None = None,
    item: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    **reading: Unpack[Reading],
) -> Ratings:
    """Count how often each item was given each category, by any number of raters.

    data (array, dataframe or path): Items × raters, with None or NaN for a missing rating, or a
        list of the ratings of each item. A dataframe or file is wide, with a column for each rater,
        or long, with the columns item, rater and rating.
    raters: The columns of wide data. By default, all columns without another role.
    item: The column with the items of long data; in wide data it is not read.
    rater: The column with the raters of long data.
    rating: The column with the ratings of long data.
    labels: The categories, in order. By default, those that occur.
    weights (array or str): Weights of the items of a matrix, or a column of wide data.
    Returns: How many items have the same ratings. Ratings can be added, saved and scored.
    InputError: If no item has two ratings, a rater rates an item twice, or a file cannot be read.

    >>> import whichf1 as wf
    >>> ratings = wf.ratings([["a", "a", None], ["a", "b", "a"], ["b", "b", "b"]])
    >>> ratings.n, round(wf.krippendorff_alpha(ratings), 4)
    (3, 0.5625)
    """
    columns = {"raters": raters, "item": item, "rater": rater, "rating": rating, **reading}
    measures = {"weights": weights, "frequencies": frequencies, "cluster": cluster}
    return _rated(data, columns, measures, labels).whole()


def ratings_by(
    data: Any,
    *,
    by: str | Sequence[str] | Mapping[str, Any],
    raters: Sequence[str] | None = None,
    item: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    **reading: Unpack[Reading],
) -> Slices:
    """Count ratings for each value of one or more columns.

    The other parameters are those of :func:`ratings`.

    by (str, sequence or mapping): The columns that define the slices; for a matrix, a mapping from
        names to the value of each item.
    Returns: A mapping from the values of the columns to Ratings, all in the same categories.
    InputError: As for :func:`ratings`, or if an item is in two slices.

    >>> import whichf1 as wf
    >>> rows = [["a", "a"], ["a", "b"], ["b", "b"]]
    >>> slices = wf.ratings_by(rows, by={"task": ["x", "x", "y"]})
    >>> wf.accuracy(slices["x"]).value, slices.whole.n
    (0.5, 3)
    """
    columns = {"raters": raters, "item": item, "rater": rater, "rating": rating, **reading}
    measures = {"weights": weights, "frequencies": frequencies, "cluster": cluster}
    rated = _rated(data, columns, measures, labels, by)
    parts = {key: rated.of_slice(at) for at, key in enumerate(rated.keys)}
    return Slices.alike(rated.by, parts, rated.whole())


@dataclass(frozen=True)
class Rated:
    """Codes of items × raters, −1 where a rating is missing, and what each item counts."""

    codes: Array
    labels: Labels
    count: Array
    squares: Array | None = None
    cluster: Array | None = None
    cluster_names: Labels | None = None
    declared: Labels | None = None
    by: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    """The slices, in order."""
    slices: Array | None = None
    """The place of each item's slice among them."""

    def whole(self) -> Ratings:
        """All items; an error if none has two ratings."""
        table = self.table()
        table.table  # noqa: B018
        return table

    def of_slice(self, at: int) -> Ratings:
        """The items of one slice, in the categories of all."""
        here = np.flatnonzero(self.slices == at)
        columns = ("codes", "count", "squares", "cluster")
        own: dict[str, Any] = {
            x: None if (y := getattr(self, x)) is None else y[here] for x in columns
        }
        return replace(self, **own).table()

    def table(self) -> Ratings:
        """How many items have the same ratings; those without a rating are none."""
        measures = (self.squares, self.cluster, self.cluster_names)
        return _counted(self.codes, self.labels, self.declared, self.count, *measures)


def _rated(
    data: Any, columns: dict[str, Any], measures: dict[str, Any], labels: Any, by: Any = ()
) -> Rated:
    """The ratings of a matrix, dataframe or file."""
    declared = None if labels is None else Labels(labels)
    if has_columns(data):
        return _of_columns(data, RatingColumns.wanted(by=by, **columns, **measures), declared)
    _refuse_names(**columns)
    codes, names = _of_matrix(data, declared)
    rated = Rated(codes, names, **_measures(len(codes), **measures), declared=declared)
    if isinstance(by, tuple) and not by:  # nothing was asked for
        return rated
    keys, slices = slices_of_arrays(by, len(codes))
    return replace(rated, by=tuple(by), keys=keys, slices=slices)


def _refuse_names(**named: Any) -> None:
    said = [name for name, value in named.items() if value is not None]
    if said:
        raise InputError(
            f"{said[0]}= is for the columns of a dataframe or file; a matrix has none, so omit it"
        )


def _measures(items: int, weights: Any, frequencies: Any, cluster: Any) -> dict[str, Any]:
    """Items, weights and clusters of a matrix."""
    if weights is not None and frequencies is not None:
        raise InputError("pass weights= or frequencies=, not both")
    count, squares = np.ones(items, np.int64), None
    if weights is not None:
        count = weights_column(weights, items)
        squares = squared(count)
    elif frequencies is not None:
        count = np.rint(frequencies_column(frequencies, items)).astype(np.int64)
    codes, names = (None, None) if cluster is None else clusters_of(cluster, items)
    return {"count": count, "squares": squares, "cluster": codes, "cluster_names": names}


# from codes of items × raters to kinds of items


def _counted(
    codes: Array,
    labels: Labels,
    declared: Labels | None,
    count: Array,
    squares: Array | None = None,
    cluster: Array | None = None,
    cluster_names: Labels | None = None,
) -> Ratings:
    """Ratings from a matrix of codes, −1 if one is missing; items without a rating do not count."""
    kind, lines = _kinds(codes, len(labels))
    key, size = kind, int(kind.max(initial=-1)) + 1
    if cluster is not None:
        pairs, key = np.unique(cluster * size + kind, return_inverse=True)
        at, cluster = pairs % size, pairs // size
        lines = _repeated(lines, at)
        size = len(pairs)
    sums = sum_by(key, count, size)
    if squares is not None:
        squares = sum_by(key, squares, size)
    item, label, times = lines
    rated = np.zeros(size, np.bool_)
    rated[item] = True
    sums = np.where(rated, sums, 0)  # these kinds are dropped
    table = Ratings(
        labels,
        (item, label, times),
        sums,
        declared=False,
        squares=squares,
        cluster=cluster,
        cluster_names=cluster_names,
        systems=("ratings",),
    ).observed()
    return table if declared is None else table.declare(declared)


def _repeated(lines: tuple[Array, Array, Array], at: Array) -> tuple[Array, Array, Array]:
    """The lines of the kinds at these indices, one after another."""
    item, label, times = lines
    start = np.searchsorted(item, np.arange(int(at.max(initial=-1)) + 2))
    size = np.diff(start)[at]
    first = np.repeat(start[at] - np.cumsum(size) + size, size)
    places = first + np.arange(len(first))
    return np.repeat(np.arange(len(at)), size), label[places], times[places]


def _kinds(codes: Array, classes: int) -> tuple[Array, tuple[Array, Array, Array]]:
    """The kind of each item, and how often each kind has each code: the lines of the kinds.

    How often an item has each code is packed into a number, if it fits.
    """
    items, raters = codes.shape
    if (raters + 1) ** classes < _PACKED:
        power = np.append((raters + 1) ** np.arange(classes), 0)  # the last is for −1
        packed = np.empty(items, np.int64)
        for start in range(0, items, _BLOCK):
            rows = slice(start, start + _BLOCK)
            np.sum([power[each] for each in codes[rows].T], 0, out=packed[rows])
        most = int(packed.max(initial=0))
        if most < max(4 * items, 1 << 10) and most < _DENSE:
            seen = np.flatnonzero(np.bincount(packed, minlength=1))
            rank = np.zeros(most + 1, np.intp)
            rank[seen] = np.arange(len(seen))
            kind = rank[packed]
        else:
            seen, kind = np.unique(packed, return_inverse=True)
        times = seen[:, None] // power[:-1] % (raters + 1)
        item, label = np.nonzero(times)
        return kind, (item, label, times[item, label])
    ranked = np.sort(codes, axis=1)
    distinct, kind = np.unique(ranked, axis=0, return_inverse=True)
    row, column = np.nonzero(distinct >= 0)
    keys, times = np.unique(row * classes + distinct[row, column], return_counts=True)
    return kind.reshape(-1), (keys // classes, keys % classes, times)


# from values to codes


class Coded(NamedTuple):
    """Distinct values as categories, and the code of each; −1 for a missing one."""

    code: Array
    labels: Labels


def _categories(values: Sequence[Any], declared: Labels | None, *, texts: bool) -> Coded:
    """The category of each of these distinct values.

    Numbers with a fraction are kept as text, which Krippendorff's alpha reads as numbers. ``texts``
    come from a file: they are integers if every one is written as an integer.
    """
    known = [at for at, value in enumerate(values) if not is_missing(value)]
    plain: list[Any] = [_plain(values[at]) for at in known]
    if texts and not (declared is not None and declared.kind == "str"):
        plain = _numbers(plain)
    if any(isinstance(x, float) for x in plain):
        odd = next((x for x in plain if isinstance(x, (str, bool))), None)
        if odd is not None:
            raise LabelError(f"ratings mix numbers and {odd!r}. Use one type throughout.")
        plain = [repr(float(x)).removesuffix(".0") for x in plain]
    try:
        labels = in_order(Labels(dict.fromkeys(plain)))
    except LabelError as error:
        raise LabelError(f"ratings: {error}") from None
    code = np.full(len(values) + 1, -1, np.intp)  # the last for what is missing
    code[known] = labels.codes(plain)
    return Coded(code, labels)


def _plain(value: Any) -> Any:
    """A rating as a plain integer, float with a fraction, text or boolean."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and kind_of(value) is None:
        if not np.isfinite(value):
            raise LabelError(f"a rating is {value!r}. Ratings are categories or finite numbers.")
        return value
    if kind_of(value) is None:
        raise LabelError(
            f"{shortened(value)} ({type(value).__name__}) cannot be a rating. Ratings are numbers, "
            "strings or booleans; leave a missing one empty, or None."
        )
    return int(value) if isinstance(value, float) else value


def _numbers(texts: list[str]) -> list[Any]:
    """Texts of a file: either all numbers, some possibly with a fraction, or all texts."""
    numbers = [as_number(text) for text in texts]
    whole = all(x is not None and x.is_integer() for x in numbers)
    if not texts or whole or any(x is None for x in numbers):
        return [*from_text(texts)]
    return numbers


def _of_matrix(data: Any, declared: Labels | None) -> tuple[Array, Labels]:
    """Codes of items × raters from an array, or from a list of the ratings of each item."""
    if isinstance(data, (str, bytes, dict)) or not hasattr(data, "__len__"):
        raise ShapeError(f"ratings must be a matrix of items × raters; got {type(data).__name__}")
    if np.ma.isMaskedArray(data):
        given: Any = data.astype(object)
        data = given.filled(None)
    if isinstance(data, (list, tuple)):
        return _of_lists(data, declared)
    values = to_numpy(data)
    if values.ndim != 2:
        raise ShapeError(
            f"ratings must be a matrix of items × raters; got {values.ndim} dimension(s). A row "
            "has the ratings of one item."
        )
    if not len(values):
        raise ShapeError("there are no items to rate: the matrix is empty")
    _refuse_one_rater(values.shape[1])
    return _coded(values, declared)


def _coded(values: Array, declared: Labels | None) -> tuple[Array, Labels]:
    """Codes of a matrix of numbers, booleans, texts or objects."""
    if values.dtype.kind not in "iubf":
        return _of_lists(values.tolist(), declared)
    if values.dtype.kind == "b":
        codes, seen = values.astype(np.int8), [False, True]
    else:
        codes, seen = _places(values)
    coded = _categories(seen, declared, texts=False)
    if not np.array_equal(coded.code[:-1], np.arange(len(seen))):
        codes = coded.code[codes]  # the last is for −1
    return codes, coded.labels


def _places(values: Array) -> tuple[Array, list[Any]]:
    """Indices into the list of distinct numbers, −1 for NaN.

    Whole numbers that are close together are their distances from the lowest, in blocks of rows of
    a small type: memory is what takes time.
    """
    low, high = (float(find.reduce(values, axis=None)) for find in (np.fmin, np.fmax))
    if low == -inf or high == inf:
        at = np.argwhere(np.isinf(values))[0].tolist()
        _refuse_at(values[tuple(at)], *at)
    if not low <= high:  # all are NaN
        return np.full(values.shape, -1, np.int8), []
    if abs(low) < 2**52 and high - low < _NEAR and low.is_integer():
        codes = np.empty(values.shape, np.int8 if high - low < 127 else np.int32)
        blocks = range(0, len(values), _BLOCK)
        if all(_shifted(values[x : x + _BLOCK], low, codes[x : x + _BLOCK]) for x in blocks):
            return codes, [*range(int(low), int(high) + 1)]
    codes, present = np.full(values.shape, -1, np.intp), values == values
    seen, codes[present] = np.unique(values[present], return_inverse=True)
    return codes, seen.tolist()


def _shifted(block: Array, low: float, codes: Array) -> bool:
    """Write how far numbers are above the lowest, −1 for NaN; False if one has a fraction."""
    if block.dtype.kind != "f":
        np.subtract(block, int(low), out=codes, casting="unsafe", dtype=np.int64)
        return True
    numbers = np.fmax(block, low - 1, dtype=np.float64)
    np.subtract(numbers, low, out=codes, casting="unsafe")
    return bool((np.add(codes, low, dtype=np.float64) == numbers).all())


def _of_lists(rows: Sequence[Any], declared: Labels | None) -> tuple[Array, Labels]:
    """Codes of a list of the ratings of each item; shorter lists are filled up."""
    listed = []
    for at, row in enumerate(rows):
        if isinstance(row, (str, bytes, dict)) or not hasattr(row, "__len__"):
            raise ShapeError(
                f"ratings[{at}] is {shortened(row)}: pass a list of the ratings of each item, or a "
                "matrix of items × raters"
            )
        listed.append(row.tolist() if hasattr(row, "tolist") else [*row])
    if not listed:
        raise ShapeError("there are no items to rate: the list is empty")
    sizes = np.array([len(row) for row in listed])
    width = int(sizes.max(initial=0))
    _refuse_one_rater(width)
    flat = [value for row in listed for value in row]
    places, coded = encoded([flat], declared, texts=False)
    codes = np.full((len(listed), width), -1, np.intp)
    codes[np.arange(width) < sizes[:, None]] = coded.code[places[0]]
    return codes, coded.labels


def encoded(
    columns: Sequence[Sequence[Any]], declared: Labels | None, *, texts: bool
) -> tuple[list[Array], Coded]:
    """Columns of ratings as indices into their distinct values, and the category of each."""
    try:
        places, values = kernel.encode(*columns)
    except TypeError:
        odd = next(x for column in columns for x in column if type(x).__hash__ is None)
        raise LabelError(f"{shortened(odd)} cannot be a rating: pass one value") from None
    return places, _categories(values, declared, texts=texts)


def _refuse_at(value: Any, item: int, rater: int) -> NoReturn:
    raise LabelError(
        f"ratings[{item}][{rater}] is {value!r}. Ratings are categories or finite numbers; use "
        "None or NaN for a missing one."
    )


def _refuse_one_rater(raters: int) -> None:
    if raters < 2:
        raise ShapeError(
            f"agreement needs two raters; got {raters} column{'' if raters == 1 else 's'}. A row "
            "has the ratings of one item."
        )


# columns of dataframes and files


@dataclass(frozen=True, slots=True)
class RatingColumns(Request):
    """The columns of ratings; ``find`` determines whether they are wide or long."""

    item: str | None = None
    rater: str | None = None
    rating: str | None = None
    long: bool = False
    guessed: bool = False
    """Whether raters are the columns that have no other role."""

    @classmethod
    def wanted(
        cls,
        *,
        raters: Any,
        item: Any,
        rater: Any,
        rating: Any,
        weights: Any,
        frequencies: Any,
        cluster: Any,
        by: Any = (),
        **reading: Any,
    ) -> RatingColumns:
        """From the options of a function."""
        plain = Request.of(
            pred=one_or_several(raters, "raters"),
            weights=weights,
            frequencies=frequencies,
            cluster=cluster,
            by=by,
            **reading,
        )
        if plain.preds and (rater is not None or rating is not None):
            raise InputError(
                "raters= names the columns of wide data, rater= and rating= those of long data: "
                "use one or the other"
            )
        return cls(
            preds=plain.preds,
            weights=plain.weights,
            cluster=plain.cluster,
            by=plain.by,
            reading=plain.reading,
            whole=plain.whole,
            joint=True,
            item=one_name(item, "item"),
            rater=one_name(rater, "rater"),
            rating=one_name(rating, "rating"),
        )

    def find(self, available: Sequence[str], name: str) -> RatingColumns:
        """The request with the columns that a table has: long, or a column for each rater."""
        named = {column: self._named(column, available) for column in USUAL}
        long = self.rater is not None or self.rating is not None
        if long or (not self.preds and None not in named.values()):
            lacking = [column for column, each in named.items() if each is None]
            if lacking:
                raise FileError(
                    f"{name}: which column has the {lacking[0]}s? Name it with {lacking[0]}=COLUMN "
                    f"(--{lacking[0]} COLUMN). Its columns: {', '.join(available)}."
                )
            if self.weights is not None:
                raise InputError(
                    "weights= and frequencies= are of items, but long data have a row for each "
                    "rating. Use wide data, with a row for each item."
                )
            item, rater, rating = (str(named[column]) for column in USUAL)
            chosen = replace(self, true=item, preds=(rater, rating), long=True)
            return Request.find(chosen, available, name)  # type: ignore[return-value]
        others = {self.item, self.weights, self.cluster, *self.by}
        others |= {*(() if self.preds else USUAL["item"])}
        raters = self.preds or tuple(column for column in available if column not in others)
        if self.item is not None:
            Request.find(replace(self, true=self.item, preds=raters), available, name)
        if len(raters) < 2:
            raise FileError(
                f"{name}: agreement needs two raters; got {len(raters)} "
                f"column{'' if len(raters) == 1 else 's'}. Its columns: {', '.join(available)}. "
                "Name a column for each rater with raters= (--raters a,b), or those of long data "
                "with item=, rater= and rating=."
            )
        guessed = not self.preds
        chosen = replace(self, true=raters[0], preds=raters[1:], guessed=guessed)
        return Request.find(chosen, available, name)  # type: ignore[return-value]

    def _named(self, column: str, available: Sequence[str]) -> str | None:
        given: str | None = getattr(self, column)
        if given is not None:
            return given
        lower = {each.lower(): each for each in reversed(available)}
        return next((lower[usual] for usual in USUAL[column] if usual in lower), None)


def _of_columns(data: Any, wanted: RatingColumns, declared: Labels | None) -> Rated:
    if is_frame(data) and in_memory(data) and not wanted.reading and not wanted.by:
        quick = _of_frame(data, wanted, declared)
        if quick is not None:
            return quick
    parts, columns, origin = Grouped().gather(data, None, wanted)
    assert isinstance(columns, RatingColumns)
    rows: list[Row] = [row for part in parts.values() for row in part]
    origin.refuse_empty(sum(int(row[-MEASURES]) for row in rows), len(rows))
    width = len(columns.by)
    keys, slices = slices_of([row[:width] for row in rows], origin)
    rows = [row[width:] for row in rows]
    rated = (_long if columns.long else _wide)(rows, columns, origin, declared, keys, slices)
    return replace(rated, by=columns.by, keys=keys)


def _of_frame(data: Any, wanted: RatingColumns, declared: Labels | None) -> Rated | None:
    """Columns of numbers in memory, wide and without weights, as a matrix; None for others."""
    frame, name = known_frame(data)
    columns = wanted.find(column_names(frame), name)
    if columns.long or columns.weights is not None or columns.cluster is not None:
        return None
    series = [frame[each] for each in (columns.true, *columns.preds)]
    if not len(frame) or not all(each.dtype.is_numeric() for each in series):
        return None
    matrix = np.column_stack([each.to_numpy() for each in series])
    if matrix.dtype.kind not in "iuf":
        return None
    codes, labels = _coded(matrix, declared)
    _refuse_strangers(codes, columns, name)
    return Rated(codes, labels, np.ones(len(codes), np.int64), declared=declared)


def _wide(
    rows: list[Row],
    columns: RatingColumns,
    origin: Origin,
    declared: Labels | None,
    keys: Sequence[Key],
    slices: Array,
) -> Rated:
    """A row for all items with the same ratings by every rater."""
    bad = sum(int(row[-1]) for row in rows)
    if bad:
        raise InputError(
            f"{origin.name}: {numbered(bad, 'item')} {verb(bad, 'has', 'have')} no valid "
            "weight in column "
            f"{columns.weights!r}. "
            "Weights must be finite and not negative; frequencies must be whole numbers."
        )
    names = (columns.true, *columns.preds)
    places, coded = _read(rows, range(len(names)), names, origin, declared)
    codes = np.column_stack([coded.code[each] for each in places])
    _refuse_strangers(codes, columns, origin.name)
    count, squares = sizes_of(rows, columns)
    measures: dict[str, Any] = {"count": count, "squares": squares}
    if columns.cluster is not None:
        cells = [row[len(names)] for row in rows]
        _refuse_gaps(cells, columns.cluster, origin)
        cluster, of_clusters = clusters_in(cells, columns.cluster, origin)
        measures |= {"cluster": cluster, "cluster_names": of_clusters}
    return Rated(codes, coded.labels, **measures, declared=declared, slices=slices)


def _long(
    rows: list[Row],
    columns: RatingColumns,
    origin: Origin,
    declared: Labels | None,
    keys: Sequence[Key],
    slices: Array,
) -> Rated:
    """A row for each rating; a rater rates an item once."""
    item, rater, rating = columns.true, *columns.preds
    for at, name in ((0, item), (1, rater)):
        _refuse_gaps([row[at] for row in rows], name, origin)
    kept = [at for at, row in enumerate(rows) if not is_missing(row[2])]  # the rater gave none
    rows = [rows[at] for at in kept]
    seen: dict[tuple[Any, Any], Any] = {}
    for row in rows:
        again = seen.setdefault(row[:2], row[2])
        if again is not row[2] or row[-MEASURES] > 1:
            twice = f"{again!r} and {row[2]!r}" if again != row[2] else f"{again!r}, twice"
            raise InputError(
                f"{origin.name}: item {_shown(row[0], origin)} has two ratings by rater "
                f"{_shown(row[1], origin)}: {twice}. Drop one of them."
            )
    (places,), coded = _read(rows, [2], [rating], origin, declared)
    items, raters = ({row[at]: None for row in rows} for at in (0, 1))
    if len(raters) < 2:
        only = ", ".join(_shown(x, origin) for x in raters) or "none"
        raise ShapeError(
            f"{origin.name}: agreement needs two raters; column {rater!r} has {len(raters)} "
            f"({only})"
        )
    codes = _matrix_of(rows, items, coded.code[places])
    measures: dict[str, Any] = {"count": np.ones(len(items), np.int64)}
    if columns.cluster is not None:
        clusters = _of_items(rows, [row[3] for row in rows], "clusters", origin)
        _refuse_gaps(clusters, columns.cluster, origin)
        cluster, names = clusters_in(clusters, columns.cluster, origin)
        measures |= {"cluster": cluster, "cluster_names": names}
    place = {key: at for at, key in enumerate(keys)}
    of_item = _of_items(rows, [keys[at] for at in slices[kept].tolist()], "slices", origin)
    slices = np.array([place[key] for key in of_item], np.intp)
    return Rated(codes, coded.labels, **measures, declared=declared, slices=slices)


def _of_items(rows: list[Row], values: Sequence[Any], what: str, origin: Origin) -> list[Any]:
    """What each item is in, from rows of single ratings; an item is in one."""
    every: dict[Any, Any] = {}
    for row, value in zip(rows, values, strict=True):
        if every.setdefault(row[0], value) != value:
            raise InputError(
                f"{origin.name}: item {_shown(row[0], origin)} is in two {what}: "
                f"{every[row[0]]!r} and {value!r}. An item is in one."
            )
    return [*every.values()]


def _matrix_of(rows: list[Row], items: Mapping[Any, Any], codes: Array) -> Array:
    """Codes of items × ratings, from a list of single ratings."""
    place = {item: at for at, item in enumerate(items)}
    item = np.array([place[row[0]] for row in rows], np.intp)
    order = np.argsort(item, kind="stable")
    size = np.bincount(item, minlength=len(place))
    column = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
    matrix = np.full((len(place), int(size.max(initial=0))), -1, np.intp)
    matrix[item[order], column] = codes[order]
    return matrix


def _read(
    rows: list[Row],
    places: Iterable[int],
    names: Sequence[str],
    origin: Origin,
    declared: Labels | None,
) -> tuple[list[Array], Coded]:
    """The ratings of some columns as codes."""
    reading = origin.reading_of(names[0])
    columns = [[row[at] for row in rows] for at in places]
    if reading == "json":
        columns = [[None if is_missing(x) else from_json(x) for x in each] for each in columns]
    try:
        return encoded(columns, declared, texts=reading == "text")
    except LabelError as error:
        raise LabelError(f"{origin.name}, column {names[0]!r}: {error}") from None


def _refuse_strangers(codes: Array, columns: RatingColumns, name: str) -> None:
    """Raise if a column that nobody named as a rater has no category in common with the others."""
    if not columns.guessed:
        return
    size = int(codes.max(initial=-1)) + 2
    seen = np.stack([np.bincount(each + 1, minlength=size)[1:] > 0 for each in codes.T])
    strange = seen.any(1) & ~(seen & (seen.sum(0) > 1)).any(1)
    if strange.any():
        raters = (columns.true, *columns.preds)
        odd = raters[int(strange.argmax())]
        raise InputError(
            f"{name}: column {odd!r} has no category in common with the other columns, so it may "
            "not be a rater. Name the raters with raters= (--raters a,b), or the columns of slices "
            "with by= (--by)."
        )


def _refuse_gaps(cells: Sequence[Any], column: str, origin: Origin) -> None:
    gaps = sum(map(is_missing, cells))
    if gaps:
        raise LabelError(
            f"{origin.name}: column {column!r} is empty in {gaps:,} of {len(cells):,} "
            f"ratings{origin.where('label', column)}. Fill it in or drop them."
        )


def _shown(value: Any, origin: Origin) -> str:
    return repr(cluster_name(value, origin.reading))
