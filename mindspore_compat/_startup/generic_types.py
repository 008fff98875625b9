"""Functions whose result has the type of an argument, for the stubs.

`jit(f)` is called as `f`, and `value_and_grad(f)` returns what `f` returns and the gradients. The
table below lists, for each such function, the types of arguments and the result in one or several
signatures:

    value_and_grad(fn: Callable[_P, _R], ...) -> Callable[_P, tuple[_R, Any]]

The type None stands for a signature that lacks the argument; ORDINARY for the signature that the
function has without this table. A text instead of types has all parameters of a signature; those
without a type get that of their rule or docstring.
"""

import inspect

VARIABLES = {
    "_C": '_t.TypeVar("_C", bound="_Cell")',
    "_F": '_t.TypeVar("_F")',
    "_P": '_t.ParamSpec("_P")',
    "_R": '_t.TypeVar("_R")',
}
ORDINARY = ({}, None)
PAIR, TRIPLE = "tuple[Tensor, Tensor]", "tuple[Tensor, Tensor, Tensor]"


def _decorator(argument):
    """Returns the signatures of a decorator that may be called with options first."""
    return [({argument: "_F"}, "_F"), ({argument: "None"}, "Callable[[_F], _F]")]


def _without(names, result):
    """Returns two signatures: one with `result`, for calls without the arguments in `names`, and
    the ordinary one for all other calls."""
    return [(dict.fromkeys(names.split()), result), ORDINARY]


def _gradients(function, returned, absent):
    """Returns three signatures of a function such as `grad`: for the gradient of the first input,
    of one Parameter, and of several Parameters.

    Args:
        function (str): the type of the function that is differentiated.
        returned (str): the type of the result, with {} for that of the gradient.
        absent (str): arguments that must be missing, because they change the type of the result.
    """
    absent = dict.fromkeys(absent.split())
    positions = [
        {"grad_position": "int", "weights": None},
        {"grad_position": "None", "weights": "Parameter"},
        {"grad_position": "None", "weights": "Iterable[Parameter]"},
    ]
    gradients = ["Tensor", "Tensor", "tuple[Tensor, ...]"]
    return [
        ({"fn": function, **position, **absent}, f"Callable[_P, {returned.format(gradient)}]")
        for position, gradient in zip(positions, gradients, strict=True)
    ]


SIGNATURES = {
    "grad": [
        *_gradients("Callable[_P, Any]", "{}", "has_aux return_ids sens_param"),
        ({"fn": "Callable[_P, Any]", "sens_param": None}, "Callable[_P, Any]"),
        ORDINARY,  # `sens_param` adds an argument
    ],
    "value_and_grad": [
        *_gradients("Callable[_P, _R]", "tuple[_R, {}]", "return_ids sens_param"),
        ({"fn": "Callable[_P, _R]", "sens_param": None}, "Callable[_P, tuple[_R, Any]]"),
        ({"fn": "Callable[..., _R]"}, "Callable[..., tuple[_R, Any]]"),
    ],
    **{
        name: [
            (
                {"fn": "Callable[_P, Tensor]", "grad_position": "int", "has_aux": None},
                "Callable[_P, Tensor]",
            ),
            ({"fn": "Callable[_P, Any]"}, "Callable[_P, Any]"),
        ]
        for name in ("jacfwd", "jacrev")
    },
    "jvp": [({"fn": "Callable[..., _R]", "has_aux": None}, "tuple[_R, _R]"), ORDINARY],
    "vjp": [
        ({"fn": "Callable[..., _R]", "has_aux": None}, "tuple[_R, Callable[..., Any]]"),
        ORDINARY,
    ],
    "vmap": [({"fn": "Callable[_P, _R]"}, "Callable[_P, _R]")],
    "shard": [({"fn": "Callable[_P, _R]"}, "Callable[_P, _R]")],
    "recompute": [({"block": "Callable[..., _R]"}, "_R")],
    "stop_gradient": [({"value": "_F"}, "_F")],
    "depend": [({"value": "_F"}, "_F")],
    "ops.identity": [({"x": "_F"}, "_F")],
    "jit": _decorator("function"),
    "jit_class": [({"cls": "_F"}, "_F")],
    "ms_function": _decorator("fn"),
    "lazy_inline": _decorator("fn"),
    "no_inline": _decorator("fn"),
    "constexpr": _decorator("fn"),
    "auto_mixed_precision": [({"network": "_F"}, "_F")],
    "custom_mixed_precision": [({"network": "_F"}, "_F")],
    "clip_by_value": [({"x": "Tensor"}, "Tensor"), ORDINARY],
    "clip_by_norm": [({"x": "Tensor"}, "Tensor"), ORDINARY],
    "ops.svd": _without("compute_uv", TRIPLE),
    "ops.nonzero": _without("as_tuple", "Tensor"),
    "ops.unique_consecutive": _without("return_inverse return_counts", "Tensor"),
    "mint.unique": _without("return_inverse return_counts", "Tensor"),
    **{
        f"mint.{name}": [
            ("input: Tensor", "Tensor"),
            ("input: Tensor, dim: int, keepdim: bool = False", PAIR),
            ("input: Tensor, other: Tensor", "Tensor"),
        ]
        for name in ("max", "min")
    },
    "mint.median": [
        ("input: Tensor", "Tensor"),
        ("input: Tensor, dim: int, keepdim: bool = False", PAIR),
    ],
    "mint.where": [
        ("condition: Tensor", "tuple[Tensor, ...]"),
        ("condition: Tensor, input: Tensor | float, other: Tensor | float", "Tensor"),
    ],
    "numpy.average": _without("returned", "Tensor"),
    "numpy.linspace": _without("retstep", "Tensor"),
    "numpy.unique": _without("return_inverse", "Tensor"),
    **{
        f"{module}.{name}": _without("return_indices", "Tensor")
        for module, names in {
            "ops": """adaptive_max_pool2d adaptive_max_pool3d
                fractional_max_pool2d fractional_max_pool3d max_pool2d max_pool3d""",
            "mint.nn.functional": "adaptive_max_pool1d adaptive_max_pool2d max_pool2d",
        }.items()
        for name in names.split()
    },
}
MEMBERS = {
    "CellList.__init__": [  # an empty one may be filled with any Cells
        ("self: CellList[Any], *, auto_prefix=True, **kwargs", "None"),
        ("self, *args: Iterable[_C], auto_prefix=True, **kwargs", "None"),
    ],
    "CellList.__getitem__": [("self, index: int", "_C"), ("self, index: slice", "CellList[_C]")],
    "CellList.__iter__": [("self", "Iterator[_C]")],
    "CellList.append": [("self, cell: Cell", "None")],
    "CellList.extend": [("self, cells: Iterable[Cell]", "Self")],
    "CellList.insert": [("self, index: int, cell: Cell", "None")],
    "Dataset.create_dict_iterator": [
        (f"self, num_epochs=-1, {output}, do_copy=False", f"Iterator[dict[str, {value}]]")
        for output, value in (
            ("output_numpy: Literal[False] = False", "Tensor"),
            ("*, output_numpy: Literal[True]", "ndarray"),
            ("output_numpy: bool = False", "Any"),
        )
    ],
    "Dataset.create_tuple_iterator": [
        (f"self, columns=None, num_epochs=-1, {output}, do_copy=False", f"Iterator[list[{value}]]")
        for output, value in (
            ("output_numpy: Literal[False] = False", "Tensor"),
            ("*, output_numpy: Literal[True]", "ndarray"),
            ("output_numpy: bool = False", "Any"),
        )
    ],
    "DynamicLossScaler.scale": [("self, inputs: _F", "_F")],
    "DynamicLossScaler.unscale": [("self, inputs: _F", "_F")],
    "StaticLossScaler.scale": [("self, inputs: _F", "_F")],
    "StaticLossScaler.unscale": [("self, inputs: _F", "_F")],
    "Tensor.svd": _without("compute_uv", TRIPLE),
    "Optimizer.__call__": [("self, gradients: Iterable[Any]", "bool | tuple[bool, ...]")],
}
BASES = {"CellList": "Cell, Generic[_C]", "ParameterTuple": "tuple[Parameter, ...]"}


def signatures_of(name, module):
    """Returns the pairs of argument types and result of a function; one ORDINARY for most."""
    return SIGNATURES.get(f"{module}.{name}", SIGNATURES.get(name, [ORDINARY]))


def replaced(parameters, types):
    """Returns the parameters and their types: of a text those that it has, otherwise those without
    type None. A parameter whose type does not take its default has none, because the signature
    stands for the call with this argument."""
    if isinstance(types, str):
        return _parsed(types)
    types, kept = dict(types), []
    for parameter in parameters:
        type_ = types.get(parameter.name, "")
        if type_ and (type_ == "None") != (parameter.default is None):
            parameter = parameter.replace(default=parameter.empty)
        if type_ is not None:
            kept.append(parameter)
    return kept, types


def _parsed(text):
    """Returns the parameters of a signature in Python's notation, and the types of some."""
    names = {}
    exec(f"from __future__ import annotations\ndef form({text}): ...", names)  # noqa: S102
    parameters = [*inspect.signature(names["form"]).parameters.values()]
    types = {each.name: each.annotation for each in parameters}
    annotated = {name: type_ for name, type_ in types.items() if type_ != inspect.Parameter.empty}
    return parameters, annotated


def definitions_for(text):
    """Returns the definitions of the type variables that a stub's text uses."""
    used = [name for name in VARIABLES if any(f"{name}{end}" in text for end in "],)")]
    return [f"{name} = {VARIABLES[name]}" for name in used]
