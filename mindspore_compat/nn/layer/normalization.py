"""Normalization layers over the last axes, over groups of channels, and over instances.

Batch normalization is in `_batch_norm`; the arithmetic is in `ops/_normalization/layer_norm.py`.
"""

import functools

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Float,
    Forbid,
    Init,
    Int,
    LayerDType,
    ListOf,
    Number,
    TupleOf,
    checked,
)
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ...ops._normalization.group_norm import group_standardize
from ...ops._normalization.layer_norm import multiply_add, standardize_rows
from .._parts import need_floats, parameter
from ..cell import Cell
from ._batch_norm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    SyncBatchNorm,
    _BatchNorm,  # noqa: F401 - scripts import it from here
    _need_shape,
    _Statistics,
)
from ._norm_documented import instance_norm

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LayerNorm",
    "LayerNormExt",
    "GroupNorm",
    "SyncBatchNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
]


# Over the last axes -------------------------------------------------------------------------------


@public("nn.LayerNorm")
class LayerNorm(Cell):
    """Layer normalization: standardizes the last axes, multiplies by gamma and adds beta.

    y = (x - mean(x)) / sqrt(var + epsilon) gamma + beta, where var is the variance over these axes.

    Args:
        normalized_shape (Union(tuple[int], list[int])): the shape of gamma and beta.
        begin_norm_axis (int): the first axis to normalize over, in [-1, rank).
        begin_params_axis (int): the first axis of the input that gamma and beta have, in [-1,
            rank).
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's first values.
        epsilon (float): added to the variance.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **input_x** (Tensor): floats.

    Outputs:
        Tensor of the shape and dtype of `input_x`.

    Raises:
        TypeError: if `normalized_shape` is neither a tuple nor a list of ints, an axis not an int,
            or `epsilon` not a number; in a call, if `epsilon` is not a float.
        ValueError: if `normalized_shape` is empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.LayerNorm((2,))(ms.Tensor([[1.0, 3.0]])))
        [[-1.  1.]]
    """

    @checked
    def __init__(
        self,
        normalized_shape: TupleOf(Int, min_length=1) | ListOf(Int, min_length=1),
        begin_norm_axis: Int(numpy_scalars=True) = -1,
        begin_params_axis: Int(numpy_scalars=True) = -1,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        epsilon: Number(numpy_scalars=True) = 1e-7,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.begin_norm_axis = plain_numbers(begin_norm_axis)
        self.begin_params_axis = plain_numbers(begin_params_axis)
        self.epsilon = plain_numbers(epsilon)
        self.gamma = parameter(gamma_init, tuple(normalized_shape), dtype, "gamma")
        self.beta = parameter(beta_init, tuple(normalized_shape), dtype, "beta")

    @functools.cached_property
    def layer_norm(self):
        """The primitive of the normalization, for subclasses."""
        return ops.LayerNorm(self.begin_norm_axis, self.begin_params_axis, self.epsilon)

    def construct(self, input_x):
        """Returns `input_x`, normalized."""
        self._check(input_x)
        start, rank = self.begin_norm_axis, input_x.ndim
        if start % rank == self.begin_params_axis % rank:
            return standardize_rows(input_x, self.gamma, self.beta, start, self.epsilon)
        out = standardize_rows(input_x, None, None, start, self.epsilon)
        return multiply_add.run(out, self.gamma, self.beta)

    def _check(self, x):
        need_floats("LayerNorm", "input_x", x)
        if type(self.epsilon) is not float:
            # Rejected in a call, as in MindSpore, not by the constructor.
            Float.refuse("LayerNorm", "epsilon", self.epsilon)
        shape, parameter_shape = x.shape, self.gamma.shape
        rank = len(shape)
        if not (-1 <= self.begin_norm_axis < rank and -1 <= self.begin_params_axis < rank):
            raise RuntimeError(
                f"For 'LayerNorm', the first axes must be in [-1, {rank}), but got "
                f"{self.begin_norm_axis} and {self.begin_params_axis}."
            )
        if shape[self.begin_params_axis % rank :] != parameter_shape:
            raise ValueError(
                f"For 'LayerNorm', the shape of the input must end in {parameter_shape} from axis "
                f"{self.begin_params_axis} on, but got {shape}."
            )

    def extend_repr(self):
        """Returns the axes and the parameters of the layer."""
        return (
            f"normalized_shape={self.normalized_shape}, "
            f"begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


@public("nn.LayerNormExt", "mint.nn.LayerNorm")
class LayerNormExt(Cell):
    """Layer normalization: standardizes the last axes, multiplies by `weight` and adds `bias`.

    y = (input - mean(input)) / sqrt(var + eps) weight + bias, where var is the variance over the
    last axes.

    Args:
        normalized_shape (Union(tuple[int], list[int], int)): the shape of the last axes.
        eps (float): added to the variance.
        elementwise_affine (bool): whether the layer has a weight and a bias.
        bias (bool): whether the layer has a bias.
        dtype (mindspore.dtype): the type of the parameters; float32 by default.

    Inputs:
        - **input** (Tensor): floats.

    Outputs:
        Tensor of the shape and dtype of `input`.

    Raises:
        TypeError: if `normalized_shape` is of the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.LayerNormExt((2,))(ms.Tensor([[1.0, 3.0]])))
        [[-0.999995  0.999995]]
    """

    @checked
    def __init__(
        self,
        normalized_shape: Int(ge=1)
        | TupleOf(Int(ge=1), min_length=1)
        | ListOf(Int(ge=1), min_length=1),
        eps: Number = 1e-5,
        elementwise_affine: Bool = True,
        bias: Bool = True,
        dtype: DType = None,
    ):
        super().__init__()
        shape = normalized_shape
        self.normalized_shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = parameter("ones", self.normalized_shape, dtype or float32, "weight")
            if bias:
                self.bias = parameter("zeros", self.normalized_shape, dtype or float32, "bias")

    def construct(self, input):
        """Returns `input`, normalized."""
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, float(self.eps))

    def extend_repr(self):
        """Returns the shape of the layer."""
        return (
            f"normalized_shape={self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


# Over groups of channels --------------------------------------------------------------------------


@public("nn.GroupNorm")
class GroupNorm(Cell):
    """Group normalization: normalizes groups of channels, then scales and shifts each channel.

    y = (x - mean(x)) / sqrt(var + eps) gamma + beta, where var is the variance of the group.

    Args:
        num_groups (int): the number of groups.
        num_channels (int): the number of channels.
        eps (float): added to the variance.
        affine (bool): whether gamma and beta are trained.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's first values.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, *), floats.

    Outputs:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: if a number is not an int, `eps` not a float, or `affine` not a bool.
        ValueError: if a number is less than 1, or the groups do not divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.GroupNorm(1, 2)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)
    """

    @checked(
        Forbid(
            "num_channels % num_groups",
            ValueError,
            "'num_channels' must be divisible by 'num_groups'",
        )
    )
    def __init__(
        self,
        num_groups: Int(ge=1),
        num_channels: Int(ge=1),
        eps: Float = 1e-5,
        affine: Bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.gamma = parameter(gamma_init, (num_channels,), dtype, "gamma", requires_grad=affine)
        self.beta = parameter(beta_init, (num_channels,), dtype, "beta", requires_grad=affine)

    def construct(self, x):
        """Returns `x`, normalized per group."""
        return self._cal_output(x)

    def _cal_output(self, x):
        _need_shape("GroupNorm", x, range(2, 9), RuntimeError, widest="float64")
        if x.shape[1] != self.num_channels:
            raise ValueError(
                f"For 'GroupNorm', the input must have {self.num_channels} channels, "
                f"but got shape {x.shape}."
            )
        return group_standardize.run(x, self.gamma, self.beta, self.num_groups, self.eps)

    def extend_repr(self):
        """Returns the sizes of the layer."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


# Over instances -----------------------------------------------------------------------------------


class _InstanceNorm(_Statistics):
    """Base class of the layers that normalize each instance separately."""

    _ranks = ()
    _stores_weight_of_new = False

    @checked
    def __init__(
        self,
        num_features: Int(ge=1),
        eps: Float(gt=0.0, le=1.0) = 1e-5,
        momentum: Float(ge=0.0, le=1.0) = 0.1,
        affine: Bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        dtype: LayerDType = float32,
    ):
        for name, init in (("gamma_init", gamma_init), ("beta_init", beta_init)):
            if isinstance(init, Tensor) and init.dtype != float32:
                raise TypeError(
                    f"For '{type(self).__name__}', '{name}' must be float32 where it "
                    f"is a Tensor, but got {init.dtype}."
                )
        super().__init__()
        inits = gamma_init, beta_init, "zeros", "ones"
        self._set_up(num_features, eps, momentum, affine, inits, dtype)

    def construct(self, x):
        """Returns `x`, with each channel of each instance normalized."""
        _need_shape(type(self).__name__, x, self._ranks)
        if x.shape[1] != self.num_features:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have "
                f"{self.num_features} channels, but got shape {x.shape}."
            )
        return group_standardize.run(x, self.gamma, self.beta, self.num_features, self.eps)


@public("nn.InstanceNorm1d")
@instance_norm
class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of (N, C, L): standardizes each channel, multiplies it by gamma and
    adds beta.

    y = (x - mean(x)) / sqrt(var + eps) gamma + beta, where var is the variance of the channel.

    It uses the statistics of the input in training and in inference mode.

    Inputs:
        - **x** (Tensor): shape (N, C, L), floats.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.InstanceNorm1d(2)(ms.ops.ones((1, 2, 3))).shape)
        (1, 2, 3)
    """

    _ranks = (3,)


@public("nn.InstanceNorm2d")
@instance_norm
class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of (N, C, H, W): standardizes each channel, multiplies it by gamma and
    adds beta.

    y = (x - mean(x)) / sqrt(var + eps) gamma + beta, where var is the variance of the channel.

    It uses the statistics of the input in training and in inference mode.

    Inputs:
        - **x** (Tensor): shape (N, C, H, W), floats.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.InstanceNorm2d(2)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)
    """

    _ranks = (4,)


@public("nn.InstanceNorm3d")
@instance_norm
class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of (N, C, D, H, W): standardizes each channel, multiplies it by gamma
    and adds beta.

    y = (x - mean(x)) / sqrt(var + eps) gamma + beta, where var is the variance of the channel.

    It uses the statistics of the input in training and in inference mode.

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W), floats.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.InstanceNorm3d(2)(ms.ops.ones((1, 2, 3, 3, 3))).shape)
        (1, 2, 3, 3, 3)
    """

    _ranks = (5,)
