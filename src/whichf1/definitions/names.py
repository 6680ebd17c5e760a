"""Names of metrics: their own, their aliases, and shorthands for a metric with some options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whichf1.errors import DefinitionError, did_you_mean
from whichf1.metrics import find, names

SHORTHANDS: dict[str, tuple[str, dict[str, Any]]] = {
    "averaged_f1": ("f1", {"average": "macro", "formula": "averaged"}),
    "f1_of_averages": ("f1", {"average": "macro", "formula": "of-averages"}),
    "averaged_f_beta": ("f_beta", {"average": "macro", "formula": "averaged"}),
    "f_beta_of_averages": ("f_beta", {"average": "macro", "formula": "of-averages"}),
    "micro_f1": ("f1", {"average": "micro"}),
    "weighted_f1": ("f1", {"average": "weighted", "formula": "averaged"}),
    "macro_precision": ("precision", {"average": "macro"}),
    "macro_recall": ("recall", {"average": "macro"}),
    "balanced_accuracy": ("recall", {"average": "macro", "classes": "true"}),
}
"""Names for a metric with some of its options: never a second formula."""
BOTH = ("macro_f1", "f1_macro", "macro_averaged_f1")
"""What could be either of the two formulas, and is no name of one."""


def look_up(name: str) -> tuple[str, Mapping[str, Any]]:
    """The metric's own name, and the options that a shorthand settles."""
    plain = plain_name(name)
    if plain in SHORTHANDS:
        return SHORTHANDS[plain]
    if plain in BOTH:
        raise DefinitionError(
            f"{name!r} names two formulas: averaged_f1, the mean of the classes' F1, and "
            "f1_of_averages, the F1 of macro precision and macro recall. Choose one."
        )
    try:
        return find(name).name, {}
    except DefinitionError:
        hint = did_you_mean(name.lower(), [*names(), *SHORTHANDS])
        raise DefinitionError(f"there is no metric {name!r}. {hint}") from None


def plain_name(name: str) -> str:
    """A name as it is looked up: 'Miss-rate' is 'miss_rate'."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")
