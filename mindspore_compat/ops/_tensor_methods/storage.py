"""Methods of Tensor for its memory: storage, strides, devices, files, and exchange with other
libraries.
"""

import math

from ..._backend import arrays
from ..._backend import dlpack as exchange
from ..._core.declare.op import space_for
from ..._core.declare.overloads import form
from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import AsValue, Bool, DType, InstanceOf, Int, Str, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor, as_array
from ..._core.without_effect import without_effect
from ...common.storage import UntypedStorage
from .._rules import Anything, Ints
from .._shape.reshape import shape_of

_Source = InstanceOf(UntypedStorage).called("a Tensor or an UntypedStorage")
_Dim = InstanceOf(int)
_BytesData = InstanceOf(bytes)

# Storage ------------------------------------------------------------------------------------------


@public("Tensor.storage", "Tensor.untyped_storage")
def storage(self):
    """Returns the memory behind the Tensor, shared with its views.

    Returns:
        UntypedStorage.

    Source: mindspore.Tensor.storage of MindSpore 2.10.
    """
    return UntypedStorage._of(self._array)


@form("Tensor.set_")
def set_empty(self):
    """Makes the Tensor share the memory of `source`, a Tensor of its dtype or the storage of one,
    with the layout of `source` or with a given offset, size and strides; without `source`, the
    Tensor becomes empty.

    Raises:
        RuntimeError: if `source` has another dtype, or `size`, `stride` and `storage_offset` exceed
            its memory.

    Source: mindspore.Tensor.set_ of MindSpore 2.10.
    """
    self._array = space_for(self._array).empty((0,), self._array.dtype)
    self._node = None
    return self


@form("Tensor.set_")
def set_to_tensor(self, source: Anything):
    """Shares the memory, shape and strides of a Tensor."""
    _same_dtype(self, source._array.dtype)
    self._array, self._node = source._array, source._node
    return self


@form("Tensor.set_")
def set_within_tensor(self, source: Anything, storage_offset: Int, size: Ints, stride: Ints = None):
    """Makes this Tensor a view of the memory of a contiguous Tensor, from an offset on. Without
    strides, its elements are contiguous. All numbers count elements.
    """
    _same_dtype(self, source._array.dtype)
    if not source.is_contiguous():
        raise RuntimeError(
            "For 'Tensor.set_', 'source' must be contiguous where a size is given, "
            f"but got strides {source.stride()} for shape {source.shape}."
        )
    return _set(self, UntypedStorage._of(source._array), storage_offset, size, stride)


@form("Tensor.set_")
def set_to_storage(self, source):
    """Shares a storage, as a Tensor with one axis."""
    store = _storage(source)
    _same_dtype(self, store._dtype)
    return _set(self, store, 0, (len(store) // self._array.itemsize,), None)


@form("Tensor.set_")
def set_within_storage(self, source, storage_offset: Int, size: Ints, stride: Ints = None):
    """Shares a storage from an offset on."""
    store = _storage(source)
    _same_dtype(self, store._dtype)
    return _set(self, store, storage_offset, size, stride)


def _storage(source):
    if not isinstance(source, UntypedStorage):
        _Source.refuse("Tensor.set_", "source", source)
    return source


def _same_dtype(self, dtype):
    if dtype != self._array.dtype:
        raise RuntimeError(
            f"For 'Tensor.set_', 'source' must have the dtype {self._array.dtype}, but got {dtype}."
        )


def _set(self, store, offset, size, stride):
    """Makes the Tensor a view of a part of a storage."""
    if stride is None:
        stride = [math.prod(size[i + 1 :]) for i in range(len(size))]
    if offset < 0 or min(size, default=0) < 0 or min(stride, default=0) < 0:
        raise RuntimeError(
            f"For 'Tensor.set_', 'storage_offset', 'size' and 'stride' must not be "
            f"negative, but got {offset}, {size} and {stride}."
        )
    if len(size) != len(stride) or len(size) > 8:
        raise RuntimeError(
            f"For 'Tensor.set_', 'size' and 'stride' must have one length of at "
            f"most 8, but got {size} and {stride}."
        )
    flat = store._flat(self._array.dtype)
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if math.prod(size) and last >= flat.size:
        raise RuntimeError(
            f"For 'Tensor.set_', the elements must lie in the {flat.size} of the "
            f"storage, but got the index {last}."
        )
    steps = tuple(s * flat.itemsize for s in stride)
    lib = space_for(flat).module.lib.stride_tricks
    self._array, self._node = lib.as_strided(flat[offset:], tuple(size), steps), None
    return self


@public("Tensor.stride")
def stride(self, dim=None):
    """Returns the list of the distances of successive elements along each axis, in elements. Given
    `dim`, returns the distance along `dim`.

    Raises:
        TypeError: if `dim` is not an int.
        IndexError: if the Tensor has no such axis.

    Source: mindspore.Tensor.stride of MindSpore 2.10.
    """
    steps = [s // self._array.itemsize for s in self._array.strides]
    if dim is None:
        return steps
    if not isinstance(dim, int):
        _Dim.refuse("Tensor.stride", "dim", dim)
    if not -self.ndim <= dim < self.ndim:
        raise IndexError(
            f"For 'Tensor.stride', 'dim' must be in [{-self.ndim}, {self.ndim}), but got {dim}."
        )
    return steps[dim]


# Devices ------------------------------------------------------------------------------------------


@public("Tensor.delete_")
@checked
def delete_(input: Anything, non_blocking: AsValue(Bool) = False):
    """Frees the Tensor's memory and returns the Tensor, which keeps its shape and reads as zeros.

    Args:
        non_blocking (bool): accepted, without effect; memory is freed once nothing else uses it.

    Source: mindspore.Tensor.delete_ of MindSpore 2.10.
    """
    xp = space_for(input._array)
    zero = xp.zeros((), input._array.dtype)
    input._array, input._node = xp.broadcast_to(zero, input.shape), None
    return input


@public("Tensor.data_sync")
@without_effect("Tensor.data_sync(wait)", "it always waits")
def data_sync(self, wait=False):
    """Waits until the GPU has computed the Tensor; on a CPU it returns at once.

    Args:
        wait (bool): without effect; the call always waits.
    """
    arrays.synchronize()


@public("Tensor.flush_from_cache")
@without_effect("Tensor.flush_from_cache", "Tensors lie in no cache")
def flush_from_cache(self):
    """Writes cached values of the Tensor back to it; has no effect, because Tensors are not cached
    here.

    Source: mindspore.Tensor.flush_from_cache of MindSpore 2.10.
    """


@public("Tensor.pin_memory")
def pin_memory(self):
    """Returns a copy in pinned host memory, which the GPU can read directly.

    Raises:
        RuntimeError: if there is no GPU.

    Source: mindspore.Tensor.pin_memory of MindSpore 2.10.
    """
    result = Tensor._wrap(exchange.pinned(self._array))
    result._pinned = True
    return result


@public("Tensor.is_pinned")
def is_pinned(self):
    """Returns True if the Tensor is a result of `pin_memory`."""
    return self.__dict__.get("_pinned", False)


def _static(path):
    """Returns a decorator that makes a function public under `path` as a static method, which
    receives no Tensor as `self`."""

    def give(function):
        public(path)(staticmethod(function))
        return function

    return give


# Files and bytes ----------------------------------------------------------------------------------


@public("Tensor.offload")
@checked
def offload(input: Anything, file_path: Str):
    """Moves the values to a file, from which they are read when needed, and frees the memory.

    Args:
        file_path (str): the file; its folder must exist.

    Returns:
        bool, True.

    Raises:
        TypeError: if `file_path` is not a str.
        RuntimeError: if the file cannot be written.

    Source: mindspore.Tensor.offload of MindSpore 2.10.
    """
    input._array = exchange.filed(input._array, file_path)
    input._file_path = file_path
    return True


@public("Tensor.offload_file_path")
def offload_file_path(self):
    """Returns the file that `offload` wrote, or an empty string."""
    return self.__dict__.get("_file_path", "")


@_static("Tensor.convert_bytes_to_tensor")
def convert_bytes_to_tensor(bytes_data, shape, dtype):
    """Creates a Tensor from the bytes that `Tensor.get_bytes` returned.

    Args:
        bytes_data (bytes): the elements in row-major order.
        shape (tuple[int]): the shape.
        dtype (mindspore.dtype): the dtype.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the number of bytes does not fit the shape.

    Source: mindspore.Tensor.convert_bytes_to_tensor of MindSpore 2.10.
    """
    if not isinstance(bytes_data, bytes):
        _BytesData.refuse("Tensor.convert_bytes_to_tensor", "bytes_data", bytes_data)
    shape = shape_of("Tensor.convert_bytes_to_tensor", (shape,))
    if not isinstance(dtype, dtypes.Type):
        DType.refuse("Tensor.convert_bytes_to_tensor", "dtype", dtype)
    target = dtypes.to_numpy(dtype)
    count = math.prod(shape) * target.itemsize
    if len(bytes_data) != count:
        raise ValueError(
            f"For 'Tensor.convert_bytes_to_tensor', 'bytes_data' must have {count} "
            f"bytes for shape {shape}, but got {len(bytes_data)}."
        )
    flat = dtypes.np.frombuffer(bytes_data, target).reshape(shape)
    return Tensor._wrap(as_array(flat))


# Other libraries ----------------------------------------------------------------------------------


@public("utils.dlpack.to_dlpack", "Tensor.to_dlpack")
@checked
def to_dlpack(tensor: Anything):
    """Returns a DLPack capsule, with which another library can share the memory of a Tensor; it can
    be consumed once.

    Args:
        tensor (Tensor): a Tensor of a dtype that DLPack has.

    Returns:
        PyCapsule.

    Raises:
        TypeError: if `tensor` is not a Tensor, or DLPack does not have its dtype.

    Example:
        >>> capsule = ms.Tensor([1.0, 2.0]).to_dlpack()
        >>> print(ms.from_dlpack(capsule))
        [1. 2.]

    Source: mindspore.utils.to_dlpack of MindSpore 2.10.
    """
    return exchange.to_capsule(tensor._array)


@public("utils.dlpack.from_dlpack")
@_static("Tensor.from_dlpack")
def from_dlpack(dlpack):
    """Creates a Tensor that shares the memory of a DLPack capsule.

    Args:
        dlpack (PyCapsule): the result of `to_dlpack`, here or in another library; or an object with
            `__dlpack__`, such as an array of another library.

    Returns:
        Tensor of the shape and dtype of the capsule; changes of either show in the other.

    Raises:
        RuntimeError: if `dlpack` is neither, has been consumed, or holds a dtype that no Tensor
            has.

    Example:
        >>> print(ms.from_dlpack(np.array([1.0, 2.0])))
        [1. 2.]

    Source: mindspore.utils.from_dlpack of MindSpore 2.10.
    """
    array = exchange.from_capsule(dlpack)
    dtypes.from_numpy(array.dtype)
    return Tensor._wrap(array)


# Windows over images, implemented by the ops of the same names


@public("Tensor.fold")
def fold(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Sums columns into images (col2im); see `ops.fold`."""
    return build("ops", "fold")(self, output_size, kernel_size, dilation, padding, stride)


@public("Tensor.unfold")
def unfold(self, kernel_size, dilation=1, padding=0, stride=1):
    """Extracts the windows of images, one column per window (im2col); see `ops.unfold`."""
    return build("ops", "unfold")(self, kernel_size, dilation, padding, stride)


Tensor.is_meta = property(lambda self: False, doc="False: a Tensor always holds values.")


@public("Tensor.is_shared")
def is_shared(self):
    """Returns False, because no other process shares the memory."""
    return False
