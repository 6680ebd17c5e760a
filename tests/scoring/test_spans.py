"""Spans: what conlleval, seqeval and nervaluate count, sentences as units, and bad input."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from tests.helpers.commands import invoke
from whichf1.errors import DefinitionError, FileError, InputError, MergeError
from whichf1.scoring.evaluate import _frozen, _sample, _statistic

TYPES = ["LOC", "ORG", "PER"]
RATES = ("precision", "recall", "f1")


def sentence(rng: random.Random, size: int, marks: str) -> list[str]:
    """Any tags, in any order."""
    return [
        "O" if rng.random() < 0.4 else f"{rng.choice(marks)}-{rng.choice(TYPES)}"
        for _ in range(size)
    ]


def well_formed(rng: random.Random, size: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < size:
        if rng.random() < 0.3:
            tags.append("O")
        else:
            kind = rng.choice(TYPES)
            tags += [f"B-{kind}"] + [f"I-{kind}"] * rng.randint(0, 3)
    return tags[:size]


def text(seed: int, marks: str | None) -> tuple[list[list[str]], list[list[str]]]:
    """True and predicted tags of some sentences, about half of which are alike."""
    rng = random.Random(seed)
    sizes = [rng.randint(1, 9) for _ in range(rng.randint(1, 8))]
    draw: Any = (lambda n: sentence(rng, n, marks)) if marks else (lambda n: well_formed(rng, n))
    true = [draw(n) for n in sizes]
    return true, [draw(len(x)) if rng.random() < 0.5 else [*x] for x in true]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(
    ("scheme", "marks", "broken"),
    [
        ("BIO", "BI", "repair"),
        ("BIO", "BI", "drop"),
        ("BIOES", "BIES", "repair"),
        ("BIOES", "BIES", "drop"),
        ("BILOU", "BILU", "drop"),
    ],
)
def test_scores_are_those_of_seqeval(scheme: Any, marks: str, broken: Any, seed: int) -> None:
    """Its default reads tags as conlleval does; its strict mode drops what is not well formed."""
    from seqeval import metrics
    from seqeval.scheme import BILOU, IOB2, IOBES

    true, pred = text(seed, marks)
    spans = wf.spans(true, pred, scheme=scheme, broken=broken)
    known = {"BIO": IOB2, "BIOES": IOBES, "BILOU": BILOU}
    strict = {"mode": "strict", "scheme": known[scheme]} if broken == "drop" else {}
    if not spans.labels:
        return
    for average in ("micro", "macro", "weighted"):
        for rate in RATES:
            theirs = getattr(metrics, f"{rate}_score")
            expected = theirs(true, pred, average=average, zero_division=0, **strict)
            found = wf.score(spans, rate, average=average)
            assert found == pytest.approx(expected, abs=1e-12), (rate, average)


@pytest.mark.parametrize("seed", range(60))
def test_matching_is_that_of_semeval(seed: int) -> None:
    """As nervaluate counts it; of overlapping types it may miss matches, which it never gains."""
    from nervaluate import Evaluator

    true, pred = text(seed, None)
    theirs = Evaluator(true, pred, tags=TYPES, loader="list").evaluate()["overall"]
    names: dict[Any, str] = {"strict": "strict", "exact": "exact", "partial": "partial"}
    for match, name in {**names, "type": "ent_type"}.items():
        spans = wf.spans(
            true, pred, match=match, labels=TYPES if match in ("strict", "type") else None
        )
        if not spans.labels:
            continue
        for rate in RATES:
            found = wf.score(spans, rate, average="micro").value
            expected = getattr(theirs[name], rate)
            if match == "type":
                assert found >= expected - 1e-12
            else:
                assert found == pytest.approx(expected), (match, rate)


def spans_of(tags: list[str]) -> set[tuple[int, int, str]]:
    """The spans of well formed BIO tags, token by token."""
    found, start = set(), None
    for at, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I"):
            found.add((start, at, tags[start][2:]))
            start = None
        if tag.startswith("B"):
            start = at
    return found


@settings(max_examples=80)
@given(st.integers(0, 10**6))
def test_every_score_is_its_exact_value(seed: int) -> None:
    true, pred = text(seed, None)
    pairs = [(spans_of(a), spans_of(b)) for a, b in zip(true, pred, strict=True)]
    spans = wf.spans(true, pred, labels=TYPES)
    exact = []
    for kind in TYPES:
        own = [({x for x in a if x[2] == kind}, {x for x in b if x[2] == kind}) for a, b in pairs]
        hits = sum(len(a & b) for a, b in own)
        given, found = (sum(len(sides[at]) for sides in own) for at in (0, 1))
        exact.append(Fraction(2 * hits, given + found) if given + found else Fraction(0))
        if given:
            assert wf.recall(spans, positive=kind) == pytest.approx(hits / given)
    assert wf.averaged_f1(spans) == pytest.approx(float(sum(exact) / 3))
    offsets = [[sorted(side) for side in sides] for sides in zip(*pairs, strict=True)]
    again = wf.spans(*offsets, scheme="offsets", labels=TYPES)
    assert again == spans.changed(decision="spans,offsets,strict")
    as_mappings = [
        [[{"start": a, "end": b, "label": c} for a, b, c in x] for x in side] for side in offsets
    ]
    assert wf.spans(*as_mappings, scheme="offsets", labels=TYPES) == again


def test_a_partial_match_is_half_a_hit() -> None:
    true = [["B-PER", "I-PER", "O", "B-LOC"]]
    pred = [["B-PER", "O", "O", "B-ORG"]]
    partial = wf.spans(true, pred, match="partial")
    assert [*partial.labels] == ["span"]
    assert wf.precision(partial, positive="span") == 0.75
    assert wf.f1(wf.spans(true, pred, match="exact"), average="micro") == 0.5
    by_type = wf.spans(true, pred, match="type")
    assert wf.recall.per_class(by_type)["PER"] == 1
    assert wf.recall.per_class(by_type)["LOC"] == 0
    assert wf.f1(wf.spans(true, pred), average="micro") == 0


def test_sentences_are_the_units() -> None:
    """Each sentence twice is half as sure as twice as many sentences, and merging loses nothing."""
    true, pred = map(list, zip(*[text(seed, None) for seed in range(30)], strict=True))
    true, pred = [x for part in true for x in part], [x for part in pred for x in part]
    spans = wf.spans(true, pred)
    halves = [wf.spans(x[:50], y[:50]) + wf.spans(x[50:], y[50:]) for x, y in [(true, pred)]]
    assert halves[0] == spans
    assert wf.SpanCounts.from_json(spans.to_json()) == spans
    for match in ("strict", "partial"):
        for metric in ("averaged_f1", "f1_of_averages", "micro_f1", "macro_recall"):
            definition = wf.Definition.parse(metric)
            frozen = _frozen(definition, wf.spans(true, pred, match=match))
            statistic, count = _statistic(definition, frozen), _sample(frozen).count
            steps = 1e-5 * np.eye(len(count))
            numeric = (statistic.values(count + steps) - statistic.values(count - steps))[:, 0]
            assert statistic.slope(count) == pytest.approx(numeric / 2e-5, abs=1e-7)
    tied = wf.spans([x + x for x in true], [x + x for x in pred], broken="repair")
    more = wf.spans(true + true, pred + pred)
    widths = [
        x.interval.high - x.interval.low
        for x in (wf.micro_f1(each, interval="delta") for each in (tied, more))
        if x.interval is not None
    ]
    assert widths[0] > 1.2 * widths[1]
    by_document = wf.spans(true, pred, cluster=[at // 5 for at in range(len(true))])
    assert by_document.clusters == -(-len(true) // 5)


def test_systems_are_compared() -> None:
    true, pred = text(3, None)
    other = [["O"] * len(x) for x in true]
    spans = wf.spans(true, {"a": pred, "b": other})
    comparison = wf.compare(spans, ["a", "b"], "micro_f1", replicates=199)
    assert comparison.scores["a"].value == wf.micro_f1(wf.spans(true, pred)).value
    assert comparison.scores["b"].value == 0
    with pytest.raises(InputError, match="for the systems"):
        wf.compare(spans, ["a", "c"], "micro_f1")


def test_signatures_say_how_spans_were_read() -> None:
    spans = wf.spans([["I-PER", "O"]], [["B-PER", "O"]], broken="repair")
    score = wf.micro_f1(spans)
    assert score == 1
    assert score.signature.endswith('|decision:"spans,BIO,strict,repair"')
    assert wf.Definition.parse(score.signature)(spans) == score
    with pytest.raises(MergeError, match="decided differently"):
        spans + wf.spans([["B-PER", "O"]], [["B-PER", "O"]])


CONLL = "Ada NNP B-PER B-PER\nLovelace NNP I-PER O\n\n-DOCSTART- O O O\n\nRome NNP B-LOC B-LOC\n"


def test_files_and_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text(CONLL)
    true, pred = [["B-PER", "I-PER"], ["B-LOC"]], [["B-PER", "O"], ["B-LOC"]]
    assert wf.spans(path) == wf.spans(true, pred)
    for name, tags in (("gold", true), ("pred", pred)):
        lines = ["\n".join(f"x\t{tag}" for tag in each) for each in tags]
        (tmp_path / name).write_text("\n\n".join(lines))
    assert wf.spans(tmp_path / "gold", tmp_path / "pred") == wf.spans(true, pred)
    code, out, err = invoke("score", str(path), "--spans", "BIO", "-m", "micro_f1", "-f", "csv")
    assert (code, err) == (0, "")
    assert ",0.5," in out
    records = tmp_path / "x.jsonl"
    records.write_text('{"true": [[0, 2, "PER"]], "pred": [[0, 1, "PER"]]}\n')
    offsets = wf.spans(records, scheme="offsets", match="type")
    assert wf.f1(offsets, positive="PER") == 1
    saved = tmp_path / "spans.json"
    assert invoke("count", str(path), "--spans", "BIO", "-o", str(saved))[0] == 0
    assert wf.SpanCounts.load(saved) == wf.spans(path)
    code, out, _ = invoke(
        "score", "examples/entities.conll", "--spans", "bio", "--match", "partial"
    )
    assert "40 sentences, 1 type" in out
    code, _, err = invoke("score", str(path), "--match", "partial")
    assert code == 2
    assert "--match applies to spans" in err


BIO = [["B-PER", "O"]]
BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: wf.spans([["O", "I-PER"]], [["O", "O"]]), InputError,
     "true, sentence 0, token 1: broken tags, I-PER after O. Pass broken='repair'"),
    (lambda: wf.spans(BIO, [["B-PER", "I-LOC"]]), InputError,
     "pred, sentence 0, token 1: broken tags, I-LOC after B-PER"),
    (lambda: wf.spans([["B-PER", "O"]], BIO, scheme="BIOES"), InputError,
     "token 0: broken tags, the span that B-PER ends is not closed"),
    (lambda: wf.spans([["X-PER", "O"]], BIO), InputError,
     "token 0: 'X-PER' is not a tag of scheme BIO"),
    (lambda: wf.spans([["B-", "O"]], BIO), InputError, "'B-' is not a tag"),
    (lambda: wf.spans([[3, "O"]], BIO), InputError, "3 is not a tag"),
    (lambda: wf.spans(BIO, BIO + BIO), InputError, "true has 1 sentence, pred 2"),
    (lambda: wf.spans(BIO, [["O"]]), InputError, "sentence 0 has 2 tags in true and 1 in pred"),
    (lambda: wf.spans(["O"], ["O"]), InputError, r"true\[0\] is 'O': pass a list of the tags"),
    (lambda: wf.spans([], []), InputError, "there are no sentences"),
    (lambda: wf.spans(BIO), InputError, "pass true and predicted tags"),
    (lambda: wf.spans(BIO, BIO, scheme="BOI"), InputError, "scheme cannot be 'BOI'"),  # type: ignore[arg-type]
    (lambda: wf.spans(BIO, BIO, match="x"), InputError, "match cannot be 'x'"),  # type: ignore[arg-type]
    (lambda: wf.spans([[(0, 2, "A"), (1, 3, "B")]], [[]], scheme="offsets"), InputError,
     r"true, sentence 0: \(0, 2, 'A'\) and \(1, 3, 'B'\) overlap"),
    (lambda: wf.spans([[(0, 2, "A"), (0, 2, "A")]], [[]], scheme="offsets", nested=True),
     InputError, "appears twice"),
    (lambda: wf.spans([[(2, 2, "A")]], [[]], scheme="offsets"), InputError, "ends where it begins"),
    (lambda: wf.spans([[(2, "A")]], [[]], scheme="offsets"), InputError, "is not a span"),
    (lambda: wf.spans([[]], [[]], scheme="offsets", match="type", nested=True), InputError,
     "nested spans can be matched strictly or exactly"),
    (lambda: wf.spans("nowhere.conll"), FileError, "cannot read 'nowhere.conll'"),
    (lambda: wf.specificity(wf.spans(BIO, BIO), positive="PER"), DefinitionError, "do not have"),
    (lambda: wf.hamming_loss(wf.spans(BIO, BIO)), DefinitionError, "do not have"),
    (lambda: wf.spans([[(False, True, "A")]], [[]], scheme="offsets"), InputError, "is not a span"),
    (lambda: wf.accuracy(wf.spans(BIO, BIO)), DefinitionError, "but sentences have spans"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[each[2] for each in BAD])
def test_bad_input_says_what_and_where(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def nested_spans(rng: random.Random) -> list[list[tuple[int, int, str]]]:
    """Spans that may overlap, or have the same ends and different types, in any order."""
    ends = [(0, 1), (0, 2), (1, 2), (1, 4), (2, 4)]
    every = [(*each, kind) for each in ends for kind in "CAB"]
    return [rng.sample(every, rng.randint(1, 6)) for _ in range(3)]


@settings(max_examples=150)
@given(st.integers(0, 10**6))
def test_nested_spans_are_matched_one_with_one(seed: int) -> None:
    """Two spans with the same ends need two partners, also if types are ignored."""
    rng = random.Random(seed)
    true, pred = nested_spans(rng), nested_spans(rng)
    for match, kept in (("strict", 3), ("exact", 2)):
        own: Any = [[Counter(x[:kept] for x in each) for each in side] for side in (true, pred)]
        hits = sum((a & b).total() for a, b in zip(*own, strict=True))
        spans = wf.spans(true, pred, scheme="offsets", nested=True, match=match)  # type: ignore[arg-type]
        assert wf.recall(spans, average="micro") == pytest.approx(hits / sum(map(len, true)))
        assert wf.precision(spans, average="micro") == pytest.approx(hits / sum(map(len, pred)))


def test_nested_spans_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"true": [[0, 5, "ORG"], [0, 2, "LOC"]], "pred": [[0, 5, "ORG"]]}\n')
    asked = ("score", str(path), "--spans", "offsets", "-m", "micro_f1", "-f", "csv")
    code, _, err = invoke(*asked)
    assert code == 2
    assert f"{path.name}, line 1, true: (0, 2, 'LOC') and (0, 5, 'ORG') overlap" in err
    assert "--nested" in err
    code, out, _ = invoke(*asked, "--nested")
    assert code == 0
    assert ",0.666" in out


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_a_broken_tag_is_found_on_its_line(seed: int) -> None:
    """Whatever comments, documents and empty lines are before it, and if a token is a #."""
    rng = random.Random(seed)
    lines: list[str] = []
    places: list[tuple[int, int]] = []
    sentences = [well_formed(rng, rng.randint(1, 5)) for _ in range(rng.randint(1, 6))]
    for at, tags in enumerate(sentences):
        before = rng.choice([[], [""], [f"# id = B-{at}"], ["# no name", "", "-DOCSTART- O O", ""]])
        lines += before
        for token, tag in enumerate(tags):
            places.append((at, token))
            lines.append(f"{rng.choice(['a', '#', 'b#', '-'])}\t{tag}\t{tag}")
        lines.append("")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.conll"
        path.write_text("\n".join(lines), encoding="utf-8")
        assert wf.spans(path, labels=TYPES) == wf.spans(sentences, sentences, labels=TYPES)
        chosen = rng.randrange(len(places))
        at = [number for number, line in enumerate(lines) if "\t" in line][chosen]
        lines[at] = lines[at].rsplit("\t", 1)[0] + "\tI-MISC"
        path.write_text("\n".join(lines), encoding="utf-8")
        where = rf"x\.conll, line {at + 1}, pred: broken tags, I-MISC"
        with pytest.raises(InputError, match=where):
            wf.spans(path)
        other = Path(folder) / "other"
        other.write_text("\n".join(lines[:at] + lines[at + 1 :]), encoding="utf-8")
        with pytest.raises(InputError, match="sentence"):
            wf.spans(path, other)


@pytest.mark.parametrize("scheme", ["BIO", "offsets"])
def test_standard_input(scheme: str) -> None:
    text = {"BIO": "a B-X B-X\nb I-X O\n", "offsets": '{"true": [[0, 2, "X"]], "pred": []}\n'}
    asked = ("score", "-", "--spans", scheme, "-m", "micro_f1", "-f", "csv")
    code, out, _ = invoke(*asked, given=text[scheme].encode())
    assert code == 0 and ",0.0," in out
    code, _, err = invoke(*asked, given=b"a\n")
    assert code == 2 and "standard input, line 1: 'a' " in err


def test_unusual_characters_do_not_end_a_line(tmp_path: Path) -> None:
    """JSON may contain line separators of Unicode, and a token may be one."""
    path = tmp_path / "x.jsonl"
    record = '{"text": "a\u2028b\u0085c", "true": [[0, 1, "A"]], "pred": [[0, 1, "A"]]}'
    path.write_text(f"{record}\r\n{record}\n", encoding="utf-8")
    assert wf.spans(path, scheme="offsets").n == 2
