"""Methods of Tensor, generated from their `Tensor.…` lines at their first use."""

from ..tensor.tensor import Tensor
from .op import DECLARED, PUBLIC
from .public_api import build

__all__ = ["LazyMethod", "attach_methods"]


class LazyMethod:
    """A method of Tensor that is generated at its first use."""

    def __init__(self, name):
        self.name = name

    def __get__(self, instance, owner):
        method = build("Tensor", self.name)
        setattr(Tensor, self.name, method)
        return method if instance is None else method.__get__(instance, owner)


def attach_methods():
    """Attaches to Tensor the methods declared by `Tensor.…` lines and the hand-written methods."""
    for name in DECLARED.get("Tensor", ()):
        setattr(Tensor, name, LazyMethod(name))
    for name, thing in PUBLIC.get("Tensor", {}).items():
        setattr(Tensor, name, thing)
