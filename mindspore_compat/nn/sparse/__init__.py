"""Layers for sparse tensors."""

from .sparse import SparseTensorDenseMatmul, SparseToDense

__all__ = ["SparseToDense", "SparseTensorDenseMatmul"]
