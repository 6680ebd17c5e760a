"""What is logged of scores; tests/doors logs it to the real programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import whichf1 as wf
from whichf1.errors import DefinitionError, InputError
from whichf1.integrations import mlflow, wandb
from whichf1.integrations.tracking import files, legal, named_scores, numbers

COUNTS = wf.count(["cat", "dog", "dog", "bird"], ["cat", "dog", "cat", "bird"])
F1 = wf.averaged_f1(COUNTS, interval="auto")


def test_names_are_legal_and_say_which_is_meant() -> None:
    assert legal("f1|avg:macro (all)") == "f1_avg_macro _all" and legal("|") == "score"
    assert [*named_scores(F1)] == ["f1"]
    assert [*named_scores({"a|b": F1})] == ["a_b"]
    assert [*named_scores(wf.macro_f1(COUNTS))] == ["averaged_f1", "f1_of_averages"]
    rates = wf.recall.per_class(COUNTS)
    assert [*named_scores(rates)] == ["recall.bird", "recall.cat", "recall.dog"]
    assert [*named_scores([F1, rates])][:2] == ["f1", "recall.bird"]
    report = wf.report(COUNTS)
    assert named_scores(report)["accuracy"] == dict(report.scores)["accuracy"]
    with pytest.raises(DefinitionError, match="two scores are named 'a_b'"):
        named_scores({"a|b": F1, "a/b": F1})
    for wrong in (0.5, "f1", [0.5], {"f1": 0.5}, None):
        with pytest.raises(InputError):
            named_scores(wrong)


def test_numbers_are_plain_and_finite() -> None:
    found = numbers({"f1": F1})
    assert [*found] == ["f1", "f1_low", "f1_high"] and {*map(type, found.values())} == {float}
    endless = wf.positive_likelihood_ratio([0, 1], [0, 1], positive=1)
    assert numbers({"ratio": endless}) == {}
    with pytest.raises(DefinitionError, match="f1_low"):
        numbers({"f1": F1, "f1_low": F1})


def test_files_are_complete(tmp_path: Path) -> None:
    endless = wf.positive_likelihood_ratio([0, 1], [0, 1], positive=1)
    pictures = {"of counts": COUNTS, "picture": wf.picture(COUNTS), "drawn": COUNTS.plot().figure}
    written = files(str(tmp_path), {"f1": F1, "r": endless}, wf.report(COUNTS), pictures)
    names = ["scores.json", "report.html", "of counts.png", "picture.png", "drawn.png"]
    assert [path.name for path in written] == names
    saved = json.loads(written[0].read_text())
    assert saved["f1"]["signature"] == F1.signature and saved["r"]["why"] == "infinite"
    assert all(path.stat().st_size > 500 for path in written[1:])
    for report, more in ((3, {}), (None, {"x": 3})):
        with pytest.raises(InputError):
            files(str(tmp_path), {}, report, more)


@pytest.mark.parametrize("door", [mlflow, wandb])
def test_a_missing_program_is_named(door: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name = door.__name__.rpartition(".")[2]
    monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(ImportError, match=rf"pip install 'whichf1\[{name}\]'"):
        door.log(F1)
