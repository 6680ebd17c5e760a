"""The notebooks of ``examples/`` show what their cells give now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.notebooks import notebooks, run, without_pictures


@pytest.mark.slow
@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_give(path: Path) -> None:
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert without_pictures(run(path)) == without_pictures(stored), (
        "run python -m tests.helpers.notebooks, and look at it"
    )


def test_notebooks_were_executed() -> None:
    assert len(notebooks()) >= 2
    for path in notebooks():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)]
        assert all(cell["outputs"] for cell in code)
