"""Transforms that mix the images of a batch, and transforms that choose among others."""

import math

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, InstanceOf, ListOf, Number
from .._rules import AnInstance, Probability, positive
from ..engine.twister import Gamma32
from ..transforms.base import (
    CompoundOperation,
    ImageTensorOperation,
    PyTensorOperation,
    checked_transforms,
    run,
    seeded,
)
from ._image import ImageOperation
from ._resize import rounded
from .utils import ImageBatchFormat

_Policy = ListOf(InstanceOf(list)).called("a list of lists")

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch", "RandomSelectSubpolicy", "UniformAugment"]

_Positive = Number(gt=0.0)


class _OnBatches(ImageTensorOperation):
    """What transforms of a batch of images and its labels share."""

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
        return self._mixed(images, labels.astype(np.float32))

    def _shares(self):
        """Yields numbers of the Beta distribution (alpha, alpha)."""
        one, other = (Gamma32(self._random, self.alpha) for _ in range(2))
        while True:
            first, second = one(), other()
            yield first / (first + second) if first + second > 0 else np.float32(0.5)

    def _partners(self, count):
        return self._random.shuffle(list(range(count)))


class MixUpBatch(_OnBatches):
    """Mixes each image of a batch, and its label, with another one, all in one proportion.

    Args:
        alpha (float, optional): both parameters of the Beta distribution of the proportion.

    Raises:
        TypeError: it is no number.
        ValueError: it is not positive.
        RuntimeError: images have not four axes, or labels not two or three; raised when it is used.

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

    def _mixed(self, images, labels):
        share, partners = next(self._shares()), self._partners(len(images))
        mixed = images * share + images[partners] * (1 - share)
        return (
            rounded(mixed.astype(np.float32), images.dtype),
            labels * share + labels[partners] * (1 - share),
        )


class CutMixBatch(_OnBatches):
    """Replaces a rectangle of each image of a batch by that of another one, and mixes their labels.

    Args:
        image_batch_format (ImageBatchFormat): the order of the axes.
        alpha (float, optional): both parameters of the Beta distribution of the part that stays.
        prob (float, optional): how likely each image is changed.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `alpha` is not positive, or `prob` not in [0, 1].
        RuntimeError: images have not four axes, or labels not two or three; raised when it is used.

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

    def _mixed(self, images, labels):
        out, mixed = images.copy(), labels.copy()
        first = self.image_batch_format is ImageBatchFormat.NCHW
        view = out.transpose(0, 2, 3, 1) if first else out
        source = images.transpose(0, 2, 3, 1) if first else images
        partners, shares = self._partners(len(images)), self._shares()
        for index, (partner, share) in enumerate(zip(partners, shares, strict=False)):
            if not self._random.chance(self.prob):
                continue
            top, left, low, right = self._rectangle(*source.shape[1:3], share)
            view[index, top:low, left:right] = source[partner, top:low, left:right]
            taken = (low - top) * (right - left) / (source.shape[1] * source.shape[2])
            weight = np.float32(1 - taken)
            mixed[index] = labels[index] * weight + labels[partner] * (1 - weight)
        return out, mixed

    def _rectangle(self, height, width, share):
        """Upper, left, lower and right edge of a part of about 1 - share of an image, at least one
        pixel. Centres lie up to the far edges, and parts end before the last row and column, as in
        the original."""
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
    """Mixes each image of a batch, and its label, with the next one, or with the batch before.

    Args:
        batch_size (int): how many images a batch has.
        alpha (float): both parameters of the Beta distribution of the proportions.
        is_single (bool, optional): whether an image is mixed with the next of its own batch.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a number is not positive.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import vision
        >>> images, labels = np.ones((2, 3, 4, 4), np.float32), np.eye(2)
        >>> mixed, weights = vision.MixUp(batch_size=2, alpha=0.2)(images, labels)
        >>> mixed.shape, weights.shape
        ((2, 3, 4, 4), (2, 2))

    Source: mindspore.dataset.vision.MixUp of MindSpore 2.10.
    """

    _before = None

    @checked
    def __init__(self, batch_size: positive, alpha: _Positive, is_single: Bool = True):
        self.batch_size, self.alpha, self.is_single = batch_size, alpha, is_single

    def _apply(self, images, labels):
        if labels.ndim != 2 or len(images) != len(labels):
            raise ValueError(
                f"For 'MixUp', labels must be one-hot and as many as the images, but "
                f"got {labels.shape} and {images.shape}."
            )
        draws = [
            (self._random.gamma(self.alpha), self._random.gamma(self.alpha))
            for _ in range(len(images))
        ]
        share = np.array([one / (one + other) for one, other in draws])
        partners = (np.roll(images, -1, 0), np.roll(labels, -1, 0))
        if not self.is_single:
            partners, self._before = self._before or (images, labels), (images, labels)
        weights = share.reshape(-1, *[1] * (images.ndim - 1))
        return (
            images * weights + partners[0] * (1 - weights),
            labels * share[:, None] + partners[1] * (1 - share[:, None]),
        )


class RandomSelectSubpolicy(ImageOperation):
    """Chooses one list of transforms at random and applies each of them with its probability.

    Args:
        policy (list[list[tuple]]): lists of (transform, probability).

    Raises:
        TypeError: it is no such list.
        ValueError: a list is empty, or a probability not in [0, 1].

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
        for entry in (entry for each in policy for entry in each):
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

    def _seeded(self, seed):
        made = super()._seeded(seed)
        made.policy = [
            [(seeded(transform, seed), prob) for transform, prob in each] for each in self.policy
        ]
        return made

    def _apply(self, *inputs):
        chosen = self.policy[self._random.integer(0, len(self.policy) - 1)]
        for transform, prob in chosen:
            if self._random.chance(prob):
                made = run([transform], inputs)
                inputs = made if isinstance(made, tuple) else (made,)
        return inputs[0] if len(inputs) == 1 else inputs


class UniformAugment(CompoundOperation):
    """Chooses some transforms at random and applies each of them with probability one half, in the
    order given.

    Args:
        transforms (sequence): what is chosen from.
        num_ops (int, optional): how many are chosen.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: `num_ops` is not positive, or above the number of transforms.

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
        self.transforms = checked_transforms("UniformAugment", list(transforms))
        if num_ops > len(self.transforms):
            raise ValueError(
                f"For 'UniformAugment', 'num_ops' must not exceed the number of "
                f"transforms, {len(self.transforms)}, but got {num_ops}."
            )
        self.num_ops = num_ops

    def _apply(self, *inputs):
        indices = self._random.sample(len(self.transforms), self.num_ops)
        chosen = [self.transforms[index] for index in indices if self._random.integer(0, 1) == 0]
        return run(chosen, inputs) if chosen else (inputs[0] if len(inputs) == 1 else inputs)
