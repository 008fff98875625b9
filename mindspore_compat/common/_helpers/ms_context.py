"""MSContext: answers questions of scripts about devices, like MindSpore's compiled context."""

from ..._backend import arrays

__all__ = ["MSContext"]


class MSContext:
    """Information on devices; the only instance is `MSContext.get_instance()`.

    Raises:
        TypeError: if it is called.
    """

    def __init__(self):
        raise TypeError("For 'MSContext', the one there is comes from 'MSContext.get_instance()'.")

    @classmethod
    def get_instance(cls):
        """Returns the only instance."""
        return _context

    def is_pkg_support_device(self, device):
        """Returns whether a device of a target exists: "CPU", "GPU" or "Ascend"."""
        return device == "CPU" or device == "GPU" and arrays.gpu_available()

    def is_ascend_plugin_loaded(self):
        """Returns whether an Ascend device exists, which is always False."""
        return self.is_pkg_support_device("Ascend")

    def get_ascend_soc_version(self):
        """Returns the kind of Ascend device, which is empty, since none is supported."""
        return ""

    def get_backend_policy(self):
        """Returns the backend that runs graphs: "ms", this package itself."""
        return "ms"


_context = object.__new__(MSContext)
