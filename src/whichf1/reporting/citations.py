"""References for a report: BibTeX entries by name."""

from __future__ import annotations

from whichf1 import __version__

ENTRIES = {
    "macro": """@misc{opitz2019macro,
  author = {Opitz, Juri and Burst, Sebastian},
  title = {Macro {F1} and Macro {F1}},
  year = {2019},
  eprint = {1911.03347},
  archivePrefix = {arXiv},
}""",
    "holm": """@article{holm1979simple,
  author = {Holm, Sture},
  title = {A simple sequentially rejective multiple test procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6},
  number = {2},
  pages = {65--70},
  year = {1979},
}""",
    "fdr": """@article{benjamini1995controlling,
  author = {Benjamini, Yoav and Hochberg, Yosef},
  title = {Controlling the false discovery rate: a practical and powerful approach to multiple
    testing},
  journal = {Journal of the Royal Statistical Society, Series B},
  volume = {57},
  number = {1},
  pages = {289--300},
  year = {1995},
}""",
    "reliability": """@article{brocker2007increasing,
  author = {Br{\\"o}cker, Jochen and Smith, Leonard A.},
  title = {Increasing the reliability of reliability diagrams},
  journal = {Weather and Forecasting},
  volume = {22},
  number = {3},
  pages = {651--661},
  year = {2007},
}""",
    "decision": """@article{vickers2006decision,
  author = {Vickers, Andrew J. and Elkin, Elena B.},
  title = {Decision curve analysis: a novel method for evaluating prediction models},
  journal = {Medical Decision Making},
  volume = {26},
  number = {6},
  pages = {565--574},
  year = {2006},
}""",
    "whichf1": f"""@misc{{whichf1,
  title = {{whichf1: classification scores that say what they are}},
  note = {{Version {__version__}}},
}}""",
}


def bibtex(*names: str) -> list[str]:
    """The entries with these names, line by line; the program itself comes last."""
    entries = [ENTRIES[name] for name in dict.fromkeys([*names, "whichf1"])]
    return "\n\n".join(entries).splitlines()
