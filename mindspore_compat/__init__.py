"""MindSpore's Python API on NumPy and CuPy: the top window."""

__version__ = "2.10.0"
__compat_version__ = "0.1.0"

from . import _paths  # noqa: E402

_paths.install()


def __getattr__(name):
    """Names of the stand-in, looked up on first use."""
    if name in ("install", "uninstall", "load_ipython_extension", "unload_ipython_extension"):
        from . import standin
        return getattr(standin, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
