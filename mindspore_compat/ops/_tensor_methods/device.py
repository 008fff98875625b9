"""Methods that move a Tensor to the memory of a device, or cast it to another dtype."""

from ..._backend import arrays
from ..._backend.arrays import HOST, SPACES, current_space, to_space
from ..._core.autograd.devices import in_space, recorded_move
from ..._core.declare.overloads import form
from ..._core.declare.public_api import public
from ..._core.gradients import custom
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Int,
    ListOf,
    OneOf,
    Str,
    TupleOf,
    checked,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._elementwise import cast
from .._rules import Anything
from ..primitive import Primitive


@public("Tensor.to_")
@checked
def to_(input: Anything, device: AsValue(Str) = None, non_blocking: AsValue(Bool) = False):
    """Moves the Tensor itself to a device and returns it; "Ascend" stands for the GPU here.

    Args:
        device (str): "Ascend", "GPU" or "CPU".
        non_blocking (bool): without effect; the move is always complete on return.

    Raises:
        ValueError: if `device` is an unknown name, or `non_blocking` is not a bool.

    Source: mindspore.Tensor.to_ of MindSpore 2.10.
    """
    if device not in ("Ascend", "GPU", "CPU"):
        raise ValueError(
            f"For 'Tensor.to_', 'device' must be 'Ascend', 'GPU' or 'CPU', but got {device!r}."
        )
    move = arrays.to_host if device == "CPU" else arrays.to_current
    input._array = move(input._array)
    return input


@public("Tensor.move_to")
@checked
def tensor_move_to(
    input: Anything, to: AsValue(OneOf("Ascend", "GPU", "CPU")), blocking: AsValue(Bool) = True
):
    """Copies the Tensor to a device; "Ascend" stands for the GPU here.

    Raises:
        ValueError: if `to` is an unknown name, or `blocking` is not a bool.

    Source: mindspore.Tensor.move_to of MindSpore 2.10.
    """
    return move_to(input, to, blocking)


@form("Tensor.to")
def to_dtype(self, dtype: DType = None, non_blocking: Bool = False, copy: Bool = False):
    """Casts the Tensor to another dtype and moves it to a device. If nothing changes, the result
    shares the memory of the Tensor unless `copy` is true.

    Source: mindspore.Tensor.to of MindSpore 2.10.
    """
    return _move(self, None, dtype, copy)


@form("Tensor.to")
def to_device(
    self,
    device: OneOf("Ascend", "GPU", "CPU", "cpu", "npu") = None,
    dtype: DType = None,
    non_blocking: Bool = False,
    copy: Bool = False,
):
    """Moves the Tensor to a device and casts it to a dtype; "Ascend" and "npu" stand for the GPU
    here."""
    return _move(self, device, dtype, copy)


@form("Tensor.to")
def to_other(self, other: Anything, non_blocking: Bool = False, copy: Bool = False):
    """Moves the Tensor to the device of another Tensor and casts it to its dtype."""
    device = "GPU" if arrays.on_device(other._array) else "CPU"
    return _move(self, device, other.dtype, copy)


def _move(self, device, dtype, copy):
    target = self._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    result = self
    if device is not None:
        result = in_space(HOST if device in ("CPU", "cpu") else current_space(), self)
    if target != self._array.dtype:
        return cast.cast.run(result, target)
    if result is self:
        return self.copy() if copy else cast.cast.run(self, target)
    return result


@public("ops.MoveTo")
class MoveTo(Primitive):
    """Copies a Tensor to the memory of a device: `ops.MoveTo()(input, to, blocking)`.

    Inputs:
        - **input** (Union[Tensor, list[int], tuple[int]]): the Tensor to copy; a list becomes an
          int64 Tensor.
        - **to** (str): "CPU" for the host; "GPU" or "Ascend" for the current accelerator, or for
          the host if there is none. Default: "CPU".
        - **blocking** (bool): without effect; the copy is always complete on return.
          Default: True.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `to` is not a device.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.MoveTo()(ms.Tensor([1, 2]), "CPU"))
        [1 2]

    Source: mindspore.ops.MoveTo of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("MoveTo")

    @checked
    def __call__(
        self,
        input: Anything | TupleOf(Int) | ListOf(Int),
        to: OneOf("Ascend", "GPU", "CPU") = "CPU",
        blocking: Bool = True,
    ):
        tensor = input if isinstance(input, Tensor) else Tensor(list(input), dtypes.int64)
        space = HOST if to == "CPU" else current_space()
        home = SPACES.get(type(tensor._array), space)
        return custom.custom_gradient(
            lambda x: _copied_to(x, space),
            lambda x, out, sens: (_copied_to(sens, home),),
            (tensor,),
        )


def _copied_to(tensor, space):
    """Copies a Tensor to the memory of the array namespace `space` (host or GPU); a Batch is
    copied, but not moved."""
    array = tensor._array
    return Tensor._wrap((to_space(space, array) if type(array) in SPACES else array).copy())


@public("ops.move_to")
@checked
def move_to(input: Anything, to: OneOf("Ascend", "GPU", "CPU") = "CPU", blocking: Bool = True):
    """Copies the Tensor to a device; "Ascend" stands for the GPU here.

    Args:
        input (Tensor): the input.
        to (str): "Ascend", "GPU" or "CPU". Default: "CPU".
        blocking (bool): has no effect; the copy is complete on return. Default: True.

    Returns:
        Tensor on the device.

    Raises:
        TypeError: if `to` is not a str.
        ValueError: if `to` is an unknown name.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.move_to(ms.Tensor([1, 2]), "CPU"))
        [1 2]

    Source: mindspore.ops.move_to of MindSpore 2.10.
    """
    xp = HOST if to == "CPU" else current_space()
    copy = object.__new__(Tensor)
    copy._array, copy._node = recorded_move(xp, input._array, input._node)
    return copy
