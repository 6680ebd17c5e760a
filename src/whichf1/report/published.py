"""Other people's numbers as sheets: dialects, explanations, audits, conversions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from whichf1.definitions.words import because
from whichf1.published.audit import SIGNATURES, Audit, Span, Verdict
from whichf1.published.dialects import Conversion, Dialect, DialectTable
from whichf1.published.explain import Explanation, Match
from whichf1.report.sheet import Cell, Rows, Sheet

MOST_MATCHES = 10
"""Matches shown to people; files hold all."""


def dialect_list(dialects: Mapping[str, Dialect]) -> Sheet:
    """Every dialect with its source."""
    head = ("name", "library", "versions", "what it computes", "note", "read from", "signature")
    body = [
        [x.name, x.library, x.versions, because(x.definition), x.note, x.file, x.signature]
        for x in dialects.values()
    ]
    return Sheet(f"{len(body)} dialects of macro F1", Rows(head, body))


def dialect_sheet(source: str, table: DialectTable) -> Sheet:
    """What every library would print, grouped by equal value."""
    shown: list[list[Cell]] = [
        [group.value, ", ".join(group.names), group.why, group.plainest.signature]
        for group in table.groups
    ]
    stored: list[list[Cell]] = [
        [name, score.value, at, group.why, score.signature]
        for at, group in enumerate(table.groups, 1)
        for name, score in group.scores.items()
    ]
    applied = sum(len(group.scores) for group in table.groups)
    title = (
        f"{source}: {applied} dialects of macro F1 give {table.distinct} different numbers, "
        f"up to {table.spread:.4f} apart"
    )
    return Sheet(
        title,
        Rows(("value", "dialects", "why", "signature"), shown),
        tuple(f"{name} does not apply: {why}" for name, why in table.absent.items()),
        Rows(("dialect", "value", "group", "why", "signature"), stored),
        (("distinct", table.distinct), ("spread", table.spread)),
        stacked=True,
    )


def explanation_sheet(source: str, found: Explanation) -> Sheet:
    """The definitions that give a published number, or the nearest ones."""
    matches = found.matches or found.nearest
    stored: list[list[Cell]] = [
        [at, match.value, definition.signature, bool(found.matches)]
        for at, match in enumerate(matches, 1)
        for definition in match.definitions
    ]
    hidden = len(matches) - MOST_MATCHES
    notes = [f"{hidden} more values match: all are in --format csv"] if hidden > 0 else []
    notes.append(
        f"{found.searched:,} definitions were tried; of those with equal value the simplest is "
        "shown."
    )
    return Sheet(
        f"{source}: {_found(found)}",
        Rows(
            ("value", "dialects", "why", "also", "signature"),
            [_match_row(match) for match in matches[:MOST_MATCHES]],
        ),
        tuple(notes),
        Rows(("match", "value", "signature", "reproduces"), stored),
        (("published", str(found.published)), ("searched", found.searched)),
        stacked=True,
    )


def _found(found: Explanation) -> str:
    value = found.published
    if not found.matches:
        return f"no definition gives {value}; the nearest values are"
    numbers = (
        "one value rounds" if len(found.matches) == 1 else f"{len(found.matches)} values round"
    )
    return f"{numbers} to {value}, the simplest definition first"


def _match_row(match: Match) -> list[Cell]:
    also = f"{len(match.others)} other definitions give the same here" if match.others else None
    return [match.value, ", ".join(match.dialects) or "no known library", match.why, also,
            match.signature]  # fmt: skip


def audit_sheet(audits: Sequence[tuple[str, Audit]]) -> Sheet:
    """Verdicts on published triples, and how many there are of each."""
    several = len(audits) > 1
    first = audits[0][1]
    counted = Counter(audit.verdict for _, audit in audits)
    summary = ", ".join(f"{counted[x]} {x}" for x in get_args(Verdict) if counted[x])
    shown = [_audit_row(name, audit) for name, audit in audits]
    misfits = tuple(
        f"{name + ': ' if several else ''}{x.name} is {x.recomputed}, not {x.published} "
        f"({x.signature})"
        for name, audit in audits
        for x in audit.misfits
    )
    head = ("name", "precision", "recall", "f1", "verdict", "reason") if several else None
    stored = [_audit_record(name, audit) for name, audit in audits]
    return Sheet(
        f"{len(audits)} rows: {summary}" if several else f"{first.verdict}: {first.reason}",
        Rows(head, shown) if head else Rows(("can be", "value", "signature"), _spans(first)),
        (*misfits, *(f"{name}: {text}" for name, text in SIGNATURES.items() if several)),
        Rows(STORED_HEAD, stored),
        tuple((x, counted[x]) for x in get_args(Verdict)),
    )


STORED_HEAD = (
    "name", "precision", "recall", "f1", "classes", "verdict", "reason",
    "averaged_low", "averaged_high", "averaged_signature",
    "of_averages_low", "of_averages_high", "of_averages_signature", "misfits",
)  # fmt: skip


def _audit_row(name: str, audit: Audit) -> list[Cell]:
    triple = [str(x) for x in (audit.precision, audit.recall, audit.f1)]
    return [name, *triple, audit.verdict, audit.reason]


def _spans(audit: Audit) -> list[list[Cell]]:
    both: list[tuple[str, Span]] = [
        ("averaged F1", audit.averaged),
        ("F1 of averages", audit.of_averages),
    ]
    return [[name, f"{span}", SIGNATURES[name]] for name, span in both]


def _audit_record(name: str, audit: Audit) -> list[Cell]:
    *first, verdict, reason = _audit_row(name, audit)
    averaged, other = audit.averaged, audit.of_averages
    return [
        *first, audit.classes, verdict, reason,
        averaged.low, averaged.high, SIGNATURES["averaged F1"],
        other.low, other.high, SIGNATURES["F1 of averages"],
        "; ".join(misfit.name for misfit in audit.misfits),
    ]  # fmt: skip


def conversion_sheet(source: str, conversion: Conversion, names: tuple[str, str]) -> Sheet:
    """A score in two dialects, and where they differ."""
    pair = (conversion.source, conversion.target)
    body: list[list[Cell]] = [
        [name, score.value, score.signature] for name, score in zip(names, pair, strict=True)
    ]
    return Sheet(
        f"{source}: the same predictions in two dialects",
        Rows(("dialect", "value", "signature"), body),
        (f"The two signatures differ in {conversion.difference}.",),
        facts=(("difference", conversion.difference),),
    )
