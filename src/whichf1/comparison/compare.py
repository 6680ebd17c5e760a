"""compare: is A better than B? Differences, intervals, tests, rankings and rank flips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import combinations
from typing import Any, Unpack

from whichf1.comparison.label_sets import compare_sets
from whichf1.comparison.results import (
    Comparison,
    Pair,
    Plan,
    letters_of,
    level_of,
    normal_pair,
    p_best,
    percentiles,
)
from whichf1.comparison.scored import compare_columns, compare_scores
from whichf1.definitions import signature
from whichf1.definitions.class_sets import Frozen
from whichf1.definitions.definition import Definition
from whichf1.definitions.methods import Bootstrap, DeLong, Delta, Method, enough_replicates
from whichf1.errors import DefinitionError, InputError
from whichf1.metrics import COUNTED, find
from whichf1.scoring.evaluate import evaluate_each, frozen_on
from whichf1.scoring.functions import ScoreOptions, with_options
from whichf1.scoring.score import Score
from whichf1.sources.arrays import count_together
from whichf1.sources.count import COLUMN_OPTIONS, DATA_OPTIONS
from whichf1.sources.label_sets import count_sets_together
from whichf1.sources.request import are_sets, has_columns, is_path, name_columns
from whichf1.sources.systems import ScoreColumns, read_systems
from whichf1.statistics import paired
from whichf1.tables.cells import Array, Table
from whichf1.tables.joint import Joint
from whichf1.tables.joint_sets import JointSets


def compare(
    y_true: Any,
    systems: Mapping[str, Any] | Sequence[str],
    metric: str = "averaged_f1",
    *,
    level: float | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    power: float | None = None,
    margin: float | None = None,
    sep: str | None = None,
    **options: Unpack[ScoreOptions],
) -> Comparison:
    """Compare systems on the same items: differences, tests, P(best), and rank flips.

    ``metric`` is a name, a shorthand or a signature; ``options`` are those of a score, with
    ``labels=``, ``weights=`` and ``cluster=`` (items of one document or user, say). All systems are
    scored on the same classes. A dataframe or the path of a file works in place of ``y_true``:
    then the systems are the names of its columns, and ``true=`` names the true classes. Items may
    have sets of labels: columns hold lists, or texts in which ``sep`` stands between two labels;
    or ``true`` and each system are a list of columns of 0 and 1, one for each label.

    >>> truth = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> c = compare(truth, {"A": truth[:8] + [1], "B": [0, 0, 1, 1, 1, 2, 2, 2, 2]}, "accuracy")
    >>> pair = c.pairs[0]
    >>> pair.a, pair.b, round(pair.difference, 4), pair.only_a, pair.only_b
    ('A', 'B', 0.1111, 2, 1)
    """
    data: dict[str, Any] = {key: options.get(key) for key in ("labels", "weights", "cluster")}
    named: dict[str, Any] = {
        k: v for k, v in options.items() if k in COLUMN_OPTIONS and v is not None
    }
    named |= {} if sep is None else {"sep": sep}
    own = {key: value for key, value in options.items() if key not in DATA_OPTIONS}
    given = {"replicates": replicates, "seed": seed, "power": power, "margin": margin}
    definition, plan = planned(metric, own, level, given)
    counted, sets = made_from(definition.metric)
    if named or is_path(y_true) or (has_columns(y_true) and name_columns(systems)):
        read = read_systems(y_true, systems, counted=counted, sets=sets, **data, **named)
        if isinstance(read, ScoreColumns):
            return compare_columns(definition, plan, read)
        return compare_counted(read, definition, plan)
    if not isinstance(systems, Mapping):
        raise InputError(
            f"systems must be named, as {{'A': predictions}}; got {type(systems).__name__}"
        )
    if not counted:
        return compare_scores(definition, plan, y_true, systems, data)
    count = count_sets_together if sets or are_sets(y_true) else count_together
    return compare_counted(count(y_true, systems, **data), definition, plan)


def made_from(metric: str) -> tuple[bool, bool]:
    """Whether a metric is computed from predictions, and whether from sets of labels alone."""
    kind = find(metric).kind
    return kind in (*COUNTED, "items"), kind == "items"


def planned(
    metric: str, options: dict[str, Any], level: float | None, given: dict[str, Any]
) -> tuple[Definition, Plan]:
    """The definition, with a delta interval, and the plan; both may come from one signature."""
    name, parameters, found = signature.read(metric)
    said = {f.name: found.pop(f.name) for f in fields(Plan) if f.name in found}
    if found.pop("compare", None) is not None:
        found.pop("adjust", None)
        metric = signature.write(name, parameters, found)
    elif said:
        raise DefinitionError(f"{[*said]} in a signature that is not of a comparison: {metric!r}")
    chosen = {k: v for k, v in given.items() if v is not None}
    plan = Plan(**{**said, **chosen})
    if options.pop("interval", None) is not None:
        raise DefinitionError("a comparison gives delta intervals: leave interval= out")
    definition = with_options(metric, options)
    if level is None:
        level = definition.interval.level if definition.interval else 0.95
    if plan.replicates:
        enough_replicates(plan.replicates, level)
    return replace(definition, interval=_method(definition, level, plan)), plan


def _method(definition: Definition, level: float, plan: Plan) -> Method:
    """The delta method, after DeLong for the AUC; the bootstrap for what hangs on single items."""
    if not definition.declaration.smooth:
        if not plan.replicates:
            raise DefinitionError(
                f"{definition.metric} hangs on single items and is compared by the bootstrap "
                "alone: replicates=0 leaves no test"
            )
        return Bootstrap(level=level, replicates=plan.replicates, seed=plan.seed)
    whole = definition.arguments.get("max_fpr") is None
    return (DeLong if definition.metric == "roc_auc" and whole else Delta)(level=level)


def compare_counted(joint: Joint | JointSets, definition: Definition, plan: Plan) -> Comparison:
    """Compare the systems of joint counts, of classes or of sets of labels."""
    if isinstance(joint, JointSets):
        return compare_sets(joint, definition, plan)
    return compare_joint(joint, definition, plan)


def compare_joint(joint: Joint, definition: Definition, plan: Plan) -> Comparison:
    """Compare the systems of joint counts."""
    if len(joint.systems) < 2:
        raise InputError(f"a comparison needs at least two systems; got {len(joint.systems)}")
    names = joint.systems
    counts = {name: joint.counts(at) for at, name in enumerate(names)}
    scores = evaluate_each(definition, counts)
    frozen = [
        frozen_on(definition, each, joint.system(at)) for at, each in enumerate(counts.values())
    ]
    replicates = None
    if plan.replicates:
        replicates = paired.joint_replicates(definition, frozen, plan.replicates, plan.seed)
    places = list(combinations(range(len(names)), 2))
    pairs = [
        _pair(definition, plan, scores, frozen, replicates, number, a, b)
        for number, (a, b) in enumerate(places)
    ]
    pairs = [
        replace(pair, p_adjusted=p)
        for pair, p in zip(pairs, paired.holm([pair.p_value for pair in pairs]), strict=True)
    ]
    return Comparison(
        definition,
        plan,
        scores,
        tuple(pairs),
        {} if replicates is None else p_best(definition, names, replicates),
        letters_of(definition, scores, pairs),
        counts,
    )


def _pair(
    definition: Definition,
    plan: Plan,
    scores: Mapping[str, Score],
    frozen: list[Frozen],
    replicates: Array | None,
    number: int,
    a: int,
    b: int,
) -> Pair:
    names = tuple(scores)
    left, right = frozen[a], frozen[b]
    difference = scores[names[a]].value - scores[names[b]].value
    error = paired.difference_error(definition, left, right)
    pair = normal_pair(definition, plan, names[a], names[b], difference, error, scores)
    if replicates is not None:
        drawn, seed = replicates[:, a] - replicates[:, b], (plan.seed, number)
        pair = replace(
            pair,
            bootstrap=percentiles(drawn, level_of(definition)),
            p_bootstrap=paired.bootstrap_p(difference, drawn),
            p_randomization=paired.randomization_p(definition, left, right, plan.replicates, seed),
        )
    mcnemar = paired.mcnemar(definition, left, right)
    return replace(pair, mcnemar=mcnemar, **_flipped(left.table, right.table))


def _flipped(a: Table, b: Table) -> dict[str, Any]:
    """How many items flipped each way, and how many are predicted differently."""
    right_a, right_b = a.predicted == a.true, b.predicted == b.true
    return {
        "only_a": _items(a.count[right_a & ~right_b], a.squares),
        "only_b": _items(a.count[right_b & ~right_a], a.squares),
        "changed": _items(a.count[a.predicted != b.predicted], a.squares),
    }


def _items(count: Array, squares: Array | None) -> int | float:
    total = float(count.sum())
    return int(total) if squares is None else total
