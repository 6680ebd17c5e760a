"""Draws and their sums in C are those of NumPy, number for number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whichf1.kernel import native, reference


@given(st.integers(0, 2**64 - 1), st.integers(0, 3000), st.integers(1, 300), st.data())
@settings(max_examples=40)
def test_coins_are_flipped_alike(seed: int, first: int, size: int, data: st.DataObject) -> None:
    most = data.draw(st.sampled_from([1, 3, 64, 255, 256, 700]))
    count = np.array(data.draw(st.lists(st.integers(0, most), min_size=1, max_size=8)))
    ours = native.flips(count, seed, first, size)
    assert ours.dtype == (np.uint8 if count.max() < 256 else np.int32)
    np.testing.assert_array_equal(ours, reference.flips(count, seed, first, size))
    again = [native.flips(count, seed, first + at, 1)[:, 0] for at in range(min(size, 3))]
    np.testing.assert_array_equal(ours[:, :3], np.stack(again, 1))
    assert (ours <= count[:, None]).all()


def test_coins_are_fair() -> None:
    flips = native.flips(np.array([1, 1, 10, 100]), 7, 0, 20_000).astype(float)
    np.testing.assert_allclose(flips.mean(1), [0.5, 0.5, 5, 50], atol=0.2)
    np.testing.assert_allclose(flips.var(1), [0.25, 0.25, 2.5, 25], rtol=0.05)
    assert np.abs(np.corrcoef(flips) - np.eye(4)).max() < 0.03  # five standard errors


@given(st.integers(0, 2**32), st.integers(1, 300), st.booleans())
@settings(max_examples=40)
def test_rows_are_added_alike(seed: int, replicates: int, wide: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2**24 if wide else 256, (rng.integers(1, 900), replicates))
    rows = rows.astype(np.int32 if wide else np.uint8)
    order = rng.integers(0, len(rows), rng.integers(0, 2000))
    starts = np.sort(rng.integers(0, len(order) + 1, rng.integers(1, 9)))
    sums = native.sum_rows(rows, order, starts)
    np.testing.assert_array_equal(sums, reference.sum_rows(rows, order, starts))


def test_a_row_that_is_not_there() -> None:
    rows = np.ones((3, 5), np.uint8)
    for kernels in (native, reference):
        for order in ([0, 3], [-1, 0]):
            with pytest.raises(ValueError):
                kernels.sum_rows(rows, np.array(order), np.array([0, 2]))


@pytest.mark.parametrize(
    "kind", ["few", "some", "many", "one large", "heavy tail", "none at the end", "single"]
)
def test_multinomial_draws_are_those_of_numpy(kind: str) -> None:
    rng = np.random.default_rng(5)
    for seed in range(8):
        size = int(rng.integers(2, 300))
        counts = {
            "few": rng.integers(0, 4, size),
            "some": rng.integers(3, 35, size),  # around 30, the algorithm changes
            "many": rng.integers(0, 300, size),
            "one large": np.concatenate([[90_000, 400, 40], rng.integers(0, 3, size)]),
            "heavy tail": (rng.pareto(0.7, size) * 3 + 0.5).astype(int),
            "none at the end": np.repeat([9, 0], [2 ** (size % 6), 3]),  # the last 9 is certain
            "single": np.ones(1, int),
        }[kind]
        n = max(int(counts.sum()), 1)
        share = counts / n if counts.any() else np.eye(1, len(counts))[0]
        ours, theirs = (np.random.Generator(np.random.PCG64(seed)) for _ in range(2))
        for replicates in (70, 3):  # the second time from where the first left off
            rows = native.multinomial(ours, n, share, replicates)
            twin = reference.multinomial(theirs, n, share, replicates)
            np.testing.assert_array_equal(rows, twin)
        assert ours.random() == theirs.random()
