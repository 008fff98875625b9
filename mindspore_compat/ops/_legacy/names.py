"""Names of older releases that 2.10 no longer has and scripts still import.

Setting the environment variable `MINDSPORE_COMPAT_LEGACY` to 0 hides them; a script then sees only
the names of 2.10.
"""

from ..._core.declare.public_api import legacy
from ..._core.rules.vocabulary import Bool, Forbid, Int, ListOf, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._elementwise.arithmetic import pow
from .._image.resize import resize_bilinear
from ..primitive import Primitive


@legacy("ops.power")
def power(input, exponent):
    """Calls `ops.pow`; an earlier name of it.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.power(ms.Tensor([1.0, 2.0]), 2))
        [1. 4.]
    """
    return pow.run(input, exponent)


@legacy("ops.control_depend")
def control_depend(src, dst, depend_mode=0):
    """Orders `dst` after `src`. It has no effect, because calls already run in the order written.

    Returns:
        bool, True.

    Example:
        >>> ms.ops.control_depend(ms.ops.Print(), ms.ops.Assign())
        True
    """
    return ControlDepend(depend_mode)(src, dst)


@legacy("ops.ControlDepend")
class ControlDepend(Primitive):
    """The class form of `ops.control_depend`.

    Example:
        >>> ms.ops.ControlDepend()(ms.ops.Print(), ms.ops.Assign())
        True
    """

    @checked
    def __init__(self, depend_mode=0):
        super().__init__("ControlDepend")
        if depend_mode not in (0, 1):
            raise ValueError(
                f"For 'ControlDepend', 'depend_mode' must be 0 or 1, but got {depend_mode!r}."
            )
        self.depend_mode = depend_mode

    def __call__(self, src, dst):
        return True


@legacy("ops.TensorAdd")
class TensorAdd(Primitive):
    """Adds two Tensors; the first name of `ops.Add`.

    Example:
        >>> print(ms.ops.TensorAdd()(ms.Tensor([1.0]), ms.Tensor([2.0])))
        [3.]
    """

    def __init__(self):
        super().__init__("TensorAdd")

    def __call__(self, x, y):
        return (x if isinstance(x, Tensor) else Tensor(x)) + y


Pair = TupleOf(Int(ge=1), length=2) | ListOf(Int(ge=1), length=2)


@legacy("ops.ResizeBilinear")
class ResizeBilinear(Primitive):
    """Resizes images with bilinear interpolation, as `ops.ResizeBilinearV2` with the size as a
    setting.

    Args:
        size (Union[tuple[int], list[int]]): the new height and width.
        align_corners (bool): whether the centres of the corner pixels are aligned.
        half_pixel_centers (bool): whether all pixel centres are aligned.

    Example:
        >>> print(ms.ops.ResizeBilinear((2, 4))(ms.ops.ones((1, 1, 2, 2))).shape)
        (1, 1, 2, 4)
    """

    @checked(
        Forbid(
            "align_corners and half_pixel_centers",
            reason="'align_corners' and 'half_pixel_centers' must not both be True",
        )
    )
    def __init__(self, size: Pair, align_corners: Bool = False, half_pixel_centers: Bool = False):
        super().__init__("ResizeBilinear")
        self.size = size
        self.align_corners = align_corners
        self.half_pixel_centers = half_pixel_centers

    @checked
    def __call__(self, x: TensorOf("float16", "float32", "float64")):
        """Resizes images (N, C, H, W); keeps their dtype."""
        return resize_bilinear.run(x, tuple(self.size), self.align_corners, self.half_pixel_centers)
