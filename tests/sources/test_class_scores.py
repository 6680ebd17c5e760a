"""Columns of scores that stay where they are: the same numbers as arrays, and few lines read."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whichf1 as wf
from tests.helpers.engines import DATABASES, ENGINES, group
from tests.helpers.files import WRITERS
from whichf1.scoring.decisions import decide
from whichf1.scoring.lines import score_lines
from whichf1.sources.answers import scores as class_scores
from whichf1.sources.answers.lines import ClassScores
from whichf1.sources.questions import derived, grouped, lines
from whichf1.sources.questions.derived import Added
from whichf1.sources.request import Request

LAZY = {name: ENGINES[name] for name in (*DATABASES, "polars lazy", "spark")}
"""Engines that hold the rows themselves."""
NAMES = ["cat", "dog", "eel"]
QUICK = {"replicates": 199}


class Data:
    """Items with two systems of distributions over three classes, weights and clusters."""

    def __init__(self, n=300, seed=3, names=NAMES):
        rng = np.random.default_rng(seed)
        k = len(names)
        at = rng.integers(0, k, n)
        self.true = [names[x] for x in at]
        self.names = names
        sure = 0.3 * np.eye(k)[at]
        self.p, self.q = (self.fair(rng.dirichlet(np.full(k, 0.7), n) + sure) for _ in range(2))
        self.w = rng.integers(1, 5, n) / 2
        self.doc = [f"d{x}" for x in rng.integers(0, n // 4, n)]
        columns = {f"p{x}": s for x, s in zip(names, self.p.T, strict=True)}
        columns |= {f"q{x}": s for x, s in zip(names, self.q.T, strict=True)}
        self.table = pa.table({"gold": self.true, **columns, "w": self.w, "doc": self.doc})
        self.columns = {x: f"p{x}" for x in names}
        self.systems = {s: [f"{s}{x}" for x in names] for s in "pq"}

    @staticmethod
    def fair(scores):
        """Distributions in steps of 1/64, so that some are alike and sums are exact."""
        whole = np.floor(64 * scores / scores.sum(1, keepdims=True))
        whole[:, -1] += 64 - whole.sum(1)
        return whole / 64

    def write(self, path):
        if path.name.endswith("npz"):
            made = {x: np.array(self.table[x].to_pylist()) for x in self.table.column_names}
            np.savez(path, **made)
        else:
            WRITERS[path.name](path, self.table.to_pylist())
        return path


SCORES = [
    ("log_loss", {}),
    ("brier", {}),
    ("top_k_accuracy", {"k": 2}),
    ("top_k_accuracy", {"k": 1, "ties": "last"}),
    ("top_k_accuracy", {"k": 1, "ties": "best"}),
    ("top_k_accuracy", {"k": 1, "ties": "worst"}),
    ("log_loss", {"floor": 0.0}),
    ("expected_calibration_error", {"multi_class": "top-label"}),
    ("roc_auc", {"average": "macro", "multi_class": "ovr"}),
    ("roc_auc", {"average": "weighted", "multi_class": "ovo"}),
    ("average_precision", {"average": "macro"}),
    ("roc_auc", {"positive": "dog"}),
]
KINDS = [{}, {"weights": "w"}, {"cluster": "doc"}, {"weights": "w", "cluster": "doc"}]


def assert_same(found, expected):
    assert found.value == pytest.approx(expected.value, rel=1e-10)
    assert found.signature == expected.signature
    assert found.n == pytest.approx(expected.n)
    assert (found.interval is None) == (expected.interval is None)
    if expected.interval is not None:
        for end in ("low", "high"):
            ours, theirs = getattr(found.interval, end), getattr(expected.interval, end)
            assert ours == pytest.approx(theirs, rel=1e-8)


def check_scores(source, data, scores=SCORES, kinds=KINDS):
    arrays = {"w": data.w, "doc": data.doc}
    for metric, options in scores:
        for kind in kinds:
            for interval in (None, "delta", wf.Bootstrap(**QUICK)):
                if interval == "delta" and metric == "expected_calibration_error":
                    continue
                own = {**options, "interval": interval} if interval else options
                given = {key: arrays[name] for key, name in kind.items()}
                found = wf.score(source, metric, true="gold", score=data.columns, **kind, **own)
                expected = wf.score(data.true, data.p, metric, labels=data.names, **given, **own)
                assert_same(found, expected)


def check_decisions(source, data, kinds=KINDS):
    arrays = {"w": data.w, "doc": data.doc}
    for kind in kinds:
        given = {key: arrays[name] for key, name in kind.items()}
        for k, ties in ((1, "first"), (1, "last"), (2, "first"), (2, "last")):
            found = wf.at_top_k(source, k=k, ties=ties, true="gold", score=data.columns, **kind)
            expected = wf.at_top_k(data.true, data.p, k, ties=ties, labels=data.names, **given)
            assert found == expected
            ours, theirs = (wf.averaged_f1(x, interval="delta") for x in (found, expected))
            assert_same(ours, theirs)
    assert wf.at_argmax(source, true="gold", score=data.columns) == wf.at_argmax(
        data.true, data.p, labels=data.names
    )


def check_comparisons(source, data, kinds=KINDS):
    arrays = {"w": data.w, "doc": data.doc}
    for metric, options in (
        ("log_loss", {}),
        ("top_k_accuracy", {"k": 1}),
        ("expected_calibration_error", {"multi_class": "top-label"}),
        ("roc_auc", {"average": "macro"}),
    ):
        for kind in kinds:
            given = {key: arrays[name] for key, name in kind.items()}
            own = {"labels": data.names, **options, **QUICK}
            found = wf.compare(source, data.systems, metric, true="gold", **kind, **own)
            expected = wf.compare(data.true, {"p": data.p, "q": data.q}, metric, **given, **own)
            assert found.signature == expected.signature
            ours, theirs = found.pairs[0], expected.pairs[0]
            assert ours.difference == pytest.approx(theirs.difference, rel=1e-9)
            assert (ours.only_a, ours.only_b) == (theirs.only_a, theirs.only_b)
            if metric != "expected_calibration_error":
                assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-8)
                assert ours.p_value == pytest.approx(theirs.p_value, rel=1e-6)
            for test in ("p_bootstrap", "p_randomization"):
                a, b = getattr(ours, test), getattr(theirs, test)
                assert (a is None) == (b is None)
                if "cluster" not in kind:  # what is drawn has an order of its own
                    assert a == b


@pytest.mark.parametrize("engine", [pytest.param(name, marks=group(name)) for name in LAZY])
@pytest.mark.filterwarnings("ignore")
def test_every_engine_gives_the_numbers_of_arrays(engine):
    data = Data()
    frame = LAZY[engine](data.table)
    few = KINDS if engine != "spark" else KINDS[::3]
    check_scores(frame, data, SCORES if engine != "spark" else SCORES[::2], few)
    if engine != "spark":
        check_decisions(frame, data)
        check_comparisons(frame, data)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore")
def test_spark_decides_and_compares():
    data = Data(120)
    frame = LAZY["spark"](data.table)
    found = wf.at_top_k(frame, k=2, true="gold", score=data.columns, weights="w", cluster="doc")
    given = {"labels": NAMES, "weights": data.w, "cluster": data.doc}
    assert found == wf.at_top_k(data.true, data.p, 2, **given)
    own = {"labels": NAMES, **QUICK}
    both = wf.compare(frame, data.systems, "brier", true="gold", **own)
    arrays = wf.compare(data.true, {"p": data.p, "q": data.q}, "brier", **own)
    assert both.pairs[0].difference == pytest.approx(arrays.pairs[0].difference)
    assert both.pairs[0].p_value == pytest.approx(arrays.pairs[0].p_value)


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_numbers_of_arrays(name, tmp_path):
    data = Data()
    path = data.write(tmp_path / name)
    check_scores(path, data, SCORES[:1] + SCORES[7:9], KINDS[::3])
    if name in ("a.csv", "a.jsonl", "a.parquet", "a.npz"):
        check_decisions(path, data, KINDS[::3])
    if name in ("a.jsonl", "a.parquet"):
        check_scores(path, data, SCORES, KINDS[::3])
        check_comparisons(path, data, KINDS[::3])


@pytest.mark.parametrize("kind", ["int", "bool", "float", "text of numbers"])
@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "a.csv", "a.jsonl", "a.parquet"])
@pytest.mark.filterwarnings("ignore")
def test_true_classes_of_every_type(engine, kind, tmp_path):
    if (engine, kind) == ("a.csv", "bool"):
        kind = "int"  # text holds no booleans
    names = {"int": [-1, 0, 7], "bool": [False, True], "float": [1, 2, 3]}.get(kind, ["1", "2"])
    data = Data(80, names=names)
    cells = [float(x) for x in data.true] if kind == "float" else data.true
    data.table = data.table.set_column(0, "gold", pa.array(cells))
    if engine in LAZY:
        source = LAZY[engine](data.table)
    else:
        source = tmp_path / engine
        WRITERS[engine](source, data.table.to_pylist())
    options = {"true": "gold", "score": [*data.columns.values()], "labels": names}
    for metric in ("log_loss", "top_k_accuracy"):
        found = wf.score(source, metric, **options)
        assert_same(found, wf.score(data.true, data.p, metric, labels=names))
    assert wf.at_argmax(source, **options) == wf.at_argmax(data.true, data.p, labels=names)


@pytest.fixture
def leaving(monkeypatch):
    """How many lines have left an engine."""
    counted = []

    def watch(module, name, size):
        own = getattr(module, name)

        def counting(result):
            found = own(result)
            counted.append(size(found))
            return found

        monkeypatch.setattr(module, name, counting)

    watch(grouped, "plain_rows", len)
    watch(derived, "plain_rows", len)
    watch(lines, "columns_of", lambda found: len(found[0]))
    return counted


@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "a.parquet", "a.csv"])
@pytest.mark.filterwarnings("ignore")
def test_the_rows_stay(engine, tmp_path, leaving, monkeypatch):
    """What leaves is a sum, or a line for each combination of distinct values."""
    monkeypatch.setattr(class_scores, "TOGETHER", 0)
    data = Data(2000)
    kinds = len({(t, *p) for t, p in zip(data.true, data.p.tolist(), strict=True)})
    if engine in LAZY:
        source = LAZY[engine](data.table)
        parts = 2 if engine == "dask" else 1
    else:
        source, parts = data.write(tmp_path / engine), 1
    own = {"true": "gold", "score": data.columns}
    most = {
        ("log_loss", ()): 1,
        ("brier", (("weights", "w"), ("interval", "delta"))): 1,
        ("brier", (("cluster", "doc"), ("interval", "bootstrap"))): 500,
        ("log_loss", (("interval", "bootstrap"),)): 65,
        ("top_k_accuracy", (("interval", "bootstrap"),)): 2,
        ("expected_calibration_error", ()): 2 * 65,
        ("roc_auc", (("average", "macro"),)): 3 * 3 * 65,
        ("roc_auc", (("average", "macro"), ("interval", "delta"))): kinds,
    }
    assert kinds < 1900
    for (metric, options), few in most.items():
        leaving.clear()
        wf.score(source, metric, **own, **dict(options))
        assert sum(leaving) <= parts * (3 + few), (metric, options)
    leaving.clear()
    wf.at_argmax(source, **own)
    assert sum(leaving) <= parts * (3 + 9)
    leaving.clear()
    wf.compare(source, data.systems, "top_k_accuracy", true="gold", labels=NAMES, k=1, **QUICK)
    assert sum(leaving) <= parts * (3 + 4)


def many(k, n=200):
    rng = np.random.default_rng(1)
    names = [f"c{at:04}" for at in range(k)]
    true = [names[x] for x in rng.integers(0, k, n)]
    p = rng.dirichlet(np.ones(k), n)
    return names, true, p, pa.table({"gold": true, **dict(zip(names, p.T, strict=True))})


@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "a.csv"])
@pytest.mark.filterwarnings("ignore")
def test_many_classes(engine, tmp_path):
    names, true, p, table = many(100)
    if engine in LAZY:
        source = LAZY[engine](table)
    else:
        source = tmp_path / engine
        WRITERS[engine](source, table.to_pylist())
    found = wf.score(source, "top_k_accuracy", true="gold", score=names, k=5)
    assert_same(found, wf.score(true, p, "top_k_accuracy", labels=names, k=5))
    found = wf.at_top_k(source, k=5, true="gold", score=names)
    assert found == wf.at_top_k(true, p, 5, labels=names)


def test_expressions_of_very_many_classes_are_not_deep(tmp_path):
    """DuckDB refuses expressions of a depth above 1,000."""
    names, true, p, table = many(1100, 50)
    pq.write_table(table, tmp_path / "a.parquet")
    found = wf.brier(tmp_path / "a.parquet", true="gold", score=names)
    assert_same(found, wf.brier(true, p, labels=names))
    table = table.set_column(1, names[0], pa.array(p[:, 0] + 0.5 * (np.arange(50) == 7)))
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(wf.errors.InputError, match=r"in 1 .* the first is item 8 "):
        wf.brier(tmp_path / "a.parquet", true="gold", score=names)


def spoiled(tmp_path, *lines):
    path = tmp_path / "a.csv"
    path.write_text("gold,cat,dog,w,doc\n" + "".join(f"{line}\n" for line in lines))
    return path


GOOD = ["cat,0.75,0.25,1,a", "dog,0.5,0.5,2,a", "dog,0.125,0.875,1,b", "cat,1,0,1,c"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "cat,0.7,0.7,1,a",
            r"not a distribution in 1 of its 5 items; .*item 5 \('0.7, 0.7'\) \(line 6",
        ),
        ("cat,1.5,-0.5,1,a", r"not a distribution in 1 of its 5 items.*lies in \[0, 1\]"),
        ("cat,x,0.5,1,a", r"'cat' has no finite number in 1 of its 5 items; .*item 5 \('x'\)"),
        ("cat,0.5,inf,1,a", r"'dog' has no finite number in 1 of its 5 items"),
        (",0.5,0.5,1,a", r"'gold' has no label in 1 of its 5 items; .*item 5"),
        ("eel,0.5,0.5,1,a", r"which class does each of the columns cat, dog belong to.*eel"),
        ("cat,0.5,0.5,-1,a", r"1 of the 5 items have no valid weight in column 'w'; .*item 5"),
        ("cat,0.5,0.5,1,", r"'doc' has no cluster in 1 of its 5 items; .*item 5"),
        ("cat,0.5", r"line 6"),
    ],
)
def test_what_is_wrong_with_an_item(tmp_path, line, says):
    path = spoiled(tmp_path, *GOOD, line)
    own = {"true": "gold", "score": ["cat", "dog"], "weights": "w", "cluster": "doc"}
    with pytest.raises(wf.errors.WhichF1Error, match=says):
        wf.log_loss(path, **own)
    if "distribution" not in says:
        with pytest.raises(wf.errors.WhichF1Error, match=says):
            wf.at_argmax(path, **own)


def test_bad_items_are_skipped_with_one_word(tmp_path):
    bad = ["cat,0.7,0.7,1,a", "cat,x,0.5,1,a", ",0.5,0.5,1,a", "cat,0.5,0.5,-1,a", "cat,1"]
    path = spoiled(tmp_path, *GOOD[:2], *bad, *GOOD[2:])
    clean = spoiled(tmp_path / "..", *GOOD)
    own = {"true": "gold", "score": ["cat", "dog"], "weights": "w", "interval": "delta"}
    for metric, options in (
        ("log_loss", {}),
        ("brier", {"cluster": "doc"}),
        ("log_loss", {"interval": "bootstrap"}),
        ("expected_calibration_error", {"multi_class": "top-label", "interval": None}),
    ):
        given = {**own, **options}
        with pytest.warns(wf.errors.SkippedWarning) as said:
            found = wf.score(path, metric, on_error="skip", **given)
        (word,) = (str(each.message) for each in said)
        for part in (
            "1 without a label in 'gold'",
            "1 without a finite number in 'cat'",
            "1 with a bad weight in 'w'",
            "1 whose probabilities are not a distribution",
            "1 lines (missing columns",
        ):
            assert part in word
        assert_same(found, wf.score(clean, metric, **given))
    with pytest.warns(wf.errors.SkippedWarning) as said:
        area = wf.roc_auc(path, true="gold", score=["cat", "dog"], average="macro", on_error="skip")
    y, s = ["cat", "dog", "cat", "cat", "dog", "cat"], [0.75, 0.5, 0.7, 0.5, 0.125, 1]
    assert len(said) == 1
    other = [0.25, 0.5, 0.7, 0.5, 0.875, 0]
    rows = np.column_stack([s, other])
    assert area == wf.roc_auc(y, rows, labels=["cat", "dog"], average="macro")


def test_a_file_that_changes_between_two_questions(tmp_path, monkeypatch):
    path = spoiled(tmp_path, *GOOD)

    def rows(self, *given, own=Added.answer):
        found = own(self, *given)
        return [(c, n + 1, *rest) for c, n, *rest in found]

    monkeypatch.setattr(Added, "answer", rows)
    with pytest.raises(wf.errors.InputError, match="changed while it was read: it had 4 items"):
        wf.log_loss(path, true="gold", score=["cat", "dog"])


@pytest.mark.parametrize("engine", ["duckdb", "polars lazy", "a.csv"])
def test_moments_of_columns(engine, tmp_path):
    data = Data(100)
    source = LAZY[engine](data.table) if engine in LAZY else data.write(tmp_path / engine)
    for metric in ("log_loss", "brier", "top_k_accuracy"):
        found = wf.moments(source, metric, true="gold", score=data.columns)
        expected = wf.moments(data.true, data.p, metric, labels=data.names)
        assert (found.n, found.labels, found.parameters) == (
            *(expected.n, expected.labels, expected.parameters),
        )
        assert found.total == pytest.approx(expected.total)
        assert found.squares == pytest.approx(expected.squares)
        assert_same(wf.score(found, metric), wf.score(expected, metric))
    with pytest.raises(wf.errors.InputError, match="leave weights= and cluster= out"):
        wf.moments(source, "brier", true="gold", score=data.columns, weights="w")


def test_one_column_of_two_classes(tmp_path):
    path = spoiled(tmp_path, *GOOD)
    y, s, doc, w = ["cat", "dog", "dog", "cat"], [0.75, 0.5, 0.125, 1], [*"aabc"], [1, 2, 1, 1]
    own = {"true": "gold", "score": "cat", "positive": "cat"}
    found = wf.moments(path, "log_loss", **own)
    expected = wf.moments(y, s, "log_loss", positive="cat")
    assert found.total == pytest.approx(expected.total) and found.n == 4
    counts = wf.at_threshold(path, threshold=0.5, cluster="doc", weights="w", **own)
    direct = wf.at_threshold(y, s, 0.5, positive="cat", cluster=doc, weights=w)
    assert counts == direct and "clusters:3" in wf.accuracy(counts).signature
    assert 'decision:"' in wf.accuracy(counts).signature
    parts = wf.at_threshold(y[:2], s[:2], 0.5, positive="cat", cluster=doc[:2], weights=w[:2])
    parts += wf.at_threshold(y[2:], s[2:], 0.5, positive="cat", cluster=doc[2:], weights=w[2:])
    assert parts == direct
    saved = tmp_path / "counts.json"
    counts.save(saved)
    assert wf.Counts.load(saved) == counts
    other = wf.at_threshold(y, s, 0.25, positive="cat", cluster=doc, weights=w)
    with pytest.raises(wf.errors.MergeError, match="decided differently"):
        counts + other


def test_probabilities_on_the_command_line(tmp_path, run, monkeypatch):
    data = Data(100)
    path = data.write(tmp_path / "a.csv")
    probs = ["--probs", ",".join(f"{x}={c}" for x, c in data.columns.items()), "--true", "gold"]
    code, out, err = run("score", path, *probs, "--cluster", "doc", "-f", "json")
    assert (code, err) == (0, "")
    found = {x["signature"].split("|")[0].split("(")[0]: x for x in json.loads(out)["scores"]}
    own = {"labels": NAMES, "cluster": data.doc, "interval": "delta"}
    for name, expected in (
        ("log_loss", wf.log_loss(data.true, data.p, **own)),
        ("brier", wf.brier(data.true, data.p, **own)),
        (
            "accuracy",
            wf.accuracy(
                wf.at_argmax(data.true, data.p, labels=NAMES, cluster=data.doc), interval="delta"
            ),
        ),
    ):
        assert found[name]["value"] == pytest.approx(expected.value)
        assert found[name]["interval"]["low"] == pytest.approx(expected.interval.low)
        assert "clusters:" in found[name]["signature"]
    with open(path, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stdin})())
        code, piped, err = run("score", "-", "--from", "csv", *probs, "-f", "json")
    assert (code, err) == (0, "")
    code, read, _ = run("score", path, *probs, "-f", "json")
    ours, theirs = json.loads(piped)["scores"], json.loads(read)["scores"]
    assert [x["signature"] for x in ours] == [x["signature"] for x in theirs]


@pytest.mark.parametrize("source", ["path", "duckdb.sql(f'select * from {path!r}')"])
@pytest.mark.parametrize("end", ["", "\n1 / 0"])
def test_nothing_is_said_at_exit(tmp_path, source, end):
    """DuckDB 2 reports what is left of it at exit, and narwhals keeps something."""
    path = str(spoiled(tmp_path, *GOOD))
    script = (
        "import duckdb, numpy, whichf1 as wf\n"
        f"path = {path!r}\n"
        f"for metric in ('log_loss', 'roc_auc'):\n"
        f"    print(wf.score({source}, metric, true='gold', score=['cat', 'dog'], positive=None, "
        f"average='macro' if metric == 'roc_auc' else None).value){end}\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert len(done.stdout.split()) == 2
    assert "leaked" not in done.stderr and ("ZeroDivisionError" in done.stderr) == bool(end)


@pytest.mark.parametrize(("metric", "options"), SCORES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_does_not_depend_on_the_order_of_items(metric, options, kind):
    data = Data(120)
    arrays = {"w": data.w, "doc": np.array(data.doc)}
    own = {"labels": NAMES, "interval": wf.Bootstrap(**QUICK), **options}
    order = np.random.default_rng(9).permutation(120)
    found = [
        wf.score(
            [data.true[x] for x in at],
            data.p[at],
            metric,
            **{key: arrays[name][at] for key, name in kind.items()},
            **own,
        )
        for at in (np.arange(120), order)
    ]
    assert_same(*found)
    if options.get("floor") == 0:  # an infinite loss has no difference
        return
    both = [
        wf.compare(
            [data.true[x] for x in at],
            {"p": data.p[at], "q": data.q[at]},
            metric,
            **{key: arrays[name][at] for key, name in kind.items()},
            **{**own, "interval": None, **QUICK},
        ).pairs[0]
        for at in (np.arange(120), order)
    ]
    for name in ("p_bootstrap", "p_randomization"):
        assert getattr(both[0], name) == pytest.approx(getattr(both[1], name))


SMALL_MEMORY = """
import sys
import whichf1 as wf
from tests.helpers.peak import held, peak
names = ["cat", "dog", "eel", "fox"]
own = {"true": "gold", "score": names, "memory_limit": "200MB"}
wf.log_loss(sys.argv[1], **own)
before = held()
for path in sys.argv[2:]:
    wf.log_loss(path, weights="w", interval="delta", **own)
    wf.brier(path, cluster="doc", interval="bootstrap", **own)
    wf.top_k_accuracy(path, interval="bootstrap", **own)
    wf.at_top_k(path, k=2, cluster="doc", **own)
print(peak() - before)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_items(tmp_path):
    """6,000,000 items of 48 bytes are 288 MB; DuckDB may use 200, and no row is kept."""
    rng = np.random.default_rng(1)
    names = ["cat", "dog", "eel", "fox"]

    def block(n):
        p = Data.fair(rng.dirichlet(np.ones(4), n))
        gold = np.array(names)[rng.integers(0, 4, n)]
        made = {"gold": gold, **dict(zip(names, p.T, strict=True)), "w": rng.random(n)}
        return pa.table({**made, "doc": rng.integers(0, 100, n)})

    paths = [tmp_path / f"{size}.parquet" for size in ("few", "many")]
    for path, blocks in zip(paths, (1, 120), strict=True):
        first = block(50_000)
        with pq.ParquetWriter(path, first.schema) as out:
            out.write_table(first)
            for _ in range(1, blocks):
                out.write_table(block(50_000))
    command = [sys.executable, "-c", SMALL_MEMORY, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100e6, f"{int(done.stdout):,} bytes"


@pytest.mark.parametrize("engine", ["pandas", "polars lazy", "duckdb", "a.csv"])
def test_which_class_a_column_of_a_system_is_of(engine, tmp_path):
    data = Data(100)
    made = {**ENGINES, **LAZY}
    source = made[engine](data.table) if engine in made else data.write(tmp_path / engine)
    options = {"true": "gold", **QUICK}
    expected = wf.compare(data.true, {"p": data.p, "q": data.q}, "log_loss", labels=NAMES, **QUICK)
    named = {s: {x: f"{s}{x}" for x in order} for s, order in (("p", NAMES[::-1]), ("q", NAMES))}
    found = wf.compare(source, named, "log_loss", **options)
    assert found.pairs[0].difference == pytest.approx(expected.pairs[0].difference)
    backwards = {s: columns[::-1] for s, columns in data.systems.items()}
    found = wf.compare(source, backwards, "log_loss", labels=NAMES[::-1], **options)
    assert found.pairs[0].difference == pytest.approx(expected.pairs[0].difference)
    for systems, says in (
        (data.systems, r"which class does each of the columns pcat, pdog, peel belong to\? Give"),
        ({"p": named["p"], "q": data.systems["q"]}, "for each system, or for none"),
        ({"p": named["p"], "q": {"cat": "qcat"}}, "name the same classes"),
    ):
        with pytest.raises(wf.errors.InputError, match=says):
            wf.compare(source, systems, "log_loss", **options)
    with pytest.raises(wf.errors.InputError, match="leave labels= out"):
        wf.compare(source, named, "log_loss", labels=NAMES, **options)


@pytest.mark.parametrize("name", ["pandas", "polars lazy"])
def test_systems_whose_columns_are_named_like_the_classes_in_another_order(name):
    own = {"gold": ["cat", "dog"] * 3, "dog": [0.1, 0.9] * 3, "cat": [0.9, 0.1] * 3}
    frame = ENGINES[name](pa.table(own | {"x": [0.5] * 6, "y": [0.5] * 6}))
    options = {"true": "gold", "labels": ["cat", "dog"], **QUICK}
    with pytest.raises(wf.errors.InputError, match=r"different order: cat, dog\. Give {'A': {cl"):
        wf.compare(frame, {"A": ["dog", "cat"], "B": ["x", "y"]}, "log_loss", **options)
    found = wf.compare(frame, {"A": ["cat", "dog"], "B": ["x", "y"]}, "log_loss", **options)
    assert found.scores["A"].value < found.scores["B"].value
    swapped = {"A": {"cat": "dog", "dog": "cat"}, "B": {"cat": "x", "dog": "y"}}
    found = wf.compare(frame, swapped, "log_loss", true="gold", **QUICK)
    assert found.scores["A"].value > found.scores["B"].value


@pytest.mark.parametrize("engine", [*DATABASES, "polars lazy", "pandas", "polars", "pyarrow"])
@pytest.mark.filterwarnings("ignore")
def test_weights_that_are_text(engine):
    data = Data(20)
    frame = ENGINES[engine](data.table)
    for score in (
        lambda: wf.log_loss(frame, true="gold", score=data.columns, weights="doc"),
        lambda: wf.roc_auc(frame, true="gold", score="pcat", positive="cat", weights="doc"),
        lambda: wf.count(frame, true="gold", pred="doc", weights="gold"),
    ):
        with pytest.raises(wf.errors.WeightError, match="weights are finite numbers"):
            score()


def test_a_class_without_a_column_is_named_before_its_probabilities(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("gold,cat,dog,eel\ncat,0.5,0.25,0.25\neel,0.25,0.25,0.5\n")
    with pytest.raises(wf.errors.LabelError, match=r"class 'eel', which has no column of scores"):
        wf.log_loss(path, true="gold", score={"cat": "cat", "dog": "dog"})
    with pytest.raises(wf.errors.InputError, match="not a distribution in 2 of its 2 items"):
        wf.log_loss(path, true="gold", score={"cat": "cat", "eel": "dog"})


def test_what_comes_second_for_a_file(tmp_path):
    path = spoiled(tmp_path, *GOOD)
    own = {"true": "gold", "score": ["cat", "dog"]}
    assert wf.at_top_k(path, 2, **own) == wf.at_top_k(path, k=2, **own)
    alone = {"true": "gold", "score": "cat", "positive": "cat"}
    assert wf.at_threshold(path, 0.5, **alone) == wf.at_threshold(path, threshold=0.5, **alone)
    with pytest.raises(wf.errors.InputError, match="omit on_error=, which is for files"):
        import pandas as pd

        wf.log_loss(pd.read_csv(path), **own, on_error="skip")


def sliced(engine, tmp_path, n=240):
    """Data with two columns that make slices, one of them with gaps."""
    data = Data(n)
    lang = [["en", "de", None][x] for x in np.random.default_rng(4).integers(0, 3, n)]
    year = [2020 + x for x in np.random.default_rng(5).integers(0, 2, n).tolist()]
    data.table = data.table.append_column("lang", pa.array(lang, pa.string()))
    data.table = data.table.append_column("year", pa.array(year, pa.int64()))
    source = LAZY[engine](data.table) if engine in LAZY else data.write(tmp_path / engine)
    text = engine.endswith(".csv")
    keys = [(a, str(b) if text else b) for a, b in zip(lang, year, strict=True)]
    return data, source, keys


SLICED = [*DATABASES, "polars lazy", "a.csv", "a.jsonl", "a.parquet", "a.npz"]


@pytest.mark.parametrize("engine", [x for x in SLICED if x != "a.npz"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_slices_of_scores_are_those_of_their_items(engine, kind, tmp_path):
    data, source, keys = sliced(engine, tmp_path)
    sought = Request.of_scores(true="gold", score=data.columns, by=["lang", "year"], **kind)
    whole = ClassScores(source, None, sought, fair=True)
    arrays = {"w": data.w, "doc": np.array(data.doc)}
    slices = whole.slices()
    assert set(slices) == set(keys) and len(slices) == 6
    definitions = [
        wf.log_loss.definition(interval="delta"),
        wf.brier.definition(interval=wf.Bootstrap(**QUICK)),
        wf.top_k_accuracy.definition(k=1),
        wf.roc_auc.definition(average="macro"),
        wf.roc_auc.definition(average="macro", interval="delta"),
        wf.roc_auc.definition(positive="dog", interval="delta"),
        wf.expected_calibration_error.definition(multi_class="top-label"),
    ]
    for key, part in (*slices.items(), (None, whole)):
        at = np.array([key is None or each == key for each in keys])
        true = [x for x, here in zip(data.true, at, strict=True) if here]
        given = {name: arrays[column][at] for name, column in kind.items()}
        for definition in definitions:
            found = score_lines(definition, part)
            expected = wf.score(true, data.p[at], definition, labels=NAMES, **given)
            assert_same(found, expected)
        assert decide(part) == wf.at_argmax(true, data.p[at], labels=NAMES, **given)


@pytest.mark.parametrize("engine", [x for x in SLICED if x != "a.npz"])
@pytest.mark.filterwarnings("ignore")
def test_slices_of_rankings_and_sets(engine, tmp_path):
    data, source, keys = sliced(engine, tmp_path)
    slices = wf.rank_by(source, by=["lang", "year"], true="gold", score="pcat", positive="cat")
    for key in set(keys):
        at = np.array([each == key for each in keys])
        true = [x for x, here in zip(data.true, at, strict=True) if here]
        assert slices[key] == wf.rank(true, data.p[at, 0], positive="cat", labels=NAMES)
    assert slices.whole == wf.rank(data.true, data.p[:, 0], positive="cat")
    with pytest.raises(wf.errors.InputError, match="do not add up"):
        slices + slices


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_slices_of_sets(tmp_path, cluster):
    rng = np.random.default_rng(2)
    rows = [
        {
            "tags": ";".join(x for x in "abc" if rng.random() < 0.5),
            "found": ";".join(x for x in "abc" if rng.random() < 0.5),
            "doc": f"d{at % 7}",
            "lang": "ende"[2 * (at % 2) :][:2],
        }
        for at in range(60)
    ]
    path = tmp_path / "a.csv"
    WRITERS["a.csv"](path, rows)
    own = {"true": "tags", "pred": "found", "sep": ";", "cluster": cluster}
    slices = wf.count_by(path, by="lang", **own)
    assert slices.whole == wf.count_multilabel(path, **own)
    for lang in ("en", "de"):
        some = [row for row in rows if row["lang"] == lang]
        sides = [[set(filter(None, row[x].split(";"))) for row in some] for x in ("tags", "found")]
        documents = None if cluster is None else [row["doc"] for row in some]
        expected = wf.count_multilabel(*sides, cluster=documents, labels=["a", "b", "c"])
        ours, theirs = (wf.averaged_f1(x, interval="delta") for x in (slices[lang], expected))
        assert ours.value == theirs.value and ours.interval == theirs.interval


@pytest.mark.parametrize("weights", [(), ("--weights", "w", "--cluster", "doc")])
def test_slices_of_scores_on_the_command_line(tmp_path, run, weights):
    data, path, keys = sliced("a.parquet", tmp_path)
    probs = ("--probs", ",".join(f"{x}={c}" for x, c in data.columns.items()))
    column = ("--score", "pcat", "--positive", "cat")
    for kind in (probs, column, (*column, "--threshold", "0.4", "--labels", "cat,other")):
        if "--labels" in kind:
            two = ["cat" if x == "cat" else "other" for x in data.true]
            data.table = data.table.set_column(0, "gold", pa.array(two))
            pq.write_table(data.table, path)
        code, out, err = run(
            "score", path, "--true", "gold", *kind, *weights, "--by", "lang,year", "-f", "json"
        )
        assert (code, err) == (0, ""), err
        for table in json.loads(out)["metrics"]:
            assert {(x["slice"]["lang"], x["slice"]["year"]) for x in table["slices"]} == set(keys)
            n = sum(x["n"] for x in table["slices"])
            assert n == pytest.approx(table["whole"]["n"])
    code, out, _ = run("score", path, "--true", "gold", *column, "--by", "lang", "-m", "roc_auc")
    assert code == 0 and "(whole)" in out and "(missing)" in out


def test_a_slice_without_a_class_has_nothing_to_score(tmp_path, run):
    path = tmp_path / "a.csv"
    path.write_text("gold,s,lang\n1,0.9,en\n0,0.1,en\n1,0.7,en\n0,0.8,en\n1,0.5,de\n1,0.4,de\n")
    code, out, _ = run("score", path, "--score", "s", "--true", "gold", "--by", "lang")
    assert code == 0 and "Nothing to score in: de" in out


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def interval_of(score):
    return score.interval.low, score.interval.high


@pytest.mark.parametrize("interval", ["delta", wf.Bootstrap(**QUICK)], ids=["delta", "bootstrap"])
def test_1_and_1_0_are_one_cluster(tmp_path, interval):
    """Whatever files call them; with few clusters, many replicates are ties but for rounding."""
    data = Data(60)
    cluster = [(1, 1.0, 2, 2.0, 3)[at % 5] for at in range(60)]
    rows = data.table.append_column("user", pa.array(map(str, cluster))).to_pylist()
    lines = [json.dumps({**row, "user": x}) for row, x in zip(rows, cluster, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    for at, kind in ((0, pa.int64()), (1, pa.float64())):
        part = data.table.append_column("user", pa.array(map(int, cluster)).cast(kind))
        pq.write_table(part[at * 30 : at * 30 + 30], tmp_path / f"b{at}.parquet")
    own = {"interval": interval}
    expected = wf.brier(data.true, data.p, labels=data.names, cluster=[*map(int, cluster)], **own)
    assert dict(expected.made)["clusters"] == 3
    for name in ("a.jsonl", "b*.parquet"):
        found = wf.brier(tmp_path / name, true="gold", score=data.columns, cluster="user", **own)
        assert_same(found, expected)


def test_clusters_are_days_as_well(tmp_path):
    days = [date(2020, 1, 1 + at % 4) for at in range(12)]
    own = {"gold": ["a", "b", "b"] * 4, "a": [0.5, 0.25] * 6, "b": [0.5, 0.75] * 6, "day": days}
    file = parquet(tmp_path / "a.parquet", **own)
    named = {"true": "gold", "cluster": "day", "interval": "delta"}
    for metric, options in (("log_loss", {}), ("roc_auc", {"positive": "a"})):
        found = wf.score(file, metric, score=["a", "b"], **named, **options)
        scores = np.c_[own["a"], own["b"]]
        labels = {"labels": ["a", "b"], "cluster": [*map(str, days)], "interval": "delta"}
        assert_same(found, wf.score(own["gold"], scores, metric, **labels, **options))


@pytest.mark.parametrize("name", ["parquet", "polars lazy", "duckdb", "ibis"])
def test_nan_is_no_cluster(tmp_path, name):
    """The bounds of a column in a Parquet file do not tell that there is one."""
    cluster = [0.0, 1.0, float("nan"), 2.0]
    own = {"gold": ["a", "b"] * 2, "a": [0.5] * 4, "b": [0.5] * 4, "user": pa.array(cluster)}
    source = file = parquet(tmp_path / "a.parquet", **own)
    if name != "parquet":
        source = ENGINES[name](pa.table(own))
    named = {"true": "gold", "score": ["a", "b"], "cluster": "user"}
    for ask in (wf.log_loss, wf.at_argmax, wf.expected_calibration_error):
        with pytest.raises(wf.errors.WhichF1Error, match="'user' has no cluster in 1 of its 4"):
            ask(source, **named)
    if name == "parquet":
        with pytest.warns(wf.errors.SkippedWarning, match="1 without a cluster"):
            assert wf.log_loss(file, **named, on_error="skip").n == 3


@pytest.mark.filterwarnings("ignore")
def test_nan_in_a_parquet_file_that_an_engine_reads(tmp_path):
    import duckdb
    import ibis
    import polars

    own = {"gold": ["a", "b"] * 2, "a": [0.5, 0.25, 0.75, float("nan")], "b": [0.5] * 4}
    own |= {"w": [1.0, 2.0, float("nan"), 3.0]}
    file = parquet(tmp_path / "a.parquet", **{x: pa.array(y) for x, y in own.items()})
    for source in (
        ibis.read_parquet(file),
        duckdb.connect().read_parquet(str(file)),
        polars.scan_parquet(file),
        file,
    ):
        for ask in (wf.top_k_accuracy, wf.log_loss, wf.at_argmax):
            with pytest.raises(wf.errors.WhichF1Error, match="'a' has no finite number in 1 of"):
                ask(source, true="gold", score=["a", "b"])
        with pytest.raises(wf.errors.WhichF1Error, match="no valid weight"):
            wf.count(source, true="gold", pred="gold", weights="w")


def test_where_a_label_of_a_parquet_file_is_nan(tmp_path):
    own = {"true": pa.array([0.0, 1.0, float("nan")]), "pred": [0.0, 1.0, 1.0]}
    file = parquet(tmp_path / "a.parquet", **own)
    with pytest.raises(wf.errors.WhichF1Error, match="the first is item 3"):
        wf.count(file)


@pytest.mark.parametrize("kind", KINDS[1::2], ids=["weights", "weights and clusters"])
def test_an_infinite_loss_without_a_weight_is_none(kind):
    data = Data(60)
    data.p[0] = np.eye(3)[(NAMES.index(data.true[0]) + 1) % 3]
    data.w[0] = 0.0
    table = data.table.to_pydict() | {f"p{x}": data.p[:, at] for at, x in enumerate(NAMES)}
    frame = ENGINES["polars lazy"](pa.table(table | {"w": data.w}))
    arrays = {"w": data.w, "doc": np.array(data.doc)}
    for interval in ("delta", wf.Bootstrap(**QUICK)):
        own = {"floor": 0.0, "interval": interval}
        given = {key: arrays[name] for key, name in kind.items()}
        found = wf.log_loss(frame, true="gold", score=data.columns, **kind, **own)
        assert_same(found, wf.log_loss(data.true, data.p, labels=NAMES, **given, **own))
        rest = {key: each[1:] for key, each in given.items()}
        alone = wf.log_loss(data.true[1:], data.p[1:], labels=NAMES, **rest, **own)
        assert found.value == pytest.approx(alone.value) and np.isfinite(found.value)
        if interval == "delta":
            assert interval_of(found) == pytest.approx(interval_of(alone))


@pytest.mark.parametrize("engine", [pytest.param(name, marks=group(name)) for name in LAZY])
def test_one_class_with_a_column(engine):
    frame = LAZY[engine](pa.table({"gold": ["a", "a"], "a": [0.25, 0.5], "p": [0.25, 0.5]}))
    assert wf.at_argmax(frame, true="gold", score=["a"]).matrix.tolist() == [[2]]
    with pytest.raises(
        wf.errors.WhichF1Error, match="which class does each of the columns p belong to"
    ):
        wf.at_argmax(frame, true="gold", score="p")


@pytest.mark.parametrize("kind", KINDS[:2], ids=["items", "weights"])
@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_a_loss_that_does_not_vary_has_no_interval(metric, kind):
    """Sums are rounded: what is left of their difference is no variance."""
    own = {"gold": ["a", "b"] * 50, "a": [0.7, 0.3] * 50, "b": [0.3, 0.7] * 50}
    weights = 10 * np.random.default_rng(9).random(100)
    frame = ENGINES["polars lazy"](pa.table(own | {"w": weights}))
    found = wf.score(frame, metric, true="gold", score=["a", "b"], interval="delta", **kind)
    arrays = np.c_[own["a"], own["b"]]
    given = {"weights": weights} if kind else {}
    expected = wf.score(own["gold"], arrays, metric, labels=["a", "b"], interval="delta", **given)
    assert found.interval is None and expected.interval is None


def test_labels_of_two_types_in_a_partition():
    import dask
    import dask.dataframe as dd
    import pandas as pd

    mixed = pd.Series([1, True, 0, 0], dtype=object)  # equal to what groups them
    frame = pd.DataFrame({"gold": mixed, "p": [0.25] * 4, "q": [0.75] * 4})
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dd.from_pandas(frame, npartitions=1)
    for source in (frame, parts):
        for ask in (wf.log_loss, wf.at_argmax):
            with pytest.raises(wf.errors.WhichF1Error, match="mixes label types"):
                ask(source, true="gold", score={0: "q", 1: "p"})
        with pytest.raises(wf.errors.WhichF1Error, match="mixes label types"):
            wf.roc_auc(source, true="gold", score="p")


def test_clusters_that_a_file_numbers_are_drawn_in_the_order_of_numbers(tmp_path):
    data = Data(60)
    users = [at % 12 for at in range(60)]
    rows = data.table.append_column("user", pa.array(users)).to_pylist()
    WRITERS["a.csv"](tmp_path / "a.csv", rows)
    own = {"multi_class": "top-label", "interval": wf.Bootstrap(**QUICK)}
    ask = wf.expected_calibration_error
    found = ask(tmp_path / "a.csv", true="gold", score=data.columns, cluster="user", **own)
    assert_same(found, ask(data.true, data.p, labels=data.names, cluster=users, **own))


def test_a_report_of_classes_of_which_one_has_no_weight(tmp_path, run):
    path = tmp_path / "a.csv"
    path.write_text("gold,a,b,c,w\na,.5,.25,.25,1\nb,.25,.5,.25,1\nc,.25,.25,.5,0\n")
    own = ("score", path, "--true", "gold", "--probs", "a,b,c", "-f", "json")
    code, out, err = run(*own, "--weights", "w")
    assert (code, err) == (0, "") and '"log_loss' in out and '"roc_auc' not in out
    assert '"roc_auc' in run(*own)[1]


def test_scores_of_few_items_are_read_at_once(monkeypatch):
    """One pass for all classes, and the same numbers as from one for each."""
    data, asked = Data(60), []
    frame = LAZY["polars lazy"](data.table)
    read = class_scores.gather
    monkeypatch.setattr(class_scores, "gather", lambda *x, **y: (asked.append(1), read(*x, **y))[1])
    for kind in KINDS[:2]:
        for way in ("ovr", "ovo"):
            found, passes = [], []
            for limit in (0, class_scores.TOGETHER):
                monkeypatch.setattr(class_scores, "TOGETHER", limit)
                own = {"average": "macro", "multi_class": way, **kind}
                asked.clear()
                found.append(wf.roc_auc(frame, true="gold", score=data.columns, **own))
                passes.append(len(asked))
            assert passes == [4, 2]
            assert_same(*found)
