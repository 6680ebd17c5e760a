"""Curves of a ranking: in C and in NumPy they have the same points, in any number of threads."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.memory import LAYOUTS, Array
from whichf1.kernel import native, reference

Steps = tuple[Array, Array, Array]
EVERY_CURVE = [*itertools.product(reference.CURVES, reference.KEPT)]


@st.composite
def steps(draw: st.DrawFn) -> Steps:
    """Lines of a ranking: counts, or sums of weights of which some are lost in others."""
    n = draw(st.one_of(st.integers(1, 40), st.integers(500, 1600)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    score = np.sort(rng.normal(size=n))[::-1].astype(draw(st.sampled_from(["<f8", ">f8", "<f4"])))
    kind = draw(st.sampled_from(["<i4", "<i8", ">i8", "<f8"]))
    counts: Array = rng.integers(0, draw(st.integers(1, 4)), (2, n))
    if kind == "<f8" and draw(st.booleans()):
        counts = counts * 10.0 ** rng.integers(-20, 3, (2, n))
    elif kind.endswith("i8") and draw(st.booleans()):  # some have sums that float64 rounds
        counts = counts << draw(st.integers(30, 50))
    layout = LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))]
    positives, negatives = (layout(x.astype(kind)) for x in counts)
    return layout(score), positives, negatives


@settings(max_examples=200, deadline=None)
@given(steps(), st.sampled_from(EVERY_CURVE))
def test_the_points_of_a_curve_are_those_of_its_twin(lines: Steps, curve: tuple[str, str]) -> None:
    ours, twin = (kernel.curve(*lines, *curve) for kernel in (native, reference))
    np.testing.assert_array_equal(ours, twin)


@pytest.mark.parametrize("curve", EVERY_CURVE)
def test_threads_share_the_lines_of_a_long_curve(
    curve: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    positives, negatives = rng.integers(0, 2, (2, 40_000)).astype(np.int32)
    lines = (np.arange(40_000.0)[::-1], positives, negatives)
    twin = reference.curve(*lines, *curve)
    for threads in (1, 2, 3, 64):
        monkeypatch.setattr(native, "THREADS", threads)
        np.testing.assert_array_equal(native.curve(*lines, *curve), twin)


@settings(max_examples=50, deadline=None)
@given(steps())
def test_what_is_left_out_is_on_the_line_between_its_neighbours(lines: Steps) -> None:
    score, *counts = lines
    positives, negatives = (x.astype(np.float64).round() for x in counts)
    every, corners, rises = (
        np.stack(native.curve(score, positives, negatives, "counts", kept))
        for kept in reference.KEPT
    )
    assert every.shape[1] == len(score) + 1
    for fewer in (corners, rises):
        places = np.searchsorted(-every[2], -fewer[2])
        np.testing.assert_array_equal(every[:, places], fewer)
        same = np.interp(np.arange(len(every[0])), places, fewer[1])
        np.testing.assert_allclose(same, every[1], atol=1e-9)


def test_rates_of_nothing() -> None:
    score, some, none = np.array([2.0, 1.0]), np.array([1, 2]), np.array([0, 0])
    for kernel in (native, reference):
        assert np.isnan(kernel.curve(score, some, none, "roc")[0]).all()
        assert np.stack(kernel.curve(score, some, none, "det")).tolist() == [
            [0, 0, 0],
            [1, 2 / 3, 0],
            [np.inf, 2, 1],
        ]
        recall, precision, _ = kernel.curve(score, none, some, "pr")
        assert [*recall] == [0, 1, 1] and [*precision] == [1, 0, 0]


def test_a_curve_needs_lines_of_one_length_and_type() -> None:
    two, three = np.array([1, 2]), np.array([1, 2, 3])
    with pytest.raises(ValueError, match="equal lengths"):
        native.curve(np.array([2.0, 1.0]), two, three)
    with pytest.raises(ValueError, match="equal lengths above 0"):
        native.curve(np.array([]), two[:0], two[:0])
    with pytest.raises(TypeError, match="one type"):
        native.curve(np.array([2.0, 1.0]), two, two * 0.5)


@st.composite
def probabilities(draw: st.DrawFn) -> tuple[Array, Array]:
    n = draw(st.one_of(st.integers(0, 50), st.integers(500, 1600)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    edges = rng.integers(0, 11, n) / 10
    near = np.nextafter(edges, rng.integers(0, 2, n)).clip(0, 1)
    p = draw(st.sampled_from([rng.random(n), rng.random(n).round(1), rng.random(n) * 1e-310, near]))
    if n:
        p[: min(n, 3)] = draw(st.lists(st.sampled_from([0.0, -0.0, 0.3, 1.0]), min_size=3))[
            : min(n, 3)
        ]
    layout = LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))]
    scores = layout(p.astype(draw(st.sampled_from(["<f8", ">f8", "<f4", "<f2"]))))
    return scores, layout((rng.random(n) < 0.5).astype(draw(st.sampled_from(["?", "<i8", ">i4"]))))


@settings(max_examples=200, deadline=None)
@given(probabilities(), st.sampled_from([1, 2, 7, 10, 1000]), st.integers(0, 3))
def test_bins_are_their_twins(items: tuple[Array, Array], bins: int, odd: int) -> None:
    edges = np.linspace(0, 1, bins + 1)[1:-1]
    if odd == 1:  # of any width
        edges = np.sort(np.random.default_rng(bins).random(bins - 1)) ** 3
    ours, twin = (kernel.bin_sums(*items, edges) for kernel in (native, reference))
    assert ours is not None and twin is not None
    np.testing.assert_array_equal(ours[:2], twin[:2])
    np.testing.assert_allclose(ours[2], twin[2], rtol=1e-15)


@pytest.mark.parametrize("bad", [np.nan, -1e-9, 1.0000001, np.inf])
def test_a_score_that_is_no_probability_has_no_bin(bad: float) -> None:
    scores, edges = np.append(np.full(700, 0.5), bad), np.array([0.5])
    for kernel in (native, reference):
        assert kernel.bin_sums(scores, np.ones(701, np.int64), edges) is None
        assert kernel.bin_sums(scores[:2], np.array([1, 2]), edges) is None


def test_bins_do_not_depend_on_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    scores, labels = rng.random(200_000), rng.integers(0, 2, 200_000)
    every = set()
    for threads in (1, 2, 3, 64):
        monkeypatch.setattr(native, "THREADS", threads)
        binned = native.bin_sums(scores, labels, np.array([0.25, 0.5, 0.75]))
        assert binned is not None
        every.add(binned.tobytes())
    assert len(every) == 1
    with pytest.raises(ValueError, match="equal lengths"):
        native.bin_sums(scores[:3], labels, np.array([0.5]))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1.0, 1e-310, 1e300]), st.sampled_from(["f8", "f4"]))
def test_buckets_are_their_twins(seed: int, scale: float, kind: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 3000))
    scores = (rng.normal(size=n).round(int(rng.integers(1, 9))) * scale).clip(-1e30, 1e30)
    scores, labels = scores.astype(kind), rng.integers(0, 2, n)
    scores[:1] = -0.0
    ours, twin = (kernel.bucket_counts(scores, labels) for kernel in (native, reference))
    assert ours is not None and twin is not None
    np.testing.assert_array_equal(ours, twin)
    some = ours[:, rng.random(ours.shape[1]) < 0.3]
    ranks = [kernel.rank_buckets(scores, labels, some) for kernel in (native, reference)]
    for one, other in zip(*ranks, strict=True):
        np.testing.assert_array_equal(one, other)


def test_buckets_need_finite_scores_and_unchanged_items() -> None:
    labels, scores = np.array([0, 1, 1]), np.array([0.1, 0.5, 0.9])
    for kernel in (native, reference):
        for bad in (np.nan, np.inf, -np.inf):
            assert kernel.bucket_counts(np.array([0.1, 0.5, bad]), labels) is None
        assert kernel.bucket_counts(scores, labels + 1) is None
    counts = native.bucket_counts(scores, labels)
    assert counts is not None
    with pytest.raises(ValueError, match="have changed"):
        native.rank_buckets(np.full(3, 0.5), labels, counts[:, :2])
    with pytest.raises(ValueError, match="equal lengths"):
        native.bucket_counts(scores[:2], labels)


def test_bins_with_many_items_of_many() -> None:
    """A bin of many has more items than one word of its sums counts."""
    rng = np.random.default_rng(3)
    scores, labels = rng.random(300_000), rng.integers(0, 2, 300_000)
    scores[:200_000] = 1.0
    edges = np.linspace(0, 1, 20_001)[1:-1]
    ours, twin = (kernel.bin_sums(scores, labels, edges) for kernel in (native, reference))
    assert ours is not None and twin is not None
    np.testing.assert_array_equal(ours[:2], twin[:2])
    np.testing.assert_allclose(ours[2], twin[2], rtol=1e-15)
