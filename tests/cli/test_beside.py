"""What every command prints beside a number, in every format: cautions, effective n, tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.comparison.significance import Pair
from whichf1.errors import IntervalWarning

FORMATS = ("text", "markdown", "latex", "html", "csv", "json")
SENTENCE = re.compile(r"[a-z0-9 ]{3,60}: the interval may be too narrow")
COMMANDS = {
    "score": "score FILE --pred a",
    "classes": "score FILE --pred a -m positive_likelihood_ratio",
    "slices": "score FILE --pred a --by lang",
    "scores": "score FILE --score p --positive 1",
    "slices of scores": "score FILE --score p --positive 1 --by lang",
    "probabilities": "score FILE --probs 0=q,1=p",
    "compare": "compare FILE --pred a --pred b --replicates 99",
    "compare scores": "compare FILE --pred p --pred r --positive 1 -m roc_auc --replicates 99",
    "results": "compare FILE --pred a --pred b -m averaged_f1 -m mcc --show interval",
    "results, errors": "compare FILE --pred a --pred b -m averaged_f1 -m mcc --show error",
    "threshold": "threshold FILE --score p --positive 1 --metric averaged_f1",
}
"""Every command that prints scores, on items of which one class has few."""


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty items, four of them of class 1; weights, frequencies, clusters and slices."""
    path = tmp_path_factory.mktemp("few") / "few.csv"
    lines = ["true,a,b,p,q,r,lang,w"]
    for at in range(40):
        true = int(at % 10 == 0)
        a, b = (true if at % k else 1 - true for k in (7, 5))
        p = round(0.2 + 0.5 * a + 0.005 * at, 3)
        facts = (p, round(1 - p, 3), round(0.3 + 0.4 * b, 3), "en" if at % 2 else "de", at % 3 + 1)
        lines.append(",".join(map(str, (true, a, b, *facts))))
    path.write_text("\n".join(lines) + "\n")
    return path


def printed(run: Run, few: Path, command: str, *more: str) -> str:
    """What a command prints."""
    words = [str(few) if word == "FILE" else word for word in command.split()]
    code, out, err = run(*words, "--true", "true", *more)
    assert code == 0, err
    return " ".join(out.replace(r"\allowbreak{}", "").split())


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.thinned(5)
def test_a_caution_is_printed_by_every_command_in_every_format(
    run: Run, few: Path, command: str, format: str
) -> None:
    more = ["--correct", "cross-validation"] if command.startswith("threshold") else []
    out = printed(run, few, command, "-f", format, *more)
    said = {text.strip() for text in SENTENCE.findall(out)}
    assert said and all(len(text) < 80 for text in said)
    if format in ("text", "markdown", "html", "latex"):
        assert out.count("the interval may be too narrow") == len(said)  # each is said once
        assert re.search(r"(\]|\)|\d)!|! the|! there|! class", out)


@pytest.mark.parametrize("format", ["text", "html", "json"])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.thinned(4)
def test_the_effective_n_is_shown_wherever_weights_are_used(
    run: Run, few: Path, command: str, format: str
) -> None:
    weights = [at % 3 + 1 for at in range(40)]
    worth = sum(weights) ** 2 / sum(w * w for w in weights)
    out = printed(run, few, command, "-f", format, "--weights", "w")
    assert "effective_n" in out if format == "json" else "effective" in out
    assert f"{worth:.4g}"[:-1] in out
    if format == "text":
        plain = printed(run, few, command)
        assert "effective" not in plain


def test_a_score_prints_its_caution_and_its_effective_n() -> None:
    true, weights = [0] * 30 + [1] * 4, [1.0, 3.0] * 17
    score = wf.averaged_f1(true, [*true[1:], 0], weights=weights, interval="auto")
    assert score.interval is not None and score.interval.caution is not None
    assert score.effective_n == pytest.approx(68**2 / (17 * 10))
    for text in (str(score), repr(score)):
        assert score.interval.caution in text and "effective n 27.2" in text
    html = score._repr_html_()
    assert (
        score.interval.caution in html and "The effective number of weighted items is 27.2" in html
    )
    assert score.to_dict()["effective_n"] == score.effective_n
    each = wf.recall.per_class(true, true, weights=weights)
    assert each[1].effective_n == score.effective_n
    plain = wf.averaged_f1(true, true)
    assert plain.effective_n is None and "effective" not in str(plain) + str(plain.to_dict())


def test_rankings_keep_the_effective_n_when_they_are_added() -> None:
    true, scores, weights = [0, 1, 1, 0], [0.1, 0.4, 0.4, 0.9], [1.0, 2.0, 0.5, 1.5]
    ranking = wf.rank(true, scores, weights=weights)
    assert ranking.effective_n == pytest.approx(25 / 7.5)
    one, two = (wf.rank(true[x], scores[x], weights=weights[x]) for x in (slice(2), slice(2, 4)))
    assert (one + two).effective_n == ranking.effective_n
    assert wf.roc_auc(ranking).effective_n == ranking.effective_n
    for average in ("ovr", "ovo"):  # from the classes' own rankings, in which an item is often
        both = [[1 - s, s] for s in scores]
        mean = wf.roc_auc(true, both, average="macro", multi_class=average, weights=weights)
        assert mean.effective_n == pytest.approx(25 / 7.5)
    assert wf.rank(true, scores).effective_n == 4


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", "roc_auc", "ks"])
@pytest.mark.thinned(5)
def test_every_printed_p_says_its_method(run: Run, few: Path, metric: str, format: str) -> None:
    systems = ["p", "r"] if metric in ("roc_auc", "ks") else ["a", "b"]
    words = {"t": "Student's t", "McNemar": "McNemar's", "randomization": "randomization test"}
    files = ["--pred", systems[0], "--pred", systems[1], "--positive", "1"]
    files = files if metric in ("roc_auc", "ks") else files[:4]
    out = printed(run, few, "compare FILE --replicates 99", "-m", metric, "-f", format, *files)
    drawn = ["--replicates", "99"] if metric == "ks" else []  # the others are not resampled
    table = printed(
        run, few, "compare FILE", "-m", metric, "-f", format, *files, *drawn,
        "--baseline", systems[0],
    )  # fmt: skip
    more: Any = {"positive": 1} if metric in ("roc_auc", "ks") else {}
    (pair,) = wf.compare(str(few), systems, metric, true="true", replicates=99, **more).pairs
    assert isinstance(pair, Pair) and pair.test is not None
    out = out.replace("&#39;", "'").replace(r"\textquotesingle{}", "'")
    if format == "json":
        assert f'"test": "{pair.test}"' in out and f'"test": "{pair.test}"' in table
    elif format == "csv":
        assert f"test,{systems[0]},{systems[1]},{pair.test}" in out
        assert f",{pair.test}," in table
    else:
        assert words[pair.test] in out and f"paired test ({pair.test})" in table


def test_counts_without_squared_weights_say_why_they_have_no_interval(
    run: Run, tmp_path: Path
) -> None:
    weighted = wf.count([0, 1, 1], [0, 1, 0], weights=[1, 2, 0.5])
    saved = json.loads(weighted.to_json())
    for field in ("kind", "checksum", "squares"):  # as files saved before have none
        del saved[field]
    (tmp_path / "c.json").write_text(json.dumps(saved))
    code, out, _ = run("score", str(tmp_path / "c.json"))
    assert code == 0 and "not the sums of their squares" in " ".join(out.split())
    counts = wf.Counts.from_json(json.dumps(saved))
    ways: list[Callable[..., Any]] = [wf.averaged_f1, wf.recall.per_class, wf.macro_f1]
    for way, method in product(ways, ("auto", "delta", wf.Bootstrap(replicates=99))):
        with pytest.warns(IntervalWarning, match="not the sums of their squares") as caught:
            way(counts, interval=method)
        assert {warning.filename for warning in caught} == {__file__}
        assert way(counts) is not None  # without an interval nothing is missing
