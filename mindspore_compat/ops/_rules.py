"""Rules of parameters that several packages of operators share; one name has one meaning.

Rules that one file alone needs stand in that file.
"""

from .._core.rules.vocabulary import (
    Bool,
    Int,
    ListOf,
    Number,
    ScalarOf,
    TensorOf,
    TupleOf,
    any_dtype,
    floating,
    integer,
    number,
    real,
)

# Tensors by their dtypes. An operand may be a number as well.
Anything = TensorOf(any_dtype)
Operand = TensorOf(any_dtype, scalars=True)
Numbers = TensorOf(number)
NumbersOrBools = TensorOf(number, "bool")
Reals = TensorOf(real)
RealsOrBools = TensorOf(real, "bool")
RealOperand = TensorOf(real, "bool", scalars=True)
Integers = TensorOf(integer)
Bools = TensorOf("bool")
Index = TensorOf("int32", "int64")
IndexOfAnyInt = TensorOf("int8", "int16", "int32", "int64", "uint8")
Several = TupleOf(Anything) | ListOf(Anything)

# Floats, with and without bfloat16, which NumPy does not have, and complex numbers ("inexact").
Floats = TensorOf(floating)
Float16To64 = TensorOf("float16", "float32", "float64")
Float16Or32 = TensorOf("float16", "float32")
Float32Or64 = TensorOf("float32", "float64")
Float32 = TensorOf("float32")
FloatsUpTo32 = TensorOf("float16", "bfloat16", "float32")
HalfPrecision = TensorOf("float16", "bfloat16")
Inexact = TensorOf(floating, "complex64", "complex128")
InexactOfNumPy = TensorOf("float16", "float32", "float64", "complex64", "complex128")

# Numbers of Python. A ScalarInt may lie in a Tensor without axes.
Positive = Int(ge=1)
Natural = Int(ge=0)
ScalarInt = ScalarOf(Int, TypeError)
NumberOrBool = Number | Bool
TensorOrNumber = Number | Bool | Anything  # a number stands for a Tensor without axes
Ints = TupleOf(Int) | ListOf(Int)
IntOrInts = Int | TupleOf(Int) | ListOf(Int)
Lengths = TupleOf(Int(ge=0)) | ListOf(Int(ge=0))


def several(rule, *lengths):
    """A number, or a tuple of a length in `lengths`."""
    return rule | TupleOf(rule, length=lengths)


def listed(rule, *lengths):
    """A number, or a tuple or list of a length in `lengths`."""
    return several(rule, *lengths) | ListOf(rule, length=lengths)
