"""compare on scores and losses: against jackknives and closed forms."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.samples import (
    MEANS,
    SINGLE,
    binary,
    items_of,
    present,
    probabilities,
    several,
    systems_of,
)
from whichf1.comparison import compare as comparing
from whichf1.errors import DefinitionError, InputError
from whichf1.scoring.lines import read_items


def test_aucs_are_compared_after_delong() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 200)
    systems = {"a": y + rng.normal(size=200), "b": (y + rng.normal(size=200)).round(1)}
    result = wf.compare(y, systems, "roc_auc", replicates=199)
    shares = []
    for s in systems.values():
        pairs = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        shares.append((pairs.mean(1), pairs.mean(0)))
    (a10, a01), (b10, b01) = shares
    variance = (a10 - b10).var(ddof=1) / len(a10) + (a01 - b01).var(ddof=1) / len(a01)
    pair = result.pairs[0]
    assert pair.difference == pytest.approx(a10.mean() - b10.mean())
    assert pair.standard_error == pytest.approx(math.sqrt(variance))
    assert (present(pair.interval).method, pair.test) == ("t", "t")
    assert result.scores["a"].value == pytest.approx(a10.mean())
    assert sum(result.best.values()) == pytest.approx(1)
    assert wf.compare(y, systems, result.signature).pairs == result.pairs


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_losses_are_compared_item_by_item(metric: str) -> None:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 150)
    systems = {name: rng.beta(2 + 2 * y, 4 - 2 * y) for name in "ab"}
    pair = wf.compare(y, systems, metric, replicates=99).pairs[0]
    losses: dict[str, Callable[[Any], Any]] = {
        "log_loss": lambda p: -np.log(np.where(y == 1, p, 1 - p)),
        "brier": lambda p: (p - y) ** 2,
    }
    difference = losses[metric](systems["a"]) - losses[metric](systems["b"])
    assert pair.difference == pytest.approx(difference.mean())
    assert pair.standard_error == pytest.approx(difference.std() / math.sqrt(150))


@pytest.mark.parametrize("name", SINGLE)
def test_differences_have_the_error_of_a_jackknife(name: str) -> None:
    y, first = binary(1, n=300, digits=8)
    systems = {"a": first, "b": first + np.random.default_rng(2).normal(size=300)}
    pair = wf.compare(y, systems, name, replicates=0).pairs[0]
    left_out = np.ones((300, 300)) - np.eye(300)
    values = [
        items_of(name, {}, y, s)[0].statistic.values(left_out)[..., 0] for s in systems.values()
    ]
    difference = values[0] - values[1]
    jackknife = 299 / 300 * ((difference - difference.mean()) ** 2).sum()
    assert present(pair.standard_error) ** 2 == pytest.approx(jackknife, rel=0.1)
    assert pair.p_bootstrap is None and pair.p_randomization is None


@pytest.mark.parametrize(("name", "options"), MEANS)
def test_means_over_classes_are_compared(name: str, options: dict[str, Any]) -> None:
    y, first = several(1)
    systems = {"a": first, "b": first + np.random.default_rng(2).normal(size=first.shape)}
    pair = wf.compare(y, systems, name, replicates=999, **options).pairs[0]
    left_out = np.ones((len(y), len(y))) - np.eye(len(y))
    values = [
        items_of(name, options, y, s)[0].statistic.values(left_out)[..., 0]
        for s in systems.values()
    ]
    difference = values[0] - values[1]
    jackknife = (len(y) - 1) / len(y) * ((difference - difference.mean()) ** 2).sum()
    assert present(pair.standard_error) ** 2 == pytest.approx(jackknife, rel=0.15)
    assert present(pair.bootstrap).high - present(pair.bootstrap).low == pytest.approx(
        present(pair.interval).high - present(pair.interval).low, rel=0.15
    )


def test_copies_in_a_cluster_add_no_information() -> None:
    y, p = probabilities(2)
    systems = {"a": p, "b": probabilities(3)[1]}
    alone = np.arange(len(y))
    twice = np.repeat(alone, 2)
    metrics: list[tuple[str, dict[str, Any]]] = [
        ("log_loss", {}),
        ("roc_auc(multi_class=ovo)", {"average": "macro"}),
    ]
    for name, options in metrics:
        one = wf.compare(y, systems, name, cluster=alone, replicates=0, **options).pairs[0]
        doubled = {x: s[twice] for x, s in systems.items()}
        two = wf.compare(y[twice], doubled, name, cluster=twice, replicates=0, **options).pairs[0]
        assert two.standard_error == pytest.approx(one.standard_error, rel=1e-10)
        weighted = wf.compare(
            y, systems, name, weights=np.full(len(y), 3.0), cluster=alone, replicates=0, **options
        ).pairs[0]
        assert weighted.standard_error == pytest.approx(one.standard_error, rel=1e-10)


def test_many_items_have_the_delta_method_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    y, systems = systems_of("ranking", n=300)
    usual = wf.compare(y, systems, "roc_auc", replicates=999)
    monkeypatch.setattr(comparing, "DRAWN", 1000)
    quick = wf.compare(y, systems, "roc_auc", replicates=999)
    assert quick.pairs[0].p_bootstrap is None and quick.pairs[0].p_randomization is None
    assert quick.pairs[0].p_value == usual.pairs[0].p_value
    assert quick.best["a"] == pytest.approx(usual.best["a"], abs=0.05)
    assert wf.compare(y, systems, "ks", replicates=99).pairs[0].p_bootstrap is not None


def test_losses_of_many_items_are_quick() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200_000)
    systems = {x: rng.random(200_000) for x in "ab"}
    start = time.process_time()
    wf.compare(y, systems, "log_loss", replicates=0)
    assert time.process_time() - start < 1  # 2.5 µs an item and system; one by one 10 to 20


def test_top_k_has_mcnemars_test() -> None:
    y, p = probabilities(1)
    other = probabilities(2)[1]
    pair = wf.compare(y, {"a": p, "b": other}, "top_k_accuracy(k=1)", replicates=99).pairs[0]
    right = [x.argmax(1) == y for x in (p, other)]
    assert pair.only_a == (right[0] & ~right[1]).sum() == present(pair.mcnemar).only_a
    weighted = wf.compare(
        y, {"a": p, "b": other}, "top_k_accuracy", weights=np.ones(len(y)), replicates=99
    )
    assert weighted.pairs[0].mcnemar is None


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "log_loss", "ks"])
def test_columns_take_weights_and_clusters(name: str, tmp_path: Path) -> None:
    import pandas as pd

    y, systems = systems_of("ranking", n=60)
    rng = np.random.default_rng(1)
    # equal scores with different weights: a group of them is not one item
    data = {"y": y, "s": systems["a"].round(1), "t": systems["b"].round(2)}
    frame = pd.DataFrame({**data, "w": rng.random(60).round(3) + 0.1, "d": np.arange(60) // 3})
    path = tmp_path / "scores.csv"
    frame.to_csv(path, index=False)
    method: Any = wf.Bootstrap(replicates=99) if name == "ks" else "delta"
    every = {"weights": "w", "cluster": "d"}
    for columns in ({}, {"weights": "w"}, {"cluster": "d"}, every):
        arrays = {key: frame[column].to_numpy() for key, column in columns.items()}
        expected = wf.score(y, data["s"], name, interval=method, **arrays)
        pair = wf.compare(y, {"s": data["s"], "t": data["t"]}, name, replicates=99, **arrays)
        for source in (frame, path):
            own: dict[str, Any] = {"true": "y", **columns}
            found = wf.score(source, name, score="s", interval=method, **own)
            assert found.signature == expected.signature
            assert found.value == pytest.approx(expected.value, rel=1e-12)
            if name != "ks":  # the order of the lines is the engine's
                assert present(found.interval).low == pytest.approx(
                    present(expected.interval).low, rel=1e-9
                )
            both = wf.compare(source, ["s", "t"], name, replicates=99, **own)
            assert both.pairs[0].difference == pytest.approx(pair.pairs[0].difference, abs=1e-12)


def test_a_class_without_items_cannot_be_ranked() -> None:
    with pytest.raises(InputError, match="no items of class 2"):
        read_items(
            wf.Definition.parse("roc_auc(multi_class=ovr)|avg:macro"), [0, 1], [np.eye(3)[:2]]
        )
    with pytest.raises(DefinitionError, match="replicates must be above 0"):
        wf.compare([0, 1], {"a": [0, 1], "b": [1, 0]}, "ks", replicates=0)
    assert math.isfinite(wf.roc_auc([0, 1], [0, 1]).value)
