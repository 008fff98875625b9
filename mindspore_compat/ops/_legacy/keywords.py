"""Converts the keywords of releases 1.8 to 2.2: old parameter names, and older meanings.

The documentation of those releases lists them. Scripts of that time call `ops.argmax(x, axis=1)` or
`ops.interpolate(x, sizes=(8, 8), mode="bilinear")`.
"""

from ..._core.declare.older import older_signature, renamed_keywords
from ..._core.declare.public_api import build
from ..._core.rules.vocabulary import OneOf, TensorOf, checked
from .._image.resize import resize_bilinear
from ..primitive import Primitive

for _path, _names in {
    "ops.argmax": {"x": "input", "axis": "dim", "keepdims": "keepdim"},
    "ops.binary_cross_entropy_with_logits": {"logits": "input", "label": "target"},
    "ops.concat": {"input_x": "tensors"},
    "ops.conv2d": {"inputs": "input", "group": "groups"},
    "ops.dot": {"x1": "input", "x2": "other"},
    "ops.grid_sample": {"input_x": "input", "interpolation_mode": "mode"},
    "ops.logsumexp": {"x": "input", "axis": "dim", "keep_dims": "keepdim"},
    "ops.ones": {"type": "dtype"},
    "ops.stack": {"input_x": "tensors"},
    "ops.transpose": {"input_x": "input", "input_perm": "dims"},
    "ops.zeros": {"type": "dtype"},
}.items():
    renamed_keywords(_path, **_names)


def _primitive(name, *settings):
    return build("ops", name, Primitive)(*settings)


@older_signature("ops.max", "x", "keep_dims")
def _max(x, axis=0, keep_dims=False):
    """Returns indices and values of the largest elements along an axis, in this order."""
    return _primitive("ArgMaxWithValue", axis, keep_dims)(x)


@older_signature("ops.min", "x", "keep_dims")
def _min(x, axis=0, keep_dims=False):
    """Returns indices and values of the smallest elements along an axis, in this order."""
    return _primitive("ArgMinWithValue", axis, keep_dims)(x)


@older_signature("ops.norm", "input_x", "axis", "p", "keep_dims", "epsilon")
def _norm(input_x, axis, p=2, keep_dims=False, epsilon=1e-12):
    """Computes the p-norm along axes."""
    return _primitive("LpNorm", axis, p, keep_dims, epsilon)(input_x)


@older_signature("ops.split", "input_x", "output_num")
def _split(input_x, axis=0, output_num=1, **today):
    """Splits a Tensor into `output_num` parts of equal length, or by the parameters of the current
    release."""
    if today:
        return build("ops", "split")(input_x, axis=axis, **today)
    return _primitive("Split", axis, output_num)(input_x)


_POSITIONS = ("align_corners", "half_pixel", "asymmetric")


@older_signature("ops.interpolate", "x", "roi", "scales", "sizes", "coordinate_transformation_mode")
@checked
def interpolate(
    x: TensorOf("float16", "float32", "float64"),
    roi=None,  # belongs to a mode that no release computes
    scales=None,
    sizes=None,
    coordinate_transformation_mode: OneOf(*_POSITIONS) = "align_corners",
    mode: OneOf("linear", "bilinear") = "linear",
):
    """Resizes `x`, of shape (N, C, W) or (N, C, H, W), to the given size or by the given scales."""
    axes = 3 if mode == "linear" else 4
    if x.ndim != axes:
        raise ValueError(
            f"For 'interpolate', 'x' must have {axes} axes where 'mode' is {mode!r}, but got "
            f"shape {x.shape}."
        )
    size = _new_size(x.shape, scales, sizes)
    aligned, centres = (coordinate_transformation_mode == position for position in _POSITIONS[:2])
    if mode == "linear":
        return resize_bilinear.run(x.expand_dims(2), (1, *size), aligned, centres).squeeze(2)
    return resize_bilinear.run(x, size, aligned, centres)


def _new_size(shape, scales, sizes):
    """Returns the lengths of the resized axes. Exactly one of `sizes` and `scales` must be
    given."""
    if (scales is None) == (sizes is None):
        raise ValueError(
            "For 'interpolate', exactly one of 'scales' and 'sizes' must be given, but got "
            f"{scales!r} and {sizes!r}."
        )
    name, numbers = ("sizes", sizes) if scales is None else ("scales", scales)
    if not isinstance(numbers, (tuple, list)):
        raise TypeError(
            f"For 'interpolate', {name!r} must be a tuple or list, but got {numbers!r}."
        )
    kind, count = (int, len(shape) - 2) if scales is None else (float, len(shape))
    if any(type(number) is not kind for number in numbers):
        raise TypeError(
            f"For 'interpolate', {name!r} must hold {kind.__name__}s, but got {numbers!r}."
        )
    if len(numbers) != count or any(number <= 0 for number in numbers):
        raise ValueError(
            f"For 'interpolate', {name!r} must hold {count} positive numbers, but got {numbers!r}."
        )
    if scales is None:
        return tuple(numbers)
    if numbers[:2] != type(numbers)((1.0, 1.0)):
        raise ValueError(
            f"For 'interpolate', 'scales' must be 1.0 for the first two axes, but got {numbers!r}."
        )
    return tuple(int(length * scale) for length, scale in zip(shape[2:], numbers[2:]))
