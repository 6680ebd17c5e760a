"""Commands run in this process, and what is kept of their output."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import chdir
from html import unescape
from pathlib import Path
from typing import Any

import whichf1 as wf
from tests.goldens.plain import UNSMOOTH, bent, randomized
from tests.goldens.same import LOOSE
from tests.goldens.tables import folder, source
from tests.helpers.commands import invoke

ROOT = Path(__file__).parents[2]
PROSE = (
    *("title", "notes", "note", "why", "reason", "meaning", "what_it_computes", "difference"),
    "misfits",
)
"""Fields and columns that hold sentences, where they hold text."""
FACTS = ("name", "formula", "parameters", "signature")
"""Lines of ``whichf1 define`` that are not prose."""


def file(word: str) -> str:
    """A word of a command, or the file that it stands for."""
    if word == "COUNTS":
        return counts()
    kind = {"TABLE": "csv", "LINES": "jsonl"}.get(word)
    return word if kind is None else str(source(kind))


def counts() -> str:
    """A file of saved counts, whose scores take less time than those of predictions."""
    path = folder() / "animals.json"
    if not path.exists():
        wf.count(str(ROOT / "examples/animals.csv")).save(path)
    return str(path)


def words(text: str | list[str]) -> list[str]:
    """The words of a command."""
    return text.split() if isinstance(text, str) else text


def called(text: str | list[str], given: bytes = b"") -> tuple[int, str]:
    """The exit code and the standard output of a command, in this process."""
    with chdir(ROOT):
        arguments = [file(each) for each in words(text)]
        code, out, _ = invoke(*arguments, given=given, COLUMNS="200", NO_COLOR="1")
    return code, out


def as_json(text: str | list[str], given: bytes = b"") -> Any:
    """The exit code and the JSON without prose."""
    code, out = called([*words(text), "--format", "json"], given)
    found = json.loads(out) if out else None
    for key in ("format", "version"):
        if found is not None:
            found.pop(key)
    return [code, without_prose(found)]


def without_prose(value: Any) -> Any:
    """JSON without sentences; sources are names of files."""
    if isinstance(value, list):
        return [without_prose(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: Path(each).name if key == "source" else without_prose(each)
        for key, each in value.items()
        if key != "id" and (key not in PROSE or isinstance(each, (int, float)))
    }
    if kept.get("interval") and bent(str(kept.get("signature"))):
        kept[f"interval {LOOSE}"] = kept.pop("interval")
    if "group" in kept and kept["signature"].startswith(UNSMOOTH):
        kept.pop("group")  # it depends on random draws
    if "p_randomization" in kept:
        return randomized(kept, kept.pop("signature"))  # which stands above
    return kept


def as_csv(text: str | list[str]) -> Any:
    """The exit code and the rows of CSV without prose, numbers as numbers."""
    code, out = called([*words(text), "--format", "csv"])
    head, *rows = csv.reader(io.StringIO(out))
    kept = [at for at, name in enumerate(head) if name not in PROSE]
    body = [[number(row[at]) for at in kept] for row in rows]
    drawn = [
        {"p_randomization": row[3], "row": row[1:3]} if row[0] == "p_randomization" else row
        for row in body
    ]
    return [code, [head[at] for at in kept], drawn]


def number(cell: str) -> Any:
    """A cell as a number, where it is one."""
    try:
        return float(cell) if "." in cell or "e-" in cell else int(cell)
    except ValueError:
        return cell


def signed(text: str) -> Any:
    """The exit code and the signatures in what is printed for people."""
    code, out = called(text)
    shown = re.sub(r"\\textbar(?:\{\})?", "|", unescape(out)).replace("{-}", "-")
    shown = re.sub(r"\\([^a-z])", r"\1", shown)
    return [code, sorted(set(re.findall(r"[a-z_0-9]+(?:\([^)]*\))?\|[^\s<\\}]*v:1", shown)))]


def facts(name: str) -> Any:
    """The exit code and what ``define`` prints besides prose."""
    code, out = called(["define", name])
    lines = (re.split(r"\s{2,}", line, maxsplit=1) for line in out.splitlines())
    return [code, {line[0]: line[1] for line in lines if line[0] in FACTS}]


def metrics() -> Any:
    """Every metric, with its other names, bounds, and which side is better."""
    code, out = called("metrics --format json")
    return [code, [[each[x] for x in HEAD] for each in json.loads(out)["rows"]]]


HEAD = ("name", "other_names", "bounds", "better")
