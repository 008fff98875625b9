"""Tensors with dynamic shapes, and `Symbol`, the description of an unknown dimension.

`Tensor(shape=(None, 3), dtype=float32)` describes the future inputs of a network
(`Cell.set_inputs`). It has a dtype and a shape. In the shape, -1 is an unknown length, and (-2,)
is an unknown rank. It has no values, so computing with it raises an error. `misfit` checks whether
a Tensor matches such an input.
"""

import copyreg

from .declare.public_api import public
from .rules.checked import checked
from .rules.vocabulary import Bool, Int
from .tensor import dtype as dtypes
from .tensor.tensor import Tensor


@public("Symbol")
class Symbol:
    """A symbolic dimension: the constraints on an unknown length in the shape of a Tensor.

    Args:
        max (int, optional): the maximum length; it has no effect unless it is above `min`.
        min (int, optional): the minimum length.
        divisor (int, optional): d, where the length is d * N + r with N at least 1.
        remainder (int, optional): r in the same formula.
        unique (bool, optional): whether all lengths that this object stands for are equal.

    Raises:
        TypeError: if a number is not an int, or `unique` is not a bool.
        ValueError: if `min` or `divisor` is below 1, or `remainder` is not in [0, `divisor`).

    Examples:
        >>> import mindspore_compat as ms
        >>> side = ms.Symbol(divisor=8, remainder=1)
        >>> ms.Tensor(shape=(None, side), dtype=ms.float32).shape
        (-1, -1)

    Source: mindspore.Symbol of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        max: Int | Bool = 0,
        min: Int(ge=1) | Bool = 1,
        divisor: Int(ge=1) = 1,
        remainder: Int | Bool = 0,
        unique: Bool = False,
        **kwargs,
    ):
        for name, number in (("min", min), ("divisor", divisor)):
            if number < 1:
                raise ValueError(f"For 'Symbol', '{name}' must be at least 1, but got {number}.")
        if not 0 <= remainder < divisor:
            raise ValueError(
                f"For 'Symbol', 'remainder' must be in [0, {divisor}), but got {remainder}."
            )
        self.max, self.min, self.divisor, self.remainder = max, min, divisor, remainder
        self.unique = unique

    def to_dict(self):
        """Returns the constraints as a dict by name. Symbols with the same "id" stand for equal
        lengths. A minimum that the divisor implies is left out."""
        labels = {
            "max": self.max if self.max > self.min else 0,
            "min": self.min if self.min > self.divisor else 0,
            "divisor": self.divisor if self.divisor > 1 else 0,
            "remainder": self.remainder,
            "id": id(self) if self.unique else 0,
        }
        return {name: value for name, value in labels.items() if value}

    def __str__(self):
        return str(self.to_dict())

    def refusal(self, length, lengths):
        """Describes what is wrong with a length; None if the length fits.

        Args:
            length (int): the length.
            lengths (dict): the lengths of the `unique` Symbols of the same call.
        """
        if self.max > self.min and length > self.max:
            return f"at most {self.max}"
        if length < self.min:
            return f"at least {self.min}"
        if length % self.divisor != self.remainder or length < self.divisor + self.remainder:
            return f"{self.divisor} * N + {self.remainder} with N of at least 1"
        if self.unique and lengths.setdefault(self, length) != length:
            return f"{lengths[self]}, as where it occurred before"
        return None


class Unfilled(Tensor):
    """A Tensor without values: `Tensor` makes one if a length in `shape` is unknown."""

    init = None

    @property
    def _array(self):
        raise ValueError(
            f"A Tensor of shape {self.shape}, whose lengths are not known, has no values."
        )

    @property
    def shape(self):
        """The lengths of the axes: -1 for an unknown length; (-2,) if the rank is unknown."""
        return self._lengths

    @property
    def symbolic_shape(self):
        """The lengths of the axes, with a dict of constraints for each Symbol; None without
        Symbols."""
        if not any(isinstance(length, Symbol) for length in self._known):
            return None
        return [
            length.to_dict() if isinstance(length, Symbol) else length for length in self._known
        ]

    dtype = property(lambda self: self._dtype, doc="The dtype that the elements will have.")
    ndim = property(lambda self: len(self._lengths), doc="The number of axes.")
    size = property(lambda self: 0, doc="0: there are no elements.")
    nbytes = property(lambda self: 0, doc="0: there are no elements.")
    itemsize = property(
        lambda self: dtypes.to_numpy(self._dtype).itemsize,
        doc="The bytes that one element will have.",
    )

    def __copy__(self):
        duplicate = type(self).__new__(type(self))
        duplicate.__dict__.update(self.__dict__)
        return duplicate

    def __deepcopy__(self, memo):
        duplicate = memo[id(self)] = self.__copy__()  # the same Symbols, which compare by identity
        return duplicate

    def __reduce__(self):
        return copyreg.__newobj__, (type(self),), self.__dict__

    def __repr__(self):
        return f"Tensor(shape={list(self._lengths)}, dtype={self._dtype}, value= )"

    __str__ = __repr__


def unknown(shape):
    """Returns whether a length in a shape is unknown."""
    return (
        shape is None
        or isinstance(shape, (tuple, list))
        and any(
            length is None
            or isinstance(length, Symbol)
            or isinstance(length, int)
            and length in (-1, -2)
            for length in shape
        )
    )


def unfill(tensor, shape, dtype):
    """Turns a new Tensor into one with unknown lengths.

    Raises:
        TypeError: if a length is not an int, None or a Symbol.
    """
    shape_list = [-2] if shape is None else list(shape)
    for length in shape_list:
        if not isinstance(length, int | Symbol | None):
            raise TypeError(
                f"For 'Tensor', 'shape' must hold ints, Nones or Symbols, but got {length!r}."
            )
    vars(tensor).update(
        _known=shape_list,
        _dtype=dtype,
        _lengths=tuple(length if isinstance(length, int) else -1 for length in shape_list),
    )
    tensor.__class__ = Unfilled


def _has_unknown_length(tensor, shape, dtype, init):
    """Returns whether a length in `shape` is unknown. If so, removes the values of `tensor`."""
    if not unknown(shape):
        return False
    if init is not None:
        raise ValueError(
            "For 'Tensor', 'init' must not be given with a 'shape' whose lengths are not known."
        )
    unfill(tensor, shape, dtype)
    return True


Tensor._has_unknown_length = _has_unknown_length


def misfit(expected, value, lengths_of_symbols):
    """Returns the exception for an input that does not match the expectation; None if it matches.

    Args:
        expected: a Tensor, or a tuple or list of Tensors; any other value matches every input.
        value: the input.
        lengths_of_symbols (dict): the lengths of the Symbols in the whole call.
    """
    if isinstance(expected, (tuple, list)) and isinstance(value, (tuple, list)):
        if len(expected) != len(value):
            return ValueError(f"must have {len(expected)} elements, but got {len(value)}")
        misfits = (misfit(*pair, lengths_of_symbols) for pair in zip(expected, value, strict=True))
        return next((problem for problem in misfits if problem is not None), None)
    if not isinstance(expected, Tensor):
        return None
    if not isinstance(value, Tensor) or value.dtype != expected.dtype:
        kind = value.dtype if isinstance(value, Tensor) else type(value).__name__
        return TypeError(f"must be a Tensor of dtype {expected.dtype}, but got {kind}")
    if expected.shape == (-2,):
        return None
    if value.ndim != expected.ndim:
        return ValueError(f"must have {expected.ndim} axes, but got {value.ndim}")
    lengths = expected._known if isinstance(expected, Unfilled) else expected.shape
    for axis, (length, actual) in enumerate(zip(lengths, value.shape, strict=True)):
        wrong = (
            length.refusal(actual, lengths_of_symbols)
            if isinstance(length, Symbol)
            else None
            if length in (None, -1, actual)
            else length
        )
        if wrong is not None:
            return ValueError(f"must have a length of {wrong} along axis {axis}, but got {actual}")
    return None
