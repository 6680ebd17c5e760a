"""Formulas in a page's script give Python's bits: every definition that the playground shows."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import whichf1 as wf
from tests.helpers.matrices import margins, random_matrices
from whichf1.definitions.definition import Definition, Frozen, define
from whichf1.errors import DefinitionError
from whichf1.metrics.registry import EVERY, METRICS, Metric
from whichf1.paper.examples import examples
from whichf1.reporting.pages.javascript import MOST_CLASSES, Program, leaf
from whichf1.reporting.pages.playground import playground_data
from whichf1.reporting.pages.shell import FOLDER
from whichf1.reporting.pictures.counts import precision_at
from whichf1.scoring.macro import gap_contributions, gap_terms, supremum
from whichf1.tables.cells import Array, OneVsRest, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

pytestmark = pytest.mark.xdist_group("playground")
EACH = 143
"""Random matrices for each number of classes from 2 to 8: 1,001 in all."""


@cache
def data() -> dict[str, Any]:
    return playground_data(examples())


@cache
def matrices() -> dict[int, Array]:
    """Random matrices by their number of classes."""
    rng = np.random.default_rng(17)
    every = {k: random_matrices(rng, EACH, k) for k in range(2, MOST_CLASSES + 1)}
    for k, tables in every.items():
        tables[0] = np.eye(k)
        tables[1], tables[1, :, 0] = 0, 2**40  # a constant prediction
    return every


def everything(k: int) -> Frozen:
    """All of so many classes."""
    return Frozen(None, every_class(k), Labels(range(k)))


@pytest.fixture(scope="module")
def script(browser: Browser) -> Iterator[Page]:
    """A page that has the runtime, the program, and a function that runs steps on matrices."""
    page = browser.new_page()
    source = (FOLDER / "formulas.js").read_text("utf-8")
    page.evaluate(
        """([source, steps]) => {
            const element = document.createElement("script");
            element.textContent = source + "globalThis.formulas = formulas;";
            document.head.append(element);
            globalThis.packed = (numbers) => {
                const bytes = new Uint8Array(new Float64Array(numbers).buffer);
                let text = "";
                for (let at = 0; at < bytes.length; at += 8192)
                    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
                return btoa(text);
            };
            globalThis.steps = steps;
        }""",
        [source, data()["steps"]],
    )
    yield page
    page.close()


def run(page: Page, tables: Array, steps: list[int]) -> Array:
    """What the script gives for each table and step, one after the other."""
    packed = page.evaluate(
        """([tables, wanted]) => packed(tables.flatMap((table) => {
            const given = formulas.counted(table);
            return wanted.flatMap((at) => [formulas.run(steps, at, given)].flat(3));
        }))""",
        [tables.tolist(), steps],
    )
    return np.frombuffer(b64decode(packed))


def same_bits(found: Array, expected: Array) -> None:
    """Equal to the last bit; 0 and −0 are equal, and any NaN is any other."""
    assert found.shape == expected.shape
    differ = np.flatnonzero(~((found == expected) | (np.isnan(found) & np.isnan(expected))))
    assert not len(differ), (found[differ[:5]], expected[differ[:5]], differ[:5])


NOT_SHOWN = {
    *("mutual_information", "normalized_mutual_information", "confusion_entropy"),  # logarithms
    *("no_information_rate", "no_information_p_value", "goodman_kruskal_lambda"),  # the largest
    *("cramer_v", "adjusted_rand_index", "macro_mae"),  # single cells
    *("expected_cost", "normalized_expected_cost"),  # costs of the user's own
    *("hierarchical_precision", "hierarchical_recall", "hierarchical_f1"),  # a hierarchy
    "krippendorff_alpha",  # whole items
    "gwet_ac1",  # another formula for one class
}


def test_every_metric_of_the_counts_of_classes_is_shown() -> None:
    shown = {signature.split("|")[0].split("(")[0] for signature, _ in data()["scores"]}
    assert shown == {*METRICS} - NOT_SHOWN


def test_every_definition_gives_pythons_bits_on_a_thousand_matrices(script: Page) -> None:
    definitions = [Definition.parse(signature) for signature, _ in data()["scores"]]
    steps = [step for _, step in data()["scores"]]
    numbers = 0
    for k, tables in matrices().items():
        values = [each.values(everything(k), margins(tables)) for each in definitions]
        expected = np.concatenate([x.reshape(EACH, -1) for x in values], 1).ravel()
        same_bits(run(script, tables, steps), expected)
        numbers += len(expected)
    assert numbers == 962_962


def test_a_score_by_its_name_gives_the_same_bits(script: Page) -> None:
    """Without the batches of the test above: counts are made, and a signature runs."""
    some = [(s, step) for s, step in data()["scores"] if "avg:none" not in s][::3]
    for tables in matrices().values():
        for table in tables[:6]:
            counts = Counts.from_matrix(table, rows="true")
            parsed = [wf.Definition.parse(s.replace("|classes:observed", "")) for s, _ in some]
            expected = np.array([each(counts).value for each in parsed])
            same_bits(run(script, table[None], [step for _, step in some]), expected)


@pytest.mark.parametrize("undefined", [0, 1])
def test_the_gap_and_its_terms(script: Page, undefined: Any) -> None:
    at = data()["macro"][undefined]
    steps = [at[name] for name in ("gap", "terms", "contributions", "supremum")]
    for k, tables in matrices().items():
        expected = []
        for table in tables[::3]:
            counts = Counts.from_matrix(table, rows="true")
            m = wf.macro_f1(counts, undefined=undefined)
            terms, parts = (
                gap_terms(m.precision, m.recall),
                gap_contributions(m.precision, m.recall),
            )
            expected += [np.array([m.gap]), terms.ravel(), parts, np.array([supremum(k)])]
        same_bits(run(script, tables[::3], steps), np.concatenate(expected))


def test_class_sets(script: Page) -> None:
    for name, step in data()["class_sets"].items():
        for tables in matrices().values():
            expected = []
            for table in tables[::3]:
                counts = Counts.from_matrix(table, rows="true")
                codes = (
                    wf.Definition.parse("averaged_f1").settled(classes=name).freeze(counts).classes
                )
                expected.append(codes.astype(float))
            same_bits(run(script, tables[::3], [step]), np.concatenate(expected))


def test_contours(script: Page) -> None:
    for f1 in (0.0, 0.2, 0.5, 1.0):
        recall = np.linspace(0.01, 1, 50)
        found = script.evaluate(
            """([at, f1, every]) => every.map((recall) => formulas.run(steps, at, {f1, recall}))""",
            [data()["contour"], f1, [*recall]],
        )
        same_bits(np.array(found, float), precision_at(f1, recall))


def test_a_new_rate_needs_no_line_of_script(script: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def wary(c: OneVsRest) -> Any:
        return c.tp / 2, c.tp + np.sqrt(c.fp * c.tn)

    metric = Metric(name="wary", kind="rate", formula=wary, summary="", tex="", title="wary")
    monkeypatch.setitem(EVERY, "wary", metric)
    program = Program()
    for undefined in (1, "skip"):
        definition = define("wary", None, {"average": "macro", "undefined": undefined})
        step = program.score(definition)
        script.evaluate("(steps) => { globalThis.steps = steps; }", program.steps)
        expected = definition.values(everything(5), margins(matrices()[5]))
        same_bits(run(script, matrices()[5], [step]), expected)


REFUSED: dict[str, Any] = {
    "a branch on the data": lambda n: 1 if leaf("tp", n).sum() > 3 else 0,
    "a branch on the number of classes": lambda n: leaf("tp", n) if n < 5 else leaf("fp", n),
    "a constant for some": lambda n: leaf("tp", n) if n < 5 else 0.0,
    "a constant for the first": lambda n: leaf("tp", n) if n > 5 else 0.0,
    "the length of a choice": lambda n: len(np.flatnonzero(leaf("tp", n))),
    "a function that the script lacks": lambda n: np.log(leaf("tp", n)),
    "another": lambda n: np.sort(leaf("tp", n)),
    "another axis": lambda n: leaf("tp", n)[..., None].sum(0),
    "another part": lambda n: leaf("tp", n)[..., 1:],
}


@pytest.mark.parametrize("formula", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_written_down_is_refused(formula: Any) -> None:
    with pytest.raises((DefinitionError, NotImplementedError), match=r"cannot|has no|last axis"):
        Program().add(formula)
