"""The report of ``whichf1 groups``: the score of each group, and how groups differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from whichf1.comparison.disparity import Disparity, Groups, GroupScores
from whichf1.definitions.words import capital, identifier, title
from whichf1.errors import numbered
from whichf1.reporting.document import (
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Rows,
)
from whichf1.reporting.numbers import items, p_number, size
from whichf1.reporting.score import SCORE_COLUMNS, interval_cells, score_cells
from whichf1.reporting.slices import plain_key, slice_name
from whichf1.scoring.score import Score
from whichf1.tables.slices import Key

WORDS = {
    "difference": "largest difference",
    "ratio": "smallest ratio",
    "worst": "worst group",
    "best": "best group",
    "variance": "variance between groups",
}
SCORED = (
    GridColumn("items", "number", items),
    GridColumn("value", "number"),
    GridColumn("interval", "interval"),
    GridColumn("signature", "code"),
)
ACROSS = (
    GridColumn("across groups"),
    GridColumn("value", "number"),
    GridColumn("interval", "interval"),
    GridColumn("groups"),
    GridColumn("signature", "code"),
)


def groups_document(source: str, compared: Sequence[Groups]) -> Document:
    """The scores of groups by each metric, worst first, and how they differ."""
    first = compared[0]
    blocks = [block for each in compared for block in _blocks(each)]
    whole, columns = first.parts[0].whole, (*first.control, *first.by)
    left_out = "; ".join(dict.fromkeys(slice_name(key) for each in compared for key in each.empty))
    notes = (
        [f"Left out, without a score or anything to compare with: {left_out}."] if left_out else []
    )
    if any(each.lacking for each in compared):
        lacking = "; ".join(dict.fromkeys(slice_name(x) for each in compared for x in each.lacking))
        notes.append(f"No intervals and no test, because the score has no interval in: {lacking}.")
    within = f", within {', '.join(first.control)}" if first.control else ""
    return Document(
        blocks,
        partial(_record, source, compared, notes),
        partial(_rows, compared, columns),
        f"{source and f'{source}: '}{size(whole.n)} in "
        f"{numbered(len(first.subject.slices), 'group')} by {', '.join(first.by)}{within}",
        notes,
        "groups",
    )


def _blocks(groups: Groups) -> list[Block]:
    blocks: list[Block] = [_scores(groups, part) for part in groups.parts]
    several = len(groups.parts) > 1
    rows: list[list[Cell]] = [
        [WORDS[x.name], x.value, x.interval, _between(x), x.signature] for x in groups.disparities
    ]
    heading = groups.name if several else ""
    blocks.append(Grid(ACROSS, rows, heading, common=groups.head))
    if several:
        named = [f"{WORDS[x.name]}: {x.metric}" for x in groups.disparities if x.groups]
        blocks.append(Note(f"{capital('; '.join(named))}."))
    if groups.p_value is not None:
        level = groups.parts[0].definition.interval
        assert level is not None
        verdict = "differ" if groups.p_value < 1 - level.level else "do not differ"
        p = p_number(groups.p_value)
        equals = "" if p.startswith("<") else "= "
        blocks.append(
            Note(f"The groups {verdict} significantly (Tukey's range test, p {equals}{p}).")
        )
    return blocks


def _between(disparity: Disparity) -> str:
    sign = {"difference": " − ", "ratio": " / "}.get(disparity.name, "")
    return sign.join(map(slice_name, disparity.groups))


def _scores(groups: Groups, part: GroupScores) -> Grid:
    column = GridColumn(", ".join((*groups.control, *groups.by)))
    scores = [(None, part.whole), *_ordered(part)]
    rows: list[list[Cell]] = [
        [slice_name(key), x.n, x.value, x.interval, x.signature] for key, x in scores
    ]
    definitions = {x.definition.signature for _, x in scores}
    common = definitions.pop() if len(definitions) == 1 else ""
    return Grid([column, *SCORED], rows, title(part.definition), unit="groups", common=common)


def _ordered(part: GroupScores) -> list[tuple[Key, Score]]:
    sign = -1 if part.definition.declaration.better == "lower" else 1
    return sorted(part.scores.items(), key=lambda pair: sign * pair[1].value)


def _record(source: str, compared: Sequence[Groups], notes: Sequence[str]) -> dict[str, Any]:
    return {
        "source": source,
        "by": [*compared[0].by],
        "control": [*compared[0].control],
        "comparisons": [_compared(each) for each in compared],
        "notes": [*notes],
    }


def _compared(groups: Groups) -> dict[str, Any]:
    columns = (*groups.control, *groups.by)

    def named(key: Key) -> dict[str, Any]:
        return dict(zip(columns, map(plain_key, key), strict=True))

    return {
        "name": groups.name,
        "scores": [
            {
                "id": identifier(part.definition),
                "name": title(part.definition),
                "whole": part.whole.to_dict(),
                "groups": [{"slice": named(key), **x.to_dict()} for key, x in _ordered(part)],
            }
            for part in groups.parts
        ],
        "across": [
            {
                "statistic": each.name,
                **each.to_dict(),
                "groups": [named(key) for key in each.groups],
            }
            for each in groups.disparities
        ],
        "p_value": groups.p_value,
        "left_out": [named(key) for key in groups.empty],
        "signature": groups.signature,
    }


def _rows(compared: Sequence[Groups], columns: Sequence[str]) -> Rows:
    """One line per number: the groups, then the statistics across them."""
    yield ["name", "statistic", *columns, *SCORE_COLUMNS, "p_value", "n", "signature"]
    for each in compared:
        for part in each.parts:
            for key, x in _ordered(part):
                values = map(plain_key, key)
                yield [title(part.definition), "score", *values, *score_cells(x), None, x.n,
                       x.signature]  # fmt: skip
        for across in each.disparities:
            where = [_between(across), *[""] * (len(columns) - 1)]
            p = each.p_value if across.name == "difference" else None
            cells = [across.value, *interval_cells(across.interval), p]
            n = each.parts[0].whole.n
            yield [each.name, across.name, *where, *cells, n, across.signature]
