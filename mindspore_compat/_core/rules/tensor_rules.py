"""Rules for Tensors and dtypes: `TensorOf`, `DType`, and numbers that a Tensor may hold."""

from dataclasses import dataclass

import numpy as np

from ..tensor import dtype as _dtype
from .base import Rule, call, type_named, wrapped

# Names of dtypes, for TensorOf and DType. bool belongs to `any_dtype` only.
integer = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})
floating = frozenset({"float16", "float32", "float64", "bfloat16"})
real = integer | floating
number = real | {"complex64", "complex128"}
any_dtype = frozenset()

_set_names = {
    integer: "an integer dtype",
    floating: "a floating dtype",
    real: "a real dtype",
    number: "a number dtype",
}
_numpy_sets: dict[frozenset, str] = {}


def _names(dtypes: tuple) -> frozenset:
    groups = [{dtype} if isinstance(dtype, str) else dtype for dtype in dtypes]
    return frozenset().union(*groups)


def _dtype_words(names: frozenset) -> str:
    return _set_names.get(names) or "dtype " + " or ".join(sorted(names))


@dataclass(frozen=True, repr=False)
class TensorOf(Rule):
    """A Tensor of any dtype, or of the listed dtypes; `scalars` also accepts a Python number.

    A check of the dtype costs 20 ns; `TensorOf()` and `TensorOf(any_dtype)` do not check it.
    """

    dtypes: frozenset
    scalars: bool

    def __init__(self, *dtypes, scalars=False):
        object.__setattr__(self, "dtypes", _names(dtypes))
        object.__setattr__(self, "scalars", scalars)

    def but(self, *dtypes):
        """Returns the rule of these dtypes without some of them."""
        return TensorOf((self.dtypes or number | {"bool"}) - set(dtypes), scalars=self.scalars)

    def kind(self, name):
        text = f"isinstance({name}, Tensor)"
        if self.dtypes:
            text += f" and {name}._array.dtype in {self._set_name()}"
        if self.scalars:
            return f"({wrapped(text)} or isinstance({name}, (int, float, complex)))"
        return text

    def _set_name(self) -> str:
        return _numpy_sets.setdefault(self.dtypes, f"_dtypes_{len(_numpy_sets)}")

    def scope(self):
        scope = {"Tensor": type_named("Tensor")}
        if self.dtypes:
            scope[self._set_name()] = frozenset(map(_dtype.numpy_dtype, self.dtypes))
        return scope

    def noun(self):
        words = f"a Tensor of {_dtype_words(self.dtypes)}" if self.dtypes else "a Tensor"
        return words + " or a number" if self.scalars else words

    def samples(self):
        tensor_class = type_named("Tensor")
        every = sorted(number | {"bool"})
        tensors = [tensor_class(np.ones((2, 2), _dtype.numpy_dtype(dtype))) for dtype in every]
        return [*tensors, 1, 1.5, "text", None, [1.0]]

    def annotation(self):
        return "Tensor | complex" if self.scalars else "Tensor"

    def source(self):
        inside = [key for key, value in _set_keys.items() if value == self.dtypes and self.dtypes]
        inside = inside or [repr(dtype) for dtype in sorted(self.dtypes)]
        return f"TensorOf({', '.join(inside + ['scalars=True'] * self.scalars)})"


_set_keys = {"integer": integer, "floating": floating, "real": real, "number": number}


@dataclass(frozen=True, repr=False)
class ScalarOf(Rule):
    """A number that another rule accepts, or a 0-d Tensor that holds such a number.

    The function receives the number. A Tensor with axes raises `error`, which in MindSpore
    depends on the function.
    """

    rule: Rule
    error: type = ValueError
    _tensor_suffix = ", or a Tensor without axes that holds it"

    def read(self, value):
        return value.asnumpy().item() if _is_tensor(value) and not value.shape else value

    def kind(self, name):
        tensors = f" or isinstance({name}, Tensor)" if self.error is ValueError else ""
        return f"({self.rule.kind(name)}{tensors})"

    def value(self, name):
        return self.rule.guard(name)

    def guard(self, name):
        return self.rule.guard(name)

    def scope(self):
        return {**self.rule.scope(), "Tensor": type_named("Tensor")}

    def kind_noun(self):
        return self.rule.kind_noun()

    def noun(self):
        return self.rule.noun()

    def allowed(self):
        return f"{self.rule.allowed()}{self._tensor_suffix}"

    def further(self):
        return [("ValueError", "is a Tensor with axes")] if self.error is ValueError else []

    def samples(self):
        return [*self.rule.samples(), type_named("Tensor")(np.ones((2, 2), np.float32))]

    def annotation(self):
        return f"{self.rule.annotation()} | Tensor"

    def source(self):
        error_argument = ", TypeError" if self.error is TypeError else ""
        return f"{type(self).__name__}({self.rule.source()}{error_argument})"


@dataclass(frozen=True, repr=False)
class InTensor(ScalarOf):
    """A value that another rule accepts, or a Tensor that holds such a value: one element for a
    number, one axis for a tuple, two axes for a tuple of tuples. A tuple or list may also contain
    0-d Tensors.

    The function receives the number or the tuple.
    """

    error: type = TypeError
    _tensor_suffix = ", or a Tensor that holds it"

    def read(self, value):
        if _is_tensor(value) and value.ndim < 3:
            array = value.asnumpy()
            if not array.size and array.dtype.kind not in "iu":
                return value  # an empty Tensor of floats holds no ints
            scalars = [array.item()] if array.ndim < 2 and array.size == 1 else []
            rows = map(tuple, array.tolist()) if array.ndim == 2 else array.reshape(-1).tolist()
            for candidate in (*scalars, tuple(rows)):
                if self.rule.verdict(candidate) is None:
                    return candidate
        if type(value) in (tuple, list) and any(map(_is_tensor, value)):
            numbers = [n.item() if _is_tensor(n) and not n.ndim else n for n in value]
            if self.rule.verdict(type(value)(numbers)) is None:
                return type(value)(numbers)
        return value

    def further(self):
        return []

    def source(self):
        error_argument = ", ValueError" if self.error is ValueError else ""
        return f"InTensor({self.rule.source()}{error_argument})"


@dataclass(frozen=True, repr=False)
class _DType(Rule):
    """A MindSpore dtype object (`mindspore.float32`): any, or one of the listed dtypes."""

    dtypes: frozenset = frozenset()

    def __call__(self, *dtypes):
        return type(self)(_names(dtypes))

    def kind(self, name):
        text = f"isinstance({name}, _Type)"
        return f"{text} and str({name}).lower() in {self._low()!r}" if self.dtypes else text

    def _low(self) -> tuple:
        return tuple(sorted(self.dtypes))

    def scope(self):
        return {"_Type": _dtype.Type}

    def noun(self):
        return "a mindspore dtype" + (f", {' or '.join(self._low())}" if self.dtypes else "")

    def samples(self):
        every = [getattr(_dtype, name) for name in ("float16", "float32", "int32", "int64")]
        return [*every, _dtype.bool_, "float32", np.float32, 1, None]

    def annotation(self):
        return "Type"

    def source(self):
        return call("DType", *self._low()) if self.dtypes else "DType"


@dataclass(frozen=True, repr=False)
class _NamedDType(_DType):
    """A dtype object of MindSpore, NumPy or Python (`float`), or the name of one ("float32"). The
    function receives MindSpore's dtype."""

    def read(self, value):
        if not isinstance(value, (str, type, np.dtype)):
            return value
        try:
            return _dtype.from_numpy(np.dtype(value))
        except TypeError:
            return value

    def verdict(self, value):
        return super().verdict(self.read(value))

    def accepts(self, value):
        return self.verdict(value) is None

    def noun(self):
        return f"{super().noun()} or the name of one"

    def source(self):
        return call("NamedDType", *self._low()) if self.dtypes else "NamedDType"


def _is_tensor(value) -> bool:
    return isinstance(value, type_named("Tensor"))
