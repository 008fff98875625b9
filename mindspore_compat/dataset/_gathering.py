"""The `__all__` of packages that show what their modules have."""

from types import ModuleType


def public_names(scope, without=()):
    """Returns the names in `globals()` of a package that are public and no modules, sorted."""
    return sorted(
        name
        for name, value in scope.items()
        if not (name.startswith("_") or isinstance(value, ModuleType) or name in without)
    )
