"""A signature that is used on data of another kind warns, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.samples import systems_of
from whichf1.errors import DefinitionError, OtherDataWarning
from whichf1.scoring.evaluate import evaluate_per_class


def test_a_signature_warns_on_data_of_another_kind() -> None:
    y, systems = systems_of("rate", n=120)
    cluster = np.arange(120) // 3
    first = wf.compare(y, systems, "accuracy", cluster=cluster, replicates=99)
    with pytest.warns(OtherDataWarning, match="40 clusters"):
        wf.compare(y, systems, first.signature)
    assert wf.compare(y[:90], {k: s[:90] for k, s in systems.items()}, first.signature,
                      cluster=cluster[:90]).pairs  # n differs, as it does on new data  # fmt: skip
    weighted = wf.accuracy(y, systems["a"], weights=np.ones(120) * 2)
    assert "|weighted:true" in weighted.signature
    with pytest.warns(OtherDataWarning, match="weighted items"):
        wf.score(y, systems["a"], weighted.signature)
    plain = wf.averaged_f1(y, systems["a"])
    with pytest.warns(OtherDataWarning, match="of 3 classes"):
        wf.Definition.parse(plain.signature)(y % 2, systems["a"] % 2)
    clustered = wf.accuracy(y, systems["a"], cluster=cluster)
    again = wf.Definition.parse(clustered.signature)(y, systems["a"])  # no interval: no matter
    assert again.value == clustered.value
    scores = {"a": y + 0.1, "b": y * 0.5}
    auc = wf.compare(y == 1, scores, "roc_auc", cluster=cluster, replicates=99)
    with pytest.warns(OtherDataWarning, match="40 clusters"):
        wf.compare(y == 1, scores, auc.signature)


def warned(call: Callable[..., object], *arguments: Any) -> list[str]:
    """What kinds of other data a call warns of."""
    with pytest.warns(OtherDataWarning) as caught:
        call(*arguments)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("kind", ["rate", "scores", "sets"])
def test_a_signature_warns_once_for_all_systems(kind: str) -> None:
    y, systems = systems_of("rate", n=120)
    systems["c"] = (y + 1) % 3
    metric = "accuracy"
    if kind == "scores":
        y, metric = (y == 1).astype(int), "roc_auc"
        systems = {name: each + 0.5 for name, each in systems.items()}
    if kind == "sets":
        y, metric = [{int(x)} for x in y], "subset_accuracy"
        systems = {name: [{int(x)} for x in each] for name, each in systems.items()}
    cluster = np.arange(120) // 3
    first = wf.compare(y, systems, metric, cluster=cluster, replicates=99)
    clusters, weights = first.signature, first.signature + "|weighted:true"
    assert len(warned(wf.compare, y, systems, clusters)) == 1
    both = warned(wf.compare, y, systems, weights.replace("labels:", "labels:x"))
    assert len(both) == 3 and len(set(both)) == 3  # classes, weights, clusters


def test_slices_batches_and_ranks_warn_of_the_whole_once(run: Run) -> None:
    y, systems = systems_of("rate", n=120)
    other = wf.averaged_f1(y, systems["a"], classes="observed").signature.replace("k:3", "k:4")
    counts = {name: wf.count(y, each) for name, each in systems.items()}
    assert len(warned(wf.rank_systems, counts, [other])) == 1
    batched = wf.averaged_f1(y, systems["a"], batch=7).signature.replace("k:3", "k:4")
    assert len(warned(wf.Definition.parse(batched), y, systems["a"])) == 1
    files = ["examples/systems.csv", "--true", "gold", "--pred", "weak"]
    code, out, err = run("score", *files, "--by", "gold", "-m", other)
    assert code == 0 and "(whole)" in out and err.count("\n") == 1 and "the signature was" in err


def test_the_signature_of_a_comparison_is_for_compare(run: Run) -> None:
    y, systems = systems_of("rate")
    text = wf.compare(y, systems, "accuracy", replicates=99).signature
    with pytest.raises(DefinitionError, match="Pass it to compare"):
        wf.score(y, systems["a"], text)
    code, _, err = run("score", "examples/animals.csv", "-m", text)
    assert code == 2 and "signature of a comparison" in err


def test_a_signature_of_each_class_warns_too(run: Run) -> None:
    y, systems = systems_of("rate", n=120)
    each = wf.recall.per_class(y, systems["a"])
    again = wf.Definition.parse(each.signature.replace("k:3", "k:4"))
    with pytest.warns(OtherDataWarning, match="of 4 classes") as caught:
        found = evaluate_per_class(again, wf.count(y, systems["a"]))
        assert dict(found) == dict(each)  # which warns of nothing for each class
    assert len(caught) == 1
    code, out, err = run("score", "examples/animals.csv", "-m", each.signature)
    assert code == 0 and "recall" in out and err.count("\n") == 1 and "of 3 classes" in err


def test_warnings_are_one_line_on_the_command_line(run: Run) -> None:
    signature = wf.accuracy(wf.count("examples/animals.csv")).signature
    own = ["--true", "gold", "--pred", "weak", "-m", signature.replace("labels:", "labels:x")]
    code, out, err = run("score", "examples/systems.csv", *own)
    assert code == 0 and "accuracy" in out
    assert err.startswith("whichf1: the signature was of 4 classes") and err.count("\n") == 1
