"""Replaces the numbers, dtypes and shapes of a call's arrays by others at their edges.

Needs only NumPy, because it also runs beside real MindSpore.
"""

import numpy as np

MOST = 3  # arrays of a call whose elements are replaced one array at a time


def specials(dtype):
    """Returns the numbers of a dtype at which formulas fail, by name."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return {"true": True, "false": False}
    if dtype.kind in "iu":
        end = np.iinfo(dtype)
        return {"most": end.max, "least": end.min, "zero": 0, "one": 1}
    end = np.finfo(dtype)
    return {
        "nan": np.nan,
        "inf": np.inf,
        "-inf": -np.inf,
        "largest": end.max,
        "-largest": -end.max,
        "smallest": end.tiny,
        "subnormal": end.smallest_subnormal,
        "-subnormal": -end.smallest_subnormal,
        "-0.0": -0.0,
        "0.0": 0.0,
        "1.0": 1.0,
    }


def of(arrays):
    """Yields (label, arrays) of every variant of a call's arrays, beginning with the unchanged
    call."""
    yield "as it is", arrays
    floats = [i for i, a in enumerate(arrays) if a.dtype.kind == "f"]
    if floats:
        yield from _numbers(arrays, floats)
        for name in ("float16", "float64", "int8", "int32", "int64", "uint8", "bool"):
            yield f"{name} cycle", _cycled(arrays, floats, name)
        large = np.float16(60000)
        wide = [np.where(a > 0, large, -large) if a.dtype.kind == "f" else a for a in arrays]
        yield "float16 large", wide
    elif arrays and all(a.dtype.kind in "iub" for a in arrays):
        yield "ends", _cycled(arrays, range(len(arrays)), None)
    yield from _shapes(arrays)


def _numbers(arrays, floats):
    for i in floats[:MOST]:
        for name, number in specials(arrays[i].dtype).items():
            if arrays[i].size and name not in ("0.0", "1.0"):
                new = arrays[i].copy()
                new.flat[new.size // 2] = number
                yield f"{name} in {i}", [new if j == i else a for j, a in enumerate(arrays)]
        for name, number in (("nan", np.nan), ("0.0", 0.0), ("large", 1e30), ("small", 1e-30)):
            new = np.full_like(arrays[i], number)
            yield f"all {name} in {i}", [new if j == i else a for j, a in enumerate(arrays)]
    for step in (1, 4):
        yield f"cycle {step}", _cycled(arrays, floats, None, step)


def _cycled(arrays, chosen, dtype, step=1):
    """Gives each chosen array all numbers of `specials` in a cycle; each array starts at another
    number."""
    made = list(arrays)
    for turn, i in enumerate(chosen):
        kind = np.dtype(dtype or arrays[i].dtype)
        numbers = np.array(list(specials(kind).values()), kind)
        order = (np.arange(arrays[i].size) * (turn * step + 1) + turn) % numbers.size
        made[i] = numbers[order].reshape(arrays[i].shape)
    return made


def _shapes(arrays):
    if not arrays or not arrays[0].ndim:
        return
    shape = arrays[0].shape
    alike = [i for i, a in enumerate(arrays) if a.shape == shape]
    cuts = {
        "empty": np.s_[:0],
        "one row": np.s_[:1],
        "empty last axis": np.s_[..., :0],
        "one column": np.s_[..., :1],
    }
    for label, cut in cuts.items():
        yield label, [a[cut].copy() if i in alike else a for i, a in enumerate(arrays)]
    if arrays[0].size:
        yield "0-d", [np.array(a.flat[0]) if i in alike else a for i, a in enumerate(arrays)]
        single = [a.reshape(-1)[:1].reshape((1,) * a.ndim) for a in arrays]
        yield "one element", [single[i] if i in alike else a for i, a in enumerate(arrays)]
        if len(arrays) > 1:
            yield "empty alone", [arrays[0][:0].copy(), *arrays[1:]]
