"""The page about what other libraries have, from the files in ``peers``.

``metrics.csv`` has a row for each metric, and what each library calls it; scikit-learn's names are
those of the registry. ``features.csv`` has what is more than a metric, ``notes.csv`` where a number
differs, and ``sources.csv`` which version of each library was looked at, and where.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from whichf1.definitions import words
from whichf1.definitions.definition import define
from whichf1.metrics import Metric

Row = dict[str, str]
FOLDER = Path(__file__).parent / "peers"
SECTIONS: dict[str, tuple[str, ...]] = {
    "Rates of classes": ("rate",),
    "Whole confusion matrix": ("agreement",),
    "Rankings and calibration": ("ranking",),
    "Losses and means": ("loss", "value"),
    "Sets of labels": ("items", "label ranking"),
}
"""The parts of the page, and the kinds of metrics that they show."""


def read(name: str) -> list[Row]:
    """The rows of a file."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def names(metric: str) -> Row:
    """What each library calls a metric; libraries that lack it are left out."""
    row = next((row for row in read("metrics") if row["metric"] == metric), {})
    sklearn = (words.in_sklearn(define(metric)) or "").partition("(")[0]
    every = {"sklearn": "" if " " in sklearn else sklearn, **row}
    return {peer: name for peer, name in every.items() if name and peer != "metric"}


def page(metrics: Mapping[str, Metric]) -> list[str]:
    """The lines of the page, in Markdown."""
    sources = read("sources")
    titles = {row["peer"]: row["title"] for row in sources}
    theirs = {metric: names(metric) for metric in metrics}
    parts = {
        section: [name for name, metric in metrics.items() if metric.kind in kinds]
        for section, kinds in SECTIONS.items()
    }
    lines = [
        "# What other libraries have",
        "",
        f"Each of the {len(metrics)} metrics of whichf1, and what computes it in eight other",
        "libraries; then what is more than a metric. A dash: none found. A test looks the names up",
        "in the libraries, and compares the numbers of PyCM and fairlearn with ours; for those of",
        "yardstick and MetricsReloaded, the sources at these commits were read.",
        "",
        "| library | version | " + " | ".join(parts) + " | all |",
        "| --- | --- |" + " ---: |" * (len(parts) + 1),
        f"| whichf1 | | {counts(parts, lambda _: True)} |",
    ]
    for row in sources:
        version = row["version"] + (f" (`{row['commit'][:7]}`)" if row["commit"] else "")
        has = partial(lambda metric, peer: peer in theirs[metric], peer=row["peer"])
        title = f"[{row['title']}]({row['address']})"
        lines.append(f"| {title} | {version} | {counts(parts, has)} |")
    notes = {(x["metric"], x["peer"]): f" ({x['note']})" for x in read("notes")}
    for section, every in parts.items():
        lines += ["", f"## {section}", "", "| whichf1 | elsewhere |", "| --- | --- |"]
        for metric in every:
            named = theirs[metric].items()
            others = [f"{titles[x]} `{name}`{notes.get((metric, x), '')}" for x, name in named]
            lines.append(f"| [{metric}]({metric}.rst) | {', '.join(others) or '–'} |")
    lines += ["", "## More than a metric", "", "| | whichf1 | elsewhere |", "| --- | --- | --- |"]
    for row in read("features"):
        others = [f"{titles[x]} `{name}`" for x, name in row.items() if x in titles and name]
        lines.append(f"| {row['feature']} | `{row['whichf1']}` | {', '.join(others) or '–'} |")
    return [
        *lines,
        "",
        "All of these libraries also do much that is not listed, such as regression, clustering,",
        "segmentation of images and training of models, and have metrics that whichf1 lacks.",
    ]


def counts(parts: Mapping[str, Sequence[str]], has: Callable[[str], bool]) -> str:
    """How many metrics of each part a library has, and of all: cells of a table."""
    each = [sum(map(has, every)) for every in parts.values()]
    return " | ".join(str(x) if x else "–" for x in (*each, sum(each)))
