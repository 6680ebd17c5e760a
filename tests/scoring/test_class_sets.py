"""The class set of a score: stated exactly, and never silently compared with another one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.definitions.words import sentence

TRUE, PRED = ["a", "b", "c", "a"], ["a", "b", "b", "a"]
OLD = "f1|avg:macro|formula:averaged|classes:declared|undef:0|v:1"


def test_nothing_declared_is_called_observed() -> None:
    for score in (
        wf.averaged_f1(TRUE, PRED),
        wf.averaged_f1(wf.count(TRUE, PRED)),
        wf.averaged_f1(TRUE, PRED, interval="delta"),
        wf.macro_f1(TRUE, PRED).averaged,
    ):
        assert "|classes:observed|" in score.signature and "|k:3|" in score.signature
        said = sentence(score.definition, len(score.classes))
        assert "the 3 classes that occur as true or predicted" in said
        assert wf.Definition.parse(score.signature)(TRUE, PRED) == score
    assert "|classes:observed|" in wf.f1.per_class(TRUE, PRED).signature
    compared = wf.compare(TRUE * 9, {"A": PRED * 9, "B": TRUE * 9}, replicates=99)
    assert "|classes:observed|" in compared.signature
    again = wf.compare(TRUE * 9, {"A": PRED * 9, "B": TRUE * 9}, compared.signature)
    assert (again.signature, again.scores) == (compared.signature, compared.scores)


def test_what_was_declared_is_called_declared() -> None:
    score = wf.averaged_f1(TRUE, PRED, labels=["a", "b", "c"])
    assert "|classes:declared|" in score.signature
    assert "the 3 declared classes" in sentence(score.definition, 3)
    counts = wf.Counts.from_matrix([[2, 0], [1, 1]], rows="true")
    assert "|classes:declared|" in wf.averaged_f1(counts).signature


def test_a_sentence_before_there_are_data_names_both() -> None:
    definition = wf.averaged_f1.definition()
    assert "classes" not in definition.signature
    assert wf.Definition.parse(definition.signature) == definition
    said = sentence(definition)
    assert "over the declared classes, or those that occur if none are declared" in said


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.booleans())
def test_old_signatures_run_and_give_the_same_number(pairs: Any, declared: bool) -> None:
    true, pred = zip(*pairs, strict=True)
    labels = range(5) if declared else None
    old = wf.Definition.parse(OLD)(true, pred, labels=labels)
    new = wf.averaged_f1(true, pred, labels=labels)
    assert old.value == new.value and "|classes:declared|" in old.signature
    assert wf.Definition.parse(new.signature)(true, pred, labels=labels) == new
    assert ("observed" in new.signature) == (not declared)


def test_classes_that_only_another_system_predicts_are_not_called_observed() -> None:
    """Each system is scored on the classes of all, so the signature must not say otherwise."""
    found = wf.compare([0, 1] * 9, {"A": [0, 1] * 9, "B": [0, 2] * 9}, replicates=99)
    assert "|classes:declared|" in found.signature and "|k:3|" in found.signature
    with pytest.warns(wf.errors.OtherDataWarning):  # it says which classes to declare
        wf.Definition.parse(found.scores["A"].signature)([0, 1] * 9, [0, 1] * 9)


def test_scores_over_different_classes_are_not_compared_in_silence() -> None:
    two, three = wf.averaged_f1([0, 1], [0, 1]), wf.averaged_f1([0, 1, 2], [0, 1, 1])
    for compare in (lambda: two > three, lambda: three <= two, lambda: max(two, three)):
        with pytest.raises(wf.errors.DefinitionError, match="means over different classes"):
            compare()
    assert two > wf.averaged_f1([0, 1], [1, 1], labels=[1, 0])  # the same ones
    assert wf.accuracy([0, 1], [0, 1]) > wf.accuracy([0, 1, 2], [0, 1, 1])  # no mean over classes
    assert two > 0.5 and wf.f1([0, 1], [0, 1], positive=1) >= wf.f1([2, 1], [2, 2], positive=1)


def test_the_command_line_declares_nothing_by_itself(run: Run) -> None:
    scores = ["--score", "score", "--positive", "spam", "--threshold", "0.5"]
    spam = ["score", "examples/spam.csv", *scores]
    for command in (["score", "examples/animals.csv"], spam):
        code, out, _ = run(*command)
        assert code == 0 and "declared" not in out and "classes:observed" in out
    code, out, _ = run(*spam, "--labels", "ham,spam")
    assert "classes:declared" in out and "classes:observed" not in out


def test_histograms_of_nearly_the_same_limits_are_not_merged() -> None:
    a, b = (wf.rank_histogram([0, 1], [0.2, 0.9], high=x) for x in (1.0000001, 1.0000004))
    assert wf.roc_auc(a).signature != wf.roc_auc(b).signature
    with pytest.raises(wf.errors.MergeError, match="differ in the bins of scores"):
        a + b
    assert wf.roc_auc(a).signature.endswith('resolution:"1000 bins on [0,1.0000001]"')
