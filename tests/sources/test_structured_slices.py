"""Slices of ratings and of spans: each gives what its items alone give, from every source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.errors import FileError, InputError, ShapeError

RATERS = ["one", "two", "three"]


def rated(seed: int, n: int = 60) -> Any:
    """A frame of ratings with gaps, in two tasks, with clusters and weights."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    columns = {}
    for name in RATERS:
        given = np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), true)
        texts = np.array(["low", "mid", "high"], object)[given]
        texts[rng.random(n) < 0.2] = None
        columns[name] = texts
    facts = {"task": rng.choice(["x", "y"], n), "who": rng.integers(0, 9, n), "w": 1.0 + true}
    return pd.DataFrame({"item": np.arange(n), **columns, **facts})


def test_slices_of_ratings_are_those_of_their_items(tmp_path: Path) -> None:
    frame = rated(1)
    frame.to_csv(tmp_path / "wide.csv", index=False)
    long = frame.melt(["item", "task"], RATERS, "rater", "rating").dropna()
    long.to_parquet(tmp_path / "long.parquet")
    labels = ["low", "mid", "high"]
    wide: Any = {"raters": RATERS, "labels": labels}
    made = {
        "frame": wf.ratings_by(frame, by="task", **wide),
        "polars": wf.ratings_by(pl.from_pandas(frame), by="task", **wide),
        "csv": wf.ratings_by(tmp_path / "wide.csv", by=["task"], **wide),
        "long": wf.ratings_by(tmp_path / "long.parquet", by="task", labels=labels),
        "matrix": wf.ratings_by(
            frame[RATERS].to_numpy(), by={"task": frame["task"].to_numpy()}, labels=labels
        ),
    }
    whole = wf.ratings(frame, **wide)
    for name, slices in made.items():
        assert slices.whole == whole, name
        for task in "xy":
            alone = wf.ratings(frame[frame["task"] == task], **wide)
            assert slices[task] == alone, name
    again = wf.Slices.from_json(made["csv"].to_json())
    assert again["x"] == made["csv"]["x"]
    found = wf.groups(again, "krippendorff_alpha")
    assert found["x"].value == wf.krippendorff_alpha(again["x"]).value


def test_weights_and_clusters_of_slices() -> None:
    frame = rated(4)
    wide: Any = {"raters": RATERS, "weights": "w", "cluster": "who"}
    slices = wf.ratings_by(frame, by="task", **wide)
    alone = wf.ratings(frame[frame["task"] == "x"], **wide)
    options: Any = {"interval": "delta"}
    for metric in ("scott_pi", "gwet_ac1"):
        ours, theirs = (wf.score(x, metric, **options) for x in (slices["x"], alone))
        assert ours.value == theirs.value and ours.interval == theirs.interval


def test_agreement_by_slice(tmp_path: Path) -> None:
    frame = rated(2)
    path, saved = tmp_path / "wide.csv", tmp_path / "saved.json"
    frame.to_csv(path, index=False)
    columns = ("--raters", ",".join(RATERS), "--by", "task")
    code, out, err = invoke("agree", path, *columns, "--format", "json")
    assert (code, err) == (0, "")
    metrics = json.loads(out)["metrics"]
    assert metrics[0]["name"] == "observed agreement"
    slices = wf.ratings_by(frame, by="task", raters=RATERS)
    values = {x["slice"]["task"]: x["value"] for x in metrics[1]["slices"]}
    assert values == {task: wf.krippendorff_alpha(slices[task]).value for task in "xy"}
    slices.save(saved)
    code, _, err = invoke("agree", saved, "-m", "gwet_ac1", "--fail-under", "gwet_ac1=0.99")
    assert code == 1 and "gwet_ac1 in x" in err
    assert "remove --by" in invoke("agree", saved, "--by", "task")[2]
    declared = ("--labels", "low,mid,high", "-m", "krippendorff_alpha(level=ordinal)")
    assert invoke("agree", saved, *declared)[0] == 0


def test_mistakes_in_slices_of_ratings() -> None:
    rows = [["a", "b"], ["a", "a"]]
    by: Any = "task"
    with pytest.raises(InputError, match="maps names to a value of each item"):
        wf.ratings_by(rows, by=by)
    with pytest.raises(ShapeError, match="lang"):
        wf.ratings_by(rows, by={"lang": ["x"]})
    long = pd.DataFrame({"item": [1, 1, 2, 2], "rater": list("abab"), "rating": list("xxxy")})
    with pytest.raises(InputError, match=r"item 1 is in two slices: \('p',\) and \('q',\)"):
        wf.ratings_by(long.assign(task=list("pqpp")), by="task")
    with pytest.raises(FileError, match="no column 'tsak'"):
        wf.ratings_by(long.assign(task=list("ppqq")), by="tsak")


CONLL = """# lang = en
Anna B-PER B-PER
Bob B-PER O

# lang = de
# id = 7
Berlin B-LOC B-LOC

# lang = en
Paris B-LOC B-PER
"""
TRUE = [["B-PER", "B-PER"], ["B-LOC"], ["B-LOC"]]
PRED = [["B-PER", "O"], ["B-LOC"], ["B-PER"]]
LANG = {"lang": ["en", "de", "en"]}


def test_slices_of_spans(tmp_path: Path) -> None:
    path, offsets = tmp_path / "s.conll", tmp_path / "s.jsonl"
    path.write_text(CONLL)
    arrays = wf.spans_by(TRUE, PRED, by=LANG)
    assert wf.spans_by(path, by="lang").to_json() == arrays.to_json()
    assert arrays.whole == wf.spans(path)
    assert [*arrays["de"].labels] == ["LOC", "PER"]
    english: Any = ([TRUE[0], TRUE[2]], [PRED[0], PRED[2]])
    weights: Any = {"weights": [1, 2, 3], "cluster": ["u", "u", "v"]}
    measured = wf.spans_by(TRUE, PRED, by=LANG, **weights)
    part = wf.spans(*english, labels=["LOC", "PER"], weights=[1, 3], cluster=["u", "v"])
    options: Any = {"average": "micro", "interval": "delta"}
    assert wf.f1(measured["en"], **options).interval == wf.f1(part, **options).interval
    plain = wf.spans(*english)
    assert wf.f1(arrays["en"], **options).value == wf.f1(plain, **options).value
    records = [
        {"true": [[0, 1, "PER"]], "pred": [[0, 1, "PER"]], "lang": "en"},
        {"true": [[0, 1, "LOC"]], "pred": [], "lang": "de"},
    ]
    offsets.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    found = wf.spans_by(offsets, scheme="offsets", by="lang")
    assert wf.recall(found["de"], average="micro").value == 0


def test_spans_by_slice_on_the_command_line(tmp_path: Path) -> None:
    path, saved = tmp_path / "s.conll", tmp_path / "s.json"
    path.write_text(CONLL)
    spans = ("--spans", "BIO", "--by", "lang")
    metric = ("-m", "f1", "--average", "micro", "--format", "json")
    code, out, err = invoke("score", path, *spans, *metric)
    assert (code, err) == (0, "")
    values = {x["slice"]["lang"]: x["value"] for x in json.loads(out)["metrics"][0]["slices"]}
    assert values == {"en": 0.4, "de": 1.0}
    assert invoke("count", path, *spans, "--output", saved)[0] == 0
    later = json.loads(invoke("score", saved, *metric)[1])
    assert later["metrics"] == json.loads(out)["metrics"]
    assert "Did you mean 'lang'?" in invoke("score", path, *spans[:3], "land")[2]
    assert "sentence 0: there is no 'id'" in invoke("score", path, *spans[:3], "id")[2]
    (tmp_path / "s.jsonl").write_text('{"true": [], "pred": [], "x": 0.5}\n')
    with pytest.raises(FileError, match=r"'x' is 0\.5\. A slice or a cluster has a text"):
        wf.spans_by(tmp_path / "s.jsonl", scheme="offsets", by="x")


def test_weights_and_clusters_of_spans_are_named_in_files(tmp_path: Path) -> None:
    """A comment before a sentence, or a key of a record, says what lists give for each."""
    true = [["B-PER", "O"], ["O", "B-LOC"], ["B-PER", "B-LOC"], ["O", "O"]]
    pred = [["B-PER", "O"], ["B-LOC", "O"], ["B-PER", "O"], ["O", "O"]]
    documents, weights = ["d1", "d1", "d2", "d3"], [1.0, 2.5, 0.5, 1.0]
    expected = wf.spans(true, pred, weights=weights, cluster=documents)
    tags = tmp_path / "tags.conll"
    tags.write_text(
        "\n\n".join(
            f"# doc = {doc}\n# w = {w}\n"
            + "\n".join(f"x {a} {b}" for a, b in zip(*pair, strict=True))
            for doc, w, *pair in zip(documents, weights, true, pred, strict=True)
        )
    )
    assert wf.spans(tags, weights="w", cluster="doc") == expected
    assert wf.spans(tags, weights=weights, cluster="doc") == expected
    sliced = wf.spans_by(tags, by="doc", weights="w", cluster="doc")
    assert sliced.whole == expected and sliced["d1"].clusters == 1
    marked = [
        [[(at, at + 1, tag[2:]) for at, tag in enumerate(each) if tag != "O"] for each in side]
        for side in (true, pred)
    ]
    records = [
        {"true": a, "pred": b, "doc": doc, "w": w}
        for a, b, doc, w in zip(*marked, documents, weights, strict=True)
    ]
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    of_spans = wf.spans(path, scheme="offsets", weights="w", cluster="doc")
    assert of_spans == wf.spans(*marked, scheme="offsets", weights=weights, cluster=documents)
    named = ("--spans", "BIO", "--weights", "w", "--cluster", "doc", "-m", "micro_f1")
    code, out, err = invoke("score", tags, *named, "--format", "json")
    assert (code, err) == (0, "")
    (shown,) = json.loads(out)["scores"]
    whole = wf.micro_f1(expected, interval="auto")
    assert (shown["signature"], shown["value"]) == (whole.signature, whole.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": "dok"}, r"sentence 0: there is no 'dok'.*Did you mean 'doc'"),
        ({"weights": "doc"}, r"sentence 0: 'doc' is 'a'. A weight is a number"),
        ({"weights": "flag"}, r"sentence 0: 'flag' is True. A weight is a number"),
        ({"cluster": "half"}, r"sentence 0: 'half' is 0.5. A slice or a cluster has a text"),
    ],
)
def test_what_a_file_says_of_sentences_is_checked(
    tmp_path: Path, options: Any, message: str
) -> None:
    path = tmp_path / "spans.jsonl"
    said = {"doc": "a", "flag": True, "half": 0.5}
    path.write_text(json.dumps({"true": [], "pred": [], **said}))
    with pytest.raises(FileError, match=message):
        wf.spans(path, scheme="offsets", **options)
    name = next(iter(options))
    wrong: Any = {name: "x"}
    with pytest.raises(InputError, match=f"{name}='x' names what a file says of its sentences"):
        wf.spans([["O"]], [["O"]], **wrong)


def test_a_column_that_shares_no_category_is_not_taken_for_a_rater() -> None:
    frame = pd.DataFrame({"anna": ["a", "b"], "ben": ["b", "b"], "task": ["x", "y"]})
    numbers = pd.DataFrame({"anna": [1, 2], "ben": [2, 2], "age": [41, 52]})
    for data, odd in ((frame, "task"), (numbers, "age"), (pl.from_pandas(frame).lazy(), "task")):
        with pytest.raises(InputError, match=f"column '{odd}' has no category in common"):
            wf.ratings(data)
        assert wf.ratings(data, raters=["anna", "ben"]).n == 2
        assert wf.ratings(data, raters=["anna", "ben", odd]).n == 2
        assert wf.ratings_by(data, by=odd).whole.n == 2
