"""Tables 1–4 of the paper and the two runs that its appendix D prints."""

from __future__ import annotations

import numpy as np

from whichf1.paper import mf1
from whichf1.paper.result import Fact, Figure, Quantity
from whichf1.scoring.macro import MacroF1, macro_f1
from whichf1.tables.cells import Array
from whichf1.tables.counts import Counts

MATRICES: dict[int, tuple[tuple[int, int], tuple[int, int]]] = {
    1: ((5, 10), (5, 10)),
    2: ((1, 1), (9, 19)),
    3: ((100, 10_000), (0, 100)),
    4: ((100, 5_000), (5_000, 100)),
}
"""Predictions in rows, as the paper prints them."""
PRINTED = {
    1: ("0.5", "0.49"),
    2: ("0.55", "0.48"),
    3: ("0.505", "0.0196"),
    4: ("0.0196", "0.0196"),
}
"""F1 of averages and averaged F1, as printed under each table."""
RUNS: dict[int, tuple[str, ...]] = {
    3: (
        '("macroF1 benevolent",0.504950495049505)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.48534265191225007)',
        '("delta calculated",0.48534265191225007)',
    ),
    4: (
        '("macroF1 benevolent",1.96078431372549e-2)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.0)',
        '("delta calculated",0.0)',
    ),
}
"""Appendix D: what the paper's program prints for tables 3 and 4."""


LABELS = ("a", "b")
_PAIRS = [(x, y) for x in LABELS for y in LABELS]


def table(number: int) -> MacroF1:
    """Both macro F1s of a table of the paper."""
    return macro_f1(Counts.from_matrix(MATRICES[number], rows="predicted", labels=LABELS))


def run(number: int) -> list[str]:
    """The four lines of the paper's program on a table of the paper."""
    return mf1.lines([2, *(cell for row in MATRICES[number] for cell in row)])


def tables(seed: int) -> Figure:
    """Tables 1–4: both F1s, the gap, and its terms by pairs of classes (nothing is random)."""
    scored = {number: table(number) for number in MATRICES}
    cells = np.array([np.ravel(matrix) for matrix in MATRICES.values()])
    columns = {
        "table": np.array([*MATRICES]),
        **{f"predicted_{p}_true_{t}": cells[:, at] for at, (p, t) in enumerate(_PAIRS)},
        "f1_of_averages": np.array([m.of_averages.value for m in scored.values()]),
        "averaged_f1": np.array([m.averaged.value for m in scored.values()]),
        "gap": np.array([m.gap for m in scored.values()]),
        **{f"term_{x}_{y}": _terms(scored, at) for at, (x, y) in enumerate(_PAIRS)},
    }
    return Figure(
        name="tables",
        title="Tables 1–4: both macro F1s, the gap and its pairwise terms",
        columns=columns,
        scores={
            "f1_of_averages": "F1 of averages",
            "averaged_f1": "averaged F1",
            "gap": "gap",
            **{f"term_{x}_{y}": "gap" for x, y in _PAIRS},
        },
        parameters={"rows of the matrices": "predicted", "classes": LABELS},
        facts=tuple(fact for number in MATRICES for fact in _facts(number, scored[number])),
        text="\n\n".join(_session(number) for number in RUNS),
    )


def _terms(scored: dict[int, MacroF1], at: int) -> Array:
    return np.array([m.terms.flat[at] for m in scored.values()])


def _facts(number: int, m: MacroF1) -> list[Fact]:
    n = int(m.averaged.n)
    of_averages, averaged = PRINTED[number]
    here = f"table {number}"
    numbers: tuple[tuple[str, str, float, Quantity, str | None], ...] = (
        ("of", here, m.of_averages.value, "F1 of averages", of_averages),
        ("av", here, m.averaged.value, "averaged F1", averaged),
        ("gap", here, m.gap, "gap", _printed_gap(number)),
        ("ab", f"{here}, term (a, b) = (b, a)", float(m.terms[0, 1]), "gap", None),
        ("aa", f"{here}, term (a, a) = (b, b)", float(m.terms[0, 0]), "gap", None),
    )
    return [
        Fact(f"t{number}_{key}", what, value, of, n, 2, paper, 4, labels=LABELS)
        for key, what, value, of, paper in numbers
    ]


def _session(number: int) -> str:
    """A run of appendix D, and whether it prints what the paper prints."""
    lines = run(number)
    same = "as printed in appendix D" if tuple(lines) == RUNS[number] else "NOT as in appendix D"
    command = f"$ mf1 2 {' '.join(str(cell) for row in MATRICES[number] for cell in row)}"
    return "\n".join([f"{command}   # {same}", *lines])


def _printed_gap(number: int) -> str | None:
    """The gap where appendix D prints it, to four decimals."""
    if number not in RUNS:
        return None
    return f"{float(RUNS[number][2].split(',')[1].rstrip(')')):.4f}"
