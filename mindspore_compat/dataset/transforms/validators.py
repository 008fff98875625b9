"""`mindspore.dataset.transforms.validators`: a check of lists of transforms, for scripts' own ones.

The transforms of this package have their rules in their signatures.
"""

import functools
import inspect

__all__ = ["check_random_transform_ops"]


def check_random_transform_ops(method):
    """A decorator of an `__init__` that takes a list of transforms, and maybe a chance.

    A call raises:
        TypeError: the first argument is no list of things that can be called, or the second, where
            there is one, no number.
        ValueError: the list is empty or has a class in it, or the chance is not in [0, 1].
    """
    signature = inspect.signature(method)

    @functools.wraps(method)
    def checked(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        _, transforms, *others = bound.arguments.values()
        _check_list(transforms)
        if len(others) == 1:
            _check_chance(others[0])
        return method(self, *args, **kwargs)

    return checked


def _check_list(transforms):
    if not isinstance(transforms, list):
        raise TypeError(
            f"'transforms' must be a list, but got {transforms!r} of type "
            f"{type(transforms).__name__}."
        )
    if not transforms:
        raise ValueError("'transforms' must not be empty.")
    for index, each in enumerate(transforms):
        if not callable(each):
            raise TypeError(
                f"'transforms[{index}]' must be a transform or a function, but got "
                f"{each!r} of type {type(each).__name__}."
            )
        if isinstance(each, type):
            raise ValueError(f"'transforms[{index}]' must be made from its class, but got {each}.")


def _check_chance(prob):
    if isinstance(prob, bool) or not isinstance(prob, (int, float)):
        raise TypeError(f"'prob' must be a number, but got {prob!r} of type {type(prob).__name__}.")
    if not 0 <= prob <= 1:
        raise ValueError(f"'prob' must be in [0, 1], but got {prob}.")
