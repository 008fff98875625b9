"""Operands from the documented call of an operator's public name, as the conformance specs store
it.

Floats become float64 and are perturbed, because examples use round numbers, which are often kinks
or equal values.
"""

import ast
import functools

import numpy as np

import mindspore_compat
from conformance.arguments.values import Values
from conformance.kinds import cases as conformance_cases
from conformance.reading import specs
from mindspore_compat._core.declare.op import DECLARED
from mindspore_compat._core.declare.public_api import (
    _DTYPES,
    _groups,
    _is_dtype,
    _numpy_dtype,
    _Signature,
)
from mindspore_compat._core.rules.vocabulary import TensorOf

from .operands import Case


@functools.cache
def _specs():
    return specs.load()


@functools.cache
def _lines():
    """Maps an op's id to its public paths and lines."""
    found = {}
    for area, names in DECLARED.items():
        for name, (op, line) in names.items():
            found.setdefault(id(op), []).append((f"{area}.{name}", line))
    return found


def operands(op):
    """Returns the first documented call of `op` as a Case, or None."""
    for path, line in _lines().get(id(op), ()):
        entry = _specs().get(path)
        call = conformance_cases.call_of(entry) if entry else None
        if call is not None and call.call is not None:
            made = _case(op, path, line, call)
            if made is not None:
                return made
    return None


def _case(op, path, line, call):
    op.parameters  # noqa: B018
    groups = _groups(line)
    values = {}
    given = [call.init or {}, call.call] if len(groups) == 2 else [call.call]
    method = path.startswith("Tensor.")
    if method:
        values[op.inputs[0]] = _built(call.owner)
    for text, texts in zip(groups, given):
        signature = _Signature(text, op, path)
        built = {k: _built(t) for k, t in texts.items()}
        names = [n for n in signature.names if not (signature.star and n == signature.star.arg)]
        if signature.star:
            built[signature.star.arg] = [v for k, v in built.items() if k not in names]
        for index, key in enumerate(
            list(built)
        ):  # a page may name an input otherwise than its line
            if key not in signature.names and index < len(names):
                built.setdefault(names[index], built[key])
        for name in signature.names:
            fed = signature.feeds[name]
            if fed not in op.parameters:
                continue
            if name in built:
                values[fed] = built[name]
            elif name in signature.defaults:
                values[fed] = eval(ast.unparse(signature.defaults[name]), dict(_DTYPES))  # noqa: S307
    return Case((), {n: _operand(op, n, v) for n, v in values.items()})


def _built(text):
    return Values(mindspore_compat).build(text)


def _operand(op, name, value):
    """Returns the value of the body's parameter `name`, with arrays for Tensors."""
    if _is_dtype(op.rules.get(name)):
        return _numpy_dtype(value)
    if name == op.many:
        return [_array(v, takes(op.rules[name], "float64")) for v in value]
    if name in op.inputs:
        return _array(value, takes(op.rules[name], "float64"))
    return value.asnumpy().tolist() if hasattr(value, "asnumpy") else value


def takes(rule, dtype):
    """Returns whether a rule, or one within it, accepts Tensors of a certain dtype."""
    if isinstance(rule, TensorOf):
        return not rule.dtypes or dtype in rule.dtypes
    inner = getattr(rule, "members", None) or [getattr(rule, "item", None)]
    return any(takes(one, dtype) for one in inner if one is not None)


def _array(value, floating):
    """Returns the values; floats, and integers that may as well be floats, as float64."""
    if not hasattr(value, "asnumpy"):
        return value
    array = np.array(value.asnumpy())
    if array.dtype.kind in "fV" or floating and array.dtype.kind in "iu":
        return moved(array.astype(np.float64))
    return array


def moved(array):
    """Returns the values shifted by up to a twentieth of themselves, zeros to about 0.05."""
    rng = np.random.default_rng(array.size)
    shift = rng.uniform(0.01, 0.05, array.shape) * rng.choice([-1, 1], array.shape)
    return np.where(
        np.isfinite(array), np.where(array == 0, np.abs(shift), array * (1 + shift)), array
    )
