"""mindspore.scipy.ops_wrapper: `matrix_set_diag` with the argument names of that module."""

from .._core.tensor.dtype import int32
from .._core.tensor.tensor import Tensor
from ..ops._shape import band

__all__ = ["matrix_set_diag"]


def matrix_set_diag(input_x, diagonal, k=0, alignment="RIGHT_LEFT"):
    """Replaces diagonals of matrices; returns a copy.

    Args:
        input_x (Tensor): shape (..., M, N).
        diagonal (Tensor): the new values, shape (..., L), or (..., count, L) for several diagonals.
        k (Union[int, tuple[int], Tensor]): the first and last diagonal; the main diagonal is 0,
            those above it are positive. Default: 0.
        alignment (str): the sides to which shorter diagonals are aligned: "RIGHT_LEFT",
            "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT". Default: "RIGHT_LEFT".

    Returns:
        Tensor, of the shape and dtype of `input_x`.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the shapes do not fit, or `alignment` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.scipy import ops_wrapper
        >>> print(ops_wrapper.matrix_set_diag(ms.ops.zeros((2, 2)), ms.Tensor([3.0, 4.0])))
        [[3. 0.]
         [0. 4.]]

    Source: mindspore.scipy.ops_wrapper.matrix_set_diag of MindSpore 2.10.
    """
    k = Tensor(list(k), int32) if isinstance(k, (tuple, list)) else k
    return band.matrix_set_diag(input_x, diagonal, k, alignment)
