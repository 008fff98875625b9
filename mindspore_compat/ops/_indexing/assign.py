"""Assignments: write, add to or subtract from a whole Parameter or Tensor in place."""

from ..._backend import arrays
from ..._core.autograd.tape import depth
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.declare.writing import own, plain
from ..._core.rules.vocabulary import checked
from ..._core.sharding.staged import Staged, unwrap
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import in_graph
from .._rules import Anything, TensorOrNumber
from ..primitive import WithoutArguments
from .write_cast import cast_for_write


def _write(api, variable, value, change, loose=True):
    """Writes `change(old array, value array)` to `variable` and returns it.

    With `loose`, a value of one element fits a variable of one element, if both have at most one
    axis.
    """
    _, value = cast_for_write(api, variable, value)
    array, value = variable._array, value._array
    if value.shape != array.shape and not (
        loose and value.size == array.size == 1 and max(value.ndim, array.ndim) < 2
    ):
        raise ValueError(
            f"For '{api}', 'value' must have the shape {array.shape}, but got {value.shape}."
        )
    if Staged in (type(array), type(value)):
        return _write_on_stage(api, variable, value, change)
    space = space_for(array)
    if space_for(value) is not space:
        value = arrays.to_space(space, value)  # a learning rate, for example, may be on the host
    value = value.astype(array.dtype) if value.dtype != array.dtype else value
    written = own(variable)
    if depth.open and not depth.paused and in_graph():
        # The gradients of earlier operations need the old value.
        written = variable._array = array.copy()
    written[...] = change(array, value.reshape(array.shape))
    return plain(variable)


def _write_on_stage(api, variable, value, change):
    """Writes on the ranks of a pipeline stage; the variable then lies on this stage."""
    if type(variable._array) is not Staged:
        variable._array = value.like(variable._array, value.array is not None)
    if variable._array.array is not None:
        _write(api, *map(unwrap, (variable, Tensor._wrap(value))), change)
    return plain(variable)


@public("ops.assign")
@checked
def assign(variable: Anything, value: TensorOrNumber):
    """Assigns `value` to `variable`, in place, and returns it.

    Args:
        variable (Union[Parameter, Tensor]): what is overwritten.
        value (Union[Tensor, Number]): the new values, of the same shape.

    Returns:
        `variable`.

    Raises:
        TypeError: if `variable` is not a Parameter or Tensor, or `value` is not a Tensor or number,
            or has a wider dtype than `variable`.
        ValueError: if the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> y = ms.ops.assign(x, ms.Tensor([3.0, 4.0]))
        >>> print(x.asnumpy())
        [3. 4.]

    Source: mindspore.ops.assign of MindSpore 2.10.
    """
    return _write("assign", variable, value, lambda old, new: new, loose=False)


@public("ops.assign_add")
@checked
def assign_add(variable: Anything, value: TensorOrNumber):
    """Adds `value` to `variable`, in place, and returns it. It raises the same errors as `assign`,
    except that a value of one element may have one axis more or less.

    Args:
        variable (Union[Parameter, Tensor]): what is increased.
        value (Union[Tensor, Number]): the summand.

    Returns:
        `variable`.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> y = ms.ops.assign_add(x, ms.Tensor([3.0, 4.0]))
        >>> print(x.asnumpy())
        [4. 6.]
    """
    return _write("assign_add", variable, value, lambda old, new: old + new)


@public("ops.assign_sub")
@checked
def assign_sub(variable: Anything, value: TensorOrNumber):
    """Subtracts `value` from `variable`, in place, and returns it. It raises the same errors as
    `assign_add`.

    Args:
        variable (Union[Parameter, Tensor]): what is decreased.
        value (Union[Tensor, Number]): what is subtracted.

    Returns:
        `variable`.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> y = ms.ops.assign_sub(x, ms.Tensor([3.0, 4.0]))
        >>> print(x.asnumpy())
        [-2. -2.]
    """
    return _write("assign_sub", variable, value, lambda old, new: old - new)


def _primitive(path, function):
    """Declares the Primitive form of an assignment: `ops.Assign()(variable, value)`."""
    body = {
        "__call__": lambda self, variable, value: function(variable, value),
        "__doc__": function.__doc__,
    }
    return public(path)(type(path.removeprefix("ops."), (WithoutArguments,), body))


_primitive("ops.Assign", assign)
_primitive("ops.AssignAdd", assign_add)
_primitive("ops.AssignSub", assign_sub)
