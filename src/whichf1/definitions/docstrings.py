"""What parameters mean, written once, and the docstrings that ``help()`` shows.

In the source, a docstring has a summary, a line for each parameter that is special to its
function, what it returns, errors other than the usual ones, and an example::

    by: The columns that define the slices.
    Returns: A mapping from the values of the columns to Counts.
    FileError: If the file is missing or damaged.

When the function is first imported from the package, ``complete`` turns this into the usual
sections, with the type, default and meaning of every parameter of the signature. A function of the
same module may share its lines: ``The other parameters are those of :func:`count`.``
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from textwrap import fill, indent
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

MEANING = {
    "average": "How the classes are combined: the plain mean over classes ('macro'), the mean "
    "weighted by the number of true items ('weighted'), the rate of the summed counts ('micro'), "
    "or the mean over items with sets of labels ('samples').",
    "formula": "Average the F score of each class ('averaged'), or compute it from averaged "
    "precision and averaged recall ('of-averages').",
    "positive": "Score this class alone.",
    "classes": "The classes to average over: those declared with labels= ('declared'), those that "
    "occur as true or predicted ('observed'), those that occur as true ('true'), all integers "
    "from 0 to the largest that occurs ('range'), or a list of classes. By default, those declared "
    "if any are, else those that occur.",
    "exclude": "Classes to leave out of the average. Their items still count as errors of other "
    "classes.",
    "ignore": "Drop the items whose true class is one of these, such as [-100] for padding. The "
    "class itself is then left out, unless it is declared or predicted for other items.",
    "class_shares": "Scale the true classes to these shares of all items before the score is "
    "computed: equal ones ('uniform'), or {class: share}. The result is what the score would be "
    "if the classes had these frequencies and were predicted as they are now.",
    "undefined": "What 0/0 gives: a number, nothing ('skip': the class is left out of the mean), "
    "or NaN ('nan').",
    "scope": "When an F score is 0/0: if the class is neither true nor predicted ('empty'), if "
    "precision or recall is 0/0 ('one-sided'), or whenever there are no hits ('no-hits').",
    "two_classes": "With exactly two classes, average over both, or score only the first or the "
    "last, as some programs do.",
    "epsilon": "A number to add to denominators, as some programs do to avoid dividing by 0.",
    "epsilon_in": "Add epsilon to every denominator ('all'), or only to that of the harmonic mean "
    "('harmonic').",
    "batch": "Average the scores of batches of this many consecutive items, as some programs do.",
    "interval": "How to compute a confidence interval: the name of a method or a method such as "
    "Bootstrap(seed=7). None computes no interval.",
    "labels": "The classes and their order. By default, those that occur, sorted.",
    "weights": "The weight of each item; for a dataframe or file, the name of a column.",
    "frequencies": "How many equal items each row stands for, whole numbers; for a dataframe or "
    "file, the name of a column.",
    "cluster": "The cluster that each item comes from, for intervals that account for clusters; "
    "for a dataframe or file, the name of a column.",
    "true": "The column of true classes; for sets of labels, a list of columns of 0 and 1, one for "
    "each label. Common names are recognized: true, y_true, gold, label.",
    "pred": "The column of predicted classes; for sets of labels, it may be a list of columns, as "
    "``true``. Common names are recognized: pred, y_pred, prediction.",
    "score": "The column of scores, or one column for each class or label.",
    "sep": "The text between two labels, if cells of a dataframe or file list several labels.",
    "id": "The column that matches the rows of two files: true classes and predictions.",
    "format": "The format of the file: csv, tsv, jsonl, parquet, arrow or npz. By default, "
    "it is detected.",
    "memory_limit": "How much memory reading may use before it continues in a temporary folder.",
    "on_error": "Whether malformed rows raise an error ('raise') or are skipped with a warning "
    "('skip').",
    "progress": "A function called with the fraction read so far, from 0 to 1.",
    "engine": "'spark' reads the files on a Spark cluster. By default, this process reads them.",
    "master": "The address of the Spark cluster, for example spark://host:7077.",
    "hive": "Whether folders such as lang=en/ add a column.",
    "storage_options": "Options for fsspec, for addresses such as s3://. By default, they come "
    "from the environment.",
    "query": "A query that selects the rows of a database.",
    "table": "The name of a table of a database.",
}
"""What each option means; the parameters of a metric are described by its declaration."""

_SHARED: dict[str, tuple[str, str]] = {
    "y_true": (
        "array, dataframe or path",
        "The true class of each item (a list, or a NumPy, pandas, polars, Arrow, torch or jax "
        "array). Or a dataframe (pandas, polars, pyarrow, DuckDB, Ibis, Dask, PySpark), or the "
        "path of a file or a pattern of files (CSV, TSV, JSON lines, Parquet, Arrow, npz).",
    ),
    "y_pred": (
        "array or path",
        "The predicted class of each item, or a second file with the predictions.",
    ),
    "scores": ("array", "The score of each item; higher means more likely positive."),
    "data": ("dataframe or path", "A dataframe, or the path of a file or a pattern of files."),
    "predictions": ("path", "A second file, with the predictions."),
    "positive": ("label", "The positive class. By default, 1 or True."),
    "labels": ("sequence", MEANING["labels"]),
    "weights": ("array or str", MEANING["weights"]),
    "frequencies": ("array or str", MEANING["frequencies"]),
    "cluster": ("array or str", MEANING["cluster"]),
    "score": ("str or sequence of str", MEANING["score"]),
    "by": ("", "The columns that define the slices."),
    "metric": ("", "Any metric of counts. A rate is that of the positive class."),
    "level": ("", "The confidence level of intervals."),
    "replicates": ("", "How many resamples are drawn."),
    "seed": ("", "The seed of the random generator."),
    "sep": ("", MEANING["sep"]),
    "top": ("", "The fraction of items for which the curve's score is computed."),
    "bins": ("", "The number of bins."),
    "decimals": ("", "How many decimals were reported. By default, as many as the number has."),
    "scale": ("", "Whether numbers are fractions or percentages. By default, it is detected."),
    "path": ("str or path", "The file."),
    "reading": (
        "",
        "How files are read: id, format, memory_limit, on_error, progress, engine, master, hive "
        "and storage_options. For a database: query or table.",
    ),
    "options": (
        "",
        "``positive``, ``labels``, ``weights`` and ``frequencies`` as for :func:`rank`, and the "
        "columns ``true`` and ``score`` of a dataframe or file.",
    ),
    "columns": (
        "",
        "The columns ``true`` and ``score`` of a dataframe or file, and how it is read.",
    ),
}
"""Parameters that several functions share: their type, if it is not a Python type, and their
meaning."""
USUAL_ERRORS = {
    "DefinitionError": "If the metric or an option is unknown or does not apply.",
    "InputError": "If the data are malformed or cannot be read.",
}
_FIELD = re.compile(r"^(\**\w+(?:, \**\w+)*)(?: \((.+)\))?: (.+(?:\n    .+)*)\n?", re.MULTILINE)
"""A line of a docstring such as ``by (str): The columns.``, with any indented lines after it."""
_OTHERS = re.compile(r"The other parameters are those of :func:`(\w+)`\.")


class Entry(NamedTuple):
    """An entry of a section: names, a type if it differs from the annotation, and a text."""

    names: str
    type: str
    text: str


def complete(served: object) -> None:
    """Write the sections of a public function, or of a class and its methods."""
    if isinstance(served, FunctionType):
        _complete(served)
    elif isinstance(served, type):
        _complete(served)
        ours = [base for base in served.__mro__ if base.__module__.startswith("whichf1.")]
        for member in (member for base in ours for member in vars(base).values()):
            method = getattr(member, "__func__", member)  # a class method
            if isinstance(method, FunctionType):
                _complete(method)


def _complete(described: Any) -> None:
    """Complete a docstring with an example; leave others, and those with sections, unchanged."""
    text, prompt, _ = inspect.cleandoc(described.__doc__ or "").partition(">>>")
    if not prompt or "\n--------\n" in text:
        return
    signature = _typed_signature(described)
    prose, entries, example = _parts(described)
    every_parameter = parameters(signature, entries)
    sections: list[str] = []
    if not isinstance(described, type) or all(meaning for _, meaning in every_parameter):
        sections += section("Parameters", every_parameter)
        if "Returns" in entries:
            kind = entries["Returns"].type or type_text(signature.return_annotation)
            sections += section("Returns", [(kind, entries["Returns"].text)])
        raised = _raised(described, signature, entries)
        sections += section("Raises", raised) if raised else []
    sections += [*section("Examples", []), example]
    described.__doc__ = "\n".join([prose, *sections])


@cache
def _parts(described: Any) -> tuple[str, dict[str, Entry], str]:
    """The prose, the lines and the example of a docstring; cached before sections are written."""
    text, prompt, example = inspect.cleandoc(described.__doc__ or "").partition(">>>")
    known = inspect.signature(described).parameters
    entries: dict[str, Entry] = {}

    def take(field: re.Match[str]) -> str:
        names, kind, meaning = field.groups()
        first = names.split(",")[0].strip("*")
        if first not in known and not re.fullmatch(r"Returns|\w+Error", first):
            return field[0]
        entries[first] = Entry(names, kind or "", " ".join(meaning.split()))
        return ""

    prose = _FIELD.sub(take, text).strip()
    if shared := _OTHERS.search(prose):
        sibling = getattr(sys.modules[described.__module__], shared[1])
        others = _parts(sibling)[1].items()
        entries = {x: y for x, y in others if x in known} | entries
        prose = _OTHERS.sub("", prose).strip()
    return prose, entries, prompt + example


def _typed_signature(described: Any) -> inspect.Signature:
    """The signature with its types, also those that a module imports for type checkers alone."""
    public: dict[str, Any] = {}
    while True:
        try:
            return inspect.signature(described, eval_str=True, locals=public)
        except NameError as error:
            missing = str(error.name)
            public[missing] = getattr(sys.modules["whichf1"], missing)


def parameters(signature: inspect.Signature, entries: dict[str, Entry]) -> list[tuple[str, str]]:
    """The parameters of a signature, with their types and meanings."""
    described, together = [], {"self", "cls"}
    for name, parameter in signature.parameters.items():
        if name in together:
            continue
        kind, meaning = _SHARED.get(name, ("", MEANING.get(name, "")))
        entry = entries.get(name, Entry(str(parameter).split(":")[0], "", meaning))
        together.update(entry.names.replace("*", "").split(", "))
        described.append((_head(entry, kind, parameter), entry.text))
    return described


def _head(entry: Entry, shared: str, parameter: inspect.Parameter) -> str:
    """A parameter with its type and default: ``level : float, default 0.95``."""
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return entry.names
    hint, default = parameter.annotation, parameter.default
    kind = entry.type or (shared if hint is Any and shared else type_text(hint))
    if default is inspect.Parameter.empty:
        return f"{entry.names} : {kind}"
    kind = kind.removesuffix(" | None")
    shown = default.__name__ if inspect.isfunction(default) else repr(default)
    how = "optional" if default is None else f"default {shown}"
    return f"{entry.names} : {kind}, {how}"


def _raised(
    described: Any, signature: inspect.Signature, entries: dict[str, Entry]
) -> list[tuple[str, str]]:
    """The errors of a docstring, and the usual ones where it does not say otherwise."""
    raised = {name: entry.text for name, entry in entries.items() if name.endswith("Error")}
    if isinstance(described, type):
        checked = hasattr(described, "__post_init__")
        usual = {"DefinitionError": "If a parameter is out of range."} if checked else {}
    else:
        optional = {"metric", "options"} & {*signature.parameters}
        usual = USUAL_ERRORS if optional else {"InputError": USUAL_ERRORS["InputError"]}
    if raised.keys() - {"DefinitionError"}:  # an InputError, or a special kind of it
        usual = {name: text for name, text in usual.items() if name != "InputError"}
    return [*(usual | raised).items()]


def section(title: str, entries: list[tuple[str, str]]) -> list[str]:
    """The lines of a section, each entry with its text indented below it."""
    lines = ["", title, "-" * len(title)]
    for head, body in entries:
        lines += [head, indent(fill(body, 84), "    ")]
    return lines


def type_text(hint: Any, literal: str = "{}") -> str:
    """A type as text; ``literal`` says how the values of a Literal are enclosed."""
    if get_origin(hint) is Literal:
        separator = " | " if literal == "{}" else ", "
        return literal.format(separator.join(_quoted(value) for value in get_args(hint)))
    if get_origin(hint) in (Union, UnionType):
        parts = [type_text(each, literal) for each in get_args(hint) if each is not NoneType]
        return " | ".join([*parts, "None"] if NoneType in get_args(hint) else parts)
    if get_args(hint) and not (literal == "{}" and {*get_args(hint)} <= {Any, ...}):
        inside = ", ".join("..." if x is ... else type_text(x, literal) for x in get_args(hint))
        return f"{get_origin(hint).__name__}[{inside}]"
    return "Any" if hint is Any else str((get_origin(hint) or hint).__name__)


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
