"""The predictions, sets of labels or scores of systems in columns of a dataframe or file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

from whichf1.errors import InputError
from whichf1.sources.answers.label_sets import hold_lists, read_sets, tally_sets
from whichf1.sources.answers.rows import tally_together
from whichf1.sources.questions.grouped import Grouped
from whichf1.sources.request import Request, has_columns, refuse_other_order, refuse_true
from whichf1.tables.slices import Slices


class ScoreColumns(NamedTuple):
    """Systems with scores, in columns that stay where they are."""

    data: Any
    predictions: Any
    request: Request
    systems: dict[str, tuple[str, ...]]
    """The columns of each system."""


def read_systems(
    data: Any,
    systems: Any,
    predictions: Any = None,
    *,
    counted: bool,
    sets: bool = False,
    sep: str | None = None,
    labels: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    cluster: Any = None,
    true: Any = None,
    by: Any = (),
    alone: bool = False,
    **reading: Any,
) -> Slices | ScoreColumns:
    """What systems are compared on: joint counts of classes or sets, or columns of scores.

    Counts are by slice; without ``by``, only the whole is of interest.

    Scores that stand ``alone`` are values of items, without true classes.

    Cells are ``sets`` of labels if the metric is of these, or if they are lists, or if ``sep``
    stands between two labels.
    """
    if not has_columns(data):
        raise InputError(
            "true= and sep= are for columns of a dataframe or file, but these are arrays"
        )
    if reading.get("pred") is not None or reading.get("score") is not None:
        raise InputError("systems must be names of columns: {'A': 'column', 'B': 'other'}")
    columns = _columns(systems)
    options = {"labels": labels, "weights": weights, "cluster": cluster, "by": by, **reading}
    options["frequencies"] = frequencies
    if not counted:
        if isinstance(true, (list, tuple)) and labels is None and not _named(systems):
            labels = [*true]  # the columns of 0 and 1 are called like the labels
        if sep is not None and labels is None and not _named(systems):
            raise InputError(
                "cells list labels (sep=, --labels-sep), and this metric compares scores, of which "
                "each label has a column: give labels= (--labels) in the order of the columns, or "
                "{'A': {label: column}} for each system"
            )
        options["labels"], columns = _by_class(systems, columns, labels)
        every = [*chain(*columns.values())]
        refuse_true(true, alone)
        options |= {"score": every, "true": true, "sep": sep, "alone": alone}
        request = Request.of_scores(systems=len(columns), **options)
        return ScoreColumns(data, predictions, request, columns)
    bits = isinstance(true, (list, tuple))
    for name, names in columns.items():
        if len(names) != 1 and not bits:
            raise InputError(f"system {name!r} has one column of predictions; got {names!r}")
    joint: Slices
    if sets or bits or sep is not None:
        joint = read_sets(data, predictions, true, [*columns.values()], sep=sep, **options)
    else:
        every = [*chain(*columns.values())]
        request = Request.of(true=true, pred=every, joint=True, **options)
        answer = Grouped().gather(data, predictions, request)
        joint = tally_sets(*answer) if hold_lists(*answer) else tally_together(*answer)
    return joint.changed(lambda counts: counts.changed(systems=tuple(columns)))


def _by_class(
    systems: Any, columns: dict[str, tuple[str, ...]], labels: Any
) -> tuple[Any, dict[str, tuple[str, ...]]]:
    """The classes, and the columns of each system in their order; nothing is guessed."""
    named = _named(systems)
    for name, names in columns.items():
        refuse_other_order(names, labels, f"Give {{{name!r}: {{class: column}}}}.")
        if labels is None and not named and len(names) > 1:
            raise InputError(
                f"which class does each of the columns {', '.join(names)} belong to? Pass labels= "
                f"in their order, or {{{name!r}: {{class: column}}}} for each system."
            )
    if not named:
        return labels, columns
    classes = [*next(iter(named.values()))]
    if labels is not None or any(set(x) != set(classes) for x in named.values()):
        raise InputError(
            "systems that name a column for each class must name the same classes; omit labels="
        )
    if len(named) < len(columns):
        raise InputError("pass {class: column} for every system, or for none")
    return classes, {str(name): tuple(x[each] for each in classes) for name, x in named.items()}


def _named(systems: Any) -> dict[Any, Mapping[Any, str]]:
    """The systems that name a column for each class."""
    pairs = systems.items() if isinstance(systems, Mapping) else ()
    return {name: x for name, x in pairs if isinstance(x, Mapping)}


def _columns(systems: Any) -> dict[str, tuple[str, ...]]:
    """The columns of each system; in a list, systems have the names of their columns."""
    named = systems if isinstance(systems, Mapping) else {}
    if isinstance(systems, (list, tuple)) and all(isinstance(x, str) for x in systems):
        named = {name: name for name in systems}
        if len(named) < len(systems):
            raise InputError(f"a column of predictions is named twice: {', '.join(systems)}")
    columns = {
        str(name): _names(names)
        for name, names in named.items()
        if isinstance(names, (str, list, tuple, Mapping))
    }
    texts = all(isinstance(column, str) for each in columns.values() for column in each)
    if not columns or len(columns) < len(systems) or not texts:
        raise InputError(
            "systems must be columns of the frame or file: {'A': 'column', 'B': 'other'} or "
            f"['column', 'other']; got {type(systems).__name__}"
        )
    return columns


def _names(names: Any) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    return tuple(names.values() if isinstance(names, Mapping) else names)
