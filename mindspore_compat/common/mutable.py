"""mutable: marks an input as a variable, so that `grad` differentiates by the Tensors inside it.

`constexpr` marks a function as one of constants; run eagerly, it is the function itself.
"""

from .._core.autograd.transforms import Mutable
from .._core.declare.public_api import public
from .._core.tensor.tensor import Tensor

__all__ = ["constexpr", "mutable"]


class MutableTuple(tuple, Mutable):
    """A tuple that `grad` looks into."""


class MutableList(list, Mutable):
    """A list that `grad` looks into."""


class MutableDict(dict, Mutable):
    """A dict that `grad` looks into."""


class MutableInt(int, Mutable):
    """An int marked as a variable."""


class MutableFloat(float, Mutable):
    """A float marked as a variable."""


_MADE = {tuple: MutableTuple, list: MutableList, dict: MutableDict, int: MutableInt,
         float: MutableFloat}


def mutable(input_data, dynamic_len=False):
    """`input_data`, marked as a variable.

    Args:
        input_data (Union[Tensor, int, float, bool, tuple, list, dict]): a value, or a nest of
            values.
        dynamic_len (bool): True if the length of a tuple or list may vary. Default: False.

    Raises:
        TypeError: if `input_data` is none of these, or `dynamic_len` is not a bool.
        TypeError: if `dynamic_len` is True for something else than a tuple or list.

    Source: mindspore.mutable of MindSpore 2.10.
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"For 'mutable', 'dynamic_len' must be a bool, but got {dynamic_len!r}.")
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(f"For 'mutable', 'dynamic_len' goes with a tuple or list, but got "
                        f"{type(input_data).__name__}.")
    _check(input_data)
    if isinstance(input_data, (Tensor, bool)):
        return input_data
    return _MADE[next(kind for kind in _MADE if isinstance(input_data, kind))](input_data)


def _check(value):
    if isinstance(value, (tuple, list)):
        for one in value:
            _check(one)
    elif isinstance(value, dict):
        for one in value.values():
            _check(one)
    elif not isinstance(value, (Tensor, int, float)):
        raise TypeError(
            f"For 'mutable', 'input_data' must be a Tensor, number, tuple, list or dict of these, "
            f"but got "
            f"{value!r} of type {type(value).__name__}."
        )


@public("ops.constexpr")
def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Marks a function of constants, which graph mode runs while it compiles.

    Args:
        fn (Function): the function; None where a decorator is wanted.
        get_instance (bool): False to return a class whose instances are the function. Default:
            True.
        name (str), reuse_result (bool), check (bool): settings of the compilation.

    Source: mindspore.ops.constexpr of MindSpore 2.10.
    """

    def decorate(function):
        if get_instance:
            return function
        made = type(name or function.__name__, (), {
            "__call__": lambda self, *args, **kwargs: function(*args, **kwargs),
            "__doc__": function.__doc__})
        return made

    return decorate if fn is None else decorate(fn)
