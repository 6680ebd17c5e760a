"""Names as users of other libraries ask for them, with these arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from whichf1.errors import DefinitionError

RNG = np.random.default_rng(19)
Y = RNG.integers(0, 2, 80)
SCORES = np.clip(0.3 * Y + 0.7 * RNG.random(80), 0, 1)
DECIDED = np.rint(SCORES).astype(int)
TRUE = RNG.integers(0, 3, 80)
PRED = np.where(RNG.random(80) < 0.7, TRUE, RNG.integers(0, 3, 80))
SETS = (RNG.random((80, 3)) < 0.4).astype(int)
OF_LABELS = RNG.random((80, 3))
COSTS = [[0, 1, 2], [1, 0, 1], [4, 1, 0]]
PARENTS = {0: 10, 1: 10, 2: 11, 10: None, 11: None}
RATED = [[1, 1, None], [1, 2, 2], [3, 3, 3], [2, 2, 1], [None, 3, 3], [1, 1, 1]]


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples"])
@pytest.mark.parametrize("metric", [wf.roc_auc, wf.average_precision, wf.log_loss, wf.brier])
def test_indicator_matrices_have_an_average(metric: Any, average: Any) -> None:
    full = SETS.copy()
    full[:, 0], full[:, 1] = 1 - full[:, 2], full[:, 1]  # every item has and lacks a label
    assert math.isfinite(metric(full, OF_LABELS, average=average).value)


@pytest.mark.parametrize("metric", [wf.roc_auc, wf.average_precision, wf.log_loss, wf.brier])
def test_each_class_in_one_call(metric: Any) -> None:
    several = metric.per_class(SETS, OF_LABELS)
    single = [metric(SETS[:, at], OF_LABELS[:, at], positive=1).value for at in range(3)]
    assert several.array == pytest.approx(single)


CALLS: dict[str, Any] = {
    "label_ranking_loss": lambda: wf.label_ranking_loss(SETS, OF_LABELS),
    "ndcg": lambda: wf.ndcg(SETS, OF_LABELS),
    "dcg": lambda: wf.dcg(SETS, OF_LABELS),
    "one_error": lambda: wf.one_error(SETS, OF_LABELS),
    "recall_at_precision": lambda: wf.recall_at_precision(Y, SCORES, at=0.9),
    "precision_at_recall": lambda: wf.precision_at_recall(Y, SCORES, at=0.9),
    "sensitivity_at_specificity": lambda: wf.sensitivity_at_specificity(Y, SCORES, at=0.9),
    "specificity_at_sensitivity": lambda: wf.specificity_at_sensitivity(Y, SCORES, at=0.9),
    "tpr_at_fpr": lambda: wf.tpr_at_fpr(Y, SCORES, at=0.1),
    "equal_error_rate": lambda: wf.equal_error_rate(Y, SCORES),
    "net_benefit": lambda: wf.net_benefit(Y, SCORES, threshold=0.3),
    "expected_cost": lambda: wf.expected_cost(TRUE, PRED, costs=COSTS),
    "g_mean": lambda: wf.g_mean(TRUE, PRED, average="macro"),
    "diagnostic_odds_ratio": lambda: wf.diagnostic_odds_ratio(
        Y, np.rint(SCORES).astype(int), positive=1
    ),
    "fleiss_kappa": lambda: wf.fleiss_kappa(wf.ratings(RATED)),
    **{
        f"krippendorff_alpha, {level}": lambda level=level: wf.krippendorff_alpha(
            wf.ratings(RATED), level=level
        )
        for level in ("nominal", "ordinal", "interval", "ratio")
    },
    "gwet_ac1": lambda: wf.gwet_ac1(wf.ratings(RATED)),
    "scott_pi": lambda: wf.scott_pi(wf.ratings(RATED)),
    "hierarchical_f1": lambda: wf.hierarchical_f1(TRUE, PRED, parents=PARENTS),
    "spans": lambda: wf.recall(wf.spans([["B-X", "O"]], [["B-X", "O"]]), average="micro"),
    "mcc of a class": lambda: wf.one_vs_rest_mcc(TRUE, PRED, positive=1),
    "beta=inf": lambda: wf.f_beta(TRUE, PRED, average="macro", beta=math.inf),
    "undefined": lambda: wf.precision([0, 1], [0, 0], positive=1, undefined=0.25),
    "kappa of own weights": lambda: wf.cohen_kappa(TRUE, PRED, weighting=COSTS),
    "uniform shares": lambda: wf.accuracy(TRUE, PRED, class_shares="uniform"),
    "given shares": lambda: wf.accuracy(TRUE, PRED, class_shares={0: 0.2, 1: 0.3, 2: 0.5}),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_works_and_its_signature_too(name: str) -> None:
    score = CALLS[name]()
    assert math.isfinite(score.value)
    assert wf.Definition.parse(score.signature) == score.definition


def test_balanced_shares_turn_accuracy_into_macro_recall() -> None:
    balanced = wf.accuracy(TRUE, PRED, class_shares="uniform", interval="auto")
    assert balanced.value == pytest.approx(wf.macro_recall(TRUE, PRED).value)
    assert balanced.interval is not None


def test_groups_have_a_difference_a_ratio_and_a_worst() -> None:
    found = wf.groups(TRUE, PRED, "accuracy", by=np.arange(80) % 3)
    assert found.ratio is not None and found.worst is not None
    assert found.difference.interval and found.ratio.interval and found.worst.interval
    for name in ("demographic_parity", "equal_opportunity", "equalized_odds", "predictive_parity"):
        named = wf.groups(Y, DECIDED, name, by=np.arange(80) % 2, positive=1)
        assert named.difference.interval is not None


def test_properties_of_a_definition() -> None:
    found = wf.properties("averaged_f1")
    assert {"yes", "no"} >= {("no", "yes")[each.holds] for each in found.values()}
    assert all(each.holds or each.before is not None for each in found.values())


def test_prevalence_is_a_rate_and_its_option_has_another_name() -> None:
    assert wf.prevalence(Y, Y, positive=1).value == Y.mean()
    with pytest.raises((DefinitionError, TypeError), match="class_shares"):
        wf.accuracy(TRUE, PRED, prevalence="uniform")  # type: ignore[call-arg]
