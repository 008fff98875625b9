"""Are all numbers finite: one pass over the memory, and nothing as large as an array allocated."""

import ml_dtypes
import numpy

from . import arrays

_EXPONENTS = {  # narrow floats are finite where not all bits of the exponent are set
    numpy.dtype(numpy.float16): 0x7C00,
    numpy.dtype(ml_dtypes.bfloat16): 0x7F80,
}


def all_finite(held):
    """Whether no element of any array is infinite or NaN, as a 0-d bool array where they lie.

    Integers and bools are finite.
    """
    flags = [_on_host(x) if type(x) is numpy.ndarray else _on_device(x) for x in held]
    device = [flag for flag in flags if arrays.on_device(flag)]
    if not device:
        return numpy.array(all(bool(flag) for flag in flags))
    xp = arrays.space_of(device[0])
    host = all(bool(flag) for flag in flags if not arrays.on_device(flag))
    return xp.all(xp.stack(device)) if host else xp.zeros((), bool)


def overflowed(held):
    """Whether an element of an array is infinite or NaN, as a 0-d bool array where they lie."""
    finite = all_finite(held)
    out = arrays.space_of(finite).empty_like(finite)
    out[...] = ~finite
    return out


def _on_host(x):
    exponent = _EXPONENTS.get(x.dtype)
    if exponent is not None:
        return numpy.array(not ((x.view(numpy.uint16) & exponent) == exponent).any())
    if x.dtype.kind not in "fc":
        return numpy.array(True)
    with numpy.errstate(all="ignore"):
        total = x.sum()
    # A finite sum has finite terms. An infinite one may also have grown out of range.
    return numpy.array(numpy.isfinite(total) or numpy.isfinite(x).all())


def _on_device(x):
    xp = arrays.space_of(x)
    return xp.all(xp.isfinite(x)) if x.dtype.kind in "fcV" else xp.ones((), bool)
