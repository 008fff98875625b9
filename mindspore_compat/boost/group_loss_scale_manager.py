"""GroupLossScaleManager: a loss scale of its own for the gradients of each group of layers."""

from .. import ops
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Int
from .._core.tensor.tensor import Tensor
from ..common import dtype as mstype
from ..common.parameter import Parameter, ParameterTuple
from ..nn.cell import Cell

__all__ = ["GroupLossScaleManager"]


class GroupLossScaleManager(Cell):
    """Changes the loss scale of the gradient at the boundary between two groups of layers.

    Called with `(x, layer1, layer2)`, it returns `x`. In the backward pass it multiplies the
    gradient by the scale of `layer1` divided by that of `layer2`. The network calls it before the
    first group, between two groups, and after the last one. The groups are numbered from 1. The
    scales before the first group and after the last one are 1, so the gradient of the input is not
    scaled. MindSpore documents the calls only, and runs them on Ascend.

    Args:
        init_loss_scale (float): the first loss scale.
        loss_scale_groups (list): the Parameters of each group.

    Raises:
        TypeError: if `loss_scale_number` of `set_loss_scale_status` is not an int.
        ValueError: if it is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> scales = ms.boost.GroupLossScaleManager(4096.0, [])
        >>> scales.set_loss_scale_status(2, 8.0)
        >>> print(ms.grad(lambda x: scales(x, 1, 3))(ms.Tensor(1.0)))
        8.0

    Source: mindspore.boost.GroupLossScaleManager of MindSpore 2.10.
    """

    def __init__(self, init_loss_scale, loss_scale_groups):
        super().__init__()
        self._loss_scale = init_loss_scale
        self.loss_scale_groups = loss_scale_groups
        self.loss_scale_number = 0
        self.dynamic_loss_scale = None

    @checked
    def set_loss_scale_status(self, loss_scale_number: Int(ge=0), init_loss_scale):
        """Creates a scale for each group.

        Args:
            loss_scale_number (int): the number of groups.
            init_loss_scale (Union[float, list[Tensor]]): the scale of all groups, or of each.
        """
        self.loss_scale_number = loss_scale_number
        self.dynamic_loss_scale = ParameterTuple(
            Parameter(
                Tensor(1, mstype.float32), name=f"layer_loss_scale_{layer}", requires_grad=False
            )
            for layer in range(loss_scale_number + 2)
        )
        is_list = isinstance(init_loss_scale, list)
        scales = init_loss_scale if is_list else [init_loss_scale] * loss_scale_number
        for parameter, scale in zip(self.dynamic_loss_scale[1:], scales, strict=False):
            parameter.set_data(Tensor(scale, mstype.float32))

    def construct(self, x, layer1, layer2):
        scales = self.dynamic_loss_scale
        return ops.InsertGradientOf(lambda g: g * (scales[layer1] / scales[layer2]))(x)

    def get_loss_scale(self):
        """Returns the first loss scale."""
        return self._loss_scale

    def get_update_cell(self):
        """Returns this Cell, which updates the scales."""
        return self

    def update_loss_scale_status(self, layer, update_ratio):
        """Multiplies the scale of a group.

        Args:
            layer (int): the position of the group, from 0.
            update_ratio (Union[float, Tensor]): the factor.

        Returns:
            Tensor, the new scale.
        """
        scale = self.dynamic_loss_scale[layer + 1]
        new = scale * update_ratio
        ops.assign(scale, new)
        return new
