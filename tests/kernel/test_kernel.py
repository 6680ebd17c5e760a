"""The C functions give the results of the NumPy ones for every dtype, layout and byte order."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import portable
from tests.helpers.commands import Run
from tests.helpers.memory import LAYOUTS, Array
from whichf1 import kernel
from whichf1.kernel import _native, native, reference

ROOT, C = portable.ROOT, portable.C
INTEGERS = [
    np.dtype(f"{order}{kind}{width}") for order in "<>" for kind in "iu" for width in "1248"
]
Columns = tuple[Array, Array, Array | None]


@st.composite
def columns(draw: st.DrawFn) -> Columns:
    """Two columns of labels near an edge or the middle of their types, and weights or none."""
    n = draw(st.one_of(st.integers(1, 40), st.integers(1000, 4000)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kinds = draw(st.sampled_from(["same", "same", "mixed"]))
    first = draw(st.sampled_from(INTEGERS))
    second = first if kinds == "same" else draw(st.sampled_from(INTEGERS))
    if {first.str[1:], second.str[1:]} & {"u8"} and first.kind != second.kind:
        second = first  # one 64-bit type cannot hold both
    sides = []
    for dtype in (first, second):
        info = np.iinfo(dtype)
        span = min(draw(st.sampled_from([1, 2, 10, 16, 17, 300, 5000, 2**60])), info.max)
        low = draw(st.sampled_from([info.min, info.max - span, 0]))
        values = rng.integers(low, low + span, n, dtype=dtype.newbyteorder("="), endpoint=True)
        if draw(st.booleans()):
            values[rng.integers(n)] = draw(st.sampled_from([info.min, info.max]))
        layout = LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))]
        sides.append(layout(values.astype(dtype)))
    weights = rng.random(n) if draw(st.booleans()) else None
    return sides[0], sides[1], weights


def assert_same(ours: kernel.Pairs, twin: kernel.Pairs) -> None:
    assert ours.labels == twin.labels
    for one, other in zip(ours[1:], twin[1:], strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


@settings(max_examples=300, deadline=None)
@given(columns())
def test_count_pairs_is_its_twin(given_columns: Columns) -> None:
    true, predicted, weights = given_columns
    ours = native.count_pairs(true, predicted, weights)
    assert_same(ours, reference.count_pairs(true, predicted, weights))


@settings(max_examples=60, deadline=None)
@given(columns(), st.integers(1, 2000), st.integers(1, 5))
def test_counts_do_not_depend_on_threads_and_flushes(
    given_columns: Columns, flush: int, threads: int
) -> None:
    true, predicted, weights = given_columns
    # tiled until long enough to be split over threads
    times = -(-(1 << 19) // len(true)) if threads > 1 and weights is None else 1
    true, predicted = np.tile(true, times), np.tile(predicted, times)
    if weights is not None:
        weights = np.tile(weights, times)
    one = _native.count_pairs(true, predicted, weights, 1, 0)
    other = _native.count_pairs(true, predicted, weights, threads, flush)
    assert one == other


@pytest.mark.parametrize("order", ["ascending", "descending", "late"])
def test_the_window_widens_in_every_direction(order: str) -> None:
    labels = np.arange(-3000, 3000, dtype=np.int64)
    values = {"ascending": labels, "descending": labels[::-1]}.get(order)
    if values is None:
        values = np.zeros(50_000, np.int64)
        values[-1], values[-2], values[30_000] = 2**62, -(2**62), 900
    values = np.repeat(values, 7)
    assert_same(native.count_pairs(values, values), reference.count_pairs(values, values))


def test_booleans_are_counted() -> None:
    true, predicted = np.array([True, False, True]), np.array([True, True, True])
    assert_same(native.count_pairs(true, predicted), reference.count_pairs(true, predicted))


@pytest.mark.slow
def test_counts_beyond_32_bits_in_one_cell() -> None:
    n = 2**32 + 5
    zeros = np.zeros(n, np.uint8)  # the system does not allocate pages that are only read
    pairs = native.count_pairs(zeros, zeros)
    assert pairs.labels == [0] and pairs.count.tolist() == [n]


def test_counters_of_a_byte_carry_over() -> None:
    rng = np.random.default_rng(1)
    rare = rng.integers(0, 300, 1000)
    values = np.concatenate([rare, np.full(70_000, 299)])
    assert_same(native.count_pairs(values, values), reference.count_pairs(values, values))


def test_two_threads_count_at_once() -> None:
    rng = np.random.default_rng(2)
    true, predicted = rng.integers(0, 30, (2, 300_000))
    expected = reference.count_pairs(true, predicted)
    results: list[kernel.Pairs] = []
    workers = [
        threading.Thread(
            target=lambda: results.extend(native.count_pairs(true, predicted) for _ in range(5))
        )
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 20
    for result in results:
        assert_same(result, expected)


ZEROS = np.zeros(3, np.int64)
CODES = np.arange(4, dtype=np.int32)
anything: Any = native  # these take what a type checker would refuse
extension: Any = _native


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: anything.count_pairs(np.zeros(3), np.zeros(3)), TypeError),
        (lambda: anything.count_pairs(np.zeros(3, "c16"), ZEROS), TypeError),
        (lambda: anything.count_pairs(np.array(["a"]), np.array(["a"])), TypeError),
        (lambda: anything.count_pairs(np.zeros((3, 1), int), ZEROS), ValueError),
        (lambda: anything.count_pairs(np.int64(3), ZEROS), ValueError),
        (lambda: anything.count_pairs(ZEROS, ZEROS[:2]), ValueError),
        (lambda: anything.count_pairs(ZEROS[:0], ZEROS[:0]), ValueError),
        (lambda: anything.count_pairs(ZEROS, ZEROS.astype(np.uint64)), TypeError),
        (lambda: anything.count_pairs(ZEROS, ZEROS, np.ones(2)), ValueError),
        (lambda: anything.count_pairs(ZEROS, ZEROS, np.ones(3, np.float32)), TypeError),
        (lambda: anything.count_pairs([0, 1, 2], ZEROS), TypeError),
        (lambda: anything.margins(ZEROS + 5, ZEROS, np.ones(3), np.zeros((3, 5))), ValueError),
        (lambda: anything.margins(ZEROS - 1, ZEROS, np.ones(3), np.zeros((3, 5))), ValueError),
        (lambda: anything.margins(ZEROS, ZEROS, np.ones(2), np.zeros((3, 5))), ValueError),
        (lambda: anything.margins(ZEROS, ZEROS, None, np.zeros((3, 5))), ValueError),
        (lambda: anything.margins(ZEROS, ZEROS, np.ones(3), np.zeros((2, 5))), TypeError),
        (lambda: anything.margins(ZEROS, ZEROS, np.ones(3), np.zeros((3, 5), int)), TypeError),
        (lambda: anything.margins(ZEROS, ZEROS, np.ones(3), np.zeros((5, 3)).T), ValueError),
        (lambda: anything.margins(ZEROS, ZEROS, np.ones(3), b""), BufferError),
        (lambda: anything.add_pairs(ZEROS, ZEROS[:2], CODES, 0, np.zeros(4, int)), ValueError),
        (lambda: anything.add_pairs(ZEROS, ZEROS, ZEROS, 0, np.zeros(4, int)), TypeError),
        (lambda: anything.add_pairs(ZEROS, ZEROS, CODES[::2], 0, np.zeros(4, int)), ValueError),
        (lambda: anything.add_pairs(ZEROS, ZEROS, CODES, 0, np.zeros(5, int)), TypeError),
        (lambda: anything.add_pairs(ZEROS, ZEROS, CODES, 0, np.zeros(4)), TypeError),
        (
            lambda: anything.add_pairs(ZEROS, ZEROS, CODES, 0, np.zeros(4, int), np.zeros(5, int)),
            TypeError,
        ),
        (lambda: anything.add_pairs(ZEROS, ZEROS, CODES, 2**70, np.zeros(4, int)), OverflowError),
        (lambda: anything.add_pairs(ZEROS, ZEROS, CODES, 0, np.zeros(0, int)), ValueError),
        (lambda: anything.rank_table(np.zeros(3), np.zeros(2, bool)), ValueError),
        (lambda: anything.rank_table(np.zeros(3), ZEROS), TypeError),
        (lambda: anything.rank_table(ZEROS, np.zeros(3, bool)), TypeError),
        (lambda: anything.rank_table(np.array([np.nan]), np.zeros(1, bool)), ValueError),
        (lambda: anything.loss_sums(ZEROS + 2, np.full((3, 2), 0.5), 0), ValueError),
        (lambda: anything.loss_sums(ZEROS, np.full((2, 2), 0.5), 0), ValueError),
        (lambda: anything.loss_sums(ZEROS, np.full((3, 1, 1), 0.5), 0), ValueError),
        (lambda: anything.loss_sums(ZEROS, np.ones((3, 2), int), 0), TypeError),
        (lambda: extension.encode_fixed(ZEROS), TypeError),
        (lambda: extension.encode_strings(ZEROS, {}, []), TypeError),
        (lambda: extension.encode_strings(["a"], [], {}), TypeError),
        (lambda: extension.count_pairs(ZEROS), TypeError),
    ],
)
def test_the_kernel_raises_on_what_it_does_not_take(
    call: Callable[[], object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        call()


WORDS = st.text(st.sampled_from("abcé日\U0001f600 "), max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=60), st.lists(WORDS, min_size=1, max_size=60))
def test_encode_is_its_twin(first: list[str], second: list[str]) -> None:
    expected = reference.encode(first, second)
    objects = [np.array(x, object) for x in (first, second)]
    wide = [np.array(x, object)[::-1][::-1] for x in (first, second)]
    for columns_ in ((first, second), (tuple(first), second), objects, wide):
        codes, texts = native.encode(*columns_)
        assert texts == expected[1]
        for ours, twin in zip(codes, expected[0], strict=True):
            np.testing.assert_array_equal(ours, twin)


LONG = st.builds("{}{}{}".format, *(st.text("ab\0", max_size=20),) * 3)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(LONG, min_size=1, max_size=80),
    st.sampled_from(["", "é", "\ud800", "日本"]),
    st.integers(0, 80),
)
def test_texts_of_any_length_are_told_apart(words: list[str], odd: str, at: int) -> None:
    words = [*words[:at], odd, *words[at:]] * 2
    fresh = ["".join([word[:1], word[1:]]) for word in words]  # equal, but distinct objects
    (codes,), texts = native.encode(fresh)
    (twin,), expected = reference.encode(words)
    assert texts == expected
    np.testing.assert_array_equal(codes, twin)


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=60), st.sampled_from("<>"), st.booleans())
def test_fixed_width_strings_are_encoded(words: list[str], order: str, strided: bool) -> None:
    array = np.array(words).astype(f"{order}U7")
    if strided:
        array = np.repeat(array, 2)[::2]
    (codes, other), texts = native.encode(array, words)
    (twin, twin_other), expected = reference.encode(array, [w.rstrip("\0") for w in words])
    assert texts == expected
    np.testing.assert_array_equal(codes, twin)
    np.testing.assert_array_equal(other, twin_other)


def test_many_distinct_strings() -> None:
    words = [str(x) for x in np.random.default_rng(3).integers(0, 50_000, 60_000)]
    for column in (words, np.array(words, object), np.array(words)):
        (codes,), texts = native.encode(column)
        assert [texts[code] for code in codes.tolist()] == words


@pytest.mark.parametrize("odd", [1, None, b"a", np.str_("a"), float("nan")])
def test_what_is_not_exactly_a_string_goes_the_other_way(odd: object) -> None:
    assert _native.encode_strings(["a", odd], {}, []) is None
    (codes,), items = native.encode(["a", odd, "a"])
    assert codes.tolist()[0] == codes.tolist()[2] and items[0] == "a"


@settings(max_examples=80, deadline=None)
@given(columns())
def test_margins_are_their_twins(given_columns: Columns) -> None:
    true, predicted, _ = given_columns
    pairs = reference.count_pairs(true, predicted)
    args = (pairs.true, pairs.predicted, pairs.count.astype(float))
    one, other = np.ones((2, 3, len(pairs.labels) + 1))
    native.margins(*args, one)
    reference.margins(*args, other)
    np.testing.assert_array_equal(one, other)


@settings(max_examples=150, deadline=None)
@given(columns(), st.data())
def test_added_pairs_are_their_twins(given_columns: Columns, data: Any) -> None:
    """Both add the same, or nothing where a label is unknown; some labels are dropped."""
    true, predicted, _ = given_columns
    low = data.draw(st.integers(-5, 0) | st.just(int(true.min())).filter(lambda x: x < 2**63))
    codes = np.array(data.draw(st.lists(st.integers(-2, 4), max_size=300)), np.int32)
    spread = data.draw(st.booleans())  # classes alone, so that most are added
    codes = np.arange(300, dtype=np.int32) % 5 if spread else codes
    ours, twin = np.full(25, 7), np.full(25, 7)
    margins, others = np.zeros(15, int), np.zeros(15, int)
    args = (true, predicted, codes, low)
    added = native.add_pairs(*args, ours, margins)
    assert added == reference.add_pairs(*args, twin, others)
    np.testing.assert_array_equal(ours, twin)
    np.testing.assert_array_equal(margins, others)
    table = (ours - 7).reshape(5, 5)
    off = table - np.diag(table.diagonal())
    assert margins.tolist() == [*table.diagonal(), *off.sum(0), *off.sum(1)]
    if added and spread:
        assert ours.sum() == 25 * 7 + len(true)
    if not added:
        assert (ours == 7).all()
    without = np.full(25, 7)
    assert native.add_pairs(*args, without) == added and (without == ours).all()


@settings(max_examples=80, deadline=None)
@given(columns())
def test_a_counted_table_is_that_of_the_pairs(given_columns: Columns) -> None:
    true, predicted, _ = given_columns
    for whole in (True, False):
        ours = native.count_table(true, predicted, whole)
        twin = reference.count_table(true, predicted, whole)
        assert ours == twin
        if ours is None or twin is None:  # not of one kind
            continue
        assert [*map(type, ours[0])] == [*map(type, twin[0])]
        for label in (*ours[0][:3], "none"):
            alone = native.count_class(true, predicted, label)
            assert alone == reference.count_class(true, predicted, label)
            assert (alone is None) == (label == "none")
        if ours[3] is not None:
            information = reference.information(ours[1], ours[3])
            assert native.information(ours[1], ours[3]) == pytest.approx(information, 1e-12, 1e-12)
            contingency = reference.contingency(ours[1], ours[3])
            assert native.contingency(ours[1], ours[3]) == pytest.approx(contingency, 1e-12, 1e-9)


@pytest.mark.parametrize(
    "pair",
    [
        ([0, 1], [True, False]),
        ([0, 1], [0, 1, 1]),
        ([], []),
        ([[0], [1]], [[0], [1]]),
        ([0.5, 1], [0.5, 1]),
        (["a"], ["b"]),
        ([None], [None]),
    ],
)
def test_other_columns_give_no_table(pair: tuple[Any, Any]) -> None:
    true, predicted = map(np.array, pair)
    for twin in (native, reference):
        assert twin.count_table(true, predicted) is None
        assert twin.count_table(np.array([0, 1], np.uint8), np.array([0, 1])) is None


def test_information_of_a_cell_outside_the_table_is_refused() -> None:
    cells = np.array([9]).tobytes() + np.ones(1).tobytes()
    with pytest.raises(ValueError, match="outside"):
        native.information(np.ones(6).tobytes(), cells)
    with pytest.raises(ValueError, match="outside"):
        native.contingency(np.ones(6).tobytes(), cells)


@pytest.mark.parametrize("codes", [[-1, 0, 1], [0, 3, 1], [2**40, 0, 0]])
def test_losses_of_codes_outside_the_columns_are_refused(codes: list[int]) -> None:
    scores = np.full((3, 3), 1 / 3)
    for twin in (native, reference):
        for losses in (
            partial(twin.loss_sums, np.array(codes), scores, 0.0),
            partial(twin.brier_sums, np.array(codes), scores),
            partial(twin.hinge_sums, np.array(codes), scores),
            partial(twin.top_sums, np.array(codes), scores, 1, "first"),
        ):
            with pytest.raises(ValueError, match="outside"):
                losses()


def test_information_of_each_table_is_that_of_one() -> None:
    rng = np.random.default_rng(0)
    tables = rng.integers(0, 9, (40, 5, 5)) * rng.integers(0, 2, (40, 5, 5)).astype(float)
    tp = np.einsum("tii->ti", tables)
    margins = np.stack([tp, tables.sum(1) - tp, tables.sum(2) - tp], 1)
    cells, counts = np.arange(25), tables.reshape(40, 25)
    together = native.information_of_each(margins, cells, counts)
    for at, three in enumerate(together.tolist()):
        pair = cells.astype(np.int64).tobytes() + counts[at].tobytes()
        assert native.information(margins[at].tobytes(), pair) == tuple(three)
    twin = reference.information_of_each(margins, cells, counts)
    np.testing.assert_allclose(together, twin, 1e-12, 1e-12)
    assert native.information_of_each(margins[:0], cells, counts[:0]).shape == (0, 3)


def test_information_of_tables_that_do_not_fit_is_refused() -> None:
    margins, counts = np.ones((2, 3, 2)), np.ones((2, 4))
    for outside in (4, -1):
        with pytest.raises(ValueError, match="outside"):
            native.information_of_each(margins, np.array([0, 1, 2, outside]), counts)
    with pytest.raises(ValueError, match="each table needs"):
        native.information_of_each(margins, np.arange(3), counts)


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The C files without Python: under the sanitizers, and as they are installed."""
    folder = tmp_path_factory.mktemp("driver")
    checks = ("-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined")
    careful = ("-g", "-O1", "-std=c11", "-fno-sanitize-recover=all", *checks)
    return (
        portable.built(("cc", "-pthread"), folder / "careful", careful),
        portable.built(("cc", "-pthread"), folder / "quick"),
    )


SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_buffers_under_the_sanitizers(drivers: tuple[Path, Path], seed: int) -> None:
    careful, quick = drivers
    assert portable.digest(careful, seed) == portable.digest(quick, seed)


def test_only_two_c_files_know_of_python() -> None:
    including = {path.name for path in C.iterdir() if 'python_api.h"' in path.read_text()}
    assert including == portable.WITH_PYTHON
    assert [path.name for path in C.iterdir() if "Python.h" in path.read_text()] == ["python_api.h"]


def test_writes_of_other_threads_do_not_crash_the_process() -> None:
    script = ROOT / "tests" / "native" / "concurrent_writes.py"
    run = subprocess.run([sys.executable, script, "1.5"], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_numpy_takes_over_where_asked() -> None:
    code = "from whichf1 import kernel; print(kernel.NATIVE, kernel.count_pairs.__module__)"
    for value, expected in (
        ("0", "False whichf1.kernel.reference"),
        ("1", "True whichf1.kernel.native"),
    ):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "WHICHF1_NATIVE": value},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == expected
    assert kernel.NATIVE


def test_both_kernels_have_the_same_functions() -> None:
    functions = [name for name, each in vars(kernel).items() if inspect.isroutine(each)]
    assert len(functions) == 40
    for name in {*functions} - {"beta_logit", "margins", "rank_table"}:  # C's own, or a wrapper
        assert getattr(native, name).__doc__ == getattr(reference, name).__doc__


def test_the_version_says_which_kernel_runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for present, word in ((True, "yes"), (False, "no")):
        monkeypatch.setattr(kernel, "NATIVE", present)
        assert f"(native: {word})" in run("--version")[1]


@pytest.mark.slow
def test_the_install_succeeds_without_a_compiler(tmp_path: Path) -> None:
    copy = tmp_path / "whichf1"
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("*.so", "*.egg-info"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "bdist_wheel", "--dist-dir", str(tmp_path)],
        cwd=copy,
        env={**os.environ, "CC": "/nonexistent/cc", "CXX": "/nonexistent/cc"},
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "whichf1/kernel/reference.py" in names
    assert [name for name in names if name.endswith((".so", ".pyd"))] == []
