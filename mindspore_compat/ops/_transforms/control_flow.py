"""Loops as functions, calls of Python functions, and ops on small Python values.

In MindSpore these keep loops and Python calls inside a compiled graph. Here they run as plain loops
and calls, and gradients pass through them.
"""

import builtins
import functools
import math
import operator

from ..._backend.arrays import to_space
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Callable,
    InstanceOf,
    Int,
    ListOf,
    Str,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor import python_types
from ..._core.tensor.tensor import Tensor
from ...common.jit import building
from ...common.mutable import is_variable
from .._rules import Anything
from ..primitive import Primitive

_BoolOrIntOrFloat = InstanceOf(bool, int, float).called("a number")

Sequence = ListOf() | TupleOf()


class _Loop(Primitive):
    def __init__(self):
        super().__init__(type(self).__name__)


@public("ops.ForiLoop")
class ForiLoop(_Loop):
    """Runs a for loop as a function: returns the last value of `val = loop_func(i, val)` for i from
    `lower` to `upper` - 1.

    Raises:
        TypeError: if a bound is not an int or `loop_func` is not a function.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ForiLoop()(0, 3, lambda i, x: x + i, ms.Tensor(0)))
        3

    Source: mindspore.ops.ForiLoop of MindSpore 2.10.
    """

    def __call__(self, lower, upper, loop_func, init_val, unroll=True):
        _bounds(lower, upper, loop_func)
        for i in builtins.range(int(lower), int(upper)):
            init_val = loop_func(i, init_val)
        return init_val


@checked
def _bounds(
    lower: Int | TensorOf("int32", "int64"),
    upper: Int | TensorOf("int32", "int64"),
    loop_func: Callable,
):
    """Rejects bounds and functions of the wrong type."""


@public("ops.WhileLoop")
class WhileLoop(_Loop):
    """Runs a while loop as a function: repeats `val = loop_func(val)` while `cond_func(val)` is
    true, and returns `val`.

    Raises:
        TypeError: if an argument is not a function.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.WhileLoop()(lambda x: x < 10, lambda x: x * 2, ms.Tensor(1)))
        16

    Source: mindspore.ops.WhileLoop of MindSpore 2.10.
    """

    @checked
    def __call__(self, cond_func: Callable, loop_func: Callable, init_val=None):
        while cond_func(init_val):
            init_val = loop_func(init_val)
        return init_val


@public("ops.Scan")
class Scan(_Loop):
    """Scans a sequence: runs `result, out = loop_func(result, x)` for each x of `xs`, and returns
    (the last result, the list of outputs).

    Args of the call: loop_func, the first result `init`, the elements `xs` (or None), `length` (the
    number of steps, required if `xs` is None) and `unroll`.

    Raises:
        TypeError: if `loop_func` is not a function or `length` is not an int.
        ValueError: if `length` differs from the length of `xs`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Scan()(lambda carry, x: (carry + x, carry), ms.Tensor(0),
        ...                     [ms.Tensor(1), ms.Tensor(2)], None)[0])
        3

    Source: mindspore.ops.Scan of MindSpore 2.10.
    """

    @checked
    def __call__(self, loop_func: Callable, init, xs, length: Int = None, unroll=True):
        if xs is None and length is None:
            raise ValueError("For 'Scan', 'length' must be given where 'xs' is None.")
        steps = [None] * length if xs is None else list(xs)
        if length is not None and length != len(steps):
            raise ValueError(
                f"For 'Scan', 'length' must be that of 'xs', {len(steps)}, but got {length}."
            )
        outs = []
        for step in steps:
            init, out = loop_func(init, step)
            outs.append(out)
        return init, outs


@public("ops.Partial")
class Partial(_Loop):
    """Fixes the first arguments of a function: `ops.Partial()(func, *args)`.

    Raises:
        TypeError: if `func` is not a function.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Partial()(ms.ops.add, ms.Tensor([1]))(ms.Tensor([2])))
        [3]

    Source: mindspore.ops.Partial of MindSpore 2.10.
    """

    def __call__(self, func, *args, **kwargs):
        if not callable(func):
            raise TypeError(f"For 'Partial', 'func' must be a function, but got {func!r}.")
        return functools.partial(func, *args, **kwargs)


@public("ops.PyFunc")
class PyFunc(Primitive):
    """Runs a Python function of NumPy arrays as an op; it has no gradient.

    Args:
        fn (Callable): the function, which takes one array per input.
        in_types (list): the dtypes of the inputs.
        in_shapes (list): the shapes of the inputs.
        out_types (list): the dtypes of the outputs.
        out_shapes (list): the shapes of the outputs.
        stateful (bool): whether the same inputs may give other outputs.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if there are not as many shapes and outputs as dtypes.

    Example:
        >>> import mindspore_compat as ms
        >>> double = ms.ops.PyFunc(lambda x: 2 * x, [ms.float32], [(2,)], [ms.float32], [(2,)])
        >>> print(double((ms.Tensor([1.0, 2.0]),))[0])
        [2. 4.]

    Source: mindspore.ops.PyFunc of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        fn: Callable,
        in_types: Sequence,
        in_shapes: Sequence,
        out_types: Sequence,
        out_shapes: Sequence,
        stateful=True,
    ):
        super().__init__("PyFunc")
        for types, shapes, word in ((in_types, in_shapes, "in"), (out_types, out_shapes, "out")):
            if len(types) != len(shapes):
                raise ValueError(
                    f"For 'PyFunc', '{word}_types' and '{word}_shapes' must be as many, but got "
                    f"{len(types)} and {len(shapes)}."
                )
        self.fn, self.out_types = fn, out_types

    def __call__(self, *input_x):
        input_x = input_x[0] if len(input_x) == 1 and isinstance(input_x[0], tuple) else input_x
        outputs = self.fn(*(input_tensor.asnumpy() for input_tensor in input_x))
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        if len(outputs) != len(self.out_types):
            raise ValueError(
                f"For 'PyFunc', the function must give {len(self.out_types)} outputs, but gave "
                f"{len(outputs)}."
            )
        xp = space_for(input_x[0]._array) if input_x else None
        outs = []
        for output, out_type in zip(outputs, self.out_types, strict=True):
            tensor = Tensor(output, out_type)
            outs.append(tensor if xp is None else Tensor._wrap(to_space(xp, tensor._array)))
        return tuple(outs)


@public("ops.PyExecute")
class PyExecute(Primitive):
    """Evaluates a Python expression with the given names bound to values.

    Inputs:
        - **script** (str): the expression. It can do anything that Python can, so never run one
          of unknown origin.
        - **names** (tuple): the names, as str.
        - **values** (tuple): the value of each name.

    Raises:
        TypeError: if an input has the wrong type.
        RuntimeError: if names and values differ in number.
        NameError: if the expression uses an unknown name. Errors raised by the expression pass
            through.

    Source: mindspore.ops.PyExecute of MindSpore 2.10, in graph mode.

    Example:
        >>> from mindspore_compat import ops
        >>> ops.PyExecute()("x + y", ("x", "y"), (1, 2))
        3
    """

    def __init__(self):
        super().__init__("PyExecute")

    @checked
    def __call__(self, script: Str, names: TupleOf(Str), values: TupleOf()):
        if len(names) != len(values):
            raise RuntimeError(
                f"For 'PyExecute', 'names' and 'values' must be as many, but got {len(names)} and "
                f"{len(values)}."
            )
        return eval(script, dict(zip(names, values)))  # noqa: S307 - it is what this is for


# Numbers and sequences ----------------------------------------------------------------------------


def _of_scalars(path, function):
    name = path.removeprefix("ops.")

    def scalar(x, y):
        for label, value in (("x", x), ("y", y)):
            if not isinstance(value, (bool, int, float)):
                _BoolOrIntOrFloat.refuse(name, label, value)
        return function(x, y)

    scalar.__name__ = scalar.__qualname__ = name
    op_name = name.removeprefix("scalar_")
    scalar.__doc__ = f"""Python's own `{op_name}` of two numbers; a TypeError for anything else.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.{name}(6, 3))
        {function(6, 3)}
    """
    public(path)(scalar)


_of_scalars("ops.scalar_add", operator.add)
_of_scalars("ops.scalar_sub", operator.sub)
_of_scalars("ops.scalar_mul", operator.mul)
_of_scalars("ops.scalar_div", operator.truediv)
_of_scalars("ops.scalar_floordiv", operator.floordiv)
_of_scalars("ops.scalar_mod", operator.mod)
_of_scalars("ops.scalar_pow", operator.pow)
_of_scalars("ops.scalar_eq", operator.eq)
_of_scalars("ops.scalar_ne", operator.ne)
_of_scalars("ops.scalar_lt", operator.lt)
_of_scalars("ops.scalar_le", operator.le)
_of_scalars("ops.scalar_gt", operator.gt)
_of_scalars("ops.scalar_ge", operator.ge)
_of_scalars("ops.scalar_max", max)
_of_scalars("ops.scalar_min", min)


@public("ops.scalar_log")
def scalar_log(x):
    """Computes the natural logarithm of a number.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_log(1.0))
        0.0
    """
    return math.log(x)


@public("ops.scalar_uadd")
def scalar_uadd(x):
    """Computes +x.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_uadd(2))
        2
    """
    return +x


@public("ops.scalar_usub")
def scalar_usub(x):
    """Computes -x.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_usub(2))
        -2
    """
    return -x


@public("ops.shape_")
def shape_(x):
    """Returns the shape of a Tensor as a tuple.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.shape_(ms.Tensor([[1, 2]])))
        (1, 2)
    """
    return x.shape


@public("ops.numel")
@checked
def numel(input: Anything):
    """Returns the number of elements of a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.numel(ms.Tensor([[1, 2]])))
        2
    """
    return input.size


@public("ops.isconstant")
def isconstant(x):
    """Returns whether a value is known when a graph is built: False for a variable within `jit`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.isconstant(1))
        True
    """
    return not (building.depth and is_variable(x))


@public("ops.typeof")
def typeof(x):
    """Returns the MindSpore type of a Tensor or of a Python value.

    The type of a Tensor has the dtype of its elements, and the type of a list or tuple has the
    types of its items. A Python float is a Float32.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.typeof(ms.Tensor([1.0])), ms.ops.typeof((1, 2.5)))
        Tensor[Float32] Tuple[Int64,Float32]
    """
    if isinstance(x, list | tuple):
        group = dtypes.List if isinstance(x, list) else dtypes.Tuple
        return group(map(typeof, x))
    return dtypes.float32 if type(x) is float else python_types.get_py_obj_dtype(x)


@public("ops.make_tuple")
def make_tuple(*items):
    """Returns the arguments as a tuple.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_tuple(1, 2))
        (1, 2)
    """
    return items


@public("ops.make_list")
def make_list(*items):
    """Returns the arguments as a list.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_list(1, 2))
        [1, 2]
    """
    return list(items)


@public("ops.tuple_getitem", "ops.list_getitem", "ops.dict_getitem")
def item_of(x, index):
    """Returns x[index].

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.dict_getitem({"a": 1}, "a"))
        1
    """
    return x[index]


@public("ops.tuple_reversed")
def tuple_reversed(x):
    """Returns a tuple in reverse order.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.tuple_reversed((1, 2)))
        (2, 1)
    """
    return tuple(reversed(x))


@public("ops.list_len")
def list_len(x):
    """Returns the length of a list.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.list_len([1, 2]))
        2
    """
    return len(x)


@public("ops.make_slice")
def make_slice(start, stop, step=None):
    """Returns slice(start, stop, step).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_slice(0, 4, 2))
        slice(0, 4, 2)
    """
    return slice(start, stop, step)


@public("ops.bool_not")
def bool_not(x):
    """Computes not x.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_not(True))
        False
    """
    return not x


@public("ops.bool_and")
def bool_and(x, y):
    """Returns whether both are true.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_and(True, False))
        False
    """
    return bool(x) and bool(y)


@public("ops.bool_or")
def bool_or(x, y):
    """Returns whether at least one is true.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_or(True, False))
        True
    """
    return bool(x) or bool(y)


@public("ops.bool_eq", "ops.string_eq", "ops.tuple_equal", "ops.list_equal")
def is_equal(x, y):
    """Returns whether x == y.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bool_eq(True, True))
        True
    """
    return x == y


@public("ops.string_concat")
def string_concat(x, y):
    """Concatenates two strings.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.string_concat("a", "b"))
        ab
    """
    return x + y


@public("ops.is_")
def is_same(x, y):
    """Returns whether x is y.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_(None, None))
        True
    """
    return x is y


@public("ops.is_not")
def is_not_same(x, y):
    """Returns whether x is not y.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_not(None, 1))
        True
    """
    return x is not y


@public("ops.in_dict")
def in_dict(key, x):
    """Returns whether a dict has a key.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.in_dict("a", {"a": 1}))
        True
    """
    return key in x


@public("ops.not_in_dict")
def not_in_dict(key, x):
    """Returns whether a dict lacks a key.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.not_in_dict("a", {"a": 1}))
        False
    """
    return key not in x
