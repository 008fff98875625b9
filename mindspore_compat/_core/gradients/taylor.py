"""Higher derivatives along a curve: jet and derivative.

The inputs move along x(t) = x + s1 t + s2 t^2 / 2 + ..., and the results are the derivatives of the
outputs with respect to t at t = 0. With y the outputs and u fixed, h(t) = <u, y(t)> is a number.
Nested gradients give its derivatives with respect to t, and the gradient of each of them with
respect to u is the derivative of y.
"""

from math import factorial

from ..._backend.arrays import current_space
from ..._core.rules.vocabulary import Int
from ..autograd.tape import depth
from ..declare.op import DECLARED
from ..declare.public_api import public
from ..tensor.tensor import Tensor
from .transforms import _GradientScope, map_tensors, ones_like, outside, tensors_in

_FLOATS = "fcV"


def _along(fn, curve, order):
    """Returns the outputs of `fn`, and for k = 1..order the derivatives of its heads along a curve.

    Args:
        fn (Callable): maps Tensors to a Tensor or to nested Tensors.
        curve (Callable): the inputs, as a list, for a Tensor t without axes.
        order (int): at least 1.
    """
    run = {}

    def rise(t, k):
        """Computes <u, y> and its first `k` derivatives with respect to t."""
        if k == 0:
            run["out"] = fn(*curve(t))
            heads = tensors_in(run["out"])
            run["u"] = [outer.input(ones_like(head)) for head in heads]
            return [sum((u * head).sum() for u, head in zip(run["u"], heads))]
        with _GradientScope() as inner:
            derivatives = rise(inner.input(t), k - 1)
            return [*derivatives, *inner.gradients(derivatives[-1:], [ones_like(derivatives[-1])])]

    with _GradientScope() as outer:
        t = Tensor._wrap(current_space().zeros((), "float64"))  # no narrower than any input
        heights = rise(t, order)
        derivatives = [outer.gradients([h], [ones_like(h)]) for h in heights[1:]]
    out = run["out"]
    return map_tensors(outside, out) if depth.open == 0 else out, derivatives


def _floats(tensor):
    """Returns `tensor` if it holds floats, else `tensor` cast to float32."""
    if tensor._array.dtype.kind in _FLOATS:
        return tensor
    return DECLARED["ops"]["cast"][0].run(tensor, "float32")


def _moving(starts, series):
    """Returns the curve that starts at `starts` with the derivatives `series`, one list for each
    input."""

    def curve(t):
        points = []
        for start, terms in zip(starts, series):
            point = start
            for n, term in enumerate(terms, 1):
                point = point + term * (t**n / factorial(n)).astype(start.dtype)
            points.append(point)
        return points

    return curve


def _checked_series(primals, series):
    """Returns the two arguments of jet as lists; both must be Tensors, or both tuples of
    Tensors."""
    if isinstance(primals, Tensor) and isinstance(series, Tensor):
        return [primals], [series]
    tensors = (
        [*primals, *series] if isinstance(primals, tuple) and isinstance(series, tuple) else [0]
    )
    if not all(isinstance(tensor, Tensor) for tensor in tensors):
        raise TypeError(
            f"For 'jet', 'primals' and 'series' must be both a Tensor or both a tuple "
            f"of Tensors, but got {type(primals).__name__} and "
            f"{type(series).__name__}."
        )
    return list(primals), list(series)


@public("ops.jet", "ops.functional.jet")
def jet(fn, primals, series):
    """Computes higher derivatives of the outputs of `fn` along a curve, up to the order of the
    curve.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        primals (Union[Tensor, tuple[Tensor]]): the start of the curve; ints become float32.
        series (Union[Tensor, tuple[Tensor]]): for each input its derivatives along the curve, shape
            (order, ...), element i the derivative of order i + 1. Ones and then zeros give the
            derivatives with respect to the input itself.

    Returns:
        (outputs, derivatives): Tensors, or lists where `fn` has several outputs. The derivatives
        have shape (order, ...).

    Raises:
        TypeError: if `primals` and `series` are not both Tensors or both tuples of Tensors.
        ValueError: if their lengths, shapes or orders do not fit.

    Examples:
        >>> from mindspore_compat import Tensor, ops
        >>> out, derivatives = ops.jet(lambda x: x**3, Tensor([2.0]), Tensor([[1.0], [0.0], [0.0]]))
        >>> print(out, derivatives)
        [8.] [[12.]
         [12.]
         [ 6.]]

    Source: mindspore.ops.jet of MindSpore 2.10.
    """
    starts, rows = _checked_series(primals, series)
    if len(starts) != len(rows):
        raise ValueError(
            f"For 'jet', 'primals' and 'series' must have the same length, but got "
            f"{len(starts)} and {len(rows)}."
        )
    orders = {row.shape[:1] for row in rows}
    if len(orders) != 1 or orders & {(), (0,)}:
        raise ValueError(
            f"For 'jet', 'series' must hold the same number of derivatives, at least "
            f"one, of each input, but got shapes {[row.shape for row in rows]}."
        )
    for start, row in zip(starts, rows):
        if row.shape[1:] != start.shape:
            raise ValueError(
                f"For 'jet', each element of 'series' must have the shape of its "
                f"input, {start.shape}, but got {row.shape[1:]}."
            )
    starts = [_floats(start) for start in starts]
    order = rows[0].shape[0]
    terms = [[row[i].astype(start.dtype) for i in range(order)] for start, row in zip(starts, rows)]
    out, derivatives = _along(fn, _moving(starts, terms), order)
    stack = DECLARED["ops"]["stack"][0]
    return _in_form_of_output(out, [stack.run(list(column), 0) for column in zip(*derivatives)])


@public("ops.derivative", "ops.functional.derivative")
def derivative(fn, primals, order):
    """Returns the outputs of `fn` and their derivative of order `order`, with all inputs moving at
    speed 1.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        primals (Union[Tensor, tuple[Tensor]]): the point; ints become float32.
        order (int): the order of the derivative, at least 1.

    Returns:
        (outputs, derivatives): Tensors, or lists where `fn` has several outputs.

    Raises:
        TypeError: if `primals` is neither a Tensor nor a tuple of Tensors, or `order` is not an
            int.
        ValueError: if `order` is less than 1.

    Examples:
        >>> from mindspore_compat import Tensor, ops
        >>> out, second = ops.derivative(lambda x: x**3, Tensor([2.0]), 2)
        >>> print(out, second)
        [8.] [12.]

    Source: mindspore.ops.derivative of MindSpore 2.10.
    """
    starts = [primals] if isinstance(primals, Tensor) else primals
    if (
        not isinstance(starts, (list, tuple))
        or isinstance(primals, list)
        or not all(isinstance(value, Tensor) for value in starts)
    ):
        raise TypeError(
            f"For 'derivative', 'primals' must be a Tensor or a tuple of Tensors, but "
            f"got {primals!r} of type {type(primals).__name__}."
        )
    Int.refuse("derivative", "order", order)
    if order < 1:
        raise ValueError(f"For 'derivative', 'order' must be at least 1, but got {order}.")
    starts = [_floats(start) for start in starts]
    out, derivatives = _along(fn, _moving(starts, [[ones_like(start)] for start in starts]), order)
    return _in_form_of_output(out, derivatives[-1])


def _in_form_of_output(out, derivatives):
    """Returns the outputs and the derivatives as `jet` does: single values for a single output,
    else lists."""
    if isinstance(out, Tensor):
        return out, derivatives[0]
    return tensors_in(out), derivatives
