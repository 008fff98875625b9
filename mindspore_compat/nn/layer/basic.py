"""Dense layers, and layers that join or split axes.

The folder `_basic` has the rest, which this module re-exports: dropout, matrices and their
diagonals, and layers that only wrap a function of `ops` (OneHot, Roll, ...).
"""

import math

from ..._core.declare.public_api import public
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Int,
    LayerDType,
    ListOf,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor.dtype import float32
from ..._core.tensor.precision import state as precision
from ...common.initializer import Uniform
from ...ops._linalg.matmul import dense
from ...ops._shape.reshape import joined
from .._parts import (
    default_bias,
    default_weight,
    need_init_shape,
    need_tensor,
    parameter,
    product_by_primitives,
)
from ..cell import Cell
from ._basic.dropout import Dropout, Dropout1d, Dropout2d, Dropout2dExt, Dropout3d, DropoutExt
from ._basic.matrices import MatrixDiag, MatrixDiagPart, MatrixSetDiag, Tril, Triu
from ._basic.wrappers import ClipByNorm, L1Regularizer, Norm, OneHot, Pad, Roll, Unfold, Upsample
from .activation import need_activation

__all__ = [
    "Dropout",
    "Flatten",
    "Dense",
    "Linear",
    "ClipByNorm",
    "Norm",
    "OneHot",
    "Pad",
    "Unfold",
    "Tril",
    "Triu",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "L1Regularizer",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Upsample",
    "Roll",
    "Identity",
    "Unflatten",
    "DropoutExt",
    "Dropout2dExt",
]


def _product(x, weight, bias):
    """Computes x @ weight.T + bias; checks first the shapes, then the types of the inputs."""
    try:
        array, table = x._array, weight._array
    except AttributeError:
        need_tensor("Dense", "x", x)
        raise
    if array.ndim == 0 or array.shape[-1] != table.shape[1]:
        raise ValueError(
            f"For 'Dense', the last axis of 'x' must have length {table.shape[1]}, "
            f"but got shape {x.shape}."
        )
    if array.dtype is not table.dtype and array.dtype != table.dtype and not _casts_floats(array):
        raise TypeError(
            f"For 'Dense', 'x' must have the dtype of the weight, {weight.dtype}, but "
            f"got {x.dtype}."
        )
    return dense.run(x, weight, bias)


def _casts_floats(array):
    """Returns True if floats of this array are cast to one type by the running Cell (`to_float`) or
    by automatic mixed precision."""
    return (precision.dtype is not None or precision.low is not None) and array.dtype.kind in "fV"


@public("nn.Dense")
class Dense(Cell):
    """Dense (fully connected) layer: activation(x @ weight.T + bias).

    Args:
        in_channels (int): the length of the input's last axis.
        out_channels (int): the length of the output's last axis.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(in_channels) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
        has_bias (bool): whether the layer has a bias.
        activation (Union[str, Cell, Primitive, None]): the activation applied to the output.
        dtype (mindspore.dtype): the type of the parameters that are not given as Tensors.

    Inputs:
        - **x** (Tensor): shape (*, in_channels).

    Outputs:
        Tensor of shape (*, out_channels).

    Raises:
        TypeError: if a number of channels is not an int, or another argument of the wrong type.
        ValueError: if a number of channels is less than 1, or an initial Tensor has another shape.

    Examples:
        >>> from mindspore_compat import Tensor, nn, ops
        >>> nn.Dense(3, 4)(ops.ones((2, 3))).shape
        (2, 4)
    """

    @checked
    def __init__(
        self,
        in_channels: Int(ge=1),
        out_channels: Int(ge=1),
        weight_init=None,
        bias_init=None,
        has_bias: Bool = True,
        activation=None,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        shape = (out_channels, in_channels)
        need_init_shape("Dense", "weight_init", weight_init, shape)
        need_init_shape("Dense", "bias_init", bias_init, shape[:1])
        activation = need_activation("Dense", activation)
        self.weight = parameter(
            default_weight() if weight_init is None else weight_init, shape, dtype
        )
        self.bias = None
        if has_bias:
            start = default_bias(in_channels) if bias_init is None else bias_init
            self.bias = parameter(start, shape[:1], dtype)
        self.activation = activation

    @property
    def activation_flag(self):
        """Whether the activation is applied; True by default if there is one."""
        return self.__dict__.get("_activation_flag", self.activation is not None)

    @activation_flag.setter
    def activation_flag(self, flag):
        self.__dict__["_activation_flag"] = flag

    def construct(self, x):
        """Returns the layer applied to `x`."""
        if "matmul" in self.__dict__:  # asked for, and so perhaps given a strategy
            out = product_by_primitives(self, x)
        else:
            out = _product(x, self.weight, self.bias if self.has_bias else None)
        return self.activation(out) if self.activation_flag else out

    def extend_repr(self):
        """Returns the sizes of the layer."""
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += ", has_bias=True"
        return text + (f", activation={self.activation}" if self.activation_flag else "")


@public("nn.Linear", "mint.nn.Linear")
class Linear(Cell):
    """Linear (fully connected) layer: x @ weight.T + bias.

    Args:
        in_features (int): the length of the input's last axis.
        out_features (int): the length of the output's last axis.
        bias (bool): whether the layer has a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's first values.
        dtype (mindspore.dtype): the type of the parameters; float32 by default.

    Inputs:
        - **x** (Tensor): shape (*, in_features).

    Outputs:
        Tensor of shape (*, out_features).

    Raises:
        TypeError: if a number of features is not an int, or `bias` not a bool.
        ValueError: if a number of features is less than 1, or an initial Tensor has another shape.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Linear(2, 3)(ms.ops.ones((1, 2))).shape)
        (1, 3)
    """

    @checked
    def __init__(
        self,
        in_features: Int(ge=1),
        out_features: Int(ge=1),
        bias: Bool = True,
        weight_init=None,
        bias_init=None,
        dtype: DType = None,
    ):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.has_bias = bias
        shape = (out_features, in_features)
        dtype = float32 if dtype is None else dtype
        need_init_shape("Linear", "weight_init", weight_init, shape)
        need_init_shape("Linear", "bias_init", bias_init, shape[:1])
        self.weight = parameter(
            default_weight() if weight_init is None else weight_init, shape, dtype
        )
        self.bias = None
        if bias:
            start = Uniform(1 / math.sqrt(in_features)) if bias_init is None else bias_init
            self.bias = parameter(start, shape[:1], dtype)

    def construct(self, x):
        """Returns the layer applied to `x`."""
        return _product(x, self.weight, self.bias if self.has_bias else None)

    def extend_repr(self):
        """Returns the sizes of the layer."""
        return f"input_features={self.in_features}, output_features={self.out_features}" + (
            ", has_bias=True" if self.has_bias else ""
        )


# Shapes -------------------------------------------------------------------------------------------


@public("nn.Flatten", "mint.nn.Flatten")
class Flatten(Cell):
    """Flattens the axes from `start_dim` to `end_dim` into one.

    Args:
        start_dim (int): the first axis to join.
        end_dim (int): the last.

    Inputs:
        - **x** (Tensor): of any shape that has these axes.

    Outputs:
        Tensor of the same dtype, with one axis in place of those from `start_dim` to `end_dim`;
        of shape (1,) for an input without axes.

    Raises:
        TypeError: if an axis is not an int, or the input not a Tensor.
        ValueError: if the input has no such axes, or the last comes before the first.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Flatten()(ms.ops.ones((2, 3, 4))).shape)
        (2, 12)
    """

    @checked
    def __init__(self, start_dim: Int = 1, end_dim: Int = -1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def construct(self, x):
        """Returns `x` with the axes joined."""
        need_tensor("Flatten", "x", x)
        start, end, rank = self.start_dim, self.end_dim, max(x.ndim, 1)
        for axis in (start, end):
            self.check_axis_valid(axis, rank)
        if start % rank > end % rank:
            raise ValueError(
                f"For 'Flatten', 'start_dim' and 'end_dim' must be axes of the input "
                f"in order, but got {start} and {end} for shape {x.shape}."
            )
        if x.ndim == 0:
            return x.reshape(1)
        return joined(x, start, end)

    def check_axis_valid(self, axis, ndim):
        """Raises ValueError unless an axis is in [-ndim, ndim)."""
        if not -ndim <= axis < ndim:
            raise ValueError(
                f"For 'Flatten', 'start_dim' and 'end_dim' must be in [{-ndim}, {ndim}), but got "
                f"{axis}."
            )


@public("nn.Identity", "mint.nn.Identity")
class Identity(Cell):
    """Identity layer: returns its input.

    Args:
        *args, **kwargs: anything; without effect.

    Inputs:
        - **input** (Any): any object, usually a Tensor.

    Outputs:
        The input itself.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Identity()(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def construct(self, input):
        """Returns `input` itself."""
        return input


_Sizes = TupleOf(Int(numpy_scalars=True)) | ListOf(Int(numpy_scalars=True))


@public("nn.Unflatten")
class Unflatten(Cell):
    """Unflattens one axis into several.

    Args:
        axis (int): the axis.
        unflattened_size (Union[tuple[int], list[int]]): the lengths of the new axes; one may be -1.

    Inputs:
        - **input_x** (Tensor): the product of the lengths is the length of its axis.

    Outputs:
        Tensor of the same dtype, with the axes `unflattened_size` in place of `axis`.

    Raises:
        TypeError: if `axis` is not an int, or `unflattened_size` neither a tuple nor a list of
            ints.
        ValueError: if the input has no such axis, or its length is not the product.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Unflatten(1, (2, 2))(ms.ops.ones((1, 4))).shape)
        (1, 2, 2)
    """

    @checked
    def __init__(self, axis: Int, unflattened_size: _Sizes):
        super().__init__()
        self.axis = axis
        self.unflattened_size = plain_numbers(unflattened_size)

    def construct(self, input_x):
        """Returns `input_x` with the axis split into several."""
        TensorOf().refuse("Unflatten", "input_x", input_x)
        shape = input_x.shape
        if not -len(shape) <= self.axis < len(shape):
            raise ValueError(
                f"For 'Unflatten', 'axis' must be an axis of the input, but got "
                f"{self.axis} for shape {shape}."
            )
        axis = self.axis % len(shape)
        return input_x.reshape(*shape[:axis], *self.unflattened_size, *shape[axis + 1 :])
