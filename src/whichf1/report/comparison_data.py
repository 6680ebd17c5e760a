"""A Comparison as JSON or CSV, in full precision; every number with its signature."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from whichf1.comparison.rank_flips import Flip, SystemRanks
from whichf1.comparison.results import Comparison, Pair
from whichf1.definitions.methods import Interval
from whichf1.report.cells import exact
from whichf1.report.escape import csv_text


def as_json(comparison: Comparison, decimals: int, source: str) -> str:
    """All numbers in full precision; what is undefined is null."""
    scores = {
        name: {
            "value": _finite(score.value),
            "interval": _interval(score.interval),
            "p_best": comparison.best.get(name),
            "group": comparison.letters[name],
            "signature": score.signature,
        }
        for name, score in comparison.scores.items()
    }
    record: dict[str, Any] = {
        "source": source,
        "signature": comparison.signature,
        "ranking": comparison.ranking,
        "scores": scores,
        "pairs": [_pair_record(pair, comparison.signature) for pair in comparison.pairs],
    }
    if comparison.ranks is not None:
        record["flips"] = [_flip_record(x, comparison.ranks) for x in comparison.flips]
        record["rankings"] = [
            {
                "signature": next(iter(order.scores.values())).signature,
                "order": order.order,
                "values": {name: _finite(s.value) for name, s in order.scores.items()},
                "tau": comparison.ranks.tau[at],
            }
            for at, order in enumerate(comparison.ranks.orders)
        ]
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def _flip_record(flip: Flip, ranks: SystemRanks) -> dict[str, Any]:
    def signatures(places: tuple[int, ...]) -> list[str]:
        return [ranks.orders[at].definition.signature for at in places]

    better = {"a_better": signatures(flip.a_better), "b_better": signatures(flip.b_better)}
    return {"a": flip.a, "b": flip.b, **better}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else asdict(interval)


def _pair_record(pair: Pair, signature: str) -> dict[str, Any]:
    fields = asdict(pair)
    fields["difference"] = _finite(pair.difference)
    return {**fields, "signature": signature}


def as_csv(comparison: Comparison, decimals: int, source: str) -> str:
    """One line per number of a system or pair, and per score of the ranking table."""
    rows: list[tuple[object, ...]] = [("what", "a", "b", "value", "low", "high", "signature")]

    def line(what: str, a: str, b: str, value: Any, interval: Interval | None, text: str) -> None:
        ends = (interval.low, interval.high) if interval else (None, None)
        shown = exact(value) if isinstance(value, float) else value
        rows.append((what, a, b, shown, *ends, text))

    for name, score in comparison.scores.items():
        line("score", name, "", score.value, score.interval, score.signature)
        if comparison.best:
            line("p_best", name, "", comparison.best[name], None, comparison.signature)
        line("group", name, "", comparison.letters[name], None, comparison.signature)
    for pair in comparison.pairs:
        for key, value in asdict(pair).items():
            if key in ("a", "b", "interval") or value is None or isinstance(value, dict):
                continue
            interval = pair.interval if key == "difference" else None
            line(key, pair.a, pair.b, value, interval, comparison.signature)
    for order in comparison.ranks.orders if comparison.ranks else ():
        for name, score in order.scores.items():
            line("ranked", name, "", score.value, None, score.signature)
    for flip in comparison.flips:
        line("flip", flip.a, flip.b, None, None, comparison.signature)
    return csv_text(rows)
