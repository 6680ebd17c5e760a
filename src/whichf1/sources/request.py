"""Which columns of a table are meant, by name: as they are said, or as they are usually called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whichf1.errors import FileError, InputError, did_you_mean

USUAL_NAMES = (("true", "pred"), ("y_true", "y_pred"), ("gold", "pred"), ("label", "prediction"))
USUAL_TRUE = tuple(dict.fromkeys(true for true, _ in USUAL_NAMES))
USUAL_SCORES = ("score", "y_score", "prob", "probability")


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns are counted."""

    true: str
    preds: tuple[str, ...]
    weights: str | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    joint: bool = False
    """Whether all predictions, and clusters, are the keys of one table."""

    @property
    def together(self) -> tuple[str, ...]:
        """The keys beside slices and truth of one table."""
        return self.preds if self.cluster is None else (*self.preds, self.cluster)

    def keys(self, *preds: str) -> list[str]:
        """The columns that items are grouped by."""
        return [*self.by, self.true, *preds]

    @property
    def used(self) -> list[str]:
        """Every column that is read, once."""
        weights = [] if self.weights is None else [self.weights]
        return [*dict.fromkeys([*self.keys(*self.together), *weights])]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The columns that were asked for; None where the usual names are to be found."""

    true: str | None
    preds: tuple[str, ...] | None
    weights: str | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    joint: bool = False
    scores: bool = False
    """Whether the predictions are scores, which have usual names of their own."""

    def find(self, available: Sequence[str], name: str) -> Columns:
        """The columns of a table that are meant."""
        for column in (self.true, *(self.preds or ()), self.weights, *self.by, self.cluster):
            if column is not None:
                refuse_unknown(column, available, name)
        if len(set(self.by)) < len(self.by):
            raise InputError(f"a column stands twice in by={list(self.by)!r}")
        if self.preds is not None and (len(set(self.preds)) < len(self.preds) or not self.preds):
            raise InputError(f"name each prediction column once; got {list(self.preds)!r}")
        true, preds = self._pair(available, name)
        joint = self.joint or self.cluster is not None
        columns = Columns(true, preds, self.weights, self.by, self.cluster, joint)
        for column in columns.used:
            _refuse_twins(column, available, name)
        return columns

    def _pair(self, available: Sequence[str], name: str) -> tuple[str, tuple[str, ...]]:
        if self.true is not None and self.preds is not None:
            return self.true, self.preds
        pred = self.preds[0] if self.preds else None
        found = {(self.true or left, pred or right) for left, right in self.usual}
        pairs = [pair for pair in found if set(pair) <= set(available)]
        if len(pairs) == 1:
            return pairs[0][0], self.preds or pairs[0][1:]
        why = "several columns could be meant" if pairs else "the columns are not named as usual"
        kind = "score" if self.scores else "pred"
        raise FileError(
            f"{name}: {why}. Its columns: {', '.join(available)}. Name the two: --true COLUMN "
            f"--{kind} COLUMN, or true=..., {kind}=... in Python."
        )

    @property
    def usual(self) -> Sequence[tuple[str, str]]:
        """Pairs of usual names."""
        if not self.scores:
            return USUAL_NAMES
        return [(true, score) for true in USUAL_TRUE for score in USUAL_SCORES]


def one_or_several(names: Any, option: str) -> tuple[str, ...] | None:
    """Names of columns as a tuple, from one name or from several."""
    found = (names,) if isinstance(names, str) else names
    if found is None:
        return None
    if not isinstance(found, (list, tuple)) or not all(isinstance(x, str) for x in found):
        raise InputError(f"{option}= names columns of the frame or file; got {names!r}")
    return tuple(found)


def one_name(name: Any, option: str) -> str | None:
    """The name of a column, or None."""
    if name is not None and not isinstance(name, str):
        raise InputError(
            f"{option}= names a column of the frame or file; got {type(name).__name__}"
        )
    return name


def refuse_unknown(column: str, available: Sequence[str], name: str) -> None:
    """Raise if there is no such column, with those that there are."""
    if column not in available:
        raise FileError(
            f"{name} has no column {column!r}. Its columns: {', '.join(available)}."
            + (f" {hint}" if (hint := did_you_mean(column, available)).startswith("Did") else "")
        )


def _refuse_twins(column: str, available: Sequence[str], name: str) -> None:
    twins = [each for each in available if each.lower() == column.lower()]
    if len(twins) > 1:
        raise FileError(
            f"{name}: column {twins[1]!r} stands twice in the header "
            "(upper and lower case count as the same). Rename one."
        )
