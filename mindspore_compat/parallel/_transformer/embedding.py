"""Vocabulary embedding."""

from ... import ops
from ..._core.rules.vocabulary import InstanceOf, Int, checked
from ...common import Parameter
from ...common.initializer import initializer
from ...nn import Cell
from .feed_forward import need_multiple
from .op_parallel_config import EmbeddingOpParallelConfig, default_embedding_parallel_config

__all__ = ["VocabEmbedding"]


class VocabEmbedding(Cell):
    """Vocabulary embedding: looks up the rows of a table; returns them and the table.

    Args:
        vocab_size (int): the number of rows.
        embedding_size (int): the length of a row.
        parallel_config (EmbeddingOpParallelConfig): stored. Unless its `vocab_emb_dp` is true,
            `vocab_size` must be a multiple of its `model_parallel`.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): the table's first values.
            Default: ``"normal"``.

    Inputs:
        - **input_ids** (Tensor): int32, shape (batch, seq_length).

    Outputs:
        tuple[Tensor], shape (batch, seq_length, embedding_size), and (vocab_size, embedding_size).

    Raises:
        TypeError: if a size is not an int, or `parallel_config` is not an
            EmbeddingOpParallelConfig.
        ValueError: if a size is less than 1, or `vocab_size` is not a multiple of
            `model_parallel`.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import VocabEmbedding
        >>> embedding = VocabEmbedding(vocab_size=12, embedding_size=8)
        >>> rows, table = embedding(ms.ops.ones((2, 3), ms.int32))
        >>> rows.shape, table.shape
        ((2, 3, 8), (12, 8))

    Source: mindspore.nn.transformer.VocabEmbedding of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        vocab_size: Int(ge=1),
        embedding_size: Int(ge=1),
        parallel_config: InstanceOf(EmbeddingOpParallelConfig) = default_embedding_parallel_config,
        param_init="normal",
    ):
        super().__init__()
        if not parallel_config.vocab_emb_dp:
            parts = parallel_config.model_parallel
            need_multiple("VocabEmbedding", "vocab_size", vocab_size, "'model_parallel'", parts)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.parallel_config = parallel_config
        self.embedding_table = Parameter(
            initializer(param_init, [vocab_size, embedding_size]), "embedding_table"
        )

    def construct(self, input_ids):
        return ops.gather(self.embedding_table, input_ids, 0), self.embedding_table
