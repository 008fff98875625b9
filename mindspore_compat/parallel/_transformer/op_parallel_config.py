"""Parallel configurations of transformer layers, which the layers accept and store.

Each device holds whole layers, so the numbers are checked and stored; only `recompute` changes how
a layer works.
"""

from ..._core.context.config import get_auto_parallel_context
from ..._core.rules.vocabulary import Bool, InstanceOf, Int

__all__ = [
    "EmbeddingOpParallelConfig",
    "MoEParallelConfig",
    "OpParallelConfig",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "default_dpmp_config",
    "default_embedding_parallel_config",
    "default_moeparallel_config",
    "default_transformer_config",
    "default_transformer_recompute_config",
]

_Count = Int(ge=1)


class _Setting:
    """Descriptor of an attribute whose values follow a rule."""

    def __init__(self, rule):
        self.rule = rule

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, config, owner=None):
        return self if config is None else config.__dict__[self.name]

    def __set__(self, config, value):
        self.rule.refuse(type(config).__name__, self.name, value)
        config.__dict__[self.name] = value


class OpParallelConfig:
    """The numbers of data-parallel and model-parallel parts.

    Args:
        data_parallel (int): the parts of a batch. Default: ``1``.
        model_parallel (int): the parts of a weight. Default: ``1``.

    Raises:
        TypeError: if a number is not an int.
        ValueError: if a number is less than 1.

    Examples:
        >>> from mindspore_compat.nn.transformer import OpParallelConfig
        >>> OpParallelConfig(data_parallel=1, model_parallel=2).model_parallel
        2

    Source: mindspore.nn.transformer.OpParallelConfig of MindSpore 1.9.
    """

    data_parallel = _Setting(_Count)
    model_parallel = _Setting(_Count)

    def __init__(self, data_parallel=1, model_parallel=1):
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel

    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = object.__hash__


class MoEParallelConfig(OpParallelConfig):
    """The numbers of parts for data, weights and experts.

    Args:
        data_parallel (int): the parts of a batch. Default: ``1``.
        model_parallel (int): the parts of a weight. Default: ``1``.
        expert_parallel (int): the parts of the experts. Default: ``1``.

    Raises:
        TypeError: if a number is not an int.
        ValueError: if a number is less than 1.
    """

    expert_parallel = _Setting(_Count)

    def __init__(self, data_parallel=1, model_parallel=1, expert_parallel=1):
        super().__init__(data_parallel, model_parallel)
        self.expert_parallel = expert_parallel


class EmbeddingOpParallelConfig(OpParallelConfig):
    """The parallel configuration of an embedding table.

    Args:
        data_parallel (int): the parts of a batch. Default: ``1``.
        model_parallel (int): the parts of the table, if `vocab_emb_dp` is False.
            Default: ``1``.
        vocab_emb_dp (bool): whether each device holds the whole table. Default: ``True``.

    Raises:
        TypeError: if a number is not an int, or `vocab_emb_dp` is not a bool.
        ValueError: if a number is less than 1.

    Source: mindspore.nn.transformer.EmbeddingOpParallelConfig of MindSpore 1.9.
    """

    vocab_emb_dp = _Setting(Bool)

    def __init__(self, data_parallel=1, model_parallel=1, vocab_emb_dp=True):
        super().__init__(data_parallel, model_parallel)
        self.vocab_emb_dp = vocab_emb_dp

    @property
    def dp_mp_config(self):
        """The numbers of parts for data and weights alone."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


class TransformerRecomputeConfig:
    """Recomputation settings: which parts of a layer are recomputed for its gradient.

    Args:
        recompute (bool): whether layers drop intermediate values. Default: ``False``.
        parallel_optimizer_comm_recompute (bool): whether weights are gathered again from
            several devices. Default: ``False``.
        mp_comm_recompute (bool): whether parts of several devices are exchanged again.
            Default: ``True``.
        recompute_slice_activation (bool): whether stored values are divided over devices.
            Default: ``False``.

    Raises:
        TypeError: if a value is not a bool.

    Source: mindspore.nn.transformer.TransformerRecomputeConfig of MindSpore 1.9.
    """

    recompute = _Setting(Bool)
    parallel_optimizer_comm_recompute = _Setting(Bool)
    mp_comm_recompute = _Setting(Bool)
    recompute_slice_activation = _Setting(Bool)

    def __init__(
        self,
        recompute=False,
        parallel_optimizer_comm_recompute=False,
        mp_comm_recompute=True,
        recompute_slice_activation=False,
    ):
        self.recompute = recompute
        self.parallel_optimizer_comm_recompute = parallel_optimizer_comm_recompute
        self.mp_comm_recompute = mp_comm_recompute
        self.recompute_slice_activation = recompute_slice_activation


default_transformer_recompute_config = TransformerRecomputeConfig()


class TransformerOpParallelConfig:
    """The parallel configuration of a transformer, and whether its layers are recomputed.

    Args:
        data_parallel (int): the parts of a batch. Default: ``1``.
        model_parallel (int): the parts of a weight. Default: ``1``.
        expert_parallel (int): the parts of the experts. Default: ``1``.
        pipeline_stage (int): the number of groups of layers. Default: ``1``.
        micro_batch_num (int): the parts of a batch that follow each other through the groups.
            Default: ``1``.
        recompute (Union[TransformerRecomputeConfig, bool]): whether layers are recomputed.
            Default: a TransformerRecomputeConfig without recomputation.
        optimizer_shard (bool): whether the optimizer's state is divided. Default: ``False``.
        gradient_aggregation_group (int): the number of groups for the gradient exchange.
            Default: ``4``.
        vocab_emb_dp (bool): whether each device holds the whole table of an embedding.
            Default: ``True``.

    Raises:
        TypeError: if a value has the wrong type.
        ValueError: if a number is less than 1.

    Examples:
        >>> from mindspore_compat.nn.transformer import TransformerOpParallelConfig
        >>> config = TransformerOpParallelConfig(model_parallel=2, vocab_emb_dp=False)
        >>> config.dp_mp_config.model_parallel, config.embedding_dp_mp_config.vocab_emb_dp
        (2, False)

    Source: mindspore.nn.transformer.TransformerOpParallelConfig of MindSpore 1.9.
    """

    data_parallel = _Setting(_Count)
    model_parallel = _Setting(_Count)
    expert_parallel = _Setting(_Count)
    pipeline_stage = _Setting(_Count)
    micro_batch_num = _Setting(_Count)
    recompute = _Setting(InstanceOf(TransformerRecomputeConfig, bool))
    optimizer_shard = _Setting(Bool)
    gradient_aggregation_group = _Setting(_Count)
    vocab_emb_dp = _Setting(Bool)

    def __init__(
        self,
        data_parallel=1,
        model_parallel=1,
        expert_parallel=1,
        pipeline_stage=1,
        micro_batch_num=1,
        recompute=default_transformer_recompute_config,
        optimizer_shard=False,
        gradient_aggregation_group=4,
        vocab_emb_dp=True,
    ):
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel
        self.expert_parallel = expert_parallel
        self.pipeline_stage = pipeline_stage
        self.micro_batch_num = micro_batch_num
        self.recompute = recompute
        self.optimizer_shard = optimizer_shard
        self.gradient_aggregation_group = gradient_aggregation_group
        self.vocab_emb_dp = vocab_emb_dp

    @property
    def dp_mp_config(self):
        """The numbers of parts for data and weights alone."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)

    @property
    def embedding_dp_mp_config(self):
        """The part of the configuration for an embedding."""
        return EmbeddingOpParallelConfig(self.data_parallel, self.model_parallel, self.vocab_emb_dp)

    @property
    def moe_parallel_config(self):
        """The part of the configuration for a mixture of experts."""
        return MoEParallelConfig(self.data_parallel, self.model_parallel, self.expert_parallel)

    def recomputes(self):
        """Returns whether layers are recomputed."""
        return getattr(self.recompute, "recompute", self.recompute)


default_dpmp_config = OpParallelConfig()
default_moeparallel_config = MoEParallelConfig()
default_embedding_parallel_config = EmbeddingOpParallelConfig()
default_transformer_config = TransformerOpParallelConfig()


def _check_config(config):
    """Rejects a config that does not fit the pipeline stages of `set_auto_parallel_context`.

    Raises:
        ValueError: if `config` has another number of stages than the context, or fewer micro
            batches than stages.
    """
    stages = get_auto_parallel_context("pipeline_stages")
    requested = getattr(config, "pipeline_stage", stages)
    if requested != stages:
        raise ValueError(
            f"'pipeline_stage' must be that of the context, {stages}, but got {requested}."
        )
    batches = getattr(config, "micro_batch_num", stages)
    if stages > 1 and batches < stages:
        raise ValueError(
            f"'micro_batch_num' must be at least 'pipeline_stage', {stages}, but got {batches}."
        )
