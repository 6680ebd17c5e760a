"""The process around a command: streams that are closed or full, signals, exit codes."""

from __future__ import annotations

import atexit
import codecs
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, NoReturn

from whichf1.errors import FileError, WhichF1Error, shortened
from whichf1.statistics.progress import hide, working

BAD_INPUT, INTERNAL = 2, 3
_PLAIN = {
    "–": "-", "—": "-", "−": "-", "…": "...", "∞": "inf", "×": "x", "≤": "<=", "≥": ">=",
    "±": "+/-", "→": "->", "²": "^2", "√": "sqrt", "“": '"', "”": '"', "’": "'",
    "¹": "^1", "†": "+", "↑": "^", "↓": "v", "─": "-", "├": "|", "┤": "|", "┊": ":", "●": "o",
    "Σ": "sum ",
}  # fmt: skip
"""Replacements for symbols that the encoding of a stream does not have."""


def watching() -> bool:
    """Whether standard error is a terminal that may show progress."""
    return sys.stderr is not None and sys.stderr.isatty()


def emit(text: str) -> None:
    """Write to standard output. A closed pipe is not an error; a full disk is."""
    if watching():
        hide()
    if sys.stdout is None:
        raise FileError("standard output is closed: write to a file with --output")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for buffered output
        if not isinstance(error, BrokenPipeError):
            raise FileError(f"cannot write to standard output: {error.strerror}") from None


def say(message: object) -> None:
    """Write a line to standard error, if possible."""
    if watching():
        hide()
    with suppress(OSError):
        print(f"whichf1: {visible(message)}", file=sys.stderr)


def visible(message: object) -> str:
    """A message on one line, in which nothing is a command to the terminal."""
    from whichf1.reporting.escape import visible  # --help needs none of it

    return visible(shortened(str(message)))


def ask_each(questions: Mapping[str, str]) -> list[str]:
    """Ask on standard error and read the answers; returns what was answered with yes."""
    wanted: list[str] = []
    for name, question in questions.items():
        with suppress(OSError):
            print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if not answer:  # nobody is there
            break
        wanted += [name] if answer.strip().lower() in ("y", "yes") else []
    return wanted


def standard_input() -> Any:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise FileError("standard input is closed: pass a file, or pipe the data into it")
    return sys.stdin.buffer


def run_program(run: Callable[[], Any]) -> int:
    """Run a program with safe streams and signals, and return its exit code.

    0: success, or what ``run`` returns; 2: bad input; 3: an unexpected error; 128 + n:
    ended by signal n.
    """
    with _streams(), _signals() as caught:
        try:
            what = " ".join(["whichf1", *[x for x in sys.argv[1:2] if x.isalpha()]])
            with working(what) if watching() else nullcontext():
                code, message = int(run() or 0), None
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            code, message = _ending(error)
    if caught:  # whatever its state
        code, message = 128 + caught[0], "interrupted"
    if message is not None:
        say(message)
    return code


def leave(code: int) -> NoReturn:
    """End the process, without the interpreter's own shutdown.

    Shutdown frees every object of every library one by one, which takes longer than a small
    command. Threads are waited for, what libraries have registered for the end runs, and streams
    are flushed. If the program is traced or profiled, it ends as usual.
    """
    if sys.gettrace() is None and sys.getprofile() is None:
        threading._shutdown()  # type: ignore[attr-defined]  # ends idle pools, then waits
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # closed, or there is none
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _ending(error: BaseException) -> tuple[int, object]:
    """Exit code and message."""
    if isinstance(error, WhichF1Error):
        return BAD_INPUT, error
    if isinstance(error, MemoryError):
        return BAD_INPUT, "there is not enough memory: free some, or process less at once"
    if isinstance(error, SystemExit):  # the reader of a help text has exited
        return 0, None
    if hasattr(error, "exit_code"):
        _show_usage(error)
        return BAD_INPUT, None
    return INTERNAL, _internal(error)


def _show_usage(error: Any) -> None:
    """An error of the command line itself."""
    error.message = visible(error.message)
    with suppress(OSError):
        error.show()


def _internal(error: BaseException) -> str:
    """A bug in the program: report where it happened, without any data."""
    from traceback import extract_tb

    ours = [each for each in extract_tb(error.__traceback__) if "whichf1" in each.filename]
    where = ", ".join(f"{os.path.basename(each.filename)}:{each.lineno}" for each in ours[-3:])
    return (
        f"internal error: {type(error).__name__} in {where}. This is a fault of whichf1: please "
        "report it, with this line and the command"
    )


@contextmanager
def _streams() -> Iterator[None]:
    """Streams that can be written to, whatever their encoding, and whether or not they are open."""
    for number in range(3):  # otherwise the next opened file would take the place of a stream
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="whichf1")
    yield


def _degraded(error: UnicodeError) -> tuple[str, int]:
    """Symbols as plain ones, and other characters as escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(x) or ascii(x)[1:-1] for x in text), error.end


codecs.register_error("whichf1", _degraded)


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Let signals end the program as an interrupt does, so that temporary folders are removed."""
    caught: list[int] = []
    handled: dict[int, Any] = {}

    def end(number: int, _: object) -> None:
        caught.append(number)
        for each in handled:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            usual = (signal.SIG_DFL, signal.default_int_handler)
            if number is not None and signal.getsignal(number) in usual:
                handled[number] = signal.signal(number, end)
    try:
        yield caught
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
