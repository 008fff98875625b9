"""Layers with a dtype for their parameters and another one for their products.

Their parameters have the names and shapes that checkpoints of GPT-like models use.
"""

from ... import ops
from ..._core.rules.vocabulary import Bool, DType, Int, checked
from ...common import Parameter
from ...common.dtype import float16, float32
from ...common.initializer import initializer
from ...nn import Cell
from ...nn.layer.activation import get_activation
from .input_checks import (  # noqa: F401 - other libraries import them from here
    _args_type_validator_check,
    _check_input_dtype,
    _check_past_none_input_none,
    _LayerInputCheck,
    _valid_type_checks,
    _valid_value_checks,
)

__all__ = []

FloatType = DType("float16", "float32")


class _LayerNorm(Cell):
    """Layer normalisation over the last axis, in the dtype of its parameters.

    Args:
        normalized_shape (tuple[int]): the length of the last axis.
        eps (float): added to the variance. Default: ``1e-5``.
        param_init_type (mindspore.dtype): the dtype of the parameters. Default: ``float32``.
        is_self_defined (bool): stored; both ways compute the same. Default: ``False``.
    """

    def __init__(
        self,
        normalized_shape,
        eps=1e-5,
        param_init_type: FloatType = float32,
        is_self_defined=False,
    ):
        super().__init__()
        self.gamma = Parameter(initializer("ones", normalized_shape, param_init_type), "gamma")
        self.beta = Parameter(initializer("zeros", normalized_shape, param_init_type), "beta")
        self.eps = eps
        self.is_self_defined = is_self_defined

    def construct(self, x):
        return ops.layer_norm(
            x.astype(self.gamma.dtype), self.gamma.shape, self.gamma, self.beta, self.eps
        )


class _Linear(Cell):
    """Linear layer x @ weight + bias, computed in its own dtype; the result has the dtype of `x`.

    With several experts, each has its own weight, and the third axis of `x` from the end has one
    element per expert.

    Args:
        in_channels (int): the length of the last axis of `x`.
        out_channels (int): the length of the last axis of the result.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Default: ``"normal"``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Default: ``"zeros"``.
        has_bias (bool): whether there is a bias. Default: ``True``.
        activation (Union[str, Cell]): applied to the result. Default: ``None``.
        transpose_b (bool): whether the weight has the shape (out_channels, in_channels).
            Default: ``True``.
        expert_num (int): the number of experts. Default: ``1``.
        outer_batch (int): stored: the parts of the batch of experts. Default: ``1``.
        expert_group_size (int): stored: the tokens of a part. Default: ``None``.
        param_init_type (mindspore.dtype): the dtype of the parameters. Default: ``float32``.
        compute_dtype (mindspore.dtype): the dtype of the product. Default: ``float16``.
    """

    @checked
    def __init__(
        self,
        in_channels: Int(ge=1),
        out_channels: Int(ge=1),
        weight_init="normal",
        bias_init="zeros",
        has_bias: Bool = True,
        activation=None,
        transpose_b: Bool = True,
        expert_num: Int(ge=1) = 1,
        outer_batch: Int(ge=1) = 1,
        expert_group_size: Int(ge=1) | None = None,
        param_init_type: FloatType = float32,
        compute_dtype: FloatType = float16,
    ):
        super().__init__()
        shape = (out_channels, in_channels) if transpose_b else (in_channels, out_channels)
        experts = () if expert_num == 1 else (expert_num,)
        self.weight = Parameter(
            initializer(weight_init, (*experts, *shape), param_init_type), "weight"
        )
        self.bias = None
        if has_bias:
            shape = (1, *experts, 1, out_channels) if experts else (out_channels,)
            self.bias = Parameter(initializer(bias_init, shape, param_init_type), "bias")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.transpose_b, self.expert_num, self.outer_batch = transpose_b, expert_num, outer_batch
        self.expert_group_size, self.compute_dtype = expert_group_size, compute_dtype
        self.activation = get_activation(activation) if isinstance(activation, str) else activation

    def construct(self, x):
        weight = self.weight.astype(self.compute_dtype)
        weight = ops.swapaxes(weight, -1, -2) if self.transpose_b else weight
        out = ops.matmul(x.astype(self.compute_dtype), weight)
        if self.bias is not None:
            out = out + self.bias.astype(self.compute_dtype)
        if self.activation is not None:
            out = self.activation(out)
        return out.astype(x.dtype)
