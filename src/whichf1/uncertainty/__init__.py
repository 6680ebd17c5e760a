"""How sure: intervals from the counts alone."""

from __future__ import annotations

import numpy as np

from whichf1.definition import Definition, Frozen
from whichf1.errors import DefinitionError
from whichf1.intervals import Bootstrap, Interval
from whichf1.table import Array
from whichf1.uncertainty.influence import delta_intervals

__all__ = ["estimate"]


def estimate(definition: Definition, frozen: Frozen) -> tuple[Array, list[Interval | None]]:
    """The values of a definition, and an interval for each by its own method."""
    method, squares = definition.interval, frozen.table.squares
    if method is None or (squares is not None and np.isnan(squares).any()):
        values = np.atleast_1d(definition.values(frozen))
        return values, [None] * len(values)
    if method.word == "delta":
        return delta_intervals(definition, frozen, method.level)
    values = np.atleast_1d(definition.values(frozen))
    if isinstance(method, Bootstrap):
        from whichf1.uncertainty.resampling import bootstrap_intervals

        return values, bootstrap_intervals(definition, frozen, values, method)
    from whichf1.uncertainty.proportions import PROPORTIONS, proportion_intervals

    if method.word not in PROPORTIONS:
        raise DefinitionError(
            f"the interval {method.word!r} does not apply to {definition.metric}. "
            "Use interval='delta' or 'bootstrap'."
        )
    return values, proportion_intervals(definition, frozen, method)
