"""The predictions, sets of labels or scores of systems in columns of a dataframe or file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from whichf1.errors import InputError
from whichf1.joint import Joint
from whichf1.joint_sets import JointSets
from whichf1.sources import has_columns
from whichf1.sources.columns import Wanted, one_name
from whichf1.sources.gathering import gather
from whichf1.sources.label_cells import hold_lists, read_sets, tally_sets
from whichf1.sources.queries import Grouped
from whichf1.sources.score_columns import read_scores
from whichf1.sources.tallies import tally_together

Items = tuple[Any, dict[str, Any], dict[str, Any]]
"""True classes, the scores of each system, and labels, weights and clusters."""


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
    cluster: Any = None,
    true: Any = None,
    **reading: Any,
) -> Joint | JointSets | Items:
    """What systems are compared on: joint counts of classes or sets, or the scores of each item.

    Cells are ``sets`` of labels if the metric is of these, or if they are lists, or if ``sep``
    stands between two labels.
    """
    if not has_columns(data):
        raise InputError("true= and sep= are for columns of a dataframe or file; arrays have none")
    reading = {key: value for key, value in reading.items() if value is not None}
    if "pred" in reading or "score" in reading:
        raise InputError("the systems name their columns: {'A': 'column', 'B': 'other'}")
    columns = _columns(systems)
    options = {"labels": labels, "weights": weights, "cluster": cluster, **reading}
    if not counted:
        if sep is not None:
            raise InputError(
                "sep= (--labels-sep) stands between the labels of a set, and this metric compares "
                "scores: leave it out, or choose a metric such as averaged_f1"
            )
        return _scores(data, predictions, columns, {"true": true, **options})
    bits = isinstance(true, (list, tuple))
    for name, found in columns.items():
        if len(found) != 1 and not bits:
            raise InputError(f"system {name!r} has one column of predictions; got {found!r}")
    joint: Joint | JointSets
    if sets or bits or sep is not None:
        joint = read_sets(data, predictions, true, [*columns.values()], sep=sep, **options)
    else:
        joint = _classes(data, predictions, true, columns, **options)
    return replace(joint, systems=tuple(columns))


def _classes(
    data: Any,
    predictions: Any,
    true: Any,
    columns: dict[str, tuple[str, ...]],
    *,
    labels: Any,
    weights: Any,
    cluster: Any,
    **reading: Any,
) -> Joint | JointSets:
    """One class for each item; or sets of them, where the cells are lists."""
    wanted = Wanted(
        one_name(true, "true"),
        tuple(chain(*columns.values())),
        one_name(weights, "weights"),
        cluster=one_name(cluster, "cluster"),
        joint=True,
    )
    found = gather(data, predictions, wanted, Grouped(), **reading)
    return tally_sets(*found, labels) if hold_lists(*found) else tally_together(*found, labels)


def name_columns(systems: Any) -> bool:
    """Whether systems are names of columns, and not predictions (a frame may be a matrix)."""
    if not isinstance(systems, Mapping):
        return True
    return all(isinstance(each, (str, list, tuple)) for each in systems.values())


def _scores(
    data: Any, predictions: Any, columns: dict[str, tuple[str, ...]], options: dict[str, Any]
) -> Items:
    wanted = [column for found in columns.values() for column in found]
    read = read_scores(data, predictions, score=wanted, systems=True, **options)
    scores, at = {}, 0
    for name, found in columns.items():
        chosen = read.scores[:, at : at + len(found)]
        scores[name] = chosen[:, 0] if len(found) == 1 else chosen
        at += len(found)
    given = {"labels": read.labels, "weights": read.weights, "cluster": read.cluster}
    return read.true, scores, given


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
