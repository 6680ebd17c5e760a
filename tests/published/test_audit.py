"""Audit: it may say 'either'; it may not say the wrong formula."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.audit_simulation import simulate, table
from whichf1.errors import InputError
from whichf1.published.audit import highest_averaged, reachable
from whichf1.published.numbers import Published, read_published
from whichf1.scoring.macro import highest_averaged_f1

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.long
def test_it_is_never_wrong_on_100_000_triples_and_the_page_shows_how_often_it_tells() -> None:
    verdicts, wrong = simulate(100_000)
    assert wrong == []
    assert sum(verdicts.values()) == 100_000
    assert table(verdicts) in (ROOT / "docs" / "audit.md").read_text()


def test_wrong_verdicts_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Liar:
        verdict = "averaged F1"

    monkeypatch.setattr(wf, "audit", lambda **_: Liar)
    assert len(simulate(12)[1]) == 6


def published(value: float, decimals: int = 1) -> Published:
    return read_published(f"{value:.{decimals}f}")


def _high(p: float, r: float, classes: int) -> float:
    """The bound itself, also at precisions and recalls that no table has."""
    return wf.bounds(p, r).high if classes == 1 else highest_averaged_f1(p, r, classes)


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 7, 20])
def test_the_highest_averaged_f1_over_the_rounding_is_found(classes: int) -> None:
    """Against a fine grid over both intervals: not below the grid, and hardly above it."""
    for p in np.arange(0.05, 1, 0.1):
        for r in np.arange(0.05, 1, 0.1):
            box = published(p), published(r)
            grid = [
                _high(x, y, classes)
                for x in np.linspace(box[0].low, box[0].high, 21)
                for y in np.linspace(box[1].low, box[1].high, 21)
            ]
            found = highest_averaged(*box, classes)
            assert max(0, max(grid)) - 1e-12 <= found <= max(0, max(grid)) + 0.01


def test_precision_and_recall_that_cannot_stand_together() -> None:
    """With two classes, precision 1 for both means that nothing is wrong."""
    assert not reachable(published(1.0, 2), published(0.4, 2), 2)
    assert reachable(published(1.0, 2), published(0.4, 2), None)
    found = wf.audit(precision="1.00", recall="0.40", f1="0.40", classes=2)
    assert found.verdict == "impossible" and "cannot occur together" in found.reason
    rng = np.random.default_rng(9)
    for _ in range(3000):  # and what random predictions give is never called unreachable
        k = int(rng.integers(2, 5))
        m = rng.multinomial(30, rng.dirichlet(np.full(k * k, 0.1))).reshape(k, k)
        hits = np.diag(m)
        p, r = ((hits / np.maximum(m.sum(axis), 1)).mean() for axis in (0, 1))
        assert reachable(published(p, 3), published(r, 3), k)


@pytest.mark.parametrize(
    ("triple", "classes", "verdict"),
    [
        ((".62", ".58", ".55"), None, "averaged F1"),
        ((".62", ".58", ".60"), None, "either"),
        ((".62", ".58", ".70"), None, "impossible"),
        ((".90", ".90", ".50"), None, "impossible"),
        (("0.95", "0.60", "0.74"), 2, "F1 of averages"),
        (("0.95", "0.60", "0.74"), None, "either"),
        (("0.888889", "0.833333", "0.860215"), 3, "F1 of averages"),
        (("0.888889", "0.833333", "0.822222"), 3, "averaged F1"),
        (("0.00", "0.00", "0.00"), None, "either"),
        (("1.00", "1.00", "1.00"), 5, "either"),
        (("62.0", "58.0", "55.0"), None, "averaged F1"),
        ((62.0, 58.0, 55.1), None, "averaged F1"),
    ],
)
def test_verdicts(triple: tuple[Any, ...], classes: int | None, verdict: str) -> None:
    p, r, f = triple
    found = wf.audit(precision=p, recall=r, f1=f, classes=classes)
    assert found.verdict == verdict
    assert str(found.f1) in found.reason


def test_the_interval_is_that_of_the_corners() -> None:
    found = wf.audit(precision=0.62, recall=0.58, f1=0.55, decimals=2)
    low, high = ((Fraction(61, 100) + Fraction(i, 200), Fraction(57, 100) + Fraction(i, 200))
                 for i in (1, 3))  # fmt: skip
    harmonic = [float(2 * p * r / (p + r)) for p, r in (low, high)]
    span = found.of_averages
    assert (span.low, span.high) == pytest.approx(harmonic, abs=1e-9)
    assert found.averaged.low == pytest.approx(float(sum(low) - 1))
    assert found.averaged.high == span.high


def test_decimals_of_floats_and_of_text() -> None:
    """0.6 beside 0.62 was 0.60; the text '0.6' says itself that it has one decimal."""
    floats = wf.audit(precision=0.62, recall=0.6, f1=0.61)
    assert [x.text for x in (floats.precision, floats.recall)] == ["0.62", "0.60"]
    text = wf.audit(precision="0.62", recall="0.6", f1="0.61")
    assert text.recall.decimals == 1
    percent = wf.audit(precision=62, recall=58, f1=55)
    assert percent.verdict == "averaged F1" and str(percent.f1) == "55%"


CLASSES = {
    "cat": ("1.00", "0.50", "0.67"),
    "dog": ("0.67", "1.00", "0.80"),
    "owl": ("1.00", "1.00", "1.00"),
}
"""The classes 0, 1 and 2 of the example in smile's pull request #874, rounded."""


class TestRecomputing:
    """With the scores of each class, or counts, every number is computed again."""

    def test_each_formula_is_told_from_the_classes(self) -> None:
        for f1, verdict in (("0.82", "averaged F1"), ("0.86", "F1 of averages"),
                            ("0.70", "impossible")):  # fmt: skip
            found = wf.audit(precision="0.89", recall="0.83", f1=f1, per_class=CLASSES)
            assert found.verdict == verdict and found.classes == 3
            names = ["averaged F1", "F1 of averages"] if verdict == "impossible" else []
            assert [x.name for x in found.misfits] == names

    def test_numbers_that_do_not_fit_are_named(self) -> None:
        wrong = {**CLASSES, "cat": ("1.00", "0.50", "0.76")}
        found = wf.audit(precision="0.80", recall="0.83", f1="0.82", per_class=wrong)
        assert [x.name for x in found.misfits] == ["F1 of class 'cat'", "macro precision"]
        span = found.misfits[1].recomputed
        assert span.low < 8 / 9 < span.high and found.misfits[1].signature.startswith("precision|")

    def test_pairs_in_a_list(self) -> None:
        found = wf.audit(precision=0.75, recall=0.75, f1=0.67, per_class=[(1, 0.5), (0.5, 1)])
        assert found.verdict == "averaged F1" and found.misfits == ()

    def test_counts_know_everything(self) -> None:
        counts = wf.count([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2])
        found = wf.audit(precision="0.889", recall="0.833", f1="0.860", counts=counts)
        assert found.verdict == "F1 of averages" and found.misfits == ()
        assert found.averaged.low == found.averaged.high == wf.averaged_f1(counts).value
        off = wf.audit(precision="0.888", recall="0.833", f1="0.850", counts=counts)
        assert off.verdict == "impossible"
        assert [x.name for x in off.misfits] == ["macro precision", "averaged F1", "F1 of averages"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"per_class": []}, "per_class is empty"),
            ({"per_class": [(0.5,)]}, "pass \\(precision, recall\\)"),
            ({"per_class": {"a": "0.5"}}, "pass \\(precision, recall\\)"),
            ({"per_class": [(0.5, "x")]}, "recall of class 0 must be a number"),
            ({"per_class": [(1, 1)], "counts": wf.count([0], [0])}, "not both"),
        ],
    )
    def test_bad_classes_are_refused(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(wf.errors.InputError, match=message):
            wf.audit(precision="0.50", recall="0.50", f1="0.50", **options)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"precision": 62, "recall": 0.58, "f1": 0.55}, "two scales: precision 62, recall 0.58"),
        ({"precision": 62, "recall": 58, "f1": 155}, "f1 must be in"),
        ({"precision": -0.1, "recall": 0.58, "f1": 0.55}, "precision must be in"),
        ({"precision": 0.623, "recall": 0.58, "f1": 0.55, "decimals": 2}, "3 decimals, not 2"),
        ({"precision": "?", "recall": 0.58, "f1": 0.55}, "precision must be a number"),
        ({"precision": 0.6, "recall": 0.58, "f1": 0.55, "classes": 2.5}, "whole number"),
        ({"precision": 0.6, "recall": 0.58, "f1": 0.55, "classes": 0}, "at least 1"),
        ({"precision": "1", "recall": "0.58", "f1": "0.55"}, "say how many decimals"),
    ],
)
def test_bad_triples_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(wf.errors.InputError, match=message):
        wf.audit(**given)


def test_small_percentages_need_their_scale_said() -> None:
    found = wf.audit(precision="2.1", recall="1.4", f1="0.9", scale="percent")
    assert found.f1.value == pytest.approx(0.009) and found.verdict == "averaged F1"


@pytest.mark.parametrize("text", ["6_2", "1e-1000000", "1e1000000", "0.5.5", ""])
def test_what_is_no_printed_number_is_refused(text: str) -> None:
    with pytest.raises(wf.errors.InputError, match="must be a number"):
        wf.audit(precision=text, recall="0.5", f1="0.5")


def test_a_number_of_classes_that_the_counts_contradict() -> None:
    counts = wf.count([0, 1, 1], [0, 1, 0])
    with pytest.raises(wf.errors.InputError, match="but the data have 2 classes"):
        wf.audit(precision="0.75", recall="0.75", f1="0.67", classes=5, counts=counts)


@pytest.mark.parametrize("odd", [True, 3, "0.5", {1, 2}, np.array(3.0), [0.5], [[0.5]], {"a": 1}])
def test_classes_and_counts_that_are_none(odd: Any) -> None:
    published: Any = {"precision": 0.62, "recall": 0.58, "f1": 0.55}
    for name in ("per_class", "counts"):
        with pytest.raises(InputError, match=rf"{name}=|class .*: pass|per_class is empty"):
            wf.audit(**published, **{name: odd})
