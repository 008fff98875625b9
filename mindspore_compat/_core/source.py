"""Compiles functions generated as source text, as `dataclasses` does, with readable tracebacks."""

import itertools
import linecache

_numbers = itertools.count(1)


def compiled(lines, scope, title):
    """Executes lines of source in a scope, and registers the source so that tracebacks show it.

    Args:
        lines (Iterable[str]): the source.
        scope (dict): the globals of the source.
        title (str): the name of the source in tracebacks.

    Returns:
        dict: `scope`, with the names that the source defines.
    """
    text = "\n".join(lines) + "\n"
    filename = f"<{title} #{next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope.setdefault("__name__", __name__)
    exec(compile(text, filename, "exec"), scope)
    return scope
