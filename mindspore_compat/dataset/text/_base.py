"""Base class and helpers of text transforms and tokenizers."""

import numpy as np

from ..transforms.base import TensorOperation
from .utils import NormalizeForm


class TextTensorOperation(TensorOperation):
    """Base class of text transforms."""

    def _text(self, x, rank=None):
        """Returns the input, checked to be text with this number of axes.

        Raises:
            RuntimeError: if it is not.
        """
        if x.dtype.kind != "U" or rank is not None and x.ndim != rank:
            axes_text = "" if rank is None else f" of {rank} axes"
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must be text{axes_text}, but "
                f"got shape {x.shape} and dtype {x.dtype}."
            )
        return x


def map_text(function, x):
    """Applies a function to every element of a text array."""
    return np.array([function(text) for text in x.ravel().tolist()], np.str_).reshape(x.shape)


UNICODE_FORMS = {
    NormalizeForm.NFC: "NFC",
    NormalizeForm.NFKC: "NFKC",
    NormalizeForm.NFD: "NFD",
    NormalizeForm.NFKD: "NFKD",
}
