"""Compiles functions generated as source text, as `dataclasses` does, with readable tracebacks."""

import itertools
import linecache

_numbers = itertools.count(1)


def compiled(lines, scope, title):
    """Runs `lines` in `scope`, returns `scope`, and registers the source for tracebacks."""
    text = "\n".join(lines) + "\n"
    filename = f"<{title} #{next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope.setdefault("__name__", __name__)
    exec(compile(text, filename, "exec"), scope)
    return scope
