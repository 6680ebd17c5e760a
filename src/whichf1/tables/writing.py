"""Files appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from whichf1.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary neighbour of ``path`` that takes its place when the block ends well."""
    from pathlib import Path  # slow to import, and only needed to write

    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise FileError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
