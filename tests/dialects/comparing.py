"""Whether a dialect agrees with the library that it was read from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import whichf1 as wf
from tests.dialects.cases import Case
from tests.dialects.libraries import LIBRARIES


@dataclass(frozen=True)
class Agreement:
    """The largest difference between a dialect and its library."""

    compared: int
    largest: float
    """The largest difference; infinite where one is NaN and the other is not."""
    tolerance: float
    worst: str
    """The case of the largest difference, in words."""

    @property
    def holds(self) -> bool:
        return self.largest <= self.tolerance


def compare(name: str, cases: list[Case], values: list[float]) -> Agreement:
    """The dialect of a library against the numbers that the library printed."""
    library = LIBRARIES[name]
    largest, worst, compared = 0.0, "", 0
    for case, value in zip(cases, values, strict=False):
        if library.outside(case):
            continue
        mine = ours(name, case)
        compared += 1
        both = math.isnan(mine) and math.isnan(value)
        apart = 0.0 if both else abs(mine - value)
        apart = math.inf if math.isnan(apart) else apart
        if apart > largest:
            largest, worst = apart, f"{name} prints {value} and the dialect gives {mine} on {case}"
    default = 1e-5 if library.float32 else 1e-6
    return Agreement(compared, largest, library.tolerance or default, worst)


def ours(name: str, case: Case) -> float:
    """The dialect's value; classes as the library gets them."""
    library = LIBRARIES[name]
    labels: list[Any] = list(range(case["k"]))
    if library.background:
        labels = ["O", *(f"c{label}" for label in labels[1:])]
    if name == "mxnet":  # two classes: 1 and the rest
        labels = [int(label == 1) for label in labels]
    true, pred = ([labels[x] for x in case[side]] for side in ("true", "pred"))
    dialect = wf.dialects[library.dialect]
    return float(dialect(true, pred, labels=sorted(set(labels)), **library.options))
