"""Cases of columns: the same through frames and files of several kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import whichf1 as wf
from tests.goldens.data import NAMES, table
from tests.goldens.of_classes import resampled, tried
from tests.goldens.plain import Case, bent, plain
from tests.goldens.same import LOOSE
from tests.goldens.tables import folder, source, write_lines

PROBS = list(NAMES[:3])
ORDERED = ("pandas", "polars", "arrow")
"""Sources whose items come in their order; others give them grouped, in any order."""
Asked = Callable[[str, dict[str, Any], bool], Any]
"""What is asked of a source with some options: all of it, or a part."""


GIVEN: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weights": "w"},
    "clusters": {"cluster": "doc"},
    "both": {"weights": "w", "cluster": "doc"},
}


def frames() -> Iterator[Case]:
    """Everything that columns can hold, from frames in memory."""
    for kind in ("pandas", "polars"):
        for title, given in GIVEN.items():
            for name, run in asked().items():
                whole = kind == "pandas" or title == "both"
                yield f"columns/{kind}/{name}/{title}", partial(run, kind, given, whole)
    for kind in ("arrow", "lazy", "duckdb"):
        for name, run in asked().items():
            yield f"columns/{kind}/{name}", partial(run, kind, GIVEN["both"], False)
    for kind in ("pandas", "polars", "duckdb"):
        yield from more(kind)


def files() -> Iterator[Case]:
    """The same from files, which take longer to read: some of it from each."""
    for kind, titles in (("csv", ("plain", "weights")), ("parquet", ("both", "clusters"))):
        for title in titles:
            for name, ask in asked().items():
                if name != "probabilities" or title in ("plain", "both"):  # which take longest
                    yield f"columns/{kind}/{name}/{title}", partial(ask, kind, GIVEN[title], False)
    yield "columns/csv/more probabilities", partial(file_shares)
    yield from more("csv")
    for name, run in more("parquet"):
        if "/compare/both" in name or name.endswith("count_by/both"):
            yield name, run
    for kind in ("tsv", "jsonl", "npz"):
        yield f"columns/{kind}/classes", partial(asked()["classes"], kind, GIVEN["both"], False)
    yield "columns/jsonl/sets", partial(asked()["sets"], "jsonl", GIVEN["both"], False)
    yield "columns/npz/argmax", partial(argmax, "npz")
    yield from two_files()


def file_shares() -> Any:
    """Scores of a file's column for each class that other files are not asked for."""
    own: dict[str, Any] = {"true": "gold", "score": PROBS}
    data = source("csv")
    return [
        tried(wf.log_loss, data, interval="delta", **own),
        tried(wf.roc_auc, data, average="weighted", multi_class="ovo", **own),
        tried(wf.expected_calibration_error, data, **own),
        tried(decided, wf.at_top_k, data, 2, **own),
        tried(wf.at_threshold, data, 0.5, true="spam", score="score"),
    ]


def argmax(kind: str) -> Any:
    """A score of the best class."""
    return plain(decided(wf.at_argmax, source(kind), true="gold", score=PROBS))


def asked() -> dict[str, Asked]:
    """What is asked of every source."""
    return {"classes": classes, "scores": scores, "probabilities": shares, "sets": sets}


def classes(kind: str, given: dict[str, Any], whole: bool) -> Any:
    """Scores of a column of predictions."""
    own = {"true": "gold", "pred": "pred", **given}
    data = source(kind)
    found = [
        tried(wf.averaged_f1, data, interval="delta", **own),
        tried(wf.accuracy, data, interval=resampled("bca"), **own),
    ]
    if whole:
        found.append(tried(wf.f1, data, positive="bee", labels=list(NAMES), **own))
    return found


def scores(kind: str, given: dict[str, Any], whole: bool) -> Any:
    """Scores of a column of probabilities."""
    own = {"true": "spam", "score": "score", **given}
    data = source(kind)
    found = [
        tried(wf.roc_auc, data, interval="delong", **own),
        tried(wf.log_loss, data, interval="delta", **own),
    ]
    if whole:
        found += [
            tried(wf.average_precision, data, interval=resampled("percentile"), **own),
            tried(wf.brier, data, positive=0, **own),
            tried(wf.expected_calibration_error, data, **own),
            tried(decided, wf.at_threshold, data, 0.5, **own),
        ]
    return loosely(kind, found)


def shares(kind: str, given: dict[str, Any], whole: bool) -> Any:
    """Scores of a column of probabilities for each class."""
    own = {"true": "gold", "score": PROBS, **given}
    data = source(kind)
    found = [
        tried(wf.roc_auc, data, average="macro", interval="delta", **own),
        tried(decided, wf.at_argmax, data, **own),
    ]
    if whole:
        found += [
            tried(wf.log_loss, data, interval="delta", **own),
            tried(wf.brier, data, **own),
            tried(wf.top_k_accuracy, data, interval=resampled("bca"), **own),
            tried(wf.roc_auc, data, average="weighted", multi_class="ovo", **own),
            tried(wf.expected_calibration_error, data, **own),
            tried(decided, wf.at_top_k, data, 2, **own),
        ]
    return loosely(kind, found)


def loosely(kind: str, found: list[Any]) -> list[Any]:
    """Scores; of sources without an order, ends that amplify rounding are marked as such."""
    return [
        [each[0], {f"ends {LOOSE}": each[1]}, each[2]]
        if kind not in ORDERED and isinstance(each, list) and len(each) == 3 and bent(each[2])
        else each
        for each in found
    ]


def decided(function: Any, data: Any, *given: Any, **own: Any) -> Any:
    """A score of what scores decide."""
    return wf.averaged_f1(function(data, *given, **own), interval="delta")


def sets(kind: str, given: dict[str, Any], whole: bool) -> Any:
    """Scores of sets of labels, as text and as columns of 0 and 1."""
    texts = {"true": "tags", "pred": "found", "sep": ";"}
    bits = {side: [f"{word}_{name}" for name in PROBS] for side, word in BITS.items()}
    found = []
    for own in (texts, {**bits, "labels": PROBS})[: 1 + whole]:
        try:
            counts = wf.count_multilabel(source(kind), **own, **given)
        except wf.errors.WhichF1Error as error:
            found.append({"error": type(error).__name__})
            continue
        found += [
            plain(wf.averaged_f1(counts, interval="delta")),
            plain(wf.hamming_loss(counts, interval=resampled("percentile"))),
            plain(wf.f1(counts, average="samples")),
        ]
    return found


BITS = {"true": "is", "pred": "said"}


def more(kind: str) -> Iterator[Case]:
    """Slices, several predictions, rankings, curves, thresholds and comparisons of columns."""
    data = source(kind)
    own: dict[str, Any] = {"true": "gold", "pred": "pred"}
    ranked: dict[str, Any] = {"true": "spam", "score": "score"}
    for title, given in GIVEN.items():
        run = partial(sliced, data, wf.count_by, by="lang", **own, **given)
        yield f"columns/{kind}/count_by/{title}", run
    run = partial(sliced, data, wf.count_by, by=["lang", "spam"], **own)
    yield f"columns/{kind}/count_by/two columns", run
    of_sets = {"true": "tags", "pred": "found", "sep": ";", "by": "lang"}
    yield f"columns/{kind}/count_by/sets", partial(sliced, data, wf.count_by, **of_sets)
    for weights in (None, "w"):
        run = partial(sliced, data, wf.rank_by, by="lang", weights=weights, **ranked)
        yield f"columns/{kind}/rank_by/{weights}", run
        given = {"true": "gold", "pred": ["pred", "other"], "weights": weights}
        yield f"columns/{kind}/count_each/{weights}", partial(each, data, **given)
    yield f"columns/{kind}/rank", lambda: plain(wf.gain(wf.rank(data, weights="w", **ranked)))
    yield f"columns/{kind}/roc_curve", lambda: plain(wf.roc_curve(data, **ranked).score)
    yield f"columns/{kind}/best_threshold", partial(wf.best_threshold, data, metric="f1", **ranked)
    run = partial(wf.moments, data, "log_loss", true="gold", score=PROBS)
    yield f"columns/{kind}/moments", run
    yield f"columns/{kind}/macro_f1", lambda: plain(wf.macro_f1(data, **own).gap)
    few: dict[str, Any] = {"replicates": 99}
    for title, given in (("plain", {}), ("both", GIVEN["both"])):
        for name, systems, how in (
            ("averaged_f1", ["pred", "other"], {"true": "gold"}),
            ("roc_auc", {"A": "score", "B": "weaker"}, {"true": "spam"}),
            ("hamming_loss", {"A": "found", "B": "found2"}, {"true": "tags", "sep": ";"}),
        ):
            run = partial(compared, data, systems, name, **how, **few, **given)
            yield f"columns/{kind}/compare/{title}/{name}", run


def compared(*given: Any, **options: Any) -> Any:
    """A comparison in short: values, the difference and its tests."""
    found = wf.compare(*given, **options)
    (pair,) = found.pairs
    numbers = [pair.difference, pair.standard_error, pair.p_bootstrap, pair.only_a, pair.changed]
    return {
        "numbers": plain(numbers),
        "p_randomization": pair.p_randomization,
        "bootstrap": plain(pair.bootstrap),
        "best": plain(dict(found.best)),
        "signature": found.signature,
    }


def sliced(data: Any, function: Any, **given: Any) -> Any:
    """Slices, and a score of each."""
    found = function(data, **given)
    score = wf.roc_auc if function is wf.rank_by else wf.averaged_f1
    return [plain(found), [plain(score(part)) for part in found.values()]]


def each(data: Any, **given: Any) -> Any:
    """Several predictions in one pass."""
    return {k: plain(wf.averaged_f1(v)) for k, v in wf.count_each(data, **given).items()}


def two_files() -> Iterator[Case]:
    """Gold labels and predictions in two files, line by line and joined; several files; skips."""
    here = folder()
    columns = table()
    gold = write_lines(here / "gold.csv", {x: columns[x] for x in ("id", "gold", "w", "lang")})
    order = list(reversed(range(120)))
    pred = {x: [columns[x][at] for at in order] for x in ("id", "pred")}
    joined = write_lines(here / "pred.csv", pred)
    lines = write_lines(here / "lines.csv", {"pred": columns["pred"]})
    own: dict[str, Any] = {"true": "gold", "pred": "pred"}
    yield "columns/two files/lines", partial(wf.averaged_f1, gold, lines, weights="w", **own)
    yield "columns/two files/joined", partial(wf.averaged_f1, gold, joined, id="id", **own)
    for at in range(3):
        part = {x: columns[x][40 * at : 40 * at + 40] for x in ("gold", "pred", "doc")}
        write_lines(here / f"part{at}.csv", part)
    pattern = str(here / "part*.csv")
    run = partial(wf.averaged_f1, pattern, interval="delta", cluster="doc", **own)
    yield "columns/pattern", run
    bad = here / "bad.csv"
    bad.write_text("gold,pred\na,a\nb,\na,b\nb,b\n", encoding="utf-8")
    yield "columns/missing", partial(wf.averaged_f1, str(bad))
    yield "columns/missing/skip", partial(wf.averaged_f1, str(bad), on_error="skip")
