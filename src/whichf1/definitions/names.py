"""Names of metrics: their own, their aliases, and shorthands for a metric with some options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from whichf1.errors import DefinitionError
from whichf1.metrics import find, plain_name

WITH_LABELS = " with labels= listing all classes"


class Shorthand(NamedTuple):
    """A name for a metric with some of its options: never a new formula."""

    metric: str
    options: Mapping[str, Any]
    summary: str
    other_names: tuple[str, ...] = ()
    """Other names in the literature; these are not accepted as input."""

    @property
    def sklearn(self) -> str:
        """How to compute it in scikit-learn, or why that is impossible."""
        if self.options.get("formula") == "of-averages":
            return "no function: combine precision_score and recall_score, both average='macro'"
        if self.options.get("classes") == "true":
            return "balanced_accuracy_score"
        average, beta = self.options["average"], "beta=…, " if self.metric == "f_beta" else ""
        call = f"{find(self.metric).sklearn}({beta}average={average!r})"
        return call + WITH_LABELS if average == "macro" else call


_MACRO = {"average": "macro"}
_AVERAGED = {"average": "macro", "formula": "averaged"}
_OF_AVERAGES = {"average": "macro", "formula": "of-averages"}
SHORTHANDS = {
    "averaged_f1": Shorthand(
        "f1", _AVERAGED, "Mean over classes of the F1 of each class.", ("macro F1 (ambiguous)",)
    ),
    "f1_of_averages": Shorthand(
        "f1",
        _OF_AVERAGES,
        "Harmonic mean of macro precision and macro recall.",
        ("macro F1 (ambiguous)",),
    ),
    "averaged_f_beta": Shorthand(
        "f_beta", _AVERAGED, "Mean over classes of the F-beta of each class."
    ),
    "f_beta_of_averages": Shorthand(
        "f_beta", _OF_AVERAGES, "Weighted harmonic mean of macro precision and macro recall."
    ),
    "micro_f1": Shorthand(
        "f1",
        {"average": "micro"},
        "F1 of the true positives, false positives and false negatives summed over classes.",
    ),
    "weighted_f1": Shorthand(
        "f1",
        {"average": "weighted", "formula": "averaged"},
        "Mean over classes of the F1 of each class, weighted by its number of true items.",
        ("support-weighted F1",),
    ),
    "macro_precision": Shorthand(
        "precision", _MACRO, "Mean over classes of the precision of each class."
    ),
    "macro_recall": Shorthand("recall", _MACRO, "Mean over classes of the recall of each class."),
    "balanced_accuracy": Shorthand(
        "recall",
        {"average": "macro", "classes": "true"},
        "Mean recall of the classes that have true items.",
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
