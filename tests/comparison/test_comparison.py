"""Comparisons: tests against scipy and exact enumeration, rankings, reports, the command."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

import whichf1 as wf
from whichf1.comparison import compare, significance
from whichf1.comparison.result import Plan
from whichf1.comparison.significance import letters
from whichf1.definitions.definition import define
from whichf1.errors import DefinitionError, InputError, LabelError, ShapeError
from whichf1.report.escape import visible
from whichf1.scoring.evaluate import evaluate_systems
from whichf1.sources.arrays import count_together
from whichf1.sources.systems import read_systems
from whichf1.statistics.cells import shared_cells
from whichf1.statistics.intervals import replicates

SYSTEMS = "examples/systems.csv"
COLUMNS = ("careful", "biased", "weak")


def columns(path=SYSTEMS):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.fixture(scope="module")
def data():
    found = columns()
    return found["gold"], {name: found[name] for name in COLUMNS}, found["document"]


def simulated(seed, n=300, k=3, accuracies=(0.8, 0.7)):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    return true, {
        f"S{at}": np.where(rng.random(n) < right, true, rng.integers(0, k, n))
        for at, right in enumerate(accuracies)
    }


# counting together


def test_joint_counts_are_those_of_each_system(data):
    gold, systems, _ = data
    joint = count_together(gold, systems)
    for at, name in enumerate(systems):
        assert joint.system(at) == wf.count(gold, systems[name])
    own = read_systems(SYSTEMS, COLUMNS, counted=True, true="gold")
    assert [own.system(at) for at in range(3)] == [joint.system(at) for at in range(3)]
    assert int(joint.count.sum()) == joint.n == len(gold)


@pytest.mark.parametrize(
    "values", [[0, 1, 5], [-7, 10**12, 3], [True, False, True], ["x", "y", "Ω"], [2**40, 0, 1]]
)
def test_labels_of_any_kind_are_counted_together(values):
    rng = np.random.default_rng(0)
    true, a, b = ([values[i] for i in rng.integers(0, 3, 80)] for _ in range(3))
    joint = count_together(true, {"a": a, "b": b}, weights=np.ones(80))
    assert joint.system(0).labels == wf.count(true, a).labels
    np.testing.assert_array_equal(joint.system(0).matrix, wf.count(true, a).matrix)
    np.testing.assert_array_equal(joint.system(1).matrix, wf.count(true, b).matrix)


def test_many_classes_and_systems_are_counted_together():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3000, 2000)
    systems = {str(at): rng.integers(0, 3000, 2000) for at in range(7)}
    joint = count_together(true, systems)
    for at, name in enumerate(systems):
        expected = wf.count(true, systems[name], labels=joint.labels)
        assert wf.accuracy(joint.system(at)) == wf.accuracy(expected)
        np.testing.assert_array_equal(joint.system(at).count, expected.count)


def test_what_does_not_fit_is_refused():
    cases = [
        (lambda: wf.compare([0, 1], {"a": [0, 1], "b": [0]}), ShapeError, "b has 1"),
        (lambda: wf.compare([0, 1], {"a": [0, 1]}), InputError, "at least two systems"),
        (lambda: wf.compare([0, 1], {}), InputError, "no systems"),
        (lambda: wf.compare([0], {"a": [0], "b": ["0"]}), LabelError, "label types differ"),
        (lambda: wf.compare([], {"a": [], "b": []}), ShapeError, "no items"),
        (lambda: wf.compare([0], {"a": [0], "b": [3]}, labels=[0, 1]), LabelError, "label 3"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, "f1"), DefinitionError, "which class"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, seed=-1), DefinitionError, "seed"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, margin=0.0), DefinitionError, "margin"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, power=1), DefinitionError, "power"),
        (lambda: wf.compare([0], {"a": [0], "b": [0]}, cluster=[1, 2]), ShapeError, "cluster has"),
        (
            lambda: wf.compare([0], {"a": [0], "b": [0]}, interval="bootstrap"),
            DefinitionError,
            "leave interval= out",
        ),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


# tests of one pair


def test_the_difference_of_accuracies_has_mcnemars_error():
    """(b − c)/n ± z √(b + c − (b − c)²/n) / n, with b and c the discordant items."""
    true, systems = simulated(1)
    pair = wf.compare(true, systems, "accuracy", replicates=99).pairs[0]
    right = [np.asarray(x) == true for x in systems.values()]
    b, c, n = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum()), len(true)
    assert (pair.only_a, pair.only_b) == (b, c)
    assert pair.changed == int((systems["S0"] != systems["S1"]).sum())
    assert pair.difference == pytest.approx((b - c) / n)
    assert pair.standard_error == pytest.approx(math.sqrt(b + c - (b - c) ** 2 / n) / n)
    assert pair.mcnemar.p_exact == pytest.approx(stats.binomtest(b, b + c).pvalue)
    assert pair.mcnemar.p_chi2 == pytest.approx(stats.chi2.sf((b - c) ** 2 / (b + c), 1))
    pmf = stats.binom.pmf(min(b, c), b + c, 0.5)
    assert pair.mcnemar.p_mid == pytest.approx(pair.mcnemar.p_exact - pmf)
    half = stats.norm.ppf(0.975) * pair.standard_error
    assert pair.interval.low == pytest.approx(pair.difference - half)
    z = pair.difference / pair.standard_error
    assert pair.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_mcnemar_where_it_applies_and_nowhere_else():
    true, systems = simulated(2)
    for metric, options, applies in (
        ("error_rate", {}, True),
        ("micro_f1", {}, True),
        ("recall", {"positive": 1}, True),
        ("precision", {"positive": 1}, False),
        ("averaged_f1", {}, False),
        ("mcc", {}, False),
    ):
        pair = wf.compare(true, systems, metric, replicates=0, **options).pairs[0]
        assert (pair.mcnemar is not None) == applies, metric
    pair = wf.compare(true, systems, "recall", positive=1, replicates=0).pairs[0]
    ones = true == 1
    a, b = (np.asarray(x)[ones] == 1 for x in systems.values())
    assert pair.mcnemar.only_a == (a & ~b).sum()
    assert wf.compare(true, systems, "accuracy", weights=np.ones(300)).pairs[0].mcnemar is None
    assert significance.mcnemar_test(0, 0).p_exact == 1
    assert significance.mcnemar_test(5, 5).p_mid == 1


@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", "cohen_kappa", "error_rate"])
def test_randomization_is_that_of_all_swaps(metric):
    """All 2⁹ ways to swap the predictions of nine items, one by one."""
    true = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 2])
    a = np.array([0, 0, 0, 1, 1, 1, 2, 2, 0, 1, 0, 2])
    b = np.array([1, 2, 0, 2, 0, 0, 2, 1, 2, 2, 0, 0])
    differ = np.flatnonzero(a != b)
    assert len(differ) == 9
    score = getattr(wf, metric)

    def difference(x, y):
        return score(true, x, labels=[0, 1, 2]).value - score(true, y, labels=[0, 1, 2]).value

    observed = abs(difference(a, b))
    extreme = 0
    for swaps in product([False, True], repeat=9):
        at = differ[list(swaps)]
        x, y = a.copy(), b.copy()
        x[at], y[at] = b[at], a[at]
        extreme += abs(difference(x, y)) >= observed - 1e-12
    exact = extreme / 2**9
    pair = wf.compare(true, {"a": a, "b": b}, metric, replicates=20_000).pairs[0]
    assert pair.p_randomization == pytest.approx(exact, abs=4 * math.sqrt(exact / 20_000))


def test_clusters_are_swapped_whole():
    true = np.array([0, 0, 1, 1, 0, 1, 1, 0])
    a, b = true.copy(), true.copy()
    b[[0, 1, 2, 4]] = 1 - b[[0, 1, 2, 4]]
    cluster = [0, 0, 0, 1, 1, 2, 2, 3]  # 3, 1, 0 and 0 items differ
    pair = wf.compare(true, {"a": a, "b": b}, "accuracy", cluster=cluster, replicates=20_000).pairs[
        0
    ]
    # |±3 ± 1| ≥ 4 in two of four ways
    assert pair.p_randomization == pytest.approx(0.5, abs=0.015)
    weighted = wf.compare(
        true, {"a": a, "b": b}, "accuracy", cluster=cluster, weights=np.full(8, 2.0), replicates=999
    )
    assert weighted.pairs[0].p_randomization == pytest.approx(0.5, abs=0.06)
    plain = wf.compare(true, {"a": a, "b": b}, "accuracy", weights=np.full(8, 2.0), replicates=99)
    assert plain.pairs[0].p_randomization is None


def test_the_paired_bootstrap_centres_the_signed_difference():
    true, systems = simulated(3, n=200)
    joint = count_together(true, systems)
    definition = define("averaged_f1")
    each = {name: joint.system(at) for at, name in enumerate(systems)}
    statistics, sample = shared_cells(evaluate_systems(definition, each)[1], joint)
    values = replicates(statistics, sample, 4000, 5)
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 200, (2000, 200))
    row_values = np.array(
        [[float(wf.averaged_f1(true[r], x[r], labels=[0, 1, 2])) for x in systems.values()]
         for r in rows[:1500]]
    )  # fmt: skip
    differences = values[:, 0] - values[:, 1]
    assert stats.ks_2samp(differences, row_values[:, 0] - row_values[:, 1]).pvalue > 0.01
    observed = float(np.subtract(*(each.values(sample.count)[0] for each in statistics)))
    expected = (1 + (np.abs(differences - observed) >= abs(observed)).sum()) / 4001
    assert significance.bootstrap_p(observed, differences) == pytest.approx(expected)
    with_holes = np.append(differences, [np.nan] * 100)
    assert significance.bootstrap_p(observed, with_holes) == pytest.approx(expected)


def test_holm_and_equivalence():
    assert significance.holm([0.01, 0.04, 0.03, None]) == pytest.approx([0.03, 0.06, 0.06, None])
    assert significance.holm([0.5, 0.9]) == [1.0, 1.0]
    d, se, margin = 0.01, 0.02, 0.05
    both = max(stats.norm.sf((d + margin) / se), stats.norm.cdf((d - margin) / se))
    assert significance.equivalence_p(d, se, margin) == pytest.approx(both)
    true, systems = simulated(4, n=2000, accuracies=(0.8, 0.8))
    result = wf.compare(true, systems, "accuracy", margin=0.1, replicates=0)
    assert result.pairs[0].p_equivalence < 0.001
    assert "margin:0.1" in result.signature


def test_sample_sizes_are_inverses():
    true, systems = simulated(5)
    pair = wf.compare(true, systems, "averaged_f1", power=0.9, replicates=0).pairs[0]
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.9)
    assert pair.detectable == pytest.approx(z * pair.standard_error)
    needed = 300 * (z * pair.standard_error / pair.difference) ** 2
    assert pair.items_needed == math.ceil(needed)
    # with as many items as needed, the difference found is the detectable one
    assert significance.items_needed(300, pair.detectable, pair.standard_error, 0.95, 0.9) in (
        300,
        301,
    )


def test_same_and_opposite_predictions():
    true = [0, 1, 0, 1, 1]
    same = wf.compare(true, {"a": [0, 1, 1, 1, 0], "b": [0, 1, 1, 1, 0]}).pairs[0]
    assert (same.difference, same.p_value, same.interval) == (0, 1.0, None)
    assert same.p_bootstrap == same.p_randomization == 1
    assert same.items_needed is None
    opposite = wf.compare(true, {"a": true, "b": [1 - x for x in true]}, "accuracy")
    pair = opposite.pairs[0]
    assert pair.difference == 1
    assert (pair.p_value, pair.interval) == (None, None)  # nothing varies: no variance to test by
    assert pair.p_randomization < 0.1
    assert opposite.best == {"a": 1.0, "b": 0.0}


# several systems


def test_p_best_letters_and_ranking(data):
    gold, systems, _ = data
    result = wf.compare(gold, systems, "accuracy")
    assert sum(result.best.values()) == pytest.approx(1)
    assert result.ranking == ("careful", "biased", "weak")
    assert result.ranking == tuple(
        sorted(systems, key=lambda name: -wf.accuracy(gold, systems[name]).value)
    )
    lower = wf.compare(gold, systems, "error_rate")
    assert lower.ranking == result.ranking
    assert lower.best == result.best
    for pair in result.pairs:
        shared = set(result.letters[pair.a]) & set(result.letters[pair.b])
        assert bool(shared) == (pair.p_adjusted >= 0.05)


def test_letters_by_hand():
    names = ("a", "b", "c", "d")
    assert letters(names, set()) == dict.fromkeys(names, "a")
    apart = {("a", "c"), ("a", "d"), ("b", "d")}
    assert letters(names, apart) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    every = {(x, y) for x in names for y in names if x < y}
    assert letters(names, every) == dict(zip(names, names, strict=True))


def paper_tables():
    """Tables 1 and 2 of Opitz and Burst, predictions in rows."""
    tables = {"Table 1": [[5, 10], [5, 10]], "Table 2": [[1, 1], [9, 19]]}
    return {
        name: wf.Counts.from_matrix(table, rows="predicted", labels=["a", "b"])
        for name, table in tables.items()
    }


def test_the_papers_tables_flip():
    ranks = wf.rank_systems(paper_tables())
    values = [[score.value for score in order.scores.values()] for order in ranks.orders[:2]]
    assert values[0] == pytest.approx([0.49, 0.48], abs=0.005)  # averaged F1, as printed there
    assert values[1] == pytest.approx([0.50, 0.55], abs=0.006)  # .5553 is printed as .55 there
    (flip,) = ranks.flips
    assert {0} <= set(flip.a_better)  # averaged F1
    assert {1} <= set(flip.b_better)  # F1 of averages
    assert ranks.tau[0][1] == -1


def test_the_papers_example_file_flips(run):
    code, out, err = run(
        "compare", "examples/paper_tables.csv", "--true", "gold", "--pred", "table_1",
        "--pred", "table_2",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "RANK FLIPS" in out
    assert "table_1 is better by averaged F1" in out


def test_taus_are_those_of_scipy(data):
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


def test_ties_and_lower_is_better_in_rankings():
    same = wf.count([0, 1, 1], [0, 1, 0])
    worse = wf.count([0, 1, 1], [1, 1, 0])
    ranks = wf.rank_systems({"a": same, "b": same, "c": worse}, ["error_rate", "accuracy"])
    assert [order.order for order in ranks.orders] == [(("a", "b"), ("c",))] * 2
    assert ranks.flips == ()
    assert ranks.tau[0][1] == 1
    with pytest.raises(InputError, match="two systems"):
        wf.rank_systems({"a": same})


def test_systems_are_scored_on_the_same_classes():
    result = wf.compare([0, 0, 1], {"a": [0, 0, 1], "b": [0, 2, 1]}, replicates=0)
    assert result.scores["a"].classes == (0, 1, 2)
    assert result.scores["a"].value == pytest.approx(2 / 3)


# scores


def test_aucs_are_compared_after_delong():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 200)
    systems = {"a": y + rng.normal(size=200), "b": (y + rng.normal(size=200)).round(1)}
    result = wf.compare(y, systems, "roc_auc")
    shares = []
    for s in systems.values():
        pairs = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        shares.append((pairs.mean(1), pairs.mean(0)))
    (a10, a01), (b10, b01) = shares
    variance = (a10 - b10).var(ddof=1) / len(a10) + (a01 - b01).var(ddof=1) / len(a01)
    pair = result.pairs[0]
    assert pair.difference == pytest.approx(a10.mean() - b10.mean())
    assert pair.standard_error == pytest.approx(math.sqrt(variance))
    assert pair.interval.method == "delong"
    assert result.scores["a"].value == pytest.approx(a10.mean())
    assert sum(result.best.values()) == pytest.approx(1)
    assert wf.compare(y, systems, result.signature).pairs == result.pairs


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_losses_are_compared_item_by_item(metric):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 150)
    systems = {name: rng.beta(2 + 2 * y, 4 - 2 * y) for name in "ab"}
    pair = wf.compare(y, systems, metric).pairs[0]
    own = {
        "log_loss": lambda p: -np.log(np.where(y == 1, p, 1 - p)),
        "brier": lambda p: (p - y) ** 2,
    }[metric]
    difference = own(systems["a"]) - own(systems["b"])
    assert pair.difference == pytest.approx(difference.mean())
    assert pair.standard_error == pytest.approx(difference.std() / math.sqrt(150))


# results, reports, the command


def test_a_comparison_runs_again_from_its_signature(data):
    gold, systems, document = data
    first = wf.compare(
        gold, systems, "f_beta(beta=2)", average="macro", cluster=document, seed=5, level=0.9,
        replicates=499, margin=0.05,
    )  # fmt: skip
    again = wf.compare(gold, systems, first.signature, cluster=document)
    assert again.pairs == first.pairs
    assert again.signature == first.signature
    assert "seed:5" in first.signature and "level:0.9" in first.signature
    assert wf.compare(gold, systems, seed=6, replicates=499).pairs != first.pairs
    with pytest.raises(DefinitionError, match="not of a comparison"):
        wf.compare(gold, systems, "accuracy|seed:3|v:1")
    assert Plan().text().count("|") == 5


def flags(*more):
    preds = [flag for name in COLUMNS for flag in ("--pred", name)]
    return ["compare", SYSTEMS, "--true", "gold", *preds, *more]


def test_the_command_prints_what_the_function_gives(run, data):
    gold, systems, _ = data
    expected = wf.compare(gold, systems)
    code, out, err = run(*flags("--format", "json"))
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["signature"] == expected.signature
    assert record["ranking"] == list(expected.ranking)
    for pair, own in zip(record["pairs"], expected.pairs, strict=True):
        assert pair["p_value"] == own.p_value
        assert pair["p_randomization"] == own.p_randomization
        assert pair["interval"]["low"] == own.interval.low
        assert pair["signature"] == expected.signature
    assert [(x["a"], x["b"]) for x in record["flips"]] == [(x.a, x.b) for x in expected.flips]
    assert len(record["rankings"]) == len(expected.ranks.orders)


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv"])
def test_every_format_says_that_ranks_flip(run, format):
    code, out, err = run(*flags("--format", format, "--replicates", "99", "--margin", "0.1"))
    assert (code, err) == (0, "")
    shown = out.replace("{-}", "-").replace(r"\_", "_").replace(r"\textbar{}", "|")
    shown = shown.replace("&#95;", "_").replace("&#124;", "|")
    assert "seed:2019" in shown and "replicates:99" in shown
    assert ("RANK FLIPS" in shown) or (format == "csv" and "\nflip,careful,biased" in shown)
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert all(row["signature"] for row in rows)
        assert {"score", "p_best", "difference", "p_value", "ranked"} <= {r["what"] for r in rows}


def test_flips_are_seen_before_the_tests_and_absence_is_said(run):
    _, out, _ = run(*flags("--replicates", "0"))
    assert out.index("RANK FLIPS") < out.index("Pairs: A")
    _, out, _ = run("compare", SYSTEMS, "--true", "gold", "--pred", "careful", "--pred", "careful2")
    assert out == ""
    code, out, _ = run(
        "compare",
        SYSTEMS,
        "--true",
        "gold",
        "--pred",
        "gold",
        "--pred",
        "weak",
        "--replicates",
        "99",
    )
    assert code == 0
    assert "The order is the same under every definition" in out


def test_the_command_with_clusters_weights_and_a_file(run, tmp_path, data):
    gold, systems, document = data
    target = tmp_path / "out.json"
    code, out, _ = run(*flags("--cluster", "document", "-f", "json", "-o", target, "-m", "mcc"))
    assert (code, out) == (0, "")
    record = json.loads(target.read_text())
    expected = wf.compare(gold, systems, "mcc", cluster=document)
    assert record["pairs"][0]["standard_error"] == pytest.approx(expected.pairs[0].standard_error)
    assert record["signature"].endswith("clusters:50")
    path = tmp_path / "w.csv"
    path.write_text("t,a,b,w\nx,x,y,1\ny,y,y,2\ny,x,y,0.5\nx,x,x,0\n")
    options = ("--true", "t", "--pred", "a", "--pred", "b", "--weights", "w", "-f", "json")
    code, out, _ = run("compare", path, *options)
    assert code == 0
    assert json.loads(out)["pairs"][0]["difference"] == pytest.approx(
        wf.compare(["x", "y", "y"], {"a": ["x", "y", "x"], "b": ["y", "y", "y"]},
                   weights=[1, 2, 0.5], replicates=0).pairs[0].difference
    )  # fmt: skip


def test_scores_are_compared_on_the_command_line(run, tmp_path):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    systems = {name: rng.beta(2 + y, 3 - y).round(3) for name in ("s", "t")}
    path = tmp_path / "scores.csv"
    lines = (f"{a},{b},{c}" for a, b, c in zip(y, systems["s"], systems["t"], strict=True))
    path.write_text("\n".join(["y,s,t", *lines]) + "\n")
    own = ["compare", path, "--true", "y", "--pred", "s", "--pred", "t"]
    for metric in ("roc_auc", "log_loss"):
        code, out, err = run(*own, "-m", metric, "--positive", "1", "-f", "json")
        assert (code, err) == (0, "")
        expected = wf.compare(y, systems, metric)
        record = json.loads(out)
        assert record["pairs"][0]["p_value"] == pytest.approx(expected.pairs[0].p_value)
        assert "flips" not in record
        for format in ("text", "markdown", "latex", "csv"):
            code, out, err = run(*own, "-m", metric, "-f", format)
            assert (code, err) == (0, "")
            assert "only A" not in out
    code, _, err = run(*own, "-m", "roc_auc", "--classes", "true")
    assert code == 2
    assert "--classes does not apply" in err


def test_scores_of_clusters_and_missing_intervals_are_said(run, tmp_path):
    code, out, _ = run(
        "score", SYSTEMS, "--true", "gold", "--pred", "weak", "--cluster", "document",
        "--interval", "percentile", "--replicates", "99", "--seed", "3", "-m", "mcc",
    )  # fmt: skip
    assert code == 0
    assert "replicates:99|seed:3|kind:percentile" in out
    assert "clusters:50" in out
    perfect = tmp_path / "p.csv"
    perfect.write_text("true,pred\na,a\nb,b\n")
    for format in ("text", "markdown", "latex"):
        _, out, _ = run("score", perfect, "-f", format)
        assert ": no interval, because" in out
    _, out, _ = run("score", perfect, "-m", "accuracy", "--interval", "wilson")
    assert "no interval" not in out
    rare = tmp_path / "r.csv"
    rare.write_text("true,pred\na,a\na,b\n" + "b,b\n" * 20)
    options = ("-m", "recall", "--positive", "a", "--undefined", "nan", "--interval", "bootstrap")
    _, out, _ = run("score", rare, *options)
    assert "replicates were undefined" in out


def test_bad_commands_say_what_to_do(run):
    cases = [
        (("--pred", "nope"), "no column 'nope'"),
        (("--pred", "weak"), "named twice"),
        (("--margin", "-1"), "margin must be"),
        (("-m", "accurcy"), "Did you mean 'accuracy'"),
        (("--cluster", "nope"), "no column 'nope'"),
    ]
    for more, message in cases:
        code, out, err = run(*flags(*more))
        assert (code, out) == (2, "")
        assert message in err


def test_names_of_systems_are_escaped(tmp_path, run):
    path = tmp_path / "x.csv"
    path.write_text('gold,"\x1b[31m|<b>$",=1+1\na,a,a\nb,a,b\nb,b,b\na,a,b\n')
    arguments = ["compare", path, "--true", "gold", "--pred", "\x1b[31m|<b>$", "--pred", "=1+1"]
    for format in ("text", "markdown", "latex", "csv", "json"):
        code, out, _ = run(*arguments, "-f", format, "--replicates", "99")
        assert code == 0
        assert "\x1b" not in out
        assert format in ("text", "csv", "json") or "<b>" not in out
        if format == "csv":
            assert all(
                not cell.startswith("=") for row in csv.reader(io.StringIO(out)) for cell in row
            )
    assert visible("\x1b") == "\\x1b"


def test_an_interrupt_leaves_cleanly(run, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "replicates_of", stop)
    code, out, err = run(*flags())
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_a_bar_is_shown_on_a_terminal_while_resampling_takes_long(monkeypatch, capsys):
    import sys

    from whichf1.statistics import sample

    monkeypatch.setattr(sample, "LONG", 0)
    counts = wf.count([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    quiet = wf.averaged_f1(counts, interval="bootstrap")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    shown = wf.averaged_f1(counts, interval="bootstrap")
    assert "resampling" in capsys.readouterr().err
    assert shown.interval == quiet.interval
