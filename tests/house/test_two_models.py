"""The evaluation notebook that this library began with: every number that it prints.

Source: 'Evaluation metrics', a notebook after a blog post on choosing the right metric, with two
models (a, b) on three data sets (c1, c2, c3). Each golden names the notebook's section. The scores
of c3 are random there; the counts are not, so that only its count-based numbers are golden.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import whichf1 as wf

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_models.py"
CASES = runpy.run_path(str(EXAMPLE))["cases"]()

# sections 'Core metrics' and 'Error metrics': printed with two decimals, threshold 0.5
AT_HALF = {
    "precision": {"c1": (0.80, 0.50), "c2": (1.00, 0.75), "c3": (1.00, 1.00)},
    "recall": {"c1": (1.00, 1.00), "c2": (0.67, 1.00), "c3": (0.05, 0.90)},
    "specificity": {"c1": (0.75, 0.00), "c2": (1.00, 0.92), "c3": (1.00, 1.00)},
    "accuracy": {"c1": (0.88, 0.50), "c2": (0.94, 0.94), "c3": (0.91, 0.99)},
    "f1": {"c1": (0.89, 0.67), "c2": (0.80, 0.86), "c3": (0.10, 0.95)},
    "false_positive_rate": {"c1": (0.25, 1.00), "c2": (0.00, 0.08), "c3": (0.00, 0.00)},
    "false_negative_rate": {"c1": (0.00, 0.00), "c2": (0.33, 0.00), "c3": (0.95, 0.10)},
    "error_rate": {"c1": (0.12, 0.50), "c2": (0.06, 0.06), "c3": (0.09, 0.01)},
}
# sections 'Case 1' and 'Case 2': threshold 0.7, printed with twelve digits
AT_SEVEN_TENTHS = {
    "c1": {
        "f1": (0.857142857143, 1.0),
        "accuracy": (0.875, 1.0),
        "precision": (1.0, 1.0),
        "recall": (0.75, 1.0),
        "false_positive_rate": (0.0, 0.0),
        "false_negative_rate": (0.25, 0.0),
    },
    "c2": {
        "f1": (0.8, 0.857142857143),
        "accuracy": (0.9375, 0.9375),
        "precision": (1.0, 0.75),
        "recall": (0.666666666667, 1.0),
        "false_positive_rate": (0.0, 0.0769230769231),
        "false_negative_rate": (0.333333333333, 0.0),
    },
}


def at(case: str, model: int, threshold: float, metric: str) -> wf.Score:
    y_true, *scores = CASES[case]
    counts = wf.at_threshold(y_true, scores[model], threshold)
    rate = getattr(wf, metric).metric.kind == "rate"
    return wf.score(counts, metric, positive=1) if rate else wf.score(counts, metric)


@pytest.mark.parametrize("metric", AT_HALF)
@pytest.mark.parametrize("case", ["c1", "c2", "c3"])
@pytest.mark.parametrize("model", [0, 1])
def test_rates_at_one_half(metric: str, case: str, model: int) -> None:
    score = at(case, model, 0.5, metric)
    # the notebook's two decimals are those of a binary float: 0.905 prints as 0.91 or 0.90
    assert score.value == pytest.approx(AT_HALF[metric][case][model], abs=0.00501)
    below = " (below every score)" if (case, model) == ("c1", 1) else ""
    assert score.signature.endswith(f'|decision:"1 if score>=0.5{below}"')


@pytest.mark.parametrize("case", AT_SEVEN_TENTHS)
@pytest.mark.parametrize("metric", AT_SEVEN_TENTHS["c1"])
@pytest.mark.parametrize("model", [0, 1])
def test_rates_at_seven_tenths(case: str, metric: str, model: int) -> None:
    found = at(case, model, 0.7, metric).value
    assert found == pytest.approx(AT_SEVEN_TENTHS[case][metric][model], abs=1e-12)


@pytest.mark.parametrize(
    ("case", "model", "f1"),
    [
        ("c1", 0, 0.888888888888889),  # 'Case 1', F1_score of rounded scores: 0.5 rounds to 1 there
        ("c1", 1, 0.6666666666666666),
        ("c2", 0, 0.8),  # 'Case 2'
        ("c2", 1, 0.8571428571428571),
        ("c3", 0, 0.09523809523809523),  # 'AUC', F1 _Y1 and F1 _Y2 on 1,000 items
        ("c3", 1, 0.9473684210526316),
    ],
)
def test_f1_in_full_precision(case: str, model: int, f1: float) -> None:
    assert at(case, model, 0.5, "f1").value == pytest.approx(f1, abs=1e-15)


@pytest.mark.parametrize(
    ("case", "model", "log_loss", "roc_auc"),
    [
        ("c1", 0, 0.2802001257976322, 0.9375),  # 'Case 1'
        ("c1", 1, 0.6030999897503131, 1.0),
        ("c2", 0, 0.24268705174134, 0.8333333333333333),  # 'Case 2'
        ("c2", 1, 0.24268705174134, 0.9615384615384616),
    ],
)
def test_log_loss_and_area(case: str, model: int, log_loss: float, roc_auc: float) -> None:
    y_true, *scores = CASES[case]
    assert wf.log_loss(y_true, scores[model]).value == pytest.approx(log_loss, abs=1e-15)
    assert wf.roc_auc(y_true, scores[model]).value == pytest.approx(roc_auc, abs=1e-15)


@pytest.mark.parametrize(
    ("y_true", "probabilities", "log_loss"),
    [
        # 'Multi-class log-loss'
        ([1, 0, 0, 1], [[0.1, 0.9], [0.9, 0.1], [0.8, 0.2], [0.35, 0.65]], 0.21616187468057912),
        ([0, 1] * 5, [[0.5, 0.5]] * 10, 0.6931471805599453),
    ],
)
def test_multi_class_log_loss(
    y_true: list[int], probabilities: list[list[float]], log_loss: float
) -> None:
    assert wf.log_loss(y_true, probabilities).value == pytest.approx(log_loss, abs=1e-15)


def test_averages_of_the_last_section() -> None:
    """'Calculation how-to': micro from summed counts, macro from the mean of the classes' rates."""
    y_true, first, _ = CASES["c1"]
    counts = wf.at_threshold(y_true, first, 0.7)
    c = counts.per_class()
    assert wf.precision(counts, average="micro").value == c.tp.sum() / (c.tp.sum() + c.fp.sum())
    assert wf.recall(counts, average="macro").value == (c.tp / (c.tp + c.fn)).mean()


def test_the_example_tells_the_story(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    told = capsys.readouterr().out
    lines = [line.split() for line in told.splitlines() if " prefers " in line and "A " in line]
    preferred = [(line[0], line[line.index("prefers") + 1]) for line in lines if line[1] == "A"]
    at_half = dict(preferred[:9])
    assert at_half["f1"] == "A" and at_half["recall"] == "neither"
    assert ("log_loss", "A") in preferred and ("roc_auc", "B") in preferred
    assert ("log_loss", "neither") in preferred and ("accuracy", "neither") in preferred
    assert told.count("signature") == 0 and told.count("|v:1|n:") >= 2 * 30
