"""Results as papers print them, in every kind of table, are the numbers that they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import FileError, InputError
from whichf1.published.printed import unmarked

MARKED = [
    "{}", " {} ", "**{}**", "*{}*", "__{}__", "`{}`", "{}*", "{}**", "{}†", "{}$^*$", "{}$^{{*}}$",
    r"\textbf{{{}}}", r"\underline{{{}}}", r"\textbf{{\underline{{{}}}}}", r"$\mathbf{{{}}}$",
    r"{{\bf {}}}", r"{{\bfseries {}}}", r"\textbf{{{}}}\textsuperscript{{a}}", "<b>{}</b>", "{}%",
    r"{}\%", "{} %", "{} ± 0.3", "{}±0.3", "{} +/- 0.3", "{} +- .3", r"${} \pm 0.3$",
    r"{}$_{{\pm 0.3}}$", "{} (0.3)", "{} (±0.3)", "**{}** ± 0.3", "{} [79.1, 81.0]", "{}^a", "{} a",
    r"\cellcolor{{gray}}{}", r"\cellcolor[gray]{{0.9}}{}", "↑{}", "{}↑", r"{}~\%", "**{}*** ",
    r"\textbf{{{}}} $\pm$ 0.3", r"\num{{{}}}",
]  # fmt: skip
SPREAD = [form for form in MARKED if any(x in form for x in ("±", "+/-", "+-", "pm", "(0", "[79"))]


@given(st.integers(0, 1000), st.integers(0, 3), st.sampled_from(MARKED))
def test_marks_are_not_part_of_a_number(value: int, decimals: int, form: str) -> None:
    text = f"{value / 10:.{decimals}f}"
    mark = unmarked(form.format(text))
    assert mark.text.rstrip("%").strip() == text
    assert mark.spread is (form in SPREAD)
    assert mark.text.endswith("%") is ("%" in form)


@pytest.mark.parametrize("form", MARKED)
def test_a_marked_triple_is_audited_as_the_plain_one(form: str) -> None:
    plain = wf.audit(precision="62.0", recall="58.1", f1="57.3")
    marked: dict[str, Any] = {
        "precision": "62.0",
        "recall": form.format("58.1"),
        "f1": form.format("57.3"),
    }
    assert wf.audit(**marked) == plain


def test_a_comma_may_stand_for_the_point() -> None:
    assert wf.audit(precision="62,0", recall="58,1", f1="57,3").f1.text == "57.3"


ROWS = [
    ("baseline", "3", "62.0", "58.1", "57.3"),
    ("larger & wider", "3", "66.4 ± 0.3", "61.9", "**64.1**"),
    ("with more data", "3", "71.2*", "", "70.9"),
    ("ensemble", "3", "73.0", "72.5", "75.4†"),
]
HEAD = ("System", "Classes", "Macro P", "Macro-R ↑", "F₁")


def latex() -> str:
    def cell(text: str) -> str:
        text = text.replace("&", r"\&").replace(" ± ", r" $\pm$ ").replace("†", r"$^\dagger$")
        return f"\\textbf{{{text[2:-2]}}}" if text.startswith("**") else text

    body = "\n".join(" & ".join(map(cell, row)) + r" \\" for row in ROWS)
    return (
        "\\begin{table}[t]\n\\centering\n\\begin{tabular}{l|c@{ }ccc}\n\\toprule\n"
        "System & Classes & \\textbf{Macro P} & Macro R $\\uparrow$ & F$_1$ \\\\ % 50 & more\n"
        f"\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\caption{{R \\& D}}\n\\end{{table}}\n"
    )


def tables(folder: Path) -> dict[str, Any]:
    """The same table in every form."""
    lines = [HEAD, *ROWS]
    texts = {
        "r.csv": "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines),
        "semicolon.csv": "\n".join(";".join(line) for line in lines),
        "r.tsv": "\n".join("\t".join(line) for line in lines),
        "r.md": "\n".join(
            ["# Results", "", "| " + " | ".join(HEAD) + " |", "|:--|--:|---|---|---|"]
            + ["| " + " | ".join(line) + " |" for line in ROWS]
        ),
        "r.tex": latex(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    frame = pd.DataFrame(ROWS, columns=[*HEAD])
    paths: dict[str, Any] = {name: folder / name for name in texts}
    indexed = frame.set_index("System")
    return {
        **paths,
        "pandas": frame,
        "index": indexed,
        "polars": pl.DataFrame(frame.to_dict("list")),
    }


@pytest.mark.parametrize(
    "kind", ["r.csv", "semicolon.csv", "r.tsv", "r.md", "r.tex", "pandas", "index", "polars"]
)
def test_every_kind_of_table_is_read(kind: str, tmp_path: Path) -> None:
    found = wf.audit_table(tables(tmp_path)[kind])
    for row, (name, _, p, r, f) in zip(found.rows, ROWS, strict=True):
        assert row.name.replace("\\", "") == name
        if not r:
            assert (row.audit, row.problem) == (None, "there is no recall")
            continue
        expected = wf.audit(precision=p, recall=r, f1=f, classes=3)
        assert row.audit == expected and row.problem is None
    assert [name.replace("\\", "") for name in found.spreads] == ["larger & wider"]
    verdicts = [row.audit and row.audit.verdict for row in found.rows]
    assert verdicts == ["averaged F1", "either", None, "impossible"]
    text = str(found)
    assert "4 rows: 1 consistent with averaged F1, 1 with either, 1 with neither" in text
    assert "support-weighted or micro F1" in " ".join(text.split())
    record = found.to_dict()
    assert record["rows"][2]["verdict"] == "not audited"
    assert record["averaged_f1"] == record["either"] == record["impossible"] == 1


def test_a_bad_cell_is_a_note_on_its_row(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(
        "system,P,R,F1,K\ngood,62.0,58.1,57.3,3\nword,62.0,high,57.3,3\nempty,62.0,–,57.3,3\n"
        "fractions,0.62,0.58,0.55,3\nmixed,62.0,0.58,57.3,3\nlarge,162.0,58.1,57.3,3\n"
        "classes,62.0,58.1,57.3,many\nlong,62.04,58.1,57.3,3\n"
    )
    code, out, _ = run("audit", path, "--value-decimals", "1")
    assert code == 0 and out.startswith("8 rows: 1 consistent with averaged F1, 7 not audited")
    for said in (
        "recall must be a number", "there is no recall", "scales are mixed", "two scales",
        "in [0, 100] as percent", "must be a whole number of at least 1", "which has 2 decimals",
    ):  # fmt: skip
        assert said in out
    problems = [row.problem for row in wf.audit_table(path, decimals=1).rows]
    assert problems[0] is None and all(problems[1:])
    assert wf.audit_table(path, scale="percent").rows[4 - 1].audit is not None
    code, _, err = run("audit", path, "--scale", "unit")
    assert code == 0 or "no row can be audited" in err


@pytest.mark.parametrize(
    ("results", "error", "says"),
    [
        (pd.DataFrame({"P": [], "R": [], "F1": []}), FileError, "no rows"),
        (pd.DataFrame({"P": [0.5], "R": [0.5]}), FileError, "f1: no column"),
        (pd.DataFrame({"P": [None], "R": [0.5], "F1": [0.4]}), InputError, "there is no precision"),
        (3, FileError, "a file or a dataframe"),
        ("missing.tex", FileError, "cannot read results"),
    ],
)
def test_tables_without_results_are_refused(results: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        wf.audit_table(results)


def test_floats_of_a_frame_share_their_decimals() -> None:
    frame = pd.DataFrame({"P": [0.6], "R": [0.58], "F1": [0.55]})
    (row,) = wf.audit_table(frame).rows
    assert row.audit == wf.audit(precision=0.6, recall=0.58, f1=0.55)
    assert row.audit is not None and row.audit.precision.text == "0.60"


def test_a_verdict_says_what_else_would_give_the_numbers() -> None:
    """And each of these does: the identity breaks for them, on real counts."""
    true = [0] * 10 + [1] * 10 + [2] * 4
    first = [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 2, 1, 1, 1, 0, 1, 2, 2]
    counts = [wf.count(true, predicted) for predicted in (first, true)]
    runs = [(wf.macro_precision(c), wf.macro_recall(c), wf.f1_of_averages(c)) for c in counts]
    p, r, f1 = (sum(float(x) for x in column) / 2 for column in zip(*runs, strict=True))
    over_runs = wf.audit(precision=f"{p:.4f}", recall=f"{r:.4f}", f1=f"{f1:.4f}")
    assert over_runs.verdict == "averaged F1"  # though it is a mean of F1s of averages
    skewed = wf.count([0] * 18 + [1] * 2, [0] * 18 + [0, 1])
    sides = {"precision": wf.macro_precision(skewed), "recall": wf.macro_recall(skewed)}
    triple: dict[str, Any] = {name: f"{x:.4f}" for name, x in sides.items()}
    weighted = wf.audit(**triple, f1=f"{wf.weighted_f1(skewed):.4f}")
    micro = wf.audit(**triple, f1=f"{wf.micro_f1(skewed):.4f}")
    assert weighted.verdict == micro.verdict == "impossible"
    for audit in (over_runs, weighted, micro):
        said = audit.otherwise or ""
        assert "runs or folds" in said and "support-weighted or micro" in said
        assert audit.words.startswith("consistent with ")
    assert wf.audit(**triple, f1="0.80", counts=skewed).otherwise is None
