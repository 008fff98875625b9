"""Cost settings for the search for a way to split a network.

Here the mode "auto_parallel" counts bytes and operations (_core/sharding/choosing.py) and uses
none of these settings. They are checked, stored and returned, like the settings of
`algo_parameter_config`.
"""

import functools

import numpy as np

from .._core.rules.vocabulary import Bool, Float, Int, Number, checked
from .._core.without_effect import without_effect

__all__ = []

_WHOLE = Int | Bool
_RULES = {
    "device_memory_capacity": (16.0 * 1024.0**3, Float),
    "costmodel_alpha": (1.0, Float),
    "costmodel_beta": (400.0, Float),
    "costmodel_gamma": (0.001, Float),
    "costmodel_communi_threshold": (2048.0, Float),
    "costmodel_communi_const": (3072.0, Float),
    "costmodel_communi_bias": (1024.0, Float),
    "run_phase": (0, Int(ge=0, le=1)),
    "costmodel_allreduce_fusion_algorithm": (0, _WHOLE),
    "costmodel_allreduce_fusion_times": (0, _WHOLE),
    "costmodel_allreduce_fusion_tail_percent": (0.1, Float),
    "costmodel_allreduce_fusion_tail_time": (0.1, Float),
    "costmodel_allreduce_fusion_allreduce_inherent_time": (0.1, Float),
    "costmodel_allreduce_fusion_allreduce_bandwidth": (0.1, Float),
    "costmodel_allreduce_fusion_computation_time_parameter": (0.1, Float),
}
# Conditions on values besides their types. A violation raises a RuntimeError, as in MindSpore.
_RANGES = {
    **dict.fromkeys(("device_memory_capacity", "costmodel_alpha", "costmodel_beta"), Float(gt=0.0)),
    "costmodel_gamma": Float(ge=0.0, le=1.0),
    **{f"costmodel_communi_{each}": Float(ge=0.0) for each in ("threshold", "const", "bias")},
}
_SHORT = ("costmodel_gamma", "rp_matmul_mem_coef")  # stored in 32 bits by MindSpore


def _as_stored(name, value):
    return float(np.float32(value)) if name in _SHORT else value


class _CostModelContext:
    """The settings; `get_x()` returns and `set_x(value)` sets the value of a key x."""

    def __init__(self):
        self.reset_cost_model()

    def reset_cost_model(self):
        """Restores all defaults."""
        self._values = {name: _as_stored(name, value) for name, (value, _) in _RULES.items()}
        self.multi_subgraphs = self.single_loop = False
        self.rp_matmul_mem_coef = _as_stored("rp_matmul_mem_coef", 0.1)

    def get(self, api, name):
        """Returns the value of a key.

        Raises:
            ValueError: if there is no such key.
        """
        if name not in _RULES:
            raise ValueError(
                f"For '{api}', the key must be one of {', '.join(_RULES)}, but got {name!r}."
            )
        return self._values[name]

    def change(self, api, settings):
        """Sets values by key: all of them or, after an error, none.

        Raises:
            TypeError: if a value is of the wrong type.
            ValueError: if there is no such key, or a value is out of range.
            RuntimeError: if a number is out of range.
        """
        for name, value in settings.items():
            self.get(api, name)
            _RULES[name][1].refuse(api, name, value)
        for name in settings.keys() & _RANGES.keys():
            try:
                _RANGES[name].refuse(api, name, settings[name])
            except ValueError as error:
                raise RuntimeError(str(error)) from None
        self._values.update(
            {
                name: int(value) if _RULES[name][1] is _WHOLE else _as_stored(name, value)
                for name, value in settings.items()
            }
        )

    def __getattr__(self, name):
        """Returns `get_x` and `set_x` of a key x."""
        verb, _, key = name.partition("_")
        if verb == "get" and key in _RULES:
            return lambda: self.get(name, key)
        if verb == "set" and key in _RULES:
            return lambda value: self.change(name, {key: value})
        raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'.")


@functools.cache
def cost_model_context():
    """Returns the one context of costs."""
    return _CostModelContext()


@without_effect(
    "parallel._cost_model_context.set_cost_model_context",
    "divisions are chosen operator by operator, by counted bytes",
)
def set_cost_model_context(**kwargs):
    """Sets costs, by keyword.

    Args:
        **kwargs: "run_phase" is 0 or 1, "costmodel_allreduce_fusion_algorithm" and
            "costmodel_allreduce_fusion_times" are ints, all others floats.

    Raises:
        TypeError: if a value is of the wrong type.
        ValueError: if a key is unknown, or "run_phase" something else. Nothing is changed then.
        RuntimeError: if "costmodel_gamma" is not in [0, 1]; the capacity, alpha or beta is not
            positive; or a threshold, const or bias is negative.
    """
    cost_model_context().change("set_cost_model_context", kwargs)


def get_cost_model_context(attr_key):
    """Returns a cost.

    Args:
        attr_key (str): its key; see `set_cost_model_context`.

    Raises:
        ValueError: if there is no such key.
    """
    return cost_model_context().get("get_cost_model_context", attr_key)


def reset_cost_model_context():
    """Resets all costs to their defaults."""
    cost_model_context().reset_cost_model()


@without_effect(
    "parallel._cost_model_context._set_multi_subgraphs",
    "divisions are chosen operator by operator, by counted bytes",
)
@checked
def _set_multi_subgraphs(multi_subgraph: Bool | Number = True):
    """Sets whether a graph may be split into several parts."""
    cost_model_context().multi_subgraphs = bool(multi_subgraph)


def _get_multi_subgraphs():
    """Returns whether a graph may be split into several parts."""
    return cost_model_context().multi_subgraphs


@without_effect(
    "parallel._cost_model_context._set_algo_single_loop",
    "divisions are chosen operator by operator, by counted bytes",
)
@checked
def _set_algo_single_loop(single_loop: Bool = True):
    """Sets whether the body of a loop is to be analysed only once."""
    cost_model_context().single_loop = single_loop


def _get_algo_single_loop():
    """Returns whether the body of a loop is to be analysed only once."""
    return cost_model_context().single_loop


@without_effect(
    "parallel._cost_model_context._set_rp_matmul_mem_coef",
    "divisions are chosen operator by operator, by counted bytes",
)
@checked
def _set_rp_matmul_mem_coef(coef: Bool | Number):
    """Sets the weight of a matrix product's memory in the cost.

    Raises:
        RuntimeError: if it is not positive.
    """
    if coef <= 0:
        raise RuntimeError(f"For '_set_rp_matmul_mem_coef', 'coef' must be > 0, but got {coef}.")
    cost_model_context().rp_matmul_mem_coef = _as_stored("rp_matmul_mem_coef", coef)


def _get_rp_matmul_mem_coef():
    """Returns the weight of a matrix product's memory in the cost."""
    return cost_model_context().rp_matmul_mem_coef
