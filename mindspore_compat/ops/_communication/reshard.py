"""reshard: a Tensor laid out over the processes of a divided network by a Layout."""

from ..._core.declare.public_api import public
from ..._core.rules.base import registered
from ..._core.rules.vocabulary import TensorOf, any_dtype, checked
from ..._core.sharding.network import placed, running
from ..._core.sharding.strategies import layout_dims, need_divisible
from ..primitive import Primitive


@public("ops.reshard")
@checked
def reshard(tensor: TensorOf(any_dtype), layout):
    """Lays a Tensor out over the processes of a divided network.

    Outside of such a network (see `Primitive.shard`) every process holds its Tensors whole, and
    the Tensor itself is returned.

    Args:
        tensor (Tensor): any Tensor; a Parameter is laid out for good.
        layout (Layout): which process holds which part.

    Returns:
        Tensor, `tensor` itself.

    Raises:
        TypeError: if `tensor` is not a Tensor, or `layout` not a `mindspore.Layout`.
        RuntimeError: in a divided network, if the layout does not fit the Tensor or the number of
            processes.

    Source: mindspore.ops.reshard of MindSpore 2.10.
    """
    if not isinstance(layout, registered("Layout")):
        raise TypeError(
            f"For 'reshard', 'layout' must be a Layout, but got {layout!r} of type "
            f"{type(layout).__name__}."
        )
    return _laid_out("reshard", tensor, layout)


def _laid_out(api, tensor, layout):
    if running.space is None:
        return tensor
    mesh = running.space.mesh
    mesh.agree(api, layout)
    dims = layout_dims(api, mesh, layout)
    need_divisible(api, mesh, tuple(tensor.shape), dims)
    return placed(tensor, dims)


@public("ops.Reshard")
class Reshard(Primitive):
    """Lays the Tensor that it is called with out over processes: `ops.reshard` with fixed Layouts.

    Args:
        in_layout (tuple[Layout]): how the Tensor is laid out.
        out_layout (tuple[Layout]): how the result is laid out.
        in_strategy (tuple): the parts along each axis that follow from `in_layout`.

    Source: mindspore.ops.Reshard of MindSpore 2.10.
    """

    def __init__(self, in_layout, out_layout, in_strategy):
        super().__init__("Reshard")
        self.in_layout = in_layout
        self.out_layout = out_layout
        self.in_strategy = in_strategy

    @checked
    def __call__(self, tensor: TensorOf(any_dtype)):
        for layout in (*self.in_layout, *self.out_layout):
            tensor = _laid_out("Reshard", tensor, layout)
        return tensor
