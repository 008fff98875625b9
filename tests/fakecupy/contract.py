"""Calls of CuPy and their recorded outcomes: the dtype and shape of the result, or the type of the
error.

    python -m tests.cuda_on_host tests/fakecupy/contract.py

makes the calls on CuPy over the simulated CUDA and writes contract.json. test_contract.py compares
the stand-in with that file, and on CuPy itself the file with CuPy. The calls are every ufunc with
operands of many kinds, and those of contract_calls.txt: functions, methods and keywords that the
package uses, and forms that differ from NumPy's. Before ml_dtypes 0.7, bfloat16 and a float gave
float32; the file keeps the outcomes of these calls apart.
"""

import json
import pathlib
import sys
import warnings

import ml_dtypes
import numpy

FILE = pathlib.Path(__file__).with_name("contract.json")
REFUSED = "refused: "
_OLDER = "before ml_dtypes 0.7"
CALLS = pathlib.Path(__file__).with_name("contract_calls.txt")
ONE_OPERAND = (
    *("f", "w", "i", "b", "q", "s", "2", "[1.0]", "host", "f, f.copy()", "f, out=h.copy()"),
    *("f, dtype='d'", "f, f, f, f", "f, where=b", "f, out=host"),
)
TWO_OPERANDS = (
    *("f, f", "w, w", "w, 2", "w, 2.5", "2, w", "w, f", "b, b", "b, q", "q, b", "l, q", "i, 2.5"),
    *("u, 300", "2, 2", "f, host", "host, f", "f, [1.0]", "f, f, f.copy()", "f, f, out=i.copy()"),
    *("f, f, f, f, f", "f", "f, f, where=b"),
)


def operands(cupy):
    """Returns the names that calls use: arrays of each dtype, a NumPy array, modules."""
    values = numpy.array([[1, 0], [2, 3]])
    letters = {"f": "f", "d": "d", "h": "e", "c": "F", "i": "i", "l": "l", "u": "B", "q": "Q"}
    arrays = {name: cupy.asarray(values.astype(dtype)) for name, dtype in letters.items()}
    return {
        **arrays,
        "b": cupy.asarray(values > 0),
        "w": cupy.asarray(values.astype(ml_dtypes.bfloat16)),
        "v": cupy.asarray(values[1].astype("f")),
        "s": cupy.asarray(numpy.float32(2)),
        "z": cupy.zeros((0, 2), "f"),
        "t": cupy.asarray(numpy.arange(24, dtype="f").reshape(2, 3, 4)),
        "host": values.astype("f"),
        "cp": cupy,
        "numpy": numpy,
    }


def calls(ufuncs):
    """Returns the text of every call.

    Args:
        ufuncs: name -> the number of inputs.
    """
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    texts = [line for line in lines if line and not line.startswith("#")]
    for name, count in ufuncs.items():
        for arguments in {1: ONE_OPERAND, 2: TWO_OPERANDS}.get(count, ()):
            texts.append(f"cp.{name}({arguments})")
    return texts


def outcome(text, names):
    """Returns the outcome of a call: dtypes and shapes, or the kind of error."""
    try:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return described(eval(text, dict(names)))
    except Exception as error:  # the kind is what is recorded
        return f"{REFUSED}{type(error).__name__}"


def described(value):
    """Returns a result as text."""
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(described, value))})"
    if isinstance(value, numpy.ndarray):
        return f"host {value.dtype} {value.shape}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} {value.shape}"
    return type(value).__name__


def record(cupy, ufuncs):
    """Returns every call with its outcome, on one CuPy."""
    import cupyx
    import cupyx.scipy.linalg
    import cupyx.scipy.special

    return {text: outcome(text, {**operands(cupy), "cupyx": cupyx}) for text in calls(ufuncs)}


def ufuncs_of_census():
    """Returns the ufuncs of CuPy's main module: name -> the number of inputs."""
    from fakecupy import listing

    lines = listing.census()["modules"]["cupy"]
    return {name: int(line.split()[1]) for name, line in lines.items() if line.startswith("ufunc")}


def recorded():
    """Returns every call with its recorded outcome, for the installed ml_dtypes."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    release = tuple(map(int, ml_dtypes.__version__.split(".")[:2]))
    return {**table["calls"], **(table[_OLDER] if release < (0, 7) else {})}


def main():
    """Records the calls on the CuPy that is installed, with ml_dtypes 0.7 or later."""
    import cupy

    older = json.loads(FILE.read_text(encoding="utf-8"))[_OLDER]
    calls = record(cupy, ufuncs_of_census())
    table = {"CuPy": cupy.__version__, _OLDER: older, "calls": calls}
    FILE.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")
    print(f"{FILE}: {len(table['calls'])} calls on CuPy {cupy.__version__}", file=sys.stderr)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    main()
