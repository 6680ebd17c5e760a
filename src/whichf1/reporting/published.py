"""The reports on other people's numbers: dialects, explanations, audits, conversions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from whichf1.definitions.words import because
from whichf1.errors import InputError, numbered, verb
from whichf1.published.audit import FITS, SIGNATURES, Audit, Verdict, audit
from whichf1.published.dialects import Conversion, Dialect, DialectTable
from whichf1.published.explain import Explanation, Match
from whichf1.published.numbers import Scale, read_results
from whichf1.reporting.document import (
    Advised,
    Cell,
    Document,
    Grid,
    GridColumn,
    Presented,
    first_names,
)
from whichf1.reporting.numbers import different
from whichf1.tables.records import dataclass

MOST_MATCHES = 10
"""How many matches are shown; files have all."""
VALUE = GridColumn("value", "number")
DIALECTS = GridColumn("dialects", "prose")
WHY = GridColumn("why", "prose")
SIGNATURE = GridColumn("signature", "code")


def _document(
    kind: str,
    title: str,
    table: Grid | None,
    rows: Sequence[dict[str, Any]],
    notes: Sequence[str] = (),
    **facts: Any,
) -> Document:
    """A table for people; for programs, the rows and, in JSON, some facts."""
    return Document(
        [] if table is None else [table],
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
        "dialect_list", f"{numbered(len(rows), 'dialect')} of macro F1", Grid(columns, cells), rows
    )


def dialect_document(source: str, table: DialectTable) -> Document:
    """What every library would print, grouped by equal value."""
    groups: list[list[Cell]] = [
        [group.value, ", ".join(group.names), group.why, group.plainest.signature]
        for group in table.groups
    ]
    rows = [
        {
            "dialect": name,
            "value": x.value,
            "group": at,
            "why": because(x.definition),
            "signature": x.signature,
        }
        for at, group in enumerate(table.groups, 1)
        for name, x in group.scores.items()
    ]
    apart = f", up to {table.spread:.4f} apart" if table.distinct > 1 else ""
    return _document(
        "dialects",
        f"{source}: {numbered(len(rows), 'dialect')} of macro F1 "
        f"{verb(len(rows), 'gives', 'give')} "
        f"{different(table.distinct)}{apart}",
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
    notes: list[str] = (
        [
            Advised(
                f"{hidden} more {verb(hidden, 'value matches', 'values match')}.",
                "All are in --format csv.",
            )
        ]
        if hidden > 0
        else []
    )
    notes.append(
        f"{numbered(explanation.searched, 'definition')} "
        f"{verb(explanation.searched, 'was', 'were')} tried; of those with the same value, the "
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
    give = "give" if others > 1 else "gives"
    also = f"{numbered(others, 'other definition')} {give} the same value here" if others else None
    libraries = ", ".join(match.dialects) or "no known library"
    return [match.value, libraries, match.why, also, match.signature]


def audit_document(audit: Audit) -> Document:
    """The verdict on one published triple."""
    title = f"{audit.words[0].upper()}{audit.words[1:]}: {audit.reason}"
    notes = [*_misfits("", audit), *([audit.otherwise] if audit.otherwise else [])]
    rows = [_audit_record("", audit)]
    return _document(
        "audit", title, _readings(audit) if audit.occurs else None, rows, notes, **_tallied([audit])
    )


class AuditedRow(NamedTuple):
    """A row of published results with its verdict, or what is wrong with it."""

    name: str
    audit: Audit | None
    problem: str | None = None


@dataclass(frozen=True, eq=False)
class AuditTable(Presented):
    """Verdicts on a table of published results; returned by ``whichf1.audit_table``.

    >>> import pandas as pd, whichf1 as wf
    >>> frame = pd.DataFrame({"system": ["A", "B"], "P": ["62.0", "–"], "R": ["58.1", "60.0"],
    ...                       "F1": ["**57.3**", "59.0"]})
    >>> [(row.name, row.audit and row.audit.verdict, row.problem)
    ...  for row in wf.audit_table(frame).rows]
    [('A', 'averaged F1', None), ('B', None, 'there is no precision')]
    """

    source: str
    rows: tuple[AuditedRow, ...]
    spreads: tuple[str, ...] = ()
    """The rows whose numbers are printed with a spread."""

    def document(self, decimals: int | None = None) -> Document:
        """The rows with their verdicts, and how many there are of each."""
        audits = [row.audit for row in self.rows if row.audit is not None]
        keys = _tallied(audits)
        counted = Counter(audit.verdict for audit in audits)
        words = [f"{counted[x]} with {fits}" for x, fits in FITS.items() if counted[x]]
        words = [words[0].replace(" with", " consistent with"), *words[1:]]
        left = len(self.rows) - len(audits)
        words += [f"{left} not audited"] if left else []
        names = ("name", "precision", "recall", "f1", "fits", "reason")
        columns = [*map(GridColumn, names[:-1]), GridColumn("reason", "prose")]
        cells = [_audit_cells(row) for row in self.rows]
        notes = [
            note for row in self.rows if row.audit for note in _misfits(f"{row.name}: ", row.audit)
        ]
        notes += _otherwise(self.rows)
        notes += [f"Printed with a spread, so perhaps means over runs: {', '.join(self.spreads)}."][
            : len(self.spreads)
        ]
        notes += [f"{name}: {signature}" for name, signature in SIGNATURES.items()]
        title = f"{numbered(len(self.rows), 'row')}: {', '.join(words)}"
        records = [_row_record(row) for row in self.rows]
        return _document("audit", title, Grid(columns, cells), records, notes, **keys)


def audit_table(
    results: Any,
    *,
    decimals: int | None = None,
    classes: int | None = None,
    scale: Scale | None = None,
) -> AuditTable:
    """Determine which macro F1 was reported, for each row of a table of results.

    Numbers may be formatted as in papers: ``**80.1**``, ``71.8*``, ``79.0 ± 0.3``. A bad cell
    leads to a note on its row; so does a row of fractions among percentages.

    results (path or dataframe): A CSV, TSV, Markdown or LaTeX file, or a dataframe, with columns
        for precision, recall and F1; others are ignored, except ``classes``.
    classes: The number of classes of every row, as in ``audit``.
    Returns: The verdict on each row.
    InputError: If the table cannot be read, or none of its rows can be audited.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"P": ["0.62"], "R": ["0.58"], "F1": ["0.55"]}, index=["ours"])
    >>> audit_table(frame).rows[0].audit.words
    'consistent with averaged F1'
    """
    source, table_rows, common = read_results(results, scale, classes)
    rows = []
    for row in table_rows:
        problem, verdict = row.problem, None
        try:
            if problem is None:
                rounding: dict[str, Any] = {"decimals": decimals, "scale": common}
                verdict = audit(**row.triple, **rounding, classes=row.classes)
        except InputError as error:
            problem = str(error).rstrip(".")
        rows.append(AuditedRow(row.name, verdict, problem))
    if not any(row.audit for row in rows):
        problems = [f"line {x.line}, {y.problem}" for x, y in zip(table_rows, rows, strict=True)]
        raise InputError(f"{source}: no row can be audited: {'; '.join(problems[:3])}")
    return AuditTable(source, tuple(rows), tuple(row.name for row in table_rows if row.spread))


def _tallied(audits: Sequence[Audit]) -> dict[str, int]:
    """How many there are of each verdict, by their identifiers."""
    counted = Counter(audit.verdict for audit in audits)
    return {x.lower().replace(" ", "_"): counted[x] for x in get_args(Verdict)}


def _audit_cells(row: AuditedRow) -> list[Cell]:
    if row.audit is None:
        return [row.name, "", "", "", "–", f"Not audited: {row.problem}."]
    x = row.audit
    return [row.name, str(x.precision), str(x.recall), str(x.f1), FITS[x.verdict], x.reason]


def _row_record(row: AuditedRow) -> dict[str, Any]:
    if row.audit is not None:
        return _audit_record(row.name, row.audit)
    empty = dict.fromkeys(_AUDIT_FIELDS)
    return {**empty, "name": row.name, "verdict": "not audited", "reason": row.problem}


def _misfits(lead: str, audit: Audit) -> list[str]:
    return [
        f"{lead}{x.name} is {x.recomputed.on(x.published.scale)}, not {x.published} ({x.signature})"
        for x in audit.misfits
    ]


def _otherwise(rows: Sequence[AuditedRow]) -> list[str]:
    """What would break the verdicts, with the rows that it is about unless these are all."""
    names: dict[str | None, list[str]] = {}
    for row in rows:
        if row.audit is not None:
            names.setdefault(row.audit.otherwise, []).append(row.name)
    if len(names) == 1:
        return [note for note in names if note is not None]
    return [f"{first_names(of)}: {note}" for note, of in names.items() if note is not None]


def _readings(audit: Audit) -> Grid:
    """The possible values of each of the two macro F1s."""
    spans = {"averaged F1": audit.averaged, "F1 of averages": audit.of_averages}
    rows = [[name, span.on(audit.f1.scale), SIGNATURES[name]] for name, span in spans.items()]
    return Grid((GridColumn("can be"), GridColumn("value"), SIGNATURE), rows)


def _audit_record(name: str, audit: Audit) -> dict[str, Any]:
    values = (
        name,
        *(str(getattr(audit, each)) for each in ("precision", "recall", "f1")),
        audit.classes,
        audit.verdict,
        audit.reason,
        audit.averaged.low,
        audit.averaged.high,
        SIGNATURES["averaged F1"],
        audit.of_averages.low,
        audit.of_averages.high,
        SIGNATURES["F1 of averages"],
        "; ".join(misfit.name for misfit in audit.misfits),
    )
    return dict(zip(_AUDIT_FIELDS, values, strict=True))


_AUDIT_FIELDS = (
    "name", "precision", "recall", "f1", "classes", "verdict", "reason", "averaged_low",
    "averaged_high", "averaged_signature", "of_averages_low", "of_averages_high",
    "of_averages_signature", "misfits",
)  # fmt: skip


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
