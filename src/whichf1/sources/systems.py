"""The predictions or scores of several systems in columns of a dataframe or file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from whichf1.errors import InputError
from whichf1.joint import Joint
from whichf1.sources import has_columns
from whichf1.sources.columns import Wanted, one_name
from whichf1.sources.gathering import gather
from whichf1.sources.queries import Grouped
from whichf1.sources.score_columns import Sought
from whichf1.sources.tallies import tally_together


class ScoreColumns(NamedTuple):
    """Systems that give scores, in columns that stay where they are."""

    data: Any
    predictions: Any
    sought: Sought
    systems: dict[str, tuple[str, ...]]
    """The columns of each."""


def read_systems(
    data: Any,
    systems: Any,
    predictions: Any = None,
    *,
    counted: bool,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
    true: Any = None,
    **reading: Any,
) -> Joint | ScoreColumns:
    """What systems are compared on: joint counts, or columns of scores."""
    if not has_columns(data):
        raise InputError("true= names a column of a dataframe or file; arrays have none")
    reading = {key: value for key, value in reading.items() if value is not None}
    if "pred" in reading or "score" in reading:
        raise InputError("the systems name their columns: {'A': 'column', 'B': 'other'}")
    columns = _columns(systems)
    own = {"weights": weights, "cluster": cluster}
    if not counted:
        every = [column for found in columns.values() for column in found]
        given = {"true": true, "labels": labels, "systems": len(columns), **own, **reading}
        sought = Sought.of(score=every, **given)
        return ScoreColumns(data, predictions, sought, columns)
    for name, found in columns.items():
        if len(found) != 1:
            raise InputError(f"system {name!r} has one column of predictions; got {found!r}")
    preds = tuple(found[0] for found in columns.values())
    wanted = Wanted(
        one_name(true, "true"),
        preds,
        one_name(weights, "weights"),
        cluster=one_name(cluster, "cluster"),
        joint=True,
    )
    joint = tally_together(*gather(data, predictions, wanted, Grouped(), **reading), labels)
    return replace(joint, systems=tuple(columns))


def name_columns(systems: Any) -> bool:
    """Whether systems are names of columns, and not predictions (a frame may be a matrix)."""
    if not isinstance(systems, Mapping):
        return True
    return all(isinstance(each, (str, list, tuple)) for each in systems.values())


def _columns(systems: Any) -> dict[str, tuple[str, ...]]:
    """The columns of each system; a list names systems that are called like their columns."""
    named = systems if isinstance(systems, Mapping) else {}
    if isinstance(systems, (list, tuple)):
        named = {name: name for name in systems}
        if len(named) < len(systems):
            raise InputError(f"a column of predictions is named twice: {', '.join(systems)}")
    found = {
        str(name): (given,) if isinstance(given, str) else tuple(given)
        for name, given in named.items()
        if isinstance(given, (str, list, tuple))
    }
    texts = all(isinstance(column, str) for each in found.values() for column in each)
    if not found or len(found) < len(systems) or not texts:
        raise InputError(
            "systems are columns of the frame or file: {'A': 'column', 'B': 'other'} or "
            f"['column', 'other']; got {type(systems).__name__}"
        )
    return found
