"""How often do the tests of ``compare`` reject where there is no difference, at a level of 5 %?

Every p-value comes from ``whichf1.compare``, as users call it. In a cell, two systems have the
same true score on items that are drawn afresh for each data set. They are exchangeable, or reach it
in different ways: one by recall and one by precision, by rankings of another shape, by caution or
overconfidence. A cell is red if fewer than 3.5 % or more than 6.5 % of its data sets without a
caution are rejected, unless half of all data sets or more come with a caution.

Run: python -m benchmarks.type_one [--sets 300] [--random 50 --seed 1] [--only rankings] [--page]
Writes type_one.csv (or type_one_random.csv), and the table in docs/comparing.md.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from benchmarks.harness import alone
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtri

import whichf1 as wf

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "comparing.md"
GRID, RANDOM = HERE / "type_one.csv", HERE / "type_one_random.csv"
LEVEL, BAND, MANY = 0.05, (0.035, 0.065), 0.5
Data: TypeAlias = tuple[Any, dict[str, Any], dict[str, Any]]
"""The truth, two systems, and options such as weights."""
Draw: TypeAlias = Callable[[np.random.Generator], Data]


@dataclass(frozen=True)
class Cell:
    """A way to draw two equally good systems, and the score that they share."""

    family: str
    name: str
    metric: str
    draw: Draw
    options: dict[str, Any] = field(default_factory=dict)


class Row(NamedTuple):
    """The outcome of a cell."""

    family: str
    cell: str
    metric: str
    test: str
    sets: int
    rejected: float
    cautioned: float
    rejected_without_caution: float

    @property
    def red(self) -> bool:
        """Whether data sets without a caution are rejected too often or too seldom."""
        return self.cautioned < MANY and not BAND[0] <= self.rejected_without_caution <= BAND[1]


# predicted classes


def confusion(accuracies: Any) -> Any:
    """P(predicted | true), with errors spread evenly."""
    k = len(accuracies)
    rows = np.repeat((1 - np.asarray(accuracies))[:, None] / (k - 1), k, 1)
    np.fill_diagonal(rows, accuracies)
    return rows


def joint(share: Any, a: Any, b: Any, alike: float) -> Any:
    """P(true, A's, B's): with probability ``alike`` both use the same random number."""
    tables = []
    for p, row_a, row_b in zip(share, a, b, strict=True):
        ends = [np.concatenate([[0.0], np.cumsum(row)]) for row in (row_a, row_b)]
        low = np.maximum(ends[0][:-1, None], ends[1][None, :-1])
        high = np.minimum(ends[0][1:, None], ends[1][None, 1:])
        together = np.maximum(high - low, 0)
        tables.append(p * (alike * together + (1 - alike) * np.outer(row_a, row_b)))
    return np.array(tables)


def value(metric: str, table: Any) -> float:
    counts = wf.Counts.from_matrix(np.rint(table * 10**9).astype(np.int64), rows="true")
    return float(wf.score(counts, metric))


def classes_draw(
    share: Any,
    a: Any,
    b: Any,
    metric: str,
    agreement: float,
    n: int,
    apart: float = 0.0,
    heavier: float = 1.0,
) -> Draw:
    """B's accuracies are moved until the score of A is ``apart`` above that of B.

    Items that a system gets wrong have weights larger by this factor: the scores are those of all
    weights.
    """
    share, start, rows_a = np.asarray(share) / np.sum(share), logit(b), confusion(a)

    def drawn(shift: float) -> Any:
        rows_b = confusion(expit(start + shift))

        def agreed(alike: float) -> float:
            return float(np.einsum("tii->", joint(share, rows_a, rows_b, alike))) - agreement

        alike = 1.0 if agreed(1) < 0 else 0.0 if agreed(0) > 0 else brentq(agreed, 0, 1)
        return joint(share, rows_a, rows_b, alike)

    true, left, right = np.indices((len(share),) * 3)
    weight = np.where((left == true) & (right == true), 1.0, heavier)

    def off(shift: float) -> float:
        table = drawn(shift) * weight
        table /= table.sum()
        return value(metric, table.sum(1)) - value(metric, table.sum(2)) + apart

    table = drawn(brentq(off, -3, 6, xtol=1e-6))

    def draw(rng: np.random.Generator) -> Data:
        cells = np.repeat(np.arange(table.size), rng.multinomial(n, table.ravel() / table.sum()))
        true, left, right = np.unravel_index(cells, table.shape)
        return true, {"A": left, "B": right}, {"labels": range(len(share))}

    return draw


SHARES: dict[str, Any] = {
    "50:50": (1, 1),
    "90:10": (9, 1),
    "6:3:1": (6, 3, 1),
    "8:…:1": range(8, 0, -1),
}
WAYS: dict[str, dict[str, tuple[Any, Any]]] = {
    "50:50": {"alike": ((0.9, 0.9), (0.9, 0.9)), "unlike": ((0.97, 0.83), (0.85, 0.95))},
    "90:10": {"alike": ((0.95, 0.6), (0.95, 0.6)), "unlike": ((0.98, 0.5), (0.9, 0.8))},
    "6:3:1": {"alike": ((0.9, 0.85, 0.7),) * 2, "unlike": ((0.97, 0.9, 0.5), (0.85, 0.85, 0.85))},
    "8:…:1": {"alike": ((0.85,) * 8,) * 2, "unlike": (np.linspace(0.97, 0.6, 8), (0.85,) * 8)},
}


METRICS = (
    "averaged_f1",
    "f1_of_averages",
    "macro_recall",
    "macro_precision",
    "weighted_f1",
    "accuracy",
    "cohen_kappa",
    "cohen_kappa(weighting=quadratic)",
    "mcc",
)


def classes() -> Iterator[Cell]:
    for shares, agreement, n, way in product(SHARES, (0.9, 0.97), (200, 1000), ("alike", "unlike")):
        yield classes_cell(shares, way, "averaged_f1", agreement, n)
    for metric, agreement in product(METRICS[1:], (0.9, 0.97)):
        yield classes_cell("6:3:1", "unlike", metric, agreement, 500)


def classes_cell(shares: str, way: str, metric: str, agreement: float, n: int) -> Cell:
    draw = classes_draw(SHARES[shares], *WAYS[shares][way], metric, agreement, n)
    return Cell("classes", f"{shares} {way} agreement {agreement} n {n}", metric, draw)


# weights and clusters


def weights_cell(
    shares: str, way: str, spread: float, heavier: float, n: int, metric: str = "averaged_f1"
) -> Cell:
    """Log-normal weights with this coefficient of variation, larger on errors."""
    inner = classes_draw(SHARES[shares], *WAYS[shares][way], metric, 0.9, n, heavier=heavier)
    sigma = np.sqrt(np.log1p(spread**2))

    def draw(rng: np.random.Generator) -> Data:
        true, systems, options = inner(rng)
        wrong = (systems["A"] != true) | (systems["B"] != true)
        weights = np.exp(sigma * rng.normal(size=n)) * np.where(wrong, heavier, 1)
        return true, systems, {**options, "weights": weights}

    name = f"{shares} {way} cv {spread:g} errors {heavier:g} times as heavy n {n}"
    return Cell("weights", name, metric, draw)


def clusters_cell(groups: int, sigma: float, way: str, metric: str = "averaged_f1") -> Cell:
    """Log-normal sizes. Unlike: B fails in a quarter of the clusters, A a little in all of them."""

    def draw(rng: np.random.Generator) -> Data:
        sizes = rng.poisson(20 * np.exp(sigma * rng.normal(size=groups) - sigma**2 / 2))
        cluster = np.repeat(np.arange(groups), np.maximum(sizes, 1))
        n = len(cluster)
        true = (rng.random(n) < 0.4).astype(int)
        if way == "alike":
            error = rng.beta(0.6, 2.4, (3, groups))[:, cluster]
            shared, u = rng.random(n) < 0.5, rng.random((3, n))
            wrong = [np.where(shared, u[2] < error[2], u[at] < error[at]) for at in range(2)]
        else:
            bad = rng.random(groups)[cluster] < 0.25
            wrong = [rng.random(n) < 0.2, rng.random(n) < np.where(bad, 0.65, 0.05)]
        a, b = (np.where(x, 1 - true, true) for x in wrong)
        return true, {"A": a, "B": b}, {"cluster": cluster}

    sizes = f"sizes of sigma {sigma:g}" if sigma else "equal sizes"
    return Cell("clusters", f"{groups} {sizes} {way}", metric, draw, {"replicates": 199})


# rankings, losses, sets of labels


def ranking_cell(
    area: float,
    shape: float,
    alike: float,
    positives: int,
    negatives: int,
    metric: str = "roc_auc",
    spread: float = 0.0,
) -> Cell:
    """Normal scores; those of B's positives have another standard deviation.

    ``spread``: the coefficient of variation of log-normal weights.
    """
    far, sigma = ndtri(area), np.sqrt(np.log1p(spread**2))

    def draw(rng: np.random.Generator) -> Data:
        true = np.repeat([1, 0], [positives, negatives])
        a, b = rng.normal(size=(2, len(true)))
        b = alike * a + np.sqrt(1 - alike**2) * b
        left = a + true * far * np.sqrt(2)
        right = np.where(true, shape * b + far * np.sqrt(1 + shape**2), b)
        weights = {"weights": np.exp(sigma * rng.normal(size=len(true)))} if spread else {}
        return true, {"A": left, "B": right}, weights

    name = f"area {area} sd {shape:g} correlation {alike} {positives} of {positives + negatives}"
    return Cell("rankings", f"{name} cv {spread:g}" if spread else name, metric, draw)


def calibrated(scale: float) -> float:
    """The scale of overconfident logits with the same log loss as this one, of cautious logits."""
    x = 2 * np.random.default_rng(0).normal(size=200_000)

    def loss(c: float) -> float:
        return float(np.mean(np.logaddexp(0, c * x) - expit(x) * c * x))

    return float(brentq(lambda c: loss(c) - loss(scale), 1.0001, 8))


def loss_cell(way: str, n: int, metric: str = "log_loss") -> Cell:
    """Alike: noise of their own. Unlike: a cautious and an overconfident system. Disasters: alike,
    and each system is surely wrong about another hundredth of the items."""
    scales = (0.3, calibrated(0.3)) if way == "unlike" else (1.0, 1.0)

    def draw(rng: np.random.Generator) -> Data:
        x = 2 * rng.normal(size=n)
        true = (rng.random(n) < expit(x)).astype(int)
        true[:2] = 0, 1
        noise = rng.normal(size=(2, n)) * (way != "unlike")
        chances = [expit(c * x + e) for c, e in zip(scales, noise, strict=True)]
        if way == "disasters":
            wrong = np.where(true, 1e-3, 1 - 1e-3)
            chances = [np.where(rng.random(n) < 0.01, wrong, p) for p in chances]
        systems = (np.stack([1 - p, p], 1) for p in chances)
        return true, dict(zip("AB", systems, strict=True)), {}

    return Cell("losses", f"{way} n {n}", metric, draw)


def sets_cell(way: str, rarest: float, n: int, metric: str = "averaged_f1") -> Cell:
    """Four labels. Unlike: A misses labels, B adds some; every F1 is the same."""
    rates = np.linspace(0.3, rarest, 4)
    a = np.full(4, 0.8), rates / (1 - rates) * 0.2
    b = a
    if way == "unlike":  # 2h / (h + 1 + added): the same F1 with more hits and more added
        f1 = 2 * a[0] / (a[0] + 1 + a[1] * (1 - rates) / rates)
        hits = np.full(4, 0.95)
        b = hits, (2 * hits / f1 - hits - 1) * rates / (1 - rates)

    def draw(rng: np.random.Generator) -> Data:
        true = rng.random((n, 4)) < rates
        common = rng.random((n, 4))
        systems = {}
        for name, (hit, added) in (("A", a), ("B", b)):
            u = np.where(rng.random((n, 4)) < 0.6, common, rng.random((n, 4)))
            systems[name] = (u < np.where(true, hit, added)).astype(int)
        return true.astype(int), systems, {}

    return Cell("label sets", f"{way} rarest {rarest} n {n}", metric, draw)


def individual_cell(metric: str, n: int = 500) -> Cell:
    """Scores that depend on individual items, tested by randomization."""

    def draw(rng: np.random.Generator) -> Data:
        true = (rng.random(n) < 0.4).astype(int)
        common = rng.normal(size=n) + true
        systems = {name: common + 0.7 * rng.normal(size=n) for name in "AB"}
        if metric == "expected_calibration_error":
            systems = {name: expit(each) for name, each in systems.items()}
        return true, systems, {}

    return Cell("individual items", f"alike n {n}", metric, draw, {"replicates": 199})


def equivalence_cell(shares: str, agreement: float, n: int, margin: float) -> Cell:
    """The true difference is the margin."""
    ways = WAYS[shares]["alike"]
    draw = classes_draw(SHARES[shares], *ways, "averaged_f1", agreement, n, apart=margin)
    name = f"{shares} agreement {agreement} n {n} margin {margin}"
    return Cell("equivalence", name, "averaged_f1", draw, {"margin": margin})


WEIGHTED = ("averaged_f1", "macro_recall", "macro_precision", "accuracy", "mcc")
CLUSTERED = ("averaged_f1", "accuracy", "macro_recall", "cohen_kappa")
SETS = ("averaged_f1", "micro_f1", "macro_recall", "subset_accuracy", "hamming_loss")


def grid() -> Iterator[Cell]:
    """The cells of the published table."""
    yield from classes()
    both, ways = ("50:50", "6:3:1"), ("alike", "unlike")
    for shares, way, spread, n in product(both, ways, (1.0, 2.0), (200, 1000)):
        yield weights_cell(shares, way, spread, 2.0, n)
    for metric in WEIGHTED[1:]:
        yield weights_cell("90:10", "unlike", 1.0, 2.0, 1000, metric)
    for groups, sigma, way in product((10, 20, 50, 200), (0.0, 1.0), ways):
        yield clusters_cell(groups, sigma, way)
    for metric in CLUSTERED[1:]:
        yield clusters_cell(100, 0.5, "alike", metric)
    sizes = ((20, 480), (50, 950), (200, 800), (100, 100))
    for area, shape, alike, of in product((0.8, 0.95, 0.99), (1, 2), (0.6, 0.9), sizes):
        yield ranking_cell(area, shape, alike, *of)
    for area, of in product((0.8, 0.95), ((50, 450), (200, 800))):
        yield ranking_cell(area, 1, 0.6, *of, "average_precision")
    for shape, of in product((1, 2), ((50, 450), (200, 800))):
        yield ranking_cell(0.8, shape, 0.6, *of, spread=1.0)
    for way, n in product(("alike", "unlike", "disasters"), (50, 100, 500, 2000)):
        yield loss_cell(way, n)
    for way, n in product(("alike", "disasters"), (50, 100, 500)):
        yield loss_cell(way, n, "brier")
    for way, rarest, n in product(ways, (0.2, 0.05), (200, 1000)):
        yield sets_cell(way, rarest, n)
    for metric in SETS[1:]:
        yield sets_cell("alike", 0.1, 500, metric)
    for metric in ("ks", "expected_calibration_error", "gain", "lift"):
        yield individual_cell(metric)
    for shares, agreement in product(both, (0.9, 0.97)):
        yield equivalence_cell(shares, agreement, 1000, 0.03)


def random_cells(many: int, seed: int) -> Iterator[Cell]:
    """Cells drawn from the space around the grid."""
    rng = np.random.default_rng(seed)

    def of(*choices: Any) -> Any:
        return choices[rng.integers(len(choices))]

    def between(low: float, high: float) -> int:
        return int(np.exp(rng.uniform(np.log(low), np.log(high))))

    def level(low: float, high: float) -> float:
        return round(float(rng.uniform(low, high)), 3)

    def way() -> str:
        return str(of("alike", "unlike"))

    def ranking() -> Cell:
        area, shape, alike = level(0.65, 0.99), level(0.7, 2), level(0.3, 0.9)
        sizes = between(20, 300), between(50, 2000)
        kind = of(("roc_auc", 0.0), ("roc_auc", level(0.3, 1.5)), ("average_precision", 0.0))
        if kind[0] == "average_precision":  # of unequal shapes it differs
            shape = 1.0
        return ranking_cell(area, shape, alike, *sizes, *kind)

    def label_sets() -> Cell:
        metric, rarest, n = of(*SETS), level(0.05, 0.25), between(150, 2000)
        return sets_cell(way() if metric == "averaged_f1" else "alike", rarest, n, metric)

    def clusters() -> Cell:
        groups, sigma, metric = between(15, 200), level(0, 1.2), of(*CLUSTERED)
        # the other scores are not equal if systems fail in different ways
        return clusters_cell(groups, sigma, way() if metric in CLUSTERED[:2] else "alike", metric)

    makers: list[Callable[[], Cell]] = [
        lambda: classes_cell(
            of(*SHARES), way(), of(*METRICS), level(0.85, 0.98), between(150, 5000)
        ),
        lambda: weights_cell(
            of(*SHARES), way(), level(0.3, 2), of(1.0, 2.0), between(200, 3000), of(*WEIGHTED)
        ),
        clusters,
        ranking,
        lambda: loss_cell(of("alike", "unlike", "disasters"), between(60, 2000)),
        label_sets,
    ]
    for _ in range(many):
        yield of(*makers)()


def run(cell: Cell, sets: int) -> Row:
    """The share of data sets in which the test rejects, and of those with a caution."""
    rng = np.random.default_rng(zlib.crc32(f"{cell.family} {cell.name} {cell.metric}".encode()))
    rejected, cautioned, tests = np.zeros(sets, bool), np.zeros(sets, bool), []
    for at in range(sets):
        true, systems, data = cell.draw(rng)
        options = {"replicates": 0, **cell.options, **data}
        (pair,) = wf.compare(true, systems, cell.metric, **options).pairs
        p = pair.p_equivalence if "margin" in cell.options else pair.p_value
        rejected[at] = p is not None and p <= LEVEL
        cautioned[at] = pair.caution is not None
        tests.append(pair.test or "none")
    test = "equivalence" if "margin" in cell.options else max(set(tests), key=tests.count)
    plain = float(rejected[~cautioned].mean()) if not cautioned.all() else float("nan")
    share, warned = float(rejected.mean()), float(cautioned.mean())
    return Row(cell.family, cell.name, cell.metric, test, sets, share, warned, plain)


def decided(cell: Cell, sets: int) -> Row:
    """A cell that may be red is measured on three times as many further data sets; all count."""
    row = run(cell, sets)
    return run(cell, 4 * sets) if row.red else row  # the first of them are the same


def read(path: Path) -> list[Row]:
    """The results of an earlier run."""
    with path.open(encoding="utf-8") as file:
        rows = [*csv.reader(file)][1:]
    return [
        Row(
            row[0], row[1], row[2], row[3], int(row[4]), float(row[5]), float(row[6]), float(row[7])
        )
        for row in rows
    ]


def write_page() -> None:
    """Put the tables of the last runs on the page."""
    page = PAGE.read_text(encoding="utf-8")
    for mark, path in (("type one", GRID), ("random", RANDOM)):
        if not path.exists():
            continue
        marked = rf"(<!-- {mark} -->\n).*?(<!-- end -->)"
        page = re.sub(marked, rf"\g<1>{table(read(path))}\n\g<2>", page, flags=re.S)
    PAGE.write_text(page, encoding="utf-8")


def write(path: Path, rows: list[Row], only: str | None) -> None:
    """Write the rows; with ``only``, those of other families, which may grow meanwhile, stay."""
    with alone(HERE):
        others = [] if only is None else [x for x in read(path) if x.family != only]
        temporary = path.with_suffix(".tmp")
        with temporary.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Row._fields)
            every = [*others, *rows]
            writer.writerows([*row[:5], *(f"{x:.6f}" for x in row[5:])] for row in every)
        os.replace(temporary, path)


def table(rows: list[Row]) -> str:
    """A line for each family."""
    lines = ["| data | cells | rejected, without a caution | rejected, mostly with one | red |"]
    lines.append("|---|---|---|---|---|")
    for family in dict.fromkeys(row.family for row in rows):
        own = [row for row in rows if row.family == family]
        plain = [r.rejected_without_caution for r in own if r.cautioned < MANY]
        warned = [r.rejected for r in own if r.cautioned >= MANY]
        spans = [
            f"{100 * min(x):.1f}–{100 * max(x):.1f} % ({len(x)})" if x else "–"
            for x in (plain, warned)
        ]
        lines.append(
            f"| {family} | {len(own)} | {spans[0]} | {spans[1]} | {sum(r.red for r in own)} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one family of cells; the rows of the others stay")
    parser.add_argument("--page", action="store_true", help="only put the last results on the page")
    args = parser.parse_args()
    if args.page:
        write_page()
        return
    cells = random_cells(args.random, args.seed) if args.random else grid()
    path = RANDOM if args.random else GRID
    rows = []
    for cell in cells:
        if args.only in (None, cell.family):
            rows.append((run if args.random else decided)(cell, args.sets))
            row = rows[-1]
            red, share, warned = "RED" if row.red else "   ", row.rejected, row.cautioned
            what = f"{row.test:13} {row.family}: {row.cell} {row.metric}"
            print(f"{red} {share:6.1%} {warned:6.1%} cautioned  {what}", flush=True)
            write(path, rows, args.only)  # what is measured stays, whatever happens
    print(table(rows))
    write_page()


if __name__ == "__main__":
    main()
