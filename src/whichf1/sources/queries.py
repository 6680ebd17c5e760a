"""The one question: GROUP BY slice, true, predicted, over a DuckDB view called ``items``."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from whichf1.sources.cells import MEASURES, Columns, Row, merged
from whichf1.sources.database import Database, quote

PACKED_GROUPS = 1 << 11
"""Prediction columns are grouped together while their joint table stays about this small."""
SAMPLE = 20_000
MOST_SETS = 32

Explain = Callable[[str], str]


def grouped(
    database: Database, columns: Columns, explain: Explain, *, columnar: bool
) -> dict[str, list[Row]]:
    """The rows of each prediction column.

    Text is parsed once for all of them. A columnar file is asked several times, for a few
    prediction columns each: no prediction is read twice, and that is quicker than one question.
    """
    if len(columns.preds) == 1:
        (pred,) = columns.preds
        return {pred: database.run(_query(columns, (pred,)), explain)}
    if columnar:
        return _packed(database, columns, explain)
    parts: dict[str, list[Row]] = {}
    for start in range(0, len(columns.preds), MOST_SETS):
        parts |= _at_once(database, columns, columns.preds[start : start + MOST_SETS], explain)
    return parts


def _query(columns: Columns, preds: tuple[str, ...]) -> str:
    keys = [*columns.by, columns.true, *preds]
    names = ", ".join(f"k{i}" for i in range(len(keys)))
    return f"SELECT {names}, {_measures(columns)} FROM ({_items(columns, keys)}) GROUP BY {names}"


def _items(columns: Columns, keys: list[str]) -> str:
    shown = [f"{quote(name)} AS k{i}" for i, name in enumerate(keys)]
    if columns.weights is not None:
        shown.append(f"TRY_CAST({quote(columns.weights)} AS DOUBLE) AS w")
    return f"SELECT {', '.join(shown)} FROM items"


def _measures(columns: Columns) -> str:
    if columns.weights is None:
        return "count(*), 0.0, 0.0, 0"
    good = "coalesce(isfinite(w) AND w >= 0, false)"
    return (
        f"count(*), coalesce(sum(w) FILTER ({good}), 0.0), "
        f"coalesce(sum(w * w) FILTER ({good}), 0.0), "
        f"count(*) FILTER (NOT {good})"
    )


def _at_once(
    database: Database, columns: Columns, preds: tuple[str, ...], explain: Explain
) -> dict[str, list[Row]]:
    """One scan, a grouping set for each prediction column."""
    shared = len(columns.by) + 1
    keys = [*columns.by, columns.true, *preds]
    names = [f"k{i}" for i in range(len(keys))]
    sets = ", ".join(f"({', '.join([*names[:shared], own])})" for own in names[shared:])
    which = f"GROUPING({', '.join(names[shared:])})"
    rows = database.run(
        f"SELECT {which}, {', '.join(names)}, {_measures(columns)} "
        f"FROM ({_items(columns, keys)}) GROUP BY GROUPING SETS ({sets})",
        explain,
    )
    everything = (1 << len(preds)) - 1
    position = {everything ^ (1 << (len(preds) - 1 - at)): at for at in range(len(preds))}
    parts: dict[str, list[Row]] = {pred: [] for pred in preds}
    for row in rows:
        at = position[row[0]]
        own = row[1 + shared + at]
        parts[preds[at]].append((*row[1 : 1 + shared], own, *row[-MEASURES:]))
    return parts


def _packed(database: Database, columns: Columns, explain: Explain) -> dict[str, list[Row]]:
    parts: dict[str, list[Row]] = {}
    shared = len(columns.by) + 1
    for pack in _packs(database, columns, explain):
        rows = database.run(_query(columns, pack), explain)
        for at, pred in enumerate(pack, shared):
            own = ((*row[:shared], row[at], *row[-MEASURES:]) for row in rows)
            parts[pred] = list(own) if len(pack) == 1 else merged(own)
    return {pred: parts[pred] for pred in columns.preds}


def _packs(database: Database, columns: Columns, explain: Explain) -> list[tuple[str, ...]]:
    """Columns whose joint table is small, judged from the first items; it only saves time."""
    keys = [*columns.by, columns.true, *columns.preds]
    distinct = ", ".join(f"approx_count_distinct({quote(name)})" for name in keys)
    sample = f"SELECT {', '.join(map(quote, dict.fromkeys(keys)))} FROM items LIMIT {SAMPLE}"
    sizes = dict(
        zip(keys, database.run(f"SELECT {distinct} FROM ({sample})", explain)[0], strict=True)
    )
    shared = prod(sizes[name] for name in (*columns.by, columns.true))
    packs: list[tuple[str, ...]] = []
    room = 0.0
    for pred in columns.preds:
        if packs and sizes[pred] <= room:
            packs[-1] = (*packs[-1], pred)
        else:
            packs.append((pred,))
            room = PACKED_GROUPS / max(shared, 1)
        room /= max(sizes[pred], 1)
    return packs
