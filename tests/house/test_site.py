"""The site's data: what peers call our metrics."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import fairlearn.metrics
import numpy as np
import pytest
import torchmetrics.classification
from pycm import ConfusionMatrix

import whichf1 as wf

PEERS = Path(__file__).parents[2] / "docs" / "peers.csv"
ROWS = list(csv.DictReader(PEERS.read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 90)
    return true, np.where(rng.random(90) < 0.6, true, rng.integers(0, 3, 90))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["metric"]))
def test_peers_have_what_we_say_they_have(row: dict[str, str], data: tuple[Any, Any]) -> None:
    metric = getattr(wf, row["metric"])
    if name := row["torchmetrics"]:
        assert hasattr(torchmetrics.classification, name)
    if name := row["pycm"]:
        matrix = ConfusionMatrix(*data)
        if name in matrix.class_stat:
            theirs: Any = list(matrix.class_stat[name].values())
            ours = metric.per_class(*data).array
        else:
            theirs = matrix.overall_stat[name]
            ours = metric(*data)
        if name == "Zero-one Loss":  # PyCM counts the errors
            theirs = theirs / len(data[0])
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    if name := row["fairlearn"]:
        two = tuple((side > 0).astype(int) for side in data)
        expected = getattr(fairlearn.metrics, name)(*two)
        assert metric(*two, positive=1).value == pytest.approx(expected)
