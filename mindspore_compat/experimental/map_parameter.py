"""MapParameter: rows of a table that are looked up by keys, and made when a key first appears.

Rows lie on the host, in the order in which their keys came. A get reads a copy: no gradient reaches
the rows, which `put` writes.
"""

import numbers

import numpy as np

from .._core.rules.vocabulary import DType, InstanceOf
from .._core.tensor.dtype import float32, int32, to_numpy
from .._core.tensor.tensor import Tensor
from ..common.initializer import initializer
from ..common.parameter import Parameter

__all__ = ["MapParameter"]

UNCHANGED, MODIFIED, ERASED = 0, 1, 2
SLICE = 1 << 30  # bytes of values that `export_slice_data` returns at a time
_DEFAULTS = ("zeros", "ones", "normal")
_NEVER = 9223372036854775807
_ATensor = InstanceOf(Tensor)


class _Row:
    """The values of a key, how often and when it was read, and what has become of it."""

    def __init__(self, values, status):
        self.values, self.status = values, status
        self.used = 0


class MapParameter(Parameter):
    """A Parameter whose rows are found by keys.

    Args:
        key_dtype (mindspore.dtype): the dtype of keys; by default int32.
        value_dtype (mindspore.dtype): the dtype of rows; by default float32.
        value_shape (Union[tuple, list, int]): the shape of a row; by default 1.
        key_tensor (Tensor): the first keys.
        value_tensor (Tensor): their rows.
        default_value (Union[numbers.Number, str]): what the row of a new key holds: a number,
            "zeros", "ones" or "normal".
        permit_filter_value (numbers.Number): how often a new key must be read before it gets a row.
        evict_filter_value (numbers.Number): after how many reads of others a row is erased.
        name (str): its name; made up by default.
        requires_grad (bool): whether `Cell.trainable_params` returns it.
        **kwargs: are not read.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `default_value` is another str, or there are more or fewer rows than keys.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.experimental import MapParameter
        >>> table = MapParameter(ms.int32, ms.float32, value_shape=2, default_value="zeros")
        >>> table.put(ms.Tensor([7], ms.int32), ms.Tensor([[1.0, 2.0]])) is table
        True
        >>> print(table.get(ms.Tensor([7, 8], ms.int32)))
        [[1. 2.]
         [0. 0.]]

    Source: mindspore.experimental.MapParameter of MindSpore 2.10.

    Source: mindspore.experimental.map_parameter.MapParameter of MindSpore 2.10.
    """

    def __init__(
        self,
        key_dtype=None,
        value_dtype=None,
        value_shape=None,
        key_tensor=None,
        value_tensor=None,
        default_value="normal",
        permit_filter_value=1,
        evict_filter_value=_NEVER,
        *,
        name=None,
        requires_grad=True,
        **kwargs,
    ):
        for argument, each in (("key_tensor", key_tensor), ("value_tensor", value_tensor)):
            if each is not None:
                _ATensor.refuse("MapParameter", argument, each)
        key_dtype = _given("key_dtype", key_dtype, key_tensor, int32)
        value_dtype = _given("value_dtype", value_dtype, value_tensor, float32)
        if value_shape is None:
            value_shape = 1 if value_tensor is None else value_tensor.shape[1:]
        shape = _shape(value_shape)
        _check_settings(default_value, permit_filter_value, evict_filter_value)
        super().__init__(Tensor(np.zeros(shape, np.float32), value_dtype), name, requires_grad)
        self.key_dtype, self.value_dtype, self.value_shape = key_dtype, value_dtype, shape
        self.default_value = default_value
        self.permit_filter_value = permit_filter_value
        self.evict_filter_value = evict_filter_value
        self._clear()
        if key_tensor is not None and value_tensor is not None:
            self._write(self._keys(key_tensor), self._rows(value_tensor, key_tensor), UNCHANGED)

    def _clear(self):
        self._table, self._erased, self._seen = {}, {}, {}
        self._reads, self._next_slice = 0, 0

    def __repr__(self):
        return (
            f"MapParameter (name={self.name}, key_dtype={self.key_dtype!r}, "
            f"value_dtype={self.value_dtype!r}, value_shape={self.value_shape}, "
            f"default_value={self.default_value})"
        )

    __str__ = __repr__

    # rows by keys

    def get(self, key_tensor, insert_default_value=True):
        """Returns the rows of keys; a key without one gets what `default_value` says.

        Args:
            key_tensor (Tensor): the keys.
            insert_default_value (bool): whether such a row is kept, once `permit_filter_value`
                reads have asked for it.

        Returns:
            Tensor, of the shape of `key_tensor` and then that of a row.

        Raises:
            TypeError: if `key_tensor` is not a Tensor.
        """
        keys = self._keys(key_tensor)
        self._reads += 1
        found = [self._read(key, insert_default_value) for key in keys]
        self._evict()
        shape = (*key_tensor.shape, *self.value_shape)
        return Tensor(np.asarray(found).reshape(shape), self.value_dtype)

    def __getitem__(self, key_tensor):
        return self.get(key_tensor)

    def _read(self, key, insert):
        row = self._table.get(key)
        if row is None:
            made = self._default()
            self._seen[key] = self._seen.get(key, 0) + 1
            if not insert or self._seen[key] < self.permit_filter_value:
                return made
            row = self._table[key] = _Row(made, MODIFIED)
            self._erased.pop(key, None)
        row.used = self._reads
        return row.values

    def _default(self):
        drawn = initializer(self.default_value, self.value_shape, float32).init_data()
        return drawn.asnumpy()

    def _evict(self):
        """Erases the rows that have not been read for long."""
        if self.evict_filter_value >= _NEVER:
            return
        last = self._reads - self.evict_filter_value
        for key in [key for key, row in self._table.items() if row.used < last]:
            self._drop(key)

    def put(self, key_tensor, value_tensor):
        """Writes rows of keys.

        Args:
            key_tensor (Tensor): the keys.
            value_tensor (Tensor): their rows.

        Returns:
            MapParameter, itself.

        Raises:
            TypeError: if an argument is not a Tensor.
            ValueError: if there are more or fewer rows than keys, or they have another shape.
        """
        keys = self._keys(key_tensor)
        _ATensor.refuse("MapParameter", "value_tensor", value_tensor)
        self._write(keys, self._rows(value_tensor, key_tensor), MODIFIED)
        return self

    def _write(self, keys, rows, status):
        for key, values in zip(keys, rows, strict=True):
            row = self._table[key] = _Row(values, status)
            row.used = self._reads
            self._erased.pop(key, None)

    def erase(self, key_tensor):
        """Erases the rows of keys; keys without one are passed over.

        Args:
            key_tensor (Tensor): the keys.

        Returns:
            MapParameter, itself.

        Raises:
            TypeError: if `key_tensor` is not a Tensor.
        """
        for key in self._keys(key_tensor):
            self._drop(key)
        return self

    def _drop(self, key):
        if self._table.pop(key, None) is not None:
            self._erased[key] = ERASED
        self._seen.pop(key, None)

    def _keys(self, key_tensor):
        _ATensor.refuse("MapParameter", "key_tensor", key_tensor)
        return key_tensor.asnumpy().reshape(-1).tolist()

    def _rows(self, value_tensor, key_tensor):
        shape = (*key_tensor.shape, *self.value_shape)
        if tuple(value_tensor.shape) != shape:
            raise ValueError(
                f"For 'MapParameter', 'value_tensor' must have the shape {shape}, but got "
                f"{value_tensor.shape}."
            )
        rows = value_tensor.astype(float32, copy=False).asnumpy()
        return rows.reshape(-1, *self.value_shape).copy()

    # all of them

    def get_keys(self):
        """Returns all keys.

        Returns:
            Tensor.
        """
        return Tensor(np.array(list(self._table), to_numpy(self.key_dtype)))

    def get_values(self):
        """Returns all rows, in the order of `get_keys`.

        Returns:
            Tensor.
        """
        rows = [row.values for row in self._table.values()]
        found = np.array(rows, np.float32).reshape(len(rows), *self.value_shape)
        return Tensor(found, self.value_dtype)

    def get_data(self):
        """Returns all keys and all rows.

        Returns:
            tuple[Tensor], the two.
        """
        return self.get_keys(), self.get_values()

    def clone(self, init="same"):
        """Returns a MapParameter of the same settings without rows; with "same", with copies of
        them.

        Args:
            init (Union[str, numbers.Number]): the new one's `default_value`; "same" for this one's.

        Returns:
            MapParameter.
        """
        same = isinstance(init, str) and init == "same"
        copy = MapParameter(
            self.key_dtype,
            self.value_dtype,
            self.value_shape,
            default_value=self.default_value if same else init,
            permit_filter_value=self.permit_filter_value,
            evict_filter_value=self.evict_filter_value,
            name=self.name,
            requires_grad=self.requires_grad,
        )
        if same:
            rows = [row.values.copy() for row in self._table.values()]
            copy._write(list(self._table), rows, UNCHANGED)
        return copy

    # files

    def export_data(self, incremental=False):
        """Returns keys, rows and what has become of them since the last export, as arrays.

        Args:
            incremental (bool): whether only what has changed is returned: keys that have been
                written or erased, and the rows of the former.

        Returns:
            tuple[numpy.ndarray], keys, rows, and for each key 0 (unchanged), 1 (written) or 2
            (erased).
        """
        found = self._exported(list(self._table), incremental)
        self._settle()
        return found

    def _exported(self, keys, incremental):
        kept = [key for key in keys if not incremental or self._table[key].status != UNCHANGED]
        erased = list(self._erased) if incremental else []
        rows = np.array([self._table[key].values for key in kept], np.float32)
        statuses = [self._table[key].status for key in kept] + [ERASED] * len(erased)
        return (
            np.array(kept + erased, to_numpy(self.key_dtype)),
            Tensor(rows.reshape(-1, *self.value_shape), self.value_dtype).asnumpy(),
            np.array(statuses, np.int32),
        )

    def _settle(self):
        """What has been exported counts as unchanged."""
        for row in self._table.values():
            row.status = UNCHANGED
        self._erased.clear()

    def export_bytes(self, incremental=False):
        """Returns what `export_data` does, as the bytes of the three arrays.

        Args:
            incremental (bool): as for `export_data`.

        Returns:
            tuple[bytes].
        """
        return tuple(array.tobytes() for array in self.export_data(incremental))

    def export_slice_data(self, incremental=False):
        """Returns what `export_data` does, a part of at most 1 GB of rows at a time.

        Args:
            incremental (bool): as for `export_data`.

        Returns:
            tuple, three arrays and whether this was the last part.
        """
        size = max(1, np.prod(self.value_shape, dtype=int)) * to_numpy(self.value_dtype).itemsize
        count = max(1, SLICE // size)
        keys = list(self._table)
        part = keys[self._next_slice : self._next_slice + count]
        self._next_slice += count
        last = self._next_slice >= len(keys)
        erased = self._erased
        if not last:  # they come with the last part
            self._erased = {}
        found = self._exported(part, incremental)
        self._erased = erased
        if last:
            self._next_slice = 0
            self._settle()
        return (*found, last)

    def import_data(self, data):
        """Takes keys and rows in place of those there are.

        Args:
            data (tuple[numpy.ndarray]): keys, rows and what has become of them, as `export_data`
                returns them; erased keys have no row.

        Raises:
            TypeError: if `data` is no tuple of three arrays.
            ValueError: if there are more or fewer rows than keys that have one.
        """
        if (
            not isinstance(data, tuple)
            or len(data) != 3
            or not all(isinstance(each, np.ndarray) for each in data)
        ):
            raise TypeError(
                f"For 'MapParameter', 'data' must be a tuple of three arrays, but got {data!r}."
            )
        keys, rows, statuses = data
        kept = keys[statuses != ERASED].tolist()
        rows = np.asarray(rows, np.float32)
        if rows.shape != (len(kept), *self.value_shape):
            raise ValueError(
                f"For 'MapParameter', the rows of 'data' must have the shape "
                f"{(len(kept), *self.value_shape)}, but got {rows.shape}."
            )
        self._clear()
        self._write(kept, rows.copy(), UNCHANGED)


def _given(name, dtype, tensor, default):
    if dtype is None:
        return default if tensor is None else tensor.dtype
    DType.refuse("MapParameter", name, dtype)
    return dtype


def _shape(given):
    lengths = (given,) if type(given) is int else given
    if not isinstance(lengths, (tuple, list)) or not all(type(each) is int for each in lengths):
        raise TypeError(
            f"For 'MapParameter', 'value_shape' must be an int or a tuple or list of ints, but got "
            f"{given!r}."
        )
    return tuple(lengths)


def _check_settings(default_value, permit, evict):
    if isinstance(default_value, str):
        if default_value not in _DEFAULTS:
            raise ValueError(
                f"For 'MapParameter', 'default_value' must be a number, 'zeros', 'ones' or "
                f"'normal', but got {default_value!r}."
            )
    elif not isinstance(default_value, numbers.Number):
        raise TypeError(
            f"For 'MapParameter', 'default_value' must be a number or a str, but got "
            f"{default_value!r} of type {type(default_value).__name__}."
        )
    for name, value in (("permit_filter_value", permit), ("evict_filter_value", evict)):
        InstanceOf(numbers.Number).called("a number").refuse("MapParameter", name, value)
