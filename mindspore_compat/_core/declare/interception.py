"""Intercepts operations by callbacks, for `utils.MsDispatchMode`.

Worked example. Inside `with mode:`, no call uses the straight-line call path, so `x + y` reaches
`Op.general`. It calls `mode.__ms_dispatch__(func, (x, y))`, and `func(x, y)` computes the sum. The
mode is inactive while its callback runs, so an operation in the callback goes to the enclosing
mode, or is computed.
"""

import threading

from ..._backend import arrays


class _State(threading.local):
    """The active modes of this thread, the innermost last."""

    def __init__(self):
        self.modes = []


state = _State()


class OpFunc:
    """The operation that a callback receives: its name, and a call that computes it."""

    def __init__(self, op, primitives):
        self._op = op
        self.name = _name(op, primitives)

    def __call__(self, *args):
        return self._op.general(*args)


def enter(mode):
    """Activates a mode in this thread."""
    state.modes.append(mode)
    arrays.intercept(1)


def leave():
    """Deactivates the innermost mode of this thread."""
    arrays.intercept(-1)
    state.modes.pop()


def intercepted(op, primitives, args, kwargs):
    """Returns the result of the innermost mode for a call of an operation.

    Args:
        op (Op): the operation.
        primitives (Iterable[str]): the names in `ops`; one of them names the operation.
        args (tuple): the positional arguments of the call.
        kwargs (dict): the keyword arguments.
    """
    mode = state.modes.pop()
    try:
        return mode.__ms_dispatch__(OpFunc(op, primitives), _positional(op, args, kwargs))
    finally:
        state.modes.append(mode)


def _positional(op, args, kwargs):
    """Returns the arguments of a call, completed by the defaults, in the order of the body's
    parameters."""
    arguments = {**op.defaults, **dict(zip(op.parameters, args)), **kwargs}
    return tuple(arguments[name] for name in op.parameters)


def _name(op, primitives):
    """Returns the name of the Primitive that an operation computes, such as "Add", or of its
    body."""
    primitives = {name.lower(): name for name in primitives if name[0].isupper()}
    for line in op.lines:
        name = line.partition("(")[0].rpartition(".")[2].strip("_").replace("_", "")
        if name.lower() in primitives:
            return primitives[name.lower()]
    return "".join(part.title() for part in op.name.split("_"))
