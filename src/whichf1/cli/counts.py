"""``whichf1 count`` and ``whichf1 merge``: parts on many machines, one score."""

from __future__ import annotations

from typing import Any, cast

from whichf1.cli import files
from whichf1.cli.options import CountOptions, MergeOptions
from whichf1.cli.process import emit, say
from whichf1.cli.score import class_scores, lines_for, set_counts, span_counts
from whichf1.definitions.definition import define
from whichf1.definitions.signature import read
from whichf1.errors import InputError, MergeError
from whichf1.metrics import COUNTED
from whichf1.scoring.decisions import decide, threshold_lines
from whichf1.scoring.lines import mean_definition, sum_losses
from whichf1.sources.lines import rank_lines
from whichf1.tables.slices import Slices
from whichf1.tables.units import Additive, merged

LOSS = "log_loss"
"""The loss that is summed over probabilities by default."""


def count(options: CountOptions) -> None:
    """Count a file once, to merge and score later."""
    _save(read_table(options), options.output)


def read_table(options: CountOptions) -> Additive:
    """The table of a file of data, or one that was saved."""
    saved: Additive | None = files.read_saved(options)
    return _counted(options) if saved is None else saved


def _counted(options: CountOptions) -> Additive:
    kind = options.kind
    for name, wanted in (("positive", "--score"), ("metric", "--probs")):
        if getattr(options, name) is not None and kind != wanted:
            raise InputError(f"--{name} needs {wanted}: remove it")
    if kind is None:
        return files.read_counts(options) if options.by is None else files.read_slices(options)
    if kind == "--spans":
        return span_counts(options)
    with files.opened(options) as (paths, reading):
        if kind == "--labels-sep":
            return set_counts(options, paths, reading)
        return (_probabilities if kind == "--probs" else _scores)(options, paths, reading)


def _scores(options: CountOptions, paths: files.Paths, reading: dict[str, Any]) -> Additive:
    """A ranking; counts if a threshold decides."""
    if options.cluster and options.threshold is None:
        raise InputError("a ranking has no clusters: remove --cluster, or add --threshold")
    lines, positive = lines_for(options, paths, reading, options.positive)
    declared = options.labels is not None

    def table(of: Any) -> Any:
        if options.threshold is not None:
            return threshold_lines(of, options.threshold, positive, declared=declared)
        return rank_lines(of, positive, declared=declared)

    if options.by is None:
        return cast(Additive, table(lines))
    parts = {key: table(lines.of_slice(at)) for at, key in enumerate(lines.keys)}
    return Slices(tuple(options.slice_columns), parts)


def _probabilities(options: CountOptions, paths: files.Paths, reading: dict[str, Any]) -> Additive:
    """The sums of a loss; counts if a metric of predicted classes is requested."""
    metric = options.metric or LOSS
    counted = define(read(metric)[0]).declaration.kind in COUNTED
    if not counted:
        definition = mean_definition(metric, {})
        for name in ("weights", "cluster"):
            if getattr(options, name):
                raise InputError(f"sums of {metric} are over single items: remove --{name}")
    scores = class_scores(options, paths, reading)

    def table(of: Any) -> Any:
        return decide(of) if counted else sum_losses(definition, of)

    if options.by is None:
        return cast(Additive, table(scores))
    parts = {key: table(part) for key, part in scores.slices().items()}
    return Slices(tuple(options.slice_columns), parts)


def merge(options: MergeOptions) -> None:
    """Add up saved counts: whichf1 merge *.json | whichf1 score -."""
    parts: list[tuple[str, Any]] = [(file, files.load_table(file)) for file in options.files]
    whole = merged(parts, _added)[1]
    undeclared = [file for file, part in parts if not getattr(part, "declared", True)]
    if getattr(whole, "declared", False) and undeclared:
        say(
            f"{', '.join(undeclared)}: counted without --labels; the classes declared in the other "
            "files are used"
        )
    _save(whole, options.output)


def _save(table: Additive, output: str | None) -> None:
    if output is None:
        emit(table.to_json() + "\n")
    else:
        table.save(output)


def _added(whole: tuple[str, Any], part: tuple[str, Any]) -> tuple[str, Any]:
    try:
        if type(whole[1]) is not type(part[1]):
            raise MergeError(f"one holds {whole[1].kind}, the other {part[1].kind}")
        return f"{whole[0]}, {part[0]}", whole[1] + part[1]
    except MergeError as error:
        raise MergeError(f"{part[0]!r} cannot be added to {whole[0]!r}: {error}") from None
