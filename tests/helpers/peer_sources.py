"""Looks up names of docs/peers in source trees of libraries that Python cannot install.

Run: ``python -m tests.helpers.peer_sources yardstick DIR`` or ``… metricsreloaded DIR``, with a
checkout of the commit that docs/peers/sources.csv names.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "peers"


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of docs/peers."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def named(peer: str) -> set[str]:
    """All names of a library that the page shows."""
    every = [*rows("metrics"), *rows("features")]
    return {row[peer] for row in every if row[peer]}


def exported(tree: Path) -> set[str]:
    """The functions that an R package exports."""
    text = (tree / "NAMESPACE").read_text(encoding="utf-8")
    return {*re.findall(r"^export\(([\w.]+)\)$", text, re.MULTILINE)}


def methods(tree: Path) -> set[str]:
    """The methods of all classes below a folder, as Class.method."""
    found = set()
    for file in tree.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                defined = (x for x in node.body if isinstance(x, ast.FunctionDef))
                found |= {f"{node.name}.{x.name}" for x in defined}
    return found


READERS = {"yardstick": exported, "metricsreloaded": methods}


def main() -> None:
    peer, folder = sys.argv[1:]
    unknown = named(peer) - READERS[peer](Path(folder))
    if unknown:
        raise SystemExit(f"{peer} has no {', '.join(sorted(unknown))}")
    print(f"{peer}: all {len(named(peer))} names are there")


if __name__ == "__main__":
    main()
