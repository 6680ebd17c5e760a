"""Whatever a public function is given, it gives a result or an error of ours."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.odd import ODD, odd_calls, public_functions
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
