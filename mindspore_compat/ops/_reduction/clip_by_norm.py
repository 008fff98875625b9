"""Clipping to a norm: clip_by_norm, clip_by_global_norm."""

from ..._core.declare.public_api import public
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor, map_stored, stored
from .._elementwise import arithmetic, comparison, elementary, maximum
from .._elementwise.addn import addn
from .._shape.join_split import stack
from .norm import norm
from .reduce import reduce_sum as add_up

_TupleOrList = InstanceOf(tuple, list).called("a tuple or list")
_ClipNorm = InstanceOf(int, float).called("a number")
_Tensors = InstanceOf(Tensor).called("a Tensor, or a list or tuple of them")
_IntOrFloat = InstanceOf(int, float).called("a number")


@public("ops.clip_by_global_norm")
def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """Clips Tensors by their global norm: scales each by clip_norm / max(norm, clip_norm), where
    `norm` is the norm of all Tensors together.

    Args:
        x (Union[tuple[Tensor], list[Tensor], Tensor]): the Tensors; for a single Tensor, the scaled
            Tensor is returned.
        clip_norm (Union[float, int]): the largest allowed norm, above 0. Default: 1.0.
        use_norm (None): an argument that MindSpore reserves for later use.

    Raises:
        TypeError: if `x` is not a tuple, list or Tensor, or `clip_norm` not a number.
        ValueError: if `clip_norm` is not above 0, or `use_norm` not None.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.clip_by_global_norm((ms.Tensor([3.0, 4.0]),), 1.0)[0])
        [0.6 0.8]

    Source: mindspore.ops.clip_by_global_norm of MindSpore 2.10.
    """
    if isinstance(clip_norm, Tensor) and clip_norm.size == 1:
        clip_norm = clip_norm.item()
    clip_norm = plain_numbers(clip_norm)
    if isinstance(x, Tensor):
        return clip_by_global_norm([x], clip_norm, use_norm)[0]
    if not isinstance(x, (tuple, list)):
        _TupleOrList.refuse("clip_by_global_norm", "x", x)
    if not isinstance(clip_norm, (int, float)):
        _ClipNorm.refuse("clip_by_global_norm", "clip_norm", clip_norm)
    if not clip_norm > 0:
        raise ValueError(
            f"For 'clip_by_global_norm', 'clip_norm' must be above 0, but got {clip_norm}."
        )
    if use_norm is not None:
        raise ValueError(
            f"For 'clip_by_global_norm', 'use_norm' must be None, but got {use_norm!r}."
        )
    squares = [
        add_up.run(arithmetic.square.run(tensor.astype(dtypes.float32)))
        for tensor in map(stored, x)
    ]
    total = elementary.sqrt.run(addn.run(squares))
    scale = clip_norm / maximum.maximum.run(total, float(clip_norm))
    return tuple(
        map_stored(lambda one: arithmetic.mul.run(one, scale.astype(one.dtype)), tensor)
        for tensor in x
    )


@public("ops.clip_by_norm")
def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Clips Tensors by their norm: scales them down to a norm of `max_norm` if their joint norm is
    larger.

    Args:
        x (Union[Tensor, list[Tensor], tuple[Tensor]]): the Tensors.
        max_norm (Union[float, int]): the largest norm.
        norm_type (Union[float, int]): the order of the norm. Default: 2.0.
        error_if_nonfinite (bool): whether a norm that is NaN or infinite is an error. Default:
            False.

    Returns:
        A Tensor, or a list or tuple of Tensors, as `x`.

    Raises:
        TypeError: if an argument has the wrong type.
        RuntimeError: if the norm is not finite and `error_if_nonfinite` is True.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.clip_by_norm(ms.Tensor([3.0, 4.0]), 1.0))
        [0.5999999  0.79999983]

    Source: mindspore.ops.clip_by_norm of MindSpore 2.10.
    """
    several = list(x) if isinstance(x, (tuple, list)) else [x]
    for tensor in several:
        if not isinstance(tensor, Tensor):
            _Tensors.refuse("clip_by_norm", "x", tensor)
    max_norm, norm_type = plain_numbers(max_norm), plain_numbers(norm_type)
    bound = max_norm  # a Tensor whose gradient may be needed
    max_norm, norm_type = (
        value.item() if isinstance(value, Tensor) and value.size == 1 else value
        for value in (max_norm, norm_type)
    )
    for name, value in (("max_norm", max_norm), ("norm_type", norm_type)):
        if not isinstance(value, (int, float)):
            _IntOrFloat.refuse("clip_by_norm", name, value)
    parts = [norm.run(tensor.reshape(-1), norm_type) for tensor in several]
    total = norm.run(stack.run(parts, 0), norm_type)
    if error_if_nonfinite and not bool(comparison.isfinite.run(total)):
        raise RuntimeError(
            f"For 'clip_by_norm', the norm of order {norm_type} is not finite: {total}."
        )
    bound = bound.reshape(()) if isinstance(bound, Tensor) else bound
    scale = maximum.minimum.run(bound / (total + 1e-6), 1.0)
    clipped = [
        tensor * scale.astype(tensor.dtype) if tensor.is_floating_point() else tensor * scale
        for tensor in several
    ]
    return type(x)(clipped) if isinstance(x, (tuple, list)) else clipped[0]
