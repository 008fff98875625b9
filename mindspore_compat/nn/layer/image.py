"""Layers for images: gradients, similarity indices, cropping, pixel shuffling."""

import math

from ..._core.declare.op import op
from ..._core.declare.public_api import legacy, public
from ..._core.rules.vocabulary import (
    Bool,
    Float,
    Int,
    ListOf,
    Number,
    TensorOf,
    TupleOf,
    checked,
    floating,
    integer,
    number,
)
from ..._core.tensor.tensor import Tensor
from ...ops._image.resize import resize_bilinear
from ..cell import Cell
from ._pool.average import AvgPool2d
from .container import CellList
from .conv import Conv2d

__all__ = [
    "ImageGradients",
    "SSIM",
    "MSSSIM",
    "PSNR",
    "CentralCrop",
    "PixelShuffle",
    "PixelUnshuffle",
]

Half = TensorOf("float16", "float32")
Floats = TensorOf(floating)


@public("nn.ImageGradients")
class ImageGradients(Cell):
    """Image gradients: differences between neighbouring rows and columns, zero in the last ones.

    Inputs:
        - **images** (Tensor): shape (N, C, H, W).

    Outputs:
        A pair of Tensors of the same shape and dtype: the differences of rows, and those of
        columns.

    Raises:
        ValueError: if the input does not have 4 axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ImageGradients()(ms.Tensor([[[[1.0, 2.0], [4.0, 8.0]]]]))[0])
        [[[[3. 6.]
           [0. 0.]]]]
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(self, images: TensorOf(number)):
        """Returns the vertical and the horizontal differences."""
        if images.ndim != 4:
            raise ValueError(
                f"For 'ImageGradients', the input must have 4 axes, but got shape {images.shape}."
            )
        return image_differences.run(images)


@op(compute="native")
def image_differences(xp, x: TensorOf(number)):
    """Returns the vertical and the horizontal differences, zero in the last row and column."""
    down = xp.pad(x[:, :, 1:] - x[:, :, :-1], ((0, 0), (0, 0), (0, 1), (0, 0)))
    across = xp.pad(x[..., 1:] - x[..., :-1], ((0, 0), (0, 0), (0, 0), (0, 1)))
    return down, across


# Similarity ---------------------------------------------------------------------------------------


def _gaussian(size, sigma):
    """Returns a normalised Gaussian window as the weight of a one-channel convolution."""
    ends = [-0.5 * ((i - (size - 1) / 2) / sigma) ** 2 for i in range(size)]
    total = sum(math.exp(end) for end in ends)
    row = [math.exp(end) / total for end in ends]
    return Tensor([[[[a * b for b in row] for a in row]]])


def _window(size, sigma):
    """Returns a convolution with a Gaussian window as a fixed weight."""
    conv = Conv2d(1, 1, size, pad_mode="valid", weight_init=_gaussian(size, sigma))
    conv.weight.requires_grad = False
    return conv


def _need_images(api, img1, img2):
    if img1.dtype != img2.dtype:
        raise TypeError(
            f"For '{api}', the images must have the same dtype, but got {img1.dtype} "
            f"and {img2.dtype}."
        )
    if img1.ndim != 4 or img1.shape != img2.shape:
        raise ValueError(
            f"For '{api}', the images must have 4 axes and the same shape, but got "
            f"{img1.shape} and {img2.shape}."
        )


def _compare(window, img1, img2, k1, k2):
    """Returns structural similarity and contrast of each channel: two Tensors of shape (N, C)."""
    n, c, h, w = img1.shape
    x, y = (image.float().reshape(n * c, 1, h, w) for image in (img1, img2))
    means = [window(image) for image in (x, y, x * x, y * y, x * y)]
    similar, contrast = similarity.run(*means, k1 * k1, k2 * k2)
    return tuple(part.reshape(n, c).astype(img1.dtype) for part in (similar, contrast))


@op()
def similarity(
    xp, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats, c1: Number, c2: Number
):
    """Computes the similarity index and its contrast part from local means, averaged over each
    image."""
    luminance = (2 * x * y + c1) / (x * x + y * y + c1)
    contrast = (2 * (xy - x * y) + c2) / (xx - x * x + yy - y * y + c2)
    return xp.mean(luminance * contrast, (1, 2, 3)), xp.mean(contrast, (1, 2, 3))


@public("nn.SSIM")
class SSIM(Cell):
    """Structural similarity index (SSIM) of two batches of images.

    Args:
        max_val (Union[int, float]): the difference between the largest and the smallest possible
            value.
        filter_size (int): the size of the Gaussian window.
        filter_sigma (float): its standard deviation.
        k1 (float): the constant of the luminance part.
        k2 (float): the constant of the contrast part.

    Inputs:
        - **img1** (Tensor), **img2** (Tensor): shape (N, C, H, W), both float16 or both float32.

    Outputs:
        Tensor of shape (N,), with the dtype of the images.

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if `max_val` or `filter_sigma` is not above 0, `filter_size` is less than 1, or
            the images are smaller than the window.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.SSIM()(ms.ops.ones((1, 1, 12, 12)), ms.ops.ones((1, 1, 12, 12))))
        [1.]
    """

    @checked
    def __init__(
        self,
        max_val: Number(gt=0) = 1.0,
        filter_size: Int(ge=1) = 11,
        filter_sigma: Float(gt=0.0) = 1.5,
        k1: Float = 0.01,
        k2: Float = 0.03,
    ):
        super().__init__()
        self.max_val = max_val
        self.filter_size = filter_size
        self.filter_sigma = filter_sigma
        self.k1 = k1
        self.k2 = k2
        self.conv = _window(filter_size, filter_sigma)

    @checked
    def construct(self, img1: Half, img2: Half):
        """Returns the index of each pair of images: shape (N,)."""
        _need_images("SSIM", img1, img2)
        if min(img1.shape[2:]) < self.filter_size:
            raise ValueError(
                f"For 'SSIM', the images must be at least as large as the window, but "
                f"got shape {img1.shape} and {self.filter_size}."
            )
        scale = 1 / self.max_val
        return _compare(self.conv, img1 * scale, img2 * scale, self.k1, self.k2)[0].mean(-1)


@public("nn.MSSSIM")
class MSSSIM(Cell):
    """Multi-scale structural similarity index (MS-SSIM) of two batches of images.

    Args:
        max_val (Union[int, float]): the difference between the largest and the smallest possible
            value.
        power_factors (Union[tuple, list]): the exponent of each scale.
        filter_size (int): the size of the Gaussian window.
        filter_sigma (float): its standard deviation.
        k1 (float): the constant of the luminance part.
        k2 (float): the constant of the contrast part.

    Inputs:
        - **img1** (Tensor), **img2** (Tensor): shape (N, C, H, W), both float16 or both float32.

    Outputs:
        Tensor of shape (N,), with the dtype of the images.

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if `max_val` or `filter_sigma` is not above 0, `filter_size` is less than 1, or
            the inputs do not have 4 axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MSSSIM(power_factors=(0.5, 0.5))(ms.ops.ones((1, 1, 32, 32)),
        ...         ms.ops.ones((1, 1, 32, 32))))
        [1.]
    """

    @checked
    def __init__(
        self,
        max_val: Number(gt=0) = 1.0,
        power_factors: TupleOf(Number) | ListOf(Number) = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: Int(ge=1) = 11,
        filter_sigma: Float(gt=0.0) = 1.5,
        k1: Float = 0.01,
        k2: Float = 0.03,
    ):
        super().__init__()
        self.max_val = max_val
        self.filter_size = filter_size
        self.filter_sigma = filter_sigma
        self.k1 = k1
        self.k2 = k2
        self.level = len(power_factors)
        self.power_factors = tuple(power_factors)
        self.multi_convs_list = CellList(
            [_window(filter_size, filter_sigma) for _ in power_factors]
        )
        self.avg_pool = AvgPool2d(kernel_size=2, stride=2, pad_mode="valid")

    @checked
    def construct(self, img1: Half, img2: Half):
        """Returns the index of each pair of images: shape (N,)."""
        _need_images("MSSSIM", img1, img2)
        img1, img2 = img1 * (1 / self.max_val), img2 * (1 / self.max_val)
        product = None
        for level, power in enumerate(self.power_factors):
            if level:
                img1, img2 = self.avg_pool(img1), self.avg_pool(img2)
            similar, contrast = _compare(self.multi_convs_list[level], img1, img2, self.k1, self.k2)
            part = similar if level == self.level - 1 else contrast
            part = powered.run(part, float(power))
            product = part if product is None else product * part
        return product.mean(-1)


@op()
def powered(xp, x: Floats, power: Float):
    """Computes max(x, 0) to a power."""
    return xp.power(xp.maximum(x, 0), power)


@public("nn.PSNR")
class PSNR(Cell):
    """Peak signal-to-noise ratio (PSNR) of two batches of images, in decibels.

    Args:
        max_val (Union[int, float]): the difference between the largest and the smallest possible
            value.

    Inputs:
        - **img1** (Tensor), **img2** (Tensor): shape (N, C, H, W), of the same dtype.

    Outputs:
        float32 Tensor of shape (N,).

    Raises:
        TypeError: if `max_val` is not a number, or the dtypes differ.
        ValueError: if `max_val` is not above 0, or the inputs do not have 4 axes and one shape.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.PSNR()(ms.ops.ones((1, 1, 4, 4)), 0.5 * ms.ops.ones((1, 1, 4, 4))))
        [6.0206003]
    """

    @checked
    def __init__(self, max_val: Number(gt=0) = 1.0):
        super().__init__()
        self.max_val = max_val

    @checked
    def construct(self, img1: TensorOf(integer | floating), img2: TensorOf(integer | floating)):
        """Returns the ratio of each pair of images: float32, shape (N,)."""
        _need_images("PSNR", img1, img2)
        return signal_to_noise.run(img1, img2, self.max_val)


@op(compute="native")
def signal_to_noise(xp, x: TensorOf(number), y: TensorOf(number), largest: Number):
    """Returns 10 log10(largest² / mean squared difference) of each pair of images of two batches;
    `largest` is the largest possible element."""
    difference = xp.cast(x, "float32") - xp.cast(y, "float32")
    error = xp.mean(difference * difference, (1, 2, 3))
    # A few numbers: from float64 they round to the same float32 on every device.
    ratio = xp.cast(largest * largest / error, "float64")
    return xp.cast(10 * xp.log10(ratio), "float32")


# Cropping and shuffling ---------------------------------------------------------------------------


@public("nn.CentralCrop")
class CentralCrop(Cell):
    """Crops the centre of images.

    Args:
        central_fraction (float): the fraction of height and width to keep, in (0, 1].

    Inputs:
        - **image** (Tensor): shape (C, H, W) or (N, C, H, W).

    Outputs:
        Tensor of shape (C, H', W') or (N, C, H', W'), with the same dtype.

    Raises:
        TypeError: if `central_fraction` is not a float.
        ValueError: if `central_fraction` is out of range, or the input does not have 3 or 4 axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.CentralCrop(0.5)(ms.ops.ones((3, 4, 4))).shape)
        (3, 2, 2)
    """

    @checked
    def __init__(self, central_fraction: Float(gt=0.0, le=1.0)):
        super().__init__()
        self.central_fraction = central_fraction

    @checked
    def construct(self, image: TensorOf()):
        """Returns the centre of `image`."""
        if image.ndim not in (3, 4):
            raise ValueError(
                f"For 'CentralCrop', the input must have 3 or 4 axes, but got shape {image.shape}."
            )
        if self.central_fraction == 1.0:
            return image
        cuts = [int((size - size * self.central_fraction) / 2) for size in image.shape[-2:]]
        (top, left), (height, width) = cuts, image.shape[-2:]
        return image[..., top : height - top, left : width - left]


@public("nn.PixelShuffle", "mint.nn.PixelShuffle")
class PixelShuffle(Cell):
    """Pixel shuffle: enlarges images by arranging groups of channels as blocks of pixels.

    Args:
        upscale_factor (int): the factor of height and width.

    Inputs:
        - **input** (Tensor): shape (*, C * factor², H, W).

    Outputs:
        Tensor of shape (*, C, H * factor, W * factor), with the same dtype.

    Raises:
        TypeError: if the factor is not an int, or the input not a Tensor.
        ValueError: if the factor is less than 1, or its square does not divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.PixelShuffle(2)(ms.Tensor([[[[1]], [[2]], [[3]], [[4]]]])))
        [[[[1 2]
           [3 4]]]]
    """

    @checked
    def __init__(self, upscale_factor: Int(ge=1)):
        super().__init__()
        self.upscale_factor = upscale_factor

    @checked
    def construct(self, input: TensorOf()):
        """Returns the larger images, shape (*, C, H * factor, W * factor)."""
        r, shape = self.upscale_factor, input.shape
        if input.ndim < 3 or shape[-3] % (r * r):
            raise ValueError(
                "For 'PixelShuffle', the input must have at least 3 axes and channels "
                f"divisible by {r * r}, but got shape {shape}."
            )
        *lead, c, h, w = shape
        blocks = input.reshape(-1, c // (r * r), r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
        return blocks.reshape(*lead, c // (r * r), h * r, w * r)


@public("nn.PixelUnshuffle")
class PixelUnshuffle(Cell):
    """Pixel unshuffle: shrinks images by arranging blocks of pixels as channels.

    Args:
        downscale_factor (int): the factor of height and width.

    Inputs:
        - **input** (Tensor): shape (*, C, H * factor, W * factor).

    Outputs:
        Tensor of shape (*, C * factor², H, W), with the same dtype.

    Raises:
        TypeError: if the factor is not an int, or the input not a Tensor.
        ValueError: if the factor is less than 1, or does not divide height and width.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.PixelUnshuffle(2)(ms.Tensor([[[[1, 2], [3, 4]]]])).shape)
        (1, 4, 1, 1)
    """

    @checked
    def __init__(self, downscale_factor: Int(ge=1)):
        super().__init__()
        self.downscale_factor = downscale_factor

    @checked
    def construct(self, input: TensorOf()):
        """Returns the smaller images, shape (*, C * factor², H, W)."""
        r, shape = self.downscale_factor, input.shape
        if input.ndim < 3 or shape[-1] % r or shape[-2] % r:
            raise ValueError(
                f"For 'PixelUnshuffle', the input must have at least 3 axes, height "
                f"and width divisible by {r}, but got shape {shape}."
            )
        *lead, c, h, w = shape
        blocks = input.reshape(-1, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)
        return blocks.reshape(*lead, c * r * r, h // r, w // r)


Pair = TupleOf(Int(ge=1), length=2) | ListOf(Int(ge=1), length=2)


@legacy("nn.ResizeBilinear")
class ResizeBilinear(Cell):
    """Resizes images by bilinear interpolation. This layer exists in MindSpore 1 only.

    Args:
        half_pixel_centers (bool): whether coordinates refer to the centres of pixels.

    Inputs:
        - **x** (Tensor): images (N, C, H, W), floats.
        - **size** (Union[tuple[int], list[int]]): the new height and width.
        - **scale_factor** (int): the factor of height and width, instead of `size`.
        - **align_corners** (bool): whether the centres of the corner pixels stay in place.

    Outputs:
        Tensor of shape (N, C, new height, new width) and the dtype of `x`.

    Raises:
        ValueError: if not exactly one of `size` and `scale_factor` is given, `x` does not have 4
            axes, or `align_corners` is given together with `half_pixel_centers`.

    Examples:
        >>> from mindspore_compat import Tensor, nn
        >>> nn.ResizeBilinear()(Tensor([[[[1., 2.], [3., 4.]]]]), size=(2, 4)).asnumpy()
        array([[[[1. , 1.5, 2. , 2. ],
                 [3. , 3.5, 4. , 4. ]]]], dtype=float32)
    """

    @checked
    def __init__(self, half_pixel_centers: Bool = False):
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    @checked
    def construct(
        self,
        x: TensorOf("float16", "float32", "float64"),
        size: Pair | None = None,
        scale_factor: Int(ge=1) | None = None,
        align_corners: Bool = False,
    ):
        """Returns the resized images."""
        if (size is None) == (scale_factor is None):
            raise ValueError(
                "For 'ResizeBilinear', exactly one of 'size' and 'scale_factor' must "
                f"be given, but got {size} and {scale_factor}."
            )
        if x.ndim != 4:
            raise ValueError(
                f"For 'ResizeBilinear', 'x' must have 4 axes, but got shape {x.shape}."
            )
        if align_corners and self.half_pixel_centers:
            raise ValueError(
                "For 'ResizeBilinear', 'align_corners' and 'half_pixel_centers' must "
                "not both be True."
            )
        if size is None:
            size = (x.shape[2] * scale_factor, x.shape[3] * scale_factor)
        return resize_bilinear.run(x, tuple(size), align_corners, self.half_pixel_centers)
