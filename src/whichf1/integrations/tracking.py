"""Scores for experiment trackers: names that are legal everywhere, plain numbers, files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from whichf1.definitions.definition import Definition, fits
from whichf1.definitions.methods import Auto, find_method
from whichf1.errors import DefinitionError, InputError
from whichf1.scoring.functions import Scorer, with_options
from whichf1.scoring.macro import MacroF1
from whichf1.scoring.score import PerClass, Score
from whichf1.tables.saving import write_whole

LONGEST = 200
"""The longest name; programs allow 250 characters, including what is added to it."""


def legal(name: object) -> str:
    """A name without characters that a program refuses."""
    return re.sub(r"[^A-Za-z0-9_. -]+", "_", str(name)).strip("_ ")[:LONGEST] or "score"


def named_metrics(metrics: Iterable[Any], interval: Any = None) -> dict[str, Definition]:
    """Definitions by name: from names, signatures, functions, or mappings from names to those.

    ``interval`` is the interval of those that do not have one.
    """
    definitions: dict[str, Definition] = {}
    for metric in metrics:
        pairs = metric.items() if isinstance(metric, Mapping) else [(own_name(metric), metric)]
        for name, each in pairs:
            definition = with_interval(with_options(each, {}).settled(data=()), interval)
            declared = definition.declaration
            alone = definition.average is None and definition.positive is None
            if declared.kind == "rate" and alone:
                raise DefinitionError(
                    f"{declared.name} of which class? Name a mean, such as macro_recall, or pass "
                    f"whichf1.{declared.name}.definition(positive=CLASS)."
                )
            _add(definitions, name, definition)
    if not definitions:
        raise DefinitionError("which metrics? Pass names, such as 'averaged_f1'")
    return definitions


def with_interval(definition: Definition, interval: Any) -> Definition:
    """The definition with this interval, if it has none yet."""
    if interval is None or definition.interval is not None:
        return definition
    method, declared = find_method(interval), definition.declaration
    if isinstance(method, Auto) and not (declared.smooth or fits(method, declared)):
        return definition  # a maximum over thresholds, for example, has no automatic interval
    return replace(definition, interval=method)


def own_name(metric: Any) -> str:
    """The default name of a metric: a function's name, or the start of a signature."""
    if isinstance(metric, Scorer):
        return metric.__name__
    text = metric.signature if isinstance(metric, Definition) else str(metric)
    return re.split(r"[|(]", text)[0].strip()


def _add(entries: dict[str, Any], name: object, value: Any) -> None:
    if legal(name) in entries:
        raise DefinitionError(
            f"two scores are named {legal(name)!r}: pass a mapping from names to scores"
        )
    entries[legal(name)] = value


def named_scores(scores: Any) -> dict[str, Score]:
    """Scores by name: of a score, a report, both macro F1s, classes, or several of them."""
    if isinstance(scores, Score):
        scores = [scores]
    elif isinstance(scores, MacroF1):
        scores = {"averaged_f1": scores.averaged, "f1_of_averages": scores.of_averages}
    elif isinstance(scores, PerClass):
        scores = {f"{scores.definition.metric}.{label}": x for label, x in scores.items()}
    elif isinstance(getattr(scores, "scores", None), (tuple, dict)):  # a report
        scores = dict(scores.scores)
    named: dict[str, Score] = {}
    if not isinstance(scores, Iterable) or isinstance(scores, str):
        raise InputError(f"pass scores of whichf1; got {type(scores).__name__}")
    pairs = scores.items() if isinstance(scores, Mapping) else ((None, x) for x in scores)
    for name, score in pairs:
        if isinstance(score, (PerClass, MacroF1)):
            for inner, each in named_scores(score).items():
                _add(named, inner if name is None else f"{name}.{inner}", each)
        elif isinstance(score, Score):
            _add(named, own_name(score.definition) if name is None else name, score)
        else:
            raise InputError(f"{score!r} is not a score of whichf1, which states its definition")
    return named


def numbers(scores: Mapping[str, Score]) -> dict[str, float]:
    """The values and the ends of the intervals as plain floats, without those that are infinite."""
    values: dict[str, float] = {}
    for name, score in scores.items():
        _add(values, name, score.value)
        if score.interval is not None:
            _add(values, f"{name}_low", float(score.interval.low))
            _add(values, f"{name}_high", float(score.interval.high))
    return {name: value for name, value in values.items() if isfinite(value) or value != value}


def record(scores: Mapping[str, Score]) -> str:
    """Everything known about the scores, as JSON."""
    known = {name: _finite(score.to_dict()) for name, score in scores.items()}
    return json.dumps(known, indent=2, ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    """A record whose numbers JSON can hold."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return None if isinstance(value, float) and not isfinite(value) else value


def files(
    folder: str, scores: Mapping[str, Score], report: Any, pictures: Mapping[str, Any] | None
) -> list[Path]:
    """Write the record of the scores, a report and pictures into a folder."""
    place = Path(folder)
    written = [place / "scores.json"]
    write_whole(written[0], record(scores).encode())
    if report is not None:
        written.append(place / "report.html")
        _write_report(written[-1], report)
    for name, each in (pictures or {}).items():
        written.append(place / f"{legal(name)}.png")
        _write_picture(written[-1], each)
    return written


def _write_report(path: Path, report: Any) -> None:
    if hasattr(report, "save"):
        report.save(path)
    elif hasattr(report, "to_html"):
        write_whole(path, report.to_html().encode())
    else:
        raise InputError(f"report= must be a result of whichf1.report; got {type(report).__name__}")


def _write_picture(path: Path, result: Any) -> None:
    """A picture, a result that has one, or a matplotlib figure."""
    if hasattr(result, "savefig"):
        result.savefig(path, dpi=150)
    elif hasattr(result, "panels"):  # a Picture
        result.save(path)
    elif hasattr(result, "plot"):
        figure = result.plot().figure
        figure.savefig(path, dpi=150)
        from matplotlib.pyplot import close

        close(figure)
    else:
        raise InputError(f"{type(result).__name__} has no picture: see docs/gallery.md")
