"""Pickles that make nothing but plain values and arrays of NumPy."""

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
    """Reads a pickle whose objects are plain values and arrays of NumPy."""

    def find_class(self, module, name):
        """The class of a name.

        Raises:
            pickle.UnpicklingError: the pickle names anything else.
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
    """What a pickle holds, if that is plain values and arrays of NumPy.

    Args:
        s (bytes): the pickle.

    Raises:
        pickle.UnpicklingError: it holds anything else.
    """
    return RestrictedUnpickler(io.BytesIO(s), encoding="bytes").load()
