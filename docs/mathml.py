"""A Sphinx extension that writes formulas as MathML, which browsers show without scripts or a
network."""

import re

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(writer, node):
    """Writes a formula within a sentence."""
    write(writer, convert(plain(node.astext())))


def visit_block(writer, node):
    """Writes a formula in lines of its own."""
    latex = plain(node.astext())
    if "&" in latex or r"\\" in latex:
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    write(writer, f'<div class="math">{convert(latex, display="block")}</div>')


def plain(latex):
    """Returns LaTeX without backslashes in words, which the converter would show."""
    return re.sub(r"\\text\{[^}]*\}", lambda word: word[0].replace(r"\_", "_"), latex)


def write(writer, mathml):
    """Adds the text, and ends the visit of the node."""
    writer.body.append(mathml)
    raise SkipNode
