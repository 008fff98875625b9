"""Tensor: an array and a tape node; construction, conversion, attributes, printing.

The `Tensor.…` lines of the ops attach operators and methods; this file has the members that concern
storage. `Tensor._wrap(array)` is the internal constructor: no check, no copy.
"""

import math

import numpy

from ..._backend import arrays, dlpack
from ..._backend.steps import current
from ..html import tensor_view
from ..rules.base import is_hashable
from ..rules.vocabulary import register_type
from . import dtype as dtypes
from . import printing, promotion

_new = object.__new__


def as_array(value, dtype=None):
    """Converts numbers, nested lists and arrays to an array on the current device, with MindSpore's
    dtypes.

    Python floats become float32 and ints become int64; NumPy arrays keep their dtype.

    Args:
        value: a Tensor, number, array, or nested list or tuple of numbers and Tensors.
        dtype (numpy.dtype): the dtype of the result; by default the dtype of the value.
    """
    if isinstance(value, Tensor):
        array = value._array
    elif isinstance(value, (numpy.ndarray, numpy.generic)):
        array = dtypes.as_int64(numpy.asarray(value))
        dtypes.from_numpy(array.dtype)  # refuses dtypes that no Tensor can hold
        if isinstance(value, numpy.ndarray):  # copied and cast at once: no second copy in memory
            array = array.astype(array.dtype if dtype is None else dtype, order="C")
    elif type(value) in arrays.SPACES:
        array = value.copy()
    else:
        array = _from_python(value, dtype)
    if dtype is not None and array.dtype != dtype:
        array = array.astype(dtype)
    recorder = arrays.running_recorder()
    is_constant = not isinstance(value, (Tensor, numpy.ndarray))
    if recorder is not None and is_constant:
        return recorder.number(array)
    captured = current.capture() if is_constant else None
    if captured is not None and type(array) is numpy.ndarray:
        return captured.constant(array)
    return arrays.to_current(array) if type(array) in arrays.SPACES else array


def number_array(number):
    """Returns `as_array` of a Python number, for most numbers in a third of its time.

    Raises:
        promotion.IntTooLarge: if it is an int that neither int64 nor uint64 can hold.
    """
    if type(number) is float:
        return numpy.asarray(number, numpy.float32)
    if type(number) is not int:
        return as_array(number)
    if not -promotion.WORD <= number < 2 * promotion.WORD:
        raise promotion.IntTooLarge.of(number)
    return numpy.asarray(number)


def _from_python(value, dtype=None):
    """Converts numbers and nested lists; floats become float32 unless `dtype` is set."""
    if isinstance(value, (list, tuple)):
        plain = _plain(value)
        try:
            array = numpy.asarray(plain)
        except (ValueError, OverflowError) as error:
            raise TypeError(
                f"For 'Tensor', 'input_data' must be numbers nested in lists of equal length, but "
                f"got {value!r}: {error}."
            ) from None
    elif isinstance(value, (bool, int, float, complex)):
        array = numpy.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = dlpack.from_capsule(value).copy()
    else:
        raise TypeError(
            "For 'Tensor', 'input_data' must be a Tensor, number, NumPy array, or a list or tuple "
            f"of numbers, but got {value!r} of type {type(value).__name__}."
        )
    if array.dtype == object or array.dtype.kind in "US":
        raise TypeError(f"For 'Tensor', 'input_data' must hold numbers only, but got {value!r}.")
    return array.astype(numpy.float32) if array.dtype == numpy.float64 and dtype is None else array


def _plain(value):
    """Replaces every Tensor in a nested list by its values."""
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value.asnumpy() if isinstance(value, Tensor) else value


class Tensor:
    """An n-dimensional array of numbers on the current device.

    Args:
        input_data (Union[Tensor, float, int, bool, complex, tuple, list, numpy.ndarray]): the
            values. Python floats become float32 and ints become int64. An array keeps its dtype
            and is copied; a Tensor shares its memory.
        dtype (mindspore.dtype): the dtype; by default the dtype of `input_data`.
        shape (Union[tuple, list, int]): the shape, together with `init` instead of `input_data`.
            None or a Symbol in it is an unknown length. Such a Tensor has no values and describes
            an input (`Cell.set_inputs`), and so does a Tensor with only a dtype.
        init (Initializer): fills a Tensor of `shape` and `dtype` when `init_data` is called.
        const_arg (bool): accepted for graph mode, where it marks a constant.
        device (str): the location of the values: None, or "CPU..." for host memory.

    Raises:
        TypeError: if `input_data` has the wrong type, or `dtype` is not a MindSpore dtype.
        ValueError: if `input_data` is given together with `init`, or neither with `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.Tensor([[1, 2], [3, 4]], ms.float32))
        [[1. 2.]
         [3. 4.]]

    Source: mindspore.Tensor of MindSpore 2.10.
    """

    _node = None
    _hooks = None  # functions of its gradient (`register_hook`), by handle

    def __init__(
        self, input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None
    ):
        if dtype is not None and not isinstance(dtype, dtypes.Type):
            raise TypeError(
                f"For 'Tensor', 'dtype' must be a mindspore dtype, but got {dtype!r} of type "
                f"{type(dtype).__name__}."
            )
        if not isinstance(const_arg, bool):
            raise TypeError(f"For 'Tensor', 'const_arg' must be a bool, but got {const_arg!r}.")
        if device is not None and not (isinstance(device, str) and device.startswith("CPU")):
            error = ValueError if is_hashable(device) else TypeError  # MindSpore looks it up
            raise error(f"For 'Tensor', 'device' must be None or 'CPU', but got {device!r}.")
        if const_arg:
            self.const_arg = const_arg
        if input_data is None and (shape is not None or dtype is not None and init is None):
            self._from_shape(shape, dtype, init)
            return
        if init is not None or shape is not None:
            raise ValueError(
                "For 'Tensor', 'init' and 'shape' must be given together and without 'input_data'."
            )
        numpy_dtype = None if dtype is None else dtypes.to_numpy(dtype)
        array = as_array(input_data, numpy_dtype)
        if isinstance(input_data, Tensor):
            self._node = input_data._node
        self._array = arrays.to_host(array) if device else array

    def _from_shape(self, shape, dtype, init):
        if dtype is None:
            raise ValueError("For 'Tensor', 'dtype' must be given with 'shape'.")
        if self._has_unknown_length(shape, dtype, init):
            return
        if not isinstance(shape, (int, tuple, list)):
            raise TypeError(
                f"For 'Tensor', 'shape' must be an int, a tuple or a list, but got "
                f"{shape!r} of type {type(shape).__name__}."
            )
        shape = (int(shape),) if isinstance(shape, int) else tuple(int(n) for n in shape)
        if init is not None and type(self) is Tensor:
            self.__class__ = _Undrawn
            self._like = numpy.broadcast_to(numpy.zeros((), dtypes.to_numpy(dtype)), shape)
        else:
            self._array = arrays.current_space().zeros(shape, dtypes.to_numpy(dtype))
        self.init = init

    @staticmethod
    def _wrap(array):
        """Wraps `array` in a Tensor, without check or copy."""
        tensor = _new(Tensor)
        tensor._array = array
        return tensor

    @staticmethod
    def _of_rows(rows):
        """Wraps a RowSparse gradient, whose rows are summed, or a MarkedRows in a Tensor."""
        tensor = _new(_RowSparseTensor)
        tensor._rows = rows
        return tensor

    @staticmethod
    def _make_subclass(cls, local_tensor, **attributes):
        """Returns an instance of a subclass of Tensor that shares the memory of a Tensor, without a
        call of the `__init__` of the subclass.

        Args:
            cls (type): the subclass.
            local_tensor (Tensor): the Tensor.
            **attributes: attributes to set, such as `requires_grad`.

        Raises:
            TypeError: if `cls` is not a subclass of Tensor, or `local_tensor` no Tensor.
        """
        if not (isinstance(cls, type) and issubclass(cls, Tensor)):
            raise TypeError(
                f"For 'Tensor._make_subclass', 'cls' must be a subclass of Tensor, but got {cls!r}."
            )
        if not isinstance(local_tensor, Tensor):
            raise TypeError(
                f"For 'Tensor._make_subclass', 'local_tensor' must be a Tensor, but got "
                f"{local_tensor!r} of type {type(local_tensor).__name__}."
            )
        result = cls.__new__(cls)
        Tensor.__init__(result, local_tensor)
        for name, value in attributes.items():
            setattr(result, name, value)
        return result

    # MindSpore's names in its compiled base class
    def _item(self):
        return self.item()

    def _tolist(self):
        return self.tolist()

    # Attributes that a Tensor has by default
    const_arg = False
    init = None
    param_info = None

    @property
    def shape(self):
        """The lengths of the axes, a tuple of ints."""
        return self._array.shape

    @property
    def dtype(self):
        """The MindSpore dtype of the elements."""
        return dtypes.from_numpy(self._array.dtype)

    @property
    def ndim(self):
        """The number of axes."""
        return self._array.ndim

    @property
    def size(self):
        """The number of elements."""
        return self._array.size

    @property
    def itemsize(self):
        """The bytes of one element."""
        return self._array.itemsize

    @property
    def nbytes(self):
        """The bytes of all elements."""
        return self._array.nbytes

    @property
    def strides(self):
        """The bytes to step along each axis."""
        return self._array.strides

    @property
    def has_init(self):
        """True until `init_data` fills in the values."""
        return self.init is not None

    @property
    def device(self):
        """The device that holds the values: "CPU" or "GPU:0"."""
        return f"GPU:{self._array.device.id}" if arrays.on_device(self._array) else "CPU"

    # Conversion

    def asnumpy(self):
        """Returns the values as a NumPy array; on the CPU it shares the Tensor's memory."""
        if self.init is not None:
            self.init_data()
        return dtypes.as_longlong(arrays.to_host(self._array))

    def numpy(self):
        """Returns the values as a NumPy array, like `asnumpy`."""
        return self.asnumpy()

    def __array__(self, dtype=None, copy=None):
        values = self.asnumpy()
        if dtype is not None and values.dtype != dtype:
            return values.astype(dtype)
        return values.copy() if copy else values

    def __dlpack__(self, **options):
        """Exports the memory of the Tensor to another library: `torch.from_dlpack(x)`."""
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        """Returns the device that holds the memory, as DLPack's (kind, number)."""
        return self._array.__dlpack_device__()

    def item(self):
        """Returns the only element as a Python number; a ValueError for several elements."""
        if self._array.size != 1:
            raise ValueError(
                f"For 'Tensor.item', the Tensor must have one element, but got {self._array.size}."
            )
        return arrays.to_host(self._array).item()

    def tolist(self):
        """Returns the values as nested Python lists (a number for 0 axes)."""
        return self.asnumpy().tolist()

    def init_data(self, slice_index=None, shape=None, opt_shard_group=None):
        """Fills in place a Tensor created with `init`, and returns it.

        Raises:
            TypeError: if the Tensor has no `init`, or `slice_index` is not an int.
            ValueError: if `slice_index` is negative.
        """
        if slice_index is not None and not isinstance(slice_index, int):
            raise TypeError(
                f"For 'Tensor.init_data', 'slice_index' must be an int, but got {slice_index!r}."
            )
        if slice_index is not None and slice_index < 0:
            raise ValueError(
                f"For 'Tensor.init_data', 'slice_index' must be at least 0, but got {slice_index}."
            )
        if self.init is None:
            raise TypeError("For 'Tensor.init_data', the Tensor must have been made with 'init'.")
        host = numpy.zeros(
            self.shape if shape is None else tuple(shape), dtypes.to_numpy(self.dtype)
        )
        self._array = arrays.to_current(_fill(self.init, host))
        self.init = None
        return self

    @staticmethod
    def from_numpy(array):
        """Returns a Tensor that shares the memory of a NumPy array on the CPU. An array of another
        byte order is copied.

        Raises:
            TypeError: if `array` is not a NumPy array.
        """
        if not isinstance(array, numpy.ndarray):
            raise TypeError(
                f"For 'Tensor.from_numpy', 'array' must be a numpy.ndarray, but got "
                f"{type(array).__name__}."
            )
        array = dtypes.as_int64(array.astype(array.dtype.newbyteorder("="), copy=False))
        dtypes.from_numpy(array.dtype)
        whole = numpy.ascontiguousarray(array) if array.ndim else array
        return Tensor._wrap(arrays.to_current(whole))

    # A statement such as `x += y` makes a new Tensor, and these are its methods.
    def __iadd__(self, other):
        return self + other

    def __isub__(self, other):
        return self - other

    def __imul__(self, other):
        return self * other

    def __itruediv__(self, other):
        return self / other

    def __ifloordiv__(self, other):
        return self // other

    def __imod__(self, other):
        return self % other

    def __len__(self):
        if self._array.ndim == 0:
            raise TypeError("Not support len of a 0-D tensor.")
        return self._array.shape[0]

    def __bool__(self):
        self._only_one("bool")
        return bool(self._array)

    def __int__(self):
        self._only_one("int")
        return int(self.item())

    def __float__(self):
        self._only_one("float")
        return float(self.item())

    def __complex__(self):
        self._only_one("complex")
        return complex(self.item())

    def __index__(self):
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise ValueError(
                "For 'Tensor.__index__', only an integer Tensor of one element is an index, but "
                "got shape "
                f"{self.shape} and dtype {self.dtype}."
            )
        return int(self.item())

    def _only_one(self, what):
        if self._array.size != 1:
            raise ValueError(
                f"For 'Tensor', only a Tensor of one element can be converted to {what}, but got "
                f"shape {self.shape}."
            )

    def __iter__(self):
        if self._array.ndim == 0:
            raise TypeError(
                "For 'Tensor', iteration needs at least one axis, but got a 0-d Tensor."
            )
        return (self[i] for i in range(self._array.shape[0]))

    def __contains__(self, value):
        if isinstance(value, (tuple, list)):  # its elements are numbers
            return False
        try:
            value = as_array(value)
        except TypeError:  # no Tensor holds it
            return False
        return bool((self._array == value).any())

    __hash__ = object.__hash__

    def __repr__(self):
        if self.init is not None:
            self.init_data()
        return printing.tensor_repr(self.asnumpy())

    def __str__(self):
        return printing.tensor_str(self.asnumpy())

    _repr_html_ = tensor_view

    def __format__(self, spec):
        if spec and self._array.ndim:
            raise TypeError(
                f"For 'Tensor', only a 0-d Tensor takes a format such as {spec!r}, but "
                f"got shape {self.shape}."
            )
        return format(self.item(), spec) if spec else str(self)

    def __copy__(self):
        duplicate = type(self).__new__(type(self))
        duplicate.__dict__.update(self.__dict__)
        for link in ("_chosen_from", "_item_of", "_view_of"):
            duplicate.__dict__.pop(link, None)
        duplicate._array = self._array.copy()
        return duplicate

    def __deepcopy__(self, memo):
        duplicate = self.__copy__()
        duplicate._node = None
        memo[id(self)] = duplicate
        return duplicate

    def __reduce__(self):
        array = self._array
        stays = type(array) is numpy.ndarray and arrays.current_space() is not arrays.HOST
        return _unpickled, (type(self), self.asnumpy(), stays)


class _Undrawn(Tensor):
    """A Tensor created with `init` whose values are not drawn yet. The first use of its values
    draws them and turns it into an ordinary Tensor. Reading the shape or the dtype draws nothing,
    because the time of drawing determines the random numbers.
    """

    shape = property(lambda self: self._like.shape)
    dtype = property(lambda self: dtypes.from_numpy(self._like.dtype))
    ndim = property(lambda self: self._like.ndim)
    size = property(lambda self: self._like.size)
    itemsize = property(lambda self: self._like.itemsize)
    nbytes = property(lambda self: self._like.nbytes)

    def __getattr__(self, name):
        if name == "_array":
            return self.init_data()._array
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")

    def init_data(self, slice_index=None, shape=None, opt_shard_group=None):
        super().init_data(slice_index, shape, opt_shard_group)
        self.__class__ = Tensor
        del self._like
        return self

    def __str__(self):
        return printing.undrawn_str(self._like)

    def __repr__(self):  # prints zeros: the memory has not been filled
        return printing.tensor_repr(numpy.zeros_like(self._like, subok=False))

    def __copy__(self):
        return Tensor(None, self.dtype, self.shape, self.init)

    def __reduce__(self):
        return self.init_data().__reduce__()


_Undrawn.__name__ = _Undrawn.__qualname__ = "Tensor"


class _RowSparseTensor(Tensor):
    """A gradient of which only some rows are stored; the others are zeros. A product with a number
    stores the same rows; any other use of its values turns it into an ordinary Tensor.

    Attributes:
        _rows (RowSparse): the rows, in ascending order, each once; on a GPU a MarkedRows, which has
            rows of zeros, too.
    """

    shape = property(lambda self: self._rows.shape)
    dtype = property(lambda self: dtypes.from_numpy(self._rows.dtype))
    ndim = property(lambda self: self._rows.ndim)
    size = property(lambda self: math.prod(self._rows.shape))
    itemsize = property(lambda self: self._rows.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)

    def __getattr__(self, name):
        if name == "_array":
            self.__class__ = Tensor
            self._array = self.__dict__.pop("_rows").whole()
            return self._array
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")

    @property
    def _row_values(self):
        """The stored rows as a Tensor."""
        return Tensor._wrap(self._rows.values)

    def _with_row_values(self, values):
        """Returns a gradient with the same rows and the values of another Tensor."""
        return Tensor._of_rows(self._rows.with_values(values._array))

    def __mul__(self, other):
        if _is_number(other):
            return map_stored(lambda rows: rows * other, self)
        return super().__mul__(other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if _is_number(other):
            return map_stored(lambda rows: rows / other, self)
        return super().__truediv__(other)

    def __reduce__(self):
        self._array  # noqa: B018 - it becomes an ordinary Tensor
        return self.__reduce__()

    def __copy__(self):
        return Tensor._of_rows(self._rows)


_RowSparseTensor.__name__ = _RowSparseTensor.__qualname__ = "Tensor"
_RowSparseTensor.__module__ = Tensor.__module__


def stored(tensor):
    """Returns the Tensor itself; for a gradient with only some rows stored, returns these rows as a
    Tensor."""
    return tensor._row_values if type(tensor) is _RowSparseTensor else tensor


def map_stored(function, tensor):
    """Returns `function(tensor)`, for an elementwise function that maps 0 to 0. If `tensor` is a
    gradient with only some rows stored, the function is applied to these rows."""
    if type(tensor) is _RowSparseTensor:
        return tensor._with_row_values(function(tensor._row_values))
    return function(tensor)


def _is_number(value):
    """Returns True for a real Python number and for a 0-d Tensor."""
    return isinstance(value, (int, float)) or isinstance(value, Tensor) and value.shape == ()


def _fill(init, host):
    """Fills the NumPy array `host` by an initializer, and returns the array."""
    init(host)
    return host


def _unpickled(cls, values, stays=False):
    """Returns a Tensor of the pickled values on the current device. With `stays` it remains on the
    host, as the step count of an optimizer does."""
    tensor = _new(cls)
    tensor._array = values if stays else arrays.to_current(values)
    return tensor


Tensor.__module__ = "mindspore_compat.common.tensor"
register_type("Tensor", Tensor)
