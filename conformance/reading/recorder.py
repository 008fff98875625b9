"""Records the arguments with which the documentation's examples call a name, as facts for the spec.

`calls(page)` runs the page's example on the fake package of `stubs.py` and returns the arguments as
texts, which `values.build` converts back to objects. MindSpore is not imported. NumPy is real, so
arrays have their values.
"""

import ast
import builtins
import contextlib
import functools
import io
import itertools
import math
import sys
import time

import numpy as np

from ..sentences.typenames import DTYPES
from .facts import foreign
from .stubs import Attr, Opaque, Sym, SymCall

_REAL = {"numpy": np, "math": math, "itertools": itertools, "functools": functools}
_MODULES = {
    "ms": "mindspore",
    "mindspore": "mindspore",
    "nn": "mindspore.nn",
    "ops": "mindspore.ops",
    "Tensor": "mindspore.Tensor",
    "mint": "mindspore.mint",
    "mstype": "mindspore.common.dtype",
    "Parameter": "mindspore.Parameter",
    "P": "mindspore.ops",
    "ds": "mindspore.dataset",
    "vision": "mindspore.dataset.vision",
    "audio": "mindspore.dataset.audio",
    "transforms": "mindspore.dataset.transforms",
    "text": "mindspore.dataset.text",
    "train": "mindspore.train",
}
SMALL, SMALL_INT = 24, 64  # number of elements up to which an array is recorded with all values
SECONDS = 5


class Unknown(Exception):
    """Raised for an argument that cannot be written as a fact."""


def calls(page):
    """Returns {"init": [args, kwargs], "call": ..., "self": ...} of the first use of the page's
    name, or None."""
    log = []
    for example in page.examples:
        _run(example, log)
    last = page.name.rsplit(".", 1)[-1]
    for names in ({last}, {f"{last}_ext", f"{last}_view", f"{last}_op", f"{last}_ext_op"}):
        for call in log:
            if _is_use(call, page, names):
                with contextlib.suppress(Unknown):
                    return _facts(call, page, log)
    return None


def _is_use(call, page, names):
    func = call._func
    if page.kind in ("method", "property"):
        return (
            isinstance(func, Attr)
            and func._name in names
            and (func._path is None or ".from_" in func._path)
        )
    path = func._path
    return bool(path) and path.startswith("mindspore") and path.rsplit(".", 1)[-1] in names


def _facts(call, page, log):
    facts = {}
    if page.kind == "class":
        facts["init"] = _arguments(call)
        for later in log:
            if later._func is call:
                with contextlib.suppress(Unknown):
                    facts["call"] = _arguments(later)
                    break
    elif page.kind == "method":
        facts["self"] = text(call._func._owner)
        facts["call"] = _arguments(call)
    else:
        facts["call"] = _arguments(call)
    return facts


def _arguments(call):
    return [[text(a) for a in call._args], {k: text(v) for k, v in call._kwargs.items()}]


def text(value):
    """Returns an argument in the spelling of `values.build`; raises Unknown if impossible, or for
    prose."""
    if isinstance(value, str) and foreign(value):
        raise Unknown(value)
    if value is None or isinstance(value, (bool, int, str, bytes, complex, type(...))):
        return repr(value) if value is not ... else "..."
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, slice):
        return f"slice({text(value.start)}, {text(value.stop)}, {text(value.step)})"
    if isinstance(value, (list, set)):
        inner = ", ".join(map(text, value))
        return f"[{inner}]" if isinstance(value, list) else (f"{{{inner}}}" if value else "set()")
    if isinstance(value, tuple):
        return f"({', '.join(map(text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(k)}: {text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            raise Unknown(value)
        return f"array({value.dtype.name!r}, {array_text(value)})"
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({text(value.item())})"
    if isinstance(value, type):
        return _type_text(value)
    return _symbol(value)


def _type_text(value):
    if value in (int, float, bool, str, tuple, list, dict, bytes):
        return value.__name__
    if issubclass(value, np.generic):
        return f"np.{np.dtype(value).name}"
    raise Unknown(value)


def _symbol(value):
    if getattr(type(value), "_is_network", False):
        return "sample.network()"
    if isinstance(value, SymCall):
        return _made(value)
    if isinstance(value, Opaque) or not isinstance(value, Sym):
        raise Unknown(value)
    if isinstance(value, Attr) and value._path is None:
        raise Unknown(value)
    path = value._path
    last = path.rsplit(".", 1)[-1]
    if path.startswith("?"):
        raise Unknown(path)
    if last in DTYPES and path.startswith("mindspore"):
        return f"ms.{last}"
    return "ms." + path.removeprefix("mindspore.") if path != "mindspore" else "ms"


def _made(call):
    func = call._func
    path = func._path or ""
    if path.startswith("?"):
        if isinstance(func, Attr):
            owner = (
                "sample.network()"
                if func._owner._path and func._owner._path[1:2].isupper()
                else None
            )
            if owner and func._name in ("trainable_params", "get_parameters", "parameters_dict"):
                return f"{owner}.{func._name}()"
            raise Unknown(path)
        if path[1:2].isupper() and "Dataset" not in path:
            return "sample.network()"
        raise Unknown(path)
    if isinstance(func, Attr) and func._path is None:
        owner = func._owner
        if (
            isinstance(owner, SymCall)
            and (owner._func._path or "").startswith("?")
            and func._name in ("trainable_params", "get_parameters")
        ):
            return "sample.network().trainable_params()"
        return f"{text(owner)}.{func._name}{_call_text(call)}"
    if isinstance(func, SymCall):
        return f"{text(func)}{_call_text(call)}"
    if path in (
        "mindspore.Tensor",
        "mindspore.tensor",
        "mindspore.common.tensor",
        "mindspore.common.tensor.Tensor",
        "mindspore.common.Tensor",
    ):
        tensor = _tensor(call)
        if tensor:
            return tensor
    return f"{_symbol(func)}{_call_text(call)}"


def _call_text(call):
    args, kwargs = _arguments(call)
    return f"({', '.join(args + [f'{k}={v}' for k, v in kwargs.items()])})"


def _tensor(call):
    """Converts `Tensor(data, dtype)` to `T('float32', data)`."""
    bound = dict(zip(("data", "dtype"), call._args, strict=False))
    bound.update({"data" if k in ("input_data", "data") else k: v for k, v in call._kwargs.items()})
    if set(bound) - {"data", "dtype"} or "data" not in bound:
        return None
    data, dtype = bound["data"], bound.get("dtype")
    try:
        array = np.array(data)
    except (ValueError, TypeError):
        return None
    if array.dtype == object or array.dtype.kind in "US":
        return None
    if dtype is not None:
        name = text(dtype).rsplit(".", 1)[-1]
        if name not in DTYPES:
            raise Unknown(name)
    else:
        name = array.dtype.name
        if not isinstance(data, (np.ndarray, np.generic)):
            name = {"float64": "float32"}.get(name, name)
    return f"T({name!r}, {array_text(array)})"


def array_text(array):
    """Returns the values of a small array, or shape and range of a large one."""
    limit = SMALL if array.dtype.kind in "fc" else SMALL_INT
    if array.size <= limit:
        return _numbers(array.tolist())
    if (array == array.flat[0]).all():
        return f"fill({_numbers(array.flat[0].item())}, {array.shape})"
    if array.dtype.kind in "iub":
        return f"integers({array.shape}, {int(array.min())}, {int(array.max())})"
    if array.dtype.kind == "f":
        return f"uniform({array.shape}, {float(array.min()):.4g}, {float(array.max()):.4g})"
    raise Unknown(array.dtype)


def _numbers(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(_numbers, value)) + "]"
    if isinstance(value, float):
        short = float(f"{value:.7g}")
        return (
            repr(short)
            if math.isfinite(value)
            else ("nan" if value != value else ("-inf" if value < 0 else "inf"))
        )
    return repr(value)


def _run(example, log):
    """Runs the example's statements one by one, and skips those that the fake package does not
    support.
    """
    names = {"__name__": "__main__", "__builtins__": _builtins(log)}
    for name, path in _MODULES.items():
        names[name] = Sym(log, path)
    names["np"] = np
    np.random.seed(0)
    steps = []
    for source, _, _ in example.steps:
        with contextlib.suppress(SyntaxError):
            steps.append(ast.parse(source))
    for tree in steps:
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Name)
                and node.id not in names
                and not hasattr(builtins, node.id)
            ):
                names[node.id] = Sym(log, f"?{node.id}")
    with _time_limit(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        for tree in steps:
            with contextlib.suppress(Exception):
                exec(compile(tree, "<example>", "exec"), names)  # noqa: S102


def _builtins(log):
    def imported(name, scope=None, local=None, wanted=(), level=0):
        root = name.split(".")[0]
        if root == "mindspore":
            return Sym(log, name if wanted else root)
        if root in _REAL:
            return _REAL[root]
        raise ImportError(name)

    allowed = dict(vars(builtins))
    for name in ("open", "input", "exit", "quit", "breakpoint", "compile"):
        allowed.pop(name, None)
    allowed["__import__"] = imported
    return allowed


class _OutOfTime(BaseException):
    """Ends an example that runs too long. A BaseException, so that an `except Exception` of the
    example does not catch it."""


@contextlib.contextmanager
def _time_limit():
    """Context manager: ends Python code that runs too long, on every system: each line checks the
    clock."""
    end = time.monotonic() + SECONDS

    def look(frame, event, argument):
        if time.monotonic() > end:
            raise _OutOfTime
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    except _OutOfTime:
        return
    finally:
        sys.settrace(before)
