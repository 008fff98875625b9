"""Unpickling restricted to plain values and NumPy arrays."""

import io
import pickle

__all__ = ["RestrictedUnpickler", "restricted_loads"]
_PLAIN = {
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "range",
    "set",
    "slice",
    "str",
    "tuple",
}
_ARRAYS = {"_reconstruct", "dtype", "ndarray", "scalar", "_frombuffer"}


class RestrictedUnpickler(pickle.Unpickler):
    """Reads a pickle that contains only plain values and NumPy arrays."""

    def find_class(self, module, name):
        """Returns the class with a name.

        Raises:
            pickle.UnpicklingError: if the class is not allowed.
        """
        package_name = module.split(".")[0]
        if package_name in ("builtins", "__builtin__") and name in _PLAIN:
            return super().find_class(module, name)
        if package_name in ("numpy", "_codecs") and name in (*_ARRAYS, "encode"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"A pickle must hold plain values and arrays, but got '{module}.{name}'."
        )


def restricted_loads(s):
    """Returns the content of a pickle with only plain values and NumPy arrays.

    Args:
        s (bytes): the pickle.

    Raises:
        pickle.UnpicklingError: if it contains anything else.
    """
    return RestrictedUnpickler(io.BytesIO(s), encoding="bytes").load()
