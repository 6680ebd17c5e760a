"""Slices: the counts of each group of items add up, and say what they lack."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whichf1 as wf
from whichf1.errors import MergeError

LINES = st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from(["de", "en", None]))


def sliced(lines: list[tuple[int, int, Any]]) -> wf.Slices:
    return wf.count_by(pd.DataFrame(lines, columns=["true", "pred", "lang"]), by="lang")


@settings(max_examples=20)
@given(st.lists(LINES, min_size=1, max_size=8), st.lists(LINES, min_size=1, max_size=8))
def test_slices_of_parts_add_up_to_those_of_the_whole(left: Any, right: Any) -> None:
    parts, whole = [sliced(left), sliced(right)], sliced(left + right)
    both = parts[0] + parts[1]
    assert list(both) == list(whole) and len(both) == len({line[2] for line in left + right})
    assert both == whole and both.whole == whole.whole
    assert sum(parts) == whole
    for lang in both:
        chosen = [(a, b) for a, b, other in left + right if (other,) == lang]
        assert both[lang].labels == both.whole.labels
        for true, predicted in set(chosen):
            at = both.whole.labels.code(true), both.whole.labels.code(predicted)
            assert both[lang].matrix[at] == chosen.count((true, predicted))


def test_a_missing_slice_is_named_with_those_that_exist() -> None:
    slices = sliced([(0, 0, "en"), (1, 0, None)])
    assert slices["en"] == slices[("en",)] != slices[None]
    with pytest.raises(KeyError, match=r"no slice \('fr',\) of lang. Slices: \('en',\), \(None,\)"):
        slices["fr"]
    many = sliced([(0, 0, f"{at:02}") for at in range(11)])
    with pytest.raises(KeyError, match=r"'09',\)[^1]*$"):
        many["fr"]


def test_slices_by_other_columns_or_of_other_tables_do_not_add_up() -> None:
    slices = sliced([(0, 0, "en")])
    with pytest.raises(MergeError, match="differ in the columns of slices"):
        _ = slices + wf.Slices(("country",), slices.parts)
    counts: Any = wf.count_multilabel([{"a"}], [{"a"}])
    sets = wf.Slices(("lang",), {("en",): counts})
    assert sets.whole is counts
    for parts in ((slices, sets), (sets, slices)):
        with pytest.raises(MergeError, match=r"slices of [\w ]+ and [\w ]+ cannot be added"):
            _ = parts[0] + parts[1]
