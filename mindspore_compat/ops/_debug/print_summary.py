"""Printing, summaries, hooks and constants of graph mode."""

from ..._backend import arrays
from ..._backend.steps import current
from ..._backend.steps.refused import Reason
from ..._core.declare.public_api import public
from ..._core.gradients import custom
from ..._core.gradients.transforms import map_tensors
from ..._core.rules.vocabulary import (
    Any,
    Bool,
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
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import in_graph
from ...log import print_escaped
from ..primitive import Primitive

_Printed = (InstanceOf(Tensor, bool, int, float, str, tuple, list) | None).called(
    "Tensors, numbers, strings, tuples and lists"
)

# Printing and summaries ---------------------------------------------------------------------------


@public("ops.print_")
def print_(*input_x):
    """Prints each argument on its own line: a Tensor with shape, dtype and values.

    Args:
        *input_x (Union[Tensor, bool, int, float, str, tuple, list]): what is printed.

    Returns:
        None.

    Raises:
        TypeError: if an argument is not a Tensor, number, str, tuple or list.

    Example:
        >>> ms.ops.print_("loss:", ms.Tensor(0.5))
        loss:
        Tensor(shape=[], dtype=Float32, value= 0.5)

    Source: mindspore.ops.print_ of MindSpore 2.10.
    """
    for tensor in input_x:
        _Printed.refuse_part("print_", "'input_x'", tensor, verb="hold")
    for tensor in input_x:
        print_escaped(repr(tensor) if isinstance(tensor, Tensor) else tensor)


@public("ops.Print")
class Print(Primitive):
    """Prints its arguments as `ops.print_`, and returns the first Tensor, so that it can be part of
    a chain of ops.

    Example:
        >>> import mindspore_compat as ms
        >>> out = ms.ops.Print()("sum", ms.Tensor([1, 2]))
        sum
        Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """

    def __init__(self):
        super().__init__("Print")

    def __call__(self, *input_x):
        print_(*input_x)
        return next((tensor for tensor in input_x if isinstance(tensor, Tensor)), None)


summary_sinks = []  # functions (kind, tag, Tensor) that a SummaryRecord registers
_latest = {}  # "tag[:Kind]" -> the newest value passed to a summary op


def take_latest():
    """Returns the newest value of each summary op since the last call, as a dict by
    "tag[:Kind]"."""
    values = dict(_latest)
    _latest.clear()
    return values


class _Summary(Primitive):
    """Passes a tagged Tensor to the open summary records, and keeps a copy of the newest one."""

    kind = ""
    ranks = ()

    def __init__(self):
        super().__init__(type(self).__name__)

    def __call__(self, name, value):
        Str.refuse(self.name, "name", name)
        if not name:
            raise ValueError(f"For '{self.name}', 'name' must not be empty, but got {name!r}.")
        if not isinstance(value, Tensor):
            if in_graph():
                raise TypeError(f"For '{self.name}', 'value' must be a Tensor, but got {value!r}.")
            return  # as in MindSpore, which takes no record of it
        single = 0 in self.ranks and value.size == 1
        if value.ndim not in self.ranks and not single:
            raise ValueError(
                f"For '{self.name}', 'value' must have a rank in {self.ranks}, but "
                f"got {value.shape}."
            )
        current.note_effect(Reason.SUMMARY)
        if type(value._array) in arrays.SPACES:  # else a graph without values is being exported
            _latest[f"{name}[:{self.kind.title()}]"] = Tensor(value.asnumpy().copy(), value.dtype)
        for sink in summary_sinks:
            sink(self.kind, name, value)


@public("ops.ScalarSummary")
class ScalarSummary(_Summary):
    """Records a scalar in the open summary files: `ops.ScalarSummary()(tag, tensor)`.

    Inputs:
        - **name** (str): the tag.
        - **value** (Tensor): one number, of shape () or (1,).

    Raises:
        TypeError: if `name` is not a str, or, in graph mode, `value` is not a Tensor.
        ValueError: if `name` is empty, or `value` has several elements.

    Example:
        >>> ms.ops.ScalarSummary()("loss", ms.Tensor(0.5))
    """

    kind, ranks = "scalar", (0,)


@public("ops.TensorSummary")
class TensorSummary(_Summary):
    """Records a Tensor in the open summary files: `ops.TensorSummary()(tag, tensor)`.

    Inputs:
        - **name** (str): the tag.
        - **value** (Tensor): one to eight axes.

    Raises:
        TypeError: if `name` is not a str, or, in graph mode, `value` is not a Tensor.
        ValueError: if `name` is empty, or `value` has no axes or more than eight.

    Example:
        >>> ms.ops.TensorSummary()("weight", ms.Tensor([1.0, 2.0]))
    """

    kind, ranks = "tensor", tuple(range(1, 9))


@public("ops.ImageSummary")
class ImageSummary(_Summary):
    """Records images (N, C, H, W) in the open summary files: `ops.ImageSummary()(tag, tensor)`.

    Inputs:
        - **name** (str): the tag.
        - **value** (Tensor): shape (N, C, H, W).

    Raises:
        TypeError: if `name` is not a str, or, in graph mode, `value` is not a Tensor.
        ValueError: if `name` is empty, or `value` does not have four axes.

    Example:
        >>> ms.ops.ImageSummary()("input", ms.ops.ones((1, 3, 4, 4)))
    """

    kind, ranks = "image", (4,)


@public("ops.HistogramSummary")
class HistogramSummary(_Summary):
    """Records the histogram of a Tensor's values in the open summary files:
    `ops.HistogramSummary()(tag, tensor)`.

    Inputs:
        - **name** (str): the tag.
        - **value** (Tensor): one to eight axes.

    Raises:
        TypeError: if `name` is not a str, or, in graph mode, `value` is not a Tensor.
        ValueError: if `name` is empty, or `value` has no axes or more than eight.

    Example:
        >>> ms.ops.HistogramSummary()("gradient", ms.Tensor([1.0, 2.0]))
    """

    kind, ranks = "histogram", tuple(range(1, 9))


# User-defined hooks and gradients -----------------------------------------------------------------


@public("ops.HookBackward")
class HookBackward(Primitive):
    """Returns Tensors unchanged, and passes their gradients to `hook_fn(cell_id, gradients,
    gradients)` in the backward pass.

    Args:
        hook_fn (Callable): takes the cell's id and, twice, the tuple of gradients. Its result
            replaces the gradients; None keeps them.
        cell_id (str): an argument of the hook. Default: "".

    Example:
        >>> double = ms.ops.HookBackward(lambda grads: (grads[0] * 2,))
        >>> print(ms.grad(lambda x: double(x) * 3)(ms.Tensor(1.0)))
        6.0

    Source: mindspore.ops.HookBackward of MindSpore 2.10.
    """

    @checked
    def __init__(self, hook_fn: Callable, cell_id: Str = ""):
        super().__init__("HookBackward")
        self.hook_fn, self.cell_id = hook_fn, cell_id

    def __call__(self, *inputs):
        for value in inputs:
            InstanceOf(Tensor).refuse("HookBackward", "input", value)

        def pull(inputs, out, sens):
            sens = sens if isinstance(sens, tuple) else (sens,)
            new_gradient = self._call_hook(sens)
            return new_gradient if isinstance(new_gradient, tuple) else (new_gradient,)

        outputs = custom.custom_gradient(lambda *x: x if len(x) > 1 else x[0], pull, inputs)
        return outputs

    def _call_hook(self, sens):
        current.note_effect(Reason.GRADIENT_HOOK)
        count = self.hook_fn.__code__.co_argcount if hasattr(self.hook_fn, "__code__") else 1
        new_gradient = self.hook_fn(sens) if count == 1 else self.hook_fn(self.cell_id, sens, sens)
        return sens if new_gradient is None else new_gradient


@public("ops.InsertGradientOf")
class InsertGradientOf(Primitive):
    """Returns a Tensor unchanged, and passes its gradient through a function in the backward pass.

    Args:
        f (Callable): takes a gradient and returns the gradient to pass on.

    Inputs:
        - **x** (Tensor): any Tensor.

    Outputs:
        `x`.

    Example:
        >>> clip = ms.ops.InsertGradientOf(lambda dx: dx.clip(-1.0, 1.0))
        >>> print(ms.grad(lambda x: clip(x) * 3)(ms.Tensor(1.0)))
        1.0

    Source: mindspore.ops.InsertGradientOf of MindSpore 2.10.
    """

    @checked
    def __init__(self, f: Callable):
        super().__init__("InsertGradientOf")
        self.f = f

    def __call__(self, x):
        current.note_effect(Reason.GRADIENT_FUNCTION)
        return custom.custom_gradient(lambda y: y, lambda inputs, out, sens: (self.f(sens),), (x,))


# Constants ----------------------------------------------------------------------------------------


@public("ops.add_flags", "ops.composite.add_flags")
def add_flags(fn=None, **flags):
    """Marks a function for graph mode, as in MindSpore 1.x, and returns it (a decorator).

    Args:
        fn (Function): the function; without it, a decorator is returned.
        **flags (Any): the marks.

    Returns:
        `fn` itself, or the decorator.

    Example:
        >>> @ms.ops.add_flags(has_effect=True)
        ... def double(x):
        ...     return 2 * x
        >>> double(4)
        8
    """

    def mark(function):
        function.__dict__.setdefault("_mindspore_flags", {}).update(flags)
        return function

    return mark if fn is None else mark(fn)


@public("ops.mixed_precision_cast")
def mixed_precision_cast(dst_type, x):
    """Casts the floating Tensors in a nested structure to a dtype, and returns the structure.

    Args:
        dst_type (mindspore.dtype): the dtype.
        x (Union[Tensor, tuple, list, dict]): the structure.

    Returns:
        The same structure; other values are unchanged.

    Example:
        >>> print(ms.ops.mixed_precision_cast(ms.float16, ms.Tensor([1.0])).dtype)
        Float16
    """
    return map_tensors(lambda t: t.astype(dst_type) if t.dtype.is_floating_point else t, x)


@public("ops.Assert")
class Assert(Primitive):
    """Raises a RuntimeError and prints the given data if a condition is false.

    Args:
        summarize (int): the number of elements printed of each Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Assert()(True, [ms.Tensor([1])]))
        [1]

    Source: mindspore.ops.Assert of MindSpore 2.10.
    """

    @checked
    def __init__(self, summarize: Int = 3):
        super().__init__("Assert")
        self.summarize = summarize

    @checked
    def __call__(self, condition: Bool | TensorOf("bool"), input_data: TupleOf(Any) | ListOf(Any)):
        if bool(condition):
            return Tensor(1, dtypes.int32).reshape(1)
        for value in input_data:
            flat = value.asnumpy().reshape(-1) if isinstance(value, Tensor) else [value]
            print_escaped("input data:", flat[: self.summarize])
        raise RuntimeError("For 'Assert', the condition is false.")
