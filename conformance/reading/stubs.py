"""A fake `mindspore` package that computes nothing and records every call.

`recorder.py` runs the documentation's examples on it to learn the arguments of each call.
Attributes of a `Sym` are `Sym`s, a call returns a `SymCall`, and arithmetic returns an opaque
object.
"""

import contextlib

import numpy as np


class Sym:
    """A dotted name of the fake package, or of something the example never defined (`?LeNet5`)."""

    def __init__(self, log, path):
        self.__dict__.update(_log=log, _path=path)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self._path == "mindspore.numpy" and name in ("inf", "nan", "pi"):
            return getattr(np, name)
        return Attr(self._log, self, name)

    def __call__(self, *args, **kwargs):
        call = SymCall(self._log, self, args, kwargs)
        self._log.append(call)
        return call

    def __mro_entries__(self, bases):
        return (_cell_class(self._log),)

    def __iter__(self):
        return iter([Opaque(self._log), Opaque(self._log)])

    def __contains__(self, item):
        return True

    def __bool__(self):
        return True

    def __hash__(self):
        return id(self)

    def _opaque(self, *args, **kwargs):
        return Opaque(self._log)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = (
        _opaque
    )
    __getitem__ = __neg__ = __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __pow__ = __matmul__ = (
        __floordiv__
    ) = _opaque
    __mod__ = __and__ = __or__ = __invert__ = __enter__ = _opaque

    def __exit__(self, *error):
        return False

    def __setitem__(self, key, value):
        pass  # an in-place update does not change the arguments

    def __setattr__(self, name, value):
        pass  # attributes assigned to a fake object are never read


class Attr(Sym):
    """An attribute: of a module a longer path, of a fake object a method."""

    def __init__(self, log, owner, name):
        path = f"{owner._path}.{name}" if owner._path else None
        self.__dict__.update(_log=log, _path=path, _owner=owner, _name=name)


class SymCall(Sym):
    """The result of a call, with the call."""

    def __init__(self, log, func, args, kwargs):
        self.__dict__.update(_log=log, _path=None, _func=func, _args=args, _kwargs=kwargs)

    def __getattr__(self, name):
        path = self._func._path or ""
        if (
            name in ("shape", "ndim", "size")
            and path.endswith(("Tensor", ".tensor"))
            and self._args
        ):
            with contextlib.suppress(TypeError, ValueError):
                array = np.array(self._args[0])
                if array.dtype != object:
                    return getattr(array, name)
        return super().__getattr__(name)


class Opaque(Sym):
    """An unknown value."""

    def __init__(self, log):
        self.__dict__.update(_log=log, _path=None)


def _cell_class(log):
    """Returns a base class for the example's own networks: a call runs its `construct`."""

    class Cell:
        def __init__(self, *args, **kwargs):
            pass  # no example relies on the options of MindSpore's constructor

        def __call__(self, *args, **kwargs):
            return self.construct(*args, **kwargs)

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return Attr(log, Sym(log, "?Network"), name)

    Cell._is_network = True
    return Cell
