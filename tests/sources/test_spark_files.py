"""Files that Spark reads: the same answers as here, and no malformed line passes silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import whichf1 as wf
from tests.helpers.engines import spark
from tests.helpers.files import written
from whichf1.errors import InputError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def session() -> Any:
    return spark()


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl.gz"])
def test_spark_reads_other_delimiters_and_compressed_files(tmp_path: Path, name: str) -> None:
    columns: dict[str, Any] = {"true": "true", "pred": "x", "cluster": "doc", "weights": "w"}
    found = wf.count(written(tmp_path, name), **columns, engine="spark")
    assert found == wf.count(written(tmp_path, "a.parquet"), **columns)


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.jsonl"])
@pytest.mark.long
def test_spark_reads_every_kind_of_column(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name)
    own: dict[str, Any] = {"engine": "spark"}
    here = written(tmp_path, "zstd.parquet")
    names: dict[str, Any] = {"true": "true", "pred": "x"}
    assert wf.count(path, **names, **own) == wf.count(here, **names)
    assert wf.count(path, **names, weights="w", **own) == wf.count(here, **names, weights="w")
    names |= {"cluster": "doc"}
    assert wf.count(path, **names, **own) == wf.count(here, **names)
    assert wf.count_by(path, **names, by="y", **own) == wf.count_by(here, **names, by="y")
    names = {"true": "true", "score": "score", "positive": "b"}
    assert wf.rank(path, **names, **own) == wf.rank(here, **names)
    weighted: dict[str, Any] = {**names, "weights": "w"}
    assert wf.rank(path, **weighted, **own) == wf.rank(here, **weighted)
    loss = wf.log_loss(path, true="true", score=["a", "b"], **own)
    assert loss.value == pytest.approx(wf.log_loss(here, true="true", score=["a", "b"]).value)
    names = {"true": "tags", "pred": "found", "sep": ";"}
    assert wf.count_multilabel(path, **names, **own) == wf.count_multilabel(here, **names)
    names = {"true": "tags", "sep": ";", "cluster": "doc", "weights": "w"}
    found = wf.compare(path, ["found", "other"], "subset_accuracy", **names, **own)
    expected = wf.compare(here, ["found", "other"], "subset_accuracy", **names)
    assert found.pairs == expected.pairs and found.signature == expected.signature
    found = wf.compare(path, ["x", "y"], "accuracy", true="true", **own)
    assert found.pairs == wf.compare(here, ["x", "y"], "accuracy", true="true").pairs


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.long
def test_integers_that_tie_as_floats_are_refused(tmp_path: Path, format: str) -> None:
    def path(*scores: str) -> Path:
        rows = [{"true": at % 2, "score": x, "w": 2**60 + 1} for at, x in enumerate(scores)]
        text = "true,score,w\n" + "".join(f"{','.join(map(str, x.values()))}\n" for x in rows)
        if format == "jsonl":
            cells = (", ".join(f'"{k}": {v}' for k, v in row.items()) for row in rows)
            text = "".join(f"{{{each}}}\n" for each in cells)
        file = tmp_path / f"a.{format}"
        file.write_text(text)
        return file

    large: Any = {"engine": "spark", "weights": "w"}  # a weight is no score
    assert wf.roc_auc(path("1", "9007199254740992", "-12", "3e20"), **large).value == 1
    tied = ["9007199254740993", "-9007199254740993", "12345678901234567890", "1" + "0" * 30]
    tied += ["1" * 40] + ["9007199254740993.0"] * (format == "csv")
    for score in tied:
        with pytest.raises(InputError, match=r"1 of its 2 items.*beyond 2\*\*53"):
            wf.roc_auc(path("1", score), **large)


@pytest.mark.long
def test_json_values_keep_their_types(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"true":1,"a b.c":2.0}\n\n{"true":2,"a b.c":1}\n')
    assert wf.count(path, true="true", pred="a b.c", engine="spark").labels == (1, 2)
    path.write_text('{"true":"1","pred":"2"}\n')
    assert wf.count(path, engine="spark").labels == ("1", "2")
    path.write_text('{"true":true,"pred":false}\n')
    assert wf.count(path, engine="spark").labels == (False, True)
    a, b = "1" * 40, "1" * 39 + "2"  # Spark's own numbers have 38 digits
    path.write_text(f'{{"true":{a},"pred":{b}}}\n{{"true":{b},"pred":{b}}}\n')
    assert wf.count(path, engine="spark") == wf.count(path)
    assert wf.count(path).labels == (int(a), int(b))
    path.write_text('{"true":["a","b"],"pred":[]}\n{"true":["b"],"pred":["b"]}\n')
    sets = wf.count_multilabel([{"a", "b"}, {"b"}], [set(), {"b"}])
    assert wf.count_multilabel(path, engine="spark") == sets
    found = wf.compare(path, ["pred", "true"], true="true", engine="spark")  # lists are sets
    assert found.pairs == wf.compare(path, ["pred", "true"], true="true").pairs


LATE = b'{"true":1,"pred":1}\n' * 200
BAD = {
    "short row": ("a.csv", b"true,pred\na,b\na\n", "could not read"),
    "long row": ("a.csv", b"true,pred\na,b\na,b,c\n", "could not read"),
    "JSON cut off": ("a.jsonl", b'{"true":1,"pred":1}\n{"true":1,\n', "line 2: not a JSON object"),
    "JSON cut off late": ("a.jsonl", LATE + b'{"true":1,\n', "could not read"),
    "JSON array late": ("a.jsonl", LATE + b"[1]\n", "not a JSON object: \\[1\\]"),
    "JSON key twice late": ("a.jsonl", LATE + b'{"true":1,"true":2,"pred":1}\n', "could not read"),
    "JSON null": ("a.jsonl", b'{"true":null,"pred":1}\n', "'true' has no label in 1 of its 1"),
    "JSON quoted key": ("a.jsonl", b'{"true":1,"pred":1,"\'":1}\n', "contains a quote"),
    "no number": ("a.csv", b"true,pred,w\na,a,x\n", "no valid weight in column 'w'"),
    "npz": ("a.npz", b"PK\x03\x04", "Spark reads csv, tsv, jsonl, parquet here"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.thinned(4)
def test_spark_refuses_a_malformed_file(tmp_path: Path, case: str) -> None:
    name, content, said = BAD[case]
    path = tmp_path / name
    path.write_bytes(content)
    weights: dict[str, Any] = {"weights": "w"} if case == "no number" else {}
    with pytest.raises(wf.errors.InputError, match=said) as caught:
        wf.count(path, engine="spark", **weights)
    assert "\n" not in str(caught.value)


SKIPPED = {
    "csv": (
        "a.csv",
        b"true,pred\na,b\na\na,b,c\nb,b\n,b\n",
        ["2 lines with too few or too many cells", "1 without a label in 'true'"],
    ),
    "jsonl": (
        "a.jsonl",
        b'{"true":1,"pred":1}\n{"true":1,\n[2]\n{"true":2,"true":3,"pred":1}\n{"true":2,"pred":1}\n'
        b'{"true":null}\n',
        ["3 lines that are not a JSON object", "1 without a label in 'true'; 3 items"],
    ),
}


@pytest.mark.parametrize("case", SKIPPED)
def test_spark_skips_as_files_are_skipped_here(tmp_path: Path, case: str) -> None:
    name, content, said = SKIPPED[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.warns(wf.errors.SkippedWarning) as caught:
        counts = wf.count(path, engine="spark", on_error="skip")
    assert counts.n == 2
    (message,) = (str(x.message) for x in caught if x.category is wf.errors.SkippedWarning)
    assert all(each in message for each in said)
    with pytest.warns(wf.errors.SkippedWarning):
        assert counts == wf.count(path, on_error="skip")


def test_scores_that_are_none_are_refused_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("true,score\n1,0.5\n0,x\n0,0.25\n")
    said = "'score' has no finite number in 1 of its 3 items"
    with pytest.raises(wf.errors.InputError, match=said):
        wf.roc_auc(path, engine="spark")
    with pytest.warns(wf.errors.SkippedWarning, match="1 without a finite number in 'score'"):
        assert wf.roc_auc(path, engine="spark", on_error="skip").value == 1.0
