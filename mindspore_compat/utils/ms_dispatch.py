"""`mindspore.utils.ms_dispatch`: operations that a method of the script's own intercepts."""

import contextlib

from .._core.declare import interception

__all__ = ["MsDispatchMode"]


class MsDispatchMode(contextlib.ContextDecorator):
    """A context in which each operation is given to `__ms_dispatch__`, which a subclass overrides.

    Of nested contexts the innermost receives the operation; what its method computes goes to the
    one around. The context may also decorate a function. Operations are those of this package: one
    that MindSpore composes of several, such as `ops.gelu`, may be one here. Gradients are computed
    without the operations of the forward pass, and are not intercepted.

    Raises:
        TypeError: `__ms_dispatch__` does not take `func` and `args`.

    Examples:
        >>> import mindspore_compat as ms
        >>> class Logged(ms.MsDispatchMode):
        ...     def __ms_dispatch__(self, func, args, kwargs=None):
        ...         print(func.name)
        ...         return func(*args)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> with Logged():
        ...     y = x * x - x
        Mul
        Sub

    Source: mindspore.utils.MsDispatchMode of MindSpore 2.10.
    """

    def __enter__(self):
        interception.enter(self)
        return self

    def __exit__(self, *error):
        interception.leave()

    def __ms_dispatch__(self, func, args, kwargs=None):
        """Receives an operation; this one computes it.

        Args:
            func (Callable): `func.name` is the operation's name, and `func(*args)` computes it.
            args (tuple): its arguments.
            kwargs (dict): arguments by name; there are none. Default: ``None``.

        Returns:
            Any, what the operation's caller receives.
        """
        return func(*args)
