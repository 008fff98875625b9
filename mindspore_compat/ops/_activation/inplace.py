"""In-place activations, which write their result into their input.

Each function runs the op of the same name and writes its result into the input. While a gradient is
recorded, the Tensor gets a new array instead, as in every in-place operation.
"""

from ..._core.declare.public_api import public
from ..._core.declare.writing import write_back
from ..._core.rules.vocabulary import Bool, Float, Number, TensorOf, any_dtype, checked
from .._rules import Floats, Numbers, Reals
from .elu import elu_ext
from .hard import hardtanh
from .relu import relu
from .shrink import threshold_ext
from .sigmoid import sigmoid, silu


@public("mint.nn.functional.relu_")
@checked
def relu_(input: Numbers):
    """Applies ReLU in place, max(input, 0), and returns `input`.

    Args:
        input (Tensor): what is changed.

    Returns:
        `input`.

    Example:
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> _ = ms.mint.nn.functional.relu_(x)
        >>> print(x)
        [0. 2.]
    """
    return write_back(input, relu.run(input))


@public("mint.nn.functional.sigmoid_", "ops.inplace_sigmoid", "Tensor.sigmoid_")
@checked
def sigmoid_(input: Floats):
    """Applies the sigmoid in place, 1 / (1 + exp(-input)), and returns `input`.

    Args:
        input (Tensor): what is changed.

    Returns:
        `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.inplace_sigmoid(ms.Tensor([0.0, 1.0])))
        [0.5       0.7310586]
    """
    return write_back(input, sigmoid.run(input))


@public("mint.nn.functional.elu_", "mint.nn.functional.inplace_elu")
@checked
def elu_(input: TensorOf(any_dtype), alpha: Float = 1.0):
    """Applies ELU in place: the input where it is positive, alpha (exp(input) - 1) elsewhere.

    Args:
        input (Tensor): what is changed.
        alpha (float): the factor of the negative part. Default: 1.0.

    Returns:
        `input`.

    Example:
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> _ = ms.mint.nn.functional.elu_(x)
        >>> print(x)
        [-0.63212055  2.        ]
    """
    return write_back(input, elu_ext.run(input, alpha))


@public("mint.nn.functional.inplace_silu")
@checked
def silu_(input: Floats):
    """Applies SiLU in place, input * sigmoid(input), and returns `input`.

    Args:
        input (Tensor): what is changed.

    Returns:
        `input`.

    Example:
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> _ = ms.mint.nn.functional.silu(x, inplace=True)
        >>> print(x)
        [-0.2689414  1.761594 ]
    """
    return write_back(input, silu.run(input))


@public("mint.nn.functional.hardtanh_")
@checked
def hardtanh_(input: Reals, min_val: Number | Bool = -1, max_val: Number | Bool = 1):
    """Applies hard tanh in place: clips `input` to [min_val, max_val].

    Args:
        input (Tensor): what is changed.
        min_val (Number): the lower bound. Default: -1.
        max_val (Number): the upper bound. Default: 1.

    Returns:
        `input`.

    Example:
        >>> x = ms.Tensor([-3.0, 0.5, 2.0])
        >>> _ = ms.mint.nn.functional.hardtanh_(x)
        >>> print(x)
        [-1.   0.5  1. ]
    """
    return write_back(input, hardtanh.run(input, min_val, max_val))


@public("mint.nn.functional.threshold_")
@checked
def threshold_(input: Numbers, threshold: Number, value: Number):
    """Thresholds `input` in place: elements that do not exceed `threshold` become `value`.

    Args:
        input (Tensor): what is changed.
        threshold (float): the threshold.
        value (float): what replaces the other elements.

    Returns:
        `input`.

    Example:
        >>> x = ms.Tensor([-3.0, 0.5, 2.0])
        >>> _ = ms.mint.nn.functional.threshold_(x, 1.0, 9.0)
        >>> print(x)
        [9. 9. 2.]
    """
    return write_back(input, threshold_ext.run(input, threshold, value))
