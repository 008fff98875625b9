"""Declares Primitives that duplicate public functions, with one line each.

The line

    "ops.auto_generate.AcosExt()(input)": "mint.acos"

in the table of names.py declares a Primitive. The function gets the Primitive's inputs and then its
settings as arguments. If the function takes its arguments in another way, the line contains a call:

    "ops.auto_generate.EinsumExt()(equation, operands)": "mint.einsum(equation, *operands)"

A line with one pair of parentheses declares a function. If a call is not enough, a Python function
of the inputs and then the settings is declared:

    @alias("ops.auto_generate.ScatterValue()(input, dim, index, src, reduce='none')")
    def scatter(input, dim, index, src, reduce): ...

`mint`, `ops` and the other `Names` below look up public functions when they are called. The classes
are created at first use.
"""

import ast
import inspect

from ..._core.declare.public_api import _DTYPES, build
from ..._core.declare.public_api import _groups as groups
from ..._core.gradients.transforms import vjp
from ..._core.source import compiled
from ..primitive import Primitive

ALIASES = {}  # area -> name -> (the public signature, the target)
_objects = {}
_PACKAGE = __package__.partition(".")[0]
_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY


def alias(line, target=None):
    """Declares a Primitive or a function by its public signature.

    Args:
        line (str): the path with two pairs of parentheses, first the settings and then the inputs;
            a function has one pair.
        target (Union[str, Callable]): the path of the public function, a call of it, or a Python
            function of the inputs and then the settings. Without it, `alias` decorates such a
            function. Keyword-only parameters of the target are passed by name.
    """

    def declare(function):
        area, _, name = line.partition("(")[0].rpartition(".")
        ALIASES.setdefault(area, {})[name] = (line, function)
        return function

    return declare if target is None else declare(target)


def find_alias(area, name):
    """Returns the Primitive or function `area.name`, or None if no alias declares it."""
    if (area, name) not in _objects:
        if name not in ALIASES.get(area, {}):
            return None
        line, target = ALIASES[area][name]
        brackets = groups(line)
        make = _class if len(brackets) == 2 else _function
        _objects[area, name] = make(area, name, *brackets, target)
    return _objects[area, name]


def find(path):
    """Returns the object of a public path."""
    area, _, name = path.rpartition(".")
    base = Primitive if area.startswith("ops") else object
    return find_alias(area, name) or build(area, name, base)


def function_of(target, parameters, **scope):
    """Returns the function that an alias calls, given its path or an expression that calls it; the
    expression may use the names in `scope`.
    """
    if not isinstance(target, str):
        return target
    path, bracket, arguments = target.partition("(")
    if not bracket:
        return find(path)
    name = path.rpartition(".")[2]
    lines = [f"def {name}({parameters}):", f"    return _called({arguments}"]
    return compiled(lines, {"_called": find(path), **scope}, target)[name]


def _class(area, name, settings, inputs, target):
    attributes = _names(settings)
    values = {name_of_value: name_of_value for name_of_value in _names(inputs)}
    values |= {name_of_value: f"self.{name_of_value}" for name_of_value in attributes}
    primitive = function_of(target, ", ".join(values))
    lines = [
        f"def __init__({', '.join(filter(None, ['self', settings]))}):",
        f"    _base.__init__(self, {name!r})",
        *(f"    self.{name_of_value} = {name_of_value}" for name_of_value in attributes),
        "",
        f"def __call__(self, {inputs}):",
        f"    return _target({_arguments(primitive, values)})",
    ]
    scope = compiled(lines, {**_DTYPES, "_base": Primitive, "_target": primitive}, f"{area}.{name}")
    return type(
        name,
        (Primitive,),
        {
            "__init__": scope["__init__"],
            "__call__": scope["__call__"],
            "__module__": f"{_PACKAGE}.{area}",
            "__doc__": _document(
                f"{name}({settings})({inputs})", area, name, target, " as a Primitive:"
            ),
        },
    )


def _function(area, name, parameters, target):
    values = {parameter: parameter for parameter in _names(parameters)}
    primitive = function_of(target, ", ".join(values))
    lines = [f"def {name}({parameters}):", f"    return _target({_arguments(primitive, values)})"]
    function = compiled(lines, {**_DTYPES, "_target": primitive}, f"{area}.{name}")[name]
    function.__module__ = f"{_PACKAGE}.{area}"
    function.__doc__ = _document(f"{name}({parameters})", area, name, target, " as")
    return function


def _document(shown, area, name, target, how):
    says_again = f"`{target}`{how} " if isinstance(target, str) else ""
    return f"{says_again}`{shown}`.\n\nSource: mindspore.{area}.{name} of MindSpore 2.10.\n"


def _arguments(function, values):
    """Returns the source of the arguments of a call that passes `values` in order, and keyword-only
    parameters by name.
    """
    parameters = inspect.signature(function).parameters
    by_name = [
        name for name in values if name in parameters and parameters[name].kind is _KEYWORD_ONLY
    ]
    positional = [value for name, value in values.items() if name not in by_name]
    return ", ".join(positional + [f"{name}={values[name]}" for name in by_name])


def _names(parameters):
    """Returns the names in a text such as "a, b=1, c=(2, 3)"."""
    return [arg.arg for arg in ast.parse(f"def f({parameters}): pass").body[0].args.args]


class Names:
    """Shows the public names of an area as attributes; looks them up at first use."""

    def __init__(self, area):
        self._area = area

    def __getattr__(self, name):
        value = find(f"{self._area}.{name}")
        setattr(self, name, value)
        return value


ops = Names("ops")
mint = Names("mint")
functional = Names("mint.nn.functional")
linalg = Names("mint.linalg")
distributed = Names("mint.distributed")
communication = Names("ops.communication")
grad_ops = Names("ops.operations._grad_ops")
methods = Names("Tensor")


def pull_back(gradient, function, *inputs):
    """Computes the gradients of a call of `function` at `inputs`, given the gradient of its result;
    several inputs give a tuple.
    """
    back = vjp(function, *inputs)[1](gradient)
    return back[0] if len(inputs) == 1 else tuple(back)


def select(gradients, output_mask):
    """Returns the gradients, with None for those that `output_mask` excludes; an empty mask
    excludes none."""
    if not output_mask:
        return tuple(gradients)
    return tuple(
        gradient if is_required else None
        for gradient, is_required in zip(gradients, output_mask, strict=True)
    )


def ints(value):
    """Returns a shape as a tuple of ints, given numbers or an integer Tensor."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def require(name, argument, value, allowed):
    """Rejects an argument that is not one of the allowed values."""
    if value not in allowed:
        words = " or ".join(map(repr, allowed))
        raise ValueError(f"For '{name}', '{argument}' must be {words}, but got {value!r}.")
