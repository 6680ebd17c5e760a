"""Where data lives: dataframes, DuckDB, files and Spark; one question to any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whichf1.errors import InputError
from whichf1.sources.answers.rows import Answer
from whichf1.sources.request import Request, is_path

if TYPE_CHECKING:
    from whichf1.sources.questions.grouped import Question


def gather(data: Any, predictions: Any, request: Request, question: Question) -> Answer:
    """What a question gives, for which columns, and where it comes from."""
    if not is_path(data):
        from whichf1.sources.engines.frames import gather_frame

        if predictions is not None or request.reading:
            unread = ", ".join(f"{name}=" for name in request.reading)
            raise InputError(
                "a frame holds all columns: name them, and omit "
                f"{unread or 'the second argument'}, which is for files"
            )
        return gather_frame(data, request, question)
    from whichf1.sources.engines.files import ReadingOptions, gather_aligned, gather_files

    reading = dict(request.reading)
    id, engine, master = (reading.pop(name, None) for name in ("id", "engine", "master"))
    options = ReadingOptions(**reading)
    if engine is not None or master is not None:
        from whichf1.sources.engines.spark import gather_on_spark

        if predictions is not None or engine not in (None, "spark"):
            raise InputError("engine= is 'spark', for one path: join the files there first")
        return gather_on_spark(data, request, question, options, master)
    if predictions is not None:
        return gather_aligned(data, predictions, request, question, options, id)
    if id is not None:
        raise InputError("id= joins a file of gold labels with a file of predictions: give both")
    return gather_files(data, request, question, options)
