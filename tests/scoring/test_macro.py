"""The paper's mathematics: Opitz and Burst, 'Macro F1 and Macro F1' (2019)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import whichf1 as wf

matrices = (
    st.integers(1, 6)
    .flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 30) | st.sampled_from([0, 10**6]), min_size=k, max_size=k),
            min_size=k,
            max_size=k,
        )
    )
    .filter(lambda m: sum(map(sum, m)) > 0)
)


def from_predicted_rows(matrix: Any) -> Any:
    return wf.Counts.from_matrix(matrix, rows="predicted")


# (matrix with predictions in rows, F1 of averages, averaged F1), as printed in tables 1 to 4; but
# table 2 prints 0.55 for 0.5553, which is cut and not rounded
TABLES = [
    ([[5, 10], [5, 10]], "0.5", "0.49"),
    ([[1, 1], [9, 19]], "0.56", "0.48"),
    ([[100, 10000], [0, 100]], "0.505", "0.0196"),
    ([[100, 5000], [5000, 100]], "0.0196", "0.0196"),
]


@pytest.mark.parametrize(("matrix", "of_averages", "averaged"), TABLES)
def test_the_papers_tables(matrix: Any, of_averages: Any, averaged: Any) -> None:
    m = wf.macro_f1(from_predicted_rows(matrix))
    for printed, score in ((of_averages, m.of_averages), (averaged, m.averaged)):
        assert f"{score.value:.{len(printed) - 2}f}" == printed


def test_tables_1_and_2_rank_their_classifiers_differently() -> None:
    one, two = (wf.macro_f1(from_predicted_rows(matrix)) for matrix, *_ in TABLES[:2])
    assert one.of_averages < two.of_averages
    assert one.averaged > two.averaged


@settings(max_examples=150)
@given(matrices)
def test_the_gap(matrix: Any) -> None:
    counts = from_predicted_rows(matrix)
    m = wf.macro_f1(counts)
    assert m.gap >= -1e-12
    assert m.gap < m.supremum or m.gap == m.supremum == 0
    assert m.terms.sum() == pytest.approx(m.gap, abs=1e-12)
    assert m.contributions.sum() == pytest.approx(m.gap, abs=1e-12)
    low, high = wf.bounds(m.precision.mean(), m.recall.mean(), len(counts.labels))
    assert low - 1e-12 <= m.averaged.value <= high + 1e-12
    assert high <= wf.bounds(m.precision.mean(), m.recall.mean()).high + 1e-12


@settings(max_examples=150)
@given(matrices)
def test_no_gap_iff_precision_is_recall_where_every_class_has_a_hit(matrix: Any) -> None:
    counts = from_predicted_rows(matrix)
    assume((counts.per_class().tp > 0).all())
    m = wf.macro_f1(counts)
    rows, columns = (counts.matrix.sum(axis) for axis in (0, 1))
    assert (m.terms.max() == 0) == (rows == columns).all()


def test_a_class_without_hits_breaks_the_theorems_part_2_as_printed() -> None:
    m = wf.macro_f1(from_predicted_rows([[12, 3, 0], [3, 12, 0], [5, 5, 0]]))
    assert m.precision.tolist() == [0.8, 0.8, 0.0]
    assert m.recall.tolist() == [0.6, 0.6, 0.0]
    assert m.averaged.value == pytest.approx(16 / 35, abs=1e-15)
    assert m.of_averages.value == pytest.approx(16 / 35, abs=1e-15)


@pytest.mark.parametrize("n", range(2, 12))
def test_the_extremal_matrices_approach_the_supremum(n: int) -> None:
    gaps = [wf.macro_f1(wf.extremal(n, 10**e)).gap for e in (1, 3, 6)]
    assert gaps[0] < gaps[1] < gaps[2] < wf.supremum(n)
    assert gaps[2] == pytest.approx(wf.supremum(n), abs=1e-5)


def test_the_supremum_as_the_theorem_says() -> None:
    assert wf.supremum(2) == wf.supremum(8) == 0.5
    assert wf.supremum(3) == 0.5 - 1 / 18


def test_the_bound_for_two_classes_is_attained() -> None:
    for p, r in ((0.7, 0.4), (0.9, 0.6), (0.55, 0.5)):
        high = wf.bounds(p, r, 2).high
        best = max(
            np.mean([_h(2 * p - a, 2 * r - b), _h(a, b)])
            for a in np.linspace(0, 1, 201)
            for b in np.linspace(a, 1, 201)  # one class has precision ≤ recall
            if 0 <= 2 * p - a <= 1 and 0 <= 2 * r - b <= 1
        )
        assert best <= high + 1e-12
        assert best == pytest.approx(high, abs=0.01)


def _h(p: Any, r: Any) -> Any:
    return 2 * p * r / (p + r) if p + r else 0.0


def test_macro_f1_says_when_the_gap_has_no_meaning() -> None:
    with pytest.raises(wf.errors.DefinitionError, match="averaged over different classes"):
        wf.macro_f1([0, 1], [0, 0], undefined="skip")


def test_the_largest_pair() -> None:
    m = wf.macro_f1(from_predicted_rows([[5, 10, 0], [5, 10, 0], [0, 0, 7]]))
    pair = m.largest_pair
    assert pair is not None and (pair.a, pair.b) == (0, 1)
    assert 0 < pair.share <= 1
    assert wf.macro_f1([0, 1], [0, 1]).largest_pair is None


def test_the_table_of_seed_004() -> None:
    predictions, labels = [0.0, 2.0, 1.0, 2.0, 2.0], [0.0, 1.0, 1.0, 2.0, 0.0]
    table = wf.precision_recall_f1(np.array(predictions), np.array(labels), 4)
    assert table.shape == (3, 5)
    assert table[0].tolist() == pytest.approx([1, 1, 1 / 3, 0, 7 / 12])
    assert table[1].tolist() == pytest.approx([0.5, 0.5, 1, 0, 0.5])
    assert table[2].tolist() == pytest.approx([2 / 3, 2 / 3, 0.5, 0, 11 / 24])


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64"])
def test_the_table_has_the_callers_array_type(dtype: Any) -> None:
    import torch

    values = torch.tensor([0, 1, 1], dtype=getattr(torch, dtype))
    table = wf.precision_recall_f1(values, values, 2)
    assert isinstance(table, torch.Tensor)
    assert table.dtype == (values.dtype if dtype != "int64" else torch.float32)
    assert table.tolist() == [[1, 1, 1]] * 3
    single = np.array([0, 1, 1], np.float32)
    assert wf.precision_recall_f1(single, single, 2).dtype == np.float32
