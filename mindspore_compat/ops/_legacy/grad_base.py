"""mindspore.ops._grad.grad_base: registers gradients of Primitives, under a path of older releases.

2.10 does not have this path; setting the environment variable MINDSPORE_COMPAT_LEGACY to 0 hides
it.
"""

import functools

from ..._core.declare.public_api import facade, legacy
from ..._core.gradients import custom
from ..primitive import Primitive

__path__ = []  # `ops._grad.grad_base` is this module again; see _paths.py


class _Getters:
    """Maps classes of Primitives to functions that compute their gradients."""

    def register(self, prim):
        """Returns a decorator for a function `get(primitive)`, which must return the gradient
        function.

        The gradient function is called as `bprop(*inputs, out, dout)` and returns one gradient per
        input. It replaces the gradient that the Primitive had.

        Args:
            prim (type): a Primitive class whose computation is in `__call__`.

        Raises:
            TypeError: if `prim` is not a Primitive class.

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
    """Returns `forward`, the `__call__` of a class, with the gradient that `get` returns."""

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
