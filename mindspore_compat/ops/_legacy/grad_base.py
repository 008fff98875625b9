"""mindspore.ops._grad.grad_base: gradients registered for Primitives, a path of older releases.

2.10 does not have it; the environment variable MINDSPORE_COMPAT_LEGACY set to 0 hides what is here.
"""

import functools

from ..._core.autograd import custom
from ..._core.declare.public_api import facade, legacy
from ..primitive import Primitive

__path__ = []  # `ops._grad.grad_base` is this module again, see _paths.py


class _Getters:
    """Functions that give the gradient of a Primitive, by its class."""

    def register(self, prim):
        """A decorator for a function `get(primitive)` that returns the gradient of a Primitive.

        What it returns is called as `bprop(*inputs, out, dout)` and gives one gradient for each
        input; it replaces the gradient that the Primitive had.

        Args:
            prim (type): a class of Primitives; one that is written here computes in `__call__`.

        Raises:
            TypeError: if `prim` is not a class of Primitives.

        Source: mindspore.ops._grad.grad_base.bprop_getters of MindSpore 1.8.
        """
        if not (isinstance(prim, type) and issubclass(prim, Primitive)):
            raise TypeError(
                f"For 'register', 'prim' must be a class of Primitives, but got {prim!r}."
            )

        def keep(get):
            computes = [cls for cls in prim.__mro__ if "__call__" in vars(cls)]
            if computes:
                prim.__call__ = _with_gradient(computes[0].__call__, get)
            return get

        return keep


def _with_gradient(forward, get):
    """`forward`, the `__call__` of a class, with the gradient that `get` gives."""

    @functools.wraps(forward)
    def call(self, *inputs):
        bprop = get(self)
        return custom.custom_gradient(
            lambda *given: forward(self, *given),
            lambda given, out, sens: bprop(*given, out, sens),
            inputs,
        )

    return call


legacy("ops._grad.grad_base.bprop_getters")(_Getters())

__getattr__, __dir__, __all__ = facade(__name__, Primitive, "ops._grad.grad_base")
