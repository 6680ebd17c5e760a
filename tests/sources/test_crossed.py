"""Every metric from every source with every option: the same number, or an error of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import whichf1 as wf
from tests.helpers.crossed import (
    CLUSTER,
    SOURCES,
    USES,
    differences,
    from_arrays,
)
from tests.helpers.engines import group
from whichf1.errors import DefinitionError, InputError, LabelError, WhichF1Error
from whichf1.metrics import EVERY

pytestmark = pytest.mark.filterwarnings("ignore")  # few items, say

CASES = 40
MANY = [pytest.param(seed, 600, marks=pytest.mark.long) for seed in range(1, 4)]


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("seed", "cases"), [(0, CASES), *MANY])
def test_a_source_gives_the_numbers_of_arrays(
    source: str, seed: int, cases: int, tmp_path: Path
) -> None:
    assert [*differences(source, tmp_path, seed, cases)] == []


@pytest.mark.long
@pytest.mark.parametrize("source", [pytest.param(x, marks=group(x)) for x in CLUSTER])
def test_a_cluster_gives_the_numbers_of_arrays(source: str, tmp_path: Path) -> None:
    assert [*differences(source, tmp_path, 0, CASES)] == []


def test_every_metric_of_the_cross_gives_numbers() -> None:
    assert {use.metric for use in USES} == {*EVERY}
    ways = [(use, options) for use in USES for options in ({}, {"average": "macro"})]
    given = {use.metric for use, way in ways if not isinstance(from_arrays(use, way), WhichF1Error)}
    assert given == {*EVERY}


def test_a_ranking_of_one_class_has_no_mean_over_classes() -> None:
    ranking = wf.rank([0, 1, 1], [0.2, 0.4, 0.9])
    for options in ({"average": "macro"}, {"multi_class": "ovr", "average": "macro"}):
        choice: Any = options
        with pytest.raises(DefinitionError, match="mean over classes: pass a column of scores"):
            wf.roc_auc(ranking, **choice)


def test_a_set_of_labels_names_the_function_that_takes_it() -> None:
    with pytest.raises(LabelError, match="Use count_multilabel for sets of labels"):
        wf.averaged_f1([{"a"}, {"b"}], [{"a"}, {"a"}])


def test_a_ranking_refuses_clusters_which_it_cannot_keep() -> None:
    frame = pd.DataFrame({"y": [0, 1, 1], "s": [0.2, 0.4, 0.9], "doc": list("uvv"), "by": "x"})
    told: Any = {"true": "y", "score": "s", "cluster": "doc"}
    arrays: Any = {"cluster": frame["doc"]}
    for call in (
        lambda: wf.rank(frame, **told),
        lambda: wf.rank_by(frame, by="by", **told),
        lambda: wf.roc_curve(frame, **told),
        lambda: wf.rank(frame["y"], frame["s"], **arrays),
    ):
        with pytest.raises(InputError, match="does not keep which cluster"):
            call()
