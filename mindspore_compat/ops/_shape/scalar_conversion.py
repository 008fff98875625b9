"""Conversions between Tensors and Python numbers and tuples."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, InstanceOf, Number, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from ..primitive import Primitive

_Number = InstanceOf(bool, int, float).called("a number")
_ATuple = InstanceOf(tuple)


@public("ops.scalar_to_tensor")
def scalar_to_tensor(input_x, dtype=dtypes.float32):
    """Converts a number to a Tensor; float32 by default (bools and ints too).

    Args:
        input_x (Union[bool, int, float]): the number.
        dtype (mindspore.dtype): the dtype of the result. Default: float32.

    Returns:
        Tensor of shape ().

    Raises:
        TypeError: if `input_x` is not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_to_tensor(1.5))
        1.5

    Source: mindspore.ops.scalar_to_tensor of MindSpore 2.10.
    """
    if dtype is None:
        raise TypeError("For 'scalar_to_tensor', 'dtype' must be a dtype, but got None.")
    if not isinstance(input_x, (bool, int, float)):
        _Number.refuse("scalar_to_tensor", "input_x", input_x)
    return Tensor(input_x, dtype)


@public("ops.ScalarToTensor")
class ScalarToTensor(Primitive):
    """The class form of `ops.scalar_to_tensor`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ScalarToTensor()(1.5, ms.float32))
        1.5
    """

    def __init__(self):
        super().__init__("ScalarToTensor")

    def __call__(self, input_x, dtype=dtypes.float32):
        return scalar_to_tensor(input_x, dtype)


@public("ops.scalar_to_array")
def scalar_to_array(input_x):
    """Converts a number to a Tensor of its own dtype, as MindSpore 1.x did.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_to_array(1.5))
        1.5
    """
    return Tensor(input_x)


@public("ops.tuple_to_array")
def tuple_to_array(input_x):
    """Converts a tuple of numbers of one type, or a range, to a Tensor: int32 for ints, float32 for
    floats.

    Args:
        input_x (tuple): numbers of one type.

    Returns:
        None for a list, a str or a Tensor; otherwise a Tensor with one axis.

    Raises:
        TypeError: if `input_x` is not one of these, or mixes types.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.tuple_to_array((1, 2)))
        [1 2]

    Source: mindspore.ops.tuple_to_array of MindSpore 2.10.
    """
    if isinstance(input_x, (list, str, Tensor)):
        return None
    if isinstance(input_x, range):
        input_x = tuple(input_x)
    if not isinstance(input_x, tuple):
        _ATuple.refuse("tuple_to_array", "input_x", input_x)
    if len({type(item) for item in input_x}) > 1:
        raise TypeError(
            f"For 'tuple_to_array', the elements of 'input_x' must have one type, but "
            f"got {input_x}."
        )
    whole = bool(input_x) and isinstance(input_x[0], int)
    return Tensor(input_x, dtypes.int32 if whole else dtypes.float32)


@public("ops.TupleToArray")
class TupleToArray(Primitive):
    """The class form of `ops.tuple_to_array`, for tuples only.

    Raises:
        TypeError: if the input is not a tuple, or mixes types.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.TupleToArray()((1, 2)))
        [1 2]
    """

    def __init__(self):
        super().__init__("TupleToArray")

    def __call__(self, input_x):
        if not isinstance(input_x, tuple):
            _ATuple.refuse("TupleToArray", "input_x", input_x)
        return tuple_to_array(input_x)


@public("ops.scalar_cast")
def scalar_cast(input_x, input_y):
    """Casts a number to int, float or bool, for the dtype int64, float64 or bool.

    Raises:
        TypeError: if `input_x` is not a number.
        ValueError: if `input_y` is another dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.scalar_cast(1.7, ms.int64))
        1

    Source: mindspore.ops.scalar_cast of MindSpore 2.10.
    """
    if not isinstance(input_x, (bool, int, float)):
        _Number.refuse("scalar_cast", "input_x", input_x)
    result = {"Int64": int, "Float64": float, "Bool": bool}.get(str(input_y))
    if result is None:
        raise ValueError(
            f"For 'scalar_cast', 'input_y' must be int64, float64 or bool, but got {input_y!r}."
        )
    return result(input_x)


@public("ops.ScalarCast")
class ScalarCast(Primitive):
    """The class form of `ops.scalar_cast`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ScalarCast()(1.7, ms.int64))
        1
    """

    def __init__(self):
        super().__init__("ScalarCast")

    def __call__(self, input_x, input_y):
        return scalar_cast(input_x, input_y)


@public("ops.make_range")
def make_range(*args):
    """Returns the ints of `range(*args)`, as a tuple.

    Args:
        *args (int): start, end and step, as for `range`.

    Returns:
        tuple[int].

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.make_range(1, 4))
        (1, 2, 3)
    """
    return tuple(range(*args))


@public("ops.tuple_len")
def tuple_len(x):
    """Returns the length of a tuple.

    Args:
        x (Union[tuple, list]): the sequence.

    Returns:
        int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.tuple_len((1, 2)))
        2
    """
    return len(x)


@public("ops.is_nonzero")
def is_nonzero(input):
    """Returns True if the only element of a Tensor is not 0.

    Args:
        input (Tensor): the input.

    Returns:
        bool.

    Raises:
        TypeError: if `input` is not a Tensor.
        ValueError: if `input` has several elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_nonzero(ms.Tensor(5)))
        True
    """
    if not isinstance(input, Tensor):
        Anything.refuse("is_nonzero", "input", input)
    return bool(input)


@public("ops.is_tensor")
def is_tensor(obj):
    """Returns True for a Tensor, else False.

    Args:
        obj (Any): any object.

    Returns:
        bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.is_tensor(ms.Tensor([1])))
        True
    """
    return isinstance(obj, Tensor)


@public("ops.ScalarToArray")
class ScalarToArray(Primitive):
    """The class form of `ops.scalar_to_array`.

    Raises:
        TypeError: if the input is not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ScalarToArray()(1.5))
        1.5

    Source: mindspore.ops.ScalarToArray of MindSpore 1.10, whose name 2.10 keeps.
    """

    def __init__(self):
        super().__init__("ScalarToArray")

    @checked
    def __call__(self, input_x: Number | Bool):
        return scalar_to_array(input_x)


@public("ops.TensorToTuple")
class TensorToTuple(Primitive):
    """Returns the elements of a Tensor with one axis as a tuple of numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.TensorToTuple()(ms.Tensor([1, 2])))
        (1, 2)
    """

    def __init__(self):
        super().__init__("TensorToTuple")

    @checked
    def __call__(self, x: Anything):
        return tuple(x.asnumpy().tolist())
