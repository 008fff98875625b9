"""Multi-head attention, with the keys and values of earlier tokens, and its mask."""

import math

from ... import ops
from ..._core.rules.vocabulary import Bool, Float, InstanceOf, Int, checked
from ...common.dtype import float16, float32
from ...nn import Cell, Dropout
from ._documented import documented
from .feed_forward import need_multiple
from .layers import FloatType, _Linear
from .op_parallel_config import OpParallelConfig, default_dpmp_config

__all__ = ["AttentionMask", "MultiHeadAttention"]

MASKED = -10000.0  # added to the scores of masked tokens


class AttentionMask(Cell):
    """Causal attention mask: a token sees itself and the valid tokens before it.

    Args:
        seq_length (int): the length of a sequence.
        parallel_config (OpParallelConfig): stored.

    Inputs:
        - **input_mask** (Tensor): shape (batch, seq_length), 1 for valid tokens and 0 for others.

    Outputs:
        Tensor, shape (batch, seq_length, seq_length): 1 where the token of a row sees the token
        of the column.

    Raises:
        TypeError: if `seq_length` is not an int, or `parallel_config` is not an OpParallelConfig.
        ValueError: if `seq_length` is less than 1, or the input has another shape.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import AttentionMask
        >>> print(AttentionMask(seq_length=3)(ms.Tensor([[1.0, 1.0, 0.0]])))
        [[[1. 0. 0.]
          [1. 1. 0.]
          [0. 0. 0.]]]

    Source: mindspore.nn.transformer.AttentionMask of MindSpore 1.9.
    """

    @checked
    def __init__(
        self,
        seq_length: Int(ge=1),
        parallel_config: InstanceOf(OpParallelConfig) = default_dpmp_config,
    ):
        super().__init__()
        self.seq_length = seq_length
        self.parallel_config = parallel_config
        self.lower_triangle_mask = ops.tril(ops.ones((seq_length, seq_length), float32))

    def construct(self, input_mask):
        if input_mask.ndim != 2 or input_mask.shape[1] != self.seq_length:
            raise ValueError(
                f"For 'AttentionMask', 'input_mask' must have the shape (batch, "
                f"{self.seq_length}), but got {input_mask.shape}."
            )
        valid = (input_mask != 0).astype(float32)
        return valid[:, :, None] * valid[:, None, :] * self.lower_triangle_mask


@documented
class MultiHeadAttention(Cell):
    """Multi-head attention: softmax(Q K^T / sqrt(d) + mask) V per head, with four linear layers.

    With `use_past`, the keys and values of earlier tokens are inputs and outputs. The first call,
    after `add_flags_recursive(is_first_iteration=True)`, takes the whole sequence. Each later call,
    with `is_first_iteration=False`, takes one token, the last of the `batch_valid_length`.

    Args:
        batch_size (int): the batch size; only `use_past` uses it.
        src_seq_length (int): the length of the queries.
        tgt_seq_length (int): the length of keys and values.
        hidden_dropout_rate (float): dropout of the result, in [0, 1). Default: ``0.1``.
        attention_dropout_rate (float): dropout of the probabilities. Default: ``0.1``.
        compute_dtype (mindspore.dtype): float16 or float32, of the products. Default: ``float16``.
        parallel_config (OpParallelConfig): stored.

    Inputs:
        - **query_tensor** (Tensor): shape (batch, src_seq_length, hidden_size), or with these two
          axes as one; (batch, 1, hidden_size) for one token.
        - **key_tensor** (Tensor): like `query_tensor`, of length tgt_seq_length.
        - **value_tensor** (Tensor): as `key_tensor`.
        - **attention_mask** (Tensor): shape (batch, src_seq_length, tgt_seq_length), 1 where a
          query sees a key; None if each query sees all keys.
        - **key_past** (Tensor): shape (batch, num_heads, size_per_head, tgt_seq_length).
        - **value_past** (Tensor): shape (batch, num_heads, tgt_seq_length, size_per_head).
        - **batch_valid_length** (Tensor): shape (batch,), the number of tokens so far.

    Outputs:
        tuple, the result, of the shape of `query_tensor`, and the pair of keys and values, of the
        shapes of `key_past` and `value_past`.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is outside its range, `hidden_size` is not a multiple of `num_heads`,
            or `num_heads` is not a multiple of `parallel_config.model_parallel`.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import MultiHeadAttention
        >>> layer = MultiHeadAttention(1, 4, 4, hidden_size=6, num_heads=2)
        >>> x = ms.ops.ones((1, 4, 6))
        >>> out, (key, value) = layer(x, x, x, ms.ops.ones((1, 4, 4)))
        >>> out.shape, key.shape, value.shape
        ((1, 4, 6), (1, 2, 3, 4), (1, 2, 4, 3))

    Source: mindspore.nn.transformer.MultiHeadAttention of MindSpore 1.9.
    """

    is_first_iteration = True

    @checked
    def __init__(
        self,
        batch_size: Int(ge=1) | None,
        src_seq_length: Int(ge=1),
        tgt_seq_length: Int(ge=1),
        hidden_size: Int(ge=1),
        num_heads: Int(ge=1),
        hidden_dropout_rate: Float(ge=0.0, lt=1.0) = 0.1,
        attention_dropout_rate: Float(ge=0.0, lt=1.0) = 0.1,
        compute_dtype: FloatType = float16,
        softmax_compute_type: FloatType = float32,
        param_init_type: FloatType = float32,
        use_past: Bool = False,
        parallel_config: InstanceOf(OpParallelConfig) = default_dpmp_config,
    ):
        super().__init__()
        api = "MultiHeadAttention"
        need_multiple(api, "hidden_size", hidden_size, "'num_heads'", num_heads)
        parts = parallel_config.model_parallel
        need_multiple(api, "num_heads", num_heads, "'model_parallel'", parts)
        self.batch_size, self.num_heads = batch_size, num_heads
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.size_per_head = hidden_size // num_heads
        self.softmax_dtype, self.use_past = softmax_compute_type, use_past
        self.parallel_config = parallel_config
        types = dict(compute_dtype=compute_dtype, param_init_type=param_init_type)
        self.dense1 = _Linear(hidden_size, hidden_size, **types)
        self.dense2 = _Linear(hidden_size, hidden_size, **types)
        self.dense3 = _Linear(hidden_size, hidden_size, **types)
        self.projection = _Linear(hidden_size, hidden_size, transpose_b=False, **types)
        self.dropout = Dropout(p=hidden_dropout_rate)
        self.prob_dropout = Dropout(p=attention_dropout_rate)

    def construct(
        self,
        query_tensor,
        key_tensor,
        value_tensor,
        attention_mask,
        key_past=None,
        value_past=None,
        batch_valid_length=None,
    ):
        one = self.use_past and not self.is_first_iteration
        batch = self._batch(query_tensor, attention_mask, 1 if one else self.src_seq_length)
        query = self._heads(self.dense1(query_tensor), batch)
        key = self._heads(self.dense2(key_tensor), batch).swapaxes(-1, -2)
        value = self._heads(self.dense3(value_tensor), batch)
        if self.use_past:
            key, value = self._with_past(key, value, key_past, value_past, batch_valid_length)
        out = self._attend(query, key, value, attention_mask)
        out = out.swapaxes(1, 2).reshape((*query_tensor.shape[:-1], -1))
        return self.dropout(self.projection(out.astype(query_tensor.dtype))), (key, value)

    def _batch(self, query, mask, length):
        """Returns the number of sequences, even if sequences and tokens share one axis."""
        if query.ndim == 3:
            return query.shape[0]
        return mask.shape[0] if mask is not None else query.shape[0] // length

    def _heads(self, x, batch):
        """Returns the features of each head: (batch, heads, tokens, size)."""
        return x.reshape((batch, -1, self.num_heads, self.size_per_head)).swapaxes(1, 2)

    def _with_past(self, key, value, key_past, value_past, lengths):
        """Returns keys and values of the tokens so far, followed by zeros."""
        positions = ops.arange(self.tgt_seq_length)
        lengths = lengths.reshape((-1, 1))
        if self.is_first_iteration:
            valid = (positions < lengths).astype(key.dtype)
            return key * valid[:, None, None, :], value * valid[:, None, :, None]
        last = (positions == lengths - 1).astype(key.dtype)
        key = key_past.astype(key.dtype) + key * last[:, None, None, :]
        return key, value_past.astype(value.dtype) + value * last[:, None, :, None]

    def _attend(self, query, key, value, mask):
        factor = math.sqrt(math.sqrt(self.size_per_head))  # both are divided, for small float16
        scores = ops.matmul(query / factor, key / factor).astype(self.softmax_dtype)
        if mask is not None:
            hidden = 1 - mask.astype(self.softmax_dtype)
            scores = scores + hidden.expand_dims(1) * MASKED
        probabilities = self.prob_dropout(ops.softmax(scores, -1).astype(value.dtype))
        return ops.matmul(probabilities, value)
