"""Losses: means over items of a function of their probabilities or scores."""

from __future__ import annotations

from math import inf, log
from typing import Annotated, Literal

import numpy as np

from whichf1 import kernel
from whichf1.kernel import LossSums
from whichf1.metrics.costs import Costs, lowest_and_highest
from whichf1.metrics.registry import Floor, Whole, declare
from whichf1.tables.cells import Array, Predicted, Ties

EPSILON = float(np.finfo(np.float64).eps)


@declare(
    "value",
    tex=r"\frac{1}{n}\sum_i v_i",
    title="mean",
    bounds=(-inf, inf),
    bounds_of=lambda of, bounds: (0, 1) if bounds == "unit" else (-inf, inf),
    unlimited=True,
)
def mean_value(
    values: Array,
    of: Annotated[str | None, "What the value is called: its column in a frame or file."] = None,
    bounds: Annotated[
        Literal["unit", "none"] | None,
        "'unit' if values lie from 0 to 1, as their mean then does, or 'none'. Default: whether "
        "these values do.",
    ] = None,
) -> Array:
    """Mean over items of a value that they have, such as a rating or a score of another program."""
    return values


@declare(
    "loss",
    tex=r"-\frac{1}{n}\sum_i\ln\max(p_{i,y_i},\varepsilon)",
    title="log loss",
    aliases=("cross_entropy", "negative_log_likelihood", "logloss"),
    bounds=(0, inf),
    attainable=lambda classes, floor: (0, -log(floor) if floor else inf),
    better="lower",
    sklearn="log_loss",
    probabilities=True,
    unlimited=True,
    sums=lambda x, floor: kernel.loss_sums(x.codes, x.scores, floor),
)
def log_loss(
    x: Predicted,
    floor: Annotated[Floor, "Probabilities below this value are replaced by it."] = EPSILON,
) -> Array:
    """Mean negative natural logarithm of the probability assigned to the true class."""
    return -np.log(np.maximum(x.own, floor))


def _brier_sums(x: Predicted, scale: str | None) -> LossSums:
    sums = kernel.brier_sums(x.codes, x.scores)
    if scale == "sum":
        return sums
    return sums._replace(total=sums.total / 2, squares=sums.squares / 4)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i\sum_j(p_{ij}-[y_i=j])^2",
    title="Brier score",
    aliases=("brier_score", "brier_score_loss"),
    bounds=(0, 2),
    attainable=lambda classes, scale: (0, 1 if scale == "half" else 2),
    better="lower",
    sklearn="brier_score_loss",
    probabilities=True,
    sums=_brier_sums,
)
def brier(
    x: Predicted,
    scale: Annotated[
        Literal["half", "sum"] | None,
        "Sum the squared errors over classes, or halve the sum. Default: 'half' for two classes, "
        "where it is the usual (p - y)^2, and 'sum' for more.",
    ] = None,
) -> Array:
    """Mean squared error of the predicted probabilities."""
    scores = x.error(np.square)
    return scores if scale == "sum" else scores / 2


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i[\mathrm{rank}_i(y_i)\le k]",
    title="top-k accuracy",
    aliases=("top_k",),
    sklearn="top_k_accuracy_score",
    sums=lambda x, k, ties: kernel.top_sums(x.codes, x.scores, k, ties),
)
def top_k_accuracy(
    x: Predicted,
    k: Annotated[Whole, "How many of the top-scored classes to consider."] = 2,
    ties: Annotated[
        Ties,
        "Which of several equal scores ranks first: the 'first' or the 'last' class in label "
        "order, or the true class at 'best' or at 'worst'.",
    ] = "first",
) -> Array:
    """Fraction of items whose true class is among the k highest-scored classes."""
    return np.where(x.ahead(ties) < k, 1.0, 0.0)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i\max\left(0,\,1-s_{i,y_i}+\max_{j\ne y_i}s_{ij}\right)",
    aliases=("hinge",),
    bounds=(0, inf),
    better="lower",
    sklearn="hinge_loss",
    signed=True,
    unlimited=True,
    sums=lambda x: kernel.hinge_sums(x.codes, x.scores),
)
def hinge_loss(x: Predicted) -> Array:
    """Mean shortfall of the true class's score from a margin of 1 above all others."""
    short: Array = np.maximum(1 - x.margin, 0.0)
    return short


@declare(
    "loss",
    tex=r"\frac{1}{n(r-1)}\sum_i\sum_{k<r}\left(\sum_{j\le k}p_{ij}-[y_i\le k]\right)^2",
    aliases=("rps",),
    better="lower",
    probabilities=True,
)
def ranked_probability_score(x: Predicted) -> Array:
    """Mean squared error of cumulative probabilities, for classes in label order (Epstein 1969)."""
    return x.running_error(np.square) / max(x.classes - 1, 1)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i\frac{p_{i,y_i}}{\sqrt{\sum_j p_{ij}^2}}",
    probabilities=True,
)
def spherical_score(x: Predicted) -> Array:
    """Mean probability of the true class divided by the norm of the probability vector."""
    score: Array = x.own / np.sqrt(x.total(np.square))
    return score


@declare(
    "loss",
    tex=r"1-\frac{\sum_i\ln p_{i,y_i}}{\sum_i\ln(n_{y_i}/n)}",
    title="log loss skill score",
    aliases=("d2_log_loss_score", "d2_log_loss"),
    bounds=(-inf, 1),
    sklearn="d2_log_loss_score",
    probabilities=True,
    unlimited=True,
    relative="skill",
    sums=lambda x, floor, each=None: kernel.loss_sums(x.codes, x.scores, floor, each),
)
def log_loss_skill(
    x: Predicted,
    floor: Annotated[Floor, "Probabilities below this value are replaced by it."] = EPSILON,
) -> Array:
    """Fraction by which the log loss is lower than that of predicting the class frequencies."""
    return -np.log(np.maximum(x.own, floor))


@declare(
    "loss",
    tex=r"1-\frac{\sum_{ij}(p_{ij}-[y_i=j])^2}{\sum_{ij}(n_j/n-[y_i=j])^2}",
    title="Brier skill score",
    aliases=("brier_skill_score", "d2_brier_score"),
    bounds=(-inf, 1),
    sklearn="d2_brier_score",
    probabilities=True,
    relative="skill",
    sums=lambda x, each=None: kernel.brier_sums(x.codes, x.scores, each),
)
def brier_skill(x: Predicted) -> Array:
    """Fraction by which the Brier score is lower than that of predicting the class frequencies."""
    return x.error(np.square)


@declare(
    "loss",
    tex=r"\frac{1}{n}\sum_i c_{y_i,d_i},\quad d_i=\arg\min_j\sum_k p_{ik}c_{kj}",
    title="expected cost of Bayes decisions",
    bounds=(0, inf),
    attainable=lowest_and_highest,
    better="lower",
    probabilities=True,
)
def bayes_cost(x: Predicted, costs: Costs = None) -> Array:
    """Mean cost of decisions that minimize the cost expected from the probabilities (Ferrer)."""
    return x.cost(costs)


@declare(
    "loss",
    tex=r"\frac{\sum_i c_{y_i,d_i}}{\min_j\sum_i c_{y_i,j}},\quad"
    r" d_i=\arg\min_j\sum_k p_{ik}c_{kj}",
    title="normalized expected cost of Bayes decisions",
    bounds=(0, inf),
    better="lower",
    probabilities=True,
    relative="ratio",
)
def normalized_bayes_cost(x: Predicted, costs: Costs = None) -> Array:
    """Mean cost of Bayes decisions divided by that of the best constant decision."""
    return x.cost(costs)
