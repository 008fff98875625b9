"""The check of two dtypes that several methods of Tensor share."""


def need_one_dtype(name, keyword, self, other):
    """Rejects a Tensor of another dtype."""
    if other._array.dtype != self._array.dtype:
        raise TypeError(
            f"For 'Tensor.{name}', '{keyword}' must have the dtype {self.dtype}, but "
            f"got {other.dtype}."
        )
