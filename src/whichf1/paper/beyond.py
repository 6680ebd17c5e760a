"""Beyond the paper: the gap as a variance, a counterexample, bounds, random tables, rankings."""

from __future__ import annotations

from itertools import product

import numpy as np

from whichf1.errors import InputError
from whichf1.paper.result import Fact, Figure, tidy
from whichf1.paper.simulation import class_rates, generator, score
from whichf1.scoring.macro import bounds, macro_f1
from whichf1.scoring.properties import all_tables
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts

# the gap as a variance

EXAMPLE = ((80, 20, 0, 0), (5, 40, 25, 30), (0, 2, 12, 1), (1, 3, 0, 9))
"""Four classes, true classes in rows: the first is mostly found, the last two over-predicted."""


def variance(seed: int) -> Figure:
    """The classes of an example by precision and recall, and their contributions to the gap."""
    m = macro_f1(Counts.from_matrix(EXAMPLE, rows="true", labels=list("abcd")))
    weight = m.precision + m.recall
    numbers = (
        ("of", "example", m.of_averages.value, "F1 of averages"),
        ("av", "example", m.averaged.value, "averaged F1"),
        ("gap", "example, as a difference", m.gap, "gap"),
        ("sum", "example, as a variance", float(m.contributions.sum()), "gap"),
    )
    labels, n = tuple(m.labels), int(m.averaged.n)
    parts = [(labels, m.precision, m.recall, weight, m.precision / weight, m.contributions)]
    return Figure(
        name="variance",
        title="The gap is a weighted variance over the classes",
        columns=tidy("class precision recall weight direction contribution", parts),
        parameters={"rows": "true", "matrix": EXAMPLE},
        facts=[Fact(*number, n, len(labels), None, 4, labels=labels) for number in numbers],
    )


# the second part of the theorem

COUNTEREXAMPLE = ((12, 3, 0), (3, 12, 0), (5, 5, 0))
"""Predictions in rows: the third class has no hit, the others have P = .8 and R = .6."""
SMALLEST = ((1, 1), (2, 0))
"""Predictions in rows: four items, every class true and predicted, P₁ = 1/2 and R₁ = 1/3."""
SILENT = "gap_is_0_although_p_differs_from_r"
ONE_SIDED = "gap_above_0_although_all_p_are_on_one_side_of_r"
MOST = {2: 16, 3: 9}
"""For each number of classes, all tables of up to this many items are enumerated."""


def counterexample(seed: int) -> Figure:
    """How many small tables violate the theorem's second part as printed, by enumeration."""
    rows = [(k, n, *broken(k, n)) for k, most in MOST.items() for n in range(1, most + 1)]
    return Figure(
        name="counterexample",
        title="The theorem's second part needs a hit in every class",
        columns=tidy(f"classes items tables {SILENT} {ONE_SIDED}", rows),
        parameters={
            "tables": "all with that many classes and items",
            "counterexample, predictions in rows": COUNTEREXAMPLE,
            "smallest, predictions in rows": SMALLEST,
        },
        facts=[
            _no_gap("three", "three classes", COUNTEREXAMPLE),
            _no_gap("two", "two classes, both true and predicted", SMALLEST),
            *(_silent_share(*row[:4]) for row in rows if row[1] == MOST[row[0]]),
        ],
    )


def _no_gap(key: str, what: str, matrix: tuple[tuple[int, ...], ...]) -> Fact:
    m = macro_f1(Counts.from_matrix(matrix, rows="predicted"))
    n, k = int(m.averaged.n), len(m.labels)
    return Fact(key, f"counterexample: {what}", m.gap, "gap", n, k, "> 0", 4)


def _silent_share(k: int, items: int, tables: int, silent: int) -> Fact:
    what = f"tables of {items} items with gap 0 although P ≠ R for a class"
    return Fact(f"share{k}", what, 100 * silent / tables, "gap", items, k, "0 %", 1, " %")


def broken(k: int, items: int) -> tuple[int, int, int]:
    """Count all tables; those with gap 0 although P ≠ R; those with a gap and no P < R or no P > R.

    In integers: a class with hits has P / R = true / predicted items, and the gap is 0 if and only
    if that ratio is the same for all of them.
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


# bounds of averaged F1

KNOWN = (2, 3, 5)
"""Numbers of classes for which bounds are drawn."""
RECALL = 0.7
"""The macro recall for which bounds are drawn."""
AT = 0.9
"""The macro precision at which they are printed."""


def sharp_bound(precision: float, recall: float, classes: int) -> float:
    """The least upper bound of averaged F1, given macro precision, macro recall and classes.

    With P ≥ R it is H(P, R) up to P = (K − 1)/K, attained with a class without hits, and above
    that (1 + H(K P − 1, K R − 1)) / K, approached by a perfect class; there, R > 1/K in any table.
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
    """The range of averaged F1, given macro precision, macro recall and the number of classes."""
    curves = ["lower bound", "F1 of averages", *(f"{k} classes" for k in KNOWN)]
    curves += [f"{k} classes, sharp" for k in KNOWN]
    precision, parts = np.linspace(0, 1, points), []
    for name in curves:
        k = _classes(name)  # below 1/k, no table of few classes has macro recall RECALL
        x = precision[precision > (1 / k if k is not None and (k - 1) / k < RECALL else -1)]
        parts.append((np.repeat(name, len(x)), x, np.array([_bound(name, float(p)) for p in x])))
    at = f"at P = {AT} and R = {RECALL}"
    return Figure(
        name="bounds",
        title="Possible values of averaged F1 for a macro precision and macro recall",
        columns=tidy("curve macro_precision averaged_f1", parts),
        parameters={"macro recall": RECALL, "classes": [*KNOWN]},
        facts=[
            Fact(x, f"{x}, {at}", _bound(x, AT), "averaged F1", "any", _classes(x), None, 4)
            for x in curves
        ],
    )


def _classes(curve: str) -> int | None:
    return int(curve.split()[0]) if "classes" in curve else None


def _bound(curve: str, precision: float) -> float:
    """The bound that a curve shows, at this macro precision."""
    k = _classes(curve)
    if k is not None and "sharp" in curve:
        return sharp_bound(precision, RECALL, k)
    low, high = bounds(precision, RECALL, k)
    return low if curve == "lower bound" else high


# random tables inside the bounds

SPREAD = 4
"""Standard deviation of the logarithm of a cell: most tables are very uneven."""
FIXED = 0.8
"""The macro precision of the tables in the second panel."""
RANDOM_TABLES = {
    "cells": f"exp({SPREAD} z), z standard normal; shares of items, not whole items",
    "free": "the diagonal times exp(u), u uniform on [-6, 6]",
    "fixed": f"the diagonal scaled until macro precision is {FIXED}",
}


def interval(seed: int, tables: int = 300) -> Figure:
    """Random tables within the bounds, without restriction and at one macro precision."""
    rng = generator(seed, "interval")
    parts, facts = [], []
    for k in KNOWN:
        cells = np.exp(SPREAD * rng.standard_normal((tables, k, k)))
        free = cells * np.where(np.eye(k), np.exp(rng.uniform(-6, 6, (tables, 1, 1))), 1)
        batch = np.concatenate([free, tuned(cells, FIXED)])
        both, (p, r) = score(batch), macro(batch)
        panel = np.repeat(["free", "fixed"], tables)
        parts.append([panel, np.full(2 * tables, k), p, r, *both[:2]])
        facts.append(_outside(k, p, r, both.averaged))
    names = "panel classes macro_precision macro_recall averaged_f1 f1_of_averages"
    return Figure(
        name="interval",
        title="Random tables inside the interval of possible averaged F1s",
        columns=tidy(names, parts),
        parameters={"tables per panel and number of classes": tables, **RANDOM_TABLES},
        seed=seed,
        facts=facts,
    )


def macro(tables: Array) -> tuple[Array, Array]:
    """Macro precision and macro recall of each table (…)."""
    p, r = class_rates(tables)
    return p.mean(-1), r.mean(-1)


def tuned(tables: Array, target: float) -> Array:
    """The tables with diagonals scaled, by bisection, so that macro precision is ``target``."""
    diagonal = np.eye(tables.shape[-1], dtype=bool)
    low, high = (np.full((len(tables), 1, 1), end) for end in (-40.0, 40.0))
    for _ in range(60):
        middle = (low + high) / 2
        p, _ = macro(np.where(diagonal, tables * np.exp(middle), tables))
        short = (p < target)[:, None, None]
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.where(diagonal, tables * np.exp(high), tables)


def _outside(k: int, p: Array, r: Array, values: Array) -> Fact:
    """How many tables lie outside the bounds for their own macro precision and recall."""
    outside = 0
    for x, y, value in zip(p.tolist(), r.tolist(), values.tolist(), strict=True):
        low, high = bounds(x, y, k)
        outside += not low - 1e-12 <= value <= min(high, sharp_bound(x, y, k)) + 1e-12
    what = f"{k} classes: tables outside the bounds, of {len(values):,}"
    return Fact(f"outside{k}", what, outside, "averaged F1", "any", k, None, 0)


# random classifiers that the two formulas rank differently

RATIOS = (1, 2, 5, 10, 20, 50, 100)
"""Ratios of the largest class to the smallest."""
RANKED = (2, 4, 8, 13)
"""Numbers of classes for which pairs are ranked."""
RANDOM_PAIRS = {
    "class shares": "a geometric sequence with that ratio of the largest to the smallest",
    "classifier": "right with probability a, otherwise it guesses from w: "
    "a uniform on [0, 1], w uniform on the simplex",
    "skill": "equal: a pair shares a; independent: each has its own",
}


def rankings(seed: int, pairs: int = 2000, items: int = 1000) -> Figure:
    """How often the two formulas rank two random classifiers differently."""
    rng = generator(seed, "rankings")
    rows, facts = [], []
    for skill, k, ratio in product(("equal", "independent"), RANKED, RATIOS):
        share = float(flipped(rng, k, ratio, pairs, items, skill == "equal").mean())
        rows.append((skill, k, ratio, share, np.sqrt(share * (1 - share) / pairs)))
        if ratio in (RATIOS[0], RATIOS[-1]):
            what = f"{skill} skill, {k} classes, {ratio}:1, pairs ranked differently"
            key, percent = f"{skill}{k}_{ratio}", 100 * share
            facts.append(Fact(key, what, percent, "both", items, k, None, 1, " %"))
    names = "skill classes largest_to_smallest_class share_ranked_differently standard_error"
    return Figure(
        name="rankings",
        title="Pairs of classifiers that the two formulas rank differently",
        columns=tidy(names, rows),
        parameters={"pairs per point": pairs, "items": items, **RANDOM_PAIRS},
        seed=seed,
        facts=facts,
    )


def flipped(
    rng: np.random.Generator, k: int, ratio: float, pairs: int, items: int, equal_skill: bool
) -> Array:
    """Whether the formulas rank each random pair of classifiers differently (pairs)."""
    shares = np.geomspace(1, ratio, k)
    true = rng.multinomial(items, shares / shares.sum(), size=pairs)
    drawn = rng.uniform(size=(pairs, 1 if equal_skill else 2, 1, 1))
    skill = np.broadcast_to(drawn, (pairs, 2, 1, 1))
    guesses = rng.dirichlet(np.ones(k), size=(pairs, 2))[:, :, None, :]
    rows = skill * np.eye(k) + (1 - skill) * guesses
    rows = rows / rows.sum(-1, keepdims=True)
    both = score(rng.multinomial(np.repeat(true[:, None], 2, 1), rows))
    a, b = (values[:, 0] - values[:, 1] for values in both[:2])
    return np.asarray(a * b < 0)
