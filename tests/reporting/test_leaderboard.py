"""The results table and the report: what is marked, what is refused, and every format."""

from __future__ import annotations

import csv
import importlib
import io
import json
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.comparison.significance import holm
from whichf1.errors import DefinitionError, InputError

SYSTEMS = ("examples/systems.csv", ["careful", "biased", "weak"])
METRICS = ["averaged_f1", "accuracy", "mcc", "error_rate"]
COMPARE = ("compare", SYSTEMS[0], "--true", "gold",
           *(word for name in SYSTEMS[1] for word in ("--pred", name)))  # fmt: skip


def table(metrics: Any = METRICS, **more: Any) -> wf.ResultsTable:
    return wf.results_table(*SYSTEMS, metrics, true="gold", **more)


def test_results_are_those_of_compare_adjusted_for_one_column() -> None:
    found = table(baseline="weak")
    for metric in METRICS:
        alone = wf.compare(*SYSTEMS, metric, true="gold", replicates=0)
        pairs = [pair for pair in alone.pairs if "weak" in (pair.a, pair.b)]
        adjusted = holm([pair.p_value for pair in pairs])
        for pair, p in zip(pairs, adjusted, strict=True):
            result = found.results[pair.a if pair.b == "weak" else pair.b][metric]
            assert result.p_value == pair.p_value and result.p_adjusted == p
            assert result.significant == (p is not None and p < 0.05)
            assert abs(result.difference or 0) == pytest.approx(abs(pair.difference))
        own = found.results["weak"][metric]
        assert (own.difference, own.p_value, own.significant) == (None, None, False)
        assert [found.results[name][metric].score for name in alone.scores] == [
            *alone.scores.values()
        ]


def test_best_and_second_follow_the_direction_and_share_places() -> None:
    found = table().results
    assert [found[x]["error_rate"].rank for x in SYSTEMS[1]] == ["best", "second", ""]
    truth, one = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 0]
    tied = wf.results_table(truth, {"a": one, "b": one, "c": truth, "d": [2] * 6}, ["accuracy"])
    ranks = {name: row["accuracy"].rank for name, row in tied.results.items()}
    assert ranks == {"a": "second", "b": "second", "c": "best", "d": ""}
    assert tied.baseline is None and tied.results["c"]["accuracy"].p_value is None


def test_every_format_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    found = table(baseline="weak", show="error", percent=True)
    text, markdown = str(found), found.to_markdown()
    assert (
        "careful" in text
        and "76.7¹ ± 4.9" in text
        and "accuracy ↑" in text
        and "error rate ↓" in text
    )
    assert "| **76.7 ± 4.9** |" in markdown and "<u>75.0 ± 5.0</u>" in markdown
    assert "† differs from weak at the 5 % level by a paired test" in " ".join(text.split())
    latex = found.to_latex()
    assert latex.isascii() and r"\textbf{76.7 $\pm$ 4.9}" in latex
    assert "\n% accuracy: accuracy|interval:" in latex and "fraction of items" in latex
    rows = [*csv.DictReader(io.StringIO(found.to_csv()))]
    assert len(rows) == 12 and rows[1]["metric"] == "accuracy"
    assert float(rows[1]["value"]) == found.results["careful"]["accuracy"].score
    record = found.to_dict()
    assert json.loads(found.to_json()) == record
    assert record["systems"]["careful"]["accuracy"]["rank"] == "best"
    frame, polars = found.to_pandas(), found.to_polars()
    assert list(frame.columns) == METRICS and list(frame.index) == SYSTEMS[1]
    assert polars["system"].to_list() == SYSTEMS[1]
    np.testing.assert_array_equal(frame.to_numpy(), polars.drop("system").to_numpy())
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)  # type: ignore[method-assign]
    parser.feed(found._repr_html_())
    assert tags.count("tr") == 4 and tags.count("strong") == 4


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"baseline": "A"}, InputError, "baseline 'A' is not one of the systems"),
        ({"metrics": ["accuracy", "accuracy"]}, DefinitionError, "named twice"),
        (
            {"metrics": ["averaged_f1", "f1|avg:macro|classes:observed"]},
            DefinitionError,
            "name each metric once",
        ),
        ({"metrics": []}, DefinitionError, "must be a list"),
        ({"metrics": "accuracy"}, DefinitionError, "must be a list"),
        ({"metrics": ["accuracy", "roc_auc"]}, DefinitionError, "make a table of each"),
        ({"average": "micro"}, DefinitionError, "average= does not apply"),
        ({"show": "all"}, InputError, "show must be"),
        ({"adjust": "bonferroni"}, DefinitionError, "adjust must be"),
    ],
)
def test_what_makes_no_table_is_refused(wrong: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        table(**wrong)


def test_the_command_reads_the_file_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    command: Any = importlib.import_module("whichf1.cli.compare")
    reads: list[object] = []
    read = command.read_systems

    def counted(*arguments: Any, **options: Any) -> Any:
        reads.append(arguments)
        return read(*arguments, **options)

    monkeypatch.setattr(command, "read_systems", counted)
    code, out, err = run(*COMPARE, "-m", "averaged_f1", "-m", "accuracy", "-m", "mcc")
    assert (code, err, len(reads)) == (0, "", 1)
    assert "averaged F1 ↑" in out and "MCC ↑" in out
    for format in ("json", "csv", "markdown", "latex", "html"):
        code, out, _ = run(*COMPARE, "-m", "accuracy", "--baseline", "weak", "-f", format)
        assert code == 0 and "careful" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("-m", "accuracy", "-m", "mcc", "--baseline", "A"),
            "not one of the systems. Known: careful",
        ),
        (("-m", "accuracy", "-m", "accuracy"), "named twice"),
        (("--percent",), "--percent is for a table"),
        (("--show", "error"), "--show is for a table"),
        (("-m", "accuracy", "-m", "mcc", "--margin", "0.1"), "--margin does not apply to a table"),
    ],
)
def test_the_command_refuses_clearly(run: Run, options: tuple[str, ...], message: str) -> None:
    code, out, err = run(*COMPARE, *options)
    assert (code, out) == (2, "") and message in err


def test_a_report_is_what_the_command_prints(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = wf.report("examples/animals.csv")
    for format, text in {
        "text": str(found) + "\n",
        "json": found.to_json(),
        "markdown": found.to_markdown(),
        "latex": found.to_latex(),
        "html": found.to_html(),
        "csv": found.to_csv(),
    }.items():
        assert run("score", "examples/animals.csv", "-f", format, COLUMNS="80")[1] == text, format
    assert json.loads(found.to_json()) == found.to_dict()
    frame, polars = found.to_pandas(), found.to_polars()
    assert frame["value"].tolist() == polars["value"].to_list()
    assert frame["value"].dtype == "float64" and len(frame) == 9 + 12
    assert "<th scope=" in found._repr_html_()
    assert {name: score.value for name, score in found.scores}["accuracy"] == 0.715


def test_a_report_takes_metrics_counts_and_options() -> None:
    true, predicted = ["a", "b", "b"], ["a", "b", "a"]
    counts = wf.count(true, predicted)
    found = wf.report(counts, metrics=["macro F1", "f1"], interval=None)
    assert [name for name, _ in found.scores] == ["averaged_f1", "f1_of_averages"]
    assert found.per_class[0][1]["a"] == wf.f1(counts, positive="a")
    undefined = wf.report([0, 1], [0, 0], ["precision"], undefined="nan", interval=None)
    assert np.isnan(undefined.to_pandas()["value"]).tolist() == [False, True]
    with pytest.raises(DefinitionError, match="average= needs metrics"):
        wf.report(counts, average="macro")
    with pytest.raises(DefinitionError, match="formula= does not apply"):
        wf.report(counts, metrics=["accuracy"], formula="averaged")
    with pytest.raises(InputError, match="which class do high scores stand for"):
        wf.report("examples/spam.csv", score="score")
