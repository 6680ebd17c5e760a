"""Results as plain JSON: every number in full, every signature, and no prose."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import singledispatch
from hashlib import sha256
from typing import Any

import numpy as np

import whichf1 as wf

Case = tuple[str, Callable[[], object]]
"""A name, and a function that returns the result."""


@singledispatch
def plain(value: Any) -> Any:
    """The value as JSON can hold it; NaN and infinities are words."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    raise TypeError(f"{type(value)} has no plain form")


@plain.register
def _(value: float) -> Any:
    return value if math.isfinite(value) else str(float(value))


@plain.register
def _(value: np.ndarray) -> Any:
    return plain(value.tolist())


def _mapping(value: Mapping[Any, Any]) -> Any:
    """Keys are text, else the pairs stand in a list in their order."""
    if all(isinstance(key, str) for key in value):
        return {str(key): plain(each) for key, each in value.items()}
    return [[plain(key), plain(each)] for key, each in value.items()]


def span(interval: wf.Interval | None) -> Any:
    """The ends of an interval with its level and method, and its undefined replicates if any."""
    if interval is None:
        return None
    short = [interval.low, interval.high, interval.level, interval.method]
    return plain(short + ([interval.undefined] if interval.undefined else []))


@plain.register
def _(value: wf.Interval) -> Any:
    return span(value)


@plain.register
def _(value: wf.Score) -> Any:
    """The value, the interval if there is one, and the signature.

    The interval's level and method are left out where the signature says the same.
    """
    found, said = span(value.interval), value.signature
    if found is not None and f"interval:{found[3]}|level:{found[2]!r}" in said:
        found = found[:2] + found[4:]
    return [plain(value.value), *([] if found is None else [found]), said]


@plain.register
def _(value: wf.PerClass) -> Any:
    return {
        "values": plain(value.array),
        "intervals": [None if each is None else [each.low, each.high] for each in value.intervals]
        if any(value.intervals)
        else None,
        "signature": value.signature,
        "first": next(iter(value.values())).signature,
    }


@plain.register
def _(value: wf.Definition) -> Any:
    return value.signature


@plain.register
def _(value: wf.Counts) -> Any:
    return {
        "labels": plain(list(value.labels)),
        "true": plain(value.true),
        "predicted": plain(value.predicted),
        "count": plain(value.count),
        "squares": None if value.squares is None else plain(value.squares),
        "declared": value.declared,
        "decision": value.decision,
        "n": value.n,
    }


@plain.register
def _(value: wf.MultiLabelCounts) -> Any:
    c = value.per_class()
    return {
        "labels": plain(list(value.labels)),
        "per_class": [plain(each) for each in (c.tp, c.fp, c.fn, c.tn)],
        "kinds": len(value.count),
        "declared": value.declared,
        "decision": value.decision,
        "clusters": value.clusters,
        "n": value.n,
    }


@plain.register
def _(value: wf.Ranking) -> Any:
    return {
        "score": plain(value.score),
        "positives": plain(value.positives),
        "negatives": plain(value.negatives),
        "labels": plain(list(value.labels)),
        "positive": plain(value.positive),
        "resolution": value.resolution,
        "n": value.n,
    }


@plain.register
def _(value: wf.Moments) -> Any:
    sums = [value.n, value.total, value.squares, value.mean, value.variance]
    return {
        "metric": value.metric,
        "parameters": plain(dict(value.parameters)),
        "labels": plain(list(value.labels)),
        "positive": plain(value.positive),
        "sums": plain(sums),
    }


@plain.register
def _(value: wf.Curve) -> Any:
    return {name: plain(getattr(value, name)) for name in ("x", "y", "threshold", "score")}


@plain.register
def _(value: wf.BestThreshold) -> Any:
    return {
        "threshold": plain(value.threshold),
        "score": plain(value.score),
        "at": value.at,
        "calibrated": plain(value.calibrated),
        "points": len(value.curve),
    }


@plain.register
def _(value: wf.Slices) -> Any:
    return {
        "by": list(value.by),
        "keys": [plain(key) for key in value],
        "n": [plain(part.n) for part in value.values()],
        "whole": plain(value.whole.n),
    }


@plain.register
def _(value: wf.MacroF1) -> Any:
    pair = value.largest_pair
    return {
        "averaged": plain(value.averaged),
        "of_averages": plain(value.of_averages),
        "precision": plain(value.precision),
        "recall": plain(value.recall),
        "labels": plain(list(value.labels)),
        "gap": value.gap,
        "supremum": value.supremum,
        "terms": plain(value.terms),
        "contributions": plain(value.contributions),
        "largest_pair": None if pair is None else plain([pair.a, pair.b, pair.share]),
    }


@plain.register
def _(value: wf.SystemRanks) -> Any:
    return {
        "systems": list(value.systems),
        "orders": [
            {
                "signature": next(iter(each.scores.values())).signature,
                "values": plain([score.value for score in each.scores.values()]),
                "order": plain(each.order),
            }
            for each in value.orders
        ],
        "flips": [[f.a, f.b, plain(f.a_better), plain(f.b_better)] for f in value.flips],
        "tau": plain(value.tau),
    }


@plain.register
def _(value: wf.Pair) -> Any:
    fields = {name: getattr(value, name) for name in PAIR}
    mcnemar = value.mcnemar
    fields["mcnemar"] = (
        None if mcnemar is None else {name: getattr(mcnemar, name) for name in MCNEMAR}
    )
    return {name: plain(each) for name, each in fields.items()}


PAIR = (
    *("a", "b", "difference", "standard_error", "interval", "p_value", "p_adjusted", "bootstrap"),
    *("p_bootstrap", "p_randomization", "p_equivalence", "only_a", "only_b", "changed"),
    *("detectable", "items_needed"),
)
MCNEMAR = ("only_a", "only_b", "p_exact", "p_mid", "p_chi2")


UNSMOOTH = ("ks", "gain", "lift", "expected_calibration_error")
"""Metrics whose p-values are those of the randomization test."""


def randomized(pair: dict[str, Any], signature: str) -> dict[str, Any]:
    """A pair whose p-value is that of the randomization test says so in the names of its fields."""
    if signature.startswith(UNSMOOTH):
        for name in ("p_value", "p_adjusted"):
            pair[f"{name} as p_randomization"] = pair.pop(name)
    return pair


@plain.register
def _(value: wf.Comparison) -> Any:
    drawn = value.signature.startswith(UNSMOOTH)  # then letters depend on random draws, too
    return {
        "signature": value.signature,
        "scores": plain(dict(value.scores)),
        "pairs": [randomized(plain(pair), value.signature) for pair in value.pairs],
        "best": plain(dict(value.best)),
        "letters": sorted(value.letters) if drawn else plain(dict(value.letters)),
        "ranking": list(value.ranking),
        "flips": len(value.flips),
    }


def bent(signature: str) -> bool:
    """Whether the ends of an interval depend on a second difference, which amplifies rounding.

    They do for automatic, delta and DeLong intervals of rankings with weights or clusters.
    """
    ranked = signature.startswith(("roc_auc", "average_precision"))
    smooth = any(f"interval:{x}" in signature for x in ("auto", "delta", "delong"))
    return ranked and smooth and ("weighted:true" in signature or "clusters:" in signature)


def at_least(names: list[str]) -> dict[str, list[str]]:
    """Names that must still be there; more are welcome."""
    return {"at least": sorted(names)}


def digest(texts: list[str]) -> str:
    """A few characters that stand for a long list of texts in its order."""
    return sha256("\n".join(texts).encode()).hexdigest()[:16]
