"""Normalisation layers: over the batch, over the last axes, over groups of channels, over
instances.

The arithmetic and its gradients are in `ops/_normalization/batch_norm.py`. `momentum` here is the
weight of the old running statistics; inside a layer (`self.momentum`) and in the ops it is that of
the new ones.
"""

import functools

from ... import ops
from ..._core.context.config import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Float,
    Forbid,
    Init,
    Int,
    ListOf,
    Number,
    TupleOf,
    checked,
)
from ..._core.tensor.dtype import float32, float64
from ..._core.tensor.tensor import Tensor
from ...communication.groups import create_group, get_group_size, get_rank
from ...ops._normalization.batch_norm import channels_first, channels_last, normalize_batch, running
from ...ops._normalization.layer_norm import group_standardize, multiply_add, row_standardize
from .._parts import need_floats, parameter
from ..cell import Cell

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

Share = Number(ge=0, le=1)


def _need_shape(api, x, ranks, error=ValueError):
    """Refuses what is not a Tensor of floats with one of these numbers of axes."""
    if not isinstance(x, Tensor) or x._array.dtype.kind not in "fV" or x._array.dtype.itemsize > 4:
        found = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(
            f"For '{api}', the input must be a Tensor of float16, bfloat16 or float32, "
            f"but got {found}."
        )
    if x.ndim not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise error(f"For '{api}', the input must have {wanted} axes, but got shape {x.shape}.")


def _need_float(api, name, value):
    """Refuses in a call what the constructor let through, as the original does."""
    if not isinstance(value, float):
        raise TypeError(
            f"For '{api}', '{name}' must be a float, but got {value!r} of type "
            f"{type(value).__name__}."
        )


def _need_share(api, name, value):
    if not 0 < value <= 1:
        raise ValueError(f"For '{api}', '{name}' must be in (0, 1], but got {value!r}.")


class _Statistics(Cell):
    """The parameters of normalisation by channels: running statistics, scale and shift."""

    def _set_up(self, num_features, eps, momentum, affine, inits, dtype):
        self.num_features = num_features
        self.eps = eps
        self.momentum = 1.0 - momentum
        gamma, beta, mean, variance = inits
        shape = (num_features,)
        self.moving_mean = parameter(mean, shape, dtype, "mean", requires_grad=False)
        self.moving_variance = parameter(variance, shape, dtype, "variance", requires_grad=False)
        self.gamma = parameter(gamma, shape, dtype, "gamma", requires_grad=affine)
        self.beta = parameter(beta, shape, dtype, "beta", requires_grad=affine)

    def extend_repr(self):
        """The sizes and the parameters of the layer."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, "
            f"momentum={1.0 - self.momentum}, gamma={self.gamma}, beta={self.beta}, "
            f"moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


# Over the batch -----------------------------------------------------------------------------------


class _BatchNorm(_Statistics):
    """What the layers that normalise over the batch share."""

    _ranks = range(2, 9)

    @checked
    def __init__(
        self,
        num_features: Int(ge=1),
        eps: Number = 1e-5,
        momentum: Share = 0.9,
        affine: Bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        moving_mean_init: Init = "zeros",
        moving_var_init: Init = "ones",
        use_batch_statistics=None,
        data_format="NCHW",
        dtype: DType = float32,
    ):
        if use_batch_statistics not in (None, True, False) or type(use_batch_statistics) is int:
            raise ValueError(
                f"For '{type(self).__name__}', 'use_batch_statistics' must be a bool "
                f"or None, but got {use_batch_statistics!r}."
            )
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(
                f"For '{type(self).__name__}', 'data_format' must be 'NCHW' or "
                f"'NHWC', but got {data_format!r}."
            )
        if data_format == "NHWC" and config.device_target == "CPU":
            raise ValueError(
                f"For '{type(self).__name__}', 'data_format' must be 'NCHW' on a CPU, "
                "but got 'NHWC'."
            )
        super().__init__()
        self.use_batch_statistics = use_batch_statistics
        self.data_format = data_format
        self.gamma_init = gamma_init
        self.beta_init = beta_init
        self.moving_mean_init = moving_mean_init
        self.moving_var_init = moving_var_init
        inits = gamma_init, beta_init, moving_mean_init, moving_var_init
        self._set_up(num_features, eps, momentum, affine, inits, dtype)

    @functools.cached_property
    def bn_train(self):
        """The normalisation by the batch as a primitive, for subclasses."""
        return ops.BatchNorm(True, self.eps, self.momentum, self.data_format)

    @functools.cached_property
    def bn_infer(self):
        """The normalisation by the running statistics as a primitive, for subclasses."""
        return ops.BatchNorm(False, self.eps, data_format=self.data_format)

    def construct(self, x):
        """`x`, normalised by channels."""
        _need_shape(type(self).__name__, x, self._ranks)
        _need_float(type(self).__name__, "eps", self.eps)
        _need_share(type(self).__name__, "eps", self.eps)
        last = self.data_format == "NHWC"
        if last:
            x = channels_first.run(x)
        if x.shape[1] != self.num_features:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have "
                f"{self.num_features} channels, but got shape {x.shape}."
            )
        own = self.use_batch_statistics
        out = self._normalized(x, self.training if own is None else own)
        return channels_last.run(out) if last else out

    def _normalized(self, x, training):
        return normalize_batch(
            x,
            self.gamma,
            self.beta,
            self.moving_mean,
            self.moving_variance,
            training,
            self.momentum,
            self.eps,
        )[0]


@public("nn.BatchNorm1d")
class BatchNorm1d(_BatchNorm):
    """Brings each channel of (N, C) or (N, C, L) to mean beta and deviation gamma.

    While training the statistics are those of the batch, and the running ones move toward them (the
    variance as an unbiased estimate); otherwise the running ones are used.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance.
        momentum (float): the weight of the old running statistics, in [0, 1].
        affine (bool): whether gamma and beta are trained.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's.
        moving_mean_init (Union[Tensor, str, Initializer, numbers.Number]): the running mean's.
        moving_var_init (Union[Tensor, str, Initializer, numbers.Number]): the running variance's.
        use_batch_statistics (bool): True or False for the batch's or the running statistics in any
            mode; None for what the mode says.
        data_format (str): "NCHW", or on a GPU "NHWC".
        dtype (mindspore.dtype): the type of the parameters.

    Raises:
        TypeError: if `num_features` is not an int, `eps` or `momentum` not a number, or `affine`
            not a bool; in a call, where `eps` is an int.
        ValueError: if there is no channel, `momentum` is outside [0, 1], or a choice unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BatchNorm1d(2)(ms.ops.ones((3, 2))).shape)
        (3, 2)
    """

    _ranks = (2, 3)


@public("nn.BatchNorm2d")
class BatchNorm2d(_BatchNorm):
    """Brings each channel of (N, C, H, W) to mean beta and deviation gamma.

    Its arguments are those of BatchNorm1d.

    Raises:
        TypeError: if `num_features` is not an int, `eps` or `momentum` not a number, or `affine`
            not a bool; in a call, where `eps` is an int.
        ValueError: if there is no channel, `momentum` is outside [0, 1], or a choice unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BatchNorm2d(2)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)
    """

    _ranks = (4,)


@public("nn.BatchNorm3d")
class BatchNorm3d(Cell):
    """Brings each channel of (N, C, D, H, W) to mean beta and deviation gamma.

    Its arguments are those of BatchNorm1d, without `data_format`; its parameters are those of the
    BatchNorm2d in `bn2d`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BatchNorm3d(2)(ms.ops.ones((1, 2, 3, 3, 3))).shape)
        (1, 2, 3, 3, 3)
    """

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        dtype=float32,
    ):
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )

    def construct(self, x):
        """`x`, normalised by channels."""
        _need_shape("BatchNorm3d", x, (5,))
        n, c, d, h, w = x.shape
        return self.bn2d(x.reshape(n, c, d * h, w)).reshape(n, c, d, h, w)


@public("nn.SyncBatchNorm")
class SyncBatchNorm(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, H, W) whose batch is spread over several ranks.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance.
        momentum (float): the weight of the old running statistics, in [0, 1].
        affine (bool): whether gamma and beta are trained.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's.
        moving_mean_init (Union[Tensor, str, Initializer, numbers.Number]): the running mean's.
        moving_var_init (Union[Tensor, str, Initializer, numbers.Number]): the running variance's.
        use_batch_statistics (bool): as for BatchNorm1d.
        process_groups (list): lists of the ranks that normalise together; None for all ranks.
        dtype (mindspore.dtype): the type of the parameters.

    Raises:
        TypeError: if `process_groups` is not a list of lists of ints, or as for BatchNorm1d.
        ValueError: if a rank occurs twice or does not exist, or as for BatchNorm1d.
    """

    _ranks = (2, 4)

    @checked
    def __init__(
        self,
        num_features: Int(ge=1),
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        process_groups: ListOf(ListOf(Int(ge=0))) = None,
        dtype=float32,
    ):
        _need_ranks(process_groups)
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )
        self.process_groups = process_groups
        self._joint = None
        self._size = get_group_size()
        for ranks in process_groups or ():
            if get_rank() in ranks:
                self._size = len(ranks)
                if self._size > 1:
                    self._joint = f"sync_batch_norm_{'_'.join(map(str, ranks))}"
                    create_group(self._joint, ranks)
        if process_groups is not None and self._joint is None:
            self._size = 1

    def _normalized(self, x, training):
        if not training or self._size == 1:
            return super()._normalized(x, training)
        add_up = ops.AllReduce() if self._joint is None else ops.AllReduce(group=self._joint)
        return normalize_together(
            x,
            self.gamma,
            self.beta,
            self.moving_mean,
            self.moving_variance,
            self.momentum,
            self.eps,
            add_up,
        )


def normalize_together(x, scale, shift, mean, variance, momentum, eps, add_up):
    """Batch normalisation with the statistics of the batches on all ranks of a group.

    Args:
        x (Tensor): data, (N, C, ...).
        scale, shift (Tensor): one value per channel, or None for 1 and 0.
        mean, variance (Tensor): running statistics, which move, or None.
        momentum (float): the weight of the batch in them.
        eps (float): added to the variance.
        add_up (Callable): gives the sum of a Tensor over the ranks.

    Returns:
        Tensor of the shape and dtype of `x`.
    """
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    column = (1, -1) + (1,) * (x.ndim - 2)
    wide = x if x.dtype == float64 else x.astype(float32)
    counts = Tensor([x.size // x.shape[1]], wide.dtype)
    sums = add_up(ops.cat((wide.sum(axes), counts)))
    count, own_mean = sums[-1], sums[:-1] / sums[-1]
    middle = wide - own_mean.reshape(column)
    var = add_up((middle * middle).sum(axes)) / count
    factor = 1 / ops.sqrt(var + eps)
    if mean is not None:
        running(mean, own_mean, momentum)
        running(variance, var * (count / (count - 1)), momentum)
    out = middle * (factor if scale is None else factor * scale).reshape(column)
    out = out if shift is None else out + shift.reshape(column)
    return out.astype(x.dtype)


def _need_ranks(process_groups):
    """Refuses groups in which a rank occurs twice or does not exist."""
    ranks = [rank for group in process_groups or () for rank in group]
    if len(set(ranks)) < len(ranks) or any(rank >= get_group_size() for rank in ranks):
        raise ValueError(
            "For 'SyncBatchNorm', 'process_groups' must hold each rank in [0, "
            f"{get_group_size()}) once at most, but got {process_groups}."
        )


# Over the last axes -------------------------------------------------------------------------------


@public("nn.LayerNorm")
class LayerNorm(Cell):
    """Brings the last axes to mean beta and deviation gamma.

    Args:
        normalized_shape (Union(tuple[int], list[int])): the shape of gamma and beta.
        begin_norm_axis (int): the first axis of the mean and variance, in [-1, rank).
        begin_params_axis (int): the first axis that gamma and beta have, in [-1, rank).
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's.
        epsilon (float): added to the variance.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **input_x** (Tensor): floats.

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
        begin_norm_axis: Int = -1,
        begin_params_axis: Int = -1,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        epsilon: Number = 1e-7,
        dtype: DType = float32,
    ):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.begin_norm_axis = begin_norm_axis
        self.begin_params_axis = begin_params_axis
        self.epsilon = epsilon
        self.gamma = parameter(gamma_init, tuple(normalized_shape), dtype, "gamma")
        self.beta = parameter(beta_init, tuple(normalized_shape), dtype, "beta")

    @functools.cached_property
    def layer_norm(self):
        """The normalisation as a primitive, for subclasses."""
        return ops.LayerNorm(self.begin_norm_axis, self.begin_params_axis, self.epsilon)

    def construct(self, input_x):
        """`input_x`, normalised."""
        self._check(input_x)
        start, rank = self.begin_norm_axis, input_x.ndim
        if start % rank == self.begin_params_axis % rank:
            return row_standardize.run(input_x, self.gamma, self.beta, start, self.epsilon)[0]
        out = row_standardize.run(input_x, None, None, start, self.epsilon)[0]
        return multiply_add.run(out, self.gamma, self.beta)

    def _check(self, x):
        need_floats("LayerNorm", "input_x", x)
        _need_float("LayerNorm", "epsilon", self.epsilon)
        rank = x.ndim
        if not (-1 <= self.begin_norm_axis < rank and -1 <= self.begin_params_axis < rank):
            raise RuntimeError(
                f"For 'LayerNorm', the first axes must be in [-1, {rank}), but got "
                f"{self.begin_norm_axis} and {self.begin_params_axis}."
            )
        if x.shape[self.begin_params_axis % rank :] != self.gamma.shape:
            raise ValueError(
                f"For 'LayerNorm', the shape of the input must end in "
                f"{self.gamma.shape} from axis {self.begin_params_axis} on, but got "
                f"{x.shape}."
            )

    def extend_repr(self):
        """The axes and the parameters of the layer."""
        return (
            f"normalized_shape={self.normalized_shape}, "
            f"begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


@public("nn.LayerNormExt", "mint.nn.LayerNorm")
class LayerNormExt(Cell):
    """Brings the last axes to mean `bias` and deviation `weight`.

    Args:
        normalized_shape (Union(tuple[int], list[int], int)): the shape of the last axes.
        eps (float): added to the variance.
        elementwise_affine (bool): whether there are a weight and a bias.
        bias (bool): whether there is a bias.
        dtype (mindspore.dtype): the type of the parameters; float32 by default.

    Inputs:
        - **input** (Tensor): floats.

    Raises:
        TypeError: if `normalized_shape` is none of these.

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
        """`input`, normalised."""
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, float(self.eps))

    def extend_repr(self):
        """The shape of the layer."""
        return (
            f"normalized_shape={self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


# Over groups of channels --------------------------------------------------------------------------


@public("nn.GroupNorm")
class GroupNorm(Cell):
    """Brings each group of channels to mean 0 and deviation 1, then each channel to gamma and beta.

    Args:
        num_groups (int): the number of groups.
        num_channels (int): the number of channels.
        eps (float): added to the variance.
        affine (bool): whether gamma and beta are trained.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, *), floats.

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
        dtype: DType = float32,
    ):
        super().__init__()
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.gamma = parameter(gamma_init, (num_channels,), dtype, "gamma", requires_grad=affine)
        self.beta = parameter(beta_init, (num_channels,), dtype, "beta", requires_grad=affine)

    def construct(self, x):
        """`x`, normalised by groups."""
        _need_shape("GroupNorm", x, range(2, 9), RuntimeError)
        if x.shape[1] != self.num_channels:
            raise ValueError(
                f"For 'GroupNorm', the input must have {self.num_channels} channels, "
                f"but got shape {x.shape}."
            )
        return group_standardize.run(x, self.gamma, self.beta, self.num_groups, self.eps)

    def extend_repr(self):
        """The sizes of the layer."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


# Over instances -----------------------------------------------------------------------------------


class _InstanceNorm(_Statistics):
    """What the layers that normalise every instance by itself share."""

    _ranks = ()

    @checked
    def __init__(
        self,
        num_features: Int(ge=1),
        eps: Float = 1e-5,
        momentum: Float(ge=0.0, le=1.0) = 0.1,
        affine: Bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        dtype: DType = float32,
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
        """`x`, each channel of each instance normalised."""
        _need_shape(type(self).__name__, x, self._ranks)
        if x.shape[1] != self.num_features:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have "
                f"{self.num_features} channels, but got shape {x.shape}."
            )
        return group_standardize.run(x, self.gamma, self.beta, self.num_features, self.eps)


@public("nn.InstanceNorm1d")
class InstanceNorm1d(_InstanceNorm):
    """Brings each channel of each instance of (N, C, L) to mean beta and deviation gamma.

    The statistics are those of the input in any mode.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance.
        momentum (float): kept for the running statistics of the original, in [0, 1].
        affine (bool): whether gamma and beta are trained.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's.
        dtype (mindspore.dtype): the type of the parameters.

    Raises:
        TypeError: if `num_features` is not an int, `eps` or `momentum` not a float, `affine` not a
            bool, or an initial Tensor not float32.
        ValueError: if `num_features` is less than 1, or `momentum` not in [0, 1].

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.InstanceNorm1d(2)(ms.ops.ones((1, 2, 3))).shape)
        (1, 2, 3)
    """

    _ranks = (3,)


@public("nn.InstanceNorm2d")
class InstanceNorm2d(_InstanceNorm):
    """Brings each channel of each instance of (N, C, H, W) to mean beta and deviation gamma.

    Its arguments are those of InstanceNorm1d.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.InstanceNorm2d(2)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)
    """

    _ranks = (4,)


@public("nn.InstanceNorm3d")
class InstanceNorm3d(_InstanceNorm):
    """Brings each channel of each instance of (N, C, D, H, W) to mean beta and deviation gamma.

    Its arguments are those of InstanceNorm1d.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.InstanceNorm3d(2)(ms.ops.ones((1, 2, 3, 3, 3))).shape)
        (1, 2, 3, 3, 3)
    """

    _ranks = (5,)
