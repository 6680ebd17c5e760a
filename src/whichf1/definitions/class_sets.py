"""Class sets: which classes a definition averages over, given some counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import DefinitionError, LabelError
from whichf1.tables.cells import Array, Table, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Label, Labels


class Frozen(NamedTuple):
    """Counts prepared for a definition: the class set stays the same when they are resampled."""

    table: Table
    classes: Array
    """The codes of the classes to average over."""
    labels: Labels
    """The labels of those classes."""


def without(counts: Counts, ignore: tuple[Label, ...]) -> Counts:
    """The counts without the items whose true class is one of these."""
    if not ignore:
        return counts
    if not isinstance(counts, Counts):
        raise DefinitionError(
            "ignore= drops items by their true class, but these items have sets of labels. "
            "Use exclude= to leave labels out of an average."
        )
    keep = ~np.isin(counts.true, counts.labels.codes(ignore))
    return Counts(
        counts.labels,
        counts.true[keep],
        counts.predicted[keep],
        counts.count[keep],
        declared=counts.declared,
        decision=counts.decision,
        squares=None if counts.squares is None else counts.squares[keep],
    )


def fix_classes(
    counts: Counts, classes: Any, exclude: tuple[Label, ...], two_classes: str
) -> Frozen:
    """Determine the classes to average over."""
    if classes == "range":
        counts, chosen = over_range(counts)
    else:
        chosen = codes_of(counts, classes)
    if two_classes != "both" and len(chosen) == 2:
        chosen = chosen[:1] if two_classes == "first" else chosen[1:]
    if exclude:
        chosen = np.setdiff1d(chosen, counts.labels.codes(exclude), assume_unique=True)
    if not len(chosen):
        why = "exclude= names all of them" if exclude else "declare classes with labels="
        raise DefinitionError(f"there are no classes to average over: {why}")
    everything = len(chosen) == len(counts.labels)
    labels = counts.labels if everything else pick(counts.labels, chosen)
    return Frozen(counts.table, chosen, labels)


def codes_of(counts: Counts, classes: Any) -> Array:
    """The codes of the classes in a class set."""
    if classes == "declared":
        return every_class(len(counts.labels))
    if classes == "observed":
        return np.flatnonzero(counts.table.rows + counts.table.columns)
    if classes == "true":
        return np.flatnonzero(counts.table.rows)
    return counts.labels.codes(classes)


def over_range(counts: Counts) -> tuple[Counts, Array]:
    """All integers from 0 to the largest observed label, whether they occur or not."""
    observed = [counts.labels[code] for code in codes_of(counts, "observed")]
    if counts.labels.kind != "int" or min(observed) < 0:
        raise LabelError("classes='range' needs labels that are integers of at least 0")
    wanted = range(max(observed) + 1)
    missing = [label for label in wanted if label not in counts.labels]
    wider = counts.declare([*counts.labels, *missing]) if missing else counts
    return wider, wider.labels.codes(wanted)


def pick(labels: Labels, codes: Array) -> Labels:
    """The labels with these codes."""
    return Labels.trusted(labels[code] for code in codes)
