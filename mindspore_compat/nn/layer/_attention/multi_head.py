"""Multi-head attention as a layer with learned projections."""

from ...._core.declare.public_api import public
from ...._core.rules.comparisons import Instead
from ...._core.rules.number_forms import plain_numbers
from ...._core.rules.value_rules import Truth
from ...._core.rules.vocabulary import Bool, Int, LayerDType, Number, checked
from ...._core.tensor.dtype import float32
from ....common.initializer import XavierNormal, XavierUniform
from ....ops._attention.multi_head import (
    attention_inputs,
    attention_output,
    multi_head_attention_forward,
)
from ..._parts import parameter
from ...cell import Cell
from ..basic import Dense
from .sizes import Anything, FeatureSize, Heads, Width

_Input = Instead(Anything, AttributeError)  # MindSpore reads its axes first


@public("nn.MultiheadAttention")
class MultiheadAttention(Cell):
    """Multi-head attention from queries to keys and values.

    Args:
        embed_dim (int): the number of features of queries and result; divisible by `num_heads`.
        num_heads (int): the number of heads.
        dropout (float): the probability that a weight is zeroed in training mode.
        has_bias (bool): whether the projections have biases.
        add_bias_kv (bool): whether one learned key and value are appended.
        add_zero_attn (bool): whether one key and value of zeros are appended.
        kdim (int): the number of features of the keys; `embed_dim` by default.
        vdim (int): the number of features of the values; `embed_dim` by default.
        batch_first (bool): whether the batch is the first axis instead of the second.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **query** (Tensor): shape (L, N, embed_dim), or (L, embed_dim).
        - **key** (Tensor): shape (S, N, kdim), or (S, kdim).
        - **value** (Tensor): shape (S, N, vdim), or (S, vdim).
        - **key_padding_mask** (Tensor): shape (N, S), or (S): True for a key to ignore, or floats
          that are added to the scores.
        - **need_weights** (bool): whether to return the weights too.
        - **attn_mask** (Tensor): shape (L, S) or (N * num_heads, L, S); as `key_padding_mask`.
        - **average_attn_weights** (bool): whether to average the weights over the heads.

    Outputs:
        A tuple: the result (L, N, embed_dim), and, if requested, the weights (N, L, S).

    Raises:
        TypeError: if a size is not an int, or a flag not a bool.
        ValueError: if `embed_dim` is not divisible by `num_heads`, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.ops.ones((3, 1, 4))
        >>> print(ms.nn.MultiheadAttention(4, 2)(x, x, x)[0].shape)
        (3, 1, 4)
    """

    @checked
    def __init__(
        self,
        embed_dim: Width,
        num_heads: Heads,
        dropout: Number(ge=0, le=1) = 0.0,
        has_bias: Bool = True,
        add_bias_kv: Truth = False,
        add_zero_attn: Truth = False,
        kdim: FeatureSize = None,
        vdim: FeatureSize = None,
        batch_first: Truth = False,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(
                f"For 'MultiheadAttention', 'embed_dim' must be divisible by "
                f"'num_heads', but got {embed_dim} and {num_heads}."
            )
        self.embed_dim = embed_dim
        self.kdim = kdim or embed_dim
        self.vdim = vdim or embed_dim
        self.num_heads = plain_numbers(num_heads)
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn
        self.dtype = dtype
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self._make_parameters(has_bias, add_bias_kv, dtype)
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)

    def _make_parameters(self, has_bias, add_bias_kv, dtype):
        """Creates the projections of queries, keys and values: one weight, or three if their sizes
        differ."""
        width = self.embed_dim
        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(XavierUniform(), (3 * width, width), dtype)
        else:
            self.q_proj_weight = parameter(XavierUniform(), (width, width), dtype)
            self.k_proj_weight = parameter(XavierUniform(), (width, self.kdim), dtype)
            self.v_proj_weight = parameter(XavierUniform(), (width, self.vdim), dtype)
        self.in_proj_bias = self.bias_k = self.bias_v = None
        if has_bias:
            self.in_proj_bias = parameter("zeros", (3 * width,), dtype)
        if add_bias_kv:
            self.bias_k = parameter(XavierNormal(), (1, 1, width), dtype)
            self.bias_v = parameter(XavierNormal(), (1, 1, width), dtype)

    @checked
    def construct(
        self,
        query: _Input,
        key: _Input,
        value: _Input,
        key_padding_mask=None,
        need_weights: Bool = True,
        attn_mask=None,
        average_attn_weights: Bool = True,
    ):
        """Returns a tuple: the result, and the weights or None."""
        if type(self.num_heads) is bool:
            Int(ge=1).refuse("MultiheadAttention", "num_heads", self.num_heads)
        same_inputs = query is key, key is value
        if self.batch_first and query.ndim == 3:
            self._need_batches(query, key)
            query, key, value = (
                x.swapaxes(0, 1) if x.ndim == 3 else x for x in (query, key, value)
            )
        if need_weights:
            result, weights = multi_head_attention_forward(
                query,
                key,
                value,
                self.embed_dim,
                self.num_heads,
                training=self.training,
                dropout_p=self.dropout,
                dtype=query.dtype,
                q_is_k=same_inputs[0],
                k_is_v=same_inputs[1],
                attn_mask=attn_mask,
                key_padding_mask=key_padding_mask,
                average_attn_weights=average_attn_weights,
                **self._projections(),
            )
        else:
            result = self._output(query, key, value, key_padding_mask, attn_mask, all(same_inputs))
        if self.batch_first and result.ndim == 3:
            result = result.swapaxes(0, 1)
        return (result, weights) if need_weights else (result,)

    def _output(self, query, key, value, key_padding_mask, attn_mask, same_inputs):
        """Returns the result alone; memory is linear in the number of steps."""
        separate = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        inputs = attention_inputs(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.out_proj.weight,
            key_padding_mask,
            attn_mask,
            None if self._qkv_same_embed_dim else separate,
            same_inputs,
            query.dtype,
        )
        chance = float(self.dropout) if self.training else 0.0
        return attention_output(inputs, chance, self.out_proj.weight, self.out_proj.bias)

    def _projections(self):
        """Returns the learnt arguments of `multi_head_attention_forward`, and their layout."""
        return {
            "use_separate_proj_weight": not self._qkv_same_embed_dim,
            "q_proj_weight": self.q_proj_weight,
            "k_proj_weight": self.k_proj_weight,
            "v_proj_weight": self.v_proj_weight,
            "in_proj_weight": self.in_proj_weight,
            "in_proj_bias": self.in_proj_bias,
            "add_zero_attn": self.add_zero_attn,
            "bias_k": self.bias_k,
            "bias_v": self.bias_v,
            "out_proj_weight": self.out_proj.weight,
            "out_proj_bias": self.out_proj.bias,
        }

    def _need_batches(self, query, key):
        """Raises an error if the batch sizes differ; the message has the shapes as they were
        given."""
        if key.ndim == 3 and query.shape[0] != key.shape[0]:
            raise ValueError(
                f"For 'MultiheadAttention', 'query' and 'key' must have as many "
                f"batches, but got shapes {query.shape} and {key.shape}."
            )
