"""How often do nominal 95 % intervals cover the true value? A simulation that looks for failures.

Every interval comes from the public functions, as a user gets it. A cell is a way to draw data
sets. A score of a cell is red if less than 93 % of its intervals without a caution cover the truth;
data sets without an interval count as not covered. At other levels the limits are as many standard
deviations away.

Run: python benchmarks/coverage.py [--random | --levels] [--only clusters] [--page]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

import whichf1 as wf

HERE = Path(__file__).parent
GRID, RANDOM = HERE / "coverage.csv", HERE / "coverage_random.csv"
OTHER_LEVELS = HERE / "coverage_levels.csv"
PAGE, PICTURE = HERE.parent / "docs" / "intervals.md", HERE.parent / "docs" / "coverage.svg"
START, END = "<!-- coverage: made by benchmarks/coverage.py -->", "<!-- end of coverage -->"
COLOURS = {"green": "#7fbf7b", "blue": "#92b7dc", "grey": "#d0d0d0", "red": "#d7301f"}
HUGE = 10**12
"""Items of the table that stands for the truth."""
AUTO, DELTA = wf.Auto(), wf.Delta()
LEVELS = (0.8, 0.9, 0.99)
"""Levels other than 0.95 that are tried."""


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
    """As 6:3:1 is for three classes."""
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
"""Stands for the last class."""
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
AT_TOP = ("gain", "lift")
"""The delta method does not apply to these."""
FEW_COUNTED = ("averaged F1", "macro R", "kappa", "MCC", "accuracy", "F1 of a class")


@lru_cache(maxsize=1024)
def definition(name: str, last: Any, method: Any) -> wf.Definition:
    """The definition of a score, by its short name or its signature, made once."""
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
    """Normal scores; those of positives may be more spread out. So many positives are expected."""

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
    """Probabilities that are calibrated, overconfident, or now and then surely wrong."""

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


class Result(NamedTuple):
    family: str
    cell: str
    score: str
    data_sets: int
    covered: float
    """Of all data sets, in per cent."""
    cautioned: float
    """Data sets whose interval has a caution, in per cent."""
    covered_uncautioned: float
    """Of the data sets without a caution."""
    ample: float
    """Data sets in which every class has 10 items, in per cent."""
    cautioned_ample: float
    """Of these, how many have a caution."""
    covered_ample: float
    width_ratio: float
    """On these, the mean width over that of the delta method (of ratios: on the log scale)."""
    level: float = 95.0
    """The nominal coverage, in per cent."""

    @property
    def colour(self) -> str:
        if self.cautioned > 50:
            return "grey"
        off = self.covered_uncautioned - self.level
        off *= np.sqrt(95 * 5 / (self.level * (100 - self.level)))
        return "red" if off < -2 else "green" if off <= 3 else "blue"


def width(interval: wf.Interval, endless: bool) -> float:
    if not endless:
        return interval.high - interval.low
    return float(np.log(interval.high / interval.low)) if interval.low > 0 else np.inf


def measure(
    cell: Cell, names: Sequence[str], times: int, seed: int, method: Any = AUTO, widths: int = 60
) -> list[Result]:
    """The coverage of some scores of a cell."""
    truths, rng = cell.truths(), np.random.default_rng([seed, crc32(cell.name.encode())])
    tallies = {name: np.zeros(7) for name in names}
    ratios = {name: np.zeros(2) for name in names}
    for at, drawn in enumerate(cell.draws(times, rng)):
        for name, tally in tallies.items():
            interval = run(name, drawn, method).interval
            hit = interval is not None and interval.low <= truths[name] <= interval.high
            wary = interval is not None and interval.caution is not None
            rich = drawn.ample
            facts = [1, hit, wary, hit and not wary, rich, rich and wary, rich and hit]
            tally += drawn.times * np.array(facts, float)
            if rich and at < widths and interval is not None and name not in AT_TOP:
                other = run(name, drawn, wf.Delta(level=method.level)).interval
                endless = "likelihood" in name or name.startswith("LR")
                if other is not None:
                    both = np.array([width(x, endless) for x in (interval, other)])
                    if np.isfinite(both).all():
                        ratios[name] += drawn.times * both
    results = []
    for name, tally in tallies.items():
        n, hits, warned, clean, enough, enough_warned, enough_hits = tally.tolist()
        ours, theirs = ratios[name].tolist()
        result = Result(
            family=cell.family,
            cell=cell.name,
            score=name,
            data_sets=int(n),
            covered=_percent(hits, n),
            cautioned=_percent(warned, n),
            covered_uncautioned=_percent(clean, n - warned),
            ample=_percent(enough, n),
            cautioned_ample=_percent(enough_warned, enough),
            covered_ample=_percent(enough_hits, enough),
            width_ratio=round(ours / theirs, 3) if theirs else float("nan"),
            level=100 * method.level,
        )
        results.append(result)
    return results


def decided(cell: Cell, names: Sequence[str], times: int, seed: int) -> Iterator[Result]:
    """The same; a score that may be red is measured on five times as many further data sets.

    All data sets count: to keep only the second measurement would flatter what was doubtful.
    """
    for result in measure(cell, names, times, seed):
        doubtful = result.cautioned <= 50 and result.covered_uncautioned < 94
        more = measure(cell, [result.score], 5 * times, seed + 1, widths=0) if doubtful else []
        yield pooled(result, more[0]) if more else result


def pooled(a: Result, b: Result) -> Result:
    """Two measurements as one; the widths are those of the first."""

    def mean(name: str, of: str | None = None, besides: bool = False) -> float:
        """By the data sets that a percentage is of."""
        shares = [100.0 if of is None else getattr(x, of) for x in (a, b)]
        counts = [
            x.data_sets * (100 - share if besides else share)
            for x, share in zip((a, b), shares, strict=True)
        ]
        sums = [getattr(x, name) * n for x, n in zip((a, b), counts, strict=True) if n]
        return round(sum(sums) / sum(counts), 2) if sums else float("nan")

    return a._replace(
        data_sets=a.data_sets + b.data_sets,
        covered_uncautioned=mean("covered_uncautioned", "cautioned", besides=True),
        covered=mean("covered"),
        cautioned=mean("cautioned"),
        ample=mean("ample"),
        cautioned_ample=mean("cautioned_ample", "ample"),
        covered_ample=mean("covered_ample", "ample"),
    )


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else float("nan")


GRIDDED = {
    "classes": 32,
    "weights": 8,
    "clusters": 12,
    "label sets": 6,
    "rankings": 18,
    "losses": 14,
}
"""How many cells of each family the grid has."""
DRAWN = {"classes": 26, "weights": 5, "clusters": 7, "label sets": 4, "rankings": 5, "losses": 3}
"""How many of fifty random cells are of each family."""


def jobs(random: bool, seed: int) -> Iterator[tuple[Cell, list[str]]]:
    """Cells of the grid with all their scores, or random cells with one score each."""
    rng = np.random.default_rng(seed)
    for family, cells in space().items():
        if random:
            for at in rng.choice(len(cells), DRAWN[family], replace=False).tolist():
                names = [*cells[at].truths()]
                yield cells[at], [names[int(rng.integers(len(names)))]]
        else:
            size = min(GRIDDED[family], len(cells))
            places = np.random.default_rng(0).choice(len(cells), size, replace=False)
            yield from ((cells[at], [*cells[at].truths()]) for at in sorted(places.tolist()))


def level_jobs(seed: int) -> Iterator[tuple[Cell, list[str]]]:
    """Half of the random cells of a seed, for other levels."""
    yield from islice(jobs(True, seed), 0, None, 2)


def read(path: Path) -> list[Result]:
    """The results of an earlier run."""
    with path.open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    texts = Result._fields[:3]
    facts = ([row[x] if x in texts else float(row[x]) for x in Result._fields] for row in rows)
    return [Result._make(each) for each in facts]


def picture(results: Sequence[Result]) -> str:
    """The grid as a heat map: a row for each cell, a column for each score of its family."""
    side, left, top, line = 17, 245, 100, 14
    parts, y = [], 6
    for family in dict.fromkeys(x.family for x in results):
        own = [x for x in results if x.family == family]
        names = [*dict.fromkeys(x.score for x in own)]
        y += top
        parts.append(f'<text x="4" y="{y - 6}" font-weight="bold">{family}</text>')
        for at, name in enumerate(names):
            x = left + at * side + 12
            parts.append(f'<text transform="translate({x},{y - 6}) rotate(-50)">{name}</text>')
        for cell in dict.fromkeys(x.cell for x in own):
            parts.append(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{cell}</text>')
            for result in (x for x in own if x.cell == cell):
                x = left + names.index(result.score) * side
                said = f"{result.covered:g} % covered, {result.cautioned:g} % cautioned"
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{side - 1}" height="{line - 1}" '
                    f'fill="{COLOURS[result.colour]}"><title>{cell}, {result.score}: {said}'
                    "</title></rect>"
                )
            y += line
    size = f'width="{left + 13 * side + 70}" height="{y + 10}"'
    style = 'font-family="sans-serif" font-size="10"'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *parts, "</svg>\n"]
    )


def table(results: Sequence[Result]) -> Iterator[str]:
    """What the results say in sum, by family."""
    head = ["family", "scores of cells", *COLOURS, "lowest without a caution", "cautioned", "width"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for family in (*dict.fromkeys(x.family for x in results), "all"):
        own = [x for x in results if family in (x.family, "all")]
        colours = [str(sum(x.colour == colour for x in own)) for colour in COLOURS]
        lowest = min(x.covered_uncautioned for x in own if x.colour != "grey")
        rich = [x for x in own if x.ample > 0]
        warned = sum(x.ample * x.cautioned_ample for x in rich) / max(sum(x.ample for x in rich), 1)
        widths = [x.width_ratio for x in rich if x.ample > 50 and np.isfinite(x.width_ratio)]
        cells = [
            f"{lowest:.1f} %",
            f"{warned:.1f} %",
            f"{np.median(widths):.2f} ×" if widths else "–",
        ]
        yield f"| {' | '.join([family, str(len(own)), *colours, *cells])} |"


def level_table(results: Sequence[Result]) -> Iterator[str]:
    """What the results say in sum, by level."""
    head = ["level", "scores of cells", *COLOURS, "without a caution", "median"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for level in sorted({x.level for x in results}):
        own = [x for x in results if x.level == level]
        colours = [str(sum(x.colour == colour for x in own)) for colour in COLOURS]
        plain = [x.covered_uncautioned for x in own if x.colour != "grey"]
        cells = [f"{min(plain):.1f}–{max(plain):.1f} %", f"{np.median(plain):.1f} %"]
        yield f"| {' | '.join([f'{level:g} %', str(len(own)), *colours, *cells])} |"


def write_page() -> None:
    """Put the tables and the picture of the last runs on the page."""
    grid, random, levels = read(GRID), read(RANDOM), read(OTHER_LEVELS)
    PICTURE.write_text(picture(grid), encoding="utf-8")
    middle = [
        START,
        "The grid:",
        "\n".join(table(grid)),
        "![Coverage of every score in every cell of the grid](coverage.svg)",
        f"{len(random)} cells drawn at random, one score each, "
        f"{int(random[0].data_sets):,} data sets each:",
        "\n".join(table(random)),
        f"Other levels, {int(levels[0].data_sets):,} data sets each:",
        "\n".join(level_table(levels)),
        END,
    ]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(before + "\n\n".join(middle) + rest.partition(END)[2], encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=300)
    parser.add_argument("--random", action="store_true", help="fifty random cells, one score each")
    parser.add_argument("--levels", action="store_true", help="random cells at other levels")
    parser.add_argument("--only", help="one family of cells")
    parser.add_argument("--seed", type=int, default=2019)
    parser.add_argument("--page", action="store_true", help="only put the last results on the page")
    options = parser.parse_args()
    if options.page:
        write_page()
        return
    path = RANDOM if options.random else OTHER_LEVELS if options.levels else GRID
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*Result._fields, "colour"])
        for result in results_of(options):
            writer.writerow([*result, result.colour])
            if result.colour == "red" or options.random or options.levels:
                print(result.colour, *result, flush=True)
            file.flush()


def results_of(options: argparse.Namespace) -> Iterator[Result]:
    """The results of the cells that are asked for, one after the other."""
    seed, times = options.seed, options.data_sets
    for cell, names in level_jobs(seed) if options.levels else jobs(options.random, seed):
        if options.only not in (None, cell.family):
            continue
        if options.levels:
            for level in LEVELS:
                yield from measure(cell, names, times, seed, wf.Auto(level=level), widths=0)
        else:
            yield from (measure if options.random else decided)(cell, names, times, seed)


if __name__ == "__main__":
    main()
