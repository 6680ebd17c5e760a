"""Input that looks right and is not: refused or reported, never silently a wrong number."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import (
    FileError,
    InputError,
    LabelError,
    LabelWarning,
    ShapeError,
    TooLargeError,
    WeightError,
)

LARGE = [2**53, 2**53 + 1, 2**53 + 2]


@pytest.mark.parametrize(
    "source", ["pandas", "object", "polars", "pyarrow", "csv", "parquet", "jsonl"]
)
def test_large_integers_do_not_tie_in_silence(tmp_path: Path, source: str) -> None:
    frame: Any = pd.DataFrame({"true": [0, 1, 1], "score": LARGE})
    path = tmp_path / f"a.{source}"
    makers: dict[str, Callable[[], Any]] = {
        "pandas": lambda: frame,
        "object": lambda: frame.astype({"score": object}),
        "polars": lambda: pl.DataFrame(frame),
        "pyarrow": lambda: pa.table({"true": [0, 1, 1], "score": LARGE}),
        "csv": lambda: frame.to_csv(path, index=False) or path,
        "parquet": lambda: frame.to_parquet(path) or path,
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True) or path,
    }
    data = makers[source]()
    with pytest.raises(InputError, match=r"beyond 2\*\*53"):
        wf.roc_auc(data)


@pytest.mark.parametrize("source", ["object", "polars", "lazy", "pyarrow", "parquet", "duckdb"])
def test_large_decimals_do_not_tie_in_silence(tmp_path: Path, source: str) -> None:
    def frame(scores: list[str]) -> Any:
        cells = [*map(Decimal, scores)]
        table = pa.table({"true": [0, 1, 1], "score": pa.array(cells, pa.decimal128(38, 4))})
        pq.write_table(table, tmp_path / "a.parquet")
        makers: dict[str, Callable[[], Any]] = {
            "object": lambda: pd.DataFrame({"true": [0, 1, 1], "score": cells}),
            "polars": lambda: pl.from_arrow(table),
            "lazy": lambda: pl.LazyFrame(table),
            "pyarrow": lambda: table,
            "parquet": lambda: tmp_path / "a.parquet",
            "duckdb": lambda: duckdb.connect().from_arrow(table),
        }
        return makers[source]()

    assert wf.roc_auc(frame(["0.25", "0.5", "0.1"])).value == 0.5
    with pytest.raises(InputError, match=r"beyond 2\*\*53"):
        wf.roc_auc(frame([*map(str, LARGE)]))


@settings(max_examples=20)
@given(st.lists(st.integers(-(2**54), 2**54), min_size=2, max_size=5, unique=True))
def test_integers_are_ranked_exactly_or_refused(
    tmp_path_factory: pytest.TempPathFactory, scores: list[int]
) -> None:
    true = [0] * (len(scores) - 1) + [1]
    below = sum(x < scores[-1] for x in scores[:-1])
    path = tmp_path_factory.mktemp("integers") / "a.csv"
    lines = (f"{t},{s}\n" for t, s in zip(true, scores, strict=True))
    path.write_text("true,score\n" + "".join(lines))
    frame = {"true": true, "score": scores}
    for data in ((true, scores), (pd.DataFrame(frame),), (pl.DataFrame(frame),), (path,)):
        if max(map(abs, scores)) > 2**53:
            with pytest.raises(InputError, match=r"2\*\*53"):
                wf.roc_auc(*data)
        else:
            assert wf.roc_auc(*data).value == pytest.approx(below / (len(scores) - 1))


def test_signed_and_unsigned_labels_do_not_wrap() -> None:
    low, high = np.int64(-1), np.uint64(2**64 - 1)
    with pytest.raises(LabelError, match="64 bits"):
        wf.count([low, high], [low, high])
    signed, unsigned = np.array([-1, 5]), np.array([2**64 - 1, 5], np.uint64)
    assert wf.accuracy(signed, unsigned).value == 0.5
    compared = wf.compare(signed, {"A": unsigned, "B": signed}, wf.accuracy, replicates=99)
    assert [compared.scores[x].value for x in "AB"] == [0.5, 1]
    together = wf.count(signed, unsigned, cluster=[0, 1])
    assert [*together.labels] == [-1, 5, 2**64 - 1]
    assert [*wf.count(unsigned, unsigned, cluster=[0, 1]).labels] == [5, 2**64 - 1]


def test_masked_items_are_missing() -> None:
    masked = np.ma.array([0, 1, 1], mask=[False, False, True])
    texts = np.ma.array(["a", "b", "b"], mask=[False, True, False])
    for true, other in ((masked, [0, 1, 0]), ([0, 1, 0], masked), (texts, ["a", "b", "b"])):
        with pytest.raises(InputError, match=r"masked, the first at position [12]"):
            wf.accuracy(true, other)
    with pytest.raises(InputError, match="masked"):
        wf.roc_auc([0, 1, 1], np.ma.array([0.1, 0.2, 0.3], mask=[False, True, False]))
    assert wf.accuracy(np.ma.array([0, 1]), [0, 1]) == 1


def test_an_array_of_scores_per_class_holds_the_scores() -> None:
    each = wf.f1.per_class([5, 9, 9], [5, 9, 5])
    assert np.asarray(each).tolist() == [score.value for score in each.values()]
    assert np.mean(each) == wf.averaged_f1([5, 9, 9], [5, 9, 5]).value


def test_scores_are_not_compared_as_classes(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{'ab'[i % 2]},{'ab'[i % 2]},{i / 101:.6f}" for i in range(100)]
    path.write_text("\n".join(["true,x,y", *rows]))
    code, _, said = run("compare", path, "--pred", "x", "--pred", "y")
    assert code == 2
    assert "--score" in said
    texts = [f"{i / 101:.6f}" for i in range(100)]
    true = ["a", "b"] * 50
    for ask in (
        lambda: wf.compare(true, {"A": true, "B": texts}),
        lambda: wf.accuracy(true, texts),
        lambda: wf.accuracy(pd.DataFrame({"true": true, "pred": texts})),
        lambda: wf.accuracy(pl.DataFrame({"true": true, "pred": texts})),
    ):
        with pytest.raises(LabelError, match="at_threshold"):
            ask()
    assert wf.accuracy(["3.5", "4.0"], ["4.0", "4.0"]).value == 0.5  # stars
    assert wf.accuracy(["a", "0.5"], ["a", "0.5"], labels=["a", "0.5"]) == 1


@pytest.mark.parametrize(
    "labels",
    [
        *[("1", " 1"), ("1", "+1"), ("1", "1."), ("neg", "neg "), ("True", "true")],
        *[("a b", "a  b"), ("a b", "a\u00a0b"), ("x", "x\u200b"), ("\u00e9", "e\u0301")],
    ],
)
def test_classes_that_differ_only_in_spelling(tmp_path: Path, labels: tuple[str, str]) -> None:
    true, pred = [labels[0], "x"], [labels[1], "x"]
    path = tmp_path / "a.csv"
    path.write_text("true,pred\n" + "".join(f"{a},{b}\n" for a, b in zip(true, pred, strict=True)))
    frame = {"true": true, "pred": pred}
    sources: list[tuple[Any, ...]] = [(true, pred), (pd.DataFrame(frame),), (pl.DataFrame(frame),)]
    for data in (*sources, (path,), (np.array(true), np.array(pred))):
        with pytest.warns(LabelWarning, match="differ only") as caught:
            wf.accuracy(*data)
        assert caught[0].filename == __file__  # the caller's line
    with pytest.warns(LabelWarning):
        _ = wf.count(true, true) + wf.count(pred, pred)
    with pytest.warns(LabelWarning):
        wf.count_multilabel([set(true)], [set(pred)])


def test_other_classes_are_not_warned_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wf.accuracy(["a", "A", "1", "2", "1e3", "x y"], ["xy", "-1", "10", "true", "0x1", "no"])


def test_the_program_names_equal_looking_classes(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.csv").write_text("true,pred\nneg,neg \npos,pos\n")
    code, _, said = run("score", tmp_path / "a.csv")
    assert code == 0
    assert "'neg' and 'neg ' are two classes that differ only in white space" in said


def test_a_warning_of_other_data_points_at_the_caller() -> None:
    signature = wf.accuracy([0, 1], [0, 1]).signature
    with pytest.warns(wf.errors.OtherDataWarning) as caught:
        wf.score([0, 1, 2], [0, 1, 2], signature)
    assert caught[0].filename == __file__


def test_columns_of_odd_types() -> None:
    chunks = pa.chunked_array([pa.array(x).dictionary_encode() for x in (["a", "b"], ["b", "c"])])
    table = pa.table({"true": chunks, "pred": chunks})
    assert wf.accuracy(table) == 1
    assert len(wf.count_by(table, by="true")) == 3
    gaps = pd.Series(["a", None, "b"], dtype="string")
    texts = np.array(["a", "b", None], np.dtypes.StringDType(na_object=None))
    for data in ((gaps, gaps), (texts, texts)):
        with pytest.raises(LabelError, match="is missing"):
            wf.accuracy(*data)
    with pytest.raises(LabelError, match="no label"):
        wf.accuracy(pd.DataFrame({"true": gaps, "pred": gaps}))
    wide = pl.Series([1, 2, 3], dtype=pl.Int128)
    assert wf.accuracy(wide, wide) == wf.accuracy(pl.DataFrame({"true": wide, "pred": wide})) == 1
    with pytest.raises(LabelError, match="16,610 bits"):
        wf.accuracy([10**5000], [10**5000])


def test_probabilities_of_few_bits() -> None:
    numbers = np.exp(3 * np.sin(np.arange(350.0).reshape(50, 7)))
    numbers /= numbers.sum(1, keepdims=True)
    true, short = [i % 7 for i in range(50)], numbers.astype(np.float32)
    bits = (short.view(np.uint32) + 0x8000) & 0xFFFF0000  # rounded to bfloat16, as torch has it
    short = bits.astype(np.uint32).view(np.float32)
    assert abs(short.sum(1).min() - 1) > 0.001
    expected = wf.log_loss(true, numbers)
    assert wf.log_loss(true, short).value == pytest.approx(expected.value, rel=0.01)
    with pytest.raises(InputError, match="adds up to"):
        wf.log_loss(true, short * 0.998)


class Element:
    """One number of a tensor, as iterating over torch's gives them."""

    shape = ()

    def __init__(self, number: int) -> None:
        self.item = lambda: number


def test_declared_classes_may_be_a_tensor() -> None:
    assert wf.count([0, 1], [0, 1], labels=[Element(at) for at in range(3)]).labels == (0, 1, 2)


def test_what_to_do_instead() -> None:
    with pytest.raises(WeightError, match="weighting='quadratic'"):
        wf.cohen_kappa([0, 1], [0, 1], weights="quadratic")
    for data in ([[0, 1], [1, 0]], [["O", "B"], ["O"]], [["O", "B"], ["O", "I"]]):
        with pytest.raises(ShapeError, match="count_multilabel"):
            wf.accuracy(data, data)
    with pytest.raises(ShapeError, match=r"flatten|Flatten"):
        wf.accuracy([[3, 1], [1, 0]], [[3, 1], [1, 0]])
    with pytest.raises(InputError, match="path of a file of predictions; got list"):
        wf.count("f.csv", [0, 1])
    with pytest.raises(TooLargeError, match="1,000,000,001 classes"):
        wf.f1([10**9], [10**9], average="macro", classes="range")
    with pytest.raises(TooLargeError, match="18,446,744,073,709,551,616 classes"):
        wf.f1([2**64 - 1], [2**64 - 1], average="macro", classes="range")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("auprc", "average_precision"),
        ("acc", "accuracy"),
        ("nll", "log_loss"),
        ("f2", r"f_beta\(beta=2\)"),
        ("qwk", r"cohen_kappa\(weighting=quadratic\)"),
    ],
)
def test_names_from_elsewhere(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=hint):
        getattr(wf, name)
    with pytest.raises(wf.errors.DefinitionError, match=hint):
        wf.score([0, 1], [0, 1], name)


@pytest.mark.parametrize(
    ("option", "hint"),
    [("pos_label", "positive"), ("zero_division", "undefined"), ("sample_weight", "weights")],
)
def test_options_from_elsewhere(option: str, hint: str) -> None:
    ask: Any = wf.f1
    with pytest.raises(wf.errors.DefinitionError, match=f"Did you mean '{hint}'"):
        ask([0, 1], [0, 1], **{option: 1})


def test_odd_texts_in_files(tmp_path: Path) -> None:
    def fails(name: str, text: str | bytes, match: str) -> None:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InputError, match=match):
            wf.accuracy(path)

    fails("a.csv", "true,pred\n1,1e400\n", "too large a number")
    fails("b.csv", f"true,pred\n1,{'9' * 5000}\n", "too large a number")
    fails("c.csv", "true,pred\n1,1\n".encode("utf-32"), "UTF-32")
    fails("d.csv", "true,pred\n1,1\n".encode("utf-16"), "UTF-16")
    fails("e.jsonl", f'{{"true": 1, "pred": {"[" * 99999}{"]" * 99999}}}', "not a JSON object")
    fails("f.jsonl", f'{{"true": 1, "pred": {"9" * 5000}}}', "digits")
    late = '{"true": 1, "pred": 1}\n' * 200 + f'{{"true": 1, "pred": {"9" * 5000}}}'
    fails("g.jsonl", late, "digits")
    fails("h.csv", ",".join(map(str, range(100_000))) + "\n", "100,000 in all")
    record = {"true": 1, "pred": 1} | {str(at): 1 for at in range(100_000)}
    (tmp_path / "i.jsonl").write_text(json.dumps(record))
    assert wf.accuracy(tmp_path / "i.jsonl") == 1


def test_a_column_that_is_not_there_is_a_short_message(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",".join(f"c{at}" for at in range(5000)) + "\n")
    with pytest.raises(FileError, match=r"\(5,000 in all\)"):
        wf.accuracy(tmp_path / "a.csv", true="no", pred="c1")


class Sparse:
    """A tensor that NumPy cannot take, as torch's sparse ones."""

    dtype = "torch.float32"

    def __len__(self) -> int:
        return 2

    def detach(self) -> Sparse:
        return self

    cpu = detach

    def __array__(self, *options: Any, **more: Any) -> Any:
        raise TypeError("can't convert Sparse layout tensor to numpy")


@pytest.mark.parametrize("ask", [wf.count, wf.roc_auc, wf.log_loss])
def test_a_tensor_that_is_no_array_is_refused(ask: Any) -> None:
    with pytest.raises(
        InputError, match="this tensor is not an array of items: can't convert Sparse"
    ):
        ask(Sparse(), [0, 1])
