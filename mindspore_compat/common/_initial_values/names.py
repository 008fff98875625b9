"""The names under which `initializer` finds the classes of Initializers."""

_INITIALIZER_ALIAS = {}


def _register(*aliases):
    """Registers an Initializer under the name of its class and `aliases`, in upper or lower case.
    A name that is already registered keeps its class."""

    def register(cls):
        for alias in (cls.__name__, *aliases):
            _INITIALIZER_ALIAS.setdefault(alias.lower(), cls)
        return cls

    return register


def declare(path, *aliases):
    """Registers an Initializer of this package. Its public path is an argument for readers only."""
    del path
    return _register(*aliases)


def initializer_named(name):
    """A new Initializer of the class that is registered as `name`."""
    cls = _INITIALIZER_ALIAS.get(name.lower())
    if cls is None:
        raise ValueError(f"For 'initializer', no initializer is named '{name}'.")
    return cls()
