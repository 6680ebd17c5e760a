"""Cells drawn at random from a space wider than that of the grid, one score each.

Any metric of the registry that has an interval, any class and average, odd betas, random costs,
2 to 40 classes, 30 to 5,000 items, uneven and random confusion, weights that go with errors or with
classes, few clusters of skewed size whose prevalence and accuracy differ, label sets, rankings with
ties and heavy tails, probabilities of several classes, levels of 90, 95 and 99 %. Metrics that have
no automatic interval are measured with the bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any, TypeAlias

import numpy as np
from benchmarks.cells import SHARES, Cell, Drawn, ample, definition, one_large, table_truths

import whichf1 as wf
from whichf1.definitions.definition import fits
from whichf1.metrics import EVERY

Random: TypeAlias = np.random.Generator
LEVELS = (0.9, 0.95, 0.95, 0.99)
AUTOMATIC = {name: x for name, x in EVERY.items() if x.smooth or fits(wf.Auto(), x)}
RESAMPLED = tuple(name for name in EVERY if name not in AUTOMATIC)
"""Metrics that only have intervals by resampling."""


def _automatic(kind: str) -> tuple[str, ...]:
    """The metrics of a kind that have an automatic interval."""
    return tuple(name for name, x in AUTOMATIC.items() if x.kind == kind)


RATES, AGREEMENT = _automatic("rate"), _automatic("agreement")
RANKINGS, LOSSES = _automatic("ranking"), _automatic("loss")
OF_ITEMS, OF_RANKS = _automatic("items"), _automatic("label ranking")
USUAL = ("roc_auc", "average_precision")
"""Rankings that are drawn more often."""
BETAS = (0.3, 0.7, 1.7, 3.3)
MANY = 200_000
"""Items whose score stands for the truth where there is no formula for it."""
REPLICATES = 199
"""Of the bootstrap, for metrics that have no automatic interval."""


@dataclass(frozen=True)
class Free(Cell):
    """A cell with its own score."""

    family: str
    label: str
    score: str
    level: float
    draw: Callable[[Random], Drawn]
    truth: Callable[[], float]

    @property
    def name(self) -> str:
        return self.label

    @property
    def method(self) -> Any:
        """The interval that is measured."""
        if self.family == "resampled":
            return wf.Bootstrap(replicates=REPLICATES, level=self.level)
        return wf.Auto(level=self.level)

    def draws(self, times: int, rng: Random) -> Iterator[Drawn]:
        for _ in range(times):
            yield self.draw(rng)

    def truths(self) -> dict[str, float]:
        return {self.score: self.truth()}


def random_cells(seed: int, numbers: dict[str, int]) -> Iterator[Free]:
    """This many cells of each family."""
    rng = np.random.default_rng(seed)
    for family, number in numbers.items():
        for _ in range(number):
            yield MAKERS[family](rng)


def _of(rng: Random, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _between(rng: Random, low: float, high: float) -> float:
    """Log-uniform, to three digits."""
    return float(f"{np.exp(rng.uniform(np.log(low), np.log(high))):.3g}")


# tables


def _shares(rng: Random, k: int) -> tuple[str, Any]:
    kind = _of(rng, "even", "tapering", "one large", "random")
    if kind == "one large":
        share = round(float(rng.uniform(0.6, 0.99)), 2)
        return f"{share:g}:rest", one_large(share)(k)
    if kind == "random":
        return kind, 0.9 * rng.dirichlet(np.ones(k)) + 0.1 / k
    return kind, SHARES[kind](k)


def _confusion(rng: Random, k: int, share: Any) -> tuple[str, Any]:
    """The probabilities of predictions, given the true class."""
    if rng.random() < 0.1:
        return "guessing", np.tile(share, (k, 1))
    accuracy = 1 - _between(rng, 0.005, 0.5)
    own = 1 / (1 + (1 / accuracy - 1) * np.exp(_of(rng, 0, 0, 1) * rng.normal(size=k)))
    kind = _of(rng, "even", "adjacent", "to the largest", "random")
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    if kind == "adjacent":
        wrong = (apart == 1).astype(float)
    elif kind == "to the largest":
        wrong = 0.1 * (apart > 0)
        wrong[:, share.argmax()] += apart[:, share.argmax()] > 0
    else:
        wrong = (apart > 0) * (1.0 if kind == "even" else rng.dirichlet(np.ones(k), k) + 1e-3)
    wrong *= (1 - own)[:, None] / wrong.sum(1, keepdims=True)
    np.fill_diagonal(wrong, own)
    return f"{accuracy:.3g} {kind}", wrong


def _table(rng: Random, most: int = 40) -> tuple[str, int, Any]:
    k = int(_between(rng, 2, most + 0.9))
    shares, share = _shares(rng, k)
    errors, rows = _confusion(rng, k, share)
    return f"{k} {shares} {errors}", k, share[:, None] * rows


def _with_parameters(rng: Random, name: str, k: int = 2) -> str:
    """A metric, with a value for a parameter that it may have."""
    drawn: dict[str, Callable[[], Any]] = {
        "beta": lambda: _of(rng, *BETAS),
        "alpha": lambda: _of(rng, 0.1, 0.5),
        "weighting": lambda: _of(rng, "none", "linear", "quadratic"),
        "costs": lambda: _costs(rng, k) if 2 < k < 6 else None,
        "mean": lambda: _of(rng, "arithmetic", "geometric", "min", "max"),
        "of": lambda: _of(rng, "true", "predicted", "both"),
        "k": lambda: int(rng.integers(1, k)),
        "max_fpr": lambda: _of(rng, None, None, 0.1, 0.3),
        "top": lambda: _of(rng, 0.05, 0.2, 0.4),
        "at": lambda: _of(rng, 0.05, 0.2) if name == "tpr_at_fpr" else _of(rng, 0.7, 0.9),
        "min_recall": lambda: _of(rng, 0.3, 0.6),
        "min_fpr": lambda: _of(rng, 0.01, 0.05),
        "threshold": lambda: _of(rng, 0.2, 0.5),
    }
    values = {x: drawn[x]() for x in EVERY[name].parameters if x in drawn}
    texts = [f"{x}={value}" for x, value in values.items() if value is not None]
    return f"{name}({','.join(texts)})" if texts else name


def _costs(rng: Random, k: int) -> str:
    """A cost from 1 to 9 for each pair of classes."""
    costs = rng.integers(1, 10, (k, k))
    np.fill_diagonal(costs, 0)
    return str(costs.tolist()).replace(" ", "")


def _table_score(rng: Random, k: int, weighted: bool = False) -> str:
    """Any score of counts, of a class or of the whole table."""
    kind = rng.random()
    if kind < 0.3:
        fitting = (x for x in AGREEMENT if not (weighted and EVERY[x].whole))
        return _with_parameters(rng, _of(rng, *fitting), k)
    rate = _of(rng, *RATES)
    score = _with_parameters(rng, rate)
    if kind < 0.55:
        return f"{score}|positive:{int(rng.integers(k))}"
    # the others of how many items belong to a class, or are assigned to it, are always 1 / k
    sizes = EVERY[rate].better == "neither"
    averages = ("weighted",) if sizes else ("macro", "macro", "weighted", "micro")
    average = _of(rng, *averages)
    formulas = (
        ("", "|formula:of-averages") if EVERY[rate].harmonic and average != "micro" else ("",)
    )
    return f"{score}|avg:{average}{_of(rng, *formulas)}"


def _truth_of(cells: Any, score: str) -> Callable[[], float]:
    return lambda: table_truths(cells, [score])[score]


def _draw_tables(cells: Any, n: int) -> Callable[[Random], Drawn]:
    chances = cells.ravel() / cells.sum()

    def draw(rng: Random) -> Drawn:
        table = rng.multinomial(n, chances).reshape(cells.shape)
        counts = wf.Counts.from_matrix(table, rows="true")
        return Drawn((counts,), {}, 1, bool(table.sum(1).min() >= 10))

    return draw


def classes(rng: Random) -> Free:
    label, k, cells = _table(rng)
    n, score = int(_between(rng, 30, 5000)), _table_score(rng, k)
    draw = _draw_tables(cells, n)
    return Free(
        "classes", f"{label} n {n}", score, _of(rng, *LEVELS), draw, _truth_of(cells, score)
    )


def weights(rng: Random) -> Free:
    """Log-normal weights, which go with errors, with the true class, or with nothing."""
    label, k, cells = _table(rng, 12)
    n, score, spread = (
        int(_between(rng, 100, 5000)),
        _table_score(rng, k, True),
        _between(rng, 0.2, 1.5),
    )
    way = _of(rng, "anywhere", "twice on errors", "half on errors", "by class")
    factor = np.ones((k, k))
    if way == "by class":
        factor *= np.exp(rng.uniform(-1, 1, k))[:, None]
    elif way != "anywhere":
        factor = np.where(np.eye(k, dtype=bool), 1, 2 if way.startswith("twice") else 0.5)
    sigma = np.sqrt(np.log1p(spread**2))

    def draw(rng: Random) -> Drawn:
        true, predicted = np.divmod(rng.choice(k * k, n, p=cells.ravel() / cells.sum()), k)
        own = rng.lognormal(-(sigma**2) / 2, sigma, n) * factor[true, predicted]
        counts = wf.count(true, predicted, labels=range(k), weights=own)
        return Drawn((counts,), {}, 1, ample(true, k))

    label = f"{label} cv {spread:g} {way} n {n}"
    return Free("weights", label, score, _of(rng, *LEVELS), draw, _truth_of(cells * factor, score))


def clusters(rng: Random) -> Free:
    """Clusters of log-normal sizes, whose accuracy and prevalence differ."""
    k = int(_between(rng, 2, 8.9))
    shares, share = _shares(rng, k)
    accuracy, alike = 1 - _between(rng, 0.03, 0.5), _between(rng, 0.02, 0.4)
    number, size, sigma = int(_between(rng, 10, 300)), _between(rng, 3, 40), _of(rng, 0, 0.5, 1)
    mixed = _of(rng, False, True)
    rest, score = 1 / alike - 1, _table_score(rng, k)
    rows = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(rows, accuracy)

    def draw(rng: Random) -> Drawn:
        sizes = np.maximum(rng.lognormal(np.log(size) - sigma**2 / 2, sigma, number), 1).astype(int)
        cluster = np.repeat(np.arange(number), sizes)
        if mixed:  # how common a class is differs from cluster to cluster
            own = np.cumsum(rng.dirichlet(5 * share, number), 1)[cluster]
            true = np.minimum((rng.random(len(cluster))[:, None] > own).sum(1), k - 1)
        else:
            true = rng.choice(k, len(cluster), p=share)
        right = rng.beta(accuracy * rest, (1 - accuracy) * rest, number)[cluster]
        wrong = (true + rng.integers(1, k, len(cluster))) % k
        predicted = np.where(rng.random(len(cluster)) < right, true, wrong)
        counts = wf.count(true, predicted, labels=range(k), cluster=cluster)
        return Drawn((counts,), {}, 1, ample(true, k))

    label = f"{k} {shares} {accuracy:.3g} ICC {alike:g} {number} of {size:g} sigma {sigma:g}"
    label += " mixed" if mixed else ""
    truth = _truth_of(share[:, None] * rows, score)
    return Free("clusters", label, score, _of(rng, *LEVELS), draw, truth)


# items whose truth is that of many


def _from_many(family: str, label: str, score: str, rng: Random, n: int, items: Any) -> Free:
    """A cell of items that ``items(number, rng)`` makes: data, options, and whether it is ample."""

    def draw(rng: Random) -> Drawn:
        data, options, rich = items(n, rng)
        return Drawn(data, options, 1, rich)

    @lru_cache(maxsize=1)  # created once, when first needed
    def truth() -> float:
        data, options, _ = items(MANY, np.random.default_rng(0))
        return float(definition(score, None, None)(*data, **options))

    return Free(family, f"{label} n {n}", score, _of(rng, *LEVELS), draw, truth)


def label_sets(rng: Random) -> Free:
    """Sets of labels, some of which go together; or the scores of labels."""
    k, n = int(_between(rng, 2, 25.9)), int(_between(rng, 50, 3000))
    rates = np.linspace(0.4, _between(rng, 0.03, 0.3), k)
    accuracy, together = 1 - _between(rng, 0.02, 0.4), _of(rng, 0.0, 0.8)
    metric = _of(rng, *RATES)
    rate = _with_parameters(rng, metric)
    # one item with an infinite ratio makes the mean over all of them infinite
    limited = EVERY[metric].bounds[1] < inf
    averages = ("macro", "micro", "weighted", *(("samples",) if limited else ()))
    averaged = f"{rate}|avg:{_of(rng, *averages)}"
    of_ranks = _with_parameters(rng, _of(rng, *OF_RANKS), k)
    score = _of(rng, averaged, averaged, averaged, _of(rng, *OF_ITEMS), of_ranks)

    def items(n: int, rng: Random) -> Any:
        from scipy.special import ndtr, ndtri

        alone = np.sqrt(1 - together**2) * rng.normal(size=(n, k))
        true = ndtr(together * rng.normal(size=(n, 1)) + alone) < rates
        hard = rng.normal(size=(n, 1))
        right = ndtr(ndtri(accuracy) * 1.3 + 0.5 * hard)
        if score == of_ranks:
            scores = np.where(true, ndtri(accuracy) * 1.5, 0) + rng.normal(size=(n, k))
            return (true.astype(int), scores), {}, bool(true.sum(0).min() >= 10)
        flip = rng.random((n, k)) >= np.where(true, right, 1 - (1 - right) / 5)
        counts = wf.count_multilabel(true, true ^ flip, labels=range(k))
        return (counts,), {}, bool(true.sum(0).min() >= 10)

    label = f"{k} labels rarest {rates[-1]:.2g} {accuracy:.3g} together {together:g}"
    return _from_many("label sets", label, score, rng, n, items)


def rankings(rng: Random, metric: str | None = None) -> Free:
    """Scores of positives and negatives: normal, with heavy tails, skewed or with ties."""
    from scipy.special import expit, ndtri

    n, share = int(_between(rng, 60, 5000)), _between(rng, 0.02, 0.5)
    area, deviation = round(float(rng.uniform(0.6, 0.99)), 2), _of(rng, 0.6, 1, 1.5, 2)
    kind = _of(rng, "normal", "heavy tails", "skewed", "ties")
    metric = _of(rng, *USUAL, *RANKINGS) if metric is None else metric
    score = _with_parameters(rng, metric)
    spread = _of(rng, 0.0, 0.0, 0.7) if score == "roc_auc" else 0.0
    shift, needs_chances = float(ndtri(area) * np.hypot(1, deviation)), EVERY[metric].probabilities

    def items(n: int, rng: Random) -> Any:
        true = rng.random(n) < share
        while not 1 < true.sum() < n - 1:
            true = rng.random(n) < share
        scores = rng.standard_t(3, n) if kind == "heavy tails" else rng.normal(size=n)
        scores = np.where(true, shift + deviation * scores, scores)
        if kind == "skewed":
            scores = rng.exponential(size=n) * np.where(true, deviation, 1) + shift * true
        scores = np.rint(scores) if kind == "ties" else scores
        if needs_chances:
            scores = expit(np.log(share / (1 - share)) + scores - shift / 2)
        sigma = np.sqrt(np.log1p(spread**2))
        options = {"weights": np.exp(sigma * rng.normal(size=n))} if spread else {}
        return (true, scores), options, bool(10 <= true.sum() <= n - 10)

    label = f"{kind} area {area:g} sd {deviation:g} positives {share:g}"
    label += f" cv {spread:g}" if spread else ""
    family = "resampled" if metric in RESAMPLED else "rankings"
    return _from_many(family, label, score, rng, n, items)


def losses(rng: Random) -> Free:
    """Probabilities of two or more classes: calibrated, overconfident, or now and then wrong."""
    k, n = int(_between(rng, 2, 8.9)), int(_between(rng, 50, 5000))
    kind, signal = _of(rng, "calibrated", "overconfident", "floor"), _between(rng, 0.5, 4)
    several = (
        "roc_auc|avg:macro",
        "roc_auc(multi_class=ovo)|avg:weighted",
        ("average_precision|avg:macro"),
    )
    own = _with_parameters(rng, _of(rng, *LOSSES), k)
    score = _of(rng, own, own, own, *(several if k > 2 else ()))

    def items(n: int, rng: Random) -> Any:
        odds = signal * rng.normal(size=(n, k)) + np.linspace(0, 1, k)
        chances = np.exp(odds - odds.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        true = np.zeros(n, int)
        while len(np.unique(true)) < k:
            true = np.minimum((rng.random(n)[:, None] > np.cumsum(chances, 1)).sum(1), k - 1)
        if kind == "overconfident":
            chances = chances**2 / (chances**2).sum(1, keepdims=True)
        if kind == "floor":  # surely wrong
            sure = np.full((n, k), 1e-3 / (k - 1))
            sure[np.arange(n), (true + 1) % k] = 1 - 1e-3
            chances = np.where(rng.random((n, 1)) < 0.005, sure, chances)
        return (true, chances), {"labels": range(k)}, ample(true, k)

    label = f"{k} classes {kind} signal {signal:g}"
    return _from_many("losses", label, score, rng, n, items)


def resampled(rng: Random) -> Free:
    """Metrics of tables and rankings that only have intervals by resampling."""
    metric = _of(rng, *RESAMPLED)
    if EVERY[metric].kind == "ranking":
        return rankings(rng, metric)
    label, _, cells = _table(rng, 8)
    n, score = int(_between(rng, 30, 5000)), _with_parameters(rng, metric)
    draw, truth = _draw_tables(cells, n), _truth_of(cells, score)
    return Free("resampled", f"{label} n {n}", score, _of(rng, *LEVELS), draw, truth)


MAKERS: dict[str, Callable[[Random], Free]] = {
    "classes": classes,
    "weights": weights,
    "clusters": clusters,
    "label sets": label_sets,
    "rankings": rankings,
    "losses": losses,
    "resampled": resampled,
}
