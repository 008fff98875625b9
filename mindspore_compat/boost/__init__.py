"""`mindspore.boost`: training with gradients of several steps.

Of the original's package here is what does not change how a network computes: accumulation.
"""

from .grad_accumulation import GradientAccumulation

__all__ = ["GradientAccumulation"]
