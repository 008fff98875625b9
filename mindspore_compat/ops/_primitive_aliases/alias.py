"""Primitives that say again what public functions say, declared by one line each.

    alias("ops.auto_generate.AcosExt()(input)", "mint.acos")

is a Primitive whose inputs, and then its settings, are the arguments of that function. Where the
function takes them otherwise, a function of all of them says how:

    alias("ops.auto_generate.Einsum()(equation, operands)",
          lambda equation, operands: mint.einsum(equation, *operands))

`mint`, `ops` and their like find public functions when they are called. The classes are written out
at first use.
"""

import ast
import inspect

from ..._core.autograd.transforms import vjp
from ..._core.declare.public_api import _DTYPES, build
from ..._core.declare.public_api import _groups as groups
from ..._core.declare.source import compiled
from ..primitive import Primitive

ALIASES = {}  # area -> name -> (settings, inputs, what is called)
_made = {}
_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY


def alias(line, target=None):
    """Declares a Primitive by its public signature.

    Args:
        line (str): the path with two pairs of brackets, of the settings and of the inputs.
        target (Union[str, Callable]): the path of the public function, or a function of the inputs
            and then the settings; without it this is a decorator of such a function. What is
            keyword-only there is passed by name.
    """

    def declare(function):
        area, _, name = line.partition("(")[0].rpartition(".")
        settings, inputs = groups(line)
        ALIASES.setdefault(area, {})[name] = (settings, inputs, function)
        return function

    return declare if target is None else declare(target)


def made(area, name):
    """The Primitive `area.name`, or None if no alias declares it."""
    if (area, name) not in _made:
        if name not in ALIASES.get(area, {}):
            return None
        _made[area, name] = _class(area, name, *ALIASES[area][name])
    return _made[area, name]


def _class(area, name, settings, inputs, target):
    attributes = _names(settings)
    called = found(target) if isinstance(target, str) else target
    values = {each: each for each in _names(inputs)}
    values |= {each: f"self.{each}" for each in attributes}
    lines = [
        f"def __init__({', '.join(filter(None, ['self', settings]))}):",
        f"    _base.__init__(self, {name!r})",
        *(f"    self.{each} = {each}" for each in attributes),
        "",
        f"def __call__(self, {inputs}):",
        f"    return _target({_arguments(called, values)})",
    ]
    scope = compiled(lines, {**_DTYPES, "_base": Primitive, "_target": called}, f"{area}.{name}")
    shown = f"`{name}({settings})({inputs})`"
    words = f"`{target}` as a Primitive: {shown}" if isinstance(target, str) else shown
    return type(
        name,
        (Primitive,),
        {
            "__init__": scope["__init__"],
            "__call__": scope["__call__"],
            "__module__": f"mindspore_compat.{area}",
            "__doc__": f"{words}.\n\nSource: mindspore.{area}.{name} of MindSpore 2.10.\n",
        },
    )


def _arguments(function, values):
    """The arguments of a call that gives `values` in their order, or by name where a parameter of
    that name is keyword-only."""
    parameters = inspect.signature(function).parameters
    by_name = [
        name for name in values if name in parameters and parameters[name].kind is _KEYWORD_ONLY
    ]
    positional = [value for name, value in values.items() if name not in by_name]
    return ", ".join(positional + [f"{name}={values[name]}" for name in by_name])


def _names(parameters):
    """The names in "a, b=1, c=(2, 3)"."""
    return [each.arg for each in ast.parse(f"def f({parameters}): pass").body[0].args.args]


def found(path):
    """The object of a public path."""
    area, _, name = path.rpartition(".")
    return made(area, name) or build(area, name, Primitive if area.startswith("ops") else object)


class Names:
    """The public names of an area as attributes, found at first use."""

    def __init__(self, area):
        self._area = area

    def __getattr__(self, name):
        made = found(f"{self._area}.{name}")
        setattr(self, name, made)
        return made


ops = Names("ops")
mint = Names("mint")
functional = Names("mint.nn.functional")
linalg = Names("mint.linalg")
Tensor = Names("Tensor")


def pulled(gradient, function, *inputs):
    """`gradient` pulled back through a call of `function` at `inputs`: one for each, in a tuple
    unless there is but one input."""
    back = vjp(function, *inputs)[1](gradient)
    return back[0] if len(inputs) == 1 else tuple(back)


def asked(gradients, output_mask):
    """The gradients, with None instead of those that `output_mask` leaves out; an empty mask
    leaves none out."""
    if not output_mask:
        return tuple(gradients)
    return tuple(
        each if wanted else None for each, wanted in zip(gradients, output_mask, strict=True)
    )


def ints(value):
    """A shape given as numbers or as an integer Tensor, as a tuple."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)
