"""run_check: checks whether the installation computes, and prints the version and the outcome."""

import numpy

from .._backend import arrays
from .._core.tensor.tensor import Tensor
from .._version import __version__

__all__ = ["run_check"]


def run_check():
    """Multiplies two matrices on the current device target, and prints the outcome.

    Source: mindspore.run_check of MindSpore 2.10.
    """
    print("MindSpore version: ", __version__)
    ones = Tensor(numpy.ones((3, 3), numpy.float32))
    platform = "GPU" if arrays.on_device(ones._array) else "CPU"
    product = arrays.to_host(ones._array @ ones._array)
    if not numpy.array_equal(product, numpy.full((3, 3), 3.0)):
        raise RuntimeError(
            f"For 'run_check', the product of two matrices of ones is wrong on "
            f"{platform}: {product}."
        )
    print(f"Two matrices were multiplied on platform [{platform}], and the product is right.")
