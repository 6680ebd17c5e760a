"""Runs in arrays, tables and files of a pattern, and what is wrong with them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.engines import ENGINES, group, spark_frame
from whichf1.errors import FileError, InputError, LabelError, MergeError, ShapeError
from whichf1.sources.questions.listed import Same, _split

N, RUNS = 30, 3


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Two systems with three seeds each on two data sets, a row for each prediction."""
    rng = np.random.default_rng(1)
    rows = []
    for task in ("qa", "nli"):
        y = rng.choice(["no", "yes", "maybe"], N)
        for model in ("base", "large"):
            for seed in range(RUNS):
                pred = np.where(rng.random(N) < 0.7, y, "no")
                for item in rng.permutation(N):
                    rows.append((task, model, seed, f"q{item}", y[item], pred[item], item % 7))
    columns = ["task", "model", "seed", "item", "true", "pred", "document"]
    return pd.DataFrame(rows, columns=columns)


COLUMNS: dict[str, Any] = {"system": "model", "run": "seed", "dataset": "task", "item": "item"}


def same(a: wf.Trials, b: wf.Trials) -> None:
    assert {*a.data_sets} == {*b.data_sets}
    for name, one in a.data_sets.items():
        other = b.data_sets[name]
        at, by = (np.argsort(x.ids) for x in (one, other))
        assert (one.ids[at] == other.ids[by]).all() and one.labels == other.labels
        assert {*one.keys} == {*other.keys}
        for row, key in enumerate(one.keys):
            theirs = other.predicted[other.keys.index(key)]
            assert (one.predicted[row][at] == theirs[by]).all()


def test_files_of_a_pattern_are_the_rows_of_a_frame(frame: pd.DataFrame, tmp_path: Path) -> None:
    for (task, model, seed), part in frame.groupby(["task", "model", "seed"]):
        folder = tmp_path / str(task) / str(model)
        folder.mkdir(parents=True, exist_ok=True)
        part.to_csv(folder / f"seed-{seed}.csv", index=False)
    pattern = str(tmp_path / "{task}" / "{model}" / "seed-{seed}.csv")
    same(wf.trials(frame, **COLUMNS), wf.trials(pattern, item="item"))
    parquet = tmp_path / "all.parquet"
    frame.to_parquet(parquet)
    same(wf.trials(frame, **COLUMNS), wf.trials(parquet, **COLUMNS))


@pytest.mark.parametrize("seed", range(12))
def test_random_files_are_the_rows_of_a_frame(seed: int, tmp_path: Path) -> None:
    """Rows in any order, columns of any kind, runs on other items: as from a frame of pandas."""
    rng = np.random.default_rng(seed)
    rows = []
    labels = rng.permutation(["a", "b", "it's", "Ä"]) if seed % 3 else np.arange(4)
    many = 40 if seed % 4 == 0 else 3  # more systems than are looked up in a map
    for task in range(rng.integers(1, 3)):
        y = rng.choice(labels, 20)
        for model in range(rng.integers(2, many)):
            for run in range(rng.integers(1, 3)):
                own = np.arange(20) if seed % 2 else rng.permutation(20)[: rng.integers(2, 20)]
                rows += [(f"t {task}", f"m{model}", run, x, y[x], rng.choice(labels)) for x in own]
    frame = pd.DataFrame(rows, columns=["task", "model", "seed", "item", "true", "pred"])
    if seed % 5 < 2:
        frame["item"] = "q" + frame["item"].astype(str)
    if seed % 4:
        frame = frame.sample(frac=1, random_state=seed)
    frame["document"], frame["weight"] = frame["item"].astype(str) + "?", 1.5
    options = {**COLUMNS, **({"cluster": "document", "weights": "weight"} if seed % 2 else {})}
    for suffix in (".parquet", ".csv"):
        path = tmp_path / f"all{suffix}"
        if suffix == ".csv":
            frame["item"] = frame["item"].astype(str)  # as items of texts are
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        expected, read = wf.trials(frame, **options), wf.trials(path, **options)
        same(expected, read)
        both = zip(expected.data_sets.values(), read.data_sets.values(), strict=True)
        for one, other in both:
            assert one.keys == other.keys and (one.true == other.true).all()
            assert one.cluster_names == other.cluster_names


def test_lists_in_a_file_are_sets_of_labels(tmp_path: Path) -> None:
    """Columns of lists are not coded by DuckDB, but the others beside them are."""
    rng = np.random.default_rng(5)
    sets = [[["a"], ["b"], ["a", "b"], []][at] for at in rng.integers(0, 4, 40)]
    rows = [
        {"model": f"m{at % 2}", "seed": at // 20, "item": at // 2 % 10, "true": [], "pred": own}
        for at, own in enumerate(sets)
    ]
    for row in rows:
        row["true"] = sets[int(str(row["item"]))]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "sets.parquet")
    options: dict[str, Any] = {"system": "model", "run": "seed", "item": "item"}
    read = wf.trials(tmp_path / "sets.parquet", **options)
    same(wf.trials(pd.DataFrame(rows), **options), read)
    assert read.systems == ("m0", "m1") and read.data_sets[""].sets is not None


@pytest.mark.parametrize("seed", range(20))
def test_batches_are_split_into_runs(seed: int) -> None:
    """The oracle is a loop over rows. Runs may be interleaved, and differ in what they have."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 900))
    stretch = int(rng.choice([1, 3, 150]))
    sides = [np.repeat(rng.integers(0, 3, n), stretch)[:n].astype(np.int8) for _ in range(2)]
    item: Any = np.arange(n, dtype=np.int32) if seed % 2 else rng.integers(0, 4, n).astype(np.int32)
    if seed % 3 == 0:  # all runs have the same items
        sides, item = [np.arange(n, dtype=np.int8) % 3, np.zeros(n, np.int8)], np.arange(n) // 3
    columns: list[Any] = [*sides, item, rng.integers(0, 3, n).astype(np.int8)]
    cuts = sorted(rng.integers(1, n, 3)) if n > 3 else []
    batches = [x for x in zip(*(np.split(y, cuts) for y in columns), strict=True) if len(x[0])]
    parts = _split(batches, ["b0", "b1", "b2", "s0"], ["b0", "b1"], {"b0": ["x", "y", "z"]})
    expected: dict[Any, list[Any]] = {}
    for a, b, *rest in zip(*columns, strict=True):
        expected.setdefault((Same("xyz"[a]), Same(b)), []).append(rest)
    assert [(part["b0"], part["b1"]) for part in parts] == [*expected]
    for part, rows in zip(parts, expected.values(), strict=True):
        assert np.array_equal(np.stack([part["b2"], part["s0"]], 1), rows)
    if seed % 3 == 0 and len(parts) > 1 and len(batches) == 1:
        assert np.shares_memory(parts[0]["b2"], parts[-1]["b2"])


MEMORY = """
import sys, duckdb, whichf1 as wf
from tests.helpers.peak import peak
row = "'m' || (r % 20) AS model, r, item, (item % 3)::VARCHAR AS t, (r % 3)::VARCHAR AS p"
sizes = []
for runs in (20, 120):
    path = f"{sys.argv[1]}/{runs}.parquet"
    every = f"range({runs}) AS runs(r), range(50000) AS items(item)"
    duckdb.sql(f"COPY (SELECT {row} FROM {every}) TO '{path}'")
for runs in (20, 120):
    path = f"{sys.argv[1]}/{runs}.parquet"
    read = wf.trials(path, true="t", pred="p", system="model", run="r", item="item")
    assert read.units == 50000 * runs
    sizes.append(peak())
print((sizes[1] - sizes[0]) / (100 * 50000))
"""


def bytes_by_row(folder: Path) -> float:
    command = [sys.executable, "-c", MEMORY, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])  # after DuckDB's progress


def test_reading_keeps_little_more_than_the_codes(tmp_path: Path) -> None:
    """Memory of each further row: its code, and that of the table in which runs are joined.

    How much DuckDB holds at a time depends on its threads: the least of a few tries is needed.
    """
    assert any(bytes_by_row(tmp_path) < 5 for _ in range(3))


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.table({name: frame[name].tolist() for name in frame})


@pytest.mark.parametrize("engine", [pytest.param(x, marks=group(x)) for x in ENGINES])
def test_every_kind_of_frame_has_the_same_runs(engine: str, frame: pd.DataFrame) -> None:
    table = ENGINES[engine](arrow(frame))
    same(wf.trials(frame, **COLUMNS), wf.trials(table, **COLUMNS))


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_rows_of_spark_have_no_order(frame: pd.DataFrame) -> None:
    table = spark_frame(arrow(frame))
    with pytest.raises(InputError, match=r"rows of Spark have no order.*item="):
        wf.trials(table, system="model", run="seed", dataset="task")


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    own = frame[frame.task == "qa"].sort_values("item")
    table = own.pivot(index="item", columns=["model", "seed"], values="pred")
    table.columns = [f"{model}_{seed}" for model, seed in table.columns]
    truth = own.drop_duplicates("item").set_index("item")["true"]
    return table.assign(true=truth).reset_index()


def test_wide_tables_name_their_columns_in_three_ways(frame: pd.DataFrame, tmp_path: Path) -> None:
    table = wide(frame)
    long = wf.trials(frame[frame.task == "qa"], system="model", run="seed", item="item")
    same(long, wf.trials(table, pred="{system}_{run}", true="true", item="item"))
    named = {m: {str(s): f"{m}_{s}" for s in range(RUNS)} for m in ("base", "large")}
    same(long, wf.trials(table, pred=named, true="true", item="item"))
    path = tmp_path / "wide.csv"
    table.to_csv(path, index=False)
    same(long, wf.trials(path, pred=named, true="true", item="item"))


def test_arrays_are_the_same_runs(frame: pd.DataFrame) -> None:
    table = wide(frame)
    pred = {m: {str(s): table[f"{m}_{s}"] for s in range(RUNS)} for m in ("base", "large")}
    arrays = wf.trials(table["true"], pred=pred, item=table["item"])
    same(arrays, wf.trials(table, pred="{system}_{run}", true="true", item="item"))


def test_classes_of_files_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "a-1.csv").write_text("true,pred\n1,1\n2,2\n")
    (tmp_path / "a-2.csv").write_text("true,pred\n1,x\n2,2\n")
    trials = wf.trials(str(tmp_path / "{system}-{seed}.csv"))
    assert trials.data_sets[""].labels == ("1", "2", "x")


def test_items_in_an_order_of_their_own_stay_with_their_predictions() -> None:
    items = ["10", "9", "2", "1"]
    parts = [
        wf.trials([0, 1, 0, 1], pred={"A": {str(at): pred}}, item=items)
        for at, pred in enumerate(([0, 0, 0, 0], [1, 0, 0, 1]))
    ]
    (data,) = (parts[0] + parts[1]).data_sets.values()
    assert data.ids.tolist() == items
    assert data.predicted.tolist() == [[0, 0, 0, 0], [1, 0, 0, 1]]
    turned = wf.trials([1, 0, 1, 0], pred={"B": {"0": [1, 1, 0, 0]}}, item=items[::-1])
    (data,) = (parts[0] + turned).data_sets.values()
    of = dict(zip(data.ids.tolist(), data.predicted[1].tolist(), strict=True))
    assert of == {"1": 1, "2": 1, "9": 0, "10": 0}


def test_files_of_folds_need_no_items(tmp_path: Path) -> None:
    for system in "ab":
        for fold, size in ((1, 4), (2, 3)):
            lines = ["true,pred", *["0,0", "1,1", "0,1", "1,1"][:size]]
            (tmp_path / f"{system}-{fold}.csv").write_text("\n".join(lines) + "\n")
    trials = wf.trials(str(tmp_path / "{system}-{fold}.csv"))
    (data,) = trials.data_sets.values()
    assert data.n == 7 and data.complete and data.fold_names == ("1", "2")


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / "{system}-{seed}.csv")


HEAD = "item,true,pred\n"


@pytest.mark.parametrize(
    ("first", "second", "item", "error", "words"),
    [
        ("a,0,0\na,1,1\n", "a,0,0\nb,1,1\n", True, InputError, "more than once in one run"),
        ("a,0,0\nb,1,1\n", "a,1,0\nb,1,1\n", True, InputError, "true class of an item differs"),
        ("a,0,0\nb,1,1\n", "b,1,1\na,0,0\n", False, InputError, "Are these the same items"),
        ("a,0,0\nb,1,1\n", "a,0,0\n", False, InputError, "runs have 1 to 2 items"),
        ("a,0,0\n,1,1\n", "a,0,0\n", True, LabelError, "is empty in item 1"),
        ("a,0,\nb,1,1\n", "a,0,0\n", True, LabelError, "missing"),
        ("a,0,0\nb,1,1\n", "", True, ShapeError, "no items"),
    ],
)
def test_bad_runs_are_named(
    tmp_path: Path, first: str, second: str, item: bool, error: type[Exception], words: str
) -> None:
    write(tmp_path, "s-1.csv", HEAD + first)
    pattern = write(tmp_path, "s-2.csv", HEAD + second)
    with pytest.raises(error, match=words):
        wf.trials(pattern, item="item" if item else None)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"pred": [0, 1]}, InputError, "the runs of each system"),
        ({"pred": {"A": [[0, 1, 1]]}}, ShapeError, "there are 2 items, A, run 1 has 3"),
        ({"pred": {"A": [[0, 1]]}, "score": {"A": [[0, 1]]}}, InputError, "name one"),
        ({"pred": {"A": [[0, 1]]}, "fold": [0]}, ShapeError, "fold has 1"),
        ({"pred": {"A": [[0, 1]]}, "fold": np.array(3)}, ShapeError, "one value for each item"),
        ({"pred": {"A": [[0, 1]]}, "dataset": [1, 2]}, InputError, "name of the data set"),
        ({"pred": {"A": [[0, 1]]}, "true": "y"}, InputError, "but these are arrays"),
        ({"score": {"A": [[0, np.nan]]}}, InputError, "not a finite number in item 1"),
        ({"score": {"A": [["x", "y"]]}}, InputError, "scores must be numbers"),
        ({"pred": {"A": [["x", "y"]]}}, LabelError, "label types differ"),
        ({"pred": {"A": [[0, 2]]}, "labels": [0, 1]}, LabelError, "label 2 is not among"),
        ({"pred": {"A": [[0, 1]]}, "formt": "csv"}, wf.errors.DefinitionError, "no option 'formt'"),
    ],
)
def test_bad_arrays_are_named(given: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        wf.trials([0, 1], **given)


def test_odd_data_are_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(ShapeError, match="no items"):
        wf.trials([], pred={"A": [[]]})
    for name in ("system", "run", "fold", "dataset", "item", "cluster", "true"):
        with pytest.raises(InputError, match=f"{name}= names a column"):
            odd: dict[str, Any] = {name: np.array([1, 2])}
            wf.trials(frame, **odd)


def test_patterns_are_checked(tmp_path: Path) -> None:
    write(tmp_path, "s-1.csv", HEAD + "a,0,0\n")
    with pytest.raises(FileError, match="no file matches"):
        wf.trials(str(tmp_path / "{system}-{seed}.tsv"))
    with pytest.raises(InputError, match=r"what is the part {colour} of the path"):
        wf.trials(str(tmp_path / "{system}-{colour}.csv"))
    assert wf.trials(str(tmp_path / "{system}-{colour}.csv"), run="colour").systems == ("s",)
    with pytest.raises(InputError, match="named twice"):
        wf.trials(str(tmp_path / "{system}-{system}.csv"))


def test_trials_are_saved_and_extended(frame: pd.DataFrame, tmp_path: Path) -> None:
    whole = wf.trials(frame, cluster="document", **COLUMNS)
    early = wf.trials(frame[frame.seed < 2], cluster="document", **COLUMNS)
    path = tmp_path / "study.json"
    early.save(path)
    late = wf.trials(frame[frame.seed == 2], cluster="document", **COLUMNS)
    same(whole, wf.Trials.load(path) + late)
    again = wf.trials([path, tmp_path / "late.csv"][:1])
    same(early, again)
    one = next(iter(again.data_sets.values()))
    assert one.cluster is not None and one.cluster_names == (0, 1, 2, 3, 4, 5, 6)
    with pytest.raises(InputError, match=r"30 items, such as .* appear twice in base, run 0"):
        wf.Trials.load(path) + early


def test_scores_and_folds_are_saved() -> None:
    score = {"A": [[0.1, 0.9, 0.4, 0.8]], "B": [[0.3, 0.2, 0.6, 0.7]]}
    trials = wf.trials([0, 1, 0, 1], score=score, fold=[1, 1, 2, 2])
    again = wf.Trials.from_json(trials.to_json())
    (one,), (other,) = trials.data_sets.values(), again.data_sets.values()
    assert (one.predicted == other.predicted).all() and np.array_equal(one.folds, other.folds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("keys", [["A"]]),
        ("true", [0, 1]),
        ("true", {"type": "i4", "shape": [4], "data": "AAAA"}),
        ("true", {"type": "O", "shape": [4], "data": "AAAA"}),
        ("true", {"type": "i4", "shape": [10**15], "data": "AAAA"}),
        ("predicted", None),
        ("labels", [0]),
        ("by_line", 3),
        ("more", 1),
    ],
)
def test_damaged_files_are_refused(field: str, value: Any) -> None:
    from whichf1.tables import saving

    trials = wf.trials([0, 1, 0, 1], pred={"A": [[0, 1, 1, 1]]})
    record = json.loads(trials.to_json())
    for name in ("format", "version", "kind", "checksum"):
        record.pop(name)
    record["parts"][0][1][field] = value
    with pytest.raises(FileError, match="is not a complete file"):
        wf.Trials.from_json(saving.to_json("study", record))
    whole = trials.to_json()
    for cut in (len(whole) // 3, len(whole) - 2):
        with pytest.raises(FileError):
            wf.Trials.from_json(whole[:cut])


def test_unlike_parts_do_not_add_up() -> None:
    plain = wf.trials([0, 1], pred={"A": {"1": [0, 1]}})
    for other, words in (
        (wf.trials([0, 1], score={"A": {"2": [0.1, 0.9]}}), "others have scores"),
        (wf.trials([0, 1], pred={"A": {"2": [0, 1]}}, fold=[1, 2]), "some runs have a fold"),
        (wf.trials([0, 1], pred={"A": {"2": [0, 1]}}, item=["a", "b"]), "cannot be matched"),
        (wf.trials(["a", "b"], pred={"A": {"2": ["a", "b"]}}), "labels of one part"),
    ):
        with pytest.raises((MergeError, InputError), match=words):
            plain + other


def test_saved_counts_of_other_items_are_refused(tmp_path: Path) -> None:
    wf.count([0, 1, 1], [0, 1, 0]).save(tmp_path / "A-1.json")
    wf.count([0, 0, 1], [0, 1, 0]).save(tmp_path / "A-2.json")
    with pytest.raises(InputError, match="true class"):
        wf.trials(str(tmp_path / "{system}-{seed}.json"))
    wf.count([0, 1, 1], [0, 1, 0], weights=[1, 2, 3]).save(tmp_path / "A-2.json")
    with pytest.raises(InputError, match="plain counts"):
        wf.trials(str(tmp_path / "{system}-{seed}.json"))


def test_items_are_called_alike_in_texts_and_numbers(tmp_path: Path) -> None:
    """Item 7 of a table of texts is item 7 of a table of numbers; 07 is another."""
    rng = np.random.default_rng(5)
    writers = {
        "csv": lambda rows, path: rows.to_csv(path, index=False),
        "jsonl": lambda rows, path: rows.to_json(path, orient="records", lines=True),
        "parquet": lambda rows, path: rows.to_parquet(path, index=False),
    }
    for trial in range(6):
        y, folder = rng.integers(0, 2, 12), tmp_path / str(trial)
        runs: dict[str, dict[str, Any]] = {}
        for system in "AB":
            (folder / system).mkdir(parents=True)
            for run, suffix in enumerate(rng.choice([*writers], 3)):
                pred = np.where(rng.random(12) < 0.7, y, 1 - y)
                rows = pd.DataFrame({"item": range(12), "true": y, "pred": pred})
                writers[suffix](
                    rows.sample(frac=1, random_state=run), folder / system / f"{run}.{suffix}"
                )
                runs.setdefault(system, {})[str(run)] = pred
        read = wf.trials(f"{folder}/{{system}}/{{seed}}.*", item="item")
        known = wf.trials(y, pred=runs, item=[*map(str, range(12))])
        (data,) = read.data_sets.values()
        same(wf.Trials({"": replace(data, ids=data.ids.astype(np.str_))}), known)
    texts = wf.trials([0, 1], pred={"A": {"2": [0, 1]}}, item=["07", "1"])
    numbers = wf.trials([0, 1], pred={"A": {"1": [0, 1]}}, item=[7, 1])
    assert (texts + numbers).data_sets[""].ids.tolist() == ["07", "1", "7"]


def test_brackets_are_part_of_names(tmp_path: Path) -> None:
    folder = tmp_path / "sweep [lr=0.1]" / "A"
    folder.mkdir(parents=True)
    (folder / "run [1].csv").write_text("true,pred\n0,0\n1,0\n")
    read = wf.trials(f"{tmp_path}/sweep [lr=0.1]/{{system}}/{{run}}.csv")
    assert read.data_sets[""].keys == (("A", "run [1]"),)
    assert repr(read) == "<Trials: 1 system, 1 run, 2 items>"


def test_classes_without_a_column_of_scores_are_named(tmp_path: Path) -> None:
    path = tmp_path / "probs.csv"
    path.write_text("true,pa,pb\na,0.5,0.5\nb,0.2,0.8\n")
    with pytest.raises(LabelError, match=r"class 'a' has no column .* 'pa', 'pb'\. Name the"):
        wf.trials(str(path), probs={"pa": "pa", "pb": "pb"})


@pytest.mark.parametrize("option", ["fold", "cluster", "weights"])
def test_a_saved_study_has_only_what_was_read(tmp_path: Path, option: str) -> None:
    path = tmp_path / "study.json"
    trials = wf.trials([0, 1], pred={"A": [[0, 1], [1, 1]]})
    trials.save(path)
    for data in (trials, str(path)):
        with pytest.raises(InputError, match=f"was read without {option}="):
            wf.trials(data, **{option: "column"})
    assert wf.trials(str(path), item="item").n == 2
    words = "holds a study: pass it to|holds study, not counts"  # by which modules are loaded
    with pytest.raises(FileError, match=words):
        wf.Counts.load(path)


def test_weights_may_be_rounded() -> None:
    first, second = (
        wf.trials([0, 1], pred={"A": {run: [0, 1]}}, weights=weights)
        for run, weights in (("1", [1 / 3, 2.0]), ("2", [0.3333333333, 2.0]))
    )
    weights = (first + second).data_sets[""].weights
    assert weights is not None and weights.tolist() == [1 / 3, 2.0]
    other = wf.trials([0, 1], pred={"A": {"3": [0, 1]}}, weights=[0.3334, 2.0])
    with pytest.raises(InputError, match=r"that of item 0 is 0\.333333333 and 0\.3334\. A weight"):
        first + other
