"""Cases of what is public: names, parameters, members, and the options of every command."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from importlib import import_module
from io import StringIO
from typing import Any

import whichf1 as wf
from tests.goldens.calls import ROOT, metrics
from tests.goldens.plain import Case, at_least, plain
from whichf1.cli import app


def names() -> Iterator[Case]:
    """The public names, how each is called, and what each class has."""
    yield "names/all", lambda: at_least(list(wf.__all__))
    yield "names/dir", lambda: at_least([x for x in dir(wf) if x in wf.__all__])
    yield "names/errors", errors
    yield "names/other names", other_names
    for name in wf.__all__:
        found = getattr(wf, name)
        if inspect.isclass(found):
            yield f"names/fields/{name}", partial(fields, found)
            yield f"names/members/{name}", partial(members, found)
        elif callable(found):
            yield f"names/parameters/{name}", partial(parameters, found)
    for kind in ("f1", "accuracy", "dialects"):
        own = type(getattr(wf, kind))
        yield f"names/members/of {kind}", partial(members, own)


def other_names() -> Any:
    """What each other name of a metric stands for."""
    _, listed = metrics()
    others = (alias for _, aliases, *_ in listed for alias in aliases.split(", ") if alias)
    return {alias: getattr(wf, alias).__name__ for alias in others}


def errors() -> Any:
    """Every error with what it is a kind of."""
    found = {name: each for name, each in vars(wf.errors).items() if inspect.isclass(each)}
    return {
        name: [kind.__name__ for kind in each.__mro__[1:-1]]
        for name, each in sorted(found.items())
        if issubclass(each, (Exception, Warning))
    }


def parameters(function: Any) -> str:
    """The parameters with their defaults, and without their types; of a metric, the data alone."""
    found = inspect.signature(function)
    if not inspect.isroutine(function):
        return ", ".join([*found.parameters][:2])
    own = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    return str(inspect.Signature(own))


def fields(kind: Any) -> Any:
    """What a class is made from."""
    return at_least(list(inspect.signature(kind).parameters))


def members(kind: Any) -> Any:
    """What an instance offers, methods with their parameters."""
    found = []
    for name in dir(kind):
        if name.startswith("_"):
            continue
        each = inspect.getattr_static(kind, name)
        inner = each.__func__ if isinstance(each, (classmethod, staticmethod)) else each
        found.append(name + (parameters(inner) if inspect.isfunction(inner) else ""))
    found += getattr(kind, "__dataclass_fields__", {})
    return at_least([*dict.fromkeys(found)])


def commands() -> Iterator[Case]:
    """Every option and argument of every command, with its default."""
    yield "commands/all", lambda: at_least(list(app.commands))
    for name, command in app.commands.items():
        yield f"commands/options/{name}", partial(options, command)
    yield "commands/options/whichf1", partial(options, app)


def options(command: Any) -> Any:
    """The words of each option, whether it is needed or repeated, and its default."""
    found = []
    for each in command.params:
        words = [*each.opts, *each.secondary_opts]
        more = [word for word in ("required", "multiple") if getattr(each, word, False)]
        default = getattr(each.default, "value", each.default)
        shown = [f"={default}"] if isinstance(default, (str, int, float)) else []
        found.append(" ".join([each.param_type_name, *words, *more, *shown]))
    return at_least(found)


MATRICES = (
    *("2 100 10000 0 100", "2 5 10 5 10", "2 1 1 9 19", "1 7", "2 0 0 0 5"),
    *("3 5 1 0 2 7 3 0 4 9", "3 0 0 1 0 0 0 2 0 0", "4 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"),
    *("2 1 2 3", "0", "two", "", "2 -1 2 3 4", "2 0 0 0 0"),
)


def mf1() -> Iterator[Case]:
    """The program of the paper's appendix."""
    for numbers in MATRICES:
        yield f"mf1/{numbers}", partial(run_mf1, numbers.split())


def run_mf1(given: list[str]) -> Any:
    """The exit code and the lines, run as the installed program would be."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, function = project["scripts"]["mf1"].partition(":")
    main = getattr(import_module(module), function)
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(StringIO()):
        code = main(given)
    return plain([code, out.getvalue().splitlines()])
