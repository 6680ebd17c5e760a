"""How sure: intervals from the counts alone."""

from __future__ import annotations

from whichf1.uncertainty.influence import delta_intervals

__all__ = ["delta_intervals"]
