"""Scores of classes that are scaled to other shares, and curves of them."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction
from math import isclose, isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers import exact
from tests.helpers.commands import Run, invoke
from tests.helpers.samples import Pairs, random_counts
from tests.helpers.strategies import LABELS, WEIGHABLE, definitions, items
from whichf1.definitions.definition import Definition
from whichf1.definitions.words import sentence
from whichf1.errors import DefinitionError, InputError, LabelError
from whichf1.metrics import COUNTED, METRICS
from whichf1.scoring.evaluate import evaluate
from whichf1.statistics.reweighting import Reweighted

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def data(seed: int = 0, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    true = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    return true, np.where(rng.random(n) < 0.75, true, rng.integers(0, 3, n))


def shared(pairs: Pairs, parts: list[int]) -> tuple[tuple[int, float], ...]:
    """A share for each true class."""
    present = sorted({true for true, _ in pairs})
    chosen = [Fraction(parts[x]) for x in present]
    return tuple((x, float(c / sum(chosen))) for x, c in zip(present, chosen, strict=True))


@settings(max_examples=200)
@given(
    items(),
    definitions(WEIGHABLE),
    st.one_of(st.none(), st.lists(st.integers(1, 9), min_size=6, max_size=6)),
)
def test_a_reweighted_score_is_its_exact_value(
    pairs: Pairs, definition: Definition, parts: list[int] | None
) -> None:
    shares = "uniform" if parts is None else shared(pairs, parts)
    chosen = replace(definition, class_shares=shares)
    counts = wf.count([t for t, _ in pairs], [p for _, p in pairs], labels=LABELS)
    value, expected = chosen(counts).value, exact.score(pairs, LABELS, chosen)
    if definition.metric == "brennan_prediger":  # its exact twin has no bounds
        return
    assert isnan(value) if isnan(expected) else isclose(value, float(expected), abs_tol=1e-7)


def test_shares_as_observed_change_nothing() -> None:
    """A law over the registry: classes that have the shares that they have anyway."""
    for seed in range(3):
        counts = random_counts(seed, 4)
        rows = counts.table.rows
        observed = dict(zip(counts.labels, (rows / rows.sum()).tolist(), strict=True))
        for name in WEIGHABLE:
            rate = METRICS[name].kind == "rate"
            definition = getattr(wf, name).definition(**({"average": "macro"} if rate else {}))
            plain, same = definition(counts), replace(definition, class_shares=observed)(counts)
            assert same.value == pytest.approx(plain.value, abs=1e-12), name


def test_calibrated_accuracy_is_macro_recall() -> None:
    """Opitz (2024): accuracy at equal prevalence is the mean recall of the true classes."""
    for seed in range(5):
        true, pred = data(seed)
        accuracy = wf.accuracy(true, pred, class_shares="uniform", interval="delta")
        recall = wf.balanced_accuracy(true, pred, interval="delta")
        assert accuracy.value == pytest.approx(recall.value)
        assert accuracy.interval is not None and recall.interval is not None
        assert accuracy.interval.low == pytest.approx(recall.interval.low)
        assert accuracy.interval.high == pytest.approx(recall.interval.high)


def test_scores_of_rows_alone_do_not_change() -> None:
    true, pred = data(1)
    for name in ("macro_recall", "balanced_accuracy"):
        metric = getattr(wf, name)
        plain = metric(true, pred, interval="delta")
        other = metric(true, pred, class_shares={0: 0.1, 1: 0.1, 2: 0.8}, interval="delta")
        assert other.value == pytest.approx(plain.value)
        assert other.interval.low == pytest.approx(plain.interval.low)


@pytest.mark.parametrize("name", ["accuracy", "averaged_f1", "mcc", "cohen_kappa", "precision"])
def test_slopes_are_those_of_small_changes(name: str) -> None:
    counts = wf.count(*data(2))
    options: Any = {"positive": 0} if name == "precision" else {}
    definition = getattr(wf, name).definition(class_shares={0: 0.2, 1: 0.3, 2: 0.5}, **options)
    statistic = Reweighted.of(definition, definition.freeze(counts))
    count = counts.table.count.astype(float)
    slope, step = statistic.slope(count), 1e-5
    for at in range(len(count)):
        up, down = count.copy(), count.copy()
        up[at] += step
        down[at] -= step
        numeric = (statistic.values(up) - statistic.values(down)) / (2 * step)
        assert slope[at] == pytest.approx(float(numeric[0]), abs=1e-7)


def test_a_signature_runs_again_from_every_source(tmp_path: Path) -> None:
    true, pred = data(3)
    frame = pd.DataFrame({"true": true, "pred": pred})
    frame.to_csv(tmp_path / "x.csv", index=False)
    shares = {0: 0.25, 1: 0.25, 2: 0.5}
    score = wf.averaged_f1(true, pred, class_shares=shares, interval="auto")
    assert "shares:[[0,0.25],[1,0.25],[2,0.5]]" in score.signature
    for source in ((frame,), (str(tmp_path / "x.csv"),), (wf.count(true, pred),), (true, pred)):
        again = wf.score(*source, score.signature)
        assert again == score and again.interval == score.interval
    assert "scaled to 0.25 of 0, 0.25 of 1, 0.5 of 2" in sentence(score.definition)


def test_systems_are_compared_at_equal_prevalence() -> None:
    """The same as a comparison by macro recall, however differences are tested."""
    true, a = data(4)
    b = data(5)[1]
    cluster = np.arange(len(true)) // 5
    for options in ({}, {"cluster": cluster}, {"weights": 1.0 + cluster % 3}):
        one = wf.compare(
            true, {"a": a, "b": b}, "accuracy", class_shares="uniform", replicates=199, **options
        ).pairs[0]
        two = wf.compare(true, {"a": a, "b": b}, "macro_recall", replicates=199, **options).pairs[0]
        assert one.difference == pytest.approx(two.difference)
        assert one.standard_error == pytest.approx(two.standard_error)
        assert one.p_value == pytest.approx(two.p_value)
        assert one.p_bootstrap == two.p_bootstrap


def test_every_class_has_its_own_score_and_every_method_an_interval() -> None:
    true, pred = data(6)
    every = wf.precision.per_class(true, pred, class_shares="uniform", interval="auto")
    assert all(every.intervals) and len(every) == 3
    for method in ("auto", "delta", "bootstrap", "posterior"):
        score = wf.mcc(true, pred, class_shares="uniform", interval=method)
        assert score.interval is not None and score.interval.low < score < score.interval.high
    few = wf.accuracy(
        [0] * 40 + [1] * 4, [0] * 40 + [1] * 4, class_shares="uniform", interval="auto"
    )
    assert few.interval is not None and few.interval.caution is not None
    assert few.interval.low < 0.9  # the four of a class that counts for half


BAD: list[tuple[Any, type[Exception], str]] = [
    ({0: 0.5, 1: 0.4, 2: 0.2}, DefinitionError, "add up to 1, but 0.5, 0.4, 0.2 add up to 1.1"),
    ({0: 0.5, 1: 0.5, 2: -0.1}, DefinitionError, "the share of 2 must be a number from 0 to 1"),
    ({0: 0.5, 7: 0.5}, LabelError, "there is no class 7"),
    ({0: 0.5, 1: 0.5}, DefinitionError, "no share for 2"),
    ("unifrom", DefinitionError, "must be 'uniform' or a share for each class"),
    ([], DefinitionError, "must be 'uniform'"),
    (0.5, DefinitionError, "must be 'uniform'"),
]


@pytest.mark.parametrize(("shares", "error", "message"), BAD)
def test_bad_shares_are_refused(shares: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wf.accuracy(*data(), class_shares=shares)


def test_a_class_has_one_share(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("true,pred\na,a\nb,a\n")
    code, _, err = invoke("score", str(path), "--class-shares", "a=0.3,b=0.5,a=0.5")
    assert code == 2 and "--class-shares has two shares for a" in err


def test_a_dash_is_explained_without_an_interval_that_does_not_apply() -> None:
    """Wilson's interval is one of items as they are, not of scaled classes."""
    asked: Any = {"metrics": ["precision"], "positive": 1, "interval": "auto"}
    scaled = wf.report([0, 0, 1, 1], [0, 1, 1, 0], **asked, class_shares={0: 0.0, 1: 1.0})
    assert "does not vary over these items" in str(scaled) and "wilson" not in str(scaled)


def test_what_cannot_be_reweighted_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"a share of 0\.5, but no items"):
        wf.accuracy([0, 0], [0, 1], class_shares={0: 0.5, 1: 0.5})
    with pytest.raises(DefinitionError, match="one true class each"):
        wf.averaged_f1(wf.count_multilabel([{1}, {2}], [{1}, {1}]), class_shares="uniform")
    with pytest.raises(DefinitionError, match="class_shares= does not apply to roc_auc"):
        wf.roc_auc([0, 1], [0.2, 0.3], class_shares="uniform")  # type: ignore[call-arg]
    with pytest.raises(DefinitionError, match="not to a threshold"):
        wf.threshold_curve([0, 1], [0.2, 0.3], "f1", class_shares="uniform")
    with pytest.raises(DefinitionError, match="class_shares="):
        wf.properties("accuracy|shares:uniform|v:1")
    with pytest.raises(DefinitionError, match="fraction of items"):
        wf.accuracy(*data(), class_shares="uniform", interval="wilson")
    for name, metric in METRICS.items():
        if metric.whole and metric.kind in COUNTED:
            with pytest.raises(DefinitionError, match="does not apply"):
                getattr(wf, name).definition(class_shares="uniform")


def test_the_curve_is_the_score_at_every_prevalence() -> None:
    true, pred = data(7)
    counts = wf.count(true, pred)
    curve = wf.prevalence_curve(counts, metric="precision", positive=2)
    rest = counts.table.rows[:2] / counts.table.rows[:2].sum()
    at = int(np.flatnonzero(curve.x == 0.4)[0])
    shares = {0: 0.6 * rest[0], 1: 0.6 * rest[1], 2: 0.4}
    expected = evaluate(
        wf.precision.definition(positive=2, class_shares=shares, interval="auto"), counts
    )
    assert curve.y[at] == pytest.approx(expected.value)
    assert curve.intervals[at].low == pytest.approx(expected.interval.low)  # type: ignore[union-attr]
    assert curve.observed == pytest.approx((true == 2).mean()) and (np.diff(curve.y) > 0).all()
    recall = wf.prevalence_curve(counts, metric="recall", positive=2, interval=None)
    assert np.ptp(recall.y) == pytest.approx(0) and recall.intervals[0] is None
    assert "prevalence of 2" in repr(curve) and "precision" in curve._repr_html_()
    picture = wf.picture({"a": curve, "b": curve})
    assert picture.kind == "prevalence" and "in the data" in picture.legend[-1].text
    with pytest.raises(InputError, match="all items belong to class 1"):
        wf.prevalence_curve([1, 1], [1, 0], positive=1)


def test_the_command_line_takes_shares(run: Run, tmp_path: Path) -> None:
    code, out, _ = run(
        "score", "examples/animals.csv", "-m", "accuracy", "--class-shares", "uniform"
    )
    expected = wf.accuracy("examples/animals.csv", class_shares="uniform")
    assert code == 0 and f"{expected.value:.4f}" in out and "shares:uniform" in out
    shares = "bird=0.2,cat=0.3,dog=0.1,fish=0.4"
    code, out, _ = run("score", "examples/animals.csv", "-m", "mcc", "--class-shares", shares)
    assert code == 0 and '["fish",0.4]' in out
    for wrong, message in (("bird", "takes uniform"), ("gnu=1", "no class 'gnu'")):
        code, _, err = run("score", "examples/animals.csv", "--class-shares", wrong)
        assert code == 2 and message in err
    picture = tmp_path / "x.svg"
    words = ["--positive", "dog", "-m", "precision", "-o", str(picture)]
    assert run("plot", "prevalence", "examples/animals.csv", *words)[0] == 0
    assert "prevalence of" in picture.read_text()


def test_simulated_intervals_of_reweighted_scores_hold() -> None:
    with open(BENCHMARKS / "prevalence.csv", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert len({row["metric"] for row in rows}) == 6
    for row in rows:
        noise = 4 * sqrt(0.05 * 0.95 / int(row["data_sets"]))
        if row["method"] == "auto":
            assert float(row["coverage"]) > 0.95 - noise, row
