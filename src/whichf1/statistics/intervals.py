"""How sure: intervals from the counts alone."""

from __future__ import annotations

from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Bootstrap, Interval
from whichf1.errors import DefinitionError
from whichf1.tables.cells import Array
from whichf1.tables.label_sets import LabelTable

__all__ = ["estimate"]


def estimate(definition: Definition, frozen: Frozen) -> tuple[Array, list[Interval | None]]:
    """The values of a definition, and an interval for each by its own method."""
    method = definition.interval
    if method is None:
        values = definition.values(frozen).reshape(-1)
        return values, [None] * len(values)
    sets = isinstance(frozen.table, LabelTable)
    if method.word == "delta" and not sets:
        from whichf1.statistics.influence import delta_intervals

        return delta_intervals(definition, frozen, method.level)
    values = definition.values(frozen).reshape(-1)
    if method.word == "delta":
        from whichf1.statistics.label_sets import label_set_intervals

        return values, label_set_intervals(definition, frozen, method.level)
    if isinstance(method, Bootstrap):
        from whichf1.statistics.resampling import bootstrap_intervals

        return values, bootstrap_intervals(definition, frozen, values, method)
    from whichf1.statistics.proportions import PROPORTIONS, proportion_intervals

    if method.word not in PROPORTIONS:
        raise DefinitionError(
            f"the interval {method.word!r} does not apply to {definition.metric}. "
            "Use interval='delta' or 'bootstrap'."
        )
    return values, proportion_intervals(definition, frozen, method)
