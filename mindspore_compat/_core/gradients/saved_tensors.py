"""saved_tensors_hooks: user functions that pack saved Tensors and unpack them when needed.

The rule of each operation (autograd/tape.py) determines the saved Tensors and their order: an
elementwise product saves the other factor of each gradient, `exp` saves its result. The packing
itself is in `tape.Packed`.
"""

import functools

from ..._backend.arrays import SPACES, to_space
from ..._core.rules.vocabulary import InstanceOf
from ..autograd.tape import depth, leaf
from ..declare.public_api import public
from ..tensor.tensor import Tensor
from .transforms import unrecorded

_ATensor = InstanceOf(Tensor)

__all__ = ["register_saved_tensors_hooks", "saved_tensors_hooks"]


@public("saved_tensors_hooks")
class saved_tensors_hooks:
    """A context manager that packs the Tensors saved for gradients, and unpacks them when needed.

    Of nested contexts, the innermost applies. Without differentiation, nothing is packed. Use it to
    move saved values elsewhere, or to store them in fewer bits.

    Args:
        pack_hook (Callable): maps a saved Tensor to the object that is stored instead. In-place
            changes that the hook makes to the Tensor do not affect the original.
        unpack_hook (Callable): maps the stored object to the Tensor, when the gradient is computed.

    Raises:
        TypeError: on entry, if a hook is not callable; later, if `unpack_hook` does not return a
            Tensor.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import Tensor
        >>> def product(x, y):
        ...     with ms.saved_tensors_hooks(lambda saved: saved.asnumpy(), Tensor):
        ...         return x * y
        >>> print(ms.grad(product)(Tensor([2.0]), Tensor([3.0])))
        [3.]

    Source: mindspore.saved_tensors_hooks of MindSpore 2.10.
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook
        self._outer = []

    def __enter__(self):
        for name in ("pack_hook", "unpack_hook"):
            if not callable(getattr(self, name)):
                raise TypeError(
                    f"For 'saved_tensors_hooks', '{name}' must be callable, but got "
                    f"{getattr(self, name)!r}."
                )
        self._outer.append(depth.packing)
        depth.packing = (self._pack, self._unpack)

    def __exit__(self, *error):
        depth.packing = self._outer.pop()

    def _pack(self, array):
        """Packs an array by the hook; in-place changes go to a copy."""
        tensor = Tensor._wrap(array)
        tensor._node = leaf(None, array.shape, array.dtype)
        with unrecorded():
            packed = self.pack_hook(tensor)
        tensor._node = None
        return SPACES.get(type(array)), packed

    def _unpack(self, saved):
        space, packed = saved
        with unrecorded():
            tensor = self.unpack_hook(packed)
        if not isinstance(tensor, Tensor):
            _ATensor.refuse_part("saved_tensors_hooks", "'unpack_hook'", tensor, verb="return")
        return tensor._array if space is None else to_space(space, tensor._array)


@public("register_saved_tensors_hooks")
def register_saved_tensors_hooks(pack_hook, unpack_hook):
    """Returns a decorator: the function runs within `saved_tensors_hooks(pack_hook, unpack_hook)`.

    MindSpore applies it in graph mode only; here both modes behave alike.

    Args:
        pack_hook (Callable): as in `saved_tensors_hooks`.
        unpack_hook (Callable): as in `saved_tensors_hooks`.

    Raises:
        TypeError: when the function is called, as in `saved_tensors_hooks`.

    Example:
        >>> import mindspore_compat as ms
        >>> packed = []
        >>> @ms.register_saved_tensors_hooks(lambda x: packed.append(x) or x, lambda x: x)
        ... def cubed(x):
        ...     return x * x * x
        >>> print(ms.grad(cubed)(ms.Tensor(2.0)), len(packed) > 0)
        12.0 True

    Source: mindspore.register_saved_tensors_hooks of MindSpore 2.10.
    """

    def decorate(function):
        @functools.wraps(function)
        def run(*args, **kwargs):
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return function(*args, **kwargs)

        return run

    return decorate
