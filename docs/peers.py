"""The page about what other libraries have, from the files in ``peers``.

``metrics.csv`` has a row for each metric, and what each library calls it; scikit-learn's names are
those of the registry. ``features.csv`` has what is more than a metric, ``notes.csv`` where a number
differs, and ``sources.csv`` which version of each library was looked at, and where.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from whichf1.definitions import words
from whichf1.definitions.definition import define
from whichf1.metrics import Metric

Row = dict[str, str]
FOLDER = Path(__file__).parent / "peers"
SECTIONS: dict[str, tuple[str, ...]] = {
    "One class against the rest": ("rate",),
    "The whole confusion matrix": ("agreement",),
    "Rankings, operating points and calibration": ("ranking",),
    "Losses and scores of probabilities": ("loss",),
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


def shown(name: str) -> str:
    """A name without the class or module that it is in: a table has little room."""
    return f"`{name.rpartition('.')[2] or name}`"


def page(metrics: Mapping[str, Metric]) -> list[str]:
    """The lines of the page, in Markdown."""
    sources = read("sources")
    titles = {row["peer"]: row["title"] for row in sources}
    theirs = {metric: names(metric) for metric in metrics}
    lines = [
        "# What other libraries have",
        "",
        f"Each of the {len(metrics)} metrics of whichf1, and what computes it in eight other",
        "libraries; then what is more than a metric. A dash: none found. A test looks the names up",
        "in the libraries, and compares the numbers of PyCM and fairlearn with ours; for those of",
        "yardstick and MetricsReloaded, the sources at these commits were read.",
        "",
        "| library | version | source | of our metrics |",
        "| --- | --- | --- | ---: |",
    ]
    for row in sources:
        version = (
            f"{row['version']}, commit `{row['commit'][:8]}`" if row["commit"] else row["version"]
        )
        count = sum(row["peer"] in each for each in theirs.values())
        source = row["address"].removeprefix("https://").rstrip("/")
        lines.append(f"| {row['title']} | {version} | [{source}]({row['address']}) | {count} |")
    for section, kinds in SECTIONS.items():
        lines += ["", f"## {section}", ""]
        lines += table([x for x, metric in metrics.items() if metric.kind in kinds], theirs, titles)
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


def table(
    metrics: Sequence[str], theirs: Mapping[str, Row], titles: Mapping[str, str]
) -> list[str]:
    """A table of metrics with a column for each library that has any of them, and its notes."""
    columns = [peer for peer in titles if any(peer in theirs[metric] for metric in metrics)]
    notes = {(x["metric"], x["peer"]): x["note"] for x in read("notes")}
    numbers: dict[tuple[str, str], int] = {}
    lines = [
        "| whichf1 | " + " | ".join(titles[x] for x in columns) + " |",
        "| --- |" + " --- |" * len(columns),
    ]
    for metric in metrics:
        cells = []
        for peer in columns:
            mark = ""
            if (metric, peer) in notes:
                mark = f" {{sup}}`{numbers.setdefault((metric, peer), len(numbers) + 1)}`"
            cells.append((shown(theirs[metric][peer]) if peer in theirs[metric] else "–") + mark)
        lines.append(f"| [{metric}]({metric}.rst) | " + " | ".join(cells) + " |")
    remarks = [f"{{sup}}`{at}` {titles[key[1]]}: {notes[key]}." for key, at in numbers.items()]
    return [*lines, "", " ".join(remarks)]
