"""Slices of scores, rankings and sets of labels: those of their items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.class_scores import (
    KINDS,
    NAMES,
    QUICK,
    Data,
    Options,
    assert_same,
    check_tables,
)
from tests.helpers.commands import Run
from tests.helpers.engines import DATABASES
from tests.helpers.files import WRITERS
from whichf1.scoring.decisions import decide
from whichf1.scoring.lines import score_lines
from whichf1.sources.answers.lines import ClassScores
from whichf1.sources.lines import ScoredLines
from whichf1.sources.request import Request

Keys = list[tuple[Any, ...]]
SLICED = [*DATABASES, "polars lazy", "a.csv", "a.jsonl", "a.parquet"]


def sliced(engine: str, folder: Path, n: int = 240) -> tuple[Data, Any, Keys]:
    """Data with two columns that make slices, one of them with gaps; and the slice of each item."""
    data = Data(n)
    lang = [["en", "de", None][x] for x in np.random.default_rng(4).integers(0, 3, n)]
    year = [2020 + x for x in np.random.default_rng(5).integers(0, 2, n).tolist()]
    data.table = data.table.append_column("lang", pa.array(lang, pa.string()))
    data.table = data.table.append_column("year", pa.array(year, pa.int64()))
    text = engine.endswith(".csv")
    keys: Keys = [(a, str(b) if text else b) for a, b in zip(lang, year, strict=True)]
    return data, data.source(engine, folder), keys


def class_scores(source: Any, data: Data, kind: Options) -> ClassScores:
    request = Request.of_scores(true="gold", score=data.columns, by=["lang", "year"], **kind)
    return ClassScores(source, None, request, fair=True)


@pytest.mark.parametrize("engine", SLICED)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thinned(3)
def test_slices_give_the_tables_of_their_items(engine: str, tmp_path: Path) -> None:
    data, source, keys = sliced(engine, tmp_path)
    kind = KINDS[3]
    slices = class_scores(source, data, kind).slices()
    assert set(slices) == set(keys) and len(slices) == 6
    for key, part in slices.items():
        at = np.array([each == key for each in keys])
        expected = ScoredLines.of(*data.some(at), NAMES, **data.measures(kind, at))
        check_tables(part, expected, few=True)


@pytest.mark.parametrize("kind", KINDS)
def test_slices_of_scores_are_those_of_their_items(kind: Options, tmp_path: Path) -> None:
    data, source, keys = sliced("polars lazy", tmp_path)
    whole = class_scores(source, data, kind)
    definitions = [
        wf.log_loss.definition(interval="delta"),
        wf.brier.definition(interval=wf.Bootstrap(**QUICK)),
        wf.top_k_accuracy.definition(k=1),
        wf.roc_auc.definition(average="macro"),
        wf.roc_auc.definition(average="macro", interval="delta"),
        wf.roc_auc.definition(positive="dog", interval="delta"),
        wf.expected_calibration_error.definition(multi_class="top-label"),
    ]
    for key, part in (*whole.slices().items(), (None, whole)):
        at = np.array([key is None or each == key for each in keys])
        true, p = data.some(at)
        arrays: Options = {"labels": NAMES, **data.measures(kind, at)}
        for definition in definitions:
            assert_same(score_lines(definition, part), wf.score(true, p, definition, **arrays))
        assert decide(part) == wf.at_argmax(true, p, **arrays)


@pytest.mark.parametrize("engine", SLICED)
@pytest.mark.filterwarnings("ignore")
def test_slices_of_rankings(engine: str, tmp_path: Path) -> None:
    data, source, keys = sliced(engine, tmp_path)
    slices = wf.rank_by(source, by=["lang", "year"], true="gold", score="pcat", positive="cat")
    for key in set(keys):
        true, p = data.some(np.array([each == key for each in keys]))
        assert slices[key] == wf.rank(true, p[:, 0], positive="cat", labels=NAMES)
    assert slices.whole == wf.rank(data.true, data.p[:, 0], positive="cat")
    twice = slices + slices
    assert all(twice[key] == slices[key] + slices[key] for key in set(keys))


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_slices_of_sets(tmp_path: Path, cluster: Any) -> None:
    rng = np.random.default_rng(2)
    rows = [
        {
            "tags": ";".join(x for x in "abc" if rng.random() < 0.5),
            "found": ";".join(x for x in "abc" if rng.random() < 0.5),
            "doc": f"d{at % 7}",
            "lang": "ende"[2 * (at % 2) :][:2],
        }
        for at in range(60)
    ]
    path = tmp_path / "a.csv"
    WRITERS["a.csv"](path, rows)
    own: Options = {"true": "tags", "pred": "found", "sep": ";", "cluster": cluster}
    slices = wf.count_by(path, by="lang", **own)
    assert slices.whole == wf.count_multilabel(path, **own)
    for lang in ("en", "de"):
        some = [row for row in rows if row["lang"] == lang]
        sides = [[set(filter(None, row[x].split(";"))) for row in some] for x in ("tags", "found")]
        documents = None if cluster is None else [row["doc"] for row in some]
        expected = wf.count_multilabel(*sides, cluster=documents, labels=["a", "b", "c"])
        ours, theirs = (wf.averaged_f1(x, interval="delta") for x in (slices[lang], expected))
        assert ours.value == theirs.value and ours.interval == theirs.interval


@pytest.mark.parametrize("weights", [(), ("--weights", "w", "--cluster", "doc")])
def test_slices_of_scores_on_the_command_line(
    tmp_path: Path, run: Run, weights: tuple[str, ...]
) -> None:
    data, path, keys = sliced("a.parquet", tmp_path)
    probs = ("--probs", ",".join(f"{x}={c}" for x, c in data.columns.items()))
    column = ("--score", "pcat", "--positive", "cat")
    for kind in (probs, column, (*column, "--threshold", "0.4", "--labels", "cat,other")):
        if "--labels" in kind:
            two = ["cat" if x == "cat" else "other" for x in data.true]
            data.table = data.table.set_column(0, "gold", pa.array(two))
            pq.write_table(data.table, path)
        code, out, err = run(
            "score", path, "--true", "gold", *kind, *weights, "--by", "lang,year", "-f", "json"
        )
        assert (code, err) == (0, ""), err
        for table in json.loads(out)["metrics"]:
            assert {(x["slice"]["lang"], x["slice"]["year"]) for x in table["slices"]} == set(keys)
            n = sum(x["n"] for x in table["slices"])
            assert n == pytest.approx(table["whole"]["n"])
    code, out, _ = run("score", path, "--true", "gold", *column, "--by", "lang", "-m", "roc_auc")
    assert code == 0 and "(whole)" in out and "(missing)" in out


def test_a_slice_without_a_class_has_nothing_to_score(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.csv"
    path.write_text("gold,s,lang\n1,0.9,en\n0,0.1,en\n1,0.7,en\n0,0.8,en\n1,0.5,de\n1,0.4,de\n")
    code, out, _ = run("score", path, "--score", "s", "--true", "gold", "--by", "lang")
    assert code == 0 and "Nothing to score in: de" in out
