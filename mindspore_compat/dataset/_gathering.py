"""`__all__` of packages that re-export their modules."""

from types import ModuleType


def public_names(scope, without=()):
    """Returns the sorted public names in a package's `globals()`, without modules."""
    return sorted(
        name
        for name, value in scope.items()
        if not (name.startswith("_") or isinstance(value, ModuleType) or name in without)
    )
