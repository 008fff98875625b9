"""Activation layers that have parameters, and the table of activations by name.

Activations without parameters (ReLU, GELU, Softmax, ...) are generated from the lines of the ops in
`ops/_activation`; this module re-exports them.
"""

import functools
from collections.abc import Hashable

import numpy as np

from ... import ops
from ..._core.declare.public_api import build, public
from ..._core.rules.base import type_named
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Float,
    Forbid,
    InstanceOf,
    Int,
    ListOf,
    Number,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ...ops._activation.relu import prelu
from ...ops._activation.softmax import log_softmax_ext
from ...ops._normalization.normalize import lrn
from ...ops._rules import Float16Or32
from .._parts import also, parameter
from ..cell import Cell

_NAMES = {
    "softmin": "Softmin",
    "softmax": "Softmax",
    "softmax2d": "Softmax2d",
    "logsoftmax": "LogSoftmax",
    "logsoftmaxExt": "LogSoftmaxExt",
    "relu": "ReLU",
    "relu6": "ReLU6",
    "rrelu": "RReLU",
    "silu": "SiLU",
    "tanh": "Tanh",
    "tanhshrink": "Tanhshrink",
    "hardtanh": "Hardtanh",
    "gelu": "GELU",
    "fast_gelu": "FastGelu",
    "elu": "ELU",
    "sigmoid": "Sigmoid",
    "softsign": "Softsign",
    "prelu": "PReLU",
    "preluExt": "PReLUExt",
    "leakyrelu": "LeakyReLU",
    "hswish": "HSwish",
    "hsigmoid": "HSigmoid",
    "logsigmoid": "LogSigmoid",
    "softshrink": "SoftShrink",
    "hshrink": "HShrink",
    "threshold": "Threshold",
    "mish": "Mish",
}

__all__ = sorted({*_NAMES.values(), "SeLU", "LRN", "CELU", "GLU", "get_activation"})


@public("nn.PReLU")
class PReLU(Cell):
    """Parametric ReLU (PReLU) activation: max(x, 0) + w * min(x, 0), where w is learnt.

    Args:
        channel (int): the number of values of w: 1, or one for each channel (axis 1).
        w (Union[float, list, Tensor]): the first values of w.

    Inputs:
        - **x** (Tensor): float16 or float32.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `channel` is not an int, or `w` neither a float, a list nor a Tensor.
        ValueError: if `channel` is less than 1, or `w` has the wrong number of elements or not only
            floats.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.PReLU()(ms.Tensor([[-1.0, 2.0]])))
        [[-0.25  2.  ]]
    """

    @checked
    def __init__(self, channel: Int(ge=1) = 1, w=0.25):
        super().__init__()
        self.w = parameter(self._start(channel, w), (channel,), name="a")

    @functools.cached_property
    def prelu(self):
        """The activation as a primitive, for subclasses and strategies."""
        return ops.PReLU()

    @staticmethod
    def _start(channel, w):
        if isinstance(w, list):
            if len(w) != channel or not all(isinstance(number, float) for number in w):
                raise ValueError(
                    f"For 'PReLU', 'w' must hold {channel} floats where it is a list, "
                    f"but got {w!r}."
                )
            return Tensor(w, float32)
        if isinstance(w, Tensor):
            if w.shape != (channel,):
                raise ValueError(
                    f"For 'PReLU', 'w' must have shape ({channel},) where it is a "
                    f"Tensor, but got {w.shape}."
                )
            return w
        rule = Float(numpy_scalars=True).called("a float, a list or a Tensor")
        rule.refuse("PReLU", "w", w)
        return plain_numbers(w)

    def construct(self, x):
        """Returns the activation of `x`."""
        Float16Or32.refuse("PReLU", "x", x)
        return prelu.run(x, self.w)


_Count = AsValue(Int(ge=0, numpy_scalars=True), TensorOf(any_dtype))
_Start = AsValue(
    Number(numpy_scalars=True) | Bool | None,
    Str | TupleOf | ListOf | InstanceOf(bytes, np.ndarray) | TensorOf(any_dtype),
)


@public("nn.PReLUExt", "mint.nn.PReLU")
class PReLUExt(Cell):
    """Parametric ReLU (PReLU) activation: max(x, 0) + weight * min(x, 0), where weight is learnt.

    Args:
        num_parameters (int): the number of values of weight: 1, or one for each channel (axis 1).
        init (float): its first value.
        dtype (mindspore.dtype): its type; float32 by default.

    Inputs:
        - **input** (Tensor): floats.

    Outputs:
        Tensor of the same shape and dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.PReLUExt()(ms.Tensor([[-1.0, 2.0]])))
        [[-0.25  2.  ]]
    """

    @checked
    def __init__(self, num_parameters: _Count = 1, init: _Start = 0.25, dtype=None):
        super().__init__()
        first = float("nan") if init is None else float(plain_numbers(init))
        values = Tensor(np.full(num_parameters, first, np.float32))
        self.weight = Parameter(values.astype(dtype or float32))

    @checked
    def construct(self, input: TensorOf("bfloat16", "float16", "float32")):
        """Returns the activation of `input`."""
        return prelu.run(input, self.weight)


@public("nn.Hardtanh")
class Hardtanh(Cell):
    """Hardtanh activation: clamps the input to [min_val, max_val].

    Args:
        min_val (Union[int, float]): the smallest result.
        max_val (Union[int, float]): the largest result.

    Inputs:
        - **x** (Tensor): numbers.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if a bound is neither an int nor a float, or `x` not a Tensor of numbers.
        ValueError: if `min_val` is not less than `max_val`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Hardtanh()(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """

    @checked(Forbid("min_val >= max_val", ValueError, "'min_val' must be less than 'max_val'"))
    def __init__(self, min_val: Number = -1.0, max_val: Number = 1.0):
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val

    def construct(self, x):
        """Returns `x`, clamped to the range."""
        return ops.hardtanh(x, self.min_val, self.max_val)


@public("nn.RReLU")
class RReLU(Cell):
    """Randomized leaky ReLU: multiplies negative elements by a random slope in [lower, upper).

    Args:
        lower (Union[int, float]): the smallest slope. Default: 1 / 8.
        upper (Union[int, float]): the largest slope. Default: 1 / 3.

    Inputs:
        - **x** (Tensor): numbers.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if a bound is neither an int nor a float, or `x` not a Tensor of numbers.
        ValueError: if `lower` is larger than `upper`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.RReLU(0.25, 0.25)(ms.Tensor([-1.0, 2.0])))
        [-0.25  2.  ]
    """

    @checked(Forbid("lower > upper", ValueError, "'lower' must be at most 'upper'"))
    def __init__(self, lower: Number = 1 / 8, upper: Number = 1 / 3):
        super().__init__()
        self.lower = lower
        self.upper = upper

    def construct(self, x):
        """Returns the activation of `x`."""
        return ops.rrelu(x, self.lower, self.upper)


@public("nn.get_activation")
def get_activation(name, prim_name=None):
    """Returns an activation layer by its lower-case name ("relu", "leakyrelu", ...).

    Args:
        name (str): the name; None gives None.
        prim_name (str): the name of the layer in the error message.

    Returns:
        Cell.

    Raises:
        KeyError: if no activation has that name.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.get_activation("relu")(ms.Tensor([-1.0, 2.0])))
        [0. 2.]
    """
    if name is None:
        return None
    if not isinstance(name, Hashable):
        raise TypeError(f"For 'get_activation', 'name' must be a str, but got {name!r}.")
    if not isinstance(name, str) or name not in _NAMES:
        subject = f"For '{prim_name}', the" if prim_name else "The"
        raise KeyError(
            f"{subject} name of an activation must be one of {sorted(_NAMES)}, but got {name!r}."
        )
    return __getattr__(_NAMES[name])()


def need_activation(api, activation):
    """Returns an activation, given by name or as a Cell or a Primitive, as a callable; None for
    None."""
    if activation is None or isinstance(activation, Cell):
        return activation
    if isinstance(activation, str):
        return get_activation(activation)
    if isinstance(activation, type_named("Primitive")):
        return activation
    raise TypeError(
        f"For '{api}', 'activation' must be a str, a Cell, a Primitive or None, but "
        f"got {activation!r} of type {type(activation).__name__}."
    )


also(lrn, "nn.LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')(x)")
also(log_softmax_ext, "nn.LogSoftmaxExt(dim=None)(input)")


def __getattr__(name):
    if name == "_activation":
        return {key: __getattr__(cls) for key, cls in _NAMES.items()}
    layer = build("nn", name, Cell, "mindspore_compat.nn") if name in __all__ else None
    if layer is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return layer
