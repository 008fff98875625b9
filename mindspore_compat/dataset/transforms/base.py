"""What all transforms share: the call, random numbers, blocks, and composition.

A transform is an object that takes one array (or PIL image) per column and returns one, or a tuple
of them. It is used in `map`, or called by itself. The same object may be used by several pipelines:
random ones are copied when a pipeline is opened, each copy with a stream of its own, so a seed
repeats a pipeline's augmentations whatever else draws numbers, and however many workers there are.

A transform that has `blockwise = True` defines `_array(self, x, lead)`, where `lead` is the number
of leading axes that count rows: 0 for one row, 1 for a block of them.

A transform of images whose `_by_value` is True replaces each value by one that follows from it and
its channel, the last axis; what it does to bytes is then a table of 256 values.
"""

import sys
import types

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import InstanceOf, OneOf
from ..._core.tensor.tensor import Tensor
from ..._core.without_effect import without_effect
from ..engine.config import next_seed
from ..engine.rows import FAILURES, as_column
from ..engine.twister import Twister

__all__ = ["CompoundOperation", "ImageTensorOperation", "PyTensorOperation", "TensorOperation"]


class TensorOperation:
    """The base of all transforms."""

    blockwise = False
    _by_value = False

    def __call__(self, *inputs):
        return self._apply(*[self._taken(value) for value in inputs])

    def _taken(self, value):
        """An input as `_apply` gets it: an array, unless it is a PIL image."""
        if type(value) is np.ndarray or is_pil(value):
            return value
        return as_column(value)

    def _apply(self, *inputs):
        """What the transform makes of its inputs; a subclass defines this or `_array`."""
        if len(inputs) != 1:
            raise RuntimeError(
                f"For '{type(self).__name__}', there must be one input, but got {len(inputs)}."
            )
        return self._array(inputs[0], 0)

    def _joined(self, before):
        """What does the work of some transforms and then of this one in one pass, if anything does.

        Args:
            before (list[TensorOperation]): transforms whose `_by_value` is True.

        Returns:
            Callable, or None. It takes the inputs of the first, and returns what this one gives, or
            None for inputs to which they must be applied one after the other.
        """
        return None

    @property
    def _random(self):
        """The stream of random numbers."""
        if "_stream" not in self.__dict__:
            seed = self.__dict__.get("_seed")
            self._stream = Twister(next_seed() if seed is None else seed)
        return self._stream

    def _seeded(self, seed):
        """A copy with a stream of its own."""
        made = object.__new__(type(self))
        vars(made).update(vars(self), _seed=seed)
        vars(made).pop("_stream", None)  # one begins with the first number: most draw none
        return made

    def __getstate__(self):
        return {
            key: value for key, value in self.__dict__.items() if key not in ("_stream", "_seed")
        }


class PyTensorOperation(TensorOperation):
    """The base of transforms that scripts define or look for; a TensorOperation in all respects.

    Example:
        >>> from mindspore_compat.dataset import transforms
        >>> issubclass(transforms.Compose, transforms.PyTensorOperation)
        False
    """


class ImageTensorOperation(TensorOperation):
    """The base of transforms of images."""

    @without_effect("dataset.vision.Resize.device", "every transform of images runs on the host")
    def device(self, device_target="CPU"):
        """Chooses what computes; here that is the host in any case.

        Args:
            device_target (str, optional): "CPU" or "Ascend".

        Returns:
            the transform itself.

        Raises:
            TypeError: `device_target` is not a str.
            ValueError: it is another one.
        """
        check_device(type(self).__name__, device_target)
        return self


@checked
def check_device(api, device_target: OneOf("CPU", "Ascend")):
    """Refuses a device that images cannot be processed on."""


class OfTransforms:
    """What transforms that are made of others share."""

    def __init__(self, transforms):
        self.transforms = checked_transforms(type(self).__name__, transforms)

    def _taken(self, value):
        return value

    def _seeded(self, seed):
        seeded_copy = super()._seeded(seed)
        seeded_copy.transforms = [seeded(each, seed) for each in self.transforms]
        return seeded_copy


class CompoundOperation(OfTransforms, TensorOperation):
    """The base of transforms that are made of others.

    Args:
        transforms (list): transforms of this package, or functions of arrays.

    Raises:
        TypeError: it is no list, or holds something else.
        ValueError: it is empty.
    """


def checked_transforms(api, transforms):
    """A list of transforms.

    Raises:
        TypeError: it is no list, or holds something that cannot be called.
        ValueError: it is empty.
    """
    InstanceOf(list).refuse(api, "transforms", transforms)
    if not transforms:
        raise ValueError(f"For '{api}', 'transforms' must not be empty.")
    for index, each in enumerate(transforms):
        if not callable(each) or isinstance(each, type) and issubclass(each, TensorOperation):
            raise TypeError(
                f"For '{api}', 'transforms' must hold transforms or functions, but "
                f"transforms[{index}] is {each!r}."
            )
    return transforms


def run(transforms, inputs):
    """What transforms, one after another, make of inputs: a tuple where the last gives several."""
    for transform in transforms:
        made = transform(*inputs)
        inputs = made if isinstance(made, tuple) else (made,)
    return inputs[0] if len(inputs) == 1 else inputs


def seeded(operation, seed):
    """A copy of a transform with streams of its own; functions stay as they are."""
    return operation._seeded(seed) if isinstance(operation, TensorOperation) else operation


def bind_random(operations):
    """Copies of transforms for one iteration of a pipeline."""
    return [seeded(each, next_seed()) for each in operations]


def is_random(operation):
    """Whether an operation, or one that it is made of, is of a class that draws random numbers."""
    if isinstance(operation, (list, tuple)):
        return any(map(is_random, operation))
    if not isinstance(operation, TensorOperation):
        return False
    functions = [
        each
        for owner in type(operation).__mro__
        for each in vars(owner).values()
        if isinstance(each, types.FunctionType)
    ]
    return any("_random" in _names(function.__code__) for function in functions) or any(
        map(is_random, vars(operation).values())
    )


def _names(code):
    """The names of attributes and globals that code uses, also within its comprehensions."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*inner)


def is_python(operation):
    """Whether an operation, or one that it is made of, is a function or class of a script."""
    if isinstance(operation, CompoundOperation):
        return any(map(is_python, operation.transforms))
    ours = type(operation).__module__.partition(".")[0] == __name__.partition(".")[0]
    return not (ours and isinstance(operation, TensorOperation))


class Joined:
    """Transforms, one after the other, and the function that does the work of all.

    Args:
        parts (list[TensorOperation]): the transforms.
        function (Callable): what `_joined` of the last gave.
    """

    def __init__(self, parts, function):
        self.parts, self.function = parts, function


def joined(operations):
    """Operations, those that one pass does together replaced by a Joined."""
    made, run = [], []  # the last ones that are of this package and work by value
    for each in operations:
        ours = not is_python(each)
        function = each._joined(run) if ours and run else None
        if function is not None:
            made[-len(run) :] = [Joined([*run, each], function)]
            run = []
        else:
            made.append(each)
            run = [*run, each] if ours and each._by_value else []
    return made


def takes_blocks(operations):
    """Whether all are transforms of this package that treat a block as fast as a row."""
    return all(isinstance(each, TensorOperation) and each.blockwise for each in operations)


def apply_to_block(operation, block):
    """What a blockwise transform makes of many rows at once."""
    try:
        return operation._array(block, 1)
    except FAILURES as error:
        raise RuntimeError(
            f"For 'map', the operation {type(operation).__name__} raised "
            f"{type(error).__name__}: {error}"
        ) from error


def is_pil(value):
    """Whether a value is an image of Pillow, which is not imported to find out.

    While another thread imports it, the module is there already but lacks the class.
    """
    image = getattr(sys.modules.get("PIL.Image"), "Image", None)
    return image is not None and isinstance(value, image)


def is_tensor(value):
    """Whether a value is a Tensor."""
    return isinstance(value, Tensor)
