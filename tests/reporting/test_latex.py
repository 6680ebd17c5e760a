"""pdflatex takes every LaTeX output with the packages that it names, and no line is too wide."""

from __future__ import annotations

import csv
import re
import subprocess
from pathlib import Path
from unicodedata import normalize

import pytest

import whichf1 as wf
from tests.helpers.commands import NASTY, Run
from whichf1.errors import InputError
from whichf1.reporting.escape import breakable, latex, latex_numbers, visible
from whichf1.reporting.tabular import LatexStyle

COMMANDS = [
    "score examples/animals.csv --confusion",
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
    "score NASTY --pred first --confusion",
    "score NASTY --pred first --signature short",
    "score NASTY --pred first --by [/red]_& -m accuracy",
    "compare NASTY --true true --pred first --pred [/red]_& --pred third --replicates 0",
    "dialects NASTY --pred first",
    "compare NASTY --true true --pred first --pred [/red]_& -m accuracy -m mcc --show interval",
    "compare NASTY --true true --pred first --pred [/red]_& -m accuracy -m mcc --show interval"
    " --siunitx --by third",
    "compare examples/systems.csv --pred careful --pred weak -m averaged_f1 -m mcc --siunitx"
    " --show error --percent --by document --latex-label tab:results --caption 50_%$of",
    "compare examples/systems.csv --pred careful --pred biased --pred weak --replicates 99"
    " --siunitx",
    "score examples/animals.csv --siunitx --confusion --latex-label tab:x_1 --caption #1",
]
LABELS = [
    NASTY, "[1em]", "*", "a & b", r"\\", "50 %", "$", "−∞ × ≤ ≥", "Zürich ß łódź", "αβ Ω",
    "日本語のラベル", "👩‍👩‍👧 family", "a_" * 30, "b " * 29 + "end", "x" * 60,
]  # fmt: skip
WIDEST = 5.0
"""Points by which a line may stand out."""


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    """Three systems on labels that are markup, or have no letters in LaTeX, or are long."""
    k, path = len(LABELS), tmp_path / "nasty.csv"
    rows = [(LABELS[i % k], *(LABELS[(i + i % x // 2) % k] for x in (3, 4, 5))) for i in range(150)]
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("true", "first", "[/red]_&", "third"), *rows])
    return path


def complaints(folder: Path, body: str) -> list[str]:
    """What pdflatex says of a text: errors, and lines and pages that are too full."""
    named = LatexStyle(siunitx=True).packages
    packages = [line[line.index("\\") :] for line in named if r"\usepackage" in line]
    head = "\n".join([r"\documentclass{article}", *packages, r"\usepackage{lmodern}"])
    text = f"{head.replace(' and ', chr(10))}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "t.tex").write_text(text, encoding="ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "t.tex"]
    for _ in range(2):  # longtable settles its columns in the second run
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / "t.log").read_text(encoding="latin1")
    found = [line for line in log.splitlines() if line.startswith("!") or "too large" in line]
    boxes = re.findall(r"^(Overfull \\[hv]box \((\d+\.\d+)pt.*)$", log, re.MULTILINE)
    return found + [line for line, points in boxes if float(points) > WIDEST]


def test_pdflatex_takes_everything(run: Run, tmp_path: Path, nasty: Path) -> None:
    tables = []
    for command in COMMANDS:
        words = [str(nasty) if word == "NASTY" else word for word in command.split()]
        code, out, err = run(*words, "--format", "latex")
        assert (code, err) == (0, ""), command
        packages = LatexStyle(siunitx="--siunitx" in command).packages
        assert out.isascii() and out.startswith("\n".join(packages)), command
        tables.append(out)
    assert complaints(tmp_path, "\n\\clearpage\n".join(tables)) == []


def test_what_pdflatex_does_not_take_is_found(tmp_path: Path) -> None:
    wide = rf"\mbox{{{'wide ' * 40}}}"
    found = [x[:8] for x in complaints(tmp_path, f"a_b\n\n{wide}")]
    assert found == ["! Missin", "! Missin", "Overfull"]


def test_signatures_are_whole_in_the_page(run: Run, tmp_path: Path) -> None:
    out = run("score", "examples/animals.csv", "-m", "averaged_f1", "-f", "latex")[1]
    assert complaints(tmp_path, out) == []
    command = ["pdftotext", "-raw", "t.pdf", "-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    shown = re.sub(r"\s", "", done.stdout)
    found = wf.averaged_f1("examples/animals.csv", interval="auto")
    assert found.signature in shown


def test_every_letter_is_ascii_in_latex_and_no_two_are_the_same() -> None:
    every = (chr(code) for code in range(0xA1, 0x2FFF))
    letters = [x for x in every if x.isprintable() and normalize("NFC", x) == x]
    written = {latex(letter) for letter in letters}
    assert len(written) == len(letters) and all(each.isascii() for each in written)
    assert latex("ü") == r"\"{u}" and latex("β") == r"$\beta$" and latex("日") == "{[}U+65E5]"
    for label in LABELS:
        assert breakable(label).replace(r"\allowbreak{}", "") == latex(visible(label))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("-0.125", r"\num{-0.125}"),
        ("+0.5", r"\num{+0.5}"),
        ("1,234,567", r"\num{1234567}"),
        ("0.63 [-0.5, 0.7]", r"\num{0.63} {[}\num{-0.5}, \num{0.7}]"),
        ("63.3 ± 7.1", r"\num{63.3} $\pm$ \num{7.1}"),
        ("< 0.0001", r"\textless{} \num{0.0001}"),
        ("235–∞", r"\num{235}\textendash{}$\infty$"),
        ("undefined", "undefined"),
        ("[1, 2]", r"{[}\num{1}, \num{2}]"),
    ],
)
def test_siunitx_writes_the_numbers(text: str, written: str) -> None:
    assert latex_numbers(text) == written


def test_a_caption_and_a_label_are_the_authors(tmp_path: Path) -> None:
    table = wf.results_table(
        "examples/systems.csv", ["careful", "weak"], ["accuracy", "mcc"], true="gold"
    )
    out = table.to_latex(caption="Our results, 5 %", label="tab:ours")
    assert r"\caption{Our results, 5 \%.}\label{tab:ours}" in out and "300 items, 4" not in out
    assert complaints(tmp_path, rf"{out} See table~\ref{{tab:ours}}.") == []
    assert "undefined references" not in (tmp_path / "t.log").read_text(encoding="latin1")
    wide = wf.report("examples/animals.csv", confusion=True).to_latex(label="tab:x")
    labels = re.findall(r"\\label\{(.*?)\}", wide)
    assert labels[:2] == ["tab:x", "tab:x-2"] and len({*labels}) == len(labels)
    for wrong in ("a b", "x}", "%", "\\"):
        with pytest.raises(InputError, match="a LaTeX label must consist of letters"):
            table.to_latex(label=wrong)


def test_a_long_table_goes_over_pages_with_its_head(run: Run, tmp_path: Path) -> None:
    systems = "examples/systems.csv --pred careful --pred weak -m accuracy --by document"
    out = run("compare", *systems.split(), "-f", "latex", "--caption", "Long")[1]
    assert complaints(tmp_path, out) == []
    command = ["pdftotext", "-layout", "t.pdf", "-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    pages = [page for page in done.stdout.split("\f") if "doc" in page]
    assert len(pages) > 1 and all("accuracy" in page and "system" in page for page in pages)
    assert sum(page.count("careful") for page in pages) >= 51


def test_long_names_leave_space_for_numbers() -> None:
    """Names of two systems may be broken, so that their numbers are not in a table each."""
    y = [0, 1] * 20
    names = [f"organization/Model-{at}.1-8B-Instruct-v2" for at in (1, 2)]
    pred = {x: [[0, 1] * (19 - at) + [1, 0] * (1 + at), y] for at, x in enumerate(names)}
    tables = wf.study(y, "accuracy", pred=pred).text("latex").split(r"\toprule")[1:]
    heads = [table.strip().splitlines()[0] for table in tables]
    assert next(head.count("&") for head in heads if head.startswith("A & B")) >= 4
