"""Standard input as a file, which can be looked at before it is counted."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from whichf1.errors import FileError

NAME = "standard input"


@dataclass(frozen=True)
class Copy:
    """A temporary file with what came from standard input."""

    path: str

    def named(self, said: object) -> str:
        """What is said of the copy, said of standard input; engines write paths as they like."""
        ways = "|".join(map(re.escape, (self.path, repr(self.path)[1:-1], quote(self.path))))
        return re.sub(rf"""(['"]?)(?:file:(?://)?)?(?:{ways})\1""", NAME, str(said))


@contextmanager
def copied() -> Iterator[Copy]:
    """Standard input in a temporary file, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="whichf1-") as folder:
        path = Path(folder) / NAME
        try:
            with open(path, "wb") as file:
                while chunk := sys.stdin.buffer.read(1 << 20):
                    file.write(chunk)
        except OSError as error:
            raise FileError(
                f"{NAME} could not be copied to the temporary folder {folder!r}: "
                f"{error.strerror}. Point TMPDIR at a disk with more room."
            ) from None
        yield Copy(str(path))
