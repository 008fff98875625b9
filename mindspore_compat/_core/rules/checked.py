"""`checked`: the rules of a signature, written out as one `if` in front of a function.

Worked example. Of

    @checked(Forbid("use_lazy and use_offload"))
    def __init__(self, params: Params, beta1: Float(gt=0.0, lt=1.0) = 0.9, use_lazy: Bool = False)

the first call writes

    def __init__(self, params, beta1=None, use_lazy=None):
        if not (<guard of params> and isinstance(beta1, float) and 0.0 < beta1 < 1.0 and ...):
            params, beta1, use_lazy, = _refuse(_type(self).__name__, _rules, (params, ...))
        if use_lazy and use_offload:
            _forbid_0(_type(self).__name__, {'use_lazy': use_lazy, ...})
        return _function(self, params, beta1, use_lazy)

with MindSpore's defaults, and replaces the code of the stand-in with it. So no code is generated
for unused classes, and a check costs as much as a hand-written one. The generators of other call
paths use `guard_all` and `refuse_all`.
"""

import builtins
import functools
import inspect
import re
import types

from ..source import compiled
from ..tensor.precision import state as precision
from .base import NoneRule, Rule, join, registered, show, wrapped
from .error_kinds import kind_of
from .number_forms import USUAL, in_python, number_forms
from .stored_arguments import build_unchecked, has_stored, refuse_wide

_OF_ARRAYS = re.compile(r"\.(ops|numpy)\.")  # packages whose functions take NumPy scalars
_OF_PRIMITIVES = re.compile(r"\.ops\.")
_AREA = re.compile(r"mindspore_compat\.((?:mint\.)?(?:nn|numpy|ops|train))\.")  # public modules
_builtin_calls = ("all", "callable", "hasattr", "isinstance", "len", "type")


class Forbid:
    """A forbidden relation between parameters, checked after the rule of each parameter.

    Args:
        condition: a Python expression over the parameters' names; true refuses the call.
        error: the exception to raise.
        reason: what is wrong, in words. Default: the condition.
    """

    def __init__(self, condition: str, error: type = ValueError, reason: str = ""):
        self.condition = condition
        self.error = error
        self.reason = reason
        self.names = tuple(dict.fromkeys(re.findall(r"(?<![\w.'\"])[A-Za-z_]\w*", condition)))

    def refuse(self, api: str, values: dict) -> None:
        """Raises the error; `values` has the parameters by name."""
        arguments = ", ".join(
            f"{name}={show(values[name])}" for name in self.names if name in values
        )
        reason = self.reason or f"'{self.condition}' must not hold"
        raise self.error(f"For '{api}', {reason}, but got {arguments}.")

    def __eq__(self, other):
        return isinstance(other, Forbid) and (self.condition, self.error) == (
            other.condition,
            other.error,
        )

    def __hash__(self):
        return hash((self.condition, self.error))

    def __repr__(self):
        return f"Forbid({self.condition!r}, {self.error.__name__})"


class OneDtype(Forbid):
    """Tensors that must have one dtype: `OneDtype("input updates")`; a TypeError if they differ.

    Arguments other than Tensors (a number, None) are left to the rules of their parameters.
    """

    def __init__(self, names: str):
        super().__init__(f"not _one_dtype({', '.join(names.split())})", TypeError)
        self.names = tuple(names.split())

    def refuse(self, api: str, values: dict) -> None:
        refuse_unlike(api, {name: values[name] for name in self.names})


def one_dtype(*values) -> bool:
    """Returns True if the Tensors among `values` have one dtype, or are floats that a Cell with
    `to_float` casts to one dtype.
    """
    tensor, first = registered("Tensor"), None
    for value in values:
        if isinstance(value, tensor):
            dtype = value._array.dtype
            if first is None:
                first = dtype
            elif dtype is not first and dtype != first:
                return _cast_to_one(values)
    return True


def _cast_to_one(values) -> bool:
    """Returns True if floats are currently cast to one dtype, and all Tensors hold floats."""
    tensor = registered("Tensor")
    return precision.dtype is not None and all(
        value._array.dtype.kind in "fV" for value in values if isinstance(value, tensor)
    )


def refuse_unlike(api: str, values: dict) -> None:
    """Raises an error for Tensors, by name, whose dtypes differ."""
    tensor = registered("Tensor")
    dtypes = {name: value.dtype for name, value in values.items() if isinstance(value, tensor)}
    names = ", ".join(f"'{name}'" for name in dtypes)
    raise TypeError(
        f"For '{api}', {names} must have one dtype, but got {', '.join(map(str, dtypes.values()))}."
    )


def checked(*relations):
    """Decorates a function to check its arguments by the rules in its annotations and by relations.

    Used as `@checked` or `@checked(Forbid(...), ...)`. Parameters without a rule are not checked. A
    default of None allows None. An error in a method names the class, or the subclass; an error in
    a function names the function. All TypeErrors come before any ValueError, in signature order.
    """
    if len(relations) == 1 and isinstance(relations[0], types.FunctionType):
        return _stand_in(relations[0], ())
    return functools.partial(_stand_in, relations=relations)


def rules_of(function) -> dict[str, Rule]:
    """Returns the rules in the annotations of `function`, by parameter; a default of None allows
    None."""
    annotations = inspect.get_annotations(function)
    if any(isinstance(annotation, str) for annotation in annotations.values()):
        annotations = inspect.get_annotations(function, eval_str=True)
    rules = {}
    for name, parameter in inspect.signature(function).parameters.items():
        rule = annotations.get(name)
        if isinstance(rule, Rule):
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(
                    f"'{name}' of {function.__qualname__} takes any number of values "
                    f"and cannot have a rule."
                )
            rules[name] = join(rule, NoneRule()) if parameter.default is None else rule
    return rules


def guard_all(rules: dict[str, Rule]) -> tuple[str, dict]:
    """Returns one expression that is true when every parameter is acceptable, and its globals."""
    text = " and ".join(
        guard for guard in (rule.guard(name) for name, rule in rules.items()) if guard != "True"
    )
    scope = {}
    for rule in rules.values():
        scope.update(rule.scope())
    for name in rules:
        if name in _builtin_calls:  # a parameter named `type` would hide the function
            text = re.sub(rf"(?<![\w.]){name}\(", f"_builtin_{name}(", text)
            scope[f"_builtin_{name}"] = getattr(builtins, name)
    return text or "True", scope


def refuse_all(
    api: str, rules: dict[str, Rule], values, numpy_scalars: bool = False, forms=USUAL
) -> list:
    """Raises an error for the first value of the wrong kind, or else the first out of range.

    If the values are acceptable once they are converted (`ScalarOf`), returns the converted values.

    Args:
        api: the public name that the message starts with.
        rules: the rules by parameter.
        values: the values in the same order, or by name.
        numpy_scalars: whether NumPy scalars, alone and in tuples and lists, count as Python
            numbers.
        forms: exceptions (number_forms.py): parameters for which NumPy scalars do not count as
            numbers, parameters that also take Tensors as numbers, and unusual types of errors.
    """
    if isinstance(values, dict):
        values = [values[name] for name in rules]
    given = values
    if numpy_scalars or forms.from_tensors:
        values = [
            in_python(rule, name, value, forms, numpy_scalars)
            for (name, rule), value in zip(rules.items(), values, strict=True)
        ]
    wrong = [
        (forms.errors.get((name, kind_of(original)), verdict), verdict, name, value)
        for (name, rule), original, value in zip(rules.items(), given, values, strict=True)
        if (verdict := rule.verdict(value)) is not None
    ]
    for error, verdict, name, value in sorted(wrong, key=lambda row: row[0] is not TypeError)[:1]:
        if error is verdict:
            rules[name].refuse(api, name, value)
        try:
            rules[name].refuse(api, name, value)
        except verdict as usual:
            raise error(str(usual)) from None
    return [rule.read(value) for rule, value in zip(rules.values(), values, strict=True)]


def _stand_in(function, relations):
    """Returns a function that writes the checks and takes their code when it is first called."""

    def become(args, kwargs):
        code, scope = _generate_code(function, relations, stand_in)
        stand_in.__globals__.update(scope)
        stand_in.__defaults__ = function.__defaults__
        stand_in.__kwdefaults__ = function.__kwdefaults__
        stand_in.__code__ = code  # last, because other threads may still arrive here until then
        return stand_in(*args, **kwargs)

    scope = {"__builtins__": builtins, "__name__": function.__module__, "_become": become}
    stand_in = types.FunctionType(_first_call.__code__, scope, function.__name__)
    functools.update_wrapper(stand_in, function)
    stand_in.relations = relations
    return stand_in


def _first_call(*args, **kwargs):
    return _become(args, kwargs)  # noqa: F821 - in the stand-in's own globals


def _generate_code(function, relations, stand_in):
    """Returns the code object of the checking function, and the globals that it needs.

    Errors use the name of `stand_in`, which is the public name or the name of the function. Its
    attribute `refuse_shapes`, if there is one, raises errors of shapes before those of dtypes are
    raised (declare/shapes_first.py).
    """
    name, refuse_shapes = stand_in.__name__, getattr(stand_in, "refuse_shapes", None)
    parameters = list(inspect.signature(function).parameters.values())
    rules = rules_of(function)
    guard, scope = guard_all(rules)
    method = next((parameter.name for parameter in parameters), "") == "self"
    api = "_type(self).__name__" if method else repr(name)
    is_init = method and function.__name__ == "__init__"
    numpy_scalars = "_numpy_scalars"
    if is_init:  # the constructors of some Primitives reject them
        numpy_scalars += " and getattr(self, '_takes_numpy_scalars', True)"
    values = "".join(f"{name}, " for name in rules)
    lines = [f"def {function.__name__}({_parameter_list(parameters)}):"]
    if is_init and _OF_PRIMITIVES.search(function.__module__):
        lines.append(f"    _refuse_wide(self, ({values}))")
    if rules:
        call = f"{values}= _refuse({api}, _rules, ({values}), {numpy_scalars}, _forms)"
        lines.append(f"    if not {wrapped(guard)}:")
        if refuse_shapes:
            lines.append(_shapes_line(api, "_rules", rules, parameters))
        lines += _refusal_lines(call, values, parameters) if is_init else [f"        {call}"]
    for number, relation in enumerate(relations):
        arguments = ", ".join(
            f"{name!r}: {name}"
            for name in relation.names
            if any(parameter.name == name for parameter in parameters)
        )
        lines.append(f"    if {relation.condition}:")
        if refuse_shapes and isinstance(relation, OneDtype):
            lines.append(_shapes_line(api, "None", relation.names, parameters))
        lines.append(f"        _forbid_{number}({api}, {{{arguments}}})")
        scope[f"_forbid_{number}"] = relation.refuse
    lines.append(f"    return _function({_argument_list(parameters)})")
    scope.update(
        _function=function,
        _refuse=refuse_all,
        _refuse_shapes=refuse_shapes,
        _refuse_wide=refuse_wide,
        _rules=rules,
        _has_stored=has_stored,
        _build_unchecked=build_unchecked,
        _partial=functools.partial,
        _type=type,
        _one_dtype=one_dtype,
        _numpy_scalars=bool(_OF_ARRAYS.search(function.__module__)),
        _forms=_forms_of(function, is_init, stand_in),
    )
    wrapper = compiled(lines, scope, f"checks of {function.__qualname__}").pop(function.__name__)
    return wrapper.__code__, scope


def _shapes_line(api, rules, names, parameters):
    """Returns the source line that calls `refuse_shapes`, so that errors about shapes are raised
    before errors about dtypes."""
    call = f"lambda {', '.join(names)}: _function({_argument_list(parameters)})"
    return f"        _refuse_shapes({api}, {rules}, ({', '.join(names)},), {call})"


def _refusal_lines(call, values, parameters):
    """Returns the source of `call`, which refuses arguments of an `__init__`. If the class stores
    the wrong ones unchecked, the object is built with them, and refuses to be called."""
    arguments = f"dict(zip(_rules, ({values})))"
    return [
        "        try:",
        f"            {call}",
        "        except (TypeError, ValueError) as error_:",
        f"            if not _has_stored(_type(self), _rules, ({values})):",
        "                raise",
        f"            build_ = _partial(_function, {_argument_list(parameters)})",
        f"            return _build_unchecked(self, build_, {arguments}, error_)",
    ]


def _forms_of(function, is_init, stand_in):
    """Returns the forms of numbers that a function, or a class's `__init__`, takes."""
    if hasattr(stand_in, "public_path"):
        return number_forms(stand_in.public_path)
    area = _AREA.match(function.__module__)
    name = function.__qualname__.rpartition(".")[0] if is_init else function.__name__
    return number_forms(f"{area[1]}.{name}") if area else USUAL


def _parameter_list(parameters) -> str:
    """Returns the parameters as the source of a `def` line; defaults are placeholders."""
    parts, bare_star = [], True
    kinds = [parameter.kind for parameter in parameters]
    for index, parameter in enumerate(parameters):
        text = parameter.name if parameter.default is parameter.empty else f"{parameter.name}=None"
        if parameter.kind is parameter.KEYWORD_ONLY and bare_star:
            parts.append("*")
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL):
            bare_star = False
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
            parameter.kind, ""
        )
        parts.append(prefix + text)
        last_positional_only = parameter.kind is parameter.POSITIONAL_ONLY and (
            kinds[index + 1 : index + 2] != [parameter.POSITIONAL_ONLY]
        )
        parts += ["/"] if last_positional_only else []
    return ", ".join(parts)


def _argument_list(parameters) -> str:
    """Returns the arguments that pass on all parameters, as source."""
    forms = {"VAR_POSITIONAL": "*{0}", "VAR_KEYWORD": "**{0}", "KEYWORD_ONLY": "{0}={0}"}
    return ", ".join(
        forms.get(parameter.kind.name, "{0}").format(parameter.name) for parameter in parameters
    )
