"""Stacks along an axis that the name tells (`hstack`, `vstack`, `dstack`),
and Tensors with a least number of axes."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import checked
from ..._core.tensor.tensor import Tensor
from .join_split import Joined, cat
from .reshape import expand_dims, reshape_array


@public("ops.hstack", "mint.hstack")
@checked
def hstack(tensors: Joined):
    """Stacks Tensors horizontally: concatenates along the second axis, or vectors along their only
    axis.

    Args:
        tensors (Union[tuple[Tensor], list[Tensor]]): the parts; their dtypes are promoted to one.

    Returns:
        Tensor of this dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.hstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [1 2 3 4]
    """
    tensors_1d = [_at_least(1, t) for t in tensors]
    return cat.run(tensors_1d, 0 if tensors_1d[0].ndim == 1 else 1)


@public("ops.vstack", "mint.vstack")
@checked
def vstack(inputs: Joined):
    """Stacks Tensors vertically: concatenates along the first axis; vectors become rows.

    Args:
        inputs (Union[tuple[Tensor], list[Tensor]]): the parts; their dtypes are promoted to one.

    Returns:
        Tensor of this dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.vstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    return cat.run([_at_least(2, t) for t in inputs], 0)


@public("ops.row_stack", "mint.row_stack")
@checked
def row_stack(tensors: Joined):
    """Stacks Tensors vertically; another name of `vstack`.

    Args:
        tensors (Union[tuple[Tensor], list[Tensor]]): the parts; their dtypes are promoted to one.

    Returns:
        Tensor of this dtype.

    Example:
        >>> print(ms.ops.row_stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    return vstack(tensors)


@public("ops.dstack", "mint.dstack")
@checked
def dstack(tensors: Joined):
    """Stacks Tensors along the third axis.

    Args:
        tensors (Union[tuple[Tensor], list[Tensor]]): the parts; their dtypes are promoted to one.

    Returns:
        Tensor of this dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.dstack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))).shape)
        (1, 2, 2)
    """
    return cat.run([_at_least(3, t) for t in tensors], 2)


@public("ops.column_stack", "mint.column_stack")
@checked
def column_stack(tensors: Joined):
    """Stacks Tensors along the second axis; vectors become columns.

    Args:
        tensors (Union[tuple[Tensor], list[Tensor]]): the parts; their dtypes are promoted to one.

    Returns:
        Tensor of this dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.column_stack((ms.Tensor([1, 2]), ms.Tensor([3, 4]))))
        [[1 3]
         [2 4]]
    """
    return cat.run([t if t.ndim > 1 else reshape_array.run(t, (-1, 1)) for t in tensors], 1)


def _at_least(count, tensor):
    """Returns a Tensor with at least `count` axes, added where NumPy's atleast_1d, atleast_2d and
    atleast_3d add them."""
    if tensor.ndim >= count:
        return tensor
    if tensor.ndim == 0:
        return reshape_array.run(tensor, (1,) * count)
    if count == 2:
        return expand_dims.run(tensor, 0)
    return reshape_array.run(
        tensor, (1, tensor.shape[0], 1) if tensor.ndim == 1 else (*tensor.shape, 1)
    )


def _atleast(path, count):
    def make(inputs):
        if isinstance(inputs, Tensor):
            return _at_least(count, inputs)
        return tuple(_at_least(count, tensor) for tensor in inputs)

    make.__name__ = path.removeprefix("ops.")
    axes = "one axis" if count == 1 else f"{count} axes"
    make.__doc__ = f"""Gives Tensors at least {axes}; new axes have length 1.

    Args:
        inputs (Union[Tensor, tuple[Tensor], list[Tensor]]): the Tensors.

    Returns:
        A Tensor, or a tuple of Tensors for several.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.{make.__name__}(ms.Tensor(5)).shape)
        {(1,) * count}
    """
    return public(path)(make)


_atleast("ops.atleast_1d", 1)
_atleast("ops.atleast_2d", 2)
_atleast("ops.atleast_3d", 3)
