"""All transformer layers under the path that releases 1.5 to 2.2 use (a facade)."""

from .attention import AttentionMask, MultiHeadAttention
from .blocks import TransformerDecoderLayer, TransformerEncoderLayer
from .embedding import VocabEmbedding
from .feed_forward import FeedForward
from .op_parallel_config import (
    EmbeddingOpParallelConfig,
    OpParallelConfig,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    default_dpmp_config,
    default_embedding_parallel_config,
    default_transformer_config,
    default_transformer_recompute_config,
)
from .stacks import Transformer, TransformerDecoder, TransformerEncoder, _get_lambda_func

__all__ = [
    "AttentionMask",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "MultiHeadAttention",
    "OpParallelConfig",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "VocabEmbedding",
    "_get_lambda_func",
    "default_dpmp_config",
    "default_embedding_parallel_config",
    "default_transformer_config",
    "default_transformer_recompute_config",
]
