"""Functions whose result has the type of an argument, for the stubs.

`jit(f)` is called as `f`, and `value_and_grad(f)` returns what `f` returns and the gradients. The
table below lists, for each such function, the types of arguments and the result in one or several
signatures:

    value_and_grad(fn: Callable[_P, _R], ...) -> Callable[_P, tuple[_R, Any]]

The type None stands for a signature that lacks the argument; ORDINARY for the signature that the
function has without this table.
"""

VARIABLES = {"_F": '_t.TypeVar("_F")', "_P": '_t.ParamSpec("_P")', "_R": '_t.TypeVar("_R")'}
ORDINARY = ({}, None)


def _decorator(argument):
    """Returns the signatures of a decorator that may be called with options first."""
    return [({argument: "_F"}, "_F"), ({argument: "None"}, "Callable[[_F], _F]")]


SIGNATURES = {
    "grad": [
        ({"fn": "Callable[_P, Any]", "sens_param": None}, "Callable[_P, Any]"),
        ORDINARY,  # `sens_param` adds an argument
    ],
    "value_and_grad": [
        ({"fn": "Callable[_P, _R]", "sens_param": None}, "Callable[_P, tuple[_R, Any]]"),
        ({"fn": "Callable[..., _R]"}, "Callable[..., tuple[_R, Any]]"),
    ],
    "jacfwd": [({"fn": "Callable[_P, Any]"}, "Callable[_P, Any]")],
    "jacrev": [({"fn": "Callable[_P, Any]"}, "Callable[_P, Any]")],
    "vmap": [({"fn": "Callable[_P, _R]"}, "Callable[_P, _R]")],
    "shard": [({"fn": "Callable[_P, _R]"}, "Callable[_P, _R]")],
    "recompute": [({"block": "Callable[..., _R]"}, "_R")],
    "stop_gradient": [({"value": "_F"}, "_F")],
    "depend": [({"value": "_F"}, "_F")],
    "jit": _decorator("function"),
    "jit_class": [({"cls": "_F"}, "_F")],
    "ms_function": _decorator("fn"),
    "lazy_inline": _decorator("fn"),
    "no_inline": _decorator("fn"),
    "constexpr": _decorator("fn"),
}


def signatures_of(name):
    """Returns the pairs of argument types and result of a function; one ORDINARY for most."""
    return SIGNATURES.get(name, [ORDINARY])


def replaced(parameters, types):
    """Returns the parameters without those of type None; a type other than "None" has no default,
    because it stands for the call with this argument."""
    return [
        parameter.replace(default=parameter.empty)
        if types.get(parameter.name, "None") != "None" and parameter.default is None
        else parameter
        for parameter in parameters
        if types.get(parameter.name, "") is not None
    ]


def definitions_for(text):
    """Returns the definitions of the type variables that a stub's text uses."""
    used = [name for name in VARIABLES if f"{name}]" in text or f"{name}," in text]
    return [f"{name} = {VARIABLES[name]}" for name in used]
