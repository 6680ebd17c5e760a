"""Batches in training loops: logits, probabilities or classes, and target classes.

Arrays of NumPy, torch, JAX and CuPy share the few methods used here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whichf1.errors import InputError, LabelError, ShapeError
from whichf1.tables.counts import refuse_dense
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass


@dataclass(frozen=True)
class Reader:
    """How batches are read: which classes there are, and how scores become classes."""

    labels: Labels
    """The class that each number stands for."""
    ignore: tuple[int, ...] = ()
    """Targets whose items are dropped."""
    threshold: float | None = None
    """Above it, the second of two classes is predicted; None: 0.5, or 0 for logits."""
    axis: int = 1
    """The axis of a batch of scores that has the classes."""
    logits: bool = False
    """Whether single scores are logits, if there is no threshold."""

    @classmethod
    def of(
        cls,
        num_classes: int | None,
        labels: Sequence[Any] | None,
        ignore_index: int | Sequence[int] | None,
        threshold: float | None = None,
        axis: int = 1,
        logits: bool = False,
    ) -> Reader:
        """The reader that these options of a metric describe."""
        whole = isinstance(num_classes, int) and not isinstance(num_classes, bool)
        if num_classes is not None and not (whole and num_classes >= 2):
            raise InputError(
                f"num_classes must be a whole number of at least 2; got {num_classes!r}"
            )
        if num_classes is None and labels is None:
            raise InputError("which classes are there? Pass num_classes=, or labels= with names")
        names = Labels(range(num_classes or 0) if labels is None else labels)
        if num_classes is not None and len(names) != num_classes:
            raise ShapeError(f"num_classes={num_classes}, but labels= has {len(names)} names")
        if len(names) < 2:
            raise InputError(f"a classifier needs at least 2 classes; got {[*names]!r}")
        refuse_dense(8 * len(names) ** 2, f"the table of {len(names):,} × {len(names):,} classes")
        number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
        if threshold is not None and not (number and threshold == threshold):
            raise InputError(f"threshold must be a number; got {threshold!r}")
        ignored = () if ignore_index is None else ignore_index
        ignored = (ignored,) if isinstance(ignored, int) else tuple(ignored)
        wrong = [x for x in ignored if isinstance(x, bool) or not isinstance(x, int)]
        if wrong:
            raise InputError(f"ignore_index must be whole numbers; got {wrong[0]!r}")
        limit = None if threshold is None else float(threshold)
        return cls(names, ignored, limit, axis, bool(logits))

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    def decided(self, preds: Any, target: Any) -> tuple[Any, Any]:
        """Target and predicted class of each item, flat; NaN and a wrong shape are refused."""
        true = self._targets(target)
        if not is_floating(preds):
            if tuple(preds.shape) != tuple(target.shape):
                raise ShapeError(
                    f"preds are classes of shape {tuple(preds.shape)}, target has shape "
                    f"{tuple(target.shape)}: pass a class for each target, or scores of "
                    f"{self.classes} classes as floats"
                )
            return true, preds.reshape(-1)
        if tuple(preds.shape) == tuple(target.shape):
            return true, self._above(preds.reshape(-1), true)
        self._check_width(preds, target)
        if self.threshold is not None:
            raise InputError(
                f"threshold= is for one score per target, but preds have {self.classes}: pass "
                f"those "
                "of the second class alone, or drop threshold="
            )
        best = preds.argmax(self.axis)
        if isinstance(preds, np.ndarray) and preds.ndim == 2:
            top = preds[np.arange(len(preds)), best]  # which is NaN, if any score is
            missing = top != top
        else:
            missing = (preds != preds).any(self.axis)
        self._refuse_missing(missing.reshape(-1), true)
        return true, best.reshape(-1)

    def scored(self, preds: Any, target: Any, metric: str) -> tuple[Any, Any]:
        """Target and scores of each item, (n,) or (n, classes), without the ignored ones."""
        true = self._targets(target)
        if not is_floating(preds):
            raise InputError(
                f"{metric} is computed from scores, but preds are classes: pass probabilities or "
                "logits as floats"
            )
        if tuple(preds.shape) == tuple(target.shape):
            self._refuse_several()
            rows = preds.reshape(-1)
        else:
            self._check_width(preds, target)
            rows = preds.reshape(preds.shape[0], self.classes, -1) if self.axis == 1 else preds
            rows = rows.swapaxes(1, 2) if self.axis == 1 else rows
            rows = rows.reshape(-1, self.classes)
        kept = self.kept(true)
        if not bool(kept.all()):
            true, rows = true[kept], rows[kept]
        infinite = (rows - rows) != 0  # also for NaN
        if bool(infinite.any()):
            at = next(i for i, row in enumerate(infinite) if bool(row.any()))
            raise InputError(f"a score of item {at} is {rows[at].tolist()}: scores must be finite")
        self.check(true, "target")
        return true, rows

    def kept(self, true: Any) -> Any:
        """Which items are not ignored."""
        kept = true == true  # all of them
        for label in self.ignore:
            kept = kept & (true != label)
        return kept

    def check(self, codes: Any, name: str) -> None:
        """Raise at the first class that is not one of the classes."""
        outside = (codes < 0) | (codes >= self.classes)
        if bool(outside.any()):
            at = next(i for i, wrong in enumerate(outside.tolist()) if wrong)
            hint = "" if name == "preds" else " Drop padding with ignore_index=."
            raise LabelError(
                f"{name}[{at}] is class {int(codes[at])}, but there are {self.classes} classes, "
                f"0 to {self.classes - 1}.{hint}"
            )

    def _targets(self, target: Any) -> Any:
        if is_floating(target):
            raise LabelError(f"target has dtype {target.dtype}: pass the true classes as integers")
        return target.reshape(-1)

    def _above(self, scores: Any, true: Any) -> Any:
        """The second class where its score is above the threshold."""
        self._refuse_several()
        self._refuse_missing(scores != scores, true)
        limit = self.threshold
        if limit is None:
            limit = 0.0 if self.logits else 0.5
        if self.threshold is None and not self.logits:
            outside = ((scores < 0) | (scores > 1)) & self.kept(true)
            if bool(outside.any()):
                at = next(i for i, wrong in enumerate(outside.tolist()) if wrong)
                raise InputError(
                    f"preds[{at}] is {float(scores[at])}, which is not a probability. "
                    "Pass threshold=0.0 for logits, or apply a sigmoid."
                )
        return true - true + (scores > limit)

    def _refuse_several(self) -> None:
        if self.classes != 2:
            raise ShapeError(
                f"preds have one score for each target, but there are {self.classes} classes: pass "
                "a score for each class"
            )

    def _check_width(self, preds: Any, target: Any) -> None:
        shape, wanted = [*preds.shape], [*target.shape]
        wanted.insert(1 if self.axis == 1 else len(wanted), self.classes)
        if shape != wanted:
            raise ShapeError(
                f"preds have shape {tuple(shape)}; for target of shape {tuple(target.shape)} and "
                f"{self.classes} classes, pass scores of shape {tuple(wanted)}, or classes as "
                "integers"
            )

    def _refuse_missing(self, missing: Any, true: Any) -> None:
        if bool(missing.any()) and bool((missing & self.kept(true)).any()):
            missing = missing & self.kept(true)
            at = next(i for i, wrong in enumerate(missing.tolist()) if wrong)
            raise InputError(f"a score of item {at} is NaN")


def is_floating(data: Any) -> bool:
    """Whether an array has floats of any width."""
    kind = getattr(data.dtype, "kind", "V")
    return "float" in str(data.dtype) if kind == "V" else bool(kind == "f")
