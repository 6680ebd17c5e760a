"""Kinds of pictures by name, and which results have them.

A kind is declared once: a function that makes a Picture of a result, and its types of results.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from whichf1.definitions.words import capital
from whichf1.errors import DefinitionError, InputError, did_you_mean
from whichf1.reporting.pictures.marks import Picture
from whichf1.tables.records import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of picture."""

    name: str
    make: Callable[..., Picture]
    of: Mapping[type, Callable[[Any], Any]]
    """The types of results that it is for, and how to get its data from each."""
    several: bool
    """Whether it also shows several of them, from a mapping by name."""

    @property
    def summary(self) -> str:
        """What it shows, in a sentence."""
        return (inspect.getdoc(self.make) or "").partition("\n")[0]

    @property
    def options(self) -> list[str]:
        """The names of its options."""
        return [*inspect.signature(self.make).parameters][1:]


KINDS: dict[str, Kind] = {}
MODULES = ("counts", "curves", "forests", "studies")
"""Where kinds are declared."""


def declare(
    name: str, of: Mapping[type, Callable[[Any], Any]], several: bool = False
) -> Callable[[Callable[..., Picture]], Callable[..., Picture]]:
    """Declare a kind of picture."""

    def add(make: Callable[..., Picture]) -> Callable[..., Picture]:
        KINDS[name] = Kind(name, make, of, several)
        return make

    return add


def same(result: Any) -> Any:
    """The result itself."""
    return result


def every_kind() -> dict[str, Kind]:
    """All kinds of pictures by name."""
    for name in MODULES:
        import_module(f"whichf1.reporting.pictures.{name}")
    return KINDS


def find_kind(name: str) -> Kind:
    """The kind with this name."""
    kinds = every_kind()
    if not isinstance(name, str) or name not in kinds:
        raise DefinitionError(f"there is no picture {name!r}. {did_you_mean(str(name), kinds)}")
    return kinds[name]


def picture(
    result: Any,
    kind: str | None = None,
    *,
    title: str | None = None,
    caption: str | None = None,
    **options: Any,
) -> Picture:
    """Make a picture of a result: numbers, scales and words, which matplotlib or a page draws.

    result: Counts, a Ranking, a curve, a comparison, slices, …; for curves also a mapping from
        names to several of them: systems, or folds.
    kind: Which picture, if the result has several: see docs/gallery.md.
    title: The line above the picture, in place of the default; '' for none.
    caption: The text below it, in place of the notes and the signature; '' for none.
    **options: The options of this kind of picture.
    Returns: The picture, with ``plot`` to draw it and ``save`` to write it to a file.
    DefinitionError: If the result has no such picture, or the picture has no such option.
    InputError: If there is nothing to draw.

    >>> import whichf1 as wf
    >>> wf.picture(wf.rank([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]), "roc").panels[0].x.label
    'false positive rate'
    """
    chosen, data = _chosen(result, kind)
    for name in options:
        if name not in chosen.options:
            has = f"has no option {name!r}."
            hint = did_you_mean(name, [*chosen.options, "title", "caption"])
            raise DefinitionError(f"the picture {chosen.name!r} {has} {hint}")
    for name, text in (("title", title), ("caption", caption)):
        if not isinstance(text, (str, type(None))):
            raise DefinitionError(f"{name} must be text; got {text!r}")
    drawn = chosen.make(data, **options)
    drawn = replace(drawn, kind=chosen.name, title=capital(drawn.title))
    if title is not None:
        drawn = replace(drawn, title=title)
    if caption is not None:
        drawn = replace(drawn, notes=(caption,) if caption else (), signatures=())
    return drawn


def _chosen(result: Any, name: str | None) -> tuple[Kind, Any]:
    """The kind with this name, or the first that the result has; and its data."""
    wanted = None if name is None else find_kind(name)
    fitting = [each for each in every_kind().values() if _of(each, result) is not None]
    if not fitting:
        known = sorted({each.__name__ for kind in KINDS.values() for each in kind.of})
        raise InputError(
            f"there is no picture of {type(result).__name__}. There are pictures of "
            f"{', '.join(known)}."
        )
    chosen = fitting[0] if wanted is None else wanted
    if chosen not in fitting:
        raise DefinitionError(
            f"{type(result).__name__} has no picture {chosen.name!r}, but "
            f"{', '.join(each.name for each in fitting)}"
        )
    take = _of(chosen, result)
    assert take is not None
    return chosen, take(result)


def _of(kind: Kind, result: Any) -> Callable[[Any], Any] | None:
    """The function that gets the kind's data from a result; None if the kind is not for it."""
    for each, take in kind.of.items():
        if isinstance(result, each):
            return partial(_named, take) if kind.several else take
        many = kind.several and isinstance(result, Mapping) and len(result) > 0
        if many and all(isinstance(one, each) for one in result.values()):
            return partial(_each, take)
    return None


def _named(take: Callable[[Any], Any], one: Any) -> dict[str, Any]:
    return {"": take(one)}


def _each(take: Callable[[Any], Any], many: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): take(one) for name, one in many.items()}
