"""``whichf1 agree``: how far raters agree with each other."""

from __future__ import annotations

from whichf1.cli import files
from whichf1.cli.options import AgreeOptions, split_list
from whichf1.definitions.definition import define_fitting
from whichf1.errors import InputError
from whichf1.reporting.gates import Verdict
from whichf1.reporting.score import Report, name_definitions
from whichf1.scoring.subject import of_counts
from whichf1.sources.annotations import ratings
from whichf1.tables.annotations import Ratings

COLUMNS = ("item", "rater", "rating", "weights", "frequencies", "cluster")


def agree(options: AgreeOptions) -> None:
    """Score the agreement of raters. Reads a column for each rater, or item, rater and rating."""
    subject, method = of_counts(_read(options)), options.method
    definitions = name_definitions(options.metric, method, "--{}") if options.metric else None
    source = files.source_name(options)
    report = Report.of_subject(source, subject, method, definitions)
    verdicts: list[Verdict] = []
    for limit in options.limits:
        given = method if limit.kind.end != "value" else {}
        definition = define_fitting(limit.name, given)
        limit.check(definition)
        verdicts.append(limit.judge(subject.evaluate(definition)))
    options.finish(report.document(options.places), source, verdicts)


def _read(options: AgreeOptions) -> Ratings:
    saved = files.saved_table(options)
    named = {name: getattr(options, name) for name in COLUMNS}
    named["raters"] = None if options.raters is None else split_list(options.raters)
    if saved is None:
        with files.opened(options) as ((path, _), reading):
            return ratings(path, labels=options.declared, **named, **reading)
    if not isinstance(saved, Ratings):
        raise InputError(
            f"{files.source_name(options)} holds {saved.kind}, not ratings. Pass a file of "
            "ratings: whichf1 agree annotations.csv"
        )
    for name, given in named.items():
        if given:
            raise InputError(f"saved ratings have no columns: remove --{name}")
    return saved if options.declared is None else saved.declare(options.declared)
