"""Reads the parameters that an optimizer is given, and returns one Setting per parameter.

`read_parameters` takes the list of parameters or of group dicts, rejects invalid ones, and returns
the parameters in the order of their update. Learning rates and decays are returned as given.
`Optimizer._make_rates` (optimizer.py) chooses the learning rate of each parameter: that of its
group, or else the optimizer's; _rates.py converts it to a Parameter or a Cell.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..._core.rules.vocabulary import Bool, CellOf, Number, Params, Rate, inf
from ...common.parameter import Parameter

Decay = Number(ge=0.0, lt=inf) | Bool | CellOf
Scale = Number(gt=0.0, lt=inf) | Bool

_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")
_MISSING = object()


@dataclass
class Setting:
    """The settings of one parameter.

    `group` is the number of its group (None without groups). `rate` and `decay` are the values of
    the group, or `_MISSING` if the optimizer's own values apply.
    """

    parameter: Parameter
    group: int | None = None
    rate: object = _MISSING
    decay: object = _MISSING
    centralise: bool = False

    @property
    def has_rate(self):
        return self.rate is not _MISSING

    @property
    def rate_key(self):
        return self.group if self.has_rate else None

    @property
    def has_decay(self):
        return self.decay is not _MISSING


def read_parameters(api, parameters):
    """Reads the parameters given to an optimizer; returns (settings, grouped, ordered).

    Args:
        api: the optimizer's name, for errors.
        parameters: an iterable of Parameters, or of dicts.

    Raises:
        TypeError: if `parameters` is not iterable, or not all Parameters or all dicts.
        ValueError: if it is None or empty, or `order_params` does not name the same parameters.
        KeyError: if a dict has an unknown key, or no `params`.
        RuntimeError: if a parameter is given twice.
    """
    Params.refuse(api, "parameters", parameters)
    entries = list(parameters)
    if not entries:
        Params.refuse(api, "parameters", entries)
    if all(isinstance(entry, Parameter) for entry in entries):
        _refuse_twice(api, entries)
        return [Setting(parameter) for parameter in entries], False, False
    if all(isinstance(entry, dict) for entry in entries):
        return _read_groups(api, entries)
    raise TypeError(
        f"For '{api}', the elements of 'parameters' must be all Parameters or all "
        f"dicts, but got {', '.join(sorted({type(entry).__name__ for entry in entries}))}."
    )


def _read_groups(api, groups):
    settings, order = [], None
    for number, group in enumerate(groups):
        unknown = [key for key in group if key not in _KEYS]
        if unknown:
            raise KeyError(
                f"For '{api}', the keys of a group must be among {', '.join(_KEYS)}, "
                f"but got {', '.join(map(repr, unknown))}."
            )
        if "order_params" in group:
            if len(group) > 1:
                raise ValueError(
                    f"For '{api}', a dict with 'order_params' must have no other key, "
                    f"but got {', '.join(map(repr, group))}."
                )
            order = _parameter_list(api, "order_params", group["order_params"])
        else:
            settings += _read_group(api, number, group)
    _refuse_twice(api, [setting.parameter for setting in settings])
    if order is not None:
        settings = _in_order(api, settings, order)
    return settings, True, order is not None


def _read_group(api, number, group):
    if "params" not in group:
        raise KeyError(
            f"For '{api}', a group must have the key 'params', but got "
            f"{', '.join(map(repr, group)) or 'an empty dict'}."
        )
    members = _parameter_list(api, "params", group["params"])
    if not members:
        raise ValueError(f"For '{api}', 'params' of a group must not be empty.")
    options = {}
    if "lr" in group:
        Rate.refuse(api, "lr", group["lr"])
        options["rate"] = group["lr"]
    if "weight_decay" in group:
        Decay.refuse(api, "weight_decay", group["weight_decay"])
        options["decay"] = group["weight_decay"]
    if "grad_centralization" in group:
        Bool.refuse(api, "grad_centralization", group["grad_centralization"])
        options["centralise"] = group["grad_centralization"]
    return [Setting(member, number, **options) for member in members]


def _parameter_list(api, key, value):
    """Returns the Parameters under a key of a group as a list."""
    if isinstance(value, Parameter) or not isinstance(value, Iterable):
        raise TypeError(
            f"For '{api}', '{key}' must be an iterable of Parameters, but got "
            f"{type(value).__name__}."
        )
    parameters = list(value)
    for index, parameter in enumerate(parameters):
        if not isinstance(parameter, Parameter):
            raise TypeError(
                f"For '{api}', each element of '{key}' must be a Parameter, but got "
                f"{type(parameter).__name__} at index {index}."
            )
    return parameters


def _refuse_twice(api, parameters):
    identities, names = set(), {}
    for parameter in parameters:
        if id(parameter) in identities:
            raise RuntimeError(f"For '{api}', the parameter '{parameter.name}' is given twice.")
        if names.setdefault(parameter.name, parameter) is not parameter:
            raise ValueError(f"For '{api}', two parameters have the name '{parameter.name}'.")
        identities.add(id(parameter))


def _in_order(api, settings, order):
    """Returns the settings in the order of `order_params`, which must name each parameter once."""
    if len(order) != len(settings):
        raise ValueError(
            f"For '{api}', 'order_params' must name as many parameters as the groups, "
            f"{len(settings)}, but got {len(order)}."
        )
    by_identity = {id(setting.parameter): setting for setting in settings}
    result = []
    for parameter in order:
        if id(parameter) not in by_identity:
            raise ValueError(
                f"For '{api}', the parameter '{parameter.name}' of 'order_params' is "
                "in no group, or named twice."
            )
        result.append(by_identity.pop(id(parameter)))
    return result
