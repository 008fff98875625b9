"""Traced values: arrays that record what is done to them, with NumPy's functions and operators.

A body or a gradient rule written against `xp` runs unchanged on them:

    xp = traced_space(HOST)
    x = xp.wrap(numpy.ones(3), node)      # a Traced value; `node` is where it came from
    y = xp.exp(x) * 2                     # two nodes, by the rules of derivatives.py

This is how an op without a rule of its own is differentiated, and how rules themselves are (second
order). Names whose result carries no gradient (comparisons, shapes, new arrays) pass through; a name
with neither a rule nor a place among those is refused, so no gradient is lost in silence.
"""

import inspect

from . import derivatives
from .batch import Batch, lifted_nodes, space_among
from .tape import TRACED, pick, record, record_many

_new = object.__new__

# Attributes that array libraries take by name; the others have other names here and there.
_BY_NAME = {"keepdims", "ddof", "constant_values", "copy", "nan", "posinf", "neginf", "largest", "add"}


class Traced:
    """An array, the node that made it, and its space. Its operators record themselves."""

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

    def astype(self, dtype):
        return self.space.cast(self, dtype)

    def reshape(self, *shape):
        return self.space.reshape(self, shape[0] if len(shape) == 1 else shape)

    def __repr__(self):
        return f"Traced({self.array!r})"


def _attach_operators():
    names = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
             "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "matmul": "matmul",
             "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
    for short, name in names.items():
        setattr(Traced, f"__{short}__", lambda a, b, name=name: getattr(a.space, name)(a, b))
        setattr(Traced, f"__r{short}__", lambda a, b, name=name: getattr(a.space, name)(b, a))
    for short, name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
                        "eq": "equal", "ne": "not_equal"}.items():
        setattr(Traced, f"__{short}__", lambda a, b, name=name: getattr(a.space, name)(a, b))
    for short, name in {"neg": "negative", "invert": "invert", "abs": "abs"}.items():
        setattr(Traced, f"__{short}__", lambda a, name=name: getattr(a.space, name)(a))


_attach_operators()


class TracedSpace:
    """NumPy's functions on Traced values over one array space."""

    def __init__(self, base):
        self.base = base
        self.narrow = base.narrow

    def wrap(self, array, node):
        """`array` as a Traced value made by `node` (None for a constant).

        A tuple of arrays stands for the outputs of `node`.
        """
        if type(array) is tuple:
            return tuple(self.wrap(one, pick(node, i)) for i, one in enumerate(array))
        made = _new(Traced)
        made.array = array
        made.node = node
        made.space = self
        return made

    def __getattr__(self, name):
        if name in derivatives.TABLE:
            found = _recording(self, derivatives.TABLE[name])
        elif name in derivatives.CONSTANT:
            found = _constant(self, getattr(self.base, name))
        elif name in derivatives.COMPOSED:
            found = derivatives.COMPOSED[name].__get__(self)
        elif name in derivatives.PLAIN:
            found = getattr(self.base, name)
        else:
            raise AttributeError(f"xp.{name} has no gradient rule and is not among the constant names")
        setattr(self, name, found)
        return found


def traced_space(base):
    """The space of Traced values over `base`."""
    found = TRACED.get(base)
    if found is None:
        found = TRACED[base] = TracedSpace(base)
    return found


def _constant(space, function):
    """`function` on the arrays behind Traced values; the result is a constant."""

    def call(*args, **kwargs):
        args = [_bare(a) for a in args]
        kwargs = {k: _bare(v) for k, v in kwargs.items()}
        out = function(*args, **kwargs)
        if isinstance(out, (tuple, list)):
            return tuple(space.wrap(space.base.asarray(one), None) for one in out)
        return space.wrap(space.base.asarray(out), None)

    return call


def _bare(value):
    if type(value) is Traced:
        return value.array
    if isinstance(value, (tuple, list)):
        return type(value)(_bare(v) for v in value)
    return value


def _recording(space, primitive):
    """The function that computes `primitive` and records it."""
    rule = primitive.rule
    signature = inspect.signature(primitive.signature)

    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        if rule.many:
            sources = list(values[rule.inputs[0]])
        else:
            sources = [values[name] for name in rule.inputs]
        arrays = [_bare(s) for s in sources]
        parents = tuple(s.node if type(s) is Traced else None for s in sources)
        attributes = {k: _bare(v) for k, v in values.items() if k not in rule.inputs}
        by_place = [v for k, v in attributes.items() if k not in _BY_NAME]
        by_name = {k: v for k, v in attributes.items() if k in _BY_NAME}
        inner = space_among(arrays)
        base = inner or space.base
        if inner is not None:
            parents = tuple(lifted_nodes(inner, arrays, parents))
        function = getattr(base, primitive.name, None) or primitive.compute.__get__(base)
        given = [arrays] if rule.many else arrays
        out = function(*given, *by_place, **by_name)
        several = isinstance(out, (tuple, list))
        out = tuple(o if type(o) is Batch else base.asarray(o) for o in (out if several else (out,)))
        wrap = traced_space(space_among(out) or (space.base if inner is None else inner.base)).wrap
        if all(parent is None for parent in parents):
            return tuple(wrap(o, None) for o in out) if several else wrap(out[0], None)
        out = out if several else out[0]
        arrays = [a if type(a) is Batch else base.asarray(a) for a in arrays]
        scope = dict(attributes, out=out)
        scope.update({rule.inputs[0]: arrays} if rule.many else zip(rule.inputs, arrays))
        kept = tuple(_kept(scope, name) for name in rule.keeps)
        metas = tuple((a.shape, a.dtype) for a in arrays)
        if several:
            nodes = record_many(rule, parents, kept, metas, out)
            return tuple(wrap(o, n) for o, n in zip(out, nodes))
        return wrap(out, record(rule, parents, kept, metas))

    return call


def _kept(scope, name):
    if name in scope:
        return scope[name]
    source = scope[name.removesuffix("_shape")]
    return [a.shape for a in source] if isinstance(source, list) else source.shape


def is_live(values):
    """True if any of the values is Traced with a node."""
    return any(type(v) is Traced and v.node is not None for v in values)


def bare(value):
    """The array behind a Traced value; tuples and lists are entered."""
    return _bare(value)
