"""Frozen dataclasses that take little time to declare.

``dataclasses`` writes and compiles six methods for each class; a command declares about fifty
classes, so that is a tenth of its time. Here, only ``__init__`` is compiled. The other methods are
shared by all classes. ``fields``, ``replace``, ``asdict`` and ``match`` work as usual.
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import MISSING, FrozenInstanceError
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, kw_only=False, slots=False):
        """``dataclasses.dataclass``, faster for a frozen class."""
        options = {"kw_only": kw_only, "slots": slots}
        if not frozen:
            return dataclasses.dataclass(cls, eq=eq, **options)
        declare = partial(_declared, eq=eq, options=options)
        return declare if cls is None else declare(cls)


def _declared(cls: Any, eq: bool, options: dict[str, bool]) -> Any:
    """The class with its fields and methods, except for methods that it has itself."""
    cls = dataclasses.dataclass(cls, init=False, repr=False, eq=False, **options)
    fields = dataclasses.fields(cls)
    methods: dict[str, Any] = {"__init__": _compiled(cls, fields, options["slots"]), **_SHARED}
    if options["slots"]:
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    if eq:
        compared = [x.name for x in fields if x.compare]
        cls._compared = staticmethod(attrgetter(*compared) if compared else type)
        methods |= {"__eq__": _equal, "__hash__": _hash}
    for name, method in methods.items():
        if vars(cls).get(name) is None:  # a class with __eq__ alone has None as __hash__
            setattr(cls, name, method)
    return cls


def _compiled(cls: Any, fields: tuple[dataclasses.Field[Any], ...], slots: bool) -> Any:
    """``__init__`` of a class, which sets its fields and then calls ``__post_init__``."""
    known: dict[str, Any] = {"MISSING": MISSING, "put": object.__setattr__}
    before, after, body = ["self"], ["*"], [] if slots else ["into = self.__dict__"]
    for each in fields:
        name, value = each.name, each.name
        argument = name
        if each.default_factory is not MISSING:
            known[f"make_{name}"] = each.default_factory
            argument, value = f"{name}=MISSING", f"make_{name}() if {name} is MISSING else {name}"
        elif each.default is not MISSING:
            known[f"default_{name}"] = each.default
            argument = f"{name}=default_{name}"
        (after if each.kw_only else before).append(argument)
        body.append(f"put(self, {name!r}, {value})" if slots else f"into[{name!r}] = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    arguments = ", ".join([*before, *(after if len(after) > 1 else [])])
    text = f"def make({', '.join(known)}):\n def __init__({arguments}):\n  "
    made: dict[str, Any] = {}
    text += "\n  ".join(body or ["pass"]) + "\n return __init__"
    exec(text, vars(sys.modules[cls.__module__]), made)  # where its annotations have a meaning
    init = made["make"](**known)
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {**{x.name: x.type for x in fields}, "return": None}
    return init


def _is_fixed(record: Any, name: str) -> bool:
    """Whether an attribute cannot be set: a subclass may have others than the fields."""
    return "__dataclass_fields__" in vars(type(record)) or name in record.__dataclass_fields__


def _set(self: Any, name: str, value: Any) -> None:
    if _is_fixed(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delete(self: Any, name: str) -> None:
    if _is_fixed(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


@recursive_repr()
def _shown(self: Any) -> str:
    fields = [x.name for x in dataclasses.fields(self) if x.repr]
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
    return f"{type(self).__qualname__}({shown})"


def _equal(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _state(self: Any) -> list[Any]:
    return [getattr(self, x.name) for x in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_SHARED = {"__repr__": _shown, "__setattr__": _set, "__delattr__": _delete}
