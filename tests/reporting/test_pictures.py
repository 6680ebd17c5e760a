"""A picture shows the numbers of its result, on scales that hold them, in a stated order."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.pictures import LINES, RESULTS, comparison, counts, ranking, slices
from whichf1.errors import DefinitionError, InputError
from whichf1.reporting.pictures.counts import by_similarity, contour, kernel_density
from whichf1.reporting.pictures.curves import thinned
from whichf1.reporting.pictures.kinds import every_kind
from whichf1.reporting.pictures.marks import Dots, Ribbon, Stroke, Tiles, axis, ticks


def marks(picture: wf.Picture, kind: type, panel: int = 0) -> list[Any]:
    return [mark for mark in picture.panels[panel].marks if isinstance(mark, kind)]


def test_every_kind_is_tested_and_in_the_gallery() -> None:
    assert {*every_kind()} == {*RESULTS} == {*LINES}
    assert all(kind.summary.endswith(".") for kind in every_kind().values())


@pytest.mark.parametrize("kind", [x for x in RESULTS if x != "posterior"])
def test_a_picture_is_data_with_all_marks_on_its_scales(kind: str) -> None:
    picture = wf.picture(RESULTS[kind](6), kind)
    assert picture.kind == kind and picture.title and picture.finding.endswith(".")
    record = json.loads(json.dumps(asdict(picture), allow_nan=False))
    assert record["panels"]
    for panel in picture.panels:
        for scale in (panel.x, panel.y):
            assert scale.low < scale.high
            assert all(scale.low - 1e-9 <= at <= scale.high + 1e-9 for at, _ in scale.ticks)
        for dots in [mark for mark in panel.marks if isinstance(mark, Dots)]:
            assert all(panel.x.low <= x <= panel.x.high for x in dots.x)
            assert all(panel.y.low <= y <= panel.y.high for y in dots.y)


@pytest.mark.parametrize("share", ["true", "predicted", "none"])
def test_a_confusion_matrix_has_the_counts_and_shares(share: Any) -> None:
    table = counts(5)
    picture = wf.picture(table, "confusion", share=share)
    (tiles,) = marks(picture, Tiles)
    shown = [[text.partition("\n")[0] for text in row] for row in tiles.texts]
    assert shown == [[str(n) for n in row] for row in table.matrix.tolist()]
    total = {"true": table.matrix.sum(1, keepdims=True), "predicted": table.matrix.sum(0)}
    whole = total.get(share, table.matrix.max())
    np.testing.assert_allclose(tiles.shade, table.matrix / whole)
    wrong = table.matrix - np.diag(np.diag(table.matrix))
    most = np.sort(wrong, axis=None)[::-1][:3]
    assert sorted(wrong[cell] for cell in tiles.marked) == sorted(most)


def test_similar_classes_are_neighbours() -> None:
    matrix = np.diag([50] * 6)
    for a, b in ((0, 3), (1, 4), (2, 5)):
        matrix[a, b] = matrix[b, a] = 30
    order = by_similarity(matrix).tolist()
    assert all(abs(order.index(a) - order.index(b)) == 1 for a, b in ((0, 3), (1, 4), (2, 5)))
    picture = wf.picture(counts(20))
    names = [text for _, text in picture.panels[0].x.ticks]
    assert names == [text for _, text in picture.panels[0].y.ticks]
    assert sorted(names) != names and "similar" in picture.caption


def test_a_forest_has_the_scores_of_the_classes_and_their_intervals() -> None:
    table = counts(5)
    picture = wf.picture(table, "classes")
    for panel, metric in zip(picture.panels, (wf.precision, wf.recall, wf.f1), strict=True):
        scores = metric.per_class(table, interval="auto")
        (dots,) = (mark for mark in panel.marks if isinstance(mark, Dots))
        (mean,) = (mark for mark in panel.marks if isinstance(mark, Stroke))
        order = np.argsort(-np.asarray(wf.f1.per_class(table)), kind="stable")
        assert list(dots.x) == scores.array[order].tolist()
        assert list(dots.low) == [scores.intervals[x].low for x in order]
        assert mean.x == pytest.approx((scores.array.mean(),) * 2)


def test_averaged_f1_is_a_contour_and_f1_of_averages_one_through_the_mean() -> None:
    macro = wf.macro_f1(counts(5))
    picture = wf.picture(macro)
    lines = {mark.ink: mark for mark in marks(picture, Stroke) if mark.ink in (0, 1)}
    for ink, value in ((0, macro.averaged.value), (1, macro.of_averages.value)):
        r, p = np.array(lines[ink].x), np.array(lines[ink].y)
        np.testing.assert_allclose(2 * p * r / (p + r), value)
    classes, mean = marks(picture, Dots)
    r, p = mean.x[0], mean.y[0]
    assert 2 * p * r / (p + r) == pytest.approx(macro.of_averages.value)
    assert sorted(classes.x) == sorted(macro.recall) and sorted(classes.y) == sorted(
        macro.precision
    )


def test_a_contour_of_0_and_of_1() -> None:
    assert contour(0.0)[1] == (0.0, 0.0)
    assert {*contour(1.0)[0]} == {1.0}


def test_the_cells_of_the_gap_add_up_to_it() -> None:
    macro = wf.macro_f1(counts(5))
    (tiles,) = marks(wf.picture(macro, "gap"), Tiles)
    shade = np.array(tiles.shade)
    assert (shade * macro.terms.max() / macro.gap).sum() == pytest.approx(1)
    pair = macro.largest_pair
    assert pair is not None and f"{100 * pair.share:.0f} %" in wf.picture(macro, "gap").finding


def test_posterior_densities_have_area_1_and_the_credible_interval() -> None:
    picture = wf.picture(counts(3), "posterior", metrics=["accuracy"], draws=1000)
    (line,), (inside,) = marks(picture, Stroke), marks(picture, Ribbon)
    assert np.trapezoid(line.y, line.x) == pytest.approx(1, abs=0.02)
    interval = wf.accuracy(counts(3), interval=wf.Posterior(draws=1000, seed=0)).interval
    assert interval is not None
    step = line.x[1] - line.x[0]
    assert (inside.x[0], inside.x[-1]) == pytest.approx((interval.low, interval.high), abs=step)
    at = np.linspace(0, 1, 2001)
    dense = kernel_density(np.random.default_rng(0).beta(1, 30, 2000), at, (0.0, 1.0))
    assert np.trapezoid(dense, at) == pytest.approx(1, abs=0.01)


CURVES = {
    "roc": wf.roc_curve,
    "pr": wf.pr_curve,
    "pr-gain": wf.pr_gain_curve,
    "gain": wf.gain_curve,
}


@pytest.mark.parametrize("kind", CURVES)
def test_a_curve_and_its_bands_are_those_of_the_result(kind: str) -> None:
    curve = CURVES[kind](ranking(3))
    picture = wf.picture(curve)
    assert picture.kind == kind == wf.picture(ranking(3), kind).kind
    line = marks(picture, Stroke)[-1]
    assert list(line.x) == curve.x.tolist() and list(line.y) == curve.y.tolist()
    wide, narrow = marks(picture, Ribbon)
    for ribbon, simultaneous in ((wide, True), (narrow, False)):
        band = curve.band(simultaneous=simultaneous)
        np.testing.assert_allclose(ribbon.high, np.clip(band.high, 0, 1))
        np.testing.assert_allclose(ribbon.low, np.clip(band.low, 0, 1))
    assert f"{curve.score.value:.4f}" in picture.legend[0].text
    assert curve.score.signature in picture.signatures


def test_several_systems_stand_in_one_picture() -> None:
    picture = wf.picture({"a": ranking(1), "b": ranking(2)}, "roc")
    assert [key.text.partition(":")[0] for key in picture.legend[:2]] == ["a", "b"]
    assert len(marks(picture, Ribbon)) == 2  # pointwise, one each
    assert not marks(wf.picture({str(x): ranking(x) for x in range(8)}, "roc"), Ribbon)


def test_long_curves_keep_their_extremes() -> None:
    x, y = np.arange(50_000.0), np.random.default_rng(0).random(50_000)
    a, b = thinned(x, y)
    assert len(a) <= 2100 and (a[0], a[-1]) == (x[0], x[-1])
    assert b.min() == y.min() and b.max() == y.max()


def test_reliability_has_the_bins_and_all_items() -> None:
    curve = wf.calibration_curve(ranking(5))
    picture = wf.picture(curve)
    (dots,) = marks(picture, Dots)
    assert list(dots.x) == curve.x.tolist() and list(dots.y) == curve.y.tolist()
    bars = picture.panels[1].marks[0]
    assert sum(bars.height) == curve.count.sum()  # type: ignore[union-attr]
    outside = sum(y < a or y > b for y, a, b in zip(curve.y, *curve.consistency(), strict=True))
    assert f"in {outside} of {len(curve)} bins" in picture.finding


def test_a_threshold_has_its_best_point_and_its_optimism() -> None:
    best = wf.best_threshold(ranking(4), correct="cross-validation")
    corrected, value = marks(wf.picture(best), Dots)
    assert (value.x, value.y) == ((best.threshold,), (best.value,))
    assert corrected.y == (best.corrected,)
    assert best.interval is not None and corrected.low == (best.interval.low,)
    assert "too high" in wf.picture(wf.best_threshold(ranking(4))).caption
    assert not marks(wf.picture(best.curve), Dots)


def test_a_comparison_shows_the_better_system_first() -> None:
    found = comparison(4)
    picture = wf.picture(found)
    values = {
        text: x
        for dots in marks(picture, Dots)
        for x, at in zip(dots.x, dots.y, strict=True)
        for text in [picture.panels[0].y.ticks[int(at)][1]]
    }
    for pair in found.pairs:
        sign = 1 if f"{pair.a} − {pair.b}" in values else -1
        a, b = (pair.a, pair.b)[::sign]
        assert values[f"{a} − {b}"] == pytest.approx(sign * pair.difference)
        assert found.scores[a].value >= found.scores[b].value
    assert min(values.values()) >= 0 and marks(picture, Ribbon)[0].x == (-0.05, 0.05)
    one = wf.picture(found, baseline=found.ranking[-1])
    assert len(one.panels[0].y.ticks) == 3


def test_a_bump_chart_has_the_ranks() -> None:
    found = comparison(5)
    picture, ranks = wf.picture(found, "flips"), found.ranks
    assert ranks is not None
    for column, order in enumerate(ranks.orders):
        places = sorted(dots.x[column] for dots in marks(picture, Dots))
        assert sum(places) == pytest.approx(sum(range(5)))
        assert len({*places}) == len(order.order)
    assert str(len(ranks.flips)) in picture.title


def test_slices_stand_against_the_whole() -> None:
    data = slices(5)
    picture = wf.picture(data, metric="accuracy")
    values = sorted(x for dots in marks(picture, Dots) for x in dots.x)
    assert values == pytest.approx(sorted(wf.accuracy(part).value for part in data.values()))
    assert marks(picture, Stroke)[0].x[0] == wf.accuracy(data.whole).value


def test_dialects_stand_where_they_print() -> None:
    table = wf.dialects.table(counts(3))
    dots = marks(wf.picture(table), Dots)
    shown = sorted(x for each in dots for x in each.x)
    known = [s.value for group in table.groups for s in group.scores.values()]
    assert shown == sorted(x for x in known if not math.isnan(x))


def _three() -> Any:
    return 3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: wf.picture(wf.accuracy([0, 1], [0, 1])), InputError, "no picture of Score"),
        (lambda: wf.picture(counts(3), "rok"), DefinitionError, "Did you mean 'roc'"),
        (lambda: wf.picture(counts(3), "roc"), DefinitionError, "has no picture 'roc', but"),
        (lambda: wf.picture(counts(3), shares="true"), DefinitionError, "Did you mean 'share'"),
        (lambda: wf.picture(counts(3), share="rows"), DefinitionError, "share must be"),
        (lambda: wf.picture(counts(3), title=_three()), DefinitionError, "title must be text"),
        (lambda: wf.picture(wf.count([0], [0])), InputError, "at least 2 classes"),
        (lambda: wf.roc_curve([0], [0.1], labels=[0, 1]).plot(), InputError, "positive"),
        (lambda: wf.picture(ranking(1), "roc", level=2), DefinitionError, "level"),
        (lambda: wf.picture(ranking(1), "roc", band="wide"), DefinitionError, "band must be"),
        (lambda: wf.picture(wf.rank([0, 1], [3.0, 4.0]), "decision"), InputError, "probabilities"),
        (lambda: wf.picture(comparison(3), baseline="x"), DefinitionError, "no system 'x'"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_says_why(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_weighted_items_have_bands() -> None:
    items = [0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]
    weighted = wf.rank(*items, weights=[1, 2, 1, 2])
    for kind in ("roc", "pr", "threshold", "decision"):
        bands = marks(wf.picture(weighted, kind), Ribbon)
        assert len(bands) == 2 and bands != marks(wf.picture(wf.rank(*items), kind), Ribbon)
    assert wf.picture(weighted, "reliability").caption


def test_ticks_are_round_and_hold_the_scale() -> None:
    assert [text for _, text in ticks(0, 1)] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert [text for _, text in ticks(-0.2, 0.31)] == ["−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3"]
    for low, high in ((0.0, 1e-9), (1e6, 1e6 + 3), (-5e8, 7e9)):
        found = ticks(low, high)
        assert 2 <= len(found) <= 8 and len({text for _, text in found}) == len(found)
    assert axis("x", [0.5, 0.5]).low < 0.5 < axis("x", [0.5]).high
