"""Layers, one file per public module of MindSpore. This package re-exports all of them."""

from ..._core.declare.public_api import facade
from ..cell import Cell
from . import (  # noqa: F401 - the declarations
    activation,
    basic,
    channel_shuffle,
    combined,
    container,
    conv,
    dense,
    embedding,
    image,
    math,
    normalization,
    padding,
    pooling,
    rnn_cells,
    rnns,
    thor_layer,
    timedistributed,
    transformer,
)

__getattr__, __dir__, __all__ = facade(__name__, classes=Cell, area="nn")
