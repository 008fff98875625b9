"""`tensordot` and `einsum` of GPU arrays, as matrix products.

Views bring two operands of an einsum into the form (batch, free, summed) @ (batch, summed, free).
If the axes of one group are not adjacent, the reshape to a matrix copies. More than two operands
are contracted pair by pair, in the order that NumPy would choose.
"""

import math

import numpy


def tensordot(xp, x, y, axes):
    """Returns the sums of products over the given axes of `x` and `y`, as NumPy's `tensordot`.

    Args:
        xp: the space.
        x, y: arrays.
        axes (Union[int, tuple]): the number of last axes of `x` and first axes of `y`, or the axes
            of each.
    """
    if isinstance(axes, int):
        axes = (range(x.ndim - axes, x.ndim), range(axes))
    left, right = ((a,) if isinstance(a, int) else tuple(a) for a in axes)
    left, right = [a % x.ndim for a in left], [a % y.ndim for a in right]
    lengths = [x.shape[a] for a in left]
    if lengths != [y.shape[a] for a in right]:
        raise ValueError(
            f"tensordot: axes {tuple(axes)} of shapes {x.shape} and {y.shape} do not fit"
        )
    free_x = [a for a in range(x.ndim) if a not in left]
    free_y = [a for a in range(y.ndim) if a not in right]
    inner = math.prod(lengths)
    shape_x, shape_y = tuple(x.shape[a] for a in free_x), tuple(y.shape[a] for a in free_y)
    rows = x.transpose(free_x + left).reshape(math.prod(shape_x), inner)
    columns = y.transpose(right + free_y).reshape(inner, math.prod(shape_y))
    return xp.matmul(rows, columns).reshape(shape_x + shape_y)


def einsum(xp, equation, operands, options):
    """Computes NumPy's `einsum`.

    Args:
        xp: the space.
        equation (str): the letters of the axes of each operand and of the result.
        operands: the arrays.
        options (dict): further keywords of the library's own einsum.
    """
    terms = _terms(equation, operands) if len(operands) > 1 and not options else None
    if terms is None:
        return xp.module.einsum(equation, *operands, **options)
    sources, target = terms
    operands, sources = list(operands), list(sources)
    while len(operands) > 1:
        first, second = _next_pair(sources, target, operands)
        (y, of_y), (x, of_x) = ((operands.pop(at), sources.pop(at)) for at in (second, first))
        later = set(target).union(*sources)
        letters = "".join(c for c in dict.fromkeys(of_x + of_y) if c in later)
        letters = letters if sources else target
        operands.append(_pair(xp, x, of_x, y, of_y, letters))
        sources.append(letters)
    return operands[0]


def _terms(equation, operands):
    """Returns the letters of each operand and the letters of the result. Returns None if an operand
    repeats a letter or has an ellipsis; the library handles these cases.
    """
    if not isinstance(equation, str) or "." in equation:
        return None
    left, arrow, target = equation.replace(" ", "").partition("->")
    sources = left.split(",")
    if len(sources) != len(operands) or any(len(set(term)) < len(term) for term in sources):
        return None
    if any(len(term) != array.ndim for term, array in zip(sources, operands, strict=True)):
        return None
    if not arrow:
        target = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    if len(set(target)) < len(target) or not set(target) <= set(left):
        return None
    return sources, target


def _next_pair(sources, target, operands):
    """Returns the indices of the two operands that NumPy would contract first, in ascending
    order."""
    if len(operands) > 2:
        shapes = [numpy.broadcast_to(numpy.float32(0), array.shape) for array in operands]
        path, _ = numpy.einsum_path(f"{','.join(sources)}->{target}", *shapes, optimize="greedy")
        if len(path[1]) == 2:
            return sorted(path[1])
    return 0, 1


def _pair(xp, x, of_x, y, of_y, target):
    """Contracts two operands.

    Args:
        xp: the space.
        x, of_x, y, of_y: the operands, and the letters of their axes.
        target: the letters of the result.
    """
    x, of_x = _sum_other_axes(xp, x, of_x, set(of_y) | set(target))
    y, of_y = _sum_other_axes(xp, y, of_y, set(of_x) | set(target))
    batch = [c for c in of_x if c in of_y and c in target]
    inner = [c for c in of_x if c in of_y and c not in target]
    free_x = [c for c in of_x if c not in of_y]
    free_y = [c for c in of_y if c not in of_x]
    sizes = _lengths(((x, of_x), (y, of_y)))
    x = _as_matrices(xp, x, of_x, sizes, batch, free_x, inner)
    y = _as_matrices(xp, y, of_y, sizes, batch, inner, free_y)
    letters = batch + free_x + free_y
    product = xp.matmul(x, y).reshape([sizes[c] for c in letters])
    return product.transpose([letters.index(c) for c in target])


def _sum_other_axes(xp, array, letters, shared):
    """Sums an operand over the axes whose letters are not in `shared`. Returns the sum and its
    letters."""
    axes = tuple(at for at, c in enumerate(letters) if c not in shared)
    if axes:
        array = xp.sum(array, axes, dtype=array.dtype)
    return array, "".join(c for c in letters if c in shared)


def _lengths(operands):
    """Returns a dict: letter -> length of its axis. An axis of length 1 is broadcast, as in
    NumPy."""
    sizes = {}
    for array, letters in operands:
        for c, n in zip(letters, array.shape, strict=True):
            length = sizes.get(c, 1)
            if length != n and length != 1 != n:
                raise ValueError(f"einsum: the axis {c!r} has the lengths {length} and {n}")
            sizes[c] = max(length, n) if n and length else 0
    return sizes


def _as_matrices(xp, array, letters, sizes, batch, rows, columns):
    """Returns an operand as (batch axes, rows, columns), with rows and columns as one axis each."""
    order = [*batch, *rows, *columns]
    array = array.transpose([letters.index(c) for c in order])
    lead = array.shape[: len(batch)]
    shape = (*lead, *(sizes[c] for c in (*rows, *columns)))
    if array.shape != shape:
        array = xp.broadcast_to(array, shape)
    return array.reshape(*lead, *(math.prod(sizes[c] for c in group) for group in (rows, columns)))
