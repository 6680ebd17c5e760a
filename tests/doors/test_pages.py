"""Pages on libraries that have an environment of their own: their output is real."""

from __future__ import annotations

import pytest

from tests.helpers.readme import DOORS, ROOT, filled


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", DOORS)
def test_the_output_on_a_page_is_real(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text()
    assert filled(text) == text
