"""Eigh, the Primitive that computes eigenvalues and eigenvectors of symmetric matrices."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, checked
from .._elementwise.cast import cast
from .._elementwise.complex_parts import conj
from .._shape.transpose import swapaxes
from .._shape.triangle import tril, triu
from ..primitive import Primitive
from .decomposition import eigh


@public("ops.operations._inner_ops.Eigh")
class Eigh(Primitive):
    """Computes the eigenvalues, and eigenvectors, of symmetric or Hermitian matrices.

    Args:
        compute_eigenvectors (bool): False to compute only the eigenvalues. Default: True.
        lower (bool): whether the lower triangle is read, or the upper one. Default: True.

    Inputs:
        - **a** (Tensor): square matrices over the last two axes, of a floating or complex dtype.

    Returns:
        tuple[Tensor], the eigenvalues in ascending order, of the dtype of `a`, and the eigenvectors
        as columns; only the eigenvalues without `compute_eigenvectors`.

    Raises:
        TypeError: if a setting is not a bool, or `a` is not a Tensor of such a dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> values = ms.ops.operations.linalg_ops.Eigh(compute_eigenvectors=False)
        >>> values(ms.Tensor([[2.0, 0.0], [0.0, 1.0]]))
        Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])

    Source: mindspore.ops.operations.linalg_ops.Eigh of MindSpore 2.10.
    """

    @checked
    def __init__(self, compute_eigenvectors: Bool = True, lower: Bool = True):
        super().__init__("Eigh")
        self.compute_eigenvectors = compute_eigenvectors
        self.lower = lower

    def __call__(self, a):
        """Computes the eigenvalues, and the eigenvectors if requested."""
        below, above = tril.run(a, -1), triu.run(a, 1)
        half = below if self.lower else above
        other = swapaxes.run(conj.run(half), -1, -2)
        values, vectors = eigh.run(half + other + (a - below - above))
        values = cast.run(values, a._array.dtype)
        return (values, vectors) if self.compute_eigenvectors else values
