"""Methods of Tensor that are not ops: copies, hooks, memory layout, and writes of its values."""

from collections import OrderedDict

from ..._backend import arrays
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.declare.writing import overwrite, own, plain
from ..._core.gradients import custom
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    InstanceOf,
    ListOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ..._core.without_effect import without_effect
from ...common._graph_mode.call import in_graph
from ...common.hook import HookHandle, need_callable
from ...common.parameter import Parameter
from .._indexing.getitem import setitem
from .._rules import Anything
from ..primitive import Primitive

_Number = InstanceOf(int, float, bool).called("a number")


@op(
    "Tensor.copy()",
    "Tensor.clone()",
    "ops.deepcopy(input_x: input)",
    "mint.clone(input)",
    "ops.clone(input)",
    "ops.Identity()(x: input)",
    compute="native",
)
def copy(xp, input: TensorOf(any_dtype)):
    """Copies the values to new memory; gradients pass through.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.deepcopy(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """
    return xp.array(input)


copy.vjp(input=lambda xp, g: g)


def _unless_contiguous(run):
    def itself_or_copy(x):
        return x if (not x.ndim or x.is_contiguous()) and not in_graph() else run(x)

    return itself_or_copy


@op(
    "nn.Identity()(input: x)",
    "Tensor.contiguous()",
    compute="native",
    quirks=Quirks(around=_unless_contiguous),
)
def identity(xp, x: TensorOf(any_dtype)):
    """Returns the input itself.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.nn.Identity()(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """
    return xp.ascontiguousarray(x) if x.ndim else x


identity.vjp(x=lambda xp, g: g)


@public("Tensor.register_hook")
def register_hook(self, hook):
    """Registers a gradient hook: `hook(gradient)` is called when the gradient of this Tensor is
    known, and its result replaces the gradient.

    Args:
        hook (Callable): takes a Tensor and returns a Tensor or None.

    Returns:
        A handle whose `remove()` unregisters the hook.

    Raises:
        TypeError: if `hook` is not callable.

    Source: mindspore.Tensor.register_hook of MindSpore 2.10.
    """
    need_callable("Tensor.register_hook", hook)
    hooks = self.__dict__.setdefault("_hooks", OrderedDict())
    if self._node is not None and not hooks:
        self._node = custom.add_hook(self, lambda g: _through(hooks, g))
    return HookHandle.add(hooks, hook)


def parameter_hook(self, hook_fn):
    """Calls `Tensor.register_hook`; Parameter uses this argument name."""
    return register_hook(self, hook_fn)


Parameter.register_hook = parameter_hook


def _through(hooks, gradient):
    """Returns `gradient` after applying every hook that is still registered."""
    for hook in list(hooks.values()):
        new_gradient = hook(gradient)
        gradient = gradient if new_gradient is None else new_gradient
    return gradient


@public("Tensor.hooks")
def hooks(self):
    """Returns the hooks registered on this Tensor, in order."""
    return list(self.__dict__.get("_hooks", {}).values())


@public("Tensor.value")
def value(self):
    """Returns the Tensor itself; for a Parameter, a Tensor of its values."""
    return plain(self)


@public("Tensor.is_contiguous")
def is_contiguous(self):
    """Returns True if the elements lie in memory in row-major order."""
    return bool(self._array.flags.c_contiguous)


@public("Tensor.storage_offset")
def storage_offset(self):
    """Returns the number of elements before this Tensor's first one in the memory that it
    shares."""
    base = self._array.base
    if base is None or not hasattr(base, "ctypes") or not hasattr(self._array, "ctypes"):
        return 0
    return (self._array.ctypes.data - base.ctypes.data) // self._array.itemsize


@public("Tensor.data_ptr")
def data_ptr(self):
    """Returns the address of the first element."""
    return self._array.data.ptr if arrays.on_device(self._array) else self._array.ctypes.data


@public("Tensor.set_dtype")
def set_dtype(self, dtype):
    """Casts the Tensor itself to a dtype and returns the dtype.

    Raises:
        TypeError: if `dtype` is not a MindSpore dtype.

    Source: mindspore.Tensor.set_dtype of MindSpore 2.10.
    """
    if not isinstance(dtype, dtypes.Type):
        DType.refuse("Tensor.set_dtype", "dtype", dtype)
    self._array = self._array.astype(dtypes.to_numpy(dtype))
    return dtype


@public("Tensor.assign_value")
def assign_value(self, value):
    """Assigns the values, shape and dtype of another Tensor to this one, and returns it; views of
    it keep the old values.

    Raises:
        TypeError: if `value` is not a Tensor.

    Source: mindspore.Tensor.assign_value of MindSpore 2.10.
    """
    if not isinstance(value, Tensor):
        Anything.refuse("Tensor.assign_value", "value", value)
    self._array, self._node = value._array.copy(), value._node
    return self


@public("Tensor.copy_")
@checked
def copy_(self, src, non_blocking: Bool = False):
    """Writes the values of `src`, which broadcast and are cast, into this Tensor and returns it.

    Args:
        src (Tensor): the values.
        non_blocking (bool): accepted, without effect; the copy is complete on return.

    Raises:
        TypeError: if `src` is not a Tensor.
        RuntimeError: if `src` does not broadcast to this shape, unless this Tensor has no elements.

    Source: mindspore.Tensor.copy_ of MindSpore 2.10.
    """
    if not isinstance(src, Tensor):
        Anything.refuse("Tensor.copy_", "src", src)
    if not self.size:
        return self
    fits = src.ndim <= self.ndim and all(
        n in (1, m) for n, m in zip(src.shape[::-1], self.shape[::-1], strict=False)
    )
    if not fits:
        raise RuntimeError(
            f"For 'Tensor.copy_', 'src' must broadcast to the shape {self.shape}, "
            f"but got {src.shape}."
        )
    source = src if src.shape == self.shape else src.broadcast_to(self.shape)
    return overwrite("copy_", self, source)


@public("Tensor.itemset")
def itemset(self, *args):
    """Returns a copy with one element replaced: `itemset(index, number)`, or `itemset(number)` if
    there is only one element.

    Raises:
        TypeError: if the value is not a number.
        IndexError: if the index is out of range.
        ValueError: if the index does not have one number per axis.

    Source: mindspore.Tensor.itemset of MindSpore 2.10.
    """
    *index, number = map(plain_numbers, args)
    if index and isinstance(number, Tensor) and number.size == 1:
        number = number.item()
    if not isinstance(number, (int, float, bool)):
        _Number.refuse_part("Tensor.itemset", "the value", number)
    if not index and self.size != 1:
        raise IndexError(
            "For 'Tensor.itemset', an index must be given where there are several elements."
        )
    where = index[0] if index else 0
    value = Tensor._wrap(space_for(self._array).asarray(number).astype(self._array.dtype))
    if isinstance(where, tuple):
        if len(where) != self.ndim:
            raise ValueError(
                f"For 'Tensor.itemset', the index must have {self.ndim} numbers, one "
                f"for each axis, but got {where}."
            )
        flat = self
    else:
        flat = self.reshape(-1)
    try:
        return setitem.run(flat, value, where).reshape(self.shape)
    except IndexError as error:
        raise IndexError(f"For 'Tensor.itemset', {error}.") from None


@public("Tensor.get_bytes")
def get_bytes(self):
    """Returns the bytes of the values, in row-major order."""
    return self.asnumpy().tobytes()


@public("Tensor.zero_")
def zero_(self):
    """Sets all elements to zero, in place, and returns the Tensor."""
    own(self)[...] = 0
    return self


@public("ops.zero_")
@checked
def zero_in_place(input: TensorOf(any_dtype)):
    """Sets all elements of a Tensor to zero, in place, and returns it.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.zero_(ms.Tensor([1.0, 2.0])))
        [0. 0.]
    """
    return zero_(input)


@public("Tensor.fill_")
def fill_(self, value):
    """Fills the Tensor with one number, in place, and returns it."""
    own(self)[...] = value.item() if isinstance(value, Tensor) else value
    return self


@public("Tensor.__round__")
def rounded(self, digits=0):
    """Returns the elements rounded to `digits` decimal places."""
    return Tensor._wrap(space_for(self._array).round(self._array, digits))


def _data(self):
    """Returns a Tensor that shares the memory and has no gradient history. Assigning a Tensor
    replaces the memory."""
    return Tensor._wrap(self._array)


def _set_data(self, value):
    if not isinstance(value, Tensor):
        Anything.refuse_part("Tensor.data", "the value", value)
    self._array, self._node = value._array, None


def _requires_grad(self):
    """Returns `requires_grad` of a Parameter, or of a Tensor on which a script has set it. For any
    other Tensor, returns whether a gradient is being recorded for it."""
    return getattr(self, "requires_grad", self._node is not None)


def _set_requires_grad(self, value):
    if not isinstance(value, bool):
        Bool.refuse_part("Tensor._requires_grad", "the value", value)
    self.requires_grad = value


Tensor.data = property(_data, _set_data)
Tensor._requires_grad = property(_requires_grad, _set_requires_grad)


@public("ops.IdentityN")
class IdentityN(Primitive):
    """Returns a tuple of Tensors with the same values, copied to new memory.

    Inputs:
        - **x** (Union[tuple[Tensor], list[Tensor]]): the Tensors.

    Outputs:
        A tuple of Tensors.

    Raises:
        TypeError: if `x` is not a tuple or list of Tensors.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.IdentityN()((ms.Tensor([1]), ms.Tensor([2])))[1])
        [2]
    """

    def __init__(self):
        super().__init__("IdentityN")

    @checked
    def __call__(self, x: TupleOf(Anything) | ListOf(Anything)):
        return tuple(tensor.copy() for tensor in x)


@public("ops.Reusing")
class Reusing(Primitive):
    """Returns the input itself.

    Example:
        >>> print(ms.ops.Reusing()(ms.Tensor([1, 2])))
        [1 2]
    """

    def __init__(self):
        super().__init__("Reusing")

    def __call__(self, x):
        return x


@public("ops.CopyWithSlice")
class CopyWithSlice(Primitive):
    """Writes a Tensor's values into another Tensor, which may be a view of a larger one.

    `ops.CopyWithSlice()(target, source)` returns `target`; the values are cast to its dtype.

    Raises:
        TypeError: if an input is not a Tensor.
        ValueError: if the shapes differ.

    Example:
        >>> x = ms.ops.zeros((2, 2))
        >>> _ = ms.ops.CopyWithSlice()(x[1], ms.Tensor([3.0, 4.0]))
        >>> print(x)
        [[0. 0.]
         [3. 4.]]

    Source: mindspore.ops.CopyWithSlice of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("CopyWithSlice")

    @checked
    def __call__(self, x: Anything, y: Anything):
        return overwrite(self.name, x, y)


@public("mint.item")
@checked
def item(input: Anything):
    """Returns the only element as a Python number.

    Args:
        input (Tensor): a Tensor of one element.

    Returns:
        bool, int, float or complex.

    Raises:
        ValueError: if `input` does not have exactly one element.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.item(ms.Tensor([5])))
        5
    """
    return input.item()


@public("Tensor.requires_grad_")
@without_effect("Tensor.requires_grad_", "'grad' names what is differentiated")
def requires_grad_(self, requires_grad=True):
    """Returns the Tensor; has no effect, because only `mindspore.grad` computes gradients."""
    return self


@public("Tensor.set_const_arg")
@without_effect("Tensor.set_const_arg")
@checked
def set_const_arg(input: Anything, const_arg: Bool = True):
    """Stores whether a network takes the Tensor as a constant, and returns the Tensor."""
    input.const_arg = const_arg
    return input
