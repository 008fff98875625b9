"""The original's compiled module, of which pickles and a few scripts name the types only."""

from ..communication.groups import GroupOptions

__all__ = ["GroupOptions"]
