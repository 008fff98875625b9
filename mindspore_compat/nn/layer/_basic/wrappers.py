"""Layers without parameters around functions of `ops`, for scripts that use the layer form."""

import math

from .... import ops
from ...._core.declare.op import op
from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import (
    Any,
    Bool,
    InstanceOf,
    Int,
    ListOf,
    Number,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    floating,
    integer,
)
from ...._core.tensor.dtype import float32
from ...._core.tensor.tensor import Tensor
from ....ops._conv.patches import patches
from ..._parts import need_tensor
from ...cell import Cell
from ..padding import pad_ends

Real = TensorOf(integer | floating)
Level = Number(numpy_scalars=True) | Bool | InstanceOf(complex) | TensorOf(any_dtype)
Axes = Int | TupleOf(Int)


@public("nn.Norm")
class Norm(Cell):
    """Computes the Euclidean norm over some axes; () means all axes.

    Args:
        axis (Union[tuple, int]): the axes.
        keep_dims (bool): whether to keep them, with length 1.

    Inputs:
        - **x** (Tensor): numbers.

    Outputs:
        Tensor without the axes (or with length 1), in the dtype of `x`; float32 for ints.

    Raises:
        TypeError: if `axis` is neither an int nor a tuple of ints, or `keep_dims` not a bool.
        ValueError: if the input has no such axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Norm()(ms.Tensor([3.0, 4.0])))
        5.0
    """

    @checked
    def __init__(self, axis: Axes = (), keep_dims: Bool = False):
        super().__init__()
        self.axis = axis
        self.keep_dims = keep_dims

    def construct(self, x):
        """Returns the norms of `x`."""
        return euclidean_norm.run(x, self.axis, self.keep_dims)

    def extend_repr(self):
        """Returns the axes."""
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


def _axes(api, axis, x):
    """Returns `axis` as a tuple of axes of `x`; () and None mean all axes."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis or range(x.ndim))
    for entry in axes:
        if not -x.ndim <= entry < x.ndim:
            raise ValueError(
                f"For '{api}', 'axis' must hold axes of the input, but got {axis} for "
                f"shape {tuple(x.shape)}."
            )
    return axes


@op()
def euclidean_norm(xp, x: Real, axis: Any = (), keep_dims: Bool = False):
    """Computes sqrt(sum(x²)) over some axes; integers are computed as float32."""
    values = x if x.dtype.kind in "fV" else xp.cast(x, "float32")
    return xp.sqrt(xp.sum(values * values, _axes("Norm", axis, x), keepdims=keep_dims))


@public("nn.ClipByNorm")
class ClipByNorm(Cell):
    """Scales the input down wherever its Euclidean norm exceeds a bound; the result is float32.

    Args:
        axis (Union[None, int, tuple(int)]): the axes over which the norm is taken; None for all
            axes.

    Inputs:
        - **x** (Tensor): float16 or float32.
        - **clip_norm** (Tensor): the bound, which broadcasts to `x`.

    Outputs:
        Tensor of the shape of `x`, in float32.

    Raises:
        TypeError: if `axis` is of the wrong type, or an input not a Tensor of float16 or float32.
        ValueError: if the input has no such axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ClipByNorm()(ms.Tensor([3.0, 4.0]), ms.Tensor(1.0)))
        [0.6 0.8]
    """

    @checked
    def __init__(self, axis: Int | TupleOf(Int) | ListOf(Int) | None = None):
        super().__init__()
        self.axis = axis

    @checked
    def construct(
        self, x: TensorOf("float16", "float32"), clip_norm: TensorOf("float16", "float32")
    ):
        """Returns `x`, scaled so that its norm does not exceed `clip_norm`."""
        return clip_by_norm.run(x.astype(float32), clip_norm.astype(float32), self.axis)


@op()
def clip_by_norm(xp, x: TensorOf(floating), clip_norm: TensorOf(floating), axis: Any = None):
    """Computes x * clip_norm / max(norm(x), clip_norm)."""
    squares = xp.sum_of_squares(x, _axes("ClipByNorm", axis, x), keepdims=True)
    length = xp.sqrt(xp.where(squares > 0, squares, 1)) * (squares > 0)
    return x * clip_norm / xp.maximum(length, clip_norm)


@public("nn.L1Regularizer")
class L1Regularizer(Cell):
    """L1 regularization: the sum of absolute values, multiplied by a factor.

    Args:
        scale (int, float): the factor, greater than 0.

    Inputs:
        - **weights** (Tensor): numbers; the result is at least float32.

    Outputs:
        Tensor of shape (), in float32; float64 for float64.

    Raises:
        TypeError: if `scale` is neither an int nor a float.
        ValueError: if `scale` is not greater than 0, or not finite.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.L1Regularizer(0.5)(ms.Tensor([1.0, -2.0])))
        1.5
    """

    @checked
    def __init__(self, scale: Number(gt=0, lt=math.inf)):
        super().__init__()
        self.scale = scale

    def construct(self, weights):
        """Returns the regularisation term of `weights`.

        Raises:
            TypeError: if `weights` is not a Tensor.
        """
        need_tensor("L1Regularizer", "weights", weights)
        upcast = (
            weights
            if weights.dtype.itemsize > 4 and weights.dtype.is_floating_point
            else (weights.astype(float32))
        )
        return upcast.abs().sum() * self.scale


@public("nn.OneHot")
class OneHot(Cell):
    """One-hot encoding: `on_value` at the position of each index, and `off_value` elsewhere.

    Args:
        axis (int): where the new axis is put, -1 for the end.
        depth (int): its length.
        on_value (float): the value at that position.
        off_value (float): the value elsewhere.
        dtype (mindspore.dtype): the type of the result.

    Inputs:
        - **indices** (Tensor): ints; an index out of range gives no `on_value`.

    Outputs:
        Tensor in `dtype`, with one axis of length `depth` more than `indices`.

    Raises:
        TypeError: if `axis` or `depth` is not an int, or the indices are not ints.
        ValueError: if `axis` is not -1 or an axis, or `depth` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.OneHot(depth=3)(ms.Tensor([0, 2])))
        [[1. 0. 0.]
         [0. 0. 1.]]
    """

    @checked
    def __init__(
        self,
        axis: Int = -1,
        depth: Int(ge=0) = 1,
        on_value: Level = 1.0,
        off_value: Level = 0.0,
        dtype=float32,
    ):
        super().__init__()
        self.axis = axis
        self.depth = depth
        self.on_value = Tensor(on_value, dtype)
        self.off_value = Tensor(off_value, dtype)
        self.dtype = dtype

    def construct(self, indices):
        """Returns the one-hot vectors of `indices`."""
        need_tensor("OneHot", "indices", indices)
        if not -1 <= self.axis <= indices.ndim:
            raise ValueError(
                f"For 'OneHot', 'axis' must be in [-1, {indices.ndim}], but got {self.axis}."
            )
        return ops.one_hot(indices, self.depth, self.on_value, self.off_value, self.axis)


@public("nn.Pad")
class Pad(Cell):
    """Pads every axis at both ends.

    Args:
        paddings (tuple): a pair of ints for each axis.
        mode (str): "CONSTANT" for zeros, "REFLECT" for the mirror image without the edge,
            "SYMMETRIC" for the mirror image with it.

    Inputs:
        - **x** (Tensor): with an axis for each pair.

    Outputs:
        Tensor of the same dtype, with each axis longer by the sum of its pair.

    Raises:
        TypeError: if `paddings` is not a tuple.
        ValueError: if it has more than 4 pairs, an element that is not a pair of ints, or another
            number of pairs than the input has axes, or `mode` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Pad(((0, 0), (1, 1)))(ms.Tensor([[1.0, 2.0]])))
        [[0. 1. 2. 0.]]
    """

    @checked
    def __init__(self, paddings: InstanceOf(tuple), mode="CONSTANT"):
        super().__init__()
        if len(paddings) > 4 or not all(_is_pair(pair) for pair in paddings):
            raise ValueError(
                f"For 'Pad', 'paddings' must be at most 4 pairs of ints >= 0, but got {paddings!r}."
            )
        modes = ("CONSTANT", "REFLECT", "SYMMETRIC")
        if mode not in modes:
            raise ValueError(f"For 'Pad', 'mode' must be one of {modes}, but got {mode!r}.")
        self.paddings = paddings
        self.mode = mode

    def construct(self, x):
        """Returns `x`, padded."""
        need_tensor("Pad", "x", x)
        if len(self.paddings) != x.ndim:
            raise ValueError(
                f"For 'Pad', 'paddings' must have a pair for each axis of the input, "
                f"but got {len(self.paddings)} for shape {x.shape}."
            )
        margin = {"CONSTANT": math.inf, "REFLECT": -1, "SYMMETRIC": 0}[self.mode]
        for pair, size in zip(self.paddings, x.shape):
            if max(pair) > size + margin:
                raise ValueError(
                    f"For 'Pad', 'paddings' must be at most the length of the axis, "
                    f"but got {pair} for shape {x.shape} with mode {self.mode}."
                )
        return pad_ends.run(x, self.paddings, self.mode.lower())


def _is_pair(pair):
    return (
        isinstance(pair, (tuple, list))
        and len(pair) == 2
        and all(isinstance(number, int) and number >= 0 for number in pair)
    )


@public("nn.Unfold")
class Unfold(Cell):
    """Extracts patches from images and puts the elements of each along the channels.

    Args:
        ksizes (Union[tuple[int], list[int]]): the patch, as [1, rows, columns, 1].
        strides (Union[tuple[int], list[int]]): the step from patch to patch, in the same form.
        rates (Union[tuple[int], list[int]]): the step within a patch, in the same form.
        padding (str): "same" to pad the edges with zeros, "valid" not to; upper or lower case.

    Inputs:
        - **input_x** (Tensor): shape (N, C, H, W).

    Outputs:
        Tensor of shape (N, rows * columns * C, H', W') and the same dtype, where H' and W' are the
        numbers of patches down and across.

    Raises:
        TypeError: if a size is neither a tuple nor a list, or `padding` is not a str.
        ValueError: if a size is not of that form, or `padding` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1],
        ...                    [1, 1, 1, 1])(ms.ops.ones((1, 1, 3, 3))).shape)
        (1, 4, 2, 2)
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        for name, value in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
            _need_window(name, value)
        Str.refuse("Unfold", "padding", padding)
        if padding.lower() not in ("same", "valid"):
            raise ValueError(
                f"For 'Unfold', 'padding' must be 'same' or 'valid', but got {padding!r}."
            )
        self.ksizes = tuple(ksizes[1:3])
        self.strides = tuple(strides[1:3])
        self.rates = tuple(rates[1:3])
        self.padding = padding.lower()

    def construct(self, input_x):
        """Returns the patches of `input_x`: (N, rows * columns * C, patches down, patches
        across)."""
        return patches.run(input_x, self.ksizes, self.strides, self.rates, self.padding)


def _need_window(name, value):
    InstanceOf(tuple, list).refuse("Unfold", name, value)
    right = (
        len(value) == 4
        and value[0] == value[3] == 1
        and all(isinstance(number, int) and number >= 1 for number in value)
    )
    if not right:
        raise ValueError(
            f"For 'Unfold', '{name}' must be [1, rows, columns, 1] with positive "
            f"ints, but got {value!r}."
        )


@public("nn.Roll")
class Roll(Cell):
    """Rolls elements along axes; elements pushed out at one end reappear at the other.

    Args:
        shift (Union[list(int), tuple(int), int]): how far.
        axis (Union[list(int), tuple(int), int]): along which axes.

    Inputs:
        - **input_x** (Tensor): of any shape that has these axes.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if one of them is of the wrong type.
        ValueError: if there are not as many shifts as axes, or the input has no such axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Roll(1, 0)(ms.Tensor([1, 2, 3])))
        [3 1 2]
    """

    @checked
    def __init__(
        self, shift: Int | TupleOf(Int) | ListOf(Int), axis: Int | TupleOf(Int) | ListOf(Int)
    ):
        super().__init__()
        self.shift = (shift,) if isinstance(shift, int) else tuple(shift)
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)
        if len(self.shift) != len(self.axis):
            raise ValueError(
                "For 'Roll', 'shift' and 'axis' must be equally many, but got "
                f"{len(self.shift)} and {len(self.axis)}."
            )

    def construct(self, input_x):
        """Returns `input_x` with its elements rolled."""
        need_tensor("Roll", "input_x", input_x)
        for axis in self.axis:
            if not -input_x.ndim <= axis < input_x.ndim:
                raise ValueError(
                    f"For 'Roll', 'axis' must hold axes of the input, but got {axis} "
                    f"for shape {input_x.shape}."
                )
        return ops.roll(input_x, self.shift, self.axis)


@public("nn.Upsample")
class Upsample(Cell):
    """Resizes images by interpolation; see `ops.interpolate`.

    Args:
        size (Union[int, tuple[int], list[int]]): the output size.
        scale_factor (Union[float, tuple[float], list[float]]): or the scale factor.
        mode (str): the interpolation method.
        align_corners (bool): whether the centres of the corner elements of both images coincide.
        recompute_scale_factor (bool): whether the factor is recomputed from the size.

    Inputs:
        - **x** (Tensor): floats of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W); see `mode` of
          `ops.interpolate`.

    Outputs:
        Tensor of the resized shape, with the same N, C and dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Upsample(size=(4,))(ms.Tensor([[[1.0, 2.0]]])))
        [[[1. 1. 2. 2.]]]
    """

    def __init__(
        self,
        size=None,
        scale_factor=None,
        mode="nearest",
        align_corners=None,
        recompute_scale_factor=None,
    ):
        super().__init__()
        self.size, self.scale_factor = size, scale_factor
        self.mode, self.align_corners = mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x):
        """Returns `x`, resized."""
        return ops.interpolate(
            x,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )
