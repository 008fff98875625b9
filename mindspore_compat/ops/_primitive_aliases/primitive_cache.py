"""`_get_cache_prim`, a private function that many public scripts import: it caches Primitives."""

from ..primitive import Primitive

_instances = {}


def _get_cache_prim(cls):
    """Returns a callable that stands for a Primitive class and returns the same instance for the
    same arguments.

    Args:
        cls (type): a subclass of Primitive.

    Raises:
        TypeError: if `cls` is not one.
    """
    if not (isinstance(cls, type) and issubclass(cls, Primitive)):
        raise TypeError(
            f"For '_get_cache_prim', 'cls' must be a class of Primitives, but got {cls!r}."
        )

    def make(*args, **kwargs):
        key = (cls, repr(args), repr(sorted(kwargs.items())))
        if key not in _instances:
            _instances[key] = cls(*args, **kwargs)
        return _instances[key]

    return make
