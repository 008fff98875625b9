"""MixUp, MixUpBatch and CutMixBatch; RandomSelectSubpolicy and UniformAugment."""

import math

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, InstanceOf, ListOf, Number
from .._rules import FLOAT_MAX, AnInstance, Probability, positive
from ..core.py_util_helpers import Implementation
from ..engine.twister import Gamma32
from ..transforms.base import (
    CompoundOperation,
    ImageTensorOperation,
    PyTensorOperation,
    check_transforms,
    copy_with_seed,
    run,
)
from ._image import ImageOperation
from ._resize import round_to
from .utils import ImageBatchFormat

_Policy = ListOf(InstanceOf(list)).called("a list of lists")

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch", "RandomSelectSubpolicy", "UniformAugment"]

_Positive = Number(gt=0.0, le=FLOAT_MAX)


class _OnBatches(ImageTensorOperation):
    """Shared base class of transforms of a batch of images and its labels."""

    def _apply(self, *inputs):
        if len(inputs) != 2:
            raise RuntimeError(
                f"For '{type(self).__name__}', there must be two inputs, images and "
                f"labels, but got {len(inputs)}."
            )
        images, labels = inputs
        api = type(self).__name__
        if images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels):
            raise RuntimeError(
                f"For '{api}', images must have 4 axes, and one-hot labels 2 or 3 "
                f"and be as many, but got {images.shape} and {labels.shape}."
            )
        if labels.dtype.kind not in "iuf":
            raise RuntimeError(f"For '{api}', labels must hold numbers, but got {labels.dtype}.")
        return self._mix(images, labels.astype(np.float32))

    def _shares(self):
        """Yields samples of the Beta distribution (alpha, alpha)."""
        gamma, other_gamma = (Gamma32(self._random, self.alpha) for _ in range(2))
        while True:
            first, second = gamma(), other_gamma()
            yield first / (first + second) if first + second > 0 else np.float32(0.5)

    def _partners(self, count):
        return self._random.shuffle(list(range(count)))


class MixUpBatch(_OnBatches):
    """Applies MixUp to a batch: mixes each image and its label with another one, all in the same
    proportion.

    Args:
        alpha (float, optional): both parameters of the Beta distribution of the proportion.

    Raises:
        TypeError: if `alpha` is not a number.
        ValueError: if `alpha` is not positive.
        RuntimeError: if images do not have four axes, or labels two or three; raised when it is
            used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> from mindspore_compat.dataset import transforms, vision
        >>> columns = ["image", "label"]
        >>> data = ds.NumpySlicesDataset((np.ones((4, 3, 2, 2)), [0, 1, 1, 0]), columns)
        >>> data = data.map(transforms.OneHot(2), "label").batch(2)
        >>> data = data.map(vision.MixUpBatch(alpha=0.9), columns)
        >>> [images.shape for images, labels in data.create_tuple_iterator(output_numpy=True)]
        [(2, 3, 2, 2), (2, 3, 2, 2)]

    Source: mindspore.dataset.vision.MixUpBatch of MindSpore 2.10.
    """

    @checked
    def __init__(self, alpha: _Positive = 1.0):
        self.alpha = alpha

    def _mix(self, images, labels):
        share, partners = next(self._shares()), self._partners(len(images))
        out = images * share + images[partners] * (1 - share)
        return (
            round_to(out.astype(np.float32), images.dtype),
            labels * share + labels[partners] * (1 - share),
        )


class CutMixBatch(_OnBatches):
    """Applies CutMix to a batch: replaces a rectangle of each image by one of another image and
    mixes the labels.

    Args:
        image_batch_format (ImageBatchFormat): the order of the axes.
        alpha (float, optional): both parameters of the Beta distribution of the fraction that
            stays.
        prob (float, optional): the probability that an image is changed.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `alpha` is not positive, or `prob` not in [0, 1].
        RuntimeError: if images do not have four axes, or labels two or three; raised when it is
            used.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> from mindspore_compat.dataset import transforms, vision
        >>> columns = ["image", "label"]
        >>> data = ds.NumpySlicesDataset((np.ones((4, 3, 2, 2)), [0, 1, 1, 0]), columns)
        >>> data = data.map(transforms.OneHot(2), "label").batch(2)
        >>> mix = vision.CutMixBatch(vision.ImageBatchFormat.NCHW, alpha=1.0, prob=0.5)
        >>> data = data.map(mix, columns)
        >>> [images.shape for images, labels in data.create_tuple_iterator(output_numpy=True)]
        [(2, 3, 2, 2), (2, 3, 2, 2)]

    Source: mindspore.dataset.vision.CutMixBatch of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        image_batch_format: AnInstance(ImageBatchFormat),
        alpha: _Positive = 1.0,
        prob: Probability = 1.0,
    ):
        self.image_batch_format, self.alpha, self.prob = image_batch_format, alpha, prob

    def _mix(self, images, labels):
        out, new_labels = images.copy(), labels.copy()
        first = self.image_batch_format is ImageBatchFormat.NCHW
        view = out.transpose(0, 2, 3, 1) if first else out
        source = images.transpose(0, 2, 3, 1) if first else images
        partners, shares = self._partners(len(images)), self._shares()
        for index, (partner, share) in enumerate(zip(partners, shares, strict=False)):
            if not self._random.chance(self.prob):
                continue
            top, left, low, right = self._rectangle(*source.shape[1:3], share)
            view[index, top:low, left:right] = source[partner, top:low, left:right]
            share_cut = (low - top) * (right - left) / (source.shape[1] * source.shape[2])
            weight = np.float32(1 - share_cut)
            new_labels[index] = labels[index] * weight + labels[partner] * (1 - weight)
        return out, new_labels

    def _rectangle(self, height, width, share):
        """Returns the upper, left, lower and right edges of a rectangle of about 1 - share of an
        image, at least one pixel. As in MindSpore, centers may lie on the far edges, and
        rectangles end before the last row and column."""
        part = math.sqrt(1 - float(share))
        box_height, box_width = int(height * part), int(width * part)
        x, y = self._random.integer(0, width), self._random.integer(0, height)
        edges = y - box_height // 2, x - box_width // 2, y + box_height // 2, x + box_width // 2
        top, left, low, right = (
            min(max(0, edge), last)
            for edge, last in zip(edges, (height - 1, width - 1) * 2, strict=True)
        )
        return top, left, max(low, top + 1), max(right, left + 1)


class MixUp(PyTensorOperation):
    """Applies MixUp: mixes each image of a batch and its label with the next one, or with the
    previous batch.

    Args:
        batch_size (int): the number of images of a batch.
        alpha (float): both parameters of the Beta distribution of the proportions.
        is_single (bool, optional): whether to mix an image with the next one of the same batch.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a number is not positive.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> images, labels = np.ones((2, 3, 4, 4), np.float32), np.eye(2)
        >>> mixed, weights = vision.MixUp(batch_size=2, alpha=0.2)(images, labels)
        >>> mixed.shape, weights.shape
        ((2, 3, 4, 4), (2, 2))

    Source: mindspore.dataset.vision.MixUp of MindSpore 2.10.
    """

    implementation = Implementation.PY

    _before = None

    @checked
    def __init__(self, batch_size: positive, alpha: _Positive, is_single: Bool = True):
        self.batch_size, self.alpha, self.is_single = batch_size, alpha, is_single

    def _apply(self, images, labels):
        if len(images) != len(labels):
            raise ValueError(
                f"For 'MixUp', labels must be as many as the images, but "
                f"got {labels.shape} and {images.shape}."
            )
        draws = [
            (self._random.gamma(self.alpha), self._random.gamma(self.alpha))
            for _ in range(len(images))
        ]
        share = np.array([gamma / (gamma + other_gamma) for gamma, other_gamma in draws])
        partners = (np.roll(images, -1, 0), np.roll(labels, -1, 0))
        if not self.is_single:
            partners, self._before = self._before or (images, labels), (images, labels)
        weights = share.reshape(-1, *[1] * (images.ndim - 1))
        return (
            images * weights + partners[0] * (1 - weights),
            labels * share[:, None] + partners[1] * (1 - share[:, None]),
        )


class RandomSelectSubpolicy(ImageOperation):
    """Chooses a random subpolicy, a list of transforms, and applies each transform with its
    probability.

    Args:
        policy (list[list[tuple]]): lists of (transform, probability).

    Raises:
        TypeError: if `policy` is not such a list.
        ValueError: if a list is empty, or a probability not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> policy = [[(vision.HorizontalFlip(), 1.0)], [(vision.VerticalFlip(), 0.5)]]
        >>> vision.RandomSelectSubpolicy(policy)(np.zeros((4, 6, 3), np.uint8)).shape
        (4, 6, 3)

    Source: mindspore.dataset.vision.RandomSelectSubpolicy of MindSpore 2.10.
    """

    @checked
    def __init__(self, policy: _Policy):
        if not policy or not all(policy):
            raise ValueError("For 'RandomSelectSubpolicy', no list of 'policy' must be empty.")
        for entry in (entry for subpolicy in policy for entry in subpolicy):
            if (
                not isinstance(entry, tuple)
                or len(entry) != 2
                or not callable(entry[0])
                or (isinstance(entry[0], type) or not isinstance(entry[1], (int, float)))
            ):
                raise TypeError(
                    f"For 'RandomSelectSubpolicy', 'policy' must hold (transform, "
                    f"probability), but got {entry!r}."
                )
            if not 0 <= entry[1] <= 1:
                raise ValueError(
                    f"For 'RandomSelectSubpolicy', a probability must be in [0, 1], "
                    f"but got {entry[1]}."
                )
        self.policy = policy

    def _copy_with_seed(self, seed):
        copy = super()._copy_with_seed(seed)
        copy.policy = [
            [(copy_with_seed(transform, seed), prob) for transform, prob in pairs]
            for pairs in self.policy
        ]
        return copy

    def _apply(self, *inputs):
        subpolicy = self.policy[self._random.integer(0, len(self.policy) - 1)]
        for transform, prob in subpolicy:
            if self._random.chance(prob):
                outputs = run([transform], inputs)
                inputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return inputs[0] if len(inputs) == 1 else inputs


class UniformAugment(CompoundOperation):
    """Chooses some transforms at random and applies each of them with probability 0.5, in their
    order.

    Args:
        transforms (sequence): the transforms to choose from.
        num_ops (int, optional): the number of transforms to choose.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `num_ops` is not positive, or above the number of transforms.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.vision.UniformAugment([ms.dataset.vision.Invert()],
        ...                                        1)(np.zeros((4, 4, 3), np.uint8)).shape)
        (4, 4, 3)

    Source: mindspore.dataset.vision.UniformAugment of MindSpore 2.10.
    """

    @checked
    def __init__(self, transforms, num_ops: positive = 2):
        InstanceOf(list, tuple).called("a sequence").refuse(
            "UniformAugment", "transforms", transforms
        )
        self.transforms = check_transforms("UniformAugment", list(transforms))
        if num_ops > len(self.transforms):
            raise ValueError(
                f"For 'UniformAugment', 'num_ops' must not exceed the number of "
                f"transforms, {len(self.transforms)}, but got {num_ops}."
            )
        self.num_ops = num_ops

    def _apply(self, *inputs):
        indices = self._random.sample(len(self.transforms), self.num_ops)
        transforms = [
            self.transforms[index] for index in indices if self._random.integer(0, 1) == 0
        ]
        return run(transforms, inputs)
