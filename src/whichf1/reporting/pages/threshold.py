"""A slider over all thresholds: what a page's script needs to move the counts and every rate.

The page holds the whole ranking, so the counts at each threshold are exact, and a program that
``javascript`` writes down computes the rates from them.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any, ClassVar

import numpy as np

from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.words import capital, title
from whichf1.metrics import METRICS
from whichf1.reporting.numbers import items
from whichf1.reporting.pages.javascript import Program
from whichf1.reporting.pictures.marks import names
from whichf1.reporting.pictures.vector import PagePicture, shade_of
from whichf1.scoring.curves import BestThreshold
from whichf1.scoring.decisions import at_threshold
from whichf1.scoring.evaluate import evaluate
from whichf1.tables.cells import Array
from whichf1.tables.ranking import Ranking
from whichf1.tables.records import dataclass

WHOLE = ("accuracy", "error_rate", "cohen_kappa", "mcc", "averaged_f1", "f1_of_averages")
"""Scores of both classes that are shown next to those of the positive one."""


@dataclass(frozen=True)
class Slider:
    """A slider over the thresholds of a ranking; it starts at the best one."""

    kind: ClassVar = "slider"
    best: BestThreshold
    picture: PagePicture | None
    """A score at every threshold, in which the slider marks its position."""

    @property
    def ranking(self) -> Ranking:
        """The items in the order of their scores."""
        return self.best.curve.ranking

    @property
    def labels(self) -> tuple[str, ...]:
        """The two classes, in the order of the matrix."""
        return names(self.ranking.labels)

    @property
    def positive(self) -> str:
        """The class that the scores are for."""
        return names([self.ranking.positive])[0]

    @property
    def matrix(self) -> list[list[tuple[str, int]]]:
        """The counts at the best threshold, each with its shade."""
        counts = at_threshold(self.ranking, threshold=self.best.threshold)
        return [
            [(items(n), shade_of(n / max(sum(row), 1e-300))) for n in row]
            for row in counts.matrix.tolist()
        ]

    @property
    def values(self) -> list[tuple[str, float]]:
        """The scores at the best threshold."""
        counts = at_threshold(self.ranking, threshold=self.best.threshold)
        every = definitions(self.ranking).values()
        return [(capital(_name(each)), evaluate(each, counts).value) for each in every]

    @property
    def data(self) -> dict[str, Any]:
        """The data of the script: the ranking, and a program for the scores."""
        ranking, program = self.ranking, Program(most=2)
        each = {name: program.score(define_fitting(name, {})) for name in definitions(ranking)}
        return {
            "score": packed(ranking.score),
            "positives": packed(ranking.positives),
            "negatives": packed(ranking.negatives),
            "positive": ranking.labels.code(ranking.positive),
            "best": self.best.at,
            "steps": program.steps,
            "values": [*each.values()],
        }


def definitions(ranking: Ranking) -> dict[str, Definition]:
    """Every score that is shown at a threshold: rates of the positive class, then of both."""
    rates = [
        metric.name
        for metric in METRICS.values()
        if metric.kind == "rate" and not metric.parameters
    ]
    of_class = {name: define_fitting(name, {"positive": ranking.positive}) for name in rates}
    return of_class | {name: define_fitting(name, {}) for name in WHOLE}


def _name(definition: Definition) -> str:
    """The name of a score; the positive class is shown elsewhere."""
    one = definition.positive is not None
    return definition.declaration.title if one else title(definition)


def packed(values: Array) -> list[str]:
    """Numbers as the name of an array in a script, and its bytes in base64; nothing is rounded."""
    kind, form = "Float64Array", "<f8"
    if values.dtype.kind in "iu" and values.max(initial=0) < 2**32:
        kind, form = (
            ("Uint8Array", "<u1") if values.max(initial=0) < 256 else ("Uint32Array", "<u4")
        )
    return [kind, b64encode(np.ascontiguousarray(values, form).tobytes()).decode()]
