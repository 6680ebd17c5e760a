"""What a reproduction gives: the data of a figure, and its numbers beside the paper's own."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from whichf1.definitions.definition import Definition, define
from whichf1.paper.simulation import AVERAGED, OF_AVERAGES
from whichf1.report.escape import csv_cell
from whichf1.tables.cells import Array
from whichf1.tables.labels import Label, Labels

Quantity: TypeAlias = Literal[
    "averaged F1",
    "F1 of averages",
    "gap",
    "both",
    "macro precision",
    "macro recall",
    "precision",
    "recall",
]

DEFINITIONS: dict[str, tuple[Definition, ...]] = {
    "averaged F1": (AVERAGED,),
    "F1 of averages": (OF_AVERAGES,),
    "gap": (OF_AVERAGES, AVERAGED),
    "both": (OF_AVERAGES, AVERAGED),
    "macro precision": (define("macro_precision"),),
    "macro recall": (define("macro_recall"),),
    "precision": (define("precision"),),
    "recall": (define("recall"),),
}
"""The scores behind each quantity; a gap is the first minus the second."""


@dataclass(frozen=True)
class Fact:
    """One number, what it is, and what the paper prints for it."""

    key: str
    """Its name within the figure, for the text of the page."""
    what: str
    here: float
    of: Quantity
    items: int | str
    """How many items each table has, or 'any'."""
    classes: int | None
    """How many classes; None for any number."""
    paper: str | None = None
    """None where the paper gives no number."""
    decimals: int = 3
    unit: str = ""
    spread: float | None = None
    """Standard deviation of the number over repetitions of the whole experiment."""
    labels: tuple[Label, ...] | None = None
    """The classes, where they are not 0, 1, 2, …"""

    @property
    def shown(self) -> str:
        """The number as it is printed."""
        numbers = (self.here,) if self.spread is None else (self.here, self.spread)
        return " ± ".join(f"{x:,.{self.decimals}f}" for x in numbers) + self.unit

    @property
    def data(self) -> str:
        """What the score was computed on: it completes the signature of its definition."""
        if self.classes is None:
            return f"n:{self.items}|k:any"
        labels = Labels(self.labels or range(self.classes))
        return f"n:{self.items}|k:{self.classes}|labels:{labels.digest}"

    @property
    def signature(self) -> str:
        """The signature of the score, or of both, the first minus the second where it is a gap."""
        return _joined(self.of, lambda each: f"{each.signature}|{self.data}")

    def record(self) -> dict[str, Any]:
        """The fact as JSON."""
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
    scores: Mapping[str, Quantity]
    """Which columns are scores, and of what."""
    parameters: Mapping[str, Any]
    facts: tuple[Fact, ...]
    seed: int | None = None
    """None where nothing is random."""
    text: str = ""
    """Lines to show as they are."""

    def where(self, **values: object) -> dict[str, Array]:
        """The rows that have these values."""
        keep = np.ones(len(next(iter(self.columns.values()))), bool)
        for name, value in values.items():
            keep &= self.columns[name] == value
        return {name: column[keep] for name, column in self.columns.items()}

    def fact(self, key: str) -> Fact:
        """The fact of that name."""
        return next(fact for fact in self.facts if fact.key == key)

    def heading(self, column: str) -> str:
        """The head of a CSV column: the name and, for a score, the signature of its definition."""
        if column not in self.scores:
            return column
        return f"{column} [{_joined(self.scores[column], lambda each: each.signature)}]"

    def csv(self) -> str:
        """The columns as CSV, scores under their signatures."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([csv_cell(self.heading(name)) for name in self.columns])
        cells = [[_short(x) for x in column.tolist()] for column in self.columns.values()]
        writer.writerows(zip(*cells, strict=True))
        return out.getvalue()

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


def _joined(of: Quantity, write: Callable[[Definition], str]) -> str:
    return (" - " if of == "gap" else " and ").join(write(each) for each in DEFINITIONS[of])


def _short(value: object) -> object:
    return f"{value:.9g}" if isinstance(value, float) else csv_cell(value)
