"""The paper reproduced: its numbers, and the mathematics of the page about it.

Standard deviations over seeds stated here come from repeating the whole experiment: 400 seeds for
figure 1a, 8 for figure 3 (31 × 31 points, 100 tasks each).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import whichf1 as wf
from whichf1.paper import beyond, figures, mf1, simulation
from whichf1.paper.beyond import flipped, interval, macro, rankings, tuned
from whichf1.paper.reproduction import SEED
from whichf1.paper.result import Figure
from whichf1.scoring.macro import gap_contributions, gap_terms

SEEDS = (SEED, 1, 2, 3)
Points = list[tuple[float, float]]
"""Precision and recall of each class."""
Matrix = Sequence[Sequence[int]]


# drawing


def test_counts_are_drawn_as_items_would_be() -> None:
    """Means and variances of the cells, item by item and as counts, within 5 standard errors."""
    tasks, items, k = 4000, 60, 3
    cells = simulation.skewed_errors(k, np.array(0.5), np.array(1.0))
    rng = np.random.default_rng(5)
    true = rng.integers(k, size=(tasks, items))
    rows = np.cumsum(cells * k, axis=1)
    predicted = (rng.uniform(size=(tasks, items, 1)) > rows[true]).sum(-1)
    by_item = np.zeros((tasks, k * k), int)
    np.add.at(by_item, (np.arange(tasks)[:, None], true * k + predicted), 1)
    as_counts = simulation.draw(rng, cells, items, tasks).reshape(tasks, k * k)
    p = cells.ravel()
    for drawn in (by_item, as_counts):
        assert (drawn.sum(1) == items).all()
        variance = items * p * (1 - p)
        assert (np.abs(drawn.mean(0) - items * p) < 5 * np.sqrt(variance / tasks)).all()
        fourth = ((drawn - drawn.mean(0)) ** 4).mean(0)
        error = np.sqrt((fourth - variance**2) / tasks)
        assert (np.abs(drawn.var(0) - variance) < 5 * error).all()
        assert drawn[:, 0].dtype.kind == "i"
    covariance = np.cov(as_counts.T)[0, 1]
    assert covariance == pytest.approx(-items * p[0] * p[1], abs=5 * items * p[0] / tasks**0.5)


def test_cells_follow_the_paper() -> None:
    x, y = np.array(0.4), np.array(1.0)
    even = simulation.even_errors(4, x, y)
    assert even.sum(1) == pytest.approx(np.array([1, 2, 3, 4]) / 10)
    assert even[2] / even[2].sum() == pytest.approx([0.2, 0.2, 0.4, 0.2])
    skewed = simulation.skewed_errors(4, x, y)
    assert skewed.sum(1) == pytest.approx([0.25] * 4)
    assert skewed[1] * 4 == pytest.approx([0.6 / 8, 0.4, 0.6 * 3 / 8, 0.6 * 4 / 8])
    flat = np.array(0.0)
    for cells in (simulation.even_errors, simulation.skewed_errors):
        assert cells(4, x, flat)[0] * 4 == pytest.approx([0.4, 0.2, 0.2, 0.2])
    assert simulation.guessing(np.array([0.95, 0.05])) == pytest.approx(
        np.array([[0.475, 0.475], [0.025, 0.025]])
    )


@pytest.mark.parametrize("k", [2, 5])
def test_a_batch_is_scored_as_its_tables_one_by_one(k: int) -> None:
    batch = np.random.default_rng(k).integers(0, 4, (3, 40, k, k))
    batch[0, 0] = np.eye(k)[::-1]
    both = simulation.score(batch)
    for at in np.ndindex(3, 40):
        m = wf.macro_f1(wf.Counts.from_matrix(batch[at], rows="true"))
        assert both.averaged[at] == m.averaged.value
        assert both.of_averages[at] == m.of_averages.value
        assert both.gap[at] == pytest.approx(m.gap, abs=1e-15)


def test_a_figure_is_the_same_whatever_else_is_made() -> None:
    first = figures.fig1a(3, tasks=20).columns["gap"]
    figures.fig1b(3, tasks=20)
    assert (figures.fig1a(3, tasks=20).columns["gap"] == first).all()
    assert (figures.fig1a(4, tasks=20).columns["gap"] != first).any()


# the paper's numbers


@pytest.mark.parametrize("number", figures.MATRICES)
def test_tables_are_as_printed(number: int) -> None:
    m = figures.table(number)
    (a, b), (c, d) = figures.MATRICES[number]
    p = [Fraction(a, a + b), Fraction(d, c + d)]
    r = [Fraction(a, a + c), Fraction(d, b + d)]
    averaged = sum(2 * x * y / (x + y) for x, y in zip(p, r, strict=True)) / 2
    of_averages = 2 * (sum(p) / 2) * (sum(r) / 2) / (sum(p) / 2 + sum(r) / 2)
    assert m.averaged.value == pytest.approx(float(averaged), abs=1e-15)
    assert m.of_averages.value == pytest.approx(float(of_averages), abs=1e-15)
    assert m.terms.sum() == pytest.approx(float(of_averages - averaged), abs=1e-15)
    for printed, exact in zip(figures.PRINTED[number], (of_averages, averaged), strict=True):
        unit = 10.0 ** -len(printed.partition(".")[2])
        # the paper cuts table 2's 0.5553 off to 0.55; everything else is rounded
        assert abs(float(printed) - float(exact)) < (unit if number == 2 else unit / 2 + 1e-12)


def test_runs_of_appendix_d_are_as_printed() -> None:
    for number, printed in figures.RUNS.items():
        lines = mf1.lines([2, *(cell for row in figures.MATRICES[number] for cell in row)])
        assert lines == [f'("{name}",{x})' for name, x in zip(mf1.NAMES, printed, strict=True)]
    assert "NOT" not in figures.tables(SEED).text


@pytest.mark.parametrize("seed", SEEDS)
def test_figure_1a(seed: int) -> None:
    """Over seeds: .1276 ± .0005, .720 ± .016, .703 ± .018, .566 ± .007 and .414 ± .005."""
    figure = figures.fig1a(seed)
    here = {fact.key: fact.here for fact in figure.facts}
    assert here["rmsd"] == pytest.approx(0.13, abs=0.005)
    assert here["pearson"] == pytest.approx(0.72, abs=0.04)
    assert here["spearman"] == pytest.approx(0.69, abs=0.04)
    assert here["max_of"] == pytest.approx(0.56, abs=0.02)
    assert here["max_av"] == pytest.approx(0.41, abs=0.02)
    spread = {fact.key: fact.spread for fact in figure.facts}
    assert spread["pearson"] == pytest.approx(0.016, rel=0.4)
    assert spread["rmsd"] == pytest.approx(0.0005, rel=0.4)
    a, b = figure.columns["averaged_f1"], figure.columns["f1_of_averages"]
    assert here["spearman"] == pytest.approx(stats.spearmanr(a, b).statistic)
    assert here["pearson"] == pytest.approx(stats.pearsonr(a, b).statistic)
    assert here["rmsd"] == pytest.approx(np.sqrt(((b - a) ** 2).mean()))


def test_figure_1b_has_densities_of_every_distribution() -> None:
    figure = figures.fig1b(SEED)
    assert len(figure.facts) == 10
    for name in (*figures.BINARY, *figures.SEVERAL):
        rows = figure.where(distribution=name)
        mass = np.trapezoid(rows["density_per_decade"], np.log10(rows["gap"]))
        assert mass == pytest.approx(1, abs=0.03)
    assert figure.fact("95:5").here == pytest.approx(0.127, abs=0.002)
    assert figure.fact("50:50").here < 0.001 < figure.fact("70:30").here


@pytest.mark.long
def test_figures_2_and_3_reach_what_the_paper_says(made: dict[str, Figure]) -> None:
    """Largest mean gap over seeds, 100 tasks per point: .787 ± .014 and 1.577 ± .009 (fig. 3).

    The paper's 1.7 is above it: the largest of maps with 1 and 10 tasks per point are 1.8 and 1.6.
    """
    third = made["fig3"]
    assert third.fact("max4_100").here == pytest.approx(0.8, abs=0.1)
    assert third.fact("max13_100").here == pytest.approx(1.7, abs=0.15)
    assert third.fact("max13_10").here < 1.7 < third.fact("max13_1").here
    second = made["fig2"]
    assert second.fact("max13_100").here == pytest.approx(2, abs=0.15)
    assert 1.4 < second.fact("max4_100").here < 2
    for figure in (second, third):
        perfect = figure.columns["accuracy"] == 1
        assert perfect.sum() == 2 * figures.GRID
        assert figure.columns["mean_gap"][perfect] == pytest.approx(0, abs=1e-12)
        largest = figure.columns["skew"][figure.columns["mean_gap"].argmax()]
        assert largest == 1


def test_the_extremal_matrices_tend_to_the_supremum() -> None:
    figure = figures.theorem(SEED)
    assert (figure.columns["gap"] < figure.columns["supremum"]).all()
    for n in range(2, 21):
        rows = figure.where(classes=n)
        short = rows["supremum"] - rows["gap"]
        assert (np.diff(short) < 0).all() and short[-1] < 2 / rows["z"][-1]
        assert rows["supremum"][0] == 0.5 - (n % 2) / (2 * n**2)


# beyond the paper

shares = st.integers(0, 10**6).map(lambda i: i / 10**6)  # a ratio of counts is never subnormal
pairs = st.lists(st.tuples(shares, shares), min_size=2, max_size=6)


def gap(points: Points) -> float:
    p, r = np.array(points).T
    return float(gap_contributions(p, r).sum())


@given(pairs)
def test_the_gap_is_the_difference_is_the_variance(points: Points) -> None:
    p, r = np.array(points).T
    f1 = [2 * x * y / (x + y) if x + y else 0 for x, y in points]
    h = 2 * p.mean() * r.mean() / (p.mean() + r.mean()) if p.sum() + r.sum() else 0
    assert gap(points) == pytest.approx(h - np.mean(f1), abs=1e-12)
    assert gap(points) == pytest.approx(gap_terms(p, r).sum(), abs=1e-12)


@given(pairs, shares)
def test_stretching_a_class_never_lowers_the_gap(points: Points, factor: float) -> None:
    """Step 1 of the proof of the theorem's third part."""
    (p, r), *others = points
    assert gap([(factor * p, factor * r), *others]) <= gap(points) + 1e-12


@given(pairs, shares, st.booleans())
def test_the_largest_gap_on_a_side_is_at_an_end(points: Points, x: float, swap: bool) -> None:
    """Step 2: on P = 1 (or R = 1) the gap is at most that at one of the ends."""
    _, *others = points
    inside, *ends = ([((1, y) if swap else (y, 1)), *others] for y in (x, 0, 1))
    assert gap(inside) <= max(map(gap, ends)) + 1e-12


def test_corners_have_the_gap_that_the_proof_counts() -> None:
    """Step 3, in fractions: (2ab + c(n − c)) / (n(n + c)), at most the supremum."""
    for a, b, c in product(range(6), repeat=3):
        n = a + b + c
        if n < 2 or a + b + 2 * c == 0:
            continue
        p, r = a + c, b + c
        exact = Fraction(2 * p * r, n * (p + r)) - Fraction(c, n)
        assert exact == Fraction(2 * a * b + c * (n - c), n * (n + c))
        bound = Fraction(1, 2) - Fraction(n % 2, 2 * n * n)
        assert exact <= bound


@pytest.mark.parametrize(("k", "items"), [(2, 1), (2, 4), (2, 7), (3, 3)])
def test_tables_that_break_the_second_part_are_counted_exactly(k: int, items: int) -> None:
    silent = one_sided = total = 0
    for cells in product(range(items + 1), repeat=k * k):
        if sum(cells) != items:
            continue
        total += 1
        matrix = [cells[at : at + k] for at in range(0, k * k, k)]
        p, r = exact_rates(matrix)
        f1 = [2 * x * y / (x + y) if x + y else Fraction(0) for x, y in zip(p, r, strict=True)]
        s = sum(p) + sum(r)
        difference = (2 * sum(p) * sum(r) / s if s else 0) - sum(f1)
        differ = [x != y for x, y in zip(p, r, strict=True)]
        sides = {x < y for x, y in zip(p, r, strict=True) if x != y}
        silent += difference == 0 and any(differ)
        one_sided += difference > 0 and len(sides) < 2
        assert difference >= 0
        if all(matrix[i][i] for i in range(k)):
            assert (difference > 0) == any(differ) == (len(sides) == 2)
    assert beyond.broken(k, items) == (total, silent, one_sided)


def exact_rates(matrix: Matrix) -> tuple[list[Fraction], list[Fraction]]:
    def over(x: int, y: int) -> Fraction:
        return Fraction(x, y) if y else Fraction(0)

    k = range(len(matrix))
    p = [over(matrix[i][i], sum(row[i] for row in matrix)) for i in k]
    r = [over(matrix[i][i], sum(matrix[i])) for i in k]
    return p, r


@pytest.mark.parametrize("matrix", [beyond.COUNTEREXAMPLE, beyond.SMALLEST])
def test_counterexamples_to_the_second_part(matrix: Matrix) -> None:
    p, r = exact_rates([*zip(*matrix, strict=True)])
    f1 = [2 * x * y / (x + y) if x + y else Fraction(0) for x, y in zip(p, r, strict=True)]
    assert any(x != y for x, y in zip(p, r, strict=True))
    assert sum(f1) == 2 * sum(p) * sum(r) / (sum(p) + sum(r))
    assert all(sum(row) for row in matrix)
    if matrix == beyond.COUNTEREXAMPLE:
        assert sum(f1) / 3 == Fraction(16, 35)


cell = st.integers(0, 200)


@settings(max_examples=200)
@given(cell, cell, cell, cell)
def test_two_classes_keep_the_sharp_bound(a: int, b: int, c: int, d: int) -> None:
    if a + b + c + d == 0:
        return
    p, r = (sum(x) / 2 for x in exact_rates([[a, b], [c, d]]))
    averaged = Fraction(0)
    for hits in (a, d):
        averaged += Fraction(hits, 2 * hits + b + c) if hits else 0
    assert (p > Fraction(1, 2)) == (r > Fraction(1, 2))
    if p > Fraction(1, 2):
        x, y = 2 * p - 1, 2 * r - 1
        sharp = (1 + 2 * x * y / (x + y)) / 2
        assert averaged <= sharp and (averaged == sharp) == (b == c)
        assert beyond.sharp_bound(float(p), float(r), 2) == pytest.approx(float(sharp))
    else:
        assert averaged <= (2 * p * r / (p + r) if p else 0)


@settings(max_examples=200)
@given(st.integers(3, 5), st.data())
def test_several_classes_keep_the_sharp_bound(k: int, data: st.DataObject) -> None:
    """In fractions, on tables whose macro precision is above (k − 1)/k, misses and all."""
    rows = st.lists(st.integers(0, 12), min_size=k, max_size=k)
    matrix = data.draw(st.lists(rows, min_size=k, max_size=k))
    for at in range(k):  # enough hits for the bound to be below F1 of averages
        matrix[at][at] += data.draw(st.integers(1, 400))
    p, r = sorted((sum(x) for x in exact_rates(matrix)), reverse=True)
    if p <= k - 1:
        return
    assert r > 1
    hits = [matrix[at][at] for at in range(k)]
    both = [sum(matrix[at]) + sum(row[at] for row in matrix) for at in range(k)]
    f1 = sum(Fraction(2 * x, y) for x, y in zip(hits, both, strict=True))
    assert f1 <= 1 + 2 * (p - 1) * (r - 1) / (p + r - 2)
    sharp = beyond.sharp_bound(float(p / k), float(r / k), k)
    assert float(f1 / k) <= sharp + 1e-12
    assert sharp <= wf.bounds(float(p / k), float(r / k), k).high + 1e-12


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_uneven_tables_keep_the_sharp_bound_and_come_near_it(k: int) -> None:
    rng = np.random.default_rng(k)
    nearest = np.inf
    for spread, excess in product((1, 4), (1e-6, 0.5, 0.9)):
        cells = np.exp(spread * rng.standard_normal((2000, k, k)))
        table = tuned(cells, (k - 1 + excess) / k)
        p, r = macro(table)
        keep = p >= r
        x, y = k * p[keep] - 1, k * r[keep] - 1
        assert (y > -1e-12).all()
        short = (1 + 2 * x * y / (x + y)) / k - simulation.score(table).averaged[keep]
        assert short.min() > -1e-12
        nearest = min(nearest, short.min())
    assert nearest < 1e-4


@pytest.mark.parametrize(
    ("p", "r", "k"), [(0.8, 0.6, 2), (0.6, 0.55, 2), (0.9, 0.7, 3), (0.95, 0.5, 4), (0.6, 0.4, 4)]
)
def test_the_sharp_bound_is_approached(p: float, r: float, k: int) -> None:
    """One class is perfect (or has no hit), the others are equal and confused with it alone."""
    perfect = p > (k - 1) / k
    x, y = ((k * rate - perfect) / (k - 1) for rate in (p, r))
    table = np.diag([1e12 if perfect else 0, *[1.0] * (k - 1)])
    table[0, 1:], table[1:, 0] = 1 / x - 1, 1 / y - 1
    found, both = macro(table), simulation.score(table)
    assert found == pytest.approx((p, r), abs=1e-9)
    sharp = beyond.sharp_bound(p, r, k)
    assert both.averaged == pytest.approx(sharp, abs=1e-9)
    if perfect:
        assert sharp < wf.bounds(p, r, k).high < wf.bounds(p, r).high
    else:
        assert sharp == wf.bounds(p, r).high


def test_the_sharp_bound_refuses_what_no_table_has() -> None:
    with pytest.raises(wf.errors.InputError, match="no table of 2 classes"):
        beyond.sharp_bound(0.9, 0.4, 2)


def test_random_tables_lie_inside_the_bounds() -> None:
    figure = interval(SEED)
    assert [fact.here for fact in figure.facts] == [0, 0, 0]
    fixed = figure.where(panel="fixed")
    assert fixed["macro_precision"] == pytest.approx(0.8, abs=1e-9)
    assert np.ptp(fixed["macro_recall"]) > 0.5
    x, y = figure.columns["f1_of_averages"], figure.columns["averaged_f1"]
    assert (y <= x + 1e-12).all() and (y >= 2 * x - 1 - 1e-12).all()
    tables = np.random.default_rng(1).uniform(size=(5, 4, 4))
    off = ~np.eye(4, dtype=bool)
    assert (tuned(tables, 0.3)[:, off] == tables[:, off]).all()


def test_bounds_are_drawn_where_there_are_tables() -> None:
    figure = beyond.limits(SEED)
    two = figure.where(curve="2 classes")["macro_precision"]
    assert two.min() > 0.5
    low = figure.where(curve="lower bound")["averaged_f1"]
    for k in (2, 3, 5):
        simple, sharp = (
            figure.where(curve=f"{k} classes{end}")["averaged_f1"] for end in ("", ", sharp")
        )
        assert (sharp <= simple + 1e-12).all() and (sharp < simple - 1e-4).any()
        assert (sharp >= low[-len(sharp) :]).all()


def test_pairs_are_ranked_by_both_formulas() -> None:
    figure = rankings(SEED, pairs=300)
    share = figure.columns["share_ranked_differently"]
    assert ((share >= 0) & (share < 0.5)).all() and (share > 0).mean() > 0.9
    equal, independent = (
        figure.where(skill=skill)["share_ranked_differently"] for skill in ("equal", "independent")
    )
    assert equal.mean() > 2 * independent.mean()  # .22 and .04, each ± .005
    few = flipped(np.random.default_rng(0), 3, 10, 50, 100, equal_skill=True)
    assert few.dtype == bool and 0 < few.sum() < 50
