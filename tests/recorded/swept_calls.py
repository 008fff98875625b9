"""Good calls with one argument replaced, whose outcome is known from MindSpore 2.10.

tests/data/swept_calls.json holds {name: [[construction, call, owner, outcome], ...]}: arguments by
name as texts of conformance/arguments/values.py, and an outcome as in argument_calls.py. This
package once had a different outcome for each of them. From the root, with an interpreter that has
MindSpore (CPU), `python -m tests.recorded.swept_calls` writes the outcomes again.
"""

import json
import os
import pathlib
import tempfile

from conformance.arguments.values import Values, resolve
from conformance.calls.applying import apply

FILE = pathlib.Path(__file__).parent.parent / "data" / "swept_calls.json"


def load():
    """Returns the calls by name."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def save(found):
    """Writes the calls by name, one a line."""
    parts = []
    for name, rows in sorted(found.items()):
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def outcome(ms, name, init, call, owner):
    """Returns "accepted" or the name of the exception that a call raises."""
    values = Values(ms)
    try:
        if owner is not None:
            made = getattr(values.build(owner), name.rpartition(".")[2])
        else:
            made = resolve(ms, name)
            made = made if init is None else apply(made, _built(values, init))
        result = made if call is None else apply(made, _built(values, call))
        for part in result if isinstance(result, (tuple, list)) else (result,):
            if hasattr(part, "asnumpy") and hasattr(part, "shape"):
                part.asnumpy()
    except Exception as error:
        kinds = (kind.__name__ for kind in type(error).__mro__)
        return next(kind for kind in kinds if not kind.startswith("Param"))
    return "accepted"


def _built(values, texts):
    return {name: values.build(text) for name, text in texts.items()}


if __name__ == "__main__":
    import mindspore

    known = load()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        save(
            {
                name: [[*row[:3], outcome(mindspore, name, *row[:3])] for row in rows]
                for name, rows in known.items()
            }
        )
