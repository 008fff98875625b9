"""CosineSimilarity: the similarity between the rows of a matrix."""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, OneOf
from .metric import Metric, rearrange_inputs

__all__ = ["CosineSimilarity"]


class CosineSimilarity(Metric):
    """Cosine similarity of each row of a matrix to every other row.

    Args:
        similarity (str): "cosine" for the cosine of the angle, or "dot" for the dot product.
            Default: "cosine".
        reduction (str): "none" for the whole matrix, "sum" or "mean" over its rows. Default:
            "none".
        zero_diagonal (bool): whether the similarity of a row to itself counts as 0. Default: True.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `similarity` or `reduction` is unknown.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.train import CosineSimilarity
        >>> metric = CosineSimilarity("dot")
        >>> metric.update(np.array([[1, 2], [3, 4]]))
        >>> metric.eval().tolist()
        [[0, 11], [11, 0]]

    Source: mindspore.train.CosineSimilarity of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        similarity: OneOf("cosine", "dot") = "cosine",
        reduction: OneOf("none", "sum", "mean") = "none",
        zero_diagonal: Bool = True,
    ):
        super().__init__()
        self.similarity = similarity
        self.reduction = reduction
        self.zero_diagonal = zero_diagonal
        self.clear()

    def clear(self):
        """Resets the metric."""
        self.sqr_mtx_res = None

    @rearrange_inputs
    def update(self, inputs):
        """Sets the matrix, and replaces an earlier one.

        Raises:
            ValueError: if `inputs` does not have two axes.
        """
        rows = self._convert_data(inputs)
        if rows.ndim != 2:
            raise ValueError(
                f"For 'CosineSimilarity.update', the input must have two axes, but got {rows.ndim}."
            )
        if self.similarity == "cosine":
            with np.errstate(divide="ignore", invalid="ignore"):
                rows = rows / np.linalg.norm(rows, ord=2, axis=1)[:, None]
        self.sqr_mtx_res = rows @ rows.T

    def eval(self):
        """Returns the similarities as an array.

        Raises:
            RuntimeError: if nothing has been measured.
        """
        self._need_updates(self.sqr_mtx_res is not None)
        similarities = self.sqr_mtx_res.copy()
        if self.zero_diagonal:
            np.fill_diagonal(similarities, 0)
        if self.reduction == "none":
            return similarities
        return similarities.sum(axis=-1) if self.reduction == "sum" else similarities.mean(axis=-1)
