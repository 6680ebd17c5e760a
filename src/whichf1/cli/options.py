"""Options as dataclasses: each field is an option of the command line, each class a group of them.

``command`` makes a typer command of a function that takes such a dataclass. In --help its own
options come first, then those of its base classes in their order.
"""

from __future__ import annotations

import csv
import inspect
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import partial, wraps
from typing import Annotated, Any, TypeAlias, dataclass_transform, get_type_hints

import typer
from typer.core import TyperCommand

from whichf1.cli.process import emit, say
from whichf1.definitions.methods import find_method
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError, did_you_mean
from whichf1.reporting.document import LEAST_WIDTH, Document, Terminal, render, signed, text_lines
from whichf1.reporting.gates import KINDS, Limit, Verdict, github, junit, summary, with_gates
from whichf1.reporting.layout import Line
from whichf1.reporting.tabular import LatexStyle
from whichf1.sources.engines.database import MEMORY_LIMIT
from whichf1.tables.labels import Label, Labels, from_text, kind_of
from whichf1.tables.saving import add_to, write_whole

Text: TypeAlias = str | None
REQUIRED = ...
"""The default of what must be given, as typer writes it."""


def option(help: str, *names: str, default: Any = None, **more: Any) -> Any:
    """A field that is an option, with its help and, if they are not the field's, its names."""
    return field(default=default, metadata={"typer": typer.Option(*names, help=help, **more)})


def argument(help: str, *, default: Any = None, **more: Any) -> Any:
    """A field that is a positional argument."""
    return field(default=default, metadata={"typer": typer.Argument(help=help, **more)})


class Command(TyperCommand):
    """A command that refuses a repeated option if it takes one value, rather than drop one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command line."""
        args = _with_values(args)
        seen: set[int] = set()
        for each in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if id(each) in seen and not each.multiple:
                ctx.fail(f"{each.opts[0]} is given twice, but takes one value: remove one")
            if each.param_type_name == "option":
                seen.add(id(each))
        return super().parse_args(ctx, args)


MAY_LACK_A_VALUE = {"--fail-if-worse": "0"}
"""Options whose value may be left out, and what it is then."""


def _with_values(args: list[str]) -> list[str]:
    """The arguments, with the values that were left out."""
    filled: list[str] = []
    for arg, following in zip(args, [*args[1:], ""], strict=False):
        filled.append(arg)
        if arg in MAY_LACK_A_VALUE and not _is_number(following):
            filled.append(MAY_LACK_A_VALUE[arg])
    return filled


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def command(run: Callable[[Any], None]) -> Callable[..., None]:
    """Make a typer command of a function of one dataclass, whose fields become options."""
    options = get_type_hints(run)["options"]
    hints, every = get_type_hints(options), {each.name: each for each in fields(options)}
    names = (name for base in options.__mro__ for name in inspect.get_annotations(base))
    parameter = partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)

    @wraps(run)
    def call(**values: Any) -> None:
        run(options(**values))

    annotated = {x: Annotated[hints[x], every[x].metadata["typer"]] for x in dict.fromkeys(names)}
    parameters = [
        parameter(name, default=every[name].default, annotation=x) for name, x in annotated.items()
    ]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = annotated
    return call


Format = StrEnum("Format", "text json markdown latex html csv")
GateFormat = StrEnum("GateFormat", "text json markdown latex html csv junit github")
"""With the formats that tell a server for continuous integration what became of gates."""
OnError = StrEnum("OnError", {"stop": "raise", "skip": "skip"})
Engine = StrEnum("Engine", "duckdb spark")
Show = StrEnum("Show", "value interval error")
SignatureForm = StrEnum("SignatureForm", "none short full")
Part = StrEnum("Part", "tables fig1 fig2 fig3 theorem beyond all")

TRUE = "Column with the true classes."
TRUE_SETS = (
    "Column with the true classes; for sets of labels, it may be a column of 0 and 1 for each "
    "label, named like the label or LABEL=COLUMN: a,b,c."
)
PRED = "Column with the predicted classes."
CLUSTER = "Column with clusters, such as the document or user that items come from."
SCORE = "Column with scores; higher means more positive."
SEPARATOR = "Cells hold several labels, separated by this text."
DECIMALS = "Decimals that the published numbers were rounded to."
SCALE = "unit or percent. Default: inferred."
DIALECT = "A dialect or a signature."

# groups of options


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option, argument))
class OptionGroup:
    """A group of options; every subclass is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class FormatOptions(OptionGroup):
    """How a document is printed."""

    format: Format = option("Output format.", "--format", "-f", default=Format.text)


class OutputOptions(FormatOptions):
    """How a document is printed, and where."""

    decimals: int | None = option("Decimals in tables. Default: 4.", default=None, min=0, max=17)
    output: Text = option("Write to this file, not standard output.", "--output", "-o")

    signature: SignatureForm | None = option(
        "none, short (what differs, and once what is shared) or full. Default: short in text that "
        "is printed, full in files and other formats.",
        default=None,
    )
    caption: Text = option(
        "A title in place of ours; in LaTeX, the caption of tables.", default=None
    )
    latex_label: Text = option(
        "A label for \\ref in LaTeX; further tables get -2, -3, … after it.", default=None
    )
    siunitx: bool = option(
        "In LaTeX: numbers as \\num, so that siunitx formats them.", "--siunitx", default=False
    )

    def _style(self) -> LatexStyle | None:
        """What is chosen for LaTeX; an error for an option that would do nothing."""
        if self.format == Format.latex:
            return LatexStyle(self.latex_label or "", self.siunitx)
        asked = {"--latex-label": self.latex_label, "--siunitx": self.siunitx}
        unused = [name for name, given in asked.items() if given]
        if self.caption is not None and self.format in ("json", "csv", "junit"):
            unused.append("--caption")
        if unused:
            what = "tables" if unused[0] == "--caption" else "LaTeX"
            raise InputError(
                f"{unused[0]} is for {what}, not for --format {self.format.value}: remove it"
            )
        return None

    @property
    def places(self) -> int:
        """The number of decimals."""
        return 4 if self.decimals is None else self.decimals

    def write(self, document: Document) -> None:
        """Print a document to standard output, or write it to a file as a whole."""
        form: Any = self.signature and self.signature.value
        if form not in (None, "full") and self.format in (Format.json, Format.csv):
            raise InputError(
                f"--signature {form} does not apply to {self.format.value}, in which every number "
                "has its full signature: remove it"
            )
        style = self._style()
        if self.caption is not None:
            document = document.titled(self.caption)
        rendered = partial(render, document, self.format.value, self.places, style=style)
        if self.output is not None:
            write_whole(self.output, rendered(signature=form or "full").encode())
        elif self.format != Format.text:
            emit(rendered(signature=form or "full"))
        else:
            _print(self.lines(document))

    def lines(self, document: Document) -> Iterable[Line]:
        """The lines of a document on this terminal."""
        form: Any = self.signature and self.signature.value
        width = max(LEAST_WIDTH, shutil.get_terminal_size().columns)  # 80 in a pipe
        terminal = Terminal(width, bars=is_terminal(), plain=not _has_symbols())
        return text_lines(signed(document, form or "short"), self.places, terminal)


def _print(lines: Iterable[Line]) -> None:
    if not is_terminal():
        emit("".join([f"{line.text}\n" for line in lines]))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)  # it honours NO_COLOR
    with console.capture() as printed:
        for line in lines:
            console.print(Text(line.text, style="bold" if line.bold else ""), soft_wrap=True)
    emit(printed.get())


class LabelOptions(OptionGroup):
    """The declared classes."""

    labels: Text = option("The declared classes in order: a,b,c.")

    @property
    def declared(self) -> list[Label] | None:
        """The classes of --labels, numbers as numbers."""
        return None if self.labels is None else self._named[: len(split_list(self.labels))]

    @property
    def padding(self) -> list[Label]:
        """The classes of --ignore that are not among those of --labels, if these are given."""
        declared = self.declared or []
        return [x for x in self._named[len(declared) :] if declared and x not in declared]

    @property
    def _named(self) -> list[Label]:
        """The classes of --labels, then those of --ignore; one word makes all of them texts."""
        lists = (self.labels, getattr(self, "ignore", None))
        return [
            *from_text([name for text in lists if text is not None for name in split_list(text)])
        ]


class SourceOptions(OptionGroup):
    """Which file is read, and how."""

    file: Text = argument(
        "A file (CSV, TSV, JSONL, Parquet, Arrow, npz), a quoted glob pattern, an address of one "
        "(s3://, https://), a database (postgresql://, sqlite:///), or - for standard input with "
        "--from."
    )
    from_: Text = option("Input format: csv, tsv, jsonl, parquet, arrow or npz.", "--from")
    table: Text = option("Table of a database, as t or schema.t.")
    query: Text = option("Query of a database that gives the rows.")
    hive: bool = option("Folders such as lang=en/ add a column.", "--hive", default=False)
    memory_limit: str = option(
        "Memory to use before spilling to a temporary folder.", default=MEMORY_LIMIT
    )
    on_error: OnError = option("Stop at malformed lines, or skip them.", default=OnError.stop)
    engine: Engine = option(
        "duckdb reads on this machine, spark on a cluster.", default=Engine.duckdb
    )
    master: Text = option("Spark master, such as spark://host:7077.")


class FileOptions(SourceOptions):
    """One file, or a file of true classes and one of predictions."""

    gold: Text = option("File with the true classes, used with --pred-file.")
    pred_file: Text = option("File with the predictions, matched to --gold by line or by --id.")
    id: Text = option("Column that joins the two files.")


class DataOptions(LabelOptions, FileOptions):
    """Columns that every kind of data has."""

    true: Text = option(TRUE)
    weights: Text = option("Column with item weights.")
    frequencies: Text = option("Column that says how many equal items a row stands for.")

    def columns(self, *names: str) -> dict[str, Any]:
        """The options with these names, and the declared classes."""
        return {"labels": self.declared, **{name: getattr(self, name) for name in names}}


class CountingOptions(DataOptions):
    """Predictions to be counted."""

    file: Text = argument(
        "A file of predictions (CSV, TSV, JSONL, Parquet, Arrow, npz), a quoted glob pattern, an "
        "address of one (s3://, https://), a database (postgresql://, sqlite:///), saved counts, "
        "or - for standard input."
    )
    pred: Text = option(PRED)
    cluster: Text = option(CLUSTER)


class SliceOptions(OptionGroup):
    """Slices of the items."""

    by: Text = option("Treat each slice of these columns by itself: lang,domain.")

    @property
    def slice_columns(self) -> list[str]:
        """The columns of --by; none without it."""
        return columns_of("--by", self.by)


class TableOptions(SliceOptions, CountingOptions):
    """What to count: predictions, scores, probabilities or label sets, in total or by slice."""

    true: Text = option(TRUE_SETS)
    score_column: Text = option(SCORE, "--score")
    threshold: float | None = option(
        "With --score: items with at least this score are positive. With --probs of label sets: "
        "labels with at least this score are predicted."
    )
    probs: list[str] | None = option(
        "A column of probabilities for each class, named like the class or CLASS=COLUMN: a,b,c; "
        "repeatable. For sets of labels, any scores."
    )
    labels_sep: Text = option(SEPARATOR)
    spans: Text = option(
        "The file has tagged tokens (CoNLL): BIO, IOB1, BIOES or BILOU; or it is JSONL of spans: "
        "offsets."
    )
    match: Text = option("With --spans: strict (default), exact, partial or type.")
    broken: Text = option("With --spans: raise (default), repair or drop broken tags.")

    @property
    def kind(self) -> str | None:
        """The option that says what the columns hold; None for predicted classes."""
        if self.labels_sep == "":
            raise InputError("--labels-sep must not be empty: give the text between two labels")
        kinds = {
            "--score": self.score_column,
            "--probs": self.probs,
            "--labels-sep": self.labels_sep,
            "--spans": self.spans,
        }
        chosen = [name for name, value in kinds.items() if value]
        if len(chosen) > 1 and chosen != ["--probs", "--labels-sep"]:
            raise InputError(
                "--score, --probs, --labels-sep and --spans exclude each other: choose one. Only "
                "--labels-sep and --probs go together, for the scores of label sets."
            )
        for name in ("match", "broken"):
            if getattr(self, name) is not None and not self.spans:
                raise InputError(f"--{name} applies to spans: say how tags mark them with --spans")
        if self.threshold is not None and not self.score_column:
            if not self.probs:
                raise InputError("--threshold applies to scores: name their column with --score")
            if not self.sets:
                raise InputError(
                    "--threshold applies to one score of each item (--score), or to those of label "
                    "sets; of the classes of --probs, the most probable is predicted"
                )
        if self.pred and (self.score_column or self.probs):
            raise InputError(
                "--pred excludes --score and --probs, which make predictions: choose one"
            )
        return "--true" if self.sets and not chosen else chosen[0] if chosen else None

    @property
    def sets(self) -> bool:
        """Whether items have sets of labels."""
        return self.labels_sep is not None or is_list(self.true)


class CountsFileOptions(OptionGroup):
    """Where counts are written."""

    output: Text = option("Write the counts to this file, not standard output.", "--output", "-o")


class GateOptions(OutputOptions):
    """Options that make a command fail if a number is not good enough."""

    format: GateFormat = option(  # type: ignore[assignment]
        "Output format; junit and github tell a server what became of the gates.",
        "--format",
        "-f",
        default=GateFormat.text,
    )

    def finish(self, document: Document, source: str, verdicts: Sequence[Verdict]) -> None:
        """Print the document and the outcome of the gates; exit with 1 if a gate failed."""
        if self.format == GateFormat.junit and not verdicts:
            raise InputError(
                "--format junit reports the outcome of gates: add one, such as --fail-under "
                "averaged_f1=0.8"
            )
        if verdicts:
            document = with_gates(document, verdicts)
        if self.format == GateFormat.junit:
            self._style()
            self._emit(junit(source, verdicts))
        elif self.format == GateFormat.github:
            self._annotate(document, verdicts)
        else:
            self.write(document)
        for verdict in verdicts:
            if not verdict.passed and self.format != GateFormat.github:
                say(verdict.message)
        if False in [verdict.passed for verdict in verdicts]:
            raise typer.Exit(1)

    def _emit(self, text: str) -> None:
        if self.output is None:
            emit(text)
        else:
            write_whole(self.output, text.encode())

    def _annotate(self, document: Document, verdicts: Sequence[Verdict]) -> None:
        """Write annotations and the report to the log, and to the step's summary if it has one."""
        self._style()
        document = document.titled(self.caption)
        path = os.environ.get("GITHUB_STEP_SUMMARY")
        if path:
            add_to(path, summary(document, verdicts, self.places).encode())
        lines = "".join([f"{line.text}\n" for line in self.lines(document)])
        self._emit(github(lines, verdicts))


class DefinitionOptions(OptionGroup):
    """What the score is."""

    average: Text = option("macro, weighted, micro, or samples of label sets; none: per class.")
    positive: Text = option("Score this class against the rest.")
    classes: Text = option("Classes to average over: declared, observed, true, range, or a,b,c.")
    exclude: Text = option("Classes to leave out of averages; their items still count as errors.")
    ignore: Text = option("Drop items whose true class is one of these.")
    class_shares: Text = option(
        "Scale the true classes to these shares of all items: uniform, or a=0.2,b=0.8."
    )
    undefined: Text = option("The value of 0/0: a number, skip or nan.")
    scope: Text = option("When F is undefined: empty, one-sided or no-hits.")

    def chosen(self, labels: Labels) -> dict[str, Any]:
        """The options that were set, as a definition takes them, with the data's own labels."""
        options: dict[str, Any] = {
            "average": None if self.average == "none" else self.average,
            "scope": self.scope,
            "positive": None if self.positive is None else find_label(self.positive, labels),
        }
        for name in ("classes", "exclude", "ignore"):
            text = getattr(self, name)
            word = name == "classes" and text in ("declared", "observed", "true", "range")
            if text is not None:
                read = find_dropped if name == "ignore" else find_label
                options[name] = text if word else [read(x, labels) for x in split_list(text)]
        options["class_shares"] = self.class_shares
        if self.class_shares not in (None, "uniform"):
            options["class_shares"] = _read_shares(self.class_shares or "", labels)
        if self.scope not in (None, "empty") and self.undefined in (None, "0"):
            raise DefinitionError(
                f"--scope {self.scope} changes nothing where 0/0 counts as 0: add --undefined 1, "
                "skip or nan, or remove it"
            )
        options["undefined"] = self.undefined
        if self.undefined not in (None, "skip", "nan"):
            with suppress(ValueError):  # the error of the option itself says more
                options["undefined"] = float(self.undefined)
        return {name: value for name, value in options.items() if value is not None}


class ResamplingOptions(OptionGroup):
    """Level of the intervals, and how they are computed."""

    level: float | None = option("Nominal coverage of intervals. Default: 0.95.")
    replicates: int | None = option(
        "Number of bootstrap replicates, or of draws from the posterior."
    )
    seed: int | None = option("Seed for resampling.")


class IntervalOptions(ResamplingOptions):
    """Which scores, with which intervals."""

    metric: list[str] | None = option(
        "A metric, such as averaged_f1 or 'f_beta(beta=2)', or a signature; repeatable.",
        "--metric",
        "-m",
    )
    interval: Text = option(
        "auto (default), delta, bootstrap (bca or percentile), posterior or none; for proportions "
        "also wilson, clopper-pearson, agresti-coull and jeffreys."
    )

    @property
    def asks_for_intervals(self) -> bool:
        """Whether an option says how intervals are made."""
        return any(x is not None for x in (self.interval, self.level, self.replicates, self.seed))

    @property
    def method(self) -> dict[str, Any]:
        """The method of the intervals, as a definition takes it; nothing for none."""
        names = ("level", "replicates", "seed")
        parameters = {x: getattr(self, x) for x in names if getattr(self, x) is not None}
        if self.interval == "posterior" and "replicates" in parameters:
            parameters["draws"] = parameters.pop("replicates")
        for text in self.metric or []:
            if self.asks_for_intervals and read(text)[2]:  # a signature has its own interval
                raise DefinitionError(
                    f"the signature {text!r} is complete: remove --interval, --level, "
                    "--replicates and --seed"
                )
        if self.interval != "none":
            return {"interval": find_method(self.interval or "auto", **parameters)}
        if parameters:
            raise DefinitionError(f"--interval none takes no --{next(iter(parameters))}: remove it")
        return {}


class MetricOptions(DefinitionOptions, IntervalOptions):
    """Which scores, of which classes, with which intervals."""

    def chosen(self, labels: Labels) -> dict[str, Any]:
        """The options that were set, and the method of the intervals."""
        return {**super().chosen(labels), **self.method}


class LimitOptions(OptionGroup):
    """What the scores must reach."""

    fail_under: list[str] | None = option(
        "NAME=VALUE: exit with code 1 if the score is lower; with --by, in any slice; repeatable."
    )
    fail_over: list[str] | None = option(
        "The same if the score is higher, for metrics such as log_loss; repeatable."
    )
    fail_under_low: list[str] | None = option(
        "The same if the lower end of the interval is lower; repeatable."
    )
    fail_over_high: list[str] | None = option(
        "The same if the upper end of the interval is higher; repeatable."
    )

    @property
    def limits(self) -> list[Limit]:
        """What the scores are to be compared with."""
        return [
            Limit.parse(kind, text)
            for name, kind in KINDS.items()
            for text in getattr(self, name) or []
        ]


class ReportOptions(LimitOptions, MetricOptions, GateOptions):
    """What to report for a table of counts."""

    confusion: bool | None = option(
        "Show the confusion matrix. Default: on a terminal, if it fits and has up to 12 classes."
    )
    share: Text = option("Show the confusion matrix as fractions of true, predicted or all items.")


class InlineMatrixOptions(OptionGroup):
    """A confusion matrix on the command line."""

    matrix: Text = option(
        "A confusion matrix in place of predictions: '2 5 10 5 10', or a file as for matrix."
    )
    rows: Text = option("What a row of the matrix is: true or predicted.")


# the options of each command


class ScoreOptions(TableOptions, ReportOptions):
    """All that ``whichf1 score`` takes."""

    parents: Text = option(
        "For hierarchical scores: a CSV file with the columns class and parent, a row for each "
        "parent of a class, with no parent at the top."
    )


class GroupsOptions(TableOptions, MetricOptions, OutputOptions):
    """All that ``whichf1 groups`` takes."""

    by: Text = option("The columns that make groups: sex,region.")
    control: Text = option("Compare groups within each value of these columns.")
    metric: list[str] | None = option(
        "A metric, a signature, or a criterion such as equalized_odds or demographic_parity; "
        "repeatable. Default: averaged_f1.",
        "--metric",
        "-m",
    )

    @property
    def slice_columns(self) -> list[str]:
        """The columns of --control, then those of --by."""
        return [*self.control_columns, *super().slice_columns]

    @property
    def control_columns(self) -> list[str]:
        """The columns of --control; none without it."""
        return columns_of("--control", self.control)


class MatrixOptions(LabelOptions, ReportOptions):
    """All that ``whichf1 matrix`` takes."""

    numbers: list[str] = argument(
        "A CSV or TSV file with the names of classes in its first row and column; or the number of "
        "classes, then the matrix row by row.",
        default=REQUIRED,
    )
    rows: Text = option("What a row is: true or predicted.")


class CountOptions(TableOptions, CountsFileOptions):
    """All that ``whichf1 count`` takes."""

    positive: Text = option("With --score: the class that the scores are for.")
    metric: Text = option(
        "With --probs: the loss to sum (default: log_loss), or a metric of predicted classes to "
        "count the most probable class.",
        "--metric",
        "-m",
    )


class MergeOptions(CountsFileOptions):
    """All that ``whichf1 merge`` takes."""

    files: list[str] = argument("Files of saved counts, all of one kind.", default=REQUIRED)


class CompareOptions(SliceOptions, DataOptions, DefinitionOptions, ResamplingOptions, GateOptions):
    """All that ``whichf1 compare`` takes."""

    true: Text = option(TRUE_SETS)
    pred: list[str] = option(
        "Column with the predictions of a system; repeat it. If there is a column for each class "
        "or label, SYSTEM=COLUMN,COLUMN in the order of --labels or --true.",
        default=(),
    )
    value: list[str] | None = option(
        "In place of --pred: column with a value that a system has of each item, larger is better; "
        "repeat it. With --log: the metric of the log whose values are compared."
    )
    log: list[str] | None = option(
        "In place of a file: a log of lm-evaluation-harness (samples_*.jsonl) or Inspect (.eval, "
        ".json), a folder of them, or SYSTEM=PATH; repeat it."
    )
    answers: bool = option(
        "With --log: compare predicted answers by -m, not values.", "--answers", default=False
    )
    filter: Text = option("With --log: the filter of lm-evaluation-harness.")
    missing: Text = option(
        "With --log: items that not every log has: complete (default) leaves them out, all keeps "
        "them. Either way they are counted."
    )
    metric: list[str] = option(
        "A metric, or a signature. Several, --baseline or --by make a table of systems and "
        "metrics.",
        "--metric",
        "-m",
        default=("averaged_f1",),
    )
    baseline: Text = option(
        "In a table: test against this system, not the best of each column. Or a file: of "
        "predictions for the same items, matched by line or by --id, or of saved counts, which are "
        "tested without pairing."
    )
    baseline_pred: Text = option(
        "Column of the predictions in the file of --baseline. Default: called like --pred, or as "
        "usual."
    )
    fail_if_worse: float | None = option(
        "Exit with code 1 if a system is significantly worse than --baseline, by more than this "
        "margin (default: 0).",
        metavar="[MARGIN]",
    )
    show: Show = option("In a table: value, interval, or error for ±.", default=Show.value)
    percent: bool = option("In a table: values in percent.", "--percent", default=False)
    arrows: bool = option("In a table: arrows for the better direction.", default=True)
    threshold: float | None = option(
        "Columns of --pred hold scores of the class --positive; items with at least this score are "
        "predicted as it."
    )
    cluster: Text = option(CLUSTER)
    labels_sep: Text = option(SEPARATOR)
    power: float | None = option("Power for the detectable difference. Default: 0.8.")
    margin: float | None = option("Also test whether systems differ by less than this.")
    adjust: Text = option(
        "Adjust p-values for many pairs: holm (default), fdr (false discovery rate) or none."
    )
    posterior: bool = option("Also print posterior probabilities.", default=False)
    rope: float | None = option("And the probability that systems differ by less than this.")
    effect: float | None = option(
        "The difference that matters, for items needed. Default: the observed difference."
    )

    @property
    def baseline_file(self) -> bool:
        """Whether the baseline is a file, not one of the systems."""
        name = self.baseline
        return name is not None and name not in self.pred and os.path.isfile(name)

    @property
    def wants_table(self) -> bool:
        """Whether a table of systems and metrics is asked for."""
        asked = {
            "--show": self.show is not Show.value,
            "--percent": self.percent,
            "--no-arrows": not self.arrows,
        }
        table = len(self.metric) > 1 or self.baseline is not None or self.by is not None
        if self.fail_if_worse is not None and self.baseline is None:
            raise InputError(
                "--fail-if-worse needs a --baseline: a system, a file of predictions, or a file of "
                "saved counts"
            )
        if self.fail_if_worse is not None and not 0 <= self.fail_if_worse < math.inf:
            raise InputError(
                f"--fail-if-worse takes a margin of at least 0; got {self.fail_if_worse}"
            )
        unused = [name for name, given in asked.items() if given and not table]
        if unused:
            raise InputError(
                f"{unused[0]} is for a table of results: give several -m, --baseline or --by"
            )
        return table


class AgreeOptions(
    SliceOptions, LabelOptions, SourceOptions, LimitOptions, IntervalOptions, GateOptions
):
    """All that ``whichf1 agree`` takes."""

    file: Text = argument(
        "A file of ratings (CSV, TSV, JSONL, Parquet, Arrow), a quoted glob pattern, an address of "
        "one (s3://, https://), a database (postgresql://, sqlite:///), saved ratings, or - for "
        "standard input with --from."
    )
    raters: Text = option("Wide: the column of each rater: a,b,c. Default: all columns.")
    item: Text = option("Long: column with the items; wide: a column that is not a rater.")
    rater: Text = option("Long: column with the raters.")
    rating: Text = option("Long: column with the ratings.")
    weights: Text = option("Wide: column with item weights.")
    frequencies: Text = option("Wide: column that says how many equal items a row stands for.")
    cluster: Text = option(CLUSTER)


class StudyOptions(LabelOptions, DefinitionOptions, OutputOptions):
    """All that ``whichf1 study`` takes."""

    files: list[str] = argument(
        "Files of predictions, a quoted pattern with named parts such as "
        "'runs/{system}/{seed}.csv', saved counts, or a saved study to extend.",
        default=REQUIRED,
    )
    metric: str = option("A metric, or a signature.", "--metric", "-m", default="averaged_f1")
    true: Text = option(TRUE)
    pred: list[str] | None = option(
        f"{PRED} Or SYSTEM=COLUMN,COLUMN for the runs of a system; repeatable."
    )
    score_column: Text = option(SCORE, "--score")
    system: Text = option("Column, or part of the pattern, that names the system.")
    run: Text = option("Column, or part of the pattern, that tells runs apart, such as the seed.")
    fold: Text = option("Column, or part of the pattern, with the fold of a cross-validation.")
    dataset: Text = option("Column, or part of the pattern, that names the data set.")
    item: Text = option("Column that says which item a row is. Default: matched by line.")
    cluster: Text = option(CLUSTER)
    from_: Text = option("Input format: csv, tsv, jsonl, parquet, arrow or npz.", "--from")
    on_error: OnError = option("Stop at malformed lines, or skip them.", default=OnError.stop)
    folding: Text = option("Scores of folds: averaged (default), or pooled.")
    unmatched: bool = option(
        "Runs of the same name have nothing in common.", "--unmatched", default=False
    )
    missing: Text = option(
        "If runs lack items, or systems lack runs or data sets: complete keeps what all have, all "
        "keeps everything. Default: an error."
    )
    level: float | None = option("Nominal coverage of intervals. Default: 0.95.")
    adjust: Text = option("Adjust p-values: holm (default), fdr or none.")
    power: float | None = option("Power for the detectable difference. Default: 0.8.")
    margin: float | None = option("Also test whether systems differ by less than this.")
    rope: float | None = option("Region of practical equivalence, for posterior probabilities.")
    seed: int | None = option("Seed for what is drawn.")
    save: Text = option("Save all that was read to this .json file, to extend it later.")
    plot: Text = option("Write the picture to this .pdf, .svg or .png file.")
    page: Text = option("Write the study as a page to this .html file.")


class ThresholdOptions(DataOptions, OutputOptions):
    """All that ``whichf1 threshold`` takes."""

    metric: str = option(
        "The metric to maximize, of predicted classes.", "--metric", "-m", default="f1"
    )
    score_column: Text = option(SCORE, "--score")
    positive: Text = option("The class that the scores are for.")
    around: int = option("Thresholds to show on either side of the best.", default=5, min=0)
    correct: Text = option(
        "Correct for choosing the threshold on the same items: bootstrap or cross-validation."
    )


class PlotOptions(DataOptions):
    """All that ``whichf1 plot`` takes."""

    kind: str = argument("The kind of picture; `whichf1 plot list` lists them.", default=REQUIRED)
    output: Text = option("Write the picture to this .pdf, .svg or .png file.", "--output", "-o")
    pred: list[str] | None = option(f"{PRED} Repeat it to compare systems.")
    score_column: list[str] | None = option(f"{SCORE} Repeat it for several systems.", "--score")
    positive: Text = option("The class that the scores are for.")
    by: Text = option("For slices: the columns, lang,domain.")
    metric: list[str] | None = option(
        "For threshold, slices, comparison and posterior: a metric, or a signature.",
        "--metric",
        "-m",
    )
    correct: Text = option(
        "For threshold: estimate its optimism, by bootstrap or cross-validation."
    )
    threshold: float | None = option("With --score: items with at least this score are positive.")
    labels_sep: Text = option(SEPARATOR)
    band: Text = option("For curves: pointwise, simultaneous, both or none.")
    share: Text = option("For confusion: shares of true or predicted classes, or none.")
    order: Text = option("For confusion, classes and dialects: the order of what is shown.")
    baseline: Text = option("For comparison: only differences from this system.")
    margin: float | None = option("For comparison: smaller differences do not matter.")
    level: float | None = option("Nominal coverage of bands and intervals. Default: 0.95.")
    title: Text = option("A title in place of the usual one; '' for none.")
    caption: Text = option("A caption in place of notes and signature; '' for none.")
    dpi: int = option("Dots per inch of a PNG.", default=200, min=20, max=1200)
    frequencies: Text = option("Column that says how many equal items a row stands for.")
    cluster: Text = option(CLUSTER)


class PageOptions(TableOptions, MetricOptions):
    """All that ``whichf1 report`` takes."""

    pred: list[str] | None = option(  # type: ignore[assignment]
        f"{PRED} Repeat it for several systems: the details are of the first."
    )
    output: Text = option("Write the page to this .html file.", "--output", "-o")


class DialectOptions(LabelOptions, InlineMatrixOptions, OutputOptions):
    """All that ``whichf1 dialects`` takes: a file of predictions, or a matrix."""

    file: Text = argument("A file of predictions, as score reads them.")
    true: Text = option(TRUE)
    pred: Text = option(PRED)


class ConvertOptions(DialectOptions):
    """All that ``whichf1 convert`` takes."""

    source: str = option(DIALECT, "--from", default=REQUIRED)
    target: str = option(DIALECT, "--to", default=REQUIRED)
    value: Text = option("The published score, to be checked.")
    value_decimals: int | None = option(DECIMALS)


class ExplainOptions(DialectOptions):
    """All that ``whichf1 explain`` takes."""

    value: str = option("The published number, as printed: 0.354 or 35.4.", default=REQUIRED)
    value_decimals: int | None = option(DECIMALS)
    scale: Text = option(SCALE)


class AuditOptions(InlineMatrixOptions, OutputOptions):
    """All that ``whichf1 audit`` takes."""

    results: Text = argument(
        "A file of published results, one triple per row: CSV, TSV, Markdown or LaTeX."
    )
    precision: Text = option("Published macro precision.")
    recall: Text = option("Published macro recall.")
    f1: Text = option("Published macro F1.")
    value_decimals: int | None = option(DECIMALS)
    classes: int | None = option(
        "Number of classes, if each item has one and all are averaged over."
    )
    scale: Text = option(SCALE)
    per_class: Text = option("A file with the precision and recall of each class.")


class DefineOptions(OptionGroup):
    """All that ``whichf1 define`` takes."""

    name: str = argument("A metric, a shorthand, an alias or a signature.", default=REQUIRED)


class ChooseOptions(FormatOptions):
    """All that ``whichf1 choose`` takes."""

    want: list[str] | None = option(
        "A property that matters, such as monotone or invariant-to-prevalence; repeatable. "
        "Without any, it asks.",
        "--want",
        "-w",
    )
    one_class: bool = option(
        "Scores of one class against the rest, not of all classes.", "--one-class", default=False
    )


class PlaygroundOptions(OptionGroup):
    """All that ``whichf1 playground`` takes."""

    output: Text = option("Write the page to this file.", "--output", "-o")


class PaperOptions(OptionGroup):
    """All that ``whichf1 paper`` takes."""

    part: Part = argument(
        "Which part; beyond: questions that the paper leaves open.", default=Part.all
    )
    output: Text = option("Folder for figures, data and summary.", "--output", "-o")
    seed: int = option("Seed for everything random.", default=2019, min=0)
    formats: str = option("Formats of the figures, among pdf, svg and png.", default="pdf,svg,png")
    page: Text = option("Write the annotated page here; needs all and --output.")


def is_terminal() -> bool:
    """Whether standard output is a terminal, or should be treated as one."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal or bool(os.environ.get("FORCE_COLOR"))


def _has_symbols() -> bool:
    """Whether standard output can show superscript digits, which mark ranks."""
    try:
        "¹²".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def split_list(text: str) -> list[str]:
    """Split a list like a line of CSV, so that a class in quotes may contain a comma."""
    return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), [])]


def is_list(text: str | None) -> bool:
    """Whether an option names several columns."""
    return text is not None and len(split_list(text)) > 1


def label_columns(option: str, *texts: str) -> tuple[list[str], list[str]]:
    """Labels and the column of each, as written: LABEL=COLUMN or the name of both, a,b,c."""
    pairs = [part.partition("=") for text in texts for part in split_list(text)]
    if len({bool(sign) for _, sign, _ in pairs}) > 1:
        raise InputError(f"{option}: give LABEL=COLUMN for each label, or for none")
    return [label for label, _, _ in pairs], [column or label for label, _, column in pairs]


def _read_shares(text: str, labels: Labels) -> dict[Label, float]:
    """The share of each class, as written: a=0.2,b=0.8."""
    shares: dict[Label, float] = {}
    for part in split_list(text):
        name, sign, number = part.rpartition("=")
        if not sign or not _is_number(number):
            raise InputError(
                f"--class-shares takes uniform, or a share of each class such as a=0.2,b=0.8; got "
                f"{part!r}"
            )
        shares[find_label(name, labels)] = float(number)
    return shares


def columns_of(option: str, text: str | None) -> list[str]:
    """The names of columns that an option lists; none without it."""
    columns = [] if text is None else split_list(text)
    if text is not None and not (columns and all(columns)):
        raise InputError(f"{option} takes names of columns, such as lang,domain; got {text!r}")
    return columns


def find_label(text: str, labels: Labels) -> Label:
    """The class with this text."""
    for label in labels:
        if str(label) == text:
            return label
    hint = did_you_mean(text, [str(label) for label in labels[:50]])
    raise InputError(f"there is no class {text!r}. {hint}")


def find_dropped(text: str, labels: Labels) -> Label:
    """The class of --ignore with this text, even if its items were dropped."""
    kind = labels.kind
    readings: list[Label] = [text] if kind == "str" else [*from_text([text])]
    return find_label(text, labels if kind_of(readings[0]) != kind else Labels(readings))
