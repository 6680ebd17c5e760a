"""A valid study that is damaged in one of many ways, at a random place: the error names the place.

Nothing is left out silently: each damage is an error, the same from Python and from the shell, or
it is stated beside the result.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.errors import InputError

ROLES: dict[str, Any] = {
    "system": "model",
    "run": "seed",
    "dataset": "task",
    "item": "id",
    "cluster": "topic",
}
ROLES |= {"weights": "w", "fold": "part"}
ITEMS = 6
Record = dict[str, str]
Pick = Callable[[int], int]


def valid() -> list[Record]:
    """Two systems with two repetitions of a cross-validation, on each of two data sets."""
    return [
        {"model": model, "seed": seed, "task": task, "id": f"{task}-{at}", "topic": f"t{at % 3}",
         "w": str(1 + at % 2), "part": str((at + int(seed)) % 2), "true": "xy"[at % 2],
         "pred": "xy"[(at * int(seed) + (model == "A")) % 2]}
        for model in "AB" for seed in "12" for task in ("red", "blue") for at in range(ITEMS)
    ]  # fmt: skip


def _own(rows: list[Record], row: Record, *names: str) -> list[Record]:
    """The rows with the same values in these columns."""
    return [x for x in rows if all(x[name] == row[name] for name in names)]


def _without(rows: list[Record], row: Record, *names: str) -> list[Record]:
    gone = {id(x) for x in _own(rows, row, *names)}
    return [x for x in rows if id(x) not in gone]


def _changed(rows: list[Record], row: Record, name: str, value: str) -> list[Record]:
    return [{**x, name: value} if x is row else x for x in rows]


Damage = Callable[[list[Record], Record], list[Record]]
DAMAGES: dict[str, tuple[Damage, tuple[str, ...]]] = {
    "an item is missing": (lambda a, x: _without(a, x, *ROLES.values()), ("{id}", "lacks 1 of 6")),
    "an item twice": (lambda a, x: [*a, {**x}], ("{id}", "more than once")),
    "twice, in two folds": (
        lambda a, x: [*a, {**x, "part": str(1 - int(x["part"]))}],
        ("{id}", "overlap"),
    ),
    "another name": (lambda a, x: _changed(a, x, "id", "other"), ("'other'", "lacks 1 of 7")),
    "a space in a name": (
        lambda a, x: _changed(a, x, "id", x["id"] + " "),
        ("{id}", "lacks 1 of 7"),
    ),
    "another true class": (
        lambda a, x: _changed(a, x, "true", "y" if x["true"] == "x" else "x"),
        ("{id}", "true class of an item differs"),
    ),
    "another cluster": (
        lambda a, x: _changed(a, x, "topic", "none of these"),
        ("{id}", "cluster of an item differs"),
    ),
    "another weight": (lambda a, x: _changed(a, x, "w", "7"), ("{id}", "weight of an item dif")),
    "another fold": (
        lambda a, x: _changed(a, x, "part", str(1 - int(x["part"]))),
        ("{id}", "differ", "in other folds"),
    ),
    "a negative weight": (lambda a, x: _changed(a, x, "w", "-1"), ("'w'", "weights[")),
    "a word as a weight": (lambda a, x: _changed(a, x, "w", "heavy"), ("'w'", "heavy")),
    "no weight": (lambda a, x: _changed(a, x, "w", ""), ("'w'", "nan")),
    "no prediction": (lambda a, x: _changed(a, x, "pred", ""), ("'pred'", "missing")),
    "no true class": (lambda a, x: _changed(a, x, "true", ""), ("'true'", "missing")),
    "no system": (lambda a, x: _changed(a, x, "model", ""), ("'model'", "is empty in item")),
    "no run": (lambda a, x: _changed(a, x, "seed", ""), ("'seed'", "is empty in item")),
    "no fold": (lambda a, x: _changed(a, x, "part", ""), ("'part'", "is empty in item")),
    "no item": (lambda a, x: _changed(a, x, "id", ""), ("'id'", "is empty in item")),
    "no data set": (lambda a, x: _changed(a, x, "task", ""), ("'task'", "is empty in item")),
    "a missing run": (
        lambda a, x: _without(a, x, "model", "seed", "task"),
        ("{task}", "numbers of runs differ", "{model} 1"),
    ),
    "a missing data set": (
        lambda a, x: _without(a, x, "model", "task"),
        ("{task}", "has no run of {model}"),
    ),
    "an item of another data set": (
        lambda a, x: _changed(a, x, "task", "blue" if x["task"] == "red" else "red"),
        ("{id}", "lacks 1 of"),
    ),
    "another run's row": (
        lambda a, x: _changed(a, x, "seed", "2" if x["seed"] == "1" else "1"),
        ("{id}",),
    ),
    "a run under another system's name": (
        lambda a, x: [
            {**y, "model": "AB"[y["model"] == "A"]} if y in _own(a, x, "model", "seed") else y
            for y in a
        ],
        ("more than once",),
    ),
}


def write(path: Path, rows: list[Record]) -> str:
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, [*rows[0]])
        out.writeheader()
        out.writerows(rows)
    return str(path)


def told_everywhere(data: str) -> str:
    """The error, which must be the same from Python and from the shell."""
    with pytest.raises(InputError) as raised:
        wf.study(data, "accuracy", **ROLES)
    code, out, err = invoke("study", data, "-m", "accuracy", *_flags())
    message = str(raised.value)
    assert code == 2 and out == "" and "Traceback" not in err
    assert " ".join(message.split()) in " ".join(err.split())
    return message


def _flags() -> list[str]:
    return [x for role, name in ROLES.items() for x in (f"--{role}", name)]


@pytest.mark.parametrize("name", DAMAGES)
@settings(max_examples=3)
@given(st.data())
def test_every_damage_is_an_error_that_names_the_place(name: str, data: Any) -> None:
    rows = data.draw(st.permutations(valid()), "order")
    row = data.draw(st.sampled_from(rows), "place")
    damage, words = DAMAGES[name]
    with tempfile.TemporaryDirectory() as folder:
        told = told_everywhere(write(Path(folder) / "runs.csv", damage(rows, row)))
    for word in words:
        assert word.format(**row) in told, told


def test_the_study_is_valid_without_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "runs.csv", valid())
    study = wf.study(path, "accuracy", **ROLES)
    assert not study.notes and study.n == 2 * ITEMS and study.trials.runs == 8
    code, out, _ = invoke("study", path, "-m", "accuracy", *_flags())
    assert code == 0 and "12 items" in out
