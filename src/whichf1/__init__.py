"""Classification scores that say what they are.

>>> import whichf1 as wf
>>> counts = wf.count(["a", "b", "b"], ["a", "b", "a"])
>>> wf.averaged_f1(counts).signature
'f1|avg:macro|formula:averaged|classes:observed|undef:0|v:1|n:3|k:2|labels:gknjefid'

The public names are listed in ``__init__.pyi``; each is imported the first time it is used.
"""

import sys

from whichf1.tables import display as _display

__version__ = "0.1.0"

_METRIC = "whichf1.scoring.functions"


def __getattr__(name: str) -> object:
    """Import a public name when it is first used; aliases such as sensitivity work too."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'whichf1' has no attribute {name!r}")
    if f"whichf1.{name}" in sys.modules:  # a module that is being imported
        return sys.modules[f"whichf1.{name}"]
    homes, aliases = _names()
    if name == "__all__":
        value: object = sorted(homes)
    elif name in homes:
        value = _load(homes[name], name)
    elif name in aliases:
        value = getattr(__import__("whichf1"), aliases[name])
    else:
        from whichf1.errors import suggestion

        hint = suggestion(name, [*homes, *aliases])
        raise AttributeError(f"module 'whichf1' has no attribute {name!r}. {hint}".rstrip())
    globals()[name] = value
    return value


def _load(home: str, name: str) -> object:
    from importlib import import_module

    if home == "whichf1":
        return import_module(f"whichf1.{name}")
    module = import_module(home)
    if home == _METRIC and name != "score":
        return module.Scorer(name)
    from whichf1.definitions.docstrings import complete

    complete(getattr(module, name))
    return getattr(module, name)


def _names() -> tuple[dict[str, str], dict[str, str]]:
    """The module of each public name, and the metric that each alias stands for."""
    homes: dict[str, str] = {}
    aliases: dict[str, str] = {}
    with open(f"{__file__}i", encoding="utf-8") as stub:
        lines = stub.read().splitlines()
    for line in lines:
        match line.split(" "):
            case ["from", home, "import", name, "as", public] if name == public:
                homes[name] = home
            case [metric, _] if metric.endswith(":") and not metric.startswith("_"):
                homes[metric[:-1]] = _METRIC
            case [alias, "=", metric]:
                aliases[alias] = metric
    return homes, aliases


def _presenter() -> "_display.Presenter":
    """The module that shows results in notebooks and pictures, loaded on first use."""
    from whichf1.reporting import notebook

    return notebook


_display.presenters.append(_presenter)


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()[0]})
