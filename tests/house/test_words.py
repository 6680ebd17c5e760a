"""Prose is idiomatic English: phrases that a native technical writer would not use are refused."""

from __future__ import annotations

import re
import subprocess

from tests.helpers.readme import ROOT

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
