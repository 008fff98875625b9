"""WithBNNLossCell: a Bayesian network followed by its loss."""

from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import Any, CellOf, Number, checked
from ...cell import Cell

__all__ = ["WithBNNLossCell"]


@public("nn.probability.bnn_layers.WithBNNLossCell")
class WithBNNLossCell(Cell):
    """Bayesian network with its loss and the KL divergence of its weights from their priors.

    Args:
        backbone (Cell): the network.
        loss_fn (Cell): the loss.
        dnn_factor (Union[int, float]): a factor of the loss, at least 0.
        bnn_factor (Union[int, float]): a factor of the summed `compute_kl_loss` of all layers, at
            least 0.

    Inputs:
        - **data** (Tensor) - the input of the network.
        - **label** (Tensor) - the target of the loss.

    Outputs:
        Tensor, of the shape that `loss_fn` returns.

    Raises:
        TypeError: if `backbone` or `loss_fn` is not a Cell, or a factor not a number.
        ValueError: if a factor is below 0.

    Examples:
        >>> from mindspore_compat import nn, ops
        >>> from mindspore_compat.nn.probability import bnn_layers
        >>> net = bnn_layers.DenseReparam(16, 1)
        >>> net = bnn_layers.WithBNNLossCell(net, nn.MSELoss(), bnn_factor=0.01)
        >>> net(ops.ones((2, 16)), ops.ones((2, 1))).shape
        ()

    Source: mindspore.nn.probability.bnn_layers.WithBNNLossCell of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        backbone: CellOf,
        loss_fn: Any,
        dnn_factor: Number(ge=0) = 1,
        bnn_factor: Number(ge=0) = 1,
    ):
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor

    @property
    def backbone_network(self):
        """The network without the loss."""
        return self._backbone

    def construct(self, x, label):
        """Returns the weighted sum of loss and divergence for a batch."""
        loss = self._loss_fn(self._backbone(x), label) * self.dnn_factor
        for _, layer in self._backbone.cells_and_names():
            if hasattr(layer, "compute_kl_loss"):
                loss = loss + layer.compute_kl_loss() * self.bnn_factor
        return loss
