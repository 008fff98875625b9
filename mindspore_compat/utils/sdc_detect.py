"""`mindspore.utils.sdc_detect`: the watch for wrong products of matrices on an Ascend.

An Ascend computes some products a second time and compares. The other devices have no such watch:
there it never starts, so nothing is found, which the original on a CPU says too.
"""

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop"]


def sdc_detect_start():
    """Starts the watch of an Ascend; without one nothing starts.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.utils.sdc_detect_start()

    Source: mindspore.utils.sdc_detect_start of MindSpore 2.10.
    """


def sdc_detect_stop():
    """Stops the watch of an Ascend; without one nothing has started.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.utils.sdc_detect_stop()

    Source: mindspore.utils.sdc_detect_stop of MindSpore 2.10.
    """


def get_sdc_detect_result():
    """Returns whether the watch of an Ascend has found a wrong product since it was started.

    Returns:
        bool, False without an Ascend.

    Examples:
        >>> import mindspore_compat as ms
        >>> print(ms.utils.get_sdc_detect_result())
        False

    Source: mindspore.utils.get_sdc_detect_result of MindSpore 2.10.
    """
    return False
