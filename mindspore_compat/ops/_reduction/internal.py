"""Primitives of unique elements, norms and distances under MindSpore's internal paths."""

from ..._core.tensor.dtype import int64
from .._primitive_aliases.alias import alias, mint, ops, pull_back

alias(
    "ops.operations._grad_ops.PdistGrad(p=2.0)(y_grad, x, y)",
    lambda y_grad, x, y, p: pull_back(y_grad, lambda x: ops.pdist(x, p), x),
)


def _unique(input, sorted, return_inverse, return_counts, dim=None):
    """Returns (unique values, the index of each element among them, the count of each value); the
    second and third are empty if not requested."""
    values, indices, counts = mint.unique(input, sorted, True, True, dim)
    empty = ops.zeros((0,), int64)
    return values, indices if return_inverse else empty, counts if return_counts else empty


alias(
    "ops.auto_generate.InnerUnique()(input, sorted=True, return_inverse=False)",
    lambda input, sorted, return_inverse: _unique(input, sorted, return_inverse, False)[:2],
)
alias(
    "ops.auto_generate.LpNormV2()(input, p=2, dim=None, keepdim=False, epsilon=1e-12)",
    lambda input, p, dim, keepdim, epsilon: mint.clamp(mint.norm(input, p, dim, keepdim), epsilon),
)
alias(
    "ops.auto_generate.Unique2()(input, sorted=True, return_inverse=False, return_counts=False)",
    lambda input, sorted, return_inverse, return_counts: _unique(
        input, sorted, return_inverse, return_counts
    ),
)
alias(
    "ops.auto_generate.UniqueDim()(input, sorted, return_inverse, dim)",
    lambda input, sorted, return_inverse, dim: _unique(input, sorted, return_inverse, True, dim),
)
