"""Properties of scores, determined by trying every small table.

A 'no' is certain, and comes with the smallest tables that show it. A 'yes' holds on all tables that
were tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from whichf1.definitions.definition import Definition, Frozen
from whichf1.errors import DefinitionError, numbered
from whichf1.metrics import COUNTED
from whichf1.tables.cells import Array, Table, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass

Matrix: TypeAlias = tuple[tuple[int, ...], ...]
Pairs: TypeAlias = Iterator[tuple[Array, Array]]
"""Tables (…, k, k) and the transformed tables; those with fewer items come first."""
MOST = {2: 12, 3: 7}
"""For each number of classes, all tables of up to this many items are tried."""
SAME = 1e-12


@dataclass(frozen=True)
class Property:
    """Whether a score has a property; one of the results of ``whichf1.properties``.

    >>> import whichf1 as wf
    >>> each = wf.properties("mcc")["monotone"]
    >>> each.holds, each.before, each.after
    (False, ((0, 4, 0), (0, 0, 0), (0, 0, 1)), ((1, 3, 0), (0, 0, 0), (0, 0, 1)))
    """

    name: str
    statement: str
    """What is true of the score if it has the property."""
    holds: bool
    tried: int
    """How many pairs of tables were compared."""
    value: Mapping[int, float] | None = None
    """For predictors that ignore the items: the score of all of them, by number of classes."""
    before: Matrix | None = None
    """The smallest table that disproves it, with true classes in rows …"""
    after: Matrix | None = None
    """… the one that it is compared with …"""
    scores: tuple[float, float] | None = None
    """… and the score of both."""

    def __str__(self) -> str:
        if self.before is None or self.after is None or self.scores is None:
            return f"yes{self._always()} ({numbered(self.tried, 'pair')} of tables tried)"
        (a, b), (x, y) = self.scores, (self.before, self.after)
        return f"no: {a:.4f} on {_written(x)}, {b:.4f} on {_written(y)}"

    def _always(self) -> str:
        if self.value is None:
            return ""
        if len({*self.value.values()}) == 1:
            return f": always {next(iter(self.value.values())):.4g}"
        return ": " + ", ".join(
            f"{x:.4g} with {numbered(k, 'class')}" for k, x in self.value.items()
        )


def _written(matrix: Matrix) -> str:
    return "[" + ", ".join(str([*row]) for row in matrix) + "]"


@lru_cache(maxsize=32)
def all_tables(k: int, items: int) -> Array:
    """Every k × k table with this many items (tables, k, k)."""
    cells = k * k
    bars = np.array([*combinations(range(items + cells - 1), cells - 1)])
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=-1)
    edges[:, -1] = items + cells - 1
    tables: Array = (np.diff(edges, axis=1) - 1).reshape(-1, k, k)
    tables.setflags(write=False)  # cached
    return tables


def _small() -> Iterator[Array]:
    """All small tables, smallest first; those of the same size together."""
    for items in range(1, max(MOST.values()) + 1):
        for k, most in MOST.items():
            if items <= most:
                yield all_tables(k, items)


def _corrected() -> Pairs:
    for tables in _small():
        for i, j in product(range(tables.shape[-1]), repeat=2):
            if i != j:
                before = tables[tables[:, i, j] > 0]
                after = before.copy()
                after[:, i, j] -= 1
                after[:, i, i] += 1
                yield before, after


def _more_frequent() -> Pairs:
    for tables in _small():
        for i in range(tables.shape[-1]):
            before = tables[tables[:, i].sum(-1) > 0]
            after = before.copy()
            after[:, i] *= 2
            yield before, after


def _renamed() -> Pairs:
    for tables in _small():
        for i in range(tables.shape[-1] - 1):
            order = np.arange(tables.shape[-1])
            order[[i, i + 1]] = order[[i + 1, i]]
            yield tables, tables[:, order][:, :, order]


def _exchanged() -> Pairs:
    for tables in _small():
        yield tables, tables.transpose(0, 2, 1)


def _against_the_first(tables: dict[int, list[Array]]) -> Pairs:
    """Each table with the first one that has as many classes."""
    for same in tables.values():
        ordered = sorted(same, key=lambda table: int(table.sum()))
        yield np.array([ordered[0]] * len(ordered)), np.array(ordered)


def _independent() -> Pairs:
    """Tables of predictions that do not depend on the truth, each class true at least once."""
    shares = {k: [*product(range(1, 4), repeat=k)] for k in MOST}
    guesses = {k: [x for x in product(range(3), repeat=k) if any(x)] for k in MOST}
    return _against_the_first(
        {k: [np.outer(r, c) for r in shares[k] for c in guesses[k]] for k in MOST}
    )


def _constant() -> Pairs:
    """Tables of predictions that are all the same, each class true at least once."""
    one = {k: np.eye(k, dtype=int) for k in MOST}
    shares = {k: [*product(range(1, 5), repeat=k)] for k in MOST}
    return _against_the_first(
        {k: [np.outer(r, c) for r in shares[k] for c in one[k]] for k in MOST}
    )


def _uneven() -> Pairs:
    """Three classes of equal size and recall: errors spread evenly, then in any other way."""
    for errors, hits in product((1, 2), range(5)):
        even = np.full((3, 3), errors)
        np.fill_diagonal(even, hits)
        others = []
        shifts = product(range(-errors, errors + 1), repeat=3)
        for shift in sorted(shifts, key=lambda every: sum(map(abs, every))):
            table = even.copy()
            for i, by in enumerate(shift):
                table[i, (i + 1) % 3] += by
                table[i, (i + 2) % 3] -= by
            others.append(table)
        yield np.array([even] * len(others)), np.array(others)


Worse: TypeAlias = Callable[[Array, Array, float], Array]
"""Which pairs of values violate a property; higher values are better (1) or worse (−1)."""


def _lower(before: Array, after: Array, sign: float) -> Array:
    return sign * after < sign * before - SAME


def _higher(before: Array, after: Array, sign: float) -> Array:
    return sign * after > sign * before + SAME


def _other(before: Array, after: Array, sign: float) -> Array:
    differ: Array = np.abs(after - before) > SAME
    return differ


CHECKS: dict[str, tuple[str, Callable[[], Pairs], Worse]] = {
    "monotone": ("Correcting an error never makes the score worse.", _corrected, _lower),
    "invariant to prevalence": (
        "It depends on how each class is predicted, not on how frequent it is.",
        _more_frequent,
        _other,
    ),
    "symmetric in the classes": ("Classes can be renamed and reordered.", _renamed, _other),
    "same if transposed": (
        "Truth and prediction can be exchanged.",
        _exchanged,
        _other,
    ),
    "fixed at random": (
        "All predictors that ignore the items score the same.",
        _independent,
        _other,
    ),
    "fixed when constant": (
        "All predictors that always predict the same class score the same.",
        _constant,
        _other,
    ),
    "blind to skewed errors": (
        "Errors concentrated in a few classes score no better than errors spread evenly.",
        _uneven,
        _higher,
    ),
}
"""Each property: its meaning, the pairs of tables that are tried, and what violates it."""


FIXED = ("fixed at random", "fixed when constant")
"""Properties for which the value itself is of interest."""
GOOD = (_lower, _higher)
"""Rules that need to know which values are better."""


def properties(definition: Definition | str) -> dict[str, Property]:
    """Determine which properties a score has by trying every small table.

    definition: A metric, a shorthand, a signature or a Definition. A rate that is not averaged is
        that of the first class.
    Returns: A Property for each name. If it does not hold, it has the smallest tables that show
        this; if it holds, it does so on all tables of 2 classes and up to 12 items and of 3 classes
        and up to 7 items. Tables on which the score is NaN are skipped.
    DefinitionError: If the score is not computed from a table of any classes.

    >>> every = properties("averaged_f1")
    >>> every["symmetric in the classes"].holds, every["invariant to prevalence"].holds
    (True, False)
    >>> print(every["invariant to prevalence"])
    no: 0.3333 on [[0, 1], [0, 1]], 0.2500 on [[0, 2], [0, 1]]
    """
    plain = _tableable(definition)
    names = [name for name in CHECKS if is_checked(plain, name)]
    return {name: _tried(plain, name, *CHECKS[name]) for name in names}


def check(definition: Definition | str, name: str) -> Property:
    """Determine whether a score has one property by trying every small table."""
    return _tried(_tableable(definition), name, *CHECKS[name])


def is_checked(definition: Definition, name: str) -> bool:
    """Whether a property applies to the score: some need to know which values are better."""
    return definition.declaration.better != "neither" or CHECKS[name][2] not in GOOD


def _tableable(definition: Definition | str) -> Definition:
    """The definition of a score of any table of classes, without its interval."""
    chosen = definition
    if not isinstance(chosen, Definition):
        chosen = Definition.parse(str(getattr(chosen, "__name__", chosen)))
    if chosen.declaration.kind not in COUNTED:
        raise DefinitionError(
            f"{chosen.metric} is not computed from a table of true and predicted classes. "
            "Properties are defined for rates and measures of agreement."
        )
    shares = chosen.class_shares is not None
    fixed = (isinstance(chosen.classes, tuple), chosen.exclude, chosen.ignore, chosen.batch, shares)
    if any(fixed):
        raise DefinitionError(
            f"{chosen.signature} is restricted to certain classes or batches of items. Properties "
            "are defined for scores of any classes: omit classes=, exclude=, ignore=, batch= and "
            "class_shares="
        )
    if chosen.declaration.kind == "rate" and chosen.average is None:
        chosen = replace(chosen, positive=0, classes=None)
    return replace(chosen, interval=None)


def _tried(
    definition: Definition, name: str, statement: str, pairs: Callable[[], Pairs], worse: Worse
) -> Property:
    sign = -1.0 if definition.declaration.better == "lower" else 1.0
    tried, always = 0, dict[int, float]()
    for before, after in pairs():
        if not len(before):
            continue
        with np.errstate(invalid="ignore"):  # infinity − infinity
            a, b = values(definition, before), values(definition, after)
            broken = np.flatnonzero(worse(a, b, sign))
        tried += len(before)
        if len(broken):
            at = int(broken[0])
            tables = (_matrix(before[at]), _matrix(after[at]))
            scores = (float(a[at]), float(b[at]))
            return Property(name, statement, False, tried, None, *tables, scores)
        always[before.shape[-1]] = float(a[0])
    return Property(name, statement, True, tried, always if name in FIXED else None)


def _matrix(table: Array) -> Matrix:
    return tuple(tuple(row) for row in table.tolist())


def values(definition: Definition, tables: Array) -> Array:
    """The score on each of the tables (tables, k, k); true classes are in rows."""
    k = tables.shape[-1]
    if definition.classes in (None, "declared") and definition.two_classes == "both":
        codes = every_class(k) if definition.positive is None else np.array([0])
        return _over(definition, codes, tables)
    # the classes averaged over depend only on which rows and columns are empty
    occurs = np.concatenate([tables.any(2), tables.any(1)], 1)
    kinds, first, kind = np.unique(occurs, axis=0, return_index=True, return_inverse=True)
    every = np.full(len(tables), np.nan)
    for at in range(len(kinds)):
        alike = np.flatnonzero(kind.ravel() == at)
        counts = Counts.from_matrix(tables[first[at]], rows="true")
        every[alike] = _over(definition, definition.freeze(counts).classes, tables[alike])
    return every


def _over(definition: Definition, codes: Array, tables: Array) -> Array:
    k = tables.shape[-1]
    true, predicted = (at.ravel() for at in np.indices((k, k)))
    batch = Table(true, predicted, tables.reshape(-1, k * k).astype(np.float64), k)
    frozen = Frozen(None, codes, Labels(range(k)))
    return definition.values(frozen, batch).reshape(len(tables))
