"""Repeats the call of a case in the worker with other numbers, dtypes or shapes in its Tensors, or
in graph mode.

A case requests a repetition after its call by a keyword: `sample.again('empty')`. The changed
inputs then need no texts of their own.
"""

import contextlib
import inspect
import re

import numpy as np

from ..arguments.waves import wave
from ..calls.applying import apply

SIZED = ("0-d", "empty", "one row", "batch", "broadcast", "transposed")
NUMBERS = ("signs", "large", "small", "infinite", "ties")
NAN, LONG = "nan", "long"
LEAST = 5000  # elements of a long Tensor: more than loops and kernels take at once
DTYPES = ("float16", "float32", "float64", "bfloat16", "int32", "int64", "uint8", "bool_")
WORDS = ("", *NUMBERS, *SIZED, *DTYPES, NAN, LONG)
GRAPH = "sample.in_graph()"
# What MindSpore says where it lacks a kernel.
_NO_KERNEL = re.compile(
    r"unregistered|[Uu]nsupported op(?!erand)|not support(?!ed between)|only supported on|kernelmod"
    r"|Not implement|Not found op|Unsupported device|Select CPU operator|cannot find fn match"
)


class NoKernel(Exception):
    """The target lacks a kernel for this input on this device."""


class Again:
    """Repeats the call of one case.

    The call is that of `thing`, or of the method `name` of `owner`.
    """

    def __init__(self, ms, thing, given, owner=None, last=""):
        self.ms, self.thing, self.given = ms, thing, given
        self.owner, self.last = owner, last

    def __call__(self, word=""):
        """Returns the result of the call with its Tensors changed according to a keyword."""
        texts = {**({} if self.owner is None else {"self": self.owner}), **self.given}
        given = self._changed(texts, word) if word else texts
        try:
            owner = given.pop("self") if self.owner is not None else None
            return apply(self.thing if owner is None else getattr(owner, self.last), given)
        except Exception as error:
            if _NO_KERNEL.search(str(error)):
                raise NoKernel(str(error)) from None
            raise

    def in_graph(self):
        """Returns the result of the call in graph mode."""
        ms = self.ms
        called = self.thing if self.owner is None else getattr(self.owner, self.last)
        inputs, options = _bound(called, self.given)
        if self.owner is not None:
            inputs.insert(0, self.owner)
        net = self.thing
        if self.owner is not None:
            net = _method_net(ms, self.last)
        elif not hasattr(net, "get_parameters"):
            net = _function_net(ms, net)
        mode = ms.get_context("mode")
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            return net(*inputs, **options)
        finally:
            ms.set_context(mode=mode)

    def _changed(self, given, word):
        """Returns the arguments with changed Tensors. Only Tensors of the same kind as the first
        one are changed."""
        tensors = [value for value in _flat(given.values()) if _is_array(value)]
        sparse = [] if tensors else [v for v in given.values() if _is_sparse(v)]
        tensors += [value.values for value in sparse if word not in SIZED]
        if not tensors:
            raise NoKernel("no Tensor to change")
        kind, self._count = _kind(tensors[0]), 0

        def changed(value):
            if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
                return type(value)(map(changed, value))
            if any(value is part for part in sparse):
                return self._sparse(value, changed(value.values))
            if not _is_array(value) or _kind(value) != kind or _is_parameter(value):
                return value
            self._count += 1
            array = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
            if word in DTYPES:
                return self._cast(value, array, word)
            if word == NAN and kind in ("int", "uint", "bool"):
                array = _other(array.astype(np.float32), word, self._count)
                return array if isinstance(value, np.ndarray) else self.ms.Tensor(array)
            return self._like(value, _other(array, word, self._count))

        return {name: changed(value) for name, value in given.items()}

    def _cast(self, value, array, word):
        if str(value.dtype).lower() == word.rstrip("_"):
            raise NoKernel("it has that dtype")
        if isinstance(value, np.ndarray):
            return array.astype(word.rstrip("_"))
        return value.astype(getattr(self.ms, word))

    def _sparse(self, value, values):
        """Returns a sparse Tensor with other values."""
        if hasattr(value, "indptr"):
            return self.ms.CSRTensor(value.indptr, value.indices, values, value.shape)
        return self.ms.COOTensor(value.indices, values, value.shape)

    def _like(self, value, array):
        array = np.ascontiguousarray(array).reshape(array.shape)
        return array if isinstance(value, np.ndarray) else self.ms.Tensor(array, value.dtype)


def _bound(called, given):
    """Returns the arguments that are passed by position, in the order of the signature, and those
    that follow a parameter without a value, which are passed by keyword."""
    try:
        parameters = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        return list(given.values()), {}
    if not given.keys() <= {parameter.name for parameter in parameters}:
        return list(given.values()), {}
    inputs, rest = [], dict(given)
    for parameter in parameters:
        if parameter.name not in rest or parameter.kind == parameter.KEYWORD_ONLY:
            break
        inputs.append(rest.pop(parameter.name))
    return inputs, rest


def _function_net(ms, function):
    """Returns a layer that calls a function or a primitive."""

    class Net(ms.nn.Cell):
        """Calls it with its inputs."""

        def __init__(self):
            super().__init__()
            self.function = function

        def construct(self, *inputs, **options):
            """Calls it."""
            return self.function(*inputs, **options)

    return Net()


def _method_net(ms, name):
    """Returns a layer that calls a method of its first input."""

    class Net(ms.nn.Cell):
        """Calls the method with the other inputs as arguments."""

        def __init__(self):
            super().__init__()
            self.name = name

        def construct(self, owner, *inputs, **options):
            """Calls it."""
            return getattr(owner, self.name)(*inputs, **options)

    return Net()


def _other(array, word, number):
    """Returns an array with other numbers or another shape; raises NoKernel if the keyword does not
    apply to it."""
    if word in SIZED:
        return _sized(array, word, number)
    if word == LONG:
        return _long(array, number)
    if array.dtype.kind in "iu" and word == "signs" and array.size > 1:
        return array.reshape(-1)[::-1].reshape(array.shape)
    if array.dtype.kind != "f" or not array.size:
        raise NoKernel("no numbers to change")
    fresh = wave(array.shape, 1.3 * number).astype(np.float64)
    special = {"infinite": (np.nan, np.inf, -np.inf)[number % 3], NAN: np.nan}
    if word in special:
        fresh.reshape(-1)[:: max(2, array.size // 3)] = special[word]
    scaled = {
        "signs": lambda: 3.1 * (fresh - 0.6),
        "large": lambda: 90.0 * (fresh - 0.6),
        "small": lambda: 1e-4 * (fresh - 0.6),
        "infinite": lambda: fresh,
        NAN: lambda: fresh,
        "ties": lambda: np.round(2 * fresh),
    }
    return scaled[word]().astype(array.dtype)


def _long(array, number):
    """Returns an array of at least LEAST elements, with more rows: floats in which no two rows are
    equal, or repeated rows of other kinds."""
    if not array.ndim or not array.size:
        raise NoKernel("no rows to add")
    rows = -(-LEAST // array.size)
    repeated = np.concatenate([array] * rows)
    if array.dtype.kind != "f":
        return repeated
    shifts = wave(repeated.shape, 1.3 * number).astype(array.dtype)
    return (repeated + array.dtype.type(0.01) * shifts).astype(array.dtype)


def _sized(array, word, number):
    if word == "0-d" and array.ndim and array.size:
        return array.reshape(-1)[0:1].reshape(())
    if word == "empty" and array.ndim:
        return array[:0]
    if word == "one row" and array.ndim and array.shape[0] > 1:
        return array[:1]
    if word == "batch":
        return np.stack([array, array[::-1] if array.ndim else array + 1])
    if word == "broadcast" and array.ndim > 1 and array.shape[0] > 1:
        return array if number == 1 else array[:1]
    if word == "transposed" and array.ndim > 1:
        return np.swapaxes(array, -1, -2)
    raise NoKernel("no such shape")


def _flat(values):
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _flat(value)
        else:
            yield value


def _is_array(value):
    is_tensor = hasattr(value, "asnumpy") and hasattr(value, "dtype") and hasattr(value, "shape")
    return is_tensor or isinstance(value, np.ndarray)


def _is_sparse(value):
    return type(value).__name__ in ("COOTensor", "CSRTensor")


def _is_parameter(value):
    return "Parameter" in {kind.__name__ for kind in type(value).__mro__}


def _kind(value):
    """Returns the kind of the elements: floats, integers or another."""
    name = str(value.dtype).lower().rpartition(".")[2]
    with contextlib.suppress(StopIteration):
        return next(kind for kind in ("float", "uint", "int", "bool", "complex") if kind in name)
    return name
