"""PyTorch in place of `mindspore.mint`: a second implementation of the functions and layers that
real MindSpore has no kernel for on a CPU.

    python -m conformance record mint --missing --keep \\
        --target conformance.varied.pytorch --python PYTHON_WITH_TORCH

`mint` has the names, arguments and meaning of `torch`. Only what both have is answered.
"""

import functools
import sys
import types

import numpy as np
import torch

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
    """A dtype that goes by MindSpore's name."""

    def __init__(self, dtype):
        self.torch = dtype

    def __str__(self):
        return _SHOWN[self.torch]

    def __eq__(self, other):
        return isinstance(other, DType) and self.torch == other.torch

    def __hash__(self):
        return hash(self.torch)


class Tensor:
    """A torch.Tensor with what the conformance tool asks of a Tensor."""

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
        """The values as an array."""
        found = self.torch.detach()
        return (found.float() if found.dtype is torch.bfloat16 else found).resolve_conj().numpy()

    def astype(self, dtype):
        """The values under another dtype, with their gradient."""
        return Tensor(self.torch.to(dtype.torch))

    def __getitem__(self, index):
        return wrapped(self.torch[inner(index)])

    def __mul__(self, other):
        return wrapped(self.torch * inner(other))

    def __add__(self, other):
        return wrapped(self.torch + inner(other))

    __radd__, __rmul__ = __add__, __mul__


def _methods():
    """What a torch.Tensor has, under the same names."""
    for name in dir(torch.Tensor):
        if not name.startswith("_") and not hasattr(Tensor, name):
            yield name, property(lambda self, name=name: wrapped(getattr(self.torch, name)))


for _name, _method in _methods():
    setattr(Tensor, _name, _method)


def inner(value):
    """What torch takes for a value of this module."""
    if isinstance(value, (Tensor, DType, Layer)):
        return value.torch
    if isinstance(value, (tuple, list)):
        return type(value)(map(inner, value))
    return value


def wrapped(value):
    """What this module shows of a value of torch."""
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

    call.__name__ = getattr(function, "__name__", "call")
    return call


class Layer:
    """A torch.nn.Module as a Cell; its buffers are Parameters that are not trained."""

    def __init__(self, module):
        self.torch = module

    def __call__(self, *args):
        return wrapped(self.torch(*map(inner, args)))

    def set_train(self, mode=True):
        """Whether it trains."""
        self.torch.train(mode)

    def get_parameters(self):
        """Weights, then running statistics under MindSpore's names."""
        held = [*self.torch.named_parameters(), *self.torch.named_buffers()]
        return [Parameter(name, value) for name, value in held]


class Parameter(Tensor):
    """A weight of a layer."""

    def __init__(self, name, value):
        self.torch, self.name, self.requires_grad = value, name, value.requires_grad

    def set_data(self, data):
        """Give it other values."""
        with torch.no_grad():
            self.torch.copy_(data.torch)


class _Facade(types.ModuleType):
    """A module whose names are those of a torch module."""

    def __init__(self, name, *homes):
        super().__init__(name)
        self._homes = homes

    def __getattr__(self, name):
        for home in self._homes:
            if not name.startswith("_") and hasattr(home, name):
                return wrapped(getattr(home, name))
        raise AttributeError(name)


def grad(function, positions=0):
    """The gradient function, as `mindspore.grad`."""
    places = positions if isinstance(positions, tuple) else (positions,)

    def gradient(*tensors):
        held = [Tensor(t.torch.detach().requires_grad_(i in places)) for i, t in enumerate(tensors)]
        total = function(*held).torch
        found = torch.autograd.grad(total, [held[i].torch for i in places])
        return tuple(map(Tensor, found)) if isinstance(positions, tuple) else Tensor(found[0])

    return gradient


def set_seed(seed):
    """Seed all generators."""
    torch.manual_seed(seed)


mint = _Facade("mint", torch)
mint.nn = _Facade("mint.nn", torch.nn)
mint.nn.functional = _Facade("mint.nn.functional", torch.nn.functional)
mint.linalg = _Facade("mint.linalg", torch.linalg)
mint.special = _Facade("mint.special", torch.special)
for _name, _dtype in _NAMES.items():
    setattr(sys.modules[__name__], _name, DType(_dtype))
Generator = functools.partial(wrapped(torch.Generator))
