"""Scores chosen by their properties."""

from __future__ import annotations

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import DefinitionError
from whichf1.metrics import METRICS
from whichf1.scoring.choose import REASONS, candidates, name_of
from whichf1.scoring.properties import CHECKS, properties


def test_every_property_has_a_reason_and_every_metric_is_a_candidate() -> None:
    assert list(REASONS) == list(CHECKS)
    assert all("doi:" in reason.source for reason in REASONS.values())
    every = {each.metric for one_class in (False, True) for each in candidates(one_class)}
    assert every == set(METRICS)
    for each in candidates(False):
        assert wf.Definition.parse(name_of(each)) == each


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.thinned(3)
def test_what_is_chosen_has_the_property(name: str) -> None:
    chosen = {each.signature for each in (x.definition for x in wf.choose(name).fitting)}
    for definition in candidates(False)[::5]:  # the search itself is tested with properties
        found = properties(definition).get(name)
        assert (definition.signature in chosen) == (found is not None and found.holds)


def test_what_the_literature_says() -> None:
    """Opitz (2024), table 2: macro recall is monotone, invariant and corrected for chance."""
    ideal = wf.choose("monotone", "invariant to prevalence", "fixed at random")
    assert {"macro_recall", "balanced_accuracy", "adjusted_balanced_accuracy"} <= set(ideal.names)
    assert not {"mcc", "cohen_kappa", "averaged_f1", "accuracy"} & set(ideal.names)
    agreement = wf.choose("same_if_transposed", "fixed-at-random").names
    assert {"mcc", "cohen_kappa"} <= set(agreement)
    nearly = {name_of(x.definition): x for x in ideal.nearly}
    (lacking,) = nearly["informedness|avg:macro"].lacking
    assert lacking.name == "invariant to prevalence" and lacking.before is not None
    assert "recall" in wf.choose("invariant to prevalence", one_class=True).names


def test_one_property_has_no_near_misses_and_none_is_an_error() -> None:
    assert wf.choose("monotone").nearly == ()
    assert "accuracy" in repr(wf.choose("monotone"))
    assert "lack one" in wf.choose("monotone", "fixed at random")._repr_html_()
    with pytest.raises(DefinitionError, match="what matters"):
        wf.choose()
    with pytest.raises(DefinitionError, match="Did you mean 'monotone'"):
        wf.choose("monoton")


def test_the_command_asks_or_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    told = run("choose", "-w", "monotone", "-w", "fixed-at-random")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nn\nn\nn\nyes\n\n\n"))
    code, out, err = run("choose")
    assert (code, out) == told[:2] and err.count("[y/N]") == len(CHECKS)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run("choose")[0] == 2
    nothing = run("choose", *(x for name in CHECKS for x in ("-w", name)))
    assert nothing[0] == 0 and "No score has all of them" in nothing[1]
    assert "docs/properties.md" in out
