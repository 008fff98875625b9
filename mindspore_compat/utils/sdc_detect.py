"""`mindspore.utils.sdc_detect`: a watch for products of matrices that the hardware computes wrong.

The original watches an Ascend; here the products of any device are checked by their sums.
"""

from .._backend.host import checksums

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop"]


def sdc_detect_start():
    """Checks each product of matrices from now on: of `matmul`, `Dense`, convolution, attention and
    their gradients, in floats. What was found before is forgotten. A product takes up to twice as
    long.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.utils.sdc_detect_start()
        >>> _ = ms.ops.matmul(ms.ops.ones((2, 3)), ms.ops.ones((3, 4)))
        >>> print(ms.utils.get_sdc_detect_result())
        False
        >>> ms.utils.sdc_detect_stop()

    Source: mindspore.utils.sdc_detect_start of MindSpore 2.10.
    """
    checksums.start()


def sdc_detect_stop():
    """Checks no more products. What was found can be read until the next start.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.utils.sdc_detect_stop()

    Source: mindspore.utils.sdc_detect_stop of MindSpore 2.10.
    """
    checksums.stop()


def get_sdc_detect_result():
    """Returns whether a product was wrong, beyond rounding, since the watch was started.

    Returns:
        bool; on a GPU what is under way is waited for.

    Examples:
        >>> import mindspore_compat as ms
        >>> print(ms.utils.get_sdc_detect_result())
        False

    Source: mindspore.utils.get_sdc_detect_result of MindSpore 2.10.
    """
    return checksums.found()
