"""The transformer of releases 1.5 to 2.2, `mindspore.nn.transformer`, with its configurations.

MindSpore 2.10 no longer has it, but scripts for GPT import it. In a divided network only the
experts of `MoE` are divided; other settings for dividing layers are checked and stored. Its sparse
attention (`FixedSparseAttention`) is missing, because its pattern is not documented.
"""

from .loss import CrossEntropyLoss
from .moe import MoEConfig
from .transformer import (
    AttentionMask,
    EmbeddingOpParallelConfig,
    FeedForward,
    MultiHeadAttention,
    OpParallelConfig,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    VocabEmbedding,
)

__all__ = [
    "AttentionMask",
    "CrossEntropyLoss",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "MoEConfig",
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
]
