"""Gates for continuous integration: what fails, what it says, and how a server is told."""

from __future__ import annotations

import json
import math
import re
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pandas as pd
import pytest
import xmlschema
from scipy import stats

import whichf1 as wf
from tests.helpers.commands import NASTY, Run
from tests.helpers.samples import present
from whichf1.reporting.gates import Verdict, github, junit

ANIMALS = "examples/animals.csv"
SPAM = ("score", "examples/spam.csv", "--score", "score", "--positive", "spam")
JUNIT = xmlschema.XMLSchema(Path(__file__).parents[1] / "data" / "junit.xsd")
SCHEMA = json.loads((files("whichf1") / "reporting/schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("metric", ["averaged_f1", "accuracy", "mcc"])
def test_a_score_at_its_limit_passes_and_just_beyond_it_fails(run: Run, metric: str) -> None:
    score = getattr(wf, metric)(ANIMALS, interval="auto")
    for option, value in (("--fail-under", score.value), ("--fail-under-low", score.interval.low)):
        for limit, code in ((value, 0), (math.nextafter(value, 1), 1)):
            given, out, err = run("score", ANIMALS, option, f"{metric}={limit!r}", "-m", metric)
            assert (given, metric in out) == (code, True)
            assert bool(err) == bool(code) and "below" in (err or "below")


def test_a_loss_has_a_ceiling(run: Run) -> None:
    loss = wf.log_loss("examples/spam.csv", score="score", positive="spam", interval="auto")
    ends = (("--fail-over", loss.value), ("--fail-over-high", present(loss.interval).high))
    for option, value in ends:
        for limit, code in ((value, 0), (math.nextafter(value, 0), 1)):
            given, _, err = run(*SPAM, "-m", "log_loss", option, f"log_loss={limit!r}")
            assert given == code and ("above" in err) == bool(code)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--fail-under", "error_rate=0.1"),
            "lower values of error_rate are better: use --fail-ov",
        ),
        (("--fail-over", "accuracy=0.1"), "higher values of accuracy are better: use --fail-under"),
        (("--fail-under-low", "error_rate=0.1"), "use --fail-over-high"),
        (("--fail-under", "accuracy"), "takes NAME=VALUE"),
        (("--fail-over", "error_rate=inf"), "takes NAME=VALUE"),
        (("--fail-under-low", "accuracy=0.1", "--interval", "none"), "needs an interval"),
        (("--fail-under", "no_such=0.1"), "no_such"),
        (("-f", "junit"), "--format junit reports the outcome of gates: add one"),
        (
            ("-f", "junit", "--fail-under", "accuracy=0", "--caption", "x"),
            "--caption is for tables",
        ),
    ],
)
def test_a_gate_that_makes_no_sense_is_refused(
    run: Run, options: tuple[str, ...], message: str
) -> None:
    code, out, err = run("score", ANIMALS, *options)
    assert (code, out) == (2, "") and message in err


def test_gates_hold_in_every_slice(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [("a", "x", "x")] * 9 + [("a", "x", "y")] + [("b", "x", "x"), ("b", "y", "x")] * 5
    pd.DataFrame(rows, columns=["lang", "true", "pred"]).to_csv(path, index=False)
    command = ("score", path, "--by", "lang", "-m", "accuracy", "--fail-under")
    assert run(*command, "accuracy=0.5")[0] == 0
    code, out, err = run(*command, "accuracy=0.6", "-f", "json")
    assert code == 1 and err == "whichf1: accuracy in b is 0.5, below 0.6\n"
    gates = json.loads(out)["gates"]
    assert [(x["where"], x["passed"]) for x in gates] == [("", True), ("a", True), ("b", False)]
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(out))


def test_undefined_scores_fail_and_empty_slices_are_not_judged(run: Run, tmp_path: Path) -> None:
    undefined = ("score", ANIMALS, "-m", "precision", "--positive", "gnu", "--undefined", "nan",
                 "--labels", "bird,cat,dog,fish,gnu", "--fail-under", "precision=0")  # fmt: skip
    code, _, err = run(*undefined)
    assert code == 1 and "precision is undefined" in err
    path = tmp_path / "x.csv"
    rows = [("a", "no", 0.1), ("a", "yes", 0.9), ("b", "no", 0.2)]
    pd.DataFrame(rows, columns=["lang", "true", "score"]).to_csv(path, index=False)
    options = "--score score --positive yes --by lang -m roc_auc --fail-under roc_auc=0.5"
    code, out, err = run("score", path, *options.split(), "-f", "json")
    assert code == 0 and "roc_auc in b is not judged" in err
    assert [x["passed"] for x in json.loads(out)["gates"]] == [True, True, None]


# regressions


def systems(path: Path, worse: float, n: int = 400, seed: int = 0) -> Path:
    """Two systems on the same items, of which the new one makes more errors, by this fraction."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    base = np.where(rng.random(n) < 0.8, gold, (gold + 1) % 3)
    changed = rng.random(n) < worse
    new = np.where(changed, (gold + 2) % 3, base)
    pd.DataFrame({"gold": gold, "base": base, "new": new}).to_csv(path, index=False)
    return path


COMPARE = ("--true", "gold", "--pred", "base", "--pred", "new", "--baseline", "base")


@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", "error_rate"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("worse", [0.0, 0.01, 0.03, 0.2])
@pytest.mark.thinned(5)
def test_a_regression_is_what_the_paired_test_says(
    run: Run, tmp_path: Path, metric: str, seed: int, worse: float
) -> None:
    path = systems(tmp_path / "x.csv", worse, seed=seed)
    pair = wf.compare(str(path), ["base", "new"], metric, true="gold", replicates=0).pairs[0]
    sign = 1 if metric == "error_rate" else -1
    lost = sign * -pair.difference  # base − new
    worse_now = lost > 0 and present(pair.p_value) < 0.05
    code, _, err = run("compare", path, *COMPARE, "-m", metric, "--fail-if-worse")
    assert (code, bool(err)) == (int(worse_now), worse_now)
    if pair.interval is not None:
        ends = [sign * -pair.interval.low, sign * -pair.interval.high]
        for margin in (0.01, 0.05):
            code, _, err = run("compare", path, *COMPARE, "-m", metric, f"--fail-if-worse={margin}")
            assert code == int(min(ends) > margin), (ends, err)


def test_a_class_that_is_no_longer_found_fails_a_gate(run: Run, tmp_path: Path) -> None:
    """Neither macro recall varies: one system finds every fraud, the other none."""
    rng = np.random.default_rng(2)
    gold = np.where(np.arange(300) < 30, "fraud", rng.choice(["ham", "spam"], 300))
    base = np.where((gold == "spam") & (rng.random(300) < 0.2), "ham", gold)
    new = np.where(gold == "fraud", "ham", base)
    path, counts = tmp_path / "x.csv", tmp_path / "base.json"
    pd.DataFrame({"gold": gold, "base": base, "new": new}).to_csv(path, index=False)
    for metric in ("macro_recall", "averaged_f1", "mcc"):
        for margin in ("--fail-if-worse", "--fail-if-worse=0.01"):
            code, _, err = run("compare", path, *COMPARE, "-m", metric, margin)
            assert code == 1 and "significantly worse" in err
    # perfect against always wrong: of counts alone, there is no test at all
    perfect = pd.DataFrame(
        {"gold": gold, "base": gold, "new": np.where(gold == "ham", "spam", "ham")}
    )
    perfect.to_csv(path, index=False)
    assert run("count", path, "--true", "gold", "--pred", "base", "-o", counts)[0] == 0
    command = ("compare", path, "--true", "gold", "--pred", "new", "-m", "macro_recall")
    code, _, err = run(*command, "--baseline", counts, "--fail-if-worse")
    assert code == 1 and "worse, and no test applies" in err


def test_limits_that_a_score_cannot_reach_are_refused(run: Run, tmp_path: Path) -> None:
    path = systems(tmp_path / "x.csv", 0.2)
    score = ("score", path, "--true", "gold", "--pred", "base", "-m")
    cases = [
        ((*score, "error_rate", "--fail-over", "error_rate=30"), "would never fail.*write 0.3"),
        ((*score, "accuracy", "--fail-under", "accuracy=70"), "would always fail.*write 0.7"),
        ((*score, "mcc", "--fail-under", "mcc=-2"), "would never fail.*from -1 to 1"),
        (
            ("compare", path, *COMPARE, "-m", "mcc", "--fail-if-worse=2"),
            "would never fail.*-1 to 1",
        ),
        (("compare", path, *COMPARE, "-m", "accuracy", "--fail-if-worse=1"), "would never fail"),
    ]
    for command, message in cases:
        code, _, err = run(*command)
        assert code == 2 and re.search(message, err.replace("\n", " ")), err


def test_a_limit_and_a_score_that_differ_look_different(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    pd.DataFrame({"gold": [0, 1] * 50, "pred": [0, 1] * 49 + [1, 1]}).to_csv(path, index=False)
    command = ("score", path, "--true", "gold", "-m", "accuracy", "--fail-under")
    code, _, err = run(*command, "accuracy=0.9900000001")
    assert code == 1 and "accuracy is 0.99, below 0.9900000001" in err


def test_noise_does_not_fail_a_gate(run: Run, tmp_path: Path) -> None:
    """Of equally good systems, about one in forty is called worse: half of the 5 % level."""
    rng = np.random.default_rng(7)
    failed = 0
    for _ in range(60):
        gold = rng.integers(0, 3, 150)
        sides = [np.where(rng.random(150) < 0.8, gold, (gold + 1) % 3) for _ in range(2)]
        pd.DataFrame({"gold": gold, "base": sides[0], "new": sides[1]}).to_csv(
            tmp_path / "x.csv", index=False
        )
        failed += run("compare", tmp_path / "x.csv", *COMPARE, "-m", "accuracy",
                      "--fail-if-worse")[0]  # fmt: skip
    assert failed <= 6  # P(more) < 0.001 for a binomial with p = 0.025


def test_saved_counts_are_tested_unpaired_and_it_is_said(run: Run, tmp_path: Path) -> None:
    path, base = systems(tmp_path / "x.csv", 0.2), tmp_path / "base.json"
    assert run("count", path, "--true", "gold", "--pred", "base", "-o", base)[0] == 0
    command = ("compare", path, "--true", "gold", "--pred", "new", "-m", "accuracy",
               "--baseline", base, "--fail-if-worse")  # fmt: skip
    code, out, err = run(*command)
    assert code == 1 and "by Welch's unpaired t test: significantly worse" in err
    assert f"Tests are unpaired, because {base} holds counts" in out and "other items" not in out
    frame = pd.read_csv(path)
    right = [(frame["gold"] == frame[x]).astype(float) for x in ("new", "base")]
    result = json.loads(run(*command, "-f", "json")[1])["systems"]["new"]["accuracy"]
    expected = stats.ttest_ind(*right, equal_var=False)
    assert result["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert result["difference"] == pytest.approx(right[0].mean() - right[1].mean())
    other = systems(tmp_path / "y.csv", 0.2, n=300, seed=9)
    assert f"{base} was counted on other items" in run(command[0], other, *command[2:])[1]
    for wrong, message in (
        (("--by", "gold"), "--by needs the items of the baseline"),
        (("--cluster", "gold"), "--cluster needs the items"),
    ):
        code, out, err = run(*command, *wrong)
        assert (code, out) == (2, "") and message in err


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_baseline_in_its_own_file_is_tested_as_a_column(
    run: Run, tmp_path: Path, suffix: str
) -> None:
    """Matched by line or by an identifier, in any format: as if both were in one file."""
    frame = pd.read_csv(systems(tmp_path / "x.csv", 0.03)).assign(id=range(400))
    frame["lang"] = np.where(frame["id"] % 3 == 0, "de", "en")
    one, new, old = tmp_path / "one.csv", tmp_path / "new.csv", tmp_path / f"old.{suffix}"
    frame.rename(columns={"base": str(old)}).to_csv(one, index=False)
    frame.drop(columns="base").to_csv(new, index=False)
    theirs = frame[["base", "gold", "id"]].rename(columns={"base": "new"})
    shuffled = theirs.sample(frac=1, random_state=3)
    options = ("--true", "gold", "--pred", "new", "-m", "accuracy", "-m", "averaged_f1",
               "--baseline", old, "--by", "lang", "--fail-if-worse", "-f", "json")  # fmt: skip
    code, expected, err = run("compare", one, *options, "--pred", old)
    for table, matched in ((theirs, ()), (shuffled, ("--id", "id"))):
        if suffix == "parquet":
            table.to_parquet(old)
        elif suffix == "csv":
            table.to_csv(old, index=False)
        else:
            table.to_json(old, orient="records", lines=True)
        found = run("compare", new, *options, *matched)
        assert found == (code, expected.replace(str(one), str(new)), err)
    code, _, err = run("compare", new, *options)
    assert code == 2 and "do not hold the same items: matched line by line, column 'gold'" in err


def test_a_baseline_of_scores_may_have_its_own_file(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 60)
    frame = pd.DataFrame({"true": gold, "s": (gold + rng.random(60)).round(2)})
    frame.to_csv(tmp_path / "new.csv", index=False)
    old = tmp_path / "old.csv"
    frame.assign(p=rng.random(60).round(2)).drop(columns="s").to_csv(old, index=False)
    pd.read_csv(old).assign(s=frame["s"]).rename(columns={"p": str(old)}).to_csv(
        tmp_path / "one.csv", index=False
    )
    for options in (("-m", "roc_auc"), ("-m", "f1", "--threshold", "0.5", "--positive", "1")):
        shared = ("--pred", "s", *options, "--baseline", old, "-f", "csv")
        expected = run("compare", tmp_path / "one.csv", *shared, "--pred", old)
        found = run("compare", tmp_path / "new.csv", *shared, "--baseline-pred", "p")
        assert found == expected and found[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--baseline", "examples/animals.csv"), "has 300 items, 'examples/animals.csv' has 200"),
        (("--baseline", "examples/systems.csv", "--baseline-pred", "x"), "has no column 'x'"),
        (("--baseline", "weak", "--baseline-pred", "weak"), "--baseline-pred names a column of"),
    ],
)
def test_a_baseline_file_that_does_not_fit_is_refused(
    run: Run, options: tuple[str, ...], message: str
) -> None:
    given = ("compare", "examples/systems.csv", "--pred", "careful", "--pred", "weak", *options)
    code, out, err = run(*given)
    assert (code, out) == (2, "") and message in err, err


def test_unpaired_error_is_the_sum_of_both(tmp_path: Path, run: Run) -> None:
    path, base = systems(tmp_path / "x.csv", 0.2), tmp_path / "base.json"
    run("count", path, "--true", "gold", "--pred", "base", "-o", base)
    for metric in ("averaged_f1", "f1_of_averages", "mcc"):
        given = ("compare", path, "--true", "gold", "--pred", "new", "-m", metric)
        record = json.loads(run(*given, "--baseline", base, "-f", "json")[1])
        result = record["systems"]["new"][metric]
        errors = [
            getattr(wf, metric)(str(path), true="gold", pred=x, interval=wf.Delta(level=0.6826895))
            for x in ("new", "base")
        ]
        halves = [(present(x.interval).high - present(x.interval).low) / 2 for x in errors]
        z = abs(result["difference"]) / math.hypot(*halves)
        assert result["p_value"] == pytest.approx(2 * stats.t.sf(z, 798), rel=0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--fail-if-worse",), "--fail-if-worse needs a --baseline"),
        (("--baseline", "careful", "--fail-if-worse", "-0.1"), "margin of at least 0"),
        (("--baseline", "careful", "--fail-if-worse", "nan"), "margin of at least 0; got nan"),
        (("--baseline", "gnu", "--fail-if-worse"), "not one of the systems"),
    ],
)
def test_a_regression_gate_that_makes_no_sense_is_refused(
    run: Run, options: tuple[str, ...], message: str
) -> None:
    given = ("compare", "examples/systems.csv", "--pred", "careful", "--pred", "weak", *options)
    code, out, err = run(*given)
    assert (code, out) == (2, "") and message in err


# servers


def test_junit_is_valid_and_counts_what_failed(run: Run, tmp_path: Path) -> None:
    gates = ("--fail-under", "accuracy=0.99", "--fail-under", "mcc=0.1")
    code, out, _ = run("score", ANIMALS, *gates, "-f", "junit")
    JUNIT.validate(out)
    suite = present(ElementTree.fromstring(out).find("testsuite"))
    assert (code, suite.get("tests"), suite.get("failures")) == (1, "2", "1")
    case, *_ = suite.iter("testcase")
    assert case.get("name") == "accuracy >= 0.99"
    assert present(case.find("failure")).get("message") == "accuracy is 0.715, below 0.99"
    path = tmp_path / "report.xml"
    assert run("score", ANIMALS, *gates, "-f", "junit", "-o", path)[:2] == (1, "")
    JUNIT.validate(path)


NASTY_TEXTS = [NASTY, "a]]>b", "\"<&>'", "\ufffe\uffff", "x\ny\r::error::z", "##[error]x", "100 %"]


@pytest.mark.parametrize("text", NASTY_TEXTS)
@pytest.mark.parametrize("passed", [True, False, None])
def test_servers_get_data_and_no_markup(text: str, passed: bool | None) -> None:
    verdicts = [Verdict(text, text, passed, text)]
    report = junit(text, verdicts)
    JUNIT.validate(report)
    (suite,) = ElementTree.fromstring(report)
    assert len([*suite.iter("testcase")]) == 1
    out = github(f"{text}\n", verdicts)
    commands = [line for line in out.split("\n") if line.startswith("::")]
    assert commands[0].startswith(("::notice ", "::error ", "::warning "))
    assert re.fullmatch(r"::(notice|error|warning) title=[^:,]*::[^\r\n]*", commands[0])
    token = commands[1].removeprefix("::stop-commands::")
    assert commands[-1] == f"::{token}::" and token not in text and len(token) > 30
    assert github("", verdicts).splitlines()[-1] != commands[-1]  # another token each time


def test_github_gets_annotations_and_a_summary(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    gates = ("--fail-under", "accuracy=0.99", "--fail-under", "mcc=0.1", "-m", "mcc")
    given = ("score", ANIMALS, *gates, "-f", "github")
    code, out, err = run(*given, GITHUB_STEP_SUMMARY=str(path))
    assert (code, err) == (1, "")
    lines = out.splitlines()
    failed = "::error title=whichf1%3A accuracy >= 0.99::accuracy is 0.715, below 0.99"
    assert lines[0] == failed and lines[1].startswith("::notice title=whichf1%3A mcc >= 0.1::")
    written = path.read_text(encoding="utf-8")
    assert written.startswith("before\n") and "| failed | accuracy &gt;= 0.99 |" in written
    assert "| mcc | 0.5746 |" in written
    assert run(*given)[0] == 1  # without a summary
    wrong = tmp_path / "no" / "summary.md"
    assert run(*given, GITHUB_STEP_SUMMARY=str(wrong))[0] == 2
