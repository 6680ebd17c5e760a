"""Logs of lm-evaluation-harness and Inspect, made by the programs themselves.

``tests/helpers/make_logs.py`` made them: lm-eval 0.4.13 and inspect-ai 0.3.285.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.commands import Run
from whichf1.cli.compare import compare
from whichf1.cli.options import CompareOptions
from whichf1.errors import FileError, InputError
from whichf1.sources import logs
from whichf1.sources.logs import read_logs

LOGS = Path(__file__).parents[1] / "data" / "logs"
FIRST, SECOND = (str(LOGS / name) for name in ("first", "second"))
GOOD, POOR = (str(LOGS / name) for name in ("good.eval", "poor.eval"))


def rows(folder: str, task: str) -> list[dict[str, Any]]:
    (path,) = Path(folder).glob(f"samples_{task}_*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_samples_of_the_harness_are_items_and_tasks_data_sets() -> None:
    read = read_logs([FIRST, SECOND])
    assert {*read.trials.data_sets} == {"sums", "parity"} and read.value == "acc"
    assert read.trials.systems == ("first", "second")
    for task, data in read.trials.data_sets.items():
        for at, folder in enumerate((FIRST, SECOND)):
            own = {f"{x['doc_id']}:{x['doc_hash'][:12]}": x["acc"] for x in rows(folder, task)}
            assert dict(zip(data.ids.tolist(), data.predicted[at].tolist(), strict=True)) == own
    assert "acc_norm" in read.notes[0]
    other = read_logs([FIRST, SECOND], value="acc_norm").trials.data_sets["sums"]
    assert other.predicted[0].mean() == np.mean([x["acc_norm"] for x in rows(FIRST, "sums")])


def test_answers_of_the_harness_give_its_accuracy() -> None:
    """The most likely choice, against the target: as often right as acc says."""
    read = read_logs([FIRST, SECOND], predictions=True)
    for task, data in read.trials.data_sets.items():
        right = (data.predicted == data.true).mean(1)
        assert right.tolist() == [
            np.mean([x["acc"] for x in rows(y, task)]) for y in (FIRST, SECOND)
        ]


def test_both_formats_of_inspect_are_the_same_log() -> None:
    archive, plain = (read_logs([f"x={LOGS / name}"]) for name in ("good.eval", "good.json"))
    one, other = (x.trials.data_sets["sums"] for x in (archive, plain))
    assert sorted(one.ids.tolist()) == sorted(other.ids.tolist()) and one.n == 8
    assert [key.run for key in one.keys] == ["1", "2"]  # epochs
    at, by = np.argsort(one.ids), np.argsort(other.ids)
    assert (one.predicted[:, at] == other.predicted[:, by]).all()
    sample = json.loads((LOGS / "good.json").read_text())
    mean = np.mean([x["scores"]["match"]["value"] == "C" for x in sample["samples"]])
    assert one.predicted.mean() == mean


def test_questions_come_in_clusters() -> None:
    data = read_logs([GOOD], cluster="topic").trials.data_sets["sums"]
    assert data.cluster_names == ("t0", "t1", "t2", "t3")
    with pytest.raises(
        InputError, match=r"the field 'subject' is missing for 8 of 8 items\. Known: topic"
    ):
        read_logs([GOOD], cluster="subject")
    assert read_logs([FIRST], cluster="topic").trials.data_sets["sums"].cluster_names is not None


def test_the_command_compares_logs(run: Run) -> None:
    code, out, err = run("compare", "--log", FIRST, "--log", SECOND, "--format", "json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert {x["data_set"] for x in record["pairs"]} == {"sums", "parity"}
    assert "adjust:fdr" in record["signature"]
    assert "mean_value(of=acc,bounds=unit)" in record["signature"]
    sums = next(x for x in record["pairs"] if x["data_set"] == "sums")
    values = [np.array([x["acc"] for x in rows(y, "sums")]) for y in (FIRST, SECOND)]
    d = values[0] - values[1]
    assert sums["difference"] == pytest.approx(d.mean()) and sums["detectable"] > 0
    assert sums["standard_error"] == pytest.approx(d.std(ddof=1) / np.sqrt(len(d)))
    code, out, _ = run("compare", "--log", f"a={GOOD}", "--log", f"b={POOR}")
    assert code == 0 and "2 systems, 4 runs" in out and "matched runs" in out
    code, out, _ = run("compare", "--log", FIRST, "--log", SECOND, "--answers", "-m", "accuracy")
    assert code == 0 and "accuracy|" in out


def test_logs_of_one_model_are_called_by_their_paths() -> None:
    assert read_logs([GOOD, POOR]).trials.systems == (GOOD, POOR)


def changed(tmp_path: Path, change: Any) -> list[str]:
    """Both runs of the harness on sums, the second with changed samples."""
    paths = []
    for name, folder in (("a", FIRST), ("b", SECOND)):
        own = rows(folder, "sums")
        if name == "b":
            own = change(own)
        (tmp_path / name).mkdir()
        path = tmp_path / name / "samples_sums_2026-01-01.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in own))
        paths.append(str(path))
    return paths


def test_what_does_not_match_is_counted_and_named(tmp_path: Path, run: Run) -> None:
    """The same id with another question is another item."""

    def change(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
        own[0]["doc_hash"] = "0" * 64
        return own[:-1]

    paths = changed(tmp_path, change)
    code, out, _ = run("compare", "--log", paths[0], "--log", paths[1])
    assert code == 0 and "3 of 13 items, which some runs lack" in " ".join(out.split())
    code, out, _ = run("compare", "--log", paths[0], "--log", paths[1], "--missing", "all")
    text = " ".join(out.split())
    assert code == 0 and "lacks 2 of 13 items" in text and "0:000000000000" in text


def test_samples_without_a_score_are_counted(tmp_path: Path) -> None:
    record = json.loads((LOGS / "good.json").read_text())
    record["samples"][0]["scores"] = None
    record["samples"][0]["error"] = {"message": "it crashed"}
    path = tmp_path / "failed.json"
    path.write_text(json.dumps(record))
    read = read_logs([f"x={path}"])
    assert "1 of 16 samples is left out (1: it failed)" in read.notes[0]
    assert not read.trials.data_sets["sums"].complete


def test_scores_of_inspect_may_be_several(tmp_path: Path) -> None:
    record = json.loads((LOGS / "good.json").read_text())
    for at, sample in enumerate(record["samples"]):
        sample["scores"] = {"parts": {"value": {"form": "P", "count": at}}}
    path = tmp_path / "several.json"
    path.write_text(json.dumps(record))
    assert read_logs([str(path)]).value == "parts.form"
    data = read_logs([str(path)], value="parts.count").trials.data_sets["sums"]
    assert sorted(data.predicted.ravel().tolist()) == [*range(16)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda own: [{**x, "filter": y} for y in ("none", "strict") for x in own],
            "several filters",
        ),
        (lambda own: own + own[:1], "appears 2 times in run '1'"),
        (lambda own: [{k: v for k, v in own[0].items() if k != "doc_id"}], "has no 'doc_id'"),
        (lambda own: [], "has no samples"),
        (lambda own: [{**x, "metrics": []} for x in own], "a has acc, acc_norm; b has none"),
    ],
)
def test_bad_logs_of_the_harness(tmp_path: Path, change: Any, words: str) -> None:
    with pytest.raises((FileError, InputError), match=words):
        read_logs(changed(tmp_path, change))


def test_logs_without_a_common_value_say_what_each_has(run: Run) -> None:
    code, _, err = run("compare", "--log", LOGS / "good.eval", "--log", LOGS / "first")
    words = "no metric is in all logs (mockllm/model has match; first has acc, acc_norm)"
    assert code == 2 and words in " ".join(err.split())


def test_tasks_may_have_different_metrics_and_filters(tmp_path: Path, run: Run) -> None:
    paths = [str(LOGS / "mixed" / name) for name in ("first", "second")]
    with pytest.raises(InputError, match=r"several filters: first, majority\. Choose one"):
        read_logs(paths)
    read = read_logs(paths, filter="majority")  # sums has no filter to choose
    assert read.value == "score" and {*read.trials.data_sets} == {"sums", "written"}
    assert read.notes == (
        "The values are those of acc (sums); exact_match (written); there are also acc_norm.",
    )
    right = [np.mean([x["acc"] for x in rows(path, "sums")]) for path in paths]
    assert read.trials.data_sets["sums"].predicted.mean(1).tolist() == right
    read = read_logs(paths, filter="first", value="acc")
    assert {*read.trials.data_sets} == {"sums"} and read.value == "acc"
    assert "data set 'written', no sample of which has 'acc', only exact_match" in read.notes[0]
    with pytest.raises(InputError, match=r"no filter 'firsts'\. Did you mean"):
        read_logs(paths, filter="firsts")
    with pytest.raises(InputError, match=r"no log has the filter 'first'\. Known: none"):
        read_logs([FIRST, SECOND], filter="first")
    code, out, _ = run("compare", "--log", paths[0], "--log", paths[1], "--filter", "first")
    assert code == 0 and "mean score" in out


@pytest.mark.parametrize("name", ["chat", "shuffled"])
def test_questions_are_matched_whatever_their_ids_are(name: str) -> None:
    """Messages have new ids in every evaluation; ids may be positions in shuffled data."""
    paths = [str(LOGS / f"{name}-{system}.eval") for system in "ab"]
    data = read_logs(paths).trials.data_sets[name]
    assert data.n == 8 and data.complete
    for path, values in zip(paths, data.predicted, strict=True):
        alone = read_logs([path]).trials.data_sets[name]
        assert sorted(x.split(":")[1] for x in alone.ids) == sorted(
            x.split(":")[1] for x in data.ids
        )
        known = dict(zip((x.split(":")[1] for x in alone.ids), alone.predicted[0], strict=True))
        assert values.tolist() == [known[x.split(":")[1]] for x in data.ids]


def test_equal_questions_are_distinguished_by_their_ids(tmp_path: Path) -> None:
    def change(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*own[::-1], {**own[0], "doc_id": 99, "acc": 0.5}]

    data = read_logs(changed(tmp_path, change)).trials.data_sets["sums"]
    assert data.n == 13 and [x for x in data.ids if x.startswith("99:")]
    missing = np.isnan(data.predicted)
    assert missing.sum() == 1 and missing[0].sum() == 1
    own = [x["acc"] for x in rows(SECOND, "sums")]
    assert np.nansum(data.predicted[1]) == sum(own) + 0.5


def test_several_logs_of_a_task_are_runs(tmp_path: Path) -> None:
    record = json.loads((LOGS / "good.json").read_text())
    for name, task_id in (("a", "one"), ("b", "two")):
        record["eval"]["task_id"] = task_id
        (tmp_path / f"{name}.json").write_text(json.dumps(record))
    for paths in ([f"x={tmp_path}/*.json"], [f"x={tmp_path}/a.json", f"x={tmp_path}/b.json"]):
        data = read_logs(paths).trials.data_sets["sums"]
        assert data.systems == ("x",)
        assert [key.run for key in data.keys] == ["one 1", "one 2", "two 1", "two 2"]
    (tmp_path / "copy.json").write_text(json.dumps(record))  # or a retry, which keeps the id
    with pytest.raises(InputError, match=r"2 times in run 'two 1'\. Is there a copy"):
        read_logs([f"x={tmp_path}/*.json"])


@pytest.mark.parametrize("status", ["cancelled", "error", "started"])
def test_evaluations_that_did_not_finish_are_named(tmp_path: Path, status: str) -> None:
    record = json.loads((LOGS / "good.json").read_text())
    path = tmp_path / "part.json"
    path.write_text(json.dumps({**record, "status": status}))
    (note,) = read_logs([f"x={path}"]).notes
    assert note == f"x, sums: the evaluation did not finish (its status is {status!r})."


def test_older_logs_of_the_harness(tmp_path: Path) -> None:
    """Before 0.4.7, samples did not list their metrics, and before 0.4.3, they had no hashes."""
    new = ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash")

    def change(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{k: v for k, v in x.items() if k not in new} for x in own]

    data = read_logs(changed(tmp_path, change)).trials.data_sets["sums"]
    assert data.n == 12 and data.complete
    assert data.predicted[1].tolist() == [x["acc"] for x in rows(SECOND, "sums")]


def test_logs_may_be_renamed(tmp_path: Path, run: Run) -> None:
    paths = []
    for name, folder in (("base", FIRST), ("tuned", SECOND)):
        paths.append(tmp_path / f"{name}.jsonl")
        shutil.copy(next(Path(folder).glob("samples_sums_*")), paths[-1])
    read = read_logs([*map(str, paths)])
    assert [*read.trials.data_sets] == [""] and read.trials.systems == (*map(str, paths),)
    shutil.copy(paths[0], tmp_path / "samples_my_long_task.jsonl")
    assert [*read_logs([str(tmp_path / "samples_my_long_task.jsonl")]).trials.data_sets] == [
        "my_long_task"
    ]
    code, _, err = run(
        "compare", "--log", paths[0], "--log", tmp_path / "samples_my_long_task.jsonl"
    )
    assert code == 2 and "no data set has runs of every system" in err


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1), ("I", 0), ("P", 0.5), ("N", 0), ("yes", 1), ("False", 0), (True, 1), ("0.25", 0.25)],
)
def test_scores_of_inspect_are_read_as_it_reads_them(
    tmp_path: Path, value: Any, number: float
) -> None:
    record = json.loads((LOGS / "good.json").read_text())
    for sample in record["samples"]:
        sample["scores"]["match"]["value"] = value
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(record))
    assert (read_logs([str(path)]).trials.data_sets["sums"].predicted == number).all()


def test_a_filter_is_chosen(tmp_path: Path) -> None:
    def change(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**x, "filter": y} for y in ("none", "strict") for x in own]

    paths = changed(tmp_path, change)
    assert read_logs(paths, filter="none").trials.n == 12
    with pytest.raises(InputError, match="has no filter 'loose'"):
        read_logs(paths, filter="loose")


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_truncated_logs_are_refused(tmp_path: Path, kept: float) -> None:
    for name in ("good.eval", "good.json"):
        data = (LOGS / name).read_bytes()
        (tmp_path / name).write_bytes(data[: int(kept * len(data))])
        with pytest.raises(FileError, match=r"archive|damaged|truncated"):
            read_logs([str(tmp_path / name)])
    line = next(Path(FIRST).glob("samples_sums*")).read_bytes()
    (tmp_path / "samples_sums_1.jsonl").write_bytes(line[: int(kept * len(line))])
    with pytest.raises(FileError, match="line"):
        read_logs([str(tmp_path / "samples_sums_1.jsonl")])


def test_damaged_members_are_refused(tmp_path: Path) -> None:
    data = bytearray(Path(GOOD).read_bytes())
    with zipfile.ZipFile(GOOD) as archive:
        member = next(x for x in archive.infolist() if x.filename.startswith("samples/"))
    data[member.header_offset + 80] ^= 0xFF
    (tmp_path / "bad.eval").write_bytes(data)
    with pytest.raises(FileError, match="is damaged"):
        read_logs([str(tmp_path / "bad.eval")])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 1}, "has version 1"),
        ({"eval": None}, "has no header"),
        ({"samples": []}, "has no samples"),
        ({"samples": [{"id": 1}]}, "a sample has no 'epoch'"),
    ],
)
def test_other_versions_of_inspect(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    record = json.loads((LOGS / "good.json").read_text())
    path = tmp_path / "other.json"
    path.write_text(json.dumps({**record, **change}))
    with pytest.raises(FileError, match=words):
        read_logs([str(path)])


def test_archives_may_be_packed_in_other_ways(tmp_path: Path) -> None:
    record = json.loads((LOGS / "good.json").read_text())
    path = tmp_path / "plain.eval"
    with zipfile.ZipFile(path, "w") as archive:
        head = {k: v for k, v in record.items() if k != "samples"}
        archive.writestr("header.json", json.dumps(head), zipfile.ZIP_STORED)
        for sample in record["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample), zipfile.ZIP_DEFLATED)
    assert read_logs([str(path)]).trials.n == 8


def test_other_unpackers_of_zstandard(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins
    import importlib

    whole = importlib.import_module
    for without in (["compression.zstd"], ["compression.zstd", "zstandard"]):

        def some(name: str, *more: Any, without: list[str] = without) -> Any:
            if name in without:
                raise ImportError(name)
            return whole(name, *more)

        monkeypatch.setattr(importlib, "import_module", some)
        assert read_logs([GOOD]).trials.n == 8
    monkeypatch.setattr(importlib, "import_module", lambda name: builtins.__import__("no_such"))
    with pytest.raises(InputError, match="pip install zstandard"):
        read_logs([GOOD])


def test_paths_are_checked(tmp_path: Path) -> None:
    for given, words in (
        (str(tmp_path), "has no samples_"),
        (str(tmp_path / "no.eval"), "no such log"),
        (str(LOGS.parent / "junit.xsd"), "is not a log"),
    ):
        with pytest.raises(FileError, match=words):
            read_logs([given])
    with pytest.raises(InputError, match="named twice"):
        read_logs([GOOD, GOOD])
    with pytest.raises(InputError, match="no metric 'f1'"):
        read_logs([GOOD], value="f1")
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(FileError, match="not an Inspect log"):
        read_logs([str(tmp_path / "results.json")])
    for name in ("good", "other"):
        shutil.copy(GOOD, tmp_path / f"{name}.eval")
    assert logs.WORDS["P"] == 0.5


PLANNED = "level adjust power margin rope seed"
DEFINED = "average positive classes exclude ignore class_shares undefined scope"
READ = "file from_ table query hive memory_limit on_error engine master gold pred_file id"
APPLY = {
    "--value": f"value weights frequencies cluster replicates effect posterior {READ} {PLANNED}",
    "--log without --answers": f"log value cluster filter missing {PLANNED}",
    "--log and --answers": f"log answers metric cluster filter missing {DEFINED} {PLANNED}",
}
PRINTED = "format decimals output signature caption latex_label siunitx"


@pytest.mark.parametrize("mode", [*APPLY])
def test_options_that_would_do_nothing_are_refused(mode: str) -> None:
    """A gate that is silently ignored never fails."""
    modes: dict[str, dict[str, Any]] = {
        "--value": {"file": "items.csv", "value": ["x", "y"]},
        "--log without --answers": {"log": [FIRST, SECOND]},
        "--log and --answers": {"log": [FIRST, SECOND], "answers": True},
    }
    allowed = {*APPLY[mode].split(), *PRINTED.split()}
    for name, declared in CompareOptions.declared_options().items():
        if name in allowed or name in ("log", "answers" if "without" in mode else ""):
            continue
        value = not declared.default if isinstance(declared.default, bool) else ["other"]
        options = CompareOptions(**{**modes[mode], name: value})
        with pytest.raises(InputError, match=f"does not apply with {mode}"):
            compare(options)


VALUES = "x,y,topic\n0.1,0.4,a\n0.5,0.2,a\n0.9,0.95,b\n0.3,0.7,b\n0.4,0.6,c\n-1.5,0.3,c\n"


def test_any_value_of_items_is_compared(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "items.csv"
    path.write_text(VALUES)
    code, out, err = run("compare", path, "--value", "x", "--value", "y", "--format", "json")
    assert (code, err) == (0, "")
    (pair,) = json.loads(out)["pairs"]
    x, y = np.loadtxt(VALUES.splitlines()[1:], delimiter=",", usecols=(0, 1)).T
    d = x - y
    assert pair["difference"] == pytest.approx(d.mean())
    assert pair["standard_error"] == pytest.approx(d.std() / np.sqrt(len(d)))
    code, out, _ = run("compare", path, "--value", "x", "--value", "y", "--cluster", "topic")
    assert code == 0 and "3 clusters" in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--value", "x"], "at least two systems"),
        (["--value", "x", "--value", "topic"], "number"),
        (["--value", "x", "--value", "z"], "no column 'z'"),
        (["--value", "x", "--value", "y", "--pred", "x"], "--pred does not apply with --value"),
        (["--pred", "x", "--pred", "y", "--filter", "none"], "--filter is for logs"),
        ([], "which systems"),
        (["--log", "a.eval"], "FILE does not apply with --log"),
    ],
)
def test_bad_values_are_named(tmp_path: Path, run: Run, args: list[str], words: str) -> None:
    path = tmp_path / "items.csv"
    path.write_text(VALUES)
    code, _, err = run("compare", path, *args)
    assert code == 2 and words in " ".join(err.split())
