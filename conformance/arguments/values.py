"""Turns argument texts of the specs into objects of the target: `T('float32', [1, 2])`,
`ms.nn.Dense(3, 4)`, `fill(1.0, (2, 3))`.

It runs in the worker with the implementation under test, so it needs only NumPy. Without a package
(`ms=None`) Tensors become arrays, from which `cases.py` learns shapes and dtypes.
"""

import contextlib
import importlib
import re
import socket
import types
from pathlib import Path

import numpy as np

# Paths that no machine has. Pages use the first kind as placeholders.
_ABSENT = re.compile(r"(?<=['\"])/(?=path/to/|does/not/)")


class Values:
    """Evaluates argument texts for one implementation."""

    def __init__(self, ms=None):
        self.ms, self.made, self.watched = ms, None, None
        self.names = {
            "T": self.tensor,
            "array": array,
            "fill": fill,
            "uniform": uniform,
            "spread": spread,
            "integers": integers,
            "np": np,
            "ranked": self._on_array(ranked),
            "grown": self._on_array(grown),
            "cast": self.cast,
            "inf": np.inf,
            "nan": np.nan,
            "sample": types.SimpleNamespace(
                network=self.network,
                thing=object,
                gradients=self.gradients,
                free_port=free_port,
                picture=picture,
                refusal=refusal,
                stored=stored,
                files=None,  # of the worker, as the next
                world=None,
            ),
            "ms": _Package(ms) if ms else _Nothing(),
        }

    def build(self, text, **more):
        """Returns the object that a text describes. `more` adds names that the text may use.

        Paths that no machine has lead into the current folder, which is empty and deleted after
        the case: a target that writes there leaves nothing behind."""
        text = _ABSENT.sub(f"{Path.cwd().as_posix()}/", text)
        known = {"__builtins__": _BUILTINS, "__name__": __name__}  # functions are of a module
        return eval(text, {**known, **self.names, **more})  # noqa: S307  (texts come from spec files)

    @contextlib.contextmanager
    def watching(self):
        """Context manager: a list of the Tensors that texts make meanwhile, as (Tensor, its
        values)."""
        self.watched = []
        try:
            yield self.watched
        finally:
            self.watched = None

    def tensor(self, dtype, data):
        """Returns a Tensor with exactly this dtype."""
        if self.ms is None:
            with np.errstate(invalid="ignore"):
                return _real(np.array(data), dtype).astype(_NUMPY.get(dtype, dtype))
        tensor = self._tensor(dtype, data)
        if self.watched is not None:
            self.watched.append((tensor, np.array(tensor.asnumpy())))
        return tensor

    def _tensor(self, dtype, data):
        wanted = getattr(self.ms, {"bool": "bool_"}.get(dtype, dtype))
        if dtype == "bfloat16" or dtype not in _KNOWN:
            return self.ms.Tensor(np.array(data, np.float32)).astype(wanted)
        return self.ms.Tensor(_real(np.array(data), dtype).astype(dtype), wanted)

    def cast(self, value, dtype):
        """Returns the same values with another dtype."""
        values = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
        return self.tensor(dtype, values)

    def _on_array(self, change):
        def apply(value, *options):
            if isinstance(value, np.ndarray) or not hasattr(value, "asnumpy"):
                return change(np.asarray(value), *options)
            return self.ms.Tensor(
                np.array(change(value.asnumpy(), *options), order="C"), value.dtype
            )

        return apply

    def network(self):
        """Returns a small network: a convolution and a dense layer, always with the same
        weights."""
        if self.ms is None:
            return None
        nn = self.ms.nn
        cells = [
            nn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=True, weight_init=0.1, bias_init=0.0),
            nn.Flatten(),
            nn.Dense(8, 3, weight_init=0.1, bias_init=0.0),
        ]
        return nn.SequentialCell(cells)

    def gradients(self):
        """Returns one gradient for each parameter of the optimizer constructed last."""
        if self.ms is None:
            return None
        return tuple(
            self.ms.Tensor(np.full(p.shape, 0.01, np.float32)) for p in self.made.parameters
        )


_NUMPY = {
    "bfloat16": "float32",
    "half": "float16",
    "single": "float32",
    "double": "float64",
    "int4": "int8",
    "string": "U8",
}
_KNOWN = set(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
    "complex128".split()
)
_BUILTINS = {
    "__import__": __import__,  # NumPy and MindSpore import modules when functions are called
    "abs": abs,
    "all": all,
    "any": any,
    "sum": sum,
    "float": float,
    "int": int,
    "bool": bool,
    "str": str,
    "repr": repr,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "slice": slice,
    "bytes": bytes,
    "range": range,
    "complex": complex,
    "object": object,
    "len": len,
    "sorted": sorted,
    "getattr": getattr,
    "setattr": setattr,
    "isinstance": isinstance,
    "vars": vars,
    "map": map,
    "min": min,
    "type": type,
    "zip": zip,
}


def _real(values, dtype):
    return values.real if values.dtype.kind == "c" and not dtype.startswith("complex") else values


class _Package:
    """Attribute access that imports submodules on the way: `ms.dataset.vision.Resize`."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return _reach(self._module, name)


class _Nothing:
    """Takes the place of the tested package while it is not loaded. Each attribute of this object,
    and each result of calling it, is again such an object."""

    def __getattr__(self, name):
        return _Nothing()

    def __call__(self, *args, **kwargs):
        return _Nothing()


def _reach(module, name):
    try:
        member = getattr(module, name)
    except AttributeError:
        if not isinstance(module, types.ModuleType):
            raise
        try:
            member = importlib.import_module(f"{module.__name__}.{name}")
        except ImportError:
            raise AttributeError(f"module '{module.__name__}' has no attribute '{name}'") from None
    return _Package(member) if isinstance(member, types.ModuleType) else member


def resolve(ms, path):
    """Returns the public object at a path ("nn.AdamOffload"); raises AttributeError if there is
    none."""
    target = _Package(ms)
    for part in path.split("."):
        target = getattr(target, part)
    return target._module if isinstance(target, _Package) else target


def picture():
    """Returns a small colour image of Pillow; None if Pillow is not installed."""
    from PIL import Image

    return Image.fromarray(array("uint8", spread((9, 8, 3), 0, 255, 5)))


def refusal(action):
    """Returns the name of the exception that an action raises; None if it raises none."""
    try:
        action()
    except Exception as error:  # noqa: BLE001  (the target may raise anything)
        return type(error).__name__
    return None


def stored(store):
    """Returns a store of keys that contains the key which the example of its page reads."""
    store.set("first_key", "first_value")
    return store


def free_port():
    """Returns an unused TCP port of this machine, a different one for each case."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def array(dtype, data):
    return np.array(data, dtype=_NUMPY.get(dtype, dtype))


def fill(value, shape):
    return np.full(shape, value)


def uniform(shape, low, high):
    seed = sum((i + 1) * n for i, n in enumerate(shape))
    return np.random.default_rng(seed).uniform(low, high, shape)


def spread(shape, low, high, phase):
    """Returns numbers between two bounds, in no order and without equal elements."""
    positions = np.arange(1, int(np.prod(shape)) + 1, dtype=np.float64)
    turns = np.modf(0.61803398875 * positions * positions + 0.2360679775 * phase)[0]
    return np.round(low + (high - low) * turns, 5).reshape(shape)


def integers(shape, low, high):
    seed = sum((i + 1) * n for i, n in enumerate(shape))
    return np.random.default_rng(seed).integers(low, high, shape, endpoint=True)


def ranked(value, rank):
    """Returns an array of the same kind with another number of axes."""
    while value.ndim > rank:
        value = value[0]
    while value.ndim < rank:
        value = value[None]
    return value


def grown(value, axis=-1, by=1):
    """Returns the array with a longer last axis, so that its shape no longer matches the others."""
    if not value.ndim:
        return np.repeat(value[None], 1 + by, 0)
    pad = np.repeat(np.take(value, [-1], axis), by, axis)
    return np.concatenate([value, pad], axis)
