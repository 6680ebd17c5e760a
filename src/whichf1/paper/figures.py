"""The paper's own results: tables 1–4, figures 1–3, and the third part of the theorem."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from whichf1.paper import mf1, simulation
from whichf1.paper.result import Fact, Figure, tidy
from whichf1.paper.simulation import Both, draw, generator, score
from whichf1.scoring.macro import MacroF1, extremal, macro_f1, supremum
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts

# tables 1–4, and the two runs that appendix D prints

MATRICES: dict[int, tuple[tuple[int, int], tuple[int, int]]] = {
    1: ((5, 10), (5, 10)),
    2: ((1, 1), (9, 19)),
    3: ((100, 10_000), (0, 100)),
    4: ((100, 5_000), (5_000, 100)),
}
"""Predictions in rows, as the paper prints them."""
PRINTED = {1: ("0.5", "0.49"), 2: ("0.55", "0.48"), 3: ("0.505", "0.0196"), 4: ("0.0196", "0.0196")}
"""F1 of averages and averaged F1, as printed below each table."""
DELTA = "0.48534265191225007"
RUNS = {
    3: ("0.504950495049505", "1.96078431372549e-2", DELTA, DELTA),
    4: ("1.96078431372549e-2", "1.96078431372549e-2", "0.0", "0.0"),
}
"""Appendix D: the four numbers that the paper's program prints for tables 3 and 4."""
LABELS = ("a", "b")


def table(number: int) -> MacroF1:
    """Both macro F1s of one of the paper's tables."""
    return macro_f1(Counts.from_matrix(MATRICES[number], rows="predicted", labels=LABELS))


def tables(seed: int) -> Figure:
    """Tables 1–4: both F1s, the gap, and its term for each pair of classes (nothing is random)."""
    scored = {number: table(number) for number in MATRICES}
    cells = ("predicted_a_true_a", "predicted_a_true_b", "predicted_b_true_a", "predicted_b_true_b")
    terms = ("term_a_a", "term_a_b", "term_b_a", "term_b_b")
    rows = [
        (n, *np.ravel(MATRICES[n]), m.of_averages.value, m.averaged.value, m.gap, *m.terms.flat)
        for n, m in scored.items()
    ]
    names = " ".join(["table", *cells, "f1_of_averages averaged_f1 gap", *terms])
    return Figure(
        name="tables",
        title="Tables 1–4: both macro F1s, the gap and its pairwise terms",
        columns=tidy(names, rows),
        parameters={"rows of the matrices": "predicted", "classes": LABELS},
        facts=[fact for number in MATRICES for fact in _table_facts(number, scored[number])],
        text="\n\n".join(_session(number) for number in RUNS),
    )


def _table_facts(number: int, m: MacroF1) -> list[Fact]:
    of_averages, averaged = PRINTED[number]
    gap = f"{float(RUNS[number][2]):.4f}" if number in RUNS else None
    numbers = (
        ("of", "", m.of_averages.value, "F1 of averages", of_averages),
        ("av", "", m.averaged.value, "averaged F1", averaged),
        ("gap", "", m.gap, "gap", gap),
        ("ab", ", term (a, b) = (b, a)", float(m.terms[0, 1]), "gap", None),
        ("aa", ", term (a, a) = (b, b)", float(m.terms[0, 0]), "gap", None),
    )
    n = int(m.averaged.n)
    return [
        Fact(f"t{number}_{key}", f"table {number}{what}", value, of, n, 2, paper, 4, labels=LABELS)
        for key, what, value, of, paper in numbers
    ]


def _session(number: int) -> str:
    """A run of appendix D, and whether it prints what the paper prints."""
    arguments = [2, *(cell for row in MATRICES[number] for cell in row)]
    lines, printed = mf1.lines(arguments), mf1.lines_of(RUNS[number])
    same = "as printed in appendix D" if lines == printed else "NOT as in appendix D"
    command = f"$ mf1 {' '.join(map(str, arguments))}"
    return "\n".join([f"{command}   # {same}", *lines])


# figures 1–3 and the theorem

BINARY = ("50:50", "70:30", "80:20", "90:10", "95:5")
SEVERAL = ("25:25:25:25", "40:30:20:10", "70:10:10:10", "90:5:3:2", "64:4:4:4:4:4:4:4:4:4")
"""The class distributions of figure 1b, in percent."""
CLASSES = (4, 13)
"""The numbers of classes of figures 2 and 3."""
GRID = 31
"""Points along each axis of a heat map."""


def shares(distribution: str) -> Array:
    """'95:5' as fractions."""
    parts = np.array([float(part) for part in distribution.split(":")])
    return np.asarray(parts / parts.sum())


STATISTICS = (
    ("max_of", "maximum", "F1 of averages", "≈ 0.56"),
    ("max_av", "maximum", "averaged F1", "≈ 0.41"),
    ("rmsd", "root mean squared gap", "gap", "0.13"),
    ("pearson", "Pearson's ρ", "both", "0.72"),
    ("spearman", "Spearman's ρ", "both", "0.69"),
)
"""What the paper says about figure 1a: key, statistic, of which score, number."""


def fig1a(seed: int, tasks: int = 1000, items: int = 1000, repetitions: int = 100) -> Figure:
    """Both macro F1s of a guessing classifier on two classes of 95 % and 5 %."""
    cells = simulation.guessing(shares("95:5"))
    both = score(draw(generator(seed, "fig1a"), cells, items, tasks))
    again = generator(seed, "fig1a again")
    repeated = [_statistics(score(draw(again, cells, items, tasks))) for _ in range(repetitions)]
    numbers = zip(STATISTICS, _statistics(both), np.std(repeated, 0, ddof=1), strict=True)
    return Figure(
        name="fig1a",
        title="Two classes, 95 % and 5 %, and a classifier that guesses",
        columns=dict(zip(("averaged_f1", "f1_of_averages", "gap"), both, strict=True)),
        parameters={
            "tasks": tasks,
            "items": items,
            "shares": "95:5",
            "classifier": "uniform",
            "repetitions for the standard deviations": repetitions,
        },
        seed=seed,
        facts=[
            Fact(key, what, number, of, items, 2, printed, 4, spread=float(deviation))
            for (key, what, of, printed), number, deviation in numbers
        ],
    )


def _statistics(both: Both) -> list[float]:
    """Both maxima, the root mean squared gap, Pearson's and Spearman's correlation."""
    from scipy.stats import rankdata

    a, b = both.averaged, both.of_averages
    pearson, spearman = np.corrcoef(a, b)[0, 1], np.corrcoef(rankdata(a), rankdata(b))[0, 1]
    rmsd = np.sqrt((both.gap**2).mean())
    return [float(x) for x in (b.max(), a.max(), rmsd, pearson, spearman)]


def fig1b(seed: int, tasks: int = 1000, items: int = 1000, points: int = 200) -> Figure:
    """Densities of the gap of a guessing classifier for several class distributions."""
    from scipy.stats import gaussian_kde

    rng = generator(seed, "fig1b")
    parts, facts = [], []
    for distribution in (*BINARY, *SEVERAL):
        of_classes = shares(distribution)
        gap = score(draw(rng, simulation.guessing(of_classes), items, tasks)).gap
        # on a linear axis, balanced distributions would be spikes at 0
        logs = np.log10(gap[gap > 0])
        x = np.linspace(logs.min() - 0.25, logs.max() + 0.25, points)
        parts.append((np.repeat(distribution, points), 10**x, gaussian_kde(logs)(x)))
        mean, k = float(gap.mean()), len(of_classes)
        facts.append(Fact(distribution, f"mean, {distribution}", mean, "gap", items, k, None, 4))
    return Figure(
        name="fig1b",
        title="Density of the gap for a classifier that guesses",
        columns=tidy("distribution gap density_per_decade", parts),
        parameters={
            "tasks": tasks,
            "items": items,
            "distributions": [*BINARY, *SEVERAL],
            "classifier": "uniform",
            "density": "Gaussian kernel on log10 of the gaps above 0, Scott's bandwidth",
        },
        seed=seed,
        facts=facts,
    )


def fig2(seed: int) -> Figure:
    """The gap by accuracy and skew of the classes."""
    title = "skewed classes, even errors"
    return _heat_maps("fig2", title, simulation.even_errors, ("up to 2", "up to 2"), seed)


def fig3(seed: int) -> Figure:
    """The gap by accuracy and skew of the wrong labels, on balanced classes."""
    title = "balanced classes, skewed errors"
    return _heat_maps("fig3", title, simulation.skewed_errors, ("0.8", "1.7"), seed)


def _heat_maps(
    name: str, title: str, cells: Callable[..., Array], paper: tuple[str, str], seed: int
) -> Figure:
    items, tasks = 2000, 100
    rng = generator(seed, name)
    parts, facts = [], []
    for k, printed in zip(CLASSES, paper, strict=True):
        accuracy, skew = np.meshgrid(np.linspace(1 / k, 1, GRID), np.linspace(0, 1, GRID))
        # one line of the map at a time, which fits in a cache
        lines = (cells(k, *line) for line in zip(accuracy, skew, strict=True))
        gap = np.stack([score(draw(rng, line, items, tasks)).gap for line in lines], axis=1)
        columns = (np.full(skew.shape, k), accuracy, skew, gap.mean(0), gap.std(0, ddof=1))
        parts.append([column.ravel() for column in columns])
        facts += [_largest(gap, few, printed, items, k) for few in (tasks, 10, 1)]
    return Figure(
        name=name,
        title=f"Mean gap: {title}",
        columns=tidy("classes accuracy skew mean_gap standard_deviation_of_gap", parts),
        parameters={"items": items, "tasks per point": tasks, "grid": f"{GRID} × {GRID}"},
        seed=seed,
        facts=facts,
    )


def _largest(gap: Array, few: int, printed: str, items: int, k: int) -> Fact:
    """The largest mean over ``few`` tasks per point, averaged over as many maps as that gives."""
    maps = len(gap) // few
    largest = 100 * gap[: maps * few].reshape(maps, few, -1).mean(1).max(-1)
    what = f"{k} classes: largest mean gap, tasks per point: {few}"
    spread = float(largest.std(ddof=1)) if maps > 1 else None
    mean = float(largest.mean())
    return Fact(f"max{k}_{few}", what, mean, "gap", items, k, printed, 2, " pp", spread)


def theorem(seed: int, most: int = 20) -> Figure:
    """The gap of appendix C's matrices as z grows, and its supremum (nothing is random)."""
    heights = (1, 10, 100, 1000)
    rows = [
        (n, z, float(score(extremal(n, z).matrix).gap), supremum(n))
        for z in heights
        for n in range(2, most + 1)
    ]
    columns = tidy("classes z gap supremum", rows)
    what = f"2 to {most} classes: furthest below the supremum"
    below = columns["supremum"] - columns["gap"]
    short = {z: float(below[columns["z"] == z].max()) for z in heights}
    return Figure(
        name="theorem",
        title="The gap of the extremal matrices tends to the supremum",
        columns=columns,
        parameters={"classes": f"2 … {most}", "z": [*heights]},
        facts=[
            Fact(f"short{z}", f"{what}, z = {z:,}", x, "gap", "any", None, None, 4)
            for z, x in short.items()
        ],
    )
