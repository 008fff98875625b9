"""Finds the Tensor that `x[i][j] = y` writes to in graph mode and within `vmap`.

In graph mode no two Tensors share memory: `z = x[i]` followed by `z[j] = y` does not change `x`.
The statement `x[i][j] = y`, however, writes the changed item into `x`. To distinguish the two, this
module reads the source code of the statement that took the item, as MindSpore does.
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
    """Returns a function that returns the Tensor, or None once it has been collected.

    A Tensor that is itself an item is kept alive, because nothing else may hold it; other Tensors
    are not.
    """
    parents = whole.__dict__.keys() & {"_item_of", "_view_of"}
    return (lambda: whole) if parents else weakref.ref(whole)


def written(item, frame):
    """Returns the Tensor to write an item back to, and its index; (None, None) without one.

    Args:
        item (Tensor): the Tensor that has been written to.
        frame (frame): the frame of the statement, or of this package for an item of an item, which
            is written back in the same statement.
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
    """Returns whether the frame is still at the statement that took the item."""
    if frame.f_globals.get("__package__") == __package__:
        return True
    return frame.f_code is code and statements.get(frame.f_lineno) == target


@functools.lru_cache(1024)
def _nested_targets(path):
    """Returns the lines of a file that assign to an item of an item, each with the first line of
    its target."""
    text = "".join(linecache.getlines(path))
    if "][" not in text.replace(" ", ""):
        return {}
    try:
        tree = ast.parse(text)
    except SyntaxError:  # for example a notebook cell with IPython commands
        return {}
    return {
        line: node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Subscript)
        for line in range(node.lineno, node.end_lineno + 1)
    }
