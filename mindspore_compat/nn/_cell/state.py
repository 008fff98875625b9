"""The state of a Cell as a whole: buffers, saving and loading with `state_dict`, moving and
casting.

A buffer is a Tensor that belongs to a Cell without being a parameter. `naming.py` names parameters
and walks over sub-cells.
"""

import itertools
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ..._backend import arrays
from ..._core.rules.vocabulary import InstanceOf, Str
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ...common.hook import HookHandle, need_callable

_MaybeTensor = InstanceOf(Tensor) | None


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    """Result of `load_state_dict`: the keys that the state lacks and those that the Cell lacks."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )

    __str__ = __repr__


_EXTRA = "_extra_state"
_CASTABLE = "fcV"  # kinds of NumPy dtypes that `to` casts: floats, complex numbers and bfloat16


class State:
    """The part of Cell that holds buffers and reads and writes its state."""

    _cell_non_persistent = frozenset()  # names of buffers that `state_dict` leaves out
    _cell_state_hooks = None  # kind -> OrderedDict of hooks

    # Buffers --------------------------------------------------------------------------------------

    def register_buffer(self, name, tensor, persistent=True):
        """Registers a Tensor that is not a parameter as part of the Cell's state, readable as
        `self.<name>`.

        Args:
            name (str): its name.
            tensor (Tensor): its values; with None, `self.<name>` is None, and `buffers` and
                `state_dict` omit it.
            persistent (bool): whether `state_dict` includes it.

        Raises:
            TypeError: if `name` is not a str, or `tensor` neither a Tensor nor None.
            KeyError: if `name` is empty, contains a dot, or is an attribute already.
        """
        Str.refuse("register_buffer", "name", name)
        if not name or "." in name:
            raise KeyError(
                f"For 'register_buffer', 'name' must not be empty or contain '.', but got {name!r}."
            )
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"For 'register_buffer', the attribute '{name}' already exists.")
        _MaybeTensor.refuse("register_buffer", "tensor", tensor)
        self._buffers[name] = tensor
        others = self._cell_non_persistent - {name}
        self.__dict__["_cell_non_persistent"] = others if persistent else others | {name}

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Yields the names and values of the buffers.

        Args:
            prefix (str): put in front of every name.
            recurse (bool): whether to go into sub-cells.
            remove_duplicate (bool): whether to yield a buffer that has two names once.
        """
        identities = set()
        cells = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for where, cell in cells:
            for name, buffer in cell._buffers.items():
                if buffer is None or (remove_duplicate and id(buffer) in identities):
                    continue
                identities.add(id(buffer))
                yield (f"{where}.{name}" if where else name), buffer

    def buffers(self, recurse=True):
        """Yields the buffers. If `recurse`, also yields the buffers of sub-cells."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target):
        """Returns the buffer with a name such as "net_b.net_c.buffer_c".

        Raises:
            AttributeError: if there is no such buffer.
        """
        where, _, name = target.rpartition(".")
        cell = self.get_sub_cell(where)
        if not hasattr(cell, name):
            raise AttributeError(f"{type(cell).__name__} has no attribute `{name}`")
        if name not in cell._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return cell._buffers[name]

    # Writing the state ----------------------------------------------------------------------------

    def _cell_hooks_of(self, kind):
        return list((self._cell_state_hooks or {}).get(kind, {}).values())

    def _cell_add_state_hook(self, kind, hook):
        need_callable(kind, hook)
        if self._cell_state_hooks is None:
            self.__dict__["_cell_state_hooks"] = {}
        return HookHandle.add(self._cell_state_hooks.setdefault(kind, OrderedDict()), hook)

    def register_state_dict_pre_hook(self, hook):
        """Calls `hook(cell, prefix, keep_vars)` before `state_dict`; returns a handle."""
        return self._cell_add_state_hook("register_state_dict_pre_hook", hook)

    def register_state_dict_post_hook(self, hook):
        """Calls `hook(cell, state_dict, prefix, local_metadata)` after `state_dict`.

        Returns:
            A handle, whose `remove()` removes the hook.
        """
        return self._cell_add_state_hook("register_state_dict_post_hook", hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Calls `hook` before loading; returns a handle.

        Its arguments are the Cell, the state, the prefix, the metadata, `strict`, and the lists of
        missing keys, unexpected keys and errors, which it may change.
        """
        return self._cell_add_state_hook("register_load_state_dict_pre_hook", hook)

    def register_load_state_dict_post_hook(self, hook):
        """Calls `hook(cell, incompatible_keys)` after loading; returns a handle."""
        return self._cell_add_state_hook("register_load_state_dict_post_hook", hook)

    def get_extra_state(self):
        """Returns the state that a subclass adds to parameters and buffers; to be overridden."""
        raise RuntimeError(
            f"'{type(self).__name__}' has no extra state: 'get_extra_state' is not overridden."
        )

    def set_extra_state(self, state):
        """Restores the state that `get_extra_state` returned; to be overridden."""
        raise RuntimeError(
            f"'{type(self).__name__}' has no extra state: 'set_extra_state' is not overridden."
        )

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Returns the parameters and persistent buffers by name.

        Args:
            destination (dict): filled and returned, in place of a new OrderedDict.
            prefix (str): put in front of every name.
            keep_vars (bool): whether to return copies of the values instead of the values
                themselves.

        Returns:
            dict.
        """
        if args:
            warnings.warn(
                "Positional arguments of 'state_dict' are deprecated.", FutureWarning, stacklevel=2
            )
            named = destination, prefix, keep_vars
            destination, prefix, keep_vars = *args, *named[len(args) :]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._cell_hooks_of("register_state_dict_pre_hook"):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, cell in list(self._cells.items()):
            if cell is not None:
                start = f"{prefix}{name}."
                cell.state_dict(destination=destination, prefix=start, keep_vars=keep_vars)
        for hook in self._cell_hooks_of("register_state_dict_post_hook"):
            hook(self, destination, prefix, metadata)
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Writes the Cell's own parameters, persistent buffers and extra state; to be extended.

        Args:
            destination (dict): filled with values by name.
            prefix (str): put in front of every name.
            keep_vars (bool): whether to write copies of the values instead of the values.
        """
        for name, member in self._cell_own_state():
            destination[prefix + name] = member.copy() if keep_vars else member
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    def _cell_own_state(self):
        """Yields the Cell's own parameters and persistent buffers, with names."""
        buffers = (b for b in self._buffers.items() if b[0] not in self._cell_non_persistent)
        for name, member in itertools.chain(self._params.items(), buffers):
            if member is not None:
                yield name, member

    # Reading it back ------------------------------------------------------------------------------

    def load_state_dict(self, state_dict, strict=True):
        """Copies values by name into the parameters and buffers.

        Args:
            state_dict (dict): name -> Tensor.
            strict (bool): whether the names must be exactly the names in `state_dict()`.

        Returns:
            a named tuple of the lists `missing_keys` and `unexpected_keys`.

        Raises:
            TypeError: if `state_dict` is not a mapping.
            RuntimeError: if a shape differs, a value is not a Tensor or, with `strict`, names
                differ.
        """
        InstanceOf(Mapping).called("a dict").refuse("load_state_dict", "state_dict", state_dict)
        state = OrderedDict(state_dict)
        state._metadata = getattr(state_dict, "_metadata", {})
        missing, unexpected, errors = [], [], []
        changes = self._cell_plan_loading(state, "", strict, missing, unexpected, errors)
        keys = _IncompatibleKeys(missing, unexpected)
        for hook in self._cell_hooks_of("register_load_state_dict_post_hook"):
            if hook(self, keys) is not None:
                raise RuntimeError(
                    "A load_state_dict post-hook must change the keys in place and return None."
                )
        if strict and unexpected:
            errors.insert(0, f"unexpected keys: {unexpected}")
        if strict and missing:
            errors.insert(0, f"missing keys: {missing}")
        if errors:
            raise RuntimeError(
                f"For '{type(self).__name__}', 'state_dict' cannot be loaded: "
                + "; ".join(errors)
                + "."
            )
        for change in changes:
            change()
        return keys

    def _cell_plan_loading(self, state, prefix, strict, missing, unexpected, errors):
        """Compares the state with the Cell; returns a function for each value to write."""
        changes = self.__dict__["_cell_changes"] = []
        try:
            metadata = state._metadata.get(prefix[:-1], {})
            self._load_from_state_dict(state, prefix, metadata, strict, missing, unexpected, errors)
        finally:
            del self.__dict__["_cell_changes"]
        for name, cell in list(self._cells.items()):
            if cell is not None:
                changes += cell._cell_plan_loading(
                    state, f"{prefix}{name}.", strict, missing, unexpected, errors
                )
        return changes

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Loads the Cell's own parameters, buffers and extra state; to be extended.
        `load_state_dict` calls it for each Cell, and writes the values when all Cells agree.

        Args:
            state_dict (dict): name -> Tensor, of all Cells; it may be changed.
            prefix (str): the prefix of this Cell's names.
            local_metadata (dict): what `state_dict()` stored about this Cell.
            strict (bool): whether the names must be exactly the names of the Cells.
            missing_keys (list): names that the state lacks are appended to it.
            unexpected_keys (list): names that no Cell has are appended to it.
            error_msgs (list): reasons to refuse the state are appended to it.
        """
        state, missing, errors = state_dict, missing_keys, error_msgs
        for hook in self._cell_hooks_of("register_load_state_dict_pre_hook"):
            hook(self, state, prefix, local_metadata, strict, missing, unexpected_keys, errors)
        changes = []
        own_members = dict(self._cell_own_state())
        for name, member in own_members.items():
            key = prefix + name
            if key not in state:
                missing.append(key)
                continue
            problem = _mismatch(key, member, state[key])
            if problem:
                errors.append(problem)
            else:
                changes.append(_copy_function(member, state[key]))
        takes_extra = type(self).set_extra_state is not State.set_extra_state
        if takes_extra and prefix + _EXTRA in state:
            changes.append(lambda: self.set_extra_state(state[prefix + _EXTRA]))
        elif takes_extra:
            missing.append(prefix + _EXTRA)
        names = {*own_members, *((_EXTRA,) if takes_extra else ())}
        cells = {name for name, cell in self._cells.items() if cell is not None}
        for key in state:
            rest = key[len(prefix) :] if key.startswith(prefix) else None
            if rest is not None and rest not in names and rest.split(".", 1)[0] not in cells:
                unexpected_keys.append(key)
        if "_cell_changes" in self.__dict__:
            self._cell_changes.extend(changes)
            return
        for change in changes:
            change()

    # Moving and casting ---------------------------------------------------------------------------

    def to(self, *args, **kwargs):
        """Moves the parameters and buffers to a device, or casts floating ones to a dtype, in
        place.

        Called as `to(device=None, dtype=None, non_blocking=False)`, `to(dtype, non_blocking=False)`
        or `to(tensor, non_blocking=False)`; a Tensor stands for its device and dtype.

        Returns:
            Cell, itself.

        Raises:
            TypeError: if the arguments fit no such form, or the dtype is not floating or
                complex.
            ValueError: if the device is unknown.
        """
        device, dtype = _destination(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"For 'Cell.to', 'dtype' must be floating or complex, but got {dtype}.")
        numpy_type = None if dtype is None else dtypes.to_numpy(dtype)
        for member in itertools.chain(self.get_parameters(), self.buffers()):
            array = member._array
            if device is not None:
                array = arrays.to_space(_space_of(device), array)
            if (
                numpy_type is not None
                and array.dtype != numpy_type
                and array.dtype.kind in _CASTABLE
            ):
                array = array.astype(numpy_type)
            member._array = array
        return self

    def to_empty(self, *, device=None, recurse=True):
        """Gives every parameter and buffer new, uninitialized memory on a device.

        Args:
            device (str): "CPU" or "GPU"; None for the one in force.
            recurse (bool): whether to go into sub-cells.

        Returns:
            Cell, itself.

        Raises:
            TypeError: if `device` is not a str.
            ValueError: if the device is unknown.
        """
        (Str | None).refuse("Cell.to_empty", "device", device)
        space = arrays.current_space() if device is None else _space_of(device)
        members = itertools.chain(
            self.get_parameters(expand=recurse), self.buffers(recurse=recurse)
        )
        for member in members:
            array = member._array
            member._array = space.empty(array.shape, array.dtype)
        return self


def _mismatch(key, member, value):
    """Returns the reason why `value` cannot be loaded into `member`, or None if it can."""
    if not isinstance(value, Tensor):
        return f"the value of '{key}' must be a Tensor, but got {type(value).__name__}"
    if value.shape != member.shape:
        return f"the shape of '{key}' must be {member.shape}, but got {value.shape}"
    return None


def _copy_function(member, value):
    """Returns a function that copies `value` into `member`."""

    def copy():
        array = member._array
        member._array = arrays.to_space(arrays.space_of(array), value._array).astype(array.dtype)

    return copy


def _destination(device=None, dtype=None, non_blocking=False, tensor=None):
    """Returns the device and the dtype that the arguments of `to` name."""
    if isinstance(device, dtypes.Type):
        device, dtype = None, device
    if isinstance(device, Tensor):
        device, tensor = None, device
    if isinstance(tensor, Tensor):
        return ("GPU" if arrays.on_device(tensor._array) else "CPU"), tensor.dtype
    for name, value, kind in (("device", device, str), ("dtype", dtype, dtypes.Type)):
        if value is not None:
            InstanceOf(kind).refuse("Cell.to", name, value)
    if device is not None:
        _space_of(device)
    return device, dtype


def _space_of(device):
    if device == "CPU":
        return arrays.HOST
    if device == "GPU" and arrays.gpu_available():
        return arrays._device_space()
    raise ValueError(
        f"For 'Cell.to', 'device' must be 'CPU', or 'GPU' where there is one, but got {device!r}."
    )
