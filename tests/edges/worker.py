"""Makes the calls of a file of cases in one way, and writes their outcomes: `python worker.py CASES
RESULTS WAY`.

A way is a word of `WAYS`. Needs only NumPy and the target, because real MindSpore is a way too. If
a call ends the process, the driver starts it again after that call.
"""

import contextlib
import json
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2])]

from tests.edges import variants  # noqa: E402

WAYS = ("pynative", "graph", "loops", "float64", "layouts", "reference")
_LAYOUTS = ("transposed", "strided", "reversed", "offset", "unaligned")

# The variants for which real MindSpore also computes gradients; it compiles each, which is slow.
_DIFFERENTIATED = (
    "as it is",
    "cycle 1",
    "nan in 0",
    "inf in 0",
    "all 0.0 in 0",
    "all large in 0",
    "empty",
    "0-d",
    "float16 large",
)


class Maker:
    """Makes calls of one implementation in one way."""

    def __init__(self, ms, way):
        from conformance.arguments.values import Values, resolve
        from conformance.arguments.waves import wave
        from conformance.calls.applying import apply

        self.ms, self.way, self.apply, self.wave = ms, way, apply, wave
        self.values, self.resolve = Values(ms), resolve

    def results(self, case):
        """Yields (label, outcome) of every variant of a case."""
        try:
            given = self._built(case)
            arrays = [self._array(t) for t in _tensors(given)]
        except Exception as error:  # noqa: BLE001 - a reference may refuse anything
            yield "as it is", _refusal(error)
            return
        for label, changed in variants.of(arrays):
            if self.way == "layouts":
                for layout in _LAYOUTS if label in ("as it is", "cycle 1") else ():
                    yield f"{label}, {layout}", self._outcome(case, label, changed, layout)
            elif self.way == "float64":
                if all(a.dtype.kind != "f" or a.dtype == np.float32 for a in changed):
                    yield label, self._outcome(case, label, changed)
            else:
                yield label, self._outcome(case, label, changed)

    def _array(self, tensor):
        values = np.array(tensor.asnumpy())
        return values.astype(np.float32) if values.dtype.name == "bfloat16" else values

    def _built(self, case):
        given = {name: self.values.build(text) for name, text in case["call"].items()}
        if case["owner"]:
            given = {"self": self.values.build(case["owner"]), **given}
        return given

    def _outcome(self, case, label, arrays, layout=None):
        self._seed()

        def made():
            pairs = zip(_tensors(given), arrays, strict=True)
            return [self._like(tensor, array, layout) for tensor, array in pairs]

        try:
            thing, given = self._thing(case), self._built(case)
            tensors = made()
        except Exception as error:  # noqa: BLE001
            return _refusal(error)
        found = {"result": self._attempt(lambda: self._forward(case, thing, given, tensors))}
        wanted = self.way != "reference" or label in _DIFFERENTIATED
        if wanted and isinstance(found["result"], list):
            found["gradient"] = self._attempt(lambda: self._gradient(case, given, made()))
        return found

    def _attempt(self, function):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _numbers(function())
        except Exception as error:  # noqa: BLE001
            return _refusal(error)

    def _thing(self, case):
        if case["owner"]:
            return None
        thing = self.resolve(self.ms, case["name"])
        if case["init"] is None:
            return thing
        thing = self.apply(thing, {k: self.values.build(t) for k, t in case["init"].items()})
        for parameter in self._parameters(thing):
            if getattr(parameter, "has_init", False) and hasattr(parameter, "init_data"):
                parameter.init_data()
            values = parameter.asnumpy()
            if values.dtype.kind == "f":
                shift = 0.0 if "var" in parameter.name else 0.5
                fixed = self.wave(values.shape, float(len(parameter.name))) - np.float32(shift)
                if self.way == "float64":
                    parameter.set_dtype(self.ms.float64)
                parameter.set_data(
                    self.ms.Tensor(fixed.astype(parameter.asnumpy().dtype), parameter.dtype)
                )
        return thing

    def _parameters(self, thing):
        """Returns the parameters of a layer that get new numbers. Fixed weights are excluded, such
        as the window of MSSSIM: the layer's formula needs their values."""
        parameters = thing.get_parameters() if hasattr(thing, "get_parameters") else ()
        return [p for p in parameters if p.requires_grad or "moving_" in p.name]

    def _like(self, tensor, array, layout):
        """Returns a Tensor with these numbers; a Parameter if a Parameter is replaced."""
        if self.way == "float64" and array.dtype == np.float32:
            array = array.astype(np.float64)
        made = self._laid_out(array, layout)
        if isinstance(tensor, self.ms.Parameter):
            made = self.ms.Parameter(made, name=tensor.name or "held")
        return made

    def _laid_out(self, array, layout):
        tensor = self.ms.Tensor
        if layout is None or not array.ndim or not array.size:
            return tensor(array)
        if layout == "unaligned":
            memory = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
            memory = memory.reshape(array.shape)
            memory[...] = array
            return tensor.from_numpy(memory)
        if layout == "transposed":
            return tensor(np.ascontiguousarray(array.T)).T
        if layout == "strided":
            return tensor(np.repeat(array, 2, -1))[..., ::2]
        if layout == "reversed":
            return self.ms.ops.flip(tensor(np.flip(array, 0).copy()), (0,))
        return tensor(np.concatenate([array[:1], array, array[:1]]))[1:-1]

    def _forward(self, case, thing, given, tensors):
        function, arguments = self._function(case, thing, given)
        if self.way != "graph":
            return function(*tensors)
        return self._replayed(self.ms.jit(function), tensors)

    def _replayed(self, function, tensors):
        """Returns the result of a replay, after two recorded calls. Each call has its own
        Tensors."""
        for _ in range(3):
            self._seed()
            found = function(*[self._copied(tensor) for tensor in tensors])
        return found

    def _copied(self, tensor):
        made = self.ms.Tensor(np.array(tensor.asnumpy()), tensor.dtype)
        if isinstance(tensor, self.ms.Parameter):
            made = self.ms.Parameter(made, name=tensor.name)
        return made

    def _seed(self):
        self.ms.set_seed(0)
        np.random.seed(0)

    def _function(self, case, thing, given):
        def function(*tensors):
            new = _replaced(given, iter(tensors))
            if case["owner"]:
                return self.apply(getattr(new.pop("self"), case["name"].rpartition(".")[2]), new)
            return self.apply(thing, new)

        return function, given

    def _gradient(self, case, given, tensors):
        thing = self._thing(case)
        function, _ = self._function(case, thing, given)
        moving = [i for i, t in enumerate(tensors) if _is_float(t)]
        weights = [p for p in self._parameters(thing) if p.requires_grad and _is_float(p)]
        if not moving and not weights:
            return []

        def scalar(*changed):
            new = list(tensors)
            for i, tensor in zip(moving, changed, strict=True):
                new[i] = tensor
            total = 0
            for part in _leaves(function(*new)):
                if _is_float(part):
                    weight = self.ms.Tensor(self.wave(part.shape)).astype(part.dtype)
                    total = total + (part * weight).sum()
            return total

        positions = tuple(range(len(moving))) or None
        taken = self.ms.grad(scalar, positions, weights or None)
        self._seed()
        if self.way == "graph":
            return self._replayed(self.ms.jit(taken), [tensors[i] for i in moving])
        return taken(*[tensors[i] for i in moving])


def _is_float(value):
    return hasattr(value, "asnumpy") and str(value.dtype).lower().startswith(("float", "bfloat"))


def _tensors(given):
    """Returns all Tensors among the arguments, in order."""
    return [v for v in _leaves(list(given.values())) if hasattr(v, "asnumpy")]


def _replaced(value, tensors):
    """Returns the arguments with their Tensors replaced."""
    if isinstance(value, dict):
        return {key: _replaced(part, tensors) for key, part in value.items()}
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_replaced(part, tensors) for part in value)
    return next(tensors) if hasattr(value, "asnumpy") else value


def _leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


def _numbers(result):
    """Returns the arrays and numbers of a result."""
    found = []
    for part in _leaves(result):
        if hasattr(part, "asnumpy") and hasattr(part, "shape"):
            values = np.array(part.asnumpy())
            if values.dtype.kind == "V" or values.dtype.name == "bfloat16":
                values = values.astype(np.float32)
            found.append(values)
        elif isinstance(part, (bool, int, float, complex, np.generic, np.ndarray)):
            found.append(np.array(part))
    return found


def _refusal(error):
    return f"{type(error).__name__}: {str(error)[:200]}"


def main(cases, results, way, first):
    """Makes the calls of a file, beginning with call number `first`."""
    first = int(first)
    if way == "reference":
        import mindspore as ms
    else:
        import mindspore_compat as ms

        if way == "loops":
            from mindspore_compat._backend.thresholds import Least

            for name in filter(str.isupper, vars(Least)):
                setattr(Least, name, 1)
    with contextlib.suppress(Exception):
        ms.set_context(pynative_synchronize=True)
    maker = Maker(ms, way)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with open(results, "ab") as out:
        for number, case in enumerate(json.loads(Path(cases).read_text())[first:], first):
            out.write(pickle.dumps((number, None, None)))
            out.flush()
            for label, outcome in maker.results(case):
                out.write(pickle.dumps((number, label, outcome)))
                out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
