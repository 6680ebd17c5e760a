"""The memory of this process, for scripts that tests run in a process of their own."""

import re
from pathlib import Path


def held() -> int:
    """Bytes in memory now."""
    return _bytes("VmRSS")


def peak() -> int:
    """The most so far; what getrusage gives is at first that of the process which started it."""
    return _bytes("VmHWM")


def _bytes(what: str) -> int:
    status = Path("/proc/self/status").read_text()
    (size,) = re.findall(rf"{what}:\s*(\d+) kB", status)
    return 1024 * int(size)
