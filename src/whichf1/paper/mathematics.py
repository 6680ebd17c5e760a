"""Beyond the paper, without chance: the gap as a variance, the counterexample, the bounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np

from whichf1.errors import InputError
from whichf1.paper.result import Fact, Figure, Quantity
from whichf1.scoring.macro import bounds, macro_f1
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts

EXAMPLE = ((80, 20, 0, 0), (5, 40, 25, 30), (0, 2, 12, 1), (1, 3, 0, 9))
"""Four classes, true ones in rows: the first is mostly found, the last two are over-predicted."""
COUNTEREXAMPLE = ((12, 3, 0), (3, 12, 0), (5, 5, 0))
"""Predictions in rows: the third class has no hit, the others have P = .8 and R = .6."""
SMALLEST = ((1, 1), (2, 0))
"""Predictions in rows: four items, every class true and predicted, P₁ = 1/2 and R₁ = 1/3."""
MOST = {2: 16, 3: 9}
"""Up to how many items all tables of so many classes are looked at."""
KNOWN = (2, 3, 5)
"""Numbers of classes for which bounds are drawn."""
RECALL = 0.7
"""The macro recall for which bounds are drawn."""
AT = 0.9
"""The macro precision at which they are printed."""


def variance(seed: int) -> Figure:
    """The classes of an example by precision and recall, and what each gives to the gap."""
    m = macro_f1(Counts.from_matrix(EXAMPLE, rows="true", labels=list("abcd")))
    s = m.precision + m.recall
    n, k = int(m.averaged.n), len(m.labels)
    numbers: tuple[tuple[str, str, float, Quantity], ...] = (
        ("of", "example", m.of_averages.value, "F1 of averages"),
        ("av", "example", m.averaged.value, "averaged F1"),
        ("gap", "example, as a difference", m.gap, "gap"),
        ("sum", "example, as a variance", float(m.contributions.sum()), "gap"),
    )
    return Figure(
        name="variance",
        title="The gap is a weighted variance over the classes",
        columns={
            "class": np.array(m.labels),
            "precision": m.precision,
            "recall": m.recall,
            "weight": s,
            "direction": m.precision / s,
            "contribution": m.contributions,
        },
        scores={"precision": "precision", "recall": "recall", "contribution": "gap"},
        parameters={"rows": "true", "matrix": EXAMPLE},
        facts=tuple(
            Fact(key, what, value, of, n, k, None, 4, labels=tuple(m.labels))
            for key, what, value, of in numbers
        ),
    )


def counterexample(seed: int) -> Figure:
    """How many small tables break the theorem's second part as it is printed, by enumeration."""
    rows = [(k, n, *broken(k, n)) for k, most in MOST.items() for n in range(1, most + 1)]
    k, n, tables, silent, one_sided = (np.array(column) for column in zip(*rows, strict=True))
    return Figure(
        name="counterexample",
        title="The theorem's second part needs a hit in every class",
        columns={
            "classes": k,
            "items": n,
            "tables": tables,
            "gap_is_0_although_p_differs_from_r": silent,
            "gap_above_0_although_all_p_are_on_one_side_of_r": one_sided,
        },
        scores={},
        parameters={
            "tables": "all with that many classes and items",
            "counterexample, predictions in rows": COUNTEREXAMPLE,
            "smallest, predictions in rows": SMALLEST,
        },
        facts=(
            _no_gap("three", "three classes", COUNTEREXAMPLE),
            _no_gap("two", "two classes, both true and predicted", SMALLEST),
            *(_share(c, most) for c, most in MOST.items()),
        ),
    )


def _share(k: int, items: int) -> Fact:
    tables, silent, _ = broken(k, items)
    what = f"tables of {items} items with gap 0 although P ≠ R for a class"
    return Fact(f"share{k}", what, 100 * silent / tables, "gap", items, k, "0 %", 1, " %")


def _no_gap(key: str, what: str, matrix: tuple[tuple[int, ...], ...]) -> Fact:
    m = macro_f1(Counts.from_matrix(matrix, rows="predicted"))
    n, k = int(m.averaged.n), len(m.labels)
    return Fact(key, f"counterexample: {what}", m.gap, "gap", n, k, "> 0", 4)


def all_tables(k: int, items: int) -> Array:
    """Every k × k table of that many items (tables, k, k)."""
    cells = k * k
    bars = np.array([*combinations(range(items + cells - 1), cells - 1)])
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=-1)
    edges[:, -1] = items + cells - 1
    return (np.diff(edges, axis=1) - 1).reshape(-1, k, k)


def broken(k: int, items: int) -> tuple[int, int, int]:
    """Tables; those with gap 0 although P ≠ R; those with a gap and no P < R or no P > R.

    In whole numbers: a class with hits has P / R = true / predicted items, and the gap is 0 iff
    that ratio is the same for all of them.
    """
    tables = all_tables(k, items)
    hit = np.diagonal(tables, axis1=1, axis2=2) > 0
    true, predicted = (np.where(hit, tables.sum(axis), 0) for axis in (2, 1))
    cross = true[:, :, None] * predicted[:, None, :]
    gap = (cross != cross.transpose(0, 2, 1)).any((1, 2))
    above, below = (true > predicted).any(1), (true < predicted).any(1)
    silent = ~gap & (above | below)
    one_sided = gap & ~(above & below)
    return len(tables), int(silent.sum()), int(one_sided.sum())


def sharp_bound(precision: float, recall: float, classes: int) -> float:
    """The least upper bound of averaged F1, given macro precision, macro recall and classes.

    With P ≥ R it is H(P, R) up to P = (K − 1)/K, which a class without hits reaches, and above it
    (1 + H(K P − 1, K R − 1)) / K, which a perfect class approaches; there R > 1/K in every table.
    """
    k = classes
    if max(precision, recall) <= (k - 1) / k:
        return bounds(precision, recall).high
    x, y = k * precision - 1, k * recall - 1
    if min(x, y) < 0:
        raise InputError(
            f"no table of {k} classes has macro precision {precision} and macro recall {recall}"
        )
    return (1 + (2 * x * y / (x + y) if x + y else 0)) / k


def limits(seed: int, points: int = 101) -> Figure:
    """Where averaged F1 can lie, given macro precision, macro recall and the number of classes."""
    curves: dict[str, Callable[[float], float]] = {
        "lower bound": lambda p: bounds(p, RECALL).low,
        "F1 of averages": lambda p: bounds(p, RECALL).high,
        **{f"{k} classes": partial(_high, k=k) for k in KNOWN},
        **{f"{k} classes, sharp": partial(sharp_bound, recall=RECALL, classes=k) for k in KNOWN},
    }
    precision = np.linspace(0, 1, points)
    parts = []
    for name, curve in curves.items():
        x = precision[precision > _least(_classes(name))]
        parts.append((np.repeat(name, len(x)), x, np.array([curve(float(p)) for p in x])))
    names, x, y = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Figure(
        name="bounds",
        title="Where averaged F1 can lie, given macro precision and macro recall",
        columns={"curve": names, "macro_precision": x, "averaged_f1": y},
        scores={"macro_precision": "macro precision", "averaged_f1": "averaged F1"},
        parameters={"macro recall": RECALL, "classes": [*KNOWN]},
        facts=tuple(_bound(name, curve(AT)) for name, curve in curves.items()),
    )


def _bound(name: str, value: float) -> Fact:
    what = f"{name}, at P = {AT} and R = {RECALL}"
    return Fact(name, what, value, "averaged F1", "any", _classes(name), None, 4)


def _high(p: float, k: int) -> float:
    return bounds(p, RECALL, k).high


def _classes(name: str) -> int | None:
    return int(name.split()[0]) if "classes" in name else None


def _least(k: int | None) -> float:
    """Below this macro precision no table of k classes has macro recall RECALL."""
    return 1 / k if k is not None and (k - 1) / k < RECALL else -1
