"""Which of two models is better? On three data sets, the answer depends on the metric.

Run: python examples/two_models.py
"""

from __future__ import annotations

import numpy as np

import whichf1 as wf

RATES = (
    "precision",
    "recall",
    "specificity",
    "f1",
    "false_positive_rate",
    "false_negative_rate",
)
OVERALL = ("accuracy", "error_rate", "cohen_kappa")


def cases() -> dict[str, tuple[list[int], list[float], list[float]]]:
    """True classes and the scores of the models A and B."""
    random = np.random.default_rng(2018)

    def many(hits: int) -> list[float]:
        """Scores of at least 0.5 for the first items, and below for the rest."""
        low, high = random.uniform(0, 0.5, 1000 - hits), random.uniform(0.5, 1, hits)
        return [*high.tolist(), *low.tolist()]

    return {
        "c1": (
            [0] * 8 + [1] * 8,
            [0.1] * 6 + [0.6] * 2 + [0.5] * 2 + [0.9] * 6,
            [0.6] * 8 + [0.7] * 4 + [0.8] * 4,
        ),
        "c2": ([0] * 13 + [1] * 3, [0.1] * 14 + [0.9] * 2, [0.1] * 12 + [0.9] * 4),
        "c3": ([1] * 100 + [0] * 900, many(5), many(90)),
    }


def at(y_true: list[int], scores: list[float], threshold: float) -> list[wf.Score]:
    """The scores of the predictions at a threshold."""
    counts = wf.at_threshold(y_true, scores, threshold)
    rates = [wf.score(counts, name, positive=1) for name in RATES]
    return rates + [wf.score(counts, name) for name in OVERALL]


def without_threshold(y_true: list[int], scores: list[float]) -> list[wf.Score]:
    """The scores that need no threshold."""
    return [metric(y_true, scores) for metric in (wf.roc_auc, wf.average_precision, wf.log_loss)]


def verdict(a: wf.Score, b: wf.Score) -> str:
    """Which model the metric prefers."""
    if abs(a.value - b.value) < 1e-12:
        return "neither"
    lower = getattr(wf, a.definition.metric).metric.better == "lower"
    return "A" if (a.value < b.value) == lower else "B"


def show(title: str, a: list[wf.Score], b: list[wf.Score]) -> None:
    """Print the scores of both models, each with its signature."""
    print(f"\n{title}")
    for one, other in zip(a, b, strict=True):
        print(
            f"  {one.definition.metric:20} A {one:.4f}  B {other:.4f}  "
            f"prefers {verdict(one, other):8} {one.signature}"
        )


STORY = {
    "c1": """Case 1: A is well calibrated, B ranks perfectly.
At 0.5 model B predicts everything as positive, so precision, specificity and F1 prefer A. At 0.7 it
makes no mistakes. ROC AUC depends only on the ranking and prefers B; log loss measures how far each
probability is from the truth and prefers A. F1 is fair only if each has its own threshold.""",
    "c2": """Case 2: one mistake each, on different sides.
A misses one of three positives, B raises one false alarm among thirteen negatives. Accuracy and log
loss treat both mistakes alike and prefer neither. F1, recall and ROC AUC prefer B, which finds all
positives; precision and specificity prefer A, which raises no false alarm.""",
    "c3": """Case 3: 100 positives among 1,000 items.
A finds 5 of them, B 90, and neither raises a false alarm. Accuracy moves from 0.905 to 0.990, F1
from 0.095 to 0.947: where positives are rare, F1 shows what accuracy hides.""",
}


def main() -> None:
    """Print the three cases."""
    for name, (y_true, a, b) in cases().items():
        print(f"{STORY[name]}")
        for threshold in (0.5, 0.7) if name != "c3" else (0.5,):
            show(
                f"at the threshold {threshold}", at(y_true, a, threshold), at(y_true, b, threshold)
            )
        show("without a threshold", without_threshold(y_true, a), without_threshold(y_true, b))
        best = [wf.best_threshold(y_true, scores, "f1") for scores in (a, b)]
        print("\neach at its own best threshold for F1")
        for model, choice in zip("AB", best, strict=True):
            print(f"  {model}: {choice.threshold:.4g}, {choice.score}")
        print()


if __name__ == "__main__":
    main()
