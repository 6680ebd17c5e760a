"""``whichf1 study``: runs, folds and data sets."""

from __future__ import annotations

from typing import Any

from whichf1.cli.files import messages
from whichf1.cli.options import (
    StudyOptions,
    find_label,
    is_list,
    label_columns,
    probability_columns,
    split_list,
)
from whichf1.comparison.study import Study, plan_study, study_trials, trials
from whichf1.definitions import signature
from whichf1.errors import InputError
from whichf1.reporting.pictures.drawing import format_of
from whichf1.reporting.pictures.kinds import picture
from whichf1.reporting.pictures.typeface import plotting
from whichf1.reporting.score import page_path
from whichf1.reporting.study import study_document
from whichf1.sources.address import shown_name
from whichf1.tables.labels import Labels
from whichf1.tables.trials import Trials

ROLES = ("system", "run", "fold", "dataset", "item", "cluster", "weights")
PLANNED = ("folding", "missing", "adjust", "power", "margin", "rope", "seed")


def study(options: StudyOptions) -> None:
    """Compare systems that have several runs, folds or data sets."""
    if options.plot is not None:
        format_of(options.plot)
        plotting()
    if options.page is not None:
        page_path(options.page)
    if options.save is not None and not options.save.endswith(".json"):
        raise InputError(f"a study is saved as .json; got {options.save!r}. Change the extension.")
    read = _read(options)
    if options.save is not None:
        read.save(options.save)
    result = _studied(options, read)
    if options.plot is not None:
        kind = "critical-difference" if result.ranks is not None else "runs"
        picture(result, kind).save(options.plot)
    if options.page is not None:
        result.save_page(options.page)
    source = ", ".join(map(shown_name, options.files[:3]))
    options.write(study_document(result, source))


def _read(options: StudyOptions) -> Trials:
    named: dict[str, Any] = {name: getattr(options, name) for name in ROLES}
    named |= {"labels": options.declared, "sep": options.labels_sep, "true": options.true}
    named |= {"score": options.score_column, "value": options.value or _value(options.metric)}
    if is_list(options.true):
        named["labels"], named["true"] = label_columns("--true", options.true or "")
        named["pred"] = label_columns("--pred", *options.pred)[1] if options.pred else None
        named["probs"] = label_columns("--probs", *options.probs)[1] if options.probs else None
    else:
        named["pred"] = _columns(options.pred)
        if options.probs:
            named["labels"], named["probs"] = probability_columns(options.probs, options.declared)
    reading = {"format": options.from_, "on_error": options.on_error.value}
    with messages():
        return trials([*options.files], **named, **reading)


def _value(metric: str) -> str | None:
    """The column that the definition of a mean of values names."""
    name, parameters, _ = signature.read(metric)
    return parameters.get("of") if name == "mean_value" else None


def _columns(words: list[str] | None) -> Any:
    """The column of predictions, or the columns of each system."""
    if not words:
        return None
    if len(words) == 1 and "=" not in words[0]:
        return words[0]
    if not all("=" in each for each in words):
        raise InputError(
            "several --pred name the runs of each system: --pred A=a1,a2 --pred B=b1,b2"
        )
    systems = {name: split_list(each) for name, _, each in (x.partition("=") for x in words)}
    if len(systems) < len(words):
        raise InputError(f"--pred names a system twice: {', '.join(words)}")
    return systems


def _studied(options: StudyOptions, read: Trials) -> Study:
    """The study, with classes as written in the data."""
    every = {label for data in read.data_sets.values() for label in data.sets or data.labels}
    alike = len({type(label) for label in every}) == 1
    labels = Labels.trusted(sorted(every)) if alike else Labels.trusted(())
    if options.positive is not None and not alike:
        find_label(options.positive, labels)
    settings = {name: getattr(options, name) for name in PLANNED}
    settings["matched"] = False if options.unmatched else None
    chosen = options.chosen(labels)
    return study_trials(read, *plan_study(options.metric, chosen, options.level, settings))
