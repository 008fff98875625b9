"""Convolution of two vectors, for `convolve`, `correlate` and products of polynomials."""

from .._core.rules.vocabulary import AsValue, OneOf
from .._core.tensor.promotion import promote_np
from ..ops._elementwise.cast import cast
from ..ops._linalg import matmul
from ..ops._shape import flip_roll, join_split, pad
from ._convert import refuse_complex

_Mode = AsValue(OneOf("full", "same", "valid")).called("'full', 'same' or 'valid'")


def sliding(a, v, mode, api, complexes=False):
    """Computes the convolution of two vectors, in their promoted dtype.

    Raises:
        TypeError: if one is complex and `complexes` is false.
        ValueError: if one is empty or not a vector, or `mode` is unknown.
    """
    _Mode.refuse(api, "mode", mode)
    a, v = (t.reshape(-1) if not t.ndim else t for t in (a, v))
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ValueError(
            f"For '{api}', the inputs must be vectors with elements, but got "
            f"{a.shape} and {v.shape}."
        )
    if not complexes:
        refuse_complex(api, a, v)
    common = promote_np(a._array.dtype, v._array.dtype)
    upcast = "float32" if common.kind == "b" else common
    a, v = cast.run(a, upcast), cast.run(v, upcast)
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    count = v.shape[0]
    a_padded = pad.pad_constant.run(a, [(count - 1, count - 1)], 0)
    total = a.shape[0] + count - 1
    rows = join_split.stack.run([a_padded[i : i + total] for i in range(count)], 0)
    whole = cast.run(matmul.matmul.run(flip_roll.flip.run(v, (0,)), rows), upcast)
    if mode == "full":
        return whole
    if mode == "valid":
        return whole[count - 1 : a.shape[0]]
    start = (count - 1) // 2
    return whole[start : start + a.shape[0]]
