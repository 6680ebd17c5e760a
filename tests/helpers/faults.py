"""Damaged files, read one after the other in a process of their own, which may crash.

``python -m tests.helpers.faults`` damages every byte of every format and says what came of it.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

import whichf1 as wf
from tests.helpers.files import WRITERS, csv_text
from whichf1.errors import WhichF1Error

ROWS = [{"true": "ab"[at % 2], "pred": "ab"[at % 3 > 1]} for at in range(12)]
COUNTS = "counts.json"
CHECKED = "checksum.parquet"
FORMATS: dict[str, Callable[[Path, Any], object]] = {
    **{name: WRITERS[name] for name in WRITERS if not name.startswith(("a.jsonl.", "not."))},
    "checksum.csv.zst": lambda path, rows: path.write_bytes(
        zstandard.ZstdCompressor(write_checksum=True).compress(csv_text(rows).encode())
    ),
    CHECKED: lambda path, rows: pq.write_table(
        pa.Table.from_pylist(rows), path, write_page_checksum=True, use_dictionary=False
    ),
    COUNTS: lambda path, rows: wf.count(
        [row["true"] for row in rows], [row["pred"] for row in rows]
    ).save(path),
}
"""How a small file of each format is written."""
UNDETECTED = {
    "a.csv": "CSV and TSV",
    "a.tsv": "CSV and TSV",
    "a.jsonl": "JSON Lines",
    "a.csv.zst": "Zstandard without a checksum",
    "a.parquet": "Parquet without checksums",
    "zstd.parquet": "Parquet without checksums",
    CHECKED: "the footer of a Parquet file",
    "a.arrow": "Arrow",
    "stream.arrow": "Arrow",
}
"""Formats in which a changed byte can be another valid file, by what the documentation calls them:
it lists them all."""


def damages(whole: bytes, number: int | None, seed: int) -> Iterator[tuple[str, bytes]]:
    """The file with a flipped bit or cut short: so many of each, or at every byte."""
    draw = random.Random(seed)
    places: list[int] = [*range(len(whole))]
    for at in places if number is None else sorted(draw.sample(places, min(number, len(whole)))):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << draw.randrange(8)
        yield f"flip {at}", bytes(flipped)
    for end in places if number is None else sorted(draw.sample(places, min(number, len(whole)))):
        yield f"cut {end}", whole[:end]


def read(path: Path) -> wf.Counts:
    return wf.Counts.load(path) if path.name == COUNTS else wf.count(path, true="true", pred="pred")


def outcome(path: Path, right: wf.Counts) -> str:
    """What became of a damaged file: 'same', 'error', 'other', or the name of a foreign error."""
    try:
        return "same" if read(path) == right else "other"
    except WhichF1Error:
        return "error"
    except Exception as error:
        return type(error).__name__


def child(names: list[str], number: int | None, seed: int) -> None:
    """Damage files again and again, and print each damage before it is read."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = Path(folder) / name
            FORMATS[name](path, ROWS)
            whole, right = path.read_bytes(), read(path)
            for what, damaged in damages(whole, number, seed):
                path.write_bytes(damaged)
                print(name, what, end=" ", flush=True)
                result = outcome(path, right)
                in_footer = result == "other" and name == CHECKED and _is_in_footer(whole, what)
                print("footer" if in_footer else result, flush=True)


def _is_in_footer(whole: bytes, what: str) -> bool:
    """Whether the damage is behind the pages of a Parquet file, where there is no checksum."""
    length = int.from_bytes(whole[-8:-4], "little")
    return int(what.split()[1]) >= len(whole) - 8 - length


def tried(
    names: list[str], number: int | None = None, seed: int = 0
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How often each format had each outcome, and the damages that had one that must not be."""
    given = json.dumps([names, number, seed])
    command = [sys.executable, "-m", "tests.helpers.faults", given]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if done.returncode:
        lines[-1] += f" crash {done.returncode} {done.stderr[-300:]}"
    found: Counter[tuple[str, str]] = Counter()
    wrong = []
    for line in lines:
        name, _, _, result = line.split(maxsplit=3)
        found[name, result] += 1
        allowed = ("same", "error", "footer" if name == CHECKED else "other")
        if result not in (allowed if name in UNDETECTED else ("same", "error")):
            wrong.append(line)
    return found, wrong


def main() -> int:
    """Try every byte of every format."""
    wrong = 0
    for name in FORMATS:
        found, faults = tried([name])
        said = ", ".join(f"{number} {result}" for (_, result), number in found.items())
        print(f"{name}: {said}", *faults[:10], sep="\n    ", flush=True)
        wrong += len(faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(*json.loads(sys.argv[1]))
    else:
        sys.exit(main())
