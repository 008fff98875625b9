"""Base classes of transforms: calls, random numbers, blocks of rows and composition.

A transform is an object that takes one array (or PIL image) per column and returns one, or a tuple
of them. It is used in `map`, or called directly. Several pipelines may use the same object: random
transforms are copied when a pipeline is opened, and each copy has its own stream of random numbers.
A seed thus repeats a pipeline's augmentations, independent of other draws and of the number of
workers.

A transform that has `blockwise = True` defines `_array(self, x, lead)`, where `lead` is the number
of leading axes that count rows: 0 for one row, 1 for a block of them.

An image transform whose `_by_value` is True computes each value from the old value and its channel,
the last axis; for bytes, it is equivalent to a table of 256 values.
"""

import sys
import types

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import InstanceOf, OneOf
from ..._core.tensor.tensor import Tensor
from ..._core.without_effect import without_effect
from ..core.py_util_helpers import Implementation
from ..engine.config import next_seed
from ..engine.rows import FAILURES, as_column
from ..engine.twister import Twister

__all__ = ["CompoundOperation", "ImageTensorOperation", "PyTensorOperation", "TensorOperation"]


class TensorOperation:
    """Base class of all transforms."""

    blockwise = False
    _by_value = False
    device_target = "CPU"
    implementation = Implementation.C  # PY: MindSpore implements it only in Python
    output_type = None  # of the values, if the transform is to cast them
    _takes_one = False  # whether Python counts the inputs, as where MindSpore's call names one

    def __init_subclass__(cls):
        super().__init_subclass__()
        if "__call__" in vars(cls) and "_run" not in vars(cls):
            cls._run = cls.__call__  # pipelines, too, use the call that a subclass defines

    def __call__(self, *inputs):
        self._check_count(inputs)
        values = [self._as_input(value) for value in inputs]
        if self.implementation is Implementation.PY:
            return self._apply(*values)
        self._need_elements(values)
        return _without_views(self._apply(*values), values)

    def _check_count(self, inputs):
        """Refuses a call outside a pipeline without inputs.

        Raises:
            TypeError: if the call takes one input, and has another number of them.
            RuntimeError: if there is no input.
        """
        api = type(self).__name__
        if len(inputs) != 1 and (self._takes_one or self.implementation is Implementation.PY):
            raise TypeError(f"For '{api}', there must be one input, but got {len(inputs)}.")
        if not inputs:
            raise RuntimeError(f"For '{api}', there must be an input.")

    def _need_elements(self, values):
        """Raises RuntimeError for an input of a direct call without elements."""
        for value in values:
            if isinstance(value, np.ndarray) and not value.size:
                raise RuntimeError(
                    f"For '{type(self).__name__}', an input must have elements, but got shape "
                    f"{value.shape}."
                )

    def _run(self, *inputs):
        """Transforms the inputs; pipelines call it without the checks of a direct call."""
        return self._apply(*[self._as_input(value) for value in inputs])

    def _as_input(self, value):
        """Returns an input in the form that `_apply` takes: an array, unless it is a PIL image.

        Raises:
            TypeError: if it is not an array of numbers, bools or text.
            ValueError: if it consists of lists of unequal lengths.
        """
        if is_pil(value):
            return value
        if not isinstance(value, (np.ndarray, Tensor, dict, set)):
            value = np.array(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufSU":
            return value
        if isinstance(value, Tensor):
            return as_column(value)
        raise TypeError(
            f"For '{type(self).__name__}', an input must hold numbers, bools or text, but got "
            f"{value!r} of type {type(value).__name__}."
        )

    def _apply(self, *inputs):
        """Returns the transformed inputs; a subclass defines this or `_array`."""
        if len(inputs) != 1:
            raise RuntimeError(
                f"For '{type(self).__name__}', there must be one input, but got {len(inputs)}."
            )
        return self._array(inputs[0], 0)

    def _fuse(self, before):
        """Returns a function that applies some transforms and this one in a single pass, or None.

        Args:
            before (list[TensorOperation]): transforms whose `_by_value` is True.

        Returns:
            Callable, or None. It takes the inputs of the first and returns the result of this one,
            or None for inputs that need the transforms one after the other.
        """
        return None

    @property
    def _random(self):
        """The transform's stream of random numbers."""
        if "_stream" not in self.__dict__:
            seed = self.__dict__.get("_seed")
            self._stream = Twister(next_seed() if seed is None else seed)
        return self._stream

    def _copy_with_seed(self, seed):
        """Returns a copy with its own stream of random numbers."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), _seed=seed)
        vars(copy).pop("_stream", None)  # made with the first number, as most transforms draw none
        return copy

    def __getstate__(self):
        return {
            key: value for key, value in self.__dict__.items() if key not in ("_stream", "_seed")
        }


def _without_views(result, inputs):
    """Returns the result of a direct call with copies of the arrays that are views of an input. An
    input that a transform leaves alone is returned itself."""
    if isinstance(result, (tuple, list)):
        return type(result)(_without_views(part, inputs) for part in result)
    if not isinstance(result, np.ndarray) or any(result is value for value in inputs):
        return result
    arrays = [value for value in inputs if isinstance(value, np.ndarray)]
    return result.copy() if any(np.may_share_memory(result, array) for array in arrays) else result


class PyTensorOperation(TensorOperation):
    """Base class of user-defined transforms, which define `_execute_py`.

    Example:
        >>> from mindspore_compat.dataset import transforms
        >>> class Doubled(transforms.PyTensorOperation):
        ...     def _execute_py(self, x):
        ...         return 2 * x
        >>> Doubled()(3)
        6
    """

    random = False  # whether it draws random numbers

    def __call__(self, *inputs):
        return self._execute_py(*inputs)

    def _execute_py(self, *inputs):
        """Returns the transformed inputs, an array for each column as `map` passes them; a subclass
        defines it."""
        return TensorOperation._run(self, *inputs)


class ImageTensorOperation(TensorOperation):
    """Base class of image transforms."""

    @without_effect("dataset.vision.Resize.device", "every transform of images runs on the host")
    def device(self, device_target="CPU"):
        """Chooses the device of the transform; here the host always computes.

        Args:
            device_target (str, optional): "CPU" or "Ascend".

        Returns:
            this transform.

        Raises:
            TypeError: if `device_target` is not a str.
            ValueError: if `device_target` is invalid.
        """
        check_device(type(self).__name__, device_target)
        return self


@checked
def check_device(api, device_target: OneOf("CPU", "Ascend")):
    """Raises an error for a device that cannot process images."""


class OfTransforms:
    """Shared behaviour of transforms that consist of other transforms."""

    def __init__(self, transforms):
        self.transforms = check_transforms(type(self).__name__, transforms)

    @property
    def implementation(self):
        """PY if MindSpore has one of the transforms in Python only, else C."""
        wanted = Implementation.PY
        is_python = any(getattr(part, "implementation", None) == wanted for part in self.transforms)
        return wanted if is_python else Implementation.C

    def _as_input(self, value):
        return value if self.implementation is Implementation.PY else super()._as_input(value)

    def _copy_with_seed(self, seed):
        seeded_copy = super()._copy_with_seed(seed)
        seeded_copy.transforms = [copy_with_seed(transform, seed) for transform in self.transforms]
        return seeded_copy


class CompoundOperation(OfTransforms, TensorOperation):
    """Base class of transforms that consist of other transforms.

    Args:
        transforms (list): transforms of this package, or functions that take arrays.

    Raises:
        TypeError: if `transforms` is not a list, or has an item of the wrong type.
        ValueError: if `transforms` is empty.
    """


def check_transforms(api, transforms):
    """Checks a list of transforms and returns it.

    Raises:
        TypeError: if it is not a list, or has an item that is not callable.
        ValueError: if it is empty.
    """
    InstanceOf(list).refuse(api, "transforms", transforms)
    if not transforms:
        raise ValueError(f"For '{api}', 'transforms' must not be empty.")
    for index, transform in enumerate(transforms):
        if (
            not callable(transform)
            or isinstance(transform, type)
            and issubclass(transform, TensorOperation)
        ):
            raise TypeError(
                f"For '{api}', 'transforms' must hold transforms or functions, but "
                f"transforms[{index}] is {transform!r}."
            )
    return transforms


def run(transforms, inputs):
    """Applies transforms one after another; a tuple if the last one returns several values."""
    for transform in transforms:
        outputs = in_pipeline(transform)(*inputs)
        inputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return inputs[0] if len(inputs) == 1 else inputs


def in_pipeline(operation):
    """Returns the callable for a pipeline: the transform without the checks of a direct call."""
    return operation._run if isinstance(operation, TensorOperation) else operation


def copy_with_seed(operation, seed):
    """Returns a copy of a transform with its own random streams; a function is returned as it
    is."""
    return operation._copy_with_seed(seed) if isinstance(operation, TensorOperation) else operation


def bind_random(operations):
    """Returns copies of transforms, with new seeds for one iteration of a pipeline."""
    return [copy_with_seed(operation, next_seed()) for operation in operations]


def is_random(operation):
    """Returns whether an operation, or one that it contains, draws random numbers."""
    if isinstance(operation, (list, tuple)):
        return any(map(is_random, operation))
    if not isinstance(operation, TensorOperation):
        return False
    functions = [
        member
        for owner in type(operation).__mro__
        for member in vars(owner).values()
        if isinstance(member, types.FunctionType)
    ]
    return any("_random" in _names(function.__code__) for function in functions) or any(
        map(is_random, vars(operation).values())
    )


def _names(code):
    """Returns the names of attributes and globals that code uses, comprehensions included."""
    inner = (
        _names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)
    )
    return set(code.co_names).union(*inner)


def is_python(operation):
    """Returns whether an operation, or one that it contains, is a function or class of a script."""
    if isinstance(operation, CompoundOperation):
        return any(map(is_python, operation.transforms))
    ours = type(operation).__module__.partition(".")[0] == __name__.partition(".")[0]
    return not (ours and isinstance(operation, TensorOperation))


class Fused:
    """A sequence of transforms and the function that computes all of them in one pass.

    Args:
        parts (list[TensorOperation]): the transforms.
        function (Callable): the result of `_fuse` of the last one.
    """

    def __init__(self, parts, function):
        self.parts, self.function = parts, function


def fuse(operations):
    """Returns the operations, with each sequence that one pass can compute replaced by a Fused."""
    fused, pending = [], []  # pending: the latest transforms of this package that work by value
    for operation in operations:
        ours = not is_python(operation)
        function = operation._fuse(pending) if ours and pending else None
        if function is not None:
            fused[-len(pending) :] = [Fused([*pending, operation], function)]
            pending = []
        else:
            fused.append(operation)
            pending = [*pending, operation] if ours and operation._by_value else []
    return fused


def takes_blocks(operations):
    """Returns whether all operations are transforms of this package that process whole blocks."""
    return all(
        isinstance(operation, TensorOperation) and operation.blockwise for operation in operations
    )


def apply_to_block(operation, block):
    """Applies a blockwise transform to many rows at once."""
    try:
        return operation._array(operation._as_input(block), 1)
    except FAILURES as error:
        raise RuntimeError(
            f"For 'map', the operation {type(operation).__name__} raised "
            f"{type(error).__name__}: {error}"
        ) from error


def is_pil(value):
    """Returns whether a value is a PIL image, without importing Pillow.

    While another thread imports Pillow, the module exists already but lacks the class.
    """
    image = getattr(sys.modules.get("PIL.Image"), "Image", None)
    return image is not None and isinstance(value, image)


def is_tensor(value):
    """Returns whether a value is a Tensor."""
    return isinstance(value, Tensor)
