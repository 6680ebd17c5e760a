"""Gates for continuous integration: limits of scores, regressions, and reports for servers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError
from whichf1.reporting.document import Document, Grid, GridColumn, render
from whichf1.reporting.escape import github_property, github_text, xml
from whichf1.reporting.numbers import number
from whichf1.reporting.slices import slice_name
from whichf1.scoring.score import Score
from whichf1.tables.records import dataclass

if TYPE_CHECKING:
    from whichf1.reporting.leaderboard import Result, ResultsTable


@dataclass(frozen=True)
class Verdict:
    """The outcome of one gate."""

    gate: str
    """'averaged_f1 >= 0.8'."""
    where: str
    """The slice; empty for all items."""
    passed: bool | None
    """None if there is nothing to judge."""
    message: str
    """The same in a sentence."""

    @property
    def name(self) -> str:
        """The gate, and where."""
        return f"{self.gate}{self.where and f' in {self.where}'}"


class LimitKind(NamedTuple):
    """A kind of limit."""

    option: str
    end: str
    """What is compared with the limit: the value, or an end of its interval."""
    better: str
    """The metrics that it is for: those whose higher, or lower, values are better."""
    other: str
    """The option for the other metrics."""


KINDS = {
    "fail_under": LimitKind("--fail-under", "value", "higher", "--fail-over"),
    "fail_over": LimitKind("--fail-over", "value", "lower", "--fail-under"),
    "fail_under_low": LimitKind("--fail-under-low", "low", "higher", "--fail-over-high"),
    "fail_over_high": LimitKind("--fail-over-high", "high", "lower", "--fail-under-low"),
}
ENDS = {"low": "the lower end of the interval of ", "high": "the upper end of the interval of "}


@dataclass(frozen=True)
class Limit:
    """A floor or a ceiling of a score, as ``--fail-under averaged_f1=0.8``."""

    kind: LimitKind
    name: str
    value: float

    @classmethod
    def parse(cls, kind: LimitKind, text: str) -> Limit:
        """Read NAME=VALUE."""
        name, _, value = text.rpartition("=")
        try:
            limit = float(value)
        except ValueError:
            limit = math.nan
        if not name or not math.isfinite(limit):
            raise DefinitionError(
                f"{kind.option} takes NAME=VALUE, such as averaged_f1=0.8; got {text!r}"
            )
        return cls(kind, name, limit)

    def check(self, definition: Definition) -> None:
        """Raise for a limit that the metric cannot have, or that needs an absent interval."""
        better, (low, high) = definition.declaration.better, definition.bounds
        if not low <= self.value <= high:
            hint = f" For {self.value:g} %, write {self.value / 100:g}." if high == 1 else ""
            raise DefinitionError(
                f"{self.kind.option} {self.name}={self.value:g} would {self._always(low)}, because "
                f"{self.name} is {_range(low, high)}.{hint}"
            )
        if better != self.kind.better and better != "neither":
            side = "a floor" if self.kind.better == "higher" else "a ceiling"
            raise DefinitionError(
                f"{self.kind.option} is {side}, but {better} values of {self.name} are better: use "
                f"{self.kind.other}"
            )
        if self.kind.end != "value" and definition.interval is None:
            raise DefinitionError(
                f"{self.kind.option} needs an interval, but {self.name} has none here: remove "
                "--interval none, or name another metric"
            )

    def _always(self, low: float) -> str:
        floor = self.kind.better == "higher"
        return "never fail" if floor == (self.value < low) else "always fail"

    @property
    def text(self) -> str:
        """The condition."""
        sign = ">=" if self.kind.better == "higher" else "<="
        end = "" if self.kind.end == "value" else f" ({self.kind.end})"
        return f"{self.name}{end} {sign} {self.value:g}"

    def judge(self, score: Score | None, where: str = "") -> Verdict:
        """Compare a score with the limit; an undefined score fails."""
        within = where and f" in {where}"
        if score is None:
            told = f"{self.name}{within} is not judged: there is nothing to score"
            return Verdict(self.text, where, None, told)
        end = self.kind.end
        value = score.value if end == "value" else getattr(score.interval, end, math.nan)
        floor = self.kind.better == "higher"
        passed = value >= self.value if floor else value <= self.value
        what = f"{ENDS.get(end, '')}{self.name}{within}"
        if math.isnan(value):
            return Verdict(self.text, where, False, f"{what} is undefined")
        side = "below" if floor else "above"
        shown, limit = _apart(value, self.value)
        told = f"{what} is {shown}, {'not ' if passed else ''}{side} {limit}"
        return Verdict(self.text, where, passed, told)


def _range(low: float, high: float) -> str:
    """What a score can be, in words."""
    if math.isinf(high):
        return f"at least {low:g}" if math.isfinite(low) else "any number"
    return f"from {low:g} to {high:g}" if math.isfinite(low) else f"at most {high:g}"


def _apart(value: float, limit: float) -> tuple[str, str]:
    """Both numbers with so many digits that they look different if they are."""
    texts = ((f"{value:.{x}g}", f"{limit:.{x}g}") for x in (6, 9, 12, 17))
    return next(both for both in texts if both[0] != both[1] or value == limit)


def regressions(table: ResultsTable, margin: float) -> list[Verdict]:
    """Whether a system is significantly worse than the baseline, by more than a margin."""
    for metric, definition in table.definitions.items():
        low, high = definition.bounds
        if margin >= high - low:
            raise DefinitionError(
                f"--fail-if-worse {margin:g} would never fail, because {metric} is "
                f"{_range(low, high)}: pass a smaller margin"
            )
    verdicts = []
    for key, results in table.blocks.items():
        where = "" if key is None else slice_name(key)
        for system, row in results.items():
            if system != table.baseline:
                verdicts += [
                    _regression(table, metric, system, result, where, margin)
                    for metric, result in row.items()
                ]
    verdicts += [
        Verdict("not worse", slice_name(key), None, f"{slice_name(key)}: nothing to compare")
        for key in table.empty
    ]
    return verdicts


def _regression(
    table: ResultsTable, metric: str, system: str, result: Result, where: str, margin: float
) -> Verdict:
    """By the p-value without a margin; with one, by the interval of the difference."""
    from whichf1.reporting.comparison import TESTS  # a score needs no comparison

    lower = table.definitions[metric].declaration.better == "lower"
    gate = f"{metric} of {system} not worse than {table.baseline}"
    gate += f" by more than {margin:g}" if margin else ""
    what = f"{metric} of {system}{where and f' in {where}'}"
    difference, interval = result.difference, result.interval
    if difference is None or math.isnan(difference):
        return Verdict(gate, where, False, f"{what} is undefined, or that of {table.baseline} is")
    level = 1 - _alpha(table, metric)
    sign = -1 if lower else 1
    worst, untested = sign * difference, result.interval is None and result.p_value is None
    if margin and interval is not None:
        far = max(sign * interval.low, sign * interval.high)
        worse = far < -margin
    elif result.p_value is None:  # a score that cannot be tested fails like one that is undefined
        worse = worst < -margin
    else:
        worse = worst < -margin and result.p_value < _alpha(table, metric)
    if difference == 0:
        change = f"is that of {table.baseline}"
    else:
        side = "higher" if difference > 0 else "lower"
        change = f"is {number(abs(difference), 4)} {side} than that of {table.baseline}"
    shown = "" if interval is None else f", {100 * level:g} % interval {interval:.4f}"
    p = "" if result.p_value is None or margin else f", p = {result.p_value:.2g}"
    test = f" by {TESTS[result.test]}" if result.test else ""
    limit = f" by more than {margin:g}" if margin else ""
    verdict = f"significantly worse{limit}" if worse else f"not significantly worse{limit}"
    if worse and untested:
        verdict = f"worse{limit}, and no test applies"
    return Verdict(gate, where, not worse, f"{what} {change}{shown}{p}{test}: {verdict}")


def _alpha(table: ResultsTable, metric: str) -> float:
    method = table.definitions[metric].interval
    return 0.05 if method is None else 1 - method.level


def with_gates(document: Document, verdicts: Sequence[Verdict]) -> Document:
    """The document, whose JSON includes the outcome of the gates."""

    def record() -> dict[str, Any]:
        return {**document.record(), "gates": [asdict(verdict) for verdict in verdicts]}

    return replace(document, record=record)


def junit(source: str, verdicts: Sequence[Verdict]) -> str:
    """The gates as a JUnit report, which most servers can show."""
    failed, skipped = (sum(x.passed is y for x in verdicts) for y in (False, None))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    name = xml(source or "whichf1")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f'<testsuite id="0" package="whichf1" name="{name}" timestamp="{now}" hostname="localhost" '
        f'tests="{len(verdicts)}" failures="{failed}" errors="0" skipped="{skipped}" time="0">',
        "<properties/>",
    ]
    for verdict in verdicts:
        message = xml(verdict.message)
        case = f'<testcase name="{xml(verdict.name)}" classname="{name}" time="0"'
        if verdict.passed:
            lines.append(f"{case}/>")
        elif verdict.passed is None:
            lines.append(f'{case}><skipped message="{message}"/></testcase>')
        else:
            failure = f'<failure message="{message}" type="gate">{message}</failure>'
            lines.append(f"{case}>{failure}</testcase>")
    lines += ["<system-out/>", "<system-err/>", "</testsuite>", "</testsuites>"]
    return "\n".join(lines) + "\n"


def github(text: str, verdicts: Sequence[Verdict]) -> str:
    """The gates as annotations for GitHub Actions, then text that cannot contain commands."""
    import secrets  # slow to import

    token = f"whichf1-{secrets.token_hex(16)}"
    lines = []
    for verdict in verdicts:
        kind = {True: "notice", False: "error", None: "warning"}[verdict.passed]
        title = github_property(f"whichf1: {verdict.name}")
        lines.append(f"::{kind} title={title}::{github_text(verdict.message)}\n")
    return "".join([*lines, f"::stop-commands::{token}\n", text, f"::{token}::\n"])


def summary(document: Document, verdicts: Sequence[Verdict], decimals: int) -> str:
    """The text added to the summary of a step: the gates and the report, in Markdown."""
    words = {True: "passed", False: "failed", None: "not judged"}
    rows = [[words[x.passed], x.name, x.message] for x in verdicts]
    columns = [GridColumn("gate"), GridColumn("condition", "prose"), GridColumn("found", "prose")]
    table = [Grid(columns, rows)] if rows else []
    return render(replace(document, blocks=[*table, *document.blocks]), "markdown", decimals) + "\n"
