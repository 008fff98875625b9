"""Base class of the pooling layers: how sizes, modes and layouts are checked and stored."""

from ...._core.context.config import config
from ...._core.rules.vocabulary import Str, TensorOf, floating, integer
from ....ops._conv.sizes import per_dimension
from ...cell import Cell

Real = TensorOf(integer | floating)
_MODES = ("VALID", "SAME", "PAD")


# attribute -> (where it is stored as one number per dimension, the least of them, its types)
_SIZES = {
    "kernel_size": ("_kernel", 1, (int, tuple)),
    "stride": ("_stride", 1, (int, tuple)),
    "padding": ("_padding", 0, (int, tuple, list)),
}


class _Pool(Cell):
    """Base class of the layers that pool windows: their sizes and their padding mode."""

    _count = 0

    def __setattr__(self, name, value):
        """Checks an assigned size or mode, and stores it in the form that the computation takes."""
        if name in _SIZES:
            attribute, least, kinds = _SIZES[name]
            self.__dict__[attribute] = self._sizes(name, value, least, kinds)
            value = self._attribute_value(name, value)
        elif name == "pad_mode":
            value = self._known_mode(value)
        super().__setattr__(name, value)

    def _set_up(self, kernel_size, stride, pad_mode, padding):
        for name, value in (("kernel_size", kernel_size), ("stride", stride)):
            self._sizes(name, value, *_SIZES[name][1:])  # rejected before a wrong mode is
        self.pad_mode = pad_mode  # the mode decides how some layers show their sizes
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        if self.pad_mode != "PAD" and any(self._padding):
            raise ValueError(
                f"For '{type(self).__name__}', 'padding' must be 0 where 'pad_mode' "
                f"is not 'pad', but got {padding!r} and {pad_mode!r}."
            )

    def _known_mode(self, mode):
        name = type(self).__name__
        Str.refuse(name, "pad_mode", mode)
        if mode.upper() not in _MODES:
            raise ValueError(
                f"For '{name}', 'pad_mode' must be one of 'valid', 'same' and 'pad', "
                f"but got {mode!r}."
            )
        return mode.upper()

    def _sizes(self, name, value, least, kinds):
        """Converts a size to a tuple with one number per dimension."""
        api, count = type(self).__name__, self._count
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise TypeError(
                f"For '{api}', '{name}' must be an int or a tuple of ints, but got "
                f"{value!r} of type {type(value).__name__}."
            )
        if count == 1 and isinstance(value, tuple) and name != "padding" and self._only_numbers:
            raise TypeError(
                f"For '{api}', '{name}' must be an int, but got {value!r} of type tuple."
            )
        sizes = per_dimension(value, count)
        if any(not isinstance(n, int) or isinstance(n, bool) for n in sizes):
            raise TypeError(f"For '{api}', '{name}' must hold ints only, but got {value!r}.")
        if len(sizes) != count or any(n < least for n in sizes):
            raise ValueError(
                f"For '{api}', '{name}' must be an int >= {least} or a tuple of "
                f"{count} such ints, but got {value!r}."
            )
        return sizes

    _only_numbers = False

    def _attribute_value(self, name, value):
        single = isinstance(value, tuple) and len(value) == 1 and name != "padding"
        return value[0] if single else value

    def extend_repr(self):
        """Returns the sizes of the layer."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


def _need_nchw(api, data_format):
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(
            f"For '{api}', 'data_format' must be 'NCHW' or 'NHWC', but got {data_format!r}."
        )
    if data_format == "NHWC" and config.device_target == "CPU":
        raise ValueError(f"For '{api}', 'data_format' must be 'NCHW' on a CPU, but got 'NHWC'.")
