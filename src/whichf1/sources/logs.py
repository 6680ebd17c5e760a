"""Logs of language-model evaluations: lm-evaluation-harness and Inspect.

The samples of a log are items, its tasks data sets, its epochs runs, and so are several logs of one
model on one task. An item is a question, known by its hash: an id may be a position in data that
were shuffled, and only distinguishes equal questions.
"""

from __future__ import annotations

import json
import re
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

from whichf1.errors import FileError, InputError, did_you_mean, numbered
from whichf1.tables.labels import VALUE, Labels, from_text
from whichf1.tables.trials import ABSENT, DataSet, RunKey, Trials, as_codes, joined, named

WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""What Inspect writes for correct, incorrect, partly correct, and no answer."""
TRUTH = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect also reads as a number, in any case."""
MOST_BYTES = 1 << 30
"""A log that decompresses to more is refused."""
ZSTANDARD = 93
INSPECT_VERSION = 2
NEEDED = ("doc_id", "doc", "target", "filtered_resps")
"""Fields that every sample of lm-evaluation-harness has."""
NO_METRICS = {*NEEDED, "arguments", "resps", "filter", "doc_hash", "prompt_hash", "target_hash"}
"""All but its metrics, which older versions do not list."""
HARNESS_FILE = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\d.*))?\.jsonl")
"""The task and the time in the name of a log of lm-evaluation-harness."""
NO_FILTER = "none"
SEVERAL = "score"
"""What values are called if tasks have different metrics."""


class LogSample(NamedTuple):
    """A sample of a log: one answer to one question."""

    task: str
    id: str
    question: str
    """A hash of it."""
    epoch: str
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

    model: str
    run: str
    """What distinguishes it from other logs of the same model and task."""
    samples: list[LogSample]
    filters: tuple[str, ...] = ()
    unfinished: str = ""
    """The status of an evaluation that did not succeed."""


class ReadLogs(NamedTuple):
    """The runs of several logs."""

    trials: Trials
    value: str
    """The metric whose values were used, or ``SEVERAL``; empty for predictions."""
    notes: tuple[str, ...]


def read_logs(
    paths: Sequence[str],
    *,
    value: str | None = None,
    predictions: bool = False,
    cluster: str | None = None,
    filter: str | None = None,
) -> ReadLogs:
    """The samples of logs, each given as PATH, a folder, a pattern, or SYSTEM=PATH.

    Logs of the same SYSTEM are its runs, or its tasks.
    """
    if len({*paths}) < len(paths):
        raise InputError(f"the log {Counter(paths).most_common(1)[0][0]!r} is named twice")
    systems: dict[str, tuple[str | None, list[Log]]] = {}
    for text in paths:
        name, path = _named(text)
        _, own = systems.setdefault(name or text, (name, []))
        own += [_read(each, filter) for each in _paths(path)]
    logs = [log for _, own in systems.values() for log in own]
    known = [*dict.fromkeys(x for log in logs for x in log.filters)]
    if filter is not None and filter not in known:
        raise InputError(f"no log has the filter {filter!r}. {did_you_mean(filter, known)}")
    names, notes = _names(systems), []
    tasks: dict[str, dict[str, list[Log]]] = {}
    for text, (_, own) in systems.items():
        for task, of_task in _by_task(own).items():
            tasks.setdefault(task, {})[names[text]] = of_task
            notes += [
                f"{_told(names[text], task)}: the evaluation did not finish (its status is "
                f"{log.unfinished!r})."
                for log in of_task
                if log.unfinished
            ]
    chosen = dict.fromkeys(tasks, "") if predictions else _values(tasks, value, notes)
    sets = {}
    for task, metric in chosen.items():
        items = _items([log for own in tasks[task].values() for log in own])
        parts = [
            _part(system, task, own, items, metric, cluster, notes)
            for system, own in tasks[task].items()
        ]
        sets[task] = joined(task, parts)
    metrics = {*chosen.values()}
    return ReadLogs(Trials(sets), metrics.pop() if len(metrics) == 1 else SEVERAL, tuple(notes))


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
            raise FileError(
                f"{path!r} has no samples_*.jsonl (--log_samples) and no .eval files. Name .json "
                f"logs with a quoted pattern, such as '{path.rstrip('/')}/*.json'."
            )
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
    match = HARNESS_FILE.fullmatch(Path(path).name)
    task, time = match.groups(default="") if match is not None else ("", "")
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
    filters = (*dict.fromkeys(str(row.get("filter", NO_FILTER)) for row in rows),)
    if filters != (NO_FILTER,):
        if filter is None and len(filters) > 1:
            told = ", ".join(filters)
            raise InputError(f"{name} has several filters: {told}. Choose one: --filter")
        if filter is not None and filter not in filters:
            told = did_you_mean(filter, filters)
            raise InputError(f"{name} has no filter {filter!r}. {told}")
        rows = [row for row in rows if filter in (None, str(row.get("filter", NO_FILTER)))]
    model = Path(path).parent.name or path
    return Log(model, time, [_harness_sample(task, row) for row in rows], filters)


def _harness_sample(task: str, row: Mapping[str, Any]) -> LogSample:
    doc = row["doc"]
    asked = row.get("doc_hash") or _sha256(json.dumps(doc, indent=2, ensure_ascii=False))
    metrics = row.get("metrics", [x for x in row if x not in NO_METRICS]) or ()
    values = {x: _number(row.get(x)) for x in metrics}
    known = {x: y for x, y in values.items() if y is not None}
    answer, fields = _answer(row["filtered_resps"]), doc if isinstance(doc, dict) else {}
    failed = None if known else "it has no metric"
    facts = (str(row["doc_id"]), str(asked), "1", known, str(row["target"]), answer)
    return LogSample(task, *facts, fields, failed)


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
    if isinstance(value, str) and (value in WORDS or value.lower() in TRUTH):
        return WORDS[value] if value in WORDS else TRUTH[value.lower()]
    if isinstance(value, (bool, int, float)):
        return float(value) if isfinite(value) else None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) else None


def _sha256(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


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
    about, status = header["eval"], header.get("status", "success")
    task = str(about.get("task", ""))
    read = [_inspect_sample(task, sample, name) for sample in samples]
    run = str(about.get("task_id", ""))  # a retry keeps it
    return Log(
        str(about.get("model", path)),
        run,
        read,
        unfinished="" if status == "success" else str(status),
    )


def _inspect_sample(task: str, sample: Any, name: str) -> LogSample:
    lacking = [
        x
        for x in ("id", "epoch", "input", "target")
        if not isinstance(sample, dict) or x not in sample
    ]
    if lacking:
        raise FileError(f"{name}: a sample has no {lacking[0]!r}: the log is damaged")
    asked = json.dumps([_messages(sample["input"]), sample["target"]], sort_keys=True)
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
    facts = (str(sample["id"]), _sha256(asked), str(sample["epoch"]), values, str(target), answer)
    return LogSample(task, *facts, fields, failed)


def _messages(asked: Any) -> Any:
    """A question as it was asked: messages have another id in every evaluation."""
    if not isinstance(asked, list):
        return asked
    return [{k: v for k, v in x.items() if k != "id"} if isinstance(x, dict) else x for x in asked]


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


def _by_task(logs: Sequence[Log]) -> dict[str, list[Log]]:
    """The logs of each task; a log of several tasks is divided."""
    tasks: dict[str, list[Log]] = {}
    for log in logs:
        samples: dict[str, list[LogSample]] = {}
        for sample in log.samples:
            samples.setdefault(sample.task, []).append(sample)
        for task, own in samples.items():
            tasks.setdefault(task, []).append(log._replace(samples=own))
    return tasks


def _told(system: str, task: str) -> str:
    return f"{system}, {task}" if task else system


def _metrics(logs: Sequence[Log]) -> list[str]:
    """The metrics that some samples have as numbers."""
    return [*dict.fromkeys(x for log in logs for sample in log.samples for x in sample.values)]


def _values(
    tasks: Mapping[str, Mapping[str, list[Log]]], value: str | None, notes: list[str]
) -> dict[str, str]:
    """The metric of each task whose values are compared: by default, the first that all have."""
    known = {
        task: {system: _metrics(logs) for system, logs in own.items()}
        for task, own in tasks.items()
    }
    every = [*dict.fromkeys(x for own in known.values() for each in own.values() for x in each)]
    if not every:
        raise InputError("no sample of these logs has a numeric score")
    if value is not None and value not in every:
        raise InputError(
            f"there is no metric {value!r} in these logs. {did_you_mean(value, every)}"
        )
    chosen: dict[str, str] = {}
    for task, own in known.items():
        some = [*dict.fromkeys(x for each in own.values() for x in each)]
        if not some or value not in (None, *some):
            lacking = "a numeric score" if value is None else repr(value)
            there = f", only {', '.join(some)}" if some else ""
            notes.append(f"Left out: data set {task!r}, no sample of which has {lacking}{there}.")
            continue
        common = [x for x in some if value in (None, x) and all(x in each for each in own.values())]
        if not common:
            told = "; ".join(f"{x} has {', '.join(y) or 'none'}" for x, y in own.items())
            raise InputError(
                f"{named(task)}no metric is in all logs ({told}). Name a value that all logs have "
                "(value=, --value), or score these logs again"
            )
        chosen[task] = common[0]
    _note_metrics(chosen, every, notes)
    return chosen


def _note_metrics(chosen: Mapping[str, str], every: Sequence[str], notes: list[str]) -> None:
    """Say which metric was used on which task, and which others there are."""
    tasks: dict[str, list[str]] = {}
    for task, metric in chosen.items():
        tasks.setdefault(metric, []).append(task)
    others = [x for x in every if x not in tasks]
    rest = f"; there are also {', '.join(others)}" if others else ""
    if len(tasks) > 1:
        told = "; ".join(f"{metric} ({', '.join(own)})" for metric, own in tasks.items())
        notes.append(f"The values are those of {told}{rest}.")
    elif others:
        notes.append(f"The values are those of {next(iter(tasks))}{rest}.")


def _items(logs: Sequence[Log]) -> dict[tuple[str, str], str]:
    """The item of each id and question.

    Equal questions are one item, whatever their ids are, unless a run has a question twice.
    """
    repeated: set[str] = set()
    first: dict[str, str] = {}
    for log in logs:
        times = Counter((sample.epoch, sample.question) for sample in log.samples)
        repeated |= {question for (_, question), count in times.items() if count > 1}
        for sample in log.samples:
            first.setdefault(sample.question, sample.id)
    return {
        (id, question): f"{id if question in repeated else first[question]}:{question[:12]}"
        for log in logs
        for _, id, question, *_ in log.samples
    }


def _runs(logs: Sequence[Log]) -> list[str]:
    """The run of each sample: its epoch, and its log if there are several."""
    pairs = [(log.run, sample.epoch) for log in logs for sample in log.samples]
    vary = [len({pair[at] for pair in pairs}) > 1 for at in (0, 1)]
    return [" ".join(x for x, y in zip(pair, vary, strict=True) if y) or "1" for pair in pairs]


def _part(
    system: str,
    task: str,
    logs: Sequence[Log],
    items: Mapping[tuple[str, str], str],
    value: str,
    cluster: str | None,
    notes: list[str],
) -> DataSet:
    """The runs of a system on a task."""
    told = _told(system, task)
    samples = [sample for log in logs for sample in log.samples]
    of_run, of_item = _runs(logs), [items[x.id, x.question] for x in samples]
    runs, ids = [*dict.fromkeys(of_run)], [*dict.fromkeys(of_item)]
    at, run = ({x: place for place, x in enumerate(each)} for each in (ids, runs))
    known = [(value in x.values if value else x.answer is not None) for x in samples]
    lost = Counter(
        x.failed or f"it has no {value or 'answer'}"
        for x, here in zip(samples, known, strict=True)
        if not here
    )
    scored = [x for x, here in zip(samples, known, strict=True) if here]
    if not scored:
        raise InputError(f"{told}: no sample has {value or 'an answer'}")
    if lost:
        words = "; ".join(f"{count:,}: {text}" for text, count in lost.items())
        few = lost.total() == 1
        notes.append(
            f"{told}: {lost.total():,} of {len(samples):,} samples {'is' if few else 'are'} left "
            f"out ({words})."
        )
    places = [(run[x], at[y]) for x, y, here in zip(of_run, of_item, known, strict=True) if here]
    (row, column), times = Counter(places).most_common(1)[0]
    if times > 1:
        raise InputError(
            f"{told}: item {ids[column]!r} appears {times:,} times in run {runs[row]!r}. Is there "
            "a copy of a log, a retry of an evaluation, or several filters? Pass one of them."
        )
    keys = tuple(RunKey(system, x) for x in runs)
    rows, columns = zip(*places, strict=True)
    fields: dict[str, Any] = {}
    if cluster is not None:
        fields = _clusters(samples, of_item, ids, cluster, told)
    shape = (len(runs), len(ids))
    if value:
        table = np.full(shape, np.nan)
        table[rows, columns] = [x.values[value] for x in scored]
        truth = np.zeros(len(ids), np.int8)
        return DataSet(VALUE, True, np.array(ids), truth, keys, table, **fields)
    targets = {x: str(y.target) for x, y in zip(of_item, samples, strict=True)}
    texts = sorted({*targets.values(), *(str(x.answer) for x in scored)})
    read = dict(zip(texts, from_text(texts), strict=True))
    labels = Labels.sorted({*read.values()})
    codes = np.full(shape, ABSENT)
    codes[rows, columns] = labels.codes([read[str(x.answer)] for x in scored])
    true = labels.codes([read[targets[x]] for x in ids])
    sides = [as_codes(x, len(labels)) for x in (true, codes)]
    return DataSet(labels, False, np.array(ids), sides[0], keys, sides[1], **fields)


def _clusters(
    samples: Sequence[LogSample],
    of_item: Sequence[str],
    ids: Sequence[str],
    cluster: str,
    told: str,
) -> dict[str, Any]:
    """The cluster of each item, from what the log knows about the question."""
    known = {x: y.fields.get(cluster) for x, y in zip(of_item, samples, strict=True)}
    lacking = [*known.values()].count(None)
    if lacking:
        others = sorted({name for x in samples for name in x.fields})
        known_ones = did_you_mean(cluster, others) if others else "The questions have no fields."
        raise InputError(
            f"{told}: the field {cluster!r} is missing for {lacking:,} of "
            f"{numbered(len(known), 'item')}. "
            f"{known_ones}"
        )
    texts = [str(known[item]) for item in ids]
    names = Labels.sorted({*texts})
    return {"cluster": as_codes(names.codes(texts), len(names)), "cluster_names": names}
