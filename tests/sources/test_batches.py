"""Data that comes in batches: the same counts as of the whole, and nothing counted short."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from pyarrow import ipc

import whichf1 as wf
from tests.helpers.batches import BATCHES, pieces
from tests.helpers.files import ROWS
from whichf1.errors import InputError, LabelError, ShapeError

TABLE = pa.Table.from_pylist(ROWS)
TRUE, X = np.array(TABLE["true"]), np.array(TABLE["x"])
SCORE = np.array(TABLE["score"])


@pytest.mark.parametrize("source", BATCHES)
@pytest.mark.filterwarnings("ignore")
def test_batches_give_what_the_whole_gives(source: str) -> None:
    make = BATCHES[source]
    named: Any = {"true": "true", "pred": "x"}
    assert wf.count(make(TABLE), **named) == wf.count(TABLE, **named)
    assert wf.count_each(make(TABLE), true="true", pred=["x", "y"]) == wf.count_each(
        TABLE, true="true", pred=["x", "y"]
    )
    scored: Any = {"true": "true", "score": {"a": "a", "b": "b"}}
    assert wf.log_loss(make(TABLE), **scored) == wf.log_loss(TABLE, **scored)
    assert wf.at_argmax(make(TABLE), **scored) == wf.at_argmax(TABLE, **scored)
    both: Any = {"systems": ["x", "y"], "true": "true", "cluster": "doc"}
    pair = wf.compare(make(TABLE), metric="accuracy", **both).pairs[0]
    assert pair.difference == wf.compare(TABLE, metric="accuracy", **both).pairs[0].difference
    # a report and a table of several metrics read their data once
    columns: Any = {"true": "true", "score": "score", "positive": "b"}
    assert str(wf.report(make(TABLE), **columns)) == str(wf.report(TABLE, **columns))


def in_pairs(*arrays: Any) -> Iterator[Any]:
    for at in (slice(0, 2), slice(2, None)):
        yield tuple(array[at] for array in arrays)


def test_pairs_are_counted_in_parts() -> None:
    assert wf.count(in_pairs(TRUE, X)) == wf.count(TRUE, X)
    assert wf.averaged_f1(in_pairs(TRUE, X)) == wf.averaged_f1(TRUE, X)
    positive: Any = {"positive": "b"}
    assert wf.roc_auc(in_pairs(TRUE, SCORE), **positive) == wf.roc_auc(TRUE, SCORE, **positive)
    matrix = np.stack([1 - SCORE, SCORE], 1)
    assert wf.log_loss(in_pairs(TRUE, matrix)) == wf.log_loss(TRUE, matrix)
    sets = [{"k"}, set(), {"k", "l"}, {"l"}, {"k"}]
    assert wf.count_multilabel(in_pairs(sets, sets[::-1])) == wf.count_multilabel(sets, sets[::-1])


def test_batches_of_training_loops_and_of_pandas() -> None:
    """A loader returns tensors by name, some of them with several columns."""
    true, x = np.arange(90) % 3, np.arange(90) % 2
    loader = (
        {
            "labels": torch.tensor(true[at : at + 30]),
            "logits": torch.rand(30, 3),
            "x": torch.tensor(x[at : at + 30]),
        }
        for at in (0, 30, 60)
    )
    assert wf.count(loader, true="labels", pred="x") == wf.count(true, x)
    text = pd.DataFrame({"true": true, "x": x}).to_csv(index=False)
    chunks = pd.read_csv(io.StringIO(text), chunksize=40)
    assert wf.count(chunks, true="true", pred="x") == wf.count(true, x)


def test_classes_of_hugging_face_have_their_names() -> None:
    import datasets

    label = datasets.ClassLabel(names=["cat", "dog"])
    features = datasets.Features(
        {"true": label, "pred": label, "tags": datasets.List(label), "found": datasets.List(label)}
    )
    columns = {"true": [0, 1, 1], "pred": [0, 1, 0], "tags": [[0], [], [0, 1]]}
    data = datasets.Dataset.from_dict({**columns, "found": [[0], [1], [1]]}, features=features)
    for each in (data, data.to_iterable_dataset()):
        assert wf.count(each) == wf.count(["cat", "dog", "dog"], ["cat", "dog", "cat"])
        assert wf.count_multilabel(each, true="tags", pred="found") == wf.count_multilabel(
            [{"cat"}, set(), {"cat", "dog"}], [{"cat"}, {"dog"}, {"dog"}]
        )
    unknown = datasets.Dataset.from_dict({"true": [0, -1], "pred": [0, 1]})
    unknown = unknown.cast(datasets.Features({"true": label, "pred": label}))
    with pytest.raises(LabelError, match="'true' has no label in 1 of its 2 items"):
        wf.count(unknown)
    with pytest.raises(
        InputError, match=r"has the splits test: choose one, such as data\['test'\]"
    ):
        wf.count(datasets.DatasetDict({"test": data}))


def test_what_was_read_in_part_is_not_counted_short() -> None:
    begun = pieces(TABLE)
    next(begun)
    with pytest.raises(InputError, match="generator has already returned batches"):
        wf.count(begun, true="true", pred="x")
    stream = io.BytesIO()
    with ipc.new_stream(stream, TABLE.schema) as writer:
        for part in pieces(TABLE):
            writer.write_table(part)
    reader = ipc.open_stream(stream.getvalue())
    reader.read_next_batch()
    with pytest.raises(InputError, match="StreamReader has already returned batches"):
        wf.count(reader, true="true", pred="x")
    chunks = pd.read_csv(io.StringIO("true,x\n0,0\n1,1\n1,0\n"), chunksize=2)
    assert next(chunks).shape == (2, 2)
    with pytest.raises(InputError, match="TextFileReader has already returned batches"):
        wf.count(chunks, true="true", pred="x")
    for consumed in (TABLE.to_reader(), iter(TABLE.to_batches())):
        wf.count(consumed, true="true", pred="x")
        with pytest.raises(
            ShapeError, match=r"has no items: it may have been read before\. Create"
        ):
            wf.count(consumed, true="true", pred="x")


def broken() -> Iterator[Any]:
    yield TABLE
    raise OSError("the disk is gone")


ODD: dict[str, tuple[Callable[[], Any], str]] = {
    "numbers": (lambda: iter([1, 2]), "batch 1 of the list_iterator is int. Batches are"),
    "nothing": (lambda: iter([]), "list_iterator has no items"),
    "triples": (lambda: iter([(1, 2, 3)]), "batch 1 of the list_iterator is tuple"),
    "lengths": (lambda: iter([([0, 1], [0])]), "batch 1 of .*: y_true has 2 items, y_pred has 1"),
    "mixed": (lambda: iter([([0, "a"], [0, 1])]), r"batch 1 of .*: y_true mixes label types"),
    "other columns": (
        lambda: iter([TABLE, TABLE.drop(["x"])]),
        "batch 2 of the list_iterator has no column 'x'",
    ),
    "an error": (broken, "generator failed to return batch 2: OSError: the disk is gone"),
    "rows": (
        lambda: iter([{"true": "ab", "x": "cd"}]),
        "a column of items for each name, but this one has single values",
    ),
    "uneven columns": (
        lambda: iter([{"true": [0, 1], "x": [0]}]),
        r"columns of a batch differ in length: \{'true': 2, 'x': 1\}",
    ),
    "a pair": (lambda: iter([(TRUE, X)]), "which has no columns to name"),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_batches_are_refused(case: str) -> None:
    make, message = ODD[case]
    named: Any = {} if case in ("numbers", "lengths", "mixed") else {"true": "true", "pred": "x"}
    with pytest.raises(InputError, match=message):
        wf.count(make(), **named)


def test_batches_come_alone() -> None:
    with pytest.raises(InputError, match=r"got generator\. Pass a list"):
        wf.count((x for x in [0, 1]), [0, 1])
    with pytest.raises(InputError, match="omit format="):
        wf.count(TABLE.to_reader(), true="true", pred="x", format="csv")
    column = TABLE["true"]  # it has an Arrow stream, but one column
    assert wf.count(column, TABLE["x"]) == wf.count(TRUE, X)
