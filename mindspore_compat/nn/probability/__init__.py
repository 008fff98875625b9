"""mindspore.nn.probability: distributions, bijectors between them, and Bayesian layers."""

from . import bijector, distribution  # noqa: F401 - reached as attributes

__all__ = []
