"""What work costs: the memory of this process, and calls, which do not depend on the machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called, of Python and of C, but for what measures coverage."""
    calls = 0
    beside: FrameType | None = None  # a call of the coverage tool, with all that it calls

    def tally(frame: FrameType, event: str, called: object) -> None:
        nonlocal calls, beside
        if frame is beside and event == "return":
            beside = None
        elif beside is None and event in ("call", "c_call"):
            places = (frame.f_globals.get("__name__"), getattr(called, "__module__", None))
            if not any(str(place).startswith("slipcover") for place in places):
                calls += 1
            elif event == "call":
                beside = frame

    before = sys.getprofile()
    sys.setprofile(tally)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


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
