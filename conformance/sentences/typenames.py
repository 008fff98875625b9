"""Maps the documentation's names of types to the single names used in the specs."""

import re

DTYPES = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64
bfloat16 complex64 complex128 int4 float8_e4m3fn float8_e5m2 hifloat8 half single double
string""".split()

_WORDS = {
    "int": "int ints integer integers int_number int_type 整数 整型 int型 整数类型 int类型",
    "float": "float double_number floats floating_point_number floating-point_number "
    "float_number float_type floating_number float_value floating floating_type "
    "floating_types float_types 浮点数 浮点型 float类型 浮点数类型",
    "bool": "bool boolean bools booleans bool_value boolean_value bool_type boolean_type 布尔值 "
    "布尔型 "
    "布尔类型 bool类型 布尔",
    "str": "str string strings strs string_type str_type 字符串 字符串类型 str类型 string类型",
    "bytes": "bytes",
    "tuple": "tuple tuples 元组 tuple_type tuple类型",
    "list": "list lists 列表 list_type list类型",
    "dict": "dict dictionary dicts 字典 dict_type dict类型",
    "set": "set 集合",
    "Tensor": "tensor tensors 张量 tensor类型 tensor_type tensor_object scalar_tensor",
    "None": "none nonetype",
    "Number": "number numbers scalar scalars number.number numbers.number numeric number_type 数字 "
    "标量 数值",
    "callable": "function callable callable_object callable_function callables "
    "python_callable_object python_callable_objects lambda_function 函数 可调用对象 "
    "functions callable_type",
    "numpy.ndarray": "ndarray numpy_array np.ndarray numpy.ndarray numpy.array numpy_ndarray "
    "ndarrays numpy_arrays numpy_type",
    "dtype": "dtype mindspore.dtype mstype mstype.type mindspore_dtype mindspore.dtype.type "
    "typing type ms_type",
    "numpy.dtype": "numpy.dtype numpy_dtype numpy_data_type",
    "sequence": "sequence sequences",
    "Iterable": "iterable iterable_object iterables",
    "Sequence": "",
    "real": "real_number real",
    "complex": "complex complex_number 复数",
    "Cell": "cell nn.cell cell_type cells cell类型 nn.cell类型",
    "Parameter": "parameter parameters parameter类型",
    "COOTensor": "cootensor",
    "CSRTensor": "csrtensor",
    "RowTensor": "rowtensor",
    "TensorOperation": "data_processing_operations_in_audio,_text,_transforms,_or_vision_modules",
    "slice": "slice",
    "Ellipsis": "ellipsis",
    "array_like": "array_like array-like",
    "generator": "generator",
    "object": "object",
    "PIL.Image": "pil.image pil.image.image pil_image image.image",
    "unsigned": "uint uints unsigned_integer",
}
_TABLE = {word.replace("_", " "): name for name, words in _WORDS.items() for word in words.split()}
_TABLE.update({d: d for d in DTYPES if d != "bool"})
_TABLE.update(
    {
        "double": "float64",
        "half": "float16",
        "string": "str",
        "array_like": "array_like",
        "int (32-bit)": "int32",
        "numpy_array": "numpy.ndarray",
        "complex64": "complex64",
    }
)
_DROP = re.compile(
    r"^(?:(?:an?|the|any|instances? of|objects? of|subclass(?:es)? of|type of|of type|type|of"
    r"|class)\s+)+|"
    r"\s+(?:types?|instances?|objects?|values?|number|data|elements?|类型|对象|实例)$",
    re.I,
)
_CLASS = re.compile(r"[A-Za-z_][\w.]*\.[A-Z]\w*|[A-Z][A-Za-z]\w*(?:\.[A-Z]\w*)?")
_CONTAINER = re.compile(r"([A-Za-z.]+)\s*(?:\[|\()\s*(.*?)\s*(?:\]|\))")
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_SIZED = re.compile(
    r"(tuple|list)s? (?:of|with|whose)(?: a)? (?:length (?:of )?(\d+)|(two|three|four|five"
    r"|\d)(?: ([a-z]+\d*))?(?: elements?| items?| values?| numbers?)?)",
    re.I,
)
_OF = re.compile(
    r"(tuple|list|sequence|dict|set)s?\s+(?:of|with|containing|whose elements are)\s+(.+)", re.I
)


def type_name(text):
    """Returns the canonical name of a type phrase, or None if it is not a type."""
    text = text.strip().strip("‹›«»'\"`").strip()
    text = re.sub(r"^(?:an?|the) (?=\w)", "", text)
    entry = _TABLE.get(text.lower())
    if entry:
        return entry
    match = _CONTAINER.fullmatch(text)
    if match:
        return _container(match[1], match[2])
    match = _SIZED.fullmatch(text)
    if match:
        number = _NUMBERS.get(match[2] or match[3], match[2] or match[3])
        inner = type_name(match[4]) if match[4] else None
        return (
            None
            if match[4] and not inner
            else f"{match[1].lower()}{{{number}}}" + (f"[{inner}]" if inner else "")
        )
    match = _OF.fullmatch(text)
    if match:
        return _container(match[1], match[2])
    shorter = _DROP.sub("", text).strip()
    if shorter != text and shorter:
        return type_name(shorter)
    if (
        re.fullmatch(r"(?:mindspore|mstype|np|ms|numpy)\.\w+", text)
        and text.split(".")[1] in DTYPES
    ):
        return text.split(".")[1]
    if _CLASS.fullmatch(text) and not text.isupper() and text not in ("True", "False"):
        return text.removeprefix("mindspore.")
    return None


def _container(outer, inner):
    if outer.lower() == "union":
        return None
    container = _TABLE.get(outer.lower())
    if container not in ("tuple", "list", "dict", "set", "sequence", "Tensor", "Iterable"):
        return None
    parts = [
        type_name(p) for p in re.split(r"\s*,\s*|\s+or\s+|/", inner) if p.strip() not in ("...", "")
    ]
    return None if not parts or None in parts else f"{container}[{', '.join(dict.fromkeys(parts))}]"


def is_dtype(name):
    """Returns whether a canonical type name is an element type of Tensors."""
    return name in DTYPES
