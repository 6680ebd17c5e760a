"""Whatever a public function is given, it gives a result or an error of ours."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.odd import GOOD, ODD, SCALARS, UNTRIED, Refusing, odd_calls, public_functions
from whichf1.errors import WhichF1Error

FUNCTIONS = public_functions()
loose: Any = wf
"""For calls that the types forbid."""


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_function_raises_an_error_of_others(
    data: st.DataObject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some save files with the names they are given
    name = data.draw(st.sampled_from(sorted(FUNCTIONS)))
    call = data.draw(odd_calls(FUNCTIONS[name]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except WhichF1Error as error:
            assert 0 < len(str(error)) < 3000


FOUND: dict[str, Callable[[], object]] = {
    "systems that are a number": lambda: loose.compare(wf.count([0, 1], [0, 0]), 3),
    "systems that are counts": lambda: loose.compare(*[wf.count([0, 1], [0, 0])] * 2),
    "costs": lambda: loose.expected_cost([0, 1], [0, 0], costs=Refusing()),
    "parents": lambda: loose.hierarchical_f1([0, 1], [0, 0], parents=Refusing()),
    **{
        f"{name} of no labels": partial(getattr(loose, name), [[], []], [[], []])
        for name in ("coverage_error", "one_error", "ndcg", "label_ranking_loss")
    },
    "no systems of spans": lambda: loose.spans([["B-a"]], {}),
    "slices of spans": lambda: loose.spans_by([["B-a"]], [["O"]], by=np.array([1, 0])),
    "classes of a bound": lambda: loose.bounds(0.5, 0.5, 10**400),
}
"""What the search above has found."""


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_is_refused(name: str) -> None:
    with pytest.raises(WhichF1Error) as caught:
        FOUND[name]()
    assert len(str(caught.value)) < 3000


TRUE, PREDICTED, SCORES = [0, 1, 1], [0, 0, 1], [0.1, 0.9, 0.3]
SYSTEMS = {"a": PREDICTED, "b": TRUE}
WORKING: dict[str, list[Any]] = {
    "compare": [TRUE, SYSTEMS],
    "results_table": [TRUE, SYSTEMS, ["mcc", "accuracy"]],
    "report": [TRUE, SYSTEMS],
    "averaged_f1": [TRUE, PREDICTED],
    "net_benefit": [TRUE, SCORES],
    "log_loss": [TRUE, SCORES],
    "rank_histogram": [TRUE, SCORES],
}


@pytest.mark.parametrize("name", WORKING)
def test_every_option_alone_is_used_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, data = FUNCTIONS[name], WORKING[name]
    options = {*[*inspect.signature(function).parameters][len(data) :]} - {*UNTRIED, "options"}
    assert options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(*data)
        for option in sorted(options):
            for make in [*((lambda x=x: x) for x in SCALARS), *GOOD, *ODD]:
                with contextlib.suppress(WhichF1Error):
                    function(*data, **{option: make()})


@pytest.mark.parametrize("at", range(len(ODD)))
def test_every_odd_input_is_refused_or_scored_by_the_common_functions(at: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("count", "averaged_f1", "roc_auc", "log_loss", "compare", "count_multilabel"):
            for others in ([ODD[at]], [ODD[at], ODD[at]], [lambda: [0, 1, 1], ODD[at]]):
                if name == "compare" and len(others) == 1:
                    continue
                try:
                    FUNCTIONS[name](*(make() for make in others))
                except WhichF1Error as error:
                    assert str(error)
