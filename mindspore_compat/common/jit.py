"""Decorators of graph mode. Everything runs eagerly, so each checks its arguments and returns its
target.

Both modes have the same semantics by design (docs, "Architecture"): a function marked by `jit`
gives the same numbers, with Python's own control flow and tracebacks. Its calls are recorded (on a
GPU captured, if it trains) if possible, and replayed (_graph_mode/steps.py).
"""

import functools
import threading

from .._backend.arrays import release_memory
from .._core.rules.checked import refuse_all
from .._core.rules.vocabulary import AsValue, Bool, InstanceOf, OneOf, checked
from .._core.without_effect import without_effect
from ._graph_mode import steps
from ._graph_mode.call import as_graph

__all__ = [
    "JitConfig",
    "enable_dynamic",
    "jit",
    "jit_class",
    "lazy_inline",
    "ms_class",
    "ms_function",
    "ms_memory_recycle",
    "no_inline",
]


# The options of the backend that have a rule; any other option is accepted.
_OPTIONS = {
    "disable_format_transform": Bool,
    "exec_order": OneOf("bfs", "dfs"),
    "infer_boost": OneOf("on", "off"),
    "auto_offload": OneOf("weight", "activation", "all"),
    "exc_mode": AsValue(OneOf("auto", "sink", "no_sink")),
}


class _Building(threading.local):
    """Per-thread depth of nested calls of functions marked by `jit`."""

    depth = 0


building = _Building()


def _owner(function, args):
    """Returns the owner of a graph: the object whose method is called, or the function."""
    return args[0] if args and steps.can_own(args[0]) else function


def _mark(function):
    """Wraps `function` under its own name; of a class of Cells, `construct` is wrapped. A Cell or
    another class is returned unchanged."""
    if isinstance(function, type):
        if hasattr(function, "construct"):
            function.construct = _mark(function.construct)
        return function
    if not hasattr(function, "__name__"):
        return function

    @functools.wraps(function)
    def run(*args, **kwargs):
        outer = building.depth
        try:
            building.depth = outer + 1
            return as_graph(part, args, kwargs)
        finally:
            building.depth = outer

    def part(*args, **kwargs):
        if steps.captures(building.depth):
            return steps.run(_owner(run, args), function.__name__, function, args, kwargs)
        return function(*args, **kwargs)

    return run


@without_effect("jit(capture_mode, jit_level, dynamic, fullgraph, backend)", "no graph is compiled")
@checked
def jit(
    function=None,
    *,
    capture_mode: AsValue(OneOf("ast", "bytecode", "trace")) = "ast",
    jit_level: AsValue(OneOf("O0", "O1")) = "O0",
    dynamic: OneOf(0, 1) = 0,
    fullgraph: Bool = False,
    backend="",
    **options,
):
    """Marks a function to run as a graph (just-in-time compilation).

    Here the function runs eagerly. After a few calls it is recorded, and then replayed without its
    Python code; on a GPU as a CUDA graph, if it trains.

    Args:
        function (Callable): the function, Cell or class; None if `jit` is called with options and
            returns a decorator.
        capture_mode (str): how MindSpore builds the graph. Default: "ast".
        jit_level (str): its optimization level. Default: "O0".
        dynamic (int): whether shapes may vary. Default: 0.
        fullgraph (bool): whether the whole function must become a graph. Default: False.
        backend (str): the compiler. Default: "".
        **options (dict): options of the backend: `disable_format_transform` (bool), `exec_order`
            ("bfs" or "dfs"), `infer_boost` ("on" or "off"), `auto_offload` ("weight", "activation"
            or "all"), and others. They have no effect.

    Returns:
        The function, Cell or class in the form to call; with options alone a decorator.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.jit(lambda x: x * 2)(ms.Tensor([1, 2])))
        [2 4]

    Source: mindspore.jit of MindSpore 2.10.
    """
    rules = {name: rule for name, rule in _OPTIONS.items() if name in options}
    refuse_all("jit", rules, options)
    return _mark if function is None else _mark(function)


@without_effect(
    "ms_function(input_signature, hash_args, jit_config, compile_once)", "no graph is compiled"
)
def ms_function(fn=None, input_signature=None, hash_args=None, jit_config=None, compile_once=False):
    """Returns the name that `jit` had before MindSpore 2.0.

    Args:
        fn (Callable): the function; None to return a decorator.
        input_signature (Union[Tensor, list, tuple]): the shapes and dtypes of the inputs.
        hash_args (Union[object, list, tuple]): further values that the graph depends on.
        jit_config (JitConfig): options of the compilation.
        compile_once (bool): whether all instances of a class share one graph.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ms_function(lambda x: 2 * x)(3))
        6

    Source: mindspore.ms_function of MindSpore 1.10.
    """
    return _mark if fn is None else _mark(fn)


@checked
def jit_class(cls: InstanceOf(type).called("a class")):
    """Marks a class for use in graph mode. Here classes without the mark may be used, too.

    Args:
        cls (type): the class.

    Returns:
        `cls` itself.

    Raises:
        TypeError: if `cls` is not a class, or is a Cell.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.jit_class(type("Point", (), {}))().__class__.__name__)
        Point

    Source: mindspore.jit_class of MindSpore 2.10.
    """
    if any(base.__name__ == "Cell" for base in cls.__mro__):
        raise TypeError(f"For 'jit_class', 'cls' must not be a Cell, but got {cls.__name__}.")
    cls.__ms_class__ = True
    return cls


ms_class = jit_class


class JitConfig:
    """Options of `jit`, given to `Cell.set_jit_config`.

    Args:
        jit_level (str): "", "O0", "O1", "O2" or "O3"; has no effect. Default: "".
        exc_mode (str): "auto", "sink" or "no_sink"; has no effect. Default: "auto".
        jit_syntax_level (str): "", "STRICT", "COMPATIBLE" or "LAX"; has no effect. Default: "".
        debug_level (str): "RELEASE" or "DEBUG"; has no effect. Default: "RELEASE".
        infer_boost (str): "on" or "off"; has no effect. Default: "off".
        **kwargs (Any): further options, which are stored.

    Example:
        >>> import mindspore_compat as ms
        >>> config = ms.JitConfig(jit_level="O1")
        >>> net = ms.nn.Dense(2, 1)
        >>> net.set_jit_config(config)

    Source: mindspore.JitConfig of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        jit_level: AsValue(OneOf("", "O0", "O1", "O2", "O3")) = "",
        exc_mode: AsValue(OneOf("auto", "sink", "no_sink")) = "auto",
        jit_syntax_level: AsValue(OneOf("", "STRICT", "COMPATIBLE", "LAX")) = "",
        debug_level: AsValue(OneOf("RELEASE", "DEBUG")) = "RELEASE",
        infer_boost: AsValue(OneOf("", "on", "off")) = "off",
        **kwargs,
    ):
        self.jit_config_dict = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
            **kwargs,
        }


@without_effect("lazy_inline", "no graph is compiled")
def lazy_inline(fn=None, attrs=None, policy=None):
    """Marks the `__init__` of a Cell whose graph instances may share.

    Args:
        fn (Function): the `__init__`; without it, a decorator is returned.
        attrs (Union[str, list[str]]): has no effect.
        policy (str): has no effect.

    Returns:
        `fn` itself, or the decorator.

    Example:
        >>> import mindspore_compat as ms
        >>> class Net(ms.nn.Cell):
        ...     @ms.lazy_inline
        ...     def __init__(self):
        ...         super().__init__()
        >>> print(Net().name_cells())
        OrderedDict()
    """
    if fn is None:
        return lambda function: function
    if not hasattr(fn, "__name__"):
        raise AttributeError(f"For 'lazy_inline', 'fn' must be a function, but got {fn!r}.")
    return fn


@without_effect("no_inline", "no graph is compiled")
def no_inline(fn=None):
    """Marks a function as a separate graph, which is not inlined. Without a function, returns the
    decorator.

    Args:
        fn (Function): the function; without it, a decorator is returned.

    Returns:
        `fn` itself, or the decorator.

    Raises:
        AttributeError: if `fn` is not a function.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.no_inline(lambda x: 2 * x)(3))
        6
    """
    if fn is None:
        return no_inline
    if not hasattr(fn, "__dict__"):
        raise AttributeError(f"For 'no_inline', 'fn' must be a function, but got {fn!r}.")
    return fn


@without_effect("enable_dynamic", "shapes may always vary")
def enable_dynamic(**kwargs):
    """Returns a decorator that names the arguments with dynamic shapes.

    Raises:
        ValueError: if no argument is named.

    Example:
        >>> import mindspore_compat as ms
        >>> @ms.jit
        ... @ms.enable_dynamic(x=ms.Tensor(shape=[None], dtype=ms.float32))
        ... def double(x):
        ...     return x * 2
        >>> print(double(ms.Tensor([1.0, 2.0])))
        [2. 4.]
    """
    if not kwargs:
        raise ValueError("For 'enable_dynamic', at least one argument must be named.")
    return lambda function: function


def ms_memory_recycle():
    """Returns unused memory of the GPU pool to the device.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.ms_memory_recycle()

    Source: mindspore.ms_memory_recycle of MindSpore 2.10.
    """
    release_memory()
