"""The functions of scikit-learn that are computed here: random calls through both libraries."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from tests.helpers.sklearn_suite import Call, outcome_of
from whichf1.integrations import sklearn as door
from whichf1.integrations.sklearn import DROP_INS

CLASSES = [[0, 1], [0, 1, 2], [-1, 1], [3, 5, 9], ["a", "b"], ["a", "b", "c"], [False, True], [1]]
CHOICES: dict[str, Sequence[Any]] = {
    "average": ["binary", "micro", "macro", "weighted", "samples", None],
    "zero_division": ["warn", 0, 1, np.nan],
    "beta": [0, 0.5, 1, 2, np.inf],
    "normalize": [True, False, None, "true", "pred", "all"],
    "weights": [None, "linear", "quadratic"],
    "adjusted": [False, True],
    "samplewise": [False, True],
    "drop_intermediate": [False, True],
    "output_dict": [False, True],
    "digits": [0, 1, 2, 4],
    "max_fpr": [None, 0.3, 1.0],
    "multi_class": ["raise", "ovr", "ovo"],
    "k": [1, 2, 3],
    "scale_by_half": ["auto", True, False],
    "replace_undefined_by": [np.nan, 1.0, 0.5, {"LR+": 2.0, "LR-": 0.5}, {"LR+": 0.5, "LR-": 0}],
}


class Calls:
    """Random calls of a function; most of them make sense."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng = np.random.default_rng([seed, *name.encode()])
        self.parameters = [*inspect.signature(getattr(metrics, name)).parameters]

    def one_of(self, choices: Sequence[Any]) -> Any:
        return choices[self.rng.integers(len(choices))]

    def draw(self) -> tuple[list[Any], dict[str, Any]]:
        """Data and options."""
        n = int(self.rng.integers(1, 9))
        _, second, *optional = self.parameters
        chosen = {x for x in optional if self.rng.random() < 0.4} | {*optional} & {"beta"}
        options = {x: self.one_of(CHOICES[x]) for x in optional if x in chosen & {*CHOICES}}
        classes = self.one_of(CLASSES)
        sets = self.rng.random() < 0.25 and second != "y_proba"
        if sets:
            classes = [*range(self.rng.integers(2, 4))]
        if "labels" in chosen:
            options["labels"] = self.labels(classes, second)
        if "pos_label" in chosen:
            options["pos_label"] = self.one_of([*classes, 1])
        if "sample_weight" in chosen:
            options["sample_weight"] = self.weights(n)
        true = self.matrix(n, len(classes)) if sets else self.column(n, classes)
        if second in ("y_pred", "y2"):
            guess = self.matrix(n, len(classes)) if sets else self.column(n, classes)
        elif sets:
            guess = self.steps(n, len(classes))
        elif self.rng.random() < 0.5:
            guess = self.steps(n)
        else:
            raw = self.steps(n, max(2, len(classes))) + 0.01
            guess = raw / raw.sum(1, keepdims=True)
        return [true, guess], options

    def labels(self, classes: list[Any], second: str) -> Any:
        if second in ("y_pred", "y2"):
            more = [*classes, "z" if isinstance(classes[0], str) else 77]
            return [more[x] for x in self.rng.permutation(len(more))[: self.rng.integers(1, 4)]]
        return self.one_of([None, classes, classes[::-1]])

    def column(self, n: int, classes: list[Any]) -> Any:
        values = [self.one_of(classes) for _ in range(n)]
        form = self.one_of(["list", "array", "array", "column", "object"])
        if form == "list":
            return values
        array = np.array(values, object if form == "object" else None)
        return array[:, None] if form == "column" else array

    def matrix(self, n: int, width: int) -> Any:
        return self.rng.integers(0, 2, (n, width))

    def steps(self, *shape: int) -> Any:
        return self.rng.integers(0, 9, shape) / 8

    def weights(self, n: int) -> Any:
        weights = self.rng.integers(0, 4, n) / self.one_of([1, 2])
        return weights if self.rng.random() < 0.5 else weights.astype(int).tolist()


@pytest.mark.parametrize("name", DROP_INS)
def test_a_function_gives_what_scikit_learn_gives(name: str) -> None:
    calls, original = Calls(name, seed=0), getattr(metrics, name)
    seen = set()
    for _ in range(CALLS):
        sides, options = calls.draw()
        found, said = outcome_of(DROP_INS[name], sides, options)
        expected, words = outcome_of(original, sides, options)
        texts = [[f"{x.category.__name__}: {x.message}" for x in each] for each in (said, words)]
        arguments = {**dict(zip(calls.parameters, sides, strict=False)), **options}
        call = Call(name, arguments, found, expected, (texts[0], texts[1]))
        seen.add(call.outcome)
        assert call.outcome in ("equal", "refused by both") or call.convention, call
    assert {"equal", "refused by both"} <= seen


CALLS = 150


def test_functions_can_be_pickled_and_say_what_they_do() -> None:
    for name, function in DROP_INS.items():
        assert pickle.loads(pickle.dumps(function)) is function is getattr(door, name)
        original = getattr(metrics, name)
        assert inspect.signature(function) == inspect.signature(original)
        assert "sklearn.metrics import" not in (function.__doc__ or "")
