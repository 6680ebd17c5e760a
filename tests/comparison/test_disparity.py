"""Scores of groups: difference, ratio, worst group and variance, with intervals and a test."""

from __future__ import annotations

import csv
from math import isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics as fair
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import studentized_range
from sklearn import metrics as sk

import whichf1 as wf
from tests.helpers.commands import Run, invoke
from whichf1.comparison.disparity import CRITERIA
from whichf1.errors import DefinitionError, InputError
from whichf1.statistics.disparity import level_of_each, level_of_pairs, range_tail
from whichf1.statistics.scales import normal_quantile

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def frame(seed: int = 0, n: int = 500) -> Any:
    rng = np.random.default_rng(seed)
    sex, age = rng.choice([*"fmx"], n), rng.choice(["old", "young"], n)
    true = rng.integers(0, 2, n)
    pred = np.where(rng.random(n) < np.where(sex == "x", 0.65, 0.85), true, 1 - true)
    score = 0.4 * true + 0.6 * rng.random(n)
    columns = {"true": true, "pred": pred, "score": score, "sex": sex, "age": age}
    return pd.DataFrame({**columns, "doc": rng.integers(0, 30, n)})


# fairlearn


NAMES = {
    "demographic_parity": fair.demographic_parity_difference,
    "equal_opportunity": fair.equal_opportunity_difference,
    "equalized_odds": fair.equalized_odds_difference,
}
RATIOS = {
    "demographic_parity": fair.demographic_parity_ratio,
    "equal_opportunity": fair.equal_opportunity_ratio,
    "equalized_odds": fair.equalized_odds_ratio,
}


@pytest.mark.parametrize("seed", range(5))
def test_criteria_are_those_of_fairlearn(seed: int) -> None:
    data = frame(seed)
    for name, theirs in NAMES.items():
        expected = theirs(data.true, data.pred, sensitive_features=data.sex)
        found = wf.groups(data, name, by="sex")
        assert found.difference.value == pytest.approx(expected)
        ratio = RATIOS[name](data.true, data.pred, sensitive_features=data.sex)
        assert found.ratio is not None and found.ratio.value == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("accuracy", sk.accuracy_score),
        ("recall", sk.recall_score),
        ("precision", sk.precision_score),
    ],
)
def test_groups_are_those_of_a_metric_frame(ours: str, theirs: Any) -> None:
    data = frame(1)
    options: Any = {} if ours == "accuracy" else {"positive": 1}
    found = wf.groups(data, ours, by="sex", control="age", **options)
    expected = fair.MetricFrame(
        metrics=theirs,
        y_true=data.true,
        y_pred=data.pred,
        sensitive_features=data.sex,
        control_features=data.age,
    )
    for key, score in found.items():
        assert score.value == pytest.approx(expected.by_group[key])
    differences, ratios = expected.difference(), expected.ratio()  # within each control level
    for (level,), inside in found.within.items():
        assert inside.difference.value == pytest.approx(differences[level])
        assert inside.ratio is not None and inside.ratio.value == pytest.approx(ratios[level])
    assert found.difference.value == pytest.approx(differences.max())
    lowest = expected.group_min().min()
    assert found.worst is not None and found.worst.value == pytest.approx(lowest)


# what holds


def test_tukeys_range_is_that_of_scipy() -> None:
    for k in (2, 3, 8, 40):
        for z in (0.5, 2.0, 3.5):
            expected = studentized_range.sf(z * sqrt(2), k, np.inf)
            assert range_tail(z, (k,)) == pytest.approx(expected, abs=1e-9)
        level = level_of_pairs(0.95, (k,))
        assert range_tail(normal_quantile((1 + level) / 2), (k,)) == pytest.approx(0.05)
    assert range_tail(2.0, (3, 3)) == pytest.approx(1 - (1 - range_tail(2.0, (3,))) ** 2)
    assert ((1 + level_of_each(0.95, 5)) / 2) ** 5 == pytest.approx(0.975)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(2, 30)), min_size=2, max_size=6))
def test_test_difference_and_ratio_agree(groups: list[tuple[int, int]]) -> None:
    """The test rejects if and only if both intervals exclude equality; all hold their values."""
    parts = {(g,): wf.Counts.from_matrix([[min(x, n), n - min(x, n)], [0, 0]], rows="true")
             for g, (x, n) in enumerate(groups)}  # fmt: skip
    found = wf.groups(wf.Slices(("g",), parts), "accuracy")
    assert found.p_value is not None and found.ratio is not None
    rejected = found.p_value < 0.05
    assert found.difference.interval is not None and found.ratio.interval is not None
    assert rejected == (found.difference.interval.low > 0)
    if found.ratio.interval.high != 1:  # equal but for rounding
        assert rejected == (found.ratio.interval.high < 1)
    for each in found.disparities:
        assert each.interval is not None
        assert each.interval.low <= each.value <= each.interval.high
    values = [score.value for score in found.values()]
    assert found.difference.value == pytest.approx(max(values) - min(values))
    if max(values):
        assert found.ratio.value == pytest.approx(min(values) / max(values))


def test_two_groups_have_the_interval_of_two_independent_rates() -> None:
    """Zou and Donner (2008): the distances to the ends of both intervals, as in Newcombe (1998)."""
    parts = {(g,): wf.Counts.from_matrix([[x, n - x], [0, 0]], rows="true")
             for g, (x, n) in enumerate([(56, 70), (48, 80)])}  # fmt: skip
    found = wf.groups(wf.Slices(("g",), parts), "accuracy", interval="wilson")
    interval = found.difference.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_equal_groups_have_no_variance_in_the_interval() -> None:
    parts = {(g,): wf.Counts.from_matrix([[80, 20], [0, 0]], rows="true") for g in range(4)}
    found = wf.groups(wf.Slices(("g",), parts), "accuracy")
    assert found.variance.value == 0 and found.p_value == pytest.approx(1)
    assert found.variance.interval is not None and found.variance.interval.low == 0


@settings(max_examples=60)
@given(st.lists(st.integers(30, 50), min_size=2, max_size=8))
def test_the_variance_has_no_interval_of_zero_width(hits: list[int]) -> None:
    """Groups that are closer together than by chance do not show that there is no variance."""
    parts = {
        (g,): wf.Counts.from_matrix([[x, 60 - x], [0, 0]], rows="true") for g, x in enumerate(hits)
    }
    own = wf.groups(wf.Slices(("g",), parts), "accuracy")
    assert own.variance.interval is not None
    low, high = own.variance.interval.low, own.variance.interval.high
    assert 0 <= low <= own.variance.value <= high
    assert high > 1e-3
    level = wf.groups(wf.Slices(("g",), parts), "accuracy", interval=wf.Auto(level=0.8))
    assert level.variance.interval is not None
    assert level.variance.interval.high < high


def test_a_misspelt_criterion_is_recognized() -> None:
    data = wf.Slices(
        ("g",), {(g,): wf.Counts.from_matrix([[9, 1], [1, 9]], rows="true") for g in "ab"}
    )
    with pytest.raises(
        DefinitionError, match=r"criterion 'equalised_odds'\. Did you mean 'equalized"
    ):
        wf.groups(data, "equalised_odds", positive=1)
    with pytest.raises(DefinitionError, match=r"no metric 'acuracy'\. Did you mean 'accuracy'"):
        wf.groups(data, "acuracy")


@pytest.mark.parametrize("name", CRITERIA)
def test_criteria_are_explained(name: str) -> None:
    code, out, _ = invoke("define", name)
    assert code == 0 and f"-m {name}" in out.replace("\n", "")
    assert all(metric in out for metric in CRITERIA[name].metrics)


def test_groups_that_share_clusters_are_correlated() -> None:
    """Groups that are copies of each other, cluster by cluster, do not differ at all."""
    data = frame(2, 300).assign(sex="f")
    twice = pd.concat([data, data.assign(sex="m")])
    found = wf.groups(twice, "averaged_f1", by="sex", cluster="doc")
    assert found.difference.value == 0
    assert found.estimates is not None and found.estimates.correlation is not None
    assert found.estimates.correlation == pytest.approx(np.ones((2, 2)))
    apart = wf.groups(twice, "averaged_f1", by="sex")
    assert found.difference.interval is not None and apart.difference.interval is not None
    assert found.difference.interval.high < apart.difference.interval.high / 3
    ranked = wf.groups(twice, "roc_auc", by="sex", cluster="doc")
    assert any("several groups" in text for text in ranked.cautions)


def test_simulated_intervals_hold_and_the_test_holds_its_level() -> None:
    with open(BENCHMARKS / "groups.csv", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert len({row["metric"] for row in rows}) == 5 and len(rows) == 120
    for row in rows:
        noise = 4 * sqrt(0.05 * 0.95 / int(row["data_sets"]))
        for name in ("difference", "ratio", "worst", "best", "variance"):
            covered = float(row[name])
            assert isnan(covered) or covered > 0.95 - noise, row
        if row["truth"] in ("equal", "nearly perfect"):
            assert float(row["rejected"]) < 0.05 + noise, row


# every source


def test_every_source_gives_the_same() -> None:
    data = frame(3)
    first = wf.groups(data, "recall", by="sex", positive=1)
    others = [
        wf.groups(data.true, data.pred, "recall", by=data.sex, positive=1),
        wf.groups(
            data.true.tolist(), data.pred.tolist(), wf.recall, by={"sex": data.sex}, positive=1
        ),
        wf.groups(wf.count_by(data, by="sex"), "recall", positive=1),
        wf.groups(data, first.signature),
        wf.groups(data, first.difference.signature),
        wf.groups(data.true, data.pred, first.signature, by=data[["sex"]]),
    ]
    for other in others:
        assert other.difference == first.difference and other.variance == first.variance
        assert other.p_value == first.p_value


def test_scores_losses_and_decisions_have_groups() -> None:
    data = frame(4)
    auc = wf.groups(data, "roc_auc", by="sex")
    same = wf.groups(data.true, data.score, "roc_auc", by=data.sex.to_numpy())
    assert auc.difference.value == same.difference.value
    assert auc.difference.interval == same.difference.interval
    assert wf.groups(wf.rank_by(data, by="sex"), "roc_auc").worst is not None
    loss = wf.groups(data, "brier", by="sex")
    assert loss.worst is not None and loss.worst.value == max(x.value for x in loss.values())
    decided = wf.groups(data.true, data.score, "recall", by=data.sex, threshold=0.5, positive=1)
    by_hand = data.assign(pred=(data.score >= 0.5).astype(int))
    assert (
        decided.difference.value
        == wf.groups(by_hand, "recall", by="sex", positive=1).difference.value
    )
    frequencies = np.arange(len(data)) % 3
    repeated = data.loc[data.index.repeat(frequencies)]
    counted = wf.groups(data.true, data.score, "roc_auc", by=data.sex, frequencies=frequencies)
    expected = wf.groups(repeated.true, repeated.score, "roc_auc", by=repeated.sex)
    assert counted.difference == expected.difference


def test_sets_of_labels_and_weights_have_groups() -> None:
    sets = [{"a"}, {"a", "b"}, {"b"}, set(), {"a"}, {"b"}] * 4
    guesses = [{"a"}, {"b"}, {"b"}, {"a"}, set(), {"b"}] * 4
    found = wf.groups(sets, guesses, "subset_accuracy", by=[0, 0, 0, 1, 1, 1] * 4)
    assert found.difference.value == pytest.approx(1 / 3)
    data = frame(5)
    weighted = wf.groups(data.true, data.pred, "accuracy", by=data.sex, weights=data.score + 0.1)
    for key, part in data.assign(w=data.score + 0.1).groupby("sex"):
        expected = np.average(part.true == part.pred, weights=part.w)
        assert weighted[key].value == pytest.approx(expected)


# what is refused, and what is left out


def test_groups_that_cannot_be_compared(run: Run, tmp_path: Path) -> None:
    data = frame(6)
    with pytest.raises(InputError, match=r"there is only sex=f"):
        wf.groups(data.assign(sex="f"), "accuracy", by="sex")
    with pytest.raises(InputError, match=r"group sex=alone has one item"):
        wf.groups(data.assign(sex=["alone", *data.sex[1:]]), "accuracy", by="sex")
    with pytest.raises(
        InputError, match=r"2 items have no value in column 'sex'\. Fill .*items\.$"
    ):
        wf.groups(data.assign(sex=[None, None, *data.sex[2:]]), "accuracy", by="sex")
    path = tmp_path / "lacking.csv"
    data.assign(sex=[None, *data.sex[1:]]).to_csv(path, index=False)
    with pytest.raises(
        InputError, match=r"1 item has no value.*skip\) keeps items without a group"
    ):
        wf.groups(path, "accuracy", by="sex", on_error="skip")
    code, _, err = run("groups", path, "--by", "sex", "-m", "accuracy", "--on-error", "skip")
    assert code == 2 and "1 item has no value in column 'sex'" in err and "--on-error skip" in err
    with pytest.raises(InputError, match=r"sex\[1\] is missing"):
        wf.groups(data.true, data.pred, "accuracy", by={"sex": ["f", None, *data.sex[2:]]})
    with pytest.raises(InputError, match="which groups"):
        wf.groups(data, "accuracy")
    with pytest.raises(InputError, match="the data are arrays"):
        wf.groups(data.true, data.pred, "accuracy", by="sex")
    with pytest.raises(InputError, match="500 items, group has 499"):
        wf.groups(data.true, data.pred, "accuracy", by=data.sex[1:].tolist())
    with pytest.raises(InputError, match="these slices are by sex, not by 'age'"):
        wf.groups(wf.count_by(data, by="sex"), "accuracy", by="age")
    with pytest.raises(DefinitionError, match="derived from confidence intervals"):
        wf.groups(data, "accuracy", by="sex", interval="posterior")
    with pytest.raises(DefinitionError, match="Pass it to groups"):
        wf.score(data, wf.groups(data, "accuracy", by="sex").signature)


def test_a_group_without_items_of_the_class_is_left_out_rather_than_the_worst() -> None:
    data = frame(7)
    data = data[(data.sex != "x") | (data.true == 0)]
    found = wf.groups(data, "recall", by="sex", positive=1)
    assert found.empty == (("x",),) and set(found) == {("f",), ("m",)}
    assert wf.groups(data, "recall", by="sex", positive=1, undefined=0)["x"].value == 0
    with pytest.raises(InputError, match="no two groups to compare"):
        wf.groups(data[data.sex != "m"], "recall", by="sex", positive=1)


def test_what_does_not_apply_is_none() -> None:
    data = frame(8)
    assert wf.groups(data, "mcc", by="sex").ratio is None
    assert wf.groups(data, "demographic_parity", by="sex").worst is None
    assert wf.groups(data, "equalized_odds", by="sex").best is None
    plain = wf.groups(data, "accuracy", by="sex", interval=None)
    assert plain.p_value is None and plain.difference.interval is None
    assert all(wf.groups(data, name, by="sex").difference.value >= 0 for name in CRITERIA)


# the command


def test_the_command_prints_what_the_function_gives(run: Run) -> None:
    loans = ["groups", "examples/loans.csv"]
    code, out, _ = run(*loans, "--by", "sex", "-m", "recall", "--positive", "repaid")
    found = wf.groups(loans[1], "recall", by="sex", positive="repaid")
    assert code == 0 and found.p_value is not None
    assert f"{found.difference.value:.4f}" in out and f"p = {found.p_value:.4f}" in out
    for kind in ("json", "csv", "latex", "markdown", "html"):
        code, out, _ = run(*loans, "--by", "sex", "--format", kind)
        assert code == 0 and "difference" in out
    code, _, err = run(*loans)
    assert code == 2 and "--by" in err


def test_groups_show_themselves_and_have_a_picture() -> None:
    found = wf.groups("examples/loans.csv", "accuracy", by="region")
    assert "largest difference" in found._repr_html_() and "difference" in repr(found)
    assert "across:ratio" in str(found.ratio) and float(found.difference) == found.difference.value
    picture = wf.picture(found)
    assert picture.kind == "slices" and "region" in picture.title
