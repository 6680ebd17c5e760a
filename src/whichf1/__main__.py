"""``python -m whichf1`` is the command ``whichf1``."""

from whichf1.cli import program

program()
