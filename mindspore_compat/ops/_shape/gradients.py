"""The offsets of the parts of a concatenation, which its gradient needs."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Int, ListOf, TensorOf, TupleOf, checked
from ..._core.tensor.dtype import int64
from ..._core.tensor.tensor import Tensor
from ..primitive import Primitive


@public("ops.operations._grad_ops.ConcatOffset")
class ConcatOffset(Primitive):
    """Computes the offset of each of the Tensors that `ops.Concat` joins: `ConcatOffset(N,
    axis)(input_x)`.

    Returns:
        Tensor (N, rank), int64; zero except along `axis`.
    """

    @checked
    def __init__(self, N: Int(ge=1) = 2, axis: Int = 0):
        super().__init__("ConcatOffset")
        self.N, self.axis = N, axis

    @checked
    def __call__(self, input_x: TupleOf(TensorOf()) | ListOf(TensorOf())):
        if len(input_x) != self.N:
            raise ValueError(
                f"For 'ConcatOffset', 'input_x' must have 'N' Tensors, {self.N}, but "
                f"got {len(input_x)}."
            )
        rows, start = [], 0
        for tensor in input_x:
            row = [0] * tensor.ndim
            row[self.axis] = start
            rows.append(row)
            start += tensor.shape[self.axis]
        return Tensor(rows, int64)
