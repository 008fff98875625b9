"""mindspore.nn.probability.bnn_layers: layers with weights sampled from learnt distributions."""

from .bnn_cell_wrapper import WithBNNLossCell
from .conv_variational import ConvReparam
from .dense_variational import DenseLocalReparam, DenseReparam
from .layer_distribution import NormalPosterior, NormalPrior

__all__ = [
    "ConvReparam",
    "DenseReparam",
    "DenseLocalReparam",
    "NormalPrior",
    "NormalPosterior",
    "WithBNNLossCell",
]
