"""`mindspore.scipy`: linear algebra and optimization under SciPy's names, on Tensors."""

from . import linalg, optimize

__all__ = ["linalg", "optimize"]
