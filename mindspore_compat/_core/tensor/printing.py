"""Printing of Tensors and Parameters: `print(x)`, `repr(x)`.

`str` of a Tensor is the same as `str` of its NumPy array, except for bfloat16. `repr` is
MindSpore's own: the shape, the dtype and the values. It abridges an axis to three values at either
end if a 1-D Tensor has more than 1000 values, or an axis of any other Tensor more than six. It
breaks a 1-D Tensor into lines of 12 or 24 values.
"""

import math

import numpy as np

from . import dtype as dtypes

EDGE = 3  # values shown at either end of an abridged axis
LONGEST_VECTOR = 1000  # values of a single axis printed whole
LONGEST_AXIS = 2 * EDGE  # the same for each of several axes

# kind of values -> (text of a value, least width, values per line). A width of None means the width
# of the widest value shown.
_styles = {
    "bool": (str, 5, 12),
    "float16": (lambda x: _with_sign(f"{x:.4e}", x), 11, 12),
    "float32": (lambda x: _with_sign(f"{x:.8e}", x), 15, 12),
    "float64": (lambda x: _with_sign(f"{x:.8e}", x), 15, 12),
    "complex64": (lambda x: _complex_text(x), 0, 24),
    "complex128": (lambda x: _complex_text(x), 0, 24),
}


def tensor_repr(array: np.ndarray, commas: bool = True) -> str:
    """Returns the `repr` of a Tensor: shape, dtype and values.

    Args:
        array: the Tensor's values, on the host.
        commas: False for the form without commas, in which sparse tensors show their parts.
    """
    dtype = dtypes.from_numpy(array.dtype)
    gap = "\n" if array.ndim > 1 else " " if commas else ""
    return f"{_head(array)}{gap}{_values(array, dtype, commas)})"


def _head(array):
    shape = ", ".join(map(str, array.shape))
    return f"Tensor(shape=[{shape}], dtype={dtypes.from_numpy(array.dtype)}, value="


def undrawn_str(like):
    """Returns the `str` of a Tensor whose initializer has not drawn yet; printing draws nothing.

    Args:
        like: an array of the Tensor's shape and dtype.
    """
    gap = "\n" if like.ndim > 1 else ""
    return f"{_head(like)}{gap}<uninitialized>)"


def tensor_str(array: np.ndarray) -> str:
    """Returns the `str` of a Tensor, given its values on the host.

    It obeys `numpy.set_printoptions`. Newer NumPy switches to scientific notation sooner for
    float16 and float32 than MindSpore; `legacy` keeps the older behaviour.
    """
    with np.printoptions(legacy="1.25"):
        if array.dtype.name != "bfloat16":
            return str(array)
        if array.ndim == 0:
            return f"{float(array):f}"
        return np.array2string(array, formatter={"all": lambda x: f"{float(x):f}"})


def _values(array: np.ndarray, dtype: dtypes.Type, commas: bool) -> str:
    if array.size == 0:
        return ""
    if dtype == dtypes.string:
        return (
            repr(array.item())
            if array.ndim == 0
            else np.array2string(array, separator=", " if commas else " ")
        )
    text, width, per_line = _styles.get(array.dtype.name, (_general, None, 24))
    if array.ndim == 0:
        text = _general if array.dtype.kind in "fV" else text
        return text(array.item())
    ends, is_shortened = _ends(array)
    texts = np.array([text(x) for x in ends.ravel().tolist()], object)
    width = max(map(len, texts)) if width is None else width
    texts = np.array([cell.rjust(width) for cell in texts], object).reshape(ends.shape)
    if array.ndim == 1 and not is_shortened[0]:
        return _lines(texts, per_line, "," if commas else "")
    return _rows(texts, is_shortened, "," if commas else "")


def _ends(array: np.ndarray) -> tuple[np.ndarray, list[bool]]:
    """Returns the values to show, and for each axis whether it is abridged."""
    longest = LONGEST_VECTOR if array.ndim == 1 else LONGEST_AXIS
    is_shortened = [size > longest for size in array.shape]
    for axis, shortened in enumerate(is_shortened):
        if shortened:
            array = array.take([*range(EDGE), *range(-EDGE, 0)], axis)
    return array, is_shortened


def _lines(texts: np.ndarray, per_line: int, comma: str) -> str:
    """Returns the text of the values of a 1-D Tensor that is not abridged. As in MindSpore, an
    empty line follows a full last line."""
    rows = [
        f"{comma} ".join(texts[start : start + per_line])
        for start in range(0, len(texts), per_line)
    ]
    ending = "\n " if len(texts) % per_line == 0 else ""
    return f"[{f'{comma} {chr(10)} '.join(rows)}{ending}]"


def _rows(texts: np.ndarray, is_shortened: list[bool], comma: str, indent: str = " ") -> str:
    if texts.ndim == 1:
        groups = [texts[:EDGE], texts[EDGE:]] if is_shortened[0] else [texts]
        return f"[{' ... '.join(f'{comma} '.join(group) for group in groups)}]"
    rows = [_rows(row, is_shortened[1:], comma, indent + " ") for row in texts]
    between = f"{comma}\n{indent}"
    groups = [rows[:EDGE], rows[EDGE:]] if is_shortened[0] else [rows]
    return f"[{f'{comma}{chr(10)}{indent}...{chr(10)}{indent}'.join(map(between.join, groups))}]"


def _with_sign(text: str, x: float) -> str:
    """Returns `text` with the sign of a NaN, which Python omits."""
    return "-nan" if x != x and math.copysign(1.0, x) < 0 else text


def _general(x) -> str:
    """Returns the text of a number with at most six significant digits; integers are shown in
    full."""
    return str(x) if isinstance(x, int) else _with_sign(f"{float(x):g}", x)


def _complex_text(x: complex) -> str:
    imaginary = _general(x.imag)
    return f"{_general(x.real)}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
