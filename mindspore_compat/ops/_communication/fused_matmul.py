"""Matrix products fused with collectives: all_gather_matmul and matmul_reduce_scatter.

On Ascend, product and exchange overlap. Here they run one after the other, with the same results
and gradients.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Int, Str, checked
from ...communication import transfer
from ...communication.groups import partners
from .._rules import Anything


@op()
def matrix_product(xp, left: Anything, right: Anything, turned):
    """Returns the product of two matrices, the second one transposed if requested."""
    return xp.matmul(left, xp.swapaxes(right, 0, 1) if turned else right)


@public("ops.all_gather_matmul")
@checked
def all_gather_matmul(
    input: Anything,
    x2: Anything,
    group: Str,
    world_size: Int,
    *,
    bias: Any = None,
    gather_index: Int = 0,
    gather_output: Bool = True,
    comm_turn: Int = 0,
    trans_input: Bool | Int = False,
    trans_x2: Bool = False,
):
    """Gathers the members' matrices along axis 0 and multiplies: `all_gather(input) @ x2`.

    Args:
        input: the part of this member, (m, k); float16 or bfloat16, with k in [256, 65535).
        x2: the right matrix, (k, n); of the same dtype.
        group: the group's name.
        world_size: the group's size: 2, 4 or 8.
        bias: must be None.
        gather_index: must be 0: `input` is the matrix that is gathered.
        gather_output: whether the gathered Tensor is returned too.
        comm_turn: must be 0; the granularity of the exchange on Ascend.
        trans_input: must be False.
        trans_x2: whether `x2` is transposed, (n, k).

    Returns:
        (Tensor, Tensor), the product, (m * world_size, n), and the gathered Tensor, (m *
        world_size, k), or an empty Tensor of shape (0,).

    Raises:
        RuntimeError: if dtypes or shapes are not as described above, an argument does not have its
            only allowed value, `init` was not called, or there is no such group.

    Example:

    Source: mindspore.ops.all_gather_matmul of MindSpore 2.10.
    """
    api = "all_gather_matmul"
    _check_only(api, bias=(bias, None), gather_index=(gather_index, 0))
    _check_only(api, comm_turn=(comm_turn, 0), trans_input=(trans_input, False))
    _check_matrices(api, input, x2, trans_x2)
    whole = transfer.all_gather_op.run(input, _group(api, group, world_size))
    product = matrix_product.run(whole, x2, trans_x2)
    return product, whole if gather_output else transfer.nothing(input, (0,))


@public("ops.matmul_reduce_scatter")
@checked
def matmul_reduce_scatter(
    input: Anything,
    x2: Anything,
    group: Str,
    world_size: Int,
    *,
    reduce_op: Str = "sum",
    bias: Any = None,
    comm_turn: Int = 0,
    trans_input: Bool | Int = False,
    trans_x2: Bool = False,
):
    """Multiplies, sums over the members and splits along axis 0: `reduce_scatter(input @ x2)`.

    Args:
        input: the left matrix, (m, k); float16 or bfloat16, with k in [256, 65535) and m a multiple
            of `world_size`.
        x2: the right matrix, (k, n); of the same dtype.
        group: the group's name.
        world_size: the group's size: 2, 4 or 8.
        reduce_op: must be "sum".
        bias: must be None.
        comm_turn: must be 0; the granularity of the exchange on Ascend.
        trans_input: must be False.
        trans_x2: whether `x2` is transposed, (n, k).

    Returns:
        Tensor, this member's part, (m / world_size, n).

    Raises:
        RuntimeError: if dtypes or shapes are not as described above, an argument does not have its
            only allowed value, `init` was not called, or there is no such group.

    Source: mindspore.ops.matmul_reduce_scatter of MindSpore 2.10.
    """
    api = "matmul_reduce_scatter"
    _check_only(api, reduce_op=(reduce_op, "sum"), bias=(bias, None))
    _check_only(api, comm_turn=(comm_turn, 0), trans_input=(trans_input, False))
    _check_matrices(api, input, x2, trans_x2)
    members = _group(api, group, world_size)
    if input.shape[0] % world_size:
        raise RuntimeError(
            f"For '{api}', axis 0 of 'input' must be a multiple of 'world_size' {world_size}, but "
            f"got the shape {input.shape}."
        )
    product = matrix_product.run(input, x2, trans_x2)
    return transfer.reduce_scatter_op.run(product, "sum", members)


def _check_only(api, **values):
    for name, (value, only) in values.items():
        if value != only:
            raise RuntimeError(f"For '{api}', '{name}' must be {only!r}, but got {value!r}.")


def _check_matrices(api, left, right, turned):
    for name, tensor in (("input", left), ("x2", right)):
        if str(tensor.dtype) not in ("Float16", "BFloat16"):
            raise RuntimeError(
                f"For '{api}', '{name}' must be of dtype float16 or bfloat16, but got "
                f"{tensor.dtype}."
            )
        if tensor.ndim != 2:
            raise RuntimeError(
                f"For '{api}', '{name}' must have two axes, but got the shape {tensor.shape}."
            )
    if left.dtype != right.dtype:
        raise RuntimeError(
            f"For '{api}', 'input' and 'x2' must have the same dtype, but got {left.dtype} and "
            f"{right.dtype}."
        )
    shared = right.shape[1 if turned else 0]
    if left.shape[1] != shared or not 256 <= shared < 65535:
        raise RuntimeError(
            f"For '{api}', 'input' and 'x2' must share an axis of a length in [256, 65535), but "
            f"got the shapes {left.shape} and {right.shape}."
        )


def _group(api, name, size):
    """Returns the group of this name; rejects one of another size."""
    if size not in (2, 4, 8):
        raise RuntimeError(f"For '{api}', 'world_size' must be 2, 4 or 8, but got {size}.")
    group = partners(name)
    if group.size != size:
        raise RuntimeError(
            f"For '{api}', 'world_size' must be the size {group.size} of the group '{name}', but "
            f"got {size}."
        )
    return group
