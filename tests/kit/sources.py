"""Reads Python files as syntax trees."""

import ast
import gc


def parse(file):
    """Returns the syntax tree of a file.

    Garbage collection is off meanwhile. It would visit the many new nodes again and again, which
    takes longer than parsing.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(file.read_text("utf-8"))
    finally:
        if enabled:
            gc.enable()
