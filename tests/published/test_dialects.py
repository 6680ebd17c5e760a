"""Dialects: the values that libraries print, as read from their sources and run."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import whichf1 as wf
from tests.dialects.cases import EXAMPLES
from tests.helpers.strategies import items
from whichf1.definitions.words import because, departures
from whichf1.published.dialects import SAME

NAN = math.nan
TABLE = {
    "sklearn": (0.3542, 0.3939),
    "sklearn-1.3": (0.3542, 0.3939),
    "torchmetrics": (0.3542, 0.3939),
    "torcheval": (0.3542, 0.3939),
    "river": (0.3542, 0.3939),
    "permetrics": (0.3542, 0.3939),
    "pycm": (0.3542, 0.3939),
    "evaluate": (0.3542, 0.3939),
    "mteb": (0.3542, 0.3939),
    "evidently": (0.3542, 0.3939),
    "sklearn-zero-division-nan": (0.3542, 0.3939),
    "keras": (0.2361, 0.2626),
    "spacy": (0.2361, 0.2626),
    "ignite": (0.2361, 0.2626),
    "catboost-macro": (0.2361, 0.2626),
    "torchmetrics-0.11": (0.2361, 0.2626),
    "torchmetrics-multilabel": (0.2361, 0.2626),
    "allennlp": (0.2361, 0.2626),
    "libmultilabel": (0.2361, 0.2626),
    "paddlenlp": (0.2361, 0.2626),
    "t5": (0.2361, 0.2626),
    "mmpretrain": (0.2361, 0.2626),
    "smile": (0.2833, 0.3152),
    "catalyst": (0.2833, 0.31515),
    "helm": (0.4722, 0.5253),
    "unitxt": (0.4722, 0.5253),
    "semeval-2018": (0.4722, 0.5253),
    "weka": (0.4722, NAN),
    "smp": (0.5694, 0.5960),
    "sklearn-zero-division-1": (0.5694, 0.5960),
    "sklearn-1.3-zero-division-1": (0.6042, 0.3939),
    "yardstick": (0.4722, 0.7879),
    "dl4j": (0.4722, 0.7879),
    "mmseg": (0.7083, 0.7879),
    "sklearn-1.3-zero-division-nan": (0.7083, 0.7879),
    "caret": (NAN, NAN),
    "tfma": (NAN, NAN),
    "catboost": (0.5417, 0.7348),
    "spark": (0.5417, 0.7348),
    "mlflow": (0.5417, 0.7348),
    "adaseq": (0.3646, 0.4125),
    "relex": (0.3646, 0.4125),
    "must": (0.3646, 0.4125),
    "imn-e2e-absa": (0.3646, 0.4125),
    "neuralclassifier": (0.3646, 0.4125),
    "libmultilabel-another": (0.2431, 0.2750),
    "brightmart": (0.2431, 0.2750),
    "linfa": (NAN, NAN),
    "flair-0.4.0": (0.2917, 0.30556),
    "lighteval": (0.8333, 0.9167),
}
"""Two examples of 8 items in 6 declared classes: what each library prints, by its own source.

Flair rounds each class to 4 decimals and so prints .3055 for the second, not .3056; Catalyst's
epsilon of 1e-5 makes .3152 .31515.
"""
WITH_CHOICES: list[tuple[str, dict[str, Any], tuple[float, float]]] = [
    ("seqeval", {"exclude": [0]}, (0.2500, 0.2222)),
    ("semeval-2010", {"exclude": [0]}, (0.3750, 0.3333)),
    ("torchmetrics", {"ignore": [0]}, (0.2500, 0.1667)),
    ("seqeval-0.0.10", {}, (0.5417, 0.7348)),
    ("helm", {"formula": "of-averages"}, (0.4861, 0.5500)),
    ("linfa", {"undefined": "skip"}, (0.4268, 0.5500)),
    ("linfa", {"undefined": 1}, (0.4922, 0.6641)),
    ("brightmart", {"undefined": 1}, (0.6641, 0.7768)),
    ("sklearn", {"batch": 4}, (0.3833, 0.4921)),
    ("sklearn", {"average": "micro", "formula": None}, (0.5000, 0.7500)),
]
"""The same with choices that the library offers, or that stand between two libraries."""


def prints(dialect: str, **choices: Any) -> list[float]:
    return [
        float(wf.dialects[dialect](x["true"], x["pred"], labels=range(x["k"]), **choices))
        for x in EXAMPLES
    ]


@pytest.mark.parametrize("name", TABLE)
def test_a_preset_prints_what_its_library_prints(name: str) -> None:
    expected = TABLE[name]
    assert prints(name) == pytest.approx(expected, abs=5e-5, nan_ok=True)


@pytest.mark.parametrize(("name", "choices", "expected"), WITH_CHOICES)
def test_choices_are_part_of_the_dialect(
    name: str, choices: dict[str, Any], expected: tuple[float, float]
) -> None:
    assert prints(name, **choices) == pytest.approx(expected, abs=5e-5)


def test_every_preset_is_in_the_table_of_values() -> None:
    elsewhere = {"seqeval", "seqeval-0.0.10", "semeval-2010", "smile-2024", "mxnet"}
    assert set(TABLE) | elsewhere == set(wf.dialects)


def test_presets_say_where_they_were_read_and_their_signatures_run() -> None:
    counts = wf.count(EXAMPLES[0]["true"], EXAMPLES[0]["pred"])
    for name, dialect in wf.dialects.items():
        assert dialect.name == name
        assert dialect.library and dialect.versions and dialect.file and dialect.note.endswith(".")
        assert dialect.file in dialect.citation and dialect.library in dialect.citation
        again = wf.Definition.parse(dialect.signature)
        assert again == dialect.definition
        if not again.exclude and again.batch is None:
            assert repr(again(counts).value) == repr(dialect(counts).value)


def test_unknown_dialects_name_the_nearest() -> None:
    with pytest.raises(wf.errors.DefinitionError, match="Did you mean 'keras'"):
        wf.dialects["kears"]
    assert "kears" not in wf.dialects and "keras" in wf.dialects
    assert len(wf.dialects) == len(list(wf.dialects)) > 50


def test_a_class_left_out_by_name_is_left_out_where_there_is_one() -> None:
    true, pred = ["O", "PER", "PER", "LOC"], ["O", "PER", "O", "PER"]
    score = wf.dialects["seqeval"](true, pred)
    assert score.value == pytest.approx((2 * 1 / (2 + 1 + 1) + 0) / 2)
    assert 'exclude:["O"]' in score.signature
    assert "exclude" not in wf.dialects["seqeval"]([0, 1], [0, 0]).signature


def test_two_classes_are_scored_as_one_where_the_library_does() -> None:
    true, pred = [0, 0, 0, 1, 1], [0, 0, 1, 1, 0]
    counts = wf.count(true, pred)
    assert wf.dialects["yardstick"](counts).value == pytest.approx(wf.f1(counts, positive=0).value)
    assert wf.dialects["dl4j"](counts).value == pytest.approx(wf.f1(counts, positive=1).value)
    assert wf.dialects["caret"](counts).value == pytest.approx(wf.f1(counts, positive=0).value)
    three = wf.count(true, pred, labels=range(3))  # three classes: the mean of those that occur
    both = wf.averaged_f1(counts).value
    assert wf.dialects["yardstick"](three).value == pytest.approx(both)


def test_an_epsilon_is_added_where_it_says() -> None:
    counts = wf.Counts.from_matrix([[3, 1], [2, 4]], rows="true")
    e = 0.5
    p, r = (np.array([3 / (5 + e), 4 / (5 + e)]), np.array([3 / (4 + e), 4 / (6 + e)]))
    every = wf.averaged_f1(counts, epsilon=e)
    assert every.value == pytest.approx((2 * p * r / (p + r + e)).mean())
    assert "|eps:0.5|" in every.signature
    p, r = np.array([3 / 5, 4 / 5]), np.array([3 / 4, 4 / 6])
    last = wf.averaged_f1(counts, epsilon=e, epsilon_in="harmonic")
    assert last.value == pytest.approx((2 * p * r / (p + r + e)).mean())
    assert wf.precision(counts, positive=0, epsilon=e).value == pytest.approx(3 / (5 + e))
    both = wf.f1_of_averages(counts, epsilon=e, epsilon_in="harmonic")
    assert both.value == pytest.approx(2 * p.mean() * r.mean() / (p.mean() + r.mean() + e))
    each = wf.f1.per_class(counts, epsilon=e)
    assert each[0].value == pytest.approx(each[0].definition(counts).value)


def test_an_interval_knows_the_epsilon() -> None:
    """With counts a thousandfold an epsilon a thousandfold changes nothing but the width."""
    small = wf.Counts.from_matrix([[30, 10], [20, 40]], rows="true")
    wide = wf.precision(small, positive=0, epsilon=10, interval="delta")
    large = wf.Counts.from_matrix([[30_000, 10_000], [20_000, 40_000]], rows="true")
    thin = wf.precision(large, positive=0, epsilon=10_000, interval="delta")
    assert wide.value == pytest.approx(thin.value)
    assert wide.interval is not None and thin.interval is not None
    widths = [
        math.log(x.high / (1 - x.high)) - math.log(x.low / (1 - x.low))
        for x in (wide.interval, thin.interval)
    ]
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(1000), rel=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": -1}, "at least 0"),
        ({"epsilon": "x"}, "at least 0"),
        ({"epsilon_in": "f1", "epsilon": 1}, "epsilon_in cannot be"),
        ({"epsilon_in": "harmonic"}, "does not apply"),
        ({"two_classes": "one"}, "two_classes cannot be"),
        ({"batch": 0}, "at least 1"),
        ({"batch": 2.5}, "whole number"),
        ({"batch": 4, "interval": "delta"}, "batch= does not apply"),
    ],
)
def test_bad_choices_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(wf.errors.DefinitionError, match=message):
        wf.averaged_f1([0, 1], [0, 0], **options)


def test_batches_need_the_items_in_their_order() -> None:
    true, pred = EXAMPLES[0]["true"], EXAMPLES[0]["pred"]
    with pytest.raises(wf.errors.DefinitionError, match="Pass y_true and y_pred"):
        wf.averaged_f1(wf.count(true, pred), batch=4)
    with pytest.raises(wf.errors.DefinitionError, match="without weights or clusters"):
        wf.averaged_f1(true, pred, batch=4, weights=np.ones(8))
    score = wf.averaged_f1(true, pred, batch=3, labels=range(6))
    parts = [slice(0, 3), slice(3, 6), slice(6, 9)]
    by_hand = [wf.averaged_f1(true[x], pred[x], labels=range(6)).value for x in parts]
    assert score.value == pytest.approx(np.mean(by_hand))
    again = wf.Definition.parse(score.signature)(true, pred, labels=range(6))
    assert again.definition == score.definition
    assert wf.averaged_f1(true, pred, batch=8) == wf.averaged_f1(true, pred).value


def test_unknown_predictions_as_misses_only_or_as_a_class_or_as_an_error() -> None:
    true, pred = ["a", "a", "b", "b"], ["a", "?", "b", "a"]
    counts = wf.count(true, pred)
    misses = wf.averaged_f1(counts, classes=["a", "b"]).value
    assert misses == wf.dialects["helm"](counts).value == pytest.approx((1 / 2 + 2 / 3) / 2)
    own_class = wf.averaged_f1(counts, classes="observed").value
    assert own_class == pytest.approx(misses * 2 / 3)
    with pytest.raises(wf.errors.LabelError, match="not among the declared"):
        wf.count(true, pred, labels=["a", "b"])


class TestTable:
    """What all libraries print for the same predictions."""

    def test_groups_hold_equal_values_and_say_why(self) -> None:
        x = EXAMPLES[0]
        table = wf.dialects.table(x["true"], x["pred"], labels=range(x["k"]))
        assert table.distinct == 12
        assert table.spread == pytest.approx(0.8333 - 0.2361, abs=1e-4)
        assert [group.value for group in table.groups[:-1]] == sorted(
            (group.value for group in table.groups[:-1]), reverse=True
        )
        assert math.isnan(table.groups[-1].value)
        for group in table.groups:
            for name, score in group.scores.items():
                assert score.value == pytest.approx(group.value, abs=SAME, nan_ok=True)
                assert repr(score.value) == repr(wf.dialects[name](x["true"], x["pred"],
                                                 labels=range(x["k"])).value)  # fmt: skip
            assert group.why.startswith(("It ", "For example, ")) and group.why.endswith(".")
        names = [name for group in table.groups for name in group.names]
        assert sorted([*names, *table.absent]) == sorted(wf.dialects)

    def test_dialects_that_do_not_apply_say_why(self) -> None:
        table = wf.dialects.table(wf.count(["a", "b"], ["a", "a"]))
        assert table.absent["mxnet"].endswith(
            "needs the items' order, which counts and files do not keep."
        )
        assert "integers" in table.absent["smile"]
        table = wf.dialects.table([0, 1, 2], [0, 1, 1])
        assert table.absent == {
            "mxnet": "MXNet (average='macro') needs two classes; the data have 3"
        }

    @settings(max_examples=30)
    @given(items())
    def test_values_of_different_groups_differ(self, pairs: list[tuple[int, int]]) -> None:
        table = wf.dialects.table(*map(list, zip(*pairs, strict=True)))
        values = [g.value for g in table.groups if not math.isnan(g.value)]
        assert all(a - b > SAME for a, b in pairwise(values))
        if values:
            assert table.spread == pytest.approx(max(values) - min(values))


def test_only_like_is_compared_with_like() -> None:
    counts = wf.count(EXAMPLES[0]["true"], EXAMPLES[0]["pred"], labels=range(6))
    a, b = wf.dialects["sklearn"](counts), wf.dialects["keras"](counts)
    with pytest.raises(wf.errors.DefinitionError, match="classes observed / declared"):
        assert a > b
    with pytest.raises(wf.errors.DefinitionError, match="means over different classes"):
        assert a > wf.dialects["river"](wf.count([0, 1], [1, 0]))
    same = wf.count([0, 1, 2, 4], [1, 0, 2, 4])
    assert a <= wf.dialects["river"](same)


def test_conversion_shows_both_signatures_and_the_difference() -> None:
    counts = wf.count(EXAMPLES[0]["true"], EXAMPLES[0]["pred"], labels=range(6))
    found = wf.dialects.convert(counts, source="catboost", target="sklearn")
    assert (found.source.value, found.target.value) == pytest.approx((0.5417, 0.3542), abs=5e-5)
    assert found.difference == "avg weighted / macro, classes true / observed"
    same = wf.dialects.convert(counts, source="river", target=wf.dialects["sklearn"].signature)
    assert same.source == same.target and "nothing" in same.difference
    with pytest.raises(wf.errors.DefinitionError, match="no dialect 'sk'"):
        wf.dialects.convert(counts, source="sk", target="keras")


def test_a_definition_departs_in_words_exactly_where_it_departs() -> None:
    assert departures(wf.dialects["sklearn"].definition) == []
    sentences = {because(x.definition) for x in wf.dialects.values()}
    definitions = {x.definition for x in wf.dialects.values()}
    weighted = {x for x in definitions if x.average == "weighted"}
    assert len(sentences) == len(definitions) - len(weighted) + len({x.exclude for x in weighted})


SMILE = ([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2])
"""The example of smile's pull request #874."""


def test_smile_before_and_after_its_correction() -> None:
    assert f"{wf.dialects['smile-2024'](*SMILE):.6f}" == "0.860215"
    assert f"{wf.dialects['smile'](*SMILE):.6f}" == "0.822222"


def test_torchmetrics_issue_1664() -> None:
    """Declaring more classes lowered the score from .7778 to .2917."""
    true, pred = [2, 1, 0, 0], [2, 1, 0, 1]
    printed = [wf.dialects["torchmetrics-0.11"](true, pred, labels=range(k)) for k in range(3, 9)]
    assert [f"{x:.4f}" for x in printed] == [
        "0.7778", "0.5833", "0.4667", "0.3889", "0.3333", "0.2917",
    ]  # fmt: skip
    assert {f"{wf.dialects['torchmetrics'](true, pred, labels=range(k)):.4f}"
            for k in range(3, 9)} == {"0.7778"}  # fmt: skip


def test_scikit_learn_issue_27189() -> None:
    """One true negative and two misses: F1 is 0, and 1.3 gave NaN with zero_division=nan."""
    true, pred = [0, 1, 1], [0, 0, 0]
    one = {"average": None, "positive": 1, "formula": None, "classes": "declared"}
    assert math.isnan(wf.dialects["sklearn-1.3-zero-division-nan"](true, pred, **one).value)
    later = wf.dialects["sklearn-zero-division-nan"](true, pred, **one)
    assert later.value == 0
    # pull request #27577: 104 classes, 100 of them right
    true, pred = list(range(104)), [*range(100), 101, 102, 103, 104]
    assert f"{wf.dialects['sklearn-1.3-zero-division-1'](true, pred):.4f}" == "0.9810"
    assert f"{wf.dialects['sklearn'](true, pred):.4f}" == "0.9524"


def test_an_option_that_no_definition_has() -> None:
    with pytest.raises(wf.errors.DefinitionError, match="keras has no option 'nosuch'"):
        wf.dialects["keras"]([0, 1], [0, 1], nosuch=1)
