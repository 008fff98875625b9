"""Plants one fault in the target through its public API, and removes it again.

A fault is a plain dict made by `plan.py`: the public name, the place (`arguments` of the call or of
the constructor, its `result`, its `effect`), the kind, and the arguments concerned. It runs in the
worker, so it needs only NumPy.

    with planted(ms, {"name": "ops.std", "kind": "ignored", "of": ["ddof"], ...}) as count:
        ...  # here `ms.ops.std(x, ddof=1)` computes with ddof=0; count.reached is then 1
"""

import contextlib
import functools
import inspect
import types

import numpy as np

from ..arguments.values import Values, resolve

_MISSING = object()
_OTHER_DTYPE = {
    "float32": "float64",
    "float64": "float32",
    "float16": "float32",
    "bfloat16": "float32",
    "int64": "int32",
    "int32": "int64",
    "bool": "int32",
    "uint8": "int32",
    "int8": "int32",
    "int16": "int32",
    "complex64": "complex128",
    "complex128": "complex64",
}


def planting(fault):
    """Returns the question that plants a fault in a worker, or removes its fault if None."""
    return {"id": "plant", "kind": "plant", "name": "", "fault": fault}


class NotPlanted(Exception):
    """The target does not allow this fault: the object cannot be changed."""


class Plant:
    """A planted fault: how often it was `called`, and how often it changed anything (`reached`)."""

    def __init__(self, ms, fault):
        self.ms, self.fault, self.called = ms, fault, 0
        self.reached = self.depth = 0
        home, _, self.last = fault["name"].rpartition(".")
        self.owner = resolve(ms, home) if home else ms
        if isinstance(self.owner, type):
            thing = inspect.getattr_static(self.owner, self.last)
        else:
            thing = getattr(self.owner, self.last)
        if isinstance(thing, type):
            self.owner, self.last = thing, fault.get("through", "__init__")
            thing = inspect.getattr_static(self.owner, self.last)
        self.before = vars(self.owner).get(self.last, _MISSING)
        self.faulty = self._changed(thing)
        self.put()

    def put(self):
        """Plants the fault; plants it again if the target has replaced the object since."""
        if vars(self.owner).get(self.last) is not self.faulty:
            try:
                setattr(self.owner, self.last, self.faulty)
            except (AttributeError, TypeError) as error:
                raise NotPlanted(str(error)) from None

    def take_out(self):
        """Restores the original object."""
        if self.before is not _MISSING:
            setattr(self.owner, self.last, self.before)
        elif self.last in vars(self.owner):
            delattr(self.owner, self.last)

    def _changed(self, thing):
        if isinstance(thing, (staticmethod, classmethod)):
            return type(thing)(
                self._around(thing.__func__, 0 if type(thing) is staticmethod else 1)
            )
        if isinstance(thing, (property, functools.cached_property)):
            getter = thing.fget if isinstance(thing, property) else thing.func
            return property(self._around(getter, 1), getattr(thing, "fset", None))
        if hasattr(type(thing), "__get__") and not callable(thing):
            return property(lambda owner: self._around(thing.__get__(owner, type(owner)), 0))
        if not callable(thing):
            raise NotPlanted(f"{self.fault['name']} is no callable")
        if not isinstance(self.owner, type) and not isinstance(thing, types.FunctionType):
            return self._around(thing, 0)
        return self._around(thing, 1 if isinstance(self.owner, type) else 0)

    def _around(self, real, bound):
        """Returns `real` with the fault; its first `bound` arguments are the object or the
        class."""

        @functools.wraps(real, updated=())
        def faulty(*args, **kwargs):
            if self.depth:
                return real(*args, **kwargs)
            self.depth += 1
            try:
                return self._call(real, args, kwargs, bound)
            finally:
                self.depth -= 1

        return faulty

    def _call(self, real, args, kwargs, bound):
        fault = self.fault
        self.called += 1
        if fault["place"] == "effect":
            return self._without_effect(real, args, kwargs)
        if fault["place"] == "result":
            result = real(*args, **kwargs)
            changed = self._altered(result)
            return result if changed is _MISSING else changed
        own, rest = args[:bound], list(args[bound:])
        given = Given(real, fault["names"], bound, rest, dict(kwargs), fault.get("defaults", {}))
        self.reached += bool(getattr(self, "_" + fault["kind"])(given, *fault["of"]))
        return real(*own, *given.args, **given.kwargs)

    # Changes of arguments; each returns True if it changed anything.

    def _ignored(self, given, name):
        return given.drop(name)

    def _shifted(self, given, name):
        old = given.get(name)
        new = self._shift(old)
        return new is not _MISSING and given.put(name, new)

    def _swapped(self, given, first, second):
        left, right = given.get(first), given.get(second)
        if left is _MISSING or right is _MISSING or left is right:
            return False
        return given.put(first, right) and given.put(second, left)

    def _shift(self, value):
        """Returns another value of the same type."""
        if isinstance(value, bool):
            return not value
        if isinstance(value, (int, np.integer)):
            return value + 1
        if isinstance(value, (float, np.floating)):
            return value * 1.5 if value else 0.25
        if isinstance(value, (tuple, list)) and value and type(value) in (tuple, list):
            new = self._shift(value[-1])
            return _MISSING if new is _MISSING else type(value)([*value[:-1], new])
        return _MISSING

    # Changes of results; _MISSING if there is no change.

    def _altered(self, result):
        changed = self._alter(result)
        if changed is not _MISSING:
            self.reached += 1
        return changed

    def _alter(self, result):
        kind = self.fault["kind"]
        if kind == "reordered":
            return _reordered(result)
        if isinstance(result, (tuple, list)) and type(result) in (tuple, list):
            for index, part in enumerate(result):
                new = self._alter(part)
                if new is not _MISSING:
                    return type(result)([*result[:index], new, *result[index + 1 :]])
            return _MISSING
        if isinstance(result, dict) and type(result) is dict:
            for key, part in result.items():
                new = self._alter(part)
                if new is not _MISSING:
                    return {**result, key: new}
            return _MISSING
        if _is_tensor(result) or isinstance(result, np.ndarray):
            return getattr(self, f"_{kind}_array")(result)
        return self._scaled_plain(result) if kind == "scaled" else _MISSING

    def _scaled_plain(self, value):
        new = self._shift(value)
        if new is _MISSING and isinstance(value, str) and value:
            return value + "_"
        return new

    def _scaled_array(self, array):
        name = _dtype_name(array)
        if 0 in array.shape:
            return _MISSING
        if name.startswith("bool"):
            return self._like(array, lambda a: ~a)
        if name.startswith(("float", "bfloat", "complex")):
            return array * 1.05
        if name.startswith(("int", "uint")):
            return self._like(array, lambda a: a + np.ones((), a.dtype))
        return _MISSING

    def _transposed_array(self, array):
        if len(array.shape) > 1:
            change = lambda a: np.swapaxes(a, -1, -2)  # noqa: E731
        elif len(array.shape) == 1 and array.shape[0] > 1:
            change = lambda a: a[::-1]  # noqa: E731
        else:
            return _MISSING
        return self._like(array, change)

    def _cast_array(self, array):
        other = _OTHER_DTYPE.get(_dtype_name(array))
        if other is None:
            return _MISSING
        if isinstance(array, np.ndarray):
            return array.astype(other)
        return array.astype(getattr(self.ms, other))

    def _detached_array(self, array):
        if not _is_tensor(array) or not _dtype_name(array).startswith(("float", "bfloat")):
            return _MISSING
        return self.ms.ops.stop_gradient(array)

    def _like(self, array, change):
        """Returns an array of the same kind with other elements."""
        if isinstance(array, np.ndarray):
            return np.ascontiguousarray(change(array))
        values = np.ascontiguousarray(change(array.asnumpy()))
        return self.ms.Tensor(values, array.dtype)

    # Changes of effects.

    def _without_effect(self, real, args, kwargs):
        if self.fault["kind"] == "skipped":
            self.reached += 1
            return args[0] if self.last.endswith("_") and args else None
        held = [p for thing in (*args, *kwargs.values()) for p in _held_by(thing)]
        before = [(p, p.asnumpy().copy()) for p in held]
        result = real(*args, **kwargs)
        for parameter, values in before:
            if not np.array_equal(parameter.asnumpy(), values, equal_nan=values.dtype.kind in "fc"):
                self.reached += 1
                if hasattr(parameter, "set_data"):
                    parameter.set_data(self.ms.Tensor(values, parameter.dtype))
                else:
                    parameter.assign_value(self.ms.Tensor(values, parameter.dtype))
        return result


class Given:
    """The arguments of a call, by their documented names."""

    def __init__(self, real, names, bound, args, kwargs, defaults):
        self.names, self.args, self.kwargs = names, args, kwargs
        self.texts, self.defaults = defaults, {}
        with contextlib.suppress(TypeError, ValueError):
            self.defaults = {
                p.name: p.default
                for p in inspect.signature(real).parameters.values()
                if p.default is not p.empty
            }

    def get(self, name):
        """Returns the value of an argument, passed or by default."""
        if name in self.kwargs:
            return self.kwargs[name]
        index = self._index(name)
        return self.args[index] if index is not None else self.default(name)

    def default(self, name):
        """Returns the target's own default, or the documented one."""
        if name in self.defaults:
            return self.defaults[name]
        try:
            return Values().build(self.texts[name])
        except Exception:  # none, or no plain value
            return _MISSING

    def put(self, name, value):
        """Replaces a value; returns whether it differs."""
        index = self._index(name)
        old = self.get(name)
        if index is not None:
            self.args[index] = value
        else:
            self.kwargs[name] = value
        return not _same(old, value)

    def drop(self, name):
        """Replaces a value by the default; returns whether it differs."""
        index, default = self._index(name), self.default(name)
        if name not in self.kwargs and index is None or default is _MISSING:
            return False
        if name in self.kwargs:
            return not _same(self.kwargs.pop(name), default)
        old, self.args[index] = self.args[index], default
        return not _same(old, default)

    def _index(self, name):
        index = self.names.index(name) if name in self.names else len(self.args)
        return index if index < len(self.args) else None


@contextlib.contextmanager
def planted(ms, fault):
    """Context manager: plants a fault for the duration of a block."""
    plant = Plant(ms, fault)
    try:
        yield plant
    finally:
        plant.take_out()


def _same(left, right):
    if left is right:
        return True
    try:
        return type(left) is type(right) and bool(left == right)
    except Exception:  # noqa: BLE001  (comparison of whatever the target defines)
        return False


def _reordered(result):
    if type(result) in (tuple, list) and len(result) > 1:
        return result[::-1]
    if type(result) is dict and len(result) > 1:
        return dict(zip(result, reversed(result.values()), strict=True))
    return _MISSING


def _is_tensor(value):
    return hasattr(value, "asnumpy") and hasattr(value, "dtype") and hasattr(value, "shape")


def _dtype_name(array):
    return str(array.dtype).lower().rpartition(".")[2]


def _held_by(thing):
    """Returns the Parameters of a layer or optimizer, or a Tensor that can be written to."""
    if hasattr(thing, "get_parameters"):
        return list(thing.get_parameters())
    if isinstance(thing, (tuple, list)):
        return [p for item in thing for p in _held_by(item)]
    return [thing] if _is_tensor(thing) else []
