"""mindspore.nn.probability: distributions; the original's further rooms are not here."""

from . import distribution  # noqa: F401 - reached as an attribute

__all__ = []
