"""Ways to draw data sets whose true scores are known: the cells of the coverage simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import whichf1 as wf

HUGE = 10**12
"""Items of the table that represents the truth."""


class Drawn(NamedTuple):
    data: tuple[Any, ...]
    options: dict[str, Any]
    times: int = 1
    """How many data sets of the batch are this one."""
    ample: bool = True
    """Whether every class has 10 items."""


class Cell:
    """A way to draw data sets, and the scores whose truth is known."""

    family: str

    def draws(self, times: int, rng: np.random.Generator) -> Iterator[Drawn]:
        """Data sets."""
        raise NotImplementedError

    def truths(self) -> dict[str, float]:
        """The true value of each score."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        return " ".join(str(getattr(self, x.name)) for x in fields(self))  # type: ignore[arg-type]


def one_large(share: float) -> Callable[[int], Any]:
    return lambda k: np.array([share] + [(1 - share) / (k - 1)] * (k - 1))


def tapering(k: int) -> Any:
    """Class frequencies like 6:3:1 for three classes."""
    shares = np.geomspace(1, 1 / 6 if k < 8 else 1 / 16, k)
    return shares / shares.sum()


SHARES: dict[str, Callable[[int], Any]] = {
    "even": lambda k: np.full(k, 1 / k),
    "tapering": tapering,
    "90:10": one_large(0.9),
    "99:1": one_large(0.99),
}


@lru_cache(maxsize=64)
def confusion(k: int, shares: str, accuracy: float, errors: str = "even") -> Any:
    """The probability of each cell; an accuracy of 0 stands for guessing by the shares."""
    share = SHARES[shares](k)
    if accuracy == 0:
        return np.outer(share, share)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    wrong = ((apart == 1) if errors == "adjacent" else (apart > 0)).astype(float)
    wrong *= (1 - accuracy) / wrong.sum(1, keepdims=True)
    np.fill_diagonal(wrong, accuracy)
    return share[:, None] * wrong


LAST = object()
"""A placeholder for the last class."""
SCORES: dict[str, tuple[str, dict[str, Any]]] = {
    "averaged F1": ("averaged_f1", {}),
    "F1 of averages": ("f1_of_averages", {}),
    "macro P": ("macro_precision", {}),
    "macro R": ("macro_recall", {}),
    "weighted F1": ("weighted_f1", {}),
    "accuracy": ("accuracy", {}),
    "kappa": ("cohen_kappa", {}),
    "quadratic kappa": ("cohen_kappa(weighting=quadratic)", {}),
    "MCC": ("mcc", {}),
    "F1 of a class": ("f1", {"positive": LAST}),
    "recall of a class": ("recall", {"positive": LAST}),
    "F2 of a class": ("f_beta(beta=2)", {"positive": LAST}),
    "LR+ of a class": ("positive_likelihood_ratio", {"positive": LAST}),
    "LR− of a class": ("negative_likelihood_ratio", {"positive": LAST}),
    "informedness of a class": ("informedness", {"positive": LAST}),
    "markedness of a class": ("markedness", {"positive": LAST}),
    "micro F1": ("micro_f1", {}),
    "subset accuracy": ("subset_accuracy", {}),
    "Hamming loss": ("hamming_loss", {}),
    "ROC AUC": ("roc_auc", {}),
    "average precision": ("average_precision", {}),
    "gain": ("gain", {}),
    "lift": ("lift", {}),
    "log loss": ("log_loss", {}),
    "Brier score": ("brier", {}),
}
COUNTED = tuple(SCORES)[:16]
FEW_COUNTED = ("averaged F1", "macro R", "kappa", "MCC", "accuracy", "F1 of a class")


@lru_cache(maxsize=1024)
def definition(name: str, last: Any, method: Any) -> wf.Definition:
    """The definition of a score, by its short name or its signature; cached."""
    metric, options = SCORES.get(name, (name, {}))
    text = metric if not options else f"{metric}|positive:{last!r}"
    return replace(wf.Definition.parse(text), interval=method)


def run(name: str, drawn: Drawn, method: Any) -> wf.Score:
    """A score of a data set."""
    first = drawn.data[0]
    last = first.labels[-1] if isinstance(first, (wf.Counts, wf.MultiLabelCounts)) else None
    return definition(name, last, method)(*drawn.data, **drawn.options)


def table_truths(cells: Any, names: Iterable[str]) -> dict[str, float]:
    table = np.rint(cells / cells.sum() * HUGE).astype(np.int64)
    whole = Drawn((wf.Counts.from_matrix(table, rows="true"),), {})
    return {name: run(name, whole, None).value for name in names}


@dataclass(frozen=True)
class Classes(Cell):
    """Predicted classes, drawn as tables."""

    family = "classes"
    k: int
    shares: str
    accuracy: float
    errors: str
    n: int

    @property
    def cells(self) -> Any:
        return confusion(self.k, self.shares, self.accuracy, self.errors)

    def draws(self, times: int, rng: np.random.Generator) -> Iterator[Drawn]:
        tables = rng.multinomial(self.n, self.cells.ravel(), times)
        distinct, often = np.unique(tables, axis=0, return_counts=True)
        for table, count in zip(distinct.reshape(-1, self.k, self.k), often.tolist(), strict=True):
            counts = wf.Counts.from_matrix(table, rows="true")
            yield Drawn((counts,), {}, count, bool(table.sum(1).min() >= 10))

    def truths(self) -> dict[str, float]:
        return table_truths(self.cells, COUNTED)


@dataclass(frozen=True)
class Weights(Cell):
    """Items with log-normal weights, heavier on errors or not."""

    family = "weights"
    k: int
    shares: str
    accuracy: float
    spread: float
    """The coefficient of variation."""
    heavier: float
    """How many times heavier errors are."""
    n: int

    @property
    def cells(self) -> Any:
        return confusion(self.k, self.shares, self.accuracy)

    def draws(self, times: int, rng: np.random.Generator) -> Iterator[Drawn]:
        sigma = np.sqrt(np.log1p(self.spread**2))
        for _ in range(times):
            drawn = rng.choice(self.k**2, self.n, p=self.cells.ravel())
            true, predicted = np.divmod(drawn, self.k)
            weights = rng.lognormal(-(sigma**2) / 2, sigma, self.n)
            weights *= np.where(true == predicted, 1, self.heavier)
            counts = wf.count(true, predicted, labels=range(self.k), weights=weights)
            yield Drawn((counts,), {}, 1, ample(true, self.k))

    def truths(self) -> dict[str, float]:
        heavy = np.where(np.eye(self.k, dtype=bool), 1, self.heavier)
        return table_truths(self.cells * heavy, FEW_COUNTED)


def ample(true: Any, k: int) -> bool:
    return bool(np.bincount(true, minlength=k).min() >= 10)


@dataclass(frozen=True)
class Clusters(Cell):
    """Items in clusters of equal or skewed size, whose accuracy differs."""

    family = "clusters"
    k: int
    shares: str
    accuracy: float
    alike: float
    """The intraclass correlation of being right."""
    clusters: int
    sizes: str

    def draws(self, times: int, rng: np.random.Generator) -> Iterator[Drawn]:
        share, rest = SHARES[self.shares](self.k), 1 / self.alike - 1
        for _ in range(times):
            sizes = np.full(self.clusters, 20)
            if self.sizes == "skewed":
                sizes = np.maximum(rng.lognormal(np.log(20) - 0.5, 1, self.clusters), 1).astype(int)
            accuracy = rng.beta(self.accuracy * rest, (1 - self.accuracy) * rest, self.clusters)
            cluster = np.repeat(np.arange(self.clusters), sizes)
            true = rng.choice(self.k, len(cluster), p=share)
            right = rng.random(len(cluster)) < accuracy[cluster]
            wrong = (true + rng.integers(1, self.k, len(cluster))) % self.k
            predicted = np.where(right, true, wrong)
            counts = wf.count(true, predicted, labels=range(self.k), cluster=cluster)
            yield Drawn((counts,), {}, 1, ample(true, self.k))

    def truths(self) -> dict[str, float]:
        return table_truths(confusion(self.k, self.shares, self.accuracy), FEW_COUNTED)


@dataclass(frozen=True)
class LabelSets(Cell):
    """Sets of labels; half of the items are harder than the others."""

    family = "label sets"
    labels: int
    rarest: float
    accuracy: float
    n: int

    @cached_property
    def rates(self) -> Any:
        return np.linspace(0.3, self.rarest, self.labels)

    @property
    def correct(self) -> tuple[float, float]:
        off = min(0.1, (1 - self.accuracy) / 2)
        return self.accuracy - off, self.accuracy + off

    def draws(self, times: int, rng: np.random.Generator) -> Iterator[Drawn]:
        shape = (self.n, self.labels)
        for _ in range(times):
            true = rng.random(shape) < self.rates
            level = np.array(self.correct)[rng.integers(0, 2, (self.n, 1))]
            flip = rng.random(shape) >= np.where(true, level, 1 - (1 - level) / 5)
            counts = wf.count_multilabel(true, true ^ flip, labels=range(self.labels))
            yield Drawn((counts,), {}, 1, bool(true.sum(0).min() >= 10))

    def truths(self) -> dict[str, float]:
        hit, rates = float(np.mean(self.correct)), self.rates
        tp, fn, fp = rates * hit, rates * (1 - hit), (1 - rates) * (1 - hit) / 5
        f1 = 2 * tp / (2 * tp + fp + fn)
        whole = [np.prod(rates * x + (1 - rates) * (1 - (1 - x) / 5)) for x in self.correct]
        return {
            "averaged F1": float(f1.mean()),
            "macro R": hit,
            "micro F1": float(2 * tp.sum() / (2 * tp + fp + fn).sum()),
            "F1 of a class": float(f1[-1]),
            "subset accuracy": float(np.mean(whole)),
            "Hamming loss": float((fp + fn).mean()),
        }


@dataclass(frozen=True)
class Rankings(Cell):
    """Normal scores, possibly wider for positives, of which this many are expected."""

    family = "rankings"
    area: float
    deviation: float
    positives: int
    negatives: int

    @property
    def shift(self) -> float:
        from scipy.special import ndtri

        return float(ndtri(self.area) * np.hypot(1, self.deviation))

    def draws(self, times: int, rng: np.random.Generator) -> Iterator[Drawn]:
        n = self.positives + self.negatives
        for _ in range(times):
            true = rng.random(n) < self.positives / n
            true[:2] = True, False
            scores = rng.normal(size=n)
            scores = np.where(true, self.shift + self.deviation * scores, scores)
            yield Drawn((true, scores), {}, 1, bool(10 <= true.sum() <= n - 10))

    def truths(self) -> dict[str, float]:
        from scipy.special import ndtr, ndtri

        share = self.positives / (self.positives + self.negatives)
        quantiles = (np.arange(400_000) + 0.5) / 400_000
        limit = self.shift + self.deviation * ndtri(quantiles)
        hits = share * (1 - quantiles)
        precision = hits / (hits + (1 - share) * ndtr(-limit))
        return {
            "ROC AUC": self.area,
            "average precision": float(precision.mean()),
            "gain": self._gain(share),
            "lift": self._gain(share) / 0.1,
        }

    def _gain(self, share: float) -> float:
        """The fraction of positives in the top tenth."""
        from scipy.optimize import brentq
        from scipy.special import ndtr

        def above(limit: float) -> tuple[float, float]:
            return ndtr((self.shift - limit) / self.deviation), ndtr(-limit)

        def off(limit: float) -> float:
            return float(np.dot((share, 1 - share), above(limit))) - 0.1

        return float(above(brentq(off, -20, 20))[0])


@dataclass(frozen=True)
class Losses(Cell):
    """Probabilities that are calibrated, overconfident, or occasionally certain and wrong."""

    family = "losses"
    kind: str
    positives: float
    n: int

    def _items(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        odds = rng.normal(np.log(self.positives / (1 - self.positives)) * 1.3, 1.5, n)
        true = rng.random(n) < 1 / (1 + np.exp(-odds))
        chance = 1 / (1 + np.exp(-odds * (2 if self.kind == "overconfident" else 1)))
        if self.kind == "floor":
            chance = np.where(rng.random(n) < 0.005, np.where(true, 1e-3, 1 - 1e-3), chance)
        return true, chance

    def draws(self, times: int, rng: np.random.Generator) -> Iterator[Drawn]:
        for _ in range(times):
            true, chance = self._items(self.n, rng)
            both = np.column_stack([1 - chance, chance])
            few = bool(10 <= true.sum() <= self.n - 10)
            yield Drawn((true.astype(int), both), {"labels": [0, 1]}, 1, few)

    def truths(self) -> dict[str, float]:
        true, chance = self._items(4_000_000, np.random.default_rng(0))
        own = np.where(true, chance, 1 - chance)
        return {
            "log loss": float(-np.log(own).mean()),
            "Brier score": float(((1 - own) ** 2).mean()),
        }


@lru_cache(maxsize=1)
def space() -> dict[str, list[Cell]]:
    """Every cell, by family."""
    ns, accuracies = (30, 100, 300, 1000, 5000), (0.0, 0.5, 0.7, 0.9, 0.97, 0.99, 0.995)
    tables = [
        Classes(k, shares, accuracy, errors, n)
        for k, shares, accuracy, n in product((2, 3, 5, 8, 20, 40), SHARES, accuracies, ns)
        for errors in (("even", "adjacent") if k > 2 and accuracy else ("even",))
    ]
    sides = ((10, 90), (30, 30), (20, 980), (50, 450), (100, 1900), (300, 300))
    ranked = product((0.5, 0.7, 0.9, 0.95, 0.99), (1.0, 2.0), sides)
    kinds = ("calibrated", "overconfident", "floor")
    return {
        "classes": [*tables],
        "weights": _all(
            Weights, (2, 3, 8), SHARES, (0.7, 0.9, 0.97), (0.5, 1.0), (1.0, 2.0), ns[1:4]
        ),
        "clusters": _all(
            Clusters, (2, 3, 8), SHARES, (0.7, 0.8, 0.95), (0.05, 0.3), (10, 20, 50, 200),
            ("equal", "skewed"),
        ),
        "label sets": _all(LabelSets, (5, 20), (0.3, 0.05), (0.7, 0.9, 0.98), (50, 300, 1000)),
        "rankings": [Rankings(area, deviation, *both) for area, deviation, both in ranked],
        "losses": _all(Losses, kinds, (0.1, 0.5), ns),
    }  # fmt: skip


def _all(cell: Callable[..., Cell], *settings: Iterable[Any]) -> list[Cell]:
    return [cell(*x) for x in product(*settings)]
