"""Reads Python files as syntax trees."""

import ast
import gc


def parse(file):
    """Returns the syntax tree of a file.

    Garbage collection is disabled meanwhile, because it would take longer than parsing: each
    collection visits all new nodes.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(file.read_text("utf-8"))
    finally:
        if enabled:
            gc.enable()
