"""The classes of types under the names by which the original's pickles know them.

The types themselves, `mindspore.float32` and so on, are in `mindspore.common.dtype`.
"""

from .._core.tensor.dtype import (
    BFloat,
    Bool,
    Complex,
    COOTensorType,
    CSRTensorType,
    Dict,
    EnvType,
    Float,
    Function,
    Int,
    List,
    Number,
    RefKeyType,
    RowTensorType,
    Slice,
    String,
    SymbolicKeyType,
    TensorType,
    Tuple,
    Type,
    TypeAny,
    TypeNone,
    TypeNull,
    TypeType,
    UInt,
    UndeterminedType,
    type_id_to_type,
    type_to_type_id,
)

__all__ = [
    "BFloat", "Bool", "COOTensorType", "CSRTensorType", "Complex", "Dict", "EnvType", "Float",
    "Function", "Int", "List", "Number", "RefKeyType", "RowTensorType", "Slice", "String",
    "SymbolicKeyType", "TensorType", "Tuple", "Type", "TypeAny", "TypeNone", "TypeNull", "TypeType",
    "UInt", "UndeterminedType", "type_id_to_type", "type_to_type_id",
]
