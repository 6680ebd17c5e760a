"""Columns of scores as they are asked for, and the classes that they are of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whichf1.errors import InputError, LabelError
from whichf1.sources.request import Wanted, one_name, one_or_several
from whichf1.tables.labels import Label, from_text


@dataclass(frozen=True, slots=True)
class Sought:
    """Columns of scores as they were asked for."""

    true: str | None
    columns: tuple[str, ...] | None
    weights: str | None
    cluster: str | None
    labels: Any
    systems: int
    """How many systems the columns are of; 0: the columns are named like classes, or one."""
    by: tuple[str, ...]
    """The columns whose values make slices."""
    reading: dict[str, Any]

    @classmethod
    def of(
        cls,
        *,
        score: Any = None,
        true: Any = None,
        weights: Any = None,
        cluster: Any = None,
        labels: Any = None,
        systems: int = 0,
        by: Any = (),
        **reading: Any,
    ) -> Sought:
        """From the options of a function."""
        if isinstance(score, Mapping):
            if labels is not None:
                raise InputError("score= names a column for each class: leave labels= out")
            labels, score = list(score), list(score.values())
        columns = one_or_several(score, "score")
        if not systems:
            refuse_other_order(columns, labels)
        return cls(
            one_name(true, "true"),
            columns,
            one_name(weights, "weights"),
            one_name(cluster, "cluster"),
            labels,
            systems,
            one_or_several(by, "by") or (),
            {key: value for key, value in reading.items() if value is not None},
        )

    @property
    def several(self) -> bool:
        """Whether there is a column for each class."""
        return not self.systems and self.columns is not None and len(self.columns) > 1

    @property
    def wanted(self) -> Wanted:
        """The columns."""
        own = {"weights": self.weights, "cluster": self.cluster, "by": self.by, "scores": True}
        return Wanted(self.true, self.columns, **own)  # type: ignore[arg-type]


def refuse_other_order(
    columns: Sequence[str] | None,
    labels: Any,
    mend: str = "Leave labels= out, or give score={class: column}.",
) -> None:
    """Raise where columns are named like the classes, and in another order."""
    names = None if labels is None else [str(label) for label in labels]
    if columns is None or names is None or [*columns] == names:
        return
    if len(columns) > 1 and sorted(columns) == sorted(names):
        raise InputError(
            f"the columns {', '.join(columns)} are named like the classes, which are in another "
            f"order: {', '.join(names)}. {mend}"
        )


def classes_of_columns(columns: Sequence[str], true: Any) -> list[Label]:
    """The classes that columns of scores are named after."""
    observed = set(np.unique(true).tolist() if isinstance(true, np.ndarray) else true)
    readings: tuple[list[Label], ...] = ([*from_text(columns)], [*columns])
    for names in readings:
        if all(any(x == y and type(x) is type(y) for y in names) for x in observed):
            return names
    raise LabelError(
        f"which class is each of the columns {', '.join(columns)} of? Give labels= in their order, "
        f"or score={{class: column}}. The classes: {sorted(observed)[:20]!r}"
    )
