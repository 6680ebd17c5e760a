"""The site's data: what other libraries have, and what they call it."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import re
from math import log
from pathlib import Path
from typing import Any

import fairlearn.metrics
import numpy as np
import pytest
from pycm import ConfusionMatrix

import whichf1 as wf
from tests.helpers import peer_sources
from whichf1.definitions.definition import define
from whichf1.metrics import EVERY
from whichf1.scoring.functions import Scorer

METRICS = peer_sources.rows("metrics")
FEATURES = peer_sources.rows("features")
SOURCES = {row["peer"]: row for row in peer_sources.rows("sources")}
MODULES = {
    "whichf1": ("whichf1",),
    "sklearn": ("sklearn",),
    "torchmetrics": ("torchmetrics.classification", "torchmetrics"),
    "pycm": ("pycm",),
    "fairlearn": ("fairlearn.metrics", "fairlearn"),
    "nervaluate": ("nervaluate", "nervaluate.entities"),
    "hiclass": ("hiclass.metrics", "hiclass"),
}
"""Where names of each library are looked up."""
PYCM: dict[str, dict[str, Any]] = {"index_of_balanced_accuracy": {"alpha": 1}}
"""What makes our score that of PyCM."""
SCALES = {"Zero-one Loss": 1 / 90, "Mutual Information": log(2)}
"""PyCM counts the errors, and measures information in bits."""


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 90)
    return true, np.where(rng.random(90) < 0.6, true, rng.integers(0, 3, 90))


def resolve(peer: str, name: str) -> Any:
    """What a name of a library stands for; AttributeError if it has none."""
    path, _, parameter = name.partition("(")
    for module in MODULES[peer]:
        importlib.import_module(module)
        parent = ".".join(path.split(".")[:-1])
        if parent.islower():
            importlib.import_module(f"{module.partition('.')[0]}.{parent}")
        value: Any = importlib.import_module(module)
        try:
            for part in path.split("."):
                value = getattr(value, part)
        except AttributeError:
            continue
        if parameter:
            assert parameter.rstrip("=)") in inspect.signature(value).parameters, name
        return value
    raise AttributeError(f"{peer} has no {name}")


def test_every_metric_has_a_row() -> None:
    ours = [name for name in wf.__all__ if isinstance(getattr(wf, name), Scorer)]
    assert [row["metric"] for row in METRICS] == ours


def test_the_page_shows_every_metric_once() -> None:
    source = importlib.util.spec_from_file_location(
        "peers", peer_sources.FOLDER.parent / "peers.py"
    )
    assert source is not None and source.loader is not None
    page = importlib.util.module_from_spec(source)
    source.loader.exec_module(page)
    metrics = {row["metric"]: getattr(wf, row["metric"]).metric for row in METRICS}
    lines = page.page(metrics)
    for name in metrics:
        assert sum(f"[{name}]({name}.rst)" in line for line in lines) == 1
    whole = next(line for line in lines if line.startswith("| whichf1 | |"))
    assert whole.endswith(f" {len(metrics)} |")


def test_each_library_has_a_version_and_a_source() -> None:
    assert {*SOURCES} == {*METRICS[0], "sklearn"} - {"metric"}
    assert {*FEATURES[0]} == {*SOURCES, "feature", "whichf1"}
    for peer, row in SOURCES.items():
        assert row["title"] and row["address"].startswith("https://github.com/")
        if peer in peer_sources.READERS:
            assert re.fullmatch("[0-9a-f]{40}", row["commit"])
        elif peer != "sklearn":  # whose version is not pinned
            assert importlib.metadata.version(peer) == row["version"]


@pytest.mark.parametrize("peer", [x for x in MODULES if x in METRICS[0]])
def test_libraries_have_what_we_say_they_have(peer: str) -> None:
    names = {row[peer] for row in METRICS if row[peer]}
    if peer == "pycm":
        matrix = ConfusionMatrix([0, 1, 1], [0, 1, 0])
        known = {*matrix.class_stat, *matrix.overall_stat}
        methods = {f"{x}()" for x in dir(matrix) if callable(getattr(matrix, x))}
        assert names <= known | methods
    elif peer == "nervaluate":
        fields = {f"EvaluationResult.{x}" for x in resolve(peer, "EvaluationResult")().__dict__}
        assert names <= fields
    else:
        assert all(callable(resolve(peer, name)) for name in names)


@pytest.mark.parametrize("peer", MODULES)
def test_libraries_have_the_features(peer: str) -> None:
    for row in FEATURES:
        if row[peer] and row[peer] != "ConfusionMatrix.recommended_list":
            assert resolve(peer, row[peer]) is not None
    assert ConfusionMatrix([0, 1, 1], [0, 1, 0]).recommended_list


def test_notes_are_about_what_is_there() -> None:
    by_name = {row["metric"]: row for row in METRICS}
    for note in peer_sources.rows("notes"):
        assert by_name[note["metric"]][note["peer"]], note


@pytest.mark.parametrize(
    "row",
    [x for x in METRICS if x["pycm"] and "()" not in x["pycm"]],
    ids=lambda row: row["metric"],
)
def test_pycm_has_the_same_numbers(row: dict[str, str], data: tuple[Any, Any]) -> None:
    metric, name, matrix = getattr(wf, row["metric"]), row["pycm"], ConfusionMatrix(*data)
    options = PYCM.get(row["metric"], {})
    if name in matrix.class_stat:
        theirs: Any = list(matrix.class_stat[name].values())
        ours = metric.per_class(*data, **options).array
    else:
        theirs = matrix.overall_stat[name] * SCALES.get(name, 1)
        ours = metric(*data, **options)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize(
    "row", [x for x in METRICS if x["fairlearn"]], ids=lambda row: row["metric"]
)
def test_fairlearn_has_the_same_numbers(row: dict[str, str], data: tuple[Any, Any]) -> None:
    true, pred = ((side > 0).astype(int) for side in data)
    theirs = getattr(fairlearn.metrics, row["fairlearn"])(true, pred)
    assert getattr(wf, row["metric"])(true, pred, positive=1).value == pytest.approx(theirs)


def test_readers_of_source_trees(tmp_path: Path) -> None:
    (tmp_path / "NAMESPACE").write_text("S3method(f_meas,data.frame)\nexport(f_meas)\n")
    assert peer_sources.exported(tmp_path) == {"f_meas"}
    (tmp_path / "a.py").write_text("class A:\n    def b(self): ...\ndef c(): ...\n")
    assert peer_sources.methods(tmp_path) == {"A.b"}


def test_names_of_scikit_learn_are_those_of_the_registry() -> None:
    names = [define(row["metric"]).declaration.sklearn for row in METRICS]
    for name in {x.partition("(")[0] for x in names if x}:
        assert callable(resolve("sklearn", f"metrics.{name}"))


def test_intervals_of_every_kind_of_metric_are_tried_for_the_reference() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference.py").read_text(encoding="utf-8")
    examples = page.partition("EXAMPLES")[2].partition("\n}")[0]
    assert {*re.findall(r'^    "([a-z ]+)": \(', examples, re.M)} == {
        x.kind for x in EVERY.values()
    }
