"""Queries of a Tensor's shape: shape, size, rank and their forms."""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from ..primitive import Primitive


@public("ops.shape")
def shape(input_x):
    """Returns the shape of a Tensor, a tuple of ints.

    Args:
        input_x (Tensor): the input.

    Returns:
        A tuple of ints.

    Raises:
        TypeError: if `input_x` is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.shape(ms.Tensor([[1, 2]])))
        (1, 2)
    """
    if not isinstance(input_x, Tensor):
        Anything.refuse("shape", "input_x", input_x)
    return input_x.shape


@public("ops.size")
def size(input_x):
    """Returns the number of elements of a Tensor.

    Args:
        input_x (Tensor): the input.

    Returns:
        int.

    Raises:
        TypeError: if `input_x` is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.size(ms.Tensor([[1, 2]])))
        2
    """
    if not isinstance(input_x, Tensor):
        Anything.refuse("size", "input_x", input_x)
    return input_x.size


@public("ops.rank")
def rank(input_x):
    """Returns the number of axes of a Tensor.

    Args:
        input_x (Tensor): the input.

    Returns:
        int.

    Raises:
        TypeError: if `input_x` is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.rank(ms.Tensor([[1, 2]])))
        2
    """
    if not isinstance(input_x, Tensor):
        Anything.refuse("rank", "input_x", input_x)
    return input_x.ndim


def _asking(path, function):
    """Declares the Primitive form of a query: `ops.Shape()(x)`."""
    name = path.removeprefix("ops.")
    members = {
        "__init__": lambda self: Primitive.__init__(self, name),
        "__call__": lambda self, x: function(x),
        "__doc__": function.__doc__,
    }
    return public(path)(type(name, (Primitive,), members))


_asking("ops.Shape", shape)
_asking("ops.Size", size)
_asking("ops.Rank", rank)


@public("Tensor.dim", "Tensor.ndimension")
def dim(self):
    """Returns the number of axes."""
    return self.ndim


@public("Tensor.numel", "Tensor.nelement")
def numel(self):
    """Returns the number of elements."""
    return self.size


@public("ops.TensorShape", "ops.DynamicShape")
class TensorShape(Primitive):
    """Returns the shape as an int64 Tensor: `ops.TensorShape()(input_x)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.DynamicShape()(ms.Tensor([[1, 2]])))
        [1 2]
    """

    def __init__(self, dtype=9):
        super().__init__("TensorShape")

    @checked
    def __call__(self, input_x: Anything):
        return Tensor._wrap(space_for(input_x._array).asarray(input_x.shape, dtype="int64"))


@public("ops.dyn_shape")
def dyn_shape(input_x):
    """Returns the shape as an int64 Tensor.

    Args:
        input_x (Tensor): the input.

    Returns:
        int64 Tensor of shape (axes,).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.dyn_shape(ms.Tensor([[1, 2]])))
        [1 2]
    """
    return Tensor._wrap(space_for(input_x._array).asarray(input_x.shape, dtype="int64"))
