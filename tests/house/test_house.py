"""The floor plan: rooms, layers, no import cycles, one name for one thing."""

from __future__ import annotations

import ast
import collections

import pytest

from tests.helpers import house


def test_the_top_of_the_package_has_at_most_14_entries_each_explained() -> None:
    entries = house.entries()
    assert len(entries) <= 14
    page = (house.ROOT / "CONTRIBUTING.md").read_text()
    assert [name for name in entries if f"`{name.removesuffix('.py')}" not in page] == []


def test_ten_layers_hold_every_room_with_two_ways_back() -> None:
    contract = house.contract()
    assert len(contract["layers"]) <= 10
    assert contract["exhaustive"] is True
    ways = {f"{a} -> {b}" for a, b in house.WAYS_BACK}
    assert set(contract["ignore_imports"]) == ways


def test_there_is_no_cycle_even_with_imports_inside_functions() -> None:
    graph = house.imports()
    for module, other in house.WAYS_BACK:
        assert other in graph[module]
        graph[module].discard(other)
    assert house.cycles(graph) == []


def test_cycles_are_found() -> None:
    assert house.cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_no_class_name_stands_twice() -> None:
    assert {name: at for name, at in house.classes().items() if len(at) > 1} == {}


def test_no_two_modules_differ_by_an_inflection() -> None:
    stems: dict[str, set[str]] = collections.defaultdict(set)
    for name in house.modules():
        word = name.rpartition(".")[2]
        if name.count(".") > 1 and word != "__init__":  # rooms are named after what they hold
            stems["_".join(map(house.stem, word.split("_")))].add(word)
    assert {stem: words for stem, words in stems.items() if len(words) > 1} == {}


def test_no_test_file_has_more_than_500_lines() -> None:
    """Of what is written by hand: Python and C."""
    files = [x for x in (house.ROOT / "tests").rglob("*.*") if x.suffix in (".py", ".c", ".h")]
    assert len(files) > 200
    assert [str(x) for x in files if len(x.read_text().splitlines()) > 500] == []


def test_every_module_says_what_it_is() -> None:
    for name, tree in house.trees().items():
        assert ast.get_docstring(tree), name


@pytest.mark.parametrize(
    ("what", "calls", "modules"),
    [
        ("averaged_f1(arrays)", 12, 8),
        ("accuracy(arrays)", 42, 14),
        ("f1.per_class(arrays)", 46, 15),
        ("macro_f1(counts)", 84, 11),
        ("roc_auc(arrays)", 60, 13),
        ("log_loss(arrays)", 46, 13),
        ("roc_auc(frame)", 120, 16),
        ("compare(arrays)", 500, 20),
        ("explain(counts)", 3000, 25),
        ("whichf1 score animals.csv", 4600, 46),
    ],
)
def test_calls_do_not_walk_far(what: str, calls: int, modules: int) -> None:
    walk = house.walk(house.walks()[what])
    assert walk.calls <= calls
    assert walk.modules <= modules
