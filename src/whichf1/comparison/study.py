"""study: systems with several runs, folds or data sets, compared under one definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cached_property
from itertools import combinations
from math import inf
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from whichf1.comparison.compare import letters
from whichf1.comparison.crossed import Crossed, cross, rescored
from whichf1.comparison.data_sets import (
    AverageRanks,
    DataSetPair,
    compare_data_sets,
    rank_data_sets,
)
from whichf1.comparison.folds import FoldPair, FoldTest, compare_folds
from whichf1.comparison.rank_flips import DEFINITIONS, SystemRanks, ordered, ranks_of
from whichf1.comparison.runs import RunMean, RunPair, compare_runs, mean_of_runs, steady_errors
from whichf1.comparison.significance import ADJUSTMENTS, Adjust, Plan, level_of
from whichf1.definitions import signature
from whichf1.definitions.definition import Definition, define_fitting
from whichf1.definitions.methods import Auto
from whichf1.definitions.signature import Word
from whichf1.errors import DefinitionError, FileError, InputError, is_among, numbered
from whichf1.scoring.functions import with_options
from whichf1.scoring.score import Score, data_signature
from whichf1.sources.counts import Reading
from whichf1.sources.run_columns import Columns
from whichf1.sources.trials import read_trials
from whichf1.tables.display import Drawable, presenters
from whichf1.tables.labels import Labels
from whichf1.tables.records import dataclass
from whichf1.tables.saving import write_whole
from whichf1.tables.trials import DataSet, Trials, named

Folding: TypeAlias = Literal["averaged", "pooled"]
Missing: TypeAlias = Literal["complete", "all"]
SHOWN = 5
"""How many cells a message names."""
KEEP = "choose missing='all' (--missing all)"


@dataclass(frozen=True, kw_only=True)
class StudyPlan(Plan):
    """How a study is done; every field is part of the signature."""

    folding: Folding = "averaged"
    """Whether the scores of folds are averaged, or the items of all folds are scored together."""
    matched: bool | None = None
    """Whether runs of the same name belong together; None: if all systems have the same names."""
    missing: Missing | None = None
    """What to do if runs lack items, or systems lack runs or data sets."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_among(self.folding, get_args(Folding)):
            raise DefinitionError(f"folding is 'averaged' or 'pooled'; got {self.folding!r}")
        if self.missing is not None and not is_among(self.missing, get_args(Missing)):
            raise DefinitionError(f"missing is 'complete' or 'all'; got {self.missing!r}")
        if not isinstance(self.matched, (bool, type(None))):
            raise DefinitionError(f"matched is True, False or None; got {self.matched!r}")


USED = ("adjust", "power", "margin", "rope", "seed")
"""Fields of every plan that a study uses."""


@dataclass(frozen=True, eq=False)
class Study(Drawable):
    """Systems with several runs, folds or data sets; returned by ``whichf1.study``.

    >>> import whichf1 as wf
    >>> y = [0, 1] * 20
    >>> runs = {"A": [[0, 1] * 19 + [1, 0], y], "B": [[0, 0] * 20, [0, 1] * 10 + [1] * 20]}
    >>> s = wf.study(y, "accuracy", pred=runs)
    >>> s.ranking, [round(mean.mean, 3) for mean in s.means]
    (('A', 'B'), [0.975, 0.625])
    """

    trials: Trials
    """What was read; save it with ``study.trials.save`` and extend it with ``+``."""
    definition: Definition
    plan: StudyPlan
    crossed: Mapping[str, Crossed]
    """The scores of all runs, by data set."""
    means: tuple[RunMean, ...]
    """The mean of each system over its runs on each data set."""
    pairs: tuple[RunPair, ...]
    """Every pair of systems on each data set, compared by runs and items."""
    folds: tuple[FoldPair, ...]
    """Every pair of systems on each data set, compared by folds; empty without folds."""
    ranks: AverageRanks | None
    """Average ranks over data sets; None for one data set."""
    across: tuple[DataSetPair, ...]
    """Every pair of systems over all data sets; empty for one data set."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in order of appearance."""
        return self.trials.systems

    @cached_property
    def scores(self) -> dict[str, float]:
        """The mean score of each system: over its runs, then over data sets."""
        return {
            name: float(np.mean([x.mean for x in self.means if x.system == name]))
            for name in self.systems
        }

    @property
    def ranking(self) -> tuple[str, ...]:
        """The systems, best first."""
        sign = 1 if self.definition.declaration.better == "lower" else -1
        return tuple(sorted(self.scores, key=lambda name: sign * self.scores[name]))

    @property
    def deciding(self) -> Sequence[RunPair | FoldPair | DataSetPair]:
        """The comparisons that decide: over data sets, otherwise by folds, otherwise by runs."""
        return self.across or self.folds or self.pairs

    @cached_property
    def letters(self) -> dict[str, str]:
        """Systems that share a letter do not differ significantly, by the adjusted p-values."""
        limit = 1 - level_of(self.definition)
        apart = {
            (pair.a, pair.b)
            for pair in self.deciding
            if pair.p_adjusted is not None and pair.p_adjusted < limit
        }
        return letters(self.ranking, apart)

    @cached_property
    def flips(self) -> SystemRanks | None:
        """The order of the systems under other definitions, over the whole study.

        None if systems have scores, or there is only one system.
        """
        if any(each.counts is None for each in self.crossed.values()) or len(self.systems) < 2:
            return None
        shared = ("classes", "exclude", "ignore", "undefined")
        options = {key: getattr(self.definition, key) for key in shared}
        orders = []
        for name in DEFINITIONS:
            definition = define_fitting(name, options)
            orders.append(ordered(_whole_scores(self, definition)))
        return ranks_of(self.systems, tuple(orders))

    @cached_property
    def signature(self) -> str:
        """The definition, the plan and the data: ``study(..., signature)`` runs it again."""
        facts: dict[str, Any] = {"study": Word("crossed"), "adjust": Word(self.plan.adjust)}
        plan = asdict(self.plan)
        facts |= {x: plan[x] for x in USED[1:] if plan[x] is not None}
        if any(each.folds is not None for each in self.trials.data_sets.values()):
            facts["folding"] = Word(self.plan.folding)
        if self.plan.matched is not None:
            facts["matched"] = self.plan.matched
        if self.plan.missing is not None:
            facts["missing"] = Word(self.plan.missing)
        first = next(iter(self.crossed.values()))
        made: list[tuple[str, Any]] = [("systems", len(self.systems)), ("runs", self.trials.runs)]
        if self.folds:
            made.append(("folds", self.folds[0].folds))
        if len(self.crossed) > 1:
            made.append(("datasets", len(self.crossed)))
        if first.weighted:
            made.append(("weighted", True))
        if first.clusters is not None:
            made.append(("clusters", sum(x.clusters or 0 for x in self.crossed.values())))
        head = signature.with_data(self.definition.signature, facts)
        return f"{head}|{data_signature(self.n, _labels(self.crossed), tuple(made))}"

    @property
    def n(self) -> int:
        """The number of items, of all data sets."""
        return sum(each.n for each in self.crossed.values())

    def text(self, format: str = "text", decimals: int = 4) -> str:
        """The tables of the study.

        format: text, markdown, latex, html, csv or json.
        Returns: The text.
        DefinitionError: If there is no such format.

        >>> import whichf1 as wf
        >>> y = [0, 1] * 20
        >>> runs = {"A": [[0, 1] * 19 + [1, 0], [0, 1] * 20], "B": [[0, 0] * 20, [0, 1] * 20]}
        >>> "booktabs" in wf.study(y, "accuracy", pred=runs).text("latex")
        True
        """
        return presenters[0]().text(self, format, decimals)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def save_page(self, path: Any) -> None:
        """Write the study as one HTML file that needs no network, completely or not at all.

        path: A file name that ends in .html.
        FileError: If the file cannot be written, or its name does not end in .html.

        >>> import tempfile, whichf1 as wf
        >>> y = [0, 1] * 20
        >>> runs = {"A": [[0, 1] * 19 + [1, 0], [0, 1] * 20], "B": [[0, 0] * 20, [0, 1] * 20]}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wf.study(y, "accuracy", pred=runs).save_page(f"{folder}/study.html")
        """
        if not str(path).lower().endswith((".html", ".htm")):
            raise FileError(f"a page is an .html file; got {path!r}. Change its extension.")
        write_whole(path, presenters[0]().page(self).encode())

    def __repr__(self) -> str:
        order = " > ".join(f"{name} {self.scores[name]:.4f}" for name in self.ranking[:6])
        return f"<Study {order} ({self.signature})>"


def _labels(crossed: Mapping[str, Crossed]) -> Labels:
    """The classes of all data sets, which may have different types."""
    every = [each.labels for each in crossed.values()]
    if all(each == every[0] for each in every):
        return every[0]
    return Labels.trusted(sorted({str(label) for each in every for label in each}))


def _whole_scores(study: Study, definition: Definition) -> dict[str, Score]:
    """The mean score of each system over runs and data sets, under another definition."""
    values: dict[str, list[float]] = {name: [] for name in study.systems}
    settled, labels = definition, Labels(())
    for crossed in study.crossed.values():
        scored, means = rescored(crossed, definition)
        settled, labels = scored.definition, scored.labels
        for system in crossed.systems:
            values[system].append(float(means[crossed.rows(system)].mean()))
    if len(study.crossed) > 1:
        settled, labels = definition, _labels(study.crossed)
    return {
        system: Score(float(np.mean(each)), settled, study.n, labels)
        for system, each in values.items()
    }


def trials(
    data: Any,
    *,
    true: Any = None,
    pred: Any = None,
    score: Any = None,
    probs: Any = None,
    value: Any = None,
    system: str | None = None,
    run: str | None = None,
    fold: Any = None,
    dataset: str | None = None,
    item: Any = None,
    cluster: Any = None,
    weights: Any = None,
    labels: Any = None,
    sep: str | None = None,
    **reading: Any,
) -> Trials:
    """Read the runs of systems, to compare and extend them later.

    data: A dataframe, a file or several, or a pattern of files with named parts, such as
        'runs/{system}/{seed}.csv'; saved trials or counts; or the true classes, as an array.
    pred: The column of predicted classes. Or the columns of several runs: {'A': ['a1', 'a2']}, or
        '{system}_{run}' for those of a frame. For an array of true classes, the predictions
        themselves: {'A': [run_1, run_2]}.
    score: The same for scores of the positive class.
    probs: The same for scores of each class, or of each label of sets: a list of columns in the
        order of ``labels``, {class: column}, or {'A': [[columns of a run], …]}. For arrays,
        matrices with a column for each class.
    value: The same for values that items have, without true classes; their mean is compared. For
        arrays, ``data`` is None.
    system, run, dataset: Columns or parts of the pattern that say which system, run (seed,
        repetition) and data set a row is of. Usual names of parts are recognized. For arrays,
        ``dataset`` is a name.
    fold: The same for folds of a cross-validation; for arrays, the fold of each item.
    item: The column that identifies the item of a row. By default, items are matched by their
        order, and their true classes must agree.
    weights: The column, or an array, with the weight of each item, which is the same in every run.
    labels: The classes, or the labels of sets, and their order.
    sep: Items have sets of labels, and this separates the labels of a cell. They also have sets if
        cells or ``data`` are lists, or if ``true`` and ``pred`` are lists of columns of 0 and 1.
    **reading: How files are read: format, memory_limit, on_error, hive and storage_options.
    Returns: The predictions of all runs.
    FileError: If a file is missing or damaged, or no file matches the pattern.

    >>> import whichf1 as wf
    >>> wf.trials([0, 1], pred={"A": [[0, 1], [1, 1]], "B": [[0, 0], [0, 1]]})
    <Trials: 2 systems, 4 runs, 2 items>
    """
    unknown = reading.keys() - Reading.__annotations__.keys()
    if unknown:
        raise DefinitionError(f"there is no option {min(unknown)!r} for reading files")
    columns = Columns(
        true=true, pred=pred, score=score, probs=probs, value=value, system=system, run=run,
        fold=fold, dataset=dataset, item=item, cluster=cluster, weights=weights, labels=labels,
        sep=sep,
    )  # fmt: skip
    return read_trials(data, columns, {k: v for k, v in reading.items() if v is not None})


def study(
    data: Any,
    metric: Any = "averaged_f1",
    *,
    true: Any = None,
    pred: Any = None,
    score: Any = None,
    probs: Any = None,
    value: Any = None,
    system: str | None = None,
    run: str | None = None,
    fold: Any = None,
    dataset: str | None = None,
    item: Any = None,
    cluster: Any = None,
    weights: Any = None,
    labels: Any = None,
    sep: str | None = None,
    folding: Folding | None = None,
    matched: bool | None = None,
    missing: Missing | None = None,
    level: float | None = None,
    adjust: Adjust | None = None,
    power: float | None = None,
    margin: float | None = None,
    rope: float | None = None,
    seed: int | None = None,
    **options: Any,
) -> Study:
    """Compare systems that have several runs, folds or data sets.

    data: As for :func:`trials`: a dataframe, files, a pattern such as 'runs/{system}/{seed}.csv',
        arrays, or trials.
    metric: A name, a shorthand, a signature, a Definition or a metric function.
    true, pred, score, probs, value, system, run, fold, dataset, item: As for :func:`trials`.
    weights, labels, sep: As for :func:`trials`.
    folding: The scores of folds are 'averaged', which is the default, or their items are 'pooled'
        and scored together.
    matched: Whether runs of the same name belong together: False if equal seeds have no meaning. By
        default, they do if all systems have the same names of runs.
    missing: Where runs lack items, or systems lack runs or data sets, keep what all have
        in common ('complete'), or everything ('all'). By default, this is an error.
    level: The level of the intervals. Default: 0.95.
    adjust: The adjustment of p-values: 'holm', which is the default, 'fdr' or 'none'.
    power: The power for which detectable differences are computed. Default: 0.8.
    margin: Also test whether two systems differ by less than this.
    rope: The region of practical equivalence, for posterior probabilities.
    **options: The options of the metric, and how files are read.
    Returns: Means over runs with intervals, comparisons by runs, folds and data sets.
    InputError: If the data cannot be read, something is missing, or there is only one run.

    >>> import whichf1 as wf
    >>> y = [0, 1] * 20
    >>> runs = {"A": [[0, 1] * 19 + [1, 0], y], "B": [[0, 0] * 20, [0, 1] * 10 + [1] * 20]}
    >>> pair = wf.study(y, "accuracy", pred=runs).pairs[0]
    >>> round(pair.difference, 3), pair.test, pair.runs
    (0.35, 'runs', (2, 2))
    """
    chosen = {k: v for k, v in options.items() if k not in Reading.__annotations__}
    reading = {k: v for k, v in options.items() if k in Reading.__annotations__}
    given: dict[str, Any] = {
        "folding": folding,
        "matched": matched,
        "missing": missing,
        "adjust": adjust,
    }
    given |= {"power": power, "margin": margin, "rope": rope, "seed": seed}
    definition, plan = plan_study(metric, chosen, level, given)
    if isinstance(data, Study):
        data = data.trials
    if definition.declaration.kind == "value" and value is None and not isinstance(data, Trials):
        value = definition.arguments["of"]
    read = trials(
        data, true=true, pred=pred, score=score, probs=probs, value=value, system=system, run=run,
        fold=fold, dataset=dataset, item=item, cluster=cluster, weights=weights, labels=labels,
        sep=sep, **reading,
    )  # fmt: skip
    return study_trials(read, definition, plan)


def plan_study(
    metric: Any, options: Mapping[str, Any], level: float | None, given: Mapping[str, Any]
) -> tuple[Definition, StudyPlan]:
    """The definition, with its level, and the plan; both may come from one signature."""
    name, parameters, found = signature.read(metric)
    own = {each.name for each in fields(StudyPlan)}
    if found.pop("study", None) is not None:
        said = {x: found.pop(x) for x in [*found] if x in own}
        for fact in ("systems", "runs", "folds", "datasets", "interval"):
            found.pop(fact, None)
        level = found.pop("level", None) if level is None else level
        found.pop("level", None)
        metric = signature.write(name, parameters, found)
    else:
        said = {}
    plain = {k: str(v) if isinstance(v, Word) else v for k, v in said.items()}
    plan = StudyPlan(**{**plain, **{k: v for k, v in given.items() if v is not None}})
    if options.get("interval") is not None:
        raise DefinitionError("a study chooses its own intervals: omit interval=")
    definition = with_options(metric, dict(options))
    if level is None:
        level = definition.interval.level if definition.interval else 0.95
    of_class = definition.declaration.kind == "rate" and definition.average is None
    if of_class and definition.positive is None:
        raise DefinitionError(
            f"{definition.metric} of which class? Pass positive=CLASS, or average='macro', "
            "'weighted' or 'micro'."
        )
    return definition.settled(interval=Auto(level=level)), plan


def study_trials(
    trials: Trials, definition: Definition, plan: StudyPlan, *, single: bool = False
) -> Study:
    """Compare the systems of trials under one definition; ``single``: even with one run of each."""
    if not trials.data_sets:
        raise InputError("there are no runs to compare")
    trials, notes = _chosen(trials, plan.missing)
    if not single:
        _refuse_single(trials)
    if plan.folding == "pooled" and all(x.folds is None for x in trials.data_sets.values()):
        raise InputError("there are no folds to pool: name their column (fold=, --fold)")
    pooled = plan.folding == "pooled"
    crossed = {
        name: cross(name, data, definition, pooled=pooled, seed=plan.seed)
        for name, data in trials.data_sets.items()
    }
    if definition.declaration.kind == "value":  # in the bounds of all data sets
        every = {each.definition.arguments["bounds"] for each in crossed.values()}
        definition = definition.with_parameters(bounds="unit" if every == {"unit"} else "none")
        crossed = {x: replace(y, definition=definition) for x, y in crossed.items()}
    first = next(iter(crossed.values())).definition
    same = all(each.definition == first for each in crossed.values())
    settled = (first if same else definition).settled(interval=definition.interval, data=())
    means = tuple(
        mean_of_runs(each, system, settled) for each in crossed.values() for system in each.systems
    )
    pairs = [
        compare_runs(each, a, b, settled, plan, plan.matched)
        for each in crossed.values()
        if each.folds is None
        for a, b in combinations([x for x in trials.systems if x in each.systems], 2)
    ]
    folds = [
        compare_folds(each, a, b, settled, plan.rope)
        for each in crossed.values()
        if each.folds is not None
        for a, b in combinations([x for x in trials.systems if x in each.systems], 2)
    ]
    by_folds = _adjusted_folds(folds, plan.adjust)
    by_runs = ADJUSTMENTS[plan.adjust]([pair.p_value for pair in pairs])
    ranks, across = _across(trials, means, pairs, folds, settled, plan)
    return Study(
        *(trials, settled, plan, crossed, means),
        tuple(replace(pair, p_adjusted=p) for pair, p in zip(pairs, by_runs, strict=True)),
        by_folds,
        *(ranks, across, (*notes, *_unused(plan, pairs, folds, across))),
    )


def _adjusted_folds(pairs: Sequence[FoldPair], adjust: Adjust) -> tuple[FoldPair, ...]:
    """The pairs with adjusted p-values: of each test, and of those that decide."""

    def adjusted(tests: Sequence[FoldTest | None]) -> list[float | None]:
        return ADJUSTMENTS[adjust]([None if x is None else x.p_value for x in tests])

    def replaced(tests: Sequence[FoldTest | None]) -> list[Any]:
        return [x and replace(x, p_adjusted=p) for x, p in zip(tests, adjusted(tests), strict=True)]

    return tuple(
        replace(pair, p_adjusted=p, corrected=x, retrained=y, models=z)
        for pair, p, x, y, z in zip(
            pairs,
            adjusted([pair.deciding for pair in pairs]),
            replaced([pair.corrected for pair in pairs]),
            replaced([pair.retrained for pair in pairs]),
            replaced([pair.models for pair in pairs]),
            strict=True,
        )
    )


def _unused(
    plan: StudyPlan,
    pairs: Sequence[RunPair],
    folds: Sequence[FoldPair],
    across: Sequence[DataSetPair],
) -> Iterable[str]:
    """What was asked for, and none of the tests takes."""
    if plan.rope is not None and not folds and not across:
        yield "rope (--rope) is for folds and data sets: tests by runs do not use it."
    if plan.margin is not None and not pairs:
        yield "margin (--margin) is for runs: tests by folds do not use it."


def _across(
    trials: Trials,
    means: Sequence[RunMean],
    pairs: Sequence[RunPair],
    folds: Sequence[FoldPair],
    definition: Definition,
    plan: StudyPlan,
) -> tuple[AverageRanks | None, tuple[DataSetPair, ...]]:
    """The comparison over data sets, if there are several."""
    systems = trials.systems
    if len(trials.data_sets) < 2 or len(systems) < 2:
        return None, ()
    scores: dict[str, dict[str, float]] = {name: {} for name in trials.data_sets}
    for mean in means:
        scores[mean.data_set][mean.system] = mean.mean
    full = [x for x in scores.values() if len(x) == len(systems)]
    lower, level = definition.declaration.better == "lower", level_of(definition)
    ranks = None
    if len(full) > 1:
        table = np.array([[each[name] for name in systems] for each in full])
        ranks = rank_data_sets(systems, table, lower, level)
    single: dict[tuple[str, str], list[Any]] = {both: [] for both in combinations(systems, 2)}
    for pair in folds or pairs:
        single[pair.a, pair.b].append(pair)
    every: dict[tuple[str, str], list[tuple[float, float | None]]] = {}
    for both, own in single.items():
        errors = [pair.standard_error for pair in own] if folds else steady_errors(own)
        every[both] = [(x.difference, y) for x, y in zip(own, errors, strict=True)]
    low, high = definition.bounds
    limit = high - low if high < inf else inf
    across = compare_data_sets(
        systems,
        every,
        ranks,
        lower=lower,
        level=level,
        limit=limit,
        adjust=plan.adjust,
        rope=plan.rope,
        seed=plan.seed,
    )
    return ranks, across


def _refuse_single(trials: Trials) -> None:
    """Raise unless something varies: runs, folds or data sets."""
    systems = trials.systems
    if len(trials.data_sets) > 1 or any(
        len(x.fold_names or ()) > 1 for x in trials.data_sets.values()
    ):
        return
    (data,) = trials.data_sets.values()
    if all(len(data.rows(system)) < 2 for system in systems):
        raise InputError(
            f"there is one run of {'each system' if len(systems) > 1 else systems[0] or 'it'} on "
            "one data set, but a study needs at least two runs, folds or data sets. Name the "
            "column of runs (run=, --run), or compare single runs with whichf1.compare (whichf1 "
            "compare)."
        )


# what is missing


def _few(words: Iterable[str], between: str = "; ") -> str:
    """The first of several words."""
    every = [*words]
    return between.join(every[:SHOWN]) + (f"{between}…" if len(every) > SHOWN else "")


def _chosen(trials: Trials, missing: Missing | None) -> tuple[Trials, tuple[str, ...]]:
    """The trials that are compared, and what was left out or is missing."""
    gaps = _gaps(trials)
    if not gaps:
        return trials, ()
    if missing is None:
        more = f"; and {len(gaps) - SHOWN:,} more" if len(gaps) > SHOWN else ""
        raise InputError(
            f"the study is not balanced: {'; '.join(gaps[:SHOWN])}{more}. Add what is missing, or "
            "choose missing='complete' for what all have, or 'all' for everything (--missing)."
        )
    if missing == "all":
        return trials, tuple(f"Not balanced: {gap}." for gap in gaps)
    return _complete(trials)


def _gaps(trials: Trials) -> list[str]:
    """What is missing, as text."""
    gaps, systems = [], trials.systems
    for name, data in trials.data_sets.items():
        absent = [x for x in systems if x not in data.systems]
        if absent:
            gaps.append(f"data set {name!r} has no run of {', '.join(absent)}")
        runs = {system: len(data.rows(system)) for system in data.systems}
        if len({*runs.values()}) > 1:
            told = ", ".join(f"{system} {count}" for system, count in runs.items())
            gaps.append(f"{named(name)}numbers of runs differ ({told})")
        for key, count, ids in data.lacking():
            shown = ", ".join(map(repr, ids)) + (", …" if count > len(ids) else "")
            gaps.append(
                f"{named(name)}{key} lacks {count:,} of {numbered(data.n, 'item')} ({shown})"
            )
    return gaps


def _complete(trials: Trials) -> tuple[Trials, tuple[str, ...]]:
    """What all have: data sets of every system, runs of every system, items of every run."""
    notes, sets, systems = [], {}, {*trials.systems}
    for name, data in trials.data_sets.items():
        if {*data.systems} != systems:
            notes.append(f"Left out: data set {name!r}, which some systems lack.")
            continue
        sets[name] = _complete_set(name, data, notes)
    if not sets:
        sets_of = {x: [y for y, z in trials.data_sets.items() if x in z.systems] for x in systems}
        told = _few(f"{x} has {_few(sets_of[x], ', ')}" for x in trials.systems)
        raise InputError(
            f"no data set has runs of every system ({told}). Add what is missing, or {KEEP}."
        )
    return Trials(sets), tuple(notes)


def _complete_set(name: str, data: DataSet, notes: list[str]) -> DataSet:
    own = named(name)
    runs = [[data.keys[at].run for at in data.rows(system)] for system in data.systems]
    if len({*map(len, runs)}) > 1:
        common = {*runs[0]}.intersection(*runs)
        if not common:
            told = _few(f"{x} has {_few(y, ', ')}" for x, y in zip(data.systems, runs, strict=True))
            raise InputError(
                f"{own}the systems have different numbers of runs, and no run in common ({told}). "
                f"To keep all of them, {KEEP}."
            )
        kept = [at for at, key in enumerate(data.keys) if key.run in common]
        gone = [str(key) for key in data.keys if key.run not in common]
        shown = _few(gone)
        notes.append(
            f"Left out: {own}{numbered(len(gone), 'run')} that some systems lack ({shown})."
        )
        data = data.only(kept)
    everywhere = data.present.all(0)
    if not everywhere.any():
        told = _few(
            f"{key} has {data.ids[here][0].item()!r}"
            for key, here in zip(data.keys, data.present, strict=True)
        )
        raise InputError(
            f"{own}no item is in every run ({told}). Are these the same items? To keep all of "
            f"them, {KEEP}."
        )
    if not everywhere.all():
        lacking = np.flatnonzero(~everywhere)
        notes.append(
            f"Left out: {own}{len(lacking):,} of {numbered(data.n, 'item')}, which some runs lack"
            + (f", such as {data.ids[lacking[0]].item()!r}." if not data.by_line else ".")
        )
        data = data.at(np.flatnonzero(everywhere))
    return data
