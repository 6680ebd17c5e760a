"""The playground: a page for editing a confusion matrix, on which every score is updated.

Its numbers come from a program that ``javascript`` writes down; its script only shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import Any, NamedTuple

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.words import because, departures, title
from whichf1.metrics import METRICS, Metric
from whichf1.published.dialects import SAME, Dialect, dialects
from whichf1.reporting.pages.javascript import MOST_CLASSES, Program, leaf
from whichf1.reporting.pages.shell import rendered
from whichf1.reporting.pictures.counts import LEVELS, precision_at
from whichf1.scoring.macro import extremal
from whichf1.scoring.properties import properties
from whichf1.tables.counts import Counts

UNDEFINED = (0, 1, "skip", "nan")
SCOPES = ("empty", "one-sided", "no-hits")
CLASS_SETS = ("declared", "observed", "true")
BETAS = (0.5, 2)
"""The F-beta scores that are shown, besides F1."""
COMPARED = (
    "averaged_f1",
    "f1_of_averages",
    "weighted_f1",
    "micro_f1",
    "macro_precision",
    "macro_recall",
    "accuracy",
    "cohen_kappa",
    "mcc",
)
"""The scores whose properties are shown."""
LONGEST_NAME = 200
"""The longest name of a class."""


class Example(NamedTuple):
    """A matrix to start from."""

    name: str
    note: str
    counts: Counts


class Definitions:
    """Definitions whose steps are in one program, each once."""

    def __init__(self) -> None:
        self.program = Program()
        self.entries: dict[str, int] = {}
        """The last step of each, by signature."""

    def add(self, definition: Definition) -> int:
        """The position of a definition among the entries."""
        signature = definition.signature
        if signature not in self.entries:
            self.entries[signature] = self.program.score(definition)
        return [*self.entries].index(signature)

    def row(self, metric: str, parameters: dict[str, Any], **options: Any) -> list[int]:
        """A score under each rule for 0/0, in each scope."""
        base = define(metric, parameters, options)
        every = []
        for undefined, scope in product(UNDEFINED, SCOPES):
            rest: dict[str, Any] = {"undefined": undefined, "scope": scope, "classes": "observed"}
            fitting = {name: value for name, value in rest.items() if name in base.applicable}
            every.append(self.add(replace(base, **fitting)))
        return every


def playground(examples: Sequence[Example]) -> str:
    """The page, which starts with the first of the examples."""
    fields = {
        "title": "Two scores called macro F1: a playground",
        "most": MOST_CLASSES,
        "class_sets": CLASS_SETS,
        "undefined": UNDEFINED,
        "scopes": SCOPES,
    }
    scripts = ("formulas.js", "matrix.js", "drawing.js", "playground.js")
    data = playground_data(examples)
    return rendered(
        "playground.html", fields, styles=["playground.css"], scripts=scripts, data=data
    )


def playground_data(examples: Sequence[Example]) -> dict[str, Any]:
    """Everything that the script needs: programs, names, and matrices to start from."""
    scores = Definitions()
    program = scores.program
    rates = [_rate(scores, *each) for each in _variants("rate")]
    whole = [
        {"title": title(define(metric.name, chosen)), "score": scores.row(metric.name, chosen)}
        for metric, chosen in _variants("agreement")
    ]
    return {
        "most": MOST_CLASSES,
        "longest": LONGEST_NAME,
        "rates": rates,
        "whole": whole,
        "macro": [_macro(scores, undefined) for undefined in (0, 1)],
        "class_sets": {x: program.class_set(_over(x)) for x in CLASS_SETS},
        "dialects": [_dialect(scores, each) for each in dialects.values()],
        "same": SAME,
        "contour": program.add(lambda n: precision_at(leaf("f1"), leaf("recall"))),
        "levels": LEVELS,
        "extremal": [_extremal(n) for n in range(2, MOST_CLASSES + 1)],
        "properties": [_properties(name) for name in COMPARED],
        "examples": [_example(each) for each in examples],
        "scores": [*scores.entries.items()],
        "steps": program.steps,
    }


def _variants(kind: str) -> Iterable[tuple[Metric, dict[str, Any]]]:
    """The metrics of a kind, with the parameters that are shown."""
    for metric in METRICS.values():
        if metric.kind != kind or metric.whole:  # at other class shares, items are not whole
            continue
        if any(parameter.tree for parameter in metric.parameters.values()):
            continue  # a page has no hierarchy
        numbers = [{"beta": beta} for beta in BETAS] if "beta" in metric.parameters else [{}]
        words = [{name: x} for name, p in metric.parameters.items() for x in p.choices]
        for chosen in words or numbers:
            if Program().writes(define(metric.name, chosen)):
                yield metric, chosen


def _rate(scores: Definitions, metric: Metric, chosen: dict[str, Any]) -> dict[str, Any]:
    means = ("macro", "weighted", "micro")
    entry: dict[str, Any] = {
        "title": title(define(metric.name, chosen)),
        "summary": metric.summary,
        "better": metric.better,
        "classes": scores.row(metric.name, chosen),
        "means": [scores.row(metric.name, chosen, average=average) for average in means],
        "titles": [title(define(metric.name, chosen, {"average": average})) for average in means],
    }
    if metric.harmonic:
        options = [{"average": average, "formula": "of-averages"} for average in means[:2]]
        entry["of_averages"] = [scores.row(metric.name, chosen, **each) for each in options]
        entry["of_averages_title"] = title(define(metric.name, chosen, options[0]))
    return entry


def _macro(scores: Definitions, undefined: Any) -> dict[str, Any]:
    """Both macro F1s and the gap, whose pairwise terms are of the same precision and recall."""
    rule = {"undefined": undefined, "classes": "observed"}
    chosen = {
        "averaged": define("averaged_f1", None, rule),
        "of_averages": define("f1_of_averages", None, rule),
        "precision": define("precision", None, rule),
        "recall": define("recall", None, rule),
    }
    at = {name: scores.add(each) for name, each in chosen.items()}
    steps = [scores.entries[each.signature] for each in chosen.values()]
    return {**at, **scores.program.macro_f1(*steps)}


def _over(class_set: Any) -> Definition:
    return define("averaged_f1", None, {"classes": class_set})


_CITED = ("name", "library", "versions", "file", "note")


def _dialect(scores: Definitions, dialect: Dialect) -> dict[str, Any]:
    """A dialect; if it excludes classes by name, also without the exclusion."""
    d = dialect.definition
    entry: dict[str, Any] = {name: getattr(dialect, name) for name in _CITED}
    if d.batch is not None:
        return {
            **entry,
            "absent": "a mean over batches of items, whose order a matrix does not have",
        }
    if d.classes == "range":
        return {**entry, "absent": "it averages over integers, but the classes here are names"}
    variants = [d, replace(d, exclude=())] if d.exclude else [d]
    return {
        **entry,
        "exclude": d.exclude,
        "variants": [
            {
                "signature": each.signature,
                "step": scores.program.score(each),
                "class_set": scores.program.class_set(each),
                "why": because(each),
                "departures": len(departures(each)),
            }
            for each in variants
        ],
    }


def _properties(name: str) -> dict[str, Any]:
    """The properties of a score and, if one fails, the smallest two tables that show it."""
    definition = define(name)
    facts = [asdict(each) for each in properties(definition).values()]
    return {"title": title(definition), "properties": facts}


def _extremal(n: int) -> dict[str, Any]:
    """The matrix of the theorem's proof, which grows in proportion to z."""
    start, one = (extremal(n, z).matrix for z in (0, 1))
    return {"start": start.tolist(), "growth": (one - start).tolist()}


def _example(example: Example) -> dict[str, Any]:
    counts = example.counts
    names = [str(label) for label in counts.labels]
    return {
        "name": example.name,
        "note": example.note,
        "names": names,
        "matrix": counts.matrix.tolist(),
    }
