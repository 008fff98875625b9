"""`mindspore.utils.sdc_detect`: detects silent data corruption in matrix products.

MindSpore watches an Ascend; here the products of any device are checked by their sums.
"""

from .._backend.host import checksums

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop"]


def sdc_detect_start():
    """Starts checking all matrix products: of `matmul`, `Dense`, convolution, attention and their
    gradients, in floats. Earlier results are discarded. A product takes up to twice as long.

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
    """Stops checking matrix products. The result can be read until the next start.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.utils.sdc_detect_stop()

    Source: mindspore.utils.sdc_detect_stop of MindSpore 2.10.
    """
    checksums.stop()


def get_sdc_detect_result():
    """Returns whether a product was wrong, beyond rounding, since the checks were started.

    Returns:
        bool; on a GPU, the call waits for pending work.

    Examples:
        >>> import mindspore_compat as ms
        >>> print(ms.utils.get_sdc_detect_result())
        False

    Source: mindspore.utils.get_sdc_detect_result of MindSpore 2.10.
    """
    return checksums.has_mismatch()
