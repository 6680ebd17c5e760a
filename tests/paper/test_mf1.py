"""``mf1`` prints what the program in the paper's appendix prints."""

from __future__ import annotations

import json
from typing import Any

import pytest

import whichf1 as wf
from whichf1.paper import mf1


def golden() -> list[dict[str, Any]]:
    with open("tests/data/mf1_ghc.json") as file:
        cases: list[dict[str, Any]] = json.load(file)["cases"]
    return cases


def test_mf1_prints_what_the_papers_program_prints() -> None:
    cases = golden()
    assert len(cases) == 300
    for case in cases:
        assert mf1.lines(case["arguments"]) == case["lines"], case["arguments"]


def test_mf1_prints_the_papers_two_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The lines printed in appendix D of Opitz and Burst (2019)."""
    assert mf1.main(["2", "100", "10000", "0", "100"]) == 0
    assert capsys.readouterr().out == (
        '("macroF1 benevolent",0.504950495049505)\n'
        '("macroF1 non-benevolent",1.96078431372549e-2)\n'
        '("delta",0.48534265191225007)\n'
        '("delta calculated",0.48534265191225007)\n'
    )
    assert mf1.main(["2", "100", "5000", "5000", "100"]) == 0
    assert capsys.readouterr().out == (
        '("macroF1 benevolent",1.96078431372549e-2)\n'
        '("macroF1 non-benevolent",1.96078431372549e-2)\n'
        '("delta",0.0)\n'
        '("delta calculated",0.0)\n'
    )


def test_mf1_says_0_where_the_papers_program_divides_0_by_0(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert mf1.main(["2", "0", "0", "3", "4"]) == 0
    out = capsys.readouterr().out
    assert "NaN" not in out and '"delta",' in out
    m = wf.macro_f1(wf.Counts.from_matrix([[0, 0], [3, 4]], rows="predicted"))
    assert f'("macroF1 non-benevolent",{m.averaged.value!r})' in out


@pytest.mark.parametrize("arguments", ["", "2 1 2 3", "x", "0", "1 -1", "1 0", "2 1 2 3 4 5"])
def test_mf1_refuses_bad_input(capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    assert mf1.main(arguments.split()) == 2
    out, err = capsys.readouterr()
    assert out == "" and "as in: mf1 2 100 10000 0 100" in err
