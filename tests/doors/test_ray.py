"""Ray Data: each block is counted by a worker, and only the answers come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
import ray

import whichf1 as wf
from whichf1.errors import FileError, InputError, LabelError, ShapeError

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own

ROWS = [
    {"true": "ab"[at % 2], "x": "ab"[at % 3 // 2], "p": at % 8 / 8, "w": at / 4, "doc": at % 5}
    for at in range(200)
]
FRAME = pd.DataFrame(ROWS).assign(q=lambda frame: 1 - frame["p"])
NAMED: Any = {"true": "true", "pred": "x"}


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield
    ray.shutdown()


def data(frame: Any = FRAME) -> Any:
    return ray.data.from_pandas([frame.iloc[:70], frame.iloc[70:]])


def test_a_dataset_gives_what_a_frame_gives() -> None:
    assert wf.count(data(), **NAMED) == wf.count(FRAME, **NAMED)
    weighted: Any = {**NAMED, "weights": "w", "cluster": "doc"}
    assert wf.count(data(), **weighted).n == pytest.approx(wf.count(FRAME, **weighted).n)
    scored: Any = {"true": "true", "score": {"a": "q", "b": "p"}}
    for metric in ("log_loss", "brier", "roc_auc"):
        chosen: Any = {**scored, "positive": "b"} if metric == "roc_auc" else scored
        score, expected = (getattr(wf, metric)(x, **chosen) for x in (data(), FRAME))
        assert score.value == pytest.approx(expected.value, rel=1e-12)
    slices = wf.count_by(data(), **NAMED, by="doc")
    assert {key: x.n for key, x in slices.items()} == {(at,): 40 for at in range(5)}


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(FileError, match="the ray Dataset has no column 'nope'"):
        wf.count(data(), true="nope", pred="x")
    with pytest.raises(LabelError, match="'x' has no label in 200 of its 200 items"):
        wf.count(data(FRAME.assign(x=None)), **NAMED)
    with pytest.raises(ShapeError, match="the ray Dataset has no items"):
        wf.count(data(FRAME).filter(lambda row: False), **NAMED)

    def broken(batch: Any) -> Any:
        raise RuntimeError("a worker fails")

    with pytest.raises(InputError, match=r"could not be read: .*a worker fails"):
        wf.count(data().map_batches(broken), **NAMED)
