"""Declared, ignored, excluded and chosen classes: the shell, Python and counts by hand agree."""

from __future__ import annotations

import json
import random
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


@pytest.mark.long
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


COMMANDS = [
    ["score", "--pred", "a", "-m", "averaged_f1", "-m", "accuracy", "-m", "cohen_kappa"],
    ["score", "--pred", "a", "-m", "averaged_f1", "-m", "accuracy", "--by", "lang"],
    ["compare", "--pred", "a", "--pred", "b", "--replicates", "99"],
    ["compare", "--pred", "a", "--pred", "b", "-m", "averaged_f1", "-m", "mcc", "--by", "lang"],
]


def padded(seed: int, pad: str) -> tuple[str, str]:
    """A file in which some items are padding, and the same without them.

    Systems predict classes that are never true, some of them only for padding; one of them, and
    only in one slice, also predicts padding.
    """
    chance = random.Random(seed)
    classes = ["0", "1", "2"] if pad.startswith("-") else ["x", "y", "z"]
    other = "7" if pad.startswith("-") else "never"
    rows = []
    for _ in range(40):
        true = chance.choice([*classes, pad])
        guesses = [*classes, true, true, *([other, "9"] if true == pad else [other] * (seed % 2))]
        a, b = (chance.choice(guesses) if chance.random() < 0.6 else true for _ in "ab")
        lang = chance.choice(["en", "de", "fr"])
        a, b = classes[0] if a == pad else a, b if lang == "fr" or b != pad else classes[1]
        rows.append((true, a, b, lang))
    texts = (
        "".join(",".join(row) + "\n" for row in some)
        for some in (rows, [row for row in rows if row[0] != pad])
    )
    head = "true,a,b,lang\n"
    whole, kept = (head + text for text in texts)
    return whole, kept


@pytest.mark.parametrize("command", COMMANDS, ids=["score", "slices", "compare", "blocks"])
@pytest.mark.parametrize("pad", ["-100", "pad"])
@pytest.mark.thinned(3)
def test_ignored_items_are_as_if_they_were_not_in_the_file(
    run: Run, tmp_path: Path, command: list[str], pad: str
) -> None:
    whole, kept = tmp_path / "whole.csv", tmp_path / "kept.csv"
    for seed in range(3):
        for path, text in zip((whole, kept), padded(seed, pad), strict=True):
            path.write_text(text)
        seen = {x for line in whole.read_text().split()[1:] for x in line.split(",")[:3]} - {pad}
        if any(line.split(",")[2] == pad for line in kept.read_text().split()):
            seen |= {pad}
        for labels in ([], ["--labels", ",".join(sorted(seen))]):
            name, *options = command
            results = [
                run(name, path, *options, *labels, *ignored, "-f", "json")
                for path, ignored in ((whole, [f"--ignore={pad}"]), (kept, []))
            ]
            texts = [
                out.replace(f"|ignore:[{pad}]", "").replace(f'|ignore:[\\"{pad}\\"]', "")
                for _, out, _ in results
            ]
            assert [code for code, _, _ in results] == [0, 0], (results, seed)
            pairs = zip(texts, (whole, kept), strict=True)
            found, expected = (json.loads(text.replace(path.name, "")) for text, path in pairs)
            for each in [found, expected] if "systems" in found and "metrics" in found else []:
                for metric in each["metrics"].values():
                    metric.pop("words")  # they name the ignored class
            assert found == expected, (seed, labels)
