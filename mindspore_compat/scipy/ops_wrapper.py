"""mindspore.scipy.ops_wrapper: `matrix_set_diag` with the names of its arguments there."""

from .._core.tensor.dtype import int32
from .._core.tensor.tensor import Tensor
from ..ops._shape import band

__all__ = ["matrix_set_diag"]


def matrix_set_diag(input_x, diagonal, k=0, alignment="RIGHT_LEFT"):
    """Matrices with other values on their diagonals.

    Args:
        input_x (Tensor): shape (..., M, N).
        diagonal (Tensor): the values, shape (..., L), or (..., count, L) of several diagonals.
        k (Union[int, tuple[int], Tensor]): the first and last diagonal, counted from the main one
            up. Default: 0.
        alignment (str): to which ends shorter diagonals are moved: "RIGHT_LEFT", "LEFT_RIGHT",
            "LEFT_LEFT" or "RIGHT_RIGHT". Default: "RIGHT_LEFT".

    Returns:
        Tensor, as `input_x`.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if the shapes do not fit, or `alignment` is another word.

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
