"""Hierarchies: scores of classes in a tree or DAG, which give partial credit for a near miss.

A class stands for itself and all its ancestors. The root, which all classes share, does not count.
A set of labels stands for all that its labels stand for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from whichf1.errors import DefinitionError, did_you_mean_label
from whichf1.metrics.registry import Names, Ratio, Tree, agreement
from whichf1.tables.cells import Array, Margins
from whichf1.tables.labels import Label, Labels

Parents: TypeAlias = Annotated[
    Tree | None,
    "The parent of each class, or a list of its parents; None for a class at the top. By default, "
    "no class has a parent.",
]
FEW_CLASSES = 1 << 11
"""Up to this many classes, what all pairs share is computed once."""
_BLOCK = 1 << 14
"""Pairs processed at a time."""


@agreement(
    tex=r"\frac{\sum_{ij}|A_i\cap A_j|\,C_{ij}}{\sum_{ij}|A_j|\,C_{ij}}",
    aliases=("h_precision",),
    of_ancestors="precision",
)
def hierarchical_precision(m: Margins, parents: Parents = None, labels: Names = None) -> Ratio:
    """Fraction of predicted classes and their ancestors that are correct (Kiritchenko 2006)."""
    shared, _, predicted = _sums(m, parents, labels)
    return shared, predicted


@agreement(
    tex=r"\frac{\sum_{ij}|A_i\cap A_j|\,C_{ij}}{\sum_{ij}|A_i|\,C_{ij}}",
    aliases=("h_recall",),
    of_ancestors="recall",
)
def hierarchical_recall(m: Margins, parents: Parents = None, labels: Names = None) -> Ratio:
    """Fraction of true classes and their ancestors that are predicted (Kiritchenko 2006)."""
    shared, true, _ = _sums(m, parents, labels)
    return shared, true


@agreement(
    tex=r"\frac{2\sum_{ij}|A_i\cap A_j|\,C_{ij}}{\sum_{ij}\left(|A_i|+|A_j|\right)C_{ij}}",
    title="hierarchical F1",
    aliases=("h_f1",),
    of_ancestors="f1",
)
def hierarchical_f1(m: Margins, parents: Parents = None, labels: Names = None) -> Ratio:
    """Harmonic mean of hierarchical precision and recall (Kiritchenko 2006)."""
    shared, true, predicted = _sums(m, parents, labels)
    return 2 * shared, true + predicted


def _sums(m: Margins, parents: Tree | None, labels: Labels | None) -> tuple[Array, Array, Array]:
    """Σ |A_i ∩ A_j| C_ij, and the same for the true and for the predicted classes alone."""
    if parents is None:
        return m.tp.sum(-1), m.total, m.total
    names = labels or Labels.trusted(range(m.tp.shape[-1]))
    cells, size = m.cells, _sizes(parents, names)
    values, true, predicted = cells.values, cells.true, cells.predicted
    if len(names) <= FEW_CLASSES:
        shared = _common(parents, names)[true, predicted]
    else:
        shared = _shared(parents, names, true, predicted)
    return (
        (values * shared).sum(-1),
        (values * size[true]).sum(-1),
        (values * size[predicted]).sum(-1),
    )


@lru_cache(maxsize=16)
def _sizes(parents: Tree, labels: Labels) -> Array:
    """How many classes each class stands for."""
    return np.bincount(ancestors(parents, labels).label, minlength=len(labels))


@lru_cache(maxsize=16)
def _common(parents: Tree, labels: Labels) -> Array:
    """How many classes each pair shares, for all pairs of few classes."""
    lines = ancestors(parents, labels)
    member = np.zeros((len(labels), len(lines.nodes)), np.float32)  # exact up to 2**24
    member[lines.label, lines.node] = 1
    common: Array = (member @ member.T).astype(np.int64)
    common.setflags(write=False)
    return common


def _shared(parents: Tree, labels: Labels, true: Array, predicted: Array) -> Array:
    """How many classes these pairs share, with all ancestors but the root.

    What the true class stands for is looked up among what the predicted one does.
    """
    lines = ancestors(parents, labels)
    size, nodes = _sizes(parents, labels), len(lines.nodes)
    start, known = np.cumsum(size) - size, lines.label * nodes + lines.node
    shared = np.zeros(len(true), np.int64)
    for first in range(0, len(true) if len(known) else 0, _BLOCK):
        block = slice(first, first + _BLOCK)
        times = size[true[block]]
        pair = np.repeat(np.arange(len(times)), times)
        within = np.arange(len(pair)) - np.repeat(np.cumsum(times) - times, times)
        node = lines.node[start[true[block]][pair] + within]
        asked = predicted[block][pair] * nodes + node
        place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        shared[block] = np.bincount(pair[known[place] == asked], minlength=len(times))
    return shared


class Ancestors(NamedTuple):
    """What classes stand for: a line for each class and one of these nodes."""

    label: Array
    """The code of the class; classes are in order."""
    node: Array
    nodes: Labels
    """The classes of the hierarchy, without a single root."""


@lru_cache(maxsize=16)
def ancestors(parents: Tree | None, labels: Labels) -> Ancestors:
    """Every class with itself and its ancestors."""
    if parents is None:
        itself = np.arange(len(labels))
        return Ancestors(itself, itself, labels)
    above: dict[Label, tuple[Label, ...]] = dict(parents)
    if labels and labels.kind != Labels.trusted(above).kind:
        label, node = labels[0], next(iter(above))
        raise DefinitionError(
            f"the classes are {labels.kind}, such as {label!r}, and those of parents= are not, "
            f"such as {node!r}. Use one type."
        )
    tops = [node for node, direct in above.items() if not direct]
    root = tops[0] if len(tops) == 1 else None
    nodes = [node for node in above if len(tops) > 1 or node != root]
    place = {node: at for at, node in enumerate(nodes)}
    lines: list[tuple[int, int]] = []
    for row, label in enumerate(labels):
        if label not in above:
            hint = did_you_mean_label(label, [*above][:50])
            raise DefinitionError(
                f"class {label!r} is not in the hierarchy. Add it to parents=, with None if it has "
                f"no parent. {hint}"
            )
        reached, waiting = set(), [label]
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting += above[node]
        lines += sorted((row, place[node]) for node in reached if node in place)
    rows, columns = np.array(lines, np.intp).reshape(-1, 2).T
    return Ancestors(rows, columns, Labels.trusted(nodes))
