"""The lowest versions that pyproject allows; as a program, print them as requirements."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lowest() -> list[str]:
    """Every dependency at its lower bound; each has one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = [re.fullmatch(r"([\w-]+)>=([\d.]+)", each) for each in project["dependencies"]]
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound]


if __name__ == "__main__":
    print(*lowest())
