"""Prose is idiomatic English: phrases that a native technical writer would not use are refused."""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
import warnings
from itertools import pairwise
from pathlib import Path

import pytest

import whichf1 as wf
from tests.helpers.readme import ROOT
from whichf1.definitions.definition import define, define_fitting
from whichf1.definitions.words import sentence
from whichf1.errors import FileError
from whichf1.reporting.document import render
from whichf1.reporting.published import dialect_document

INSTEAD = {
    r"hangs? on": "depends on",
    r"told apart|tells? \w+ apart": "distinguished, distinguishes",
    r"taken for independent": "treated as independent",
    r"stands? (?:beside|twice|in it)": "is next to, appears twice, is in it",
    r"(?:made|drawn) anew": "created again, drawn afresh",
    r"unless said": "default: …",
    r"without a word|in silence": "silently",
    r"per cent": "percent",
    r"quicker|likelier": "faster, more likely",
    r"(?:was|were|is|are) at hand": "was available",
    r"none of ours": "unexpected",
    r"do(?:es)? not add up": "cannot be added",
    r"is given twice": "appears twice, is named twice",
    r"is asked for": "is requested",
    r"knows nothing of": "knows nothing about",
    r"no interval of it is known": "no valid interval is known",
    r"all that is known of": "everything known about",
    r"(?<!there )is no (?:array|list|number|probability|span|tag|distribution)": "is not a …",
}
"""Phrases, and what to write instead."""
SUFFIXES = (".py", ".pyi", ".md", ".c", ".h", ".inc", ".js", ".html")


def test_prose_is_idiomatic() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout
    files = [name for name in listed.splitlines() if name.endswith(SUFFIXES)]
    assert len(files) > 300
    odd = re.compile("|".join(rf"\b(?:{phrase})\b" for phrase in INSTEAD))
    found = []
    for name in files:
        if name == "tests/house/test_words.py" or name.startswith("tests/data/"):
            continue
        text = re.sub(r"\s+(?:# )?", " ", (ROOT / name).read_text(encoding="utf-8"))
        for match in odd.finditer(text):
            phrase = next(x for x in INSTEAD if re.search(rf"\b(?:{x})\b", match[0]))
            found.append(f"{name}: '{match[0]}'; write: {INSTEAD[phrase]}")
    assert not found, "\n".join(found)


PLURAL = re.compile(
    r" (?:classes|items|lines|slices|systems|pairs|rows|definitions|dialects|points|columns|labels"
    r"|groups|scores|sentences|spans|types|files|values|replicates|folds|data sets|cells|raters)\b"
)
"""Nouns that a count may come before."""
CHECKED = {
    "comparison/significance.py": "a single item has a sentence of its own",
    "reporting/gates.py": "the name of a score",
    "reporting/pictures/counts.py": "at least two, or more than fit on a page",
    "reporting/pictures/forests.py": "a single slice has a sentence of its own",
    "reporting/published.py": "a single value has a sentence of its own",
    "reporting/slices.py": "a constant",
    "sources/engines/files.py": "more than one file, or not as many as in another file",
    "sources/lines.py": "as many as the columns of scores, which are several",
    "sources/request.py": "not as many as there are columns",
    "sources/run_columns.py": "a list of numbers",
    "statistics/cells.py": "several classes",
    "tables/trials.py": "a single data set is not mentioned",
}
"""Modules that write a plural after a number that is never 1."""


def test_counts_are_written_by_numbered() -> None:
    """A sentence with a count is right for 1: errors.numbered chooses the noun."""
    found = []
    for path in sorted((ROOT / "src/whichf1").rglob("*.py")):
        name = path.relative_to(ROOT / "src/whichf1").as_posix()
        if name.startswith(("paper/", "integrations/")) or name in CHECKED:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        one = {id(x) for each in ast.walk(tree) if isinstance(each, ast.IfExp)
               for x in ast.walk(each)}  # fmt: skip  # the other branch is for 1
        for text in ast.walk(tree):
            if not isinstance(text, ast.JoinedStr) or id(text) in one:
                continue
            for value, after in pairwise(text.values):
                if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                    continue
                spec = ast.unparse(value.format_spec) if value.format_spec else ""
                many = PLURAL.match(str(after.value))
                if many and spec in ("", "f','"):
                    place = f"{name}:{text.lineno}"
                    found.append(f"{place}: {ast.unparse(value.value)}{many[0]}; use numbered()")
    assert not found, "\n".join(found)


def test_sentences_about_one_are_singular() -> None:
    """What reports, pictures, audits and warnings say if there is 1 of something."""
    one = wf.count(["a"], ["a"])
    report = wf.report(["a"], ["a"], interval=None)
    audited = wf.audit(precision=0.9, recall=0.1, f1=0.3, decimals=2, classes=1)
    said = [
        *(sentence(define(name), 1, 1) for name in ("precision", "averaged_f1", "f1_of_averages")),
        *(
            sentence(define_fitting("f1", {"classes": x}), 1, 1)
            for x in ("observed", "true", "declared")
        ),
        sentence(define_fitting("averaged_f1", {"classes": ("a",)}), 1, 1),
        str(report),
        report.to_latex(),
        audited.reason,
        str(report.counts),
        wf.picture(wf.count(["a"], ["b"]), "confusion").finding,
        wf.picture(wf.count(["a", "b"], ["a", "b"]), "dialects").finding,
        wf.picture(wf.report(["a"], ["a"], ["accuracy", "averaged_f1"]), "scores").finding,
        render(dialect_document("one", wf.dialects.table(one)), "text"),
    ]
    for text in said:
        assert not re.search(rf"(?<![\d.,])1{PLURAL.pattern}", text), text
    assert "the only class that occurs" in said[3]
    assert "because there is only one class." in str(report)
    assert (
        said[-4] == "0 of 1 item is predicted correctly; a is most often predicted as b (1 of 1)."
    )
    assert "print the same number for the same predictions, 1.0000." in said[-3]
    assert said[-2] == "All scores of the same items are 1.0000."
    assert "1 line that is not a JSON object" in skipped_line()


def skipped_line() -> str:
    """The warning about a file with one bad line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.jsonl"
        path.write_text('{"true": "a", "pred": "a"}\noops\n{"true": "b", "pred": "a"}\n')
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            wf.count(path, on_error="skip")
        with pytest.raises(FileError, match=r"\(char 0\)\.$"):
            wf.count(path)
    return str(caught[0].message)
