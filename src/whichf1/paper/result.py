"""The result of a reproduction: the data of a figure, and its numbers next to the paper's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition, define
from whichf1.paper.simulation import ALL, AVERAGED, OF_AVERAGES
from whichf1.reporting.escape import csv_cell, csv_text
from whichf1.tables.cells import Array
from whichf1.tables.labels import Label, Labels
from whichf1.tables.records import dataclass

SINGLE = ("averaged F1", "F1 of averages", "macro precision", "macro recall", "precision", "recall")
DEFINITIONS: dict[str, tuple[Definition, ...]] = {
    **{of: (define(of.lower().replace(" ", "_"), None, ALL),) for of in SINGLE},
    **dict.fromkeys(("gap", "both"), (OF_AVERAGES, AVERAGED)),
}
"""The scores behind each quantity; a gap is the first minus the second."""
GAPS = (
    "gap", "mean_gap", "standard_deviation_of_gap", "supremum", "contribution",
    "term_a_a", "term_a_b", "term_b_a", "term_b_b",
)  # fmt: skip
SCORES: dict[str, str] = {
    **{of.lower().replace(" ", "_"): of for of in SINGLE},
    **dict.fromkeys(GAPS, "gap"),
    **dict.fromkeys(("share_ranked_differently", "standard_error"), "both"),
}
"""The columns of figures that are scores, and of which quantity."""


@dataclass(frozen=True)
class Fact:
    """One number, what it is, and what the paper prints for it."""

    key: str
    """The name by which the page refers to it."""
    what: str
    here: float
    of: str
    """The quantity: a key of ``DEFINITIONS``."""
    items: int | str
    """Items per table, or 'any'."""
    classes: int | None
    """Number of classes; None means any."""
    paper: str | None = None
    """What the paper prints, if anything."""
    decimals: int = 3
    unit: str = ""
    spread: float | None = None
    """Standard deviation over repetitions of the whole experiment."""
    labels: tuple[Label, ...] | None = None
    """The classes, if they are not 0, 1, 2, …"""

    @property
    def shown(self) -> str:
        """The number as printed."""
        numbers = (self.here,) if self.spread is None else (self.here, self.spread)
        return " ± ".join(f"{x:,.{self.decimals}f}" for x in numbers) + self.unit

    @property
    def data(self) -> str:
        """The data fields that complete the signature of its definition."""
        if self.classes is None:
            return f"n:{self.items}|k:any"
        labels = Labels(self.labels or range(self.classes))
        return f"n:{self.items}|k:{self.classes}|labels:{labels.digest}"

    @property
    def signature(self) -> str:
        """The signature of the score, or of both; for a gap, of the first minus the second."""
        return _joined(self.of, lambda each: f"{each.signature}|{self.data}")

    def record(self) -> dict[str, Any]:
        """The fact as a JSON object."""
        return {
            "what": self.what,
            "paper": self.paper,
            "here": self.here,
            "standard deviation over repetitions": self.spread,
            "unit": self.unit.strip() or None,
            "signature": self.signature,
        }


@dataclass(frozen=True, eq=False)
class Figure:
    """The data of one figure as a tidy table, and everything needed to compute it again."""

    name: str
    title: str
    columns: Mapping[str, Array]
    """Columns of equal length; the picture is drawn from them alone."""
    parameters: Mapping[str, Any]
    facts: Sequence[Fact]
    seed: int | None = None
    """None if nothing is random."""
    text: str = ""
    """Lines to print verbatim."""

    def where(self, **values: object) -> dict[str, Array]:
        """The rows with these values."""
        keep = np.ones(len(next(iter(self.columns.values()))), bool)
        for name, value in values.items():
            keep &= self.columns[name] == value
        return {name: column[keep] for name, column in self.columns.items()}

    def fact(self, key: str) -> Fact:
        """The fact with this key."""
        return next(fact for fact in self.facts if fact.key == key)

    def heading(self, column: str) -> str:
        """The header of a CSV column: its name and, for a score, the signature."""
        if column not in SCORES:
            return column
        return f"{column} [{_joined(SCORES[column], lambda each: each.signature)}]"

    def csv(self) -> str:
        """The columns as CSV, with signatures in the header."""
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        return csv_text([map(self.heading, self.columns), *rows], _short)

    def json(self) -> str:
        """Parameters, seed, signatures and facts."""
        record = {
            "figure": self.name,
            "title": self.title,
            "seed": self.seed,
            "parameters": dict(self.parameters),
            "columns": {name: self.heading(name) for name in self.columns},
            "facts": {fact.key: fact.record() for fact in self.facts},
        }
        return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def tidy(names: str, parts: Iterable[Sequence[Any]]) -> dict[str, Array]:
    """Columns with these names, from rows of numbers or from parts of columns."""
    return dict(zip(names.split(), map(np.hstack, zip(*parts, strict=True)), strict=True))


def _joined(of: str, write: Callable[[Definition], str]) -> str:
    return (" - " if of == "gap" else " and ").join(write(each) for each in DEFINITIONS[of])


def _short(value: object) -> object:
    return f"{value:.9g}" if isinstance(value, float) else csv_cell(value)
