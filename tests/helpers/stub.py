"""Writes the metrics in ``whichf1/__init__.pyi`` from their declarations.

Run ``python -m tests.helpers.stub`` after declaring a metric.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from whichf1.definitions.docstrings import type_text
from whichf1.definitions.methods import IntervalName
from whichf1.definitions.names import SHORTHANDS, look_up
from whichf1.definitions.options import Classes, Matrix
from whichf1.metrics import EVERY
from whichf1.scoring.help import Argument, arguments, data_arguments
from whichf1.sources.counts import Reading

STUB = Path(__file__).parents[2] / "src" / "whichf1" / "__init__.pyi"
MARK = "# The rest is written by `python -m tests.helpers.stub`.\n"
Group = tuple[tuple[str, str], ...]
"""Names and types of options."""
LITERAL = "Literal[{}]"
CALL = "self, y_true: Any, y_pred: Any = None, "


def written() -> str:
    """The stub as it should be: the imports as they are, and the metrics as they are declared."""
    imports, _, _ = STUB.read_text().partition(MARK)
    text = imports + MARK + "\n".join(metrics()) + "\n"
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(STUB), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def metrics() -> list[str]:
    """The types of the metrics, then the metrics, then their other names."""
    names = [*EVERY, *SHORTHANDS]
    kinds: dict[tuple[Group, Group | None], list[str]] = {}
    for name in names:
        kinds.setdefault(options(name), []).append(name)
    lines: list[str] = []
    predictions, scores = (group(data_arguments(EVERY[x])) for x in ("accuracy", "roc_auc"))
    reading = tuple(pair for pair in scores if pair[0] in Reading.__annotations__)
    declared = {reading: "Reading"}
    lines += typed_dict("_Predictions", predictions, declared)
    lines += typed_dict("_Scores", scores, declared)
    for (call, per_class), members in kinds.items():
        lines += protocol(members[0], call, per_class, declared)
    lines.append("")
    for members in kinds.values():
        lines += [f"{name}: _{camel(members[0])}" for name in members]
    for metric in EVERY.values():
        lines += [f"{alias} = {metric.name}" for alias in metric.aliases]
    return lines


def options(name: str) -> tuple[Group, Group | None]:
    """The options of a metric and of its ``per_class``, if it has one."""
    metric = EVERY[look_up(name)[0]]
    each = metric.kind == "rate" or metric.over_labels
    return group(arguments(name)), group(arguments(name, per_class=True)) if each else None


def group(options: list[Argument]) -> Group:
    return tuple((each.name, short(type_text(each.type, LITERAL))) for each in options)


def short(text: str) -> str:
    """The type with the names of the longest types in place of what they stand for."""
    for name, hint in (("IntervalName", IntervalName), ("Classes", Classes), ("Matrix", Matrix)):
        text = text.replace(type_text(hint, LITERAL), name)
    return text


def protocol(
    name: str, call: Group, per_class: Group | None, declared: dict[Group, str]
) -> list[str]:
    """A protocol, after the options that it needs and that are not declared yet."""
    lines: list[str] = []
    title = camel(name)
    if per_class is not None:
        lines += typed_dict(f"_{title}PerClassOptions", per_class, declared)
    lines += typed_dict(f"_{title}Options", call, declared)
    lines += [
        f"class _{title}(_Metric, Protocol):",
        f"    def __call__({CALL}**options: Unpack[{declared[call]}]) -> Score: ...",
        f"    def definition(self, **options: Unpack[{declared[call]}]) -> Definition: ...",
    ]
    if per_class is not None:
        lines += [
            f"    def per_class({CALL}**options: Unpack[{declared[per_class]}]) -> PerClass: ..."
        ]
    return [*lines, ""]


def typed_dict(name: str, options: Group, declared: dict[Group, str]) -> list[str]:
    """A class of options, which extends the largest class declared before that it can."""
    if options in declared:
        return []
    bases = [known for known in declared if set(known) <= set(options)]
    base = max(bases, key=len, default=())
    declared[options] = name
    lines = [f"class {name}({declared.get(base, 'TypedDict')}, total=False):"]
    lines += [f"    {key}: {kind}" for key, kind in options if (key, kind) not in base]
    return [*lines, ""]


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


if __name__ == "__main__":
    STUB.write_text(written())
