"""The feed-forward layer of a transformer."""

from ..._core.rules.vocabulary import CellOf, Float, InstanceOf, Int, Str, checked
from ...common.dtype import float32
from ...nn import Cell, Dropout
from .layers import FloatType, _Linear
from .op_parallel_config import MoEParallelConfig, OpParallelConfig, default_dpmp_config

__all__ = ["FeedForward"]


def need_multiple(api, name, value, other, parts):
    """Raises ValueError for a number that is not a multiple of another one."""
    if value % parts:
        raise ValueError(
            f"For '{api}', '{name}' must be a multiple of {other}, {parts}, but got {value}."
        )


class FeedForward(Cell):
    """Feed-forward layer: dropout(activation(x @ W1 + b1) @ W2 + b2), with products in float16.

    Args:
        hidden_size (int): the features of the input and of the result.
        ffn_hidden_size (int): the features in between.
        dropout_rate (float): of the result, in [0, 1).
        hidden_act (Union[str, Cell]): the activation in between. Default: ``"gelu"``.
        expert_num (int): the number of experts; with several the input has their number as its
            third axis from the end. Default: ``1``.
        expert_group_size (int): stored: the tokens of a device. Default: ``None``.
        param_init_type (mindspore.dtype): the dtype of the parameters. Default: ``float32``.
        parallel_config (Union[OpParallelConfig, MoEParallelConfig]): stored.

    Inputs:
        - **x** (Tensor): shape (batch, seq_length, hidden_size) or (batch * seq_length,
          hidden_size).

    Outputs:
        Tensor, of the shape and dtype of `x`.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a size is not a multiple of `parallel_config.model_parallel`, or
            `dropout_rate` is outside its range.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import FeedForward
        >>> layer = FeedForward(hidden_size=6, ffn_hidden_size=24, dropout_rate=0.2)
        >>> layer(ms.ops.ones((3, 5, 6))).shape
        (3, 5, 6)

    Source: mindspore.nn.transformer.FeedForward of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        hidden_size: Int(ge=1),
        ffn_hidden_size: Int(ge=1),
        dropout_rate: Float(ge=0.0, lt=1.0),
        hidden_act: Str | CellOf() = "gelu",
        expert_num: Int(ge=1) = 1,
        expert_group_size: Int(ge=1) | None = None,
        param_init_type: FloatType = float32,
        parallel_config: InstanceOf(OpParallelConfig, MoEParallelConfig) = default_dpmp_config,
    ):
        super().__init__()
        parts = parallel_config.model_parallel
        need_multiple("FeedForward", "hidden_size", hidden_size, "'model_parallel'", parts)
        need_multiple("FeedForward", "ffn_hidden_size", ffn_hidden_size, "'model_parallel'", parts)
        shared = dict(
            transpose_b=False,
            expert_num=expert_num,
            expert_group_size=expert_group_size,
            param_init_type=param_init_type,
        )
        self.hidden_size, self.expert_num = hidden_size, expert_num
        self.parallel_config = parallel_config
        self.mapping = _Linear(hidden_size, ffn_hidden_size, activation=hidden_act, **shared)
        self.projection = _Linear(ffn_hidden_size, hidden_size, **shared)
        self.dropout = Dropout(p=dropout_rate)

    def construct(self, x):
        return self.dropout(self.projection(self.mapping(x)))
