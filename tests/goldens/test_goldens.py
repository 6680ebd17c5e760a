"""The public API and the command line give what they gave when the goldens were recorded.

Numbers are the same to 1e-12, texts to the letter; ``p_randomization`` depends on draws and is only
checked to be there. After an intended change, ``python -m tests.goldens.record`` records again.
"""

from __future__ import annotations

import copy
import json
from contextlib import nullcontext as still
from functools import cache
from typing import Any

import pytest

import whichf1 as wf
from tests.goldens import of_classes, of_scores, of_sets
from tests.goldens.calls import metrics
from tests.goldens.of_saved import MADE, SAVED
from tests.goldens.record import GOLDENS, GROUPS, result, results
from tests.goldens.same import differences
from whichf1.errors import IntervalWarning


@cache
def goldens() -> dict[str, Any]:
    """What was recorded."""
    found: dict[str, Any] = json.loads(GOLDENS.read_text(encoding="utf-8"))
    return found


def check(present: dict[str, Any], recorded: dict[str, Any]) -> None:
    """Fail with all cases that are not what they were."""
    wrong = [
        text for name, found in present.items() for text in differences(recorded[name], found, name)
    ]
    more = [f"… and {len(wrong) - 20} more"] if len(wrong) > 20 else []
    assert not wrong, "\n".join([f"{len(wrong)} differences", *wrong[:20], *more])


@pytest.mark.parametrize("group", GROUPS)
def test_results_are_those_recorded(group: str) -> None:
    check(results(GROUPS[group]), goldens())


def test_no_case_is_lost() -> None:
    names = [name for group in GROUPS.values() for name, _ in group()]
    assert sorted(names) == sorted(goldens())
    assert sorted(path.stem for path in SAVED.glob("*.json")) == sorted(MADE)


def test_every_metric_has_cases() -> None:
    _, listed = metrics()
    known = {name.partition("(")[0] for name, *_ in listed}
    scored = {name for name, _ in (*of_scores.RANKINGS.values(), *of_scores.LOSSES.values())}
    scored |= {"top_k_accuracy", "label_ranking_average_precision", "coverage_error"}
    scored |= {"label_ranking_loss", *of_scores.POINTS, *of_scores.FURTHER_LABELS}
    scored |= {*of_scores.FURTHER_LOSSES, "mean_value"}
    counted = {*of_classes.RATES, *of_classes.AGREEMENTS, *of_classes.SHORTHANDS, *of_sets.ITEMS}
    counted |= {*of_classes.FURTHER_RATES, *of_classes.FURTHER}
    assert known == scored | counted


@pytest.mark.parametrize("name", MADE)
def test_saved_counts_are_read_scored_and_merged(name: str) -> None:
    counts = wf.Counts.load(SAVED / f"{name}.json")
    recorded = goldens()[f"saved/{name}"]
    kept = recorded["result"] if "*" in recorded else recorded
    unknown = name == "weighted_without_squares"
    with (
        pytest.warns(IntervalWarning, match="not the sums of their squares") if unknown else still()
    ):
        score = wf.averaged_f1(counts, interval="delta")
    value, *ends, signature = kept["averaged F1"]
    assert score.value == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert score.signature == signature.replace("|*", f"|{recorded.get('*')}")
    assert (score.interval is not None) == bool(ends)
    if score.interval is not None:
        both = [score.interval.low, score.interval.high]
        assert both == pytest.approx(ends[0], rel=1e-12, abs=1e-12)
    assert (counts + counts).n == pytest.approx(2 * counts.n)
    assert wf.averaged_f1(counts + counts).value == pytest.approx(value, rel=1e-12)


def perturbed(value: Any) -> Any:
    """The value with its first number that is not 0 moved by a part in 10¹¹; None without one."""
    if isinstance(value, float) and value:
        return value * (1 + 1e-11) + 1e-11
    if isinstance(value, (list, dict)):
        changed = copy.deepcopy(value)
        places = range(len(changed)) if isinstance(changed, list) else sorted(changed)
        for place in places:
            if (found := perturbed(changed[place])) is not None and place != "p_randomization":
                changed[place] = found
                return changed
    return None


def test_a_change_is_noticed() -> None:
    name, run = next(GROUPS["rates"]())
    recorded = {name: perturbed(goldens()[name])}
    with pytest.raises(AssertionError, match="was recorded, and now it is"):
        check({name: result(run)}, recorded)


@pytest.mark.parametrize(
    ("recorded", "present", "same"),
    [
        (0.5, 0.5 + 1e-13, True),
        (0.5, 0.5 + 1e-11, False),
        (1e6, 1e6 + 1e-7, True),
        (1e6, 1e6 + 1e-5, False),
        ({"ends to 1e-10": [0.5]}, {"ends to 1e-10": [0.5 + 1e-11]}, True),
        ({"ends to 1e-10": [0.5]}, {"ends to 1e-10": [0.5 + 1e-9]}, False),
        ("f1|avg:macro", "f1|avg:micro", False),
        ("nan", 0.0, False),
        (None, 0.0, False),
        (True, 1, False),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"p_randomization": 0.2}, {"p_randomization": 0.3}, True),
        ({"p_randomization": 0.2}, {"p_randomization": None}, False),
        ({"p_randomization": 0.2}, {"p_randomization": 1.2}, False),
        ({"at least": ["a"]}, {"at least": ["a", "b"]}, True),
        ({"at least": ["a", "b"]}, {"at least": ["a"]}, False),
    ],
)
def test_what_counts_as_the_same(recorded: Any, present: Any, same: bool) -> None:
    assert (not [*differences(recorded, present)]) == same
