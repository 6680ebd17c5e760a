"""The report of ``whichf1 groups``: the score of each group, and how groups differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from whichf1.comparison.disparity import Disparity, Groups, GroupScores
from whichf1.definitions.words import capital, identifier, title
from whichf1.reporting.document import (
    Block,
    Cell,
    Document,
    Grid,
    GridColumn,
    Note,
    Rows,
)
from whichf1.reporting.numbers import items, numbered, p_number, size
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


def groups_document(source: str, found: Sequence[Groups]) -> Document:
    """The scores of groups by each metric, worst first, and how they differ."""
    first = found[0]
    blocks = [block for each in found for block in _blocks(each)]
    whole, columns = first.parts[0].whole, (*first.control, *first.by)
    left_out = "; ".join(dict.fromkeys(slice_name(key) for each in found for key in each.empty))
    notes = (
        [f"Left out, without a score or anything to compare with: {left_out}."] if left_out else []
    )
    if any(each.lacking for each in found):
        lacking = "; ".join(dict.fromkeys(slice_name(x) for each in found for x in each.lacking))
        notes.append(f"No intervals and no test, because the score has no interval in: {lacking}.")
    within = f", within {', '.join(first.control)}" if first.control else ""
    return Document(
        blocks,
        partial(_record, source, found, notes),
        partial(_rows, found, columns),
        f"{source and f'{source}: '}{size(whole.n)} in "
        f"{numbered(len(first.subject.slices), 'group')} by {', '.join(first.by)}{within}",
        notes,
        "groups",
    )


def _blocks(found: Groups) -> list[Block]:
    blocks: list[Block] = [_scores(found, part) for part in found.parts]
    several = len(found.parts) > 1
    rows: list[list[Cell]] = [
        [WORDS[x.name], x.value, x.interval, _between(x), x.signature] for x in found.disparities
    ]
    heading = found.name if several else ""
    blocks.append(Grid(ACROSS, rows, heading, common=found.head))
    if several:
        named = [f"{WORDS[x.name]}: {x.metric}" for x in found.disparities if x.groups]
        blocks.append(Note(f"{capital('; '.join(named))}."))
    if found.p_value is not None:
        level = found.parts[0].definition.interval
        assert level is not None
        verdict = "differ" if found.p_value < 1 - level.level else "do not differ"
        p = p_number(found.p_value)
        equals = "" if p.startswith("<") else "= "
        blocks.append(
            Note(f"The groups {verdict} significantly (Tukey's range test, p {equals}{p}).")
        )
    return blocks


def _between(found: Disparity) -> str:
    sign = {"difference": " − ", "ratio": " / "}.get(found.name, "")
    return sign.join(map(slice_name, found.groups))


def _scores(found: Groups, part: GroupScores) -> Grid:
    column = GridColumn(", ".join((*found.control, *found.by)))
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


def _record(source: str, found: Sequence[Groups], notes: Sequence[str]) -> dict[str, Any]:
    return {
        "source": source,
        "by": [*found[0].by],
        "control": [*found[0].control],
        "comparisons": [_compared(each) for each in found],
        "notes": [*notes],
    }


def _compared(found: Groups) -> dict[str, Any]:
    columns = (*found.control, *found.by)

    def named(key: Key) -> dict[str, Any]:
        return dict(zip(columns, map(plain_key, key), strict=True))

    return {
        "name": found.name,
        "scores": [
            {
                "id": identifier(part.definition),
                "name": title(part.definition),
                "whole": part.whole.to_dict(),
                "groups": [{"slice": named(key), **x.to_dict()} for key, x in _ordered(part)],
            }
            for part in found.parts
        ],
        "across": [
            {
                "statistic": each.name,
                **each.to_dict(),
                "groups": [named(key) for key in each.groups],
            }
            for each in found.disparities
        ],
        "p_value": found.p_value,
        "left_out": [named(key) for key in found.empty],
        "signature": found.signature,
    }


def _rows(found: Sequence[Groups], columns: Sequence[str]) -> Rows:
    """One line per number: the groups, then the statistics across them."""
    yield ["name", "statistic", *columns, *SCORE_COLUMNS, "p_value", "n", "signature"]
    for each in found:
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
