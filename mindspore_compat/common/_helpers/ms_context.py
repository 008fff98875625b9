"""MSContext: what scripts ask the original's compiled context about devices."""

from ..._backend import arrays

__all__ = ["MSContext"]


class MSContext:
    """What is known of the devices; there is one, `MSContext.get_instance()`.

    Raises:
        TypeError: when it is called.
    """

    def __init__(self):
        raise TypeError("For 'MSContext', the one there is comes from 'MSContext.get_instance()'.")

    @classmethod
    def get_instance(cls):
        """The one there is."""
        return _context

    def is_pkg_support_device(self, device):
        """Whether there is a device of a target: "CPU", "GPU" or "Ascend"."""
        return device == "CPU" or device == "GPU" and arrays.gpu_available()

    def is_ascend_plugin_loaded(self):
        """Whether there is an Ascend device: always False."""
        return self.is_pkg_support_device("Ascend")

    def get_ascend_soc_version(self):
        """The kind of Ascend device; empty, as no such device is supported."""
        return ""

    def get_backend_policy(self):
        """What runs graphs: "ms", this package itself."""
        return "ms"


_context = object.__new__(MSContext)
