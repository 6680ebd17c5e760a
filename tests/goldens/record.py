"""Record what the public API and the command line give today: the goldens.

``python -m tests.goldens.record`` writes ``goldens.json`` beside this file, and the saved counts in
``saved/`` where they are missing. Only public names are used: the modules may move.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.goldens import (
    of_classes,
    of_commands,
    of_counting,
    of_frames,
    of_mistakes,
    of_names,
    of_published,
    of_saved,
    of_scores,
    of_sets,
    of_systems,
)
from tests.goldens.plain import Case, plain
from tests.goldens.shorter import shortened

GOLDENS = Path(__file__).parent / "goldens.json"
OURS = ("OtherDataWarning", "SkippedWarning")
"""Warnings that are part of what the library says."""
Group = Callable[[], Iterator[Case]]

GROUPS: dict[str, Group] = {
    "rates": of_classes.rates,
    "bootstraps": of_classes.bootstraps,
    "shares": of_classes.shares,
    "arrays": of_classes.arrays,
    "agreements": of_classes.agreements,
    "further metrics": of_classes.further,
    "options": of_classes.options,
    "levels": of_classes.levels,
    "definitions": of_classes.definitions,
    "counting": of_counting.counting,
    "rankings": of_scores.rankings,
    "losses": of_scores.losses,
    "several classes": of_scores.several,
    "merging": of_scores.merging,
    "curves": of_scores.curves,
    "thresholds": of_scores.thresholds,
    "decisions": of_scores.decisions,
    "rates of sets": of_sets.rates,
    "items of sets": of_sets.items_metrics,
    "options of sets": of_sets.options,
    "systems of classes": of_systems.classes,
    "systems of scores": of_systems.scores,
    "systems of probabilities": of_systems.probabilities,
    "systems of sets": of_systems.sets,
    "frames": of_frames.frames,
    "files": of_frames.files,
    "macro F1": of_published.macro,
    "explanations": of_published.explanations,
    "audits": of_published.audits,
    "dialects": of_published.dialects,
    "saved counts": of_saved.saved,
    "mistakes": of_mistakes.mistakes,
    "names": of_names.names,
    "commands": of_names.commands,
    "mf1": of_names.mf1,
    "command score": of_commands.scores,
    "command score of scores": of_commands.scored,
    "command compare": of_commands.compared,
    "commands of published numbers": of_commands.published,
    "commands count and merge": of_commands.counted,
}
"""Cases that are recorded and checked together."""


def result(run: Callable[[], object]) -> Any:
    """What a case gives as plain JSON: its value, or its error; with the kinds of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = shortened(plain(run()))
        except Exception as error:
            found = {"error": type(error).__name__}
    said = sorted({each.category.__name__ for each in caught} & {*OURS})
    return {"warnings": said, "result": found} if said else found


def results(group: Group) -> dict[str, Any]:
    """The results of all cases of a group by name."""
    found: dict[str, Any] = {}
    for name, run in group():
        if name in found:
            raise ValueError(f"two cases are called {name!r}")
        found[name] = result(run)
    return found


def record() -> dict[str, Any]:
    """The results of all cases by name."""
    found: dict[str, Any] = {}
    for title, group in GROUPS.items():
        start = perf_counter()
        own = results(group)
        print(f"{title}: {len(own):,} cases in {perf_counter() - start:.2f} s")
        if found.keys() & own.keys():
            raise ValueError(f"cases of {title!r} have names of others")
        found |= own
    return found


def written(found: dict[str, Any]) -> str:
    """The goldens as text: a case on each line, in the order of names; floats as repr."""
    lines = (
        f"{json.dumps(name, ensure_ascii=False)}: "
        + json.dumps(
            found[name], sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")
        )
        for name in sorted(found)
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Record all, into the file that is named or into the goldens."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDENS
    of_saved.save()
    found = record()
    target.write_text(written(found), encoding="utf-8")
    print(f"{target}: {len(found):,} cases, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
