"""Intervals of sets of labels, with weights and clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.samples import present
from whichf1.errors import DefinitionError
from whichf1.statistics.label_sets import LabelSets
from whichf1.statistics.sample import Sample


def test_sets_of_labels_are_resampled() -> None:
    rng = np.random.default_rng(6)
    true = rng.random((300, 4)) < 0.4
    predicted = true ^ (rng.random((300, 4)) < 0.2)
    counts = wf.count_multilabel(true, predicted)
    for average in ("macro", "micro", "weighted", "samples"):
        delta = wf.f1(counts, average=average, interval="delta").interval
        drawn = wf.f1(counts, average=average, interval=wf.Bootstrap(replicates=1999)).interval
        width = present(delta).high - present(delta).low
        assert present(drawn).low == pytest.approx(present(delta).low, abs=0.15 * width)
    with pytest.raises(DefinitionError, match="fraction of items"):
        wf.f1.per_class(counts, interval="wilson")


def test_sets_in_clusters_have_wider_intervals_and_merge() -> None:
    rng = np.random.default_rng(1)
    true = rng.random((100, 3)) < 0.4
    predicted = true ^ (rng.random((100, 3)) < 0.2)
    alone, twice = np.arange(100), np.repeat(np.arange(100), 2)
    one = wf.count_multilabel(true, predicted, cluster=alone)
    two = wf.count_multilabel(true[twice], predicted[twice], cluster=twice)
    for average in ("macro", "micro", "weighted", "samples"):
        plain, doubled = (wf.f1(x, average=average, interval="delta") for x in (one, two))
        assert doubled.value == pytest.approx(plain.value)
        assert present(doubled.interval).low == pytest.approx(present(plain.interval).low, rel=1e-9)
        assert doubled.signature.endswith("clusters:100")
        drawn = wf.f1(two, average=average, interval=wf.Bootstrap(replicates=999)).interval
        assert present(drawn).low == pytest.approx(present(doubled.interval).low, abs=0.02)
    direct = wf.hamming_loss(true, predicted, interval="delta", cluster=alone)
    assert direct.interval == wf.hamming_loss(one, interval="delta").interval
    assert (one + one).clusters == 100 and one + one == two


def test_weighted_sets_have_intervals_that_survive_merging() -> None:
    rng = np.random.default_rng(1)
    true = rng.random((100, 3)) < 0.4
    predicted = true ^ (rng.random((100, 3)) < 0.2)
    w = rng.random(100)
    whole = wf.count_multilabel(true, predicted, weights=w)
    parts = [
        wf.count_multilabel(true[x], predicted[x], weights=w[x], labels=range(3))
        for x in (slice(40), slice(40, None))
    ]
    expected = wf.f1(whole, average="macro", interval="delta")
    merged = wf.f1(sum(parts), average="macro", interval="delta")
    assert present(merged.interval).low == pytest.approx(present(expected.interval).low, rel=1e-9)
    clustered = wf.count_multilabel(true, predicted, weights=w, cluster=np.arange(100))
    ratio = wf.f1(clustered, average="macro", interval="delta").interval
    assert present(ratio).low == pytest.approx(present(expected.interval).low, abs=0.005)
    assert "weighted:true" in expected.signature


def test_the_interval_of_a_mean_over_items_knows_epsilon() -> None:
    true, predicted = [{0, 1}, {1}, {2}, {0, 2}, {1}], [{0}, {1}, {1}, {0, 2}, {1, 2}]
    counts = wf.count_multilabel(true, predicted, labels=range(3))
    each = []
    for t, p in zip(true, predicted, strict=True):
        hits = len(t & p)
        precision, recall = hits / (len(p) + 0.5), hits / (len(t) + 0.5)
        each.append(2 * precision * recall / (precision + recall + 0.5))
    score = wf.f1(counts, average="samples", epsilon=0.5, interval="delta")
    assert score.value == pytest.approx(np.mean(each))
    statistic = LabelSets(score.definition, score.definition.freeze(counts))
    _, (spread,) = statistic.spreads(Sample(counts.count))
    assert spread.error == pytest.approx(np.std(each) / np.sqrt(5))


def _tagged(sentences: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences of one to four spans of one type, which are found together or not at all."""
    true = [["B-PER"] * (1 + at % 4) for at in range(sentences)]
    return true, [["O"] * len(x) if at % 5 == 2 else x for at, x in enumerate(true)]


@pytest.mark.parametrize("method", ["auto", "delta", wf.Bootstrap(replicates=99)])
def test_spans_of_a_sentence_are_one_draw_for_a_type_as_for_all(method: Any) -> None:
    """With one type, its score is the average over types in every sense."""
    spans = wf.spans(*_tagged(80))
    one, micro, macro = (
        wf.recall(spans, interval=method, positive="PER"),
        wf.recall(spans, interval=method, average="micro"),
        wf.recall(spans, interval=method, average="macro"),
    )
    for each in (micro, macro):
        assert each.value == one.value
        assert present(each.interval).low == pytest.approx(present(one.interval).low, rel=1e-12)
        assert present(each.interval).high == pytest.approx(present(one.interval).high, rel=1e-12)
    alone = wf.count_multilabel([{"PER"}] * 200, [{"PER"}] * 160 + [set()] * 40)
    independent = present(wf.recall(alone, positive="PER", interval="delta").interval)
    width = present(one.interval).high - present(one.interval).low
    assert width > 1.5 * (independent.high - independent.low)


def test_few_sentences_have_a_caution_by_their_true_spans_alone() -> None:
    methods: list[tuple[Any, int]]
    methods = [("auto", 10), ("posterior", 50), (wf.Bootstrap(replicates=99), 50)]
    true, pred = _tagged(40)
    for found in (pred, true, [["O"] * len(x) for x in true]):
        spans = wf.spans(true, found, labels=["PER"])
        for method, least in methods:
            interval = wf.f1(spans, average="micro", interval=method).interval
            worth = 100**2 / sum(len(x) ** 2 for x in true)
            if interval is not None:
                caution = (
                    f"there are {worth:.3g} effective sentences: the interval may be too narrow"
                )
                assert interval.caution == (caution if worth < least else None)
    fewer = present(wf.recall(wf.spans(*_tagged(8)), positive="PER", interval="auto").interval)
    assert str(fewer.caution).startswith("class PER has 6.67 effective sentences")
    one = present(wf.recall(wf.spans(*_tagged(1)), average="micro", interval="auto").interval)
    assert (one.low, one.high) == (0, 1) and one.caution is not None
