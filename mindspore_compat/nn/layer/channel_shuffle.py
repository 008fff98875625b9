"""ChannelShuffle: shuffles channels between groups."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Forbid, Int, TensorOf, checked
from ..cell import Cell

__all__ = ["ChannelShuffle"]


@public("nn.ChannelShuffle", "mint.nn.ChannelShuffle")
class ChannelShuffle(Cell):
    """Channel shuffle: interleaves the channels of `groups` groups.

    Args:
        groups (int): the number of groups.

    Inputs:
        - **x** (Tensor): shape (N, C, *).

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `groups` is not an int.
        ValueError: if `groups` is less than 1, or does not divide the number of channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ChannelShuffle(2)(ms.Tensor([[[[1]], [[2]], [[3]], [[4]]]])).reshape(4))
        [1 3 2 4]
    """

    @checked(Forbid("groups < 1", ValueError, "'groups' must be at least 1"))
    def __init__(self, groups: Int | Bool):
        super().__init__()
        self.groups = groups

    def construct(self, x):
        """Returns `x` with its channels interleaved."""
        TensorOf().refuse("ChannelShuffle", "x", x)
        channels = x.shape[1] if x.ndim > 1 else 0
        if not channels or channels % self.groups:
            raise ValueError(
                f"For 'ChannelShuffle', the number of channels must be divisible by "
                f"'groups', but got {channels} and {self.groups}."
            )
        split = x.reshape(x.shape[0], self.groups, channels // self.groups, *x.shape[2:])
        return split.swapaxes(1, 2).reshape(*x.shape)
