"""Random classification tasks, drawn as counts and scored as one batch.

A task of N independent items is one multinomial draw of N over the cells of the confusion matrix.
This has the same distribution as drawing item by item, but its cost does not grow with N. In every
array of probabilities, rows are true classes and columns are predicted classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whichf1.definitions.definition import Frozen, define
from whichf1.metrics.averaging import ZeroRule, per_class
from whichf1.metrics.rates import precision, recall
from whichf1.scoring.macro import gap_contributions
from whichf1.tables.cells import Array, Table
from whichf1.tables.labels import Labels

ALL = {"classes": "declared"}
"""The classes of the table, whether they occur or not."""
AVERAGED = define("averaged_f1", None, ALL)
OF_AVERAGES = define("f1_of_averages", None, ALL)


class Both(NamedTuple):
    """Both macro F1s of each table of a batch (…)."""

    averaged: Array
    of_averages: Array
    gap: Array
    """F1 of averages minus averaged F1, computed as a variance to avoid cancellation."""


def generator(seed: int, name: str) -> np.random.Generator:
    """The random numbers of one figure; they do not depend on which other figures are computed."""
    return np.random.default_rng([seed, *name.encode()])


def draw(rng: np.random.Generator, cells: Array, items: int, tasks: int) -> Array:
    """``tasks`` tables of ``items`` items for each array of cell probabilities (…, k, k)."""
    *lead, k, _ = cells.shape
    flat = cells.reshape(*lead, k * k)
    flat = flat / flat.sum(-1, keepdims=True)  # multinomial requires an exact sum of 1
    return rng.multinomial(items, flat, size=(tasks, *lead)).reshape(tasks, *lead, k, k)


def score(tables: Array) -> Both:
    """Both macro F1s of dense tables (…, k, k), as the paper defines them."""
    frozen, gap = _frozen(tables), gap_contributions(*class_rates(tables)).sum(-1)
    return Both(AVERAGED.values(frozen), OF_AVERAGES.values(frozen), gap)


def class_rates(tables: Array) -> tuple[Array, Array]:
    """Precision and recall of each class (…, k) of dense tables."""
    c, rule = _frozen(tables).table.one_vs_rest(), ZeroRule(AVERAGED.undefined)
    return per_class(precision, {}, rule, c), per_class(recall, {}, rule, c)


def _frozen(tables: Array) -> Frozen:
    k = tables.shape[-1]
    true, predicted = np.divmod(np.arange(k * k), k)
    flat = tables.reshape(*tables.shape[:-2], k * k).astype(np.float64)
    return Frozen(Table(true, predicted, flat, k), np.arange(k), Labels(range(k)))


def guessing(shares: Array) -> Array:
    """Cells of a classifier that guesses uniformly on classes of these relative sizes (fig. 1)."""
    k = shares.shape[-1]
    return np.asarray(np.repeat(shares[..., None], k, -1) / k)


def class_shares(k: int, skew: Array) -> Array:
    """Relative class sizes from 1/k (skew 0) to i / Σi (skew 1), for class i = 1 … k (fig. 2)."""
    i = np.arange(1, k + 1)
    y = np.asarray(skew)[..., None]
    return np.asarray((1 - y) / k + y * i / i.sum())


def even_errors(k: int, accuracy: Array, skew: Array) -> Array:
    """Cells of skewed classes whose errors are spread evenly over the wrong labels (fig. 2)."""
    x = np.asarray(accuracy)[..., None, None]
    rows = np.where(np.eye(k, dtype=bool), x, (1 - x) / (k - 1))
    return np.asarray(class_shares(k, skew)[..., None] * rows)


def skewed_errors(k: int, accuracy: Array, skew: Array) -> Array:
    """Cells of balanced classes; wrong label j has a probability from even to ∝ j (fig. 3)."""
    x, y = (np.asarray(axis)[..., None, None] for axis in (accuracy, skew))
    j = np.arange(1, k + 1)
    wrong = (1 - y) / (k - 1) + y * j / (j.sum() - j[:, None])
    return np.asarray(np.where(np.eye(k, dtype=bool), x, (1 - x) * wrong) / k)
