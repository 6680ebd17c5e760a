"""``whichf1 threshold``."""

from __future__ import annotations

import io
import json
from typing import Annotated, Any

import numpy as np
import typer

from whichf1.cli.options import (
    Decimals,
    Format,
    LabelList,
    Output,
    OutputFormat,
    Positive,
    declared,
    find_label,
)
from whichf1.cli.output import console, emit_text
from whichf1.cli.reading import (
    Engine,
    EngineName,
    Errors,
    From,
    GoldFile,
    IdColumn,
    Master,
    MemoryLimit,
    OnError,
    PredFile,
    ScoresFile,
    opened,
    source_name,
)
from whichf1.cli.scored import ScoreColumn
from whichf1.report.cells import number
from whichf1.report.escape import csv_text, visible
from whichf1.report.sheet import Rows, Sheet, as_latex, as_markdown
from whichf1.report.terminal import plain_printer, print_columns
from whichf1.scoring.decisions import at_threshold
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.thresholds import BestThreshold, best_threshold
from whichf1.sources.answers.scores import read_scores
from whichf1.sources.count import rank_lines
from whichf1.sources.engines.database import MEMORY_LIMIT
from whichf1.sources.request import Request
from whichf1.sources.scores import classes_of
from whichf1.sources.sequences import column

HEAD = ("threshold", "value", "TP", "FP", "FN", "TN", "signature")


def threshold(
    file: ScoresFile = None,
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="What should be best: any metric of counts.")
    ] = "f1",
    score_column: ScoreColumn = None,
    true: Annotated[str | None, typer.Option(help="The column of true classes.")] = None,
    weights: Annotated[str | None, typer.Option(help="A column of item weights.")] = None,
    positive: Positive = None,
    labels: LabelList = None,
    gold: GoldFile = None,
    pred_file: PredFile = None,
    id: IdColumn = None,
    from_: From = None,
    memory_limit: MemoryLimit = MEMORY_LIMIT,
    on_error: Errors = OnError.stop,
    engine: EngineName = Engine.duckdb,
    master: Master = None,
    around: Annotated[
        int, typer.Option(min=0, help="Thresholds shown on either side of the best.")
    ] = 5,
    format: OutputFormat = Format.text,
    decimals: Decimals = 4,
    output: Output = None,
) -> None:
    """Find the threshold at which a score is best, trying every distinct score."""
    given, names = locals(), declared(labels)
    own: dict[str, Any] = {"score": score_column, "true": true, "weights": weights, "labels": names}
    with opened(given) as (sources, reading):
        path, other = [*sources, None][:2]
        data = read_scores(path, other, Request.of_scores(**own, **reading))
    classes = classes_of(column(data.true, "y_true"), names)
    named = None if positive is None else find_label(positive, classes)
    best = best_threshold(rank_lines(data._replace(labels=list(classes)), named), metric=metric)
    source = source_name(given)
    emit_text(_FORMATS[format](source, best, decimals, around), output)


def nearby(best: BestThreshold, around: int) -> list[list[Any]]:
    """The curve around the best threshold, each value with the signature that says what it is."""
    curve, ranking = best.curve, best.curve.ranking
    rows = []
    for at in range(max(0, best.at - around), min(len(curve), best.at + around + 1)):
        counts = at_threshold(ranking, threshold=float(curve.threshold[at]))
        own = counts.labels.code(ranking.positive)
        c = counts.per_class()
        parts = [x[own].item() for x in (c.tp, c.fp, c.fn, c.tn)]
        score = evaluate(curve.definition, counts)
        rows.append([float(curve.threshold[at]), score.value, *parts, score.signature])
    return rows


def _text(file: str, best: BestThreshold, decimals: int, around: int) -> str:
    out = io.StringIO()
    screen = console(out)
    say = plain_printer(screen)
    value = number(best.value, decimals)
    say(visible(f"{file}: {len(best.curve) - 1:,} distinct scores"))
    say(f"best threshold: {best.threshold!r} (a score equal to it is positive)")
    say(visible(f"value there: {value} ({best.score.signature})"))
    if best.calibrated is not None:
        say(f"if the scores are calibrated, the best threshold is F1/2 = {best.calibrated:.4f}")
    say("")
    rows = [
        [_limit(row[0]), number(row[1], decimals), *(f"{x:,.6g}" for x in row[2:6]), row[6]]
        for row in nearby(best, around)
    ]
    print_columns(screen, HEAD, rows, left=("signature",))
    return out.getvalue()


def _limit(threshold: float) -> str:
    return "none positive" if np.isinf(threshold) else repr(threshold)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _json(file: str, best: BestThreshold, decimals: int, around: int) -> str:
    record = {
        "source": file,
        "threshold": _finite(best.threshold),
        "value": _finite(best.value),
        "signature": best.score.signature,
        "calibrated": best.calibrated,
        "curve": [
            dict(zip(HEAD, [_finite(row[0]), _finite(row[1]), *row[2:]], strict=True))
            for row in nearby(best, around)
        ],
    }
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def _csv(file: str, best: BestThreshold, decimals: int, around: int) -> str:
    rows = ([int(row[0] == best.threshold), *row] for row in nearby(best, around))
    return csv_text([["best", *HEAD], *rows])


def _sheet(file: str, best: BestThreshold, decimals: int, around: int) -> Sheet:
    rows = [
        [_limit(row[0]), row[1], *(f"{x:,.6g}" for x in row[2:6]), row[6]]
        for row in nearby(best, around)
    ]
    return Sheet(f"{file}: best threshold {_limit(best.threshold)}", Rows(HEAD, rows))


def _markdown(file: str, best: BestThreshold, decimals: int, around: int) -> str:
    return as_markdown(_sheet(file, best, decimals, around), decimals)


def _latex(file: str, best: BestThreshold, decimals: int, around: int) -> str:
    return as_latex(_sheet(file, best, decimals, around), decimals)


_FORMATS = {
    Format.text: _text,
    Format.json: _json,
    Format.csv: _csv,
    Format.markdown: _markdown,
    Format.latex: _latex,
}
