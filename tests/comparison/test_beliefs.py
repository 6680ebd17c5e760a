"""Posterior probabilities of a difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import whichf1 as wf
from tests.helpers.samples import present, simulated, systems_of
from whichf1.comparison.significance import PRIORS
from whichf1.errors import DefinitionError


def test_of_two_classes_the_posterior_of_accuracy_is_a_beta() -> None:
    """P(A better) = P(p > ½) with p ~ Beta(b + ½, c + ½): Jeffreys' prior of a discordant item."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 200)
    a, b = (np.where(rng.random(200) < p, true, 1 - true) for p in (0.85, 0.8))
    pair = wf.compare(true, {"A": a, "B": b}, "accuracy", posterior=True, replicates=9999).pairs[0]
    beliefs = present(pair.posterior)
    assert tuple(x.prior for x in beliefs) == PRIORS
    for belief in beliefs:
        half = belief.prior / 2
        shapes = present(pair.only_a) + half, present(pair.only_b) + half
        exact = stats.beta.sf(0.5, *shapes)
        assert belief.better == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9999))


def test_one_sided_items_are_no_certainty() -> None:
    true = np.arange(100) % 2
    worse = np.where(np.arange(100) < 3, 1 - true, true)
    options: dict[str, Any] = {"posterior": True, "replicates": 9999}
    pair = wf.compare(true, {"A": true, "B": worse}, "accuracy", **options).pairs[0]
    weak, sceptical = present(pair.posterior)
    assert 0.95 < weak.better < 0.995
    assert sceptical.better < weak.better - 0.05


@pytest.mark.parametrize("kind", ["rate", "loss", "ranking"])
@pytest.mark.parametrize("data", ["plain", "cluster", "weights"])
def test_both_ways_add_up(kind: str, data: str) -> None:
    rng = np.random.default_rng(2)
    n = 120
    if kind == "rate":
        y, systems = systems_of("rate", n=n)
        metric = "averaged_f1"
    else:
        y = np.arange(n) % 2
        systems = {name: rng.beta(2 + y, 3 - y) for name in "ab"}
        metric = "log_loss" if kind == "loss" else "roc_auc"
    options: dict[str, Any] = {"rope": 0.05, "replicates": 499}
    options |= {"cluster": np.arange(n) // 3} if data == "cluster" else {}
    options |= {"weights": rng.random(n)} if data == "weights" else {}
    one = wf.compare(y, systems, metric, **options)
    two = wf.compare(y, dict(reversed(systems.items())), metric, **options)
    for left, right in zip(*(present(x.pairs[0].posterior) for x in (one, two)), strict=True):
        assert left.better + right.better == pytest.approx(1, abs=0.1)
        assert left.rope == pytest.approx(present(right.rope), abs=0.1)
        towards = left.better > 0.5 if metric == "log_loss" else left.better < 0.5
        assert towards == (one.pairs[0].difference < 0) or abs(left.better - 0.5) < 0.1
    assert wf.compare(y, systems, one.signature, **{k: v for k, v in options.items()
        if k in ("cluster", "weights")}).pairs == one.pairs  # fmt: skip


def test_only_if_asked_for() -> None:
    true, systems = simulated(1)
    assert wf.compare(true, systems, replicates=0).pairs[0].posterior is None
    with_rope = wf.compare(true, systems, rope=0.1, replicates=99)
    assert "|posterior:true|rope:0.1|" in with_rope.signature
    assert all(0 < present(x.rope) < 1 for x in present(with_rope.pairs[0].posterior))
    with pytest.raises(DefinitionError, match="rope must be above 0"):
        wf.compare(true, systems, rope=-1)
