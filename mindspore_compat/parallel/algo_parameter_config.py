"""Settings of the search for a way to split a network over devices.

Here the mode "auto_parallel" chooses operator by operator (_core/sharding/choosing.py) and uses
none of these settings. They are checked, stored and returned, like the settings of
`set_auto_parallel_context` that have no effect.
"""

from .._core.rules.vocabulary import Bool, Float, Int
from .._core.without_effect import without_effect

_RULES = {
    "fully_use_devices": (False, Bool),
    "elementwise_op_strategy_follow": (False, Bool),
    "enable_algo_approxi": (False, Bool),
    "algo_approxi_epsilon": (0.1, Float),
    "tensor_slice_align_enable": (False, Bool),
    "tensor_slice_align_size": (16, Int(ge=1, le=1024)),
}
_values = {name: default for name, (default, _) in _RULES.items()}


def _check_name(api, name):
    if name not in _RULES:
        raise ValueError(
            f"For '{api}', the key must be one of {', '.join(_RULES)}, but got {name!r}."
        )


@without_effect(
    "set_algo_parameters", "divisions are chosen operator by operator, by counted bytes"
)
def set_algo_parameters(**kwargs):
    """Sets settings of the search, by keyword.

    Args:
        **kwargs: "fully_use_devices", "elementwise_op_strategy_follow", "enable_algo_approxi" and
            "tensor_slice_align_enable" are bools, "algo_approxi_epsilon" a float in (0, 1],
            "tensor_slice_align_size" an int in [1, 1024].

    Raises:
        TypeError: if a value is of the wrong type.
        ValueError: if a key is unknown, or a size out of range. Nothing is changed then.
        RuntimeError: if "algo_approxi_epsilon" is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_algo_parameters(fully_use_devices=True)
        >>> ms.get_algo_parameters("fully_use_devices")
        True
        >>> ms.reset_algo_parameters()
    """
    for name, value in kwargs.items():
        _check_name("set_algo_parameters", name)
        _RULES[name][1].refuse("set_algo_parameters", name, value)
    epsilon = kwargs.get("algo_approxi_epsilon", 1.0)
    if not 0 < epsilon <= 1:
        raise RuntimeError(
            f"For 'set_algo_parameters', 'algo_approxi_epsilon' must be in (0, 1], "
            f"but got {epsilon}."
        )
    _values.update(kwargs)


def get_algo_parameters(attr_key):
    """Returns a setting of the search.

    Args:
        attr_key (str): its key; see `set_algo_parameters`.

    Raises:
        ValueError: if there is no such key.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.get_algo_parameters("fully_use_devices")
        False
    """
    _check_name("get_algo_parameters", attr_key)
    return _values[attr_key]


def reset_algo_parameters():
    """Resets all settings of the search to their defaults.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.set_algo_parameters(elementwise_op_strategy_follow=True)
        >>> ms.reset_algo_parameters()
        >>> ms.get_algo_parameters("elementwise_op_strategy_follow")
        False

    Source: mindspore.parallel.reset_algo_parameters of MindSpore 2.10.
    """
    _values.update({name: default for name, (default, _) in _RULES.items()})
