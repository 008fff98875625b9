"""mindspore.experimental: the optimizers with parameter groups, and their schedulers."""

from . import optim  # noqa: F401 - reached as an attribute

__all__ = ["optim"]
