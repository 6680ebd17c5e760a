"""Properties of scores: each 'no' is shown by its tables, and no 'yes' breaks on larger ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers import exact
from whichf1.definitions.definition import define
from whichf1.errors import DefinitionError
from whichf1.metrics import METRICS
from whichf1.scoring.properties import CHECKS, MOST, all_tables, properties, values
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts

SCORES = ["averaged_f1", "f1_of_averages", "weighted_f1", "micro_f1", "macro_precision",
          "macro_recall", "accuracy", "cohen_kappa", "mcc", "precision", "error_rate",
          "f1|avg:macro|formula:averaged|classes:observed|undef:0|v:1",
          "f1|avg:macro|formula:averaged|classes:true|undef:skip|scope:no-hits|v:1"]  # fmt: skip
EXPECTED = {
    "averaged_f1": "yes no yes yes no no no",
    "f1_of_averages": "yes no yes yes no no no",
    "micro_f1": "yes no yes yes no no yes",
    "macro_recall": "yes yes yes no yes yes yes",
    "accuracy": "yes no yes yes no no yes",
    "cohen_kappa": "no no yes yes yes yes yes",
    "mcc": "no no yes yes yes yes no",
}
"""In the order of the checks."""


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_known(name: str) -> None:
    found = [("no", "yes")[each.holds] for each in properties(name).values()]
    assert " ".join(found) == EXPECTED[name]


def score(name: str, matrix: Any) -> float:
    """The score by another way: items, counted and scored in exact fractions."""
    items = [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]
    definition = wf.Definition.parse(name)
    if definition.declaration.kind == "rate" and definition.average is None:
        definition = define(name, None, {"positive": 0})
    return float(exact.score(items, range(len(matrix)), definition))


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.thinned(3)
def test_a_no_is_shown_by_its_tables(name: str) -> None:
    lower = wf.Definition.parse(name).declaration.better == "lower"
    for each in properties(name).values():
        assert (each.scores is None) == each.holds
        if each.scores is None:
            continue
        assert np.allclose(each.scores, [score(name, each.before), score(name, each.after)])
        before, after = each.scores
        if each.name == "monotone":
            assert (after > before) if lower else (after < before)
        elif each.name == "blind to skewed errors":
            assert (after < before) if lower else (after > before)
        else:
            assert abs(after - before) > 1e-12


def corrected(rng: np.random.Generator, table: Array) -> Array:
    i, j = next(x for x in rng.permutation([*np.ndindex(table.shape)]) if x[0] != x[1])
    after = table.copy()
    moved = min(1, after[i, j])
    after[i, j] -= moved
    after[i, i] += moved
    return after


def renamed(rng: np.random.Generator, table: Array) -> Array:
    order = rng.permutation(len(table))
    return table[np.ix_(order, order)]


def more_frequent(rng: np.random.Generator, table: Array) -> Array:
    return table * rng.integers(1, 9, (len(table), 1))


LARGER: dict[str, Callable[[np.random.Generator, Array], Array]] = {
    "monotone": corrected,
    "symmetric in the classes": renamed,
    "invariant to prevalence": more_frequent,
    "same if transposed": lambda rng, table: table.T,
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.thinned(3)
def test_no_yes_breaks_on_larger_tables(name: str) -> None:
    """A search that is not exhaustive, of up to six classes and very uneven cells."""
    rng = np.random.default_rng(3)
    found = properties(name)
    better = -1 if wf.Definition.parse(name).declaration.better == "lower" else 1
    definition = wf.Definition.parse(name)
    if definition.declaration.kind == "rate" and definition.average is None:
        definition = define(name, None, {"positive": 0})
    for check, change in LARGER.items():
        if not found[check].holds:
            continue
        for k in range(2, 7):
            before = rng.poisson(np.exp(2 * rng.standard_normal((300, k, k))))
            before[:, 0, 0] += 1
            after = np.array([change(rng, table) for table in before])
            by = better * (values(definition, after) - values(definition, before))
            by = by[~np.isnan(by)]
            assert (by > -1e-12).all() if check == "monotone" else (abs(by) < 1e-12).all(), check


def test_a_counterexample_is_the_smallest() -> None:
    """MCC falls when an error is corrected: on no table of fewer items, one by one."""
    found = properties("mcc")["monotone"]
    assert found.before is not None
    items = int(np.sum(found.before))
    assert items == 5
    for k, n in product(MOST, range(1, items)):
        for table in all_tables(k, n):
            for i, j in product(range(k), repeat=2):
                if i != j and table[i, j]:
                    after = table.copy()
                    after[i, j] -= 1
                    after[i, i] += 1
                    a, b = (Counts.from_matrix(x, rows="true") for x in (table, after))
                    assert wf.mcc(b) > wf.mcc(a) - 1e-12


def test_a_predictor_that_ignores_the_items() -> None:
    recall = properties("macro_recall")
    assert recall["fixed at random"].value == {2: 0.5, 3: pytest.approx(1 / 3)}
    assert str(recall["fixed when constant"]).startswith("yes: 0.5 with 2 classes, 0.3333 with 3")
    assert str(properties("cohen_kappa")["fixed at random"]).startswith("yes: always 0 (774 pairs")


def test_every_counted_metric_has_properties() -> None:
    for name, metric in METRICS.items():
        found = properties(name)
        ranked = {*CHECKS} if metric.better != "neither" else {*CHECKS} - {
            "monotone", "blind to skewed errors"}  # fmt: skip
        assert {*found} == ranked


@pytest.mark.parametrize(
    "text",
    ["roc_auc", "log_loss", 'f1|avg:macro|classes:["a"]|v:1', "f1|avg:macro|exclude:[0]|v:1",
     "accuracy|ignore:[0]|v:1", "f1|avg:macro|batch:8|v:1"],
)  # fmt: skip
def test_scores_of_other_things_have_none(text: str) -> None:
    with pytest.raises(DefinitionError, match=r"not computed from a table|any classes"):
        properties(text)
