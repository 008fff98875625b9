"""What `mindspore.mint` spells otherwise than `mindspore.ops`: pairs, int64 places, defaults.

Names that differ in spelling alone have a `mint.` line beside the `ops.` ones; those that differ in
what they refuse are in _mint_strict.py, random numbers in _random/mint.py.
"""

from .._core.declare.inputs import Promote, SameDtype
from .._core.declare.op import op
from .._core.declare.public_api import public
from .._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    ListOf,
    Number,
    ScalarOf,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from .._core.tensor.tensor import Tensor
from ._activation.softmax import log_softmax
from ._elementwise import arithmetic, rounding
from ._reduction import distance, reduce
from ._shape import reshape

Anything = TensorOf(any_dtype)
Index = TensorOf("int32", "int64")
Axis = Int | TupleOf(Int) | ListOf(Int) | None
Scalar = ScalarOf(Int, TypeError)


# Ordering -----------------------------------------------------------------------------------------


@op("mint.topk(input, k, dim=-1, largest=True, sorted=True)", compute="native")
def topk(xp, input: Anything, k: Int(ge=0), dim: Int = -1, largest: Bool = True,
         sorted: Bool = True):
    """(the k largest or smallest values along an axis in order, their int64 places)."""
    values, at = xp.top_k(input, k, dim, largest)
    return values, xp.cast(at, "int64")


@op("mint.argsort(input, dim=-1, descending=False, stable=False)", compute="native")
def argsort(xp, input: Anything, dim: Int = -1, descending: Bool = False, stable: Bool = False):
    """The int64 places that sort the input along an axis; equal values always keep their order."""
    return xp.cast(xp.top_k(input, input.shape[dim], dim, descending)[1], "int64")


def _extreme(name, word, over_all, along, between):
    """`mint.max(input)`, `mint.max(input, dim, keepdim=False)` and `mint.max(input, other)`."""

    def extreme(input, *args, **kwargs):
        if not args and not kwargs:
            return over_all.run(input)
        if "other" in kwargs or args and isinstance(args[0], (Tensor, float, bool)):
            return between.run(input, *args, **kwargs)
        return with_places(input, *args, **kwargs)

    def with_places(input: Anything, dim: Int, keepdim: Bool = False):
        values, at = along.run(input, dim, keepdim)
        return values, Tensor._wrap(at._array.astype("int64"))

    with_places.__name__ = name  # which errors tell
    with_places = checked(with_places)
    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"""The {word} element, the {word} elements along an axis with their int64
    places, or the {word} of two, element by element.

    Args:
        input (Tensor): any real dtype.
        dim (int): the axis, in the form that gives (values, places).
        keepdim (bool): True to keep the axis with length 1.
        other (Union[Tensor, float, bool]): what is compared, in the form of two.

    Raises:
        TypeError: if the arguments fit no form.

    Source: mindspore.mint.{name} of MindSpore 2.10.
    """
    return public(f"mint.{name}")(extreme)


_extreme("max", "largest", reduce.amax, reduce.max_along, arithmetic.maximum)
_extreme("min", "smallest", reduce.amin, reduce.min_along, arithmetic.minimum)


# Reducing -----------------------------------------------------------------------------------------


@op("mint.var_mean(input, dim: axis=None, *, correction=1, keepdim=False)")
def var_mean(xp, input: Anything, axis: Axis = None, correction: Int = 1, keepdim: Bool = False):
    """(the variance divided by the count less `correction`, the mean) over axes."""
    axes = reduce.axes_of(axis)
    return (xp.var(input, axes, ddof=correction, keepdims=keepdim),
            xp.mean(input, axes, keepdims=keepdim))


@op("mint.std_mean(input, dim: axis=None, *, correction=1, keepdim=False)")
def std_mean(xp, input: Anything, axis: Axis = None, correction: Int = 1, keepdim: Bool = False):
    """(the root of the variance, the mean) over axes."""
    axes = reduce.axes_of(axis)
    return (xp.std(input, axes, ddof=correction, keepdims=keepdim),
            xp.mean(input, axes, keepdims=keepdim))


@op("mint.norm(input, p='fro', dim=None, keepdim=False, *, dtype=None)",
    "mint.nn.functional.norm_ext(input, p='fro', dim=None, keepdim=False, *, dtype=None)")
def norm(xp, input: Anything, p: Number | Str = "fro", dim: Axis = None, keepdim: Bool = False):
    """The p-norm of all elements or along axes; "fro" and "nuc" of matrices."""
    axis = reduce.axes_of(dim)
    if p == "fro":
        return reduce._vector_norm(xp, input, 2, axis, keepdim)
    if isinstance(p, str):
        if p != "nuc":
            raise ValueError(f"For 'norm', 'p' must be a number, 'fro' or 'nuc', but got {p!r}.")
        axis = (0, 1) if axis is None else axis
        return reduce._matrix_norm(xp, input, p, axis, keepdim)
    return reduce._vector_norm(xp, input, p, axis, keepdim)


@op(
    "mint.cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')",
    types=SameDtype("x1 x2"),
)
def cdist(xp, x1: TensorOf("float16", "float32", "float64"),
          x2: TensorOf("float16", "float32", "float64"), p: ScalarOf(Float(ge=0), TypeError) = 2.0,
          compute_mode: Any = "use_mm_for_euclid_dist_if_necessary"):
    """The p-norm distances between the rows of two matrices, or of two stacks of them."""
    if x1.ndim != x2.ndim or x1.shape[-1] != x2.shape[-1]:
        raise ValueError(
            f"For 'cdist', the inputs must be matrices (or stacks) with rows of one length, but "
            f"got {x1.shape} and {x2.shape}."
        )
    return distance.cdist.body(xp, x1, x2, p)


@op("mint.vdot(input, other)", types=Promote("input other"))
def vdot(xp, input: Anything, other: Anything):
    """The sum of products of two vectors, the first one conjugated."""
    if input.ndim != 1 or input.shape != other.shape:
        raise ValueError(
            f"For 'vdot', the inputs must be vectors of one length, but got {input.shape} and "
            f"{other.shape}."
        )
    return xp.sum(xp.conj(input) * other)


@public("mint.equal")
@checked
def equal(input: Anything, other: Anything):
    """True if both have the same shape and elements.

    Raises:
        TypeError: if an argument is not a Tensor.

    Source: mindspore.mint.equal of MindSpore 2.10.
    """
    if input.shape != other.shape:
        return False
    return bool((input == other)._array.all())


# Shape and new values -----------------------------------------------------------------------------


@public("mint.nn.functional.flatten", "mint.flatten_ext")
@checked
def flatten(input: Anything, start_dim: Scalar = 0, end_dim: Scalar = -1):
    """The axes from `start_dim` to `end_dim` as one."""
    return reshape.flatten_axes.run(input, start_dim, end_dim)


@public("mint.ravel", "ops.ravel")
@checked
def ravel(input: Anything):
    """The elements in row order, along one axis."""
    return reshape.reshape_array.run(input, (-1,))


@public("mint.item")
@checked
def item(input: Anything):
    """The only element as a Python number."""
    return input.item()


@op("mint.nn.functional.one_hot(tensor, num_classes=-1)", compute="native")
def one_hot(xp, tensor: Index, num_classes: Int(ge=-1) = -1):
    """1 at the place that each element names, 0 elsewhere; as many classes as needed for -1."""
    if num_classes == -1:
        num_classes = int(xp.max(tensor)) + 1 if tensor.size else 1
    places = xp.expand_dims(tensor, -1) == xp.arange(num_classes)
    return xp.cast(places, tensor.dtype)


# Same functions under further names ---------------------------------------------------------------


@public("mint.special.log_softmax")
@checked
def special_log_softmax(input: Anything, dim: Int = None, *, dtype: Any = None):
    """log(softmax(input)) along an axis; without one, along the first of at most three axes
    (the second of two or of four)."""
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return log_softmax.run(input if dtype is None else input.astype(dtype), dim)


@public("mint.special.round")
@checked
def special_round(input: Anything, *, decimals: Int = 0):
    """The nearest whole number (or number of `decimals` places), halves to even."""
    return rounding.round.run(input, decimals)
