"""Encoder, decoder, and both together: layers one after another."""

from ..._core.rules.vocabulary import Bool, Callable, CellOf, InstanceOf, Int, Str, checked
from ...common.dtype import float32
from ...nn import Cell, CellList
from ._documented import documented
from .blocks import Batch, Rate, TransformerDecoderLayer, TransformerEncoderLayer
from .layers import FloatType
from .moe import MoEConfig, default_moe_config
from .op_parallel_config import TransformerOpParallelConfig, default_transformer_config

__all__ = ["Transformer", "TransformerDecoder", "TransformerEncoder"]

_Config = InstanceOf(TransformerOpParallelConfig)


def _get_lambda_func(total_layer=None):
    """Returns the function that sets the pipeline stage and the recomputation of a layer.

    Args:
        total_layer (int): the layers of all stages. Default: ``None``, the layers of the stack.

    Returns:
        Callable, of a layer, its number, the offset of the numbers, the configuration and the
        number of layers.
    """

    def set_options(network, layer_id, offset, parallel_config, layers):
        layers = total_layer or layers
        stages = parallel_config.pipeline_stage
        stage = min((layer_id + offset) * stages // layers, stages - 1)
        network.pipeline_stage = stage
        if parallel_config.recomputes():
            network.recompute()

    return set_options


def _create_layers(make, count, lambda_func, offset, parallel_config):
    """Creates `count` layers and passes each to `lambda_func`."""
    blocks = CellList()
    for number in range(count):
        block = make()
        lambda_func(
            block, layer_id=number, offset=offset, parallel_config=parallel_config, layers=count
        )
        blocks.append(block)
    return blocks


class _Stack(Cell):
    """A stack of layers; each receives the result of the previous one."""

    def _through(self, x, *inputs):
        """Returns the result of the last layer, keys and values of each, and the sum of their
        losses."""
        presents, loss = (), 0.0
        for block in self.blocks:
            x, present, *losses = block(x, *inputs)
            presents += (present,)
            loss = sum(losses, loss)
        return (x, presents, loss) if self.use_moe else (x, presents)


@documented
class TransformerEncoder(_Stack):
    """Transformer encoder: a stack of TransformerEncoderLayers.

    Args:
        num_layers (int): the number of layers.
        ffn_hidden_size (int): the features within the feed-forward layers.
        seq_length (int): the length of a sequence.
        lambda_func (Callable): called with each layer, `layer_id`, `offset`, `parallel_config` and
            `layers`, to set its stage and other settings. Default: ``None``, a function that sets
            the stage, and `recompute` if `parallel_config` enables it.
        offset (int): the number of the first layer. Default: ``0``.
        moe_config (MoEConfig): experts in place of the feed-forward layers. Default: one.
        parallel_config (TransformerOpParallelConfig): the parallel configuration.

    Inputs:
        As in TransformerEncoderLayer.

    Outputs:
        tuple, the result, and a tuple with the keys and values of each layer; with several experts
        their loss too.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is outside its range, or sizes do not divide each other.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import TransformerEncoder
        >>> encoder = TransformerEncoder(
        ...     batch_size=1, num_layers=3, hidden_size=6, ffn_hidden_size=12, seq_length=5,
        ...     num_heads=2,
        ... )
        >>> out, past = encoder(ms.ops.ones((1, 5, 6)), ms.ops.ones((1, 5, 5)))
        >>> out.shape, len(past), past[0][0].shape
        ((1, 5, 6), 3, (1, 2, 3, 5))

    Source: mindspore.nn.transformer.TransformerEncoder of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        batch_size: Batch,
        num_layers: Int(ge=1),
        hidden_size: Int(ge=1),
        ffn_hidden_size: Int(ge=1),
        seq_length: Int(ge=1),
        num_heads: Int(ge=1),
        attention_dropout_rate: Rate = 0.1,
        hidden_dropout_rate: Rate = 0.1,
        hidden_act: Str | CellOf() = "gelu",
        post_layernorm_residual: Bool = False,
        layernorm_compute_type: FloatType = float32,
        softmax_compute_type: FloatType = float32,
        param_init_type: FloatType = float32,
        lambda_func: Callable | None = None,
        offset: Int(ge=0) = 0,
        use_past: Bool = False,
        moe_config: InstanceOf(MoEConfig) = default_moe_config,
        parallel_config: _Config = default_transformer_config,
    ):
        super().__init__()
        self.num_layers, self.use_moe = num_layers, moe_config.expert_num > 1

        def layer():
            return TransformerEncoderLayer(
                batch_size,
                hidden_size,
                ffn_hidden_size,
                num_heads,
                seq_length,
                attention_dropout_rate,
                hidden_dropout_rate,
                post_layernorm_residual,
                layernorm_compute_type,
                softmax_compute_type,
                param_init_type,
                hidden_act,
                use_past,
                moe_config,
                parallel_config.moe_parallel_config,
            )

        get_config = lambda_func or _get_lambda_func()
        self.blocks = _create_layers(layer, num_layers, get_config, offset, parallel_config)

    def construct(self, hidden_states, attention_mask, init_reset=True, batch_valid_length=None):
        return self._through(hidden_states, attention_mask, init_reset, batch_valid_length)


@documented
class TransformerDecoder(_Stack):
    """Transformer decoder: a stack of TransformerDecoderLayers.

    Args:
        num_layers (int): the number of layers.
        ffn_hidden_size (int): the features within the feed-forward layers.
        src_seq_length (int): the length of the encoder's sequences.
        tgt_seq_length (int): the length of the decoder's sequences.
        lambda_func (Callable): as in TransformerEncoder. Default: ``None``.
        offset (int): the number of the first layer. Default: ``0``.
        moe_config (MoEConfig): experts in place of the feed-forward layers. Default: one.
        parallel_config (TransformerOpParallelConfig): the parallel configuration.

    Inputs:
        As in TransformerDecoderLayer.

    Outputs:
        tuple, the result, and a tuple with the keys and values of each layer; with several experts
        their loss too.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is outside its range, or sizes do not divide each other.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import TransformerDecoder
        >>> decoder = TransformerDecoder(
        ...     num_layers=1, batch_size=2, hidden_size=8, ffn_hidden_size=16, num_heads=2,
        ...     src_seq_length=6, tgt_seq_length=4,
        ... )
        >>> ones = ms.ops.ones
        >>> out, past = decoder(
        ...     ones((2, 4, 8)), ones((2, 4, 4)), ones((2, 6, 8)), ones((2, 4, 6))
        ... )
        >>> out.shape, len(past[0])
        ((2, 4, 8), 4)

    Source: mindspore.nn.transformer.TransformerDecoder of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        num_layers: Int(ge=1),
        batch_size: Batch,
        hidden_size: Int(ge=1),
        ffn_hidden_size: Int(ge=1),
        src_seq_length: Int(ge=1),
        tgt_seq_length: Int(ge=1),
        num_heads: Int(ge=1),
        attention_dropout_rate: Rate = 0.1,
        hidden_dropout_rate: Rate = 0.1,
        post_layernorm_residual: Bool = False,
        layernorm_compute_type: FloatType = float32,
        softmax_compute_type: FloatType = float32,
        param_init_type: FloatType = float32,
        hidden_act: Str | CellOf() = "gelu",
        lambda_func: Callable | None = None,
        use_past: Bool = False,
        offset: Int(ge=0) = 0,
        moe_config: InstanceOf(MoEConfig) = default_moe_config,
        parallel_config: _Config = default_transformer_config,
    ):
        super().__init__()
        self.num_layers, self.use_moe = num_layers, moe_config.expert_num > 1

        def layer():
            return TransformerDecoderLayer(
                hidden_size=hidden_size,
                ffn_hidden_size=ffn_hidden_size,
                num_heads=num_heads,
                batch_size=batch_size,
                src_seq_length=src_seq_length,
                tgt_seq_length=tgt_seq_length,
                attention_dropout_rate=attention_dropout_rate,
                hidden_dropout_rate=hidden_dropout_rate,
                post_layernorm_residual=post_layernorm_residual,
                use_past=use_past,
                layernorm_compute_type=layernorm_compute_type,
                softmax_compute_type=softmax_compute_type,
                param_init_type=param_init_type,
                hidden_act=hidden_act,
                moe_config=moe_config,
                parallel_config=parallel_config.moe_parallel_config,
            )

        get_config = lambda_func or _get_lambda_func()
        self.blocks = _create_layers(layer, num_layers, get_config, offset, parallel_config)

    def construct(
        self,
        hidden_states,
        attention_mask,
        encoder_output=None,
        memory_mask=None,
        init_reset=True,
        batch_valid_length=None,
    ):
        return self._through(
            hidden_states,
            attention_mask,
            encoder_output,
            memory_mask,
            init_reset,
            batch_valid_length,
        )


@documented
class Transformer(Cell):
    """Transformer: an encoder and a decoder that attends to its result, or only an encoder.

    Args:
        ffn_hidden_size (int): the features within the feed-forward layers.
        src_seq_length (int): the length of the encoder's sequences.
        tgt_seq_length (int): the length of the decoder's sequences.
        encoder_layers (int): the layers of the encoder. Default: ``3``.
        decoder_layers (int): the layers of the decoder; none with 0. Default: ``3``.
        num_heads (int): the number of heads. Default: ``2``.
        lambda_func (Callable): as in TransformerEncoder. Default: ``None``.
        moe_config (MoEConfig): experts in place of the feed-forward layers. Default: one.
        parallel_config (TransformerOpParallelConfig): the parallel configuration.

    Inputs:
        - **encoder_inputs** (Tensor): shape (batch, src_seq_length, hidden_size).
        - **encoder_masks** (Tensor): shape (batch, src_seq_length, src_seq_length), or None.
        - **decoder_inputs** (Tensor): shape (batch, tgt_seq_length, hidden_size); None without
          decoder.
        - **decoder_masks** (Tensor): shape (batch, tgt_seq_length, tgt_seq_length), or None.
        - **memory_mask** (Tensor): shape (batch, tgt_seq_length, src_seq_length), or None.
        - **init_reset** (Tensor): bool, shape (1,): False discards the previous tokens.
          Default: ``True``.
        - **batch_valid_length** (Tensor): int32, shape (batch,), the number of tokens so far.

    Outputs:
        tuple, the decoder's result (without decoder the encoder's), keys and values of the
        encoder's layers and of the decoder's, None without decoder; with several experts their
        loss too.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is outside its range, or there is no encoder.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import Transformer
        >>> model = Transformer(
        ...     batch_size=2, encoder_layers=1, decoder_layers=2, hidden_size=8,
        ...     ffn_hidden_size=16, src_seq_length=6, tgt_seq_length=4,
        ... )
        >>> ones = ms.ops.ones
        >>> out, encoded, decoded = model(
        ...     ones((2, 6, 8)), ones((2, 6, 6)), ones((2, 4, 8)), ones((2, 4, 4)), ones((2, 4, 6))
        ... )
        >>> out.shape, len(encoded), len(decoded)
        ((2, 4, 8), 1, 2)

    Source: mindspore.nn.transformer.Transformer of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        hidden_size: Int(ge=1),
        batch_size: Batch,
        ffn_hidden_size: Int(ge=1),
        src_seq_length: Int(ge=1),
        tgt_seq_length: Int(ge=1),
        encoder_layers: Int(ge=1) = 3,
        decoder_layers: Int(ge=0) = 3,
        num_heads: Int(ge=1) = 2,
        attention_dropout_rate: Rate = 0.1,
        hidden_dropout_rate: Rate = 0.1,
        hidden_act: Str | CellOf() = "gelu",
        post_layernorm_residual: Bool = False,
        layernorm_compute_type: FloatType = float32,
        softmax_compute_type: FloatType = float32,
        param_init_type: FloatType = float32,
        lambda_func: Callable | None = None,
        use_past: Bool = False,
        moe_config: InstanceOf(MoEConfig) = default_moe_config,
        parallel_config: _Config = default_transformer_config,
    ):
        super().__init__()
        self.use_moe = moe_config.expert_num > 1
        shared = dict(
            batch_size=batch_size,
            hidden_size=hidden_size,
            ffn_hidden_size=ffn_hidden_size,
            num_heads=num_heads,
            attention_dropout_rate=attention_dropout_rate,
            hidden_dropout_rate=hidden_dropout_rate,
            hidden_act=hidden_act,
            post_layernorm_residual=post_layernorm_residual,
            layernorm_compute_type=layernorm_compute_type,
            softmax_compute_type=softmax_compute_type,
            param_init_type=param_init_type,
            lambda_func=lambda_func or _get_lambda_func(encoder_layers + decoder_layers),
            use_past=use_past,
            moe_config=moe_config,
            parallel_config=parallel_config,
        )
        self.encoder = TransformerEncoder(
            num_layers=encoder_layers, seq_length=src_seq_length, **shared
        )
        self.decoder = None
        if decoder_layers:
            self.decoder = TransformerDecoder(
                num_layers=decoder_layers,
                src_seq_length=src_seq_length,
                tgt_seq_length=tgt_seq_length,
                offset=encoder_layers,
                **shared,
            )

    def construct(
        self,
        encoder_inputs,
        encoder_masks,
        decoder_inputs=None,
        decoder_masks=None,
        memory_mask=None,
        init_reset=True,
        batch_valid_length=None,
    ):
        past = init_reset, batch_valid_length
        out, encoded, *losses = self.encoder(encoder_inputs, encoder_masks, *past)
        decoded = None
        if self.decoder is not None:
            out, decoded, *presents = self.decoder(
                decoder_inputs, decoder_masks, out, memory_mask, *past
            )
            losses += presents
        return (out, encoded, decoded, sum(losses)) if self.use_moe else (out, encoded, decoded)
