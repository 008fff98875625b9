"""Primitives that draw samples: indices of categories, permutations, positions of true elements."""

from ..._backend.arrays import current_space
from ..._backend.random.kernels import OfMinimal
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, DType, Float, Int, TensorOf, checked, real
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Float16To64
from ..primitive import Primitive
from .generators import _first, _generator, _Kernel, _make, _Seeded
from .sampling import (
    RandomChoiceWithMask,
    _multinomial,
    _permutation,
    _shuffle,
    bernoulli_draw,
    random_categorical,
)


@public("ops.choice_with_mask")
@checked
def choice_with_mask(input_x: TensorOf("bool"), count: Int(ge=1) = 256, seed: Int(ge=0) = None):
    """Draws positions of true elements, as `ops.RandomChoiceWithMask` does.

    Args:
        input_x (Tensor[bool]): the mask.
        count (int): how many positions are drawn, at least 1. Default: 256.
        seed (int): a seed for this call alone; None draws from the global seed.

    Returns:
        A tuple of two Tensors: int32 positions of shape (count, axes of `input_x`), and bools of
        shape (count,), which are False if there are too few true elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.choice_with_mask(ms.Tensor([[True, False]]), 2)[0].shape)
        (2, 2)
    """
    return RandomChoiceWithMask(count, seed or 0)(input_x)


@public("ops.Multinomial")
class Multinomial(_Kernel):
    """Draws category indices with replacement, with probabilities proportional to the weights in
    each row.

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.
        dtype (mindspore.dtype): int32 or int64. Default: int32.

    Inputs:
        - **x** (Tensor): weights of shape (classes,) or (batch, classes); a row need not sum to 1.
        - **num_samples** (int): the number of indices drawn for each row.

    Outputs:
        Tensor of shape (num_samples,) or (batch, num_samples).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Multinomial()(ms.Tensor([[0.0, 1.0]]), 3))
        [[1 1 1]]
    """

    _kind = OfMinimal

    @checked
    def __init__(
        self,
        seed: Int(ge=0) = 0,
        seed2: Int(ge=0) = 0,
        dtype: DType("int32", "int64") = dtypes.int32,
    ):
        self._set(seed, seed2)
        self.dtype = dtype

    @checked
    def __call__(self, x: TensorOf(real), num_samples: Int(ge=0)):
        if x.ndim not in (1, 2):
            raise ValueError(
                f"For 'Multinomial', 'x' must have one or two axes, but got {x.shape}."
            )
        xp, dtype = space_for(x._array), dtypes.to_numpy(self.dtype)
        if not num_samples:
            return Tensor._wrap(xp.zeros((*x.shape[:-1], 0), dtype))
        draw = self._draw(xp, (*x.shape, num_samples))
        return _multinomial(x, num_samples, True, draw, dtype)


@public("ops.MultinomialWithReplacement")
class MultinomialWithReplacement(Primitive):
    """The Primitive form of `ops.multinomial_with_replacement`: `(numsamples)(x, seed, offset)`.

    Args:
        numsamples (int): the number of indices drawn for each row.
        replacement (bool): whether an index may be drawn more than once. Default: False.

    Inputs:
        - **x** (Tensor): weights of shape (classes,) or (batch, classes).
        - **seed**, **offset** (Union[int, Tensor]): seeds for this call alone; if both are 0, the
          global seed is used.

    Outputs:
        int64 Tensor of shape (numsamples,) or (batch, numsamples).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.MultinomialWithReplacement(3, True)(ms.Tensor([[0.0, 1.0]]), ms.Tensor(0),
        ...         ms.Tensor(0)))
        [[1 1 1]]
    """

    @checked
    def __init__(self, numsamples: Int(ge=1), replacement: Bool = False):
        super().__init__("MultinomialWithReplacement")
        self.numsamples, self.replacement = numsamples, replacement

    @checked
    def __call__(
        self, x: Float16To64, seed: Int | TensorOf("int64"), offset: Int | TensorOf("int64")
    ):
        if x.ndim not in (1, 2):
            raise ValueError(
                f"For 'MultinomialWithReplacement', 'x' must have one or two axes, "
                f"but got {x.shape}."
            )
        draw = _first(space_for(x._array), int(seed), int(offset))
        return _multinomial(x, self.numsamples, self.replacement, draw, "int64", self.name)


@public("ops.RandomCategorical")
class RandomCategorical(Primitive):
    """The Primitive form of `ops.random_categorical`: `(dtype)(logits, num_sample, seed)`.

    Args:
        dtype (mindspore.dtype): int16, int32 or int64. Default: int64.

    Inputs:
        - **logits** (Tensor): shape (batch, classes).
        - **num_sample** (int): the number of indices drawn for each row.
        - **seed** (int): a seed for this call alone. Default: 0, which draws from the global seed.

    Outputs:
        Tensor of shape (batch, num_sample).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandomCategorical()(ms.Tensor([[0.0, 99.0]]), 3, 0))
        [[1 1 1]]
    """

    @checked
    def __init__(self, dtype: DType("int16", "int32", "int64") = dtypes.int64):
        super().__init__("RandomCategorical")
        self.dtype = dtype

    def __call__(self, logits, num_sample, seed=0):
        return random_categorical(logits, num_sample, seed, self.dtype)


@public("ops.RandomShuffle")
class RandomShuffle(_Seeded):
    """Shuffles the slices along the first axis; differentiable.

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **x** (Tensor): at least one axis.

    Outputs:
        Tensor of the same shape and dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandomShuffle()(ms.Tensor([1, 2, 3])).sum())
        6
    """

    @checked
    def __call__(self, x: Anything):
        return _shuffle(self._stream, x)


@public("ops.Randperm")
class Randperm(Primitive):
    """Draws a random permutation of the integers below n, padded to `max_length` with `pad`.

    Args:
        max_length (int): the length of the result.
        pad (int): the number that fills the rest.
        dtype (mindspore.dtype): an integer dtype.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if n is below 0 or above `max_length`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Randperm(4)(ms.Tensor([4], ms.int32)).shape)
        (4,)
    """

    @checked
    def __init__(self, max_length: Int(ge=1) = 1, pad: Int = -1, dtype: DType = dtypes.int32):
        super().__init__("Randperm")
        self.max_length, self.pad, self.dtype = max_length, pad, dtype

    @checked
    def __call__(self, n: TensorOf("int32", "int64")):
        count = int(n.asnumpy()[0]) if n.shape == (1,) else -1
        if not 0 <= count <= self.max_length:
            raise ValueError(
                f"For 'Randperm', 'n' must be a vector of one number in [0, {self.max_length}], "
                f"but got {n.asnumpy().tolist()}."
            )
        xp = space_for(n._array)
        result = xp.full(self.max_length, self.pad, dtypes.to_numpy(self.dtype))
        result[:count] = _permutation(xp, count, _generator(xp))._array
        return Tensor._wrap(result)


@public("ops.RandpermV2")
class RandpermV2(Primitive):
    """Draws a random permutation of the integers below n: `ops.RandpermV2(seed, offset, dtype)(n)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RandpermV2()(ms.Tensor([4])).shape)
        (4,)
    """

    @checked
    def __init__(self, seed: Int(ge=-1) = 0, offset: Int(ge=0) = 0, dtype: DType = dtypes.int64):
        super().__init__("RandpermV2")
        self.seed, self.offset, self.dtype = seed, offset, dtype

    @checked
    def __call__(self, n: Int(ge=1) | TensorOf("int32", "int64")):
        xp = current_space()
        draw = _first(xp, self.seed, self.offset)
        return _make(_permutation(xp, int(n), draw)._array, self.dtype)


@public("ops.Bernoulli")
class Bernoulli(Primitive):
    """Draws Bernoulli samples, 1 with probability p, else 0: `ops.Bernoulli(seed, offset)(x, p)`.

    An offset that is not an int counts as 0.

    Args:
        seed (int): a seed for this Primitive alone; -1 draws from the global seed. Default: -1.
        offset (int): a second seed. Default: 0.

    Inputs:
        - **x** (Tensor): gives shape and dtype of the result; its values are not used.
        - **p** (Union[Tensor, float]): the probability of a 1.

    Outputs:
        Tensor of the shape and dtype of `x`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Bernoulli()(ms.Tensor([5.0, 6.0]), ms.Tensor([1.0, 0.0])))
        [1. 0.]
    """

    @checked
    def __init__(self, seed: Int = -1, offset: Any = 0):
        super().__init__("Bernoulli")
        self.seed, self.offset = seed, offset

    @checked
    def __call__(self, x: TensorOf(real, "bool"), p: TensorOf("float32", "float64") | Float):
        xp = space_for(x._array)
        share = p._array if isinstance(p, Tensor) else xp.asarray(p)
        if isinstance(p, Tensor) and p.shape not in (x.shape, (), (1,)):
            raise ValueError(
                f"For 'Bernoulli', 'p' must have the shape {x.shape} of 'x', but got {share.shape}."
            )
        if bool((share < 0).any()) or bool((share > 1).any()):
            raise ValueError("For 'Bernoulli', 'p' must be in [0, 1].")
        offset = self.offset if isinstance(self.offset, int) else 0
        draw = bernoulli_draw(xp, self.seed, offset)
        return _make(draw.random(x.shape) < share, None, x._array.dtype)
