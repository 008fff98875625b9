"""Generates public functions and classes from the public lines of operator declarations.

    "mint.softmax(input, dim: axis, *, dtype=None)"

becomes a function with that signature, generated as source with inline checks:

    def softmax(input, dim, *, dtype=None):
        if not (type(dim) is int ...): refuse(...)
        if dtype is not None: input = cast(input, dtype)
        return run(input, dim)

A line with two pairs of brackets becomes a class: the first pair is `__init__`, the second the
call.
The annotation of a renamed parameter names the parameter of the body that it feeds. `dtype=` and
`inplace=` mean the same everywhere and need no parameter in the body. Objects are built at first
use, by the `__getattr__` that `facade(module)` gives a module. A function whose name ends in an
underscore (`Tensor.add_`) writes its result into its first input and returns it.
"""

import ast
import importlib
import importlib.util
import os
import sys
import types

from ..rules.base import NoneRule, Union, join, parts_of, show_with_type
from ..rules.checked import guard_all, one_dtype, refuse_all, refuse_unlike
from ..rules.number_forms import number_forms
from ..rules.stored_arguments import has_stored, is_generated, refuse_calls, stored_at, wide_lines
from ..rules.value_rules import in_any_case
from ..rules.vocabulary import DType, TensorOf
from ..source import compiled
from ..tensor import dtype as dtypes
from ..tensor.tensor import Tensor
from . import stacking  # noqa: F401 - it completes the class Op
from .documentation import describe
from .input_count import call_lines, miscounted, show_inputs
from .library_errors import LIBRARY_ERRORS, explain, explained
from .missing import Missing
from .older import with_older_signature
from .op import DECLARED, PUBLIC
from .shapes_first import refuse_shapes
from .writing import overwrite, write_back

_ATENSOR = TensorOf()
_handled = ("dtype", "inplace", "name")
_ARRAY_AREAS = ("ops.", "Tensor.", "mint.")  # areas whose functions compute on arrays
# for defaults such as `int64`
_DTYPES = {str(each).lower(): each for each in dtypes.all_types if str(each) != "Bool"}


def public(*paths):
    """Declares the public names of a hand-written class or function, e.g.
    `@public("ops.GradOperation")`. Errors of its checks, and of the array library in it or in the
    call of a primitive, use the first name."""

    def give(thing):
        home, _, api = paths[0].rpartition(".")
        if isinstance(thing, type) and sys._getframe(1).f_code.co_name != "<module>":
            thing.__module__ = f"mindspore_compat.{home}"  # where pickle finds it
        if isinstance(thing, types.FunctionType):
            _name(thing, home, api)
            if hasattr(thing, "relations"):  # checked
                thing.public_path = paths[0]
        if (
            isinstance(thing, types.FunctionType)
            and paths[0].startswith(_ARRAY_AREAS)
            and (not api.startswith("__"))
        ):
            thing = explained(api, thing)
        if isinstance(thing, type) and home == "ops" and "__call__" in vars(thing):
            thing.__call__ = explained(api, thing.__call__, miscounted)
        for path in paths:
            area, _, name = path.rpartition(".")
            PUBLIC.setdefault(area, {})[name] = thing
        return thing

    return give


def _name(function, home, api):
    """Gives a function its public name, which help, tracebacks and Python's errors show. Pickle
    finds it by that name: in its own module if that is public, else in the one of `home`."""
    is_found = (function.__qualname__, "._" in function.__module__) == (api, False)
    function.__name__ = api
    function.__qualname__ = f"Tensor.{api}" if home == "Tensor" else api
    if not is_found:
        function.__module__ = _module(home)


def _module(area):
    """Returns the module where pickle looks for the names of an area."""
    return "mindspore_compat" if area in ("", "Tensor") else f"mindspore_compat.{area}"


_older = set()  # (area, name) of each object that MindSpore 2.10 no longer has


def legacy(*paths):
    """Returns `public` for names of older releases that MindSpore 2.10 no longer has. Setting the
    environment variable MINDSPORE_COMPAT_LEGACY to 0 hides them."""
    for path in paths:
        area, _, name = path.rpartition(".")
        _older.add((area, name))
    return public(*paths)


def _is_hidden(area, name):
    return (area, name) in _older and os.environ.get("MINDSPORE_COMPAT_LEGACY") == "0"


def facade(module, classes=object, area=None, names=()):
    """Returns `__getattr__`, `__dir__` and `__all__` for a module that exports declared names.

    Args:
        module (str): the module's `__name__`.
        classes (type): the base of the classes generated from two-bracket lines.
        area (str): the prefix of the exported lines, if it is not the path of the module.
        names (Iterable[str]): further names to export, which the module defines itself.
    """
    area = module.partition(".")[2] if area is None else area

    def find(name):
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if name in vars(sys.modules[module]):  # requested through another module
            return vars(sys.modules[module])[name]
        public_object = build(area, name, classes, module)
        if public_object is None:
            public_object = submodule(module, name)
        if public_object is None:
            # The message suggests a name; Python adds no other one if it lacks the object.
            raise AttributeError(Missing(module, name, visible()), name=name)
        setattr(sys.modules[module], name, public_object)
        return public_object

    def visible():
        visible_names = (name for name in PUBLIC.get(area, ()) if not _is_hidden(area, name))
        return sorted({*DECLARED.get(area, ()), *visible_names, *names})

    def listing():
        return sorted({*visible(), *(n for n in vars(sys.modules[module]) if n.startswith("__"))})

    return find, listing, visible()


def submodule(module, name):
    """Imports and returns the module `module.name`; None if it does not exist.

    MindSpore loads every module at import, so `mindspore.train.callback` needs no separate
    import.
    """
    path = f"{module}.{name}"
    if not hasattr(sys.modules[module], "__path__") or importlib.util.find_spec(path) is None:
        return None
    return importlib.import_module(path)


_built = {}


def build(area, name, classes=object, module=None):
    """Builds the public object `area.name`; None if no line declares it."""
    by_hand = PUBLIC.get(area, {}).get(name)
    if by_hand is not None:
        return None if _is_hidden(area, name) else with_older_signature(area, name, by_hand)
    declaration = DECLARED.get(area, {}).get(name)
    if declaration is None:
        return None
    key = (area, name, classes)
    if key not in _built:
        op, line = declaration
        _built[key] = _make(op, line, area, name, classes)
        _built[key].__module__ = module or _module(area)
        _built[key] = with_older_signature(area, name, _built[key])
    return _built[key]


def rules_at(area, name):
    """Returns the rules of a declared name: a dict by parameter for each pair of brackets in its
    line.

    If an input accepts Python numbers as Tensors, its rule accepts them too. The result is empty
    for a name without a declaration line.
    """
    if name in PUBLIC.get(area, ()) or name not in DECLARED.get(area, ()):
        return []
    op, line = DECLARED[area][name]
    paths = []
    for group in _groups(line):
        group = _with_self(op, group) if area == "Tensor" else group
        signature = _Signature(group, op, f"{area}.{name}")
        rules = signature.rules()
        for parameter, input_name in signature.feeds.items():
            if input_name in op.numbers and parameter in rules:
                rules[parameter] = join(rules[parameter], TensorOf(scalars=True))
        paths.append(rules)
    return paths


def _make(op, line, area, name, classes):
    groups = _groups(line)
    if len(groups) == 2:
        return _make_class(op, area, name, groups, classes)
    return _make_function(op, area, name, groups[0])


def _groups(line):
    """Returns the texts between the outer brackets of a line."""
    groups, depth, start = [], 0, 0
    for i, char in enumerate(line):
        if char in "([":
            depth += 1
            if depth == 1:
                start = i + 1
        elif char in ")]":
            depth -= 1
            if depth == 0:
                groups.append(line[start:i])
    return groups


class _Signature:
    """The parsed text between one pair of brackets of a public line: its text for a `def`, the
    names of its parameters, and the parameter of the body that each of them feeds."""

    def __init__(self, text, op, path):
        self.op, self.path = op, path
        self.stricter = op.quirks.rules.get(path, {})
        arguments = ast.parse(f"def f({text}): pass").body[0].args
        everything = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.star = arguments.vararg
        if self.star:
            everything.append(self.star)
        self.names = [a.arg for a in everything]
        self.feeds = {a.arg: a.annotation.id if a.annotation else a.arg for a in everything}
        for a in everything:
            a.annotation = None
        self.text = ast.unparse(arguments)
        self.defaults = {}
        positional = [*arguments.posonlyargs, *arguments.args]
        for a, d in zip(
            positional[len(positional) - len(arguments.defaults) :], arguments.defaults
        ):
            self.defaults[a.arg] = d
        self.defaults.update(
            {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d}
        )

    def rules(self):
        """Returns the rules by parameter; a default of None allows None."""
        rules_of = {}
        for name in self.names:
            rule = self.stricter.get(self.feeds[name], self.op.rules.get(self.feeds[name]))
            if self.star and name == self.star.arg:
                continue
            if name in _handled and self.feeds[name] not in self.op.parameters:
                rule = DType if name == "dtype" else self.stricter.get(name)
            if rule is None:
                continue
            default = self.defaults.get(name)
            if isinstance(default, ast.Constant) and default.value is None:
                rule = join(rule, NoneRule())
            any_case = self.op.is_generated or self.path.startswith("mint.")
            rules_of[name] = in_any_case(rule) if any_case else rule
        return rules_of

    def same_dtype(self):
        """Returns the parameters that must have one dtype; empty if there are fewer than two."""
        names = [name for name in self.names if self.feeds[name] in self.op.same_dtype]
        return names if len(names) > 1 else []


def _is_checked_by_call_path(rule):
    """Returns True for a rule that accepts a Tensor of any dtype, or also None, and nothing
    else."""
    parts = rule.members if isinstance(rule, Union) else (rule,)
    any_tensor = [isinstance(part, TensorOf) and not part.dtypes for part in parts]
    return any(any_tensor) and all(
        is_any or isinstance(part, NoneRule) for is_any, part in zip(any_tensor, parts)
    )


def _guard_lines(api, signature, scope, arguments="", numpy_scalars=True):
    """Returns the check of all parameters as source; `arguments` are the arguments of `run`."""
    forms = number_forms(signature.path)
    other_errors = {name for name, _ in forms.errors}
    rules = {
        name: rule
        for name, rule in signature.rules().items()
        if name in other_errors or not _is_checked_by_call_path(rule)
    }
    first = signature.op.is_shapes_first(signature.path) and arguments
    lines = []
    guard, extra_scope = guard_all(rules)
    if guard != "True":
        scope.update(extra_scope)
        tag = f"rules_{len(scope)}"
        scope.update({tag: rules, "refuse_all": refuse_all, "refuse_shapes": refuse_shapes})
        scope["forms"] = forms
        rule_values = ", ".join(rules)
        lines.append(f"    if not ({guard}):")
        if first:
            lines.append(
                f"        refuse_shapes({api!r}, {tag}, ({rule_values},), "
                f"lambda {rule_values}: run({arguments}))"
            )
        lines.append(
            f"        read = refuse_all({api!r}, {tag}, ({rule_values},), {numpy_scalars}, forms)"
        )
        if signature.op.quirks.on_tape and arguments:
            scope.update(instead=signature.op.quirks.on_tape, on_tape=_on_tape)
            lines += [
                f"        if on_tape(({rule_values},), read):",
                f"            return instead({arguments})",
            ]
        lines.append(f"        {rule_values}, = read")
    together = signature.same_dtype()
    if together:
        rule_values = ", ".join(together)
        scope.update(one_dtype=one_dtype, refuse_unlike=refuse_unlike, refuse_shapes=refuse_shapes)
        lines.append(f"    if not one_dtype({rule_values}):")
        if first:
            lines.append(
                f"        refuse_shapes({api!r}, None, ({rule_values},), "
                f"lambda {rule_values}: run({arguments}))"
            )
        entries = ", ".join(f"{n!r}: {n}" for n in together)
        lines.append(f"        refuse_unlike({api!r}, {{{entries}}})")
    return lines


def _on_tape(values, read):
    """Returns True if `read` has a number where `values` has a Tensor that needs a gradient."""
    return any(
        isinstance(value, Tensor) and value is not replacement and value._node is not None
        for value, replacement in zip(values, read)
    )


def _no_lists(api, signature, scope):
    """Returns the source that refuses lists, which Python's operators and `Tensor.add` accept as
    Tensors."""
    op = signature.op
    if not op.types.lists or api.startswith("__"):
        return []
    tensor_names = [n for n in signature.names if signature.feeds[n] in op.inputs and n != "self"]
    tensor_names = ["self"] if signature.path == "Tensor.add" else tensor_names
    scope.update(lists=(list, tuple), refuse_list=_refuse_list)
    return [
        line
        for n in tensor_names
        for line in (f"    if type({n}) in lists:", f"        refuse_list({api!r}, {n!r}, {n})")
    ]


def _refuse_list(api, name, value):
    raise TypeError(
        f"For '{api}', '{name}' must be a Tensor or a number, but got {value!r} of "
        f"type {type(value).__name__}."
    )


def _arguments(op, feeds, scope):
    """Returns the arguments of `run`: a parameter, an expression, or the body's own default."""
    source = {input_name: expression for expression, input_name in feeds}
    values = []
    for name in op.parameters:
        if name not in source:
            scope[f"default_{name}"] = op.defaults[name]
            values.append(f"default_{name}")
        elif _is_dtype(op.rules.get(name)):
            scope["numpy_dtype"] = _numpy_dtype
            values.append(f"numpy_dtype({source[name]})")
        else:
            values.append(source[name])
    return ", ".join(values)


def _is_dtype(rule):
    return any(isinstance(p, type(DType)) for p in parts_of(rule))


def _numpy_dtype(value):
    return dtypes.to_numpy(value) if isinstance(value, dtypes.Type) else value


def _make_function(op, area, name, group):
    method = area == "Tensor"
    signature = _Signature(_with_self(op, group) if method else group, op, f"{area}.{name}")
    scope = {"run": op.quirks.public_run(op.run), **_DTYPES}
    feeds = [
        (n, signature.feeds[n]) for n in signature.names if signature.feeds[n] in op.parameters
    ]
    arguments = _arguments(op, feeds, scope)
    lines = [f"def public_object({signature.text}):"]  # not the API's name, maybe a builtin's
    lines += _guard_lines(name, signature, scope, arguments)
    lines += _no_lists(name, signature, scope)
    first = (op.inputs or [op.many])[0] if (op.inputs or op.many) else None
    if "dtype" in signature.names and "dtype" not in op.parameters:
        own_name = next(n for n in signature.names if signature.feeds[n] == first)
        scope["cast_to"] = _cast_to
        lines += [
            "    if dtype is not None:",
            f"        {own_name} = cast_to({own_name}, dtype, {name!r}, {own_name!r})",
        ]
    call = f"run({arguments})"
    if "inplace" in signature.names and "inplace" not in op.parameters:
        own_name = next(n for n in signature.names if signature.feeds[n] == first)
        scope["write_back"] = write_back
        lines += ["    if inplace:", f"        return write_back({own_name}, {call})"]
    if _writes(name):
        own_name = next(n for n in signature.names if signature.feeds[n] == first)
        scope["overwrite"] = overwrite
        call = f"overwrite({name!r}, {own_name}, {call})"
    lines += _return_lines(name, call, scope, signature, op.quirks.errors.get(f"{area}.{name}"))
    function = compiled(lines, scope, f"{area}.{name}")["public_object"]
    function.__name__ = name
    function.__qualname__ = f"Tensor.{name}" if method else name
    function.__doc__ = describe(op, f"{area}.{name}", signature)
    return function


def _return_lines(api, call, scope, signature, unfit):
    """Returns the source of the call, with errors of the array library reworded to name the API."""
    scope.update(library_errors=LIBRARY_ERRORS, explain=explain)
    if unfit is not None:
        scope["explain"] = lambda api, error: explain(api, error, unfit)
    numbers = []
    if signature.op.types.need_tensor:
        scope["refuse_numbers"] = _refuse_numbers
        names = [n for n in signature.names if signature.feeds[n] in signature.op.inputs]
        entries = ", ".join(f"{n!r}: {n}" for n in names)
        numbers = [f"        refuse_numbers({api!r}, {{{entries}}})"]
    reflected = ["        if hasattr(other, 'takes_dense'):", "            return NotImplemented"]
    return [
        "    try:",
        f"        return {call}",
        "    except library_errors as error:",
        *numbers,
        *(reflected if api in ("__add__", "__sub__", "__mul__") else []),
        f"        explained = explain({api!r}, error)",
        "        if explained is error:",
        "            raise",
        "        raise explained from error",
    ]


def _refuse_numbers(api, numbers):
    """Raises TypeError for a call with numbers only, if one argument must be a Tensor; see
    `beside_tensor`."""
    if not any(isinstance(value, Tensor) for value in numbers.values()):
        raise TypeError(
            f"For '{api}', {' or '.join(map(repr, numbers))} must be a Tensor, but got "
            f"{' and '.join(map(show_with_type, numbers.values()))}."
        )


def _writes(name):
    """Returns True for an in-place name such as `add_`: the result is written into the first
    input."""
    return name.endswith("_") and not name.endswith("__")


def _with_self(op, group):
    """Returns the parameters of a method: `self`, which feeds the first input, and `group`."""
    first = op.inputs[0]
    return f"self: {first}, {group}" if group else f"self: {first}"


def _make_class(op, area, name, groups, base):
    path = f"{area}.{name}"
    signature, call = _Signature(groups[0], op, path), _Signature(groups[1], op, path)
    scope = {"run": op.quirks.public_run(op.run), "base": base, **_DTYPES}
    lines = [f"def __init__({', '.join(filter(None, ['self', signature.text]))}):"]
    numpy_scalars = "getattr(self, '_takes_numpy_scalars', True)"
    guard = _guard_lines(name, signature, scope, numpy_scalars=numpy_scalars)
    is_late = area in ("nn", "mint.nn") and path not in op.quirks.checked_at_once
    lines += [] if is_late else _unless_stored(guard, signature, scope)
    name_argument = f", {name!r}" if area.startswith("ops") else ""
    lines.append(f"    base.__init__(self{name_argument})")
    stored = op.quirks.stored.get(path, {})
    scope.update({f"stored_{n}": convert for n, convert in stored.items()})
    unless_refused = "{0} if refused_ else " * ("refuse_calls_" in scope) + "stored_{0}({0})"
    values = {n: unless_refused.format(n) if n in stored else n for n in signature.names}
    lines += [f"    self.{n} = {value}" for n, value in values.items()]
    if "refuse_calls_" in scope:
        lines += ["    if refused_:", "        refuse_calls_(self, refused_)"]
    method = "__call__" if area.startswith("ops") else "construct"
    lines += ["", *call_lines(method, name, call, scope, base)]
    if is_late:
        lines += [*(f"    {n} = self.{n}" for n in signature.names), *guard]
    feeds = [
        (n if is_late else f"self.{n}", signature.feeds[n])
        for n in signature.names
        if signature.feeds[n] in op.parameters
    ]
    feeds += [(n, call.feeds[n]) for n in call.names if call.feeds[n] in op.parameters]
    arguments = _arguments(op, feeds, scope)
    lines += _guard_lines(name, call, scope, arguments)
    lines += _no_lists(name, call, scope)
    if "inplace" in signature.names and "inplace" not in op.parameters:
        scope["write_back"] = write_back
        own_name = next(n for n in call.names if call.feeds[n] == op.inputs[0])
        lines += [
            "    if self.inplace:",
            f"        return write_back({own_name}, run({arguments}))",
        ]
    lines += _return_lines(name, f"run({arguments})", scope, call, op.quirks.errors.get(path))
    compiled(lines, scope, f"{area}.{name}")
    show_inputs(method, scope)
    scope[method].__doc__ = f"`{name}` of its inputs, which the class describes."
    body = {
        "__init__": scope["__init__"],
        method: scope[method],
        "__doc__": describe(op, path, signature, call),
        "__module__": f"mindspore_compat.{area}",
    }
    return type(name, (base,), body)


def _unless_stored(guard, signature, scope):
    """Returns the check of a constructor's arguments; wrong ones that it only stores are noted in
    `refused_`."""
    if not guard or not (stored_at(signature.path) or is_generated(signature.path)):
        return wide_lines(signature.path, signature.names, scope) + guard
    rules = signature.rules()
    scope.update(has_stored_=has_stored, refuse_calls_=refuse_calls, rules_of_all_=rules)
    values = "".join(f"{n}, " for n in rules)
    return [
        "    refused_ = None",
        "    try:",
        *("    " + line for line in guard),
        "    except (TypeError, ValueError) as error_:",
        f"        if not has_stored_(type(self), rules_of_all_, ({values})):",
        "            raise",
        "        refused_ = error_",
    ]


def _cast_to(tensor, dtype, api="cast", name="input"):
    if not isinstance(tensor, Tensor):
        _ATENSOR.refuse(api, name, tensor)
    cast = DECLARED["ops"]["cast"][0]
    return cast.run(tensor, dtypes.to_numpy(dtype))
