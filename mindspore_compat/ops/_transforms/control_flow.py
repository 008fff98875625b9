"""Loops as functions, and calls of Python functions.

In MindSpore these keep loops and Python calls inside a compiled graph. Here they run as plain loops
and calls, and gradients pass through them.
"""

import builtins
import functools

from ..._backend.arrays import to_space
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Callable, Int, ListOf, Str, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from ..primitive import Primitive

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
