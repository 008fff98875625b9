"""Operations on three Tensors: lerp, addcmul, addcdiv."""

from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.value_rules import Listed
from ..._core.rules.vocabulary import Float, Int, Number, OneDtype, TensorOf, checked, floating
from .._rules import Floats, Inexact
from .division import _whole_quotient

Addcmul = TensorOf(floating, "int8", "uint8", "int32", "int64")
Addcdiv = TensorOf(floating, "int64")
AddcmulValue = Addcmul | Number
Divided = TensorOf(floating, "int32", "int64")
AddcdivValue = Divided | Number


@op(
    "ops.lerp(input, end, weight)",
    "ops.Lerp()(input, end, weight)",
    "Tensor.lerp(end, weight)",
    types=SameDtype("input end"),
)
def lerp(xp, input: Floats, end: Floats, weight: Floats | Float):
    """Interpolates linearly between the input and `end`: input + weight * (end - input).

    Shapes:
        The shapes of `input`, `end` and a `weight` that is a Tensor are broadcast. The result has
        the dtype of the inputs.

    Example:
        >>> print(ms.ops.lerp(ms.Tensor([0.0, 10.0]), ms.Tensor([10.0, 20.0]), 0.25))
        [ 2.5 12.5]
    """
    return xp.pointwise(_lerp, input, end, xp.cast(weight, input.dtype))


def _lerp(xp, input, end, weight):
    return input + weight * (end - input)


lerp.vjp(
    input=lambda xp, g, weight: g * (1 - xp.cast(weight, g.dtype)),
    end=lambda xp, g, weight: g * xp.cast(weight, g.dtype),
    weight=lambda xp, g, input, end: g * (end - input),
)


@op(
    "ops.addcmul(input, tensor1, tensor2, value=1)",
    "ops.Addcmul()(input_data: input, x1: tensor1, x2: tensor2, value)",
    "Tensor.addcmul(tensor1, tensor2, value=1)",
    "mint.addcmul(input, tensor1, tensor2, *, value=1)",
    types=SameDtype("input tensor1 tensor2"),
    quirks=Quirks(
        rules={"ops.Addcmul": {"value": Addcmul}}
        | dict.fromkeys(("ops.addcmul", "Tensor.addcmul"), {"value": AddcmulValue | Listed})
    ),
)
def addcmul(xp, input: Addcmul, tensor1: Addcmul, tensor2: Addcmul, value: AddcmulValue = 1):
    """Adds a scaled product to the input: input + value * tensor1 * tensor2.

    Shapes:
        The shapes of `input`, `tensor1` and `tensor2` are broadcast. The result has the dtype to
        which they are promoted.

    Example:
        >>> print(ms.ops.addcmul(ms.Tensor([1.0, 1.0]), ms.Tensor([2.0, 3.0]),
        ...                      ms.Tensor([4.0, 5.0]), value=0.5))
        [5.  8.5]
    """
    return xp.pointwise(_addcmul, input, tensor1, tensor2, xp.cast(value, input.dtype))


def _addcmul(xp, input, tensor1, tensor2, value):
    return input + value * tensor1 * tensor2


addcmul.vjp(
    input=lambda xp, g: g,
    tensor1=lambda xp, g, tensor2, value: g * (xp.cast(value, g.dtype) * tensor2),
    tensor2=lambda xp, g, tensor1, value: g * (xp.cast(value, g.dtype) * tensor1),
    value=lambda xp, g, tensor1, tensor2: g * tensor1 * tensor2,
)


@op(
    "ops.addcdiv(input, tensor1, tensor2, value=1)",
    "ops.Addcdiv()(input_data: input, x1: tensor1, x2: tensor2, value)",
    "Tensor.addcdiv(tensor1, tensor2, *, value=1)",
    "mint.addcdiv(input, tensor1, tensor2, *, value=1)",
    types=SameDtype("input tensor1 tensor2"),
    quirks=Quirks(
        rules={"ops.Addcdiv": {"value": Divided}, "ops.addcdiv": {"value": AddcdivValue | Listed}}
    ),
)
def addcdiv(xp, input: Addcdiv, tensor1: Addcdiv, tensor2: Addcdiv, value: AddcdivValue = 1):
    """Adds a scaled quotient to the input: input + value * tensor1 / tensor2. Quotients of integers
    are rounded toward zero.

    Shapes:
        The shapes of `input`, `tensor1` and `tensor2` are broadcast. The result has the dtype to
        which they are promoted.

    Example:
        >>> print(ms.ops.addcdiv(ms.Tensor([1.0, 1.0]), ms.Tensor([2.0, 3.0]),
        ...                      ms.Tensor([4.0, 6.0]), value=2))
        [2. 2.]
    """
    value = xp.cast(value, input.dtype)
    if input.dtype.kind == "i":
        return input + _whole_quotient(xp, value * tensor1, tensor2)
    return xp.pointwise(_addcdiv, input, tensor1, tensor2, value)


def _addcdiv(xp, input, tensor1, tensor2, value):
    return input + value * tensor1 / tensor2


def _addcdiv_by_divisor(xp, g, tensor1, tensor2, value):
    return -g * (value * tensor1 / tensor2 / tensor2)


addcdiv.vjp(
    input=lambda xp, g: g,
    tensor1=lambda xp, g, tensor2, value: g * (xp.cast(value, g.dtype) / tensor2),
    tensor2=lambda xp, g, tensor1, tensor2, value: xp.pointwise(
        _addcdiv_by_divisor, g, tensor1, tensor2, xp.cast(value, g.dtype)
    ),
    value=lambda xp, g, tensor1, tensor2: g * tensor1 / tensor2,
)


@op("ops.LerpScalar()(input, end, weight)", types=Promote("input end"))
def lerp_scalar(xp, input: Floats, end: Floats, weight: Float | Int):
    """Interpolates linearly between the input and `end`: input + weight * (end - input).

    Shapes:
        The shapes of `input` and `end` are broadcast. The result has the dtype of the inputs.

    Example:
        >>> print(ms.ops.LerpScalar()(ms.Tensor([0.0, 10.0]), ms.Tensor([10.0, 20.0]), 0.25))
        [ 2.5 12.5]
    """
    return input + weight * (end - input)


@public("mint.lerp")
@shapes_first
@checked(OneDtype("input end"))
def mint_lerp(input: Inexact, end: Inexact, weight: Inexact | Number):
    """Interpolates linearly between the input and `end`: input + weight * (end - input).

    Args:
        input (Tensor): the values at weight 0.
        end (Tensor): the values at weight 1, of the same dtype.
        weight (Union[float, Tensor]): the weight of `end`.

    Returns:
        Tensor of the broadcast shape, of the dtype of `input`.

    Raises:
        TypeError: if an argument has the wrong type, or the dtypes of `input` and `end` differ.
        ValueError: if the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.lerp(ms.Tensor([0.0]), ms.Tensor([10.0]), 0.25))
        [2.5]

    Source: mindspore.mint.lerp of MindSpore 2.10.
    """
    return lerp.run(input, end, weight)
