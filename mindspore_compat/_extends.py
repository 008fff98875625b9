"""cell_attr_register: a private decorator that public scripts put on the `__init__` of their
Cells."""

import functools
import inspect


def cell_attr_register(fn=None, attrs=None):
    """Returns a decorator that stores the arguments of `__init__` as the text `cell_init_args`.

    Args:
        fn (Callable): the `__init__`.
        attrs (list[str]): the arguments to store. Default: ``None``, all.
    """

    def decorate(init):
        signature = inspect.signature(init)

        @functools.wraps(init)
        def made(self, *args, **kwargs):
            bound = signature.bind(self, *args, **kwargs).arguments
            given = [
                value
                for name, value in bound.items()
                if value is not self and (attrs is None or name in attrs)
            ]
            init(self, *args, **kwargs)
            self.cell_init_args = type(self).__name__ + str(given)

        return made

    return decorate if fn is None else decorate(fn)
