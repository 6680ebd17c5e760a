"""Class sets: which classes a definition averages over, given some counts."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import DefinitionError, LabelError
from whichf1.tables.cells import Array, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Label, Labels

AnyCounts: TypeAlias = Counts | MultiLabelCounts


class Frozen(NamedTuple):
    """Counts prepared for a definition: the class set stays the same when they are resampled."""

    table: Any
    """The cells of class counts, or the lines of label sets."""
    classes: Array
    """The codes of the classes to average over."""
    labels: Labels
    """Those classes."""
    units: Any = None
    """The counts themselves, with weights and clusters; None for a table by itself."""


def fix_classes(
    counts: AnyCounts, classes: Any, exclude: tuple[Label, ...], two_classes: str
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
    labels = counts.labels
    if len(chosen) < len(labels):
        labels = Labels.trusted(labels[code] for code in chosen)
    return Frozen(counts.table, chosen, labels, counts)


def codes_of(counts: AnyCounts, classes: Any) -> Array:
    """Codes of the classes of a class set."""
    if classes == "declared":
        return every_class(len(counts.labels))
    if classes == "observed":
        return np.flatnonzero(counts.table.rows + counts.table.columns)
    if classes == "true":
        return np.flatnonzero(counts.table.rows)
    return counts.labels.codes(classes)


def over_range(counts: AnyCounts) -> tuple[AnyCounts, Array]:
    """Every integer from 0 to the largest observed label, whether it occurs or not."""
    observed = [counts.labels[code] for code in codes_of(counts, "observed")]
    if counts.labels.kind != "int" or min(observed) < 0:
        raise LabelError("classes='range' needs labels that are integers of at least 0")
    wanted = range(max(observed) + 1)
    missing = [label for label in wanted if label not in counts.labels]
    wider = counts.declare([*counts.labels, *missing]) if missing else counts
    return wider, wider.labels.codes(wanted)
