"""The kernel's driver on other platforms: ``make test-portable``.

Builds tests/native/driver.c for this machine (with and without wide registers), for 64-bit ARM and
for Windows, runs it under qemu and wine, and compares the digests of its results, bit by bit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
C = ROOT / "src" / "whichf1" / "kernel" / "c"
WITH_PYTHON = {"module.c", "string_memo.c"}
FLAGS = ("-O3", "-std=c11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
ROUNDS = 100


@dataclass(frozen=True)
class Platform:
    """How the driver is built and run."""

    name: str
    compiler: tuple[str, ...]
    run: tuple[str, ...] = ()


PLATFORMS = (
    Platform("x86-64, widest registers", ("gcc", "-pthread")),
    Platform("x86-64, no wide registers", ("gcc", "-pthread", "-D__SANITIZE_ADDRESS__")),
    Platform(
        "AArch64 (NEON) under qemu",
        ("aarch64-linux-gnu-gcc", "-static", "-pthread"),
        ("qemu-aarch64",),
    ),
    Platform("Windows x86-64 under wine", ("x86_64-w64-mingw32-gcc", "-static"), ("wine",)),
)


def built(compiler: tuple[str, ...], program: Path, flags: tuple[str, ...] = FLAGS) -> Path:
    """The driver with all C files that do not know of Python."""
    sources = [str(path) for path in sorted(C.glob("*.c")) if path.name not in WITH_PYTHON]
    driver = str(ROOT / "tests" / "native" / "driver.c")
    command = [*compiler, *flags, f"-I{C}", "-o", str(program), driver, *sources, "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return program


def digest(program: Path, seed: int, run: tuple[str, ...] = ()) -> str:
    """The digest that the driver prints after its rounds."""
    environment = {**os.environ, "WINEDEBUG": "-all", "WINEPREFIX": str(program.parent / "wine")}
    done = subprocess.run(
        [*run, str(program), str(seed), str(ROUNDS)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=600,
    )
    rounds, result = done.stdout.split("\n")[:2]
    if rounds.strip() != f"{ROUNDS} rounds":
        raise ValueError(f"the driver stopped early: {done.stdout!r} {done.stderr!r}")
    return result.strip()


def main(seeds: tuple[int, ...] = (1, 2, 3)) -> int:
    """Print a line for each platform; 1 if any differs from the first."""
    expected: list[str] = []
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, platform in enumerate(PLATFORMS):
            program = built(platform.compiler, Path(folder) / f"driver{number}.exe")
            digests = [digest(program, seed, platform.run) for seed in seeds]
            expected = expected or digests
            same = digests == expected
            failures += not same
            print(f"{platform.name:<28} {' '.join(digests)} {'same bits' if same else 'DIFFERS'}")
    print(f"{len(PLATFORMS) - failures} passed, {failures} failed")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
