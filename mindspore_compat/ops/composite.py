"""mindspore.ops.composite: GradOperation, HyperMap and others; older scripts import it as `C`.

It has every name of `mindspore.ops`.
"""

from . import __all__, __dir__, __getattr__  # noqa: F401


def core(fn=None, **flags):
    """Marks a function as one that the graph compiler inlines. The marks do not change its results.

    Args:
        fn (Callable, optional): the function. Without it a decorator is returned. Default: None.
        flags (Any): further marks, stored with the function.

    Returns:
        Callable, `fn` itself with its marks in `fn._func_graph_flags`.

    Raises:
        AttributeError: if `fn` takes no attributes.

    Source: mindspore.ops.composite.base.core of MindSpore 2.10.
    """

    def mark(function):
        function._func_graph_flags = {"core": True, **flags}
        return function

    return mark if fn is None else mark(fn)
