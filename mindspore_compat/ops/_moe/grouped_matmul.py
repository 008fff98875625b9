"""Grouped matrix products, one per expert: grouped_matmul and grouped_matmul_v4.

MindSpore runs these operators on Ascend only, so its documentation of 2.10 is the reference. Tokens
are sorted by expert in _moe/token_permute.py.
"""

from ..._backend.arrays import to_host
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, DType, Int, ListOf, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._precision import at_least_float32
from .._rules import Floats
from .._shape.join_split import cat
from ..primitive import Primitive


@op(compute="native")
def expert_product(
    xp,
    x: TensorOf("float16", "bfloat16", "float32", "int8"),
    weight: TensorOf("float16", "bfloat16", "float32", "int8"),
    bias: TensorOf("float16", "bfloat16", "float32", "int32") = None,
    scale: Floats = None,
    offset: Floats = None,
    token_scale: Floats = None,
):
    """Computes x @ (weight + offset) * scale + bias, summed in float32, in the dtype of `x`.

    With `token_scale`, `x` and `weight` are int8. The bias is added to the product, which is then
    multiplied by the scale of each column and the scale of each row. The result is bfloat16.
    """
    if token_scale is not None:
        out = xp.matmul(xp.cast(x, "float64"), xp.cast(weight, "float64"))  # exact for integers
        out = out if bias is None else out + bias
        out = out * xp.cast(scale, "float32") * xp.expand_dims(token_scale, -1)
        return xp.cast(xp.cast(out, "float32"), "bfloat16")
    table = at_least_float32(xp, weight)
    if offset is not None:
        table = table + at_least_float32(xp, offset)
    out = xp.matmul(at_least_float32(xp, x), table)
    if scale is not None:
        out = out * at_least_float32(xp, scale)
    if bias is not None:
        out = out + at_least_float32(xp, bias)
    return xp.cast(out, x.dtype)


Tensors = ListOf(TensorOf()) | TupleOf(TensorOf())


@public("ops.auto_generate.grouped_matmul")
@checked
def grouped_matmul(
    x: Tensors,
    weight: Tensors,
    bias: Tensors = None,
    scale: Tensors = None,
    offset: Tensors = None,
    antiquant_scale: Tensors = None,
    antiquant_offset: Tensors = None,
    group_list: TensorOf("int64") = None,
    split_item: Int = 0,
    group_type: Int = -1,
    transpose_a: Bool = False,
    transpose_b: Bool = False,
):
    """Computes grouped matrix products: y = x @ weight + bias, pair by pair or expert by expert.

    With `antiquant_scale` and `antiquant_offset`, y = x @ (weight + offset) * scale + bias.

    Args:
        x (Union[list[Tensor], tuple[Tensor]]): with `split_item` 0, several Tensors of 2 to 6 axes;
            with 3, one of 2 axes that holds the rows of all experts in order. float16, bfloat16 or
            float32.
        weight (Union[list[Tensor], tuple[Tensor]]): with `split_item` 0, one matrix per Tensor of
            `x`; with 3, one Tensor of shape (experts, inner, outer). Of the dtype of `x`, or int8.
        bias (Union[list[Tensor], tuple[Tensor]]): shape (outer,), or (experts, outer).
        scale (None): reserved.
        offset (None): reserved.
        antiquant_scale (Union[list[Tensor], tuple[Tensor]]): as `bias`.
        antiquant_offset (Union[list[Tensor], tuple[Tensor]]): as `bias`.
        group_list (Tensor): the end of each expert's rows, int64; with `split_item` 3.
        split_item (int): 0 or 3. Default: 0.
        group_type (int): -1 with `split_item` 0, 0 with 3. Default: -1.
        transpose_a (bool): whether the last two axes of `x` are swapped first. Default: False.
        transpose_b (bool): whether the last two axes of `weight` are swapped first. Default: False.

    Returns:
        tuple[Tensor]: the products.

    Raises:
        TypeError: if `split_item` and `group_type` are not such a pair, or an argument has the
            wrong type or is missing.
        ValueError: if lengths or shapes do not fit, or a reserved argument is given.

    Source: mindspore.ops.auto_generate.grouped_matmul of MindSpore 2.10.
    """
    api = "grouped_matmul"
    _need_pair(api, split_item, group_type, group_list)
    _need_none(api, scale=scale, offset=offset)
    x = [tensor.swapaxes(-1, -2) for tensor in x] if transpose_a else x
    weight = [tensor.swapaxes(-1, -2) for tensor in weight] if transpose_b else weight
    ends = _ends(group_list, 0)
    if ends and ends[-1] != (x[0].shape[0] if len(x) == 1 else -1):
        raise ValueError(
            f"For '{api}', 'group_list' must grow to the number of rows, but got {ends}."
        )
    return _products(api, x, weight, (bias, antiquant_scale, antiquant_offset, None), ends)


def _need_pair(api, split_item, group_type, group_list):
    if (split_item, group_type) not in ((0, -1), (3, 0)):
        raise TypeError(
            f"For '{api}', 'split_item' and 'group_type' must be 0 and -1, or 3 and 0, "
            f"but got {split_item} and {group_type}."
        )
    if split_item == 3 and group_list is None:
        raise TypeError(
            f"For '{api}', 'group_list' must be a Tensor where 'split_item' is 3, but got None."
        )
    if split_item == 0 and group_list is not None:
        raise ValueError(
            f"For '{api}', 'group_list' must be None where 'split_item' is 0, but got {group_list}."
        )


def _need_none(api, **reserved):
    for name, value in reserved.items():
        if value is not None:
            raise ValueError(
                f"For '{api}', '{name}' must be None: it is reserved, but got {value}."
            )


def _ends(group_list, kind):
    """Returns the end of each expert's rows, given ends (kind 0) or counts (1); None without a
    list."""
    if group_list is None:
        return None
    numbers = [int(n) for n in to_host(group_list._array).reshape(-1)]
    return numbers if kind == 0 else [sum(numbers[: i + 1]) for i in range(len(numbers))]


def _products(api, x, weight, columns, ends):
    """Computes the products pair by pair, or multiplies the rows of each expert by its own
    matrix."""
    lengths = [len(rows) for rows in (x, weight, *columns) if rows is not None]
    if len(set(lengths)) > 1 or ends is not None and len(x) != 1:
        raise ValueError(
            f"For '{api}', the lists must be as long as each other, of length 1 with "
            f"a 'group_list', but got lengths {lengths}."
        )
    rank = 2 if ends is None else 3
    for rows, table in zip(x, weight):
        if (
            not 2 <= rows.ndim <= (6 if ends is None else 2)
            or table.ndim != rank
            or (rows.shape[-1] != table.shape[-2])
        ):
            raise ValueError(
                f"For '{api}', the matrices must fit, of {rank} axes in 'weight', but "
                f"got shapes {rows.shape} and {table.shape}."
            )
    rest = [rows or [None] * len(x) for rows in columns]
    if ends is None:
        return tuple(map(expert_product.run, x, weight, *rest))
    return (_by_expert(api, x[0], weight[0], [rows[0] for rows in rest], ends),)


def _by_expert(api, x, weight, columns, ends):
    """Multiplies the rows of each expert by its own matrix; rows that belong to no expert give
    zeros."""
    starts, rows = [0, *ends], x.shape[0]
    if len(ends) != weight.shape[0] or sorted(starts) != starts or ends[-1] > rows:
        raise ValueError(
            f"For '{api}', 'group_list' must grow to at most {rows}, one number for "
            f"each of {weight.shape[0]} experts, but got {ends}."
        )
    *by_column, by_row = columns
    parts = []
    for i, (start, end) in enumerate(zip(starts, ends)):
        parameters = [column if column is None else column[i] for column in by_column]
        if end > start:
            parameters.append(None if by_row is None else by_row[start:end])
            parts.append(expert_product.run(x[start:end], weight[i], *parameters))
    if ends[-1] < rows:
        xp = space_for(x._array)
        dtype = parts[0]._array.dtype if parts else x._array.dtype
        parts.append(Tensor._wrap(xp.zeros((rows - ends[-1], weight.shape[-1]), dtype)))
    return parts[0] if len(parts) == 1 else cat.run(parts, 0)


@public("ops.auto_generate.GroupedMatmul")
class GroupedMatmul(Primitive):
    """Computes `ops.auto_generate.grouped_matmul`; its last four arguments are settings of the
    class.

    Source: mindspore.ops.auto_generate.GroupedMatmul of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        split_item: Int = 0,
        group_type: Int = -1,
        transpose_a: Bool = False,
        transpose_b: Bool = False,
    ):
        super().__init__("GroupedMatmul")
        self.split_item = split_item
        self.group_type = group_type
        self.transpose_a = transpose_a
        self.transpose_b = transpose_b

    def __call__(
        self,
        x,
        weight,
        bias=None,
        scale=None,
        offset=None,
        antiquant_scale=None,
        antiquant_offset=None,
        group_list=None,
    ):
        return grouped_matmul(
            x,
            weight,
            bias,
            scale,
            offset,
            antiquant_scale,
            antiquant_offset,
            group_list,
            self.split_item,
            self.group_type,
            self.transpose_a,
            self.transpose_b,
        )


@public("ops.auto_generate.grouped_matmul_v4")
@checked
def grouped_matmul_v4(
    x: Tensors,
    weight: Tensors,
    bias: Tensors = None,
    scale: Tensors = None,
    offset: Tensors = None,
    antiquant_scale: Tensors = None,
    antiquant_offset: Tensors = None,
    pre_token_scale: Tensors = None,
    group_list: TensorOf("int64") = None,
    activation_input: Tensors = None,
    activation_quant_scale: Tensors = None,
    activation_quant_offset: Tensors = None,
    split_item: Int = 0,
    group_type: Int = -1,
    group_list_type: Int = 0,
    act_type: Int = 0,
    output_dtype: DType = None,
):
    """Computes grouped matrix products, as `grouped_matmul`, also of int8.

    With `scale` and `pre_token_scale`, `x` and `weight` are int8, and y = (x @ weight + bias) *
    scale * pre_token_scale in bfloat16. The other arguments are the same as for `grouped_matmul`.

    Args:
        scale (Union[list[Tensor], tuple[Tensor]]): the scale of each column, shape (outer,), or
            (experts, outer).
        pre_token_scale (Union[list[Tensor], tuple[Tensor]]): the scale of each row, float32, shape
            (rows,).
        group_list (Tensor): int64; rows beyond the last group give zeros.
        group_list_type (int): 0 if `group_list` holds the ends of the groups, 1 if their lengths.
        act_type (int): must be 0; other values are reserved.
        output_dtype (mindspore.dtype): used only for 4-bit weights, which are not supported.

    Returns:
        tuple[Tensor]: the products.

    Raises:
        TypeError: as `grouped_matmul`, or if `group_list_type` is neither 0 nor 1.
        ValueError: as `grouped_matmul`, or if only one of two scales that belong together is given.

    Source: mindspore.ops.auto_generate.grouped_matmul_v4 of MindSpore 2.10.
    """
    api = "grouped_matmul_v4"
    _need_pair(api, split_item, group_type, group_list)
    if group_list_type not in (0, 1):
        raise TypeError(
            f"For '{api}', 'group_list_type' must be 0 or 1, but got {group_list_type}."
        )
    _need_none(
        api,
        offset=offset,
        activation_input=activation_input,
        act_type=act_type or None,
        activation_quant_scale=activation_quant_scale,
        activation_quant_offset=activation_quant_offset,
    )
    pairs = ((scale, pre_token_scale), (antiquant_scale, antiquant_offset))
    if any((a is None) != (b is None) for a, b in pairs) or None not in (scale, antiquant_scale):
        raise ValueError(
            f"For '{api}', 'scale' and 'pre_token_scale' must be given together, or "
            f"'antiquant_scale' and 'antiquant_offset', but got another choice."
        )
    optional = (bias, scale or antiquant_scale, antiquant_offset, pre_token_scale)
    return _products(api, x, weight, optional, _ends(group_list, group_list_type))


@public("ops.auto_generate.GroupedMatmulV4")
class GroupedMatmulV4(Primitive):
    """Computes `ops.auto_generate.grouped_matmul_v4`, with its arguments.

    Source: mindspore.ops.auto_generate.GroupedMatmulV4 of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("GroupedMatmulV4")

    def __call__(
        self,
        x,
        weight,
        bias=None,
        scale=None,
        offset=None,
        antiquant_scale=None,
        antiquant_offset=None,
        pre_token_scale=None,
        group_list=None,
        activation_input=None,
        activation_quant_scale=None,
        activation_quant_offset=None,
        split_item=0,
        group_type=-1,
        group_list_type=0,
        act_type=0,
        output_dtype=None,
    ):
        return grouped_matmul_v4(
            x,
            weight,
            bias,
            scale,
            offset,
            antiquant_scale,
            antiquant_offset,
            pre_token_scale,
            group_list,
            activation_input,
            activation_quant_scale,
            activation_quant_offset,
            split_item,
            group_type,
            group_list_type,
            act_type,
            output_dtype,
        )
