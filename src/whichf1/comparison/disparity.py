"""groups: does a score differ between groups of items? Differences, ratios, the worst group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from math import isfinite
from typing import Any, NamedTuple, Unpack

import numpy as np

from whichf1.definitions import signature
from whichf1.definitions.definition import OPTIONS, Definition, fits
from whichf1.definitions.methods import Auto, Bootstrap, Posterior, find_method
from whichf1.definitions.names import SHORTHANDS
from whichf1.definitions.options import Options
from whichf1.definitions.words import title
from whichf1.errors import DefinitionError, InputError, numbered, suggestion
from whichf1.metrics import find
from whichf1.scoring.evaluate import cluster_influence
from whichf1.scoring.functions import with_options
from whichf1.scoring.score import Score, data_signature, value_fields
from whichf1.scoring.subject import Subject, is_counted, subject_of
from whichf1.sources.counts import DATA_OPTIONS
from whichf1.sources.lines import positive_class
from whichf1.sources.request import has_columns
from whichf1.statistics.disparity import (
    Ends,
    Extreme,
    GroupEstimates,
    level_of_each,
    level_of_pairs,
    sizes_of,
)
from whichf1.statistics.scales import Interval
from whichf1.tables.cells import Array
from whichf1.tables.display import Displayed, Drawable
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Key, Slices, order


class Criterion(NamedTuple):
    """What is equal in all groups if a system treats them alike."""

    metrics: tuple[str, ...]
    meaning: str


CRITERIA = {
    "demographic_parity": Criterion(
        ("selection_rate",), "The same fraction of every group is predicted as positive."
    ),
    "equal_opportunity": Criterion(
        ("recall",), "Positive items are predicted as positive equally often in every group."
    ),
    "predictive_equality": Criterion(
        ("false_positive_rate",), "Negative items are predicted as positive equally often."
    ),
    "equalized_odds": Criterion(
        ("recall", "false_positive_rate"), "Equal opportunity and predictive equality."
    ),
    "predictive_parity": Criterion(
        ("precision",), "Positive predictions are correct equally often in every group."
    ),
    "conditional_use_accuracy_equality": Criterion(
        ("precision", "negative_predictive_value"),
        "Positive and negative predictions are correct equally often in every group.",
    ),
}
"""Criteria of fairness by their usual names (Verma and Rubin 2018)."""


@dataclass(frozen=True)
class Disparity(Displayed):
    """A number that summarizes all groups, with its interval; an attribute of ``Groups``.

    name: 'difference', 'ratio', 'worst', 'best' or 'variance'.
    value: The plain float, as ``float(...)`` returns it.
    interval: None if none was requested, or if the score of a group has none.
    groups: The groups that it comes from: the higher and the lower one (for a ratio, the lower
        and the higher); none for a variance.
    metric: The metric that it summarizes, if there are several.
    signature: Its exact definition, which ``whichf1.groups`` can run again.

    >>> import whichf1 as wf
    >>> found = wf.groups([1] * 8, [1, 1, 1, 0, 1, 0, 0, 0], "accuracy", by=list("aaaabbbb"))
    >>> found.difference.value, found.difference.groups
    (0.5, (('a',), ('b',)))
    """

    name: str
    value: float
    interval: Interval | None
    groups: tuple[Key, ...]
    metric: str
    signature: str

    def __float__(self) -> float:
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """The number for JSON; 'why' is present if the value is not finite."""
        return {**value_fields(self.value, self.interval), "signature": self.signature}

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __str__(self) -> str:
        interval = "" if self.interval is None else f" {self.interval:.4f}"
        caution = self.interval.caution if self.interval else None
        return f"{self.value:.4f}{interval} ({self.signature}){f'; {caution}' if caution else ''}"

    def __repr__(self) -> str:
        return f"<Disparity {self.name} {self}>"


class GroupScores(NamedTuple):
    """One score in every group."""

    definition: Definition
    whole: Score
    scores: Mapping[Key, Score]
    """Of the groups in which it is defined."""


@dataclass(frozen=True, eq=False)
class Groups(Drawable, Mapping[Key, Score]):
    """The scores of groups, and how they differ; returned by ``whichf1.groups``.

    As a mapping, it has the score of each group; with several metrics, that of the first.

    >>> import whichf1 as wf
    >>> found = wf.groups([1] * 8, [1, 1, 1, 0, 1, 0, 0, 0], "accuracy", by=list("aaaabbbb"))
    >>> found["a"].value, f"{found.difference.interval:.2f}", round(found.p_value, 2)
    (0.75, '[0.00, 0.83]', 0.18)
    """

    name: str
    """The metric or criterion, in words."""
    by: tuple[str, ...]
    """The columns that define the groups."""
    control: tuple[str, ...]
    """Columns within whose values groups are compared; their values come first in a key."""
    parts: tuple[GroupScores, ...]
    """The scores of each metric; equalized odds, for example, has two."""
    empty: tuple[Key, ...]
    """Groups that are left out because a score is undefined or infinite in them, or there is
    nothing to compare them with."""
    head: str
    """The signature up to the statistic."""
    subject: Subject = field(repr=False)
    """What is scored, in slices."""

    @cached_property
    def difference(self) -> Disparity:
        """The largest difference between two groups: the higher score minus the lower."""
        return self._found("difference", lambda x: x.difference())

    @cached_property
    def ratio(self) -> Disparity | None:
        """The smallest ratio of two groups: the lower score over the higher.

        None if scores can be negative.
        """
        if any(part.definition.bounds[0] < 0 for part in self.parts):
            return None
        return self._found("ratio", self._lowest_ratio)

    def _lowest_ratio(self, estimates: GroupEstimates) -> Extreme:
        """The smallest ratio; if it is 0, all ratios of that group are, and the best is named."""
        found = estimates.ratio()
        if found.value != 0:
            return found
        others = estimates.stratum == estimates.stratum[found.at[0]]
        best = int(np.where(others, estimates.value, -np.inf).argmax())
        return found._replace(at=(found.at[0], best))

    @cached_property
    def worst(self) -> Disparity | None:
        """The score of the worst group; None if neither high nor low is better, or with several
        metrics.
        """
        return self._end("worst", "higher")

    @cached_property
    def best(self) -> Disparity | None:
        """The score of the best group; None if ``worst`` is None."""
        return self._end("best", "lower")

    def _end(self, name: str, lowest_if: str) -> Disparity | None:
        better = self.parts[0].definition.declaration.better
        if len(self.parts) > 1 or better == "neither":
            return None
        lowest = better == lowest_if
        return self._found(name, lambda x: x.lowest() if lowest else x.highest())

    @cached_property
    def variance(self) -> Disparity:
        """The variance of the true scores of groups, corrected for chance."""
        return self._found("variance", lambda x: x.variance())

    @cached_property
    def p_value(self) -> float | None:
        """Tukey's test that the score is the same in all groups; None without intervals.

        It is below 1 − level if and only if the interval of the difference excludes 0 and that of
        the ratio excludes 1.
        """
        return None if self.estimates is None else self.estimates.p_value()

    @property
    def disparities(self) -> tuple[Disparity, ...]:
        """All of these numbers except those that do not apply."""
        every = (self.difference, self.ratio, self.worst, self.best, self.variance)
        return tuple(each for each in every if each is not None)

    @cached_property
    def within(self) -> Mapping[Key, Groups]:
        """The groups for each value of the control columns; without any, for all items."""
        width, levels = len(self.control), dict[Key, Groups]()
        for level in dict.fromkeys(key[:width] for _, key in self.places):
            parts = tuple(
                part._replace(scores={k: x for k, x in part.scores.items() if k[:width] == level})
                for part in self.parts
            )
            empty = tuple(key for key in self.empty if key[:width] == level)
            levels[level] = replace(self, parts=parts, empty=empty)
        return levels

    @property
    def signature(self) -> str:
        """The exact definition, which ``whichf1.groups`` can run again on the same data."""
        return f"{self.head}|{self._data}"

    @property
    def _data(self) -> str:
        whole = self.parts[0].whole
        return data_signature(whole.n, whole.classes, whole.made)

    @cached_property
    def places(self) -> tuple[tuple[int, Key], ...]:
        """The metric and the group of each score that is compared with another."""
        width = len(self.control)
        every = [(at, key) for at, part in enumerate(self.parts) for key in part.scores]
        sizes = Counter((at, key[:width]) for at, key in every)
        return tuple((at, key) for at, key in every if sizes[at, key[:width]] > 1)

    @cached_property
    def estimates(self) -> GroupEstimates | None:
        """The scores with their intervals; None if none are requested, or a group has none."""
        method = self.parts[0].definition.interval
        if method is None:
            return None
        value, stratum = self._values
        sizes = sizes_of(stratum)
        levels = (
            method.level,
            level_of_pairs(method.level, sizes),
            level_of_each(method.level, len(value)),
        )
        ends = [self._ends(level) for level in levels]
        if any(each is None for each in ends):
            return None
        alone, pairs, each = (x for x in ends if x is not None)
        return GroupEstimates(value, stratum, method.level, alone, pairs, each, self._correlation)

    @property
    def _values(self) -> tuple[Array, Array]:
        """The scores that are compared, and the stratum of each."""
        width = len(self.control)
        value = np.array([self.parts[at].scores[key].value for at, key in self.places])
        strata = {x: n for n, x in enumerate(dict.fromkeys((m, k[:width]) for m, k in self.places))}
        return value, np.array([strata[at, key[:width]] for at, key in self.places])

    def _ends(self, level: float) -> Ends | None:
        """The intervals of all groups at a level; None if a group has none."""
        intervals = [self._interval(at, key, level) for at, key in self.places]
        if any(interval is None for interval in intervals):
            return None
        low, high = ([getattr(x, side) for x in intervals] for side in ("low", "high"))
        return Ends(np.array(low), np.array(high))

    def _interval(self, at: int, key: Key, level: float) -> Interval | None:
        score, method = self.parts[at].scores[key], self.parts[at].definition.interval
        if method is None or level == method.level:
            return score.interval
        try:
            other = replace(method, level=level)
        except DefinitionError as error:
            raise DefinitionError(
                f"{numbered(len(self.places), 'group')} are compared at once, which needs the "
                "interval of each "
                f"at the level {level:.6g}: {error}"
            ) from None
        definition = replace(score.definition, interval=other, data=())
        return self.subject.slices[key].evaluate(definition).interval

    @cached_property
    def _correlation(self) -> Array | None:
        """The correlation of scores of groups that share clusters; None if they are independent."""
        if not self._share_clusters:
            return None
        sums: list[dict[Any, float]] = []
        for at, key in self.places:
            definition = self.parts[at].scores[key].definition
            sums.append(cluster_influence(definition, self.subject.slices[key].counts))
        names = {name: n for n, name in enumerate(dict.fromkeys(x for own in sums for x in own))}
        influence = np.zeros((len(sums), len(names)))
        for row, own in zip(influence, sums, strict=True):
            row[[names[x] for x in own]] = [*own.values()]
        covariance = influence @ influence.T
        error = np.sqrt(np.diag(covariance))
        scale = np.outer(error, error)
        correlation = np.divide(covariance, scale, out=np.eye(len(sums)), where=scale > 0)
        bounded: Array = np.clip(correlation, -1.0, 1.0)
        return bounded

    @cached_property
    def _share_clusters(self) -> bool:
        """Whether clusters have items of several groups whose joint variation is known."""
        return self._clusters_cross and self._influences_known

    @property
    def _influences_known(self) -> bool:
        definition = self.parts[0].definition
        return is_counted(definition) and definition.declaration.smooth

    @property
    def _clusters_cross(self) -> bool:
        whole = dict(self.parts[0].whole.made).get("clusters")
        own = [dict(x.made).get("clusters", 0) for x in self.parts[0].scores.values()]
        return whole is not None and sum(own) > whole

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Why intervals and the test may not be valid, in words."""
        groups: dict[str, dict[str, None]] = {}
        for at, key in self.places:
            interval = self.parts[at].scores[key].interval
            if interval is not None and interval.caution is not None:
                groups.setdefault(interval.caution, {})[self.key_text(key)] = None
        said = [f"{' and '.join(keys)}: {caution}" for caution, keys in groups.items()]
        if self._clusters_cross and not self._influences_known:
            said.append("clusters have items of several groups, which are treated as independent")
        return tuple(said)

    @property
    def lacking(self) -> tuple[Key, ...]:
        """Groups whose score has no interval, so that nothing derived from it has one."""
        if self.parts[0].definition.interval is None:
            return ()
        keys = (key for at, key in self.places if self.parts[at].scores[key].interval is None)
        return tuple(dict.fromkeys(keys))

    def key_text(self, key: Key) -> str:
        """A group in words: 'sex=f, age=old'."""
        pairs = zip((*self.control, *self.by), key, strict=True)
        return ", ".join(f"{column}={value}" for column, value in pairs)

    def _found(self, name: str, find: Callable[[GroupEstimates], Extreme]) -> Disparity:
        estimates, interval = self.estimates, None
        method = self.parts[0].definition.interval
        if estimates is None:
            value, stratum = self._values
            none = Ends(value, value)
            found = find(GroupEstimates(value, stratum, 0.95, none, none, none))
        else:
            found = find(estimates)
        if estimates is not None and method is not None:
            caution = "; ".join(self.cautions) or None
            interval = Interval(found.low, found.high, method.level, method.word, 0, caution)
        metrics = {self.places[at][0] for at in found.at}
        metric = title(self.parts[metrics.pop()].definition) if len(metrics) == 1 else self.name
        keys = tuple(self.places[at][1] for at in found.at)
        text = f"{self.head}|across:{name}|{self._data}"
        return Disparity(name, found.value, interval, keys, metric, text)

    def __getitem__(self, key: Any) -> Score:
        return self.parts[0].scores[key if isinstance(key, tuple) else (key,)]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.parts[0].scores)

    def __len__(self) -> int:
        return len(self.parts[0].scores)

    def __repr__(self) -> str:
        shown = ", ".join(f"{each.name} {each.value:.4f}" for each in self.disparities)
        return f"<Groups {shown} ({self.signature})>"


def groups(  # type: ignore[misc]  # its threshold= makes predictions; a metric may have one too
    y_true: Any,
    *rest: Any,
    by: Any = None,
    control: Any = None,
    threshold: float | None = None,
    **options: Unpack[Options],
) -> Groups:
    """Compare a score between groups of items: the largest difference, the worst group, a test.

    y_true (Slices, array, dataframe or path): The data, as for the metric's own function; or Slices
        from ``count_by`` or ``rank_by``.
    *rest (array, str): The predictions or scores unless ``y_true`` contains them, then the metric:
        a name, a signature, a metric function, or a criterion of fairness: 'demographic_parity',
        'equal_opportunity', 'predictive_equality', 'equalized_odds', 'predictive_parity' or
        'conditional_use_accuracy_equality'.
    by (str, array or mapping): The columns that define the groups; for arrays, the group of each
        item, or a mapping from names to several such arrays.
    control: Columns (or arrays) within whose values groups are compared.
    threshold: Items with at least this score are predicted as positive.
    **options: Options of the metric and of the data; ``interval`` is 'auto' by default, and
        ``undefined`` 'nan' except for means over classes, so that a group without items of the
        class has no score rather than the worst one.
    Returns: The scores of the groups, and their ``difference``, ``ratio``, ``worst``, ``best``,
        ``variance`` and ``p_value``.
    InputError: If there are fewer than two groups, a group has one item, or an item no group.

    >>> found = groups([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 1], "recall", by=list("aabbab"),
    ...                positive=1)
    >>> found.worst.groups, found.difference.value
    ((('b',),), 0.5)
    """
    if not 1 <= len(rest) <= 2:
        raise DefinitionError(
            "call groups(slices, metric, …) or groups(y_true, y_pred, metric, …); "
            f"got {1 + len(rest)} positional argument(s)"
        )
    *given, metric = rest
    asked = _asked(metric)
    chosen = {**asked.options, **{k: v for k, v in options.items() if k not in DATA_OPTIONS}}
    data = {k: v for k, v in options.items() if k in DATA_OPTIONS and v is not None}
    if not isinstance(y_true, Slices):
        by, control = _columns(by, y_true, "by"), _columns(control, y_true, "control")
        if has_columns(y_true):
            by, control = (
                x or dict.fromkeys(y) for x, y in ((by, asked.by), (control, asked.control))
            )
        if not by:
            raise InputError("which groups? Name their columns with by=, or pass an array.")
        subject = _sliced(y_true, given, asked, {**control, **by}, threshold, data, chosen)
    else:
        y_pred = given[0] if given else None
        subject = subject_of(y_true, y_pred, None, threshold, data, chosen)
        by, control = _columns(by, y_true, "by"), _columns(control, y_true, "control")
        subject = _by_columns(subject, [*by] or asked.by, [*control] or asked.control)
    make = partial(subject.define, make=with_options)
    skip = data.get("on_error") == "skip"
    return _run(asked, subject, chosen, tuple(control), make, skip)


def groups_of(
    subject: Subject,
    metric: str,
    chosen: dict[str, Any],
    control: Sequence[str] = (),
    *,
    skip: bool = False,
) -> Groups:
    """The same for a subject in slices, with those of the chosen options that apply."""
    asked = _asked(metric)
    return _run(asked, subject, {**chosen, **asked.options}, tuple(control), subject.define, skip)


class _Asked(NamedTuple):
    """What a metric or a signature of groups requests."""

    metrics: tuple[Any, ...]
    criterion: str | None = None
    options: Mapping[str, Any] = {}
    """Those of the signature of a criterion."""
    by: tuple[str, ...] = ()
    control: tuple[str, ...] = ()


def _asked(metric: Any) -> _Asked:
    text = getattr(metric, "signature", None) or getattr(metric, "__name__", metric)
    if not isinstance(text, str):
        return _Asked((metric,))
    name, parameters, fields = signature.read(text)
    by, control = (tuple(fields.pop(key, ())) for key in ("groups", "control"))
    fields.pop("across", None)
    if name not in CRITERIA:
        _refuse_unlike(name)
        return _Asked((signature.write(name, parameters, fields),), None, {}, by, control)
    plain = signature.write(CRITERIA[name].metrics[0], parameters, fields)
    options = signature.read_definition(plain, OPTIONS)[2]
    return _Asked(CRITERIA[name].metrics, name, options, by, control)


def _refuse_unlike(name: str) -> None:
    """Raise for what is not a metric, but nearly a criterion."""
    if name in SHORTHANDS:
        return
    try:
        find(name)
    except DefinitionError:
        if hint := suggestion(name, CRITERIA):
            what = f"there is no metric or criterion {name!r}. {hint}"
            raise DefinitionError(what) from None


def _run(
    asked: _Asked,
    subject: Subject,
    chosen: dict[str, Any],
    control: tuple[str, ...],
    make: Callable[[Any, dict[str, Any]], Definition],
    skip: bool,
) -> Groups:
    if asked.criterion is not None and chosen.get("positive") is None:
        chosen["positive"] = positive_class(subject.counts.labels, None)
    definitions = [_defined(metric, chosen, make) for metric in asked.metrics]
    return compare_groups(subject, definitions, control, asked.criterion, skip)


def _defined(
    metric: Any, chosen: Mapping[str, Any], make: Callable[[Any, dict[str, Any]], Definition]
) -> Definition:
    """The definition with its interval; a signature has all that it needs.

    0/0 is not a score of a group, but in a mean over classes it may be a class that is never
    predicted.
    """
    if signature.read(metric)[2]:
        return make(metric, {k: v for k, v in chosen.items() if k != "interval"})
    method = find_method(chosen.get("interval", "auto"))
    definition = make(metric, {k: v for k, v in chosen.items() if k != "interval"})
    mean = definition.average in ("macro", "weighted", "samples")
    filled = definition.undefined is not None and "undefined" in definition.applicable
    if "undefined" not in chosen and filled and not mean:
        definition = replace(definition, undefined="nan")
    if isinstance(method, Posterior):
        raise DefinitionError(
            "statistics across groups are derived from confidence intervals: use interval='auto' "
            "or 'bootstrap'"
        )
    needs_draws = not definition.declaration.smooth and not fits(method, definition.declaration)
    if isinstance(method, Auto) and needs_draws:
        method = Bootstrap(level=method.level)
    return replace(definition, interval=method)


def _sliced(
    y_true: Any,
    given: Sequence[Any],
    asked: _Asked,
    columns: dict[str, Any],
    threshold: float | None,
    data: dict[str, Any],
    chosen: Mapping[str, Any],
) -> Subject:
    """The data in slices by columns, or by arrays."""
    y_pred, scores = given[0] if given else None, None
    scored = threshold is not None or not is_counted(with_options(asked.metrics[0], {}))
    if has_columns(y_true):
        data = {"score": "score", **data} if scored else data
        subject = subject_of(y_true, y_pred, None, threshold, {**data, "by": (*columns,)}, chosen)
    else:
        y_pred, scores = (None, y_pred) if scored else (y_pred, None)
        subject = subject_of(y_true, y_pred, scores, threshold, {**data, "by": columns}, chosen)
    return replace(subject, by=tuple(columns))


def compare_groups(
    subject: Subject,
    definitions: Sequence[Definition],
    control: Sequence[str] = (),
    criterion: str | None = None,
    skip: bool = False,
) -> Groups:
    """Compare the slices of a subject; the columns of ``control`` come first in their keys.

    ``skip``: bad items were to be skipped when the data were read.
    """
    by = subject.by[len(control) :]
    _refuse_groups(subject, by, control, skip)
    parts, empty = [], dict[Key, None]()
    for definition in definitions:
        whole, scores = subject.evaluate(definition), dict[Key, Score]()
        # every group is scored on the classes of all data, unless another set is named
        plain = replace(whole.definition, classes=definition.classes, data=())
        for key, part in subject.slices.items():
            try:
                score = part.evaluate(plain)
            except InputError:  # it may lack some of these classes
                empty[key] = None
                continue
            if isfinite(score):
                scores[key] = score
            else:
                empty[key] = None
        parts.append(GroupScores(plain, whole, scores))
    first = parts[0].definition
    text = first.signature if criterion is None else signature.write(criterion, {}, first.fields)
    fields = {"groups": [*by], **({"control": [*control]} if control else {})}
    head = signature.with_data(text, fields)
    name = title(first) if criterion is None else criterion.replace("_", " ")
    found = Groups(name, by, tuple(control), tuple(parts), tuple(empty), head, subject)
    alone = {key for part in parts for key in part.scores} - {key for _, key in found.places}
    found = replace(found, empty=(*empty, *sorted(alone, key=str)))
    if not found.places:
        raise InputError(
            f"there are no two groups to compare: {name} is undefined in the others, or there is "
            f"nothing to compare with {'; '.join(map(found.key_text, found.empty))}. Merge groups, "
            "or choose another score."
        )
    return found


def _refuse_groups(
    subject: Subject, by: Sequence[str], control: Sequence[str], skip: bool = False
) -> None:
    """Raise for too few groups, a group of one item, or items without a group."""
    columns, slices = (*control, *by), subject.slices
    for key, part in slices.items():
        lacking = next((c for c, value in zip(columns, key, strict=True) if value is None), None)
        n = part.counts.n
        if lacking is not None:
            size = "1 item has" if n == 1 else f"{n:,} items have"
            raise InputError(
                f"{size} no value in column {lacking!r}. Fill it in, or drop such items"
                + (
                    ": on_error='skip' (--on-error skip) keeps items without a group."
                    if skip
                    else "."
                )
            )
        if n == 1 and not part.counts.weighted:
            own = ", ".join(f"{c}={value}" for c, value in zip(columns, key, strict=True))
            own = own.removeprefix("group=")  # what arrays without a name are called
            raise InputError(
                f"group {own} has one item, which does not show how much its score varies. Merge "
                f"it "
                "with another group, or drop it."
            )
    groups = {key[len(control) :] for key in slices}
    if len(groups) < 2:
        own = ", ".join(f"{c}={v}" for key in groups for c, v in zip(by, key, strict=True))
        raise InputError(f"a comparison needs at least two groups, but there is only {own}")


def _columns(given: Any, y_true: Any, name: str) -> dict[str, Any]:
    """The names of columns; for arrays, each with its values."""
    if given is None:
        return {}
    if has_columns(y_true) or isinstance(y_true, Slices):
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, (list, tuple)) or not all(isinstance(x, str) for x in names):
            raise InputError(f"{name} must be the name of a column, or several; got {given!r}")
        return dict.fromkeys(names)
    if isinstance(given, str):
        raise InputError(f"{name}={given!r} names a column, but the data are arrays: pass an array")
    if isinstance(given, Mapping):
        return {str(key): values for key, values in given.items()}
    if has_columns(given):
        return {str(key): given[key] for key in given.columns}
    called = getattr(given, "name", None)
    return {called if isinstance(called, str) else "group" if name == "by" else name: given}


def _by_columns(subject: Subject, by: Sequence[str], control: Sequence[str]) -> Subject:
    """The slices by some of their columns, in this order."""
    every = subject.by
    for name in (*by, *control):
        if name not in every:
            raise InputError(f"these slices are by {', '.join(every)}, not by {name!r}")
    wanted = (*control, *(by or [x for x in every if x not in control]))
    if {*wanted} != {*every}:
        raise InputError(
            f"these slices are by {', '.join(every)}, but the groups are by {', '.join(wanted)}: "
            f"count "
            "them by the same columns"
        )
    at = [every.index(name) for name in wanted]
    slices = {tuple(key[x] for x in at): part for key, part in subject.slices.items()}
    return replace(subject, by=tuple(wanted), slices=dict(sorted(slices.items(), key=order)))
