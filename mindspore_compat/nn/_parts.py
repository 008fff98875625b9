"""Helpers that layers share: parameters, their initial values, activations by name."""

import math

from .._core.declare.op import DECLARED
from .._core.rules.vocabulary import InstanceOf
from .._core.tensor.dtype import float32
from .._core.tensor.tensor import Tensor
from ..common.initializer import HeUniform, Uniform, initializer
from ..common.parameter import Parameter

_ATensor = InstanceOf(Tensor)


def parameter(init, shape, dtype=float32, name=None, requires_grad=True):
    """Returns a Parameter with the initial values that `init` describes; see `initializer`."""
    return Parameter(initializer(init, shape, dtype), name=name, requires_grad=requires_grad)


def need_tensor(api, name, x):
    """Raises TypeError unless `x` is a Tensor."""
    if not isinstance(x, Tensor):
        _ATensor.refuse(api, name, x)


def need_floats(api, name, x):
    """Raises TypeError unless `x` is a Tensor of floats."""
    need_tensor(api, name, x)
    if x._array.dtype.kind not in "fV":
        raise TypeError(f"For '{api}', '{name}' must be a Tensor of floats, but got {x.dtype}.")


def need_init_shape(api, name, init, shape):
    """Rejects a Tensor of the wrong shape as the initial value of a parameter."""
    if isinstance(init, Tensor) and init.shape != tuple(shape):
        raise ValueError(
            f"For '{api}', '{name}' must have shape {tuple(shape)} where it is a "
            f"Tensor, but got {init.shape}."
        )


def default_weight():
    """Returns the default initializer of dense and convolution weights: U(-k, k), k =
    1/sqrt(fan_in)."""
    return HeUniform(math.sqrt(5))


def default_bias(fan_in):
    """Returns the default initializer of biases: U(-k, k) with k = 1/sqrt(fan_in)."""
    return Uniform(1 / math.sqrt(fan_in)) if fan_in else "zeros"


def also(op, *lines):
    """Gives an op of a lower layer additional public names, as layers; see `_core.declare.op`."""
    for line in lines:
        area, _, name = line.split("(", 1)[0].rpartition(".")
        DECLARED.setdefault(area, {})[name] = (op, line)


def check_dense_input_shape(x, prim_name=None):
    """Checks the shape of an input of `Dense`, for scripts of releases 1.x.

    Args:
        x (tuple[int]): the shape.
        prim_name (str): the name that an error gives. Default: ``None``, "Dense".

    Raises:
        ValueError: if `x` has fewer than two axes.
    """
    if len(x) < 2:
        raise ValueError(
            f"For '{prim_name or 'Dense'}', 'x' must have at least 2 axes, but got shape {x}."
        )


def product_by_primitives(dense, x):
    """Computes the product and the sum of a dense layer by its primitives, for rows of `x`."""
    rows = dense.reshape(x, (-1, x.shape[-1])) if x.ndim != 2 else x
    out = dense.matmul(rows, dense.weight)
    out = dense.bias_add(out, dense.bias) if dense.has_bias else out
    return dense.reshape(out, (*x.shape[:-1], out.shape[-1])) if x.ndim != 2 else out
