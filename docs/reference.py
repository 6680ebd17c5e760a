"""Writes the API reference: a page for each public name, from its docstring and declaration.

A Sphinx extension: conf.py names it. The pages are made by each build and not committed.
"""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import peers

import whichf1 as wf
from whichf1.definitions import words
from whichf1.definitions.definition import define
from whichf1.definitions.methods import IntervalName
from whichf1.definitions.names import SHORTHANDS
from whichf1.metrics import COUNTED, EVERY, Metric
from whichf1.scoring.functions import Scorer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
FOLDER = HERE / "api"
BUILT_IN = {
    "float": "functions",
    "int": "functions",
    "bool": "functions",
    "str": "stdtypes",
    "list": "stdtypes",
    "tuple": "stdtypes",
    "dict": "stdtypes",
}
"""Types that docstrings name, and where Python's site explains them."""
GROUPS: dict[str, Callable[[str, object], bool]] = {
    "Metrics": lambda _, value: isinstance(value, Scorer),
    "Functions": lambda _, value: inspect.isfunction(value),
    "Classes": lambda _, value: inspect.isclass(value),
    "Others": lambda *_: True,
}


def grouped() -> dict[str, dict[str, Any]]:
    """The public names, each in the first group that takes it."""
    groups: dict[str, dict[str, Any]] = {name: {} for name in GROUPS}
    for name in wf.__all__:
        value = getattr(wf, name)
        groups[next(key for key, takes in GROUPS.items() if takes(name, value))][name] = value
    return groups


def title(text: str, line: str = "=") -> list[str]:
    """A heading."""
    return [text, line * max(len(text), 3), ""]


def facts(name: str) -> list[str]:
    """What is known about a metric, as a table: formula, bounds, 0/0, other names."""
    definition = define(name)
    metric = definition.declaration
    rows = {
        "Formula": f":math:`{words.formula(definition)}`",
        "Bounds": bounds(metric),
        "0/0": escaped(words.zero_rule(definition)),
        "Other names": ", ".join(f"``{x}``" for x in words.other_names(definition)) or "none",
        "In scikit-learn": in_sklearn(words.in_sklearn(definition)),
        **elsewhere(name),
        "Intervals": ", ".join(f"``{method}``" for method in methods(name)) or "none",
        "Signature": f"``{definition.signature}``",
        "To paste": escaped(words.sentence(definition)),
    }
    if metric.kind in COUNTED:
        rows |= {key.capitalize(): escaped(str(x)) for key, x in wf.properties(name).items()}
    lines = [".. list-table::", "   :widths: 24 76", ""]
    for key, text in rows.items():
        lines += [f"   * - {key}", f"     - {text}"]
    return [*lines, ""]


def in_sklearn(call: str | None) -> str:
    """The call, with a link to the function."""
    if call is None:
        return "–"
    name = call.partition("(")[0]
    return f"``{call}`` (:func:`{name} <sklearn.metrics.{name}>`)"


def elsewhere(metric: str) -> dict[str, str]:
    """What other libraries call a metric, for the table of facts."""
    titles = {row["peer"]: row["title"] for row in peers.read("sources")}
    names = {titles[peer]: name for peer, name in peers.names(metric).items() if peer != "sklearn"}
    return {f"In {title}": f"``{name}``" for title, name in names.items()}


RNG = np.random.default_rng(0)
TRUE = np.arange(60) % 2
SCORES = np.clip(0.3 + 0.4 * TRUE + RNG.normal(0, 0.2, 60), 0.01, 0.99)
SETS = RNG.integers(0, 2, (60, 4))
EXAMPLES: dict[str, tuple[Any, ...]] = {
    "rate": (TRUE, (SCORES > 0.5).astype(int)),
    "agreement": (TRUE, (SCORES > 0.5).astype(int)),
    "items": (wf.count_multilabel(SETS, RNG.permutation(SETS)),),
    "ranking": (TRUE, SCORES),
    "loss": (TRUE, np.stack([1 - SCORES, SCORES], 1)),
    "label ranking": (SETS, RNG.random((60, 4))),
    "value": (SCORES,),
}
"""Data of each kind, on which methods of intervals are tried."""


def methods(name: str) -> list[str]:
    """The methods that give an interval of a metric, found by trying them."""
    metric = getattr(wf, name)
    needed: dict[str, Any] = {"positive": 1} if metric.metric.kind == "rate" else {}
    if name in SHORTHANDS:
        needed = {}
    if name.endswith("expected_cost"):
        needed["costs"] = [[0, 1], [1, 0]]

    def gives(method: str) -> bool:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                score = metric(*EXAMPLES[metric.metric.kind], **needed, interval=method)
        except wf.errors.WhichF1Error:
            return False
        return score.interval is not None

    return [method for method in get_args(IntervalName) if gives(method)]


def inventories() -> dict[str, tuple[str, str]]:
    """Inventories of the names that pages link to, by their sites: the build needs no network."""
    called = {metric.sklearn for metric in EVERY.values() if metric.sklearn}
    functions = sorted({f"sklearn.metrics.{name.partition('(')[0]}" for name in called})
    sites = {
        "https://scikit-learn.org/stable": [
            f"{name} py:function 1 modules/generated/$.html#$ -" for name in functions
        ],
        "https://numpy.org/doc/stable": [
            "numpy.ndarray py:class 1 reference/generated/$.html#$ -",
        ],
        "https://pandas.pydata.org/docs": [
            "pandas.DataFrame py:class 1 reference/api/$.html#$ -",
        ],
        "https://docs.python.org/3": [
            f"{name} py:class 1 library/{page}.html#$ -" for name, page in BUILT_IN.items()
        ],
    }
    folder = HERE / "_build" / "inventories"
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for number, (site, lines) in enumerate(sites.items()):
        file = folder / f"{number}.inv"
        head = "# Sphinx inventory version 2\n# Project: names\n# Version: 1\n"
        head += "# The remainder of this file is compressed using zlib.\n"
        file.write_bytes(head.encode() + zlib.compress("\n".join(lines).encode()))
        mapping[f"site{number}"] = (site, str(file))
    return mapping


def bounds(metric: Metric) -> str:
    """From where to where, and which end is better."""
    low, high = metric.bounds
    better = "" if metric.better == "neither" else f"; {metric.better} is better"
    return f"from {low:g} to {'∞' if high == float('inf') else f'{high:g}'}{better}"


def escaped(text: str) -> str:
    """Plain text in reStructuredText."""
    return "".join(f"\\{x}" if x in "*`|_\\" else x for x in text)


def metric_page(name: str) -> list[str]:
    """The page of a metric: what it is, then its function."""
    return [
        *title(f"whichf1.{name}"),
        *facts(name),
        ".. currentmodule:: whichf1",
        "",
        f".. metric:: {name}",
        "",
    ]


def function_page(name: str) -> list[str]:
    """The page of a function."""
    return [*title(f"whichf1.{name}"), f".. autofunction:: whichf1.{name}", ""]


def class_page(name: str) -> list[str]:
    """The page of a class, with what it adds to its bases."""
    return [
        *title(f"whichf1.{name}"),
        f".. autoclass:: whichf1.{name}",
        "   :members:",
        "   :inherited-members: float, int, str, tuple, dict, Mapping, Exception",
        "",
    ]


def other_page(name: str) -> list[str]:
    """The page of a module or an object."""
    value = getattr(wf, name)
    if isinstance(value, ModuleType):
        return [*title(f"whichf1.{name}"), f".. automodule:: {value.__name__}", "   :members:", ""]
    return [*title(f"whichf1.{name}"), f".. autoclass:: {path(type(value))}", "   :members:", ""]


def path(kind: type) -> str:
    """Where a class is defined."""
    return f"{kind.__module__}.{kind.__qualname__}"


PAGES = {
    "Metrics": metric_page,
    "Functions": function_page,
    "Classes": class_page,
    "Others": other_page,
}


def summary(value: object) -> str:
    """The first sentence of a docstring."""
    paragraphs = (inspect.getdoc(value) or "").split("\n\n")
    text = paragraphs[1] if isinstance(value, Scorer) else paragraphs[0]
    return escaped(" ".join(text.split()))


def index(groups: dict[str, dict[str, Any]]) -> list[str]:
    """The list of all names."""
    lines = title("API reference")
    lines += ["Everything is in one flat namespace: ``import whichf1 as wf``.", ""]
    for group, values in groups.items():
        lines += title(group, "-")
        lines += [".. list-table::", "   :widths: 32 68", ""]
        for name, value in values.items():
            lines += [f"   * - :doc:`{name} <{name}>`", f"     - {summary(value)}"]
        lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in values), ""]
    return lines


DEPENDENCIES = {
    "numpy": "arrays",
    "scipy": "quantiles of intervals and tests",
    "narwhals": "dataframes of any library",
    "duckdb": "files, larger than memory too",
    "click": "the command line",
    "rich": "tables on a terminal",
    "matplotlib": "pictures (extra `plot`)",
}


def dependencies() -> list[str]:
    """What each dependency is for, and what it costs on the machine that builds the site."""
    lines = ["| package | for | on disk | first import |", "| --- | --- | --: | --: |"]
    bare = seconds("pass")
    for name, purpose in DEPENDENCIES.items():
        files = metadata.files(name) or []
        size = sum(file.size or 0 for file in files) / 2**20
        took = max(0.0, seconds(f"import {name}") - bare)
        lines.append(f"| {name} | {purpose} | {size:.0f} MB | {1000 * took:.0f} ms |")
    return lines


def seconds(code: str) -> float:
    """The time that a new interpreter takes, at best of three."""

    def once() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    return min(once() for _ in range(3))


def write(folder: Path = FOLDER) -> None:
    """Write all pages again."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    groups = grouped()
    for group, values in groups.items():
        for name in values:
            save(folder / f"{name}.rst", PAGES[group](name))
    save(folder / "index.rst", index(groups))
    save(folder / "dependencies.txt", dependencies())
    save(folder / "peers.md", peers.page({x: y.metric for x, y in groups["Metrics"].items()}))


def pages() -> str:
    """A folder with the pages that whichf1 itself writes: the playground, and a report."""
    folder = HERE / "_build" / "extra"
    folder.mkdir(parents=True, exist_ok=True)
    for command in (
        ["playground", "-o", "play.html"],
        ["report", str(HERE.parent / "examples" / "animals.csv"), "-o", "report.html"],
    ):
        subprocess.run([sys.executable, "-m", "whichf1", *command], check=True, cwd=folder)
    return str(folder)


def paper() -> None:
    """The figures of the paper with their data, which take half a minute, unless they are there."""
    if not (HERE / "paper").is_dir():
        command = [sys.executable, "-m", "whichf1", "paper", "all", "--formats", "svg", "-o"]
        subprocess.run([*command, str(HERE / "paper")], check=True, stdout=subprocess.DEVNULL)


def save(file: Path, lines: Iterable[str]) -> None:
    """A page of these lines."""
    file.write_text("\n".join(lines), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before they are read, and render the docstrings of metrics."""
    from docutils import nodes
    from docutils.statemachine import StringList
    from numpydoc.docscrape_sphinx import SphinxDocString
    from sphinx.util.docutils import SphinxDirective

    class MetricDirective(SphinxDirective):
        """The function of a metric, with its parameters, results, errors and example."""

        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            name = self.arguments[0]
            text = inspect.getdoc(getattr(wf, name)) or ""
            call, _, body = text.partition("\n\n")
            body = re.sub(r"\s?In\s+LaTeX:\s.*?(?=\n\n)", "", body, flags=re.DOTALL)
            rendered = str(SphinxDocString(body, config={"show_class_members": False}))
            lines = [f".. py:function:: {' '.join(call.split())}", ""]
            lines += [f"   {line}" for line in rendered.splitlines()]
            node = nodes.Element()
            self.state.nested_parse(StringList(lines, source=f"{name} (docstring)"), 0, node)
            return node.children

    app.add_directive("metric", MetricDirective)
    app.connect("builder-inited", lambda _: write())
    app.connect("builder-inited", lambda _: paper())
    return {"parallel_read_safe": True}
