"""The metrics in words: the list, and one metric or signature in full."""

from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import Any

from whichf1.comparison.disparity import CRITERIA
from whichf1.definitions import words
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.names import SHORTHANDS
from whichf1.definitions.words import capital
from whichf1.errors import DefinitionError
from whichf1.metrics import EVERY, Metric, find
from whichf1.metrics.registry import KINDS, plain_name
from whichf1.reporting.document import Block, Cell, Document, Grid, GridColumn, Note, Rows
from whichf1.scoring.choose import REASONS, Candidate, Choice, name_of
from whichf1.scoring.properties import FIXED, properties

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
    if plain_name(text) in CRITERIA:
        return _criterion_document(plain_name(text))
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
    with suppress(DefinitionError):  # the score is not computed from any table of classes
        facts |= {name: str(each) for name, each in properties(definition).items()}
    columns = (GridColumn("name"), GridColumn(name, "prose"))
    return Document([Grid(columns, [*facts.items()])])


def _criterion_document(name: str) -> Document:
    """A criterion of fairness, which compares scores between groups."""
    criterion = CRITERIA[name]
    facts = {
        "meaning": criterion.meaning,
        "compares": ", ".join(criterion.metrics),
        "use": f"whichf1 groups FILE --by COLUMN -m {name}",
        "source": "Verma and Rubin 2018, doi:10.1145/3194770.3194776",
    }
    columns = (GridColumn("name"), GridColumn(name.replace("_", " "), "prose"))
    return Document([Grid(columns, [*facts.items()])])


def choice_document(choice: Choice) -> Document:
    """The scores that have the wanted properties, why these matter, and near misses."""
    fixed = [name for name in FIXED if name in choice.wanted]
    heads = [GridColumn("score"), *(GridColumn(name, "prose") for name in fixed)]
    rows: list[list[Cell]] = [
        [name, *(str(each).partition(" (")[0] for each in x.properties if each.name in fixed)]
        for name, x in zip(choice.names, choice.fitting, strict=True)
    ]
    blocks: list[Block] = [Grid(heads, rows, "Scores that have all of them")]
    if not rows:
        blocks = [Note("No score has all of them.")]
    if choice.nearly:
        columns = (GridColumn("score"), GridColumn("lacks"), GridColumn("shown by", "prose"))
        near = [
            [name_of(x.definition), each.name, str(each).removeprefix("no: ")]
            for x in choice.nearly
            for each in x.lacking
        ]
        blocks.append(Grid(columns, near, "Scores that lack one of them", most=MOST_NEARLY))
    reasons = [(name, REASONS[name]) for name in choice.wanted]
    *others, last = choice.wanted
    wanted = f"{', '.join(others)} and {last}" if others else last
    notes = [f"{capital(name)}: {x.why} ({x.source})." for name, x in reasons]
    notes.append("A 'no' is certain; a 'yes' holds on every small table: see docs/properties.md.")
    return Document(
        blocks,
        lambda: {
            "wanted": [{"property": name, **x._asdict()} for name, x in reasons],
            "fitting": [_candidate(x) for x in choice.fitting],
            "nearly": [_candidate(x) for x in choice.nearly],
        },
        lambda: _choice_rows(choice),
        f"Scores that are {wanted}",
        notes,
        "choice",
    )


MOST_NEARLY = 12
"""How many scores that lack one property are shown in text."""


def _candidate(candidate: Candidate) -> dict[str, Any]:
    lacking = [
        {
            "property": each.name,
            "before": each.before,
            "after": each.after,
            "values": each.scores and [*each.scores],
        }
        for each in candidate.lacking
    ]
    definition = candidate.definition
    record = {"name": name_of(definition), "signature": definition.signature, "lacking": lacking}
    always = [each.value for each in candidate.properties if each.value is not None]
    guessing = [{"classes": k, "value": x} for value in always for k, x in value.items()]
    return {**record, "guessing": guessing}


def _choice_rows(choice: Choice) -> Rows:
    yield ["name", "lacks", "shown_by", "signature"]
    for each in (*choice.fitting, *choice.nearly):
        lacking = each.lacking[0] if each.lacking else None
        shown = "" if lacking is None else str(lacking).removeprefix("no: ")
        name = "" if lacking is None else lacking.name
        yield [name_of(each.definition), name, shown, each.definition.signature]


def _parameters(metric: Metric) -> str:
    inside = ", ".join(
        f"{name}={'|'.join(p.choices) if p.choices else p.default}"
        for name, p in metric.parameters.items()
    )
    return f"({inside})" if inside else ""


def _bounds(metric: Metric) -> str:
    low, high = metric.bounds
    start, end = f"[{low:g}", f"{high:g}]"
    return f"{'(−∞' if low == -inf else start}, {'∞)' if high == inf else end}"
