"""The release checklist: ``make release-check`` prints what holds, and fails if anything does not.

Builds the source distribution and both kinds of wheel, checks their tags and metadata, and installs
each in an empty environment of every installed Python, where the README's example must run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import whichf1

ROOT = Path(__file__).parents[2]
NO_COMPILER = {"CC": "/nonexistent/cc", "CXX": "/nonexistent/cc"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def run(
    command: Sequence[str | Path], environment: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> str:
    """What a command prints; its errors are raised with what it said."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def version_is_dated() -> str:
    """The changelog has a section for this version, with its date."""
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading: str = re.findall(r"^## (.+)$", page, re.M)[0]
    version = whichf1.__version__
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading):
        raise ValueError(f"CHANGELOG.md starts with {heading!r}, not with {version} and a date")
    return heading


def everything_is_committed() -> str:
    """The tree is what will be tagged."""
    if changed := run(["git", "status", "--porcelain"]):
        raise ValueError(f"not committed:\n{changed}")
    return run(["git", "rev-parse", "--short", "HEAD"]).strip()


def build(folder: Path) -> list[Path]:
    """The source distribution and both wheels; the native one repaired for manylinux."""
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    run([sys.executable, "-m", "build", "--outdir", folder, "."])
    (source,) = folder.glob("*.tar.gz")
    (built,) = folder.glob("*-cp311-abi3-linux_*.whl")
    run(["auditwheel", "repair", built, "--wheel-dir", folder], path)
    built.unlink()
    unpacked = folder / "unpacked"
    shutil.unpack_archive(source, unpacked)
    tree = unpacked / source.name.removesuffix(".tar.gz")
    run([sys.executable, "-m", "build", "--wheel", "--outdir", folder, "."], NO_COMPILER, tree)
    (native,) = folder.glob("*-cp311-abi3-manylinux*.whl")
    (pure,) = folder.glob("*-py3-none-any.whl")
    run([sys.executable, "-m", "twine", "check", "--strict", source, native, pure])
    return [source, native, pure]


def readme_example() -> tuple[str, str]:
    """The README's code and its output."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n```output\n(.*?)```", page, re.S)
    if not found:
        raise ValueError("README.md has no example with its output")
    return found[1], found[2]


def installed(python: str, package: Path, native: bool) -> str:
    """The package in an empty environment runs the README's example with the right kernel."""
    code, expected = readme_example()
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        run([python, "-m", "venv", at / "venv"])
        binary = at / "venv" / "bin"
        run(
            [binary / "python", "-m", "pip", "install", "--quiet", package],
            {} if native else NO_COMPILER,
            at,
        )
        if (printed := run([binary / "python", "-W", "error", "-c", code], cwd=at)) != expected:
            raise ValueError(f"the README's example prints\n{printed}instead of\n{expected}")
        said = run([binary / "whichf1", "--version"], cwd=at).strip()
    if f"native: {'yes' if native else 'no'}" not in said:
        raise ValueError(f"{package.name} says {said!r}")
    return said


def pythons() -> dict[str, str]:
    """The Pythons of this machine by version."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    managed = sorted(Path.home().glob(".pyenv/versions/*/bin/python"))
    for version in PYTHONS:
        others = [str(x) for x in managed if x.parents[1].name.startswith(f"{version}.")]
        if path := (others[-1] if others else shutil.which(f"python{version}")):
            found.setdefault(version, path)
    return found


def main() -> int:
    """Print each check; 1 if any fails."""
    failures = 0

    def check(what: str, call: Callable[[], str]) -> None:
        nonlocal failures
        try:
            print(f"ok      {what}: {call()}", flush=True)
        except (RuntimeError, ValueError) as error:
            failures += 1
            print(f"FAILED  {what}: {error}", flush=True)

    check("changelog", version_is_dated)
    check("committed", everything_is_committed)
    with tempfile.TemporaryDirectory() as folder:
        source, native, pure = build(Path(folder))
        for version, python in pythons().items():
            check(f"{native.name}, {version}", partial(installed, python, native, True))
        for package in (pure, source):
            check(
                f"{package.name}, no compiler", partial(installed, sys.executable, package, False)
            )
    print(f"{'ready to release' if not failures else f'{failures} checks failed'}")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
