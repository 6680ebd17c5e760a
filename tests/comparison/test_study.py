"""The study as a whole: what is missing, the signature, the command, and every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import DefinitionError, InputError

RUNS = "examples/runs/{system}/{seed}.csv"
TASKS = ["examples/tasks.csv", "--system", "model", "--dataset", "task", "--item", "item"]


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = []
    for task in ("qa", "nli"):
        y = rng.integers(0, 2, 40)
        for system in "AB":
            for run in range(3):
                pred = np.where(rng.random(40) < 0.8, y, 1 - y)
                rows += [(task, system, run, at, y[at], pred[at]) for at in range(40)]
    return pd.DataFrame(rows, columns=["dataset", "system", "run", "item", "true", "pred"])


COLUMNS: dict[str, Any] = {name: name for name in ("dataset", "system", "run", "item")}


def gaps() -> dict[str, pd.DataFrame]:
    """What may be missing: a system of a data set, a run, an item of a run."""
    whole = frame()
    qa_b = (whole["dataset"] == "qa") & (whole.system == "B")
    return {
        "data set 'qa' has no run of B": whole[~qa_b],
        r"numbers of runs differ .A 3, B 2": whole[~(qa_b & (whole.run == 2))],
        "B, run 1 lacks 1 of 40 items .7": whole[~(qa_b & (whole.run == 1) & (whole["item"] == 7))],
    }


@pytest.mark.parametrize("words", [*gaps()])
def test_what_is_missing_is_named_and_a_choice(words: str) -> None:
    data = gaps()[words]
    with pytest.raises(InputError, match=f"not balanced: .*{words}.*missing='complete'"):
        wf.study(data, "accuracy", **COLUMNS)
    everything = (
        wf.study(data, "accuracy", missing="all", **COLUMNS) if "no run" not in words else None
    )
    complete = wf.study(data, "accuracy", missing="complete", **COLUMNS)
    assert complete.notes and complete.notes[0].startswith("Left out: ")
    assert "missing:complete" in complete.signature
    if everything is not None:
        assert everything.notes[0].startswith("Not balanced: ")
        assert everything.n == 80
    if "lacks" in words:
        assert complete.n == 79 and everything is not None
        means = {(x.data_set, x.system): x for x in everything.means}
        own = data[(data["dataset"] == "qa") & (data.system == "B") & (data.run == 1)]
        assert means["qa", "B"].values[1] == pytest.approx((own.true == own.pred).mean())


def test_one_data_set_in_common_is_not_enough() -> None:
    data = gaps()["data set 'qa' has no run of B"]
    with pytest.raises(InputError, match="A and B have 1 data set in common"):
        wf.study(data, "accuracy", missing="all", **COLUMNS)


def test_one_run_where_two_are_needed() -> None:
    with pytest.raises(InputError, match="at least two runs, folds or data sets"):
        wf.study([0, 1], "accuracy", pred={"A": [0, 1], "B": [1, 1]})


def test_no_item_in_every_run() -> None:
    parts = [
        wf.trials([0, 1], pred={name: {str(at): [0, 1]}}, item=[at, at + 1])
        for name in "AB"
        for at in (0, 2)
    ]
    with pytest.raises(InputError, match=r"no item is in every run .*B, run 2 has 2.* same items"):
        wf.study(sum(parts[1:], parts[0]), "accuracy", missing="complete")


def test_nothing_in_common_is_named() -> None:
    y = [0, 1] * 4
    apart = wf.trials(y, pred={"A": [y, y]}, dataset="qa") + wf.trials(
        y, pred={"B": [y, y]}, dataset="nli"
    )
    with pytest.raises(InputError, match=r"every system \(A has qa; B has nli\)"):
        wf.study(apart, "accuracy", missing="complete")
    runs = wf.trials(y, pred={"A": {"1": y, "2": y, "3": y}, "B": {"7": y, "8": y}})
    with pytest.raises(InputError, match=r"no run in common \(A has 1, 2, 3; B has 7, 8\)"):
        wf.study(runs, "accuracy", missing="complete")


def test_what_is_detectable_is_possible() -> None:
    """With few items, no difference may be detectable; without variation, none is known."""
    rng = np.random.default_rng(6)
    seen = set()
    for _ in range(60):
        n, runs = int(rng.integers(2, 30)), int(rng.integers(2, 4))
        y = rng.integers(0, 2, n)
        share = rng.choice([0.5, 0.9, 1.0])
        pred = {x: [np.where(rng.random(n) < share, y, 1 - y) for _ in range(runs)] for x in "AB"}
        study = wf.study(y, "accuracy", pred=pred)
        (pair,) = study.pairs
        known = pair.interval is not None, pair.detectable is not None
        assert known in {(True, True), (True, False), (False, False)}
        assert pair.detectable is None or 0 < pair.detectable <= 1
        text = " ".join(study.text().split())
        assert ("'detectable': the smallest" in text) == known[1]
        assert ("No possible difference is detected" in text) == (known == (True, False))
        seen.add(known)
    assert len(seen) == 3


def test_runs_that_agree_by_chance_have_a_caution() -> None:
    rng = np.random.default_rng(7)
    y = np.arange(100) % 2
    runs = [np.where(np.isin(np.arange(100), rng.permutation(100)[:30]), 1 - y, y) for _ in "12345"]
    study = wf.study(y, "accuracy", pred={"A": runs, "B": [y] * 5})  # always 30 other errors
    (pair,) = study.pairs
    assert pair.components is not None and pair.standard_error is not None
    assert pair.standard_error < 0.8 * pair.components.error()
    assert "runs differ less than errors by chance would make them (A − B)" in " ".join(
        study.text().split()
    )
    assert "differ less than errors" not in wf.study(RUNS, item="item").text()


def test_what_a_table_of_data_sets_lacks_has_a_reason() -> None:
    data = frame()
    single = data[~((data["dataset"] == "qa") & (data.system == "A") & (data.run > 0))]
    study = wf.study(single, "accuracy", missing="all", **COLUMNS)
    text = " ".join(study.text().split())
    assert "Caution: A has one run, whose variance is unknown." in text
    assert "the variance of runs is unknown" not in text  # no test ignores it
    assert study.across[0].meta is None and "There is no meta-analysis" in text
    assert "Random-effects" not in text and "Use the meta-analysis" not in text


def test_a_test_that_was_not_done_is_not_referred_to() -> None:
    y, fold = np.arange(60) % 2, np.arange(60) % 3
    rng = np.random.default_rng(8)
    for repeats in (2, 5):
        runs = {
            x: {str(r): np.where(rng.random(60) < 0.8, y, 1 - y) for r in range(repeats)}
            for x in "AB"
        }
        study = wf.study(y, "accuracy", pred=runs, fold=fold)
        text = " ".join(study.text().split())
        assert ("items and training sets" in text) == (repeats >= 5)
        assert "repeat a cross-validation of two folds ten times" in text


def test_a_signature_does_it_again() -> None:
    options: dict[str, Any] = {"rope": 0.02, "adjust": "fdr", "level": 0.9, "matched": False}
    first = wf.study(RUNS, "f1_of_averages", item="item", **options)
    again = wf.study(first, first.signature)
    assert again.signature == first.signature and again.pairs == first.pairs
    with pytest.raises(DefinitionError, match="signature of a study"):
        wf.Definition.parse(first.signature)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"folding": "both"}, "folding is 'averaged' or 'pooled'"),
        ({"folding": "pooled"}, "there are no folds to pool"),
        ({"missing": "some"}, "missing is 'complete' or 'all'"),
        ({"matched": 1}, "matched is True, False or None"),
        ({"interval": "wilson"}, "chooses its own intervals"),
        ({"metric": "f1"}, "f1 of which class"),
        ({"metric": "roc_auc"}, "computed from scores"),
        ({"metric": "subset_accuracy"}, "computed from sets of labels"),
        ({"level": 2}, "level"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], words: str) -> None:
    chosen = {"metric": "accuracy", "item": "item", **options}
    with pytest.raises((DefinitionError, InputError), match=words):
        wf.study(RUNS, **chosen)


def test_flips_over_the_whole_study() -> None:
    study = wf.study(RUNS, item="item")
    assert study.flips is not None
    means = {}
    for name in ("finetuned", "distilled"):
        files = [pd.read_csv(f"examples/runs/{name}/{seed}.csv") for seed in range(1, 6)]
        means[name] = np.mean([wf.macro_recall(x["true"], x["pred"]) for x in files])
    order = next(x for x in study.flips.orders if x.definition.metric == "recall")
    for name, mean in means.items():
        assert order.scores[name].value == pytest.approx(mean)
    assert [(x.a, x.b) for x in study.flips.flips] == [("distilled", "finetuned")]


def test_ignored_items_are_dropped() -> None:
    y, pred = [0, 1, 2, 0, 1, 2] * 10, {"A": [[0, 1, 0, 0, 1, 1] * 10, [0, 1, 1, 0, 0, 1] * 10]}
    study = wf.study(y, "averaged_f1", pred=pred, ignore=[2])
    kept = [at for at, label in enumerate(y) if label != 2]
    each = [wf.averaged_f1(y, run, ignore=[2]).value for run in pred["A"]]
    assert study.means[0].values == pytest.approx(each) and study.n == len(kept)


def test_the_command_prints_what_the_function_gives(run: Run) -> None:
    expected = wf.study(RUNS, item="item")
    code, out, err = run("study", RUNS, "--item", "item", "--format", "json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["format"] == "whichf1.study" and record["signature"] == expected.signature
    assert [x["p_value"] for x in record["pairs"]] == [x.p_value for x in expected.pairs]
    assert record["means"][0]["values"] == [*expected.means[0].values]
    code, out, _ = run("study", *TASKS, "-m", "accuracy", "--format", "csv")
    rows = [*csv.DictReader(io.StringIO(out))]
    assert {row["what"] for row in rows} >= {"run", "mean", "difference", "meta", "p_wilcoxon"}
    for format in ("markdown", "latex", "html", "text"):
        code, out, _ = run("study", *TASKS, "--format", format)
        assert code == 0 and "large" in out and "wsc" in out


def test_a_study_is_saved_extended_drawn_and_made_a_page(run: Run, tmp_path: Path) -> None:
    saved, picture, page = (tmp_path / x for x in ("study.json", "study.svg", "study.html"))
    args = ["--item", "item", "--save", saved, "--plot", picture, "--page", page]
    code, out, err = run("study", RUNS, *args)
    assert (code, err) == (0, "")
    assert picture.read_bytes().startswith(b"<?xml")
    assert "Are the systems different?" in page.read_text()
    code, again, _ = run("study", saved)
    assert again.partition("\n")[2] == out.partition("\n")[2]
    early, late = tmp_path / "early", tmp_path / "late"
    for folder, seeds in ((early, "123"), (late, "45")):
        for name in ("frozen", "finetuned", "distilled"):
            (folder / name).mkdir(parents=True)
            for seed in seeds:
                copy = Path(f"examples/runs/{name}/{seed}.csv").read_text()
                (folder / name / f"{seed}.csv").write_text(copy)
    run("study", early / "{system}" / "{seed}.csv", "--item", "item", "--save", saved)
    extended = ["study", saved, late / "{system}" / "{seed}.csv", "--item", "item"]
    code, whole, _ = run(*extended)
    signature = wf.study(RUNS, item="item").signature
    assert code == 0 and signature in "".join(x.strip() for x in whole.splitlines())


def test_columns_of_the_command(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("true,a1,a2,b1,b2\n" + "0,0,0,1,0\n1,1,1,1,1\n0,0,1,1,1\n1,1,0,0,0\n" * 9)
    code, out, _ = run("study", path, "--pred", "A=a1,a2", "--pred", "B=b1,b2", "-m", "accuracy")
    assert code == 0 and "2 systems, 4 runs" in out
    code, _, err = run("study", path, "--pred", "a1", "--pred", "B=b1,b2")
    assert code == 2 and "--pred A=a1,a2" in err
    code, _, err = run("study", path, "--pred", "a1")
    assert code == 2 and "at least two runs" in err


def test_a_notebook_shows_the_study() -> None:
    study = wf.study(RUNS, item="item")
    assert "<table>" in study._repr_html_() and "finetuned" in repr(study)
    assert study.text("latex").count(r"\toprule") >= 2
    with pytest.raises(DefinitionError, match="format must be one of"):
        study.text("docx")
    with pytest.raises(wf.errors.FileError, match=r"is an \.html file"):
        study.save_page("study.txt")


def test_a_system_is_named_once(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("true,a,b,c,d\n0,0,1,0,1\n1,1,1,0,1\n")
    code, _, err = run("study", path, "--pred", "A=a,b", "--pred", "A=c,d")
    assert code == 2 and "--pred names a system twice: A=a,b, A=c,d" in err


def test_what_no_test_uses_is_said() -> None:
    y, fold = np.arange(60) % 2, np.arange(60) % 3
    rng = np.random.default_rng(9)
    pred = {x: [np.where(rng.random(60) < 0.8, y, 1 - y) for _ in range(2)] for x in "AB"}
    by_runs = wf.study(y, "accuracy", pred=pred, rope=0.02, margin=0.1)
    assert by_runs.notes == (
        "rope (--rope) is for folds and data sets: tests by runs do not use it.",
    )
    by_folds = wf.study(y, "accuracy", pred=pred, fold=fold, rope=0.02, margin=0.1)
    assert by_folds.notes == ("margin (--margin) is for runs: tests by folds do not use it.",)
    over = wf.study(frame(), "accuracy", **COLUMNS, rope=0.02, margin=0.1)
    assert not over.notes and "'equivalence': two one-sided tests" in " ".join(over.text().split())


def test_few_items_that_decide_have_a_caution() -> None:
    y = [0, 1] * 50
    wrong = {3: "few items decide, so it may not keep its level", 40: "about these runs only"}
    for errors, words in wrong.items():
        pred = {"A": y, "B": [1 - x if at < errors else x for at, x in enumerate(y)]}
        sets = [wf.trials(y, pred=pred, dataset=name) for name in ("qa", "nli")]
        study = wf.study(sets[0] + sets[1], "accuracy")
        assert all(
            pair.caution is not None and pair.caution.endswith(words) for pair in study.pairs
        )
