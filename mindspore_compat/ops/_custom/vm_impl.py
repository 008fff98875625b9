"""Keeps functions that are registered for Primitives by name."""

from collections import UserDict

from ..._core.declare.public_api import public
from ..primitive import Primitive


class VmImplRegistry(UserDict):
    """Maps the names of Primitives to functions; `register(name)` is a decorator that adds one."""

    def register(self, prim):
        """Returns a decorator that registers a function under a name: a str, or the name of a
        Primitive or its class.
        """

        def keep(function):
            self[_name_of(prim)] = function
            return function

        return keep


def _name_of(prim):
    if isinstance(prim, type):
        return prim.__name__
    return prim.name if isinstance(prim, Primitive) else prim


vm_impl_registry = public("ops.vm_impl_registry")(VmImplRegistry())


@public("ops.get_vm_impl_fn")
def get_vm_impl_fn(prim):
    """Returns the function that `ops.vm_impl_registry` has for a Primitive; None without one.

    The registered object is a factory. It is called with the Primitive (or name), and its result is
    returned.

    Args:
        prim (Union[Primitive, str]): the Primitive or its name.

    Examples:
        >>> from mindspore_compat import ops
        >>> @ops.vm_impl_registry.register("Twice")
        ... def make(self):
        ...     return lambda x: 2 * x
        >>> ops.get_vm_impl_fn("Twice")(4)
        8

    Source: mindspore.ops.get_vm_impl_fn of MindSpore 2.10.
    """
    make = vm_impl_registry.get(_name_of(prim)) if isinstance(prim, (str, Primitive)) else None
    return None if make is None else make(prim)
