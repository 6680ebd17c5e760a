"""Options as dataclasses: each field is an option of the command line, each class a group of them.

``command`` makes a typer command of a function that takes such a dataclass. Among several base
classes, the options of the last come first in --help. This module does without postponed
annotations, so that typer finds the types themselves.
"""

import csv
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer

from whichf1.definitions.methods import find_method
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError, did_you_mean
from whichf1.report.document import Document, render, text_lines
from whichf1.sources.engines.database import MEMORY_LIMIT
from whichf1.tables.labels import Label, Labels, from_text
from whichf1.tables.writing import written_whole


def command(run: Callable[[Any], None]) -> Callable[..., None]:
    """Make a typer command of a function of one dataclass, whose fields become options."""
    (options,) = (hint for name, hint in get_type_hints(run).items() if name != "return")
    hints = get_type_hints(options, include_extras=True)

    @wraps(run)
    def call(**values: Any) -> None:
        run(options(**values))

    call.__annotations__ = {field.name: hints[field.name] for field in fields(options)}
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
                annotation=hints[field.name],
            )
            for field in fields(options)
        ]
    )
    return call


class Format(StrEnum):
    """Output formats."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


class OnError(StrEnum):
    """What to do with malformed lines and items."""

    stop = "raise"
    skip = "skip"


class Engine(StrEnum):
    """What reads the files."""

    duckdb = "duckdb"
    spark = "spark"


OutputFormat: TypeAlias = Annotated[Format, typer.Option("--format", "-f", help="Output format.")]
TrueColumn: TypeAlias = Annotated[str | None, typer.Option(help="Column with the true classes.")]
PredColumn: TypeAlias = Annotated[
    str | None, typer.Option(help="Column with the predicted classes.")
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Column with clusters, such as the document or user that items come from."),
]
ScoreColumn: TypeAlias = Annotated[
    str | None, typer.Option("--score", help="Column with scores; higher means more positive.")
]
LabelsSep: TypeAlias = Annotated[
    str | None, typer.Option(help="Cells hold several labels, separated by this text.")
]


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """How a document is printed, and where."""

    format: OutputFormat = Format.text
    decimals: Annotated[int, typer.Option(min=0, max=17, help="Decimals in tables.")] = 4
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write to this file, not standard output.")
    ] = None

    def write(self, document: Document) -> None:
        """Print a document to standard output, or write it to a file as a whole."""
        if self.output is not None:
            with written_whole(self.output) as temporary:
                text = render(document, self.format.value, self.decimals)
                temporary.write_text(text, encoding="utf-8")
        elif self.format is Format.text and (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
            print_lines(document, self.decimals)
        else:
            sys.stdout.write(render(document, self.format.value, self.decimals))


def print_lines(document: Document, decimals: int) -> None:
    """Print a document to a terminal, with bold headings; rich itself honours NO_COLOR."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in text_lines(document, decimals):
        console.print(Text(line.text, style="bold" if line.bold else ""), soft_wrap=True)


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """The declared classes."""

    labels: Annotated[
        str | None, typer.Option("--labels", help="The declared classes in order: a,b,c.")
    ] = None

    @property
    def declared(self) -> list[Label] | None:
        """The classes of --labels, numbers as numbers."""
        return None if self.labels is None else list(from_text(split_list(self.labels)))


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Which files are read, and how."""

    file: Annotated[
        str | None,
        typer.Argument(
            help="A file (CSV, TSV, JSONL, Parquet, Arrow, npz), a quoted glob pattern, or - for "
            "standard input with --from."
        ),
    ] = None
    gold: Annotated[
        str | None, typer.Option(help="File with the true classes, used with --pred-file.")
    ] = None
    pred_file: Annotated[
        str | None,
        typer.Option(help="File with the predictions, matched to --gold by line or by --id."),
    ] = None
    id: Annotated[str | None, typer.Option("--id", help="Column that joins the two files.")] = None
    from_: Annotated[
        str | None,
        typer.Option("--from", help="Input format: csv, tsv, jsonl, parquet, arrow or npz."),
    ] = None
    memory_limit: Annotated[
        str, typer.Option(help="Memory to use before spilling to a temporary folder.")
    ] = MEMORY_LIMIT
    on_error: Annotated[
        OnError, typer.Option("--on-error", help="Stop at malformed lines, or skip them.")
    ] = OnError.stop
    engine: Annotated[
        Engine, typer.Option(help="duckdb reads on this machine, spark on a cluster.")
    ] = Engine.duckdb
    master: Annotated[str | None, typer.Option(help="Spark master, as spark://host:7077.")] = None


@dataclass(frozen=True, kw_only=True)
class DataOptions(LabelOptions, FileOptions):
    """Columns that every kind of data has."""

    true: TrueColumn = None
    weights: Annotated[str | None, typer.Option(help="Column with item weights.")] = None


@dataclass(frozen=True, kw_only=True)
class CountingOptions(DataOptions):
    """Predictions to be counted."""

    file: Annotated[
        str | None,
        typer.Argument(
            help="A file of predictions (CSV, TSV, JSONL, Parquet, Arrow, npz), a quoted glob "
            "pattern, saved counts, or - for standard input."
        ),
    ] = None
    pred: PredColumn = None
    cluster: Cluster = None


@dataclass(frozen=True, kw_only=True)
class DefinitionOptions:
    """What the score is."""

    average: Annotated[
        str | None, typer.Option(help="macro, weighted or micro; none: per class.")
    ] = None
    positive: Annotated[str | None, typer.Option(help="Score this class against the rest.")] = None
    classes: Annotated[
        str | None,
        typer.Option(help="Classes to average over: declared, observed, true, range, or a,b,c."),
    ] = None
    exclude: Annotated[
        str | None,
        typer.Option(help="Classes to leave out of averages; their items still count as errors."),
    ] = None
    ignore: Annotated[
        str | None, typer.Option(help="Drop items whose true class is one of these.")
    ] = None
    undefined: Annotated[str | None, typer.Option(help="The value of 0/0: 0, 1, skip or nan.")] = (
        None
    )
    scope: Annotated[
        str | None, typer.Option(help="When F is undefined: empty, one-sided or no-hits.")
    ] = None

    def chosen(self, labels: Labels) -> dict[str, Any]:
        """The options that were set, as a definition takes them, with the data's own labels."""
        options: dict[str, Any] = {"average": self.average, "scope": self.scope}
        if self.average == "none":
            options["average"] = None
        if self.positive is not None:
            options["positive"] = find_label(self.positive, labels)
        for name in ("classes", "exclude", "ignore"):
            text = getattr(self, name)
            word = name == "classes" and text in ("declared", "observed", "true", "range")
            if text is not None and not word:
                options[name] = [find_label(each, labels) for each in split_list(text)]
            elif word:
                options[name] = text
        if self.undefined is not None:
            number = self.undefined in ("0", "1")
            options["undefined"] = int(self.undefined) if number else self.undefined
        return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ResamplingOptions:
    """How sure the intervals are, and how they are drawn."""

    level: Annotated[
        float | None, typer.Option(help="Nominal coverage of intervals. Default: 0.95.")
    ] = None
    replicates: Annotated[int | None, typer.Option(help="Number of bootstrap replicates.")] = None
    seed: Annotated[int | None, typer.Option(help="Seed for resampling.")] = None


@dataclass(frozen=True, kw_only=True)
class ReportOptions(OutputOptions, ResamplingOptions, DefinitionOptions):
    """What is reported of some counts."""

    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="A metric, such as averaged_f1 or 'f_beta(beta=2)', or a signature; repeatable.",
        ),
    ] = None
    interval: Annotated[
        str | None,
        typer.Option(
            "--interval",
            help="delta (default), bootstrap (bca or percentile) or none; for proportions also "
            "wilson, clopper-pearson, agresti-coull and jeffreys.",
        ),
    ] = None
    fail_under: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE: exit with code 1 if the score is lower; repeatable."),
    ] = None

    def chosen(self, labels: Labels) -> dict[str, Any]:
        """The options that were set, and the method of the intervals."""
        options = super().chosen(labels)
        names = ("level", "replicates", "seed")
        method = {x: getattr(self, x) for x in names if getattr(self, x) is not None}
        if self.interval != "none":
            options["interval"] = find_method(self.interval or "delta", **method)
        elif method:
            raise DefinitionError(f"--interval none takes no --{next(iter(method))}: remove it")
        if self.interval is not None or method:
            self._refuse_signatures()
        return options

    def _refuse_signatures(self) -> None:
        """Raise if an interval is asked for beside a signature, which has its own."""
        for text in self.metric or []:
            if read(text)[2]:
                raise DefinitionError(
                    f"the signature {text!r} is complete: remove --interval, --level, "
                    "--replicates and --seed"
                )


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(ReportOptions, CountingOptions):
    """All that ``whichf1 score`` takes."""

    by: Annotated[
        str | None, typer.Option(help="Score each slice of these columns: lang,domain.")
    ] = None
    score_column: ScoreColumn = None
    threshold: Annotated[
        float | None,
        typer.Option(help="With --score: items with at least this score are positive."),
    ] = None
    probs: Annotated[
        list[str] | None,
        typer.Option(
            help="A column of probabilities for each class, named like the class or CLASS=COLUMN: "
            "a,b,c; repeatable."
        ),
    ] = None
    labels_sep: LabelsSep = None

    @property
    def slice_columns(self) -> list[str]:
        """The columns of --by; none without it."""
        if self.by is None:
            return []
        columns = split_list(self.by)
        if not columns or not all(columns):
            raise InputError(f"--by takes names of columns, as lang,domain; got {self.by!r}")
        return columns


def split_list(text: str) -> list[str]:
    """Split a list like a line of CSV, so that a class in quotes may contain a comma."""
    return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), [])]


def find_label(text: str, labels: Labels) -> Label:
    """The class that is written like this."""
    for label in labels:
        if str(label) == text:
            return label
    hint = did_you_mean(text, [str(label) for label in labels[:50]])
    raise InputError(f"there is no class {text!r}. {hint}")
