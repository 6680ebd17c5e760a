"""Keras 3: every score of predicted classes as a ``keras.Metric``, on torch and JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whichf1.errors import DefinitionError, InputError, LabelError, ShapeError
from whichf1.integrations.batches import Reader
from whichf1.integrations.tracking import named_metrics, own_name, with_interval
from whichf1.metrics import COUNTED
from whichf1.scoring.evaluate import evaluate
from whichf1.scoring.functions import with_options
from whichf1.scoring.score import Score
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts

try:
    import keras
    from keras import ops
except ImportError:
    raise ImportError(
        "whichf1.integrations.keras needs Keras 3: pip install 'whichf1[keras]'"
    ) from None

_BACKENDS = ("torch", "jax")


@keras.saving.register_keras_serializable(package="whichf1")
class KerasMetric(keras.metrics.Metric):  # type: ignore[misc]
    """Any score of predicted classes as a Keras metric.

    ``y_true`` has classes as integers, or one-hot rows; ``y_pred`` has scores of all classes in its
    last dimension, one score of the second of two classes, or classes as integers.

    metric: A name, a name with parameters such as ``"f_beta(beta=2)"``, a signature, a Definition
        or a metric function.
    num_classes: The number of classes.
    labels: The names of the classes in their order. Default: 0, 1, 2, …
    ignore_class: One or several true classes whose items are dropped, such as -1 for padding.
    threshold: With a single score per item, the second of two classes is predicted above it.
        Default: 0.5.
    name: Its name in Keras' logs. Default: the name of the metric.
    interval: The interval of :meth:`score`; None for none.
    **options: Further options of the metric, such as ``average="macro"``.
    DefinitionError: If the metric or an option is unknown, or is not computed from counts.
    """

    def __init__(
        self,
        metric: Any,
        *,
        num_classes: int | None = None,
        labels: Sequence[Any] | None = None,
        ignore_class: int | Sequence[int] | None = None,
        threshold: float | None = None,
        name: str | None = None,
        dtype: Any = None,
        interval: Any = "auto",
        **options: Any,
    ) -> None:
        if keras.backend.backend() not in _BACKENDS:
            raise InputError(
                f"the backend of Keras is {keras.backend.backend()}; set KERAS_BACKEND to one of "
                f"{', '.join(_BACKENDS)} before Keras is imported"
            )
        definition = with_options(metric, options)
        ((key, definition),) = named_metrics([{own_name(metric): definition}]).items()
        if definition.declaration.kind not in COUNTED:
            raise DefinitionError(
                f"{definition.metric} is computed from scores, but this metric counts predicted "
                "classes: compute it from the predictions, with whichf1." + definition.metric
            )
        super().__init__(name=name or key, dtype=dtype)
        self._reader = Reader.of(num_classes, labels, ignore_class, threshold, axis=-1)
        self._interval = interval
        self.definition = definition.settled(interval=None)
        self._with_interval = with_interval(definition, interval)
        better = {"higher": "up", "lower": "down"}
        self._direction = better.get(definition.declaration.better)  # used by callbacks
        whole = "int32" if keras.backend.backend() == "jax" else "int64"
        k = self._reader.classes
        self.cells = self.add_variable((k, k), "zeros", dtype=whole, name="cells")
        self.refused = self.add_variable((2,), "zeros", dtype=whole, name="refused")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch. If it cannot be counted, nothing is added, and the next result raises."""
        if sample_weight is not None:
            raise InputError(
                "the items of this metric have no weights: name it in metrics=, not in "
                "weighted_metrics="
            )
        true, predicted, missing = self._decided(
            ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
        )
        k = self._reader.classes
        kept = true == true
        for label in self._reader.ignore:
            kept = ops.logical_and(kept, true != label)
        outside = (true < 0) | (true >= k) | (predicted < 0) | (predicted >= k)
        known = ops.cast(kept & ~outside & ~missing, "float32")
        left = ops.one_hot(ops.clip(true, 0, k - 1), k, dtype="float32") * known[:, None]
        right = ops.one_hot(ops.clip(predicted, 0, k - 1), k, dtype="float32")
        cells = ops.matmul(ops.transpose(left), right)  # whole numbers, exact below 2²⁴
        wrong = [ops.sum(ops.cast(kept & side, "int32")) for side in (outside, missing)]
        cells = ops.where(wrong[0] + wrong[1] == 0, cells, 0)  # a compiled step cannot raise
        self.cells.assign_add(ops.cast(cells, self.cells.dtype))
        self.refused.assign_add(ops.cast(ops.stack(wrong), self.refused.dtype))

    def _decided(self, y_true: Any, y_pred: Any) -> tuple[Any, Any, Any]:
        """True and predicted class of each item, flat, and whether a score is NaN."""
        k, shape = self._reader.classes, tuple(y_pred.shape)
        scores = keras.backend.is_float_dtype(keras.backend.standardize_dtype(y_pred.dtype))
        if scores and len(shape) > 1 and shape[-1] == k:
            if self._reader.threshold is not None:
                raise ShapeError(
                    f"threshold= is for one score per item, but y_pred has {k}: drop it, or pass "
                    "those of the second class alone"
                )
            if tuple(y_true.shape) == shape:
                y_true = ops.argmax(y_true, -1)
            predicted = ops.argmax(y_pred, -1)
            missing = ops.any(ops.isnan(y_pred), -1)
        elif scores and k == 2 and shape[-1:] in ((1,), tuple(y_true.shape)[-1:]):
            limit = 0.5 if self._reader.threshold is None else self._reader.threshold
            predicted, missing = ops.cast(y_pred > limit, "int32"), ops.isnan(y_pred)
        elif scores:
            raise ShapeError(
                f"y_pred has shape {shape}, y_true {tuple(y_true.shape)}: pass scores of {k} "
                "classes in the last dimension, or classes as integers"
            )
        else:
            predicted, missing = y_pred, ops.zeros_like(y_pred, dtype="bool")
        sides = [ops.reshape(side, (-1,)) for side in (y_true, predicted, missing)]
        if sides[0].shape != sides[1].shape:
            raise ShapeError(
                f"y_true has shape {tuple(y_true.shape)}, y_pred {shape}, and there are {k} "
                "classes: pass a true class for each prediction"
            )
        return ops.cast(sides[0], "int32"), ops.cast(sides[1], "int32"), sides[2]

    def result(self) -> Any:
        """The score of all batches so far, as a tensor of the backend."""
        cells, refused = self.cells.value, self.refused.value
        if keras.backend.backend() == "jax":
            import jax

            if isinstance(cells, jax.core.Tracer):  # inside a compiled step
                kind: Any = jax.numpy.zeros((), np.float32)
                return jax.pure_callback(self._value, kind, cells, refused)
        elif cells.device.type == "meta":  # Keras asks for the shape of the result
            return ops.zeros((), dtype="float32")
        numbers = (ops.convert_to_numpy(x) for x in (cells, refused))
        return ops.convert_to_tensor(self._value(*numbers))

    def score(self) -> Score:
        """The score of all batches so far, with its interval and signature."""
        return evaluate(self._with_interval, self.counts())

    def counts(self) -> Counts:
        """The confusion matrix of all batches so far."""
        return self._counted(*map(ops.convert_to_numpy, (self.cells.value, self.refused.value)))

    def _value(self, cells: Any, refused: Any) -> Array:
        """The score of a table, in memory."""
        counts = self._counted(np.asarray(cells), np.asarray(refused))
        return np.asarray(evaluate(self.definition, counts).value, np.float32)

    def _counted(self, cells: Array, refused: Array) -> Counts:
        outside, missing = refused.tolist()
        if missing:
            raise InputError(f"NaN is among the scores, in {missing:,} of the items")
        if outside:
            k = self._reader.classes
            raise LabelError(
                f"a class is outside the {k} classes, 0 to {k - 1}, in {outside:,} of the items. "
                "Drop padding with ignore_class=."
            )
        if not cells.any():
            raise InputError(f"{self.name} has no items to score: there were no batches")
        return Counts.of_cells(self._reader.labels, cells.astype(np.int64).reshape(-1))

    def get_config(self) -> dict[str, Any]:
        """The configuration that recreates the metric."""
        reader = self._reader
        return {
            "metric": self.definition.signature,
            "labels": [*reader.labels],
            "ignore_class": [*reader.ignore],
            "threshold": reader.threshold,
            "name": self.name,
            "dtype": self.dtype,
            "interval": None if self._interval is None else str(self._interval),
        }
