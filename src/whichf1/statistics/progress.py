"""Progress: work that takes more than two seconds is shown on a terminal, and leaves no trace."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock, Timer
from typing import Any

AFTER = 2.0
"""Seconds before anything is shown."""


class _Display:
    """The only display of a process: a line for each piece of work inside another."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.works: list[Work] = []
        self.timer: Timer | None = None
        self.bar: Any = None

    def begin(self, work: Work) -> None:
        with self.lock:
            if not self.works:
                self.timer = Timer(AFTER, self.show)
                self.timer.daemon = True
                self.timer.start()
            self.works.append(work)
            if self.bar is not None:
                work.show(self.bar)

    def show(self) -> None:
        """Show what is being done; the timer calls this."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        with self.lock, suppress(OSError, ValueError):  # the terminal may have gone
            if self.bar is None and self.timer is not None and self.works:
                columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
                times = (TaskProgressColumn(), TimeElapsedColumn())
                console = Console(stderr=True)
                self.bar = Progress(*columns, *times, console=console, transient=True)
                self.bar.start()
                for work in self.works:
                    work.show(self.bar)

    def end(self, work: Work) -> None:
        with self.lock:
            if work in self.works:
                self.works.remove(work)
            if self.bar is not None and work.task is not None:
                self.bar.remove_task(work.task)
            if not self.works:
                self.hide()

    def hide(self) -> None:
        """Remove the display, and show nothing before the next piece of work."""
        with self.lock, suppress(OSError, ValueError):
            timer, bar, self.timer, self.bar = self.timer, self.bar, None, None
            if timer is not None:
                timer.cancel()
            if bar is not None:
                bar.stop()


_DISPLAY = _Display()
hide = _DISPLAY.hide


class Work:
    """A piece of work: what it is, and how much of it is done."""

    def __init__(self, what: str, total: float | None) -> None:
        self.what, self.total, self.done, self.task = what, total, 0.0, None

    def show(self, bar: Any) -> None:
        """Give it a line of the display."""
        self.task = bar.add_task(self.what, total=self.total, completed=self.done)

    def advance(self, steps: float) -> None:
        """Report further steps as done."""
        self.reach(self.done + steps)

    def reach(self, done: float) -> None:
        """Report how many steps are done."""
        self.done, bar = done, _DISPLAY.bar
        if bar is not None and self.task is not None:
            with suppress(KeyError):  # the display was hidden in the meantime
                bar.update(self.task, completed=done)


@contextmanager
def working(what: str, total: float | None = None) -> Iterator[Work | None]:
    """Work that is shown on a terminal if it takes long; None if there is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    work = Work(what, total)
    _DISPLAY.begin(work)
    try:
        yield work
    finally:
        _DISPLAY.end(work)


def nothing(done: float) -> None:
    """Does nothing, where no progress is shown."""


def advancing(work: Work | None) -> Callable[[float], None]:
    """A function that is told how many further steps are done."""
    return nothing if work is None else work.advance
