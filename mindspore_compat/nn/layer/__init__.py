"""Layers, one file per public module of the original."""

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
    timedistributed,
    transformer,
)
