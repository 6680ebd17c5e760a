"""MLflow: scores as metrics, tags and artifacts of a run, and as metrics of an evaluation."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from math import isinf, nan
from typing import Any

from whichf1.errors import DefinitionError, WhichF1Error
from whichf1.integrations.tracking import (
    files,
    legal,
    named_metrics,
    named_scores,
    numbers,
    own_name,
)
from whichf1.scoring.evaluate import run
from whichf1.scoring.functions import with_options

FOLDER = "whichf1"
"""The folder of a run's artifacts."""
LONGEST_TAG = 5000
"""Some versions of MLflow silently truncate longer values."""


def log(
    scores: Any,
    *,
    step: int | None = None,
    prefix: str = "",
    report: Any = None,
    pictures: Mapping[str, Any] | None = None,
) -> dict[str, float]:
    """Log scores to the active MLflow run, which is started if there is none.

    Values and the ends of intervals are metrics: ``averaged_f1``, ``averaged_f1_low``,
    ``averaged_f1_high``. Signatures are tags: ``averaged_f1.signature``. The artifact folder
    ``whichf1`` has everything known about the scores as JSON, the report as a page, and pictures.

    scores (Score, mapping, list, report): A score, several scores with or without names, or a
        report.
    step: The step of the metrics, such as the epoch.
    prefix: A prefix for every name, such as "val_".
    report: A result of ``whichf1.report``. Default: ``scores`` itself, if it is a report.
    pictures (mapping): Results with a picture, or pictures, by the name of their file.
    Returns: The metrics that were logged, without infinite values, which MLflow would change.
    InputError: If something is not a score, a report or a picture.
    """
    mlflow = _mlflow()
    known = named_scores(scores)
    values = {f"{prefix}{name}": value for name, value in numbers(known).items()}
    tags = {f"{prefix}{name}.signature": _tag(score.signature) for name, score in known.items()}
    tags |= {f"{prefix}{name}.value": str(x.value) for name, x in known.items() if isinf(x)}
    if report is None and hasattr(scores, "to_html"):
        report = scores
    with tempfile.TemporaryDirectory() as folder:  # everything is created before anything is logged
        files(folder, known, report, pictures)
        mlflow.log_metrics(values, step=step)
        mlflow.set_tags(tags)
        mlflow.log_artifacts(folder, f"{FOLDER}/{legal(prefix)}" if prefix else FOLDER)
    return values


def _tag(signature: str) -> str:
    return signature if len(signature) <= LONGEST_TAG else f"see {FOLDER}/scores.json"


def make_metric(metric: Any, *, name: str | None = None, labels: Any = None, **options: Any) -> Any:
    """Make a metric for ``extra_metrics`` of ``mlflow.models.evaluate``.

    metric: A name, a signature, a Definition or a metric function.
    name: Its name in the results. Default: the name of the metric.
    labels: All classes in their order. By default, those that occur.
    **options: The options of the metric, such as ``average="macro"`` or ``interval="auto"``.
    Returns: The result of ``mlflow.models.make_metric``.
    DefinitionError: If the metric is unknown, or neither high nor low values of it are better.
    """
    _mlflow()
    from mlflow.metrics import MetricValue
    from mlflow.models import make_metric as made

    definition = with_options(metric, options)
    ((key, definition),) = named_metrics([{name or own_name(metric): definition}]).items()
    better = definition.declaration.better
    if better == "neither":
        raise DefinitionError(f"neither high nor low values of {definition.metric} are better")

    def eval_fn(predictions: Any, targets: Any) -> Any:
        try:
            values = numbers({key: run(definition, targets, predictions, labels)})
        except WhichF1Error:
            if len(predictions) > 1:
                raise
            values = {key: nan}  # MLflow tries a metric on the first item alone
        shorter = {name.removeprefix(f"{key}_"): value for name, value in values.items()}
        return MetricValue(aggregate_results=shorter)  # MLflow adds its name: averaged_f1/low

    return made(eval_fn=eval_fn, greater_is_better=better == "higher", name=key)


def _mlflow() -> Any:
    try:
        import mlflow
    except ImportError:
        raise ImportError(
            "whichf1.integrations.mlflow needs MLflow: pip install 'whichf1[mlflow]'"
        ) from None
    return mlflow
