"""Primitive: the class form of an op, and the base of primitives that users write.

Declared primitives (`ops.Softmax(axis=-1)`) are made by `_core.declare` with this base. A user's
subclass defines `__call__`; graph-mode methods such as `__infer__` are stored and never called.
"""

import copy
import functools
import inspect

from .._core.declare.public_api import build, public
from .._core.rules.base import registered
from .._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Int,
    ListOf,
    OneOf,
    Str,
    TupleOf,
    checked,
    register_type,
)
from .._core.sharding.network import run_with_strategy, running
from .._core.sharding.strategies import Declared, letters_of
from .._core.without_effect import without_effect
from ..common.mutable import constexpr
from . import _input_counts
from ._primitive_attributes import constants_of, further_attribute

_PACKAGE = __name__.partition(".")[0]
__all__ = [
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "constexpr",
    "prim_attr_register",
]

_primexpr = constexpr  # MindSpore's internal name, which some scripts import


@public("ops.Primitive")
class Primitive:
    """An operation with fixed attributes, called on Tensors; the base class of all primitives.

    Args:
        name (str): the operation's name.

    Example:
        >>> import mindspore_compat as ms
        >>> class Double(ms.ops.Primitive):
        ...     def __init__(self):
        ...         super().__init__("Double")
        ...     def __call__(self, x):
        ...         return x * 2
        >>> print(Double()(ms.Tensor([1.0])))
        [2.]

    Source: mindspore.ops.Primitive of MindSpore 2.10.
    """

    __primitive_flag__ = True
    _repr_ignore_list = ["input_names", "output_names"]
    _update_parameter = False
    instance_name = None
    name = functools.cached_property(lambda self: type(self).__name__)
    _error_for_count = staticmethod(_input_counts.error_for_count)
    _takes_numpy_scalars = property(
        lambda self: _input_counts.takes_numpy_scalars(type(self).__name__)
    )

    @checked
    def __init__(self, name: Str):
        self.name = name

    @functools.cached_property
    def init_attrs(self):
        """A dict of the constructor's arguments that the Primitive stores as attributes."""
        construct = type(self).__init__
        if not self._is_of_package():
            return {"name": self.name}
        names = list(inspect.signature(construct).parameters)[1:]
        return {name: vars(self)[name] for name in names if name in vars(self)}

    @functools.cached_property
    def attrs(self):
        """A dict of the attributes that the Primitive computes with: the constructor's arguments,
        and the attributes that `add_prim_attr` sets."""
        own = constants_of(type(self).__name__) if self._is_of_package() else {}
        return {**{name: value for name, value in self.init_attrs.items() if name != "name"}, **own}

    def _is_of_package(self):
        return type(self).__module__.partition(".")[0] == _PACKAGE

    def __getattr__(self, name):
        if name.startswith("__") or not self._is_of_package():
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return further_attribute(self, name)

    def _set_prim_arg(self, name, value):
        """Sets an attribute as the constructor does; returns the Primitive."""
        self.__dict__[name] = self.attrs[name] = value
        return self

    def _set_prim_arg_with_handler(self, name, value, arg_handler):
        """Sets an attribute to `arg_handler(name of the class, name, value)`, or to None."""
        if value is not None:
            value = arg_handler(type(self).__name__, name, value)
        return self._set_prim_arg(name, value)

    def _clone(self):
        """Returns a new Primitive with the same arguments and attributes."""
        clone = type(self)(**self.init_attrs)
        clone.__dict__.update(copy.deepcopy(vars(self)))
        return clone

    @checked
    def add_prim_attr(self, name: Str, value):
        """Sets an attribute, readable as `self.<name>` and in `attrs`, and returns the
        Primitive."""
        self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name):
        """Removes an attribute set by `add_prim_attr` and returns the Primitive."""
        self.attrs.pop(name, None)
        self.__dict__.pop(name, None)
        return self

    @checked
    def add_attr(self, name: Str, value):
        """Sets an attribute, readable as `self.<name>` and in `get_attr_dict`, but not in `attrs`.

        Raises:
            TypeError: if `name` is not a str.
        """
        self.__dict__[name] = value
        self.__dict__.setdefault("_further_attrs", {})[name] = value

    def del_attr(self, name):
        """Removes an attribute set by `add_attr`."""
        self.__dict__.get("_further_attrs", {}).pop(name, None)

    def get_attr_dict(self):
        """Returns the attributes that `add_prim_attr` and `add_attr` set.

        Returns:
            dict, a new one.
        """
        return {**self.attrs, **self.__dict__.get("_further_attrs", {})}

    @checked
    def set_prim_instance_name(self, instance_name: Str):
        """Names this instance and returns the Primitive."""
        self.instance_name = instance_name
        return self

    @checked
    def set_instance_name(self, name: Str):
        """Names this instance."""
        self.set_prim_instance_name(name)

    @without_effect("ops.Primitive.set_const_prim", "nothing is folded")
    @checked
    def set_const_prim(self, is_const: Bool):
        """Stores whether the result is known before the network runs."""
        self.__dict__["const_prim"] = is_const

    @without_effect("ops.Primitive.set_const_input_indexes", "every input may change")
    @checked
    def set_const_input_indexes(self, indexes: ListOf(Int)):
        """Stores which inputs are constants."""
        self.__dict__["const_input_indexes"] = indexes

    @without_effect("ops.Primitive.set_inplace_prim", "an operation writes where it says so")
    @checked
    def set_inplace_prim(self, is_inplace: Bool):
        """Stores whether the result may be written into an input."""
        self.__dict__["inplace_prim"] = is_inplace

    @without_effect("ops.Primitive.set_signatures", "a `__call__` receives inputs as they come")
    @checked
    def set_signatures(self, signatures: ListOf(Any) | TupleOf(Any)):
        """Stores the signatures of the inputs, as `sig.make_sig` returns them. In a subclass's
        `__call__` the inputs arrive as they were given."""
        self.__dict__["__mindspore_signature__"] = tuple(signatures)

    @without_effect("ops.Primitive.set_device", "an operation runs where its inputs lie")
    def set_device(self, device_target):
        """Stores the requested device. It has no effect: the op runs on the device of its inputs.

        Raises:
            RuntimeError: if `device_target` is not 'CPU', 'GPU' or 'Ascend'.
        """
        if device_target not in ("CPU", "GPU", "Ascend"):
            raise RuntimeError(
                f"For 'set_device', 'device_target' must be 'CPU', 'GPU' or "
                f"'Ascend', but got {device_target!r}."
            )
        return self.add_prim_attr("primitive_target", device_target)

    @without_effect("ops.Primitive.set_stage", "the stage of its Cell counts")
    def set_stage(self, stage):
        """Stores the pipeline stage."""
        return self.add_prim_attr("stage", stage)

    def shard(self, in_strategy=None, out_strategy=None):
        """Sets how to divide inputs and results over processes. It applies in graph mode with the
        parallel mode "semi_auto_parallel" or "auto_parallel", and in an `AutoParallel`. A Parameter
        among the inputs is divided for good.

        Args:
            in_strategy (tuple, optional): for each input a Layout, or a tuple with the number of
                parts of each axis. Axes that an operation combines need equal numbers.
            out_strategy (tuple, optional): the same for the results.

        Returns:
            Primitive, itself. A call in a divided network raises a RuntimeError if a number does
            not divide the length of its axis, or all numbers together the number of processes.

        Raises:
            TypeError: if a strategy is not a tuple of tuples or Layouts.
        """
        for name, strategy in (("in_strategy", in_strategy), ("out_strategy", out_strategy)):
            kinds = (tuple, registered("Layout") or tuple)
            whole = isinstance(strategy, tuple) and all(
                isinstance(layout, kinds) for layout in strategy
            )
            if strategy is not None and not whole:
                raise TypeError(
                    f"For 'shard', '{name}' must be a tuple of tuples or Layouts, but "
                    f"got {strategy!r}."
                )
        self.add_prim_attr("in_strategy", in_strategy)
        self.add_prim_attr("out_strategy", out_strategy)
        self.__class__ = _with_strategies(type(self))
        Declared.outdate()
        return self

    @without_effect("ops.Primitive.recompute", "'nn.Cell.recompute' and 'recompute' act")
    def recompute(self, mode=True):
        """Stores whether the op is to be recomputed in the backward pass.

        Raises:
            TypeError: if `mode` is not a bool.
        """
        Bool.refuse("recompute", "mode", mode)
        return self.add_prim_attr("recompute", mode)

    def init_prim_io_names(self, inputs, outputs):
        """Stores the names of the inputs and outputs."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def check_elim(self, *args):
        """Returns (whether the call may be skipped, the result if so): always (False, None)."""
        return False, None

    def set_user_data(self, key, value):
        """Stores a value of the caller's under a key; the op does not use it."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key):
        """Returns the value that `set_user_data` stored under a key, or None."""
        return self.__dict__.get("_user_data", {}).get(key)

    @property
    def update_parameter(self):
        """Returns whether the op writes to its Parameters; a subclass sets this as
        `_update_parameter`."""
        return self._update_parameter

    @without_effect("ops.Primitive.place", "each process runs its own")
    @checked
    def place(self, role: AsValue(OneOf("MS_WORKER")), rank_id: Int(ge=0)):
        """Stores the process that should run the op. It has no effect: each process runs its
        own."""
        self.add_prim_attr("role", role)
        self.add_prim_attr("rank_id", rank_id)

    def __repr__(self):
        listed = self.attrs.items()
        shown = ", ".join(f"{k}={v}" for k, v in listed if k not in self._repr_ignore_list)
        return f"Prim[{self.name}]" + (f"<{shown}>" if shown else "")


register_type("Primitive", Primitive)


class WithoutArguments(Primitive):
    """Base class of primitives whose constructor takes no arguments."""

    def __init__(self):
        super().__init__(type(self).__name__)


@functools.cache
def _with_strategies(kind):
    """Returns a subclass of a Primitive class whose calls follow their strategy while a network
    runs divided."""
    if "_follows_strategy" in vars(kind):
        return kind

    def call(self, *args, **kwargs):
        function = functools.partial(super(cls, self).__call__, **kwargs)
        strategies = self.attrs["in_strategy"], self.attrs["out_strategy"]
        if running.space is None or strategies == (None, None):
            return function(*args)
        return run_with_strategy(self, self.name, function, args, self._letters, *strategies)

    def letters(self, ranks):
        transposes = [getattr(self, f"transpose_{side}", False) for side in "ab"]
        return letters_of(self.name, ranks, transposes, getattr(self, "input_layout", None))

    body = {"__call__": call, "_letters": letters, "_follows_strategy": True}
    cls = type(kind.__name__, (kind,), {**body, "__module__": kind.__module__})
    cls.__qualname__ = kind.__qualname__
    cls.__doc__ = kind.__doc__
    return cls


@public("ops.PrimitiveWithCheck")
class PrimitiveWithCheck(Primitive):
    """A Primitive whose subclass may check its inputs in `check_shape` and `check_dtype`.

    Graph mode calls both methods while it compiles. In eager execution nothing calls them: an op
    checks its inputs itself.

    Args:
        name (str): the operation's name.

    Example:
        >>> import mindspore_compat as ms
        >>> class Doubled(ms.ops.PrimitiveWithCheck):
        ...     def __init__(self):
        ...         super().__init__("Doubled")
        ...     def check_dtype(self, x):
        ...         if x != ms.float32:
        ...             raise TypeError(f"For 'Doubled', 'x' must be float32, but got {x}.")
        >>> Doubled().check_dtype(ms.float32)
        >>> Doubled().name
        'Doubled'

    Source: mindspore.ops.PrimitiveWithCheck of MindSpore 2.10.
    """

    def check_shape(self, *args):
        """Accepts the shapes of the inputs (a tuple each, () for a number); a subclass may reject
        them."""
        return None

    def check_dtype(self, *args):
        """Accepts the dtypes of the inputs; a subclass may reject them."""
        return None


@public("ops.PrimitiveWithInfer")
class PrimitiveWithInfer(Primitive):
    """A Primitive whose subclass infers the shape and dtype of its result without running.

    Graph mode uses this while it compiles; in eager execution the result itself has a shape and a
    dtype.

    Args:
        name (str): the operation's name.

    Example:
        >>> import mindspore_compat as ms
        >>> class Doubled(ms.ops.PrimitiveWithInfer):
        ...     def __init__(self):
        ...         super().__init__("Doubled")
        ...     def infer_shape(self, x):
        ...         return x
        >>> Doubled().infer_shape((2, 3))
        (2, 3)

    Source: mindspore.ops.PrimitiveWithInfer of MindSpore 2.10.
    """

    def infer_shape(self, *args):
        """Returns the shape of the result, given the shapes of the inputs; None if unknown."""
        return None

    def infer_dtype(self, *args):
        """Returns the dtype of the result, given the dtypes of the inputs; None if unknown."""
        return None

    def infer_value(self, *args):
        """Returns the result, given constant inputs; None if it can only be found by running."""
        return None


@public("ops.prim_attr_register")
def prim_attr_register(fn):
    """Decorates the `__init__` of a user's Primitive, so that its arguments become attributes.

    Args:
        fn (Function): the `__init__` of a subclass of `Primitive`.

    Returns:
        Function that takes the place of `fn`.

    Example:
        >>> import mindspore_compat as ms
        >>> class Scale(ms.ops.Primitive):
        ...     @ms.ops.prim_attr_register
        ...     def __init__(self, factor=2):
        ...         pass
        >>> Scale(3).factor
        3

    Source: mindspore.ops.prim_attr_register of MindSpore 2.10.
    """
    signature = functools.cache(lambda: inspect.signature(fn))  # at the first call, as in MindSpore

    @functools.wraps(fn)
    def registered(self, *args, **kwargs):
        bound = signature().bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        if "name" not in vars(self):
            Primitive.__init__(self, type(self).__name__)
        self.__dict__.update(given, init_attrs=given, attrs=dict(given))
        return fn(self, *args, **kwargs)

    return registered


def __getattr__(name):
    """Returns the names that this path shares with `mindspore.ops`: `prim_arg_register`, ..."""
    result = (
        None if name.startswith("__") else build("ops", name, Primitive, "mindspore_compat.ops")
    )
    if result is None:
        raise AttributeError(f"module 'mindspore.ops.primitive' has no attribute '{name}'")
    return result
