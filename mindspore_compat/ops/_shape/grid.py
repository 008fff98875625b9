"""Grids and combinations: meshgrid, cartesian products, Vandermonde matrices."""

import itertools

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import Any, Bool, InstanceOf, Int, OneOf, Str, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Several
from ..primitive import Primitive
from . import create
from .join_split import stack

Indexing = AnyCase(OneOf("xy", "ij"))
_Inputs = InstanceOf(Tensor).called("Tensors")


@op(compute="native")
def grids(xp, inputs: Several, indexing: Str):
    """Returns the coordinates of a grid spanned by vectors, one array per vector."""
    swap = indexing == "xy" and len(inputs) > 1
    vectors = [inputs[1], inputs[0], *inputs[2:]] if swap else list(inputs)
    shape = tuple(v.shape[0] if v.ndim else 1 for v in vectors)
    planes = []
    for i, vector in enumerate(vectors):
        view = (1,) * i + (shape[i],) + (1,) * (len(shape) - i - 1)
        planes.append(xp.broadcast_to(xp.reshape(vector, view), shape))
    return tuple([planes[1], planes[0], *planes[2:]] if swap else planes)


def _meshgrid(inputs, indexing):
    Indexing.refuse("meshgrid", "indexing", indexing)
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            _Inputs.refuse("meshgrid", "inputs", tensor)
        if tensor.ndim > 1:
            raise ValueError(
                f"For 'meshgrid', 'inputs' must have one axis, but got shape {tensor.shape}."
            )
    if len({tensor._array.dtype for tensor in inputs}) > 1:
        dtypes = ", ".join(str(tensor.dtype) for tensor in inputs)
        raise ValueError(f"For 'meshgrid', 'inputs' must have one dtype, but got {dtypes}.")
    return grids.run(inputs, Indexing.read(indexing))


@public("ops.meshgrid")
def meshgrid(*inputs, indexing="xy"):
    """Creates coordinate grids from vectors.

    Args:
        *inputs (Tensor): vectors.
        indexing (str): "xy" (the first vector along columns) or "ij" (along rows). Default: "xy".

    Raises:
        TypeError: if `indexing` is not a str, or an input is not a Tensor.
        ValueError: if `indexing` is neither "xy" nor "ij", an input has more than one axis, or the
            dtypes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print([each.shape for each in ms.ops.meshgrid(ms.Tensor([1, 2]), ms.Tensor([3, 4, 5]))])
        [(3, 2), (3, 2)]

    Source: mindspore.ops.meshgrid of MindSpore 2.10.
    """
    return _meshgrid(inputs, indexing)


@public("mint.meshgrid")
def mint_meshgrid(*tensors, indexing=None):
    """Creates coordinate grids from vectors; "ij" indexing by default.

    Args:
        *tensors (Tensor): the coordinates along each axis, with one axis each and one dtype.
        indexing (str): "ij", or "xy" if the first two axes of the grids are exchanged. Default:
            "ij".

    Returns:
        A tuple of Tensors, one grid per input.

    Raises:
        TypeError: if an input is not a Tensor.
        ValueError: if an input has several axes, the dtypes differ, or `indexing` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print([each.shape for each in ms.mint.meshgrid(ms.Tensor([1, 2]), ms.Tensor([3, 4, 5]),
        ...         indexing="ij")])
        [(2, 3), (2, 3)]
    """
    return _meshgrid(tensors, "ij" if indexing is None else indexing)


@public("ops.Meshgrid")
class Meshgrid(Primitive):
    """The class form of `ops.meshgrid`: `ops.Meshgrid(indexing)(vectors)`.

    Args:
        indexing (str): "xy" if the first two axes of the grids are exchanged, or "ij". Default:
            "xy".

    Inputs:
        - **inputs** (Union[tuple[Tensor], list[Tensor]]): the coordinates along each axis.

    Outputs:
        A tuple of Tensors, one grid per input.

    Example:
        >>> import mindspore_compat as ms
        >>> print([each.shape for each in ms.ops.Meshgrid()((ms.Tensor([1, 2]),
        ...         ms.Tensor([3, 4, 5])))])
        [(3, 2), (3, 2)]
    """

    @checked
    def __init__(self, indexing: Indexing = "xy"):
        self.indexing = indexing

    @checked
    def __call__(self, inputs: Several):
        return _meshgrid(tuple(inputs), self.indexing)


@public("ops.cartesian_prod")
def cartesian_prod(*inputs):
    """Computes the Cartesian product of vectors: all combinations of one element of each vector,
    one per row.

    Args:
        *inputs (Tensor): the vectors.

    Returns:
        Tensor of shape (combinations, vectors); one vector is returned unchanged.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.cartesian_prod(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [[1 3]
         [1 4]
         [2 3]
         [2 4]]
    """
    columns = [g.reshape(-1) for g in _meshgrid(inputs, "ij")]
    return stack.run(columns, -1)


@public("ops.combinations")
@checked
def combinations(input: Anything, r: Int(ge=1) = 2, with_replacement: Any = False):
    """Lists all combinations of `r` elements of a vector, one per row.

    Args:
        input (Tensor): a vector.
        r (int): the number of elements of each combination. Default: 2.
        with_replacement (bool): whether an element may occur more than once in one. Default: False.

    Returns:
        Tensor of shape (combinations, r).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.combinations(ms.Tensor([1, 2, 3])))
        [[1 2]
         [1 3]
         [2 3]]
    """
    if input.ndim != 1:
        raise ValueError(
            f"For 'combinations', 'input' must have one axis, but got shape {input.shape}."
        )
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.shape[0]), r))
    return input[Tensor(rows)] if rows else create.zeros((0, r), input.dtype)


@op("ops.vander(x, N=None)", "Tensor.vander(N=None)")
def vander(xp, x: Anything, N: Int(ge=1) | Bool | None = None):
    """Computes the Vandermonde matrix: the powers N-1, ..., 1, 0 of each element, one row per
    element.

    Shapes:
        `x` is (M,). The result is (M, N), with N = M by default, of the dtype of `x`; integers give
        int64.

    Example:
        >>> print(ms.ops.vander(ms.Tensor([1.0, 2.0, 3.0])))
        [[1. 1. 1.]
         [4. 2. 1.]
         [9. 3. 1.]]
    """
    if x.ndim != 1 or (not x.shape[0] and N is None):
        raise ValueError(
            f"For 'vander', 'x' must be a vector, with elements if 'N' is not given, but got shape "
            f"{tuple(x.shape)}."
        )
    count = x.shape[0] if N is None else N
    x = xp.cast(x, "int64") if x.dtype.kind in "iub" else x
    return xp.power(xp.expand_dims(x, 1), xp.cast(xp.arange(count - 1, -1, -1), x.dtype))
