"""reshard: a Tensor laid out over devices by a Layout. Each process holds its Tensors whole."""

from .._core.rule import registered
from .._core.rules import TensorOf, any_dtype, checked
from .._core.surface import public


@public("ops.reshard")
@checked
def reshard(tensor: TensorOf(any_dtype), layout):
    """The Tensor, laid out over devices as asked; as every process holds it whole, itself.

    Args:
        tensor (Tensor): any Tensor.
        layout (Layout): which device holds which part.

    Returns:
        Tensor, of the same values.

    Raises:
        TypeError: if `tensor` is no Tensor, or `layout` no `mindspore.Layout`.

    Source: mindspore.ops.reshard of MindSpore 2.10.
    """
    if not isinstance(layout, registered("Layout")):
        raise TypeError(f"For 'reshard', 'layout' must be a Layout, but got {layout!r} of type "
                        f"{type(layout).__name__}.")
    return tensor
