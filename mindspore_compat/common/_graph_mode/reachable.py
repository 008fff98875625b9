"""Finds the dependencies of a training step: the kinds of its arguments, the modes of its Cells,
and all objects that it can reach. Both forms of captured steps use it (steps.py)."""

import functools
import types
import weakref

from ..._backend import arrays
from ..._backend.steps.refused import Reason, Refused
from ..._core.gradients.transforms import tensors_in
from ..._core.tensor.tensor import Tensor
from ..parameter import Parameter

WARM_UP = 2  # number of runs before a capture
MOST_OBJECTS = 100_000  # limit of the objects that are searched for Tensors
PLAIN = (type(None), bool, int, float, complex, str, bytes, type)
HOOKS = ("_forward_pre_hook", "_forward_hook", "_backward_pre_hook", "_backward_hook")

# Arguments ----------------------------------------------------------------------------------------


def kind_of(value, owner):
    """Returns a key of arguments: arguments with equal keys can use one graph.

    Raises:
        Refused: if one is neither a Tensor nor a plain value.
    """
    if value is owner:
        return "owner"
    if isinstance(value, Parameter):
        return id(value)
    if isinstance(value, Tensor):
        return value.shape, value._array.dtype, type(value._array)
    if isinstance(value, (tuple, list)):
        return type(value), tuple([kind_of(item, owner) for item in value])
    if isinstance(value, dict):
        return tuple([(key, kind_of(item, owner)) for key, item in value.items()])
    if isinstance(value, PLAIN):
        return type(value), value
    raise Refused(Reason.ARGUMENT_TYPE.format(type(value).__name__))


def inputs_of(args, kwargs):
    """Returns the Tensors among arguments whose values are copied, and the Parameters."""
    tensors = [*tensors_in(args), *tensors_in(kwargs)]
    parameters = [tensor for tensor in tensors if isinstance(tensor, Parameter)]
    return [tensor for tensor in tensors if not isinstance(tensor, Parameter)], parameters


# Objects ----------------------------------------------------------------------------


def is_cell(value):
    return hasattr(type(value), "_cell_updates")  # objects may define `__getattr__` for every name


def hooks_of(cell):
    return [hook for kind in HOOKS for hook in (getattr(cell, kind) or {}).values()]


def weakly(value):
    """Returns a weak reference to an object, or to the object of a method."""
    return weakref.ref(getattr(value, "__self__", value))


def mode(reference):
    """Returns the state that affects how a Cell computes, except its parameters."""
    cell = reference()
    if cell is None:
        return None
    second_order = cell.__dict__.get("thor")  # of thor and its layers
    if cell._cell_plain and not cell._cell_updates:
        return cell.training, (), 0, False, None, second_order
    decay = _decay(cell.__dict__.get("weight_decay")) if cell._cell_updates else None
    precision = cell._cell_mixed_precision._value_
    hooks = tuple(map(id, hooks_of(cell)))
    return cell.training, hooks, precision, bool(cell._recompute), decay, second_order


def _decay(value):
    """Returns a key of a weight decay: a number, or the identity of an object."""
    return value if isinstance(value, (int, float)) else _Same(value)


class _Same:
    """A key that equals only keys of the same object. It holds the object, because a later object
    may reuse the id of a freed one.
    """

    __slots__ = ("_value",)

    def __init__(self, value):
        self._value = value

    def __eq__(self, other):
        return type(other) is _Same and other._value is self._value

    def __hash__(self):
        return id(self._value)


def name_of(tensor):
    return getattr(tensor, "name", "a Tensor")


def alike(first, other):
    return first.shape == other.shape and first.dtype == other.dtype


def flag(parameter):
    return parameter._param_info.requires_grad


def has_array(tensor):
    """Returns True if a Tensor has values. A Tensor whose values are deferred, or belong to a vmap,
    has none.
    """
    deferred = getattr(tensor, "has_init", False)
    return not deferred and type(tensor.__dict__.get("_array")) in arrays.SPACES


_CLOSED = (*PLAIN, types.ModuleType, *weakref.ProxyTypes)
_BACK_END = arrays.__name__.removesuffix("arrays")


def _is_of_back_end(kind):
    """Returns True for a class whose objects hold arrays and compiled code, but no Tensor."""
    return str(kind.__module__).startswith(_BACK_END)


def objects_from(roots, into_optimizers=True):
    """Returns all objects reachable from objects and functions, through attributes, elements,
    closures and the globals that a function names.

    Raises:
        Refused: if there are too many objects.
    """
    by_identity, pending = {}, list(roots)
    while pending:
        value = pending.pop()
        if (
            id(value) in by_identity
            or issubclass(type(value), _CLOSED)
            or _is_of_back_end(type(value))
        ):
            continue
        by_identity[id(value)] = value
        if len(by_identity) > MOST_OBJECTS:
            raise Refused(Reason.MANY_OBJECTS)
        if is_cell(value) and value._cell_updates and not into_optimizers:
            continue
        if not isinstance(value, Tensor):
            pending += _parts(value)
    return list(by_identity.values())


def _parts(value):
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, types.FunctionType):
        return _parts_of_function(value)
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    if isinstance(value, functools.partial):
        return value.func, *value.args, *value.keywords.values()
    values = list(value.values()) if isinstance(value, dict) else []
    own = getattr(value, "__dict__", None)  # some objects without attributes also have one
    values += own.values() if isinstance(own, dict) else []
    for kind in type(value).__mro__:
        if not is_ours(kind) and kind.__module__ != "builtins" and is_cell(value):
            values += functions_of(kind)
    return values


def functions_of(kind):
    """Returns the functions that a class defines, including properties and static methods; for a
    Cell without its constructor, which no step calls."""
    inner = ("__func__", "fget", "func")
    functions = []
    for name, member in vars(kind).items():
        if name == "__init__" and hasattr(kind, "_cell_updates"):
            continue
        member = next((getattr(member, name) for name in inner if hasattr(member, name)), member)
        functions += [member] if isinstance(member, types.FunctionType) else []
    return functions


def _parts_of_function(function):
    values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    values += vars(function).values()
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # an empty closure cell
            continue
    if is_ours(function):
        return values
    names = names_of(function.__code__)
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, types.ModuleType) and not value.__name__.startswith(PACKAGE):
            values += [vars(value)[other] for other in names if other in vars(value)]
        else:
            values.append(value)
    return values


def names_of(code):
    """Returns the names used in a function and in the functions that it defines."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return {*code.co_names, *(name for inner_code in inner for name in names_of(inner_code))}


PACKAGE = __name__.partition(".")[0]


def is_ours(value):
    """Returns True for a function or class of this package, whose globals contain nothing of a
    script."""
    return (value.__module__ or "").partition(".")[0] == PACKAGE


def _has_impure_hooks(cell):
    """Returns True if a hook may do more than compute another output."""
    return not all([getattr(hook, "is_pure", False) is True for hook in hooks_of(cell)])


def refuse_hooks(objects):
    for value in objects:
        of_parameter = isinstance(value, Parameter) and getattr(value, "_hooks", None)
        if of_parameter or is_cell(value) and _has_impure_hooks(value):
            raise Refused(Reason.HOOKS.format(getattr(value, "name", type(value).__name__)))
