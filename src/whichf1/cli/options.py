"""Options that several commands share, and what becomes of their text."""

from __future__ import annotations

import csv
from enum import StrEnum
from typing import Annotated, Any

import typer

from whichf1.definitions.methods import find_method
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError, did_you_mean
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts
from whichf1.tables.labels import Label, Labels, from_text


class Format(StrEnum):
    """Output formats."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="A metric, e.g. averaged_f1 or 'f_beta(beta=2)', or a signature; repeatable.",
    ),
]
Average = Annotated[str | None, typer.Option(help="macro, weighted or micro; none: per class.")]
Positive = Annotated[str | None, typer.Option(help="Score this class against the rest.")]
Classes = Annotated[
    str | None,
    typer.Option(help="Classes averaged over: declared, observed, true, range, or a list a,b,c."),
]
Exclude = Annotated[
    str | None, typer.Option(help="Classes left out of averages; their items still make errors.")
]
Ignore = Annotated[str | None, typer.Option(help="Drop the items of these true classes.")]
Undefined = Annotated[str | None, typer.Option(help="What 0/0 gives: 0, 1, skip or nan.")]
Scope = Annotated[
    str | None, typer.Option(help="Where F is undefined: empty, one-sided or no-hits.")
]
LabelList = Annotated[
    str | None, typer.Option("--labels", help="The declared classes in order: a,b,c.")
]
IntervalName = Annotated[
    str | None,
    typer.Option(
        "--interval",
        help="delta (unless said), bootstrap (bca or percentile), or none; for shares of items "
        "also wilson, clopper-pearson, agresti-coull and jeffreys.",
    ),
]
Replicates = Annotated[int | None, typer.Option(help="Replicates of a bootstrap.")]
Seed = Annotated[int | None, typer.Option(help="The seed of resampling.")]
Cluster = Annotated[
    str | None, typer.Option(help="A column of clusters: items of one document or user, say.")
]
Level = Annotated[
    float | None, typer.Option(help="The interval's nominal coverage: 0.95 unless said.")
]
OutputFormat = Annotated[Format, typer.Option("--format", "-f", help="How to print.")]
Decimals = Annotated[int, typer.Option(min=0, max=17, help="Decimals in tables.")]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(help="NAME=VALUE: exit with 1 if that score is below; repeatable."),
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", help="Write here instead of to standard output.")
]


def declared(labels: str | None) -> list[Label] | None:
    """The classes of --labels, numbers as numbers."""
    return None if labels is None else list(from_text(split_list(labels)))


def split_list(text: str) -> list[str]:
    """A list as a line of CSV, so that a class may hold a comma inside quotes."""
    return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), [])]


def slice_columns(given: dict[str, Any]) -> list[str]:
    """The columns of --by; none where it is not given."""
    if given["by"] is None:
        return []
    by = split_list(given["by"])
    if not by or not all(by):
        raise InputError(f"--by names columns, as lang,domain; got {given['by']!r}")
    return by


def definition_options(counts: Counts | MultiLabelCounts, given: dict[str, Any]) -> dict[str, Any]:
    """The options of a definition that were given, with labels as the counts have them."""
    labels = counts.labels
    options: dict[str, Any] = {k: given[k] for k in ("average", "scope") if given[k] is not None}
    if options.get("average") == "none":
        del options["average"]
    if given["positive"] is not None:
        options["positive"] = find_label(given["positive"], labels)
    for name in ("classes", "exclude", "ignore"):
        text = given[name]
        word = name == "classes" and text in ("declared", "observed", "true", "range")
        if text is not None:
            options[name] = (
                text if word else [find_label(each, labels) for each in split_list(text)]
            )
    if given["undefined"] is not None:
        text = given["undefined"]
        options["undefined"] = int(text) if text in ("0", "1") else text
    method = {k: given[k] for k in ("level", "replicates", "seed") if given.get(k) is not None}
    if given["interval"] != "none":
        options["interval"] = find_method(given["interval"] or "delta", **method)
    elif method:
        raise DefinitionError(f"--interval none takes no --{next(iter(method))}: leave it out")
    if given["interval"] is not None or method:
        _refuse_beside_signatures(given.get("metric"))
    return options


def _refuse_beside_signatures(metrics: Any) -> None:
    """Raise for a signature, which says its own interval, beside an interval that was asked for."""
    for text in metrics if isinstance(metrics, list) else []:
        if read(text)[2]:
            raise DefinitionError(
                f"the signature {text!r} says everything: leave --interval, --level, --replicates "
                "and --seed out"
            )


def find_label(text: str, labels: Labels) -> Label:
    """The class that is written like this."""
    for label in labels:
        if str(label) == text:
            return label
    hint = did_you_mean(text, [str(label) for label in labels[:50]])
    raise InputError(f"there is no class {text!r}. {hint}")
