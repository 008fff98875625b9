"""Overload resolution for methods: selects the signature that fits a call, or raises an error.

Worked example. After

    @form("sum")
    def along(self, dim: Axis = None, keepdim: Bool = False, *, dtype: DType = None): ...

    @form("sum")
    def with_initial(self, axis: Axis = None, dtype: DType = None, keepdims: Bool = False): ...

`x.sum(1, True)` calls the first, because an int and a bool fit its rules. `x.sum(1, float32)` calls
the second, because float32 is not a `keepdim`. The first form whose names and kinds fit is called.
If no form fits, 0-d Tensors may replace ints, as in MindSpore: `x.sum(Tensor(1))`.
"""

import builtins
import inspect
import types

from ..rules.base import both, show_with_type
from ..rules.checked import refuse_all
from ..rules.number_forms import NumberForms, in_python, number_forms
from ..rules.vocabulary import rules_of
from ..source import compiled
from ..tensor.tensor import Tensor
from .failed_call import failed_method
from .library_errors import LIBRARY_ERRORS, explain
from .public_api import PUBLIC

_OUT_OF_RANGE = 2


class Form:
    """One signature of a method: its function, its rules, and the test of a call's arguments."""

    def __init__(self, function):
        self.function = function
        self.rules = rules_of(function)
        self.parameters = list(inspect.signature(function).parameters.values())[1:]

    def __getattr__(self, name):
        if name != "fits":
            raise AttributeError(f"Form has no attribute '{name}'")
        self.fits = self._generate_code()
        return self.fits

    def _generate_code(self):
        """Returns a function of the arguments: 1 if they fit, 2 if only their kinds fit, else 0."""
        scope, kinds, whole = {}, "True", "True"
        for name, rule in self.rules.items():
            kinds = both(kinds, _both_ways(rule.kind(name)))
            whole = both(whole, _both_ways(rule.guard(name)))
            scope.update(rule.scope())
        signature = str(
            inspect.Signature(
                [
                    parameter.replace(
                        annotation=parameter.empty,
                        default=parameter.empty
                        if parameter.default is parameter.empty
                        else _Absent(f"default_{parameter.name}"),
                    )
                    for parameter in self.parameters
                ]
            )
        )
        scope.update(
            {f"default_{parameter.name}": parameter.default for parameter in self.parameters}
        )
        lines = [
            f"def fits{signature}:",
            f"    return 1 if {whole} else {_OUT_OF_RANGE} if {kinds} else 0",
        ]
        return compiled(lines, scope, f"form {self}")["fits"]

    def __str__(self):
        parameters = [
            parameter.replace(annotation=parameter.empty) for parameter in self.parameters
        ]
        return f"{inspect.Signature(parameters)}"

    def bind(self, args, kwargs):
        """Returns the arguments by name; None if the names do not fit."""
        try:
            return inspect.Signature(self.parameters).bind(*args, **kwargs).arguments
        except TypeError:
            return None


class _Absent:
    """The placeholder for defaults in a generated signature."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


def _both_ways(condition):
    return f"({condition})" if condition != "True" else condition


def form(path, listed=True):
    """Declares one signature of a method such as "Tensor.sum"; the annotations are its rules. An
    unlisted signature is tried first. Errors, docstrings and stubs do not mention it.
    """
    name = path.removeprefix("Tensor.")

    def declare(function):
        method = PUBLIC.get("Tensor", {}).get(name)
        if getattr(method, "forms", None) is None:
            method = _method(name)
            PUBLIC.setdefault("Tensor", {})[name] = method
        (method.forms if listed else method.unlisted).append(Form(function))
        method.__doc__ = _join_docstrings(name, method.forms)
        return function

    return declare


def forms_of(method):
    """Returns the signatures of an overloaded method: parameters without `self`, rules by
    parameter."""
    return [(form.parameters, form.rules) for form in getattr(method, "forms", None) or ()]


def _method(name):
    """Returns the method. Its first call generates code that tries the forms in turn, without a
    loop."""
    forms, unlisted, api = [], [], f"Tensor.{name}"

    namespace = {"__builtins__": builtins, "__name__": __name__, "_become": None}
    method = types.FunctionType(_first_call.__code__, namespace, name)

    def become(self, args, kwargs):
        code, scope = _generate_code(api, unlisted, forms)
        namespace.update(scope)
        method.__code__ = code  # last, because other threads may still arrive here until then
        return method(self, *args, **kwargs)

    namespace["_become"] = become
    method.__qualname__ = api
    method.__module__ = "mindspore_compat"
    method.forms, method.unlisted = forms, unlisted
    return method


def _first_call(self, *args, **kwargs):
    return _become(self, args, kwargs)  # noqa: F821 - in the method's own globals


def _generate_code(api, unlisted, forms):
    """Returns the code of a method and its globals: for each form its test, then its function."""
    lines = ["def method(self, *args, **kwargs):", "    try:"]
    scope = {"errors": LIBRARY_ERRORS, "explain": explain, "otherwise": _otherwise, "forms": forms}
    for number, form in enumerate(unlisted + forms):
        scope[f"fits_{number}"], scope[f"call_{number}"] = form.fits, form.function
        scope[f"names_{number}"] = frozenset(p.name for p in form.parameters)
        lines += [
            f"        if not kwargs or kwargs.keys() <= names_{number}:",
            "            try:",
            f"                fit = fits_{number}(*args, **kwargs)",
            "            except TypeError:",
            "                fit = 0",
            "            if fit == 1:",
            f"                return call_{number}(self, *args, **kwargs)",
        ]
    lines += [
        f"        return otherwise({api!r}, forms, self, args, kwargs)",
        "    except errors as error:",
        f"        explained = explain({api!r}, error)",
        "        if explained is error:",
        "            raise",
        "        raise explained from error",
    ]
    return compiled(lines, scope, f"forms of {api}")["method"].__code__, scope


def _otherwise(api, forms, self, args, kwargs):
    """Calls the form that fits if Tensors and NumPy scalars count as numbers, or raises."""
    bound = [(form, form.bind(args, kwargs)) for form in forms]
    bound = [(form, arguments) for form, arguments in bound if arguments is not None]
    for form, arguments in bound:
        forms_of_numbers = number_forms(api)
        plain = {
            name: _plain(form.rules.get(name), name, value, forms_of_numbers)
            for name, value in arguments.items()
        }
        if form.fits(**plain) == 1:
            return form.function(self, **plain)
    try:
        _refuse(api, forms, bound, args, kwargs)
    except TypeError as error:
        raise TypeError(f"{error}\n{failed_method(api, forms, args, kwargs)}") from None


def _refuse(api, forms, bound, args, kwargs):
    """Raises the error for a call that fits no form; `bound` holds the forms whose names fit."""
    for priority in (_OUT_OF_RANGE, 0):
        for form, arguments in bound:
            if form.fits(**arguments) == priority:
                rules = {name: form.rules[name] for name in arguments if name in form.rules}
                refuse_all(
                    api, rules, arguments, forms=NumberForms(errors=number_forms(api).errors)
                )
    choices = " or ".join(f"{api.partition('.')[2]}{form}" for form in forms)
    came = ", ".join(
        [
            *map(show_with_type, args),
            *(f"{name}={show_with_type(value)}" for name, value in kwargs.items()),
        ]
    )
    raise TypeError(f"For '{api}', the arguments must be those of {choices}, but got ({came}).")


def _plain(rule, name, value, forms):
    """Returns a 0-d Tensor as an int, or as its rule converts it; a NumPy scalar as a number, if
    the rule does not accept it and the parameter may take one; other values as their rule converts
    them. A parameter that accepts only Python's numbers rejects such a Tensor, too."""
    if rule is None:
        return value
    if not isinstance(value, Tensor):
        return rule.read(in_python(rule, name, value, forms))
    if rule.verdict(value) is None:
        return rule.read(value)
    if value.ndim or name in forms.python_only:
        return value
    if value._array.dtype.kind in "iu":
        return int(value._array)
    return in_python(rule, name, value, forms)


def _join_docstrings(name, forms):
    """Returns the docstrings of the forms under their signatures; a single docstring stays
    unchanged."""
    if len(forms) == 1:
        return forms[0].function.__doc__
    parts = [f"{name}{form}\n\n{inspect.cleandoc(form.function.__doc__ or '')}" for form in forms]
    head = inspect.cleandoc(forms[0].function.__doc__ or "").split("\n", 1)[0]
    return head + "\n\nForms:\n\n" + "\n\n".join(parts) + "\n"
