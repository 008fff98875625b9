"""Reordering of axes: transpose, swapaxes, moveaxis, permute, t and the conjugate forms."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.base import NoneRule
from ..._core.rules.vocabulary import AsValue, Bool, Forbid, Int, ListOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, ScalarInt

Axis = Int | Bool
Axes = AsValue(Int | TupleOf(Int) | ListOf(Int) | Bool, NoneRule())


@op(
    "ops.transpose(input, dims)",
    "ops.Transpose()(input, dims)",
    "ops.permute(input, axis: dims)",
    compute="native",
)
def transpose(xp, input: Anything, dims: TupleOf(Int) | ListOf(Int)):
    """Transposes the input: axis i of the result is axis dims[i] of the input.

    Shapes:
        `dims` contains each axis of `input` once. The dtype is kept.

    Example:
        >>> print(ms.ops.transpose(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (1, 0)))
        [[1 4]
         [2 5]
         [3 6]]
    """
    return xp.transpose(input, tuple(d % input.ndim for d in dims))


@op(
    "mint.transpose(input, dim0, dim1)",
    "ops.swapaxes(input, axis0: dim0, axis1: dim1)",
    "ops.swapdims(input, dim0, dim1)",
    "Tensor.swapaxes(axis0: dim0, axis1: dim1)",
    "Tensor.swapdims(dim0, dim1)",
    "mint.swapaxes(input, axis0: dim0, axis1: dim1)",
    compute="native",
    quirks=Quirks(
        rules={
            f"mint.{name}": {"dim0": ScalarInt, "dim1": ScalarInt}
            for name in ("transpose", "swapaxes")
        }
    ),
)
def swapaxes(xp, input: Anything, dim0: Axis, dim1: Axis):
    """Swaps two axes.

    Shapes:
        `input` may have any shape. The result has the two lengths exchanged and the same dtype.

    Example:
        >>> print(ms.ops.swapaxes(ms.Tensor([[1, 2, 3], [4, 5, 6]]), 0, 1))
        [[1 4]
         [2 5]
         [3 6]]
    """
    return xp.swapaxes(input, dim0, dim1)


@op(
    "ops.moveaxis(x, source, destination)",
    "ops.movedim(x, source, destination)",
    "Tensor.moveaxis(source, destination)",
    "Tensor.movedim(source, destination)",
    compute="native",
)
def moveaxis(xp, x: Anything, source: Axes, destination: Axes):
    """Moves axes from the positions `source` to the positions `destination`; the others keep their
    order.

    Shapes:
        `x` may have any shape. The result has its axes in the new order and the same dtype.

    Example:
        >>> print(ms.ops.moveaxis(ms.ops.zeros((2, 3, 4)), 0, 2).shape)
        (3, 4, 2)
    """
    return xp.moveaxis(x, source, destination)


@op("ops.ConjugateTranspose()(x, perm)", compute="native")
def conjugate_transpose(xp, x: Anything.but("bfloat16"), perm: TupleOf(Int) | ListOf(Int)):
    """Computes the conjugate transpose, with the axes in the order `perm`.

    Shapes:
        `perm` contains each axis of `x` once. The dtype is kept.

    Example:
        >>> print(ms.ops.ConjugateTranspose()(ms.Tensor([[1 + 2j, 3 - 4j]]), (1, 0)))
        [[1.-2.j]
         [3.+4.j]]
    """
    if sorted(perm) != list(range(x.ndim)):
        raise ValueError(
            f"For 'ConjugateTranspose', 'perm' must order {x.ndim} axes, but got {perm}."
        )
    transposed = xp.transpose(x, tuple(perm))
    return xp.conj(transposed) if x.dtype.kind == "c" else transposed


@op("ops.TransposeView()(input, input_perm)", compute="native")
def transpose_view(xp, input: Anything, input_perm: TupleOf(Int) | ListOf(Int)):
    """Transposes the input: axis i of the result is axis input_perm[i] of the input.

    Shapes:
        `input_perm` contains each axis of `input` once. The dtype is kept.

    Example:
        >>> print(ms.ops.TransposeView()(ms.Tensor([[1, 2], [3, 4]]), (1, 0)))
        [[1 3]
         [2 4]]
    """
    return xp.transpose(input, tuple(input_perm))


@op("ops.TransposeExtView()(input, dim0, dim1)", compute="native")
def transpose_ext_view(xp, input: Anything, dim0: Int, dim1: Int):
    """Swaps two axes.

    Shapes:
        `input` may have any shape. The result has the two lengths exchanged and the same dtype.

    Example:
        >>> print(ms.ops.TransposeExtView()(ms.Tensor([[1, 2], [3, 4]]), 0, 1))
        [[1 3]
         [2 4]]
    """
    return xp.swapaxes(input, dim0, dim1)


@op("ops.adjoint(x)", "Tensor.adjoint()")
def adjoint(xp, x: Anything):
    """Computes the adjoint (conjugate transpose) of the last two axes.

    Shapes:
        `x` is (..., M, N). The result is (..., N, M), of the same dtype.

    Example:
        >>> print(ms.ops.adjoint(ms.Tensor([[1 + 2j, 3 - 4j]])))
        [[1.-2.j]
         [3.+4.j]]
    """
    transposed = xp.swapaxes(x, -1, -2)
    return xp.conj(transposed) if x.dtype.kind == "c" else transposed


def _need_matrix(name, self, least=2, most=None):
    """Rejects a Tensor that is not a matrix, or not a stack of matrices."""
    if self.ndim < least or most is not None and self.ndim > most:
        words = "two axes" if most else "at least two axes"
        raise ValueError(
            f"For 'Tensor.{name}', the Tensor must have {words}, but got shape {self.shape}."
        )


def _conjugate_transpose(self):
    """Returns the conjugate transpose of a matrix; raises a ValueError for other inputs."""
    _need_matrix("H", self, most=2)
    return adjoint.run(self)


def _conjugate_transposes(self):
    """Returns the conjugate transposes of matrices; raises a ValueError for fewer than two axes."""
    _need_matrix("mH", self)
    return adjoint.run(self)


def _transposes(self):
    """Swaps the last two axes; raises a ValueError for fewer than two axes."""
    _need_matrix("mT", self)
    return swapaxes.run(self, -1, -2)


@op("ops.t(input)", "Tensor.t()", compute="native")
def t(xp, input: Anything):
    """Transposes a matrix; returns a Tensor of any other rank unchanged.

    Shapes:
        `input` may have any shape. The result of (M, N) is (N, M), of the same dtype.

    Example:
        >>> print(ms.ops.t(ms.Tensor([[1, 2, 3], [4, 5, 6]])))
        [[1 4]
         [2 5]
         [3 6]]
    """
    return xp.swapaxes(input, 0, 1) if input.ndim == 2 else input


@op("mint.t(input)", compute="native")
def mint_t(xp, input: Anything):
    """Transposes a matrix; returns scalars and vectors unchanged.

    Shapes:
        `input` is (M, N), (M,) or (). The result is (N, M), (M,) or (), of the same dtype.

    Example:
        >>> print(ms.mint.t(ms.Tensor([[1, 2], [3, 4]])))
        [[1 3]
         [2 4]]
    """
    return xp.swapaxes(input, 0, 1) if input.ndim > 1 else input


@public("mint.permute")
@checked(Forbid("dims is None", ValueError, "'dims' must be a tuple of ints"))
def permute(input: Anything, dims: TupleOf(Int) | ListOf(Int) | None):
    """Permutes the axes: axis i of the result is axis dims[i] of the input.

    Args:
        input (Tensor): any shape.
        dims (tuple(int)): the order of the axes, each once.

    Returns:
        Tensor of the dtype of `input`, with its axes in the new order.

    Raises:
        TypeError: if `input` is not a Tensor, or `dims` is neither a tuple nor a list of ints.
        ValueError: if `dims` is None, or does not contain each axis once.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.permute(ms.ops.ones((2, 3)), (1, 0)).shape)
        (3, 2)

    Source: mindspore.mint.permute of MindSpore 2.10.
    """
    rank = input.ndim
    if len(dims) != rank or sorted(d + rank if d < 0 else d for d in dims) != list(range(rank)):
        raise ValueError(
            f"For 'permute', 'dims' must name each of {rank} axes once, but got {dims!r}."
        )
    return transpose.run(input, tuple(dims))


Tensor.T = property(
    lambda self: transpose.run(self, tuple(reversed(range(self.ndim)))),
    doc="The axes in reverse order.",
)
Tensor.H = property(_conjugate_transpose)
Tensor.mH = property(_conjugate_transposes)
Tensor.mT = property(_transposes)
