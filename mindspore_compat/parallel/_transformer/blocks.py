"""The layers that an encoder and a decoder repeat: attention, then a feed-forward layer.

The output of each is added to its input, which is normalised first (or, with
`post_layernorm_residual`, the normalised input is added). With `use_past` the keys and values of
earlier tokens are Parameters of the layer.
"""

from ... import ops
from ..._core.rules.vocabulary import Bool, CellOf, Float, InstanceOf, Int, Str, checked
from ...common import Parameter
from ...common.dtype import float16, float32
from ...nn import Cell
from ._documented import documented
from .attention import MultiHeadAttention
from .feed_forward import FeedForward
from .layers import FloatType, _LayerNorm
from .moe import MoE, MoEConfig, default_moe_config
from .op_parallel_config import MoEParallelConfig, OpParallelConfig, default_dpmp_config

__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]

Rate = Float(ge=0.0, lt=1.0)
Batch = Int(ge=1) | None
_Config = InstanceOf(OpParallelConfig, MoEParallelConfig)


class _Block(Cell):
    """Common parts of both layers: normalisation, dropout and experts of the feed-forward part."""

    def _build(self, sizes, rates, types, hidden_act, moe_config, parallel_config):
        hidden_size, ffn_hidden_size, num_heads, batch_size = sizes
        hidden_rate, attention_rate = rates
        layernorm_type, softmax_type, param_type = types
        self.batch_size, self.hidden_size, self.num_heads = batch_size, hidden_size, num_heads
        self.parallel_config = parallel_config
        self.layernorm1 = _LayerNorm((hidden_size,), param_init_type=layernorm_type)
        self.layernorm2 = _LayerNorm((hidden_size,), param_init_type=layernorm_type)
        self.use_moe = moe_config.expert_num > 1
        if self.use_moe:
            self.output = MoE(
                hidden_size,
                ffn_hidden_size,
                hidden_rate,
                hidden_act,
                param_type,
                moe_config,
                parallel_config,
            )
        else:
            self.output = FeedForward(
                hidden_size,
                ffn_hidden_size,
                hidden_rate,
                hidden_act,
                param_init_type=param_type,
                parallel_config=parallel_config,
            )

        def attention(queries, keys):
            return MultiHeadAttention(
                batch_size,
                queries,
                keys,
                hidden_size,
                num_heads,
                hidden_rate,
                attention_rate,
                softmax_compute_type=softmax_type,
                param_init_type=param_type,
                use_past=self.use_past,
                parallel_config=OpParallelConfig(
                    parallel_config.data_parallel, parallel_config.model_parallel
                ),
            )

        return attention

    def _add_past(self, length):
        """Creates the Parameters of keys and values for token-by-token generation."""
        if self.use_past:
            Int(ge=1).refuse(type(self).__name__, "batch_size", self.batch_size)
            size = self.hidden_size // self.num_heads
            shape = (self.batch_size, self.num_heads, size, length)
            self.key_past = Parameter(ops.zeros(shape, float16), "key_past")
            shape = (self.batch_size, self.num_heads, length, size)
            self.value_past = Parameter(ops.zeros(shape, float16), "value_past")

    def _self_attended(self, normal, mask, init_reset, batch_valid_length):
        """Returns the self-attention of the input, and its keys and values, which are stored."""
        if not self.use_past:
            return self.attention(normal, normal, normal, mask)
        past = [self.key_past * init_reset, self.value_past * init_reset]
        out, present = self.attention(normal, normal, normal, mask, *past, batch_valid_length)
        ops.assign(self.key_past, present[0].astype(float16))
        ops.assign(self.value_past, present[1].astype(float16))
        return out, present

    def _feed_forward(self, x):
        """Returns the feed-forward part with its residual connection, and its loss or None."""
        normal = self.layernorm2(x).astype(x.dtype)
        out, loss = self.output(normal) if self.use_moe else (self.output(normal), None)
        return (normal if self.post_layernorm_residual else x) + out, loss

    def _outputs(self, out, present, loss):
        return (out, present) if loss is None else (out, present, loss)


@documented
class TransformerEncoderLayer(_Block):
    """Transformer encoder layer: self-attention and a feed-forward layer.

    Args:
        ffn_hidden_size (int): the features within the feed-forward layer.
        seq_length (int): the length of a sequence.
        use_past (bool): whether tokens are generated one by one; see MultiHeadAttention.
            Default: ``False``.
        moe_config (MoEConfig): experts in place of the feed-forward layer. Default: one.

    Inputs:
        - **x** (Tensor): shape (batch, seq_length, hidden_size), or with two axes as one.
        - **input_mask** (Tensor): shape (batch, seq_length, seq_length), or None.
        - **init_reset** (Tensor): bool, shape (1,): False discards the previous tokens.
          Default: ``True``.
        - **batch_valid_length** (Tensor): int32, shape (batch,), the number of tokens so far.

    Outputs:
        tuple, the result, of the shape of `x`, and the pair of keys and values; with several
        experts their loss too.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is outside its range, or sizes do not divide each other.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import TransformerEncoderLayer
        >>> layer = TransformerEncoderLayer(
        ...     batch_size=3, hidden_size=6, ffn_hidden_size=12, seq_length=5, num_heads=3
        ... )
        >>> out, (key, value) = layer(ms.ops.ones((3, 5, 6)), ms.ops.ones((3, 5, 5)))
        >>> out.shape, key.shape, value.shape
        ((3, 5, 6), (3, 3, 2, 5), (3, 3, 5, 2))

    Source: mindspore.nn.transformer.TransformerEncoderLayer of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        batch_size: Batch,
        hidden_size: Int(ge=1),
        ffn_hidden_size: Int(ge=1),
        num_heads: Int(ge=1),
        seq_length: Int(ge=1),
        attention_dropout_rate: Rate = 0.1,
        hidden_dropout_rate: Rate = 0.1,
        post_layernorm_residual: Bool = False,
        layernorm_compute_type: FloatType = float32,
        softmax_compute_type: FloatType = float32,
        param_init_type: FloatType = float32,
        hidden_act: Str | CellOf() = "gelu",
        use_past: Bool = False,
        moe_config: InstanceOf(MoEConfig) = default_moe_config,
        parallel_config: _Config = default_dpmp_config,
    ):
        super().__init__()
        self.use_past, self.post_layernorm_residual = use_past, post_layernorm_residual
        self.seq_length = seq_length
        attention = self._build(
            (hidden_size, ffn_hidden_size, num_heads, batch_size),
            (hidden_dropout_rate, attention_dropout_rate),
            (layernorm_compute_type, softmax_compute_type, param_init_type),
            hidden_act,
            moe_config,
            parallel_config,
        )
        self.attention = attention(seq_length, seq_length)
        self._add_past(seq_length)

    def construct(self, x, input_mask=None, init_reset=True, batch_valid_length=None):
        normal = self.layernorm1(x).astype(x.dtype)
        attended, present = self._self_attended(normal, input_mask, init_reset, batch_valid_length)
        out, loss = self._feed_forward((normal if self.post_layernorm_residual else x) + attended)
        return self._outputs(out, present, loss)


@documented
class TransformerDecoderLayer(_Block):
    """Transformer decoder layer: self-attention, cross-attention and a feed-forward layer.

    Args:
        ffn_hidden_size (int): the features within the feed-forward layer.
        src_seq_length (int): the length of the encoder's sequences.
        tgt_seq_length (int): the length of the decoder's sequences.
        moe_config (MoEConfig): experts in place of the feed-forward layer. Default: one.

    Inputs:
        - **hidden_stats** (Tensor): shape (batch, tgt_seq_length, hidden_size), or with two axes as
          one.
        - **decoder_mask** (Tensor): shape (batch, tgt_seq_length, tgt_seq_length), or None.
        - **encoder_output** (Tensor): shape (batch, src_seq_length, hidden_size); None leaves out
          the attention to it. Default: ``None``.
        - **memory_mask** (Tensor): shape (batch, tgt_seq_length, src_seq_length), or None.
        - **init_reset** (Tensor): bool, shape (1,): False discards the previous tokens.
          Default: ``True``.
        - **batch_valid_length** (Tensor): int32, shape (batch,), the number of tokens so far.

    Outputs:
        tuple, the result, of the shape of `hidden_stats`, and keys and values of the attention to
        itself and, with an encoder, of the attention to it; with several experts, their loss too.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is outside its range, or sizes do not divide each other.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import TransformerDecoderLayer
        >>> layer = TransformerDecoderLayer(
        ...     batch_size=2, hidden_size=8, ffn_hidden_size=16, num_heads=2,
        ...     src_seq_length=6, tgt_seq_length=4,
        ... )
        >>> ones = ms.ops.ones
        >>> out, present = layer(
        ...     ones((2, 4, 8)), ones((2, 4, 4)), ones((2, 6, 8)), ones((2, 4, 6))
        ... )
        >>> out.shape, [each.shape for each in present]
        ((2, 4, 8), [(2, 2, 4, 4), (2, 2, 4, 4), (2, 2, 4, 6), (2, 2, 6, 4)])

    Source: mindspore.nn.transformer.TransformerDecoderLayer of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        hidden_size: Int(ge=1),
        ffn_hidden_size: Int(ge=1),
        num_heads: Int(ge=1),
        batch_size: Batch,
        src_seq_length: Int(ge=1),
        tgt_seq_length: Int(ge=1),
        attention_dropout_rate: Rate = 0.1,
        hidden_dropout_rate: Rate = 0.1,
        post_layernorm_residual: Bool = False,
        use_past: Bool = False,
        layernorm_compute_type: FloatType = float32,
        softmax_compute_type: FloatType = float32,
        param_init_type: FloatType = float32,
        hidden_act: Str | CellOf() = "gelu",
        moe_config: InstanceOf(MoEConfig) = default_moe_config,
        parallel_config: _Config = default_dpmp_config,
    ):
        super().__init__()
        self.use_past, self.post_layernorm_residual = use_past, post_layernorm_residual
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        attention = self._build(
            (hidden_size, ffn_hidden_size, num_heads, batch_size),
            (hidden_dropout_rate, attention_dropout_rate),
            (layernorm_compute_type, softmax_compute_type, param_init_type),
            hidden_act,
            moe_config,
            parallel_config,
        )
        self.attention = attention(tgt_seq_length, tgt_seq_length)
        self.cross_attention = attention(tgt_seq_length, src_seq_length)
        self.cross_attention.use_past = False  # the encoder's output does not grow
        self.cross_attention_layernorm = _LayerNorm(
            (hidden_size,), param_init_type=layernorm_compute_type
        )
        self._add_past(tgt_seq_length)

    def construct(
        self,
        hidden_stats,
        decoder_mask=None,
        encoder_output=None,
        memory_mask=None,
        init_reset=True,
        batch_valid_length=None,
    ):
        x = hidden_stats
        normal = self.layernorm1(x).astype(x.dtype)
        attended, present = self._self_attended(
            normal, decoder_mask, init_reset, batch_valid_length
        )
        x = (normal if self.post_layernorm_residual else x) + attended
        if encoder_output is not None:
            normal = self.cross_attention_layernorm(x).astype(x.dtype)
            attended, cross = self.cross_attention(
                normal, encoder_output, encoder_output, memory_mask
            )
            x = (normal if self.post_layernorm_residual else x) + attended
            present = (*present, *cross)
        out, loss = self._feed_forward(x)
        return self._outputs(out, present, loss)
