"""Run the code blocks of a Markdown page; as a program, write their real output into it.

A ``console`` block holds one command after ``$`` and its output; a ``python`` block may be followed
by an ``output`` block with what it prints.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

from tests.helpers.commands import invoke

ROOT = Path(__file__).parents[2]
PEERS = (
    "scikit-learn",
    "torchmetrics",
    "torchmetrics, validate_args=False",
    "classification_report",
)
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
DOORS = tuple(f"docs/{x}.md" for x in ("lightning", "hugging-face", "keras", "tracking"))
"""Pages whose libraries have an environment of their own, where ``tests/doors`` runs them."""
BLOCK = re.compile(
    r"```console\n\$ (?P<command>[^\n]+)\n(?P<out>.*?)```"
    r"|```python\n(?P<code>.*?)```(?:\n```output\n(?P<printed>.*?)```)?",
    re.DOTALL,
)


def printed(command: str) -> str:
    """What a command prints; ``whichf1`` alone runs in this process, which takes less time."""
    program, *arguments = shlex.split(command)
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", command)
    if program != "whichf1" or re.search(r"[|<>&;$]", unquoted):
        return shell(command)
    with contextlib.chdir(ROOT):
        _, out, err = invoke(*arguments, NO_COLOR="1", COLUMNS="80")
    return out + err


def shell(command: str) -> str:
    """What a command prints, with this environment's programs first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "80"}
    done = subprocess.run(
        command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    return done.stdout + done.stderr


def python(code: str, names: dict[str, object]) -> str:
    """What a block of Python prints; blocks of a page share their names."""
    wide = mock.patch.dict(os.environ, {"COLUMNS": "80"})
    with wide, contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "page", "exec"), names)
    return out.getvalue()


SYSTEMS = "examples/systems.csv --pred careful --pred biased --pred weak"
PICTURES = {
    "terminal": (80, "score examples/animals.csv"),
    "terminal-wide": (108, "score examples/animals.csv -m macro_f1 -m accuracy -m mcc"),
    "terminal-results": (80, f"compare {SYSTEMS} -m averaged_f1 -m mcc --show interval"),
    "terminal-pairs": (100, f"compare {SYSTEMS} -m accuracy"),
    "terminal-gate": (80, "score examples/animals.csv -m accuracy --fail-under-low accuracy=0.7"),
    "terminal-threshold": (80, "threshold examples/spam.csv --positive spam --around 2"),
    "terminal-audit": (80, "audit --precision .62 --recall .58 --f1 .55"),
    "terminal-explain": (80, "explain examples/eight.csv --value 0.35"),
}
"""Pictures in docs: the columns of the terminal, and the command."""


def picture_of(name: str) -> Path:
    """Where a picture is."""
    return ROOT / "docs" / f"{name}.svg"


def picture(name: str) -> str:
    """A terminal with what a command prints, without fonts from elsewhere."""
    from rich.console import Console
    from rich.text import Text

    width, command = PICTURES[name]
    with contextlib.chdir(ROOT):
        _, out, err = invoke(*command.split(), FORCE_COLOR="1", COLUMNS=str(width), TERM="xterm")
    console = Console(record=True, width=width + 2, file=io.StringIO())
    console.print(Text(f"$ whichf1 {command}", style="bold"))
    console.print(Text.from_ansi((out + err).rstrip("\n")))
    svg = console.export_svg(title="whichf1", unique_id=name)
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL) + "\n"


def terminals() -> str:
    """The pictures, one below the other."""
    parts = [
        f"`whichf1 {command}`, {width} columns:\n\n![whichf1 {command}]({name}.svg)\n"
        for name, (width, command) in PICTURES.items()
    ]
    return "\n".join(parts)


def filled(page: str) -> str:
    """The page with real output in every block."""
    names: dict[str, object] = {}

    def run(match: re.Match[str]) -> str:
        if match["command"]:
            return f"```console\n$ {match['command']}\n{printed(match['command'])}```"
        shown = python(match["code"], names)
        code = f"```python\n{match['code']}```"
        return f"{code}\n```output\n{shown}```" if match["printed"] is not None else code

    return BLOCK.sub(run, page)


def speed_table() -> str:
    """The rows of the benchmark that are shown in the README."""
    rows = [line.split("|")[1:6] for line in RESULTS.read_text().splitlines() if "| " in line]
    cells = [[cell.strip() for cell in row] for row in rows]
    shown = [row for row in cells if row[2] in PEERS]
    lines = [
        ["work", "whichf1", "peer", "its time", "times faster"],
        ["---", "--:", "---", "--:", "--:"],
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines + shown)


LISTS = {"metrics.md": "metrics", "dialects.md": "dialects"}
"""Pages with a list that a command prints."""


def listed(page: str, command: str) -> str:
    """The page with the table that the command prints now in place of the one with its header."""
    table = printed(f"whichf1 {command} --format markdown")
    table = table[table.index("| name |") :]
    head = re.escape(table.partition("\n")[0])
    return re.sub(rf"{head}\n(?:\|.*\n)*", lambda _: table, page)


def refreshed(path: Path) -> str:
    """The page with all that is shown as it is now."""
    page = filled(path.read_text())
    if path.name in LISTS:
        page = listed(page, LISTS[path.name])
    if path.name == "terminals.md":
        page = page[: page.index("`whichf1 ")] + terminals()
    return re.sub(
        r"\| work \| whichf1 \|.*?\n(?!\|)", lambda _: speed_table(), page, flags=re.DOTALL
    )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        (ROOT / name).write_text(refreshed(ROOT / name))
    for name in PICTURES:
        picture_of(name).write_text(picture(name))
