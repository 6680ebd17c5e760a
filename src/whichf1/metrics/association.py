"""Association: how much predicted and true classes say about each other, whatever they are called.

Chance alone biases them: information and Cramér's V cannot be negative, and a few errors are
never spread evenly. Intervals of the delta method do not cover the truth often enough (simulated
with 2, 3 and 6 classes), so these metrics are declared as not smooth.
"""

from __future__ import annotations

from math import e, inf, log
from typing import Annotated, Literal

import numpy as np

from whichf1.metrics.registry import Ratio, agreement
from whichf1.tables.cells import Margins, logarithm, root


@agreement(
    tex=r"\frac{1}{n}\sum_{ij}C_{ij}\ln\frac{n\,C_{ij}}{C_{i\cdot}C_{\cdot j}}",
    bounds=(0, inf),
    sklearn="mutual_info_score",
    smooth=False,
)
def mutual_information(m: Margins) -> Ratio:
    """Information that true and predicted classes share, in nats."""
    return m.shared, m.total


@agreement(
    tex=r"\frac{I(Y;\hat Y)}{\mathrm{mean}(H(Y),H(\hat Y))}",
    aliases=("nmi",),
    sklearn="normalized_mutual_info_score",
    smooth=False,
)
def normalized_mutual_information(
    m: Margins,
    mean: Annotated[
        Literal["arithmetic", "geometric", "min", "max"],
        "The mean of the two entropies that mutual information is divided by.",
    ] = "arithmetic",
) -> Ratio:
    """Mutual information divided by a mean of the entropies of true and predicted classes."""
    true, predicted = m.entropies
    if mean == "arithmetic":
        bottom = (true + predicted) / 2
    elif mean == "geometric":
        bottom = root(true) * root(predicted)
    else:
        bottom = (np.minimum if mean == "min" else np.maximum)(true, predicted)
    return np.minimum(m.shared, bottom), bottom


@agreement(
    tex=r"\sqrt{\frac{\chi^2}{n\,(\min(r,c)-1)}}",
    title="Cramér's V",
    aliases=("cramers_v",),
    smooth=False,
)
def cramer_v(m: Margins) -> Ratio:
    """Strength of the association between true and predicted classes, from chi-squared."""
    squares, degrees = m.contingency
    most = m.total * m.total * degrees
    return root(np.minimum(squares, most)), root(most)


@agreement(
    tex=r"\frac{\sum_j\max_i C_{ij}-\max_i C_{i\cdot}}{n-\max_i C_{i\cdot}}",
    title="Goodman and Kruskal's lambda",
    smooth=False,
)
def goodman_kruskal_lambda(
    m: Margins,
    of: Annotated[
        Literal["true", "predicted", "both"],
        "Which class is guessed from the other: the true one, the predicted one, or both in turn.",
    ] = "true",
) -> Ratio:
    """Fraction of wrong guesses of one class that knowing the other avoids."""
    sides = {"true": ("true",), "predicted": ("predicted",), "both": ("true", "predicted")}[of]
    saved, wrong = zip(*(_guessed(m, side) for side in sides), strict=True)
    return sum(saved), sum(wrong)


@agreement(
    tex=r"\frac{\sum_{ij}\binom{C_{ij}}{2}-E}"
    r"{\frac12\left[\sum_i\binom{C_{i\cdot}}{2}+\sum_j\binom{C_{\cdot j}}{2}\right]-E}",
    title="adjusted Rand index",
    aliases=("ari", "adjusted_rand"),
    bounds=(-0.5, 1),
    sklearn="adjusted_rand_score",
    smooth=False,
    whole=True,
)
def adjusted_rand_index(m: Margins) -> Ratio:
    """Agreement beyond chance on which pairs of items share a class (Hubert and Arabie 1985)."""
    n, (same, only_true, only_predicted) = m.total, m.pairs
    apart = n * (n - 1) - same - only_true - only_predicted
    top = 2 * (same * apart - only_true * only_predicted)
    pairs = (same + only_true) * (only_true + apart)
    return top, pairs + (same + only_predicted) * (only_predicted + apart)


@agreement(
    tex=r"-\frac{1}{2n}\sum_{i\ne j}C_{ij}\left(\log_b\frac{C_{ij}}{d_i}"
    r"+\log_b\frac{C_{ij}}{d_j}\right),\quad b=2(K-1)",
    aliases=("cen",),
    bounds=(0, 2 / (e * log(2))),
    better="lower",
    smooth=False,
)
def confusion_entropy(m: Margins) -> Ratio:
    """How evenly errors spread over pairs of classes (Wei et al. 2010); may exceed 1."""
    k, cells, both = m.tp.shape[-1], m.cells, m.rows + m.columns
    wrong = (cells.true != cells.predicted) & (cells.values.real > 0)
    count = np.where(wrong, cells.values, 1)
    shares = [
        np.where(wrong, np.take(both, side, -1), 1) / count
        for side in (cells.true, cells.predicted)
    ]
    spread = np.where(wrong, count * (logarithm(shares[0]) + logarithm(shares[1])), 0).sum(-1)
    return spread, 2 * m.total * (logarithm(m.total * 0 + 2 * (k - 1)) if k > 1 else 0)


def _guessed(m: Margins, side: str) -> Ratio:
    """Wrong guesses of one class that knowing the other avoids, and all that are wrong without.

    Both are sums over all but the most frequent class, not differences of large sums.
    """
    items, other = (m.rows, m.cells.predicted) if side == "true" else (m.columns, m.cells.true)
    most = np.argmax(items, -1)[..., None]
    order = np.argsort(other, kind="stable")
    starts = np.flatnonzero(np.diff(other[order], prepend=-1))
    values = m.cells.values[..., order]
    guessed = np.where(getattr(m.cells, side)[order] == most, values, 0)
    saved = np.maximum.reduceat(values, starts, -1) - np.add.reduceat(guessed, starts, -1)
    return saved.sum(-1), np.where(np.arange(items.shape[-1]) == most, 0, items).sum(-1)
