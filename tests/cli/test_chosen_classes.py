"""Declared, ignored, excluded and chosen classes: the shell, Python and counts by hand agree."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.errors import WhichF1Error

TRUE = ["a", "b", "c", "pad", "b", "a"]
PREDICTED = ["a", "c", "c", "a", "b", "c"]
CHOICES = [
    *product(
        [None, "a,b,c", "a,b,c,pad", "a,b,c,pad,z"],
        [None, "pad", "a,pad", "c"],
        [None, "c"],
        [None, "observed", "true"],
    )
]


def by_hand(labels: Any, ignore: Any, exclude: Any, classes: Any) -> Fraction | None:
    """The mean F1 over the classes that are meant; None where a class is not declared."""
    dropped, out = (set(text.split(",")) if text else set() for text in (ignore, exclude))
    items = [pair for pair in zip(TRUE, PREDICTED, strict=True) if pair[0] not in dropped]
    seen = sorted({x for pair in items for x in pair})
    names = seen if labels is None else labels.split(",")
    if not {*seen} <= {*names} or not out <= {*names}:
        return None
    present = {"observed": {*seen}, "true": {true for true, _ in items}}.get(classes, {*names})
    kept = [x for x in names if x in present and x not in out]
    rates = []
    for k in kept:
        right = sum(t == p == k for t, p in items)
        touched = sum(t == k for t, _ in items) + sum(p == k for _, p in items)
        rates.append(Fraction(2 * right, touched) if touched else Fraction(0))
    return sum(rates, Fraction(0)) / len(rates)


def in_python(data: Any, labels: Any, ignore: Any, exclude: Any, classes: Any) -> float | None:
    lists = {"labels": labels, "ignore": ignore, "exclude": exclude}
    options: Any = {name: text.split(",") for name, text in lists.items() if text}
    options |= {"classes": classes} if classes else {}
    averaged_f1: Any = wf.averaged_f1
    try:
        return float(averaged_f1(*data, **options))
    except WhichF1Error:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("saved", [False, True])
def test_every_combination_of_chosen_classes(run: Run, tmp_path: Path, saved: bool) -> None:
    path = tmp_path / "a.csv"
    lines = (f"{t},{p}\n" for t, p in zip(TRUE, PREDICTED, strict=True))
    path.write_text("true,pred\n" + "".join(lines))
    data = str(tmp_path / "counts.json") if saved else str(path)
    if saved:
        wf.count(path).save(data)
    for chosen in CHOICES:
        expected = by_hand(*chosen)
        for source in ((TRUE, PREDICTED), (path,)):
            assert in_python(source, *chosen) == pytest.approx(expected), chosen
        names = ("--labels", "--ignore", "--exclude", "--classes")
        options = [x for pair in zip(names, chosen, strict=True) if pair[1] for x in pair]
        command = ["score", data, "-m", "averaged_f1", "--interval", "none", "-f", "json"]
        code, out, _ = run(*command, *options)
        if expected is None:
            assert code == 2, (chosen, out)
        else:
            assert code == 0 and json.loads(out)["scores"][0]["value"] == pytest.approx(
                float(expected)
            ), chosen
