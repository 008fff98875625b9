"""`_get_cache_prim`, a private name that many public scripts import: cached Primitives."""

from ..primitive import Primitive

_made = {}


def _get_cache_prim(cls):
    """Returns a stand-in for a Primitive class that returns the same Primitive for the same
    arguments.

    Args:
        cls (type): a subclass of Primitive.

    Raises:
        TypeError: if `cls` is something else.
    """
    if not (isinstance(cls, type) and issubclass(cls, Primitive)):
        raise TypeError(
            f"For '_get_cache_prim', 'cls' must be a class of Primitives, but got {cls!r}."
        )

    def make(*args, **kwargs):
        key = (cls, repr(args), repr(sorted(kwargs.items())))
        if key not in _made:
            _made[key] = cls(*args, **kwargs)
        return _made[key]

    return make
