"""MindSpore's public types, and their NumPy counterparts.

`mindspore.float32` is an object that prints `Float32`, compares by value, and knows its size and
kind. `to_numpy` and `from_numpy` translate; `ml_dtypes` stores bfloat16 and the two float8 formats.
`promote` returns the result dtype of an operation, by the rule in `promotion`.

The public names `bool`, `int` and `float` would hide Python's types here. They are in `exported`,
which has every public name of `mindspore.common.dtype`.
"""

import enum

import ml_dtypes
import numpy as np

from .promotion import promote_np, scalar_np


class Type:
    """The base class of all types. A type is identified by its name; equal names are equal types.

    Example:
        >>> import mindspore_compat as ms
        >>> isinstance(ms.float32, ms.Type)
        True
    """

    __slots__ = ("_name",)

    def __new__(cls, *args, **kwargs):
        if cls is Type:
            raise TypeError("For 'Type', there is no constructor; use one of its subclasses.")
        return object.__new__(cls)

    def __eq__(self, other):
        return self is other or (type(self) is type(other) and self._name == other._name)

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return f"mindspore.{self._name}"

    def __str__(self):
        return _texts.get(self._name) or self._name.capitalize()

    def __reduce__(self):
        return _unpickled, (type(self), self._name)

    def __deepcopy__(self, memo):
        return self


_texts = {
    "bfloat16": "BFloat16",
    "bfloat": "BFloat",
    "hifloat8": "HiFloat8",
    "float8_e4m3fn": "Float8E4M3FN",
    "float8_e5m2": "Float8E5M2",
    "uint": "UInt",
    "uint8": "UInt8",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "list_": "List",
    "tuple_": "Tuple",
    "string_": "String",
    "type_none": "None",
    "type_type": "TypeType",
    "function": "Func",
    "env_type": "Object:EnvType",
    "symbolic_key": "Object:SymbolicKey",
    "type_refkey": "Object:RefKey",
    "COOTensor": "COOTensor",
    "CSRTensor": "CSRTensor",
    "RowTensor": "RowTensor",
}


def _unpickled(cls: type, name: str) -> Type:
    """Returns the type of that name: the existing object if there is one."""
    for dtype in exported.values():
        if type(dtype) is cls and dtype._name == name:
            return dtype
    instance = object.__new__(cls)
    instance._name = name
    return instance


class Number(Type):
    """A number type: all numbers, or the numbers of one kind and size."""

    __slots__ = ()
    _stem = "number"
    _sizes = ()

    def __init__(self, bits: int = 0):
        self._set(bits)

    def _set(self, bits: int = 0) -> None:
        if bits and bits not in self._sizes:
            raise ValueError(
                f"For '{type(self).__name__}', 'bits' must be one of "
                f"{', '.join(map(str, self._sizes))}, but got {bits}."
            )
        self._name = f"{self._stem}{bits or ''}"

    def __setstate__(self, state: tuple) -> None:
        """Restores the state in MindSpore's pickles: the number of bits, if any."""
        self._set(*state)

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element; 1 for a type without a size."""
        return _sizes.get(self._name, 1)

    @property
    def is_floating_point(self) -> bool:
        """Whether this is a real floating type."""
        return isinstance(self, (Float, BFloat))

    @property
    def is_complex(self) -> bool:
        """Whether this is a complex type."""
        return isinstance(self, Complex)

    @property
    def is_signed(self) -> bool:
        """Whether the type has negative values."""
        return isinstance(self, (Int, Float, BFloat, Complex))

    def to_complex(self) -> "Number":
        """Returns the complex type whose parts have this type's precision.

        Raises:
            TypeError: if the type is not bfloat16, float32, float64 or complex.
        """
        if self.is_complex:
            return self
        if self._name not in _to_complex:
            raise TypeError(f"Cannot convert type {self._name} to complex type.")
        return _to_complex[self._name]

    def to_real(self) -> "Number":
        """Returns the type of the parts of a complex type, or any other sized type itself.

        Raises:
            TypeError: if the type is a kind without a size.
        """
        if self._name not in _sizes:
            raise TypeError(f"Cannot convert type {self._name} to real type.")
        return _to_real.get(self._name, self)


class Bool(Number):
    """The type of truth values."""

    __slots__ = ()
    _stem = "bool"


class Int(Number):
    """Signed integers; `Int(0)` stands for all of them.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.common.dtype.Int(32)
        mindspore.int32

    Source: mindspore.Int of MindSpore 2.10.
    """

    __slots__ = ()
    _stem = "int"
    _sizes = (4, 8, 16, 32, 64)


class UInt(Number):
    """Unsigned integers."""

    __slots__ = ()
    _stem = "uint"
    _sizes = (8, 16, 32, 64)


class Float(Number):
    """Floating-point numbers."""

    __slots__ = ()
    _stem = "float"
    _sizes = (16, 32, 64)


class BFloat(Number):
    """bfloat16: the 16-bit format with the exponent of float32."""

    __slots__ = ()
    _stem = "bfloat"
    _sizes = (16,)


class Complex(Number):
    """Complex numbers, by the bits of both parts together."""

    __slots__ = ()
    _stem = "complex"
    _sizes = (64, 128)


class _Named(Type):
    """A type with one name and no parameter."""

    __slots__ = ()

    def __init__(self):
        self._name = self._stem


def _dtype_class(class_name: str, name: str, doc: str) -> type:
    return type(
        class_name,
        (_Named,),
        {"__slots__": (), "_stem": name, "__doc__": doc, "__module__": __name__},
    )


String = _dtype_class("String", "string_", "The type of text.")
TypeNone = _dtype_class("TypeNone", "type_none", "The type of None.")
TypeNull = _dtype_class("TypeNull", "Null", "The type of nothing at all: an absent argument.")
TypeType = _dtype_class("TypeType", "type_type", "The type of types.")
Slice = _dtype_class("Slice", "Slice", "The type of slices.")
Function = _dtype_class("Function", "function", "The type of functions.")
Dict = _dtype_class("Dict", "Dictionary", "The type of dicts.")
EnvType = _dtype_class("EnvType", "env_type", "The type of gradient environments.")
SymbolicKeyType = _dtype_class("SymbolicKeyType", "symbolic_key", "The type of symbolic keys.")
RefKeyType = _dtype_class("RefKeyType", "type_refkey", "The type of a parameter's key.")
COOTensorType = _dtype_class("COOTensorType", "COOTensor", "The type of coordinate sparse tensors.")
CSRTensorType = _dtype_class(
    "CSRTensorType", "CSRTensor", "The type of compressed-row sparse tensors."
)
RowTensorType = _dtype_class("RowTensorType", "RowTensor", "The type of row-sparse tensors.")
UndeterminedType = _dtype_class("UndeterminedType", "Undetermined", "A type not known yet.")
TypeAny = _dtype_class("TypeAny", "Any", "A type that may be any.")
NoneType, FunctionType, AnythingType = TypeNone, Function, TypeAny


class TensorType(Type):
    """The type of Tensors, of one element type if given.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.TensorType(ms.float32)
        mindspore.tensor[float32]

    Source: mindspore.TensorType of MindSpore 2.10.
    """

    __slots__ = ("_element",)

    def __init__(self, element: Type | None = None):
        self._element = element
        self._name = "tensor" if element is None else f"tensor[{element._name}]"

    def element_type(self) -> Type | None:
        """Returns the type of the elements."""
        return self._element

    def __str__(self):
        return "Tensor" if self._element is None else f"Tensor[{self._element}]"

    def __reduce__(self):
        return TensorType, (self._element,)


class _Group(Type):
    """The type of a list or tuple, of certain element types if given."""

    __slots__ = ("_elements",)

    def __init__(self, elements=()):
        self._elements = tuple(elements)
        self._name = self._stem

    def __eq__(self, other):
        return type(self) is type(other) and self._elements == other._elements

    def __hash__(self):
        return hash((self._stem, self._elements))

    def __str__(self):
        inside = ",".join(map(str, self._elements))
        return type(self).__name__ + (f"[{inside}]" if inside else "")

    def __reduce__(self):
        return type(self), (self._elements,)


class List(_Group):
    """The type of lists."""

    __slots__ = ()
    _stem = "list_"


class Tuple(_Group):
    """The type of tuples."""

    __slots__ = ()
    _stem = "tuple_"


def _float_of_8_bits(name: str) -> Float:
    float8 = Float()
    float8._name = name
    return float8


# The types by name --------------------------------------------------------------------------------

bool_ = Bool()
int8, int16, int32, int64 = Int(8), Int(16), Int(32), Int(64)
uint8, uint16, uint32, uint64 = UInt(8), UInt(16), UInt(32), UInt(64)
float16, float32, float64, bfloat16 = Float(16), Float(32), Float(64), BFloat(16)
complex64, complex128 = Complex(64), Complex(128)
qint4x2 = Int(4)
float8_e4m3fn, float8_e5m2, hifloat8 = map(
    _float_of_8_bits, ("float8_e4m3fn", "float8_e5m2", "hifloat8")
)

byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
half, single, double, cfloat, cdouble = float16, float32, float64, complex64, complex128

int_, uint, float_, number = Int(), UInt(), Float(), Number()
list_, tuple_, string, tensor_type = List(), Tuple(), String(), TensorType()
type_none, type_type, _null, function = NoneType(), TypeType(), TypeNull(), FunctionType()
env_type, symbolic_key, type_refkey = EnvType(), SymbolicKeyType(), RefKeyType()
coo_tensor, csr_tensor, index_slices = COOTensorType(), CSRTensorType(), RowTensorType()
undetermined = UndeterminedType()

int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, hifloat8)
complex_type = (complex64, complex128)
signed_type = int_type + float_type[:4] + complex_type + (qint4x2,) + float_type[4:]
number_type = int_type + uint_type + float_type[:4] + complex_type + (qint4x2,) + float_type[4:]
all_types = (bool_,) + number_type

_sizes = {
    "bool": 1,
    "int4": 1,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "hifloat8": 1,
    "bfloat16": 2,
    **{
        each._name: np.dtype(each._name).itemsize
        for each in int_type + uint_type + float_type[:3] + complex_type
    },
}
_to_complex = {"bfloat16": complex64, "float32": complex64, "float64": complex128}
_to_real = {"complex64": float32, "complex128": float64}


class QuantDtype(enum.Enum):
    """Integer formats of quantised values, by their number of bits.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.QuantDtype.INT8
        <QuantDtype.INT8: 7>

    Source: mindspore.QuantDtype of MindSpore 2.10.
    """

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    INT9, INT10, INT11, INT12, INT13, INT14, INT15, INT16 = range(8, 16)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)
    UINT9, UINT10, UINT11, UINT12, UINT13, UINT14, UINT15, UINT16 = range(108, 116)

    def __str__(self):
        return self.name

    def value(self):
        """Returns the number that represents the format in files."""
        return self._value_


# NumPy --------------------------------------------------------------------------------------------

_STORED = (bool_, *int_type, *uint_type, *float_type[:6], *complex_type)
_to_numpy = {each: np.dtype(getattr(ml_dtypes, each._name, None) or each._name) for each in _STORED}
_from_numpy = {value: key for key, value in _to_numpy.items()}
_by_name = {each._name: each for each in _STORED}


# The number that stands for a type in the arguments of a primitive.
TYPE_IDS = {
    bool_: 30,
    int8: 32,
    int16: 33,
    int32: 34,
    int64: 35,
    uint8: 37,
    uint16: 38,
    uint32: 39,
    uint64: 40,
    float16: 42,
    float32: 43,
    float64: 44,
    bfloat16: 45,
    float8_e4m3fn: 46,
    float8_e5m2: 47,
    hifloat8: 48,
    complex64: 51,
    complex128: 52,
    qint4x2: 53,
}


def type_to_type_id(dtype: Type) -> int:
    """Returns the number that stands for a type in the arguments of a primitive."""
    return TYPE_IDS[dtype]


def type_id_to_type(number: int) -> Type:
    """Returns the type to which the arguments of a primitive refer by a number."""
    return next(dtype for dtype, type_id in TYPE_IDS.items() if type_id == number)


def to_numpy(dtype: Type) -> np.dtype:
    """Returns the NumPy dtype that holds elements of a MindSpore dtype.

    Raises:
        TypeError: if `dtype` is not a MindSpore dtype, or NumPy has no counterpart.
    """
    try:
        return _to_numpy[dtype]
    except (KeyError, TypeError):
        raise TypeError(
            f"'dtype' must be a mindspore dtype that an array can have, "
            f"but got {dtype!r} of type {type(dtype).__name__}."
        ) from None


def from_numpy(dtype: np.dtype) -> Type:
    """Returns the MindSpore dtype of arrays of a NumPy dtype; text is `string`.

    Raises:
        TypeError: if MindSpore has no such dtype, for example for object arrays.
    """
    ms_dtype = _from_numpy.get(dtype)
    if ms_dtype is not None:
        return ms_dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "US":
        return string
    raise TypeError(
        f"Arrays of dtype {dtype} are not supported; the supported dtypes are "
        f"{', '.join(_by_name)} and str."
    )


_INT64, _LONGLONG = np.dtype(np.int64), np.dtype(np.longlong)


def as_longlong(array):
    """Returns a view of dtype `longlong` of a NumPy array of int64. Returns any other array
    unchanged.

    The two types are equal, but NumPy prints the dtype of the latter: `array([1], dtype=int64)`.
    Arrays that MindSpore returns have it.
    """
    return array.view(_LONGLONG) if array.dtype.char == _INT64.char else array


def as_int64(array):
    """Returns a NumPy array of `longlong` as one of int64, the reverse of `as_longlong`."""
    return array.view(_INT64) if array.dtype.char == _LONGLONG.char else array


def promote(a: Type, b) -> Type:
    """Returns the dtype of a sum of a Tensor of dtype `a` and a Tensor of dtype `b`.

    Args:
        a: a dtype of MindSpore.
        b: a dtype of MindSpore, or a Python number type: `bool`, `int`, `float`, `complex`.

    Raises:
        TypeError: if the two do not mix.
    """
    if isinstance(b, type):
        return from_numpy(scalar_np(to_numpy(a), b))
    return from_numpy(promote_np(to_numpy(a), to_numpy(b)))


def numpy_dtype(name: str) -> np.dtype:
    """Returns the NumPy dtype for the name of a MindSpore dtype ("bfloat16")."""
    return _to_numpy[_by_name[name]]


def dtype_to_nptype(type_):
    """Returns the NumPy scalar type of a MindSpore dtype: `numpy.float32` for `mindspore.float32`.

    Args:
        type_ (mindspore.dtype): the dtype.

    Returns:
        The NumPy scalar type.

    Raises:
        KeyError: if NumPy has no such type.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.dtype_to_nptype(ms.int32).__name__)
        int32

    Source: mindspore.dtype_to_nptype of MindSpore 2.10.
    """
    return _to_numpy[type_].type


def issubclass_(type_, dtype) -> bool:
    """Returns whether `type_` is `dtype` or one of its kind: float32 is a float_ and a number."""
    if not isinstance(type_, Type) or not isinstance(dtype, Type):
        raise TypeError(
            f"For 'issubclass_', both arguments must be types, but got {type_!r} and {dtype!r}."
        )
    if dtype in (int_, uint, float_, number, list_, tuple_, tensor_type):
        return isinstance(type_, type(dtype))
    return type_ == dtype


def type_size_in_bytes(dtype: Type) -> int:
    """Returns the bytes of one element: 0 for a type without elements, 1 for a kind of numbers.

    Raises:
        TypeError: if `dtype` is not a MindSpore dtype.
    """
    if not isinstance(dtype, Type):
        raise TypeError(
            f"For 'type_size_in_bytes', 'dtype' must be a mindspore dtype, but got "
            f"{dtype!r} of type {type(dtype).__name__}."
        )
    return _sizes.get(dtype._name, 1 if dtype in (number, int_, uint, float_) else 0)


_names = """
    bool_ int8 byte int16 short int32 intc int64 long intp uint8 ubyte uint16 ushort uint32 uintc
    uint64 uintp float16 half float32 single float64 double complex64 cfloat complex128 cdouble
    qint4x2 bfloat16 float8_e4m3fn float8_e5m2 hifloat8 int_ uint float_ list_ tuple_ string number
    tensor_type type_none _null
"""
exported = {name: globals()[name] for name in _names.split()} | {
    "bool": bool_,
    "int": int32,
    "float": float32,
}
