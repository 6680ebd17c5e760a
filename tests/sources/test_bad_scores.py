"""Scores, classes and weights that are malformed: refused with their place, or skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import whichf1 as wf
from tests.helpers.class_scores import (
    GOOD,
    KINDS,
    NAMES,
    QUICK,
    Data,
    assert_same,
    lines_file,
    parquet,
)
from tests.helpers.engines import DATABASES, ENGINES
from tests.helpers.samples import ends
from whichf1.sources.questions.derived import Added
from whichf1.sources.request import Request


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "cat,0.7,0.7,1,a",
            r"not a distribution in 1 of its 5 items; .*item 5 \('0.7, 0.7'\) \(line 6",
        ),
        ("cat,1.5,-0.5,1,a", r"not a distribution in 1 of its 5 items.*must be in \[0, 1\]"),
        ("cat,x,0.5,1,a", r"'cat' has no finite number in 1 of its 5 items; .*item 5 \('x'\)"),
        ("cat,0.5,inf,1,a", r"'dog' has no finite number in 1 of its 5 items"),
        (
            'cat,"0,7",0.5,1,a',
            r"item 5 \('0,7'\).*\. Write numbers with a decimal point, .* 0\.7\.$",
        ),
        (
            "cat,70%,0.5,1,a",
            r"item 5 \('70%'\) .*\. Write numbers without a percent sign, .*70%\.$",
        ),
        ("cat,nan,0.5,1,a", r"item 5 \('nan'\) .*\. Fix it or drop the item\.$"),
        ("cat,,0.5,1,a", r"item 5 \(None\) .*\. The cell is empty: fill it in or drop the item\.$"),
        (
            f"cat,{2**53 + 1},0.5,1,a",
            r"\('9007199254740993'\).*It is an integer beyond 2\*\*53, .*",
        ),
        (",0.5,0.5,1,a", r"'gold' has no label in 1 of its 5 items; .*item 5"),
        ("eel,0.5,0.5,1,a", r"which class does each of the columns cat, dog belong to.*eel"),
        ("cat,0.5,0.5,-1,a", r"1 of the 5 items has no valid weight in column 'w'; .*item 5"),
        ("cat,0.5,0.5,1,", r"'doc' has no cluster in 1 of its 5 items; .*item 5"),
        ("cat,0.5", r"line 6"),
    ],
)
def test_what_is_wrong_with_an_item(tmp_path: Path, line: str, says: str) -> None:
    path = lines_file(tmp_path, *GOOD, line)
    own: dict[str, Any] = {
        "true": "gold",
        "score": ["cat", "dog"],
        "weights": "w",
        "cluster": "doc",
    }
    with pytest.raises(wf.errors.WhichF1Error, match=says):
        wf.log_loss(path, **own)
    if "distribution" not in says:
        with pytest.raises(wf.errors.WhichF1Error, match=says):
            wf.at_argmax(path, **own)


def test_bad_items_are_skipped_with_one_warning(tmp_path: Path) -> None:
    bad = ["cat,0.7,0.7,1,a", "cat,x,0.5,1,a", ",0.5,0.5,1,a", "cat,0.5,0.5,-1,a", "cat,1"]
    path = lines_file(tmp_path, *GOOD[:2], *bad, *GOOD[2:])
    clean = lines_file(tmp_path / "..", *GOOD)
    own: dict[str, Any] = {
        "true": "gold",
        "score": ["cat", "dog"],
        "weights": "w",
        "interval": "delta",
    }
    cases: list[tuple[str, dict[str, Any]]] = [
        ("log_loss", {}),
        ("brier", {"cluster": "doc"}),
        ("log_loss", {"interval": wf.Bootstrap(**QUICK)}),
        ("expected_calibration_error", {"multi_class": "top-label", "interval": None}),
    ]
    for metric, options in cases:
        given: dict[str, Any] = {**own, **options}
        with pytest.warns(wf.errors.SkippedWarning) as said:
            found = wf.score(path, metric, on_error="skip", **given)
        (word,) = (str(each.message) for each in said)
        for part in (
            "1 without a label in 'gold'",
            "1 without a finite number in 'cat'",
            "1 with a bad weight in 'w'",
            "1 whose probabilities are not a distribution",
            "1 line (missing columns",
        ):
            assert part in word
        assert_same(found, wf.score(clean, metric, **given))
    with pytest.warns(wf.errors.SkippedWarning) as said:
        area = wf.roc_auc(path, true="gold", score=["cat", "dog"], average="macro", on_error="skip")
    y, s = ["cat", "dog", "cat", "cat", "dog", "cat"], [0.75, 0.5, 0.7, 0.5, 0.125, 1]
    assert len(said) == 1
    other = [0.25, 0.5, 0.7, 0.5, 0.875, 0]
    rows = np.column_stack([s, other])
    assert area == wf.roc_auc(y, rows, labels=["cat", "dog"], average="macro")


def test_a_file_that_changes_between_two_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lines_file(tmp_path, *GOOD)

    answer = Added.answer

    def rows(question: Added, items: Any, columns: Request) -> dict[str, list[Any]]:
        ((key, sums),) = answer(question, items, columns).items()
        return {key: [(c, n + 1, *rest) for c, n, *rest in sums]}

    monkeypatch.setattr(Added, "answer", rows)
    with pytest.raises(wf.errors.InputError, match="changed while it was read: it had 4 items"):
        wf.log_loss(path, true="gold", score=["cat", "dog"])


@pytest.mark.parametrize("source", ["path", "duckdb.sql(f'select * from {path!r}')"])
@pytest.mark.parametrize("end", ["", "\n1 / 0"])
def test_nothing_is_said_at_exit(tmp_path: Path, source: str, end: str) -> None:
    """DuckDB 2 reports what is left of it at exit, and narwhals keeps something."""
    path = str(lines_file(tmp_path, *GOOD))
    script = (
        "import duckdb, numpy, whichf1 as wf\n"
        f"path = {path!r}\n"
        f"for metric in ('log_loss', 'roc_auc'):\n"
        f"    print(wf.score({source}, metric, true='gold', score=['cat', 'dog'], positive=None, "
        f"average='macro' if metric == 'roc_auc' else None).value){end}\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert len(done.stdout.split()) == 2
    assert "leaked" not in done.stderr and ("ZeroDivisionError" in done.stderr) == bool(end)


@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "pandas", "polars", "pyarrow"])
@pytest.mark.filterwarnings("ignore")
def test_weights_that_are_text(engine: str) -> None:
    data = Data(20)
    frame = ENGINES[engine](data.table)
    for score in (
        lambda: wf.log_loss(frame, true="gold", score=data.columns, weights="doc"),
        lambda: wf.roc_auc(frame, true="gold", score="pcat", positive="cat", weights="doc"),
        lambda: wf.count(frame, true="gold", pred="doc", weights="gold"),
    ):
        with pytest.raises(wf.errors.WeightError, match="weights must be finite numbers"):
            score()


def test_a_class_without_a_column_is_named_before_its_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("gold,cat,dog,eel\ncat,0.5,0.25,0.25\neel,0.25,0.25,0.5\n")
    with pytest.raises(wf.errors.LabelError, match=r"class 'eel', which has no column of scores"):
        wf.log_loss(path, true="gold", score={"cat": "cat", "dog": "dog"})
    with pytest.raises(wf.errors.InputError, match="not a distribution in 2 of its 2 items"):
        wf.log_loss(path, true="gold", score={"cat": "cat", "eel": "dog"})


@pytest.mark.filterwarnings("ignore")
def test_nan_in_a_parquet_file_that_an_engine_reads(tmp_path: Path) -> None:
    import duckdb
    import ibis
    import polars

    own = {"gold": ["a", "b"] * 2, "a": [0.5, 0.25, 0.75, float("nan")], "b": [0.5] * 4}
    own |= {"w": [1.0, 2.0, float("nan"), 3.0]}
    file = parquet(tmp_path / "a.parquet", **{x: pa.array(y) for x, y in own.items()})
    for source in (
        ibis.read_parquet(file),
        duckdb.connect().read_parquet(str(file)),
        polars.scan_parquet(file),
        file,
    ):
        for ask in (wf.top_k_accuracy, wf.log_loss, wf.at_argmax):
            with pytest.raises(wf.errors.WhichF1Error, match="'a' has no finite number in 1 of"):
                ask(source, true="gold", score=["a", "b"])
        with pytest.raises(wf.errors.WhichF1Error, match="no valid weight"):
            wf.count(source, true="gold", pred="gold", weights="w")


def test_where_a_label_of_a_parquet_file_is_nan(tmp_path: Path) -> None:
    own: dict[str, Any] = {"true": pa.array([0.0, 1.0, float("nan")]), "pred": [0.0, 1.0, 1.0]}
    file = parquet(tmp_path / "a.parquet", **own)
    with pytest.raises(wf.errors.WhichF1Error, match="the first is item 3"):
        wf.count(file)


@pytest.mark.parametrize("kind", KINDS[1::2], ids=["weights", "weights and clusters"])
def test_an_infinite_loss_without_a_weight_is_none(kind: dict[str, Any]) -> None:
    data = Data(60)
    data.p[0] = np.eye(3)[(NAMES.index(data.true[0]) + 1) % 3]
    data.w[0] = 0.0
    table = data.table.to_pydict() | {f"p{x}": data.p[:, at] for at, x in enumerate(NAMES)}
    frame = ENGINES["polars lazy"](pa.table(table | {"w": data.w}))
    for interval in ("delta", wf.Bootstrap(**QUICK)):
        own: dict[str, Any] = {"floor": 0.0, "interval": interval}
        given: dict[str, Any] = data.measures(kind)
        found = wf.log_loss(frame, true="gold", score=data.columns, **kind, **own)
        assert_same(found, wf.log_loss(data.true, data.p, labels=NAMES, **given, **own))
        rest: dict[str, Any] = {key: each[1:] for key, each in given.items()}
        alone = wf.log_loss(data.true[1:], data.p[1:], labels=NAMES, **rest, **own)
        assert found.value == pytest.approx(alone.value) and np.isfinite(found.value)
        if interval == "delta":
            assert ends(found.interval) == pytest.approx(ends(alone.interval))


@pytest.mark.parametrize("kind", KINDS[:2], ids=["items", "weights"])
@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_a_loss_that_does_not_vary_has_no_interval(metric: str, kind: dict[str, Any]) -> None:
    """Sums are rounded: what is left of their difference is no variance."""
    own = {"gold": ["a", "b"] * 50, "a": [0.7, 0.3] * 50, "b": [0.3, 0.7] * 50}
    weights = 10 * np.random.default_rng(9).random(100)
    frame = ENGINES["polars lazy"](pa.table(own | {"w": weights}))
    found = wf.score(frame, metric, true="gold", score=["a", "b"], interval="delta", **kind)
    arrays = np.c_[own["a"], own["b"]]
    given: dict[str, Any] = {"weights": weights} if kind else {}
    expected = wf.score(own["gold"], arrays, metric, labels=["a", "b"], interval="delta", **given)
    assert found.interval is None and expected.interval is None


def test_labels_of_two_types_in_a_partition() -> None:
    import dask
    import dask.dataframe as dd
    import pandas as pd

    mixed = pd.Series([1, True, 0, 0], dtype=object)  # equal to what groups them
    frame = pd.DataFrame({"gold": mixed, "p": [0.25] * 4, "q": [0.75] * 4})
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dd.from_pandas(frame, npartitions=1)  # type: ignore[no-untyped-call]
    for source in (frame, parts):
        for ask in (wf.log_loss, wf.at_argmax):
            with pytest.raises(wf.errors.WhichF1Error, match="mixes label types"):
                ask(source, true="gold", score={0: "q", 1: "p"})
        with pytest.raises(wf.errors.WhichF1Error, match="mixes label types"):
            wf.roc_auc(source, true="gold", score="p")
