"""The data of figures 1–3 and of the theorem's third part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from whichf1.paper.result import Fact, Figure, Quantity
from whichf1.paper.simulation import (
    Both,
    draw,
    even_errors,
    generator,
    guessing,
    score,
    skewed_errors,
)
from whichf1.scoring.macro import extremal, supremum
from whichf1.tables.cells import Array

BINARY = ("50:50", "70:30", "80:20", "90:10", "95:5")
SEVERAL = ("25:25:25:25", "40:30:20:10", "70:10:10:10", "90:5:3:2", "64:4:4:4:4:4:4:4:4:4")
"""The class distributions of figure 1b, in per cent."""
CLASSES = (4, 13)
"""The numbers of classes of figures 2 and 3."""
GRID = 31
"""Points along each axis of a heat map."""
TASKS_PER_POINT = 100


def shares(distribution: str) -> Array:
    """'95:5' as shares."""
    parts: Array = np.array([float(part) for part in distribution.split(":")])
    parts /= parts.sum()
    return parts


SCORES: dict[str, Quantity] = {
    "averaged_f1": "averaged F1",
    "f1_of_averages": "F1 of averages",
    "gap": "gap",
}
STATISTICS: tuple[tuple[str, str, Quantity, str], ...] = (
    ("max_of", "maximum", "F1 of averages", "≈ 0.56"),
    ("max_av", "maximum", "averaged F1", "≈ 0.41"),
    ("rmsd", "root mean squared gap", "gap", "0.13"),
    ("pearson", "Pearson's ρ", "both", "0.72"),
    ("spearman", "Spearman's ρ", "both", "0.69"),
)
"""What the paper says of figure 1a: key, what, of which score, its number."""


def fig1a(seed: int, tasks: int = 1000, items: int = 1000, repetitions: int = 100) -> Figure:
    """Both macro F1s of a classifier that guesses, on two classes of 95 % and 5 %."""
    cells = guessing(shares("95:5"))
    both = score(draw(generator(seed, "fig1a"), cells, items, tasks))
    again = generator(seed, "fig1a again")
    numbers = _statistics(both)
    spread = np.std(
        [_statistics(score(draw(again, cells, items, tasks))) for _ in range(repetitions)],
        0,
        ddof=1,
    )
    return Figure(
        name="fig1a",
        title="Two classes, 95 % and 5 %, and a classifier that guesses",
        columns=dict(zip(SCORES, both, strict=True)),
        scores=SCORES,
        parameters={
            "tasks": tasks,
            "items": items,
            "shares": "95:5",
            "classifier": "uniform",
            "repetitions for the standard deviations": repetitions,
        },
        seed=seed,
        facts=tuple(
            Fact(key, what, number, of, items, 2, said, 4, spread=float(deviation))
            for (key, what, of, said), number, deviation in zip(
                STATISTICS, numbers, spread, strict=True
            )
        ),
    )


def _statistics(both: Both) -> list[float]:
    """Both maxima, the root mean squared gap, Pearson's and Spearman's correlation."""
    a, b = both.averaged, both.of_averages
    return [
        float(b.max()),
        float(a.max()),
        float(np.sqrt((both.gap**2).mean())),
        _correlation(a, b),
        _correlation(_ranks(a), _ranks(b)),
    ]


def _correlation(x: Array, y: Array) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def _ranks(values: Array) -> Array:
    """Ranks, ties at their mean."""
    _, at, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    ranks: Array = (last - (count - 1) / 2)[at]
    return ranks


def fig1b(seed: int, tasks: int = 1000, items: int = 1000, points: int = 200) -> Figure:
    """Densities of the gap for several class distributions and a classifier that guesses."""
    from scipy.stats import gaussian_kde

    rng = generator(seed, "fig1b")
    parts, facts = [], []
    for distribution in (*BINARY, *SEVERAL):
        own = shares(distribution)
        gap = score(draw(rng, guessing(own), items, tasks)).gap
        # on a linear axis the balanced distributions would be spikes at 0
        logs = np.log10(gap[gap > 0])
        x = np.linspace(logs.min() - 0.25, logs.max() + 0.25, points)
        parts.append((np.repeat(distribution, points), 10**x, gaussian_kde(logs)(x)))
        mean, k = float(gap.mean()), len(own)
        facts.append(Fact(distribution, f"mean, {distribution}", mean, "gap", items, k, None, 4))
    names, gaps, densities = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Figure(
        name="fig1b",
        title="Density of the gap for a classifier that guesses",
        columns={"distribution": names, "gap": gaps, "density_per_decade": densities},
        scores={"gap": "gap"},
        parameters={
            "tasks": tasks,
            "items": items,
            "distributions": [*BINARY, *SEVERAL],
            "classifier": "uniform",
            "density": "Gaussian kernel on log10 of the gaps above 0, Scott's bandwidth",
        },
        seed=seed,
        facts=tuple(facts),
    )


def fig2(seed: int, items: int = 2000, tasks: int = TASKS_PER_POINT, grid: int = GRID) -> Figure:
    """The gap over accuracy and the skew of the classes."""
    return _heat_maps(
        "fig2",
        "skewed classes, even errors",
        even_errors,
        ("up to 2", "up to 2"),
        seed,
        items,
        tasks,
        grid,
    )


def fig3(seed: int, items: int = 2000, tasks: int = TASKS_PER_POINT, grid: int = GRID) -> Figure:
    """The gap over accuracy and the skew of the wrong labels, on balanced classes."""
    title = "balanced classes, skewed errors"
    return _heat_maps("fig3", title, skewed_errors, ("0.8", "1.7"), seed, items, tasks, grid)


def _heat_maps(
    name: str,
    title: str,
    cells: Callable[[int, Array, Array], Array],
    paper: tuple[str, str],
    seed: int,
    items: int,
    tasks: int,
    grid: int,
) -> Figure:
    rng = generator(seed, name)
    parts, facts = [], []
    for k, printed in zip(CLASSES, paper, strict=True):
        accuracy, skew = np.meshgrid(np.linspace(1 / k, 1, grid), np.linspace(0, 1, grid))
        # a line of the map at a time, which fits in a cache
        lines = (cells(k, *line) for line in zip(accuracy, skew, strict=True))
        gap = np.stack([score(draw(rng, line, items, tasks)).gap for line in lines], axis=1)
        columns = (np.full(skew.shape, k), accuracy, skew, gap.mean(0), gap.std(0, ddof=1))
        parts.append([column.ravel() for column in columns])
        facts += [_largest(gap, few, printed, items, k) for few in (tasks, 10, 1) if few <= tasks]
    names = ("classes", "accuracy", "skew", "mean_gap", "standard_deviation_of_gap")
    return Figure(
        name=name,
        title=f"Mean gap: {title}",
        columns=dict(zip(names, map(np.concatenate, zip(*parts, strict=True)), strict=True)),
        scores={"mean_gap": "gap", "standard_deviation_of_gap": "gap"},
        parameters={"items": items, "tasks per point": tasks, "grid": f"{grid} × {grid}"},
        seed=seed,
        facts=tuple(facts),
    )


def _largest(gap: Array, few: int, printed: str, items: int, k: int) -> Fact:
    """The largest mean over ``few`` tasks a point, averaged over as many maps as there are."""
    maps = len(gap) // few
    largest = 100 * gap[: maps * few].reshape(maps, few, -1).mean(1).max(-1)
    return Fact(
        f"max{k}_{few}",
        f"{k} classes: largest mean gap, tasks per point: {few}",
        float(largest.mean()),
        "gap",
        items,
        k,
        printed,
        decimals=2,
        unit=" pp",
        spread=float(largest.std(ddof=1)) if maps > 1 else None,
    )


def theorem(seed: int, most: int = 20) -> Figure:
    """The gap of the matrices of appendix C as z grows, under its supremum (nothing is random)."""
    heights = (1, 10, 100, 1000)
    rows = [
        (n, z, float(score(extremal(n, z).matrix).gap), supremum(n))
        for z in heights
        for n in range(2, most + 1)
    ]
    n, z, gap, bound = (np.array(column) for column in zip(*rows, strict=True))
    what = f"2 to {most} classes: furthest below the supremum"
    short = [float((bound - gap)[z == height].max()) for height in heights]
    return Figure(
        name="theorem",
        title="The gap of the extremal matrices tends to the supremum",
        columns={"classes": n, "z": z, "gap": gap, "supremum": bound},
        scores={"gap": "gap", "supremum": "gap"},
        parameters={"classes": f"2 … {most}", "z": [*heights]},
        facts=tuple(
            Fact(f"short{z}", f"{what}, z = {z:,}", x, "gap", "any", None, None, 4)
            for z, x in zip(heights, short, strict=True)
        ),
    )
