"""Finds the Tensor that `x[i][j] = y` writes to in graph mode and within `vmap`.

In a graph no two Tensors share memory: `z = x[i]` followed by `z[j] = y` leaves `x` as it is. The
statement `x[i][j] = y` however writes the changed item into `x`. Whether an item is assigned to in
the statement that took it is read from the source, as the original does.
"""

import ast
import functools
import linecache
import weakref


def linked(item, whole, index, frame):
    """Records on `item` that it is `whole[index]`, taken at the current statement of `frame`."""
    code = frame.f_code
    if _nested_targets(code.co_filename):
        item.__dict__["_item_of"] = reference(whole), index, code, frame.f_lineno


def reference(whole):
    """A function that returns the Tensor, or None once it is gone.

    A Tensor that is itself an item may be held by nothing else; others are not kept alive.
    """
    linked = whole.__dict__.keys() & {"_item_of", "_view_of"}
    return (lambda: whole) if linked else weakref.ref(whole)


def written(item, frame):
    """The Tensor to write an item back to, and its index; None for both if there is none.

    Args:
        item (Tensor): what has been written to.
        frame (frame): that of the statement, or of this package for an item of an item, which is
            written back in the same statement.
    """
    if "_item_of" not in item.__dict__:
        return None, None
    source, index, code, line = item._item_of
    statements = _nested_targets(code.co_filename)
    target = statements.get(line)
    if target is None or not _goes_on(frame, code, target, statements):
        return None, None
    return source(), index


def _goes_on(frame, code, target, statements):
    """Whether the frame is still at the statement that took an item."""
    if frame.f_globals.get("__package__") == __package__:
        return True
    return frame.f_code is code and statements.get(frame.f_lineno) == target


@functools.lru_cache(1024)
def _nested_targets(path):
    """The lines of a file that assign to an item of an item, each with the first of its target."""
    text = "".join(linecache.getlines(path))
    if "][" not in text.replace(" ", ""):
        return {}
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a cell of a notebook with commands of its own
        return {}
    return {
        line: node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Subscript)
        for line in range(node.lineno, node.end_lineno + 1)
    }
