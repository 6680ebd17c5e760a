"""What ``whichf1 paper`` writes: pictures, data, parameters, summary and page."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.readme import ROOT
from whichf1.cli.options import Part
from whichf1.errors import DefinitionError
from whichf1.paper import plots
from whichf1.paper.reproduction import PARTS, as_markdown, fill, rows
from whichf1.paper.result import SCORES, Figure

PICTURES = [*plots.DRAWINGS]


def test_the_parts_of_the_command_are_the_parts_there_are(run: Run) -> None:
    assert [*Part] == [*PARTS]
    assert len(PARTS["all"]) == 1 + len(PICTURES)
    code, out, err = run("paper", "fig11")
    assert (code, out) == (2, "") and "'fig1'" in err


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("turn", range(3))
def test_every_figure_is_drawn_in_every_format(
    turn: int, made: dict[str, Figure], tmp_path: Path
) -> None:
    """At each turn, every figure in one of the three formats."""
    for at, name in enumerate(PICTURES):
        kind = plots.FORMATS[(at + turn) % 3]
        plots.save(made[name], tmp_path, [kind])
        path = tmp_path / f"{name}.{kind}"
        assert 10_000 < path.stat().st_size < 300_000, path.name
        CHECKS[kind](path)


def check_svg(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("<?xml") and text.rstrip().endswith("</svg>")
    assert "<dc:date>" not in text


def check_png(path: Path) -> None:
    with Image.open(path) as image:
        image.load()
        assert image.format == "PNG" and min(image.size) > 400
        colours = image.convert("RGB").getcolors(1 << 20)
        assert colours is not None and len(colours) > 20


def check_pdf(path: Path) -> None:
    """A PDF whose every font is embedded as TrueType, without a date."""
    data = path.read_bytes()
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")
    fonts = data.count(b"/Type /FontDescriptor")
    assert fonts >= 1 and data.count(b"/FontFile2") == fonts
    assert b"/CreationDate" not in data and b"/Type3" not in data


CHECKS = {"pdf": check_pdf, "svg": check_svg, "png": check_png}


def test_the_same_data_give_the_same_bytes_whatever_the_readers_settings(
    made: dict[str, Figure], tmp_path: Path
) -> None:
    import matplotlib

    first, second = (tmp_path / name for name in "ab")
    for folder in (first, second):
        folder.mkdir()
    plots.save(made["variance"], first)
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "black"}):
        plots.save(made["variance"], second)
        assert matplotlib.rcParams["font.size"] == 20
    assert {path.suffix for path in first.iterdir()} == {".pdf", ".svg", ".png"}
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()


def test_data_and_parameters_stand_beside_every_figure(made: dict[str, Figure]) -> None:
    for name, figure in made.items():
        head, *lines = csv.reader(io.StringIO(figure.csv()))
        assert len(lines) == len(next(iter(figure.columns.values())))
        assert [each.split(" [")[0] for each in head] == [*figure.columns]
        for column, text in zip(figure.columns, head, strict=True):
            signatures = re.findall(r"[a-z0-9_]+\|[^\s\]]+", text)
            assert bool(signatures) == (column in SCORES)
            for signature in signatures:
                assert wf.Definition.parse(signature).signature == signature
        record = json.loads(figure.json())
        assert record["figure"] == name and record["parameters"] and record["title"]
        random = name not in ("tables", "theorem", "variance", "counterexample", "bounds")
        assert (record["seed"] is not None) == random
        assert {*record["facts"]} == {fact.key for fact in figure.facts}
        assert "NaN" not in figure.json() and "nan" not in figure.csv()


def test_every_number_has_a_signature_that_parses(made: dict[str, Figure]) -> None:
    for figure in made.values():
        for fact in figure.facts:
            parts = re.split(" - | and ", fact.signature)
            assert len(parts) == (2 if fact.of in ("gap", "both") else 1)
            for part in parts:
                definition = wf.Definition.parse(part)
                assert part == f"{definition.signature}|{fact.data}"


def test_signatures_of_the_tables_are_those_of_their_scores(made: dict[str, Figure]) -> None:
    from whichf1.paper.figures import table

    facts = made["tables"]
    for number in (1, 2, 3, 4):
        m = table(number)
        assert facts.fact(f"t{number}_av").signature == m.averaged.signature
        assert facts.fact(f"t{number}_of").signature == m.of_averages.signature


GOLDENS = ROOT / "tests" / "goldens" / "paper"
NUMBER = re.compile(r"(?<![\w:.-])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")


def assert_same(recorded: str, present: str, near: float) -> None:
    """The same text, with numbers that are as near.

    Correlations are sums that BLAS makes, in an order that depends on the processor: the last of
    17 digits differ between machines.
    """
    assert NUMBER.sub("#", recorded) == NUMBER.sub("#", present)
    before, now = ([float(x) for x in NUMBER.findall(text)] for text in (recorded, present))
    np.testing.assert_allclose(before, now, rtol=near, atol=near)


def test_the_page_is_current(made: dict[str, Figure]) -> None:
    page = (ROOT / "docs" / "paper.md").read_text()
    assert page == fill([*made.values()], "paper")
    for name, figure in made.items():
        # a CSV file has 9 digits, of which the last may be rounded to either side
        assert_same((GOLDENS / f"{name}.csv").read_text(), figure.csv(), 1.01e-8)
        assert_same((GOLDENS / f"{name}.json").read_text(), figure.json(), 1e-9)


@pytest.mark.parametrize(
    ("recorded", "present", "same"),
    [
        ('{"here": 0.7013213163728825}', '{"here": 0.7013213163728829}', True),
        ('{"here": 0.70132}', '{"here": 0.70133}', False),
        ("1e-17,a", "0,a", True),
        ("f1|n:100|k:2", "f1|n:100|k:3", False),
        ("0.5,a", "0.5,b", False),
        ("0.5,1", "0.5", False),
    ],
)
def test_what_counts_as_the_same(recorded: str, present: str, same: bool) -> None:
    with nullcontext() if same else pytest.raises(AssertionError):
        assert_same(recorded, present, 1e-9)


def test_the_page_needs_every_figure(made: dict[str, Figure]) -> None:
    with pytest.raises(DefinitionError, match="all parts"):
        fill([made["tables"]], "paper")


def test_the_summary_says_what_the_paper_says(made: dict[str, Figure]) -> None:
    text = as_markdown([*made.values()])
    for paper, figure in (
        ("0.13", "fig1a"),
        ("0.72", "fig1a"),
        ("1.7", "fig3"),
        ("0.505", "tables"),
    ):
        assert any(row[0] == figure and row[3] == paper for row in rows([*made.values()]))
        assert f"| {paper} |" in text
    assert "formula:averaged" in text and "formula:of-averages" in text and "seed: 2019" in text


def test_a_part_prints_numbers_and_writes_files(run: Run, tmp_path: Path) -> None:
    code, out, err = run("paper", "theorem", "-o", tmp_path / "new" / "folder")
    assert (code, err) == (0, "")
    assert "furthest below the supremum" in out and "formula:of-averages" in out
    written = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    endings = ("csv", "json", "pdf", "svg", "png")
    assert written == {"summary.md", *(f"theorem.{end}" for end in endings)}


def test_tables_print_terms_and_runs(run: Run) -> None:
    code, out, err = run("paper", "tables")
    assert code == 0 and "add -o DIR" in err
    assert "0.2427" in out  # the term of a pair of classes of table 3
    assert '("delta",0.48534265191225007)' in out and "as printed in appendix D" in out
    assert "\x1b" not in out


def test_without_matplotlib_the_data_are_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("paper", "theorem", "-o", tmp_path)
    assert code == 0 and "pip install 'whichf1[plot]'" in err
    assert "furthest below the supremum" in out
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"theorem.csv", "theorem.json", "summary.md"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fig1", "--page", "x.md"), "--page shows every figure"),
        (("theorem", "--formats", "jpeg"), "no picture format 'jpeg'"),
        (("theorem", "--formats", ""), "--formats is empty"),
        (("theorem", "-o", "README.md"), "cannot create the folder 'README.md'"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run("paper", *arguments)
    assert (code, out) == (2, "") and said in err


def test_the_page_links_to_where_the_figures_are(
    made: dict[str, Figure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whichf1.paper.reproduction import write_page

    write_page([*made.values()], str(tmp_path / "docs page.md"), str(tmp_path / "a b"), "png")
    text = (tmp_path / "docs page.md").read_text()
    assert "(a%20b/fig1a.png)" in text and "{{" not in text


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, whichf1.cli; "
        "print([m for m in ('matplotlib', 'scipy', 'whichf1.paper') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
