"""Blocks of a results table: each slice is compared as it would be alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from whichf1.comparison.significance import ADJUSTMENTS
from whichf1.errors import InputError

SYSTEMS = ["new", "old", "weak"]


def items(n: int = 240, seed: int = 5) -> pd.DataFrame:
    """Predictions, scores and sets of labels in three slices, of which one lacks a class."""
    rng = np.random.default_rng(seed)
    slices = np.array(["de", "en", "日本"])[np.arange(n) % 3]
    gold = np.where(slices == "de", rng.integers(0, 3, n), rng.integers(0, 4, n))
    names = np.array(["bird", "cat", "dog", "fish"])
    frame = pd.DataFrame({"lang": slices, "half": np.arange(n) % 2, "gold": names[gold]})
    for system, right in zip(SYSTEMS, (0.85, 0.7, 0.5), strict=True):
        wrong = rng.integers(0, 3, n)  # never a fish, so that a slice lacks it altogether
        frame[system] = names[np.where(rng.random(n) < right, gold, wrong)]
        frame[f"{system}_score"] = np.round(rng.normal(gold == 1, 2 - right), 2)
        frame[f"{system}_tags"] = frame[system].where(frame[system] != "dog", "dog;cat")
    frame["spam"] = np.where(gold == 1, "spam", "ham")
    return frame.assign(tags=frame["gold"].where(frame["gold"] != "dog", "dog;cat"))


KINDS: dict[str, dict[str, Any]] = {
    "classes": {"metrics": ["averaged_f1", "accuracy"], "true": "gold", "suffix": ""},
    "scores": {"metrics": ["roc_auc"], "true": "spam", "suffix": "_score", "positive": "spam"},
    "sets": {"metrics": ["micro_f1", "subset_accuracy"], "true": "tags", "suffix": "_tags",
             "sep": ";"},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adjust", ["holm", "fdr", "none"])
def test_a_block_is_what_its_slice_gives_alone(kind: str, adjust: Any) -> None:
    how = dict(KINDS[kind])
    metrics, suffix, frame = how.pop("metrics"), how.pop("suffix"), items()
    systems = [f"{name}{suffix}" for name in SYSTEMS]
    options = {"baseline": systems[1], "adjust": adjust, **how}
    found = wf.results_table(frame, systems, metrics, by="lang", **options)
    assert [*found.slices] == [("de",), ("en",), ("日本",)] and found.empty == ()
    whole = wf.results_table(frame, systems, metrics, **options)
    assert found.results == whole.results  # slices do not change what is said of all items
    p_values: dict[str, list[float | None]] = {metric: [] for metric in metrics}
    adjusted: dict[str, list[float | None]] = {metric: [] for metric in metrics}
    for (name,), block in found.slices.items():
        alone = wf.results_table(frame[frame["lang"] == name], systems, metrics, **options)
        for system in systems:
            for metric in metrics:
                mine, other = block[system][metric], alone.results[system][metric]
                assert mine.score == pytest.approx(other.score, rel=1e-12)
                assert mine.score.classes == other.score.classes
                assert (mine.p_value is None) == (system == systems[1])
                assert mine.p_value == (other.p_value and pytest.approx(other.p_value, rel=1e-9))
                assert (mine.rank, mine.test_caution) == (other.rank, other.test_caution)
                p_values[metric].append(mine.p_value)
                adjusted[metric].append(mine.p_adjusted)
                assert mine.significant == (mine.p_adjusted is not None and mine.p_adjusted < 0.05)
    for metric in metrics:  # one family over all slices
        assert adjusted[metric] == ADJUSTMENTS[adjust](p_values[metric])


def test_files_and_frames_give_the_same_blocks(tmp_path: Path) -> None:
    frame = items()
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    texts = {
        wf.results_table(data, SYSTEMS, ["mcc"], by=["lang", "half"], true="gold").to_csv()
        for data in (frame, pl.from_pandas(frame), tmp_path / "x.csv", tmp_path / "x.parquet")
    }
    assert len(texts) == 1 and len(texts.pop().splitlines()) == 1 + 7 * 3


def test_frames_of_blocks() -> None:
    found = wf.results_table(items(), SYSTEMS, ["mcc"], by=["lang", "half"], true="gold")
    frame, polars = found.to_pandas(), found.to_polars()
    assert frame.index.names == ["lang", "half", "system"] and len(frame) == 7 * 3
    assert frame.loc[("en", "1", "old"), "mcc"] == found.slices["en", 1]["old"]["mcc"].score
    assert polars["mcc"].to_list() == frame["mcc"].tolist()
    assert polars.columns == ["lang", "half", "system", "mcc"]


def test_a_slice_without_anything_to_compare_is_named(run: Run, tmp_path: Path) -> None:
    frame = items(60)
    frame.loc[frame["lang"] == "de", "spam"] = "ham"  # no ranking of one class
    frame.to_csv(tmp_path / "x.csv", index=False)
    words = "--true spam --pred new_score --pred old_score -m roc_auc --positive spam --by lang"
    command = ("compare", tmp_path / "x.csv", *words.split())
    code, out, err = run(*command)
    assert (code, err) == (0, "") and "Nothing to compare in: de." in out
    assert json.loads(run(*command, "-f", "json")[1])["nothing_to_score_in"] == ["de"]
    with pytest.raises(InputError, match="by= names columns of a dataframe or file"):
        wf.results_table([0, 1], {"A": [0, 1], "B": [1, 1]}, ["accuracy"], by="lang")


def test_every_format_has_the_blocks(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    items().to_csv(path, index=False)
    command = ("compare", path, "--true", "gold", "--pred", "new", "--pred", "old", "-m",
               "averaged_f1", "-m", "error_rate", "--by", "lang", "--show", "interval")  # fmt: skip
    heads = ("all: 240 items", "de: 80 items", "en: 80 items")
    seen = {x: run(*command, "-f", x)[1] for x in ("text", "markdown", "latex", "html")}
    for format, out in seen.items():
        at = [out.index(head) for head in heads]
        assert at == sorted(at) and out.count("80 items") == 3, format
    lines = seen["text"].splitlines()
    assert lines[lines.index("de: 80 items") - 1] == ""
    assert "| *en: 80 items* |  |  |" in seen["markdown"]
    assert seen["html"].count('scope="rowgroup" colspan="3"') == 4
    assert seen["html"].count("<tbody>") == seen["html"].count("</tbody>") == 4
    # the definition, the test and the number of items in one sentence
    sentence = (
        "Error rate is the fraction of items predicted incorrectly; on 240 items, tested by "
        "McNemar's mid-p test; intervals by the auto method."
    )
    assert sentence in seen["markdown"] and sentence.replace("'", "&#39;") in seen["html"]
    assert "averaged F1 ↑" in seen["text"]
    assert "averaged F1 ↑" not in run(*command, "--no-arrows")[1]


def test_cautions_of_tests_are_told_of_all_items_and_counted_in_slices() -> None:
    frame = items(60)
    found = wf.results_table(frame, SYSTEMS, ["averaged_f1"], true="gold", by="lang")
    tested = [row["averaged_f1"] for block in found.slices.values() for row in block.values()]
    doubtful = sum(x.test_caution is not None for x in tested)
    text = " ".join(str(found).split())
    assert 0 < doubtful <= 6
    assert f"In the slices, {doubtful} of 6 tests may not keep their level" in text
    for row in found.results.values():
        caution = row["averaged_f1"].test_caution
        assert caution is None or f"Caution (averaged F1): {caution}." in text
