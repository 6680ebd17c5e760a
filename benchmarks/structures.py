"""Ratings, spans, hierarchies, rankings of labels, points and areas of rankings, costs, losses and
rates: how often their intervals cover.

Run from the root: ``python -m benchmarks.structures [KIND …] [--sets N] [--seed N] [--method M]``
simulates the kinds (all of them by default) by all methods or one, writes their rows of
``structures.csv``, and then the tables of the docs; ``… tables`` writes only these. Cases that the
file has with this seed and number of data sets are kept, so a run that was stopped goes on. The
true value of a score is that of very many items.

Raters give the true category of an item with some probability, and otherwise one by its share.
Sentences differ in how hard they are, so that the spans of a sentence are alike. Errors in a
hierarchy are near or anywhere. Scores of labels are normal around whether the item has the label.
Probabilities are right, or exaggerated. Errors between classes are anywhere.
"""

from __future__ import annotations

import argparse
import csv
import re
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

import whichf1 as wf
from whichf1.errors import WhichF1Error
from whichf1.tables.cells import Array

HERE = Path(__file__).parent
FILE = HERE / "structures.csv"
DOCS = HERE.parent / "docs"
DATA_SETS = 1000
SEED = 72064
"""Used to choose no rule but that a bootstrap of a score with a bend has a caution."""
REPLICATES = 199
ENOUGH = 200
"""Intervals without a caution that a cell must have for its coverage to be shown."""
METHODS = ("auto", "delta", "bootstrap")


class Case(Protocol):
    """A way to draw data, and what is computed from them."""

    kind: ClassVar[str]
    page: ClassVar[str]
    sizes: ClassVar[tuple[int, ...]]
    methods: ClassVar[tuple[str, ...]]
    scores: ClassVar[dict[str, dict[str, Any]]]
    seldom: ClassVar[dict[str, int]]
    """Methods and scores that are tried on every so-many-th data set, because they take long."""
    many: ClassVar[int]
    """Items of the data set that the true value is computed from."""

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        """What the score functions take."""


@dataclass(frozen=True)
class Raters:
    """A way to draw ratings."""

    shares: tuple[float, ...]
    hit: float
    raters: int
    missing: float

    kind: ClassVar[str] = "raters"
    page: ClassVar[str] = "raters.md"
    sizes: ClassVar[tuple[int, ...]] = (20, 50, 200)
    methods: ClassVar[tuple[str, ...]] = ("auto", "delta", "bootstrap")
    seldom: ClassVar[dict[str, int]] = {"delta": 5, "bootstrap": 5}
    many: ClassVar[int] = 100_000
    scores: ClassVar[dict[str, dict[str, Any]]] = {
        "accuracy": {},
        "fleiss_kappa": {},
        "gwet_ac1": {"weighting": "linear"},
        "brennan_prediger": {},
        "krippendorff_alpha": {},
        "krippendorff_alpha of interval data": {"level": "interval"},
    }

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        k, size = len(self.shares), (items, self.raters)
        true = rng.choice(k, items, p=self.shares)
        guess = rng.choice(k, size, p=self.shares)
        rated = np.where(rng.random(size) < self.hit, true[:, None], guess).astype(float)
        rated[rng.random(size) < self.missing] = np.nan
        return (wf.ratings(rated, labels=range(k)),)


@dataclass(frozen=True)
class Sentences:
    """A way to draw spans: of each true span the type, whether it is found, and false ones."""

    shares: tuple[float, ...]
    hit: float
    spans: int
    spread: float
    """How alike sentences are in how many of their spans are found."""

    kind: ClassVar[str] = "spans"
    page: ClassVar[str] = "spans.md"
    sizes: ClassVar[tuple[int, ...]] = (20, 50, 200)
    methods: ClassVar[tuple[str, ...]] = ("auto", "delta", "bootstrap")
    seldom: ClassVar[dict[str, int]] = {"bootstrap": 4}
    many: ClassVar[int] = 30_000
    scores: ClassVar[dict[str, dict[str, Any]]] = {
        "averaged_f1": {},
        "f1_of_averages": {},
        "micro_f1": {},
        "macro_recall": {},
        "recall of a type": {"positive": "t0"},
        "f1 of another type": {"positive": "t1"},
    }

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        names = [f"t{at}" for at in range(len(self.shares))]
        true, pred = [], []
        skills = rng.beta(self.hit * self.spread, (1 - self.hit) * self.spread, items)
        for size, hit in zip(rng.poisson(self.spans, items).tolist(), skills, strict=True):
            kinds = rng.choice(names, size, p=self.shares).tolist()
            marked = [(2 * at, 2 * at + 1, kind) for at, kind in enumerate(kinds)]
            found = [x for x, right in zip(marked, rng.random(size) < hit, strict=True) if right]
            others = rng.choice(names, rng.poisson(self.spans * (1 - hit)), p=self.shares).tolist()
            true.append(marked)
            pred.append(found + [(100 + at, 101 + at, kind) for at, kind in enumerate(others)])
        return (wf.spans(true, pred, scheme="offsets", labels=names),)


TREES: dict[str, dict[str, Any]] = {
    "tree": {f"{x}{y}": x for x in "abc" for y in range(2)} | dict.fromkeys("abc", None),
    "graph": {"cat": "mammal", "dog": "mammal", "bat": ["mammal", "flyer"], "wasp": "flyer"}
    | {"mammal": "animal", "flyer": "animal", "animal": None},
}


@dataclass(frozen=True)
class Hierarchies:
    """A way to draw classes of a hierarchy."""

    tree: str
    skill: float
    near: float
    """The fraction of errors that are made between neighbours."""
    skew: float
    """The ratio of the shares of a class and of the next."""

    kind: ClassVar[str] = "hierarchies"
    page: ClassVar[str] = "hierarchies.md"
    sizes: ClassVar[tuple[int, ...]] = (30, 100, 500)
    methods: ClassVar[tuple[str, ...]] = ("auto", "delta", "bootstrap")
    seldom: ClassVar[dict[str, int]] = {"bootstrap": 4}
    many: ClassVar[int] = 10**9
    scores: ClassVar[dict[str, dict[str, Any]]] = {
        "hierarchical_precision": {},
        "hierarchical_recall": {},
        "hierarchical_f1": {},
    }

    @cached_property
    def classes(self) -> list[str]:
        """The classes that nothing is below."""
        above = {
            y for x in TREES[self.tree].values() for y in ([x] if isinstance(x, str) else x or [])
        }
        return [x for x in TREES[self.tree] if x not in above]

    @cached_property
    def cells(self) -> Array:
        """The shares of the cells of the confusion matrix."""
        k = len(self.classes)
        shares = self.skew ** np.arange(k, dtype=float)
        far = (1 - np.eye(k)) / (k - 1)
        errors = self.near * np.eye(k)[np.arange(k) ^ 1] + (1 - self.near) * far
        table: Array = (shares / shares.sum())[:, None] * (
            self.skill * np.eye(k) + (1 - self.skill) * errors
        )
        return table

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        if items == self.many:
            table = np.rint(self.cells * items).astype(int)
        else:
            table = rng.multinomial(items, self.cells.ravel()).reshape(self.cells.shape)
        return (wf.Counts.from_matrix(table, rows="true", labels=self.classes),)


@dataclass(frozen=True)
class Labels:
    """A way to draw label sets and the probability of each label."""

    shares: tuple[float, ...]
    signal: float

    kind: ClassVar[str] = "label rankings"
    page: ClassVar[str] = "intervals.md"
    sizes: ClassVar[tuple[int, ...]] = (50, 200, 1000)
    methods: ClassVar[tuple[str, ...]] = ("auto",)
    seldom: ClassVar[dict[str, int]] = {}
    many: ClassVar[int] = 200_000
    scores: ClassVar[dict[str, dict[str, Any]]] = {
        **{f"roc_auc, {x}": {"average": x} for x in ("macro", "weighted", "micro")},
        **{f"average_precision, {x}": {"average": x} for x in ("macro", "micro")},
        **{f"{x}, macro": {"average": "macro"} for x in ("log_loss", "brier")},
        **{x: {} for x in ("ndcg", "dcg", "one_error", "coverage_error")},
        **{f"label_ranking_{x}": {} for x in ("loss", "average_precision")},
    }

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        size = (items, len(self.shares))
        labels = rng.random(size) < self.shares
        hard = rng.normal(size=(items, 1))  # what the labels of an item share
        z = self.signal * (labels - 0.5) + 0.5 * hard + 0.87 * rng.normal(size=size)
        return labels.astype(int), 1 / (1 + np.exp(-z - np.log(np.divide(self.shares, 0.5))))


@dataclass(frozen=True)
class Probabilities:
    """A way to draw two classes and the probability of one of them."""

    share: float
    """The probability of the class in the middle of the data."""
    spread: float
    exaggerated: float
    """By what the logits of the right probabilities are multiplied."""

    kind: ClassVar[str] = "operating points"
    page: ClassVar[str] = "intervals.md"
    sizes: ClassVar[tuple[int, ...]] = (100, 500)
    methods: ClassVar[tuple[str, ...]] = ("auto", "bootstrap")
    seldom: ClassVar[dict[str, int]] = {"bootstrap": 5, "smooth_calibration_error": 20}
    many: ClassVar[int] = 200_000
    scores: ClassVar[dict[str, dict[str, Any]]] = {
        "recall_at_precision": {"at": 0.7},
        "precision_at_recall": {"at": 0.7},
        "sensitivity_at_specificity": {"at": 0.8},
        "specificity_at_sensitivity": {"at": 0.8},
        "tpr_at_fpr": {"at": 0.1},
        **{x: {} for x in ("equal_error_rate", "f_max", "ks", "log_auc", "pr_gain_auc")},
        **{x: {} for x in ("partial_average_precision", "cost_curve_area")},
        "net_benefit": {"threshold": 0.3},
        "selective_accuracy": {"coverage": 0.8},
        **{x: {} for x in ("aurc", "excess_aurc", "uncertainty", "discrimination")},
        **{f"{x}_calibration_error": {} for x in ("expected", "max", "rms", "debiased", "smooth")},
        "expected_calibration_error of equal bins": {"binning": "equal-mass"},
        "debiased_calibration_error of equal bins": {"binning": "equal-mass"},
        "miscalibration": {},
        "miscalibration of log loss": {"loss": "log_loss"},
    }

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        z = np.log(self.share / (1 - self.share)) + self.spread * rng.normal(size=items)
        true = (rng.random(items) < 1 / (1 + np.exp(-z))).astype(int)
        return true, 1 / (1 + np.exp(-self.exaggerated * z))


@dataclass(frozen=True)
class Distributions:
    """A way to draw classes and the probability of each."""

    shares: tuple[float, ...]
    signal: float
    exaggerated: float

    kind: ClassVar[str] = "losses"
    page: ClassVar[str] = "intervals.md"
    sizes: ClassVar[tuple[int, ...]] = (100, 500)
    methods: ClassVar[tuple[str, ...]] = ("auto", "bootstrap")
    seldom: ClassVar[dict[str, int]] = {
        "bootstrap": 5,
        **dict.fromkeys(
            (f"smooth_calibration_error of {x}" for x in ("the top label", "classes")), 50
        ),
    }
    many: ClassVar[int] = 300_000
    scores: ClassVar[dict[str, dict[str, Any]]] = {
        **{x: {} for x in ("hinge_loss", "ranked_probability_score", "spherical_score")},
        **{x: {} for x in ("log_loss_skill", "brier_skill", "aurc", "excess_aurc")},
        **{x: {"costs": "distances"} for x in ("bayes_cost", "normalized_bayes_cost")},
        "selective_accuracy": {"coverage": 0.8},
        **{
            f"{x}_calibration_error of {name}": options
            for x in ("expected", "max", "rms", "debiased", "smooth")
            for name, options in {"the top label": {}, "classes": {"average": "macro"}}.items()
        },
    }

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        true = rng.choice(len(self.shares), items, p=self.shares)
        z = rng.normal(size=(items, len(self.shares)))
        z[np.arange(items), true] += self.signal
        right = self.signal * z + np.log(self.shares)  # up to what all classes share
        odds = np.exp(self.exaggerated * right)
        return true, odds / odds.sum(1, keepdims=True)


OF_CLASSES: dict[str, dict[str, Any]] = {
    "a class": {"positive": 0},
    "classes": {"average": "macro"},
}


@dataclass(frozen=True)
class Confusions:
    """A way to draw true and predicted classes."""

    shares: tuple[float, ...]
    skill: float

    kind: ClassVar[str] = "rates and costs"
    page: ClassVar[str] = "intervals.md"
    sizes: ClassVar[tuple[int, ...]] = (50, 200, 1000)
    methods: ClassVar[tuple[str, ...]] = ("auto", "delta", "bootstrap")
    seldom: ClassVar[dict[str, int]] = {"bootstrap": 5}
    many: ClassVar[int] = 10**9
    scores: ClassVar[dict[str, dict[str, Any]]] = {
        **{
            f"{x} of {name}": options
            for x in (
                *("g_mean", "fowlkes_mallows", "one_vs_rest_mcc", "diagnostic_odds_ratio"),
                *("yule_q", "optimized_precision", "index_of_balanced_accuracy"),
            )
            for name, options in OF_CLASSES.items()
        },
        **{x: {} for x in ("mcc", "adjusted_balanced_accuracy", "scott_pi", "macro_mae")},
        **{x: {"costs": "distances"} for x in ("expected_cost", "normalized_expected_cost")},
        "cohen_kappa of distances": {"weighting": "distances"},
        **{x: {} for x in ("no_information_rate", "confusion_entropy", "mutual_information")},
        **{x: {} for x in ("normalized_mutual_information", "cramer_v")},
        **{x: {} for x in ("goodman_kruskal_lambda", "adjusted_rand_index")},
    }

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Any, ...]:
        k = len(self.shares)
        rows = self.skill * np.eye(k) + (1 - self.skill) * (1 - np.eye(k)) / (k - 1)
        cells = np.array(self.shares)[:, None] * rows
        if items == self.many:
            return (wf.Counts.from_matrix(np.rint(cells * items).astype(int), rows="true"),)
        table = rng.multinomial(items, cells.ravel()).reshape(k, k)
        return (wf.Counts.from_matrix(table, rows="true"),)


HITS = (0.3, 0.7, 0.95)
CASES: tuple[Case, ...] = (
    *(Hierarchies(*x[:2], *x[2]) for x in product(TREES, (0.7, 0.95), ((0.0, 1.0), (0.8, 0.5)))),
    *(
        Sentences(x, hit, 2, spread)
        for x, hit, spread in product(((0.5, 0.5), (0.7, 0.2, 0.1)), (0.6, 0.9), (1.0, 5.0))
    ),
    *(
        Labels(x, signal)
        for x, signal in product(((0.5, 0.5, 0.4), (0.5, 0.3, 0.2, 0.1, 0.05)), (1.0, 2.5))
    ),
    *(Raters((0.5, 0.5), hit, 2, 0.0) for hit in HITS),
    *(Raters((0.9, 0.1), hit, *x) for hit, x in product(HITS, ((2, 0.0), (4, 0.3)))),
    *(Raters((0.6, 0.2, 0.1, 0.1), hit, 4, 0.3) for hit in HITS),
    *(Probabilities(*x) for x in ((0.5, 1.5, 1.0), (0.2, 2.0, 1.6))),
    *(
        Distributions(x, *how)
        for x, how in product(((0.4, 0.35, 0.25), (0.8, 0.15, 0.05)), ((1.0, 1.0), (2.0, 1.6)))
    ),
    *(
        Confusions(x, skill)
        for x, skill in product(((0.8, 0.2), (0.5, 0.3, 0.2), (0.85, 0.1, 0.05)), (0.7, 0.95))
    ),
)
"""The grid; kinds in the order of what is known about them least."""


def metric_of(name: str) -> str:
    """The function behind the name of a score."""
    return re.split(r",| of ", name)[0]


def tried(
    case: Case, name: str, data: tuple[Any, ...], method: str | None = None, seed: int = 0
) -> Any:
    """A score of the data, by the public functions.

    Each data set needs another seed for its replicates: few of them, drawn the same way each time,
    would be too narrow or too wide in all data sets.
    """
    function = getattr(wf, metric_of(name))
    options = dict(case.scores[name])
    if isinstance(case, Distributions | Confusions):
        k = len(case.shares)
        distances = np.abs(np.subtract.outer(range(k), range(k))).tolist()
        options = {x: distances if y == "distances" else y for x, y in options.items()}
    if isinstance(case, Hierarchies):
        options["parents"] = TREES[case.tree]
    drawn = wf.Bootstrap(replicates=REPLICATES, seed=seed) if method == "bootstrap" else method
    return function(*data, **options, interval=drawn)


def applies(case: Case, name: str, data: tuple[Any, ...], method: str) -> bool:
    """Whether a score has such intervals."""
    try:
        tried(case, name, data, method)
    except wf.errors.DefinitionError:
        return False
    return True


def named(case: Any) -> str:
    """What distinguishes a case, in words."""
    return " ".join(f"{name}={value}" for name, value in asdict(case).items())


def truths(case: Case) -> dict[str, float]:
    """The scores of very many items."""
    population = case.draw(case.many, np.random.default_rng(1))
    return {name: tried(case, name, population).value for name in case.scores}


def covered(
    case: Case,
    truth: dict[str, float],
    items: int,
    data_sets: int,
    seed: int,
    methods: tuple[str, ...],
) -> list[dict[str, Any]]:
    """How often each interval of a case holds the true value, and how often it has a caution."""
    rng = np.random.default_rng([seed, items, *map(ord, repr(case))])
    first = case.draw(max(case.sizes), rng)
    tallies = {
        (name, method): [0, 0, 0, 0, 0]
        for name, method in product(case.scores, methods)
        if applies(case, name, first, method)
    }
    drawn = 0
    while drawn < data_sets:
        seldom = case.seldom if len(methods) > 1 else {}
        now = [x for x in tallies if not any(drawn % seldom.get(each, 1) for each in x)]
        try:
            data = case.draw(items, rng)
            intervals = {x: tried(case, x[0], data, x[1], drawn).interval for x in now}
        except WhichF1Error:  # no item has two ratings, or a label no item
            continue
        drawn += 1
        for (name, method), interval in intervals.items():
            holds = interval is not None and (
                interval.low - 1e-9 <= truth[name] <= interval.high + 1e-9
            )
            plain = interval is not None and interval.caution is None
            for at, fact in enumerate((True, holds, interval is None, plain, holds and plain)):
                tallies[name, method][at] += fact
    facts = {"kind": case.kind, "items": items, "case": named(case), "seed": seed}
    return [
        {
            **facts,
            "score": name,
            "method": method,
            "data_sets": asked,
            "truth": round(truth[name], 4),
            "covered": round(hit / asked, 4),
            "no_interval": none,
            "without_caution": plain,
            "covered_without_caution": round(kept / plain, 4) if plain else "",
        }
        for (name, method), (asked, hit, none, plain, kept) in tallies.items()
    ]


def coverage(kind: str, data_sets: int, seed: int, only: str | None) -> None:
    """Simulate the cases of a kind that the file does not have, and write their rows."""
    for case in CASES:
        methods = tuple(x for x in case.methods if only in (None, x))
        rows = recorded()
        older = [
            row
            for row in rows
            if (row["kind"], row["case"]) == (kind, named(case)) and row["method"] in methods
        ]
        now = {(row["seed"], row["data_sets"]) for row in older}
        if case.kind != kind or not methods or (str(seed), str(data_sets)) in now:
            continue
        truth = truths(case)
        fresh = [
            row
            for items in case.sizes
            for row in covered(case, truth, items, data_sets, seed, methods)
        ]
        write([*(row for row in recorded() if row not in older), *fresh])
        print(case, flush=True)


def recorded() -> list[dict[str, Any]]:
    """The rows of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def write(rows: list[dict[str, Any]]) -> None:
    """Write the file, kinds in the order of the cases."""
    order = {(case.kind, named(case)): at for at, case in enumerate(CASES)}
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[-1], lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: order[row["kind"], row["case"]]))


def tables() -> None:
    """Write the tables of the docs."""
    rows = recorded()
    for kind, case in {case.kind: case for case in CASES}.items():
        own = [row for row in rows if row["kind"] == kind]
        if own:
            page = DOCS / case.page
            text = page.read_text(encoding="utf-8")
            begin, mark, rest = text.partition(f"<!-- coverage of {kind} -->\n")
            if not mark:
                raise SystemExit(f"{page} has no place for the coverage of {kind}")
            shown = table(own, by="items" if len(case.scores) < 10 else "score")
            page.write_text(begin + mark + shown + rest[rest.index("<!-- end -->") :], "utf-8")


def table(rows: list[dict[str, Any]], by: str) -> str:
    """Coverage in percent for each method, by the number of items or by score."""
    measured = {row["method"] for row in rows}
    methods = [method for method in METHODS if method in measured]
    lines = [f"| {by} | " + " | ".join(methods) + " |"]
    lines.append(f"| {'---:' if by == 'items' else '---'} |" + " --- |" * len(methods))
    for key in dict.fromkeys(row[by] for row in rows):
        alike = [row for row in rows if row[by] == key]
        cells = [summary([x for x in alike if x["method"] == method]) for method in methods]
        lines.append(f"| {f'`{key}`' if by == 'score' else key} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", simulated(rows)]) + "\n"


def simulated(rows: list[dict[str, Any]]) -> str:
    """How many data sets were drawn, and from which seed."""
    most: dict[str, int] = {}
    for row in rows:
        most[row["method"]] = max(most.get(row["method"], 0), int(row["data_sets"]))
    every = max(most.values())
    fewer = {f"interval='{method}'": n for method, n in most.items() if n < every}
    for row in rows:
        if (n := int(row["data_sets"])) < most[row["method"]] and row["method"] == "bootstrap":
            fewer[row["score"]] = n
    rest = "".join(f", for `{name}` {n:,}" for name, n in fewer.items())
    seeds: dict[str, list[str]] = {}
    for row in rows:
        if row["method"] not in seeds.setdefault(row["seed"], []):
            seeds[row["seed"]].append(row["method"])
    first, *others = seeds
    later = "".join(f", for `interval='{x}'` {seed}" for seed in others for x in seeds[seed])
    return (
        f"{every:,} data sets a cell{rest}; seed {first}{later}. Cells are left out of the lowest "
        f"if fewer than {ENOUGH} of their intervals, or fewer than half, have no caution; the "
        "percentages after them are those of all their intervals, with and without a caution."
    )


def summary(rows: list[dict[str, Any]]) -> str:
    """The mean coverage without a caution, the lowest of a cell, and how many have none.

    In a cell whose data sets mostly have a caution, those without one are not a random choice of
    them, so it is not the lowest: what all of its intervals cover is shown instead.
    """
    if not rows:
        return "–"
    data_sets = sum(int(row["data_sets"]) for row in rows)
    plain = [(int(x["without_caution"]), x["covered_without_caution"]) for x in rows]
    total = sum(n for n, _ in plain)
    if not total:
        every = [float(row["covered"]) for row in rows]
        return f"all cautioned: {100 * np.mean(every):.1f} (lowest {100 * min(every):.1f})"
    mean = sum(n * float(x) for n, x in plain if n) / total
    shown, left_out = [], []
    for row, (n, covered_plain) in zip(rows, plain, strict=True):
        if n >= ENOUGH and 2 * n >= int(row["data_sets"]):
            shown.append(float(covered_plain))
        else:
            left_out.append(float(row["covered"]))
    lowest = f" (lowest {100 * min(shown):.1f})" if shown else ""
    others = (
        f"; {len(left_out)} of {len(rows)} cells left out: {100 * np.mean(left_out):.1f}"
        f" (lowest {100 * min(left_out):.1f})"
        if left_out
        else ""
    )
    return f"{100 * mean:.1f}{lowest} in {100 * total / data_sets:.0f} %{others}"


def kinds() -> Iterator[str]:
    """What can be simulated."""
    yield from dict.fromkeys(case.kind for case in CASES)


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*kinds(), "tables", []])
    parser.add_argument("--sets", type=int, default=DATA_SETS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--method", choices=METHODS)
    chosen = parser.parse_args()
    if chosen.kinds != ["tables"]:
        for kind in chosen.kinds or kinds():
            coverage(kind, chosen.sets, chosen.seed, chosen.method)
    tables()


if __name__ == "__main__":
    main()
