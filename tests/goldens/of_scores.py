"""Cases of items with scores or probabilities: rankings, losses, curves, thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import whichf1 as wf
from tests.goldens.data import NAMES, Items, label_scores, probabilities, scored
from tests.goldens.of_classes import metric, resampled, tried
from tests.goldens.plain import Case, plain

RANKINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "roc_auc": ("roc_auc", {}),
    "partial roc_auc": ("roc_auc", {"max_fpr": 0.3}),
    "average_precision": ("average_precision", {}),
    "ks": ("ks", {}),
    "gain": ("gain", {}),
    "gain of 0.3": ("gain", {"top": 0.3}),
    "lift": ("lift", {"top": 0.25}),
    "calibration": ("expected_calibration_error", {}),
    "calibration of equal mass": (
        "expected_calibration_error",
        {"bins": 5, "binning": "equal-mass"},
    ),
    "debiased calibration": ("debiased_calibration_error", {}),
}
POINTS = (
    *("recall_at_precision", "precision_at_recall", "sensitivity_at_specificity"),
    *("specificity_at_sensitivity", "tpr_at_fpr", "f_max", "equal_error_rate"),
    *("partial_average_precision", "log_auc", "net_benefit", "pr_gain_auc", "cost_curve_area"),
    *("aurc", "excess_aurc", "selective_accuracy", "rms_calibration_error"),
    *("max_calibration_error", "smooth_calibration_error", "miscalibration", "discrimination"),
    "uncertainty",
)
"""Metrics with one case each: they are computed as the others are."""
FURTHER_LABELS = ("dcg", "ndcg", "one_error")
FURTHER_LOSSES = (
    *("hinge_loss", "log_loss_skill", "brier_skill", "bayes_cost", "normalized_bayes_cost"),
    *("ranked_probability_score", "spherical_score"),
)
LOSSES: dict[str, tuple[str, dict[str, Any]]] = {
    "log_loss": ("log_loss", {}),
    "log_loss with a floor": ("log_loss", {"floor": 0.2}),
    "brier": ("brier", {}),
    "half brier": ("brier", {"scale": "half"}),
    "whole brier": ("brier", {"scale": "sum"}),
}
TOP_K: dict[str, tuple[str, dict[str, Any]]] = {
    "top_k": ("top_k_accuracy", {}),
    **{
        f"top_1 {ties}": ("top_k_accuracy", {"k": 1, "ties": ties})
        for ties in ("first", "last", "best", "worst")
    },
}
MEANS: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"{name} {average} {way}": (name, {"average": average, "multi_class": way})
        for name, ways in (("roc_auc", ("ovr", "ovo")), ("average_precision", ("ovr",)))
        for average in ("macro", "weighted")
        for way in ways
    },
    "roc_auc macro": ("roc_auc", {"average": "macro"}),
    "partial roc_auc macro": ("roc_auc", {"average": "macro", "max_fpr": 0.4}),
    "top-label calibration": ("expected_calibration_error", {"multi_class": "top-label"}),
    "calibration": ("expected_calibration_error", {"bins": 5}),
}
METHODS: dict[str, Any] = {
    "none": None,
    "delta": "delta",
    "delong": wf.DeLong(0.9),
    "bca": resampled("bca"),
    "percentile": resampled("percentile"),
}


def intervals(name: str, items: Items, more: dict[str, Any]) -> Any:
    """A metric of scores with every interval."""
    given = {**items.options, **more}
    return {
        word: tried(metric(name), items.true, items.said, interval=method, **given)
        for word, method in METHODS.items()
        if word != "delong" or name == "roc_auc"
    }


def rankings() -> Iterator[Case]:
    """Every ranking of two classes with every interval."""
    for kind, items in scored().items():
        for title, (name, own) in RANKINGS.items():
            given = {**own, "positive": items.positive}
            yield f"rankings/{kind}/{title}", partial(intervals, name, items, given)
    plain_items = scored()["plain"]
    for title, (name, own) in RANKINGS.items():
        yield f"rankings/of 0/{title}", partial(intervals, name, other_side(plain_items), own)
        run = partial(tried, metric(name), plain_items.true, plain_items.said, **own)
        yield f"rankings/unsaid/{title}", run


def other_side(items: Items) -> Items:
    """The other class as the positive one."""
    return Items(items.true, -items.said + 1, 0, {"positive": 0})


def losses() -> Iterator[Case]:
    """Every loss, of one probability and of one for each class."""
    for kind, items in scored().items():
        for title, (name, own) in LOSSES.items():
            given = {} if kind in ("columns", "text") else {"positive": items.positive}
            given = {"positive": "spam"} if kind == "text" else given
            yield f"losses/{kind}/{title}", partial(intervals, name, items, {**own, **given})
    for kind, items in probabilities().items():
        for title, (name, own) in {**LOSSES, **TOP_K}.items():
            yield f"losses/several {kind}/{title}", partial(intervals, name, items, own)
    true, scores, weights, cluster = label_scores()
    for name in ("label_ranking_average_precision", "coverage_error", "label_ranking_loss"):
        for kind, own in (
            ("plain", {}),
            ("weights", {"weights": weights}),
            ("clusters", {"cluster": cluster}),
            ("both", {"weights": weights, "cluster": cluster}),
            ("text", {"labels": ["a", "b", "c", "d", "e"]}),
        ):
            run = partial(intervals, name, Items(true, scores, None, own), {})
            yield f"losses/labels {kind}/{name}", run
    for kind, own in (
        ("plain", {}),
        ("weights", {"weights": weights}),
        ("clusters", {"cluster": cluster}),
    ):
        run = partial(intervals, "mean_value", Items(scores[:, 0], None, None, own), {})
        yield f"losses/values {kind}/mean_value", run


def several() -> Iterator[Case]:
    """Rankings of several classes: means over classes, over pairs, of the best label, of one."""
    for kind, items in probabilities().items():
        for title, (name, own) in MEANS.items():
            yield f"several/{kind}/{title}", partial(intervals, name, items, own)
        for name in ("roc_auc", "average_precision", "ks", "expected_calibration_error"):
            own = {"positive": items.positive}
            yield f"several/{kind}/{name} of one", partial(intervals, name, items, own)


def merging() -> Iterator[Case]:
    """Rankings, histograms and moments of parts, added up."""
    for kind in ("plain", "text", "weights"):
        yield f"merging/ranking/{kind}", partial(merged_rankings, scored()[kind])
    for bins in (10, 1000):
        yield f"merging/histogram/{bins}", partial(merged_histograms, bins)
    items = scored()["free"]
    ends: dict[str, float] = {"low": -4.0, "high": 6.0}
    histogram = partial(wf.rank_histogram, items.true, items.said, bins=20, **ends)
    yield "merging/histogram/wide", lambda: plain(wf.roc_auc(histogram()))
    yield "merging/histogram/itself", histogram
    for title, (name, own) in {**LOSSES, **TOP_K}.items():
        for kind in ("plain", "text"):
            run = partial(merged_moments, name, probabilities()[kind], own)
            yield f"merging/moments/{kind}/{title}", run
    yield "merging/moments/one column", partial(merged_moments, "brier", scored()["plain"], {})


def parts(items: Items) -> list[tuple[Any, Any, dict[str, Any]]]:
    """The items in two parts."""
    n = len(items.true)
    found = []
    for part in (slice(0, n // 3), slice(n // 3, n)):
        own = {k: v if k == "labels" else v[part] for k, v in items.options.items()}
        found.append((items.true[part], items.said[part], own))
    return found


def merged_rankings(items: Items) -> Any:
    """A ranking of parts, and what is computed from it."""
    whole: Any = sum(
        wf.rank(true, said, positive=items.positive, **own) for true, said, own in parts(items)
    )
    return {"ranking": plain(whole), "scores": scores_of(whole), "kind": whole.probabilities}


def scores_of(ranking: wf.Ranking) -> Any:
    """Every ranking score of a ranking, alone and with a delta interval."""
    return {
        title: [tried(metric(name), ranking, interval=method, **own) for method in (None, "delta")]
        for title, (name, own) in RANKINGS.items()
    }


def merged_histograms(bins: int) -> Any:
    """A histogram of parts; its area has the bound of its error, or an interval."""
    whole: Any = sum(wf.rank_histogram(x, s, bins=bins) for x, s, _ in parts(scored()["plain"]))
    return scores_of(whole)


def merged_moments(name: str, items: Items, own: dict[str, Any]) -> Any:
    """Moments of parts, and the scores of them."""
    whole: Any = sum(wf.moments(x, s, name, **own, **more) for x, s, more in parts(items))
    scores = [plain(metric(name)(whole, interval=method, **own)) for method in (None, "delta")]
    return {"moments": plain(whole), "scores": scores}


def curves() -> Iterator[Case]:
    """Every curve as lists."""
    short = {kind: first(scored()[kind], 50) for kind in ("plain", "text", "weights")}
    for kind, items in short.items():
        given = {"positive": items.positive, **items.options}
        for name in ("roc_curve", "pr_curve", "det_curve"):
            yield f"curves/{kind}/{name}", partial(metric(name), items.true, items.said, **given)
        for name in ("gain_curve", "lift_curve"):
            run = partial(metric(name), items.true, items.said, top=0.2, **given)
            yield f"curves/{kind}/{name}", run
        yield f"curves/{kind}/calibration", partial(calibration, items.true, items.said, **given)
    more: dict[str, Any] = {"bins": 4, "binning": "equal-mass"}
    plain_items = short["plain"]
    run = partial(calibration, plain_items.true, plain_items.said, **more)
    yield "curves/plain/calibration of equal mass", run
    yield "curves/ranking/roc_curve", lambda: wf.roc_curve(ranked(plain_items))
    yield "curves/ranking/calibration", lambda: calibration(ranked(plain_items))
    one = first(probabilities()["text"], 40)
    run = partial(wf.roc_curve, one.true, one.said, positive="bee", labels=NAMES[:3])
    yield "curves/several/roc_curve", run


def first(items: Items, n: int) -> Items:
    """The first items."""
    own = {k: v if k == "labels" else v[:n] for k, v in items.options.items()}
    return Items(items.true[:n], items.said[:n], items.positive, own)


def ranked(items: Items) -> wf.Ranking:
    """The items as a ranking."""
    return wf.rank(items.true, items.said, positive=items.positive)


def calibration(*given: Any, **options: Any) -> Any:
    """A calibration curve, which is of a type of its own."""
    curve = wf.calibration_curve(*given, **options)
    return {name: plain(getattr(curve, name)) for name in ("x", "y", "count", "edges", "score")}


BEST = (
    *("f1", "accuracy", "mcc", "informedness", "averaged_f1", "error_rate", "f1_of_averages"),
    *("precision", "balanced_accuracy", "cohen_kappa", "false_negative_rate", "prevalence"),
)


def thresholds() -> Iterator[Case]:
    """The best threshold of many metrics, the curve, and what a threshold decides."""
    for kind in ("plain", "text", "weights", "free", "columns"):
        items = scored()[kind]
        given = {"positive": items.positive, **items.options}
        for name in BEST:
            run = partial(tried, wf.best_threshold, items.true, items.said, name, **given)
            yield f"thresholds/best/{kind}/{name}", run
    items = scored()["plain"]
    for name, own in (("f_beta(beta=2)", {}), ("f1", {"undefined": 1}), ("recall", {})):
        run = partial(threshold_curve, *(first(items, 40).true, first(items, 40).said, name), **own)
        yield f"thresholds/curve/{name}", run
    run = partial(wf.best_threshold, items.true, items.said, "f1", positive=0)
    yield "thresholds/best/of 0", run
    yield "thresholds/best/ranking", lambda: wf.best_threshold(ranked(items), metric="mcc")


def threshold_curve(*given: Any, **options: Any) -> Any:
    """A score by threshold, which is of a type of its own."""
    curve = wf.threshold_curve(*given, **options)
    found = {"threshold": plain(curve.threshold), "value": plain(curve.value)}
    return {**found, "definition": curve.definition.signature}


def decisions() -> Iterator[Case]:
    """Counts of what scores decide, and scores of them."""
    for kind, items in scored().items():
        for limit in (0.5, 0.37, -9.0, 9.0):
            run = partial(decided, wf.at_threshold, items, limit, positive=items.positive)
            yield f"decisions/threshold/{kind}/{limit}", run
    items = scored()["plain"]
    run = partial(wf.at_threshold, ranked(items), threshold=0.4)
    yield "decisions/threshold/ranking", run
    run = partial(decided, wf.at_threshold, items, 0.5, positive=0, labels=[1, 0])
    yield "decisions/threshold/of 0", run
    for kind, items in probabilities().items():
        for ties in ("first", "last"):
            run = partial(decided, wf.at_argmax, items, ties=ties)
            yield f"decisions/argmax/{kind}/{ties}", run
            run = partial(decided, wf.at_top_k, items, 2, ties=ties)
            yield f"decisions/top 2/{kind}/{ties}", run


def decided(function: Any, items: Items, *given: Any, **options: Any) -> Any:
    """The matrix, the decision, and two scores with intervals."""
    counts = function(items.true, items.said, *given, **{**items.options, **options})
    return {
        "matrix": plain(counts.matrix),
        "decision": counts.decision,
        "labels": plain(list(counts.labels)),
        "averaged F1": tried(wf.averaged_f1, counts, interval="delta"),
        "accuracy": tried(wf.accuracy, counts, interval=resampled("percentile")),
    }


def points() -> Iterator[Case]:
    """Operating points, one case each."""
    y = [int(x) for x in "0010101101110111"]
    s = [at / 20 for at in range(len(y))]
    for name in POINTS:
        yield f"further/{name}", partial(wf.score, y, s, name)
    true, scores, _, _ = label_scores()
    for name in FURTHER_LABELS:
        yield f"further/{name}", partial(wf.score, true, scores, name, interval="delta")
    items = probabilities()["plain"]
    for name in FURTHER_LOSSES:
        yield f"further/{name}", partial(wf.score, items.true, items.said, name, interval="delta")
