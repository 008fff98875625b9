"""Methods with several signatures: which of them a call means, and the refusal where it means none.

Worked example. After

    @form("sum")
    def along(self, dim: Axis = None, keepdim: Bool = False, *, dtype: DType = None): ...

    @form("sum")
    def with_initial(self, axis: Axis = None, dtype: DType = None, keepdims: Bool = False): ...

`x.sum(1, True)` is the first, because an int and a bool fit its rules, and `x.sum(1, float32)` the
second, because float32 is no `keepdim`. The first form whose names and kinds fit is taken. Where
none does, Tensors of ints may still stand for ints, as in the original: `x.sum(Tensor(1))`.
"""

import inspect

from .checking import refuse_all
from .explain import LIBRARY_ERRORS, explain
from .rule import both, show_with_type
from .rules import rules_of
from .source import compiled
from .surface import PUBLIC
from .tensor import Tensor

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
        self.fits = self._written()
        return self.fits

    def _written(self):
        """A function of the arguments: 1 if they fit, 2 if only their kinds do, else 0."""
        scope, kinds, whole = {}, "True", "True"
        for name, rule in self.rules.items():
            kinds = both(kinds, _both_ways(rule.kind(name)))
            whole = both(whole, _both_ways(rule.guard(name)))
            scope.update(rule.scope())
        declared = str(
            inspect.Signature(
                [
                    each.replace(
                        annotation=each.empty,
                        default=each.empty
                        if each.default is each.empty
                        else _Absent(f"default_{each.name}"),
                    )
                    for each in self.parameters
                ]
            )
        )
        scope.update({f"default_{each.name}": each.default for each in self.parameters})
        lines = [
            f"def fits{declared}:",
            f"    return 1 if {whole} else {_OUT_OF_RANGE} if {kinds} else 0",
        ]
        return compiled(lines, scope, f"form {self}")["fits"]

    def __str__(self):
        shown = [each.replace(annotation=each.empty) for each in self.parameters]
        return f"{inspect.Signature(shown)}"

    def bind(self, args, kwargs):
        """The arguments by name; None where the names do not fit."""
        try:
            return inspect.Signature(self.parameters).bind(*args, **kwargs).arguments
        except TypeError:
            return None


class _Absent:
    """What a written signature shows as a default."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


def _both_ways(condition):
    return f"({condition})" if condition != "True" else condition


def form(name):
    """Declares one signature of the Tensor method `name`; its rules stand in the annotations."""

    def declare(function):
        method = PUBLIC.get("Tensor", {}).get(name)
        if getattr(method, "forms", None) is None:
            method = _method(name)
            PUBLIC.setdefault("Tensor", {})[name] = method
        method.forms.append(Form(function))
        method.__doc__ = _described(name, method.forms)
        return function

    return declare


def _method(name):
    forms, api = [], f"Tensor.{name}"

    def method(self, *args, **kwargs):
        for each in forms:
            try:
                fit = each.fits(*args, **kwargs)
            except TypeError:  # the names are those of another form
                continue
            if fit == 1:
                return _called(api, each, self, args, kwargs)
        return _otherwise(api, forms, self, args, kwargs)

    method.__name__ = name
    method.__qualname__ = api
    method.__module__ = "mindspore_compat.Tensor"
    method.forms = forms
    return method


def _called(api, each, self, args, kwargs):
    try:
        return each.function(self, *args, **kwargs)
    except LIBRARY_ERRORS as error:
        explained = explain(api, error)
        if explained is error:
            raise
        raise explained from error


def _otherwise(api, forms, self, args, kwargs):
    """The call with Tensors taken for ints, or its refusal."""
    bound = [(each, each.bind(args, kwargs)) for each in forms]
    bound = [(each, given) for each, given in bound if given is not None]
    for each, given in bound:
        plain = {name: _plain(each.rules.get(name), value) for name, value in given.items()}
        if each.fits(**plain) == 1:
            return _called(api, each, self, (), plain)
    for wanted in (_OUT_OF_RANGE, 0):
        for each, given in bound:
            if each.fits(**given) == wanted:
                rules = {name: each.rules[name] for name in given if name in each.rules}
                refuse_all(api, rules, given)
    shown = " or ".join(f"{api.partition('.')[2]}{each}" for each in forms)
    came = ", ".join(
        [
            *map(show_with_type, args),
            *(f"{name}={show_with_type(value)}" for name, value in kwargs.items()),
        ]
    )
    raise TypeError(f"For '{api}', the arguments must be those of {shown}, but got ({came}).")


def _plain(rule, value):
    """A Tensor of ints as an int or a tuple, where the rule does not take it as it is."""
    if not isinstance(value, Tensor) or rule is None or rule.verdict(value) is None:
        return value
    if value._array.dtype.kind not in "iu":
        return value
    one = int(value._array.reshape(-1)[0]) if value.size == 1 else None
    for found in (one, tuple(value.asnumpy().reshape(-1).tolist())):
        if found is not None and rule.verdict(found) is None:
            return found
    return value


def _described(name, forms):
    """The docstrings of the forms under their signatures; one alone keeps its own."""
    if len(forms) == 1:
        return forms[0].function.__doc__
    parts = [f"{name}{each}\n\n{inspect.cleandoc(each.function.__doc__ or '')}" for each in forms]
    head = inspect.cleandoc(forms[0].function.__doc__ or "").split("\n", 1)[0]
    return head + "\n\nForms:\n\n" + "\n\n".join(parts) + "\n"
