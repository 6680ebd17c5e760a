"""``whichf1 dialects``, ``convert``, ``explain`` and ``audit``: other people's numbers."""

from __future__ import annotations

import re
from typing import Any

from whichf1.cli.options import AuditOptions, ConvertOptions, DialectOptions, ExplainOptions
from whichf1.cli.score import given_matrix
from whichf1.errors import InputError
from whichf1.published.audit import audit as audit_triple
from whichf1.published.dialects import dialects as known
from whichf1.published.explain import explain as find_explanation
from whichf1.published.numbers import read_per_class, read_published
from whichf1.reporting import published as reports
from whichf1.sources.counts import count
from whichf1.sources.request import refuse_same
from whichf1.tables.counts import Counts

TRIPLE = ("precision", "recall", "f1")


def _counts(options: DialectOptions) -> tuple[str, Counts]:
    """A name for the predictions, and their counts."""
    file, labels = options.file, options.declared
    if (file is None) == (options.matrix is None):
        raise InputError("pass a file of predictions, or --matrix with --rows")
    _refuse_unused(options)
    refuse_same(options.true, [options.pred], "predictions")
    if file is None:
        return "matrix", _read_matrix(options.matrix or "", options.rows, labels)
    return file, count(file, true=options.true, pred=options.pred, labels=labels)


def _refuse_unused(options: DialectOptions) -> None:
    """Raise for an option that does not apply to the data."""
    kind, unused = "a list of dialects", ["true", "pred", "rows", "labels"]
    if options.matrix is not None:
        kind, unused = "--matrix", ["true", "pred"]
    elif options.file is not None:
        kind, unused = "a file of predictions", ["rows"]
    for name in unused:
        if getattr(options, name) is not None:
            raise InputError(f"--{name} does not apply to {kind}: remove it")


def _read_matrix(text: str, rows: str | None, labels: Any = None) -> Counts:
    if rows is None:
        raise InputError(
            "a row of the matrix may be a true or a predicted class: add --rows true or --rows "
            "predicted. Definitions that weight or choose classes by their true items depend on it."
        )
    numbers = re.fullmatch(r"[-0-9.,\s]+", text)
    _, cells = given_matrix(text.replace(",", " ").split() if numbers else [text])
    return Counts.from_matrix(cells, rows=rows, labels=labels)  # type: ignore[arg-type]


def _scale(text: str | None) -> Any:
    """The scale of published numbers, checked."""
    if text not in (None, "unit", "percent"):
        raise InputError(f"--scale must be unit or percent; got {text!r}")
    return text


def dialects(options: DialectOptions) -> None:
    """Print every library's macro F1 for the same predictions. Without a file, lists them."""
    if options.file is None and options.matrix is None:
        _refuse_unused(options)
        options.write(reports.dialect_list(known))
        return
    source, counts = _counts(options)
    options.write(reports.dialect_document(source, known.table(counts)))


def convert(options: ConvertOptions) -> None:
    """Express a score of one dialect in another. Prints both signatures."""
    if options.value_decimals is not None and options.value is None:
        raise InputError("--value-decimals is about a published --value: use both, or neither")
    name, counts = _counts(options)
    conversion = known.convert(counts, source=options.source, target=options.target)
    if options.value is not None:
        here, published = conversion.source, read_published(options.value, options.value_decimals)
        if here.value not in published:
            raise InputError(
                f"{options.source} gives {here.value:.6g} on these predictions, not {published}. "
                "To find a definition that gives it, run: whichf1 explain"
            )
    options.write(reports.conversion_document(name, conversion, (options.source, options.target)))


def explain(options: ExplainOptions) -> None:
    """Find definitions that reproduce a published number."""
    source, counts = _counts(options)
    scale, decimals = _scale(options.scale), options.value_decimals
    explanation = find_explanation(counts, options.value, decimals=decimals, scale=scale)
    options.write(reports.explanation_document(source, explanation))


def audit(options: AuditOptions) -> None:
    """Determine which macro F1 was published. Both, or neither, may fit."""
    triple = {name: getattr(options, name) for name in TRIPLE}
    scale = _scale(options.scale)
    if options.rows is not None and options.matrix is None:
        raise InputError("--rows needs --matrix: use both, or neither")
    if options.results is not None:
        if any((*triple.values(), options.per_class, options.matrix)):
            raise InputError("pass a file of results or one triple, not both")
        rounding: dict[str, Any] = {"decimals": options.value_decimals, "scale": scale}
        table = reports.audit_table(options.results, classes=options.classes, **rounding)
        options.write(table.document(options.decimals))
        return
    missing = [f"--{name}" for name, text in triple.items() if text is None]
    if missing:
        raise InputError(f"pass a file of results, or one triple: {', '.join(missing)} missing")
    result = audit_triple(
        **triple,
        decimals=options.value_decimals,
        scale=scale,
        classes=options.classes,
        per_class=None if options.per_class is None else read_per_class(options.per_class),
        counts=None if options.matrix is None else _read_matrix(options.matrix, options.rows),
    )
    options.write(reports.audit_document(result))
