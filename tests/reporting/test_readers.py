"""What a reader of a report takes from it: numbers that agree, reasons, and nothing misplaced."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import InputError
from whichf1.reporting.document import (
    Advised,
    Document,
    Grid,
    GridColumn,
    Note,
    first_names,
    render,
)
from whichf1.reporting.numbers import brief
from whichf1.reporting.published import dialect_document
from whichf1.statistics.scales import Interval

ANIMALS = "examples/animals.csv"
FORMATS = ("text", "markdown", "latex", "html")


@pytest.mark.parametrize("decimals", range(1, 7))
def test_an_interval_contains_its_value_as_both_are_printed(decimals: int) -> None:
    draws = np.random.default_rng(0).random((300, 3))
    for low, value, high in np.sort(draws, axis=1).tolist():
        shown = brief(Interval(low, high, 0.95, "auto"), decimals)
        ends = [float(x) for x in re.findall(r"-?\d*\.\d+", shown)]
        fewer = decimals if decimals <= 3 else decimals - 1
        assert all(len(x.partition(".")[2]) <= fewer for x in shown.strip("[]").split(", "))
        slack = 0.5 * 10.0**-fewer + 1e-9 if fewer < decimals else 1e-9
        assert ends[0] - slack <= round(value, decimals) <= ends[1] + slack


@pytest.mark.parametrize("format", FORMATS)
def test_fractions_need_decimals(run: Run, format: str) -> None:
    status, _, error = run("score", ANIMALS, "-m", "accuracy", "--decimals", "0", "-f", format)
    assert status != 0 and "0.7150 is shown as 1" in error
    systems = {"A": [0, 1, 0], "B": [1, 1, 1]}
    with pytest.raises(InputError, match="without decimals"):
        wf.results_table([0, 1, 1], systems, ["accuracy"]).to_markdown(0)
    percent = wf.results_table([0, 1, 1], systems, ["accuracy"], percent=True)
    assert "67" in percent.to_markdown(0)


def test_plus_minus_gives_way_to_a_lopsided_interval() -> None:
    truth = [*"ab"] * 40
    systems = {"perfect": truth, "fair": [*"abba"] * 20}
    table = wf.results_table(truth, systems, ["accuracy"], show="error")
    shown = str(table)
    assert re.search(r"perfect\s+1\.000¹ +\[0\.\d+, 1\.000\]", shown)
    assert re.search(r"fair\s+0\.500²?†? ?± 0\.\d+", shown)
    assert "[ ]: the whole interval, where it is far from symmetric." in " ".join(shown.split())
    alone = {"fair": systems["fair"], "other": [*"baab"] * 20}
    assert "[ ]" not in str(wf.results_table(truth, alone, ["accuracy"], show="error"))


@pytest.mark.parametrize("format", FORMATS)
def test_advice_for_the_command_line_is_only_in_text(format: str) -> None:
    table = Grid([GridColumn("a")], [["x"]])
    notes = [Advised("It varies.", "To see it: --option.")]
    document = Document([table, Note(Advised("So it is.", "Add --more."))], notes=notes)
    shown = render(document, format)
    assert ("To see it: --option." in shown) is ("--more" in shown) is (format == "text")
    assert "It varies." in shown and "So it is." in shown


def test_reports_advise_only_in_text() -> None:
    report = wf.report(["a", "a"], ["a", "a"], ["cohen_kappa"])
    assert "--interval" in str(report)
    for other in (report.to_latex(), report.to_markdown(), report.to_html()):
        assert "--interval" not in other.replace("{-}", "-")
        assert "because the score is 0/0." in other and "which counts as 0." in other


def test_scores_that_are_zero_by_zero_are_named() -> None:
    report = wf.report(["yes", "yes", "maybe"], ["yes", "no", "yes"])
    for text in (str(report), report.to_markdown(), report.to_html()):
        plain = text.replace("&#x27;", "'").replace("&#39;", "'")
        assert "Precision of 'maybe' is 0/0, which counts as 0." in plain
        assert "Recall of 'no' is 0/0, which counts as 0." in plain
    assert "0/0, which" not in str(wf.report(["a", "b"], ["a", "b"]))
    assert "0/0, which counts as 1" in str(wf.report(["a", "a"], ["a", "b"], undefined=1))


def test_class_names_in_sentences_are_quoted() -> None:
    assert "Classes 'bird' and 'dog' account for" in str(wf.report(ANIMALS))


def test_a_single_further_name_is_named() -> None:
    assert first_names([*"abcde"]) == "a, b, c, d and e"
    assert first_names([*"abcdef"]) == "a, b, c, d and 2 more"


def test_a_note_is_apart_from_a_table_that_is_left_out(run: Run) -> None:
    grid = Grid([GridColumn("wide" * 30)], [["x"]], if_it_fits=True)
    first = Grid([GridColumn("a")], [["b"]])
    for width in (80, 200):
        shown = render(Document([first, grid, Note("Most often: it.")]), "text", width=width)
        before = shown[: shown.index("Most often")]
        assert before.endswith("\n\n") is (width == 80)


def test_agreement_of_raters_predicts_nothing(run: Run) -> None:
    for extra in ((), ("-m", "accuracy")):
        _, shown, _ = run("agree", "examples/ratings.csv", "-f", "latex", *extra)
        assert "Observed agreement is the fraction of pairs of ratings" in shown
        assert "predicted correctly" not in shown


def test_an_audit_keeps_to_one_scale(run: Run, tmp_path: Path) -> None:
    audited = wf.audit(precision="62.0", recall="58.1", f1="57.3")
    assert audited.reason.endswith("which is between 59.94% and 60.04%.")
    _, shown, _ = run("audit", "--precision", "62.0", "--recall", "58.1", "--f1", "57.3")
    assert "0.5994" not in shown
    path = tmp_path / "rows.csv"
    path.write_text("name,P,R,F1\none,62.0,58.1,57.3\ntwo,73.0,72.5,75.4\n")
    _, shown, _ = run("audit", str(path))
    assert "\none: F1 below" in shown and "\ntwo: One of the numbers" in shown
    triple = ("--precision", "0.9", "--recall", "0.1", "--f1", "0.3")
    assert "can be" not in run("audit", *triple, "--classes", "2")[1]
    assert "can be" in run("audit", *triple)[1]


def test_a_reason_names_its_program_if_others_have_another() -> None:
    counts = wf.count([*"aaabbbbbcc"], [*"aabbbbbacc"])
    for group in wf.dialects.table(counts).groups:
        several = {score.definition for score in group.scores.values()}
        if group.why.startswith("For example, "):
            name = group.why.removeprefix("For example, ").partition(":")[0]
            assert name in group.scores and len(several) > 1
    record = dialect_document("", wf.dialects.table(counts)).to_dict()
    assert not any(row["why"].startswith("For example") for row in record["rows"])


def test_the_partner_of_a_ratio_of_zero_is_the_best_group() -> None:
    truth, predicted = [1] * 60, [0] * 20 + [1] * 5 + [0] * 15 + [1] * 20
    group = ["w"] * 20 + ["m"] * 20 + ["b"] * 20
    found = wf.groups(truth, predicted, "accuracy", by=group)
    assert found.ratio is not None and found.ratio.value == 0
    assert found.ratio.groups == (("w",), ("b",))
