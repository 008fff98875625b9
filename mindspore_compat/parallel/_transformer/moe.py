"""Mixture of experts: a router chooses the feed-forward layers of each token."""

import math

from ... import ops
from ..._core.rules.vocabulary import Bool, Float, Forbid, InstanceOf, Int, checked
from ..._core.sharding.network import gathered
from ...common.dtype import float32
from ...nn import Cell
from .feed_forward import FeedForward
from .layers import FloatType, _Linear
from .op_parallel_config import MoEParallelConfig, OpParallelConfig, default_moeparallel_config

__all__ = ["MoE", "MoEConfig", "default_moe_config"]


class MoEConfig:
    """The settings of a mixture of experts.

    Args:
        expert_num (int): the number of experts; 1 is a plain feed-forward layer. Default: ``1``.
        capacity_factor (float): an expert takes this many times its even share of the tokens, at
            least 1.0. Default: ``1.1``.
        aux_loss_factor (float): the weight of the loss that evens the shares, below 1.0.
            Default: ``0.05``.
        num_experts_chosen (int): how many experts a token goes to. Default: ``1``.
        expert_group_size (int): stored: the tokens of a device. Default: ``None``.
        group_wise_a2a (bool): stored: how devices exchange tokens. Default: ``False``.
        comp_comm_parallel (bool): stored only. Default: ``False``.
        comp_comm_parallel_degree (int): stored only. Default: ``2``.

    Raises:
        TypeError: if a value has the wrong type.
        ValueError: if a value is outside its range, or more experts are chosen than there are.

    Examples:
        >>> from mindspore_compat.nn.transformer import MoEConfig
        >>> MoEConfig(expert_num=4, num_experts_chosen=2).capacity_factor
        1.1

    Source: mindspore.nn.transformer.MoEConfig of MindSpore 1.9.
    """

    @checked(Forbid("num_experts_chosen > expert_num"))
    def __init__(
        self,
        expert_num: Int(ge=1) = 1,
        capacity_factor: Float(ge=1.0) = 1.1,
        aux_loss_factor: Float(gt=0.0, lt=1.0) = 0.05,
        num_experts_chosen: Int(ge=1) = 1,
        expert_group_size: Int(ge=1) | None = None,
        group_wise_a2a: Bool = False,
        comp_comm_parallel: Bool = False,
        comp_comm_parallel_degree: Int(ge=1) = 2,
    ):
        self.expert_num = expert_num
        self.capacity_factor = capacity_factor
        self.aux_loss_factor = aux_loss_factor
        self.num_experts_chosen = num_experts_chosen
        self.expert_group_size = expert_group_size
        self.group_wise_a2a = group_wise_a2a
        self.comp_comm_parallel = comp_comm_parallel
        self.comp_comm_parallel_degree = comp_comm_parallel_degree


default_moe_config = MoEConfig()


class MoE(Cell):
    """Mixture of experts: a router sends each token to its most probable feed-forward layers.

    The capacity of an expert is `capacity_factor` times an even share of the tokens; further tokens
    are dropped. The second result is `aux_loss_factor` * E * sum(f * p) for E experts, where f is
    the share of tokens whose first choice an expert is, and p its mean probability: the loss of
    "Switch Transformers" (https://arxiv.org/abs/2101.03961).

    Args:
        hidden_size (int): the features of a token.
        ffn_hidden_size (int): the features between the two products of an expert.
        dropout_rate (float): of the experts' outputs.
        hidden_act (Union[str, Cell]): the activation between the products. Default: ``"gelu"``.
        param_init_type (mindspore.dtype): the dtype of the parameters. Default: ``float32``.
        moe_config (MoEConfig): the experts. Default: one.
        parallel_config (Union[OpParallelConfig, MoEParallelConfig]): where a network runs divided,
            `expert_parallel` processes share the experts: each holds some of them, receives their
            tokens and sends back the results. The rest is stored.

    Inputs:
        - **x** (Tensor): shape (..., hidden_size).

    Outputs:
        tuple[Tensor], of the shape of `x`, and the loss.
    """

    @checked
    def __init__(
        self,
        hidden_size: Int(ge=1),
        ffn_hidden_size: Int(ge=1),
        dropout_rate: Float(ge=0.0, lt=1.0),
        hidden_act="gelu",
        param_init_type: FloatType = float32,
        moe_config: InstanceOf(MoEConfig) = default_moe_config,
        parallel_config: InstanceOf(
            OpParallelConfig, MoEParallelConfig
        ) = default_moeparallel_config,
    ):
        super().__init__()
        self.config = moe_config
        self.parallel_config = parallel_config
        self.ffn = FeedForward(
            hidden_size,
            ffn_hidden_size,
            dropout_rate,
            hidden_act,
            moe_config.expert_num,
            moe_config.expert_group_size,
            param_init_type,
        )
        parts = getattr(parallel_config, "expert_parallel", 1)
        if parts > 1:
            _check_moe_config(moe_config, parallel_config)
            by_expert = 1, parts, 1, 1
            plan = {}
            for layer in ("mapping", "projection"):
                plan[f"{layer}.weight"], plan[f"{layer}.bias"] = by_expert[1:], by_expert
            self.ffn.shard((by_expert,), None, plan)
        self.router = _Linear(
            hidden_size, moe_config.expert_num, has_bias=False, compute_dtype=float32
        )

    def construct(self, x):
        tokens = x.reshape((-1, x.shape[-1]))
        config, count = self.config, tokens.shape[0]
        share = config.num_experts_chosen * count / config.expert_num
        capacity = min(count, math.ceil(share * config.capacity_factor))
        probabilities = ops.softmax(self.router(tokens.astype(float32)), -1)
        weights, experts = ops.topk(probabilities, config.num_experts_chosen)
        dispatch = self._seats(experts, capacity)  # (choices, tokens, experts, capacity)
        slots = dispatch.sum(0).astype(x.dtype)
        expert_inputs = ops.matmul(slots.reshape((count, -1)).swapaxes(0, 1), tokens)
        outputs = self.ffn(expert_inputs.reshape((1, config.expert_num, capacity, -1)))
        combine = (dispatch * weights.swapaxes(0, 1)[..., None, None]).sum(0)
        combine = combine.reshape((count, -1)).astype(x.dtype)
        out = ops.matmul(combine, outputs.reshape((config.expert_num * capacity, -1)))
        return out.reshape(x.shape), self._loss(probabilities, experts[:, 0])

    def _seats(self, chosen, capacity):
        """Returns an array that is 1 where a token gets a slot of an expert; first choices take
        precedence."""
        choices = ops.one_hot(chosen.swapaxes(0, 1), self.config.expert_num)
        choices = choices.astype(float32)
        in_order = gathered(choices).reshape((-1, self.config.expert_num))
        order = in_order.cumsum(0).reshape(choices.shape)
        seats = ((order - 1) * choices).sum(-1).astype("int32")
        seats = ops.one_hot(seats, capacity).astype(float32)  # zeros above the capacity
        return choices[..., None] * seats[..., None, :]

    def _loss(self, probabilities, first):
        count = self.config.expert_num
        shares = ops.one_hot(first, count).astype(float32).mean(0)
        return self.config.aux_loss_factor * count * (shares * probabilities.mean(0)).sum()


def _check_moe_config(moe_config=None, parallel_config=None):
    """Refuses a value that is not a MoEConfig, or experts that cannot be divided as configured.

    Raises:
        TypeError: if `moe_config` is not a MoEConfig.
        ValueError: if the number of experts is not a multiple of `parallel_config.expert_parallel`.
    """
    InstanceOf(MoEConfig).refuse("MoE", "moe_config", moe_config)
    parts = getattr(parallel_config, "expert_parallel", 1)
    if moe_config.expert_num % parts:
        raise ValueError(
            f"For 'MoE', 'expert_num' must be a multiple of 'expert_parallel', {parts}, but got "
            f"{moe_config.expert_num}."
        )
