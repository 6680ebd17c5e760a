"""The systems of the example file."""

from __future__ import annotations

import csv

import pytest

from tests.helpers.samples import COLUMNS, SYSTEMS

Data = tuple[list[str], dict[str, list[str]], list[str]]


@pytest.fixture(scope="module")
def data() -> Data:
    """True classes, predictions by system, and documents."""
    with open(SYSTEMS, newline="") as file:
        rows = list(csv.DictReader(file))
    gold, document = ([row[name] for row in rows] for name in ("gold", "document"))
    return gold, {name: [row[name] for row in rows] for name in COLUMNS}, document
