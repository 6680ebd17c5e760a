"""``whichf1 count`` and ``whichf1 merge``: parts on many machines, one score."""

from __future__ import annotations

from functools import reduce

from whichf1.cli.files import read_counts
from whichf1.cli.options import CountOptions, MergeOptions
from whichf1.cli.process import emit, say
from whichf1.errors import MergeError
from whichf1.tables.counts import Counts


def count(options: CountOptions) -> None:
    """Count a file of predictions once, to merge and score later."""
    _save(read_counts(options), options.output)


def merge(options: MergeOptions) -> None:
    """Add up counts: whichf1 merge *.json | whichf1 score -."""
    parts = [(file, Counts.load(file)) for file in options.files]
    whole = reduce(_added, parts)[1]
    undeclared = [file for file, part in parts if not part.declared]
    if whole.declared and undeclared:
        say(
            f"{', '.join(undeclared)}: counted without --labels; the classes declared in the other "
            "files are used"
        )
    _save(whole, options.output)


def _save(counts: Counts, output: str | None) -> None:
    if output is None:
        emit(counts.to_json() + "\n")
    else:
        counts.save(output)


def _added(whole: tuple[str, Counts], part: tuple[str, Counts]) -> tuple[str, Counts]:
    try:
        return f"{whole[0]}, {part[0]}", whole[1] + part[1]
    except MergeError as error:
        raise MergeError(f"{part[0]!r} cannot be added to {whole[0]!r}: {error}") from None
