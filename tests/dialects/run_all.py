"""Every dialect against its real library, each in an environment of its own.

``python -m tests.dialects.run_all`` makes the environments under .venv-dialects, runs random cases
through each library in a subprocess, compares, and writes docs/dialects-tested.md.
It ends with 1 if a library disagrees.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import whichf1 as wf
from tests.dialects.cases import random_cases
from tests.dialects.comparing import Agreement, compare
from tests.dialects.libraries import LIBRARIES

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venv-dialects"
PAGE = ROOT / "docs" / "dialects-tested.md"

TORCH = "torch==2.13.0"
PINS: dict[str, list[list[str]]] = {
    "everyday": [
        ["scikit-learn==1.9.1", "river==0.26.1", "permetrics==2.1.0", "pycm==4.6"],
        ["seqeval==1.2.2", TORCH, "torchmetrics==1.9.0"],
    ],
    "sklearn-1.3": [["scikit-learn==1.3.2", "numpy<2"]],
    "torch": [
        [TORCH, "torchmetrics==1.9.0", "torcheval==0.0.7"],
        ["pytorch-ignite==0.5.5", "keras==3.15.1", "pandas"],
        ["--no-deps", "segmentation-models-pytorch==0.6.0", "libmultilabel==0.10.0"],
        ["--no-deps", "flair==0.4.0", "catalyst==22.4"],
        ["--no-deps", "mmsegmentation==1.2.2", "mmpretrain==1.2.0"],
    ],
    "torchmetrics-0.11": [[TORCH, "torchmetrics==0.11.4", "numpy<2", "setuptools<81"]],
    "seqeval-0.0.10": [["numpy<2"], ["--no-deps", "seqeval==0.0.10"]],
    "catboost": [["catboost==1.2.10"]],
    "spacy": [["spacy==3.8.18"]],
    "spark": [["pyspark==4.3.0", "numpy", "pandas"]],
    "mxnet": [["mxnet==1.9.1", "numpy==1.23.5"]],
}
"""What each environment installs, step by step."""

NOT_RUN = {
    "evaluate": "it loads its metric over the network; it calls scikit-learn, which is tested",
    "mteb": "it calls scikit-learn, which is tested",
    "evidently": "it calls scikit-learn, which is tested",
    "t5": "it calls scikit-learn, which is tested",
    "mlflow": "it calls scikit-learn's weighted F1; the same definition is tested with CatBoost",
    "allennlp": "its metric needs the whole framework, which pins old releases of PyTorch",
    "paddlenlp": "its metric needs the whole framework",
    "tfma": "its metric needs a Beam pipeline",
    "yardstick": "it needs R",
    "caret": "it needs R",
    "dl4j": "it needs a Java build",
    "weka": "it needs a Java build",
    "smile": "it needs a Java build",
    "smile-2024": "it needs a Java build",
    "linfa": "it needs a Rust build",
    "lighteval": "its metric is part of an evaluation run of a language model",
    "helm": "its metric is part of an evaluation run of a language model",
    "unitxt": "its metric is part of an evaluation run of a language model",
    "semeval-2010": "a shared-task script, not a package",
    "semeval-2018": "a shared-task script, not a package",
    "brightmart": "a repository of scripts, not a package",
    "adaseq": "a repository of scripts, not a package",
    "relex": "a repository of scripts, not a package",
    "must": "a repository of scripts, not a package",
    "imn-e2e-absa": "a repository of scripts, not a package",
    "neuralclassifier": "a repository of scripts, not a package",
}
"""Dialects whose library is not run, each with the reason; their source was read."""


def main() -> None:
    cases = random_cases(400)
    done: list[tuple[str, str, Agreement]] = []
    failed: dict[str, str] = {}
    for environment, steps in PINS.items():
        problem = install(environment, steps)
        for name in [n for n, x in LIBRARIES.items() if x.environment == environment]:
            record = problem or ask(environment, name, cases)
            if isinstance(record, str):
                failed[name] = record
                print(f"{name}: CANNOT BE RUN: {record}")
                continue
            values = [math.nan if value is None else value for value in record["values"]]
            agreement = compare(name, cases, values)
            done.append((name, record["version"], agreement))
            word = "agrees" if agreement.holds else f"DISAGREES: {agreement.worst}"
            print(f"{name} {record['version']}: {word} ({agreement.compared} cases)")
    for name, why in NOT_RUN.items():
        print(f"{name}: not run: {why}")
    PAGE.write_text(page(done, failed), encoding="utf-8")
    sys.exit(any(not agreement.holds for _, _, agreement in done))


def install(environment: str, steps: list[list[str]]) -> str | None:
    """Create the environment if it does not exist; returns what went wrong, if anything."""
    home = ENVIRONMENTS / environment
    stamp, wanted = home / "installed.json", json.dumps(steps)
    if stamp.exists() and stamp.read_text() == wanted:
        return None
    venv.create(home, with_pip=True, clear=True)
    for step in steps:
        command = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *step]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode:
            return "cannot be installed: " + ended.stderr.strip().splitlines()[-1]
    stamp.write_text(wanted)
    return None


def ask(environment: str, name: str, cases: Any) -> dict[str, Any] | str:
    """What the library prints for the cases; text says what went wrong."""
    python = ENVIRONMENTS / environment / "bin" / "python"
    program = [str(python), str(Path(__file__).with_name("libraries.py")), name]
    ended = subprocess.run(program, input=json.dumps(cases), capture_output=True, text=True)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("record:")]
    if ended.returncode or not lines:
        return (ended.stderr.strip().splitlines() or ["no answer"])[-1]
    record: dict[str, Any] = json.loads(lines[-1].removeprefix("record:"))
    return record


def page(done: list[tuple[str, str, Agreement]], failed: dict[str, str]) -> str:
    """The results as a page of the documentation."""
    lines = [
        "# Dialects tested against the real libraries",
        "",
        "`make test-dialects` runs each library in its own environment on random predictions with "
        "2 to 8 classes and 1 to 30 items, including classes that are empty, only true or only "
        "predicted. It compares the number that the library prints with the dialect's and writes "
        "this page.",
        "",
        "| library | version | dialect | cases | largest difference | allowed |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    for name, version, found in done:
        library = LIBRARIES[name]
        choices = ", ".join(f"{key}={value}" for key, value in library.options.items())
        dialect = f"`{library.dialect}`" + (f" with {choices}" if choices else "")
        lines.append(
            f"| {library.package or name} | {version} | {dialect} | {found.compared} | "
            f"{found.largest:.1g} | {found.tolerance:g} |"
        )
    lines += ["", "Not compared:", ""]
    lines += [
        f"- {name}: cases where {library.why}" for name, library in LIBRARIES.items() if library.why
    ]
    lines += [f"- {name}: {why}" for name, why in failed.items()]
    lines += ["", "Read from the source code, not run:", ""]
    lines += [f"- `{name}`: {why}." for name, why in NOT_RUN.items() if name in wf.dialects]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
