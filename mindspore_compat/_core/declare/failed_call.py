"""Error messages for calls with arguments of the wrong types.

The form is MindSpore's, because scripts search for it:

    Failed calling Add with "Add()(input=Tensor, other=string)". The valid calling should be:
    "Add()(input=<Number, Tensor>, other=<Number, Tensor>)".

For an overloaded method, each signature is listed with the reason why the call does not fit:

    Failed calling max with "max(int, list<int>)".
    The valid calling should be:
    "Tensor.max(dim=<int>, keepdim=<bool>)"
        match failed because invalid types: (int, list<int>)
                                                  ~~~~~~~~~~~
"""

import re

from ..rules.base import parts_of
from ..rules.tensor_rules import ScalarOf
from ..tensor.tensor import Tensor

_NAMES = {str: "string", type(None): "None"}
_SEQUENCES = {list: "List", tuple: "Tuple"}
_KINDS = {  # the types that rules accept, in the order of the message
    "_Bool": "bool",
    "_Int": "int",
    "_Float": "float",
    "_Number": "number",
    "_Str": "str",
    "_DType": "mstype",
    "TensorOf": "Tensor",
    "_Tuple": "Tuple",
    "NoneRule": "None",
    "_List": "List",
}
_REASON = "    match failed because "


def type_of(value, sequences=_SEQUENCES):
    """Returns the type of a value in a message: "Tensor", "int", "string", "List<int,
    Tuple<float>>"."""
    if isinstance(value, Tensor):
        return "Tensor"
    for kind, word in sequences.items():
        if isinstance(value, kind):
            return f"{word}<{', '.join(type_of(item, sequences) for item in value)}>"
    return _NAMES.get(type(value), type(value).__name__)


def failed_call(op, sources):
    """Returns the message for an operator that received `sources` instead of Tensors.

    Args:
        op (Op): the operator.
        sources (list): the arguments, in the order of `op.inputs`.
    """
    name = next(filter(None, map(_name_in, op.lines)), None) or _camel(op.name)
    arguments = ", ".join(f"{n}={type_of(s)}" for n, s in zip(op.inputs, sources, strict=False))
    inputs = ", ".join(f"{n}=<{_accepted_kinds(op, n)}>" for n in op.inputs[: len(sources)])
    return (
        f'Failed calling {name} with "{name}()({arguments})". The valid calling should be: '
        f'"{name}()({inputs})".'
    )


def no_tensor(op, name, value):
    """Returns the error for an input that must be a Tensor, or perhaps a number."""
    return TypeError(
        f"For '{op.name}', '{name}' must be a Tensor{' or a number' * (name in op.numbers)}, but "
        f"got {value!r} of type {type(value).__name__}."
    )


def _accepted_kinds(op, name):
    kinds = ["None"] * (name in op.absent) + ["Number"] * (name in op.numbers) + ["Tensor"]
    return ", ".join(kinds)


def _name_in(line):
    """Returns the name of a Primitive in its public line, or of an operator: "Add", "sub"."""
    match = re.match(r"ops\.(\w+)\(.*?\)\(|Tensor\.__(\w+)__\(", line)
    return match and (match[1] or match[2])


def _camel(name):
    return "".join(word.title() for word in name.split("_"))


def failed_method(api, forms, args, kwargs):
    """Returns the message for a method with several signatures.

    Args:
        api (str): the method, "Tensor.max".
        forms (list[Form]): its signatures.
        args (tuple), kwargs (dict): the arguments of the call.
    """
    name = api.partition(".")[2]
    small = {kind: word.lower() for kind, word in _SEQUENCES.items()}
    types = [type_of(value, small) for value in args]
    types += [f"{key}={type_of(value, small)}" for key, value in kwargs.items()]
    lines = [f'Failed calling {name} with "{name}({", ".join(types)})".']
    lines.append("The valid calling should be:")
    for form in forms:
        lines.append(f'"{api}({_parameters(form)})"')
        lines += _reason(form, args, kwargs, types)
    bound = [
        candidate
        for candidate in ((form, form.bind(args, kwargs)) for form in forms)
        if candidate[1]
    ]
    if len(bound) == 1:
        lines.append(_wrong_argument(name, *bound[0], len(args)))
    return "\n".join(lines)


def _kinds(form, name):
    """Returns the types that a parameter accepts: "int", "number,None"."""
    kinds, parts = set(), list(parts_of(form.rules[name])) if name in form.rules else []
    while parts:
        part = parts.pop()
        kinds.add("TensorOf" if isinstance(part, ScalarOf) else type(part).__name__)
        parts += parts_of(part.rule) if isinstance(part, ScalarOf) else []
    if "_Number" in kinds:
        kinds -= {"_Bool", "_Int", "_Float"}
    return ",".join(word for kind, word in _KINDS.items() if kind in kinds) or "any"


def _parameters(form):
    parameters, keywords = [], False
    for parameter in form.parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            keywords = True
            parameters.append("*")
        parameters.append(f"{parameter.name}=<{_kinds(form, parameter.name)}>")
    return ", ".join(parameters)


def _wrong(form, arguments):
    """Returns the arguments whose types a signature does not accept, by name."""
    rules = form.rules
    return {n: v for n, v in arguments.items() if n in rules and rules[n].verdict(v) is TypeError}


def _reason(form, args, kwargs, types):
    """Returns the lines that explain why a call does not fit a signature; no lines if the call has
    too many arguments."""
    unknown = [
        key for key in kwargs if key not in {parameter.name for parameter in form.parameters}
    ]
    if unknown:
        return [f"{_REASON}incorrect keyword name: {', '.join(unknown)}"]
    arguments = form.bind(args, kwargs)
    if arguments is None:
        return []
    wrong = _wrong(form, arguments)
    first = next((n for n, name in enumerate(arguments) if name in wrong), 0)
    line = f"{_REASON}invalid types: ({', '.join(types)})"
    start = len(f"{_REASON}invalid types: (") + sum(len(text) + 2 for text in types[:first])
    return [line, " " * start + "~" * (len(line) - start + 1)]


def _wrong_argument(name, form, arguments, positions):
    """Describes the wrong argument if only one signature has the parameters of the call."""
    for key, value in _wrong(form, arguments).items():
        kind = _kinds(form, key).split(",")[0]
        position = list(arguments).index(key) + 1
        if position <= positions:
            kind_name = type(value).__name__
            return (
                f"{name}(): argument '{key}' (position {position}) must be {kind}, not {kind_name}."
            )
        kind_name = "list of Any" if isinstance(value, list) else type(value).__name__
        kind = "Number" if kind == "number" else kind
        return f"{name}(): argument '{key}' must be {kind} but got {kind_name}."
    return ""
