"""Descriptions of custom operators: `ops.TBERegOp`, `ops.CustomRegOp` and others, and
`ops.DataType`.

The classes collect the description of an operator for a kernel library and return it as a dict. No
such kernel library runs here. The descriptions are stored and the decorators return functions
unchanged, so that scripts which register kernels but use another implementation still work.
"""

import functools

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import InstanceOf
from ..._core.source import compiled
from ..primitive import prim_attr_register

_OpInfo = InstanceOf(dict, str)

_KINDS = {
    "BOOL": "bool",
    "I8": "int8",
    "U8": "uint8",
    "I16": "int16",
    "U16": "uint16",
    "I32": "int32",
    "U32": "uint32",
    "I64": "int64",
    "U64": "uint64",
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "BF16": "bfloat16",
    "C64": "complex64",
    "C128": "complex128",
    "None": "",
}
_FORMATS = {
    "None": "",
    "Default": "DefaultFormat",
    "Default_Tuple": "DefaultFormat",
    "Default_List": "DefaultFormat",
    "5HD": "NC1HWC0",
    "NC1HWC0": "NC1HWC0",
    "FracZ": "FRACTAL_Z",
    "FracNZ": "FRACTAL_NZ",
    "C1HWNCoC0": "C1HWNCoC0",
    "NCHW": "NCHW",
    "NHWC": "NHWC",
    "HWCN": "HWCN",
    "NDHWC": "NDHWC",
    "ChannelLast": "ChannelLast",
    "NCDHW": "NCDHW",
    "NDC1HWC0": "NDC1HWC0",
    "DHWCN": "DHWCN",
    "FRACTAL_Z_3D": "FRACTAL_Z_3D",
    "FracZNLSTM": "FRACTAL_ZN_LSTM",
    "FracZNRNN": "FRACTAL_ZN_RNN",
    "ND_RNNBIAS": "ND_RNN_BIAS",
}


@public("ops.DataType")
class DataType:
    """Pairs of a dtype and a layout, such as `DataType.F32_Default`: ("float32",
    "DefaultFormat").

    Example:
        >>> ms.ops.DataType.F32_Default
        ('float32', 'DefaultFormat')
    """


for _kind, _dtype in _KINDS.items():
    for _format, _layout in _FORMATS.items():
        _tail = tuple(_format.lower().split("_")[1:]) if _format.startswith("Default_") else ()
        setattr(DataType, f"{_kind}_{_format}", (_dtype, _layout, *_tail))


def _need(value, kind, name):
    """Raises a TypeError unless `value` is of a plain type (bool is not an int)."""
    if type(value) is not kind and not (kind is str and isinstance(value, str)):
        raise TypeError(
            f"For '{name}', {value!r} must be of type {kind.__name__}, but got "
            f"{type(value).__name__}."
        )
    return value


class _RegOp:
    """Builds a description call by call; each method returns the object itself."""

    own = {}  # entries that a subclass adds
    written = {
        "param_type": "paramType",
        "value_type": "type",
        "default_value": "defaultValue",
        "need_compile": "needCompile",
        "value_depend": "valueDepend",
    }

    def __init__(self, op_name):
        if not isinstance(op_name, str) or not op_name:
            raise ValueError(
                f"For '{type(self).__name__}', 'op_name' must be a str that is not "
                f"empty, but got {op_name!r}."
            )
        self.op_name = op_name
        self.inputs, self.outputs, self.attr_, self.dtype_format_ = [], [], [], []
        self.fusion_type_ = ""
        self.more = dict(self.own)

    def _entry(self, described, more):
        """Returns one input, output or attribute as a dict without absent values."""
        entry = {}
        for name, value in [*described.items(), *more.items()]:
            if value is None:
                continue
            kind = bool if name == "need_compile" else int if name == "index" else str
            _need(value, kind, type(self).__name__)
            if name == "value_depend" and value not in ("ignored", "optional", "required"):
                raise ValueError(
                    f"For '{type(self).__name__}', 'value_depend' must be 'ignored', "
                    f"'optional' or 'required', but got {value!r}."
                )
            entry[self.written.get(name, name)] = value
        return entry

    def _input(self, described, more):
        self.inputs.append(self._entry(described, more))
        return self

    def _output(self, described, more):
        entry = self._entry(described, more)
        renamed = {"need_compile" if k == "needCompile" else k: v for k, v in entry.items()}
        self.outputs.append(renamed)  # MindSpore spells this key differently for outputs
        return self

    def _attr(self, described, more):
        self.attr_.append(self._entry(described, {}) | more)
        return self

    def dtype_format(self, *args):
        """Adds a row of (dtype, layout) pairs, one for each input and output."""
        count = len(self.inputs) + len(self.outputs)
        if len(args) != count:
            raise ValueError(
                f"For '{type(self).__name__}', a row of 'dtype_format' must have "
                f"{count} pairs, but got {len(args)}."
            )
        self.dtype_format_.append(args)
        return self

    def fusion_type(self, fusion_type):
        """Sets how the operator may be fused."""
        self.fusion_type_ = _need(fusion_type, str, type(self).__name__)
        return self

    def get_op_info(self):
        """Returns the description as a dict."""
        return {
            "op_name": self.op_name,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "attr": self.attr_,
            "fusion_type": self.fusion_type_,
            "dtype_format": self.dtype_format_,
            **self.more,
        }


def _describing(cls, **signatures):
    """Adds the methods `input`, `output` and `attr` to a class. Each keyword of `signatures` is the
    name of a method, its value the text of the method's parameters.
    """
    words = {
        "input": "an input: its index, its name, and what else the kind of kernel wants",
        "output": "an output, as `input` an input",
        "attr": "an attribute",
    }
    for method, parameters in signatures.items():
        names = [part.split("=")[0].strip() for part in parameters.split(",")]
        signature = ", ".join(f"{name!r}: {name}" for name in names)
        lines = [
            f"def {method}(self, {parameters}, **kwargs):",
            f"    return self._{method}({{{signature}}}, kwargs)",
        ]
        function = compiled(lines, {}, f"{cls.__name__}.{method}")[method]
        function.__doc__ = f"Describes {words[method]}."
        setattr(cls, method, function)
    return cls


_PLACE = "index=None, name=None"


def _kind(path, own, words, **signatures):
    name = path.removeprefix("ops.")
    cls = type(
        name,
        (_RegOp,),
        {
            "own": own,
            "__doc__": f"Describes a custom operator {words}: `{path}(op_name)`, then `.input(...)`"
            ", `.output(...)`, `.attr(...)`, `.dtype_format(...)` and `.get_op_info()`.\n\n"
            f"Source: mindspore.{path} of MindSpore 2.10.\n",
        },
    )
    globals()[name] = cls  # the path `ops.op_info_register` shows the class too
    return public(path)(_describing(cls, **signatures))


_OF_A_CPU = {
    "input": f"{_PLACE}, param_type=None",
    "output": f"{_PLACE}, param_type=None",
    "attr": "name=None, value_type=None, value=None",
}
_OF_AKG = {
    "input": f"{_PLACE}, param_type=None",
    "output": _PLACE,
    "attr": "name=None, param_type=None, value_type=None",
}
_kind("ops.AiCPURegOp", {"imply_type": "AiCPU"}, "of the AI CPU", **_OF_A_CPU)
_kind("ops.CpuRegOp", {"imply_type": "CPU"}, "of the CPU", **_OF_A_CPU)
_kind("ops.AkgGpuRegOp", {"imply_type": "AKG", "processor": "CUDA"}, "of AKG on a GPU", **_OF_AKG)
_kind(
    "ops.AkgAscendRegOp",
    {"imply_type": "AKG", "processor": "AiCore"},
    "of AKG on an Ascend",
    **_OF_AKG,
)

_TBE = {  # method -> (entry, its first value, the type)
    "async_flag": ("async_flag", False, bool),
    "binfile_name": ("binfile", "", str),
    "compute_cost": ("compute_cost", 10, int),
    "kernel_name": ("kernel", "", str),
    "partial_flag": ("partial_flag", True, bool),
    "reshape_type": ("reshape_type", "", str),
    "dynamic_rank_support": ("dynamicRankSupport", False, bool),
    "dynamic_shape": ("dynamicShapeSupport", False, bool),
    "dynamic_compile_static": ("dynamicCompileStatic", False, bool),
    "need_check_supported": ("needCheckSupport", False, bool),
    "is_dynamic_format": ("dynamicFormat", False, bool),
    "op_pattern": ("op_pattern", "", str),
    "real_input_index": ("real_input_index", [], list),
    "input_to_attr_index": ("input_to_attr_index", [], list),
    "unknown_shape_formats": ("unknown_shape_formats", [], list),
}
_NEEDED = {
    "binfile_name",
    "dynamic_rank_support",
    "input_to_attr_index",
    "kernel_name",
    "real_input_index",
    "reshape_type",
    "unknown_shape_formats",
}  # the arguments without a default
_OF_TBE = f"{_PLACE}, need_compile=None, param_type=None, shape=None"
TBERegOp = _kind(
    "ops.TBERegOp",
    {
        "imply_type": "TBE",
        **{entry: value for entry, value, _ in _TBE.values()},
        "partial_flag": False,  # until the method, whose default is True, is called
    },
    "of TBE",
    input=f"{_OF_TBE}, value_depend=None",
    output=_OF_TBE,
    attr="name=None, param_type=None, value_type=None, value=None, default_value=None",
)


def _setting(method, entry, first, kind):
    """Returns a method that sets one entry of the description, or appends to the entry
    `unknown_shape_formats`. The method and its parameter have the same name."""
    name = "pattern" if method == "op_pattern" else method
    default = "" if method in _NEEDED else "=None" if method == "op_pattern" else "=first"

    def set_entry(self, value):
        if value is not None or method != "op_pattern":
            given = _need(value, kind, "TBERegOp")
            is_added = method == "unknown_shape_formats"
            self.more[entry] = [*self.more[entry], given] if is_added else given
        return self

    lines = [f"def {method}(self, {name}{default}):", f"    return set_entry(self, {name})"]
    method_function = compiled(
        lines, {"set_entry": set_entry, "first": first}, f"TBERegOp.{method}"
    )[method]
    method_function.__doc__ = f"Sets the entry `{entry}`."
    setattr(TBERegOp, method, method_function)


for _method, _rest in _TBE.items():
    _setting(_method, *_rest)


@public("ops.CustomRegOp")
class CustomRegOp(_RegOp):
    """Describes an operator of `ops.Custom`; its methods are those of `ops.TBERegOp`.

    Args:
        op_name (str): the name of the operator.

    Example:
        >>> info = ms.ops.CustomRegOp("add").input(0, "x").output(0, "y")
        >>> info = info.dtype_format(ms.ops.DataType.F32_Default, ms.ops.DataType.F32_Default)
        >>> info.target("CPU").get_op_info()["op_name"]
        'add'

    Source: mindspore.ops.CustomRegOp of MindSpore 2.10.
    """

    def __init__(self, op_name="Custom"):
        super().__init__(op_name)
        self.more = {"target": "UnKnown"}

    def target(self, target=None):
        """Sets the device that the operator runs on."""
        if target is not None:
            self.more["target"] = _need(target, str, "CustomRegOp")
        return self


_describing(
    CustomRegOp,
    input=f"{_PLACE}, param_type='required'",
    output=f"{_PLACE}, param_type='required'",
    attr="name=None, param_type=None, value_type=None, default_value=None",
)


@public("ops.op_info_register")
def op_info_register(op_info):
    """Returns a decorator that stores a description, `op_info`, of the decorated function.

    Args:
        op_info (Union[str, dict]): the description.

    Returns:
        A decorator, which returns the function.

    Raises:
        TypeError: if `op_info` is neither a dict nor a str, when the function is decorated.

    Example:
        >>> @ms.ops.op_info_register({"op_name": "Doubled"})
        ... def double(x):
        ...     return 2 * x
        >>> double(4)
        8

    Source: mindspore.ops.op_info_register of MindSpore 2.10.
    """

    def keep(function):
        _OpInfo.refuse("op_info_register", "op_info", op_info)
        return custom_info_register(op_info)(function)

    return keep


@public("ops.custom_info_register")
def custom_info_register(*reg_info):
    """Returns a decorator that stores descriptions of a function, which `ops.Custom` reads.

    Args:
        *reg_info (Union[str, dict]): the descriptions.

    Returns:
        A decorator, which returns the function.
    """

    def keep(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        wrapper.reg_info = reg_info
        return wrapper

    return keep


@public("ops.prim_arg_register")
def prim_arg_register(fn):
    """Decorates the `__init__` of a user's Primitive, so that its arguments become attributes.

    Args:
        fn (Function): the `__init__` of a subclass of `Primitive`.

    Returns:
        Function that takes the place of `fn`.

    Example:
        >>> class Scaled(ms.ops.Primitive):
        ...     @ms.ops.prim_arg_register
        ...     def __init__(self, factor=2.0):
        ...         pass
        >>> Scaled(3.0).attrs["factor"]
        3.0
    """
    return prim_attr_register(fn)
