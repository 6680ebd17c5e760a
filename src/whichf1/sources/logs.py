"""Logs of language-model evaluations: lm-evaluation-harness and Inspect.

The samples of a log are items, its tasks data sets, its epochs runs. An item is identified by its
id and a hash of the question: an id alone may be a position in data that were shuffled.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from glob import glob
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whichf1.errors import FileError, InputError, did_you_mean
from whichf1.tables.labels import VALUE, Labels, from_text
from whichf1.tables.trials import ABSENT, DataSet, RunKey, Trials, as_codes, joined

WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""What Inspect writes for correct, incorrect, partly correct, and no answer."""
MOST_BYTES = 1 << 30
"""A log that decompresses to more is refused."""
ZSTANDARD = 93
INSPECT_VERSION = 2
NEEDED = ("doc_id", "doc", "target", "filtered_resps")
"""Fields that every sample of lm-evaluation-harness has."""


class LogSample(NamedTuple):
    """A sample of a log: one answer to one question."""

    task: str
    item: str
    run: str
    values: Mapping[str, float]
    """Its metrics by name."""
    target: str | None
    answer: str | None
    fields: Mapping[str, Any]
    """What else is known about the question, such as its topic."""
    failed: str | None = None
    """Why there is no score."""


class Log(NamedTuple):
    """A log that was read."""

    path: str
    model: str
    samples: list[LogSample]


class ReadLogs(NamedTuple):
    """The runs of several logs."""

    trials: Trials
    value: str
    """The metric whose values were used; empty for predictions."""
    notes: tuple[str, ...]


def read_logs(
    paths: Sequence[str],
    *,
    value: str | None = None,
    predictions: bool = False,
    cluster: str | None = None,
    filter: str | None = None,
) -> ReadLogs:
    """The samples of logs, each given as PATH, a folder, a pattern, or SYSTEM=PATH."""
    systems = {}
    for text in paths:
        name, path = _named(text)
        if text in systems:
            raise InputError(f"the log {text!r} is named twice")
        systems[text] = (name, [_read(each, filter) for each in _paths(path)])
    names = _names(systems)
    chosen = "" if predictions else _value([y for _, x in systems.values() for y in x], value)
    parts: dict[str, list[DataSet]] = {}
    notes: list[str] = []
    for text, (_, logs) in systems.items():
        for task, samples in _by_task(logs).items():
            told = f"{names[text]}, {task}"
            part = _part(names[text], samples, chosen, cluster, told, notes)
            parts.setdefault(task, []).append(part)
    sets = {task: joined(task, of_task) for task, of_task in parts.items()}
    _note_other_metrics([y for _, x in systems.values() for y in x], chosen, notes)
    return ReadLogs(Trials(sets), chosen, tuple(notes))


def _named(text: str) -> tuple[str | None, str]:
    name, equal, path = text.partition("=")
    if equal and name and not Path(text).exists():
        return name, path
    return None, text


def _paths(path: str) -> list[str]:
    if Path(path).is_dir():
        names = ("samples_*.jsonl", "*.eval")
        paths = sorted(str(x) for name in names for x in Path(path).rglob(name))
        if not paths:
            raise FileError(f"{path!r} has no samples_*.jsonl (--log_samples) and no .eval files")
        return paths
    if Path(path).exists():
        return [path]
    paths = sorted(glob(path, recursive=True))
    if not paths:
        raise FileError(f"cannot read {path!r}: there is no such log")
    return paths


def _names(systems: Mapping[str, tuple[str | None, list[Log]]]) -> dict[str, str]:
    """The name of each system: as it was named, by its model, or by its path."""
    models = {text: name or logs[0].model for text, (name, logs) in systems.items()}
    times = Counter(models.values())
    names = {text: name if times[name] == 1 else text for text, name in models.items()}
    for text, (_, logs) in systems.items():
        others = {log.model for log in logs} - {logs[0].model}
        if others:
            raise InputError(
                f"{text!r} has logs of several models: {logs[0].model}, {min(others)}. Pass each "
                "of them separately."
            )
    return names


# reading


def _read(path: str, filter: str | None) -> Log:
    name = repr(path)
    if path.endswith(".eval"):
        return _inspect(path, _entries(path))
    if path.endswith(".jsonl"):
        return _harness(path, filter)
    if path.endswith(".json"):
        record = _json(_bytes(path), name)
        if not isinstance(record, dict) or "eval" not in record:
            raise FileError(
                f"{name} is not an Inspect log. For lm-evaluation-harness, pass samples_*.jsonl, "
                "which --log_samples writes."
            )
        return _inspect(path, {"header.json": record, "samples": record.get("samples")})
    raise FileError(f"{name} is not a log: logs end in .eval, .json or .jsonl")


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path!r}: {error.strerror or error}") from None


def _json(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name} is damaged or truncated: {error}") from None


def _harness(path: str, filter: str | None) -> Log:
    """The samples of one task of lm-evaluation-harness."""
    name = repr(path)
    task = Path(path).name.removeprefix("samples_").removesuffix(".jsonl")
    task, _, time = task.rpartition("_") if "_" in task else (task, "", "")
    rows = []
    for number, line in enumerate(_bytes(path).splitlines(), 1):
        if line.strip():
            row = _json(line, f"{name}, line {number:,}")
            lacking = [x for x in NEEDED if not isinstance(row, dict) or x not in row]
            if lacking:
                raise FileError(
                    f"{name}, line {number:,} has no {lacking[0]!r}: it is not a log "
                    "of lm-evaluation-harness, or its version is not supported (supported: 0.4)"
                )
            rows.append(row)
    if not rows:
        raise FileError(f"{name} has no samples")
    filters = [*dict.fromkeys(str(row.get("filter", "none")) for row in rows)]
    if filter is None and len(filters) > 1:
        raise InputError(f"{name} has several filters: {', '.join(filters)}. Choose one: --filter")
    if filter is not None and filter not in filters:
        raise InputError(f"{name} has no filter {filter!r}. {did_you_mean(filter, filters)}")
    kept = [row for row in rows if filter in (None, str(row.get("filter", "none")))]
    samples = [_harness_sample(task, time, row) for row in kept]
    return Log(path, Path(path).parent.name or name, samples)


def _harness_sample(task: str, time: str, row: Mapping[str, Any]) -> LogSample:
    asked = row.get("doc_hash") or _hash(row["doc"])
    values = {x: _number(row.get(x)) for x in row.get("metrics") or ()}
    known = {x: y for x, y in values.items() if y is not None}
    answers, target = row["filtered_resps"], row["target"]
    answer = _answer(answers)
    doc = row["doc"] if isinstance(row["doc"], dict) else {}
    item = f"{row['doc_id']}:{str(asked)[:12]}"
    failed = None if known else "it has no metric"
    return LogSample(task, item, time, known, str(target), answer, doc, failed)


def _answer(answers: Any) -> str | None:
    """The index of the most likely of several choices, or the text."""
    if not isinstance(answers, list) or not answers:
        return None
    if all(isinstance(x, list) and x and _number(x[0]) is not None for x in answers):
        likely = [_number(x[0]) or 0.0 for x in answers]
        return str(int(np.argmax(likely)))
    return str(answers[0])


def _number(value: Any) -> float | None:
    """A value of a metric as a number, if it is one."""
    if isinstance(value, str) and value in WORDS:
        return WORDS[value]
    if isinstance(value, (bool, int, float)):
        return float(value) if isfinite(value) else None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) else None


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _inspect(path: str, entries: Mapping[str, Any]) -> Log:
    """The samples of Inspect, from an archive or from one file."""
    name, header = repr(path), entries.get("header.json")
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise FileError(f"{name} has no header: the evaluation did not finish. Run it again.")
    version = header.get("version")
    if version != INSPECT_VERSION:
        raise FileError(
            f"{name} has version {version!r} of Inspect's log format; only {INSPECT_VERSION} is "
            f"supported"
        )
    samples = entries.get("samples")
    if not isinstance(samples, list) or not samples:
        raise FileError(f"{name} has no samples")
    task = str(header["eval"].get("task", ""))
    items = [_inspect_sample(task, sample, name) for sample in samples]
    return Log(path, str(header["eval"].get("model", name)), items)


def _inspect_sample(task: str, sample: Any, name: str) -> LogSample:
    lacking = [
        x
        for x in ("id", "epoch", "input", "target")
        if not isinstance(sample, dict) or x not in sample
    ]
    if lacking:
        raise FileError(f"{name}: a sample has no {lacking[0]!r}: the log is damaged")
    item = f"{sample['id']}:{_hash([sample['input'], sample['target']])[:12]}"
    values: dict[str, float] = {}
    answer = None
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for key, each in parts:
            number = _number(each)
            if number is not None:
                values[f"{scorer}.{key}" if key else scorer] = number
        answer = answer or (score.get("answer") if isinstance(score, dict) else None)
    target = sample["target"]
    target = target[0] if isinstance(target, list) and target else target
    error = sample.get("error")
    failed = None if values else "it failed" if error else "it has no score"
    answer = None if answer is None else str(answer)
    fields = sample.get("metadata") or {}
    return LogSample(task, item, str(sample["epoch"]), values, str(target), answer, fields, failed)


def _entries(path: str) -> dict[str, Any]:
    """The header and the samples of an archive; a damaged one is refused."""
    name, data = repr(path), _bytes(path)
    entries: dict[str, Any] = {"samples": []}
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise FileError(f"{name} is not a complete archive: {error}. Was it truncated?") from None
    if sum(member.file_size for member in members) > MOST_BYTES:
        raise FileError(f"{name} would unpack to more than {MOST_BYTES >> 30} GiB")
    for member in members:
        sample = member.filename.startswith("samples/") and member.filename.endswith(".json")
        if sample or member.filename == "header.json":
            record = _json(_unpacked(data, member, name), f"{name}, {member.filename}")
            if sample:
                entries["samples"].append(record)
            else:
                entries["header.json"] = record
    return entries


def _unpacked(data: bytes, member: zipfile.ZipInfo, name: str) -> bytes:
    """A member of an archive, decompressed (also from Zstandard), and its checksum checked."""
    at = member.header_offset
    try:
        lengths = struct.unpack("<HH", data[at + 26 : at + 30])
    except struct.error:
        raise FileError(f"{name} is damaged: {member.filename} is truncated") from None
    start = at + 30 + sum(lengths)
    raw = data[start : start + member.compress_size]
    try:
        if member.compress_type == ZSTANDARD:
            content = _zstandard()(raw, member.file_size)
        elif member.compress_type == zipfile.ZIP_DEFLATED:
            content = zlib.decompressobj(-15).decompress(raw, member.file_size + 1)
        elif member.compress_type == zipfile.ZIP_STORED:
            content = raw
        else:
            raise FileError(f"{name}: {member.filename} has an unknown compression")
    except FileError:
        raise
    except Exception as error:  # each library has its own errors
        raise FileError(f"{name} is damaged: {member.filename}: {error}") from None
    if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
        raise FileError(f"{name} is damaged: {member.filename} has a wrong checksum")
    return content


def _zstandard() -> Callable[[bytes, int], bytes]:
    """A Zstandard decompressor: Python's own from 3.14 on, or an installed library."""
    from contextlib import suppress
    from importlib import import_module

    with suppress(ImportError):
        standard: Any = import_module("compression.zstd")
        return lambda data, size: standard.decompress(data)
    with suppress(ImportError):
        library: Any = import_module("zstandard")

        def unpack(data: bytes, size: int) -> bytes:
            with library.ZstdDecompressor().stream_reader(data) as reader:
                return reader.read(size + 1)  # type: ignore[no-any-return]

        return unpack
    with suppress(ImportError):
        arrow: Any = import_module("pyarrow")
        return lambda data, size: arrow.decompress(data, size, "zstd", asbytes=True)
    raise InputError("an .eval log is compressed with Zstandard: pip install zstandard")


# items


def _value(logs: Sequence[Log], value: str | None) -> str:
    """The metric whose values are compared."""
    known = [*dict.fromkeys(x for log in logs for sample in log.samples for x in sample.values)]
    if not known:
        raise InputError("no sample of these logs has a numeric score")
    if value is None:
        return known[0]
    if value not in known:
        raise InputError(
            f"there is no metric {value!r} in these logs. {did_you_mean(value, known)}"
        )
    return value


def _note_other_metrics(logs: Sequence[Log], chosen: str, notes: list[str]) -> None:
    known = dict.fromkeys(x for log in logs for sample in log.samples for x in sample.values)
    others = [x for x in known if x != chosen]
    if chosen and others:
        notes.append(f"The values are those of {chosen}; there are also {', '.join(others)}.")


def _by_task(logs: Sequence[Log]) -> dict[str, list[LogSample]]:
    tasks: dict[str, list[LogSample]] = {}
    for log in logs:
        for sample in log.samples:
            tasks.setdefault(sample.task, []).append(sample)
    return tasks


def _part(
    system: str,
    samples: Sequence[LogSample],
    value: str,
    cluster: str | None,
    told: str,
    notes: list[str],
) -> DataSet:
    """The runs of a system on a task."""
    runs = [*dict.fromkeys(sample.run for sample in samples)]
    ids = [*dict.fromkeys(sample.item for sample in samples)]
    at, run = ({x: place for place, x in enumerate(each)} for each in (ids, runs))
    scored = [x for x in samples if (value in x.values if value else x.answer is not None)]
    lost = len(samples) - len(scored)
    if lost:
        why = Counter(x.failed or "it has no such value" for x in samples if x not in scored)
        words = "; ".join(f"{count:,}: {text}" for text, count in why.items())
        notes.append(f"{told}: {lost:,} of {len(samples):,} samples are left out ({words}).")
    if not scored:
        known = ", ".join(dict.fromkeys(x for sample in samples for x in sample.values))
        hint = f", only {known}. Name a value that all logs have (value=, --value)"
        words = hint if value and known else ""
        raise InputError(f"{told}: no sample has {value or 'an answer'}{words}")
    twice = Counter((x.item, x.run) for x in scored).most_common(1)[0]
    if twice[1] > 1:
        raise InputError(
            f"{told}: item {twice[0][0]!r} appears {twice[1]} times in one run. Is this the "
            "log of several filters or merged runs? Pass each separately."
        )
    keys = tuple(RunKey(system, x if len(runs) > 1 else "1") for x in runs)
    shape = (len(runs), len(ids))
    rows, columns = ([place[x] for x in each] for place, each in (
        (run, [x.run for x in scored]), (at, [x.item for x in scored])
    ))  # fmt: skip
    fields: dict[str, Any] = {}
    if cluster is not None:
        fields = _clusters(samples, ids, cluster, told)
    if value:
        table = np.full(shape, np.nan)
        table[rows, columns] = [x.values[value] for x in scored]
        truth = np.zeros(len(ids), np.int8)
        return DataSet(VALUE, True, np.array(ids), truth, keys, table, **fields)
    targets = {x.item: str(x.target) for x in samples}
    texts = sorted({*targets.values(), *(str(x.answer) for x in scored)})
    read = dict(zip(texts, from_text(texts), strict=True))
    labels = Labels.sorted({*read.values()})
    codes = np.full(shape, ABSENT)
    codes[rows, columns] = labels.codes([read[str(x.answer)] for x in scored])
    true = labels.codes([read[targets[x]] for x in ids])
    sides = [as_codes(x, len(labels)) for x in (true, codes)]
    return DataSet(labels, False, np.array(ids), sides[0], keys, sides[1], **fields)


def _clusters(
    samples: Sequence[LogSample], ids: Sequence[str], cluster: str, told: str
) -> dict[str, Any]:
    """The cluster of each item, from what the log knows about the question."""
    known = {x.item: x.fields.get(cluster) for x in samples}
    if None in known.values():
        others = sorted({name for x in samples for name in x.fields})
        raise InputError(
            f"{told}: {sum(x is None for x in known.values()):,} samples have no {cluster!r}. "
            f"{did_you_mean(cluster, others)}"
        )
    texts = [str(known[item]) for item in ids]
    names = Labels.sorted({*texts})
    return {"cluster": as_codes(names.codes(texts), len(names)), "cluster_names": names}
