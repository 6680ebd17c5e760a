"""The JSON of every command is what the published schema says, and its keys are identifiers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

import whichf1 as wf
from tests.helpers.commands import Run

SCHEMA = json.loads((files("whichf1") / "reporting/schema.json").read_text(encoding="utf-8"))
SYSTEMS = "examples/systems.csv --pred careful --pred biased --pred weak"
COMMANDS = {
    "score": [
        "score examples/animals.csv --confusion",
        "score examples/animals.csv --share predicted",
        "score examples/animals.csv -m precision --undefined nan --labels bird,cat,dog,fish,gnu",
        "score examples/spam.csv --score score --positive spam --threshold 0.5",
        "score examples/animal_probabilities.csv --probs bird,cat,dog",
        "score examples/topics.csv --labels-sep ;",
        "matrix 2 100 10000 0 100",
    ],
    "slices": ["score examples/systems.csv --pred weak --by document -m accuracy -m macro_f1"],
    "groups": [
        "groups examples/systems.csv --pred weak --by document -m accuracy -m averaged_f1",
        "groups examples/loans.csv --by sex --control region -m equalized_odds --positive repaid",
    ],
    "comparison": [
        f"compare {SYSTEMS} --replicates 99",
        f"compare {SYSTEMS} --replicates 99 -m accuracy --cluster document --margin 0.05",
    ],
    "study": [
        "study examples/runs/{system}/{seed}.csv --item item",
        "study examples/tasks.csv --system model --dataset task --item item -m accuracy --rope .01",
        "study examples/tasks.csv --system model --fold task -m accuracy",
    ],
    "results": [
        f"compare {SYSTEMS} -m averaged_f1 -m error_rate --baseline weak",
        f"compare {SYSTEMS} -m averaged_f1 -m accuracy --by document",
    ],
    "threshold": ["threshold examples/spam.csv --positive spam"],
    "dialects": ["dialects examples/eight.csv"],
    "dialect_list": ["dialects"],
    "conversion": ["convert examples/eight.csv --from catboost --to keras"],
    "explanation": [
        "explain examples/eight.csv --value 0.35",
        "explain examples/eight.csv --value 0.9876",
    ],
    "audit": ["audit examples/results.csv", "audit --precision .62 --recall .58 --f1 .55"],
    "metrics": ["metrics"],
    "choice": ["choose -w monotone -w invariant-to-prevalence -w fixed-at-random"],
}
FREE = ("scores", "values", "systems", "slice", "metrics")
"""Objects whose keys are names from the data or from the command."""


def keys(value: Any, within: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        yield from () if within in FREE else value
        for key, each in value.items():
            yield from keys(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from keys(each)


def required(kind: str) -> list[str]:
    """What a document of this kind must have."""
    own = SCHEMA["$defs"][kind]
    listed = SCHEMA["$defs"]["listed"]["required"] if "allOf" in own else []
    return [*SCHEMA["required"], *listed, *own.get("required", [])]


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_schema_describes_every_command(run: Run, kind: str) -> None:
    checker = jsonschema.Draft202012Validator(SCHEMA)
    for command in COMMANDS[kind]:
        code, out, _ = run(*command.split(), "--format", "json")
        record = json.loads(out)
        assert code == 0 and record["format"] == f"whichf1.{kind}"
        checker.validate(record)
        assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key) for key in keys(record)), command
        for wrong in ({**record, "version": 2}, {**record, "format": "whichf1.other"}):
            assert not checker.is_valid(wrong)
        for key in required(kind):
            assert not checker.is_valid({k: v for k, v in record.items() if k != key}), key


def test_the_schema_is_one_and_has_every_kind() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert [each["$ref"].rpartition("/")[2] for each in SCHEMA["oneOf"]] == list(COMMANDS)


def test_identifiers_name_the_metric() -> None:
    found = wf.report("examples/animals.csv", interval=None).to_dict()
    ids = [score["id"] for score in found["scores"]]
    assert ids[:2] == ["averaged_f1", "f1_of_averages"] and "cohen_kappa" in ids
    counts = wf.count("examples/animals.csv")
    for score in found["scores"]:
        assert wf.score(counts, score["id"]).value == score["value"]
