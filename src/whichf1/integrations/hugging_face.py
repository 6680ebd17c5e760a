"""Hugging Face: scores for ``transformers.Trainer``, and modules for ``evaluate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError, ShapeError, is_among
from whichf1.integrations.batches import Reader, is_floating
from whichf1.integrations.tracking import named_metrics, numbers
from whichf1.metrics import COUNTED
from whichf1.scoring.accumulator import Accumulator
from whichf1.scoring.evaluate import evaluate, run
from whichf1.scoring.score import Score
from whichf1.sources.label_sets import count_multilabel
from whichf1.sources.sequences import to_numpy
from whichf1.tables.cells import Array
from whichf1.tables.labels import Labels

_PROBLEMS = ("single_label_classification", "multi_label_classification")


class ComputeMetrics:
    """The function that a Trainer calls with predictions and labels; see :func:`compute_metrics`.

    ``scores`` has the Scores of the last evaluation by name, with their signatures.
    """

    def __init__(
        self,
        definitions: dict[str, Definition],
        labels: Labels | None,
        ignore_index: int | Sequence[int] | None,
        threshold: float | None,
        problem_type: str,
    ) -> None:
        self.definitions = definitions
        self.scores: dict[str, Score] = {}
        self._labels, self._ignore, self._limit = labels, ignore_index, threshold
        self._sets = problem_type == "multi_label_classification"
        kinds = {name: x.declaration.kind for name, x in definitions.items()}
        fitting = (*COUNTED, "items") if self._sets else (*COUNTED, "ranking", "loss")
        for name, kind in kinds.items():
            if kind not in fitting or (not self._sets and definitions[name].average == "samples"):
                raise DefinitionError(f"{name} does not apply to {problem_type}")
        self._needs_scores = [name for name, kind in kinds.items() if kind in ("ranking", "loss")]
        self._start()

    def _start(self) -> None:
        self._tables: Accumulator | None = None
        self._rows: list[tuple[Array, Array]] = []
        self._reader: Reader | None = None

    def __call__(self, eval_pred: Any, compute_result: bool = True) -> dict[str, float]:
        """The scores of an evaluation as plain floats, or a further batch of it.

        eval_pred: An ``EvalPrediction``, or a pair of predictions and labels.
        compute_result: False for a batch that is not the last (``batch_eval_metrics=True``).
        Returns: Values, and ends of intervals, by name; nothing before the last batch.
        InputError: If predictions and labels do not fit together.
        """
        predictions, label_ids = _sides(eval_pred)
        try:
            add = self._add_sets if self._sets else self._add
            add(predictions, label_ids)
            if not compute_result:
                return {}
            self.scores = {name: self._score(name, x) for name, x in self.definitions.items()}
        except BaseException:
            self._start()  # the next evaluation starts again
            raise
        self._start()
        return numbers(self.scores)

    def _add(self, predictions: Array, label_ids: Array) -> None:
        """A batch of items with one class each; tokens of sentences are items."""
        reader = self._reader or self._read(predictions, label_ids)
        true, predicted = reader.decided(predictions, label_ids)
        kept = reader.kept(true)
        true, predicted = true[kept], predicted[kept]
        reader.check(true, "label_ids")
        reader.check(predicted, "predictions")
        for name in self._needs_scores[:1]:
            self._rows.append(reader.scored(predictions, label_ids, name))
        if self._tables is None:
            self._tables = Accumulator(labels=range(reader.classes))
        self._tables.update(true, predicted)
        self._reader = reader

    def _read(self, predictions: Array, label_ids: Array) -> Reader:
        """How batches are read, from the first one: each column of logits is a class."""
        classes = None if self._labels is None else len(self._labels)
        if classes is None and is_floating(predictions) and predictions.ndim > label_ids.ndim:
            classes = predictions.shape[-1]
        if classes is None:
            raise InputError("which classes are there? Pass labels=, such as config.id2label")
        return Reader.of(classes, self._labels, self._ignore, self._limit, axis=-1)

    def _add_sets(self, predictions: Array, label_ids: Array) -> None:
        if predictions.shape != label_ids.shape or predictions.ndim != 2:
            raise ShapeError(
                f"predictions have shape {predictions.shape}, label_ids {label_ids.shape}: sets of "
                "labels need a column for each label on both sides"
            )
        if np.isnan(predictions).any():
            raise InputError("a prediction is NaN")
        labels = self._labels or Labels(range(predictions.shape[1]))
        if self._tables is None:
            self._tables = Accumulator(count_multilabel, labels=labels)
        limit = 0.0 if self._limit is None else self._limit
        self._tables.update(label_ids, (predictions > limit).astype(np.int64))

    def _score(self, name: str, definition: Definition) -> Score:
        counts = None if self._tables is None else self._tables.counts
        if counts is None or not len(counts.count):
            raise InputError("there are no items to score: every label was ignored")
        if self._sets:
            return evaluate(definition, counts)
        labels = self._reader.labels if self._reader is not None else counts.labels
        if name not in self._needs_scores:
            return evaluate(definition, counts.changed(labels=labels))
        true, rows = (np.concatenate(side) for side in zip(*self._rows, strict=True))
        ranking = definition.declaration.kind == "ranking"
        if ranking or definition.declaration.probabilities:
            rows = _softmax(rows)
        if ranking and len(labels) == 2:
            positive = labels[1] if definition.positive is None else definition.positive
            definition = definition.settled(positive=positive)
            rows = rows[:, labels.code(positive)]
        return run(definition, np.array(labels)[true], rows, labels)


def compute_metrics(
    *metrics: Any,
    labels: Sequence[Any] | Mapping[int, Any] | None = None,
    ignore_index: int | Sequence[int] | None = -100,
    threshold: float | None = None,
    problem_type: str = "single_label_classification",
    interval: Any = None,
) -> ComputeMetrics:
    """Make the ``compute_metrics`` function of a Trainer.

    The class with the largest logit is predicted; metrics of probabilities apply a softmax. The
    labels of tokens are flattened, and padding is dropped. Results are plain floats, which a
    Trainer can save and resume from; the attribute ``scores`` has them with their signatures.

    *metrics: Names, signatures, Definitions, metric functions, or mappings from names to those.
    labels: The names of the classes, as a list or as ``model.config.id2label``. Default: 0, 1, …
    ignore_index: One or several labels whose items are dropped.
    threshold: The logit above which a multi-label model predicts a label (default: 0), or the
        single score above which the second of two classes is predicted (default: 0.5, for
        probabilities; for logits, pass 0.0).
    problem_type: "single_label_classification" or "multi_label_classification".
    interval: The interval of all metrics, such as "auto": its ends are ``averaged_f1_low`` and
        ``averaged_f1_high``.
    Returns: A function for ``Trainer(compute_metrics=...)``, also with ``batch_eval_metrics=True``.
    DefinitionError: If a metric or an option is unknown or does not apply.

    >>> import numpy as np
    >>> metrics = compute_metrics("averaged_f1", "accuracy", labels=["neg", "pos"])
    >>> logits = np.array([[2.0, 0.5], [0.1, 0.9], [0.3, 0.2]])
    >>> metrics((logits, np.array([0, 1, 1])))
    {'averaged_f1': 0.6666666666666666, 'accuracy': 0.6666666666666666}
    >>> metrics.scores["accuracy"].n
    3
    """
    if not is_among(problem_type, _PROBLEMS):
        raise DefinitionError(
            f"problem_type must be one of {', '.join(_PROBLEMS)}; got {problem_type!r}"
        )
    if isinstance(labels, Mapping):
        labels = [labels[at] for at in sorted(labels)]
    names = None if labels is None else Labels(labels)
    definitions = named_metrics(metrics, interval)
    return ComputeMetrics(definitions, names, ignore_index, threshold, problem_type)


def _sides(eval_pred: Any) -> tuple[Array, Array]:
    """Predictions and labels as arrays; the first of several outputs of a model are logits."""
    sides = (getattr(eval_pred, "predictions", None), getattr(eval_pred, "label_ids", None))
    if sides[0] is None and isinstance(eval_pred, (tuple, list)) and len(eval_pred) == 2:
        sides = eval_pred[0], eval_pred[1]
    if sides[0] is None or sides[1] is None:
        raise InputError("pass an EvalPrediction, or predictions and labels; got neither")
    first = sides[0][0] if isinstance(sides[0], (tuple, list)) else sides[0]
    predictions, label_ids = to_numpy(first), to_numpy(sides[1])
    if label_ids.dtype.kind in ("b", "u"):
        label_ids = label_ids.astype(np.int64)
    return predictions, label_ids


def _softmax(rows: Array) -> Array:
    """Probabilities for each row of logits; single logits, which belong to the second of two
    classes, give those of both.
    """
    rows = rows.astype(np.float64)
    if rows.ndim == 1:
        rows = np.stack([np.zeros_like(rows), rows], 1)
    grown = np.exp(rows - rows.max(1, keepdims=True))
    return np.asarray(grown / grown.sum(1, keepdims=True))


def evaluation_module(*metrics: Any, labels: Any = None, interval: Any = None) -> Any:
    """Make a module for the library ``evaluate``, with ``add_batch``, ``compute`` and ``combine``.

    *metrics: Names, signatures, Definitions, metric functions, or mappings from names to those.
    labels: All classes in their order. By default, those that occur.
    interval: The interval of all metrics, such as "auto".
    Returns: An ``evaluate.EvaluationModule`` of predictions and references.
    DefinitionError: If a metric is unknown or is not computed from predicted classes.
    """
    try:
        import datasets
        import evaluate as library
    except ImportError:
        raise ImportError(
            "an evaluation module needs evaluate: pip install 'whichf1[evaluate]'"
        ) from None
    definitions = named_metrics(metrics, interval)
    for name, definition in definitions.items():
        if definition.declaration.kind not in COUNTED:
            raise DefinitionError(f"{name} is computed from scores, but a module has predictions")
    text = labels is not None and isinstance(next(iter(labels), None), str)
    feature = datasets.Value("string" if text else "int64")

    def _info(self: Any) -> Any:
        described = "\n".join(f"{name}: {x.signature}" for name, x in definitions.items())
        return library.MetricInfo(
            description=described,
            citation="",
            features=datasets.Features({"predictions": feature, "references": feature}),
        )

    def _compute(self: Any, predictions: Any, references: Any) -> dict[str, float]:
        scores = {name: run(x, references, predictions, labels) for name, x in definitions.items()}
        return numbers(scores)

    facts = {"_info": _info, "_compute": _compute, "__module__": __name__}
    return type("WhichF1", (library.Metric,), facts)()
