"""Any sequence in memory as a column of labels, of weights, or of codes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn

import numpy as np

from whichf1 import kernel
from whichf1.errors import InputError, LabelError, ShapeError, WeightError, WhichF1Error, numbered
from whichf1.tables.cells import Array
from whichf1.tables.labels import Kind, Labels, kind_of, shortened
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Key
from whichf1.tables.units import cluster_labels, refuse_sum


@dataclass(frozen=True, slots=True)
class Column:
    """A column of labels of one kind: integers of any width, booleans, or strings."""

    kind: Kind
    values: Array
    name: str

    def at(self, places: Array) -> Column:
        """Some of the labels."""
        return Column(self.kind, self.values[places], self.name)


def column(data: Any, name: str) -> Column:
    """Any sequence of labels as a Column, or an error that names the first bad item."""
    items = hasattr(data, "__len__") or is_on_device(data)
    if isinstance(data, (str, bytes, dict, set, frozenset)) or not items:
        raise ShapeError(
            f"{name} must be a sequence of labels; got {type(data).__name__}. Pass a list."
        )
    values = to_numpy(data)
    if values.ndim != 1:
        raise ShapeError(
            f"{name} must have one dimension; got {_shape(values)}. {_one_dimension(values)}"
        )
    if values.dtype.kind == "T" and hasattr(values.dtype, "na_object"):
        values = values.astype(object)  # where missing values show
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


def _shape(values: Array) -> str:
    return f"shape {values.shape}" if values.size else "rows of different lengths"


def _one_dimension(values: Array) -> str:
    """What to do about data with several dimensions."""
    sets = "Use count_multilabel for sets of labels and for matrices of 0 and 1"
    if values.dtype.kind not in "iufb" or not values.size:
        return f"{sets}; flatten the tags of tokens of sentences first."
    if np.isin(values, (0, 1)).all():
        return f"{sets}; for one-hot rows, take argmax(axis=1)."
    if values.dtype.kind in "iu":
        return "Flatten classes; for scores, take argmax(axis=1)."
    return "Take argmax(axis=1) of scores first, or flatten classes of tokens."


def to_numpy(data: Any) -> Array:
    """A NumPy view or copy of any array-like; Python objects stay objects, nothing is guessed."""
    if "numpy.ma" in sys.modules and np.ma.isMaskedArray(data):  # it is slow to import
        masked = np.flatnonzero(np.ma.getmaskarray(data))
        if len(masked):
            many = "an item is" if len(masked) == 1 else f"{len(masked):,} items are"
            raise LabelError(
                f"{many} masked, the first at position {masked[0]}. Drop them "
                "(array.compressed() on all arrays) or fill them in."
            )
        return np.asarray(data.data)
    if isinstance(data, np.ndarray):
        return data if data.dtype.kind != "V" else _readable(data)
    if isinstance(data, (list, tuple, range)):
        return _objects(data) if not isinstance(data, range) else np.asarray(data)
    if hasattr(data, "detach"):  # torch: leave the graph and the device; bfloat16 has no NumPy twin
        data = data.detach().cpu()
        try:
            return np.asarray(data.float() if "bfloat16" in str(data.dtype) else data)
        except (TypeError, RuntimeError) as error:  # such as a sparse or quantized tensor
            raise InputError(f"this tensor is not an array of items: {error}") from None
    if hasattr(data, "__array__"):  # pandas, polars, Arrow, jax
        try:
            values = np.asarray(data)
        except Exception:  # polars has integers of 128 bits, and CuPy has other memory
            return _elsewhere(data)
        return values if values.dtype.kind != "V" else _readable(values)
    return _elsewhere(data)


def is_plain(data: Any) -> bool:
    """Whether this is a list, or an array or series with one dimension."""
    if type(data) in (list, tuple):
        return True
    return (type(data) is np.ndarray or type(data).__name__ in _SERIES) and getattr(
        data, "ndim", 1
    ) == 1


_SERIES = ("Series", "Tensor")


def plain_numbers(data: Any) -> Array | None:
    """Such data if they may be integers or booleans; None if they need a closer look."""
    if isinstance(data, (list, tuple)):
        return to_numpy(data) if data and type(data[0]) in (int, bool) else None
    return None if is_on_device(data) else to_numpy(data)


def has_items(data: Any) -> bool:
    """Whether data is a sequence or an array; not every library gives arrays a length."""
    return hasattr(data, "__len__") or is_on_device(data)


def is_on_device(data: Any) -> bool:
    """Whether this is an array in memory that NumPy cannot access."""
    device = getattr(data, "device", None)
    return device is not None and "cpu" not in str(getattr(device, "platform", device)).lower()


def _elsewhere(data: Any) -> Array:
    """Items that NumPy cannot access: a copy from a device, or a list of objects."""
    if not is_on_device(data):
        return _objects(_listed(data))
    if hasattr(data, "get"):  # CuPy
        return np.asarray(data.get())
    return np.asarray(np.from_dlpack(data, device="cpu", copy=True))


def _readable(values: Array) -> Array:
    """Numbers of a type that NumPy does not know, in one that it does."""
    return np.asarray(values, np.float32) if values.dtype.name == "bfloat16" else values


def _listed(data: Any) -> list[Any]:
    """The items of an object that is not an array; it may raise anything while it is listed."""
    try:
        return [*data]
    except (WhichF1Error, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"{data!r} is not a list or array of items: {error}") from None


def _objects(items: Sequence[Any]) -> Array:
    """A list as an object array: np.array would silently turn [1, 'a'] into strings."""
    types = set(map(type, items))
    if types in ({int}, {bool}, {float}):
        try:
            return np.array(items, {int: np.int64, bool: np.bool_, float: np.float64}[types.pop()])
        except OverflowError:
            pass  # integers beyond 64 bits: reported with their position below
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
    integers = [*map(int, values)]  # NumPy's own would overflow silently
    low, high = min(integers, default=0), max(integers, default=0)
    for width in (np.int64, np.uint64):
        if np.iinfo(width).min <= low and high <= np.iinfo(width).max:
            return np.array(integers, width)
    position = next(i for i, value in enumerate(integers) if not -(2**63) <= value < 2**63)
    raise LabelError(
        f"{name}[{position}] is {shortened(integers[position])}: integer labels must fit 64 "
        "bits, all with a sign or all without. Use strings for longer ones."
    )


def _check_each(values: Array, name: str) -> None:
    """Raise at the first item that is missing, not a label, or of another kind than the first."""
    first: Kind | None = None
    for position, value in enumerate(values):
        if is_missing(value):
            _refuse_missing(value, position, name)
        kind = kind_of(value)
        if kind is None:
            several = isinstance(value, (set, frozenset))
            raise LabelError(
                f"{name}[{position}] is {value!r} ({type(value).__name__}): that is not a label. "
                "Labels are integers, strings, booleans or floats that are whole numbers."
                + " Use count_multilabel for sets of labels."
                * several
            )
        first = first or kind
        if kind != first:
            raise LabelError(
                f"{name} mixes label types: {name}[0] is {values[0]!r} "
                f"({type(values[0]).__name__}), {name}[{position}] is {value!r} "
                f"({type(value).__name__}). Use one type throughout."
            )


_PRESENT = (int, str, bool)


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN or pandas' missing value."""
    if type(value) in _PRESENT:  # the common case, and faster
        return False
    if isinstance(value, (list, tuple)):
        return False
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _refuse_missing(value: object, position: int, name: str) -> NoReturn:
    raise LabelError(f"{name}[{position}] is missing ({value!r}). Fill it in or drop the item.")


def refuse_lengths(items: int, values: int, name: str) -> None:
    """Raise unless there is a value for each item, and at least one item."""
    if items != values:
        raise ShapeError(
            f"y_true has {numbered(items, 'item')}, {name} {'have' if name == 'scores' else 'has'} "
            f"{values:,}. Pass one value for each item."
        )
    if not items:
        raise ShapeError(f"there are no items: y_true and {name} are empty")


def weights_column(data: Any, items: int, name: str = "weights") -> Array:
    """Sample weights as float64, finite and not negative."""
    if isinstance(data, str):
        raise WeightError(
            f"{name} must be a number for each item; got {data!r}. For columns, pass a dataframe "
            "or path; for a weighted kappa, use weighting='quadratic'."
        )
    try:
        raw = to_numpy(data)
        if raw.dtype == object:
            raw = np.array(raw.tolist())  # text and complex numbers have their own message
        if raw.dtype.kind not in "biufO":
            raise TypeError(f"got {raw.dtype}")
        weights = np.asarray(raw, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise WeightError(f"{name} must be numbers: {error}") from None
    if weights.shape != (items,):
        raise ShapeError(
            f"{name} have shape {weights.shape}, but there are {numbered(items, 'item')}"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        position = int(np.argmax(wrong))
        raise WeightError(
            f"{name}[{position}] is {weights[position]}: {name} must be finite and not negative"
        )
    refuse_sum(weights)
    return weights


def squared(weights: Array) -> Array:
    """The squares of weights, whose sums intervals need; infinite if too large for a float."""
    with np.errstate(over="ignore"):
        squares: Array = weights * weights
    return squares


def frequencies_column(data: Any, items: int) -> Array:
    """How many equal items each row stands for, as float64: whole numbers of at least 0."""
    times = weights_column(data, items, "frequencies")
    wrong = np.rint(times) != times
    if wrong.any():
        at = int(np.argmax(wrong))
        raise WeightError(
            f"frequencies[{at}] is {times[at]}: frequencies must be whole numbers. For other "
            "numbers, use weights=."
        )
    refuse_many(times.sum())
    if len(times) and not times.any():
        raise WeightError("all frequencies are 0: at least one row must stand for an item")
    return times


def refuse_many(items: float) -> None:
    """Raise if there are more items than floats can count one by one."""
    if items >= 2**53:
        raise WeightError(
            f"the frequencies sum to about {items:.3g}, but fewer than 2**53 items can be counted. "
            "Divide all of them by the same number."
        )


def cluster_codes(cluster: Any, items: int) -> Array:
    """A code for the cluster of each item: 0, 1, …, all of them in use."""
    return clusters_of(cluster, items)[0]


def cluster_column(cluster: Any, items: int) -> Column:
    """The name of each item's cluster."""
    groups = column(cluster, "cluster")
    if len(groups.values) != items:
        raise ShapeError(
            f"there are {numbered(items, 'item')}, cluster has {len(groups.values):,}. "
            "Pass one value for each item."
        )
    return groups


def clusters_of(cluster: Any, items: int) -> tuple[Array, Labels]:
    """The code of each item's cluster, and the names of the clusters in order."""
    groups = cluster_column(cluster, items)
    if not items:
        return np.zeros(0, np.intp), Labels(())
    (codes,), observed = encode_alike([groups])
    names = cluster_labels(observed)
    return (codes if names == observed else names.codes(observed)[codes]), names


def encode_alike(columns: Sequence[Column]) -> tuple[list[Array], Labels]:
    """Codes of every column into the classes that occur, in order."""
    if columns[0].kind == "str":
        codes, texts = kernel.encode(*(each.values.tolist() for each in columns))
        names = Labels.trusted(sorted(texts))
        rank = names.codes(texts)
        return [rank[each] for each in codes], names
    values = [*map(attrgetter("values"), columns)]
    lows, highs = zip(*[(int(x.min()), int(x.max())) for x in values], strict=True)
    low, high = min(lows), max(highs)
    make = bool if columns[0].kind == "bool" else int
    if high >= 1 << 63 and low < 0:  # no NumPy type holds both
        codes, numbers = kernel.encode(*(x.tolist() for x in values))
        names = Labels.sorted(numbers)
        rank = names.codes(numbers)
        return [rank[each] for each in codes], names
    if high - low < max(1 << 16, len(values[0])) and abs(low) < 1 << 62:
        shifted = [x.astype(np.intp) - low for x in values]
        present = np.zeros(high - low + 1, bool)
        for x in shifted:
            present[x] = True
        rank = np.cumsum(present) - 1
        observed = np.flatnonzero(present)
        if len(observed) < len(present):
            shifted = [rank[x] for x in shifted]
        return shifted, Labels.trusted([*map(make, (low + observed).tolist())])
    wide = np.uint64 if high >= 1 << 63 else np.int64
    values = [x.astype(wide, copy=False) for x in values]
    observed, at = np.unique(np.concatenate(values), return_inverse=True)
    return np.split(at, len(values)), Labels.trusted([*map(make, observed.tolist())])


class Dictionary(NamedTuple):
    """A column as values and the position of each item's value; None: one by one."""

    values: Any
    positions: Array | None = None


def encode_columns(*columns: Any) -> tuple[list[Array], list[Any]] | None:
    """Codes of each column into one list of distinct labels, all strings or all integers.

    None if a column is of another kind, or if its items have to be checked one by one to say what
    is wrong with them.
    """
    sides = []
    for column in columns:
        side = _dictionary(column)
        if side is None:
            return None
        sides.append(side)
    try:
        codes, labels = kernel.encode(*(side.values for side in sides))
    except TypeError:  # an item that cannot be hashed
        return None
    if set(map(type, labels)) not in ({str}, {int}):
        return None
    spread = (
        code if side.positions is None else code[side.positions]
        for side, code in zip(sides, codes, strict=True)
    )
    return list(spread), labels


_FEW = 4096
"""Up to so many texts, each is read in less time than a library looks for the distinct ones."""


def _dictionary(column: Any) -> Dictionary | None:
    if type(column) is np.ndarray:  # others, such as masked arrays, are checked one by one
        plain = column.ndim == 1 and len(column) and column.dtype.kind in "UO"
        return Dictionary(column) if plain and isinstance(column[0], str) else None
    if isinstance(column, (list, tuple)):
        return Dictionary(column) if column and type(column[0]) is str else None
    for library, make in (("pandas", _pandas), ("polars", _polars), ("pyarrow", _arrow)):
        module = sys.modules.get(library)
        if module is not None:
            dictionary = make(module, column)
            if dictionary is not None:
                return dictionary
    return None


def _pandas(pandas: Any, column: Any) -> Dictionary | None:
    if not isinstance(column, (pandas.Series, pandas.Index, pandas.Categorical)):
        return None
    if getattr(column.dtype, "kind", None) != "O":  # numbers and booleans need no dictionary
        return None
    if isinstance(column.dtype, pandas.CategoricalDtype):
        categories = column if isinstance(column, pandas.Categorical) else column.array
        return _of(categories.categories.tolist(), categories.codes)
    if column.dtype == object or len(column) <= _FEW:
        items = column.to_numpy()
        if len(items) and type(items[0]) is str:
            return Dictionary(items)
    try:
        positions, values = column.factorize()
    except TypeError:  # an item that cannot be hashed
        return None
    return _of(values.tolist(), positions)


def _polars(polars: Any, column: Any) -> Dictionary | None:
    if not isinstance(column, polars.Series) or column.null_count():
        return None
    if column.dtype not in (polars.String, polars.Categorical, polars.Enum):
        return None
    if column.dtype == polars.String and 0 < len(column) <= _FEW:
        return Dictionary(column.to_list())
    categories = column.cast(polars.Categorical) if column.dtype == polars.String else column
    distinct = categories.unique()
    places = distinct.to_physical().to_numpy()
    if not len(places):
        return None
    rank = np.zeros(int(places.max()) + 1, np.intp)
    rank[places] = np.arange(len(places))
    positions = rank[categories.to_physical().to_numpy()]
    return Dictionary(distinct.cast(polars.String).to_list(), positions)


def _arrow(arrow: Any, column: Any) -> Dictionary | None:
    if not isinstance(column, (arrow.Array, arrow.ChunkedArray)) or column.null_count:
        return None
    kind = column.type
    if not (arrow.types.is_dictionary(kind) or kind in (arrow.string(), arrow.large_string())):
        return None
    chunks = arrow.chunked_array(column).dictionary_encode().unify_dictionaries().chunks
    if not chunks:
        return None
    positions = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in chunks]
    return _of(chunks[0].dictionary.to_pylist(), np.concatenate(positions))


def _of(values: Sequence[Any], positions: Array) -> Dictionary | None:
    """Only the values that occur: a declared category without items is not an observed class."""
    if not len(positions) or positions.min() < 0:  # a missing item: the slow way names it
        return None
    seen = np.flatnonzero(np.bincount(positions, minlength=len(values)))
    if len(seen) == len(values):
        return Dictionary(list(values), positions)
    rank = np.zeros(len(values), np.intp)
    rank[seen] = np.arange(len(seen))
    return Dictionary([values[at] for at in seen.tolist()], rank[positions])


def slices_of_arrays(by: Mapping[str, Any], items: int) -> tuple[tuple[Key, ...], Array]:
    """The slices in order, and the place of each item's slice among them."""
    if not isinstance(by, Mapping):
        raise InputError(
            "by= names columns of a dataframe or file; of arrays, it maps names to a value of each "
            f"item, as {{'lang': [...]}}; got {by!r}"
        )
    columns = [column(values, name) for name, values in by.items()]
    for each in columns:
        refuse_lengths(items, len(each.values), each.name)
    coded = [encode_alike([each]) for each in columns]
    code = np.zeros(items, np.int64)
    for (codes,), names in coded:
        code = code * len(names) + codes
    present, place = np.unique(code, return_inverse=True)
    keys: list[Key] = []
    for each in present.tolist():
        key: list[Any] = []
        for _, names in reversed(coded):
            each, at = divmod(each, len(names))
            key.insert(0, names[at])
        keys.append(tuple(key))
    return tuple(keys), place.ravel()
