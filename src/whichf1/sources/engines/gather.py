"""A dataframe, files, two files side by side, or files on a cluster: the same question to all."""

from __future__ import annotations

import os
from typing import Any

from whichf1.errors import InputError
from whichf1.sources.answers.rows import Origin
from whichf1.sources.questions.grouped import Question
from whichf1.sources.request import Columns, Wanted


def gather(
    data: Any,
    predictions: Any,
    wanted: Wanted,
    question: Question,
    *,
    id: str | None = None,
    engine: str | None = None,
    master: str | None = None,
    **reading: Any,
) -> tuple[dict[str, list[Any]], Columns, Origin]:
    """What a question gives, for which columns, and where it comes from."""
    if not isinstance(data, (str, os.PathLike)):
        from whichf1.sources.engines.frames import gather_frame

        own = {"id": id, "engine": engine, "master": master, **reading}
        given = [f"{name}=" for name, value in own.items() if value is not None]
        if predictions is not None or given:
            raise InputError(
                "a frame is counted by itself: name its columns, and leave out "
                f"{', '.join(given) or 'the second argument'}, which is for files"
            )
        return gather_frame(data, wanted, question)
    from whichf1.sources.engines.files import Options, gather_files

    options = Options(**reading)
    if engine is not None or master is not None:
        from whichf1.sources.engines.spark import gather_on_spark

        if predictions is not None or engine not in (None, "spark"):
            raise InputError("engine= is 'spark', for one path: join the files there first")
        return gather_on_spark(data, wanted, question, options, master)
    if predictions is not None:
        from whichf1.sources.engines.aligned import gather_aligned

        return gather_aligned(data, predictions, wanted, question, options, id)
    if id is not None:
        raise InputError("id= joins a file of gold labels with a file of predictions: give both")
    return gather_files(data, wanted, question, options)
