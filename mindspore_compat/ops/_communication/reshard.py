"""reshard: distributes a Tensor over devices by a Layout. Here each process holds whole Tensors."""

from ..._core.declare.public_api import public
from ..._core.rules.base import registered
from ..._core.rules.vocabulary import TensorOf, any_dtype, checked
from ..._core.without_effect import without_effect
from ..primitive import Primitive


@public("ops.reshard")
@without_effect("ops.reshard", "every process holds the whole Tensor")
@checked
def reshard(tensor: TensorOf(any_dtype), layout):
    """Distributes a Tensor over devices. Every process holds whole Tensors, so it returns the
    Tensor itself.

    Args:
        tensor (Tensor): any Tensor.
        layout (Layout): the part that each device holds.

    Returns:
        Tensor, `tensor` itself.

    Raises:
        TypeError: if `tensor` is not a Tensor, or `layout` not a `mindspore.Layout`.

    Source: mindspore.ops.reshard of MindSpore 2.10.
    """
    if not isinstance(layout, registered("Layout")):
        raise TypeError(
            f"For 'reshard', 'layout' must be a Layout, but got {layout!r} of type "
            f"{type(layout).__name__}."
        )
    return tensor


@public("ops.Reshard")
class Reshard(Primitive):
    """Distributes a Tensor over devices with fixed Layouts, as `ops.reshard`; returns it unchanged.

    Args:
        in_layout (tuple[Layout]): the Layout of the input.
        out_layout (tuple[Layout]): the Layout of the output.
        in_strategy (tuple): the number of parts along each axis that `in_layout` implies.

    Source: mindspore.ops.Reshard of MindSpore 2.10.
    """

    def __init__(self, in_layout, out_layout, in_strategy):
        super().__init__("Reshard")
        self.in_layout = in_layout
        self.out_layout = out_layout
        self.in_strategy = in_strategy

    @checked
    def __call__(self, tensor: TensorOf(any_dtype)):
        return tensor
