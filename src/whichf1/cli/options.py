"""Options as classes: each attribute is an option of the command line, each class a group of them.

``command`` makes a command from a function that takes such a class. In --help, its own options come
first, then those of its base classes in order.
"""

from __future__ import annotations

import csv
import math
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache, partial
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Self,
    TypeAlias,
    dataclass_transform,
    get_args,
    get_type_hints,
)

import click

from whichf1.cli.process import emit, say
from whichf1.definitions.methods import find_method
from whichf1.definitions.signature import read
from whichf1.errors import DefinitionError, InputError, LabelError, did_you_mean
from whichf1.reporting.document import LEAST_WIDTH, Document, Terminal, render, signed, text_lines
from whichf1.reporting.gates import KINDS, Limit, Verdict, github, junit, summary, with_gates
from whichf1.reporting.tabular import LatexStyle
from whichf1.sources.engines.database import MEMORY_LIMIT
from whichf1.tables.labels import Label, Labels, from_text, kind_of
from whichf1.tables.saving import add_to, write_whole

if TYPE_CHECKING:
    from whichf1.reporting.layout import Line

Text: TypeAlias = str | None
REQUIRED = ...
"""The default of a required option."""


class Declared(NamedTuple):
    """An option or an argument as it is declared; its type is that of the attribute."""

    kind: type[click.Parameter]
    names: tuple[str, ...]
    default: Any
    more: dict[str, Any]
    """Its help, and what else click takes; ``min`` and ``max`` of a number."""

    def of(self, name: str, hint: Any) -> click.Parameter:
        """The parameter of a command, for an attribute of this name and type."""
        type_, several = _plain_type(hint)
        settings: dict[str, Any] = {**self.more, "required": self.default is REQUIRED}
        if self.default is not REQUIRED:
            settings["default"] = getattr(self.default, "value", self.default)
        bounds = {each: settings.pop(each) for each in ("min", "max") if each in settings}
        settings["type"] = click.IntRange(**bounds) if bounds else _click_type(type_)
        if self.kind is PositionalArgument:
            return PositionalArgument([name], nargs=-1 if several else 1, **settings)
        dashed = f"--{name.replace('_', '-')}"
        words = self.names or ((f"{dashed}/--no-{dashed[2:]}",) if type_ is bool else (dashed,))
        if type_ is bool:
            settings |= {"is_flag": True, "type": None}
        shown = self.default not in (None, REQUIRED, ()) and not (self.names and type_ is bool)
        return click.Option([name, *words], multiple=several, show_default=shown, **settings)

    def written(self, name: str) -> str:
        """What a user writes to set it, for an attribute of this name."""
        if self.kind is PositionalArgument:
            return name.upper()
        dashed = next((x for x in self.names if x.startswith("--")), f"--{name.replace('_', '-')}")
        return dashed if self.default is not True else f"--no-{dashed[2:]}"

    def value(self, typed: Any, hint: Any) -> Any:
        """What was given, as the attribute's type; an option that was not given is its default."""
        type_, several = _plain_type(hint)
        if typed is None or (several and not typed):
            return self.default
        return [*typed] if several else type_(typed) if issubclass(type_, StrEnum) else typed


def _plain_type(hint: Any) -> tuple[Any, bool]:
    """A type without None, and whether it is a list of it."""
    plain = next((each for each in get_args(hint) if each is not NoneType), hint)
    if hint in (list[str], list[str] | None):
        return str, True
    return plain, False


def _click_type(type_: Any) -> Any:
    return click.Choice([each.value for each in type_]) if issubclass(type_, StrEnum) else type_


class PositionalArgument(click.Argument):
    """A positional argument with a help text, which click has since 8.5."""

    def __init__(self, *names: Any, help: str, **more: Any) -> None:
        super().__init__(*names, **more)
        self.help = help

    @property
    def described(self) -> tuple[str, str]:
        """Its name or its values, and its help."""
        choices = getattr(self.type, "choices", None)
        name = "|".join(choices) if choices else self.human_readable_name
        facts = "  [required]" if self.required else ""
        if isinstance(self.default, str):
            facts = f"  [default: {self.default}]"
        return name + "..." * (self.nargs < 0), f"{self.help}{facts}"


def option(help: str, *names: str, default: Any = None, **more: Any) -> Any:
    """An attribute that is an option, with its help and, if they are not the attribute's, names."""
    return Declared(click.Option, names, default, {"help": help, **more})


def argument(help: str, *, default: Any = None, **more: Any) -> Any:
    """An attribute that is a positional argument."""
    return Declared(PositionalArgument, (), default, {"help": help, **more})


class Command(click.Command):
    """A command that refuses a repeated option if it takes one value, rather than drop one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments of the command line."""
        args = _with_values(args)
        seen: set[int] = set()
        for each in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if id(each) in seen and not getattr(each, "multiple", False):
                ctx.fail(f"{each.opts[0]} appears twice, but takes one value: remove one")
            if isinstance(each, click.Option):
                seen.add(id(each))
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments with their help, then the options."""
        arguments = [x for x in self.params if isinstance(x, PositionalArgument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([each.described for each in arguments])
        super().format_options(ctx, formatter)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing: click 8.5 would write the arguments once more."""


MAY_LACK_A_VALUE = {"--fail-if-worse": "0"}
"""Options whose value may be omitted, and the value used then."""


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


def command(run: Callable[[Any], None]) -> Command:
    """Make a command from a function of one group of options."""
    group: type[OptionGroup] = get_type_hints(run)["options"]
    hints, declared = get_type_hints(group), group.declared_options()

    def call(**values: Any) -> None:
        run(group(**{x: declared[x].value(typed, hints[x]) for x, typed in values.items()}))

    parameters = [each.of(name, hints[name]) for name, each in declared.items()]
    return Command(run.__name__, params=parameters, callback=call, help=run.__doc__)


Format = StrEnum("Format", "text json markdown latex html csv")
GateFormat = StrEnum("GateFormat", "text json markdown latex html csv junit github")
"""Also the formats that report the outcome of gates to a continuous integration server."""
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
SCORE = "Column with scores; higher means more likely positive."
SEPARATOR = "Cells hold several labels, separated by this text."
DECIMALS = "Decimals that the published numbers were rounded to."
SCALE = "unit or percent. Default: inferred."
DIALECT = "A dialect or a signature."

# groups of options


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option, argument))
class OptionGroup:
    """A group of options, and their values; a frozen dataclass to type checkers.

    It is none, because making dataclasses of all groups would take longer than a command.
    """

    def __init__(self, **values: Any) -> None:
        declared = self.declared_options()
        if unknown := values.keys() - declared.keys():
            raise TypeError(f"{type(self).__name__} has no option {', '.join(sorted(unknown))}")
        missing = (name for name, each in declared.items() if each.default is REQUIRED)
        if lacking := [name for name in missing if name not in values]:
            raise TypeError(f"{type(self).__name__} needs the option {', '.join(lacking)}")
        defaults = {name: each.default for name, each in declared.items()}
        vars(self).update(defaults | values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"options do not change: {name}")

    @classmethod
    @cache
    def declared_options(cls) -> dict[str, Declared]:
        """What is declared in a class, then in its base classes; the first of a name counts."""
        every: dict[str, Declared] = {}
        for base in cls.__mro__:
            for name, each in vars(base).items():
                if isinstance(each, Declared):
                    every.setdefault(name, each)
        return every

    def refuse_other(self, chosen: str, allowed: Collection[str]) -> None:
        """Raise for an option that was set but would do nothing beside the one that was chosen."""
        for name, declared in self.declared_options().items():
            value = getattr(self, name)
            plain = (*value,) if isinstance(value, list) else value
            if name not in allowed and plain != declared.default:
                raise InputError(
                    f"{declared.written(name)} does not apply with {chosen}: remove it"
                )

    def but(self, **values: Any) -> Self:
        """The same options, some with other values."""
        return type(self)(**{**vars(self), **values})


class FormatOptions(OptionGroup):
    """How a document is printed."""

    format: Format = option("Output format.", "--format", "-f", default=Format.text)


class OutputOptions(FormatOptions):
    """How a document is printed, and where."""

    decimals: int | None = option("Decimals in tables. Default: 4.", default=None, min=0, max=17)
    output: Text = option("Write to this file, not standard output.", "--output", "-o")

    signature: SignatureForm | None = option(
        "Signatures: none, short (what differs, then once what is shared) or full. Default: short "
        "in text that "
        "is printed, full in files and other formats.",
        default=None,
    )
    caption: Text = option(
        "A title in place of the default; in LaTeX, the caption of tables.", default=None
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
        unused = [name for name, present in asked.items() if present]
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
        """The classes of --ignore that are not among those of --labels, if there are any."""
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
        "A file (CSV, TSV, JSONL, Parquet, Arrow, npz), a quoted glob pattern, a remote address "
        "(s3://, https://), a database (postgresql://, sqlite:///), or - for standard input with "
        "--from."
    )
    from_: Text = option("Input format: csv, tsv, jsonl, parquet, arrow or npz.", "--from")
    table: Text = option("Table of a database, as t or schema.t.")
    query: Text = option("Query that selects the rows of a database.")
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
    frequencies: Text = option("Column with the number of equal items that a row stands for.")

    def columns(self, *names: str) -> dict[str, Any]:
        """The options with these names, and the declared classes."""
        return {"labels": self.declared, **{name: getattr(self, name) for name in names}}


class CountingOptions(DataOptions):
    """Predictions to be counted."""

    file: Text = argument(
        "A file of predictions (CSV, TSV, JSONL, Parquet, Arrow, npz), a quoted glob pattern, a "
        "remote address (s3://, https://), a database (postgresql://, sqlite:///), saved counts, "
        "or - for standard input."
    )
    pred: Text = option(PRED)
    cluster: Text = option(CLUSTER)


class SliceOptions(OptionGroup):
    """Slices of the items."""

    by: Text = option("Treat each slice of these columns separately: lang,domain.")

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
        "A column of probabilities for each class, named after the class or CLASS=COLUMN: a,b,c; "
        "repeatable. For sets of labels, any scores."
    )
    labels_sep: Text = option(SEPARATOR)
    spans: Text = option(
        "The file has tagged tokens (CoNLL): BIO, IOB1, BIOES or BILOU; or spans (JSONL): offsets."
    )
    match: Text = option("With --spans: strict (default), exact, partial or type.")
    broken: Text = option("With --spans: raise (default), repair or drop broken tags.")
    nested: bool = option("With --spans offsets: spans may overlap.", "--nested", default=False)

    @property
    def kind(self) -> str | None:
        """The option that tells what the columns hold; None for predicted classes."""
        if self.labels_sep == "":
            raise InputError("--labels-sep must not be empty: pass the separator between labels")
        kinds = {
            "--score": self.score_column,
            "--probs": self.probs,
            "--labels-sep": self.labels_sep,
            "--spans": self.spans,
        }
        chosen = [name for name, value in kinds.items() if value]
        if len(chosen) > 1 and chosen != ["--probs", "--labels-sep"]:
            raise InputError(
                "--score, --probs, --labels-sep and --spans are mutually exclusive: choose one. "
                "Only --labels-sep and --probs go together, for the scores of label sets."
            )
        for name in ("match", "broken", "nested"):
            if getattr(self, name) not in (None, False) and not self.spans:
                raise InputError(f"--{name} applies to spans: name the tagging scheme with --spans")
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
                "--pred cannot be combined with --score or --probs, from which predictions are "
                "made: choose one"
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
        "Output format; junit and github report the outcome of gates to a server.",
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
            raise click.exceptions.Exit(1)

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
    """The definition of the score."""

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
                f"--scope {self.scope} has no effect if 0/0 counts as 0: add --undefined 1, "
                "skip or nan, or remove it"
            )
        options["undefined"] = self.undefined
        if self.undefined not in (None, "skip", "nan"):
            with suppress(ValueError):  # the error of the option itself is clearer
                options["undefined"] = float(self.undefined)
        return {name: value for name, value in options.items() if value is not None}


class ResamplingOptions(OptionGroup):
    """Level of the intervals, and how they are computed."""

    level: float | None = option("Confidence level of intervals. Default: 0.95.")
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
        """Whether an option describes how intervals are computed."""
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
        "NAME=VALUE: exit with code 1 if the score, or that of a slice, is lower; repeatable."
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
        """The limits that the scores are compared with."""
        return [
            Limit.parse(kind, text)
            for name, kind in KINDS.items()
            for text in getattr(self, name) or []
        ]


class ReportOptions(LimitOptions, MetricOptions, GateOptions):
    """What to report for a table of counts."""

    confusion: bool | None = option(
        "Show the confusion matrix. Default: in text, if it fits and has up to 12 classes."
    )
    share: Text = option("Show the confusion matrix as fractions of true, predicted or all items.")


class InlineMatrixOptions(OptionGroup):
    """A confusion matrix on the command line."""

    matrix: Text = option(
        "A confusion matrix instead of predictions: '2 5 10 5 10', or a file as for matrix."
    )
    rows: Text = option("What a row of the matrix is: true or predicted.")


# the options of each command


class ScoreOptions(TableOptions, ReportOptions):
    """The options of ``whichf1 score``."""

    parents: Text = option(
        "For hierarchical scores: a CSV file with the columns class and parent, with a row for "
        "each parent of a class; a class at the top has no parent."
    )


class GroupsOptions(TableOptions, MetricOptions, OutputOptions):
    """The options of ``whichf1 groups``."""

    by: Text = option("The columns that define the groups: sex,region.")
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
    """The options of ``whichf1 matrix``."""

    numbers: list[str] = argument(
        "A CSV or TSV file with the names of classes in its first row and column; or the number of "
        "classes, then the matrix row by row.",
        default=REQUIRED,
    )
    rows: Text = option("What a row is: true or predicted.")


class CountOptions(TableOptions, CountsFileOptions):
    """The options of ``whichf1 count``."""

    positive: Text = option("With --score: the class that the scores are for.")
    metric: Text = option(
        "With --probs: the loss to sum (default: log_loss), or a metric of predicted classes to "
        "count the most probable class.",
        "--metric",
        "-m",
    )


class MergeOptions(CountsFileOptions):
    """The options of ``whichf1 merge``."""

    files: list[str] = argument("Files of saved counts, all of one kind.", default=REQUIRED)


class CompareOptions(SliceOptions, DataOptions, DefinitionOptions, ResamplingOptions, GateOptions):
    """The options of ``whichf1 compare``."""

    true: Text = option(TRUE_SETS)
    pred: list[str] = option(
        "Column with the predictions of a system; repeat it. If there is a column for each class "
        "or label, SYSTEM=COLUMN,COLUMN in the order of --labels or --true.",
        default=(),
    )
    value: list[str] | None = option(
        "Instead of --pred: column with a value of each item for a system, larger is better; "
        "repeatable. With --log: the metric of the log whose values are compared."
    )
    log: list[str] | None = option(
        "Instead of a file: a log of lm-evaluation-harness (samples_*.jsonl) or Inspect (.eval, "
        ".json), a folder of them, or SYSTEM=PATH; repeatable, also for logs of the same system."
    )
    answers: bool = option(
        "With --log: compare predicted answers by -m, not values.", "--answers", default=False
    )
    filter: Text = option("With --log: the filter of lm-evaluation-harness.")
    missing: Text = option(
        "With --log: items that some logs lack: complete (default) leaves them out, all keeps "
        "them. Their number is reported."
    )
    metric: list[str] = option(
        "A metric, or a signature. Several metrics, --baseline or --by give a table of "
        "systems and metrics.",
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
        "Column of the predictions in the file of --baseline. Default: the same name as --pred, "
        "or a usual name."
    )
    fail_if_worse: float | None = option(
        "Exit with code 1 if a system is significantly worse than --baseline, by more than this "
        "margin (default: 0).",
        metavar="[MARGIN]",
    )
    show: Show = option(
        "In a table: the value alone, its interval, or ± half of it (error).", default=Show.value
    )
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
    rope: float | None = option("Also print the probability that systems differ by less than this.")
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
        """Whether a table of systems and metrics is requested."""
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
        unused = [name for name, present in asked.items() if present and not table]
        if unused:
            raise InputError(
                f"{unused[0]} is for a table of results: use several -m, --baseline or --by"
            )
        return table


class AgreeOptions(
    SliceOptions, LabelOptions, SourceOptions, LimitOptions, IntervalOptions, GateOptions
):
    """The options of ``whichf1 agree``."""

    file: Text = argument(
        "A file of ratings (CSV, TSV, JSONL, Parquet, Arrow), a quoted glob pattern, a remote "
        "address "
        "(s3://, https://), a database (postgresql://, sqlite:///), saved ratings, or - for "
        "standard input with --from."
    )
    raters: Text = option("Wide: the column of each rater: a,b,c. Default: all columns.")
    item: Text = option("Long: column with the items; wide: a column that is not a rater.")
    rater: Text = option("Long: column with the raters.")
    rating: Text = option("Long: column with the ratings.")
    weights: Text = option("Wide: column with item weights.")
    frequencies: Text = option("Wide: column with the number of equal items that a row stands for.")
    cluster: Text = option(CLUSTER)


class StudyOptions(LabelOptions, DefinitionOptions, OutputOptions):
    """The options of ``whichf1 study``."""

    files: list[str] = argument(
        "Files of predictions, a quoted pattern with named parts such as "
        "'runs/{system}/{seed}.csv', saved counts, or a saved study to extend.",
        default=REQUIRED,
    )
    metric: str = option("A metric, or a signature.", "--metric", "-m", default="averaged_f1")
    true: Text = option(TRUE_SETS)
    pred: list[str] | None = option(
        f"{PRED} Or SYSTEM=COLUMN,COLUMN for the runs of a system; repeatable."
    )
    score_column: Text = option(SCORE, "--score")
    probs: list[str] | None = option(
        "A column of scores for each class, or each label of sets, named after it or CLASS=COLUMN: "
        "a,b,c; repeatable."
    )
    value: Text = option("Column with a value of each item, whose mean is compared.")
    system: Text = option("Column, or part of the pattern, that names the system.")
    run: Text = option("Column, or part of the pattern, that distinguishes runs, such as the seed.")
    fold: Text = option("Column, or part of the pattern, with the fold of a cross-validation.")
    dataset: Text = option("Column, or part of the pattern, that names the data set.")
    item: Text = option("Column that identifies items. Default: matched by line.")
    cluster: Text = option(CLUSTER)
    weights: Text = option("Column with item weights, the same in every run.")
    labels_sep: Text = option(SEPARATOR)
    from_: Text = option("Input format: csv, tsv, jsonl, parquet, arrow or npz.", "--from")
    on_error: OnError = option("Stop at malformed lines, or skip them.", default=OnError.stop)
    folding: Text = option("Scores of folds: averaged (default), or pooled.")
    unmatched: bool = option("Do not match runs of the same name.", "--unmatched", default=False)
    missing: Text = option(
        "If runs lack items, or systems lack runs or data sets: complete keeps what all have in "
        "common, all keeps everything. Default: an error."
    )
    level: float | None = option("Confidence level of intervals. Default: 0.95.")
    adjust: Text = option("Adjust p-values: holm (default), fdr or none.")
    power: float | None = option("Power for the detectable difference. Default: 0.8.")
    margin: float | None = option("Also test whether systems differ by less than this.")
    rope: float | None = option("Region of practical equivalence, for posterior probabilities.")
    seed: int | None = option("Seed for random draws.")
    save: Text = option("Save everything that was read to this .json file, to extend it later.")
    plot: Text = option("Write the picture to this .pdf, .svg or .png file.")
    page: Text = option("Write the study as a page to this .html file.")


class ThresholdOptions(DataOptions, OutputOptions):
    """The options of ``whichf1 threshold``."""

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
    """The options of ``whichf1 plot``."""

    kind: str = argument("The kind of picture; `whichf1 plot list` lists them.", default=REQUIRED)
    output: Text = option("Write the picture to this .pdf, .svg or .png file.", "--output", "-o")
    pred: list[str] | None = option(f"{PRED} Repeat it to compare systems.")
    score_column: list[str] | None = option(f"{SCORE} Repeat it for several systems.", "--score")
    positive: Text = option("The class that the scores are for.")
    by: Text = option("For slices: the columns, such as lang,domain.")
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
    share: Text = option("For confusion: fractions of true or predicted classes, or none.")
    order: Text = option("For confusion, classes and dialects: the order of rows.")
    baseline: Text = option("For comparison: only differences from this system.")
    margin: float | None = option("For comparison: smaller differences do not matter.")
    level: float | None = option("Confidence level of bands and intervals. Default: 0.95.")
    title: Text = option("A title in place of the default; '' for none.")
    caption: Text = option("A caption in place of notes and signature; '' for none.")
    dpi: int = option("Dots per inch of a PNG.", default=200, min=20, max=1200)
    frequencies: Text = option("Column with the number of equal items that a row stands for.")
    cluster: Text = option(CLUSTER)


class PageOptions(TableOptions, MetricOptions):
    """The options of ``whichf1 report``."""

    pred: list[str] | None = option(  # type: ignore[assignment]
        f"{PRED} Repeat it for several systems; the details are for the first."
    )
    output: Text = option("Write the page to this .html file.", "--output", "-o")


class DialectOptions(LabelOptions, InlineMatrixOptions, OutputOptions):
    """The options of ``whichf1 dialects``: a file of predictions, or a matrix."""

    file: Text = argument("A file of predictions, as score reads them.")
    true: Text = option(TRUE)
    pred: Text = option(PRED)


class ConvertOptions(DialectOptions):
    """The options of ``whichf1 convert``."""

    source: str = option(DIALECT, "--from", default=REQUIRED)
    target: str = option(DIALECT, "--to", default=REQUIRED)
    value: Text = option("The published score, to be checked.")
    value_decimals: int | None = option(DECIMALS)


class ExplainOptions(DialectOptions):
    """The options of ``whichf1 explain``."""

    value: str = option("The published number, as printed: 0.354 or 35.4.", default=REQUIRED)
    value_decimals: int | None = option(DECIMALS)
    scale: Text = option(SCALE)


class AuditOptions(InlineMatrixOptions, OutputOptions):
    """The options of ``whichf1 audit``."""

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
    """The options of ``whichf1 define``."""

    name: str = argument("A metric, a shorthand, an alias or a signature.", default=REQUIRED)


class ChooseOptions(FormatOptions):
    """The options of ``whichf1 choose``."""

    want: list[str] | None = option(
        "A property that the score must have, such as monotone or invariant-to-prevalence; "
        "repeatable. Without any, it asks.",
        "--want",
        "-w",
    )
    one_class: bool = option(
        "Choose among scores of one class against the rest, not of all classes.",
        "--one-class",
        default=False,
    )


class PlaygroundOptions(OptionGroup):
    """The options of ``whichf1 playground``."""

    output: Text = option("Write the page to this file.", "--output", "-o")


class PaperOptions(OptionGroup):
    """The options of ``whichf1 paper``."""

    part: Part = argument(
        "Which part; beyond: questions that the paper leaves open.", default=Part.all
    )
    output: Text = option("Folder for figures, data and summary.", "--output", "-o")
    seed: int = option("Seed for everything random.", default=2019, min=0)
    formats: str = option("Formats of the figures: any of pdf, svg and png.", default="pdf,svg,png")
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


def probability_columns(probs: list[str], labels: list[Label] | None) -> tuple[Labels, list[str]]:
    """Classes and the column of each, in the order of --labels if these are declared."""
    parts = [each for text in probs for each in split_list(text)]
    pairs = [part.partition("=")[::2] for part in parts]
    columns = [column_name or name for name, column_name in pairs]
    texts = [name for name, _ in pairs]
    known = labels is not None and Labels(labels).kind == "str"
    names = Labels(texts if known else from_text(texts))
    if len(names) < 2:
        raise InputError(f"--probs needs a column for each class; got {', '.join(parts)}")
    unknown = next((x for x in names if labels is not None and x not in Labels(labels)), None)
    if unknown is not None:
        raise LabelError(f"{unknown!r} in --probs is not one of --labels {labels!r}")
    if labels is None:
        return names, columns
    lacking = [str(x) for x in labels if x not in names]
    if lacking:
        raise LabelError(
            f"{', '.join(lacking)} of --labels have no column of probabilities: name it in --probs"
        )
    order = sorted(range(len(names)), key=Labels(labels).codes(names).tolist().__getitem__)
    return Labels.trusted(names[at] for at in order), [columns[at] for at in order]


def _read_shares(text: str, labels: Labels) -> dict[Label, float]:
    """The share of each class, as written: a=0.2,b=0.8."""
    shares: dict[Label, float] = {}
    for part in split_list(text):
        name, sign, number = part.rpartition("=")
        if not sign or not _is_number(number):
            raise InputError(
                f"--class-shares takes uniform, or a share for each class such as a=0.2,b=0.8; got "
                f"{part!r}"
            )
        label = find_label(name, labels)
        if label in shares:
            raise InputError(f"--class-shares has two shares for {name}: remove one")
        shares[label] = float(number)
    return shares


def columns_of(option: str, text: str | None) -> list[str]:
    """The names of columns that an option lists; empty without it."""
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
