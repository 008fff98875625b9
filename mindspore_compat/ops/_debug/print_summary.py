"""Ops around the numbers: printing, summaries, hooks and constants of graph mode."""

from ..._core.autograd import custom
from ..._core.autograd.transforms import map_tensors
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Callable, Str, TensorOf, any_dtype, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ..primitive import Primitive

Anything = TensorOf(any_dtype)


# Printing and summaries ---------------------------------------------------------------------------


@public("ops.print_")
def print_(*input_x):
    """Prints each argument on a line of its own: a Tensor with shape, dtype and values.

    Raises:
        TypeError: if an argument is no Tensor, number, str, tuple or list.

    Source: mindspore.ops.print_ of MindSpore 2.10.
    """
    for one in input_x:
        if not isinstance(one, (Tensor, bool, int, float, str, tuple, list, type(None))):
            raise TypeError(f"For 'print_', 'input_x' must hold Tensors, numbers, strings, tuples "
                            f"and lists, but got "
                            f"{type(one).__name__}.")
    for one in input_x:
        print(repr(one) if isinstance(one, Tensor) else one)


@public("ops.Print")
class Print(Primitive):
    """The class form of `ops.print_`; it returns its first Tensor, so that a chain of ops may hold
    it."""

    def __init__(self):
        super().__init__("Print")

    def __call__(self, *input_x):
        print_(*input_x)
        return next((one for one in input_x if isinstance(one, Tensor)), None)


summary_sinks = []  # what a SummaryRecord registers: functions (kind, tag, Tensor)


class _Summary(Primitive):
    """Hands a tagged Tensor to the open summary records; without one nothing happens."""

    kind = ""
    ranks = None

    def __init__(self):
        super().__init__(type(self).__name__)

    def __call__(self, name, value):
        if not isinstance(name, str):
            raise TypeError(f"For '{self.name}', 'name' must be a str, but got {name!r} of type "
                            f"{type(name).__name__}.")
        if not isinstance(value, Tensor):
            raise TypeError(f"For '{self.name}', 'value' must be a Tensor, but got "
                            f"{type(value).__name__}.")
        single = self.ranks is not None and 0 in self.ranks and value.size == 1
        if self.ranks is not None and value.ndim not in self.ranks and not single:
            raise ValueError(f"For '{self.name}', 'value' must have a rank in {self.ranks}, but "
                             f"got {value.shape}.")
        for sink in summary_sinks:
            sink(self.kind, name, value)


@public("ops.ScalarSummary")
class ScalarSummary(_Summary):
    """Records a scalar: `ops.ScalarSummary()(tag, tensor)`."""

    kind, ranks = "scalar", (0,)


@public("ops.TensorSummary")
class TensorSummary(_Summary):
    """Records a Tensor: `ops.TensorSummary()(tag, tensor)`."""

    kind = "tensor"


@public("ops.ImageSummary")
class ImageSummary(_Summary):
    """Records images (N, C, H, W): `ops.ImageSummary()(tag, tensor)`."""

    kind, ranks = "image", (4,)


@public("ops.HistogramSummary")
class HistogramSummary(_Summary):
    """Records the distribution of a Tensor's values: `ops.HistogramSummary()(tag, tensor)`."""

    kind, ranks = "histogram", tuple(range(1, 9))


# Hooks and gradients of the user's own ------------------------------------------------------------


@public("ops.HookBackward")
class HookBackward(Primitive):
    """Passes Tensors through, and their gradients to `hook_fn(cell_id, gradients, gradients)` on
    the way back.

    Args:
        hook_fn (Callable): takes the cell's id, and twice the tuple of gradients; what it returns
            replaces them, None leaves them.
        cell_id (str): what the hook is told. Default: "".

    Source: mindspore.ops.HookBackward of MindSpore 2.10.
    """

    @checked
    def __init__(self, hook_fn: Callable, cell_id: Str = ""):
        super().__init__("HookBackward")
        self.hook_fn, self.cell_id = hook_fn, cell_id

    def __call__(self, *inputs):
        def pull(given, out, sens):
            sens = sens if isinstance(sens, tuple) else (sens,)
            changed = self._call_hook(sens)
            return changed if isinstance(changed, tuple) else (changed,)

        passed = custom.custom_gradient(lambda *x: x if len(x) > 1 else x[0], pull, inputs)
        return passed

    def _call_hook(self, sens):
        count = self.hook_fn.__code__.co_argcount if hasattr(self.hook_fn, "__code__") else 1
        changed = self.hook_fn(sens) if count == 1 else self.hook_fn(self.cell_id, sens, sens)
        return sens if changed is None else changed


@public("ops.InsertGradientOf")
class InsertGradientOf(Primitive):
    """Passes a Tensor through, and its gradient through a function on the way back.

    Source: mindspore.ops.InsertGradientOf of MindSpore 2.10.
    """

    @checked
    def __init__(self, f: Callable):
        super().__init__("InsertGradientOf")
        self.f = f

    def __call__(self, x):
        return custom.custom_gradient(lambda y: y, lambda given, out, sens: (self.f(sens),), (x,))


# Constants ----------------------------------------------------------------------------------------


@public("ops.scalar_to_tensor")
def scalar_to_tensor(input_x, dtype=dtypes.float32):
    """A number as a Tensor; float32 by default (bools and ints too).

    Raises:
        TypeError: if `input_x` is no number.

    Source: mindspore.ops.scalar_to_tensor of MindSpore 2.10.
    """
    if dtype is None:
        raise TypeError("For 'scalar_to_tensor', 'dtype' must be a dtype, but got None.")
    if not isinstance(input_x, (bool, int, float)):
        raise TypeError(f"For 'scalar_to_tensor', 'input_x' must be a number, but got "
                        f"{type(input_x).__name__}.")
    return Tensor(input_x, dtype)


@public("ops.ScalarToTensor")
class ScalarToTensor(Primitive):
    """The class form of `ops.scalar_to_tensor`."""

    def __init__(self):
        super().__init__("ScalarToTensor")

    def __call__(self, input_x, dtype=dtypes.float32):
        return scalar_to_tensor(input_x, dtype)


@public("ops.scalar_to_array")
def scalar_to_array(input_x):
    """A number as a Tensor of its own dtype, as MindSpore 1.x had it."""
    return Tensor(input_x)


@public("ops.tuple_to_array")
def tuple_to_array(input_x):
    """A tuple of numbers of one type as a Tensor: int32 for ints, float32 for floats.

    A list, text or Tensor gives None, as the original has it.

    Raises:
        TypeError: if `input_x` is none of these, or mixes types.

    Source: mindspore.ops.tuple_to_array of MindSpore 2.10.
    """
    if isinstance(input_x, (list, str, Tensor)):
        return None
    if not isinstance(input_x, tuple):
        raise TypeError(f"For 'tuple_to_array', 'input_x' must be a tuple, but got "
                        f"{type(input_x).__name__}.")
    if len({type(one) for one in input_x}) > 1:
        raise TypeError(f"For 'tuple_to_array', the elements of 'input_x' must have one type, but "
                        f"got {input_x}.")
    whole = bool(input_x) and isinstance(input_x[0], int)
    return Tensor(input_x, dtypes.int32 if whole else dtypes.float32)


@public("ops.TupleToArray")
class TupleToArray(Primitive):
    """The class form of `ops.tuple_to_array`, for tuples only.

    Raises:
        TypeError: if the input is no tuple, or mixes types.
    """

    def __init__(self):
        super().__init__("TupleToArray")

    def __call__(self, input_x):
        if not isinstance(input_x, tuple):
            raise TypeError(f"For 'TupleToArray', 'input_x' must be a tuple, but got "
                            f"{type(input_x).__name__}.")
        return tuple_to_array(input_x)


@public("ops.scalar_cast")
def scalar_cast(input_x, input_y):
    """A number as int, float or bool, as a MindSpore dtype says.

    Raises:
        TypeError: if `input_x` is no number.
        ValueError: if `input_y` is no int, float or bool dtype.

    Source: mindspore.ops.scalar_cast of MindSpore 2.10.
    """
    if not isinstance(input_x, (bool, int, float)):
        raise TypeError(f"For 'scalar_cast', 'input_x' must be a number, but got "
                        f"{type(input_x).__name__}.")
    made = {"Int": int, "Float": float, "Bool": bool}.get(str(input_y).rstrip("0123456789"))
    if made is None:
        raise ValueError(f"For 'scalar_cast', 'input_y' must be an int, float or bool dtype, but "
                         f"got {input_y!r}.")
    return made(input_x)


@public("ops.ScalarCast")
class ScalarCast(Primitive):
    """The class form of `ops.scalar_cast`."""

    def __init__(self):
        super().__init__("ScalarCast")

    def __call__(self, input_x, input_y):
        return scalar_cast(input_x, input_y)


@public("ops.make_range")
def make_range(*args):
    """The ints of `range(*args)`, as a tuple."""
    return tuple(range(*args))


@public("ops.tuple_len")
def tuple_len(x):
    """The length of a tuple."""
    return len(x)


@public("ops.add_flags", "ops.composite.add_flags")
def add_flags(fn=None, **flags):
    """A decorator of MindSpore 1.x that marks a function for graph mode; the function is
    returned."""

    def mark(function):
        function.__dict__.setdefault("_mindspore_flags", {}).update(flags)
        return function

    return mark if fn is None else mark(fn)


@public("ops.mixed_precision_cast")
def mixed_precision_cast(dst_type, x):
    """The floats in a nest of Tensors, cast to a dtype."""
    return map_tensors(lambda t: t.astype(dst_type) if t.dtype.is_floating_point else t, x)


@public("ops.is_nonzero")
def is_nonzero(input):
    """True if the only element of a Tensor is not 0.

    Raises:
        TypeError: if `input` is not a Tensor.
        ValueError: if it has several elements.
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"For 'is_nonzero', 'input' must be a Tensor, but got "
                        f"{type(input).__name__}.")
    return bool(input)


@public("ops.is_tensor")
def is_tensor(obj):
    """True for a Tensor."""
    return isinstance(obj, Tensor)
