"""Cases of systems that are compared, and of systems that are ranked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import whichf1 as wf
from tests.goldens.data import NAMES, systems
from tests.goldens.plain import Case, plain

FEW: dict[str, Any] = {"replicates": 199}


def kinds() -> dict[str, dict[str, Any]]:
    """Items as they are, with weights, in clusters, and both."""
    weights, cluster = systems()["weights"], systems()["cluster"]
    return {
        "plain": {},
        "weights": {"weights": weights},
        "clusters": {"cluster": cluster},
        "both": {"weights": weights, "cluster": cluster},
    }


def classes() -> Iterator[Case]:
    """Systems that predict classes."""
    true, said = systems()["true"], systems()["classes"]
    for kind, own in kinds().items():
        for name in ("averaged_f1", "accuracy", "f1_of_averages", "mcc"):
            run = partial(wf.compare, true, said, name, **FEW, **own)
            yield f"compare/classes/{kind}/{name}", run
    for title, name, more in (
        ("margin", "accuracy", {"margin": 0.05}),
        ("power", "averaged_f1", {"power": 0.95, "level": 0.9, "seed": 5}),
        ("no replicates", "averaged_f1", {"replicates": 0}),
        ("lower is better", "error_rate", {"margin": 0.1}),
        ("one class", "recall", {"positive": "bee"}),
        ("one class's precision", "precision", {"positive": "cat"}),
        ("beta", "f_beta", {"beta": 2, "average": "weighted"}),
        ("excluded", "averaged_f1", {"exclude": ["ant"]}),
        ("ignored", "averaged_f1", {"ignore": ["cat"]}),
        ("declared", "averaged_f1", {"labels": list(NAMES), "undefined": 1}),
        ("observed", "averaged_f1", {"labels": list(NAMES), "classes": "observed"}),
        ("micro", "micro_f1", {}),
        ("kappa", "cohen_kappa(weighting=linear)", {}),
        ("balanced", "balanced_accuracy", {}),
    ):
        run = partial(wf.compare, true, said, name, **{**FEW, **more})
        yield f"compare/classes/{title}", run
    yield "compare/classes/ranks", partial(ranks, true, said)
    yield (
        "compare/classes/equal",
        partial(wf.compare, true, {"A": said["A"], "B": said["A"]}, **FEW),
    )
    yield "compare/classes/again", partial(again, true, said)
    counts = {name: wf.count(true, each) for name, each in said.items()}
    yield "compare/rank_systems/all", partial(wf.rank_systems, counts)
    some = ["averaged_f1", "f_beta(beta=0.5)|avg:macro", "error_rate", "prevalence|avg:macro"]
    yield "compare/rank_systems/some", partial(wf.rank_systems, counts, some)
    yield "compare/rank_systems/options", partial(wf.rank_systems, counts, undefined="skip")
    tables = {"1": [[5, 10], [5, 10]], "2": [[1, 1], [9, 19]]}
    paper = {
        name: wf.Counts.from_matrix(each, rows="predicted", labels=["a", "b"])
        for name, each in tables.items()
    }
    yield "compare/rank_systems/paper", partial(wf.rank_systems, paper)


def ranks(true: Any, said: Any) -> Any:
    """The same systems under other definitions."""
    return plain(wf.compare(true, said, replicates=0).ranks)


def again(true: Any, said: Any) -> Any:
    """A comparison by the signature of another one."""
    first = wf.compare(true, said, "accuracy", replicates=99, margin=0.1, level=0.9, seed=3)
    return plain(wf.compare(true, said, first.signature))


def scores() -> Iterator[Case]:
    """Systems that give scores of a class."""
    true, said = systems()["binary"], systems()["scores"]
    for kind, own in kinds().items():
        for name in ("roc_auc", "average_precision", "log_loss", "brier"):
            run = partial(wf.compare, true, said, name, **FEW, **own)
            yield f"compare/scores/{kind}/{name}", run
        for name in ("expected_calibration_error", "ks"):
            run = partial(wf.compare, true, said, name, **FEW, **own)
            yield f"compare/scores/{kind}/{name}", run
    for title, name, more in (
        ("partial area", "roc_auc", {"max_fpr": 0.3}),
        ("margin", "roc_auc", {"margin": 0.1, "level": 0.9}),
        ("other class", "average_precision", {"positive": 0}),
        ("no replicates", "roc_auc", {"replicates": 0}),
        ("gain", "gain(top=0.3)", {}),
        ("lift", "lift", {}),
        ("equal mass", "expected_calibration_error(bins=5,binning=equal-mass)", {}),
    ):
        run = partial(wf.compare, true, said, name, **{**FEW, **more})
        yield f"compare/scores/{title}", run


def probabilities() -> Iterator[Case]:
    """Systems that give a probability for each class."""
    true, said = systems()["codes"], systems()["probabilities"]
    for kind, own in kinds().items():
        for name in ("log_loss", "brier", "top_k_accuracy"):
            run = partial(wf.compare, true, said, name, **FEW, **own)
            yield f"compare/probabilities/{kind}/{name}", run
    for title, name, more in (
        ("macro", "roc_auc", {"average": "macro", "multi_class": "ovr"}),
        ("pairs", "roc_auc", {"average": "weighted", "multi_class": "ovo"}),
        ("precision", "average_precision", {"average": "macro"}),
        ("top label", "expected_calibration_error", {}),
        ("one class", "roc_auc", {"positive": 2}),
    ):
        run = partial(wf.compare, true, said, name, **{**FEW, **more})
        yield f"compare/probabilities/{title}", run
    named = list(NAMES[:3])
    run = partial(wf.compare, systems()["true"], said, "log_loss", labels=named, **FEW)
    yield "compare/probabilities/text", run


def sets() -> Iterator[Case]:
    """Systems that predict sets of labels."""
    true, said = systems()["labels"], systems()["sets"]
    for kind, own in kinds().items():
        for name in ("averaged_f1", "hamming_loss", "subset_accuracy", "micro_f1"):
            run = partial(wf.compare, true, said, name, **FEW, **own)
            yield f"compare/sets/{kind}/{name}", run
    run = partial(wf.compare, true, said, "f1", average="samples", margin=0.1, **FEW)
    yield "compare/sets/samples", run
    yield "compare/sets/ranks", partial(ranks, true, said)
    names = [
        [{NAMES[at] for at in range(4) if row[at]} for row in each]
        for each in (true, said["A"], said["B"])
    ]
    pair = {"A": names[1], "B": names[2]}
    yield "compare/sets/of text", partial(wf.compare, names[0], pair, "averaged_f1", **FEW)
