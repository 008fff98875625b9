"""Conversions of arguments for MindSpore's generated Primitives, under MindSpore's names.

The functions turn one number into a pair, a word such as "same" into its enum value, and a dtype
into its id. They also cast between numbers, tuples, lists and Tensors. Only scripts that define
their own Primitives in MindSpore's manner import them: the operators of this package convert
arguments by the rules in their signatures.
"""

import enum

from ..._core.declare.public_api import build
from ..._core.rules.vocabulary import InstanceOf, Str
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.dtype import TYPE_IDS, Type
from ..._core.tensor.tensor import Tensor
from ...common.mutable import is_dynamic, is_sequence_shape_unknown  # noqa: F401 - shown here too
from ..primitive import Primitive

_Type = InstanceOf(Type).called("a dtype")

_CODES = {  # the code of each word in the settings of kernels; case does not matter
    code: words.split()
    for code, words in {
        0: """bsh constant default eq lstm mask_default mask_none nchw pad right
            round rzh set sum unidirectional zeros backward ij""",
        1: """add align_corners bnsd border forward gt left mean nearest nhwc pertoken reflect relu
            same trapezoidal trunc xy zrh""",
        2: "floor half_pixel lt none ortho reflection sbh sigmoid symmetric valid",
        3: "bsnd ceil crop_and_resize full relu6 update",
        4: "elu tnd",
        5: "leaky_relu th",
        6: "abs nsd",
        7: "sh",
        8: "softsign",
        9: "hw pa_bsnd softplus",
        10: "tanh",
        11: "nc selu",
        12: "hswish",
        13: "hsigmoid",
        14: "ncdhw",
        15: "linear",
        17: "ndhwc sign",
        19: "fractal_nz gelu",
        20: "glu nd",
        21: "nc1hwc0",
        22: "fastgelu fractal_z",
        23: "silu",
        25: "swiglu",
        34: "hwcn",
        43: "c1hwncoc0",
        46: "dhwcn",
        47: "ndc1hwc0",
        48: "fractal_z_3d",
        52: "fractal_zn_lstm",
        54: "nd_rnn_bias",
        55: "fractal_zn_rnn",
        58: "ncl",
    }.items()
}
_CODE_OF = {word: code for code, words in _CODES.items() for word in words} | {"bilinear": 0}


class OpDtype(enum.IntEnum):
    """Kinds of arguments, with MindSpore's codes."""

    DT_BEGIN = 0
    DT_BOOL = 1
    DT_INT = 2
    DT_FLOAT = 3
    DT_NUMBER = 4
    DT_TENSOR = 5
    DT_STR = 6
    DT_ANY = 7
    DT_TUPLE_BOOL = 8
    DT_TUPLE_INT = 9
    DT_TUPLE_FLOAT = 10
    DT_TUPLE_NUMBER = 11
    DT_TUPLE_TENSOR = 12
    DT_TUPLE_STR = 13
    DT_TUPLE_ANY = 14
    DT_LIST_BOOL = 15
    DT_LIST_INT = 16
    DT_LIST_FLOAT = 17
    DT_LIST_NUMBER = 18
    DT_LIST_TENSOR = 19
    DT_LIST_STR = 20
    DT_LIST_ANY = 21
    DT_TYPE = 22
    DT_NONE = 23
    DT_END = 25


_CLASSES = {
    OpDtype.DT_INT: int,
    OpDtype.DT_FLOAT: float,
    OpDtype.DT_BOOL: bool,
    OpDtype.DT_NUMBER: (int, float),
    OpDtype.DT_TENSOR: Tensor,
}


# Codes of settings --------------------------------------------------------------------------------


def arg_invalid_info(op_name, arg_name, arg_val):
    """Returns the error message for an invalid argument."""
    return f"For '{op_name}', the value of '{arg_name}' is invalid: '{arg_val}'."


def _pair(op_name, arg_name, value, numbers=int):
    if isinstance(value, numbers):
        return (value, value)
    if not isinstance(value, (tuple, list)):
        raise ValueError(arg_invalid_info(op_name, arg_name, value))
    return value


def to_pair(op_name, arg_name, arg_val):
    """Returns a tuple of two, given a number; returns a tuple or list unchanged.

    Raises:
        ValueError: if `arg_val` is anything else.
    """
    return _pair(op_name, arg_name, arg_val, (int, float))


def to_2d_paddings(op_name, arg_name, pad):
    """Returns a tuple of two, given an int; returns a tuple or list unchanged.

    Raises:
        ValueError: if `pad` is anything else.
    """
    return _pair(op_name, arg_name, pad)


def to_kernel_size(op_name, arg_name, kernel_size):
    """Returns (height, width), given an int, two numbers, or four numbers, of which the last two
    are used.

    Raises:
        ValueError: if `kernel_size` is not an int, tuple or list.
    """
    pair = _pair(op_name, arg_name, kernel_size)
    return tuple(pair[2:]) if len(pair) == 4 else pair


to_strides = to_rates = to_dilations = to_output_padding = to_kernel_size


def generator_handler(op_name, arg_name, inputs):
    """Returns a tuple of the inputs, with ints converted to int64 Tensors."""
    return tuple(
        Tensor(input, dtypes.int64) if isinstance(input, int) else input for input in inputs
    )


class DtypeToEnum(Primitive):
    """Returns the code of a dtype: `DtypeToEnum()("Cast", "dtype", mindspore.float32)` is 43.

    Source: mindspore.ops.auto_generate.DtypeToEnum of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("DtypeToEnum")

    def __call__(self, op_name, arg_name, dtype):
        """Returns the code of a dtype.

        Raises:
            TypeError: if `dtype` is not a dtype.
        """
        if not isinstance(dtype, Type):
            _Type.refuse(op_name, arg_name, dtype)
        return TYPE_IDS[dtype]


class StringToEnum(Primitive):
    """Returns the code of a word in settings: `StringToEnum()("Sum", "reduction", "mean")` is 1.

    Source: mindspore.ops.auto_generate.StringToEnum of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("StringToEnum")

    def __call__(self, op_name, arg_name, enum_str):
        """Returns the code of a word; None for None.

        Raises:
            TypeError: if `enum_str` is not a str.
            ValueError: if no setting has this word.
        """
        if enum_str is None:
            return None
        if not isinstance(enum_str, str):
            Str.refuse(op_name, arg_name, enum_str)
        if enum_str.lower() not in _CODE_OF:
            raise ValueError(
                f"For '{op_name}', '{arg_name}' must be the name of a setting, but "
                f"got {enum_str!r}."
            )
        return _CODE_OF[enum_str.lower()]


def dtype_to_type_id(op_name, arg_name, dtype):
    """Returns the code of a dtype; raises a TypeError for anything else."""
    return DtypeToEnum()(op_name, arg_name, dtype)


def str_to_enum(op_name, arg_name, enum_str):
    """Returns the code of a word in settings; None for None."""
    return StringToEnum()(op_name, arg_name, enum_str)


# Kinds of arguments -------------------------------------------------------------------------------


def is_tuple(type_id):
    """Returns True if `type_id`, a value of `OpDtype`, stands for a tuple."""
    return OpDtype.DT_TUPLE_BOOL <= type_id <= OpDtype.DT_TUPLE_ANY


def is_list(type_id):
    """Returns True if `type_id`, a value of `OpDtype`, stands for a list."""
    return OpDtype.DT_LIST_BOOL <= type_id <= OpDtype.DT_LIST_ANY


def is_number(type_id):
    """Returns True if `type_id`, a value of `OpDtype`, stands for a single number or bool."""
    return OpDtype.DT_BOOL <= type_id <= OpDtype.DT_NUMBER


def is_integral_mstype(dtype):
    """Returns whether a dtype is an integer dtype."""
    return dtype in dtypes.int_type + dtypes.uint_type


def is_floating_point_mstype(dtype):
    """Returns whether a dtype is float16, float32 or float64."""
    return dtype in (dtypes.float16, dtypes.float32, dtypes.float64)


def is_instance_of(data, type_id):
    """Returns whether a value is of a kind; does not check the items of tuples and lists."""
    if is_tuple(type_id) or is_list(type_id):
        return isinstance(data, tuple if is_tuple(type_id) else list)
    return isinstance(data, _CLASSES.get(type_id, ()))


def is_instance_in(data, type_id):
    """Returns whether a value is of a kind, or of one of a tuple of kinds."""
    kinds = type_id if isinstance(type_id, tuple) else (type_id,)
    return any(is_instance_of(data, kind) for kind in kinds)


def get_support_dtype_list(src_type, dst_type):
    """Returns the kinds as text, such as "int, Tensor, list of int"."""
    sources = src_type if isinstance(src_type, tuple) else (src_type,)
    return ", ".join(_in_words(kind) for kind in (*sources, dst_type))


def _in_words(kind):
    name = OpDtype(kind).name.removeprefix("DT_").lower()
    container, _, item = name.partition("_")
    words = {"tensor": "Tensor", "any": "Any", "str": "string"}
    return f"{container} of {words.get(item, item)}" if item else words.get(container, container)


# Casts --------------------------------------------------------------------------------------------


class IsDimUnKnown(Primitive):
    """Returns whether a sequence has a dynamic length.

    Source: mindspore.ops.auto_generate.IsDimUnKnown of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("IsDimUnKnown")

    def __call__(self, data):
        """Returns whether `data` has a dynamic length."""
        return is_dynamic(data)


class TupleToList(Primitive):
    """Returns a list of a tuple's items.

    Source: mindspore.ops.auto_generate.TupleToList of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("TupleToList")

    def __call__(self, input):
        """Returns a list of the items."""
        return list(input)


class ListToTuple(Primitive):
    """Returns a tuple of a list's items.

    Source: mindspore.ops.auto_generate.ListToTuple of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("ListToTuple")

    def __call__(self, input):
        """Returns a tuple of the items."""
        return tuple(input)


tuple_to_list, list_to_tuple = TupleToList(), ListToTuple()


def int_to_float(data):
    """Converts a number to a float."""
    return float(data)


def scalar_to_tuple(data):
    """Converts a number to a tuple of one."""
    return (data,)


def tensor_to_tuple(data):
    """Converts a Tensor to a tuple of its numbers."""
    return tuple(data.asnumpy().tolist())


def scalar_to_tensor(data):
    """Converts a bool, int or float to a Tensor of bool, int32 or float32."""
    kind = {bool: dtypes.bool_, int: dtypes.int32}.get(type(data), dtypes.float32)
    return Tensor(data, kind)


def tuple_to_tensor(data):
    """Converts a tuple of numbers to a Tensor, with the type of the first number."""
    return build("ops", "tuple_to_array")(data)


def list_to_tensor(data):
    """Converts a list of numbers to a Tensor, with the type of the first number."""
    return tuple_to_tensor(tuple(data))


def tensor_to_number(data, dst_type, op_name):
    """Converts a Tensor of one number to the requested kind of number."""
    number = data.asnumpy().item()
    return {OpDtype.DT_INT: int, OpDtype.DT_FLOAT: float}.get(dst_type, lambda x: x)(number)


def normalize_int_tensor(op_name, arg_name, data):
    """Returns the integer in a Tensor of one element.

    Raises:
        ValueError: if the Tensor holds anything else.
    """
    if not is_integral_mstype(data.dtype):
        raise ValueError(
            f"For '{op_name}', '{arg_name}' must be a Tensor of ints, but got one of {data.dtype}."
        )
    return int(data.asnumpy().item())


def normalize_int_sequence(op_name, arg_name, data, to_tuple=True):
    """Converts a sequence of ints and one-int Tensors to ints; returns a sequence with other items
    unchanged."""
    if not all(isinstance(item, (int, Tensor)) for item in data):
        return data
    ints = [
        item if isinstance(item, int) else normalize_int_tensor(op_name, arg_name, item)
        for item in data
    ]
    return tuple(ints) if to_tuple else ints


def _as_tuple(data):
    if isinstance(data, Tensor):
        return tensor_to_tuple(data)
    return (data,) if isinstance(data, (int, float)) else tuple(data)


def do_type_cast(data, dst_type, op_name):
    """Converts a value to another kind: numbers, tuples, lists and Tensors convert to each other.

    Raises:
        TypeError: if no conversion between the two kinds exists.
    """
    kinds = (Tensor, tuple, list, (int, float))
    own_kind = next((kind for kind in kinds if isinstance(data, kind)), None)
    if is_instance_of(data, dst_type):
        return data
    if dst_type == OpDtype.DT_FLOAT and isinstance(data, int):
        return float(data)
    if own_kind is not None and (is_tuple(dst_type) or is_list(dst_type)):
        return (tuple if is_tuple(dst_type) else list)(_as_tuple(data))
    if dst_type == OpDtype.DT_TENSOR and own_kind is not None:
        return scalar_to_tensor(data) if own_kind == (int, float) else tuple_to_tensor(tuple(data))
    if is_number(dst_type) and own_kind is Tensor:
        return tensor_to_number(data, dst_type, op_name)
    raise TypeError(f"For '{op_name}', {data!r} cannot become {_in_words(dst_type)}.")


def type_it(op_name, arg_name, data, src_type, dst_type):
    """Converts an argument to the kind that a Primitive accepts, if it has one of the allowed
    kinds.

    Args:
        op_name (str): the Primitive, for messages.
        arg_name (str): the argument.
        data: the value of the argument; None stays None.
        src_type (Union[OpDtype, tuple[OpDtype]]): the allowed kinds.
        dst_type (OpDtype): the kind that it is converted to.

    Raises:
        TypeError: if it is of another kind.
    """
    if data is None:
        return None
    if not is_instance_in(data, src_type) and not is_instance_of(data, dst_type):
        raise TypeError(
            f"For '{op_name}', '{arg_name}' must be one of "
            f"'{get_support_dtype_list(src_type, dst_type)}', but got {data!r} of type "
            f"{type(data).__name__}."
        )
    return do_type_cast(data, dst_type, op_name)
