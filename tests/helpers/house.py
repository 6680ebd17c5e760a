"""The house as it stands: rooms, modules, lines, layers, import cycles, and how far calls walk.

Run from the root: ``python -m tests.helpers.house [--walk]``. It changes nothing.
"""

from __future__ import annotations

import ast
import collections
import functools
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from tests.helpers.commands import invoke

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "whichf1"
NOT_ROOMS = {"__pycache__", "py.typed", "__main__.py", "__init__.py", "__init__.pyi"}
WAYS_BACK = {
    ("whichf1.definitions.definition", "whichf1.scoring.evaluate"),
    ("whichf1.tables.units", "whichf1.scoring.accumulator"),
}
"""A definition runs, and tables take a further batch: the only imports against the layers."""

Graph = dict[str, set[str]]


def modules() -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = (".".join(("whichf1", *p.relative_to(PACKAGE).with_suffix("").parts)) for p in paths)
    return {name.removesuffix(".__init__"): path for name, path in zip(names, paths, strict=True)}


@functools.cache
def trees() -> dict[str, ast.Module]:
    """Every module as Python reads it."""
    return {name: ast.parse(path.read_text()) for name, path in modules().items()}


def entries() -> list[str]:
    """What stands at the top of the package."""
    return sorted(path.name for path in PACKAGE.iterdir() if path.name not in NOT_ROOMS)


def imports() -> Graph:
    """Which module imports which, inside functions too; not what is for type checkers alone."""
    known = modules()
    graph: Graph = {}
    for name, tree in trees().items():
        if name != "whichf1":
            found = {each for each in _imported(tree, known) if each != name}
            graph[name] = found & known.keys() - {"whichf1"}
    return graph


def _imported(tree: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in node.body
        for inner in ast.walk(child)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("whichf1"):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def cycles(graph: Graph) -> list[list[str]]:
    """Sets of modules that import each other, the largest first."""
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted({name} | {other for other in reach[name] if name in reach[other]}))
        for name in graph
        if name in reach[name]
    }
    return sorted(map(list, groups), key=len, reverse=True)


def _reachable(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [*graph.get(start, ())]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, ())
    return seen


def classes() -> dict[str, list[str]]:
    """The modules in which each class name stands."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return found


def contract() -> dict[str, Any]:
    """The layers that import-linter checks."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        settings = tomllib.load(file)["tool"]["importlinter"]
    (only,) = settings["contracts"]
    return dict(only)


_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "er", "ions", "ion", "ies", "es", "ed", "s")


def stem(name: str) -> str:
    """A word without its ending: score, scores, scored, scorer and scoring are one."""
    for ending in _ENDINGS:
        if name.endswith(ending) and len(name) - len(ending) >= 3:
            return name.removesuffix(ending).rstrip("e")
    return name.rstrip("e")


class Walk(NamedTuple):
    """How far a call goes inside the package."""

    calls: int
    modules: int
    crossings: int


def walk(call: Callable[[], object]) -> Walk:
    """Count the functions of the package that a call makes, after a few to warm up."""
    from whichf1.scoring.evaluate import WARM

    for _ in range(WARM + 2):  # one of them may record the steps of a formula
        call()
    seen: collections.Counter[str] = collections.Counter()
    crossings, last = 0, ""

    def tally(frame: FrameType, event: str, _: object) -> None:
        nonlocal crossings, last
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("whichf1"):
            seen[module] += 1
            crossings += bool(last) and last != module
            last = module

    sys.setprofile(tally)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Walk(seen.total(), len(seen), crossings)


def walks() -> dict[str, Callable[[], object]]:
    """Typical calls."""
    import numpy as np
    import pandas as pd

    import whichf1 as wf

    rng = np.random.default_rng(0)
    y, p, s = rng.integers(0, 3, 300), rng.integers(0, 3, 300), rng.random(300)
    frame = pd.DataFrame({"t": y > 0, "s": s})
    counts = wf.count(y, p)
    return {
        "averaged_f1(arrays)": lambda: wf.averaged_f1(y, p),
        "averaged_f1(lists)": lambda: wf.averaged_f1(y.tolist(), p.tolist()),
        "accuracy(arrays)": lambda: wf.accuracy(y, p),
        "f1.per_class(arrays)": lambda: wf.f1.per_class(y, p),
        "macro_f1(counts)": lambda: wf.macro_f1(counts),
        "roc_auc(arrays)": lambda: wf.roc_auc(y > 0, s),
        "log_loss(arrays)": lambda: wf.log_loss(y > 0, s),
        "averaged_f1(counts, bootstrap)": lambda: wf.averaged_f1(counts, interval="bootstrap"),
        "roc_auc(frame)": lambda: wf.roc_auc(frame, true="t", score="s"),
        "compare(arrays)": lambda: wf.compare(y, {"A": p, "B": np.roll(p, 1)}, replicates=199),
        "explain(counts)": lambda: wf.explain(counts, 0.333, decimals=3),
        "whichf1 score animals.csv": lambda: invoke("score", "examples/animals.csv"),
    }


def draw() -> None:
    """Print the house."""
    lines = {name: len(path.read_text().splitlines()) for name, path in modules().items()}
    top = len(entries())
    print(f"entries at the top {top}, modules {len(lines)}, lines {sum(lines.values())}")
    rooms = collections.Counter(name.split(".")[1] for name in lines if "." in name)
    for room, count in rooms.most_common():
        whole = sum(n for name, n in lines.items() if name.split(".")[1:2] == [room])
        print(f"  {room:14} {count:3} modules {whole:6} lines")
    layers = contract()
    print("layers", len(layers["layers"]), "ignored imports", len(layers["ignore_imports"]))
    graph = imports()
    for back, to in WAYS_BACK:
        graph[back].discard(to)
    for group in cycles(graph):
        print(f"cycle of {len(group)}:", " ".join(x.removeprefix("whichf1.") for x in group))
    print("classes twice:", {k: v for k, v in classes().items() if len(v) > 1} or "none")


if __name__ == "__main__":
    draw()
    if "--walk" in sys.argv:
        for what, call in walks().items():
            found = walk(call)
            print(
                f"{what:32} {found.calls:6} calls in {found.modules:3} modules, "
                f"{found.crossings:5} crossings"
            )
