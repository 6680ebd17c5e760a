"""A page: one self-contained HTML file, which sends nothing and runs nothing else.

Text goes through Jinja2, which escapes it; control and direction characters become visible. The
policy of the page names the one style sheet and the one script by their hashes, so nothing else
can be applied or run, whatever a label contains. It also refuses style attributes: use classes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whichf1 import __version__
from whichf1.reporting.escape import visible
from whichf1.reporting.numbers import number
from whichf1.statistics.scales import Interval

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
DECIMALS = 4
STYLE, SCRIPT = "page.css", "page.js"
"""The style and the script of every page."""


def rendered(
    template: str,
    fields: dict[str, Any],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    code: str = "",
    data: Any = None,
) -> str:
    """Fill in a template, which extends ``page.html``.

    fields: What the template shows, including ``title``.
    styles, scripts: Names of further files of this folder.
    code: Script that is generated, before that of the files.
    data: Numbers and texts for the script, as JSON in the element ``data``; none may be NaN.
    """
    from markupsafe import Markup

    style = "".join(map(_file, (STYLE, *styles)))
    script = "".join([_file(SCRIPT), code, *map(_file, scripts)])
    settings = {
        "version": __version__,
        "policy": policy(style, script),
        "style": Markup(style),
        "script": Markup(script),
        "data": None if data is None else Markup(json_text(data)),
    }
    return _environment().get_template(template).render({**fields, **settings}) + "\n"


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy of a page with this style and this script."""
    sources = {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {source}" for name, source in sources.items())


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def json_text(data: Any) -> str:
    """JSON that can be put in a script element: no character in it is markup."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))  # ASCII
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def _file(name: str) -> str:
    """A file of this folder; a browser hashes it with its line breaks."""
    return (FOLDER / name).read_text("utf-8").strip() + "\n"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def harmless(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": _number, "interval": _interval, "text": _text}
    return environment


def _number(value: float) -> str:
    """A score as shown on a page, with a proper minus sign."""
    return number(value, DECIMALS).replace("-", "−")


def _interval(interval: Interval | None) -> str:
    """An interval with its level, or a note that there is none."""
    if interval is None:
        return "no interval"
    mark = " (see below)" if interval.caution else ""
    return f"{100 * interval.level:g} % {interval:.{DECIMALS}f}{mark}".replace("-", "−")


def _text(markup: Any) -> str:
    """The text of a piece of HTML."""
    return str(markup.unescape())
