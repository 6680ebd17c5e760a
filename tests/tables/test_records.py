"""Our frozen dataclasses behave as those of the standard library, and are declared faster."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import whichf1
from tests.helpers import house
from whichf1.tables import records

DEFAULTS: list[dict[str, Any]] = [
    {},
    {"b": 2, "c": None},
    {"c": dataclasses.field(default_factory=list)},
    {"b": dataclasses.field(default=3, repr=False, compare=False), "c": "x"},
    {"c": dataclasses.field(kw_only=True)},
    {"a": dataclasses.field(kw_only=True, default=7)},
    {"__post_init__": lambda self: object.__setattr__(self, "a", abs(self.a))},
    {"__repr__": lambda self: "itself", "__hash__": lambda self: 5},
    {"__eq__": lambda self, other: True},
]
"""What the body of a class says, beside the names of three fields."""
OPTIONS: list[dict[str, bool]] = [
    {"frozen": True},
    {"frozen": True, "eq": False},
    {"frozen": True, "kw_only": True},
    {"frozen": True, "slots": True},
    {"frozen": False},
    {"frozen": False, "eq": False},
]
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((-1, 2, 3), {}),
    ((1, 2), {"c": 4}),
    ((1,), {}),
    ((), {"a": 1, "b": 2, "c": [3]}),
    ((), {"b": 5}),
    ((1, 2, 3, 4), {}),
    ((1, 2, 3), {"d": 1}),
]


def declared(by: Any, body: dict[str, Any], options: dict[str, Any]) -> Any:
    """A class with a body, or the error of its declaration."""
    known = {"__annotations__": dict.fromkeys("abc", "Any"), "__doc__": "Some.", **body}
    known |= {"__module__": __name__, "__qualname__": "Some"}
    try:
        return by(**options)(type("Some", (), known))
    except TypeError as error:
        return str(error)


def outcome(act: Callable[..., Any], *arguments: Any) -> Any:
    """What a call gives, or its error; texts for what differs by identity alone."""
    try:
        result = act(*arguments)
    except Exception as error:
        return type(error), str(error).replace("abc.Some", "Some")
    return result if isinstance(result, (bool, int, str, dict, tuple, list)) else type(result)


ACTS: list[Callable[[Any], Any]] = [
    repr,
    dataclasses.asdict,
    lambda x: [each.name for each in dataclasses.fields(x)],
    lambda x: x == copy.copy(x),
    lambda x: x == dataclasses.replace(x, b=99),
    lambda x: x == (x.a, x.b, x.c),
    lambda x: hash(x) == hash(copy.deepcopy(x)),
    lambda x: setattr(x, "a", 5),
    lambda x: delattr(x, "a"),
    lambda x: vars(copy.copy(x)),
    lambda x: dataclasses.asdict(dataclasses.replace(x, a=-4)),
    lambda x: x.__match_args__,
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("body", DEFAULTS, ids=lambda x: ",".join(x))
def test_records_behave_as_dataclasses_do(body: dict[str, Any], options: dict[str, Any]) -> None:
    theirs = declared(dataclasses.dataclass, copy.copy(body), options)
    ours = declared(records.dataclass, copy.copy(body), options)
    if isinstance(theirs, str):  # a field without a default after one that has one
        assert ours == theirs
        return
    assert [*inspect.signature(ours).parameters] == [*inspect.signature(theirs).parameters]
    for positional, named in CALLS:
        made = [outcome(partial(each, *positional, **named)) for each in (theirs, ours)]
        if isinstance(made[0], tuple):
            assert made[0] == made[1]
            continue
        for act in ACTS:
            x, y = (c(*copy.deepcopy(positional), **copy.deepcopy(named)) for c in (theirs, ours))
            assert outcome(act, x) == outcome(act, y)


@records.dataclass(frozen=True, slots=True)
class Slotted:
    """A record that is pickled."""

    a: int
    b: list[int] = dataclasses.field(default_factory=list)


@records.dataclass(frozen=True)
class Base:
    """A record that others extend."""

    a: int


@records.dataclass(frozen=True)
class Extended(Base):
    """One with a further field."""

    b: int = 2


class Wider(Base):
    """One that is not declared again, so that it may have other attributes."""


def test_records_are_pickled_and_extended() -> None:
    for each in (Slotted(1), Base(2), Extended(1, 3)):
        assert pickle.loads(pickle.dumps(each)) == each
    assert Extended(1) != Base(1) and repr(Extended(1)) == "Extended(a=1, b=2)"
    wider = Wider(3)
    wider.note = "free"  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
        wider.a = 4  # type: ignore[misc]
    match Extended(1, 5):
        case Extended(a, b):
            assert (a, b) == (1, 5)


def test_a_record_that_contains_itself_can_be_shown() -> None:
    one = Slotted(1)
    one.b.append(one)  # type: ignore[arg-type]
    assert repr(one) == "Slotted(a=1, b=[...])"


def test_one_method_of_a_record_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def counted(text: str, *scopes: Any) -> None:
        compiled.append(text)
        run(text, *scopes)

    run = exec
    monkeypatch.setattr("builtins.exec", counted)
    declared(records.dataclass, {}, {"frozen": True})
    assert len(compiled) == 1 and "def __init__(self, a, b, c)" in compiled[0]


def test_every_frozen_class_of_the_package_is_a_record() -> None:
    assert whichf1.Definition.__repr__ is whichf1.Interval.__repr__
    others = [
        name
        for name, path in house.modules().items()
        if "frozen=True" in (text := path.read_text(encoding="utf-8"))
        and "from whichf1.tables.records import dataclass" not in text
    ]
    assert others == []
