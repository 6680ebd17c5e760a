"""Beyond the paper, by chance: random tables inside the bounds, and rankings that differ."""

from __future__ import annotations

import numpy as np

from whichf1.metrics.averaging import ZeroRule, averaged
from whichf1.metrics.rates import precision, recall
from whichf1.paper.mathematics import KNOWN, sharp_bound
from whichf1.paper.result import Fact, Figure
from whichf1.paper.simulation import generator, one_vs_rest, score
from whichf1.scoring.macro import bounds
from whichf1.tables.cells import Array

SPREAD = 4
"""Standard deviation of the logarithm of a cell: most tables are very uneven."""
FIXED = 0.8
"""The macro precision of the second panel's tables."""

RANDOM_TABLES = {
    "cells": f"exp({SPREAD} z), z standard normal; shares of items, not whole items",
    "free": "the diagonal times exp(u), u uniform on [-6, 6]",
    "fixed": f"the diagonal scaled until macro precision is {FIXED}",
}


def interval(seed: int, tables: int = 300) -> Figure:
    """Random tables in the region of possible pairs, all and at one macro precision."""
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
    names = ("panel", "classes", "macro_precision", "macro_recall", "averaged_f1", "f1_of_averages")
    columns = map(np.concatenate, zip(*parts, strict=True))
    return Figure(
        name="interval",
        title="Random tables inside the interval of possible averaged F1s",
        columns=dict(zip(names, columns, strict=True)),
        scores={
            "macro_precision": "macro precision",
            "macro_recall": "macro recall",
            "averaged_f1": "averaged F1",
            "f1_of_averages": "F1 of averages",
        },
        parameters={"tables per panel and number of classes": tables, **RANDOM_TABLES},
        seed=seed,
        facts=tuple(facts),
    )


def macro(tables: Array) -> tuple[Array, Array]:
    """Macro precision and macro recall of each table (…)."""
    c = one_vs_rest(tables)
    p, r = (averaged(metric, {}, ZeroRule(0), c) for metric in (precision, recall))
    return p, r


def tuned(tables: Array, target: float) -> Array:
    """The tables with their diagonals scaled until macro precision is ``target``, by bisection."""
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


RATIOS = (1, 2, 5, 10, 20, 50, 100)
"""How many times as large the largest class is as the smallest."""
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
    rows = [
        (skill, k, ratio, float(flipped(rng, k, ratio, pairs, items, skill == "equal").mean()))
        for skill in ("equal", "independent")
        for k in RANKED
        for ratio in RATIOS
    ]
    skill, k, ratio, share = (np.array(column) for column in zip(*rows, strict=True))
    facts = [
        _ranked(skill, k, ratio, share, items)
        for skill, k, ratio, share in rows
        if ratio in (RATIOS[0], RATIOS[-1])
    ]
    return Figure(
        name="rankings",
        title="Pairs of classifiers that the two formulas rank differently",
        columns={
            "skill": skill,
            "classes": k,
            "largest_to_smallest_class": ratio,
            "share_ranked_differently": share,
            "standard_error": np.sqrt(share * (1 - share) / pairs),
        },
        scores={"share_ranked_differently": "both", "standard_error": "both"},
        parameters={"pairs per point": pairs, "items": items, **RANDOM_PAIRS},
        seed=seed,
        facts=tuple(facts),
    )


def _ranked(skill: str, k: int, ratio: int, share: float, items: int) -> Fact:
    what = f"{skill} skill, {k} classes, {ratio}:1, pairs ranked differently"
    return Fact(f"{skill}{k}_{ratio}", what, 100 * share, "both", items, k, None, 1, " %")


def flipped(
    rng: np.random.Generator, k: int, ratio: float, pairs: int, items: int, equal_skill: bool
) -> Array:
    """For each of some random pairs on one data set, whether the formulas rank it differently."""
    shares = np.geomspace(1, ratio, k)
    true = rng.multinomial(items, shares / shares.sum(), size=pairs)
    skill = np.broadcast_to(
        rng.uniform(size=(pairs, 1 if equal_skill else 2, 1, 1)), (pairs, 2, 1, 1)
    )
    guesses = rng.dirichlet(np.ones(k), size=(pairs, 2))[:, :, None, :]
    rows = skill * np.eye(k) + (1 - skill) * guesses
    rows = rows / rows.sum(-1, keepdims=True)
    both = score(rng.multinomial(np.repeat(true[:, None], 2, 1), rows))
    a, b = (values[:, 0] - values[:, 1] for values in both[:2])
    differently: Array = a * b < 0
    return differently
