"""Whatever a public function is given, it gives a result or an error of ours."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.odd import GOOD, ODD, SCALARS, UNTRIED, odd_calls, public_functions
from whichf1.errors import WhichF1Error

FUNCTIONS = public_functions()


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
