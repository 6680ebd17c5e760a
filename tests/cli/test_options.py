"""Every option of every command, as the parser knows them: none is dropped, none does nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.commands import Run
from whichf1 import cli

ROOT: Any = cli.app
COMMANDS: dict[str, str] = {
    "score": "examples/animals.csv",
    "groups": "examples/loans.csv --by sex",
    "matrix": "2 5 1 2 7 --rows true",
    "count": "examples/animals.csv",
    "merge": "COUNTS",
    "compare": "examples/systems.csv --pred careful --pred weak --replicates 99",
    "study": "examples/runs/{system}/{seed}.csv --item item",
    "threshold": "examples/spam.csv --positive spam",
    "dialects": "examples/eight.csv",
    "explain": "examples/eight.csv --value 0.35",
    "audit": "--precision .62 --recall .58 --f1 .55",
    "convert": "examples/eight.csv --from catboost --to keras",
    "metrics": "",
    "define": "f1",
    "choose": "-w monotone -w fixed-at-random",
    "paper": "tables",
    "plot": "list",
    "report": "examples/eight.csv --interval none -o PAGE",
    "agree": "examples/ratings.csv",
    "playground": "-o PAGE",
}
"""A use of each command, to which options are added."""
VALUES = {
    "adjust": "fdr", "around": "2", "average": "macro", "baseline": "weak", "by": "gold",
    "classes": "cat,dog", "correct": "bootstrap", "decimals": "2", "effect": "0.1",
    "engine": "duckdb", "exclude": "fish", "fail_if_worse": "0.1", "format": "json",
    "formats": "pdf", "ignore": "fish", "interval": "delta",
    "labels": "bird,cat,dog,fish,gnu", "level": "0.9", "margin": "0.1", "memory_limit": "2GB",
    "metric": "accuracy", "on_error": "skip", "power": "0.9", "replicates": "199", "rope": "0.1",
    "rows": "true", "scale": "unit", "scope": "no-hits", "seed": "3", "share": "true",
    "show": "error", "signature": "full", "threshold": "0.5", "true": "gold", "undefined": "1",
    "value_decimals": "2",
}  # fmt: skip
"""A value of an option that takes some values only; others get a name that the data do not have."""
WRITERS = ("paper", "plot", "report")
"""Commands that write files."""
READING = {"from_", "memory_limit", "on_error", "engine", "true", "master", "output"}
"""How data are read, and where the output goes: these may say what is found anyway."""
INFERRED = {"value_decimals", "scale", "classes", "decimals", "arrows", "confusion"}
"""Where they are accepted, they may say what is inferred or shown anyway."""


def options(command: str) -> list[Any]:
    """The options of a command, without --help."""
    every = ROOT.commands[command].params
    return [x for x in every if x.param_type_name == "option" and x.name != "help"]


def use_of(command: str, tmp_path: Path) -> list[str]:
    """The words of a use of the command."""
    files = {"COUNTS": str(tmp_path / "counts.json"), "PAGE": str(tmp_path / "page.html")}
    return [files.get(word, word) for word in COMMANDS[command].split()]


def with_value(option: Any, tmp_path: Path) -> list[str]:
    """The option with a value, if it takes one."""
    value = [] if option.is_flag else [VALUES.get(option.name, str(tmp_path / "x"))]
    return [option.opts[0], *value]


def test_each_command_has_a_use() -> None:
    assert {*COMMANDS} == {*ROOT.commands}
    assert sum(len(options(command)) for command in COMMANDS) > 150


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_of_one_value_is_not_repeated(command: str, run: Run, tmp_path: Path) -> None:
    used = use_of(command, tmp_path)
    for option in options(command):
        given = with_value(option, tmp_path)
        if given[0] in used or option.multiple:
            continue
        code, out, err = run(command, *used, *given, *given)
        assert (code, out) == (2, ""), given
        assert f"{given[0]} appears twice, but takes one value" in " ".join(err.split()), given


@pytest.mark.parametrize("command", [x for x in COMMANDS if x not in WRITERS])
def test_an_option_changes_the_output_or_is_refused(command: str, run: Run, tmp_path: Path) -> None:
    run("count", "examples/animals.csv", "-o", tmp_path / "counts.json")
    used = use_of(command, tmp_path)
    before = run(command, *used)
    assert before[0] == 0, before
    silent = []
    for option in options(command):
        given = with_value(option, tmp_path)
        if given[0] in used or option.name in READING | INFERRED:
            continue
        after = run(command, *used, *given)
        assert after[0] in (0, 1, 2) and not (after[0] == 2 and after[1]), given
        silent += [given] if after == before else []
    assert silent == [] or silent == [["--average", "macro"]]  # what averaged F1 is anyway


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("score examples/animals.csv -m accuracy -m accuracy", "accuracy is named twice"),
        ("score examples/animals.csv -m averaged_f1 -m macro_f1", "averaged_f1 is named twice"),
        ("score examples/animals.csv -m f1_of_averages -m mf1 --by gold", "mf1"),
        ("compare examples/systems.csv --pred weak --pred weak", "named twice: weak, weak"),
        ("compare examples/systems.csv --pred weak --pred biased -m mcc -m mcc", "named twice"),
        ("compare examples/systems.csv --pred weak --pred biased --baseline careful -m mcc",
         "the baseline 'careful' is not one of the systems. Known: weak, biased"),
        ("score examples/animals.csv -m f1 --positive gnu", "there is no class 'gnu'. Known: bird"),
        ("score examples/animals.csv --classes gnu,cat", "there is no class 'gnu'"),
        ("score examples/animals.csv --exclude gnu", "there is no class 'gnu'"),
        ("score examples/animals.csv --ignore gnu", "there is no class 'gnu'"),
        ("score examples/animal_probabilities.csv --probs bird,cat,gnu", "no column 'gnu'"),
        ("score examples/animals.csv --by gold,gold", "a column is named twice"),
        ("score examples/animal_probabilities.csv --probs bird,cat,dog --labels bird,cat,dog,gnu",
         "gnu of --labels have no column of probabilities"),
        ("compare examples/systems.csv --pred weak --pred biased -m mcc -m f1 --seed 3 "
         "--average macro", "are for metrics that are resampled"),
        ("score examples/spam.csv --score score --positive spam -m roc_auc --threshold .5",
         "--threshold makes predictions, but roc_auc is computed from scores"),
        ("score tests/goldens/saved/strings.json --gold x", "remove --gold"),
        ("score tests/goldens/saved/strings.json --pred-file x", "remove --pred-file"),
        ("score examples/animals.csv --labels cat,cat", "twice"),
        ("score examples/animals.csv --scope no-hits", "has no effect if 0/0 counts as 0"),
        ("dialects --pred x", "--pred does not apply to a list of dialects"),
        ("dialects examples/eight.csv --rows true", "--rows does not apply to a file"),
        ("explain --matrix 2,1,2,3,4 --rows true --true x --value .5", "does not apply to --mat"),
        ("convert examples/eight.csv --from keras --to sklearn --value-decimals 2", "--value"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(run: Run, command: str, message: str) -> None:
    code, out, err = run(*command.split())
    assert (code, out) == (2, "") and message in err, err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_mentions_no_option_that_the_command_lacks(command: str) -> None:
    """Such as --by in the help of gates of a matrix."""
    named = {name for x in options(command) for name in (*x.opts, *x.secondary_opts)}
    own = {word for x in options(command) for word in re.findall(r"--[a-z][a-z-]+", x.help or "")}
    assert own <= named


@pytest.mark.parametrize(
    "words",
    ["score {} --true gold --pred gold", "score {} --true gold --score gold --positive a",
     "count {} --true gold --pred gold",
     "compare {} --true gold --pred pred --pred gold",
     "plot confusion {} -o no.svg --true gold --pred gold",
     "explain {} --value .5 --true gold --pred gold",
     "compare {} --true gold --pred pred --baseline {} --baseline-pred gold",
     "threshold {} --true p --score p --positive 0.5"],
)  # fmt: skip
def test_a_column_cannot_have_the_true_classes_and_the_predictions(
    run: Run, tmp_path: Path, words: str
) -> None:
    path = tmp_path / "p.csv"
    path.write_text("gold,pred,p,q,s,r\na,a,0.5,0.5,x,1\nb,a,0.4,0.6,y,1\n")
    code, out, err = run(*(word.replace("{}", str(path)) for word in words.split()))
    assert (code, out) == (2, "") and "is named for the true classes and for" in err
