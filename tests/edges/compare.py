"""Compares the outcomes of two ways: numbers that are not finite, shapes, dtypes, rounding, and
kinds of refusals.
"""

import pickle
import re

import numpy as np

# Differences between ways of this package that are not defects: (names, ways, reason).
EXEMPT = (
    (r"Tensor\.(data_ptr|is_contiguous|storage_offset|stride)", "", "tells of memory"),
    (r".*empty(_like)?", "", "not initialized"),
    (
        r"ops\.(Gamma|Multinomial|ParameterizedTruncatedNormal|Poisson|Random\w+|Uniform\w+)",
        "graph",
        "draws further numbers in each call",
    ),
    (r".*\.mv|ops\.MatrixSolveLs", "layouts", "BLAS sums in another order"),
)
# The largest rounding difference, relative to the largest number of the result.
_BOUNDS = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-10}
_WIDER = {"float64": 16, "reference": 16}  # ways that compute differently -> factor of the bound


def load(path):
    """Yields ((number, label), outcome) of a file of results."""
    with open(path, "rb") as file:
        while True:
            try:
                number, label, outcome = pickle.load(file)  # noqa: S301 - of our own worker
            except EOFError:
                return
            if label is not None:
                yield (number, label), outcome


def last(path):
    """Returns the number of the last case of a file, and the labels of its outcomes."""
    number, labels = None, []
    with open(path, "rb") as file:
        while True:
            try:
                now, label, _ = pickle.load(file)  # noqa: S301
            except (EOFError, pickle.UnpicklingError):
                return number, labels
            if label is None:
                number, labels = now, []
            else:
                labels.append(label)


def note(path, number, labels, what):
    """Appends to the results what ended the process after the last outcome."""
    with open(path, "ab") as file:
        file.write(pickle.dumps((number, f"after {len(labels)}", what)))


def differences(first, second, way):
    """Yields the differences between two outcomes of one call. The first outcome is that of
    "pynative"."""
    if isinstance(first, str) or isinstance(second, str):
        if _kind(first) != _kind(second):
            yield "outcome", f"{_short(first)} | {_short(second)}"
        return
    for part in ("result", "gradient"):
        one, other = first.get(part), second.get(part)
        if one is None and other is None:
            continue
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                yield part, f"{len(one)} | {len(other)} arrays"
                continue
            for a, b in zip(one, other, strict=True):
                what = of_arrays(a, b, way)
                if what:
                    yield part, what
                    break
        elif _kind(one) != _kind(other):
            yield part, f"{_short(one)} | {_short(other)}"


def of_arrays(a, b, way):
    """Returns how two arrays differ, or None."""
    if a.shape != b.shape:
        return f"shapes {a.shape} | {b.shape}"
    if way == "float64" and a.dtype.kind == "f":
        with np.errstate(all="ignore"):
            b = b.astype(a.dtype)
    if a.dtype != b.dtype:
        return f"dtypes {a.dtype} | {b.dtype}"
    if a.dtype.kind not in "fc":
        return None if np.array_equal(a, b) else f"values {_few(a)} | {_few(b)}"
    nan, inf = np.isnan(a) != np.isnan(b), np.isinf(a) | np.isinf(b)
    if nan.any():
        return f"nan {_few(a[nan])} | {_few(b[nan])}"
    apart = inf & ~np.isnan(a) & (a != b)
    if apart.any():
        return f"inf {_few(a[apart])} | {_few(b[apart])}"
    finite = np.isfinite(a)
    if not finite.any():
        return None
    x, y = a[finite].astype(np.complex128), b[finite].astype(np.complex128)
    real = np.float32 if a.dtype == np.complex64 else a.dtype
    bound = _BOUNDS.get(str(real), 1e-10) * _WIDER.get(way, 1)
    with np.errstate(all="ignore"):
        size = max(np.abs(x).max(), np.abs(y).max())
        wrong = np.abs(x / size - y / size) > bound if size > np.finfo(real).tiny else x != x
    if wrong.any():
        return f"values {_few(a[finite][wrong])} | {_few(b[finite][wrong])}"
    return None


def report(cases, first, second, way, everything=False):
    """Prints the differences between two ways, one per name unless `everything` is set. Returns
    their number."""
    seen, count, calls = {}, 0, 0
    for (number, label), outcome in second.items():
        base = first.get((number, label.split(",")[0] if way == "layouts" else label))
        if base is None:
            if isinstance(outcome, str) and label.startswith("after"):
                _add(seen, cases[number]["name"], label, "outcome", outcome)
            continue
        calls += 1
        if exempt(cases[number]["name"], way):
            continue
        for part, what in differences(base, outcome, way):
            count += 1
            _add(seen, cases[number]["name"], label, part, what)
    print(f"pynative and {way}: {calls} calls, {count} differences of {len(seen)} names")
    for name, found in sorted(seen.items()):
        for label, part, what in found if everything else found[:1]:
            more = f" (+{len(found) - 1})" if len(found) > 1 and not everything else ""
            print(f"    {name}, {label}, {part}: {what}{more}")
    return count


def exempt(name, way):
    """Returns the reason why differences of a name do not count; None if they count."""
    for names, ways, reason in EXEMPT:
        if re.fullmatch(names, name) and way in (ways or way):
            return reason
    return None


def _add(seen, name, label, part, what):
    seen.setdefault(name, []).append((label, part, what))


def _kind(outcome):
    return outcome.split(":")[0] if isinstance(outcome, str) else "done"


def _short(outcome):
    return outcome[:150] if isinstance(outcome, str) else "done"


def _few(values):
    return np.array2string(values.reshape(-1)[:3], precision=6, threshold=4)
