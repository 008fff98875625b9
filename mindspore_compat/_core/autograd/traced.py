"""Traced values: arrays that record the NumPy functions and operators applied to them.

A body or a gradient rule written against `xp` runs unchanged on them:

    xp = traced_space(HOST)
    x = xp.wrap(numpy.ones(3), node)      # a Traced value; `node` is where it came from
    y = xp.exp(x) * 2                     # two nodes, by the rules of vjp_rules.py

Ops without their own rule are differentiated this way, and so are the rules themselves (second
order). Names whose result carries no gradient (comparisons, shapes, new arrays) pass through. Any
other name without a rule raises an error, so no gradient is lost silently.
"""

import inspect

from ..._backend.arrays import HOST, LARGE, SPACES
from ..._backend.catalogue import FUNCTIONS
from ..source import compiled
from ..vmap.batch import Batch, broadcast_nodes, space_among
from . import vjp_rules
from .operators import with_operators
from .tape import TRACED, pick, record, record_many

_new = object.__new__

# Types of arguments that remain numbers in the call, so that they do not promote an array.
_NUMBERS = (int, float, bool, complex)

_PLAIN = frozenset((int, float, bool, str, type(None)))  # types that hold no Traced value

# Attributes that all array libraries accept by name; other attributes have different names.
_BY_NAME = {
    "keepdims",
    "ddof",
    "constant_values",
    "copy",
    "nan",
    "posinf",
    "neginf",
    "largest",
    "add",
}


@with_operators
class Traced:
    """An array, the tape node that computed it, and its array namespace. Python's
    operators on it record the operation. `TracedSpace.wrap` makes it."""

    __slots__ = ("array", "node", "space")
    __array_ufunc__ = None  # a NumPy array on the left leaves the operator to this class
    __hash__ = None

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    dtype = property(lambda self: self.array.dtype)
    T = property(lambda self: self.space.transpose(self))

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        return self.space.getitem(self, index)

    def __bool__(self):
        return bool(self.array)

    def __index__(self):
        return self.array.__index__()

    def __int__(self):
        return int(self.array)

    def __float__(self):
        return float(self.array)

    def tolist(self):
        return self.array.tolist()

    def astype(self, dtype):
        return self.space.cast(self, dtype)

    def reshape(self, *shape):
        return self.space.reshape(self, shape[0] if len(shape) == 1 else shape)

    def __repr__(self):
        return f"Traced({self.array!r})"


class TracedSpace:
    """NumPy's functions on Traced values over one array space."""

    bodies = None
    level = 0
    hides_axis = False

    def __init__(self, base):
        self.base = base
        self.low_precision = base.low_precision
        self.low_precision_products = base.low_precision_products
        self.low_precision_kernels = base.low_precision_kernels

    def wrap(self, array, node):
        """Returns `array` as a Traced value made by `node` (None for a constant).

        A tuple of arrays stands for the outputs of `node`.
        """
        if type(array) is tuple:
            return tuple(self.wrap(item, pick(node, i)) for i, item in enumerate(array))
        traced = _new(Traced)
        traced.array = array
        traced.node = node
        traced.space = self
        return traced

    def __getattr__(self, name):
        gradient = FUNCTIONS[name].gradient if name in FUNCTIONS else "refused"
        if gradient == "rule" and name in vjp_rules.TABLE:
            function = _recording(self, vjp_rules.TABLE[name])
        elif gradient == "constant":
            function = _constant(self, getattr(self.base, name))
        elif gradient == "parts":
            function = vjp_rules.parts_of(name).__get__(self)
        elif gradient == "plain":
            function = getattr(self.base, name)
        else:
            raise AttributeError(
                f"xp.{name} has no gradient rule and is not among the constant names"
            )
        setattr(self, name, function)
        return function


def traced_space(base):
    """Returns the array namespace over `base` that records gradients: its functions take Traced
    values."""
    space = TRACED.get(base)
    if space is None:
        space = TRACED[base] = TracedSpace(base)
    return space


def _constant(space, function):
    """Returns a version of `function` that accepts Traced values; its result carries no
    gradient."""

    def call(*args, **kwargs):
        args = [bare(a) for a in args]
        kwargs = {k: bare(v) for k, v in kwargs.items()}
        out = function(*args, **kwargs)
        if isinstance(out, (tuple, list)):
            return tuple(space.wrap(space.base.asarray(result), None) for result in out)
        return space.wrap(space.base.asarray(out), None)

    return call


def bare(value):
    """Returns the array behind a Traced value, including within tuples and lists."""
    kind = type(value)
    if kind is Traced:
        return value.array
    if kind is tuple:
        for item in value:
            if type(item) not in _PLAIN and bare(item) is not item:
                return tuple([bare(item) for item in value])
        return value
    if isinstance(value, (tuple, list)):
        return kind(bare(v) for v in value)
    return value


def _recording(space, primitive):
    """Returns the function that computes `primitive` and records it.

    For a fixed number of inputs it is straight-line code generated for the primitive. Batches, list
    inputs and several outputs go through `_general`.
    """
    general = _general(space, primitive)
    rule = primitive.rule
    if rule.many or primitive.several or primitive.general:
        return general
    function = getattr(space.base, primitive.name)
    parameters = list(inspect.signature(primitive.signature).parameters.values())
    names, inputs = [p.name for p in parameters], rule.inputs
    head = ", ".join(p.name if p.default is p.empty else f"{p.name}=d_{p.name}" for p in parameters)
    lines = [f"def call({head}):"]
    for n in names:
        lines.append(
            f"    a_{n} = {n}.array if type({n}) is Traced_ else {n}"
            if n in inputs
            else f"    a_{n} = bare_({n}) if type({n}) in wrappers_ else {n}"
        )
    for n in inputs:
        lines.append(f"    n_{n} = {n}.node if type({n}) is Traced_ else None")
    signature = [f"a_{n}" for n in names if n not in _BY_NAME]
    signature += [f"{n}=a_{n}" for n in names if n in _BY_NAME]
    whole = " and ".join(f"(type(a_{n}) is array_type_ or type(a_{n}) in numbers_)" for n in inputs)
    saved = "".join(f"{_saved_source(k, inputs)}, " for k in rule.saves)
    metas = "".join(f"(a_{n}.shape, a_{n}.dtype), " for n in inputs)
    lines += [f"    if not ({whole}):", f"        return general_({', '.join(names)})"]
    lines += [
        f"    out_ = function_({', '.join(signature)})",
        *([f"    if out_ is a_{inputs[0]}: return {inputs[0]}"] if len(inputs) == 1 else []),
        "    if type(out_) is not array_type_:",
        "        out_ = asarray_(out_)",
        "    made_ = new_(Traced_)",
        "    made_.array = out_",
        "    made_.space = space_",
        f"    if {' and '.join(f'n_{n} is None' for n in inputs)}:",
        "        made_.node = None",
        "        return made_",
        *(f"    if type(a_{n}) in numbers_: a_{n} = asarray_(a_{n}, out_.dtype)" for n in inputs),
        f"    made_.node = record_(rule_, ({''.join(f'n_{n}, ' for n in inputs)}), "
        f"({saved}), ({metas}))",
        "    return made_",
    ]
    scope = {
        "Traced_": Traced,
        "function_": function,
        "general_": general,
        "rule_": rule,
        "record_": record,
        "new_": _new,
        "asarray_": space.base.asarray,
        "space_": space,
        "array_type_": array_type_of(space.base),
        "numbers_": _NUMBERS,
        "bare_": bare,
        "wrappers_": (Traced, tuple, list),
    }
    scope.update({f"d_{p.name}": p.default for p in parameters})
    return compiled(lines, scope, f"traced {primitive.name}")["call"]


def _saved_source(name, inputs):
    if name == "out":
        return "out_"
    source = name.removesuffix("_shape")
    return f"a_{source}.shape" if name not in inputs and source in inputs else f"a_{name}"


def _general(space, primitive):
    """Returns the general implementation of `primitive`, for every case."""
    rule = primitive.rule
    bind = _binding(primitive)

    def call(*args, **kwargs):
        values = bind(*args, **kwargs)
        if rule.many:
            sources = list(values[rule.inputs[0]])
        else:
            sources = [values[name] for name in rule.inputs]
        arrays = [bare(s) for s in sources]
        parents = tuple(s.node if type(s) is Traced else None for s in sources)
        attributes = {k: bare(v) for k, v in values.items() if k not in rule.inputs}
        whole = {k: arrays if rule.many else arrays[rule.inputs.index(k)] for k in rule.inputs}
        by_position = [
            whole[k] if k in whole else attributes[k] for k in values if k not in _BY_NAME
        ]
        by_name = {k: v for k, v in attributes.items() if k in _BY_NAME}
        inner = space_among(arrays)
        base = inner or space.base
        if inner is not None:
            parents = tuple(broadcast_nodes(inner, arrays, parents))
        function = getattr(base, primitive.name)
        out = function(*by_position, **by_name)
        if len(arrays) == 1 and out is arrays[0] and type(sources[0]) is Traced:
            return sources[0]  # such as a cast to the same dtype: there is nothing to record
        is_sequence = isinstance(out, (tuple, list))
        out = tuple(
            o if type(o) is Batch else base.asarray(o) for o in (out if is_sequence else (out,))
        )
        wrap = traced_space(space_among(out) or (space.base if inner is None else inner.base)).wrap
        if all(parent is None for parent in parents):
            return tuple(wrap(o, None) for o in out) if is_sequence else wrap(out[0], None)
        out = out if is_sequence else out[0]
        like = (out[0] if is_sequence else out).dtype
        arrays = [base.asarray(a, like) if type(a) in _NUMBERS else a for a in arrays]
        scope = dict(attributes, out=out)
        scope.update({rule.inputs[0]: arrays} if rule.many else zip(rule.inputs, arrays))
        saved = tuple(_saved_value(scope, name) for name in rule.saves)
        metas = tuple((a.shape, a.dtype) for a in arrays)
        if is_sequence:
            nodes = record_many(rule, parents, saved, metas, out)
            return tuple(wrap(o, n) for o, n in zip(out, nodes))
        return wrap(out, record(rule, parents, saved, metas))

    return call


def _binding(primitive):
    """Returns a function that takes the arguments of `primitive`, and returns a dict of them and of
    the defaults, in the order of the signature. It is ten times as fast as `inspect.Signature`."""
    parameters = list(inspect.signature(primitive.signature).parameters.values())
    head = ", ".join(p.name if p.default is p.empty else f"{p.name}=d_{p.name}" for p in parameters)
    items = ", ".join(f"{p.name}={p.name}" for p in parameters)
    scope = {f"d_{p.name}": p.default for p in parameters}
    lines = [f"def bind({head}):", f"    return dict({items})"]
    return compiled(lines, scope, f"arguments of {primitive.name}")["bind"]


def _saved_value(scope, name):
    if name in scope:
        return scope[name]
    source = scope[name.removesuffix("_shape")]
    return [a.shape for a in source] if isinstance(source, list) else source.shape


def array_type_of(base):
    """Returns the array class of a space."""
    base = HOST if base is LARGE else base
    return next((kind for kind, space in SPACES.items() if space is base), Batch)
