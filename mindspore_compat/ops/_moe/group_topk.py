"""group_topk: selection of the best groups of experts. Routing of tokens is in
_moe/token_permute.py."""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.writing import write_back
from ..._core.rules.vocabulary import Int, TensorOf, checked
from .._rules import Floats, HalfPrecision
from ..primitive import Primitive

Int32Tensor = TensorOf("int32")


@op(compute="native")
def best_groups(xp, token: Floats, idx_arr: Int32Tensor, group_num: Int, k: Int, k_inner: Int):
    """Returns the scores of the experts in the k best groups, and zeros for the others."""
    groups = xp.reshape(token, (*token.shape[:-1], group_num, token.shape[-1] // group_num))
    upcast = groups if groups.dtype.itemsize > 2 else xp.cast(groups, "float32")
    worth = xp.sum(xp.top_k(upcast, k_inner, -1)[0], -1)
    best = xp.take(idx_arr, xp.top_k(worth, k, -1)[1], 0)
    is_kept = xp.any(xp.expand_dims(best, -2) == xp.arange(group_num)[:, None], -1)
    return xp.reshape(xp.where(xp.expand_dims(is_kept, -1), groups, 0), token.shape)


@public("ops.auto_generate.group_topk")
@checked
def group_topk(
    token: HalfPrecision, idx_arr: Int32Tensor, group_num: Int, k: Int, k_inner: Int = 1
):
    """Sets the scores of experts to zero, in place, if their group is not one of the k best.

    The score of a group is the sum of its `k_inner` best scores. The restriction limits the experts
    of a token to few devices, as in DeepSeek's networks (arXiv 2405.04434 with `k_inner` 1, arXiv
    2412.19437 with 2). MindSpore's page is empty. Its compiler shows that the operator works in
    place, its dtypes and the limits of `idx_arr`; the formula comes from the papers.

    Args:
        token (Tensor): the scores of all experts for each token, updated in place, shape (...,
            experts); float16 or bfloat16.
        idx_arr (Tensor): the indices of the groups, 0, 1, 2, ..., int32, one axis, at least as long
            as the number of experts.
        group_num (int): the number of groups; the experts are divided into consecutive groups.
        k (int): the number of groups to keep.
        k_inner (int): the number of best scores that a group is ranked by. Default: 1.

    Returns:
        Tensor, `token`.

    Raises:
        TypeError: if a dtype is not one of those listed, or an argument has the wrong type.
        ValueError: if `idx_arr` does not have one axis or is too short, `group_num` does not divide
            the number of experts, or `k` or `k_inner` is out of range.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor
        >>> from mindspore_compat.ops.auto_generate import group_topk
        >>> scores = Tensor(np.array([[1, 2, 8, 0, 5, 4]], np.float16))
        >>> print(group_topk(scores, Tensor(np.arange(6, dtype=np.int32)), 3, 1, 2))
        [[0. 0. 0. 0. 5. 4.]]

    Source: mindspore.ops.GroupTopk of MindSpore 2.10.
    """
    fault, experts = None, token.shape[-1] if token.ndim else 0
    if idx_arr.ndim != 1 or idx_arr.size < experts:
        fault = f"'idx_arr' must have 1 axis of at least {experts}", idx_arr.shape
    elif group_num < 1 or not experts or experts % group_num:
        fault = f"'group_num' must divide the {experts} experts", group_num
    elif not 1 <= k <= group_num:
        fault = f"'k' must be in [1, {group_num}]", k
    elif not 1 <= k_inner <= experts // group_num:
        fault = f"'k_inner' must be in [1, {experts // group_num}]", k_inner
    if fault:
        raise ValueError(f"For 'GroupTopk', {fault[0]}, but got {fault[1]}.")
    return write_back(token, best_groups.run(token, idx_arr, group_num, k, k_inner))


@public("ops.GroupTopk")
class GroupTopk(Primitive):
    """Sets the scores of experts to zero, in place, if their group is not one of the k best.

    See `ops.auto_generate.group_topk`.

    Source: mindspore.ops.GroupTopk of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("GroupTopk")

    def __call__(self, token, idx_arr, group_num, k, k_inner=1):
        return group_topk(token, idx_arr, group_num, k, k_inner)
