"""The order of systems under other definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.samples import present
from whichf1.errors import InputError


def paper_tables() -> Any:
    """Tables 1 and 2 of Opitz and Burst, predictions in rows."""
    tables = {"Table 1": [[5, 10], [5, 10]], "Table 2": [[1, 1], [9, 19]]}
    return {
        name: wf.Counts.from_matrix(table, rows="predicted", labels=["a", "b"])
        for name, table in tables.items()
    }


def test_the_papers_tables_flip() -> None:
    ranks = wf.rank_systems(paper_tables())
    values = [[score.value for score in order.scores.values()] for order in ranks.orders[:2]]
    assert values[0] == pytest.approx([0.49, 0.48], abs=0.005)  # averaged F1, as printed there
    assert values[1] == pytest.approx([0.50, 0.55], abs=0.006)  # .5553 is printed as .55 there
    (flip,) = ranks.flips
    assert {0} <= set(flip.a_better)  # averaged F1
    assert {1} <= set(flip.b_better)  # F1 of averages
    assert ranks.tau[0][1] == -1


def test_the_papers_example_file_flips(run: Run) -> None:
    code, out, err = run(
        "compare", "examples/paper_tables.csv", "--true", "gold", "--pred", "table_1",
        "--pred", "table_2",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "RANK FLIPS" in out
    assert "table_1 is better than table_2 by averaged F1" in out


def test_taus_are_those_of_scipy(data: Any) -> None:
    gold, systems, _ = data
    rng = np.random.default_rng(0)
    more = {
        str(at): [x if rng.random() < 0.7 else rng.choice(["cat", "dog"]) for x in gold]
        for at in range(4)
    }
    counts = {name: wf.count(gold, x) for name, x in {**systems, **more}.items()}
    ranks = wf.rank_systems(counts)
    table = [[s.value for s in order.scores.values()] for order in ranks.orders]
    for x, row in zip(table, ranks.tau, strict=True):
        for y, tau in zip(table, row, strict=True):
            assert tau == pytest.approx(
                stats.kendalltau(np.round(x, 12), np.round(y, 12)).statistic
            )
    for flip in ranks.flips:
        signs = {np.sign(row[ranks.systems.index(flip.a)] - row[ranks.systems.index(flip.b)])
                 for row in table}  # fmt: skip
        assert {1.0, -1.0} <= signs


def test_ties_and_lower_is_better_in_rankings() -> None:
    same = wf.count([0, 1, 1], [0, 1, 0])
    worse = wf.count([0, 1, 1], [1, 1, 0])
    ranks = wf.rank_systems({"a": same, "b": same, "c": worse}, ["error_rate", "accuracy"])
    assert [order.order for order in ranks.orders] == [(("a", "b"), ("c",))] * 2
    assert ranks.flips == ()
    assert ranks.tau[0][1] == 1
    with pytest.raises(InputError, match="two systems"):
        wf.rank_systems({"a": same})


def test_rank_flips_of_sets() -> None:
    """One system gets whole sets right, the other finds every label and some too many."""
    true = [{"a"}, {"b"}, {"a", "b"}, {"c"}, {"b", "c"}, {"a"}]
    strict = [{"a"}, {"b"}, {"a", "b"}, {"c"}, set(), set()]
    loose = [each | {"c"} for each in true]
    found = wf.compare(true, {"strict": strict, "loose": loose}, "subset_accuracy", replicates=99)
    (flip,) = present(found.ranks).flips
    assert (flip.a, flip.b) == ("strict", "loose")
    counts = [wf.count_multilabel(true, each) for each in (strict, loose)]
    for at, order in enumerate(present(found.ranks).orders):
        a, b = (wf.score(each, order.definition.signature).value for each in counts)
        assert [order.scores[name].value for name in ("strict", "loose")] == [a, b]
        ahead = (a - b) * (-1 if order.definition.metric == "hamming_loss" else 1)
        assert (at in flip.a_better, at in flip.b_better) == (ahead > 0, ahead < 0)
    titles = [order.definition.signature.split("|v:")[0] for order in present(found.ranks).orders]
    assert "f1|avg:samples|classes:observed|undef:0" in titles and len(titles) == 7
    some = wf.compare(true, {"s": strict, "l": loose}, "averaged_f1", exclude=["c"], replicates=99)
    assert all(order.definition.exclude == ("c",) for order in present(some.ranks).orders)


SYSTEMS = ("examples/systems.csv", ["careful", "biased", "weak"])


@pytest.mark.parametrize("adjust", ["holm", "none"])
def test_each_flip_says_under_which_definitions_it_is_significant(adjust: Any) -> None:
    """By the very tests that a comparison under each of these definitions makes."""
    ranks = present(wf.compare(*SYSTEMS, true="gold", replicates=0, adjust=adjust).ranks)
    assert ranks.flips and any(flip.significant for flip in ranks.flips)
    for at, order in enumerate(ranks.orders):
        text = order.definition.signature
        found = wf.compare(*SYSTEMS, text, true="gold", replicates=0, adjust=adjust)
        p = {(pair.a, pair.b): present(pair.p_adjusted) for pair in found.pairs}
        for flip in ranks.flips:
            expected = p[flip.a, flip.b]
            assert present(flip.p_adjusted)[at] == pytest.approx(expected, rel=1e-12)
            assert (at in present(flip.significant)) == (expected < 0.05)


def test_counts_of_each_system_alone_are_not_tested() -> None:
    (flip,) = wf.rank_systems(paper_tables()).flips
    assert flip.p_adjusted is None and flip.significant is None


def test_definitions_that_are_equal_on_these_data_are_one_row(run: Run) -> None:
    ranks = present(wf.compare(*SYSTEMS, true="gold", replicates=0).ranks)
    assert sorted(at for group in ranks.alike for at in group) == [*range(len(ranks.orders))]
    for group in ranks.alike:
        values = [[x.value for x in ranks.orders[at].scores.values()] for at in group]
        assert np.ptp(values, axis=0).max() <= 1e-12
    firsts = [[x.value for x in ranks.orders[g[0]].scores.values()] for g in ranks.alike]
    assert len(np.unique(np.round(firsts, 9), axis=0)) == len(firsts)  # and no others are equal
    pred = [word for name in SYSTEMS[1] for word in ("--pred", name)]
    out = run("compare", SYSTEMS[0], *pred, "--replicates", "0")[1]
    assert sum(line.startswith("micro F1 = accuracy ") for line in out.splitlines()) == 1
    assert "by averaged F1, F1 of averages and macro precision. Significant only by macro" in out
    csv_rows = run("compare", SYSTEMS[0], *pred, "--replicates", "0", "-f", "csv")[1]
    ranked = [line for line in csv_rows.splitlines() if line.startswith("ranked,careful")]
    assert len(ranked) == len(ranks.orders)  # all of them, for programs
