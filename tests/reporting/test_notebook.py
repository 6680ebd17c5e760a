"""Results in a notebook: HTML of their documents, escaped, in the colours of the notebook."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.reporting.notebook import DOCUMENTS, STYLE

TAGS = {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "br", "code",
        "strong", "u", "sup"}  # fmt: skip


def results(label: str) -> dict[str, Any]:
    """A result of each kind, with this label in it."""
    true, guess = [label, "b", "b", "c", label, "c"], [label, "b", label, "c", "b", "c"]
    scores = [0.9, 0.2, 0.6, 0.1, 0.4, 0.3]
    counts = wf.count(true, guess)
    positive = [x == label for x in true]
    comparison = wf.compare(true, {label: guess, f"{label}2": guess[::-1]}, replicates=0)
    frame = pd.DataFrame({"true": true, "pred": guess, "by": true})
    groups = wf.groups(true, guess, "accuracy", by=[label, "x", label, "x", label, "x"])
    return {
        "score": wf.accuracy(counts, interval="auto"),
        "per class": wf.recall.per_class(counts),
        "counts": counts,
        "macro": wf.macro_f1(counts),
        "curve": wf.roc_curve(positive, scores),
        "calibration": wf.calibration_curve(positive, scores),
        "best": wf.best_threshold(wf.rank(positive, scores)),
        "comparison": comparison,
        "ranks": comparison.ranks,
        "slices": wf.count_by(frame, by="by"),
        "dialects": wf.dialects.table(counts),
        "audit": wf.audit(precision=0.62, recall=0.58, f1=0.55),
        "explanation": wf.explain(counts, 0.5),
        "conversion": wf.dialects.convert(counts, source="sklearn", target="keras"),
        "report": wf.report(counts),
        "ranking": wf.rank(positive, scores),
        "prevalence": wf.prevalence_curve(counts, positive=label),
        "groups": groups,
        "disparity": groups.difference,
        "choice": wf.choose("monotone"),
        "study": wf.study(true, pred={label: [guess, true], "other": [guess[::-1], guess]}),
    }  # fmt: skip


class Reader(HTMLParser):
    """The tags and the text of some HTML; each tag must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.attributes: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_kind_of_result_is_tried() -> None:
    kinds = [type(each) for each in results("a").values()]
    assert all(any(issubclass(kind, known) for kind in kinds) for known in DOCUMENTS)


@pytest.mark.parametrize("name", results("a"))
def test_a_result_is_html_that_brings_no_colours(name: str) -> None:
    result = results("<img src=x onerror=alert(1)>")[name]
    read = Reader(result._repr_html_())
    assert {*read.tags} <= TAGS and read.open == []
    assert read.attributes <= {"class", "scope"}
    bundle = result._repr_mimebundle_()
    assert bundle == {"text/plain": repr(result), "text/html": result._repr_html_()}
    assert [*result._repr_mimebundle_(include={"text/html"})] == ["text/html"]
    assert [*result._repr_mimebundle_(exclude={"text/html"})] == ["text/plain"]


def test_the_style_has_no_colour_of_its_own() -> None:
    assert not re.search(r"#[0-9a-f]{3}|rgb|hsl", STYLE)
    assert {*re.findall(r"(?:color|background):([^;}]+)", STYLE)} <= {"inherit", "none"}


@settings(max_examples=40)
@given(st.text(min_size=1))
def test_labels_are_text(label: str) -> None:
    made: list[Callable[[], Any]] = [
        lambda: wf.recall([label, "<b>"], [label, label], positive=label),
        lambda: wf.recall.per_class([label, "<b>"], [label, label]),
        lambda: wf.count([label, "<b>"], [label, label]),
    ]
    for make in made:
        read = Reader(make()._repr_html_())
        assert {*read.tags} <= TAGS and read.open == []


def test_numbers_are_those_of_the_result() -> None:
    counts = wf.count(["a", "b", "b"], ["a", "b", "a"])
    assert re.findall(r"<td>(\d+)</td>", counts._repr_html_()) == ["1", "0", "1", "1"]
    score = wf.accuracy(counts)
    assert f"{score.value:.4f}" in score._repr_html_() and score.signature in score._repr_html_()


def test_long_tables_are_cut_with_a_note() -> None:
    many = wf.recall.per_class(range(500), range(500))
    assert many._repr_html_().count("<tr>") == 61 and "440 more classes" in many._repr_html_()
    wide = wf.count(range(500), range(500))
    assert "cells" in wide._repr_html_() and wide._repr_html_().count("<tr>") == 61
