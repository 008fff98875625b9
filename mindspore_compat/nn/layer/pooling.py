"""Pooling layers over windows, adaptive pooling, and unpooling.

The window layers, whose padding follows from a mode, are in `_pool/maximum.py` and
`_pool/average.py`. The others are generated here from the lines of their ops in `ops/_pooling`.
"""

from ...ops._pooling.adaptive import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from ...ops._pooling.average_pool import avg_pool1d_ext, avg_pool2d_ext, avg_pool3d_ext
from ...ops._pooling.fractional import fractional_max_pool2d, fractional_max_pool3d
from ...ops._pooling.max_pool import max_pool2d_ext
from ...ops._pooling.max_unpool import max_unpool1d, max_unpool2d, max_unpool3d
from .._parts import also
from ._pool.average import AvgPool1d, AvgPool2d, AvgPool3d
from ._pool.maximum import MaxPool1d, MaxPool2d, MaxPool3d

__all__ = [
    "AvgPool3d",
    "MaxPool3d",
    "AvgPool2d",
    "MaxPool2d",
    "AvgPool1d",
    "MaxPool1d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "AdaptiveAvgPool1d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "LPPool1d",
    "LPPool2d",
    "AvgPool2dExt",
    "AvgPool3dExt",
    "MaxPool2dExt",
    "AvgPool1dExt",
]


also(adaptive_avg_pool1d, "nn.AdaptiveAvgPool1d(output_size)(input)")
also(adaptive_avg_pool2d, "nn.AdaptiveAvgPool2d(output_size)(input)")
also(adaptive_avg_pool3d, "nn.AdaptiveAvgPool3d(output_size)(input)")
also(adaptive_max_pool1d, "nn.AdaptiveMaxPool1d(output_size)(x: input)")
also(adaptive_max_pool2d, "nn.AdaptiveMaxPool2d(output_size, return_indices=False)(input)")
also(adaptive_max_pool3d, "nn.AdaptiveMaxPool3d(output_size, return_indices=False)(input)")
also(
    max_unpool1d,
    "nn.MaxUnpool1d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
)
also(
    max_unpool2d,
    "nn.MaxUnpool2d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
)
also(
    max_unpool3d,
    "nn.MaxUnpool3d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
)
also(
    avg_pool1d_ext,
    "nn.AvgPool1dExt(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)(input)",
)
also(
    avg_pool2d_ext,
    "nn.AvgPool2dExt(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input)",
)
also(
    avg_pool3d_ext,
    "nn.AvgPool3dExt(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input)",
)
also(
    max_pool2d_ext,
    "nn.MaxPool2dExt(kernel_size=1, stride=None, padding=0, dilation=1, "
    "return_indices=False, ceil_mode=False)(input)",
)
also(
    fractional_max_pool2d,
    "nn.FractionalMaxPool2d(kernel_size, output_size=None, "
    "output_ratio=None, return_indices=False, _random_samples=None)(input)",
)
also(
    fractional_max_pool3d,
    "nn.FractionalMaxPool3d(kernel_size, output_size=None, "
    "output_ratio=None, return_indices=False, _random_samples=None)(input)",
)
