"""Helpers that custom distributions in scripts import: checks, casts, safe logarithms.

The distributions of this package have their checks in `distribution/distribution.py`. A check here
returns nothing and raises TypeError or ValueError; a Parameter is checked by its value.
"""

import numpy as np

from ... import ops
from ..._core.context.config import config
from ..._core.tensor import dtype as mstype
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ...ops.primitive import Primitive
from ..cell import Cell

__all__ = [
    "CheckTensor",
    "CheckTuple",
    "cast_to_tensor",
    "cast_type_for_device",
    "check_distribution_name",
    "check_greater",
    "check_greater_equal_zero",
    "check_greater_zero",
    "check_posterior",
    "check_prior",
    "check_prob",
    "check_rank",
    "check_sum_equal_one",
    "clamp_probs",
    "exp_generic",
    "log1p_generic",
    "log_generic",
    "log_generic_with_check",
    "logits_to_probs",
    "probs_to_logits",
    "raise_broadcast_error",
    "raise_none_error",
    "raise_not_defined",
    "raise_not_impl_error",
    "raise_not_implemented_util",
    "raise_type_error",
    "set_param_type",
]


# Functions of Tensors -----------------------------------------------------------------------------


def _as_float(x):
    return x if x.dtype in mstype.float_type else x.astype(mstype.float32)


def exp_generic(input_x):
    """Computes exp of a Tensor; integers become float32."""
    return ops.exp(_as_float(input_x))


def log_generic(input_x):
    """Computes log of a Tensor, -inf at zero and NaN below; integers become float32."""
    return ops.log(_as_float(input_x))


def log1p_generic(x):
    """Computes log(1 + x) by `log_generic`."""
    return log_generic(x + 1.0)


def log_generic_with_check(x):
    """Computes `log_generic`; raises TypeError for anything but a Tensor."""
    return log_generic(CheckTensor()(x, "log_generic"))


def clamp_probs(probs):
    """Clamps probabilities to [eps, 1 - eps] of their dtype."""
    eps = ops.Eps()(probs)
    return ops.clip_by_value(probs, eps, 1 - eps)


def logits_to_probs(logits, is_binary=False):
    """Converts logits to probabilities: softmax over the last axis, or sigmoid."""
    return ops.sigmoid(logits) if is_binary else ops.softmax(logits, -1)


def probs_to_logits(probs, is_binary=False):
    """Converts probabilities, clamped to (0, 1), to log p or to log p - log(1 - p)."""
    clamped = clamp_probs(probs)
    return ops.log(clamped) - ops.log(1 - clamped) if is_binary else ops.log(clamped)


# Types --------------------------------------------------------------------------------------------


class CheckTuple(Primitive):
    """Returns a tuple unchanged; raises a TypeError for anything else."""

    def __init__(self):
        super().__init__("CheckTuple")

    def __call__(self, x, name):
        """Returns `x`; error messages call it `name`."""
        if not isinstance(x, tuple):
            raise_type_error(name, type(x), tuple)
        return x


class CheckTensor(Primitive):
    """Returns a Tensor or None unchanged; raises a TypeError for anything else."""

    def __init__(self):
        super().__init__("CheckTensor")

    def __call__(self, x, name):
        """Returns `x`; error messages call it `name`."""
        if x is not None and not isinstance(x, Tensor):
            raise_type_error(name, type(x), Tensor)
        return x


def cast_to_tensor(t, hint_type=mstype.float32):
    """Converts numbers to a Tensor of a dtype; returns a Parameter unchanged.

    Raises:
        ValueError: if `t` is None.
        TypeError: if `t` is a bool, or not a number, list, array or Tensor.
    """
    if t is None:
        raise ValueError("For 'cast_to_tensor', 't' must be numbers, but got None.")
    if isinstance(t, Parameter):
        return t
    if isinstance(t, bool) or not isinstance(t, (Tensor, np.ndarray, list, int, float)):
        raise TypeError(
            f"For 'cast_to_tensor', 't' must be numbers, but got {t!r} of type {type(t).__name__}."
        )
    return Tensor(t, dtype=hint_type)


def cast_type_for_device(dtype):
    """Returns the dtype that MindSpore uses on a GPU instead of `dtype`; on a CPU `dtype`
    itself."""
    if config.device_target != "GPU":
        return dtype
    low_precision = {
        mstype.int8: mstype.int16,
        mstype.int64: mstype.int32,
        mstype.float64: mstype.float32,
        **dict.fromkeys(mstype.uint_type, mstype.int16),
    }
    return low_precision.get(dtype, dtype)


def set_param_type(args, hint_type):
    """Returns the dtype that arguments of a distribution share; `hint_type` if none has one.

    Integers and float64 count as float32.

    Raises:
        TypeError: if two of them differ.
    """
    types = {
        name: mstype.from_numpy(arg.dtype) if isinstance(arg, np.ndarray) else arg.dtype
        for name, arg in args.items()
        if hasattr(arg, "dtype")
    }
    if len(set(types.values())) > 1:
        raise TypeError(
            f"{', '.join(map(repr, types))} must have one dtype, but got "
            f"{', '.join(map(str, types.values()))}."
        )
    whole = (*mstype.int_type, *mstype.uint_type)
    hint = mstype.float32 if hint_type in (*whole, None) else hint_type
    shared = next(iter(types.values()), hint)
    return mstype.float32 if shared in (*whole, mstype.float64) else shared


# Values -------------------------------------------------------------------------------------------


def _numbers(value, name):
    if value is None:
        raise ValueError(f"'{name}' must be a Tensor, but got None.")
    return value.asnumpy()


def _require(holds, name, expected, value):
    if not np.all(holds):
        raise ValueError(f"'{name}' must be {expected}, but got {value}.")


def check_greater_equal_zero(value, name):
    """Checks that a Tensor has no negative numbers."""
    numbers = _numbers(value, name)
    _require(numbers >= 0, name, ">= 0", numbers)


def check_greater_zero(value, name):
    """Checks that a Tensor has only positive numbers."""
    numbers = _numbers(value, name)
    _require(numbers > 0, name, "> 0", numbers)


def check_greater(a, b, name_a, name_b):
    """Checks that each number of `b` is greater than the number of `a` at its place. Parameters are
    not compared.
    """
    low, high = _numbers(a, name_a), _numbers(b, name_b)
    if not isinstance(a, Parameter) and not isinstance(b, Parameter):
        _require(low < high, name_a, f"less than '{name_b}'", low)


def check_prob(p):
    """Checks that probabilities are in (0, 1)."""
    numbers = _numbers(p, "probs")
    _require((numbers > 0) & (numbers < 1), "probs", "in (0, 1)", numbers)


def check_sum_equal_one(probs):
    """Checks that probabilities sum to one along the last axis."""
    total = _numbers(probs, "probs").sum(-1)
    eps = np.finfo(total.dtype).eps
    _require(np.isclose(total, 1, rtol=10 * eps, atol=eps), "probs", "of sum 1", total)


def check_rank(probs):
    """Checks that a Tensor has at least one axis."""
    numbers = _numbers(probs, "probs")
    _require(numbers.ndim > 0, "probs", "of one axis or more", numbers)


def check_distribution_name(name, expected_name):
    """Checks the name of a distribution."""
    if name != expected_name:
        raise ValueError(f"'dist' must be {expected_name!r}, but got {name!r}.")


def check_prior(prior_fn, arg_name):
    """Returns the prior of a Bayesian layer: a Cell or a function's result, with an attribute
    `normal`."""
    return _normal_alone(prior_fn if isinstance(prior_fn, Cell) else prior_fn(), arg_name)


def check_posterior(posterior_fn, shape, param_name, arg_name):
    """Returns the posterior of a Bayesian layer for a shape; it has an attribute `normal`."""
    return _normal_alone(posterior_fn(shape=shape, name=param_name), arg_name)


def _normal_alone(cell, arg_name):
    others = [name for name in cell.name_cells() if name != "normal"]
    if others:
        raise TypeError(f"'{arg_name}' must have the part 'normal' alone, but got {others}.")
    return cell


# Errors -------------------------------------------------------------------------------------------


def raise_none_error(name):
    """Raises TypeError: a parameter of a distribution is missing both in the constructor and the
    call."""
    raise TypeError(
        f"'{name}' must be a Tensor where the distribution was made without it, but got None."
    )


def raise_broadcast_error(shape_a, shape_b):
    """Raises ValueError: two shapes do not broadcast."""
    raise ValueError(f"Two shapes must broadcast, but got {shape_a} and {shape_b}.")


def raise_not_impl_error(name):
    """Raises ValueError: a nonlinear bijector lacks a method."""
    raise ValueError(f"'{name}' must be defined by a bijector that is not linear, but is not.")


def raise_not_implemented_util(func_name, obj, *args, **kwargs):
    """Raises NotImplementedError: a distribution lacks a method."""
    raise NotImplementedError(f"For '{obj}', '{func_name}' is not defined.")


def raise_not_defined(func_name, obj, *args, **kwargs):
    """Raises ValueError: a quantity does not exist for a distribution."""
    raise ValueError(f"For '{obj}', '{func_name}' does not exist.")


def raise_type_error(name, cur_type, required_type):
    """Raises TypeError: a value has the wrong type."""
    raise TypeError(f"'{name}' must be of type {required_type}, but got {cur_type}.")
