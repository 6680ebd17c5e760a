"""Every LaTeX output is one that LaTeX takes; where there is a pdflatex, it is asked."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.commands import NASTY, Run
from tests.helpers.latex import problems

PDFLATEX = shutil.which("pdflatex")
COMMANDS = [
    "score examples/animals.csv",
    "score examples/animals.csv --interval none -m f1 --average macro",
    "score examples/systems.csv --pred weak --by document -m accuracy",
    "score examples/spam.csv --score score --positive spam",
    "score examples/animal_probabilities.csv --probs bird,cat,dog",
    "score examples/topics.csv --labels-sep ;",
    "matrix 2 100 10000 0 100",
    "matrix 3 5 1 0 2 7 3 0 4 9 --rows true --labels x,y,z",
    "compare examples/systems.csv --pred careful --pred biased --pred weak --replicates 99",
    "compare examples/systems.csv --pred careful --pred weak --replicates 99 -m accuracy"
    " --cluster document --margin 0.05",
    "compare examples/topics.csv --pred pred --pred cautious --labels-sep ; --replicates 99",
    "threshold examples/spam.csv --positive spam",
    "dialects",
    "dialects examples/eight.csv",
    "explain examples/eight.csv --value 0.35",
    "explain examples/eight.csv --value 0.9876",
    "convert examples/eight.csv --from catboost --to keras",
    "audit --precision .62 --recall .58 --f1 .55",
    "audit examples/results.csv",
    "metrics",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_latex_takes_what_every_command_writes(run: Run, command: str) -> None:
    code, out, err = run(*command.split(), "--format", "latex")
    assert (code, err) == (0, "")
    assert r"\begin{tabular}" in out
    assert problems(out) == []


def test_latex_takes_labels_that_are_markup(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    names = [NASTY, "[1em]", "*", "a & b", r"\\", "50 %", "$", "−∞ × ≤ ≥", "Zürich"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = [["true", "pred"], *zip(names, [*names[1:], names[0]], strict=True)]
        csv.writer(file).writerows(rows)
    assert problems(run("score", path, "-f", "latex")[1]) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (r"\begin{table}", r"\begin{table} never ends"),
        (r"\begin{table}\end{tabular}", r"\end{tabular} ends nothing"),
        (r"\texttt{a", "braces do not match"),
        (r"}{", "braces do not match"),
        ("a & b", "an alignment outside of a table"),
        ("costs $5", "mathematics never ends: costs $5"),
        ("f_1", "a special character: f_1"),
        (r"\begin{tabular}{lr}a & b & c \\\end{tabular}", "3 cells in 2 columns: a & b & c"),
        (r"\begin{tabular}{lp{1cm}}a \\\end{tabular}", "1 cells in 2 columns: a"),
        (r"\begin{tabular}{l}[a] \\\end{tabular}", "a line break takes this for its argument: [a]"),
        ("≤", "'≤' is unknown"),
    ],
)
def test_what_latex_would_not_take_is_found(text: str, problem: str) -> None:
    assert problem in problems(text)


if PDFLATEX is not None:

    @pytest.mark.slow
    def test_pdflatex_takes_everything(run: Run, tmp_path: Path) -> None:
        tables = [run(*command.split(), "--format", "latex")[1] for command in COMMANDS]
        packages = r"\usepackage{booktabs,textcomp}\usepackage[T1]{fontenc}"
        body = "\n\\clearpage\n".join(tables)
        text = rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
        (tmp_path / "all.tex").write_text(text, encoding="utf-8")
        command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:]
