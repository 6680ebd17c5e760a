"""The functions of scikit-learn that are computed here: random calls through both libraries."""

from __future__ import annotations

import doctest
import inspect
import pickle
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from tests.helpers.sklearn_suite import ROOT, Call, equal, outcome_of
from whichf1.integrations import sklearn as door
from whichf1.integrations.sklearn import DROP_INS
from whichf1.metrics import EVERY

DISPLAYS = ("DetCurveDisplay", "PrecisionRecallDisplay", "RocCurveDisplay")

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
    "log_base": [2, 10, 1.5],
    "ignore_ties": [False, True],
    "metric_func": [metrics.accuracy_score, metrics.f1_score, lambda a, b, **_: (a * b).sum()],
    "metric_params": [None, {}],
    "scale_by_half": ["auto", True, False],
    "average_method": ["arithmetic", "geometric", "min", "max"],
    "replace_undefined_by": [np.nan, 1.0, 0.5, {"LR+": 2.0, "LR-": 0.5}, {"LR+": 0.5, "LR-": 0}],
}


class Calls:
    """Random calls of a function; most of them make sense."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng = np.random.default_rng([seed, *name.encode()])
        self.parameters = [*inspect.signature(getattr(metrics, name)).parameters]

    def one_of(self, choices: Sequence[Any]) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def draw(self) -> tuple[list[Any], dict[str, Any]]:
        """Data and options."""
        n = int(self.rng.integers(1, 9))
        _, second, *optional = self.parameters
        chosen = {x for x in optional if self.rng.random() < 0.4}
        chosen |= {*optional} & {"beta", "metric_func"}
        options = {x: self.one_of(CHOICES[x]) for x in optional if x in chosen & {*CHOICES}}
        classes = self.one_of(CLASSES)
        sets = self.rng.random() < 0.25 and second != "y_proba"
        if sets:
            classes = [*range(self.rng.integers(2, 4))]
        if "labels" in chosen:
            options["labels"] = self.labels(classes, second)
        if "pos_label" in chosen:
            options["pos_label"] = self.one_of([*classes, 1])
        if "contingency" in chosen:
            options["contingency"] = self.rng.integers(0, 4, self.rng.integers(1, 5, 2))
        if "sample_weight" in chosen:
            options["sample_weight"] = self.weights(n)
        true = self.matrix(n, len(classes)) if sets else self.column(n, classes)
        if second == "labels_pred":  # of another kind, and seldom a matrix
            others = self.one_of(CLASSES)
            true, guess = self.column(n, classes), self.column(n, others)
            if self.rng.random() < 0.1:
                true = self.steps(n)
        elif second in ("y_pred", "y2"):
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


def through_both(name: str, calls: Calls) -> Call:
    sides, options = calls.draw()
    found, said = outcome_of(DROP_INS[name], sides, options)
    expected, words = outcome_of(getattr(metrics, name), sides, options)
    texts = [[f"{x.category.__name__}: {x.message}" for x in each] for each in (said, words)]
    arguments = {**dict(zip(calls.parameters, sides, strict=False)), **options}
    return Call(name, arguments, found, expected, (texts[0], texts[1]))


@pytest.mark.slow
@pytest.mark.parametrize("name", DROP_INS)
def test_a_function_gives_what_scikit_learn_gives(name: str) -> None:
    calls = Calls(name, seed=0)
    seen = set()
    for _ in range(150):
        call = through_both(name, calls)
        seen.add(call.outcome)
        assert call.outcome in ("equal", "refused by both") or call.convention, call
    assert {"equal", "refused by both"} <= seen


def test_numbers_are_computed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a score is defined, scikit-learn's function is not called at all."""

    def forbidden(*args: Any, **options: Any) -> Any:
        raise AssertionError("scikit-learn was asked")

    y = np.arange(300) % 3
    guess, two = (y + (np.arange(300) % 7 == 0)) % 3, (y > 0).astype(int)
    steps = np.linspace(0.1, 0.9, 300)
    three = np.stack([steps / 2, steps / 2, 1 - steps], 1)
    sets, ranked = np.stack([two, 1 - two, y == 1], 1).astype(int), np.stack([steps] * 3, 1)
    data: dict[str, tuple[Any, Any]] = {"y_pred": (y, guess), "y2": (y, guess)}
    data |= {"labels_pred": (y, guess)}
    data |= {"y_score": (two, steps), "y_proba": (y, three), "pred_decision": (y, three)}
    data |= {"y": (steps, guess)}
    special = {"coverage_error": (sets, ranked), "class_likelihood_ratios": (two, guess > 0)}
    special |= {f"label_ranking_{x}": (sets, ranked) for x in ("average_precision_score", "loss")}
    special |= dict.fromkeys(("dcg_score", "ndcg_score"), (sets, ranked))
    special |= {"top_k_accuracy_score": (y, three)}
    macro = dict.fromkeys(("f1_score", "precision_score", "recall_score", "jaccard_score"), "macro")
    for name, function in DROP_INS.items():
        _, second, *_ = inspect.signature(function).parameters
        options: dict[str, Any] = {"average": macro[name]} if name in macro else {}
        if name == "fbeta_score":
            options = {"average": "macro", "beta": 2}
        if name == "metric_at_thresholds":
            options = {"metric_func": metrics.recall_score}
        sides = special.get(name, data[second])
        expected = getattr(metrics, name)(*sides, **options)
        monkeypatch.setattr(function, "__wrapped__", forbidden)
        found = function(*sides, **options)
        assert equal(found, expected), name


class AsPrinted(doctest.OutputChecker):
    """Numbers are equal if they are so to the digits that are shown."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        number = r"-?\d+\.?\d*"
        shown, found = (re.findall(number, text.replace("...", "")) for text in (want, got))
        texts = [re.sub(rf"{number}|\s|\.\.\.", "", text) for text in (want, got)]
        decimals = [len(x.partition(".")[2]) for x in shown]
        close = all(
            abs(float(a) - float(b)) <= 10.0**-digits
            for a, b, digits in zip(shown, found, decimals, strict=False)
        )
        return texts[0] == texts[1] and len(shown) == len(found) and close


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DROP_INS)
def test_the_examples_of_scikit_learn_hold(name: str) -> None:
    text = inspect.getdoc(DROP_INS[name]) or ""
    assert ">>>" not in text or ">>> from whichf1.integrations" in text
    tests = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    printed: list[str] = []
    runner = doctest.DocTestRunner(AsPrinted(), optionflags=doctest.ELLIPSIS)
    results = runner.run(tests, out=printed.append)
    assert results.failed == 0, "".join(printed)


def test_functions_can_be_pickled_and_have_the_same_signature() -> None:
    assert {*door.__all__} == {*DROP_INS, "DROP_INS", "scorer", *DISPLAYS}
    for name, function in DROP_INS.items():
        assert pickle.loads(pickle.dumps(function)) is function is getattr(door, name)
        ours, theirs = (inspect.signature(x) for x in (function, getattr(metrics, name)))
        assert str(ours) == str(theirs)


def test_every_metric_that_scikit_learn_has_is_replaced() -> None:
    assert {x.sklearn for x in EVERY.values() if x.sklearn} - {*DROP_INS} == set()


def test_an_unknown_option_is_refused_in_the_same_words() -> None:
    for options in ({"no_such": 1}, {"average": "makro"}, {"zero_division": 2}):
        sides = ([0, 1], [0, 1])
        found, expected = (
            outcome_of(function, sides, options)[0]
            for function in (door.f1_score, metrics.f1_score)
        )
        assert Call("f1_score", {}, found, expected).outcome == "refused by both"


def test_the_speed_of_every_function_is_on_the_page() -> None:
    page = (ROOT / "docs" / "scikit-learn.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| [\d., |–]+\|$", page, re.M)
    assert rows == sorted(DROP_INS), "run python -m benchmarks.sklearn_functions"
