"""Raises errors about shapes before errors about dtypes (`shapes_first` in `Quirks`)."""

import numpy

from ..._backend.random.streams import replaying
from ..rules.base import parts_of
from ..rules.vocabulary import TensorOf
from ..tensor import dtype as dtypes
from ..tensor.tensor import Tensor
from .library_errors import LIBRARY_ERRORS, explain
from .values import space_for


def shapes_first(function):
    """Decorates a `checked` function: if both dtypes and shapes are wrong, the ValueError about
    the shapes is raised.

    To find that error the body runs on copies of the arguments, as it may write into its inputs.
    """
    function.refuse_shapes = _refuse_shapes_of_copies
    return function


def _refuse_shapes_of_copies(api, rules, values, call):
    def call_copies(*samples):
        call(*(s.copy() if isinstance(s, Tensor) else s for s in samples))

    refuse_shapes(api, rules, values, call_copies)


def refuse_shapes(api, rules, values, call):
    """Runs `call` on values of the same shapes and raises its ValueError; see `shapes_first`.

    Args:
        api: the public name.
        rules: the rules of the values, one of which refuses its value; None if the rules accept
            all values but their dtypes differ.
        values: Tensors and other arguments; zeros replace Tensors of a wrong dtype.
        call: the op as a function of `values`.
    """
    if rules is None:
        first = next(value for value in values if isinstance(value, Tensor))
        samples = [_zeros(value, first._array.dtype) for value in values]
    else:
        samples = [_acceptable(*pair) for pair in zip(rules.values(), values)]
        if any(rule.verdict(value) for rule, value in zip(rules.values(), samples)):
            return
    with replaying() as draw_again:  # a refused call leaves the random streams as they were
        try:
            call(*samples)
        except LIBRARY_ERRORS as error:
            explanation = explain(api, error)
            is_singular = isinstance(explanation, numpy.linalg.LinAlgError)  # zeros are
            if isinstance(explanation, ValueError) and not is_singular:
                raise explanation from error
        finally:
            draw_again()


def _acceptable(rule, value):
    """Returns `value` if `rule` accepts it, else zeros of its shape in an acceptable dtype."""
    if not isinstance(value, Tensor) or rule.verdict(value) is None:
        return rule.read(value)
    dtypes_of_parts = [part.dtypes for part in parts_of(rule) if isinstance(part, TensorOf)]
    if not any(dtypes_of_parts):
        return value
    allowed = dtypes_of_parts[0]
    usual = "float32" if "float32" in allowed else min(allowed)  # it joins any other float
    return _zeros(value, dtypes.numpy_dtype(usual))


def _zeros(tensor, dtype):
    if not isinstance(tensor, Tensor):
        return tensor
    zeros = space_for(tensor._array).zeros(tensor.shape, dtype)
    if zeros.ndim > 1 and zeros.dtype.kind == "f" and zeros.shape[-1] == zeros.shape[-2]:
        diagonal = range(zeros.shape[-1])
        zeros[..., diagonal, diagonal] = 1  # a matrix that can be decomposed
    return Tensor._wrap(zeros)
