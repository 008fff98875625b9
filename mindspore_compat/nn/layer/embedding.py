"""Embedding layers, which look up rows of a learnt table by index."""

import functools

from ... import ops
from ..._core.autograd.row_sparse import gradient_of_rows
from ..._core.declare.older import takes
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    DType,
    Float,
    Forbid,
    Int,
    Number,
    OneOf,
    Str,
    TensorOf,
    checked,
    floating,
)
from ..._core.tensor.dtype import float32
from ..._core.tensor.precision import state as precision
from ..._core.tensor.tensor import Tensor
from ...common.initializer import Normal
from ...common.parameter import Parameter
from ...ops._elementwise.cast import cast
from ...ops._indexing.gather import gather
from .._parts import parameter
from ..cell import Cell
from ._basic.wrappers import clip_by_norm

__all__ = ["Embedding", "EmbeddingExt", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]

Numbers = TensorOf("int32", "int64")
Size = Int(ge=1)


def _in_precision(rows):
    """Casts the rows to the float type of the running Cell (`to_float`); without one, returns them
    unchanged, because a look-up computes nothing."""
    return rows if precision.dtype is None else cast.run(rows, precision.dtype)


def _need_numbers(api, name, x):
    if not isinstance(x, Tensor) or x._array.dtype.kind not in "iu":
        type_name = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(f"For '{api}', '{name}' must be a Tensor of ints, but got {type_name}.")


@op(compute="native")
def rows_or_zeros(xp, table: TensorOf(floating), numbers: Numbers):
    """Returns rows of a table by index, with zeros for an index out of range."""
    in_range = (numbers >= 0) & (numbers < table.shape[0])
    rows = xp.take(table, xp.where(in_range, numbers, 0), 0)
    return rows * xp.cast(xp.expand_dims(in_range, -1), rows.dtype)


@op(compute="native")
def sparse_rows(xp, table: TensorOf(floating), numbers: Numbers):
    """Returns the result of `rows_or_zeros`; the gradient of the table has only these rows."""
    return rows_or_zeros.body(xp, table, numbers)


sparse_rows.vjp(
    table=lambda xp, g, table_shape, numbers: gradient_of_rows(xp, g, numbers, table_shape)
)


@op(compute="native")
def occurrences(xp, numbers: Numbers, count: Int):
    """Counts how often each number in [0, count) occurs; the result is float32."""
    return xp.cast(xp.occurrences(numbers, count), "float32")


@op()
def short_rows(
    xp, table: TensorOf(floating), counts: TensorOf("float32"), longest: Number, power: Number
):
    """Scales the looked-up rows of a table down to p-norm `longest`; shorter rows stay
    unchanged."""
    lengths = xp.power(xp.sum(xp.power(xp.abs(table), power), 1), 1 / power)
    factor = xp.where((counts > 0) & (lengths > longest), longest / (lengths + 1e-7), 1)
    return table * xp.cast(xp.expand_dims(factor, 1), table.dtype)


@public("nn.Embedding")
class Embedding(Cell):
    """Embedding layer: looks up rows of a learnt table by index.

    Args:
        vocab_size (int): the number of rows.
        embedding_size (int): their length.
        use_one_hot (bool): whether to look up by a product with one-hot vectors. An index out of
            range then gives zeros.
        embedding_table (Union[Tensor, str, Initializer, numbers.Number]): the table's first values.
        dtype (mindspore.dtype): accepted; the table is float32.
        padding_idx (int): the index of a row that starts as zeros.

    Inputs:
        - **ids** (Tensor): int32 or int64, of any shape.

    Outputs:
        Tensor of shape (*ids.shape, embedding_size).

    Raises:
        TypeError: if a size is not an int, `use_one_hot` not a bool, or the numbers not ints.
        ValueError: if a size is less than 1, or `padding_idx` not a row.

    Examples:
        >>> from mindspore_compat import Tensor, nn
        >>> nn.Embedding(10, 4)(Tensor([[1, 2, 3]])).shape
        (1, 3, 4)
    """

    @checked(
        Forbid(
            "padding_idx is not None and not 0 <= padding_idx < vocab_size",
            ValueError,
            "'padding_idx' must be in [0, vocab_size)",
        )
    )
    def __init__(
        self,
        vocab_size: Size,
        embedding_size: Size,
        use_one_hot: Bool = False,
        embedding_table="normal",
        dtype: DType = float32,
        padding_idx: Int | None = None,
    ):
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.use_one_hot = use_one_hot
        self.dtype = dtype
        self.padding_idx = padding_idx
        self.embedding_table = parameter(
            embedding_table, (vocab_size, embedding_size), name="embedding_table"
        )
        if padding_idx is not None:
            self.embedding_table._array[padding_idx] = 0

    @functools.cached_property
    def gather(self):
        """The primitive of the look-up, for subclasses and strategies."""
        return ops.Gather()

    def construct(self, ids):
        """Returns the rows at the indices `ids`."""
        _need_numbers("Embedding", "ids", ids)
        if self.use_one_hot:
            return _in_precision(rows_or_zeros.run(self.embedding_table, ids))
        return _in_precision(gather.run(self.embedding_table, ids, 0))

    def extend_repr(self):
        """Returns the sizes and the table of the layer."""
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


@public("nn.EmbeddingExt", "mint.nn.Embedding")
class EmbeddingExt(Cell):
    """Embedding layer with optional padding row, maximum norm and gradient scaling by frequency.

    Args:
        num_embeddings (int): the number of rows.
        embedding_dim (int): their length.
        padding_idx (int): the index of a row that starts as zeros and receives no gradient.
        max_norm (float): if given, looked-up rows with a larger norm are scaled down to it in the
            table.
        norm_type (float): the p of that p-norm.
        scale_grad_by_freq (bool): whether to divide the gradient of a row by the number of its
            look-ups in this call.
        sparse (bool): accepted; gradients are dense.
        _weight (Tensor): the table's first values; N(0, 1) by default.
        _freeze (bool): whether to exclude the table from training.
        dtype (mindspore.dtype): the type of the table; float32 by default.

    Inputs:
        - **input** (Tensor): int32 or int64, of any shape.

    Outputs:
        Tensor with the shape of `input` and one axis more, of length `embedding_dim`, in the dtype
        of the table.

    Raises:
        TypeError: if a size is not an int, `max_norm` not a float, or a flag not a bool.
        ValueError: if `padding_idx` names no row, or `_weight` has another shape.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.EmbeddingExt(4, 3)(ms.Tensor([0, 2])).shape)
        (2, 3)
    """

    @checked(
        Forbid(
            "padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings",
            ValueError,
            "'padding_idx' must be in [-num_embeddings, num_embeddings)",
        )
    )
    def __init__(
        self,
        num_embeddings: Int(ge=0),
        embedding_dim: Int(ge=0),
        padding_idx: Int | None = None,
        max_norm: Float = None,
        norm_type: Float = 2.0,
        scale_grad_by_freq: Bool = False,
        sparse: Bool = False,
        _weight: TensorOf(floating) = None,
        _freeze: Bool = False,
        dtype: DType = None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.dtype = float32 if dtype is None else dtype
        shape = (num_embeddings, embedding_dim)
        if _weight is not None and _weight.shape != shape:
            raise ValueError(
                f"For 'EmbeddingExt', '_weight' must have shape {shape}, but got {_weight.shape}."
            )
        if _weight is not None:
            self.weight = Parameter(_weight, "weight", not _freeze)
        elif 0 in shape:
            self.weight = Parameter(ops.zeros(shape, self.dtype), "weight", not _freeze)
        else:
            self.weight = parameter(Normal(1.0), shape, self.dtype, "weight", not _freeze)
        if padding_idx is not None and _weight is None:
            self.weight._array[padding_idx] = 0

    def construct(self, input):
        """Returns the rows at the indices `input`."""
        _need_numbers("EmbeddingExt", "input", input)
        if self.max_norm is not None:
            self._shorten(input)
        rows = _in_precision(gather.run(self.weight, input, 0))
        if self.scale_grad_by_freq:
            share = 1 / gather.run(occurrences.run(input, self.num_embeddings), input, 0)
            share = share.expand_dims(-1).astype(rows.dtype)
            rows = rows * share + ops.stop_gradient(rows * (1 - share))
        if self.padding_idx is not None:
            is_padding = (input == self.padding_idx % self.num_embeddings).expand_dims(-1)
            rows = ops.where(is_padding, ops.stop_gradient(rows), rows)
        return rows

    def _shorten(self, input):
        """Scales down in the table those rows that `input` looks up and that exceed `max_norm`."""
        counts = occurrences.run(input, self.num_embeddings)
        table = ops.stop_gradient(self.weight)
        self.weight._array = short_rows.run(table, counts, self.max_norm, self.norm_type)._array

    def extend_repr(self):
        """Returns the sizes of the layer."""
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, "
            f"norm_type={self.norm_type}, scale_grad_by_freq={self.scale_grad_by_freq}, "
            f"dtype={self.dtype}"
        )


def _without_cache(init, *args, vocab_cache_size, **kwargs):
    """Decorator that drops the option of releases 1.x for parameter servers, which do not exist
    here."""
    if type(vocab_cache_size) is not int or vocab_cache_size < 0:
        raise TypeError(
            "For 'EmbeddingLookup', 'vocab_cache_size' must be an int >= 0, but got "
            f"{vocab_cache_size!r}."
        )
    init(*args, **kwargs)


@public("nn.EmbeddingLookup")
class EmbeddingLookup(Cell):
    """Embedding lookup: returns rows of a table by index, and zeros for an index out of range.

    Args:
        vocab_size (int): the number of rows.
        embedding_size (int): their length.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): the table's first values.
        target (str): 'CPU' or 'DEVICE': where MindSpore keeps the table.
        slice_mode (str): how MindSpore splits the table over devices; without effect here.
        manual_shapes (tuple): the rows of each part, for 'field_slice'; without effect here.
        max_norm (Union[float, None]): result rows with a larger norm are scaled down to it.
        sparse (bool): whether the gradient of the table has only the rows that were looked up.
            Lazy optimizers (LazyAdam, FTRL, ProximalAdagrad, Adam with `use_lazy`) then leave the
            other rows unchanged, and the cost does not depend on `vocab_size`.
        dtype (mindspore.dtype): the type of the table.

    Inputs:
        - **indices** (Tensor): int32 or int64, of any shape.

    Outputs:
        Tensor with the shape of the indices and one axis more, of length `embedding_size`.

    Raises:
        TypeError: if a size is not an int, `sparse` not a bool, or `max_norm` not a float.
        ValueError: if a size is less than 1, a choice unknown, `max_norm` not above 0, or `sparse`
            False with target 'CPU'.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.EmbeddingLookup(4, 3)(ms.Tensor([0, 2], ms.int32)).shape)
        (2, 3)
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    @takes(["vocab_cache_size"], _without_cache)
    @checked(
        Forbid(
            "not sparse and target == 'CPU'",
            ValueError,
            "'sparse' must be True where 'target' is 'CPU'",
        )
    )
    def __init__(
        self,
        vocab_size: Size,
        embedding_size: Size,
        param_init="normal",
        target: AsValue(OneOf("CPU", "DEVICE")) = "CPU",
        slice_mode="batch_slice",
        manual_shapes=None,
        max_norm: Float(gt=0.0) = None,
        sparse: Bool = True,
        dtype: DType = float32,
    ):
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.target = target
        self.sparse = sparse
        self.max_norm = max_norm
        self.embedding_table = parameter(
            param_init, (vocab_size, embedding_size), dtype, "embedding_table"
        )

    def construct(self, indices):
        """Returns the rows at the indices `indices`."""
        Numbers.refuse(type(self).__name__, "indices", indices)
        look_up = sparse_rows if self.sparse else rows_or_zeros
        rows = _in_precision(look_up.run(self.embedding_table, indices))
        if self.max_norm is not None:
            rows = clip_by_norm.run(rows, Tensor(self.max_norm, rows.dtype), -1)
        return rows


@public("nn.MultiFieldEmbeddingLookup")
class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Embedding lookup that multiplies rows by weights and combines the rows of each field.

    Args:
        vocab_size (int): the number of rows.
        embedding_size (int): their length.
        field_size (int): the number of fields.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): the table's first values.
        target (str): as for EmbeddingLookup.
        slice_mode (str): as for EmbeddingLookup.
        feature_num_list (tuple): accepted for 'field_slice'.
        max_norm (Union[float, None]): as for EmbeddingLookup.
        sparse (bool): as for EmbeddingLookup.
        operator (str): 'SUM', 'MEAN' (over the sizes of the weights) or 'MAX'.
        dtype (mindspore.dtype): the type of the table.

    Inputs:
        - **input_indices** (Tensor): int32 or int64, shape (batch, length).
        - **input_values** (Tensor): the weights, float32, of the same shape.
        - **field_ids** (Tensor): int32, of the same shape: the field of each row. A field without
          weights gives zeros.

    Outputs:
        float32 Tensor of shape (batch, fields, embedding_size).

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if a size is less than 1, a choice unknown, or the inputs do not have 2 axes.

    Example:
        >>> import mindspore_compat as ms
        >>> layer = ms.nn.MultiFieldEmbeddingLookup(10, 2, field_size=2)
        >>> ids, fields = ms.Tensor([[2, 4]], ms.int32), ms.Tensor([[0, 1]], ms.int32)
        >>> print(layer(ids, ms.ops.ones((1, 2)), fields).shape)
        (1, 2, 2)
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    @checked
    def __init__(
        self,
        vocab_size,
        embedding_size,
        field_size: Size,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        feature_num_list: Any = None,
        max_norm=None,
        sparse=True,
        operator: AsValue(OneOf("SUM", "MAX", "MEAN")) = "SUM",
        dtype=float32,
    ):
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            feature_num_list,
            max_norm,
            sparse,
            dtype,
        )
        self.field_size = field_size
        self.operator = operator

    @checked
    def construct(
        self,
        input_indices: Numbers,
        input_values: TensorOf("float32"),
        field_ids: TensorOf("int32"),
    ):
        """Returns the combined rows, of shape (batch, fields, embedding_size)."""
        shape = input_indices.shape
        if len(shape) != 2 or input_values.shape != shape or field_ids.shape != shape:
            raise ValueError(
                f"For '{type(self).__name__}', the inputs must have 2 axes and the "
                f"same shape, but got {shape}, {input_values.shape} and "
                f"{field_ids.shape}."
            )
        rows = super().construct(input_indices)
        weighted = rows * input_values.expand_dims(-1)
        return combined_fields.run(
            weighted, input_values, field_ids, self.field_size, self.operator
        )


@op()
def combined_fields(
    xp,
    rows: TensorOf(floating),
    weights: TensorOf(floating),
    fields: Numbers,
    count: Int,
    operator: Str,
):
    """Returns the sum, weighted mean or maximum of the rows of each field; zeros for an empty
    field."""
    is_member = xp.expand_dims(fields, 1) == xp.reshape(xp.arange(count), (1, -1, 1))
    mask = xp.cast(is_member, rows.dtype)
    share = xp.expand_dims(xp.sum(mask * xp.expand_dims(xp.abs(weights), 1), -1), -1)
    is_filled = share > 0
    if operator == "MAX":
        values = xp.where(xp.expand_dims(is_member, -1), xp.expand_dims(rows, 1), -xp.inf)
        return xp.where(is_filled, xp.max(values, 2), 0)
    total = xp.matmul(mask, rows)
    if operator == "MEAN":
        total = total / xp.where(is_filled, share, 1)
    return xp.where(is_filled, total, 0)
