"""``whichf1 count``, ``merge`` and ``score`` of what was saved: parts of a file are the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.commands import Run

SPAM = ("examples/spam.csv", "--true", "gold", "--score", "score", "--positive", "spam")
PROBS = ("examples/animal_probabilities.csv", "--true", "gold", "--probs", "bird,cat,dog")
TOPICS = ("examples/topics.csv", "--true", "gold", "--pred", "pred", "--labels-sep", ";")
CAREFUL = ("examples/systems.csv", "--true", "gold", "--pred", "careful")
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "counts": (CAREFUL, (), ()),
    "counts in clusters": ((*CAREFUL, "--cluster", "document"), (), ()),
    "ranking": (SPAM, (), ()),
    "ranking with a threshold": (SPAM, (), ("--threshold", "0.5")),
    "decided": ((*SPAM, "--threshold", "0.5"), (), ("-m", "f1")),
    "log loss": (PROBS, (), ("-m", "log_loss", "--interval", "delta")),
    "brier": (PROBS, ("-m", "brier"), ("-m", "brier", "--interval", "delta")),
    "top k": (
        PROBS,
        ("-m", "top_k_accuracy(k=2)"),
        ("-m", "top_k_accuracy(k=2)", "--interval", "delta"),
    ),
    "most probable": (PROBS, ("-m", "accuracy"), ("-m", "accuracy", "-m", "averaged_f1")),
    "label sets": (TOPICS, (), ()),
    "slices": ((*CAREFUL, "--by", "half"), (), ()),
    "slices of rankings": ((*SPAM, "--by", "half"), (), ()),
    "slices of label sets": ((*TOPICS, "--by", "half"), (), ()),
    "slices of losses": ((*PROBS, "--by", "half"), (), ("-m", "log_loss", "--interval", "delta")),
}


def numbers(out: str) -> Any:
    """A report in JSON without the name of its file and the facts that only a file has."""
    record = json.loads(out)
    return {key: value for key, value in record.items() if key not in ("source", "confusion")}


def close(a: Any, b: Any) -> bool:
    """Whether two records are the same, numbers to 1e-9: sums of losses are rounded."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, float):
        return bool(a == pytest.approx(b, rel=1e-9, nan_ok=True))
    return bool(a == b)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.thinned(3)
def test_parts_counted_saved_and_merged_score_as_the_file(
    kind: str, run: Run, tmp_path: Path
) -> None:
    (file, *columns), counted, scored = KINDS[kind]
    head, *lines = Path(file).read_text().splitlines()
    rows = [f"{line},{'ab'[at % 2]}" for at, line in enumerate(lines)]
    whole = tmp_path / "whole.csv"
    whole.write_text("\n".join([f"{head},half", *rows]) + "\n")
    saved = []
    for part in range(3):
        path = tmp_path / f"{part}.csv"
        path.write_text("\n".join([f"{head},half", *rows[part::3]]) + "\n")
        saved.append(str(tmp_path / f"{part}.json"))
        assert run("count", path, *columns, *counted, "-o", saved[-1]) == (0, "", "")
    code, text, err = run("merge", *saved[::-1])
    assert (code, err) == (0, "")
    named = ("--positive", "spam") if kind == "decided" else ()
    code, found, err = run("score", "-", *scored, *named, "-f", "json", given=text.encode())
    assert (code, err) == (0, "")
    code, expected, err = run("score", whole, *columns, *scored, "-f", "json")
    assert (code, err) == (0, "")
    assert close(numbers(found), numbers(expected))
    assert run("count", saved[0])[1].rstrip() == Path(saved[0]).read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("count", *SPAM, "--cluster", "gold"), "a ranking has no clusters"),
        (("count", *PROBS, "--weights", "cat"), "over single items: remove --weights"),
        (("count", *PROBS, "-m", "roc_auc"), "is not a mean over items"),
        (("count", *CAREFUL, "-m", "brier"), "--metric needs --probs"),
        (("count", *CAREFUL, "--positive", "dog"), "--positive needs --score"),
        (("count", *CAREFUL, "--threshold", "0.5"), "--threshold applies to scores"),
        (("count", *SPAM, "--probs", "a,b"), "are mutually exclusive"),
        (("count", *SPAM, "--frequencies", "score"), "frequencies must be whole numbers"),
        (("count", *CAREFUL, "--by", ","), "--by takes names of columns"),
        (("score", "{ranking}", "--by", "gold"), "saved ranking have no columns: remove --by"),
        (("score", "{ranking}", "--score", "score"), "remove --score"),
        (("score", "{ranking}", "--labels", "ham,spam"), "remove --labels"),
        (("score", "{ranking}", "--positive", "ham"), "these scores are for class 'spam'"),
        (("score", "{ranking}", "-m", "f1"), "f1 needs predictions"),
        (("score", "{ranking}", "--average", "macro"), "takes no --average"),
        (("score", "{moments}", "-m", "accuracy"), "these are sums of log_loss, not of accuracy"),
        (("score", "{moments}", "-m", "brier"), "moments of log_loss"),
        (("score", "{moments}", "--threshold", "0.5"), "remove --threshold"),
        (("merge", "{moments}", "{ranking}"), "one holds moments, the other ranking"),
    ],
)  # fmt: skip
@pytest.mark.thinned(3)
def test_what_cannot_be_counted_merged_or_scored(
    arguments: tuple[str, ...], says: str, run: Run, tmp_path: Path
) -> None:
    saved = {"ranking": tmp_path / "r.json", "moments": tmp_path / "m.json"}
    assert run("count", *SPAM, "-o", saved["ranking"])[0] == 0
    assert run("count", *PROBS, "-o", saved["moments"])[0] == 0
    code, out, err = run(*(text.format(**saved) for text in arguments))
    assert (code, out) == (2, "") and says in err


def test_a_saved_ranking_of_several_classes_or_weights_scores_what_it_can(
    run: Run, tmp_path: Path
) -> None:
    rows = [f"{'abc'[at % 3]},{at % 7 / 7},{1 + at % 2}" for at in range(60)]
    (tmp_path / "x.csv").write_text("\n".join(["true,score,w", *rows]))
    for options in ((), ("--weights", "w")):
        columns = ("--score", "score", "--positive", "a", *options)
        saved = tmp_path / "r.json"
        assert run("count", tmp_path / "x.csv", *columns, "-o", saved)[0] == 0
        found = json.loads(run("score", saved, "-f", "json")[1])["scores"]
        expected = json.loads(run("score", tmp_path / "x.csv", *columns, "-f", "json")[1])["scores"]
        assert [x["value"] for x in found] == [x["value"] for x in expected]
        assert [x["id"] for x in found] == [x["id"] for x in expected] and len(found) == 3
        code, _, err = run("score", saved, "-m", "log_loss")
        assert code == 2 and "needs the items" in err
