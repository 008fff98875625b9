"""The float status register, with which scripts before release 1.3 detect overflow.

On Ascend, a register shows whether any operation overflowed. Here it shows whether any gradient was
infinite or NaN since the register was cleared, which is what these scripts need. Nothing is checked
until a script first clears the register.
"""

import numpy as np

from ..._backend import arrays
from ..._backend.updates.finite import all_finite
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.gradients import leaves
from ..._core.rules.vocabulary import TensorOf, checked
from ..._core.tensor.tensor import Tensor, stored
from ..._core.vmap.batch import Batch
from .._rules import Floats
from ..primitive import Primitive


def _whole(array):
    """Returns the whole array behind the mapped axes of `vmap`."""
    while type(array) is Batch:
        array = array.array
    return array


class _Register:
    """Records whether gradients have overflowed since it was last cleared."""

    def __init__(self):
        self.overflowed = False

    def clear(self):
        """Clears the register, and starts to check gradients."""
        self.overflowed = False
        if self.look not in leaves.watchers:
            leaves.watchers.append(self.look)

    def look(self, gradients):
        """Checks the gradients of one backward pass, and records an overflow."""
        if not self.overflowed:
            tensors = [stored(gradient) for gradient in gradients if isinstance(gradient, Tensor)]
            self.overflowed = not bool(all_finite([_whole(tensor._array) for tensor in tensors]))


_register = _Register()


def _write(data, value):
    """Sets all elements of `data` to `value` and returns `data`."""
    data._array[...] = value
    return data


@public("ops.NPUAllocFloatStatus")
class NPUAllocFloatStatus(Primitive):
    """Creates the Tensor that the float status is read into: 8 zeros of float32.

    Example:
        >>> print(ms.ops.NPUAllocFloatStatus()())
        [0. 0. 0. 0. 0. 0. 0. 0.]

    Source: mindspore.ops.NPUAllocFloatStatus of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("NPUAllocFloatStatus")

    def __call__(self):
        return Tensor._wrap(arrays.current_space().zeros(8, np.float32))


@public("ops.NPUClearFloatStatus")
class NPUClearFloatStatus(Primitive):
    """Clears the float status, and returns its input filled with zeros.

    Inputs:
        - **x** (Tensor) - the result of `NPUAllocFloatStatus`.

    Outputs:
        Tensor, `x`.

    Example:
        >>> status = ms.ops.NPUAllocFloatStatus()()
        >>> print(ms.ops.NPUClearFloatStatus()(status).shape)
        (8,)

    Source: mindspore.ops.NPUClearFloatStatus of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("NPUClearFloatStatus")

    @checked
    def __call__(self, x: TensorOf("float32", "float16")):
        _register.clear()
        return _write(x, 0)


@public("ops.NPUGetFloatStatus")
class NPUGetFloatStatus(Primitive):
    """Writes the float status into its input: 1 if a gradient overflowed since it was last cleared.

    Inputs:
        - **x** (Tensor) - the result of `NPUAllocFloatStatus`.

    Outputs:
        Tensor, `x`.

    Raises:
        TypeError: if `x` is not a Tensor of float16 or float32.

    Example:
        >>> status = ms.ops.NPUAllocFloatStatus()()
        >>> print(ms.ops.NPUGetFloatStatus()(status).shape)
        (8,)

    Source: mindspore.ops.NPUGetFloatStatus of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("NPUGetFloatStatus")

    @checked
    def __call__(self, x: TensorOf("float32", "float16")):
        return _write(x, float(_register.overflowed))


@public("ops.NPUClearFloatStatusV2")
class NPUClearFloatStatusV2(Primitive):
    """Clears the float status, and returns zeros of the shape of its input.

    Inputs:
        - **x** (Tensor) - 8 elements of int32.

    Outputs:
        Tensor of int32.

    Example:
        >>> print(ms.ops.NPUClearFloatStatusV2()(ms.ops.zeros(8, ms.int32)))
        [0 0 0 0 0 0 0 0]

    Source: mindspore.ops.NPUClearFloatStatusV2 of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("NPUClearFloatStatusV2")

    @checked
    def __call__(self, x: TensorOf("int32")):
        _register.clear()
        return Tensor._wrap(arrays.space_of(x._array).zeros_like(x._array))


@public("ops.NPUGetFloatStatusV2")
class NPUGetFloatStatusV2(Primitive):
    """Returns the float status in the shape of its input: ones if a gradient overflowed since the
    status was last cleared, else zeros.

    Inputs:
        - **x** (Tensor) - 8 elements of int32.

    Outputs:
        Tensor of int32.

    Example:
        >>> flags = ms.ops.NPUClearFloatStatusV2()(ms.ops.zeros(8, ms.int32))
        >>> print(ms.ops.NPUGetFloatStatusV2()(flags))
        [0 0 0 0 0 0 0 0]

    Source: mindspore.ops.NPUGetFloatStatusV2 of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("NPUGetFloatStatusV2")

    @checked
    def __call__(self, x: TensorOf("int32")):
        xp = arrays.space_of(x._array)
        return Tensor._wrap(xp.full_like(x._array, int(_register.overflowed)))


@public("ops.CheckNumerics")
class CheckNumerics(Primitive):
    """Returns the input itself; raises a RuntimeError if it holds NaN or infinity.

    Inputs:
        - **x** (Tensor): floats.

    Outputs:
        `x`.

    Raises:
        TypeError: if `x` is not a floating Tensor.
        RuntimeError: if `x` holds NaN or infinity.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.CheckNumerics()(ms.Tensor([1.0, 2.0])))
        [1. 2.]

    Source: mindspore.ops.CheckNumerics of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("CheckNumerics")

    @checked
    def __call__(self, x: Floats):
        xp = space_for(x._array)
        for word, mask in (("NaN", xp.isnan), ("infinite", xp.isinf)):
            if bool(mask(x._array).any()):
                raise RuntimeError(
                    f"For 'CheckNumerics', 'x' must be finite, but it has {word} values."
                )
        return x
