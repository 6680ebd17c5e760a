"""``whichf1 agree``: how far raters agree with each other."""

from __future__ import annotations

from typing import Any

from whichf1.cli import files
from whichf1.cli.options import AgreeOptions, split_list
from whichf1.cli.score import judged
from whichf1.definitions.definition import define_fitting
from whichf1.errors import InputError
from whichf1.reporting.score import AGREEMENT, Report, agreement_title, name_definitions
from whichf1.reporting.slices import slice_document
from whichf1.scoring.subject import of_table
from whichf1.sources.annotations import ratings, ratings_by
from whichf1.tables.annotations import Ratings
from whichf1.tables.slices import Slices

COLUMNS = ("item", "rater", "rating", "weights", "frequencies", "cluster")


def agree(options: AgreeOptions) -> None:
    """Score the agreement of raters. Reads a column for each rater, or item, rater and rating."""
    subject, method = of_table(_read(options)), options.method
    definitions = name_definitions(options.metric, method, "--{}") if options.metric else None
    source = files.source_name(options)
    if subject.by:
        usual = [define_fitting(name, method) for name in AGREEMENT]
        definitions = definitions or [(agreement_title(each), each) for each in usual]
        slices = {key: part.evaluate for key, part in subject.slices.items()}
        document = slice_document(source, subject.by, definitions, subject.evaluate, slices)
    else:
        report = Report.of_subject(source, subject, method, definitions)
        document = report.document(options.places)
    options.finish(document, source, judged(options, method, subject))


def _read(options: AgreeOptions) -> Any:
    saved: Any = files.saved_table(options)
    named: dict[str, Any] = {name: getattr(options, name) for name in COLUMNS}
    named["raters"] = None if options.raters is None else split_list(options.raters)
    if saved is None:
        with files.opened(options) as ((path, _), reading):
            named |= {"labels": options.declared, **reading}
            if options.by is None:
                return ratings(path, **named)
            return ratings_by(path, by=options.slice_columns, **named)
    whole = saved.whole if isinstance(saved, Slices) else saved
    if not isinstance(whole, Ratings):
        raise InputError(
            f"{files.source_name(options)} holds {whole.kind}, not ratings. Pass a file of "
            "ratings: whichf1 agree annotations.csv"
        )
    for name, value in {**named, "by": options.by}.items():
        if value:
            raise InputError(f"saved ratings have no columns: remove --{name}")
    return saved if options.declared is None else saved.declare(options.declared)
