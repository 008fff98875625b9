"""custom_vjp: a function with a custom gradient."""

from ..cell import Cell

__all__ = ["custom_vjp"]


def custom_vjp(fn=None):
    """Wraps a function as a Cell whose gradient `defbwd` sets.

    Args:
        fn (Callable, optional): the function. Without it a decorator is returned. Default: None.

    Returns:
        Cell, called as `fn` is.

    Raises:
        TypeError: if `fn` cannot be called, or a gradient is taken before `defbwd` was called.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.function.grad.grad_func import custom_vjp
        >>> @custom_vjp
        ... def product(x, y):
        ...     return x * y
        >>> product.defbwd(lambda x, y, out, dout: (dout * 2, out))
        >>> ms.grad(product)(ms.Tensor(3.0), ms.Tensor(4.0))
        Tensor(shape=[], dtype=Float32, value= 2)

    Source: mindspore.ops.function.grad.grad_func.custom_vjp of MindSpore 2.10.
    """
    if fn is None:
        return custom_vjp
    if not callable(fn):
        raise TypeError(
            f"For 'custom_vjp', 'fn' must be a function, but got {fn!r} of type "
            f"{type(fn).__name__}."
        )
    return _Differentiated(fn)


class _Differentiated(Cell):
    """A function as a Cell, with the custom gradient set by `defbwd`."""

    def __init__(self, fn):
        super().__init__()
        self.fn = fn
        self.bwd = None

    def construct(self, *args):
        """Returns the result of the function."""
        return self.fn(*args)

    def defbwd(self, bwd):
        """Sets the function that computes the gradient.

        Args:
            bwd (Callable): takes the inputs, the result and the gradient of the result, and gives
                a tuple of the gradients of the inputs.

        Raises:
            TypeError: if `bwd` cannot be called.
        """
        if not callable(bwd):
            raise TypeError(
                f"For 'defbwd', 'bwd' must be a function, but got {bwd!r} of type "
                f"{type(bwd).__name__}."
            )
        self.bwd = bwd

    def bprop(self, *args):
        """Returns the gradients of the inputs."""
        if self.bwd is None:
            raise TypeError(
                "For 'custom_vjp', 'defbwd' must be called before a gradient is asked for."
            )
        return self.bwd(*args)
