"""Makes the modules of `mindspore.ops.operations` whose primitives have no other public path."""

from .._core.declare.public_api import facade
from .primitive import Primitive


def operations_facade(module, area):
    """Returns `__getattr__`, `__dir__` and `__all__` of a facade module, which shows its own names
    and then the names of `ops`.

    Args:
        module (str): the module's `__name__`.
        area (str): the path that the primitives are declared under.
    """
    find, listing, names = facade(module, Primitive, area)

    def found(name):
        try:
            return find(name)
        except AttributeError:
            from . import __getattr__ as of_ops  # late: the package imports this module

            return of_ops(name)

    return found, listing, names
