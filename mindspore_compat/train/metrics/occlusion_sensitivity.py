"""OcclusionSensitivity: measures which parts of an image a network's prediction depends on."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import CellOf, Float, Int, ListOf
from ..._core.tensor.tensor import Tensor
from .metric import Metric, rearrange_inputs

__all__ = ["OcclusionSensitivity"]


class OcclusionSensitivity(Metric):
    """Occlusion sensitivity: how much the prediction of a class falls when a part of the image is
    covered.

    Args:
        pad_val (float): the value of covered points.
        margin (Union[int, list[int]]): how far the cover extends to both sides of a point, along
            all axes or along each except the batch; the last point on the far side is excluded.
        n_batch (int): the number of images in one call of the network.
        b_box (list[int]): the part of the image to measure: the first and last point along each
            axis except the batch, [min1, max1, min2, max2, ...]; -1 for the end of the image.

    Raises:
        TypeError: if an argument is of the wrong type.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, nn
        >>> from mindspore_compat.train import OcclusionSensitivity
        >>> net = nn.Dense(4, 2, weight_init="ones", has_bias=False)
        >>> metric = OcclusionSensitivity(margin=1)
        >>> metric.update(net, np.array([[0.5, 1.0, 1.5, 2.0]], np.float32), np.array(1))
        >>> metric.eval().tolist()
        [0.5, 1.5, 2.5, 3.5]

    Source: mindspore.train.OcclusionSensitivity of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        pad_val: Float = 0.0,
        margin: Int | ListOf(Int) = 2,
        n_batch: Int = 128,
        b_box: ListOf(Int) | None = None,
    ):
        super().__init__()
        self.pad_val = pad_val
        self.margin = margin
        self.n_batch = n_batch
        self.b_box = b_box
        self.clear()

    def clear(self):
        """Resets the metric."""
        self._baseline = 0
        self._sensitivity_im = None

    @rearrange_inputs
    def update(self, *inputs):
        """Measures one image, and replaces the result of an earlier one.

        Args:
            *inputs: the network; a batch of one image; and the class index in an array.

        Raises:
            ValueError: if there are not three inputs, or margins or box do not fit the image.
            TypeError: if the network is not a Cell.
            RuntimeError: if there is more than one image or class.
        """
        self._check_count(inputs, 3, "network, image and class")
        model, image = inputs[0], self._convert_data(inputs[1])
        label = self._convert_data(inputs[2])
        CellOf.refuse_part("OcclusionSensitivity.update", "the network", model)
        if image.shape[0] != 1 or label.size != 1:
            raise RuntimeError(
                f"For 'OcclusionSensitivity.update', there must be one image and "
                f"one class, but got {image.shape[0]} and {label.size}."
            )
        first, last = self._box(image.shape[1:])
        margin = self._margins(image.ndim - 1)
        sizes = last - first + 1
        centres = [np.array(corner) + first for corner in np.ndindex(*sizes)]
        number = int(label.reshape(-1)[0])
        self._baseline = _predict(model, image, number)[0]
        predictions = []
        for start in range(0, len(centres), max(self.n_batch, 1)):
            batch = [
                self._cover(image, corner, margin)
                for corner in centres[start : start + max(self.n_batch, 1)]
            ]
            predictions.append(_predict(model, np.concatenate(batch), number))
        self._sensitivity_im = (
            (self._baseline - np.concatenate(predictions)).reshape(sizes).squeeze()
        )

    def eval(self):
        """Returns how much the prediction fell, as an array of the shape of the measured part.

        Raises:
            RuntimeError: if nothing has been measured.
        """
        self._need_updates(self._sensitivity_im is not None)
        return self._sensitivity_im

    def _cover(self, image, corner, margin):
        """Returns the image with the surroundings of a point covered."""
        result = image.copy()
        result[
            (
                0,
                *(
                    slice(max(0, point - reach), point + reach)
                    for point, reach in zip(corner, margin, strict=True)
                ),
            )
        ] = self.pad_val
        return result

    def _margins(self, axes):
        """Returns, for each of `axes` axes, how far the covered area extends from its centre."""
        if isinstance(self.margin, int):
            return [self.margin] * axes
        if len(self.margin) != axes:
            raise ValueError(
                f"For 'OcclusionSensitivity', 'margin' must be an int or a list of "
                f"{axes} ints for this image, but got {self.margin!r}."
            )
        return self.margin

    def _box(self, shape):
        """Returns the first and the last point to measure."""
        shape = np.array(shape)
        if self.b_box is None:
            return shape * 0, shape - 1
        if len(self.b_box) != 2 * len(shape):
            raise ValueError(
                f"For 'OcclusionSensitivity', 'b_box' must be a list of "
                f"{2 * len(shape)} ints for this image, but got {self.b_box!r}."
            )
        first, last = np.array(self.b_box[::2]), np.array(self.b_box[1::2])
        first, last = np.where(first < 0, 0, first), np.where(last < 0, shape - 1, last)
        if (last >= shape).any() or (first > last).any():
            raise ValueError(
                f"For 'OcclusionSensitivity', 'b_box' must lie in an image of shape "
                f"{tuple(shape.tolist())}, but got {self.b_box!r}."
            )
        return first, last


def _predict(model, images, number):
    """Returns the network's prediction of a class for each image."""
    return model(Tensor(images)).asnumpy()[:, number]
