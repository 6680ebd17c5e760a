"""Results that display themselves: as HTML in a notebook, and as a picture.

This module does not know what they look like. The package puts a function into ``presenters`` that
loads the reporting package when a result is first shown, so no result imports it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # 'typing' is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, Protocol

    class Presenter(Protocol):
        """What the reporting package does for results."""

        def html(self, result: object) -> str:
            """A result as HTML, for a notebook."""

        def drawn(self, result: object, kind: str | None, ax: Any, options: dict[str, Any]) -> Any:
            """A result, or a picture of one, on matplotlib's Axes."""

        def page(self, report: Any) -> str:
            """A report, or a study, as a page of HTML."""

        def text(self, result: object, format: str, decimals: int) -> str:
            """A result in text, markdown, latex, html, csv or json."""

        def written(self, picture: Any, path: Any, dpi: int) -> bytes:
            """A picture in the format of the path."""


presenters: list[Callable[[], Presenter]] = []
"""Loads the presenter; set once, by the package."""


class Displayed:
    """A result that a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return presenters[0]().html(self)

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """The forms of the result that a notebook may choose from."""
        makers = {"text/plain": self.__repr__, "text/html": self._repr_html_}
        return {
            form: make()
            for form, make in makers.items()
            if (not include or form in include) and form not in (exclude or ())
        }


class Drawable(Displayed):
    """A result that has a picture."""

    __slots__ = ()

    def plot(self, ax: Any = None, *, kind: str | None = None, **options: Any) -> Any:
        """Draw the result with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The Axes to draw on. By default, those of a new figure of a suitable size.
        kind : str, optional
            Which picture, if the result has several: see docs/gallery.md.
        **options
            The options of this kind of picture, and ``title`` and ``caption``: text that replaces
            the default one, or '' for none.

        Returns
        -------
        matplotlib.axes.Axes
            The Axes drawn on; with several panels, those of the first.

        Raises
        ------
        DefinitionError
            If the result has no such picture, or the picture has no such option.
        InputError
            If there is nothing to draw, or matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib, whichf1 as wf
        >>> matplotlib.use("agg")
        >>> wf.count([0, 1, 1], [0, 1, 0]).plot().get_xlabel()
        'predicted class'
        """
        return presenters[0]().drawn(self, kind, ax, options)
