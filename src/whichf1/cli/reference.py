"""``whichf1 metrics``, ``define`` and ``choose``: what scores mean."""

from __future__ import annotations

from whichf1.cli.options import ChooseOptions, DefineOptions, FormatOptions, OutputOptions
from whichf1.cli.process import ask_each
from whichf1.reporting.reference import choice_document, definition_document, metric_list
from whichf1.scoring import choose as choosing


def metrics(options: FormatOptions) -> None:
    """List every metric with its other names and its meaning."""
    OutputOptions(format=options.format, output=None).write(metric_list())


def choose(options: ChooseOptions) -> None:
    """List the scores that have the properties you need. Asks, or takes them as options."""
    questions = {name: each.question for name, each in choosing.REASONS.items()}
    wanted = options.want or ask_each(questions)
    choice = choosing.choose(*wanted, one_class=options.one_class)
    OutputOptions(format=options.format, output=None).write(choice_document(choice))


def define(options: DefineOptions) -> None:
    """Explain a metric or a signature. Prints a sentence to paste into a paper."""
    OutputOptions(output=None).write(definition_document(options.name))
