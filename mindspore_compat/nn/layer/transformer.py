"""The layers and networks of the Transformer; their attention is in `_attention.multi_head`."""

import copy

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import Truth
from ..._core.rules.vocabulary import Bool, Int, LayerDType, Number, checked
from ..._core.tensor.dtype import float32
from ...common.initializer import XavierUniform, initializer
from ...ops._attention.multi_head import need_mask
from ..cell import Cell
from ._attention.multi_head import MultiheadAttention
from ._attention.sizes import Heads, Size, Width
from .basic import Dense, Dropout
from .container import CellList
from .normalization import LayerNorm

__all__ = [
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerDecoder",
    "Transformer",
]

# Layers -------------------------------------------------------------------------------------------


def _activation(activation):
    """Returns the activation between the dense layers, relu or gelu, given by name or as a
    callable."""
    from .activation import get_activation

    if isinstance(activation, str) and activation in ("relu", "gelu"):
        return getattr(ops, activation)
    supported = (type(get_activation("relu")), type(get_activation("gelu")))
    if activation in (ops.relu, ops.gelu) or isinstance(activation, supported):
        return activation
    raise ValueError(
        f"For the layers of a Transformer, 'activation' must be relu or gelu (a str, "
        f"a function of ops or a Cell), but got {activation!r}."
    )


class _Layer(Cell):
    """Base class of the encoder layer and the decoder layer."""

    _has_cross_attention = False

    @checked
    def __init__(
        self,
        d_model: Width,
        nhead: Heads,
        dim_feedforward: Size = 2048,
        dropout: Number(ge=0, lt=1) = 0.1,
        activation="relu",
        layer_norm_eps: Number(numpy_scalars=True) = 1e-5,
        batch_first: Truth = False,
        norm_first: Truth = False,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.d_model = d_model
        self.nhead = nhead
        self.dim_feedforward = dim_feedforward
        self.dropout_num = dropout
        self.activation1 = activation
        self.layernorm_eps = layer_norm_eps
        self.batch_first = batch_first
        self.norm_first = norm_first
        self.dtype = dtype

        def attention():
            return MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)

        parts = range(1, 4 if self._has_cross_attention else 3)
        self.self_attn = attention()
        if self._has_cross_attention:
            self.multihead_attn = attention()
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        for at in parts:
            setattr(self, f"norm{at}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for at in parts:
            setattr(self, f"dropout{at}", Dropout(p=dropout))
        self.activation = _activation(activation)

    def _add_residual(self, x, norm, part, *args):
        """Adds to `x` the output of a part of the layer; the norm comes before the part or after
        the sum."""
        if self.norm_first:
            return x + part(norm(x), *args)
        return norm(x + part(x, *args))

    def _sa_block(self, x, attn_mask, key_padding_mask):
        """Computes the self-attention of a sequence."""
        result = self.self_attn(x, x, x, key_padding_mask, False, attn_mask)[0]
        return self.dropout1(result)

    def _ff(self, x, last):
        return last(self.dense2(self.dropout(self.activation(self.dense1(x)))))


@public("nn.TransformerEncoderLayer")
class TransformerEncoderLayer(_Layer):
    """Transformer encoder layer: self-attention and two dense layers.

    Args:
        d_model (int): the number of features of the input.
        nhead (int): the number of heads.
        dim_feedforward (int): the number of features between the dense layers.
        dropout (float): the probability that an element is zeroed in training mode.
        activation (Union[str, callable, Cell]): relu or gelu.
        layer_norm_eps (float): added to variances in the norms.
        batch_first (bool): whether the batch is the first axis instead of the second.
        norm_first (bool): whether each norm comes before its part instead of after it.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **src** (Tensor): shape (S, N, d_model), or (S, d_model).
        - **src_mask** (Tensor): see `attn_mask` of MultiheadAttention.
        - **src_key_padding_mask** (Tensor): see `key_padding_mask` of MultiheadAttention.

    Outputs:
        Tensor of the shape and dtype of `src`.

    Raises:
        TypeError: if a size is not an int, or a flag not a bool.
        ValueError: if `activation` is another one, or `d_model` not divisible by `nhead`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.TransformerEncoderLayer(4, 2, 8)(ms.ops.ones((3, 1, 4))).shape)
        (3, 1, 4)
    """

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        """Returns a Tensor of the shape of `src`."""
        if src_key_padding_mask is not None:
            need_mask(src_key_padding_mask, "src_key_padding_mask", AssertionError)
        x = self._add_residual(src, self.norm1, self._sa_block, src_mask, src_key_padding_mask)
        return self._add_residual(x, self.norm2, self._ff_block)

    def _ff_block(self, x):
        """Applies the dense layers."""
        return self._ff(x, self.dropout2)


@public("nn.TransformerDecoderLayer")
class TransformerDecoderLayer(_Layer):
    """Transformer decoder layer: self-attention, attention to the memory, and two dense layers.

    Args:
        d_model (int): the number of features of the input.
        nhead (int): the number of heads.
        dim_feedforward (int): the number of features between the dense layers.
        dropout (float): the probability that an element is zeroed in training mode.
        activation (Union[str, callable, Cell]): relu or gelu.
        layer_norm_eps (float): added to variances in the norms.
        batch_first (bool): whether the batch is the first axis instead of the second.
        norm_first (bool): whether each norm comes before its part instead of after it.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **tgt** (Tensor): shape (T, N, d_model), or (T, d_model).
        - **memory** (Tensor): the output of the encoder: shape (S, N, d_model), or (S, d_model).
        - **tgt_mask**, **memory_mask** (Tensor): see `attn_mask` of MultiheadAttention.
        - **tgt_key_padding_mask**, **memory_key_padding_mask** (Tensor): see `key_padding_mask`
          there.

    Outputs:
        Tensor of the shape and dtype of `tgt`.

    Raises:
        TypeError: if a size is not an int, or a flag not a bool.
        ValueError: if `activation` is another one, or `d_model` not divisible by `nhead`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.TransformerDecoderLayer(4, 2, 8)(ms.ops.ones((3, 1, 4)),
        ...         ms.ops.ones((2, 1, 4))).shape)
        (3, 1, 4)
    """

    _has_cross_attention = True

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        """Returns a Tensor of the shape of `tgt`."""
        x = self._add_residual(tgt, self.norm1, self._sa_block, tgt_mask, tgt_key_padding_mask)
        x = self._add_residual(
            x, self.norm2, self._mha_block, memory, memory_mask, memory_key_padding_mask
        )
        return self._add_residual(x, self.norm3, self._ff_block)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask):
        """Computes the attention of a sequence to the memory."""
        result = self.multihead_attn(x, mem, mem, key_padding_mask, False, attn_mask)[0]
        return self.dropout2(result)

    def _ff_block(self, x):
        """Applies the dense layers."""
        return self._ff(x, self.dropout3)


# Networks -----------------------------------------------------------------------------------------


def _new_layer(api, kind, layer):
    """Returns a new layer of the class `kind` with the settings of `layer`, which may be any object
    that has them."""
    try:
        settings = [getattr(layer, name) for name in _SETTINGS]
    except AttributeError as error:
        raise AttributeError(
            f"For '{api}', the layer must be a {kind.__name__}, but got {layer!r} of type "
            f"{type(layer).__name__}, which has no attribute '{error.name}'."
        ) from None
    return kind(*settings)


_SETTINGS = (
    "d_model",
    "nhead",
    "dim_feedforward",
    "dropout_num",
    "activation1",
    "layernorm_eps",
    "batch_first",
    "norm_first",
    "dtype",
)


class _Stack(Cell):
    """Base class: a stack of layers and an optional norm at the end.

    As in MindSpore, the given layer is only read for its settings. Its class and its weights are
    ignored: one new layer is made, and the stack has copies of it.
    """

    _kind = None  # the class of the layers

    @checked
    def __init__(self, layer, num_layers: Int(ge=0, numpy_scalars=True) | Bool, norm=None):
        super().__init__()
        new = _new_layer(type(self).__name__, self._kind, layer)
        self.layers = CellList([copy.deepcopy(new) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _through(self, x, *args):
        for layer in self.layers:
            x = layer(x, *args)
        return x if self.norm is None else self.norm(x)


@public("nn.TransformerEncoder")
class TransformerEncoder(_Stack):
    """Transformer encoder: a stack of equal layers.

    Args:
        encoder_layer (Cell): a TransformerEncoderLayer, which gives the settings of the layers.
            Its own weights are ignored: the layers start with those of one new layer.
        num_layers (int): the number of layers.
        norm (Cell): a Cell applied after the last layer.

    Inputs:
        The inputs of TransformerEncoderLayer.

    Outputs:
        Tensor of the shape and dtype of `src`.

    Raises:
        TypeError: if `num_layers` is not an int.
        AttributeError: if the layer lacks the settings of such a layer.
        AssertionError: if `src_key_padding_mask` holds other than bool or floats.

    Example:
        >>> import mindspore_compat as ms
        >>> layer = ms.nn.TransformerEncoderLayer(4, 2, 8)
        >>> print(ms.nn.TransformerEncoder(layer, 2)(ms.ops.ones((3, 1, 4))).shape)
        (3, 1, 4)
    """

    _kind = TransformerEncoderLayer

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__(encoder_layer, num_layers, norm)

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        """Returns a Tensor of the shape of `src`."""
        return self._through(src, src_mask, src_key_padding_mask)


@public("nn.TransformerDecoder")
class TransformerDecoder(_Stack):
    """Transformer decoder: a stack of equal layers.

    Args:
        decoder_layer (Cell): a TransformerDecoderLayer, which gives the settings of the layers.
            Its own weights are ignored: the layers start with those of one new layer.
        num_layers (int): the number of layers.
        norm (Cell): a Cell applied after the last layer.

    Inputs:
        The inputs of TransformerDecoderLayer.

    Outputs:
        Tensor of the shape and dtype of `tgt`.

    Raises:
        TypeError: if `num_layers` is not an int.
        AttributeError: if the layer lacks the settings of such a layer.

    Example:
        >>> import mindspore_compat as ms
        >>> layer = ms.nn.TransformerDecoderLayer(4, 2, 8)
        >>> print(ms.nn.TransformerDecoder(layer, 2)(ms.ops.ones((3, 1, 4)),
        ...         ms.ops.ones((2, 1, 4))).shape)
        (3, 1, 4)
    """

    _kind = TransformerDecoderLayer

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(decoder_layer, num_layers, norm)

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        """Returns a Tensor of the shape of `tgt`."""
        return self._through(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )


@public("nn.Transformer")
class Transformer(Cell):
    """Transformer: an encoder and a decoder.

    Args:
        d_model (int): the number of features of the inputs.
        nhead (int): the number of heads.
        num_encoder_layers (int): the number of encoder layers.
        num_decoder_layers (int): the number of decoder layers.
        dim_feedforward (int): the number of features between the dense layers.
        dropout (float): the probability that an element is zeroed in training mode.
        activation (Union[str, callable, Cell]): relu or gelu.
        custom_encoder (Cell): a custom encoder.
        custom_decoder (Cell): a custom decoder.
        layer_norm_eps (float): added to variances in the norms.
        batch_first (bool): whether the batch is the first axis instead of the second.
        norm_first (bool): whether each norm comes before its part instead of after it.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **src** (Tensor): shape (S, N, d_model), or (S, d_model).
        - **tgt** (Tensor): shape (T, N, d_model), or (T, d_model).
        - **src_mask**, **tgt_mask**, **memory_mask** (Tensor): see `attn_mask` of
          MultiheadAttention.
        - **src_key_padding_mask**, **tgt_key_padding_mask**, **memory_key_padding_mask** (Tensor):
          see `key_padding_mask` there.

    Outputs:
        Tensor of the shape and dtype of `tgt`.

    Raises:
        TypeError: if a size is not an int, or a flag not a bool.
        ValueError: if the inputs differ in batches, or do not have `d_model` features.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Transformer(4, 2, 1, 1, 8)(ms.ops.ones((3, 1, 4)),
        ...                                        ms.ops.ones((2, 1, 4))).shape)
        (2, 1, 4)
    """

    @checked
    def __init__(
        self,
        d_model: Width = 512,
        nhead: Heads = 8,
        num_encoder_layers: Int(ge=0, numpy_scalars=True) = 6,
        num_decoder_layers: Int(ge=0, numpy_scalars=True) = 6,
        dim_feedforward: Size = 2048,
        dropout: Number(ge=0, lt=1) = 0.1,
        activation="relu",
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps: Number(numpy_scalars=True) = 1e-5,
        batch_first: Truth = False,
        norm_first: Truth = False,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        shared = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

        def norm():
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        self.encoder = custom_encoder
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*shared)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.decoder = custom_decoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*shared)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        for param in self.get_parameters():
            if param.ndim > 1:
                param.set_data(initializer(XavierUniform(), param.shape, param.dtype))
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def construct(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        """Returns a Tensor of the shape of `tgt`."""
        axis = 0 if self.batch_first else 1
        if src.ndim == tgt.ndim == 3 and src.shape[axis] != tgt.shape[axis]:
            raise ValueError(
                f"For 'Transformer', 'src' and 'tgt' must have as many batches, but "
                f"got shapes {src.shape} and {tgt.shape}."
            )
        if not src.shape[-1] == tgt.shape[-1] == self.d_model:
            raise ValueError(
                f"For 'Transformer', 'src' and 'tgt' must have {self.d_model} "
                f"features, but got shapes {src.shape} and {tgt.shape}."
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )
