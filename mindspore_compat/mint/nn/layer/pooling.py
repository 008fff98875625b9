"""Pooling layers: average, max and adaptive pooling, and MaxUnpool2d.

The arithmetic is in `ops/_pooling`. The batch axis is optional everywhere.
"""

from ...._core.declare.public_api import facade, public
from ...._core.rules.vocabulary import Bool, Int, TensorOf, TupleOf, checked, floating
from ....nn._parts import also
from ....nn.cell import Cell
from ....nn.layer.pooling import AdaptiveMaxPool2d
from ....ops._pooling.adaptive import (
    adaptive_avg_pool1d_ext,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d_ext,
)
from ....ops._pooling.average_pool import avg_pool1d_ext, avg_pool2d_ext, avg_pool3d_ext
from ....ops._pooling.max_unpool import max_unpool2d_ext

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "MaxUnpool2d",
]
Floats = TensorOf(floating)
__getattr__, __dir__, _ = facade(__name__, classes=Cell, area="mint.nn")


@public("mint.nn.AdaptiveAvgPool1d")
class AdaptiveAvgPool1d(Cell):
    """Applies 1-D adaptive average pooling: the mean of each of `output_size` parts of a sequence.

    Args:
        output_size (int): the number of parts.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, L) or (C, L).

    Outputs:
        Tensor of shape (N, C, output_size) or (C, output_size).

    Raises:
        TypeError: if `output_size` is not an int, or `input` is not a floating Tensor.
        ValueError: if `output_size` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.AdaptiveAvgPool1d(2)(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]])))
        [[[1.5 3.5]]]

    Source: mindspore.mint.nn.AdaptiveAvgPool1d of MindSpore 2.10.
    """

    @checked
    def __init__(self, output_size: Int(ge=0) | TupleOf(Int(ge=0), length=1)):
        super().__init__()
        self.output_size = output_size

    @checked
    def construct(self, input: Floats):
        """Computes the means of the parts of `input`."""
        return adaptive_avg_pool1d_ext.run(input, self.output_size)

    def extend_repr(self):
        """Returns the number of parts as text."""
        return f"output_size={self.output_size}"


@public("mint.nn.AdaptiveAvgPool2d")
class AdaptiveAvgPool2d(Cell):
    """Applies 2-D adaptive average pooling: the mean of each part of images.

    Args:
        output_size (Union[int, tuple[int]]): the number of parts down and across; None keeps the
            length of an axis.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of the shape of `input`, except for the last two axes.

    Raises:
        TypeError: if `output_size` is neither an int nor a tuple of ints or None, or `input` is not
            a floating Tensor.
        ValueError: if a size is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.AdaptiveAvgPool2d(1)(ms.ops.ones((1, 1, 2, 2))))
        [[[[1.]]]]

    Source: mindspore.mint.nn.AdaptiveAvgPool2d of MindSpore 2.10.
    """

    @checked
    def __init__(self, output_size: Int(ge=0) | TupleOf(Int(ge=0) | None, length=2)):
        super().__init__()
        self.output_size = output_size

    @checked
    def construct(self, input: Floats):
        """Computes the means of the parts of `input`."""
        return adaptive_avg_pool2d.run(input, self.output_size)

    def extend_repr(self):
        """Returns the number of parts as text."""
        return f"output_size={self.output_size}"


@public("mint.nn.AdaptiveMaxPool1d")
class AdaptiveMaxPool1d(Cell):
    """Applies 1-D adaptive max pooling: the maximum of each of `output_size` parts of a sequence.

    Args:
        output_size (Union[int, tuple]): the number of parts.
        return_indices (bool): whether the int64 indices of the maxima are returned, too.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, L) or (C, L).

    Outputs:
        Tensor of shape (N, C, output_size) or (C, output_size); with `return_indices` a tuple of
        two such Tensors.

    Raises:
        TypeError: if `output_size` is neither an int nor a tuple of one, `return_indices` is not a
            bool, or `input` is not a floating Tensor.
        ValueError: if `output_size` is below 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.AdaptiveMaxPool1d(2)(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]])))
        [[[2. 4.]]]

    Source: mindspore.mint.nn.AdaptiveMaxPool1d of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, output_size: Int(ge=1) | TupleOf(Int(ge=1), length=1), return_indices: Bool = False
    ):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    @checked
    def construct(self, input: Floats):
        """Computes the maxima of the parts of `input`."""
        return adaptive_max_pool1d_ext.run(input, self.output_size, self.return_indices)

    def extend_repr(self):
        """Returns the settings of the layer as text."""
        return f"output_size={self.output_size}, return_indices={self.return_indices}"


# Layers that are generated from the declarations of their ops

also(adaptive_avg_pool3d, "mint.nn.AdaptiveAvgPool3d(output_size)(input)")
public("mint.nn.AdaptiveMaxPool2d")(AdaptiveMaxPool2d)
also(
    avg_pool1d_ext,
    "mint.nn.AvgPool1d(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)(input)",
)
also(
    avg_pool2d_ext,
    "mint.nn.AvgPool2d(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input)",
)
also(
    avg_pool3d_ext,
    "mint.nn.AvgPool3d(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input)",
)
also(
    max_unpool2d_ext,
    "mint.nn.MaxUnpool2d(kernel_size, stride=None, padding=0)(input, indices, output_size=None)",
)
