"""The built site, looked at by machine: ``make docs`` runs this after the build.

Every link between pages leads to a page and a place that exist. Chromium opens every page from a
server on this machine: no error in the console, no request to elsewhere; and the search finds what
people look for.
"""

from __future__ import annotations

import functools
import http.server
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Page

from tests.helpers.browser import chromium

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
SOUGHT = {"macro F1": "two-macro-f1s.html", "averaged_f1": "api/averaged_f1.html"}


class Links(HTMLParser):
    """Where a page leads to, and the places in it that can be led to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes that matter."""
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.targets.add(value)


def written(site: Path = SITE) -> list[Path]:
    """The pages, without the theme's own templates."""
    return sorted(x for x in site.rglob("*.html") if "_static" not in x.relative_to(site).parts)


def broken(site: Path = SITE) -> list[str]:
    """Links that lead nowhere."""
    pages = {page.resolve(): Links(page) for page in written(site)}
    found = []
    for page, links in pages.items():
        for target in sorted(links.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            to = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment)
            if not to.exists() or (place and to in pages and place not in pages[to].places):
                found.append(f"{page.relative_to(site.resolve())}: {target}")
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """A server that does not mind a browser that stops listening."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing."""


@contextmanager
def served(site: Path = SITE) -> Iterator[str]:
    """The address of the site on this machine."""
    handler = functools.partial(Quiet, directory=str(site))
    with Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def opened(page: Page, address: str, wrong: list[str], site: Path = SITE) -> int:
    """Open every page; what goes wrong is added to the list."""
    pages = written(site)
    for path in pages:
        name = path.relative_to(site).as_posix()
        before = len(wrong)
        page.goto(f"{address}/{name}", wait_until="load")
        wrong[before:] = [f"{name}: {each}" for each in wrong[before:]]
    return len(pages)


def sought(page: Page, address: str) -> list[str]:
    """Searches that do not find their page."""
    missed = []
    for words, expected in SOUGHT.items():
        page.goto(f"{address}/search.html?q={words.replace(' ', '+')}")
        page.wait_for_selector("#search-results li a", timeout=20_000)
        hits = [
            x.get_attribute("href") or "" for x in page.query_selector_all("#search-results li a")
        ]
        if not any(expected in hit for hit in hits):
            missed.append(f"a search for {words!r} does not find {expected}")
    return missed


def main() -> int:
    """Print what is wrong with the site; 1 if anything is."""
    wrong = [f"broken link in {each}" for each in broken()]
    with served() as address, chromium() as browser:
        page = browser.new_page()
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: (
                None
                if asked.url.startswith((address, "data:", "blob:"))
                else wrong.append(f"asks for {asked.url}")
            ),
        )
        count = opened(page, address, wrong)
        wrong += sought(page, address)
    print(*wrong, f"{count} pages, {len(wrong)} problems", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
