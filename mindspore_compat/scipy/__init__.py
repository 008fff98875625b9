"""`mindspore.scipy`: SciPy's linear algebra, cosine transforms and optimization on Tensors."""

from . import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]
