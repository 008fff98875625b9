"""Exchange of arrays with other libraries and files: DLPack capsules, pinned and mapped memory."""

import numpy

from . import arrays


class _Capsule:
    """A bare capsule with the methods that `from_dlpack` of an array library needs."""

    def __init__(self, capsule, device):
        self.capsule = capsule
        self.device = device

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


_HOST, _GPU = (1, 0), (2, 0)  # DLPack's numbers for devices


def to_capsule(array):
    """Returns a DLPack capsule on the memory of an array; another library may consume it once.

    Raises:
        TypeError: if DLPack has no name for the dtype.
    """
    try:
        return array.__dlpack__()
    except BufferError as error:
        raise TypeError(
            f"For 'to_dlpack', the dtype must be one that DLPack knows, but got "
            f"{array.dtype}: {error}."
        ) from None


def from_capsule(source):
    """Returns an array on the memory of a DLPack capsule, or of an object with `__dlpack__`.

    Raises:
        RuntimeError: if it is neither, or a capsule that was consumed before.
    """
    if hasattr(source, "__dlpack__"):
        on_host = source.__dlpack_device__()[0] == _HOST[0]
        return _import(arrays.HOST if on_host else arrays.current_space(), source)
    if type(source).__name__ != "PyCapsule" or "used_dltensor" in repr(source):
        raise RuntimeError(
            f"For 'from_dlpack', 'dlpack' must be a capsule that was not taken "
            f"before, but got {source!r} of type {type(source).__name__}."
        )
    space = arrays.current_space()
    if space is not arrays.HOST:
        try:
            return _import(space, _Capsule(source, _GPU))
        except RuntimeError:  # a capsule does not name its device, so the host is tried next
            pass
    array = _import(arrays.HOST, _Capsule(source, _HOST))
    return array if array.flags.writeable else numpy.asarray(_Writable(array))


class _Writable:
    """An object that exports the memory of an array as writable. A bare capsule has no read-only
    flag, and NumPy would assume that its memory is read-only."""

    def __init__(self, array):
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}
        self.owner = array


def _import(space, source):
    try:
        return space.module.from_dlpack(source)
    except (BufferError, TypeError, ValueError) as error:
        raise RuntimeError(
            f"For 'from_dlpack', 'dlpack' must be a capsule of a dtype and device "
            f"known here, but got one that is not: {error}."
        ) from error


def pinned(array):
    """Returns a copy of an array in pinned (page-locked) host memory, which the GPU reads directly.

    Raises:
        RuntimeError: if no GPU is in use.
    """
    if not arrays.gpu_available():
        raise RuntimeError(
            "For 'Tensor.pin_memory', a GPU must be present: memory is pinned for it."
        )
    cuda = arrays._device_space().module.cuda
    memory = cuda.alloc_pinned_memory(max(array.nbytes, 1))
    copy = numpy.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
    copy[...] = arrays.to_host(array)
    return copy


def filed(array, path):
    """Writes the array's bytes to a file, and returns an array mapped to the file.

    Raises:
        RuntimeError: if the file cannot be written.
    """
    host = numpy.ascontiguousarray(arrays.to_host(array)).reshape(array.shape)
    try:
        host.tofile(path)
        if not host.size:
            return host
        return numpy.memmap(path, host.dtype, "r+", shape=host.shape).view(numpy.ndarray)
    except OSError as error:
        raise RuntimeError(
            f"For 'Tensor.offload', 'file_path' must be a file that can be written, "
            f"but got {path!r}: {error}."
        ) from error
