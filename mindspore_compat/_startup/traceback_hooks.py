"""The hooks that show uncaught errors as `tracebacks.py` describes, in Python and in IPython."""

import sys

from .._core.frames import shows_all_frames, without_package_frames


def install():
    """Installs the hook: IPython's if it runs, else Python's unless the program has its own."""
    if shows_all_frames():
        return
    shell = _shell()
    if shell is not None:
        shell.set_custom_exc((Exception,), show_in_shell)
    elif sys.excepthook is sys.__excepthook__:
        sys.excepthook = show


def uninstall():
    """Removes the hook."""
    shell = _shell()
    if shell is not None:
        shell.set_custom_exc((), None)
    if sys.excepthook is show:
        sys.excepthook = sys.__excepthook__


def _shell():
    """Returns the running IPython shell, also of a notebook, or None."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython() if get_ipython else None


def show(kind, error, trace):
    """Python's hook: writes the error with advice to stderr. An error that has nothing to do with
    the package is left to Python."""
    from .tracebacks import formatted

    text, is_changed = formatted(error)
    if is_changed:
        sys.stderr.write(text)
    else:
        sys.__excepthook__(kind, error, trace)


def show_in_shell(shell, kind, error, trace, tb_offset=None):
    """IPython's handler: its own traceback without the package's frames, then advice."""
    from .tracebacks import advice

    shell.showtraceback((kind, error, without_package_frames(trace)), tb_offset=tb_offset)
    sys.stderr.write(advice(error))
