"""Primitives of indexing that MindSpore exposes under internal paths only."""

from .._primitive_aliases.alias import alias, ints, methods, ops, pull_back


def _along(rank, dim, part):
    """Returns the index that takes a slice along one axis."""
    if not -rank <= dim < rank:
        raise ValueError(f"For 'SliceExt', 'dim' must be in [{-rank}, {rank}), but got {dim}.")
    return (slice(None),) * (dim % rank) + (part,)


alias(
    "ops.auto_generate.Index()(input, indices)",
    lambda input, indices: ops.tuple_getitem(input, tuple(indices)),
)
alias(
    "ops.auto_generate.InnerIndex()(input, indices)",
    lambda input, indices: ops.tuple_getitem(input, tuple(indices)),
)


@alias("ops.auto_generate.Scatter()(input, dim, index, src, reduce='none')")
@alias("ops.auto_generate.ScatterValue()(input, dim, index, src, reduce='none')")
def scatter(input, dim, index, src, reduce):
    return methods.scatter_(
        input.copy(), dim, index, src, reduce=None if reduce == "none" else reduce
    )


@alias("ops.auto_generate.SliceExt()(input, dim, start, end, step)")
@alias("ops.auto_generate.SliceExtView()(input, dim, start, end, step)")
def slice_ext(input, dim, start, end, step):
    return ops.tuple_getitem(input, _along(input.ndim, dim, slice(start, end, step)))


alias(
    "ops.operations._grad_ops.GatherDGradV2()(x, dim, index, dout)",
    lambda x, dim, index, dout: pull_back(dout, lambda x: ops.gather_d(x, dim, index), x),
)
alias(
    "ops.operations._grad_ops.MaskedSelectGrad()(input, mask, grad)",
    lambda input, mask, grad: pull_back(grad, lambda input: ops.masked_select(input, mask), input),
)
alias(
    "ops.operations._grad_ops.SliceGrad()(dy, x, begin, size)",
    lambda dy, x, begin, size: pull_back(dy, lambda x: ops.slice(x, begin, size), x),
)


@alias(
    "ops.operations._grad_ops.StridedSliceGrad(begin_mask=0, end_mask=0, ellipsis_mask=0, "
    "new_axis_mask=0, shrink_axis_mask=0)(dy, shapex, begin, end, strides)"
)
def strided_slice_grad(
    dy,
    shapex,
    begin,
    end,
    strides,
    begin_mask,
    end_mask,
    ellipsis_mask,
    new_axis_mask,
    shrink_axis_mask,
):
    return pull_back(
        dy,
        lambda x: ops.StridedSlice(
            begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
        )(x, begin, end, strides),
        ops.zeros(ints(shapex), dy.dtype),
    )


@alias("ops.auto_generate.TensorCopySlices()(x, value, begin, end, strides)")
def tensor_copy_slices(x, value, begin, end, strides):
    """Returns a copy of `x` with `value` written at the given slices."""
    result = methods.copy(x)
    result[tuple(slice(*column) for column in zip(begin, end, strides, strict=True))] = value
    return result
