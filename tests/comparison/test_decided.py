"""Systems with scores, compared by the predictions that a threshold makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import DefinitionError, InputError, ShapeError


def items(n: int = 200) -> pd.DataFrame:
    """Two systems that score the same items."""
    rng = np.random.default_rng(4)
    spam = rng.random(n) < 0.4
    scores = {x: np.clip(spam * 0.3 + rng.random(n) * 0.6, 0, 1).round(2) for x in "ab"}
    gold = np.where(spam, "spam", "ham")
    return pd.DataFrame(
        {"gold": gold, **scores, "w": rng.integers(1, 4, n) * 0.5, "doc": np.arange(n) // 5}
    ).assign(f=rng.integers(0, 4, n), lang=np.where(rng.random(n) < 0.3, "de", "en"))


@pytest.mark.parametrize("labels", [None, ["ham", "spam"]])
def test_a_threshold_decides_in_every_slice(
    labels: list[str] | None, tmp_path: Path, run: Run
) -> None:
    frame = items()
    frame["gold"] = np.where(frame["lang"] == "de", "ham", frame["gold"])  # it has one class only
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    given: Any = {"threshold": 0.5, "true": "gold", "by": "lang", "labels": labels}
    given["positive"] = "spam"
    table = wf.results_table(path, ["a", "b"], ["averaged_f1", "accuracy"], **given)
    decided = frame.assign(**{x: np.where(frame[x] >= 0.5, "spam", "ham") for x in "ab"})
    expected = wf.results_table(
        decided, ["a", "b"], ["averaged_f1", "accuracy"], true="gold", by="lang", labels=labels
    )
    assert [*table.slices] == [("de",), ("en",)]
    for key, results in expected.blocks.items():
        for name, row in results.items():
            for metric, result in row.items():
                found = table.blocks[key][name][metric]
                assert found.score.value == pytest.approx(result.score.value, rel=1e-12)
                p, expected_p = (
                    -1 if x.p_adjusted is None else x.p_adjusted for x in (found, result)
                )
                assert p == pytest.approx(expected_p, rel=1e-9)
    declared = [] if labels is None else ["--labels", ",".join(labels)]
    code, out, _ = run(
        "compare", path, "--true", "gold", "--pred", "a", "--pred", "b", "--threshold", "0.5",
        "--positive", "spam", "-m", "averaged_f1", "-m", "accuracy", "--by", "lang",
        *declared, "-f", "csv",
    )  # fmt: skip
    assert (code, out) == (0, table.to_csv())


@pytest.mark.parametrize("metric", ["f1", "averaged_f1", "accuracy", "mcc", "recall"])
@pytest.mark.parametrize("further", [(), ("weights",), ("cluster",), ("frequencies",)])
@pytest.mark.thinned(3)
def test_a_threshold_compares_the_predictions_that_it_makes(
    metric: str, further: tuple[str, ...], tmp_path: Path, run: Run
) -> None:
    """From arrays, a frame, a file and the command: as the predictions themselves are compared."""
    frame = items()
    names = {"weights": "w", "cluster": "doc", "frequencies": "f"}
    arrays: dict[str, Any] = {key: frame[names[key]] for key in further}
    columns: dict[str, Any] = {key: names[key] for key in further}
    own: dict[str, Any] = {"positive": "spam"} if metric in ("f1", "recall") else {}
    decided = {x: np.where(frame[x] >= 0.5, "spam", "ham") for x in "ab"}
    expected = wf.compare(frame["gold"], decided, metric, **own, **arrays)
    given: dict[str, Any] = {"threshold": 0.5, "positive": "spam"}
    frame.to_csv(tmp_path / "x.csv", index=False)
    path = tmp_path / "x.csv"
    for found in (
        wf.compare(frame["gold"], {"a": frame["a"], "b": frame["b"]}, metric, **given, **arrays),
        wf.compare(frame, ["a", "b"], metric, true="gold", **given, **columns),
        wf.compare(path, ["a", "b"], metric, true="gold", **given, **columns),
    ):
        for name in "ab":
            assert found.scores[name].value == pytest.approx(expected.scores[name].value)
        (pair,), (other,) = found.pairs, expected.pairs
        assert pair.difference == pytest.approx(other.difference)
        assert pair.p_value == pytest.approx(other.p_value)
        assert (pair.only_a, pair.only_b) == (other.only_a, other.only_b)
        assert "score>=0.5" in found.signature
    options = [text for key in further for text in (f"--{key}", names[key])]
    code, out, err = run(
        "compare", path, "--true", "gold", "--pred", "a", "--pred", "b", "-m", metric,
        "--threshold", "0.5", "--positive", "spam", *options, "-f", "json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "score>=0.5" in json.dumps(json.loads(out))


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"metric": "roc_auc"}, DefinitionError, "turns scores into predictions"),
        ({"threshold": "high"}, DefinitionError, "threshold must be a number"),
        ({"positive": None}, InputError, "which class do high scores"),
        ({"labels": ["ham", "spam", "other"]}, ShapeError, "between two classes"),
        ({"systems": {"a": [0.5]}}, InputError, "at least two systems"),
        ({"systems": {"a": [0.5] * 200, "b": [0.5] * 3}}, InputError, "200"),
        ({"systems": {"a": [[0.5, 0.5]] * 200, "b": [0.5] * 200}}, InputError, "one score per"),
    ],
)
def test_bad_thresholds_are_refused(change: dict[str, Any], error: Any, says: str) -> None:
    frame = items()
    given = {"systems": {"a": frame["a"], "b": frame["b"]}, "metric": "f1", "threshold": 0.5}
    with pytest.raises(error, match=says):
        wf.compare(frame["gold"], **{**given, "positive": "spam", **change})
