"""Scores as metrics of Keras, on the backend that KERAS_BACKEND names."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest

import whichf1 as wf
from whichf1.errors import DefinitionError, InputError, LabelError, ShapeError
from whichf1.integrations.keras import KerasMetric

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:keras")

RNG = np.random.default_rng(2)
X = RNG.normal(size=(200, 5)).astype("float32")
Y = (X[:, 0] > 0).astype("int32") + (X[:, 1] > 0.5)


def model_of(*metrics: Any) -> Any:
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.layers.Input((5,)), keras.layers.Dense(3, activation="softmax")]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=[*metrics])
    return model


def test_a_model_is_trained_and_scored() -> None:
    metric = KerasMetric("averaged_f1", num_classes=3)
    model = model_of(metric, "accuracy", KerasMetric("accuracy", num_classes=3, name="ours"))
    history = model.fit(
        X,
        Y,
        epochs=2,
        batch_size=64,
        verbose=0,
        validation_data=(X[:50], Y[:50]),
        callbacks=[keras.callbacks.EarlyStopping("val_averaged_f1", patience=5)],
    ).history
    assert history["val_ours"] == pytest.approx(history["val_accuracy"])
    found = model.evaluate(X, Y, verbose=0, return_dict=True)
    expected = wf.averaged_f1(Y, model.predict(X, verbose=0).argmax(1), labels=range(3))
    assert found["averaged_f1"] == pytest.approx(expected.value, rel=1e-6)
    score = metric.score()
    assert score.value == expected.value
    assert score.interval is not None and score.interval.method == "auto"
    assert score.n == 200 and metric.counts().n == 200


@pytest.mark.parametrize(
    "name", ["averaged_f1", "f1_of_averages", "mcc", "cohen_kappa", "accuracy"]
)
def test_labels_rows_and_padding(name: str) -> None:
    scores = RNG.random((30, 7, 4)).astype("float32")
    true = RNG.integers(0, 4, (30, 7))
    expected = wf.score(true.reshape(-1), scores.argmax(-1).reshape(-1), name, labels=range(4))
    ways = [(true, scores), (true, scores.argmax(-1)), (np.eye(4)[true], scores)]
    for y_true, y_pred in ways:
        metric = KerasMetric(name, num_classes=4)
        for at in (slice(0, 11), slice(11, 30)):
            metric.update_state(y_true[at], y_pred[at])
        assert metric.score().value == expected.value
        assert float(metric.result()) == pytest.approx(expected.value, rel=1e-6)
    padded = np.where(RNG.random(true.shape) < 0.3, -1, true)
    metric = KerasMetric(name, num_classes=4, ignore_class=-1)
    metric.update_state(padded, scores)
    kept = padded >= 0
    same = wf.score(true[kept], scores.argmax(-1)[kept], name, labels=range(4))
    assert metric.score().value == same.value
    metric.reset_state()
    with pytest.raises(InputError, match="no batch"):
        metric.result()


def test_two_classes_with_one_score() -> None:
    score = RNG.random((40, 1)).astype("float32")
    true = RNG.integers(0, 2, (40, 1))
    metric = KerasMetric("f1", num_classes=2, positive=1, threshold=0.4)
    metric.update_state(true, score)
    expected = wf.f1(true[:, 0], (score > 0.4).astype(int)[:, 0], positive=1)
    assert metric.score().value == expected.value
    with pytest.raises(ShapeError, match=r"threshold= is for one score per item"):
        metric.update_state(true, np.concatenate([1 - score, score], 1))
    other = KerasMetric.from_config(metric.get_config())
    other.update_state(true, score)
    assert float(other.result()) == float(metric.result()) and other.name == "f1"
    named = keras.metrics.deserialize(
        keras.metrics.serialize(KerasMetric("mcc", labels=["a", "b"]))
    )
    assert named.definition.metric == "mcc"


def test_bad_input_never_yields_a_number() -> None:
    metric = KerasMetric("accuracy", num_classes=3)
    metric.update_state([0, 1], [0, 1])
    for bad, error, message in (
        (([0, 3], [0, 1]), LabelError, "in 1 of the items"),
        (([0, 1], [0, 7]), LabelError, "outside the 3 classes"),
        (([0, -100], [0, 1]), LabelError, "ignore_class="),
        (([0], np.array([[0.1, np.nan, 0.2]], "float32")), InputError, "NaN"),
    ):
        metric.update_state(*bad)
        for call in (metric.result, metric.score):
            with pytest.raises(error, match=message):
                call()
        metric.reset_state()
        metric.update_state([0, 1], [0, 1])
        assert float(metric.result()) == 1
    for y_true, y_pred in (([0], np.zeros((1, 4), "float32")), ([0, 1], [0])):
        with pytest.raises(ShapeError):
            metric.update_state(y_true, y_pred)
    with pytest.raises(InputError, match="weighted_metrics"):
        metric.update_state([0], [0], sample_weight=[1.0])
    for name in ("roc_auc", "f1"):
        with pytest.raises(DefinitionError):
            KerasMetric(name, num_classes=2)
    with pytest.raises(InputError, match="num_classes="):
        KerasMetric("accuracy")


def test_a_bad_class_stops_a_compiled_step() -> None:
    model = model_of(KerasMetric("accuracy", num_classes=3))
    model.compile("adam", lambda _, y: y[:, 0], metrics=model._compile_metrics._user_metrics)
    assert model.evaluate(X, Y, verbose=0, return_dict=True)["accuracy"] > 0
    with pytest.raises(Exception, match="outside the 3 classes"):
        model.evaluate(X, Y + 1, verbose=0)
    two = model_of(KerasMetric("accuracy", num_classes=2))
    with pytest.raises(ShapeError, match="scores of 2 classes"):
        two.evaluate(X, Y, verbose=0)
