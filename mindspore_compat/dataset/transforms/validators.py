"""mindspore.dataset.transforms.validators: decorators that check arguments as the transforms do."""

import functools
import inspect

from .. import transforms
from .._validators import validators
from ..core.validator_helpers import check_tensor_op

_TARGETS = """
concat_type=Concatenate fill_value=Fill mask_op_new=Mask ms_type=TypeCast num_classes=OneHot
one_hot_op=OneHot random_apply=RandomApply slice_op=Slice
"""

__getattr__, __dir__, __all__ = validators(
    __name__, {name: getattr(transforms, name) for name in transforms.__all__}, _TARGETS
)
__all__ += [
    "check_compose_call",
    "check_compose_list",
    "check_random_transform_ops",
    "check_transform_op_type",
    "check_transforms_list",
    "invalidate_callable",
]


def check_random_transform_ops(method):
    """Decorates an `__init__` that takes a list of transforms and, optionally, a probability.

    A call raises:
        TypeError: if the first argument is not a list of callables, or the second, if any, is not a
            number.
        ValueError: if the list is empty or contains a class, or the probability is not in [0, 1].
    """
    signature = inspect.signature(method)

    @functools.wraps(method)
    def checked_method(self, *args, **kwargs):
        call = signature.bind(self, *args, **kwargs)
        call.apply_defaults()
        _, transforms, *others = call.arguments.values()
        _check_list(transforms)
        if len(others) == 1:
            _check_chance(others[0])
        return method(self, *args, **kwargs)

    return checked_method


check_compose_list = check_transforms_list = check_random_transform_ops


def check_compose_call(method):
    """Decorates a method that needs data to transform; a call without data is a TypeError."""

    @functools.wraps(method)
    def checked_method(self, *args):
        if not args:
            raise TypeError(
                f"For '{method.__name__}', there must be at least one argument, but got none."
            )
        return method(self, *args)

    return checked_method


def check_transform_op_type(ind, op):
    """Checks one of a list of transforms: it must be callable and must not be a class.

    Args:
        ind (int): the index of the transform.
        op (Callable): the transform.
    """
    check_tensor_op(op, f"transforms[{ind}]")
    if isinstance(op, type):
        raise ValueError(f"'transforms[{ind}]' must be made from its class, but got {op}.")


def invalidate_callable(method):
    """Decorates a method that changes a transform: the cached `callable_op_` is deleted."""

    @functools.wraps(method)
    def forgetting(self, *args, **kwargs):
        self.callable_op_ = None
        return method(self, *args, **kwargs)

    return forgetting


def _check_list(transforms):
    if not isinstance(transforms, list):
        raise TypeError(
            f"'transforms' must be a list, but got {transforms!r} of type "
            f"{type(transforms).__name__}."
        )
    if not transforms:
        raise ValueError("'transforms' must not be empty.")
    for index, transform in enumerate(transforms):
        check_transform_op_type(index, transform)


def _check_chance(prob):
    if isinstance(prob, bool) or not isinstance(prob, (int, float)):
        raise TypeError(f"'prob' must be a number, but got {prob!r} of type {type(prob).__name__}.")
    if not 0 <= prob <= 1:
        raise ValueError(f"'prob' must be in [0, 1], but got {prob}.")
