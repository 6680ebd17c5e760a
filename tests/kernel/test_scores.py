"""The loops over scores and labels: in C and in NumPy, on any layout, they give the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.memory import LAYOUTS, Array
from whichf1.kernel import _native, native, reference

Columns = tuple[Array, Array, Array | None]
SCORES = st.sampled_from([0.0, -0.0, 0.5, -0.5, 1e-310, -1e-310, 1e300, -1e300, np.inf, -np.inf])


@st.composite
def scored(draw: st.DrawFn) -> Columns:
    n = draw(st.one_of(st.integers(0, 50), st.integers(3000, 9000)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    style = draw(st.sampled_from(["normal", "rounded", "bits", "close"]))
    values = {
        "normal": rng.normal(size=n),
        "rounded": np.round(rng.normal(size=n), 1),
        "bits": np.nan_to_num(rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)),
        "close": 1 + rng.integers(0, 5, n) * 2.0**-52,
    }[style]
    if n:
        values[: min(n, 5)] = draw(st.lists(SCORES, min_size=min(n, 5), max_size=min(n, 5)))
    with np.errstate(over="ignore"):
        values = values.astype(draw(st.sampled_from(["<f8", ">f8", "<f4", ">f4", "<f2"])))
    layout = LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))]
    positive = layout(rng.random(n) < draw(st.sampled_from([0, 0.1, 0.5, 1])))
    return layout(values), positive, rng.random(n) if draw(st.booleans()) else None


@settings(max_examples=200, deadline=None)
@given(scored())
def test_rank_table_is_its_twin(given_scores: Columns) -> None:
    scores, positive, weights = given_scores
    ours = native.rank_table(scores, positive, weights)
    wide = scores.astype(np.float64)
    twin = reference.rank_table(wide, positive, weights)
    for one, other in zip(ours, twin, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.signbit(ours.score[ours.score == 0]).any()


@settings(max_examples=100, deadline=None)
@given(scored())
def test_the_order_of_scores_is_its_twin(given_scores: Columns) -> None:
    scores = given_scores[0]
    for ours, twin in zip(native.order(scores), reference.order(scores), strict=True):
        assert ours.tolist() == twin.tolist()


def test_the_order_of_many_scores_is_shared_by_threads() -> None:
    rng = np.random.default_rng(5)
    for scores in (rng.normal(size=1 << 18), np.round(rng.normal(size=1 << 15), 2)):
        for ours, twin in zip(native.order(scores), reference.order(scores), strict=True):
            assert np.array_equal(ours, twin)
    with pytest.raises(ValueError, match="NaN"):
        native.order(np.array([0.5, np.nan]))


@settings(max_examples=100, deadline=None)
@given(scored(), st.sampled_from(["?", "<i8", ">i4", "u1"]), st.integers(0, 4))
def test_ranked_labels_and_their_steps_are_their_twins(
    given_scores: Columns, dtype: str, other: int
) -> None:
    scores, positive, weights = given_scores
    labels, wide = positive.astype(dtype), scores.astype(np.float64)
    ours, twin = (kernel.rank_labels(wide, labels, weights) for kernel in (native, reference))
    assert ours is not None and twin is not None and ours[1] == twin[1] == positive.sum()
    for one, same in zip(ours[0], twin[0], strict=True):
        np.testing.assert_array_equal(one, same)
    if len(labels):
        areas = [kernel.rank_areas(wide, labels) for kernel in (native, reference)]
        finite = bool(np.isfinite(wide).all())
        assert (areas[0] is not None) == (areas[1] is not None) == finite
        assert not finite or areas[0] == pytest.approx(areas[1], 1e-12, 1e-12)
    steps = [kernel.running(*ours[0][1:], 0.5, float(other)) for kernel in (native, reference)]
    np.testing.assert_array_equal(*steps)
    if other > 1 and dtype != "?" and len(labels):
        labels[-1] = other
        assert all(kernel.rank_labels(wide, labels) is None for kernel in (native, reference))


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 40),
    st.sampled_from([1, 2, 5, 31, 32, 33, 64, 70]),
    st.sampled_from(["?", "i1", "<u2", ">i4", "<i8", "<f4", ">f8"]),
    st.sampled_from([0.02, 0.3, 0.9]),
    st.integers(0, 2**32),
)
def test_sets_of_labels_are_their_twins(
    n: int, k: int, dtype: str, share: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    has = rng.random((n, k)) < share
    guessed = np.where(rng.random((n, k)) < 0.8, has, ~has)
    layout = rng.choice(["C", "F"])
    true, predicted = (np.array(x, dtype, order=layout) for x in (has, guessed))
    grouped = [kernel.group_labels(true, predicted) for kernel in (native, reference)]
    assert grouped[0] is not None and grouped[1] is not None
    for one, same in zip(*grouped, strict=True):
        np.testing.assert_array_equal(one, same)
    scores = rng.random((n, k)).astype(rng.choice(["<f8", ">f4"]))
    for name, other in (("item_labels", predicted), ("label_flags", scores)):
        ours, twin = (getattr(kernel, name)(true, other) for kernel in (native, reference))
        np.testing.assert_array_equal(ours, twin)
    for what in reference.LABEL_SCORES:
        other = predicted if what in ("exact", "wrong") else scores.round(1)
        sums = [kernel.label_scores(true, other, what) for kernel in (native, reference)]
        assert sums[0] == pytest.approx(sums[1], 1e-12, 1e-12) or (sums[0] is None and k > 64)
    spoiled, at = true.astype(np.float64), (int(rng.integers(n)), int(rng.integers(k)))
    spoiled[at] = rng.choice([2, -1, 0.5, np.nan, np.inf])
    scores[at] = rng.choice([np.nan, np.inf])
    for kernel in (native, reference):
        assert kernel.group_labels(spoiled, predicted) is None
        assert kernel.item_labels(true, spoiled) is None
        assert kernel.label_scores(true, spoiled, "wrong") is None
        assert kernel.label_scores(spoiled, np.zeros((n, k)), "coverage") is None
        assert kernel.label_scores(true, scores, "top_error") is None
        assert kernel.label_flags(spoiled, np.zeros((n, k))) is None
        assert kernel.label_flags(true, scores) is None


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 3000),
    st.integers(1, 12),
    st.sampled_from(["<f8", ">f8", "<f4", ">f4"]),
    st.sampled_from(["C", "F", "strided"]),
    st.sampled_from([0.0, 1e-15, 0.1]),
    st.integers(0, 2**32),
)
def test_losses_are_their_twins(
    n: int, k: int, dtype: str, layout: str, floor: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.3), n).astype(dtype)
    p = {"C": p, "F": np.asfortranarray(p), "strided": np.repeat(p, 2, 1)[:, ::2]}[layout]
    codes = rng.integers(0, k, n)
    wide = p.astype(np.float64)
    np.testing.assert_allclose(
        native.loss_sums(codes, p, floor),
        reference.loss_sums(codes, p, floor),
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        native.brier_sums(codes, p), reference.brier_sums(codes, p), rtol=1e-12
    )
    for ties, most in itertools.product(("first", "last", "best", "worst"), (1, 3, 20)):
        rounded = wide.round(1)
        twins = (kernel.top_sums(codes, rounded, most, ties) for kernel in (native, reference))
        assert next(twins) == next(twins)
    logits = (9 * p - 3).astype(dtype)
    np.testing.assert_allclose(
        native.hinge_sums(codes, logits), reference.hinge_sums(codes, logits), rtol=1e-12
    )
    one, second = codes % 2, np.ascontiguousarray(p[:, -1])
    both = np.stack([1 - second.astype(np.float64), second], axis=1)
    assert native.loss_sums(one, second, floor) == native.loss_sums(one, both, floor)
    assert native.brier_sums(one, second) == native.brier_sums(one, both)
    assert reference.brier_sums(one, second) == reference.brier_sums(one, both)
    tolerance = 1e-5
    assert native.first_bad_row(p, tolerance) == reference.first_bad_row(p, tolerance) == n
    assert native.loss_sums(codes, p, floor).fair and native.brier_sums(codes, p).fair
    spoiled = p.copy()
    row = int(rng.integers(n))
    spoiled[row, 0] = rng.choice([-0.1, 1.1, np.nan, 0.9 if p[row, 0] < 0.5 else 0.1])
    assert native.first_bad_row(spoiled, tolerance) == row
    assert reference.first_bad_row(spoiled, tolerance) == row
    wrong = spoiled.astype(np.float64)
    for ours, twin in (
        (native.loss_sums(codes, spoiled, floor), reference.loss_sums(codes, wrong, floor)),
        (native.brier_sums(codes, spoiled), reference.brier_sums(codes, wrong)),
    ):
        assert not ours.fair and not twin.fair
    for odd in (np.nan, np.inf, -np.inf):
        spoiled[row, 0] = odd
        for kernel in (native, reference):
            assert not kernel.hinge_sums(codes, spoiled).fair
            assert not kernel.top_sums(codes, spoiled, 1, "first").fair


@pytest.mark.parametrize("columns", [1, 97, 5000])
def test_losses_of_many_columns_are_their_twins(columns: int) -> None:
    rng = np.random.default_rng(columns)
    p, codes = rng.dirichlet(np.ones(columns), 21), rng.integers(0, columns, 21)
    for name in ("brier_sums", "hinge_sums"):
        ours, twin = (getattr(kernel, name)(codes, p) for kernel in (native, reference))
        np.testing.assert_allclose(ours, twin, rtol=1e-12)
    ours, twin = (kernel.top_sums(codes, p, 3, "last") for kernel in (native, reference))
    assert ours == twin


def test_logarithms_are_those_of_the_library() -> None:
    rng = np.random.default_rng(8)
    near = [1 - 2.0**-k for k in range(1, 54)] + [2.0**-k for k in range(1075)]
    values = np.concatenate([near, 1 - rng.random(2000) ** 9, rng.random(2000) ** 40])
    values = values[values > 0]
    for value in values:  # one by one: a subnormal number sends its whole block to the library
        ours = native.loss_sums(np.array([0]), np.array([[value]]), 0.0).total
        np.testing.assert_allclose(ours, -np.log(value), rtol=4e-16, atol=0)


def test_sums_of_losses_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(5)
    p, codes = rng.dirichlet(np.ones(4), 100_000), rng.integers(0, 4, 100_000)
    sums = {_native.losses(codes, p, 1e-15, 1e-3, 7, threads, None) for threads in range(1, 7)}
    assert len(sums) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 40_000), st.sampled_from(["up", "down", "both", "flat"]), st.integers(0, 2**32)
)
def test_trapezoids_are_their_twins(n: int, way: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.random(n)), rng.normal(size=n)
    x = {"up": x, "down": x[::-1].copy(), "both": rng.random(n), "flat": np.ones(n)}[way]
    ours, twin = native.trapezoid(x, y), reference.trapezoid(x, y)
    assert ours[0] == pytest.approx(twin[0], 1e-12, 1e-12) and ours[1:] == twin[1:]
    if n > 1:
        y[int(rng.integers(n))] = np.nan
        assert np.isnan(native.trapezoid(x, y)[0])


@pytest.mark.parametrize("n", [2, 511, 512, 513, 4000])
def test_both_kernels_place_items_alike(n: int) -> None:
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    scores = (labels + rng.normal(size=n)).round(2)
    for kind in (np.int32, np.int64, np.float64):
        _, positives, negatives = native.rank_table(scores, labels == 1)
        positives, negatives = positives.astype(kind), negatives.astype(kind)
        p, q = float(positives.sum()), float(negatives.sum())
        ours, theirs = (x.placements(positives, negatives, p, q) for x in (native, reference))
        assert ours[0] == theirs[0]
        assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-15)
    with pytest.raises(ValueError, match="equal lengths"):
        native.placements(positives, negatives[1:], p, q)
    for what in reference.PRECISIONS:
        sums = [x.place_precisions(positives, negatives, what) for x in (native, reference)]
        assert sums[0][:5] == pytest.approx(sums[1][:5], rel=1e-9, abs=1e-15)
        assert sums[0][5] == pytest.approx(sums[1][5], rel=1e-5, abs=1e-9)  # a second difference
    with pytest.raises(ValueError, match="equal lengths"):
        native.place_precisions(positives, negatives[1:], "mean")
