"""Rows of the speed table: how they are declared, timed, compared and reported."""

from __future__ import annotations

import fcntl
import gc
import importlib.metadata
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 0.4
"""Time for further tries of a row, after those that it has in any case."""
LEAST = 3
"""Tries of each program, however long they take; the first also warms up."""
ROUNDS = 15
TURN = 0.2
"""Seconds that the slowest program may take in its turn, unless one call takes longer."""


@dataclass(frozen=True)
class Row:
    """A task that we and peers do on the same data."""

    name: str
    data: Callable[[], tuple[Any, ...]]
    ours: Callable[..., Any]
    peers: Mapping[str, Callable[..., Any]]
    at_least: Mapping[str, float] = field(default_factory=dict)
    """Required speed relative to each peer; 0.67 allows 1.5 times the peer's time."""
    same: bool = True
    """Whether the results must agree."""
    repeat: int = 7
    """Calls of each program per round, as the slowest allows; many if one takes microseconds."""
    seconds: float = SECONDS
    """Time for further tries."""
    slow: bool = False
    """Whether it is left to ``make bench-all``, because a peer takes seconds for each try."""


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    work: str
    peer: str
    ours: str
    theirs: str
    ratio: float
    bar: float | None
    """The required ratio, if any."""

    @property
    def reached(self) -> bool:
        """Whether the ratio is as high as required."""
        return self.bar is None or self.ratio >= self.bar


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one process at a time change the results in a folder; others may run beside it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class Disagreement(AssertionError):
    """Two programs returned different results for the same data."""


def chosen(rows: Iterable[Row]) -> list[Row]:
    """The rows with slow peers if the command line says ``--slow``, otherwise all others."""
    return [row for row in rows if row.slow == ("--slow" in sys.argv)]


def settle() -> None:
    """Collect garbage, and no more of it; what libraries hold is not looked at again."""
    gc.collect()
    gc.freeze()
    gc.disable()


def measure(row: Row) -> list[Line]:
    """Time a row: each peer takes turns with our program, and the best time of each counts."""
    data = row.data()
    calls = {"whichf1": row.ours, **row.peers}
    first, answers = {}, {}
    for name, call in calls.items():
        answers[name], first[name] = timed(call, data)
    if row.same:
        agree(row.name, answers)
    settle()
    lines = []
    for peer in row.peers:
        ours, theirs = in_turns(row, data, *((calls[x], first[x]) for x in ("whichf1", peer)))
        ratio_of = theirs / ours
        lines.append(
            Line(row.name, peer, duration(ours), duration(theirs), ratio_of, row.at_least.get(peer))
        )
    if not row.peers:
        (alone,) = in_turns(row, data, (row.ours, first["whichf1"]))
        lines.append(Line(row.name, "none", duration(alone), "", float("nan"), None))
    gc.enable()
    return lines


def timed(call: Callable[..., Any], data: tuple[Any, ...]) -> tuple[Any, float]:
    """The result of a call, and its time in seconds."""
    begun = time.perf_counter()
    result = call(*data)
    return result, time.perf_counter() - begun


def in_turns(
    row: Row, data: tuple[Any, ...], *programs: tuple[Callable[..., Any], float]
) -> list[float]:
    """The best time of each program, of which the first try is known.

    All have as many tries, several in a row: after another program, the caches hold its data.
    """
    calls, best = [call for call, _ in programs], [first for _, first in programs]
    tries = max(LEAST - 1, min(row.repeat, int(TURN / max(best))))
    started, rounds = time.perf_counter(), 0
    while not rounds or (rounds < ROUNDS and time.perf_counter() - started < row.seconds):
        for at, call in enumerate(calls):
            best[at] = min(best[at], *(timed(call, data)[1] for _ in range(tries)))
        rounds += 1
    return best


def agree(work: str, answers: Mapping[str, Any]) -> None:
    """Raise if the answers of peers are not ours."""
    ours = float(answers["whichf1"])
    for name, answer in answers.items():
        if not math.isclose(ours, float(answer), rel_tol=1e-5, abs_tol=1e-7):
            raise Disagreement(f"{work}: whichf1 says {ours!r}, {name} says {float(answer)!r}")


def duration(seconds: float) -> str:
    """A human-readable time: 41 µs, 4.3 ms, 3.1 s."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def ratio(value: float) -> str:
    """A ratio with three digits, such as '250 ×'; a dash if there is none."""
    if math.isnan(value):
        return "–"
    return f"{value:.0f} ×" if value >= 100 else f"{value:.3g} ×"


def table(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table."""
    head = "| task | whichf1 | peer | peer's time | times faster | required | |\n"
    head += "|---|--:|---|--:|--:|--:|---|\n"
    return head + "".join(
        f"| {line.work} | {line.ours} | {line.peer} | {line.theirs} | {ratio(line.ratio)} | "
        f"{'' if line.bar is None else ratio(line.bar)} | "
        f"{'' if line.bar is None else 'reached' if line.reached else 'missed'} |\n"
        for line in lines
    )


def bounded_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows with a limit and whether it is reached, as a Markdown table: numbers to the right."""
    sides = ["---" if name in ("task", "against", "file") else "--:" for name in head]
    lines = [[*head, ""], [*sides, "---"], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


RESULTS = Path(__file__).with_name("RESULTS.md")


def write_results(text: str, path: Path = RESULTS) -> None:
    """Write the first part of the results, and keep the sections that follow it."""
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    _, mark, sections = known.partition("\n## ")
    path.write_text(text.rstrip("\n") + "\n" + mark + sections, encoding="utf-8")


def write_section(title: str, text: str, path: Path = RESULTS) -> None:
    """Write a section of the results in place of the one with the same title, or after all."""
    head, *sections = path.read_text(encoding="utf-8").rstrip("\n").split("\n## ")
    written = {x.partition("\n")[0]: x.rstrip("\n") for x in sections}
    written[title] = f"{title}\n\n{text.strip()}"
    parts = [head.rstrip("\n"), *written.values()]
    path.write_text("\n\n## ".join(parts) + "\n", encoding="utf-8")


def machine() -> str:
    """The machine and the versions that were measured."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            x.split(":", 1)[1].strip() for x in info.read_text().split("\n") if "model name" in x
        ]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ("numpy", "scikit-learn", "torch", "torchmetrics")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    return (
        f"{model}, {cores} cores, {pages:.0f} GB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, {versions}."
    )
