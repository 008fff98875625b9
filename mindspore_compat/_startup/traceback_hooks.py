"""The hooks that show uncaught errors as `tracebacks.py` describes, in Python, IPython and
pytest."""

import functools
import sys
import types

from .._core.frames import causes_without_package_frames, shows_all_frames, without_package_frames


def install():
    """Installs the hook: IPython's if it runs, else Python's unless the program has its own; and
    the plugin for pytest if it runs. Repeated calls have no effect."""
    if shows_all_frames():
        return
    if "_pytest.config" in sys.modules:
        _change_pytest("register")
    shell = _shell()
    if shell is not None:
        formatter = shell.InteractiveTB
        if not _is_ours(formatter):
            formatter.structured_traceback = functools.partial(
                lines_in_shell, formatter.structured_traceback
            )
    elif sys.excepthook is sys.__excepthook__:
        sys.excepthook = show


def uninstall():
    """Removes the hook and the plugin."""
    if "_pytest.config" in sys.modules:
        _change_pytest("unregister")
    shell = _shell()
    if shell is not None and _is_ours(shell.InteractiveTB):
        del shell.InteractiveTB.structured_traceback
    if sys.excepthook is show:
        sys.excepthook = sys.__excepthook__


def _change_pytest(action):
    """Registers or removes the plugin in the pytest that runs the caller, if one does."""
    from . import pytest_reports

    config = pytest_reports.running_config()
    if config is not None:
        getattr(pytest_reports, action)(config)


def _shell():
    """Returns the running IPython shell, also of a notebook, or None."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython() if get_ipython else None


def _is_ours(formatter):
    hook = vars(formatter).get("structured_traceback")
    return getattr(hook, "func", None) is lines_in_shell


def show(kind, error, trace):
    """Python's hook: writes the error with advice to stderr. An error that has nothing to do with
    the package is left to Python."""
    from .tracebacks import formatted

    text, is_changed = formatted(error)
    if is_changed:
        sys.stderr.write(text)
    else:
        sys.__excepthook__(kind, error, trace)


def lines_in_shell(original, kind, error, trace=None, *args, **kwargs):
    """Returns the lines that IPython shows of an error: its own, without the package's frames, then
    advice. They serve cells, `%run`, `%tb` and threads alike.

    Args:
        original: IPython's method, which calls itself for causes in some modes, then with a tuple
            for `trace`.
        kind: the type of the error.
        error: the error.
        trace: its traceback.
        *args: passed on.
        **kwargs: passed on.
    """
    if not isinstance(trace, types.TracebackType):
        return original(kind, error, trace, *args, **kwargs)
    from .tracebacks import advice

    with causes_without_package_frames(error):
        lines = original(kind, error, without_package_frames(trace), *args, **kwargs)
    text = advice(error).rstrip("\n")
    return [*lines, text] if text else lines
