"""What tests of the playground do on its page.

As a program, it takes the picture in its documentation: ``python -m tests.helpers.playground``.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from math import isclose, isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

from tests.helpers.matrices import random_matrices
from whichf1.tables.cells import Array

NAMES = ["a", "b", "O", "Other", "eel", "fox", "gnu", "hen"]


def link(matrix: Any, names: list[str] | None = None, **rest: str) -> str:
    rows = "_".join(".".join(map(str, row)) for row in np.asarray(matrix).tolist())
    named = "".join(f"&c={name}" for name in names or NAMES[: len(matrix)])
    return f"v=1&m={rows}{named}" + "".join(f"&{key}={value}" for key, value in rest.items())


def go(page: Page, state: str) -> None:
    """Follow a link to another state of the page."""
    page.evaluate("(state) => { location.hash = state; }", state)
    page.wait_for_function(
        "(state) => document.getElementById('link').textContent.endsWith(state)", arg=state
    )


def matrix(page: Page) -> list[list[int]]:
    cells: list[list[int]] = page.evaluate(
        """() => [...document.querySelectorAll("#matrix tbody tr")].map((row) =>
            [...row.querySelectorAll(".count")].map((cell) => Number(cell.value)))"""
    )
    return cells


def number(found: Locator) -> float:
    return float(found.get_attribute("data-value") or "")


def cell(page: Page, row: int, column: int) -> Locator:
    return page.locator(f'#matrix .count[data-row="{row}"][data-column="{column}"]')


def paste(page: Page, text: str, rows: str = "true") -> None:
    page.evaluate("document.querySelector('.paste').open = true")
    page.fill("#pasted", text)
    page.select_option("#pasted-rows", rows)
    page.click("#use")


def same(value: float, expected: float) -> bool:
    if isnan(expected):
        return isnan(value)
    return isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12)


def some_matrices(seed: int, number: int) -> list[Array]:
    """Matrices of 2 to 8 classes, more of them small."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice(range(2, 9), number, p=[0.3, 0.25, 0.2, 0.1, 0.05, 0.05, 0.05])
    return [random_matrices(rng, 1, int(k))[0] for k in sizes]


def run_python(page: Page) -> dict[str, Any]:
    space: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()) as out:
        exec(page.locator("#python").text_content() or "", space)
    assert out.getvalue().startswith(f"{next(iter(space['scores'].values())):.6f}")
    return space


def screenshot(file: Path) -> None:
    """Write a picture of the page with the third of the paper's tables."""
    from tests.helpers.browser import chromium, visit
    from whichf1.paper.examples import examples
    from whichf1.reporting.pages.playground import playground

    with TemporaryDirectory() as folder, chromium() as browser:
        written = Path(folder) / "playground.html"
        written.write_text(playground(examples()), "utf-8", newline="\n")
        with visit(browser, written) as page:
            page.set_viewport_size({"width": 1280, "height": 1000})
            page.get_by_role("button", name="Table 3").click()
            page.screenshot(path=file)


if __name__ == "__main__":
    screenshot(Path("docs/playground.png"))
