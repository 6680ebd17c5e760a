"""The reports on other people's numbers: dialects, explanations, audits, conversions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from whichf1.definitions.words import because
from whichf1.published.audit import SIGNATURES, Audit, Verdict
from whichf1.published.dialects import Conversion, Dialect, DialectTable
from whichf1.published.explain import Explanation, Match
from whichf1.reporting.document import Cell, Document, Grid, GridColumn

MOST_MATCHES = 10
"""Matches shown to people; files hold all."""
VALUE = GridColumn("value", "number")
DIALECTS = GridColumn("dialects", "prose")
WHY = GridColumn("why", "prose")
SIGNATURE = GridColumn("signature", "code")


def _document(
    kind: str,
    title: str,
    table: Grid,
    rows: Sequence[dict[str, Any]],
    notes: Sequence[str] = (),
    **facts: Any,
) -> Document:
    """A table for people; for programs the rows, and in JSON some facts."""
    return Document(
        [table],
        lambda: {"title": title, **facts, "rows": rows, "notes": list(notes)},
        lambda: [rows[0], *(row.values() for row in rows)],
        title,
        notes,
        kind,
    )


def dialect_list(dialects: Mapping[str, Dialect]) -> Document:
    """Every dialect with its source."""
    columns = [*map(GridColumn, ("name", "library", "versions"))]
    columns += [GridColumn(name, "prose") for name in ("what it computes", "note", "read from")]
    columns.append(SIGNATURE)
    cells = [
        [x.name, x.library, x.versions, because(x.definition), x.note, x.file, x.signature]
        for x in dialects.values()
    ]
    names = [column.name.replace(" ", "_") for column in columns]
    rows = [dict(zip(names, line, strict=True)) for line in cells]
    return _document(
        "dialect_list", f"{len(rows)} dialects of macro F1", Grid(columns, cells), rows
    )


def dialect_document(source: str, table: DialectTable) -> Document:
    """What every library would print, grouped by equal value."""
    groups: list[list[Cell]] = [
        [group.value, ", ".join(group.names), group.why, group.plainest.signature]
        for group in table.groups
    ]
    rows = [
        {"dialect": name, "value": x.value, "group": at, "why": group.why, "signature": x.signature}
        for at, group in enumerate(table.groups, 1)
        for name, x in group.scores.items()
    ]
    return _document(
        "dialects",
        f"{source}: {len(rows)} dialects of macro F1 give {table.distinct} different numbers, "
        f"up to {table.spread:.4f} apart",
        Grid((VALUE, DIALECTS, WHY, SIGNATURE), groups, stacked=True),
        rows,
        [f"{name} does not apply: {why}" for name, why in table.absent.items()],
        distinct=table.distinct,
        spread=table.spread,
    )


def explanation_document(source: str, explanation: Explanation) -> Document:
    """The definitions that give a published number, or the nearest ones."""
    matches = explanation.matches or explanation.nearest
    reproduces = bool(explanation.matches)
    rows = [
        {"match": at, "value": x.value, "signature": each.signature, "reproduces": reproduces}
        for at, x in enumerate(matches, 1)
        for each in x.definitions
    ]
    hidden = len(matches) - MOST_MATCHES
    notes = [f"{hidden} more values match: all are in --format csv"] if hidden > 0 else []
    notes.append(
        f"{explanation.searched:,} definitions were tried; of those with the same value, the "
        "simplest is shown."
    )
    shown = [_match_row(match) for match in matches[:MOST_MATCHES]]
    return _document(
        "explanation",
        f"{source}: {_summary(explanation)}",
        Grid((VALUE, DIALECTS, WHY, GridColumn("also", "prose"), SIGNATURE), shown, stacked=True),
        rows,
        notes,
        published=str(explanation.published),
        searched=explanation.searched,
    )


def _summary(explanation: Explanation) -> str:
    value, matches = explanation.published, explanation.matches
    if not matches:
        return f"no definition gives {value}; the nearest values are"
    numbers = "one value rounds" if len(matches) == 1 else f"{len(matches)} values round"
    return f"{numbers} to {value}, the simplest definition first"


def _match_row(match: Match) -> list[Cell]:
    others = len(match.others)
    also = f"{others} other definitions give the same value here" if others else None
    libraries = ", ".join(match.dialects) or "no known library"
    return [match.value, libraries, match.why, also, match.signature]


def audit_document(audits: Sequence[tuple[str, Audit]]) -> Document:
    """Verdicts on published triples, and how many there are of each."""
    counted = Counter(audit.verdict for _, audit in audits)
    rows = [_audit_record(name, audit) for name, audit in audits]
    facts = {verdict: counted[verdict] for verdict in get_args(Verdict)}
    keys = {x.lower().replace(" ", "_"): number for x, number in facts.items()}
    if len(audits) == 1:
        ((_, audit),) = audits
        title, notes = f"{audit.verdict}: {audit.reason}", _misfits("", audit)
        return _document("audit", title, _readings(audit), rows, notes, **keys)
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in facts.items() if number)
    names = ("name", "precision", "recall", "f1", "verdict", "reason")
    columns = [*map(GridColumn, names[:-1]), GridColumn("reason", "prose")]
    table = Grid(columns, [[row[name] for name in names] for row in rows])
    notes = [note for name, audit in audits for note in _misfits(f"{name}: ", audit)]
    notes += [f"{name}: {signature}" for name, signature in SIGNATURES.items()]
    return _document("audit", f"{len(audits)} rows: {verdicts}", table, rows, notes, **keys)


def _misfits(lead: str, audit: Audit) -> list[str]:
    return [
        f"{lead}{x.name} is {x.recomputed}, not {x.published} ({x.signature})"
        for x in audit.misfits
    ]


def _readings(audit: Audit) -> Grid:
    """Where each of the two macro F1s would lie."""
    spans = {"averaged F1": audit.averaged, "F1 of averages": audit.of_averages}
    rows = [[name, f"{span}", SIGNATURES[name]] for name, span in spans.items()]
    return Grid((GridColumn("can be"), GridColumn("value"), SIGNATURE), rows)


def _audit_record(name: str, audit: Audit) -> dict[str, Any]:
    return {
        "name": name,
        **{each: str(getattr(audit, each)) for each in ("precision", "recall", "f1")},
        "classes": audit.classes,
        "verdict": audit.verdict,
        "reason": audit.reason,
        "averaged_low": audit.averaged.low,
        "averaged_high": audit.averaged.high,
        "averaged_signature": SIGNATURES["averaged F1"],
        "of_averages_low": audit.of_averages.low,
        "of_averages_high": audit.of_averages.high,
        "of_averages_signature": SIGNATURES["F1 of averages"],
        "misfits": "; ".join(misfit.name for misfit in audit.misfits),
    }


def conversion_document(source: str, conversion: Conversion, names: tuple[str, str]) -> Document:
    """A score in two dialects, and where they differ."""
    pair = (conversion.source, conversion.target)
    rows: list[dict[str, Any]] = [
        {"dialect": name, "value": x.value, "signature": x.signature}
        for name, x in zip(names, pair, strict=True)
    ]
    table = Grid((GridColumn("dialect"), VALUE, SIGNATURE), [[*row.values()] for row in rows])
    title = f"{source}: the same predictions in two dialects"
    notes = [f"The two signatures differ in {conversion.difference}."]
    return _document("conversion", title, table, rows, notes, difference=conversion.difference)
