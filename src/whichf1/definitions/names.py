"""Names of metrics: their own, their aliases, and shorthands for a metric with some options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from whichf1.errors import DefinitionError
from whichf1.metrics import find, plain_name


class Shorthand(NamedTuple):
    """A name for a metric with some of its options: never a new formula."""

    metric: str
    options: Mapping[str, Any]
    summary: str
    sklearn: str
    """How to compute it in scikit-learn, or why that is impossible."""
    other_names: tuple[str, ...] = ()
    """What else it is called in the literature; these are not looked up."""


def _macro(**options: Any) -> dict[str, Any]:
    return {"average": "macro", **options}


WITH_LABELS = " with labels= listing all classes"
_NONE = "no function: combine precision_score and recall_score, both average='macro'"
SHORTHANDS = {
    "averaged_f1": Shorthand(
        "f1",
        _macro(formula="averaged"),
        "Mean over classes of the F1 of each class.",
        f"f1_score(average='macro'){WITH_LABELS}",
        ("macro F1 (ambiguous)",),
    ),
    "f1_of_averages": Shorthand(
        "f1",
        _macro(formula="of-averages"),
        "Harmonic mean of macro precision and macro recall.",
        _NONE,
        ("macro F1 (ambiguous)",),
    ),
    "averaged_f_beta": Shorthand(
        "f_beta",
        _macro(formula="averaged"),
        "Mean over classes of the F-beta of each class.",
        f"fbeta_score(beta=…, average='macro'){WITH_LABELS}",
    ),
    "f_beta_of_averages": Shorthand(
        "f_beta",
        _macro(formula="of-averages"),
        "Weighted harmonic mean of macro precision and macro recall.",
        _NONE,
    ),
    "micro_f1": Shorthand(
        "f1",
        {"average": "micro"},
        "F1 of the true positives, false positives and false negatives summed over classes.",
        "f1_score(average='micro')",
    ),
    "weighted_f1": Shorthand(
        "f1",
        {"average": "weighted", "formula": "averaged"},
        "Mean over classes of the F1 of each class, weighted by its number of true items.",
        "f1_score(average='weighted')",
        ("support-weighted F1",),
    ),
    "macro_precision": Shorthand(
        "precision",
        _macro(),
        "Mean over classes of the precision of each class.",
        f"precision_score(average='macro'){WITH_LABELS}",
    ),
    "macro_recall": Shorthand(
        "recall",
        _macro(),
        "Mean over classes of the recall of each class.",
        f"recall_score(average='macro'){WITH_LABELS}",
    ),
    "balanced_accuracy": Shorthand(
        "recall",
        _macro(classes="true"),
        "Mean recall of the classes that have true items.",
        "balanced_accuracy_score",
        ("unweighted average recall",),
    ),
}
"""Every shorthand by name."""
BOTH = ("macro_f1", "f1_macro", "macro_averaged_f1")
"""Names that could mean either formula, and so are not accepted for one."""


def look_up(name: str) -> tuple[str, Mapping[str, Any]]:
    """The metric's own name, and the options that a shorthand sets."""
    plain = plain_name(name)
    if plain in SHORTHANDS:
        return SHORTHANDS[plain].metric, SHORTHANDS[plain].options
    if plain in BOTH:
        raise DefinitionError(
            f"{name!r} could mean two formulas: averaged_f1, the mean of the classes' F1, or "
            "f1_of_averages, the F1 of macro precision and macro recall. Choose one."
        )
    return find(name, also=SHORTHANDS).name, {}
