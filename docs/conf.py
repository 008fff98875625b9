"""Settings of the documentation; `python -m sphinx -W docs docs/_build/html` builds it."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import mindspore_compat  # noqa: E402  (found through the line above)

project = "mindspore_compat"
version = release = mindspore_compat.__compat_version__
extensions = [
    "sphinx.ext.napoleon",
    "mathml" if find_spec("latex2mathml") else "sphinx.ext.mathjax",
    "reference",
    "navigation",
    "support",
    "without_effect",
    "releases",
]

# Single backquotes mark code, as in the docstrings.
default_role = "code"
highlight_language = "python"
# Words in the types of arguments ("float32") are looked up as names, and several modules have some.
suppress_warnings = ["ref.python"]
exclude_patterns = ["_build", "examples"]

# Errors are Python's own: listed as arguments are, they are not looked up among all public names.
napoleon_custom_sections = ["Inputs", "Outputs", "Shapes", "Source", ("Raises", "params_style")]

html_theme = "furo"
html_title = f"mindspore_compat {release}"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
