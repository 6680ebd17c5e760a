"""Two columns of labels in memory → Counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from whichf1 import kernel
from whichf1.counts import Counts
from whichf1.errors import LabelError, ShapeError, WeightError
from whichf1.labels import Kind, Label, Labels, kind_of
from whichf1.sources.dictionaries import encode_columns
from whichf1.table import Array, Margins


@dataclass(frozen=True, slots=True)
class Column:
    """A column of labels of one kind: integers of any width, booleans, or strings."""

    kind: Kind
    values: Array
    name: str


def count_arrays(y_true: Any, y_pred: Any, *, labels: Any = None, weights: Any = None) -> Counts:
    """GROUP BY true, predicted over two columns in memory."""
    left, right, values = _codes(y_true, y_pred)
    kind = _KINDS[left.dtype.kind] if values is None else kind_of(values[0])
    names = None if labels is None else Labels(labels)
    if names is not None and names.kind != kind:
        _refuse_undeclared(names, column(y_true, "y_true"), column(y_pred, "y_pred"))
    counts = count_codes(left, right, values, weights)
    if names is None:
        return counts
    if any(label not in names for label in counts.labels):
        _refuse_undeclared(names, column(y_true, "y_true"), column(y_pred, "y_pred"))
    return counts.declare(names)


def count_margins(y_true: Any, y_pred: Any) -> tuple[Labels, Margins] | None:
    """The margins of two integer arrays at once: enough for a rate, where nothing else is asked.

    None for anything else; the counts then tell what is wrong with it.
    """
    if type(y_true) is not np.ndarray or type(y_pred) is not np.ndarray:
        return None
    kind, shape = y_true.dtype, y_true.shape
    if kind is not y_pred.dtype or kind.kind not in "iu" or shape != y_pred.shape:
        return None
    if len(shape) != 1 or not shape[0]:
        return None
    found = kernel.count_margins(y_true, y_pred)
    if found is None:
        return None
    rows, columns, hits = found[1]
    return Labels.trusted(found[0]), Margins(rows, columns, hits, hits)


def count_codes(
    left: Array, right: Array, values: list[Label] | None, weights: Any = None
) -> Counts:
    """Count two columns of numbers that stand for themselves, or for ``values``."""
    weight = None if weights is None else weights_column(weights, len(left))
    found, (true, predicted, count, *squares) = _group(left, right, values, weight)
    return Counts(
        found,
        true,
        predicted,
        count,
        declared=False,
        squares=squares[0] if squares else None,
        in_order=values is None and weight is None,
        n=len(left) if weight is None else None,
    )


_KINDS: dict[str, Kind] = {"i": "int", "u": "int", "b": "bool"}


def _codes(y_true: Any, y_pred: Any) -> tuple[Array, Array, list[Label] | None]:
    """Two columns that can be counted, and what their numbers stand for, if not for themselves."""
    if _ready(y_true) and _ready(y_pred) and y_true.dtype == y_pred.dtype:
        _refuse_lengths(y_true, y_pred)
        return y_true, y_pred, None
    encoded = encode_columns(y_true, y_pred)
    if encoded is not None:
        (left, right), values = encoded
        _refuse_lengths(left, right)
        return left, right, values
    true, predicted = column(y_true, "y_true"), column(y_pred, "y_pred")
    _refuse_lengths(true.values, predicted.values)
    if true.kind != predicted.kind:
        _refuse_mixed(true, predicted)
    if true.kind != "str" and _one_integer_type(true.values, predicted.values):
        left, right = (_signed(side.values, true, predicted) for side in (true, predicted))
        return left, right, None
    (left, right), values = kernel.encode(true.values.tolist(), predicted.values.tolist())
    return left, right, values


def _ready(data: object) -> bool:
    """Whether this is counted as it is, with nothing to look into."""
    return type(data) is np.ndarray and data.dtype.kind in _KINDS and data.ndim == 1


def _refuse_lengths(true: Array, predicted: Array) -> None:
    if len(true) != len(predicted):
        raise ShapeError(
            f"y_true has {len(true):,} items, y_pred has {len(predicted):,}. "
            "Give one prediction for each item."
        )
    if not len(true):
        raise ShapeError("there are no items: y_true and y_pred are empty")


def _group(
    left: Array, right: Array, values: list[Label] | None, weights: Array | None
) -> tuple[Labels, list[Array]]:
    pairs = kernel.count_pairs(left, right, weights)
    if values is None and weights is None and left.dtype.kind != "b":  # the usual, and quicker
        return Labels.trusted(pairs.labels), [pairs.true, pairs.predicted, pairs.count]
    observed: list[Label] = [*pairs.labels]
    codes = [pairs.true, pairs.predicted]
    if values is not None:
        named = [values[code] for code in pairs.labels]
        order = sorted(range(len(named)), key=named.__getitem__)
        observed = [named[at] for at in order]
        rank = np.empty(len(order), np.intp)
        rank[order] = np.arange(len(order))
        codes = [rank[side] for side in codes]
    elif left.dtype.kind == "b":
        observed = [bool(value) for value in observed]
    cells = [*codes, pairs.count]
    if weights is not None:  # intervals need the sum of squares, cell by cell
        cells.append(kernel.count_pairs(left, right, weights**2).count)
    return Labels.trusted(observed), cells


def _one_integer_type(left: Array, right: Array) -> bool:
    """Whether both columns fit one 64-bit integer type (int64 beside large uint64 does not)."""
    if left.dtype.kind == right.dtype.kind:
        return True
    return all(side.dtype.kind != "u" or _fits(side) for side in (left, right))


def _fits(side: Array) -> bool:
    return side.dtype.itemsize < 8 or not len(side) or bool(side.max() < 2**63)


def _signed(values: Array, *columns: Column) -> Array:
    """uint64 beside a signed type, known to fit: the same bits, no copy."""
    mixed = len({each.values.dtype.kind for each in columns}) > 1
    if mixed and values.dtype.kind == "u" and values.dtype.itemsize == 8:
        return values.view(values.dtype.str.replace("u", "i"))
    return values


def column(data: Any, name: str) -> Column:
    """Any sequence of labels as a Column, or an error that names the first bad item."""
    if isinstance(data, (str, bytes, dict, set, frozenset)) or not hasattr(data, "__len__"):
        raise ShapeError(
            f"{name} must be a sequence of labels; got {type(data).__name__}. Give a list."
        )
    values = to_numpy(data)
    if values.ndim != 1:
        hint = "Take argmax(axis=1) of scores" if values.ndim == 2 else "Flatten it"
        raise ShapeError(f"{name} must have one dimension; got shape {values.shape}. {hint} first.")
    match values.dtype.kind:
        case "i" | "u":
            return Column("int", values, name)
        case "b":
            return Column("bool", values, name)
        case "f":
            return Column("int", _whole(values, name), name)
        case "U" | "T":
            return Column("str", values, name)
        case "O":
            return _from_objects(values, name)
    raise LabelError(
        f"{name} has dtype {values.dtype}, which cannot be labels. "
        "Use integers, strings or booleans; decode bytes with .astype(str)."
    )


def to_numpy(data: Any) -> Array:
    """A NumPy view or copy of any array-like; Python objects stay objects, nothing is guessed."""
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, (list, tuple, range)):
        return _objects(data) if not isinstance(data, range) else np.asarray(data)
    if hasattr(data, "detach"):  # torch: leave the graph and the device; bfloat16 has no NumPy twin
        data = data.detach().cpu()
        return np.asarray(data.float() if "bfloat16" in str(data.dtype) else data)
    if hasattr(data, "__array__"):  # pandas, polars, Arrow, jax
        return np.asarray(data)
    return _objects(list(data))


def _objects(items: Sequence[Any]) -> Array:
    """A list as an object array: np.array would turn [1, 'a'] into strings without a word."""
    types = set(map(type, items))
    if types in ({int}, {bool}, {float}):
        try:
            return np.array(items, {int: np.int64, bool: np.bool_, float: np.float64}[types.pop()])
        except OverflowError:
            pass  # integers beyond 64 bits: said with their position below
    if any(hasattr(kind, "__len__") and not issubclass(kind, str) for kind in types):
        try:
            return np.array(items)  # nested: its shape is the message
        except ValueError:
            return np.empty((len(items), 0))
    values = np.empty(len(items), object)
    values[:] = items
    return values


def _whole(values: Array, name: str) -> Array:
    """Floats that are whole numbers as int64: 3.0 is class 3."""
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    wrong = ~((whole == values) & (np.abs(values) < 2.0**63))
    if not wrong.any():
        return whole
    position = int(np.argmax(wrong))
    value = values[position]
    if np.isnan(value):
        _refuse_missing(value, position, name)
    raise LabelError(
        f"{name}[{position}] is {value!r}: a float label must be a whole number. "
        "For scores use a threshold or argmax first."
    )


def _from_objects(values: Array, name: str) -> Column:
    kinds = {_kind_of_type(each) for each in set(map(type, values))}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None:
        return Column(kind, _packed(values, kind, name), name)
    _check_each(values, name)  # passes only whole floats, among integers or alone
    return Column("int", _packed([int(value) for value in values], "int", name), name)


def _kind_of_type(each: type) -> Kind | None:
    if issubclass(each, (bool, np.bool_)):
        return "bool"
    if issubclass(each, (int, np.integer)):
        return "int"
    return "str" if issubclass(each, str) else None


def _packed(values: Any, kind: str, name: str) -> Array:
    if kind == "str":
        return values  # type: ignore[no-any-return]
    if kind == "bool":
        return np.array(values, np.bool_)
    for width in (np.int64, np.uint64):
        try:
            return np.array(values, width)
        except OverflowError:
            continue
    position = next(i for i, value in enumerate(values) if not -(2**63) <= value < 2**63)
    raise LabelError(
        f"{name}[{position}] is {values[position]}: integer labels must fit 64 bits. "
        "Use strings for longer ones."
    )


def _check_each(values: Array, name: str) -> None:
    """Raise at the first item that is missing, no label, or of another kind than the first."""
    first: Kind | None = None
    for position, value in enumerate(values):
        if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
            _refuse_missing(value, position, name)
        kind = kind_of(value)
        if kind is None:
            raise LabelError(
                f"{name}[{position}] is {value!r} ({type(value).__name__}): that is no label. "
                "Labels are integers, strings, booleans or floats that are whole numbers."
            )
        first = first or kind
        if kind != first:
            raise LabelError(
                f"{name} mixes label types: {name}[0] is {values[0]!r} "
                f"({type(values[0]).__name__}), {name}[{position}] is {value!r} "
                f"({type(value).__name__}). Use one type throughout."
            )


def _refuse_missing(value: object, position: int, name: str) -> NoReturn:
    raise LabelError(
        f"{name}[{position}] is missing ({value!r}). Give it a label or drop the item."
    )


def _refuse_mixed(true: Column, predicted: Column) -> NoReturn:
    first, other = (side.values[:1].tolist()[0] for side in (true, predicted))
    raise LabelError(
        f"label types differ: y_true[0] is {first!r} ({true.kind}), y_pred[0] is {other!r} "
        f"({predicted.kind}). Convert one of them, so that equal classes are equal values."
    )


def _refuse_undeclared(names: Labels, *columns: Column) -> NoReturn:
    for side in columns:
        for position, label in enumerate(side.values.tolist()):
            if label not in names:
                raise LabelError(
                    f"{side.name}[{position}] is {label!r} ({side.kind}), which is not among the "
                    f"declared labels {list(names[:20])!r}. Add it to labels=, or drop the item."
                )
    raise LabelError("a label is not among the declared ones")


def weights_column(data: Any, items: int) -> Array:
    """Sample weights as float64, finite and not negative."""
    try:
        weights = np.asarray(to_numpy(data), np.float64)
    except (TypeError, ValueError) as error:
        raise WeightError(f"weights must be numbers: {error}") from None
    if weights.shape != (items,):
        raise ShapeError(f"weights have shape {weights.shape}; there are {items:,} items")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        position = int(np.argmax(wrong))
        raise WeightError(
            f"weights[{position}] is {weights[position]}: weights are finite and not negative"
        )
    return weights
