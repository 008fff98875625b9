"""reshard: a Tensor laid out over devices by a Layout. Each process holds its Tensors whole."""

from ..._core.declare.public_api import public
from ..._core.rules.base import registered
from ..._core.rules.vocabulary import TensorOf, any_dtype, checked
from ..._core.without_effect import without_effect
from ..primitive import Primitive


@public("ops.reshard")
@without_effect("ops.reshard", "every process holds the whole Tensor")
@checked
def reshard(tensor: TensorOf(any_dtype), layout):
    """Lays a Tensor out over devices; as every process holds it whole, the Tensor itself is
    returned.

    Args:
        tensor (Tensor): any Tensor.
        layout (Layout): which device holds which part.

    Returns:
        Tensor, of the same values.

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
    """The Tensor it is called with, laid out over devices: `ops.reshard` with fixed Layouts.

    Args:
        in_layout (tuple[Layout]): how the Tensor is laid out.
        out_layout (tuple[Layout]): the same.
        in_strategy (tuple): the parts along each axis that follow from it.

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
