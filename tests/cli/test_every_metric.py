"""A walk over the registry: each metric as a function and as a command, with all that both take.

The data are one file with classes, scores, probabilities, sets of labels, slices, clusters and
weights; Python has the same in arrays.
"""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError
from whichf1.metrics import EVERY
from whichf1.metrics.registry import COUNTED, Metric

ITEMS = 60
LABELS = ("k", "l", "m")
PARENTS = {0: 10, 1: 10, 2: None, 10: None}
COSTS = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]


@cache
def columns() -> dict[str, Any]:
    """The columns of the file."""
    rng = np.random.default_rng(19)
    true = rng.integers(0, 3, ITEMS)
    p = rng.dirichlet(np.ones(3), ITEMS) * 0.5
    p[np.arange(ITEMS), true] += 0.5
    sets = rng.random((2, ITEMS, 3)) < 0.5
    sets[:, :, 0] |= ~sets.any(2)
    scores = rng.random((ITEMS, 3))
    named = [[";".join(x for x, has in zip(LABELS, row, strict=True) if has) for row in side]
             for side in sets]  # fmt: skip
    return {
        "true": true,
        "pred": np.where(rng.random(ITEMS) < 0.7, true, rng.integers(0, 3, ITEMS)),
        "yes": sets[0][:, 0].astype(int),
        "score": 0.5 * scores[:, 0] + 0.3 * sets[0][:, 0] * rng.random(ITEMS),
        **{f"p{at}": p[:, at] for at in range(3)},
        **{x: sets[0][:, at].astype(int) for at, x in enumerate(LABELS)},
        **{f"q_{x}": scores[:, at] for at, x in enumerate(LABELS)},
        "labels": named[0],
        "found": named[1],
        "by": rng.choice(["x", "y"], ITEMS),
        "doc": rng.integers(0, 30, ITEMS),
        "w": rng.integers(1, 9, ITEMS) / 4,
    }


def matrix(*names: str) -> Any:
    return np.column_stack([columns()[name] for name in names])


class Use(NamedTuple):
    """How a metric is called."""

    data: tuple[Any, ...]
    options: dict[str, Any]
    arguments: list[str]


def use(metric: Metric, folder: Path) -> Use:
    """Data that suit the metric, in Python and in the shell."""
    data = columns()
    options: dict[str, Any] = {}
    told: list[str] = []
    if metric.kind == "value":
        return Use((data["score"],), {}, ["-m", "mean_value(of=score)"])
    name = metric.name
    if "costs" in metric.parameters:
        options["costs"] = COSTS
        name = f"{name}(costs={json.dumps(COSTS)})"
    if "parents" in metric.parameters:
        options["parents"] = PARENTS
        lines = [f"{child},{'' if parent is None else parent}" for child, parent in PARENTS.items()]
        (folder / "parents.csv").write_text("\n".join(["class,parent", *lines]))
        told = ["--parents", str(folder / "parents.csv")]
    told += ["-m", name]
    if metric.kind == "rate":
        options["average"], told = "macro", [*told, "--average", "macro"]
    if metric.kind in ("rate", "agreement"):
        pairs = tuple(data[side] for side in ("true", "pred"))
        return Use(pairs, options, [*told, "--true", "true", "--pred", "pred"])
    if metric.kind == "ranking":
        options["positive"] = 1
        told += ["--positive", "1", "--true", "yes", "--score", "score"]
        return Use((data["yes"], data["score"]), options, told)
    if metric.kind == "loss":
        told += ["--true", "true", "--probs", "0=p0,1=p1,2=p2"]
        return Use((data["true"], matrix("p0", "p1", "p2")), options, told)
    if metric.kind == "items":
        sets = tuple([set(cell.split(";")) for cell in data[x]] for x in ("labels", "found"))
        return Use(sets, options, [*told, "--true=labels", "--pred=found", "--labels-sep", ";"])
    options["labels"] = LABELS
    probs = ",".join(f"{x}=q_{x}" for x in LABELS)
    both = (matrix(*LABELS), matrix(*(f"q_{x}" for x in LABELS)))
    return Use(both, options, [*told, "--true", ",".join(LABELS), "--probs", probs])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / "items.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns())
        writer.writerows(zip(*columns().values(), strict=True))
    return path


@pytest.mark.parametrize("name", EVERY)
def test_a_name_gives_its_score_signature_and_definition(name: str, tmp_path: Path) -> None:
    metric, scorer = EVERY[name], getattr(wf, name)
    data, options, _ = use(metric, tmp_path)
    score = scorer(*data, **options)
    assert np.isfinite(score.value)
    again = Definition.parse(score.signature)
    assert again == score.definition and again.signature == score.definition.signature
    record = json.loads(json.dumps(score.to_dict()))
    assert record["value"] == score.value and record["signature"] == score.signature
    code, shown, said = invoke("define", name)
    assert code == 0, said
    assert metric.summary.split(".")[0][:40] in " ".join(shown.split())
    assert metric.tex and metric.tex.count("{") == metric.tex.count("}")
    if metric.kind in COUNTED and not {"costs", "parents"} & {*metric.parameters}:
        assert all(each.holds or each.before is not None for each in wf.properties(name).values())
    if metric.kind == "rate":
        several = scorer.per_class(*data)
        assert float(np.mean(several.array)) == pytest.approx(score.value, rel=1e-12)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.thinned(3)
def test_a_command_gives_what_the_function_gives(name: str, file: Path) -> None:
    """With slices, weights, clusters and an interval, where the score has them."""
    metric = EVERY[name]
    data, options, told = use(metric, file.parent)
    if not (metric.whole or name == "debiased_calibration_error"):
        options, told = {**options, "weights": columns()["w"]}, [*told, "--weights", "w"]
    options, told = {**options, "cluster": columns()["doc"]}, [*told, "--cluster", "doc"]
    try:
        score = getattr(wf, name)(*data, **options, interval="auto")
        told += ["--interval", "auto"]
    except DefinitionError as error:
        assert "no interval is known" in str(error)
        score = getattr(wf, name)(*data, **options)
        told += ["--interval", "none"]
    code, shown, said = invoke("score", file, *told, "--by", "by", "-f", "json")
    assert code == 0, said
    (row,) = json.loads(shown)["metrics"]
    whole = row["whole"]
    assert whole["value"] == pytest.approx(score.value, rel=1e-12, abs=1e-15)
    assert (whole.get("interval") is None) == (score.interval is None)
    if score.interval is not None:
        ends = (whole["interval"]["low"], whole["interval"]["high"])
        assert ends == pytest.approx((score.interval.low, score.interval.high), rel=1e-9, abs=1e-12)
    assert [*re.findall(r"v:\d+", whole["signature"])] == ["v:1"]
    parts = {each["slice"]["by"]: each["value"] for each in row["slices"]}
    assert {*parts} == {"x", "y"}
    for key, value in parts.items():
        here = np.flatnonzero(columns()["by"] == key)
        some = [x[here] if isinstance(x, np.ndarray) else [x[at] for at in here] for x in data]
        own = {k: v[here] if k in ("weights", "cluster") else v for k, v in options.items()}
        expected = getattr(wf, name)(*some, **own).value
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-15)
