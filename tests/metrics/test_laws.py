"""Laws that hold for the whole registry."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.samples import COUNT_METRICS, E1, Pairs, binary, ends, present, random_counts
from tests.helpers.strategies import LABELS, definitions, items, minds_order
from whichf1.definitions.definition import Definition, define
from whichf1.definitions.names import SHORTHANDS
from whichf1.definitions.words import in_sklearn, meaning, other_names
from whichf1.errors import DefinitionError
from whichf1.metrics import EVERY, METRICS, find
from whichf1.tables.cells import Table


def counted(pairs: list[tuple[Any, Any]], labels: Any = LABELS) -> wf.Counts:
    return wf.count([t for t, _ in pairs], [p for _, p in pairs], labels=labels)


def equal(a: Any, b: Any) -> bool:
    return np.allclose(a, b, rtol=1e-12, atol=1e-14, equal_nan=True)


@settings(max_examples=50)
@given(items(), items())
def test_merging_is_concatenating(left: Pairs, right: Pairs) -> None:
    assert counted(left) + counted(right) == counted(left + right)
    observed = [counted(part, None) for part in (left, right)]
    assert sum(observed) == counted(left + right, None)
    assert observed[0] + observed[1] == observed[1] + observed[0]


@settings(max_examples=50)
@given(items(), items(), items())
def test_merging_is_associative(a: Pairs, b: Pairs, c: Pairs) -> None:
    x, y, z = (counted(part, None) for part in (a, b, c))
    assert (x + y) + z == x + (y + z)


@settings(max_examples=120)
@given(items(), definitions(), st.permutations(list(LABELS)))
def test_names_of_classes_do_not_matter(
    pairs: Pairs, definition: Definition, order: list[int]
) -> None:
    assume(definition.classes != "range")
    assume(not minds_order(definition))
    assume("parents" not in definition.arguments)  # it names classes itself
    assume(definition.arguments.get("level") not in ("interval", "ratio"))  # which need numbers
    rename: dict[Any, str] = {label: f"class {order[label]}" for label in LABELS}
    renamed = [(rename[t], rename[p]) for t, p in pairs]
    moved = replace(
        definition,
        positive=rename.get(definition.positive),
        classes=definition.classes
        if not isinstance(definition.classes, tuple)
        else tuple(rename[x] for x in definition.classes),
    )
    names = sorted(rename.values())
    assert equal(definition(counted(pairs)).value, moved(counted(renamed, names)).value)


@settings(max_examples=120)
@given(items(), definitions())
def test_values_lie_within_the_declared_bounds(pairs: Pairs, definition: Definition) -> None:
    value = definition(counted(pairs)).value
    low, high = find(definition.metric).bounds
    assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@settings(max_examples=120)
@given(st.lists(items(), min_size=2, max_size=4), definitions())
def test_a_batch_of_counts_is_a_loop(parts: Any, definition: Definition) -> None:
    whole = counted([pair for part in parts for pair in part])
    frozen = definition.freeze(whole)
    cells = [
        [
            sum(pair == (t, p) for pair in part)
            for t, p in zip(whole.true, whole.predicted, strict=True)
        ]
        for part in parts
    ]
    table = frozen.table
    batch = Table(table.true, table.predicted, np.array(cells, float), table.classes)
    values = definition.values(frozen, batch)
    for at, row in enumerate(cells):
        single = Table(table.true, table.predicted, np.array(row, float), table.classes)
        assert equal(values[at], definition.values(frozen, single))


@settings(max_examples=120)
@given(items(), definitions())
def test_a_signature_parses_and_runs(pairs: Pairs, definition: Definition) -> None:
    counts = counted(pairs)
    score = definition(counts)
    assert Definition.parse(definition.signature) == definition
    again = Definition.parse(score.signature)
    assert again == definition
    assert equal(again(counts).value, score.value)
    assert again(counts).signature == score.signature


LABEL_TEXT = st.text(max_size=8) | st.sampled_from(["|", ":", ",", '"', "\\", "true", "1", "a=b"])


@settings(max_examples=50)
@given(st.lists(LABEL_TEXT, min_size=1, max_size=4, unique=True))
def test_any_text_survives_a_signature(labels: Any) -> None:
    definition = wf.f1.definition(average="macro", classes=labels, exclude=labels[:1])
    text = definition.signature
    assert Definition.parse(text) == definition
    assert text.isascii() and text.isprintable()
    one = wf.f1.definition(positive=labels[0])
    assert Definition.parse(one.signature) == one


def test_numbers_of_a_signature_may_begin_with_their_point() -> None:
    for text, whole in (
        ("recall_at_precision(at=.9)", "recall_at_precision(at=0.9)|v:1"),
        ("expected_cost(costs=[[0,.5],[1.5,0]])", "expected_cost(costs=[[0,0.5],[1.5,0]])|v:1"),
        ('recall|positive:"a .5"', 'recall|positive:"a .5"|undef:0|v:1'),
    ):
        assert wf.Definition.parse(text).signature == whole
    with pytest.raises(DefinitionError, match="neither a word nor JSON"):
        wf.Definition.parse("recall_at_precision(at=.9.1)")


def test_labels_of_different_types_differ_in_the_signature() -> None:
    texts = {wf.f1.definition(positive=label).signature for label in (1, "1", True)}
    assert len(texts) == 3


def test_every_field_of_a_definition_enters_the_signature() -> None:
    changes = {
        "metric": "f_beta",
        "parameters": (("beta", 2),),
        "average": "weighted",
        "formula": "of-averages",
        "positive": 1,
        "classes": "true",
        "exclude": (0,),
        "ignore": (0,),
        "class_shares": "uniform",
        "undefined": 1,
        "scope": "no-hits",
        "two_classes": "first",
        "epsilon": 1e-7,
        "epsilon_in": "harmonic",
        "batch": 4,
        "interval": "delta",
    }
    assert set(changes) == {field.name for field in fields(Definition)} - {"data"}
    base: dict[str, Any] = {"metric": "f_beta", "average": "macro", "undefined": "skip"}
    plain = Definition(**base).signature
    for name, value in changes.items():
        other = dict(base, **{name: value})
        if name == "metric":
            other["metric"] = "f1"
        if name == "positive":
            del other["average"]
        if name in ("epsilon", "epsilon_in"):  # with an epsilon nothing is undefined
            other["undefined"] = 0
        if name == "epsilon_in":
            own = Definition(metric="f_beta", average="macro", epsilon=1e-7)
            plain, other["epsilon"] = own.signature, 1e-7
        assert Definition(**other).signature != plain, name


def test_shorthands_are_definitions_of_declared_metrics() -> None:
    for name, short in SHORTHANDS.items():
        assert define(name) == Definition(metric=short.metric, **short.options)
        assert getattr(wf, name)(*E1).definition == define(name).over_observed


def test_every_shorthand_has_its_own_meaning() -> None:
    meanings = [meaning(define(name)) for name in SHORTHANDS]
    assert len({*meanings}) == len(SHORTHANDS)
    assert meanings == [short.summary for short in SHORTHANDS.values()]
    for name, short in SHORTHANDS.items():
        assert in_sklearn(define(name)) == short.sklearn
        assert "dice" not in other_names(define(name))
    assert present(in_sklearn(define("f1_of_averages"))).startswith("no function")
    assert in_sklearn(define("averaged_f1", None, {"classes": "observed"})) == (
        "f1_score(average='macro')"
    )
    assert in_sklearn(define("averaged_f1", None, {"undefined": "skip"})) is None
    assert other_names(define("f1")) == METRICS["f1"].aliases


def test_the_public_surface_is_what_it_says() -> None:
    for name in wf.__all__:
        assert getattr(wf, name) is not None
    others = {alias for metric in EVERY.values() for alias in metric.aliases}  # kept once asked for
    public = {name for name in vars(wf) if not name.startswith("_")} - others
    modules = {name for name in public if type(getattr(wf, name)).__name__ == "module"}
    assert set(wf.__all__) - {"errors"} == public - modules - {"annotations"}
    assert {*METRICS, *SHORTHANDS} <= set(wf.__all__)


def test_every_alias_is_a_name_of_its_metric() -> None:
    for metric in METRICS.values():
        for alias in metric.aliases:
            assert getattr(wf, alias) is getattr(wf, metric.name)
    assert wf.score(*E1, "TPR", average="macro") == wf.recall(*E1, average="macro")
    assert wf.f_beta(*E1, average="macro").value == wf.f1(*E1, average="macro").value


def test_options_of_the_scorer_are_those_of_definitions_and_metrics() -> None:
    from whichf1.definitions.options import Options
    from whichf1.sources.counts import DATA_OPTIONS

    parameters = {name for metric in EVERY.values() for name in metric.parameters}
    options = {field.name for field in fields(Definition)} - {"metric", "parameters", "data"}
    assert set(Options.__annotations__) == options | parameters | set(DATA_OPTIONS)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(-3, 6), st.integers(-3, 6)), min_size=1, max_size=60))
def test_arrays_and_their_counts_have_the_same_scores(pairs: Pairs) -> None:
    """Means of rates need only margins, which are counted without the table between."""
    true, predicted = np.array(pairs).T
    counts = wf.count(true, predicted)
    for name in [m for m in METRICS if METRICS[m].kind == "rate"]:
        for average in ("macro", "weighted", "micro"):
            for undefined in (0, "skip"):
                options = {"average": average, "undefined": undefined}
                if METRICS[name].total:
                    del options["undefined"]
                score = getattr(wf, name)
                ours, whole = score(true, predicted, **options), score(counts, **options)
                assert ours.signature == whole.signature
                assert ours.value == whole.value or np.isnan([ours.value, whole.value]).all()
                assert (ours.n, ours.classes) == (whole.n, whole.classes)


NOT_REACHED: dict[str, tuple[float, float]] = {
    "brennan_prediger": (-1, 1),
    "expected_cost": (0, 1),
    "gwet_ac1": (-1, 1),
    "krippendorff_alpha": (-197 / 198, 1),
    "macro_mae": (0, 1),
    "mutual_information": (0, np.log(2)),
    "no_information_rate": (0.5, 1),
    "no_information_p_value": (2.4892061111444567e-60, 1),
    "optimized_precision": (-0.9949748743718593, 1),
    "confusion_entropy": (0, 1.004354573998164),
}
"""What two classes come to where a bound needs more classes, large costs or endless items."""


@pytest.mark.parametrize("name", COUNT_METRICS)
def test_declared_bounds_are_reached(name: str) -> None:
    """Bounds that are too wide hold every value, but are the wrong scale for an interval."""
    options: dict[str, Any] = {"positive": 1} if METRICS[name].kind == "rate" else {}
    cells = (x for x in product((0, 1, 99), repeat=4) if any(x))
    tables = [wf.Counts.from_matrix(np.reshape(x, (2, 2)), rows="true") for x in cells]
    values = [wf.score(table, name, **options).value for table in tables]
    low, high = METRICS[name].bounds
    if name in NOT_REACHED:
        assert low <= min(values) and max(values) <= high
        assert (min(values), max(values)) == pytest.approx(NOT_REACHED[name], rel=1e-9)
        return
    assert min(values) == low and (max(values) == high or (high, max(values)) == (np.inf, 100))


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_blocks_of_any_size_give_the_same_scores(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is computed a block at a time, to stay in the cache, must not depend on the blocks."""
    y, s = binary(3, n=60)
    p = 1 / (1 + np.exp(-s))
    sets = np.random.default_rng(4).random((40, 5)) < 0.4
    ranked = np.random.default_rng(5).normal(size=(40, 5)).round(1)
    counts = random_counts(6, 5)
    weights = np.random.default_rng(7).random(200)
    true, guess = np.random.default_rng(8).integers(0, 5, (2, 200))
    weighted = wf.count(true, guess, weights=weights)

    def scores() -> list[wf.Score]:
        return [
            *(metric(y, s, interval="delta") for metric in (wf.roc_auc, wf.average_precision)),
            wf.roc_auc(y, s, max_fpr=0.3),
            wf.expected_calibration_error(y, p),
            *(metric(y, s) for metric in (wf.gain, wf.lift)),
            wf.coverage_error(sets, ranked, interval="delta"),
            wf.label_ranking_average_precision(sets, ranked, interval="delta"),
            *(wf.averaged_f1(each, interval="delta") for each in (counts, weighted)),
        ]

    whole = scores()
    monkeypatch.setattr("whichf1.tables.cells._BLOCK", size)
    monkeypatch.setattr("whichf1.statistics.cells._BLOCK", size)
    monkeypatch.setattr("whichf1.metrics.label_sets._CELLS", size)
    for ours, theirs in zip(scores(), whole, strict=True):
        assert ours.value == pytest.approx(theirs.value, rel=1e-12)
        if theirs.interval is not None:
            assert ends(ours.interval) == pytest.approx(ends(theirs.interval), rel=1e-9)
