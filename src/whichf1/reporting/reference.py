"""The metrics in words: the list, and one metric or signature in full."""

from __future__ import annotations

from contextlib import suppress

from whichf1.definitions import words
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.names import SHORTHANDS
from whichf1.errors import DefinitionError
from whichf1.metrics import EVERY, Metric, find
from whichf1.metrics.registry import KINDS
from whichf1.reporting.document import Document, Grid, GridColumn
from whichf1.scoring.properties import properties

COLUMNS = (
    GridColumn("name"),
    GridColumn("other names", "prose"),
    GridColumn("bounds"),
    GridColumn("better"),
    GridColumn("meaning", "prose"),
)
HEAD = tuple(column.name for column in COLUMNS)
KEYS = tuple(name.replace(" ", "_") for name in HEAD)


def metric_list() -> Document:
    """A line for each metric, then for each shorthand."""
    ordered = sorted(EVERY.values(), key=lambda metric: KINDS.index(metric.kind))
    rows = [
        [x.name + _parameters(x), ", ".join(x.aliases), _bounds(x), x.better, x.summary]
        for x in ordered
    ]
    for name, short in SHORTHANDS.items():
        metric, text = find(short.metric), f"{short.summary} Short for {define(name).signature}"
        rows.append([name, "", _bounds(metric), metric.better, text])
    return Document(
        [Grid(COLUMNS, rows)],
        lambda: {"rows": [dict(zip(KEYS, row, strict=True)) for row in rows]},
        lambda: [HEAD, *rows],
        kind="metrics",
    )


def definition_document(text: str) -> Document:
    """Formula, meaning, bounds, 0/0 rule, other names, and a sentence to paste."""
    definition = Definition.parse(text)
    metric = definition.declaration
    better = "" if metric.better == "neither" else f", {metric.better} is better"
    name = words.title(definition)
    facts = {
        "meaning": words.meaning(definition),
        "formula": words.formula(definition),
        "bounds": f"{_bounds(metric)}{better}",
        "0/0": words.zero_rule(definition),
        "other names": ", ".join(x for x in words.other_names(definition) if x != name) or "–",
        "parameters": _parameters(metric).strip("()") or "–",
        "in scikit-learn": words.in_sklearn(definition) or "–",
        "signature": definition.signature,
        "to paste": words.sentence(definition),
    }
    with suppress(DefinitionError):  # of a score that is not of any table of classes
        facts |= {name: str(each) for name, each in properties(definition).items()}
    columns = (GridColumn("name"), GridColumn(name, "prose"))
    return Document([Grid(columns, [*facts.items()])])


def _parameters(metric: Metric) -> str:
    inside = ", ".join(
        f"{name}={'|'.join(p.choices) if p.choices else p.default}"
        for name, p in metric.parameters.items()
    )
    return f"({inside})" if inside else ""


def _bounds(metric: Metric) -> str:
    low, high = metric.bounds
    return f"[{low:g}, {'∞)' if high == float('inf') else f'{high:g}]'}"
