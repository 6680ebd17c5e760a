"""Weights & Biases: scores in the history and the summary of a run, with a report and pictures."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

from whichf1.errors import InputError
from whichf1.integrations.tracking import files, named_scores, numbers


def log(
    scores: Any,
    *,
    run: Any = None,
    step: int | None = None,
    prefix: str = "",
    report: Any = None,
    pictures: Mapping[str, Any] | None = None,
) -> dict[str, float]:
    """Log scores to a run of Weights & Biases.

    Values and the ends of intervals go into its history: ``averaged_f1``, ``averaged_f1_low``,
    ``averaged_f1_high``. Signatures go into its summary: ``averaged_f1.signature``. The report is
    logged as HTML, and pictures as images.

    scores (Score, mapping, list, report): A score, several scores with or without names, or a
        report.
    run: The result of ``wandb.init``. Default: the run that was started last.
    step: The step of the history.
    prefix: A prefix for every name, such as "val/".
    report: A result of ``whichf1.report``. Default: ``scores`` itself, if it is a report.
    pictures (mapping): Results with a picture, or pictures, by their name.
    Returns: The numbers that were logged.
    InputError: If there is no run, or something is not a score, a report or a picture.
    """
    wandb = _wandb()
    run = wandb.run if run is None else run
    if run is None:
        raise InputError("there is no run: call wandb.init first, or pass run=")
    known = named_scores(scores)
    values = {f"{prefix}{name}": value for name, value in numbers(known).items()}
    signatures = {f"{prefix}{name}.signature": x.signature for name, x in known.items()}
    if report is None and hasattr(scores, "to_html"):
        report = scores
    with tempfile.TemporaryDirectory() as folder:  # everything is created before anything is logged
        _, *written = files(folder, known, report, pictures)
        media = {f"{prefix}{path.stem}": _media(wandb, path) for path in written}
        run.log({**values, **media}, step=step)
        run.summary.update(signatures)
    return values


def _media(wandb: Any, path: Any) -> Any:
    if path.suffix == ".html":
        return wandb.Html(path.read_text(encoding="utf-8"), inject=False)
    return wandb.Image(str(path))


def _wandb() -> Any:
    try:
        import wandb
    except ImportError:
        raise ImportError(
            "whichf1.integrations.wandb needs Weights & Biases: pip install 'whichf1[wandb]'"
        ) from None
    return wandb
