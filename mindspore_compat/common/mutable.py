"""mutable: marks an input as a variable, so that `grad` differentiates with respect to its Tensors.

In a function marked by `jit` a variable also stands for a value that is unknown while a graph is
built: results computed from it are variables too, and a sequence of dynamic length rejects elements
of a different type. `is_sequence_value_unknown` and similar functions return what is known.

`constexpr` marks a function of constants. Everything runs eagerly here, so a marked function runs
like any other.
"""

import functools

from .._core.declare.public_api import public
from .._core.declare.values import ODD_NUMBERS
from .._core.gradients.transforms import Mutable
from .._core.rules.vocabulary import Bool, InstanceOf, checked
from .._core.tensor.tensor import Tensor
from .._core.without_effect import without_effect
from .jit import building

__all__ = ["constexpr", "mutable"]


def _computing(kind, names):
    """Class decorator: makes operators of `kind` return variables within `jit`, unless the class
    defines them."""

    def wrapped(name):
        operator = getattr(kind, name)

        @functools.wraps(operator)
        def compute(self, *others):
            return _variable(operator(self, *others))

        return compute

    def decorate(cls):
        for name in (f"__{operator}__" for operator in names.split()):
            if name not in vars(cls):
                setattr(cls, name, wrapped(name))
        return cls

    return decorate


def _variable(value):
    """Returns a number as a variable within `jit`."""
    if building.depth and type(value) in (int, float):
        return _MADE[type(value)](value)
    return value


_REAL = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow neg pos abs"
)


@_computing(int, f"{_REAL} and rand or ror xor rxor lshift rlshift rshift rrshift invert")
class MutableInt(int, Mutable):
    """An int marked as a variable."""

    def __rmul__(self, other):
        """Multiplies `other` by this int; within `jit` a sequence becomes one of dynamic length."""
        if building.depth and isinstance(other, (tuple, list)):
            result = _MADE[list if isinstance(other, list) else tuple](other * int(self))
            result.dynamic = True
            return result
        return _variable(int.__rmul__(self, other))


@_computing(float, _REAL)
class MutableFloat(float, Mutable):
    """A float marked as a variable."""


ODD_NUMBERS.update({MutableInt: int, MutableFloat: float})


class MutableDict(dict, Mutable):
    """A dict whose Tensors `grad` differentiates with respect to."""


class _Sequence(Mutable):
    """Base class of variable tuples and lists.

    Attributes:
        dynamic (bool): whether the length is unknown while a graph is built.
    """

    dynamic = False

    def _like(self, items, dynamic):
        result = type(self)(items)
        result.dynamic = dynamic
        return result

    def _join(self, items, other):
        if items is NotImplemented or not building.depth:
            return items
        return self._like(items, self.dynamic or is_dynamic(other))

    def _need_like(self, value, error, noun):
        """If the length is dynamic, rejects a value whose type differs from the items'."""
        if not self._is_like(value):
            raise error(
                f"For 'mutable', {noun} must be {self._item_kind()} like the items, but got "
                f"{_kind(value, shapes=True)}."
            )

    def _is_like(self, value):
        """Returns False if the length is dynamic and a value differs in type from the items."""
        known = not (building.depth and self.dynamic and len(self))
        return known or self._item_kind() == _kind(value, shapes=True)

    def _item_kind(self):
        return _kind(type(self).__base__.__getitem__(self, 0), shapes=True)

    def _need_items_like(self, other):
        """If a length is dynamic, rejects the concatenation of sequences with different item
        types."""
        mine = self if self.dynamic else self._like(self, is_dynamic(other))
        for item in other:
            mine._need_like(item, TypeError, "each item joined to a sequence of dynamic length")

    def _need_within(self, index, error):
        """Rejects an index out of range within `jit`, if the index or the length is a variable: a
        ValueError for a variable, otherwise `error`."""
        variable = isinstance(index, Mutable)
        if not building.depth or not isinstance(index, int) or not (variable or self.dynamic):
            return
        if not -len(self) <= index < len(self):
            raise (ValueError if variable else error)(
                f"For 'mutable', the index is out of range: [-{len(self)}, {len(self)}), "
                f"but got {index}."
            )

    def __getitem__(self, index):
        if not building.depth:
            return super().__getitem__(index)
        if isinstance(index, slice):
            parts = (index.start, index.stop, index.step)
            unknown = any(isinstance(part, Mutable) for part in parts)
            return self._like(super().__getitem__(index), self.dynamic or unknown)
        if not len(self) and isinstance(index, Mutable):
            raise ValueError(
                f"For '{type(self).__base__.__name__}', {index} is out of range: "
                f"cannot get item by index from an empty sequence."
            )
        if not len(self) and self.dynamic:
            raise RuntimeError("For 'mutable', an empty sequence of dynamic length has no items.")
        self._need_within(index, RuntimeError)
        return _variable(super().__getitem__(index))

    def __add__(self, other):
        if not isinstance(other, (tuple, list)):
            return NotImplemented  # a Tensor joins the left operand by its own rule
        self._need_items_like(other)
        return self._join(super().__add__(other), other)

    def __radd__(self, other):
        kind = type(self).__base__
        if not isinstance(other, kind):
            return NotImplemented
        self._need_items_like(other)
        return self._join(kind.__add__(other, self), other)

    def __contains__(self, value):
        return self._is_like(value) and super().__contains__(value)

    def __mul__(self, count):
        if not isinstance(count, int):
            return NotImplemented
        if isinstance(count, Mutable) and building.depth:
            return self._like(super().__mul__(count), True)
        return self._join(super().__mul__(count), None)

    __rmul__ = __mul__

    def index(self, *args):
        """Returns the index of the first occurrence of a value."""
        self._need_like(args[0], TypeError, "the value to find")
        return _variable(super().index(*args))

    def count(self, value):
        """Returns the number of occurrences of a value."""
        self._need_like(value, TypeError, "the value to count")
        return _variable(super().count(value))


class MutableTuple(_Sequence, tuple):
    """A tuple whose Tensors `grad` differentiates with respect to."""


class MutableList(_Sequence, list):
    """A list whose Tensors `grad` differentiates with respect to."""

    def __iadd__(self, other):
        if building.depth:
            return self + other
        return list.__iadd__(self, other)

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            for item in value:
                self._need_like(
                    item,
                    ValueError,
                    "The element type do not match, can not convert "
                    "to dynamic length sequence.: each element",
                )
        else:
            self._need_like(
                value,
                TypeError,
                "the element within dynamic length sequence, when the queue is dynamic length,",
            )
        self._need_within(index, ValueError)
        super().__setitem__(index, value)

    def insert(self, index, value):
        """Inserts an item before the index."""
        self._need_like(value, TypeError, "the item inserted into a list of dynamic length")
        super().insert(index, value)

    def append(self, value):
        """Appends an item."""
        self._need_like(value, TypeError, "the item appended to a list of dynamic length")
        super().append(value)

    def extend(self, values):
        """Appends several items."""
        if building.depth and self.dynamic:
            raise RuntimeError("For 'extend', the list must not be of dynamic length.")
        super().extend(values)


_MADE = {
    tuple: MutableTuple,
    list: MutableList,
    dict: MutableDict,
    int: MutableInt,
    float: MutableFloat,
}


@checked
def mutable(input_data, dynamic_len: Bool = False):
    """Marks `input_data` as a variable, so that `grad` differentiates with respect to it.

    Args:
        input_data (Union[Tensor, int, float, bool, tuple, list, dict]): a value, or nested values.
        dynamic_len (bool): whether the length of a tuple or list is dynamic. Default: False.

    Returns:
        `input_data`, marked: a Tensor or number, or a nested value of the same form.

    Raises:
        TypeError: if `input_data` is of the wrong type, or `dynamic_len` is not a bool.
        TypeError: if `dynamic_len` is True for something else than a tuple or list.
        ValueError: within `jit`, if the items of a sequence of dynamic length differ in type.
        RuntimeError: within `jit`, if a sequence of dynamic length is marked as one of constant
            length.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mutable((1, 2)))
        (1, 2)

    Source: mindspore.mutable of MindSpore 2.10.
    """
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(
            f"For 'mutable', 'dynamic_len' goes with a tuple or list: when the "
            f"variable_len is True, the first input should be one of them, but got "
            f"{type(input_data).__name__}."
        )
    _check(input_data)
    if isinstance(input_data, (Tensor, bool)):
        return input_data
    if building.depth:
        _check_dynamic(input_data, dynamic_len)
    variable = _MADE[next(kind for kind in _MADE if isinstance(input_data, kind))](input_data)
    if dynamic_len:
        variable.dynamic = True
    return variable


def _check(value):
    if isinstance(value, (tuple, list)):
        for item in value:
            _check(item)
    elif isinstance(value, dict):
        for item in value.values():
            _check(item)
    else:
        InstanceOf(Tensor, int, float).called(
            "a Tensor, number, tuple, list or dict of these"
        ).refuse("mutable", "input_data", value)


def _check_dynamic(value, dynamic_len):
    """Rejects invalid sequences of dynamic length while a graph is built."""
    if is_dynamic(value) and not dynamic_len:
        raise RuntimeError(
            "For 'mutable', can not convert a dynamic length sequence to constant length."
        )
    kinds = {_kind(item) for item in value} if dynamic_len else ()
    if len(kinds) > 1 and not all(isinstance(item, (tuple, list)) for item in value):
        raise ValueError(
            f"For 'mutable', the items of a sequence of dynamic length must have one "
            f"type, but got {sorted(kinds)}: The element type do not match."
        )


def _kind(value, shapes=False):
    """Returns the type of a value in a graph: a Tensor by its dtype, with `shapes` also by its
    shape, and a tuple by its items."""
    if isinstance(value, Tensor):
        return f"Tensor[{value.dtype}]{value.shape if shapes else ''}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(_kind(item, shapes) for item in value)})"
    return next(
        (kind.__name__ for kind in (int, float) if isinstance(value, kind)), type(value).__name__
    )


# Questions about variables ------------------------------------------------------------------------


def is_dynamic(value):
    """Returns whether a value is a sequence of dynamic length."""
    return isinstance(value, _Sequence) and value.dynamic


def is_variable(value):
    """Returns whether a value is a variable, or a sequence that contains one. Within `jit` every
    Tensor counts as one, because constants cannot be told from results of inputs."""
    if isinstance(value, Mutable) or building.depth and isinstance(value, Tensor):
        return True
    return isinstance(value, (tuple, list)) and any(map(is_variable, value))


def _need_sequence(api, value):
    InstanceOf(tuple, list).called("a tuple or list").refuse_part(api, "the argument", value)


@public("ops.is_sequence_shape_unknown")
def is_sequence_shape_unknown(x):
    """Returns whether the length of a sequence is dynamic.

    Args:
        x (Union[tuple, list]): the sequence.

    Returns:
        bool.

    Raises:
        TypeError: if `x` is not a tuple or list.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.ops.is_sequence_shape_unknown((1, 2))
        False

    Source: mindspore.ops.functional.is_sequence_shape_unknown of MindSpore 2.10.
    """
    _need_sequence("is_sequence_shape_unknown", x)
    return is_dynamic(x)


@public("ops.is_sequence_value_unknown")
def is_sequence_value_unknown(x):
    """Returns whether a sequence is a variable or contains one.

    Args:
        x (Union[tuple, list]): the sequence.

    Returns:
        bool.

    Raises:
        TypeError: if `x` is not a tuple or list.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.ops.is_sequence_value_unknown((1, 2))
        False

    Source: mindspore.ops.functional.is_sequence_value_unknown of MindSpore 2.10.
    """
    _need_sequence("is_sequence_value_unknown", x)
    return is_variable(x)


@public("ops.is_dynamic_sequence_element_unknown")
def is_dynamic_sequence_element_unknown(x):
    """Returns whether a sequence of dynamic length is empty, so that its item type is unknown.

    Args:
        x (Union[tuple, list]): the sequence.

    Returns:
        bool.

    Raises:
        TypeError: if `x` is not a sequence of dynamic length.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.ops.is_dynamic_sequence_element_unknown(ms.mutable([], dynamic_len=True))
        True

    Source: mindspore.ops.functional.is_dynamic_sequence_element_unknown of MindSpore 2.10.
    """
    if not is_dynamic(x):
        raise TypeError(
            f"For 'is_dynamic_sequence_element_unknown', the argument should be "
            f"variable length sequence, but got {x!r} of type {type(x).__name__}."
        )
    return not x


@public("ops.constexpr")
@without_effect("ops.constexpr(reuse_result, check)", "no graph is compiled")
def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Marks a function of constants, which graph mode runs at compile time.

    Args:
        fn (Function): the function; None to return a decorator.
        get_instance (bool): False to return a class whose instances behave like the function.
            Default: True.
        name (str): the name of that class; by default the function's.
        reuse_result (bool): whether to reuse the result for equal arguments.
        check (bool): whether the arguments must be constants.

    Returns:
        The function that runs at compile time, or a class of such; with options alone a decorator.

    Example:
        >>> import mindspore_compat as ms
        >>> @ms.constexpr
        ... def double(x):
        ...     return 2 * x
        >>> print(double(3))
        6

    Source: mindspore.ops.constexpr of MindSpore 2.10.
    """

    def decorate(function):
        if get_instance:
            return function
        cls = type(
            name or function.__name__,
            (),
            {
                "__call__": lambda self, *args, **kwargs: function(*args, **kwargs),
                "__doc__": function.__doc__,
            },
        )
        return cls

    return decorate if fn is None else decorate(fn)
