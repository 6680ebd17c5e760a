"""A browser for tests of pages: it opens a file, and whatever goes wrong in the page is an error.

As a program, it takes screenshots: ``python -m tests.helpers.browser page.html FOLDER``.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, sync_playwright

Device = Literal["laptop", "phone"]
SIZES: dict[Device, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
}
NASTY = (
    "<script>document.title = 'run'</script>",
    "</script><script>throw 1</script>",
    "<img src=x onerror=\"throw 2\">",
    "\"'><b onclick='throw 3'>b</b>",
    "javascript:throw 4",
    "{{ 7 * 7 }}{% raw %}",
    "<!--<script>",
    "a\u202eb\u2028c\x00d\nе",
    "w" * 1000,
)  # fmt: skip
"""Labels that are markup, code, or hard to show."""
INSIDE = ("file:", "data:")
WATCH = """addEventListener("securitypolicyviolation",
    (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; it closes before other tests run an event loop."""
    path = shutil.which("chromium")
    if path is None:
        raise FileNotFoundError("no chromium: run `make .venv/test`, or apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visit(
    browser: Browser, path: Path, *, device: Device = "laptop", dark: bool = False, at: str = ""
) -> Iterator[Page]:
    """Open a file. Errors, violations of the policy and requests to elsewhere are failures.

    at: What follows ``#`` in the address.
    """
    context = browser.new_context(
        color_scheme="dark" if dark else "light",
        permissions=["clipboard-read", "clipboard-write"],
        **SIZES[device],
    )
    wrong: list[str] = []

    def asked(route: Route) -> None:
        if route.request.url.startswith(INSIDE):
            route.continue_()
        else:
            wrong.append(f"request: {route.request.url}")
            route.abort()

    try:
        context.route("**/*", asked)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("console", lambda said: wrong.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("requestfailed", lambda asked: wrong.append(f"failed: {asked.url}"))
        page.goto(f"{path.resolve().as_uri()}{at and '#' + at}")
        yield page
        assert not wrong, "\n".join(wrong)
    finally:
        context.close()


def serious(page: Page) -> list[str]:
    """What axe finds that keeps somebody from using the page."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def too_wide(page: Page) -> list[str]:
    """Elements that leave the screen to the right, outside of those that scroll."""
    found: list[str] = page.evaluate(
        """() => [...document.body.querySelectorAll("*")].filter((element) => {
            const box = element.getBoundingClientRect();
            return box.right > screen.width + 1 && !element.closest(".scroll, pre, .unseen");
        }).map((element) => element.outerHTML.slice(0, 120))"""
    )
    return found


def screenshots(path: Path, folder: Path) -> None:
    """The page on a laptop and a phone, light and dark, and as it prints."""
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for device in SIZES:
            for dark in (False, True):
                with visit(browser, path, device=device, dark=dark) as page:
                    name = f"{path.stem}-{device}-{'dark' if dark else 'light'}.png"
                    page.screenshot(path=folder / name, full_page=True)
        with visit(browser, path) as page:
            page.pdf(path=folder / f"{path.stem}.pdf", format="A4", print_background=True)


if __name__ == "__main__":
    screenshots(Path(sys.argv[1]), Path(sys.argv[2]))
