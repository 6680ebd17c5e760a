"""The paper's matrices, as examples to start from."""

from __future__ import annotations

from whichf1.paper.beyond import COUNTEREXAMPLE, EXAMPLE
from whichf1.paper.figures import LABELS, MATRICES
from whichf1.reporting.pages.playground import Example
from whichf1.scoring.macro import extremal
from whichf1.tables.counts import Counts

NOTES = {
    1: "Both classes have a recall of 0.5; the formulas nearly agree.",
    2: "The first class is rarely predicted, and the formulas disagree.",
    3: "The largest gap in the paper: 0.505 by one formula, 0.0196 by the other.",
    4: "Errors on both sides: the same precision and recall in each class, and no gap.",
}
"""What to see in each of the paper's tables."""


def examples() -> list[Example]:
    """Four classes, tables 1–4, the extremal family, and a gap of 0 that should not be."""
    tables = [
        Example(f"Table {number}", f"{NOTES[number]}", _counts(MATRICES[number], LABELS))
        for number in MATRICES
    ]
    return [
        Example(
            "Four classes",
            "The first class is mostly found; the last two are predicted too often.",
            Counts.from_matrix(EXAMPLE, rows="true", labels=list("abcd")),
        ),
        *tables,
        Example(
            "Extremal family",
            "The matrices of the theorem's proof: as z grows, the gap tends to its least upper "
            "bound.",
            extremal(2, 100),
        ),
        Example(
            "Counterexample",
            "The gap is 0, although precision and recall differ in every class with a hit: the "
            "theorem's second part needs a hit in every class.",
            _counts(COUNTEREXAMPLE, "abc"),
        ),
    ]


def _counts(matrix: tuple[tuple[int, ...], ...], labels: str | tuple[str, ...]) -> Counts:
    return Counts.from_matrix(matrix, rows="predicted", labels=list(labels))
