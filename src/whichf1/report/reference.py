"""The metrics in words: the list, and one metric or signature in full."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from whichf1.definitions.definition import Definition, define
from whichf1.definitions.names import SHORTHANDS
from whichf1.definitions.words import (
    formula,
    in_sklearn,
    meaning,
    other_names,
    sentence,
    title,
    zero_rule,
)
from whichf1.metrics import EVERY, Metric, find
from whichf1.metrics.registry import KINDS
from whichf1.report.escape import csv_text, latex, markdown, visible
from whichf1.report.terminal import print_columns

if TYPE_CHECKING:
    from rich.console import Console

HEAD = ("name", "other names", "bounds", "better", "meaning")


def rows() -> list[list[str]]:
    """A line for each metric, then for each shorthand."""
    own = [
        [
            metric.name + _signature(metric),
            ", ".join(metric.aliases),
            bounds(metric),
            metric.better,
            metric.summary,
        ]
        for metric in sorted(EVERY.values(), key=lambda m: KINDS.index(m.kind))
    ]
    short = [
        [
            name,
            ", ".join(short.other_names),
            bounds(find(short.metric)),
            find(short.metric).better,
            f"{short.summary} Short for {define(name).signature}",
        ]
        for name, short in SHORTHANDS.items()
    ]
    return own + short


def _signature(metric: Metric) -> str:
    inside = ", ".join(
        f"{name}={'|'.join(p.choices) if p.choices else p.default}"
        for name, p in metric.parameters.items()
    )
    return f"({inside})" if inside else ""


def bounds(metric: Metric) -> str:
    """The range of values, as text."""
    low, high = metric.bounds
    return f"[{low:g}, {'∞)' if high == float('inf') else f'{high:g}]'}"


def list_metrics(format: str, console: Console) -> str:
    """All metrics as text, JSON, Markdown, LaTeX or CSV."""
    body = rows()
    if format == "json":
        return json.dumps([dict(zip(HEAD, row, strict=True)) for row in body], indent=2) + "\n"
    if format == "csv":
        return csv_text([HEAD, *body])
    if format == "markdown":
        table = [
            list(HEAD),
            ["---"] * len(HEAD),
            *([markdown(cell) for cell in row] for row in body),
        ]
        return "".join(f"| {' | '.join(line)} |\n" for line in table)
    if format == "latex":
        lines = [r"\begin{tabular}{lllll}", " & ".join(HEAD) + r" \\ \hline"]
        lines += [" & ".join(latex(cell) for cell in row) + r" \\" for row in body]
        return "\n".join([*lines, r"\end{tabular}"]) + "\n"
    with console.capture() as capture:
        print_columns(console, HEAD, body, left=HEAD)
    return capture.get()


def explain_definition(text: str) -> str:
    """Formula, meaning, bounds, 0/0 rule, other names, and a sentence to paste."""
    definition = Definition.parse(text)
    metric = definition.declaration
    facts = {
        "name": title(definition),
        "meaning": meaning(definition),
        "formula": formula(definition),
        "bounds": f"{bounds(metric)}, {metric.better} is better"
        if metric.better != "neither"
        else bounds(metric),
        "0/0": zero_rule(definition),
        "other names": ", ".join(other_names(definition)) or "–",
        "parameters": _signature(metric).strip("()") or "–",
        "in scikit-learn": in_sklearn(definition) or "–",
        "signature": definition.signature,
        "to paste": sentence(definition),
    }
    width = max(map(len, facts))
    return "".join(f"{key:<{width}}  {visible(value)}\n" for key, value in facts.items())
