"""Dropout of single elements and of whole channels, in the forms with and without `inplace`."""

import functools

from .... import ops
from ...._backend.random.kernels import Kernels
from ...._core.declare.public_api import public
from ...._core.declare.writing import write_back
from ...._core.rules.vocabulary import Any, Bool, Float, Number, checked
from ...._core.tensor.dtype import float32
from ....ops._random.dropout import dropout, dropout1d, dropout2d, dropout2d_ext, dropout3d
from ..._parts import need_floats
from ...cell import Cell


@public("nn.Dropout")
class Dropout(Cell):
    """Dropout: zeroes elements at random while training, and scales the others up.

    Args:
        keep_prob (float): the probability that an element is kept, in (0, 1]; unused if `p` is
            given.
        p (Union[float, int, None]): the probability that an element is zeroed, in [0, 1).
        dtype (mindspore.dtype): accepted, but without effect.

    Inputs:
        - **x** (Tensor): floats.

    Outputs:
        Tensor of the same shape and dtype; `x` itself outside training mode.

    Raises:
        TypeError: if `keep_prob` is not a float, or `p` neither a float nor an int.
        ValueError: if one of them is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Dropout(p=0.5).set_train(False)(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @checked
    def __init__(self, keep_prob: Any = 0.5, p: Number(ge=0, lt=1) | None = None, dtype=float32):
        super().__init__()
        if p is None:
            self._need_keep_prob(keep_prob)
        self.keep_prob = keep_prob
        self.p = p
        self.dtype = dtype
        self._kernels = Kernels.of_layer("Dropout")

    @checked
    def _need_keep_prob(self, keep_prob: Float(gt=0.0, le=1.0)):
        """Rejects values other than a float in (0, 1]."""

    def _chance(self):
        """Returns the probability that an element is zeroed, from the current attributes."""
        if self.keep_prob == 1:
            return 0.0
        return 1 - self.keep_prob if self.p is None else float(self.p)

    @functools.cached_property
    def dropout(self):
        """The primitive of dropout, for subclasses and strategies."""
        return ops.Dropout(1 - self._chance())

    def construct(self, x):
        """Returns `x`, with elements zeroed in training mode."""
        chance = self._chance() if self.training else 0
        if chance == 0:
            return x
        need_floats("Dropout", "x", x)
        return dropout.run(x, chance, True, self._kernels)

    def extend_repr(self):
        """Returns the text of the probability, in the form that was given."""
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _DropoutInPlace(Cell):
    """Base class of DropoutExt and Dropout2dExt."""

    _drop = None

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p = p
        self.inplace = inplace

    def construct(self, input):
        """Returns `input`, with elements or whole channels zeroed in training mode."""
        if not self.training or self.p == 0:
            return input
        Number(ge=0, le=1).refuse(type(self).__name__, "p", self.p)
        Bool.refuse(type(self).__name__, "inplace", self.inplace)
        out = type(self)._drop.run(input, float(self.p))
        return write_back(input, out) if self.inplace else out


@public("nn.DropoutExt", "mint.nn.Dropout")
class DropoutExt(_DropoutInPlace):
    """Dropout: zeroes elements at random while training, and scales the others up.

    Args:
        p (float): the probability that an element is zeroed, in [0, 1].
        inplace (bool): whether to write the result into the input.

    Inputs:
        - **input** (Tensor): floats.

    Outputs:
        Tensor of the same shape and dtype; `input` itself outside training mode.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.DropoutExt(p=0.5).set_train(False)(ms.Tensor([1.0, 2.0])))
        [1. 2.]
    """

    _drop = dropout


class _ChannelDropout(Cell):
    """Base class of Dropout1d, Dropout2d and Dropout3d."""

    _drop = None

    @checked
    def __init__(self, p: Float(ge=0.0, le=1.0) = 0.5):
        super().__init__()
        self.p = p

    def construct(self, x):
        """Returns `x`, with whole channels zeroed in training mode."""
        if not self.training or self.p == 0:
            return x
        return type(self)._drop.run(x, self.p)


@public("nn.Dropout1d")
class Dropout1d(_ChannelDropout):
    """Channel dropout: zeroes whole channels of (N, C, L) or (C, L) at random while training.

    Args:
        p (float): the probability that a channel is zeroed, in [0, 1].

    Inputs:
        - **x** (Tensor): shape (N, C, L) or (C, L).

    Outputs:
        Tensor of the same shape and dtype; `x` itself outside training mode.

    Raises:
        TypeError: if `p` is not a float.
        ValueError: if `p` is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Dropout1d(p=0.5).set_train(False)(ms.ops.ones((1, 2, 3))).shape)
        (1, 2, 3)
    """

    _drop = dropout1d

    @property
    def prob(self):
        """Another name of `p`."""
        return self.p

    @prob.setter
    def prob(self, p):
        self.p = p


class _ImageDropout(_ChannelDropout):
    """Base class of Dropout2d and Dropout3d."""

    @property
    def keep_prob(self):
        """The probability that a channel is kept, 1 - `p`."""
        return 1 - self.p

    @keep_prob.setter
    def keep_prob(self, share):
        self.p = 1 - share

    def extend_repr(self):
        """Returns the text of `keep_prob`, which MindSpore prints as `p`."""
        return f"p={self.keep_prob}"


@public("nn.Dropout2d")
class Dropout2d(_ImageDropout):
    """Channel dropout: zeroes whole channels of (N, C, H, W) at random while training.

    Args:
        p (float): the probability that a channel is zeroed, in [0, 1].

    Inputs:
        - **x** (Tensor): shape (N, C, H, W).

    Outputs:
        Tensor of the same shape and dtype; `x` itself outside training mode.

    Raises:
        TypeError: if `p` is not a float.
        ValueError: if `p` is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Dropout2d(p=0.5).set_train(False)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)
    """

    _drop = dropout2d


@public("nn.Dropout3d")
class Dropout3d(_ImageDropout):
    """Channel dropout: zeroes whole channels of (N, C, D, H, W) at random while training.

    Args:
        p (float): the probability that a channel is zeroed, in [0, 1].

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W).

    Outputs:
        Tensor of the same shape and dtype; `x` itself outside training mode.

    Raises:
        TypeError: if `p` is not a float.
        ValueError: if `p` is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Dropout3d(p=0.5).set_train(False)(ms.ops.ones((1, 2, 3, 3, 3))).shape)
        (1, 2, 3, 3, 3)
    """

    _drop = dropout3d


@public("nn.Dropout2dExt", "mint.nn.Dropout2d")
class Dropout2dExt(_DropoutInPlace):
    """Channel dropout: zeroes whole channels of (N, C, H, W) or (C, H, W) while training.

    Args:
        p (float): the probability that a channel is zeroed, in [0, 1].
        inplace (bool): whether to write the result into the input.

    Inputs:
        - **input** (Tensor): of 3 or 4 axes.

    Outputs:
        Tensor of the same shape and dtype; `input` itself outside training mode.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Dropout2dExt(p=0.5).set_train(False)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)
    """

    _drop = dropout2d_ext
