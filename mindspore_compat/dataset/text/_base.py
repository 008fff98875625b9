"""The base of transforms of text, and what transforms and tokenizers share."""

import numpy as np

from ..transforms.base import TensorOperation
from .utils import NormalizeForm


class TextTensorOperation(TensorOperation):
    """The base of transforms of text."""

    def _text(self, x, rank=None):
        """The input, if it is text of this number of axes.

        Raises:
            RuntimeError: it is not.
        """
        if x.dtype.kind != "U" or rank is not None and x.ndim != rank:
            wanted = "" if rank is None else f" of {rank} axes"
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must be text{wanted}, but "
                f"got shape {x.shape} and dtype {x.dtype}."
            )
        return x


def each(function, x):
    """An array of text with a function applied to every element."""
    return np.array([function(text) for text in x.ravel().tolist()], np.str_).reshape(x.shape)


UNICODE_FORMS = {
    NormalizeForm.NFC: "NFC",
    NormalizeForm.NFKC: "NFKC",
    NormalizeForm.NFD: "NFD",
    NormalizeForm.NFKD: "NFKD",
}
