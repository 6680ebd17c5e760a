"""Explain: which definitions reproduce a published number on these predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from whichf1.definitions.contrast import because, departures
from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, InputError, WhichF1Error
from whichf1.published.candidates import Block, search
from whichf1.published.dialects import SAME, Dialects
from whichf1.published.number import Published, Scale, read_published
from whichf1.published.presets import dialects
from whichf1.scoring.batches import batch_means
from whichf1.scoring.evaluate import run
from whichf1.scoring.score import Score
from whichf1.sources.count import as_counts
from whichf1.sources.sequences import to_numpy
from whichf1.tables.counts import Counts

NEAREST = 5
MOST_OTHERS = 300
"""Definitions named for one value."""
BATCHES = tuple(2**power for power in range(1, 11))
"""Sizes of batches tried where the items are given in their order."""
MOST_ITEMS = 50_000
MOST_CELLS = 2_000_000
"""Batches are tried up to so many items, and up to so many batches times classes."""


@dataclass(frozen=True)
class Match:
    """A value near the published one, with the simplest definition that gives it."""

    score: Score
    others: tuple[Definition, ...]
    """Other definitions with the same value on these predictions, the simplest first."""
    dialects: tuple[str, ...]
    """The libraries that would print it."""

    @property
    def value(self) -> float:
        """The value in full."""
        return self.score.value

    @property
    def signature(self) -> str:
        """What it is, in the simplest case."""
        return self.score.signature

    @property
    def definition(self) -> Definition:
        """The simplest definition."""
        return self.score.definition

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """All definitions that give the value, the simplest first."""
        return (self.definition, *self.others)

    @property
    def why(self) -> str:
        """How the simplest definition departs from the usual macro F1, in a sentence."""
        return because(self.definition)


@dataclass(frozen=True)
class Explanation:
    """What a published number can be."""

    published: Published
    matches: tuple[Match, ...]
    """Definitions within rounding, the simplest first; empty if there is none."""
    nearest: tuple[Match, ...]
    """Where nothing matches, the nearest values."""
    searched: int
    """Definitions tried."""
    n: int | float

    def __bool__(self) -> bool:
        return bool(self.matches)


class _Found(NamedTuple):
    """A value and how to get its definition, which is made only if it is shown."""

    cost: int
    value: float
    definition: Callable[[], Definition]


def explain(
    y_true: Any,
    *rest: Any,
    decimals: int | None = None,
    scale: Scale | None = None,
    labels: Any = None,
) -> Explanation:
    """Find the definitions that give a reported number: ``explain(counts, 0.354, decimals=3)``.

    Parameters
    ----------
    y_true : Counts or array
        The counts, or the true class of each item.
    *rest : array, number or str
        The predicted class of each item, unless ``y_true`` are Counts, then the reported number.
        With predictions, means over batches are tried too, because the order of items is known.
    decimals : int, optional
        How many decimals were reported. By default, as many as the number is written with.
    scale : 'unit' | 'percent', optional
        Whether the number is a fraction or a percentage. By default, it is detected.
    labels : sequence, optional
        The classes and their order.

    Returns
    -------
    Explanation
        The definitions that match, each with its value and its signature.

    Raises
    ------
    InputError
        If the number or the data are malformed.

    Examples
    --------
    >>> import whichf1 as wf
    >>> counts = wf.Counts.from_matrix([[5, 10], [5, 10]], rows="predicted")
    >>> explain(counts, 0.5, decimals=2).matches[0].score.definition.formula
    'of-averages'
    """
    if not 1 <= len(rest) <= 2:
        raise DefinitionError("give explain(counts, value) or explain(y_true, y_pred, value)")
    *pred, value = rest
    published = read_published(value, decimals, scale)
    y_pred = pred[0] if pred else None
    counts = as_counts(y_true, y_pred, labels=labels)
    if not isinstance(counts, Counts):
        raise InputError("explain takes items of one class each; these have sets of labels")
    blocks = list(search(counts))
    known = [*_presets(dialects, counts), *_batches(y_true, y_pred, counts)]
    searched = sum(int(np.isfinite(block.values).sum()) for block in blocks) + len(known)
    within = _select(blocks, known, published.low, published.high)
    matches = _matches(within, counts, published)
    near = () if matches else _nearest(blocks, known, counts, published)
    return Explanation(published, matches, near, searched, counts.n)


def _presets(presets: Dialects, counts: Counts) -> Iterator[_Found]:
    """Every dialect's own definition: epsilons, which the search leaves out, among them."""
    for dialect in presets.values():
        try:
            definition = dialect.definition_for(counts.labels)
            yield _found(definition, run(definition, counts).value)
        except WhichF1Error:
            continue  # it does not apply to these data


def _batches(y_true: Any, y_pred: Any, counts: Counts) -> Iterator[_Found]:
    """Means over batches, where the items are known in their order."""
    if y_pred is None or counts.n > MOST_ITEMS:
        return
    usual = Definition(metric="f1", average="macro")
    true, pred = (counts.labels.codes(to_numpy(side).tolist()) for side in (y_true, y_pred))
    for size in BATCHES:
        if size < counts.n and counts.n / size * len(counts.labels) <= MOST_CELLS:
            for chosen, value in batch_means(true, pred, size, len(counts.labels)):
                yield _found(replace(usual, batch=size, **chosen), value)


def _found(definition: Definition, value: float) -> _Found:
    return _Found(len(departures(definition)), value, lambda: definition)


def _select(blocks: list[Block], known: list[_Found], low: float, high: float) -> list[_Found]:
    """All that lies in [low, high], the simplest first."""
    found = [each for each in known if low <= each.value <= high]
    found += [
        _Found(block.cost(at), float(block.values[at]), partial(block.definition, at))
        for block in blocks
        for at in np.flatnonzero((block.values >= low) & (block.values <= high)).tolist()
    ]
    return sorted(found, key=lambda each: each.cost)


def _matches(found: list[_Found], counts: Counts, published: Published) -> tuple[Match, ...]:
    """Definitions of equal value together, in the order of their simplest."""
    same = min(SAME, (published.high - published.low) / 20)
    groups: list[list[int]] = []
    for at in sorted(range(len(found)), key=lambda at: found[at].value):
        if not groups or found[at].value - found[groups[-1][0]].value > same:
            groups.append([])
        groups[-1].append(at)
    names = _names(counts)
    ordered = sorted(sorted(group) for group in groups)
    return tuple(_match([found[at] for at in group], counts, names) for group in ordered)


def _names(counts: Counts) -> dict[Definition, list[str]]:
    """The dialects of each definition."""
    names: dict[Definition, list[str]] = {}
    for name, dialect in dialects.items():
        if not dialect.two_only or len(counts.labels) == 2:
            names.setdefault(dialect.definition_for(counts.labels), []).append(name)
    return names


def _match(group: list[_Found], counts: Counts, names: dict[Definition, list[str]]) -> Match:
    definitions = list(dict.fromkeys(each.definition() for each in group[:MOST_OTHERS]))
    simplest, *others = definitions
    if simplest.batch is None:
        score = run(simplest, counts)
    else:
        score = Score(group[0].value, simplest, counts.n, counts.labels)
    named = [name for each in definitions for name in names.get(each, [])]
    return Match(score, tuple(others), tuple(named))


def _nearest(
    blocks: list[Block], known: list[_Found], counts: Counts, published: Published
) -> tuple[Match, ...]:
    """The nearest distinct values, the nearest first."""
    values = np.concatenate([*(block.values for block in blocks), [x.value for x in known]])
    distance = np.unique(np.abs(values[np.isfinite(values)] - published.value).round(9))
    if not len(distance):
        return ()
    reach = distance[min(NEAREST, len(distance)) - 1] + 1e-9
    low, high = published.value - reach, published.value + reach
    matches = _matches(_select(blocks, known, low, high), counts, published)
    return tuple(sorted(matches, key=lambda m: abs(m.value - published.value)))[:NEAREST]
