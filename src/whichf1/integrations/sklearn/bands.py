"""Displays of scikit-learn with a confidence band for the curve of the population."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn import metrics

from whichf1.errors import DefinitionError, is_among
from whichf1.integrations.sklearn.drop_in import Items, one_column
from whichf1.scoring.curves import Curve, det_curve, pr_curve, roc_curve
from whichf1.statistics.bands import Band
from whichf1.tables.cells import Array

_BANDS = ("pointwise", "simultaneous", None)


class Banded:
    """A display whose constructors draw a band behind the curve, and keep it as ``band_``."""

    curve: ClassVar[Callable[..., Curve]]
    band_: Band | None
    line_: Any
    ax_: Any

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        band: str | None = "pointwise",
        level: float = 0.95,
        **options: Any,
    ) -> Any:
        """Draw the curve of true classes and scores, with a band.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True classes.
        y_score : array-like of shape (n_samples,)
            Scores of the positive class.
        band : {"pointwise", "simultaneous"} or None
            Whether ``level`` applies to each point of the curve, or to the whole curve. None
            for no band.
        level : float
            The confidence level.
        **options
            The options of scikit-learn's constructor, such as ``pos_label``, ``name`` and ``ax``.

        Returns
        -------
        display
            The display, with the band as ``band_``.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from whichf1.integrations.sklearn import RocCurveDisplay
        >>> display = RocCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> display.roc_auc, display.band_.level
        (0.75, 0.95)
        """
        if not is_among(band, _BANDS):
            raise DefinitionError(f"band must be 'pointwise', 'simultaneous' or None; got {band!r}")
        constructor: Any = super()
        display = constructor.from_predictions(y_true, y_score, **options)
        display.band_ = None
        if band is not None:
            items = Items.of(y_true)
            positive = items.positive(options.get("pos_label"))
            data = (items.values == positive, one_column(y_score))
            curve = cls.curve(*data, positive=True, weights=options.get("sample_weight"))
            display.band_ = curve.band(level, simultaneous=band == "simultaneous")
            _draw(display)
        return display

    @staticmethod
    def _placed(values: Array) -> Array:
        """Where rates are on the axes."""
        return values


def _draw(display: Any) -> None:
    band, line = display.band_, display.line_
    sides = (display._placed(side) for side in (band.x, band.low, band.high))
    shade = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0, "zorder": line.zorder - 0.1}
    limits = display.ax_.get_xlim(), display.ax_.get_ylim()
    display.ax_.fill_between(*sides, **shade)
    display.ax_.set(xlim=limits[0], ylim=limits[1])


class RocCurveDisplay(Banded, metrics.RocCurveDisplay):  # type: ignore[misc]
    """``sklearn.metrics.RocCurveDisplay`` with a band."""

    curve = staticmethod(roc_curve)


class PrecisionRecallDisplay(Banded, metrics.PrecisionRecallDisplay):  # type: ignore[misc]
    """``sklearn.metrics.PrecisionRecallDisplay`` with a band."""

    curve = staticmethod(pr_curve)


class DetCurveDisplay(Banded, metrics.DetCurveDisplay):  # type: ignore[misc]
    """``sklearn.metrics.DetCurveDisplay`` with a band."""

    curve = staticmethod(det_curve)

    @staticmethod
    def _placed(values: Array) -> Array:
        """Quantiles of the normal distribution, within the limits of the axes."""
        from scipy.special import ndtri

        return ndtri(values.clip(1e-6, 1 - 1e-6))  # type: ignore[no-any-return]
