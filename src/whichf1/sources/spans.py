"""Tagged sentences, or spans with their offsets → SpanCounts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias, get_args

import numpy as np

from whichf1 import kernel
from whichf1.errors import (
    FileError,
    InputError,
    LabelError,
    ShapeError,
    did_you_mean,
    numbered,
    why_unreadable,
)
from whichf1.sources.address import shown_name
from whichf1.sources.request import is_path, one_or_several
from whichf1.sources.sequences import clusters_of, slices_of_arrays, squared, weights_column
from whichf1.tables.cells import Array
from whichf1.tables.label_sets import FN, FP, OUTCOMES, PARTIAL, TP
from whichf1.tables.labels import Labels, shortened
from whichf1.tables.records import dataclass
from whichf1.tables.slices import Slices
from whichf1.tables.spans import SpanCounts
from whichf1.tables.units import refuse_undeclared

Scheme: TypeAlias = Literal["BIO", "IOB1", "BIOES", "BILOU", "offsets"]
Match: TypeAlias = Literal["strict", "exact", "partial", "type"]
Broken: TypeAlias = Literal["raise", "repair", "drop"]
_OUT, _BEGIN, _INSIDE, _END, _SINGLE = range(5)
_PREFIXES: dict[str, dict[str, int]] = {
    "BIO": {"B": _BEGIN, "I": _INSIDE},
    "IOB1": {"B": _BEGIN, "I": _INSIDE},
    "BIOES": {"B": _BEGIN, "I": _INSIDE, "E": _END, "S": _SINGLE},
    "BILOU": {"B": _BEGIN, "I": _INSIDE, "L": _END, "U": _SINGLE},
}
_ALIASES = {"IOB2": "BIO", "IOB": "BIO", "IOBES": "BIOES", "BILUO": "BILOU", "OFFSETS": "offsets"}
ANY_TYPE = "span"
"""The type of all spans if matching ignores types."""
_BOTH = (
    "Pass broken='repair' (--broken repair) to begin a span there, as conlleval and seqeval do, or "
    "broken='drop' (--broken drop) to leave out malformed spans, as seqeval's strict mode does."
)
_TAG = re.compile("O|[BIESLU]-.+")
Where: TypeAlias = Callable[..., str]
"""From a side, a sentence and a token of it, if one is meant, to where they are, in words."""


class Spans(NamedTuple):
    """Spans in the order of the text; positions are numbered across sentences."""

    sentence: Array
    start: Array
    end: Array
    """The position after the last token."""
    type: Array

    def at(self, chosen: Array) -> Spans:
        """Some of the spans."""
        return Spans(*(x[chosen] for x in self))


def spans(
    true: Any,
    pred: Any = None,
    *,
    scheme: Scheme = "BIO",
    match: Match = "strict",
    broken: Broken = "raise",
    nested: bool = False,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
) -> SpanCounts:
    """Count the spans of each type that are found, missed and false in each sentence.

    true (list or path): The tags of each sentence, or its spans as (start, end, type) or mappings
        with these keys, with the end exclusive. Or a CoNLL file, whose last two columns are the
        true and the predicted tags; or a JSONL file of spans, with the keys true and pred.
    pred (list, path or mapping): The predicted tags or spans, or a second file. A mapping holds
        those of several systems, for ``compare``.
    scheme: How tags mark spans, 'BIO' (also called IOB2), 'IOB1', 'BIOES' or 'BILOU'; or 'offsets'.
    match: When a predicted span is right, as in SemEval-2013 Task 9: with the same ends and type
        ('strict'), the same ends ('exact'), the same ends or, for half a hit, an overlap
        ('partial'), or an overlap and the same type ('type').
    broken: How to treat tags such as an I after an O: as an error ('raise'), as the beginning of
        a span, as conlleval does ('repair'), or as outside any span ('drop').
    nested: Whether spans of a sentence may overlap; only strict and exact matching allow this.
    weights (array or str): The weight of each sentence. For a file, the name of a comment before
        each sentence (``# weight = 2``) of a CoNLL file, or a key of each record of a JSONL file.
    cluster (array or str): The cluster of each sentence, such as its document; for a file, also a
        name.
    Returns: How many sentences have the same spans. SpanCounts can be added, saved and scored.
    InputError: If tags are broken, spans overlap, or lengths differ.

    >>> import whichf1 as wf
    >>> true = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
    >>> found = wf.spans(true, [["B-PER", "O", "O"], ["O", "B-LOC"]])
    >>> wf.f1(found, average="micro").value
    0.5
    """
    how = {"scheme": scheme, "match": match, "broken": broken, "nested": nested}
    return _matched(true, pred, how, labels, weights, cluster).table()


def spans_by(
    true: Any,
    pred: Any = None,
    *,
    by: str | Sequence[str] | Mapping[str, Any],
    scheme: Scheme = "BIO",
    match: Match = "strict",
    broken: Broken = "raise",
    nested: bool = False,
    labels: Any = None,
    weights: Any = None,
    cluster: Any = None,
) -> Slices:
    """Count the spans of the sentences of each slice.

    The other parameters are those of :func:`spans`.

    by (str, sequence or mapping): For lists of sentences, a mapping from names to the value of each
        sentence. For a CoNLL file, names of comments such as ``# lang = en`` before a sentence; for
        a JSONL file, keys of its records.
    Returns: A mapping from the values to SpanCounts, all with the same types.
    InputError: As for :func:`spans`, or if a file does not have what ``by`` names.

    >>> import whichf1 as wf
    >>> true, pred = [["B-PER"], ["B-LOC"]], [["B-PER"], ["O"]]
    >>> slices = wf.spans_by(true, pred, by={"lang": ["en", "de"]})
    >>> wf.recall(slices["en"], average="micro").value
    1.0
    """
    how = {"scheme": scheme, "match": match, "broken": broken, "nested": nested}
    matched = _matched(true, pred, how, labels, weights, cluster, by)
    if isinstance(pred, Mapping):
        raise InputError("slices are of one system: give its tags or spans, not a mapping")
    keys, slices = slices_of_arrays(matched.by, len(matched.count))
    parts = {key: matched.at(np.flatnonzero(slices == at)).table() for at, key in enumerate(keys)}
    return Slices.alike(tuple(matched.by), parts, matched.table())


@dataclass(frozen=True)
class Matched:
    """The spans of sentences, matched, and what each sentence counts."""

    labels: Labels
    lines: tuple[Array, ...]
    """Sentence, type and outcome of spans, and how often they occur."""
    count: Array
    facts: dict[str, Any]
    squares: Array | None
    cluster: Array | None
    by: Mapping[str, Any]
    """What makes slices, of each sentence."""

    def at(self, places: Array) -> Matched:
        """Some of the sentences."""
        place = np.full(len(self.count), -1)
        place[places] = np.arange(len(places))
        kept = np.flatnonzero(place[self.lines[0]] >= 0)
        sentence, *rest = (x[kept] for x in self.lines)
        columns = ("count", "squares", "cluster")
        own: dict[str, Any] = {
            x: None if (y := getattr(self, x)) is None else y[places] for x in columns
        }
        return replace(self, lines=(place[sentence], *rest), **own)

    def table(self) -> SpanCounts:
        """How many sentences have the same spans."""
        measures: dict[str, Any] = {"squares": self.squares, "cluster": self.cluster}
        return SpanCounts(self.labels, self.lines, self.count, **measures, **self.facts).observed()


def _matched(
    true: Any,
    pred: Any,
    how: dict[str, Any],
    labels: Any,
    weights: Any,
    cluster: Any,
    by: Any = (),
) -> Matched:
    """The spans of lists or files, matched as is asked."""
    scheme, match, broken, nested = how.values()
    scheme = _chosen("scheme", scheme, get_args(Scheme), _ALIASES)
    match = _chosen("match", match, get_args(Match))
    broken = _chosen("broken", broken, get_args(Broken))
    if not isinstance(nested, bool):
        raise InputError(f"nested is True or False; got {nested!r}")
    if nested and match not in ("strict", "exact"):
        raise InputError(f"nested spans can be matched strictly or exactly, not by match={match!r}")
    where: Where = _in_lists
    if is_path(true):
        read_files = _read_files(true, pred, scheme)
        where = read_files.where
        true, pred, said = read_files.true, read_files.pred, partial(_values_of, read_files, true)
        by = {name: said(name) for name in one_or_several(by, "by") or ()}
        cluster = said(cluster) if isinstance(cluster, str) else cluster
        weights = said(weights, _as_weight) if isinstance(weights, str) else weights
    for name, each in (("weights", weights), ("cluster", cluster)):
        if isinstance(each, str):
            raise InputError(
                f"{name}={each!r} names what a file says of its sentences. For lists of sentences, "
                f"pass the {'weight' if name == 'weights' else name} of each."
            )
    if pred is None:
        raise InputError("pass true and predicted tags, or a file that has both")
    systems = pred if isinstance(pred, Mapping) else {"y_pred": pred}
    if not systems:
        raise InputError("pred= has no system: pass the predictions of at least one")
    read: Callable[..., Any] = partial(_offsets, where=where, nested=nested)
    if scheme != "offsets":
        read = partial(_tagged, where=where, scheme=scheme, broken=broken)
    sides = {"true": true, **{f"pred {name!r}": each for name, each in systems.items()}}
    if not isinstance(pred, Mapping):
        sides = {"true": true, "pred": pred}
    sizes = [_sizes(side, name) for name, side in sides.items()]
    _refuse_lengths([*sides], sizes, where, tags=scheme != "offsets")
    found, types = read(sides, sizes)
    if match in ("exact", "partial"):
        found = [each._replace(type=np.zeros_like(each.type)) for each in found]
        types = [ANY_TYPE]
    names = Labels.sorted(types)
    if labels is not None:
        refuse_undeclared(names, Labels(labels))
        names = Labels(labels)
    code = names.codes(types)
    found = [each._replace(type=code[each.type]) for each in found]
    lines = _lines(found, match, max(1, len(names)))
    items = len(sizes[0])
    count, squares = np.ones(items, np.int64), None
    if weights is not None:
        count = weights_column(weights, items)
        squares = squared(count)
    codes, clusters = (None, None) if cluster is None else clusters_of(cluster, items)
    facts = {
        "declared": labels is not None,
        "decision": f"spans,{scheme},{match}" + ("" if broken == "raise" else f",{broken}"),
        "cluster_names": clusters,
        "systems": tuple(map(str, systems)),
    }
    return Matched(names, lines, count, facts, squares, codes, {} if by is None else by)


def _chosen(name: str, given: Any, known: Sequence[str], other: Mapping[str, str] = {}) -> Any:
    if isinstance(given, str):
        if given in known:
            return given
        upper = given.upper()
        if upper in known or upper in other:
            return upper if upper in known else other[upper]
    words = [*known, *other]
    raise InputError(f"{name} cannot be {given!r}. {did_you_mean(str(given), words)}")


def _length(values: Any) -> int | None:
    """How many values there are; None for a single one, such as an array without dimensions."""
    try:
        return len(values)
    except Exception:  # whatever an object of somebody else raises
        return None


def _sizes(side: Any, name: str) -> Array:
    """How many tags, or spans, each sentence has."""
    if isinstance(side, (str, bytes, dict)) or _length(side) is None:
        raise ShapeError(f"{name} must be a list of sentences; got {type(side).__name__}")
    if {*map(type, side)} == {list}:
        return np.fromiter(map(len, side), np.int64, len(side))
    sizes = []
    for at, sentence in enumerate(side):
        tags = None if isinstance(sentence, (str, bytes, dict)) else _length(sentence)
        if tags is None:
            raise ShapeError(
                f"{name}[{at}] is {shortened(sentence)}: pass a list of the tags, or spans, of "
                "each sentence"
            )
        sizes.append(tags)
    if not sizes:
        raise ShapeError(f"there are no sentences: {name} is empty")
    return np.array(sizes, np.int64)


def _in_lists(side: str, sentence: int, token: int | None = None) -> str:
    """Where a sentence or a token of a list is."""
    return f"{side}, sentence {sentence}" + ("" if token is None else f", token {token}")


def _refuse_lengths(names: list[str], sizes: list[Array], where: Where, *, tags: bool) -> None:
    for name, own in zip(names[1:], sizes[1:], strict=True):
        if len(own) != len(sizes[0]):
            raise ShapeError(
                f"true has {numbered(len(sizes[0]), 'sentence')}, {name} {len(own):,}. Both "
                "must have the "
                f"same ones."
            )
        differ = np.flatnonzero(own != sizes[0])
        if tags and len(differ):
            at = int(differ[0])
            what = f"sentence {at} has {sizes[0][at]} tags in true and {own[at]} in {name}"
            if where is not _in_lists:
                what += f" ({where(names[0], at)}; {where(name, at)})"
            raise ShapeError(f"{what}. Both need a tag for each token.")


# tags


def _tagged(
    sides: Mapping[str, Any], sizes: list[Array], *, where: Where, scheme: str, broken: str
) -> tuple[list[Spans], list[str]]:
    """The spans that tags mark, and their types."""
    flat = [[*chain.from_iterable(side)] for side in sides.values()]
    try:
        codes, tags = kernel.encode(*flat)
    except TypeError:
        raise LabelError("tags must be text, such as B-PER or O") from None
    first = np.cumsum(sizes[0]) - sizes[0]
    sentence = np.repeat(np.arange(len(sizes[0])), sizes[0])

    def place(side: str, token: int) -> str:
        own = int(sentence[token])
        return where(side, own, token - int(first[own]))

    prefix, type_of, types = _parts(tags, scheme, [*sides], codes, place)
    starts = np.zeros(len(sentence), np.bool_)
    starts[first[sizes[0] > 0]] = True
    found = []
    for name, code in zip(sides, codes, strict=True):
        refuse = partial(_refuse_broken, partial(place, name), code, tags, starts)
        parts = (prefix[code], type_of[code], starts, sentence)
        found.append(_marked(*parts, scheme, broken, refuse))
    return found, types


def _parts(
    tags: Sequence[Any],
    scheme: str,
    names: list[str],
    codes: Sequence[Array],
    place: Callable[[str, int], str],
) -> tuple[Array, Array, list[str]]:
    """The prefix and the type of each distinct tag."""
    known = _PREFIXES[scheme]
    types: dict[str, int] = {}
    prefixes, type_codes = [], []
    for at, tag in enumerate(tags):
        mark, _, kind = tag.partition("-") if isinstance(tag, str) else ("", "", "")
        right = isinstance(tag, str) and (tag == "O" or (mark in known and kind))
        if not right:
            side = next(side for side, each in enumerate(codes) if (each == at).any())
            token = int(np.flatnonzero(codes[side] == at)[0])
            marks = ", ".join(f"{x}-TYPE" for x in known)
            raise LabelError(
                f"{place(names[side], token)}: {shortened(tag)} is not a tag of scheme {scheme}. "
                f"Its tags are {marks} and O."
            )
        prefixes.append(_OUT if tag == "O" else known[mark])
        type_codes.append(-1 if tag == "O" else types.setdefault(kind, len(types)))
    return np.array(prefixes, np.int8), np.array(type_codes, np.int32), [*types]


def _marked(
    prefix: Array,
    kind: Array,
    first: Array,
    sentence: Array,
    scheme: str,
    broken: str,
    refuse: Callable[[int, bool], NoReturn],
) -> Spans:
    """The spans that conlleval reads; broken ones are refused, kept or dropped."""
    before, kind_before = np.empty_like(prefix), np.empty_like(kind)
    before[1:], kind_before[1:] = prefix[:-1], kind[:-1]
    before[first], kind_before[first] = _OUT, -1
    inside = prefix != _OUT
    on = (prefix == _INSIDE) | (prefix == _END)
    closed = (before == _OUT) | (before == _END) | (before == _SINGLE)
    start = (prefix == _BEGIN) | (prefix == _SINGLE) | (on & closed)
    start |= inside & (kind != kind_before)
    begins = start if scheme == "IOB1" else start & ~on  # in IOB1 any tag may begin a span
    limits = np.flatnonzero(start | ~inside | first)
    begun = np.flatnonzero(start[limits])
    at, end = limits[begun], np.append(limits, len(prefix))[begun + 1]
    whole = begins[at]
    if scheme in ("BIOES", "BILOU"):
        last = prefix[end - 1]
        alone = prefix[at] == _SINGLE
        whole &= np.where(alone, end - at == 1, last == _END) & (alone | (end - at > 1))
    if broken == "raise" and not whole.all():
        odd = int(np.argmin(whole))
        stray = not begins[at[odd]]
        refuse(int(at[odd]) if stray else int(end[odd]) - 1, stray)
    spans = Spans(sentence[at], at, end, kind[at])
    return spans.at(whole) if broken == "drop" else spans


def _refuse_broken(
    place: Callable[[int], str],
    codes: Array,
    tags: Sequence[str],
    starts: Array,
    token: int,
    closed: bool,
) -> NoReturn:
    tag = tags[int(codes[token])]
    before = "the beginning" if starts[token] else tags[int(codes[token - 1])]
    what = f"{tag} after {before}" if closed else f"the span that {tag} ends is not closed"
    raise LabelError(f"{place(token)}: broken tags, {what}. {_BOTH}")


# offsets


def _offsets(
    sides: Mapping[str, Any], sizes: list[Array], *, where: Where, nested: bool
) -> tuple[list[Spans], list[str]]:
    """Spans from their offsets."""
    types: dict[str, int] = {}
    read: list[list[list[tuple[int, int, int]]]] = []
    for name, side in sides.items():
        sentences = []
        for at, sentence in enumerate(side):
            place = partial(where, name, at)
            own = [_span(each, place, types) for each in sentence]
            own.sort()
            _refuse_overlaps(own, [*types], place, nested)
            sentences.append(own)
        read.append(sentences)
    longest = np.zeros(len(sizes[0]), np.int64)
    for sentences in read:
        for at, own in enumerate(sentences):
            longest[at] = max([longest[at], *(end for _, end, _ in own)])
    first = np.cumsum(longest) - longest
    found = []
    for sentences in read:
        rows = [(at, *each) for at, own in enumerate(sentences) for each in own]
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        base = first[columns[0]]
        found.append(Spans(columns[0], columns[1] + base, columns[2] + base, columns[3]))
    return found, [*types]


def _span(given: Any, place: Callable[[], str], types: dict[str, int]) -> tuple[int, int, int]:
    if isinstance(given, Mapping):
        kind = given.get("type", given.get("label", given.get("entity")))
        given = (given.get("start"), given.get("end"), kind)
    fits = isinstance(given, (list, tuple)) and len(given) == 3 and isinstance(given[2], str)
    if not fits or not all(_is_position(x) for x in given[:2]):
        raise InputError(
            f"{place()}: {shortened(given)} is not a span. Pass (start, end, type), or a mapping "
            "with these keys; the end is exclusive."
        )
    start, end = int(given[0]), int(given[1])
    if start >= end:
        raise InputError(
            f"{place()}: the span {shortened(given)} ends where it begins, or before. The end is "
            "the position after the last token."
        )
    return start, end, types.setdefault(given[2], len(types))


def _is_position(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool) and bool(x >= 0)


def _refuse_overlaps(
    own: list[tuple[int, int, int]], types: list[str], place: Callable[[], str], nested: bool
) -> None:
    for one, two in pairwise(own):
        if one == two or (not nested and two[0] < one[1]):
            a, b = ((x[0], x[1], types[x[2]]) for x in (one, two))
            what = f"{a} appears twice" if one == two else f"{a} and {b} overlap"
            other = "" if one == two else ", or pass nested=True (--nested)"
            raise InputError(f"{place()}: {what}. Drop one{other}.")


# matching


def _lines(found: list[Spans], match: str, types: int) -> tuple[Array, Array, Array, Array]:
    """Sentence, type and outcome of spans, and how often they occur, for each system; sorted."""
    true, *systems = found
    width = types * len(systems)
    parts = []
    for place, guessed in enumerate(systems):
        hit, of_true = _same(true, guessed)
        sides = [(guessed.at(hit), TP)]
        rest, missed = guessed.at(~hit), true.at(~of_true)
        if match in ("partial", "type"):
            a, b = _overlapping(rest, missed, by_type=match == "type")
            sides.append((rest.at(a), PARTIAL if match == "partial" else TP))
            rest, missed = rest.at(~a), missed.at(~b)
        sides += [(rest, FP), (missed, FN)]
        for some, kind in sides:
            label = some.type + place * types
            parts.append((some.sentence * width + label) * OUTCOMES + kind)
    keys = np.sort(np.concatenate(parts), kind="stable")  # quick for parts that are nearly sorted
    at = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    times = np.diff(at, append=len(keys))
    pair, outcome = np.divmod(keys[at], OUTCOMES)
    return *np.divmod(pair, width), outcome, times


def _same(true: Spans, guessed: Spans) -> tuple[Array, Array]:
    """Which spans have the same ends and type: of the predicted ones, and of the true ones."""
    longest = 1 + max(int((x.end - x.start).max(initial=0)) for x in (true, guessed))
    types = 1 + max(int(x.type.max(initial=0)) for x in (true, guessed))
    left, right = ((x.start * longest + x.end - x.start) * types + x.type for x in (true, guessed))
    hit, found = np.zeros(len(right), np.bool_), np.zeros(len(left), np.bool_)
    (first, left), (second, right) = map(_in_order, (left, right))
    # nested spans may have the same ends: the second of them needs a second partner
    place = np.arange(len(right))
    again = np.append(False, right[1:] == right[:-1])[: len(right)]
    at = np.searchsorted(left, right) + place - np.maximum.accumulate(np.where(again, 0, place))
    same = np.append(left, -1)[np.minimum(at, len(left))] == right
    hit[second[same]] = True
    found[first[at[same]]] = True
    return hit, found


def _in_order(keys: Array) -> tuple[Array, Array]:
    """The order of keys, which nearly always are in order, and the keys in it."""
    if (keys[1:] >= keys[:-1]).all():
        return np.arange(len(keys)), keys
    order = np.argsort(keys, kind="stable")
    return order, keys[order]


def _overlapping(guessed: Spans, true: Spans, *, by_type: bool) -> tuple[Array, Array]:
    """Which predicted and which true spans overlap, one with one, as many as possible.

    Spans of one side are in order and do not overlap, so the first that fits is the best.
    """
    a, b = np.zeros(len(guessed.type), np.bool_), np.zeros(len(true.type), np.bool_)
    kinds = np.unique(guessed.type).tolist() if by_type else [None]
    for kind in kinds:
        left = np.arange(len(a)) if kind is None else np.flatnonzero(guessed.type == kind)
        right = np.arange(len(b)) if kind is None else np.flatnonzero(true.type == kind)
        ends = [x.tolist() for x in (guessed.start[left], guessed.end[left])]
        others = [x.tolist() for x in (true.start[right], true.end[right])]
        i = j = 0
        while i < len(left) and j < len(right):
            if ends[1][i] <= others[0][j]:
                i += 1
            elif others[1][j] <= ends[0][i]:
                j += 1
            else:
                a[left[i]] = b[right[j]] = True
                i, j = i + 1, j + 1
    return a, b


# files


class Tagged(NamedTuple):
    """What a file has: the tags or spans of each sentence, and what is said of it."""

    true: list[Any]
    pred: list[Any]
    """Those of its last column; of a file with one side, the same."""
    said: list[Mapping[str, Any]]
    files: Mapping[str, tuple[Any, list[int]]]
    """The path of each side, and the line on which each of its sentences begins."""

    def where(self, side: str, sentence: int, token: int | None = None) -> str:
        """Where a sentence or a token of a file is; a CoNLL file has a token on each line."""
        path, lines = self.files[side]
        return f"{shown_name(path)}, line {lines[sentence] + (token or 0)}, {side}"


def _read_files(true: Any, pred: Any, scheme: str) -> Tagged:
    """The tags or spans of one file with both, or of two files."""
    read = _records if scheme == "offsets" else _columns
    if pred is not None and not is_path(pred):
        raise InputError("pass two paths or two lists, not a mix of both")
    one = read(true, both=pred is None)
    if pred is None:
        return one
    other = read(pred, both=False)
    return one._replace(pred=other.true, files={**one.files, "pred": other.files["pred"]})


def _as_name(value: Any) -> Any:
    """The name of a slice or cluster."""
    if isinstance(value, (list, dict, float)) or value is None:
        raise ValueError("A slice or a cluster has a text, a whole number or a boolean.")
    return value


def _as_weight(value: Any) -> float:
    """The weight of a sentence, which a comment has as text."""
    try:
        return float("" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        raise ValueError("A weight is a number.") from None


def _values_of(
    tagged: Tagged, path: Any, name: str, read: Callable[[Any], Any] = _as_name
) -> list[Any]:
    """What a file says of each sentence under a name."""
    values = []
    for at, each in enumerate(tagged.said):
        if name not in each:
            known = [*dict.fromkeys(key for each in tagged.said for key in each)]
            hint = f" {did_you_mean(name, known)}" if known else ""
            raise FileError(
                f"{shown_name(path)}, sentence {at}: there is no {name!r}. Write it as a comment "
                f"before the sentence (# {name} = …), or as a key of its record.{hint}"
            )
        try:
            values.append(read(each[name]))
        except ValueError as error:
            what = f"{name!r} is {shortened(each[name])}. {error}"
            raise FileError(f"{shown_name(path)}, sentence {at}: {what}") from None
    return values


def _text(path: Any) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        why = why_unreadable(error)
        raise FileError(f"cannot read {shown_name(path)!r}: {why}") from None


def _columns(path: Any, *, both: bool) -> Tagged:
    """The last column of a CoNLL file, or its last two: a token in each line, empty lines between
    sentences, and comments (# name = value) before them.
    """
    true: list[list[str]] = []
    pred: list[list[str]] = []
    said: list[Mapping[str, Any]] = []
    comments: dict[str, str] = {}
    lines: list[int] = []
    open_sentence = False
    for number, line in enumerate(_text(path), 1):
        cells = line.split()
        if not cells or cells[0] == "-DOCSTART-" or _is_comment(cells, 1 + both):
            open_sentence = False
            name, sign, value = line.strip().removeprefix("#").partition("=")
            if sign:
                comments[name.strip()] = value.strip()
            continue
        if len(cells) < 2 + both:
            wanted = "a token, a true tag and a predicted tag" if both else "a token and a tag"
            size = numbered(len(cells), "column")
            raise FileError(
                f"{shown_name(path)}, line {number}: {shortened(line)} has {size}. A line needs at "
                f"least {wanted}, separated by spaces or tabs."
            )
        if not open_sentence:
            true.append([])
            pred.append([])
            said.append(comments)
            lines.append(number)
            open_sentence, comments = True, {}
        true[-1].append(cells[-2] if both else cells[-1])
        pred[-1].append(cells[-1])
    if not true:
        raise FileError(f"{shown_name(path)} has no sentences")
    return Tagged(true, pred, said, dict.fromkeys(("true", "pred"), (path, lines)))


def _is_comment(cells: list[str], tags: int) -> bool:
    """Whether a line is a comment (# name = value), not the token # with its tags."""
    return cells[0] == "#" and (
        "=" in cells[1:3] or len(cells) <= tags or not all(map(_TAG.fullmatch, cells[-tags:]))
    )


def _records(path: Any, *, both: bool) -> Tagged:
    """The spans of a JSONL file: a record with true and pred in each line, or a list of spans."""
    true, pred = [], []
    said: list[Mapping[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(_text(path), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise FileError(
                f"{shown_name(path)}, line {number}: {shortened(line)} is not JSON ({error}). "
                "Spans with offsets are in a JSONL file; for a file of tagged tokens, name their "
                "scheme: scheme='BIO' (--spans BIO)."
            ) from None
        sides = (record.get("true"), record.get("pred")) if isinstance(record, dict) else (record,)
        if len(sides) < 1 + both or not all(isinstance(x, list) for x in sides[: 1 + both]):
            wanted = '{"true": [...], "pred": [...]}' if both else "a list of spans"
            raise FileError(f"{shown_name(path)}, line {number}: {shortened(line)} is not {wanted}")
        true.append(sides[0])
        pred.append(sides[-1])
        said.append(record if isinstance(record, dict) else {})
        lines.append(number)
    if not true:
        raise FileError(f"{shown_name(path)} has no sentences")
    return Tagged(true, pred, said, dict.fromkeys(("true", "pred"), (path, lines)))
