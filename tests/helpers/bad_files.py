"""Malformed files, each with the message that it must get; as a program, write them to a folder.

python -m tests.helpers.bad_files FOLDER
"""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from pyarrow import ipc

HEAD = b"true,pred\n"
ROWS = b"".join(b"%d,%d\n" % (i % 7, i * i % 7) for i in range(20_000))
GZIP = gzip.compress(HEAD + ROWS, mtime=0)
ZSTD = zstandard.ZstdCompressor(write_checksum=True).compress(HEAD + ROWS)
TABLE = pa.table({"true": list(range(5000)), "pred": list(range(5000))})


def parquet(table: pa.Table = TABLE) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def arrow() -> bytes:
    out = io.BytesIO()
    with ipc.new_file(out, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return out.getvalue()


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    save: Any = np.savez
    save(out, **arrays)
    return out.getvalue()


def broken_npz() -> bytes:
    """A stored array with one byte changed, so that its checksum is wrong."""
    whole = npz(true=np.arange(1000), pred=np.arange(1000))
    at = whole.index(np.arange(400, 410).tobytes())
    return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]


def not_arrays() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("true.npy", "text")
        archive.writestr("pred.npy", "text")
    return out.getvalue()


CASES: dict[str, tuple[str, bytes, str]] = {
    "short row": ("a.csv", HEAD + b"a,b\na\n", "line 3: 1 cell where the header has 2"),
    "long row": ("a.csv", HEAD + b"a,b\na,b,c\n", "line 3: 3 cells where the header has 2"),
    "late short row": ("a.csv", HEAD + ROWS * 20 + b"1\n", "line 400,002: 1 cell"),
    "unterminated quote": ("a.csv", HEAD + b'a,b\n"a,b\n', "line 3: a quote that is not closed"),
    "text after a quote": ("a.csv", HEAD + b'"a"x,b\n', "line 2: a quote that is not closed, or"),
    "invalid UTF-8": (
        "a.csv",
        HEAD + b"a,b\n\xff,b\n",
        "line 3: bytes that are not UTF-8. Save the",
    ),
    "invalid UTF-8 header": ("a.csv", b"true,pr\xff\n", "line 1: bytes that are not UTF-8. Save"),
    "UTF-16": ("a.csv", "true,pred\na,b\n".encode("utf-16"), "line 1: the text is UTF-16"),
    "LF after CRLF": (
        "a.csv",
        b"true,pred\r\na,b\nb,b\r\n",
        "line 2: it ends with LF, line 1 with",
    ),
    "CRLF after LF": ("a.csv", HEAD + b"a,b\r\n", "line 2: it ends with CR LF, line 1 with LF"),
    "column twice": ("a.csv", b"true,pred,pred\na,b,c\n", "'pred' appears twice in the header"),
    "case alone differs": ("a.csv", b"true,pred,Pred\na,b,c\n", "'Pred' appears twice"),
    "empty": ("a.csv", b"", "is empty. It needs a header"),
    "blank": ("a.csv", b"\n\n", "is empty. It needs a header"),
    "header alone": ("a.csv", HEAD, "a header but no items"),
    "no such columns": (
        "a.csv",
        b"a,b\n1,2\n",
        "no columns have the usual names (true, y_true, gold or label; pred, y_pred or prediction)."
        " Its columns: a, b",
    ),
    "semicolons": (
        "a.csv",
        b"true;pred\na;b\n",
        "has a single column, 'true;pred': its header looks separated by ';'. Save the file with",
    ),
    "tabs in CSV": ("a.csv", b"true\tpred\na\tb\n", "tabs. Read it with --from tsv (format='tsv')"),
    "commas in TSV": ("a.tsv", HEAD + b"a,b\n", "commas. Read it with --from csv (format='csv')"),
    "missing label": ("a.tsv", b"true\tpred\na\tb\n\tb\n", "the first is item 2 (line 3"),
    "truncated gzip": ("a.csv.gz", GZIP[:-40], "damaged gzip file: Compressed file ended before"),
    "wrong gzip CRC": ("a.csv.gz", GZIP[:-8] + b"\0" * 4 + GZIP[-4:], "gzip file: CRC check"),
    "junk after gzip": ("a.csv.gz", GZIP + b"junk", "damaged gzip file: Not a gzipped file"),
    "truncated zstd": ("a.csv.zst", ZSTD[: len(ZSTD) // 2], "damaged zstd file: it is truncated"),
    "zstd without its end": ("a.csv.zst", ZSTD[:-2], "damaged zstd file: it is truncated"),
    "wrong zstd checksum": ("a.csv.zst", ZSTD[:-1] + bytes([ZSTD[-1] ^ 1]), "checksum"),
    "JSON cut off": ("a.jsonl", b'{"true":1,"pred":1}\n{"true":1,\n', "line 2: not a JSON object"),
    "JSON key missing": (
        "a.jsonl",
        b'{"true":1,"pred":1}\n{"true":1}\n',
        "'pred' has no label in 1 of its 2 items; the first is item 2 (line 2",
    ),
    "JSON null": ("a.jsonl", b'{"true":null,"pred":1}\n', "'true' has no label in 1 of its 1"),
    "JSON key twice": (
        "a.jsonl",
        b'{"true":1,"pred":1}\n' * 200 + b'{"true":1,"true":2,"pred":1}\n',
        "line 201: not a JSON object: the key 'true' appears twice",
    ),
    "JSON with a BOM": ("a.jsonl", b'\xef\xbb\xbf{"true":1,"pred":1}\n', "byte order mark"),
    "JSON array": ("a.jsonl", b'[{"true":1,"pred":1}]\n', "line 1: not a JSON object but"),
    "JSON labels mixed": (
        "a.jsonl",
        b'{"true":1,"pred":1}\n{"true":"1","pred":1}\n',
        "column 'true' mixes label types: 1 (int) and '1' (str)",
    ),
    "JSON label is a list": ("a.jsonl", b'{"true":[1],"pred":1}\n', "[1] (list) cannot be a label"),
    "JSON invalid UTF-8": (
        "a.jsonl",
        b'{"true":"\xff","pred":1}\n',
        "UTF-8. Save the file as UTF-8",
    ),
    "JSON empty": ("a.jsonl", b"", "is empty. It needs one JSON object per line"),
    "truncated Parquet": ("a.parquet", parquet()[:-500], "is a damaged Parquet file"),
    "no Parquet": ("a.parquet", HEAD + ROWS, "is not a parquet file: it does not start like one"),
    "Parquet missing label": (
        "a.parquet",
        parquet(pa.table({"true": [1, 2], "pred": [1, None]})),
        "'pred' has no label in 1 of its 2 items; the first is item 2",
    ),
    "Parquet fraction": (
        "a.parquet",
        parquet(pa.table({"true": [1.0], "pred": [0.5]})),
        "column 'pred': 0.5 (float) cannot be a label",
    ),
    "Parquet twins": (
        "a.parquet",
        parquet(pa.table({"true": [1], "pred": [0], "PRED": [1]})),
        "'PRED' appears twice",
    ),
    "gzipped Parquet": ("a.parquet", gzip.compress(parquet()), "are compressed inside"),
    "truncated Arrow": ("a.arrow", arrow()[:-500], "is a damaged Arrow file"),
    "truncated npz": (
        "a.npz",
        npz(true=np.arange(99), pred=np.arange(99))[:-99],
        "is a damaged npz file",
    ),
    "npz checksum": ("a.npz", broken_npz(), "is a damaged npz file: Bad CRC-32"),
    "npz without arrays": ("a.npz", not_arrays(), "is a damaged npz file"),
    "npz lengths": (
        "a.npz",
        npz(true=np.arange(3), pred=np.arange(2)),
        "the arrays differ in length: 'true' 3, 'pred' 2",
    ),
    "npz objects": (
        "a.npz",
        npz(true=np.array(["a", None], object), pred=np.arange(2)),
        "would have to be unpickled, which is unsafe",
    ),
    "npz matrix": ("a.npz", npz(true=np.eye(2), pred=np.arange(2)), "must have one dimension"),
    "unknown name": ("a.xyz", HEAD + ROWS, "cannot tell the format"),
}


def write(folder: Path, case: str) -> Path:
    """Make the file of one case."""
    name, content, _ = CASES[case]
    path = folder / name
    path.write_bytes(content)
    return path


if __name__ == "__main__":
    for number, case in enumerate(CASES):
        folder = Path(sys.argv[1]) / f"{number:02} {case}"
        folder.mkdir(parents=True)
        write(folder, case)
