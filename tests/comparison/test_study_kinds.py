"""A study takes what a comparison takes: every metric, of any kind of data, from every source."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import DefinitionError, InputError, MergeError, WeightError
from whichf1.metrics import EVERY

N = 80
RNG = np.random.default_rng(7)
Y, TWO = np.arange(N) % 3, np.arange(N) % 2
SETS = RNG.random((N, 4)) < 0.4
WEIGHTS = RNG.uniform(0.2, 3, N)
WEIGHTS[:3] = 0


def classes() -> Any:
    return np.where(RNG.random(N) < 0.7, Y, RNG.integers(0, 3, N))


def probabilities() -> Any:
    odds = RNG.normal(0, 1, (N, 3))
    odds[np.arange(N), Y] += 1
    return np.exp(odds) / np.exp(odds).sum(1, keepdims=True)


def sets() -> Any:
    return np.where(RNG.random((N, 4)) < 0.8, SETS, ~SETS).astype(int)


def label_scores() -> Any:
    return np.round(1 / (1 + np.exp(-(2 * SETS - 1 + RNG.normal(0, 1, (N, 4))))), 3)


def runs(make: Any) -> dict[str, list[Any]]:
    return {name: [make(), make()] for name in "AB"}


KINDS: dict[str, tuple[str, Any, Any]] = {
    "classes": ("pred", Y, runs(classes)),
    "two classes": ("pred", TWO, runs(lambda: classes() % 2)),
    "scores": ("score", TWO, runs(lambda: 1 / (1 + np.exp(-2 * TWO + 1 + RNG.normal(0, 1, N))))),
    "scores of classes": ("probs", Y, runs(probabilities)),
    "sets of labels": ("pred", SETS.astype(int), runs(sets)),
    "scores of labels": ("probs", SETS.astype(int), runs(label_scores)),
    "values": ("value", None, runs(lambda: RNG.normal(0, 1, N))),
}
RESAMPLED = ("expected_calibration_error", "no_information_rate")
"""Some of the scores that depend on individual items, whose variance takes replicates."""
WAYS: tuple[dict[str, Any], ...] = ({}, {"average": "macro"}, {"positive": 1})


def compared(metric: str, kind: str, **options: Any) -> wf.Comparison | None:
    """The comparison of the first runs; None if there is none."""
    _, true, given = KINDS[kind]
    systems = {name: each[0] for name, each in given.items()}
    try:
        draws = 0 if EVERY[metric].smooth else 199
        return wf.compare(true, systems, metric, replicates=draws, **options)
    except (InputError, DefinitionError):
        return None


def studied(metric: str, kind: str, **options: Any) -> wf.Study | None:
    name, true, given = KINDS[kind]
    try:
        return wf.study(true, metric, **{name: given}, **options)
    except (InputError, DefinitionError):
        return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_study_gives_the_scores_and_errors_of_a_comparison(kind: str, weighted: bool) -> None:
    """And raises an error of this library where a comparison does."""
    weights = WEIGHTS if weighted else None
    n = N if weights is None else weights.sum() ** 2 / (weights**2).sum()
    took, predicted = 0, KINDS[kind][0] == "pred"
    for metric, declared in EVERY.items():
        if predicted and declared.kind in ("ranking", "loss", "label ranking", "value"):
            assert studied(metric, kind, weights=weights) is None  # classes are not scores
            continue
        if not declared.smooth and metric not in RESAMPLED:
            continue
        for way in WAYS:
            expected = compared(metric, kind, weights=weights, **way)
            study = studied(metric, kind, weights=weights, **way)
            if expected is None or study is None:
                unknown = weighted and predicted and not declared.smooth
                assert study is None and (expected is None or unknown), metric
                continue
            took += 1
            (crossed,) = study.crossed.values()
            assert crossed.values[0] == pytest.approx(expected.scores["A"].value), metric
            assert crossed.values[2] == pytest.approx(expected.scores["B"].value), metric
            plain = [x.definition.settled(interval=None) for x in (study, expected)]
            assert plain[0].signature == plain[1].signature, metric
            assert ("weighted" in study.signature) == weighted
            error, one = expected.pairs[0].standard_error, np.array([1, 0, -1, 0])
            if expected.definition.declaration.smooth and error and error > 1e-9:
                ours = sqrt(one @ crossed.covariance @ one)
                assert ours / error == pytest.approx(1, abs=3 * (sqrt(n / (n - 1)) - 1)), metric
            again = wf.study(study, study.signature)
            assert again.signature == study.signature and again.pairs == study.pairs, metric
    assert took >= (1 if kind == "values" else 4)


def long(kind: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The same runs as a table with a row for each prediction, and the names of its columns."""
    name, true, given = KINDS[kind]
    parts = []
    for system, own in given.items():
        for run, values in enumerate(own, 1):
            columns: dict[str, Any] = {"system": system, "run": str(run), "item": np.arange(N)}
            columns |= {"w": WEIGHTS}
            wide = values if values.ndim == 2 else values[:, None]
            columns |= {f"{name}{at}": column for at, column in enumerate(wide.T)}
            if true is not None:
                labels = true if true.ndim == 2 else true[:, None]
                columns |= {f"true{at}": column for at, column in enumerate(labels.T)}
            parts.append(pd.DataFrame(columns))
    frame = pd.concat(parts, ignore_index=True)
    named: dict[str, Any] = {"system": "system", "run": "run", "item": "item", "weights": "w"}
    several = [x for x in frame.columns if x.startswith(name)]
    named[name] = several if len(several) > 1 else several[0]
    if true is not None:
        bits = [x for x in frame.columns if x.startswith("true")]
        named["true"] = bits if len(bits) > 1 else bits[0]
    if kind == "scores of classes":
        named["labels"] = [0, 1, 2]
    return frame, named


METRIC: dict[str, tuple[str, dict[str, Any]]] = {
    "classes": ("averaged_f1", {}),
    "two classes": ("f1", {"positive": 1}),
    "scores": ("roc_auc", {"positive": 1}),
    "scores of classes": ("log_loss", {}),
    "sets of labels": ("averaged_f1", {}),
    "scores of labels": ("average_precision", {"average": "macro"}),
    "values": ("mean_value", {}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", ["pandas", "polars", "csv", "parquet", "jsonl", "pattern"])
def test_every_source_gives_the_same_study(kind: str, source: str, tmp_path: Path) -> None:
    metric, options = METRIC[kind]
    expected = studied(metric, kind, weights=WEIGHTS, item=np.arange(N), **options)
    frame, named = long(kind)
    data: Any = frame
    if source == "polars":
        import polars as pl

        data = pl.from_pandas(frame)
    elif source == "pattern":
        data = str(tmp_path / "{system}-{run}.csv")
        for (system, run), part in frame.groupby(["system", "run"]):
            own = part.drop(columns=["system", "run"]).sample(frac=1, random_state=1)
            own.to_csv(tmp_path / f"{system}-{run}.csv", index=False)
        named = {k: v for k, v in named.items() if k not in ("system", "run")}
    elif source != "pandas":
        data = tmp_path / f"runs.{source}"
        write = {"csv": frame.to_csv, "parquet": frame.to_parquet}.get(source)
        if write is not None:
            write(data, index=False)
        else:
            frame.to_json(data, orient="records", lines=True, double_precision=15)
    ours = wf.study(data, metric, **named, **options)
    assert expected is not None
    for one, other in zip(expected.means, ours.means, strict=True):
        assert one.values == pytest.approx(other.values, rel=1e-9)
        assert one.error == pytest.approx(other.error, rel=1e-6)
    saved = tmp_path / "study.json"
    ours.trials.save(saved)
    again = wf.study(saved, metric, **options)
    assert again.signature == ours.signature and again.pairs == ours.pairs


@pytest.mark.parametrize("kind", ["sets of labels", "scores of labels", "scores of classes"])
def test_runs_of_sets_and_of_class_scores_are_added(kind: str) -> None:
    name, true, given = KINDS[kind]
    first, second = (
        wf.trials(true, **dict[str, Any]({name: {x: {str(at): y[at]} for x, y in given.items()}}))
        for at in (0, 1)
    )
    metric, options = METRIC[kind]
    both = wf.study(first + second, metric, **options)
    whole = wf.study(true, metric, **{name: given}, **options)
    assert both.scores == pytest.approx(whole.scores)
    with pytest.raises(MergeError):
        first + wf.trials(Y, pred={"A": {"9": Y}})


def test_lists_texts_and_matrices_of_labels_are_the_same_sets(tmp_path: Path) -> None:
    names = np.array(["a", "b", "c", "d"])
    _, _, given = KINDS["sets of labels"]
    matrix = wf.study(SETS.astype(int), "averaged_f1", pred=given)
    true = [{*names[row]} for row in SETS]
    lists = {x: [[[*names[row == 1]] for row in run] for run in y] for x, y in given.items()}
    assert wf.study(true, "averaged_f1", pred=lists).scores == pytest.approx(matrix.scores)
    rows = [
        {"system": x, "run": at, "true": ";".join(sorted(true[i])), "pred": ";".join(run[i])}
        for x, y in lists.items()
        for at, run in enumerate(y)
        for i in range(N)
    ]
    frame = pd.DataFrame(rows)
    texts = wf.study(frame, "averaged_f1", sep=";", system="system", run="run")
    assert texts.scores == pytest.approx(matrix.scores)
    path = tmp_path / "sets.csv"
    frame.to_csv(path, index=False)
    text = wf.study(path, "averaged_f1", sep=";", system="system", run="run")
    assert text.scores == pytest.approx(matrix.scores)
    single = wf.trials([{"a"}, set()], pred={"A": [[], ["a"]], "B": [{"a"}, {"b"}]})
    assert single.runs == 2


def test_the_command_reads_them_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    for kind, args in (
        ("scores of classes", ["--probs", "0=probs0,1=probs1,2=probs2", "-m", "log_loss"]),
        ("sets of labels", ["-m", "averaged_f1", "--pred", "pred0,pred1,pred2,pred3"]),
        ("values", ["-m", "mean_value(of=value0)"]),
        ("scores", ["-m", "roc_auc", "--score", "score0", "--positive", "1"]),
    ):
        frame, named = long(kind)
        frame.to_csv(path, index=False)
        true = named.get("true", [])
        listed = ",".join([true] if isinstance(true, str) else true)
        truth = ["--true", listed] if listed else []
        roles = ["--system", "system", "--run", "run", "--item", "item", "--weights", "w"]
        code, out, err = run("study", path, *truth, *roles, *args)
        assert (code, err) == (0, "")
        metric, options = METRIC[kind]
        expected = studied(metric, kind, weights=WEIGHTS, **options)
        assert expected is not None and f"{expected.scores['A']:.4f}" in out


def test_weights_belong_to_items() -> None:
    parts = [
        wf.trials([0, 1], pred={"A": {str(at): [0, 1]}}, item=[0, 1], weights=[1.0, 2.0 + at])
        for at in range(2)
    ]
    with pytest.raises(InputError, match="the weight of an item differs between runs: that of ite"):
        parts[0] + parts[1]
    for bad, words in (([1, np.nan], "nan"), ([1, -1], "-1"), ([1, np.inf], "inf"), ([1], "shape")):
        with pytest.raises((WeightError, InputError), match=words):
            wf.trials([0, 1], pred={"A": [[0, 1]]}, weights=bad)
    with pytest.raises(InputError, match="no items with a weight above 0"):
        wf.study([0, 1], "accuracy", pred={"A": [[0, 1], [1, 1]]}, weights=[0, 0])
    frame = pd.DataFrame({"true": [0, 1], "pred": [0, 1], "w": [1, None], "s": "A"})
    with pytest.raises(WeightError, match=r"column 'w': weights\[1\] is nan"):
        wf.trials(frame, weights="w", system="s")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"probs": ["probs0", "probs1"], "true": "true0", "labels": [0, 1, 2]}, "3 labels, and 2"),
        ({"probs": {"A": [["probs0", "probs1", "probs2"]], "B": [["probs0"]]}}, "every run needs"),
        ({"probs": {0: "probs0", 1: "probs1"}, "labels": [0, 1]}, "omit labels="),
        ({"probs": {"A": [["probs0", "probs1"]], "B": [["probs1", "probs2"]]}}, "which class"),
        ({"score": "probs0", "sep": ";"}, "probs="),
        ({"probs": ["probs0", "probs1", "probs2"], "true": "true0"}, "which class does each"),
    ],
)
def test_columns_of_classes_are_checked(options: dict[str, Any], words: str) -> None:
    frame, _ = long("scores of classes")
    with pytest.raises(InputError, match=words):
        wf.trials(frame, **options)


@pytest.mark.parametrize(
    ("metric", "kind", "words"),
    [
        ("roc_auc", "classes", "computed from scores, and this study has predicted classes"),
        ("averaged_f1", "scores", "computed from predicted classes, and this study has scores"),
        ("subset_accuracy", "classes", "computed from sets of labels"),
        ("ndcg", "scores of classes", "computed from scores of labels"),
        ("mcc", "sets of labels", "computed from predicted classes"),
        ("mean_value", "classes", "computed from values"),
    ],
)
def test_other_data_are_named(metric: str, kind: str, words: str) -> None:
    name, true, given = KINDS[kind]
    with pytest.raises(InputError, match=words):
        wf.study(wf.trials(true, **{name: given}), metric)


@pytest.mark.parametrize(
    "option", ["true", "system", "run", "dataset", "item", "cluster", "weights"]
)
@pytest.mark.parametrize("value", ["column", ["column"], {}, 3])
def test_counts_have_no_columns(option: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"omit {option}=|{option}= names a part of the path"):
        wf.trials(wf.count([0, 1], [1, 1]), **{option: value})


def test_parts_of_the_path_of_counts_are_named(tmp_path: Path) -> None:
    for name in ("x", "y"):
        wf.count([0, 1, 1], [1, 1, 0]).save(tmp_path / f"{name}.json")
    pattern = str(tmp_path / "{which}.json")
    assert wf.trials(pattern, system="which").systems == ("x", "y")
    with pytest.raises(InputError, match="names a part of the path"):
        wf.trials(pattern, system="which", run="other")


def test_runs_in_arrays_have_their_place() -> None:
    with pytest.raises(InputError, match="run= is for columns"):
        wf.trials([0, 1], pred={"A": [[0, 1]]}, run="seed")
