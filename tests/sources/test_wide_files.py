"""CSV files of very many columns, whose lines are cut up here, are read as DuckDB reads others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import whichf1 as wf
from whichf1.errors import FileError, WhichF1Error
from whichf1.sources.engines import formats

CELLS = ("a", "b", "", '""', '"a"', '"a,b"', '"a""b"', 'a"b', "é", " a", '"a" ', '"a"x', 'a"', '"a')
SKIP = "Fix the line, or skip such lines with --on-error skip"


def _read(path: Path) -> object:
    try:
        counts = wf.count(path)
    except WhichF1Error as error:
        return str(error).replace(SKIP, "Fix the line").rstrip(".")
    return tuple(counts.labels), counts.matrix.tolist()


def _text(draw: random.Random) -> bytes:
    """A few lines with quotes in all places, at times too short, too long, blank or cut off."""
    rows = [
        ",".join(
            draw.choice(CELLS) if draw.random() < 0.3 else draw.choice("ab1")
            for _ in range(draw.choice((2, 4)) if draw.random() < 0.05 else 3)
        )
        for _ in range(draw.randint(1, 5))
    ]
    rows += [""] if draw.random() < 0.1 else []
    end = draw.choice(("\n", "\r\n"))
    return (end.join(["true,x,pred", *rows]) + draw.choice((end, ""))).encode()


@pytest.mark.filterwarnings("ignore")  # of labels that look alike
def test_lines_are_cut_as_by_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, path = random.Random(3), tmp_path / "a.csv"
    results = []
    for _ in range(25):
        path.write_bytes(_text(draw))
        by_engine = _read(path)
        with monkeypatch.context() as patched:
            patched.setattr(formats, "MANY_COLUMNS", 0)
            assert _read(path) == by_engine, path.read_bytes()
        results.append(type(by_engine))
    assert {*results} == {tuple, str}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'true,x,pred\r\n1,"a\r\nb",1\r\n"1\n2",,2\r\n', None),
        (b"true,x,pred\n1,\xff,1\n", "line 2: bytes that are not UTF-8"),
        (b'true,x,pred\n1,"\n\n",1\n1,1\n', "line 5: 2 cells where the header has 3"),
        (b"true,x,pred\n1,1,1\r\n", "line 2: it ends with CR LF, line 1 with LF"),
        (b'true,x,pred\n1,1,1\n1,"1,1\n', "line 3: a quote that is not closed"),
    ],
)
def test_what_is_wrong_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, said: str | None
) -> None:
    monkeypatch.setattr(formats, "MANY_COLUMNS", 0)
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    if said is None:
        assert wf.count(path).labels == ("1", "1\n2", "2")
        return
    with pytest.raises(FileError, match=said):
        wf.count(path)


def test_a_hundred_thousand_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "ITEMS", 2)  # several pieces
    path, rest = tmp_path / "wide.csv", 100_000
    names = ["true", *(f"x{at}" for at in range(rest)), "pred"]
    rows = [f"{true},{'0,' * rest}{pred}" for true, pred in ((1, 1), (0, 1), (0, 0), (1, 1))]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    assert wf.count(path) == wf.count([1, 0, 0, 1], [1, 1, 0, 1])
    with pytest.raises(FileError, match="malformed lines are skipped in files with up to 16,384"):
        wf.count(path, on_error="skip")
    path.write_text(path.read_text() + "1\n")
    with pytest.raises(FileError, match="line 6: 1 cell where the header has 100002"):
        wf.count(path)
