"""`mindspore.utils.stress_detect`: tests an Ascend under load; other devices have no such tests."""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Any

__all__ = ["stress_detect"]

_COULD_NOT_START = 1


@checked
def stress_detect(detect_type: Any = "aic"):
    """Tests the cores of an Ascend, or the links between several, under load.

    Args:
        detect_type (str, optional): "aic" for the cores, "hccs" for the links.

    Returns:
        int, 1: the test could not be started, because there are no links to test or it is unknown.

    Raises:
        RuntimeError: if `detect_type` is "aic" without an Ascend, as on a CPU of MindSpore.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.utils.stress_detect("hccs")
        1

    Source: mindspore.utils.stress_detect of MindSpore 2.10.
    """
    if detect_type == "aic":
        raise RuntimeError(
            "For 'stress_detect', 'detect_type' must not be 'aic' without an Ascend, whose cores "
            "it tests."
        )
    return _COULD_NOT_START
