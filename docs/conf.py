"""The site: ``make docs`` builds docs/_build/html; warnings are errors."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import numpydoc.xref
import reference

import whichf1

project = "whichf1"
author = "The whichf1 maintainers"
copyright = "2026, the whichf1 maintainers"
version = release = whichf1.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "reference",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "paper/summary.md"]
default_role = "code"

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "substitution"]
myst_heading_anchors = 4
# a price in dollars is no formula
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
# pages link to files of the repository, which are not pages of the site
suppress_warnings = ["myst.xref_missing"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_use_plots = False
numpydoc_xref_param_type = True
# numpydoc's own list has places that the inventories do not have
numpydoc.xref.DEFAULT_LINKS.clear()
numpydoc_xref_aliases = {
    "ndarray": ":class:`numpy.ndarray`",
    "dataframe": ":class:`dataframe <pandas.DataFrame>`",
    **{name: f":class:`{name}`" for name in reference.BUILT_IN},
    **{name: f":class:`~whichf1.{name}`" for name in ("Counts", "Score", "Definition", "Ranking")},
}

# The names that pages refer to, written by reference.py: the build needs no network.
intersphinx_mapping = reference.inventories()

html_theme = "pydata_sphinx_theme"
html_title = "whichf1"
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_extra_path = [reference.pages()]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "show_prev_next": False,
}
copybutton_prompt_text = r"^\$ |^>>> "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
