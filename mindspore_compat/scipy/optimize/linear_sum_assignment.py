"""linear_sum_assignment: the cheapest assignment of rows to columns, and its Primitive."""

import numpy
import scipy.optimize

from ..._core.rules.vocabulary import Bool, TensorOf
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ...ops.primitive import Primitive

_Limit = (TensorOf("int64") | None).called("an int64 Tensor")


def linear_sum_assignment(cost_matrix, maximize, dimension_limit=None):
    """Finds pairs of rows and columns, each used at most once, with the smallest total cost.

    Args:
        cost_matrix (Tensor): an (M, N) matrix of numbers or bools.
        maximize (bool): whether the largest total is sought instead.
        dimension_limit (Tensor, optional): an int64 number, the number of columns to use.

    Returns:
        tuple[Tensor]: rows and columns, min(M, N) int64 numbers each; missing pairs are -1.

    Raises:
        TypeError: if `cost_matrix` is not a Tensor of numbers, `maximize` is not a bool, or
            `dimension_limit` is not an int64 Tensor.
        ValueError: if `cost_matrix` is not a matrix.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.scipy.optimize import linear_sum_assignment
        >>> cost = ms.Tensor([[4.0, 1.0], [2.0, 8.0]])
        >>> rows, columns = linear_sum_assignment(cost, False, ms.Tensor(2))
        >>> print(rows, columns)
        [0 1] [1 0]

    Source: mindspore.scipy.optimize.linear_sum_assignment of MindSpore 2.10.
    """
    if not isinstance(cost_matrix, Tensor) or dtypes.to_numpy(cost_matrix.dtype).kind not in "biuf":
        raise TypeError(
            f"For 'linear_sum_assignment', 'cost_matrix' must be a Tensor of numbers, "
            f"but got {cost_matrix!r}."
        )
    Bool.refuse("linear_sum_assignment", "maximize", maximize)
    _Limit.refuse("linear_sum_assignment", "dimension_limit", dimension_limit)
    if cost_matrix.ndim != 2:
        raise ValueError(
            f"For 'linear_sum_assignment', 'cost_matrix' must be a matrix, but got "
            f"shape {cost_matrix.shape}."
        )
    costs = cost_matrix.asnumpy().astype(numpy.float64)
    limit = costs.shape[1] if dimension_limit is None else int(dimension_limit.asnumpy().item())
    rows, columns = scipy.optimize.linear_sum_assignment(costs[:, : max(0, limit)], maximize)
    out = numpy.full((2, min(costs.shape)), -1, numpy.int64)
    out[:, : len(rows)] = rows, columns
    return Tensor(out[0]), Tensor(out[1])


class LinearSumAssignment(Primitive):
    """Finds the cheapest assignment of rows to columns; the Primitive form of
    `linear_sum_assignment`.

    Inputs:
        - **cost_matrix** (Tensor): an (M, N) matrix of numbers or bools.
        - **dimension_limit** (Tensor): an int64 number, the number of columns to use.
        - **maximize** (bool): whether the largest total is sought instead.

    Returns:
        tuple[Tensor]: rows and columns, min(M, N) int64 numbers each; missing pairs are -1.

    Raises:
        TypeError: as for `linear_sum_assignment`.
        ValueError: as for `linear_sum_assignment`.

    Source: mindspore.scipy.ops.LinearSumAssignment of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("LinearSumAssignment")

    def __call__(self, cost_matrix, dimension_limit, maximize):
        """Returns the rows and columns of the pairs."""
        return linear_sum_assignment(cost_matrix, maximize, dimension_limit)
