"""`mindspore.utils.ms_dispatch`: intercepts operations by a user-defined method."""

import contextlib

from .._core.declare import interception

__all__ = ["MsDispatchMode"]


class MsDispatchMode(contextlib.ContextDecorator):
    """A context that passes each operation to `__ms_dispatch__`, which a subclass overrides.

    The innermost of nested contexts receives the operation; operations of its method go to the next
    outer context. The context may also decorate a function. Operations are those of this package:
    one that MindSpore composes of several, such as `ops.gelu`, may be one here. Gradients are
    computed without the operations of the forward pass, and are not intercepted.

    Raises:
        TypeError: if `__ms_dispatch__` does not take `func` and `args`.

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
        return False

    def __ms_dispatch__(self, func, args, kwargs=None):
        """Receives an operation; the default computes it.

        Args:
            func (Callable): `func.name` is the operation's name, and `func(*args)` computes it.
            args (tuple): the arguments of the operation.
            kwargs (dict): arguments by name; there are none. Default: ``None``.

        Returns:
            Any, what the operation's caller receives.
        """
        return func(*args)
