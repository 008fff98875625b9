"""PyTorch in the role of `mindspore`: a second implementation of the functions and layers for which
real MindSpore has no kernel on a CPU.

    python -m conformance record mint ops nn Tensor --missing --keep \\
        --target conformance.varied.pytorch --python PYTHON_WITH_TORCH

`mint` has the names, arguments and meaning of `torch`. Only functions that both have are answered.
Names of `ops` and `nn` are answered by `operators.py`, or by an equivalent layer of torch.
"""

import functools
import sys
import types

import numpy as np
import torch

from . import fused, operators  # noqa: F401  (fused lists more operators)

_DTYPES = (
    "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 complex64 complex128".split()
)
_NAMES = {**{d: getattr(torch, d) for d in _DTYPES}, "bool_": torch.bool}
_SHOWN = {
    dtype: {"uint8": "UInt8", "bool_": "Bool", "bfloat16": "BFloat16"}.get(name)
    or name.capitalize()
    for name, dtype in _NAMES.items()
}


class DType:
    """A dtype with MindSpore's name."""

    def __init__(self, dtype):
        self.torch = dtype

    def __str__(self):
        return _SHOWN[self.torch]

    def __eq__(self, other):
        return isinstance(other, DType) and self.torch == other.torch

    def __hash__(self):
        return hash(self.torch)


class Tensor:
    """Wraps a torch.Tensor and adds the methods that the conformance tool calls on a Tensor."""

    def __init__(self, data, dtype=None):
        if isinstance(data, (Tensor, torch.Tensor)):
            self.torch = inner(data)
        else:
            self.torch = torch.from_numpy(np.array(data, order="C"))
        if dtype is not None:
            self.torch = self.torch.to(dtype.torch)

    @property
    def dtype(self):
        return DType(self.torch.dtype)

    @property
    def shape(self):
        return tuple(self.torch.shape)

    def asnumpy(self):
        """Returns the values as an array."""
        values = self.torch.detach()
        return (values.float() if values.dtype is torch.bfloat16 else values).resolve_conj().numpy()

    def astype(self, dtype):
        """Returns the values in another dtype; gradients pass through."""
        return Tensor(self.torch.to(dtype.torch))

    def __getitem__(self, index):
        return wrapped(self.torch[inner(index)])

    def __mul__(self, other):
        return wrapped(self.torch * inner(other))

    def __add__(self, other):
        return wrapped(self.torch + inner(other))

    __radd__, __rmul__ = __add__, __mul__


_OWN = ("name", "requires_grad")  # attributes of a Parameter


def _methods():
    """Adds the methods of torch.Tensor under the same names."""
    for name in dir(torch.Tensor):
        if not name.startswith("_") and name not in _OWN and not hasattr(Tensor, name):
            yield name, property(lambda self, name=name: wrapped(getattr(self.torch, name)))


for _name, _method in _methods():
    setattr(Tensor, _name, _method)


def inner(value):
    """Returns the torch value of a value of this module."""
    if isinstance(value, (Tensor, DType, Layer)):
        return value.torch
    if isinstance(value, (tuple, list)):
        return type(value)(map(inner, value))
    return value


def wrapped(value):
    """Returns a value of torch as a value of this module."""
    if isinstance(value, torch.Tensor):
        return Tensor(value)
    if isinstance(value, torch.dtype):
        return DType(value)
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(wrapped, value))
    if isinstance(value, type) and issubclass(value, torch.nn.Module):
        return lambda *args, **kwargs: Layer(value(*map(inner, args), **_inner_of(kwargs)))
    return _calling(value) if callable(value) else value


def _inner_of(given):
    return {name: inner(value) for name, value in given.items()}


def _calling(function):
    def call(*args, **kwargs):
        return wrapped(function(*map(inner, args), **_inner_of(kwargs)))

    if isinstance(function, types.FunctionType):
        return functools.wraps(function)(call)  # with its signature, for calls by name
    call.__name__ = getattr(function, "__name__", "call")
    return call


class Layer:
    """Wraps a torch.nn.Module as a Cell. Its buffers are Parameters that are not trained."""

    def __init__(self, module, names=None):
        self.torch, self.names = module, names or {}

    def __call__(self, *args):
        return wrapped(self.torch(*map(inner, args)))

    def set_train(self, mode=True):
        """Sets training or evaluation mode."""
        self.torch.train(mode)

    def get_parameters(self):
        """Returns the weights, then the running statistics under MindSpore's names."""
        held = [*self.torch.named_parameters(), *self.torch.named_buffers()]
        return [Parameter(self.names.get(name, name), value) for name, value in held]


class Parameter(Tensor):
    """A weight of a layer."""

    def __init__(self, name, value):
        self.torch, self.name, self.requires_grad = value, name, value.requires_grad

    def set_data(self, data):
        """Replaces the values."""
        with torch.no_grad():
            self.torch.copy_(data.torch)


class _Facade(types.ModuleType):
    """A module with the same names as a torch module."""

    def __init__(self, name, *homes):
        super().__init__(name)
        self._homes = homes

    def __getattr__(self, name):
        for home in self._homes:
            if not name.startswith("_") and hasattr(home, name):
                return wrapped(getattr(home, name))
        raise AttributeError(name)


def grad(function, positions=0):
    """Returns the gradient function, as `mindspore.grad` does."""
    places = positions if isinstance(positions, tuple) else (positions,)

    def gradient(*tensors):
        held = [Tensor(t.torch.detach().requires_grad_(i in places)) for i, t in enumerate(tensors)]
        total = function(*held).torch
        gradients = torch.autograd.grad(total, [held[i].torch for i in places])
        return (
            tuple(map(Tensor, gradients)) if isinstance(positions, tuple) else Tensor(gradients[0])
        )

    return gradient


def set_seed(seed):
    """Seeds all generators."""
    torch.manual_seed(seed)


def _affine(layer):
    """Returns the layer with scale and shift enabled by default, as in MindSpore."""
    return lambda **given: layer(**{"affine": True, **given})


_LAYERS = {  # MindSpore's name → the layer of torch, and its Parameters' names
    "LayerNormExt": (torch.nn.LayerNorm, {}),
    "AvgPool1dExt": (torch.nn.AvgPool1d, {}),
    "AvgPool2dExt": (torch.nn.AvgPool2d, {}),
    "AvgPool3dExt": (torch.nn.AvgPool3d, {}),
    "InstanceNorm1d": (_affine(torch.nn.InstanceNorm1d), {"weight": "gamma", "bias": "beta"}),
    "InstanceNorm2d": (_affine(torch.nn.InstanceNorm2d), {"weight": "gamma", "bias": "beta"}),
    "InstanceNorm3d": (_affine(torch.nn.InstanceNorm3d), {"weight": "gamma", "bias": "beta"}),
}


class Primitive:
    """An operator object, whose inputs are passed by position."""

    def __init__(self, operator):
        self.operator = operator

    def __call__(self, *inputs):
        return wrapped(self.operator(*map(inner, inputs)))


class _Operators(types.ModuleType):
    """A module with the names that `operators.py` and the layers above define."""

    def __getattr__(self, name):
        path = f"{self.__name__}.{name}"
        if path in operators.FUNCTIONS:
            return wrapped(operators.FUNCTIONS[path])
        if path in operators.CLASSES:
            function = operators.CLASSES[path]
            return lambda **given: Primitive(functools.partial(function, **_inner_of(given)))
        if self.__name__ == "nn" and name in _LAYERS:
            module, names = _LAYERS[name]
            return lambda **given: Layer(module(**_inner_of(given)), names)
        raise AttributeError(name)


ops, nn, communication = map(_Operators, ("ops", "nn", "communication"))
communication.comm_func = _Operators("communication.comm_func")
mint = _Facade("mint", _Operators("mint"), torch)
mint.distributed = _Operators("mint.distributed")
mint.nn = _Facade("mint.nn", torch.nn)
mint.nn.functional = _Facade("mint.nn.functional", torch.nn.functional)
mint.linalg = _Facade("mint.linalg", torch.linalg)
mint.special = _Facade("mint.special", torch.special)
for _name, _dtype in _NAMES.items():
    setattr(sys.modules[__name__], _name, DType(_dtype))
Generator = functools.partial(wrapped(torch.Generator))
