"""How often do nominal 95 % intervals cover the true value? A simulation that updates the docs.

Data sets are drawn as confusion matrices, not item by item. Run: python benchmarks/coverage.py
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

import whichf1 as wf
from whichf1.definitions.definition import Definition, Frozen, define
from whichf1.metrics import find
from whichf1.statistics.cells import SystemMargins
from whichf1.statistics.intervals import percentile_interval
from whichf1.statistics.scales import Spread, transformed
from whichf1.statistics.tracing import slopes
from whichf1.tables.cells import Margins, Table

METRICS = (
    "averaged_f1", "f1_of_averages", "macro_precision", "macro_recall", "cohen_kappa", "mcc",
)  # fmt: skip
LEVEL = 0.95
PAGE = Path(__file__).parent.parent / "docs" / "intervals.md"
START, END = "<!-- coverage: made by benchmarks/coverage.py -->", "<!-- end of coverage -->"


class Setting(NamedTuple):
    classes: int
    balanced: bool
    n: int
    accuracy: float

    @property
    def shares(self) -> Any:
        """The fraction of each class: equal, or 95 % in one and 5 % in all others together."""
        k = self.classes
        return np.full(k, 1 / k) if self.balanced else np.array([0.95] + [0.05 / (k - 1)] * (k - 1))

    @property
    def cells(self) -> Any:
        """The probability of each cell; errors are spread evenly over the other classes."""
        k, right = self.classes, self.accuracy
        confusion = np.full((k, k), (1 - right) / (k - 1))
        np.fill_diagonal(confusion, right)
        return (self.shares[:, None] * confusion).ravel()

    @property
    def smallest(self) -> float:
        """Expected number of items in the smallest class."""
        return float(self.n * self.shares.min())


class Coverage(NamedTuple):
    covered: float
    """Fraction of intervals that contain the true value."""
    without: float
    """Fraction of data sets for which the method gives no interval."""


SETTINGS = [
    Setting(k, balanced, n, accuracy)
    for k in (2, 5, 20)
    for balanced in (True, False)
    for n in (50, 200, 2000)
    for accuracy in (0.6, 0.95)
]


def frozen_table(setting: Setting, count: Any) -> Frozen:
    k = setting.classes
    true, predicted = np.divmod(np.arange(k * k), k)
    labels = wf.Counts.from_matrix(np.eye(k, dtype=int), rows="true").labels
    return Frozen(Table(true, predicted, count, k), np.arange(k), labels)


def of(intervals: list[wf.Interval | None], truth: float) -> Coverage:
    """The coverage of intervals, some of which may be missing."""
    present = [x for x in intervals if x is not None]
    covered = sum(x.low <= truth <= x.high for x in present) / max(len(present), 1)
    return Coverage(covered, 1 - len(present) / len(intervals))


def delta(setting: Setting, repetitions: int, seed: int) -> dict[str, Coverage]:
    """All data sets of a setting in one batch, with the library's own derivatives."""
    rng = np.random.default_rng(seed)
    count = rng.multinomial(setting.n, setting.cells, repetitions).astype(float)
    frozen = frozen_table(setting, count)
    coverages = {}
    for name in METRICS:
        definition = define(name)
        values, errors, skews = batch_spreads(definition, frozen)
        bounds = find(definition.metric).bounds
        each = zip(values.tolist(), map(Spread, errors.tolist(), skews.tolist()), strict=True)
        intervals = [transformed(value, spread, bounds, LEVEL, "delta") for value, spread in each]
        coverages[name] = of(intervals, truth(setting, definition))
    return coverages


def truth(setting: Setting, definition: Definition) -> float:
    return float(definition.values(frozen_table(setting, setting.cells)))


def batch_spreads(definition: Definition, frozen: Frozen) -> tuple[Any, Any, Any]:
    """The value of each data set, its standard error and its skewness."""
    values, slope = batch_slopes(definition, frozen)
    count = frozen.table.count
    square, cube = ((count * slope**power).sum(1) for power in (2, 3))
    skew = np.where(square > 0, cube / np.where(square > 0, square, 1) ** 1.5, 0)
    return values, np.sqrt(square), skew


def batch_slopes(definition: Definition, frozen: Frozen) -> tuple[Any, Any]:
    """The value of each data set, and its derivative with respect to every cell."""
    table = frozen.table
    m = SystemMargins(table.true, [table.predicted], table.classes)(table.count)[0]
    values, (tp, fp, fn, tn, distances) = slopes(
        lambda *sums: definition.values(frozen, Margins(*sums)),
        *(np.ascontiguousarray(x) for x in (m.tp, m.fp, m.fn, m.tn, m.distances)),
    )
    true, predicted = table.true, table.predicted
    wrong = (fn - tn)[:, true] + (fp - tn)[:, predicted]
    slope = np.where(true == predicted, (tp - tn)[:, true], wrong)
    return values, slope + tn.sum(1)[:, None] + distances[:, np.abs(true - predicted)]


def bootstrap(
    setting: Setting, repetitions: int, replicates: int, seed: int
) -> dict[str, dict[str, Coverage]]:
    """Percentile and BCa intervals, from one draw of replicates for all metrics of a data set."""
    rng = np.random.default_rng(seed)
    definitions = {name: define(name) for name in METRICS}
    counts = rng.multinomial(setting.n, setting.cells, repetitions)
    frozen = frozen_table(setting, counts.astype(float))
    spreads = {name: batch_spreads(d, frozen) for name, d in definitions.items()}
    percentiles: dict[str, list[wf.Interval | None]] = {name: [] for name in METRICS}
    bca: dict[str, list[wf.Interval | None]] = {name: [] for name in METRICS}
    for at, count in enumerate(counts):
        cells = np.flatnonzero(count)
        true, predicted = frozen.table.true[cells], frozen.table.predicted[cells]
        drawn = rng.multinomial(setting.n, count[cells] / setting.n, replicates)
        margins = SystemMargins(true, [predicted], setting.classes)(drawn)[0]
        for name, definition in definitions.items():
            value, _, skew = (float(x[at]) for x in spreads[name])
            values = definition.values(frozen, margins)
            percentiles[name].append(percentile_interval(values, value, LEVEL))
            bca[name].append(percentile_interval(values, value, LEVEL, skew / 6))
    true_values = {name: truth(setting, d) for name, d in definitions.items()}
    return {
        word: {name: of(intervals[name], true_values[name]) for name in METRICS}
        for word, intervals in (("percentile", percentiles), ("BCa", bca))
    }


def ranking(setting: Setting, metric: str, repetitions: int, seed: int) -> Coverage:
    """The delta method; scores are normal, and the midpoint threshold has the given accuracy."""
    rng, normal = np.random.default_rng(seed), NormalDist()
    shift = 2 * normal.inv_cdf(setting.accuracy)
    intervals: list[wf.Interval | None] = []
    for _ in range(repetitions):
        positive = rng.random(setting.n) < setting.shares[-1]
        if positive.all() or not positive.any():
            intervals.append(None)
            continue
        scores = rng.normal(size=setting.n) + shift * positive
        intervals.append(wf.score(positive, scores, metric, interval=wf.Delta(LEVEL)).interval)
    return of(intervals, ranking_truth(metric, shift, setting.shares[-1]))


def ranking_truth(metric: str, shift: float, share: float) -> float:
    """The score in the limit of infinitely many items."""
    if metric == "roc_auc":
        return NormalDist().cdf(shift / np.sqrt(2))
    quantiles = (np.arange(200_000) + 0.5) / 200_000
    from scipy.special import ndtr, ndtri

    limit = ndtri(quantiles) + shift  # the scores of the positives
    hits = share * (1 - quantiles)
    return float((hits / (hits + (1 - share) * ndtr(-limit))).mean())


def areas(setting: Setting, way: str, average: str, repetitions: int, seed: int) -> Coverage:
    """A mean of AUCs over classes; the score of the true class is shifted."""
    rng = np.random.default_rng(seed)
    shift = 2 * NormalDist().inv_cdf(setting.accuracy)
    # the same one-vs-rest and one-vs-one, since all other classes have the same scores
    true_value = NormalDist().cdf(shift / np.sqrt(2))
    method: dict[str, Any] = {"average": average, "multi_class": way, "interval": wf.Delta(LEVEL)}
    intervals: list[wf.Interval | None] = []
    for _ in range(repetitions):
        true = rng.choice(setting.classes, setting.n, p=setting.shares)
        if len(np.unique(true)) < setting.classes:
            intervals.append(None)
            continue
        scores = rng.normal(size=(setting.n, setting.classes))
        scores[np.arange(setting.n), true] += shift
        intervals.append(wf.roc_auc(true, scores, **method).interval)
    return of(intervals, true_value)


def log_loss(setting: Setting, repetitions: int, seed: int) -> Coverage:
    """Mean ± z standard errors; the log-odds of the true class are normal."""
    rng = np.random.default_rng(seed)
    mean = NormalDist().inv_cdf(setting.accuracy)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    true_value = float((weights * np.log1p(np.exp(-(mean + nodes)))).sum() / weights.sum())
    loss = np.log1p(np.exp(-rng.normal(mean, 1, (repetitions, setting.n))))
    error = loss.std(1) / np.sqrt(setting.n)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * error
    return Coverage(float((np.abs(loss.mean(1) - true_value) <= half).mean()), 0.0)


def shown(c: Coverage) -> str:
    none = f" ({100 * c.without:.0f} % none)" if c.without >= 0.005 else ""
    return f"{100 * c.covered:.1f}{none}"


def lines(repetitions: int, resampled: int, replicates: int, seed: int) -> Iterator[str]:
    names = ["averaged F1", "F1 of averages", "macro P", "macro R", "kappa", "MCC"]
    head = ["classes", "shares", "n", "smallest class", "accuracy", "method", *names]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for at, setting in enumerate(SETTINGS):
        where = [
            str(setting.classes),
            "even" if setting.balanced else "95:5",
            f"{setting.n:,}",
            f"{setting.smallest:g}",
            f"{setting.accuracy:g}",
        ]
        by_delta = delta(setting, repetitions, seed + at)
        yield f"| {' | '.join([*where, 'delta', *(shown(by_delta[m]) for m in METRICS)])} |"
        for word, each in bootstrap(setting, resampled, replicates, seed + at).items():
            yield f"| {' | '.join([*where, word, *(shown(each[m]) for m in METRICS)])} |"
    yield ""
    yield "| shares | n | positives | accuracy | ROC AUC | average precision | log loss |"
    yield f"|{'---|' * 7}"
    for at, setting in enumerate(s for s in SETTINGS if s.classes == 2):
        scored = [
            shown(ranking(setting, name, repetitions // 2, seed + at))
            for name in ("roc_auc", "average_precision")
        ]
        loss = shown(log_loss(setting, repetitions, seed + at)) if setting.balanced else "as above"
        shares = "even" if setting.balanced else "95:5"
        cells = [shares, f"{setting.n:,}", f"{setting.smallest:g}", f"{setting.accuracy:g}"]
        yield f"| {' | '.join([*cells, *scored, loss])} |"
    yield ""
    yield "| classes | n | accuracy | ovr macro | ovr weighted | ovo macro | ovo weighted |"
    yield f"|{'---|' * 7}"
    several = [s for s in SETTINGS if s.classes == 5 and s.balanced]
    for at, setting in enumerate(several):
        ways = [(way, average) for way in ("ovr", "ovo") for average in ("macro", "weighted")]
        cells = [shown(areas(setting, *way, repetitions // 4, seed + at)) for way in ways]
        yield f"| 5 | {setting.n:,} | {setting.accuracy:g} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=4000, help="data sets, delta method")
    parser.add_argument("--resampled", type=int, default=1000, help="data sets, bootstrap")
    parser.add_argument("--replicates", type=int, default=399)
    parser.add_argument("--seed", type=int, default=2019)
    options = parser.parse_args()
    table = []
    for line in lines(options.repetitions, options.resampled, options.replicates, options.seed):
        print(line, flush=True)
        table.append(line)
    caption = (
        f"Coverage in per cent at a nominal 95 %: {options.repetitions:,} data sets for the delta "
        f"method (half of them for rankings, a quarter for means of AUCs), "
        f"{options.resampled:,} with {options.replicates} replicates each for the bootstrap, "
        f"seed {options.seed}."
    )
    if PAGE.exists():
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        after = rest.partition(END)[2]
        middle = "\n".join([START, "", caption, "", *table, "", END])
        PAGE.write_text(before + middle + after, encoding="utf-8")


if __name__ == "__main__":
    main()
