"""How often do nominal 95 % intervals cover the true value? A simulation that looks for failures.

Every interval comes from the public functions, as users call them. A cell is a way to draw data
sets. A score of a cell is red if less than 93 % of its intervals without a caution cover the truth;
data sets without an interval count as not covered. At other levels, the limits are the same number
of standard deviations away.

Run: python -m benchmarks.coverage [--random --seed 1] [--only clusters] [--page]
Writes coverage.csv (or coverage_random.csv) after every cell, and then docs/intervals.md.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from benchmarks.cells import Cell, definition, run, space
from benchmarks.harness import alone
from benchmarks.random_cells import random_cells

import whichf1 as wf

HERE = Path(__file__).parent
GRID, RANDOM = HERE / "coverage.csv", HERE / "coverage_random.csv"
PAGE, PICTURE = HERE.parent / "docs" / "intervals.md", HERE.parent / "docs" / "coverage.svg"
START, END = "<!-- coverage: made by benchmarks/coverage.py -->", "<!-- end of coverage -->"
COLOURS = {"green": "#7fbf7b", "blue": "#92b7dc", "grey": "#d0d0d0", "red": "#d7301f"}
AUTO, CLOSE = wf.Auto(), 1e-12


class Result(NamedTuple):
    family: str
    cell: str
    score: str
    data_sets: int
    covered: float
    """Coverage over all data sets, in percent."""
    cautioned: float
    """Data sets whose interval has a caution, in percent."""
    covered_uncautioned: float
    """Coverage over the data sets without a caution."""
    ample: float
    """Data sets in which every class has 10 items, in percent."""
    cautioned_ample: float
    """Of these, how many have a caution."""
    covered_ample: float
    width_ratio: float
    """On these, the mean width over that of the delta method (of ratios: on the log scale)."""
    level: float = 95.0
    """The nominal coverage, in percent."""
    seed: int = 0

    @property
    def colour(self) -> str:
        if self.cautioned > 50:
            return "grey"
        off = self.covered_uncautioned - self.level
        off *= np.sqrt(95 * 5 / (self.level * (100 - self.level)))
        return "red" if off < -2 else "green" if off <= 3 else "blue"


def holds(interval: wf.Interval, truth: float) -> bool:
    """Whether it covers the truth, which may be a bound of the score, up to rounding."""
    return interval.low - CLOSE <= truth <= interval.high + CLOSE


@lru_cache(maxsize=1024)
def declared(name: str) -> Any:
    """The metric of a score."""
    return definition(name, 0, None).declaration


def width(interval: wf.Interval, endless: bool) -> float:
    if not endless:
        return interval.high - interval.low
    return float(np.log(interval.high / interval.low)) if interval.low > 0 else np.inf


def measure(
    cell: Cell, names: Sequence[str], times: int, seed: int, method: Any = AUTO, widths: int = 60
) -> list[Result]:
    """The coverage of some scores of a cell."""
    truths, rng = cell.truths(), np.random.default_rng([seed, crc32(cell.name.encode())])
    tallies = {name: np.zeros(7) for name in names}
    delta = wf.Delta(level=method.level)
    ratios = {name: np.zeros(2) for name in names}
    for at, drawn in enumerate(cell.draws(times, rng)):
        for name, tally in tallies.items():
            interval = run(name, drawn, method).interval
            hit = interval is not None and holds(interval, truths[name])
            wary = interval is not None and interval.caution is not None
            rich = drawn.ample
            facts = [1, hit, wary, hit and not wary, rich, rich and wary, rich and hit]
            tally += drawn.times * np.array(facts, float)
            if rich and at < widths and interval is not None and declared(name).smooth:
                other = run(name, drawn, delta).interval
                endless = declared(name).bounds[1] == np.inf
                if other is not None:
                    both = np.array([width(x, endless) for x in (interval, other)])
                    if np.isfinite(both).all():
                        ratios[name] += drawn.times * both
    results = []
    for name, tally in tallies.items():
        n, hits, warned, clean, enough, enough_warned, enough_hits = tally.tolist()
        ours, theirs = ratios[name].tolist()
        result = Result(
            family=cell.family,
            cell=cell.name,
            score=name,
            data_sets=int(n),
            covered=_percent(hits, n),
            cautioned=_percent(warned, n),
            covered_uncautioned=_percent(clean, n - warned),
            ample=_percent(enough, n),
            cautioned_ample=_percent(enough_warned, enough),
            covered_ample=_percent(enough_hits, enough),
            width_ratio=round(ours / theirs, 3) if theirs else float("nan"),
            level=100 * method.level,
            seed=seed,
        )
        results.append(result)
    return results


def decided(cell: Cell, names: Sequence[str], times: int, seed: int) -> Iterator[Result]:
    """The same; a score that may be red is measured on five times as many further data sets.

    All data sets count: to keep only the second measurement would flatter what was doubtful.
    """
    for result in measure(cell, names, times, seed):
        doubtful = result.cautioned <= 50 and result.covered_uncautioned < 94
        more = measure(cell, [result.score], 5 * times, seed + 1, widths=0) if doubtful else []
        yield pooled(result, more[0]) if more else result


def pooled(a: Result, b: Result) -> Result:
    """Two measurements as one; the widths are those of the first."""

    def mean(name: str, of: str | None = None, besides: bool = False) -> float:
        """By the data sets that a percentage is of."""
        shares = [100.0 if of is None else getattr(x, of) for x in (a, b)]
        counts = [
            x.data_sets * (100 - share if besides else share)
            for x, share in zip((a, b), shares, strict=True)
        ]
        sums = [getattr(x, name) * n for x, n in zip((a, b), counts, strict=True) if n]
        return round(sum(sums) / sum(counts), 2) if sums else float("nan")

    return a._replace(
        data_sets=a.data_sets + b.data_sets,
        covered_uncautioned=mean("covered_uncautioned", "cautioned", besides=True),
        covered=mean("covered"),
        cautioned=mean("cautioned"),
        ample=mean("ample"),
        cautioned_ample=mean("cautioned_ample", "ample"),
        covered_ample=mean("covered_ample", "ample"),
    )


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else float("nan")


GRIDDED = {
    "classes": 32,
    "weights": 8,
    "clusters": 12,
    "label sets": 6,
    "rankings": 18,
    "losses": 14,
}
"""How many cells of each family the grid has."""
DRAWN = {"classes": 20, "weights": 8, "clusters": 8, "label sets": 5, "rankings": 5, "losses": 4}
"""How many of fifty random cells are of each family."""
RESAMPLED = {"resampled": 6}
"""And how many further ones have scores without an automatic interval."""
FEWER = 10
"""How many times fewer data sets these have: each takes hundreds of scores, and is cautioned."""


def grid() -> Iterator[tuple[Cell, list[str]]]:
    """The cells of the grid, with all their scores."""
    for family, cells in space().items():
        size = min(GRIDDED[family], len(cells))
        places = np.random.default_rng(0).choice(len(cells), size, replace=False)
        yield from ((cells[at], [*cells[at].truths()]) for at in sorted(places.tolist()))


def read(path: Path) -> list[Result]:
    """The results of an earlier run."""
    with path.open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    texts, whole = Result._fields[:3], ("data_sets", "seed")

    def value(field: str, text: str) -> Any:
        return text if field in texts else int(float(text)) if field in whole else float(text)

    return [Result._make(value(x, row[x]) for x in Result._fields) for row in rows]


def picture(results: Sequence[Result]) -> str:
    """The grid as a heat map: a row for each cell, a column for each score of its family."""
    side, left, top, line = 17, 245, 100, 14
    parts, y = [], 6
    for family in dict.fromkeys(x.family for x in results):
        own = [x for x in results if x.family == family]
        names = [*dict.fromkeys(x.score for x in own)]
        y += top
        parts.append(f'<text x="4" y="{y - 6}" font-weight="bold">{family}</text>')
        for at, name in enumerate(names):
            x = left + at * side + 12
            parts.append(f'<text transform="translate({x},{y - 6}) rotate(-50)">{name}</text>')
        for cell in dict.fromkeys(x.cell for x in own):
            parts.append(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{cell}</text>')
            for result in (x for x in own if x.cell == cell):
                x = left + names.index(result.score) * side
                said = f"{result.covered:g} % covered, {result.cautioned:g} % cautioned"
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{side - 1}" height="{line - 1}" '
                    f'fill="{COLOURS[result.colour]}"><title>{cell}, {result.score}: {said}'
                    "</title></rect>"
                )
            y += line
    size = f'width="{left + 13 * side + 70}" height="{y + 10}"'
    style = 'font-family="sans-serif" font-size="10"'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *parts, "</svg>\n"]
    )


def table(results: Sequence[Result]) -> Iterator[str]:
    """What the results say in sum, by family."""
    head = ["family", "scores of cells", *COLOURS, "lowest without a caution", "cautioned", "width"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for family in (*dict.fromkeys(x.family for x in results), "all"):
        own = [x for x in results if family in (x.family, "all")]
        colours = [str(sum(x.colour == colour for x in own)) for colour in COLOURS]
        plain = [x.covered_uncautioned for x in own if x.colour != "grey"]
        rich = [x for x in own if x.ample > 0]
        warned = sum(x.ample * x.cautioned_ample for x in rich) / max(sum(x.ample for x in rich), 1)
        widths = [x.width_ratio for x in rich if x.ample > 50 and np.isfinite(x.width_ratio)]
        cells = [
            f"{min(plain):.1f} %" if plain else "–",
            f"{warned:.1f} %",
            f"{np.median(widths):.2f} ×" if widths else "–",
        ]
        yield f"| {' | '.join([family, str(len(own)), *colours, *cells])} |"


def level_table(results: Sequence[Result]) -> Iterator[str]:
    """What the results say in sum, by level."""
    head = ["level", "cells", *COLOURS, "without a caution", "median"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for level in sorted({x.level for x in results}):
        own = [x for x in results if x.level == level]
        colours = [str(sum(x.colour == colour for x in own)) for colour in COLOURS]
        plain = [x.covered_uncautioned for x in own if x.colour != "grey"]
        cells = [f"{min(plain):.1f}–{max(plain):.1f} %", f"{np.median(plain):.1f} %"]
        yield f"| {' | '.join([f'{level:g} %', str(len(own)), *colours, *cells])} |"


def summary(results: Sequence[Result]) -> str:
    """What was required of the random cells, and what they did."""
    own = [x for x in results if x.family not in RESAMPLED]
    ample = [x for x in own if x.ample >= 50]
    colours = [x.colour for x in own]
    warned = sum(x.ample * x.cautioned_ample for x in own if x.ample) / sum(x.ample for x in own)
    widths = [x.width_ratio for x in ample if np.isfinite(x.width_ratio)]
    return (
        f"{len(own)} cells drawn at random with seed {own[0].seed}, one score each, "
        f"{own[0].data_sets:,} data sets each, and {len(results) - len(own)} that are resampled, "
        f"with {own[0].data_sets // FEWER}: {colours.count('red')} of the {len(own)} are red (we "
        f"aim at no more than 2). In {len(ample)} cells, every class has 10 items in most data "
        f"sets: {sum(x.colour == 'blue' for x in ample)} of these are blue (at most 5), and "
        f"intervals are {np.mean(widths):.2f} × as wide as those of the delta method, on average "
        f"(at most 1.5). Of all data sets in which every class has 10 items, {warned:.1f} % have a "
        "caution (at most 10):"
    )


def write_page() -> None:
    """Put the tables and the picture of the last runs on the page."""
    grid, random = read(GRID), read(RANDOM)
    PICTURE.write_text(picture(grid), encoding="utf-8")
    middle = [
        START,
        "The grid:",
        "\n".join(table(grid)),
        "![Coverage of every score in every cell of the grid](coverage.svg)",
        summary(random),
        "\n".join(table(random)),
        "The same by level:",
        "\n".join(level_table(random)),
        END,
    ]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(before + "\n\n".join(middle) + rest.partition(END)[2], encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=300)
    parser.add_argument(
        "--random",
        action="store_true",
        help="fifty random cells and six without auto, one score each",
    )
    parser.add_argument("--only", help="one family of cells; the rows of the others stay")
    parser.add_argument("--seed", type=int, default=2019)
    parser.add_argument("--page", action="store_true", help="only put the last results on the page")
    options = parser.parse_args()
    if options.page:
        write_page()
        return
    path, only = RANDOM if options.random else GRID, options.only
    results: list[Result] = []
    for result in results_of(options):
        results.append(result)
        if result.colour == "red" or options.random:
            print(result.colour, *result, flush=True)
        write(path, results, only)  # what is measured stays, whatever happens
    write_page()


def write(path: Path, results: Sequence[Result], only: str | None) -> None:
    """Write the results; with ``only``, the rows of other families stay as they are.

    Several families may be measured at once.
    """
    with alone(HERE):
        others = [] if only is None else [x for x in read(path) if x.family != only]
        order = [*GRIDDED, *RESAMPLED]
        rows = sorted([*others, *results], key=lambda x: order.index(x.family))
        temporary = path.with_suffix(".tmp")
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*Result._fields, "colour"])
            writer.writerows([*result, result.colour] for result in rows)
        os.replace(temporary, path)


def results_of(options: argparse.Namespace) -> Iterator[Result]:
    """The results of the requested cells, one after the other."""
    seed, times, only = options.seed, options.data_sets, options.only
    if options.random:
        for cell in random_cells(seed, DRAWN | RESAMPLED):
            few = times // FEWER if cell.family in RESAMPLED else times
            if only in (None, cell.family):
                yield from measure(cell, [cell.score], few, seed, cell.method)
        return
    for other, names in grid():
        if only in (None, other.family):
            yield from decided(other, names, times, seed)


if __name__ == "__main__":
    main()
