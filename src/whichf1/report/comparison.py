"""A Comparison as text, Markdown or LaTeX. Every number stands beside its signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from whichf1.comparison.rank_flips import Flip, SystemRanks
from whichf1.comparison.results import Comparison, Pair, level_of
from whichf1.definitions.words import sentence, title
from whichf1.report.cells import items, number, span
from whichf1.report.comparison_data import as_csv, as_json
from whichf1.report.escape import latex, markdown, markdown_code, visible
from whichf1.report.terminal import plain_printer, print_columns

if TYPE_CHECKING:
    from rich.console import Console


class Block(NamedTuple):
    """A table with a heading and the lines that explain it."""

    heading: str
    head: list[str]
    rows: list[list[str]]
    notes: list[str]
    signature: str | None


def p_text(p: float | None) -> str:
    """A p-value for a table."""
    if p is None:
        return "–"
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def summary(comparison: Comparison, source: str) -> str:
    """What was compared."""
    score = next(iter(comparison.scores.values()))
    clusters = dict(score.made).get("clusters")
    grouped = "" if clusters is None else f" in {clusters:,} clusters"
    n = f"{items(score.n)} items" if isinstance(score.n, int) else f"weight {items(score.n)}"
    size = f"{n}{grouped}, {len(score.classes):,} classes"
    return f"{source}: {size}, {len(comparison.scores):,} systems"


def blocks(comparison: Comparison, decimals: int) -> list[Block]:
    """All there is to say, in the order of reading: rank flips before the tests of pairs."""
    found = [_systems(comparison, decimals), _pairs(comparison, decimals)]
    if comparison.ranks is not None:
        flips = _flips(comparison, comparison.ranks, decimals)
        found.insert(1 if comparison.flips else 2, flips)
    return found


def _systems(comparison: Comparison, decimals: int) -> Block:
    head = ["system", title(comparison.definition), "interval"]
    best = comparison.best
    rows = []
    for name in comparison.ranking:
        score = comparison.scores[name]
        row = [name, number(score.value, decimals), span(score.interval, decimals)]
        row += [f"{best[name]:.3f}"] if best else []
        rows.append([*row, comparison.letters[name]])
    level = level_of(comparison.definition)
    notes = [f"Systems that share a letter cannot be told apart (Holm, {100 * (1 - level):g} %)."]
    return Block("", [*head, *(["P(best)"] if best else []), "group"], rows, notes,
                 comparison.signature)  # fmt: skip


def _columns(decimals: int) -> list[tuple[str, Callable[[Pair], str | None]]]:
    """The columns of the table of pairs; one that is empty for every pair is left out."""

    def p(name: str) -> Callable[[Pair], str | None]:
        return lambda pair: None if getattr(pair, name) is None else p_text(getattr(pair, name))

    def count(name: str) -> Callable[[Pair], str | None]:
        return lambda pair: None if getattr(pair, name) is None else items(getattr(pair, name))

    return [
        ("difference", lambda x: f"{x.difference:+.{decimals}f}"),
        ("interval", lambda x: span(x.interval, decimals)),
        ("p", p("p_value")),
        ("p (Holm)", p("p_adjusted")),
        ("p bootstrap", p("p_bootstrap")),
        ("p randomization", p("p_randomization")),
        ("p McNemar", lambda x: None if x.mcnemar is None else p_text(x.mcnemar.p_mid)),
        ("p equivalence", p("p_equivalence")),
        ("only A", count("only_a")),
        ("only B", count("only_b")),
        ("changed", count("changed")),
        ("detectable", lambda x: None if x.detectable is None else number(x.detectable, decimals)),
        ("items needed", count("items_needed")),
    ]


def _pairs(comparison: Comparison, decimals: int) -> Block:
    pairs, plan = comparison.pairs, comparison.plan
    columns = [(name, [show(pair) for pair in pairs]) for name, show in _columns(decimals)]
    shown = [(name, cells) for name, cells in columns if any(x is not None for x in cells)]
    rows = [
        [pair.a, pair.b, *("–" if cells[at] is None else str(cells[at]) for _, cells in shown)]
        for at, pair in enumerate(pairs)
    ]
    notes = [
        f"'detectable': the smallest difference that these items show with power {plan.power:g}; "
        "'items needed': items like these that would show the difference found.",
    ]
    notes += _resampling(comparison)
    if any(pair.only_a is not None for pair in pairs):
        notes.append("'only A', 'only B': items that one alone gets right; 'changed': items that "
                     "the two predict differently.")  # fmt: skip
    if plan.margin is not None:
        notes.append(
            f"'p equivalence': two one-sided tests that A and B differ by less than "
            f"{plan.margin:g}."
        )
    return Block("Pairs: A − B", ["A", "B", *(name for name, _ in shown)], rows, notes, None)


def _resampling(comparison: Comparison) -> list[str]:
    """What differs from the usual: a score that is only resampled, or items that are too many."""
    pairs = comparison.pairs
    if any(pair.interval is not None and pair.interval.method == "bootstrap" for pair in pairs):
        return [
            "The score hangs on single items: the interval is that of the paired bootstrap, p that "
            "of the randomization, or of the bootstrap where there is none."
        ]
    if comparison.plan.replicates and all(pair.p_bootstrap is None for pair in pairs):
        return ["With so many items these are not resampled: the delta method alone, and P(best) "
                "from a normal distribution."]  # fmt: skip
    return []


def _flips(comparison: Comparison, ranks: SystemRanks, decimals: int) -> Block:
    names = comparison.ranking
    own = comparison.definition
    at = next((i for i, x in enumerate(ranks.orders) if _same(x.definition, own)), 0)
    rows = []
    for place, order in enumerate(ranks.orders):
        tau = ranks.tau[at][place]
        values = [number(order.scores[name].value, decimals) for name in names]
        ranking = " > ".join(" = ".join(tied) for tied in order.order)
        signature = next(iter(order.scores.values())).signature
        agreed = "–" if tau is None else f"{tau:.2f}"
        rows.append([title(order.definition), *values, ranking, agreed, signature])
    reference = title(ranks.orders[at].definition)
    head = ["definition", *names, "order", "tau", "signature"]
    notes = [flip_sentence(flip, ranks) for flip in ranks.flips]
    notes.append(f"tau: Kendall's tau-b with the order under {reference}.")
    if not ranks.flips:
        return Block("The order is the same under every definition", head, rows, notes[-1:], None)
    many = f"{len(ranks.flips)} pair{'s' if len(ranks.flips) > 1 else ''}"
    heading = f"RANK FLIPS: the order of {many} depends on the definition of the score"
    return Block(heading, head, rows, notes, None)


def _same(a: Any, b: Any) -> bool:
    keys = ("metric", "average", "formula", "positive", "parameters")
    return all(getattr(a, key) == getattr(b, key) for key in keys)


def flip_sentence(flip: Flip, ranks: SystemRanks) -> str:
    """Which definitions prefer which system."""
    better, worse = (
        ", ".join(title(ranks.orders[at].definition) for at in places)
        for places in (flip.a_better, flip.b_better)
    )
    return f"{flip.a} is better by {better}; {flip.b} by {worse}."


def as_text(comparison: Comparison, console: Console, decimals: int, source: str) -> None:
    """Print aligned tables."""
    say = plain_printer(console)
    say(visible(summary(comparison, source)))
    for block in blocks(comparison, decimals):
        say("")
        if block.heading:
            say(block.heading)
        left = ("system", "A", "B", "definition", "order", "signature", "group")
        print_columns(console, [visible(name) for name in block.head], block.rows, left=left)
        for line in [*([block.signature] if block.signature else []), *block.notes]:
            say(visible(line))


def as_markdown(comparison: Comparison, decimals: int, source: str) -> str:
    """Tables in Markdown."""
    parts = [markdown(summary(comparison, source)), ""]
    for block in blocks(comparison, decimals):
        parts += [f"**{markdown(block.heading)}**", ""] if block.heading else []
        rule = ["---", *["---:"] * (len(block.head) - 1)]
        parts.append(f"| {' | '.join(markdown(x) for x in block.head)} |")
        parts.append(f"| {' | '.join(rule)} |")
        for row in block.rows:
            cells = [
                markdown_code(cell) if name == "signature" else markdown(cell)
                for name, cell in zip(block.head, row, strict=True)
            ]
            parts.append(f"| {' | '.join(cells)} |")
        parts.append("")
        parts += [markdown_code(block.signature), ""] if block.signature else []
        parts += [f"{markdown(note)}  " for note in block.notes]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def as_latex(comparison: Comparison, decimals: int, source: str) -> str:
    """Booktabs tables; what the score is and every signature stand below."""
    lines = [
        r"% needs \usepackage{booktabs,textcomp} and \usepackage[T1]{fontenc}",
        r"\begin{table}",
    ]
    below = []
    for block in blocks(comparison, decimals):
        signed = block.head[-1] == "signature"
        head = block.head[:-1] if signed else block.head
        rows = [row[: len(head)] for row in block.rows]
        if block.heading:
            lines.append(rf"\par\medskip {latex(block.heading)}\par")
        lines.append(rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}")
        lines += [r"\toprule", _latex_row(head), r"\midrule"]
        lines += [_latex_row(row) for row in rows]
        lines += [r"\bottomrule", r"\end{tabular}"]
        below += [latex(note) + r"\par" for note in block.notes]
        if signed:
            below += [rf"{latex(r[0])}: \texttt{{{latex(r[-1])}}}\par" for r in block.rows]
    score = next(iter(comparison.scores.values()))
    said = sentence(comparison.definition, len(score.classes), score.n)
    lines += [rf"\caption{{{latex(summary(comparison, source))}.}}", r"\par\footnotesize"]
    lines.append(rf"{latex(said)} \texttt{{{latex(comparison.signature)}}}\par")
    return "\n".join([*lines, *below, r"\end{table}"]) + "\n"


def _latex_row(cells: list[str]) -> str:
    return " & ".join(latex(cell) for cell in cells) + r" \\"


FORMATS: dict[str, Callable[[Comparison, int, str], str]] = {
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
"""Formats that are one text; 'text' goes to a console."""
